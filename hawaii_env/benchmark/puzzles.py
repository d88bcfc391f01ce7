"""Puzzles: positions close enough to the end that best play is proved.

An agent plays until chance or the enemy is next. Its loss is the best reachable share of the game less the share that
it reached; a loss up to `SOLVED` solves the puzzle.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from hawaii_env.arena.sprt import mean_interval
from hawaii_env.benchmark.form import Cell, Form, Seconds, digest, read_as
from hawaii_env.benchmark.suites import Puzzle, Suite
from hawaii_env.errors import AgentError, HawaiiError, OptionError
from hawaii_env.game import CHANCE
from hawaii_env.supervision import Supervisor
from hawaii_env.terminal import Progress
from hawaii_env.texts import write_bytes

__all__ = [
    "FILE",
    "SOLVED",
    "Attempt",
    "Solution",
    "cells_of",
    "chosen",
    "differences",
    "exact_shares",
    "play",
    "read_attempts",
]

FILE = "puzzles.json"
"""Name of the file with all attempts, in the folder of the result."""

LIMIT = 2_000_000
"""Maximum number of positions that `exact_shares` visits."""

PRECISION = 1e-10
"""Greatest difference between the lower and the upper bound of a solved value."""

SOLVED = 0.005
"""Greatest loss of a solved puzzle."""

QUICK = 400
"""Maximum number of positions of a puzzle in ``--quick``."""


def exact_shares(state: Any, limit: int = LIMIT) -> dict[bytes, float]:
    """Return the first player's share in every reachable position, by `State.key`, starting with `state`.

    Lower and upper bounds of all positions are backed up together until they meet in the first one, so that rounds
    without effect, which return to their start, need no special handling.

    Raises:
        HawaiiError: more than `limit` positions are reachable.
    """
    number, waiting = {state.key(): 0}, [state]
    kinds, values, first, to, weights = list[int](), list[float](), list[int](), list[int](), list[float]()
    for at, here in enumerate(waiting):  # grows while it is iterated
        waiting[at] = state  # frees the position that is done
        player = here.current_player
        kinds.append(player)
        first.append(len(to))
        values.append(here.returns()[0] if here.is_terminal else 0.0)
        moves = here.chance_outcomes() if player == CHANCE else [(action, 0.0) for action in here.legal_actions()]
        for move, weight in moves:
            after = here.clone()
            (after.apply_chance if player == CHANCE else after.apply)(move)
            known = number.setdefault(after.key(), len(number))
            if known == len(waiting):
                waiting.append(after)
            to.append(known)
            weights.append(weight)
        if len(number) > limit:
            raise HawaiiError(f"more than {limit} positions follow")
    kind, value, chance = np.array(kinds), np.array(values), np.array(weights)
    inner = kind >= CHANCE
    low, high = (np.where(inner, bound, value) for bound in (-1.0, 1.0))
    starts = np.array(first)[inner]
    while high[0] - low[0] > PRECISION:
        for bound in low, high:
            below = bound[to]
            backed_up = [np.add.reduceat(below * chance, starts)]
            backed_up += [best.reduceat(below, starts) for best in (np.maximum, np.minimum)]
            bound[inner] = np.choose(kind[inner] - CHANCE, backed_up)
    return dict(zip(number, (((low + high) / 2 + 1) / 2).tolist(), strict=True))


class Solution:
    """The exact shares of a puzzle.

    Attributes:
        state: the position.
        shares: the first player's share by `State.key`, of every position that can follow.
        best, worst: the best and the worst share that the player can reach before chance or the enemy is next.
    """

    def __init__(self, suite: Suite, puzzle: Puzzle) -> None:
        self.state: Any = suite.load_game(puzzle.options).position(**puzzle.position)
        self.shares: dict[bytes, float] = exact_shares(self.state)
        self.sign: int = 1 if self.state.current_player == 0 else -1
        reached = sorted(self._reached(), key=lambda share: self.sign * share)
        self.worst: float = reached[0]
        self.best: float = reached[-1]

    def _reached(self) -> list[float]:
        player, found = self.state.current_player, list[float]()
        seen, waiting = {self.state.key()}, [self.state]
        for here in waiting:
            if here.is_terminal or here.current_player != player:
                found.append(self.shares[here.key()])
                continue
            for action in here.legal_actions():
                after = here.clone()
                after.apply(action)
                if after.key() not in seen:
                    seen.add(after.key())
                    waiting.append(after)
        return found

    def attempt(self, agent: str, seed: int) -> Attempt:
        """Let an agent play until chance or the enemy is next; if it fails, it gets the worst share."""
        state, player = self.state.clone(), self.state.current_player
        supervisor, actions, error = Supervisor(state.game), list[int](), ""
        begun, processor = time.perf_counter(), time.process_time()
        reached = self.worst
        try:
            supervisor.make(player, agent, seed)
            while not state.is_terminal and state.current_player == player:
                legal = state.legal_actions()
                actions.append(legal[0] if len(legal) == 1 else supervisor.choose(player, state))
                state.apply(actions[-1])
            supervisor.release(player)
            reached = self.shares[state.key()]
        except AgentError as wrong:
            error = str(wrong)
        finally:
            supervisor.close()
        loss = round(self.sign * (self.best - reached), 6)
        seconds, spent = time.perf_counter() - begun, time.process_time() - processor
        return Attempt(loss=loss, actions=actions, seconds=round(seconds, 6), processor=round(spent, 6), error=error)


class Attempt(Form):
    """An attempt at a puzzle."""

    loss: float = Field(ge=0, le=1, description="What the agent lost of the best share that it could reach.")
    actions: list[int] = Field(description="Its actions, those of a single choice included.")
    seconds: Seconds = Field(description="Wall-clock seconds.")
    processor: Seconds = Field(description="Processor seconds.")
    error: str = Field(default="", description="Why it forfeited; empty if it did not.")


Attempts = dict[str, list[Attempt]]
"""The attempts at each puzzle, by its name."""


def chosen(suite: Suite, quick: bool) -> list[Puzzle]:
    """Return the puzzles of a track, or the small ones of its quick form."""
    return [puzzle for puzzle in suite.puzzle if not quick or puzzle.positions <= QUICK]


def read_attempts(folder: Path, asked: Sequence[Puzzle], attempts: int) -> Attempts:
    """Return the attempts in a folder.

    Args:
        folder: the folder of the result.
        asked: the puzzles of the track, of which some may be missing.
        attempts: how many there are at each.

    Raises:
        OptionError: there are none, or the file holds something else; the message names the field.
    """
    path = folder / FILE
    found = read_as(Attempts, path, "no attempts at puzzles")
    names = {puzzle.name for puzzle in asked}
    for name, made in found.items():
        if name not in names or len(made) != attempts:
            raise OptionError(f"{path}: {name}: expected {attempts} attempts at puzzles of the track, not {len(made)}")
    return found


def play(suite: Suite, agent: str, folder: Path, quick: bool, progress: bool) -> list[Cell]:
    """Let an agent attempt the puzzles missing in a folder; return the cells."""
    asked = chosen(suite, quick)
    found = read_attempts(folder, asked, suite.attempts) if (folder / FILE).exists() else Attempts()
    todo = [puzzle for puzzle in asked if puzzle.name not in found]
    shown = Progress(suite.track, "puzzles", len(todo), shown=progress)
    try:
        for puzzle in todo:
            solution = Solution(suite, puzzle)
            found[puzzle.name] = [solution.attempt(agent, seed) for seed in range(suite.attempts)]
            data = {name: [one.model_dump() for one in attempts] for name, attempts in found.items()}
            write_bytes(folder / FILE, json.dumps(data, indent=0).encode())
            shown.advance()
    finally:
        shown.close()
    return cells_of(suite, agent, quick, found)


def cells_of(suite: Suite, agent: str, quick: bool, found: Attempts) -> list[Cell]:
    """Return a cell for each kind of puzzle: the share of attempts that solved one, by puzzles."""
    cells: list[Cell] = []
    asked = chosen(suite, quick)
    for kind in sorted({puzzle.kind for puzzle in asked}):
        names = [puzzle.name for puzzle in asked if puzzle.kind == kind]
        attempts = [one for name in names for one in found[name]]
        solved = [sum(one.loss <= SOLVED for one in found[name]) / len(found[name]) for name in names]
        share, *ends = (round(value, 6) for value in mean_interval(solved))
        cells.append(
            Cell(
                scenario=suite.scenario[0].name,
                opponent=kind,
                agents=[agent],
                held_out=False,
                scored=True,
                games=len(attempts),
                forfeits=sum(bool(one.error) for one in attempts),
                opponent_forfeits=0,
                shared=0,
                share=share,
                interval=ends,
                by_seat=[share],
                score=share,
                score_interval=ends,
                decisions=sum(len(one.actions) for one in attempts),
                seconds=round(sum(one.seconds for one in attempts), 3),
                processor_seconds=round(sum(one.processor for one in attempts), 3),
                records=digest([[name, [one.model_dump() for one in found[name]]] for name in names]),
            )
        )
    return cells


def differences(suite: Suite, agent: str, puzzle: Puzzle, recorded: Sequence[Attempt]) -> list[str]:
    """Let an agent attempt a puzzle again; return the differences from the recorded attempts."""
    solution, wrong = Solution(suite, puzzle), list[str]()
    for seed, before in enumerate(recorded):
        now = solution.attempt(agent, seed)
        if (before.actions, before.loss) != (now.actions, now.loss):
            wrong.append(
                f"attempt {seed}: recorded are the actions {before.actions} with loss {before.loss}; it plays "
                f"{now.actions} with loss {now.loss}"
            )
    return wrong
