"""The generators of a state: sfc32, one for the decks and one for the dice.

Words are 32 bits wide and kept in int64, so that the compiled and the plain mode make the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env._jit import rule

MASK32 = 0xFFFFFFFF


@rule
def next_word(words: Any) -> int:
    """The next 32 random bits of a generator; `words` is int64[4] and goes on."""
    a, b, c, counter = words[0], words[1], words[2], words[3]
    out = (a + b + counter) & MASK32
    words[3] = (counter + 1) & MASK32
    words[0] = b ^ (b >> 9)
    words[1] = (c + ((c << 3) & MASK32)) & MASK32
    words[2] = ((((c << 21) & MASK32) | (c >> 11)) + out) & MASK32
    return out


@rule
def below(words: Any, n: int) -> int:
    """A uniform integer in 0 .. n-1, without bias: words past the last whole multiple of n are drawn again."""
    limit = (0x100000000 // n) * n
    word = next_word(words)
    while word >= limit:
        word = next_word(words)
    return word % n


def seed_words(seed: int | None) -> list[int]:
    """Eight words for the two generators (decks, dice) from a seed >= 0, or from the system's entropy for None."""
    sequence = np.random.SeedSequence(seed)
    return [int(w) for w in sequence.generate_state(8, np.uint32)]
