"""A position and a game's tables as records, and what is counted on both.

Players have four places each, however many play; islands, resources and titles go by their numbers in `names`.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import Field, Layout

from .names import (
    CHAPTER_1,
    DECK,
    HAWAIIAN,
    ISLANDS,
    MOST_ACTIONS,
    PHASES,
    PLAYERS,
    RESOURCES,
    SETS,
    SLOTS,
    STAGES,
    TITLES,
)

MOST_LEGAL = 50
N_PLAYERS, N_ISLANDS, N_RESOURCES = len(PLAYERS), len(ISLANDS), len(RESOURCES)

STATE = Layout(
    "aloha_state",
    Field("stage", low=0, high=len(STAGES) - 1),
    Field("phase", low=0, high=len(PHASES) - 1),
    Field("first", low=-1, high=N_PLAYERS - 1),  # who acts first in the stage
    Field("acted", low=-1, high=N_PLAYERS - 1),  # who acted last
    Field("decider", low=-1, high=N_PLAYERS - 1),
    Field("origin", low=-1, high=N_ISLANDS - 1),  # of a migration
    Field("destination", low=-1, high=N_ISLANDS - 1),
    Field("king_of", low=-1, high=N_PLAYERS - 1),  # who holds the King/Queen token
    Field("order", N_PLAYERS, low=0, high=N_PLAYERS - 1),
    Field("points", N_PLAYERS, low=0),
    Field("tracks", N_RESOURCES - 1, N_PLAYERS, low=0),  # commerce, aloha, warrior, vote, by player
    Field("moves", N_PLAYERS, low=0),  # Prologue actions left
    Field("converted", N_PLAYERS, low=0),
    Field("dice", N_PLAYERS, low=0, high=3),  # dice still to roll
    Field("total", N_PLAYERS, low=0, high=18),  # of the dice rolled so far
    Field("tokens", N_PLAYERS, N_ISLANDS, low=0),
    Field("actions", N_PLAYERS, N_ISLANDS, low=0, high=MOST_ACTIONS),  # Action tokens
    Field("cards_of", len(SETS), len(TITLES), low=-1, high=N_PLAYERS - 1),  # the holder of each Royal Family card
    Field("face_up", SLOTS, low=0, high=DECK),  # card numbers by slot, 0 for none
    Field("left", DECK + 1, low=0, high=1),  # 1 for each card number that is left in the deck; 0 is not used
    Field("generator", 8, derived=True),
    Field("n_legal", low=0, high=MOST_LEGAL, derived=True),  # how many actions are legal, 0 if nobody has a choice
    Field("legal", MOST_LEGAL, derived=True),  # which, ascending
)

TABLES = Layout(
    "aloha_tables",
    Field("players", low=2, high=N_PLAYERS),
    Field("rounds", low=0, high=1),
    Field("stock"),
    Field("placed"),
    Field("moves"),
    Field("conversions"),
    Field("track_end"),
    Field("governor"),
    Field("reward"),
    Field("take", 3, N_ISLANDS, N_RESOURCES),  # by chapter
    Field("votes", len(SETS), len(TITLES)),  # of each Royal Family card
    Field("monarch", len(STAGES)),  # points by stage
    Field("island", len(STAGES)),
    Field("majority", 3, 3, N_PLAYERS),  # by chapter, resource and place
    Field("for_a_point", 3),  # tokens for a point: hawaiian, commerce, aloha
    Field("card_kind", 3, DECK + 1),  # event cards by chapter and number
    Field("card_islands", 3, DECK + 1, N_ISLANDS),
    Field("card_receives", 3, DECK + 1, N_RESOURCES),
    Field("card_pays", 3, DECK + 1, N_RESOURCES),
)


@rule
def on_board(state: Any, player: int) -> int:
    """[SU] Count a player's Pure Hawaiian tokens on the board, which the marker shows. [R-02]"""
    total = 0
    for island in range(5):
        total += state.tokens[player][island]
    return total


@rule
def pool(rules: Any, state: Any, player: int) -> int:
    """[SU] Count the Pure Hawaiian tokens that a player has off the board. [R-01, R-02]"""
    return rules.stock - on_board(state, player)


@rule
def actions_of(state: Any, player: int) -> int:
    """Count the Action tokens that a player has left."""
    total = 0
    for island in range(5):
        total += state.actions[player][island]
    return total


@rule
def owned(state: Any, player: int, resource: int, island: int) -> int:
    """Count what a player has of a resource; Pure Hawaiian tokens are those on the island."""
    if resource == HAWAIIAN:
        return state.tokens[player][island]
    return state.tracks[resource - 1][player]


@rule
def receive(rules: Any, state: Any, player: int, resource: int, island: int, number: int) -> None:
    """[SU, C2e] Give a player a resource. Pure Hawaiian tokens come from the pool, as far as it goes [R-12]; markers
    stop at the end of the track [R-11].
    """
    if resource == HAWAIIAN:
        state.tokens[player][island] += min(number, pool(rules, state, player))
    else:
        state.tracks[resource - 1][player] = min(state.tracks[resource - 1][player] + number, rules.track_end)


@rule
def lose(state: Any, player: int, resource: int, island: int, number: int) -> None:
    """[SU, C2e] Take a resource from a player; Pure Hawaiian tokens return from the island to the pool. [R-02]"""
    if resource == HAWAIIAN:
        state.tokens[player][island] -= number
    else:
        state.tracks[resource - 1][player] -= number


@rule
def most_on(rules: Any, state: Any, island: int) -> int:
    """[P3, C3, E2] Return who has most Pure Hawaiian tokens on an island; -1 after a tie, and on an empty island."""
    best, most = -1, 0
    for player in range(rules.players):
        tokens = state.tokens[player][island]
        if tokens > most:
            best, most = player, tokens
        elif tokens == most:
            best = -1
    return best


@rule
def order_by_points(rules: Any, state: Any) -> None:
    """[TO, E1] Order the players by points, more first; if level, clockwise from the left of who acted first in the
    stage before. [R-06, R-20]
    """
    n = rules.players
    for place in range(n):
        player = (state.first + 1 + place) % n
        at = place
        while at > 0 and state.points[state.order[at - 1]] < state.points[player]:
            state.order[at] = state.order[at - 1]
            at -= 1
        state.order[at] = player


@rule
def chapter_of(state: Any) -> int:
    """Return the running chapter as an index of the tables: 0, 1 or 2."""
    return state.stage - CHAPTER_1
