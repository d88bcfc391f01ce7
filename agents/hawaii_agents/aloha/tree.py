"""Greedy choice and the search tree of ALOHA: rules that run compiled or interpreted.

The tree is max^n: whoever decides takes what is best for himself. Each node is a decision; an action leads to one child
for each thing that chance made of it, drawn anew in every simulation. Positions are not kept: a simulation plays them
again from the root.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.aloha.fast import (
    AMOUNT,
    AMOUNT_OF,
    CHAPTER_3,
    DIE,
    MOST_LEGAL,
    OVER,
    apply_action,
    apply_chance,
    copy_record,
    is_chance,
    list_legal,
    new_record,
    place,
    sample_chance,
    view_rules,
    view_state,
    winners,
)
from hawaii_env.core import EntryPoints, rule
from hawaii_env.core.rng import below

from .opening import OPENING, new_buffers, search_opening
from .worth import ACTIONS_A_CHAPTER, WEIGHTS, actions_ahead, write_worth

__all__ = ["AGENTS", "CONSTANTS", "N_SIZES", "Tree", "examples", "new_tree"]

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
        positions: three positions to play on.
        found, values: float64: an action's worth each; the players'.
        path: int32[2, depth]: edges of a simulation, and who decided.
    """

    nodes: Any
    keys: Any
    edges: Any
    priors: Any
    sums: Any
    sizes: Any
    positions: Any
    found: Any
    values: Any
    path: Any


def new_tree(nodes: int) -> Tree:
    """Return empty arrays for so many positions and 24 times as many edges."""
    edges, positions = 24 * nodes, [new_record() for _ in range(3)]
    if isinstance(positions[0], np.ndarray):
        positions = np.stack(positions)
    return Tree(
        np.zeros((nodes, 4), np.int32), np.zeros(nodes, np.int64), np.zeros((edges, 3), np.int32), np.zeros(edges),
        np.zeros(edges), np.zeros(N_SIZES, np.int64), positions, np.zeros(2 * MOST_LEGAL),
        np.zeros(4), np.zeros((2, MOST_DEPTH), np.int32),
    )  # fmt: skip


@rule
def _ahead(rules: Any, state: Any, player: int, w: Any, values: Any) -> float:
    """Return how far ahead of the others' mean a player is, in points."""
    n, others = rules.players, 0.0
    write_worth(rules, state, w, values)
    for other in range(n):
        others += values[other]
    return values[player] - (others - values[player]) / (n - 1)


@rule
def _most_of_others(rules: Any, state: Any, player: int, island: int) -> int:
    most = 0
    for other in range(rules.players):
        if other != player:
            most = max(most, state.tokens[other][island])
    return most


@rule
def _best_amount(rules: Any, after: Any, player: int, w: Any, arrived: Any, values: Any) -> float:
    """Return what the best of some amounts leaves: 1, all, as many as lead where they arrive, as many as are spare
    where they leave.
    """
    start, end = after.origin, after.destination
    most = after.tokens[player][start]
    lead = _most_of_others(rules, after, player, end) + 1 - after.tokens[player][end]
    spare = most - _most_of_others(rules, after, player, start) - 1
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
        copy_record(after, arrived)
        apply_action(rules, arrived, AMOUNT_OF + number)
        best = max(best, _ahead(rules, arrived, player, w, values))
    return best


@rule
def write_values(rules: Any, state: Any, w: Any, positions: Any, first: int, values: Any, out: Any) -> None:
    """Write for each legal action how far ahead of the others' mean it leaves who decides, in points, before chance. A
    migration is valued by the best of some amounts. Positions are played on in positions[first] and positions[first +
    1].
    """
    player, after = state.decider, view_state(positions[first])
    for i in range(state.n_legal):
        copy_record(state, after)
        apply_action(rules, after, state.legal[i])
        if after.phase == AMOUNT:
            out[i] = _best_amount(rules, after, player, w, view_state(positions[first + 1]), values)
        else:
            out[i] = _ahead(rules, after, player, w, values)


@rule
def greedy(
    rules: Any, state: Any, w: Any, positions: Any, first: int, values: Any, out: Any, words: Any, at: int
) -> int:
    """Return the legal action of greatest value; of equals any, by the generator in words[at:]."""
    write_values(rules, state, w, positions, first, values, out)
    best, level = -1e18, 0
    for i in range(state.n_legal):
        if out[i] > best + 1e-9:
            best = out[i]
    for i in range(state.n_legal):
        if out[i] >= best - 1e-9:
            level += 1
    skip = below(words, level, at)
    for i in range(state.n_legal):
        if out[i] >= best - 1e-9:
            if skip == 0:
                return state.legal[i]
            skip -= 1
    return state.legal[0]


