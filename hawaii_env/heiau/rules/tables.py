"""The tables that the rules read: a map, and a game's options and action table. Any map will do, of any size."""

from __future__ import annotations

from itertools import accumulate, islice, pairwise
from typing import Any

from hawaii_env.core.layout import Field, Layout

from .board import ARMY, BUNCH, FLEET, Board
from .equations import empty_equations

__all__ = ["COAST", "INLAND", "MAX_POWERS", "SEA", "TABLES", "make_tables", "view_rules"]

MAX_POWERS = 6
"""Powers that a scenario can have."""

SEA, COAST, INLAND = range(3)
"""Kinds of space."""

TABLES = Layout(
    "heiau_tables",
    Field("spaces"),
    Field("places"),
    Field("powers"),
    Field("actions"),
    Field("size"),  # values of an observation
    Field("victory"),  # heiaus that win
    Field("last_year"),
    Field("posts_win"),  # 1: posts count for the victory
    Field("scoring"),  # an index of `ending.SCORINGS`
    Field("ballot"),  # 1: with a ballot
    Field("late"),  # 1: powers are assigned after it
    Field("random_powers"),  # 1: chance assigns powers
    Field("scenario"),  # the scenario's number in the ruleset
    Field("european", MAX_POWERS),
    # by space
    Field("kind", "spaces"),  # SEA, COAST, INLAND
    Field("ocean", "spaces"),
    Field("heiau", "spaces"),
    Field("bare", "spaces"),  # its place without a coast
    Field("first_stand", "spaces"),  # the first place where a bunch or fleet can stand: a coast, or the space itself
    Field("last_stand", "spaces"),  # the last
    Field("convoy", "spaces"),  # actions about it, or -1
    Field("build", "spaces"),
    Field("remove", "spaces"),
    # by place
    Field("space_of", "places"),
    Field("mark", "places"),  # its coast in observations, -1 for other places
    Field("via", "places"),  # actions about it, or -1
    Field("boats", "places"),
    Field("water", "places", "places"),  # 1: fleets go from one to the other
    Field(
        "ways", 3, "places", 2
    ),  # by kind of unit: where in `moves` the places begin and end that it reaches by itself
    Field("moves", None),  # those places, in table order
    Field("reach", 3, "places", "spaces"),  # by kind of unit; 1 for their spaces
    Field("inland", "places", "spaces"),  # 1: a bunch goes there by land alone [Boats 3]
    # [setup + 1]: the units at the start, kind -1 for none; setup -1 without a ballot
    Field("start_kind", None, "spaces"),
    Field("start_power", None, "spaces"),
    Field("start_place", None, "spaces"),
    Field("step_kind", "actions"),  # what an action means
    Field("step_value", "actions"),
    Field("first_action", None),  # by kind of action: the first one, where values are places or spaces in table order
    # by part of an observation
    Field("part", None),  # where it begins
    Field("columns", None),  # the length of its rows
    Field("equations", None),  # the equations of a movement phase, of no unit: see `equations.EQUATIONS`
)

view_rules: Any = TABLES.view
"""Return the tables behind an argument of an entry point."""


def make_tables(board: Board, **fields: Any) -> Any:
    """Return the interpreted tables of a map, or of a game.

    Args:
        board: the map.
        fields: a game's own fields; columns about actions are -1 and others empty if they are not given.
    """
    n, p = len(board.spaces), len(board.places)
    stands = [board.standing(s) for s in range(n)]
    kinds = (ARMY, BUNCH, FLEET)
    moves = [board.moves[kind][q] for kind in kinds for q in range(p)]
    ends = map(list, pairwise(accumulate(map(len, moves), initial=0)))
    found: dict[str, Any] = {
        "kind": [("sea", "coast", "inland").index(kind) for kind in board.kind],
        "ocean": [board.oceans >> s & 1 for s in range(n)],
        "heiau": [board.heiaus >> s & 1 for s in range(n)],
        "bare": list(board.bare),
        "first_stand": [places[0] for places in stands],
        "last_stand": [places[-1] for places in stands],
        **{name: [-1] * n for name in ("convoy", "build", "remove")},
        "space_of": list(board.space_of),
        **{name: [-1] * p for name in ("mark", "via", "boats")},
        "water": [[board.water[q] >> r & 1 for r in range(p)] for q in range(p)],
        "ways": [list(islice(ends, p)) for _ in kinds],
        "moves": [place for places in moves for place in places],
        "reach": [[[board.reach[kind][q] >> s & 1 for s in range(n)] for q in range(p)] for kind in kinds],
        "inland": [[board.inland[q] >> s & 1 for s in range(n)] for q in range(p)],
        **dict.fromkeys(("start_kind", "start_power", "start_place", "first_action", "part", "columns"), ()),
        "equations": empty_equations(n),
        **fields,
    }
    sizes = {"actions": 0, **{name: len(value) for name, value in found.items() if not isinstance(value, int)}}
    numbers = {name: value for name, value in found.items() if isinstance(value, int)}
    tables = TABLES.new(**{**sizes, **numbers, "spaces": n, "places": p})
    for name, value in found.items():
        setattr(tables, name, value if isinstance(value, int) else [*value])
    tables.spaces, tables.places = n, p
    return tables
