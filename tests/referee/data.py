"""[3.0, 4.0, 6.0, 8.0, 11.2] The numbers of the game, written out by hand from the ruleset page.

Printed, ruled and reconstructed values are told apart on that page; here they only have to be the same. The first
tables are those of `reconstructed-1`; what another ruleset has otherwise is in RULESETS, by hand as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

K, A, NEUTRAL = "kamehameha", "allied", "neutral"
KAUAI = "kauai"

SPACES = ("kona", "hilo", "maui", "molokai", "waikiki", "koolau", "kauai")
FORTS = ("kona", "hilo")
OTHER_SIDE_OF_ISLAND = {"kona": "hilo", "hilo": "kona", "waikiki": "koolau", "koolau": "waikiki"}
ISLANDS = {
    "hawaii": ("kona", "hilo"),
    "maui": ("maui",),
    "molokai": ("molokai",),
    "oahu": ("waikiki", "koolau"),
    "kauai": ("kauai",),
}
ISLAND_OF = {space: island for island, spaces in ISLANDS.items() for space in spaces}
BLUE = ("maui", "molokai", "waikiki", "koolau")
BLUE_AND_YELLOW = (*BLUE, "kauai")

LONG_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
)
SHORT_MONTHS = LONG_MONTHS[2:]

TURNED = "turned"
ORIGIN_ORDER = {None: 0, **{space: i + 1 for i, space in enumerate(SPACES)}, TURNED: len(SPACES) + 1}


@dataclass(frozen=True)
class Kind:
    """[3.0] What is printed on a counter. `elite`: never panics, fires on the elite column; `counts`: for advantage."""

    side: str
    name: str
    strength: int
    homes: tuple[str, ...]
    start: tuple[str, ...]
    elite: bool = False
    counts: bool = False
    leader: bool = False
    gunpowder: bool = False
    canoe: bool = False
    warrior: bool = False


def _leader(side: str, name: str, strength: int, home: str, start: str) -> Kind:
    """[3.1] A leader; R-04 makes it elite."""
    return Kind(side, name, strength, (home,), (start,), elite=True, counts=True, leader=True)


def _guard(side: str, name: str, strength: int, home: str) -> Kind:
    """[3.1, 12.0] Elite warriors, which are not the 'warriors' of a recruit line."""
    return Kind(side, name, strength, (home,), ("box",), elite=True, counts=True)


# `start` has one entry a piece; "oahu" is an O'ahu space still to be chosen.
KINDS: tuple[Kind, ...] = (
    _leader(K, "kamehameha", 3, "hawaii", "kona"),
    _leader(K, "john_young", 2, "hawaii", "box"),
    _guard(K, "royal_guard", 3, "hawaii"),
    Kind(K, "vancouver", 3, ("hawaii",), ("box",), gunpowder=True),
    Kind(K, "musketeer", 2, ("hawaii",), ("box",), gunpowder=True),
    Kind(K, "pike", 2, ("hawaii",), ("box",)),
    Kind(K, "warrior_2", 2, ("hawaii",), ("kona", "kona", "hilo", "box", "box", "box"), warrior=True),
    Kind(K, "warrior_1", 1, ("hawaii",), ("box", "box", "box"), warrior=True),
    Kind(K, "canoe", 0, ("hawaii",), ("kona", "kona", "hilo", "box"), canoe=True),
    _leader(A, "kalani", 2, "oahu", "oahu"),
    _leader(A, "kaiana", 2, "oahu", "box"),
    _guard(A, "thunderers", 3, "oahu"),
    Kind(A, "brown", 3, ("oahu",), ("box",), gunpowder=True),
    Kind(A, "musketeer", 2, ("oahu",), ("box",), gunpowder=True),
    Kind(A, "pike", 2, ("oahu",), ("box",)),
    Kind(A, "oahu_warrior", 2, ("oahu",), ("oahu", "oahu", "box"), warrior=True),
    Kind(A, "maui_warrior", 2, ("maui",), ("maui", "box"), warrior=True),
    Kind(A, "kaiana_warriors", 2, ("hawaii", "oahu"), ("box",), warrior=True),
    Kind(A, "oahu_canoe", 0, ("oahu",), ("oahu", "oahu", "box"), canoe=True),
    Kind(A, "maui_canoe", 0, ("maui",), ("maui", "box"), canoe=True),
    Kind(KAUAI, "kauai_warrior", 2, ("kauai",), ("kauai", "kauai")),
    Kind(KAUAI, "kauai_canoe", 0, ("kauai",), ("kauai",), canoe=True),
)

NOTHING, PANIC, ELIMINATION = "nothing", "panic", "elimination"
ORDINARY_COLUMN = {1: NOTHING, 2: NOTHING, 3: NOTHING, 4: PANIC, 5: PANIC, 6: ELIMINATION}
ELITE_COLUMN = {1: NOTHING, 2: NOTHING, 3: PANIC, 4: PANIC, 5: ELIMINATION, 6: ELIMINATION}


@dataclass(frozen=True)
class Card:
    """[8.1] A campaign card. `recruit`: names of kinds, or the words 'warrior' and 'canoe', once a piece."""

    side: str
    number: int
    name: str
    recruit: tuple[str, ...]
    fleets: int
    event: str | None = None
    timing: str | None = None
    faces: tuple[int, ...] = ()  # die faces on which the event happens (an appeal: while Kaua'i is neutral)
    faces_against: tuple[int, ...] = ()  # an appeal: while Kaua'i is with the enemy
    amount: int = 0


CARDS: dict[str, dict[int, Card]] = {
    K: {
        1: Card(K, 1, "discoverys_guns", ("vancouver", "warrior"), 2),
        2: Card(K, 2, "long_pikes", ("pike", "warrior"), 2),
        3: Card(K, 3, "john_young", ("john_young", "musketeer"), 2, "extra_gunpowder_die", "this_turn", amount=1),
        4: Card(K, 4, "royal_guard", ("royal_guard", "warrior"), 3, "advantage_bonus", "this_turn", amount=1),
        5: Card(K, 5, "peleleu_fleet", ("canoe", "warrior", "warrior"), 4),
        6: Card(K, 6, "appeal_to_kauai_k", ("warrior",), 2, "appeal", "now", (4, 5, 6), (6,)),
        7: Card(K, 7, "warriors_go_home_k", ("canoe",), 2, "warriors_go_home", "now", amount=2),
        8: Card(K, 8, "kona_storm", ("warrior",), 1, "storm", "now", (1, 2, 3, 4), amount=1),
        9: Card(K, 9, "ku_snatcher_of_islands", ("warrior", "warrior"), 3, "no_sighting", "hold"),
    },
    A: {
        1: Card(A, 1, "fair_americans_guns", ("brown", "warrior"), 2),
        2: Card(A, 2, "pikes_of_oahu", ("pike", "warrior"), 2),
        3: Card(A, 3, "kaiana_changes_sides", ("kaiana", "kaiana_warriors"), 2, "recruit_among_enemies", "recruiting"),
        4: Card(A, 4, "thunderers", ("thunderers", "warrior"), 2, "advantage_bonus", "this_turn", amount=1),
        5: Card(A, 5, "appeal_to_kauai_a", ("warrior",), 2, "appeal", "now", (3, 4, 5, 6), (5, 6)),
        6: Card(A, 6, "hold_the_line", ("warrior",), 2, "earthworks", "hold"),
        7: Card(A, 7, "storm_in_the_channels", ("warrior",), 1, "storm", "now", (1, 2, 3), amount=1),
        8: Card(A, 8, "warriors_go_home_a", ("canoe",), 2, "warriors_go_home", "now", amount=1),
        9: Card(A, 9, "muskets_for_land", ("musketeer", "canoe"), 3, "sighted_without_roll", "hold"),
    },
}


@dataclass(frozen=True)
class Numbers:
    """[3.0, 8.0] The kinds and the cards of one ruleset."""

    kinds: tuple[Kind, ...]
    cards: dict[str, dict[int, Card]]

    def card(self, name: str) -> Card:
        """[8.0] A card by its name."""
        return next(card for deck in self.cards.values() for card in deck.values() if card.name == name)


def _other(changes: dict[tuple[str, int], dict[str, Any]]) -> Numbers:
    """[8.1] Other fields of some cards."""
    cards = {
        side: {number: replace(card, **changes.get((side, number), {})) for number, card in deck.items()}
        for side, deck in CARDS.items()
    }
    return Numbers(KINDS, cards)


# What the shipped ruleset has otherwise.
FEW_FLEETS_FIRST: dict[tuple[str, int], dict[str, Any]] = {
    **{(side, number): {"fleets": 1} for side in (K, A) for number in (1, 2)},
    **{(A, number): {"fleets": 4} for number in (3, 4, 5, 6, 8)},
    (A, 7): {"fleets": 3},
    (A, 9): {"fleets": 5},
}

RULESETS: dict[str, Numbers] = {
    "reconstructed-1": Numbers(KINDS, CARDS),
    "reconstructed-4": _other(FEW_FLEETS_FIRST),
}

# [6.1] R-27: what cards 1 and 2 bring only in January and February of the long game.
ONLY_THE_FIRST_TIME = ("vancouver", "brown", "pike")

# [6.2] R-06: what the short game adds before the first turn, besides two warriors of the side's choice.
SHORT_GAME_EXTRAS = {K: ("vancouver", "pike"), A: ("brown", "pike")}
SHORT_GAME_WARRIORS = 2
SETUP_ISLAND = {K: "hawaii", A: "oahu"}


def enemy_of(side: str) -> str:
    """[3.0] The other player."""
    return A if side == K else K
