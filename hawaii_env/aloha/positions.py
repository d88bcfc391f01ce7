"""Positions as frozen values, and made from their fields, with every check that a position written by hand needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from hawaii_env import positions
from hawaii_env.positions import Reader, forbid, whole_number
from hawaii_env.texts import show_value

from .rules import chapters, conflict, epilogue, events, prologue
from .rules.names import (
    ACTION,
    AMOUNT,
    CALAMITY,
    CARDS,
    CHAPTER_1,
    CHAPTER_3,
    CONVERT,
    DECK,
    DIE,
    EPILOGUE,
    EVENT,
    FIRST_PLAYER,
    HAWAIIAN,
    ISLANDS,
    KING,
    MOST_ACTIONS,
    ORDINARY,
    OVER,
    PHASES,
    PROLOGUE,
    PROLOGUE_ACTION,
    RESOURCES,
    SETS,
    SETTLE,
    SLOTS,
    STAGES,
    TITLES,
    VOTE,
    WARRIOR,
)  # fmt: skip
from .rules.state import STATE, chapter_of, on_board, pool

__all__ = ["PlayerView", "View", "read", "view_of"]


@dataclass(frozen=True, slots=True)
class PlayerView:
    """The possessions of a player.

    Attributes:
        points: victory points.
        tokens: Pure Hawaiian tokens on each island, in the order of `rules.names.ISLANDS`.
        actions: Action tokens on each island.
        hawaiian, pool: Pure Hawaiian tokens on the board, and off it [R-02].
        commerce, aloha, warrior, vote: the tracks, and Home Rule tokens.
        cards: Royal Family cards, as ``"chapter_1 oahu"``.
        moves: Prologue actions left.
        converted: conversions made [E1].
    """

    points: int
    tokens: tuple[int, ...]
    actions: tuple[int, ...]
    hawaiian: int
    pool: int
    commerce: int
    aloha: int
    warrior: int
    vote: int
    cards: tuple[str, ...]
    moves: int
    converted: int


@dataclass(frozen=True, slots=True)
class View(positions.View):
    """A position; everything in it is open [R-22].

    Attributes:
        stage: one of `rules.names.STAGES`.
        phase: one of `rules.names.PHASES`.
        to_act: who decides, or None.
        first: who acts first in the stage; None before it is known.
        order: the order of play; in a chapter played by `most_left` the order of ties.
        acted: who acted last in this stage, or None; in the Prologue who settled last, until all have, in the Epilogue
            who finished converting last.
        king: who holds the King/Queen token, or None.
        chiefs: who holds the latest set's card of each island, or None.
        face_up: card numbers by slot, None for an empty one.
        deck: card numbers that are left in the chapter's deck, ascending; their order is not known to anybody.
        migration: the islands left and gone to, while the amount is chosen; else None.
        dice: ``"left"``: dice that each player still has to roll, ``"totals"``: of what has fallen; None outside
            conflicts.
        players: what each player has.
    """

    stage: str
    phase: str
    to_act: str | None
    first: str | None
    order: tuple[str, ...]
    acted: str | None
    king: str | None
    chiefs: tuple[str | None, ...]
    face_up: tuple[int | None, ...]
    deck: tuple[int, ...]
    migration: tuple[str, str] | None
    dice: Mapping[str, tuple[int, ...]] | None
    players: Mapping[str, PlayerView]


def latest_set(state: Any) -> int:
    """[AD] Return the set of Royal Family cards that was given last: before Chapter I, and in it, the Prologue's."""
    if state.phase == OVER:
        return 3
    return max(state.stage - 1, 0) if state.stage < EPILOGUE else 2


