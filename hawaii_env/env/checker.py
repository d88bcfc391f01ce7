"""Checker of AEC environments, which plays whole games.

PettingZoo's ``api_test`` and ``seed_test`` stop when one game ends and never check the masks of dict observations.
`check_aec` plays many complete games and compares each step with the state:

>>> from hawaii_env import hawaii1795_v1
>>> from hawaii_env.env.checker import check_aec
>>> check_aec(hawaii1795_v1.env, games=100, seed=1)  # doctest: +SKIP
"""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger

from hawaii_env._arguments import check_count, check_kind
from hawaii_env.env.aec import GameEnv
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, OptionError, OrderError
from hawaii_env.game import SIMULTANEOUS, State, check_seed
from hawaii_env.state_checks import require

__all__ = ["CheckReport", "check_aec"]

BAD_ACTIONS: tuple[Any, ...] = (-1, 10**9, 0.0, 1.5, True, False, np.bool_(True), "0", None, (), float("nan"))
BAD_SEEDS: tuple[Any, ...] = (-1, 1.0, "1", True, (), np.float64(3), np.int64(-2))


@dataclass
class CheckReport:
    """The report of `check_aec`.

    Attributes:
        games: games played to their end.
        steps: steps of agents that were not done.
        wins: games won by each agent, by name.
        ties: games without a winner.
        copies: copies made during games, which continued as the original did.
        refused: illegal actions that raised, or lost a game, as intended.
    """

    games: int
    steps: int
    wins: dict[str, int]
    ties: int
    copies: int
    refused: int


def _same(a: Any, b: Any) -> bool:
    """Return True if two observations or infos are equal, arrays and their types among them."""
    if isinstance(a, dict) and isinstance(b, dict):
        first, second = cast("dict[Any, Any]", a), cast("dict[Any, Any]", b)
        return list(first) == list(second) and all(_same(first[key], second[key]) for key in first)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        first, second = np.asarray(a), np.asarray(b)
        return first.dtype == second.dtype and first.shape == second.shape and bool((first == second).all())
    return bool(a == b) and type(a) is type(b)


def _snapshot(env: GameEnv) -> dict[str, Any]:
    """Return all output of the environment, for comparison."""
    return {
        "agents": list(env.agents),
        "selection": env.agent_selection,
        "rewards": dict(env.rewards),
        "cumulative": dict(env._cumulative_rewards),  # pyright: ignore[reportPrivateUsage]
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "infos": {agent: dict(info) for agent, info in env.infos.items()},
        "observations": {agent: env.observe(agent) for agent in env.agents},
        "state": env.game_state.to_json(secrets=True),
    }


def _raises(kind: type[BaseException], call: Callable[[], object], what: str) -> None:
    try:
        call()
    except kind as error:
        require(isinstance(error, HawaiiError), f"{what} raises {type(error).__name__}, none of this project's errors")
        return
    except Exception as error:
        raise AssertionError(f"{what} raises {type(error).__name__} ({error}), not {kind.__name__}") from error
    raise AssertionError(f"{what} raises nothing")


