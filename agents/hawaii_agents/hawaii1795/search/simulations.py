"""Simulations of a Monte Carlo graph search with explicit chance nodes, in compiled code.

A simulation goes down from the root: at decisions by PUCT, at chance to the outcome that has had the least of its
share. It adds the positions that it comes to up to the first decision and values that one; chance itself is never
valued. Then the nodes of its way are computed anew. A way that comes back to itself (a round of battle without effect)
ends there. States are not stored: each simulation plays its way again from the root's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_agents.layers import dense, dot
from hawaii_env.core import EntryPoints, rule
from hawaii_env.hawaii1795.fast import (
    apply_action,
    apply_chance,
    copy_state,
    run,
    view_rules,
    write_key,
)

from .graph import (
    ACTOR,
    AT_CHANCE,
    AT_END,
    CHILD,
    COUNT,
    EDGES,
    FIRST,
    KEY,
    KEY_WORDS,
    MAX_CHAIN,
    MOST_EDGES,
    MOST_NODES,
    NODES,
    OWN,
    OWN_N,
    SEEN,
    SIMULATIONS,
    SPARE_EDGES,
    STAMP,
    STAMPS,
    SWEPT,
    VALUE,
    VISITS,
    Graph,
    actor_of,
    add_node,
    back_up,
    chance_edge,
    choose,
    choose_open,
    extract,
    is_closed,
    merging_buffers,
    place_of,
    sweep,
)
from .network import layer_buffers
from .values import NET, net_value, value_position

# What stopped `search`.
DONE, FULL = 0, 1

MAX_DEPTH = 2048


@rule
def give_priors(graph: Graph, node: int, net: Any, layers: Any, heat: float) -> None:
    """Write the priors of a decision's actions by the policy, from the first layer. heat: of the softmax."""
    tall, hidden = layers[1], layers[2]
    first = graph.nodes[node, FIRST]
    end = first + graph.nodes[node, COUNT]
    dense(tall[: len(hidden)], net.policy, net.policy_bias, hidden)
    top, total = -1e30, 0.0
    for i in range(first, end):
        action = graph.edges[i, KEY]
        graph.priors[i] = (dot(hidden, net.actions[action]) + net.actions_bias[action]) / heat
        top = max(top, graph.priors[i])
    for i in range(first, end):
        graph.priors[i] = np.exp(graph.priors[i] - top)
        total += graph.priors[i]
    for i in range(first, end):
        graph.priors[i] /= total


@rule
def value_new(
    rules: Any, state: Any, graph: Graph, node: int, words: Any, net: Any, static: Any, settings: Any, layers: Any
) -> float:
    """Value a new decision's position, Kamehameha's view, and give its actions priors. The state may be played on."""
    how, _, _, restless, heat = settings
    if len(net.policy_bias) > 0:
        value = net_value(rules, state, net, layers)
        give_priors(graph, node, net, layers, heat)
        if how == NET:
            return value
    return value_position(rules, state, words, net, static, how, restless, layers)


