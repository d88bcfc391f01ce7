"""Positions as data: what a player may know of one, and back."""

from .read import read
from .view import ALL, HeiauView, make_view

__all__ = ["ALL", "HeiauView", "make_view", "read"]
