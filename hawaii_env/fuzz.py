"""A fuzzer for any Game: random games, with everything checked that must hold.

After each decision the game's own invariants are checked, and what `hawaii_env.game` promises of every state; at
intervals the round trips (JSON, pickle, deepcopy, clone), refusals of illegal actions, and the explicit chance nodes. A
failure leaves a record that `replay_failure` (``hawaii fuzz --replay FILE``) plays again up to it.

A compiled game may check faster than Python can: if the game has a method ``fuzz_batch(seeds)`` (int64[n] of seeds;
returns the index of the first seed whose game fails, or -1), the bulk of the games goes through it, and each `every`-th
game through the checks in Python. Two methods beside it tell of a failure: ``fuzz_actions(seed)`` returns the decisions
of that compiled game up to it, so that the record can be made, and ``fuzz_message(seed)`` what did not hold.
"""

from __future__ import annotations

import copy
import itertools
import multiprocessing
import os
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from hawaii_env._arguments import check_count, check_kind, check_list, check_path
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, RecordError
from hawaii_env.game import (
    CHANCE,
    SIMULTANEOUS,
    SPECTATOR,
    Chance,
    Decision,
    Game,
    Outcome,
    State,
    check_action,
    check_seed,
)
from hawaii_env.records import Record, RecordWriter, game_of, read, replay
from hawaii_env.terminal import Progress

__all__ = ["FuzzFailure", "FuzzReport", "check_game", "check_state", "fuzz", "replay_failure"]

ROUND_TRIP_RATE = 0.02
"""How often, on the average, a decision's round trips are checked; each game's first and last position always are."""

BATCH = 2048
"""Games of one call of a compiled game's ``fuzz_batch``."""


@dataclass(frozen=True)
class FuzzFailure:
    """A game in which something did not hold.

    Attributes:
        seed: seed of the game.
        decision: number of decisions played before it.
        message: what did not hold.
        path: the record of the game up to there, or None.
    """

    seed: int
    decision: int
    message: str
    path: Path | None

    def __str__(self) -> str:
        text = f"seed {self.seed}, after {self.decision} decisions: {self.message}"
        if self.path is not None:
            text += f"\n  record: {self.path}\n  again:  hawaii fuzz --replay {self.path}"
        return text


@dataclass
class FuzzReport:
    """The report of `fuzz`.

    Attributes:
        games: games played to their end.
        checked: how many of them were checked in Python, decision by decision.
        decisions: decisions of those.
        longest: most decisions in one of those.
        wins: how many of those each player won, by index; the last entry counts ties.
        seconds: how long it took.
        failure: the first failure, or None.
    """

    games: int = 0
    checked: int = 0
    decisions: int = 0
    longest: int = 0
    wins: list[int] = field(default_factory=list[int])
    seconds: float = 0.0
    failure: FuzzFailure | None = None


def _require(condition: bool, message: str) -> None:
    # Not an assert statement: the checks stay in python -O.
    if not condition:
        raise AssertionError(message)


def _whole(state: State) -> str:
    return state.to_json(secrets=True)


def _go_on(state: State, choose: random.Random, steps: int) -> str:
    """Play a few random decisions, and return where that leads."""
    for _ in range(steps):
        if state.is_terminal:
            break
        if state.current_player == CHANCE:
            state.apply_chance(choose.choice(state.chance_outcomes())[0])
        else:
            _play(state, _choice(state, choose))
    return _whole(state)


def _choice(state: State, choose: random.Random) -> dict[int, int]:
    return {player: choose.choice(state.legal_actions(player)) for player in state.acting_players}


def _play(state: State, chosen: dict[int, int]) -> None:
    if state.current_player == SIMULTANEOUS:
        state.apply_joint(chosen)
    else:
        state.apply(chosen[state.current_player])