class _Checker:
    """The checks, in the order of a game."""

    def __init__(self, make: Callable[[], GameEnv], seed: int) -> None:
        self.make = make
        self.choose = random.Random(f"hawaii_env.env.checker {seed}")
        self.report = CheckReport(0, 0, {}, 0, 0, 0)

    # Before and after

    def before_reset(self) -> None:
        env = check_kind("what make() makes", self.make(), GameEnv)
        agent = env.possible_agents[0]
        _raises(OrderError, lambda: env.step(0), "step() before reset()")
        _raises(OrderError, env.last, "last() before reset()")
        _raises(OrderError, lambda: env.observe(agent), "observe() before reset()")
        _raises(OrderError, env.agent_iter, "agent_iter() before reset()")
        _raises(OrderError, env.state, "state() before reset()")
        _raises(OrderError, env.render, "render() before reset()")
        for name in ("agents", "rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents"):
            require(not hasattr(env, name), f"{name} is there before reset()")
        env.close()

    def static(self) -> None:
        env = self.make()
        game = env.game
        require(env.possible_agents == list(game.agents), "possible_agents differ from the game's agents")
        require(env.unwrapped is env, "unwrapped is another object")
        for agent in env.possible_agents:
            require(env.action_space(agent) is env.action_space(agent), "action_space() makes a new object")
            require(
                env.observation_space(agent) is env.observation_space(agent), "observation_space() makes a new object"
            )
        _raises(OptionError, lambda: env.action_space("nobody_9"), "action_space of nobody")
        for seed in BAD_SEEDS:
            _raises(OptionError, lambda seed=seed: env.reset(seed=seed), f"reset(seed={seed!r})")
        env.reset(seed=2**100)
        env.reset(seed=cast(int, np.int64(5)))
        again = self.make()
        again.reset(seed=5)
        require(_same(_snapshot(env), _snapshot(again)), "reset(seed=np.int64(5)) differs from reset(seed=5)")
        iterator = env.agent_iter()
        next(iterator)
        _raises(OrderError, lambda: next(iterator), "agent_iter() without step()")

    # One game

    def refuse(self, env: GameEnv, legal: int) -> None:
        """Check that illegal actions, including a legal one as a float, raise and change nothing.

        If illegal actions lose, an illegal action of the table ends the game instead.
        """
        before = _snapshot(env)
        mask = cast("dict[str, Any]", env.observe(env.agent_selection))["action_mask"]
        illegal = [int(action) for action in np.flatnonzero(mask == 0)]
        bad = [*BAD_ACTIONS, float(legal), str(legal), np.float32(legal), env.game.num_actions]
        chosen = self.choose.sample(illegal, min(4, len(illegal)))
        if env.illegal == "raise":
            bad += chosen
        elif chosen:
            self.lose(copy.deepcopy(env), chosen[0])
        for action in bad:
            _raises(IllegalActionError, lambda action=action: env.step(action), f"step({action!r})")
            self.report.refused += 1
        require(_same(before, _snapshot(env)), "a refused action has changed something")

    def lose(self, env: GameEnv, action: int) -> None:
        """Check that an illegal action ends the game: -1 for its player, 0 for the others, all terminated and
        truncated.
        """
        mover = env.agent_selection
        logger = EnvLogger.get_logger()
        logger.disabled, before = True, logger.disabled  # the warning is meant for users, not for this check
        try:
            env.step(action)
        finally:
            logger.disabled = before
        given: dict[str, float] = {}
        for agent in env.agent_iter():
            _, given[agent], terminated, truncated, info = env.last()
            require(terminated and truncated, f"{agent} is not done after an illegal action")
            require(info["outcome"]["winner"] is None, "an illegal action has made a winner")
            env.step(None)
        wanted = dict.fromkeys(env.possible_agents, 0.0) | {mover: -1.0}
        require(given == wanted, f"after an illegal action of {mover} the agents were given {given}")
        self.report.refused += 1

    def check_view(self, env: GameEnv, waiting: bool) -> list[int]:
        """Check the views of all agents; return the legal actions."""
        agent = env.agent_selection
        state: State = env.game_state
        game = env.game
        observation, reward, terminated, truncated, info = env.last()
        require(observation is not None, "last() gives no observation")
        observation = cast("dict[str, Any]", observation)
        require(list(observation) == ["observation", "action_mask"], f"the observation's keys are {list(observation)}")
        require(type(terminated) is bool and type(truncated) is bool, "terminated and truncated are not bools")
        require(not terminated and not truncated, f"{agent} is done, but the state goes on")
        require(reward == 0, f"{agent} is given the reward {reward} before the end")
        player = list(game.agents).index(agent)
        if state.current_player != SIMULTANEOUS:
            require(player == state.current_player, f"{agent} is asked where player {state.current_player} decides")
        require(player in state.acting_players, f"{agent} is asked, but has no choice")
        legal = state.legal_actions(player)
        mask = observation["action_mask"]
        require(mask.dtype == np.int8 and mask.shape == (game.num_actions,), f"the mask is {mask.dtype}{mask.shape}")
        require([int(a) for a in np.flatnonzero(mask)] == legal, "the mask differs from the legal actions")
        require(int(mask.sum()) == len(legal) >= 2, f"{len(legal)} legal actions were asked")
        require(_same(info["action_mask"], mask), "the info's mask differs")
        require(list(info) == ["action_mask"], f"the info has {sorted(info)}, and no words were asked for")
        require(info is env.infos[agent], "last() and infos give two infos")
        vector = observation["observation"]
        require(vector.dtype == np.float32 and vector.shape == (game.observation_size,), "the observation's form")
        require(env.observation_space(agent).contains(observation), "the observation is out of its space")
        again = cast("dict[str, Any]", env.observe(agent))
        require(_same(observation, again), "observe() differs from last()")
        require(
            not np.shares_memory(vector, again["observation"]) and not np.shares_memory(mask, again["action_mask"]),
            "observations share memory",
        )
        require(env.last(observe=False)[0] is None, "last(observe=False) observes")
        if waiting:
            for other in env.agents:
                if other == agent:
                    continue
                seen = cast("dict[str, Any]", env.observe(other))
                require(not seen["action_mask"].any(), f"{other} waits, but its mask is not zero")
                require(not env.infos[other]["action_mask"].any(), f"{other} waits, but its info's mask is not zero")
                require(env.observation_space(other).contains(seen), f"{other}'s observation is out of its space")
            require(set(env.infos) == set(env.rewards) == set(env.terminations) == set(env.agents), "keys differ")
        return legal

    def end(self, env: GameEnv) -> None:
        """Check that each agent is yielded exactly once more, with its reward."""
        state = env.game_state
        game = env.game
        returns = dict(zip(game.agents, state.returns(), strict=True))
        if game.utility == "zero_sum":
            require(abs(sum(returns.values())) < 1e-9, f"the returns {returns} do not sum to zero")
        inside = all(game.min_return <= value <= game.max_return for value in returns.values())
        require(inside, f"the returns {returns} are not all from {game.min_return} to {game.max_return}")
        require(dict(env.rewards) == returns, f"the rewards {env.rewards} are not the returns {returns}")
        outcome = state.outcome()
        if outcome is None:
            raise AssertionError("the game is over without an outcome")
        winner = None if outcome.winner is None else game.agents[outcome.winner]
        given: dict[str, float] = {}
        order: list[str] = []
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            require(terminated and not truncated, f"{agent} is not terminated at the end")
            require(agent not in given, f"{agent} is asked twice at the end")
            given[agent] = reward
            order.append(agent)
            require(info["outcome"] == {"winner": winner, "reason": outcome.reason}, f"the outcome given is {info}")
            seen = cast("dict[str, Any]", observation)
            require(not seen["action_mask"].any(), "the mask at the end is not zero")
            require(env.observation_space(agent).contains(seen), "the last observation is out of its space")
            _raises(IllegalActionError, lambda: env.step(0), "step(0) of an agent that is done")
            env.step(None)
            require(not any(env.rewards.values()), "rewards are given again after the end")
            require(agent not in env.infos and agent not in env.rewards, f"{agent} is still there")
        require(given == returns, f"the agents were given {given}, the game returned {returns}")
        require(sorted(order) == sorted(game.agents), f"asked at the end: {order}")
        require(env.agents == [] and env.num_agents == 0, "agents are left")
        _raises(GameOverError, lambda: env.step(None), "step() after the end")
        _raises(GameOverError, lambda: env.step(0), "step() after the end")
        _raises(GameOverError, env.last, "last() after the end")
        for player, agent in enumerate(game.agents):
            seen = env.observe(agent)
            require(bool((seen["observation"] == state.observation(player)).all()), "observe() after the end differs")
            require(not seen["action_mask"].any(), "the mask after the end is not zero")
        require(list(env.agent_iter()) == [], "agent_iter() goes on after the end")
        if winner is None:
            self.report.ties += 1
        else:
            self.report.wins[winner] = self.report.wins.get(winner, 0) + 1

    def game(self, env: GameEnv, seed: int, closely: bool) -> list[int]:
        """Play one game with cheap checks only; return its actions."""
        env.reset(seed=seed)
        for agent in env.possible_agents:
            env.action_space(agent).seed(seed)
        actions: list[int] = []
        copies: list[tuple[int, GameEnv]] = []
        limit = env.game.max_decisions
        while not env.game_state.is_terminal:
            require(len(actions) <= limit, f"more than {limit} decisions")
            legal = self.check_view(env, waiting=closely or self.choose.random() < 0.05)
            if closely and (not actions or self.choose.random() < 0.05):
                self.refuse(env, legal[0])
            if closely and len(copies) < 4 and self.choose.random() < (0.05 if copies else 0.2):
                copied: GameEnv = copy.deepcopy(env) if len(copies) % 2 else pickle.loads(pickle.dumps(env))
                require(_same(_snapshot(env), _snapshot(copied)), "a copy differs from the original")
                copies.append((len(actions), copied))
            action = self.choose.choice(legal)
            actions.append(action)
            kind: Any = self.choose.choice((int, int, np.int64, np.int32, np.int16))
            result = cast(Any, env.step)(kind(action))
            require(result is None, "step() returns something")
        self.report.steps += len(actions)
        self.report.games += 1
        snapshot = _snapshot(env)
        for at, copied in copies:
            for action in actions[at:]:
                copied.step(action)
            require(_same(snapshot, _snapshot(copied)), f"a copy taken after {at} steps has gone on differently")
            original = copy.deepcopy(env)
            samples = [
                [one.action_space(agent).sample() for agent in env.possible_agents] for one in (original, copied)
            ]
            require(samples[0] == samples[1], "a copy's action spaces sample differently")
            original.reset()
            copied.reset()
            require(_same(_snapshot(original), _snapshot(copied)), "a copy's next game differs")
            self.report.copies += 1
        self.end(env)
        return actions


