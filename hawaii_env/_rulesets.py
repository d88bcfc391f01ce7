"""Folders of rulesets, for the games of any wing: a user's own, or an earlier shipped one by its name."""

from __future__ import annotations

from pathlib import Path

__all__ = ["earlier_names", "find_folder"]


def find_folder(rules: str | Path, earlier: Path) -> Path | None:
    """Return the folder that is meant: one of that path, else the earlier shipped ruleset of that name, else None.

    Args:
        rules: what the user gave.
        earlier: the wing's folder of earlier shipped rulesets, each in a folder of its name.
    """
    folder = Path(rules)
    if not folder.is_dir() and folder.name == str(folder) and (earlier / folder).is_dir():
        return earlier / folder
    return folder if folder.is_dir() else None


def earlier_names(earlier: Path) -> str:
    """The names of the earlier shipped rulesets, for people."""
    return ", ".join(sorted(path.name for path in earlier.iterdir() if path.is_dir()))
