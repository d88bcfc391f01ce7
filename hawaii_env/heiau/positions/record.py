"""A position as Python data, by indices: what views, pictures and agents read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hawaii_env.heiau.options import Options
from hawaii_env.heiau.rules.actions import BUILD, DISBAND, DONE, REMOVE, RETREAT, STAY, TO, VOTE
from hawaii_env.heiau.rules.board import Unit
from hawaii_env.heiau.rules.ending import reason_text
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, SUPPORT, Order
from hawaii_env.heiau.rules.state import EMPTY, PHASES, STAND, STATE, UNDECIDED
from hawaii_env.heiau.rules.tables import MAX_POWERS

__all__ = ["CHANCE_PHASES", "SEALED_PHASES", "Record", "Report", "record_of", "words_of"]

SEALED_PHASES, CHANCE_PHASES = PHASES[:4], PHASES[4:6]


class Report(NamedTuple):
    """What became of one order of the last movement phase: public [4.5 of the design].

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


def record_of(options: Options, words: Sequence[int]) -> Record:
    """Return the record of a state's numbers."""
    n = STAND.words  # all its fields are single numbers, so a list of them is the record: faster than `read_all`
    head = STATE.read(words[: STATE.words])
    spaces = [STAND.plain(words[k : k + n]) for k in range(STATE.words, len(words), n)]
    n, phase = options.powers, PHASES[head.phase]
    found = Record(head.year, head.season, phase)
    found.setup, found.assignment = head.setup, tuple(head.assignment[: head.assigned])
    found.unbuilt = frozenset(power for power in range(n) if head.unbuilt[power])
    found.ballots = tuple(head.ballots[:n]) if head.counted else ()
    found.second = tuple(head.second[:n]) if head.recounted else ()
    last: list[Report] = []
    for space, at in enumerate(spaces):
        if at.kind >= 0:
            found.units[space] = Unit(at.kind, at.power, at.place)
        if at.owner >= 0:
            found.owners[space] = at.owner
        if at.out_kind >= 0:
            found.dislodged[space] = Unit(at.out_kind, at.out_power, at.out_place), at.out_from
        found.posts |= at.post << space
        found.contested |= at.contested << space
        if at.last_kind >= 0:
            unit = Unit(at.last_kind, at.last_power, at.last_place)
            order = Order(at.last_verb, at.last_source, at.last_target)
            last.append(Report(unit, order, at.last_aided, bool(at.success), bool(at.dislodged), bool(at.burned)))
    found.last = tuple(last)
    if head.opened:
        _entries(options, found, head, spaces)
    if phase == "over":
        total = sum(head.weight) or 1
        found.shares = tuple(weight / total for weight in head.weight[:n])
        found.reason = reason_text(head.reason, head.most, options.last_year)
    return found


def _entries(options: Options, found: Record, head: Any, spaces: Sequence[Any]) -> None:
    """What has been entered in the running turn, from where it is noted."""
    n, act = options.powers, options.actions
    found.entered, found.chosen = [[] for _ in range(n)], [[] for _ in range(n)]
    found.half, found.queue = list(head.half[:n]), list(head.queue[: head.asked])
    steps: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for space, at in enumerate(spaces):
        if at.kind >= 0 and at.verb >= 0:
            order = Order(at.verb, at.source, at.target)
            found.chosen[at.power].append(order)
            found.entered[at.power] += _actions(options, order)
        if at.out_kind >= 0 and at.retreat != UNDECIDED:
            action = act.of(DISBAND) if at.retreat < 0 else act.of(RETREAT, at.retreat)
            found.entered[at.out_power].append(action)
        if at.step:
            built = at.kind < 0
            steps[at.owner if built else at.power].append((at.step, act.of(BUILD if built else REMOVE, space)))
    for power in range(n):
        found.entered[power] += [action for _, action in sorted(steps[power])]
        found.entered[power] += [act.of(DONE)] * head.done[power]
        if head.half[power] >= 0:
            found.entered[power].append(head.half[power])
        if head.vote[power] >= 0:
            found.entered[power].append(act.of(VOTE, head.vote[power]))


def _actions(options: Options, order: Order) -> list[int]:
    """The actions that enter an order."""
    act = options.actions
    if order.verb in (SUPPORT, CONVOY):
        second = act.of(STAY) if order.target == order.source else act.of(TO, order.target)
        return [act.of(order.verb, order.source), second]
    if order.verb == BOATS:
        return [act.boats(order.target)]
    return [act.of(order.verb, order.target)]


def words_of(options: Options, record: Record) -> list[int]:
    """Return a state's numbers: all of a record but what is entered, and how the game ended."""
    n = options.powers
    head = STATE.read([0] * STATE.words)
    head.year, head.season, head.phase, head.setup = (
        record.year,
        record.season,
        PHASES.index(record.phase),
        record.setup,
    )
    head.assigned = len(record.assignment)
    head.counted, head.recounted = int(len(record.ballots) > 0), int(len(record.second) > 0)
    for name, values, rest in (
        ("assignment", record.assignment, 0),
        ("ballots", record.ballots, -1),
        ("second", record.second, -1),
        ("unbuilt", [int(power in record.unbuilt) for power in range(n)], 0),
        ("vote", (), -1),
        ("half", (), -1),
    ):
        setattr(head, name, [*values, *[rest] * (MAX_POWERS - len(values))])
    spaces = [STAND.plain(EMPTY) for _ in options.board.spaces]
    for space, unit in record.units.items():
        spaces[space].kind, spaces[space].power, spaces[space].place = unit
    for space, owner in record.owners.items():
        spaces[space].owner = owner
    for space, (unit, by) in record.dislodged.items():
        at = spaces[space]
        at.out_kind, at.out_power, at.out_place = unit
        at.out_from = by
    for report in record.last:
        at = spaces[options.board.space_of[report.unit.place]]
        at.last_kind, at.last_power, at.last_place = report.unit
        at.last_verb, at.last_source, at.last_target = report.order
        at.last_aided, at.success = report.source, int(report.success)
        at.dislodged, at.burned = int(report.dislodged), int(report.burned)
    found = STATE.write(head)
    for space, at in enumerate(spaces):
        at.post, at.contested = record.posts >> space & 1, record.contested >> space & 1
        found += at
    return found
