"""Measure speed on this machine, with PettingZoo's classic games beside ours.

    python experiments/bench.py            # some minutes; writes docs/benchmarks/
    python experiments/bench.py --quick    # a look, in about a minute; writes to runs/bench/

All measures take turns, round after round, so that a busy or a slowing machine meets them alike; figures are medians
over the rounds, of CPU time. Beside each absolute figure stands its ratio to something measured in the same rounds:
ratios travel between machines, absolute figures do not.

Peers: chess_v6, connect_four_v3 and leduc_holdem_v4 of ``pettingzoo[classic]``. One that is not installed is named as
missing.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import itertools
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from machine import machine
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "benchmarks"
QUICK_OUT = ROOT / "runs" / "bench"

HEIAU_AGENTS = {"heiau_greedy": "heiau-greedy", "heiau_best": "heiau-best-response", "heiau_ppo": "ppo"}
PEERS = ("chess_v6", "connect_four_v3", "leduc_holdem_v4")

TARGETS: tuple[tuple[str, str, str, float, str], ...] = (
    # measure, what is compared: its figure or its ratio to another measure, at least or at most, target, in words
    ("playout", "", ">=", 2e6, "2 million decisions a second"),
    ("playout_plain", "", ">=", 50e3, "50,000 decisions a second"),
    ("aec", "chess_v6", ">=", 100, "100 times chess_v6"),
    ("aec", "connect_four_v3", ">=", 5, "5 times connect_four_v3"),
    ("aec_v1", "aec", ">=", 0.8, "80% of the first observation's"),
    ("batch_v1", "batch", ">=", 0.8, "80% of the first observation's"),
    ("clone", "", "<=", 1.0, "under 1 microsecond"),
    ("frame", "", "<=", 20.0, "under 20 ms"),
    ("frame", "frame_whole", "<=", 0.2, "a fifth of the SVG rasterised whole"),
    ("wide", "", "<=", 20.0, "under 20 ms"),
    ("warm_start", "", "<=", 2.0, "under 2 s"),
    ("cold_compile", "", "<=", 60.0, "under 60 s"),
    ("aloha_playout", "", ">=", 2e6, "2 million decisions a second"),
    ("aloha_batch", "", ">=", 1e6, "1 million decisions a second"),
    ("aloha_cold_compile", "", "<=", 60.0, "under 60 s"),
    ("heiau_batch", "", ">=", 200e3, "200,000 decisions a second"),
    ("heiau_phase", "", "<=", 10.0, "under 10 microseconds"),
    ("heiau_cold_compile", "", "<=", 60.0, "under 60 s"),
)

NAMES = {
    "yardstick": "Tic-tac-toe in plain Python, random playout (the yardstick)",
    "playout": "In-engine random playout, compiled",
    "playout_plain": "In-engine random playout, plain mode",
    "aec": "hawaii1795_v0.env(), AEC loop with observation and mask",
    "aec_v1": "hawaii1795_v1.env(), the same loop: the second observation",
    "batch": "A batch of 1,024 lanes, random players, float32 observations",
    "batch_v1": "The same batch with the second observation",
    "chess_v6": "chess_v6.env(), the same loop",
    "connect_four_v3": "connect_four_v3.env(), the same loop",
    "leduc_holdem_v4": "leduc_holdem_v4.env(), the same loop",
    "clone": "State.clone()",
    "copy_array": "A bare copy of a NumPy array of that size",
    "frame": "A frame of `rgb_array`, 1000 pixels wide, with the step before it",
    "frame_whole": "The same game's frames, each SVG rasterised whole",
    "wide": "A step of 1,024 lanes of a game in Python with 20,011 actions, `RandomAgent` choosing",
    "warm_start": "Import and first step, warm cache",
    "warm_start_peer": "Import and first step of connect_four_v3",
    "import_numpy": "Import of NumPy alone",
    "cold_compile": "`hawaii warm` into an empty cache: every entry point",
    "cold_start": "Import and first step, empty cache",
    "aloha_playout": "ALOHA, two players: `playouts()`, compiled",
    "aloha_batch": "ALOHA, two players: a batch of 1,024, `sample_actions()` and `step()`, with mask and observation",
    "aloha_cold_compile": "`hawaii warm --game aloha` into an empty cache: every entry point",
    "heiau_batch": "Heiau Diplomacy, race: a batch of 256 lanes with observation and mask, random legal actions",
    "heiau_phase": "Heiau Diplomacy: a movement phase of 12 units, adjudicated",
    "heiau_phase_python": "The same from and to Python's units and orders",
    "heiau_greedy": "Heiau Diplomacy, race: `heiau-greedy` against itself, search copies included",
    "heiau_best": "The same of `heiau-best-response`",
    "heiau_ppo": "The same of `ppo`",
    "heiau_cold_compile": "All that Heiau Diplomacy compiles, into an empty cache",
}
UNITS = {
    "clone": "us",
    "copy_array": "us",
    "frame": "ms",
    "frame_whole": "ms",
    "wide": "ms",
    "warm_start": "s",
    "warm_start_peer": "s",
    "import_numpy": "s",
    "cold_compile": "s",
    "cold_start": "s",
    "aloha_cold_compile": "s",
    "heiau_phase": "us",
    "heiau_phase_python": "us",
    "heiau_cold_compile": "s",
}
"""Decisions a second where nothing stands here."""


# -- what is measured: each returns one figure, of about `seconds` of CPU time ---------------------------------------


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
    """Compile what is to be measured; in the plain mode there is nothing to measure."""
    from hawaii_env.errors import OptionError
    from hawaii_env.hawaii1795 import Game
    from hawaii_env.warm import require_compiled

    try:
        require_compiled(Game())
    except OptionError as error:
        sys.exit(f"bench.py: {error}")


def playout(games: int) -> Callable[[float], float]:
    """The engine's own random player, whole games of the long scenario from their first decision on."""
    from hawaii_env.hawaii1795 import Game, core

    game, mode = Game(), core.mode_of_jobs()
    tables, words = game.tables_in(mode), mode.words([1, 2, 3, 4])
    starts = [mode.copy_of(game.initial_state(seed=seed)._buffer) for seed in range(games)]
    door = core.PLAYOUT.for_a_job(lambda: {"playout": (tables, starts[0], words, 1)}).playout
    door(tables, starts[0].copy(), words, 10)
    at = 0

    def play() -> int:
        nonlocal at
        at = (at + 1) % games
        return door(tables, starts[at].copy(), words, 1_000_000)

    return lambda seconds: _until(seconds, play)


