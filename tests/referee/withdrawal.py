"""[11.5] Canoes that are left alone among enemies."""

from __future__ import annotations

from . import data
from .board import Board, Flow, ask_space
from .data import KAUAI, A, K, enemy_of


def withdrawals(board: Board) -> Flow[None]:
    """[11.5] R-15, R-25, R-30: wherever units of one side face canoes alone, these leave, in map order.

    R-23: a canoe of Kaua'i that turned leaves canoes alone, too, so that the sides share no space when a move begins
    [10.3].
    """
    for space in data.SPACES:
        for owner in (K, A):
            alone = board.canoes(owner, space) and not board.units(owner, space)
            turned = any(canoe.kind.side == KAUAI for canoe in board.canoes(owner, space))
            if alone and (board.units(enemy_of(owner), space) or (turned and board.canoes(enemy_of(owner), space))):
                yield from canoes_leave(board, owner, space)


def canoes_leave(board: Board, owner: str, space: str) -> Flow[None]:
    """[11.5] R-25: together to one space that their side occupies; with none they are lost."""
    canoes = board.canoes(owner, space)
    refuges = board.refuges(owner)
    if refuges:
        refuge = yield from ask_space(owner, "withdrawal", "retreat", refuges)
        for canoe in canoes:
            canoe.go(refuge)
    else:
        for canoe in canoes:
            board.eliminate(canoe)
