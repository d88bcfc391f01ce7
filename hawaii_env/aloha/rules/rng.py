"""The generators of a position: sfc32, one for the cards and one for the dice, eight words at the end of its vector.

Words are 32 bits wide, kept in 64, so that lists and arrays make the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env._jit import rule


@rule
def next_word(s: Any, at: int) -> int:
    """The next 32 random bits of the generator whose four words stand at `at`; it goes on."""
    a, b, c, counter = s[at], s[at + 1], s[at + 2], s[at + 3]
    out = (a + b + counter) & 0xFFFFFFFF
    s[at + 3] = (counter + 1) & 0xFFFFFFFF
    s[at] = b ^ (b >> 9)
    s[at + 1] = (c + ((c << 3) & 0xFFFFFFFF)) & 0xFFFFFFFF
    s[at + 2] = ((((c << 21) & 0xFFFFFFFF) | (c >> 11)) + out) & 0xFFFFFFFF
    return out


@rule
def below(s: Any, at: int, n: int) -> int:
    """A uniform integer in 0 .. n-1, without bias: words past the last whole multiple of n are drawn again."""
    limit = (0x100000000 // n) * n
    word = next_word(s, at)
    while word >= limit:
        word = next_word(s, at)
    return word % n


def seed_words(seed: int | None) -> list[int]:
    """Eight words for the two generators (cards, dice) from a seed >= 0, or from the system's entropy for None."""
    return [int(word) for word in np.random.SeedSequence(seed).generate_state(8, np.uint32)]
