"""Monte Carlo tree search with explicit chance nodes, in compiled code.

A node is a position in which somebody decides, chance decides, or the game is over; its edges are the legal actions, or
the outcomes of chance that differ in effect. A simulation goes down from the root: at decisions by PUCT, at chance by
chance; it adds the positions that it comes to up to the first decision, values that one, and adds the value along its
way. All values are Kamehameha's, from -1 to 1. States are not stored: each simulation plays its way again from the
root's.

`hawaii_env.hawaii1795.search` holds the arrays and is what others call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env._jit import Doors, rule
from hawaii_env.rng import below, next_word

from ..doors import copied, held, merge_faces, state_of, tables_of
from ..observation import SIZE, write_observation
from ..rules import flow
from ..rules.actions import DONE as A_DONE
from ..rules.names import CARD, CUSTOM, MOVE, OVER, TIE
from ..rules.state import STATE_FIELDS, STATE_WORDS
from .network import dense, dot, first_layer, value_of

# Who acts at a node: players 0 and 1, then:
AT_CHANCE, AT_END, AT_CUSTOM = 2, 3, 4

# Columns of `nodes` (int32) and of `edges` (int32); of `worths` (float32, by edge).
FIRST, COUNT, ACTOR, SEEN = 0, 1, 2, 3
KEY, CHILD, VISITS = 0, 1, 2
PRIOR, TOTAL = 0, 1

# How a new position is valued.
NET, HALF, GAME = (
    0,
    1,
    2,
)  # the network; random play to the end of the half-turn, then the network; random play to the end

# What stopped `search`.
DONE, FULL = 0, 1

MAX_DEPTH = 4096
MAX_CHAIN = 512  # chance nodes in a row: advantage dice that tie again and again
SPARE_EDGES = 128 * 8  # room that a simulation may need

HASHED = [name for name, _ in STATE_FIELDS if name not in ("deck_words", "dice_words", "sampled", "legal", "decisions")]
_at = dict(zip([n for n, _ in STATE_FIELDS], np.cumsum([0] + [n for _, n in STATE_FIELDS]).tolist(), strict=False))
HASH_FROM, HASH_TO = _at["month"], _at["n_legal"]  # the words between are the position
PRIME = 0x100000001B3
START = 0x4BF29CE484222325
LOW = 0x7FFFFFFFFFFFFFFF


def _fingerprint(buffer: Any) -> int:
    value: Any = np.int64(START)
    for i in range(HASH_FROM, HASH_TO):
        value = (value ^ buffer[i]) * PRIME
        value ^= (value >> 29) & 0x7FFFFFFFF
    return value & LOW


@rule(compiled=_fingerprint)
def fingerprint(buffer: Any) -> int:
    """A number that tells positions apart."""
    return hash(repr([getattr(buffer, name) for name in HASHED])) & LOW


@rule
def add_node(
    rules: Any, state: Any, source: Any, spare: Any, looks: Any, least: Any, nodes: Any, edges: Any, worths: Any, sizes: Any
) -> int:  # fmt: skip
    """A node for a position, with its edges; every edge has the same prior, those of chance their chances. Returns its
    number.

    source, spare, looks, least: as `doors.merge_faces` takes them.
    """
    node = sizes[0]
    first = sizes[1]
    nodes[node, FIRST] = first
    nodes[node, SEEN] = 0
    n = 0
    if state.phase == OVER:
        nodes[node, ACTOR] = AT_END
    elif state.phase == CUSTOM:
        nodes[node, ACTOR] = AT_CUSTOM
    elif flow.is_chance(state):
        nodes[node, ACTOR] = AT_CHANCE
        if state.phase == CARD:
            for number in range(1, 10):
                if (state.left[state.half] >> number) & 1:
                    edges[first + n, KEY] = number
                    worths[first + n, PRIOR] = 1.0
                    n += 1
            for i in range(n):
                worths[first + i, PRIOR] = 1.0 / n
        else:
            merge_faces(rules, state, source, spare, looks, least)
            for face in range(1, 7):
                if least[face - 1] == face:
                    edges[first + n, KEY] = face
                    worths[first + n, PRIOR] = 0.0
                    for other in range(6):
                        if least[other] == face:
                            worths[first + n, PRIOR] += 1.0 / 6.0
                    n += 1
    else:
        nodes[node, ACTOR] = state.decider
        n = state.n_legal
        for i in range(n):
            edges[first + i, KEY] = state.legal[i]
            worths[first + i, PRIOR] = 1.0 / n
    for i in range(first, first + n):
        edges[i, CHILD] = -1
        edges[i, VISITS] = 0
        worths[i, TOTAL] = 0.0
    nodes[node, COUNT] = n
    sizes[0] = node + 1
    sizes[1] = first + n
    return node


@rule
def end_value(state: Any) -> float:
    """Kamehameha's result of a game that is over."""
    if state.winner == TIE:
        return 0.0
    return 1.0 if state.winner == 0 else -1.0


