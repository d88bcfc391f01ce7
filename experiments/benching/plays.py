"""Measures: functions that prepare a game and return one that plays a little of it and counts what it did.

A decision is a choice that a player makes; dice and dealt cards are none. All players choose at random, as cheaply as
the library allows: from a list of legal actions if it gives one. Libraries are imported when they are asked for.
"""

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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

Play = Callable[[], int]
"""Plays on a little; returns the number of decisions, or of whatever is counted."""

ROOT = Path(__file__).resolve().parents[2]
BATCH = 1024
WARM_UP = 150
"""Decisions that each environment makes before a batch is measured, so that its games stand at all stages."""

_excluded = 0.0


def spent() -> float:
    """Return the CPU seconds of this process and of its children, without what `excluded` excludes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime - _excluded


@contextmanager
def excluded() -> Iterator[None]:
    """Leave the time of a block out of what is measured."""
    global _excluded
    begun = spent()
    yield
    _excluded += spent() - begun


# ---- this library


def state_games(what: str) -> Play:
    """Single states from Python: legal actions and `apply` (play), with the mask (mask), with both arrays (full)."""
    from hawaii_env.hawaii1795 import Game

    game, chance, seeds = Game(), random.Random(0).random, itertools.count()

    def play() -> int:
        state, decisions = game.initial_state(seed=next(seeds)), 0
        while not state.is_terminal:
            if what != "play":
                state.legal_mask()
            if what == "full":
                state.observation(state.current_player)
            legal = state.legal_actions()
            state.apply(legal[int(chance() * len(legal))])
            decisions += 1
        return decisions

    return play


def playouts(name: str, count: int, **options: Any) -> Play:
    """Whole random games in compiled code, or in interpreted mode if the process runs in it; so many a call."""
    from hawaii_env.games import load_game
    from hawaii_env.rollouts import playouts

    state, seeds = load_game(name, **options).initial_state(seed=1795), itertools.count()
    return lambda: int(playouts(state, count, seed=next(seeds)).lengths.sum())


@cache
def settled_batch(name: str, num_envs: int, raw: bool, **options: Any) -> tuple[Any, int]:
    """Return a batch whose games stand at all stages, and the bytes of memory that it took for each game."""
    from hawaii_env import make_batch

    warm = make_batch(name, 2, threads=2, raw=raw, **options)  # compiles and imports
    warm.reset(seed=0)
    warm.step(warm.sample_actions())
    before = resident()
    batch = make_batch(name, num_envs, threads=2, raw=raw, **options)
    batch.reset(seed=0)
    batch.step(batch.sample_actions())
    memory = (resident() - before) // num_envs
    batch.runner.threads = 1
    for _ in range(WARM_UP):
        batch.step(batch.sample_actions())
    return batch, memory


def resident() -> int:
    """Return the bytes of memory in use; 0 if the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError):
        return 0


