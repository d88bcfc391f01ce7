"""Folders of rulesets, for all game packages: a user's own, or the shipped one by its name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hawaii_env.errors import RulesetError

__all__ = ["find_folder"]


def find_folder(rules: str | os.PathLike[str], data: Path, shipped: str, files: Iterable[str]) -> Path:
    """Return the folder of a ruleset: the user's folder of that path, else the shipped one if `rules` is its name.

    Args:
        rules: path of a folder, or the name of the shipped ruleset.
        data: folder of the shipped ruleset.
        shipped: name of the shipped ruleset.
        files: names of the files that a ruleset may have, for the message.

    Raises:
        RulesetError: there is no such folder, and the shipped ruleset has another name.
    """
    folder = Path(rules)
    if folder.is_dir():
        return folder
    if str(rules) == shipped:
        return data
    raise RulesetError(
        f"rules: there is no folder {str(rules)!r}, and the only shipped ruleset is {shipped!r}; allowed: that name, "
        f"or a folder with any of {', '.join(files)}"
    )