@rule
def play_on(rules: Any, state: Any, words: Any, whole: int, restless: float) -> None:
    """Random play from a decision to the end of the half-turn, or of the game.

    restless: chance that movement is gone on with where it could end; random movement throws armies away.
    """
    half, month = state.half, state.month
    for _ in range(20_000):
        if state.phase == OVER or state.phase == CUSTOM:
            return
        if not whole and (state.half != half or state.month != month):
            return
        if flow.is_chance(state):
            flow.fall(rules, state, draw(state, words))
        else:
            pick = below(words, state.n_legal)
            if state.phase == MOVE and state.legal[0] == A_DONE and next_word(words) >= restless * 4294967296.0:
                pick = 0
            flow.take(rules, state, state.legal[pick])
        flow.run(rules, state)


@rule
def draw(state: Any, words: Any) -> int:
    """An outcome of a chance node, from the search's own generator."""
    if state.phase != CARD:
        return below(words, 6) + 1
    mask = state.left[state.half]
    cards = 0
    for number in range(1, 10):
        cards += (mask >> number) & 1
    skip = below(words, cards)
    for number in range(1, 10):
        if (mask >> number) & 1:
            if skip == 0:
                return number
            skip -= 1
    return 0


@rule
def net_value(rules: Any, state: Any, net: Any, raw: Any, tall: Any, narrow: Any) -> float:
    """The network's value of a position, Kamehameha's. Leaves the first layer in `tall`."""
    if state.phase == OVER:
        return end_value(state)
    viewer = state.decider if state.phase < CARD else state.half
    write_observation(rules, state, viewer, raw)
    first_layer(raw, net[10], net[0], net[1], tall)
    value = value_of(tall, narrow, net[4], net[5], net[8], net[9])
    value = min(max(value, -1.0), 1.0)
    return value if viewer == 0 else -value


@rule
def give_priors(edges: Any, worths: Any, first: int, n: int, net: Any, tall: Any, hidden: Any, heat: float) -> None:
    """Priors of a decision's actions from the policy; `tall` is the first layer. heat: temperature of the softmax."""
    dense(tall[: len(hidden)], net[2], net[3], hidden)
    top = -1e30
    for i in range(first, first + n):
        action = edges[i, KEY]
        logit = (dot(hidden, net[6][action]) + net[7][action]) / heat
        worths[i, PRIOR] = logit
        top = max(top, logit)
    total = 0.0
    for i in range(first, first + n):
        worths[i, PRIOR] = np.exp(worths[i, PRIOR] - top)
        total += worths[i, PRIOR]
    for i in range(first, first + n):
        worths[i, PRIOR] /= total


@rule
def choose(nodes: Any, edges: Any, worths: Any, values: Any, node: int, c: float, fpu: float) -> int:
    """The edge of a decision that PUCT takes: mean + c prior sqrt(N) / (1 + n), the mean as the mover sees it.

    An action not yet tried counts as the node's mean less `fpu`.
    """
    first, n = nodes[node, FIRST], nodes[node, COUNT]
    sign = 1.0 if nodes[node, ACTOR] == 0 else -1.0
    total = 1.0 * values[node]
    for i in range(first, first + n):
        total += worths[i, TOTAL]
    visits = nodes[node, SEEN]
    untried = sign * total / (visits + 1) - fpu
    scale = c * np.sqrt(visits + 1.0)
    best, edge = -1e30, first
    for i in range(first, first + n):
        tried = edges[i, VISITS]
        mean = sign * worths[i, TOTAL] / tried if tried > 0 else untried
        score = mean + scale * worths[i, PRIOR] / (1.0 + tried)
        if score > best:
            best = score
            edge = i
    return edge


