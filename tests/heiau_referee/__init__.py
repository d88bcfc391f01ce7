"""[Background] A second, slow reading of Heiau Diplomacy, to compare the engine with.

Written from the rulebook and the ruleset page by somebody who had not read the engine. `board`, `orders` and
`adjudication` take any map in the form of `board.TABLE`.
"""

from .referee import Referee

__all__ = ["Referee"]
