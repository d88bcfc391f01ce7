"""Monte Carlo graph search with explicit chance nodes, in compiled code.

A node is a position in which somebody decides, chance decides, or the game is over; its edges are the legal actions, or
the outcomes of chance that differ in effect. Ways that lead to one position lead to one node: positions are equal when
their keys are, in which pieces of one kind are interchangeable, and their legal actions are. Keys are compared whole; a
hash only says where to look.

A simulation goes down from the root: at decisions by PUCT, at chance to the outcome that has had the least of its
share. It adds the positions that it comes to up to the first decision and values that one. Then the nodes of its way
are computed anew from what is below them: chance as the mean by its exact probabilities, decisions as the mean by
visits. Chance is never valued itself. A way that comes back to itself (a round of battle without effect) ends there.

Each node has bounds beside its value: those of ends are exact, those of positions not yet looked at are -1 and 1. They
are backed up as best play has it, so they hold whatever was sampled; where they meet the value is proved. Actions that
the bounds rule out are tried no more, and simulations go where bounds are open.

All values are Kamehameha's, from -1 to 1. States are not stored: each simulation plays its way again from the root's.
`Search` holds the arrays and is what others call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import EntryPoints, rule
from hawaii_env.hawaii1795.fast import (
    CARD,
    N_TOLD,
    OVER,
    STATE_WORDS,
    apply_action,
    apply_chance,
    buffer_of,
    copy_state,
    is_chance,
    merge_faces,
    run,
    view_rules,
    write_key,
)

from .network import observation_buffers
from .values import GAME, HALF, NET, STATIC, end_value, value_new, value_position

# Who acts at a node: players 0 and 1, then:
AT_CHANCE, AT_END = 2, 3

# Columns of `nodes` (int32), of `edges` (int32) and of `values` (float64, by node).
FIRST, COUNT, ACTOR, SEEN, STAMP = 0, 1, 2, 3, 4
KEY, CHILD, VISITS = 0, 1, 2
VALUE, LOW, HIGH, OWN, OWN_N = 0, 1, 2, 3, 4
# What `sizes` (int64) counts.
NODES, EDGES, SIMULATIONS, STAMPS, SWEPT, MOST_NODES, MOST_EDGES = 0, 1, 2, 3, 4, 5, 6
N_SIZES = 7

KEY_WORDS = (N_TOLD + 1) // 2
"""A key is N_TOLD numbers, int32, read as int64."""

# What stopped `search`.
DONE, FULL = 0, 1

MAX_DEPTH = 2048
MAX_CHAIN = 256  # chance nodes in a row that one simulation adds
MAX_EDGES = 128  # of a node
SPARE_EDGES = MAX_CHAIN * 9 + MAX_EDGES  # a simulation may need so many
CLOSED = 1e-9  # bounds this near have met

PRIME = 0x100000001B3
START = 0x4BF29CE484222325
NOWHERE = 0x7FFFFFFFFFFFFFFF


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
def place_of(key: Any, actor: int, state: Any, nodes: Any, edges: Any, keys: Any, slots: Any) -> int:
    """Return the slot of a position: it holds the node's number plus one, or 0 if the position is new."""
    slot = hash_of(key) % len(slots)
    while slots[slot] != 0:
        node = slots[slot] - 1
        if nodes[node, ACTOR] == actor and same_key(keys[node], key) and same_actions(node, actor, state, nodes, edges):
            return slot
        slot += 1
        if slot == len(slots):
            slot = 0
    return slot


@rule
def same_actions(node: int, actor: int, state: Any, nodes: Any, edges: Any) -> bool:
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
def actor_of(state: Any) -> int:
    """Return who acts in a position: a player, AT_CHANCE or AT_END."""
    if state.phase == OVER:
        return AT_END
    if is_chance(state):
        return AT_CHANCE
    return int(state.decider)


