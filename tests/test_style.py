"""The language of the project: words that are not used, how docstrings begin, and words that a newcomer looks for."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [path for folder in ("hawaii_env", "agents", "experiments", "docs") for path in (ROOT / folder).rglob("*.py")]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "experiments/README.md")),
    *(ROOT / name for name in ("experiments/RESULTS.md", "notebooks/README.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "project" not in path.parts),
]

IDENTIFIERS = {
    # word in an identifier: what to write, and where the word is something else (a regular expression for paths)
    "wing": ("game package", r"heiau/(narration|strings)"),
    "wings": ("game packages", r"docs/make_architecture"),
    "rooms": ("modules", None),
    "seal": ("checksum", None),
    "seals": ("checksums", None),
    "knot": ("cycle", None),
    "untie": ("resolve", None),
    "story": ("narration", None),
    "stories": ("narrations", None),
    "substitute": ("stand-in", r"web/"),
    "tells": ("says", None),
    "settles": ("resolves", None),
    "twin": ("compiled copy", None),
    "account": ("log", None),
    "door": ("entry point", None),
    "doors": ("entry points", None),
    "lane": ("env_index", r"/(core|python_batch)"),
    **dict.fromkeys(("told", "look", "errand", "came"), ("what it is there", None)),
    "settle": ("what it is there", r"/aloha/"),
}
"""Words of the house style's table that no identifier has; the list grows as names are changed."""

PHRASES = {
    # pattern in a page or notebook: what to write, and where it is something else
    r"\bwings?\b": ("game package", r"heiau|strength|balance|weights"),
    r"\brooms?\b(?! for)": ("module, package", r"play\.md|hawaii1795\.md"),
    r"\blanes?\b": ("environment of a batch", None),
    r"\b(plain|Python) mode\b": ("interpreted mode", None),
    r"\bdoors?\b": ("entry point", r"cards\.md"),
    r"\btwins?\b": ("compiled copy", r"rulings\.md"),
    r"\b(is|are) (said|told|refused)\b": ("prints, says, raises", r"rulings\.md|deviations\.md"),
    r"\bthere (is|are) none\b": ("no ...", r"rulings\.md"),
    r"\bone's own\b": ("your own", r"aloha\.md|arena\.md|rulings\.md"),
    r"\b(what|who) calls\b": ("callers", None),
    r"\brefused with\b": ("raises", None),
}
"""Phrases that pages do not use; tables of rulings quote the data."""

OPENING = re.compile(r"(?:\[[^\]]*\]\s*)*(What|Whether|Who|Whom|Whose|How|Which|Where|When|If|That)\b")

NOUNS = re.compile(r"(The|An?|All|As|At|By|Each|Every|In|Nobody|None|Nothing|Of|One|One's|True|Why)\b")
"""Beginnings of descriptions that are no instruction."""

OWN = re.compile(r"/(core|hawaii1795|aloha|heiau|maori_wars)/|codec|_v\d|^(agents|experiments|docs)/")
"""Modules other than those that serve any game."""

STALE = re.compile(r"\b((is|are|was|were) told|one's own|goes on|doors?)\b")
"""Phrases that docstrings of modules that serve any game do not use."""

SOUGHT = ("batch", "vectorised", "self-play", "action mask", "MCTS", "PPO", "Elo", "SB3", "RLlib")
"""Words that a newcomer searches for: README and titles of pages have them."""


TESTS = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes of a tree, outer ones first; `ast.walk` takes several times as long."""
    found = [tree]
    for node in found:
        for value in vars(node).values():
            if isinstance(value, list):
                found.extend(one for one in value if isinstance(one, ast.AST))
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                found.append(value)
    return found


@pytest.fixture(scope="module")
def trees() -> dict[str, list[ast.AST]]:
    """Return the nodes of the syntax trees of all sources, by path; they are large, and end with these tests."""
    return {
        path.relative_to(ROOT).as_posix(): nodes_of(ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCES
    }


@pytest.fixture(scope="module")
def words(trees: dict[str, list[ast.AST]]) -> dict[str, set[tuple[str, str]]]:
    """Return the modules and identifiers in which a word stands, by the word; of tests, the names of functions."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for path, nodes in trees.items():
        for name in set(identifiers(nodes)):
            for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name):
                found[part.lower()].add((path, name))
    for path in (ROOT / "tests").rglob("*.py"):
        for name in TESTS.findall(path.read_text(encoding="utf-8")):
            for part in name.split("_"):
                found[part].add((path.relative_to(ROOT).as_posix(), name))
    return found


def identifiers(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the names that a module defines or assigns."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def descriptions(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a module and the notes below its variables and attributes, with their lines."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""
        body = getattr(node, "body", None)
        for before, after in itertools.pairwise(body) if isinstance(body, list) else ():
            match before, after:
                case (ast.Assign() | ast.AnnAssign(), ast.Expr(ast.Constant(str(note)))):
                    yield after.lineno, note


def prose(page: Path) -> str:
    """Return a page without code."""
    text = re.sub(r"^ *(```+|~~~+).*?^ *\1", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


def notebooks() -> Iterator[tuple[str, str]]:
    """Yield the names of the notebooks and the text of their Markdown cells."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield path.name, "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


@pytest.mark.parametrize("word", IDENTIFIERS)
def test_identifiers_use_the_words_of_the_field(word: str, words: dict[str, set[tuple[str, str]]]) -> None:
    instead, elsewhere = IDENTIFIERS[word]
    found = words.get(word, set())
    assert not {one for one in found if not (elsewhere and re.search(elsewhere, one[0]))}, f"write {instead}"


@pytest.mark.parametrize("pattern", PHRASES)
def test_pages_use_the_words_of_the_field(pattern: str) -> None:
    instead, elsewhere = PHRASES[pattern]
    texts = [(path.relative_to(ROOT).as_posix(), prose(path)) for path in PAGES] + list(notebooks())
    found = [
        f"{name}: ...{text[max(0, match.start() - 30) : match.end() + 30]}..."
        for name, text in texts
        if not (elsewhere and re.search(elsewhere, name))
        for match in re.finditer(pattern, text)
    ]
    assert not found, f"write {instead}"


def test_descriptions_begin_with_a_verb_or_a_noun(trees: dict[str, list[ast.AST]]) -> None:
    found = [
        f"{name}:{line}: {text[:60]}"
        for name, nodes in trees.items()
        for line, text in descriptions(nodes)
        if OPENING.match(text)
    ]
    assert not found


def test_functions_that_serve_any_game_are_described_by_instructions(trees: dict[str, list[ast.AST]]) -> None:
    found: list[str] = []
    for name, nodes in trees.items():
        for node in nodes if not OWN.search(name) else ():
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
                continue
            text = ast.get_docstring(node) or ""
            noun = isinstance(node, ast.ClassDef | ast.Module) or node.name in ("bot", "sb3", "rllib")  # kinds of agent
            decorators = [] if isinstance(node, ast.Module) else map(ast.dump, node.decorator_list)
            noun = noun or any("property" in one or "setter" in one for one in decorators)
            if STALE.search(text) or (not noun and NOUNS.match(text)):
                found.append(f"{name}:{getattr(node, 'lineno', 1)}: {text[:60]}")
    assert not found


def test_a_newcomer_finds_the_words_of_the_field() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    titles = " ".join(page.read_text(encoding="utf-8").partition("\n#")[0] for page in PAGES).lower()
    assert [word for word in SOUGHT if word.lower() not in readme] == []
    assert [word for word in SOUGHT if word.lower() not in titles] == []
