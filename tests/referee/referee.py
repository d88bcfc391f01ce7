"""[7.0] The referee from outside: ask what may be done, tell it what was done."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from . import data
from .board import Board, Decision, HalfTurn, HeldCard
from .data import KAUAI, NEUTRAL, A, K
from .turn import game


class Referee:
    """[7.0] One game. Copies are made by answering everything again."""

    def __init__(
        self,
        scenario: str = "long",
        final_check: bool = False,
        sea_victor: str = "repulsed",
        start: dict[str, Any] | None = None,
        rules: str = "reconstructed-1",
    ) -> None:
        """[6.0] `scenario`: long or short; R-08 `final_check`; R-18 `sea_victor`: repulsed or assault; `rules`: of
        data.RULESETS.

        `start`, for tests, begins elsewhere; see `place_everything`.
        """
        if scenario not in ("long", "short") or sea_victor not in ("repulsed", "assault"):
            raise ValueError(f"unknown scenario or option: {scenario}, {sea_victor}")
        if rules not in data.RULESETS:
            raise ValueError(
                f"{rules}: its numbers are not in tests/referee/data.py; there are {', '.join(data.RULESETS)}"
            )
        self._arguments = (scenario, final_check, sea_victor, start, rules)
        self._board = Board(scenario, final_check, sea_victor, rules)
        self._history: list[str | int] = []
        entry = None if start is None else place_everything(self._board, start)
        self._flow = game(self._board, entry)
        self._node: Any = None
        self.forced: list[str] = []
        self._run(None)

    def _run(self, value: str | int | None) -> None:
        """[7.2] Go on until something real has to be answered; lone options are taken and noted."""
        while True:
            try:
                node = self._flow.send(value)
            except StopIteration:
                self._node = None
                return
            possible: tuple[str, ...] | tuple[int, ...] = node.options if isinstance(node, Decision) else node.outcomes
            if len(possible) == 0:
                raise AssertionError(f"nothing to answer at {node}")
            if len(possible) > 1:
                self._node = node
                return
            value = possible[0]
            if isinstance(node, Decision):
                self.forced.append(str(value))

    @property
    def decider(self) -> str | None:
        """[7.2] Who has to answer: a side, 'chance', or None when the game is over."""
        if self._node is None:
            return None
        return self._node.player if isinstance(self._node, Decision) else "chance"

    @property
    def phase(self) -> str:
        """[7.2] The name of the question."""
        return "over" if self._node is None else self._node.phase

    @property
    def over(self) -> str | None:
        """[5.0] None, a side, or 'tie'."""
        return self._board.over

    @property
    def reason(self) -> str | None:
        """[5.0] Why it is over, with the section."""
        return self._board.reason

    def options(self) -> list[str]:
        """[7.2] The legal texts of a player's decision, sorted; empty elsewhere."""
        return list(self._node.options) if isinstance(self._node, Decision) else []

    def outcomes(self) -> list[int]:
        """[8.0, 11.1] What chance may bring; empty at a player's decision."""
        return [] if self._node is None or isinstance(self._node, Decision) else list(self._node.outcomes)

    def chances(self) -> dict[int, Fraction]:
        """[8.0, 11.1] Outcomes with their probabilities."""
        outcomes = self.outcomes()
        return {outcome: Fraction(1, len(outcomes)) for outcome in outcomes}

    def answer(self, value: str | int) -> None:
        """[7.2] Apply a player's text or an outcome of chance; ValueError if it is not possible here."""
        if value not in (self.options() or self.outcomes()):
            raise ValueError(f"{value!r} is not possible in phase {self.phase}: {self.options() or self.outcomes()}")
        self._history.append(value)
        self.forced = []
        self._run(value)

    def position(self) -> dict[str, Any]:
        """[7.2] The canonical position."""
        return self._board.canonical(self.decider)

    def copy(self) -> Referee:
        """[7.0] An independent referee in the same position."""
        twin = Referee(*self._arguments)
        for value in self._history:
            twin.answer(value)
        twin.forced = list(self.forced)
        return twin


def place_everything(board: Board, start: dict[str, Any]) -> str:
    """[6.0] Set a board up by hand for tests, and say at which step of the half to begin.

    Keys: step (victory, card, recruiting, window, movement), turn, half, kauai, card (number, the card in effect),
    fleet_moves, held (names, drawn long ago), decks, no_sighting, and pieces: {place: ["K:pike", "A:brown/turned"]}.
    Pieces not named wait in their box, Kaua'i's on Kaua'i.
    """
    board.turn = start.get("turn", "june")
    board.half = HalfTurn(start.get("half", K), 100)
    board.kauai = start.get("kauai", NEUTRAL)
    board.half.no_sighting = start.get("no_sighting", False)
    board.held = [HeldCard(board.numbers.card(name), 0) for name in start.get("held", ())]
    if "decks" in start:
        board.decks = {side: list(numbers) for side, numbers in start["decks"].items()}
    if "card" in start:
        board.half.card = board.numbers.cards[board.half.side][start["card"]]
    board.fleet_moves = start.get("fleet_moves", 0)
    for piece in board.pieces:
        ours = piece.kind.side == KAUAI
        piece.place = "kauai" if ours else "box/" + piece.kind.side
        piece.owner = board.kauai if ours else piece.kind.side
    if "kauai" in start["pieces"] or any("kauai_" in text for texts in start["pieces"].values() for text in texts):
        for piece in board.pieces:
            if piece.kind.side == KAUAI:
                piece.place = "dead"
    used: Counter[int] = Counter()
    owners = {"K": K, "A": A, "N": NEUTRAL}
    for place, texts in start["pieces"].items():
        for text in texts:
            letter, _, rest = text.partition(":")
            name, *marks = rest.split("/")
            piece = next(
                p
                for p in board.pieces
                if p.kind.name == name and not used[id(p)] and p.kind.side in (owners[letter], KAUAI)
            )
            used[id(piece)] += 1
            piece.place, piece.owner = place, owners[letter]
            for mark in marks:
                if mark in data.ORIGIN_ORDER:
                    piece.arrived_from = mark
                else:
                    setattr(piece, mark, True)
    return start.get("step", "movement")