@rule
def add_node(
    rules: Any,
    state: Any,
    actor: int,
    source: Any,
    spare: Any,
    faces: Any,
    least: Any,
    nodes: Any,
    edges: Any,
    priors: Any,
    values: Any,
    sizes: Any,
) -> int:
    """Add a node for a position, with its edges, and return its number. Every action has the same prior, every outcome
    of chance its probability.

    source, spare, faces, least: as `fast.merge_faces` takes them.
    """
    node = sizes[NODES]
    first = sizes[EDGES]
    n = 0
    if actor == AT_CHANCE:
        if state.phase == CARD:
            for number in range(1, 10):
                if (state.left[state.half] >> number) & 1:
                    edges[first + n, KEY] = number
                    n += 1
            for i in range(n):
                priors[first + i] = 1.0 / n
        else:
            merge_faces(rules, state, source, spare, faces, least)
            for face in range(1, 7):
                if least[face - 1] == face:
                    edges[first + n, KEY] = face
                    alike = 0
                    for other in range(6):
                        if least[other] == face:
                            alike += 1
                    priors[first + n] = alike / 6.0
                    n += 1
    elif actor < 2:
        n = state.n_legal
        for i in range(n):
            edges[first + i, KEY] = state.legal[i]
            priors[first + i] = 1.0 / n
    for i in range(first, first + n):
        edges[i, CHILD] = -1
        edges[i, VISITS] = 0
    nodes[node, :] = 0
    nodes[node, FIRST], nodes[node, COUNT], nodes[node, ACTOR] = first, n, actor
    values[node, :] = 0.0
    values[node, LOW], values[node, HIGH] = -1.0, 1.0
    if actor == AT_END:
        values[node, VALUE : HIGH + 1] = end_value(state)
    sizes[NODES] = node + 1
    sizes[EDGES] = first + n
    return node


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
        child = edges[i, CHILD]
        p = priors[i]
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
    values[node, LOW] = max(values[node, LOW], low)
    values[node, HIGH] = min(values[node, HIGH], high)


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
            low = max(low, -1.0)
            high = 1.0
        elif mine:
            low = max(low, values[child, LOW])
            high = max(high, values[child, HIGH])
        else:
            low = max(low, -values[child, HIGH])
            high = max(high, -values[child, LOW])
    if mine:
        values[node, LOW] = max(values[node, LOW], low)
        values[node, HIGH] = min(values[node, HIGH], high)
    else:
        values[node, LOW] = max(values[node, LOW], -high)
        values[node, HIGH] = min(values[node, HIGH], -low)
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
            best = score
            edge = i
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
        wide = 2.0 if child < 0 else values[child, HIGH] - values[child, LOW]
        score = priors[i] * wide / (1.0 + edges[i, VISITS])
        if score > best:
            best = score
            edge = i
    return edge


@rule
def sweep(nodes: Any, edges: Any, priors: Any, values: Any, sizes: Any) -> None:
    """Back up all nodes, the newest first, so that what one way has found reaches the others."""
    for i in range(sizes[NODES]):
        back_up(nodes, edges, priors, values, sizes[NODES] - 1 - i)


@rule
def search(
    tables: Any,
    source: Any,
    spare: Any,
    words: Any,
    net: Any,
    static: Any,
    nodes: Any,
    edges: Any,
    priors: Any,
    values: Any,
    keys: Any,
    slots: Any,
    sizes: Any,
    simulations: int,
    how: int,
    c: float,
    fpu: float,
    restless: float,
    heat: float,
) -> int:
    """Run simulations from `source`, the position of node 0. Return DONE, or FULL when the arrays are too small.

    spare: a state to play on. words: the search's generator. net: `network.Weights.arrays`; static:
    `static.Static.arrays`. nodes: int32[N, 5]; edges: int32[E, 3]; priors: float64[E]; values: float64[N, 5]; keys:
    int64[N, KEY_WORDS]; slots: int32[S], where nodes are found; sizes: int64[7]. At MOST_NODES or
    MOST_EDGES no node is added: what is seen beyond is averaged into the last one.
    """
    rules = view_rules(tables)
    buffers = observation_buffers(net)
    seen = np.zeros(2 * KEY_WORDS, np.int32)
    key = seen.view(np.int64)
    tall = np.empty(len(net[1]), np.float32)
    hidden = np.empty(len(net[3]), np.float32)
    narrow = np.empty(len(net[5]), np.float32)
    after = np.empty(STATE_WORDS, np.int64)
    faces = np.empty((6, N_TOLD), np.int32)
    least = np.empty(6, np.int64)
    path = np.empty(MAX_DEPTH, np.int32)
    on_path = np.empty(MAX_DEPTH, np.int32)
    fresh = sizes[NODES] == 0
    done = 0
    while done < simulations or fresh:
        if sizes[NODES] + MAX_CHAIN >= len(nodes) or sizes[EDGES] + SPARE_EDGES >= len(edges):
            return FULL
        state = copy_state(source, spare)
        run(rules, state)
        sizes[STAMPS] += 1
        node, depth, chain = -1, 0, 0
        if not fresh:
            node = 0
            nodes[node, STAMP] = sizes[STAMPS]
        while True:
            edge, child = -1, -1
            if node >= 0:
                actor = nodes[node, ACTOR]
                if actor == AT_END or depth >= MAX_DEPTH or (node > 0 and is_closed(values, node)):
                    nodes[node, SEEN] += 1
                    break
                if actor == AT_CHANCE:
                    edge = chance_edge(nodes, edges, priors, values, node)
                    apply_chance(rules, state, int(np.int64(edges[edge, KEY])))
                else:
                    if node == 0:
                        edge = choose(nodes, edges, priors, values, node, c, fpu, False)
                    else:
                        edge = choose_open(nodes, edges, priors, values, node, c, fpu)
                    apply_action(rules, state, int(np.int64(edges[edge, KEY])))
                run(rules, state)
                path[depth] = edge
                on_path[depth] = node
                depth += 1
                child = edges[edge, CHILD]
            if child < 0:
                actor = actor_of(state)
                write_key(rules, state, seen)
                slot = place_of(key, actor, state, nodes, edges, keys, slots)
                child = slots[slot] - 1
                if child < 0:
                    if sizes[NODES] >= sizes[MOST_NODES] or sizes[EDGES] >= sizes[MOST_EDGES] or chain >= MAX_CHAIN - 1:
                        depth -= 1
                        values[node, OWN] += value_position(
                            rules, state, words, net, static, how, restless, buffers, tall, narrow
                        )
                        values[node, OWN_N] += 1.0
                        nodes[node, SEEN] += 1
                        back_up(nodes, edges, priors, values, node)
                        break
                    here = buffer_of(spare, state)
                    child = add_node(
                        rules, state, actor, here, after, faces, least, nodes, edges, priors, values, sizes
                    )
                    keys[child, :] = key
                    slots[slot] = child + 1
                    if edge >= 0:
                        edges[edge, CHILD] = child
                    if actor < 2:
                        values[child, OWN] = value_new(
                            rules,
                            state,
                            nodes[child, FIRST],
                            nodes[child, COUNT],
                            edges,
                            priors,
                            words,
                            net,
                            static,
                            how,
                            restless,
                            heat,
                            buffers,
                            tall,
                            hidden,
                            narrow,
                        )
                        values[child, OWN_N] = 1.0
                        values[child, VALUE] = values[child, OWN]
                    if actor != AT_CHANCE:
                        nodes[child, SEEN] += 1
                        break
                    if fresh:
                        break
                    chain += 1
                else:
                    edges[edge, CHILD] = child
            if nodes[child, STAMP] == sizes[STAMPS]:
                break
            nodes[child, STAMP] = sizes[STAMPS]
            node = child
        for i in range(depth):
            node = on_path[depth - 1 - i]
            edges[path[depth - 1 - i], VISITS] += 1
            nodes[node, SEEN] += 1
            back_up(nodes, edges, priors, values, node)
        if fresh:
            fresh = False
            continue
        done += 1
        sizes[SIMULATIONS] += 1
        if sizes[STAMPS] - sizes[SWEPT] > 16 + sizes[NODES] // 4:
            sizes[SWEPT] = sizes[STAMPS]
            sweep(nodes, edges, priors, values, sizes)
    return DONE


