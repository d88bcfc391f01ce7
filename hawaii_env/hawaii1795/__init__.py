"""Hawaii, 1795: the rules engine. `Game` and `State` are its API; one module plays one chapter of the rulebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .game import Game, State

__all__ = ["Game", "State"]


def __getattr__(name: str) -> Any:
    # The rules take half a second to load, which who only looks at the game's spec need not wait for.
    if name in __all__:
        from . import game

        return getattr(game, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
