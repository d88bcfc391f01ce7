"""After Fall: ownership, victory, draws [Background]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .legal import holdings
from .state import NOBODY
from .tables import HEIAU, LAST_YEAR, N_POWERS, N_SPACES, POSTS_WIN, SCORING, VICTORY

__all__ = ["REASONS", "SCORINGS", "centres", "end_fall", "reason_text", "still_in"]

SCORINGS = ("draw_size", "solo", "sum_of_squares")
DRAW_SIZE, SOLO, SUM_OF_SQUARES = range(3)
REASONS = (
    "",
    "{most} heiaus at the end of Fall [Background]",
    "all others are out [R-22]",
    "nobody is left in [R-22]",
    "a draw after year {last_year} [R-23]",
)
GOES_ON, HEIAUS, OTHERS_OUT, NOBODY_IN, LAST_FALL = range(5)


def reason_text(reason: int, most: int, last_year: int) -> str:
    """Why a game ended, in words."""
    return REASONS[reason].format(most=most, last_year=last_year)


@rule
def centres(rules: Any, spaces: Any, power: int, posts: int) -> int:
    """How many heiaus, and posts unless they do not count, a power owns."""
    n = 0
    for space in range(rules[N_SPACES]):
        if spaces[space].owner == power and (posts != 0 or rules[rules[HEIAU] + space] != 0):
            n += 1
    return n


@rule
def still_in(rules: Any, spaces: Any, power: int) -> bool:
    """The power has a unit, a heiau or a post; any other is out."""
    owned, land, fleets = holdings(rules, spaces, power)
    return owned + land + fleets > 0


@rule
def end_fall(rules: Any, state: Any, spaces: Any) -> bool:
    """End a Fall turn: who occupies a heiau or post owns it; then say whether the game is over [Background, R-21, R-22,
    R-23].
    """
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        if at.kind != NOBODY and (at.post != 0 or rules[rules[HEIAU] + space] != 0):
            at.owner = at.power
    most, winner, alone = -1, -1, False
    left, last = 0, -1
    for power in range(rules[N_POWERS]):
        count = centres(rules, spaces, power, rules[POSTS_WIN])
        if count > most:
            most, winner, alone = count, power, True
        elif count == most:
            alone = False
        if still_in(rules, spaces, power):
            left += 1
            last = power
    if most >= rules[VICTORY] and alone:
        state.most = most
        win(rules, state, winner, HEIAUS)
    elif left == 1:
        win(rules, state, last, OTHERS_OUT)
    elif left == 0 or state.year >= rules[LAST_YEAR]:
        state.reason = NOBODY_IN if left == 0 else LAST_FALL
        draw(rules, state, spaces)
    return state.reason != GOES_ON


@rule
def win(rules: Any, state: Any, winner: int, reason: int) -> None:
    """One power has the victory alone."""
    state.reason = reason
    for power in range(rules[N_POWERS]):
        state.weight[power] = 1 if power == winner else 0


@rule
def draw(rules: Any, state: Any, spaces: Any) -> None:
    """A draw is shared among the powers by the option `scoring`; equally where nobody owns anything."""
    total = 0
    for power in range(rules[N_POWERS]):
        owned = centres(rules, spaces, power, 1)
        weight = 1
        if rules[SCORING] == DRAW_SIZE:
            weight = min(owned, 1)
        elif rules[SCORING] == SUM_OF_SQUARES:
            weight = owned * owned
        state.weight[power] = weight
        total += weight
    if total == 0:
        for power in range(rules[N_POWERS]):
            state.weight[power] = 1