@rule
def chance_edge(nodes: Any, worths: Any, node: int, words: Any) -> int:
    """An outcome of a chance node, by its chance."""
    first, n = nodes[node, FIRST], nodes[node, COUNT]
    u = next_word(words) / 4294967296.0
    for i in range(first, first + n - 1):
        u -= worths[i, PRIOR]
        if u < 0.0:
            return i
    return first + n - 1


@rule
def value_new(
    rules: Any, state: Any, node: int, nodes: Any, edges: Any, worths: Any, words: Any, net: Any, how: int, restless: float, heat: float,
    raw: Any, tall: Any, hidden: Any, narrow: Any,
) -> float:  # fmt: skip
    """Value a new node's position, Kamehameha's view, and give its actions priors. The state may be played on."""
    if nodes[node, ACTOR] == AT_END:
        return end_value(state)
    if nodes[node, ACTOR] < 2 and (how == NET or len(hidden) > 0):
        value = net_value(rules, state, net, raw, tall, narrow)
        if len(hidden) > 0:
            give_priors(edges, worths, nodes[node, FIRST], nodes[node, COUNT], net, tall, hidden, heat)
        if how == NET:
            return value
    if how == NET or nodes[node, ACTOR] == AT_CUSTOM:
        return net_value(rules, state, net, raw, tall, narrow)
    play_on(rules, state, words, how == GAME, restless)
    if how == GAME:
        return end_value(state) if state.phase == OVER else 0.0
    return net_value(rules, state, net, raw, tall, narrow)


@rule
def search(
    tables: Any, source: Any, room: Any, words: Any, net: Any,
    nodes: Any, edges: Any, worths: Any, values: Any, marks: Any, sizes: Any,
    simulations: int, how: int, c: float, fpu: float, restless: float, heat: float,
) -> int:  # fmt: skip
    """Run simulations from `source`, the position of node 0. Returns DONE, or FULL when the arrays need more room.

    room: a state to play on. words: the search's generator. net: `network.Weights.arrays`. nodes: int32[N, 4]; edges:
    int32[E, 3]; worths: float64[E, 2]; values: float32[N], each node's own value; marks: int64[N], fingerprints; sizes:
    int64[3], nodes and edges in use, simulations done.
    """
    rules = tables_of(tables)
    raw = np.empty(SIZE, np.int8)
    tall = np.empty(len(net[1]), np.float32)
    hidden = np.empty(len(net[3]), np.float32)
    narrow = np.empty(len(net[5]), np.float32)
    spare = np.empty(STATE_WORDS, np.int64)
    looks = np.empty((6, SIZE), np.int8)
    least = np.empty(6, np.int64)
    path = np.empty(MAX_DEPTH, np.int32)
    on_path = np.empty(MAX_DEPTH, np.int32)
    if sizes[0] == 0:
        state = copied(source, room)
        flow.run(rules, state)
        here = held(room, state)
        node = add_node(rules, state, here, spare, looks, least, nodes, edges, worths, sizes)
        marks[node] = fingerprint(here)
        values[node] = value_new(
            rules, state, node, nodes, edges, worths, words, net, how, restless, heat, raw, tall, hidden, narrow
        )
    for _ in range(simulations):
        if sizes[0] + MAX_CHAIN >= len(nodes) or sizes[1] + MAX_CHAIN * 9 + SPARE_EDGES >= len(edges):
            return FULL
        state = copied(source, room)
        flow.run(rules, state)
        node, depth, chain, value = 0, 0, 0, 0.0
        while True:
            actor = nodes[node, ACTOR]
            if actor >= AT_END or depth >= MAX_DEPTH:
                value = values[node]
                on_path[min(depth, MAX_DEPTH - 1)] = node
                nodes[node, SEEN] += 1
                break
            if actor == AT_CHANCE:
                edge = chance_edge(nodes, worths, node, words)
                flow.fall(rules, state, int(np.int64(edges[edge, KEY])))
            else:
                edge = choose(nodes, edges, worths, values, node, c, fpu)
                state.decisions += 1
                flow.take(rules, state, int(np.int64(edges[edge, KEY])))
            flow.run(rules, state)
            path[depth] = edge
            on_path[depth] = node
            depth += 1
            child = edges[edge, CHILD]
            if child >= 0:
                node = child
                continue
            here = held(room, state)
            child = add_node(rules, state, here, spare, looks, least, nodes, edges, worths, sizes)
            edges[edge, CHILD] = child
            marks[child] = 0
            values[child] = 0.0
            node = child
            chain += 1
            if nodes[child, ACTOR] != AT_CHANCE or chain >= MAX_CHAIN - 1:
                if nodes[child, ACTOR] < 2:
                    marks[child] = fingerprint(here)
                value = value_new(
                    rules,
                    state,
                    child,
                    nodes,
                    edges,
                    worths,
                    words,
                    net,
                    how,
                    restless,
                    heat,
                    raw,
                    tall,
                    hidden,
                    narrow,
                )
                values[child] = value
                break
        for i in range(depth):
            edge = path[i]
            edges[edge, VISITS] += 1
            worths[edge, TOTAL] += value
            nodes[on_path[i], SEEN] += 1
        sizes[2] += 1
    return DONE


