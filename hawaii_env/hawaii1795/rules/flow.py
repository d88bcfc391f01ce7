"""The flow chart of the game [7.2]: phases, what may be decided in each, and what chance decides.

`advance` runs the phases that need nobody; it is a loop, never a ring of calls. `run` goes on until a real decision:
one with two choices or more. Nothing here knows a rule: each phase calls its chapter.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.rng import below

from .actions import sort_legal
from .cards import (
    begin_card_phase,
    do_home,
    do_window,
    event_now,
    event_rolled,
    event_succeeds,
    home_actions,
    home_done,
    reshuffle,
    take_card,
    window_actions,
)
from .errors import EndlessPhaseError
from .land_battle import (
    able_to_fire,
    advantage_of,
    advantage_rolled,
    after_die,
    begin_battle,
    begin_land_phase,
    do_fire,
    do_loss,
    do_order,
    do_panic,
    fire_actions,
    hit_rolled,
    ignores_panic,
    land_battle_won,
    loss_actions,
    may_panic,
    next_to_fire,
    order_actions,
    panic_actions,
    result_of,
    start_round,
    unpanicked_left,
    victor_of_round,
)
from .movement import (
    cargo_actions,
    do_cargo,
    do_movement,
    do_pickup,
    do_sail,
    movement_actions,
    pickup_actions,
    sail_actions,
    start_movement,
)
from .names import (
    ADVANTAGE,
    AFTER_DIE,
    ALLIED,
    APPROACH,
    ATTACK_LOST,
    BATTLE_BEGIN,
    BATTLE_ORDER,
    CANOE_LOSS,
    CARD,
    CARGO,
    COMMIT,
    EVENT,
    EVENT_DIE,
    FIRE,
    FIRST_CHANCE,
    HALF_END,
    HALF_START,
    HIT_DIE,
    HOME,
    KAMEHAMEHA,
    LAND_FLEET,
    LAND_PHASE,
    LAST_CHANCE,
    LAST_MONTH,
    LAUNCH,
    LOSS,
    MARCHERS_LOST,
    MAX_STEPS,
    MOVE,
    MOVE_START,
    N_ENDS,
    N_NUMBERS,
    N_PIECES,
    N_REASONS,
    NEXT_FIRE,
    NO_EFFECT,
    OVER,
    PANIC,
    PANIC_LOSS,
    PICKUP,
    R_NOVEMBER,
    RECRUIT,
    RETREAT,
    ROUND_END,
    ROUND_START,
    SAIL,
    SEA_BATTLE,
    SEA_LAND,
    SEA_LOSER,
    SEA_PHASE,
    SEA_START,
    SETTLE,
    SETUP,
    SIGHT_START,
    SIGHTING,
    TIE,
    TURN_START,
    WINDOW,
    WITHDRAW,
)
from .pieces import clear_marks
from .recruiting import do_recruit, recruit_actions, recruiting_done
from .sea_battle import (
    approach_actions,
    begin_sea_battle,
    begin_sea_phase,
    commit_actions,
    do_approach,
    do_commit,
    do_launch,
    fleet_lands,
    launch_actions,
    look_out,
    sea_battle_won,
    sea_loser_leaves,
    sighted,
    sighting_rolled,
    victor_lands,
)
from .setup import begin_setup_of, clear_battle, do_place, set_up, setup_actions, setup_done
from .victory import check_allied_half, check_turn_start, end_of_november
from .withdrawal import (
    attackers_lost,
    canoe_loss_actions,
    do_canoe_loss,
    do_retreat,
    do_withdraw,
    marchers_lost,
    retreat_actions,
    settle,
    withdraw_actions,
)


@rule
def start_turn(rules: Any, state: Any) -> None:
    """[7.1, 7.2, 6.1, R-40, 5.1] A turn begins: the reshuffle of March, Kamehameha's victory check."""
    if state.month == rules.reshuffle_month:
        reshuffle(state)
    state.half = KAMEHAMEHA
    state.decider = KAMEHAMEHA
    state.phase = HALF_START
    check_turn_start(rules, state)


