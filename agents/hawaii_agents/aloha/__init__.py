"""Agents for ALOHA: a one-ply agent and a tree search."""

from .greedy import AlohaGreedyAgent
from .search import AlohaSearchAgent
from .worth import worth

__all__ = ["AlohaGreedyAgent", "AlohaSearchAgent", "worth"]
