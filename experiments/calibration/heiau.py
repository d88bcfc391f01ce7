"""Figures of Heiau Diplomacy between equals: the year of the victory, and the share of each power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import calibration
from hawaii_agents.training.logs import figure
from hawaii_env import agents
from hawaii_env.game import State

from . import NUMBERS, Games, bounds, figures

__all__ = ["NUMBERS", "Watch", "bounds", "figures", "pictures", "summarise"]


class Watch(calibration.Watch):
    """With the setting `compiled`, best responses play in compiled code; retreats and adjustments are simpler there."""

    SETTINGS = ("compiled",)

    def whole(self) -> dict[str, Any] | None:
        """Return the result of a compiled game."""
        if not self.settings.get("compiled"):
            return None
        from hawaii_agents.heiau.self_play import equal_game

        game: Any = self.game
        found = equal_game(game, self.seed, agents.load_agent(self.agent))
        return {"shares": found["shares"], "reason": "compiled", "decisions": 0, "year": found["year"]}

    def result(self, state: State) -> dict[str, Any]:
        """Return the last year."""
        last: Any = state
        return {"year": last.record.year}


def summarise(games: Games) -> dict[str, Any]:
    """Return the figures of games in detail; ``years`` are those of the victories."""
    years = [game["year"] for game in games if not calibration.tied(game)]
    return {**calibration.summarise(games), "years": years}


def pictures(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draw the shares of the powers by scenario, and the games that are won by each year."""
    made = figure(11, 4.6)
    left, right = made.subplots(1, 2)
    for row, one in enumerate(reversed(parts)):
        start = 0.0
        for power, share in zip(one["agents"], (seat["share"] for seat in one["seats"]), strict=True):
            dark = start + share / 2 < 0.6
            left.barh(row, share, left=start, color=_colour("cividis", start + share / 2), edgecolor="white")
            name = power.partition("_")[0] if share > 0.017 * len(power.partition("_")[0]) else ""
            style = {"ha": "center", "va": "center", "fontsize": 7, "color": "white" if dark else "black"}
            left.text(start + share / 2, row, name, **style)
            start += share
    left.set_yticks(range(len(parts)), [one["name"] for one in reversed(parts)])
    left.set(xlabel="share of the victory between equals", xlim=(0, 1))
    last = max((year for one in parts for year in one["years"]), default=1)
    for index, one in enumerate(parts):
        ended = [sum(y <= year for y in one["years"]) / one["games"] for year in range(1, last + 1)]
        colour = _colour("viridis", index / max(1, len(parts) - 1))
        right.plot(range(1, last + 1), ended, ("-", "--", ":")[index % 3], color=colour, label=one["name"])
    right.set(xlabel="year", ylabel="games that are won by then", ylim=(0, 1.02))
    right.legend(fontsize=7, ncols=2)
    return {"": made}


def _colour(name: str, at: float) -> Any:
    import matplotlib

    return matplotlib.colormaps[name](at)
