"""Heiau Diplomacy shown to people: as text (`board`) and as a picture (`draw`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from hawaii_env.game import Event, Game
from hawaii_env.heiau.pictures.picture import drawing
from hawaii_env.heiau.pictures.text import HeiauTextLog, board
from hawaii_env.render.layers import Drawing

__all__ = ["HeiauTextLog", "board", "draw", "drawing"]


def draw(
    view: Any, *, game: Game, legal: Mapping[int, str] | None, events: Sequence[Event], width: int | None
) -> Drawing:
    """Return a position as a drawing in layers; see `hawaii_env.render.picture.SvgDrawer`."""
    return drawing(view, cast(Any, game), legal)
