"""A fuzzer for any Game: plays random games and checks all invariants.

After each decision it checks the game's own invariants and the promises of `hawaii_env.game` for every state; at
intervals also round trips (JSON, pickle, deepcopy, clone), errors for illegal actions, and explicit chance nodes. A
failure leaves a record that `replay_failure` (``hawaii fuzz --replay FILE``) replays up to that point.

A compiled game may check faster than Python can: if the game has a method ``fuzz_batch(seeds)`` (int64[n] of seeds;
returns the index of the first seed whose game fails, or -1), it checks most games, and the checks in Python every
`every`-th game. Two more methods describe a failure: ``fuzz_actions(seed)`` returns the decisions of that compiled game
up to the failure, for the record, and ``fuzz_message(seed)`` the violated invariant.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from hawaii_env._arguments import check_count, check_kind, check_list, check_path
from hawaii_env.errors import RecordError
from hawaii_env.game import (
    CHANCE,
    Chance,
    Decision,
    Game,
    State,
    check_action,
    check_seed,
)
from hawaii_env.records import Follower, Record, RecordWriter, game_of, read, replay
from hawaii_env.state_checks import (
    check_chance,
    check_observations,
    check_refusals,
    check_round_trips,
    check_state,
    choose_all,
    play_all,
    require,
    secret_json,
)
from hawaii_env.terminal import Progress
from hawaii_env.texts import count

__all__ = ["FuzzFailure", "FuzzReport", "check_game", "check_state", "fuzz", "replay_failure"]

ROUND_TRIP_RATE = 0.02
"""The share of decisions with checked round trips; each game's first and last position are always checked."""

BATCH = 2048
"""Games of one call of a compiled game's ``fuzz_batch``."""


@dataclass(frozen=True)
class FuzzFailure:
    """A game that violated an invariant.

    Attributes:
        seed: seed of the game.
        decision: number of decisions played before it.
        message: the violated invariant.
        path: the record of the game up to there, or None.
    """

    seed: int
    decision: int
    message: str
    path: Path | None

    def __str__(self) -> str:
        text = f"seed {self.seed}, after {count(self.decision, 'decision')}: {self.message}"
        if self.path is not None:
            text += f"\n  record: {self.path}\n  again:  hawaii fuzz --replay {self.path}"
        return text


@dataclass
class FuzzReport:
    """The report of `fuzz`.

    Attributes:
        games: games played to their end.
        checked: the number of those checked in Python, decision by decision.
        decisions: decisions of those.
        longest: the most decisions in one of those.
        wins: wins of each player in those, by index; the last entry counts ties.
        seconds: duration.
        failure: the first failure, or None.
    """

    games: int = 0
    checked: int = 0
    decisions: int = 0
    longest: int = 0
    wins: list[int] = field(default_factory=list[int])
    seconds: float = 0.0
    failure: FuzzFailure | None = None


def _again(state: State) -> None:
    """Replay a finished game's trace in the explicit mode; it must end in the same position."""
    game = state.game
    trace = state.trace or []
    fallen = {event.outcome for event in trace if isinstance(event, Chance)} or {0}
    require(
        min(fallen) >= 0 and max(fallen) < game.max_chance_outcomes,
        f"chance outcomes {sorted(fallen)}; max_chance_outcomes is {game.max_chance_outcomes}",
    )
    wrong = [e for e in trace if isinstance(e, Decision) and e.text != game.action_text(e.action)]
    require(not wrong, f"decisions are noted by other texts than their actions': {wrong}")
    follower = Follower(game)
    for _ in follower.feed(trace):
        pass
    require(follower.state.trace == trace, "the replay's trace differs")
    require(secret_json(follower.state) == secret_json(state.explicit()), "the replay ends in another position")


class _FailedError(Exception):
    """A failed check, with everything needed to report it."""

    def __init__(self, state: State | None, decision: int, message: str) -> None:
        super().__init__(message)
        self.state = state
        self.decision = decision
        self.message = message


def _message(error: BaseException) -> str:
    return str(error) if isinstance(error, AssertionError) and str(error) else f"{type(error).__name__}: {error}"


