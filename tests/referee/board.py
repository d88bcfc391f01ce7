"""[3.0, 4.0, 10.1] The pieces, where they are, and the names by which a player points at them."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import data
from .data import KAUAI, NEUTRAL, A, K, Kind, enemy_of

T = TypeVar("T")


@dataclass(frozen=True)
class Decision:
    """[7.2] A question to a player: one of the texts is the answer."""

    player: str
    phase: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Chance:
    """[8.0, 11.1] A die or a card: one of the outcomes, all equally likely."""

    phase: str
    outcomes: tuple[int, ...]


Flow = Generator[Decision | Chance, Any, T]


class GameOver(Exception):
    """[5.0] The game ends here and now."""

    def __init__(self, winner: str, reason: str) -> None:
        """[5.0] `winner` is a side or 'tie'; `reason` names the section."""
        super().__init__(reason)
        self.winner = winner
        self.reason = reason


@dataclass(eq=False)
class Piece:
    """[3.0] One counter. `place`: a space, 'box/SIDE', 'dead', 'sea/SPACE', 'aboard' or 'war'."""

    kind: Kind
    owner: str
    place: str
    panicked: bool = False
    carried: bool = False
    marched: bool = False
    fired: bool = False
    arrived_from: str | None = None

    @property
    def is_unit(self) -> bool:
        """[11.2, 11.5] Whatever is not a canoe fights and holds ground."""
        return not self.kind.canoe

    @property
    def condition(self) -> tuple[bool, bool, bool, bool, int]:
        """[10.2, 10.3, 11.1] What makes two pieces of one kind different to a player."""
        return (self.panicked, self.carried, self.marched, self.fired, data.ORIGIN_ORDER[self.arrived_from])

    def marks(self) -> str:
        """[11.3] The condition in writing, empty when there is nothing to say."""
        words = [word for word in ("panicked", "carried", "marched", "fired") if getattr(self, word)]
        if self.arrived_from is not None:
            words.append(self.arrived_from)
        return "".join("/" + word for word in words)

    def text(self) -> str:
        """[3.0] Side letter, kind and marks."""
        return {K: "K", A: "A", NEUTRAL: "N"}[self.owner] + ":" + self.kind.name + self.marks()

    def clear(self) -> None:
        """[11.6] No marks left."""
        self.panicked = self.carried = self.marched = self.fired = False
        self.arrived_from = None

    def rally(self) -> None:
        """[11.6] Back on its front side, ready to fire again."""
        self.panicked = self.fired = False

    def go(self, place: str) -> None:
        """[10.0] Put down somewhere, no longer a newcomer from anywhere."""
        self.place = place
        self.arrived_from = None


@dataclass(eq=False)
class HeldCard:
    """[8.1] A card kept face up, and the number of the half in which it was drawn (R-09)."""

    card: data.Card
    drawn_in: int


@dataclass
class HalfTurn:
    """[7.2, 8.2] What is true for one player's half only."""

    side: str
    number: int
    card: data.Card | None = None
    gunpowder_dice: int = 0
    advantage_bonus: int = 0
    no_sighting: bool = False
    among_enemies: tuple[str, ...] = ()
    event_played_by: set[str] = field(default_factory=set)


