"""Heiau Diplomacy: sealed orders, two to six players. `Game` and `State` are its doors; one module plays one chapter of
the rulebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .play import Game, State
    from .positions import HeiauView

__all__ = ["Game", "HeiauView", "State"]


def __getattr__(name: str) -> Any:
    # Who only looks at the game's spec need not load, and not wait for, its rules.
    if name in __all__:
        from . import play, positions

        return getattr(positions if name == "HeiauView" else play, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
