"""Figures of Maori Wars between equals: who wins, how, and whether games are open at half time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import calibration
from hawaii_env import agents
from hawaii_env.game import State
from hawaii_env.maori_wars.rules.names import REASONS

from . import Games, part, pictures

__all__ = ["NUMBERS", "Watch", "bounds", "figures", "pictures", "summarise"]

NUMBERS = {"decisions", "ways"}
"""Figures that are no shares."""

WAYS = {"villages": (1,), "settlements": (2,), "points": (0, 3, 4)}
"""The ways to win [1.0], and the indices of their reasons."""


class Watch(calibration.Watch):
    """With the setting `compiled`, searches play in compiled code; both players share their plans."""

    SETTINGS = ("compiled",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.markers: list[int] = []

    def whole(self) -> dict[str, Any] | None:
        """Return the result of a compiled game."""
        if not self.settings.get("compiled"):
            return None
        from hawaii_agents.maori_wars.lookahead import equal_game

        game: Any = self.game
        found = equal_game(game, self.seed, agents.load_agent(self.agent))
        won = found["winner"]
        shares = [0.5, 0.5] if won < 0 else [float(won == player) for player in range(2)]
        return {
            "shares": shares, "reason": REASONS[found["reason"]], "decisions": found["decisions"],
            "markers": found["markers"],
        }  # fmt: skip

    def before(self, state: State) -> None:
        """Note the marker when a turn begins."""
        view: Any = state.view()
        if len(self.markers) < view.turn:
            self.markers.append(view.marker)

    def result(self, state: State) -> dict[str, Any]:
        """Return the markers at the start of each turn; those of turns that were not played are 0."""
        position: Any = state
        return {"markers": self.markers + [0] * (int(position.game.tables.turns) - len(self.markers))}


def _lost(games: Games) -> list[bool]:
    """Return for each game in which a side is ahead at half time if that side loses."""
    half = len(games[0]["markers"]) // 2
    return [game["shares"][int(game["markers"][half] > 0)] == 0 for game in games if game["markers"][half] != 0]


def summarise(games: Games) -> dict[str, Any]:
    """Return the figures of games in detail, with their intervals."""
    lost = _lost(games)
    return {**calibration.summarise(games), "ahead_loses": part(sum(lost), len(lost))}


def bounds(summary: dict[str, Any]) -> dict[str, Sequence[float]]:
    """Return the 95% intervals of figures that a `summarise` holds."""
    lost = {"ahead_loses": summary["ahead_loses"]["interval"]} if "ahead_loses" in summary else {}
    return {**calibration.bounds(summary), "maori": summary["seats"][0]["interval"], **lost}


def figures(games: Games) -> dict[str, float]:
    """Return the Māori score, ties, the ways to win, and how often the side ahead at half time loses."""
    n, lost = len(games), _lost(games)
    ways = {way: sum(game["reason"] in {REASONS[k] for k in why} for game in games) / n for way, why in WAYS.items()}
    return {
        "maori": sum(game["shares"][0] for game in games) / n,
        "ties": sum(map(calibration.tied, games)) / n,
        **ways,
        "ways": float(sum(share > 0.05 for share in ways.values())),
        "ahead_loses": sum(lost) / len(lost) if lost else float("nan"),
        "decisions": sum(game["decisions"] for game in games) / n,
    }
