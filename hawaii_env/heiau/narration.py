"""The narration of Heiau Diplomacy: years, turns, orders with their units and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from hawaii_env.game import SPECTATOR, Chance, Decision, Event, Game, State
from hawaii_env.heiau.pictures.names import COLOURS, colours_of, in_words, marks, power_name, seats, space_of
from hawaii_env.heiau.rules.board import KINDS
from hawaii_env.heiau.texts import unit_text
from hawaii_env.narration import Line, Side

__all__ = ["HeiauNarration"]

_AFTER = ("retreat", "disband", "build", "remove", "done")
"""Decisions after the orders; forced ones are of the same step as the last order."""


class HeiauNarration:
    """The narration of one game."""

    scene_name = ""
    chapter_name = "year"
    score_name = "heiaus"

    def __init__(self, game: Game) -> None:
        heiau_game: Any = game
        short = marks(heiau_game.powers)
        tones = colours_of(heiau_game.powers)
        names = seats(heiau_game.agents, heiau_game.powers)
        fixed = names == list(heiau_game.powers)
        self.sides: list[Side] = [
            Side(power_name(name), tones[name] if fixed else COLOURS[i], short[name] if fixed else str(i + 1))
            for i, name in enumerate(names)
        ]
        self.year: int = 0
        self.turn: str = ""
        self.count: int = 0
        self.orders: tuple[tuple[str, int], ...] = ()
        """Places of units whose orders are told and not carried out yet, with the number of the line."""

    def score(self, state: State) -> list[int]:
        """Return how many heiaus each player owns, as far as everybody knows."""
        heiau_game: Any = state
        view = state.view(SPECTATOR)
        owners = [owner for space, owner in view.owners.items() if space not in view.posts]
        powers = [heiau_game.game.powers[heiau_game.power_of(player)] for player in range(heiau_game.game.num_players)]
        return [owners.count(power) for power in powers]

    def narrate(self, events: Sequence[Event], before: State, after: State) -> list[Line]:
        """Return the lines of the next step, one for each of its events."""
        view, now = before.view(), after.view()
        lines: list[Line] = []
        for index, event in enumerate(events):
            if isinstance(event, Chance):
                lines.append(Line(event.text))
                continue
            year, turn = self._when(event, view, now, index)
            chapter = f"Year {year}" if year != self.year else None
            heading = turn if turn != self.turn or chapter else None
            self.year, self.turn = year, turn
            first = events[0]
            text, place, partial = self._words(event, first.text if isinstance(first, Decision) else "", before)
            if place and not partial:
                self.orders = (*self.orders, (place, self.count + index))
            lost = event.text == "disband"
            lines.append(Line(text, chapter, heading, player=event.player, lost=lost, partial=partial))
        if (before.phase == "orders" and now.phase != "orders") or view.season != now.season or view.year != now.year:
            if before.phase == "orders" and lines:
                at = max((n for _, n in self.orders), default=self.count + len(lines) - 1)
                last = at - self.count
                became = {one["order"].split()[1]: _result(one) for one in now.last}
                each = tuple((at - n, f" – {became[place]}") for place, n in self.orders if place in became)
                lost = any(one["dislodged"] for one in now.last)
                lines[last] = replace(lines[last], lost=lost, results=each)
            self.orders = ()
        self.count += len(lines)
        return lines

    def _when(self, event: Decision, view: Any, now: Any, index: int) -> tuple[int, str]:
        """Return the year and turn in which a decision was made; forced ones may belong to the next."""
        number = event.turn or 0
        if number <= 2:
            return 1, "Ballot"
        year, kind = (number + 2) // 5, (number + 2) % 5
        year, kind = (year, kind) if kind < 5 else (year, 0)
        names = ("Spring orders", "Spring retreats", "Fall orders", "Fall retreats", "Winter")
        return year, names[kind]

    def _words(self, event: Decision, first: str, before: State) -> tuple[str, str, bool]:
        """Return a decision with its unit as a sentence, the place of the unit or "", and whether it is the first half
        of an order.

        Args:
            event: the decision.
            first: the step's first decision.
            before: the position before it.
        """
        state, rules = cast(Any, before), cast(Any, before).game.ruleset
        record, board = state.record, state.game.options.board
        verb, _, rest = event.text.partition(" ")
        if before.phase != "orders" or not record.queue or verb in _AFTER:
            return in_words(rules, event.text, before.phase == "retreats" or verb == "retreat"), "", False
        power = record.queue[0]
        own = [unit for unit in record.units.values() if unit.power == power]
        at = len(record.chosen[power])
        if at >= len(own):
            return in_words(rules, event.text), "", False
        unit = unit_text(board, own[at])
        place = space_of(unit)
        half = record.half[power]
        opening = first if half < 0 else state.game.action_text(half)
        helps, _, whom = opening.partition(" ")
        if helps in ("support", "convoy"):
            helped = record.units.get(board.index.get(whom, -1))
            order = f"{unit} {helps[0].upper()} {'A' if helped is None else KINDS[helped.kind]} {whom}"
            if verb in ("stay", "to"):
                return in_words(rules, order if verb == "stay" else f"{order} - {rest}"), place, False
            return in_words(rules, order), place, True
        order = {"hold": f"{unit} H", "move": f"{unit} - {rest}", "via": f"{unit} - {rest} via", "post": f"{unit} = C"}
        return in_words(rules, order.get(verb, f"{unit} = B{verb.removeprefix('boats')}")), place, False


def _result(report: dict[str, Any]) -> str:
    """Return what became of an order."""
    if report["dislodged"]:
        return "is dislodged"
    return ("succeeds" if report["success"] else "fails") + (", its boats burn" if report["burned"] else "")