def choose(mask: NDArray[np.int8], dice: random.Random) -> int:
    """The cheap chooser of all AEC loops: a random legal action."""
    legal = mask.nonzero()[0]
    return int(legal[int(dice.random() * len(legal))])


def aec_loop(make: Callable[[], Any]) -> Callable[[float], float]:
    """Random play through PettingZoo's loop: `last()` with observation and mask, then `step()`."""
    env = make()
    dice = random.Random(0)
    env.reset(seed=1795)

    def play() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(choose(observation["action_mask"], dice))
                decisions += 1
        return decisions

    play()
    return lambda seconds: _until(seconds, play)


def hawaii(version: str = "v0") -> Callable[[float], float]:
    """Ours, as `env()` gives it."""
    return aec_loop(importlib.import_module(f"hawaii_env.hawaii1795_{version}").env)


def batch(observation: str) -> Callable[[float], float]:
    """Decisions a second of a batch with an edition of the observation."""
    from hawaii_env.env.vector import make_batch
    from hawaii_env.hawaii1795 import Game

    lanes = make_batch(Game(observation=observation), 1024)
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
    from hawaii_env.hawaii1795.rules.state import STATE_BYTES

    copy = np.zeros(STATE_BYTES, np.uint8).copy

    def play() -> int:
        for _ in range(1000):
            copy()
        return 1000

    return lambda seconds: 1e6 / _until(seconds, play)


