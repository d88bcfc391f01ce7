"""The page's texts for ALOHA: legal actions as buttons, phases with their rules, the cards, the scoring.

Everything is read from the view, the ruleset and the rulings; nothing here knows the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from hawaii_env.aloha.game import Game
from hawaii_env.aloha.pictures.names import (
    CONFLICTS,
    STAGE_NAMES,
    amounts,
    card_votes,
    effect,
    island_name,
    player_name,
    scoring_words,
    takes,
)
from hawaii_env.aloha.positions import View
from hawaii_env.aloha.reasons import why_not
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.game import Chance, Event, State
from hawaii_env.game import Game as AnyGame
from hawaii_env.texts import count, spell

__all__ = ["AlohaStrings"]

CHAPTERS = ("chapter_1", "chapter_2", "chapter_3")

# What a phase asks, what there is to know of it, and its rules.
_PHASES: Mapping[str, tuple[str, str, str]] = {
    "first_player": ("Who begins?", "The first player is drawn by lot; play is clockwise.", "SU R-24"),
    "settle": (
        "Settle on an island",
        "{placed} of your tokens go there. Each player settles on another island; later everybody may go anywhere.",
        "P1 R-25",
    ),
    "prologue_action": (
        "Migrate, or take a warrior",
        "Two actions each. The player with most tokens on an island gets its card; warriors help to win the King.",
        "P2 R-03",
    ),
    "amount": ("How many go from {start} to {end}?", "They go together. Undo takes the migration back.", "C2m"),
    "die": ("Roll a die", "The highest total wins the conflict.", "P3 C3 R-08 R-09"),
    "king": (
        "Where does the King/Queen token go?",
        "It is an additional Action on an island where you are present. The event cards come afterwards.",
        "AD C1 R-07",
    ),
    "event": ("Which event card is drawn?", "A calamity strikes at once; any other card stays face up.", "C2e R-14"),
    "action": (
        "Use an Action token: {left} left",
        "Click an island to use its token there, your tokens to migrate, or an event card.",
        "C2 TO R-05 R-21",
    ),
    "convert": (
        "Convert, or end it: {left} left",
        "A token becomes Commerce or Aloha; one of these becomes a vote for the Governor.",
        "E1 R-20",
    ),
    "over": ("", "The game is over.", "W"),
}
_VERB_RULES = {
    "settle": "P1 R-25", "migrate": "C2m R-21", "amount": "C2m", "warrior": "C2w R-28", "king": "AD R-07",
    "take": "C2r R-12 R-27", "event": "C2e R-13 R-16 R-29", "convert": "E1 R-20", "done": "E1", "pass": "R-04",
}  # fmt: skip

_LABELS = {
    "settle 1": ("Settle on", "{0}"), "migrate 2": ("Migrate from {0} ({tokens}) to", "{1}"),
    "amount 1": ("Tokens", "{0}"), "warrior 1": ("Take a warrior with the token of", "{0}"),
    "warrior 0": ("", "Take a warrior"), "king 1": ("King/Queen token to", "{0}"),
    "take 1": ("Take what the island gives", "{0}: {amounts}"),
    "convert vote": ("Into a vote for the Governor", "1 {0}"), "convert 2": ("A token into {1}", "of {0}"),
    "done 0": ("", "No more conversions"), "pass 0": ("", "No action left"),
}  # fmt: skip
"""Group and label of an action, by its verb and the number of its words."""

# How long each kind of event stands at normal speed, in milliseconds.
_TIMES = {
    "first_player": 900, "settle": 900, "migrate": 500, "amount": 800, "warrior": 700, "take": 800, "king": 900,
    "event": 1000, "die": 700, "convert": 600, "done": 300, "pass": 300,
}  # fmt: skip

_SHORT = (
    "The Hawaiian Islands from the settlers to statehood, in five stages: a Prologue, three Chapters, an Epilogue. You "
    "have Pure Hawaiian tokens on islands, and Commerce, Aloha, Warriors and votes.",
    "In a Chapter you have Action tokens on islands: one where you have tokens, two where you hold the island’s card, "
    "and the King/Queen token. The player with most left acts next. An Action migrates tokens, takes a warrior, takes "
    "what the island gives, or plays an event card that names the island.",
    "A Chapter ends with a conflict, in which the dice say who gets the monarch, and with points for the cards and for "
    "most Pure Hawaiian tokens, Commerce and Aloha. In the Epilogue tokens are converted and the Governor is elected.",
)


class AlohaStrings:
    """The strings that the game's spec names; see `hawaii_env.web.strings.Strings`. Nothing is hidden, so none of them
    asks for whom.
    """

    why_not = staticmethod(why_not)

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.ruleset: Ruleset = cast(Game, game).ruleset

    # What does not change

    def reference(self) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.reference`."""
        sides = [
            {"id": agent.partition("_")[0], "name": name, "title": name, "within": name, "whose": f"{name}’s"}
            for agent in self.game.agents
            for name in [player_name(agent)]
        ]
        return {
            "sides": [{**side, "plural": False} for side in sides],
            "names": {side["id"]: side["name"] for side in sides},
            "options": [
                {"name": "players", "label": "Players", "kind": "radios", "value": 2,
                    "choices": [[n, str(n), ""] for n in (2, 3, 4)]},
                {"name": "turn_order", "label": "Turn order in a chapter [R-05]", "kind": "select",
                    "choices": [["most_left", "the player with most Action tokens left acts next"],
                        ["rounds", "one action each, again and again"]]},
            ],
            "short": [*_SHORT, None],
            "moves": [],
            "times": _TIMES,
            "cards": self._cards(),
            "pieces": self._pieces(),
            "spaces": [self._space(island) for island in ISLANDS],
            "marks": {},
            "victory": {"points": "Most points win. Ties: by Hawaiian tokens, Aloha, Commerce; else the victory is "
                "shared [W]."},
            **Ruleset.references(),
        }  # fmt: skip

    def _islands(self, islands: Sequence[str]) -> str:
        return ", ".join(island_name(self.ruleset, island) for island in islands)

    def _cards(self) -> dict[str, dict[str, Any]]:
        kinds = {
            "event": "An event: an Action token of one of these islands plays it.",
            "calamity": "A calamity: it affects everybody on these islands when it is drawn.",
            "calamity_opponents": "A calamity played on the opponents who are on the island of the Action token.",
        }
        rules = {"event": ["C2e", "R-13"], "calamity": ["C2e", "R-15"], "calamity_opponents": ["C2e", "R-16"]}
        made: dict[str, dict[str, Any]] = {}
        for stage in CHAPTERS:
            for number in sorted(self.ruleset.chapters[CHAPTERS.index(stage)]):
                card = self.ruleset.card(stage, number)
                result = effect(card)
                made[f"{stage}-{number}"] = {
                    "side": "", "deck": STAGE_NAMES[stage], "number": number, "title": spell(card.title),
                    "text": spell(card.text), "rules": rules[card.kind],
                    "facts": f"{self._islands(card.islands)}: {result}. {kinds[card.kind]}",
                }  # fmt: skip
        return made

    def _pieces(self) -> list[dict[str, Any]]:
        set_up = self.ruleset.board.set_up
        said = (
            ("tokens", "Pure Hawaiian and Action tokens", set_up.stock, ["SU", "AD", "R-02", "R-21"], [
                "The number counts Pure Hawaiian tokens; each square beside it is an Action token.",
                "The crown marks the island’s Royal Family card: two Action tokens there in the next Chapter.",
            ]),
            ("king", "King/Queen token", 1, ["AD", "R-07"], [
                "Its holder has one more Action in each Chapter, on an island where he has tokens.",
                "It goes to the winner of each conflict.",
            ]),
        )  # fmt: skip
        return [
            {
                "side": "neutral",
                "kind": kind,
                "name": name,
                "count": count,
                "facts": facts,
                "can": facts,
                "rules": rules,
            }
            for kind, name, count, rules, facts in said
        ]

    def _space(self, island: str) -> dict[str, Any]:
        early, late = takes(self.ruleset, "chapter_1", island), takes(self.ruleset, "chapter_3", island)
        facts = [f"An Action token here takes {amounts(early)}"]
        facts[0] += "." if late == early else f", in Chapter III {amounts(late)}."
        name = island_name(self.ruleset, island)
        return {"id": island, "name": name, "title": name, "facts": facts, "rules": ["C2r", "C2m", "R-21"]}

    # A position

    def _view(self, state: State) -> View:
        return cast(View, state.view())

    def _label(self, text: str, view: View) -> tuple[str, str]:
        """Group and label of an action."""
        verb, *words = text.split()
        names = [self._named(word) if word in ISLANDS else word.capitalize() for word in words]
        if verb == "event":
            number = view.face_up[int(words[0]) - 1]
            card = None if number is None else self.ruleset.card(view.stage, number)
            said = "Event" if card is None else f"{words[0]}. {spell(card.title)}: {effect(card)}"
            return said, f"on {names[1]}"
        parts: dict[str, Any] = {}
        if verb == "migrate":
            parts["tokens"] = view.players[str(view.to_act)].tokens[ISLANDS.index(words[0])]
        if verb == "take":
            parts["amounts"] = amounts(takes(self.ruleset, view.stage, words[0]))
        group, label = _LABELS["convert vote" if words[1:] == ["vote"] else f"{verb} {len(words)}"]
        return group.format(*names, **parts), label.format(*names, **parts)

    def actions(self, state: State, player: int) -> list[dict[str, Any]]:
        """See `hawaii_env.web.strings.Strings.actions`."""
        view, made = self._view(state), list[dict[str, Any]]()
        for action in state.legal_actions(player):
            text = state.game.action_text(action)
            verb, *words = text.split()
            group, label = self._label(text, view)
            entry = {"action": action, "text": text, "group": group, "label": label, "rules": _VERB_RULES[verb].split()}
            if verb == "event":
                entry["card"] = f"{view.stage}-{view.face_up[int(words[0]) - 1]}"
            made.append(entry)
        # What ends the phase or moves most comes last.
        order = ("event", "take", "warrior")
        rank = {verb: n for n, verb in enumerate(order)}
        return sorted(made, key=lambda entry: rank.get(entry["text"].split()[0], len(order)))

    def status(self, state: State, player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.status`."""
        view, outcome = self._view(state), state.outcome()
        question, more, rules = _PHASES[view.phase]
        own = None if view.to_act is None else view.players[view.to_act]
        left = 0
        if own is not None:
            left = sum(own.actions) if view.phase == "action" else self.ruleset.board.set_up.conversions - own.converted
        start, end = map(self._named, view.migration or ("", ""))
        return {
            "when": STAGE_NAMES[view.stage],
            "phase": view.phase,
            "question": question.format(left=left, start=start, end=end) if outcome is None else outcome.reason,
            "help": more.format(placed=self.ruleset.board.set_up.placed),
            "rules": rules.split(),
        }

    def _named(self, island: str) -> str:
        return island_name(self.ruleset, island) if island else ""

    def chance(self, state: State) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.chance`."""
        view = self._view(state)
        outcomes: list[dict[str, Any]] = []
        side = ""
        for outcome, _ in state.chance_outcomes():
            made: dict[str, Any] = {"outcome": outcome, "label": str(outcome)}
            if view.phase == "first_player":
                made["label"] = player_name(self.game.agents[outcome])
            elif view.phase == "event":
                title = spell(self.ruleset.card(view.stage, outcome).title)
                made |= {"label": f"{outcome}: {title}", "card": f"{view.stage}-{outcome}"}
            outcomes.append(made)
        if view.dice is not None:
            rolling = next(p for p, left in enumerate(view.dice["left"]) if left)
            side = self.game.agents[rolling].partition("_")[0]
        question, more, _ = _PHASES[view.phase]
        die = view.phase == "die"
        return {
            "kind": view.phase,
            "side": side,
            "question": f"{side.capitalize()}: what does the die show?" if die else question,
            "help": more,
            "card": not die,
            "outcomes": outcomes,
            "draw": "Roll it for us" if die else "Draw it for us",
        }

    def at_hand(self, state: State, recent: Sequence[Event], player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.at_hand`."""
        view = self._view(state)
        cards = [
            {"label": f"in slot {slot}", "card": f"{view.stage}-{number}"}
            for slot, number in enumerate(view.face_up, start=1)
            if number is not None
        ]
        note = None
        if view.dice is not None:
            note = self._note(
                CONFLICTS[view.stage],
                [
                    "Two dice each, three for most warriors; the highest total gets monarch and King/Queen token "
                    f"[{'P3' if view.stage == 'prologue' else 'C3'}]."
                ],
                view,
                {
                    "warriors": [own.warrior for own in view.players.values()],
                    "to roll": view.dice["left"],
                    "total": view.dice["totals"],
                },
            )
        elif view.stage == "epilogue":
            on_cards = [card_votes(self.ruleset, own.cards) for own in view.players.values()]
            votes = [own.vote for own in view.players.values()]
            note = self._note(
                "Votes for the Governor [E3]",
                scoring_words(self.ruleset, "epilogue", len(view.players)),
                view,
                {
                    "Home Rule": votes,
                    "on cards": on_cards,
                    "votes": [a + b for a, b in zip(votes, on_cards, strict=True)],
                },
            )
        return {"when": STAGE_NAMES[view.stage], "cards": cards, "note": note}

    def _note(self, title: str, facts: list[str], view: View, rows: Mapping[str, Sequence[int]]) -> dict[str, Any]:
        entry = [{"label": label, "cells": [str(n) for n in cells], "now": False} for label, cells in rows.items()]
        columns = [player_name(agent) for agent in view.players]
        return {"title": title, "facts": facts, "table": {"caption": "", "columns": columns, "rows": entry, "at": None}}

    def undo_text(self, before: State, happened: Event) -> str:
        """See `hawaii_env.web.strings.Strings.undo_text`."""
        if isinstance(happened, Chance):
            if happened.kind == "first_player":
                return f"{player_name(self.game.agents[happened.outcome])} begins"
            if happened.kind == "event":
                return spell(self.ruleset.card(self._view(before).stage, happened.outcome).title)
            return f"a die, {happened.outcome}"
        view, (verb, *words) = self._view(before), happened.text.split()
        if verb == "amount":
            start, end = map(self._named, view.migration or ("", ""))
            return f"{count(int(words[0]), 'token')} from {start} to {end}"
        return " ".join(self._label(happened.text, view)).strip()
