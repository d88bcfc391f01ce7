"""Advice of the page to players of Maori Wars: the marker, the structures that decide, places in danger, food; and
how the game ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from hawaii_env.game import Game as AnyGame
from hawaii_env.game import State
from hawaii_env.texts import count

from .assault import target_odds
from .board import neighbours
from .game import Game
from .pictures.names import level_of
from .pictures.phrases import place_name
from .pictures.scene import Scene
from .ruleset import Ruleset

__all__ = ["MaoriGuide"]

_OWN = {"maori": ("village", "pa"), "british": ("settlement",)}
"""Structures without which a player has lost [1.0]."""

_FED = {"maori": ("warrior", ("village", "pa")), "british": ("queenite", ("queenite_village", "queenite_pa"))}
"""Units that structures feed, and which structures do [5.0, 13.0]."""


class MaoriGuide:
    """The guide that the game's spec names; see `hawaii_env.web.strings.Guide`."""

    warns = warning = ""
    offer = "Guide me: what decides the game, and which places are in danger"

    def __init__(self, game: AnyGame) -> None:
        self.game: Game = cast(Game, game)
        self.ruleset: Ruleset = self.game.ruleset

    def advice(self, state: State, player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Guide.advice`."""
        view = state.view().to_dict()
        owner = ("maori", "british")[player]
        scene, marks = Scene(view, self.ruleset), self._targets(state)
        sections = [
            {"title": "The end", "lines": self._end(view, owner)},
            {"title": "Places in danger", "lines": self._danger(scene, owner)},
            {"title": "Food and boxes", "lines": self._food(view, owner)},
        ]
        if marks:
            lines = [{"text": one["text"], "mark": "aim"} for one in marks.values()]
            sections.insert(0, {"title": "Attacks with all who can, if they stand", "lines": lines})
        return {"sections": sections, "warnings": {}, "marks": marks}

    def _targets(self, state: State) -> dict[int, dict[str, str]]:
        """[9.0] Return the odds of each target that may be declared; none of those that only guns reach."""
        marks: dict[int, dict[str, str]] = {}
        for action in state.legal_actions() if state.phase == "declare" else ():
            odds = target_odds(cast(Any, state), action)
            if odds is None:
                continue
            where = place_name(self.ruleset, self.game.action_text(action).split()[1])
            taken = f"{100 * odds.taken:.0f}%"
            text = (
                f"{where}: taken {taken}; {odds.attackers_lost:.1f} of yours lost, {odds.defenders_lost:.1f} of theirs."
            )
            marks[action] = {"mark": taken, "text": text}
        return marks

    def _end(self, view: Mapping[str, Any], owner: str) -> list[dict[str, str]]:
        """[1.0] Return lines on the marker, the turns left and the structures that decide."""
        turns, victory = self.ruleset.scenarios[view["scenario"]].turns, self.ruleset.charts.victory
        own = view["marker"] * (1 if owner == "british" else -1)
        mark = "done" if own >= victory.minor else "danger" if own <= -victory.minor else "open"
        lines = [
            {"text": f"The marker says: {level_of(self.ruleset, view['marker'])}; {victory.decisive} points decide at "
                "once.", "mark": mark},
            {"text": f"{count(turns - view['turn'] + 1, 'turn')} left, this one included.", "mark": ""},
        ]  # fmt: skip
        counts = Counter(said.partition("/")[0] for said in view["structures"].values())
        for side, kinds in _OWN.items():
            number = sum(counts[kind] for kind in kinds)
            what = "villages and pā" if side == "maori" else "settlements"
            whose = "You have" if side == owner else "They have"
            last = number == 1
            lines.append(
                {"text": f"{whose} {number} {what}; without any the game is lost.",
                    "mark": ("danger" if side == owner else "aim") if last else "open"}
            )  # fmt: skip
        return lines

    def _danger(self, scene: Scene, owner: str) -> list[dict[str, str]]:
        """[9.0] Return the player's structures next to enemy units, those with fewer own units first."""
        sides = ("maori",) if owner == "maori" else ("british", "queenite")
        found: list[tuple[int, str]] = []
        for at, one in scene.structures.items():
            if one.side not in sides or at not in self.game.hexes:
                continue
            own = self._strength(scene, at, sides)
            foes = sum(
                self._strength(scene, other, ("maori",) if owner == "british" else ("british", "queenite"))
                for other in neighbours(at)
            )
            if foes:
                text = f"{place_name(self.ruleset, at)}: {count(foes, 'enemy unit')} next to it, {own} within."
                found.append((own - foes, text))
        lines = [{"text": text, "mark": "danger" if odds < 0 else "open"} for odds, text in sorted(found)]
        return lines or [{"text": "None of your places has an enemy next to it.", "mark": "done"}]

    def _strength(self, scene: Scene, at: str, sides: tuple[str, ...]) -> int:
        """Return the ready fighting units of some sides in a hex."""
        kinds = self.ruleset.kinds
        return sum(
            group.count
            for group in scene.units(at)
            if group.side in sides and not group.disrupted and group.kind in kinds and kinds[group.kind].strength
        )

    def _food(self, view: Mapping[str, Any], owner: str) -> list[dict[str, str]]:
        """[5.0, 13.0] Return how many units the player's villages feed, and what waits in the box."""
        kind, structures = _FED[owner]
        units = sum(piece["kind"] == kind for piece in view["pieces"])
        counts = Counter(said.partition("/")[0] for said in view["structures"].values())
        fed = self.ruleset.charts.supply.units_per_structure * sum(counts[one] for one in structures)
        waiting = sum(view["boxes"][owner].values())
        who = "warriors" if owner == "maori" else "Queenite warriors"
        return [
            {"text": f"Your villages and pā feed {fed} {who}; you have {units}.",
                "mark": "danger" if units > fed else "done" if units < fed else "open"},
            {"text": f"{count(waiting, 'unit')} in your box.", "mark": ""},
        ]  # fmt: skip

    def why(self, state: State) -> str:
        """See `hawaii_env.web.strings.Guide.why`."""
        outcome = state.outcome()
        return "" if outcome is None else f"{outcome.reason.partition(' [')[0].capitalize()}."
