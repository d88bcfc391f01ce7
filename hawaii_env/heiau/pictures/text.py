"""The board as text: powers, islands, the last orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from hawaii_env.game import SPECTATOR, Chance, Event, State, check_player
from hawaii_env.game import Game as BaseGame
from hawaii_env.heiau.game import Game
from hawaii_env.heiau.pictures.names import in_words, marks, named, power_name, seats, title
from hawaii_env.heiau.positions import HeiauView
from hawaii_env.terminal import TOGETHER, fold
from hawaii_env.texts import spell

__all__ = ["HeiauTextLog", "board"]

ISLANDS: Mapping[str, str] = {
    **{island: spell(island.title()) for island in ("niihau", "kauai", "oahu", "molokai", "lanai")},
    "kohoolawe": spell("Kaho'olawe"), "maui": "Maui", "hawaii": spell("Hawai'i"), "": "at sea",
}  # fmt: skip
"""Islands of the spaces, and their names, in the order of the text."""


def board(state: State, player: int | None = None) -> str:
    """Return a position as a player knows it, as lines of text.

    A space reads ``Puna*[Sr] Sr.B``: ``*`` is a heiau, ``+`` a post, in brackets its owner, behind it the unit that is
    there.
    """
    game = cast(Game, state.game)
    knowing = check_player(state, player)
    view: HeiauView = state.view(knowing)
    short = marks(game.powers)
    at: dict[str, str] = {}
    for power, units in view.units.items():
        for unit in units:
            letter, _, place = unit.partition(" ")
            space, _, coast = place.partition("/")
            at[space] = f"{short[power]}.{letter}{f'/{coast}' if coast else ''}"
    for one in view.dislodged:
        letter, _, place = one["unit"].partition(" ")
        at[place.partition("/")[0]] += f" ({short[one['power']]}.{letter} must retreat)"
    outcome = state.outcome()
    asked = state.known_decider(knowing)
    players = [power_name(seat) for seat in seats(game.agents, game.powers)]
    who = "" if asked < 0 else f"; {players[asked]} decides"
    named_scenario = power_name(view.scenario)
    head = f"Heiau Diplomacy, {named_scenario}: {title(view)}{who}"
    if outcome is not None:
        won = "" if outcome.winner is None else f"{players[outcome.winner]} wins in year {view.year}, "
        head = f"Heiau Diplomacy, {named_scenario}: {won}{outcome.reason}"
    lines = fold(head)
    lines.append("-" * max(map(len, lines)))
    for power in game.powers:
        owned = sum(owner == power for owner in view.owners.values())
        count = len(view.units.get(power, ()))
        post = ", post unbuilt" if power in view.unbuilt else ""
        head = f"  {short[power]:<3}{power_name(power):<11}"
        lines.append(f"{head}{owned:>2} owned  {count:>2} {'unit' if count == 1 else 'units'}{post}")
    for island, name in ISLANDS.items():
        cells: list[str] = []
        for space in game.ruleset.spaces:
            if space.island != island:
                continue
            mark = "*" if space.heiau else "+" if space.id in view.posts else ""
            owner = f"[{short[view.owners[space.id]]}]" if space.id in view.owners else ""
            if island or space.id in at:
                cells.append(f"{space.name}{mark}{owner}{' ' + at[space.id] if space.id in at else ''}")
        if cells:
            lines += _wrapped(f"  {name:<11}", cells)
    if view.contested:
        lines += _wrapped("contested: ", [named(game.ruleset, place) for place in view.contested], ", ")
    if view.ballots:
        lines += _wrapped("ballots: ", [f"{power_name(power)} {vote}" for power, vote in view.ballots.items()], ", ")
    if view.last:
        lines.append("last orders:")
        for power in game.powers:
            found = [_order_text(one, game) for one in view.last if one["power"] == power]
            if found:
                lines += _wrapped(f"  {short[power]:<3}", found, "; ")
    own = [step for steps in view.entered.values() for step in steps] if knowing != SPECTATOR else []
    if own:
        lines += _wrapped("entered: ", [in_words(game.ruleset, step) for step in own], "; ")
    return "\n".join(lines)


def _order_text(one: dict[str, Any], game: Game) -> str:
    """Return an order of the last movement phase with what came of it, with the names of spaces."""
    what = "dislodged" if one["dislodged"] else "" if one["success"] else "failed"
    burned = "boats burned" if one["burned"] else ""
    result = ", ".join(filter(None, (what, burned)))
    return f"{named(game.ruleset, one['order'])}{f' ({result})' if result else ''}"


def _wrapped(head: str, cells: list[str], between: str = "  ") -> list[str]:
    """Return cells in lines of a terminal's width, indented alike."""
    return fold(between.join(cell.replace(" ", TOGETHER) for cell in cells), first=head, rest=" " * len(head))


class HeiauTextLog:
    """The text log of a game: turn by turn once revealed, whole orders by power with their results.

    Args:
        game: the game.
        boards: whether the board is drawn after each year.
    """

    def __init__(self, game: BaseGame, boards: bool = True) -> None:
        self._game = cast(Game, game)
        self._boards = boards
        self._turn: int | None = None
        self._phase = self._when = ""
        self._steps: dict[str, list[str]] = {}

    def feed(self, events: Iterable[tuple[Event, State]]) -> list[str]:
        """Return the lines of the turns that these events end."""
        lines: list[str] = []
        for event, state in events:
            if isinstance(event, Chance):
                lines += [*self._close(state), f"  chance: {event.text}"]
                continue
            if event.turn != self._turn:
                lines += self._close(state)
                self._turn = event.turn
                year, part = divmod((event.turn or 0) + 2, 5)
                ballot = (event.turn or 0) <= 2
                self._phase = "ballot" if ballot else ("orders", "retreats", "orders", "retreats", "adjustments")[part]
                self._when = "Ballot" if ballot else f"{('Spring', 'Spring', 'Fall', 'Fall', 'Winter')[part]} {year}"
            self._steps.setdefault(self._game.agents[event.player], []).append(event.text)
        return lines

    def _close(self, state: State) -> list[str]:
        """Return the turn that is over, told from what all may see of it."""
        if self._turn is None:
            return []
        view: HeiauView = state.view(SPECTATOR)
        lines = [f"{self._when}{'' if self._phase in ('orders', 'ballot') else f', {self._phase}'}:"]
        if self._phase == "orders":
            for power in self._game.powers:
                found = [_order_text(one, self._game) for one in view.last if one["power"] == power]
                if found:
                    lines += _wrapped(f"  {power}: ", found, "; ")
        else:
            for agent, steps in self._steps.items():
                lines += _wrapped(f"  {agent}: ", steps, ", ")
        if self._phase == "adjustments" and self._boards:
            lines += ["", *board(state, SPECTATOR).split("\n"), ""]
        self._turn, self._steps = None, {}
        return lines

    def end(self, state: State) -> list[str]:
        """Return the last turn, the board, the outcome."""
        return [*self._close(state), "", *board(state, SPECTATOR).split("\n")]
