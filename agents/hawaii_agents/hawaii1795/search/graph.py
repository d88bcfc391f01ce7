"""Graph of a Monte Carlo search with explicit chance nodes, in compiled code.

A node is a position in which somebody decides, chance decides, or the game is over; its edges are the legal actions, or
the outcomes of chance that differ in effect. Ways that lead to one position lead to one node: positions are equal when
their keys are, in which pieces of one kind are interchangeable, and their legal actions are. Keys are compared whole; a
hash only says where to look.

The value of a node is computed from the nodes below it: at chance as the mean by its exact probabilities, at a decision
as the mean by visits. Beside it each node has bounds: those of ends are exact, those of positions not yet valued are -1
and 1. They are backed up as best play has it, so they hold whatever was sampled; where they meet the value is proved.
Actions that the bounds rule out are tried no more, and simulations go where bounds are open.

All values are Kamehameha's, from -1 to 1. `simulations` lets the graph grow; `Search` holds it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hawaii_env.core import rule
from hawaii_env.hawaii1795.fast import (
    CARD,
    N_CODES,
    OVER,
    is_chance,
    merge_faces,
    new_spare,
)

from .values import end_value

# Who acts at a node: players 0 and 1, then:
AT_CHANCE, AT_END = 2, 3

# Columns of `Graph.nodes`, of `Graph.edges` and of `Graph.values`; what `Graph.sizes` counts.
FIRST, COUNT, ACTOR, SEEN, STAMP = 0, 1, 2, 3, 4
KEY, CHILD, VISITS = 0, 1, 2
VALUE, LOW, HIGH, OWN, OWN_N = 0, 1, 2, 3, 4
NODES, EDGES, SIMULATIONS, STAMPS, SWEPT, MOST_NODES, MOST_EDGES = 0, 1, 2, 3, 4, 5, 6

KEY_WORDS = (N_CODES + 1) // 2
"""A key is N_CODES numbers, int32, read as int64."""

MAX_CHAIN = 256  # chance nodes in a row that one simulation adds
MAX_EDGES = 128  # of a node
SPARE_EDGES = MAX_CHAIN * 9 + MAX_EDGES  # a simulation may need so many
EDGES_A_NODE = 8  # that arrays have beside; games have 3 to 6 a node
CLOSED = 1e-9  # bounds this near have met

BYTES = 5 * 4 + 5 * 8 + 8 * KEY_WORDS + 2 * 4 + EDGES_A_NODE * (3 * 4 + 8)
"""Memory of a position in the graph, its edges and its two slots with it."""

PRIME = 0x100000001B3
START = 0x4BF29CE484222325
NOWHERE = 0x7FFFFFFFFFFFFFFF


class Graph(NamedTuple):
    """The arrays of a search.

    Attributes:
        nodes: int32[N, 5]: first edge, number of edges, who acts, visits, stamp of the last simulation.
        edges: int32[E, 3]: action or outcome, child or -1, visits.
        priors: float64[E].
        values: float64[N, 5]: value, bounds, sum and number of the values of the position itself.
        keys: int64[N, KEY_WORDS].
        slots: int32[S]: a node plus one where its hash leads, or 0.
        sizes: int64[7]: nodes, edges, simulations, stamps, the stamp of the last sweep, most nodes and edges. When it
            is full no node is added: what is found beyond is averaged into the last one.
    """

    nodes: Any
    edges: Any
    priors: Any
    values: Any
    keys: Any
    slots: Any
    sizes: Any


def new_graph(nodes: int, most: int) -> Graph:
    """Return an empty graph in arrays for `nodes` nodes, of at most `most`."""
    n, m = nodes + MAX_CHAIN + 1, EDGES_A_NODE * nodes + SPARE_EDGES + MAX_EDGES + 1
    return Graph(
        np.zeros((n, 5), np.int32), np.zeros((m, 3), np.int32), np.zeros(m), np.zeros((n, 5)),
        np.zeros((n, KEY_WORDS), np.int64), np.zeros(2 * n + 1, np.int32),
        np.array([0, 0, 0, 0, 0, most, EDGES_A_NODE * most], np.int64),
    )  # fmt: skip


# Looking positions up


def _hash(key: Any) -> int:
    value: Any = np.int64(START)
    for i in range(KEY_WORDS):
        value = (value ^ key[i]) * PRIME
        value ^= (value >> 29) & 0x7FFFFFFFF
    return value & NOWHERE


@rule(compiled=_hash)
def hash_of(key: Any) -> int:
    """Return the hash by which a position is looked up."""
    return hash(key.tobytes()) & NOWHERE


@rule
def same_key(one: Any, other: Any) -> bool:
    """Return True if two keys are equal."""
    for i in range(KEY_WORDS):
        if one[i] != other[i]:
            return False
    return True


@rule
def place_of(nodes: Any, edges: Any, keys: Any, slots: Any, key: Any, actor: int, state: Any) -> int:
    """Return the slot of a position: it holds the node's number plus one, or 0 if the position is new."""
    slot = hash_of(key) % len(slots)
    while slots[slot] != 0:
        node = slots[slot] - 1
        same = nodes[node, ACTOR] == actor and same_key(keys[node], key)
        if same and same_actions(nodes, edges, node, actor, state):
            return slot
        slot = slot + 1 if slot + 1 < len(slots) else 0
    return slot