def view_of(rules: Any, state: Any, agents: Sequence[str]) -> View:
    """Return the position as a value."""
    n = len(agents)

    def name(index: int) -> str | None:
        return agents[index] if index >= 0 else None

    order: tuple[str, ...] = ()
    if state.first >= 0:
        order = tuple(agents[int(state.order[place])] for place in range(n))
    cards = state.cards_of[latest_set(state)]
    players: dict[str, PlayerView] = {}
    for p in range(n):
        players[agents[p]] = PlayerView(
            points=int(state.points[p]),
            tokens=tuple(int(x) for x in state.tokens[p]),
            actions=tuple(int(x) for x in state.actions[p]),
            hawaiian=int(on_board(state, p)),
            pool=int(pool(rules, state, p)),
            commerce=int(state.tracks[0][p]),
            aloha=int(state.tracks[1][p]),
            warrior=int(state.tracks[2][p]),
            vote=int(state.tracks[3][p]),
            cards=tuple(card for card, holder in zip(CARDS, chain(*state.cards_of), strict=True) if holder == p),
            moves=int(state.moves[p]),
            converted=int(state.converted[p]),
        )
    dice = None
    if state.phase == DIE:
        dice = {
            "left": tuple(int(x) for x in state.dice[:n]),
            "totals": tuple(int(x) for x in state.total[:n]),
        }
    moving = state.phase == AMOUNT
    return View(
        stage=STAGES[state.stage],
        phase=PHASES[state.phase],
        to_act=name(state.decider),
        first=name(state.first),
        order=order,
        acted=name(state.acted),
        king=name(state.king_of),
        chiefs=tuple(name(cards[1 + island]) for island in range(5)),
        face_up=tuple(int(x) or None for x in state.face_up[:SLOTS]),
        deck=tuple(number for number in range(1, DECK + 1) if state.left[number]),
        migration=(ISLANDS[state.origin], ISLANDS[state.destination]) if moving else None,
        dice=dice,
        players=players,
    )


# ---- reading

PHASES_OF: dict[int, tuple[int, ...]] = {
    PROLOGUE: (FIRST_PLAYER, SETTLE, PROLOGUE_ACTION, AMOUNT, DIE),
    1: (KING, EVENT, ACTION, AMOUNT, DIE),
    2: (KING, EVENT, ACTION, AMOUNT, DIE),
    3: (KING, EVENT, ACTION, AMOUNT),
    EPILOGUE: (CONVERT, OVER),
}
MOST_ON_AN_ISLAND = 3


def read(rules: Any, agents: Sequence[str], fields: Mapping[str, Any]) -> Any:
    """Return the interpreted record of a position, without a generator.

    Args:
        rules: the tables.
        agents: names of the players.
        fields: those of a `View`. What follows from others (`to_act`, `king`, `chiefs`, `hawaiian`, `pool`) may be left
            out, and what is empty; where it stands it must agree. So do Action tokens in phase ``"king"``.

    Raises:
        StateError: the position cannot be; the message names the field and the rule.
    """
    state = STATE.new()
    prologue.set_up(rules, state)
    state.generator = [-1] * 8
    reader = Reader(fields)
    stage = state.stage = reader.pick("stage", STAGES)
    phase = state.phase = reader.pick("phase", PHASES)
    forbid(phase not in PHASES_OF[stage], f"phase: the {STAGES[stage]} has no phase {PHASES[phase]!r}")
    state.first = reader.pick("first", agents, None)
    forbid((state.first < 0) != (phase == FIRST_PLAYER), f"first: in phase {PHASES[phase]} it is {_known(phase)}")
    state.acted = reader.pick("acted", agents, None)
    _read_order(rules, state, reader, agents)
    _read_players(rules, state, reader, agents)
    _read_cards(rules, state, reader)
    if _fits(reader, "migration", phase == AMOUNT, "two islands in phase 'amount'"):
        islands = reader.picks("migration", ISLANDS)
        forbid(len(islands) != 2, f"migration: expected two islands, not {len(islands)}")
        state.origin, state.destination = islands
        forbid(state.origin == state.destination, "migration: it leads to another island [C2m]")
    _read_dice(rules, state, reader)
    _read_derived(rules, state, reader, agents)
    reader.end()
    return state


def _known(phase: int) -> str:
    return "not known yet" if phase == FIRST_PLAYER else "known"


def _fits(reader: Reader, key: str, wanted: bool, what: str) -> bool:
    """Return True if a field that only one phase has is to be read."""
    given = reader.given(key)
    forbid(given != wanted, f"{reader.at(key)}: {what}, else None")
    return given


