"""Game and State: Maori Wars as `hawaii_env.game` asks for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_flag
from hawaii_env.core.game import CompiledGame, CompiledRules, CompiledState
from hawaii_env.game import ActionFactors, Outcome, Part, check_player

from . import observation
from .frame import key_of
from .positions import View, read, view_of
from .rules import flow, invariants, setup, victory
from .rules.actions import THINGS
from .rules.names import CHIT, KINDS, PHASES, PLAYERS, REASONS, SIDES, STAGES
from .rules.state import EXTRA, N_CHITS, STATE, TABLES
from .rules.tables import make_tables
from .ruleset import Ruleset

__all__ = ["RULES", "Game", "State"]

RULES = CompiledRules(
    "maori_wars",
    TABLES,
    STATE,
    hooks={
        **flow.TABLE.hooks,
        "advance": flow.advance,
        "set_up": setup.set_up,
        "is_over": flow.is_over,
        "num_players": flow.num_players,
        "reward": victory.reward,
        "winner": victory.winner,
        "reason": victory.reason,
        "write_observation": observation.write_observation,
        "fault_in": invariants.fault_in,
        "fault_of_step": invariants.fault_of_step,
    },
    reasons=REASONS,
    faults=invariants.FAULTS,
)
"""The rules in both backends."""

HALF_TURN = 2000
"""More decisions than a half turn can ask."""


class Game(CompiledGame):
    """Maori Wars, for two players.

    Args:
        scenario: one of the ruleset's; of the shipped ones ``"taranaki"``, ``"flagstaff"``, ``"waikato"`` or
            ``"campaign"``.
        rules: None for the shipped data, a folder that replaces some of its files, or the content of a ruleset.
        levels: True: a minor victory counts 1/3, a major one 2/3, a decisive one 1; False: any counts 1.

    Attributes:
        hexes: ids of the hexes that can be entered, by their numbers.
        map_planes: int8[15, N], what never changes; see `MAP_PLANES`.
        neighbours: int64[N, 6], the hex across each side, -1 for none.
        sides: int8[N, 6], kinds of side: plain, mixed, water, lake.

    Raises:
        OptionError: a value that is not allowed.
        RulesetError: data that do not hold.
    """

    name = "maori_wars"
    compiled_rules = RULES
    phases: tuple[str, ...] = PHASES
    sections: Mapping[str, str] = flow.TABLE.sections
    num_players = 2
    measures: Mapping[str, Any] = MappingProxyType({"marker": victory.marker_of})
    agents: tuple[str, ...] = PLAYERS
    chance_kinds: tuple[str, ...] = tuple(PHASES[phase] for phase in flow.TABLE.chance)
    max_chance_outcomes = N_CHITS + 1

    def __init__(
        self,
        scenario: str = "taranaki",
        rules: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        levels: bool = False,
    ) -> None:
        self.ruleset: Ruleset = Ruleset.load(rules)
        check_choice("scenario", scenario, tuple(self.ruleset.scenarios))
        self.scenario: str = scenario
        self.levels: bool = check_flag("levels", levels)
        self.params: Mapping[str, Any] = {
            "scenario": scenario,
            "rules": self.ruleset.param,
            "levels": self.levels,
        }
        self.ruleset_name: str = self.ruleset.name
        self.ruleset_hash: str = self.ruleset.hash
        tables, codec = make_tables(self.ruleset, scenario, self.levels)
        self.tables: Any = tables
        self.codec = codec
        self.num_actions: int = codec.size
        self.action_table_hash: str = codec.hash
        self.max_decisions: int = 2 * HALF_TURN * self.tables.turns
        board = self.ruleset.board
        self.hexes: tuple[str, ...] = self.ruleset.theatre(scenario).hexes
        leaders = tuple(self.ruleset.leaders)
        self.observation_parts: tuple[Part, ...] = observation.parts(self.hexes, board.territories, leaders)
        self.observation_size: int = sum(part.size for part in self.observation_parts)
        low, high = observation.bounds(self.tables, self.observation_size)
        self._low, self._high = np.array(low, np.int8), np.array(high, np.int8)
        self.scale: NDArray[np.float32] = np.array(observation.scales(high, len(self.hexes)), np.float32)
        self.observation_low: NDArray[np.float32] = self._low * self.scale
        self.observation_high: NDArray[np.float32] = self._high * self.scale

    @cached_property
    def action_factors(self) -> ActionFactors:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The verb of each action, its piece, side, hex, territory and thing."""
        units = (*KINDS, *(f"{kind}/disrupted" for kind in KINDS), *self.ruleset.leaders)
        return self.codec.factors(
            piece=units, side=SIDES, hex=self.hexes, territory=self.ruleset.board.territories, thing=THINGS
        )

    def new_state(self) -> Any:
        """Return an interpreted state before a game, without a generator."""
        rules = self.tables
        record = STATE.new(
            hexes=rules.hexes, places=rules.places, pieces=rules.pieces, legal=rules.hexes + EXTRA
        )  # fmt: skip
        setup.clear(rules, record)
        record.generator = [-1] * 8
        return record

    def position(self, /, **kw: Any) -> State:
        """Return a position written by hand; fields are those of `hawaii_env.maori_wars.positions.View`.

        Raises:
            StateError: the position cannot be; the message names the field and the rule.
        """
        return self.state_from_record(read(self, kw))

    def chance_text_of(self, state: Any, outcome: int) -> str:
        """Return a chance outcome in words; of a chit its number and title."""
        kind = PHASES[state.phase]
        if state.phase == CHIT:
            return f"{kind} {outcome} {self.ruleset.chits[outcome - 1].title}"
        return f"{kind} {outcome}"

    # The map

    @cached_property
    def neighbours(self) -> NDArray[np.int64]:
        """The hex across each side, int64[N, 6]; -1 for none."""
        return np.array(self.tables.neighbour, np.int64)

    @cached_property
    def sides(self) -> NDArray[np.int8]:
        """The kind of each side, int8[N, 6]: 0 plain, 1 mixed, 2 water, 3 lake."""
        return np.array(self.tables.side, np.int8)

    @cached_property
    def map_planes(self) -> NDArray[np.int8]:
        """Planes of what never changes, int8[7 + territories, N]: clear, rough, coastal, lake, river, navigable,
        designated, then the territories of the map.
        """
        rules = self.tables
        rough, territory = np.array(rules.rough), np.array(rules.territory)
        columns = (1 - rough, rough, rules.coastal, rules.lake, rules.river, rules.navigable, rules.designated)
        inside = [territory == number for number in range(rules.territories)]
        return np.array([*columns, *inside], np.int8)

    @cached_property
    def grid_index(self) -> NDArray[np.int64]:
        """Row and column of each hex in the grid of `to_grid`, int64[N, 2]. The six neighbours of a hex are at
        (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1) and (0, -1), in the order of the sides.
        """
        axial = np.array(self.tables.axial, np.int64)[:, ::-1]
        return axial - axial.min(axis=0)

    def to_grid(self, planes: NDArray[Any]) -> NDArray[Any]:
        """Lay planes over the hexes out on a grid, for convolutions: [..., N] becomes [..., rows, columns]; 0 where no
        hex is. See `grid_index`.
        """
        rows, columns = (self.grid_index.max(axis=0) + 1).tolist()
        grid = np.zeros((*planes.shape[:-1], rows, columns), planes.dtype)
        grid[..., self.grid_index[:, 0], self.grid_index[:, 1]] = planes
        return grid


