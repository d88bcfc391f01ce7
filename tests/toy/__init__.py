"""A toy game for the tests of whatever must not know a game: three players, a simultaneous turn, chance."""

from .game import ToyGame, ToyState

__all__ = ["ToyGame", "ToyState"]