@rule
def same_actions(nodes: Any, edges: Any, node: int, actor: int, state: Any) -> bool:
    """Return True if the edges of a decision are the legal actions of the state."""
    if actor > 1:
        return True
    if nodes[node, COUNT] != state.n_legal:
        return False
    first = nodes[node, FIRST]
    for i in range(state.n_legal):
        if edges[first + i, KEY] != state.legal[i]:
            return False
    return True


@rule
def actor_of(rules: Any, state: Any) -> int:
    """Return who acts in a position: a player, AT_CHANCE or AT_END."""
    if state.phase == OVER:
        return AT_END
    if is_chance(rules, state):
        return AT_CHANCE
    return int(state.decider)


# Adding nodes


@rule
def merging_buffers() -> tuple[Any, Any, Any]:
    """Return buffers for `fast.merge_faces`: a state, keys of the faces, and the least equal face of each."""
    return new_spare(), np.empty((6, N_CODES), np.int32), np.empty(6, np.int64)


@rule
def add_node(rules: Any, state: Any, actor: int, source: Any, merging: Any, graph: Graph) -> int:
    """Add a node for a position, with its edges, and return its number. Every action has the same prior, every outcome
    of chance its probability.

    source: the position as `fast.copy_state` takes it; merging: see `merging_buffers`.
    """
    node, first = graph.sizes[NODES], graph.sizes[EDGES]
    n = 0
    if actor == AT_CHANCE:
        n = add_outcomes(rules, state, source, merging, graph)
    elif actor < 2:
        n = state.n_legal
        for i in range(n):
            graph.edges[first + i, KEY] = state.legal[i]
            graph.priors[first + i] = 1.0 / n
    for i in range(first, first + n):
        graph.edges[i, CHILD], graph.edges[i, VISITS] = -1, 0
    graph.nodes[node, :] = 0
    graph.nodes[node, FIRST], graph.nodes[node, COUNT], graph.nodes[node, ACTOR] = first, n, actor
    graph.values[node, :] = 0.0
    graph.values[node, LOW], graph.values[node, HIGH] = -1.0, 1.0
    if actor == AT_END:
        graph.values[node, VALUE : HIGH + 1] = end_value(state)
    graph.sizes[NODES], graph.sizes[EDGES] = node + 1, first + n
    return int(node)


@rule
def add_outcomes(rules: Any, state: Any, source: Any, merging: Any, graph: Graph) -> int:
    """Write the outcomes of a chance node behind the last edge, and return how many there are."""
    first, n = graph.sizes[EDGES], 0
    if state.phase == CARD:
        for number in range(1, 10):
            if (state.left[state.half] >> number) & 1:
                graph.edges[first + n, KEY] = number
                n += 1
        for i in range(n):
            graph.priors[first + i] = 1.0 / n
        return n
    after, faces, least = merging
    merge_faces(rules, state, source, after, faces, least)
    for face in range(1, 7):
        if least[face - 1] == face:
            alike = 0
            for other in range(6):
                alike += least[other] == face
            graph.edges[first + n, KEY] = face
            graph.priors[first + n] = alike / 6.0
            n += 1
    return n


