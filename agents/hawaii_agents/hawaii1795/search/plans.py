"""Search among whole plans: candidates drawn from a policy, or without one, compared by rollouts with common chance.

```python
from hawaii_agents.hawaii1795.search import Plans

plans = Plans(game, policy.tensors, seed=7)
plans.set_root(state)
plans.run(256)          # rollouts
plans.best()
```

A plan is what the player who decides does until chance or the other player has the word: at movement the half-turn's
moves, in a battle one choice. Candidates that reach the same position are one. Sequential halving gives each of them as
many rollouts, drops the worse half, and so on (Karnin 2013). See `playing`. Without a policy the last few are compared
by what the enemy can answer, see `answers`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agents import check_count, check_kind, check_number
from hawaii_env.errors import GameOverError, OptionError
from hawaii_env.game import CHANCE, check_seed
from hawaii_env.hawaii1795 import Game, State
from hawaii_env.hawaii1795.fast import new_record, position_bytes, records

from . import graph, playing
from .answers import ANSWERS, cost
from .network import Weights, blank
from .search import LIMIT
from .static import Static

__all__ = ["Plans"]

PLANNED = frozenset(("setup", "home", "recruiting", "withdrawal", "movement", "pickup", "cargo", "sail"))
"""Phases in which a plan is more than one choice."""
FEWEST, SHARE = 8, 4
"""Candidates drawn: one for SHARE rollouts, at least FEWEST, at most `Plans.most`."""
GUIDED, BLANK = (48, 2), (512, 1)
"""Candidates and half-turns where nothing else is said, with a network and without."""
DRAWING = 0.2
"""The share of the time in which candidates are drawn."""
DEEP = 0.5
"""The share of rollouts, or of the time, that goes into answers."""
MOST_ANSWERED, EACH = 8, 16
"""Candidates that are compared by answers, at most; and rollouts with answers that each of them has, at least."""
SPEED = 50_000.0
"""Rollouts a second that are reckoned with before any was timed, where time is the limit."""
SALT = 7919


class Plans:
    """The plans of one decision; those that begin with the action taken are kept for the next, with their rollouts.

    Args:
        game: the game.
        tensors: arrays of a policy with a value by name (`network.TENSORS`). None: candidates are drawn by
            `proposals`, rollouts go on quietly to the end of the half-turn, and the static evaluation values them.
        most: candidates drawn at a decision, at most; those kept come on top. None: 48, or 512 without a network.
        halves: ends of half-turns that a rollout plays through before it is valued. None: 2, or 1 without a network.
        heat: temperature at which candidates are drawn.
        rollout_heat: temperature at which rollouts draw; 0 takes the likeliest action.
        seed: seed of all draws.
        scouted: so many candidates come from a search without the network, its best, whatever the network thinks of
            them: where its games never came to, a policy may overlook what wins. 0: none.
        scouting: rollouts of that search for each of this one; by time it has the share `DRAWING`.
        answers: without a network, plans of the enemy among which he chooses his answer to each of the last candidates,
            where there are rollouts enough for that. 0: he goes on quietly, and what he threatens is estimated.

    Raises:
        OptionError: an argument that is none, or a network without policy.
    """

    def __init__(
        self,
        game: Game,
        tensors: Mapping[str, Any] | None = None,
        most: int | None = None,
        halves: int | None = None,
        heat: float = 1.7,
        rollout_heat: float = 0.5,
        seed: int = 0,
        scouted: int = 0,
        scouting: float = 4.0,
        answers: int = 0,
    ) -> None:
        check_kind("game", cast(Any, game), Game)
        self.network: Weights = blank(game) if tensors is None else Weights(tensors, game)
        if tensors is not None and not self.network.has_policy:
            raise OptionError("network: plans are drawn from a policy, and it has none")
        self.game = game
        self._static = Static.of(game).arrays
        defaults = BLANK if tensors is None else GUIDED
        self.most: int = check_count("most", defaults[0] if most is None else most)
        self.halves: int = check_count("halves", defaults[1] if halves is None else halves)
        self.heat: float = check_number("heat", heat, above=0)
        self.rollout_heat: float = check_number("rollout_heat", rollout_heat)
        self.scouted: int = check_count("scouted", scouted, 0)
        self.scouting: float = check_number("scouting", scouting, above=0)
        self.answers: int = check_count("answers", answers, 0)
        if tensors is not None and self.answers:
            raise OptionError("answers: with a network the enemy answers by its policy")
        self._scout = Plans(game, seed=seed + 1) if tensors is not None and self.scouted else None
        self._tables: Any = new_record()  # for the compiler, until `set_root`
        self._spare: Any = new_record()
        self._second_spare: Any = new_record()
        self._source: Any = new_record()
        rows, hidden = 2 * self.most + self.scouted, len(self.network.arrays.policy_bias)
        self._plans = np.zeros((rows, playing.MAX_LENGTH), np.int64)
        self._lengths = np.zeros(rows, np.int64)
        self._keys = np.zeros((rows, graph.KEY_WORDS + 1), np.int64)
        self._visits = np.zeros(rows, np.int64)
        self._totals = np.zeros(rows, np.float64)
        self._answered = np.zeros(rows, np.int64)  # rollouts with answers, and their values
        self._answered_totals = np.zeros(rows, np.float64)
        self._seen = np.zeros((2, len(self.network.arrays.template)), np.int8)
        self._sums = np.zeros((2, hidden), np.float32)
        self._speed = SPEED
        self._root: State | None = None
        self._legal: list[int] = []
        self._sign = 1.0
        self.seed(seed)
        self._entries: Any = playing.PLANS.compile_now(self._examples)
        self._answer: Any = (
            ANSWERS.compile_now(lambda: {"answer": self._answer_arguments(np.zeros(0, np.int64), 0)}).answer
            if self.answers
            else None
        )

    def seed(self, seed: int) -> None:
        """Seed all draws, and forget what is known."""
        self._seed = int(np.random.SeedSequence(check_seed(seed)).generate_state(1, np.uint32)[0])
        if self._scout is not None:
            self._scout.seed(seed + 1)
        self.clear()

    def clear(self) -> None:
        """Forget all plans."""
        if self._scout is not None:
            self._scout.clear()
        self._root = None
        self._count = 0
        self._next_draw = 0
        self._order: list[int] = []
        self.simulations: int = 0

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Return example arguments of the entry points, for the compiler."""
        return {
            "prepare": self._at_root(),
            "draw_plans": self._draw_arguments(0),
            "file_plans": self._file_arguments(self._plans[:1], self._lengths[:1]),
            "roll_out": self._play_arguments(np.zeros(0, np.int64), 0),
        }

    def _at_root(self) -> tuple[Any, ...]:
        return self._tables, self._source, self._spare, self.network.arrays, self._seen, self._sums

    def _draw_arguments(self, wanted: int) -> tuple[Any, ...]:
        known = self._plans, self._lengths, self._keys
        return *self._at_root(), *known, self._seed, self._next_draw, wanted, self._count, self.heat

    def _file_arguments(self, given: NDArray[np.int64], sizes: NDArray[np.int64]) -> tuple[Any, ...]:
        known = self._plans, self._lengths, self._keys
        return self._tables, self._source, self._spare, given, sizes, *known, self._count

    def _play_arguments(self, alive: NDArray[np.int64], until: int) -> tuple[Any, ...]:
        heat = self.rollout_heat if self.rollout_heat > 0 else playing.NEVER
        known = self._plans, self._lengths, alive, self._visits, until, self._totals
        tables, source, spare, net, *sums = self._at_root()
        return tables, source, spare, net, self._static, *sums, *known, self._seed, heat, self.halves

    def _answer_arguments(self, alive: NDArray[np.int64], until: int) -> tuple[Any, ...]:
        known = self._plans, self._lengths, alive, self._answered, until, self._answered_totals
        spares = self._spare, self._second_spare
        return self._tables, self._source, *spares, self._static, *known, self._seed, self.answers

    @staticmethod
    def suits(state: State) -> bool:
        """Return True if a plan is more than one choice here: at set-up, recruits and movement. In battles, whose ways
        meet and end soon, a graph search sees more.
        """
        return state.phase in PLANNED

    def set_root(self, state: State) -> int:
        """Plan for this position from now on; plans that have been begun are kept, with their rollouts.

        Returns:
            0: rollouts that are kept do not count for `run`.

        Raises:
            GameOverError: the game is over.
            OptionError: chance has the word.
        """
        if state.is_terminal:
            raise GameOverError("the game is over: there is nothing to plan")
        player = state.current_player
        if player == CHANCE:
            raise OptionError("chance has the word: there is nothing to plan")
        old, root = self._root, state.clone()
        if old is None or not self._go_on(old, root):
            self._count = self._next_draw = 0
            self._seed = (self._seed + SALT) & 0xFFFFFFFF
        self._root = root
        self._sign = 1.0 if player == 0 else -1.0
        self._legal = state.legal_actions()
        self._tables, self._source = records(state.explicit())
        self._entries.prepare(*self._at_root())
        self._order = list(range(self._count))
        self.simulations = 0
        self._draw(1)
        return 0

    def _go_on(self, old: State, root: State) -> bool:
        """Keep the plans that begin with the action that leads from the old root to the new one, if there is one."""
        wanted = position_bytes(root)
        if position_bytes(old) == wanted:
            return True
        for action in dict.fromkeys(self._plans[: self._count, 0].tolist()):
            kept = np.flatnonzero((self._plans[: self._count, 0] == action) & (self._lengths[: self._count] > 1))
            if not len(kept):
                continue
            after = old.clone()
            after.apply(action)
            if position_bytes(after) == wanted:
                # Those with most rollouts: as many may be drawn anew as were drawn here.
                kept = np.sort(kept[np.argsort(-self._visits[kept], kind="stable")[: self.most]])
                n = len(kept)
                self._plans[:n, :-1] = self._plans[kept, 1:]
                for array in self._keys, self._visits, self._totals, self._answered, self._answered_totals:
                    array[:n] = array[kept]
                self._lengths[:n] = self._lengths[kept] - 1
                self._count = n
                return True
        return False

    def _draw(self, wanted: int) -> None:
        """Draw `wanted` more candidates."""
        before = self._count
        self._count = int(self._entries.draw_plans(*self._draw_arguments(wanted)))
        self._next_draw += wanted
        self._begin_at(before)

    def _scout_around(self, simulations: int, seconds: float | None) -> None:
        """Add the best plans that a search without the network finds."""
        scout = self._scout
        if scout is None or self._root is None or not self.suits(self._root):
            return
        scout.set_root(self._root)
        most = LIMIT if simulations >= LIMIT else max(1, round(self.scouting * simulations))
        scout.run(most, None if seconds is None else DRAWING * seconds)
        means = scout._means()
        # Those that were compared longest, the better first: they outlived the others.
        best = np.lexsort((-means, -scout._visits[: scout._count]))[: self.scouted]
        before = self._count
        self._count = int(self._entries.file_plans(*self._file_arguments(scout._plans[best], scout._lengths[best])))
        self._begin_at(before)

    def _begin_at(self, before: int) -> None:
        """Count the candidates from this row on as new."""
        for array in self._visits, self._totals, self._answered, self._answered_totals:
            array[before : self._count] = 0
        self._order = list(range(self._count))

    def run(self, simulations: int = LIMIT, seconds: float | None = None) -> int:
        """Draw candidates and compare them by so many rollouts, or for so long, what comes first. Return how many were
        played: none if only one plan was found.
        """
        if self._root is None:
            raise OptionError("set_root() first")
        begin = time.perf_counter()
        end = None if seconds is None else begin + seconds
        self._scout_around(simulations, seconds)
        if end is not None:
            begin = time.perf_counter()
            seconds = max(0.0, end - begin)
        self._draw_candidates(simulations, None if seconds is None else begin + DRAWING * seconds)
        before, until = self.simulations, None
        last = self._finalists(simulations if seconds is None else min(simulations, round(self._speed * seconds)))
        quiet = simulations - round(DEEP * simulations) if last else simulations
        if end is not None:
            begin += DRAWING * (end - begin)
            until = end - (DEEP * (end - begin) if last else 0.0)
        started = time.perf_counter()
        alive = self._halve(list(range(self._count)), max(1, last), False, quiet, begin, until)
        if played := self.simulations - before:
            self._speed = played / max(1e-6, time.perf_counter() - started)
        if last:
            begin = begin if until is None else until
            self._halve(alive, 1, True, (simulations - quiet) // cost(self.answers), begin, end)
        return self.simulations - before

    def _finalists(self, simulations: int) -> int:
        """Return how many candidates are compared by answers; 0 if too few rollouts are left for two, or nobody
        answers.
        """
        if not self.answers or self._root is None or not self.suits(self._root):
            return 0
        n = round(DEEP * simulations) // (EACH * cost(self.answers))
        return min(n, MOST_ANSWERED) if n > 1 else 0

    def _halve(
        self, alive: list[int], last: int, answered: bool, simulations: int, begin: float, end: float | None
    ) -> list[int]:
        """Play so many rollouts, with answers or without, or until `end`, dropping the worse half again and again until
        `last` are left; return these.
        """
        play = self._play_answers if answered else self._play
        rounds = max(1, (len(alive) - 1).bit_length() - (last - 1).bit_length())
        for number in range(rounds):
            if len(alive) <= last:
                break
            until = None if end is None else begin + (number + 1) / rounds * (end - begin)
            play(alive, max(1, simulations // rounds // len(alive)), until)
            alive = self._best_of(alive, max(last, (len(alive) + 1) // 2), self._means(answered))
            self._order = alive
        return alive

    def _draw_candidates(self, simulations: int, until: float | None) -> None:
        wanted = min(self.most, max(FEWEST, simulations // SHARE))
        step = wanted if until is None else FEWEST
        for drawn in range(0, wanted, step):
            self._draw(min(step, wanted - drawn))
            if until is not None and time.perf_counter() >= until:
                break

    def _play(self, alive: list[int], each: int, until: float | None) -> None:
        """Give plans so many rollouts each, or as many as the time allows: all as many as the least played has then, or
        as they have.
        """
        rows = np.array(alive, np.int64)
        self._give(
            rows, each, until, self._visits, lambda at: int(self._entries.roll_out(*self._play_arguments(rows, at)))
        )

    def _play_answers(self, alive: list[int], each: int, until: float | None) -> None:
        """Give plans so many rollouts with answers each, as `_play` does; one counts as many."""
        rows = np.array(alive, np.int64)
        price = cost(self.answers)
        self._give(
            rows, each, until, self._answered, lambda at: price * int(self._answer(*self._answer_arguments(rows, at)))
        )

    def _give(
        self,
        rows: NDArray[np.int64],
        each: int,
        until: float | None,
        visits: NDArray[np.int64],
        play: Callable[[int], int],
    ) -> None:
        at = int(visits[rows].min())
        goal = at + each
        step = each if until is None else 1
        while at < goal:
            at = min(at + step, goal)
            self.simulations += play(at)
            visits[rows] = np.maximum(visits[rows], at)
            if until is not None and time.perf_counter() >= until:
                break

    def _best_of(self, alive: list[int], n: int, means: NDArray[np.float64]) -> list[int]:
        """Return the best n by some means, the better first; of equals the one drawn earlier."""
        return sorted(alive, key=lambda p: (-means[p], p))[:n]

    def _means(self, answered: bool = False) -> NDArray[np.float64]:
        """Return each plan's mean value for who decides, of rollouts without or with answers; -2 without rollouts."""
        visits, totals = (self._answered, self._answered_totals) if answered else (self._visits, self._totals)
        visits, totals = visits[: self._count], totals[: self._count]
        return np.where(visits > 0, self._sign * totals / np.maximum(visits, 1), -2.0)

    # What was found

    @property
    def plans(self) -> list[tuple[list[int], int, float]]:
        """Return the candidates, the best first: actions, rollouts and mean value for the player to act (nan without
        rollouts), those with answers left out.
        """
        means, first = self._means(), set(self._order)
        rest = self._best_of([p for p in range(self._count) if p not in first], self._count, means)
        return [
            (
                self._plans[p, : self._lengths[p]].tolist(),
                int(self._visits[p]),
                float(means[p]) if self._visits[p] else float("nan"),
            )
            for p in self._best_of(self._order, len(self._order), means) + rest
        ]

    @property
    def actions(self) -> NDArray[np.int64]:
        """Return the root's legal actions, ascending."""
        return np.array(self._legal, np.int64)

    @property
    def visits(self) -> NDArray[np.int64]:
        """Return the rollouts of the plans that begin with each action; if none was needed, 1 for the only plan's."""
        counts = dict.fromkeys(self._legal, 0)
        for p in range(self._count):
            counts[int(self._plans[p, 0])] += int(self._visits[p])
        if not sum(counts.values()):
            counts[self.best()] = 1
        return np.array(list(counts.values()), np.int64)

    @property
    def means(self) -> NDArray[np.float64]:
        """Return the value of each action's best plan for the player to act, from -1 to 1; nan if none was played."""
        best = dict.fromkeys(self._legal, float("nan"))
        for (action, *_), visits, mean in reversed(self.plans):
            if visits:
                best[action] = mean
        return np.array(list(best.values()))

    @property
    def value(self) -> float:
        """Return the best plan's mean for player 0, from -1 to 1; a single plan is played once for it."""
        if self._count and not self._visits[: self._count].any():
            self._play([0], 1, None)
        return self._sign * self.plans[0][2]

    def best(self) -> int:
        """Return the first action of the best plan."""
        return int(self._plans[self._best_of(self._order, 1, self._means())[0], 0])
