"""What a player sees, as a vector of named parts.

Powers stand in slots: the observer first, then the others in index order from it on. Spaces and places are numbered
from 1, 0 is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.game import Part
from hawaii_env.heiau.positions.view import knows_start, own_entries, shown_phase
from hawaii_env.heiau.rules import flow
from hawaii_env.heiau.rules.actions import BUILD, DISBAND, REMOVE, RETREAT
from hawaii_env.heiau.rules.board import Board
from hawaii_env.heiau.rules.ending import centres, still_in
from hawaii_env.heiau.rules.orders import VERBS
from hawaii_env.heiau.rules.record import Options, Record

__all__ = ["Layout", "write_observation"]

SLOTS = 6
"""Powers that a scenario can have."""
PHASES = ("assignment", "ballot", "setup", "orders", "retreats", "adjustments", "over")
ENTRIES = (*VERBS, "retreat", "disband", "build", "remove")
MOST = 60
"""No power has more units, heiaus or posts; greater counts are told as this."""


class Layout:
    """Parts, bounds and meanings of a game's observation.

    Attributes:
        parts: the named parts.
        high, low: greatest and least raw values, int8[size].
        scale: float32 factor of each raw value.
        meanings: by part, what it tells, for the documentation.
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
        self.parts: tuple[Part, ...] = tuple(Part(name, shape) for name, shape, _, _ in listed)
        self.meanings: dict[str, tuple[int, str]] = {name: (top, what) for name, _, top, what in listed}
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
        self.low[self.at["need"] : self.at["need"] + SLOTS] = -MOST
        self.scale: NDArray[np.float32] = (1 / self.high.astype(np.float32)).astype(np.float32)


def _marks(board: Board, layout: Layout, space: int, place: int) -> int:
    """Where in a part of coasts a place's mark stands, or -1."""
    found = board.coasts[space]
    if not found or place not in found:
        return -1
    return layout.doubles.index(space) * max(2, *(len(c) for c in board.coasts)) + found.index(place)


def write_observation(options: Options, layout: Layout, scenario: int, record: Record, power: int) -> NDArray[Any]:
    """Return a power's raw observation: int8[size]."""
    out: NDArray[Any] = np.zeros(layout.size, np.int8)
    at, board, n = layout.at, options.board, options.powers
    partly = not knows_start(options, record, power)
    europeans = options.scenario.europeans
    ones: list[int] = []

    def slot(other: int) -> int:
        return (other - power) % n

    for space, unit in record.units.items():
        if partly and unit.power not in europeans:
            continue
        ones += [at["units"] + 3 * space + unit.kind, at["unit_owners"] + SLOTS * space + slot(unit.power)]
        mark = _marks(board, layout, space, unit.place)
        if mark >= 0:
            ones.append(at["coasts"] + mark)
    ones += [at["centres"] + 2 * space for space in flow.bits(board.heiaus)]
    ones += [at["centres"] + 2 * space + 1 for space in flow.bits(record.posts)]
    ones += [at["centre_owners"] + SLOTS * s + slot(p) for s, p in record.owners.items() if not partly]
    for space, (unit, _) in record.dislodged.items():
        ones += [at["dislodged"] + 3 * space + unit.kind, at["dislodged_owners"] + SLOTS * space + slot(unit.power)]
        mark = _marks(board, layout, space, unit.place)
        if mark >= 0:
            ones.append(at["dislodged_coasts"] + mark)
    ones += [at["contested"] + space for space in flow.bits(record.contested)]
    _entries(options, layout, record, power, out, ones)
    for unit, order, _, success, dislodged, burned in record.last:
        space = board.space_of[unit.place]
        ones += [at["last_owners"] + SLOTS * space + slot(unit.power), at["last_units"] + 3 * space + unit.kind]
        ones.append(at["last_orders"] + len(VERBS) * space + order.verb)
        ones += [at["last_results"] + 3 * space + i for i, flag in enumerate((success, dislodged, burned)) if flag]
        out[at["last_source"] + space] = order.source + 1
        out[at["last_target"] + space] = order.target + 1
    _globals(options, layout, scenario, record, power, partly, out, ones)
    out[ones] = 1
    return out


def _entries(options: Options, layout: Layout, record: Record, power: int, out: NDArray[Any], ones: list[int]) -> None:
    """The observer's own entries of the running turn, and what it is asked."""
    at, act, board = layout.at, options.actions, options.board
    if not record.entered:
        return

    def tell(space: int, entry: int, source: int, target: int) -> None:
        ones.append(at["entered"] + len(ENTRIES) * space + entry)
        out[at["entered_source"] + space] = source + 1
        out[at["entered_target"] + space] = target + 1

    steps = record.entered[power]
    phase = shown_phase(options, record, power)
    asked = -1
    if phase == "orders":
        own = flow.own_spaces(record, power)
        for space, order in zip(own, record.chosen[power], strict=False):
            tell(space, order.verb, order.source, order.target)
        asked = own[len(record.chosen[power])] if len(record.chosen[power]) < len(own) else -1
        if record.half[power] >= 0:
            ones.append(at["source"] + act.steps[record.half[power]][1])
    elif phase == "retreats":
        own = [space for space, (unit, _) in record.dislodged.items() if unit.power == power]
        for space, action in zip(own, steps, strict=False):
            kind, place = act.steps[action]
            tell(
                space, ENTRIES.index("disband" if kind == DISBAND else "retreat"), -1, place if kind == RETREAT else -1
            )
        asked = own[len(steps)] if len(steps) < len(own) else -1
    elif phase == "adjustments":
        for action in steps:
            kind, space = act.steps[action]
            if kind in (BUILD, REMOVE):
                tell(space, ENTRIES.index("build" if kind == BUILD else "remove"), -1, board.bare[space])
    elif phase == "ballot" and own_entries(options, record, power, "ballot"):
        ones.append(at["vote"] + act.steps[own_entries(options, record, power, "ballot")[0]][1])
    if asked >= 0:
        ones.append(at["asked"] + asked)


def _globals(
    options: Options,
    layout: Layout,
    scenario: int,
    record: Record,
    power: int,
    partly: bool,
    out: NDArray[Any],
    ones: list[int],
) -> None:
    at, n = layout.at, options.powers
    phase = shown_phase(options, record, power)
    ones += [at["phase"] + PHASES.index(phase), at["season"] + record.season, at["scenario"] + scenario]
    ones.append(at["power"] + power)
    out[at["year"]] = record.year
    on_board = phase not in ("assignment", "ballot", "setup")
    for other in range(n):
        slot = (other - power) % n
        if partly and other not in options.scenario.europeans:
            ones.append(at["still_in"] + slot)
        elif on_board:
            if still_in(record, other):
                ones.append(at["still_in"] + slot)
            out[at["owned"] + slot] = min(MOST, centres(options, record, other))
            out[at["unit_counts"] + slot] = min(MOST, sum(unit.power == other for unit in record.units.values()))
            out[at["need"] + slot] = max(-MOST, min(MOST, flow.need(record, other)))
        else:
            ones.append(at["still_in"] + slot)
        if other in record.unbuilt:
            ones.append(at["unbuilt"] + slot)
        if not partly:
            for name, votes in (("ballots", record.ballots), ("second_ballots", record.second)):
                if votes and votes[other] >= 0:
                    ones.append(at[name] + 2 * slot + votes[other])
    if not partly and record.setup >= 0:
        ones.append(at["setup"] + record.setup)
    if partly:
        ones.append(at["hidden"])
