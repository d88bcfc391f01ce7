"""Rewards of each step, and the observations of all players, for batches of compiled games.

Both run after the step, through entry points of their own, so that users who do not need them compile nothing extra.
"""

from __future__ import annotations

# pyright: reportUndefinedVariable=false
# ruff: noqa: F821
from typing import Any

import numpy as np

from hawaii_env.core.batch import ACT
from hawaii_env.core.hooks import specialise
from hawaii_env.core.jit import EntryPoints

__all__ = ["reward_points", "view_points"]


def write_views(
    table: Any, raw: int, memory: Any, scaled: Any, integers: Any, ops: Any, start: int, stop: int
) -> None:  # fmt: skip
    """Write what every player sees, in the environments whose op is not 0.

    Args:
        table: see `hawaii_env.core.loop.Table`.
        raw: 1 to write `integers`, 0 to write `scaled`.
        memory: int32[N, P, M], notes on the rows, as `Table.memory`.
        scaled, integers: [N, P, O].
        ops: int8[N].
        start, stop: range of environments.
    """
    scratch, spare = new_raw(table.scales.shape[1]), np.empty(memory.shape[2], np.int32)
    for i in range(start, stop):
        if ops[i] == 0:
            continue
        game = table.game_of[i]
        rules, state, scale = view_rules(table.rules[game]), view_state(table.states[i]), table.scales[game]
        for player in range(num_players(rules)):
            if raw:
                write_raw(rules, state, player, memory[i, player], spare, integers[i, player])
            else:
                write_scaled(rules, state, player, memory[i, player], spare, scratch, scale, scaled[i, player])


def write_rewards(table: Any, before: Any, ops: Any, rewards: Any, start: int, stop: int) -> None:
    """Write each player's reward for the step, in the environments that acted.

    Args:
        table: see `hawaii_env.core.loop.Table`.
        before: states before the step, in the form of `Table.states`.
        ops: int8[N].
        rewards: float32[N, P].
        start, stop: range of environments.
    """
    for i in range(start, stop):
        if ops[i] == ACT:
            rules = view_rules(table.rules[table.game_of[i]])
            for player in range(num_players(rules)):
                rewards[i, player] = reward_of(rules, view_state(before[i]), view_state(table.states[i]), player)


def add_potentials(
    table: Any, before: Any, ops: Any, rewards: Any, gamma: float, weight: float, start: int, stop: int
) -> None:  # fmt: skip
    """Add the weighted difference of potentials to each player's reward; at the end of a game the potential is 0.

    Args:
        table, before, ops, rewards, start, stop: see `write_rewards`.
        gamma: discount factor.
        weight: factor of the difference.
    """
    for i in range(start, stop):
        if ops[i] == ACT:
            rules, state = view_rules(table.rules[table.game_of[i]]), view_state(table.states[i])
            for player in range(num_players(rules)):
                change = -measure_of(rules, view_state(before[i]), player)
                if not is_over(rules, state):
                    change += gamma * measure_of(rules, state, player)
                rewards[i, player] += weight * change


def view_points(rules: Any) -> EntryPoints:
    """Return the entry point that writes views, for the rules of a game (`hawaii_env.core.game.CompiledRules`)."""
    made = specialise(rules.name, [write_views], rules.hooks)
    return EntryPoints(rules.name, "views", [made["write_views"]])


def reward_points(rules: Any, function: Any, potential: bool) -> EntryPoints:
    """Return the entry point that writes rewards, from a rule or from the differences of a potential."""
    template, hook = (add_potentials, "measure_of") if potential else (write_rewards, "reward_of")
    made = specialise(rules.name, [template], {**rules.hooks, hook: function})
    return EntryPoints(rules.name, "reward", [made[template.__name__]])
