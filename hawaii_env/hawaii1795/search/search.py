"""Search of a position of Hawaii, 1795: the compiled tree of `tree`, with its arrays.

```python
from hawaii_env.hawaii1795.search import Search

search = Search(game, seed=7)                 # values: random play to the game's end
search.set_root(state)
search.run(1000)
search.actions, search.visits, search.means   # means for the player to act, from -1 to 1
search.best()
```

With a network (`Search(game, network=weights)`) positions are valued by it, and actions have its priors.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
import time
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_kind, check_number
from hawaii_env.errors import GameOverError, OptionError
from hawaii_env.game import Game, check_seed

from .. import core
from ..observation import SIZE
from . import tree
from .network import Weights

__all__ = ["Search", "Weights"]

VALUES = {"net": tree.NET, "half": tree.HALF, "game": tree.GAME}
LIMIT = 1 << 30


def _blank() -> Weights:
    """The arrays of a network of no units: all values 0."""
    zero = np.zeros
    return Weights(
        {
            "first.weight": zero((0, SIZE)), "first.bias": zero(0), "worth.weight": zero((0, 0)), "worth.bias": zero(0),
            "score.weight": zero((1, 0)), "score.bias": zero(1),
        }
    )  # fmt: skip


class Search:
    """A search tree over one game, kept from move to move.

    Args:
        game: the game.
        network: what values positions, and gives priors where it has a policy; None: equal priors.
        values: how a new position is valued: ``"net"`` by the network, ``"half"`` by random play to the end of the
            half-turn and then the network, ``"game"`` by random play to the game's end. None: ``"net"`` with a network,
            else ``"game"``.
        c: weight of PUCT's exploration.
        fpu: what an action not yet tried is thought to be worse than its node's mean.
        restless: in random play, the chance that movement is gone on with where it could end.
        heat: temperature of the priors' softmax.
        seed: seed of the search's own generator.

    Raises:
        OptionError: an argument that is none, or a game with custom effects, which run in Python.
    """

    def __init__(
        self,
        game: core.HeldGame,
        network: Weights | None = None,
        values: str | None = None,
        c: float = 1.5,
        fpu: float = 0.2,
        restless: float = 0.25,
        heat: float = 1.0,
        seed: int = 0,
    ) -> None:
        check_kind("game", cast(Any, game), Game)
        if network is not None:
            check_kind("network", network, Weights)
        values = values if values is not None else ("game" if network is None else "net")
        check_choice("values", values, tuple(VALUES))
        if network is None and values != "game":
            raise OptionError(f"values={values!r} needs a network")
        if game.custom:
            raise OptionError(
                "a ruleset with custom effects cannot be searched in compiled code: its effects run in Python"
            )
        self.game = game
        self.network: Weights = network or _blank()
        self.how: int = VALUES[values]
        self.c: float = check_number("c", c)
        self.fpu: float = check_number("fpu", fpu)
        self.restless: float = check_number("restless", restless)
        self.heat: float = check_number("heat", heat)
        self._core = core.mode_of_jobs(rules=False)
        self.seed(seed)
        self._source: Any = None
        self._allocate(1024, 8192)
        self._tables: Any = game.tables_in(self._core)
        self._room: Any = self._core.new_buffer()
        self._doors: Any = tree.SEARCH.for_a_job(self._examples)

    def seed(self, seed: int) -> None:
        """Seed the search's generator."""
        self._words = self._core.words(
            [int(w) for w in np.random.SeedSequence(check_seed(seed)).generate_state(4, np.uint32)]
        )

    def _allocate(self, n: int, m: int) -> None:
        n, m = n + 2 * tree.MAX_CHAIN, m + tree.MAX_CHAIN * 9 + 2 * tree.SPARE_EDGES
        self._nodes = np.zeros((n, 4), np.int32)
        self._edges = np.zeros((m, 3), np.int32)
        self._worths = np.zeros((m, 2), np.float64)
        self._values = np.zeros(n, np.float32)
        self._marks = np.zeros(n, np.int64)
        self._sizes = np.zeros(3, np.int64)

    def _arrays(self) -> tuple[Any, ...]:
        return self._nodes, self._edges, self._worths, self._values, self._marks, self._sizes

    def _grow(self) -> None:
        old, n, m = self._arrays(), len(self._nodes), len(self._edges)
        self._allocate(2 * n, 2 * m)
        for new, before in zip(self._arrays()[:5], old[:5], strict=True):
            new[: len(before)] = before
        self._sizes[:] = old[5]

    def clear(self) -> None:
        """Forget the tree."""
        self._sizes[:] = 0

    def set_root(self, state: core.HeldState) -> int:
        """Search this position from now on; what the tree knows of it is kept. Returns the visits that it starts with.

        Raises:
            GameOverError: the game is over.
        """
        if state.is_terminal:
            raise GameOverError("the game is over: there is nothing to search")
        self._source = self._core.copy_of(state._buffer)
        core.forget_generators(self._source)
        node = -1
        if self._sizes[0]:
            node = int(self._doors.find_node(self._nodes, self._marks, self._sizes, self._doors.mark_of(self._source)))
        if node < 0:
            self.clear()
            return 0
        old = self._arrays()
        self._allocate(len(old[0]), len(old[1]))
        self._doors.extract(node, *old, *self._arrays())
        return int(self._sizes[2])

    def _arguments(self, source: Any, simulations: int) -> tuple[Any, ...]:
        return (
            self._tables, source, self._room, self._words, self.network.arrays, *self._arrays(), simulations, self.how, self.c, self.fpu,
            self.restless, self.heat,
        )  # fmt: skip

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Arguments of the doors, for the compiler."""
        arrays = self._arrays()
        return {
            "search": self._arguments(self._room, 1),
            "find_node": (self._nodes, self._marks, self._sizes, 0),
            "extract": (0, *arrays, *arrays),
            "mark_of": (self._room,),
        }

    def run(self, simulations: int = LIMIT, seconds: float | None = None) -> int:
        """Simulate until the tree has so many simulations more, or the time is over. Returns how many were made."""
        if self._source is None:
            raise OptionError("set_root() first")
        done, begin = 0, time.perf_counter()
        chunk = simulations if seconds is None else 32
        while done < simulations:
            before = int(self._sizes[2])
            outcome: int = self._doors.search(*self._arguments(self._source, min(chunk, simulations - done)))
            done += int(self._sizes[2]) - before
            if outcome == tree.FULL:
                self._grow()
            if seconds is not None:
                spent = time.perf_counter() - begin
                if spent >= seconds:
                    break
                # As many more as fit into the time left, in steps that double at most.
                chunk = max(8, min(2 * chunk, int(done / max(spent, 1e-6) * (seconds - spent))))
        return done

    # What was found

    def _root(self) -> tuple[NDArray[np.int64], slice]:
        first, count = int(self._nodes[0, tree.FIRST]), int(self._nodes[0, tree.COUNT])
        edges = slice(first, first + count)
        return self._edges[edges, tree.KEY].astype(np.int64), edges

    @property
    def actions(self) -> NDArray[np.int64]:
        """The root's legal actions, ascending; at a chance node its outcomes."""
        return self._root()[0]

    @property
    def visits(self) -> NDArray[np.int64]:
        """How often each action was tried."""
        return self._edges[self._root()[1], tree.VISITS].astype(np.int64)

    @property
    def priors(self) -> NDArray[np.float64]:
        """Each action's prior."""
        return self._worths[self._root()[1], tree.PRIOR].copy()

    @priors.setter
    def priors(self, values: Any) -> None:
        self._worths[self._root()[1], tree.PRIOR] = values

    @property
    def means(self) -> NDArray[np.float64]:
        """Each action's mean value for the player to act, from -1 to 1; nan where it was not tried."""
        edges = self._root()[1]
        visits = self._edges[edges, tree.VISITS]
        sign = -1.0 if self._nodes[0, tree.ACTOR] == 1 else 1.0
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(visits > 0, sign * self._worths[edges, tree.TOTAL] / visits, np.nan)

    @property
    def value(self) -> float:
        """The root's mean value for player 0, from -1 to 1."""
        edges = self._root()[1]
        total = float(self._worths[edges, tree.TOTAL].sum()) + float(self._values[0])
        return total / (1 + int(self._edges[edges, tree.VISITS].sum()))

    @property
    def simulations(self) -> int:
        """Simulations in the tree."""
        return int(self._sizes[2])

    @property
    def nodes(self) -> int:
        """Positions in the tree."""
        return int(self._sizes[0])

    def best(self) -> int:
        """The action tried most often; of equals the one of the higher mean."""
        visits, means = self.visits, np.nan_to_num(self.means, nan=-2.0)
        return int(self.actions[np.lexsort((means, visits))[-1]])

    def line(self, length: int = 20) -> list[tuple[str, int]]:
        """The principal variation: pairs of ``"action"`` or ``"chance"`` and the action or outcome tried most often."""
        found: list[tuple[str, int]] = []
        node = 0
        while len(found) < length and node >= 0 and self._nodes[node, tree.COUNT]:
            first = int(self._nodes[node, tree.FIRST])
            edges = self._edges[first : first + int(self._nodes[node, tree.COUNT])]
            edge = cast(Any, edges)[int(edges[:, tree.VISITS].argmax())]
            if not edge[tree.VISITS]:
                break
            found.append(
                ("chance" if self._nodes[node, tree.ACTOR] == tree.AT_CHANCE else "action", int(edge[tree.KEY]))
            )
            node = int(edge[tree.CHILD])
        return found
