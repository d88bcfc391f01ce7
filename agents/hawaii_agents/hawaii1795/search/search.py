"""Search of a position of Hawaii, 1795: the compiled graph of `graph`, which `simulations` let grow.

```python
from hawaii_agents.hawaii1795.search import Search

search = Search(game, seed=7)                 # values: random play to the game's end
search.set_root(state)
search.run(1000)
search.actions, search.visits, search.means   # means for the player to act, from -1 to 1
search.best()
```

With the arrays of a network (`Search(game, policy.tensors)`) it values positions, and gives actions priors.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agents import check_choice, check_kind, check_number
from hawaii_env.errors import GameOverError, OptionError
from hawaii_env.game import check_seed
from hawaii_env.hawaii1795 import Game, State
from hawaii_env.hawaii1795.fast import new_record, records

from . import graph
from .network import Weights, blank
from .simulations import FULL, SEARCH
from .static import Static
from .values import GAME, HALF, NET, STATIC

__all__ = ["Search"]

VALUES = {"net": NET, "half": HALF, "game": GAME, "static": STATIC}
LIMIT = 1 << 30


class Search:
    """A search graph over one game, kept from move to move.

    Args:
        game: the game.
        tensors: arrays of a network by name (`network.TENSORS`): it values positions, and gives priors if it has a
            policy. None: equal priors.
        values: how a new position is valued: ``"net"`` by the network, ``"half"`` by random play to the end of the
            half-turn and then the network, ``"game"`` by random play to the game's end, ``"static"`` by quiet play to
            the end of the half-turn and then rules of thumb (`Static`). None: ``"net"`` with a network, else
            ``"game"``.
        c: weight of PUCT's exploration.
        fpu: what an action not yet tried is thought to be worse than its node's mean.
        restless: in random play, the chance that movement is gone on with where it could end.
        heat: temperature of the priors' softmax.
        seed: seed of the search's own generator.
        memory: greatest size of the graph, in MiB: some 900 bytes a position with its actions. Where it is full the
            search goes on with the positions that it has; `set_root` keeps what can still follow, at most the nearer
            half of what fits.

    Raises:
        OptionError: an argument that is none.
    """

    def __init__(
        self,
        game: Game,
        tensors: Mapping[str, Any] | None = None,
        values: str | None = None,
        c: float = 1.5,
        fpu: float = 0.2,
        restless: float = 0.25,
        heat: float = 1.0,
        seed: int = 0,
        memory: float = 256.0,
    ) -> None:
        check_kind("game", cast(Any, game), Game)
        values = values if values is not None else ("game" if tensors is None else "net")
        check_choice("values", values, tuple(VALUES))
        if tensors is None and values in ("net", "half"):
            raise OptionError(f"values={values!r} needs a network")
        self.game = game
        self.network: Weights = blank(game) if tensors is None else Weights(tensors, game)
        self._static = Static.of(game).arrays
        self.how: int = VALUES[values]
        self.c: float = check_number("c", c)
        self.fpu: float = check_number("fpu", fpu)
        self.restless: float = check_number("restless", restless)
        self.heat: float = check_number("heat", heat)
        self.memory: float = check_number("memory", memory, above=0)
        self._most = max(1, int(self.memory * 2**20 / graph.BYTES))
        self.seed(seed)
        self._source: Any = None
        self._allocate(min(1024, self._most))
        self._tables: Any = new_record()  # for the compiler, until `set_root`
        self._spare: Any = new_record()
        self._entries: Any = SEARCH.compile_now(self._examples)

    def seed(self, seed: int) -> None:
        """Seed the search's generator."""
        self._words = np.random.SeedSequence(check_seed(seed)).generate_state(4, np.uint32).astype(np.int64)

    def _allocate(self, n: int) -> None:
        """Make a new, empty graph for `n` nodes."""
        self._size = n
        self._graph = graph.new_graph(n, self._most)

    def _move(self, root: int, nodes: int, most: int) -> None:
        """Keep what can follow a node, at most `most` nodes, in arrays for `nodes`."""
        old = self._graph
        self._allocate(nodes)
        self._entries.extract(root, most, old, self._graph)

    def clear(self) -> None:
        """Forget the graph."""
        self._graph.slots[:] = 0
        self._graph.sizes[: graph.MOST_NODES] = 0

    def set_root(self, state: State) -> int:
        """Search this position from now on; what is known of it, and of what can follow, is kept. Return the visits of
        its actions that it starts with.

        Raises:
            GameOverError: the game is over.
        """
        if state.is_terminal:
            raise GameOverError("the game is over: there is nothing to search")
        self._tables, self._source = records(state.explicit())
        node = -1
        if self._graph.sizes[graph.NODES]:
            node = int(self._entries.find_node(self._tables, self._source, self._spare, self._graph))
        if node < 0:
            self.clear()
            return 0
        self._move(node, self._size, max(1, self._most // 2))
        return self.simulations

    def _arguments(self, source: Any, simulations: int) -> tuple[Any, ...]:
        positions = self._tables, source, self._spare, self._words
        settings = self.how, self.c, self.fpu, self.restless, self.heat
        return *positions, self.network.arrays, self._static, self._graph, simulations, settings

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Return example arguments of the entry points, for the compiler."""
        return {
            "search": self._arguments(self._spare, 1),
            "find_node": (self._tables, self._spare, self._spare, self._graph),
            "extract": (0, 1, self._graph, self._graph),
        }

    def run(self, simulations: int = LIMIT, seconds: float | None = None) -> int:
        """Simulate until the graph has so many simulations more, or the time is over. Return how many were made."""
        if self._source is None:
            raise OptionError("set_root() first")
        done, begin = 0, time.perf_counter()
        chunk = simulations if seconds is None else 32
        while done < simulations:
            before = self.simulations
            outcome: int = self._entries.search(*self._arguments(self._source, min(chunk, simulations - done)))
            done += self.simulations - before
            if outcome == FULL:
                self._move(0, min(2 * self._size, self._most), self._most)
            if seconds is not None:
                spent = time.perf_counter() - begin
                if spent >= seconds:
                    break
                # As many more as fit into the time left, in steps that double at most.
                chunk = max(8, min(2 * chunk, int(done / max(spent, 1e-6) * (seconds - spent))))
        return done

    # What was found

    def _root(self) -> tuple[NDArray[np.int64], slice]:
        first, count = int(self._graph.nodes[0, graph.FIRST]), int(self._graph.nodes[0, graph.COUNT])
        edges = slice(first, first + count)
        return self._graph.edges[edges, graph.KEY].astype(np.int64), edges

    @property
    def actions(self) -> NDArray[np.int64]:
        """Return the root's legal actions, ascending; at a chance node its outcomes."""
        return self._root()[0]

    @property
    def visits(self) -> NDArray[np.int64]:
        """Return how often each action was tried."""
        return self._graph.edges[self._root()[1], graph.VISITS].astype(np.int64)

    @property
    def priors(self) -> NDArray[np.float64]:
        """Return each action's prior."""
        return self._graph.priors[self._root()[1]].copy()

    @priors.setter
    def priors(self, values: Any) -> None:
        self._graph.priors[self._root()[1]] = values

    def _children(self, column: int, missing: float) -> NDArray[np.float64]:
        """Return a column of the values of the root's children, as the player to act sees it."""
        children = self._graph.edges[self._root()[1], graph.CHILD]
        sign = -1.0 if self._graph.nodes[0, graph.ACTOR] == 1 else 1.0
        return np.where(children >= 0, sign * self._graph.values[children, column], missing)

    @property
    def means(self) -> NDArray[np.float64]:
        """Return each action's value for the player to act, from -1 to 1; nan if it was not tried."""
        return np.where(self.visits > 0, self._children(graph.VALUE, np.nan), np.nan)

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Return what is proved of each action's value for the player to act: float64[actions, 2], least and most."""
        low, high = (self._children(column, missing) for column, missing in ((graph.LOW, -1.0), (graph.HIGH, 1.0)))
        return np.stack([np.minimum(low, high), np.maximum(low, high)], axis=1)

    @property
    def value(self) -> float:
        """Return the root's value for player 0, from -1 to 1."""
        return float(self._graph.values[0, graph.VALUE])

    @property
    def is_solved(self) -> bool:
        """Return True if the root's value is proved."""
        low, high = self._graph.values[0, graph.LOW : graph.HIGH + 1].tolist()
        return self.nodes > 0 and high - low <= graph.CLOSED

    @property
    def simulations(self) -> int:
        """Return the number of simulations from the root."""
        return int(self._graph.sizes[graph.SIMULATIONS])

    @property
    def nodes(self) -> int:
        """Return the number of positions in the graph."""
        return int(self._graph.sizes[graph.NODES])

    @property
    def is_proved(self) -> bool:
        """Return True if the bounds say that no action can be better than `best()`."""
        if not self.nodes:
            return False
        bounds = self.bounds
        top = int(bounds[:, 0].argmax())
        others = np.delete(bounds[:, 1], top)
        return bool(bounds[top, 0] > -1.0 and bounds[top, 0] >= others.max(initial=-1.0) - graph.CLOSED)

    def best(self) -> int:
        """Return the action tried most often, of those that no other is proved to beat; of equals that of the higher
        value.
        """
        visits, means, bounds = self.visits, np.nan_to_num(self.means, nan=-2.0), self.bounds
        standing = bounds[:, 1] >= bounds[:, 0].max() - graph.CLOSED
        proved = standing & (bounds[:, 0] >= np.delete(bounds[:, 1], bounds[:, 0].argmax()).max(initial=-1.0))
        return int(self.actions[np.lexsort((means, visits, proved, standing))[-1]])

    def line(self, length: int = 20) -> list[tuple[str, int]]:
        """Return the principal variation: pairs of ``"action"`` or ``"chance"`` and the action or outcome tried most
        often.
        """
        found: list[tuple[str, int]] = []
        node, gone = 0, set[int]()
        while len(found) < length and node >= 0 and node not in gone and self._graph.nodes[node, graph.COUNT]:
            gone.add(node)
            first = int(self._graph.nodes[node, graph.FIRST])
            edges = self._graph.edges[first : first + int(self._graph.nodes[node, graph.COUNT])]
            edge = edges[int(edges[:, graph.VISITS].argmax())]
            if not edge[graph.VISITS]:
                break
            kind = "chance" if self._graph.nodes[node, graph.ACTOR] == graph.AT_CHANCE else "action"
            found.append((kind, int(edge[graph.KEY])))
            node = int(edge[graph.CHILD])
        return found
