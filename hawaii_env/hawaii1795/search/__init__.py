"""Monte Carlo graph search over the compiled rules, public for agents."""

from .network import Weights
from .search import Search

__all__ = ["Search", "Weights"]
