"""The ruleset of ALOHA, and its tables for the rules. See `hawaii_env.rulesets`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel

from hawaii_env import rulesets
from hawaii_env.rulesets import Problem, from_files

from .models import MODELS, Board, Event, Royal, Scoring
from .rules.names import CHAPTER_3, ISLANDS, KINDS, RESOURCES, SETS, STAGES
from .rules.state import TABLES

__all__ = ["Ruleset"]

CHAPTERS = ("chapter_1.toml", "chapter_2.toml", "chapter_3.toml")


class Ruleset(rulesets.Ruleset):
    """The data of a game, checked."""

    folder: ClassVar[Path] = Path(__file__).parent
    models: ClassVar[Mapping[str, type[BaseModel]]] = MODELS

    board: Board = from_files("board.toml")
    """Set-up and islands."""
    royal: Royal = from_files("royal.toml")
    """Royal Family cards."""
    scoring: Scoring = from_files("scoring.toml")
    """The scoring chart."""

    @cached_property
    def chapters(self) -> tuple[Mapping[int, Event], ...]:
        """The event cards of each chapter by their numbers."""
        return tuple({card.number: card for card in self.files[name].root.values()} for name in CHAPTERS)

    def problems(self) -> Iterator[Problem]:
        """[C2w, C2r] Yield cards that break a rule: no card gives or takes warriors in Chapter III, nor Home Rule
        tokens before it.
        """
        for chapter, name in enumerate(CHAPTERS, start=1):
            third = chapter == CHAPTER_3
            absent = "warrior" if third else "vote"
            when = "warriors are not available in" if third else "Home Rule tokens are not available before"
            for key, card in self.files[name].root.items():
                for part in ("receives", "pays"):
                    if absent in getattr(card, part):
                        allowed = ", ".join(one for one in RESOURCES if one != absent)
                        yield Problem(name, f"{key}.{part}", absent, f"{when} Chapter III", allowed)

    def plays(self) -> str:
        """Return what the hash is taken of: titles of event cards are in it, as records tell what was drawn; other
        titles, texts and sources are not.
        """
        played: dict[str, Any] = {"ruleset": {"kind": "reconstructed"}}  # a constant that all hashes have in them
        for name, file in self.content.items():
            if name != "ruleset.toml":
                hidden = ("source", "note", "text", "name") + ("title",) * (name not in CHAPTERS)
                played[name.removesuffix(".toml")] = _without(file, hidden)
        return json.dumps(played, sort_keys=True)

    def card(self, stage: str, number: int) -> Event:
        """Return the event card of a chapter's number."""
        return self.chapters[STAGES.index(stage) - 1][number]

    def royal_title(self, card: str) -> str:
        """Return the title of a Royal Family card, named as in views: ``"chapter_1 oahu"``."""
        name, title = card.split()
        cards = getattr(self.royal, name)
        if title == "monarch":
            return cards.monarch.title
        return f"{cards.island.title} {getattr(self.board.islands, title).name}"

    def tables(self, players: int, rounds: bool, reward: int = 0) -> Any:
        """Return the numbers as the interpreted rules read them, see `rules.state.TABLES`."""
        t, set_up, score = TABLES.new(), self.board.set_up, self.scoring
        t.players, t.rounds, t.reward = players, int(rounds), reward
        t.stock, t.placed, t.moves = set_up.stock, set_up.placed, set_up.prologue_actions
        t.conversions, t.track_end = set_up.conversions, set_up.track_end
        for chapter in range(3):
            for i, name in enumerate(ISLANDS):
                island = getattr(self.board.islands, name)
                taken = (island.take_chapter_3 if chapter == 2 else None) or island.take
                t.take[chapter][i] = _amounts(taken)
        for i, name in enumerate(SETS):
            cards = getattr(self.royal, name)
            t.votes[i] = [cards.monarch.votes, *[cards.island.votes] * 5]
        t.governor = score.epilogue.governor
        for stage, part in enumerate((score.prologue, score.chapter_1, score.chapter_2)):
            t.monarch[stage], t.island[stage] = part.monarch, part.island
        t.island[4] = score.epilogue.island
        for chapter, part in enumerate((score.chapter_1, score.chapter_2, score.chapter_3)):
            for resource in range(3):
                row = getattr(part.majority, RESOURCES[resource])[players - 2]
                t.majority[chapter][resource][:players] = row
        t.for_a_point = [getattr(score.epilogue.tokens_for_a_point, RESOURCES[resource]) for resource in range(3)]
        for chapter, cards in enumerate(self.chapters):
            for number, card in cards.items():
                t.card_kind[chapter][number] = KINDS.index(card.kind)
                t.card_islands[chapter][number] = [int(name in card.islands) for name in ISLANDS]
                t.card_receives[chapter][number] = _amounts(card.receives)
                t.card_pays[chapter][number] = _amounts(card.pays)
        return t


def _amounts(amounts: Mapping[Any, int]) -> list[int]:
    return [amounts.get(resource, 0) for resource in RESOURCES]


def _without(value: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(value, Mapping):
        return {key: _without(item, keys) for key, item in value.items() if key not in keys}
    return value
