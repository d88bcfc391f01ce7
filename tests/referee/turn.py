"""[5.0, 6.0, 7.0] Setting up, the order of play, winning by occupation."""

from __future__ import annotations

from collections import Counter

from . import data
from .board import Board, Flow, GameOver, HalfTurn, Pointer, ask, named
from .cards import card_event, draw_card, recruiting, window
from .data import A, K
from .land import land_battles
from .movement import movement
from .sea import approaches

STEPS = ("victory", "card", "recruiting", "window", "movement")


def game(board: Board, entry: str | None = None) -> Flow[None]:
    """[7.2] The whole game; with `entry`, from that step of the half that the board is in."""
    try:
        if entry is None:
            yield from set_up(board)
        while True:
            yield from half_turn(board, entry or "victory")
            entry = None
            next_half(board)
    except GameOver as end:
        board.over = end.winner
        board.reason = end.reason


def set_up(board: Board) -> Flow[None]:
    """[6.0, 6.2] R-06: spaces still open are chosen piece by piece; Kamehameha's extra pieces first."""
    if board.scenario == "short":
        yield from place_pieces(board, K)
    yield from place_pieces(board, A)


def place_pieces(board: Board, side: str) -> Flow[None]:
    """[6.0, 6.2] R-06: in table order, then the short game's two warriors of the side's choice."""
    extras = data.SHORT_GAME_EXTRAS[side] if board.scenario == "short" else ()
    spaces = data.ISLANDS[data.SETUP_ISLAND[side]]
    for kind in (k for k in board.numbers.kinds if k.side == side):
        count = kind.start.count("oahu") + (1 if kind.name in extras else 0)
        for _ in range(count):
            waiting = [p for p in board.at("box/" + side) if p.kind is kind]
            yield from place_one(board, side, [Pointer("place", waiting[0], (space,)) for space in spaces])
    if board.scenario == "short":
        for _ in range(data.SHORT_GAME_WARRIORS):
            choice = [p for p in board.at("box/" + side) if p.kind.warrior and p.kind.name != "kaiana_warriors"]
            yield from place_one(board, side, [Pointer("place", p, (space,)) for p in choice for space in spaces])


def place_one(board: Board, side: str, pointers: list[Pointer]) -> Flow[None]:
    """[6.0] One piece, one space."""
    chosen = yield from ask(side, "setup", named(pointers))
    chosen.piece.go(chosen.places[0])


def half_turn(board: Board, entry: str) -> Flow[None]:
    """[7.2] Victory check, card, recruiting, movement, sea battles, land battles."""
    side = board.half.side
    start = STEPS.index(entry)
    if start <= STEPS.index("victory"):
        check_occupation(board, side)
    if start <= STEPS.index("card"):
        yield from draw_card(board)
        yield from card_event(board)
    if start <= STEPS.index("recruiting"):
        yield from recruiting(board)
    if board.half.card is not None:
        board.fleet_moves = board.half.card.fleets
    if start <= STEPS.index("window") and side == K and (yield from window(board, K, "no_sighting")):
        board.half.no_sighting = True
    yield from movement(board)
    yield from approaches(board)
    yield from land_battles(board)
    for piece in board.pieces:
        piece.clear()


def next_half(board: Board) -> None:
    """[5.3, 7.2] The Allied half follows Kamehameha's; after the last month nobody has won, R-08 apart."""
    number = board.half.number + 1
    if board.half.side == K:
        board.half = HalfTurn(A, number)
        return
    month = board.months.index(board.turn) + 1
    if month == len(board.months):
        if board.final_check:
            check_occupation(board, K)
        raise GameOver("tie", "5.3 nobody has won by the end of November")
    board.turn = board.months[month]
    board.half = HalfTurn(K, number)


def check_occupation(board: Board, side: str) -> None:
    """[5.1] R-01, R-02, R-07: Kamehameha needs both forts and four of five, the Allies two blue and a fort."""
    held = Counter(
        {
            group: sum(board.occupies(side, space) for space in spaces)
            for group, spaces in (("forts", data.FORTS), ("blue", data.BLUE), ("five", data.BLUE_AND_YELLOW))
        }
    )
    if side == K and held["forts"] == 2 and held["five"] >= 4:
        raise GameOver(K, "5.1 Kamehameha occupies both forts and four of the other spaces")
    if side == A and held["forts"] >= 1 and held["blue"] >= 2:
        raise GameOver(A, "5.1 the Allies occupy two blue spaces and a fort")
