"""The index of the rulebook's sections and rulings is complete: engine, tests and lists agree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from mutation import mutants_of

from hawaii_env.hawaii1795.ruleset import Ruleset

from .helpers import PACKAGE, toml

SECTIONS = {section.id: section for section in Ruleset.sections()}
TESTS = Path(__file__).parent
RULE_TESTS = sorted(TESTS.glob("test_*.py"))


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Names and docstrings of a module, its classes and its functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "name", path.stem), text


def test_every_chapter_is_in_the_index() -> None:
    """Chapters 1 to 14, each with its .0, numbered without gaps and in order."""
    ids = [tuple(map(int, section_id.split()[0].split("."))) for section_id in SECTIONS]
    assert len(ids) == len(Ruleset.sections()) and ids == sorted(ids)
    for chapter in range(1, 15):
        minors = sorted({minor for major, minor in ids if major == chapter})
        assert minors == list(range(len(minors))) and minors
    last = {3: 1, 4: 1, 5: 3, 6: 2, 7: 2, 8: 2, 10: 3, 11: 8, 14: 2}
    assert {chapter: max(minor for major, minor in ids if major == chapter) for chapter in last} == last


def test_names_of_tests_agree_with_their_docstrings() -> None:
    """`test_11_4_...` stands in the file of chapter 11, and its docstring begins with [11.4 ...]."""
    numbered = 0
    for path in RULE_TESTS:
        for name, text in docstrings(path):
            match = re.match(r"test_(\d+)_(\d+)_", name)
            if not match or name == path.stem:
                continue
            numbered += 1
            chapter, minor = match.groups()
            assert path.stem.startswith(f"test_{int(chapter):02d}_") or (chapter, path.stem) == (
                "2",
                "test_01_components",
            )
            assert re.match(rf"\[{chapter}\.{minor}[\], ]", text), f"{path.stem}.{name}: {text.splitlines()[0]}"
    assert numbered > 150


def test_every_test_has_a_docstring() -> None:
    """What each test of the rules is about is said in its docstring."""
    for path in RULE_TESTS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path.stem}.{node.name}"


def test_listed_survivors_are_of_the_rules_as_they_are() -> None:
    """Each survivor that is listed is one mutant of the rules, named once, and has a reason."""
    listed = toml(TESTS / "survivors.toml")["survivors"]
    known = {mutant.key for path in (PACKAGE / "rules").glob("*.py") for mutant in mutants_of(str(path))}
    keys = [tuple(entry[key] for key in ("module", "function", "line", "mutant")) for entry in listed]
    assert all(entry["why"] for entry in listed)
    assert not set(keys) - known and len(set(keys)) == len(keys)
