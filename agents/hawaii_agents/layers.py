"""Compiled evaluation of a small network for one position, for searches that evaluate one position at a time.

The network is that of `hawaii_agents.training.ppo_selfplay`: a first layer of both towers in one matrix, tanh, a second
layer each, tanh, a logit an action, a value. Matrices lie transposed, so that each input adds one row; inputs that are
what a template says stand in the bias and cost nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core import rule

__all__ = ["Layers", "add_changes", "add_row", "add_rows", "arrange", "dense", "dot", "squash", "value_of"]

F32 = NDArray[np.float32]

FAR = np.float32(9.0)
"""Beyond it tanh is 1 within float32."""

# tanh(x) = x P(x^2) / Q(x^2) within 2e-8 for |x| <= 9: fitted by weighted least squares. A quotient of polynomials goes
# through the processor's vector units; the library's tanh does not, and took half of the time.
P0, P1, P2, P3, P4 = (
    np.float32(v) for v in (0.9999999065, 0.133732084772, 0.00348659412939, 2.04720115702e-05, 1.31844392943e-08)
)
Q1, Q2, Q3, Q4 = (np.float32(v) for v in (0.467065053828, 0.0258420271676, 0.000327140449864, 7.70275903027e-07))
ONE = np.float32(1.0)


def _squash(x: Any) -> None:
    for i in range(len(x)):
        v = min(max(x[i], -FAR), FAR)
        z = v * v
        top = v * (P0 + z * (P1 + z * (P2 + z * (P3 + z * P4))))
        x[i] = top / (ONE + z * (Q1 + z * (Q2 + z * (Q3 + z * Q4))))


def _add_row(out: Any, x: Any, row: Any) -> None:
    for j in range(len(out)):
        out[j] += x * row[j]


def _dense(x: Any, weight: Any, bias: Any, out: Any) -> None:
    out[:] = bias
    eights = len(x) - len(x) % 8
    for i in range(0, eights, 8):
        add_rows(out, x[i : i + 8], weight[i : i + 8])
    for i in range(eights, len(x)):
        add_row(out, x[i], weight[i])
    squash(out)


def _dot(x: Any, y: Any) -> Any:
    # Eight sums, which the vector units take together.
    zero = np.float32(0.0)
    a, b, c, d, e, f, g, h = zero, zero, zero, zero, zero, zero, zero, zero
    eights = len(x) - len(x) % 8
    for i in range(0, eights, 8):
        a += x[i] * y[i]
        b += x[i + 1] * y[i + 1]
        c += x[i + 2] * y[i + 2]
        d += x[i + 3] * y[i + 3]
        e += x[i + 4] * y[i + 4]
        f += x[i + 5] * y[i + 5]
        g += x[i + 6] * y[i + 6]
        h += x[i + 7] * y[i + 7]
    for i in range(eights, len(x)):
        a += x[i] * y[i]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


# In Python whole arrays are a hundred times as fast; sums then differ by rounding alone.


@rule(compiled=_squash)
def squash(x: Any) -> None:
    """Replace each value by its tanh."""
    v = np.clip(x, -FAR, FAR)
    z = v * v
    top = v * (P0 + z * (P1 + z * (P2 + z * (P3 + z * P4))))
    x[:] = top / (ONE + z * (Q1 + z * (Q2 + z * (Q3 + z * Q4))))


@rule(compiled=_add_row)
def add_row(out: Any, x: Any, row: Any) -> None:
    """Add x * row to `out`, as far as `out` goes."""
    out += x * row[: len(out)]


@rule
def add_rows(out: Any, x: Any, rows: Any) -> None:
    """Add the product of eight values and eight rows to `out`, which is read and written once for all of them."""
    x0, x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    r0, r1, r2, r3, r4, r5, r6, r7 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]
    for j in range(len(out)):
        low = (x0 * r0[j] + x1 * r1[j]) + (x2 * r2[j] + x3 * r3[j])
        high = (x4 * r4[j] + x5 * r5[j]) + (x6 * r6[j] + x7 * r7[j])
        out[j] += low + high


@rule
def add_changes(raw: Any, before: Any, scale: Any, weight: Any, out: Any) -> None:
    """Add to the first layer's sums the difference between raw values, int8[W], and those `before`."""
    now, old = raw.view(np.int64), before.view(np.int64)
    for k in range(len(now)):
        if now[k] != old[k]:
            for i in range(8 * k, 8 * k + 8):
                if raw[i] != before[i]:
                    add_row(out, np.float32(np.int64(raw[i]) - np.int64(before[i])) * scale[i], weight[i])


@rule(compiled=_dense)
def dense(x: Any, weight: Any, bias: Any, out: Any) -> None:
    """Write a layer: out = tanh(bias + x weight)."""
    out[:] = bias + x @ weight
    squash(out)


@rule(compiled=_dot)
def dot(x: Any, y: Any) -> Any:
    """Return the product of two vectors."""
    return x @ y


@rule
def value_of(tall: Any, hidden: Any, worth: Any, worth_bias: Any, score: Any, score_bias: Any) -> float:
    """Return the value for the player to act, from the first layer; `hidden` is overwritten."""
    dense(tall[len(tall) - len(worth) :], worth, worth_bias, hidden)
    return score_bias[0] + dot(hidden, score)


class Layers(NamedTuple):
    """A network's arrays as the compiled code wants them; W = H + V.

    Attributes:
        first, first_bias: float32[O, W], float32[W]: of both towers, the policy's first.
        policy, policy_bias: float32[H, H], float32[H].
        worth, worth_bias: float32[V, V], float32[V].
        actions, actions_bias: float32[A, H], float32[A].
        score, score_bias: float32[V], float32[1].
        scale: float32[O], the factors of raw values.
        template: int8[O, and zeros up to a multiple of 8], raw values that stand in the bias.
    """

    first: NDArray[Any]
    first_bias: NDArray[Any]
    policy: NDArray[Any]
    policy_bias: NDArray[Any]
    worth: NDArray[Any]
    worth_bias: NDArray[Any]
    actions: NDArray[Any]
    actions_bias: NDArray[Any]
    score: NDArray[Any]
    score_bias: NDArray[Any]
    scale: NDArray[Any]
    template: NDArray[Any]


def arrange(
    first: F32, first_bias: F32, policy: tuple[F32, F32], worth: tuple[F32, F32], actions: tuple[F32, F32],
    score: tuple[F32, F32], scale: F32, template: Any,
) -> Layers:  # fmt: skip
    """Return a network's arrays as the compiled code wants them, from weights, [outputs, inputs], and biases.

    Args:
        first: of both towers, the policy's first.
        first_bias: its bias.
        policy, worth, actions, score: weights and bias of each.
        scale: float32[O], the factors of raw values.
        template: int8[O], raw values that stand in the bias.
    """
    size = len(template)
    raw = np.zeros(-(-size // 8) * 8, np.int8)
    raw[:size] = template
    return Layers(
        np.ascontiguousarray(first.T), first_bias + first @ (raw[:size] * scale), np.ascontiguousarray(policy[0].T),
        policy[1], np.ascontiguousarray(worth[0].T), worth[1], actions[0], actions[1], score[0].reshape(-1),
        score[1].reshape(-1), scale, raw,
    )  # fmt: skip
