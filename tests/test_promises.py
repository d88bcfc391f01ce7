"""The promises of docs/promises.toml, tried with every class of environment over every game and its variants; an
exception of the table must still be one.
"""

from __future__ import annotations

import copy
import itertools
import logging
import pickle
import random
import tomllib
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import toy
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from refusals import refuses, refuses_each

import hawaii_env
from hawaii_env import games, records
from hawaii_env.env.single_agent import SingleAgentEnv, SingleAgentVectorEnv
from hawaii_env.errors import (
    ArgumentError,
    GameOverError,
    IllegalActionError,
    OptionError,
    OrderError,
    RulesetError,
    StateError,
)
from hawaii_env.game import CHANCE, SPECTATOR, Decision
from hawaii_env.games import GameSpec
from hawaii_env.render.modes import Renderer

TABLE = tomllib.loads((Path(__file__).parents[1] / "docs" / "promises.toml").read_text(encoding="utf-8"))


class Tensor:
    """A tensor of another library, which has `__index__` whatever it holds."""

    def __init__(self, value: int, dtype: str = "torch.int64", shape: tuple[int, ...] = ()) -> None:
        self.value, self.dtype, self.shape = value, dtype, shape

    def __index__(self) -> int:
        return self.value

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.full(self.shape, self.value, self.dtype.removeprefix("torch."))


NO_INTEGERS: tuple[Any, ...] = (1.0, True, "0", np.float32(1), np.array(True), np.array([1]), Tensor(1, "torch.bool"),
                                Tensor(1, shape=(1,)))  # fmt: skip
NO_ACTIONS: tuple[Any, ...] = (*NO_INTEGERS, None, float("nan"), -1, 10**6)
NO_SEEDS: tuple[Any, ...] = (*NO_INTEGERS, -1, 1.5)
NO_FLAGS: tuple[Any, ...] = ("no", 0, 1.0, [1], np.array([True]))