def _read_order(rules: Any, state: Any, reader: Reader, agents: Sequence[str]) -> None:
    order, n = reader.picks("order", agents), len(agents)
    if state.phase == FIRST_PLAYER:
        forbid(order, "order: it is not known before the first player is [P1]")
        return
    if state.stage == PROLOGUE and len(order) == 0:
        order = [(state.first + place) % n for place in range(n)]
    forbid(sorted(order) != list(range(n)), "order: expected every player once")
    state.order[:n] = order
    if state.stage == PROLOGUE:
        clockwise = [(state.first + place) % n for place in range(n)]
        forbid(state.order[:n] != clockwise, "order: in the Prologue clockwise from the first player [P1]")


def _read_players(rules: Any, state: Any, reader: Reader, agents: Sequence[str]) -> None:
    players = reader.table("players", names=agents)
    stage, end = state.stage, rules.track_end
    for p, name in enumerate(agents):
        own = players.table(name)
        placed = "actions" in own
        state.points[p] = own.whole("points", 0, 1000, 0)
        state.tokens[p] = own.wholes("tokens", 5, 0, rules.stock)
        board = on_board(state, p)
        forbid(board > rules.stock, f"{name}: tokens: {board} Pure Hawaiian tokens, a player has {rules.stock} [SU]")
        actions = own.wholes("actions", 5, 0, MOST_ON_AN_ISLAND, (0,) * 5)
        state.actions[p] = actions
        forbid(
            sum(actions) > MOST_ACTIONS, f"{name}: actions: {sum(actions)} Action tokens, {MOST_ACTIONS} at most [AD]"
        )
        forbid(
            any(actions) and (state.phase not in (KING, EVENT, ACTION, AMOUNT) or stage == PROLOGUE),
            f"{name}: actions: there are no Action tokens in phase {PHASES[state.phase]} of {STAGES[stage]} [AD]",
        )
        for resource in range(1, 5):
            state.tracks[resource - 1][p] = own.whole(RESOURCES[resource], 0, end, 0)
        warriors, votes = state.tracks[WARRIOR - 1][p], state.tracks[VOTE - 1][p]
        forbid(warriors != 0 and stage >= CHAPTER_3, f"{name}: warrior: there are none from Chapter III on [C2w, R-10]")
        forbid(votes != 0 and stage < CHAPTER_3, f"{name}: vote: there are none before Chapter III [C2r]")
        state.moves[p] = own.whole("moves", 0, rules.moves, 0)
        forbid(
            state.moves[p] != 0 and (state.phase not in (SETTLE, PROLOGUE_ACTION, AMOUNT) or stage != PROLOGUE),
            f"{name}: moves: actions of the Prologue are left in its phases only [P2]",
        )
        state.converted[p] = own.whole("converted", 0, rules.conversions, 0)
        forbid(state.converted[p] != 0 and stage != EPILOGUE, f"{name}: converted: only in the Epilogue [E1]")
        for key, value in (("hawaiian", board), ("pool", rules.stock - board)):
            given = own.whole(key, 0, rules.stock, value)
            forbid(given != value, f"{name}: {key}: {given}, but tokens on the islands make it {value} [R-02]")
        _read_royal(state, own, p, name, agents)
        own.end()
        if state.phase == KING:
            _read_given(state, p, name, placed)


def _read_given(state: Any, p: int, name: str, placed: bool) -> None:
    """[AD] Check that before the King/Queen token is placed, Action tokens lie as they were given: nobody has acted
    yet.
    """
    for island in range(5):
        tokens = chapters.given(state, p, island)
        there = state.actions[p][island]
        forbid(
            placed and there != tokens,
            f"{name}: actions: {there} on {ISLANDS[island]}, where a card or presence gives {tokens} [AD]",
        )
        state.actions[p][island] = tokens


