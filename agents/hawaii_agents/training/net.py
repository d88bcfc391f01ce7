"""The network of the training scripts: two towers; the last layer is computed for legal actions only.

It computes the same as `hawaii_agents.network.Policy` with the same arrays, which needs no torch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from hawaii_env.agents import legal_in_rows
from hawaii_env.errors import OptionError

from . import kernels

I64 = NDArray[np.int64]
DENSE = 32
"""The CPU computes the whole last layer if at least one action in so many is legal: one product is faster than rows."""
PRECISIONS = ("auto", "float32", "bfloat16")


def half_by_default() -> bool:
    """Return whether this processor multiplies matrices of bfloat16 several times as fast as those of float32."""
    asked = (getattr(torch.cpu, name, None) for name in ("_is_amx_tile_supported", "_is_avx512_bf16_supported"))
    return any(ask is not None and ask() for ask in asked)


@dataclass
class Legal:
    """The legal actions of some decisions, one list after the other.

    Attributes:
        counts: int64[n], how many each decision has.
        actions: int64[sum of counts], ascending in each list.
    """

    counts: I64
    actions: I64

    @classmethod
    def of(cls, masks: NDArray[np.int8]) -> Legal:
        """Return those of masks, int8[n, A] of 0 and 1."""
        rows, actions = legal_in_rows(masks)
        return cls(np.bincount(rows, minlength=len(masks)), actions)

    @classmethod
    def join(cls, parts: Sequence[Legal]) -> Legal:
        """Return the lists of all parts, in their order."""
        return cls(np.concatenate([part.counts for part in parts]), np.concatenate([part.actions for part in parts]))

    def starts(self) -> I64:
        """Return where each list starts, int64[n]."""
        return np.cumsum(self.counts) - self.counts

    def take(self, rows: I64, starts: I64) -> Legal:
        """Return the lists of some decisions; `starts` is `starts()`, which many calls share."""
        counts = self.counts[rows]
        shift = np.repeat(starts[rows] - (np.cumsum(counts) - counts), counts)
        return Legal(counts, self.actions[shift + np.arange(len(shift))])

    def places(self) -> tuple[I64, I64]:
        """Return row and column of each action in a table of one row per decision."""
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        return rows, np.arange(len(rows)) - np.repeat(self.starts(), self.counts)


def _bits(tensor: Tensor) -> NDArray[np.uint16]:
    """Return the bits of a bfloat16 tensor, the same memory."""
    return tensor.detach().contiguous().view(torch.uint16).numpy()


class HalfTanh(torch.autograd.Function):
    """``tanh(x @ weight.T + bias)`` in bfloat16 on the CPU: products by torch, the rest in one pass of `kernels`.

    Args of `apply`: x, bfloat16[n, I]; weight, float32[H, I]; bias, float32[H]. Returns bfloat16[n, H].
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Return the layer's output."""
        half = weight.to(torch.bfloat16)
        out = x @ half.t()
        kernels.tanh_of_half(_bits(out), bias.detach().numpy(), _bits(out))
        ctx.save_for_backward(x, half, out)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:
        """Return the gradients of x, where it wants one, weight and bias."""
        x, half, out = ctx.saved_tensors
        dz, dbias = torch.empty_like(out), torch.empty(out.shape[1])
        kernels.tanh_back_half(_bits(out), _bits(gradients[0]), _bits(dz), dbias.numpy())
        return dz @ half if ctx.needs_input_grad[0] else None, (dz.t() @ x).float(), dbias


def half_tanh(x: Tensor, weight: Tensor, bias: Tensor, in_half: bool) -> Tensor:
    """``tanh(x @ weight.T + bias)``, in bfloat16 where x is."""
    if not in_half:
        return torch.tanh(nn.functional.linear(x, weight, bias))
    if x.device.type == "cpu":
        return cast(Tensor, HalfTanh.apply(x, weight, bias))
    return torch.tanh(nn.functional.linear(x, weight.to(x.dtype), bias.to(x.dtype)))


