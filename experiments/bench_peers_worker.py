"""Worker of `bench_peers.py`: a process that runs one library's games on request.

It needs nothing but the library that it measures, so that each can live in an environment of its own. One line of JSON
in, one out:

    {"prepare": "backgammon_full"}             ->  {"ok": true, "versions": {"open_spiel": "2.0.2"}}, or {"missing":
    "why"} {"run": "backgammon_full", "decisions": n} ->  {"decisions": m, "cpu": seconds, "wall": seconds}; m is n or a
    little more

A decision is a choice that a player makes; dice and dealt cards are none. All players choose at random, as cheaply as
the library allows: a list of legal actions where it gives one.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import json
import os
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TextIO

Play = Callable[[], int]
"""Plays on a little; returns the number of decisions."""

BATCH = 1024
SETTLE = 150
"""Decisions a lane that a batch makes before it is measured, so that its games stand at all stages."""


# -- ours ------------------------------------------------------------------------------------------------------------


def state_games(what: str) -> Play:
    """Single states from Python: legal actions and `apply`, with the mask, with mask and observation."""
    from hawaii_env.hawaii1795 import Game

    game = Game()
    chance = random.Random(0).random
    seed = 0

    def play() -> int:
        nonlocal seed
        seed += 1
        state = game.initial_state(seed=seed)
        decisions = 0
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


def playouts() -> Play:
    """Whole random games in compiled code."""
    from hawaii_env.hawaii1795 import Game
    from hawaii_env.rollouts import playouts

    state = Game().initial_state(seed=1795)
    seed = 0

    def play() -> int:
        nonlocal seed
        seed += 1
        return int(playouts(state, 20, seed=seed).lengths.sum())

    return play


def resident() -> int:
    """Bytes of memory in use; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError):
        return 0


class Batches:
    """Batches by size, made when they are first asked for."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, bool], Any] = {}
        self.memory: dict[int, int] = {}

    def get(self, lanes: int, raw: bool = False) -> Any:
        """Return a batch whose games stand at all stages; note what it has taken of the memory."""
        if (lanes, raw) not in self.made:
            from hawaii_env import make_batch

            if not self.made:  # the first one compiles and imports
                warm = make_batch("hawaii1795", 2, threads=2)
                warm.reset(seed=0)
                warm.step(warm.sample_actions())
            before = resident()
            batch = make_batch("hawaii1795", lanes, raw=raw, threads=2)
            batch.reset(seed=0)
            batch.step(batch.sample_actions())
            self.memory[lanes] = (resident() - before) // lanes
            batch.runner.threads = 1
            for _ in range(SETTLE):
                batch.step(batch.sample_actions())
            self.made[lanes, raw] = batch
        return self.made[lanes, raw]


BATCHES = Batches()


def batch_games(lanes: int = BATCH, threads: int = 1, raw: bool = False) -> Play:
    """The batch: each step with masks and observations of all lanes, each action drawn at random."""
    batch = BATCHES.get(lanes, raw)
    calls = max(1, 256 // lanes)

    def play() -> int:
        batch.runner.threads = threads
        for _ in range(calls):
            batch.step(batch.sample_actions())
        return calls * lanes

    return play


def batch_part(part: str) -> Play:
    """One part of what a step of 1,024 lanes does; the counted decisions are those of the whole step."""
    import numpy as np

    batch = BATCHES.get(BATCH)
    ops = np.ones(BATCH, np.int8)
    actions = batch.sample_actions().copy()
    calls: dict[str, Callable[[], Any]] = {
        "sample": batch.sample_actions,
        "check": lambda: batch.runner.backend.illegal(ops, actions),
        "run": lambda: batch.runner.backend.run(batch.runner.arrays, ops, batch.sample_actions(), True, 0, BATCH),
        "look": lambda: batch.runner.run(np.full(BATCH, 3, np.int8), actions, True),
    }
    call = calls[part]

    def play() -> int:
        call()
        if part == "check":
            actions[:] = batch.sample_actions()
        return BATCH

    return play


# -- PettingZoo, and our environment in the same loop ----------------------------------------------------------------


def choose(mask: Any, chance: Callable[[], float]) -> int:
    """The cheap chooser of all AEC loops: a random legal action."""
    legal = mask.nonzero()[0]
    return int(legal[int(chance() * len(legal))])


def aec_games(make: Callable[[], Any]) -> Play:
    """PettingZoo's loop: `last()` with observation and mask, then `step()`."""
    env = make()
    chance = random.Random(0).random
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


def pettingzoo_games(name: str, package: str = "pettingzoo.classic") -> Play:
    """A game that has a module with `env()`."""
    return aec_games(importlib.import_module(f"{package}.{name}").env)


