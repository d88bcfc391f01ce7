"""The observation of a player, as a vector of named parts.

Powers stand in slots: the observer first, then the others in index order from it on. Spaces and places are numbered
from 1, 0 is none.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.jit import rule
from hawaii_env.game import Part

from .options import Options
from .rules.knowledge import knows_start, own_vote, power_of, shown_phase
from .rules.legal import holdings
from .rules.orders import VERBS
from .rules.state import ADJUSTMENTS, BALLOT, NOBODY, ORDERS, OVER, RETREATS, UNDECIDED
from .rules.tables import MAX_POWERS

__all__ = ["LIST", "ObservationLayout", "write_observation", "write_raw", "write_scaled"]

SLOTS = MAX_POWERS
"""Powers that a scenario can have."""
PHASES = ("assignment", "ballot", "setup", "orders", "retreats", "adjustments", "over")
ENTRIES = (*VERBS, "retreat", "disband", "build", "remove")
MOST = 60
"""No power has more units, heiaus or posts; greater counts are told as this."""


class ObservationLayout:
    """Parts, bounds and meanings of a game's observation.

    Attributes:
        parts: the named parts.
        high, low: greatest and least raw values, int8[size].
        scale: float32 factor of each raw value.
        size: the number of values.
        tables: what the rules' tables hold of it.
    """

    def __init__(self, options: Options, scenarios: int) -> None:
        board = options.board
        n, coasts = len(board.spaces), max([2, *(len(found) for found in board.coasts)])
        self.doubles: list[int] = [s for s, found in enumerate(board.coasts) if found]
        places, entries, two = len(board.places), len(ENTRIES), max(1, len(self.doubles))
        listed: list[tuple[str, tuple[int, ...], int, str]] = [
            ("units", (n, 3), 1, "army, boat bunch, fleet in each space"),
            ("unit_owners", (n, SLOTS), 1, "whose it is"),
            ("coasts", (two, coasts), 1, "its coast, in each space that has several"),
            ("centres", (n, 2), 1, "heiau, post"),
            ("centre_owners", (n, SLOTS), 1, "whose it is"),
            ("dislodged", (n, 3), 1, "kind of the unit that may retreat from there"),
            ("dislodged_owners", (n, SLOTS), 1, "whose it is"),
            ("dislodged_coasts", (two, coasts), 1, "its coast"),
            ("contested", (n,), 1, "closed to retreats"),
            ("asked", (n,), 1, "the unit that the observer is asked about"),
            ("source", (n,), 1, "the unit that its half-entered support or convoy is for"),
            ("entered", (n, entries), 1, f"the observer's own entries of this turn: {', '.join(ENTRIES)}"),
            ("entered_source", (n,), n, "the unit that is supported or convoyed: its space"),
            ("entered_target", (n,), places, "where to: the place; for supports and convoys the space"),
            ("last_owners", (n, SLOTS), 1, "the last movement phase: whose unit began here"),
            ("last_units", (n, 3), 1, "its kind"),
            ("last_orders", (n, len(VERBS)), 1, f"its order: {', '.join(VERBS)}"),
            ("last_source", (n,), n, "the unit that it supported or convoyed: its space"),
            ("last_target", (n,), places, "where to: the place; for supports and convoys the space"),
            ("last_results", (n, 3), 1, "success, dislodged, boats burned"),
            ("phase", (len(PHASES),), 1, ", ".join(PHASES)),
            ("season", (2,), 1, "Spring, Fall"),
            ("year", (1,), options.last_year, "the year, over the last one"),
            ("scenario", (scenarios,), 1, "the scenario, in the order of the ruleset"),
            ("power", (SLOTS,), 1, "the observer's power"),
            ("still_in", (SLOTS,), 1, "whether the power is in"),
            ("owned", (SLOTS,), MOST, "heiaus and posts"),
            ("unit_counts", (SLOTS,), MOST, "units"),
            ("need", (SLOTS,), MOST, "armies to build, below zero units to remove, as things stand"),
            ("unbuilt", (SLOTS,), 1, "whether its post is unbuilt"),
            ("ballots", (SLOTS, 2), 1, "its vote, once the observer knows it"),
            ("second_ballots", (SLOTS, 2), 1, "its second vote"),
            ("vote", (2,), 1, "the observer's vote of this turn"),
            ("setup", (2,), 1, "the start that the ballot has chosen"),
            ("hidden", (1,), 1, "starts are hidden from the observer"),
        ]  # fmt: skip
        self.parts: tuple[Part, ...] = tuple(Part(name, shape, what) for name, shape, _, what in listed)
        self.high: NDArray[np.int8] = np.concatenate(
            [np.full(p.size, t[2], np.int8) for p, t in zip(self.parts, listed, strict=True)]
        )
        self.low: NDArray[np.int8] = np.zeros_like(self.high)
        begins = list(accumulate((part.size for part in self.parts), initial=0))
        self.size: int = begins.pop()
        self.low[begins[NEED] :][:SLOTS] = -MOST
        self.scale: NDArray[np.float32] = (1 / self.high.astype(np.float32)).astype(np.float32)
        marks = [-1] * places
        for at, space in enumerate(self.doubles):
            for i, place in enumerate(board.coasts[space]):
                marks[place] = at * coasts + i
        self.tables: dict[str, Any] = {
            "size": self.size,
            "part": begins,
            "columns": [part.shape[-1] for part in self.parts],
            "mark": marks,
        }


# Where the parts stand among `Tables`' parts, for the rules.
(
    UNITS, UNIT_OWNERS, COASTS, CENTRES, CENTRE_OWNERS, OUT, OUT_OWNERS, OUT_COASTS, CONTESTED, ASKED, SOURCE, ENTERED,
    ENTERED_SOURCE, ENTERED_TARGET, LAST_OWNERS, LAST_UNITS, LAST_ORDERS, LAST_SOURCE, LAST_TARGET, LAST_RESULTS,
    PHASE, SEASON,
    YEAR, SCENARIO_PART, POWER, STILL_IN, OWNED, UNIT_COUNTS, NEED, UNBUILT, BALLOTS, SECOND_BALLOTS, VOTE_PART,
    SETUP_PART,
    HIDDEN,
) = range(35)  # fmt: skip
N_VERBS, N_ENTRIES = len(VERBS), len(ENTRIES)
E_RETREAT, E_DISBAND, E_BUILD, E_REMOVE = range(N_VERBS, N_ENTRIES)
SHOWN: Any = tuple(
    PHASES.index(name) for name in ("ballot", "orders", "retreats", "adjustments", "assignment", "setup", "over")
)
"""The index of each phase of a state in the observation."""


@rule
def slot(rules: Any, other: int, power: int) -> int:
    """Return the slot of a power: the observer first, then the others in index order from it on."""
    return other - power if other >= power else other - power + rules.powers


@rule
def note(rules: Any, part: int, at: int, value: int, noted: Any) -> None:
    """Append a value of a part, if it is not zero, to a list: how many there are, then index and value of each in one
    number.
    """
    if value != 0:
        n = noted[0] + 1
        noted[0] = n
        noted[n] = rules.part[part] + at << 8 | value + 128


@rule
def note_in_row(rules: Any, part: int, row: int, column: int, value: int, noted: Any) -> None:
    """Append a value of a part that has rows; see `note`."""
    note(rules, part, rules.columns[part] * row + column, value, noted)


@rule
def index_of(code: int) -> int:
    """Return the index of the observation's value that an entry of such a list stands for."""
    return code >> 8


