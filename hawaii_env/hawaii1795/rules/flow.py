"""The flow chart of the game [7.2]: phases, what may be decided in each, and what chance decides.

`TABLE` has the phases in the order of their numbers; each calls its chapter. `advance` runs the phases that need
nobody; it is a loop, never a ring of calls. `run` goes on until a real decision: one with two choices or more.

One file: it is the table of phases in the order of play.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase, PhaseTable
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
    ALLIED,
    EVENT_DIE,
    HALF_START,
    HIT_DIE,
    HOME,
    KAMEHAMEHA,
    LAST_MONTH,
    MAX_STEPS,
    MOVE_START,
    N_ENDS,
    N_NUMBERS,
    N_PIECES,
    N_REASONS,
    NO_EFFECT,
    OVER,
    PANIC,
    R_NOVEMBER,
    RECRUIT,
    ROUND_START,
    SEA_BATTLE,
    SETUP,
    SIGHTING,
    TIE,
    TURN_START,
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
    sea_battle_won,
    sea_loser_leaves,
    sighted,
    sighting_rolled,
    start_sighting,
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
    withdraw_actions,
    withdraw_driven_off,
)

__all__ = [
    "TABLE",
    "act",
    "advance",
    "apply_action",
    "apply_chance",
    "begin",
    "draw_card",
    "effect_of",
    "effects_may_coincide",
    "end_half",
    "end_round",
    "fight",
    "is_card",
    "is_chance",
    "is_face",
    "is_outcome",
    "is_over",
    "list_legal",
    "num_players",
    "pass_on",
    "reason",
    "roll",
    "run",
    "run_phase",
    "sample_chance",
    "show_card",
    "start_half",
    "start_turn",
    "winner",
    "write_returns",
]


@rule
def start_turn(rules: Any, state: Any) -> None:
    """[7.1, 7.2, 6.1, R-40, 5.1] Begin a turn: the reshuffle of March, Kamehameha's victory check."""
    if state.month == rules.reshuffle_month:
        reshuffle(state)
    state.half = KAMEHAMEHA
    state.decider = KAMEHAMEHA
    state.phase = HALF_START
    check_turn_start(rules, state)


@rule
def start_half(rules: Any, state: Any) -> None:
    """[7.2, 5.1] Begin a half: the Allied victory check, then the card phase."""
    state.decider = state.half
    if state.half == ALLIED:
        check_allied_half(rules, state)
    if state.winner < 0:
        begin_card_phase(rules, state)


@rule
def end_half(rules: Any, state: Any) -> None:
    """[7.2, 8.0] Discard the card and take marks off; after the Allied half go on to the next month."""
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
    """[11.1 viii] Let the round's victor win the battle; without one begin another round."""
    victor = victor_of_round(rules, state)
    if victor < 0:
        state.phase = ROUND_START
    elif state.battle == SEA_BATTLE:
        sea_battle_won(rules, state, victor)
    else:
        land_battle_won(rules, state, victor)


@rule
def fight(rules: Any, state: Any) -> None:
    """[11.1] Begin the battle of a space."""
    begin_battle(state, state.battle)


# The phases


class Setup(Phase):
    """[6.0, R-06] Place a piece."""

    legal: Any = setup_actions
    apply: Any = do_place


class Home(Phase):
    """[8.2] Send a piece home."""

    legal: Any = home_actions
    apply: Any = do_home


class Recruiting(Phase):
    """[9.0, R-10] Recruit a piece."""

    legal: Any = recruit_actions
    apply: Any = do_recruit


class Withdrawal(Phase):
    """[R-15, R-23, R-25] Withdraw canoes that are alone among enemies."""

    legal: Any = withdraw_actions
    apply: Any = do_withdraw


class Window(Phase):
    """[8.1, R-09] Play a held event, or pass."""

    legal: Any = window_actions
    apply: Any = do_window


class Movement(Phase):
    """[10.0] March, begin a fleet move, or be done."""

    legal: Any = movement_actions
    apply: Any = do_movement


class Pickup(Phase):
    """[10.3] Take the canoe to where it embarks."""

    legal: Any = pickup_actions
    apply: Any = do_pickup


class Cargo(Phase):
    """[10.3, R-12] Embark a unit, or be done."""

    legal: Any = cargo_actions
    apply: Any = do_cargo


class Sail(Phase):
    """[10.3, R-13] Sail to a space."""

    legal: Any = sail_actions
    apply: Any = do_sail


class Approach(Phase):
    """[11.7, R-17] Choose the invasion that is looked for next."""

    legal: Any = approach_actions
    apply: Any = do_approach


class Launch(Phase):
    """[11.7] Launch a war fleet, or pass."""

    legal: Any = launch_actions
    apply: Any = do_launch


class Commit(Phase):
    """[11.7] Commit a piece to the war fleet, or be done."""

    legal: Any = commit_actions
    apply: Any = do_commit


