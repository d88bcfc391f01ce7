"""An engine and the referee in lockstep: who decides, texts, chance, returns and the view after every step.

The engine is used through the names of section 10 of the page alone.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from .players import BIASES, POLICIES, fall
from .referee import Referee


class Disagreement(AssertionError):
    """Engine and referee differ. `about` says in what; `history` leads there."""

    def __init__(self, about: str, history: list[str], referee: Referee) -> None:
        table = referee.table
        where = f"turn {table.turn}, {table.mover}, {table.phase}"
        super().__init__(f"{about}\n{where}\n{' | '.join(history[-40:])}\n" + "\n".join(referee.position()))
        self.about, self.history = about, history


def difference(state: Any, referee: Referee) -> str:
    """What differs at a node, or nothing."""
    if state.current_player != referee.current_player:
        texts = (
            [state.game.action_text(action) for action in state.legal_actions()] if state.current_player >= 0 else []
        )
        return f"current_player {state.current_player} {texts}, not {referee.current_player} {referee.node}"
    if bool(state.is_terminal) != referee.is_terminal:
        return f"is_terminal {state.is_terminal}"
    if referee.current_player >= 0:
        texts = [state.game.action_text(action) for action in state.legal_actions()]
        if sorted(texts) != sorted(referee.legal_texts()):
            more, less = set(texts) - set(referee.legal_texts()), set(referee.legal_texts()) - set(texts)
            twice = len(texts) - len(set(texts))
            return f"texts: engine alone {sorted(more)}, referee alone {sorted(less)}, twice {twice}"
    elif not referee.is_terminal:
        told, wanted = dict(state.chance_outcomes()), dict(referee.chance_outcomes())
        if told.keys() != wanted.keys() or any(abs(told[number] - wanted[number]) > 1e-9 for number in wanted):
            return f"chance_outcomes {told}, not {wanted}"
        for number in wanted:
            if state.chance_text(number).split()[0] != referee.chance_text(number).split()[0]:
                return f"chance_text {state.chance_text(number)}, not {referee.chance_text(number)}"
    else:
        return difference_at_end(state, referee)
    return difference_of_views(state, referee)


def difference_of_views(state: Any, referee: Referee) -> str:
    """What differs in the fields of the view that are compared."""
    view, wanted = state.view().to_dict(), referee.view()
    told = {key: view.get(key) for key in wanted}
    return "" if told == wanted else f"view {told}, not {wanted}"


def difference_at_end(state: Any, referee: Referee) -> str:
    """What differs in returns, winner, shares and places."""
    if list(state.returns()) != referee.returns():
        return f"returns {state.returns()}, not {referee.returns()}"
    told, wanted = state.outcome(), referee.outcome()
    found = (told.winner, tuple(told.shares), tuple(told.places))
    if found != (wanted.winner, wanted.shares, wanted.places):
        return f"outcome {told}, not {wanted}"
    return difference_of_views(state, referee)


def take(state: Any, answer: str | int) -> None:
    """Have the engine take a text, or chance fall on a number."""
    if isinstance(answer, int):
        state.apply_chance(answer)
    else:
        state.apply({state.game.action_text(action): action for action in state.legal_actions()}[answer])


def play(
    state: Any, referee: Referee, rng: random.Random, policies: tuple[str, str] | None = None, bias: str | None = None
) -> Counter[str]:
    """Both to the end of a game; returns what was reached."""
    names = policies or (rng.choice(list(POLICIES)), rng.choice(list(POLICIES)))
    bias = rng.choice(BIASES) if bias is None else bias
    history: list[str] = []
    while True:
        try:
            about = difference(state, referee)
        except Exception as error:
            raise Disagreement(repr(error), history, referee) from error
        if about:
            raise Disagreement(about, history, referee)
        if referee.is_terminal:
            return referee.events + Counter(games=1)
        answer: str | int
        if referee.current_player < 0:
            answer = fall(referee, rng, bias)
            history.append(referee.chance_text(answer))
        else:
            answer = POLICIES[names[referee.current_player]](referee, rng)
            history.append(f"{referee.current_player} {answer}")
        try:
            take(state, answer)
        except Exception as error:
            raise Disagreement(f"the engine fails: {error!r}", history, referee) from error
        if isinstance(answer, int):
            referee.apply_chance(answer)
        else:
            referee.apply(answer)
        referee.table.events["nodes"] += 1


__all__ = ["Disagreement", "difference", "play"]
