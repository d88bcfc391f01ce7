"""A game of two players for the arena's tests, in plain Python: a card a turn, to keep or to pass on.

Six turns, alternately. A card of 1 to 6 is drawn; who moves keeps it, or gives the other player what it lacks to 7.
Most points win.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
from typing import Any

import numpy as np

from hawaii_env.errors import GameOverError, IllegalActionError
from hawaii_env.game import (
    CHANCE,
    TERMINAL,
    Chance,
    ChanceMode,
    Decision,
    Game,
    Outcome,
    Part,
    State,
    check_action,
    check_seed,
)

TEXTS = ("keep", "pass on")


class Duel(Game):
    def __init__(self, turns: int = 6) -> None:
        self.name = "duel"
        self.agents = ("north_0", "south_1")
        self.num_players, self.num_actions, self.observation_size = 2, 2, 1
        self.observation_low, self.observation_high = np.zeros(1, np.float32), np.ones(1, np.float32)
        self.turns = turns
        self.params = {"turns": turns}
        self.ruleset_name = "duel"
        self.ruleset_hash = hashlib.sha256(f"duel {turns}".encode()).hexdigest()
        self.action_table_hash = hashlib.sha256("\n".join(TEXTS).encode()).hexdigest()
        self.chance_kinds = ("card",)
        self.max_decisions = turns
        self.max_chance_outcomes = 7
        self.observation_parts = (Part("nothing", (1,)),)

    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> DuelState:
        state = DuelState(
            self, None if chance == "explicit" else random.Random(None if seed is None else check_seed(seed))
        )
        state.trace = [] if trace else None
        state.go_on()
        return state

    def action_text(self, action: int) -> str:
        return TEXTS[check_action(action, 2)]

    def state_from_json(self, text: str) -> State:
        raise NotImplementedError

    def position(self, **kw: Any) -> State:
        raise NotImplementedError

    def parse_action(self, state: State, text: str) -> int:
        return TEXTS.index(text)

    def invariants(self, state: State) -> None:
        pass


class DuelState(State):
    def __init__(self, game: Duel, generator: random.Random | None) -> None:
        self._game, self.generator = game, generator
        self.trace = None
        self.turn, self.card, self.points = 0, 0, [0, 0]

    @property
    def game(self) -> Duel:
        return self._game

    @property
    def current_player(self) -> int:
        if self.turn == self._game.turns:
            return TERMINAL
        return self.turn % 2 if self.card else CHANCE

    @property
    def chance(self) -> ChanceMode:
        return "explicit" if self.generator is None else "sampled"

    @property
    def phase(self) -> str:
        return "turn"

    @property
    def is_terminal(self) -> bool:
        return self.turn == self._game.turns

    def returns(self) -> list[float]:
        lead = self.points[0] - self.points[1] if self.is_terminal else 0
        return [float(np.sign(lead)), float(-np.sign(lead))]

    def outcome(self) -> Outcome | None:
        if not self.is_terminal:
            return None
        lead = self.points[0] - self.points[1]
        reason = "most points [1]" if lead else "equal points [1]"
        shares = [0.5, 0.5] if not lead else [float(lead > 0), float(lead < 0)]
        return Outcome.of(shares, reason, scores=self.points)

    def legal_actions(self, player: int | None = None) -> list[int]:
        return [0, 1] if self.current_player >= 0 and player in (None, self.current_player) else []

    def apply(self, action: int) -> None:
        if self.is_terminal:
            raise GameOverError("the game is over")
        player = self.current_player
        if player < 0 or action not in (0, 1):
            raise IllegalActionError(f"action {action!r}")
        if self.trace is not None:
            self.trace.append(Decision(player, action, TEXTS[action]))
        self.points[player if action == 0 else 1 - player] += self.card if action == 0 else 7 - self.card
        self.turn, self.card = self.turn + 1, 0
        self.go_on()

    def go_on(self) -> None:
        if self.generator is not None and self.current_player == CHANCE:
            self.apply_chance(self.generator.randint(1, 6))

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        return [(card, 1 / 6) for card in range(1, 7)]

    def apply_chance(self, outcome: int) -> None:
        if self.trace is not None:
            self.trace.append(Chance("card", outcome, self.chance_text(outcome)))
        self.card = outcome

    def chance_text(self, outcome: int) -> str:
        return f"card {outcome}"

    def clone(self, seed: int | None = None, trace: bool = False) -> DuelState:
        other = copy.copy(self)
        other.trace, other.points = [] if trace else None, list(self.points)
        other.generator = random.Random(seed) if seed is not None else copy.deepcopy(self.generator)
        return other

    def explicit(self) -> DuelState:
        other = self.clone()
        other.generator = None
        return other

    def next_episode(self) -> State:
        raise NotImplementedError

    def observation(self, player: int, out: Any = None, raw: bool = False) -> Any:
        return np.zeros(1, np.int8 if raw else np.float32)

    def view(self, player: int | None = None) -> Any:
        raise NotImplementedError

    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        return json.dumps([self.turn, self.card, self.points])
