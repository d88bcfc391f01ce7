"""Positions as data: what a player may know of one, and back."""

from .read import read
from .view import ALL, HeiauView, look

__all__ = ["ALL", "HeiauView", "look", "read"]
