"""The narration of Maori Wars: turns and halves as chapters, combats and raids as scenes, each event in words.

Everything is read from views and the texts of events; nothing here knows the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from hawaii_env.game import Chance, Event, State
from hawaii_env.game import Game as AnyGame
from hawaii_env.narration import Line, Side

from .models import Scenario
from .pictures.names import COLOURS, chit_effect, counted, month
from .pictures.phrases import PURPOSES, Context, changes, decision_phrase, place_name, result_phrase
from .ruleset import Ruleset

__all__ = ["MaoriNarration"]

_PARTIAL = {
    "reinforcement": ("unit",),
    "movement": ("from", "unit", "stack", "carry"),
    "combat": ("from",),
    "bush": ("from", "territory"),
    "construction": ("build",),
    "attrition": ("from", "territory"),
    "": ("from", "unit", "territory", "build", "pass"),
}
"""Verbs of decisions whose last step says it all, by phase of the rulebook."""

_LOSSES = ("E", "ER", "EE")
_FIGHTS = ("bombard", "charge", "counter", "attack")
_OF_DEFENDER = ("evasion", "counter")
_OF_VICTIM = ("absorb", "panic")


class MaoriNarration:
    """The narration of one game of Maori Wars."""

    scene_name = "combat"
    chapter_name = "turn"
    score_name = "points"

    def __init__(self, game: AnyGame) -> None:
        self.ruleset: Ruleset = cast(Any, game).ruleset
        self.scenario: Scenario = self.ruleset.scenarios[cast(Any, game).scenario]
        self.sides: list[Side] = [Side("Māori", COLOURS["maori"], "M"), Side("British", COLOURS["british"], "B")]
        self._half: tuple[int, str] | None = None
        self._turn = 0
        self._scene: str | None = None
        self._context = Context()

    def narrate(self, events: Sequence[Event], before: State, after: State) -> list[Line]:
        """Return the lines of the next step, one for each of its events."""
        was, now = before.view().to_dict(), after.view().to_dict()
        lines: list[Line] = []
        for number, event in enumerate(events):
            chapter, heading = self._heading(was) if number == 0 else (None, None)
            if isinstance(event, Chance):
                line = self._chance(event, was)
            else:
                # What follows by force may be of a later phase, of which nothing but its text is known, unless it goes
                # on with a choice.
                goes_on = self._context.stage != "" and self._context.verb in _PARTIAL.get(self._context.stage, ())
                known = number == 0 or was["phase"] == now["phase"] or goes_on
                line = self._decision(event, {**was, "step": was["step"] * (number == 0)}, was["phase"] * known)
            scene, inside = self._scene_of(event, now)
            lines.append(replace(line, chapter=chapter, heading=heading, scene=scene, inside=inside))
        first = events[0]
        return self._with_changes(lines, first.kind if isinstance(first, Chance) else "", was, now)

    def score(self, state: State) -> list[int]:
        """Return the points of each player: the marker, on the side of the player who leads."""
        marker = cast(Any, state).marker
        return [max(0, -marker), max(0, marker)]

    def _heading(self, view: Mapping[str, Any]) -> tuple[str | None, str | None]:
        half = view["turn"], view["half"]
        if half == self._half:
            return None, None
        self._half, self._context = half, Context()
        turn = f"Turn {view['turn']}, {month(self.scenario.first, view['turn'])}"
        chapter = turn if self._turn != view["turn"] else None
        self._turn = view["turn"]
        return chapter, f"{turn}: {'Māori' if view['half'] == 'maori' else 'British'}"

    def _decision(self, event: Any, view: Mapping[str, Any], stage: str) -> Line:
        context = self._context
        if stage and context.stage != stage:
            target = (view["combat"] or {}).get("target", "")
            self._context = context = Context(stage=stage, target=target)
        context.stage, before = stage, context.verb
        text = decision_phrase(self.ruleset, event.text, view, context)
        verb, losing = event.text.partition(" ")[0], view["step"] == "lose"
        lost = losing and verb == "unit" and (view["combat"] or {}).get("outcome") in _LOSSES
        text = f"{text} lost" if lost else text
        partial = verb in _PARTIAL.get(stage, ()) or (verb == "unit" and before == "territory")
        partial |= event.forced and verb == "unit" and stage != "attrition"
        partial |= verb == "done" and view["step"] not in ("participants", "advance")
        return Line(text[:1].upper() + text[1:], player=event.player, lost=lost, partial=partial)

    def _chance(self, event: Chance, was: Mapping[str, Any]) -> Line:
        if event.kind == "chit":
            chit = self.ruleset.chits[event.outcome - 1]
            effect = chit_effect(self.ruleset, chit)
            return Line(f"Chit {chit.n}, {chit.title}: {effect[:1].lower()}{effect[1:]}")
        combat = was["combat"] or {}
        mover = {"maori": 0, "british": 1}[combat.get("attacker", was["half"])]
        roller = mover
        if event.kind in _OF_DEFENDER:
            roller = 1 - mover
        elif event.kind in _OF_VICTIM and "victim" in combat:
            roller = {"maori": 0, "british": 1}[combat["victim"]]
        what = PURPOSES[event.kind]
        piece = (was["about"] or {}).get("piece")
        if event.kind == "rally" and isinstance(piece, int):
            one = was["pieces"][piece]
            what += f" {counted(self.ruleset, one['kind'], 1)} at {place_name(self.ruleset, one['at'])}"
        return Line(f"{('Māori', 'The British')[roller]} roll {event.outcome} {what}", die=event.outcome, player=roller)

    def _scene_of(self, event: Event, now: Mapping[str, Any]) -> tuple[str | None, bool]:
        begins = not isinstance(event, Chance) and event.text.startswith("target ")
        target = self._context.target
        if begins and self._context.stage in ("combat", "bush"):
            self._scene = target
            what = "Raid on" if self._context.stage == "bush" else "Attack on"
            return f"{what} {place_name(self.ruleset, target)}", True
        inside = self._scene is not None
        if (now["combat"] or {}).get("target") is None:
            self._scene = None
        return None, inside

    def _with_changes(self, lines: list[Line], die: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> list[Line]:
        """Return the lines with what the step has changed in the first that is told, or in the last; and how the game
        ended in the last.
        """
        said = changes(self.ruleset, was, now)
        if die in _FIGHTS and not said and (result := result_phrase(self.ruleset, now)):
            said = [result]
        if die == "evasion" and not said:
            leave = now["step"] == "leave" or any(" slip" in line.text for line in lines[1:])
            said = ["they may leave" if leave else "they must stand"]
        if lines[0].die is not None and not said:
            said = ["nothing happens"]
        if said:
            at = next((number for number, line in enumerate(lines) if not line.partial), len(lines) - 1)
            lost = lines[at].lost or any(one.endswith("lost") or "is gone" in one for one in said)
            lines[at] = replace(lines[at], text=f"{lines[at].text}: {', '.join(said)}", lost=lost, partial=False)
        if now["result"] is not None:
            winner = {"maori": "Māori have won", "british": "The British have won", None: "A tie"}[now["winner"]]
            done = "" if lines[-1].partial else f"{lines[-1].text}. "
            text = f"{done}{winner}: {now['result'].partition(' [')[0]}"
            lines[-1] = replace(lines[-1], text=text, partial=False)
        return lines
