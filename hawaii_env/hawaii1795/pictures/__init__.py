"""Hawaii, 1795 shown to people: as text (`board`) and as a picture (`svg`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from hawaii_env.game import Event, Game
from hawaii_env.hawaii1795.pictures.picture import drawing, svg
from hawaii_env.hawaii1795.pictures.text import board
from hawaii_env.render.layers import Drawing

__all__ = ["board", "draw", "drawing", "svg"]


def draw(
    view: Any, *, game: Game, legal: Mapping[int, str] | None, events: Sequence[Event], width: int | None
) -> Drawing:
    """Return a position as a drawing in layers; see `hawaii_env.render.picture.SvgDrawer`."""
    return drawing(view, legal, events=events, ruleset=cast(Any, game).ruleset)
