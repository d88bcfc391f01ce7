"""Every paragraph of the rulebook and every ruling stands in the code and in a test, and none is invented."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import hawaii_env.aloha
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.rulesets import Ruling

HERE = Path(__file__).parent
CODE = sorted(Path(hawaii_env.aloha.__file__).parent.rglob("*.py"))
TESTS = sorted(HERE.glob("test_*.py"))
SECTION_IDS = [section.id for section in Ruleset.sections()]


def bracketed(text: str) -> set[str]:
    return {
        item
        for inside in re.findall(r"(?<!\w)\[([A-Z][^\[\]]*)\]", text)  # not int64[N]
        for item in inside.split(", ")
        if re.fullmatch(r"[A-Z]{1,2}\d?[a-z]?|R-\d\d", item)
    }


def docstrings(paths: list[Path]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (text := ast.get_docstring(node)):
                found[f"{path.name}::{getattr(node, 'name', '')}"] = text
    return found


IN_CODE = set().union(*map(bracketed, docstrings(CODE).values()))
IN_TESTS = set().union(*(bracketed(text) for name, text in docstrings(TESTS).items() if "::test_" in name))


@pytest.mark.parametrize("section", SECTION_IDS)
def test_every_section_is_in_code_and_tests(section: str) -> None:
    assert section in IN_CODE and section in IN_TESTS


@pytest.mark.parametrize("ruling", Ruleset.rulings(), ids=lambda ruling: ruling.id)
def test_every_ruling_is_in_code_and_tested(ruling: Ruling) -> None:
    assert ruling.id in IN_CODE and set(ruling.sections) <= set(SECTION_IDS)
    path, name = ruling.test.split("::")
    assert docstrings([HERE.parent.parent / path])[f"{Path(path).name}::{name}"].startswith(f"[{ruling.id}]")


def test_nothing_is_invented() -> None:
    known = set(SECTION_IDS) | {ruling.id for ruling in Ruleset.rulings()}
    assert known >= IN_CODE | IN_TESTS
    paths = [*CODE, *(Ruleset.folder / "data").glob("*.toml")]
    named = set(re.findall(r"R-\d\d", "".join(path.read_text(encoding="utf-8") for path in paths)))
    assert named <= known
