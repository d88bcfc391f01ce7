"""What the rules read: a map, and a game's options and action table, as one array of whole numbers.

Any map will do, of any size. The head of the array holds numbers (`SCALARS`) and tells where each column begins
(`COLUMNS`): ``rules[N_SPACES]`` is a number, ``rules[rules[SPACE_OF] + place]`` an entry of a column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .board import ARMY, BUNCH, FLEET, Board

__all__ = ["COAST", "INLAND", "MAX_POWERS", "SEA", "make_tables"]

MAX_POWERS = 6
"""Powers that a scenario can have."""

SEA, COAST, INLAND = range(3)
"""Kinds of space."""

SCALARS = (
    "spaces", "places", "powers", "actions", "size", "victory", "last_year", "posts_win", "scoring", "ballot", "late",
    "random_powers",
    "scenario",
)  # fmt: skip
(
    N_SPACES, N_PLACES, N_POWERS, N_ACTIONS, SIZE, VICTORY, LAST_YEAR, POSTS_WIN, SCORING, HAS_BALLOT, LATE,
    RANDOM_POWERS, SCENARIO,
) = range(len(SCALARS))  # fmt: skip
"""Numbers: spaces, places, powers, actions, values of an observation; heiaus that win, the last year, 1 where posts
count, an index of `ending.SCORINGS`, 1 with a ballot, 1 where powers are assigned after it, 1 where chance assigns
them, the scenario's number in the ruleset, values of an observation for the coasts of a space.
"""

COLUMNS = (
    # by space
    "kind",  # SEA, COAST, INLAND
    "ocean",
    "heiau",
    "bare",  # its place without a coast
    "first_stand",  # the first place where a bunch or fleet can stand: a coast, or the space itself
    "last_stand",  # the last
    "convoy",  # actions about it, -1 where there is none
    "build",
    "remove",
    # by place
    "space",
    "mark",  # where its coast is told in an observation, -1 where it is none
    "via",  # actions about it, -1 where there is none
    "boats",
    # pairs
    "water",  # [place * places + other]: 1 where fleets go
    "ways",
    # [kind * places + place]: where in `moves` the places begin that such a unit reaches by itself; they end with the
    # next
    "moves",  # those places, in table order
    "reach",  # [(kind * places + place) * spaces + space]: 1 for their spaces
    "inland",  # [place * spaces + space]: 1 where a bunch goes by land alone [Boats 3]
    # the units at the start: [(setup + 1) * spaces + space], kind -1 for none; setup -1 without a ballot
    "start_kind",
    "start_power",
    "start_place",
    # by action: what it means
    "step_kind",
    "step_value",
    # by power
    "european",
    # by kind of action: the first one, where values are places or spaces in table order
    "first",
    # by part of an observation: where it begins
    "part",
)
(
    KIND_OF, OCEAN, HEIAU, BARE, FIRST_STAND, LAST_STAND, CONVOY_ACTION, BUILD_ACTION, REMOVE_ACTION, SPACE_OF, MARK,
    VIA_ACTION,
    BOATS_ACTION, WATER, WAYS, MOVES_TO, REACH, INLAND_FROM, START_KIND, START_POWER, START_PLACE, STEP_KIND,
    STEP_VALUE, EUROPEAN,
    FIRST_ACTION, PART,
) = range(len(SCALARS), len(SCALARS) + len(COLUMNS))  # fmt: skip
HEAD = len(SCALARS) + len(COLUMNS)


def make_tables(
    board: Board, scalars: Mapping[str, int] | None = None, columns: Mapping[str, Sequence[int]] | None = None
) -> NDArray[np.int64]:
    """Return the tables of a map, or of a game: int64[...].

    Args:
        board: the map.
        scalars: a game's numbers; others than those of the map are 0.
        columns: a game's columns; those about actions are -1 where they are not given, others empty.
    """
    n, p = len(board.spaces), len(board.places)
    stands = [board.standing(s) for s in range(n)]
    ways, moves = [0], list[int]()
    kinds = (ARMY, BUNCH, FLEET)
    for kind in kinds:
        for q in range(p):
            moves += board.moves[kind][q]
            ways.append(len(moves))
    found: dict[str, Sequence[int]] = {
        "kind": [("sea", "coast", "inland").index(kind) for kind in board.kind],
        "ocean": [board.oceans >> s & 1 for s in range(n)],
        "heiau": [board.heiaus >> s & 1 for s in range(n)],
        "bare": board.bare,
        "first_stand": [places[0] for places in stands],
        "last_stand": [places[-1] for places in stands],
        **{name: [-1] * n for name in ("convoy", "build", "remove")},
        "space": board.space_of,
        **{name: [-1] * p for name in ("mark", "via", "boats")},
        "water": [board.water[q] >> r & 1 for q in range(p) for r in range(p)],
        "ways": ways,
        "moves": moves,
        "reach": [board.reach[kind][q] >> s & 1 for kind in kinds for q in range(p) for s in range(n)],
        "inland": [board.inland[q] >> s & 1 for q in range(p) for s in range(n)],
        "european": [0] * MAX_POWERS,
        **(columns or {}),
    }
    numbers = {"spaces": n, "places": p, **(scalars or {})}
    words = [int(numbers.get(name, 0)) for name in SCALARS] + [0] * len(COLUMNS)
    for index, name in enumerate(COLUMNS):
        words[len(SCALARS) + index] = len(words)
        words += map(int, found.get(name, ()))
    return np.array(words, np.int64)


def plain_tables(buffer: NDArray[np.int64]) -> Any:
    """Return the tables as the plain mode has them: a list, which Python reads faster."""
    return buffer.tolist()
