"""A small referee of movement phases, written from the rulebook and the ruleset page, not from the engine."""

from .referee import judge, options_of

__all__ = ["judge", "options_of"]