# -- OpenSpiel -------------------------------------------------------------------------------------------------------


def openspiel_games(name: str, what: str) -> Play:
    """A game of OpenSpiel from Python.

    what: "play" asks for legal actions alone. "mask" and "full" (mask and observation) make NumPy arrays of what
    `legal_actions_mask()` and `observation_tensor()` return, as its API has it, and choose from that mask. "quick" does
    as "full", but makes the mask from the list of legal actions, which is the fastest way that we have found.
    """
    import numpy as np

    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game(name)
    size = game.num_distinct_actions()
    chance = random.Random(0).random

    def play() -> int:
        state = game.new_initial_state()
        decisions = 0
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


# -- Pgx -------------------------------------------------------------------------------------------------------------


def pgx_games(name: str, reset: bool) -> Play:
    """1,024 games stepped and played at random inside one compiled loop; each step has mask and observation.

    reset: True begins another game where one ends, as our batch does, with Pgx's own wrapper. False does without: games
    from their beginning for 64 steps, of which those of games that are over do not count.
    """
    jax = importlib.import_module("jax")
    pgx = importlib.import_module("pgx")
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
    if not reset:
        carry = start(carry[1])
    jax.block_until_ready(carry)
    calls = 0

    def play() -> int:
        nonlocal carry, calls
        calls += 1
        if not reset and calls % (64 // steps) == 0:
            carry = start(carry[1])
        carry, counted = many(carry)
        jax.block_until_ready(carry)
        return BATCH * steps if reset else int(counted.sum())

    return play


# -- RLCard and catanatron -------------------------------------------------------------------------------------------


def rlcard_games(name: str) -> Play:
    """A game of RLCard: observations and legal actions in a dict, as its agents get them."""
    rlcard = importlib.import_module("rlcard")
    env = rlcard.make(name, config={"seed": 0})
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
    catanatron = importlib.import_module("catanatron")
    seed = 0

    def play() -> int:
        nonlocal seed
        seed += 1
        colours = catanatron.Color
        game = catanatron.Game([catanatron.RandomPlayer(c) for c in (colours.RED, colours.BLUE)], seed=seed)
        decisions = 0
        while game.winning_color() is None and game.state.num_turns < 1000:
            game.play_tick()
            decisions += 1
        return decisions

    return play


# -- the process -----------------------------------------------------------------------------------------------------

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def plain_python() -> Play:
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


MEASURES: dict[str, Callable[[], Play]] = {
    "yardstick": plain_python,
    "batch": batch_games,
    "batch_raw": partial(batch_games, raw=True),
    "playout": playouts,
    "state_play": partial(state_games, "play"),
    "state_mask": partial(state_games, "mask"),
    "state_full": partial(state_games, "full"),
    "aec": partial(pettingzoo_games, "hawaii1795_v1", "hawaii_env"),
    **{name: partial(pettingzoo_games, name) for name in ("chess_v6", "connect_four_v3", "leduc_holdem_v4")},
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
    **{f"part_{part}": partial(batch_part, part) for part in ("sample", "check", "run", "look")},
}
"""All measures but the scaling curves, which are called ``lanes_N_threads_T``."""

PACKAGES = (
    *("hawaii-env", "numpy", "numba", "pettingzoo", "chess", "open-spiel", "pgx", "jax", "jaxlib", "rlcard"),
    "catanatron",
)


def versions() -> dict[str, str]:
    """Versions of what is installed here."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def maker(name: str) -> Callable[[], Play]:
    """Return what makes a measure."""
    if name.startswith("lanes_"):
        _, lanes, _, threads = name.split("_")
        return partial(batch_games, int(lanes), int(threads))
    return MEASURES[name]


def answer(request: dict[str, Any], ready: dict[str, Play]) -> dict[str, Any]:
    """Do what a request says."""
    if "prepare" in request:
        name = request["prepare"]
        try:
            ready[name] = maker(name)()
        except Exception as error:  # whatever keeps a library from working here is a reason to name it as missing
            return {"missing": f"{type(error).__name__}: {error}".partition("\n")[0]}
        reply: dict[str, Any] = {"ok": True, "versions": versions()}
        if name.startswith("lanes_"):
            reply["memory"] = BATCHES.memory[int(name.split("_")[1])]
        return reply
    play, wanted = ready[request["run"]], int(request["decisions"])
    decisions = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while decisions < wanted:
        decisions += play()
    return {"decisions": decisions, "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def main() -> int:
    """Answer until the input ends. The first argument, where there is one, is the core to stay on."""
    replies: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # libraries that greet on standard output do not disturb
    if len(sys.argv) > 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(sys.argv[1])})
    ready: dict[str, Play] = {}
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), ready)), file=replies, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
