"""Pools: positions, rulesets or opponents from which an environment draws at the start of each game.

```python
pool = Pool(["random", "mcts:sims=100"], weights=[3, 1])  # an item in four games is the second
```

Draws depend only on the environment's seed. Compiled code draws, so a pool costs a batch nothing.
"""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_count
from hawaii_env.core.rng import pick
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import Game, State, difference
from hawaii_env.games import find
from hawaii_env.texts import read_bytes, show_value

__all__ = ["Draws", "Pool", "is_drawn", "pool_of"]


class Pool:
    """Weighted items, one of which each game draws.

    Args:
        items: the items; or a sampler, a function of a `numpy.random.Generator` that returns an item. It is called
            `size` times at construction, so that no step calls Python.
        weights: relative weights of the items, 0 or more; None means equal weights.
        size: the number of items to sample.
        seed: seed of the sampler's generator.

    Attributes:
        items: the items.
        reach: int64[K], for each item the share of all words of 32 bits up to it; see
            `hawaii_env.core.rng.pick`.

    Raises:
        OptionError: no items, weights that do not match them, or a sampler that raises.
    """

    def __init__(
        self,
        items: Sequence[Any] | Callable[[np.random.Generator], Any],
        weights: Sequence[float] | None = None,
        *,
        size: int = 256,
        seed: int = 0,
    ) -> None:
        if callable(items):
            self.items: list[Any] = _sampled(items, check_count("size", size), check_count("seed", seed, 0))
        elif isinstance(items, Sequence) and not isinstance(items, (str, bytes)):
            self.items = list(items)
        else:
            raise OptionError(f"a pool holds a sequence of items or a sampler, not {show_value(items)}")
        if not self.items:
            raise OptionError("expected at least one, not an empty pool")
        self.reach: NDArray[np.int64] = _reach(weights, len(self.items))

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"<Pool of {len(self.items)}>"


def _sampled(sampler: Callable[[np.random.Generator], Any], size: int, seed: int) -> list[Any]:
    rng, made = np.random.default_rng(seed), []
    for number in range(size):
        try:
            made.append(sampler(rng))
        except Exception as error:
            raise OptionError(f"the sampler raised {error!r} for item {number}") from error
    return made


def _reach(weights: Any, n: int) -> NDArray[np.int64]:
    """Return the cumulative shares of weights in words of 32 bits."""
    try:
        given = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"weights: expected {n} numbers of 0 or more, not {show_value(weights)}") from None
    if given.shape != (n,) or not all(map(math.isfinite, given.tolist())) or (given < 0).any() or not given.any():
        raise OptionError(f"weights: expected {n} numbers of 0 or more, not all 0; not {show_value(weights)}")
    share = np.cumsum(given / given.max())
    reach = np.round(share / share[-1] * (1 << 32)).astype(np.int64)
    reach[np.flatnonzero(given)[-1] :] = 1 << 32
    return reach


def pool_of(name: str, value: Any) -> Pool:
    """Return the pool that an argument names: a pool, a sampler, or a sequence. Raises OptionError, naming it."""
    try:
        return value if isinstance(value, Pool) else Pool(value)
    except OptionError as error:
        raise OptionError(f"{name}: {error}") from error


def is_drawn(rules: object) -> bool:
    """Return True if each game draws its ruleset from this value of the option `rules`."""
    return isinstance(rules, Pool) or callable(rules)


class Draws:
    """Games and start positions that environments draw at the start of each game.

    Attributes:
        games: the game of each entry.
        positions: the position of each entry, or None for the start of the game.
        reach: int64[K]; see `Pool`.
    """

    def __init__(self, games: Sequence[Game], positions: Sequence[State | None], reach: NDArray[np.int64]) -> None:
        self.games: list[Game] = list(games)
        self.positions: list[State | None] = list(positions)
        self.reach: NDArray[np.int64] = reach

    @classmethod
    def of_rules(cls, name: str, rules: Any, options: Mapping[str, Any]) -> Draws:
        """Return the draws of a game's rulesets.

        Raises:
            OptionError: not a pool; RulesetError: a wrong ruleset. The message names its index.
        """
        pool = pool_of("rules", rules)
        made: list[Game] = []
        known: dict[int, Game] = {}
        for number, item in enumerate(pool.items):
            try:
                game = known[id(item)] = known.get(id(item)) or find(name).make(**options, rules=item)
            except HawaiiError as error:
                raise type(error)(f"rules: item {number}: {error}") from error
            made.append(game)
        return cls(made, [None] * len(made), pool.reach)

    @classmethod
    def of_starts(cls, starts: Any, games: Sequence[Game]) -> Draws:
        """Return the draws of positions.

        Args:
            starts: a pool, a sampler or a sequence of positions, or the path of a file with one position per line, as
                written by `State.to_json(secrets=True)`.
            games: the games of the environments.

        Raises:
            OptionError: an unreadable file, something other than a State, or a position of another game or of a
                finished one.
        """
        where, first = "starts: item", 0
        if isinstance(starts, (str, os.PathLike)):
            where, first = f"starts: {os.fspath(starts)!r}, line", 1
            starts = _read_file(os.fspath(starts), games)
        pool = pool_of("starts", starts)
        known = {id(game): game for game in games}
        positions: list[State] = []
        for number, item in enumerate(pool.items, first):
            if not isinstance(item, State):
                raise OptionError(f"{where} {number}: expected a State, not {show_value(item)}")
            if id(item.game) not in known:
                mine = next((game for game in known.values() if not difference(item.game, game)), None)
                if mine is None:
                    other = difference(item.game, games[0])
                    raise OptionError(f"{where} {number}: the state is a position of {other}")
                known[id(item.game)] = mine
            if item.is_terminal:
                raise OptionError(f"{where} {number}: the state is the position of a game that is over")
            positions.append(item.explicit())
        return cls([known[id(item.game)] for item in pool.items], positions, pool.reach)

    def __len__(self) -> int:
        return len(self.games)

    def draw(self, words: Any) -> tuple[Game, State | None]:
        """Return the next game and its position, drawn by the generator of four words."""
        at = pick(words, self.reach)
        return self.games[at], self.positions[at]


def _read_file(path: str, games: Sequence[Game]) -> list[State]:
    """Return the positions of a file. Raises OptionError, which names file and line."""
    try:
        lines = read_bytes(path).decode().splitlines()
    except (OSError, ValueError) as error:
        raise OptionError(f"starts: {path!r} cannot be read: {error}") from error
    if not lines:
        raise OptionError(f"starts: {path!r} has no position")
    found: list[State] = []
    distinct = list({id(game): game for game in games}.values())
    for number, line in enumerate(lines, 1):
        wrong: HawaiiError | None = None
        for game in distinct:
            try:
                found.append(game.state_from_json(line))
                break
            except HawaiiError as error:
                wrong = error
        else:
            raise OptionError(f"starts: {path!r}, line {number}: {wrong}")
    return found


def begin_game(game: Game, start: State | None, before: State | None, seed: int | None, trace: bool = False) -> State:
    """Return the first position of an environment's next game.

    Args:
        game: the game.
        start: the position to start from, or None.
        before: the environment's last state, whose generators continue unless there is a seed; or None.
        seed: seed of the game's generators, or None.
        trace: True traces the game from the start.
    """
    if seed is None and before is not None:
        return before.begin_after(game, start, trace)
    if start is None:
        return game.initial_state(seed=seed, trace=trace)
    return start.clone(seed=secrets.randbits(62) if seed is None else seed, trace=trace)
