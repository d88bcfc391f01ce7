"""[11.1, 11.4-11.6] Land battles: first and second battle, retreats."""

from __future__ import annotations

from . import data
from .battle import Battle, fight
from .board import Board, Flow, Piece, ask_space
from .cards import window
from .data import KAUAI, TURNED, A, enemy_of
from .withdrawal import withdrawals


def land_battles(board: Board) -> Flow[None]:
    """[11.1] Every contested space, in the attacker's order."""
    side = board.half.side
    while True:
        contested = [s for s in data.SPACES if board.units(side, s) and board.units(enemy_of(side), s)]
        if not contested:
            return
        space = yield from ask_space(side, "battle_order", "battle", contested)
        yield from land_battle(board, space)
        for piece in board.at(space):
            piece.clear()
        yield from withdrawals(board)


def land_battle(board: Board, space: str) -> Flow[None]:
    """[11.4-11.6] R-19: beach and inland, then cliff (or, overland, the beach); two wins take the space."""
    attacker = board.half.side
    defender = enemy_of(attacker)
    invasion = any(piece.arrived_from is None for piece in board.at(space, attacker))
    sheltered = space in data.FORTS
    if not sheltered and defender == A:
        sheltered = yield from window(board, A, "earthworks")
    battle = Battle(board, attacker, {attacker: space, defender: space}, defender if sheltered else None)
    for which in ("first", "second"):
        loser = yield from fight(battle)
        battle.rally(attacker)
        battle.rally(defender)
        if loser == attacker:
            yield from attackers_leave(board, space)
            return
        if not board.units(defender, space):
            return
        if which == "second":
            yield from last_defenders(board, space, invasion)


def last_defenders(board: Board, space: str, invasion: bool) -> Flow[None]:
    """[11.4, 11.6] R-19: twice beaten defenders are lost, or leave the island if they were attacked overland."""
    defender = enemy_of(board.half.side)
    island = data.ISLANDS[data.ISLAND_OF[space]]
    refuges = board.refuges(defender, without=island)
    if not invasion and refuges and board.canoes(defender, space):
        refuge = yield from ask_space(defender, "retreat", "retreat", refuges)
        for piece in board.at(space, defender):
            piece.go(refuge)
    else:
        for piece in board.units(defender, space):
            board.eliminate(piece)


def attackers_leave(board: Board, space: str) -> Flow[None]:
    """[11.5, 11.6] R-23, R-24, R-26: canoes and those who came by canoe first, then those who marched."""
    attacker = board.half.side
    units = board.units(attacker, space)
    for piece in units:
        if piece.arrived_from == TURNED and piece.kind.side != KAUAI:
            board.eliminate(piece)  # Kaiana's card
    by_canoe = [p for p in units if p.place == space and p.arrived_from in (None, TURNED)]
    marchers = [p for p in units if p.place == space and p.arrived_from not in (None, TURNED)]
    canoes = board.canoes(attacker, space)
    refuge: str | None = None
    if canoes or by_canoe:
        refuges = board.refuges(attacker) if canoes else []
        if refuges:
            refuge = yield from ask_space(attacker, "retreat", "retreat", refuges)
        depart([*canoes, *by_canoe], board, refuge)
    if marchers:
        choices = walk_back(board, marchers)
        if refuge is not None:
            choices.add(refuge)
        target = (yield from ask_space(attacker, "retreat", "retreat", sorted(choices))) if choices else None
        depart(marchers, board, target)


def walk_back(board: Board, marchers: list[Piece]) -> set[str]:
    """[11.6] R-24: the space that they came from, if no enemy piece is there."""
    origins = {p.arrived_from for p in marchers if p.arrived_from is not None}
    assert len(origins) == 1
    return {origin for origin in origins if not board.has_enemies(board.half.side, origin)}


def depart(pieces: list[Piece], board: Board, target: str | None) -> None:
    """[11.5] To the refuge, or out of the game if there is none."""
    for piece in pieces:
        if target is None:
            board.eliminate(piece)
        else:
            piece.go(target)
