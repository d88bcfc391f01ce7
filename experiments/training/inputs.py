"""What of an observation the network is given while it learns: the values that have ever varied.

Most values of a wide observation stay what they are in a whole run: a ruleset's numbers, a piece's kind, what happens
in other games only. Multiplied with weights they are a constant, which belongs to the first layer's bias. So the first
layer has the columns of what varies, and a rest of weights that wait; a column joins when its value varies first.
Policies have all columns; those that wait are 0 there, so that a value that training never saw has no say.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from . import kernels
from .net import Net

F32 = NDArray[np.float32]


class Inputs:
    """The columns of a network's first layer.

    Args:
        net: the network, on whole observations. `settle` makes its first layer narrower, and wider again.
        reference: float32[O], an observation: what varies is unlike it.

    Attributes:
        columns: int64[C], the values that the first layer is given, ascending.
        taken: int64[C + F], these and the net's `fixed` ones: what the network is given.
        resting: int64[O - C - F], the others.
        varied: bool[O], the values that have been seen to vary.
        weight: float32[2H, O], weights of the resting columns; what stands in the others is old.
    """

    def __init__(self, net: Net, reference: F32) -> None:
        self.net = net
        self.reference = reference.copy()
        size = len(reference)
        self.columns = np.setdiff1d(np.arange(size), net.fixed)
        self.taken = np.concatenate([self.columns, net.fixed])
        self.resting = self.columns[:0]
        self.varied = np.zeros(size, np.bool_)
        self.weight = torch.zeros(net.first.out_features, size)
        self.weight[:, self.columns] = net.first.weight.detach().cpu()
        self._room: NDArray[Any] = np.zeros((0, 0), np.uint16)

    def room(self, n: int) -> NDArray[Any]:
        """Return room for n rows, [n, C + F], in the network's type (bfloat16 as its bits): the same each time."""
        kind = np.uint16 if self.net.in_half else np.float32
        if self._room.shape != (n, len(self.taken)) or self._room.dtype != kind:
            self._room = np.empty((n, len(self.taken)), kind)
        return self._room

    def take(self, observations: F32, rows: NDArray[np.int64], out: NDArray[Any]) -> None:
        """Write what the network is given of some rows of float32[n, O]."""
        if self.net.in_half:
            kernels.take_columns_half(observations.view(np.uint32), rows, self.taken, out)
        else:
            kernels.take_columns(observations, rows, self.taken, out)

    def tensor(self, rows: NDArray[Any]) -> Tensor:
        """Return rows of `room` as the network takes them, on its device."""
        tensor = torch.from_numpy(rows)
        return (tensor.view(torch.bfloat16) if self.net.in_half else tensor).to(self.net.device)

    def of(self, observations: F32) -> Tensor:
        """Return what the network is given of observations, float32[n, O]."""
        out = np.empty((len(observations), len(self.taken)), np.uint16 if self.net.in_half else np.float32)
        self.take(np.ascontiguousarray(observations), np.arange(len(observations)), out)
        return self.tensor(out)

    def note(self, observations: F32) -> None:
        """See what varies in float32[n, O] that has not been known to."""
        loose = np.setdiff1d(np.flatnonzero(~self.varied), self.net.fixed)
        kernels.note_varied(observations, loose, self.reference, self.varied)

    def whole(self) -> tuple[Tensor, Tensor]:
        """Return the first layer's weights and bias for whole observations, float32[2H, O], float32[2H]."""
        weight = self.weight.clone()
        weight[:, self.columns] = self.net.first.weight.detach().cpu()
        reference = torch.from_numpy(self.reference[self.resting])
        return weight, self.net.first.bias.detach().cpu() - weight[:, self.resting] @ reference

    def folded(self) -> tuple[Tensor, Tensor]:
        """Return the same as `whole`, what has never varied being part of the bias: its weights are 0."""
        weight = torch.zeros_like(self.weight)
        weight[:, self.columns] = self.net.first.weight.detach().cpu()
        return weight, self.net.first.bias.detach().cpu().clone()

    def settle(self, optimizer: torch.optim.Optimizer) -> None:
        """Give the network the columns that have varied, and those alone. What it computes stays what it is."""
        columns = np.flatnonzero(self.varied)
        if np.array_equal(columns, self.columns):
            return
        weight, bias = self.whole()
        layer, before = self.net.first, self.columns
        self._choose(columns)
        self.weight = weight
        with torch.no_grad():
            layer.bias.copy_(bias + weight[:, self.resting] @ torch.from_numpy(self.reference[self.resting]))
        state = optimizer.state.get(layer.weight, {})
        for name, value in state.items():
            if isinstance(value, Tensor) and value.shape == layer.weight.shape:
                wide = torch.zeros(weight.shape, device=value.device)
                wide[:, before] = value
                state[name] = wide[:, columns].contiguous()
        self._replace(weight[:, columns])

    def _choose(self, columns: NDArray[np.int64]) -> None:
        self.columns, self.taken = columns, np.concatenate([columns, self.net.fixed])
        self.resting = np.setdiff1d(np.arange(len(self.reference)), self.taken)

    def _replace(self, weight: Tensor) -> None:
        layer = self.net.first
        layer.weight.grad = None
        layer.weight.data = weight.contiguous().to(layer.weight.device)
        layer.in_features = weight.shape[1]

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps, the network's own arrays left out."""
        return {"columns": self.columns, "varied": self.varied, "reference": self.reference, "weight": self.weight}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take back what `state_dict` returned; the network's and the optimizer's arrays come after it."""
        self.columns, self.varied, self.reference = state["columns"], state["varied"], state["reference"]
        self.weight = state["weight"]
        self._choose(self.columns)
        self._replace(self.weight[:, self.columns])
