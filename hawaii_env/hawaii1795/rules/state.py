"""The record of one game: every field that the rules read and write [3.0, 4.0, 7.0]."""

from __future__ import annotations

from hawaii_env.core.layout import Field, Layout

from .names import MAX_LEGAL, N_PIECES, N_SPACES, N_WANTS

STATE = Layout(
    "hawaii1795_state",
    # the only secret of a game: four words for the decks, four for the dice; -1 if the caller tells the outcomes
    Field("generator", 8),
    # the calendar [7.1, 7.2]
    Field("month"),  # 1 January .. 11 November
    Field("half"),  # whose half of the turn
    Field("phase"),
    Field("decider"),  # who decides in a decision phase
    Field("next_phase"),  # what follows when canoes driven off have withdrawn (SETTLE) or a window has closed
    Field("winner"),  # -1 none, 0, 1, 2 tie
    Field("reason"),
    # the pieces [3.0]
    Field("place", N_PIECES),
    Field("owner", N_PIECES),  # 0, 1, 2 neutral
    Field("came", N_PIECES),  # 0, 1 + space, 8 turned among enemies
    Field("panicked", N_PIECES),
    Field("carried", N_PIECES),  # of a canoe: it has moved
    Field("marched", N_PIECES),
    Field("fired", N_PIECES),
    Field("kauai"),  # who Kaua'i stands with
    # counted from the pieces: [side * 7 + space]
    Field("units", 3 * N_SPACES),
    Field("canoes", 3 * N_SPACES),
    Field("leaders", 3 * N_SPACES),
    Field("at_sea", N_SPACES),  # canoes bound for a space
    # cards [8.0]; masks: bit n is card number n
    Field("left", 2),
    Field("held", 2),
    Field("card"),  # side * 9 + number - 1 of the card in effect, -1 none
    Field("fixed"),  # 1: the card was dealt, not drawn [6.1]
    Field("event_played", 2),  # a held event was played this half, by holder
    Field("advantage_bonus"),
    Field("gunpowder_bonus"),
    Field("no_sighting"),
    Field("homes"),  # pieces still to go home
    Field("window"),
    Field("want", N_WANTS),  # recruits still to come
    # set-up [6.0]
    Field("setup_piece"),  # the next piece to look at
    Field("setup_choice", 2),  # warriors of choice still to place, by side
    # movement [10.3]
    Field("fleet_moves"),
    Field("fleet"),  # the canoe that moves, -1 none
    Field("pickup"),
    Field("aboard_units"),
    Field("aboard_leaders"),
    # battles [11.0]
    Field("field"),  # the space approached or fought for, -1 none
    Field("battle"),
    Field("second"),  # 1 in the second battle
    Field("earthworks"),
    Field("war_canoes"),
    Field("war_units"),
    Field("war_leaders"),
    Field("first_die"),  # Kamehameha's advantage die, 0 before it is rolled
    Field("advantage"),  # who has it, -1 nobody yet
    Field("turn_side"),  # who fires next in the alternation
    Field("guns"),  # 1: the unit to fire is one of gunpowder
    Field("firing"),  # the side that fires
    Field("firer"),  # the unit that fires, -1 none
    Field("dice"),  # dice of it still to roll
    Field("pike_used", 2),
    # withdrawals [11.5]
    Field("errand"),
    Field("from_space"),
    Field("refuge"),  # where the attackers' canoes went, -1 nowhere
    Field("canoes_lost"),  # canoes of a beaten fleet still to be lost
    # what may be decided
    Field("n_legal"),
    Field("legal", MAX_LEGAL),
    Field("decisions"),  # decisions asked so far in this game
)

DERIVED = ("units", "canoes", "leaders", "at_sea", "n_legal", "legal")
"""Fields that follow from the others."""
