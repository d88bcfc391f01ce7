"""A state driven at random through what may be done with it, each position checked as the fuzzer does [7.2]."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hawaii_env.errors import HawaiiError
from hawaii_env.fuzz import check_state
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795.game import State

from .helpers import GAMES, data_of, move_on

COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda state: state.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    "json": lambda state: state.game.state_from_json(state.to_json(secrets=True)),
    "position": lambda state: state.game.position(**state.view().to_dict()),
    "search": lambda state: state.for_search(),
}


class Driven(RuleBasedStateMachine):
    """Holds a state, which copies of it follow now and then."""

    state: State

    @initialize(
        game=st.sampled_from(GAMES), seed=st.integers(0, 2**64), mode=st.sampled_from(["sampled", "explicit", "traced"])
    )
    def begin(self, game: Any, seed: int, mode: str) -> None:
        if mode == "explicit":
            self.state = game.initial_state(chance="explicit")
        else:
            self.state = game.initial_state(seed, trace=mode == "traced")

    @rule(number=st.integers(0, 10**6))
    def act(self, number: int) -> None:
        if self.state.current_player >= 0:
            legal = self.state.legal_actions()
            self.state.apply(legal[number % len(legal)])

    @precondition(lambda self: self.state.current_player == CHANCE)
    @rule(number=st.integers(0, 10**6), merged=st.booleans())
    def chance(self, number: int, merged: bool) -> None:
        outcomes = self.state.chance_outcomes(merged)
        assert abs(sum(p for _, p in outcomes) - 1) < 1e-9
        self.state.apply_chance(outcomes[number % len(outcomes)][0])

    @rule(seed=st.integers(0, 2**32), steps=st.integers(1, 40))
    def go_on(self, seed: int, steps: int) -> None:
        rng = random.Random(seed)
        for _ in range(steps):
            if self.state.is_terminal:
                return
            move_on(self.state, rng)

    @rule(how=st.sampled_from(list(COPIES)))
    def go_on_as_a_copy(self, how: str) -> None:
        state = self.state
        self.state = COPIES[how](state)
        assert self.state == state and self.state.view() == state.view()
        assert how == "position" or self.state.to_json() == state.to_json()
        assert self.state.chance == (state.chance if how not in ("position", "search") else "explicit")
        assert how not in ("deepcopy", "pickle") or self.state.trace == state.trace

    @rule(seed=st.integers(0, 2**32))
    def other_dice(self, seed: int) -> None:
        before = data_of(self.state)
        other = self.state.clone(seed=seed)
        assert other.chance == "sampled" and other.current_player != CHANCE
        assert data_of(self.state) == before

    @precondition(lambda self: self.state.is_terminal and self.state.chance == "sampled")
    @rule()
    def again(self) -> None:
        self.state = self.state.begin_after(self.state.game, trace=self.state.trace is not None)
        assert not self.state.is_terminal and self.state.decisions == 0

    @rule(
        text=st.sampled_from(
            ["done", "pass", "fleet kona", "recruit canoe waikiki", "lose canoe", "retreat maui", "nonsense"]
        )
    )
    def say(self, text: str) -> None:
        try:
            action = self.state.game.parse_action(self.state, text)
        except HawaiiError:
            return
        assert action in self.state.legal_actions()

    @invariant()
    def what_always_holds(self) -> None:
        if hasattr(self, "state"):
            check_state(self.state)


Driven.TestCase.settings = settings(stateful_step_count=25)
TestDriven = Driven.TestCase
