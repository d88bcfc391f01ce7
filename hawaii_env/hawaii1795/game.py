"""Game and State of Hawaii, 1795: the rules behind the API that every game here offers [7.0]."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_flag, check_kind
from hawaii_env.core.game import CompiledGame, CompiledRules, CompiledState
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError
from hawaii_env.game import CHANCE, ActionFactors, Chance, Event, Outcome, Part, check_action, check_player
from hawaii_env.game import State as BaseState
from hawaii_env.texts import show_value

from . import entries, observation, texts
from .positions import View, check_invariants, make_view, read_position
from .rules import flow, invariants, victory
from .rules.actions import ACTION_FACTORS, CODEC, N_ACTIONS
from .rules.cards import card_of
from .rules.errors import EndlessPhaseError
from .rules.names import (
    ADVANTAGE,
    CARD,
    EVENT_DIE,
    FIRST_CHANCE,
    HIT_DIE,
    KIND_NAMES,
    LAST_CHANCE,
    LAST_DECISION,
    MAX_STEPS,
    N_PIECES,
    OVER,
    PHASES,
    REASON_TEXTS,
    SIDES,
    SIGHTING,
    TIE,
    reason_text,
)
from .rules.state import STATE
from .rules.tables import TABLES
from .ruleset import Ruleset

__all__ = ["RULES", "SEA_VICTORS", "Game", "State"]

SEA_VICTORS = ("repulsed", "assault")

RULES = CompiledRules(
    "hawaii1795",
    TABLES,
    STATE,
    hooks={
        **flow.TABLE.hooks,
        "set_up": flow.begin,
        "advance": flow.advance,
        "run": flow.run,
        "act": flow.act,
        "pass_on": flow.pass_on,
        "is_over": flow.is_over,
        "num_players": flow.num_players,
        "write_returns": flow.write_returns,
        "winner": flow.winner,
        "reason": flow.reason,
        "write_observation": observation.write_observation,
        "write_raw": observation.write_raw,
        "write_scaled": observation.write_scaled,
        "fault_in": invariants.fault_in,
        "fault_of_step": invariants.fault_of_step,
        "note_action": invariants.note_action,
        "fault_of_action": invariants.fault_of_action,
    },
    reasons=REASON_TEXTS,
    faults=invariants.FAULTS,
    entries=entries.EXAMPLES,
)
"""The rules in both backends."""


@cache
def _layout_hash() -> str:
    return hashlib.sha256("\n".join(observation.value_names()).encode()).hexdigest()


class Game(CompiledGame):
    """Hawaii, 1795, with a ruleset, a scenario and options [6.0].

    Args:
        scenario: ``"long"`` (January to November) or ``"short"`` (March to November).
        rules: None for the shipped ruleset, a folder that replaces any of its files, or a `Ruleset`.
        final_check: R-08: Kamehameha's occupation is looked at once more after November.
        sea_victor: R-18: ``"repulsed"``: the victor of a sea battle may not land where a garrison stayed;
            ``"assault"``: he fights it on landing.

    Raises:
        OptionError: an unknown scenario or option.
        RulesetError: a ruleset file that is wrong; the message names file, table, key and what is allowed.
    """

    name = "hawaii1795"
    compiled_rules = RULES
    phases: tuple[str, ...] = PHASES
    sections: Mapping[str, str] = flow.TABLE.sections
    measures: Mapping[str, Any] = MappingProxyType({"units": victory.units_ahead})
    scale: NDArray[np.float32] = observation.SCALE
    memory_size: int = observation.N_SHOWN
    agents: tuple[str, ...] = ("kamehameha_0", "allied_1")
    num_players = 2
    num_actions = N_ACTIONS
    observation_size: int = observation.SIZE
    observation_low: NDArray[np.float32] = observation.LOW
    observation_high: NDArray[np.float32] = observation.HIGH
    _low, _high = np.zeros(observation.SIZE, np.int8), observation.RAW_HIGH
    codec = CODEC
    action_table_hash: str = CODEC.hash
    observation_layout_hash: str = property(lambda self: _layout_hash())  # pyright: ignore[reportAssignmentType]
    """Digest of the observation's layout: hex SHA-256 of its values' names in order, the same for every ruleset."""
    chance_kinds: tuple[str, ...] = PHASES[FIRST_CHANCE : LAST_CHANCE + 1]
    max_decisions = 20_000
    max_chance_outcomes = 10
    observation_parts: tuple[Part, ...] = tuple(
        Part(
            part.name,
            part.shape,
            part.what,
            part.rows,
            (("bits", 64),) if part.name == "digest" else tuple((name, 1) for name in part.columns),
        )
        for part in observation.PARTS
    )
    action_factors: ActionFactors | None = ACTION_FACTORS

    def __init__(
        self,
        scenario: str = "long",
        rules: Any = None,
        final_check: bool = False,
        sea_victor: str = "repulsed",
    ) -> None:
        check_choice("sea_victor", sea_victor, SEA_VICTORS)
        self.scenario = scenario
        self.final_check: bool = check_flag("final_check", final_check)
        self.sea_victor = sea_victor
        self.ruleset: Ruleset = Ruleset.load(rules)
        check_choice("scenario", scenario, tuple(self.ruleset.scenarios))
        self.ruleset_hash: str = self.ruleset.hash
        self.ruleset_name: str = self.ruleset.name
        self.params: Mapping[str, Any] = {
            "scenario": scenario,
            "rules": self.ruleset.param,
            "final_check": self.final_check,
            "sea_victor": sea_victor,
        }
        self.tables: Any = self.ruleset.tables(scenario, self.final_check, sea_victor)
        self.tables.template = observation.template(self.tables).tolist()
        self.card_ids: tuple[str, ...] = self.ruleset.card_ids
        self.texts: tuple[str, ...] = texts.action_texts(self.card_ids)

    # Positions

    def position(self, /, **kw: Any) -> State:
        """Return a position written by hand, in the explicit mode [3.0, 6.0]; see
        `hawaii_env.hawaii1795.positions.read_position`.

        Raises:
            StateError: the position cannot be; the message says why.
        """
        return self.state_from_record(read_position(self, kw))

    # Actions

    def action_text(self, action: int) -> str:
        """See `hawaii_env.game.Game.action_text`."""
        return self.texts[check_action(action, N_ACTIONS)]

    def parse_action(self, state: BaseState, text: str) -> int:
        """Return the legal action that a text names. Shorter texts will do where they are not ambiguous: a canoe by its
        kind or as `canoe`, a piece without its marks.

        Raises:
            IllegalActionError: no legal action, or several, have this text.
        """
        check_kind("state", state, State)
        return texts.parse(
            self.texts,
            state.legal_actions(),
            text,
            state.phase,
            f"[{flow.TABLE.sections[state.phase]}]",
            lambda action: self._canoe_moved(cast(State, state), action),
        )

    def _canoe_moved(self, state: State, action: int) -> str:
        """Return the kind of canoe that an action takes from its place, or chooses to move; empty if it is none."""
        before = state.interpreted()
        after = before.copy()
        flow.apply_action(self.tables, after, action)
        pieces = [p for p in range(N_PIECES) if before.place[p] != after.place[p]]
        if after.fleet != before.fleet:
            pieces.append(after.fleet)
        return next((KIND_NAMES[int(self.tables.kind[p])] for p in pieces if p >= 0 and self.tables.canoe[p]), "")

    def chance_text_of(self, state: Any, outcome: int) -> str:
        """Return a chance outcome in words."""
        if state.phase == CARD:
            return self.card_text(state.half, outcome)
        effect = flow.effect_of(self.tables, state, outcome)
        if state.phase == SIGHTING:
            return f"sighting {outcome}: {'sighted' if effect else 'not sighted'}"
        if state.phase == EVENT_DIE:
            return f"{self.card_ids[state.card]} {outcome}: {'it happens' if effect else 'nothing'}"
        if state.phase == ADVANTAGE:
            if not state.first_die:
                return f"advantage: kamehameha {outcome}"
            return f"advantage: allied {outcome}: {'tie' if effect < 0 else SIDES[effect]}"
        assert state.phase == HIT_DIE
        return f"hit {outcome}: {('no effect', 'panic', 'elimination')[effect]}"

    def card_text(self, side: int, number: int) -> str:
        """Return that a side draws the card of this number, in words."""
        return f"{SIDES[side]} draws {self.card_ids[card_of(side, number)]}"

    def invariants(self, state: BaseState) -> None:
        """Check what holds in every position: see `hawaii_env.hawaii1795.positions.check_invariants`."""
        check_invariants(self, check_kind("state", state, State))


class State(CompiledState):
    """A position of Hawaii, 1795. See `hawaii_env.game.State`; made by `Game.initial_state` and its like."""

    __slots__ = ("_steps",)

    _steps: int
    """Steps since somebody had a choice, in a traced state."""

    # What the position is

    @property
    def decisions(self) -> int:
        """Decisions asked so far in this game; forced ones do not count."""
        return self._get("decisions")

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None."""
        winner = self._get("winner")
        if winner < 0:
            return None
        return Outcome.won_by(None if winner == TIE else winner, 2, self._reason())

    def _reason(self) -> str:
        return reason_text(self._get("reason"), self._get("month"))

    # Decisions

    def _illegal(self, action: int) -> HawaiiError:
        phase = self._get("phase")
        if phase == OVER:
            return GameOverError(f"the game is over: {self._reason()}")
        name, text = PHASES[phase], self._game.texts[action]
        section = f"[{flow.TABLE.sections[name]}]"
        if phase > LAST_DECISION:
            return IllegalActionError(f"{show_value(text)} (action {action}): chance decides in phase {name} {section}")
        legal = [self._game.texts[a] for a in self.legal_actions()]
        shown = ", ".join(legal[:12]) + (", ..." if len(legal) > 12 else "")
        who = SIDES[self._get("decider")]
        return IllegalActionError(
            f"{show_value(text)} (action {action}) is not legal in phase {name} {section}; {who} may: {shown}"
        )

    def go_on(self, action: int = -1, outcome: int = -1) -> None:
        """See `hawaii_env.core.game.CompiledState.go_on`."""
        self._steps = 0
        super().go_on(action, outcome)

    def _trace_advance(self, state: Any) -> None:
        """[R-34] Note the last card of a deck, which comes without a chance node."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise EndlessPhaseError(state.phase)
        before = list(state.left)
        super()._trace_advance(state)
        for side in (0, 1):
            if before[side] and not state.left[side]:
                number = before[side].bit_length() - 1
                event = Chance(PHASES[CARD], number, self._game.card_text(side, number), True)
                cast(list[Event], self.trace).append(event)

    def _trace_action(self, state: Any, action: int, forced: bool) -> None:
        if not forced:
            state.decisions += 1
        super()._trace_action(state, action, forced)

    # Chance

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """See `hawaii_env.game.State.chance_outcomes`: a die's faces 1-6, a card's number 1-9."""
        if not check_flag("merged", merged) or self.current_player != CHANCE or self._get("phase") == CARD:
            return super().chance_outcomes()
        keys, least = np.empty((6, observation.N_CODES), np.int32), np.empty(6, np.int64)
        self._backend.enter_merged(self._rules, self.data, self.data.copy(), keys, least)
        faces = least.tolist()
        return [(face, faces.count(face) / 6) for face in sorted(set(faces))]

    # Copies

    def key(self, secrets: bool = False, player: int | None = None) -> bytes:
        """See `hawaii_env.game.State.key`: equal for positions that differ only in which of interchangeable pieces
        stands where, or in how many decisions there were.
        """
        check_flag("secrets", secrets)
        check_player(self, player)
        out = np.empty(observation.N_CODES, np.int32)
        self._backend.enter_key(self._rules, self.data, out)
        return out.tobytes()

    # Ways to look at it

    def for_search(self, player: int | None = None) -> State:
        """See `hawaii_env.game.State.for_search`; nothing is hidden in this game, so all players get the same."""
        check_player(self, player)
        return self.explicit()

    def view(self, player: int | None = None) -> View:
        """Return the position as a frozen dataclass with `to_dict()`, the same for all players; the generators are not
        in it.
        """
        check_player(self, player)
        return make_view(self._game, self.interpreted())

    def json_fields(self, secrets: bool, player: int | None) -> dict[str, Any]:
        """Return the view's fields; with `secrets` also the count of decisions, in which equal positions may differ."""
        fields = super().json_fields(secrets, player)
        return {**fields, "decisions": self.decisions} if secrets else fields


Game.state_class = State
