"""Figures of games between equal agents, for any game: shares by seat, ties, reasons, lengths.

A module of this package with a game's name adds the figures of that game: it may define `Watch`, `summarise`,
`figures`, `pictures` and `NUMBERS`, in the form of those here.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from hawaii_env.arena.sprt import mean_interval
from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State

Games = Sequence[dict[str, Any]]
"""Results of games, as `calibrate.play` returns them."""
NUMBERS = {"decisions"}
"""Figures that are not shares."""


def module_of(game: str) -> Any:
    """Return the module with the figures of a game; this one if it has none of its own."""
    name = f"{__name__}.{game}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else importlib.import_module(__name__)


class Watch:
    """An observer of one game between equal agents.

    Args:
        game: the game.
        agent: agent string of all players.
        seed: of the game.
        settings: what else the game's figures need; names are those of `SETTINGS`.
    """

    SETTINGS: tuple[str, ...] = ()

    def __init__(self, game: Game, agent: str, seed: int, settings: dict[str, Any]) -> None:
        if unknown := set(settings) - set(self.SETTINGS):
            raise OptionError(f"settings: {game.name} has no {', '.join(unknown)}, only {', '.join(self.SETTINGS)}")
        self.game, self.agent, self.seed, self.settings = game, agent, seed, settings
        self.rng = np.random.default_rng([seed, 1])

    def whole(self) -> dict[str, Any] | None:
        """Return the result of the game if it is played in another way than step by step."""
        return None

    def choose(self, state: State) -> int | None:
        """Return an action in place of the agent's, or None."""
        return None

    def before(self, state: State) -> None:
        """Look at a position before its decision or chance event."""

    def after(self, state: State, action: int | None) -> None:
        """Look at the position after an action, or after a chance event (None)."""

    def result(self, state: State) -> dict[str, Any]:
        """Return what was seen, the game being over."""
        return {}


def share(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean of numbers from 0 to 1 with its 95% interval."""
    mean, *ends = mean_interval(values)
    return {"n": len(values), "share": round(mean, 4) if len(values) else 0.0, "interval": [round(x, 4) for x in ends]}


def part(count: int, n: int) -> dict[str, Any]:
    """Return a share of n cases with its 95% interval."""
    return share([1.0] * count + [0.0] * (n - count))


def mean(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean of numbers with its standard error."""
    found = np.array(values, np.float64)
    if not len(found):
        return {"n": 0}
    error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else 0.0
    return {"n": len(found), "mean": round(float(found.mean()), 4), "error": round(float(error), 4)}


def tied(game: dict[str, Any]) -> bool:
    """Return True if no player won a game alone."""
    return max(game["shares"]) < 1


def summarise(games: Games) -> dict[str, Any]:
    """Return the figures of games in detail, with their intervals."""
    seats = max(len(game["shares"]) for game in games)
    return {
        "games": len(games),
        "seats": [share([game["shares"][seat] for game in games]) for seat in range(seats)],
        "ties": part(sum(map(tied, games)), len(games)),
        "reasons": dict(Counter(game["reason"] for game in games).most_common()),
        "decisions": mean([game["decisions"] for game in games]),
    }


def figures(games: Games) -> dict[str, float]:
    """Return the figures that a study may set aims for, as plain numbers; NaN for what the games do not show."""
    n = len(games)
    return {
        **{
            f"share_{seat + 1}": sum(game["shares"][seat] for game in games) / n
            for seat in range(len(games[0]["shares"]))
        },
        "ties": sum(map(tied, games)) / n,
        "decisions": sum(game["decisions"] for game in games) / n,
        **{f"reason {why}": count / n for why, count in Counter(game["reason"] for game in games).most_common()},
    }


def bounds(summary: dict[str, Any]) -> dict[str, Sequence[float]]:
    """Return the 95% intervals of figures that a `summarise` holds."""
    return {
        **{f"share_{seat + 1}": one["interval"] for seat, one in enumerate(summary["seats"])},
        "ties": summary["ties"]["interval"],
    }


def pictures(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return figures of matplotlib by name for a study's results; the name "" is the study's own."""
    return {}
