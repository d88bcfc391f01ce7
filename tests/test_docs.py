"""The documentation: generated pages are those that code and data give now, and the site builds without a warning and
with no dead link.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from hawaii_env import agents, games
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.ruleset import Ruleset

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = load("generate")
FIGURES: Any = sys.modules["measured"]
OVERVIEW: Any = sys.modules["overview"]


@pytest.mark.parametrize("name", GENERATE.PAGES)
def test_generated_page_is_fresh(name: str) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == GENERATE.PAGES[name](), f"docs/{name} is stale: run python docs/generate.py"


def test_strengths_of_agents_are_those_measured() -> None:
    """Shares of committed matches and ladders, or of the sentence "`a` scores 9% against `b`" of a page."""
    rows = [row for spec in games.shipped() for row in OVERVIEW.matches(spec)]
    shares = {(row["agent"], row["against"], round(100 * row["share"])) for row in rows}
    texts = "".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)
    found = 0
    for name in agents.known():
        strength = agents.describe(name).strength
        for number, other, options in re.findall(r"(\d+)% against ([\w-]+)(?: in \w+)?(?: with (\S+))?", strength):
            said = f"`{name}` scores {number}% against `{other}`"
            rated = f"{name}:{options}" if options else name
            assert (rated, other, int(number)) in shares or said in texts, (name, strength)
            found += 1
    assert found >= 10


def test_all_ladders_are_of_one_commit() -> None:
    ladders = [one for spec in games.shipped() for one in FIGURES.ladders(spec.name)]
    assert len({one["commit"] for one in ladders}) == 1 and len(ladders) == 11


def test_the_ladders_say_how_wide_their_cells_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = json.loads((DOCS / "benchmarks" / "ladders.json").read_text(encoding="utf-8"))
    monkeypatch.setattr(FIGURES, "BENCHMARKS", tmp_path)
    for count, words in (
        (40, "**A cell has 40 games, so its interval is up to 31 points wide**"),
        (400, "A cell has 400 games or more, and its interval is up to 10 points wide"),
    ):
        for cell in (cell for ladder in data["ladders"] for cell in ladder["ratings"]["cross"]):
            cell.update(games=count, wins=count // 2, ties=0, losses=count // 2, score=0.5)
        (tmp_path / "ladders.json").write_text(json.dumps(data), encoding="utf-8")
        page = " ".join(GENERATE.PAGES["benchmarks/ladders.md"]().split())
        assert words in page
        assert ("| 50.0% (34-66) |" if count == 40 else "| 50.0% (45-55) |") in page


def test_pages_give_the_right_number_of_actions() -> None:
    told = {
        (page.name, int(number))
        for page in (ROOT / "README.md", *DOCS.glob("*.md"))
        for number in re.findall(r"\b(\d{3,4}) actions", page.read_text(encoding="utf-8"))
    }
    assert {name for name, _ in told} >= {"tutorial.md", "training.md"}
    assert {number for _, number in told} == {Game().num_actions}


def test_every_page_of_the_reference_is_generated() -> None:
    generated = {name for name in GENERATE.PAGES if name.startswith("reference/")}
    assert generated == {name for name in PAGES if name.startswith("reference/")}


def test_the_figures_of_the_rules_are_fresh() -> None:
    figures = load("make_figures")
    architecture = load("make_architecture")
    assert sorted([*figures.NAMES, architecture.TARGET.name]) == sorted(
        path.name for path in (DOCS / "figures").iterdir()
    )
    assert architecture.TARGET.read_text(encoding="utf-8") == architecture.draw(), (
        "run python docs/make_architecture.py"
    )
    for name in figures.NAMES:
        written = (DOCS / "figures" / name).read_text(encoding="utf-8")
        assert written == figures.draw(name), f"docs/figures/{name} is stale: run python docs/make_figures.py"


# Links between files, as a forge follows them

LINK = re.compile(r"(?<!`)\]\(([^)\s]+)\)")


def without_code(text: str) -> str:
    """Markdown without fenced blocks and code spans."""
    text = re.sub(r"^ *(```+|~~~+).*?^ *\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text: str) -> set[str]:
    """The anchors that a forge gives to headings, and those that are written out."""
    found = set(re.findall(r'<a id="([^"]+)">', text))
    fence = False
    for line in text.splitlines():
        fence ^= line.startswith("```")
        if not fence and re.match(r"#+ ", line):
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("# ")).lower()
            found.add(re.sub(r"[^\w\- ]", "", title.strip()).replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    for target in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (DOCS / page).parent / path if path else DOCS / page
        assert file.exists(), f"{page}: {target}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file.read_text(encoding="utf-8")), f"{page}: no heading {target}"


# The rulebook stays outside


def test_rules_are_cited_by_sections_that_there_are() -> None:
    known = {section.id.split()[0] for section in Ruleset.sections()}
    text = (DOCS / "hawaii1795.md").read_text(encoding="utf-8")
    cited = {part for group in re.findall(r"\[([^\]]+)\](?!\()", text) for part in re.findall(r"\b\d+\.\d+\b", group)}
    assert len(cited) > 30
    assert cited <= known, sorted(cited - known)
    rulings = {ruling.id for ruling in Ruleset.rulings()}
    assert set(re.findall(r"R-\d\d", text)) <= rulings


def test_names_of_hawaii_are_spelled_in_prose() -> None:
    parts = load("site_parts")
    pages = [*(DOCS / page for page in PAGES), *(ROOT / file for file in parts.PROJECT.values())]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    assert [str(page) for page, text in texts.items() if parts.spelled(text) != text] == []
    assert parts.spelled("Kalani at Lahaina, `Kalani`, Ko'olau") == "Kalanikūpule at Lāhainā, `Kalani`, Koʻolau"
    assert parts.spelled("'ansi' or 'all', 'Io's") == "'ansi' or 'all', ʻIo's"


# The navigation and the API


def test_every_page_is_in_the_navigation_once() -> None:
    parts = load("site_parts")
    shown = [name for names in parts.entries(DOCS).values() for name in names]
    assert len(shown) == len(set(shown))
    there = {page.removesuffix(".md") for page in PAGES}
    assert there - {"index"} == set(shown), sorted(there ^ set(shown))
    assert {name for name in there if name.startswith("project/")} == set(parts.PROJECT)
    assert all((ROOT / file).is_file() for file in parts.PROJECT.values())


def test_every_integration_and_public_top_module_has_a_place_in_the_api() -> None:
    shown = {
        name
        for page in (DOCS / "api").glob("*.md")
        for name in re.findall(r"automodule:: (\S+)", page.read_text(encoding="utf-8"))
    }
    modules = {
        f"hawaii_env.{path.stem}" for path in (ROOT / "hawaii_env").glob("*.py") if not path.stem.startswith("_")
    }
    modules |= {f"hawaii_env.integrations.{path.stem}" for path in (ROOT / "hawaii_env/integrations").glob("*.py")}
    modules |= {f"hawaii_env.{path.parent.name}" for path in (ROOT / "hawaii_env").glob("*/__init__.py")}
    inside = {
        "hawaii_env.cli",
        "hawaii_env.command_line",
        "hawaii_env.env",
        "hawaii_env.integrations.__init__",
        "hawaii_env.integrations",
        "hawaii_env.render",
        "hawaii_env.terminal",
    }
    assert modules - inside - shown == set(), "name them in a page of docs/api"
    assert all(importlib.util.find_spec(name) for name in shown)


# The site

needs_sphinx = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("sphinx", "furo", "myst_parser")), reason="the extra docs"
)


class Page(HTMLParser):
    """The ids of a page, where its links lead, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids |= {value for key in ("id", "name") if (value := given.get(key))}
        if tag == "a" and (target := given.get("href")):
            self.links.append(target)
        if tag in ("script", "img", "iframe", "source") and (target := given.get("src")):
            self.loads.append(target)
        if tag == "link" and given.get("rel") != "canonical" and (target := given.get("href")):
            self.loads.append(target)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with warnings as errors and without a network."""
    out = tmp_path_factory.mktemp("site")
    # A proxy that is not there: whatever is fetched fails.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sphinx",
            "-q",
            "-W",
            "--keep-going",
            "-b",
            "html",
            "-d",
            str(out / "trees"),
            str(DOCS),
            str(out / "html"),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **nowhere},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr.strip(), done.stderr
    return out / "html"


@pytest.mark.slow
@needs_sphinx
def test_the_site_builds_and_its_links_hold(site: Path) -> None:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > len(PAGES)
    dead: list[str] = []
    foreign: list[str] = []
    for path, page in pages.items():
        where = path.relative_to(site).as_posix()
        foreign += [f"{where}: {target}" for target in page.loads if urlsplit(target).netloc]
        for target in page.links + page.loads:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            gone = parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].ids
            if not file.exists() or gone:
                dead.append(f"{where}: {target}")
    assert not foreign
    assert not dead


@pytest.mark.slow
@needs_sphinx
def test_the_site_has_the_api_the_rulings_and_the_pages_from_outside(site: Path) -> None:
    api = Page((site / "api/game.html").read_text(encoding="utf-8"))
    assert {"hawaii_env.game.State.apply", "hawaii_env.hawaii1795.Game"} <= api.ids
    rules = Page((site / "hawaii1795.html").read_text(encoding="utf-8"))
    assert "reference/hawaii1795/rulings.html#hawaii1795-r-07" in rules.links
    changelog = (site / "project/changelog.html").read_text(encoding="utf-8")
    assert "Unreleased" in changelog
    readme = Page((site / "project/readme.html").read_text(encoding="utf-8"))
    assert "../bots.html" in readme.links