def _read_royal(state: Any, own: Reader, p: int, name: str, agents: Sequence[str]) -> None:
    for index in own.picks("cards", CARDS):
        card, (stage, title) = CARDS[index], divmod(index, len(TITLES))
        holder = state.cards_of[stage][title]
        forbid(holder >= 0, f"{name}: cards: {card} is held by {agents[holder]} already")
        forbid(
            stage > latest_set(state) or state.stage <= PROLOGUE,
            f"{name}: cards: {card} is not given before the end of its stage [P3, C3, E2]",
        )
        state.cards_of[stage][title] = p


def _read_cards(rules: Any, state: Any, reader: Reader) -> None:
    in_play = state.phase in (EVENT, ACTION, AMOUNT) and CHAPTER_1 <= state.stage <= CHAPTER_3
    slots, deck = reader.items("face_up", (None,) * SLOTS), reader.items("deck")
    forbid(len(slots) != SLOTS, f"face_up: expected {SLOTS} slots, None for an empty one, not {show_value(slots)}")
    seen: set[int] = set()
    for slot, number in enumerate([*slots, *deck]):
        where = "face_up" if slot < SLOTS else "deck"
        if number is None and slot < SLOTS:
            continue
        number = whole_number(number, where, 1, DECK)
        forbid(
            not in_play, f"{where}: no event cards lie out in phase {PHASES[state.phase]} of {STAGES[state.stage]} [C2]"
        )
        forbid(number in seen, f"{where}: card {number} is there twice")
        seen.add(number)
        if slot >= SLOTS:
            state.left[number] = 1
            continue
        forbid(
            rules.card_kind[chapter_of(state)][number] == CALAMITY,
            f"face_up: card {number} is a calamity, executed when drawn [C2e]",
        )
        state.face_up[slot] = number
    if in_play:
        empty = events.slot_to_fill(state)
        forbid(empty >= 0 and state.phase != EVENT, "face_up: a slot is empty, and cards are left in the deck [C2e]")
        forbid(
            empty < 0 and state.phase == EVENT, "face_up: phase 'event' draws a card, but no slot is to be filled [C2e]"
        )


def _read_dice(rules: Any, state: Any, reader: Reader) -> None:
    n = rules.players
    if not _fits(reader, "dice", state.phase == DIE, "left and totals in phase 'die'"):
        return
    own = reader.table("dice")
    left, totals = own.wholes("left", n, 0, 3), own.wholes("totals", n, 0, 18)
    own.end()
    forbid(not any(left), "dice: nobody has a die left to roll [P3]")
    roller = next(p for p in range(n) if left[p])
    for p in range(n):
        asked = conflict.dice_of(rules, state, p)
        rolled = asked - left[p]
        out = left[p] == 0 and totals[p] == 0
        forbid(
            not out and (not (0 <= rolled <= totals[p] <= 6 * rolled) or (p > roller and rolled != 0)),
            f"dice: {left[p]} left of {asked} with a total of {totals[p]} cannot be, players roll in order [P3, R-08]",
        )
    forbid(sum(1 for p in range(n) if left[p] or totals[p]) <= 1, "dice: at least two players roll [P3]")
    state.dice[:n], state.total[:n] = left, totals


