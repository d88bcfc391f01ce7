"""The story of Hawaii, 1795 on a replay page: months, halves, battles, and each event in words.

Everything is read from the view and from the texts of the events; nothing here knows the rules.
"""

from __future__ import annotations

from typing import Any, cast

from hawaii_env.game import Chance, Event, Game, State
from hawaii_env.render.hawaii1795.counters import SIDE_INK
from hawaii_env.render.hawaii1795.names import card_of, okina, side_name, space_name
from hawaii_env.render.hawaii1795.words import last_words
from hawaii_env.replay.story import Line, Side

__all__ = ["HawaiiStory"]

_SIDES = ("kamehameha", "allied")
# What may begin a half even where it is forced; other forced choices end the half before.
_OPENING = ("recruit", "home", "play", "place")
_OF_BATTLES = ("advantage", "hit_die", "fire", "lose", "panic", "retreat")
_BATTLES = {"sea": "Sea battle off", "invasion": "Landing at", "overland": "Battle of"}


class HawaiiStory:
    """Tells one game of Hawaii, 1795."""

    scene_name = "battle"
    chapter_name = "month"

    def __init__(self, game: Game) -> None:
        self.ruleset: Any = cast(Any, game).ruleset
        self.sides: list[Side] = [
            Side(side_name(side, self.ruleset), SIDE_INK[side], letter) for side, letter in zip(_SIDES, "KA", strict=True)
        ]  # fmt: skip
        self.half: tuple[str, str] | None = (
            None  # the half that the last event led to; two empty words while setting up
        )
        self.due: tuple[str, str] | None = None  # a half whose heading is still to be written
        self.month: str = ""
        self.battle: tuple[str, str, bool] | None = None

    def tell(self, event: Event, state: State) -> Line:
        """Return what is said of the next event."""
        view = state.view()
        verb = event.kind if isinstance(event, Chance) else event.text.split()[0]
        now = (view.turn, view.half)
        if self.half is None:
            self.half = self.due = ("", "") if verb == "place" else now
        chapter = heading = None
        # What follows a change of the half by force is still the old half's, unless it is of the kind that begins one.
        if self.due is not None and (isinstance(event, Chance) or not event.forced or verb in _OPENING):
            chapter, heading = self._heading(event, view)
        if now != self.half and view.phase != "setup" and not state.is_terminal:
            self.half = self.due = now
        scene, inside = self._scene(verb, view)
        return Line(self._words(event, verb), chapter, heading, scene, inside)

    def _heading(self, event: Event, view: Any) -> tuple[str | None, str]:
        month, half = cast("tuple[str, str]", self.due)
        self.due = None
        if not month:
            return "Set-up", "Set-up"
        drawn = isinstance(event, Chance) and event.kind == "card"
        card = event.text.rsplit(" ", 1)[-1] if drawn else view.card
        text = f"{month.capitalize()}: {side_name(half, self.ruleset)}"
        if card:
            entry = card_of(card, self.ruleset)
            text += f", card {entry.number} {okina(entry.title)}"
        chapter = month.capitalize() if month != self.month else None
        self.month = month
        return chapter, text

    def _scene(self, verb: str, view: Any) -> tuple[str | None, bool]:
        battle = view.battle
        now = None if battle is None else (battle["kind"], view.field, battle["second"])
        if now is not None and now != self.battle and verb in ("battle", "advantage", "fire"):
            self.battle = now
            words = f"{_BATTLES.get(now[0], 'Battle of')} {space_name(now[1], self.ruleset)}"
            return words + (", second battle" if now[2] else ""), True
        if self.battle is None:
            return None, False
        if now != self.battle and verb not in _OF_BATTLES:
            self.battle = None
            return None, False
        return None, True

    def _words(self, event: Event, verb: str) -> str:
        if isinstance(event, Chance) and verb == "advantage":
            side, _, rest = event.text.removeprefix("advantage: ").partition(" ")
            face, _, won = rest.partition(": ")
            said = f"{side_name(side, self.ruleset)} {'rolls' if side == 'kamehameha' else 'roll'} {face} for the advantage"
            if won in _SIDES:
                return f"{said}: {side_name(won, self.ruleset)} {'has' if won == 'kamehameha' else 'have'} it"
            return f"{said}: {won}" if won else said
        if isinstance(event, Chance) and verb in ("hit_die", "sighting"):
            rest = event.text.partition(" ")[2]
            return f"Rolls {rest}" if verb == "hit_die" else f"Sighting roll {rest}"
        if verb == "battle":
            return f"This battle is fought next: {space_name(event.text.split()[1], self.ruleset)}"
        words = last_words([event], self.ruleset)
        if not isinstance(event, Chance):
            words = words.partition(": ")[2]
        return words[:1].upper() + words[1:]
