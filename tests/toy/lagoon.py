"""Lagoon, a toy game of four players who fish.

Everybody holds three cards of 1 to 6, of four decks' worth of each, unseen by the others. Each round a shoal die is
rolled, then all enter their orders unseen: ``play`` a card, or ``pass``; a card of 3 or more also casts a ``net`` on
one of six squares; a card of 5 or more also ``call``s another player. So an order has one to three steps. When all are
in, cards, nets and calls are shown: a card without a net scores 100, one whose square nobody else chose scores 100
times itself; who calls one who cast a net scores 50. Then cards are dealt up to three again. After the last round most
points win; players level at the top share the victory. The table has a square for each of 20,000 nets, as a map's
would.

It is plain Python, written to be read beside `hawaii_env.game`.
"""

from __future__ import annotations

import json
import random
from bisect import bisect, insort
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_flag
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError, StateError
from hawaii_env.game import (
    CHANCE,
    SPECTATOR,
    TERMINAL,
    Chance,
    Decision,
    Outcome,
    Part,
    State,
    check_action,
    check_player,
    check_seed,
)

from .base import BaseGame, BaseState, BaseView, digest

AGENTS = ("red_0", "green_1", "blue_2", "gold_3")
PASS, PLAY, CALL, NET = 0, 0, 7, 11  # PLAY + card, CALL + player, NET + 200 * x + y
WIDTH, HEIGHT = 100, 200
N_ACTIONS = NET + WIDTH * HEIGHT
HAND, COPIES, VALUES = 3, 4, (1, 2, 3, 4, 5, 6)
PHASES = ("deal", "shoal", "orders", "over")


def text_of(action: int) -> str:
    """Return an action's text."""
    if action == PASS:
        return "pass"
    if action < CALL:
        return f"play {action - PLAY}"
    if action < NET:
        return f"call {AGENTS[action - CALL]}"
    return "net {} {}".format(*divmod(action - NET, HEIGHT))


@dataclass(frozen=True)
class LagoonView(BaseView):
    """The position as one player knows it: None stands for what he does not."""

    round: int
    phase: str
    shoal: int
    points: tuple[int, ...]
    hands: tuple[tuple[int, ...] | None, ...]
    missing: tuple[int, ...]
    entered: tuple[tuple[int, ...] | None, ...]
    seen: tuple[int, ...]
    last: tuple[tuple[int, ...], ...]


class LagoonGame(BaseGame):
    """Lagoon."""

    name = "lagoon"
    agents = AGENTS
    num_players = 4
    num_actions = N_ACTIONS
    chance_kinds = ("deal", "shoal")
    ruleset_name = "lagoon"
    information = "imperfect"
    dynamics = "sealed"
    utility = "general_sum"
    min_return, max_return = 0.0, 1.0
    max_chance_outcomes = 7
    chance_public = False
    raw_dtype = np.dtype(np.int16)
    observation_parts = (
        Part("observer", (4,)),
        Part("phase", (4,)),
        Part("round", (1,)),
        Part("shoal", (7,)),
        Part("points", (4,)),
        Part("hand", (6,)),
        Part("seen", (6,)),
        Part("entered", (3,)),
        Part("last", (4, 3)),
    )
    observation_size = sum(part.size for part in observation_parts)

    def __init__(self, rounds: int = 3) -> None:
        if not isinstance(rounds, int) or not 1 <= rounds <= 4:
            raise OptionError(f"rounds: 1 to 4, not {rounds!r}")
        self.state = LagoonState
        self.rounds = rounds
        self.params = {"rounds": rounds}
        self.ruleset_hash = digest(f"lagoon {rounds}")
        self.action_table_hash = digest(f"lagoon {N_ACTIONS}")
        self.max_decisions = 4 * 3 * rounds
        high = [1] * 4 + [1] * 4 + [rounds] + [1] * 7 + [650 * rounds] * 4 + [3] * 6 + [4] * 6 + [N_ACTIONS] * 15
        self._high = np.array(high, np.int16)
        self.scale = (1 / self._high).astype(np.float32)
        self.observation_low = np.zeros(self.observation_size, np.float32)
        self.observation_high = np.ones(self.observation_size, np.float32)

    @property
    def raw_low(self) -> NDArray[Any]:
        return np.zeros(self.observation_size, np.int16)

    @property
    def raw_high(self) -> NDArray[Any]:
        return self._high.copy()

    def position(self, /, **kw: Any) -> LagoonState:
        try:
            view = LagoonView(**kw)
        except TypeError as error:
            raise StateError(str(error)) from error
        if view.phase not in PHASES:
            raise StateError(f"phase {view.phase!r} is none of {', '.join(PHASES)}")
        if len(view.hands) != 4 or any(hand is not None and not set(hand) <= set(VALUES) for hand in view.hands):
            raise StateError(f"hands {view.hands!r} are not four hands of cards 1 to 6")
        return LagoonState(self, None).read(view)

    def action_text(self, action: int) -> str:
        return text_of(check_action(action, N_ACTIONS))

    def parse_action(self, state: State, text: str) -> int:
        for action in state.legal_actions():
            if text_of(action) == text:
                return action
        raise IllegalActionError(f"no legal action reads {text!r} in phase {state.phase} [2]")

    def invariants(self, state: State) -> None:
        assert isinstance(state, LagoonState)
        assert all(len(hand) <= HAND for hand in state.hands)
        assert all(count >= 0 for count in state.deck())
        assert all(points >= 0 for points in state.points)


