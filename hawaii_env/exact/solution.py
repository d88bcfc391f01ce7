"""Solutions of small games: values, optimal strategies, and agents' losses to best responses."""

from __future__ import annotations

import contextlib
import hashlib
import io
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_count, check_kind
from hawaii_env.agent_options import Seed, checked
from hawaii_env.agents import Agent, BaseAgent, Clock, EpsilonGreedyAgent, begin, close, load_agent
from hawaii_env.core import cache
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.errors import OptionError, StateError
from hawaii_env.exact import open_games, sealed_games
from hawaii_env.exact.games import EXACT_GAMES, is_exact, make_game
from hawaii_env.exact.successors import Successors, digest
from hawaii_env.game import State, check_player
from hawaii_env.texts import show_value, write_bytes

__all__ = ["Exploitability", "OptimalAgent", "Solution", "best", "exploitability", "solve", "value"]

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Exploitability:
    """Loss of an agent against a best response.

    Attributes:
        seats: for each player, the value of the game less the agent's return in that seat against a best response; 0 is
            unbeatable.
        exact: False if the agent is stochastic: the figures are then those of the observed frequencies.
    """

    seats: tuple[float, float]
    exact: bool

    @property
    def mean(self) -> float:
        """The mean of both seats, half of OpenSpiel's NashConv."""
        return sum(self.seats) / 2


@dataclass(frozen=True, slots=True)
class Response:
    """A best response to a strategy.

    Attributes:
        value: the strategy's return against it.
        meet: returns another strategy's return against it.
    """

    value: float
    meet: Callable[[Strategy], float]


class Solution(ABC):
    """The solution of a two-player game.

    Attributes:
        game: the game.
        values: the value for player 0 of each position by the 16 bytes of its digest.
        seconds: solving time.
    """

    def __init__(self, game: Any, values: dict[bytes, float], seconds: float) -> None:
        self.game: Any = game
        self.values: dict[bytes, float] = values
        self.seconds: float = seconds
        self.moves: Successors = Successors(game)

    def value(self, state: State | None = None, player: int = 0) -> float:
        """Return the value of a position for a player if both play optimally, -1 to 1.

        Args:
            state: a position of the game; with sealed turns, one without entries. None means the first.
            player: 0 or 1.

        Raises:
            StateError: a position of another game, or an unreachable one.
        """
        record = self.moves.root if state is None else self._record(state)
        check_player(self.moves.state_of(record), player)
        value = self._value(record)
        return value if player == 0 else -value

    @abstractmethod
    def _value(self, record: Any) -> float:
        """Return the value of a position for player 0."""

    @abstractmethod
    def best(self, state: State) -> list[tuple[list[int], float]]:
        """Return an optimal strategy of the player who decides.

        Returns:
            list: plans with their probabilities, which sum to 1. A plan is the list of the player's actions in the
                current turn; without sealed turns, one action.

        Raises:
            StateError: as `value`; also at a chance node or the end.
        """

    @abstractmethod
    def respond(self, strategy: Strategy, player: int) -> Response:
        """Return a best response to a strategy of `player`."""

    def exploitability(self, agent: str | Agent, samples: int = 2) -> Exploitability:
        """Return how much an agent loses to a best response, which knows its strategy.

        Args:
            agent: an agent string, of which as many agents are made as there are samples, with other seeds; or an
                agent, which is asked so often. Agents with a method `probabilities`, and epsilon-greedy ones with such
                a base, are reckoned with exactly. In a sealed turn it sees one of the histories of the position.
            samples: answers for each position; two show whether an agent draws.

        Raises:
            OptionError: an agent for another game.
        """
        seeds = range(check_count("samples", samples, 2))
        strategy = Strategy([load_agent(agent, seed=k) if isinstance(agent, str) else agent for k in seeds])
        value = self.value()
        try:
            seats = [(value if player == 0 else -value) - self.respond(strategy, player).value for player in range(2)]
        finally:
            if isinstance(agent, str):
                strategy.close()
        return Exploitability((seats[0], seats[1]), not strategy.draws)

    def lower_bounds(self, agent: str, samples: int = 4, draws: int = 20) -> list[tuple[float, float]]:
        """Return lower bounds on a stochastic agent's loss in each seat, one for each sample of its strategy.

        A best response to the frequencies of some copies plays against other copies, which it does not know: on average
        it gains no more than a best response to the agent.

        Args:
            agent: agent string.
            samples: copies for the best response.
            draws: copies that play against it.

        Raises:
            OptionError: an agent for another game.
        """
        known = Strategy([load_agent(agent, seed=k) for k in range(samples)])
        try:
            responses = [self.respond(known, player) for player in range(2)]
            return [self._lost(responses, load_agent(agent, seed=samples + k)) for k in range(draws)]
        finally:
            known.close()

    def _lost(self, responses: list[Response], agent: Agent) -> tuple[float, float]:
        """Return the loss of one sample of an agent's strategy in each seat against responses to others."""
        strategy, value = Strategy([agent]), self.value()
        try:
            return value - responses[0].meet(strategy), -value - responses[1].meet(strategy)
        finally:
            strategy.close()

    def _record(self, state: State) -> Any:
        check_kind("state", state, State)
        if state.game != self.game:
            raise StateError(f"exact: a position of another game than the {self.game.name} that was solved")
        return self.moves.record_of(state)

    def _known(self, key: bytes) -> float:
        try:
            return self.values[key]
        except KeyError:
            raise StateError("exact: play from the first position does not lead to this one") from None