class Play:
    """A game in an environment of one class, played through what all classes have."""

    column: ClassVar[str]
    make: ClassVar[Any]

    def __init__(self, env: Any) -> None:
        self.env = env
        self.masks: dict[Any, Any] = {}  # of who decides now
        self.seen: Any = None
        self.ended: tuple[bool, bool] = (False, False)  # terminated, truncated
        self.first = 0  # of several environments the first whose game has ended

    def reset(self, **given: Any) -> None:
        raise NotImplementedError

    def step(self, actions: dict[Any, Any]) -> None:
        raise NotImplementedError

    def copied(self, how: Callable[[Any], Any]) -> Play:
        """A copy of the environment, and what the original has shown."""
        other = type(self)(how(self.env))
        other.__dict__.update({**self.__dict__, "env": other.env})
        return other

    def on(self, rng: random.Random, steps: int = 10**6) -> None:
        """Play on at random."""
        while steps and not any(self.ended):
            self.step({who: int(rng.choice(np.flatnonzero(mask).tolist())) for who, mask in self.masks.items()})
            steps -= 1

    def illegal(self) -> dict[Any, int]:
        """An action that is not legal, for each who decides."""
        return {who: int(np.flatnonzero(mask == 0)[0]) for who, mask in self.masks.items()}

    def shown(self) -> Any:
        """Everything that the environment shows, to compare."""
        return plain([self.masks, self.seen, self.state.to_json(secrets=True)])

    @property
    def state(self) -> Any:
        return self.env.game_state

    def finish(self) -> None:
        """Do what is left to do after the end."""

    def spaces(self) -> list[Any]:
        """Observation and action spaces."""
        env = self.env
        return [env.observation_space, env.action_space]

    def arrays(self) -> list[Any]:
        """The observations and the masks that the environment has made last."""
        return [self.seen, *self.masks.values()]


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return (str(value.dtype), value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


class Aec(Play):
    column = "aec"
    make = staticmethod(lambda spec, **options: hawaii_env.make(spec.name, **options))

    def reset(self, **given: Any) -> None:
        self.env.reset(**given)
        self._look()

    def step(self, actions: dict[Any, Any]) -> None:
        self.env.step(actions.get(self.env.agent_selection) if self.env.agents else None)
        self._look()

    def _look(self) -> None:
        env = self.env
        agent = env.possible_agents[0]
        self.ended = env.terminations[agent], env.truncations[agent]
        info = env.last()[4]
        self.masks = {} if any(self.ended) else {env.agent_selection: info["action_mask"]}
        self.seen = {agent: env.observe(agent) for agent in env.possible_agents}

    def rewards(self) -> dict[int, float]:
        return {i: self.env.rewards[agent] for i, agent in enumerate(self.env.possible_agents)}

    def outcome(self) -> tuple[Any, str]:
        outcome = self.env.infos[self.env.possible_agents[0]]["outcome"]
        winner = outcome["winner"]
        return None if winner is None else self.env.possible_agents.index(winner), outcome["reason"]

    def finish(self) -> None:
        for _ in self.env.agent_iter():
            self.env.step(None)

    def spaces(self) -> list[Any]:
        env = self.env
        return [space(agent) for agent in env.possible_agents for space in (env.observation_space, env.action_space)]

    def arrays(self) -> list[Any]:
        return [*(one for seen in self.seen.values() for one in seen.values()), *self.masks.values()]

    def calls(self) -> list[Callable[[], Any]]:
        env = self.env
        named = [partial(getattr, env, name) for name in ("game_state", "agents", "num_agents", "rewards", "infos")]
        agent = env.possible_agents[0]
        return [partial(env.step, 0), env.last, partial(env.observe, agent), env.state, env.render, env.agent_iter,
                *named]  # fmt: skip

    def unknown(self) -> list[Callable[[], Any]]:
        env = self.env
        found = [partial(space, who) for space in (env.observation_space, env.action_space) for who in ("x", 0, None)]
        return (
            [*found, partial(env.observe, "x")] if isinstance(self, Aec) and not isinstance(self, Parallel) else found
        )

    def check(self, again: Callable[[], Any]) -> None:
        api_test(self.env, num_cycles=20)
        seed_test(again, num_cycles=20)


class Parallel(Aec):
    column = "parallel"
    make = staticmethod(lambda spec, **options: hawaii_env.make_parallel(spec.name, **options))

    def reset(self, **given: Any) -> None:
        self.seen, self.infos = self.env.reset(**given)
        self.ended = False, False
        self.given = dict.fromkeys(self.env.possible_agents, 0.0)
        self._look()

    def step(self, actions: dict[Any, Any]) -> None:
        self.seen, self.given, terminated, truncated, self.infos = self.env.step(actions)
        self.ended = all(terminated.values()), all(truncated.values())
        assert set(self.seen) == set(self.given) == set(self.infos) == set(terminated) == set(self.env.possible_agents)
        self._look()

    def _look(self) -> None:
        masks = {agent: info["action_mask"] for agent, info in self.infos.items()}
        assert all((masks[agent] == seen["action_mask"]).all() for agent, seen in self.seen.items())
        self.masks = {agent: mask for agent, mask in masks.items() if mask.any()}

    def rewards(self) -> dict[int, float]:
        return {i: self.given[agent] for i, agent in enumerate(self.env.possible_agents)}

    def outcome(self) -> tuple[Any, str]:
        outcome = self.infos[self.env.possible_agents[0]]["outcome"]
        winner = outcome["winner"]
        return None if winner is None else self.env.possible_agents.index(winner), outcome["reason"]

    def finish(self) -> None:
        assert not self.env.agents

    def calls(self) -> list[Callable[[], Any]]:
        env = self.env
        return [partial(env.step, {}), env.state, env.render,
                *(partial(getattr, env, name) for name in ("game_state", "agents", "num_agents"))]  # fmt: skip

    def check(self, again: Callable[[], Any]) -> None:
        parallel_api_test(self.env, num_cycles=20)
        parallel_seed_test(again, num_cycles=20)


class Single(Play):
    column = "gymnasium"
    make = staticmethod(lambda spec, **options: SingleAgentEnv(spec.name, **options))

    def reset(self, **given: Any) -> None:
        self.seen, info = self.env.reset(**given)
        self.ended, self.reward = (False, False), 0.0
        self._note(info)

    def step(self, actions: dict[Any, Any]) -> None:
        self.seen, self.reward, terminated, truncated, info = self.env.step(actions.get("learner", 0))
        self.ended = terminated, truncated
        self._note(info)

    def _note(self, info: dict[str, Any]) -> None:
        self.info = info
        self.masks = {} if any(self.ended) else {"learner": info["action_mask"]}
        assert info["action_mask"].any() != any(self.ended)

    def rewards(self) -> dict[int, float]:
        return {self.info["player"]: self.reward}

    def outcome(self) -> tuple[Any, str]:
        return None if self.info["winner"] < 0 else self.info["winner"], self.info["reason"]

    def calls(self) -> list[Callable[[], Any]]:
        env = self.env
        return [partial(env.step, 0), env.render, env.action_masks, partial(getattr, env, "game_state")]

    def unknown(self) -> list[Callable[[], Any]]:
        made = partial(type(self.env), self.env.game)
        return [partial(made, side="x"), partial(made, side=9), partial(made, opponent="x"), partial(made, opponent=3)]

    def check(self, again: Callable[[], Any]) -> None:
        check_env(self.env, skip_render_check=True)


class Vector(Single):
    make = staticmethod(
        lambda spec, **options: SingleAgentVectorEnv(spec.name, 2, autoreset_mode="Disabled", **options)
    )

    def reset(self, **given: Any) -> None:
        self.seen, self.info = self.env.reset(**given)
        self.ended, self.given = (False, False), np.zeros(2)
        self._note(self.info)

    def step(self, actions: dict[Any, Any]) -> None:
        chosen = [actions.get(i, 0) for i in range(2)]
        self.seen, self.given, terminated, truncated, self.info = self.env.step(chosen)
        self.ended = bool(terminated.any()), bool(truncated.any())
        self.first = int(np.argmax(terminated | truncated))  # the environment whose game has ended
        self._note(self.info)

    def _note(self, info: dict[str, Any]) -> None:
        self.masks = {i: mask for i, mask in enumerate(info["action_mask"]) if mask.any()}

    def rewards(self) -> dict[int, float]:
        return {int(self.info["player"][self.first]): float(self.given[self.first])}

    def outcome(self) -> tuple[Any, str]:
        winner = int(self.info["winner"][self.first])
        return None if winner < 0 else winner, self.info["reason"][self.first]

    @property
    def state(self) -> Any:
        return self.env.call("game_state")[self.first]

    def spaces(self) -> list[Any]:
        env = self.env
        return [env.observation_space, env.action_space, env.single_observation_space, env.single_action_space]

    def calls(self) -> list[Callable[[], Any]]:
        env = self.env
        return [partial(env.step, [0, 0]), env.render, env.action_masks,
                *(partial(env.call, name) for name in ("game_state", "action_masks"))]  # fmt: skip

    def unknown(self) -> list[Callable[[], Any]]:
        return [partial(self.env.call, "x"), partial(self.env.get_attr, 3)]

    def check(self, again: Callable[[], Any]) -> None:
        wrapped = DictInfoToList(RecordEpisodeStatistics(self.env))
        wrapped.reset(seed=1)
        _, _, _, _, infos = wrapped.step(self.env.action_masks().argmax(axis=1))
        assert len(infos) == 2 and infos[0]["action_mask"].any()


class Batch(Vector):
    column = "batch"
    make = staticmethod(
        lambda spec, **options: hawaii_env.make_batch(
            spec.name, 2, **{"autoreset_mode": "Disabled", "copy": True, **options}
        )
    )

    def rewards(self) -> dict[int, float]:
        return dict(enumerate(self.given[self.first].tolist()))

    def outcome(self) -> tuple[Any, str]:
        episode = self.info["episode"]
        winner = int(episode["winner"][self.first])
        return None if winner < 0 else winner, episode["reason"][self.first]

    @property
    def state(self) -> Any:
        return self.env.get_state(self.first)

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.given = np.zeros((2, self.env.num_players))

    def calls(self) -> list[Callable[[], Any]]:
        env = self.env
        return [partial(env.step, [0, 0]), env.sample_actions, env.action_masks, env.legal_lists,
                partial(env.get_state, 0)]  # fmt: skip

    def unknown(self) -> list[Callable[[], Any]]:
        env = self.env
        start = env.get_state(0)
        wrong = [partial(call, i) for call in (env.get_state, env.reason) for i in (2, -1, "0", 0.0, True)]
        return [*wrong, partial(env.set_state, 2, start), partial(env.set_state, 0, start, -1)]

    def check(self, again: Callable[[], Any]) -> None:
        sb3 = pytest.importorskip("hawaii_env.integrations.sb3", reason="the extra train")
        monitors = pytest.importorskip("stable_baselines3.common.vec_env")
        wrapped = monitors.VecMonitor(sb3.BatchVecEnv(self.env.games[0], 2, seed=1))
        wrapped.reset()
        wrapped.step(np.array(wrapped.env_method("action_masks")).argmax(axis=1))


class World:
    """A game's variant, and a class of environment."""

    def __init__(
        self, kind: type[Play], spec: GameSpec, options: dict[str, Any], request: pytest.FixtureRequest
    ) -> None:
        self.kind, self.spec, self.options = kind, spec, options
        self.folder: Path = request.getfixturevalue("tmp_path")
        self.patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        self.logged: pytest.LogCaptureFixture = request.getfixturevalue("caplog")
        self.rng = random.Random(1)

    def play(self, seed: Any = None, steps: int = 0, **settings: Any) -> Any:
        """An environment; with a seed after its reset and some steps."""
        made = self.kind(self.kind.make(self.spec, **self.options, **settings))
        if seed is not None:
            made.reset(seed=seed)
            made.on(self.rng, steps)
        return made


# The promises, by their ids


def seeds(world: World) -> None:
    np.random.seed(1)  # noqa: NPY002
    before = random.getstate(), plain(np.random.get_state())  # noqa: NPY002
    one, other = world.play(7, 5), world.play()
    one.reset(seed=np.array(3))
    other.reset(seed=Tensor(3))
    for steps in (0, 8, 8):
        one.on(random.Random(steps), steps)
        other.on(random.Random(steps), steps)
        assert one.shown() == other.shown()
    one.reset(seed=2**100)
    assert one.shown() != world.play(4).shown()
    one.reset()
    world.play().reset()
    assert before == (random.getstate(), plain(np.random.get_state()))  # noqa: NPY002


def series(world: World) -> None:
    pair = [world.play(5), world.play(5)]
    start = world.play(6, 2).state.for_search()
    shown = []
    for given in ({}, {"options": {"state": start}}, {"options": {"state": start}}, {}, {}):
        for one in pair:
            one.reset(**given)
        shown.append(pair[0].shown())
        assert shown[-1] == pair[1].shown()
        pair[0].on(random.Random(2), 4)
        pair[1].on(random.Random(2), 4)
    assert shown[1] != shown[2]
    fresh = [world.play(), world.play()]
    for one in fresh:
        one.reset()
    assert fresh[0].shown() != fresh[1].shown()


def copies(world: World) -> None:
    made = world.play()
    start = world.play(6, 2).state.for_search()
    for how, steps in itertools.product(
        (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))), (-1, 0, 4, 10**6)
    ):
        if steps >= 0:
            made.reset()
            made.on(world.rng, steps)
        other = made.copied(how)
        for given in ({}, {"options": {"state": start}}, {}):
            if steps >= 0:
                made.on(random.Random(1), 6)
                other.on(random.Random(1), 6)
                assert made.shown() == other.shown()
            assert [repr(space.sample()) for space in made.spaces()] == [repr(s.sample()) for s in other.spaces()]
            made.reset(**given)
            other.reset(**given)
            assert made.shown() == other.shown()