@rule
def value_of(code: int) -> int:
    """Return the raw value of an entry."""
    return (code & 255) - 128


def _new_list(n: int) -> Any:
    return np.zeros(n, np.int32)


@rule(compiled=_new_list)
def new_list(n: int) -> Any:
    """Return a list for `note`, of the type that memories of rows have."""
    return [0] * n


@rule
def write_observation(rules: Any, state: Any, player: int, out: Any) -> None:
    """Write a player's raw observation: int8[size]."""
    for i in range(rules.size):
        out[i] = 0
    power, noted = power_of(rules, state, player), new_list(rules.size + 1)
    list_board(rules, state, power, noted)
    list_entries(rules, state, power, noted)
    show_raw(noted, 1, out)


# Rows of a batch: most of an observation is zero, and in a sealed turn only the entries change. What a row showed last
# is taken back, and what it shows now is put there.

VIEWER, TURN, OF_BOARD, LIST = range(4)
"""Notes on a row: the power that sees it, the turn, how much of the list is not of the entries; the list."""


@rule
def take_back(noted: Any, first: int, row: Any) -> None:
    """Empty a row of what the list has from its entry `first` on; see `note`."""
    for k in range(first, noted[0] + 1):
        row[index_of(noted[k])] = 0


@rule
def show_raw(noted: Any, first: int, row: Any) -> None:
    """Put into a row what the list has from its entry `first` on."""
    for k in range(first, noted[0] + 1):
        row[index_of(noted[k])] = value_of(noted[k])


