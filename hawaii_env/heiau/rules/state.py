"""A position as the rules hold it: one record of what is of the whole game, and one a space.

A state is one buffer, int64[...]: the numbers of `STATE`, then those of `STAND` space by space. In the plain mode it is
a `PlainState`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hawaii_env.core.jit import rule

from .forms import Form
from .tables import MAX_POWERS

__all__ = [
    "ADJUSTMENTS", "ASSIGNMENT", "BALLOT", "DISBANDED", "EMPTY", "NOBODY", "ORDERS", "OVER", "PHASES", "RETREATS",
    "SETUP", "STAND",
    "STATE", "UNDECIDED", "PlainState", "spaces_of", "state_of",
]  # fmt: skip

PHASES = ("ballot", "orders", "retreats", "adjustments", "assignment", "setup", "over")
BALLOT, ORDERS, RETREATS, ADJUSTMENTS, ASSIGNMENT, SETUP, OVER = range(7)
"""Phases: those of sealed turns, then chance's, then none."""

NOBODY = -1
"""No unit, no owner, no space, no place."""

STATE = Form(
    "PlainHead",
    (
        ("year", 1),
        ("season", 1),  # 0 Spring, 1 Fall
        ("phase", 1),
        ("setup", 1),  # the start that the ballot has chosen; -1 not known, or no ballot
        ("assigned", 1),  # players whose power is drawn
        ("assignment", MAX_POWERS),  # their powers
        ("counted", 1),  # 1: the ballots have been counted
        ("recounted", 1),  # 1: the second ones, too
        ("ballots", MAX_POWERS),  # votes by power, -1 not known
        ("second", MAX_POWERS),
        ("unbuilt", MAX_POWERS),  # by power, 1: its post is unbuilt
        # the running sealed turn
        ("opened", 1),  # 1 as soon as there has been one
        ("vote", MAX_POWERS),  # by power, -1 none yet
        ("half", MAX_POWERS),  # the first half of an order that waits for its second, an action; -1 none
        ("steps", MAX_POWERS),  # builds and removals entered
        ("done", MAX_POWERS),  # 1: no more builds
        ("asked", 1),  # powers that have still to enter something
        ("queue", MAX_POWERS),  # which, in the order of asking
        ("unsettled", MAX_POWERS),  # by power, 1: what it has no choice about is not entered yet
        # the end
        ("weight", MAX_POWERS),  # shares of the victory, as parts of their sum
        ("reason", 1),  # an index of `ending.REASONS`
        ("most", 1),  # heiaus of the winner
    ),
)

STAND = Form(
    "PlainStand",
    (
        ("kind", 1),  # the unit, -1 none
        ("power", 1),
        ("place", 1),
        ("owner", 1),  # of the heiau or post
        ("post", 1),
        # the dislodged unit that may retreat from here
        ("out_kind", 1),
        ("out_power", 1),
        ("out_place", 1),
        ("out_from", 1),  # where its attacker marched or sailed from, -1 after a convoy
        ("contested", 1),
        # what its unit is ordered in this turn: of movement, a whole order
        ("verb", 1),
        ("source", 1),
        ("target", 1),
        ("retreat", 1),  # a place; DISBANDED, or UNDECIDED
        ("step", 1),  # 1, 2, ...: the build or removal here was entered as the so-manieth
        # the last movement phase: the unit that began here, its order and what became of it
        ("last_kind", 1),
        ("last_power", 1),
        ("last_place", 1),
        ("last_verb", 1),
        ("last_source", 1),
        ("last_target", 1),
        ("last_aided", 1),  # kind of the unit that it supported or convoyed, -1 none
        ("success", 1),
        ("dislodged", 1),
        ("burned", 1),
    ),
)
DISBANDED, UNDECIDED = -1, -2

EMPTY: tuple[int, ...] = tuple(
    -1 if name in ("kind", "power", "place", "owner", "verb", "source", "target") or name[:4] in ("out_", "last") else
    UNDECIDED if name == "retreat" else 0
    for name in STAND.names
)  # fmt: skip
"""An empty space's numbers."""

STATE_TYPE, STAND_TYPE, STATE_WORDS = STATE.dtype, STAND.dtype, STATE.words


class PlainState:
    """A state in the plain mode.

    Attributes:
        head: a record of `STATE`.
        spaces: records of `STAND`.
    """

    __slots__ = ("head", "spaces")

    def __init__(self, head: Any, spaces: list[Any]) -> None:
        self.head: Any = head
        self.spaces: list[Any] = spaces

    @classmethod
    def read(cls, words: Sequence[int]) -> PlainState:
        """Return the state of a buffer's numbers."""
        return cls(STATE.read(words[: STATE.words]), STAND.read_all(words[STATE.words :]))

    def write(self) -> list[int]:
        """Return its numbers."""
        found = STATE.write(self.head)
        for stand in self.spaces:
            found += stand
        return found

    def copy(self) -> PlainState:
        """An independent copy."""
        head = STATE.plain(value if type(value) is int else value.copy() for value in self.head)
        return PlainState(head, list(map(STAND.plain, self.spaces)))


def _state_in(buffer: Any) -> Any:
    return buffer[:STATE_WORDS].view(STATE_TYPE)[0]


@rule(compiled=_state_in)
def state_of(buffer: Any) -> Any:
    """The record of the whole game behind a door's argument."""
    return buffer.head


def _spaces_in(buffer: Any) -> Any:
    return buffer[STATE_WORDS:].view(STAND_TYPE)


@rule(compiled=_spaces_in)
def spaces_of(buffer: Any) -> Any:
    """The records of the spaces behind a door's argument."""
    return buffer.spaces
