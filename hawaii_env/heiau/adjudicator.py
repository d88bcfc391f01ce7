"""Movement phases without a game: orders in, results out, on this board or any other. For agents and analyses.

>>> from hawaii_env.heiau.adjudicator import BOARD, Order, adjudicate
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import StateError
from hawaii_env.heiau.game import RULES
from hawaii_env.heiau.refusals import why_no_order
from hawaii_env.heiau.rules.board import ARMY, BUNCH, FLEET, Board, Unit, bits
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, Order
from hawaii_env.heiau.rules.state import new_state
from hawaii_env.heiau.rules.tables import TABLES, make_tables
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.heiau.texts import order_text, unit_text

__all__ = [
    "ARMY",
    "BOARD",
    "BOATS",
    "BUNCH",
    "CONVOY",
    "FLEET",
    "HOLD",
    "MOVE",
    "POST",
    "ROW",
    "SUPPORT",
    "VIA",
    "Board",
    "Order",
    "Outcomes",
    "PossibleOrders",
    "Resolution",
    "Unit",
    "adjudicate",
    "adjudicate_many",
    "bits",
]

BOARD: Board = Ruleset.load().board
"""The shipped board."""

ROW = ("kind", "power", "place", "verb", "source", "target")
"""A unit with its order as a row of numbers: those of `Unit`, then those of `Order`."""

_HOLDS = Order(HOLD)


class Outcomes(NamedTuple):
    """Results of many movement phases, see `adjudicate_many`: arrays int64[K, U], of no meaning where there is no
    unit.

    Attributes:
        kind, place: the unit afterwards, where it is dislodged as it was then.
        attacked_from: where it is dislodged: the space from which its attacker marched or sailed; else, and after a
            convoyed attack, -1 [R-15].
        success, dislodged, burned: 0 or 1, as in `Resolution`.
        contested: 1 where the space that it tried to go to is empty and contested.
    """

    kind: NDArray[np.int64]
    place: NDArray[np.int64]
    attacked_from: NDArray[np.int64]
    success: NDArray[np.int64]
    dislodged: NDArray[np.int64]
    burned: NDArray[np.int64]
    contested: NDArray[np.int64]


@dataclass(frozen=True)
class Resolution:
    """The result of a movement phase. Units go by the space in which they began it.

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


def _tables(board: Board, backend: Any) -> Any:
    """Return a bare board's tables as a backend has them, made once."""
    if backend.compiled not in board.tables:
        board.tables[backend.compiled] = backend.record(TABLES, make_tables(board))
    return board.tables[backend.compiled]


def _empty(board: Board, backend: Any) -> Any:
    """Return a state with nothing on the board as a backend has it, to be written into."""
    key = backend.compiled, "empty"
    if key not in board.tables:
        board.tables[key] = backend.state(new_state(len(board.spaces), 0))
    return board.tables[key].copy()


def position_of(board: Board, units: Mapping[int, Unit], orders: Mapping[int, Order], taken: int = 0) -> Any:
    """Return an interpreted state: units with their orders; `taken`: mask of the spaces where no post can be built."""
    state = new_state(len(board.spaces), 0)
    for space in bits(taken):
        state.post[space] = 1
    for space, unit in units.items():
        state.kind[space], state.power[space], state.place[space] = unit
        if space in orders:
            state.verb[space], state.source[space], state.target[space] = orders[space]
    return state


def adjudicate(board: Board, units: Mapping[int, Unit], orders: Mapping[int, Order], check: bool = True) -> Resolution:
    """Resolve a movement phase: boats burn, the equations are solved, the dislodged are set aside, boats and posts are
    built.

    Args:
        board: the board.
        units: all units, by space.
        orders: an order for each of them; a unit without one holds.
        check: whether impossible units and orders are refused; False where they are known to be possible, as those of
            `PossibleOrders` are, is some three times as fast.

    Raises:
        StateError: two units in one space, a unit or an order of what is not on the board; with `check` a unit where
            none of its kind can be, an order for nobody, an order that the unit cannot be given, with the reason.
    """
    spaces, numbers = sorted(units), list[int]()
    for space in spaces:
        numbers += units[space]
        numbers += orders.get(space, _HOLDS)
    rows = np.array(numbers, np.int64).reshape(1, -1, len(ROW))
    found = _outcomes(board, rows)[0].tolist()
    if check:
        _check(board, units, orders)
    after: dict[int, Unit] = {}
    dislodged: dict[int, tuple[Unit, int]] = {}
    success: dict[int, bool] = {}
    burned: list[int] = []
    posts: dict[int, int] = {}
    contested, space_of = 0, board.space_of
    for space, (kind, place, attacked_from, went, out, burns, closed) in zip(spaces, found, strict=True):
        unit = units[space]
        if space_of[unit.place] != space:
            raise StateError(f"{board.spaces[space]}: its unit stands in {board.places[unit.place]}")
        now = unit if kind == unit.kind and place == unit.place else Unit(kind, unit.power, place)
        success[space] = went == 1
        if out:
            dislodged[space] = now, attacked_from
        else:
            after[space_of[place]] = now
        if burns:
            burned.append(space)
        if went and space in orders and orders[space].verb == POST:
            posts[space] = unit.power
        if closed:
            contested |= 1 << space_of[orders[space].target]
    return Resolution(dict(sorted(after.items())), dislodged, contested, success, frozenset(burned), posts)


