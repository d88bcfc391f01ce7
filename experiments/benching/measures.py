"""Measures of the benchmarks: each function returns one that gives one figure, of about so many seconds of CPU time."""

from __future__ import annotations

import importlib
import itertools
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from bench_peers_worker import aec_games, choose

EXPERIMENTS = Path(__file__).resolve().parents[1]


def _until(seconds: float, play: Callable[[], int]) -> float:
    """Call `play`, which returns its decisions, until the time is up; return decisions a second of CPU time."""
    decisions = 0
    started = time.process_time()
    while True:
        decisions += play()
        spent = time.process_time() - started
        if spent >= seconds:
            return decisions / spent


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _tic_tac_toe(dice: random.Random) -> int:
    """One random game; returns its decisions."""
    board = [0] * 9
    free = list(range(9))
    for turn in range(9):
        square = free.pop(int(dice.random() * len(free)))
        mark = 1 + turn % 2
        board[square] = mark
        for a, b, c in LINES:
            if board[a] == mark and board[b] == mark and board[c] == mark:
                return turn + 1
    return 9


def yardstick() -> Callable[[float], float]:
    """Plain Python, the same everywhere."""
    dice = random.Random(0)
    return lambda seconds: _until(seconds, lambda: _tic_tac_toe(dice))


def compile_all() -> None:
    """Compile what is to be measured; in interpreted mode there is nothing to measure."""
    from hawaii_env.errors import OptionError
    from hawaii_env.hawaii1795 import Game
    from hawaii_env.warm import require_compiled

    try:
        require_compiled(Game())
    except OptionError as error:
        sys.exit(f"bench.py: {error}")


def playout(games: int) -> Callable[[float], float]:
    """The engine's own random player, whole games of the long scenario from their first decision on."""
    from hawaii_env.hawaii1795 import Game
    from hawaii_env.rollouts import playouts

    game = Game()
    starts = [game.initial_state(seed=seed) for seed in range(games)]
    playouts(starts[0], 1, seed=0)
    at = 0

    def play() -> int:
        nonlocal at
        at = (at + 1) % games
        return int(playouts(starts[at], 1, seed=at).lengths.sum())

    return lambda seconds: _until(seconds, play)


def aec_loop(make: Callable[[], Any]) -> Callable[[float], float]:
    """Random play through PettingZoo's loop: `last()` with observation and mask, then `step()`."""
    play = aec_games(make)
    play()
    return lambda seconds: _until(seconds, play)


def hawaii() -> Callable[[float], float]:
    """Ours, as `env()` gives it."""
    return aec_loop(importlib.import_module("hawaii_env.hawaii1795_v1").env)


def batch() -> Callable[[float], float]:
    """Decisions a second of a batch."""
    from hawaii_env import make_batch
    from hawaii_env.hawaii1795 import Game

    lanes = make_batch(Game(), 1024)
    lanes.reset(seed=0)

    def play() -> int:
        lanes.step(lanes.sample_actions())
        return lanes.num_envs

    for _ in range(200):  # games are at all their ages then
        play()
    return lambda seconds: _until(seconds, play)


def peer(name: str) -> Callable[[float], float]:
    """One of PettingZoo's classic games, as its `env()` gives it. Raises ImportError where something is missing."""
    try:
        module = importlib.import_module(f"pettingzoo.classic.{name}")
    except ImportError:
        raise
    except Exception as error:  # gymnasium's DependencyNotInstalled and its like
        raise ImportError(str(error)) from error
    return aec_loop(module.env)


def clone() -> Callable[[float], float]:
    """Microseconds a `State.clone()`, in the middle of a game."""
    from hawaii_env.hawaii1795 import Game

    state = Game().initial_state(seed=1795)
    for _ in range(60):
        state.apply(state.legal_actions()[-1])
    copy = state.clone

    def play() -> int:
        for _ in range(1000):
            copy()
        return 1000

    return lambda seconds: 1e6 / _until(seconds, play)


