"""Commands of ``hawaii`` that train policies and measure them: entry points of the group ``hawaii_env.commands``."""

from __future__ import annotations

import argparse
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from hawaii_env.errors import OptionError
from hawaii_env.games import Command

__all__ = ["BEST_RESPONSE", "EXPERT_ITERATION", "IMITATE", "LEAGUE", "TRAIN"]


def _module(name: str) -> Any:
    """Return a module of `hawaii_agents.training`.

    Raises:
        OptionError: torch is not installed.
    """
    if find_spec("torch") is None:
        raise OptionError("training needs torch: python -m pip install 'hawaii-env[train]'")
    return import_module(f"hawaii_agents.training.{name}")


def _add_arguments(name: str, parser: argparse.ArgumentParser) -> None:
    _module(name).add_arguments(parser)


def _run(name: str, arguments: argparse.Namespace) -> int:
    try:
        _module(name).run_command(arguments)
    except KeyboardInterrupt:
        again = "--resume" if hasattr(arguments, "resume") else "the same command"
        raise KeyboardInterrupt(f"stopped; {again} goes on from the last checkpoint") from None
    return 0


def _command(name: str, module: str, help: str, example: str) -> Command:
    arguments, run = partial(_add_arguments, module), partial(_run, module)
    return Command(name=name, help=help, arguments=arguments, run=run, example=example)


TRAIN = _command("train", "ppo_selfplay", "train a policy by self-play", "--preset quick --out runs/first")
EXPERT_ITERATION = _command(
    "expert-iteration",
    "expert_iteration",
    "train a policy by the search that it guides",
    "--game aloha --out runs/expert",
)
IMITATE = _command(
    "imitate", "imitate", "train a policy to play as an agent does", "--teacher rule-of-thumb --out runs/teacher"
)
BEST_RESPONSE = _command(
    "best-response", "best_response", "measure from below how exploitable a policy is",
    "--target hawaii1795 --minutes 30 --out runs/response",
)  # fmt: skip
LEAGUE = _command(
    "league", "league", "train a policy and its exploiters in turn", "--init hawaii1795 --rounds 6 --out runs/league"
)
