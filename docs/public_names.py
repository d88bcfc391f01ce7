"""The page of public names: what `__all__` of every module of the API lists, and how firm it is by docs/names.toml."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path

from tables import NOTE, table

from hawaii_env import games

HERE = Path(__file__).resolve().parent
KINDS = tomllib.loads((HERE / "names.toml").read_text(encoding="utf-8"))["kind"]


def modules() -> dict[str, str]:
    """Return the public modules, each with the page of docs/api that shows it."""
    found = {"hawaii_env": "environments"}
    for page in sorted((HERE / "api").glob("*.md")):
        found |= dict.fromkeys(re.findall(r"automodule:: (\S+)", page.read_text(encoding="utf-8")), page.stem)
    return found


def assigned(module: str, name: str) -> ast.expr | None:
    """Return what a module assigns to a name, read from its source: some need an extra to be imported."""
    for node in _tree(module).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return node.value
    return None


def _tree(module: str) -> ast.Module:
    spec = find_spec(module)
    return ast.parse(Path(str(spec and spec.origin)).read_text(encoding="utf-8"))


def names_of(module: str) -> list[str]:
    """Return the public names of a module: its `__all__`, or its classes and functions without an underscore."""
    listed = assigned(module, "__all__")
    if listed is not None:
        return sorted(ast.literal_eval(listed))
    defined = (node for node in _tree(module).body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    return sorted(node.name for node in defined if not node.name.startswith("_"))


def kind_of(module: str) -> str:
    """Return how firm a module is.

    Raises:
        SystemExit: names.toml has it in none of its lists, or in several.
    """
    found = [one["name"] for one in KINDS if any(fnmatchcase(module, pattern) for pattern in one["modules"])]
    if len(found) != 1:
        raise SystemExit(f"docs/names.toml: {module} is in {' and '.join(found) or 'none'} of its lists")
    return found[0]


def formats() -> str:
    """Return the table of forms that have versions of their own."""
    ids = ", ".join(f"`{name}`" for spec in games.shipped() for name in spec.environments)
    form, parquet = (
        ast.literal_eval(value) if (value := assigned(f"hawaii_env.{name}", "VERSION")) is not None else "-"
        for name in ("records.form", "integrations.parquet")
    )
    return table(
        ["what", "now", "when it changes"],
        [
            ["environments", ids, "a change of rules, actions or observation that changes results raises `-vN`; the "
             "old id is removed"],
            ["actions, observation, ruleset", "SHA-256 in `game.action_table_hash`, `observation_layout_hash`, "
             "`ruleset_hash`", "weights, records, data and results name them; loading refuses another hash"],
            ["records", form, "reading refuses another version, and names the library that wrote it"],
            ["Parquet data", parquet, "the same"],
            ["tracks of the benchmark", "[their versions](../benchmarks/leaderboard.md)", "results of another version "
             "do not count"],
        ],
    )  # fmt: skip


def names_page() -> str:
    """Return the page of all public names."""
    found = modules()
    kinds = {module: kind_of(module) for module in found}
    text = (
        f"{NOTE}# Public names, and what may change after 0.1.0\n\nA name is public if it stands here: `__all__` of a "
        "module of the API lists it. Everything else, and every name with an underscore, may change without notice. "
        "Commands and options of `hawaii` are stable; what they print is not, files that they write are the forms "
        f"below. Rules of play follow the printed rulebooks, and a corrected rule is no breach.\n\n## Forms with "
        f"versions\n\n{formats()}"
    )
    for one in KINDS:
        rows = [
            [f"[`{module}`](../api/{found[module]}.md)", ", ".join(f"`{name}`" for name in names_of(module))]
            for module in sorted(found)
            if kinds[module] == one["name"]
        ]
        text += f"\n## {one['name']}\n\n{one['meaning'].strip()}\n\n{table(['module', 'names'], rows)}"
    return text


PAGES: dict[str, Callable[[], str]] = {"reference/names.md": names_page}
