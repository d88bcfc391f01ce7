"""Agents for Maori Wars: rules of thumb, and searches of plans, with and without a trained policy."""

from .greedy import MaoriGreedyAgent
from .search import MaoriChampionAgent, MaoriSearchAgent
from .worth import worth

__all__ = ["MaoriChampionAgent", "MaoriGreedyAgent", "MaoriSearchAgent", "worth"]
