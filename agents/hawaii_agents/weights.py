"""The trained weights of the package: `hawaii_agents/weights/*.safetensors`.

A file is named after its game, `hawaii1795.safetensors`; if the observation depends on the number of players, also
after this number, `aloha-players-3.safetensors`; if it depends on the scenario, after the scenario,
`maori_wars-taranaki.safetensors`. Its metadata have config, seed, command and commit. Some files are part of the
distribution hawaii-env-weights, which installs them into the same folder. Those in its subfolder ``held-out``, all from
this distribution, are the benchmark's held-out policies.
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
"""Weights as an option of an agent; None means the shipped ones."""

FOLDER = Path(__file__).resolve().parent / "weights"
"""The folder of the weights."""

HELD_OUT = "held-out"
"""The subfolder of held-out policies, and the prefix of their names."""

MORE = "pip install hawaii-env-weights adds those of more players and scenarios"

_loaded: dict[Path, Policy] = {}  # read once: every agent of a process shares them, and nothing writes to them


def names(held_out: bool = False) -> list[str]:
    """Return the names of the shipped or the held-out policies for `load`, ascending."""
    found = FOLDER.glob(f"{HELD_OUT}/*.safetensors" if held_out else "*.safetensors")
    return sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in found)


def load(weights: str | Path) -> Policy:
    """Return a policy by the name of a shipped one or the path of a file; each file is read once.

    Raises:
        OptionError: no such policy or file; the message lists the shipped ones.
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
    """Return the shipped policy for a game, trained on its ruleset and, if weights depend on it, its number of players
    or scenario.

    Args:
        game: the game.
        any_ruleset: True also accepts one trained on another ruleset.
        held_out: True returns the benchmark's held-out one.

    Raises:
        OptionError: none is shipped for this game, or it was trained on another ruleset; the message says what to do.
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
