"""Checks of pieces: their places and marks, and what canoes carry [3.0, 9.0, 10.0]."""

from __future__ import annotations

from hawaii_env.positions import forbid

from ..rules import names
from ..rules.land_battle import battle_place, fights
from ..rules.movement import may_fleet_move
from ..rules.names import (
    ABOARD,
    BOX,
    DEAD,
    KAUAI,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    ORIGIN_TURNED,
    OVER,
    PHASES,
    SEA,
    SIDES,
    SPACES,
    WAR,
)
from ..rules.pieces import contested
from ..rules.withdrawal import driven_off
from .facts import BATTLE_PHASES, RETREAT_PHASES, S_CARD, S_LAND, S_MOVE, S_RECRUIT, S_SEA, Facts
from .view import name_at


def pieces(c: Facts) -> None:
    """[3.0, 3.1, 9.0] Check owners, places and marks."""
    s, t = c.s, c.t
    for p in range(N_PIECES):
        place, printed, name = s.place[p], t.side[p], c.name(p)
        forbid(s.owner[p] != (s.kauai if printed == NEUTRAL else printed), f"owner: {name} belongs to another side")
        forbid(
            place == DEAD and printed != NEUTRAL and not t.leader[p],
            f"{name} is dead; only leaders and Kaua'i's pieces never return [3.1, 9.0]",
        )
        forbid(place == BOX and printed == NEUTRAL, f"{name} is in a box; Kaua'i's pieces are never recruited [9.0]")
        if c.phase != OVER:  # the last position stays as it stood
            battle_marks(c, p)
            movement_marks(c, p)
        neutral = s.owner[p] == NEUTRAL
        forbid(neutral and place != KAUAI, "neutral Kaua'i's pieces are on kauai [6.0]")
        forbid(
            s.kauai == NEUTRAL and not neutral and place in (KAUAI, SEA + KAUAI),
            f"{name} is on kauai or bound for it, which is neutral; an invasion would have ended that (R-16)",
        )


def battle_marks(c: Facts, p: int) -> None:
    """[11.3] Check the marks of a battle on a piece."""
    s, t, name, side = c.s, c.t, c.name(p), c.s.owner[p]
    panicked, fired = s.panicked[p], s.fired[p]
    in_battle = c.phase in BATTLE_PHASES and fights(t, s, side, battle_place(s, side), p)
    forbid((panicked or fired) and not in_battle, f"{name} is panicked or has fired outside a battle [11.6]")
    forbid(panicked and t.elite[p], f"{name}: elite units never panic [12.0]")
    forbid(panicked and fired, f"{name}: a panicked unit has no fired mark")
    forbid(fired and c.phase == names.ADVANTAGE, f"{name} has fired, and the round has not begun [11.1]")


def movement_marks(c: Facts, p: int) -> None:
    """[10.0] Check that a piece has moved, and come from where its mark says."""
    s, name, place, arrived, canoe = c.s, c.name(p), c.s.place[p], c.s.arrived_from[p], c.t.canoe[p]
    own, space = s.owner[p] == c.half, name_at(SPACES, (arrived - 1) % N_SPACES)
    moving = own and c.stage == S_MOVE and c.phase != names.WINDOW and place not in (BOX, DEAD)
    forbid(
        (s.carried[p] or s.marched[p]) and not moving,
        f"{name} is marked as moved, which only the mover's pieces are, in the movement phase [10.0]",
    )
    forbid(s.marched[p] and canoe, "canoes do not march (R-11)")
    forbid(s.carried[p] and place == ABOARD, f"{name} is aboard and was carried before (R-14)")
    if place >= SEA or place == WAR:
        forbid(
            not 1 <= arrived <= N_SPACES or arrived - 1 == place - SEA,
            f"{name} sails without a space that it came from (write {name}/SPACE)",
        )
    elif arrived:
        marched, origin = arrived < ORIGIN_TURNED, "among those who turned" if arrived == ORIGIN_TURNED else space
        forbid(
            not own or canoe or place >= N_SPACES or c.stage <= S_CARD,
            f"{name} is marked as come from {origin}; only attackers are",
        )
        forbid(
            marched and c.t.sibling[place] != arrived - 1,
            f"{name} cannot have marched from {space} to {SPACES[place]} [10.2]",
        )
        forbid(marched and c.stage == S_RECRUIT, f"{name} has marched before the movement phase [7.2]")
        forbid(
            c.stage <= S_MOVE and not c.units(1 - c.half, place),
            f"{name} is marked as come from {origin}, and no enemy unit is there",
        )


def spaces(c: Facts) -> None:
    """[10.1, 10.3, R-15] Check who stands together."""
    if c.phase == OVER:
        return
    alone = False
    for s in range(N_SPACES):
        both = contested(c.s, s)
        forbid(both and c.stage <= S_CARD, f"units of both sides on {SPACES[s]}: no move or card begins so [10.3]")
        forbid(
            both and c.stage <= S_MOVE and c.bare(s),
            f"units of both sides on {SPACES[s]}: in this phase an attacker there has come overland or turned (write "
            "warrior_2/SPACE or warrior_2/turned) [10.3]",
        )
        driven = [driven_off(c.t, c.s, side, s) for side in (0, 1)]
        canoes = c.canoes(0, s) and c.canoes(1, s) and not (c.units(0, s) or c.units(1, s))
        forbid(canoes and not any(driven), f"canoes of both sides on {SPACES[s]}; they never share a space (R-15)")
        for side in (side for side in (0, 1) if driven[side]):
            forbid(
                not _may_be_alone(c, s, alone),
                f"{SIDES[side]}'s canoes alone among enemies on {SPACES[s]}; they would have withdrawn (R-15)",
            )
            alone = True


