"""Possible orders and results of a movement phase, by trying every combination of successful moves.

Units and orders are plain strings and dicts, the map is read from its file. Slow, and simple: a set of moves is a
result when what follows from it (who is dislodged, which supports are cut, which convoys stand) makes just those moves
succeed. Where several sets are, circular movement is the one in which most succeed; where convoys take part, or no set
is, the referee does not judge.
"""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

import hawaii_env

DATA = tomllib.loads((Path(hawaii_env.__file__).parent / "heiau/ruleset/data/map.toml").read_text(encoding="utf-8"))
KIND = {entry["id"]: entry["kind"] for entry in DATA["space"]}
COASTS = {entry["id"]: [f"{entry['id']}/{c}" for c in entry.get("coasts", {})] for entry in DATA["space"]}
OCEANS = set(DATA["adjacency"]["oceans"])
LAND: dict[str, set[str]] = {}
WATER: dict[str, set[str]] = {}
for table, pairs in ((LAND, DATA["adjacency"]["land"]), (WATER, DATA["adjacency"]["water"])):
    for one, other in pairs:
        table.setdefault(one, set()).add(other)
        table.setdefault(other, set()).add(one)


def space(place: str) -> str:
    """The space of a place."""
    return place.split("/")[0]


def by_itself(kind: str, place: str) -> set[str]:
    """Where a unit goes by itself: places."""
    land = LAND.get(space(place), set())
    if kind == "A":
        return set(land)
    water = WATER.get(place, set())
    if kind == "F":
        return set(water)
    afloat = {end for end in water if end not in OCEANS}
    return afloat | {end for end in land if end not in {space(w) for w in water}}


def _docks(kind: str, place: str) -> list[str]:
    return (COASTS[place] or [place]) if kind == "A" else [place]


def chain(kind: str, place: str, ends: list[str], fleets: set[str]) -> bool:
    """True when some order of different fleets leads from the unit to one of the ends."""
    fleets = {fleet for fleet in fleets if space(fleet) != space(ends[0])}
    rows = (row for n in range(1, len(fleets) + 1) for row in itertools.permutations(fleets, n))
    return any(links(kind, place, ends, row) for row in rows)


def links(kind: str, place: str, ends: list[str], row: tuple[str, ...]) -> bool:
    """True when fleets in just this row lead from the unit to one of the ends."""
    start = any(row[0] in WATER.get(dock, set()) for dock in _docks(kind, place))
    middle = all(b in WATER.get(a, set()) for a, b in itertools.pairwise(row))
    return start and middle and any(end in WATER.get(row[-1], set()) for end in ends)


def by_convoy(kind: str, place: str, fleets: set[str]) -> set[str]:
    """Where fleets could carry a unit: places."""
    found: set[str] = set()
    if kind == "F" or KIND[space(place)] != "coast":
        return found
    for end, what in KIND.items():
        if end == space(place) or end in OCEANS or what == "inland" or (what == "sea" and kind == "A"):
            continue
        docks = COASTS[end] or [end]
        if kind == "A":
            found |= {end} if chain(kind, place, docks, fleets) else set()
        else:
            found |= {dock for dock in docks if chain(kind, place, [dock], fleets)}
    return found


def options_of(units: dict[str, tuple[str, str, str]], at: str) -> set[tuple[str, ...]]:
    """All orders of the unit in a space but for posts; `units`: space -> (kind, power, place)."""
    kind, _, place = units[at]
    fleets = {p for k, _, p in units.values() if k == "F"}
    found: set[tuple[str, ...]] = {("hold",)}
    found |= {("move", end) for end in by_itself(kind, place)}
    found |= {("via", end) for end in by_convoy(kind, place, fleets)}
    reach = {space(end) for end in by_itself(kind, place)} - {at}
    for other, (k, _, p) in units.items():
        if other == at:
            continue
        if other in reach:
            found.add(("support", other, other))
        goes = {space(end) for end in by_itself(k, p) | by_convoy(k, p, fleets - {place})}
        found |= {("support", other, end) for end in goes & reach}
        if kind == "F" and k != "F":
            for end in {space(e) for e in by_convoy(k, p, fleets)}:
                away = [fleet for fleet in fleets if space(fleet) != end]
                rows = [row for n in (1, 2) for row in itertools.permutations(away, n) if place in row]
                if any(links(k, p, COASTS[end] or [end], row) for row in rows):
                    found.add(("convoy", other, end))
    if kind == "A" and KIND[at] == "coast":
        found |= {("boats", dock) for dock in COASTS[at] or [at]}
    return found


