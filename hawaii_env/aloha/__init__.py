"""ALOHA, the Spirit of Hawaii: its rules, its data, how it looks. See docs/aloha.md."""

from .core import Game, State

__all__ = ["Game", "State"]