def _may_be_alone(c: Facts, space: int, before: bool) -> bool:
    """Return True if canoes alone among enemies may be in a space: they are about to go, or have had no time to."""
    s = c.s
    if c.phase == names.WITHDRAW:
        return before or space == s.from_space or s.from_space < 0
    if not c.units(0, space) and not c.units(1, space):
        return False
    if c.phase == names.COMMIT:
        return s.field >= 0 and space in (s.field, c.t.sibling[s.field])
    return space == s.field and c.stage == S_LAND and c.phase in (*BATTLE_PHASES, names.RETREAT)


def fleets(c: Facts) -> None:
    """[10.3, 11.7] Check the fleets at sea."""
    if c.phase == OVER:
        return
    s, phase = c.s, c.phase
    sailing = c.stage in (S_MOVE, S_SEA) and not (phase == names.WINDOW and c.stage == S_MOVE)
    retreats = (phase in RETREAT_PHASES and s.decider == c.half) or (
        phase == names.WITHDRAW and s.next_phase == names.SEA_LOSER
    )
    for space in range(N_SPACES):
        place, fleet = SEA + space, f"a fleet bound for {SPACES[space]}"
        units, canoes = c.units(c.half, place), c.canoes(c.half, place)
        forbid(c.all(1 - c.half, place), f"a fleet of {SIDES[1 - c.half]}'s at sea in the other half")
        if units or canoes:
            forbid(not sailing, f"a fleet at sea in phase {PHASES[phase]} [10.3]")
            # A beaten fleet may have lost all its units, or half of its canoes.
            beaten = space == s.field and retreats
            load(c, fleet, place, units, canoes, beaten)
            forbid(not units and not beaten, f"an empty fleet bound for {SPACES[space]} (R-13)")
    for p in (p for p in range(N_PIECES) if s.place[p] >= SEA):
        start = s.arrived_from[p] - 1
        forbid(
            c.all(1 - c.half, start),
            f"{c.name(p)} cannot have sailed from {SPACES[start]}, where enemies are [10.3]",
        )


def load(c: Facts, what: str, place: int, units: int, canoes: int, beaten: bool) -> None:
    """[10.3, 11.7] Check what canoes carry; half of a beaten fleet's are lost before its units."""
    leaders, before = c.leaders(place), canoes * (2 if beaten else 1)
    each, chiefs = c.t.units_a_canoe, c.t.leaders_a_canoe
    forbid(
        not canoes or units - leaders > before * each or leaders > before * chiefs,
        f"{what}: {each} units and {chiefs} leaders a canoe [10.3, 11.7]",
    )


def loading(c: Facts) -> None:
    """[10.3] Check the fleet that is being loaded."""
    if c.phase == OVER:
        return
    s, t, fleet, filling = c.s, c.t, c.s.fleet, c.phase in (names.CARGO, names.SAIL)
    aboard = [p for p in range(N_PIECES) if s.place[p] == ABOARD]
    forbid(
        aboard and (not filling or any(s.owner[p] != c.half for p in aboard)),
        f"pieces aboard in phase {PHASES[c.phase]}",
    )
    if filling:
        leaders, canoes = sum(t.leader[p] for p in aboard), sum(t.canoe[p] for p in aboard)
        units, each, chiefs = len(aboard) - leaders - canoes, t.units_a_canoe, t.leaders_a_canoe
        forbid(
            canoes != 1 or fleet not in aboard or not t.canoe[fleet] or s.pickup < 0,
            "fleet: one canoe, aboard, with a pick-up space, is being loaded [10.3]",
        )
        forbid(
            (s.aboard_units, s.aboard_leaders) != (units, leaders) or leaders > chiefs or units > each,
            f"aboard: {each} units and {chiefs} leaders at most, and the counts fit the pieces [10.3]",
        )
        forbid(c.all(1 - c.half, s.pickup), f"fleet: pickup: enemies are on {SPACES[s.pickup]} [10.3]")
    forbid(
        c.phase == names.PICKUP and (fleet < 0 or not may_fleet_move(t, s, fleet)),
        "fleet: expected a canoe of the mover's that has not moved, not among enemy units [10.3]",
    )


def war_fleet(c: Facts) -> None:
    """[11.7] Check the defender's fleet."""
    if c.phase == OVER:
        return
    s, phase, side = c.s, c.phase, 1 - c.half
    war = [p for p in range(N_PIECES) if s.place[p] == WAR]
    canoes, leaders = c.canoes(side, WAR), c.leaders(WAR)
    beaten = phase in RETREAT_PHASES and c.stage == S_SEA and s.decider == side
    if war:
        battle = phase in BATTLE_PHASES and c.stage == S_SEA
        then = phase == names.WITHDRAW and s.next_phase == names.SEA_START
        forbid(
            not (battle or then or beaten or phase == names.COMMIT) or any(s.owner[p] == c.half for p in war),
            f"a war fleet in phase {PHASES[phase]} [11.7]",
        )
        forbid(s.field < 0, "field: the war fleet is for a space")
        for p in war:
            start = s.arrived_from[p] - 1
            forbid(
                start != s.field and (c.t.canoe[p] or start != c.t.sibling[s.field]),
                f"war fleet: {c.name(p)} cannot have come from {SPACES[start]} [11.7]",
            )
        load(c, "war fleet", WAR, c.units(side, WAR), canoes, beaten)
    counts = canoes, len(war) - canoes - leaders, leaders
    forbid(
        phase == names.COMMIT and (s.war_canoes, s.war_units, s.war_leaders) != counts,
        "war fleet: the counts do not fit the pieces",
    )
