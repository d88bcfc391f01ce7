"""A ruleset in words: the rulings and the source of every value, and a folder to fill in with values of one's own."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hawaii_env.errors import RulesetError

from .check import Value
from .loading import DATA, Ruleset, load_ruleset, load_rulings
from .models import FILES, Ruling

__all__ = ["check_folder", "rules_report", "rules_text", "summary", "write_template"]

_HEADER = """\
# A copy of the shipped file, to fill in. Change the values, and say in each `source` where they come from: "printed"
# for what stands on your copy of the game. A file that stays as it is can be deleted: the shipped one then stands in
# for it.
# `hawaii rules check FOLDER` checks the folder; docs/rulesets.md tells more.

"""


def summary(ruleset: Ruleset | None = None) -> list[str]:
    """A few lines: name, hash, and how many values are printed, chosen by a ruling or reconstructed."""
    ruleset = ruleset or load_ruleset()
    counts = Counter(value.source.split()[0] for value in ruleset.provenance)
    return [
        f"{ruleset.name}, version {ruleset.version} ({ruleset.kind})",
        f"hash {ruleset.hash}",
        f"{counts['printed']} values printed, {counts['ruling']} by a ruling, {counts['reconstructed']} reconstructed",
    ]


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _by_table(ruleset: Ruleset) -> Iterator[tuple[str, list[Value]]]:
    tables: dict[str, list[Value]] = {}
    for value in ruleset.provenance:
        tables.setdefault(f"{value.file} [{value.table}]" if value.table else value.file, []).append(value)
    yield from tables.items()


def _ruling_lines(ruling: Ruling) -> list[str]:
    lines = [f"{ruling.id}  {ruling.title} [{', '.join(ruling.sections)}]", f"      {ruling.question}"]
    lines += [f"      {'*' if number == 0 else '-'} {reading}" for number, reading in enumerate(ruling.readings)]
    lines += [f"      Played: {ruling.choice}", f"      Why: {ruling.reason}"]
    if ruling.option:
        lines.append(f"      Option: {ruling.option}")
    return [*lines, f"      Test: {ruling.test}"]


def rules_text(ruleset: Ruleset | None = None) -> str:
    """The rulings and the source of every value, as plain text."""
    ruleset = ruleset or load_ruleset()
    lines = [*summary(ruleset), "", "Rulings (where the rulebook is silent or contradicts itself)", ""]
    for ruling in load_rulings():
        lines += [*_ruling_lines(ruling), ""]
    lines += ["Where every value comes from", ""]
    for table, values in _by_table(ruleset):
        rows = [f"    {value.key} = {_shown(value.value)}    {value.source}" for value in values]
        lines += [table + rows[0]] if len(rows) == 1 else [table, *rows]
        lines.append("")
    return "\n".join(lines)


def rules_report(ruleset: Ruleset | None = None) -> Any:
    """The same for a terminal: a coloured rich.text.Text, or plain text (str) where rich is not installed."""
    plain = rules_text(ruleset)
    try:
        rich_text: Any = importlib.import_module("rich.text")
    except ImportError:
        return plain
    text = rich_text.Text(plain)
    for pattern, style in (
        (r"(?m)^R-\d\d  .*$", "bold"),
        (r"(?m)^[A-Z].*\)$|^Where every.*$", "bold underline"),
        (r"(?m)^\w+\.toml( \[[^\]]+\])?", "bold"),
        (r"(?m)  printed( \d+\.\d+)?$", "green"),
        (r"(?m)  ruling R-\d\d$", "cyan"),
        (r"(?m)  reconstructed$", "yellow"),
    ):
        text.highlight_regex(pattern, style)
    return text


def write_template(folder: str | Path) -> list[Path]:
    """Write commented copies of every ruleset file into a folder, which is made if need be; return their paths.

    Raises RulesetError if one of the files is there already: nothing is ever overwritten.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise RulesetError(
            f"rules folder {str(folder)!r}: is a file; allowed: a new folder or one without ruleset files"
        )
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise RulesetError(f"{', '.join(there)}: already in the folder; allowed: a folder without these files")
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name in FILES:
        text = (DATA / name).read_text(encoding="utf-8")
        if name == "ruleset.toml":
            shipped = load_ruleset()
            own = folder.resolve().name[:60].strip() or "own"
            text = text.replace(f"name = {_shown(shipped.name)}", f"name = {_shown(own)}", 1)
            text = text.replace(f"kind = {_shown(shipped.kind)}  ", 'kind = "variant"  ', 1)
        with open(folder / name, "x", encoding="utf-8", newline="\n") as file:
            file.write(_HEADER + text)
        written.append(folder / name)
    return written


def check_folder(folder: str | Path) -> list[str]:
    """Check a ruleset folder; return one line a problem, each naming file, table, key and what is allowed."""
    try:
        load_ruleset(folder)
    except RulesetError as error:
        return str(error).splitlines()
    return []
