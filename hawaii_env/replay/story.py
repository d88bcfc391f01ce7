"""What a replay page says of each event.

Any game's events can be told by their own texts. A game that wants headings, battles and better words names a story in its spec
(`hawaii_env.games.GameSpec`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hawaii_env import games
from hawaii_env.game import Decision, Event, Game, State

__all__ = ["Line", "Side", "Story", "story_of"]


@dataclass(frozen=True)
class Line:
    """What is said of one event.

    Attributes:
        text: the event in words, without the player's name; plain text.
        chapter: a chapter (a month) begins with this event, and this is its name.
        heading: a heading that stands above this event.
        scene: a scene (a battle) begins with this event, and this is its name.
        inside: True for an event of a scene, its first and last ones included.
    """

    text: str
    chapter: str | None = None
    heading: str | None = None
    scene: str | None = None
    inside: bool = False


@dataclass(frozen=True)
class Side:
    """How a player is shown.

    Attributes:
        name: the name for people.
        colour: ``#rrggbb``, dark enough for white letters upon it.
        letter: one letter or two, so that colour alone tells nothing.
    """

    name: str
    colour: str
    letter: str


class Story(Protocol):
    """Tells one game. Events come in their order, each with the position that followed it."""

    @property
    def sides(self) -> Sequence[Side]:
        """The players, in the order of their indices."""
        ...

    scene_name: str
    """What a scene is called, in lower case: ``"battle"``. Empty where there are none."""

    chapter_name: str
    """What a chapter is called, in lower case: ``"month"``. Empty where there are none."""

    def tell(self, event: Event, state: State) -> Line:
        """Return what is said of the next event."""
        ...


# Dark tones of the Okabe and Ito palette, which colour-blind people tell apart; white letters read on all of them.
_COLOURS = ("#8F4700", "#00527F", "#00664A", "#7A3B63", "#5C5300", "#333333")


def story_of(game: Game) -> Story:
    """Return a new story for one game: the one that its spec names, or events by their own texts."""
    spec = games.get(game.name)
    make = None if spec is None else spec.load("story")
    return _PlainStory(game) if make is None else make(game)


class _PlainStory:
    """Events by their own texts."""

    scene_name = chapter_name = ""

    def __init__(self, game: Game) -> None:
        names = [agent.rsplit("_", 1)[0].replace("_", " ").capitalize() for agent in game.agents]
        self.sides = [
            Side(name, _COLOURS[index % len(_COLOURS)], name[:1] if len({n[:1] for n in names}) == len(names) else str(index + 1))
            for index, name in enumerate(names)
        ]  # fmt: skip

    def tell(self, event: Event, state: State) -> Line:
        return Line(event.text if isinstance(event, Decision) else f"{event.kind}: {event.text}")
