"""Maori Wars: its rules, its data, how it looks. See docs/maori_wars.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hawaii_env._lazy import lazy

if TYPE_CHECKING:
    from .game import Game, State

__all__ = ["Game", "State"]

# Who only looks at the game's spec need not load, and not wait for, its rules.
__getattr__ = lazy(__name__, {"Game": "game", "State": "game"})
