"""Additions of the documentation site to Sphinx: pages from outside of docs/, navigation, links to rulings, Markdown in
docstrings.

The pages stay plain Markdown, so that a forge shows them as they are; what only the site needs is done while it is
built.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hawaii_env import games
from hawaii_env.texts import spell_names

PROJECT = {
    "project/readme": "README.md",
    "project/contributing": "CONTRIBUTING.md",
    "project/changelog": "CHANGELOG.md",
    "project/experiments": "experiments/README.md",
    "project/results": "experiments/RESULTS.md",
    "project/map-data": "hawaii_env/render/data/README.md",
    "project/notebooks": "notebooks/README.md",
}
"""Pages whose text is a file outside of docs/; what stands in docs/project only points there, for readers on a
forge.
"""

_OWN = {"hawaii1795": ["odds", "rulesets"], "maori_wars": ["maori_wars_history"]}
"""Pages of their own that only some games have."""

GAMES = {spec.title: [*_OWN.get(spec.name, []), spec.name, f"reference/{spec.name}/*"] for spec in games.shipped()}
NAVIGATION: dict[str, list[str]] = {
    "Start": ["install", "tutorial", "faq", "project/readme"],
    **GAMES,
    "Environments and training": ["environment", "vector", "researchers", "training", "integrations", "datasets",
        "reference/*"],
    "Agents": ["agents", "reference/agents", "reference/weights", "bots", "arena", "ratings", "benchmark", "exact",
        "benchmarks/ruleshift", "benchmarks/exact", "benchmarks/ladders", "benchmarks/levels", "benchmarks/strength",
        "benchmarks/puzzles", "benchmarks/depth", "benchmarks/heiau", "benchmarks/aloha", "benchmarks/maori_wars"],
    "Findings": ["findings/*", "project/results"],
    "Playing and looking": ["play", "replay", "pictures", "records", "project/notebooks"],
    "Inside": ["engine", "new_game", "benchmarks/*", "project/experiments"],
    "API": ["reference/names", "api/*"],
    "Project": ["project/*", "release", "site"],
}  # fmt: skip
"""The side bar: page names and patterns; a pattern brings the pages that no name before it brings."""

TITLES = {"project/readme": "README <project/readme>", "benchmarks/README": "Benchmarks <benchmarks/README>"}
"""Titles in the side bar of pages whose own title says too little there."""

KEPT = re.compile(r"(`[^`]*`|\[[^\]]*\]\([^)]*\)|<[^>]*>|^#.*)")
FENCE = re.compile(r"^ *(```+|~~~+)")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|#)", re.IGNORECASE)


def relinked(text: str, source: str, page: str) -> str:
    """Return Markdown whose relative links, written for the file `source`, lead where they should from the page `page`.

    Args:
        text: the Markdown.
        source: path of the file that it stands in, from the root of the project, as ``"experiments/RESULTS.md"``.
        page: name of the page that it is shown as, from docs/ and without ending, as ``"project/results"``.
    """
    pages = {file: name for name, file in PROJECT.items()}
    here = posixpath.dirname(f"docs/{page}")

    def moved(match: re.Match[str]) -> str:
        before, target, after = match.groups()
        if OUTSIDE.match(target):
            return match.group()
        path, mark, anchor = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if file in pages:
            file = f"docs/{pages[file]}.md"
        return f"{before}{posixpath.relpath(file, here)}{mark}{anchor}{after}"

    return outside_code(text, lambda line: LINK.sub(moved, line))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return Markdown with `change` done to each line that is not in a fenced block."""
    lines, fence = [], ""
    for line in text.split("\n"):
        found = FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence):
            fence = ""
        elif not fence:
            line = change(line)
        lines.append(line)
    return "\n".join(lines)


CODE = re.compile(r"(`+[^`]*`+|\]\([^)]*\)|<[^>]*>|https?://\S+)")
"""Parts of a line of Markdown that are no prose: code, addresses, tags."""


def spelled(text: str) -> str:
    """Return Markdown whose prose has the names of Hawaiʻi as people write them."""

    def spell(line: str) -> str:
        parts = CODE.split(line)
        return "".join(part if number % 2 else spell_names(part) for number, part in enumerate(parts))

    return outside_code(text, spell)


