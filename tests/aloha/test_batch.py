"""Compiled lanes, playouts and the compiled fuzzer of ALOHA against the same in Python, and the plain mode against the
compiled one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from refusals import refuses

import hawaii_env
from hawaii_env import make_batch
from hawaii_env.aloha import Game
from hawaii_env.aloha.game import RULES
from hawaii_env.core import compiled_batch, jit
from hawaii_env.core.batch import LOSE, Arrays
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.compiled_batch import CompiledBatch
from hawaii_env.env import runner
from hawaii_env.env.python_batch import PythonBatch
from hawaii_env.env.vector import BatchEnv
from hawaii_env.errors import StateError
from hawaii_env.rollouts import playouts

from .helpers import game

OPTIONS: dict[str, Any] = {"turn_order": ["most_left", "rounds"], "reward": ["win", "rank", "margin"]}


def other_rules(players: int) -> Game:
    """A game whose data, and so the bounds of its observation, are others."""
    content = game(players).ruleset.content
    content["board.toml"]["set_up"]["track_end"] = 20
    content["scoring.toml"]["epilogue"]["governor"] = 9
    return Game(players=players, rules=content)


def games(players: int) -> list[Game]:
    """Of each turn order and reward, and one of other data."""
    return [
        *(game(players, turn_order=o, reward=r) for o,
        r in zip(OPTIONS["turn_order"] * 2, OPTIONS["reward"], strict=False)), other_rules(players),
    ]  # fmt: skip


def in_python(monkeypatch: pytest.MonkeyPatch, *args: Any, **options: Any) -> BatchEnv:
    """A batch whose lanes are stepped through `Game` and `State` alone."""
    with monkeypatch.context() as patch:
        patch.setattr(runner, "make_backend", lambda games, at_once, draws: PythonBatch(games, draws))
        return make_batch(*args, **options)


def plain(monkeypatch: pytest.MonkeyPatch, *args: Any, **options: Any) -> BatchEnv:
    """A batch of the compiled lanes' rules as ordinary Python."""
    with monkeypatch.context() as patch:
        patch.setattr(RULES, "backend_for_jobs", lambda rules=True: RULES.interpreted)
        return make_batch(*args, **options)


def lanes_of(env: BatchEnv) -> CompiledBatch:
    assert isinstance(env.runner.backend, CompiledBatch)
    return env.runner.backend


