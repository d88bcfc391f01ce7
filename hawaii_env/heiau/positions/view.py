"""What somebody knows of a position, as plain data."""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from typing import Any

from hawaii_env.heiau.rules import flow
from hawaii_env.heiau.rules.board import bits
from hawaii_env.heiau.rules.record import CHANCE_PHASES, SEALED_PHASES, Options, Record
from hawaii_env.heiau.texts import order_text, unit_text

__all__ = ["ALL", "SEASONS", "HeiauView", "knows_start", "look", "own_entries", "shown_phase"]

ALL = -9
"""As a looker: who runs the game, and sees everything."""

SEASONS = ("spring", "fall")


@dataclass(frozen=True)
class HeiauView:
    """A position as one player knows it. Powers, spaces and places go by their ids; nothing stands for what is not
    known.

    Attributes:
        scenario, year, season, phase: when it is.
        units: by power, as ``["B puna"]``, in table order; a power without units is left out.
        owners: the owner of each heiau or post that has one.
        posts: spaces with a trading post.
        unbuilt: powers whose post is unbuilt.
        dislodged: units that may retreat: ``unit``, ``power``, and ``from`` where the attacker marched or sailed, None
            after a convoy.
        contested: empty spaces that nobody may retreat to.
        last: the last movement phase: ``power``, ``order``, ``success``, ``dislodged``, ``burned`` of each unit.
        ballots, second: votes by power, once known; None is a vote that is not.
        setup: the start that the ballot has chosen, or None.
        assignment: the power of each player, where chance says who plays which.
        entered: actions of the running turn: the looker's own.
        shares, reason: how the game ended; empty while it goes on.
    """

    scenario: str
    year: int
    season: str
    phase: str
    units: dict[str, list[str]]
    owners: dict[str, str]
    posts: list[str]
    unbuilt: list[str]
    dislodged: list[dict[str, Any]]
    contested: list[str]
    last: list[dict[str, Any]]
    ballots: dict[str, str | None]
    second: dict[str, str | None]
    setup: str | None
    assignment: list[str]
    entered: dict[str, list[str]]
    shares: list[float]
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields; ``game.position(**view.to_dict())`` is this position again."""
        return {one.name: copy.deepcopy(getattr(self, one.name)) for one in fields(self)}


def knows_start(options: Options, record: Record, power: int) -> bool:
    """True for who may know ballots and set-up now: natives once the ballots are counted; later all [Haole, Two Haoles,
    R-20].
    """
    if power == ALL or not flow.hidden(options, record):
        return True
    counted = bool(record.ballots) and record.phase != "assignment"
    return power >= 0 and power not in options.scenario.europeans and (counted or record.setup >= 0)


def shown_phase(options: Options, record: Record, power: int) -> str:
    """Return the phase as a power knows it: what goes on unseen is, to it, the turn in which it has entered last."""
    phase = record.phase
    if phase in CHANCE_PHASES and (record.units or record.ballots) and not knows_start(options, record, power):
        return "orders" if record.units else "ballot"
    return phase


def look(options: Options, record: Record, power: int) -> HeiauView:
    """Return what a power knows; ALL knows everything, and any other number below zero only what everybody knows."""
    board, scenario = options.board, options.scenario
    names = [one.id for one in scenario.powers]
    knows = knows_start(options, record, power)
    phase = shown_phase(options, record, power)
    units: dict[str, list[str]] = {}
    owners: dict[str, str] = {}
    if phase != "ballot":
        for index, name in enumerate(names):
            seen = knows or index in scenario.europeans
            listed = [unit_text(board, unit) for unit in record.units.values() if unit.power == index and seen]
            if listed:
                units[name] = listed
        owners = {board.spaces[space]: names[owner] for space, owner in record.owners.items() if knows}
    entered: dict[str, list[str]] = {}
    if record.entered and (phase in SEALED_PHASES or power == ALL):
        for index, name in enumerate(names):
            if power in (ALL, index):
                steps = record.entered[index] if power == ALL else own_entries(options, record, index, phase)
                entered[name] = [options.actions.codec.texts[action] for action in steps]
    votes = [list(cast) if knows else [] for cast in (record.ballots, record.second)]
    ballots, second = (
        {names[i]: options.actions.choices[v] if v >= 0 else None for i, v in enumerate(cast)} for cast in votes
    )
    chosen = options.scenario.ballot[record.setup] if record.setup >= 0 and knows else None
    hides = phase == "ballot" and record.phase != "ballot" and len(record.assignment) < options.powers
    return HeiauView(
        scenario.id,
        record.year,
        SEASONS[record.season],
        phase,
        units,
        owners,
        [board.spaces[space] for space in bits(record.posts)],
        [names[i] for i in sorted(record.unbuilt)],
        [
            {"unit": unit_text(board, unit), "power": names[unit.power], "from": None if by < 0 else board.spaces[by]}
            for unit, by in record.dislodged.values()
        ],
        [board.spaces[space] for space in bits(record.contested)],
        [
            {
                "power": names[r.unit.power],
                "order": order_text(board, r.unit, r.order, r.source),
                "success": r.success,
                "dislodged": r.dislodged,
                "burned": r.burned,
            }
            for r in record.last
        ],
        ballots,
        second,
        chosen,
        [] if hides or not options.random_powers else [names[i] for i in record.assignment],
        entered,
        list(record.shares),
        record.reason,
    )


def own_entries(options: Options, record: Record, power: int, phase: str) -> list[int]:
    """What a power has entered in the turn as it knows it: its first vote where it does not know that there was a
    second turn.
    """
    if phase == "ballot" and record.ballots and not knows_start(options, record, power):
        return [options.actions.codec.action("vote", record.ballots[power])]
    return record.entered[power]
