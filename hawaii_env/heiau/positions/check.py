"""A whole state from outside, number by number: compiled rules trust their states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from hawaii_env.errors import StateError
from hawaii_env.heiau.options import Options
from hawaii_env.heiau.positions.record import SEALED_PHASES
from hawaii_env.heiau.rules.actions import STAY
from hawaii_env.heiau.rules.board import ARMY, BUNCH, FLEET
from hawaii_env.heiau.rules.ending import REASONS
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VERBS, VIA
from hawaii_env.heiau.rules.state import ORDERS, OVER, PHASES, RETREATS, STAND, STATE, UNDECIDED, PlainState

__all__ = ["check_words"]

MOST_SHARES = 1 << 20


def _wrong(where: str, what: str, told: object) -> NoReturn:
    raise StateError(f"{where}: {what}: {told} cannot be")


def check_words(options: Options, mode: Any, tables: Any, words: Sequence[int], where: str) -> None:
    """Check a state's numbers: each in its range, units where such can be, orders that are possible, and somebody who
    has something to enter where the game goes on.

    Args:
        options: the game's.
        mode, tables: the rules that are asked.
        words: the numbers.
        where: what the message begins with.

    Raises:
        StateError: the rules could not go on from it.
    """
    if len(words) != STATE.words + STAND.words * len(options.board.spaces):
        raise StateError(f"{where}: {len(words)} numbers: is it of another version?")
    state = PlainState.read(words)
    _check_head(options, state.head, where)
    fleets = [0] * options.powers
    for space in range(len(options.board.spaces)):
        _check_space(options, state, space, where, fleets)
    for power, count in enumerate(fleets):
        if count > sum(unit.kind == FLEET for unit in options.scenario.powers[power].units):
            _wrong(where, f"fleets of {options.scenario.powers[power].id} [Fleets]", count)
    _check_turn(options, mode, tables, mode.load(words), state, where)


def _check_head(options: Options, head: Any, where: str) -> None:
    """The record of the whole game."""
    n, europeans, choices = options.powers, options.scenario.europeans, len(options.scenario.ballot)
    ballot = int(choices > 0)
    ranges: dict[str, tuple[int, int]] = {
        "year": (1, options.last_year), "season": (0, 1), "phase": (0, len(PHASES) - 1), "setup": (-1, choices - 1),
        "assigned": (0, n), "assignment": (0, len(head.assignment) - 1), "counted": (0, ballot),
        "recounted": (0, ballot), "ballots": (-1, choices - 1), "second": (-1, choices - 1), "unbuilt": (0, 1),
        "opened": (0, 1), "vote": (-1, choices - 1),
        "half": (-1, len(options.actions.steps) - 1), "steps": (0, len(options.board.spaces)), "done": (0, 1),
        "asked": (0, n), "queue": (0, len(head.queue) - 1), "unsettled": (0, 1), "weight": (0, MOST_SHARES),
        "reason": (0, len(REASONS) - 1), "most": (0, len(options.board.spaces)),
    }  # fmt: skip
    for name in STATE.names:
        value = getattr(head, name)
        low, high = ranges[name]
        if not all(low <= one <= high for one in (value if isinstance(value, list) else [value])):
            _wrong(where, name, value)
    phase = PHASES[head.phase]
    if (phase in ("ballot", "setup") and not ballot) or (phase == "assignment" and not options.random_powers):
        _wrong(where, "phase", phase)
    given = head.assignment[: head.assigned]
    if len(set(given)) != len(given) or any(power >= n for power in given):
        _wrong(where, "assignment", given)
    if any(power in head.queue[:k] or power >= n for k, power in enumerate(head.queue[: head.asked])):
        _wrong(where, "queue", head.queue[: head.asked])
    if any(head.unbuilt[power] and power not in europeans for power in range(n)):
        _wrong(where, "unbuilt", head.unbuilt)
    for action in head.half:
        if action >= 0 and options.actions.steps[action][0] not in (SUPPORT, CONVOY):
            _wrong(where, "half", action)


def _check_space(options: Options, state: PlainState, space: int, where: str, fleets: list[int]) -> None:
    """The record of one space; its fleet is counted."""
    board, at, n = options.board, state.spaces[space], options.powers
    where = f"{where}: {board.spaces[space]}"
    for kinds in (("kind", "power", "place"), ("out_kind", "out_power", "out_place"), ("last_kind", "last_power",
                  "last_place")):  # fmt: skip
        kind, power, place = (getattr(at, name) for name in kinds)
        if (kind, power, place) == (-1, -1, -1):
            continue
        stands = 0 <= kind <= FLEET and 0 <= power < n and 0 <= place < len(board.places)
        if not stands or board.space_of[place] != space or not board.can_stand(kind, place):
            _wrong(where, kinds[0].removesuffix("kind") + "unit", (kind, power, place))
        if kind == FLEET and kinds[0] != "last_kind":
            fleets[power] += 1
    supply = board.heiaus >> space & 1 or at.post == 1
    if at.post not in (0, 1) or (at.post == 1 and (board.heiaus >> space & 1 or board.kind[space] != "coast")):
        _wrong(where, "post [Post]", at.post)
    if not -1 <= at.owner < (n if supply else 0):
        _wrong(where, "owner", at.owner)
    flags = (at.contested, at.success, at.dislodged, at.burned)
    if any(flag not in (0, 1) for flag in flags) or not -1 <= at.last_aided <= FLEET:
        _wrong(where, "contested, success, dislodged, burned, aided", (*flags, at.last_aided))
    retreats = state.head.phase == RETREATS
    if not -1 <= at.out_from < len(board.spaces) or (not retreats and (at.out_kind >= 0 or at.contested)):
        _wrong(where, "dislodged or contested", (at.out_kind, at.out_from, at.contested))
    if not UNDECIDED <= at.retreat < len(board.places) or not 0 <= at.step <= len(board.spaces):
        _wrong(where, "retreat or step", (at.retreat, at.step))
    adjusted = at.kind in (ARMY, BUNCH) or (at.kind < 0 and at.owner >= 0)
    if at.step and not (adjusted and PHASES[state.head.phase] == "adjustments"):
        _wrong(where, "build or removal", at.step)
    for order in ((at.verb, at.source, at.target), (at.last_verb, at.last_source, at.last_target)):
        if not _is_order(options, *order):
            _wrong(where, "order", order)
    if (at.last_kind < 0) != (at.last_verb < 0):
        _wrong(where, "last order", at.last_verb)


def _is_order(options: Options, verb: int, source: int, target: int) -> bool:
    """The numbers are those of an order, or of none."""
    spaces, places = len(options.board.spaces), len(options.board.places)
    if verb in (SUPPORT, CONVOY):
        return 0 <= source < spaces and 0 <= target < spaces
    if verb in (MOVE, VIA, BOATS):
        return source == -1 and 0 <= target < places
    return -1 <= verb < len(VERBS) and verb in (-1, HOLD, POST) and (source, target) == (-1, -1)


def _check_turn(options: Options, mode: Any, tables: Any, state: Any, plain: PlainState, where: str) -> None:
    """What is entered is possible, and who is asked has a choice."""
    head = plain.head
    if head.phase == ORDERS:
        for space, at in enumerate(plain.spaces):
            if at.verb >= 0:
                possible = at.kind >= 0 and mode.is_possible(
                    tables, state, space, at.verb, at.source, at.target, head.unbuilt[at.power]
                )
                if not possible:
                    _wrong(f"{where}: {options.board.spaces[space]}", "entered order", (at.verb, at.source, at.target))
    if head.phase == RETREATS:
        for space, at in enumerate(plain.spaces):
            reached = options.board.moves[at.out_kind][at.out_place] if at.out_kind >= 0 else ()
            if at.retreat >= 0 and at.retreat not in reached:
                _wrong(f"{where}: {options.board.spaces[space]}", "retreat", at.retreat)
    if PHASES[head.phase] in SEALED_PHASES:
        room = mode.room(len(options.actions.steps))
        for power in head.queue[: head.asked]:
            if head.half[power] >= 0 and (head.phase != ORDERS or not _halved(options, plain, power)):
                _wrong(where, "half", head.half[power])
            if mode.list_legal(tables, state, power, room) < 1:
                _wrong(where, "queue", options.scenario.powers[power].id)
        if head.asked == 0:
            _wrong(where, "asked", 0)
    elif head.phase == OVER and head.asked:
        _wrong(where, "asked", head.asked)


def _halved(options: Options, plain: PlainState, power: int) -> bool:
    """The first half of an order names a space with a unit."""
    kind, source = options.actions.steps[plain.head.half[power]]
    return kind < STAY and plain.spaces[source].kind >= 0
