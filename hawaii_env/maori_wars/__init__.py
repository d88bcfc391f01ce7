"""Maori Wars: its rules, its data, how it looks. See docs/maori_wars.md."""

from __future__ import annotations
