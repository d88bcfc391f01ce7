"""Agents from files that training libraries wrote: ``sb3:FILE`` and ``rllib:CHECKPOINT`` wherever an agent is named.

>>> import hawaii_env
>>> hawaii_env.load_agent("sb3:runs/model.zip,deterministic=true")  # doctest: +SKIP

The libraries are imported when the first such agent is made. Both kinds of file hold pickled objects: reading one runs
what it says, so name only files that you trust.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hawaii_env._arguments import check_path
from hawaii_env.agent_options import Flag, Given, Seed, Text, checked
from hawaii_env.agents import PolicyAgent
from hawaii_env.errors import OptionError
from hawaii_env.render.picture import need
from hawaii_env.texts import show

__all__ = ["rllib", "sb3"]

SavedFile = Annotated[str | Path | None, Given("a path", (str, Path))]
"""Path of what a library has saved."""


@checked
def sb3(
    path: SavedFile = None,
    deterministic: Annotated[bool, Flag()] = False,
    seed: Annotated[int | None, Seed()] = None,
    name: Annotated[str | None, Text()] = None,
) -> PolicyAgent:
    """A saved model of sb3-contrib's MaskablePPO: ``sb3:model.zip`` or ``sb3:model.zip,deterministic=true``.

    Args:
        path: the file that ``model.save(path)`` wrote; ``.zip`` may be left out, as there. The statistics of a
            VecNormalize are not in it.
        deterministic: True takes the likeliest action, False draws one.
        seed: seed of its draws; None takes one from the operating system.
        name: name for tables; None is the file's.

    Raises:
        OptionError: no such file, or one that is not a model of MaskablePPO; from `begin`: a model for another game.
        MissingExtraError: sb3-contrib is not installed.
    """
    if path is None:
        raise OptionError("an agent sb3 is named by its file: sb3:model.zip")
    path = check_path("sb3", path)
    file = next((p for p in (Path(path), Path(f"{path}.zip")) if p.is_file()), None)
    if file is None:
        raise OptionError(f"sb3: there is no file {show(str(path))}")
    need("sb3_contrib", 'the agent "sb3"', "sb3-contrib", "train")
    from hawaii_env.integrations.sb3 import SB3Agent

    return SB3Agent(file, deterministic=deterministic, seed=seed, name=name)


@checked
def rllib(
    path: SavedFile = None,
    policy: Annotated[str | None, Text()] = None,
    deterministic: Annotated[bool, Flag()] = False,
    seed: Annotated[int | None, Seed()] = None,
    name: Annotated[str | None, Text()] = None,
) -> PolicyAgent:
    """A policy of an RLlib checkpoint: ``rllib:runs/checkpoint`` or ``rllib:runs/checkpoint,policy=allied_1``.

    Args:
        path: the folder that ``Algorithm.save_to_path`` wrote.
        policy: which policy; None is the one of all players, or the only one.
        deterministic: True takes the likeliest action, False draws one.
        seed: seed of its draws; None takes one from the operating system.
        name: name for tables; None is the folder's.

    Raises:
        OptionError: no such folder, no algorithm's checkpoint, or no such policy in it; from `begin`: a policy for
            another game.
        MissingExtraError: RLlib is not installed.
    """
    if path is None:
        raise OptionError("an agent rllib is named by its checkpoint: rllib:runs/checkpoint")
    path = check_path("rllib", path)
    if not path.is_dir():
        raise OptionError(f"rllib: there is no folder {show(str(path))}")
    need("torch", 'the agent "rllib"', "torch", "rllib")
    need("ray.rllib.core.rl_module.rl_module", 'the agent "rllib"', "RLlib", "rllib")
    from hawaii_env.integrations.rllib import RLlibAgent

    return RLlibAgent(path, policy, deterministic=deterministic, seed=seed, name=name or Path(path).name)


sb3.extra = "train"  # pyright: ignore[reportFunctionMemberAccess]
rllib.extra = "rllib"  # pyright: ignore[reportFunctionMemberAccess]
