"""Monte Carlo graph search and search among whole plans over the compiled rules, public for agents."""

from .network import Weights
from .plans import Plans
from .search import Search

__all__ = ["Plans", "Search", "Weights"]
