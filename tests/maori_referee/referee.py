"""[1.0, 2.0, 14.0] A whole game: who decides what, what may be chosen, what was rolled."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .bush import bush_raiders
from .combat import combat
from .data import PLAYERS, Rules
from .movement import movement
from .phases import alliance, attrition, construction, rally, reinforcement
from .table import BOX, Chance, Decision, GameOver, Node, Piece, Steps, Structure, Table

CHANCE, TERMINAL = -1, -4

PHASES = {
    "reinforcement": reinforcement,
    "movement": movement,
    "rally": rally,
    "alliance": alliance,
    "combat": combat,
    "bush": bush_raiders,
    "construction": construction,
    "attrition": attrition,
}
"""[2.0] The phases of a half, in order."""

LEVELS = {"minor": 1 / 3, "major": 2 / 3, "decisive": 1.0}


@dataclass(frozen=True)
class Outcome:
    """[1.0] How a game ended."""

    winner: int | None
    shares: tuple[float, float]
    places: tuple[int, int]


class Referee:
    """One game, asked and told as an engine is, in texts.

    Attributes:
        table: the position.
        node: what is asked or rolled next; None when the game is over.
        winner, level: of the victory; None and "" for a tie, or while the game goes on.
    """

    def __init__(self, rules: Rules, levels: bool = False) -> None:
        self.rules, self.levels = rules, levels
        self.table = Table(rules)
        set_up(self.table)
        self.winner: str | None = None
        self.level = ""
        self.node: Node | None = None
        self._steps = self._game()
        self._go(None)

    def _game(self) -> Steps[None]:
        """[2.0] Turns, halves and phases."""
        table = self.table
        for turn in range(1, self.rules.scenario["turns"] + 1):
            table.turn = turn
            for table.mover in PLAYERS:
                for table.phase, phase in PHASES.items():
                    yield from phase(table)

    def _go(self, answer: str | int | None) -> None:
        try:
            self.node = next(self._steps) if answer is None else self._steps.send(answer)
        except StopIteration:
            self.node = None
            chart, marker = self.rules.charts["victory"], self.table.marker
            if abs(marker) >= chart["minor"]:
                self.winner = "british" if marker > 0 else "maori"
                self.level = "major" if abs(marker) >= chart["major"] else "minor"
            self.table.events[f"end by turns {self.level}"] += 1
        except GameOver as over:
            self.node, self.winner, self.level = None, over.winner, over.level

    # Section 10

    @property
    def current_player(self) -> int:
        """0 or 1, -1 at a chance node, -4 when the game is over."""
        if isinstance(self.node, Decision):
            return PLAYERS.index(self.node.player)
        return TERMINAL if self.node is None else CHANCE

    @property
    def is_terminal(self) -> bool:
        """The game is over."""
        return self.node is None

    @property
    def events(self) -> Counter[str]:
        """How often what was reached."""
        return self.table.events

    def legal_texts(self) -> tuple[str, ...]:
        """What who decides may choose."""
        return self.node.options if isinstance(self.node, Decision) else ()

    def apply(self, text: str) -> None:
        """Who decides chooses a text."""
        assert text in self.legal_texts(), (text, self.legal_texts())
        self._go(text)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Numbers and probabilities at a chance node."""
        assert isinstance(self.node, Chance)
        return [(number, 1 / len(self.node.outcomes)) for number in self.node.outcomes]

    def chance_text(self, outcome: int) -> str:
        """The kind of chance and the number."""
        assert isinstance(self.node, Chance)
        return f"{self.node.kind} {outcome}"

    def apply_chance(self, outcome: int) -> None:
        """Chance falls on an outcome."""
        assert isinstance(self.node, Chance) and outcome in self.node.outcomes
        self._go(outcome)

    def returns(self) -> list[float]:
        """The winner's worth and its negative."""
        assert self.node is None
        if self.winner is None:
            return [0.0, 0.0]
        worth = LEVELS[self.level] if self.levels else 1.0
        return [worth, -worth] if self.winner == "maori" else [-worth, worth]

    def outcome(self) -> Outcome:
        """[1.0] Winner, shares and places."""
        assert self.node is None
        if self.winner is None:
            return Outcome(None, (0.5, 0.5), (1, 1))
        first = PLAYERS.index(self.winner)
        return Outcome(first, (float(first == 0), float(first == 1)), (1 + (first == 1), 1 + (first == 0)))

    def view(self) -> dict[str, Any]:
        """The fields of a position that are compared."""
        table = self.table
        return {
            "turn": table.turn,
            "marker": table.marker,
            "forts_built": table.forts_built,
            "taken": sorted(hex_id for hex_id, taken in table.towns.items() if taken),
        }

    def position(self) -> list[str]:
        """All pieces and structures, for people and for closer comparisons."""
        table = self.table
        pieces = [
            f"{piece.place} {piece.owner} {piece.text}"
            for owner in (*PLAYERS, "neutral")
            for pieces in (table.on_map(owner), table.in_bush(owner), table.in_box(owner))
            for piece in pieces
        ]
        structures = [f"{h} {s.kind}{'/disrupted' if s.disrupted else ''}" for h, s in table.structures.items()]
        return sorted([*pieces, *structures])


# Set-up


def set_up(table: Table) -> None:
    """[14.0, R-10] Every piece on its hex."""
    for line in table.rules.scenario["setup"]:
        set_up_hex(table, line)
    for player, units in table.rules.scenario["box"].items():
        for name, number in units.items():
            for _ in range(number):
                table.add(Piece(name, player, BOX))


def set_up_hex(table: Table, line: dict[str, Any]) -> None:
    """One line of the set-up."""
    hex_id, structure, units = line["at"], line.get("structure"), dict(line.get("units", {}))
    leaders = line.get("leaders", ())
    owner = owner_of(table, structure, units, leaders)
    if structure:
        table.structures[hex_id] = Structure(structure)
    for name, number in units.items():
        for _ in range(number):
            table.add(Piece(name, owner, hex_id))
    for _ in range(line.get("neutral", 0)):
        table.add(Piece("neutral", "neutral", hex_id))
    for name in leaders:
        table.add(Piece(name, owner, hex_id, table.rules.leaders[name].category))


def owner_of(table: Table, structure: str | None, units: dict[str, int], leaders: list[str] | tuple[str, ...]) -> str:
    """Whose hex a line of the set-up describes: by its structure, units, leaders."""
    if structure:
        return (
            "neutral" if structure.startswith("neutral") else "maori" if table.owns("maori", structure) else "british"
        )
    sides = [table.rules.kinds[name]["side"] for name in units if name != "canoe"]
    sides += [table.rules.leaders[name].category for name in leaders]
    if "neutral" in sides:
        return "neutral"
    return "british" if any(side != "maori" for side in sides) else "maori"
