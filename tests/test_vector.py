"""Many games at once: every lane is the game that the AEC environment plays with the same seed."""

from __future__ import annotations

import copy
import hashlib
import multiprocessing
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from environments import begun
from gymnasium.vector import AutoresetMode
from refusals import refuses
from toy import ToyGame

from hawaii_env import load_game, make_batch
from hawaii_env.aloha.ruleset import Ruleset as AlohaRuleset
from hawaii_env.core.batch import ACT, LOSE, Arrays
from hawaii_env.core.compiled_batch import CompiledBatch
from hawaii_env.core.game import CompiledRules
from hawaii_env.core.rng import POLICY_TAG, below, game_words, policy_words, seed_words, small_seeds, spread_words
from hawaii_env.env import runner
from hawaii_env.env.aec import GameEnv
from hawaii_env.env.python_batch import PythonBatch
from hawaii_env.env.vector import BatchEnv
from hawaii_env.errors import (
    GameOverError,
    IllegalActionError,
    OptionError,
    StateError,
)
from hawaii_env.game import SIMULTANEOUS, TERMINAL
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.ruleset import Ruleset

ROOT = Path(__file__).resolve().parent.parent
LONG, SHORT = Game(), Game(scenario="short", final_check=True)
ARRAYS = tuple(Arrays.__slots__)
COMPILED = os.environ.get("HAWAII_ENV_PLAIN", "") in ("", "0")


def in_python(*args: Any, **options: Any) -> BatchEnv:
    """A batch whose lanes are stepped in Python, through `Game` and `State` alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "make_backend", lambda games, at_once=False, draws=None: PythonBatch(games, draws))
        return make_batch(*args, **options)


def interpreted(*args: Any, **options: Any) -> BatchEnv:
    """A batch of the compiled lanes' rules as ordinary Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompiledRules, "backend_for_jobs", lambda self, rules=True: self.interpreted)
        return make_batch(*args, **options)


def played(env: BatchEnv, steps: int, seed: int = 5) -> str:
    """A digest of everything that random play shows in so many steps."""
    digest = hashlib.sha256()
    env.reset(seed=seed)
    for _ in range(steps):
        observations, rewards, terminations, truncations, info = env.step(env.sample_actions())
        for array in (observations, rewards, terminations, truncations, info["action_mask"], info["to_play"]):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def same_arrays(a: BatchEnv, b: BatchEnv, of_a: Any = slice(None), of_b: Any = slice(None)) -> None:
    for name in ARRAYS:
        if name not in ("final_observations", "episode_reasons"):
            assert np.array_equal(getattr(a.runner.arrays, name)[of_a], getattr(b.runner.arrays, name)[of_b]), name


# BatchBackend and single games


@pytest.mark.parametrize(("lanes", "steps", "threads"), [(64, 300 if COMPILED else 60, 2)])
def test_environments_play_as_states_with_the_same_seed(lanes: int, steps: int, threads: int) -> None:
    """Whole games, each step of each compared."""
    env = begun(make_batch([LONG, SHORT], lanes, threads=threads), 1000)
    states = [game.initial_state(seed=1000 + lane) for lane, game in enumerate(env.games)]
    mask, observation = np.zeros(LONG.num_actions, np.int8), np.zeros(LONG.observation_size, np.float32)
    games, lengths = 0, [0] * lanes
    for step in range(steps):
        actions = env.sample_actions().tolist()
        env.step(np.array(actions))
        for lane, action in enumerate(actions):
            state = states[lane]
            state.apply(action)
            lengths[lane] += 1
            if state.is_terminal:
                games += 1
                outcome = state.outcome()
                assert outcome is not None
                assert env.terminations[lane] and not env.truncations[lane]
                assert env.rewards[lane].tolist() == state.returns() == env.episode_returns[lane].tolist()
                assert env.episode_winners[lane] == (-1 if outcome.winner is None else outcome.winner)
                assert env.reason(lane) == outcome.reason and env.episode_lengths[lane] == lengths[lane]
                lengths[lane] = 0
                state = states[lane] = state.begin_after(state.game)
            else:
                assert not env.terminations[lane] and not env.rewards[lane].any()
            assert env.to_play[lane] == state.current_player and env.lengths[lane] == lengths[lane]
            if (step + lane) % 4 == 0:
                assert np.array_equal(env.masks[lane], state.legal_mask(mask))
                assert np.array_equal(env.observations[lane], state.observation(state.current_player, observation))
    assert games > (60 if COMPILED else 2)


