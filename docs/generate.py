"""Write the generated pages of docs/ from code, data and committed results; `--check` only names the stale ones.

python docs/generate.py

A page is a template of docs/templates, a page that every game has one of docs/templates/game; functions of measured.py
and the names of `GLOBALS` are what templates may call.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2

from hawaii_env import agents, benchmark
from hawaii_env.benchmark import form
from hawaii_env.env.entries import SETTINGS
from hawaii_env.games import GameSpec, find, list_games, load_game, shipped
from hawaii_env.integrations import croissant, offline
from hawaii_env.records.form import schema_text

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "experiments")]
import measured  # noqa: E402  the modules beside this file
import overview  # noqa: E402
import public_names  # noqa: E402
from calibrate import aims_table, read_study  # noqa: E402
from site_parts import outside_code, spelled  # noqa: E402

from hawaii_agents import weights  # noqa: E402

NOTE = "<!-- Written by docs/generate.py from code, data and committed results; do not edit. -->\n"
WIDTH = 120
HELPERS = (measured, overview, public_names)
GLOBALS: dict[str, Any] = {
    **{name: value for module in HELPERS for name, value in vars(module).items() if callable(value)},
    "aims_table": aims_table, "read_study": read_study, "split_agents": agents.split_agents,
    "benchmark": benchmark, "weights": weights, "sha256": hashlib.sha256,
    "find": find, "list_games": list_games, "load_game": load_game, "shipped": shipped,
    "module": import_module, "getdoc": inspect.getdoc, "signature": inspect.signature, "repr": repr,
    "COLUMNS": offline.COLUMNS, "command_of": croissant.command, "name_of": croissant.name_of,
    "settings": SETTINGS, "whole": "{:.0%}".format,
}  # fmt: skip
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER / "templates"), undefined=jinja2.StrictUndefined,
    trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
)  # fmt: skip
TEMPLATES.globals |= GLOBALS
TEMPLATES.filters["code"] = "`{}`".format
TEMPLATES.tests["startswith"] = str.startswith


def wrapped(text: str) -> str:
    """Return Markdown with its prose at `WIDTH` columns; tables and code stay as they are."""

    def wrap(line: str) -> str:
        if len(line) <= WIDTH or line.startswith(("|", "<", " ", "#")):
            return line
        indent = "  " if line.startswith("- ") else ""
        return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)

    return outside_code(text, wrap)


def page(template: str, **values: Any) -> str:
    """Return the page that a template makes."""
    return wrapped(spelled(NOTE + TEMPLATES.get_template(template).render(values)))


def game_page(template: str, spec: GameSpec) -> str:
    """Return a page that every game has."""
    ruleset = import_module(f"{str(spec.game).partition(':')[0]}.ruleset").Ruleset
    notes = dict.fromkeys(("actions", "observation", "rulings", "reconstructed", "listed", "form"), "")
    notes |= measured.toml("docs/games.toml").get(spec.name, {})
    return page(template, spec=spec, ruleset=ruleset, rules=ruleset.load(), notes=notes)


def with_part(file: str, begin: str, end: str, part: Callable[[], str]) -> str:
    """Return a page written by hand with a generated part between two marks."""
    return put_in((FOLDER / file).read_text(encoding="utf-8"), begin, end, part())


def put_in(text: str, begin: str, end: str, part: str) -> str:
    """Return a text with a part between two marks."""
    before, mark, rest = text.partition(begin)
    return f"{before}{mark}{part.rstrip()}\n\n{rest[rest.index(end) :]}"


def readme() -> str:
    """Return README.md with its generated tables."""
    text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    for name in ("games", "results"):
        table = TEMPLATES.get_template(f"readme_{name}.j2").render()
        text = put_in(text, TABLE.format(name), END_OF_TABLE.format(name), table)
    return text


def leaderboard() -> str:
    """Return the opponents and the results of all tracks."""
    return wrapped(TEMPLATES.get_template("leaderboard.j2").render())


def rules_text(game: str) -> str:
    """Return the rules of a game in our own words."""
    made: Any = load_game(game)
    return made.ruleset.rules_text()


def promises() -> str:
    """Return the table of what environments promise."""
    return TEMPLATES.get_template("promises.j2").render(measured.toml("docs/promises.toml"))


RULES = "<!-- The rules are written by docs/generate.py from hawaii_env/{}/rules.md. -->\n\n"
END_OF_RULES = "<!-- The end of the rules. -->"
TABLE = "<!-- The table of {} is written by docs/generate.py. -->\n\n"
LEADERBOARD = "<!-- The leaderboard is written by docs/generate.py from the suites and docs/benchmarks/results. -->\n\n"
END_OF_LEADERBOARD = "<!-- The end of the leaderboard. -->"
END_OF_TABLE = "<!-- The end of the table of {}. -->"
PROMISES = "<!-- The table is written by docs/generate.py from docs/promises.toml. -->\n\n"
NAMES = [name.removesuffix(".j2") for name in TEMPLATES.list_templates(["j2"]) if name.endswith(".md.j2")]
PAGES: dict[str, Callable[[], str]] = {
    "../README.md": readme,
    "benchmark.md": partial(with_part, "benchmark.md", LEADERBOARD, END_OF_LEADERBOARD, leaderboard),
    "schema/record.schema.json": schema_text,
    "schema/benchmark.schema.json": form.schema_text,
    "environment.md": partial(with_part, "environment.md", PROMISES, "## ", promises),
    **{name: partial(page, f"{name}.j2") for name in NAMES if not name.startswith("game/")},
}
for spec in shipped():
    kept = partial(rules_text, spec.name)
    PAGES[f"{spec.name}.md"] = partial(with_part, f"{spec.name}.md", RULES.format(spec.name), END_OF_RULES, kept)
    for name in NAMES:
        if name.startswith("game/"):
            PAGES[name.replace("game", f"reference/{spec.name}")] = partial(game_page, f"{name}.j2", spec)


def main() -> int:
    """Write the pages that differ from what is there, or name them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only name the stale pages")
    check = parser.parse_args().check
    texts = {FOLDER / name: text() for name, text in PAGES.items()}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'stale:' if check else 'wrote'} {path.relative_to(FOLDER.parent)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path], encoding="utf-8")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
