"""[11.1-11.3, 12.0, 13.0, 14.0] One battle, at sea or ashore, round by round."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import data
from .board import Board, Flow, Piece, Pointer, ask, named, roll
from .data import A, K, enemy_of


@dataclass
class Battle:
    """[11.1] Who fights from which place; `sheltered`: the side in a fort or earthworks, if any."""

    board: Board
    attacker: str
    places: dict[str, str]
    sheltered: str | None = None
    pike_used: set[str] = field(default_factory=set)

    def units(self, side: str) -> list[Piece]:
        """[11.2] A side's units in this battle."""
        return self.board.units(side, self.places[side])

    def standing(self, side: str) -> list[Piece]:
        """[11.1] Those not panicked."""
        return [p for p in self.units(side) if not p.panicked]

    def able(self, side: str, gunpowder_only: bool = False) -> list[Piece]:
        """[11.1, 14.2] Those that may still fire in this round."""
        return [p for p in self.standing(side) if not p.fired and (p.kind.gunpowder or not gunpowder_only)]

    def somebody_is_gone(self) -> bool:
        """[11.1] R-22: a side has no units left."""
        return not self.units(K) or not self.units(A)

    def rally(self, side: str) -> None:
        """[11.6] All of a side back to their front sides."""
        for piece in self.board.at(self.places[side], side):
            piece.rally()


def fight(battle: Battle) -> Flow[str]:
    """[11.1 viii] Rounds until one side has nobody unpanicked left; that side is returned."""
    while True:
        yield from one_round(battle)
        for side in (K, A):
            if not battle.standing(side):
                return side


def one_round(battle: Battle) -> Flow[None]:
    """[11.1, 14.2] Advantage, gunpowder, then unit by unit in turn; R-22 ends it early."""
    for side in (K, A):
        for piece in battle.units(side):
            piece.fired = False
    battle.pike_used.clear()
    first = yield from advantage(battle)
    second = enemy_of(first)
    for side in (first, second):
        while battle.able(side, gunpowder_only=True):
            yield from fire_one(battle, side, gunpowder_only=True)
            if battle.somebody_is_gone():
                return
    turn = first
    while battle.able(first) or battle.able(second):
        if battle.able(turn):
            yield from fire_one(battle, turn, gunpowder_only=False)
            if battle.somebody_is_gone():
                return
        turn = enemy_of(turn)


def advantage(battle: Battle) -> Flow[str]:
    """[11.1 i-iii] A die each, Kamehameha's first; one more for more elite units, events on top; ties again."""
    half = battle.board.half
    counting = {side: sum(1 for p in battle.standing(side) if p.kind.counts) for side in (K, A)}
    while True:
        total = {}
        for side in (K, A):
            total[side] = yield from roll("advantage")
        for side in (K, A):
            if counting[side] > counting[enemy_of(side)]:
                total[side] += 1
        total[half.side] += half.advantage_bonus
        if total[K] != total[A]:
            return K if total[K] > total[A] else A


def fire_one(battle: Battle, side: str, gunpowder_only: bool) -> Flow[None]:
    """[11.1 v-vi, 11.2] R-05, R-20: a unit of the side's choice; each die counts before the next is rolled."""
    pointers = [Pointer("fire", p) for p in battle.able(side, gunpowder_only)]
    shooter = (yield from ask(side, "fire", named(pointers))).piece
    shooter.fired = True
    dice = shooter.kind.strength
    half = battle.board.half
    if shooter.kind.gunpowder and side == half.side:
        dice += half.gunpowder_dice
    column = data.ELITE_COLUMN if shooter.kind.elite else data.ORDINARY_COLUMN
    target = enemy_of(side)
    for _ in range(dice):
        die = yield from roll("hit_die")
        if column[die] == data.ELIMINATION:
            yield from suffer_elimination(battle, target)
        elif column[die] == data.PANIC:
            yield from suffer_panic(battle, target)
        if battle.somebody_is_gone():
            return


def suffer_elimination(battle: Battle, side: str) -> Flow[None]:
    """[11.3] The side that is hit chooses; somebody unpanicked while it has one."""
    candidates = battle.standing(side) or battle.units(side)
    victim = yield from ask(side, "loss", named(Pointer("lose", p) for p in candidates))
    battle.board.eliminate(victim.piece)


def suffer_panic(battle: Battle, side: str) -> Flow[None]:
    """[11.3, 12.0, 13.0, 14.1] R-21: forts, elite units and the pike's first panic of a round; a second one kills."""
    if battle.sheltered == side:
        return
    candidates = [p for p in battle.units(side) if not p.kind.elite]
    if not candidates:
        return
    if side not in battle.pike_used and any(p.kind.name == "pike" for p in battle.standing(side)):
        battle.pike_used.add(side)
        return
    victim = (yield from ask(side, "panic", named(Pointer("panic", p) for p in candidates))).piece
    if victim.panicked:
        battle.board.eliminate(victim)
    else:
        victim.panicked = True
        victim.fired = False
