"""Checks of battles, withdrawals and retreats [11.0]."""

from __future__ import annotations

from hawaii_env.positions import forbid

from ..rules import names
from ..rules.land_battle import battle_place, fights, ignores_panic, may_panic, pike_ready, unpanicked_left
from ..rules.names import N_PIECES, PHASES, SEA, SIDES, SPACES, WAR
from ..rules.pieces import attacker, contested, occupies, pieces_in
from ..rules.withdrawal import driven_off, fleet_place, has_refuge, is_marcher, island_mask, sea_barred
from .facts import Facts, fire_order


def sea_field(c: Facts) -> None:
    """[11.7] Check that a fleet is bound for the space, and that the defender could sail out or has begun to."""
    s, side = c.s.field, 1 - c.half
    forbid(s < 0, f"field: phase {PHASES[c.phase]} is about a space")
    forbid(not c.canoes(c.half, SEA + s), f"field: no fleet is bound for {SPACES[s]} [11.7]")
    places = [place for place in (s, WAR, c.t.sibling[s]) if place >= 0]
    forbid(
        not (c.canoes(side, s) or c.canoes(side, WAR)) or not any(c.units(side, place) for place in places),
        f"field: nobody could sail out from {SPACES[s]} [11.7]",
    )


def contested_field(c: Facts) -> None:
    """[11.0, 11.6, R-19] Check the land battle's space, and that it is an invasion or overland."""
    s = c.s.field
    forbid(
        s < 0 or not contested(c.s, s) or c.s.battle == names.SEA_BATTLE,
        "field: a land battle is for a contested space [11.0]",
    )
    forbid(
        (c.s.battle == names.INVASION) != c.bare(s),
        "battle: kind: an invasion if any attacker came by canoe, else overland (R-19)",
    )


def battle(c: Facts) -> None:
    """[11.1 to 11.3] Check a battle that is being fought."""
    s, t, phase, at_sea = c.s, c.t, c.phase, c.s.battle == names.SEA_BATTLE
    forbid(s.field < 0, "field: the battle is for a space")
    sides = [[p for p in range(N_PIECES) if fights(t, s, side, battle_place(s, side), p)] for side in (0, 1)]
    for side in (0, 1):
        forbid(not sides[side], f"battle: {SIDES[side]} has no unit in it (R-22)")
    forbid(s.earthworks and (at_sea or t.fort[s.field]), "earthworks: never at sea or in a fort")
    forbid(s.second and at_sea, "battle: second: a sea battle has no second one [11.8]")
    forbid(
        s.battle == names.OVERLAND and c.bare(s.field),
        "battle: kind: an attacker there came by canoe, or is not marked as come overland (R-19)",
    )
    if phase == names.ADVANTAGE:
        forbid(s.advantage >= 0, "advantage: it is being rolled for")
        forbid(any(s.pike_used), "pike_used: the round has not begun [14.1]")
        forbid(
            not all(unpanicked_left(t, s, side) for side in (0, 1)),
            "battle: a side without an unpanicked unit has lost it [11.1 viii]",
        )
        return
    forbid(s.advantage < 0, "advantage: somebody has it in this phase [11.1]")
    forbid(
        s.guns and s.turn_side != s.advantage,
        "turn_side: while gunpowder fires, the alternation has not begun [14.2]",
    )
    order = fire_order(t, s)
    if phase != names.FIRE:
        firer(c, sides, order)
        return
    would = f"{SIDES[order[0]]}'s {'gunpowder' if order[1] else 'units'} would" if order else "nobody"
    forbid(
        order != (s.firing, s.guns),
        f"fire: {SIDES[s.firing]} has no unit able to fire now; {would} [11.1, 14.2]",
    )


def firer(c: Facts, sides: list[list[int]], order: tuple[int, int] | None) -> None:
    """[11.1 v, 11.3, 14.2] Check the unit whose dice are rolled, and what its die has done."""
    s, t, firing, piece = c.s, c.t, c.s.firing, c.s.firer
    forbid(
        piece not in sides[firing] or not s.fired[piece] or s.panicked[piece],
        "firer: a unit of the firing side that has just begun to fire [11.1 v]",
    )
    forbid(
        s.guns != t.gun[piece] or (not s.guns and s.turn_side != 1 - firing),
        "firer: gunpowder fires first, and then the sides in turn [14.2]",
    )
    forbid(
        order is not None and order[1] and (not s.guns or (order[0] == s.advantage != firing)),
        "firer: gunpowder fires first, beginning with the side that has the advantage [14.2]",
    )
    rolling = c.phase == names.HIT_DIE
    most = t.strength[piece] + (s.gunpowder_bonus if t.gun[piece] and firing == c.half else 0)
    forbid(not rolling <= s.dice <= most - (not rolling), f"dice: {c.name(piece)} rolls {most}")
    if c.phase == names.PANIC_LOSS:
        target: int = 1 - firing
        forbid(not may_panic(t, s, target), "panic: nobody can panic [12.0]")
        forbid(ignores_panic(t, s, target), "panic: a fort's or earthworks' defenders ignore it [13.0]")
        forbid(pike_ready(t, s, target), "panic: the pike cancels the first one of a round [14.1]")


