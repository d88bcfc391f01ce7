"""The form of the files: what stands in each, of which type, within which bounds."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, model_validator

from hawaii_env.aloha.rules.names import DECK, ISLANDS

__all__ = ["Board", "Chapter", "Event", "Majorities", "Ruleset", "Scoring", "Set"]


def _known_source(text: str) -> str:
    if not re.fullmatch(r"printed|reconstructed|ruling R-\d\d", text):
        raise ValueError(f"a source is 'printed', 'reconstructed' or 'ruling R-nn', not {text!r}")
    return text


SourceText: TypeAlias = Annotated[str, AfterValidator(_known_source)]
Source: TypeAlias = SourceText | dict[str, SourceText]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Points: TypeAlias = Annotated[int, Field(ge=0, le=20)]
Amount: TypeAlias = Annotated[int, Field(ge=1, le=30)]
Island: TypeAlias = Literal["kauai", "oahu", "molokai", "maui", "hawaii"]
Resource: TypeAlias = Literal["hawaiian", "commerce", "aloha", "warrior", "vote"]
Amounts: TypeAlias = dict[Resource, Amount]


class Form(BaseModel):
    """A table: no other keys, no other types."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, strict=True)


class SetUp(Form):
    """[SU, P1, P2, C2, E1] Numbers of the game."""

    stock: Annotated[int, Field(ge=1, le=30)]
    placed: Annotated[int, Field(ge=1, le=30)]
    action_tokens: Annotated[int, Field(ge=11, le=60)]
    prologue_actions: Annotated[int, Field(ge=1, le=4)]
    face_up: Literal[4]
    conversions: Annotated[int, Field(ge=0, le=20)]
    track_end: Annotated[int, Field(ge=1, le=120)]
    source: Source

    @model_validator(mode="after")
    def _stock_is_enough(self) -> SetUp:
        if self.placed > self.stock:
            raise ValueError(f"placed = {self.placed} Pure Hawaiian tokens of a stock of {self.stock}")
        return self


class IslandForm(Form):
    """[C2r] An island, and what an Action there takes."""

    name: Text
    take: Annotated[Amounts, Field(min_length=1)]
    take_chapter_3: Annotated[Amounts, Field(min_length=1)] | None = None
    source: Source

    @model_validator(mode="after")
    def _no_warriors_in_chapter_3(self) -> IslandForm:
        if "warrior" in (self.take_chapter_3 or self.take):
            raise ValueError("warriors are not available in Chapter III: take_chapter_3 is wanted, without them")
        if "vote" in self.take:
            raise ValueError("Home Rule tokens are not available before Chapter III: they belong into take_chapter_3")
        return self


class Islands(Form):
    """The five islands."""

    kauai: IslandForm
    oahu: IslandForm
    molokai: IslandForm
    maui: IslandForm
    hawaii: IslandForm


class Board(Form):
    """board.toml."""

    set_up: SetUp
    islands: Islands


class RoyalCard(Form):
    """A Royal Family card, or the five of the islands."""

    title: Text
    votes: Points


class Set(Form):
    """A set of Royal Family cards."""

    monarch: RoyalCard
    island: RoyalCard
    source: Source


class Royal(Form):
    """royal.toml."""

    prologue: Set
    chapter_1: Set
    chapter_2: Set
    epilogue: Set


def _places(rows: list[list[int]]) -> list[list[int]]:
    for row, players in zip(rows, (2, 3, 4), strict=True):
        if len(row) != players:
            raise ValueError(f"points for {len(row)} places with {players} players")
        if row != sorted(row, reverse=True):
            raise ValueError(f"a later place has more points than an earlier one: {row}")
    return rows


Majority: TypeAlias = Annotated[list[list[Points]], Field(min_length=3, max_length=3), AfterValidator(_places)]
"""Points for first, second ... place with 2, 3 and 4 players."""


class Majorities(Form):
    """[C4] Points for having most of a resource."""

    hawaiian: Majority
    commerce: Majority
    aloha: Majority


class CardScore(Form):
    """[P4] Points of Royal Family cards."""

    monarch: Points
    island: Points
    source: Source


class ChapterScore(Form):
    """[C4] Points of a chapter with Royal Family cards."""

    monarch: Points
    island: Points
    majority: Majorities
    source: Source


class MajorityScore(Form):
    """[C4] Points of a chapter without them."""

    majority: Majorities
    source: Source


class TokensForAPoint(Form):
    """[E4] How many tokens make a point."""

    hawaiian: Amount
    commerce: Amount
    aloha: Amount


class EndScore(Form):
    """[E4] Points at the end."""

    governor: Points
    island: Points
    tokens_for_a_point: TokensForAPoint
    source: Source


class Scoring(Form):
    """scoring.toml."""

    prologue: CardScore
    chapter_1: ChapterScore
    chapter_2: ChapterScore
    chapter_3: MajorityScore
    epilogue: EndScore


class Event(Form):
    """[C2e] An event card."""

    number: Annotated[int, Field(ge=1, le=DECK)]
    title: Text
    kind: Literal["event", "calamity", "calamity_opponents"]
    islands: Annotated[list[Island], Field(min_length=1, max_length=len(ISLANDS))]
    receives: Amounts = {}
    pays: Amounts = {}
    text: Text
    source: Source | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Event:
        if len(set(self.islands)) != len(self.islands):
            raise ValueError(f"an island stands twice: {self.islands}")
        if self.kind == "calamity" and self.receives:
            raise ValueError("a calamity gives nobody anything: no receives")
        if self.kind != "event" and not self.pays:
            raise ValueError(f"a {self.kind} without pays does nothing")
        if not self.receives and not self.pays:
            raise ValueError("a card without receives and pays does nothing")
        return self


class Chapter(RootModel[dict[str, Event]]):
    """The twenty cards of a chapter, without the file's own source."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, strict=True)

    @model_validator(mode="after")
    def _twenty(self) -> Chapter:
        numbers = sorted(card.number for card in self.root.values())
        if numbers != list(range(1, DECK + 1)):
            twice = sorted({number for number in numbers if numbers.count(number) > 1})
            missing = sorted(set(range(1, DECK + 1)) - set(numbers))
            raise ValueError(
                f"a chapter has {DECK} event cards, numbered 1 to {DECK}; here are {len(numbers)}, twice {twice}, "
                f"missing {missing}"
            )
        return self


class Ruleset(Form):
    """ruleset.toml."""

    name: Text
    version: Text
    kind: Literal["printed", "reconstructed", "variant"]
