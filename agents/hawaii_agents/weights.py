"""The trained weights that come with the package: `hawaii_agents/weights/*.safetensors`.

A file is named after its game, `hawaii1795.safetensors`, and where what a player sees is longer with more players,
after their number, too: `aloha-players-3.safetensors`; where it depends on the scenario, after this:
`maori_wars-taranaki.safetensors`. Its own metadata have config, seed, command and commit. Some come with the
distribution hawaii-env-weights, which puts them into the same folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hawaii_agents.network import Policy
from hawaii_env.agent_options import Given
from hawaii_env.agents import check_path
from hawaii_env.errors import OptionError
from hawaii_env.game import Game

__all__ = ["FOLDER", "Weights", "find", "load", "names"]

Weights = Annotated[
    Policy | str | Path | None, Given("a policy, a file or the name of a shipped one", (Policy, str, Path))
]
"""Weights as an option of an agent; None is the shipped ones."""

FOLDER = Path(__file__).resolve().parent / "weights"
"""The folder of the weights."""

MORE = "pip install hawaii-env-weights adds those of more players and scenarios"

_loaded: dict[Path, Policy] = {}  # read once: every agent of a process shares them, and nothing writes to them


def names() -> list[str]:
    """Return the names of the shipped policies, ascending: those that `load` takes."""
    return sorted(path.stem for path in FOLDER.glob("*.safetensors"))


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


def find(game: Game, any_ruleset: bool = False) -> Policy:
    """Return the shipped policy for a game, trained on its ruleset, for its number of players or scenario where it goes
    by that.

    Args:
        game: the game.
        any_ruleset: True takes one that was trained on another ruleset, too.

    Raises:
        OptionError: none is shipped for this game, or it was trained on another ruleset; the message says what can be
            done.
    """
    parts = f"-players-{game.num_players}", f"-{game.params.get('scenario')}", ""
    paths = (FOLDER / f"{game.name}{part}.safetensors" for part in parts)
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise OptionError(
            f"no trained weights are shipped for the game {game.name!r} "
            f"(shipped are: {', '.join(names()) or 'none'}; {MORE}): give a file by weights=, or train: python "
            "hawaii train"
        )
    policy = load(path)
    try:
        policy.check(game, ruleset=not any_ruleset)
    except OptionError as error:
        raise OptionError(f"{error} ({MORE})" if path.stem == game.name else str(error)) from None
    return policy