def pictures(world: World) -> None:
    many = isinstance(world.play(), Vector)
    for mode in ("ansi", "svg"):
        shown = world.play(1, 2, render_mode=mode).env.render()
        assert all(len(text) > 100 for text in shown) and len(shown) == 2 if many else len(shown) > 100
    drawn: list[Any] = []
    made = world.play(render_mode="human")
    world.patch.setattr(Renderer, "render", lambda self, state: drawn.append(state))
    for steps in range(1, 5):
        made.on(world.rng, 1) if drawn else made.reset(seed=1)
        assert len(drawn) == steps
    assert made.env.render() is None and len(drawn) == 5
    made.reset()
    assert len(drawn) == 6
    made.env.close()
    refuses_each(OptionError, "render_mode", lambda call: call(), [world.play(1).env.render])


def options(world: World) -> None:
    made = world.play(1, 3)
    before = made.shown()
    bad: tuple[Any, ...] = (3, "state", [1], ("state",), {"colour": 1}, {"state": None, "x": 2}, {3: 1})
    if isinstance(made, Aec):
        bad += tuple({key: value} for key in ("texts", "trace") for value in NO_FLAGS)
        bad += tuple({"players": value} for value in (3, "random", ["a"], [1, 2]))
        bad += ({"record": 3},)
    refuses_each(OptionError, "", lambda given: made.reset(options=given), bad)
    refuses_each(OptionError, "", lambda given: made.reset(seed=5, options=given), bad)
    assert made.shown() == before
    made.reset(seed=1, options={})
    first = made.shown()
    made.reset(seed=1, options={"state": None})
    assert made.shown() == first