@rule
def step(rules: Any, state: Any, action: int) -> int:
    """Apply a decision and what follows up to the next one, chance drawn from the generators in the position. Return
    what tells apart what chance did: cards in their order, of dice who won by them.
    """
    apply_action(rules, state, action)
    key, rolled = 0, False
    state.n_legal = 0
    while state.phase != OVER:
        if is_chance(rules, state):
            outcome = sample_chance(rules, state)
            if state.phase == DIE:
                rolled = True
            else:
                key = (key * 31 + outcome) & 0xFFFFFFFFFFFF
            apply_chance(rules, state, outcome)
            continue
        list_legal(rules, state)
        if state.n_legal > 1:
            break
        apply_action(rules, state, state.legal[0])
        state.n_legal = 0
    if rolled:
        key = (key * 31 + 24 + state.king_of) & 0xFFFFFFFFFFFF
    return key


@rule
def write_chances(rules: Any, state: Any, w: Any, constants: Any, values: Any) -> None:
    """Write each player's chance of the victory: at the end his share, before it by what the position is worth."""
    n = rules.players
    if state.phase == OVER:
        level = winners(rules, state)
        for player in range(n):
            values[player] = 1.0 / level if place(rules, state, player) == 1 else 0.0
        return
    write_worth(rules, state, w, values)
    ahead = actions_ahead(rules, state) + ACTIONS_A_CHAPTER * max(0, CHAPTER_3 - state.stage)
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
def _expand(rules: Any, state: Any, w: Any, constants: Any, tree: Any, node: int, words: Any, at: int) -> None:
    """Give a node its edges, with priors by the greedy values, in an order by the generator in words[at:], so that
    equals are not tried in the order of the action table; nothing if they do not fit.
    """
    n, first = state.n_legal, tree.sizes[N_EDGES]
    if first + n > len(tree.priors):
        return
    write_values(rules, state, w, tree.positions, 1, tree.values, tree.found)
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
        tree.edges[other, ACTION] = state.legal[i]
        tree.priors[other] = (1.0 - constants[EVEN]) * tree.found[i] / whole + constants[EVEN] / n
        tree.edges[edge, VISITS], tree.edges[edge, HEAD], tree.sums[edge] = 0, -1, 0.0
    tree.sizes[N_EDGES] = first + n
    tree.nodes[node, FIRST], tree.nodes[node, COUNT], tree.nodes[node, PLAYER] = first, n, state.decider


@rule
def _child(tree: Any, edge: int, key: int) -> int:
    """Return the child of an edge for what chance did; a new one if needed, -1 if it does not fit."""
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
    """Return the edge that PUCT tries next."""
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
def think(tables: Any, record: Any, w: Any, constants: Any, tree: Any, words: Any, simulations: int) -> int:
    """Run simulations from a position; the tree is that of this position, or empty. Without simulations return the
    greedy choice, else -1. One entry point for both: most of what there is to compile is the same.
    """
    rules, source, state = view_rules(tables), view_state(record), view_state(tree.positions[0])
    if simulations == 0:
        copy_record(source, state)
        return greedy(rules, state, w, tree.positions, 1, tree.values, tree.found, words, 0)
    if tree.sizes[N_NODES] == 0:
        tree.sizes[N_NODES], tree.sizes[N_EDGES] = 1, 0
        tree.nodes[0, NEXT], tree.nodes[0, COUNT] = -1, 0
        copy_record(source, state)
        list_legal(rules, state)
        _expand(rules, state, w, constants, tree, 0, words, 0)
    for _ in range(simulations):
        copy_record(source, state)
        for at in range(8):
            state.generator[at] = words[at]
        list_legal(rules, state)
        node, depth = 0, 0
        while node >= 0 and tree.nodes[node, COUNT] > 0:
            edge = _best_edge(tree, node, constants)
            tree.path[0, depth], tree.path[1, depth] = edge, state.decider
            depth += 1
            node = _child(tree, edge, step(rules, state, tree.edges[edge, ACTION]))
        if node >= 0 and state.phase != OVER:
            _expand(rules, state, w, constants, tree, node, state.generator, 0)
        ahead = int(constants[AHEAD])
        while state.phase != OVER and ahead > 0:
            step(rules, state, greedy(rules, state, w, tree.positions, 1, tree.values, tree.found, state.generator, 0))
            ahead -= 1
        write_chances(rules, state, w, constants, tree.values)
        for i in range(depth):
            edge = tree.path[0, i]
            tree.edges[edge, VISITS] += 1
            tree.sums[edge] += tree.values[tree.path[1, i]]
        for at in range(8):
            words[at] = state.generator[at]
        tree.sizes[DONE] += 1
    return -1


AGENTS = EntryPoints("aloha", "agents", [think, search_opening])


def examples() -> dict[str, tuple[Any, ...]]:
    """Return example arguments of the entry points, for the compiler."""
    tree, row = new_tree(1), np.zeros(1, np.int64)
    words = np.zeros(8, np.int64)
    return {
        "think": (row, row, WEIGHTS, CONSTANTS, tree, words, 1),
        "search_opening": (row, row, OPENING, *new_buffers(), words),
    }
