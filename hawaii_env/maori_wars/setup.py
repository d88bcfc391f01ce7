"""Scenarios: who stands where at the start, and what a set-up must fulfil [4.0, 14.0]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from .board import Board
from .models import KIND_SIDES, Arrival, Scenario, SetUp, Units
from .rules.names import KINDS, STRUCTURES

__all__ = ["kind_owner", "leader_owner", "place_problem", "scenario_problems", "set_up_owners"]

STRUCTURE_OWNERS = ("british", "british", "maori", "maori", "british", "british", "neutral", "neutral")

Found = Iterator[tuple[str, str, str]]
"""Key within the scenario, problem, and what is allowed."""


def kind_owner(kind: str) -> str:
    """Return the player of a kind of unit; a canoe's is whoever owns its hex."""
    return "maori" if KIND_SIDES[KINDS.index(kind)] == "maori" else "british"


def leader_owner(units: Units, leader: str) -> str:
    """Return ``maori``, ``british`` or ``neutral``."""
    category = units.leaders[leader].category
    return "british" if category == "queenite" else category


def set_up_owners(board: Board, units: Units, line: SetUp) -> tuple[str, ...]:
    """Return to whom what stands in a hex at the start belongs; more than one is an error.

    A town is British; canoes belong to the player of the rest, and to Māori if there is none.
    """
    found = {"british"} if line.at in board.towns else set[str]()
    if line.structure:
        found.add(STRUCTURE_OWNERS[STRUCTURES.index(line.structure)])
    if line.neutral:
        found.add("neutral")
    found |= {kind_owner(kind) for kind in line.units if kind != "canoe"}
    found |= {leader_owner(units, leader) for leader in line.leaders if leader in units.leaders}
    if not found or ("canoe" in line.units and found == {"neutral"}):
        found.add("maori")
    return tuple(sorted(found))


def scenario_problems(board: Board, units: Units, limits: tuple[int, int], scenario: Scenario) -> Found:
    """Yield what is wrong with a scenario; `limits`: stacking limit, and that of British units in rough."""
    yield from _territory_problems(board, scenario)
    theatre = frozenset(scenario.theatre)
    if not any(hex.territory in theatre and hex.terrain != "mountain" for hex in board.map.hexes.values()):
        yield "theatre", "no hex of it can be entered [R-01]", "territories with clear or rough hexes"
        return
    lines: list[tuple[str, SetUp]] = [(f"setup.{i}", line) for i, line in enumerate(scenario.setup, start=1)]
    for key, line in lines:
        yield from _located(key, line.at, place_problem(board, theatre, line.at))
        yield from _leader_problems(key, units, line.leaders, None)
        if place_problem(board, theatre, line.at) is None:
            yield from (
                (f"{key}.{part}", why, allowed) for part, why, allowed in _line_problems(board, units, limits, line)
            )
    yield from _arrival_problems(board, units, scenario)
    yield from _shipment_problems(board, theatre, scenario)
    yield from _box_problems(scenario)
    yield from _count_problems(board, units, scenario)


def _territory_problems(board: Board, scenario: Scenario) -> Found:
    for key, names, allowed in (
        ("theatre", scenario.theatre, board.territories), ("designated", scenario.designated, scenario.theatre),
    ):  # fmt: skip
        for name in names:
            if name not in allowed:
                where = "the map" if key == "theatre" else "the theatre"
                yield key, f"{name!r} is not a territory of {where}", ", ".join(allowed)


def place_problem(board: Board, theatre: frozenset[str], at: str) -> str | None:
    """Return why no piece can be in a hex, or None; also for what is no id of a hex."""
    if at not in board.map.hexes:
        return "is not a land hex" if len(at) == 4 and at.isdecimal() else None
    if board.territory(at) not in theatre:
        return "is outside the theatre [R-05]"
    return "is a mountain, which nobody enters [R-01]" if board.terrain(at) == "mountain" else None


def _located(key: str, at: str, why: str | None) -> Found:
    if why is not None:
        yield f"{key}.at", f"{at} {why}", "a clear or rough hex of the theatre"


