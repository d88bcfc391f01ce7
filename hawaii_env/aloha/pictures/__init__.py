"""ALOHA shown to people: as text (`board`) and as a picture (`draw`)."""

from hawaii_env.aloha.pictures.picture import draw
from hawaii_env.aloha.pictures.text import board

__all__ = ["board", "draw"]
