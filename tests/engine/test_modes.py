"""The plain and the compiled mode, processes, and the cache of the compiled code."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from waiting import python

from hawaii_agents.hawaii1795.search import Search
from hawaii_env import fuzz, hawaii1795_v1, make_batch
from hawaii_env.core import compiled_batch, jit
from hawaii_env.env.single_agent import SingleAgentEnv
from hawaii_env.game import State as BaseState
from hawaii_env.hawaii1795.game import RULES, State
from hawaii_env.rollouts import playouts

from .helpers import LONG, data_of, digest_of_games

GAMES_TOLD = "from engine.helpers import digest_of_games; print(digest_of_games(range(int({0}))))"
SETTLED = {"HAWAII_ENV_BOUNDS_CHECK": "0"}


@pytest.mark.parametrize(("interpreted", "number"), [("1", "0"), pytest.param("0", "1", marks=pytest.mark.slow)])
def test_the_modes_play_identical_games(interpreted: str, number: str) -> None:
    """Decisions, chance outcomes, positions and generators of both scenarios with both options, step by step.

    The other process has another hash seed, which plays no part; run the tests compiled to compare the two modes.
    """
    done = python(GAMES_TOLD.format(4), HAWAII_ENV_PLAIN=interpreted, PYTHONHASHSEED=number)
    assert done.stdout.strip() == digest_of_games(range(4)) and done.stderr == ""


@pytest.mark.slow
def test_the_modes_play_identical_games_for_long() -> None:
    plain = python(GAMES_TOLD.format(120), HAWAII_ENV_PLAIN="1").stdout
    assert plain == python(GAMES_TOLD.format(120), HAWAII_ENV_PLAIN="0").stdout


GYMNASIUM = """
import gymnasium
import hawaii_env
env = gymnasium.make("hawaii_env/Hawaii1795-v1", opponent="random")
_, info = env.reset(seed=1)
env.step(int(info["action_mask"].nonzero()[0][0]))
print(hawaii_env.compiled, env.unwrapped._versus.runner.backend._backend.compiled)
"""


def test_gymnasiums_first_reset_needs_no_compiler(tmp_path: Path) -> None:
    done = python(GYMNASIUM, HAWAII_ENV_PLAIN=None, HAWAII_ENV_BACKGROUND="0", HAWAII_ENV_CACHE=str(tmp_path))
    assert done.stdout == "False False\n" and "compiling" not in done.stderr and "as plain Python" in done.stderr


COLD = """
import sys
from hawaii_env.cli import main
import hawaii_env
status = main(sys.argv[1:])
print(status, hawaii_env.compiled, "numba" in sys.modules)
"""


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ("demo", "--seed", "1", "--quiet", "--games", "2", "--agents", "random"),
            "hawaii_env: the rules of hawaii1795 run as plain Python, about ten times slower",
        ),
        (("odds", "2xwarrior_2", "oahu_warrior"), ""),
        (("odds", "2xwarrior_2", "oahu_warrior", "--check", "200"), "as plain Python"),
    ],
)
def test_a_cold_cache_needs_no_compiler(tmp_path: Path, command: tuple[str, ...], said: str) -> None:
    """Commands that a newcomer tries first run at once, and say in one line what that means."""
    done = python(
        COLD,
        *command,
        HAWAII_ENV_PLAIN=None,
        HAWAII_ENV_BACKGROUND="0",
        HAWAII_ENV_CACHE=str(tmp_path),
        PYTHONIOENCODING="utf-8",
    )
    assert done.stdout.splitlines()[-1] == "0 False False"
    assert said in done.stderr and done.stderr.count("\n") == bool(said)


# Both modes in one process


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Make the games that begin from now on plain, or compiled again."""
    now = RULES.rules.use_compiled

    def switch(on: bool) -> None:
        monkeypatch.setattr(RULES.rules, "use_compiled", (lambda *_: False) if on else now)

    return switch


