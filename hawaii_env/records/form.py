"""The form of a game record: the fields of each line, with their types and meanings, in one place.

The same tables check every line that is read and make the JSON Schema that is published as docs/schema/record.schema.json, so
the two cannot differ. ``python -m hawaii_env.records.form`` prints the schema; docs/records.md tells the format.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hawaii_env.errors import RecordError
from hawaii_env.game import Outcome

__all__ = ["AGREEMENTS", "EVENT_FIELDS", "FORMAT", "HEADER_FIELDS", "VERSION", "Agreement", "json_schema", "problem"]

FORMAT = "hawaii_env.record"
VERSION = 2
"""The version that is written; every version from 1 to this one is read.

Version 1 had no chance outcomes that are forced, and left out what fell by itself.
"""

AGREEMENTS = ("resignation", "draw")
"""How players may end a game that its rules have not ended."""

Fields = Mapping[str, Mapping[str, Any]]

_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}
_NAMES = {"type": "array", "items": {"type": "string"}}
_WINNER = {"type": ["integer", "null"], "minimum": 0}
_RETURNS = {"type": "array", "items": {"type": "number"}}
_ASKED = "How many decisions were asked: those that are not forced."


def _field(form: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {**form, "description": description}


HEADER_FIELDS: Fields = {
    "format": {"const": FORMAT},
    "version": _field({"type": "integer", "minimum": 1, "maximum": VERSION}, "Version of the format."),
    "game": _field(_TEXT, "The game's short name."),
    "params": _field({"type": "object"}, "The arguments that make the game again: scenario, ruleset, options."),
    "agents": _field(_NAMES, "The game's players, in the order of their indices."),
    "players": _field({"type": ["array", "null"], "items": _TEXT}, "Who played them, in the same order."),
    "ruleset": _field(
        {
            "type": "object",
            "properties": {"name": _TEXT, "hash": _TEXT},
            "required": ["name", "hash"],
            "additionalProperties": False,
        },
        "Name of the ruleset, and the hash of its content.",
    ),
    "action_table": _field(_TEXT, "Hash of the action table: what the numbers of actions mean."),
    "seed": _field({"type": ["integer", "null"], "minimum": 0}, "The game's seed, where it is known and shown."),
    "start": _field({"type": ["object", "null"]}, "The position that the game starts from; null is a new game."),
    "options": _field({"type": "object"}, "Whatever the writer wished to say."),
    "library": _field(_TEXT, "The version of hawaii_env that wrote the record."),
}
"""The fields of the first line; each is a JSON Schema."""

EVENT_FIELDS: Mapping[str, Fields] = {
    "decision": {
        "n": _field({"type": "integer", "minimum": 1}, "Number of the event, from 1."),
        "player": _field(_COUNT, "Index of the player who decides."),
        "action": _field(_COUNT, "Number of the action in the action table."),
        "text": _field(_TEXT, "The action in words."),
        "forced": _field({"type": "boolean"}, "True: the only legal choice, taken by the engine and not asked."),
    },
    "chance": {
        "n": _field({"type": "integer", "minimum": 1}, "Number of the event, from 1."),
        "kind": _field(_TEXT, "What was rolled or drawn."),
        "outcome": _field({"type": "integer"}, "The outcome as the chance node numbers it."),
        "text": _field(_TEXT, "The outcome in words."),
        "forced": _field(
            {"type": "boolean", "default": False},
            "True: the only outcome possible, which fell by itself. Version 1 has no such field.",
        ),
    },
    "result": {
        "winner": _field(_WINNER, "Index of the winner; null is a tie."),
        "reason": _field(_TEXT, "How the game ended, with its section of the rulebook."),
        "returns": _field(_RETURNS, "Each player's result, -1 to 1."),
        "events": _field(_COUNT, "How many events there were."),
        "decisions": _field(_COUNT, _ASKED),
    },
    "agreed": {
        "kind": _field({"enum": list(AGREEMENTS)}, "How the players ended a game that its rules had not ended."),
        "player": _field(_WINNER, "Index of the player who resigned; null is a draw."),
        "winner": _field(_WINNER, "Index of the winner; null is a draw."),
        "reason": _field(_TEXT, "How the game ended, in words."),
        "returns": _field(_RETURNS, "Each player's result, -1 to 1."),
        "events": _field(_COUNT, "How many events there were."),
        "decisions": _field(_COUNT, _ASKED),
    },
    "stopped": {
        "reason": _field(_TEXT, "Why the game was broken off."),
        "events": _field(_COUNT, "How many events there were."),
        "decisions": _field(_COUNT, _ASKED),
    },
}
"""The fields of every further line besides ``event``, which names its kind; each is a JSON Schema."""


@dataclass(frozen=True)
class Agreement:
    """How the players ended a game that its rules had not ended.

    Args:
        kind: ``"resignation"`` or ``"draw"``; see `AGREEMENTS`.
        player: index of the player who resigned; None for a draw.
        players: how many players the game has. Where one of two resigns the other wins; what a resignation is among more no game
            here says.

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
        """Who has won, and why."""
        if self.player is None:
            return Outcome.won_by(None, self.players, "draw by agreement")
        return Outcome.won_by(1 - self.player, self.players, "resignation")

    @property
    def returns(self) -> list[float]:
        """Each player's result: 1 won, -1 lost, 0 drawn."""
        winner = self.outcome.winner
        return [0.0 if winner is None else 1.0 if index == winner else -1.0 for index in range(self.players)]


