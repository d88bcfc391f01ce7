"""A state driven at random through everything that may be done with it, wrong calls among them [7.2]."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from refusals import refuses

from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError
from hawaii_env.game import CHANCE, TERMINAL
from hawaii_env.hawaii1795.game import State

from .helpers import GAMES, data_of, move_on

PLACES = ("kona", "hilo", "maui", "molokai", "waikiki", "koolau", "kauai")


class Driven(RuleBasedStateMachine):
    """Holds a state and a shadow of it: a copy made now and then, by which the state is compared."""

    state: State
    cards: dict[tuple[str, str], int]

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

    @rule(how=st.sampled_from(["clone", "copy", "deepcopy", "pickle", "json", "position", "search"]))
    def go_on_as_a_copy(self, how: str) -> None:
        state, game = self.state, self.state.game
        if how == "clone":
            self.state = state.clone()
        elif how == "copy":
            self.state = copy.copy(state)
        elif how == "deepcopy":
            self.state = copy.deepcopy(state)
            assert self.state.trace == state.trace
        elif how == "pickle":
            self.state = pickle.loads(pickle.dumps(state))
            assert self.state.trace == state.trace
        elif how == "json":
            self.state = game.state_from_json(state.to_json(secrets=True))
        elif how == "position":
            self.state = game.position(**state.view().to_dict())
        else:
            self.state = state.for_search()
        assert self.state == state and self.state.view() == state.view()
        assert how == "position" or self.state.to_json() == state.to_json()
        assert self.state.chance == (state.chance if how not in ("position", "search") else "explicit")

    @rule(seed=st.integers(0, 2**32))
    def other_dice(self, seed: int) -> None:
        before = data_of(self.state)
        other = self.state.clone(seed=seed)
        assert other.chance == "sampled" and other.current_player != CHANCE
        assert data_of(self.state) == before

    @precondition(lambda self: self.state.is_terminal and self.state.chance == "sampled")
    @rule()
    def again(self) -> None:
        self.state = self.state.next_episode()
        assert not self.state.is_terminal and self.state.decisions == 0

    @rule(action=st.one_of(st.integers(-5, 1000), st.floats(), st.booleans(), st.none(), st.text(max_size=3)))
    def wrong_action(self, action: Any) -> None:
        if type(action) is int and action in self.state.legal_actions():
            return
        before = data_of(self.state)
        refuses((IllegalActionError, GameOverError), ("", lambda: self.state.apply(action)))
        assert data_of(self.state) == before

    @rule(outcome=st.one_of(st.integers(10, 20), st.integers(-5, 0), st.floats(), st.booleans(), st.none()))
    def wrong_outcome(self, outcome: Any) -> None:
        before = data_of(self.state)
        refuses((IllegalActionError, GameOverError), ("", lambda: self.state.apply_chance(outcome)))
        assert data_of(self.state) == before

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
        if not hasattr(self, "state"):
            return
        state, game = self.state, self.state.game
        game.invariants(state)
        view = state.view()
        pieces = [p for places in view.units.values() for texts in places.values() for p in texts]
        assert len(pieces) + sum(len(texts) for texts in view.box.values()) + len(view.dead) == 39
        assert sum(state.returns()) == 0 and (state.outcome() is None) == (state.current_player != TERMINAL)
        assert np.flatnonzero(state.legal_mask()).tolist() == state.legal_actions()
        for player in (0, 1):
            vector = state.observation(player)
            assert (vector >= game.observation_low).all() and (vector <= game.observation_high).all()
        if view.half == "kamehameha" and view.phase in ("movement", "recruiting"):
            assert view.card is not None


Driven.TestCase.settings = settings(stateful_step_count=25)
TestDriven = Driven.TestCase
