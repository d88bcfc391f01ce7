"""Games that go on: by the texts of moves, and at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TypeVar

from hawaii_env.game import Event, Game, State

S = TypeVar("S", bound=State)


def texts(state: State) -> list[str]:
    """Return the texts of the legal actions."""
    return [state.game.action_text(action) for action in state.legal_actions()]


def play(state: S, *moves: str | int) -> S:
    """Choose by texts, and let chance fall on numbers, in turn."""
    for move in moves:
        if isinstance(move, int):
            state.apply_chance(move)
        else:
            state.apply(state.game.parse_action(state, move))
    return state


def step(state: State, rng: random.Random) -> None:
    """Take a random decision, or let chance fall at random."""
    if state.current_player < 0:
        state.apply_chance(rng.choice([outcome for outcome, _ in state.chance_outcomes()]))
    else:
        state.apply(rng.choice(state.legal_actions()))


def walk(game: Game, seed: int, most: int = 10**6) -> Iterator[tuple[State, list[Event], State]]:
    """Yield the steps of a random game: a copy of the position before, the events, the position after."""
    state, rng = game.initial_state(chance="explicit", trace=True), random.Random(seed)
    for _ in range(most):
        if state.is_terminal:
            return
        before, known = state.clone(), len(state.trace or [])
        step(state, rng)
        yield before, list(state.trace or [])[known:], state