_PYTHON: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None),
}  # fmt: skip


def _fits(value: Any, form: Mapping[str, Any]) -> bool:
    """Whether a value has the form that a schema of this module asks for."""
    if "const" in form:
        return value == form["const"]
    if "enum" in form:
        return isinstance(value, str) and value in form["enum"]
    kinds = form["type"] if isinstance(form["type"], list) else [form["type"]]
    # A bool is an int to Python, but not here.
    if not any(isinstance(value, _PYTHON[kind]) and isinstance(value, bool) == (kind == "boolean") for kind in kinds):
        return False
    if isinstance(value, int) and not form.get("minimum", value) <= value <= form.get("maximum", value):
        return False
    if isinstance(value, list):
        return all(_fits(item, form["items"]) for item in value)
    if isinstance(value, dict) and "properties" in form:
        return problem(value, form["properties"]) is None
    return True


def problem(data: Mapping[str, Any], fields: Fields) -> str | None:
    """Return what is wrong with an object that is to have these fields and no others, or None."""
    for key, form in fields.items():
        if key not in data:
            if "default" in form:
                continue
            return f"the field {key!r} is missing"
        if not _fits(data[key], form):
            shown = repr(data[key])
            shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
            return f"the field {key!r} has the wrong type or value: {shown}"
    for key in data:
        if key not in fields:
            return f"unknown field {key!r}"
    return None


def _line(title: str, fields: Fields) -> dict[str, Any]:
    return {
        "title": title,
        "type": "object",
        "properties": {key: dict(form) for key, form in fields.items()},
        "required": [key for key, form in fields.items() if "default" not in form],
        "additionalProperties": False,
    }


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every line of a record fulfils.

    What a schema of single lines cannot say is checked by `hawaii_env.records.read`: that the header comes first and the end last, and
    that events are numbered from 1 without a gap.
    """
    lines = {"header": _line("The first line", HEADER_FIELDS)}
    for kind, fields in EVENT_FIELDS.items():
        lines[kind] = _line(f"A line of the kind {kind!r}", {"event": {"const": kind}, **fields})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a game record, {FORMAT} version {VERSION}",
        "description": "A record is a UTF-8 text file of one JSON object a line: the header, the events, the end.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in lines],
        "$defs": lines,
    }


def schema_text() -> str:
    """Return the JSON Schema as it is published."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
