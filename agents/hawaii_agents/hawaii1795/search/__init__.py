"""Monte Carlo graph search and search among whole plans over the compiled rules, and their static evaluation."""

from .plans import Plans
from .search import Search
from .static import FEATURES, WEIGHTS, Static

__all__ = ["FEATURES", "WEIGHTS", "Plans", "Search", "Static"]
