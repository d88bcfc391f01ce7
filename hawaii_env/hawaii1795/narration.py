"""The narration of Hawaii, 1795: months, halves, battles, and each event in words.

Everything is read from the view and from the texts of the events; nothing here knows the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hawaii_env.game import Chance, Decision, Event, Game, State
from hawaii_env.hawaii1795.pictures.counters import SIDE_INK
from hawaii_env.hawaii1795.pictures.legal import panicked_already
from hawaii_env.hawaii1795.pictures.names import card_of, piece_of, side_name
from hawaii_env.hawaii1795.pictures.phrases import (
    battle_phrase,
    chance_phrase,
    decision_phrase,
    die_of,
    fleet_phrase,
    result_of,
)
from hawaii_env.narration import Line, Side
from hawaii_env.texts import spell

__all__ = ["HawaiiNarration"]

_SIDES = ("kamehameha", "allied")
# What may begin a half even where it is forced; other forced choices end the half before.
_OPENING = ("recruit", "home", "play", "place")
_LOADING = ("fleet", "pickup", "embark")
_OF_BATTLES = ("advantage", "hit_die", "fire", "lose", "panic", "retreat")

# What a forced "done" ends, by the decision before it.
_DONE_ENDS = {
    "pickup": "cargo",
    "embark": "cargo",
    "sail": "movement",
    "march": "movement",
    "recruit": "recruiting",
    "commit": "commit",
}


class HawaiiNarration:
    """The narration of one game of Hawaii, 1795."""

    scene_name = "battle"
    chapter_name = "month"

    def __init__(self, game: Game) -> None:
        self.ruleset: Any = cast(Any, game).ruleset
        self.sides: list[Side] = [
            Side(side_name(side, self.ruleset), SIDE_INK[side], letter)
            for side, letter in zip(_SIDES, "KA", strict=True)
        ]
        self.half: tuple[str, str] | None = (
            None  # the half that the last event led to; two empty words while setting up
        )
        self.due: tuple[str, str] | None = None  # a half whose heading is still to be written
        self.month: str = ""
        self.battle: tuple[str, str, bool] | None = None
        self.roller: int = -1  # whose die fell last
        self.verb: str = ""  # of the last decision
        self.loading: tuple[str, ...] = ()  # actions of the fleet that has not sailed

    def narrate(self, events: Sequence[Event], before: State, after: State) -> list[Line]:
        """Return the lines of the next step, one for each of its events."""
        was, now = before.view().to_dict(), after.view()
        then = now.to_dict()
        # A panic that falls on nobody was cancelled by pikes [14.1].
        cancelled = now.phase != "panic" and not any(event.text.startswith("panic ") for event in events)
        partial = _parts(events, bool(self.loading))
        words = [self._words(event, was, then, event is events[0], cancelled) for event in events]
        words = self._with_losses(words, events, was, then)
        shown = zip(events, words, partial, strict=True)
        return [self._line(event, after, now, *said, part) for event, said, part in shown]

    def _line(self, event: Event, state: State, view: Any, text: str, lost: bool, partial: bool) -> Line:
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
        die, player = None, event.player if isinstance(event, Decision) else self.roller
        if isinstance(event, Chance) and event.kind != "card":
            die = event.outcome
        return Line(text, chapter, heading, scene, inside, die, player, lost, partial)

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
            text += f", card {entry.number} {spell(entry.title)}"
        chapter = month.capitalize() if month != self.month else None
        self.month = month
        return chapter, text

    def _scene(self, verb: str, view: Any) -> tuple[str | None, bool]:
        battle = view.battle
        now = None if battle is None else (battle["kind"], view.field, battle["second"])
        begins = verb in ("battle", "advantage", "fire") or (self.battle is None and verb in _OF_BATTLES)
        if now is not None and now != self.battle and begins:
            self.battle = now
            return battle_phrase(*now, self.ruleset), True
        if self.battle is None:
            return None, False
        if now != self.battle and verb not in _OF_BATTLES:
            self.battle = None
            return None, False
        return None, True

    # Words, and whether pieces are lost

    def _words(
        self, event: Event, was: Mapping[str, Any], now: Mapping[str, Any], first: bool, cancelled: bool
    ) -> tuple[str, bool]:
        if isinstance(event, Chance):
            whose = die_of(was)
            self.roller = _SIDES.index(whose) if whose else -1
            text = chance_phrase(event, self.ruleset)
            if event.kind == "hit_die":
                return self._hit(event, text, was, cancelled), False
            if was["kauai"] != now["kauai"] and now["kauai"] in _SIDES:
                text += (
                    f"; {side_name('neutral', self.ruleset)} joins "
                    f"{'the ' * (now['kauai'] == 'allied')}{side_name(now['kauai'], self.ruleset)}"
                )
            return text, False
        verb, *words = event.text.split()
        text, lost = decision_phrase(event, self.ruleset), verb == "lose"
        self.verb, last = verb, self.verb
        if verb in ("done", "pass"):
            text = decision_phrase(event, self.ruleset, was["phase"] if first else _DONE_ENDS.get(last, ""))
        elif verb in _LOADING:
            self.loading = (*self.loading, event.text)
        elif verb == "sail":
            text = fleet_phrase((*self.loading, event.text), event.player, self.ruleset)
            self.loading = ()
        elif verb == "retreat" and was["phase"] == "withdrawal":
            text = text.replace("retreat to", "the canoes withdraw to", 1)
        elif verb in ("lose", "panic"):
            side = _SIDES[event.player]
            name = text.removesuffix(" lost").removeprefix("a panic falls on ")
            if verb == "panic" and not panicked_already(was, side, words[0]):
                text = f"{name} in panic"
            elif verb == "panic":
                text, lost = f"{name} in panic a second time: lost", True
            if lost and not self._returns(words[0], side):
                text += ", for good"
        elif verb == "fire" and now["battle"] and now["battle"]["firer"]:
            text = self._fire(now["battle"], _SIDES[event.player])
        return text[:1].upper() + text[1:], lost

    def _returns(self, word: str, side: str) -> bool:
        """Return True if a piece that is lost goes to a recruit box; leaders and pieces of Kaua'i never return [3.1,
        9.0].
        """
        kind = word.split("/")[0]
        return not kind.startswith("kauai_") and (
            kind == "canoe" or piece_of(kind, side, self.ruleset).class_ != "leader"
        )

    def _fire(self, battle: Mapping[str, Any], side: str) -> str:
        """Return who fires, with how many dice, and why."""
        piece = piece_of(battle["firer"].split("/")[0], side, self.ruleset)
        dice = battle["dice"]
        why: list[str] = []
        if piece.gunpowder:
            why.append("gunpowder fires first")
            if dice > piece.strength:
                why.append(f"{dice - piece.strength} more by the card")
        if piece.elite:
            why.append("elite column")
        said = f"{spell(piece.name)} to fire, {dice} {'die' if dice == 1 else 'dice'}"
        return f"{said}: {', '.join(why)}" if why else said

    def _hit(self, event: Chance, text: str, was: Mapping[str, Any], cancelled: bool) -> str:
        """Return a die of a unit that fires, with the reason where another one would have had another effect."""
        battle, half = was["battle"], was["half"]
        firing = battle["firing"]
        target = _other(firing)
        piece = piece_of(battle["firer"].split("/")[0], firing, self.ruleset)
        results = self.ruleset.results
        role, face, result = int(firing != half), event.outcome, result_of(event)
        column = results.column(role, int(piece.elite))
        if result == "none" and column[face - 1] == "panic":
            if target != half and battle["kind"] != "sea" and battle["earthworks"]:
                return f"{text}: a panic, but behind earthworks they ignore it"
            if target != half and battle["kind"] != "sea" and self.ruleset.spaces[was["field"]].fort:
                return f"{text}: a panic, but in a fort they ignore it"
            return f"{text}: a panic, but elite units ignore it"
        if result == "panic" and cancelled:
            return f"{text}, but the pikes cancel the first of a round"
        if piece.elite and column[face - 1] != results.column(role, 0)[face - 1]:
            return f"{text}, by the elite column"
        return text

    def _with_losses(
        self, words: list[tuple[str, bool]], events: Sequence[Event], was: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[tuple[str, bool]]:
        """Add what was lost without anybody's choice, mostly because it had no way out [11.4, 11.5, 11.8]."""
        gone = _gone(now)
        gone.subtract(_gone(was))
        for event, (_, lost) in zip(events, words, strict=True):
            if not isinstance(event, Decision):
                continue
            verb, *named = event.text.split()
            change = 1 if lost or verb == "home" else -1 if verb in ("recruit", "place") else 0
            if change:
                gone[_key(gone, _SIDES[event.player], named[0].split("/")[0], change)] -= change
        names = [
            f"{n} × {spell(piece_of(kind, side, self.ruleset).name)}"
            if n > 1
            else spell(piece_of(kind, side, self.ruleset).name)
            for (side, kind), n in sorted(gone.items())
            if n > 0
        ]
        if not names:
            return words
        text, _ = words[-1]
        # A card's effect may take pieces at will; else what nobody chose to lose had nowhere to go.
        by_card = (
            events[0].kind in ("card", "event") if isinstance(events[0], Chance) else events[0].text.startswith("play ")
        )
        return [*words[:-1], (f"{text}. Lost{'' if by_card else ', with no way out'}: {', '.join(names)}", True)]


