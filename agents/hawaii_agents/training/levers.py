"""Levers: what may differ between rulesets, so that one network learns to play many and calibration compares them.

The observation contains the ruleset's numbers, so the network knows what it plays. The files of levers are in
``configs/levers``.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from hawaii_agents.levers import SHIPPED, place
from hawaii_env.errors import OptionError
from hawaii_env.variation import load_variation

from .runs import CONFIGS, read_config


def read_levers(name: str) -> list[dict[str, Any]]:
    """Return the levers of a file: a path, or the name of a file in ``configs/levers``.

    Raises:
        OptionError: no such file, no TOML, or a lever that lacks something; the message names it.
    """
    path, content = read_config(name, CONFIGS / "levers", "rulesets")
    levers = content.get("lever", [])
    if not isinstance(levers, list) or not levers:
        raise OptionError(f"rulesets: {path} has no [[lever]]")
    for lever in levers:
        called = lever.get("name", "a lever without a name")
        if not isinstance(lever.get("values"), list) or not lever["values"]:
            raise OptionError(f"rulesets: {path}: {called}: values is a list")
        if ("option" in lever) == ("at" in lever):
            raise OptionError(f"rulesets: {path}: {called}: either `at`, keys of files, or `option`")
    return levers


def spanned(game: str) -> list[dict[str, Any]]:
    """Return the levers of a game's split ``train``, for a policy's metadata: what its numbers are from and to."""
    return [
        {"name": one.lever.name, "at": ["/".join((str(file), ".".join(map(str, rest))))], "values": values,
         "before": [value]}
        for one in load_variation(game).levers
        if one.lever.kind == "number" and not one.lever.held_out
        for (file, *rest), value in zip(one.keys, one.shipped, strict=True)
        for values in ([min(one.lever.low, value), max(one.lever.high, value)],)
        if all(isinstance(key, str) for key in rest)
    ]  # fmt: skip


class Levers:
    """Levers and their effect on a game's ruleset.

    Args:
        levers: a file or its name; or the levers, as `read_levers` returns them and policies' metadata hold them.
        content: the ruleset as `Ruleset.content` gives it: tables by file.

    Raises:
        OptionError: as `read_levers`; or a key that is not in the ruleset.
    """

    def __init__(self, levers: str | list[dict[str, Any]], content: dict[str, Any]) -> None:
        self.levers: list[dict[str, Any]] = read_levers(levers) if isinstance(levers, str) else levers
        self.content = content
        self.metadata()

    def _place(self, files: dict[str, Any], key: str, name: str) -> tuple[dict[str, Any], str]:
        """Return the table that holds a key, and the key's last part."""
        found = place(files, key)
        if found is None:
            raise OptionError(f"rulesets: {name}: the ruleset has no {key}")
        return found

    def metadata(self) -> list[dict[str, Any]]:
        """Return the levers for a policy's metadata: with the ruleset's own value at each key."""
        found = []
        for lever in self.levers:
            places = [self._place(self.content, key, str(lever.get("name"))) for key in lever.get("at", ())]
            found.append({**lever, **({"before": [table.get(last) for table, last in places]} if places else {})})
        return found

    def draw(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return the options of a game in which each lever has one of its values."""
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
                table, last = self._place(content, key, str(lever.get("name")))
                table[last] = table[last] + value if lever.get("add") else copy.deepcopy(value)
        return {"rules": content, **options}