def batch_games(
    name: str = "hawaii1795", num_envs: int = BATCH, threads: int = 1, raw: bool = False, **options: Any
) -> Play:
    """A batch: each step with masks and observations of all environments, each action drawn at random."""
    batch, memory = settled_batch(name, num_envs, raw, **options)
    calls = max(1, 256 // num_envs)

    def play() -> int:
        batch.runner.threads = threads
        for _ in range(calls):
            batch.step(batch.sample_actions())
        return calls * num_envs

    play.memory = memory  # type: ignore[attr-defined]
    return play


def batch_part(part: str) -> Play:
    """One part of what a step of 1,024 environments does; what is counted are decisions of the whole step."""
    import numpy as np

    batch, _ = settled_batch("hawaii1795", BATCH, False)
    runner, ops, actions = batch.runner, np.ones(BATCH, np.int8), batch.sample_actions().copy()

    def check() -> None:
        with excluded():
            actions[:] = batch.sample_actions()
        runner.backend.illegal(ops, actions)

    calls: dict[str, Callable[[], Any]] = {
        "sample": batch.sample_actions,
        "check": check,
        "run": lambda: runner.backend.run(runner.arrays, ops, batch.sample_actions(), True, 0, BATCH),
        "look": lambda: runner.run(np.full(BATCH, 4, np.int8), actions, True),
    }
    call = calls[part]

    def play() -> int:
        call()
        return BATCH

    return play


def wide() -> Play:
    """Steps of 1,024 environments of the tests' game of four players, whose table has 20,011 actions."""
    sys.path.insert(0, str(ROOT / "tests"))
    game: Any = importlib.import_module("toy").LagoonGame()

    from hawaii_env import make_batch
    from hawaii_env.agents import RandomAgent

    batch, agent = make_batch(game, BATCH), RandomAgent(seed=1)
    batch.reset(seed=0)

    def play() -> int:
        batch.step(agent.act_batch(batch.observations, batch.masks))
        return 1

    return play


def clones(copy: Callable[[], Any]) -> Play:
    """A thousand copies."""

    def play() -> int:
        for _ in range(1000):
            copy()
        return 1000

    return play


def middle() -> Any:
    """Return a position in the middle of a game."""
    from hawaii_env.hawaii1795 import Game

    state = Game().initial_state(seed=1795)
    for _ in range(60):
        state.apply(state.legal_actions()[-1])
    return state


def frames(whole: bool) -> Play:
    """Frames of a random game that is shown at each decision; `whole` rasterises each SVG as a whole."""
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

    return play


def heiau_agent(agent: str) -> Play:
    """An agent in both seats of race, asked through its own search copies, as matches ask it."""
    from hawaii_env import agents
    from hawaii_env.heiau import Game
    from hawaii_env.warm import warm

    game, seeds = Game(scenario="race"), itertools.count()
    warm(game)

    def play() -> int:
        state, decisions = game.initial_state(seed=1), 0
        players = agents.load_agents([agent, agent], game, next(seeds))
        while not state.is_terminal:
            state.apply(players[state.current_player].act(state.for_search(), state.legal_actions(), None))
            decisions += 1
        return decisions

    return play


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


def process(code: str, empty_cache: bool = False) -> Play:
    """A Python process that runs `code`, from its start to its end."""
    cold = {"HAWAII_ENV_BACKGROUND": "0"} if empty_cache else {}
    paths = [str(ROOT), str(ROOT / "agents"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "HAWAII_ENV_PLAIN": "", **cold}

    def play() -> int:
        with tempfile.TemporaryDirectory() as folder:
            cache = {"HAWAII_ENV_CACHE": folder} if empty_cache else {}
            subprocess.run(
                [sys.executable, "-c", code], check=True, env=environment | cache, cwd=folder, capture_output=True
            )
        return 1

    return play


# ---- PettingZoo, and our environment in the same loop


def choose(mask: Any, chance: Callable[[], float]) -> int:
    """Return a random legal action: the cheap chooser of all AEC loops."""
    legal = mask.nonzero()[0]
    return int(legal[int(chance() * len(legal))])


def aec_games(name: str, package: str = "pettingzoo.classic") -> Play:
    """PettingZoo's loop: `last()` with observation and mask, then `step()`."""
    env, chance = importlib.import_module(f"{package}.{name}").env(), random.Random(0).random
    env.reset(seed=1795)

    def play() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(choose(observation["action_mask"], chance))
                decisions += 1
        return decisions

    return play


# ---- other libraries


def openspiel_games(name: str, what: str) -> Play:
    """A game of OpenSpiel from Python.

    what: "play" asks for legal actions alone. "mask" and "full" (mask and observation) make NumPy arrays of what
    `legal_actions_mask()` and `observation_tensor()` return, as its API has it, and choose from that mask. "quick" does
    as "full", but makes the mask from the list of legal actions, which is the fastest way that we have found.
    """
    import numpy as np

    game, chance = importlib.import_module("pyspiel").load_game(name), random.Random(0).random
    size = game.num_distinct_actions()

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                left, outcome = chance(), 0
                # The last one is taken when rounding leaves a rest.
                for outcome, probability in state.chance_outcomes():  # noqa: B007
                    left -= probability
                    if left < 0:
                        break
                state.apply_action(outcome)
                continue
            if what in ("mask", "full"):
                # The policy sees the mask alone: a list besides would have the moves found twice.
                legal = np.array(state.legal_actions_mask(), np.int8).nonzero()[0]
            else:
                legal = state.legal_actions()
            if what == "quick":
                mask = np.zeros(size, np.int8)
                mask[legal] = 1
            if what in ("full", "quick"):
                np.array(state.observation_tensor(), np.float32)
            state.apply_action(int(legal[int(chance() * len(legal))]))
            decisions += 1
        return decisions

    return play


def pgx_games(name: str, reset: bool) -> Play:
    """1,024 games stepped and played at random inside one compiled loop; each step has mask and observation.

    reset: True begins another game where one ends, as our batch does, with Pgx's own wrapper. False does without: games
    from their beginning for 64 steps, of which those of games that are over do not count.
    """
    jax, pgx = importlib.import_module("jax"), importlib.import_module("pgx")
    wrappers = importlib.import_module("pgx.experimental.wrappers")
    env = pgx.make(name)
    step = jax.vmap(wrappers.auto_reset(env.step, env.init) if reset else env.step)
    begin = jax.vmap(env.init)

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, choice, dice = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        action = jax.random.categorical(choice, logits, axis=-1)
        counted = (~state.terminated).sum()
        return (step(state, action, jax.random.split(dice, BATCH)), key), counted

    @jax.jit
    def start(key: Any) -> Any:
        key, first = jax.random.split(key)
        return begin(jax.random.split(first, BATCH)), key

    steps = 16
    many = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=steps))
    carry = start(jax.random.PRNGKey(0))
    for _ in range(64 // steps):
        carry, _ = many(carry)
    calls = itertools.count()

    def play() -> int:
        nonlocal carry
        if not reset and next(calls) % (64 // steps) == 0:
            carry = start(carry[1])
        carry, counted = many(carry)
        jax.block_until_ready(carry)
        return BATCH * steps if reset else int(counted.sum())

    return play


def rlcard_games(name: str) -> Play:
    """A game of RLCard: observations and legal actions in a dict, as its agents get them."""
    env = importlib.import_module("rlcard").make(name, config={"seed": 0})
    chance = random.Random(0).random

    def play() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(chance() * len(legal))])
            decisions += 1
        return decisions

    return play