class OpenSolution(Solution):
    """The solution of a game without sealed turns."""

    def _value(self, record: Any) -> float:
        return self._known(digest(self.moves.state_of(record)))

    def best(self, state: State) -> list[tuple[list[int], float]]:
        """See `Solution.best`."""
        player = _decider(state)
        n = self.moves.expand(self._record(state))
        values = [self._value(self.moves.found[k]) * (1 - 2 * player) for k in range(n)]
        return [(self.moves.plan(int(np.argmax(values))), 1.0)]

    def respond(self, strategy: Strategy, player: int) -> Response:
        """See `Solution.respond`."""
        graph, values = self._meeting(strategy, player, None)
        sign = 1 - 2 * player

        def after(state: State, action: int) -> float:
            child = state.clone()
            child.apply(action)
            key = digest(child)
            return sign * (values[graph.index[key]] if key in graph.index else self._known(key))

        def reply(state: State, legal: list[int]) -> NDArray[np.float64]:
            chances = np.zeros(len(legal))
            chances[np.argmin([after(state, action) for action in legal])] = 1.0
            return chances

        return Response(sign * float(values[0]), lambda other: sign * float(self._meeting(other, player, reply)[1][0]))

    def _meeting(
        self, strategy: Strategy, player: int, reply: open_games.Policy | None
    ) -> tuple[open_games.Graph, NDArray[np.float64]]:
        """Return what can be reached if a strategy meets a reply, or any, and the values for player 0 if any reply is
        the best.
        """
        strategy.begin(self.game, player)

        def policy(state: State, legal: list[int]) -> NDArray[np.float64]:
            return strategy.chances(state.for_search(player), legal)

        graph = open_games.build(self.moves, policies=(policy, reply) if player == 0 else (reply, policy))
        return graph, open_games.iterate(graph)


