"""The messages between a game and a bot: one JSON object a line, UTF-8. docs/bots.md explains them.

The models are the protocol's definition: `schema` makes docs/bots.schema.json of them, answers are read by them, and a
test holds whole games against them. Fields and message types that a reader does not know are to be ignored: new ones
may come without a new protocol number.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from hawaii_env._version import __version__
from hawaii_env.game import SIMULTANEOUS, Game, State, check_seed
from hawaii_env.texts import parse_json, show

__all__ = [
    "PROTOCOL",
    "Action",
    "Decide",
    "GameOver",
    "Hello",
    "NewGame",
    "Quit",
    "Ready",
    "decide",
    "dump",
    "game_over",
    "hello",
    "new_game",
    "parse",
    "schema",
]

PROTOCOL = 1
"""Version of the protocol: raised when a message changes its meaning."""

Wanted = Literal["view", "observation", "state"]


class _Message(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, frozen=True, extra="ignore")


class Hello(_Message):
    """To the bot, first of all. It answers with `ready`."""

    type: Literal["hello"]
    protocol: int = Field(ge=1, description="version of the protocol")
    library: str = Field(description="who speaks, as 'hawaii_env 0.1.0'")
    seed: int | None = Field(ge=0, lt=2**31, description="for the bot's own random numbers; null: as it likes")
    seconds: float | None = Field(gt=0, description="most seconds for a decision; null: no limit")
    memory_mb: float | None = Field(gt=0, description="cap on the bot's memory in MiB; null: none")


class Ready(_Message):
    """From the bot: it has started, and is ready for games."""

    type: Literal["ready"]
    protocol: Literal[1] = Field(PROTOCOL, description="the protocol that the bot speaks")
    name: str | None = Field(None, min_length=1, max_length=80, description="what tables and records call it")
    want: list[Wanted] = Field(["view"], description="what `decide` shows besides the legal actions")


class Ruleset(_Message):
    """A ruleset, named."""

    name: str
    hash: str = Field(description="two games of one hash play by the same rules")


class NewGame(_Message):
    """To the bot: a game begins. No answer."""

    type: Literal["new_game"]
    game: str = Field(description="name of the game, as 'hawaii1795'")
    params: dict[str, Any] = Field(description="options of the game, as its scenario")
    ruleset: Ruleset
    action_table: str = Field(description="digest of the action table: the same digest, the same numbers")
    num_actions: int = Field(ge=1, description="actions are 0 to num_actions - 1")
    agents: list[str] = Field(description="the sides of the game, by index")
    player: int = Field(ge=0, description="index of the side that the bot plays")


class Legal(_Message):
    """A legal action."""

    action: int = Field(ge=0)
    text: str


class Decide(_Message):
    """To the bot: it is to choose. It answers with `action`."""

    type: Literal["decide"]
    id: int = Field(ge=1, description="number of the question, from 1 in each process")
    player: int = Field(ge=0, description="index of the side that chooses")
    phase: str
    simultaneous: bool = Field(description="true where others choose at the same time")
    legal: list[Legal] = Field(min_length=1, description="the legal actions, ascending")
    seconds: float | None = Field(gt=0, description="seconds for this decision; null: no limit")
    view: dict[str, Any] | None = Field(None, description="the public position, if wanted")
    observation: list[float] | None = Field(None, description="the observation vector, if wanted")
    state: str | None = Field(None, description="the position as Game.state_from_json reads it, if wanted")


class Action(_Message):
    """From the bot: its choice, by number or by text. Where both are given, they name the same action."""

    type: Literal["action"]
    action: int | None = Field(None, description="one of the legal actions")
    text: str | None = Field(None, max_length=200, description="the text of one of the legal actions")
    id: int | None = Field(None, description="the question's id, which then is checked")

    @model_validator(mode="after")
    def _chosen(self) -> Action:
        if self.action is None and self.text is None:
            raise ValueError("it has neither 'action' nor 'text'")
        return self


class GameOver(_Message):
    """To the bot: the game has ended. No answer."""

    type: Literal["game_over"]
    returns: list[float] = Field(description="each side's result, in -1 ... 1")
    winner: int | None = Field(description="index of the winning side; null for a tie")
    reason: str


class Quit(_Message):
    """To the bot: it should exit. So it should at the end of its input."""

    type: Literal["quit"]


Message = Annotated[
    Hello | Ready | NewGame | Decide | Action | GameOver | Quit,
    Field(discriminator="type", title="A message between hawaii_env and a bot, protocol 1"),
]
_ANY: TypeAdapter[Any] = TypeAdapter(Message)


def _plain(schema: Any) -> Any:
    """Return a schema without what says nothing, and what differs between versions of pydantic."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    field = "properties" not in schema and "oneOf" not in schema
    return {
        key: _plain(value)
        for key, value in schema.items()
        if not (key == "title" and field) and not (key == "additionalProperties" and value is True)
    }


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a message."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_plain(_ANY.json_schema())}


def parse(line: bytes | str, kind: Any = None) -> Any:
    """Return the message on a line.

    Args:
        line: one JSON object.
        kind: the model that it must be; None takes any.

    Raises:
        ValueError: it is none; the message is one line, and says which field is wrong.
    """
    try:
        found = parse_json(line)
        return _ANY.validate_python(found) if kind is None else kind.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(show(str(part), 80) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{where}: {what}" if where else what) from None


def dump(message: dict[str, Any]) -> bytes:
    """Return a message as the line that is sent."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def hello(seed: int | None, seconds: float | None, memory_mb: float | None) -> dict[str, Any]:
    """Return `Hello`. A seed of any size is folded to 31 bits, which every language has."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "library": f"hawaii_env {__version__}",
        "seed": None if seed is None else check_seed(seed) % 2**31,
        "seconds": seconds,
        "memory_mb": memory_mb,
    }


def new_game(game: Game, player: int) -> dict[str, Any]:
    """Return `NewGame`."""
    return {
        "type": "new_game",
        "game": game.name,
        "params": dict(game.params),
        "ruleset": {"name": game.ruleset_name, "hash": game.ruleset_hash},
        "action_table": game.action_table_hash,
        "num_actions": game.num_actions,
        "agents": list(game.agents),
        "player": player,
    }


def decide(number: int, state: State, player: int, legal: list[int], want: list[Wanted]) -> dict[str, Any]:
    """Return `Decide`, without limit. What these methods show of a state has no generator in it."""
    message: dict[str, Any] = {
        "type": "decide",
        "id": number,
        "player": player,
        "phase": state.phase,
        "simultaneous": state.current_player == SIMULTANEOUS,
        "seconds": None,
        "legal": [{"action": action, "text": state.game.action_text(action)} for action in legal],
    }
    if "view" in want:
        message["view"] = state.view(player).to_dict()
    if "observation" in want:
        message["observation"] = state.observation(player).tolist()
    if "state" in want:
        message["state"] = state.to_json(player=player)
    return message


def game_over(state: State) -> dict[str, Any]:
    """Return `GameOver` for a last position."""
    outcome = state.outcome()
    return {
        "type": "game_over",
        "returns": [float(value) for value in state.returns()],
        "winner": None if outcome is None else outcome.winner,
        "reason": "broken off" if outcome is None else outcome.reason,
    }