def catanatron_games() -> Play:
    """The rules of catanatron with its own random players, without observation."""
    catanatron, seeds = importlib.import_module("catanatron"), itertools.count()

    def play() -> int:
        colours = catanatron.Color
        players = [catanatron.RandomPlayer(colour) for colour in (colours.RED, colours.BLUE)]
        game, decisions = catanatron.Game(players, seed=next(seeds)), 0
        while game.winning_color() is None and game.state.num_turns < 1000:
            game.play_tick()
            decisions += 1
        return decisions

    return play


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def tic_tac_toe() -> Play:
    """Tic-tac-toe in plain Python: the yardstick that is there on every machine."""
    chance = random.Random(0).random

    def play() -> int:
        board, free = [0] * 9, list(range(9))
        for turn in range(9):
            mark = 1 + turn % 2
            board[free.pop(int(chance() * len(free)))] = mark
            for a, b, c in LINES:
                if board[a] == mark and board[b] == mark and board[c] == mark:
                    return turn + 1
        return 9

    return play


def adjudication(name: str) -> Play:
    """Movement phases on the standard board; see `adjudication`."""
    sys.path.insert(0, str(ROOT / "tests"))
    return importlib.import_module("adjudication").make(name, excluded)


def copied_array() -> Play:
    """Copies of an array as large as a state."""
    import numpy as np

    return clones(np.zeros(middle().game.record_size, np.int64).copy)


