"""Greedy choice and the search tree of ALOHA: rules that both modes run.

The tree is max^n: whoever decides takes what is best for himself. Each node is a decision; an action leads to one child
for each thing that chance made of it, drawn anew in every simulation. Positions are not kept: a simulation plays them
again from the root.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
# An agent of this game reads the vector that the rules do.
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.aloha import State
from hawaii_env.aloha.rules import flow
from hawaii_env.aloha.rules.actions import AMOUNT_OF
from hawaii_env.aloha.rules.names import AMOUNT, CHAPTER_3, DIE, OVER
from hawaii_env.aloha.rules.scoring import place, winners
from hawaii_env.aloha.rules.state import (
    DECIDES,
    FROM,
    KING_OF,
    LEGAL,
    MOST_LEGAL,
    N_LEGAL,
    PHASE,
    SIZE,
    STAGE,
    T_PLAYERS,
    T_SIZE,
    TO,
    TOKENS,
    WORDS,
)  # fmt: skip
from hawaii_env.core import EntryPoints, rule
from hawaii_env.core.rng import below

from .opening import MOST_MOVES, N_ROOM, OPENING, look_through
from .worth import ACTIONS_A_CHAPTER, WEIGHTS, actions_ahead, write_worth

__all__ = ["AGENTS", "CONSTANTS", "N_SIZES", "Tree", "examples", "held", "new_tree"]

N_NODES, N_EDGES, DONE = range(3)
N_SIZES = 3
FIRST, COUNT, PLAYER, NEXT = range(4)  # of a node: its edges, who decides, the next child of the same edge
ACTION, VISITS, HEAD = range(3)  # of an edge: its action, visits, its first child
MOST_DEPTH = 600
"""Decisions of a simulation: more than a game has."""

C, HEAT, EVEN, FPU, SPREAD_NEAR, SPREAD_FAR, AHEAD = range(7)
CONSTANTS: NDArray[np.float64] = np.array([0.6, 1.5, 0.02, 0.05, 1.8, 0.42, 8.0])
"""Of the search: weight of exploration; points that make an action e times as likely in the priors; what every action
has of the priors beside; how much worse than its node an action not tried is thought to be; points of lead that make a
victory e times as likely, at the end, and more for each Action to come; greedy decisions before a position is valued.
"""


class Tree(NamedTuple):
    """The arrays of a search.

    Attributes:
        nodes: int32[nodes, 4]: first edge, how many, who decides, next child.
        keys: int64[nodes]: what chance did on the way from the parent.
        edges: int32[edges, 3]: action, visits, first child or -1.
        priors, sums: float64[edges]: prior; sum of the values to who decides, 0 to 1.
        sizes: int64[3]: nodes and edges in use, simulations done.
        rooms: int64[3, SIZE]: positions to play on.
        found, values: float64: an action's worth each; the players'.
        path: int32[2, depth]: edges of a simulation, and who decided.
    """

    nodes: Any
    keys: Any
    edges: Any
    priors: Any
    sums: Any
    sizes: Any
    rooms: Any
    found: Any
    values: Any
    path: Any


def new_tree(nodes: int) -> Tree:
    """Empty arrays with room for so many positions; edges have 24 times as much."""
    edges = 24 * nodes
    return Tree(
        np.zeros((nodes, 4), np.int32), np.zeros(nodes, np.int64), np.zeros((edges, 3), np.int32), np.zeros(edges),
        np.zeros(edges), np.zeros(N_SIZES, np.int64), np.zeros((3, SIZE), np.int64), np.zeros(2 * MOST_LEGAL),
        np.zeros(4), np.zeros((2, MOST_DEPTH), np.int32),
    )  # fmt: skip


def held(state: State) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A position's tables and the position itself, copied, as the doors want them."""
    return np.array(state.game.tables, np.int64), np.array(state._values(), np.int64)


@rule
def _copy(source: Any, s: Any) -> None:
    for at in range(SIZE):
        s[at] = source[at]


@rule
def _ahead(t: Any, s: Any, player: int, w: Any, values: Any) -> float:
    """How far ahead of the others' mean a player is, in points."""
    n, others = t[T_PLAYERS], 0.0
    write_worth(t, s, w, values)
    for other in range(n):
        others += values[other]
    return values[player] - (others - values[player]) / (n - 1)


@rule
def _most_of_others(t: Any, s: Any, player: int, island: int) -> int:
    most = 0
    for other in range(t[T_PLAYERS]):
        if other != player:
            most = max(most, s[TOKENS + 5 * other + island])
    return most