@rule
def find_node(nodes: Any, marks: Any, sizes: Any, mark: int) -> int:
    """The most visited decision node of a fingerprint, or -1."""
    best, found = -1, -1
    for node in range(sizes[0]):
        if marks[node] == mark and nodes[node, ACTOR] < 2 and nodes[node, SEEN] > best:
            best = nodes[node, SEEN]
            found = node
    return found


@rule
def extract(
    root: int, nodes: Any, edges: Any, worths: Any, values: Any, marks: Any, sizes: Any,
    new_nodes: Any, new_edges: Any, new_worths: Any, new_values: Any, new_marks: Any, new_sizes: Any,
) -> None:  # fmt: skip
    """Copy the tree below `root` into other arrays, at least as large, where it is the whole tree."""
    origin = np.empty(sizes[0], np.int32)
    origin[0] = root
    n, m, at = 1, 0, 0
    while at < n:
        node = origin[at]
        first, count = nodes[node, FIRST], nodes[node, COUNT]
        new_nodes[at, FIRST] = m
        new_nodes[at, COUNT] = count
        new_nodes[at, ACTOR] = nodes[node, ACTOR]
        new_nodes[at, SEEN] = nodes[node, SEEN]
        new_values[at] = values[node]
        new_marks[at] = marks[node]
        for i in range(first, first + count):
            new_edges[m, KEY] = edges[i, KEY]
            new_edges[m, VISITS] = edges[i, VISITS]
            new_worths[m, PRIOR] = worths[i, PRIOR]
            new_worths[m, TOTAL] = worths[i, TOTAL]
            new_edges[m, CHILD] = -1
            if edges[i, CHILD] >= 0:
                origin[n] = edges[i, CHILD]
                new_edges[m, CHILD] = n
                n += 1
            m += 1
        at += 1
    new_sizes[0] = n
    new_sizes[1] = m
    new_sizes[2] = new_nodes[0, SEEN]


@rule
def mark_of(source: Any) -> int:
    """The fingerprint of a state."""
    return fingerprint(source)


SEARCH = Doors("hawaii1795", "search", (search, find_node, extract, mark_of), seconds=50)

__all__ = [
    "DONE",
    "FULL",
    "GAME",
    "HALF",
    "NET",
    "SEARCH",
    "STATE_WORDS",
    "extract",
    "find_node",
    "mark_of",
    "search",
    "state_of",
]
