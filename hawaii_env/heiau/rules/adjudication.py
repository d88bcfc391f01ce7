"""A movement phase: orders in, results out [Background, Armies, Boats 3, Post, Convoys].

The answers (does a move succeed, is a unit dislodged, is a support given, is a convoy's path whole) are settled by
three-valued iteration: each is computed from the least and the greatest that strengths can still be. What stays open
hangs together in circles; see `_Equations.untie`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .board import ARMY, BUNCH, Board, Unit
from .convoys import chain
from .orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, Order, burns

__all__ = ["Resolution", "adjudicate"]

_Key = tuple[str, int]
_PATH, _MOVE, _GIVEN, _OUT = "path", "move", "given", "out"


@dataclass(frozen=True)
class Resolution:
    """What became of a movement phase. Units go by the space in which they began it.

    Attributes:
        units: the units after it, without those dislodged, by space.
        dislodged: those dislodged, in table order of where they stood: the unit, and the space from which its attacker
            marched or sailed; -1 after a convoyed attack [R-15].
        contested: mask of the empty spaces to which a move with a strength failed.
        success: by unit; see section 4.5 of the design: a move arrived, a support was given, boats or a post were
            built, else not dislodged.
        burned: units whose boats burned [Boats 3].
        posts: spaces in which a post was built, with its power [Post].
    """

    units: dict[int, Unit]
    dislodged: dict[int, tuple[Unit, int]]
    contested: int
    success: dict[int, bool]
    burned: frozenset[int]
    posts: dict[int, int]


class _Equations:
    """The equations of one phase; every unit is known by its space."""

    def __init__(self, board: Board, units: Mapping[int, Unit], orders: Mapping[int, Order]) -> None:
        self.board, self.units, self.orders = board, units, orders
        self.target: dict[int, int] = {}
        self.into: dict[int, list[int]] = {}
        for space, order in orders.items():
            if order.verb in (MOVE, VIA):
                at = board.space_of[order.target]
                self.target[space] = at
                self.into.setdefault(at, []).append(space)
        self.opponent: dict[int, int] = {}  # head to head: both by plain moves
        for space, at in self.target.items():
            if self.target.get(at) == space and orders[space].verb == orders[at].verb == MOVE:
                self.opponent[space] = at
        self.helpers: dict[int, list[int]] = {space: [] for space in units}
        self.carriers: dict[int, list[int]] = {space: [] for space, order in orders.items() if order.verb == VIA}
        known: dict[_Key, bool | None] = {}
        for space, order in orders.items():
            if order.verb == SUPPORT and self._fits(order):
                self.helpers[order.source].append(space)
                known[_GIVEN, space] = None
            elif order.verb == CONVOY and order.source in self.carriers and self.target[order.source] == order.target:
                self.carriers[order.source].append(space)
            if space in self.target:
                known[_PATH, space] = True if order.verb == MOVE else None
                known[_MOVE, space] = None
            known[_OUT, space] = None if space in self.into else False
        self.known = known
        self.open: list[_Key] = [key for key, value in known.items() if value is None]

    def _fits(self, order: Order) -> bool:
        """A support to stay fits a unit without a move; one to go fits a unit that goes there, on any coast and by any
        route [R-06].
        """
        if order.source not in self.units:
            return False
        going = self.target.get(order.source, order.source)
        return going == order.target

    # The answers: True, False, or None while either is possible

    def answer(self, key: _Key) -> bool | None:
        """Compute one answer from the others."""
        what, space = key
        if what is _PATH:
            return self._path(space)
        if what is _GIVEN:
            return self._given(space)
        return self._out(space) if what is _OUT else self._move(space)

    def _path(self, space: int) -> bool | None:
        """Whether fleets ordered to convoy just this, and not dislodged, make a chain; any one is enough [Convoys,
        R-27].
        """
        unit, order = self.units[space], self.orders[space]
        at = self.target[space]
        ends = self.board.standing(at) if unit.kind == ARMY else (order.target,)
        sure = [self.units[f].place for f in self.carriers[space] if self.known[_OUT, f] is False]
        if sure and chain(self.board, unit, ends, sure):
            return True
        maybe = [self.units[f].place for f in self.carriers[space] if self.known[_OUT, f] is not True]
        return None if maybe and chain(self.board, unit, ends, maybe) else False

    def _given(self, space: int) -> bool | None:
        """Whether a support is given: its unit stays, and nobody of another power attacks it but from the target."""
        out = self.known[_OUT, space]
        if out:
            return False
        sure = out is False
        power, supported = self.units[space].power, self.orders[space].target
        for attacker in self.into.get(space, ()):
            if self.units[attacker].power == power or attacker == supported:
                continue
            path = self.known[_PATH, attacker]
            if path:
                return False
            sure = sure and path is False
        return True if sure else None

    def _out(self, space: int) -> bool | None:
        """Whether a unit is dislodged: a move into its space succeeds, and it does not get away."""
        leaves = self.known.get((_MOVE, space), False)
        if leaves:
            return False
        open_ = False
        for attacker in self.into[space]:
            moves = self.known[_MOVE, attacker]
            if moves and leaves is False:
                return True
            open_ = open_ or moves is not False
        return None if open_ else False

    def _helped(self, space: int, against: int = -1) -> tuple[int, int]:
        """Least and greatest 1 + supports of a unit's order; supports of the power `against` do not count."""
        least = most = 1
        for helper in self.helpers[space]:
            if self.units[helper].power != against:
                given = self.known[_GIVEN, helper]
                least += given is True
                most += given is not False
        return least, most

    def _attack(self, space: int) -> tuple[int, int]:
        path = self.known[_PATH, space]
        if path is False:
            return 0, 0
        at = self.target[space]
        victim = self.units.get(at)
        leaves = None if victim is None or self.opponent.get(space) == at else self.known.get((_MOVE, at), False)
        if victim is None or leaves:
            least, most = self._helped(space)
        else:
            # It stays: no unit is dislodged by its own power, nor with its own power's support.
            own = victim.power == self.units[space].power
            least, most = (0, 0) if own else self._helped(space, victim.power)
            if leaves is None and self.opponent.get(space) != at:
                most = max(most, self._helped(space)[1])
        return (least if path else 0), most

    def _prevent(self, space: int) -> tuple[int, int]:
        path = self.known[_PATH, space]
        if path is False:
            return 0, 0
        least, most = self._helped(space)
        opponent = self.opponent.get(space)
        beaten = False if opponent is None else self.known[_MOVE, opponent]
        if beaten:
            return 0, 0
        return (least if path and beaten is False else 0), most

    def _hold(self, at: int) -> tuple[int, int]:
        if at not in self.units:
            return 0, 0
        if at not in self.target:
            return self._helped(at)
        leaves = self.known[_MOVE, at]
        return (0, 0) if leaves else (int(leaves is False), 1)

    def _move(self, space: int) -> bool | None:
        """Whether a move succeeds: it is stronger than every other move there, and than who opposes it or holds the
        space.
        """
        at = self.target[space]
        least, most = self._attack(space)
        rivals = [self._prevent(other) for other in self.into[at] if other != space]
        rivals.append(self._helped(at) if space in self.opponent else self._hold(at))
        if all(least > high for _, high in rivals):
            return True
        return False if any(most <= low for low, _ in rivals) else None

    # Solving

    def settle(self) -> None:
        """Settle everything."""
        while True:
            self._iterate()
            if not self.open:
                return
            self.untie()

    def _iterate(self) -> None:
        known, waiting = self.known, self.open
        while waiting:
            left: list[_Key] = []
            for key in waiting:
                value = self.answer(key)
                if value is None:
                    left.append(key)
                else:
                    known[key] = value
            if len(left) == len(waiting):
                break
            waiting = left
        self.open = waiting

    def _needs(self, key: _Key) -> list[_Key]:
        """The open answers that one depends on."""
        what, space = key
        if what is _PATH:
            found = [(_OUT, fleet) for fleet in self.carriers[space]]
        elif what is _GIVEN:
            found = [(_OUT, space), *((_PATH, attacker) for attacker in self.into.get(space, ()))]
        elif what is _OUT:
            found = [(_MOVE, space), *((_MOVE, attacker) for attacker in self.into[space])]
        else:
            at = self.target[space]
            facing = self.opponent.get(space) == at
            found = [(_PATH, space), *((_GIVEN, helper) for helper in self.helpers[space])]
            if at in self.target and not facing:
                found.append((_MOVE, at))
            elif at in self.units:
                found += [(_GIVEN, helper) for helper in self.helpers[at]]
            least = self._attack(space)[0]
            for other in self.into[at]:
                if other != space and self._prevent(other)[1] >= least:
                    found += [(_PATH, other), *((_GIVEN, helper) for helper in self.helpers[other])]
                    if other in self.opponent:
                        found.append((_MOVE, self.opponent[other]))
        return [other for other in dict.fromkeys(found) if other != key and self.known.get(other, False) is None]

    def _knot(self) -> list[_Key]:
        """The smallest set of open answers that depend on no open answer outside it; the first where there are
        several.
        """
        needs = {key: self._needs(key) for key in self.open}
        reached: dict[_Key, set[_Key]] = {}
        for key in self.open:
            seen, stack = {key}, [key]
            while stack:
                for other in needs[stack.pop()]:
                    if other not in seen:
                        seen.add(other)
                        stack.append(other)
            reached[key] = seen
        return sorted(min(reached.values(), key=lambda seen: (len(seen), sorted(seen))), key=self.open.index)

    def untie(self) -> None:
        """Settle a set of answers that hang together in a circle.

        With one solution it is that. Else, without convoys, its moves all succeed (circular movement); with convoys (a
        paradox), each unit that is convoyed in it has no path: Szykman's rule [R-14].
        """
        knot = self._knot()
        solutions = self._solutions(knot, [])
        if len(solutions) == 1:
            self.known.update(solutions[0])
        elif any(what is _PATH for what, _ in knot):
            self.known.update({key: False for key in knot if key[0] is _PATH})
        else:
            self.known.update({key: True for key in knot if key[0] is _MOVE})
        self.open = [key for key in self.open if self.known[key] is None]

    def _solutions(self, knot: list[_Key], found: list[dict[_Key, bool | None]]) -> list[dict[_Key, bool | None]]:
        """Return the consistent ways to settle a set of answers, two at most."""
        before = {key: self.known[key] for key in knot}
        try:
            while True:
                changed = False
                for key in knot:
                    value = self.answer(key)
                    if value is None:
                        continue
                    if self.known[key] is None:
                        self.known[key] = value
                        changed = True
                    elif self.known[key] != value:
                        return found
                if not changed:
                    break
            free = next((key for key in knot if self.known[key] is None), None)
            if free is None:
                solution = {key: self.known[key] for key in knot}
                if solution not in found:
                    found.append(solution)
                return found
            for guess in (True, False):
                if len(found) < 2:
                    self.known[free] = guess
                    self._solutions(knot, found)
            return found
        finally:
            self.known.update(before)


