"""Positions and orders in the notation of players, for tests of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hawaii_env.heiau import Game, State
from hawaii_env.heiau.adjudicator import PossibleOrders, Resolution, adjudicate
from hawaii_env.heiau.rules.board import Board, Unit
from hawaii_env.heiau.rules.orders import Order
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.heiau.texts import parse_order, unit_text

BOARD = Ruleset.load().board


class Phase:
    """A movement phase and what came of it; orders are one a line, ``"dawn: A kohala - kawaihae"``."""

    def __init__(self, lines: str, board: Board = BOARD, unbuilt: Sequence[str] = (), check: bool = True) -> None:
        self.board = board
        self.powers: list[str] = []
        self.units: dict[int, Unit] = {}
        self.orders: dict[int, Order] = {}
        for line in filter(None, map(str.strip, lines.splitlines())):
            power, _, text = line.partition(": ")
            if power not in self.powers:
                self.powers.append(power)
            unit, order, _ = parse_order(board, text, self.powers.index(power))
            at = board.space_of[unit.place]
            assert at not in self.units, line
            self.units[at], self.orders[at] = unit, order
        self.units = dict(sorted(self.units.items()))
        builders = frozenset(self.powers.index(power) for power in unbuilt)
        self.sight = PossibleOrders(board, self.units, ~board.heiaus, builders)
        if check:
            for space, order in self.orders.items():
                assert not self.sight.refusal(space, order), (board.spaces[space], self.sight.refusal(space, order))
        self.result: Resolution = adjudicate(board, self.units, self.orders, check=False)

    @property
    def after(self) -> list[str]:
        """The units afterwards, ``"dawn A kohala"``, sorted; dislodged ones end in `` out``."""
        found = [f"{self.powers[unit.power]} {unit_text(self.board, unit)}" for unit in self.result.units.values()]
        found += [f"{self.powers[u.power]} {unit_text(self.board, u)} out" for u, _ in self.result.dislodged.values()]
        return sorted(found)

    def success(self, space: str) -> bool:
        """Whether the order of the unit that began in a space succeeded."""
        return self.result.success[self.board.index[space]]


def units(*texts: str) -> list[str]:
    """A list as `Phase.after` gives it."""
    return sorted(texts)


def can(lines: str, space: str) -> set[str]:
    """Orders, without the unit, that the unit in a space can be given; `lines` are units, ``"dawn: A kohala H"``."""
    from hawaii_env.heiau.texts import order_text

    phase = Phase(lines, check=False)
    at = BOARD.index[space]
    unit = phase.units[at]
    head = unit_text(BOARD, unit)
    found: set[str] = set()
    for order in phase.sight.listed(at):
        source = phase.units[order.source].kind if order.source >= 0 else 0
        found.add(order_text(BOARD, unit, order, source).removeprefix(head).strip())
    return found


def position(scenario: str, units: Mapping[str, Sequence[str]], **kw: object) -> State:
    """A position of a scenario; every unit's power may be left without heiaus."""
    options = {key: kw.pop(key) for key in ("last_year", "posts_win", "scoring", "assignment") if key in kw}
    return Game(scenario=scenario, **options).position(units=units, **kw)  # pyright: ignore[reportArgumentType]


def shown(state: State) -> list[str]:
    """All units of a position, ``"dawn A kohala"``, sorted."""
    return sorted(f"{power} {text}" for power, texts in state.view().units.items() for text in texts)
