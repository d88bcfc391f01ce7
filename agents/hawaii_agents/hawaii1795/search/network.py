"""A small network's answer to one position, in compiled code: for search, which asks about one position at a time.

The layers are those of `hawaii_agents.layers`. A network without actions (no policy) has the value's tower alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_agents.layers import Layers, add_changes, arrange, squash
from hawaii_env.agents import check_kind
from hawaii_env.core import rule
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795.fast import N_ACTIONS, N_CODES, N_SHOWN, ONES, SCALE, SIZE, template, update_observation

TENSORS = (
    "first.weight", "first.bias", "policy.weight", "policy.bias", "worth.weight", "worth.bias",
    "actions.weight", "actions.bias", "score.weight", "score.bias",
)  # fmt: skip
"""Names of a network's arrays; `Weights` takes them as a mapping. Weights are [outputs, inputs]."""


@rule
def observation_buffers(net: Any) -> tuple[Any, Any, Any]:
    """Return buffers for what a network is shown: raw values, int8[W], W being the next multiple of 8 after O; and what
    `update_observation` keeps in mind.
    """
    return net.template.copy(), np.zeros(N_CODES, np.int32), np.full(N_SHOWN, -1, np.int32)


@rule
def layer_buffers(net: Any) -> tuple[Any, Any, Any, Any]:
    """Return buffers of a network: `observation_buffers`, the first layer, and the second ones of policy and value."""
    tall, hidden = np.empty(len(net.first_bias), np.float32), np.empty(len(net.policy_bias), np.float32)
    return observation_buffers(net), tall, hidden, np.empty(len(net.worth_bias), np.float32)


@rule
def observe(rules: Any, state: Any, viewer: int, buffers: Any) -> None:
    """Bring the observation in `buffers` up to date."""
    raw, codes, shown = buffers
    update_observation(rules, state, viewer, ONES, codes, shown, raw)


@rule
def first_layer(buffers: Any, net: Any, out: Any) -> None:
    """Write the first layer of both towers, from what was observed."""
    out[:] = net.first_bias
    add_changes(buffers[0], net.template, net.scale, net.first, out)
    squash(out)


class Weights:
    """A network's arrays as the compiled code wants them.

    Args:
        tensors: float arrays by name, those of `TENSORS`; the four of the policy may be missing: a value alone.
        game: the game to be played, whose ruleset's numbers the observation tells.

    Raises:
        OptionError: an array is missing or has another shape than this game's.

    Attributes:
        arrays: the layers; the template is what the ruleset says of every position.
    """

    def __init__(self, tensors: Mapping[str, Any], game: Any) -> None:
        check_kind("tensors", tensors, Mapping)
        for name in TENSORS:
            if name not in tensors and not name.startswith(("policy", "actions")):
                raise OptionError(f"network: the array {name} is missing")
        self.has_policy: bool = "policy.weight" in tensors and "actions.weight" in tensors

        def get(name: str) -> NDArray[np.float32]:
            return np.ascontiguousarray(np.asarray(tensors[name], np.float32))

        worth, score = get("worth.weight"), get("score.weight").reshape(-1)
        hidden, own = worth.shape[0], 0
        policy, policy_bias = np.zeros((0, 0), np.float32), np.zeros(0, np.float32)
        actions, actions_bias = np.zeros((0, 0), np.float32), np.zeros(0, np.float32)
        if self.has_policy:
            policy, policy_bias = get("policy.weight"), get("policy.bias")
            actions, actions_bias = get("actions.weight"), get("actions.bias")
            own = policy.shape[0]
            if actions.shape != (N_ACTIONS, own):
                raise OptionError(
                    f"network: actions.weight has shape {list(actions.shape)}, not [{N_ACTIONS}, {own}]: "
                    "was it trained for another game or version?"
                )
        first = get("first.weight")
        if first.shape != (own + hidden, SIZE):
            raise OptionError(
                f"network: first.weight has shape {list(first.shape)}, not [{own + hidden}, {SIZE}]: "
                "was it trained with another observation?"
            )
        self.arrays: Layers = arrange(
            first, get("first.bias"), (policy, policy_bias), (get("worth.weight"), get("worth.bias")),
            (actions, actions_bias), (score, get("score.bias")), SCALE, template(game.tables),
        )  # fmt: skip


def blank(game: Any) -> Weights:
    """Return the arrays of a network of no units: all values 0."""
    zero = np.zeros
    return Weights(
        {
            "first.weight": zero((0, SIZE)),
            "first.bias": zero(0),
            "worth.weight": zero((0, 0)),
            "worth.bias": zero(0),
            "score.weight": zero((1, 0)),
            "score.bias": zero(1),
        },
        game,
    )
