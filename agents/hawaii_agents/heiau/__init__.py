"""Agents that know Heiau Diplomacy."""

from .agents import BestResponseAgent, GreedyAgent

__all__ = ["BestResponseAgent", "GreedyAgent"]
