"""The frozen form of a ruleset: one record of numbers and arrays that the rules read.

A bit mask of die faces has bit `face` (1 to 6), one of spaces bit `space`, one of kinds bit
`kind`. Ids are those of `names`.
"""

from __future__ import annotations

from hawaii_env.core.layout import Field, Layout

from .names import N_EFFECT_ARGS, N_KINDS, N_PIECES, N_SPACES, N_WANTS

N_CARDS = 18

__all__ = ["ISLANDS", "N_CARDS", "PLACED_ON", "TABLES"]

ISLANDS = ("hawaii", "maui", "molokai", "oahu", "kauai")
"""Islands in the order of the map; an island's index is its place here."""

PLACED_ON = 100
"""A start place of PLACED_ON + i: placed by its owner on a space of island i."""

TABLES = Layout(
    "hawaii1795_tables",
    # by piece
    Field("kind", N_PIECES),  # kind; pieces stand in the order of kinds
    Field("side", N_PIECES),  # printed side: 0 Kamehameha, 1 the Allies, 2 the pieces of Kaua'i
    # by kind
    Field("first", N_KINDS),  # number of its first piece
    Field("count", N_KINDS),  # number of its pieces; 0 for a warrior or canoe kind that a ruleset does without
    # by piece
    Field("strength", N_PIECES),  # dice rolled; 0 for a canoe
    Field("elite", N_PIECES),  # 1: cannot panic, fires on the elite column
    Field("plus", N_PIECES),  # 1: counts for Battlefield Advantage
    Field("leader", N_PIECES),  # 1: a leader
    Field("gun", N_PIECES),  # 1: gunpowder
    Field("pike", N_PIECES),  # 1: a pike
    Field("canoe", N_PIECES),  # 1: a canoe
    Field("warrior", N_PIECES),  # 1: a 'warrior' of the cards
    Field("home", N_PIECES),  # mask of the spaces of its home islands; 0 for the pieces of Kaua'i
    # battle results
    # by role of the side that fires (0 attacker, 1 defender), elite, face - 1: 0 none, 1 panic, 2 elimination
    Field("results", 2, 2, 6),
    # dice and canoes
    Field("sighted_up_to"),  # a fleet is sighted on a die of 1 to this [11.7]
    Field("units_a_canoe"),  # units that a canoe carries [10.3, 11.7]
    Field("leaders_a_canoe"),  # and leaders beside them
    # by space
    Field("fort", N_SPACES),  # 1: a fort
    Field("sibling", N_SPACES),  # the island's other space, or -1
    # occupation victory, by side: all of win_all, win_some_n of win_some, and one of win_any (0: nothing asked)
    Field("win_all", 2),  # mask of spaces
    Field("win_some", 2),  # mask of spaces
    Field("win_some_n", 2),  # how many of win_some
    Field("win_any", 2),  # mask of spaces
    # scenario
    Field("start", N_PIECES),  # start place of each piece: a space, 7 the box, or PLACED_ON + island
    Field("choose", 2),  # warriors of its choice that each side places at set-up
    Field("choose_island", 2),  # index of the island that they are placed on
    Field("island", N_SPACES),  # index of each space's island
    Field("first_month"),  # 1 January ... 11 November
    Field("last_month"),  # the last turn
    Field("fixed", 12, 2),  # by month and side: number of the card drawn without chance in that month, 0 if none
    Field("reshuffle_month"),  # month at whose start both decks are all nine cards again
    # by card: side * 9 + number - 1
    Field("fleets", N_CARDS),  # fleet moves
    Field("timing", N_CARDS),  # 0 no event, 1 now, 2 this turn, 3 hold, 4 recruiting
    Field("effect", N_CARDS),  # FX_ of `names`
    Field("effect_args", N_CARDS, N_EFFECT_ARGS),  # as said beside each FX_
    Field("window", N_CARDS),  # 0 none, 1 movement, 2 sighting, 3 battle
    # pieces asked for; by want: a kind, 22 any warrior, 23 any canoe
    Field("recruit", N_CARDS, N_WANTS),
    Field("once", N_CARDS, N_WANTS),  # the part of `recruit` that comes only with a card drawn without chance [6.1]
    # options
    Field("final_check"),  # 1: Kamehameha's occupation is checked once more after the last turn
    Field("assault"),  # 1: the winner of a sea battle fights the garrison on landing
    # what observations tell of all this, see `observation.template`
    Field("template", None),
)
