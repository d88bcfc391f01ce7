"""Game and State: ALOHA as `hawaii_env.game` asks for it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_count
from hawaii_env.core.game import CompiledGame, CompiledRules, CompiledState
from hawaii_env.game import Outcome, Part, check_player

from . import observation
from .positions import View, read, view_of
from .rules import flow, invariants, prologue, scoring
from .rules.actions import CODEC, N_ACTIONS
from .rules.names import DECK, EVENT, FIRST_PLAYER, PLAYERS, REASONS, REWARDS, STAGES
from .rules.state import STATE, TABLES
from .ruleset import Ruleset

__all__ = ["REWARDS", "RULES", "TURN_ORDERS", "Game", "State"]

TURN_ORDERS = ("most_left", "rounds")

RULES = CompiledRules(
    "aloha",
    TABLES,
    STATE,
    hooks={
        **flow.TABLE.hooks,
        "set_up": prologue.set_up,
        "is_over": flow.is_over,
        "num_players": flow.num_players,
        "reward": scoring.reward,
        "winner": scoring.winner,
        "reason": scoring.reason,
        "write_observation": observation.write_observation,
        "fault_in": invariants.fault_in,
        "fault_of_step": invariants.fault_of_step,
    },
    reasons=REASONS,
    faults=invariants.FAULTS,
)
"""The rules in both backends."""


class Game(CompiledGame):
    """ALOHA, the Spirit of Hawaii, for two to four players.

    Args:
        players: number of players, 2 to 4.
        turn_order: R-05: ``"most_left"``: who has most Action tokens left acts next; ``"rounds"``: one action each,
            again and again.
        reward: ``"win"``: 1 for a sole winner, -1/(n-1) for the others; ``"rank"``: players behind less players ahead,
            by n-1; ``"margin"``: the mean difference in points, cut at 20 and divided by it.
        rules: None for the shipped data, a folder that replaces some of its files, or the content of a ruleset.

    Raises:
        OptionError: a value that is not allowed.
        RulesetError: data that do not hold.
    """

    name = "aloha"
    compiled_rules = RULES
    codec = CODEC
    phases: tuple[str, ...] = flow.TABLE.names
    sections: Mapping[str, str] = flow.TABLE.sections
    num_actions = N_ACTIONS
    action_table_hash: str = CODEC.hash
    measures: Mapping[str, Any] = MappingProxyType({"points": scoring.lead})
    chance_kinds: tuple[str, ...] = ("first_player", "event", "die")
    max_chance_outcomes = DECK + 1

    def __init__(
        self,
        players: int = 2,
        turn_order: str = "most_left",
        reward: str = "win",
        rules: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    ) -> None:
        n = check_count("players", players, 2, 4)
        self.turn_order: str = check_choice("turn_order", turn_order, TURN_ORDERS)
        self.reward: str = check_choice("reward", reward, REWARDS)
        self.ruleset: Ruleset = Ruleset.load(rules)
        self.num_players: int = n
        if reward == "win":
            self.min_return: float = (0 - 1 / n) * n / (n - 1)  # as the rules count it
        self.agents: tuple[str, ...] = PLAYERS[:n]
        self.params: Mapping[str, Any] = {
            "players": n,
            "turn_order": turn_order,
            "reward": reward,
            "rules": self.ruleset.param,
        }
        self.ruleset_name: str = self.ruleset.name
        self.ruleset_hash: str = hashlib.sha256(f"{self.ruleset.hash} {turn_order}".encode()).hexdigest()
        self.tables: Any = self.ruleset.tables(n, turn_order == "rounds", REWARDS.index(reward))
        self.max_decisions: int = n * (1 + 2 * self.tables.moves + self.tables.conversions + 30) + 39
        self.observation_parts: tuple[Part, ...] = observation.parts(n)
        self.observation_size: int = observation.COMMON + observation.PER_PLAYER * n
        self._low = np.zeros(self.observation_size, np.int8)
        self._high = np.array(observation.bounds(self.tables, n), np.int8)
        self.scale: NDArray[np.float32] = (1 / self._high).astype(np.float32)
        self.observation_low: NDArray[np.float32] = np.zeros(self.observation_size, np.float32)
        self.observation_high: NDArray[np.float32] = np.ones(self.observation_size, np.float32)

    def position(self, /, **kw: Any) -> State:
        """Return a position written by hand; fields are those of `hawaii_env.aloha.positions.View`.

        Raises:
            StateError: the position cannot be; the message names the field and the rule.
        """
        return self.state_from_record(read(self.tables, self.agents, kw))

    def chance_text_of(self, state: Any, outcome: int) -> str:
        """Return a chance outcome in words; of an event card its number and title."""
        if state.phase == FIRST_PLAYER:
            return f"first_player {self.agents[outcome]}"
        if state.phase == EVENT:
            return f"event {outcome} {self.ruleset.card(STAGES[state.stage], outcome).title}"
        return f"die {outcome}"


class State(CompiledState):
    """A position of ALOHA. Made by `Game`."""

    __slots__ = ()

    @property
    def stage(self) -> str:
        """One of `rules.names.STAGES`."""
        return STAGES[self._get("stage")]

    @property
    def points(self) -> list[int]:
        """Each player's points so far."""
        return STATE.get(self.data, "points")[: self._game.num_players]

    def outcome(self) -> Outcome | None:
        """[W] Return shares, places, points, and what decided; None before the end."""
        if not self.is_terminal:
            return None
        rules, state = self._game.tables, self.interpreted()
        places = [scoring.place(rules, state, player) for player in range(self._game.num_players)]
        shares = [(place == 1) / places.count(1) for place in places]
        return Outcome.of(shares, REASONS[scoring.reason(rules, state)], scores=self.points, places=places)

    def view(self, player: int | None = None) -> View:
        """Return the position as a value; everything is open [R-22]."""
        check_player(self, player)
        return view_of(self._game.tables, self.interpreted(), self._game.agents)


Game.state_class = State