def same(a: BatchEnv, b: BatchEnv) -> None:
    for name in Arrays.__slots__:
        if name not in ("final_observations", "episode_reasons"):
            assert np.array_equal(getattr(a.runner.arrays, name), getattr(b.runner.arrays, name)), name
    for one, other in zip(a.legal_lists(), b.legal_lists(), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("players", "raw", "mode", "other"),
    [
        (2, False, AutoresetMode.SAME_STEP, in_python), (3, True, AutoresetMode.NEXT_STEP, in_python),
        (4, False, AutoresetMode.NEXT_STEP, in_python), (4, True, AutoresetMode.SAME_STEP, plain),
        (3, False, AutoresetMode.SAME_STEP, plain),
    ],
)  # fmt: skip
def test_environments_agree(
    players: int, raw: bool, mode: AutoresetMode, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that lanes write, with random players, a limit, an illegal action and rewards of each kind."""
    kinds = games(players)
    options: dict[str, Any] = {"autoreset_mode": mode, "raw": raw, "max_decisions": 90 + 20 * players}
    env, slow = make_batch(kinds, 6, **options), other(monkeypatch, kinds, 6, **options)
    assert lanes_of(env)._backend.compiled != jit.INTERPRETED
    for one in (env, slow):
        one.runner.arrays.auto[4:], one.runner.arrays.viewers[4:] = 1, [0, players - 1]
        one.runner.arrays.limits[3] = 40
        one.reset(seed=9)
    ended = 0
    for step in range(160):
        actions = env.sample_actions()
        assert np.array_equal(actions, slow.sample_actions())
        info, expected = env.step(actions)[4], slow.step(actions)[4]
        same(env, slow)
        if "episode" in info:
            ended += 1
            assert {k: np.asarray(v).tolist() for k, v in info["episode"].items()} == {
                k: np.asarray(v).tolist() for k, v in expected["episode"].items()
            }
        for a, b in zip(info.get("final_obs", ()), expected.get("final_obs", ()), strict=True):
            assert (a is None) == (b is None) and (a is None or np.array_equal(a, b))
        if step == 60:
            for one in (env, slow):
                ops = np.zeros(6, np.int8)
                ops[np.flatnonzero(~one.runner.arrays.over)[:1]] = LOSE
                one.runner.run(ops, actions, mode is AutoresetMode.SAME_STEP)
            same(env, slow)
    assert ended > 4


@pytest.mark.parametrize("players", [2, 3, 4])
def test_playouts_agree(players: int) -> None:
    """Returns, lengths and ends of random playouts, with a first decision, from a game and from a chance node."""
    start = game(players, reward="rank").initial_state(seed=players, chance="sampled")
    for state in (start, game(players).initial_state(chance="explicit")):
        found = playouts(state, 6, seed=4)
        n = len(found)
        returns, lengths, finished = np.zeros((n, players), np.float32), np.zeros(n, np.int64), np.zeros(n, bool)
        PythonBatch([state.game]).playouts(
            state, found.seeds, np.full(n, -1, np.int64), state.game.max_decisions, returns, lengths, finished
        )
        assert np.array_equal(found.returns, returns) and np.array_equal(found.lengths, lengths)
        assert found.finished.all() and finished.all()
    short = playouts(start, 4, seed=1, limit=3)
    assert not short.finished.any() and short.lengths.tolist() == [3] * 4 and not short.returns.any()


def test_a_batch_of_one_runs_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane that began in the plain mode goes on compiled with its next game, and plays the same."""
    monkeypatch.setattr(compiled_batch, "AUTOMATIC", True)
    monkeypatch.setattr(RULES.batch, "use_compiled", lambda examples, game: False)
    env, other = make_batch("aloha", 1), make_batch("aloha", 1)
    runner: Any = env.runner
    runner.backend = CompiledBatch(env.games, at_once=True)
    assert not lanes_of(env)._backend.compiled
    for one in (env, other):
        one.reset(seed=5)
    for _ in range(200):
        actions = env.sample_actions()
        assert np.array_equal(actions, other.sample_actions())
        env.step(actions)
        other.step(actions)
        same(env, other)
    assert lanes_of(env)._backend.compiled == hawaii_env.compiled


def test_pickles_are_checked() -> None:
    """A state whose pickle was altered is refused, as compiled code trusts its states."""
    state = game(3).initial_state(seed=3)
    again, (rules, data, trace) = state.__reduce__()
    text = verify_checksum(data).decode()
    assert again(rules, data, trace).to_json(secrets=True) == text
    wrong = text.replace('"tokens":[0,0,0,0,0]', '"tokens":[0,31,0,0,0]', 1).encode()
    refuses(
        StateError,
        ("altered", lambda: again(rules, wrong + data[-4:], trace)),
        ("tokens: expected a whole number from 0 to 30, not 31", lambda: again(rules, add_checksum(wrong), trace)),
        ("bytes", lambda: again(rules, text, trace)),
        ("trace", lambda: again(rules, data, 3)),
    )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_compiled_fuzzer(players: int) -> None:
    """Games hold, and are those that the same decisions make in Python."""
    rules = game(players)
    assert rules.fuzz_batch(range(200)) == -1 and rules.fuzz_message(7) == ""
    state = rules.initial_state(seed=7)
    for action in rules.fuzz_actions(7):
        state.apply(action)
    assert state.is_terminal


@pytest.mark.parametrize(
    ("field", "index", "value", "fault"),
    [
        ("points", [0], -1, "negative"), ("tracks", [0, 0], 61, "track"), ("tokens", [0, 0], 31, "more Pure Hawaiian"),
        ("actions", [0, 0], 12, "11 Action"), ("tokens", [3, 0], 1, "does not play"),
        ("tracks", [3, 0], 1, "before Chapter III"), ("cards_of", [0, 0], 3, "nobody's index"),
        ("cards_of", [0, 0], 1, "King/Queen"), ("face_up", [0], 10, "twice"), ("face_up", [0], 16, "calamity"),
        ("face_up", [0], 0, "before a slot"),
    ],
)  # fmt: skip
def test_faults_are_found(field: str, index: list[int], value: int, fault: str) -> None:
    """Each invariant is seen to fail, in a position in which all hold before."""
    from .helpers import chapter

    state = chapter(deck=[1, 2], players=3)
    record, fault_in = state.interpreted().copy(), RULES.hooks["fault_in"]
    assert fault_in(state.game.tables, record) == 0
    values = getattr(record, field)
    for at in index[:-1]:
        values = values[at]
    values[index[-1]] = value
    if field == "face_up" and value == 16:
        record.left[16] = 0
    assert fault in RULES.faults[fault_in(state.game.tables, record)]