def _check(board: Board, units: Mapping[int, Unit], orders: Mapping[int, Order]) -> None:
    """Refuse units and orders that no position has; what `_outcomes` refuses is not among them."""
    for space, unit in units.items():
        if board.space_of[unit.place] == space and not board.can_stand(unit.kind, unit.place):
            raise StateError(f"{unit_text(board, unit)} cannot be there [Armies, Boats 2, Map]")
    free = ~board.heiaus & (1 << len(board.spaces)) - 1
    sight = PossibleOrders(board, units, free, frozenset(unit.power for unit in units.values()))
    for space, order in orders.items():
        if space not in units:
            raise StateError(f"{board.spaces[space]}: an order, and no unit")
        why = sight.refusal(space, order)
        if why:
            unit = units[space]
            raise StateError(f"{order_text(board, unit, order, _kind_of(units, order.source))}: {why}")


def _kind_of(units: Mapping[int, Unit], space: int) -> int:
    return units[space].kind if space in units else ARMY


def adjudicate_many(board: Board, phases: NDArray[np.int64]) -> Outcomes:
    """Resolve many movement phases, each as `adjudicate` does, from and to arrays. Safe to call in several threads.

    Args:
        board: the board.
        phases: int64[K, U, 6]: of K phases up to U units with their orders, see `ROW`; kind -1: no unit. The units
            and orders are possible ones, see `PossibleOrders`: that is not checked.

    Raises:
        StateError: another shape or type, two units in one space, a unit or an order of what is not on the board.
    """
    if not isinstance(phases, np.ndarray) or phases.dtype != np.int64 or phases.shape[2:] != (len(ROW),):
        raise StateError(f"phases: expected an array int64[K, U, {len(ROW)}]")
    found = _outcomes(board, np.ascontiguousarray(phases))
    return Outcomes(*(found[:, :, i] for i in range(len(Outcomes._fields))))


def _outcomes(board: Board, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the results of rows of units and orders: int64[K, U, 7], the columns of `Outcomes`."""
    backend = RULES.backend_for_all()
    found = np.zeros((*rows.shape[:2], len(Outcomes._fields)), np.int64)
    bad = backend.enter_adjudications(_tables(board, backend), _empty(board, backend), rows, found)
    if bad >= 0:
        raise StateError(_refusal(board, rows, *divmod(bad, rows.shape[1])))
    return found


def _refusal(board: Board, rows: NDArray[np.int64], phase: int, unit: int) -> str:
    """Return why a row is not a unit with an order."""
    row: list[int] = rows[phase, unit].tolist()
    kind, power, place = row[:3]
    where = f"phase {phase}, unit {unit}: " if len(rows) > 1 else ""
    if not 0 <= place < len(board.places):
        return f"{where}place {place}: the board has places 0 to {len(board.places) - 1}"
    where += board.places[place]
    before = rows[phase, :unit]
    if board.space_of[place] in (board.space_of[other] for other in before[before[:, 0] >= 0, 2].tolist()):
        return f"{where}: a second unit in that space"
    if not 0 <= kind <= FLEET or power < 0:
        return f"{where}: kind {kind} of power {power} is not a unit"
    return f"{where}: verb {row[3]} with source {row[4]} and target {row[5]} is not an order on this board"


class PossibleOrders:
    """The orders that are possible on a board; nothing depends on what others order [R-07].

    Args:
        board: the board.
        units: the units that are seen, by space.
        sites: mask of the spaces without heiau or post, for the building of posts.
        unbuilt: the powers whose post is unbuilt.
    """

    def __init__(self, board: Board, units: Mapping[int, Unit], sites: int, unbuilt: frozenset[int]) -> None:
        self.board = board
        self.units = units
        self._sites, self._unbuilt = sites, unbuilt
        self._backend = RULES.backend_for_all()
        self._tables: Any = _tables(board, self._backend)
        every = (1 << len(board.spaces)) - 1
        self._state: Any = self._backend.state(position_of(board, units, {}, every & ~sites & ~board.heiaus))
        self._listed: dict[int, list[Order]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return PossibleOrders, (self.board, self.units, self._sites, self._unbuilt)

    def listed(self, space: int) -> list[Order]:
        """Return every order that the unit can be given."""
        found = self._listed.get(space)
        if found is None:
            most = 4 + 2 * len(self.board.places) + 2 * len(self.units) * len(self.board.spaces)
            out = self._backend.words([[0, 0, 0] for _ in range(most)])
            n = self._backend.enter_orders(self._tables, self._state, space, self._builds(space), out)
            found = self._listed[space] = [Order(*map(int, row)) for row in out[:n]]
        return list(found)

    def _builds(self, space: int) -> int:
        return int(self.units[space].power in self._unbuilt)

    def refusal(self, space: int, order: Order) -> str:
        """Return why a unit cannot be given this order, with its section; "" if it can."""
        if self._backend.enter_possible(self._tables, self._state, space, *order, self._builds(space)):
            return ""
        return why_no_order(self.board, self.units, space, order)
