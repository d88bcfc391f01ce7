"""A recorded game as one HTML page that opens from the disk; see docs/replay.md."""

from hawaii_env.replay.page import Page, replay_page
from hawaii_env.replay.values import Valuer, make_valuer

__all__ = ["Page", "Valuer", "make_valuer", "replay_page"]
