"""Movement phases without a game: orders in, results out, on this board or any other. For agents and analyses.

>>> from hawaii_env.heiau.adjudicator import BOARD, Order, adjudicate
"""

from __future__ import annotations

from hawaii_env.heiau.rules.adjudication import Resolution, adjudicate
from hawaii_env.heiau.rules.board import ARMY, BUNCH, FLEET, Board, Unit, bits
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, Order, Sight
from hawaii_env.heiau.ruleset.loading import load_ruleset

__all__ = [
    "ARMY",
    "BOARD",
    "BOATS",
    "BUNCH",
    "CONVOY",
    "FLEET",
    "HOLD",
    "MOVE",
    "POST",
    "SUPPORT",
    "VIA",
    "Board",
    "Order",
    "Resolution",
    "Sight",
    "Unit",
    "adjudicate",
    "bits",
]

BOARD: Board = load_ruleset().board
"""The shipped board."""