def frames(whole: bool) -> Callable[[float], float]:
    """Milliseconds a frame of a random game that is shown at each decision. Raises ImportError without the extra
    render.
    """
    from hawaii_env import hawaii1795_v0
    from hawaii_env.render.picture import rasterize

    env: Any = hawaii1795_v0.env(render_mode="svg" if whole else "rgb_array")
    dice = random.Random(0)
    env.reset(seed=1795)
    env.render()

    def play() -> int:
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            return 0
        env.step(choose(observation["action_mask"], dice))
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
OUR_FIRST_STEP = FIRST_STEP.format(package="hawaii_env", module="hawaii1795_v0")
PEER_FIRST_STEP = FIRST_STEP.format(package="pettingzoo.classic", module="connect_four_v3")
HEIAU_WARM = "from hawaii_env.heiau import Game; from hawaii_env.warm import warm; warm(Game())"
WARM = "import sys; from hawaii_env.cli import main; sys.exit(main(['warm']))"
WARM_ALOHA = WARM.replace("'warm'", "'warm', '--game', 'aloha'")


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
    from hawaii_env.aloha import Game
    from hawaii_env.env.vector import make_batch

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
    sys.path.insert(0, str(ROOT / "tests"))
    game: Any = importlib.import_module("toy4").LagoonGame()

    from hawaii_env.agents import RandomAgent
    from hawaii_env.env.vector import make_batch

    batch, agent = make_batch(game, 1024), RandomAgent(seed=1)
    batch.reset(seed=0)

    def play() -> int:
        batch.step(agent.act_batch(batch.observations, batch.masks))
        return 1

    play()
    return lambda seconds: 1e3 / _until(seconds, play)


