"""Tides, a toy game of three players; `Duel` is the same for two.

Each round the tide die is rolled: faces 1-2 bring a prize of one, 3-4 of two, 5-6 of three. All players who have a card
bid one of theirs at once (whoever has none says ``pass``, whoever has one has no choice). The highest bid that is alone
wins the prize; the winner either keeps it, or trades it for a card of their choice that they have played. After the
last round the most points win; equal points at the top are a tie.

It is plain Python, written to be read beside `hawaii_env.game`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_flag
from hawaii_env.errors import GameOverError, IllegalActionError, StateError
from hawaii_env.game import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Chance,
    Decision,
    Outcome,
    Part,
    State,
    check_action,
    check_player,
)

from .base import BaseGame, BaseState, BaseView, digest

PASS, KEEP, TRADE = 0, 4, 5  # 1-3 bid that card; 5-7 trade the prize for card 1-3
TEXTS = ("pass", "bid 1", "bid 2", "bid 3", "keep", "trade 1", "trade 2", "trade 3")
CARDS: tuple[int, ...] = (1, 2, 3)
PHASES = ("tide", "bid", "prize", "over")


@dataclass(frozen=True)
class ToyView(BaseView):
    """The public position."""

    round: int
    phase: str
    prize: int
    winner: int
    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]


class ToyGame(BaseGame):
    """Tides."""

    name = "tides"
    agents = ("red_0", "green_1", "blue_2")

    def __init__(self, rounds: int = 4) -> None:
        self.state = ToyState
        n = self.num_players = len(self.agents)
        self.num_actions = len(TEXTS)
        self.observation_parts = (
            Part("me", (n,)),
            Part("acting", (n,)),
            Part("phase", (4,)),
            Part("round_and_prize", (2,)),
            Part("points", (n,)),
            Part("hands", (n, 3)),
        )
        self.observation_size = sum(part.size for part in self.observation_parts)
        self.observation_low = np.zeros(self.observation_size, np.float32)
        self.observation_high = np.ones(self.observation_size, np.float32)
        self.scale = np.array([1] * (2 * n + 4) + [rounds + 1, 3] + [3 * rounds] * n + [1] * 3 * n, np.float32)
        self.rounds = rounds
        self.params = {"rounds": rounds}
        self.ruleset_name = "tides"
        self.ruleset_hash = digest(f"{self.name} {rounds}")
        self.action_table_hash = digest("\n".join(TEXTS))
        self.chance_kinds = ("tide",)
        self.max_decisions = (n + 1) * rounds
        self.dynamics = "simultaneous"
        self.max_chance_outcomes = 7

    def position(self, /, **kw: Any) -> ToyState:
        try:
            view = ToyView(**kw)
        except TypeError as error:
            raise StateError(str(error)) from error
        if view.phase not in PHASES:
            raise StateError(f"phase {view.phase!r} is none of {', '.join(PHASES)}")
        hands = view.hands
        if len(hands) != self.num_players or any(
            sorted(set(hand)) != list(hand) or not set(hand) <= set(CARDS) for hand in hands
        ):
            raise StateError(f"hands {hands} are not {self.num_players} sets of cards 1-3")
        state = ToyState(self, None)
        state.round, state._phase, state.prize, state.winner = view.round, view.phase, view.prize, view.winner
        state.hands, state.points = [list(hand) for hand in hands], list(view.points)
        return state

    def action_text(self, action: int) -> str:
        return TEXTS[check_action(action, self.num_actions)]

    def parse_action(self, state: State, text: str) -> int:
        for player in state.acting_players:
            for action in state.legal_actions(player):
                if TEXTS[action] == text:
                    return action
        raise IllegalActionError(f"no legal action reads {text!r}")

    def invariants(self, state: State) -> None:
        assert isinstance(state, ToyState)
        assert all(set(hand) <= set(CARDS) for hand in state.hands)
        assert 0 <= sum(state.points) <= 3 * self.rounds
        assert 1 <= state.round <= self.rounds + 1

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rounds,)


class Duel(ToyGame):
    """Tides for two."""

    name = "duel"
    agents = ("north_0", "south_1")


class ToyState(BaseState):
    """A position of tides."""

    mutable = ("hands", "points")

    def __init__(self, game: ToyGame, generator: random.Random | None) -> None:
        super().__init__(game, generator)
        self.round = 1
        self._phase = "tide"
        self.prize = 0
        self.winner = -1
        self.hands = [list(CARDS) for _ in game.agents]
        self.points = [0 for _ in game.agents]

    @property
    def current_player(self) -> int:
        if self._phase == "prize":
            return self.winner
        return {"tide": CHANCE, "bid": SIMULTANEOUS, "over": TERMINAL}[self._phase]

    @property
    def acting_players(self) -> Sequence[int]:
        if self._phase == "bid":
            return [player for player, hand in enumerate(self.hands) if len(hand) > 1]
        return [self.winner] if self._phase == "prize" else []

    def _first(self) -> list[bool]:
        return [points == max(self.points) for points in self.points]

    def returns(self) -> list[float]:
        first = self._first()
        if self._phase != "over" or sum(first) > 1:
            return [0.0 for _ in first]
        return [1.0 if won else -1.0 / (len(first) - 1) for won in first]

    def outcome(self) -> Outcome | None:
        if self._phase != "over":
            return None
        first = self._first()
        reason = "equal points [3]" if sum(first) > 1 else "most points [3]"
        return Outcome.of([won / sum(first) for won in first], reason, scores=self.points)

    def legal_actions(self, player: int | None = None) -> list[int]:
        if player is None:
            if self._phase == "bid":
                raise IllegalActionError("several players bid: say whose actions")
            player = self.winner
        if self._phase == "bid" and player in self.acting_players:
            return list(self.hands[player])
        if self._phase == "prize" and player == self.winner:
            return [KEEP, *(TRADE + card - 1 for card in CARDS if card not in self.hands[player])]
        return []

    def _refuse(self, action: int) -> IllegalActionError:
        return IllegalActionError(f"action {action} ({TEXTS[action]}) is not legal in phase {self._phase} [2]")

    def apply(self, action: int) -> None:
        if self.is_terminal:
            raise GameOverError("the game is over")
        action = check_action(action, len(TEXTS))
        if self._phase != "prize" or action not in self.legal_actions(self.winner):
            raise self._refuse(action)
        self.note(Decision(self.winner, action, TEXTS[action]))
        if action == KEEP:
            self.points[self.winner] += self.prize
        else:
            self.hands[self.winner] = sorted([*self.hands[self.winner], action - TRADE + 1])
        self._next_round()
        self.advance()

    def apply_joint(self, actions: Mapping[int, int]) -> None:
        if self.is_terminal:
            raise GameOverError("the game is over")
        if self._phase != "bid" or sorted(actions) != list(self.acting_players):
            raise IllegalActionError(f"players {sorted(actions)} do not choose in phase {self._phase} [2]")
        for player, action in actions.items():
            if check_action(action, len(TEXTS)) not in self.hands[player]:
                raise self._refuse(action)
        self._bid(actions)
        self.advance()

    def _bid(self, actions: Mapping[int, int]) -> None:
        bids: list[int] = []
        for player, hand in enumerate(self.hands):
            forced = player not in actions
            action = (hand[0] if hand else PASS) if forced else actions[player]
            self.note(Decision(player, action, TEXTS[action], forced))
            if action != PASS:
                hand.remove(action)
            bids.append(action)
        alone = [bid for bid in bids if bid != PASS and bids.count(bid) == 1]
        if alone:
            self.winner, self._phase = bids.index(max(alone)), "prize"
        else:
            self._next_round()

    def _next_round(self) -> None:
        self.round += 1
        self.prize, self.winner = 0, -1
        self._phase = "over" if self.round > self._game.rounds else "tide"

    def advance(self) -> None:
        """Go on while nobody has a choice."""
        while True:
            if self._phase == "tide" and self.generator is not None:
                self._tide(self.generator.randint(1, 6))
            elif self._phase == "bid" and not self.acting_players:
                self._bid({})
            else:
                return

    def _tide(self, face: int) -> None:
        self.note(Chance("tide", face, self.chance_text(face)))
        self.prize, self._phase = (face + 1) // 2, "bid"

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        self.check_chance()
        outcomes = [(face, 1 / 6) for face in range(1, 7)]
        return self.merge_outcomes(outcomes) if check_flag("merged", merged) else outcomes

    def apply_chance(self, outcome: int) -> None:
        self.check_chance()
        if isinstance(outcome, bool) or outcome not in range(1, 7):
            raise IllegalActionError(f"{outcome!r} is not a face of a die")
        self._tide(int(outcome))
        self.advance()

    def chance_text(self, outcome: int) -> str:
        return f"tide {outcome}"

    def observation(
        self, player: int, out: NDArray[Any] | None = None, raw: bool = False
    ) -> NDArray[np.float32] | NDArray[np.int8]:
        players = range(len(self.hands))
        values = [int(player == p) for p in players] + [int(p in self.acting_players) for p in players]
        values += [int(self._phase == phase) for phase in PHASES] + [self.round, self.prize] + self.points
        values += [int(card in hand) for hand in self.hands for card in CARDS]
        vector = (
            np.array(values, np.int8) if check_flag("raw", raw) else np.array(values, np.float32) / self._game.scale
        )
        if out is None:
            return vector
        out[:] = vector
        return out

    def view(self, player: int | None = None) -> ToyView:
        check_player(self, player)
        hands = tuple(tuple(hand) for hand in self.hands)
        return ToyView(self.round, self._phase, self.prize, self.winner, hands, tuple(self.points))

    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        check_player(self, player)
        data = {"ruleset": self._game.ruleset_hash, **self.view().to_dict()}
        if check_flag("secrets", secrets) and self.generator is not None:
            data["generator"] = self.generator.getstate()
        return json.dumps(data)
