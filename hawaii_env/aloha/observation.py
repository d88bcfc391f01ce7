"""What a player sees, as a vector: everything is open, players clockwise from the observer. docs/aloha.md has the
table.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.game import Part

from .rules import state as at
from .rules.epilogue import votes_on_cards
from .rules.names import AMOUNT, CALAMITY_OPPONENTS, DECK, EPILOGUE, FIRST_PLAYER, ISLANDS, OVER, PHASES, SLOTS, STAGES
from .rules.state import (
    ACTIONS,
    CARDS_OF,
    CONVERTED,
    DECIDES,
    DICE,
    FACE_UP,
    FIRST,
    FROM,
    KING_OF,
    LEFT,
    MOVES,
    ORDER,
    PHASE,
    POINTS,
    STAGE,
    T_CARDS,
    T_CONVERSIONS,
    T_PLAYERS,
    TO,
    TOKENS,
    TOTAL,
    TRACKS,
    on_board,
    pool,
)  # fmt: skip

COMMON = 118
PER_PLAYER = 55
PLAYER_FIELDS = (
    ("decides", 1), ("place in the order, from 1", 1), ("acts first in the stage", 1), ("points", 1),
    ("Pure Hawaiian tokens on the board", 1), ("pool", 1), ("Commerce", 1), ("Aloha", 1), ("Warriors", 1),
    ("Home Rule tokens", 1), ("votes on cards", 1), ("holds the King/Queen", 1), ("tokens on the islands", 5),
    ("Action tokens", 5), ("the latest set's island cards", 5), ("all Royal Family cards", 24),
    ("Prologue actions left", 1), ("conversions left", 1), ("total of the dice so far", 1), ("dice to roll", 1),
)  # fmt: skip
"""The values of one player, in order, with how many there are of each."""


def parts(players: int) -> tuple[Part, ...]:
    """The named parts of an observation."""
    return (
        Part("observer", (1,)),
        Part("stage", (len(STAGES),)),
        Part("phase", (len(PHASES),)),
        Part("migration", (2, len(ISLANDS))),
        Part("deck", (DECK,)),
        Part("face_up", (SLOTS, 18)),
        Part("players", (players, PER_PLAYER)),
    )


@rule
def write_observation(t: Any, s: Any, observer: int, out: Any) -> None:
    """Write the raw values of `observer`'s observation into `out`, 118 + 55 a player."""
    for at_ in range(COMMON + PER_PLAYER * t[T_PLAYERS]):
        out[at_] = 0
    out[0] = observer
    out[1 + s[STAGE]] = 1
    out[6 + s[PHASE]] = 1
    if s[PHASE] == AMOUNT:
        out[16 + s[FROM]] = 1
        out[21 + s[TO]] = 1
    for number in range(1, DECK + 1):
        out[25 + number] = s[LEFT + number]
    for slot in range(SLOTS):
        number = s[FACE_UP + slot]
        if number > 0:
            card = T_CARDS + 16 * ((DECK + 1) * (s[STAGE] - 1) + number)
            start = 46 + 18 * slot
            out[start] = number
            out[start + (2 if t[card] == CALAMITY_OPPONENTS else 1)] = 1
            for i in range(15):
                out[start + 3 + i] = t[card + 1 + i]
    latest = max(s[STAGE] - 1, 0)
    if s[STAGE] == EPILOGUE:
        latest = 3 if s[PHASE] == OVER else 2
    for seat in range(t[T_PLAYERS]):
        player = observer + seat
        if player >= t[T_PLAYERS]:
            player -= t[T_PLAYERS]
        _write_player(t, s, player, latest, COMMON + PER_PLAYER * seat, out)


@rule
def _write_player(t: Any, s: Any, player: int, latest: int, start: int, out: Any) -> None:
    out[start] = 1 if s[DECIDES] == player else 0
    if s[PHASE] != FIRST_PLAYER:
        for place in range(t[T_PLAYERS]):
            if s[ORDER + place] == player:
                out[start + 1] = place + 1
    out[start + 2] = 1 if s[FIRST] == player else 0
    out[start + 3] = min(s[POINTS + player], 127)
    out[start + 4] = on_board(s, player)
    out[start + 5] = pool(t, s, player)
    for resource in range(4):
        out[start + 6 + resource] = s[TRACKS + 4 * resource + player]
    out[start + 10] = min(votes_on_cards(t, s, player), 127)
    out[start + 11] = 1 if s[KING_OF] == player else 0
    for island in range(5):
        out[start + 12 + island] = s[TOKENS + 5 * player + island]
        out[start + 17 + island] = s[ACTIONS + 5 * player + island]
        out[start + 22 + island] = 1 if s[CARDS_OF + 6 * latest + 1 + island] == player else 0
    for card in range(24):
        out[start + 27 + card] = 1 if s[CARDS_OF + card] == player else 0
    out[start + 51] = s[MOVES + player]
    if s[STAGE] == EPILOGUE and s[PHASE] != OVER:
        out[start + 52] = t[T_CONVERSIONS] - s[CONVERTED + player]
    out[start + 53] = s[TOTAL + player]
    out[start + 54] = s[DICE + player]


def bounds(t: Any, players: int) -> list[int]:
    """Greatest raw values, by the data; the least are 0."""
    amounts = [max(t[at.T_CARDS + 16 * card + 6 + i] for card in range(3 * (DECK + 1)) for i in range(10)), 1]
    slot = [DECK, 1, 1, 1, 1, 1, 1, 1] + [max(amounts)] * 10
    common = [players - 1] + [1] * 25 + [1] * DECK + slot * SLOTS
    stock, end = t[at.T_STOCK], t[at.T_TRACK_END]
    votes = min(sum(t[at.T_VOTES : at.T_VOTES + 24]), 127)
    player = [1, players, 1, 127, stock, stock, end, end, end, end, max(votes, 1), 1]
    player += [stock] * 5 + [3] * 5 + [1] * 29 + [t[at.T_MOVES], max(t[at.T_CONVERSIONS], 1), 18, 3]
    return common + player * players
