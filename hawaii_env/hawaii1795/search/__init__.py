"""Monte Carlo graph search and search among whole plans over the compiled rules, with their static evaluation; public
for agents.
"""

from .network import Weights
from .plans import Plans
from .search import Search
from .static import FEATURES, KIND_NUMBERS, WEIGHTS, Static

__all__ = ["FEATURES", "KIND_NUMBERS", "WEIGHTS", "Plans", "Search", "Static", "Weights"]