def withdrawal(c: Facts) -> None:
    """[R-15, R-25, R-30] Check that canoes withdraw."""
    s, t, side, then = c.s, c.t, c.s.decider, c.s.next_phase
    bound = SEA + s.field
    forbid(
        s.from_space < 0 or not driven_off(t, s, side, s.from_space),
        "withdrawal: canoes alone among enemy units withdraw, and Kaua'i's that turned among canoes (R-15, R-23)",
    )
    forbid(then in (names.SEA_START, names.SEA_LOSER) and s.field < 0, "field: the sea battle is for a space")
    forbid(
        then == names.SEA_START and not (c.units(1 - c.half, WAR) and c.units(c.half, bound)),
        "then: a sea battle needs two fleets [11.7]",
    )
    forbid(
        then == names.SEA_LOSER and (s.advantage != 1 - c.half or not c.canoes(c.half, bound)),
        "then: the defender has won the sea battle, and the beaten fleet withdraws after this [11.8]",
    )
    if then == names.SIGHTING:
        sea_field(c)
    if then == names.BATTLE_BEGIN:
        contested_field(c)
    forbid(not has_refuge(s, side, 0), "withdrawal: there is no space to go to (R-25)")


def retreat(c: Facts) -> None:
    """[11.5, 11.6, 11.8, R-24] Check that somebody retreats."""
    s, side, who, field = c.s, c.s.decider, c.s.pending_retreat, c.s.field
    forbid(field < 0, f"field: phase {PHASES[c.phase]} is about a space")
    forbid(
        c.phase == names.CANOE_LOSS and who != names.BY_SEA_LOSER,
        "retreat: who: a beaten fleet loses canoes [11.8]",
    )
    forbid(who == 0, "retreat: who: beaten_fleet, attackers, marchers or defenders")
    if who == names.BY_SEA_LOSER:
        beaten_fleet(c, side)
        return
    forbid(not c.all(side, field), f"retreat: nobody of {SIDES[side]}'s is on {SPACES[field]}")
    forbid(not c.units(1 - side, field), f"retreat: nobody has beaten {SIDES[side]} on {SPACES[field]} [11.5]")
    canoes = c.canoes(side, field)
    forbid(
        who == names.BY_ATTACKER and not (canoes and has_refuge(s, side, 0)),
        "retreat: attackers leave by a canoe, to a space that their side occupies [11.5]",
    )
    overland = s.battle == names.OVERLAND and canoes
    forbid(
        who == names.BY_DEFENDER and not (overland and has_refuge(s, side, island_mask(c.t, field))),
        "retreat: beaten overland, defenders leave the island by their canoes, if anywhere [11.6]",
    )
    if who == names.BY_MARCHERS:
        marchers(c, side)


def beaten_fleet(c: Facts, side: int) -> None:
    """[11.8] Check the loser of a sea battle."""
    s, defends = c.s, side != attacker(c.s)
    canoes = c.canoes(side, fleet_place(s, side))
    forbid(not canoes, "retreat: the beaten fleet has no canoe")
    forbid(defends and not c.units(c.half, SEA + s.field), "retreat: nobody has beaten the war fleet [11.8]")
    forbid(
        c.phase == names.CANOE_LOSS and not 1 <= s.canoes_lost <= canoes // 2,
        "canoe_loss: a beaten fleet loses half of its canoes, rounded down [11.8]",
    )
    forbid(not has_refuge(s, side, sea_barred(s, side)), "retreat: the beaten fleet has nowhere to go [11.8]")


def marchers(c: Facts, side: int) -> None:
    """[R-24] Check that attackers who marched walk back or go after the canoes."""
    s, refuge = c.s, c.s.refuge
    here = [p for p in range(N_PIECES) if s.place[p] == s.field and s.owner[p] == side]
    forbid(not all(is_marcher(s, p) for p in here), "retreat: nobody but marchers is left of the attackers (R-24)")
    forbid(
        refuge >= 0 and not occupies(s, side, refuge),
        f"retreat: refuge: {SIDES[side]} does not occupy {SPACES[refuge]} (R-24)",
    )
    forbid(
        refuge < 0 and pieces_in(s, 1 - side, s.arrived_from[here[0]] - 1),
        "retreat: the marchers have nowhere to go (R-24)",
    )
