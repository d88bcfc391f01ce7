"""A toy game for the tests of whatever must not know a game: four players, hidden hands, sealed orders of several steps, points."""

from .game import LagoonGame, LagoonState

__all__ = ["LagoonGame", "LagoonState"]
