"""Positions written and read: views, JSON, positions by hand, and what makes one impossible."""