def _line_problems(board: Board, units: Units, limits: tuple[int, int], line: SetUp) -> Found:
    owners = set_up_owners(board, units, line)
    if len(owners) > 1:
        yield "at", f"{line.at} holds pieces of {' and '.join(owners)}", "one owner a hex"
    if line.at in board.towns and line.structure not in (None, "fort"):
        yield "structure", f"{line.structure} on a town", "a fort, or none"
    stack = {kind: n for kind, n in line.units.items() if units.kinds[kind].stacks}
    british = any(units.kinds[kind].side == "british" for kind in stack)
    limit = limits[1] if british and board.terrain(line.at) == "rough" else limits[0]
    if (found := sum(stack.values()) + line.neutral) > limit:
        yield "units", f"{found} land units, over the limit [4.0]", f"at most {limit}"
    if "gunboat" in line.units and line.at not in board.coastal | board.navigable:
        yield "units.gunboat", f"{line.at} is neither coastal nor on a dotted river [6.0]", "leave the key out"
    if "canoe" in line.units and line.at not in board.coastal | board.lakeside | board.rivers.keys():
        yield "units.canoe", f"{line.at} is neither coastal nor on a lake or river [6.0]", "leave the key out"


def _leader_problems(key: str, units: Units, leaders: Iterable[str], owner: str | None) -> Found:
    for leader in leaders:
        if leader not in units.leaders:
            yield f"{key}.leaders", f"there is no leader {leader!r}", ", ".join(units.leaders)
        elif owner is not None and leader_owner(units, leader) != owner:
            yield f"{key}.leaders", f"{leader} is not a leader of the {owner} player", f"leaders of the {owner} player"


def _kind_problems(key: str, units: Mapping[str, int], owner: str) -> Found:
    for kind in units:
        if kind_owner(kind) != owner and kind != "canoe":
            yield f"{key}.{kind}", f"{kind} is not a kind of the {owner} player", "kinds of this player"


def _arrival_problems(board: Board, units: Units, scenario: Scenario) -> Found:
    for number, one in enumerate(scenario.arrivals, start=1):
        key = f"arrivals.{number}"
        yield from _located(key, one.at, place_problem(board, frozenset(scenario.theatre), one.at))
        yield from _kind_problems(f"{key}.units", one.units, one.side)
        yield from _leader_problems(key, units, one.leaders, one.side)


def _shipment_problems(board: Board, theatre: frozenset[str], scenario: Scenario) -> Found:
    if (voyage := scenario.shipment) is not None:
        why = place_problem(board, theatre, voyage.from_)
        if why is None and voyage.from_ not in board.coastal:
            why = "is not coastal"
        if why is not None:
            yield "shipment.from", f"{voyage.from_} {why}", "a coastal hex of the theatre"


def _box_problems(scenario: Scenario) -> Found:
    for owner, box in scenario.box.items():
        yield from _kind_problems(f"box.{owner}", box, owner)


def _count_problems(board: Board, units: Units, scenario: Scenario) -> Found:
    """Yield what stands, waits and arrives beyond its counters; hexes and leaders named twice."""
    used: Counter[str] = Counter()
    pieces: list[SetUp | Arrival] = [*scenario.setup, *scenario.arrivals]
    for box, owner in ((one, owner) for owner, one in scenario.box.items()):
        used.update({_counter(kind, owner): n for kind, n in box.items()})
    for one in pieces:
        owner = one.side if isinstance(one, Arrival) else set_up_owners(board, units, one)[0]
        used.update({_counter(kind, owner): n for kind, n in one.units.items()})
        if isinstance(one, SetUp):
            used.update({"neutral units": one.neutral} | ({one.structure: 1} if one.structure else {}))
    structures = sum(used[structure] for structure in STRUCTURES)
    if used.total() == structures and not any(one.leaders for one in pieces):
        yield "", "has no units and no leaders", "one at least"
    there = _counters(units)
    for what, n in used.items():
        if n > there[what]:
            yield (
                "",
                f"{n} {what}, and there are {there[what]} counters",
                f"at most {there[what]} with box and arrivals",
            )
    yield from _twice("setup.at", [line.at for line in scenario.setup], "hex")
    yield from _twice("leaders", [leader for one in pieces for leader in one.leaders], "leader")


def _counter(kind: str, owner: str) -> str:
    return f"canoe of {owner}" if kind == "canoe" else kind


def _counters(units: Units) -> dict[str, int]:
    """Return the number of counters of everything that is counted."""
    found: dict[str, int] = {**units.structures, "neutral units": units.neutral.count}
    for name, kind in units.kinds.items():
        if isinstance(kind.count, int):
            found[name] = kind.count
        else:
            found |= {"canoe of maori": kind.count.maori, "canoe of british": kind.count.queenite}
    return found


def _twice(key: str, names: list[str], what: str) -> Found:
    for name, n in Counter(names).items():
        if n > 1:
            yield key, f"{what} {name} stands {n} times", f"each {what} once"
