"""Hawaii, 1795 shown to people: as text (`board`, `HawaiiNarrator`) and as a picture (`svg`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from hawaii_env.game import Event, Game
from hawaii_env.render.hawaii1795.picture import svg
from hawaii_env.render.hawaii1795.text import HawaiiNarrator, board

__all__ = ["HawaiiNarrator", "board", "draw", "svg"]


def draw(view: Any, *, game: Game, legal: Mapping[int, str] | None, events: Sequence[Event], width: int | None) -> str:
    """Return a position as one SVG document; see `hawaii_env.render.picture.SvgDrawer`."""
    return svg(view, legal, events=events, ruleset=cast(Any, game).ruleset, width=width)
