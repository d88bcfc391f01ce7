"""[1.0] A second, slow reading of the rules of Hawaii, 1795, to compare the engine with."""

from .referee import Referee

__all__ = ["Referee"]
