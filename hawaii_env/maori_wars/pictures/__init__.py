"""Maori Wars shown to people: as text (`board`) and as a picture (`draw`)."""

from hawaii_env.maori_wars.pictures.picture import draw
from hawaii_env.maori_wars.pictures.text import board

__all__ = ["board", "draw"]
