"""The index of the rulebook's sections and rulings is complete: engine, tests and lists agree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hawaii_env.hawaii1795.ruleset import Ruleset
from hawaii_env.rulesets import Ruling

from .helpers import PACKAGE, toml

SECTIONS = {section.id: section for section in Ruleset.sections()}
NUMBERS = {section_id.split()[0] for section_id in SECTIONS}
TESTS = Path(__file__).parent
ENGINE = sorted(PACKAGE.rglob("*.py"))
RULE_TESTS = sorted(TESTS.glob("test_*.py"))


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Names and docstrings of a module, its classes and its functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "name", path.stem), text


def bracketed(text: str) -> set[str]:
    """The sections that a docstring names in brackets: ids of the index, or plain numbers, ranges too."""
    found: set[str] = set()
    for inside in re.findall(r"\[([^\[\]]+)\]", text):
        for item in inside.split(", "):
            match = re.match(r"(\d+\.\d+)(?: to (\d+\.\d+))?(?![\d.])", item)
            if not match or item.endswith("of the ruleset"):
                continue
            first, last = match.groups()
            if last:
                numbers = sorted(NUMBERS | {first, last}, key=_order)
                found.update(n for n in numbers if _order(first) <= _order(n) <= _order(last))
            else:
                found.add(item if item in SECTIONS else first)
    return found


def _order(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))


def mentioned(paths: list[Path], tests: bool) -> dict[str, list[str]]:
    """Section -> where a docstring (of a test: or its name) names it."""
    where: dict[str, list[str]] = {}
    for path in paths:
        for name, text in docstrings(path):
            if tests and not name.startswith("test_"):
                continue
            for section in bracketed(text):
                where.setdefault(section, []).append(f"{path.stem}.{name}")
    return where


IN_ENGINE = mentioned(ENGINE, tests=False)
IN_TESTS = mentioned(RULE_TESTS, tests=True)


def test_brackets_are_read() -> None:
    """The reader of brackets: ranges, steps, remarks, and what is no section."""
    assert bracketed("[11.1 to 11.3, 12.0] x [R-04] [0] a[1]") == {"11.1", "11.2", "11.3", "12.0"}
    assert bracketed("[11.1 i-iii, 6.2 (printed as 5.2), 5.6 of the ruleset]") == {"11.1", "6.2"}
    assert bracketed("[11.6 rallying] [11.6]") == {"11.6 rallying", "11.6"}


def test_every_chapter_is_in_the_index() -> None:
    """Chapters 1 to 14, each with its .0, numbered without gaps and in order."""
    ids = [tuple(map(int, section_id.split()[0].split("."))) for section_id in SECTIONS]
    assert len(ids) == len(Ruleset.sections()) and ids == sorted(ids)
    for chapter in range(1, 15):
        minors = sorted({minor for major, minor in ids if major == chapter})
        assert minors == list(range(len(minors))) and minors
    last = {3: 1, 4: 1, 5: 3, 6: 2, 7: 2, 8: 2, 10: 3, 11: 8, 14: 2}
    assert {chapter: max(minor for major, minor in ids if major == chapter) for chapter in last} == last


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_implemented_and_tested_or_has_a_reason(section: str) -> None:
    """A section is in an engine docstring and in a test, or the index says why it is no rule."""
    entry = SECTIONS[section]
    if entry.status == "implemented":
        assert section in IN_ENGINE, f"no docstring of the engine has [{section}]"
        assert section in IN_TESTS, f"no test of the rules has [{section}]"
        assert not entry.reason
    else:
        assert entry.reason


def test_no_section_is_invented() -> None:
    """Every section that an engine docstring or a test names is in the index."""
    known = set(SECTIONS) | NUMBERS
    assert {s: where for s, where in IN_ENGINE.items() if s not in known} == {}
    assert {s: where for s, where in IN_TESTS.items() if s not in known} == {}


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


def test_every_ruling_is_in_the_code_or_listed() -> None:
    """A ruling is named in the engine's code or data, or the index says why no line of it needs to; never both."""
    code = "".join(path.read_text(encoding="utf-8") for path in [*ENGINE, *sorted((PACKAGE / "data").glob("*.toml"))])
    named = set(re.findall(r"R-\d\d", code))
    ids = {ruling.id for ruling in Ruleset.rulings()}
    listed = toml(PACKAGE / "sections.toml")["rulings_without_code"]
    assert named <= ids, named - ids
    assert ids - named == set(listed)
    assert all(listed.values())


def test_rulings_name_sections_of_the_rulebook() -> None:
    """Each ruling is about sections of the index."""
    for ruling in Ruleset.rulings():
        assert set(ruling.sections) <= NUMBERS, ruling.id


@pytest.mark.parametrize("ruling", Ruleset.rulings(), ids=lambda ruling: ruling.id)
def test_every_test_of_a_ruling_names_it(ruling: Ruling) -> None:
    """The test that a ruling names exists, and its docstring begins with the ruling's id."""
    path, name = ruling.test.split("::")
    texts = dict(docstrings(TESTS.parent.parent / path))
    assert texts[name].startswith(f"[{ruling.id}]")


def rows_of(path: Path) -> dict[str, set[str]]:
    """By function of a module: its rows; those outside functions under no name."""
    text = path.read_text(encoding="utf-8")
    rows = [row.strip() for row in text.splitlines()]
    found: dict[str, set[str]] = {}
    outside = set(range(len(rows)))
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            here = range(node.body[0].lineno - 1, node.end_lineno or 0)
            found[node.name] = {rows[n] for n in here}
            outside -= set(here)
    return {**found, "": {rows[n] for n in outside}}


def test_listed_survivors_are_of_the_rules_as_they_are() -> None:
    """Each survivor of tests/mutation.py names one mutant of a line that is there, once, and has a reason."""
    listed = toml(TESTS / "survivors.toml")["survivors"]
    rules = {path.stem: rows_of(path) for path in (PACKAGE / "rules").glob("*.py")}
    for entry in listed:
        assert list(entry) == ["module", "function", "line", "mutant", "why"] and entry["why"], entry
        assert entry["line"] in rules[entry["module"]].get(entry["function"], ()), entry
        assert entry["mutant"] != entry["line"], entry
    names = [tuple(entry[key] for key in ("module", "function", "line", "mutant")) for entry in listed]
    assert len(set(names)) == len(names)
