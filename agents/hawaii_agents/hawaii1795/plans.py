"""Plans of a half's movement in Hawaii, 1795, by rules of thumb [10.0].

Nothing here plays the game forward: a plan is weighed by the odds of the battles that it brings about, and by what the
enemy could attack afterwards with the canoes and cards that he has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from .boards import Board, Unit, ranked, without
from .worth import is_chief, power, worth

__all__ = ["Plan", "Step", "make_plan", "start", "weigh"]

Step = tuple[str, ...]
"""("march", piece, from, to), or ("fleet", canoe's space, pick-up, destination, piece, ...)."""

SHORT_LIST = 5
"""Plans whose battles are solved; the others are read off the table of equal warriors."""

LONGEST = 8
"""Thoughts of a plan: a march, a fleet move, or several fleets to one space."""

SAFE, CAUTION = 0.05, 2.0
"""A chance above SAFE that Kamehameha is beaten where he attacks himself [5.2] costs CAUTION times as much again, on a
scale from -1 to 1.
"""


@dataclass(slots=True)
class Plan:
    """Moves of one half, and what they come to.

    Attributes:
        board: where everybody stands once they are made; attackers are not on it.
        side: whose.
        steps: the moves, in order.
        attacks: by space: attackers that come by canoe, and (unit, from) overland.
        sources: by space attacked by canoe: the last pick-up.
        fresh: by space: canoes that may still sail.
        tired: by space: units that may not embark again.
        walked: by space: units that may not march again.
        fleets: fleet moves left.
        value: what it is worth.
    """

    board: Board
    side: int
    steps: list[Step] = field(default_factory=list)
    attacks: dict[int, tuple[tuple[Unit, ...], tuple[Unit, ...]]] = field(default_factory=dict)
    sources: dict[int, int] = field(default_factory=dict)
    sailing: dict[int, int] = field(default_factory=dict)
    fresh: list[int] = field(default_factory=list)
    tired: list[tuple[Unit, ...]] = field(default_factory=list)
    walked: list[tuple[Unit, ...]] = field(default_factory=list)
    fleets: int = 0
    value: float = -2.0

    def copy(self) -> Plan:
        """Return a copy to go on from."""
        return Plan(
            self.board.copy(), self.side, list(self.steps), dict(self.attacks), dict(self.sources), dict(self.sailing),
            list(self.fresh), list(self.tired), list(self.walked), self.fleets,
        )  # fmt: skip

    def canoe_for(self, pickup: int) -> int:
        """Return the space whose canoe sails for a pick-up: its own, else the one with most canoes for its units; -1 if
        none.
        """
        if self.fresh[pickup]:
            return pickup
        board, side = self.board, self.side
        best, found = -99.0, -1
        for space, n in enumerate(self.fresh):
            if n and not board.forces[1 - side][space]:
                spare = board.boats[side][space] - 0.4 * len(board.forces[side][space])
                if spare > best:
                    best, found = spare, space
        return found

    def sail(self, pickup: int, cargo: tuple[Unit, ...], to: int) -> bool:
        """Add a fleet move; False where none is left."""
        canoe = self.canoe_for(pickup)
        if self.fleets < 1 or canoe < 0:
            return False
        board, side, spaces = self.board, self.side, self.board.rules.spaces
        self.fleets -= 1
        self.fresh[canoe] -= 1
        board.boats[side][canoe] -= 1
        board.forces[side][pickup] = without(board.forces[side][pickup], cargo)
        self.steps.append(("fleet", spaces[canoe], spaces[pickup], spaces[to], *(u.name for u in cargo)))
        if board.enemy_in(side, to) or to in self.sailing:
            sea, land = self.attacks.get(to, ((), ()))
            self.attacks[to] = sea + cargo, land
            self.sources[to] = pickup
            self.sailing[to] = self.sailing.get(to, 0) + 1
        else:
            board.boats[side][to] += 1
            board.forces[side][to] = ranked(board.forces[side][to] + cargo)
            self.tired[to] = self.tired[to] + cargo
        return True

    def march(self, units: tuple[Unit, ...], space: int) -> None:
        """Add marches to the island's other space."""
        board, side, rules = self.board, self.side, self.board.rules
        to = rules.sibling[space]
        board.forces[side][space] = without(board.forces[side][space], units)
        self.steps += [("march", u.name, rules.spaces[space], rules.spaces[to]) for u in units]
        if board.forces[1 - side][to]:
            sea, land = self.attacks.get(to, ((), ()))
            self.attacks[to] = sea, land + units
        else:
            board.forces[side][to] = ranked(board.forces[side][to] + units)
            self.walked[to] = self.walked[to] + units


def start(board: Board, side: int) -> Plan:
    """Return the plan of doing nothing."""
    fresh = [n - moved for n, moved in zip(board.boats[side], board.boats_moved, strict=True)]
    plan = Plan(
        board.copy(), side, fresh=fresh, tired=list(board.carried), walked=list(board.marched), fleets=board.fleets_left
    )
    for space, force in enumerate(board.forces[side]):
        if force and board.forces[1 - side][space]:
            # Already among enemies: these will attack whatever else is done.
            plan.attacks[space] = (), force
            plan.board.forces[side][space] = ()
            plan.fresh[space] = 0
    for space, (units, boats, origin) in board.at_sea.items():
        plan.attacks[space] = units, plan.attacks.get(space, ((), ()))[1]
        plan.sources[space], plan.sailing[space] = origin, boats
    return plan


def outcomes(plan: Plan, space: int, no_sighting: bool, exact: bool) -> list[tuple[float, str]]:
    """Return how an attack may end: chances of "won", "beaten", "repulsed" (met at sea, and gone home)."""
    board, side, rules = plan.board, plan.side, plan.board.rules
    enemy = 1 - side
    sea, land = plan.attacks[space]
    defenders = board.forces[enemy][space] + board.forces[2][space]
    kind = "walls" if rules.fort[space] else "open"
    if not defenders:
        return [(1.0, "won")]
    attackers = sea + land
    if exact:
        wins = rules.table.odds(attackers, defenders, kind)
    else:
        walls = rules.fort[space]
        wins = rules.table.chance(power(attackers, 0, walls), power(defenders, 1, walls), kind)
    boats = board.boats[enemy][space] + board.boats[2][space]
    other = rules.sibling[space]
    could = boats and (len(defenders) > 1 or (other >= 0 and board.forces[enemy][other]))
    met = 0.5 if sea and could and not no_sighting else 0.0
    if met and land:
        # Those who came overland fight alone.
        alone = rules.table.chance(power(land, 0, rules.fort[space]), power(defenders, 1, rules.fort[space]), kind)
        return [((1 - met) * wins + met * alone, "won"), (1 - (1 - met) * wins - met * alone, "beaten")]
    return [((1 - met) * wins, "won"), ((1 - met) * (1 - wins), "beaten"), (met, "repulsed")]


def after(plan: Plan, board: Board, space: int, how: str) -> None:
    """Change a board to what it looks like after an attack, on average."""
    side, rules = plan.side, board.rules
    enemy = 1 - side
    sea, land = plan.attacks[space]
    defenders = board.forces[enemy][space] + board.forces[2][space]
    attackers = ranked(sea + land)
    walls = rules.fort[space]
    kind = "walls" if walls else "open"
    battle = rules.table.quick(power(attackers, 0, walls), power(defenders, 1, walls), kind)
    source = plan.sources.get(space, rules.sibling[space])
    boats = plan.sailing.get(space, 0)
    if how == "repulsed":
        board.forces[side][source] = ranked(board.forces[side][source] + _share(sea, 0.9))
        board.boats[side][source] += boats
        if land and rules.sibling[space] >= 0:
            home = rules.sibling[space]
            board.forces[side][home] = ranked(board.forces[side][home] + land)
        return
    board.forces[2][space] = ()
    if how == "won":
        board.forces[side][space] = _share(attackers, battle.left) if defenders else attackers
        board.boats[side][space] += boats
        fallen = sum(is_chief(u) for u in defenders)
        if fallen:
            board.chiefs = list(board.chiefs)
            board.chiefs[enemy] -= fallen
        board.forces[enemy][space] = ()
        away = board.boats[enemy][space] + board.boats[2][space]
        board.boats[2][space] = board.boats[enemy][space] = 0
        refuge = next((s for s in range(len(rules.spaces)) if board.holds(enemy, s)), -1)
        if away and refuge >= 0:
            board.boats[enemy][refuge] += away
        return
    fallen = sum(is_chief(u) for u in attackers)
    if fallen:
        board.chiefs = list(board.chiefs)
        board.chiefs[side] -= fallen
    survivors = _share(tuple(u for u in attackers if not u.elite), battle.left_beaten)
    board.forces[enemy][space] = _share(defenders, battle.enemy_left)
    if source >= 0 and not board.forces[enemy][source]:
        board.forces[side][source] = ranked(board.forces[side][source] + survivors)
        board.boats[side][source] += boats


def _share(units: tuple[Unit, ...], share: float) -> tuple[Unit, ...]:
    """Return the best part of some units."""
    if share >= 0.999:
        return units
    return units[: max(1, int(len(units) * share + 0.5))] if units else units


def weigh(plan: Plan, no_sighting: bool = False, exact: bool = True, known: dict[object, float] | None = None) -> float:
    """Return what a plan is worth, over the ways in which its attacks may end, less what SAFE and CAUTION take off.

    Args:
        plan: the plan.
        no_sighting: fleets are not sighted this half.
        exact: battles are solved, not read off the table of equal warriors.
        known: what positions are worth, as far as it was asked before; it grows.
    """
    known = {} if known is None else known
    if not plan.attacks:
        return _known_worth(plan.board, plan.side, known)
    cases: list[tuple[float, list[tuple[int, str]]]] = [(1.0, [])]
    risk = 0.0
    for space, attackers in plan.attacks.items():
        ends = outcomes(plan, space, no_sighting, exact)
        if not plan.side and any(is_chief(u) for force in attackers for u in force):
            risk += max(0.0, sum(p for p, how in ends if how == "beaten") - SAFE)
        cases = [(p * q, [*done, (space, how)]) for p, done in cases for q, how in ends if p * q > 0.01]
    total = weight = 0.0
    for chance, ends in cases:
        board = plan.board.copy()
        for space, how in ends:
            after(plan, board, space, how)
        total += chance * _known_worth(board, plan.side, known)
        weight += chance
    return total / weight - CAUTION * risk


def _known_worth(board: Board, side: int, known: dict[object, float]) -> float:
    key = (*map(tuple, board.forces), tuple(board.boats[0]), tuple(board.boats[1]), *board.chiefs)
    found = known.get(key)
    if found is None:
        found = known[key] = worth(board, side)
    return found


@lru_cache(maxsize=50_000)
def _cargoes(here: tuple[Unit, ...], tired: tuple[Unit, ...], canoe: tuple[int, int]) -> tuple[tuple[Unit, ...], ...]:
    """Return what may be worth embarking of a force, some of which may not, the strongest first.

    canoe: how many units and leaders one carries.
    """
    units_aboard, leaders_aboard = canoe
    soldiers, leaders = _free(here, tired)
    chiefs = [u for u in leaders if is_chief(u)]
    others = [u for u in leaders if not is_chief(u)]
    units: list[tuple[Unit, ...]] = []
    for n in range(units_aboard, 0, -1):
        if len(soldiers) >= n:
            units += [tuple(soldiers[:n]), tuple(soldiers[-n:])]
    with_whom: list[tuple[Unit, ...]] = [()]
    if leaders_aboard:
        with_whom += [tuple(others[:leaders_aboard]), tuple(leaders[:leaders_aboard]), tuple(chiefs[:1])]
    found: dict[tuple[Unit, ...], None] = {}
    for cargo in [*units, ()]:
        for more in with_whom:
            if cargo or more:
                found[cargo + more] = None
    return tuple(found)


@lru_cache(maxsize=50_000)
def _marches(here: tuple[Unit, ...], tired: tuple[Unit, ...]) -> tuple[tuple[Unit, ...], ...]:
    """Return who may be worth marching of a force, some of which may not."""
    soldiers, listed = _free(here, tired)
    leaders = tuple(listed)
    others = tuple(u for u in leaders if not is_chief(u))
    found: dict[tuple[Unit, ...], None] = {}
    for n in sorted({1, 2, len(soldiers) - 1, len(soldiers)}):
        if 0 < n <= len(soldiers):
            for more in ((), others, leaders):
                found[tuple(soldiers[:n]) + more] = None
    if soldiers:
        found[soldiers[-1],] = None
    for more in (others, leaders, *((u,) for u in leaders)):
        if more:
            found[more] = None
    return tuple(found)


def _free(here: tuple[Unit, ...], tired: tuple[Unit, ...]) -> tuple[list[Unit], list[Unit]]:
    """Return the soldiers, the strongest first, and the leaders of a force, without those who are tired."""
    free = list(here)
    for unit in tired:
        if unit in free:
            free.remove(unit)
    soldiers = sorted((u for u in free if not u.leader), key=lambda u: (-u.power[0], u.name))
    return soldiers, [u for u in free if u.leader]


def _pickups(plan: Plan) -> list[tuple[int, tuple[tuple[Unit, ...], ...]]]:
    """Return the spaces where something may embark, and what."""
    board, side = plan.board, plan.side
    return [
        (space, _cargoes(force, plan.tired[space], board.rules.load))
        for space, force in enumerate(board.forces[side])
        if force and not board.forces[1 - side][space] and not board.boats[1 - side][space]
    ]


def _next(plan: Plan) -> list[Plan]:
    """Return plans with one thought more: a march, a fleet move, or several fleets to one space."""
    board, side, rules = plan.board, plan.side, plan.board.rules
    found: list[Plan] = []
    n = len(rules.spaces)
    for space, force in enumerate(board.forces[side]):
        if (
            force
            and rules.sibling[space] >= 0
            and not board.forces[1 - side][space]
            and not board.boats[1 - side][space]
        ):
            for units in _marches(force, plan.walked[space]):
                new = plan.copy()
                new.march(units, space)
                found.append(new)
    if plan.fleets < 1 or plan.canoe_for(0) < 0:
        return found
    pickups = _pickups(plan)
    for space, cargoes in pickups:
        for to in range(n):
            if to != space:
                for cargo in cargoes:
                    new = plan.copy()
                    new.sail(space, cargo, to)
                    found.append(new)
    if plan.fleets < 2:
        return found
    for to in range(n):
        if not board.enemy_in(side, to):
            continue
        for chiefs in (False, True):
            for skip in (-1, *(space for space, _ in pickups if space != to)):
                new = plan.copy()
                for k in range(plan.fleets):
                    load = _strongest(new, to, skip, chiefs)
                    if load is None or not new.sail(load[0], load[1], to):
                        break
                    if k:
                        found.append(new)
                        new = new.copy()
    return found


def _strongest(plan: Plan, to: int, skip: int, chiefs: bool) -> tuple[int, tuple[Unit, ...]] | None:
    """Return the strongest boatload that may still go to a space, not from `skip`."""
    best, found = 0.0, None
    walls = plan.board.rules.fort[to]
    for space, cargoes in _pickups(plan):
        if space not in (to, skip):
            for cargo in cargoes:
                if chiefs or not any(map(is_chief, cargo)):
                    strength = power(cargo, 0, walls)
                    if strength > best:
                        best, found = strength, (space, cargo)
    return found


def make_plan(board: Board, side: int, no_sighting: bool = False, eagerness: float = 0.004) -> Plan:
    """Return the best plan that thinking of one move after the other finds.

    Args:
        board: the position at the start of, or in, the side's movement.
        side: whose.
        no_sighting: fleets are not sighted this half.
        eagerness: how much better a first move must be than none.
    """
    known: dict[object, float] = {}
    best = start(board, side)
    best.value = weigh(best, no_sighting, known=known)
    for thought in range(LONGEST):
        found = best
        least = best.value + (1e-6 if thought else eagerness)
        plans = [(weigh(plan, no_sighting, False, known), -i, plan) for i, plan in enumerate(_next(best))]
        plans.sort(reverse=True)
        for value, _, plan in plans[:SHORT_LIST]:
            plan.value = weigh(plan, no_sighting, True, known) if plan.attacks else value
            if plan.value > max(least, found.value):
                found = plan
        if found is best:
            break
        best = found
    return best
