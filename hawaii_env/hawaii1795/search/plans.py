"""Search among whole plans: candidates drawn from a policy, compared by rollouts with common chance.

```python
from hawaii_env.hawaii1795.search import Plans

plans = Plans(game, weights, seed=7)
plans.set_root(state)
plans.run(256)          # rollouts
plans.best()
```

A plan is what the player who decides does until chance or the other player has the word: at movement, the half-turn's
moves; in a battle, one choice. Candidates that reach the same position are one. Sequential halving gives each of them
as many rollouts, drops the worse half, and so on (Karnin 2013). See `playing`.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
import time
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_count, check_kind, check_number
from hawaii_env.errors import GameOverError, OptionError
from hawaii_env.game import Game, check_seed

from .. import core
from . import graph, playing
from .network import Weights

__all__ = ["Plans"]


class Plans:
    """The plans of one decision; what is known of those that begin with the action taken is kept for the next.

    Args:
        game: the game.
        network: a policy with a value.
        most: candidates drawn at each decision.
        halves: ends of half-turns that a rollout plays through before the network values it.
        heat: temperature at which candidates are drawn.
        rollout_heat: temperature at which rollouts draw; 0 takes the likeliest action.
        seed: seed of all draws.

    Raises:
        OptionError: an argument that is none, a network without policy, or a game with custom effects.
    """

    def __init__(
        self,
        game: core.HeldGame,
        network: Weights,
        most: int = 48,
        halves: int = 2,
        heat: float = 1.0,
        rollout_heat: float = 1.0,
        seed: int = 0,
    ) -> None:
        check_kind("game", cast(Any, game), Game)
        check_kind("network", network, Weights)
        if game.custom:
            raise OptionError(
                "a ruleset with custom effects cannot be searched in compiled code: its effects run in Python"
            )
        self.game = game
        self.network: Weights = network
        self.most: int = check_count("most", most)
        self.halves: int = check_count("halves", halves)
        self.heat: float = check_number("heat", heat, above=0)
        self.rollout_heat: float = check_number("rollout_heat", rollout_heat)
        self._core = core.mode_of_jobs(rules=False)
        self._tables: Any = game.tables_in(self._core)
        self._room: Any = self._core.new_buffer()
        self._source: Any = None
        rows, hidden = 2 * self.most, len(network.arrays[3])
        self._plans = np.zeros((rows, playing.MAX_LENGTH), np.int64)
        self._lengths = np.zeros(rows, np.int64)
        self._drawn = np.zeros(rows, np.int64)
        self._keys = np.zeros((rows, graph.KEY_WORDS + 1), np.int64)
        self._begins = np.zeros(rows, np.int64)
        self._totals = np.zeros(rows, np.float64)
        self._seen = np.zeros((2, 8 * graph.KEY_WORDS), np.int8)
        self._sums = np.zeros((2, hidden), np.float32)
        self._me = 0
        self.count: int = 0
        self.rollouts: int = 0
        self._order: list[int] = []
        self.seed(seed)
        self._doors: Any = playing.PLANS.for_a_job(self._examples)

    def seed(self, seed: int) -> None:
        """Seed all draws, and forget what is known."""
        self._seed = int(np.random.SeedSequence(check_seed(seed)).generate_state(1, np.uint32)[0])
        self._root_number = 0
        self.clear()

    def clear(self) -> None:
        """Forget all plans."""
        self.count = 0
        self._lengths[:] = 0
        self._expected: bytes | None = None

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Arguments of the doors, for the compiler."""
        return {
            "prepare": (self._tables, self._room, self._room, self.network.arrays, self._seen, self._sums),
            "draw_plans": self._draw_arguments(0, 0),
            "roll_out": self._play_arguments(np.zeros(0, np.int64), 0),
        }

    def _draw_arguments(self, begin: int, wanted: int) -> tuple[Any, ...]:
        return (
            self._tables, self._source_or_room(), self._room, self.network.arrays, self._seen, self._sums,
            self._plans, self._lengths, self._drawn, self._keys, self._draw_seed(), begin, wanted, self.count,
            float(self.heat),
        )  # fmt: skip

    def _play_arguments(self, alive: NDArray[np.int64], until: int) -> tuple[Any, ...]:
        heat = self.rollout_heat if self.rollout_heat > 0 else playing.NEVER
        return (
            self._tables, self._source_or_room(), self._room, self.network.arrays, self._seen, self._sums,
            self._plans, self._lengths, alive, self._begins, until, self._totals, self._draw_seed(), float(heat),
            self.halves,
        )  # fmt: skip

    def _source_or_room(self) -> Any:
        return self._room if self._source is None else self._source

    def _draw_seed(self) -> int:
        return (self._seed + 7919 * self._root_number) & 0xFFFFFFFF

    def set_root(self, state: core.HeldState) -> None:
        """Draw the plans of this position; those that the action taken has begun are kept, with their rollouts.

        Raises:
            GameOverError: the game is over.
            OptionError: chance has the word.
        """
        if state.is_terminal:
            raise GameOverError("the game is over: there is nothing to plan")
        source = self._core.copy_of(state._buffer)
        core.forget_generators(source)
        self._source = source
        player = cast(Any, state).current_player
        if player not in (0, 1):
            raise OptionError("chance has the word: there is nothing to plan")
        self._me = int(player)
        going_on = self._expected is not None and self._position() == self._expected
        if not going_on:
            self.clear()
            self._root_number += 1
        self._expected = None
        self._doors.prepare(self._tables, source, self._room, self.network.arrays, self._seen, self._sums)
        before = self.count
        # A plan that goes on has been among the candidates, and the policy's own is drawn once.
        self.count = int(self._doors.draw_plans(*self._draw_arguments(self._next_draw if going_on else 0, self.most)))
        self._next_draw = (self._next_draw if going_on else 0) + self.most
        self._begins[before : self.count] = 0
        self._totals[before : self.count] = 0.0
        self._order = list(range(self.count))

    def _position(self) -> bytes:
        return self.key_of(self._source)

    def key_of(self, buffer: Any) -> bytes:
        """The bytes of a position, generators aside."""
        return core.to_bytes(buffer)[KEY]

    def run(self, rollouts: int | None = 256, seconds: float | None = None) -> int:
        """Compare the plans by so many rollouts, or for so long. Returns how many were played.

        Raises:
            OptionError: no limit at all, or no root.
        """
        if self._source is None:
            raise OptionError("set_root() first")
        if rollouts is None and seconds is None:
            raise OptionError("rollouts or seconds: one of them is wanted")
        begin = time.perf_counter()
        alive = list(range(self.count))
        played = 0
        rounds = max(1, int(np.ceil(np.log2(max(2, len(alive))))))
        for number in range(rounds):
            if len(alive) < 2:
                break
            share = (number + 1) / rounds
            if rollouts is not None:
                more = max(1, int(rollouts / rounds / len(alive)))
                until = int(self._begins[alive].min()) + more
                played += self._play(alive, until)
                if seconds is not None and time.perf_counter() - begin >= seconds:
                    break
            else:
                assert seconds is not None
                until = int(self._begins[alive].min())
                while True:
                    until += 1
                    played += self._play(alive, until)
                    if time.perf_counter() - begin >= share * seconds:
                        break
            alive = self._best_of(alive, (len(alive) + 1) // 2)
        self._order = alive
        self.rollouts += played
        return played

    def _play(self, alive: list[int], until: int) -> int:
        rows = np.array(alive, np.int64)
        done = int(self._doors.roll_out(*self._play_arguments(rows, until)))
        self._begins[rows] = np.maximum(self._begins[rows], until)
        return done

    def _best_of(self, alive: list[int], n: int) -> list[int]:
        """The best n, the better first; of equals the one drawn earlier."""
        means = self.means
        return sorted(alive, key=lambda p: (-means[p], p))[:n]

    @property
    def means(self) -> NDArray[np.float64]:
        """Each plan's mean value for who decides, -1 to 1, float64[count]; -2 where it was not played."""
        n, totals = self._begins[: self.count], self._totals[: self.count]
        sign = 1.0 if self._me == 0 else -1.0
        return np.where(n > 0, sign * totals / np.maximum(n, 1), -2.0)

    @property
    def visits(self) -> NDArray[np.int64]:
        """Rollouts of each plan, int64[count]."""
        return self._begins[: self.count].copy()

    def plan(self, number: int) -> list[int]:
        """The actions of a plan."""
        return self._plans[number, : self._lengths[number]].tolist()

    def best_plan(self) -> int:
        """The number of the best plan of those that were not dropped."""
        return self._best_of(self._order, 1)[0]

    def best(self) -> int:
        """The first action of the best plan; the plans that begin with it are kept for the next position."""
        number = self.best_plan()
        action = int(self._plans[number, 0])
        self._keep(action)
        return action

    def _keep(self, action: int) -> None:
        """Forget the plans that begin otherwise, and the first action of the others."""
        after = self.game.state_of(self._core.copy_of(self._source))
        cast(Any, after).apply(action)
        self._expected = self.key_of(after._buffer)
        kept = [p for p in range(self.count) if self._plans[p, 0] == action and self._lengths[p] > 1]
        n = len(kept)
        # As many may be drawn anew as there is room for beside those.
        kept = sorted(sorted(kept, key=lambda p: (-self._begins[p], p))[: self.most])
        n = len(kept)
        self._plans[:n, :-1] = self._plans[kept, 1:]
        for array in self._drawn, self._keys, self._begins, self._totals:
            array[:n] = array[kept]
        self._lengths[:n] = self._lengths[kept] - 1
        self.count = n


KEY = slice(8 * core.OFFSET["month"], 8 * core.OFFSET["n_legal"])
"""The bytes of a state that are its position."""
