"""Battles [11.1 to 11.4, 11.6, 12.0, 13.0, 14.0]: rounds, fire and its results, on land and at sea; the second
battle.

One file: it is one chapter of the rulebook.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.codec import action1, action2, index1, indices2, is_from
from hawaii_env.core.jit import rule

from .actions import (
    BATTLE_,
    FIRE_,
    FIRE_MARKED,
    KIND_OF_MULTIPLE,
    KIND_OF_UNIT,
    LOSE,
    LOSE_MARKED,
    MULTIPLE_OF_KIND,
    N_ORIGINS,
    PANIC_,
    PANIC_MARKED,
    UNIT_OF_KIND,
    add_legal,
)
from .cards import open_window, playable
from .names import (
    ADVANTAGE,
    AFTER_DIE,
    ALLIED,
    ATTACK_LOST,
    BATTLE_BEGIN,
    BATTLE_ORDER,
    BY_DEFENDER,
    ELIMINATION,
    FIRE,
    HALF_END,
    HIT_DIE,
    INVASION,
    KAMEHAMEHA,
    LOSS,
    N_KINDS,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    NEXT_FIRE,
    ORIGIN_NONE,
    OVERLAND,
    PANIC,
    PANIC_LOSS,
    RETREAT,
    ROUND_END,
    ROUND_START,
    SEA,
    SEA_BATTLE,
    WAR,
    WINDOW_BATTLE,
)
from .pieces import attacker, canoes_in, contested, defender, eliminate
from .withdrawal import attackers_hold, has_refuge, island_mask, rally

# -- the order of battles --------------------------------------------------------------------------------------------


@rule
def begin_land_phase(rules: Any, state: Any) -> None:
    """[11.1, 5.6 of the ruleset] Let the attacker pick the order of the contested spaces; if none is left, end his
    half.
    """
    state.field = -1
    state.decider = state.half
    state.phase = HALF_END
    for space in range(N_SPACES):
        if contested(state, space):
            state.phase = BATTLE_ORDER


@rule
def order_actions(rules: Any, state: Any) -> None:
    """[11.1] List the contested spaces."""
    for space in range(N_SPACES):
        if contested(state, space):
            add_legal(state, action1(BATTLE_, space))


@rule
def do_order(rules: Any, state: Any, action: int) -> None:
    """[11.1, 11.6 two-space islands, R-19] Begin the battle for a space: an invasion if any came by canoe, else
    overland.

    [4.1] The hexes of the battle map are the kind of battle, and whether it is the second one.
    [9.0, R-38] Before it, the Allied player may place earthworks in a space that is not a fort.
    """
    space = index1(BATTLE_, action)
    state.field = space
    state.battle = OVERLAND
    for piece in range(N_PIECES):
        if state.place[piece] == space and state.owner[piece] == attacker(state) and not rules.canoe[piece]:
            if state.arrived_from[piece] == ORIGIN_NONE:
                state.battle = INVASION
    state.phase = BATTLE_BEGIN
    holder = defender(state)
    if not rules.fort[space] and playable(rules, state, holder, WINDOW_BATTLE):
        open_window(state, holder, WINDOW_BATTLE, BATTLE_BEGIN)


@rule
def begin_battle(state: Any, battle: int) -> None:
    """[11.1] Begin a battle with its first round."""
    state.battle = battle
    state.second = 0
    if battle == SEA_BATTLE:
        state.earthworks = 0
    state.phase = ROUND_START


# -- who fights ------------------------------------------------------------------------------------------------------


@rule
def battle_place(state: Any, side: int) -> int:
    """Return the place of a side's pieces of the battle."""
    if state.battle != SEA_BATTLE:
        return state.field
    return SEA + state.field if side == attacker(state) else WAR


@rule
def fights(rules: Any, state: Any, side: int, place: int, piece: int) -> bool:
    """[11.2] Return True for a unit of the side in the battle; canoes never fight."""
    return state.place[piece] == place and state.owner[piece] == side and not rules.canoe[piece]


@rule
def units_left(rules: Any, state: Any, side: int) -> int:
    """[R-22] Count the units of a side in the battle, panicked or not."""
    place = battle_place(state, side)
    n = 0
    for piece in range(N_PIECES):
        if state.place[piece] == place and fights(rules, state, side, place, piece):
            n += 1
    return n


@rule
def unpanicked_left(rules: Any, state: Any, side: int) -> int:
    """[11.1 viii] Count the unpanicked units of a side in the battle."""
    place = battle_place(state, side)
    n = 0
    for piece in range(N_PIECES):
        if state.place[piece] == place and not state.panicked[piece] and fights(rules, state, side, place, piece):
            n += 1
    return n


