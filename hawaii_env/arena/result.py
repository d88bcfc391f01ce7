"""The result of one game, as ratings and reports want it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GameResult"]


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game.

    Attributes:
        seats: the keys of the players, by seat (0 is the side that moves first in a two-player game).
        scores: what each seat scored: 1 a win, 0 a loss, 1/2 a tie; they sum to 1.
        pairing: key of the games that belong together: one seed, sides swapped.
        forfeit: the seat that forfeited the game, or None.
        decisions: decisions that each seat took; empty where nobody counted.
        seconds: time that each seat took over them.
    """

    seats: tuple[str, ...]
    scores: tuple[float, ...]
    pairing: str = ""
    forfeit: int | None = None
    decisions: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