class LegalLogs(torch.autograd.Function):
    """Logarithm of the picked actions' probabilities, and the entropies, from the last layer for legal actions alone.

    With a mask the other logits get no probability and no gradient: leaving them out changes nothing but the time.

    Args of `apply`: h, float32[n, H]; weight, float32[A, H]; bias, float32[A]; the legal actions; picks, int64[n],
    their places in the lists. Returns float32[n], float32[n].
    """

    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor, bias: Tensor, legal: Legal, picks: I64) -> tuple[Tensor, Tensor]:
        """Return the logarithms and the entropies."""
        n = len(legal.counts)
        table, logs, entropy = (
            np.empty(len(legal.actions), np.float32),
            np.empty(n, np.float32),
            np.empty(n, np.float32),
        )
        kernels.legal_logs(
            h.detach().numpy(), weight.detach().numpy(), bias.detach().numpy(), legal.counts, legal.actions, picks,
            table, logs, entropy,
        )  # fmt: skip
        ctx.save_for_backward(h, weight)
        ctx.rest = legal, picks, table, entropy
        return torch.from_numpy(logs), torch.from_numpy(entropy.copy())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        """Return the gradients of h, weight and bias."""
        h, weight = ctx.saved_tensors
        legal, picks, table, entropy = ctx.rest
        dh, dweight, dbias = torch.empty_like(h), torch.zeros_like(weight), torch.zeros(len(weight))
        dlogs, dentropy = (gradient.contiguous().numpy() for gradient in gradients)
        kernels.legal_logs_back(
            h.detach().numpy(), weight.detach().numpy(), legal.counts, legal.actions, picks, table, entropy,
            dlogs, dentropy, dh.numpy(), dweight.numpy(), dbias.numpy(),
        )  # fmt: skip
        return dh, dweight, dbias, None, None


class LegalNet(nn.Module):
    """A network, as the trainer asks it: all is worked out from a table of legal actions' logits.

    Attributes:
        first: the layer that takes loose values of the observation.
        fixed: int64[F], values of the observation that `first` is not given, and that come after those that it is.
        in_half: whether layers compute in bfloat16. Weights are float32 in any case, and so is what the last layer
            does.

    Raises:
        OptionError: an unknown precision.
    """

    first: nn.Linear

    def __init__(self, precision: str) -> None:
        super().__init__()
        self.fixed: I64 = np.zeros(0, np.int64)
        if precision not in PRECISIONS:
            raise OptionError(f"precision is one of {', '.join(PRECISIONS)}, not {precision!r}")
        self.in_half: bool = precision == "bfloat16" or (precision == "auto" and half_by_default())

    @property
    def device(self) -> torch.device:
        """The device on which it computes."""
        return self.first.weight.device

    @property
    def kind(self) -> torch.dtype:
        """The type in which it takes observations."""
        return torch.bfloat16 if self.in_half else torch.float32

    def values(self, observations: Tensor) -> Tensor:
        """Return the values for the players to act, float32[n]."""
        raise NotImplementedError

    def forward(self, observations: Tensor, legal: Legal) -> tuple[Tensor, Tensor]:
        """Return logits and values.

        Args:
            observations: float32[n, O].
            legal: the legal actions of the n decisions.

        Returns:
            float32[n, K], K being the longest list: the logits of each list's actions, then -1e9; and float32[n].
        """
        raise NotImplementedError

    def judge(self, observations: Tensor, legal: Legal, picks: I64) -> tuple[Tensor, Tensor, Tensor]:
        """Return what learning asks of decisions that were taken: the logarithm of the picked action's probability, the
        entropy, and the value, float32[n] each.

        Args:
            observations: [n, O].
            legal: the legal actions.
            picks: int64[n], the action taken, by its place in the list.
        """
        table, values = self(observations, legal)
        table = torch.log_softmax(table, 1)
        chosen = torch.from_numpy(picks).to(table.device)[:, None]
        return table.gather(1, chosen).flatten(), -(table.exp() * table).sum(1), values

    def choose(self, observations: Tensor, legal: Legal, draws: NDArray[np.float64]) -> tuple[I64, Any, Any]:
        """Choose: return picks, int64[n], places in the lists, and log-probabilities and values, float32[n].

        Args:
            observations: [n, O].
            legal: the legal actions.
            draws: float64[n] of 0 to 1, which settle the choice; -1 takes the likeliest action.
        """
        with torch.no_grad():
            table, values = self(observations, legal)
            table = torch.log_softmax(table, 1)
            drawn = torch.from_numpy(draws.astype(np.float32)).to(table.device)[:, None]
            last = torch.from_numpy(legal.counts - 1).to(table.device)
            picks = torch.minimum((table.exp().cumsum(1) <= drawn).sum(1), last)
            picks = torch.where(drawn[:, 0] < 0, table.argmax(1), picks)
            found = torch.stack([picks.float(), table.gather(1, picks[:, None])[:, 0], values]).cpu().numpy()
        return found[0].astype(np.int64), found[1], found[2]


