"""A sealed turn as a whole: everything that a power may enter, decision by decision, and what somebody types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from hawaii_env.errors import IllegalActionError
from hawaii_env.game import Decision
from hawaii_env.heiau.game import Game, State
from hawaii_env.heiau.refusals import why_not_typed
from hawaii_env.heiau.rules.actions import BUILD, DISBAND, DONE, REMOVE, RETREAT, STAY, VOTE
from hawaii_env.heiau.rules.board import ARMY, BUNCH, KINDS, Board, Unit
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, Order
from hawaii_env.heiau.texts import Typed, fits, nearest, order_text, typed_order, unit_text
from hawaii_env.texts import show_value

__all__ = ["Entry", "Subject", "Turn", "turn_of"]

GROUPS = {
    HOLD: "", MOVE: "Move to", VIA: "Go by convoy to", SUPPORT: "Support", CONVOY: "Convoy", BOATS: "Build boats",
    POST: "Build a post",
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One way to decide on something.

    Attributes:
        text: a whole order as players write it, or the action's text.
        group, label: for a button.
        actions: what is entered.
        path: the places to click one after the other.
        order: the order, or None.
        counts: it is one of those whose number is limited.
    """

    text: str
    group: str
    label: str
    actions: tuple[int, ...]
    path: tuple[str, ...] = ()
    order: Order | None = None
    counts: bool = False


@dataclass(frozen=True)
class Subject:
    """The subject of a decision: a unit, a site, the ballot.

    Attributes:
        name: in words.
        place: where it stands, or None.
        unit: the unit, or None.
        entries: the ways to decide.
        usual: the one that stands where nothing is chosen; None where one must choose.
    """

    name: str
    place: str | None
    unit: Unit | None
    entries: tuple[Entry, ...]
    usual: int | None


@dataclass(frozen=True)
class Turn:
    """The entries of a power in a turn: one entry for each subject, `least` to `most` of those that count; `end`
    follows where fewer than the most count.
    """

    subjects: tuple[Subject, ...]
    least: int = 0
    most: int = 0
    end: tuple[int, ...] = ()


def turn_of(state: State, player: int) -> Turn:
    """Return what a player may enter in the running sealed turn.

    Args:
        state: the position as the player knows it, with nothing entered yet (`State.for_search`).
        player: the player, who is asked.
    """
    if state.phase == "orders":
        return Turn(tuple(_orders(state, player)))
    if state.phase == "retreats":
        return Turn(tuple(_retreats(state, player)))
    if state.phase == "adjustments":
        return _winter(state, player)
    game = cast(Game, state.game)
    entries = [
        Entry(
            game.action_text(a),
            "Vote for",
            game.options.actions.choices[game.options.actions.steps[a][1]].capitalize(),
            (a,),
        )
        for a in state.legal_actions(player)
    ]
    return Turn((Subject("Your ballot", None, None, tuple(entries), None),))


def unit_words(game: Game, unit: Unit) -> str:
    """Return a unit in words: "Boat bunch at Puna"."""
    kind = ("Army", "Boat bunch", "Fleet")[unit.kind]
    return f"{kind} at {place_words(game, game.options.board.places[unit.place])}"


def place_words(game: Game, place: str) -> str:
    """Return a place in words: "Makanalua (n)"."""
    space, _, coast = place.partition("/")
    name = game.ruleset.spaces[game.options.board.index[space]].name
    return f"{name} ({coast})" if coast else name


def _orders(state: State, player: int) -> Iterator[Subject]:
    """Yield unit by unit, in the order in which they are asked for; the last one is not entered."""
    game, own = cast(Game, state.game), state.clone()
    act, turn, power = game.options.actions, state.sealed_turn, state.power_of(player)
    while own.current_player == player and own.sealed_turn == turn:
        unit = own.asked_unit()
        entries: list[Entry] = []
        for first in own.legal_actions(player):
            if act.steps[first][0] not in (SUPPORT, CONVOY):
                entries.append(_entry(game, state, unit, (first,), first, -1))
                continue
            half = own.clone(trace=True)
            half.apply(first)
            if half.current_player == player and half.record.half[power] == first:
                entries += [_entry(game, state, unit, (first, two), first, two) for two in half.legal_actions(player)]
            else:  # there is one second half only, which is not asked for
                made = [event for event in half.trace or () if isinstance(event, Decision) and event.forced]
                entries.append(_entry(game, state, unit, (first,), first, made[0].action))
        place = game.options.board.places[unit.place]
        usual = next(n for n, entry in enumerate(entries) if entry.order == Order(HOLD))
        yield Subject(unit_words(game, unit), place, unit, tuple(entries), usual)
        own.apply(entries[usual].actions[0])


