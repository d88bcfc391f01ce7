"""Figures of ALOHA between equals: shares by place in the Prologue and by island, first choices, sources of points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import calibration
from hawaii_agents.training.logs import figure
from hawaii_env.aloha.rules import scoring
from hawaii_env.aloha.rules.names import ISLANDS, SETS, STAGES
from hawaii_env.game import CHANCE, Game, State

from . import NUMBERS, Games, bounds

__all__ = ["NUMBERS", "Watch", "bounds", "figures", "pictures", "summarise"]

RESOURCES = ("hawaiian", "commerce", "aloha")
SOURCES = (
    "monarchs", "island cards", *(f"majorities of {name}" for name in RESOURCES), "Governor", "Representatives",
    *(f"{name} at the end" for name in RESOURCES),
)  # fmt: skip


class Watch(calibration.Watch):
    """With the setting `prologue = "random"`, the Prologue is played at random: the control of its order."""

    SETTINGS = ("prologue",)

    def __init__(self, game: Game, agent: str, seed: int, settings: dict[str, Any]) -> None:
        super().__init__(game, agent, seed, settings)
        n = game.num_players
        self.sources = [dict.fromkeys(SOURCES, 0) for _ in range(n)]
        self.settled, self.order = [""] * n, [0] * n

    def choose(self, state: State) -> int | None:
        """Return a random action in the Prologue of the control."""
        position: Any = state
        if self.settings.get("prologue") == "random" and position.stage == "prologue":
            return int(self.rng.choice(state.legal_actions()))
        return None

    def before(self, state: State) -> None:
        """Note the stage, and who settles."""
        position: Any = state
        self.stage, self.settler = position.stage, state.current_player if state.phase == "settle" else CHANCE

    def after(self, state: State, action: int | None) -> None:
        """Note the island that was settled on, and the points of a stage that has ended."""
        position: Any = state
        if self.settler != CHANCE and action is not None:
            self.settled[self.settler] = self.game.action_text(action).split()[1]
            self.order[self.settler] = sum(map(bool, self.settled)) - 1
        if position.stage != self.stage or state.is_terminal:
            self._add_sources(position)

    def _add_sources(self, state: Any) -> None:
        tables, then, ruleset = state.game.tables, state.interpreted().copy(), state.game.ruleset.scoring
        then.stage = STAGES.index(self.stage)
        for player, seen in enumerate(state.view().players.values()):
            found = self.sources[player]
            cards = [card.split()[1] for card in seen.cards if card.startswith(f"{self.stage} ")]
            monarchs, islands = cards.count("monarch"), len(cards) - cards.count("monarch")
            if self.stage in SETS[:3]:
                values = getattr(ruleset, self.stage)
                found["monarchs"] += values.monarch * monarchs
                found["island cards"] += values.island * islands
            for resource, name in enumerate(RESOURCES):
                if self.stage.startswith("chapter"):
                    found[f"majorities of {name}"] += scoring.majority_points(tables, then, player, resource)
                if self.stage == "epilogue":
                    worth = getattr(ruleset.epilogue.tokens_for_a_point, name)
                    found[f"{name} at the end"] += scoring.scored(then, player, resource) // worth
            if self.stage == "epilogue":
                found["Governor"] += ruleset.epilogue.governor * monarchs
                found["Representatives"] += ruleset.epilogue.island * islands

    def result(self, state: State) -> dict[str, Any]:
        """Return the order of the Prologue, islands and sources of points, by player."""
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.scores is not None
        assert [sum(found.values()) for found in self.sources] == list(outcome.scores), "every point has its source"
        return {"order": self.order, "settled": self.settled, "sources": self.sources}


def _shares(games: Games, key: str, value: object) -> list[float]:
    """Return the shares of the victory of all players whose `key` is `value`."""
    return [share for game in games for share, own in zip(game["shares"], game[key], strict=True) if own == value]


def summarise(games: Games) -> dict[str, Any]:
    """Return the figures of games of one number of players in detail."""
    first = Counter(game["settled"][game["order"].index(0)] for game in games)
    every = Counter(island for game in games for island in game["settled"])
    points: Counter[str] = sum((Counter(found) for game in games for found in game["sources"]), Counter())
    scores = [score for game in games for score in game["scores"]]
    places = range(len(games[0]["shares"]))
    return {
        **calibration.summarise(games),
        "places": [calibration.share(_shares(games, "order", place)) for place in places],
        "islands": {
            island: {
                **calibration.share(_shares(games, "settled", island)),
                "first_choice": first[island] / len(games),
                "chosen": every[island] / len(games),
            }
            for island in ISLANDS
        },
        "sources": {name: points[name] / points.total() for name in SOURCES},
        "points": {"mean": sum(scores) / len(scores), "least": min(scores), "most": max(scores)},
    }


def figures(games: Games) -> dict[str, float]:
    """Return plain numbers: how far places are from a fair share, the greatest first choice and source of points."""
    found, fair = summarise(games), 1 / len(games[0]["shares"])
    return {
        **calibration.figures(games),
        "place_off_fair": max(abs(place["share"] - fair) for place in found["places"]),
        "greatest_first_choice": max(one["first_choice"] for one in found["islands"].values()),
        "greatest_source": max(found["sources"].values()),
    }


def pictures(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draw shares by place with their intervals, first choices of islands and sources of points."""
    parts = [one for one in parts if not one["settings"] and "control" not in one["name"]]
    made = figure(11, 4)
    places, islands, sources = made.subplots(1, 3, gridspec_kw={"width_ratios": (1, 1, 1.4)})
    for k, one in enumerate(parts):
        n, shift, label = len(one["places"]), 0.25 * (k - 1), one["name"]
        shares = [100 * place["share"] for place in one["places"]]
        bars = [[100 * abs(place["interval"][end] - place["share"]) for place in one["places"]] for end in (0, 1)]
        at = [place + 1 + 0.12 * (k - 1) for place in range(n)]
        line = places.errorbar(at, shares, yerr=bars, fmt="o", capsize=3, label=label)
        places.hlines(100 / n, 0.7, n + 0.3, colors=line[0].get_color(), linestyles="dotted")
        chosen = [100 * one["islands"][island]["first_choice"] for island in ISLANDS]
        islands.bar([x + shift for x in range(len(ISLANDS))], chosen, 0.25, label=label)
        brought = [100 * one["sources"][name] for name in SOURCES]
        sources.barh([y + shift for y in range(len(SOURCES))], brought, 0.25, label=label)
    places.set(title="Share of the victory by place, %", xlabel="place in the Prologue (dotted: fair)")
    places.set_xticks(range(1, 5))
    islands.set(title="Who settles first chooses, %")
    islands.set_xticks(range(len(ISLANDS)), [island.capitalize() for island in ISLANDS], rotation=45)
    sources.set(title="Share of all points, %")
    sources.set_yticks(range(len(SOURCES)), SOURCES)
    sources.invert_yaxis()
    places.legend()
    return {"": made}