def _parts(events: Sequence[Event], loading: bool) -> list[bool]:
    """Return which events are parts of a fleet move that its sailing tells whole, given whether one has begun."""
    found: list[bool] = []
    for event in events:
        verb = event.text.split()[0] if isinstance(event, Decision) else ""
        loading = verb in _LOADING or (loading and verb != "sail")
        found.append(loading and verb in (*_LOADING, "done"))
    return found


def _other(side: str) -> str:
    return _SIDES[1 - _SIDES.index(side)]


def _gone(view: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    """Return the pieces that stand in no space, by owner and kind."""
    found = Counter((side, text) for side, texts in view["box"].items() for text in texts)
    found.update(tuple(text.split(":", 1)) for text in view["dead"])  # pyright: ignore[reportArgumentType]
    return found


def _key(gone: Mapping[tuple[str, str], int], side: str, kind: str, change: int) -> tuple[str, str]:
    """Return the owner and kind that an action's name of a piece stands for: pieces of Kaua'i belong to nobody's box,
    and a canoe may be of any kind.
    """
    kinds = ("canoe", "oahu_canoe", "maui_canoe", "kauai_canoe") if kind == "canoe" else (kind,)
    keys = [(owner, name) for name in kinds for owner in (side, "neutral")]
    return next((key for key in keys if gone.get(key, 0) * change > 0), (side, kind))