@rule
def _best_amount(t: Any, after: Any, player: int, w: Any, arrived: Any, values: Any) -> float:
    """What the best of some amounts leaves: 1, all, as many as lead where they arrive, as many as are spare where they
    leave.
    """
    start, end = after[FROM], after[TO]
    most = after[TOKENS + 5 * player + start]
    lead = _most_of_others(t, after, player, end) + 1 - after[TOKENS + 5 * player + end]
    spare = most - _most_of_others(t, after, player, start) - 1
    best = -1e9
    for which in range(4):
        number = 1 if which == 0 else most
        if which == 2:
            number = lead
        elif which == 3:
            number = spare
        if number < 1 or number > most or (which > 0 and number == 1) or (which > 1 and number == most):
            continue
        if which == 3 and number == lead:
            continue
        _copy(after, arrived)
        flow.take(t, arrived, AMOUNT_OF + number)
        best = max(best, _ahead(t, arrived, player, w, values))
    return best


@rule
def write_values(t: Any, s: Any, w: Any, rooms: Any, first: int, values: Any, out: Any) -> None:
    """Write for each legal action how far ahead of the others' mean it leaves who decides, in points, before chance. A
    migration is valued by the best of some amounts. Positions are played on in rooms[first] and rooms[first + 1].
    """
    player, after = s[DECIDES], rooms[first]
    for i in range(s[N_LEGAL]):
        _copy(s, after)
        flow.take(t, after, s[LEGAL + i])
        if after[PHASE] == AMOUNT:
            out[i] = _best_amount(t, after, player, w, rooms[first + 1], values)
        else:
            out[i] = _ahead(t, after, player, w, values)


@rule
def greedy(t: Any, s: Any, w: Any, rooms: Any, first: int, values: Any, out: Any, words: Any, at: int) -> int:
    """The legal action of greatest value; of equals any, by the generator in words[at:]."""
    write_values(t, s, w, rooms, first, values, out)
    best, level = -1e18, 0
    for i in range(s[N_LEGAL]):
        if out[i] > best + 1e-9:
            best = out[i]
    for i in range(s[N_LEGAL]):
        if out[i] >= best - 1e-9:
            level += 1
    skip = below(words, level, at)
    for i in range(s[N_LEGAL]):
        if out[i] >= best - 1e-9:
            if skip == 0:
                return s[LEGAL + i]
            skip -= 1
    return s[LEGAL]


@rule
def step(t: Any, s: Any, action: int) -> int:
    """A decision and what follows up to the next one, chance drawn from the generators in the position. Returns what
    tells apart what chance did: cards in their order, of dice who won by them.
    """
    flow.take(t, s, action)
    key, rolled = 0, False
    s[N_LEGAL] = 0
    while s[PHASE] != OVER:
        if flow.is_chance(s):
            outcome = flow.sample(t, s)
            if s[PHASE] == DIE:
                rolled = True
            else:
                key = (key * 31 + outcome) & 0xFFFFFFFFFFFF
            flow.fall(t, s, outcome)
            continue
        flow.list_legal(t, s)
        if s[N_LEGAL] > 1:
            break
        flow.take(t, s, s[LEGAL])
        s[N_LEGAL] = 0
    if rolled:
        key = (key * 31 + 24 + s[KING_OF]) & 0xFFFFFFFFFFFF
    return key


@rule
def write_chances(t: Any, s: Any, w: Any, constants: Any, values: Any) -> None:
    """Write each player's chance of the victory: at the end his share, before it by what the position is worth."""
    n = t[T_PLAYERS]
    if s[PHASE] == OVER:
        level = winners(t, s)
        for player in range(n):
            values[player] = 1.0 / level if place(t, s, player) == 1 else 0.0
        return
    write_worth(t, s, w, values)
    ahead = actions_ahead(t, s) + ACTIONS_A_CHAPTER * max(0, CHAPTER_3 - s[STAGE])
    spread = constants[SPREAD_NEAR] + constants[SPREAD_FAR] * ahead
    best, whole = values[0], 0.0
    for player in range(1, n):
        best = max(best, values[player])
    for player in range(n):
        values[player] = math.exp((values[player] - best) / spread)
        whole += values[player]
    for player in range(n):
        values[player] /= whole


@rule
def _expand(t: Any, s: Any, w: Any, constants: Any, tree: Any, node: int, words: Any, at: int) -> None:
    """Give a node its edges, with priors by the greedy values, in an order by the generator in words[at:], so that
    equals are not tried in the order of the action table; nothing where there is no room.
    """
    n, first = s[N_LEGAL], tree.sizes[N_EDGES]
    if first + n > len(tree.priors):
        return
    write_values(t, s, w, tree.rooms, 1, tree.values, tree.found)
    best, whole = -1e18, 0.0
    for i in range(n):
        best = max(best, tree.found[i])
    for i in range(n):
        tree.found[i] = math.exp((tree.found[i] - best) / constants[HEAT])
        whole += tree.found[i]
    for i in range(n):
        edge, other = first + i, first + below(words, i + 1, at)
        if other != edge:
            tree.edges[edge, ACTION], tree.priors[edge] = tree.edges[other, ACTION], tree.priors[other]
        tree.edges[other, ACTION] = s[LEGAL + i]
        tree.priors[other] = (1.0 - constants[EVEN]) * tree.found[i] / whole + constants[EVEN] / n
        tree.edges[edge, VISITS], tree.edges[edge, HEAD], tree.sums[edge] = 0, -1, 0.0
    tree.sizes[N_EDGES] = first + n
    tree.nodes[node, FIRST], tree.nodes[node, COUNT], tree.nodes[node, PLAYER] = first, n, s[DECIDES]