@rule
def find_node(tables: Any, source: Any, spare: Any, nodes: Any, edges: Any, keys: Any, slots: Any) -> int:
    """Return the node of a position, or -1."""
    rules = view_rules(tables)
    state = copy_state(source, spare)
    run(rules, state)
    seen = np.zeros(2 * KEY_WORDS, np.int32)
    write_key(rules, state, seen)
    return int(slots[place_of(seen.view(np.int64), actor_of(state), state, nodes, edges, keys, slots)]) - 1


@rule
def extract(
    root: int,
    most: int,
    nodes: Any,
    edges: Any,
    priors: Any,
    values: Any,
    keys: Any,
    slots: Any,
    sizes: Any,
    new_nodes: Any,
    new_edges: Any,
    new_priors: Any,
    new_values: Any,
    new_keys: Any,
    new_slots: Any,
    new_sizes: Any,
) -> None:
    """Copy the nodes that can follow `root`, the nearest `most` of them, into other arrays, at least as large. An edge
    whose node is left out counts as not tried.
    """
    number = np.full(sizes[NODES], -1, np.int32)
    origin = np.empty(sizes[NODES], np.int32)
    origin[0] = root
    number[root] = 0
    n, m, at = 1, 0, 0
    while at < n:
        node = origin[at]
        first, count = nodes[node, FIRST], nodes[node, COUNT]
        new_nodes[at, :] = nodes[node, :]
        new_nodes[at, FIRST] = m
        new_nodes[at, STAMP] = 0
        new_values[at, :] = values[node, :]
        new_keys[at, :] = keys[node, :]
        slot = hash_of(keys[node]) % len(new_slots)
        while new_slots[slot] != 0:
            slot += 1
            if slot == len(new_slots):
                slot = 0
        new_slots[slot] = at + 1
        for i in range(first, first + count):
            new_edges[m, :] = edges[i, :]
            new_priors[m] = priors[i]
            child = edges[i, CHILD]
            if child >= 0:
                if number[child] < 0 and n < most:
                    number[child] = n
                    origin[n] = child
                    n += 1
                new_edges[m, CHILD] = number[child]
                if number[child] < 0:
                    new_edges[m, VISITS] = 0
            m += 1
        at += 1
    new_sizes[NODES] = n
    new_sizes[EDGES] = m
    new_sizes[STAMPS] = 0
    new_sizes[SWEPT] = 0
    tried = 0
    for i in range(new_nodes[0, COUNT]):
        tried += new_edges[i, VISITS]
    new_sizes[SIMULATIONS] = tried


SEARCH = EntryPoints("hawaii1795", "search", (search, find_node, extract), seconds=50)

__all__ = [
    "DONE",
    "FULL",
    "GAME",
    "HALF",
    "NET",
    "SEARCH",
    "STATIC",
    "extract",
    "find_node",
    "search",
]
