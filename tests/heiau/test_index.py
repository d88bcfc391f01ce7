"""The index of the rulebook's headings and the rulings is complete: data, engine and tests agree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import hawaii_env.heiau
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.rulesets import Ruling

PACKAGE = Path(hawaii_env.heiau.__file__).parent
TESTS = Path(__file__).parent
SECTIONS = {section.id: section for section in Ruleset.sections()}


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Names and docstrings of a module, its classes and its functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "name", path.stem), text


def bracketed(text: str) -> set[str]:
    """The headings and rulings that a text names in brackets."""
    return {item.strip() for inside in re.findall(r"\[([^\[\]]+)\]", text) for item in inside.split(",")}


CODE = {path: path.read_text(encoding="utf-8") for path in [*PACKAGE.rglob("*.py"), *(PACKAGE / "data").glob("*.toml")]}
IN_CODE = set().union(*(bracketed(text) for text in CODE.values()))
IN_TESTS = set().union(
    *(
        bracketed(text)
        for path in TESTS.glob("test_*.py")
        for name, text in docstrings(path)
        if name.startswith("test_")
    )
)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_implemented_and_tested_or_has_a_reason(section: str) -> None:
    """A heading is in the wing's code or data, and in a test; or the index says why it is no rule."""
    entry = SECTIONS[section]
    if entry.status == "implemented":
        assert section in IN_CODE and section in IN_TESTS
    else:
        assert entry.reason


def test_no_section_is_invented() -> None:
    """What docstrings of the tests name in brackets is in the index or a ruling."""
    known = set(SECTIONS) | {ruling.id for ruling in Ruleset.rulings()}
    assert known >= IN_TESTS, IN_TESTS - known


@pytest.mark.parametrize("ruling", Ruleset.rulings(), ids=lambda ruling: ruling.id)
def test_every_ruling_stands_in_code_and_has_its_test(ruling: Ruling) -> None:
    """It is named in the wing's code or data, is about known headings, and its test begins with its id."""
    assert any(re.search(rf"\b{ruling.id}\b", text) for text in CODE.values()), ruling.id
    assert set(ruling.sections) <= set(SECTIONS) and ruling.choice in ruling.readings
    path, name = ruling.test.split("::")
    assert dict(docstrings(TESTS.parent.parent / path))[name].startswith(f"[{ruling.id}]")


def test_rulings_are_numbered() -> None:
    """R-01 to R-28, without gaps."""
    assert [ruling.id for ruling in Ruleset.rulings()] == [f"R-{n:02d}" for n in range(1, 29)]