def _read_derived(rules: Any, state: Any, reader: Reader, agents: Sequence[str]) -> None:
    stage, phase, n = state.stage, state.phase, len(agents)
    if stage > PROLOGUE:
        for index in range(min(stage, 3)):
            forbid(state.cards_of[index][0] < 0, f"cards: nobody holds {SETS[index]} {TITLES[0]} [P3, C3]")
        state.king_of = state.cards_of[min(stage - 1, 2)][0]
    king = reader.pick("king", agents, None)
    forbid(king not in (-1, state.king_of), "king: the King/Queen token goes with the latest monarch's card [P3, C3]")
    if reader.given("chiefs"):
        chiefs = reader.items("chiefs")
        held = [agents[holder] if holder >= 0 else None for holder in state.cards_of[latest_set(state)][1:]]
        forbid(chiefs != held, f"chiefs: by the cards they are {held}, not {show_value(chiefs)}")
    if stage in (1, 2, 3) and phase != KING and not rules.rounds:
        points = [state.points[state.order[place]] for place in range(n)]
        forbid(points != sorted(points, reverse=True), "order: more points come first [TO]")
    if stage in (1, 2, 3) and phase in (EVENT, ACTION, AMOUNT):
        _check_actions(rules, state, agents)
    given = reader.pick("to_act", agents, None)
    decides = _who_decides(rules, state, given)
    forbid(
        given not in (-1, decides),
        f"to_act: {agents[decides] if decides >= 0 else 'nobody'} is to act, not {agents[given]}",
    )
    state.decider = decides
    if phase == SETTLE:
        on = [state.tokens[p][i] for p in range(n) for i in range(5) if state.tokens[p][i]]
        forbid(not all(x == rules.placed for x in on), f"tokens: {rules.placed} of each player settle [P1]")
        settled = [sum(1 for i in range(5) if state.tokens[p][i]) for p in range(n)]
        before = [state.order[place] for place in range(n)]
        upto = before.index(decides) if decides >= 0 else n
        forbid(
            decides < 0 or [settled[p] for p in before] != [1] * upto + [0] * (n - upto),
            "tokens: players settle in order, on an island each [P1]",
        )
    if phase == AMOUNT:
        forbid(state.tokens[decides][state.origin] <= 0, f"migration: no tokens are on {ISLANDS[state.origin]} [C2m]")
        forbid(
            stage != PROLOGUE and state.actions[decides][state.origin] <= 0,
            f"migration: no Action token is on {ISLANDS[state.origin]} [C2m]",
        )


def _check_actions(rules: Any, state: Any, agents: Sequence[str]) -> None:
    """[AD] Check that there are no more Action tokens than were given, the King/Queen token's on one island. Where
    their owner is not present he has left them [R-21]: migrating from there, or paying for an event, took one of them,
    unless a calamity took his last tokens; or a card gave them without presence [R-26].
    """
    cards = state.cards_of[latest_set(state)]
    for p, name in enumerate(agents):
        crown = state.king_of == p
        for island in range(5):
            there, card = state.actions[p][island], cards[1 + island] == p
            present = state.tokens[p][island] > 0
            was_present = present or _struck(rules, state, island)
            most = 2 if card else int(was_present)
            if there > most and crown:
                most, crown = most + 1 if was_present else max(most, 1), False
            why = "are given [AD]" if present else "can be left, as nobody of his is there [AD, R-21]"
            forbid(there > most, f"{name}: actions: {there} on {ISLANDS[island]}, where at most {most} {why}")


def _struck(rules: Any, state: Any, island: int) -> bool:
    """[C2e] Return True if a calamity that is gone may have taken tokens of an island in this chapter."""
    chapter, face_up = chapter_of(state), state.face_up
    for number in range(1, DECK + 1):
        if state.left[number] or number in face_up or rules.card_kind[chapter][number] == ORDINARY:
            continue
        if rules.card_islands[chapter][number][island] and rules.card_pays[chapter][number][HAWAIIAN] > 0:
            return True
    return False


def _who_decides(rules: Any, state: Any, given: int) -> int:
    stage, phase, n = state.stage, state.phase, rules.players
    if phase == SETTLE:
        empty = [state.order[place] for place in range(n) if on_board(state, state.order[place]) == 0]
        return empty[0] if empty else -1
    if phase == PROLOGUE_ACTION or (phase == AMOUNT and stage == PROLOGUE):
        player = prologue.next_mover(rules, state)
        forbid(player < 0, "moves: nobody has an action of the Prologue left [P2]")
        return player
    if phase == KING:
        forbid(on_board(state, state.king_of) <= 0, "king: its holder is present on no island [R-07]")
        return state.king_of
    if phase in (ACTION, AMOUNT):
        player = chapters.next_actor(rules, state)
        forbid(player < 0, "actions: nobody has an Action token left [C2]")
        return player
    if phase == CONVERT:
        forbid(given < 0, "to_act: required in phase 'convert'")
        state.decider = given
        forbid(not epilogue.may_convert(rules, state), "to_act: this player has made all conversions [E1]")
        place = state.order[:n].index(given)
        later = [state.order[i] for i in range(place + 1, n)]
        forbid(any(state.converted[p] for p in later), "converted: players convert in order [E1]")
        return given
    return -1