@rule
def show_scaled(noted: Any, first: int, scale: Any, row: Any) -> None:
    """Put into a row what the list has from its entry `first` on, scaled."""
    for k in range(first, noted[0] + 1):
        index = index_of(noted[k])
        row[index] = np.float32(value_of(noted[k])) * scale[index]


@rule
def renew(rules: Any, state: Any, player: int, memory: Any, row: Any) -> int:
    """Take back what a row does not show any more, and list what it shows now. Return the first entry that is new."""
    power, turn, noted = power_of(rules, state, player), turn_of(state), memory[LIST:]
    same = memory[VIEWER] == power and memory[TURN] == turn
    first = memory[OF_BOARD] + 1 if same else 1
    if memory[VIEWER] < 0:
        row[:] = 0
    else:
        take_back(noted, first, row)
    noted[0] = first - 1
    if not same:
        list_board(rules, state, power, noted)
        memory[VIEWER], memory[TURN], memory[OF_BOARD] = power, turn, noted[0]
    list_entries(rules, state, power, noted)
    return first


@rule
def write_raw(rules: Any, state: Any, viewer: int, memory: Any, spare: Any, out: Any) -> None:
    """Write a raw observation by difference; see `hawaii_env.core.loop.write_raw`."""
    first = renew(rules, state, viewer, memory, out)
    show_raw(memory[LIST:], first, out)


@rule
def write_scaled(
    rules: Any, state: Any, viewer: int, memory: Any, spare: Any, scratch: Any, scale: Any, out: Any
) -> None:
    """Write an observation by difference; see `hawaii_env.core.loop.write_scaled`."""
    first = renew(rules, state, viewer, memory, out)
    show_scaled(memory[LIST:], first, scale, out)


@rule
def turn_of(state: Any) -> int:
    """Return a number that is another in each sealed turn of a game; the chance nodes between them do not count."""
    return (((state.year * 2 + state.season) * 8 + state.phase) * 2 + state.counted) * 2 + state.recounted


@rule
def list_board(rules: Any, state: Any, power: int, out: Any) -> None:
    """Append what a power's observation tells beside its entries: it stays the same through a sealed turn."""
    partly, votes = not knows_start(rules, state, power), shown_phase(rules, state, power) == BALLOT
    for space in range(rules.spaces):
        if state.kind[space] != NOBODY and not votes and not (partly and rules.european[state.power[space]] == 0):
            note_in_row(rules, UNITS, space, state.kind[space], 1, out)
            note_in_row(rules, UNIT_OWNERS, space, slot(rules, state.power[space], power), 1, out)
            mark = rules.mark[state.place[space]]
            if mark >= 0:
                note(rules, COASTS, mark, 1, out)
        if rules.heiau[space] != 0:
            note_in_row(rules, CENTRES, space, 0, 1, out)
        if state.post[space] != 0:
            note_in_row(rules, CENTRES, space, 1, 1, out)
        if state.owner[space] != NOBODY and not partly:
            note_in_row(rules, CENTRE_OWNERS, space, slot(rules, state.owner[space], power), 1, out)
        if state.last_kind[space] != NOBODY:
            write_report(rules, state, space, power, out)
        if state.phase == RETREATS:
            write_out(rules, state, space, power, out)
    write_globals(rules, state, power, partly, out)


@rule
def write_report(rules: Any, state: Any, space: int, power: int, out: Any) -> None:
    """Write the last movement phase's order of the unit that began here, and what became of it."""
    note_in_row(rules, LAST_OWNERS, space, slot(rules, state.last_power[space], power), 1, out)
    note_in_row(rules, LAST_UNITS, space, state.last_kind[space], 1, out)
    note_in_row(rules, LAST_ORDERS, space, state.last_verb[space], 1, out)
    note_in_row(rules, LAST_RESULTS, space, 0, state.success[space], out)
    note_in_row(rules, LAST_RESULTS, space, 1, state.dislodged[space], out)
    note_in_row(rules, LAST_RESULTS, space, 2, state.burned[space], out)
    note(rules, LAST_SOURCE, space, state.last_source[space] + 1, out)
    note(rules, LAST_TARGET, space, state.last_target[space] + 1, out)


