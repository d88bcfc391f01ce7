"""Facts that the checks of a position read: its record, the stage of the half, who stands where [4.0, 7.2]."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hawaii_env.positions import forbid

from ..rules import names
from ..rules.land_battle import next_to_fire
from ..rules.names import KIND_NAMES, N_PIECES, OVER
from ..rules.pieces import recount
from ..rules.state import STATE
from .view import BATTLE_PHASES, name_at

FIRED_PHASES = (names.LOSS, names.PANIC_LOSS, names.HIT_DIE)
RETREAT_PHASES = (names.CANOE_LOSS, names.RETREAT)
LOADING_PHASES = (names.PICKUP, names.CARGO, names.SAIL)
SIGHTED_PHASES = (names.SIGHTING, names.LAUNCH, names.COMMIT)

# The stages of a half, in order. A withdrawal, a window, a battle and a retreat belong to the stage that they
# interrupt.
S_CARD, S_RECRUIT, S_MOVE, S_SEA, S_LAND, S_OVER = range(1, 7)
_STAGE_OF_PHASE = {
    names.SETUP: 0, names.CARD: S_CARD, names.EVENT_DIE: S_CARD, names.HOME: S_CARD, names.RECRUIT: S_RECRUIT,
    names.MOVE: S_MOVE, names.PICKUP: S_MOVE, names.CARGO: S_MOVE, names.SAIL: S_MOVE, names.APPROACH: S_SEA,
    names.SIGHTING: S_SEA, names.LAUNCH: S_SEA, names.COMMIT: S_SEA, names.CANOE_LOSS: S_SEA,
    names.BATTLE_ORDER: S_LAND, OVER: S_OVER,
}  # fmt: skip
_STAGE_AFTER_WITHDRAWAL = {
    names.RECRUIT: S_RECRUIT, names.MOVE: S_MOVE, names.SIGHTING: S_SEA, names.SEA_PHASE: S_SEA,
    names.SEA_START: S_SEA, names.SEA_LOSER: S_SEA, names.LAND_PHASE: S_LAND, names.BATTLE_BEGIN: S_LAND,
}  # fmt: skip
_STAGE_OF_WINDOW = {names.WINDOW_MOVEMENT: S_MOVE, names.WINDOW_SIGHTING: S_SEA, names.WINDOW_BATTLE: S_LAND}


def cards_drawn(table: Any, s: Any, side: int) -> int:
    """[6.1, 8.0] Return how many cards were drawn from a side's deck since it was shuffled."""
    start = max(table.reshuffle_month, table.first_month)
    if s.month < start:
        return 0
    here = s.phase not in (names.SETUP, names.CARD) if s.half == side else s.half > side
    months = range(start, s.month + here)
    return sum(1 for month in months if not table.fixed[month][side])


def fire_order(table: Any, state: Any) -> tuple[int, int] | None:
    """[11.1 v-vii, 14.2] Return the side that fires next and 1 if gunpowder alone does, or None if nobody can."""
    after = state.copy()
    next_to_fire(table, after)
    return None if after.phase == names.ROUND_END else (after.firing, after.guns)


def decider_of(s: Any) -> int | None:
    """Return who decides in a phase of decisions, or None if that is not fixed."""
    other, target = 1 - s.half, 1 - s.firing
    return {
        names.SETUP: None,
        names.WITHDRAW: None,
        names.CANOE_LOSS: None,
        names.LAUNCH: other,
        names.COMMIT: other,
        names.FIRE: s.firing,
        names.LOSS: target,
        names.PANIC_LOSS: target,
        names.WINDOW: s.half if s.window == names.WINDOW_MOVEMENT else other,
        names.RETREAT: {names.BY_DEFENDER: other, names.BY_SEA_LOSER: None}.get(s.pending_retreat, s.half),
    }.get(s.phase, s.half)


class Facts:
    """A position that is checked: its record, its tables, and what is counted.

    Args:
        game: its game.
        state: its interpreted record; counts by space are made anew.

    Raises:
        StateError: a number outside its range, or a phase without its stage.
    """

    def __init__(self, game: Any, state: Any) -> None:
        STATE.check(state)
        most = game.max_decisions
        forbid(state.decisions > most, f"decisions: no game asks more than {most}")
        self.s: Any = state
        self.game: Any = game
        self.t: Any = game.tables
        self.phase: int = state.phase
        self.half: int = state.half
        recount(self.t, state)
        self.stage: int = self._stage()
        self.counted: Counter[Any] = Counter(zip(state.owner, state.place, map(bool, self.t.canoe), strict=True))

    def _stage(self) -> int:
        s, phase = self.s, self.phase
        known: dict[int, int]
        if phase in BATTLE_PHASES:
            return S_SEA if s.battle == names.SEA_BATTLE else S_LAND
        if phase == names.RETREAT:
            return S_SEA if s.pending_retreat == names.BY_SEA_LOSER else S_LAND
        known, number, message = {
            names.WITHDRAW: (
                _STAGE_AFTER_WITHDRAWAL,
                s.next_phase,
                "then: recruiting, movement, sighting, sea_phase, sea_battle, sea_loser, land_phase or land_battle "
                "follows a withdrawal",
            ),
            names.WINDOW: (_STAGE_OF_WINDOW, s.window, "window: movement, sighting or battle [8.1]"),
        }.get(phase, (_STAGE_OF_PHASE, phase, ""))
        forbid(number not in known, message)
        return known[number]

    def name(self, piece: int) -> str:
        """Return a piece's kind, as texts name it."""
        return name_at(KIND_NAMES, self.t.kind[piece])

    def units(self, side: int, place: int) -> int:
        """Count the units of a side in a place; canoes are none."""
        return self.counted[side, place, False]

    def canoes(self, side: int, place: int) -> int:
        """Count the canoes of a side in a place."""
        return self.counted[side, place, True]

    def all(self, side: int, place: int) -> int:
        """Count the pieces of a side in a place."""
        return self.units(side, place) + self.canoes(side, place)

    def leaders(self, place: int) -> int:
        """Count the leaders in a place."""
        return sum(self.t.leader[p] for p in range(N_PIECES) if self.s.place[p] == place)

    def bare(self, space: int) -> bool:
        """Return True if an attacker's unit in a space has no mark that says how it came."""
        s = self.s
        return any(
            s.place[p] == space and s.owner[p] == self.half and not s.arrived_from[p] and not self.t.canoe[p]
            for p in range(N_PIECES)
        )
