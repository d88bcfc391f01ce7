"""The order of play: all phases in one table, and the loop that runs those that ask nobody [2.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase, PhaseTable

from .alliance import Alliance, Negotiate, Negotiator, Withdraw
from .attrition import Starve, StarveCheck, StarveUnit, Supply, SupplyUnit, begin_attrition
from .boats import Boat
from .bombardment import Bombard, Column
from .bush import (
    BushAct,
    BushEnter,
    BushMove,
    BushUnit,
    Hunt,
    HuntMore,
    Prey,
    RaidAnswer,
    RaidMore,
    RaidSide,
)
from .chits import Chit, DisruptFrom, DisruptUnit, Leader
from .combat import Advance, Attack, Charge, ChargeOrNot, CombatStep, Counter, CounterSide
from .construction import Build, Structure
from .declare import Counterstroke, Declare, Participants, declare_next
from .evasion import Evade, Evasion, Leave
from .movement import Move, MoveTo, MoveUnit, begin_movement
from .names import (
    ALLIANCES,
    ARRIVALS,
    BUILD,
    BUSH,
    BUSH_MOVE,
    COMBAT,
    CONSTRUCTION,
    MOVEMENT,
    NEGOTIATE,
    OVER,
    RALLY_NEXT,
    RALLYING,
    REINFORCEMENT,
    SAP,
)
from .pieces import clear_marks
from .preparation import Sap, SapPlace, SapTarget, ShipTarget, ShipUnit
from .rally import Aid, Rally, RallyNext
from .reinforcement import Arrivals, Reinforce, ReinforcePlace
from .results import Absorb, Apply, Lose, Panic, Retreat
from .setup import forget

__all__ = ["TABLE", "advance", "is_over", "num_players"]


@rule
def is_over(rules: Any, state: Any) -> bool:
    """Return True if the game is over."""
    return state.phase == OVER


@rule
def num_players(rules: Any) -> int:
    """Return the number of players."""
    return 2


class Begin(Phase):
    """[2.0] A stage of a half begins; marks of the last one are cleared."""

    @staticmethod
    def run(rules: Any, state: Any) -> None:
        clear_marks(state)
        forget(state)
        stage, state.decider = state.stage, state.half
        if stage == REINFORCEMENT:
            state.phase = ARRIVALS
        elif stage == MOVEMENT:
            begin_movement(rules, state)
            state.phase = SAP
        elif stage == RALLYING:
            state.phase = RALLY_NEXT
        elif stage == ALLIANCES:
            state.phase = NEGOTIATE
        elif stage == COMBAT:
            declare_next(state)
        elif stage == BUSH:
            state.phase = BUSH_MOVE
        elif stage == CONSTRUCTION:
            state.phase = BUILD
        else:
            begin_attrition(rules, state)


class Over(Phase):
    """[1.0] The end of the game."""


TABLE = PhaseTable(
    Begin,
    Arrivals, Reinforce, ReinforcePlace,
    Sap, SapTarget, SapPlace, ShipTarget, ShipUnit, Move, MoveUnit, MoveTo, Boat,
    RallyNext, Aid, Rally, Negotiate, Negotiator, Alliance, Withdraw,
    Declare, Participants, Evade, Evasion, Leave, Chit, DisruptFrom, DisruptUnit, Leader, Column,
    Bombard, ChargeOrNot, Charge, CounterSide, Counter, Attack, Advance, Counterstroke, CombatStep,
    Apply, Lose, Absorb, Retreat, Panic,
    BushMove, BushEnter, BushUnit, BushAct, RaidSide, RaidMore, HuntMore, Hunt, Prey, RaidAnswer,
    Build, Structure, Supply, SupplyUnit, StarveCheck, Starve, StarveUnit,
    Over,
)  # fmt: skip

run_phase = TABLE.hooks["run_phase"]


@rule
def advance(rules: Any, state: Any) -> None:
    """[2.0, 1.0] Run the phases that ask nobody; end the game as soon as it is decided."""
    while True:
        if state.result > 0:
            if state.phase != OVER:
                clear_marks(state)
                forget(state)
                state.phase, state.decider, state.left = OVER, -1, 0
            return
        if not run_phase(rules, state):
            return