# Values and bounds


@rule
def is_closed(values: Any, node: int) -> bool:
    """Return True if the bounds of a node have met: its value is proved."""
    return values[node, HIGH] - values[node, LOW] <= CLOSED


@rule
def back_up(nodes: Any, edges: Any, priors: Any, values: Any, node: int) -> None:
    """Compute a node's value and bounds from those of the nodes below it."""
    actor = nodes[node, ACTOR]
    if actor == AT_CHANCE:
        mean_of_chance(nodes, edges, priors, values, node)
    elif actor < 2:
        best_of_actions(nodes, edges, values, node)
    values[node, VALUE] = min(max(values[node, VALUE], values[node, LOW]), values[node, HIGH])


@rule
def mean_of_chance(nodes: Any, edges: Any, priors: Any, values: Any, node: int) -> None:
    """Write the mean by the exact chances. Outcomes not yet tried count as the others; their bounds are -1 and 1."""
    first = nodes[node, FIRST]
    low, high, total, share = 0.0, 0.0, 0.0, 0.0
    for i in range(first, first + nodes[node, COUNT]):
        child, p = edges[i, CHILD], priors[i]
        if child < 0:
            low -= p
            high += p
            continue
        low += p * values[child, LOW]
        high += p * values[child, HIGH]
        if nodes[child, SEEN] > 0:
            total += p * values[child, VALUE]
            share += p
    if values[node, OWN_N] > 0.0 and share < 1.0:
        total += (1.0 - share) * values[node, OWN] / values[node, OWN_N]
        share = 1.0
    if share > 0.0:
        values[node, VALUE] = total / share
    values[node, LOW], values[node, HIGH] = max(values[node, LOW], low), min(values[node, HIGH], high)


@rule
def best_of_actions(nodes: Any, edges: Any, values: Any, node: int) -> None:
    """Write the mean by visits of the actions that the bounds do not rule out and of the node's own value, and the
    bounds of the best action.
    """
    first = nodes[node, FIRST]
    end = first + nodes[node, COUNT]
    mine = nodes[node, ACTOR] == 0
    low, high = -2.0, -2.0  # for the player who decides
    for i in range(first, end):
        child = edges[i, CHILD]
        if child < 0:
            low, high = max(low, -1.0), 1.0
        elif mine:
            low, high = max(low, values[child, LOW]), max(high, values[child, HIGH])
        else:
            low, high = max(low, -values[child, HIGH]), max(high, -values[child, LOW])
    if not mine:
        low, high = -high, -low
    values[node, LOW], values[node, HIGH] = max(values[node, LOW], low), min(values[node, HIGH], high)
    total, weight = values[node, OWN], values[node, OWN_N]
    for i in range(first, end):
        child = edges[i, CHILD]
        if child >= 0 and nodes[child, SEEN] > 0 and not ruled_out(values, node, child, mine):
            total += edges[i, VISITS] * values[child, VALUE]
            weight += edges[i, VISITS]
    if weight > 0.0:
        values[node, VALUE] = total / weight


@rule
def ruled_out(values: Any, node: int, child: int, mine: bool) -> bool:
    """Return True if another action is proved to be better for who decides at the node."""
    if mine:
        return values[child, HIGH] < values[node, LOW]
    return values[child, LOW] > values[node, HIGH]


@rule
def sweep(graph: Graph) -> None:
    """Back up all nodes, the newest first, so that what one way has found reaches the others."""
    for i in range(graph.sizes[NODES]):
        back_up(graph.nodes, graph.edges, graph.priors, graph.values, graph.sizes[NODES] - 1 - i)


# Choosing edges