def check_game(game: Game, seed: int, actions: Sequence[int] | None = None) -> tuple[int, int | None]:
    """Play one random game and check it from beginning to end.

    Args:
        game: the game.
        seed: seed of the dice and of the choices.
        actions: choices to make instead of random ones, as long as they last.

    Returns:
        (int, int or None): the number of decisions, and the winner.

    Raises:
        AssertionError: a check failed.
    """
    check_kind("game", game, Game)
    seed = check_seed(seed)
    if actions is not None:
        actions = [check_action(action, game.num_actions) for action in check_list("actions", actions)]
    try:
        return _check_game(game, seed, actions)
    except _FailedError as failed:
        raise AssertionError(f"seed {seed}, after {count(failed.decision, 'decision')}: {failed.message}") from failed


def _check_game(game: Game, seed: int, actions: Sequence[int] | None = None) -> tuple[int, int | None]:
    choose = random.Random(f"hawaii_env.fuzz {seed}")
    decisions = 0
    state: State | None = None
    try:
        state = game.initial_state(seed=seed, trace=True)
        check_observations(state)
        check_round_trips(state, choose)
        while not state.is_terminal:
            check_state(state)
            require(decisions < game.max_decisions, f"more than {game.max_decisions} decisions")
            if choose.random() < ROUND_TRIP_RATE:
                check_observations(state)
                check_round_trips(state, choose)
                check_refusals(state, choose)
                check_chance(state, choose)
            chosen = choose_all(state, choose)
            if actions is not None:
                chosen = {
                    player: actions[decisions + i] if decisions + i < len(actions) else action
                    for i, (player, action) in enumerate(chosen.items())
                }
            play_all(state, chosen)
            decisions += len(chosen)
        check_state(state)
        check_observations(state)
        check_round_trips(state, choose)
        check_refusals(state, choose)
        _again(state)
    except Exception as error:
        # Any exception is a finding here: a crash of the game as well as a check that fails.
        raise _FailedError(state, decisions, _message(error)) from error
    outcome = state.outcome()
    return decisions, None if outcome is None else outcome.winner


def _save(game: Game, seed: int, failed: _FailedError, out: Path | None) -> Path | None:
    """Write the game up to its failure, and return where."""
    if out is None or failed.state is None:
        return None
    for number in range(1000):
        path = out / f"fuzz-{game.name}-{seed}{f'-{number}' if number else ''}.jsonl"
        if not path.exists():
            break
    else:
        return None
    with RecordWriter(path, game, seed=seed, players=["fuzz"] * game.num_players, options={"fuzz": True}) as writer:
        writer.update(failed.state)
        writer.stop(failed.message)
    return path


def replay_failure(path: str | os.PathLike[str], game: Game | None = None) -> str | None:
    """Play a record of the fuzzer again, with all checks after each event.

    Returns:
        str or None: the violated invariant, with the line of the record; None if all checks now pass.

    Raises:
        RecordError: not a record, or not one of this game.
    """
    record: Record = read(path)
    game = game_of(record) if game is None else game
    choose = random.Random("hawaii_env.fuzz replay")
    number = 1  # the header's line
    try:
        for _, state in replay(record, game):
            number += 1
            check_state(state)
            if state.current_player != CHANCE:
                check_observations(state)
                check_round_trips(state, choose)
                check_refusals(state, choose)
    except RecordError:
        raise
    except Exception as error:
        # Any exception is a finding, as above.
        return f"{path}, line {number}: {_message(error)}"
    # What needs the generator (the sampled mode's own way) is found only by the seed.
    seed = record.seed
    if seed is None:
        return None
    try:
        _check_game(game, seed, [e.action for e in record.events if isinstance(e, Decision) and not e.forced])
    except _FailedError as failed:
        return f"{path}, after {count(failed.decision, 'decision')}: {failed.message}"
    return None


def _chunk(game: Game, seeds: range, first: int, every: int, out: Path | None) -> FuzzReport:
    """Play the games of these seeds; stop at the first failure. Intervals of `every` games are counted from `first`."""
    report = FuzzReport(wins=[0] * (game.num_players + 1))
    batch = cast("Callable[[Any], int] | None", getattr(game, "fuzz_batch", None))
    slow = seeds if batch is None else seeds[(first - seeds.start) % every :: every]
    for seed in slow:
        try:
            decisions, winner = _check_game(game, seed)
        except _FailedError as failed:
            report.failure = FuzzFailure(seed, failed.decision, failed.message, _save(game, seed, failed, out))
            return report
        report.games += 1
        report.checked += 1
        report.decisions += decisions
        report.longest = max(report.longest, decisions)
        report.wins[-1 if winner is None else winner] += 1
    if batch is not None:
        bad = int(batch(np.arange(seeds.start, seeds.stop, dtype=np.int64)))
        if bad >= 0:
            report.failure = _compiled_failure(game, seeds[bad], out)
            return report
        report.games = len(seeds)
    return report