class SealedSolution(Solution):
    """The solution of a game with sealed turns."""

    def __init__(self, game: Any, values: dict[bytes, float], seconds: float) -> None:
        super().__init__(game, values, seconds)
        self.turns: sealed_games.Turns = sealed_games.Turns(self.moves)

    def _value(self, record: Any) -> float:
        return self._known(self.turns.key(record))

    def best(self, state: State) -> list[tuple[list[int], float]]:
        """See `Solution.best`."""
        player = _decider(state)
        matrix = self.turns.matrix(self._record(state))
        payoff = matrix.payoff(lambda number: self._value(self.turns.records[number]))
        _, *strategies = sealed_games.solve_matrix(payoff)
        strategy = np.asarray(strategies[player])
        return [(plan, float(p)) for plan, p in zip(matrix.plans[player], strategy, strict=True) if p > 0]

    def respond(self, strategy: Strategy, player: int) -> Response:
        """See `Solution.respond`."""
        root, replies = self.turns.number(self.moves.root), dict[int, int]()

        def respond_to(value: Callable[[int], float], number: int, rows: Any, chances: Any) -> float:
            results = chances @ np.array([[value(child) for child in row] for row in rows])
            replies[number] = int(results.argmin())
            return float(results[replies[number]])

        known = self._values(strategy, player, respond_to)
        first = known(root)

        def meet(other: Strategy) -> float:
            def reply(value: Callable[[int], float], number: int, rows: Any, chances: Any) -> float:
                known(number)
                return float(chances @ np.array([value(row[replies[number]]) for row in rows]))

            return self._values(other, player, reply)(root)

        return Response(first, meet)

    def _values(self, strategy: Strategy, player: int, reply: Callable[..., float]) -> Callable[[int], float]:
        """Return a function that returns what a strategy gets from a position on, by its number, given what a reply
        makes of the rows of a turn's matrix game and their probabilities.
        """
        strategy.begin(self.game, player)
        known: dict[int, float] = {}

        def value(number: int) -> float:
            if number not in known:
                record = self.turns.records[number]
                state = self.moves.state_of(record)
                known[number] = state.returns()[player] if state.is_terminal else turn(number, record)
            return known[number]

        def turn(number: int, record: Any) -> float:
            matrix = self.turns.matrix(record)
            following = matrix.following if player == 0 else matrix.following.T
            chances = self._plan_chances(strategy, record, player, matrix.plans[player])
            rows = np.flatnonzero(chances)
            return reply(value, number, following[rows].tolist(), chances[rows])

        return value

    def _plan_chances(
        self, strategy: Strategy, record: Any, player: int, plans: list[list[int]]
    ) -> NDArray[np.float64]:
        """Return the probability of each plan of an agent in the turn that begins at a position."""
        if plans == [[]]:
            return np.ones(1)
        start = self.moves.state_of(record.copy())
        if start.current_player != player:  # the other enters first, and what it enters cannot be seen
            self.moves.expand(record)
            start = self.moves.state_of(self.moves.found[0].copy())
        chances = np.zeros(len(plans))
        index = {tuple(plan): at for at, plan in enumerate(plans)}

        def enter(state: Any, plan: tuple[int, ...], chance: float) -> None:
            if plan in index:
                chances[index[plan]] += chance
                return
            legal = state.legal_actions()
            for action, p in zip(legal, strategy.chances(state.for_search(player), legal), strict=True):
                if p > 0:
                    after = state.clone()
                    after.apply(action)
                    enter(after, (*plan, action), chance * p)

        enter(start, (), 1.0)
        return chances


def _decider(state: State) -> int:
    player = check_kind("state", state, State).current_player
    if player < 0:
        raise StateError("exact: nobody decides in this position")
    return player


class Strategy:
    """An agent's probabilities of legal actions, estimated by asking copies of it.

    Attributes:
        agents: the copies.
        draws: True once they have given two answers in one position and have no known probabilities.
    """

    def __init__(self, agents: list[Agent]) -> None:
        self.agents: list[Agent] = agents
        self.draws: bool = False

    def begin(self, game: Any, player: int) -> None:
        """Begin a game with all copies."""
        for agent in self.agents:
            begin(agent, game, player)

    def close(self) -> None:
        """Close all copies."""
        for agent in self.agents:
            close(agent)

    def chances(self, state: State, legal: list[int], agents: list[Agent] | None = None) -> NDArray[np.float64]:
        """Return the probabilities of the legal actions of a position, by these agents; None: by the copies."""
        agents = agents or self.agents
        if len(legal) == 1:
            return np.ones(1)
        first = agents[0]
        if known := getattr(first, "probabilities", None):
            return known(state, legal)
        if isinstance(first, EpsilonGreedyAgent):
            bases = [agent.base for agent in agents if isinstance(agent, EpsilonGreedyAgent)]
            return first.epsilon / len(legal) + (1 - first.epsilon) * self.chances(state, legal, bases)
        chances = np.zeros(len(legal))
        for agent in agents:
            chances[legal.index(int(agent.act(state, legal, None)))] += 1 / len(agents)
        self.draws |= bool(chances.max() < 1 - 1e-9)
        return chances


