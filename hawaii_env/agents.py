"""Agents: players of games, and agent strings that name them.

An agent does not depend on an environment. Callers that play games pass it positions (`act`) or observations
(`act_batch`):

>>> import hawaii_env
>>> hawaii_env.load_agent("random:seed=7")
RandomAgent(seed=7)

Agent strings have the form ``name`` or ``name:key=value,key=value``; an agent read from a file needs only its path:
``sb3:model.zip``. Names come from this module, from `register`, and from installed packages that declare an entry point
in the group ``hawaii_env.agents``.

One file: kinds of agents and their registry, the public module of agents.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import os
import random
import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import (
    check_choice,
    check_count,
    check_kind,
    check_list,
    check_number,
    check_path,
    check_text,
    show_array,
)
from hawaii_env.agent_options import Given, Real, Seed, as_texts, checked, declared
from hawaii_env.core.batch import check_actions
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_seed
from hawaii_env.texts import show_value, suggest

__all__ = [
    "ENTRY_POINTS",
    "Agent",
    "BaseAgent",
    "Clock",
    "Description",
    "EpsilonGreedyAgent",
    "PolicyAgent",
    "RandomAgent",
    "begin",
    "best_in_rows",
    "check_choice",
    "check_count",
    "check_game",
    "check_kind",
    "check_number",
    "check_path",
    "close",
    "compile_all",
    "describe",
    "files",
    "finish",
    "known",
    "legal_in_rows",
    "listed_agents",
    "load_agent",
    "load_agents",
    "load_file",
    "named_files",
    "parse_agent",
    "register",
    "split_agents",
]

ENTRY_POINTS = "hawaii_env.agents"
"""The group of entry points in which installed packages name their agents."""

CACHED = 1 << 16
"""Bytes of masks that are searched directly; more do not fit in the processor's nearest cache."""


class Clock:
    """The time that an agent has for one decision.

    Args:
        seconds: wall-clock seconds from now, or None for no limit.
    """

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float | None = None) -> None:
        if seconds is not None:
            seconds = check_number("seconds", seconds, above=0)
        self.seconds: float | None = seconds
        self._end = None if seconds is None else time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds left; infinite without a limit, never below 0."""
        return float("inf") if self._end is None else max(0.0, self._end - time.perf_counter())

    def restart(self) -> None:
        """Restart the time, for another decision."""
        if self.seconds is not None:
            self._end = time.perf_counter() + self.seconds


@runtime_checkable
class Agent(Protocol):
    """The protocol of agents. Any object with these three attributes is an agent; `BaseAgent` and `PolicyAgent` are
    base classes.

    Attributes:
        name: for tables and records; not unique.
    """

    name: str

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None) -> int:
        """Return one of `legal_actions`.

        Args:
            state: the position, from `State.for_search`: the agent's own copy with explicit chance, which it may change
                freely.
            legal_actions: the agent's legal actions, ascending, at least two.
            clock: the time for this decision, or None for no limit.
        """
        ...

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return one legal action per row.

        Args:
            observations: float32[n, observation_size].
            masks: int8[n, num_actions] of 0 and 1, at least one 1 in each row.

        Returns:
            int64[n].
        """
        ...