class BattleOrder(Phase):
    """[11.1] Choose the land battle that comes next."""

    legal: Any = order_actions
    apply: Any = do_order


class Fire(Phase):
    """[11.1, 14.2] Choose the unit that fires."""

    legal: Any = fire_actions
    apply: Any = do_fire


class Loss(Phase):
    """[11.3] Choose the unit that is eliminated."""

    legal: Any = loss_actions
    apply: Any = do_loss


class Panic(Phase):
    """[11.3, 12.0] Choose the unit that panics."""

    legal: Any = panic_actions
    apply: Any = do_panic


class CanoeLoss(Phase):
    """[11.8] Choose the canoe that a beaten fleet loses."""

    legal: Any = canoe_loss_actions
    apply: Any = do_canoe_loss


class Retreat(Phase):
    """[11.5, 11.8, R-24] Choose where to retreat."""

    legal: Any = retreat_actions
    apply: Any = do_retreat


@rule
def is_card(rules: Any, state: Any, outcome: int) -> bool:
    """Return True for a card of the deck."""
    return outcome >= 1 and outcome <= N_NUMBERS and (state.left[state.half] >> outcome) & 1 == 1


@rule
def draw_card(rules: Any, state: Any) -> int:
    """Draw a card of the deck."""
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
def show_card(rules: Any, state: Any, outcome: int) -> None:
    """Show the card that was drawn."""
    take_card(rules, state, outcome, 0)


class Card(Phase):
    """[8.0] Chance: a card of the deck."""

    is_outcome: Any = is_card
    sample: Any = draw_card
    apply: Any = show_card


@rule
def is_face(rules: Any, state: Any, outcome: int) -> bool:
    """Return True for a face of a die."""
    return outcome >= 1 and outcome <= 6


@rule
def roll(rules: Any, state: Any) -> int:
    """Roll a die."""
    return below(state.generator, 6, 4) + 1


class DieRoll(Phase):
    """Chance: a die. Phases derived from it say what each face does."""

    is_outcome: Any = is_face
    sample: Any = roll


class Event(DieRoll):
    """[8.2] Chance: the die of the card in effect."""

    apply: Any = event_rolled


class Sighting(DieRoll):
    """[11.7] Chance: the die of sighting."""

    apply: Any = sighting_rolled


class Advantage(DieRoll):
    """[11.1 i-iii] Chance: a die for the advantage."""

    apply: Any = advantage_rolled


class HitDie(DieRoll):
    """[11.2] Chance: a die of the unit that fires."""

    apply: Any = hit_rolled


class Over(Phase):
    """[5.0] The end of the game."""


TABLE = PhaseTable(
    Setup, Home, Recruiting, Withdrawal, Window, Movement, Pickup, Cargo, Sail, Approach, Launch, Commit,
    BattleOrder, Fire, Loss, Panic, CanoeLoss, Retreat,
    Card, Event, Sighting, Advantage, HitDie,
    Over,
    start_turn, start_half, event_now, withdraw_driven_off, start_movement, begin_sea_phase, start_sighting,
    fleet_lands, begin_sea_battle, sea_loser_leaves, victor_lands, begin_land_phase, fight, start_round, next_to_fire,
    after_die, end_round, attackers_lost, marchers_lost, end_half,
    finish=sort_legal,
)  # fmt: skip
"""The phases, in the order of the numbers in `names`."""

list_legal: Any = TABLE.hooks["list_legal"]
apply_action: Any = TABLE.hooks["apply_action"]
is_chance: Any = TABLE.hooks["is_chance"]
is_outcome: Any = TABLE.hooks["is_outcome"]
sample_chance: Any = TABLE.hooks["sample_chance"]
apply_chance: Any = TABLE.hooks["apply_chance"]
run_phase: Any = TABLE.hooks["run_phase"]


@rule
def advance(rules: Any, state: Any) -> None:
    """[7.2] Run the phases that need nobody, until somebody decides, chance decides, or the game is over."""
    for _ in range(MAX_STEPS):
        if state.winner >= 0:
            state.phase = OVER
        if state.phase <= OVER:
            return
        run_phase(rules, state)
    raise EndlessPhaseError(state.phase)


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
def effect_of(rules: Any, state: Any, face: int) -> int:
    """Return the effect of a die's face at this chance node: a hit's result, who has the advantage, whether the event
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
    """Return True if two effects of a hit may lead to one position: the side that is hit has panicked units only
    [11.3], or the round's last die falls, and what the round leaves is lost or forgotten.
    """
    if state.phase != HIT_DIE:
        return False
    if unpanicked_left(rules, state, 1 - state.firing) == 0:
        return True
    return state.dice == 1 and not (able_to_fire(rules, state) >> state.firing) & 1


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
def is_over(rules: Any, state: Any) -> bool:
    """Return True if the game is over [5.0]."""
    return state.phase == OVER


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
