"""The record of one game: every field that the rules read and write [3.0, 4.0, 7.0].

In the compiled mode a state is one structured NumPy record in a byte buffer (copying the buffer clones the state); in
the plain mode it is a `PlainState` of ints and lists with the same field names. All fields are int64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .names import MAX_LEGAL, N_PIECES, N_SPACES, N_WANTS

STATE_FIELDS: tuple[tuple[str, int], ...] = (
    # generators: the only secret of a game
    ("deck_words", 4),
    ("dice_words", 4),
    ("sampled", 1),  # 1: chance is drawn from the generators; 0: the caller tells the outcomes
    # the calendar [7.1, 7.2]
    ("month", 1),  # 1 January .. 11 November
    ("half", 1),  # whose half of the turn
    ("phase", 1),
    ("decider", 1),  # who decides in a decision phase
    ("next_phase", 1),  # what follows when canoes driven off have withdrawn (SETTLE) or a window has closed
    ("winner", 1),  # -1 none, 0, 1, 2 tie
    ("reason", 1),
    # the pieces [3.0]
    ("place", N_PIECES),
    ("owner", N_PIECES),  # 0, 1, 2 neutral
    ("came", N_PIECES),  # 0, 1 + space, 8 turned among enemies
    ("panicked", N_PIECES),
    ("carried", N_PIECES),  # of a canoe: it has moved
    ("marched", N_PIECES),
    ("fired", N_PIECES),
    ("kauai", 1),  # who Kaua'i stands with
    # counted from the pieces: [side * 7 + space]
    ("units", 3 * N_SPACES),
    ("canoes", 3 * N_SPACES),
    ("leaders", 3 * N_SPACES),
    ("at_sea", N_SPACES),  # canoes bound for a space
    # cards [8.0]; masks: bit n is card number n
    ("left", 2),
    ("held", 2),
    ("card", 1),  # side * 9 + number - 1 of the card in effect, -1 none
    ("fixed", 1),  # 1: the card was dealt, not drawn [6.1]
    ("event_played", 2),  # a held event was played this half, by holder
    ("advantage_bonus", 1),
    ("gunpowder_bonus", 1),
    ("no_sighting", 1),
    ("homes", 1),  # pieces still to go home
    ("window", 1),
    ("want", N_WANTS),  # recruits still to come
    # set-up [6.0]
    ("setup_piece", 1),  # the next piece to look at
    ("setup_choice", 2),  # warriors of choice still to place, by side
    # movement [10.3]
    ("fleet_moves", 1),
    ("fleet", 1),  # the canoe that moves, -1 none
    ("pickup", 1),
    ("aboard_units", 1),
    ("aboard_leaders", 1),
    # battles [11.0]
    ("field", 1),  # the space approached or fought for, -1 none
    ("battle", 1),
    ("second", 1),  # 1 in the second battle
    ("earthworks", 1),
    ("war_canoes", 1),
    ("war_units", 1),
    ("war_leaders", 1),
    ("first_die", 1),  # Kamehameha's advantage die, 0 before it is rolled
    ("advantage", 1),  # who has it, -1 nobody yet
    ("turn_side", 1),  # who fires next in the alternation
    ("guns", 1),  # 1: the unit to fire is one of gunpowder
    ("firing", 1),  # the side that fires
    ("firer", 1),  # the unit that fires, -1 none
    ("dice", 1),  # dice of it still to roll
    ("pike_used", 2),
    # withdrawals [11.5]
    ("errand", 1),
    ("from_space", 1),
    ("refuge", 1),  # where the attackers' canoes went, -1 nowhere
    ("canoes_lost", 1),  # canoes of a beaten fleet still to be lost
    # what may be decided
    ("n_legal", 1),
    ("legal", MAX_LEGAL),
    ("decisions", 1),  # decisions asked so far in this game
)
STATE = np.dtype((np.record, [(name, np.int64) if n == 1 else (name, np.int64, (n,)) for name, n in STATE_FIELDS]))
STATE_BYTES = STATE.itemsize
STATE_WORDS = STATE_BYTES // 8
DERIVED = ("units", "canoes", "leaders", "at_sea", "n_legal", "legal")


class PlainState:
    """A state as ints and lists, for the plain mode."""

    __slots__ = tuple(name for name, _ in STATE_FIELDS)

    def __init__(self) -> None:
        for name, n in STATE_FIELDS:
            setattr(self, name, 0 if n == 1 else [0] * n)

    def copy(self) -> PlainState:
        """An independent copy."""
        other = PlainState.__new__(PlainState)
        for name, n in STATE_FIELDS:
            value: Any = getattr(self, name)
            setattr(other, name, value if n == 1 else value.copy())
        return other
