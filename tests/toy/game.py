"""Tides, a toy game of three players.

Each round the tide die is rolled: faces 1-2 bring a prize of one, 3-4 of two, 5-6 of three. All players who have a card
bid one of theirs at once (whoever has none says ``pass``, whoever has one has no choice). The highest bid that is alone
wins the prize; the winner either keeps it, or trades it for a card of their choice that they have played. After the
last round the most points win, +1 and -1/2 each for the others; equal points at the top are a tie.

It is plain Python, written to be read beside `hawaii_env.game`.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import GameOverError, IllegalActionError, OptionError, StateError
from hawaii_env.game import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Chance,
    ChanceMode,
    Decision,
    Game,
    Outcome,
    Part,
    State,
    check_action,
    check_player,
    check_seed,
    check_start,
)

PASS, KEEP, TRADE = 0, 4, 5  # 1-3 bid that card; 5-7 trade the prize for card 1-3
TEXTS = ("pass", "bid 1", "bid 2", "bid 3", "keep", "trade 1", "trade 2", "trade 3")
CARDS: tuple[int, ...] = (1, 2, 3)
PHASES = ("tide", "bid", "prize", "over")


@dataclass(frozen=True)
class ToyView:
    """The public position."""

    round: int
    phase: str
    prize: int
    winner: int
    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, with lists for tuples."""
        return json.loads(json.dumps({f.name: getattr(self, f.name) for f in fields(self)}))


class ToyGame(Game):
    """Tides."""

    def __init__(self, rounds: int = 4) -> None:
        self.name = "tides"
        self.agents = ("red_0", "green_1", "blue_2")
        self.num_players = 3
        self.num_actions = len(TEXTS)
        self.observation_size = 3 + 3 + 4 + 2 + 3 + 9
        self.observation_low = np.zeros(self.observation_size, np.float32)
        self.observation_high = np.ones(self.observation_size, np.float32)
        self.rounds = rounds
        self.params = {"rounds": rounds}
        self.ruleset_name = "tides"
        self.ruleset_hash = hashlib.sha256(f"tides {rounds}".encode()).hexdigest()
        self.action_table_hash = hashlib.sha256("\n".join(TEXTS).encode()).hexdigest()
        self.chance_kinds = ("tide",)
        self.max_decisions = 4 * rounds
        self.dynamics = "simultaneous"
        self.max_chance_outcomes = 7
        self.observation_parts = (
            Part("me", (3,)),
            Part("acting", (3,)),
            Part("phase", (4,)),
            Part("round_and_prize", (2,)),
            Part("points", (3,)),
            Part("hands", (3, 3)),
        )

    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> ToyState:
        seed = check_start(chance, seed)
        state = ToyState(self, random.Random(seed) if chance == "sampled" else None)
        state.trace = [] if trace else None
        state.advance()
        return state

    def state_from_json(self, text: str) -> ToyState:
        try:
            data = json.loads(text)
            if data.pop("ruleset") != self.ruleset_hash:
                raise StateError("the position is one of another ruleset")
            generator = data.pop("generator", None)
            state = self._make(**data)
            if generator is not None:
                state.generator = random.Random()
                state.generator.setstate((generator[0], tuple(generator[1]), generator[2]))
            return state
        except StateError:
            raise
        except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
            raise StateError(f"not a position of tides: {error}") from error

    def position(self, **kw: Any) -> ToyState:
        try:
            return self._make(**kw)
        except TypeError as error:
            raise StateError(str(error)) from error

    def _make(
        self, round: int, phase: str, prize: int, winner: int, hands: list[list[int]], points: list[int]
    ) -> ToyState:
        if phase not in PHASES:
            raise StateError(f"phase {phase!r} is none of {', '.join(PHASES)}")
        if len(hands) != 3 or any(sorted(set(hand)) != list(hand) or not set(hand) <= set(CARDS) for hand in hands):
            raise StateError(f"hands {hands} are not three sets of cards 1-3")
        state = ToyState(self, None)
        state.round, state._phase, state.prize, state.winner = round, phase, prize, winner
        state.hands, state.points = [list(hand) for hand in hands], list(points)
        return state

    def action_text(self, action: int) -> str:
        return TEXTS[check_action(action, self.num_actions)]

    def parse_action(self, state: State, text: str) -> int:
        players = state.acting_players
        for player in players:
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