def positions(world: World) -> None:
    made = world.play(2, 4)
    state = made.state
    whole, shown = state.to_json(secrets=True), made.shown()
    game = state.game
    other = hawaii_env.load_game("aloha" if world.spec.name != "aloha" else "heiau").initial_state(seed=1)
    over = game.initial_state(seed=1)
    while not over.is_terminal:
        over.apply(world.rng.choice(over.legal_actions()))
    bad = [("x", "State"), (3, "State"), (other, "a position of"), (over, "is over")]
    refuses_each(OptionError, None, lambda start: made.reset(options={"state": start}), bad)
    assert made.shown() == shown
    ends = []
    for seed in (1, 1, 2, None, None):
        made.reset(seed=seed, options={"state": state})
        made.on(random.Random(3), 5)
        ends.append(made.shown())
    assert ends[0] == ends[1] != ends[2] and state.to_json(secrets=True) == whole
    if isinstance(made, Aec):
        assert ends[3] == ends[4]


def pools(world: World) -> None:
    game = world.spec.make(**world.options)
    starts: list[Any] = []
    for seed in range(3):
        starts.append(game.initial_state(seed=seed))
        starts[-1].apply(world.rng.choice(starts[-1].legal_actions()))
    shown: list[Any] = []
    for _ in range(2):
        made = world.play(starts=starts, rules=hawaii_env.Pool([world.options.get("rules")]))
        for seed in (7, 8, None):
            made.reset(seed=seed)
            assert world.kind in (Single, Vector) or made.state in starts
            made.on(random.Random(3), 3)
            shown.append(made.shown())
    assert shown[:3] == shown[3:]


