"""The inputs of the network while it learns: the values of the observation that have ever varied.

Most values of a wide observation stay the same in a whole run: a ruleset's numbers, a piece's kind, events of other
games only. Their products with weights are a constant, which belongs to the first layer's bias. So the first layer has
columns for the values that vary, and a rest of weights that wait; a column joins when its value first varies. Policies
have all columns; those that wait are 0 there, so that a value that training never saw has no effect.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from . import kernels
from .net import LegalNet

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]


class Inputs:
    """The columns of a network's first layer.

    Args:
        net: the network, on whole observations. `update` makes its first layer narrower or wider.
        reference: float32[O], an observation: values vary if they differ from it.

    Attributes:
        columns: int64[C], the values that the first layer takes, ascending.
        taken: int64[C + F], these and the net's `fixed` ones: the network's inputs.
        resting: int64[O - C - F], the others.
        varied: bool[O], the values that have varied.
        weight: float32[2H, O], weights of the resting columns; those of the others are outdated.
    """

    def __init__(self, net: LegalNet, reference: F32) -> None:
        self.net = net
        self.reference: F32 = reference.copy()
        size = len(reference)
        self._choose(np.setdiff1d(np.arange(size), net.fixed))
        self.varied: NDArray[np.bool_] = np.zeros(size, np.bool_)
        self.weight: Tensor = torch.zeros(net.first.out_features, size)
        self.weight[:, self.columns] = net.first.weight.detach().cpu()
        self._buffer: NDArray[Any] = self._empty(0)

    def _empty(self, n: int) -> NDArray[Any]:
        return np.empty((n, len(self.taken)), np.uint16 if self.net.in_half else np.float32)

    def buffer(self, n: int) -> NDArray[Any]:
        """Return a buffer of n rows, [n, C + F], in the network's type (bfloat16 as its bits): the same each time."""
        if self._buffer.shape != (n, len(self.taken)):
            self._buffer = self._empty(n)
        return self._buffer

    def take(self, observations: F32, rows: I64, out: NDArray[Any]) -> None:
        """Write the network's inputs of some rows of float32[n, O]."""
        if self.net.in_half:
            kernels.take_columns_half(observations.view(np.uint32), rows, self.taken, out)
        else:
            kernels.take_columns(observations, rows, self.taken, out)

    def tensor(self, rows: NDArray[Any]) -> Tensor:
        """Return rows of `buffer` as the network takes them, on its device."""
        tensor = torch.from_numpy(rows)
        return (tensor.view(torch.bfloat16) if self.net.in_half else tensor).to(self.net.device)

    def of(self, observations: F32) -> Tensor:
        """Return the network's inputs of observations, float32[n, O]."""
        out = self._empty(len(observations))
        self.take(np.ascontiguousarray(observations), np.arange(len(observations)), out)
        return self.tensor(out)

    def note(self, observations: F32) -> None:
        """Mark the values of float32[n, O] that vary and were not known to."""
        unknown = np.setdiff1d(np.flatnonzero(~self.varied), self.net.fixed)
        kernels.note_varied(observations, unknown, self.reference, self.varied)

    def whole(self) -> tuple[Tensor, Tensor]:
        """Return the first layer's weights and bias for whole observations, float32[2H, O], float32[2H]."""
        weight = self.weight.clone()
        weight[:, self.columns] = self.net.first.weight.detach().cpu()
        reference = torch.from_numpy(self.reference[self.resting])
        return weight, self.net.first.bias.detach().cpu() - weight[:, self.resting] @ reference

    def folded(self) -> tuple[Tensor, Tensor]:
        """Return the same as `whole`, of all values but the net's `fixed` ones. Those that never varied are folded into
        the bias: their weights are 0.
        """
        weight = torch.zeros_like(self.weight)
        weight[:, self.columns] = self.net.first.weight.detach().cpu()
        loose = np.setdiff1d(np.arange(len(self.reference)), self.net.fixed)
        return weight[:, loose], self.net.first.bias.detach().cpu().clone()

    def update(self, optimizer: torch.optim.Optimizer) -> None:
        """Give the network the columns that have varied, and only those. Its outputs stay the same."""
        columns: I64 = np.flatnonzero(self.varied)
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

    def _choose(self, columns: I64) -> None:
        self.columns: I64 = columns
        self.taken: I64 = np.concatenate([columns, self.net.fixed])
        self.resting: NDArray[np.intp] = np.setdiff1d(np.arange(len(self.reference)), self.taken)

    def _replace(self, weight: Tensor) -> None:
        layer = self.net.first
        layer.weight.grad = None
        layer.weight.data = weight.contiguous().to(layer.weight.device)
        layer.in_features = weight.shape[1]

    def state_dict(self) -> dict[str, Any]:
        """Return the part of a checkpoint that `load_state_dict` takes, without the network's own arrays."""
        return {"columns": self.columns, "varied": self.varied, "reference": self.reference, "weight": self.weight}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the result of `state_dict`; the network's and the optimizer's arrays are restored after it."""
        self.varied, self.reference, self.weight = state["varied"], state["reference"], state["weight"]
        self._choose(state["columns"])
        self._replace(self.weight[:, self.columns])
