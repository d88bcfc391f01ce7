"""The public names: what `__all__` of every module of the API lists, and how firm it is by docs/names.toml."""

from __future__ import annotations

import ast
import re
import tomllib
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
KINDS = tomllib.loads((HERE / "names.toml").read_text(encoding="utf-8"))["kind"]


def modules() -> dict[str, str]:
    """Return the public modules, each with the page of docs/api that shows it."""
    found = {"hawaii_env": "environments"}
    for page in sorted((HERE / "api").glob("*.md")):
        found |= dict.fromkeys(re.findall(r"automodule:: (\S+)", page.read_text(encoding="utf-8")), page.stem)
    return found


def version_of(module: str, name: str = "VERSION") -> int:
    """Return the version of the form that a module writes."""
    value = assigned(module, name)
    assert value is not None, module
    return ast.literal_eval(value)


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


def public_modules() -> list[tuple[dict[str, Any], dict[str, str]]]:
    """Return each kind of docs/names.toml with its modules and their pages.

    Raises:
        SystemExit: names.toml has a module in none of its lists, or in several.
    """
    found: list[tuple[dict[str, Any], dict[str, str]]] = [(kind, {}) for kind in KINDS]
    for module, page in sorted(modules().items()):
        lists = [(kind, of) for kind, of in found if any(fnmatchcase(module, name) for name in kind["modules"])]
        if len(lists) != 1:
            where = " and ".join(kind["name"] for kind, _ in lists) or "none"
            raise SystemExit(f"docs/names.toml: {module} is in {where} of its lists")
        lists[0][1][module] = page
    return found