class LagoonState(BaseState):
    """A position of lagoon."""

    mutable = ("points", "seen", "queue", "hands", "entered", "last")

    def __init__(self, game: LagoonGame, generator: random.Random | None) -> None:
        super().__init__(game, generator)
        self.round, self._phase, self.shoal = 1, "deal", 0
        self.points = [0] * 4
        self.hands: list[list[int]] = [[], [], [], []]
        self.entered: list[list[int]] = [[], [], [], []]  # this turn's steps
        self.queue: list[int] = []  # who still has to enter, in the order of asking
        self.seen = [0] * 6  # cards shown so far, by value
        self.last: list[list[int]] = [[], [], [], []]  # the orders of the round before
        self._legal: list[int] | None = None  # listed once a position

    # What the position is

    @property
    def current_player(self) -> int:
        if self._phase == "orders":
            return self.queue[0]
        return TERMINAL if self._phase == "over" else CHANCE

    @property
    def sealed_turn(self) -> int | None:
        return self.round if self._phase == "orders" else None

    def returns(self) -> list[float]:
        if not self.is_terminal:
            return [0.0] * 4
        return [points / (650 * self._game.rounds) for points in self.points]

    def outcome(self) -> Outcome | None:
        if not self.is_terminal:
            return None
        first = [points == max(self.points) for points in self.points]
        places = [1 + sum(other > points for other in self.points) for points in self.points]
        shares = [level / sum(first) for level in first]
        return Outcome.of(shares, "most points [4]", scores=self.points, places=places)

    # Decisions

    def legal_actions(self, player: int | None = None) -> list[int]:
        if self._phase != "orders" or player not in (None, self.queue[0]):
            return []
        if self._legal is None:
            self._legal = self._listed()
        return list(self._legal)

    def _listed(self) -> list[int]:
        player = self.queue[0]
        steps = self.entered[player]
        if not steps:
            return [PASS, *(PLAY + card for card in dict.fromkeys(self.hands[player]))]  # a hand is in order
        if len(steps) == 1:
            x, y = 10 * self.shoal, 20 * self.round
            return [NET + HEIGHT * (x + i) + y + j for i in (0, 1, 2) for j in (0, 1)]
        return [CALL + other for other in range(4) if other != player]

    def apply(self, action: int) -> None:
        if self.is_terminal:
            raise GameOverError("the game is over")
        action = check_action(action, N_ACTIONS)
        if action not in self.legal_actions():
            raise IllegalActionError(f"action {action} ({text_of(action)}) is not legal in phase {self._phase} [2]")
        player = self.queue[0]
        if self.trace is not None:
            self.trace.append(Decision(player, action, text_of(action), turn=self.sealed_turn))
        steps = self.entered[player]
        steps.append(action)
        card = steps[0] - PLAY
        if len(steps) == 1 + (card >= 3) + (card >= 5):
            del self.queue[0]
            if not self.queue:
                self._resolve()
        self.advance()

    def _resolve(self) -> None:
        nets = [steps[1] if len(steps) > 1 else -1 for steps in self.entered]
        for player, steps in enumerate(self.entered):
            if steps[0] == PASS:
                continue
            card = steps[0] - PLAY
            self.hands[player].remove(card)
            self.seen[card - 1] += 1
            if nets[player] < 0:
                self.points[player] += 100
            elif nets.count(nets[player]) == 1:
                self.points[player] += 100 * card
            if len(steps) == 3 and nets[steps[2] - CALL] >= 0:
                self.points[player] += 50
        self.last, self.entered = self.entered, [[], [], [], []]
        self.round += 1
        self.shoal = 0
        self._phase = "over" if self.round > self._game.rounds else "deal"

    # Chance

    def deck(self) -> list[int]:
        """Return how many cards of each value are left."""
        left = [COPIES - seen for seen in self.seen]
        for hand in self.hands:
            for card in hand:
                left[card - 1] -= 1
        return left

    def _short(self) -> int | None:
        """Return who is dealt the next card, or None."""
        for player, hand in enumerate(self.hands):
            if len(hand) < HAND:
                dealt = sum(self.seen) + sum(map(len, self.hands))
                return player if dealt < COPIES * len(VALUES) else None
        return None

    def advance(self) -> None:
        """Go on while nobody has a choice."""
        self._legal = None
        while self._phase in ("deal", "shoal"):
            player = self._short() if self._phase == "deal" else None
            if self._phase == "deal" and player is None:
                self._phase = "shoal"
            elif self.generator is None:
                return
            else:
                bounds = list(accumulate(self._weights()))
                self._fall(VALUES[bisect(bounds, self.generator.random() * bounds[-1])], player)

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        self.check_chance()
        weights = self._weights()
        total = sum(weights)
        outcomes = [(value, weight / total) for value, weight in zip(VALUES, weights, strict=True) if weight]
        return self.merge_outcomes(outcomes) if check_flag("merged", merged) else outcomes

    def _weights(self) -> list[int]:
        """Return how likely each value falls: the deck's cards, or the die's faces."""
        return [1] * len(VALUES) if self._phase == "shoal" else self.deck()

    def apply_chance(self, outcome: int) -> None:
        if isinstance(outcome, bool) or outcome not in [o for o, _ in self.chance_outcomes()]:
            raise IllegalActionError(f"{outcome!r} is not an outcome here")
        self._fall(int(outcome), self._short() if self._phase == "deal" else None)
        self.advance()

    def _fall(self, outcome: int, player: int | None) -> None:
        """A card is dealt to a player, or for None the shoal die rolled."""
        if self.trace is not None:
            self.trace.append(Chance(self._phase, outcome, self.chance_text(outcome), player=player))
        if player is None:
            self.shoal, self._phase, self.queue = outcome, "orders", [0, 1, 2, 3]
        else:
            insort(self.hands[player], outcome)

    def chance_text(self, outcome: int) -> str:
        return f"shoal {outcome}" if self._phase == "shoal" else f"{AGENTS[self._short() or 0]} is dealt {outcome}"

    # What players know

    def for_search(self, player: int | None = None) -> LagoonState:
        return self._game.position(**self.view(player).to_dict())

    def resample(self, player: int | None = None, seed: int | None = None) -> LagoonState:
        chooser = random.Random(None if seed is None else check_seed(seed))
        return LagoonState(self._game, None).read(self.view(player), chooser)

    def read(self, view: LagoonView, chooser: random.Random | None = None) -> LagoonState:
        """Become the position of a view; hands that are not known are drawn by `chooser`, or always alike from what is
        known.
        """
        self.round, self._phase, self.shoal = view.round, view.phase, view.shoal
        self.points, self.seen = list(view.points), list(view.seen)
        self.last = [list(steps) for steps in view.last]
        self.hands = [[] if hand is None else sorted(hand) for hand in view.hands]
        self.entered = [[] if steps is None else list(steps) for steps in view.entered]
        own = [player for player in range(4) if view.entered[player] is not None]
        if view.phase == "orders":
            self.queue = [p for p in own if not self._done(p)] + [p for p in range(4) if p not in own]
        chooser = chooser or random.Random(json.dumps(view.to_dict()))
        pool = [value for value, left in zip(VALUES, self.deck(), strict=True) for _ in range(left)]
        chooser.shuffle(pool)
        for player, hand in enumerate(view.hands):
            if hand is None:
                size = HAND - view.missing[player]
                self.hands[player], pool = sorted(pool[:size]), pool[size:]
        return self

    def _done(self, player: int) -> bool:
        steps = self.entered[player]
        return bool(steps) and len(steps) == 1 + (steps[0] >= PLAY + 3) + (steps[0] >= PLAY + 5)

    # Ways to look at it

    def observation(self, player: int, out: NDArray[Any] | None = None, raw: bool = False) -> NDArray[Any]:
        values = [0] * 16 + self.points
        values[player] = values[4 + PHASES.index(self._phase)] = values[9 + self.shoal] = 1
        values[8] = min(self.round, self._game.rounds)
        values += map(self.hands[player].count, VALUES)
        values += self.seen
        for steps in (self.entered[player], *self.last):
            values += (*steps, 0, 0, 0)[:3]
        vector: NDArray[Any] = np.array(values, np.int16)
        if not check_flag("raw", raw):
            return np.multiply(vector, self._game.scale, out)
        if out is None:
            return vector
        out[:] = vector
        return out

    def _look(self, knows: Any) -> LagoonView:
        return LagoonView(
            self.round,
            self._phase,
            self.shoal,
            tuple(self.points),
            tuple(tuple(hand) if knows(player) else None for player, hand in enumerate(self.hands)),
            tuple(HAND - len(hand) for hand in self.hands),
            tuple(tuple(steps) if knows(player) else None for player, steps in enumerate(self.entered)),
            tuple(self.seen),
            tuple(map(tuple, self.last)),
        )

    def view(self, player: int | None = None) -> LagoonView:
        who = check_player(self, player)
        return self._look(lambda other: self.is_terminal or (who != SPECTATOR and other == who))

    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        view = self._look(lambda other: True) if check_flag("secrets", secrets) else self.view(player)
        data = {"ruleset": self._game.ruleset_hash, **vars(view)}
        if secrets:
            data["queue"] = self.queue
            if self.generator is not None:
                data["generator"] = self.generator.getstate()
        return json.dumps(data)
