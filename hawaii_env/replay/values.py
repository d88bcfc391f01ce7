"""Values of positions, for the curve of a replay page.

A valuer says what each player may expect of a position. `make_valuer` takes one, or makes one of an agent:

- an agent with ``value(state)``: a number for player 0 of two, or one number a player;
- an agent that searches: ``think(state)``, after which ``agent.search.value`` is the root's value in the same form;
- an agent with a network: ``agent.policy.evaluate(observation, legal_actions)`` gives probabilities and the value for
  the observer;
- ``"playouts:games=100"``: games between random players continue from the position.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from hawaii_env import agents
from hawaii_env._arguments import check_count
from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State
from hawaii_env.texts import count, show_value

__all__ = ["Valuer", "make_valuer"]


@runtime_checkable
class Valuer(Protocol):
    """Says what positions are worth.

    Attributes:
        label: whose opinion it is, for the page, as ``"guided:sims=400"``.
    """

    label: str

    def values(self, state: State) -> Sequence[float] | None:
        """Return what each player may expect of a position that is not the end: -1 (lost) ... 1 (won), a tie being 0.

        None says that nothing can be said of this position, as of a chance node.
        """
        ...


def make_valuer(value: object, game: Game, seed: int = 0) -> Valuer | None:
    """Return a valuer for the positions of a game.

    Args:
        value: ``"none"`` or None for none; ``"playouts"`` or ``"playouts:games=400"``; an agent string, or an
            agent, that values positions; or a Valuer.
        game: the game.
        seed: seed of playouts, and of an agent whose agent string gives none.

    Raises:
        OptionError: no such agent, or one that values no positions.
    """
    if value is None or (isinstance(value, str) and value == "none"):
        return None
    if isinstance(value, Valuer):
        return value
    if isinstance(value, str) and value.split(":", 1)[0] == "playouts":
        _, parameters = agents.parse_agent(value)
        named = "games" in parameters
        games = parameters.pop("games", _Playouts.GAMES)
        if parameters:
            raise OptionError(f"playouts has no parameter {next(iter(parameters))!r}; it takes: games")
        return _Playouts(check_count("playouts: games", games) if named else None, seed)
    agent: Any = agents.load_agent(cast(Any, value), seed=seed)
    label = value if isinstance(value, str) else str(getattr(agent, "name", agent))
    if callable(getattr(agent, "begin", None)):
        agent.begin(game, 0)
    if callable(getattr(agent, "value", None)):
        return _Asked(label, agent.value, joint=True)
    if callable(getattr(agent, "think", None)) and hasattr(agent, "search"):
        return _Asked(label, partial(_searched, agent))
    if callable(getattr(getattr(agent, "policy", None), "evaluate", None)) and game.num_players == 2:
        return _Asked(label, partial(_estimated, agent.policy))
    raise OptionError(
        f"agent {label!r} does not say what a position is worth: it has no value(state), no search and no network with "
        "a value; try playouts, mcts, guided or ppo"
    )


def _each(value: Any, players: int, label: str) -> list[float]:
    """Return the values of all players from those of all, or from that of player 0 of two; -1 ... 1."""
    found = [float(value)] if np.ndim(value) == 0 else [float(part) for part in value]
    if len(found) == 1 and players == 2:
        found.append(-found[0])
    if len(found) != players or not all(map(math.isfinite, found)):
        raise OptionError(f"{label}: expected one finite number a player, not {show_value(value)}")
    return [min(max(part, -1.0), 1.0) for part in found]


class _Playouts:
    """Random games from a position. Positions are valued with the same seed, so that luck changes less from one to the
    next.

    Args:
        games: how many; None: GAMES, or as many as take DECISIONS from the first position, where that is fewer: games
            of six players have thousands of decisions.
        seed: seed of all.
    """

    GAMES, FEWEST, DECISIONS = 100, 4, 20_000

    def __init__(self, games: int | None, seed: int) -> None:
        self.games, self.seed = games, seed
        self.label = self._label(games or self.GAMES)

    @staticmethod
    def _label(games: int) -> str:
        return f"{count(games, 'random game')} from each position"

    def values(self, state: State) -> Sequence[float]:
        from hawaii_env.rollouts import playouts

        if self.games is None:
            length = float(playouts(state, self.FEWEST, seed=self.seed).lengths.mean())
            self.games = int(min(max(self.DECISIONS / max(1.0, length), self.FEWEST), self.GAMES))
            self.label = self._label(self.games)
        return playouts(state, self.games, seed=self.seed).mean.tolist()


class _Asked:
    """The opinion of an agent.

    Args:
        label: its name for the page.
        ask: returns the value of a position.
        joint: True if positions in which several players decide have a value, too.
    """

    def __init__(self, label: str, ask: Callable[[State], Any], joint: bool = False) -> None:
        self.label, self.ask, self.joint = label, ask, joint

    def values(self, state: State) -> Sequence[float] | None:
        if not (state.acting_players if self.joint else state.current_player >= 0):
            return None
        return _each(self.ask(state), state.game.num_players, self.label)


def _searched(agent: Any, state: State) -> Any:
    """Return the value of the root of an agent's search."""
    agent.think(state)
    return agent.search.value


def _estimated(policy: Any, state: State) -> float:
    """Return the value of a network for player 0 of two; the network speaks for the observer."""
    player = state.current_player
    seen = np.asarray(state.observation(player), np.float32)
    value = float(policy.evaluate(seen, state.legal_actions())[1])
    return value if player == 0 else -value
