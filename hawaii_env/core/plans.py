"""Successors of a position: one for each chance outcome, each action, or in a sealed turn each plan of a player.

A plan consists of all actions that a player enters in one sealed turn. `list_plans` is a template
(`hawaii_env.core.hooks`).
"""

from __future__ import annotations

# pyright: reportUndefinedVariable=false
# ruff: noqa: F821
from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import copy_record

__all__ = ["PLANS", "turn_mark"]


@rule
def turn_mark(rules: Any, state: Any) -> int:
    """Return a number that differs between consecutive sealed turns; games with sealed turns override it."""
    return -1


def list_plans(tables: Any, source: Any, outcomes: int, path: Any, tried: Any, actions: Any, found: Any) -> int:
    """Write the positions that can follow `source`, in the order of actions, and return their number.

    Args:
        tables, source: as in the compiled rules; the position has no generator.
        outcomes: upper bound of chance outcomes, exclusive.
        path: records used as a buffer, one more than a player's decisions in a turn.
        tried: int64 buffer, as long as `path`.
        actions: int64[N, D], output: the actions of each plan followed by -1, or the chance outcome.
        found: N records, output: the positions.

    Returns:
        int: number of positions; those beyond N are counted but not written.
    """
    rules, start, n = view_rules(tables), view_state(source), 0
    if is_chance(rules, start):
        for outcome in range(outcomes):
            if is_outcome(rules, start, outcome):
                if n < len(found):
                    here = view_state(found[n])
                    copy_record(start, here)
                    apply_chance(rules, here, outcome)
                    run(rules, here)
                    actions[n, 0], actions[n, 1] = outcome, -1
                n += 1
        return n
    player, mark, depth = decider(rules, start), turn_mark(rules, start), 0
    copy_record(start, view_state(path[0]))
    tried[0] = 0
    while depth >= 0:
        here = view_state(path[depth])
        if tried[depth] == here.n_legal:
            depth -= 1
            continue
        action = here.legal[tried[depth]]
        tried[depth] += 1
        there = view_state(path[depth + 1])
        copy_record(here, there)
        act(rules, there, action)
        more = mark >= 0 and there.n_legal > 0 and turn_mark(rules, there) == mark and decider(rules, there) == player
        if more:
            depth += 1
            tried[depth] = 0
            continue
        if n < len(found):
            copy_record(there, view_state(found[n]))
            for k in range(depth + 1):
                actions[n, k] = view_state(path[k]).legal[tried[k] - 1]
            actions[n, depth + 1] = -1
        n += 1
    return n


PLANS = (list_plans,)