class Board:
    """[4.0] The whole position."""

    def __init__(self, scenario: str, final_check: bool, sea_victor: str, rules: str) -> None:
        """[6.0] Everything in its starting place; pieces whose space is still to be chosen wait in the box."""
        self.numbers = data.RULESETS[rules]
        self.scenario = scenario
        self.final_check = final_check
        self.sea_victor = sea_victor
        self.months = data.LONG_MONTHS if scenario == "long" else data.SHORT_MONTHS
        self.turn = self.months[0]
        self.half = HalfTurn(K, 0)
        self.kauai = NEUTRAL
        self.fleet_moves = 0
        self.held: list[HeldCard] = []
        self.decks: dict[str, list[int]] = {K: list(range(1, 10)), A: list(range(1, 10))}
        self.over: str | None = None
        self.reason: str | None = None
        self.pieces: list[Piece] = []
        for kind in self.numbers.kinds:
            for start in kind.start:
                owner = NEUTRAL if kind.side == KAUAI else kind.side
                place = start if start in data.SPACES else "box/" + kind.side
                self.pieces.append(Piece(kind, owner, place))

    # ---- looking

    def at(self, place: str, owner: str | None = None) -> list[Piece]:
        """[10.1] The pieces in a place, of one owner if he is named."""
        return [p for p in self.pieces if p.place == place and (owner is None or p.owner == owner)]

    def units(self, owner: str, place: str) -> list[Piece]:
        """[11.1] An owner's pieces there that are not canoes."""
        return [p for p in self.pieces if p.place == place and p.owner == owner and not p.kind.canoe]

    def canoes(self, owner: str, place: str) -> list[Piece]:
        """[3.1] An owner's canoes there."""
        return [p for p in self.pieces if p.place == place and p.owner == owner and p.kind.canoe]

    def occupies(self, owner: str, space: str) -> bool:
        """[5.1] R-07: a unit of his and none of the enemy's."""
        return bool(self.units(owner, space)) and not self.units(enemy_of(owner), space)

    def refuges(self, owner: str, without: Iterable[str] = ()) -> list[str]:
        """[11.5, 11.8] Where a side's retreat may end: spaces that it occupies, in map order."""
        barred = tuple(without)
        return [space for space in data.SPACES if space not in barred and self.occupies(owner, space)]

    def has_enemies(self, owner: str, space: str) -> bool:
        """[10.3] Any enemy piece there, canoes included; neutral pieces are not enemies."""
        return bool(self.at(space, enemy_of(owner)))

    def is_neutral_kauai(self, space: str) -> bool:
        """[10.1] R-16: the one space where neutral pieces stand."""
        return space == "kauai" and self.kauai == NEUTRAL

    def kaiana_has_entered(self) -> bool:
        """[9.0] Before that his warriors are no warriors of a recruit line."""
        return all(p.place != "box/" + A for p in self.pieces if p.kind.name == "kaiana")

    # ---- changing

    def eliminate(self, piece: Piece) -> None:
        """[5.2, 9.0, 11.3] Off the map: leaders and Kaua'i pieces for good, the others to their box."""
        piece.clear()
        piece.place = "dead" if piece.kind.leader or piece.kind.side == KAUAI else "box/" + piece.kind.side
        if piece.kind.leader:
            dead = {p.kind.name for p in self.pieces if p.place == "dead"}
            if "kamehameha" in dead:
                raise GameOver(A, "5.2 Kamehameha has been eliminated")
            if {"kalani", "kaiana"} <= dead:
                raise GameOver(K, "5.2 Kalani and Kaiana have been eliminated")

    def kauai_joins(self, side: str) -> None:
        """[8.2] All living Kaua'i pieces change hands where they stand; the dead keep the side that they had."""
        self.kauai = side
        for piece in self.pieces:
            if piece.kind.side == KAUAI and piece.place != "dead":
                piece.owner = side

    # ---- writing down

    def canonical(self, decider: str | None) -> dict[str, Any]:
        """[7.2] The position as a plain dict."""
        places: dict[str, list[str]] = {}
        for piece in self.pieces:
            places.setdefault(piece.place, []).append(piece.text())
        return {
            "turn": self.turn,
            "half": self.half.side,
            "decider": decider,
            "over": self.over,
            "kauai": self.kauai,
            "fleet_moves": self.fleet_moves,
            "held": sorted(h.card.name for h in self.held),
            "decks": {side: sorted(numbers) for side, numbers in self.decks.items()},
            "pieces": {place: sorted(texts) for place, texts in sorted(places.items())},
        }


@dataclass(frozen=True)
class Pointer:
    """[7.2] A verb, a piece and the places named after it."""

    verb: str
    piece: Piece
    places: tuple[str, ...] = ()


def named(pointers: Iterable[Pointer]) -> dict[str, Pointer]:
    """[7.2] Texts for pointers; pieces that no player could tell apart share one.

    A canoe is called by its kind only where another kind could be meant as well, and `fleet` names no canoe otherwise.
    Of units of one kind the least marked condition is plain, every other one carries its marks.
    """
    canoe_kinds: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    conditions: dict[tuple[str, tuple[str, ...], str], set[tuple[bool, bool, bool, bool, int]]] = {}
    listed = list(pointers)
    for pointer in listed:
        piece = pointer.piece
        if piece.kind.canoe:
            canoe_kinds.setdefault((pointer.verb, pointer.places), set()).add(piece.kind.name)
        else:
            key = (pointer.verb, pointer.places, piece.kind.name)
            conditions.setdefault(key, set()).add(piece.condition)
    texts: dict[str, Pointer] = {}
    for pointer in listed:
        piece = pointer.piece
        words = [pointer.verb]
        if piece.kind.canoe:
            if len(canoe_kinds[pointer.verb, pointer.places]) > 1:
                words.append(piece.kind.name)
            elif pointer.verb != "fleet":
                words.append("canoe")
        else:
            plain = min(conditions[pointer.verb, pointer.places, piece.kind.name])
            words.append(piece.kind.name + ("" if piece.condition == plain else piece.marks()))
        words.extend(pointer.places)
        texts.setdefault(" ".join(words), pointer)
    return texts


def ask(player: str, phase: str, table: dict[str, T]) -> Flow[T]:
    """[7.2] Put a question and hand back what the chosen text stands for."""
    text = yield Decision(player, phase, tuple(sorted(table)))
    return table[text]


def ask_space(player: str, phase: str, verb: str, spaces: Iterable[str]) -> Flow[str]:
    """[7.2] Put a question whose answer is a space."""
    return (yield from ask(player, phase, {f"{verb} {space}": space for space in spaces}))


def roll(phase: str) -> Flow[int]:
    """[11.1] One six-sided die."""
    return (yield Chance(phase, (1, 2, 3, 4, 5, 6)))
