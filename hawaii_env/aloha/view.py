"""A position as a frozen value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hawaii_env import positions

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
from .rules.state import on_board, pool

__all__ = ["PlayerView", "View", "latest_set", "view_of"]


@dataclass(frozen=True, slots=True)
class PlayerView:
    """The possessions of a player.

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
class View(positions.View):
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


def latest_set(state: Any) -> int:
    """[AD] The set of Royal Family cards that was given last: before Chapter I, and in it, the Prologue's."""
    if state.phase == OVER:
        return 3
    return max(state.stage - 1, 0) if state.stage < EPILOGUE else 2


def view_of(rules: Any, state: Any, agents: Sequence[str]) -> View:
    """Return the position as a value."""
    n = len(agents)

    def name(index: int) -> str | None:
        return agents[index] if index >= 0 else None

    order: tuple[str, ...] = ()
    if state.first >= 0:
        order = tuple(agents[int(state.order[place])] for place in range(n))
    cards = state.cards_of[latest_set(state)]
    players: dict[str, PlayerView] = {}
    for p in range(n):
        players[agents[p]] = PlayerView(
            points=int(state.points[p]),
            tokens=tuple(int(x) for x in state.tokens[p]),
            actions=tuple(int(x) for x in state.actions[p]),
            hawaiian=int(on_board(state, p)),
            pool=int(pool(rules, state, p)),
            commerce=int(state.tracks[0][p]),
            aloha=int(state.tracks[1][p]),
            warrior=int(state.tracks[2][p]),
            vote=int(state.tracks[3][p]),
            cards=tuple(CARDS[card] for card in range(24) if state.cards_of[card // 6][card % 6] == p),
            moves=int(state.moves[p]),
            converted=int(state.converted[p]),
        )
    dice = None
    if state.phase == DIE:
        dice = {
            "left": tuple(int(x) for x in state.dice[:n]),
            "totals": tuple(int(x) for x in state.total[:n]),
        }
    moving = state.phase == AMOUNT
    return View(
        stage=STAGES[state.stage],
        phase=PHASES[state.phase],
        to_act=name(state.decider),
        first=name(state.first),
        order=order,
        acted=name(state.acted),
        king=name(state.king_of),
        chiefs=tuple(name(cards[1 + island]) for island in range(5)),
        face_up=tuple(int(x) or None for x in state.face_up[:SLOTS]),
        deck=tuple(number for number in range(1, DECK + 1) if state.left[number]),
        migration=(ISLANDS[state.origin], ISLANDS[state.destination]) if moving else None,
        dice=dice,
        players=players,
    )
