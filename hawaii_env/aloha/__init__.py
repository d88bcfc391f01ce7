"""ALOHA, the Spirit of Hawaii: its rules, its data, how it looks. See docs/aloha.md."""

from .play import Game, State

__all__ = ["Game", "State"]