def copy_array() -> Callable[[float], float]:
    """Microseconds a copy of an array as large as a state."""
    from hawaii_env.hawaii1795.rules.state import STATE

    copy = np.zeros(STATE.size, np.int64).copy

    def play() -> int:
        for _ in range(1000):
            copy()
        return 1000

    return lambda seconds: 1e6 / _until(seconds, play)


def frames(whole: bool) -> Callable[[float], float]:
    """Milliseconds a frame of a random game that is shown at each decision. Raises ImportError without the extra
    render.
    """
    from hawaii_env import hawaii1795_v1
    from hawaii_env.render.picture import rasterize

    env: Any = hawaii1795_v1.env(render_mode="svg" if whole else "rgb_array")
    chance = random.Random(0).random
    env.reset(seed=1795)
    env.render()

    def play() -> int:
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            return 0
        env.step(choose(observation["action_mask"], chance))
        found = env.render()
        if whole:
            rasterize(found, 1000)
        return 1

    return lambda seconds: 1e3 / _until(seconds, play)


FIRST_STEP = """
from {package} import {module} as game
env = game.env()
env.reset(seed=1795)
observation = env.last()[0]
env.step(int(observation["action_mask"].nonzero()[0][0]))
"""
OUR_FIRST_STEP = FIRST_STEP.format(package="hawaii_env", module="hawaii1795_v1")
PEER_FIRST_STEP = FIRST_STEP.format(package="pettingzoo.classic", module="connect_four_v3")
COMPILED_FIRST_STEP = f"import os; os.environ['HAWAII_ENV_PLAIN'] = '0'\n{OUR_FIRST_STEP}"
WARM = "import sys; from hawaii_env.cli import main; sys.exit(main(['warm', '--game', '{}']))"


def aloha_playout() -> Callable[[float], float]:
    """Random games of ALOHA from the first decision on, 250 a call."""
    from hawaii_env.aloha import Game
    from hawaii_env.rollouts import playouts

    state, seed = Game().initial_state(seed=1795), 0

    def play() -> int:
        nonlocal seed
        seed += 1
        return int(playouts(state, 250, seed=seed).lengths.sum())

    play()
    return lambda seconds: _until(seconds, play)


def aloha_batch() -> Callable[[float], float]:
    """Steps of 1,024 lanes of ALOHA by random players; observations are float32."""
    from hawaii_env import make_batch
    from hawaii_env.aloha import Game

    batch = make_batch(Game(), 1024)
    batch.reset(seed=0)

    def play() -> int:
        batch.step(batch.sample_actions())
        return 1024

    for _ in range(100):  # so that lanes stand at all parts of the game
        play()
    return lambda seconds: _until(seconds, play)


def wide() -> Callable[[float], float]:
    """Milliseconds a step of 1,024 lanes of the tests' game of four players, whose table has 20,011 actions."""
    sys.path.insert(0, str(EXPERIMENTS.parent / "tests"))
    game: Any = importlib.import_module("toy").LagoonGame()

    from hawaii_env import make_batch
    from hawaii_env.agents import RandomAgent

    batch, agent = make_batch(game, 1024), RandomAgent(seed=1)
    batch.reset(seed=0)

    def play() -> int:
        batch.step(agent.act_batch(batch.observations, batch.masks))
        return 1

    play()
    return lambda seconds: 1e3 / _until(seconds, play)


def heiau_batch(scenario: str = "race", lanes: int = 256) -> Callable[[float], float]:
    """BatchBackend of Heiau Diplomacy in their steady state: observation, mask, and a random legal action for each."""
    from hawaii_env import make_batch

    batch = make_batch("hawaii1795", lanes, scenario=scenario)
    batch.reset(seed=0)

    def play() -> int:
        batch.step(batch.sample_actions())
        return lanes

    for _ in range(200):
        play()
    return lambda seconds: _until(seconds, play)


