"""The narration of ALOHA: stages as chapters, conflicts as scenes, each event in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from hawaii_env.aloha.game import Game
from hawaii_env.aloha.pictures.names import (
    COLOURS,
    CONFLICTS,
    STAGE_NAMES,
    amounts,
    effect,
    island_name,
    player_name,
    takes,
)
from hawaii_env.aloha.positions import View
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.game import Chance, Event, State
from hawaii_env.game import Game as AnyGame
from hawaii_env.narration import Line, Side
from hawaii_env.texts import spell

__all__ = ["AlohaNarration"]


_WORDS = {
    "settle 1": "settles on {0}", "migrate 2": "migrates from {0} to {1}", "amount 1": "{0} Pure Hawaiian tokens go",
    "amount 1 token": "1 Pure Hawaiian token goes", "warrior 0": "takes a warrior",
    "warrior 1": "takes a warrior with the Action token of {0}", "king 1": "places the King/Queen token on {0}",
    "done 0": "converts no more", "pass 0": "has no action left",
}  # fmt: skip
"""Sentences for actions, by the verb and the number of words."""


class AlohaNarration:
    """The narration of one game of ALOHA."""

    scene_name = "conflict"
    chapter_name = "stage"
    score_name = "points"

    def __init__(self, game: AnyGame) -> None:
        self.ruleset: Ruleset = cast(Game, game).ruleset
        self.sides: list[Side] = [
            Side(player_name(agent), COLOURS[index], player_name(agent)[0]) for index, agent in enumerate(game.agents)
        ]
        self._stage: str | None = None
        self._scene: str | None = None

    def narrate(self, events: Sequence[Event], before: State, after: State) -> list[Line]:
        """Return the lines of the next step, one for each of its events."""
        was, now = cast(View, before.view()), cast(View, after.view())
        lines: list[Line] = []
        for number, event in enumerate(events):
            chapter = STAGE_NAMES[was.stage] if was.stage != self._stage else None
            self._stage = was.stage
            ended = self._ended(was, now) if number == len(events) - 1 else ""
            if isinstance(event, Chance):
                line = self._chance(event, was, now, chapter)
            else:
                self._scene = None
                line = Line(self._words(event.text, was, now), chapter, chapter, player=event.player)
            lines.append(replace(line, text=line.text + ended))
        return lines

    def score(self, state: State) -> list[int]:
        """Return each player's points so far."""
        return [own.points for own in cast(View, state.view()).players.values()]

    def _ended(self, was: View, now: View) -> str:
        """Return the sentences of a step that ends a stage: the governor, the points."""
        if was.stage == now.stage and now.phase != "over":
            return ""
        governor = ""
        if now.phase == "over":
            elected = [agent for agent, own in now.players.items() if "epilogue monarch" in own.cards]
            governor = f"; {player_name(elected[0]) if elected else 'an independent'} is Governor"
        points = [
            f"{player_name(agent)} {own.points} (+{own.points - was.players[agent].points})"
            for agent, own in now.players.items()
        ]
        return f"{governor}; points: {', '.join(points)}"

    def _chance(self, event: Chance, was: View, now: View, chapter: str | None) -> Line:
        if event.kind == "die":
            begins = self._scene != was.stage
            self._scene = was.stage
            scene = CONFLICTS[was.stage]
            left = was.dice["left"] if was.dice else ()
            roller = next((p for p, dice in enumerate(left) if dice), -1)
            text = f"{self.sides[roller].name} rolls {event.outcome}" if roller >= 0 else f"rolls {event.outcome}"
            if now.king is not None and now.stage != was.stage:
                monarch = spell(self.ruleset.royal_title(f"{was.stage} monarch"))
                text += f"; {player_name(now.king)} has the highest total and gets the card of {monarch}"
            head = scene if begins else None
            return Line(text, chapter, head, head, True, event.outcome, roller)
        if event.kind == "first_player":
            return Line(f"{self.sides[event.outcome].name} begins", chapter, chapter)
        card = self.ruleset.card(was.stage, event.outcome)
        if card.kind != "calamity":
            return Line(f"{spell(card.title)} is drawn", chapter, chapter)
        where = ", ".join(island_name(self.ruleset, island) for island in card.islands)
        text = f"{spell(card.title)}, on {where}: {self._paid(was, now, card.pays)}"
        return Line(text, chapter, chapter, lost=True)

    def _paid(self, was: View, now: View, pays: Mapping[Any, int], but: str | None = None) -> str:
        """Return the players who have paid a calamity, by what they have lost."""
        paid: list[str] = []
        for agent, own in now.players.items():
            given = {name: getattr(was.players[agent], name) - getattr(own, name) for name in pays}
            if agent != but and any(number > 0 for number in given.values()):
                paid.append(f"{player_name(agent)} pays {amounts(given)}")
        return ", ".join(paid) or "nobody is struck"

    def _words(self, text: str, was: View, now: View) -> str:
        verb, *words = text.split()
        names = [island_name(self.ruleset, word) if word in ISLANDS else word for word in words]
        if verb == "event":
            return self._event(int(words[0]) - 1, words[1], was, now)
        if verb == "take":
            return f"takes {amounts(takes(self.ruleset, was.stage, words[0]))} on {names[0]}"
        if verb == "convert":
            into = {"vote": "a Home Rule token"}.get(words[1], words[1].capitalize())
            what = words[0].capitalize() if words[1] == "vote" else f"a Pure Hawaiian token of {names[0]}"
            return f"converts {what} into {into}"
        return _WORDS[f"{verb} {len(words)}{' token' * (text == 'amount 1')}"].format(*names)

    def _event(self, slot: int, island: str, was: View, now: View) -> str:
        number = was.face_up[slot]
        if number is None:
            return f"an event, on {island_name(self.ruleset, island)}"
        card = self.ruleset.card(was.stage, number)
        played = f"plays {spell(card.title)} on {island_name(self.ruleset, island)}"
        if card.kind == "event":
            return f"{played}: {effect(card)}"
        got = f"receives {amounts(card.receives)}; " if card.receives else ""
        return f"{played}: {got}{self._paid(was, now, card.pays, but=was.to_act)}"
