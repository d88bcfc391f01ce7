"""The form of a game record: the fields of each line, with their types and meanings, in one place.

The same models check every line that is read and make the JSON Schema that is published as
docs/schema/record.schema.json, so the two cannot differ. docs/records.md explains the format.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hawaii_env.errors import RecordError
from hawaii_env.game import Outcome
from hawaii_env.texts import show_value

__all__ = ["AGREEMENTS", "EVENTS", "FORMAT", "VERSION", "Agreement", "Header", "json_schema", "problem"]

FORMAT = "hawaii_env.record"
VERSION = 2
"""The version of the form."""

AGREEMENTS = ("resignation", "draw")
"""Ways in which players may end a game before its rules do."""

Count = Annotated[int, Field(ge=0)]
Number = Annotated[int, Field(ge=1, description="Number of the event, from 1.")]
Events = Annotated[int, Field(ge=0, description="How many events there were.")]
Asked = Annotated[int, Field(ge=0, description="How many decisions were asked: those that are not forced.")]
Returns = Annotated[list[float], Field(description="Each player's return.")]


class Line(BaseModel):
    """The form of a line: these fields and no others, of these types and nothing like them."""

    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", frozen=True)


class RulesetName(Line):
    """Name of the ruleset, and the hash of its content."""

    name: str
    hash: str


class Header(Line):
    """The first line."""

    format: Literal["hawaii_env.record"]
    version: int = Field(ge=VERSION, le=VERSION, description="Version of the format.")
    game: str = Field(description="The game's short name.")
    params: dict[str, Any] = Field(description="The arguments that make the game again: scenario, ruleset, options.")
    agents: list[str] = Field(description="The game's players, in the order of their indices.")
    players: list[str] | None = Field(description="Who played them, in the same order.")
    ruleset: RulesetName
    action_table: str = Field(description="Hash of the action table: what the numbers of actions mean.")
    seed: Count | None = Field(description="The game's seed, where it is known and shown.")
    start: dict[str, Any] | None = Field(description="The position that the game starts from; null is a new game.")
    options: dict[str, Any] = Field(description="Whatever the writer wished to say.")
    library: str = Field(description="The version of hawaii_env that wrote the record.")


class DecisionLine(Line):
    """A line of the kind 'decision'."""

    event: Literal["decision"]
    n: Number
    player: Count = Field(description="Index of the player who decides.")
    action: Count = Field(description="Number of the action in the action table.")
    text: str = Field(description="The action in words.")
    forced: bool = Field(description="True: the only legal choice, taken by the engine and not asked.")


class ChanceLine(Line):
    """A line of the kind 'chance'."""

    event: Literal["chance"]
    n: Number
    kind: str = Field(description="What was rolled or drawn.")
    outcome: int = Field(description="The outcome as the chance node numbers it.")
    text: str = Field(description="The outcome in words.")
    forced: bool = Field(description="True: the only outcome possible, which fell by itself.")


class ResultLine(Line):
    """A line of the kind 'result'."""

    event: Literal["result"]
    winner: Count | None = Field(description="Index of the winner; null is a tie.")
    reason: str = Field(description="How the game ended, with its section of the rulebook.")
    returns: Returns
    events: Events
    decisions: Asked


class AgreedLine(Line):
    """A line of the kind 'agreed'."""

    event: Literal["agreed"]
    kind: Literal["resignation", "draw"] = Field(
        description="How the players ended a game that its rules had not ended."
    )
    player: Count | None = Field(description="Index of the player who resigned; null is a draw.")
    winner: Count | None = Field(description="Index of the winner; null is a draw.")
    reason: str = Field(description="How the game ended, in words.")
    returns: Returns
    events: Events
    decisions: Asked


class StoppedLine(Line):
    """A line of the kind 'stopped'."""

    event: Literal["stopped"]
    reason: str = Field(description="Why the game was broken off.")
    events: Events
    decisions: Asked


EVENTS: Mapping[str, type[Line]] = {
    "decision": DecisionLine,
    "chance": ChanceLine,
    "result": ResultLine,
    "agreed": AgreedLine,
    "stopped": StoppedLine,
}
"""Every further line, by its field ``event``."""


@dataclass(frozen=True)
class Agreement:
    """An agreement by which the players ended a game that its rules had not ended.

    Args:
        kind: ``"resignation"`` or ``"draw"``; see `AGREEMENTS`.
        player: index of the player who resigned; None for a draw.
        players: how many players the game has. Where one of two resigns the other wins; what a resignation is among
            more no game here says.

    Raises:
        RecordError: another kind, no such player, or a resignation among more than two.
    """

    kind: str
    player: int | None
    players: int

    def __post_init__(self) -> None:
        if self.kind not in AGREEMENTS:
            raise RecordError(f"a game is ended by {' or '.join(AGREEMENTS)}, not by {self.kind!r}")
        if self.kind == "draw":
            if self.player is not None:
                raise RecordError(f"a draw is everybody's, not player {self.player}'s")
        elif self.players != 2:
            raise RecordError(f"a resignation needs a game of two players, not of {self.players}")
        elif self.player not in (0, 1):
            raise RecordError(f"player 0 or 1 resigns, not {self.player!r}")

    @property
    def outcome(self) -> Outcome:
        """Return the winner and the reason."""
        if self.player is None:
            return Outcome.won_by(None, self.players, "draw by agreement")
        return Outcome.won_by(1 - self.player, self.players, "resignation")

    @property
    def returns(self) -> list[float]:
        """Each player's result: 1 won, -1 lost, 0 drawn."""
        winner = self.outcome.winner
        return [0.0 if winner is None else 1.0 if index == winner else -1.0 for index in range(self.players)]


def problem(data: Mapping[str, Any], line: type[Line]) -> str | None:
    """Return what is wrong with an object that is to be such a line, or None."""
    try:
        line.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = first["loc"][0]
        if first["type"] == "missing" and len(first["loc"]) == 1:
            return f"the field {show_value(key)} is missing"
        if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
            return f"unknown field {show_value(key)}"
        return f"the field {show_value(key)} has the wrong type or value: {show_value(data[str(key)])}"
    return None


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every line of a record fulfils.

    What a schema of single lines cannot say is checked by `hawaii_env.records.read`: that the header comes first and
    the end last, and that events are numbered from 1 without a gap.
    """
    lines: dict[str, Any] = {}
    for name, line in {"header": Header, **EVENTS}.items():
        schema = line.model_json_schema(ref_template="#/$defs/{model}")
        lines |= schema.pop("$defs", {})
        lines[name] = schema
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a game record, {FORMAT} version {VERSION}",
        "description": "A record is a UTF-8 text file of one JSON object a line: the header, the events, the end.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in ("header", *EVENTS)],
        "$defs": lines,
    }


def schema_text() -> str:
    """Return the JSON Schema as it is published."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
