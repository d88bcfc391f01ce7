"""Names and their numbers: islands, resources, stages, phases, kinds of card. The order is the same everywhere."""

from __future__ import annotations

PLAYERS = ("red_0", "yellow_1", "green_2", "blue_3")
"""The players; the first two, three or four take part."""

ISLANDS = ("kauai", "oahu", "molokai", "maui", "hawaii")

RESOURCES = ("hawaiian", "commerce", "aloha", "warrior", "vote")
HAWAIIAN, COMMERCE, ALOHA, WARRIOR, VOTE = range(5)

STAGES = ("prologue", "chapter_1", "chapter_2", "chapter_3", "epilogue")
PROLOGUE, CHAPTER_1, CHAPTER_2, CHAPTER_3, EPILOGUE = range(5)

PHASES = (
    "first_player", "settle", "prologue_action", "amount", "die", "king", "event", "action", "convert", "over",
)  # fmt: skip
FIRST_PLAYER, SETTLE, PROLOGUE_ACTION, AMOUNT, DIE, KING, EVENT, ACTION, CONVERT, OVER = range(10)

KINDS = ("event", "calamity", "calamity_opponents")
ORDINARY, CALAMITY, CALAMITY_OPPONENTS = range(3)

SETS = ("prologue", "chapter_1", "chapter_2", "epilogue")
"""The sets of Royal Family cards."""

TITLES = ("monarch", *ISLANDS)
"""The six cards of a set, in the order of their indices."""

CARDS = tuple(f"{name} {title}" for name in SETS for title in TITLES)
"""The 24 Royal Family cards, as views name them: ``"chapter_1 oahu"``."""

DECK = 20
"""Event cards of a chapter."""

SLOTS = 4
"""Event cards that lie face up."""

REWARDS = ("win", "rank", "margin")
BY_WIN, BY_RANK, BY_MARGIN = range(3)

MOST_ACTIONS = 11
"""Action tokens that a player can have: two on each island, and the King/Queen token [AD]."""

REASONS = (
    "most points [W]",
    "most points, the tie broken by tokens, Aloha, Commerce [W]",
    "victory shared, level after every tie-break [W, R-23]",
)
"""Reasons for the end of a game, by the number that `rules.scoring.reason` gives."""
