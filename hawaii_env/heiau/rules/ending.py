"""After Fall: ownership, victory, draws [Background]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .knowledge import power_of
from .legal import holdings
from .state import NOBODY

__all__ = [
    "REASONS", "REASON_TEXTS", "SCORINGS", "centres", "end_fall", "reason", "reason_text", "still_in", "winner",
    "write_returns",
]  # fmt: skip

SCORINGS = ("draw_size", "solo", "sum_of_squares")
DRAW_SIZE, SOLO, SUM_OF_SQUARES = range(3)
REASONS = (
    "",
    "{most} heiaus at the end of Fall [Background]",
    "all others are out [R-22]",
    "nobody is left in [R-22]",
    "a draw after year {last_year} [R-23]",
    "alone owns heiaus or posts after year {last_year} [R-23]",
)
GOES_ON, HEIAUS, OTHERS_OUT, NOBODY_IN, LAST_FALL, ALONE = range(6)


def reason_text(reason: int, most: int, last_year: int) -> str:
    """Return why a game ended, in words."""
    return REASONS[reason].format(most=most, last_year=last_year)


MAX_YEARS, MAX_HEIAUS = 99, 400
R_LAST_FALL = 3
R_ALONE = R_LAST_FALL + MAX_YEARS
R_HEIAUS = R_ALONE + MAX_YEARS
REASON_TEXTS: tuple[str, ...] = (
    "",
    reason_text(OTHERS_OUT, 0, 0),
    reason_text(NOBODY_IN, 0, 0),
    *(reason_text(reason, 0, year) for reason in (LAST_FALL, ALONE) for year in range(1, MAX_YEARS + 1)),
    *(reason_text(HEIAUS, most, 0) for most in range(MAX_HEIAUS + 1)),
)
"""Why games of a batch ended: what `reason` returns is an index."""


@rule
def reason(rules: Any, state: Any) -> int:
    """[Background] Return why the game ended, an index of REASON_TEXTS."""
    if state.reason == HEIAUS:
        return R_HEIAUS + min(state.most, MAX_HEIAUS)
    if state.reason == LAST_FALL or state.reason == ALONE:
        return (R_LAST_FALL if state.reason == LAST_FALL else R_ALONE) + rules.last_year - 1
    return 1 if state.reason == OTHERS_OUT else 2


@rule
def write_returns(rules: Any, state: Any, returns: Any) -> None:
    """[Background] Write each player's result, (n x share - 1) / (n - 1)."""
    n, total = rules.powers, 0
    for power in range(n):
        total += state.weight[power]
    for player in range(n):
        returns[player] = (n * (state.weight[power_of(rules, state, player)] / total) - 1) / (n - 1)


@rule
def winner(rules: Any, state: Any) -> int:
    """[Background] Return the player whose the whole victory is, or -1: whatever is shared is a draw."""
    found = -1
    for player in range(rules.powers):
        if state.weight[power_of(rules, state, player)] > 0:
            found = player if found == -1 else -2
    return max(found, -1)


@rule
def centres(rules: Any, state: Any, power: int, posts: int) -> int:
    """Return how many heiaus, and posts unless they do not count, a power owns."""
    n = 0
    for space in range(rules.spaces):
        if state.owner[space] == power and (posts != 0 or rules.heiau[space] != 0):
            n += 1
    return n


@rule
def still_in(rules: Any, state: Any, power: int) -> bool:
    """Return True if the power has a unit, a heiau or a post; any other is out."""
    owned, land, fleets = holdings(rules, state, power)
    return owned + land + fleets > 0


@rule
def end_fall(rules: Any, state: Any) -> bool:
    """End a Fall turn: who occupies a heiau or post owns it; then say whether the game is over [Background, R-21, R-22,
    R-23].
    """
    for space in range(rules.spaces):
        if state.kind[space] != NOBODY and (state.post[space] != 0 or rules.heiau[space] != 0):
            state.owner[space] = state.power[space]
    most, winner, alone = -1, -1, False
    left, last = 0, -1
    for power in range(rules.powers):
        count = centres(rules, state, power, rules.posts_win)
        if count > most:
            most, winner, alone = count, power, True
        elif count == most:
            alone = False
        if still_in(rules, state, power):
            left += 1
            last = power
    if most >= rules.victory and alone:
        state.most = most
        win(rules, state, winner, HEIAUS)
    elif left == 1:
        win(rules, state, last, OTHERS_OUT)
    elif left == 0 or state.year >= rules.last_year:
        state.reason = NOBODY_IN if left == 0 else LAST_FALL
        draw(rules, state)
    return state.reason != GOES_ON


@rule
def win(rules: Any, state: Any, winner: int, reason: int) -> None:
    """Give one power the victory alone."""
    state.reason = reason
    for power in range(rules.powers):
        state.weight[power] = 1 if power == winner else 0


@rule
def draw(rules: Any, state: Any) -> None:
    """[R-23] Share a draw among the powers by the option `scoring`; equally if nobody owns anything. With nobody to
    share it with, who alone owns something has won.
    """
    total, sharing = 0, 0
    for power in range(rules.powers):
        owned = centres(rules, state, power, 1)
        weight = 1
        if rules.scoring == DRAW_SIZE:
            weight = min(owned, 1)
        elif rules.scoring == SUM_OF_SQUARES:
            weight = owned * owned
        state.weight[power] = weight
        total += weight
        if weight > 0:
            sharing += 1
    if sharing == 1:
        state.reason = ALONE
    if total == 0:
        for power in range(rules.powers):
            state.weight[power] = 1


@rule
def share_of_centres(rules: Any, state: Any, player: int) -> float:
    """[Background] Return a player's heiaus and posts, by those that win."""
    return centres(rules, state, power_of(rules, state, player), 1) / rules.victory
