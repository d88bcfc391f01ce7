"""Narration: the text of each event on the replay page and in the log of a game in the browser.

The default is one line per event, its own text. A game can name a narration with headings, scenes and better texts in
its spec (`hawaii_env.games.GameSpec`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hawaii_env import games
from hawaii_env.game import Chance, Decision, Event, Game, State

__all__ = ["Line", "Narration", "Side", "narration_of", "score_name_of", "steps"]


@dataclass(frozen=True)
class Line:
    """The text of one event.

    Attributes:
        text: the event in words, without the player's name; plain text.
        chapter: the name of a chapter (a month) that begins with this event.
        heading: a heading that stands above this event.
        scene: the name of a scene (a battle) that begins with this event.
        inside: True for an event of a scene, including its first and last.
        die: the face of the die rolled; None if no die was rolled.
        player: the player who rolled or decided; -1 for nobody.
        lost: True if pieces are lost, which the log emphasises.
        partial: True for a part of a decision that a later line describes completely.
        results: the outcomes of this or earlier events, such as orders revealed with it: how many lines before it they
            are, and the words to add to them.
    """

    text: str
    chapter: str | None = None
    heading: str | None = None
    scene: str | None = None
    inside: bool = False
    die: int | None = None
    player: int = -1
    lost: bool = False
    partial: bool = False
    results: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Side:
    """The appearance of a player.

    Attributes:
        name: the name for people.
        colour: ``#rrggbb``, dark enough for white letters on it.
        letter: one or two letters, for people who cannot see colours.
    """

    name: str
    colour: str
    letter: str


class Narration(Protocol):
    """The log of one game. Events come in order, step by step, each step once.

    The narration of a game with points has two more members: ``score_name``, their name, such as ``"points"``, and
    ``score(state)``, each player's points so far; the page then charts them.
    """

    @property
    def sides(self) -> Sequence[Side]:
        """The players, in the order of their indices."""
        ...

    scene_name: str
    """The word for a scene, in lower case: ``"battle"``. Empty if the game has no scenes."""

    chapter_name: str
    """The word for a chapter, in lower case: ``"month"``. Empty if the game has no chapters."""

    def narrate(self, events: Sequence[Event], before: State, after: State) -> Sequence[Line]:
        """Return the lines of the next step, one for each of its events.

        Args:
            events: a decision or chance outcome, and the forced decisions that followed it.
            before: the position before the first of them.
            after: the position after the last.
        """
        ...


def score_name_of(narration: Narration) -> str:
    """Return the name of a game's points; empty if it has none."""
    return getattr(narration, "score_name", "")


# Dark tones of the Okabe and Ito palette, which colour-blind people tell apart; white letters read on all of them.
_COLOURS = ("#8F4700", "#00527F", "#00664A", "#7A3B63", "#5C5300", "#333333")


def narration_of(game: Game) -> Narration:
    """Return a new narration of one game: that of its spec, or the default."""
    spec = games.get(game.name)
    make = None if spec is None else spec.load("narration")
    return _DefaultNarration(game) if make is None else make(game)


def steps(pairs: Iterable[tuple[Event, State]], start: State) -> Iterator[tuple[list[Event], State, State]]:
    """Group events into steps, as `Narration.narrate` takes them.

    Args:
        pairs: events, each with the position that followed it, as `records.Follower.feed` yields them.
        start: the position before the first.

    Yields:
        The step's events, a copy of the position before it, and the position after it.
    """
    before, after, events = start.clone(), start, list[Event]()
    for event, state in pairs:
        if events and not (isinstance(event, Decision) and event.forced):
            yield events, before, after
            before, events = after.clone(), []
        events.append(event)
        after = state.clone()
    if events:
        yield events, before, after


class _DefaultNarration:
    """Events by their own texts."""

    scene_name = chapter_name = ""

    def __init__(self, game: Game) -> None:
        names = [agent.rsplit("_", 1)[0].replace("_", " ").capitalize() for agent in game.agents]
        self.sides = [
            Side(
                name,
                _COLOURS[index % len(_COLOURS)],
                name[:1] if len({n[:1] for n in names}) == len(names) else str(index + 1),
            )
            for index, name in enumerate(names)
        ]

    def narrate(self, events: Sequence[Event], before: State, after: State) -> Sequence[Line]:
        return [
            Line(event.text) if isinstance(event, Chance) else Line(event.text, player=event.player) for event in events
        ]
