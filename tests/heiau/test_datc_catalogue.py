"""Each number of the public catalogue has its test, or the reason why there is none: `datc.toml`."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from .test_datc import CASES, CHANGED, REFUSED
from .test_datc_retreats import CASES as RETREATS

HERE = Path(__file__).parent
CATALOGUE = tomllib.loads((HERE / "datc.toml").read_text(encoding="utf-8"))
NUMBERS = [f"{part}.{n}" for part, (count, _) in CATALOGUE["parts"].items() for n in range(1, count + 1)]


def told() -> set[str]:
    """The numbers that docstrings of the tests begin a sentence with, as ``6.H.1, 6.H.2:``; each stands for itself."""
    found = set[str]()
    for path in HERE.glob("test_datc*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found |= set(re.findall(r"\b6\.[A-J]\.\d+\b", ast.get_docstring(node) or ""))
    return found


def test_every_number_has_its_test_or_its_reason() -> None:
    """[Background] 164 numbers; what is absent has no test."""
    tested = {key.split()[0] for key in (*CASES, *CHANGED, *REFUSED, *RETREATS)} | told()
    assert len(NUMBERS) == len(set(NUMBERS)) == 164
    assert tested == set(NUMBERS) - set(CATALOGUE["absent"])
    assert all(CATALOGUE["absent"].values()) and all(CATALOGUE["changed"].values())


def test_changed_cases_are_named_as_such() -> None:
    """[Background] A case is unchanged, changed, or absent; those with another result are listed as changed."""
    changed, absent = set(CATALOGUE["changed"]), set(CATALOGUE["absent"])
    assert changed | absent <= set(NUMBERS) and not changed & absent
    assert {key.split()[0] for key in CHANGED} <= changed
    assert not changed & {key.split()[0] for key in CASES}