def keep_records(world: World) -> None:
    made, path = world.play(), world.folder / "game.jsonl"
    names = ["a", "b", "c", "d", "e", "f"][: world.spec.make(**world.options).num_players]
    made.reset(seed=1, options={"texts": True, "record": path, "players": names, "trace": True})
    infos = made.env.infos if world.kind is Aec else made.infos
    acting = {agent: info for agent, info in infos.items() if info["action_texts"]}
    assert acting and set(acting) == set(made.masks)
    for agent, info in acting.items():
        assert list(info["action_texts"]) == np.flatnonzero(made.masks[agent]).tolist()
        assert info["phase"] == made.state.phase
    made.on(world.rng)
    found = records.verify(path, made.env.game)
    assert (
        found.record.seed == 1 and found.record.header["players"] == names and found.state.view() == made.state.view()
    )
    assert made.state.trace
    made.reset(seed=2)
    assert (
        made.state.trace is None
        and "phase" not in (made.env.infos if world.kind is Aec else made.infos)[made.env.possible_agents[0]]
    )


def order(world: World) -> None:
    made = world.play() if world.kind is Batch else world.play(render_mode="ansi")
    refuses_each(OrderError, "reset", lambda call: call(), made.calls())


def arguments(world: World) -> None:
    for error in (ArgumentError, TypeError):
        refuses_each(error, "colour", lambda given: world.play(**given), [{"colour": 3}])
    bad = (object(), "no such thing", [object()], Tensor(True, "torch.bool"))
    wrong = [{option.name: value} for option in world.spec.options for value in bad]
    if not issubclass(world.kind, Aec):
        wrong += [{"raw": flag} for flag in NO_FLAGS]
    if issubclass(world.kind, Vector):
        wrong += [{"copy": flag} for flag in NO_FLAGS] + [{"threads": 0}, {"threads": True}]
        world.play(3, threads=2**70, max_decisions=2**63 - 1).on(world.rng, 2)
    wrong += [{"illegal": "ignore"}, {"illegal": None}]
    wrong += [] if world.kind is Batch else [{"render_mode": mode} for mode in ("hologram", 3, ["ansi"])]
    for given in wrong:
        with pytest.raises((OptionError, RulesetError), match=None if "rules" in given else next(iter(given))):
            world.kind.make(world.spec, **{**world.options, **given})
    made = world.play(1, 3)
    before = made.shown()
    refuses_each(OptionError, "seed", lambda seed: made.reset(seed=seed), NO_SEEDS)
    refuses_each(OptionError, "", lambda call: call(), made.unknown())
    assert made.shown() == before