@rule
def write_out(rules: Any, state: Any, space: int, power: int, out: Any) -> None:
    """Write the dislodged unit that may retreat from here, and whether the space is contested."""
    if state.contested[space] != 0:
        note(rules, CONTESTED, space, 1, out)
    if state.out_kind[space] != NOBODY:
        note_in_row(rules, OUT, space, state.out_kind[space], 1, out)
        note_in_row(rules, OUT_OWNERS, space, slot(rules, state.out_power[space], power), 1, out)
        mark = rules.mark[state.out_place[space]]
        if mark >= 0:
            note(rules, OUT_COASTS, mark, 1, out)


@rule
def write_entry(rules: Any, space: int, entry: int, source: int, target: int, out: Any) -> None:
    """Write one of the observer's own entries of this turn."""
    note_in_row(rules, ENTERED, space, entry, 1, out)
    note(rules, ENTERED_SOURCE, space, source + 1, out)
    note(rules, ENTERED_TARGET, space, target + 1, out)


@rule
def list_entries(rules: Any, state: Any, power: int, out: Any) -> None:
    """Append the observer's own entries of the running turn, and what it is asked."""
    if state.opened == 0:
        return
    phase = shown_phase(rules, state, power)
    if phase == BALLOT:
        vote = own_vote(rules, state, power)
        if vote >= 0:
            note(rules, VOTE_PART, vote, 1, out)
        return
    asked = -1
    for space in range(rules.spaces):
        if phase == ORDERS and state.kind[space] != NOBODY and state.power[space] == power:
            if state.verb[space] != NOBODY:
                write_entry(rules, space, state.verb[space], state.source[space], state.target[space], out)
            elif asked < 0:
                asked = space
        elif phase == RETREATS and state.out_kind[space] != NOBODY and state.out_power[space] == power:
            if state.retreat[space] >= 0:
                write_entry(rules, space, E_RETREAT, NOBODY, state.retreat[space], out)
            elif state.retreat[space] != UNDECIDED:
                write_entry(rules, space, E_DISBAND, NOBODY, NOBODY, out)
            elif asked < 0:
                asked = space
        elif phase == ADJUSTMENTS and state.step[space] != 0:
            if state.kind[space] == NOBODY and state.owner[space] == power:
                write_entry(rules, space, E_BUILD, NOBODY, rules.bare[space], out)
            elif state.kind[space] != NOBODY and state.power[space] == power:
                write_entry(rules, space, E_REMOVE, NOBODY, rules.bare[space], out)
    if phase == ORDERS and state.half[power] >= 0:
        note(rules, SOURCE, rules.step_value[state.half[power]], 1, out)
    if asked >= 0:
        note(rules, ASKED, asked, 1, out)


@rule
def write_globals(rules: Any, state: Any, power: int, partly: bool, out: Any) -> None:
    """Write the values of the whole game, and of each power."""
    phase = shown_phase(rules, state, power)
    note(rules, PHASE, SHOWN[phase], 1, out)
    note(rules, SEASON, state.season, 1, out)
    note(rules, SCENARIO_PART, rules.scenario, 1, out)
    note(rules, POWER, power, 1, out)
    note(rules, YEAR, 0, state.year, out)
    on_board = phase in (ORDERS, RETREATS, ADJUSTMENTS, OVER)
    for other in range(rules.powers):
        at = slot(rules, other, power)
        if not on_board or (partly and rules.european[other] == 0):
            note(rules, STILL_IN, at, 1, out)
        else:
            owned, land, fleets = holdings(rules, state, other)
            if owned + land + fleets > 0:
                note(rules, STILL_IN, at, 1, out)
            note(rules, OWNED, at, min(MOST, owned), out)
            note(rules, UNIT_COUNTS, at, min(MOST, land + fleets), out)
            note(rules, NEED, at, max(-MOST, min(MOST, owned - land)), out)
        if state.unbuilt[other] != 0:
            note(rules, UNBUILT, at, 1, out)
        if not partly and state.counted != 0 and state.ballots[other] >= 0:
            note_in_row(rules, BALLOTS, at, state.ballots[other], 1, out)
        if not partly and state.recounted != 0 and state.second[other] >= 0:
            note_in_row(rules, SECOND_BALLOTS, at, state.second[other], 1, out)
    if not partly and state.setup >= 0:
        note(rules, SETUP_PART, state.setup, 1, out)
    if partly:
        note(rules, HIDDEN, 0, 1, out)
