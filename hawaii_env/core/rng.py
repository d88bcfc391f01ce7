"""Random generator of games and random players: sfc32, for rules in both modes.

Its state consists of 32-bit words, stored as int64 so that lists and arrays give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.jit import rule
from hawaii_env.errors import StateError
from hawaii_env.texts import show_value

__all__ = [
    "DRAW_TAG", "OPPONENT_TAG", "POLICY_TAG", "below", "check_generator", "draw_words", "game_words", "next_word",
    "pick", "policy_words", "seed_words", "small_seeds", "spread_words",
]  # fmt: skip

MASK32 = 0xFFFFFFFF

POLICY_TAG = 0x9E3779B9
"""Tag that separates the generators of random players from those of dice and cards with the same seed."""


DRAW_TAG, OPPONENT_TAG = 0x7F4A7C15, 0x85EBCA6B
"""Tags that separate the generators for draws from pools, including pools of opponents, in the same way."""


@rule
def next_word(words: Any, at: int = 0) -> int:
    """Return the next 32 random bits of the generator whose four words start at index `at` of `words`; advance it."""
    a, b, c, counter = words[at], words[at + 1], words[at + 2], words[at + 3]
    out = (a + b + counter) & MASK32
    words[at + 3] = (counter + 1) & MASK32
    words[at] = b ^ (b >> 9)
    words[at + 1] = (c + ((c << 3) & MASK32)) & MASK32
    words[at + 2] = ((((c << 21) & MASK32) | (c >> 11)) + out) & MASK32
    return out


@rule
def below(words: Any, n: int, at: int = 0) -> int:
    """Return a uniform integer in 0 .. n-1. To avoid bias, words beyond the last multiple of n are drawn again."""
    limit = (0x100000000 // n) * n
    word = next_word(words, at)
    while word >= limit:
        word = next_word(words, at)
    return word % n


@rule
def pick(words: Any, reach: Any) -> int:
    """Return an index drawn with a generator of four words: the first whose `reach` exceeds a 32-bit word."""
    word = next_word(words)
    low, high = 0, len(reach) - 1
    while low < high:
        middle = (low + high) >> 1
        if word < reach[middle]:
            high = middle
        else:
            low = middle + 1
    return low


def draw_words(seeds: Sequence[int], tag: int = DRAW_TAG) -> NDArray[np.int64]:
    """Return the words of the generators for draws from pools by environments with these seeds, int64[K, 4]."""
    return spread_words(small_seeds(seeds), 4, tag)


def seed_words(seed: int | None) -> list[int]:
    """Return eight words for two generators (cards, dice) from a seed >= 0, or from the system's entropy for None."""
    sequence = np.random.SeedSequence(seed)
    return [int(w) for w in sequence.generate_state(8, np.uint32)]


def policy_words(seed: int) -> list[int]:
    """Return the four 32-bit words of the random player's generator for a seed >= 0."""
    if seed >= 1 << 64:
        seed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    sequence = np.random.SeedSequence([seed & 0xFFFFFFFF, seed >> 32, POLICY_TAG])
    return [int(word) for word in sequence.generate_state(4, np.uint32)]


def spread_words(seeds: NDArray[np.uint64], n: int, tag: int | None = None) -> NDArray[np.int64]:
    """Return the words that NumPy's SeedSequence generates from each of many seeds: int64[K, n] of 32-bit words.

    Row k is ``SeedSequence(seeds[k]).generate_state(n)``; with a tag, ``SeedSequence([low word, high word,
    tag]).generate_state(n)``.
    """
    shape = seeds.shape
    zero = np.zeros(shape, np.uint64)
    entropy = [seeds & np.uint64(MASK32), seeds >> np.uint64(32), zero if tag is None else zero + np.uint64(tag), zero]
    low, half = np.uint64(MASK32), np.uint64(16)
    constant = 0x43B0D7E5

    def hashed(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
        nonlocal constant
        value = value ^ np.uint64(constant)
        constant = (constant * 0x931E8875) & MASK32
        value = (value * np.uint64(constant)) & low
        return value ^ (value >> half)

    pool = [hashed(value) for value in entropy]
    for source in range(4):
        for target in range(4):
            if source != target:
                other = hashed(pool[source])
                mixed = (pool[target] * np.uint64(0xCA01F9DD) - other * np.uint64(0x4973F715)) & low
                pool[target] = mixed ^ (mixed >> half)
    out = np.empty((*shape, n), np.int64)
    constant = 0x8B51F9DD
    for i in range(n):
        value = pool[i % 4] ^ np.uint64(constant)
        constant = (constant * 0x58F38DED) & MASK32
        value = (value * np.uint64(constant)) & low
        out[..., i] = (value ^ (value >> half)).astype(np.int64)
    return out


def small_seeds(seeds: Sequence[int]) -> NDArray[np.uint64]:
    """Return seeds for random players: seeds of up to 64 bits unchanged, others hashed."""
    return np.array(
        [s if s < 1 << 64 else int(np.random.SeedSequence(s).generate_state(1, np.uint64)[0]) for s in seeds], np.uint64
    )


def game_words(seeds: Sequence[int]) -> NDArray[np.int64]:
    """Return the words of the generators for games with these seeds, int64[K, 8]; see `seed_words`."""
    if all(seed < 1 << 64 for seed in seeds):
        return spread_words(np.array(seeds, np.uint64), 8)
    return np.array([np.random.SeedSequence(seed).generate_state(8, np.uint32) for seed in seeds], np.int64)


def check_generator(words: object) -> list[int]:
    """Return the eight words of a state's generators, validated.

    Raises:
        StateError: there are not eight words, or a word exceeds 32 bits.
    """
    if not isinstance(words, list) or len(words) != 8:
        raise StateError(f"words: expected eight of a generator, not {show_value(words)}")
    if not all(type(word) is int and 0 <= word < 1 << 32 for word in words):
        raise StateError("words: expected numbers of 32 bits")
    return words
