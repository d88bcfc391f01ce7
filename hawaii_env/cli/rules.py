"""``hawaii rules``: a game's ruleset, its rulings, the sources of its values; a folder to fill in, and its check."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from hawaii_env import games
from hawaii_env.command_line import PLAIN, add_arguments, argument
from hawaii_env.errors import OptionError, RulesetError
from hawaii_env.rulesets import Ruleset, Ruling, Value
from hawaii_env.terminal import Printer, say
from hawaii_env.texts import write_bytes

__all__ = ["add_rules_arguments", "rules_text", "run_rules", "summary", "write_template"]

_HEADER = """\
# A copy of the shipped file, to fill in. Change the values, and say in each `source` where they come from: "printed"
# for what stands on your copy of the game. A file that stays as it is can be deleted: the shipped one then stands in
# for it.
# `hawaii rules check FOLDER` checks the folder; docs/rulesets.md tells more.

"""


def summary(ruleset: Ruleset) -> list[str]:
    """Return name, hash, and how many values are printed, chosen by a ruling or reconstructed, in a few lines."""
    counts = Counter(value.source.split()[0] for value in ruleset.provenance)
    return [
        f"{ruleset.name}, version {ruleset.about.version} ({ruleset.about.kind})",
        f"hash {ruleset.hash}",
        f"{counts['printed']} values printed, {counts['ruling']} by a ruling, {counts['reconstructed']} reconstructed",
    ]


def _ruling_lines(ruling: Ruling) -> list[str]:
    head = f"{ruling.id}  {ruling.title} [{', '.join(ruling.sections)}]".replace("   ", "  ")
    lines = [head, f"      {ruling.question}"]
    lines += [f"      {'-' if number else '*'} {reading}" for number, reading in enumerate(ruling.readings)]
    lines += [f"      Played: {ruling.choice}", f"      Why: {ruling.reason}"]
    if ruling.option:
        lines.append(f"      Option: {ruling.option}")
    return [*lines, f"      Test: {ruling.test}"]


def rules_text(ruleset: Ruleset) -> str:
    """Return the rulings and the source of every value, as plain text."""
    lines = [*summary(ruleset), "", "Rulings (where the rulebook is silent or contradicts itself)", ""]
    for ruling in ruleset.rulings():
        lines += [*_ruling_lines(ruling), ""]
    lines += ["Where every value comes from", ""]
    tables: dict[str, list[Value]] = {}
    for value in ruleset.provenance:
        tables.setdefault(f"{value.file} [{value.table}]" if value.table else value.file, []).append(value)
    for table, values in tables.items():
        rows = [f"    {v.key} = {json.dumps(v.value, ensure_ascii=False)}    {v.source}" for v in values]
        lines += [table + rows[0]] if len(rows) == 1 else [table, *rows]
        lines.append("")
    return "\n".join(lines)


STYLES = (
    (r"(?m)^R-\d\d  .*$", "bold"),
    (r"(?m)^[A-Z].*\)$|^Where every.*$", "bold underline"),
    (r"(?m)^\w+\.toml( \[[^\]]+\])?", "bold"),
    (r"(?m)  printed( [\d., ]+)?$", "green"),
    (r"(?m)  ruling R-\d\d$", "cyan"),
    (r"(?m)  reconstructed$", "yellow"),
)


def write_template(kind: type[Ruleset], folder: str | Path) -> list[Path]:
    """Write commented copies of every file of a game's shipped ruleset into a folder, and return their paths.

    Args:
        kind: the game's ruleset.
        folder: a folder, which is made if need be.

    Raises:
        RulesetError: one of the files is there already: nothing is ever overwritten.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise RulesetError(
            f"rules folder {str(folder)!r}: is a file; allowed: a new folder or one without ruleset files"
        )
    there = [name for name in kind.models if (folder / name).exists()]
    if there:
        raise RulesetError(f"{', '.join(there)}: already in the folder; allowed: a folder without these files")
    folder.mkdir(parents=True, exist_ok=True)
    about, own = kind.load().about, folder.resolve().name[:60].strip() or "own"
    written: list[Path] = []
    for name in kind.models:
        text = (kind.folder / "data" / name).read_text(encoding="utf-8")
        if name == "ruleset.toml":
            text = text.replace(f'name = "{about.name}"', f"name = {json.dumps(own, ensure_ascii=False)}", 1)
            text = text.replace(f'kind = "{about.kind}"', 'kind = "variant"', 1)
        write_bytes(folder / name, (_HEADER + text).encode())
        written.append(folder / name)
    return written


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    add_arguments(
        parser,
        argument("--game", metavar="GAME", default=games.DEFAULT, help="which game (default: %(default)s)"),
        argument("--rules", metavar="FOLDER", help="show the ruleset of this folder"),
        PLAIN,
    )
    inner = parser.add_subparsers(dest="rules_command", metavar="new | check")
    for name, text in (
        ("new", "write a commented copy of the ruleset to fill in"),
        ("check", "check a ruleset folder"),
    ):
        inner.add_parser(name, help=text).add_argument("folder", metavar="FOLDER", help="the ruleset's folder")


def run_rules(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status."""
    kind: type[Ruleset] | None = games.find(arguments.game).load("ruleset")
    if kind is None:
        raise OptionError(f"game {arguments.game!r}: it has no ruleset files")
    if arguments.rules_command == "new":
        for path in write_template(kind, arguments.folder):
            print(path)
        game = "" if arguments.game == games.DEFAULT else f"--game {arguments.game} "
        say(f"Fill them in, then: hawaii rules {game}check {arguments.folder}")
        return 0
    if arguments.rules_command == "check":
        try:
            found = kind.load(arguments.folder)
        except RulesetError as error:
            print(error, file=sys.stderr)
            return 1
        say("\n".join(summary(found)))
        return 0
    Printer(arguments.plain, STYLES).line(rules_text(kind.load(arguments.rules)))
    return 0