def check_state(state: State) -> None:
    """Check what must hold in every position: the game's invariants and the promises of `State`.

    Raises:
        AssertionError: something does not hold; the message says what.
    """
    game = check_kind("state", state, State).game
    game.invariants(state)
    returns = state.returns()
    _require(len(returns) == game.num_players, f"{len(returns)} returns")
    _require(all(game.min_return <= value <= game.max_return for value in returns), f"the returns are {returns}")
    _require(game.utility != "zero_sum" or abs(sum(returns)) < 1e-9, f"a zero-sum game whose returns are {returns}")
    if state.is_terminal:
        _require(state.current_player == -4, f"the game is over, and player {state.current_player} decides")
        outcome = state.outcome()
        if outcome is None:
            raise AssertionError("the game is over without an outcome")
        _check_outcome(outcome, returns)
    else:
        _require(not any(returns), f"the returns before the end are {returns}")
        _require(state.outcome() is None, "there is an outcome before the end")
    _require(
        state.sealed_turn is None or game.dynamics == "sealed",
        f"a sealed turn in a game whose dynamics are {game.dynamics!r}",
    )
    acting = set(state.acting_players)
    if not state.is_terminal and state.current_player != CHANCE:
        _require(bool(acting), f"nobody decides in phase {state.phase}")
    for player in range(game.num_players):
        legal = state.legal_actions(player)
        if player in acting:
            _require(len(legal) > 1, f"{len(legal)} legal actions in phase {state.phase}")
            _require(all(a < b for a, b in itertools.pairwise(legal)), f"legal actions out of order: {legal}")
            _require(legal[0] >= 0 and legal[-1] < game.num_actions, f"legal actions outside the table: {legal}")
            _require(all(type(action) is int for action in legal), f"legal actions that are no ints: {legal}")
        else:
            _require(not legal, f"player {player} does not decide, but may {legal}")
        mask = state.legal_mask(None, player)
        _require(mask.dtype == np.int8 and mask.shape == (game.num_actions,), f"the mask is {mask.dtype}{mask.shape}")
        _require(
            np.flatnonzero(mask).tolist() == legal and set(mask.tolist()) <= {0, 1}, "the mask is not the legal actions"
        )


def _check_outcome(outcome: Outcome, returns: Sequence[float]) -> None:
    """Check that an outcome's lists fit each other and the returns."""
    lengths = {len(outcome.shares), len(outcome.places), len(returns), len(outcome.scores or returns)}
    _require(len(lengths) == 1, f"an outcome for {sorted(lengths)} players: {outcome}")
    _require(abs(sum(outcome.shares) - 1) < 1e-9 and min(outcome.shares) >= 0, f"shares do not sum to 1: {outcome}")
    _require(min(outcome.places) == 1 and max(outcome.places) <= len(returns), f"places that cannot be: {outcome}")
    for one, other in itertools.combinations(range(len(returns)), 2):
        if outcome.places[one] > outcome.places[other]:
            one, other = other, one
        _require(outcome.shares[one] >= outcome.shares[other], f"a worse place has the greater share: {outcome}")
        _require(returns[one] >= returns[other] - 1e-9, f"a worse place has the greater return: {outcome}, {returns}")
    if outcome.winner is not None:
        _require(outcome.shares[outcome.winner] == max(outcome.shares), f"the winner has not most: {outcome}")


def check_observations(state: State) -> None:
    """Check observations, views and texts of a position."""
    game = state.game
    for player in range(game.num_players):
        vector = state.observation(player)
        _require(vector.dtype == np.float32 and vector.shape == (game.observation_size,), "the observation's form")
        _require(
            bool(((vector >= game.observation_low) & (vector <= game.observation_high)).all()),
            "observation values out of bounds at "
            f"{np.flatnonzero((vector < game.observation_low) | (vector > game.observation_high)).tolist()}",
        )
        raw = state.observation(player, raw=True)
        _require(raw.dtype == game.raw_dtype and raw.shape == vector.shape, "the raw observation's form")
        within = (raw >= game.raw_low) & (raw <= game.raw_high)
        _require(bool(within.all()), f"raw observation values out of bounds at {np.flatnonzero(~within).tolist()}")
        parts = game.split_observation(vector)
        _require(
            len(parts) == len(game.observation_parts) and sum(part.size for part in parts.values()) == vector.size,
            "the named parts are not the observation",
        )
        _require(bool(((raw != 0) == (vector != 0)).all()), "raw and scaled observation are zero in different places")
        out = np.full(game.observation_size, np.nan, np.float32)
        state.observation(player, out=out)
        _require(bool((out == vector).all()), "observation(out=...) differs")
        mask = np.full(game.num_actions, 7, np.int8)
        state.legal_mask(mask, player)
        _require(bool((mask == state.legal_mask(None, player)).all()), "legal_mask(out=...) differs")
        texts = [game.action_text(action) for action in state.legal_actions(player)]
        _require(len(set(texts)) == len(texts), f"two actions of one text: {texts}")
        for action, text in zip(state.legal_actions(player), texts, strict=True):
            _require(game.parse_action(state, text) == action, f"{text!r} does not parse back to action {action}")


