"""Held-out opponents: agents and weights that the tracks reserve for evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hawaii_env import agents
from hawaii_env.agents import Agent
from hawaii_env.arena.store import file_digest
from hawaii_env.benchmark.suites import load_suite, tracks
from hawaii_env.errors import OptionError
from hawaii_env.texts import show_value

__all__ = ["check_trainable"]


def check_trainable(option: str, used: str | Agent | Path) -> None:
    """Check that training does not use a held-out opponent of a track, alone or inside another agent, or its weights.

    Args:
        option: name of the option, for the message.
        used: an agent string, an agent, or a file of weights.

    Raises:
        OptionError: it is held out, or the agent string is wrong.
    """
    if not _is_held_out(used):
        return
    shown = repr(str(used)) if isinstance(used, Path) else show_value(used)
    raise OptionError(
        f"{option}: {shown} is held out for evaluation by the benchmark: do not train with it, against it or on its "
        "games"
    )


def _is_held_out(used: str | Agent | Path) -> bool:
    if isinstance(used, Path):
        return _has_held_out_weights([used])
    made = agents.load_agent(used)
    try:
        parts = list(_parts(made))
        return any(map(_is_opponent, parts)) or _has_held_out_weights(
            [Path(file) for part in parts for file in agents.files(part)]
        )
    finally:
        if isinstance(used, str):
            agents.close(made)


def _parts(agent: Agent) -> Iterator[Agent]:
    """Yield an agent and the agents inside it, such as the base of an epsilon-greedy one."""
    yield agent
    for value in getattr(agent, "__dict__", {}).values():
        if isinstance(value, Agent):
            yield from _parts(value)


def _opponents() -> list[str]:
    """Return the agent strings of the held-out opponents of all tracks."""
    return [one.agent for track in tracks() for one in load_suite(track).opponent if one.held_out]


def _is_opponent(agent: Agent) -> bool:
    """Return True if an agent has the name and the options of a held-out opponent."""
    return any(
        agent.name == name and all(getattr(agent, key, value) == value for key, value in options.items())
        for name, options in map(agents.parse_agent, _opponents())
    )


def _has_held_out_weights(files: list[Path]) -> bool:
    """Return True if one of the files has the content of a file of a held-out opponent."""
    found = {file_digest(file) for file in files if file.is_file()}
    held = set[str]()
    for opponent in _opponents() if found else ():
        with suppress(OptionError):  # an opponent that is not installed has no files
            held |= {file_digest(Path(file)) for file in agents.files(agents.load_agent(opponent))}
    return not found.isdisjoint(held)
