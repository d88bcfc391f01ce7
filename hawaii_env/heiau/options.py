"""Options of a game, the same in all its positions, and the tables that the rules make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hawaii_env.heiau.rules.actions import BUILD, NAMES, REMOVE, Actions
from hawaii_env.heiau.rules.board import Board, Unit
from hawaii_env.heiau.rules.ending import SCORINGS
from hawaii_env.heiau.rules.orders import CONVOY, VIA
from hawaii_env.heiau.rules.tables import MAX_POWERS, make_tables
from hawaii_env.heiau.ruleset import Scenario

__all__ = ["Options", "game_tables", "start_units"]


@dataclass(frozen=True)
class Options:
    """The options of a game, the same in all its positions.

    Attributes:
        board, actions: the board and its action table.
        scenario: the scenario.
        starts: the scenarios between which the ballot chooses, in its order; else empty.
        victory: heiaus that win [Background].
        last_year: the last year that is played [R-23].
        posts_win: whether posts count for victory [R-21].
        scoring: how a draw is shared.
        random_powers: whether chance says who plays which power [R-24].
    """

    board: Board
    actions: Actions
    scenario: Scenario
    starts: tuple[Scenario, ...]
    victory: int
    last_year: int
    posts_win: bool
    scoring: str
    random_powers: bool

    @property
    def powers(self) -> int:
        """Number of powers."""
        return len(self.scenario.powers)

    @property
    def late(self) -> bool:
        """True where powers are assigned after the ballots [Two Haoles]."""
        return len(self.scenario.ballot) > 0 and len(self.scenario.europeans) > 1


def start_units(options: Options, setup: int) -> dict[int, Unit]:
    """Return the units at the start, by space; those of the native powers follow the ballot [Haole, Two Haoles]."""
    scenario, at = options.scenario, options.board.space_of
    units = {at[unit.place]: unit for power in scenario.powers for unit in power.units}
    if scenario.ballot and setup >= 0:
        natives = [i for i in range(options.powers) if i not in scenario.europeans]
        for index, power in zip(natives, options.starts[setup].powers, strict=True):
            units.update({at[unit.place]: unit._replace(power=index) for unit in power.units})
    return dict(sorted(units.items()))


def game_tables(options: Options, scenario: int, observation: dict[str, Any]) -> Any:
    """Return the interpreted tables of a game.

    Args:
        options: its options.
        scenario: the scenario's number in the ruleset.
        observation: the fields about observations; see `ObservationLayout`.
    """
    board, act = options.board, options.actions
    starts: list[list[tuple[int, int, int]]] = []
    for setup in range(-1, 2):
        units = start_units(options, setup if setup < len(options.starts) else -1)
        starts.append([units.get(s, (-1, -1, -1)) for s in range(len(board.spaces))])

    def about(kind: int, values: int) -> list[int]:
        return [act.find(kind, value) for value in range(values)]

    n, p = len(board.spaces), len(board.places)
    scalars = {
        "powers": options.powers,
        "actions": len(act.steps),
        "victory": options.victory,
        "last_year": options.last_year,
        "posts_win": int(options.posts_win),
        "scoring": SCORINGS.index(options.scoring),
        "ballot": int(len(options.scenario.ballot) > 0),
        "late": int(options.late),
        "random_powers": int(options.random_powers),
        "scenario": scenario,
    }
    columns = {
        "convoy": about(CONVOY, n),
        "build": about(BUILD, n),
        "remove": about(REMOVE, n),
        "via": about(VIA, p),
        "boats": [act.boats(place) for place in range(p)],
        "start_kind": [[start[0] for start in row] for row in starts],
        "start_power": [[start[1] for start in row] for row in starts],
        "start_place": [[start[2] for start in row] for row in starts],
        "step_kind": [kind for kind, _ in act.steps],
        "step_value": [value for _, value in act.steps],
        "european": [int(power in options.scenario.europeans) for power in range(MAX_POWERS)],
        "first_action": [act.codec.block(name)[0] for name in NAMES],
    }
    return make_tables(board, **scalars, **columns, **observation)
