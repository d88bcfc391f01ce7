"""Heiau Diplomacy: sealed orders, two to six players. `Game` and `State` are its public classes; one module plays one
chapter of the rulebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .game import Game, State
    from .positions import HeiauView

__all__ = ["Game", "HeiauView", "State"]


def __getattr__(name: str) -> Any:
    # Who only looks at the game's spec need not load, and not wait for, its rules.
    if name in __all__:
        from . import game, positions

        return getattr(positions if name == "HeiauView" else game, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
