"""Shell completion of the ``hawaii`` command: the script that a shell loads.

``hawaii completion bash`` prints it. The script is made from the command's own parser by shtab and knows the agents,
games and their options that are installed as it is made; pressing Tab starts no Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

__all__ = ["SHELLS", "completion_script"]

SHELLS: tuple[str, ...] = ("bash", "zsh", "fish", "tcsh")
"""The shells that a script can be made for."""


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script that completes a parser's commands, options, files, agents and games.

    Args:
        parser: the whole parser, every command's arguments included. It is changed, and can parse no longer.
        shell: one of `SHELLS`.

    Raises:
        MissingExtraError: shtab is not installed.
    """
    from hawaii_env import agents, games
    from hawaii_env.render.picture import need

    shtab: Any = need("shtab", "hawaii completion", "shtab", "completion")

    # Its metavar says how an argument is completed, so that a new option completes without being named here.
    names = agents.known()
    for action in _actions(parser):
        for metavar in (action.metavar,) if isinstance(action.metavar, str) else ():
            if metavar.startswith("FILE"):
                action.complete = shtab.FILE  # pyright: ignore[reportAttributeAccessIssue]
            elif metavar == "FOLDER":
                action.complete = shtab.DIRECTORY  # pyright: ignore[reportAttributeAccessIssue]
            elif metavar in ("AGENT", "AGENTS"):
                action.choices = names
            elif metavar == "GAME":
                action.choices = games.list_games()
            elif hasattr(action, "known"):  # an option of a game that says its values
                action.choices = [str(value) for value in action.known()]  # pyright: ignore[reportAttributeAccessIssue]
    return shtab.complete(parser, shell=shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield every argument of a parser and of its commands."""
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            # A command under two names has one parser.
            for inner in {id(inner): inner for inner in action.choices.values()}.values():
                yield from _actions(inner)
        else:
            yield action
