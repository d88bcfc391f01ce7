"""[10.0] Marches and fleet moves."""

from __future__ import annotations

from . import data
from .board import Board, Flow, Piece, Pointer, ask, ask_space, named
from .data import enemy_of
from .withdrawal import withdrawals


def movement(board: Board) -> Flow[None]:
    """[10.1-10.3] Moves in any order until the player has had enough."""
    side = board.half.side
    while True:
        table: dict[str, Pointer | None] = {}
        table.update(named(marches(board)))
        table.update(named(fleets(board)))
        table["done"] = None
        chosen = yield from ask(side, "movement", table)
        if chosen is None:
            break
        if chosen.verb == "march":
            march(board, chosen.piece, chosen.places[1])
            yield from withdrawals(board)
        else:
            yield from fleet_move(board, chosen.piece)
    for piece in board.pieces:
        piece.carried = piece.marched = False
    board.fleet_moves = 0


def marches(board: Board) -> list[Pointer]:
    """[10.2] R-11, R-14, R-28: once a turn to the other space of the island, unless among enemy units."""
    pointers: list[Pointer] = []
    for origin, target in data.OTHER_SIDE_OF_ISLAND.items():
        free = [p for p in board.units(board.half.side, origin) if not p.marched and p.arrived_from is None]
        pointers.extend(Pointer("march", piece, (origin, target)) for piece in free)
    return pointers


def march(board: Board, piece: Piece, target: str) -> None:
    """[10.1, 10.2] Into enemy units it remembers where it came from, and stays."""
    origin = piece.place
    piece.go(target)
    piece.marched = True
    if board.units(enemy_of(piece.owner), target):
        piece.arrived_from = origin


def fleets(board: Board) -> list[Pointer]:
    """[10.3] Canoes that can still make a whole fleet move; R-23: none that turned among enemies."""
    if board.fleet_moves == 0:
        return []
    return [
        Pointer("fleet", canoe, (space,))
        for space in data.SPACES
        for canoe in board.canoes(board.half.side, space)
        if not canoe.carried and canoe.arrived_from is None and pickups(board, canoe)
    ]


def embarkable(board: Board, space: str) -> list[Piece]:
    """[10.3] R-14: units there not yet carried this turn, and not among enemy units."""
    return [p for p in board.units(board.half.side, space) if not p.carried and p.arrived_from is None]


def pickups(board: Board, canoe: Piece) -> list[str]:
    """[10.3] R-13: spaces without enemies where something waits, or its own space for an empty voyage."""
    spaces = []
    for space in data.SPACES:
        if board.has_enemies(canoe.owner, space):
            continue
        own = space == canoe.place
        if embarkable(board, space) or (own and destinations(board, space, empty=True)):
            spaces.append(space)
    return spaces


def destinations(board: Board, origin: str, empty: bool) -> list[str]:
    """[10.3] R-13: anywhere else; an empty canoe neither among enemies nor to neutral Kaua'i."""
    side = board.half.side
    return [
        space
        for space in data.SPACES
        if space != origin and not (empty and (board.has_enemies(side, space) or board.is_neutral_kauai(space)))
    ]


def fleet_move(board: Board, canoe: Piece) -> Flow[None]:
    """[10.3] R-12, R-13, R-14, R-29: pick up, load two units and two leaders at most, sail, land or wait at sea."""
    side = board.half.side
    board.fleet_moves -= 1
    origin = yield from ask_space(side, "pickup", "pickup", pickups(board, canoe))
    canoe.go("aboard")
    cargo: list[Piece] = []
    while True:
        table: dict[str, Pointer | None] = {}
        table.update(named(Pointer("embark", p) for p in embarkable(board, origin) if fits(p, cargo, canoes=1)))
        if cargo or destinations(board, origin, empty=True):
            table["done"] = None
        chosen = yield from ask(side, "cargo", table)
        if chosen is None:
            break
        chosen.piece.go("aboard")
        cargo.append(chosen.piece)
    target = yield from ask_space(side, "sail", "sail", destinations(board, origin, empty=not cargo))
    if board.is_neutral_kauai(target):
        board.kauai_joins(enemy_of(side))
    hostile = board.has_enemies(side, target)
    for piece in (canoe, *cargo):
        piece.go("sea/" + target if hostile else target)
        piece.carried = True
        piece.arrived_from = origin if hostile else None
    yield from withdrawals(board)


def fits(piece: Piece, aboard: list[Piece], canoes: int) -> bool:
    """[3.1, 10.3] R-12: two units and two leaders a canoe."""
    alike = sum(1 for other in aboard if other.is_unit and other.kind.leader == piece.kind.leader)
    return alike < 2 * canoes