@rule
def _child(tree: Any, edge: int, key: int) -> int:
    """The child of an edge where chance did that; a new one where there is none yet, -1 where there is no room."""
    node = tree.edges[edge, HEAD]
    while node >= 0:
        if tree.keys[node] == key:
            return node
        node = tree.nodes[node, NEXT]
    node = tree.sizes[N_NODES]
    if node >= len(tree.keys):
        return -1
    tree.sizes[N_NODES] = node + 1
    tree.keys[node] = key
    tree.nodes[node, COUNT] = 0
    tree.nodes[node, NEXT] = tree.edges[edge, HEAD]
    tree.edges[edge, HEAD] = node
    return node


@rule
def _best_edge(tree: Any, node: int, constants: Any) -> int:
    """The edge that PUCT tries next."""
    first, count = tree.nodes[node, FIRST], tree.nodes[node, COUNT]
    visits, total = 0, 0.0
    for edge in range(first, first + count):
        visits += tree.edges[edge, VISITS]
        total += tree.sums[edge]
    untried = total / visits - constants[FPU] if visits > 0 else 0.0
    explore = constants[C] * math.sqrt(visits + 1.0)
    best, found = -1e18, first
    for edge in range(first, first + count):
        tried = tree.edges[edge, VISITS]
        value = tree.sums[edge] / tried if tried > 0 else untried
        value += explore * tree.priors[edge] / (1.0 + tried)
        if value > best:
            best, found = value, edge
    return found


@rule
def think(t: Any, source: Any, w: Any, constants: Any, tree: Any, words: Any, simulations: int) -> int:
    """Simulations from the position `source`; the tree is that of this position, or empty. Without any the greedy
    choice is returned, else -1. One door for both: most of what there is to compile is the same.
    """
    s = tree.rooms[0]
    if simulations == 0:
        _copy(source, s)
        return greedy(t, s, w, tree.rooms, 1, tree.values, tree.found, words, 0)
    if tree.sizes[N_NODES] == 0:
        tree.sizes[N_NODES], tree.sizes[N_EDGES] = 1, 0
        tree.nodes[0, NEXT], tree.nodes[0, COUNT] = -1, 0
        _copy(source, s)
        flow.list_legal(t, s)
        _expand(t, s, w, constants, tree, 0, words, 0)
    for _ in range(simulations):
        _copy(source, s)
        for at in range(8):
            s[WORDS + at] = words[at]
        flow.list_legal(t, s)
        node, depth = 0, 0
        while node >= 0 and tree.nodes[node, COUNT] > 0:
            edge = _best_edge(tree, node, constants)
            tree.path[0, depth], tree.path[1, depth] = edge, s[DECIDES]
            depth += 1
            node = _child(tree, edge, step(t, s, tree.edges[edge, ACTION]))
        if node >= 0 and s[PHASE] != OVER:
            _expand(t, s, w, constants, tree, node, s, WORDS)
        ahead = int(constants[AHEAD])
        while s[PHASE] != OVER and ahead > 0:
            step(t, s, greedy(t, s, w, tree.rooms, 1, tree.values, tree.found, s, WORDS))
            ahead -= 1
        write_chances(t, s, w, constants, tree.values)
        for i in range(depth):
            edge = tree.path[0, i]
            tree.edges[edge, VISITS] += 1
            tree.sums[edge] += tree.values[tree.path[1, i]]
        for at in range(8):
            words[at] = s[WORDS + at]
        tree.sizes[DONE] += 1
    return -1


AGENTS = EntryPoints("aloha", "agents", [think, look_through], seconds=14)


def examples() -> dict[str, tuple[Any, ...]]:
    """Arguments of the doors, as the compiled mode has them."""
    tree, t, s = new_tree(1), np.zeros(T_SIZE, np.int64), np.zeros(SIZE, np.int64)
    words = np.zeros(8, np.int64)
    room, bounds = np.zeros(N_ROOM, np.int64), np.zeros(3 * MOST_MOVES)
    return {
        "think": (t, s, WEIGHTS, CONSTANTS, tree, words, 1),
        "look_through": (t, s, OPENING, room, bounds, words),
    }
