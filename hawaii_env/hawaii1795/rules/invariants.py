"""Invariants of every position that play reaches: the fuzzer checks them after every step."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import (
    ABOARD,
    BATTLE_ORDER,
    BOX,
    CARD,
    CARGO,
    COMMIT,
    DEAD,
    HALF_START,
    HOME,
    LAUNCH,
    LOSS,
    MOVE,
    N_KINDS,
    N_PIECES,
    N_PLACES,
    N_SPACES,
    NEUTRAL,
    ORIGIN_TURNED,
    PANIC_LOSS,
    RECRUIT,
    SAIL,
    SEA,
    SEA_BATTLE,
    SETUP,
    WAR,
    WINDOW,
)
from .pieces import contested, pieces_in

__all__ = ["FAULTS", "fault_in", "fault_of_action", "fault_of_step", "note_action"]

FAULTS = (
    "",
    "a piece stands in no place, or a piece's owner is not its side's",
    "the counts by space do not fit the pieces",
    "a piece was made or lost: kinds do not have their number of pieces [1.0]",
    "a canoe was lost in a land battle [11.5]",
    "units of both sides in a space when a half begins [10.3]",
    "canoes alone among enemies are asked for nothing, and stay [R-15, R-23]",
    "a card was drawn twice in nine turns [6.1]",
    "a fleet at sea, aboard or at war when a half begins [10.3, 11.7]",
    "more units or leaders aboard than a canoe carries [10.3]",
    "an elite unit or a canoe is panicked [12.0]",
    "Kamehameha, or Kalani and Kaiana, are dead and the game goes on [5.2]",
    "a leader or a Kaua'i piece is in the wrong off-map place [3.1, 9.0]",
)
(
    NO_PLACE, MISCOUNTED, PIECES, CANOE_LOST, BOTH_SIDES, ALONE, DRAWN_TWICE, UNDER_WAY, OVERLOADED,
    PANICKED, CHIEFS_DEAD, OFF_MAP,
) = range(1, len(FAULTS))  # fmt: skip


@rule
def fault_of_pieces(rules: Any, state: Any) -> int:
    """Return the number of what does not hold of pieces and counts, 0 if all holds."""
    units = 0
    canoes = 0
    for piece in range(N_PIECES):
        place, printed = state.place[piece], rules.side[piece]
        if place < 0 or place >= N_PLACES:
            return NO_PLACE
        if state.owner[piece] != (state.kauai if printed == NEUTRAL else printed):
            return NO_PLACE
        if place < N_SPACES:
            canoes += rules.canoe[piece]
            units += 1 - rules.canoe[piece]
        if place == BOX and printed == NEUTRAL:
            return OFF_MAP
        if place == DEAD and printed != NEUTRAL and not rules.leader[piece]:
            return OFF_MAP
        if state.panicked[piece] and (rules.elite[piece] or rules.canoe[piece]):
            return PANICKED
        if state.arrived_from[piece] < 0 or state.arrived_from[piece] > ORIGIN_TURNED:
            return NO_PLACE
    for owner in range(3):
        for space in range(N_SPACES):
            here, boats = state.units[owner][space], state.canoes[owner][space]
            if here < 0 or boats < 0 or state.leaders[owner][space] > here:
                return MISCOUNTED
            units -= here
            canoes -= boats
    if units or canoes:
        return MISCOUNTED
    n = 0
    for kind in range(N_KINDS):
        n += rules.count[kind]
    if n != N_PIECES:
        return PIECES
    if state.aboard_units > rules.units_a_canoe or state.aboard_leaders > rules.leaders_a_canoe:
        return OVERLOADED
    if state.winner < 0:
        if state.place[rules.first[0]] == DEAD:
            return CHIEFS_DEAD
        if state.place[rules.first[9]] == DEAD and state.place[rules.first[10]] == DEAD:
            return CHIEFS_DEAD
    return 0


@rule
def fault_at_rest(rules: Any, state: Any) -> int:
    """Return the number of what does not hold if somebody decides, or a half begins; 0 if all holds."""
    phase = state.phase
    for space in range(N_SPACES):
        both = contested(state, space)
        if both and phase in (CARD, HALF_START, SETUP):
            return BOTH_SIDES
        if phase in (RECRUIT, MOVE, CARGO, SAIL, WINDOW, LAUNCH, BATTLE_ORDER, HOME, CARD):
            for side in range(2):
                alone = state.canoes[side][space] > 0 and state.units[side][space] == 0
                if alone and pieces_in(state, 1 - side, space) > 0:
                    return ALONE
    if phase in (CARD, HALF_START, RECRUIT, HOME, SETUP):
        for piece in range(N_PIECES):
            if state.place[piece] >= SEA or state.place[piece] == WAR or state.place[piece] == ABOARD:
                return UNDER_WAY
    return 0


@rule
def canoes_on_map(rules: Any, state: Any) -> int:
    """Count the canoes anywhere but in a box or dead."""
    n = 0
    for piece in range(N_PIECES):
        if rules.canoe[piece] and state.place[piece] != BOX and state.place[piece] != DEAD:
            n += 1
    return n


@rule
def fault_in(rules: Any, state: Any) -> int:
    """[1.0, 10.3, 11.5] Return the number of what does not hold in a position, an index of FAULTS; 0 if all holds."""
    fault = fault_of_pieces(rules, state)
    return fault if fault > 0 else fault_at_rest(rules, state)


# memory: the cards of each side that were drawn by chance; those that were left, and the phase, a step before; the
# phase, the battle and the canoes before an action.
DRAWN, LEFT, BEFORE, PHASE, BATTLE, CANOES = 0, 2, 4, 5, 6, 7


@rule
def fault_of_step(rules: Any, state: Any, memory: Any) -> int:
    """[6.1] Return the number of what does not hold beside the step before, 0 if all holds."""
    for side in range(2):
        drawn = memory[LEFT + side] & ~state.left[side]
        if memory[BEFORE] == CARD and drawn != 0:
            if memory[DRAWN + side] & drawn != 0:
                return DRAWN_TWICE
            memory[DRAWN + side] |= drawn
        memory[LEFT + side] = state.left[side]
    memory[BEFORE] = state.phase
    return 0


@rule
def note_action(rules: Any, state: Any, memory: Any) -> None:
    """Note what an action may change."""
    memory[PHASE], memory[BATTLE], memory[CANOES] = state.phase, state.battle, canoes_on_map(rules, state)


@rule
def fault_of_action(rules: Any, state: Any, memory: Any) -> int:
    """[11.5, 11.7] Return the number of what does not hold of an action that was just applied, 0 if all holds."""
    if memory[PHASE] == LOSS or memory[PHASE] == PANIC_LOSS:
        if memory[BATTLE] != SEA_BATTLE and canoes_on_map(rules, state) != memory[CANOES]:
            return CANOE_LOST
    if memory[PHASE] == COMMIT and state.phase == COMMIT and state.war_canoes == 0:
        return OVERLOADED
    return 0