@pytest.mark.parametrize("game", [LONG, SHORT, ToyGame()], ids=["long", "short", "toy"])
@pytest.mark.parametrize("limit", [None, 7])
def test_an_environment_of_a_batch_is_the_aec_environment(
    game: Any, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole of it: who is asked, observation, mask, rewards, both ends, and reset() without a seed."""
    env = make_batch(game, 3, autoreset_mode="Disabled", max_decisions=limit)
    if limit is not None:
        monkeypatch.setattr(game, "max_decisions", limit)
    singles = [GameEnv(game) for _ in range(3)]
    env.reset(seed=40)
    for lane, single in enumerate(singles):
        single.reset(seed=40 + lane)
    ends = 0
    for _ in range(500 if COMPILED else 300):
        actions = env.sample_actions()
        for lane, single in enumerate(singles):
            single.step(int(actions[lane]))
        _, _, terminations, truncations, _ = env.step(actions)
        for lane, single in enumerate(singles):
            observation = single.observe(single.agent_selection)
            assert np.array_equal(env.observations[lane], observation["observation"])
            assert np.array_equal(env.masks[lane], observation["action_mask"])
            assert env.rewards[lane].tolist() == [single.rewards[agent] for agent in single.possible_agents]
            agent = single.possible_agents[0]
            assert (terminations[lane], truncations[lane]) == (single.terminations[agent], single.truncations[agent])
            if terminations[lane] or truncations[lane]:
                ends += 1
                outcome = single.infos[agent]["outcome"]
                assert env.to_play[lane] == TERMINAL
                winner = int(env.episode_winners[lane])
                assert outcome["winner"] == (None if winner < 0 else game.agents[winner])
                assert outcome["reason"] == env.reason(lane)
                single.reset()
            else:
                assert single.possible_agents[env.to_play[lane]] == single.agent_selection
        over = terminations | truncations
        if over.any():
            env.reset(options={"reset_mask": over})
    assert ends > 2


def aloha(players: int) -> dict[str, Any]:
    """Turn orders, rewards, and data by which the bounds of the observation are others."""
    content = copy.deepcopy(AlohaRuleset.load().content)
    content["board.toml"]["set_up"]["track_end"] = 20
    content["scoring.toml"]["epilogue"]["governor"] = 9
    turns = {"turn_order": ["most_left", "rounds"], "reward": ["win", "rank", "margin"]}
    return {"players": players, **turns, "rules": [None, None, None, content]}


def heiau(scenario: Any, **more: Any) -> dict[str, Any]:
    return {"scenario": scenario, "last_year": 1, **more}


SAME, NEXT = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP
BOTH = {"scenario": ["long", "short"]}


def long(options: dict[str, Any], mode: AutoresetMode, raw: bool, steps: int) -> Any:
    return pytest.param("heiau", options, in_python, mode, raw, 10_000, steps, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("name", "options", "other", "mode", "raw", "limit", "steps"),
    [
        ("hawaii1795", BOTH, in_python, SAME, True, 150, 400), ("hawaii1795", BOTH, in_python, NEXT, False, 150, 400),
        ("aloha", aloha(2), in_python, SAME, False, 130, 160), ("aloha", aloha(3), in_python, NEXT, True, 150, 160),
        ("aloha", aloha(4), in_python, NEXT, False, 170, 160), ("aloha", aloha(4), interpreted, SAME, True, 170, 160),
        ("heiau", heiau(["race", "discrete", "heart"]), in_python, SAME, False, 10_000, 30),
        ("maori_wars", {}, in_python, SAME, False, 40, 60),
        long(heiau(["clans", "triangle"], last_year=2), SAME, False, 400),
        long(heiau("two_haoles", assignment="random"), SAME, False, 200),
        long(heiau("haole", scoring="sum_of_squares"), NEXT, True, 200),
        long(heiau("wings", assignment=["random", "fixed"]), SAME, False, 100),
    ],
)  # fmt: skip
def test_the_compiled_batch_agrees_with_the_batch_in_python(
    name: str, options: dict[str, Any], other: Any, mode: AutoresetMode, raw: bool, limit: int, steps: int
) -> None:
    """All that lanes write, with random players, limits, an illegal action, and two that go on by themselves."""
    kinds = [load_game(name, **options)] if not options else [
        load_game(name, **{key: value[i % len(value)] if isinstance(value, list) else value for key, value in
        options.items()}) for i in range(5)
    ]  # fmt: skip
    env, plain = (make(kinds, 5, autoreset_mode=mode, raw=raw, max_decisions=limit) for make in (make_batch, other))
    assert type(env.runner.backend) is CompiledBatch
    for one in (env, plain):
        one.runner.arrays.auto[3:], one.runner.arrays.viewers[3:] = 1, [0, kinds[0].num_players - 1]
        one.runner.arrays.limits[2] = min(limit, 40)
        one.reset(seed=9)
    ended = 0
    for step in range(steps):
        actions = env.sample_actions()
        assert np.array_equal(actions, plain.sample_actions())
        info, expected = env.step(actions)[4], plain.step(actions)[4]
        same_arrays(env, plain)
        for a, b in zip(env.legal_lists(), plain.legal_lists(), strict=True):
            assert np.array_equal(a, b)
        assert info.keys() == expected.keys()
        if "episode" in info:
            ended += 1
            for key, value in info["episode"].items():
                assert np.array_equal(value, expected["episode"][key]), key
        finals: Any = zip(info.get("final_obs", ()), expected.get("final_obs", ()), strict=True)
        for a, b in finals:
            assert (a is None) == (b is None) and (a is None or np.array_equal(a, b))
        if step == steps // 2:
            for one in (env, plain):
                ops = np.zeros(5, np.int8)
                ops[np.flatnonzero(~one.runner.arrays.over)[:2]] = LOSE
                one.runner.run(ops, actions, mode is SAME)
            same_arrays(env, plain)
    assert ended
    for lane in range(5):
        assert env.get_state(lane).to_json(secrets=True) == plain.get_state(lane).to_json(secrets=True)


def test_neither_number_nor_threads_matter() -> None:
    n, steps = 37, 300 if COMPILED else 20
    whole = make_batch(LONG, n, threads=3)
    parts = [make_batch(LONG, 1), make_batch(LONG, 16, threads=2), make_batch(LONG, 20)]
    firsts = [0, 1, 17]
    whole.reset(seed=77)
    for part, first in zip(parts, firsts, strict=True):
        part.reset(seed=77 + first)
    for _ in range(steps):
        whole.step(whole.sample_actions())
        for part, first in zip(parts, firsts, strict=True):
            part.step(part.sample_actions())
            same_arrays(whole, part, slice(first, first + len(part)))


def test_seeds_of_any_size() -> None:
    seeds = [0, 1, 2**32 - 1, 2**32, 2**63 + 5, 2**64 - 1]
    assert game_words(seeds).tolist() == [seed_words(seed) for seed in seeds]
    words = spread_words(np.array(seeds, np.uint64), 4, POLICY_TAG)
    assert words.tolist() == [policy_words(seed) for seed in seeds]
    assert small_seeds([2**70, 3])[1] == 3
    huge = [2**64, 2**200 + 1, 7]
    assert game_words(huge).tolist() == [seed_words(seed) for seed in huge]
    env = begun(make_batch(LONG, 2), 2**64 - 1)
    assert env.get_state(1).to_json(secrets=True) == LONG.initial_state(seed=2**64).to_json(secrets=True)
    env.reset(seed=[5, 2**80])
    assert env.get_state(1).to_json(secrets=True) == LONG.initial_state(seed=2**80).to_json(secrets=True)
    before = env.get_state(0)
    env.reset(seed=[None, 6])
    assert env.get_state(0).to_json(secrets=True) == before.begin_after(before.game).to_json(secrets=True)


def test_the_random_player_is_even() -> None:
    words = policy_words(3)
    counts = np.bincount([below(words, 5) for _ in range(5000)])
    assert abs(counts - 1000).max() < 130
    words, limit = policy_words(4), (1 << 32) // 3 * 3
    assert all(0 <= below(words, 3) < 3 for _ in range(100)) and limit < 1 << 32


# What is shown


def test_arrays_and_spaces() -> None:
    env = make_batch(LONG, 4)
    observations, info = env.reset(seed=1)
    out = env.runner.arrays
    assert observations is env.observations is out.observations and info["action_mask"] is env.masks
    assert observations.dtype == np.float32 and observations.shape == (4, LONG.observation_size)
    assert env.masks.dtype == np.int8 and env.masks.shape == (4, LONG.num_actions)
    assert env.to_play.dtype == np.int64 and env.rewards.dtype == np.float32 and env.rewards.shape == (4, 2)
    assert env.terminations.dtype == env.truncations.dtype == np.bool_
    assert observations in env.observation_space and observations[0] in env.single_observation_space
    assert env.sample_actions() in env.action_space and env.action_masks() is env.masks
    assert env.sample_actions() is env.sample_actions()
    mine = np.zeros(4, np.int64)
    assert env.sample_actions(mine) is mine
    result = env.step(mine)
    assert result[0] is observations and result[1] is env.rewards and result[2] is env.terminations
    assert len(env) == 4 and "4 environments" in repr(env) and env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    refuses(
        OptionError,
        ("out", lambda: env.sample_actions(np.zeros(4, np.int32))),  # type: ignore[arg-type]
    )


# Auto-reset


def until_the_end(env: BatchEnv, lane: int = 0) -> tuple[Any, ...]:
    while True:
        result = env.step(env.sample_actions())
        if result[2][lane] or result[3][lane]:
            return result


def test_same_step() -> None:
    env = begun(make_batch(SHORT, 3), 2)
    state = env.get_state(0)
    while True:
        actions = env.sample_actions().copy()
        state.apply(int(actions[0]))
        observations, rewards, terminations, _, info = env.step(actions)
        if terminations[0]:
            break
    assert rewards[0].tolist() == state.returns()
    assert np.array_equal(info["final_obs"][0], state.observation(0))
    assert info["final_obs"].dtype == object and info["final_obs"][1] is None
    assert (
        info["_final_obs"].tolist() == info["_final_info"].tolist() == info["_episode"].tolist() == [True, False, False]
    )
    episode = info["final_info"]["episode"]
    assert episode["r"][0].tolist() == state.returns() and episode["l"][0] == state.decisions  # type: ignore[attr-defined]
    following = state.begin_after(state.game)
    assert np.array_equal(observations[0], following.observation(following.current_player))
    assert info["action_mask"][0].any() and env.lengths[0] == 0 and info["to_play"][0] == following.current_player


def test_next_step() -> None:
    env = begun(make_batch(SHORT, 2, autoreset_mode=AutoresetMode.NEXT_STEP), 2)
    _, _, _, _, info = until_the_end(env)
    state = env.get_state(0)
    assert state.is_terminal and env.to_play[0] == TERMINAL and not env.masks[0].any()
    assert np.array_equal(env.observations[0], state.observation(0)) and "final_obs" not in info
    assert info["episode"]["winner"][0] == env.episode_winners[0]
    actions = env.sample_actions()
    assert actions[0] == 0
    actions[0] = -5  # ignored
    _, rewards, terminations, truncations, info = env.step(actions)
    following = state.begin_after(state.game)
    assert env.get_state(0).to_json(secrets=True) == following.to_json(secrets=True)
    assert not (terminations[0] or truncations[0] or rewards[0].any()) and "episode" not in info


# Positions


def test_states_go_in_and_out() -> None:
    env = begun(make_batch(LONG, 3))
    for _ in range(60):
        env.step(env.sample_actions())
    state = env.get_state(1)
    others = [env.get_state(lane).to_json(secrets=True) for lane in (0, 2)]
    observation, mask = env.observations[1].copy(), env.masks[1].copy()
    for _ in range(20):
        env.step(env.sample_actions())
    kept = env.observations[0].copy()
    env.set_state(1, state)
    assert np.array_equal(env.observations[1], observation) and np.array_equal(env.masks[1], mask)
    assert env.lengths[1] == 0 and np.array_equal(env.observations[0], kept)
    assert env.get_state(1).to_json(secrets=True) == state.to_json(secrets=True)
    env.set_state(0, state.for_search(), seed=8)
    assert env.get_state(0).to_json(secrets=True) == state.clone(seed=8).to_json(secrets=True)
    assert others[1] != env.get_state(2).to_json(secrets=True)
    for _ in range(300):
        env.step(env.sample_actions())


@pytest.mark.parametrize("lanes", ["compiled", "python"])
def test_wrong_positions(lanes: str) -> None:
    env = make_batch(LONG, 2) if lanes == "compiled" else in_python(LONG, 2)
    env.reset(seed=1)
    before = env.get_state(0).to_json(secrets=True)
    over = LONG.initial_state(seed=1)
    while not over.is_terminal:
        over.apply(over.legal_actions()[0])
    for lane, state, message in (
        (2, env.get_state(0), "env_index"), (True, env.get_state(0), "env_index"), (0, "here", "expected a State"),
        (0, SHORT.initial_state(seed=1), "position of a game with scenario='short'"), (0, over, "over"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=message):
            env.set_state(lane, state)  # type: ignore[arg-type]
    refuses(
        OptionError,
        ("environment 0", lambda: env.reset(options={"state": over})),
        ("seed", lambda: env.set_state(0, env.get_state(0), seed=-1)),
        ("", lambda: env.get_state(-1)),
    )
    assert env.get_state(0).to_json(secrets=True) == before


# Games


def test_environments_may_have_different_rules() -> None:
    content = copy.deepcopy(Ruleset.load().content)
    content["cards.toml"]["kamehameha"]["discoverys_guns"]["fleets"] = 9
    env = make_batch("hawaii1795", 6, scenario=("long", "short"), rules=[None, content, None], final_check=True)
    assert [game.params["scenario"] for game in env.games] == ["long", "short"] * 3
    assert len({game.ruleset_hash for game in env.games}) == 2 and len({id(game) for game in env.games}) == 6
    assert env.games[0].params["final_check"] is True
    expected = in_python("hawaii1795", 6, scenario=("long", "short"), rules=[None, content, None], final_check=True)
    assert played(env, 120) == played(expected, 120)
    assert len({id(game) for game in make_batch("hawaii1795", 6, scenario=["long", "short"]).games}) == 2


def test_games_of_different_kinds_do_not_mix() -> None:
    refuses(
        OptionError,
        (
            "name is 'hawaii1795' in environment 0 and 'tides' in environment 1",
            lambda: make_batch([LONG, ToyGame()], 4),
        ),
    )
    other = ToyGame()
    other.num_actions = 9
    refuses(
        OptionError,
        ("num_actions is 8 in environment 0 and 9 in environment 1", lambda: make_batch([ToyGame(), other], 2)),
    )


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((LONG, 0), {}, "num_envs"),
        ((LONG, -3), {}, "num_envs"),
        ((LONG, True), {}, "num_envs"),
        ((LONG, 2.0), {}, "num_envs"),
        (([], 2), {}, "at least one game"),
        (([LONG, "x"], 2), {}, "expected a Game"),
        ((LONG, 2), {"scenario": "long"}, "options go with the name of a game"),
        (("hawaii1795", 2), {"scenario": []}, "at least one value"),
        (("hawaii1795", 2), {"scenery": "long"}, "no option 'scenery'; it takes: .*scenario"),
        (("hawaii1795", 2), {"scenario": "longest"}, "scenario"),
        ((Game, 2), {}, "expected a list"),
        (("chess", 2), {}, "no game 'chess'; available: aloha, hawaii1795, heiau, maori_wars"),
        ((LONG, 2), {"autoreset_mode": "Sometimes"}, "'NextStep', 'SameStep', 'Disabled'"),
        ((LONG, 2), {"threads": 0}, "threads"),
        ((LONG, 2), {"max_decisions": 0}, "max_decisions"),
    ],
)
def test_wrong_arguments(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    refuses(OptionError, (message, lambda: make_batch(*arguments, **options)))


# Wrong calls


def test_illegal_actions_of_a_simultaneous_turn() -> None:
    env = begun(make_batch(ToyGame(), 2))
    assert env.get_state(0).current_player == SIMULTANEOUS
    refuses(
        IllegalActionError,
        (r"environment 1: 'keep' \(action 4\) is not legal for red_0 in phase bid", lambda: env.step([1, 4])),
    )


@pytest.mark.parametrize(
    "actions",
    [
        [0.0, 1.0], np.zeros(2, np.float32), [True, False], np.zeros(2, bool), [None, 1], ["a", "b"], [0], [0, 1, 2],
        [[0], [1]], 3, np.zeros((2, 1), np.int64), [[0, 1], [2]], np.array([2**63, 0], np.uint64), np.zeros(2, object),
    ],
)  # fmt: skip
def test_wrong_shapes_and_types(actions: Any) -> None:
    env = begun(make_batch(LONG, 2))
    before = env.get_state(0).to_json(secrets=True)
    refuses(IllegalActionError, ("", lambda: env.step(actions)))
    assert env.get_state(0).to_json(secrets=True) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": [1]}, "expected 2 seeds"),
        ({"seed": [1, -1]}, "seed"),
        ({"options": 3}, "options"),
        ({"options": {"reset_mask": [True, False]}}, "reset_mask"),
        ({"options": {"reset_mask": np.ones(2, np.int8)}}, "reset_mask"),
        ({"options": {"reset_mask": np.ones(3, bool)}}, "reset_mask"),
        ({"options": {"reset_mask": np.zeros(2, bool)}}, "at least one True"),
        ({"options": {"state": "x"}}, "State"),
    ],
)
def test_wrong_resets(arguments: dict[str, Any], message: str) -> None:
    env = begun(make_batch(LONG, 2))
    before = env.get_state(0).to_json(secrets=True)
    refuses(OptionError, (message, lambda: env.reset(**arguments)))
    assert env.get_state(0).to_json(secrets=True) == before


# Copies and processes


@pytest.mark.parametrize(
    "how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
def test_running_batches_are_copied_whole(how: Any) -> None:
    env = begun(in_python("hawaii1795", 3, scenario=["long", "short"], threads=2))
    for _ in range(20):
        env.step(env.sample_actions())
    other = how(env)
    assert other.observations is other.runner.arrays.observations and other.masks is other.runner.arrays.masks
    assert not np.shares_memory(other.observations, env.observations)
    for _ in range(250):
        actions = env.sample_actions()
        assert np.array_equal(actions, other.sample_actions())
        env.step(actions)
        other.step(actions)
        same_arrays(env, other)


def child(env: BatchEnv | None, seed: int, queue: Any) -> None:
    queue.put(played(make_batch("hawaii1795", 4, threads=2) if env is None else env, 40, seed))


@pytest.mark.parametrize(("method", "both"), [("fork", True), pytest.param("spawn", False, marks=pytest.mark.slow)])
@pytest.mark.skipif(sys.platform == "win32", reason="fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a fork while threads run: the very thing that is tried
def test_processes(method: str, both: bool) -> None:
    """The parent has compiled and runs threads; a child makes a batch of its own, and goes on with the parent's."""
    context: Any = multiprocessing.get_context(method)
    env = make_batch("hawaii1795", 4, threads=2)
    expected = played(env, 40, 11)
    for given in (None, env) if both else (env,):
        queue = context.Queue()
        process = context.Process(target=child, args=(given, 11, queue))
        process.start()
        assert queue.get(timeout=300) == expected
        process.join(60)
        assert process.exitcode == 0
    assert played(env, 40, 11) == expected


# Odds and ends


def test_games_without_decisions_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    env = in_python(ToyGame(), 1)
    over = ToyGame().position(round=5, phase="over", prize=0, winner=-1, hands=[[], [], []], points=[0, 0, 0])
    monkeypatch.setattr(ToyGame, "initial_state", lambda *_, **__: over)
    monkeypatch.setattr(type(over), "begin_after", lambda *_, **__: over)
    refuses(StateError, ("environment 0: 100 games in a row", lambda: env.reset(seed=1)))


def test_environments_before_one_that_fails_have_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    env = begun(in_python(ToyGame(), 3))
    lanes: Any = env.runner.backend

    def fail(*_: Any) -> None:
        raise RuntimeError("a mistake in the game")

    monkeypatch.setattr(lanes._states[1], "apply", fail)
    monkeypatch.setattr(lanes._states[1], "apply_joint", fail)
    for _ in range(2):  # players of a simultaneous turn, of whom nobody moves before the last has chosen
        env.step(env.sample_actions())
    refuses(RuntimeError, ("a mistake in the game", lambda: env.step(env.sample_actions())))
    assert env.lengths[0] == env.lengths[2] + 1
    for lane in (0, 2):
        legal = lanes.get(lane).legal_mask(None, int(env.to_play[lane]))
        assert np.array_equal(env.masks[lane], legal)


def test_some_environments_may_be_stepped() -> None:
    env = begun(make_batch(LONG, 4, autoreset_mode="Disabled"))
    still = env.observations[[1, 3]].copy()
    active, actions = np.array([True, False, True, False]), env.sample_actions()
    actions[1] = -1  # ignored
    env.step(actions, active)
    assert env.lengths.tolist() == [1, 0, 1, 0] and np.array_equal(env.observations[[1, 3]], still)
    while not env.over[0]:
        env.step(env.sample_actions(), ~env.over & [True, False, False, False])
    assert env.terminations.tolist() == [True, False, False, False] and env.rewards[0].any()
    _, rewards, ended, _, info = env.step(env.sample_actions(), ~env.over)
    assert not ended[0] and not rewards[0].any() and "episode" not in info
    refuses(GameOverError, (r"environments \[0\] are over", lambda: env.step(env.sample_actions())))
    for wrong in ([True] * 4, np.ones(3, np.bool_), np.ones(4, np.int8)):
        with pytest.raises(OptionError, match=r"active: expected bool\[4\]"):
            env.step(actions, wrong)  # type: ignore[arg-type]
    env.reset(options={"reset_mask": env.over.copy()})
    assert env.lengths[0] == 0 and not env.over.any()


@pytest.mark.parametrize("lanes", ["compiled", "python"])
def test_what_is_run_is_legal(lanes: str) -> None:
    """Nothing moves where one lane's action is not; on request whoever chose it loses, unless the table has no such
    action.
    """
    env = begun((make_batch if lanes == "compiled" else in_python)(LONG, 4))
    ops, actions = np.array([ACT, 0, ACT, ACT], np.int8), env.sample_actions()
    illegal = int(np.flatnonzero(env.masks[2] == 0)[0])
    actions[2] = illegal
    before = env.observations.copy()
    for action in (illegal, -1, LONG.num_actions, 2**40):
        actions[2] = action
        with pytest.raises(IllegalActionError, match=r"environment 2: ") as found:
            env.runner.run(ops, actions)
        assert found.value.env_index == 2
    assert np.array_equal(before, env.observations) and not env.lengths.any()
    refuses(IllegalActionError, (r"environment 2: ", lambda: env.runner.run(ops, actions, lose=True)))
    actions[2] = illegal
    loser = int(env.to_play[2])
    assert env.runner.run(ops, actions, lose=True) == [2] and ops.tolist() == [ACT, 0, LOSE, ACT]
    assert env.lengths.tolist() == [1, 0, 1, 1] and env.rewards[2, loser] == -1
