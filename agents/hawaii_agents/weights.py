"""The trained weights that come with the package: `hawaii_agents/weights/*.safetensors`.

A file is named after its game, `hawaii1795.safetensors`, and where what a player sees is longer with more players,
after their number, too: `aloha-players-3.safetensors`; where it depends on the scenario, after this:
`maori_wars-taranaki.safetensors`. Its own metadata have config, seed, command and commit. Some come with the
distribution hawaii-env-weights, which puts them into the same folder. Those in its folder ``held-out``, all of this
distribution, are the policies that the benchmark holds out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hawaii_agents.network import Policy
from hawaii_env.agent_options import Given
from hawaii_env.agents import check_path
from hawaii_env.errors import OptionError
from hawaii_env.game import Game

__all__ = ["FOLDER", "HELD_OUT", "Weights", "find", "load", "names"]

Weights = Annotated[
    Policy | str | Path | None, Given("a policy, a file or the name of a shipped one", (Policy, str, Path))
]
"""Weights as an option of an agent; None is the shipped ones."""

FOLDER = Path(__file__).resolve().parent / "weights"
"""The folder of the weights."""

HELD_OUT = "held-out"
"""The folder in it of policies that nobody trains against, and the beginning of their names."""

MORE = "pip install hawaii-env-weights adds those of more players and scenarios"

_loaded: dict[Path, Policy] = {}  # read once: every agent of a process shares them, and nothing writes to them


def names(held_out: bool = False) -> list[str]:
    """Return the names of the shipped policies, or of those that the benchmark holds out, ascending: `load` takes
    them.
    """
    found = FOLDER.glob(f"{HELD_OUT}/*.safetensors" if held_out else "*.safetensors")
    return sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in found)


def load(weights: str | Path) -> Policy:
    """Return a policy by the name of a shipped one or by the path of a file; each file is read once.

    Raises:
        OptionError: there is neither; the message lists the shipped ones.
    """
    path = check_path("weights", FOLDER / f"{weights}.safetensors")
    if not path.is_file():
        path = check_path("weights", weights)
    if not path.is_file():
        raise OptionError(
            f"weights: there is no file {str(weights)!r}, and shipped are: {', '.join(names()) or 'none'}"
        )
    path = path.resolve()
    if path not in _loaded:
        _loaded[path] = Policy.load(path)
    return _loaded[path]


def find(game: Game, any_ruleset: bool = False, held_out: bool = False) -> Policy:
    """Return the shipped policy for a game, trained on its ruleset, for its number of players or scenario where it goes
    by that.

    Args:
        game: the game.
        any_ruleset: True takes one that was trained on another ruleset, too.
        held_out: True takes the one that the benchmark holds out.

    Raises:
        OptionError: none is shipped for this game, or it was trained on another ruleset; the message says what can be
            done.
    """
    parts = f"-players-{game.num_players}", f"-{game.params.get('scenario')}", ""
    folder = FOLDER / HELD_OUT if held_out else FOLDER
    paths = (folder / f"{game.name}{part}.safetensors" for part in parts)
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise OptionError(
            f"no trained weights are shipped for the game {game.name!r} "
            f"(shipped are: {', '.join(names(held_out)) or 'none'}; {MORE}): give a file by weights=, or train: hawaii "
            "train"
        )
    policy = load(path)
    try:
        policy.check(game, ruleset=not any_ruleset)
    except OptionError as error:
        raise OptionError(f"{error} ({MORE})" if path.stem == game.name else str(error)) from None
    return policy
