"""A recorded game as one HTML page that opens from the disk; see docs/replay.md."""

from hawaii_env.replay.narration import Line, Narration, Side
from hawaii_env.replay.page import Page, replay_page
from hawaii_env.replay.values import Valuer, make_valuer

__all__ = ["Line", "Narration", "Page", "Side", "Valuer", "make_valuer", "replay_page"]