def is_plain(state: BaseState) -> bool:
    return RULES.state.is_named(cast(State, state).data)


@pytest.mark.skipif(jit.INTERPRETED, reason="compares the plain mode with the compiled one")
def test_an_environment_goes_on_compiled_at_its_next_reset(cold: Callable[[bool], None]) -> None:
    """Games of one environment, the first plain and the next compiled, are those of an environment that is compiled
    throughout.
    """

    def play(env: Any) -> list[Any]:
        told: list[Any] = []
        for _ in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            told.append((observation["observation"].tobytes(), observation["action_mask"].tobytes(), reward))
            env.step(None if terminated or truncated else int(observation["action_mask"].nonzero()[0][len(told) % 2]))
        return told

    games = []
    for begins_plain in (True, False):
        env = hawaii1795_v1.env()
        cold(begins_plain)
        env.reset(seed=3)
        assert is_plain(env.game_state) == begins_plain
        cold(False)
        first = play(env)
        assert is_plain(env.game_state) == begins_plain  # a game that has begun goes on as it is
        env.reset()
        assert not is_plain(env.game_state)
        games.append((first, play(env)))
    assert games[0] == games[1]


@pytest.mark.skipif(jit.INTERPRETED, reason="compares the plain mode with the compiled one")
def test_gymnasiums_environment_begins_plain_and_goes_on_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """One lane waits for no compiler; its games are the same, whichever mode each is played in."""

    def play(env: Any, seed: int | None) -> list[Any]:
        observation, info = env.reset(seed=seed)
        told: list[Any] = [observation.tobytes()]
        done = False
        while not done:
            legal = info["action_mask"].nonzero()[0]
            observation, reward, terminated, truncated, info = env.step(int(legal[len(told) * 7 % len(legal)]))
            done = terminated or truncated
            told.append((observation.tobytes(), reward))
        return told

    games = []
    for begins_plain in (True, False):
        monkeypatch.setattr(compiled_batch, "AUTOMATIC", begins_plain)
        monkeypatch.setattr(RULES.batch, "use_compiled", lambda *_: False)
        monkeypatch.setattr(RULES.batch, "load", lambda: False)
        env = SingleAgentEnv(LONG)
        games.append([play(env, 3), play(env, None)])
        assert is_plain(env.game_state) == begins_plain
        monkeypatch.setattr(RULES.batch, "load", lambda: True)
        games[-1] += [play(env, None), play(env, None), play(env, 7)]
        assert not is_plain(env.game_state)
    assert games[0] == games[1]


@pytest.mark.skipif(jit.INTERPRETED, reason="compares the plain mode with the compiled one")
def test_states_of_both_modes_are_alike(cold: Callable[[bool], None]) -> None:
    """Equal, and interchangeable: in pickles, copies, searches and batches."""
    cold(True)
    plain = LONG.initial_state(5)
    cold(False)
    compiled = LONG.initial_state(5)
    for _ in range(20):
        assert plain == compiled and hash(plain) == hash(compiled)
        assert data_of(plain) == data_of(compiled)
        assert plain.legal_actions() == compiled.legal_actions() and plain.view() == compiled.view()
        assert plain.to_json(secrets=True) == compiled.to_json(secrets=True)
        action = plain.legal_actions()[-1]
        plain.apply(action)
        compiled.apply(action)
    for copied in (copy.deepcopy(plain), plain.clone(), plain.for_search()):
        assert is_plain(copied) and copied == compiled
    again = pickle.loads(pickle.dumps(plain))
    assert not is_plain(again) and again.to_json(secrets=True) == compiled.to_json(secrets=True)
    cold(True)
    again = pickle.loads(pickle.dumps(compiled))
    assert is_plain(again) and again.to_json(secrets=True) == compiled.to_json(secrets=True)
    cold(False)
    assert playouts(plain, 8, seed=1).returns.tolist() == playouts(compiled, 8, seed=1).returns.tolist()
    found = []
    for state in (plain, compiled):
        search = Search(LONG, seed=2)
        search.set_root(state.for_search())
        search.run(40)
        found.append(search.visits.tolist())
    assert found[0] == found[1]
    for state in (plain, compiled):
        batch = make_batch(LONG, 1)
        batch.reset(seed=0, options={"state": state})
        assert batch.masks[0].tolist() == compiled.legal_mask().tolist()


