"""Log of a game for the page: the lines of the game's narration, with headings, dice and losses."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from hawaii_env.game import Decision, Event, Game, State
from hawaii_env.narration import Line, Narration, narration_of

__all__ = ["GameLog", "scene"]


class GameLog:
    """The log of one game, built step by step.

    Args:
        game: the game.

    Attributes:
        lines: one entry for each event: ``n`` (from 1), ``player`` (-1: chance), ``kind`` (the first word of a
            decision, or the kind of chance), ``text``, ``die`` (a face, or None), ``whose`` (the player who rolled or
            decided; -1: nobody), ``forced``, ``together`` (entered at the same time as the event before), ``chapter``,
            ``heading`` and ``scene`` (each if one begins here, else None), ``inside`` (part of a scene), ``lost``
            (pieces are lost), ``partial`` (a later entry completes it).
    """

    def __init__(self, game: Game) -> None:
        self._narration: Narration = narration_of(game)
        self.lines: list[dict[str, Any]] = []
        self._marks: list[tuple[int, Narration]] = []
        self._turns: list[int | None] = []

    def add(self, events: Sequence[Event], before: State, after: State) -> None:
        """Add a step: a decision or chance outcome, with the forced decisions that followed it."""
        self._marks.append((len(self.lines), copy(self._narration)))
        for event, line in zip(events, self._narration.narrate(events, before, after), strict=True):
            self.lines.append(self._line(event, line))
            for back, result in line.results:
                self.lines[-1 - back]["text"] += result

    def cut(self, n: int) -> None:
        """Remove all but the first n events, which must end a step."""
        while len(self.lines) > n:
            start, self._narration = self._marks.pop()
            del self.lines[start:], self._turns[start:]

    def _line(self, event: Event, line: Line) -> dict[str, Any]:
        text, player, kind, forced, turn = line.text, -1, "", False, None
        if isinstance(event, Decision):
            player, kind, forced, turn = event.player, event.text.split()[0], event.forced, event.turn
            text = f"{self._narration.sides[player].name}: {text}"
        else:
            kind = event.kind
        together = turn is not None and self._turns[-1:] == [turn]
        self._turns.append(turn)
        return {
            "n": len(self.lines) + 1,
            "player": player,
            "kind": kind,
            "text": text,
            "die": line.die,
            "whose": line.player,
            "forced": forced,
            "together": together,
            "chapter": line.chapter,
            "heading": line.heading,
            "scene": line.scene,
            "inside": line.inside,
            "lost": line.lost,
            "partial": line.partial,
        }


def scene(lines: Sequence[dict[str, Any]], n: int) -> int | None:
    """Return the number of events before the scene that contains the n-th event; None if it is in no scene."""
    if not n or not lines[n - 1]["inside"]:
        return None
    at = n - 1
    while at and lines[at]["scene"] is None and lines[at - 1]["inside"]:
        at -= 1
    return at
