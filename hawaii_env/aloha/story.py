"""The story of a game of ALOHA for the replay page: stages as chapters, conflicts as scenes, each event in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from hawaii_env.aloha.pictures.names import (
    COLOURS,
    CONFLICTS,
    STAGE_NAMES,
    amounts,
    effect,
    island_name,
    okina,
    player_name,
)
from hawaii_env.aloha.play import Game
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.game import Chance, Event, State
from hawaii_env.game import Game as AnyGame
from hawaii_env.replay.story import Line, Side

__all__ = ["AlohaStory"]


class AlohaStory:
    """Tells one game of ALOHA."""

    scene_name = "conflict"
    chapter_name = "stage"

    def __init__(self, game: AnyGame) -> None:
        self.ruleset: Ruleset = cast(Game, game).ruleset
        self.sides: list[Side] = [
            Side(player_name(agent), COLOURS[index], player_name(agent)[0]) for index, agent in enumerate(game.agents)
        ]
        self._told: str | None = None
        self._scene: str | None = None

    def tell(self, events: Sequence[Event], before: State, after: State) -> list[Line]:
        """Return what is said of the next step, a line for each of its events."""
        was, now = before.view(), after.view()
        lines: list[Line] = []
        for event in events:
            chapter = STAGE_NAMES[was.stage] if was.stage != self._told else None
            self._told = was.stage
            if isinstance(event, Chance):
                lines.append(self._chance(event, was, now, chapter))
            else:
                self._scene = None
                lines.append(Line(self._words(event.text, was), chapter, chapter, player=event.player))
        return lines

    def _chance(self, event: Chance, was: object, now: object, chapter: str | None) -> Line:
        stage = getattr(was, "stage", "")
        if event.kind == "die":
            begins = self._scene != stage
            self._scene = stage
            scene = CONFLICTS[stage]
            left = getattr(was, "dice", None)
            roller = next((p for p, dice in enumerate(left["left"]) if dice), -1) if left else -1
            text = f"rolls {event.outcome}"
            king = getattr(now, "king", None)
            if king is not None and getattr(now, "stage", "") != stage:
                text += f"; {player_name(king)} wins the {scene}"
            return Line(
                text, chapter, scene if begins else None, scene if begins else None, True, event.outcome, roller
            )
        if event.kind == "first_player":
            return Line(f"{self.sides[event.outcome].name} begins", chapter, chapter)
        card = self.ruleset.card(stage, event.outcome)
        text = f"{okina(card.title)} is drawn"
        calamity = card.kind == "calamity"
        if calamity:
            where = ", ".join(island_name(self.ruleset, island) for island in card.islands)
            text = f"{okina(card.title)}: {where}; {effect(card)}"
        return Line(text, chapter, chapter, lost=calamity)

    def _words(self, text: str, view: object) -> str:
        verb, *words = text.split()
        name = lambda island: island_name(self.ruleset, island)  # noqa: E731
        if verb == "settle":
            return f"settles on {name(words[0])}"
        if verb == "migrate":
            return f"migrates from {name(words[0])} to {name(words[1])}"
        if verb == "amount":
            return f"{words[0]} Pure Hawaiian tokens go"
        if verb == "warrior":
            return "takes a warrior" + (f" with the Action token of {name(words[0])}" if words else "")
        if verb == "king":
            return f"places the King/Queen token on {name(words[0])}"
        if verb == "take":
            island = getattr(self.ruleset.board.islands, words[0])
            late = getattr(view, "stage", "") == "chapter_3" and island.take_chapter_3
            return f"takes {amounts(late or island.take)} on {name(words[0])}"
        if verb == "event":
            number = getattr(view, "face_up", ())[int(words[0]) - 1]
            title = "an event" if number is None else okina(self.ruleset.card(getattr(view, "stage", ""), number).title)
            return f"{title}, on {name(words[1])}"
        if verb == "convert":
            into = {"vote": "a Home Rule token"}.get(words[1], words[1].capitalize())
            return (
                "converts "
                f"{words[0].capitalize() if words[1] == 'vote' else 'a Pure Hawaiian token of ' + name(words[0])} into "
                f"{into}"
            )
        return "has converted" if verb == "done" else "has no action left"
