"""Maori Wars: its rules, its data, how it looks. See docs/maori_wars.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .game import Game, State

__all__ = ["Game", "State"]


def __getattr__(name: str) -> Any:
    # Who only looks at the game's spec need not load, and not wait for, its rules.
    if name in __all__:
        from . import game

        return getattr(game, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