@rule
def search(
    tables: Any, source: Any, spare: Any, words: Any, net: Any, static: Any, graph: Graph, simulations: int,
    settings: Any,
) -> int:  # fmt: skip
    """Run simulations from `source`, the position of node 0. Return DONE, or FULL when the arrays are too small.

    spare: a state to play on. words: the search's generator. net: `network.Weights.arrays`; static:
    `static.Static.arrays`. settings: how positions are valued, c, fpu, restless, heat; see `Search`.
    """
    # One function, long as it is: to hand all these arrays on costs a simulation a tenth of its time.
    rules, (how, c, fpu, restless, _) = view_rules(tables), settings
    nodes, edges, priors, values, keys, slots, sizes = graph
    layers, merging = layer_buffers(net), merging_buffers()
    seen, path = np.zeros(2 * KEY_WORDS, np.int32), np.empty((2, MAX_DEPTH), np.int32)
    key = seen.view(np.int64)
    fresh = sizes[NODES] == 0  # then the first round only adds the root
    done = 0
    while done < simulations or fresh:
        if sizes[NODES] + MAX_CHAIN >= len(nodes) or sizes[EDGES] + SPARE_EDGES >= len(edges):
            return FULL
        state = copy_state(source, spare)
        run(rules, state)
        sizes[STAMPS] += 1
        node, edge, depth, chain = -1, -1, 0, 0
        if not fresh:
            node = 0
            nodes[node, STAMP] = sizes[STAMPS]
        while True:
            child = -1
            if node >= 0:
                if nodes[node, ACTOR] == AT_END or depth >= MAX_DEPTH or (node > 0 and is_closed(values, node)):
                    nodes[node, SEEN] += 1
                    break
                if nodes[node, ACTOR] == AT_CHANCE:
                    edge = chance_edge(nodes, edges, priors, values, node)
                    apply_chance(rules, state, int(np.int64(edges[edge, KEY])))
                else:
                    if node == 0:
                        edge = choose(nodes, edges, priors, values, node, c, fpu, False)
                    else:
                        edge = choose_open(nodes, edges, priors, values, node, c, fpu)
                    apply_action(rules, state, int(np.int64(edges[edge, KEY])))
                run(rules, state)
                path[0, depth], path[1, depth] = edge, node
                depth += 1
                child = edges[edge, CHILD]
            if child < 0:
                actor = actor_of(rules, state)
                write_key(rules, state, seen)
                slot = place_of(nodes, edges, keys, slots, key, actor, state)
                child = slots[slot] - 1
                if child >= 0:
                    edges[edge, CHILD] = child
                elif sizes[NODES] >= sizes[MOST_NODES] or sizes[EDGES] >= sizes[MOST_EDGES] or chain >= MAX_CHAIN - 1:
                    depth -= 1
                    values[node, OWN] += value_position(rules, state, words, net, static, how, restless, layers)
                    values[node, OWN_N] += 1.0
                    nodes[node, SEEN] += 1
                    back_up(nodes, edges, priors, values, node)
                    break
                else:
                    child = add_node(rules, state, actor, spare, merging, graph)
                    if actor < 2:
                        value = value_new(rules, state, graph, child, words, net, static, settings, layers)
                        values[child, OWN], values[child, OWN_N], values[child, VALUE] = value, 1.0, value
                    keys[child, :] = key
                    slots[slot] = child + 1
                    if not fresh:
                        edges[edge, CHILD] = child
                    if actor != AT_CHANCE:
                        nodes[child, SEEN] += 1
                        break
                    if fresh:
                        break
                    chain += 1
            if nodes[child, STAMP] == sizes[STAMPS]:
                break
            nodes[child, STAMP] = sizes[STAMPS]
            node = child
        for i in range(depth - 1, -1, -1):
            edges[path[0, i], VISITS] += 1
            nodes[path[1, i], SEEN] += 1
            back_up(nodes, edges, priors, values, path[1, i])
        if fresh:
            fresh = False
            continue
        done += 1
        sizes[SIMULATIONS] += 1
        if sizes[STAMPS] - sizes[SWEPT] > 16 + sizes[NODES] // 4:
            sizes[SWEPT] = sizes[STAMPS]
            sweep(graph)
    return DONE


@rule
def find_node(tables: Any, source: Any, spare: Any, graph: Graph) -> int:
    """Return the node of a position, or -1."""
    rules = view_rules(tables)
    state = copy_state(source, spare)
    run(rules, state)
    seen = np.zeros(2 * KEY_WORDS, np.int32)
    write_key(rules, state, seen)
    nodes, edges, _, _, keys, slots, _ = graph
    return int(slots[place_of(nodes, edges, keys, slots, seen.view(np.int64), actor_of(rules, state), state)]) - 1


SEARCH = EntryPoints("hawaii1795", "search", (search, find_node, extract))