class BaseAgent(ABC):
    """An agent that decides from positions. A subclass gives `act`.

    Attributes:
        name: the class's registered name unless the subclass sets another.
        player: index of the player that it plays, set by `begin`; needed only if several players choose at once.
        simulations_option: name of the attribute with its number of simulations per decision, if it searches.
        games: names of the games that it can play; empty means any game.
        extra: the extra of the installation that it needs, if any.
        strength: its measured strength.
    """

    name: str = ""
    games: Sequence[str] = ()
    extra: str = ""
    strength: str = ""
    player: int = 0
    simulations_option: str = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Agent") or cls.__name__).lower()

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Return True if it can play a game with these options."""
        return not cls.games or game.name in cls.games

    def check_state(self, state: State) -> Any:
        """Return the position.

        Raises:
            OptionError: it is of a game that the agent does not play.
        """
        check_game(f"agent {self.name!r}", self.games, state.game)
        return state

    def begin(self, game: Game, player: int) -> None:
        """Begin a game as `player`. Callers call it if an agent has it."""
        self.player = player

    def __repr__(self) -> str:
        cls, given = type(self), vars(self)
        options = [name for name, (kind, _) in declared(cls).items() if kind.typed and name in given]
        return f"{cls.__name__}({', '.join(f'{name}={given[name]!r}' for name in options)})"

    def files(self) -> Sequence[str | Path]:
        """Return the files that it uses, such as trained weights, once a game has begun: those of its base agent, if
        any.
        """
        base: Agent | None = getattr(self, "base", None)
        return () if base is None else files(base)

    @abstractmethod
    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return one of `legal_actions`; see `Agent.act`."""

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Raise HawaiiError: an agent that needs positions cannot decide from observations."""
        raise HawaiiError(f"agent {self.name!r} decides from positions: call act(state, legal_actions, clock)")


class PolicyAgent(BaseAgent):
    """An agent that decides from observations. A subclass gives `act_batch`; `act` is a batch of one."""

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the action that `act_batch` gives for this position's observation and mask."""
        player = state.current_player
        if player == SIMULTANEOUS:
            player = self.player
        observation = np.asarray(state.observation(player), np.float32)
        chosen = self.act_batch(observation[None], state.legal_mask(None, player)[None])
        return int(check_actions(chosen, 1, state.game.num_actions)[0])

    @abstractmethod
    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return one legal action per row; see `Agent.act_batch`."""


class RandomAgent(BaseAgent):
    """Picks each legal action with the same probability.

    Args:
        seed: seed of its own generator; None takes one from the operating system.
    """

    name = "random"
    strength = "weakest: ratings count from it"

    @checked
    def __init__(self, seed: Annotated[int | None, Seed()] = None) -> None:
        self.seed: int | None = seed
        self._choose = random.Random(self.seed)
        self._batch = np.random.default_rng(self.seed)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return a legal action."""
        return legal_actions[int(self._choose.random() * len(legal_actions))]

    def probabilities(self, state: State, legal_actions: Sequence[int]) -> NDArray[np.float64]:
        """Return the probability of each of `legal_actions`, float64[n]."""
        return np.full(len(legal_actions), 1 / len(legal_actions))

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return a legal action per row, int64[n]."""
        rows, actions = legal_in_rows(masks)
        counts = np.bincount(rows, minlength=len(masks))
        # One number a row, however many actions the table has; 0 if nothing is legal, as after the end of a game.
        picked = np.cumsum(counts) - counts + (self._batch.random(len(masks)) * counts).astype(np.int64)
        return np.where(counts > 0, actions[np.minimum(picked, len(actions) - 1)], 0) if len(actions) else counts


class EpsilonGreedyAgent(BaseAgent):
    """Plays like another agent, but sometimes any legal action: makes a weaker opponent from a stronger one.

    Args:
        base: agent string of the other agent, or an agent.
        epsilon: the probability, 0 to 1, that a decision is uniformly random over the legal actions.
        seed: seed of its own generator and of the base agent; None takes one from the operating system.

    Raises:
        OptionError: an epsilon out of range, or an unknown agent.
    """

    name = "epsilon-greedy"
    strength = "between its base and random"

    @checked
    def __init__(
        self,
        base: Annotated[str | Agent, Given("an agent string or an agent", (str, Agent))] = "random",
        epsilon: Annotated[float, Real(least=0, most=1)] = 0.1,
        seed: Annotated[int | None, Seed()] = None,
    ) -> None:
        self.epsilon: float = epsilon
        self.seed: int | None = seed
        self.base: Agent = load_agent(base, seed=seed)
        self._random: RandomAgent = RandomAgent(seed)
        self._choose = random.Random(None if seed is None else f"{seed} epsilon")
        # Not the random agent's own numbers: who slips and where to must not hang together.
        self._batch = np.random.default_rng(None if self.seed is None else [self.seed, 1])

    def begin(self, game: Game, player: int) -> None:
        """Begin a game as `player`, the base agent as well."""
        super().begin(game, player)
        begin(self.base, game, player)

    def finish(self, state: State) -> None:
        """Show the base agent the last position of a game."""
        finish(self.base, state)

    def close(self) -> None:
        """Close the base agent."""
        close(self.base)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return a legal action: the base agent's, or with probability `epsilon` a random one."""
        if self._choose.random() < self.epsilon:
            return self._random.act(state, legal_actions, clock)
        return self.base.act(state, legal_actions, clock)

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return a legal action per row, int64[n]; raise if the base agent needs positions."""
        chosen = self.base.act_batch(observations, masks)
        slips = self._batch.random(len(chosen)) < self.epsilon
        return np.where(slips, self._random.act_batch(observations, masks), chosen)


# The registry

_registered: dict[str, Callable[..., Agent]] = {"random": RandomAgent, "epsilon-greedy": EpsilonGreedyAgent}
_NAME = re.compile(r"[a-z][a-z0-9_.-]*")


def register(name: str, factory: Callable[..., Agent]) -> None:
    """Register `name` for agents that `factory` makes; its keyword arguments are the agent string's parameters.

    Raises:
        OptionError: the name does not have the form ``my_bot``, or already belongs to another factory.
    """
    if not _NAME.fullmatch(check_text("name", name)):
        raise OptionError(
            f"an agent's name is lower-case letters, digits, '_', '-' and '.', a letter first; not {name!r}"
        )
    if _registered.setdefault(name, factory) is not factory:
        raise OptionError(f"there is an agent {name!r} already: {_registered[name]!r}")


def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


_found: dict[str, EntryPoint] = {}
"""Cached entry points: looking through all installed packages takes milliseconds, and a tournament asks often."""


def find_installed(again: bool = False) -> None:
    """Find the installed agents, once unless `again`."""
    for name, point in _installed().items() if again or not _found else ():
        _found.setdefault(name, point)


def _factory(name: str) -> Callable[..., Agent]:
    if name in _registered:
        return _registered[name]
    point = _found.get(name)
    if point is None:
        find_installed(again=True)
        point = _found.get(name)
    if point is None:
        raise OptionError(f"there is no agent {name!r}; available: {', '.join(known())}{suggest(name, known())}")
    try:
        return point.load()
    except Exception as error:
        # Somebody else's package: any error in it names it, and harms no other agent.
        raise OptionError(
            f"agent {name!r} ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error


@dataclass(frozen=True)
class Description:
    """Facts about an agent, for lists.

    Attributes:
        name: its name.
        text: how it plays, in a sentence.
        games: names of the games that it can play; empty means any game.
        options: the parameters that an agent string can set, each with its default as written in a string.
        extra: the extra of the installation that it needs, if any.
        strength: its measured strength; empty if not measured.
    """

    name: str
    text: str
    games: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    extra: str = ""
    strength: str = ""


_TYPED = re.compile(r"\b(int|float|str|bool)\b")
"""Types in an annotation that an agent string can set."""


def describe(name: str) -> Description:
    """Return the description of an agent, by its name.

    Raises:
        OptionError: the agent is unknown or cannot be loaded.
    """
    factory: Any = _factory(name)
    parameters, ranges = inspect.signature(factory).parameters.values(), declared(factory)
    options = {
        one.name: "" if one.default is one.empty else str(one.default).lower()
        for one in parameters
        if one.name != "name"
        and (ranges[one.name][0].typed if one.name in ranges else _TYPED.search(str(one.annotation)))
    }
    sentence = re.split(r"(?<=\.)\s|: ``|\n\n", inspect.getdoc(factory) or "", maxsplit=1)[0]
    facts: dict[str, Any] = {
        fact: getattr(factory, fact, getattr(BaseAgent, fact)) for fact in ("games", "extra", "strength")
    }
    text = " ".join(sentence.split())
    return Description(name, text.removesuffix(".") + "." * bool(text), options=options, **facts)


def compile_all(game: Game) -> None:
    """Compile the installed agents' code for a game: call `compile(game)` of each that has such a method.

    Agents that cannot be loaded are skipped.
    """
    for name in [*_registered, *_installed()]:
        with contextlib.suppress(OptionError):
            prepare: Callable[[Game], None] | None = getattr(_factory(name), "compile", None)
            if prepare is not None:
                prepare(game)


def known(game: str | Game | None = None) -> list[str]:
    """Return the names of the agents that `load_agent` knows, sorted.

    Args:
        game: a game or a game's name: leaves out agents for other games. None leaves out none, and loads none. An agent
            that cannot be loaded is included.
    """
    return [name for name in sorted({*_registered, *_installed()}) if game is None or _suits(name, game)]


def _suits(name: str, game: str | Game) -> bool:
    try:
        factory: Any = _factory(name)
    except OptionError:
        return True
    if isinstance(game, Game):
        return not hasattr(factory, "plays") or bool(factory.plays(game))
    games: Sequence[str] = getattr(factory, "games", ())
    return not games or game in games


def _value(text: str) -> Any:
    lowered = text.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    if lowered in ("none", "null"):
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


_COMMA = re.compile(r",(?![^()]*\))")
"""A comma that is not in parentheses."""


def parse_agent(agent: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of an agent string.

    ``"mcts:sims=1000,c=1.4"`` is ``("mcts", {"sims": 1000, "c": 1.4})``. Values are read as an integer, a float, true,
    false or none; anything else is a string. A first value without a key, which is not a number, is the parameter
    ``path``: ``"sb3:runs/a.zip"`` is ``("sb3", {"path": "runs/a.zip"})``. A value in parentheses may hold commas:
    ``"epsilon-greedy:base=(mcts:sims=9,c=2)"``.

    Raises:
        OptionError: the string has a wrong form.
    """
    name, _, rest = check_text("agent", agent).strip().partition(":")
    if not _NAME.fullmatch(name):
        raise OptionError(f"an agent is named as 'random' or 'mcts:sims=1000', not {show_value(agent)}")
    parameters: dict[str, Any] = {}
    for number, part in enumerate(_COMMA.split(rest) if rest else ()):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        alone = part.strip()
        if (
            number == 0
            and alone
            and not (equals and (not key or key.isidentifier()))
            and isinstance(_value(alone), str)
        ):
            parameters["path"] = alone
            continue
        if not equals or not key.isidentifier() or not value:
            raise OptionError(f"a parameter is written key=value, not {show_value(part)} (in {show_value(agent)})")
        if key in parameters:
            raise OptionError(f"parameter {show_value(key)} stands twice in {show_value(agent)}")
        parameters[key] = _value(value) if value[0] + value[-1] != "()" else value[1:-1]
    return name, parameters