UNTOLD = """
import hawaii_env
from hawaii_env import agents, fuzz, records, rollouts
from hawaii_env.hawaii1795 import Game
from hawaii_env.env.single_agent import SingleAgentEnv
from hawaii_env import make_batch
for scenario in ("long", "short"):
    game = Game(scenario)
    fuzz.check_game(game, 1)
    fuzz.fuzz(game, 2, 1, out=None, progress=False)
    for raw in (False, True):
        batch = make_batch([game], 3, raw=raw)
        batch.reset(seed=0)
        batch.step(batch.sample_actions())
        batch.close()
    state = hawaii_env.play(game, "random", seed=1)
    rollouts.playouts(game.initial_state(1), 3, seed=1)
    hawaii_env.play(game, "mcts:sims=3", seed=1)
    hawaii_env.play(game, "guided:sims=3", seed=1)
"""


@pytest.mark.slow
@pytest.mark.skipif(jit.INTERPRETED, reason="compiled only")
def test_nothing_compiles_that_was_not_foreseen() -> None:
    """Every door is compiled for the types that it is called with, before it is called."""
    assert "of other types" not in python(UNTOLD).stderr


@pytest.mark.skipif(jit.INTERPRETED, reason="compiled only")
def test_long_jobs_never_begin_in_the_plain_mode(cold: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where games begin plain, what plays many of them asks for what it needs, which is compiled then."""
    asked: set[str] = set()
    answer = jit.EntryPoints.compile_now

    def compile_now(doors: jit.EntryPoints, examples: Any) -> Any:
        asked.add(doors.job)
        return answer(doors, examples)

    def needs(*jobs: str) -> bool:
        found = set(asked)
        asked.clear()
        return found == set(jobs)

    Search(LONG)  # its static evaluation is kept, and compiled once
    cold(True)
    state = LONG.initial_state(1)
    assert is_plain(state) and needs()
    monkeypatch.setattr(jit.EntryPoints, "compile_now", compile_now)
    LONG.compile()
    assert needs("rules")
    many = make_batch(LONG, 2)
    many.reset(seed=0)
    assert needs("rules", "batch")
    playouts(state, 2, seed=0)
    assert needs("rules", "playouts")
    Search(LONG)
    assert needs("search")
    LONG.fuzz_batch([0])
    assert needs("fuzzer")
    fuzz.fuzz(LONG, 1, 0, out=None, progress=False)
    assert needs("rules", "fuzzer")


FIRST_MINUTE = """
import time
import hawaii_env
from hawaii_env import hawaii1795_v1
env = hawaii1795_v1.env()
started = time.perf_counter()
modes, told = [], []
while not modes or (not modes[-1] and time.perf_counter() - started < 500):
    env.reset(seed=5)
    modes.append(env.game_state._backend.compiled)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else int(observation["action_mask"].nonzero()[0][-1]))
    told.append(env.state().tobytes())
print(modes[0], modes[-1], hawaii_env.compiled, len(set(told)))
"""


@pytest.mark.nightly
def test_an_environment_is_compiled_under_its_user(tmp_path: Path) -> None:
    """From an empty cache: the first game plain, a later one compiled by the background process, all alike."""
    done = python(FIRST_MINUTE, HAWAII_ENV_PLAIN=None, HAWAII_ENV_CACHE=str(tmp_path), **SETTLED)
    assert done.stdout == "False True True 1\n"
    assert done.stderr.count("\n") == 1 and "run as plain Python while" in done.stderr
