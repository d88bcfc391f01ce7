"""Agents for ALOHA: one that looks a decision ahead, one that searches."""

from .greedy import AlohaGreedyAgent
from .search import AlohaSearchAgent
from .worth import worth

__all__ = ["AlohaGreedyAgent", "AlohaSearchAgent", "worth"]