def split_agents(text: str) -> list[str]:
    """Split agent strings at their commas: ``"random,mcts:sims=9,c=2"`` is ``["random", "mcts:sims=9,c=2"]``."""
    agents: list[str] = []
    for piece in _COMMA.split(check_text("text", text)):
        # A bare key=value continues with the agent before it, because no name has an '='.
        if agents and "=" in piece and ":" not in piece.split("=", 1)[0]:
            agents[-1] += f",{piece}"
        else:
            agents.append(piece.strip())
    return agents


def load_agent(agent: str | Agent, /, *, seed: int | None = None, **parameters: Any) -> Agent:
    """Return the agent that a string names.

    >>> import hawaii_env
    >>> hawaii_env.load_agent("epsilon-greedy:epsilon=0.2", seed=1)
    EpsilonGreedyAgent(base=RandomAgent(seed=1), epsilon=0.2, seed=1)

    Args:
        agent: an agent string such as ``"mcts:sims=1000"``; see `known`. An agent object is returned unchanged.
        seed: for an agent that takes a seed and whose string names none.
        parameters: additional parameters; the string's take precedence.

    Raises:
        OptionError: an unknown agent or parameter, or a value that the agent does not accept; the message lists the
            known ones.
    """
    if not isinstance(agent, str):
        return _check_agent("agent", agent)
    name, named = parse_agent(agent)
    factory = _factory(name)
    given = {**parameters, **as_texts(factory, named)}
    try:
        taken = inspect.signature(factory).parameters
    except (TypeError, ValueError):
        taken = None
    free = taken is None or any(p.kind is p.VAR_KEYWORD for p in taken.values())
    if unknown := [] if taken is None or free else [key for key in given if key not in taken]:
        what = f"parameter {unknown[0]!r}" + (" (a value without key= is one)" if unknown[0] == "path" else "")
        hint = suggest(unknown[0], taken or ())
        raise OptionError(f"agent {name!r} has no {what}; it takes: {', '.join(taken or ()) or 'none'}{hint}")
    if seed is not None and (free or "seed" in (taken or ())):
        given.setdefault("seed", seed)
    try:
        made = factory(**given)
    except HawaiiError:
        raise
    except (TypeError, ValueError) as error:
        raise OptionError(f"agent {show_value(agent)}: {error}") from error
    if not isinstance(made, Agent):
        raise OptionError(f"agent {name!r} has no act(), act_batch() and name: {show_value(made)}")
    return made