def adjudicate(board: Board, units: Mapping[int, Unit], orders: Mapping[int, Order]) -> Resolution:
    """Resolve a movement phase: boats burn, the equations are solved, the dislodged are set aside, boats and posts are
    built.

    Args:
        board: the board.
        units: all units, by space.
        orders: an order for each of them; a unit without one holds. They are possible ones, see `orders.Sight`.
    """
    orders = {space: orders.get(space, Order(HOLD)) for space in units}
    burned = frozenset(space for space, unit in units.items() if burns(board, unit, orders[space]))
    units = {space: unit._replace(kind=ARMY) if space in burned else unit for space, unit in units.items()}
    found = _Equations(board, units, orders)
    found.settle()
    known = found.known
    after: dict[int, Unit] = {}
    dislodged: dict[int, tuple[Unit, int]] = {}
    success: dict[int, bool] = {}
    posts: dict[int, int] = {}
    for space, unit in units.items():
        order, out = orders[space], bool(known[_OUT, space])
        moved = bool(known.get((_MOVE, space), False))
        success[space] = not out
        if moved:
            place = order.target
            after[board.space_of[place]] = unit._replace(
                place=board.bare[board.space_of[place]] if unit.kind == ARMY else place
            )
        elif out:
            attacker = next(one for one in found.into[space] if known[_MOVE, one])
            dislodged[space] = unit, attacker if orders[attacker].verb == MOVE else -1
        else:
            after[space] = unit
        if order.verb in (MOVE, VIA):
            success[space] = moved
        elif order.verb == SUPPORT:
            success[space] = bool(known.get((_GIVEN, space), False))
        elif order.verb in (BOATS, POST):
            success[space] = built = not _attacked(found, space)
            if built and order.verb == BOATS:
                after[space] = Unit(BUNCH, unit.power, order.target)
            elif built:
                posts[space] = unit.power
    contested = 0
    for at, movers in found.into.items():
        if at not in after and any(not known[_MOVE, one] and found._prevent(one)[0] >= 1 for one in movers):
            contested |= 1 << at
    return Resolution(dict(sorted(after.items())), dict(sorted(dislodged.items())), contested, success, burned, posts)


def _attacked(found: _Equations, space: int) -> bool:
    """True when a unit of another power is ordered there, by an undisturbed convoy or by itself; success does not
    matter [R-12, R-25].
    """
    power = found.units[space].power
    return any(found.units[one].power != power and found.known[_PATH, one] for one in found.into.get(space, ()))