class ToyState(State):
    """A position of tides."""

    def __init__(self, game: ToyGame, generator: random.Random | None) -> None:
        self._game = game
        self.generator = generator
        self.trace = None
        self.round = 1
        self._phase = "tide"
        self.prize = 0
        self.winner = -1
        self.hands = [list(CARDS) for _ in range(3)]
        self.points = [0, 0, 0]

    @property
    def game(self) -> ToyGame:
        return self._game

    @property
    def chance(self) -> ChanceMode:
        return "explicit" if self.generator is None else "sampled"

    @property
    def phase(self) -> str:
        return self._phase

    @property
    def current_player(self) -> int:
        if self._phase == "prize":
            return self.winner
        return {"tide": CHANCE, "bid": SIMULTANEOUS, "over": TERMINAL}[self._phase]

    @property
    def acting_players(self) -> Sequence[int]:
        if self._phase == "bid":
            return [player for player in range(3) if len(self.hands[player]) > 1]
        return [self.winner] if self._phase == "prize" else []

    @property
    def is_terminal(self) -> bool:
        return self._phase == "over"

    def returns(self) -> list[float]:
        if self._phase != "over":
            return [0.0, 0.0, 0.0]
        best = max(self.points)
        if self.points.count(best) > 1:
            return [0.0, 0.0, 0.0]
        return [1.0 if points == best else -0.5 for points in self.points]

    def outcome(self) -> Outcome | None:
        if self._phase != "over":
            return None
        best = max(self.points)
        if self.points.count(best) > 1:
            level = [points == best for points in self.points]
            return Outcome.of([p / sum(level) for p in level], "equal points [3]", scores=self.points)
        return Outcome.of([float(points == best) for points in self.points], "most points [3]", scores=self.points)

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
        text = TEXTS[action] if 0 <= action < len(TEXTS) else "no action"
        return IllegalActionError(f"action {action} ({text}) is not legal in phase {self._phase} [2]")

    def apply(self, action: int) -> None:
        if self.is_terminal:
            raise GameOverError("the game is over")
        action = check_action(action, len(TEXTS))
        if self._phase != "prize" or action not in self.legal_actions(self.winner):
            raise self._refuse(action)
        self._note(Decision(self.winner, action, TEXTS[action]))
        self._take_prize(action)
        self.advance()

    def _take_prize(self, action: int) -> None:
        if action == KEEP:
            self.points[self.winner] += self.prize
        else:
            self.hands[self.winner] = sorted([*self.hands[self.winner], action - TRADE + 1])
        self._next_round()

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
        for player in range(3):
            hand = self.hands[player]
            forced = player not in actions
            action = (hand[0] if hand else PASS) if forced else actions[player]
            self._note(Decision(player, action, TEXTS[action], forced))
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
        self._note(Chance("tide", face, self.chance_text(face)))
        self.prize, self._phase = (face + 1) // 2, "bid"

    def _note(self, event: Decision | Chance) -> None:
        if self.trace is not None:
            self.trace.append(event)

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        if self._phase != "tide":
            raise IllegalActionError(f"no chance node in phase {self._phase}")
        return [(face, 1 / 3) for face in (1, 3, 5)] if merged else [(face, 1 / 6) for face in range(1, 7)]

    def apply_chance(self, outcome: int) -> None:
        if self._phase != "tide":
            raise IllegalActionError(f"no chance node in phase {self._phase}")
        if isinstance(outcome, bool) or outcome not in range(1, 7):
            raise IllegalActionError(f"{outcome!r} is no face of a die")
        self._tide(int(outcome))
        self.advance()

    def chance_text(self, outcome: int) -> str:
        return f"tide {outcome}"

    def clone(self, seed: int | None = None, trace: bool = False) -> ToyState:
        other = copy.copy(self)
        other.trace = [] if trace else None
        other.hands, other.points = [list(hand) for hand in self.hands], list(self.points)
        if seed is not None:
            other.generator = random.Random(check_seed(seed))
            other.advance()
        elif self.generator is not None:
            other.generator = copy.deepcopy(self.generator)
        return other

    def explicit(self) -> ToyState:
        other = self.clone()
        other.generator = None
        return other

    def next_episode(self) -> ToyState:
        if self.generator is None:
            raise OptionError("an explicit state has no generator to go on with")
        state = ToyState(self._game, copy.deepcopy(self.generator))
        state.trace = None if self.trace is None else []
        state.advance()
        return state

    def observation(
        self, player: int, out: NDArray[Any] | None = None, raw: bool = False
    ) -> NDArray[np.float32] | NDArray[np.int8]:
        top = [3 * self._game.rounds] * 3
        values = [int(player == p) for p in range(3)] + [int(p in self.acting_players) for p in range(3)]
        scale = [1] * 6
        values += [int(self._phase == phase) for phase in PHASES] + [self.round, self.prize] + self.points
        scale += [1] * 4 + [self._game.rounds + 1, 3, *top]
        values += [int(card in hand) for hand in self.hands for card in CARDS]
        scale += [1] * 9
        vector = np.array(values, np.int8) if raw else np.array(values, np.float32) / np.array(scale, np.float32)
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
        if secrets and self.generator is not None:
            data["generator"] = self.generator.getstate()
        return json.dumps(data)

    def __deepcopy__(self, memo: dict[int, Any]) -> ToyState:
        other = self.clone()
        other.trace = None if self.trace is None else list(self.trace)
        return other
