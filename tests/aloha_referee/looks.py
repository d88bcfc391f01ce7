"""Section 8: a position as numbers, from an observer's view."""

from __future__ import annotations

from .data import ISLANDS, SETS, STAGES, TRACKS, Amounts
from .referee import Referee

PHASES = (
    "first_player", "settle", "prologue_action", "amount", "die", "king", "event", "action", "convert", "over",
)  # fmt: skip
RESOURCES = ("hawaiian", *TRACKS)


def one_of(words: tuple[str, ...], word: str | None) -> list[int]:
    """A 1 where the word stands."""
    return [int(other == word) for other in words]


def by_island(amounts: Amounts) -> list[int]:
    """In the order of the islands."""
    return [amounts[island] for island in ISLANDS]


def observation(referee: Referee, observer: int) -> list[int]:
    """The raw values: what is common, then player by player, clockwise from the observer."""
    start, goal = referee.migration or (None, None)
    common = [
        observer,
        *one_of(STAGES, referee.stage),
        *one_of(PHASES, referee.phase),
        *one_of(ISLANDS, start),
        *one_of(ISLANDS, goal),
        *(int(number in referee.deck) for number in range(1, 21)),
    ]
    for number in referee.face_up:
        common += [0] * 18 if number is None else slot(referee, number)
    return common + [value for index in referee.clockwise(observer) for value in one(referee, index)]


def slot(referee: Referee, number: int) -> list[int]:
    """A face-up card."""
    card = referee.card(number)
    return [
        number,
        *one_of(("event", "calamity_opponents"), card.kind),
        *(int(island in card.islands) for island in ISLANDS),
        *(card.receives.get(resource, 0) for resource in RESOURCES),
        *(card.pays.get(resource, 0) for resource in RESOURCES),
    ]


def one(referee: Referee, index: int) -> list[int]:
    """A player."""
    player, latest = referee.players[index], referee.latest_set()
    rolling = referee.phase == "die"
    return [
        int(referee.decider == index),
        referee.order.index(index) + 1 if referee.order else 0,
        int(referee.first == index),
        min(player.points, 127),
        player.hawaiian,
        referee.rules.stock - player.hawaiian,
        *player.tracks.values(),
        sum(referee.rules.votes[card] for card in player.cards),
        int(referee.king == index),
        *by_island(player.tokens),
        *by_island(player.actions),
        *(int(f"{latest} {island}" in player.cards) for island in ISLANDS),
        *(int(f"{name} {card}" in player.cards) for name in SETS for card in ("monarch", *ISLANDS)),
        player.moves,
        referee.rules.conversions - player.converted if referee.phase == "convert" else 0,
        referee.totals[index] if rolling else 0,
        referee.left[index] if rolling else 0,
    ]
