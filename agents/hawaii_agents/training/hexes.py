"""The networks over hexes that training scripts fit: what they compute is what `hawaii_agents.hexes` does with the same
arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hawaii_agents.hexes import SIDES, VIEWS, ground_of, planes_of, ways_of
from hawaii_env.game import Game

from .net import I64, Legal, LegalNet, table_of


class HexNet(LegalNet):
    """The network.

    Args:
        game: a game with a map of hexes.
        hidden, precision: as for `net.Net`.
        width: D, values a hex.
        layers: layers in which hexes hear from each other.
        by_side: True hears the six neighbours each by weights of their own, a convolution; False all by the same.

    Raises:
        OptionError: a game without a map of hexes.
    """

    def __init__(self, game: Game, hidden: int, precision: str, width: int, layers: int, by_side: bool) -> None:
        super().__init__(precision)
        seen, acting = planes_of(game)
        self.seen: int = seen
        neighbours, ground = np.asarray(getattr(game, "neighbours", ())), ground_of(game)
        hexes, ways = len(neighbours), SIDES + 2 if by_side else 3
        self.fixed: I64 = np.arange(self.seen * hexes)
        self.map: nn.ParameterDict = _fixed(neighbours=neighbours.astype(np.float32), ground=ground)
        self.register_buffer("heard", torch.from_numpy(ways_of(neighbours, ways)), persistent=False)
        self.first: nn.Linear = nn.Linear(game.observation_size - len(self.fixed), width + 2 * hidden)
        self.enter: nn.Linear = nn.Linear(self.seen + ground.shape[1], width)
        self.layers: nn.ParameterDict = nn.ParameterDict({
            "weight": nn.Parameter(torch.empty(layers, ways * width, width)),
            "bias": nn.Parameter(torch.zeros(layers, width)),
        })  # fmt: skip
        self.views: nn.Linear = nn.Linear(width, VIEWS, bias=False)
        self.mix: nn.Linear = nn.Linear((VIEWS + 1) * width, 2 * hidden, bias=False)
        self.policy: nn.Linear = nn.Linear(hidden, hidden)
        self.worth: nn.Linear = nn.Linear(hidden, hidden)
        self.actions: nn.Linear = nn.Linear(hidden, game.num_actions - acting * hexes)
        self.planes: nn.Linear = nn.Linear(width, acting)
        self.score: nn.Linear = nn.Linear(hidden, 1)
        self._begin(hidden)

    def _begin(self, hidden: int) -> None:
        """Set the weights of the beginning: equal chances, small steps from layer to layer."""
        width = self.enter.out_features
        with torch.no_grad():
            for part in (
                self.enter.weight, self.first.weight[width : width + hidden], self.first.weight[width + hidden :],
                self.mix.weight[:hidden], self.mix.weight[hidden:], self.policy.weight, self.worth.weight,
            ):  # fmt: skip
                nn.init.orthogonal_(part, math.sqrt(2))
            self.first.weight[:width] *= 0.5
            self.mix.weight /= math.sqrt(2)
            for layer in self.layers["weight"]:
                nn.init.orthogonal_(layer, 0.5)
            for layer in self.actions, self.planes:
                nn.init.orthogonal_(layer.weight, 0.01)
            nn.init.orthogonal_(self.score.weight, 1.0)
            for layer in self.first, self.enter, self.policy, self.worth, self.actions, self.planes, self.score:
                layer.bias.zero_()

    def _layer(self, x: Tensor, layer: nn.Linear) -> Tensor:
        bias = None if layer.bias is None else layer.bias.to(x.dtype)
        return nn.functional.linear(x, layer.weight.to(x.dtype), bias)

    def _towers(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the hexes' values, [n, N, D], and what the last layers of policy and value are given."""
        x, (hexes, width) = observations.to(self.kind), (len(self.map["ground"]), self.enter.out_features)
        n, loose = len(x), x.shape[1] - len(self.fixed)
        seen = x[:, loose:].reshape(n, self.seen, hexes).transpose(1, 2)
        rest = self._layer(x[:, :loose], self.first)
        enter, ground = self.enter.weight.to(x.dtype).split([self.seen, self.map["ground"].shape[1]], 1)
        base = self.map["ground"].to(x.dtype) @ ground.t() + self.enter.bias.to(x.dtype)
        e = torch.relu(seen @ enter.t() + base + rest[:, None, :width])
        heard = self.get_buffer("heard").to(x.dtype).expand(n, -1, -1)
        for weight, bias in zip(self.layers["weight"].to(x.dtype), self.layers["bias"].to(x.dtype), strict=True):
            sent = (e.reshape(n * hexes, width) @ weight.t()).view(n, -1, width)
            e = e + torch.relu(torch.bmm(heard, sent) + bias)
        parts = torch.softmax(self._layer(e, self.views).float(), 1).to(x.dtype).transpose(1, 2)
        whole = torch.cat([e.mean(1), torch.bmm(parts, e).flatten(1)], 1)
        policy, worth = torch.tanh(rest[:, width:] + self._layer(whole, self.mix)).chunk(2, dim=1)
        policy, worth = (
            torch.tanh(self._layer(h, layer)).float() for h, layer in ((policy, self.policy), (worth, self.worth))
        )
        return e, policy, worth

    def values(self, observations: Tensor) -> Tensor:
        """Return the values for the players to act, float32[n]."""
        return self.score(self._towers(observations)[2]).flatten()

    def forward(self, observations: Tensor, legal: Legal) -> tuple[Tensor, Tensor]:
        """Return logits and values, see `LegalNet.forward`."""
        e, policy, worth = self._towers(observations)
        logits = torch.cat([self.actions(policy), self.planes(e.float()).transpose(1, 2).flatten(1)], 1)
        return table_of(logits, legal), self.score(worth).flatten()


def _fixed(**arrays: Any) -> nn.ParameterDict:
    """Return arrays that are saved with the weights and not learned."""
    return nn.ParameterDict({
        name: nn.Parameter(torch.from_numpy(array), requires_grad=False) for name, array in arrays.items()
    })  # fmt: skip
