"""Rulesets drawn at random around the shipped one, so that one network learns to play them all.

The observation tells the ruleset's numbers, so the network can know what it plays. A file of levers says what may
differ: see ``experiments/configs/levers``.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hawaii_agents.levers import SHIPPED, place
from hawaii_env.errors import OptionError

LEVERS = Path(__file__).resolve().parent.parent / "configs" / "levers"


def read_levers(path: str) -> list[dict[str, Any]]:
    """Return the levers of a file: a path, or the name of a file in ``experiments/configs/levers``.

    Raises:
        OptionError: no such file, no TOML, or a lever without what it needs; the message names it.
    """
    found = Path(path) if Path(path).is_file() else LEVERS / f"{path}.toml"
    try:
        levers = tomllib.loads(found.read_text(encoding="utf-8")).get("lever", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f"rulesets: {path}: {error}") from None
    if not isinstance(levers, list) or not levers:
        raise OptionError(f"rulesets: {path} has no [[lever]]")
    for lever in levers:
        name = lever.get("name", "a lever without a name")
        if not isinstance(lever.get("values"), list) or not lever["values"]:
            raise OptionError(f"rulesets: {path}: {name}: values, a list, are wanted")
        if ("option" in lever) == ("at" in lever):
            raise OptionError(f"rulesets: {path}: {name}: either `at`, keys of files, or `option` is wanted")
    return levers


class Levers:
    """The levers of a file, and what they make of a game's ruleset.

    Args:
        path: the file, or its name; or the levers themselves, as `read_levers` returns them and policies' metadata
            tell them.
        content: the ruleset as `Ruleset.content` gives it: a table of files, each a table.

    Raises:
        OptionError: as `read_levers`; or a key that is not in the ruleset.
    """

    def __init__(self, path: str | list[dict[str, Any]], content: dict[str, Any]) -> None:
        self.levers = read_levers(path) if isinstance(path, str) else path
        self.path, self.content = path if isinstance(path, str) else "levers", content
        for lever in self.levers:
            for key in lever.get("at", ()):
                self._table(content, key, str(lever.get("name")))

    def _table(self, files: dict[str, Any], key: str, name: str) -> tuple[dict[str, Any], str]:
        """The table that holds a key, and the key's last part."""
        found = place(files, key)
        if found is None:
            raise OptionError(f"rulesets: {self.path}: {name}: the ruleset has no {key}")
        return found

    def told(self) -> list[dict[str, Any]]:
        """Return the levers as a policy's metadata have them: with what stands in the ruleset, key by key."""
        found = []
        for lever in self.levers:
            tables = [self._table(self.content, key, str(lever.get("name"))) for key in lever.get("at", ())]
            found.append({**lever, **({"before": [table.get(last) for table, last in tables]} if tables else {})})
        return found

    def draw(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return the options of a game: a ruleset in which each lever has one of its values, and what else it sets."""
        return self.options([lever["values"][int(rng.integers(len(lever["values"])))] for lever in self.levers])

    def options(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the options of a game in which each lever has the value that is given for it, in their order."""
        content, options = copy.deepcopy(self.content), {}
        for lever, value in zip(self.levers, values, strict=True):
            if value == SHIPPED:
                continue
            if "option" in lever:
                options[lever["option"]] = value
            for key in lever.get("at", ()):
                table, last = self._table(content, key, str(lever.get("name")))
                table[last] = table[last] + value if lever.get("add") else copy.deepcopy(value)
        return {"rules": content, **options}