@rule
def able_to_fire(rules: Any, state: Any) -> int:
    """[11.1 v, 14.2] Return the sides that have a unit which has neither fired this round nor panicked, as a mask.

    Bit 0, 1: Kamehameha, the Allies; bit 2, 3: one of gunpowder.
    """
    ours, theirs = battle_place(state, KAMEHAMEHA), battle_place(state, ALLIED)
    able = 0
    for piece in range(N_PIECES):
        place = state.place[piece]
        if place in (ours, theirs) and not state.panicked[piece] and not state.fired[piece]:
            side = state.owner[piece]
            if side != NEUTRAL and fights(rules, state, side, ours if side == KAMEHAMEHA else theirs, piece):
                able |= (5 if rules.gun[piece] else 1) << side
    return able


# -- a round ---------------------------------------------------------------------------------------------------------


@rule
def start_round(rules: Any, state: Any) -> None:
    """[11.1 i, 14.1] Begin a round: everybody may fire, pikes stand ready, advantage is rolled for."""
    attackers, defenders = battle_place(state, attacker(state)), battle_place(state, defender(state))
    for piece in range(N_PIECES):
        if state.place[piece] == attackers or state.place[piece] == defenders:
            state.fired[piece] = 0
    state.pike_used[0] = 0
    state.pike_used[1] = 0
    state.advantage = -1
    state.first_die = 0
    state.phase = ADVANTAGE


@rule
def plus_units(rules: Any, state: Any, side: int) -> int:
    """[11.1 ii, R-04, R-33] Count the units that count for Battlefield Advantage."""
    place = battle_place(state, side)
    n = 0
    for piece in range(N_PIECES):
        if rules.plus[piece] and not state.panicked[piece] and fights(rules, state, side, place, piece):
            n += 1
    return n


@rule
def advantage_bonus(rules: Any, state: Any, side: int) -> int:
    """[11.1 ii, 8.2] Return what a side adds to its advantage die: 1 with more elite units, and its cards' bonus."""
    bonus = 1 if plus_units(rules, state, side) > plus_units(rules, state, 1 - side) else 0
    if side == attacker(state):
        bonus += state.advantage_bonus
    return bonus


@rule
def advantage_of(rules: Any, state: Any, kamehamehas: int, allied: int) -> int:
    """[11.1 iii] Return the side that wins the two dice, or -1 for a tie."""
    first = kamehamehas + advantage_bonus(rules, state, KAMEHAMEHA)
    second = allied + advantage_bonus(rules, state, ALLIED)
    if first == second:
        return -1
    return KAMEHAMEHA if first > second else ALLIED


@rule
def advantage_rolled(rules: Any, state: Any, face: int) -> None:
    """[11.1 i-iii] Note Kamehameha's die, then the Allies'; a tie is rolled again."""
    if state.first_die == 0:
        state.first_die = face
        return
    winner = advantage_of(rules, state, state.first_die, face)
    state.first_die = 0
    if winner >= 0:
        state.advantage = winner
        state.turn_side = winner
        state.phase = NEXT_FIRE


@rule
def next_to_fire(rules: Any, state: Any) -> None:
    """[11.1 v-vii, 14.2] Let gunpowder of the side with the advantage fire, then the other's, then one unit each in
    turn.
    """
    able = able_to_fire(rules, state)
    first = state.advantage
    state.guns = 1
    state.phase = FIRE
    if (able >> 2 + first) & 1:
        state.firing = first
    elif (able >> 3 - first) & 1:
        state.firing = 1 - first
    else:
        state.guns = 0
        if (able >> state.turn_side) & 1:
            state.firing = state.turn_side
        elif (able >> 1 - state.turn_side) & 1:
            state.firing = 1 - state.turn_side
        else:
            state.phase = ROUND_END
    state.decider = state.firing


@rule
def condition(state: Any, piece: int) -> int:
    """Return the condition of a piece in battle, equal for interchangeable pieces: (clean, fired, panicked) *
    N_ORIGINS + where it came from.
    """
    if state.panicked[piece]:
        return 2 * N_ORIGINS + state.arrived_from[piece]
    return state.fired[piece] * N_ORIGINS + state.arrived_from[piece]


@rule
def may_fire(rules: Any, state: Any, piece: int) -> bool:
    """[11.1 v, 14.2] Return True if a unit may be chosen to fire now."""
    return not state.panicked[piece] and not state.fired[piece] and (rules.gun[piece] or not state.guns)


