"""Agents for Maori Wars: rules of thumb, and a search of sampled turns."""

from .greedy import MaoriGreedyAgent
from .search import MaoriSearchAgent
from .worth import worth

__all__ = ["MaoriGreedyAgent", "MaoriSearchAgent", "worth"]
