"""What a rollout brings: the learner's decisions, how the games ended, and what the time went into."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .net import Legal

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass
class Rollout:
    """The learner's decisions in T steps of N lanes, step by step: n = T * N of them, less those of opponents.

    Attributes:
        inputs: [n, C], what the network is given of the observations, see `inputs.Inputs`. Overwritten by the next
            rollout.
        legal: legal actions of each decision.
        picks: int64[n], which of its legal actions was taken.
        log_probs: float32[n], logarithm of its probability.
        advantages, targets: float32[n], the mover's; targets are of the values.
        values: float32[n], what the network thought.
    """

    inputs: NDArray[Any]
    legal: Legal
    picks: I64
    log_probs: F32
    advantages: F32
    targets: F32
    values: F32


class Clock:
    """Adds up what wall-clock time goes into."""

    def __init__(self, spent: dict[str, float]) -> None:
        self.spent = spent
        self.restart()

    def restart(self) -> None:
        """Begin to measure."""
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        """What went by since the last call belongs to `name`."""
        now = time.perf_counter()
        self.spent[name] += now - self._since
        self._since = now


class Tally:
    """Counts how the games of a rollout ended."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.first = 0.0
        self.ties = self.truncated = self.finished = 0
        self.against: list[float] = []

    def add(self, winners: I64, terminated: Bools, sides: I64, shares: F32, lengths: I64) -> None:
        """Games that ended: their winners (-1 nobody), whether by a rule, the learner's side (-1: all), the shares of
        `ladder.shares_of`, and the decisions.
        """
        self.lengths += lengths.tolist()
        self.truncated += int((~terminated).sum())
        own = terminated & (sides < 0)
        self.finished += int(own.sum())
        self.first += float(shares[own].sum())
        self.ties += int((own & (winners < 0)).sum())
        other = terminated & (sides >= 0)
        self.against += shares[other].tolist()

    def figures(self) -> dict[str, float]:
        """Return the games and their mean length, the first player's score and the ties, both of self-play, truncated
        games, and the score against the opponents of the pool.
        """
        score = self.first / self.finished if self.finished else math.nan
        told: dict[str, float] = {
            "games": len(self.lengths),
            "length": float(np.mean(self.lengths)) if self.lengths else math.nan,
            "first_side_score": score,
            "ties": self.ties,
            "truncated": self.truncated,
        }
        return {**told, "pool_score": float(np.mean(self.against))} if self.against else told
