"""Plays one game between agents, without an environment."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hawaii_env._arguments import check_kind, check_number
from hawaii_env.agents import Agent, Clock, listed_agents
from hawaii_env.errors import OptionError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_seed
from hawaii_env.games import load_game
from hawaii_env.records import RecordWriter
from hawaii_env.supervision import Supervisor

__all__ = ["play"]


def play(
    game: str | Game,
    agents: str | Iterable[str | Agent],
    /,
    seed: int | None = None,
    *,
    seconds: float | None = None,
    record: str | Path | None = None,
    start: State | None = None,
    **options: Any,
) -> State:
    """Play one game between agents and return its last position.

    >>> import hawaii_env
    >>> state = hawaii_env.play("aloha", ["random", "random"], seed=1)
    >>> state.outcome().places
    (2, 1)

    ``state.outcome()`` is the result, ``state.returns()`` has each player's return, and ``state.trace`` the events.

    Args:
        game: the name of a game, or a `Game`.
        agents: one agent for each player, each a string (``"mcts:sims=1000"``) or an agent; a single one plays for all.
        seed: seed of the dice and cards, and of agents whose string names none; None takes one from the operating
            system.
        seconds: time for each decision. Agents know it, but are not stopped.
        record: file in which to record the game; see `hawaii_env.records`.
        start: a position to start from, instead of a new game.
        options: the game's options, for example ``scenario="short"``.

    Raises:
        OptionError: an unknown game, option or agent.
        AgentError: an agent failed, chose an illegal action (then it is also an IllegalActionError), or changed the
            process, for example its folder or standard output; the change is undone. The error names the agent. An
            agent that ends or blocks the process cannot be stopped here; see `hawaii_env.arena`.
        RecordError: the record cannot be written.
    """
    game = load_game(game, **options)
    seed = None if seed is None else check_seed(seed)
    seconds = None if seconds is None else check_number("seconds", seconds, above=0)
    listed = listed_agents(agents, game)
    if start is None:
        state = game.initial_state(seed=seed, trace=True)
    else:
        state = check_kind("start", start, State).clone(seed=seed, trace=True)
        if state.chance == "explicit":
            raise OptionError("the position to start from has no generator: give a seed")
    supervisor = Supervisor(game)
    try:
        for seat, agent in enumerate(listed):
            supervisor.make(seat, agent, None if seed is None else seed + seat)
        if record is None:
            _play(state, supervisor, seconds, None)
        else:
            with RecordWriter(record, game, seed=seed, players=supervisor.names, start=start) as writer:
                supervisor.guard(writer.descriptor, file=True)
                _play(state, supervisor, seconds, writer)
                supervisor.forget(writer.descriptor)
                writer.finish(state)
        for seat in range(game.num_players):
            supervisor.finish(seat, state)
    finally:
        supervisor.close()
    return state


def _play(state: State, supervisor: Supervisor, seconds: float | None, writer: RecordWriter | None) -> None:
    """Let the players decide until the game is over."""
    while not state.is_terminal:
        if writer is not None:
            writer.update(state)
        chosen = {
            player: supervisor.choose(player, state, None if seconds is None else Clock(seconds))
            for player in state.acting_players
        }
        if state.current_player == SIMULTANEOUS:
            state.apply_joint(chosen)
        else:
            state.apply(chosen[state.current_player])