def heiau_batch(scenario: str = "race", lanes: int = 256) -> Callable[[float], float]:
    """Lanes of Heiau Diplomacy in their steady state: observation, mask, and a random legal action for each."""
    from hawaii_env.env.vector import make_batch
    from hawaii_env.heiau import Game

    batch = make_batch(Game, lanes, scenario=scenario)
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
    from hawaii_env.heiau import adjudicator, core

    core.mode_of_jobs()
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
        players = agents.make_all([spec, spec], game, seed)
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
    """The playout in the plain mode: a process of its own, which measures a round whenever it is told to."""

    def __init__(self, games: int) -> None:
        code = (
            f"import sys; sys.path.insert(0, {str(ROOT / 'experiments')!r}); import bench\n"
            f"run = bench.playout({games})\n"
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
            raise RuntimeError(f"the process in the plain mode ended with status {self.child.wait()}")
        return float(line)

    def close(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):
            self.child.communicate()


# -- the rounds ------------------------------------------------------------------------------------------------------


class Bench:
    """All measures, ready to run."""

    def __init__(self, skip: set[str], games: int, quick: bool) -> None:
        self.missing: dict[str, str] = {}
        self.measures: dict[str, Callable[[float], float]] = {}
        self.rarely: set[str] = {
            "cold_compile",
            "cold_start",
            "aloha_cold_compile",
            "heiau_cold_compile",
        }  # every second round: they take half a minute each
        self.plain: PlainPlayout | None = None
        self.add("yardstick", yardstick, skip)
        self.add("playout", lambda: playout(games), skip)
        if "playout_plain" not in skip:
            self.plain = PlainPlayout(min(games, 50))
            self.measures["playout_plain"] = self.plain
        self.add("aec", hawaii, skip)
        self.add("aec_v1", lambda: hawaii("v1"), skip)
        self.add("batch", lambda: batch("v0"), skip)
        self.add("batch_v1", lambda: batch("v1"), skip)
        for name in PEERS:
            self.add(name, lambda name=name: peer(name), skip)
        self.add("clone", clone, skip)
        self.add("copy_array", copy_array, skip)
        self.add("frame", lambda: frames(whole=False), skip)
        self.add("frame_whole", lambda: frames(whole=True), skip)
        self.add("wide", wide, skip)
        self.add("aloha_playout", aloha_playout, skip)
        self.add("aloha_batch", aloha_batch, skip)
        self.add("warm_start", lambda: process(OUR_FIRST_STEP), skip)
        if "connect_four_v3" not in self.missing:
            self.add("warm_start_peer", lambda: process(PEER_FIRST_STEP), skip)
        self.add("import_numpy", lambda: process("import numpy"), skip)
        self.add("cold_compile", lambda: process(WARM, empty_cache=True), skip)
        self.add("aloha_cold_compile", lambda: process(WARM_ALOHA, empty_cache=True), skip)
        self.add("heiau_batch", heiau_batch, skip)
        self.add("heiau_phase", lambda: heiau_phase(python=False), skip)
        self.add("heiau_phase_python", lambda: heiau_phase(python=True), skip)
        self.add("heiau_cold_compile", lambda: process(HEIAU_WARM, empty_cache=True), skip)
        if not quick:
            for name, spec in HEIAU_AGENTS.items():
                self.add(name, lambda spec=spec: heiau_agent(spec), skip)
            self.add("cold_start", lambda: process(OUR_FIRST_STEP, empty_cache=True), skip)

    def add(self, name: str, make: Callable[[], Callable[[float], float]], skip: set[str]) -> None:
        """Prepare a measure; note a peer that is not there."""
        if name in skip:
            return
        try:
            self.measures[name] = make()
        except ImportError as error:
            self.missing[name] = str(error)
            print(f"missing: {name}: {error}", file=sys.stderr)

    def run(self, rounds: int, seconds: float) -> dict[str, list[float | None]]:
        """Run all measures in turn, `rounds` times; a figure a round, None where a measure sits a round out."""
        found: dict[str, list[float | None]] = {name: [] for name in self.measures}
        for number in range(rounds):
            for name, measure in self.measures.items():
                figure = None if name in self.rarely and number % 2 else measure(seconds)
                found[name].append(figure)
                if figure is not None:
                    print(f"round {number + 1}/{rounds}  {name:<16} {show(figure, name)}", file=sys.stderr)
        return found

    def close(self) -> None:
        """End the processes."""
        if self.plain is not None:
            self.plain.close()


REFERENCES = {
    "playout": "yardstick",
    "playout_plain": "yardstick",
    "aec": "connect_four_v3",
    "aec_v1": "aec",
    "batch_v1": "batch",
    "chess_v6": "connect_four_v3",
    "leduc_holdem_v4": "connect_four_v3",
    "clone": "copy_array",
    "frame": "frame_whole",
    "warm_start": "warm_start_peer",
    "warm_start_peer": "import_numpy",
    "cold_compile": "warm_start",
    "cold_start": "warm_start",
    "aloha_playout": "playout",
    "aloha_batch": "aloha_playout",
    "aloha_cold_compile": "cold_compile",
    "heiau_batch": "yardstick",
    "heiau_phase": "copy_array",
    "heiau_phase_python": "heiau_phase",
    "heiau_cold_compile": "cold_compile",
}
"""What each figure is compared with; the yardstick where that is missing."""


def ratio(found: dict[str, list[float | None]], name: str, other: str) -> dict[str, Any] | None:
    """The ratio of two measures, round by round: median, least, greatest."""
    pairs = zip(found.get(name, []), found.get(other, []), strict=False)
    ratios = [a / b for a, b in pairs if a is not None and b]
    if not ratios:
        return None
    return {"to": other, "median": statistics.median(ratios), "least": min(ratios), "greatest": max(ratios)}


def summary(found: dict[str, list[float | None]]) -> dict[str, dict[str, Any]]:
    """Medians, spreads and ratios of all measures."""
    result: dict[str, dict[str, Any]] = {}
    for name, figures in found.items():
        there = [figure for figure in figures if figure is not None]
        others = [
            other for other in (REFERENCES.get(name), "yardstick", "import_numpy") if other in found and other != name
        ]
        other = next((o for o in others if o and (UNITS.get(o) == UNITS.get(name))), None)
        result[name] = {
            "what": NAMES[name],
            "unit": UNITS.get(name, "decisions/s"),
            "median": statistics.median(there),
            "least": min(there),
            "greatest": max(there),
            "rounds": len(there),
            "ratio": ratio(found, name, other) if other else None,
        }
    return result


def verdicts(found: dict[str, list[float | None]], measures: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Each target with its figure, and whether it is met; None where something is missing."""
    result: list[dict[str, Any]] = []
    for name, other, direction, target, words in TARGETS:
        if other:
            compared = ratio(found, name, other)
            figure = None if compared is None else compared["median"]
        else:
            figure = measures[name]["median"] if name in measures else None
        met = None if figure is None else figure >= target if direction == ">=" else figure <= target
        result.append({"measure": name, "to": other or None, "target": words, "figure": figure, "met": met})
    return result


# -- what is written -------------------------------------------------------------------------------------------------


def measured_on() -> dict[str, Any]:
    """What the figures were measured on."""
    versions: dict[str, str] = {}
    for package in ("hawaii-env", "numpy", "numba", "gymnasium", "pettingzoo", "chess", "rlcard"):
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    from hawaii_env import __version__

    versions.setdefault("hawaii-env", __version__)
    return machine(versions=versions)


def show(figure: float, name: str) -> str:
    """A figure with its unit."""
    unit = UNITS.get(name, "/s")
    if unit == "us":
        return f"{figure:.3f} us"
    if unit == "ms":
        return f"{figure:.2f} ms"
    return f"{figure:.2f} s" if unit == "s" else f"{figure:,.0f}/s"


def _times(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def page(report: dict[str, Any]) -> Iterator[str]:
    """The report as Markdown, line by line."""
    on = report["machine"]
    yield "<!-- Written by experiments/bench.py; do not edit. -->"
    yield "# Benchmarks"
    yield ""
    versions = ", ".join(f"{package} {version}" for package, version in on["versions"].items())
    yield (
        f"{on['date']}, commit {on['commit'] or 'unknown'}: {on['processor']}, {on['cores']} cores, {on['system']}, "
        f"Python {on['python']}, {versions}."
    )
    yield (
        f"{report['rounds']} rounds, {report['seconds']:g} s of CPU time a measure and round, all measures in turn; "
        "medians, with the least and the greatest round. Load average at the start: "
        f"{', '.join(map(str, on['load'] or ['unknown']))}. Ratios are medians of the ratios of each round. One core, "
        "one thread."
    )
    if on["bounds_check"]:
        yield ""
        yield "**Bounds checks were on (HAWAII_ENV_BOUNDS_CHECK): the compiled figures are too low.**"
    for name, reason in report["missing"].items():
        yield ""
        extra = "hawaii-env[render]" if name.startswith("frame") else "pettingzoo[classic]"
        yield f"**Missing: {name} ({reason}).** Install `{extra}` to have it measured."
    yield ""
    yield "`make bench` writes this page, `bench.json` with every round, and the chart."
    yield ""
    yield (
        "![Decisions a second](chart.png)"
        if report["chart"]
        else "No chart: matplotlib is not installed, or nothing was measured that it shows."
    )
    yield ""
    yield "## What must be reached"
    yield ""
    yield "| | target | measured | |"
    yield "|---|---|---|---|"
    for verdict in report["targets"]:
        name, figure = verdict["measure"], verdict["figure"]
        measured = (
            "not measured" if figure is None else f"{_times(figure)} times" if verdict["to"] else show(figure, name)
        )
        answer = {True: "met", False: "**missed**", None: "-"}[verdict["met"]]
        yield f"| {NAMES[name]} | {verdict['target']} | {measured} | {answer} |"
    yield ""
    yield "## All figures"
    yield ""
    yield "| | median | least - greatest | ratio | to |"
    yield "|---|---|---|---|---|"
    for name, it in report["measures"].items():
        spread = f"{show(it['least'], name)} - {show(it['greatest'], name)}"
        compared = it["ratio"]
        beside = f"{_times(compared['median'])} | {NAMES[compared['to']]}" if compared else "1 | -"
        yield f"| {it['what']} | {show(it['median'], name)} | {spread} | {beside} |"
    yield ""
    yield (
        "The AEC loops are PettingZoo's own (`agent_iter`, `last`, `step`), with one chooser for all: a random legal "
        "action by `mask.nonzero()`. The long scenario is played, whole games from reset to the last `step(None)`. "
        "Playouts are whole games, too, from a copied first position. Frames are of random games, shown after each "
        "decision. A process's time is the CPU time of the whole process, with Python's start."
    )


def chart(report: dict[str, Any], path: Path) -> bool:
    """Draw the decisions a second; False where there are none, or matplotlib is not installed."""
    try:
        matplotlib = importlib.import_module("matplotlib")
    except ImportError:
        return False
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    labels = {
        "playout": "hawaii1795, in-engine playout",
        "aec": "hawaii1795_v0, AEC loop",
        "playout_plain": "hawaii1795, in-engine, plain mode",
        "connect_four_v3": "connect_four_v3, AEC loop",
        "leduc_holdem_v4": "leduc_holdem_v4, AEC loop",
        "chess_v6": "chess_v6, AEC loop",
    }
    measures = report["measures"]
    shown = sorted((name for name in labels if name in measures), key=lambda name: measures[name]["median"])
    if not shown:
        return False
    figure, axes = pyplot.subplots(figsize=(8, 0.5 * len(shown) + 1.2), layout="constrained")
    values = [measures[name]["median"] for name in shown]
    spread = [
        [measures[name]["median"] - measures[name]["least"] for name in shown],
        [measures[name]["greatest"] - measures[name]["median"] for name in shown],
    ]
    colours = ["#b0b7c0" if name in PEERS else "#1f6f8b" for name in shown]
    axes.barh([labels[name] for name in shown], values, color=colours, xerr=spread, ecolor="#444444", capsize=2)
    for at, name in enumerate(shown):
        axes.text(measures[name]["greatest"] * 1.15, at, show(measures[name]["median"], name), va="center", fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 3, max(values) * 12)
    axes.set_xlabel("decisions a second of CPU time, one core (logarithmic)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
    return True


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; the exit status is 0 also where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--rounds", type=int, help="rounds (default: 7, quick: 3)")
    parser.add_argument("--seconds", type=float, help="CPU seconds a measure and round (default: 1, quick: 0.3)")
    parser.add_argument("--skip", default="", metavar="NAMES", help=f"measures to leave out, of {', '.join(NAMES)}")
    parser.add_argument("--out", type=Path, help="folder to write to (default: docs/benchmarks, quick: runs/bench)")
    options = parser.parse_args(arguments)
    rounds = options.rounds or (3 if options.quick else 7)
    seconds = options.seconds or (0.3 if options.quick else 1.0)
    skip = set(filter(None, options.skip.split(",")))
    if skip - set(NAMES):
        parser.error(f"--skip: there is no {', '.join(sorted(skip - set(NAMES)))}; measures are {', '.join(NAMES)}")
    if rounds < 1 or seconds <= 0:
        parser.error("--rounds is 1 or more, --seconds more than 0")
    out = options.out or (QUICK_OUT if options.quick else OUT)
    compile_all()
    on = measured_on()
    bench = Bench(skip, games=200 if options.quick else 1000, quick=options.quick)
    if not bench.measures:
        parser.error("--skip: nothing is left to measure")
    try:
        found = bench.run(rounds, seconds)
    finally:
        bench.close()
    measures = summary(found)
    report: dict[str, Any] = {
        "machine": on,
        "rounds": rounds,
        "seconds": seconds,
        "missing": bench.missing,
        "targets": verdicts(found, measures),
        "measures": measures,
        "figures": found,
    }
    out.mkdir(parents=True, exist_ok=True)
    report["chart"] = chart(report, out / "chart.png")
    (out / "bench.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (out / "README.md").write_text("\n".join(page(report)) + "\n", encoding="utf-8")
    for verdict in report["targets"]:
        figure = verdict["figure"]
        measured = (
            "not measured"
            if figure is None
            else f"{_times(figure)} times"
            if verdict["to"]
            else show(figure, verdict["measure"])
        )
        answer = {True: "met", False: "MISSED", None: "-"}[verdict["met"]]
        print(f"{answer:<7} {NAMES[verdict['measure']]}: {measured} (target: {verdict['target']})")
    print(f"written: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