def check_round_trips(state: State, choose: random.Random) -> None:
    """Check that copies of every kind are this position, and go on as it does."""
    game = state.game
    whole = _whole(state)
    copies = {
        "clone()": state.clone(),
        "deepcopy": copy.deepcopy(state),
        "pickle": cast(State, pickle.loads(pickle.dumps(state))),
        "JSON": game.state_from_json(whole),
    }
    seed = choose.getrandbits(32)
    on: dict[str, str] = {}
    for name, copied in copies.items():
        _require(_whole(copied) == whole, f"{name} differs from the original")
        on[name] = _go_on(copied, random.Random(seed), 8)
    _require(len(set(on.values())) == 1, f"copies go on differently: {on}")
    _require(_whole(state) == whole, "playing on with a copy has changed the original")
    everything = state.explicit()
    _require(everything.chance == "explicit" and everything.trace is None, "explicit() has a generator or a trace")
    _require(
        _whole(game.state_from_json(_whole(everything))) == _whole(everything), "explicit()'s JSON does not come back"
    )
    for player in (*range(game.num_players), SPECTATOR):
        check_knowledge(state, player, choose)
    if game.information == "perfect":
        seen = {state.to_json(player=player) for player in (*range(game.num_players), SPECTATOR)}
        _require(len(seen) == 1, f"{game.name} declares perfect information, and players see different things")


def check_knowledge(state: State, player: int, choose: random.Random) -> None:
    """Check that the doors to one player (an index or SPECTATOR) tell the same of a position."""
    game = state.game
    shown, view = state.to_json(player=player), state.view(player)
    search = state.for_search(player)
    _require(search.chance == "explicit" and search.trace is None, "for_search() has a generator or a trace")
    again = game.state_from_json(shown)
    by_hand = game.position(**view.to_dict())
    drawn = state.resample(player, seed=choose.getrandbits(32))
    for name, other in (
        ("for_search()", search),
        ("the JSON without secrets", again),
        ("position(**view)", by_hand),
        ("resample()", drawn),
    ):
        _require(other.view(player) == view, f"{name} is another position to player {player}")
        # A view need not tell what only counts, as the decisions so far, so its position's JSON may differ.
        _require(
            other is by_hand or other.to_json(player=player) == shown, f"{name} is another JSON to player {player}"
        )
        if player >= 0:
            _require(
                bool((other.observation(player) == state.observation(player)).all()), f"{name} is observed differently"
            )
            if player in state.acting_players:
                _require(other.legal_actions(player) == state.legal_actions(player), f"{name} has other legal actions")
    _require(_whole(search) == _whole(again), "for_search() and the JSON without secrets are two positions")


def check_refusals(state: State, choose: random.Random) -> None:
    """Check that illegal calls raise, and change nothing."""
    whole = _whole(state)
    game = state.game
    kinds: type[HawaiiError] | tuple[type[HawaiiError], ...] = (
        (GameOverError, IllegalActionError) if state.is_terminal else IllegalActionError
    )
    legal = {action for player in state.acting_players for action in state.legal_actions(player)}
    illegal = [
        action for action in choose.sample(range(game.num_actions), min(6, game.num_actions)) if action not in legal
    ]
    for action in (*illegal, -1, game.num_actions, 10**12, 1.0, True, None, "0"):
        try:
            state.apply(cast(int, action))
        except kinds:
            continue
        except Exception as error:
            raise AssertionError(f"apply({action!r}) raises {type(error).__name__}: {error}") from error
        raise AssertionError(f"apply({action!r}) raises nothing")
    for outcome in (-1, 10**6, True, 1.0, None):
        try:
            state.apply_chance(cast(int, outcome))
        except (GameOverError, IllegalActionError):
            continue
        except Exception as error:
            raise AssertionError(f"apply_chance({outcome!r}) raises {type(error).__name__}: {error}") from error
        raise AssertionError(f"apply_chance({outcome!r}) raises nothing")
    _require(_whole(state) == whole, "a refused call has changed the position")


