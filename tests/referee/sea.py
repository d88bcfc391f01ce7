"""[11.7, 11.8] Invasions: sighting, war fleets, sea battles, landings."""

from __future__ import annotations

from . import data
from .battle import Battle, fight
from .board import Board, Flow, Piece, Pointer, ask, ask_space, named, roll
from .cards import window
from .data import enemy_of
from .movement import fits
from .withdrawal import withdrawals


def approaches(board: Board) -> Flow[None]:
    """[11.7] R-17: one space after the other, in the attacker's order."""
    side = board.half.side
    while True:
        waiting = [space for space in data.SPACES if board.at("sea/" + space)]
        if not waiting:
            return
        space = yield from ask_space(side, "approach", "approach", waiting)
        yield from approach(board, space)


def approach(board: Board, space: str) -> Flow[None]:
    """[11.7] Seen or not, met at sea or not."""
    defender = enemy_of(board.half.side)
    if (yield from is_sighted(board, space)):
        table = {"launch": True, "pass": False}
        if (yield from ask(defender, "launch", table)):
            yield from war_fleet(board, space)
            yield from withdrawals(board)
            yield from sea_battle(board, space)
            return
    land(board, space)
    yield from withdrawals(board)


def is_sighted(board: Board, space: str) -> Flow[bool]:
    """[11.7] A die, if a canoe is there and somebody to sail in it and no event stands in the way."""
    defender = enemy_of(board.half.side)
    if board.half.no_sighting or not board.canoes(defender, space):
        return False
    if not any(board.units(defender, near) for near in own_and_other_space(space)):
        return False
    if (yield from window(board, defender, "sighted_without_roll")):
        return True
    return (yield from roll("sighting")) <= 3


def own_and_other_space(space: str) -> tuple[str, ...]:
    """[11.7] The space and, on a two-space island, its other one."""
    other = data.OTHER_SIDE_OF_ISLAND.get(space)
    return (space,) if other is None else (space, other)


def war_fleet(board: Board, space: str) -> Flow[None]:
    """[11.7] R-17: a canoe of the invaded space first, then canoes and units within capacity, until enough."""
    defender = enemy_of(board.half.side)
    while True:
        committed = board.at("war")
        canoes = sum(1 for p in committed if p.kind.canoe)
        crew = [p for p in committed if p.is_unit]
        pointers = [Pointer("commit", p, (space,)) for p in board.canoes(defender, space)]
        if canoes:
            pointers += [
                Pointer("commit", p, (near,))
                for near in own_and_other_space(space)
                for p in board.units(defender, near)
                if fits(p, crew, canoes)
            ]
        table: dict[str, Pointer | None] = {}
        table.update(named(pointers))
        if crew:
            table["done"] = None
        chosen = yield from ask(defender, "commit", table)
        if chosen is None:
            return
        chosen.piece.arrived_from = chosen.piece.place
        chosen.piece.place = "war"


def sea_battle(board: Board, space: str) -> Flow[None]:
    """[11.8] R-18: one battle, no shelter; the loser flees with half its canoes, the others land or go back."""
    attacker = board.half.side
    defender = enemy_of(attacker)
    sea = "sea/" + space
    battle = Battle(board, attacker, {attacker: sea, defender: "war"})
    loser = yield from fight(battle)
    battle.rally(loser)
    if loser == attacker:
        battle.rally(defender)
        return_home(board.at("war"))
        yield from withdrawals(board)  # R-15 is applied before a refuge is chosen (section 8 of the ruleset)
        yield from flee(board, attacker, sea, barred=())
    else:
        yield from flee(board, defender, "war", barred=(space,))
        battle.rally(attacker)
        if board.sea_victor == "repulsed" and board.units(defender, space):
            return_home(board.at(sea))
        else:
            land(board, space)
    forget_where_from(board)
    yield from withdrawals(board)


def return_home(pieces: list[Piece]) -> None:
    """[11.8] R-29: back to the spaces from which they sailed."""
    for piece in pieces:
        assert piece.arrived_from is not None
        piece.go(piece.arrived_from)


def flee(board: Board, loser: str, place: str, barred: tuple[str, ...]) -> Flow[None]:
    """[11.8] R-26: to one space that the side occupies, with half the canoes, rounded up; with none all are lost."""
    refuges = board.refuges(loser, barred)
    if not refuges:
        for piece in board.at(place, loser):
            board.eliminate(piece)
        return
    lost = len(board.canoes(loser, place)) // 2
    for _ in range(lost):
        pointers = [Pointer("lose", canoe) for canoe in board.canoes(loser, place)]
        chosen = yield from ask(loser, "canoe_loss", named(pointers))
        board.eliminate(chosen.piece)
    refuge = yield from ask_space(loser, "retreat", "retreat", refuges)
    for piece in board.at(place, loser):
        piece.go(refuge)


def land(board: Board, space: str) -> None:
    """[11.7, 11.8] The fleets bound for the space put ashore."""
    for piece in board.at("sea/" + space):
        piece.go(space)


def forget_where_from(board: Board) -> None:
    """[11.8] Who no longer stands among enemy units is no longer a newcomer."""
    for piece in board.pieces:
        if piece.place in data.SPACES and not board.units(enemy_of(board.half.side), piece.place):
            piece.arrived_from = None
