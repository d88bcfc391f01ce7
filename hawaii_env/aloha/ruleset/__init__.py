"""The data of ALOHA: its form, its files, what makes one wrong. See docs/aloha.md."""

from .loading import DATA, FILES, RULINGS, SECTIONS, Ruleset, load_ruleset, sources

__all__ = ["DATA", "FILES", "RULINGS", "SECTIONS", "Ruleset", "load_ruleset", "sources"]