@rule
def start_half(rules: Any, state: Any) -> None:
    """[7.2, 5.1] A half begins: the Allied victory check, then the card phase."""
    state.decider = state.half
    if state.half == ALLIED:
        check_allied_half(rules, state)
    if state.winner < 0:
        begin_card_phase(rules, state)


@rule
def end_half(rules: Any, state: Any) -> None:
    """[7.2, 8.0] The card is discarded, marks are taken off; after the Allied half the month moves on."""
    for piece in range(N_PIECES):
        clear_marks(state, piece)
    clear_battle(state)
    state.card = -1
    state.fixed = 0
    state.advantage_bonus = 0
    state.gunpowder_bonus = 0
    state.no_sighting = 0
    state.event_played[0] = 0
    state.event_played[1] = 0
    state.refuge = -1
    if state.half == KAMEHAMEHA:
        state.half = ALLIED
        state.phase = HALF_START
    elif state.month < rules.last_month:
        state.month += 1
        state.phase = TURN_START
    else:
        end_of_november(rules, state)


@rule
def end_round(rules: Any, state: Any) -> None:
    """[11.1 viii] The round's victor wins the battle; without one another round follows."""
    victor = victor_of_round(rules, state)
    if victor < 0:
        state.phase = ROUND_START
    elif state.battle == SEA_BATTLE:
        sea_battle_won(rules, state, victor)
    else:
        land_battle_won(rules, state, victor)


@rule
def advance(rules: Any, state: Any) -> None:
    """[7.2] Run the phases that need nobody, until somebody decides, chance decides, or the game is over."""
    for _ in range(MAX_STEPS):
        if state.winner >= 0:
            state.phase = OVER
        phase = state.phase
        if phase <= OVER:
            return
        if phase == AFTER_DIE:
            after_die(rules, state)
        elif phase == NEXT_FIRE:
            next_to_fire(rules, state)
        elif phase == SETTLE:
            settle(rules, state)
        elif phase == ROUND_END:
            end_round(rules, state)
        elif phase == ROUND_START:
            start_round(rules, state)
        elif phase == MOVE_START:
            start_movement(rules, state)
        elif phase == SEA_PHASE:
            begin_sea_phase(state)
        elif phase == LAND_PHASE:
            begin_land_phase(state)
        elif phase == HALF_END:
            end_half(rules, state)
        elif phase == HALF_START:
            start_half(rules, state)
        elif phase == TURN_START:
            start_turn(rules, state)
        elif phase == EVENT:
            event_now(rules, state)
        elif phase == SIGHT_START:
            look_out(rules, state)
        elif phase == LAND_FLEET:
            fleet_lands(rules, state)
        elif phase == SEA_START:
            begin_sea_battle(state)
        elif phase == SEA_LOSER:
            sea_loser_leaves(rules, state)
        elif phase == SEA_LAND:
            victor_lands(rules, state)
        elif phase == BATTLE_BEGIN:
            begin_battle(state, state.battle)
        elif phase == ATTACK_LOST:
            attackers_lost(rules, state)
        elif phase == MARCHERS_LOST:
            marchers_lost(rules, state)
    raise EndlessPhaseError(state.phase)