def refusals(world: World) -> None:
    for illegal in ("raise", "lose"):
        made = world.play(1, 3, illegal=illegal)
        before = made.shown()
        bad: list[Any] = [dict.fromkeys(made.masks, value) for value in NO_ACTIONS]
        bad += [made.illegal()] if illegal == "raise" else []
        refuses_each(IllegalActionError, "", made.step, bad)
        assert made.shown() == before


def losses(world: World) -> None:
    made = world.play(illegal="lose")
    for game in range(2):
        made.reset(seed=game)
        made.on(random.Random(1), 3)
        losers = {made.env.possible_agents.index(who) for who in made.masks} if isinstance(made, Aec) else set()
        deciding = [made.state.current_player]
        with world.logged.at_level(logging.WARNING):
            made.step(made.illegal())
        rewards = made.rewards()
        if world.kind is Batch:
            losers = set(deciding)
        assert rewards == {player: -1.0 if player in losers or len(rewards) == 1 else 0.0 for player in rewards}
        winner, reason = made.outcome()
        assert made.ended[0] and winner is None and "illegal action" in reason
        made.finish()
    warned = [one for one in world.logged.records if "Illegal move made" in one.getMessage()]
    assert len(warned) == isinstance(made, Aec)


def rewards(world: World) -> None:
    made = world.play(3)
    while not any(made.ended):
        assert not any(made.rewards().values())
        made.on(world.rng, 1)
    state = made.state
    returns, outcome = state.returns(), state.outcome()
    assert made.ended == (True, False) and outcome is not None and made.outcome() == (outcome.winner, outcome.reason)
    assert made.rewards() == pytest.approx({player: returns[player] for player in made.rewards()})
    assert not made.masks or isinstance(made, Vector)  # the other environment's


def afterwards(world: World) -> None:
    made = world.play(3)
    made.on(world.rng)
    made.finish()
    refuses_each(GameOverError, "", made.step, [{}, {}])
    state = made.state
    assert state.is_terminal
    if world.kind is Aec:
        for player, agent in enumerate(made.env.possible_agents):
            seen = made.env.observe(agent)
            assert (seen["observation"] == state.observation(player)).all() and not seen["action_mask"].any()
    if isinstance(made, Aec):
        assert made.env.state() in made.env.state_space
    made.reset()
    assert made.masks and made.ended == (False, False)
    made.on(world.rng, 2)


def truncation(world: World) -> None:
    world.options = {name: value for name, value in world.options.items() if name != "last_year"}
    if issubclass(world.kind, Aec):
        made = world.play()
        made.env.game.max_decisions = 20
    else:
        made = world.play(max_decisions=20)
    made.reset(seed=3)
    made.on(world.rng)
    winner, reason = made.outcome()
    assert made.ended == (False, True) and winner is None and not any(made.rewards().values())
    assert reason == "truncated after 20 decisions, a limit of the environment and no rule"


