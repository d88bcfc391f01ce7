"""The observation of a player, as a vector of named parts.

Powers stand in slots: the observer first, then the others in index order from it on. Spaces and places are numbered
from 1, 0 is none.
"""

from __future__ import annotations

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
        self.size: int = len(self.high)
        self.at: dict[str, int] = {}
        first = 0
        for part in self.parts:
            self.at[part.name] = first
            first += part.size
        self.marks: list[int] = [-1] * places  # where each place's coast is told, in a part of coasts
        for at, space in enumerate(self.doubles):
            for i, place in enumerate(board.coasts[space]):
                self.marks[place] = at * coasts + i
        self.low[self.at["need"] : self.at["need"] + SLOTS] = -MOST
        self.scale: NDArray[np.float32] = (1 / self.high.astype(np.float32)).astype(np.float32)


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
def note(noted: Any, index: int, value: int) -> None:
    """Append a value that is not zero to a list: how many there are, then index and value of each in one number."""
    if value != 0:
        n = noted[0] + 1
        noted[0] = n
        noted[n] = index << 8 | value + 128


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
            note(out, rules.part[UNITS] + 3 * space + state.kind[space], 1)
            note(out, rules.part[UNIT_OWNERS] + SLOTS * space + slot(rules, state.power[space], power), 1)
            mark = rules.mark[state.place[space]]
            if mark >= 0:
                note(out, rules.part[COASTS] + mark, 1)
        if rules.heiau[space] != 0:
            note(out, rules.part[CENTRES] + 2 * space, 1)
        if state.post[space] != 0:
            note(out, rules.part[CENTRES] + 2 * space + 1, 1)
        if state.owner[space] != NOBODY and not partly:
            note(out, rules.part[CENTRE_OWNERS] + SLOTS * space + slot(rules, state.owner[space], power), 1)
        if state.last_kind[space] != NOBODY:
            write_report(rules, state, space, power, out)
        if state.phase == RETREATS:
            write_out(rules, state, space, power, out)
    write_globals(rules, state, power, partly, out)


@rule
def write_report(rules: Any, state: Any, space: int, power: int, out: Any) -> None:
    """Write the last movement phase's order of the unit that began here, and what became of it."""
    note(out, rules.part[LAST_OWNERS] + SLOTS * space + slot(rules, state.last_power[space], power), 1)
    note(out, rules.part[LAST_UNITS] + 3 * space + state.last_kind[space], 1)
    note(out, rules.part[LAST_ORDERS] + N_VERBS * space + state.last_verb[space], 1)
    results = rules.part[LAST_RESULTS] + 3 * space
    note(out, results, state.success[space])
    note(out, results + 1, state.dislodged[space])
    note(out, results + 2, state.burned[space])
    note(out, rules.part[LAST_SOURCE] + space, state.last_source[space] + 1)
    note(out, rules.part[LAST_TARGET] + space, state.last_target[space] + 1)


@rule
def write_out(rules: Any, state: Any, space: int, power: int, out: Any) -> None:
    """Write the dislodged unit that may retreat from here, and whether the space is contested."""
    if state.contested[space] != 0:
        note(out, rules.part[CONTESTED] + space, 1)
    if state.out_kind[space] != NOBODY:
        note(out, rules.part[OUT] + 3 * space + state.out_kind[space], 1)
        note(out, rules.part[OUT_OWNERS] + SLOTS * space + slot(rules, state.out_power[space], power), 1)
        mark = rules.mark[state.out_place[space]]
        if mark >= 0:
            note(out, rules.part[OUT_COASTS] + mark, 1)


@rule
def write_entry(rules: Any, space: int, entry: int, source: int, target: int, out: Any) -> None:
    """Write one of the observer's own entries of this turn."""
    note(out, rules.part[ENTERED] + N_ENTRIES * space + entry, 1)
    note(out, rules.part[ENTERED_SOURCE] + space, source + 1)
    note(out, rules.part[ENTERED_TARGET] + space, target + 1)


@rule
def list_entries(rules: Any, state: Any, power: int, out: Any) -> None:
    """Append the observer's own entries of the running turn, and what it is asked."""
    if state.opened == 0:
        return
    phase = shown_phase(rules, state, power)
    if phase == BALLOT:
        vote = own_vote(rules, state, power)
        if vote >= 0:
            note(out, rules.part[VOTE_PART] + vote, 1)
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
        note(out, rules.part[SOURCE] + rules.step_value[state.half[power]], 1)
    if asked >= 0:
        note(out, rules.part[ASKED] + asked, 1)


@rule
def write_globals(rules: Any, state: Any, power: int, partly: bool, out: Any) -> None:
    """Write the values of the whole game, and of each power."""
    phase = shown_phase(rules, state, power)
    note(out, rules.part[PHASE] + SHOWN[phase], 1)
    note(out, rules.part[SEASON] + state.season, 1)
    note(out, rules.part[SCENARIO_PART] + rules.scenario, 1)
    note(out, rules.part[POWER] + power, 1)
    note(out, rules.part[YEAR], state.year)
    on_board = phase in (ORDERS, RETREATS, ADJUSTMENTS, OVER)
    for other in range(rules.powers):
        at = slot(rules, other, power)
        if not on_board or (partly and rules.european[other] == 0):
            note(out, rules.part[STILL_IN] + at, 1)
        else:
            owned, land, fleets = holdings(rules, state, other)
            if owned + land + fleets > 0:
                note(out, rules.part[STILL_IN] + at, 1)
            note(out, rules.part[OWNED] + at, min(MOST, owned))
            note(out, rules.part[UNIT_COUNTS] + at, min(MOST, land + fleets))
            note(out, rules.part[NEED] + at, max(-MOST, min(MOST, owned - land)))
        if state.unbuilt[other] != 0:
            note(out, rules.part[UNBUILT] + at, 1)
        if not partly and state.counted != 0 and state.ballots[other] >= 0:
            note(out, rules.part[BALLOTS] + 2 * at + state.ballots[other], 1)
        if not partly and state.recounted != 0 and state.second[other] >= 0:
            note(out, rules.part[SECOND_BALLOTS] + 2 * at + state.second[other], 1)
    if not partly and state.setup >= 0:
        note(out, rules.part[SETUP_PART] + state.setup, 1)
    if partly:
        note(out, rules.part[HIDDEN], 1)