@rule
def may_be_lost(rules: Any, state: Any, piece: int, unpanicked: int) -> bool:
    """[11.3] Return True if a unit may be eliminated: unpanicked ones first."""
    return not state.panicked[piece] or not unpanicked


@rule
def may_be_chosen(rules: Any, state: Any, piece: int, unpanicked: int) -> bool:
    """Return True if a unit of the deciding side may be named in this phase: to fire, to be lost, to panic."""
    if state.phase == FIRE:
        return may_fire(rules, state, piece)
    if state.phase == LOSS:
        return may_be_lost(rules, state, piece, unpanicked)
    return not rules.elite[piece]


@rule
def unit_actions(rules: Any, state: Any, plain: Any, marked: Any) -> None:
    """List one action for each group of interchangeable units; the freshest group of a kind takes the plain action."""
    side = state.decider
    place = battle_place(state, side)
    unpanicked = state.phase == LOSS and unpanicked_left(rules, state, side) > 0
    for kind in range(N_KINDS):
        if UNIT_OF_KIND[kind] < 0:
            continue
        groups = 0
        for i in range(rules.count[kind]):
            piece = rules.first[kind] + i
            if state.place[piece] == place and fights(rules, state, side, place, piece):
                if may_be_chosen(rules, state, piece, unpanicked):
                    groups |= 1 << condition(state, piece)
        if groups:
            add_legal(state, action1(plain, UNIT_OF_KIND[kind]))
            groups &= groups - 1  # the freshest group has its action
            group = 0
            while groups:
                if groups & 1:
                    add_legal(state, action2(marked, MULTIPLE_OF_KIND[kind], group - 1))
                groups >>= 1
                group += 1


@rule
def chosen_unit(rules: Any, state: Any, action: int, plain: Any, marked: Any) -> int:
    """Return the unit that an action of `unit_actions` names."""
    side = state.decider
    place = battle_place(state, side)
    unpanicked = state.phase == LOSS and unpanicked_left(rules, state, side) > 0
    if is_from(marked, action):
        multiple, mark = indices2(marked, action)
        kind = KIND_OF_MULTIPLE[multiple]
        wanted = mark + 1
    else:
        kind = KIND_OF_UNIT[side][index1(plain, action)]
        wanted = -1
    found = -1
    for i in range(rules.count[kind]):
        piece = rules.first[kind] + i
        if state.place[piece] == place and fights(rules, state, side, place, piece):
            if may_be_chosen(rules, state, piece, unpanicked):
                if wanted == condition(state, piece):
                    return piece
                if wanted < 0 and (found < 0 or condition(state, piece) < condition(state, found)):
                    found = piece
    return found


@rule
def fire_actions(rules: Any, state: Any) -> None:
    """[11.1 v-vii, 14.2] List who may fire: firing is compulsory, the unit is the owner's choice."""
    unit_actions(rules, state, FIRE_, FIRE_MARKED)


@rule
def do_fire(rules: Any, state: Any, action: int) -> None:
    """[11.1 v] Let the unit roll its dice, one at a time."""
    piece = chosen_unit(rules, state, action, FIRE_, FIRE_MARKED)
    state.firer = piece
    state.fired[piece] = 1
    state.dice = rules.strength[piece]
    if rules.gun[piece] and state.firing == attacker(state):
        state.dice += state.gunpowder_bonus
    if not state.guns:
        state.turn_side = 1 - state.firing
    state.phase = HIT_DIE


# -- results ---------------------------------------------------------------------------------------------------------


@rule
def result_of(rules: Any, state: Any, face: int) -> int:
    """[11.2, 12.0, R-05] Return the Battle Results Table, by who fires (attacker or defender) and whether it is
    elite.
    """
    role = 0 if state.firing == attacker(state) else 1
    return rules.results[role][rules.elite[state.firer]][face - 1]


@rule
def ignores_panic(rules: Any, state: Any, side: int) -> bool:
    """[13.0] Return True for defenders of a fort or of earthworks."""
    return side == defender(state) and state.battle != SEA_BATTLE and (rules.fort[state.field] or state.earthworks)


@rule
def may_panic(rules: Any, state: Any, side: int) -> bool:
    """[12.0] Return True if the side has a unit that is not elite."""
    place = battle_place(state, side)
    for piece in range(N_PIECES):
        if not rules.elite[piece] and state.place[piece] == place and fights(rules, state, side, place, piece):
            return True
    return False


