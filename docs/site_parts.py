"""What the documentation site adds to Sphinx: pages from outside of docs/, navigation, links to rulings, Markdown in
docstrings.

The pages stay plain Markdown, so that a forge shows them as they are; what only the site needs is done here while it is
built.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

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

NAVIGATION: dict[str, list[str]] = {
    "Start": ["tutorial", "faq", "project/readme"],
    "The game": [
        "rules", "reference/cards", "reference/pieces", "reference/rulings", "reference/deviations", "odds", "rulesets",
    ],
    "Heiau Diplomacy": [
        "heiau", "reference/heiau_map", "reference/heiau_rulings", "reference/heiau_deviations",
        "reference/heiau_environment", "reference/heiau_actions", "reference/heiau_observation",
        "reference/heiau_datc",
    ],
    "ALOHA": [
        "aloha", "reference/aloha_cards", "reference/aloha_rulings", "reference/aloha_deviations",
        "reference/aloha_environment",
        "reference/aloha_actions", "reference/aloha_observation",
    ],
    "Environments": [
        "reference/environment", "reference/ids", "environment", "vector", "reference/actions",
        "reference/observation", "reference/phases", "integrations", "training",
    ],
    "Agents": ["agents", "bots", "arena", "ratings", "benchmarks/ladder", "benchmarks/levels",
        "benchmarks/depth", "benchmarks/puzzles", "benchmarks/strength",
        "benchmarks/heiau", "benchmarks/aloha"],
    "Playing and looking": ["play", "replay", "pictures", "records", "project/notebooks"],
    "Findings": ["findings/strength", "findings/training", "findings/depth", "findings/balance", "project/results"],
    "Inside": ["architecture", "engine", "new_game", "benchmarks/README", "benchmarks/peers", "benchmarks/walk",
        "project/experiments"],
    "API": ["api/environments", "api/game", "api/agents", "api/arena", "api/records", "api/pictures",
        "api/integrations"],
    "Project": ["project/contributing", "release", "site", "project/changelog", "project/map-data"],
}  # fmt: skip
"""The side bar: every page of docs/ stands in it once (Sphinx warns of a page that does not)."""

TITLES = {"project/readme": "README <project/readme>", "benchmarks/README": "Benchmarks <benchmarks/README>"}
"""What the side bar calls a page whose own title says too little there."""

WITH_RULINGS = ("aloha", "heiau")
"""The games whose pages begin with their names and that have pages of rulings; elsewhere they are Hawaii, 1795's."""
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


def navigation(docs: Path) -> str:
    """The side bar as MyST's tables of contents. A page that another change has still to bring is left out."""
    parts: list[str] = []
    for caption, names in NAVIGATION.items():
        there = [TITLES.get(name, name) for name in names if (docs / f"{name}.md").exists()]
        parts.append("```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(there) + "\n```\n")
    return "\n" + "\n".join(parts)


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


def setup(app: Any, root: Path) -> None:
    """Connect to Sphinx's events."""

    def read(app: Any, page: str, source: list[str]) -> None:
        file = PROJECT.get(page, f"docs/{page}.md")
        text = (root / file).read_text(encoding="utf-8") if page in PROJECT else source[0]
        source[0] = relinked(text, file, page)
        source[0] = re.sub(r'^<a id="([^"]+)"></a>$', r"(\1)=", source[0], flags=re.MULTILINE)  # MyST's own form
        if page == "index":
            source[0] += navigation(root / "docs")

    def changed(app: Any, environment: Any, added: set[str], edited: set[str], removed: set[str]) -> list[str]:
        return sorted(set(PROJECT) & environment.found_docs)  # their text lies where Sphinx does not look for changes

    def process(app: Any, what: str, name: str, subject: object, options: Any, lines: list[str]) -> None:
        pages = {"hawaii_env.hawaii1795_v1": "environment"}
        if name in pages:
            lines[:] = [
                f"Described on :doc:`a page of its own </reference/{pages[name]}>`, which is made from this docstring."
            ]
        else:
            lines[:] = docstring(lines)

    app.connect("source-read", read)
    app.connect("env-get-outdated", changed)
    app.connect("autodoc-process-docstring", process, priority=100)  # before napoleon
    app.connect("doctree-resolved", link_rulings)


def link_rulings(app: Any, tree: Any, page: str) -> None:
    """Make every ``R-nn`` in running text a link to the ruling of the page's game."""
    from docutils import nodes  # here, so that the navigation can be read without the extra docs

    name = posixpath.basename(page)
    game = next((f"{game}_" for game in WITH_RULINGS if name.split("_")[0] == game), "")
    rulings = f"reference/{game}rulings"
    if page == rulings:
        return
    uri = f"{app.builder.get_relative_uri(page, rulings)}#{game.replace('_', '-')}"
    for text in list(tree.findall(nodes.Text)):
        value = text.astext()
        above: Any = text.parent
        held = False
        while above is not None:
            held = held or isinstance(
                above, nodes.literal | nodes.literal_block | nodes.reference | nodes.title | nodes.raw
            )
            above = above.parent
        if held or not re.search(r"\bR-\d\d\b", value):
            continue
        parts: list[nodes.Node] = []
        for piece in re.split(r"\b(R-\d\d)\b", value):
            if re.fullmatch(r"R-\d\d", piece):
                parts.append(nodes.reference("", piece, refuri=f"{uri}{piece.lower()}", internal=True))
            elif piece:
                parts.append(nodes.Text(piece))
        text.parent.replace(text, parts)
