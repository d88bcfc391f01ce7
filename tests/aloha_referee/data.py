"""[SU, C2e, C4, E4] What a ruleset says, as the referee uses it; and rulesets with other numbers, for comparisons."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ISLANDS = ("kauai", "oahu", "molokai", "maui", "hawaii")
TRACKS = ("commerce", "aloha", "warrior", "vote")
STAGES = ("prologue", "chapter_1", "chapter_2", "chapter_3", "epilogue")
CHAPTERS = STAGES[1:4]
SETS = ("prologue", "chapter_1", "chapter_2", "epilogue")
MAJORITIES = ("hawaiian", "commerce", "aloha")

Amounts = Mapping[str, int]


@dataclass(frozen=True)
class Card:
    """[C2e] An event card. `kind`: event, calamity or calamity_opponents."""

    number: int
    title: str
    kind: str
    islands: tuple[str, ...]
    receives: Amounts
    pays: Amounts


class Rules:
    """The numbers of a ruleset, from the content of its files by name.

    Attributes:
        stock, placed, moves, slots, conversions, track_end: the numbers of the set-up.
        cards: the event cards of a chapter, by number.
        votes: of each Royal Family card, named as `chapter_1 oahu` or `chapter_1 monarch`.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        set_up = content["board.toml"]["set_up"]
        self.stock, self.placed, self.moves = set_up["stock"], set_up["placed"], set_up["prologue_actions"]
        self.slots, self.conversions, self.track_end = set_up["face_up"], set_up["conversions"], set_up["track_end"]
        self.islands, self.scoring = content["board.toml"]["islands"], content["scoring.toml"]
        self.cards = {chapter: self.cards_of(content[f"{chapter}.toml"]) for chapter in CHAPTERS}
        self.votes: dict[str, int] = {}
        for name in SETS:
            self.votes[f"{name} monarch"] = content["royal.toml"][name]["monarch"]["votes"]
            for island in ISLANDS:
                self.votes[f"{name} {island}"] = content["royal.toml"][name]["island"]["votes"]

    @staticmethod
    def cards_of(file: Mapping[str, Any]) -> dict[int, Card]:
        """A chapter's cards."""
        tables = [table for key, table in file.items() if key != "source"]
        return {
            table["number"]: Card(
                table["number"],
                table["title"],
                table["kind"],
                tuple(sorted(table["islands"], key=ISLANDS.index)),
                dict(table.get("receives", {})),
                dict(table.get("pays", {})),
            )
            for table in tables
        }

    def take(self, stage: str, island: str) -> Amounts:
        """[C2r] What an Action token takes there."""
        table = self.islands[island]
        return table.get("take_chapter_3", table["take"]) if stage == "chapter_3" else table["take"]

    def majority(self, stage: str, resource: str, players: int) -> list[int]:
        """[C4] Points for first, second ... place."""
        return self.scoring[stage]["majority"][resource][players - 2]


def variant(content: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """A ruleset with other numbers everywhere, and harsher cards: what the shipped one never asks for."""
    made: dict[str, Any] = copy.deepcopy(dict(content))
    made["ruleset.toml"]["kind"] = "variant"
    stock = rng.randint(4, 30)
    made["board.toml"]["set_up"] |= {
        "stock": stock,
        "placed": rng.randint(1, stock),
        "prologue_actions": rng.randint(1, 4),
        "conversions": rng.randint(0, 12),
        "track_end": rng.choice((2, 6, 60)),
    }
    for table in made["board.toml"]["islands"].values():
        table["take"] = _amounts(rng, ("hawaiian", "commerce", "aloha", "warrior"), 1)
        table["take_chapter_3"] = _amounts(rng, ("hawaiian", "commerce", "aloha", "vote"), 1)
    for name in SETS:
        for card in ("monarch", "island"):
            made["royal.toml"][name][card]["votes"] = rng.randint(0, 5)
    for stage in STAGES:
        _rescore(made["scoring.toml"][stage], rng)
    for chapter in CHAPTERS:
        absent = "warrior" if chapter == "chapter_3" else "vote"
        for key, card in made[f"{chapter}.toml"].items():
            if key != "source":
                _change(card, rng, tuple(r for r in ("hawaiian", *TRACKS) if r != absent))
    return made


def _amounts(rng: random.Random, resources: tuple[str, ...], least: int) -> dict[str, int]:
    chosen = rng.sample(resources, rng.choice((least, 1, 1, 2)))
    return {resource: rng.randint(1, 4) for resource in chosen}


def _rescore(table: dict[str, Any], rng: random.Random) -> None:
    for key in ("monarch", "island", "governor"):
        if key in table:
            table[key] = rng.randint(0, 6)
    for resource in table.get("majority", ()):
        table["majority"][resource] = [
            sorted((rng.randint(0, 7) for _ in range(players)), reverse=True) for players in (2, 3, 4)
        ]
    for resource in table.get("tokens_for_a_point", ()):
        table["tokens_for_a_point"][resource] = rng.randint(1, 6)


def _change(card: dict[str, Any], rng: random.Random, resources: tuple[str, ...]) -> None:
    card["islands"] = rng.sample(ISLANDS, rng.choice((1, 2, 3, 5)))
    card["kind"] = rng.choice(("event", "event", "event", "calamity", "calamity_opponents"))
    card["receives"] = {} if card["kind"] == "calamity" else _amounts(rng, resources, 0)
    card["pays"] = _amounts(rng, resources, 1 if card["kind"] != "event" or not card["receives"] else 0)