def entries(docs: Path) -> dict[str, list[str]]:
    """Return the pages of the side bar under their headings, patterns resolved: every page once."""
    named = {name for names in NAVIGATION.values() for name in names}
    found: dict[str, list[str]] = {}
    for heading, names in NAVIGATION.items():
        pages = [[name] if "*" not in name else sorted(path.relative_to(docs).with_suffix("").as_posix()
            for path in docs.glob(f"{name}.md")) for name in names]  # fmt: skip
        found[heading] = [
            page for name, some in zip(names, pages, strict=True) for page in some if name == page or page not in named
        ]
    return found


def navigation(docs: Path) -> str:
    """Return the side bar as MyST's tables of contents."""
    head = "```{toctree}\n:hidden:\n:caption: "
    return "\n" + "\n".join(
        f"{head}{heading}\n\n" + "\n".join(TITLES.get(page, page) for page in pages) + "\n```\n"
        for heading, pages in entries(docs).items()
    )


def docstring(lines: list[str]) -> list[str]:
    """Return a docstring of ours, which is Markdown, as reStructuredText."""
    found: list[str] = []
    fenced = table = False
    for line in lines:
        text = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        if text.startswith("```"):
            if not fenced:
                language = text.strip("` ") or "text"
                found += ["", f"{indent}.. code-block:: {language}", ""]
            else:
                found.append("")
            fenced = not fenced
            continue
        if fenced:
            found.append(f"    {line}")
            continue
        if text.startswith("|") and text.endswith("|"):
            if not table:
                found += ["", f"{indent}.. code-block:: text", ""]
            found.append(f"    {line}")
            table = True
            continue
        if table:
            found.append("")
            table = False
        item = re.match(r"(?:[-*]|\d+\.) ", text)
        before = found[-1] if found else ""
        if (
            item
            and before.strip()
            and not re.match(r" *(?:[-*]|\d+\.) ", before)
            and not before.startswith(indent + " ")
        ):
            found.append("")  # Markdown begins a list without a blank line, reStructuredText does not
        found.append(inline(line))
    return found


def inline(line: str) -> str:
    """Return a line of a docstring with Markdown's links as reStructuredText writes them."""
    return re.sub(r"\[([^\]]+)\]\((https?://[^)]+)\)", r"`\1 <\2>`__", line)


def with_rulings(text: str, page: str) -> str:
    """Return Markdown in which every ``R-nn`` in running text links to the ruling of the page's game."""
    game = next((spec.name for spec in games.shipped() if spec.name in page.split("/")), "hawaii1795")

    def link(line: str) -> str:
        pieces = KEPT.split(line)  # every second one is code, a link or a heading
        pieces[::2] = [re.sub(r"\bR-(\d\d)\b", rf"[R-\1](#{game}-r-\1)", piece) for piece in pieces[::2]]
        return "".join(pieces)

    return text if page.endswith("/rulings") else outside_code(text, link)


def setup(app: Any, root: Path) -> None:
    """Connect to Sphinx's events."""

    def read(app: Any, page: str, source: list[str]) -> None:
        file = PROJECT.get(page, f"docs/{page}.md")
        text = (root / file).read_text(encoding="utf-8") if page in PROJECT else source[0]
        source[0] = with_rulings(relinked(text, file, page), page)
        source[0] = re.sub(r'^<a id="([^"]+)"></a>$', r"(\1)=", source[0], flags=re.MULTILINE)  # MyST's own form
        if page == "index":
            source[0] += navigation(root / "docs")

    def changed(app: Any, environment: Any, added: set[str], edited: set[str], removed: set[str]) -> list[str]:
        return sorted(set(PROJECT) & environment.found_docs)  # their text lies where Sphinx does not look for changes

    def process(app: Any, what: str, name: str, subject: object, options: Any, lines: list[str]) -> None:
        spec = next((one for one in games.shipped() if name in one.environments.values()), None)
        lines[:] = [f"See :doc:`its page </reference/{spec.name}/environment>`."] if spec else docstring(lines)

    app.connect("source-read", read)
    app.connect("env-get-outdated", changed)
    app.connect("autodoc-process-docstring", process, priority=100)  # before napoleon
