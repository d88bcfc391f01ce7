"""Battles [11.0 to 14.2]: one model of who fires next, the dice, losses and results; exact values and odds; quick
estimates.

`battle_odds` and `odds_of` answer in words. For more, `battle_model` and `model_of` give the model of a battle,
`Solver` the exact value of each of its positions, under any objective, and `simulate` plays them out. `BattleTable`
estimates, in microseconds.
"""

from .engine import (
    Frequencies,
    battle_position,
    engine_frequencies,
    fighters_of,
    kind_of,
    model_of,
    node_of,
    nodes_after,
    winner_of,
)
from .forces import battle_model, die_chances
from .model import (
    ATTACKER,
    CHANCE,
    DEFENDER,
    END,
    FIRING,
    LOSE,
    PANIC,
    ROLL,
    START,
    BattleModel,
    Node,
    advantage_chances,
    hit_chances,
    next_role,
    results_of,
)
from .odds import MAX_NODES, SAMPLES, Odds, battle_odds, odds_of
from .solver import POLICIES, Ends, Solver, TooLargeError, Value, simulate
from .table import KINDS_OF_BATTLE, BattleTable, Fights
from .units import FIRED, PANICKED, READY, Side, Units, UnitType, keeping

__all__ = [
    "ATTACKER", "CHANCE", "DEFENDER", "END", "FIRED", "FIRING", "KINDS_OF_BATTLE", "LOSE", "MAX_NODES", "PANIC",
    "PANICKED", "POLICIES", "READY", "ROLL", "SAMPLES", "START", "BattleModel", "BattleTable", "Ends",
    "Fights", "Frequencies", "Node", "Odds", "Side", "Solver", "TooLargeError", "UnitType", "Units", "Value",
    "advantage_chances", "battle_model", "battle_odds", "battle_position", "die_chances", "engine_frequencies",
    "fighters_of", "hit_chances", "keeping", "kind_of", "model_of", "next_role", "node_of", "nodes_after", "odds_of",
    "results_of", "simulate", "winner_of",
]  # fmt: skip