@rule
def pike_ready(rules: Any, state: Any, side: int) -> bool:
    """[14.1, R-21] Return True if the side has an unpanicked pike, and has cancelled no panic yet this round."""
    if state.pike_used[side]:
        return False
    place = battle_place(state, side)
    for piece in range(N_PIECES):
        if rules.pike[piece] and not state.panicked[piece] and fights(rules, state, side, place, piece):
            return True
    return False


@rule
def hit_rolled(rules: Any, state: Any, face: int) -> None:
    """[11.3, R-20, R-39] Apply one die's result before the next die."""
    side = 1 - state.firing
    state.dice -= 1
    state.phase = AFTER_DIE
    result = result_of(rules, state, face)
    if result == ELIMINATION:
        state.decider = side
        state.phase = LOSS
    elif result == PANIC and not ignores_panic(rules, state, side) and may_panic(rules, state, side):
        if pike_ready(rules, state, side):
            state.pike_used[side] = 1
        else:
            state.decider = side
            state.phase = PANIC_LOSS


@rule
def loss_actions(rules: Any, state: Any) -> None:
    """[11.3] List the units that the side that is hit may lose."""
    unit_actions(rules, state, LOSE, LOSE_MARKED)


@rule
def do_loss(rules: Any, state: Any, action: int) -> None:
    """[11.3] Send the unit to the box."""
    piece = chosen_unit(rules, state, action, LOSE, LOSE_MARKED)
    state.phase = AFTER_DIE
    eliminate(rules, state, piece)


@rule
def panic_actions(rules: Any, state: Any) -> None:
    """[11.3, 12.0] List the units of the side that is hit that may panic; a panicked one is eliminated."""
    unit_actions(rules, state, PANIC_, PANIC_MARKED)


@rule
def do_panic(rules: Any, state: Any, action: int) -> None:
    """[11.3] Mark an unpanicked unit, eliminate a panicked one."""
    piece = chosen_unit(rules, state, action, PANIC_, PANIC_MARKED)
    state.phase = AFTER_DIE
    if state.panicked[piece]:
        eliminate(rules, state, piece)
    else:
        state.panicked[piece] = 1
        state.fired[piece] = 0


@rule
def after_die(rules: Any, state: Any) -> None:
    """[11.1 v, R-22] Go on to the unit's next die, or the next unit; end the round if a side has no units left."""
    if units_left(rules, state, 1 - state.firing) == 0:
        state.dice = 0
        state.phase = ROUND_END
    elif state.dice > 0:
        state.phase = HIT_DIE
    else:
        state.phase = NEXT_FIRE


# -- the end of a round, and of a battle -----------------------------------------------------------------------------


@rule
def victor_of_round(rules: Any, state: Any) -> int:
    """[11.1 viii] Return a side without an unpanicked unit loses; -1 when both have one."""
    if unpanicked_left(rules, state, attacker(state)) == 0:
        return defender(state)
    if unpanicked_left(rules, state, defender(state)) == 0:
        return attacker(state)
    return -1


@rule
def land_battle_won(rules: Any, state: Any, side: int) -> None:
    """[11.4, 11.5, 11.6] End a land battle; the attacker's first victory brings a second one while defenders are
    left.
    """
    if side == defender(state):
        state.earthworks = 0
        state.phase = ATTACK_LOST
    elif units_left(rules, state, 1 - side) == 0:
        attackers_hold(state)
    elif not state.second:
        begin_second_battle(state)
    else:
        defenders_lost(rules, state)


@rule
def begin_second_battle(state: Any) -> None:
    """[11.4] Let defenders fall back to the cliff, or overland to the beach, and rally; attackers rally and advance."""
    for piece in range(N_PIECES):
        if state.place[piece] == state.field:
            rally(state, piece)
    state.second = 1
    state.phase = ROUND_START


@rule
def defenders_lost(rules: Any, state: Any) -> None:
    """[11.4, 11.6] Eliminate defenders beaten twice; after an overland attack they may leave the island by their canoes
    there.
    """
    space, side = state.field, defender(state)
    leave = state.battle == OVERLAND and canoes_in(state, side, space) > 0
    if leave and has_refuge(state, side, island_mask(rules, space)):
        for piece in range(N_PIECES):
            if state.place[piece] == space:
                rally(state, piece)
        state.decider = side
        state.pending_retreat = BY_DEFENDER
        state.phase = RETREAT
        return
    for piece in range(N_PIECES):
        if fights(rules, state, side, space, piece):
            eliminate(rules, state, piece)
    attackers_hold(state)