class OptimalAgent(BaseAgent):
    """Plays an optimal strategy of a small solved game; see `hawaii_env.exact`.

    Args:
        seed: seed of its draws; None takes one from the operating system.
    """

    name = "optimal"
    games = tuple(sorted({game.game for game in EXACT_GAMES.values()}))
    strength = "unbeatable in the games of hawaii_env.exact, the only ones that it plays"

    @checked
    def __init__(self, seed: Annotated[int | None, Seed()] = None) -> None:
        self._rng = np.random.default_rng(seed)
        self._solution: Solution | None = None
        self._plan: list[int] = []

    @classmethod
    def plays(cls, game: Any) -> bool:
        """Return True for the small games."""
        return is_exact(game)

    def begin(self, game: Any, player: int) -> None:
        """Check the game; the first decision solves it, or reads its solution.

        Raises:
            OptionError: not one of the small games. Larger ones would exhaust memory before failing.
        """
        super().begin(game, player)
        known = self._solution is not None and self._solution.game == game
        if not known and not self.plays(game):
            raise OptionError(
                f"agent 'optimal' plays the games of hawaii_env.exact alone: {', '.join(EXACT_GAMES)}, not "
                f"{game.name} with {show_value(game.params.get('scenario'))}"
            )
        self._plan = []

    def act(self, state: State, legal_actions: Any, clock: Clock | None = None) -> int:
        """Return the next action of a plan sampled from an optimal strategy."""
        if self._solution is None or self._solution.game != state.game:
            self.begin(state.game, state.current_player)
            self._solution = _solved(state.game)
        if not self._plan:
            plans, chances = zip(*self._solution.best(state), strict=True)
            self._plan = list(plans[int(self._rng.choice(len(plans), p=np.array(chances) / sum(chances)))])
        return self._plan.pop(0)


# Solving, and the file of a solution


def solve(game: Any, progress: Progress = lambda n: None, again: bool = False) -> Solution:
    """Return the solution of a game: one of the small games of `hawaii_env.exact`, or another small enough.

    Args:
        game: a two-player zero-sum game.
        progress: called now and then with a number of positions.
        again: True solves the game even if the cache has its solution.

    Raises:
        OptionError: a game that is too large or does not have two players.
    """
    path = _path(game)
    sealed = game.dynamics == "sealed"
    kind = SealedSolution if sealed else OpenSolution
    if not again and (found := _read(path)) is not None:
        return kind(game, *found)
    started = time.perf_counter()
    moves = Successors(game)
    if sealed:
        turns = sealed_games.Turns(moves)
        numbered = sealed_games.solve_turns(turns, progress)
        values = {key: numbered[number] for key, number in turns.index.items()}
    else:
        graph = open_games.build(moves, progress=progress)
        values = dict(zip(graph.index, open_games.iterate(graph).tolist(), strict=True))
    seconds = time.perf_counter() - started
    _write(path, values, seconds)
    return kind(game, values, seconds)


@lru_cache(maxsize=4)
def _solved(game: Any) -> Solution:
    return solve(game)


def value(state: State, player: int = 0) -> float:
    """Return the value of a position of a small game; see `Solution.value`."""
    return _solved(check_kind("state", state, State).game).value(state, player)


def best(state: State) -> list[tuple[list[int], float]]:
    """Return an optimal strategy in a position of a small game; see `Solution.best`."""
    return _solved(check_kind("state", state, State).game).best(state)


def exploitability(agent: str | Agent, game: Any, samples: int = 2) -> Exploitability:
    """Return how much an agent loses to a best response in a small game; see `Solution.exploitability`.

    Args:
        agent: an agent, or a string that names one.
        game: the game, or a name of `hawaii_env.exact.EXACT_GAMES`.
        samples: answers for each position.
    """
    return _solved(make_game(game) if isinstance(game, str) else game).exploitability(agent, samples)


def _path(game: Any) -> Path:
    """Return the file of a game's solution in the cache."""
    text = f"{game!r} {game.ruleset_hash} {game.action_table_hash} {dict(game.params) | {'rules': None}!r}"
    return cache.root().absolute() / "exact" / f"{game.name}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.npz"


def _read(path: Path) -> tuple[dict[bytes, float], float] | None:
    """Return values and seconds of a file, or None if it is missing or damaged."""
    try:
        data = io.BytesIO(verify_checksum(path.read_bytes(), name=path.stem))
    except (OSError, StateError):
        return None
    with np.load(data, allow_pickle=False) as arrays:
        keys = arrays["keys"].tobytes()
        values = arrays["values"].tolist()
        seconds = float(arrays["seconds"])
    return {keys[16 * k : 16 * k + 16]: value for k, value in enumerate(values)}, seconds


def _write(path: Path, values: dict[bytes, float], seconds: float) -> None:
    """Write a solution atomically; do nothing if the folder is not writable."""
    data = io.BytesIO()
    keys = np.frombuffer(b"".join(values), np.uint8).reshape(-1, 16)
    np.savez(data, keys=keys, values=np.fromiter(values.values(), np.float64, len(values)), seconds=seconds)
    with contextlib.suppress(OSError):
        write_bytes(path, add_checksum(data.getvalue(), name=path.stem))
