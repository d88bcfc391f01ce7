"""Folders of rulesets, for the games of any wing: a user's own, or a shipped one by its name."""

from __future__ import annotations

import tomllib
from pathlib import Path

__all__ = ["find_folder", "shipped"]


def shipped(data: Path, earlier: Path) -> dict[str, Path]:
    """The folders of the shipped rulesets by their names, ascending.

    Args:
        data: the wing's folder of the ruleset that is played where none is named.
        earlier: its folder of earlier ones, each in a folder of its name; there need not be any.
    """
    name = tomllib.loads((data / "ruleset.toml").read_text(encoding="utf-8"))["name"]
    found = {path.name: path for path in earlier.glob("*") if path.is_dir()}
    return dict(sorted({**found, name: data}.items()))


def find_folder(rules: str | Path, data: Path, earlier: Path) -> Path | None:
    """Return the folder that is meant: one of that path, else the shipped ruleset of that name, else None."""
    folder = Path(rules)
    return folder if folder.is_dir() else shipped(data, earlier).get(str(rules))
