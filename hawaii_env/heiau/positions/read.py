"""Positions from data, checked: nothing that cannot be gets in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, cast

from hawaii_env.errors import StateError
from hawaii_env.heiau.options import Options, start_units
from hawaii_env.heiau.positions.record import CHANCE_PHASES, SEALED_PHASES, Record, Report, state_of
from hawaii_env.heiau.positions.view import SEASONS
from hawaii_env.heiau.rules.board import FLEET, Unit, bits
from hawaii_env.heiau.rules.flow import open_turn
from hawaii_env.heiau.rules.legal import enter, hidden, list_legal
from hawaii_env.heiau.rules.state import ORDERS, SETUP
from hawaii_env.heiau.ruleset import read_unit
from hawaii_env.heiau.texts import parse_order

__all__ = ["read"]

PHASES = (*SEALED_PHASES, *CHANCE_PHASES, "over")


def _wrong(message: str) -> NoReturn:
    raise StateError(message)


class _Reader:
    """Reads one position's fields, by the options of its game."""

    def __init__(self, options: Options) -> None:
        self.options, self.board = options, options.board
        self.names: list[str] = [power.id for power in options.scenario.powers]

    def power(self, name: object, where: str) -> int:
        if name not in self.names:
            _wrong(f"{where}: there is no power {name!r}; {self.options.scenario.id} has {', '.join(self.names)}")
        return self.names.index(cast(str, name))

    def space(self, name: object, where: str) -> int:
        if not isinstance(name, str) or name not in self.board.index:
            _wrong(f"{where}: there is no space {name!r}")
        return self.board.index[name]

    def unit(self, text: object, power: int, where: str) -> Unit:
        try:
            return read_unit(self.board, text, power)
        except ValueError as error:
            raise StateError(f"{where}: {error}") from error

    def units(self, given: object) -> dict[int, Unit]:
        found: dict[int, Unit] = {}
        for name, texts in _mapping(given, "units").items():
            power = self.power(name, "units")
            for text in _items(texts, f"units: {name}"):
                unit = self.unit(text, power, f"units: {name}")
                at = self.board.space_of[unit.place]
                if at in found:
                    _wrong(f"units: two units in {self.board.spaces[at]}")
                found[at] = unit
        return dict(sorted(found.items()))

    def fleets(self, units: Iterable[Unit]) -> None:
        counts = [0] * len(self.names)
        for unit in units:
            counts[unit.power] += unit.kind == FLEET
        for power, count in enumerate(counts):
            most = sum(unit.kind == FLEET for unit in self.options.scenario.powers[power].units)
            if count > most:
                _wrong(
                    f"units: {self.names[power]} has {count} fleets; {self.options.scenario.id} gives it {most} "
                    "[Fleets]"
                )

    def dislodged(self, given: object, units: Mapping[int, Unit]) -> dict[int, tuple[Unit, int]]:
        found: dict[int, tuple[Unit, int]] = {}
        for entry in _items(given, "dislodged"):
            one = _mapping(entry, "dislodged")
            if not {"unit", "power"} <= set(one) <= {"unit", "power", "from"}:
                _wrong(f"dislodged: unit, power and from are wanted, not {sorted(one)}")
            unit = self.unit(one["unit"], self.power(one["power"], "dislodged"), "dislodged")
            at = self.board.space_of[unit.place]
            by = -1 if one.get("from") is None else self.space(one["from"], "dislodged: from")
            attacker = units.get(at)
            if attacker is None or attacker.power == unit.power or at in found:
                _wrong(f"dislodged: {one['unit']}: no unit of another power has dislodged it there")
            if by >= 0 and not any(
                at in (self.board.space_of[p] for p in self.board.moves[k][q]) for k, q in self._from(by)
            ):
                _wrong(f"dislodged: {one['unit']}: nobody goes there from {one['from']} by itself")
            found[at] = unit, by
        return dict(sorted(found.items()))

    def _from(self, space: int) -> list[tuple[int, int]]:
        places = [self.board.bare[space], *self.board.coasts[space]]
        return [(kind, place) for kind in range(3) for place in places if self.board.can_stand(kind, place)]

    def votes(self, given: object, where: str) -> tuple[int, ...]:
        votes = _mapping(given, where)
        if not votes:
            return ()
        choices = self.options.actions.choices
        if list(votes) != self.names or any(vote not in (*choices, None) for vote in votes.values()):
            _wrong(f"{where}: a vote of {', '.join(choices)}, or None, is wanted for each of {', '.join(self.names)}")
        return tuple(-1 if vote is None else choices.index(vote) for vote in votes.values())

    def last(self, given: object) -> tuple[Report, ...]:
        found: list[Report] = []
        for entry in _items(given, "last"):
            one = _mapping(entry, "last")
            if set(one) != {"power", "order", "success", "dislodged", "burned"}:
                _wrong(f"last: power, order, success, dislodged and burned are wanted, not {sorted(one)}")
            unit, order, source = parse_order(self.board, str(one["order"]), self.power(one["power"], "last"))
            flags = [one[key] for key in ("success", "dislodged", "burned")]
            if any(type(flag) is not bool for flag in flags):
                _wrong(f"last: {one['order']}: success, dislodged and burned are True or False")
            found.append(Report(unit, order, source, *flags))
        spaces = [self.board.space_of[report.unit.place] for report in found]
        if spaces != sorted(set(spaces)):
            _wrong("last: the units stand in table order, one a space")
        return tuple(found)

    def mask(self, given: object, where: str) -> int:
        found = 0
        for name in _items(given, where):
            found |= 1 << self.space(name, where)
        return found