@rule
def choose(nodes: Any, edges: Any, priors: Any, values: Any, node: int, c: float, fpu: float, open_only: bool) -> int:
    """Return the edge of a decision that PUCT takes, by value + c prior sqrt(N) / (1 + n), the value as the mover sees
    it; -1 if none is left.

    An action not yet tried counts as the node's value less `fpu`. Actions that are ruled out are left out; with
    `open_only` those that are proved, too.
    """
    first = nodes[node, FIRST]
    mine = nodes[node, ACTOR] == 0
    sign = 1.0 if mine else -1.0
    untried = sign * values[node, VALUE] - fpu
    scale = c * np.sqrt(nodes[node, SEEN] + 1.0)
    best, edge = -1e30, -1
    for i in range(first, first + nodes[node, COUNT]):
        child = edges[i, CHILD]
        mean = untried
        if child >= 0:
            if ruled_out(values, node, child, mine) or (open_only and is_closed(values, child)):
                continue
            if nodes[child, SEEN] > 0:
                mean = sign * values[child, VALUE]
        score = mean + scale * priors[i] / (1.0 + edges[i, VISITS])
        if score > best:
            best, edge = score, i
    return edge


@rule
def choose_open(nodes: Any, edges: Any, priors: Any, values: Any, node: int, c: float, fpu: float) -> int:
    """Return the edge that a simulation takes below the root: as `choose`, but an action whose value is proved only
    gets a visit, and the best of the others is taken.
    """
    edge = choose(nodes, edges, priors, values, node, c, fpu, False)
    child = edges[edge, CHILD]
    if child >= 0 and is_closed(values, child):
        other = choose(nodes, edges, priors, values, node, c, fpu, True)
        if other >= 0:
            edges[edge, VISITS] += 1
            nodes[node, SEEN] += 1
            return other
    return edge


@rule
def chance_edge(nodes: Any, edges: Any, priors: Any, values: Any, node: int) -> int:
    """Return the outcome of a chance node that has had the least of its share; shares are the chances times how far the
    bounds are apart.
    """
    first = nodes[node, FIRST]
    best, edge = -1.0, first
    for i in range(first, first + nodes[node, COUNT]):
        child = edges[i, CHILD]
        width = 2.0 if child < 0 else values[child, HIGH] - values[child, LOW]
        score = priors[i] * width / (1.0 + edges[i, VISITS])
        if score > best:
            best, edge = score, i
    return int(edge)


# Keeping a part


@rule
def extract(root: int, most: int, graph: Graph, new: Graph) -> None:
    """Copy the nodes that can follow `root`, the nearest `most` of them, into an empty graph that is at least as large.
    An edge whose node is left out counts as not tried.
    """
    number = np.full(graph.sizes[NODES], -1, np.int32)
    origin = np.empty(graph.sizes[NODES], np.int32)
    origin[0], number[root] = root, 0
    n, m, at = 1, 0, 0
    while at < n:
        node = origin[at]
        first = graph.nodes[node, FIRST]
        new.nodes[at, :] = graph.nodes[node, :]
        new.nodes[at, FIRST], new.nodes[at, STAMP] = m, 0
        new.values[at, :] = graph.values[node, :]
        new.keys[at, :] = graph.keys[node, :]
        slot = hash_of(graph.keys[node]) % len(new.slots)
        while new.slots[slot] != 0:
            slot = slot + 1 if slot + 1 < len(new.slots) else 0
        new.slots[slot] = at + 1
        for i in range(first, first + graph.nodes[node, COUNT]):
            new.edges[m, :] = graph.edges[i, :]
            new.priors[m] = graph.priors[i]
            child = graph.edges[i, CHILD]
            if child >= 0:
                if number[child] < 0 and n < most:
                    number[child], origin[n] = n, child
                    n += 1
                new.edges[m, CHILD] = number[child]
                if number[child] < 0:
                    new.edges[m, VISITS] = 0
            m += 1
        at += 1
    new.sizes[NODES], new.sizes[EDGES] = n, m
    new.sizes[SIMULATIONS] = new.edges[: new.nodes[0, COUNT], VISITS].sum()
