"""A second, slow reading of Maori Wars, to compare the engine with.

Written from the rulebook and the page of its rulings by somebody who had not read the engine. Numbers are data: `Rules`
reads them from the files that the engine plays.
"""

from .data import Rules, read
from .referee import Referee

__all__ = ["Referee", "Rules", "read"]
