"""Battle odds [11.0 to 14.2], as `hawaii_env.hawaii1795.battles` has them: exact, or by simulation where that is too
large.
"""

from .battles import (
    MAX_NODES,
    POLICIES,
    SAMPLES,
    Frequencies,
    Odds,
    advantage_chances,
    battle_odds,
    battle_position,
    die_chances,
    engine_frequencies,
    fighters_of,
    hit_chances,
    model_of,
    node_of,
    odds_of,
    winner_of,
)

__all__ = [
    "MAX_NODES",
    "POLICIES",
    "SAMPLES",
    "Frequencies",
    "Odds",
    "advantage_chances",
    "battle_odds",
    "battle_position",
    "die_chances",
    "engine_frequencies",
    "fighters_of",
    "hit_chances",
    "model_of",
    "node_of",
    "odds_of",
    "winner_of",
]