def _entry(game: Game, state: State, unit: Unit, actions: tuple[int, ...], first: int, second: int) -> Entry:
    """Return an order from the actions that enter it."""
    board, act, units = game.options.board, game.options.actions, state.record.units
    kind, value = act.steps[first]
    own, source, group = board.places[unit.place], ARMY, GROUPS[kind]
    space = board.space_of[unit.place]
    if kind in (SUPPORT, CONVOY):
        what, goal = act.steps[second]
        order = Order(kind, value, value if what == STAY else goal)
        source = units[value].kind
        helped, where = (place_words(game, board.spaces[space]) for space in (value, goal if what != STAY else value))
        label = f"{helped} to stay" if what == STAY else f"{helped} to {where}"
        if kind == CONVOY:  # few units have many goals
            group, label = f"{group} {helped} to", where
        burns = kind == SUPPORT and unit.kind == BUNCH and board.inland[unit.place] >> order.target & 1
        path = (board.spaces[value],) if what == STAY else (board.spaces[value], board.spaces[goal])
    else:
        target = {act.boats(p): p for p in (board.bare[space], *board.coasts[space])}[first] if kind == BOATS else value
        order = Order(kind, -1, target) if kind not in (HOLD, POST) else Order(kind)
        named = kind in (MOVE, VIA) or (kind == BOATS and board.coasts[space])
        label = place_words(game, board.places[target]) if named else {HOLD: "Hold"}.get(kind, "here")
        burns = kind == MOVE and unit.kind == BUNCH and board.inland[unit.place] >> board.space_of[target] & 1
        path = (board.places[target],) if kind in (MOVE, VIA) else (own,)
    if burns:  # a support speaks of another unit: say whose boats
        label += f" ({place_words(game, own) + ' ' if kind == SUPPORT else ''}burns its boats)"
    return Entry(order_text(board, unit, order, source), group, label, actions, path, order)


def _retreats(state: State, player: int) -> Iterator[Subject]:
    game, own = cast(Game, state.game), state.clone()
    board, act, turn = game.options.board, game.options.actions, state.sealed_turn
    while own.current_player == player and own.sealed_turn == turn:
        unit = own.asked_unit()
        entries: list[Entry] = []
        for action in own.legal_actions(player):
            kind, value = act.steps[action]
            if kind == RETREAT:
                place = board.places[value]
                text = f"{unit_text(board, unit)} - {place}"
                entries.append(
                    Entry(text, "Retreat to", place_words(game, place), (action,), (place,), Order(MOVE, -1, value))
                )
            elif kind == DISBAND:
                entries.append(Entry(f"{unit_text(board, unit)} disband", "", "Disband", (action,)))
        yield Subject(f"{unit_words(game, unit)}, dislodged", board.places[unit.place], unit, tuple(entries), None)
        own.apply(entries[-1].actions[0])


def _winter(state: State, player: int) -> Turn:
    game = cast(Game, state.game)
    board, act, need = game.options.board, game.options.actions, state.need(state.power_of(player))
    subjects: list[Subject] = []
    end: tuple[int, ...] = ()
    for action in state.legal_actions(player):
        kind, space = act.steps[action]
        if kind == DONE:
            end = (action,)
            continue
        name, place = place_words(game, board.spaces[space]), board.spaces[space]
        if kind == BUILD:
            text = f"build A {place}"
            both = (
                Entry("nothing", "", "Nothing", ()),
                Entry(text, "", "Build an army", (action,), (place,), Order(HOLD), True),
            )
            subjects.append(Subject(name, place, None, both, 0))
        elif kind == REMOVE:
            unit = state.record.units[space]
            both = (
                Entry("keep", "", "Keep it", ()),
                Entry(f"remove {unit_text(board, unit)}", "", "Remove it", (action,), (place,), None, True),
            )
            subjects.append(Subject(unit_words(game, unit), place, unit, both, 0))
    if need > 0:
        return Turn(tuple(subjects), 0, min(need, len(subjects)), end)
    return Turn(tuple(subjects), -need, -need)


