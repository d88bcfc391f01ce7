"""A policy over the hexes of a map: layers in which each hex receives from its neighbours. NumPy only.

For games whose observation begins with planes over the hexes of `Game.neighbours`, and whose last actions are planes
over them, too. Only lists of neighbours, of what they are made, depend on the map's size:

    e = relu(enter(planes of the hex, of the map) + a)              D values a hex; a, p, v = split(first(the rest))
    e = e + relu(sum over ways k of mean over hexes j that hex hears by k of layer_k(e_j))     for each layer
    h = all hexes in equal parts, and in parts that each of the views chooses
    p, v = split(tanh(p + v + mix(h)))
    logits = actions(tanh(policy(p))), then planes(e)
    value = score(tanh(worth(v)))

Ways are the hex itself, its neighbours, and all hexes. A convolution hears each of the six sides by a way of its own, a
graph network all neighbours by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import OptionError
from hawaii_env.game import Game

__all__ = ["SHAPES", "SIDES", "VIEWS", "Network", "ground_of", "planes_of", "sizes", "ways_of"]

F32 = NDArray[np.float32]

VIEWS = 4
"""Weighted means of the whole map, besides the plain one."""

SIDES = 6
BATCH = 512
"""Positions that are worked out at a time."""


def planes_of(game: Game) -> tuple[int, int]:
    """Return the planes at the beginning of an observation, and those at the end of the action table.

    Raises:
        OptionError: a game without a map of hexes.
    """
    neighbours, seen, acting = getattr(game, "neighbours", ()), 0, 0
    n, end = len(neighbours), game.num_actions
    for part in game.observation_parts if n else ():
        if part.shape[1:] != (n,):
            break
        seen += part.shape[0]
    factors = game.action_factors
    if n and factors is not None and "hex" in factors.names:
        hexes = factors.indices[:, factors.names.index("hex")]
        while np.array_equal(hexes[end - n : end], np.arange(1, n + 1)):
            acting, end = acting + 1, end - n
    if not seen or not acting:
        raise OptionError(f"network: {game.name} has no map of hexes, for which this network is")
    return seen, acting


def ground_of(game: Any) -> F32:
    """Return what never changes of the hexes, float32[N, M]: the map's planes, and kind and end of each side."""
    sides, none = np.asarray(game.sides, np.float32) / 3, np.asarray(game.neighbours) < 0
    return np.concatenate([game.map_planes.T, sides * ~none, none], 1).astype(np.float32)


def ways_of(neighbours: NDArray[Any], ways: int) -> F32:
    """Return what each hex hears, float32[N, N * K]: of hex j by way k at column K j + k."""
    n, next_to = len(neighbours), np.asarray(neighbours, np.int64)
    heard = np.zeros((n, n, ways), np.float32)
    heard[:, :, 0], heard[:, :, -1] = np.eye(n), 1 / n
    for side in range(SIDES):
        there = np.flatnonzero(next_to[:, side] >= 0)
        heard[there, next_to[there, side], 1 + side if ways > 3 else 1] += 1
    if ways == 3:
        heard[:, :, 1] /= np.maximum(heard[:, :, 1].sum(1, keepdims=True), 1)
    return heard.reshape(n, n * ways)


SHAPES: Mapping[str, str] = {
    "first.weight": "F V",
    "first.bias": "F",
    "enter.weight": "D P",
    "enter.bias": "D",
    "layers.weight": "L KD D",
    "layers.bias": "L D",
    "views.weight": "Q D",
    "mix.weight": "2H M",
    "policy.weight": "H H",
    "policy.bias": "H",
    "worth.weight": "H H",
    "worth.bias": "H",
    "actions.weight": "B H",
    "actions.bias": "B",
    "planes.weight": "C D",
    "planes.bias": "C",
    "score.weight": "1 H",
    "score.bias": "1",
    "map.neighbours": "N 6",
    "map.ground": "N G",
}
"""The arrays, and their shapes by the names in `sizes`."""


def sizes(t: Mapping[str, F32]) -> dict[str, int]:
    """Return the sizes in `SHAPES`, and the planes that are seen, S."""
    (width, entering), (hexes, ground), hidden = t["enter.weight"].shape, t["map.ground"].shape, len(t["policy.weight"])
    layers, ways, _ = t["layers.weight"].shape
    return {
        "F": width + 2 * hidden, "V": t["first.weight"].shape[1], "D": width, "P": entering, "L": layers, "KD": ways,
        "Q": VIEWS, "2H": 2 * hidden, "M": (VIEWS + 1) * width, "H": hidden, "B": len(t["actions.weight"]),
        "C": len(t["planes.weight"]), "N": hexes, "G": ground, "S": entering - ground,
    }  # fmt: skip


class Network:
    """The arrays, arranged for use."""

    def __init__(self, tensors: Mapping[str, F32]) -> None:
        t = self._t = tensors
        found = sizes(t)
        self._seen, self._hidden = found["S"], found["H"]
        self._ways = ways_of(t["map.neighbours"], found["KD"] // found["D"])
        self._enter = np.ascontiguousarray(t["enter.weight"][:, : self._seen].T)
        self._ground = t["map.ground"] @ t["enter.weight"][:, self._seen :].T + t["enter.bias"]
        self._layers = np.ascontiguousarray(t["layers.weight"].transpose(0, 2, 1))

    def _towers(self, observations: F32) -> tuple[F32, F32, F32]:
        """Return the hexes' values, float32[n, N, D], and what the last layers of policy and value are given."""
        t, n, (hexes, width) = self._t, len(observations), self._ground.shape
        planes = observations[:, : self._seen * hexes].reshape(n, self._seen, hexes).transpose(0, 2, 1)
        rest = observations[:, self._seen * hexes :] @ t["first.weight"].T + t["first.bias"]
        e = np.maximum(planes @ self._enter + self._ground + rest[:, None, :width], 0)
        for weight, bias in zip(self._layers, t["layers.bias"], strict=True):
            sent = (e.reshape(n * hexes, width) @ weight).reshape(n, -1, width)
            e = e + np.maximum(np.matmul(self._ways, sent) + bias, 0)
        views = e @ t["views.weight"].T
        views = np.exp(views - views.max(1, keepdims=True))
        parts = np.matmul((views / views.sum(1, keepdims=True)).transpose(0, 2, 1), e).reshape(n, -1)
        both = np.tanh(rest[:, width:] + np.concatenate([e.mean(1), parts], 1) @ t["mix.weight"].T)
        policy = np.tanh(both[:, : self._hidden] @ t["policy.weight"].T + t["policy.bias"])
        return e, policy, np.tanh(both[:, self._hidden :] @ t["worth.weight"].T + t["worth.bias"])

    def evaluate(self, observations: F32) -> tuple[F32, F32]:
        """Return the logits of all actions, float32[n, A], and the values, float32[n]."""
        t, found = self._t, []
        for first in range(0, len(observations), BATCH):
            e, policy, worth = self._towers(observations[first : first + BATCH])
            loose = policy @ t["actions.weight"].T + t["actions.bias"]
            planes = (e @ t["planes.weight"].T + t["planes.bias"]).transpose(0, 2, 1)
            values = worth @ t["score.weight"][0] + t["score.bias"][0]
            found.append((np.concatenate([loose, planes.reshape(len(loose), -1)], 1), values))
        logits, values = zip(*found, strict=True)
        return np.concatenate(logits), np.concatenate(values)