def burns(unit: tuple[str, str, str], order: tuple[str, ...]) -> bool:
    """True when an order burns a bunch's boats."""
    kind, _, place = unit
    if kind != "B" or order[0] not in ("move", "support"):
        return False
    target = space(order[1]) if order[0] == "move" else order[2]
    return target in LAND.get(space(place), set()) and target not in {space(w) for w in WATER.get(place, set())}


class _Trial:
    """What follows if just these moves succeed."""

    def __init__(self, units: dict[str, Any], orders: dict[str, tuple[str, ...]], winners: frozenset[str]) -> None:
        self.units, self.orders, self.winners = units, orders, winners
        self.goal = {a: space(o[1]) for a, o in orders.items() if o[0] in ("move", "via")}
        self.out = {at for at in units if at not in winners and any(self.goal[one] == at for one in winners)}
        self.way = {a: self._way(a) for a in self.goal}
        self.given = {a for a, o in orders.items() if o[0] == "support" and self._given(a)}

    def _way(self, at: str) -> bool:
        if self.orders[at][0] == "move":
            return True
        kind, _, place = self.units[at]
        end = self.orders[at][1]
        ends = (COASTS[end] or [end]) if kind == "A" else [end]
        helpers = {
            self.units[a][2]
            for a, o in self.orders.items()
            if o[0] == "convoy" and o[1:] == (at, self.goal[at]) and a not in self.out
        }
        return chain(kind, place, ends, helpers)

    def _given(self, at: str) -> bool:
        _, whom, where = self.orders[at]
        if whom not in self.units or self.goal.get(whom, whom) != where or at in self.out:
            return False
        power = self.units[at][1]
        return not any(
            goal == at and one != where and self.units[one][1] != power and self.way[one]
            for one, goal in self.goal.items()
        )

    def helped(self, at: str, without: str | None = None) -> int:
        return 1 + sum(self.orders[a][1] == at and self.units[a][1] != without for a in self.given)

    def faces(self, at: str) -> bool:
        end = self.goal[at]
        return self.goal.get(end) == at and self.orders[at][0] == self.orders[end][0] == "move"

    def attack(self, at: str) -> int:
        end = self.goal[at]
        if not self.way[at]:
            return 0
        if end not in self.units or (end in self.winners and not self.faces(at)):
            return self.helped(at)
        owner = self.units[end][1]
        return 0 if owner == self.units[at][1] else self.helped(at, owner)

    def prevent(self, at: str) -> int:
        beaten = self.faces(at) and self.goal[at] in self.winners
        return 0 if beaten or not self.way[at] else self.helped(at)

    def succeeds(self, at: str) -> bool:
        end, strength = self.goal[at], self.attack(at)
        if any(self.prevent(one) >= strength for one, goal in self.goal.items() if goal == end and one != at):
            return False
        if self.faces(at):
            return strength > self.helped(end)
        if end not in self.units:
            return strength > 0
        if end in self.goal:
            return strength > (0 if end in self.winners else 1)
        return strength > self.helped(end)

    def holds(self) -> bool:
        return all(self.succeeds(at) == (at in self.winners) for at in self.goal)


def judge(
    units: dict[str, tuple[str, str, str]], orders: dict[str, tuple[str, ...]]
) -> tuple[dict[str, tuple[str, str, str]], dict[str, str | None], set[str]] | None:
    """Return units afterwards, dislodged units with their attackers' start (None: convoyed), and contested spaces;
    None: not judged.
    """
    units = {at: ("A", unit[1], space(unit[2])) if burns(unit, orders[at]) else unit for at, unit in units.items()}
    movers = [at for at, order in orders.items() if order[0] in ("move", "via")]
    trials = [
        trial
        for n in range(len(movers) + 1)
        for some in itertools.combinations(movers, n)
        if (trial := _Trial(units, orders, frozenset(some))).holds()
    ]
    if not trials or (len(trials) > 1 and any(order[0] == "via" for order in orders.values())):
        return None
    trial = max(trials, key=lambda one: len(one.winners))
    after: dict[str, tuple[str, str, str]] = {}
    for at, (kind, power, place) in units.items():
        if at in trial.winners:
            after[trial.goal[at]] = (kind, power, orders[at][1])
        elif at not in trial.out:
            hit = any(trial.goal[a] == at and units[a][1] != power and trial.way[a] for a in trial.goal)
            built = orders[at][0] == "boats" and not hit
            after[at] = ("B", power, orders[at][1]) if built else (kind, power, place)
    attackers = {trial.goal[a]: a if orders[a][0] == "move" else None for a in trial.winners}
    contested = {
        trial.goal[a]
        for a in trial.goal
        if a not in trial.winners and trial.goal[a] not in after and trial.prevent(a) > 0
    }
    return after, {at: attackers[at] for at in trial.out}, contested
