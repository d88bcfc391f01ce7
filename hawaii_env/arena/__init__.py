"""Matches, tournaments and ratings with confidence intervals.

```python
from hawaii_env import arena
from hawaii_env.hawaii1795 import Game

if __name__ == "__main__":
    found = arena.run_tournament(Game(), ["random", "rule-of-thumb", "mcts:sims=100"], pairs=50, out="runs/league")
    for standing in found.standings:
        print(standing.player, standing.score)
```

`play_match` plays two agents, `run_tournament` any number; `load_games` reads the games of a folder. Ratings, the SPRT
and reports are in `hawaii_env.arena.ratings` and `hawaii_env.arena.report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hawaii_env._lazy import lazy

if TYPE_CHECKING:
    from hawaii_env.arena.result import GameResult, Standing, standings
    from hawaii_env.arena.run import Settings, TournamentResult
    from hawaii_env.arena.store import Player, Store, load_games, parse_player
    from hawaii_env.arena.tournament import MatchResult, play_match, run_tournament

__all__ = [
    "GameResult",
    "MatchResult",
    "Player",
    "Settings",
    "Standing",
    "Store",
    "TournamentResult",
    "load_games",
    "parse_player",
    "play_match",
    "run_tournament",
    "standings",
]

# Imported when a name is first used: commands that play no games start sooner.
__getattr__ = lazy(
    __name__,
    {
        **dict.fromkeys(("GameResult", "Standing", "standings"), "result"),
        **dict.fromkeys(("Settings", "TournamentResult"), "run"),
        **dict.fromkeys(("Player", "Store", "load_games", "parse_player"), "store"),
        **dict.fromkeys(("MatchResult", "play_match", "run_tournament"), "tournament"),
    },
)
