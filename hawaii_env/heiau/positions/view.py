"""Views: a position as somebody knows it, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hawaii_env import positions
from hawaii_env.heiau.options import Options
from hawaii_env.heiau.positions.record import SEALED_PHASES, Record
from hawaii_env.heiau.rules.board import bits
from hawaii_env.heiau.texts import order_text, unit_text

__all__ = ["ALL", "SEASONS", "HeiauView", "make_view"]

ALL = -9
"""As a looker: who runs the game, and sees everything."""

SEASONS = ("spring", "fall")


@dataclass(frozen=True)
class HeiauView(positions.View):
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


def make_view(options: Options, record: Record, power: int, knows: bool, phase: str, vote: int) -> HeiauView:
    """Return what a power knows; ALL knows everything, and any other number below zero only what everybody knows.

    Args:
        options: the game's.
        record: the position.
        power: whose knowledge.
        knows, phase, vote: whether it knows ballots and set-up, the phase and its vote as it knows them: what
            `rules.knowledge` says.
    """
    board, scenario = options.board, options.scenario
    names = [one.id for one in scenario.powers]
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
                steps = record.entered[index]
                if phase == "ballot" and power != ALL and vote >= 0:
                    steps = [options.actions.codec.action("vote", vote)]
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
