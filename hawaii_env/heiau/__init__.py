"""Heiau Diplomacy: sealed orders, two to six players. `Game` and `State` are its doors; one module plays one chapter of
the rulebook.
"""

from .play import Game, State
from .positions import HeiauView

__all__ = ["Game", "HeiauView", "State"]
