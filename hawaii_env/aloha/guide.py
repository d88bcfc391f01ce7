"""Advice of the page to players of ALOHA: their standing in what scores next, on the islands, in the
conflict, in the election; and how the game ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from hawaii_env.aloha.game import Game
from hawaii_env.aloha.pictures.names import (
    CONFLICTS,
    RESOURCE_NAMES,
    card_votes,
    island_name,
    monarch_name,
    player_name,
    scoring_words,
)
from hawaii_env.aloha.positions import PlayerView, View
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.game import Game as AnyGame
from hawaii_env.game import State

__all__ = ["AlohaGuide"]


def _against(own: int, others: Sequence[tuple[str, int]]) -> tuple[str, str]:
    """Return how a player's number compares with the others': a text, and the mark."""
    name, most = max(others, key=lambda other: other[1])
    if own > most:
        return f"you lead with {own} against {most} ({name})", "done"
    if own == most:
        return f"you are level with {name} at {own}", "danger" if own else "open"
    return f"you have {own}, {name} has {most}", "open"


class AlohaGuide:
    """The guide that the game's spec names; see `hawaii_env.web.strings.Guide`."""

    warns = warning = ""
    offer = "Guide me: where I stand in what scores next"

    def __init__(self, game: AnyGame) -> None:
        self.ruleset: Ruleset = cast(Game, game).ruleset

    def advice(self, state: State, player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Guide.advice`."""
        view = cast(View, state.view())
        agent = state.game.agents[player]
        own = view.players[agent]
        others = [(player_name(name), other) for name, other in view.players.items() if name != agent]
        sections = [{"title": "The points of this stage", "lines": self._points(view, own, others)}]
        if view.stage != "chapter_3":
            title = "Who holds each island’s card" if view.stage != "epilogue" else "The Representatives"
            sections.append({"title": title, "lines": self._islands(own, others)})
        if view.stage in CONFLICTS:
            said, mark = _against(own.warrior, [(name, other.warrior) for name, other in others])
            text = f"Warriors: {said}. Most warriors roll a third die for {monarch_name(self.ruleset, view.stage)}."
            sections.append({"title": CONFLICTS[view.stage], "lines": [{"text": text, "mark": mark}]})
        else:
            votes = [(name, self._votes(other)) for name, other in others]
            said, mark = _against(self._votes(own), votes)
            governor = self.ruleset.scoring.epilogue.governor
            text = f"Votes: {said}. The Governor scores {governor} [E3]."
            sections.append({"title": "The election", "lines": [{"text": text, "mark": mark}]})
        return {"sections": sections, "warnings": {}}

    def _votes(self, own: PlayerView) -> int:
        return own.vote + card_votes(self.ruleset, own.cards)

    def _points(self, view: View, own: PlayerView, others: Sequence[tuple[str, PlayerView]]) -> list[dict[str, str]]:
        lines = [{"text": f"{text}.", "mark": ""} for text in scoring_words(self.ruleset, view.stage, len(others) + 1)]
        if view.stage.startswith("chapter"):
            for name in ("hawaiian", "commerce", "aloha"):
                said, mark = _against(getattr(own, name), [(who, getattr(other, name)) for who, other in others])
                lines.append({"text": f"{RESOURCE_NAMES[name]}: {said}.", "mark": mark})
        return lines

    def _islands(self, own: PlayerView, others: Sequence[tuple[str, PlayerView]]) -> list[dict[str, str]]:
        lines: list[dict[str, str]] = []
        for index, island in enumerate(ISLANDS):
            counts = [(name, other.tokens[index]) for name, other in others]
            if own.tokens[index] or any(count for _, count in counts):
                said, mark = _against(own.tokens[index], counts)
                lines.append({"text": f"{island_name(self.ruleset, island)}: {said}.", "mark": mark})
        return lines or [{"text": "Nobody has settled yet.", "mark": ""}]

    def why(self, state: State) -> str:
        """See `hawaii_env.web.strings.Guide.why`."""
        view = cast(View, state.view())
        elected = [name for name, own in view.players.items() if "epilogue monarch" in own.cards]
        votes = ", ".join(f"{player_name(name)} {self._votes(own)}" for name, own in view.players.items())
        who = player_name(elected[0]) if elected else "An independent"
        return f"{who} was elected Governor (votes: {votes})."
