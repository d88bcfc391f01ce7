"""The page's texts for Maori Wars: legal actions as buttons, the question of each step, chits, units, hexes.

Everything is read from the view, the ruleset and the rulings; nothing here knows the rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hawaii_env.game import Chance, Event, State
from hawaii_env.game import Game as AnyGame
from hawaii_env.texts import count, spell

from .board import neighbours
from .game import Game
from .models import Scenario
from .pictures.names import (
    PHASE_NAMES,
    STRUCTURE_NAMES,
    TERRAIN_NAMES,
    chit_effect,
    counted,
    kind_name,
    month,
)
from .pictures.phrases import Context, chance_phrase, decision_phrase, place_name
from .pictures.scene import Scene
from .reach import points_left
from .reasons import why_not
from .rules.combat import attack_column, attack_modifier, counter_column, counter_modifier
from .rules.flow import TABLE
from .rules.names import SIDES
from .ruleset import Ruleset

__all__ = ["STEPS", "MaoriStrings"]

STEPS: Mapping[str, tuple[str, str]] = {
    "reinforce": ("Which unit comes from the box?", "One after another; “Take none” ends the phase."),
    "reinforce_place": ("Where does it arrive?", "At a structure of its own kind, within the stacking limit."),
    "sap_target": ("Which pā is sapped?", "Next turn it becomes a village, unless Māori take the trench."),
    "sap_place": ("From which hex is the sap dug?", "A hex next to the pā with a British land unit."),
    "ship_target": ("Where do the ships go?", "To an open coastal hex away from Māori; pass to keep them here."),
    "ship_unit": ("Who goes aboard?", "Artillery, a few units, any leaders. They move no further this turn."),
    "move": ("Who moves?", "Click a hex, then a piece or the whole stack, then where it goes. “End movement” ends it."),
    "move_unit": ("Which piece moves?", "The whole stack marches at the pace of the slowest."),
    "move_to": ("Where does it go?", "Any lit hex, by the cheapest way; behind each, the movement points left."),
    "boat": ("Who goes aboard, or where does it sail?", "Up to two land units and any leaders; each pays 2 points."),
    "aid": ("Which unit does the leader help?", "A helped unit rallies on a better face."),
    "negotiate": ("Who is talked to?", "A leader next to neutral people may win them, or drive them away."),
    "negotiator": ("Who talks?", "Māori leaders add 1; so does a British leader who comes alone."),
    "withdraw": ("Where does he go back to?", "To a unit of his player within 3 hexes, or he stays."),
    "declare": ("Which hex is attacked?", "Each unit attacks once a turn, and units of one hex one target."),
    "counterstroke": ("A counterstroke: which hex?", "The defender may attack in turn, without a chit."),
    "participants": ("Who takes part?", "Add units from each side, and at most one gun."),
    "evade": ("Slip away, or stand?", "Units that slip away are not attacked; a fort or pā that stands is."),
    "leave": ("Where does it go?", "Unit by unit; those that stay are attacked."),
    "disrupt_from": ("From which hex is the unit that is Disrupted?", "The chit says so."),
    "disrupt_unit": ("Which unit is Disrupted?", "The chit says so."),
    "column": ("What do the guns fire on?", "Each has its own column."),
    "charge_or_not": ("Charge?", "All the cavalry, before the others attack, with +1."),
    "counter_side": ("Which hex does the answer fall on?", "Your ready units against all units there."),
    "advance": ("Who advances?", "Units that advance hold the hex; its structure is removed."),
    "lose": ("Which unit is lost?", "A ready fort or pā may take the blow, once."),
    "retreat": ("Where does it retreat?", "To an open hex within the limit; it stays if its fort or pā stands."),
    "bush_move": ("Who goes into the bush, or acts there?", "Units in the bush raid, hunt, move on or come out."),
    "bush_enter": ("Who goes into the bush?", "At most 3 Māori and 2 British units a territory."),
    "bush_unit": ("Which piece acts?", "Each acts once."),
    "bush_act": ("What does it do?", "Raid a hex, hunt, go to another territory, come out, or stay."),
    "raid_side": ("Where does it come out for the raid?", "On this side of the target."),
    "raid_more": ("Who else raids?", "More units of the same territory, or done."),
    "hunt_more": ("Who else hunts?", "More units of the same territory, or done."),
    "prey": ("Which unit is caught?", "The hunters attack this one."),
    "raid_answer": ("Which raiders does the answer fall on?", "The raided units hit back at one hex."),
    "build": ("Where is something built or repaired?", "One thing a turn."),
    "structure": ("What is built?", "A fort costs a point."),
    "supply": ("Where is the unit that is out of supply?", "One unit without a line to a base is Disrupted."),
    "supply_unit": ("Which unit is out of supply?", "It becomes Disrupted."),
    "starve": ("Where are there too many warriors?", "Each village or pā feeds three units; one goes home."),
    "starve_unit": ("Which unit goes home?", "It is out of the game; no points."),
    "over": ("", "The game is over."),
}
"""The question of a step, and an explanation."""

_OPENING: Mapping[str, tuple[str, ...]] = {
    "reinforce": ("unit",), "sap_target": ("target",), "ship_target": ("target",), "ship_unit": ("unit",),
    "move": ("from",), "move_unit": ("unit", "carry", "stack"), "boat": ("unit",), "negotiate": ("target",),
    "disrupt_from": ("from",), "bush_move": ("from", "territory"), "bush_unit": ("unit",), "build": ("build",),
    "supply": ("from",), "starve": ("from", "territory"),
}  # fmt: skip
"""Verbs of a step that only begin a choice: the next decisions say what is done."""

_WITHIN = frozenset(
    ["reinforce_place", "sap_place", "ship_unit", "move_unit", "move_to", "boat", "negotiator", "disrupt_unit",
        "bush_enter", "bush_unit", "bush_act", "structure", "supply_unit", "starve_unit"]
)  # fmt: skip
"""Steps that go on with a choice."""

_COMBAT_STEPS: Mapping[str, tuple[str, str]] = {
    "Declare": ("", "declared"), "Evasion": ("evasion", "chit"), "Dispatch": ("chit", "bombard"),
    "Guns": ("bombard", "charge_or_not"), "Charge": ("charge", "counter_side"), "Answer": ("counter", "attack"),
    "Attack": ("attack", "advance"), "Advance": ("", "declare"),
}  # fmt: skip
"""[9.0] The steps of a combat: each its die, and the step that the engine names as the next."""

_ROLLS = {"counter": (counter_column, counter_modifier), "attack": (attack_column, attack_modifier)}
"""Dice on the Combat Results Table: what gives their column and what is added to them."""

_DICE = {
    "evasion": "Do they slip away?", "bombard": "The bombardment", "charge": "The charge", "counter": "The answer",
    "attack": "The attack", "absorb": "Do the works hold?", "panic": "Does the unit panic?", "rally": "Does it rally?",
    "alliance": "What do they answer?", "hunt": "Do the hunters find anybody?", "leader": "Is a leader hit?",
    "chit": "Which battle dispatch is drawn?",
}  # fmt: skip

_VERB_RULES = {
    "evade": "9.0 R-34", "stand": "9.0", "absorb": "9.0 R-28", "charge": "9.0 R-44", "carry": "6.0", "scuttle": "R-51",
    "counter": "9.0 R-26", "advance": "9.0 R-35", "column": "9.0 R-33", "hunt": "10.0 R-20",
}  # fmt: skip

_TIMES = {
    "from": 250, "unit": 300, "to": 800, "stack": 300, "target": 700, "with": 500, "place": 700, "go": 800,
    "counter": 600, "advance": 800, "chit": 1400, "attack": 1100, "bombard": 1000, "charge": 1000, "evasion": 900,
    "absorb": 900, "panic": 900, "rally": 700, "alliance": 1000, "hunt": 900, "leader": 900, "done": 250, "pass": 250,
    "build": 500, "structure": 700, "territory": 500, "evade": 500, "stand": 400,
}  # fmt: skip
"""The time that each kind of event is shown at normal speed, in milliseconds."""

_SHORT = (
    "The New Zealand Wars on the North Island, Te Ika-a-Māui, two months a turn: Māori who fight for their land "
    "against British troops, settlers, and the Māori who sided with the Crown.",
    "In each half a player brings reinforcements, moves hex by hex, rallies, talks with neutral people, attacks, raids "
    "out of the bush and builds. An attack goes step by step: the defender may slip away, a battle dispatch is drawn, "
    "guns fire, the defender answers, then the attack falls.",
    "One marker counts victory points, and nine decide at once. Māori also lose with their last village or pā, the "
    "British player with the last settlement.",
    None,
)

_KINDS: Mapping[str, str] = {
    "infantry": "British regulars. They arrive in towns, do not enter the bush, and raiders surprise them.",
    "naval": "Sailors and marines ashore, in all else like infantry.",
    "militia": "Settlers. They attack at -1 unless regulars are with them; they panic easily, and know the bush.",
    "constabulary": "The Armed Constabulary, from 1867: like infantry, and they go into the bush.",
    "rangers": "Forest Rangers: quick in rough country. Raids under von Tempsky or Jackson have +2.",
    "cavalry": "Fast on open ground, where it may charge before the others attack.",
    "artillery": "Bombards a hex next to it. It has no strength of its own and does not count for stacking.",
    "gunboat": "Sails from coast to coast and up dotted rivers, carries two units, bombards across water.",
    "queenite": "Māori who fought beside the Crown, kūpapa: quick, at home in the bush; fed by their own villages.",
    "warrior": "A taua. Quick in rough country, at home in the bush; three for each village or pā.",
    "canoe": "Waka: 8 hexes along coasts, lakes and rivers; carry two units, and may be carried.",
}


class MaoriStrings:
    """The strings that the game's spec names; see `hawaii_env.web.strings.Strings`. Nothing is hidden, so none of them
    asks for whom.
    """

    why_not = staticmethod(why_not)

    def __init__(self, game: AnyGame) -> None:
        self.game: Game = cast(Game, game)
        self.ruleset: Ruleset = self.game.ruleset
        self.scenario: Scenario = self.ruleset.scenarios[self.game.scenario]

    # What does not change

    def reference(self) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.reference`."""
        sides = [
            {"id": "maori", "name": "Māori", "title": "Māori", "within": "Māori", "whose": "Māori", "plural": True},
            {"id": "british", "name": "British", "title": "The British player", "within": "the British player",
                "whose": "The British player’s", "plural": False},
        ]  # fmt: skip
        board = self.ruleset.board
        return {
            "sides": sides,
            "names": {"maori": "Māori", "british": "British", "queenite": "Queenites", "neutral": "Neutral"},
            "options": [
                {"name": "scenario", "label": "Scenario", "kind": "radios", "value": self.ruleset.default,
                    "choices": [[name, spell(one.name), count(one.turns, "turn")]
                        for name, one in self.ruleset.scenarios.items()]},
                {"name": "levels", "label": "Grade wins: minor, major, decisive", "kind": "check", "value": False},
            ],
            "short": list(_SHORT),
            "moves": ["to", "go", "advance", "place"],
            "times": _TIMES,
            "cards": self._cards(),
            "pieces": self._pieces(),
            "spaces": [self._space(at) for at in self.game.hexes],
            "places": {name: f"the bush of {board.map.territories[name].name}" for name in self.scenario.theatre}
            | {"box/maori": "the Māori box", "box/british": "the British box"},
            "marks": {},
            "victory": {
                "maori": "Māori win at once with 9 points or when the last settlement is removed.",
                "british": "The British player wins at once with 9 points or when no village or pā is left.",
                "else": "After the last turn 2 points are a minor victory, 6 a major one; less is a tie [1.0].",
            },
            **Ruleset.references(),
        }  # fmt: skip

    def _cards(self) -> dict[str, dict[str, Any]]:
        return {
            f"chit-{chit.n}": {
                "side": "", "deck": "Battle dispatches", "number": chit.n, "title": chit.title,
                "text": chit_effect(self.ruleset, chit), "rules": ["9.0"],
                "facts": "Not returned to the cup when it is empty." if chit.once else "",
            }
            for chit in self.ruleset.chits
            if chit.n not in self.scenario.remove
        }  # fmt: skip

    def _pieces(self) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for kind, one in self.ruleset.kinds.items():
            pieces = one.count if isinstance(one.count, int) else one.count.maori + one.count.queenite
            facts = [_KINDS[kind], f"{count(one.move, 'movement point')}."]
            if one.cost is not None:
                facts[-1] = f"{facts[-1][:-1]}; {one.cost.clear} for clear ground, {one.cost.rough} for rough."
            made.append(
                {"side": one.side, "kind": kind, "name": one.name, "count": pieces, "facts": facts, "can": [],
                    "rules": ["3.0", "6.0"]}
            )  # fmt: skip
        shown = {leader for line in (*self.scenario.setup, *self.scenario.arrivals) for leader in line.leaders}
        for leader in (one for one in self.ruleset.leaders if one in shown):
            one = self.ruleset.leaders[leader]
            made.append(
                {"side": one.category, "kind": leader, "name": one.name, "count": 1, "facts": ["A leader: he rallies, "
                    "talks and goes with units; 4 movement points."], "can": [], "rules": ["3.0", "7.0", "8.0"]}
            )  # fmt: skip
        return made

    def _space(self, at: str) -> dict[str, Any]:
        board, hex = self.ruleset.board, self.ruleset.board.map.hexes[at]
        facts = [TERRAIN_NAMES[hex.terrain]]
        if at in board.towns:
            facts.append("a town")
        facts += ["coast"] * (at in board.coastal) + ["lakeside"] * (at in board.lakeside)
        for river in board.rivers.get(at, ()):
            one = board.map.rivers[river]
            dotted = ", dotted" if at in one.hexes[: one.navigable] else ""
            facts.append(f"{one.name} river{dotted}")
        named = [board.map.places[place].name for place in board.places.get(at, ())]
        title = f"{', '.join(named)} ({at})" if named else at
        said = f"{', '.join(facts)}; {board.map.territories[hex.territory].name}."
        return {"id": at, "name": board.hex_name(at), "title": title, "facts": [said[:1].upper() + said[1:]],
            "rules": ["4.0", "6.0"]}  # fmt: skip

    # A position

    def actions(self, state: State, player: int) -> list[dict[str, Any]]:
        """See `hawaii_env.web.strings.Strings.actions`."""
        view = state.view().to_dict()
        scene, made = Scene(view, self.ruleset), list[dict[str, Any]]()
        opening, left = _OPENING.get(view["step"], ()), points_left(cast(Any, state))
        for action in state.legal_actions(player):
            text = state.game.action_text(action)
            group, label = self._label(text, scene)
            verb = text.split()[0]
            rules = _VERB_RULES.get(verb) or TABLE.sections.get(view["step"], "")
            one = {"action": action, "text": text, "group": group, "label": label, "rules": _numbers(rules)}
            if verb in _HEXES:
                name = self.ruleset.board.hex_name(text.split()[1])
                first, comma, _ = (label if name.isdigit() else name).partition(",")
                one["brief"] = f"{first} …" if comma else first.split(" (")[0]
            if action in left:
                one |= {"mark": str(left[action]), "label": f"{label}, {left[action]} left"}
            made.append({**one, "opens": True} if verb in opening else one)
        return made

    def _label(self, text: str, scene: Scene) -> tuple[str, str]:
        """Return group and label of an action."""
        verb, *words = text.split()
        step = scene.view["step"]
        if verb in _HEXES:
            return _HEXES[verb], self._hex(words[0], scene)
        if verb in ("unit", "carry"):
            kind, _, condition = words[0].partition("/")
            name = kind_name(self.ruleset, kind) + (", Disrupted" if condition else "")
            return "Carry a canoe with" if verb == "carry" else "", name
        if verb == "territory":
            return "Bush", place_name(self.ruleset, words[0])
        if verb in ("with", "advance", "counter", "go") and scene.middle is not None:
            across = neighbours(scene.middle)[SIDES.index(words[0])]
            where = place_name(self.ruleset, across)
            who = "all" if words[1:] in ([], ["all"]) else kind_name(self.ruleset, words[1])
            return {
                "with": (f"From {where}", who), "advance": (f"Advance from {where}", who),
                "counter": ("Against", self._hex(across, scene)), "go": ("To", self._hex(across, scene)),
            }[verb]  # fmt: skip
        if verb == "structure":
            return "", "Repair it" if words[0] == "repair" else f"Build a {STRUCTURE_NAMES[words[0]]}"
        if verb == "column":
            return "", {"units": "The units", "canoe": "The canoes", "pa": "The pā"}[words[0]]
        if verb in ("done", "pass"):
            return "", _ENDS.get((verb, step), {"done": "Done", "pass": "Pass"}[verb])
        said = {"evade": "Slip away", "stand": "Stand", "stay": "Stay", "absorb": "Let the works take the blow"}
        return "", said.get(verb, {"stack": "The whole stack", "scuttle": "Scuttle it"}.get(verb, verb.capitalize()))

    def _hex(self, at: str, scene: Scene) -> str:
        """Return a hex with who is there."""
        name = self.ruleset.board.hex_name(at)
        there = [counted(self.ruleset, group.kind, group.count) for group in scene.units(at)]
        if at in scene.structures:
            there.insert(0, STRUCTURE_NAMES.get(scene.structures[at].kind, "town"))
        return (name if name == at else f"{name} ({at})") + (f": {', '.join(there)}" if there else "")

    def status(self, state: State, player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.status`."""
        view, outcome = state.view().to_dict(), state.outcome()
        question, more = STEPS.get(view["step"], (_DICE.get(view["step"], ""), ""))
        return {
            "when": self._when(view),
            "phase": view["step"],
            "question": question if outcome is None else outcome.reason,
            "help": more,
            "rules": _numbers(TABLE.sections.get(view["step"], "")),
            "within": view["step"] in _WITHIN,
        }

    def _when(self, view: Mapping[str, Any]) -> str:
        half = "Māori" if view["half"] == "maori" else "British"
        return f"{month(self.scenario.first, view['turn'])}, {half} half: {PHASE_NAMES[view['phase']].lower()}"

    def chance(self, state: State) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.chance`."""
        step, outcomes = state.view().to_dict()["step"], list[dict[str, Any]]()
        for outcome, _ in state.chance_outcomes():
            made: dict[str, Any] = {"outcome": outcome, "label": str(outcome)}
            if step == "chit":
                title = self.ruleset.chits[outcome - 1].title
                made |= {"label": f"{outcome}: {title}", "card": f"chit-{outcome}"}
            outcomes.append(made)
        chit = step == "chit"
        return {
            "kind": step,
            "side": "",
            "question": _DICE.get(step, "What does the die show?"),
            "help": "",
            "card": chit,
            "outcomes": outcomes,
            "draw": "Draw it for us" if chit else "Roll it for us",
        }

    def at_hand(self, state: State, recent: Sequence[Event], player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.at_hand`."""
        view = state.view().to_dict()
        chit = (view["combat"] or {}).get("chit")
        cards = [{"label": "in force", "card": f"chit-{chit}"}] if chit else []
        return {"when": self._when(view), "cards": cards, "note": self._combat_sheet(state, view, recent)}

    def _combat_sheet(self, state: State, view: Mapping[str, Any], recent: Sequence[Event]) -> dict[str, Any] | None:
        """Return the combat that is running, step by step [9.0]; None if there is none."""
        scene, combat = Scene(view, self.ruleset), view["combat"] or {}
        if scene.target is None:
            return None
        facts = [f"Target: {self._hex(scene.target, scene)}"]
        for at, units in scene.participants.items():
            said = ", ".join(counted(self.ruleset, kind, n) for kind, n in units.items())
            facts.append(f"From {place_name(self.ruleset, at)}: {said}")
        if scene.gun:
            facts.append(f"Bombarding: {counted(self.ruleset, scene.gun, 1)}")
        said = (("attack_modifier", "attack"), ("counter_modifier", "answer"), ("bombard_modifier", "bombardment"))
        changed = [f"{what} {combat[key]:+}" for key, what in said if combat.get(key)]
        if changed:
            facts.append(f"By the dispatch: {', '.join(changed)}")
        title = f"{'Raid' if view['phase'] == 'bush' else 'Attack'} on {place_name(self.ruleset, scene.target)}"
        steps = [] if view["phase"] == "bush" else self._steps(scene, recent)
        return {"title": title, "facts": facts, "steps": steps, "table": self._results(state)}

    def _steps(self, scene: Scene, recent: Sequence[Event]) -> list[dict[str, str]]:
        """[9.0] Return the steps of a combat: each what it brought, and whether it is done, running or to come."""
        combat, fallen = scene.view["combat"], dict[str, str]()
        for event in reversed(recent):
            if isinstance(event, Chance):
                fallen.setdefault(event.kind, f"die {event.outcome}")
            elif event.text.startswith("target "):
                break
        if combat.get("chit"):
            chit = self.ruleset.chits[combat["chit"] - 1]
            fallen["chit"] = f"{chit.n} {chit.title}: {chit_effect(self.ruleset, chit)}"
        names = [*_COMBAT_STEPS]
        now = next(
            (n for n, (_, follows) in enumerate(_COMBAT_STEPS.values()) if follows == combat.get("next_step")), 0
        )
        if scene.view["step"] == "participants":
            now = 0
        return [
            {"label": name, "text": fallen.get(_COMBAT_STEPS[name][0], ""),
                "state": "done" if number < now else "running" if number == now else "next"}
            for number, name in enumerate(names)
        ]  # fmt: skip

    def _results(self, state: State) -> dict[str, Any]:
        """Return the Combat Results Table, with the row of a die that is due, and what is added to it [9.0]."""
        crt, now, more = self.ruleset.charts.crt, -1, ""
        if state.phase in _ROLLS and cast(Any, state).stage == "combat":
            column, modifier = _ROLLS[state.phase]
            rules, record = self.game.tables, cast(Any, state).interpreted()
            now, added = column(rules, record), modifier(rules, record)
            more = f". This roll: the die {added:+}" if added else ". This roll: no modifier"
        rows = (("weaker", crt.lesser), ("equal", crt.equal), ("stronger", crt.greater))
        return {
            "caption": f"D one Disrupted, A all; R retreat; E, EE one and two lost; ER, EE the others retreat{more}",
            "columns": [str(die) for die in range(len(crt.equal))],
            "rows": [
                {"label": label, "cells": ["–" if cell == "none" else cell for cell in row], "now": number == now}
                for number, (label, row) in enumerate(rows)
            ],
            "at": None,
        }

    def undo_text(self, before: State, happened: Event) -> str:
        """See `hawaii_env.web.strings.Strings.undo_text`."""
        if isinstance(happened, Chance):
            return chance_phrase(self.ruleset, happened)
        view = before.view().to_dict()
        if (happened.text, view["step"]) in _ENDS:
            return _ENDS[happened.text, view["step"]]
        about, combat = view["about"] or {}, view["combat"] or {}
        context = Context(view["phase"], about.get("hex", ""), about.get("territory", ""))
        context.target = combat.get("target", "")
        said = decision_phrase(self.ruleset, happened.text, view, context)
        return said[:1].upper() + said[1:]


_HEXES = {"from": "From", "target": "Target", "build": "At", "place": "To", "to": "To"}
"""Groups of the verbs that name a hex."""

_ENDS = {
    ("done", "move"): "End movement", ("done", "declare"): "No more attacks",
    ("done", "participants"): "Attack", ("done", "advance"): "Advance no further",
    ("done", "negotiate"): "No more talks",
    ("done", "bush_move"): "No more raiders", ("done", "raid_more"): "Raid", ("done", "hunt_more"): "Hunt",
    ("done", "ship_unit"): "Sail", ("pass", "reinforce"): "Take none", ("pass", "build"): "Build nothing",
    ("pass", "charge_or_not"): "Do not charge", ("pass", "withdraw"): "Stay", ("pass", "ship_target"): "No voyage",
    ("pass", "sap_target"): "Dig no sap", ("pass", "counterstroke"): "No counterstroke",
}  # fmt: skip
"""The labels of `done` and `pass`, by step."""


def _numbers(rules: str) -> list[str]:
    return re.findall(r"R-\d\d|\d+\.0", rules)