def load_agents(agents: str | Iterable[str | Agent], game: Game, seed: int | None = None) -> list[Agent]:
    """Return one agent for each player of `game`.

    Args:
        agents: as for `listed_agents`.
        game: the game.
        seed: player i's agent gets seed + i, if it takes a seed and its string names none.

    Raises:
        OptionError: an unknown agent, or a number of agents that does not match the players.
    """
    seed = None if seed is None else check_seed(seed)
    listed = listed_agents(agents, game)
    return [load_agent(one, seed=None if seed is None else seed + i) for i, one in enumerate(listed)]


def listed_agents(agents: str | Iterable[str | Agent], game: Game) -> list[str | Agent]:
    """Return one agent or agent string for each player of `game`.

    Args:
        agents: agent strings separated by commas, or a sequence of agent strings and agents; a single string is used
            for every player.
        game: the game.

    Raises:
        OptionError: something else, or a number of agents that does not match the players.
    """
    listed: list[Any] = split_agents(agents) if isinstance(agents, str) else check_list("agents", agents)
    if len(listed) == 1 and isinstance(listed[0], str):
        listed *= game.num_players
    if len(listed) != game.num_players:
        raise OptionError(
            f"{game.name} has {game.num_players} players ({', '.join(game.agents)}); {len(listed)} agents were named"
        )
    for agent in listed:
        if not isinstance(agent, str):
            _check_agent("agents", agent)
    return listed


