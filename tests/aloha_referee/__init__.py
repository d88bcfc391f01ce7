"""A second, slow reading of ALOHA, to compare the engine with.

Written from the rulebook and the ruleset page by somebody who had not read the engine. Numbers are data: `Rules` reads
them from the ruleset that the engine plays.
"""

from .data import Rules
from .referee import Referee

__all__ = ["Referee", "Rules"]
