"""Models of requests. Unknown fields are errors, and values are not converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from hawaii_env.games import Option
from hawaii_env.texts import check_name

__all__ = [
    "RESERVED",
    "Act",
    "Called",
    "Chance",
    "CheckPosition",
    "Choices",
    "Draw",
    "Enter",
    "Invite",
    "Join",
    "LoadRecord",
    "LoadSave",
    "Mute",
    "NewGame",
    "NewSave",
    "Rematch",
    "Resign",
    "Seat",
    "StandIn",
    "Typed",
    "Undo",
    "Unwatch",
    "Versioned",
    "WhyNot",
    "Write",
    "with_options",
]


MESSAGE = 300
"""Most characters of a message."""

Name = Annotated[str, Field(max_length=40), AfterValidator(check_name)]
Short = Annotated[str, Field(max_length=64)]
Token = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
AgentString = Annotated[str, Field(min_length=1, max_length=200)]


class _Strict(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)


class Seat(_Strict):
    """The player of a side: ``me``, ``guest`` (invited by a link), or ``agent`` with an agent string from the server's
    list.
    """

    kind: Literal["me", "guest", "agent"]
    agent: AgentString | None = None


Seats = Annotated[list[Seat], Field(min_length=1, max_length=8)]
Dice = Literal["server", "hand"]
Limit = Annotated[int, Field(ge=60, le=30 * 86400)]


class Choices(_Strict):
    """A request that names options of the game; `with_options` adds a field for each."""


Asked = TypeVar("Asked", bound=Choices)


def with_options(model: type[Asked], options: Sequence[Option]) -> type[Asked]:
    """Return a request model with a field for each option of a game."""
    fields: dict[str, Any] = {}
    for option in options:
        kind: Any = type(option.default)
        if option.choices is not None and kind is not bool:  # 1 == True, but is not valid here
            kind = Literal[option.choices]
        if kind is str:
            kind = Annotated[str, Field(max_length=40)]
        fields[option.name] = (kind, option.default)
    return create_model(model.__name__, __base__=model, **fields)


RESERVED = frozenset(
    ["id", "game", "seats", "dice", "position", "start", "name", "names", "stand_ins", "offer", "agreed", "seated",
        "pending", "mine", "where", "sketch", "record", "created", "updated", "over", "version", "epoch", "status",
        "count", "first", "events", "player", "yours", "waiting", "actions", "entering", "chance", "undo", "undo_turn",
        "refused", "problem", "away", "absent", "next", "result", "standing",
        "limit", "since", "watching", "watchers", "time", "chat", "muted"]
)  # fmt: skip
"""Names that requests, answers and stored games use already: an option of a game cannot have one."""


class NewGame(Choices):
    """A new game; `position`: where it starts; `limit`: seconds that the other players wait for somebody."""

    seats: Seats
    dice: Dice = "server"
    position: dict[str, Any] | None = None
    name: Name | None = None
    limit: Limit | None = None


class CheckPosition(Choices):
    """A position to show, without a game; with `sketch`, an invalid one is drawn as far as possible."""

    position: dict[str, Any]
    sketch: bool = False


class Versioned(_Strict):
    """A request that changes a game, or asks about it. It names the version that the browser has seen."""

    version: Annotated[int, Field(ge=0, le=2**53)]


Action = Annotated[int, Field(ge=0, le=1_000_000)]


class Act(Versioned):
    """A decision; `before`: the decisions that begin the same choice."""

    action: Action
    before: Annotated[list[Action], Field(max_length=20)] = []


class Ahead(Versioned):
    """Decisions that begin a choice, to be looked at but not applied."""

    actions: Annotated[list[Action], Field(min_length=1, max_length=20)]


class WhyNot(Versioned):
    """A thing on the map that cannot be chosen after `actions`, or that cannot go to the space `to`."""

    actions: Annotated[list[Action], Field(max_length=20)] = []
    thing: dict[Literal["piece", "side", "place", "via"], Short]
    to: Short = ""


class Enter(Versioned):
    """All decisions of the running sealed turn; an empty list withdraws those that were entered."""

    seat: Annotated[int, Field(ge=0, le=7)]
    actions: Annotated[list[Action], Field(max_length=200)]


class Typed(Versioned):
    """A decision as text that a player has typed."""

    seat: Annotated[int, Field(ge=0, le=7)]
    text: Annotated[str, Field(min_length=1, max_length=200)]


class Write(Versioned):
    """A message to everybody, or to the owner of a seat."""

    text: Annotated[str, AfterValidator(lambda text: check_name(text, MESSAGE, "a message")), Field(min_length=1)]
    seat: Annotated[int, Field(ge=0, le=7)] | None = None


class Mute(Versioned):
    """A seat whose messages are hidden, or with `on` False shown again."""

    seat: Annotated[int, Field(ge=0, le=7)]
    on: bool = True


class Chance(Versioned):
    """A die or card that fell on the table; None: the server draws it."""

    outcome: Annotated[int, Field(ge=0, le=1000)] | None = None


class Undo(Versioned):
    """Undo of the last decision, or of the whole turn."""

    turn: bool = False


class Resign(Versioned):
    """Resignation of a seat."""

    seat: Annotated[int, Field(ge=0, le=7)]


class Draw(Versioned):
    """Offer or acceptance of a draw; False declines an offer, or withdraws the sender's own."""

    accept: bool = True


class StandIn(Versioned):
    """The agent that plays for people who have left."""

    agent: AgentString


class Rematch(Versioned):
    """A rematch, with the same sides or swapped ones."""

    swap: bool = False


class Called(Versioned):
    """The sender's name; an empty one removes it."""

    name: Name


class Invite(Versioned):
    """A new invitation to a seat; None: the first free one."""

    seat: Annotated[int, Field(ge=0, le=7)] | None = None


class Unwatch(Versioned):
    """A spectator, who is removed from the game."""

    seat: Annotated[int, Field(ge=100)]


class Join(_Strict):
    """An invitation, and the name of the person who accepts it."""

    invitation: Token
    name: Name | None = None


class NewSave(Versioned):
    """A name for the saved position."""

    name: Annotated[str, AfterValidator(check_name), Field(min_length=1)]


class LoadSave(_Strict):
    """A saved game to continue."""

    save: Token


class LoadRecord(_Strict):
    """The text of a record, to continue or to look through."""

    record: Annotated[str, Field(min_length=2, max_length=2_000_000)]
    seats: Seats
    dice: Dice = "server"