def _check_agent(name: str, agent: object) -> Agent:
    if isinstance(agent, type) or not isinstance(agent, Agent):
        raise OptionError(
            f"{name}: expected a string or an agent with act(), act_batch() and name, not {show_value(agent)}"
        )
    return agent


def legal_in_rows(masks: NDArray[np.int8] | NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the legal actions of masks, row by row and ascending: the row of each and the action, int64[L] both.

    Args:
        masks: int8[n, A] of 0 and 1, or bool.
    """
    if not isinstance(masks, np.ndarray) or masks.ndim != 2 or masks.dtype not in (np.int8, np.bool_):
        raise OptionError(f"masks: expected int8[n, A], not {show_array(masks)}")
    # A flat search takes a tenth of the time of nonzero() over two axes. It reads the memory twice; looking at eight
    # actions in one, of which few are legal, reads it once.
    flat = np.ascontiguousarray(masks).view(np.bool_).reshape(-1)
    whole = flat.size // 8 * 8 if flat.size > CACHED else 0
    lit = np.flatnonzero(flat[:whole].view(np.uint64) != 0)
    within = np.flatnonzero(flat[:whole].reshape(-1, 8)[lit])
    found = np.concatenate([lit[within // 8] * 8 + within % 8, np.flatnonzero(flat[whole:]) + whole])
    rows, actions = np.divmod(found, masks.shape[1])
    return rows, actions


def best_in_rows(
    rows: NDArray[np.int64], actions: NDArray[np.int64], scores: NDArray[Any], n: int, name: str
) -> NDArray[np.int64]:
    """Return the action with the highest score in each of `n` rows, int64[n]; the first of equals.

    Args:
        rows, actions, scores: [L], the legal actions of all rows and their scores, row by row.
        n: the number of rows.
        name: the caller's name, for the message.

    Raises:
        OptionError: a row without a legal action.
    """
    starts = np.searchsorted(rows, np.arange(n))
    legal = np.diff(np.append(starts, len(rows)))
    if not legal.all():
        raise OptionError(f"{name}: masks: row {int(legal.argmin())} has no legal action")
    best = np.flatnonzero(scores == np.maximum.reduceat(scores, starts)[rows])
    return actions[best[np.searchsorted(rows[best], np.arange(n))]]


def check_game(what: str, played: Sequence[str], game: Game) -> None:
    """Check that a game is one of those that something plays; none means any.

    Raises:
        OptionError: it is another game.
    """
    if played and game.name not in played:
        raise OptionError(f"{what} plays {', '.join(played)}, not {game.name}")


def begin(agent: Agent, game: Game, player: int) -> None:
    """Tell an agent that a game begins in which it is `player`, if it has a method `begin`.

    Raises:
        OptionError: it does not play this game.
    """
    # A function that plays has neither games nor a name.
    check_game(f"agent {getattr(agent, 'name', '')!r}", getattr(agent, "games", ()), game)
    method = getattr(agent, "begin", None)
    if method is not None:
        method(game, player)


def finish(agent: Agent, state: State) -> None:
    """Show an agent the last position of a game, if it has a method `finish`."""
    method = getattr(agent, "finish", None)
    if method is not None:
        method(state)


def close(agent: Agent) -> None:
    """Close an agent's resources, such as a bot's process, if it has a method `close`."""
    method = getattr(agent, "close", None)
    if callable(method):
        method()


def files(agent: Agent) -> Sequence[str | Path]:
    """Return the files that an agent uses; empty if it has no method `files`."""
    method: Callable[[], Sequence[str | Path]] | None = getattr(agent, "files", None)
    return () if method is None else method()


def named_files(agent: str) -> list[Path]:
    """Return the files that an agent string names, also those of agents among its parameters.

    Raises:
        OptionError: the string has a wrong form.
    """
    found: list[Path] = []
    for value in parse_agent(agent)[1].values():
        if isinstance(value, str):
            if os.path.isfile(value):  # False for names that are too long, too
                found.append(Path(value))
            elif _NAME.fullmatch(value.partition(":")[0]):
                with contextlib.suppress(OptionError):  # it need not be an agent
                    found += named_files(value)
    return found


_files: set[Path] = set()
"""The files that `load_file` has run."""


def load_file(path: str | Path) -> None:
    """Run a Python file that registers agents, once per process.

    Raises:
        OptionError: the file is missing or fails.
    """
    path = check_path("path", path, "a Python file").resolve()
    if path in _files:
        return
    spec = importlib.util.spec_from_file_location(f"hawaii_env_bot_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise OptionError(f"there is no Python file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except HawaiiError:
        raise
    except Exception as error:
        raise OptionError(f"{path} fails: {type(error).__name__}: {error}") from error
    _files.add(path)
