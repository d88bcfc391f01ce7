"""The page's texts for Heiau Diplomacy: turns entered by clicks or typed, what a phase asks, scenarios, units.

Everything is read from views, the ruleset and the rulings; nothing here knows the rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hawaii_env.errors import HawaiiError
from hawaii_env.game import Event, State
from hawaii_env.game import Game as AnyGame
from hawaii_env.heiau.game import Game
from hawaii_env.heiau.pictures.chart import chart_of
from hawaii_env.heiau.pictures.names import colours_of, in_words, named, power_name, seats, title
from hawaii_env.heiau.pictures.picture import DASHES
from hawaii_env.heiau.positions import HeiauView
from hawaii_env.heiau.reasons import why_not
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.heiau.turns import Entry, Subject, read_typed, turn_of

__all__ = ["HeiauStrings"]

SCENARIOS: Mapping[str, str] = {
    "race": "two units each, on Hawaiʻi and in the west",
    "duel": "one unit each, Lānaʻi against Lāhainā",
    "discrete": "two units each, a third of the islands apart",
    "triangle": "one unit each, all close together",
    "clans": "three units each, spread over all the islands",
    "heart": "one unit each, around Lānaʻi",
    "wings": "one unit each, two in the east, two in the west",
    "kamaainas": "one unit each, from Puna to Niʻihau",
    "haole": "Heart or Wings, as all vote, and a European fleet",
    "discovery": "Kamaʻāinas and a European fleet",
    "two_haoles": "Heart or Wings, as all vote, and two fleets",
}
"""A short description of each printed scenario."""

_PHASES: Mapping[str, tuple[str, str, str]] = {
    "ballot": (
        "Where do the native powers start?",
        "All vote secretly. The start with more votes is played.",
        "R-19 R-24",
    ),
    "orders": (
        "Your orders",
        "Click a unit, then where it goes. To support, click what is helped next, and then where that goes; a unit "
        "without an order holds.",
        "R-06 R-07 R-08 R-12 R-28",
    ),
    "retreats": (
        "Your retreats",
        "Click a dislodged unit, then a free space beside it; or disband it.",
        "R-15 R-16 R-26",
    ),
    "adjustments": ("Winter", "A power has as many armies and bunches as heiaus and posts.", "R-17 R-18"),
    "over": ("", "The game is over.", "R-22 R-23"),
    "assignment": ("Who plays which power?", "Powers are drawn by lot.", "R-24"),
    "setup": ("The ballot is level", "The lot decides between the two starts.", "R-19"),
}

_UNITS = (
    ("A", "Army", ["Marches by land, and supports where it could march.", "Builds boats in a coastal space that nobody "
        "attacks [Armies].", "Is convoyed from coast to coast."], "R-11 R-12"),
    ("B", "Boat bunch", ["Goes and supports by water, never in the oceans [Boats 2].", "Going inland, or supporting "
        "there, it burns its boats and is an army, whatever comes of it [Boats 3].", "Is convoyed with its boats."],
        "R-07 R-09 R-10 R-28"),
    ("F", "Fleet", ["Goes and supports by water everywhere.", "Convoys armies and bunches, in coastal spaces too.",
        "Builds one trading post where there is no heiau [Post]."], "R-13 R-18 R-27"),
)  # fmt: skip

_SHORT = (
    "Diplomacy on the islands of Hawaiʻi: all enter their orders secretly, then all are resolved at once. Equal "
    "strengths bounce, supports decide, and nobody rolls a die.",
    "A power with nine of the 17 heiaus at the end of a Fall wins. A heiau belongs to the power last on it after a "
    "Fall; in Winter each power has as many units as heiaus.",
    "Boat bunches sail along coasts and channels, and burn their boats when they go inland. Armies march, and build "
    "boats on a coast. The Europeans of some scenarios have one fleet, which convoys and builds a trading post.",
)


class HeiauStrings:
    """The strings that the game's spec names; see `hawaii_env.web.strings.Strings` and `Turns`."""

    why_not = staticmethod(why_not)

    def __init__(self, game: AnyGame) -> None:
        self.game: Game = cast(Game, game)

    # What does not change

    def reference(self) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.reference`."""
        game, rules = self.game, self.game.ruleset
        ids = seats(game.agents, game.powers)
        sides = [
            {"id": side, "name": name, "title": name, "within": name, "whose": f"{name}’s", "plural": False}
            for side, name in zip(ids, map(power_name, ids), strict=True)
        ]
        choices = [
            [one.id, f"{power_name(one.id)}: {len(one.powers)} players, {SCENARIOS.get(one.id, 'your own')}", ""]
            for one in rules.scenarios.values()
        ]
        return {
            "sides": sides,
            "names": {side["id"]: side["name"] for side in sides},
            "options": [
                {"name": "scenario", "label": "Scenario", "kind": "select", "choices": choices},
                {"name": "last_year", "label": "Last year, after which the game is a draw [R-23]", "kind": "number",
                    "value": 20},
                {"name": "posts_win", "label": "Trading posts count for victory [R-21]", "kind": "check",
                    "value": False},
                {"name": "scoring", "label": "A draw is shared", "kind": "select", "choices": [
                    ["draw_size", "equally among those who own a heiau or post"], ["solo", "equally among all"],
                    ["sum_of_squares", "by the squares of heiaus and posts"]]},
                {"name": "discrete_start", "label": "Sunrise in Discrete [R-02]", "kind": "select", "choices": [
                    ["kona_coast", "starts at sea, on Kona Coast"], ["kona_kailua", "starts in Kona-Kailua"]]},
            ],
            "by_hand": False,
            "short": list(_SHORT),
            "moves": ["orders"],
            "times": {},
            "cards": {},
            "pieces": [
                {"side": "", "kind": kind, "name": name, "count": None, "facts": facts, "can": facts,
                    "rules": rulings.split()}
                for kind, name, facts, rulings in _UNITS
            ],
            "spaces": [self._space(n) for n in range(len(rules.spaces))],
            "marks": {},
            "victory": {"heiaus": f"Whoever owns {rules.victory} heiaus at the end of a Fall wins, and so does "
                "the last power left [R-22]. After the last year the game is a draw [R-23]."},
            **Ruleset.references(),
        }  # fmt: skip

    def _space(self, n: int) -> dict[str, Any]:
        """Return a space as the page tells of it: what it is, and its neighbours."""
        rules, board = self.game.ruleset, self.game.options.board
        one = rules.spaces[n]
        ocean = bool(board.oceans >> n & 1)
        kind = (
            "ocean, closed to boat bunches"
            if ocean
            else {"coast": "coastal", "inland": "inland"}.get(one.kind, one.kind)
        )
        facts = [f"{kind[0].upper()}{kind[1:]}{', with a heiau' if one.heiau else ''}."]
        land = [rules.spaces[t].name for t in range(len(rules.spaces)) if board.land[n] >> t & 1]
        places = board.coasts[n] or (board.bare[n],)
        for place in places:
            by = [board.places[q] for q in range(len(board.places)) if board.water[place] >> q & 1]
            names = [rules.spaces[board.index[q.partition("/")[0]]].name for q in by]
            coast = board.places[place].partition("/")[2]
            if names:
                facts.append(f"By water{f' from coast {coast}' if coast else ''}: {', '.join(names)}.")
        if land:
            facts.append(f"By land: {', '.join(land)}.")
        island = power_name(one.island) if one.island else "at sea"
        name = one.name if one.name == island else f"{one.name}, {island}"
        return {"id": one.id, "name": one.name, "title": name, "facts": facts, "rules": []}

    # A position

    def actions(self, state: State, player: int) -> list[dict[str, Any]]:
        """See `hawaii_env.web.strings.Strings.actions`."""
        made: list[dict[str, Any]] = []
        for action in state.legal_actions(player):
            text = self.game.action_text(action)
            verb, _, rest = text.partition(" ")
            made.append({"action": action, "text": text, "group": verb.capitalize() if rest else "",
                "label": rest or verb.capitalize(), "rules": []})  # fmt: skip
        return made

    def status(self, state: State, player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.status`."""
        view: HeiauView = state.view(player)
        question, advice, rules = _PHASES[view.phase]
        outcome = state.outcome()
        if outcome is not None:
            question = outcome.reason
        return {"when": title(view), "phase": view.phase, "question": question, "help": advice, "rules": rules.split()}

    def chance(self, state: State) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.chance`."""
        outcomes = [{"outcome": outcome, "label": state.chance_text(outcome)} for outcome, _ in state.chance_outcomes()]
        question, advice, _ = _PHASES[state.phase]
        return {"kind": state.phase, "side": "", "question": question, "help": advice, "card": False,
            "outcomes": outcomes, "draw": "Draw it for us"}  # fmt: skip

    def at_hand(self, state: State, recent: Sequence[Event], player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.at_hand`."""
        view: HeiauView = state.view(player)
        facts = [
            f"{power_name(one['power'])}: {in_words(self.game.ruleset, one['order'])}"
            + (": dislodged" if one["dislodged"] else "" if one["success"] else ": fails")
            + (" (its boats burn)" if one["burned"] else "")
            for one in view.last
        ]
        votes = [f"{power_name(power)} voted for {power_name(vote)}." for power, vote in view.ballots.items() if vote]
        note = None if not facts and not votes else {"title": "The last orders" if facts else "The ballot",
            "facts": facts or votes, "table": None}  # fmt: skip
        return {"when": title(view), "cards": [], "note": note}

    def undo_text(self, before: State, happened: Event) -> str:
        """See `hawaii_env.web.strings.Strings.undo_text`."""
        return in_words(self.game.ruleset, happened.text)

    # A turn

    def turn(self, state: State, player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Turns.turn`."""
        position: Any = state
        turn, chart = turn_of(position, player), chart_of(self.game.ruleset)
        question, advice, rules = _PHASES[state.phase]
        counted = ""
        if state.phase == "adjustments":
            builds = turn.least == 0
            counted = "armies built" if builds else "units removed"
            question = f"Winter: build up to {turn.most}" if builds else f"Winter: remove {turn.most}"
            advice = "Click your free heiaus." if builds else "Click the units that you give up."
        power = self.game.powers[position.power_of(player)]
        return {
            "question": question,
            "help": advice,
            "rules": rules.split(),
            "places": {place: [round(x, 1), round(y, 1)] for place, (x, y) in chart.at.items()},
            "subjects": [self._subject(n, subject, state.phase) for n, subject in enumerate(turn.subjects)],
            "least": turn.least,
            "most": turn.most,
            "counted": counted,
            "end": list(turn.end),
            "colour": colours_of(self.game.powers)[power],
            "typed": {"orders": "B puna S A hilo - kalae", "retreats": "A puna - kalae", "adjustments": "build puna",
                "ballot": "vote heart"}[state.phase],
            "send": {"orders": "Send orders", "retreats": "Send retreats", "adjustments": "End the Winter",
                "ballot": "Vote"}[state.phase],
        }  # fmt: skip

    def _subject(self, n: int, subject: Subject, phase: str) -> dict[str, Any]:
        return {
            "id": n,
            "name": subject.name,
            "place": subject.place,
            "usual": subject.usual,
            "options": [self._option(entry, subject.name, phase) for entry in subject.entries],
        }

    def _option(self, entry: Entry, name: str, phase: str) -> dict[str, Any]:
        arrow = None
        if re.match(r"[ABF] \S+ (-|S|C|=|H)", entry.text):
            arrow = chart_of(self.game.ruleset).arrow(entry.text)
        if entry.counts:
            arrow = chart_of(self.game.ruleset).arrow(f"A {entry.text.split()[-1]} = B")
        drawn = arrow is not None and arrow.kind != "hold"
        idle = {"nothing": f"{name}: nothing is built", "keep": f"{name}: stays"}
        return {
            "text": idle.get(entry.text) or in_words(self.game.ruleset, entry.text, phase == "retreats"),
            "code": "" if entry.text in idle else named(self.game.ruleset, entry.text),
            "group": entry.group,
            "label": entry.label,
            "actions": list(entry.actions),
            "path": list(entry.path),
            "counts": entry.counts,
            "arrow": {"kind": arrow.kind, "line": arrow.line, "head": arrow.head, "dash": DASHES.get(arrow.kind, "")}
            if drawn and arrow is not None
            else None,
        }

    def read(self, state: State, player: int, text: str) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Turns.read`."""
        try:
            subject, option = read_typed(cast(Any, state), player, text)
        except HawaiiError as error:
            # Names instead of ids, but for what was typed.
            said = re.sub(
                r"('[^']*')|[a-z_]+(?:/[a-z]+)?", lambda one: one[1] or named(self.game.ruleset, one[0]), str(error)
            )
            raise type(error)(said) from error
        return {"subject": subject, "option": option}