def read_typed(state: State, player: int, text: str) -> tuple[int, int]:
    """Return the indices of subject and entry in a player's turn that a typed text names: an order in the usual
    notation; ``disband puna``, ``build puna``, ``remove puna``, ``vote heart``.

    Raises:
        StateError: it is not an order, or names no space.
        IllegalActionError: nothing such can be entered now; the message says what can.
    """
    game, turn = cast(Game, state.game), turn_of(state, player)
    board, names = game.options.board, game.names
    verb, _, rest = " ".join(text.split()).partition(" ")
    if state.phase not in ("orders", "retreats"):
        return _read_other(game, turn, text, verb.lower(), rest)
    if state.phase == "retreats":
        wanted = verb.lower() if verb.lower() in ("disband", "remove") else rest.rpartition(" ")[2].lower()
        if wanted in ("disband", "disbands", "d"):
            place = rest if verb.lower() == "disband" else text.rsplit(" ", 1)[0]
            space = names.space(place.partition(" ")[2] if place[:2].upper() in ("A ", "B ", "F ") else place)
            for n, subject in enumerate(turn.subjects):
                if subject.unit is not None and board.space_of[subject.unit.place] == space:
                    return n, len(subject.entries) - 1
            raise IllegalActionError(f"{show_value(text)}: no unit of yours is dislodged in {board.spaces[space]}")
    typed = typed_order(names, text)
    for n, subject in enumerate(turn.subjects):
        assert subject.unit is not None
        if board.space_of[subject.unit.place] != board.space_of[typed.place]:
            continue
        _check_kinds(board, state, typed, subject.unit, text)
        found = [k for k, e in enumerate(subject.entries) if e.order and fits(board, typed, subject.unit, e.order)]
        if len(found) == 1:
            return n, found[0]
        if found:
            raise IllegalActionError(
                f"{show_value(text)}: name a coast: {', '.join(subject.entries[k].text for k in found)}"
            )
        raise IllegalActionError(_why_not(state, typed, subject, text))
    mine = nearest(unit_text(board, subject.unit) for subject in turn.subjects if subject.unit is not None)
    raise IllegalActionError(
        f"{show_value(text)}: no unit of yours is asked for in {board.places[typed.place]}; you have {mine}"
    )


def _read_other(game: Game, turn: Turn, text: str, verb: str, rest: str) -> tuple[int, int]:
    """Return a ballot, a build, a removal."""
    for n, subject in enumerate(turn.subjects):
        for k, entry in enumerate(subject.entries):
            if not entry.actions:
                continue
            kind = game.options.actions.steps[entry.actions[0]][0]
            if kind == VOTE and verb == "vote" and entry.text == f"vote {rest.lower()}":
                return n, k
            if (kind, verb) in ((BUILD, "build"), (REMOVE, "remove")):
                name = rest[2:] if rest[:2].upper() in ("A ", "B ") else rest
                if game.options.board.spaces[game.names.space(name)] == subject.place:
                    return n, k
    there = nearest(entry.text for subject in turn.subjects for entry in subject.entries if entry.actions)
    raise IllegalActionError(f"{show_value(text)} cannot be entered now; there are: {there}")


def _check_kinds(board: Board, state: State, typed: Typed, unit: Unit, text: str) -> None:
    """See that typed kinds are those of the units."""
    words = ("an army", "a boat bunch", "a fleet")
    if typed.kind >= 0 and typed.kind != unit.kind:
        raise IllegalActionError(
            f"{show_value(text)}: the unit in {board.places[unit.place]} is {words[unit.kind]}, {KINDS[unit.kind]}"
        )
    if typed.order.verb in (SUPPORT, CONVOY):
        helped = state.record.units.get(typed.order.source)
        where = board.spaces[typed.order.source]
        if helped is None:
            raise IllegalActionError(f"{show_value(text)}: no unit is in {where}")
        if typed.source >= 0 and typed.source != helped.kind:
            raise IllegalActionError(
                f"{show_value(text)}: the unit in {where} is {words[helped.kind]}, {KINDS[helped.kind]}"
            )


def _why_not(state: State, typed: Typed, subject: Subject, text: str) -> str:
    """Return why a unit cannot have an order, and what it can do instead of that."""
    board = state.game.options.board
    orders = [(entry, entry.order) for entry in subject.entries if entry.order is not None]
    alike = [entry.text for entry, order in orders if order.verb == typed.order.verb]
    if typed.order.verb == MOVE:
        goal = board.space_of[typed.order.target]
        by = [e.text for e, order in orders if order.verb == VIA and board.space_of[order.target] == goal]
        if by:
            return f"{show_value(text)}: it does not go there by itself, but by convoy: {nearest(by)} [R-08]"
    assert subject.unit is not None
    refusal = f"{show_value(text)}: {why_not_typed(board, state.record, subject.unit, typed.order)}"
    if alike:
        return f"{refusal}; of that kind are: {nearest(alike)}"
    return f"{refusal}: the unit can {nearest(sorted({order_words(order) for _, order in orders}))}"


def order_words(order: Order) -> str:
    """Return what kind of order one is."""
    return {
        HOLD: "hold",
        MOVE: "move",
        VIA: "go by convoy",
        SUPPORT: "support",
        CONVOY: "convoy",
        BOATS: "build boats",
    }.get(order.verb, "build a post")