def closing(world: World) -> None:
    for made in (world.play(), world.play(1, 2), world.play(1, 10**6)):
        made.env.close()
        made.env.close()


def reopening(world: World) -> None:
    made = world.play(1, 2)
    made.env.close()
    made.on(world.rng, 1)
    made.reset(seed=1)
    made.on(world.rng)


def spaces(world: World) -> None:
    made, again = world.play(1), world.play(1)
    assert all(one is other for one, other in zip(made.spaces(), made.spaces(), strict=True))
    kept, game = made.arrays(), made.state.game
    shown = plain(kept)
    made.on(world.rng, 3)
    assert plain(kept) == shown
    assert not any(np.shares_memory(one, other) for one in kept for other in made.arrays())
    for mask in made.masks.values():
        assert mask.dtype == np.int8 and mask.shape == (game.num_actions,)
    if isinstance(made, Aec):
        for agent, seen in made.seen.items():
            assert seen in made.env.observation_space(agent)
        assert made.env.state() in made.env.state_space
        assert list(made.env.observation_spaces) == list(made.env.action_spaces) == made.env.possible_agents
    else:
        assert made.seen in made.spaces()[0]
    for one in (made, again):
        for number, space in enumerate(one.spaces()):
            space.seed(number)
    assert [repr(s.sample()) for s in made.spaces()] == [repr(s.sample()) for s in again.spaces()]


def wrap(world: World) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        world.play(illegal="lose").check(lambda: world.play(illegal="lose").env)


CHECKS: dict[str, Callable[[World], None]] = {
    **{check.__name__: check for check in (
        seeds, series, copies, pictures, options, positions, pools, order, arguments, refusals, losses, rewards,
        afterwards, truncation, closing, reopening, spaces,
    )},
    "records": keep_records, "wrappers": wrap,
}  # fmt: skip
QUICK = {"hawaii1795": {"scenario": "short"}, "heiau": {"last_year": 3}}
LARGE = ("campaign", "waikato")


def variants(spec: GameSpec) -> list[dict[str, Any]]:
    """The game with each value of each option."""
    base = QUICK.get(spec.name, {})
    return [base] + [
        {**base, option.name: value}
        for option in spec.options
        for value in option.choices or (spec.values_of(option) if option.values else ())
        if value != base.get(option.name, option.default)
    ]


def cases(every: bool) -> list[Any]:
    """Each promise, class and game, with one variant or with all."""
    kinds: tuple[type[Play], ...] = (Aec, Parallel, Single, Vector, Batch)
    found: list[Any] = []
    rows: list[dict[str, Any]] = TABLE["promise"]
    triples = [(spec, kind, row) for spec in games.shipped() for kind in kinds for row in rows]
    for number, (spec, kind, row) in enumerate(triples):
        if kind is Parallel and not spec.parallel:
            continue
        listed = [given for given in variants(spec) if every or given.get("scenario") not in LARGE]
        for given in listed if every else [listed[number % len(listed)]]:
            name = "-".join(str(value) for value in (row["id"], kind.__name__, spec.name, *given.values()))
            found.append(pytest.param(row, kind, spec, given, id=name.lower()))
    return found


def keeps(row: Any, kind: type[Play], spec: GameSpec, given: dict[str, Any], request: pytest.FixtureRequest) -> None:
    world = World(kind, spec, given, request)
    if kind.column in row.get("exceptions", {}):
        with pytest.raises(Exception):  # noqa: B017, PT011  whatever it is, the promise is not kept
            CHECKS[row["id"]](world)
    else:
        CHECKS[row["id"]](world)


