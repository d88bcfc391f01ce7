"""A position as Python data, by indices: what views, pictures and agents read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from hawaii_env.errors import StateError
from hawaii_env.heiau.options import Options
from hawaii_env.heiau.rules.actions import BUILD, DISBAND, DONE, REMOVE, RETREAT, STAY, TO, VOTE
from hawaii_env.heiau.rules.board import Unit
from hawaii_env.heiau.rules.ending import REASONS, reason_text
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, SUPPORT, Order
from hawaii_env.heiau.rules.state import PHASES, UNDECIDED, new_state
from hawaii_env.heiau.rules.tables import MAX_POWERS

__all__ = ["CHANCE_PHASES", "SEALED_PHASES", "Record", "Report", "record_of", "state_of"]

SEALED_PHASES, CHANCE_PHASES = PHASES[:4], PHASES[4:6]


class Report(NamedTuple):
    """The result of one order of the last movement phase: public [4.5 of the design].

    Attributes:
        unit: the unit as the phase began.
        order: its order.
        source: the kind of the unit that it supported or convoyed, as the phase began; -1 where there was none.
        success, dislodged, burned: see `hawaii_env.heiau.adjudicator.Resolution`.
    """

    unit: Unit
    order: Order
    source: int
    success: bool
    dislodged: bool
    burned: bool


@dataclass
class Record:
    """One position, everything hidden in it. It is a copy: changing it changes no game.

    Attributes:
        year, season, phase: when it is; season 0 is Spring, 1 Fall.
        units: by space, in table order.
        owners: the owner of each heiau or post that has one, by space.
        posts: mask of the spaces with a post.
        unbuilt: powers whose post is unbuilt.
        dislodged: units that may retreat, by the space where they stood, with the space that they cannot go to, or -1.
        contested: mask of contested spaces, in retreats.
        last: reports of the last movement phase, in table order.
        ballots, second: votes by power (-1 not known), empty before they are counted.
        setup: the start that the ballot has chosen, an index of `Options.starts`; -1 not known, or no ballot.
        assignment: the power of each player, as far as it is drawn.
        entered: actions of the running sealed turn, by power.
        chosen: of those, the orders that are whole, by power.
        half: the first half of an order that waits for its second, by power; -1 none.
        queue: powers that have still to enter something, in the order of asking.
        shares, reason: how the game ended.
    """

    year: int = 1
    season: int = 0
    phase: str = "orders"
    units: dict[int, Unit] = field(default_factory=dict[int, Unit])
    owners: dict[int, int] = field(default_factory=dict[int, int])
    posts: int = 0
    unbuilt: frozenset[int] = frozenset()
    dislodged: dict[int, tuple[Unit, int]] = field(default_factory=dict[int, "tuple[Unit, int]"])
    contested: int = 0
    last: tuple[Report, ...] = ()
    ballots: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    setup: int = -1
    assignment: tuple[int, ...] = ()
    entered: list[list[int]] = field(default_factory=list["list[int]"])
    chosen: list[list[Order]] = field(default_factory=list["list[Order]"])
    half: list[int] = field(default_factory=list[int])
    queue: list[int] = field(default_factory=list[int])
    shares: tuple[float, ...] = ()
    reason: str = ""


def record_of(options: Options, state: Any) -> Record:
    """Return the record of an interpreted state."""
    n, phase = options.powers, PHASES[state.phase]
    found = Record(state.year, state.season, phase)
    found.setup, found.assignment = state.setup, tuple(state.assignment[: state.assigned])
    found.unbuilt = frozenset(power for power in range(n) if state.unbuilt[power])
    found.ballots = tuple(state.ballots[:n]) if state.counted else ()
    found.second = tuple(state.second[:n]) if state.recounted else ()
    last: list[Report] = []
    for space in range(state.spaces):
        if state.kind[space] >= 0:
            found.units[space] = Unit(state.kind[space], state.power[space], state.place[space])
        if state.owner[space] >= 0:
            found.owners[space] = state.owner[space]
        if state.out_kind[space] >= 0:
            unit = Unit(state.out_kind[space], state.out_power[space], state.out_place[space])
            found.dislodged[space] = unit, state.out_from[space]
        found.posts |= state.post[space] << space
        found.contested |= state.contested[space] << space
        if state.last_kind[space] >= 0:
            unit = Unit(state.last_kind[space], state.last_power[space], state.last_place[space])
            order = Order(state.last_verb[space], state.last_source[space], state.last_target[space])
            results = (bool(flags[space]) for flags in (state.success, state.dislodged, state.burned))
            last.append(Report(unit, order, state.last_aided[space], *results))
    found.last = tuple(last)
    if state.opened:
        _entries(options, found, state)
    if phase == "over":
        total = sum(state.weight) or 1
        found.shares = tuple(weight / total for weight in state.weight[:n])
        found.reason = reason_text(state.reason, state.most, options.last_year)
    return found


def _entries(options: Options, found: Record, state: Any) -> None:
    """Read what has been entered in the running turn from where it is noted."""
    n, act = options.powers, options.actions
    found.entered, found.chosen = [[] for _ in range(n)], [[] for _ in range(n)]
    found.half, found.queue = list(state.half[:n]), list(state.queue[: state.asked])
    steps: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for space in range(state.spaces):
        if state.kind[space] >= 0 and state.verb[space] >= 0:
            order = Order(state.verb[space], state.source[space], state.target[space])
            found.chosen[state.power[space]].append(order)
            found.entered[state.power[space]] += _actions(options, order)
        retreat = state.retreat[space]
        if state.out_kind[space] >= 0 and retreat != UNDECIDED:
            action = act.of(DISBAND) if retreat < 0 else act.of(RETREAT, retreat)
            found.entered[state.out_power[space]].append(action)
        if state.step[space]:
            built = state.kind[space] < 0
            power = state.owner[space] if built else state.power[space]
            steps[power].append((state.step[space], act.of(BUILD if built else REMOVE, space)))
    for power in range(n):
        found.entered[power] += [action for _, action in sorted(steps[power])]
        found.entered[power] += [act.of(DONE)] * state.done[power]
        if state.half[power] >= 0:
            found.entered[power].append(state.half[power])
        if state.vote[power] >= 0:
            found.entered[power].append(act.of(VOTE, state.vote[power]))


def _actions(options: Options, order: Order) -> list[int]:
    """Return the actions that enter an order."""
    act = options.actions
    if order.verb in (SUPPORT, CONVOY):
        second = act.of(STAY) if order.target == order.source else act.of(TO, order.target)
        return [act.of(order.verb, order.source), second]
    if order.verb == BOATS:
        return [act.boats(order.target)]
    return [act.of(order.verb, order.target)]


def state_of(options: Options, record: Record) -> Any:
    """Return an interpreted state: all of a record but what is entered.

    Raises:
        StateError: no game with these options ends for this reason.
    """
    n = options.powers
    state = new_state(len(options.board.spaces), len(options.actions.steps))
    state.year, state.season, state.phase = record.year, record.season, PHASES.index(record.phase)
    state.setup, state.assigned = record.setup, len(record.assignment)
    state.counted, state.recounted = int(len(record.ballots) > 0), int(len(record.second) > 0)
    for name, values, rest in (
        ("assignment", record.assignment, 0),
        ("ballots", record.ballots, -1),
        ("second", record.second, -1),
        ("unbuilt", [int(power in record.unbuilt) for power in range(n)], 0),
        ("vote", (), -1),
        ("half", (), -1),
    ):
        setattr(state, name, [*values, *[rest] * (MAX_POWERS - len(values))])
    for space, unit in record.units.items():
        state.kind[space], state.power[space], state.place[space] = unit
    for space, owner in record.owners.items():
        state.owner[space] = owner
    for space, (unit, by) in record.dislodged.items():
        state.out_kind[space], state.out_power[space], state.out_place[space] = unit
        state.out_from[space] = by
    for report in record.last:
        space = options.board.space_of[report.unit.place]
        state.last_kind[space], state.last_power[space], state.last_place[space] = report.unit
        state.last_verb[space], state.last_source[space], state.last_target[space] = report.order
        state.last_aided[space], state.success[space] = report.source, int(report.success)
        state.dislodged[space], state.burned[space] = int(report.dislodged), int(report.burned)
    for space in range(state.spaces):
        state.post[space], state.contested[space] = record.posts >> space & 1, record.contested >> space & 1
    if record.shares:
        parts = [Fraction(share).limit_denominator(10**6) for share in record.shares]
        unit = math.lcm(*(part.denominator for part in parts))
        state.weight[:n] = [int(part * unit) for part in parts]
        state.reason, state.most = _end_of(options, record.reason)
    return state


def _end_of(options: Options, text: str) -> tuple[int, int]:
    """Return the index of a reason, and the heiaus that it names."""
    most = next((int(word) for word in text.split()[:1] if word.isdecimal() and len(word) < 4), 0)
    for reason in range(len(REASONS)):
        if reason_text(reason, most, options.last_year) == text:
            return reason, most
    known = ", ".join(repr(reason_text(reason, 7, options.last_year)) for reason in range(1, len(REASONS)))
    raise StateError(f"reason: games end as {known}, not {text!r}")
