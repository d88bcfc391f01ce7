"""The generator of every game's chance and of random players: sfc32, for rules in both modes.

Words are 32 bits wide and kept in int64, so that lists and arrays make the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core.jit import rule

__all__ = ["below", "next_word", "seed_words"]

MASK32 = 0xFFFFFFFF


@rule
def next_word(words: Any, at: int = 0) -> int:
    """The next 32 random bits of the generator whose four words stand in `words` from `at` on; it goes on."""
    a, b, c, counter = words[at], words[at + 1], words[at + 2], words[at + 3]
    out = (a + b + counter) & MASK32
    words[at + 3] = (counter + 1) & MASK32
    words[at] = b ^ (b >> 9)
    words[at + 1] = (c + ((c << 3) & MASK32)) & MASK32
    words[at + 2] = ((((c << 21) & MASK32) | (c >> 11)) + out) & MASK32
    return out


@rule
def below(words: Any, n: int, at: int = 0) -> int:
    """A uniform integer in 0 .. n-1, without bias: words past the last whole multiple of n are drawn again."""
    limit = (0x100000000 // n) * n
    word = next_word(words, at)
    while word >= limit:
        word = next_word(words, at)
    return word % n


def seed_words(seed: int | None) -> list[int]:
    """Eight words for two generators (decks, dice) from a seed >= 0, or from the system's entropy for None."""
    sequence = np.random.SeedSequence(seed)
    return [int(w) for w in sequence.generate_state(8, np.uint32)]
