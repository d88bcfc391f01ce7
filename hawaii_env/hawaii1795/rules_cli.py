"""``hawaii rules``: the ruleset, its rulings and where its values come from; a folder to fill in, and its check."""

from __future__ import annotations

import argparse
import importlib
import sys

from hawaii_env.hawaii1795.ruleset import load_ruleset
from hawaii_env.hawaii1795.ruleset import text as ruleset_text

__all__ = ["add_rules_arguments", "run_rules", "scenario_names"]


def scenario_names(rules: str | None = None, **_: object) -> list[str]:
    """Return the scenarios of a ruleset: a folder, or None for the shipped one."""
    return list(load_ruleset(rules).scenarios)


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    parser.add_argument(
        "--rules",
        metavar="FOLDER",
        help="show this ruleset: a folder",
    )
    parser.add_argument("--plain", action="store_true", help="no colour")
    inner = parser.add_subparsers(dest="rules_command", metavar="new | check")
    for name, text in (
        ("new", "write a commented copy of the ruleset to fill in"),
        ("check", "check a ruleset folder"),
    ):
        inner.add_parser(name, help=text).add_argument("folder", metavar="FOLDER")


def run_rules(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status."""
    if arguments.rules_command == "new":
        for path in ruleset_text.write_template(arguments.folder):
            print(path)
        print(f"Fill them in, then: hawaii rules check {arguments.folder}")
        return 0
    if arguments.rules_command == "check":
        problems = ruleset_text.check_folder(arguments.folder)
        if problems:
            print("\n".join(problems), file=sys.stderr)
            return 1
        for line in ruleset_text.summary(load_ruleset(arguments.folder)):
            print(line)
        return 0
    ruleset = load_ruleset(arguments.rules)
    report = ruleset_text.rules_text(ruleset) if arguments.plain else ruleset_text.rules_report(ruleset)
    if isinstance(report, str):  # plain, or without rich
        print(report)
    else:
        importlib.import_module("rich.console").Console(highlight=False, soft_wrap=True).print(report)
    return 0
