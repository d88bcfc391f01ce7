"""Levers of a training over many rulesets: those in a policy's metadata, and whether a ruleset lies in their
range.

A lever names keys of a ruleset's files, or an option of the game, and the values that they took. See
`hawaii_agents/training/configs/levers`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from hawaii_env.game import Game

__all__ = ["SHIPPED", "outside", "place"]

SHIPPED = "shipped"
"""The value that leaves what stands in the ruleset."""


def place(files: Mapping[str, Any], key: str) -> tuple[dict[str, Any], str] | None:
    """Return the table that holds a key of a ruleset's files, and the key's last part; None where there is none.

    Args:
        files: tables by file.
        key: as ``"cards.toml/allied.thunderers.fleets"``.
    """
    file, _, rest = key.partition("/")
    *outer, last = rest.split(".")
    table: Any = files.get(file)
    for part in outer:
        table = table.get(part) if isinstance(table, dict) else None
    if not isinstance(table, dict) or (outer and last not in table):
        return None
    return table, last


def outside(game: Game, levers: Sequence[Mapping[str, Any]], ruleset: Mapping[str, Any]) -> str:
    """Return what of a game's ruleset lies outside the range of a training, in words; empty where nothing does.

    A number is inside between the least and the greatest value that it took; anything else must be one of its values.
    What no lever changed must play as it did.

    Args:
        game: the game.
        levers: those of the training; ``before``, what stood at their keys, spares looking for the ruleset.
        ruleset: name and hash of the ruleset that they changed.
    """
    if game.ruleset_hash == ruleset.get("hash"):
        return ""
    base = None if all("before" in lever for lever in levers if lever.get("at")) else _base(game, ruleset)
    content: Any = getattr(getattr(game, "ruleset", None), "content", None)
    if not isinstance(content, dict):
        return "the game's ruleset is not one of tables"
    files = copy.deepcopy(content)
    for lever in levers:
        if lever.get("at") and "before" not in lever and base is None:
            return f"the ruleset {ruleset.get('name')!r}, which the training varied, is not at hand to compare"
        for k, key in enumerate(lever.get("at", ())):
            here = place(files, key)
            there = None if base is None else place(base, key)
            if here is None or ("before" not in lever and there is None):
                return f"{lever.get('name')}: there is no {key}"
            before = lever["before"][k] if there is None else there[0].get(there[1])
            table, last = here
            if word := _strange(table.get(last), _values(lever, before)):
                return f"{key}: {word}"
            if before is None:
                table.pop(last, None)
            else:
                table[last] = before
    if type(game)(**{**game.params, "rules": files}).ruleset_hash != ruleset.get("hash"):
        return f"it differs from {ruleset.get('name')!r} in more than the training varied"
    return ""


def _base(game: Game, ruleset: Mapping[str, Any]) -> Any:
    """Return the content of the ruleset that a training varied, if that is the shipped one."""
    shipped = type(game)(**{**game.params, "rules": None})
    return (
        getattr(getattr(shipped, "ruleset", None), "content", None)
        if shipped.ruleset_hash == ruleset.get("hash")
        else None
    )


def _values(lever: Mapping[str, Any], before: Any) -> list[Any]:
    """Return the values that a lever gave a key."""
    return [before if v == SHIPPED else before + v if lever.get("add") else v for v in lever["values"]]


def _strange(value: Any, seen: Sequence[Any]) -> str:
    """Return what is strange about a value, or an empty text."""
    numbers = [v for v in (*seen, value) if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if len(numbers) == len(seen) + 1:
        low, high = min(numbers[:-1]), max(numbers[:-1])
        return "" if low <= value <= high else f"{value}, where training saw {low} to {high}"
    return "" if value in seen else "a value that training did not see"
