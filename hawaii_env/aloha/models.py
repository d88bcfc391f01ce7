"""The form of ALOHA's ruleset files: what stands in each, of which type, within which bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, RootModel

from hawaii_env.rulesets import About, Line, Table, Text, whole

from .rules.names import DECK

__all__ = ["MODELS", "Board", "Chapter", "Event", "Royal", "Scoring"]

Points: TypeAlias = Annotated[int, Field(ge=0, le=20)]
Amount: TypeAlias = Annotated[int, Field(ge=1, le=30)]
Island: TypeAlias = Literal["kauai", "oahu", "molokai", "maui", "hawaii"]
Resource: TypeAlias = Literal["hawaiian", "commerce", "aloha", "warrior", "vote"]
Amounts: TypeAlias = Mapping[Resource, Amount]
Taken: TypeAlias = Annotated[Amounts, Field(min_length=1)]
Problems: TypeAlias = Iterator[tuple[str, str, str]]


class SetUp(Table):
    """[SU, P1, P2, C2, E1] Numbers of the game."""

    stock: int = whole(1, 30)
    placed: int = whole(1, 30)
    action_tokens: int = whole(11, 60)
    prologue_actions: int = whole(1, 4)
    face_up: Literal[4]
    conversions: int = whole(0, 20)
    track_end: int = whole(1, 120)

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if self.placed > self.stock:
            yield "placed", f"{self.placed} Pure Hawaiian tokens of a stock of {self.stock}", f"1 to {self.stock}"


class IslandTable(Table):
    """[C2r] An island, and what an Action there takes."""

    name: Line
    take: Taken
    take_chapter_3: Taken | None = None

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if "warrior" in (self.take_chapter_3 or self.take):
            yield "take_chapter_3", "warriors are not available in Chapter III", "a table without them"
        if "vote" in self.take:
            yield "take", "Home Rule tokens are not available before Chapter III", "vote in take_chapter_3 only"


class Islands(Table):
    """The five islands."""

    kauai: IslandTable
    oahu: IslandTable
    molokai: IslandTable
    maui: IslandTable
    hawaii: IslandTable


class Board(Table):
    """``board.toml``."""

    set_up: SetUp
    islands: Islands


class RoyalCard(Table):
    """A Royal Family card, or the five of the islands."""

    title: Line
    votes: Points


class Set(Table):
    """A set of Royal Family cards."""

    monarch: RoyalCard
    island: RoyalCard


class Royal(Table):
    """``royal.toml``."""

    prologue: Set
    chapter_1: Set
    chapter_2: Set
    epilogue: Set


Places: TypeAlias = Annotated[tuple[tuple[Points, ...], ...], Field(min_length=3, max_length=3)]
"""Points for first, second ... place with 2, 3 and 4 players."""


class Majorities(Table):
    """[C4] Points for having most of a resource."""

    hawaiian: Places
    commerce: Places
    aloha: Places

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        for name, rows in self:
            for players, row in enumerate(rows, start=2):
                if len(row) != players:
                    yield name, f"points for {len(row)} places with {players} players", f"{players} numbers"
                elif list(row) != sorted(row, reverse=True):
                    yield name, f"a later place has more points than an earlier one: {list(row)}", "falling numbers"


class CardScore(Table):
    """[P4] Points of Royal Family cards."""

    monarch: Points
    island: Points


class ChapterScore(CardScore):
    """[C4] Points of a chapter with Royal Family cards."""

    majority: Majorities


class MajorityScore(Table):
    """[C4] Points of a chapter without them."""

    majority: Majorities


class TokensForAPoint(Table):
    """[E4] Numbers of tokens that make a point."""

    hawaiian: Amount
    commerce: Amount
    aloha: Amount


class EndScore(Table):
    """[E4] Points at the end."""

    governor: Points
    island: Points
    tokens_for_a_point: TokensForAPoint


class Scoring(Table):
    """``scoring.toml``."""

    prologue: CardScore
    chapter_1: ChapterScore
    chapter_2: ChapterScore
    chapter_3: MajorityScore
    epilogue: EndScore


class Event(Table):
    """[C2e] An event card."""

    number: int = whole(1, DECK)
    title: Line
    kind: Literal["event", "calamity", "calamity_opponents"]
    islands: Annotated[tuple[Island, ...], Field(min_length=1)]
    receives: Amounts = Field(default_factory=dict)
    pays: Amounts = Field(default_factory=dict)
    text: Text

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if len(set(self.islands)) != len(self.islands):
            yield "islands", f"an island stands twice: {list(self.islands)}", "different islands"
        if self.kind == "calamity" and self.receives:
            yield "receives", "a calamity gives nobody anything", "leave the key out"
        if self.kind != "event" and not self.pays:
            yield "pays", f"a {self.kind} without pays does nothing", "what is lost"
        if not self.receives and not self.pays:
            yield "receives", "a card without receives and pays does nothing", "one of the two"


class Chapter(RootModel[Mapping[str, Event]]):
    """``chapter_1.toml`` to ``chapter_3.toml``: the twenty event cards of a chapter."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, strict=True)

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        numbers = sorted(card.number for card in self.root.values())
        if numbers != list(range(1, DECK + 1)):
            twice = sorted({number for number in numbers if numbers.count(number) > 1})
            missing = sorted(set(range(1, DECK + 1)) - set(numbers))
            text = f"{len(numbers)} event cards, twice {twice}, missing {missing}"
            yield "", text, f"{DECK} event cards, numbered 1 to {DECK}"


MODELS: dict[str, type[BaseModel]] = {
    "ruleset.toml": About, "board.toml": Board, "royal.toml": Royal, "scoring.toml": Scoring,
    "chapter_1.toml": Chapter, "chapter_2.toml": Chapter, "chapter_3.toml": Chapter,
}  # fmt: skip
"""Model of each file."""