@rule
def list_legal(rules: Any, state: Any) -> None:
    """Fill in the legal actions of a decision phase, ascending; an empty list means that the phase passes on."""
    state.n_legal = 0
    phase = state.phase
    if phase == FIRE:
        fire_actions(rules, state)
    elif phase == LOSS:
        loss_actions(rules, state)
    elif phase == PANIC_LOSS:
        panic_actions(rules, state)
    elif phase == MOVE:
        movement_actions(rules, state)
    elif phase == CARGO:
        cargo_actions(rules, state)
    elif phase == PICKUP:
        pickup_actions(rules, state)
    elif phase == SAIL:
        sail_actions(rules, state)
    elif phase == RECRUIT:
        recruit_actions(rules, state)
    elif phase == APPROACH:
        approach_actions(state)
    elif phase == LAUNCH:
        launch_actions(state)
    elif phase == COMMIT:
        commit_actions(rules, state)
    elif phase == BATTLE_ORDER:
        order_actions(state)
    elif phase == WITHDRAW:
        withdraw_actions(state)
    elif phase == RETREAT:
        retreat_actions(rules, state)
    elif phase == WINDOW:
        window_actions(rules, state)
    elif phase == HOME:
        home_actions(rules, state)
    elif phase == CANOE_LOSS:
        canoe_loss_actions(rules, state)
    elif phase == SETUP:
        setup_actions(rules, state)
    sort_legal(state)


@rule
def pass_on(rules: Any, state: Any) -> bool:
    """End a phase in which nothing more can be done. Return False if the phase has to be decided."""
    phase = state.phase
    if phase == RECRUIT:
        recruiting_done(state)
        state.phase = MOVE_START
    elif phase == HOME:
        home_done(state)
    elif phase == SETUP:
        setup_done(rules, state)
    else:
        return False
    return True


@rule
def apply_action(rules: Any, state: Any, action: int) -> None:
    """Apply a legal action of the phase."""
    phase = state.phase
    if phase == FIRE:
        do_fire(rules, state, action)
    elif phase == LOSS:
        do_loss(rules, state, action)
    elif phase == PANIC_LOSS:
        do_panic(rules, state, action)
    elif phase == MOVE:
        do_movement(rules, state, action)
    elif phase == CARGO:
        do_cargo(rules, state, action)
    elif phase == PICKUP:
        do_pickup(rules, state, action)
    elif phase == SAIL:
        do_sail(rules, state, action)
    elif phase == RECRUIT:
        do_recruit(rules, state, action)
    elif phase == APPROACH:
        do_approach(state, action)
    elif phase == LAUNCH:
        do_launch(state, action)
    elif phase == COMMIT:
        do_commit(rules, state, action)
    elif phase == BATTLE_ORDER:
        do_order(rules, state, action)
    elif phase == WITHDRAW:
        do_withdraw(rules, state, action)
    elif phase == RETREAT:
        do_retreat(rules, state, action)
    elif phase == WINDOW:
        do_window(rules, state, action)
    elif phase == HOME:
        do_home(rules, state, action)
    elif phase == CANOE_LOSS:
        do_canoe_loss(rules, state, action)
    elif phase == SETUP:
        do_place(rules, state, action)


@rule
def apply_chance(rules: Any, state: Any, outcome: int) -> None:
    """Apply a chance outcome: a card's number, or the face of a die."""
    phase = state.phase
    if phase == HIT_DIE:
        hit_rolled(rules, state, outcome)
    elif phase == ADVANTAGE:
        advantage_rolled(rules, state, outcome)
    elif phase == SIGHTING:
        sighting_rolled(rules, state, outcome)
    elif phase == EVENT_DIE:
        event_rolled(rules, state, outcome)
    elif phase == CARD:
        take_card(rules, state, outcome, 0)


@rule
def effect_of(rules: Any, state: Any, face: int) -> int:
    """What a face of the die does at this chance node: a hit's result, who has the advantage, whether the event
    happens.

    Faces of equal effect give equal numbers.
    """
    if state.phase == HIT_DIE:
        result = result_of(rules, state, face)
        target = 1 - state.firing
        if result == PANIC and (ignores_panic(rules, state, target) or not may_panic(rules, state, target)):
            return NO_EFFECT
        return result
    if state.phase == ADVANTAGE:
        if state.first_die == 0:
            return face
        return advantage_of(rules, state, state.first_die, face)
    if state.phase == EVENT_DIE:
        return 1 if event_succeeds(rules, state, face) else 0
    if state.phase == SIGHTING:
        return 1 if sighted(rules, face) else 0
    return face