class State(CompiledState):
    """A position of Maori Wars. Made by `Game`."""

    __slots__ = ()

    @property
    def stage(self) -> str:
        """The phase of the rulebook, one of `rules.names.STAGES` [2.0]; `phase` is the question of it that is asked."""
        return STAGES[self._get("stage")]

    @property
    def turn(self) -> int:
        """The turn, from 1."""
        return self._get("turn")

    @property
    def marker(self) -> int:
        """The victory point marker, positive for the British player."""
        return self._get("marker")

    def outcome(self) -> Outcome | None:
        """[1.0] Return winner, shares and what decided; None before the end."""
        if not self.is_terminal:
            return None
        winner = self._get("winner")
        return Outcome.won_by(None if winner < 0 else winner, 2, REASONS[self._get("result") - 1])

    def view(self, player: int | None = None) -> View:
        """Return the position as a value; everything is open."""
        check_player(self, player)
        return view_of(self._game, self.data)

    def key(self, secrets: bool = False, player: int | None = None) -> bytes:
        """See `hawaii_env.game.State.key`: equal for positions that differ only in which slots pieces fill."""
        check_flag("secrets", secrets)
        check_player(self, player)
        return key_of(self._game, self.data)

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """See `hawaii_env.game.State.chance_outcomes`: a die's faces 1-6, or numbers of chits, each of which leads to a
        position of its own.
        """
        return super().chance_outcomes(check_flag("merged", merged) and self.phase != PHASES[CHIT])


Game.state_class = State
