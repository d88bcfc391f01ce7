"""Loops in machine code around torch's matrix products: what would be a dozen passes over memory is one.

bfloat16 comes as uint16, since NumPy and Numba have no such type: the upper half of a float32's bits. All loops run in
one thread and in one order, so equal inputs give equal results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(inline="always")
def _upper(bits: Any) -> Any:
    """Return the upper half of a float32's bits, rounded to the nearest, ties to even."""
    return np.uint16((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16))


@njit(cache=True)
def take_columns(table: Any, rows: Any, columns: Any, out: Any) -> None:
    """Write some rows and columns of float32[n, O] to float32[R, C]."""
    for i in range(len(rows)):
        row = table[rows[i]]
        for k in range(len(columns)):
            out[i, k] = row[columns[k]]


@njit(cache=True)
def take_columns_half(table: Any, rows: Any, columns: Any, out: Any) -> None:
    """Write some rows and columns of float32[n, O], given as uint32 bits, to bfloat16[R, C]."""
    for i in range(len(rows)):
        row = table[rows[i]]
        for k in range(len(columns)):
            out[i, k] = _upper(row[columns[k]])


@njit(cache=True)
def note_varied(rows: Any, columns: Any, reference: Any, varied: Any) -> None:
    """Set varied[c] for each of these columns in which a row is unlike the reference."""
    for i in range(len(rows)):
        for k in range(len(columns)):
            c = columns[k]
            varied[c] |= rows[i, c] != reference[c]


# A layer's tanh


@njit(cache=True, fastmath=True, error_model="numpy")
def tanh_of_half(z: Any, bias: Any, out: Any) -> None:
    """``tanh(z + bias)``, bfloat16[n, H] of bfloat16[n, H] and float32[H]; all but the bias are given as bits.

    The continued fraction of tanh, cut after its seventh step: wrong by 1e-4 at most, where it leaves -1 to 1.
    """
    n, width = z.shape
    row = np.empty(width, np.uint32)
    sums = row.view(np.float32)
    for i in range(n):
        for k in range(width):
            row[k] = np.uint32(z[i, k]) << np.uint32(16)
        for k in range(width):
            x = min(max(sums[k] + bias[k], np.float32(-4.97)), np.float32(4.97))
            s = x * x
            above = x * (np.float32(135135) + s * (np.float32(17325) + s * (np.float32(378) + s)))
            below = np.float32(135135) + s * (np.float32(62370) + s * (np.float32(3150) + s * np.float32(28)))
            sums[k] = above / below
        for k in range(width):
            out[i, k] = _upper(row[k])


@njit(cache=True, fastmath=True)
def tanh_back_half(out: Any, gradient: Any, dz: Any, dbias: Any) -> None:
    """Return the gradient of z and bias where `tanh_of_half` gave `out`: bfloat16[n, H] as bits, and float32[H]."""
    n, width = out.shape
    row, other = np.empty(width, np.uint32), np.empty(width, np.uint32)
    h, g = row.view(np.float32), other.view(np.float32)
    dbias[:] = 0
    for i in range(n):
        for k in range(width):
            row[k] = np.uint32(out[i, k]) << np.uint32(16)
            other[k] = np.uint32(gradient[i, k]) << np.uint32(16)
        for k in range(width):
            g[k] *= np.float32(1) - h[k] * h[k]
            dbias[k] += g[k]
        for k in range(width):
            dz[i, k] = _upper(other[k])


# The last layer, for legal actions alone


@njit(inline="always")
def _legal_chances(h: Any, weight: Any, bias: Any, actions: Any, first: int, last: int, i: int, chances: Any) -> Any:
    """Write the chances of row i's legal actions to chances[first:last]; return the logarithm of their divisor."""
    most = np.float32(-np.inf)
    for k in range(first, last):
        a = actions[k]
        logit = bias[a]
        for j in range(h.shape[1]):
            logit += h[i, j] * weight[a, j]
        chances[k] = logit
        most = max(most, logit)
    total = np.float32(0)
    for k in range(first, last):
        total += np.exp(chances[k] - most)
    divisor = most + np.log(total)
    for k in range(first, last):
        chances[k] -= divisor
    return divisor


FAST = {"reassoc", "contract", "nsz", "arcp"}
"""Sums may be reordered into vectors; infinities stay what they are."""


@njit(cache=True, fastmath=FAST)
def choose_legal(h: Any, weight: Any, bias: Any, counts: Any, actions: Any, draws: Any, picks: Any, logs: Any) -> None:
    """Choose one of each row's legal actions: write its place in the list, and the logarithm of its probability.

    draws: float64[n] of 0 to 1; a negative one takes the likeliest. The rest as for `legal_logs`.
    """
    room = np.empty(len(actions), np.float32)
    first = 0
    for i in range(len(counts)):
        last = first + counts[i]
        _legal_chances(h, weight, bias, actions, first, last, i, room)
        pick = first
        if draws[i] < 0:
            for k in range(first, last):
                if room[k] > room[pick]:
                    pick = k
        else:
            pick = last - 1  # where rounding leaves the sum below the draw
            left = draws[i]
            for k in range(first, last):
                left -= np.exp(room[k])
                if left < 0:
                    pick = k
                    break
        picks[i] = pick - first
        logs[i] = room[pick]
        first = last


@njit(cache=True, fastmath=FAST)
def legal_logs(
    h: Any, weight: Any, bias: Any, counts: Any, actions: Any, picks: Any, table: Any, logs: Any, entropy: Any
) -> None:
    """Return the logarithm of the picked action's probability, and the entropy, of each row's legal actions.

    h: float32[n, H]; weight, bias: float32[A, H], float32[A]; counts: int64[n], and actions: int64[m], the lists;
    picks: int64[n], places in them. table: float32[m], out: the logarithms of all.
    """
    first = 0
    for i in range(len(counts)):
        last = first + counts[i]
        _legal_chances(h, weight, bias, actions, first, last, i, table)
        logs[i] = table[first + picks[i]]
        mean = np.float32(0)
        for k in range(first, last):
            mean -= np.exp(table[k]) * table[k]
        entropy[i] = mean
        first = last


@njit(cache=True, fastmath=FAST)
def legal_logs_back(
    h: Any, weight: Any, counts: Any, actions: Any, picks: Any, table: Any, entropy: Any, dlogs: Any, dentropy: Any,
    dh: Any, dweight: Any, dbias: Any,
) -> None:  # fmt: skip
    """Return the gradients of h, weight and bias from those of `legal_logs`; dweight and dbias come as zeros."""
    first = 0
    for i in range(len(counts)):
        last = first + counts[i]
        for j in range(h.shape[1]):
            dh[i, j] = 0
        for k in range(first, last):
            a = actions[k]
            chance = np.exp(table[k])
            slope = -chance * (dlogs[i] + dentropy[i] * (table[k] + entropy[i]))
            if k - first == picks[i]:
                slope += dlogs[i]
            dbias[a] += slope
            for j in range(h.shape[1]):
                dh[i, j] += slope * weight[a, j]
                dweight[a, j] += slope * h[i, j]
        first = last