@rule
def effects_may_coincide(rules: Any, state: Any) -> bool:
    """Two effects of a hit may lead to one position: the side that is hit has panicked units only [11.3], or the
    round's last die falls, and what the round leaves is lost or forgotten.
    """
    if state.phase != HIT_DIE:
        return False
    if unpanicked_left(rules, state, 1 - state.firing) == 0:
        return True
    return state.dice == 1 and not (able_to_fire(rules, state) >> state.firing) & 1


@rule
def sample_chance(rules: Any, state: Any) -> int:
    """Draw the outcome of the chance node from the state's own generators."""
    if state.phase != CARD:
        return below(state.generator, 6, 4) + 1
    mask = state.left[state.half]
    cards = 0
    for number in range(1, N_NUMBERS + 1):
        cards += (mask >> number) & 1
    skip = below(state.generator, cards)
    for number in range(1, N_NUMBERS + 1):
        if (mask >> number) & 1:
            if skip == 0:
                return number
            skip -= 1
    return 0


@rule
def is_chance(rules: Any, state: Any) -> bool:
    """Chance decides next."""
    return state.phase >= FIRST_CHANCE and state.phase <= LAST_CHANCE


@rule
def run(rules: Any, state: Any) -> None:
    """Go on until a real decision, a chance node that the caller decides, or the end."""
    for _ in range(MAX_STEPS):
        advance(rules, state)
        phase = state.phase
        if phase == OVER:
            state.n_legal = 0
            return
        if is_chance(rules, state):
            if state.generator[0] < 0:
                state.n_legal = 0
                return
            apply_chance(rules, state, sample_chance(rules, state))
            continue
        list_legal(rules, state)
        if state.n_legal == 0:
            pass_on(rules, state)
        elif state.n_legal == 1:
            apply_action(rules, state, state.legal[0])
        else:
            return
    raise EndlessPhaseError(state.phase)


@rule
def act(rules: Any, state: Any, action: int) -> None:
    """Apply an action that was asked, and go on to the next choice."""
    state.decisions += 1
    apply_action(rules, state, action)
    run(rules, state)


@rule
def begin(rules: Any, state: Any) -> None:
    """[6.0] Begin a new game, before its first decision; the generators stay."""
    set_up(rules, state)
    begin_setup_of(rules, state, KAMEHAMEHA)


@rule
def is_outcome(rules: Any, state: Any, outcome: int) -> bool:
    """Return True for an outcome of the chance node: a card that is left, or the face of a die."""
    if not is_chance(rules, state) or outcome < 1:
        return False
    if state.phase == CARD:
        return outcome <= N_NUMBERS and (state.left[state.half] >> outcome) & 1 == 1
    return outcome <= 6


@rule
def is_over(rules: Any, state: Any) -> bool:
    """Return True if the game is over [5.0]."""
    return state.phase == OVER


@rule
def decider(rules: Any, state: Any) -> int:
    """Return who decides."""
    return state.decider


@rule
def num_players(rules: Any) -> int:
    """Return the number of players."""
    return 2


@rule
def write_returns(rules: Any, state: Any, returns: Any) -> None:
    """Write the players' results at the end: 1 and -1, or zeros for a tie [5.0]."""
    returns[0] = returns[1] = 0.0
    if state.winner != TIE:
        returns[state.winner] = 1.0
        returns[1 - state.winner] = -1.0


@rule
def winner(rules: Any, state: Any) -> int:
    """Return who has won, or -1 for a tie [5.0]."""
    return -1 if state.winner == TIE else state.winner


@rule
def reason(rules: Any, state: Any) -> int:
    """Return why the game ended, an index of `names.REASON_TEXTS`."""
    if state.reason >= R_NOVEMBER and state.month < LAST_MONTH:
        return N_REASONS + (state.month - 1) * N_ENDS + state.reason - R_NOVEMBER
    return state.reason
