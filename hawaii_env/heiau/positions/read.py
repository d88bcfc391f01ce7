"""Positions from data, checked: nothing that cannot be gets in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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
from hawaii_env.positions import Reader, forbid
from hawaii_env.texts import show_value

__all__ = ["read"]

PHASES = (*SEALED_PHASES, *CHANCE_PHASES, "over")


def read(options: Options, tables: Any, fields: Mapping[str, Any]) -> Any:
    """Return the interpreted state of a position.

    Without `units` the powers stand where the scenario lets them start. Whoever has entered something is asked first,
    in the order of `entered`, the others follow by index; `queue` says another order. Where a ballot's start is not
    given, it is a chance node to come.

    Args:
        options: the game's.
        tables: the interpreted tables.
        fields: those of a `HeiauView`, and `queue`; all may be left out.

    Raises:
        StateError: the position cannot be; the message says why.
    """
    r, board, names = Reader(fields), options.board, [power.id for power in options.scenario.powers]
    r.pick("scenario", [options.scenario.id], None)
    year, season = r.whole("year", 1, options.last_year, 1), r.pick("season", SEASONS, "spring")
    record = Record(year=year, season=season, phase=PHASES[r.pick("phase", PHASES, "orders")])
    record.assignment = _assignment(options, r, names, record.phase)
    _read_posts(options, r, names, record)
    record.ballots, record.second = (_votes(options, r, names, key) for key in ("ballots", "second"))
    record.setup = r.pick("setup", options.scenario.ballot, None)
    _place(options, r, names, record, tables)
    record.last = _last(options, r, names)
    record.dislodged = _dislodged(options, r, names, record.units)
    record.contested = _mask(r, "contested", board.spaces)
    forbid(
        record.phase != "retreats" and (record.dislodged or record.contested),
        "dislodged and contested are for retreats only",
    )
    forbid(record.contested & sum(1 << space for space in record.units), "contested: an occupied space")
    forbid(
        record.phase == "retreats" and not record.dislodged,
        "dislodged: the phase retreats needs at least one dislodged unit",
    )
    _check_fleets(options, names, [*record.units.values(), *(unit for unit, _ in record.dislodged.values())])
    _check_phase(options, record, r)
    table = r.table("entered", {}, names)
    entered = {names.index(name): table.items(name) for name in table.keys_left()}
    queue = r.picks("queue", names) if r.given("queue") else list(entered)
    r.end()
    state = state_of(options, record)
    if record.phase in SEALED_PHASES or entered:
        _enter(options, names, tables, state, entered, queue)
    return state


def _mask(r: Reader, key: str, spaces: tuple[str, ...]) -> int:
    return sum(1 << space for space in set(r.picks(key, spaces)))


def _unit(options: Options, text: object, power: int, where: str) -> Unit:
    try:
        return read_unit(options.board, text, power)
    except ValueError as error:
        raise StateError(f"{where}: {error}") from error


def _assignment(options: Options, r: Reader, names: list[str], phase: str) -> tuple[int, ...]:
    given = r.given("assignment")
    powers = tuple(r.picks("assignment", names)) if given else ()
    if not options.random_powers:
        forbid(powers, "assignment: this game's powers are fixed")
        return tuple(range(options.powers))
    if not given and phase != "assignment":
        return tuple(range(options.powers))
    early = phase == "assignment" or (phase == "ballot" and options.late)
    forbid(
        len(set(powers)) != len(powers) or (len(powers) < options.powers and not early),
        "assignment: expected a power for each player, each once",
    )
    return powers


def _read_posts(options: Options, r: Reader, names: list[str], record: Record) -> None:
    board, europeans = options.board, options.scenario.europeans
    record.posts = _mask(r, "posts", board.spaces)
    land = sum(1 << space for space, kind in enumerate(board.kind) if kind == "coast")
    for space in bits(record.posts & (board.heiaus | ~land)):
        raise StateError(f"posts: no post can be in {board.spaces[space]}: it is sea or has a heiau [Post]")
    record.unbuilt = frozenset(r.picks("unbuilt", names)) if r.given("unbuilt") else europeans
    forbid(not record.unbuilt <= europeans, "unbuilt: only European powers build posts [Post]")
    forbid(
        record.posts.bit_count() + len(record.unbuilt) > len(europeans),
        f"posts and unbuilt: {len(europeans)} posts can be built in {options.scenario.id} [Post]",
    )


def _votes(options: Options, r: Reader, names: list[str], key: str) -> tuple[int, ...]:
    votes = r.table(key, {}, names)
    forbid(
        len(votes.keys_left()) not in (0, len(names)),
        f"{key}: expected a vote, or None, for each of {', '.join(names)}",
    )
    return tuple(votes.pick(name, options.actions.choices, None) for name in names if name in votes)


def _place(options: Options, r: Reader, names: list[str], record: Record, tables: Any) -> None:
    """Put units and owners on the board."""
    board, heiaus = options.board, options.board.heiaus
    given = r.given("units")
    units = _units(options, r.table("units", names=names), names) if given else {}
    owners = r.table("owners", {}, board.spaces)
    owned = {board.index[name]: owners.pick(name, names) for name in sorted(owners.keys_left())}
    if record.phase in ("ballot", "assignment", "setup") and not (units and record.phase == "setup"):
        forbid(units or owned, f"phase {record.phase!r}: no unit is on the board yet")
        if record.ballots and record.phase != "assignment":
            record.units = start_units(options, -1)  # the ballot is level: the Europeans enter their first orders
        return
    start = start_units(options, record.setup)
    at_start = {space: unit.power for space, unit in start.items() if heiaus >> space & 1}
    record.units = units if given else start
    for space in owned:
        forbid(not (heiaus | record.posts) >> space & 1, f"owners: {board.spaces[space]} has neither heiau nor post")
    record.owners = dict(sorted({**({} if given else at_start), **owned}.items()))
    if hidden(tables, state_of(options, record)):
        forbid(
            record.units != start,
            "units: until the first Spring orders are in, all stand where they started [Haole, Two Haoles]",
        )
        record.owners = at_start


def _units(options: Options, r: Reader, names: list[str]) -> dict[int, Unit]:
    found: dict[int, Unit] = {}
    for name in r.keys_left():
        for text in r.items(name):
            unit = _unit(options, text, names.index(name), r.at(name))
            at = options.board.space_of[unit.place]
            forbid(at in found, f"units: two units in {options.board.spaces[at]}")
            found[at] = unit
    return dict(sorted(found.items()))


def _check_fleets(options: Options, names: list[str], units: Iterable[Unit]) -> None:
    fleets = [unit.power for unit in units if unit.kind == FLEET]
    for power, one in enumerate(options.scenario.powers):
        most, count = sum(unit.kind == FLEET for unit in one.units), fleets.count(power)
        forbid(
            count > most, f"units: {names[power]} has {count} fleets; {options.scenario.id} gives it {most} [Fleets]"
        )


def _dislodged(options: Options, r: Reader, names: list[str], units: Mapping[int, Unit]) -> dict[int, tuple[Unit, int]]:
    board, found = options.board, dict[int, tuple[Unit, int]]()
    for entry in r.items("dislodged"):
        one = Reader(entry, "dislodged: ")
        text, power = one.take("unit"), one.pick("power", names)
        by = one.pick("from", board.spaces, None)
        one.end()
        unit = _unit(options, text, power, "dislodged")
        at = board.space_of[unit.place]
        attacker = units.get(at)
        forbid(
            attacker is None or attacker.power == unit.power or at in found,
            f"dislodged: {text}: no unit of another power has dislodged it there",
        )
        forbid(
            by >= 0 and not any(at in map(board.space_of.__getitem__, places) for places in _reached(options, by)),
            f"dislodged: {text}: nobody goes there from {board.spaces[by]} by itself",
        )
        found[at] = unit, by
    return dict(sorted(found.items()))


def _reached(options: Options, space: int) -> list[tuple[int, ...]]:
    """Return the places that units reach from a space by themselves, for each kind and coast."""
    board = options.board
    places = [board.bare[space], *board.coasts[space]]
    return [board.moves[kind][p] for kind in range(3) for p in places if board.can_stand(kind, p)]


def _last(options: Options, r: Reader, names: list[str]) -> tuple[Report, ...]:
    found: list[Report] = []
    for entry in r.items("last"):
        one = Reader(entry, "last: ")
        power, order = one.pick("power", names), one.take("order")
        flags = [one.flag(key) for key in ("success", "dislodged", "burned")]
        one.end()
        unit, parsed, source = parse_order(options.board, str(order), power)
        found.append(Report(unit, parsed, source, *flags))
    spaces = [options.board.space_of[report.unit.place] for report in found]
    forbid(spaces != sorted(set(spaces)), "last: the units stand in table order, one a space")
    return tuple(found)


def _check_phase(options: Options, record: Record, r: Reader) -> None:
    phase = record.phase
    forbid(
        phase in ("ballot", "setup") and not options.scenario.ballot,
        f"phase {phase!r}: {options.scenario.id} has no ballot",
    )
    forbid(
        phase in ("ballot", "setup", "assignment") and (record.year, record.season) != (1, 0),
        f"phase {phase!r} is in Spring of year 1",
    )
    forbid(phase == "assignment" and not options.random_powers, "phase 'assignment': this game's powers are fixed")
    forbid(phase == "adjustments" and record.season != 1, "adjustments follow Fall [Winter]")
    values, reason = r.items("shares"), r.take("reason", "")
    if phase == "over":
        numbers = [share for share in values if isinstance(share, (int, float)) and share >= 0]
        forbid(
            not len(numbers) == len(values) == options.powers or abs(sum(numbers) - 1) > 1e-9,
            f"shares: one for each of {options.powers} powers, summing to 1, not {values}",
        )
        record.shares, record.reason = tuple(map(float, numbers)), str(reason)
    forbid(phase != "over" and (values or reason), "shares and reason are for a game that is over")


def _enter(
    options: Options, names: list[str], tables: Any, state: Any, entered: Mapping[int, list[Any]], queue: list[int]
) -> None:
    """Enter again what was entered in the running turn."""
    open_turn(tables, state)
    texts = {text: action for action, text in enumerate(options.actions.codec.texts)}
    # At the lot of a ballot a European's first orders stand already.
    lot = state.phase == SETUP
    if lot:
        state.phase = ORDERS
    for power, steps in entered.items():
        for text in steps:
            action = texts.get(str(text), -1)
            forbid(
                action not in _legal(tables, state, power),
                f"entered: {names[power]}: {show_value(text)} is not legal after what was entered before it",
            )
            enter(tables, state, power, action)
    if lot:
        state.phase = SETUP
        return
    left = [power for power in range(options.powers) if _legal(tables, state, power)]
    named = [power for power in dict.fromkeys(queue) if power in left]
    blind = state.phase == ORDERS and state.setup < 0 and hidden(tables, state)
    # Where the start is still to come, the others enter their orders after it.
    asked = named if blind else named + [power for power in left if power not in named]
    state.asked = len(asked)
    state.queue[: len(asked)] = asked


def _legal(tables: Any, state: Any, power: int) -> list[int]:
    return state.legal[: list_legal(tables, state, power, state.legal)]
