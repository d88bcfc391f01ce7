"""A position as the rules hold it: fields of the whole game, and columns by space."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.layout import Field, Layout

from .tables import MAX_POWERS

__all__ = [
    "ADJUSTMENTS", "ASSIGNMENT", "BALLOT", "DISBANDED", "NOBODY", "ORDERS", "OVER", "PHASES", "RETREATS", "SETUP",
    "SPACE", "STATE", "UNDECIDED", "new_state", "view_state",
]  # fmt: skip

PHASES = ("ballot", "orders", "retreats", "adjustments", "assignment", "setup", "over")
BALLOT, ORDERS, RETREATS, ADJUSTMENTS, ASSIGNMENT, SETUP, OVER = range(7)
"""Phases: those of sealed turns, then chance's, then none."""

NOBODY = -1
"""No unit, no owner, no space, no place."""

DISBANDED, UNDECIDED = -1, -2

HEAD = Layout(
    "heiau_head",
    Field("year"),
    Field("season"),  # 0 Spring, 1 Fall
    Field("phase"),
    Field("setup"),  # the start that the ballot has chosen; -1 not known, or no ballot
    Field("assigned"),  # players whose power is drawn
    Field("assignment", MAX_POWERS),  # their powers
    Field("counted"),  # 1: the ballots have been counted
    Field("recounted"),  # 1: the second ones, too
    Field("ballots", MAX_POWERS),  # votes by power, -1 not known
    Field("second", MAX_POWERS),
    Field("unbuilt", MAX_POWERS),  # by power, 1: its post is unbuilt
    # the running sealed turn
    Field("opened"),  # 1 as soon as there has been one
    Field("vote", MAX_POWERS),  # by power, -1 none yet
    Field("half", MAX_POWERS),  # the first half of an order that waits for its second, an action; -1 none
    Field("steps", MAX_POWERS),  # builds and removals entered
    Field("done", MAX_POWERS),  # 1: no more builds
    Field("asked"),  # powers that have still to enter something
    Field("queue", MAX_POWERS),  # which, in the order of asking
    Field("unsettled", MAX_POWERS, derived=True),  # by power, 1: what it has no choice about is not entered yet
    # the end
    Field("weight", MAX_POWERS),  # shares of the victory, as parts of their sum
    Field("reason"),  # an index of `ending.REASONS`
    Field("most"),  # heiaus of the winner
)
"""Fields of the whole game."""

SPACE: dict[str, int] = {
    "kind": NOBODY,  # the unit
    "power": NOBODY,
    "place": NOBODY,
    "owner": NOBODY,  # of the heiau or post
    "post": 0,
    # the dislodged unit that may retreat from here
    "out_kind": NOBODY,
    "out_power": NOBODY,
    "out_place": NOBODY,
    "out_from": NOBODY,  # where its attacker marched or sailed from, -1 after a convoy
    "contested": 0,
    # what its unit is ordered in this turn: of movement, a whole order
    "verb": NOBODY,
    "source": NOBODY,
    "target": NOBODY,
    "retreat": UNDECIDED,  # a place; DISBANDED, or UNDECIDED
    "step": 0,  # 1, 2, ...: the number under which the build or removal here was entered
    # the last movement phase: the unit that began here, its order and what became of it
    "last_kind": NOBODY,
    "last_power": NOBODY,
    "last_place": NOBODY,
    "last_verb": NOBODY,
    "last_source": NOBODY,
    "last_target": NOBODY,
    "last_aided": NOBODY,  # kind of the unit that it supported or convoyed, -1 none
    "success": 0,
    "dislodged": 0,
    "burned": 0,
}
"""Columns by space, with what an empty space has."""

REPORT = (*(name for name in SPACE if name.startswith("last_")), "success", "dislodged", "burned")
"""Columns of the last movement phase, which players see and no rule reads once it is over."""

STATE = Layout(
    "heiau_state",
    Field("spaces"),
    HEAD,
    Field("generator", 8, derived=True),
    Field("n_legal", derived=True),  # how many actions are legal, 0 if nobody has a choice
    *(Field(name, "spaces", report=name in REPORT) for name in SPACE),
    Field("legal", None, derived=True),  # which, ascending
)

view_state: Any = STATE.view
"""Return the state behind an argument of an entry point."""


def new_state(spaces: int, actions: int) -> Any:
    """Return an interpreted state with nothing on the board and no generator.

    Args:
        spaces: of the board.
        actions: of the action table.
    """
    state = STATE.new(spaces=spaces, legal=actions)
    for name, value in SPACE.items():
        setattr(state, name, [value] * spaces)
    state.generator = [-1] * 8
    return state