def _heiau_phases(count: int) -> list[tuple[Any, Any]]:
    """Units and orders of movement phases: twelve units of three powers, of each a random possible order."""
    from hawaii_env.heiau.adjudicator import ARMY, BOARD, BUNCH, Sight, Unit

    dice, found = random.Random(5), list[tuple[Any, Any]]()
    for _ in range(count):
        units: dict[int, Unit] = {}
        while len(units) < 12:
            place, kind = dice.randrange(len(BOARD.places)), dice.choice((ARMY, BUNCH))
            if BOARD.can_stand(kind, place):
                units[BOARD.space_of[place]] = Unit(kind, dice.randrange(3), place)
        units = dict(sorted(units.items()))
        sight = Sight(BOARD, units, 0, frozenset())
        listed = {space: sight.listed(space) for space in units}
        verbs = {space: dice.choice(sorted({order.verb for order in listed[space]})) for space in units}
        orders = {s: dice.choice([order for order in listed[s] if order.verb == verbs[s]]) for s in units}
        found.append((units, orders))
    return found


def heiau_phase(python: bool) -> Callable[[float], float]:
    """Microseconds a movement phase: 200 in one call, from and to arrays; or one from and to Python's mappings."""
    from hawaii_env.heiau import Game, adjudicator

    Game().compile()
    phases = _heiau_phases(200)
    rows = np.array([[(*unit, *orders[space]) for space, unit in units.items()] for units, orders in phases], np.int64)

    def play() -> int:
        adjudicator.adjudicate_many(adjudicator.BOARD, rows)
        return len(rows)

    def play_in_python() -> int:
        for units, orders in phases:
            adjudicator.adjudicate(adjudicator.BOARD, units, orders, check=False)
        return len(phases)

    return lambda seconds: 1e6 / _until(seconds, play_in_python if python else play)


def heiau_agent(spec: str) -> Callable[[float], float]:
    """An agent in both seats of race, asked through its own search copies, as matches ask it."""
    from hawaii_env import agents
    from hawaii_env.heiau import Game
    from hawaii_env.warm import warm

    game, seeds = Game(scenario="race"), itertools.count()
    warm(game)

    def play() -> int:
        state, decisions, seed = game.initial_state(seed=1), 0, next(seeds)
        players = agents.load_agents([spec, spec], game, seed)
        while not state.is_terminal:
            state.apply(players[state.current_player].act(state.for_search(), state.legal_actions(), None))
            decisions += 1
        return decisions

    play()
    return lambda seconds: _until(seconds, play)


def _environment(**more: str) -> dict[str, str]:
    """The environment of a child that finds the same hawaii_env."""
    paths = [
        str(Path(importlib.import_module("hawaii_env").__file__ or "").parents[1]),
        os.environ.get("PYTHONPATH", ""),
    ]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **more}


def process(code: str, empty_cache: bool = False) -> Callable[[float], float]:
    """CPU seconds of a Python process that runs `code`, from its start to its end."""

    def run(_: float) -> float:
        with tempfile.TemporaryDirectory() as folder:
            cold = {"HAWAII_ENV_CACHE": folder, "HAWAII_ENV_BACKGROUND": "0"} if empty_cache else {}
            environment = _environment(**cold)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=folder, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    return run


class PlainPlayout:
    """The playout in interpreted mode: a process of its own, which measures a round whenever it is told to."""

    def __init__(self, games: int) -> None:
        code = (
            f"import sys; sys.path.insert(0, {str(EXPERIMENTS)!r}); from benching import measures\n"
            f"run = measures.playout({games})\n"
            "for line in sys.stdin: print(run(float(line)), flush=True)\n"
        )
        self.child = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(HAWAII_ENV_PLAIN="1"),
        )

    def __call__(self, seconds: float) -> float:
        """Measure a round; return decisions a second."""
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(f"{seconds}\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise RuntimeError(f"the process in interpreted mode ended with status {self.child.wait()}")
        return float(line)

    def close(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):
            self.child.communicate()
