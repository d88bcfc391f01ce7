"""Agents for Heiau Diplomacy."""

from .agents import BestResponseAgent, GreedyAgent

__all__ = ["BestResponseAgent", "GreedyAgent"]
