"""Positions written and read: views, positions by hand, and the checks of what makes one impossible."""

from .check import check_invariants, check_position
from .read import read_position
from .view import View, make_view

__all__ = ["View", "check_invariants", "check_position", "make_view", "read_position"]