def check_chance(state: State, choose: random.Random, steps: int = 6) -> None:
    """Play a copy on by explicit chance, and check its chance nodes."""
    game, search = state.game, state.for_search()
    for _ in range(steps):
        while search.current_player == CHANCE:
            outcomes = search.chance_outcomes()
            values = [outcome for outcome, _ in outcomes]
            _require(len(set(values)) == len(values) > 0, f"chance outcomes {values}")
            _require(
                min(values) >= 0 and max(values) < game.max_chance_outcomes,
                f"chance outcomes {values}; max_chance_outcomes is {game.max_chance_outcomes}",
            )
            _require(
                abs(sum(p for _, p in outcomes) - 1) < 1e-9 and all(p > 0 for _, p in outcomes), f"chances {outcomes}"
            )
            merged = search.chance_outcomes(merged=True)
            _require({outcome for outcome, _ in merged} <= set(values), f"merged outcomes {merged} of {values}")
            _require(abs(sum(p for _, p in merged) - 1) < 1e-9, f"merged chances {merged}")
            texts = [search.chance_text(value) for value in values]
            _require(len(set(texts)) == len(texts), f"two outcomes of one text: {texts}")
            check_state(search)
            search.apply_chance(choose.choice(values))
        if search.is_terminal:
            return
        _play(search, _choice(search, choose))


def _again(state: State) -> None:
    """Replay a finished game's trace in the explicit mode: it must end in the same position."""
    game = state.game
    trace = state.trace or []
    fallen = {event.outcome for event in trace if isinstance(event, Chance)} or {0}
    _require(
        min(fallen) >= 0 and max(fallen) < game.max_chance_outcomes,
        f"chance outcomes {sorted(fallen)}; max_chance_outcomes is {game.max_chance_outcomes}",
    )
    wrong = [e for e in trace if isinstance(e, Decision) and e.text != game.action_text(e.action)]
    _require(not wrong, f"decisions are noted by other texts than their actions': {wrong}")
    other = game.initial_state(chance="explicit", trace=True)
    read_on = cast("list[Any]", other.trace)
    while len(read_on) < len(trace):
        _require(read_on == trace[: len(read_on)], f"the replay differs before event {len(read_on)}")
        event = trace[len(read_on)]
        if other.current_player == CHANCE:
            _require(isinstance(event, Chance), f"a chance node where the game had {event}")
            other.apply_chance(cast(Chance, event).outcome)
        else:
            ahead = trace[len(read_on) : len(read_on) + game.num_players]
            chosen = {
                player: next(e.action for e in ahead if isinstance(e, Decision) and e.player == player and not e.forced)
                for player in other.acting_players
            }
            _play(other, chosen)
    _require(read_on == trace, "the replay's trace differs")
    _require(_whole(other) == _whole(state.explicit()), "the replay ends in another position")


@dataclass
class _Played:
    decisions: int
    winner: int | None


class _FailedError(Exception):
    """A check failed in a game; holds what is needed to tell it."""

    def __init__(self, state: State | None, decision: int, message: str) -> None:
        super().__init__(message)
        self.state = state
        self.decision = decision
        self.message = message


def _message(error: BaseException) -> str:
    return str(error) if isinstance(error, AssertionError) and str(error) else f"{type(error).__name__}: {error}"


def check_game(game: Game, seed: int, actions: Sequence[int] | None = None) -> tuple[int, int | None]:
    """Play one random game, and check it from beginning to end.

    Args:
        game: the game.
        seed: seed of the dice and of the choices.
        actions: choices to make instead of random ones, as long as they last.

    Returns:
        (int, int or None): the number of decisions, and the winner.

    Raises:
        AssertionError: something does not hold.
    """
    check_kind("game", game, Game)
    seed = check_seed(seed)
    if actions is not None:
        actions = [check_action(action, game.num_actions) for action in check_list("actions", actions)]
    try:
        played = _check_game(game, seed, actions)
    except _FailedError as failed:
        raise AssertionError(f"seed {seed}, after {failed.decision} decisions: {failed.message}") from failed
    return played.decisions, played.winner


def _check_game(game: Game, seed: int, actions: Sequence[int] | None = None) -> _Played:
    choose = random.Random(f"hawaii_env.fuzz {seed}")
    decisions = 0
    state: State | None = None
    try:
        state = game.initial_state(seed=seed, trace=True)
        check_observations(state)
        check_round_trips(state, choose)
        while not state.is_terminal:
            check_state(state)
            _require(decisions < game.max_decisions, f"more than {game.max_decisions} decisions")
            if choose.random() < ROUND_TRIP_RATE:
                check_observations(state)
                check_round_trips(state, choose)
                check_refusals(state, choose)
                check_chance(state, choose)
            chosen = _choice(state, choose)
            if actions is not None:
                chosen = {
                    player: actions[decisions + i] if decisions + i < len(actions) else action
                    for i, (player, action) in enumerate(chosen.items())
                }
            _play(state, chosen)
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
    return _Played(decisions, None if outcome is None else outcome.winner)


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
        str or None: what did not hold, with the line of the record; None when everything holds now.

    Raises:
        RecordError: no record, or one that the game does not do.
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
        return f"{path}, after {failed.decision} decisions: {failed.message}"
    return None