def check_aec(make: Callable[[], Any], games: int = 20, seed: int = 0) -> CheckReport:
    """Play complete random games in an AEC environment of this project and check every step.

    It checks that masks are the state's legal actions, and zero for waiting agents; observations have their space and
    type and are new arrays; infos; the order of agents; each agent gets its reward exactly once, at the end, within the
    game's bounds, and zero-sum rewards sum to zero; each finished agent is yielded exactly once; nothing continues
    after the end; the same seed gives the same game; copies made during a game continue as the original; illegal
    actions and wrong seeds raise and change nothing.

    Args:
        make: makes the environment, for example ``hawaii1795_v1.env``.
        games: the number of games; the first and every tenth are checked fully (copies, errors, all views).
        seed: seed of the games and of their random play.

    Returns:
        CheckReport: statistics of the check.

    Raises:
        AssertionError: a check failed; the message says which.
    """
    check_count("games", games)
    checker = _Checker(cast("Callable[[], GameEnv]", make), check_seed(seed))
    checker.before_reset()
    checker.static()
    env, other_env = checker.make(), checker.make()
    for number in range(games):
        closely = number % 10 == 0
        actions = checker.game(env, seed + number, closely)
        if closely:
            # other_env has played other games before; the same seed must nevertheless give the same game.
            other_env.reset(seed=seed + number)
            for action in actions:
                other_env.step(action)
            require(
                env.game_state.to_json(secrets=True) == other_env.game_state.to_json(secrets=True),
                f"seed {seed + number} gave two games",
            )
            # Without a seed both continue in the same way.
            env.reset()
            other_env.reset()
            require(_same(_snapshot(env), _snapshot(other_env)), "two environments go on differently without a seed")
    return checker.report
