"""A position as one vector of integers, a game's tables as another, and what is counted on both.

In the plain mode both are lists, compiled they are int64 arrays: rules write ``s[POINTS + player]`` for either. Players
have four places each, however many play; what belongs to a player and an island stands at ``5 * player + island``.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import CHAPTER_1, DECK, HAWAIIAN

# The position
STAGE, PHASE, FIRST, ACTED, DECIDES, FROM, TO, KING_OF = range(8)
ORDER = 8
POINTS = 12
TRACKS = 16  # commerce, aloha, warrior, vote: TRACKS + 4 * (resource - 1) + player
MOVES = 32  # Prologue actions left
CONVERTED = 36
DICE = 40  # dice still to roll
TOTAL = 44  # of the dice rolled so far
TOKENS = 48  # + 5 * player + island
ACTIONS = 68  # Action tokens, + 5 * player + island
CARDS_OF = 88  # the holder of each Royal Family card, or -1
FACE_UP = 112  # card numbers by slot, 0 for none
LEFT = 116  # 1 for each card number that is left in the deck; LEFT + 0 is not used
WORDS = LEFT + DECK + 1  # generators: four words for the cards, four for dice and the first player; -1 without any
N_LEGAL = WORDS + 8  # how many actions are legal, 0 where nobody has a choice
LEGAL = N_LEGAL + 1  # which, ascending
MOST_LEGAL = 50
SIZE = LEGAL + MOST_LEGAL

# The tables
T_PLAYERS, T_ROUNDS, T_STOCK, T_PLACED, T_MOVES, T_CONVERSIONS, T_TRACK_END, T_GOVERNOR, T_REWARD = range(9)
T_TAKE = 9  # + 25 * chapter + 5 * island + resource, chapters from 0
T_VOTES = T_TAKE + 75  # of each Royal Family card
T_MONARCH = T_VOTES + 24  # points by stage
T_ISLAND = T_MONARCH + 5
T_MAJORITY = T_ISLAND + 5  # + 12 * chapter + 4 * resource + place
T_FOR_A_POINT = T_MAJORITY + 36  # tokens for a point: hawaiian, commerce, aloha
T_CARDS = T_FOR_A_POINT + 3  # + 16 * (21 * chapter + number): kind, islands 5, receives 5, pays 5
T_SIZE = T_CARDS + 16 * (DECK + 1) * 3


@rule
def on_board(s: Any, player: int) -> int:
    """[SU] Pure Hawaiian tokens of a player on the board: what the marker counts. [R-02]"""
    total = 0
    for island in range(5):
        total += s[TOKENS + 5 * player + island]
    return total


@rule
def pool(t: Any, s: Any, player: int) -> int:
    """[SU] Pure Hawaiian tokens that a player has off the board. [R-01, R-02]"""
    return t[T_STOCK] - on_board(s, player)


@rule
def actions_of(s: Any, player: int) -> int:
    """Action tokens that a player has left."""
    total = 0
    for island in range(5):
        total += s[ACTIONS + 5 * player + island]
    return total


@rule
def owned(s: Any, player: int, resource: int, island: int) -> int:
    """What a player has of a resource; Pure Hawaiian tokens are those on the island."""
    if resource == HAWAIIAN:
        return s[TOKENS + 5 * player + island]
    return s[TRACKS + 4 * (resource - 1) + player]


@rule
def receive(t: Any, s: Any, player: int, resource: int, island: int, number: int) -> None:
    """[SU, C2e] Pure Hawaiian tokens come from the pool, as far as it goes [R-12]; markers stop at the end of the track
    [R-11].
    """
    if resource == HAWAIIAN:
        s[TOKENS + 5 * player + island] += min(number, pool(t, s, player))
    else:
        at = TRACKS + 4 * (resource - 1) + player
        s[at] = min(s[at] + number, t[T_TRACK_END])


@rule
def lose(s: Any, player: int, resource: int, island: int, number: int) -> None:
    """[SU, C2e] A resource is paid; Pure Hawaiian tokens go from the island back to the pool. [R-02]"""
    if resource == HAWAIIAN:
        s[TOKENS + 5 * player + island] -= number
    else:
        s[TRACKS + 4 * (resource - 1) + player] -= number


@rule
def most_on(t: Any, s: Any, island: int) -> int:
    """[P3, C3, E2] Who has most Pure Hawaiian tokens on an island; -1 after a tie, and on an empty island."""
    best, most = -1, 0
    for player in range(t[T_PLAYERS]):
        tokens = s[TOKENS + 5 * player + island]
        if tokens > most:
            best, most = player, tokens
        elif tokens == most:
            best = -1
    return best


@rule
def order_by_points(t: Any, s: Any) -> None:
    """[TO, E1] More points first; if level, clockwise from the left of who acted first in the stage before. [R-06,
    R-20]
    """
    n = t[T_PLAYERS]
    for place in range(n):
        player = (s[FIRST] + 1 + place) % n
        at = place
        while at > 0 and s[POINTS + s[ORDER + at - 1]] < s[POINTS + player]:
            s[ORDER + at] = s[ORDER + at - 1]
            at -= 1
        s[ORDER + at] = player


@rule
def chapter_of(s: Any) -> int:
    """The running chapter as an index of the tables: 0, 1 or 2."""
    return s[STAGE] - CHAPTER_1
