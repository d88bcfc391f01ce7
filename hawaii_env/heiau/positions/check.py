"""A whole state from outside, number by number: compiled rules trust their states."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NoReturn

from hawaii_env.errors import StateError
from hawaii_env.heiau.options import Options
from hawaii_env.heiau.positions.record import SEALED_PHASES
from hawaii_env.heiau.rules.actions import STAY
from hawaii_env.heiau.rules.board import ARMY, BUNCH, FLEET
from hawaii_env.heiau.rules.ending import REASONS
from hawaii_env.heiau.rules.legal import list_legal
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VERBS, VIA, is_possible
from hawaii_env.heiau.rules.state import ORDERS, OVER, PHASES, RETREATS, SPACE, UNDECIDED

__all__ = ["check_state"]

MOST_SHARES = 1 << 20


def _wrong(where: str, what: str, told: object) -> NoReturn:
    raise StateError(f"{where}: {what}: {told} cannot be")


def check_state(options: Options, tables: Any, state: Any, where: str) -> None:
    """Check an interpreted state: each number in its range, units where such can be, orders that are possible, and
    somebody who has something to enter while the game goes on.

    Args:
        options: the game's.
        tables: the interpreted tables.
        state: the state; what may be entered next is listed in it.
        where: what the message begins with.

    Raises:
        StateError: the rules could not go on from it.
    """
    sizes = state.spaces, len(state.kind), len(state.legal)
    if sizes != (len(options.board.spaces), len(options.board.spaces), len(options.actions.steps)):
        raise StateError(f"{where}: {sizes} spaces and actions: is it of another version?")
    _check_head(options, state, where)
    fleets = [0] * options.powers
    for space in range(state.spaces):
        _check_space(options, state, space, where, fleets)
    for power, count in enumerate(fleets):
        if count > sum(unit.kind == FLEET for unit in options.scenario.powers[power].units):
            _wrong(where, f"fleets of {options.scenario.powers[power].id} [Fleets]", count)
    _check_turn(options, tables, state, where)


def _check_head(options: Options, head: Any, where: str) -> None:
    """Check what is of the whole game."""
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
    for name in ranges:
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


def _check_space(options: Options, state: Any, space: int, where: str, fleets: list[int]) -> None:
    """Check the columns of one space; its fleet is counted."""
    board, n = options.board, options.powers
    at = SimpleNamespace(**{name: getattr(state, name)[space] for name in SPACE})
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
    retreats = state.phase == RETREATS
    if not -1 <= at.out_from < len(board.spaces) or (not retreats and (at.out_kind >= 0 or at.contested)):
        _wrong(where, "dislodged or contested", (at.out_kind, at.out_from, at.contested))
    if not UNDECIDED <= at.retreat < len(board.places) or not 0 <= at.step <= len(board.spaces):
        _wrong(where, "retreat or step", (at.retreat, at.step))
    adjusted = at.kind in (ARMY, BUNCH) or (at.kind < 0 and at.owner >= 0)
    if at.step and not (adjusted and PHASES[state.phase] == "adjustments"):
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


def _check_turn(options: Options, tables: Any, state: Any, where: str) -> None:
    """Check that what is entered is possible, and that who is asked has a choice."""
    for space in range(state.spaces):
        name = f"{where}: {options.board.spaces[space]}"
        if state.phase == ORDERS and state.verb[space] >= 0:
            order = state.verb[space], state.source[space], state.target[space]
            unbuilt = state.unbuilt[state.power[space]]
            if state.kind[space] < 0 or not is_possible(tables, state, space, *order, unbuilt, 0):
                _wrong(name, "entered order", order)
        if state.phase == RETREATS and state.retreat[space] >= 0:
            there = state.out_kind[space] >= 0
            reached = options.board.moves[state.out_kind[space]][state.out_place[space]] if there else ()
            if state.retreat[space] not in reached:
                _wrong(name, "retreat", state.retreat[space])
    if PHASES[state.phase] in SEALED_PHASES:
        for power in state.queue[: state.asked]:
            if state.half[power] >= 0 and (state.phase != ORDERS or not _halved(options, state, power)):
                _wrong(where, "half", state.half[power])
            if list_legal(tables, state, power, state.legal) < 1:
                _wrong(where, "queue", options.scenario.powers[power].id)
        if state.asked == 0:
            _wrong(where, "asked", 0)
    elif state.phase == OVER and state.asked:
        _wrong(where, "asked", state.asked)


def _halved(options: Options, state: Any, power: int) -> bool:
    """Return True if the first half of an order names a space with a unit."""
    kind, source = options.actions.steps[state.half[power]]
    return kind < STAY and state.kind[source] >= 0