def _chunk(game: Game, seeds: range, every: int, out: Path | None) -> FuzzReport:
    """Play the games of these seeds; stop at the first failure."""
    report = FuzzReport(wins=[0] * (game.num_players + 1))
    batch = cast("Callable[[Any], int] | None", getattr(game, "fuzz_batch", None))
    slow = seeds if batch is None else seeds[:: max(1, every)]
    for seed in slow:
        try:
            played = _check_game(game, seed)
        except _FailedError as failed:
            report.failure = FuzzFailure(seed, failed.decision, failed.message, _save(game, seed, failed, out))
            return report
        report.games += 1
        report.checked += 1
        report.decisions += played.decisions
        report.longest = max(report.longest, played.decisions)
        report.wins[-1 if played.winner is None else played.winner] += 1
    if batch is not None:
        bad = int(batch(np.arange(seeds.start, seeds.stop, dtype=np.int64)))
        if bad >= 0:
            report.failure = _compiled_failure(game, seeds[bad], out)
            return report
        report.games = len(seeds)
    return report


def _compiled_failure(game: Game, seed: int, out: Path | None) -> FuzzFailure:
    """Play a game that the compiled checks have refused again in Python, to say what is wrong and to save it."""
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


_worker_game: Game | None = None


def _worker_start(game: Game) -> None:
    global _worker_game
    _worker_game = game


def _worker(seeds: range, every: int, out: Path | None) -> FuzzReport:
    return _chunk(cast(Game, _worker_game), seeds, every, out)


def _add(total: FuzzReport, part: FuzzReport) -> None:
    total.games += part.games
    total.checked += part.checked
    total.decisions += part.decisions
    total.longest = max(total.longest, part.longest)
    total.wins = [a + b for a, b in zip(total.wins, part.wins, strict=True)]
    if part.failure is not None and (total.failure is None or part.failure.seed < total.failure.seed):
        total.failure = part.failure


def _parts(
    game: Game, chunks: list[range], every: int, out: Path | None, jobs: int
) -> Iterator[tuple[int, FuzzReport]]:
    """Yield the chunks' reports as they come, until one has a failure."""
    if jobs == 1:
        for chunk in chunks:
            yield len(chunk), _chunk(game, chunk, every, out)
        return
    # Compile in this process before the others start: they find the machine code in the cache. Spawned, not forked,
    # because compiled code may have started threads.
    game.initial_state(seed=0)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_worker_start, initargs=(game,)) as pool:
        waiting: dict[Future[FuzzReport], range] = {}
        queue = iter(chunks)
        try:
            while True:
                for chunk in queue:
                    waiting[pool.submit(_worker, chunk, every, out)] = chunk
                    if len(waiting) >= 2 * jobs:
                        break
                if not waiting:
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield len(waiting.pop(future)), future.result()
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
    """Play random games, and check them. Game i has the seed ``seed + i``.

    Args:
        game: the game.
        games: how many.
        seed: seed of the first game.
        out: folder for the record of a failure; None saves none.
        jobs: processes.
        every: of a game with a compiled ``fuzz_batch``, each `every`-th game is checked in Python; of any other, all
            are.
        progress: True shows a bar, where stderr is a terminal.

    Returns:
        FuzzReport: what was played, and the first failure.
    """
    check_kind("game", game, Game)
    games, seed = check_count("games", games, 0, 2**31 - 1), check_count("seed", seed, 0, 2**62)
    jobs, every = check_count("jobs", jobs, 1, 4096), check_count("every", every)
    folder = None if out is None else check_path("out", out, "a folder")
    game.compile()
    started = time.perf_counter()
    report = FuzzReport(wins=[0] * (game.num_players + 1))
    size = BATCH if getattr(game, "fuzz_batch", None) is not None else max(1, min(64, games // max(1, 4 * jobs)))
    chunks = [range(start, min(start + size, seed + games)) for start in range(seed, seed + games, size)]
    bar = Progress("fuzz", "games", games, shown=progress and sys.stderr.isatty())
    parts = _parts(game, chunks, every, folder, jobs)
    try:
        for count, part in parts:
            _add(report, part)
            bar.advance(count)
            if report.failure is not None:
                break
    finally:
        cast(Any, parts).close()
        bar.close()
    report.seconds = time.perf_counter() - started
    return report
