"""The record of one game: every field that the rules read and write [3.0, 4.0, 7.0]."""

from __future__ import annotations

from hawaii_env.core.layout import Field, Layout

from .names import (
    ALL_CARDS,
    BY_DEFENDER,
    HALF_END,
    KAUAI,
    LAST_MONTH,
    MAX_LEGAL,
    N_PIECES,
    N_PLACES,
    N_SPACES,
    N_WANTS,
    NEUTRAL,
    ORIGIN_TURNED,
    OVER,
    R_OCCUPATION_NOVEMBER,
    SEA_BATTLE,
    TIE,
    WINDOW_BATTLE,
)

STATE = Layout(
    "hawaii1795_state",
    # the only secret of a game: four words for the decks, four for the dice; -1 if the caller tells the outcomes
    Field("generator", 8),
    # the calendar [7.1, 7.2]
    Field("month", low=1, high=LAST_MONTH),  # 1 January .. 11 November
    Field("half", low=0, high=1),  # whose half of the turn
    Field("phase", low=0, high=OVER),
    Field("decider", low=0, high=1),  # who decides in a decision phase
    Field(
        "next_phase", low=0, high=HALF_END
    ),  # what follows when canoes driven off have withdrawn (WITHDRAWALS) or a window has closed
    Field("winner", low=-1, high=TIE),  # -1 none, 0, 1, 2 tie
    Field("reason", low=0, high=R_OCCUPATION_NOVEMBER),
    # the pieces [3.0]
    Field("place", N_PIECES, low=0, high=N_PLACES - 1),
    Field("owner", N_PIECES, low=0, high=NEUTRAL),  # 0, 1, 2 neutral
    Field("arrived_from", N_PIECES, low=0, high=ORIGIN_TURNED),  # 0, 1 + space, 8 turned among enemies
    Field("panicked", N_PIECES, low=0, high=1),
    Field("carried", N_PIECES, low=0, high=1),  # of a canoe: it has moved
    Field("marched", N_PIECES, low=0, high=1),
    Field("fired", N_PIECES, low=0, high=1),
    Field("kauai", low=0, high=NEUTRAL),  # who Kaua'i stands with
    # counted from the pieces
    Field("units", 3, N_SPACES),
    Field("canoes", 3, N_SPACES),
    Field("leaders", 3, N_SPACES),
    Field("at_sea", N_SPACES),  # canoes bound for a space
    # cards [8.0]; masks: bit n is card number n
    Field("left", 2, low=0, high=ALL_CARDS),
    Field("held", 2, low=0, high=ALL_CARDS),
    Field("card", low=-1, high=17),  # side * 9 + number - 1 of the card in effect, -1 none
    Field("fixed", low=0, high=1),  # 1: the card was dealt, not drawn [6.1]
    Field("event_played", 2, low=0, high=1),  # a held event was played this half, by holder
    Field("advantage_bonus", low=0, high=9),
    Field("gunpowder_bonus", low=0, high=9),
    Field("no_sighting", low=0, high=1),
    Field("homes", low=0, high=N_PIECES),  # pieces still to go home
    Field("window", low=0, high=WINDOW_BATTLE),
    Field("want", N_WANTS, low=0, high=N_PIECES),  # recruits still to come
    # set-up [6.0]
    Field("setup_piece", low=0, high=N_PIECES),  # the next piece to look at
    Field("setup_choice", 2, low=0, high=N_PIECES),  # warriors of choice still to place, by side
    # movement [10.3]
    Field("fleet_moves", low=0, high=N_PIECES),
    Field("fleet", low=-1, high=N_PIECES - 1),  # the canoe that moves, -1 none
    Field("pickup", low=-1, high=KAUAI),
    Field("aboard_units", low=0, high=N_PIECES),
    Field("aboard_leaders", low=0, high=N_PIECES),
    # battles [11.0]
    Field("field", low=-1, high=KAUAI),  # the space approached or fought for, -1 none
    Field("battle", low=0, high=SEA_BATTLE),
    Field("second", low=0, high=1),  # 1 in the second battle
    Field("earthworks", low=0, high=1),
    Field("war_canoes", low=0, high=N_PIECES),
    Field("war_units", low=0, high=N_PIECES),
    Field("war_leaders", low=0, high=N_PIECES),
    Field("first_die", low=0, high=6),  # Kamehameha's advantage die, 0 before it is rolled
    Field("advantage", low=-1, high=1),  # who has it, -1 nobody yet
    Field("turn_side", low=0, high=1),  # who fires next in the alternation
    Field("guns", low=0, high=1),  # 1: the unit to fire is one of gunpowder
    Field("firing", low=0, high=1),  # the side that fires
    Field("firer", low=-1, high=N_PIECES - 1),  # the unit that fires, -1 none
    Field("dice", low=0, high=19),  # dice of it still to roll
    Field("pike_used", 2, low=0, high=1),
    # withdrawals [11.5]
    Field("pending_retreat", low=0, high=BY_DEFENDER),
    Field("from_space", low=-1, high=KAUAI),
    Field("refuge", low=-1, high=KAUAI),  # where the attackers' canoes went, -1 nowhere
    Field("canoes_lost", low=0, high=N_PIECES),  # canoes of a beaten fleet still to be lost
    # what may be decided
    Field("n_legal"),
    Field("legal", MAX_LEGAL),
    Field("decisions", low=0, high=10**9),  # decisions asked so far in this game
)
