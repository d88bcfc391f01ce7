"""Every section of a rulebook and every ruling stands in a game's code and in a test, and none is invented."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from hawaii_env import games
from hawaii_env.rulesets import Ruleset

TESTS = Path(__file__).parent
FOLDERS = {"aloha": "aloha", "hawaii1795": "rules", "heiau": "heiau", "maori_wars": "maori_wars"}
"""By game: the folder of the tests of its rules."""
NUMBER = re.compile(r"(\d+\.\d+)(?: to (\d+\.\d+))?(?![\d.])(?!.*of the ruleset$)")
LOOKS = {
    "aloha": r"[A-Z]{1,2}\d?[a-z]?|R-\d\d",
    "hawaii1795": r"\d+\.\d+",
    "heiau": r".+",
    "maori_wars": r"\d+\.\d+|R-\d\d",
}
"""By game: what an item in brackets looks like that names a section or a ruling."""


@functools.cache
def docstrings(path: Path) -> dict[str, str]:
    """Docstrings of a module, its classes and its functions, by name."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    found = {getattr(node, "name", ""): ast.get_docstring(node) for node in nodes if isinstance(node, kinds)}
    return {name: text for name, text in found.items() if text}


def _order(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))


class Index:
    """What a game's code and tests name in brackets."""

    def __init__(self, name: str) -> None:
        self.name = name
        kind: type[Ruleset] = games.find(name).load("ruleset")
        self.rulings, self.looks = {ruling.id: ruling for ruling in kind.rulings()}, LOOKS[name]
        self.sections = {section.id: section for section in kind.sections()}
        self.numbers = {section.split()[0] for section in self.sections if section[0].isdigit()}
        paths = [*kind.folder.rglob("*.py"), *(kind.folder / "data").glob("*.toml")]
        self.code = {path: path.read_text(encoding="utf-8") for path in paths}
        texts = [text for path in paths if path.suffix == ".py" for text in docstrings(path).values()]
        texts += self.code.values() if name == "heiau" else ()
        self.in_code = set().union(*map(self.named, texts))
        tests = (docstrings(path) for path in (TESTS / FOLDERS[name]).glob("test_*.py"))
        self.in_tests = set().union(
            *(self.named(text) for found in tests for test, text in found.items() if test.startswith("test_"))
        )

    def named(self, text: str) -> set[str]:
        """The sections and rulings that a text names in brackets; ranges of numbers too."""
        found: set[str] = set()
        for item in (item for inside in re.findall(r"\[([^\[\]]+)\]", text) for item in re.split(r",\s+", inside)):
            number = NUMBER.match(item) if self.numbers else None
            if item in self.sections or not number:
                found |= {item} if re.fullmatch(self.looks, item) or item in self.sections else set()
            elif last := number[2]:
                numbers = self.numbers | {number[1], last}
                found |= {n for n in numbers if _order(number[1]) <= _order(n) <= _order(last)}
            else:
                found.add(number[1])
        return found


@pytest.fixture(scope="module", params=FOLDERS)
def index(request: pytest.FixtureRequest) -> Index:
    """Return the index of each game."""
    return Index(request.param)


def test_every_section_is_in_code_and_tests_or_has_a_reason(index: Index) -> None:
    sections = index.sections.items()
    assert not [id for id, entry in sections if (entry.status == "implemented") == bool(entry.reason)]
    implemented = {id for id, entry in sections if entry.status == "implemented"}
    assert implemented <= index.in_code and implemented <= index.in_tests


def test_every_ruling_is_in_the_code_and_tested(index: Index) -> None:
    """Its test begins with its id."""
    assert not [ruling for ruling in index.rulings if not any(ruling in text for text in index.code.values())]
    for ruling, entry in index.rulings.items():
        path, test = entry.test.split("::")
        assert docstrings(TESTS.parent / path)[test].startswith(f"[{ruling}]")


def test_nothing_is_invented(index: Index) -> None:
    """What docstrings of tests name in brackets, and what those of the code do; rulings anywhere in the code."""
    known = {*index.sections, *index.numbers, *index.rulings}
    assert index.in_tests <= known, index.in_tests - known
    if index.name != "heiau":  # headings are words, and brackets of its code hold others
        assert index.in_code <= known, index.in_code - known
    assert set(re.findall(r"R-\d\d", "".join(index.code.values()))) <= set(index.rulings)


def test_brackets_are_read() -> None:
    """Ranges, steps, remarks, and what is not a section."""
    named = Index("hawaii1795").named
    assert named("[11.1 to 11.3, 12.0] x [R-04] [0] a[1]") == {"11.1", "11.2", "11.3", "12.0"}
    assert named("[11.1 i-iii, 6.2 (printed as 5.2), 5.6 of the ruleset]") == {"11.1", "6.2"}
    assert named("[11.6 rallying] [11.6]") == {"11.6 rallying", "11.6"}
