"""Hawaii, 1795: the rules engine. `Game` and `State` are its doors; one module plays one chapter of the rulebook."""

from .play import Game, State

__all__ = ["Game", "State"]
