"""The observation of a player, a vector: everything is open, players clockwise from the observer. docs/aloha.md has the
table.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.game import Part

from .rules.epilogue import votes_on_cards
from .rules.names import (
    AMOUNT,
    CALAMITY_OPPONENTS,
    DECK,
    EPILOGUE,
    FIRST_PLAYER,
    ISLANDS,
    OVER,
    PHASES,
    SETS,
    SLOTS,
    STAGES,
    TITLES,
)
from .rules.state import chapter_of, on_board, pool

COMMON = 118
PER_PLAYER = 55
CARD_FIELDS = (
    ("card number", 1), ("ordinary", 1), ("calamity on opponents", 1), ("Active islands", 5), ("receives", 5),
    ("pays", 5),
)  # fmt: skip
"""The values of one face-up card, in order, with their number."""
PLAYER_FIELDS = (
    ("decides", 1), ("place in the order, from 1", 1), ("acts first in the stage", 1), ("points", 1),
    ("Pure Hawaiian tokens on the board", 1), ("pool", 1), ("Commerce", 1), ("Aloha", 1), ("Warriors", 1),
    ("Home Rule tokens", 1), ("votes on cards", 1), ("holds the King/Queen", 1), ("tokens on the islands", 5),
    ("Action tokens", 5), ("the latest set's island cards", 5), ("all Royal Family cards", 24),
    ("Prologue actions left", 1), ("conversions left", 1), ("total of the dice so far", 1), ("dice to roll", 1),
)  # fmt: skip
"""The values of one player, in order, with their number."""


def parts(players: int) -> tuple[Part, ...]:
    """Return the named parts of an observation."""
    return (
        Part("observer", (1,), "the observer's index"),
        Part("stage", (len(STAGES),), "Prologue, Chapters I to III, Epilogue"),
        Part("phase", (len(PHASES),), ", ".join(PHASES)),
        Part("migration", (2, len(ISLANDS)), "while an amount is chosen: the island left, the island gone to"),
        Part("deck", (DECK,), "card numbers that are left in the chapter's deck"),
        Part("face_up", (SLOTS, 18), "one row a slot", fields=CARD_FIELDS),
        Part("players", (players, PER_PLAYER), "one row a player, clockwise from the observer", fields=PLAYER_FIELDS),
    )


@rule
def write_observation(rules: Any, state: Any, observer: int, out: Any) -> None:
    """Write the raw values of `observer`'s observation into `out`, 118 + 55 a player."""
    for index in range(COMMON + PER_PLAYER * rules.players):
        out[index] = 0
    out[0] = observer
    out[1 + state.stage] = 1
    out[6 + state.phase] = 1
    if state.phase == AMOUNT:
        out[16 + state.origin] = 1
        out[21 + state.destination] = 1
    for number in range(1, DECK + 1):
        out[25 + number] = state.left[number]
    for slot in range(SLOTS):
        number = state.face_up[slot]
        if number > 0:
            chapter, start = chapter_of(state), 46 + 18 * slot
            out[start] = number
            out[start + (2 if rules.card_kind[chapter][number] == CALAMITY_OPPONENTS else 1)] = 1
            for i in range(5):
                out[start + 3 + i] = rules.card_islands[chapter][number][i]
                out[start + 8 + i] = rules.card_receives[chapter][number][i]
                out[start + 13 + i] = rules.card_pays[chapter][number][i]
    latest = max(state.stage - 1, 0)
    if state.stage == EPILOGUE:
        latest = 3 if state.phase == OVER else 2
    for seat in range(rules.players):
        player = observer + seat
        if player >= rules.players:
            player -= rules.players
        _write_player(rules, state, player, latest, COMMON + PER_PLAYER * seat, out)


@rule
def _write_player(rules: Any, state: Any, player: int, latest: int, start: int, out: Any) -> None:
    out[start] = 1 if state.decider == player else 0
    if state.phase != FIRST_PLAYER:
        for place in range(rules.players):
            if state.order[place] == player:
                out[start + 1] = place + 1
    out[start + 2] = 1 if state.first == player else 0
    out[start + 3] = min(state.points[player], 127)
    out[start + 4] = on_board(state, player)
    out[start + 5] = pool(rules, state, player)
    for resource in range(4):
        out[start + 6 + resource] = state.tracks[resource][player]
    out[start + 10] = min(votes_on_cards(rules, state, player), 127)
    out[start + 11] = 1 if state.king_of == player else 0
    for island in range(5):
        out[start + 12 + island] = state.tokens[player][island]
        out[start + 17 + island] = state.actions[player][island]
        out[start + 22 + island] = 1 if state.cards_of[latest][1 + island] == player else 0
    card = start + 27
    for stage in range(len(SETS)):
        for title in range(len(TITLES)):
            out[card] = 1 if state.cards_of[stage][title] == player else 0
            card += 1
    out[start + 51] = state.moves[player]
    if state.stage == EPILOGUE and state.phase != OVER:
        out[start + 52] = rules.conversions - state.converted[player]
    out[start + 53] = state.total[player]
    out[start + 54] = state.dice[player]


def bounds(rules: Any, players: int) -> list[int]:
    """Return the greatest raw values, by the data; the least are 0."""
    amounts = [
        1,
        *(n for part in (rules.card_receives, rules.card_pays) for deck in part for card in deck for n in card),
    ]
    slot = [DECK, 1, 1, 1, 1, 1, 1, 1] + [max(amounts)] * 10
    common = [players - 1] + [1] * 25 + [1] * DECK + slot * SLOTS
    stock, end = rules.stock, rules.track_end
    votes = min(sum(map(sum, rules.votes)), 127)
    player = [1, players, 1, 127, stock, stock, end, end, end, end, max(votes, 1), 1]
    player += [stock] * 5 + [3] * 5 + [1] * 29 + [rules.moves, max(rules.conversions, 1), 18, 3]
    return common + player * players
