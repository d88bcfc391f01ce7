"""A position as a frozen value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .rules import state as at
from .rules.names import (
    AMOUNT,
    CARDS,
    DECK,
    DIE,
    EPILOGUE,
    ISLANDS,
    OVER,
    PHASES,
    SLOTS,
    STAGES,
)  # fmt: skip

__all__ = ["PlayerView", "View", "latest_set", "view_of"]


@dataclass(frozen=True, slots=True)
class PlayerView:
    """What a player has.

    Attributes:
        points: victory points.
        tokens: Pure Hawaiian tokens on each island, in the order of `rules.names.ISLANDS`.
        actions: Action tokens on each island.
        hawaiian, pool: Pure Hawaiian tokens on the board, and off it [R-02].
        commerce, aloha, warrior, vote: the tracks, and Home Rule tokens.
        cards: Royal Family cards, as ``"chapter_1 oahu"``.
        moves: Prologue actions left.
        converted: conversions made [E1].
    """

    points: int
    tokens: tuple[int, ...]
    actions: tuple[int, ...]
    hawaiian: int
    pool: int
    commerce: int
    aloha: int
    warrior: int
    vote: int
    cards: tuple[str, ...]
    moves: int
    converted: int


@dataclass(frozen=True, slots=True)
class View:
    """A position; everything in it is open [R-22].

    Attributes:
        stage: one of `rules.names.STAGES`.
        phase: one of `rules.names.PHASES`.
        to_act: who decides, or None.
        first: who acts first in the stage; None before it is known.
        order: the order of play; in a chapter played by `most_left` the order of ties.
        acted: who acted last in this stage, or None; in the Prologue who settled last, until all have, in the Epilogue
            who finished converting last.
        king: who holds the King/Queen token, or None.
        chiefs: who holds the latest set's card of each island, or None.
        face_up: card numbers by slot, None for an empty one.
        deck: card numbers that are left in the chapter's deck, ascending; their order is not known to anybody.
        migration: the islands left and gone to, while the amount is chosen; else None.
        dice: ``"left"``: dice that each player still has to roll, ``"totals"``: of what has fallen; None outside
            conflicts.
        players: what each player has.
    """

    stage: str
    phase: str
    to_act: str | None
    first: str | None
    order: tuple[str, ...]
    acted: str | None
    king: str | None
    chiefs: tuple[str | None, ...]
    face_up: tuple[int | None, ...]
    deck: tuple[int, ...]
    migration: tuple[str, str] | None
    dice: Mapping[str, tuple[int, ...]] | None
    players: Mapping[str, PlayerView]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as values of JSON, lists for tuples."""
        return _plain(asdict(self))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def latest_set(s: Any) -> int:
    """[AD] The set of Royal Family cards that was given last: before Chapter I, and in it, the Prologue's."""
    if s[at.PHASE] == OVER:
        return 3
    return max(s[at.STAGE] - 1, 0) if s[at.STAGE] < EPILOGUE else 2


def view_of(t: Any, s: Any, agents: Sequence[str]) -> View:
    """Return the position as a value."""
    n = len(agents)

    def name(index: int) -> str | None:
        return agents[index] if index >= 0 else None

    order: tuple[str, ...] = ()
    if s[at.FIRST] >= 0:
        order = tuple(agents[int(s[at.ORDER + place])] for place in range(n))
    first = at.CARDS_OF + 6 * latest_set(s) + 1
    players: dict[str, PlayerView] = {}
    for p in range(n):
        players[agents[p]] = PlayerView(
            points=int(s[at.POINTS + p]),
            tokens=tuple(int(x) for x in s[at.TOKENS + 5 * p : at.TOKENS + 5 * p + 5]),
            actions=tuple(int(x) for x in s[at.ACTIONS + 5 * p : at.ACTIONS + 5 * p + 5]),
            hawaiian=int(at.on_board(s, p)),
            pool=int(at.pool(t, s, p)),
            commerce=int(s[at.TRACKS + p]),
            aloha=int(s[at.TRACKS + 4 + p]),
            warrior=int(s[at.TRACKS + 8 + p]),
            vote=int(s[at.TRACKS + 12 + p]),
            cards=tuple(CARDS[card] for card in range(24) if s[at.CARDS_OF + card] == p),
            moves=int(s[at.MOVES + p]),
            converted=int(s[at.CONVERTED + p]),
        )
    dice = None
    if s[at.PHASE] == DIE:
        dice = {
            "left": tuple(int(x) for x in s[at.DICE : at.DICE + n]),
            "totals": tuple(int(x) for x in s[at.TOTAL : at.TOTAL + n]),
        }
    moving = s[at.PHASE] == AMOUNT
    return View(
        stage=STAGES[s[at.STAGE]],
        phase=PHASES[s[at.PHASE]],
        to_act=name(s[at.DECIDES]),
        first=name(s[at.FIRST]),
        order=order,
        acted=name(s[at.ACTED]),
        king=name(s[at.KING_OF]),
        chiefs=tuple(name(s[first + island]) for island in range(5)),
        face_up=tuple(int(x) or None for x in s[at.FACE_UP : at.FACE_UP + SLOTS]),
        deck=tuple(number for number in range(1, DECK + 1) if s[at.LEFT + number]),
        migration=(ISLANDS[s[at.FROM]], ISLANDS[s[at.TO]]) if moving else None,
        dice=dice,
        players=players,
    )
