"""The frozen form of a ruleset: one record of int64 numbers and arrays that the compiled rules read.

`TABLE_FIELDS` is the list of (field, length); `TABLES` the numpy record type made of it. A field of length 1 is a plain
number of the record, any other an int64 array of that length. (In plain Python write `tables["choose"]`: a numpy record
has a method of that name.) A bit mask of die faces has bit `face` (1 to 6), one of spaces bit `space`, one of kinds bit
`kind`. Ids are those of `names`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .names import N_EFFECT_ARGS, N_KINDS, N_PIECES, N_SPACES, N_WANTS

N_CARDS = 18

__all__ = ["ISLANDS", "PLACED_ON", "TABLES", "TABLE_FIELDS", "PlainTables", "plain_tables"]

ISLANDS = ("hawaii", "maui", "molokai", "oahu", "kauai")
"""Islands in the order of the map; an island's index is its place here."""

PLACED_ON = 100
"""A start place of PLACED_ON + i: placed by its owner on a space of island i."""

TABLE_FIELDS: tuple[tuple[str, int], ...] = (
    # by piece
    ("kind", N_PIECES),  # kind; pieces stand in the order of kinds
    ("side", N_PIECES),  # printed side: 0 Kamehameha, 1 the Allies, 2 the pieces of Kaua'i
    # by kind
    ("first", N_KINDS),  # number of its first piece
    ("count", N_KINDS),  # number of its pieces; 0 for a warrior or canoe kind that a ruleset does without
    # by piece
    ("strength", N_PIECES),  # dice rolled; 0 for a canoe
    ("elite", N_PIECES),  # 1: cannot panic, fires on the elite column
    ("plus", N_PIECES),  # 1: counts for Battlefield Advantage
    ("leader", N_PIECES),  # 1: a leader
    ("gun", N_PIECES),  # 1: gunpowder
    ("pike", N_PIECES),  # 1: a pike
    ("canoe", N_PIECES),  # 1: a canoe
    ("warrior", N_PIECES),  # 1: a 'warrior' of the cards
    ("home", N_PIECES),  # mask of the spaces of its home islands; 0 for the pieces of Kaua'i, which are never recruited
    # battle results
    # [role * 12 + elite * 6 + face - 1], role of the side that fires: 0 attacker, 1 defender; 0 none, 1 panic, 2
    # elimination
    ("results", 24),
    # dice and canoes
    ("sighted_up_to", 1),  # a fleet is sighted on a die of 1 to this [11.7]
    ("units_a_canoe", 1),  # units that a canoe carries [10.3, 11.7]
    ("leaders_a_canoe", 1),  # and leaders beside them
    # by space
    ("fort", N_SPACES),  # 1: a fort
    ("sibling", N_SPACES),  # the island's other space, or -1
    # occupation victory, by side: all of win_all, win_some_n of win_some, and one of win_any (0: nothing asked)
    ("win_all", 2),  # mask of spaces
    ("win_some", 2),  # mask of spaces
    ("win_some_n", 2),  # how many of win_some
    ("win_any", 2),  # mask of spaces
    # scenario
    ("start", N_PIECES),  # start place of each piece: a space, 7 the box, or PLACED_ON + island
    ("choose", 2),  # warriors of its choice that each side places at set-up
    ("choose_island", 2),  # index of the island that they are placed on
    ("island", N_SPACES),  # index of each space's island
    ("first_month", 1),  # 1 January ... 11 November
    ("last_month", 1),  # the last turn
    ("fixed", 24),  # [month * 2 + side]: number of the card drawn without chance in that month, 0 if none
    ("reshuffle_month", 1),  # month at whose start both decks are all nine cards again
    # by card: side * 9 + number - 1
    ("fleets", N_CARDS),  # fleet moves
    ("timing", N_CARDS),  # 0 no event, 1 now, 2 this turn, 3 hold, 4 recruiting
    ("effect", N_CARDS),  # FX_ of `names`
    ("effect_args", N_CARDS * N_EFFECT_ARGS),  # [card * 4 + i], as said beside each FX_
    ("window", N_CARDS),  # 0 none, 1 movement, 2 sighting, 3 battle
    # [card * 24 + want]: pieces asked for; want is a kind, 22 any warrior, 23 any canoe
    ("recruit", N_CARDS * N_WANTS),
    ("once", N_CARDS * N_WANTS),  # the part of `recruit` that comes only when the card is drawn without chance [6.1]
    # options
    ("final_check", 1),  # 1: Kamehameha's occupation is checked once more after the last turn
    ("assault", 1),  # 1: the winner of a sea battle fights the garrison on landing
)  # fmt: skip

TABLES: np.dtype[np.void] = np.dtype(
    (np.record, [(name, np.int64) if length == 1 else (name, np.int64, (length,)) for name, length in TABLE_FIELDS])
)
"""Record type of the tables: int64 throughout, without padding."""


class PlainTables:
    """The tables as Python ints and lists of ints, for the plain mode. Attributes are the names of TABLE_FIELDS."""

    __slots__ = tuple(name for name, _ in TABLE_FIELDS)

    def __init__(self, values: dict[str, Any]) -> None:
        """Take one value a field. Raises KeyError when a field is missing."""
        for name, _ in TABLE_FIELDS:
            object.__setattr__(self, name, values[name])

    def __getattr__(self, name: str) -> Any:
        # Reached only for a name that is no field: the slots answer the others.
        raise AttributeError(f"the tables have no field {name!r}")

    def __reduce__(self) -> tuple[type[PlainTables], tuple[dict[str, Any]]]:
        return PlainTables, ({name: getattr(self, name) for name, _ in TABLE_FIELDS},)


def plain_tables(tables: NDArray[Any] | np.record) -> PlainTables:
    """Turn a record of TABLES (shape (1,) or the scalar) into ints and lists of ints with the same field names."""
    record: Any = tables[0] if isinstance(tables, np.ndarray) else tables
    return PlainTables({name: record[name].tolist() for name, _ in TABLE_FIELDS})