STARTED: dict[str, Callable[[], Play]] = {
    "warm_start": partial(process, OUR_FIRST_STEP),
    "warm_start_peer": partial(process, PEER_FIRST_STEP),
    "import_numpy": partial(process, "import numpy"),
    "cold_start": partial(process, OUR_FIRST_STEP, True),
    "aec_cold_compile": partial(process, COMPILED_FIRST_STEP, True),
    "cold_compile": partial(process, WARM.format("hawaii1795"), True),
    "aloha_cold_compile": partial(process, WARM.format("aloha"), True),
    "heiau_cold_compile": partial(process, WARM.format("heiau"), True),
    "maori_cold_compile": partial(process, WARM.format("maori_wars"), True),
}
"""Measures that start processes."""

MAKERS: dict[str, Callable[[], Play]] = {
    "yardstick": tic_tac_toe,
    "batch": batch_games,
    "batch_raw": partial(batch_games, raw=True),
    "playout": partial(playouts, "hawaii1795", 20),
    "playout_plain": partial(playouts, "hawaii1795", 1),
    **{f"state_{what}": partial(state_games, what) for what in ("play", "mask", "full")},
    "aec": partial(aec_games, "hawaii1795_v1", "hawaii_env"),
    "aloha_aec": partial(aec_games, "aloha_v0", "hawaii_env"),
    "heiau_aec": partial(aec_games, "heiau_v0", "hawaii_env"),
    "maori_aec": partial(aec_games, "maori_wars_v0", "hawaii_env"),
    "clone": lambda: clones(middle().clone),
    "copy_array": copied_array,
    "frame": partial(frames, False),
    "frame_whole": partial(frames, True),
    "wide": wide,
    "aloha_playout": partial(playouts, "aloha", 250),
    "aloha_batch": partial(batch_games, "aloha"),
    "heiau_batch": partial(batch_games, "heiau", 256, scenario="race"),
    **{
        f"heiau_{name}": partial(heiau_agent, agent)
        for name, agent in (("greedy", "heiau-greedy"), ("best", "heiau-best-response"), ("ppo", "ppo"))
    },
    "maori_playout": partial(playouts, "maori_wars", 50, scenario="taranaki"),
    "maori_batch": partial(batch_games, "maori_wars", scenario="taranaki"),
    "maori_campaign_playout": partial(playouts, "maori_wars", 5, scenario="campaign"),
    "maori_campaign_batch": partial(batch_games, "maori_wars", scenario="campaign"),
    **STARTED,
    **{name: partial(aec_games, name) for name in ("chess_v6", "connect_four_v3", "leduc_holdem_v4")},
    **{
        f"{name}_{what}": partial(openspiel_games, name, what)
        for name in ("backgammon", "chess")
        for what in ("play", "mask", "full", "quick")
    },
    "pgx_backgammon": partial(pgx_games, "backgammon", True),
    "pgx_backgammon_bare": partial(pgx_games, "backgammon", False),
    "rlcard_leduc": partial(rlcard_games, "leduc-holdem"),
    "rlcard_uno": partial(rlcard_games, "uno"),
    "rlcard_gin": partial(rlcard_games, "gin-rummy"),
    "catanatron": catanatron_games,
    **{
        name: partial(adjudication, name)
        for name in (
            "adjudicate_arrays",
            "adjudicate_mappings",
            "adjudicate_texts",
            "pydip_ready",
            "pydip_texts",
            "diplomacy_moves",
            "diplomacy_process",
            "diplomacy_texts",
        )
    },
    **{f"part_{part}": partial(batch_part, part) for part in ("sample", "check", "run", "look")},
}
"""All measures but those of scaling: ``envs_N_threads_T``."""  # fmt: skip


def make(name: str) -> Play:
    """Return a measure, ready to run."""
    if name.startswith("envs_"):
        _, num_envs, _, threads = name.split("_")
        play = batch_games("hawaii1795", int(num_envs), int(threads))
    else:
        play = MAKERS[name]()
    if name not in STARTED:
        play()
    return play