def _compiled_failure(game: Game, seed: int, out: Path | None) -> FuzzFailure:
    """Replay in Python a game that failed the compiled checks, to find the reason and save it."""
    actions = cast("Callable[[int], Sequence[int]] | None", getattr(game, "fuzz_actions", None))
    played = None if actions is None else [int(action) for action in actions(seed)]
    try:
        _check_game(game, seed, played)
    except _FailedError as failed:
        return FuzzFailure(seed, failed.decision, failed.message, _save(game, seed, failed, out))
    message_of = cast("Callable[[int], str] | None", getattr(game, "fuzz_message", None))
    what = "refuse this game" if message_of is None else f"say: {message_of(seed)}"
    message = f"the compiled checks {what}; the checks in Python find nothing"
    state = game.initial_state(seed=seed, trace=True)
    for action in played or ():
        state.apply(action)
    count = len(played or ())
    return FuzzFailure(seed, count, message, _save(game, seed, _FailedError(state, count, message), out))


def _add(total: FuzzReport, part: FuzzReport) -> None:
    total.games += part.games
    total.checked += part.checked
    total.decisions += part.decisions
    total.longest = max(total.longest, part.longest)
    total.wins = [a + b for a, b in zip(total.wins, part.wins, strict=True)]
    total.failure = part.failure


def _parts(
    game: Game, chunks: list[range], first: int, every: int, out: Path | None, jobs: int
) -> Iterator[tuple[range, FuzzReport]]:
    """Yield the chunks with their reports, in their order."""
    chunk = partial(_chunk, game, first=first, every=every, out=out)
    if jobs == 1:
        yield from zip(chunks, map(chunk, chunks), strict=True)
        return
    # Compile in this process before the others start: they find the machine code in the cache. Spawned, not forked,
    # because compiled code may have started threads.
    game.initial_state(seed=0)
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            yield from zip(chunks, pool.map(chunk, chunks), strict=True)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def fuzz(
    game: Game,
    games: int = 1000,
    seed: int = 0,
    out: str | os.PathLike[str] | None = "fuzz",
    jobs: int = 1,
    every: int = 100,
    progress: bool = True,
) -> FuzzReport:
    """Play random games and check them. Game i has the seed ``seed + i``.

    Args:
        game: the game.
        games: the number of games.
        seed: seed of the first game.
        out: folder for the record of a failure; None saves none.
        jobs: processes.
        every: with a compiled ``fuzz_batch``, every `every`-th game is checked in Python; otherwise all are.
        progress: True shows a bar if stderr is a terminal.

    Returns:
        FuzzReport: statistics, and the first failure.
    """
    check_kind("game", game, Game)
    games, seed = check_count("games", games, 0, 2**31 - 1), check_count("seed", seed, 0, 2**62)
    jobs, every = check_count("jobs", jobs, 1, 4096), check_count("every", every)
    folder = None if out is None else check_path("out", out, "a folder")
    game.compile()
    batch = cast("Callable[[Any], int] | None", getattr(game, "fuzz_batch", None))
    if batch is not None and games:
        batch([seed])  # compiles before the clock starts
    started = time.perf_counter()
    report = FuzzReport(wins=[0] * (game.num_players + 1))
    size = max(1, min(64 if batch is None else BATCH, games // (4 * jobs)))
    chunks = [range(start, min(start + size, seed + games)) for start in range(seed, seed + games, size)]
    bar = Progress("fuzz", "games", games, shown=progress and sys.stderr.isatty())
    parts = _parts(game, chunks, seed, every, folder, jobs)
    try:
        for chunk, part in parts:
            _add(report, part)
            bar.advance(len(chunk))
            if report.failure is not None:
                break
    except KeyboardInterrupt:
        after = f"{count(report.games, 'game')} checked; `--seed {seed + report.games}` begins with the next"
        raise KeyboardInterrupt(f"stopped; {after}") from None
    finally:
        cast(Any, parts).close()
        bar.close()
    report.seconds = time.perf_counter() - started
    return report