def _mapping(given: object, where: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        _wrong(f"{where}: a mapping is wanted, not {given!r}")
    return cast("Mapping[str, Any]", given)


def _items(given: object, where: str) -> list[Any]:
    if not isinstance(given, (list, tuple)):
        _wrong(f"{where}: a list is wanted, not {given!r}")
    return list(cast("list[Any]", given))


def read(
    options: Options,
    tables: Any,
    *,
    scenario: str | None = None,
    year: int = 1,
    season: str = "spring",
    phase: str = "orders",
    units: Mapping[str, Any] | None = None,
    owners: Mapping[str, str] | None = None,
    posts: Iterable[str] = (),
    unbuilt: Iterable[str] | None = None,
    dislodged: Iterable[Mapping[str, Any]] = (),
    contested: Iterable[str] = (),
    last: Iterable[Mapping[str, Any]] = (),
    ballots: Mapping[str, str | None] | None = None,
    second: Mapping[str, str | None] | None = None,
    setup: str | None = None,
    assignment: Iterable[str] | None = None,
    entered: Mapping[str, Any] | None = None,
    shares: Iterable[float] = (),
    reason: str = "",
    queue: Iterable[str] | None = None,
) -> tuple[Any, Record]:
    """Return the interpreted state of a position, and its record as far as it was given; the keywords are the fields of
    `HeiauView`.

    Without `units` the powers stand where the scenario lets them start. Whoever has entered something is asked first,
    in the order of `entered`, the others follow by index; `queue` says another order. Where a ballot's start is not
    told, it is a chance node to come.

    Raises:
        StateError: the position cannot be; the message says why.
    """
    it = _Reader(options)
    if scenario not in (None, options.scenario.id):
        _wrong(f"scenario: {scenario!r}; this game is {options.scenario.id!r}")
    if type(year) is not int or not 1 <= year <= options.last_year:
        _wrong(f"year: 1 to {options.last_year}, not {year!r}")
    if season not in SEASONS or phase not in PHASES:
        _wrong(f"season is one of {', '.join(SEASONS)}, phase one of {', '.join(PHASES)}, not {season!r}, {phase!r}")
    record = Record(year=year, season=SEASONS.index(season), phase=phase)
    record.assignment = _assignment(it, assignment, phase)
    record.posts = it.mask(list(posts), "posts")
    for space in bits(record.posts & (options.board.heiaus | ~_land(options))):
        _wrong(f"posts: no post can be in {options.board.spaces[space]}: it is sea or has a heiau [Post]")
    europeans = options.scenario.europeans
    builders = [options.scenario.powers[i].id for i in sorted(europeans)] if unbuilt is None else list(unbuilt)
    record.unbuilt = frozenset(it.power(name, "unbuilt") for name in builders)
    if not record.unbuilt <= europeans:
        _wrong("unbuilt: only European powers build posts [Post]")
    if record.posts.bit_count() + len(record.unbuilt) > len(europeans):
        _wrong(f"posts and unbuilt: {len(europeans)} posts can be built in {options.scenario.id} [Post]")
    record.ballots, record.second = it.votes(ballots or {}, "ballots"), it.votes(second or {}, "second")
    if setup is not None and setup not in options.scenario.ballot:
        _wrong(f"setup: {setup!r} is no start between which {options.scenario.id} votes")
    record.setup = -1 if setup is None else options.scenario.ballot.index(setup)
    _place(options, it, record, units, owners, setup, lambda: hidden(tables, state_of(options, record)))
    record.last = it.last(list(last))
    record.dislodged = it.dislodged(list(dislodged), record.units)
    record.contested = it.mask(list(contested), "contested")
    if phase != "retreats" and (record.dislodged or record.contested):
        _wrong("dislodged and contested are told in retreats only")
    if record.contested & sum(1 << space for space in record.units):
        _wrong("contested: an occupied space")
    if phase == "retreats" and not record.dislodged:
        _wrong("dislodged: retreats are for units that are, and there is none")
    it.fleets([*record.units.values(), *(unit for unit, _ in record.dislodged.values())])
    _check_phase(options, record, shares, reason)
    state = state_of(options, record)
    if phase in SEALED_PHASES or entered:
        _enter(options, it, tables, state, _mapping(entered or {}, "entered"), queue)
    return state, record


def _assignment(it: _Reader, given: Iterable[str] | None, phase: str) -> tuple[int, ...]:
    options = it.options
    if not options.random_powers:
        if given:
            _wrong("assignment: this game's powers are fixed")
        return tuple(range(options.powers))
    if given is None and phase != "assignment":
        return tuple(range(options.powers))
    powers = tuple(it.power(name, "assignment") for name in given or ())
    early = phase == "assignment" or (phase == "ballot" and options.late)
    if len(set(powers)) != len(powers) or (len(powers) < options.powers and not early):
        _wrong("assignment: a power for each player is wanted, each once")
    return powers


def _land(options: Options) -> int:
    return sum(1 << space for space, kind in enumerate(options.board.kind) if kind == "coast")


def _place(
    options: Options,
    it: _Reader,
    record: Record,
    units: object,
    owners: object,
    setup: str | None,
    is_hidden: Callable[[], bool],
) -> None:
    """Put units and owners on the board."""
    if record.phase in ("ballot", "assignment", "setup") and not (units and record.phase == "setup"):
        if units or owners:
            _wrong(f"phase {record.phase!r}: no unit is on the board yet")
        return
    start = start_units(options, record.setup)
    record.units = start if units is None else it.units(units)
    heiaus = options.board.heiaus
    if units is None:
        record.owners = {s: unit.power for s, unit in start.items() if heiaus >> s & 1}
    for name, power in sorted(_mapping(owners or {}, "owners").items()):
        space = it.space(name, "owners")
        if not (heiaus | record.posts) >> space & 1:
            _wrong(f"owners: {name} has neither heiau nor post")
        record.owners[space] = it.power(power, "owners")
    record.owners = dict(sorted(record.owners.items()))
    if is_hidden():
        if record.units != start:
            _wrong("units: until the first Spring orders are in, all stand where they started [Haole, Two Haoles]")
        record.owners = {s: unit.power for s, unit in start.items() if heiaus >> s & 1}
    elif options.scenario.ballot and setup is None:
        record.setup = -1


def _check_phase(options: Options, record: Record, shares: Iterable[float], reason: str) -> None:
    phase = record.phase
    if phase in ("ballot", "setup") and not options.scenario.ballot:
        _wrong(f"phase {phase!r}: {options.scenario.id} has no ballot")
    if phase in ("ballot", "setup", "assignment") and (record.year, record.season) != (1, 0):
        _wrong(f"phase {phase!r} is in Spring of year 1")
    if phase == "assignment" and not options.random_powers:
        _wrong("phase 'assignment': this game's powers are fixed")
    if phase == "adjustments" and record.season != 1:
        _wrong("adjustments follow Fall [Winter]")
    values = tuple(shares)
    if phase == "over":
        if len(values) != options.powers or any(share < 0 for share in values) or abs(sum(values) - 1) > 1e-9:
            _wrong(f"shares: one for each of {options.powers} powers, summing to 1, not {list(values)}")
        record.shares, record.reason = tuple(map(float, values)), str(reason)
    elif values or reason:
        _wrong("shares and reason are told when the game is over")


def _enter(
    options: Options,
    it: _Reader,
    tables: Any,
    state: Any,
    entered: Mapping[str, Any],
    queue: Iterable[str] | None,
) -> None:
    """Enter again what was entered in the running turn."""
    open_turn(tables, state)
    texts = {text: action for action, text in enumerate(options.actions.codec.texts)}
    # At the lot of a ballot a European's first orders stand already.
    lot = state.phase == SETUP
    if lot:
        state.phase = ORDERS
    for name, steps in entered.items():
        power = it.power(name, "entered")
        for text in _items(steps, f"entered: {name}"):
            action = texts.get(text, -1)
            if action not in _legal(tables, state, power):
                _wrong(f"entered: {name}: {text!r} is not legal after what was entered before it")
            enter(tables, state, power, action)
    if lot:
        state.phase = SETUP
        return
    left = [power for power in range(options.powers) if _legal(tables, state, power)]
    named = [
        power for power in (it.power(name, "queue") for name in (entered if queue is None else queue)) if power in left
    ]
    blind = state.phase == ORDERS and state.setup < 0 and hidden(tables, state)
    # Where the start is still to come, the others enter their orders after it.
    asked = named if blind else named + [power for power in left if power not in named]
    state.asked = len(asked)
    state.queue[: len(asked)] = asked


def _legal(tables: Any, state: Any, power: int) -> list[int]:
    return state.legal[: list_legal(tables, state, power, state.legal)]
