"""Models of requests. Unknown fields are errors, and nothing is converted."""

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
"""Letters of a message."""

Name = Annotated[str, Field(max_length=40), AfterValidator(check_name)]
Short = Annotated[str, Field(max_length=64)]
Token = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
AgentString = Annotated[str, Field(min_length=1, max_length=200)]


class _Strict(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)


class Seat(_Strict):
    """The player of a side: ``me``, ``guest`` (somebody by an invitation link), or ``agent`` with its agent string, as
    the server lists it.
    """

    kind: Literal["me", "guest", "agent"]
    agent: AgentString | None = None


Seats = Annotated[list[Seat], Field(min_length=1, max_length=8)]
Dice = Literal["server", "hand"]
Limit = Annotated[int, Field(ge=60, le=30 * 86400)]


class Choices(_Strict):
    """A request that names options of the game: `with_options` adds them, each a field."""


Asked = TypeVar("Asked", bound=Choices)


def with_options(model: type[Asked], options: Sequence[Option]) -> type[Asked]:
    """Return a model of requests with a field for each option of a game."""
    fields: dict[str, Any] = {}
    for option in options:
        kind: Any = type(option.default)
        if option.choices is not None and kind is not bool:  # 1 is no True here, though it equals it
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
"""Names that requests, answers and stored games have for something else: no option of a game may be called so."""


class NewGame(Choices):
    """A new game; with `position` one that starts there. `limit`: seconds that the others wait for somebody."""

    seats: Seats
    dice: Dice = "server"
    position: dict[str, Any] | None = None
    name: Name | None = None
    limit: Limit | None = None


class CheckPosition(Choices):
    """A position to look at, without a game; with `sketch` one that cannot be is drawn as far as it goes."""

    position: dict[str, Any]
    sketch: bool = False


class Versioned(_Strict):
    """A request that changes a game, or asks about it: it names the version that the browser has seen."""

    version: Annotated[int, Field(ge=0, le=2**53)]


Action = Annotated[int, Field(ge=0, le=1_000_000)]


class Act(Versioned):
    """A decision, and those that are taken before it: they only begin the same choice."""

    action: Action
    before: Annotated[list[Action], Field(max_length=20)] = []


class Ahead(Versioned):
    """Decisions that begin a choice, to be looked at and not taken."""

    actions: Annotated[list[Action], Field(min_length=1, max_length=20)]


class WhyNot(Versioned):
    """A thing of the map that cannot be chosen, after decisions that begin a choice, or where it cannot go."""

    actions: Annotated[list[Action], Field(max_length=20)] = []
    thing: dict[Literal["piece", "side", "place", "via"], Short]
    to: Short = ""


class Enter(Versioned):
    """All decisions of the running sealed turn; none takes back what was entered."""

    seat: Annotated[int, Field(ge=0, le=7)]
    actions: Annotated[list[Action], Field(max_length=200)]


class Typed(Versioned):
    """A decision as somebody types it."""

    seat: Annotated[int, Field(ge=0, le=7)]
    text: Annotated[str, Field(min_length=1, max_length=200)]


class Write(Versioned):
    """A message to all, or to who has a seat."""

    text: Annotated[str, AfterValidator(lambda text: check_name(text, MESSAGE, "a message")), Field(min_length=1)]
    seat: Annotated[int, Field(ge=0, le=7)] | None = None


class Mute(Versioned):
    """A seat whose messages are not shown any more; False: again."""

    seat: Annotated[int, Field(ge=0, le=7)]
    on: bool = True


class Chance(Versioned):
    """A die or card as it fell on the table; None: the server rolls."""

    outcome: Annotated[int, Field(ge=0, le=1000)] | None = None


class Undo(Versioned):
    """Take back the last decision, or the whole turn."""

    turn: bool = False


class Resign(Versioned):
    """Give up with a seat."""

    seat: Annotated[int, Field(ge=0, le=7)]


class Draw(Versioned):
    """Offer a draw or take an offer; False declines, or withdraws the caller's own."""

    accept: bool = True


class StandIn(Versioned):
    """The agent that plays for who has gone."""

    agent: AgentString


class Rematch(Versioned):
    """Again, with the sides changed or not."""

    swap: bool = False


class Called(Versioned):
    """One's name; an empty one is none."""

    name: Name


class Invite(Versioned):
    """A new invitation to a seat; without one, to the first that nobody has."""

    seat: Annotated[int, Field(ge=0, le=7)] | None = None


class Unwatch(Versioned):
    """Somebody who watches by a link, and shall no longer."""

    seat: Annotated[int, Field(ge=100)]


class Join(_Strict):
    """An invitation, and one's name."""

    invitation: Token
    name: Name | None = None


class NewSave(Versioned):
    """A name for the position now."""

    name: Annotated[str, AfterValidator(check_name), Field(min_length=1)]


class LoadSave(_Strict):
    """A saved game to continue with."""

    save: Token


class LoadRecord(_Strict):
    """The text of a record, to continue with or to look through."""

    record: Annotated[str, Field(min_length=2, max_length=2_000_000)]
    seats: Seats
    dice: Dice = "server"