def table_of(logits: Tensor, legal: Legal) -> Tensor:
    """Return the legal actions' logits as `LegalNet.forward` does, from those of all, [n, A]."""
    rows, columns, actions = (torch.from_numpy(array).to(logits.device) for array in (*legal.places(), legal.actions))
    some = logits[rows, actions].float()
    table = torch.full((len(logits), int(legal.counts.max())), -1e9, device=logits.device)
    return table.index_put((rows, columns), some)


class Net(LegalNet):
    """Policy and value, two layers each; the sizes, activations and initial weights are those of SB3's MlpPolicy.

    Args:
        observation_size: O.
        num_actions: A.
        hidden: H. The first layers of policy and value stand in one matrix, so that they are one product.
        precision: of the two layers: ``"float32"``, ``"bfloat16"``, or ``"auto"``: the latter where the processor is
            made for it.
    """

    def __init__(self, observation_size: int, num_actions: int, hidden: int, precision: str = "float32") -> None:
        super().__init__(precision)
        self.first: nn.Linear = nn.Linear(observation_size, 2 * hidden)
        self.policy: nn.Linear = nn.Linear(hidden, hidden)
        self.worth: nn.Linear = nn.Linear(hidden, hidden)
        self.actions: nn.Linear = nn.Linear(hidden, num_actions)
        self.score: nn.Linear = nn.Linear(hidden, 1)
        with torch.no_grad():
            for part in self.first.weight[:hidden], self.first.weight[hidden:], self.policy.weight, self.worth.weight:
                nn.init.orthogonal_(part, math.sqrt(2))
            nn.init.orthogonal_(self.actions.weight, 0.01)
            nn.init.orthogonal_(self.score.weight, 1.0)
            for layer in self.first, self.policy, self.worth, self.actions, self.score:
                layer.bias.zero_()

    def _layer(self, x: Tensor, layer: nn.Linear) -> Tensor:
        return half_tanh(x, layer.weight, layer.bias, self.in_half)

    def towers(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the last layers of policy and value are given, float32[n, H] each."""
        policy, worth = self._layer(observations.to(self.kind), self.first).chunk(2, dim=1)
        return self._layer(policy, self.policy).float(), self._layer(worth, self.worth).float()

    def values(self, observations: Tensor) -> Tensor:
        """Return the values for the players to act, float32[n]."""
        return self.score(self.towers(observations)[1]).flatten()

    def forward(self, observations: Tensor, legal: Legal) -> tuple[Tensor, Tensor]:
        """Return logits and values, see `LegalNet.forward`."""
        h, worth = self.towers(observations)
        values = self.score(worth).flatten()
        if h.device.type != "cpu" or DENSE * len(legal.actions) >= len(h) * self.actions.out_features:
            return table_of(self.actions(h), legal), values
        rows, columns, actions = (torch.from_numpy(array) for array in (*legal.places(), legal.actions))
        some = (h[rows] * self.actions.weight[actions]).sum(1) + self.actions.bias[actions]
        return torch.full((len(h), int(legal.counts.max())), -1e9).index_put((rows, columns), some), values

    def judge(self, observations: Tensor, legal: Legal, picks: I64) -> tuple[Tensor, Tensor, Tensor]:
        """Return logarithms, entropies and values, see `LegalNet.judge`: on the CPU by kernels."""
        if self.device.type != "cpu":
            return super().judge(observations, legal, picks)
        h, worth = self.towers(observations)
        logs, entropy = cast(Any, LegalLogs.apply(h, self.actions.weight, self.actions.bias, legal, picks))
        return logs, entropy, self.score(worth).flatten()

    def choose(self, observations: Tensor, legal: Legal, draws: NDArray[np.float64]) -> tuple[I64, Any, Any]:
        """Choose, see `LegalNet.choose`: on the CPU by kernels."""
        if self.device.type != "cpu":
            return super().choose(observations, legal, draws)
        with torch.no_grad():
            h, worth = self.towers(observations)
            values = self.score(worth).flatten().numpy()
            last, weight, bias = (part.numpy() for part in (h, self.actions.weight, self.actions.bias))
        picks, logs = np.empty(len(draws), np.int64), np.empty(len(draws), np.float32)
        kernels.choose_legal(last, weight, bias, legal.counts, legal.actions, draws, picks, logs)
        return picks, logs, values