@pytest.mark.parametrize(("row", "kind", "spec", "given"), cases(every=False))
def test_each_promise_is_kept(
    row: Any, kind: type[Play], spec: GameSpec, given: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    keeps(row, kind, spec, given, request)


@pytest.mark.nightly
@pytest.mark.parametrize(("row", "kind", "spec", "given"), cases(every=True))
def test_each_promise_is_kept_in_each_variant(
    row: Any, kind: type[Play], spec: GameSpec, given: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    keeps(row, kind, spec, given, request)


@pytest.mark.parametrize("spec", [*games.shipped(), toy.TIDES, toy.DUEL, toy.LAGOON], ids=lambda spec: spec.name)
def test_positions_refuse_what_is_no_flag(spec: GameSpec) -> None:
    game: Any = spec.make()
    state, node = game.initial_state(seed=1), game.initial_state(chance="explicit")
    for _ in range(40):
        if node.current_player >= 0:
            node.apply(node.legal_actions()[0])
    flags: list[tuple[str, Callable[[Any], Any]]] = [
        ("raw", lambda flag: state.observation(0, raw=flag)), ("secrets", lambda flag: state.to_json(secrets=flag)),
        ("secrets", lambda flag: state.key(flag)),
        ("trace", lambda flag: game.initial_state(seed=1, trace=flag)), ("trace", lambda flag: state.clone(trace=flag)),
    ]  # fmt: skip
    if node.current_player == CHANCE:  # some games have none
        flags.append(("merged", lambda flag: node.chance_outcomes(merged=flag)))
    for name, call in flags:
        refuses_each(OptionError, name, call, NO_FLAGS)


@pytest.mark.parametrize("spec", games.shipped(), ids=lambda spec: spec.name)
def test_positions_refuse_wrong_players_actions_and_seeds(spec: GameSpec) -> None:
    game: Any = spec.make()
    state = game.initial_state(seed=1)
    whole, event = state.to_json(secrets=True), Decision(0, 0, "x")
    players = (*NO_INTEGERS, 99, -7, -1, -2, -4, "x", [0], np.int64(99), 2**70)
    own = (state.legal_actions, partial(state.legal_mask, None), state.observation)
    known = (state.view, state.for_search, state.resample, partial(state.to_json, False), partial(state.key, False),
             partial(state.may_see, event))  # fmt: skip
    for call in (*own, *known):
        refuses_each(OptionError, "player", call, players)
    for call in own:
        refuses_each(OptionError, "player", call, [SPECTATOR])
    seeded = (
        game.initial_state,
        state.clone,
        partial(state.resample, 0),
        state.begin_after(state.game).clone,
        game.fuzz_actions,
    )
    for call in seeded:
        refuses_each(OptionError, "seed", call, NO_SEEDS)
    refuses_each(OptionError, "chance", lambda given: game.initial_state(chance=given), ("", "Sampled", None, 1, True))
    refuses(OptionError, ("explicit", lambda: game.initial_state(seed=1, chance="explicit")))
    for call in (state.apply, game.action_text, state.apply_chance, state.chance_text):
        refuses_each(IllegalActionError, "", call, NO_ACTIONS)
    refuses_each(IllegalActionError, "", partial(game.parse_action, state), (3, None, [0], object()))
    numbers = {option.name: option.default for option in spec.options if isinstance(option.default, int)}
    own_types = spec.make(**{name: np.array(value)[()] for name, value in numbers.items()})
    assert own_types == game and all(type(own_types.params[name]) is type(game.params[name]) for name in numbers)
    refuses_each(IllegalActionError, "", state.apply_joint, ({99: 0}, {"x": 0}, {}, 3, None))
    for call in (lambda wrong: game.parse_action(wrong, "done"), game.invariants):
        refuses_each(OptionError, "state", call, (None, 3, "x"))
    refuses_each(OptionError, "event", lambda wrong: state.may_see(wrong, 0), (None, 3))
    refuses_each(StateError, "out", lambda out: state.observation(0, out), (3, [0.0], np.zeros(2)))
    refuses_each(StateError, "out", state.legal_mask, (3, [0], np.zeros(2)))
    assert state.to_json(secrets=True) == whole


def test_the_table_has_few_exceptions_and_a_check_for_each_promise() -> None:
    rows = TABLE["promise"]
    assert [row["id"] for row in rows] == sorted(CHECKS, key=[row["id"] for row in rows].index)
    reasons = [reason for row in rows for reason in row.get("exceptions", {}).values()]
    assert len(reasons) <= 5 and all(reasons)
    assert all(set(row.get("exceptions", {})) <= set(TABLE["classes"]) for row in rows)
