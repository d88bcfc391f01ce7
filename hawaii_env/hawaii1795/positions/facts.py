"""What the checks of a position count on: its fields, the stage of the half, who stands where [4.0, 7.2]."""

from __future__ import annotations

from collections import Counter
from typing import Any, NoReturn, cast

from hawaii_env.errors import StateError

from ..rules import names
from ..rules.names import (
    CAME_TURNED,
    KIND_NAMES,
    N_PIECES,
    N_PLACES,
    N_SPACES,
    NEUTRAL,
    OVER,
    SEA,
    WAR,
)
from ..rules.setup import ALL_CARDS
from ..rules.state import DERIVED, STATE

BATTLE_PHASES = (names.FIRE, names.LOSS, names.PANIC_LOSS, names.ADVANTAGE, names.HIT_DIE)
FIRED_PHASES = (names.LOSS, names.PANIC_LOSS, names.HIT_DIE)
RETREAT_PHASES = (names.CANOE_LOSS, names.RETREAT)
LOADING_PHASES = (names.PICKUP, names.CARGO, names.SAIL)
SIGHTED_PHASES = (names.SIGHTING, names.LAUNCH, names.COMMIT)

# The stages of a half, in order. A withdrawal, a window, a battle and a retreat belong to the stage that they
# interrupt.

_STAGE_OF_PHASE = {
    names.SETUP: 0, names.CARD: 1, names.EVENT_DIE: 1, names.HOME: 1, names.RECRUIT: 2, names.MOVE: 3, names.PICKUP: 3,
    names.CARGO: 3, names.SAIL: 3, names.APPROACH: 4, names.SIGHTING: 4, names.LAUNCH: 4, names.COMMIT: 4,
    names.CANOE_LOSS: 4, names.BATTLE_ORDER: 5, names.OVER: 6,
}  # fmt: skip
_STAGE_AFTER_WITHDRAWAL = {
    names.RECRUIT: 2, names.MOVE: 3, names.SIGHTING: 4, names.SEA_PHASE: 4, names.SEA_START: 4, names.SEA_LOSER: 4,
    names.LAND_PHASE: 5, names.BATTLE_BEGIN: 5,
}  # fmt: skip
_STAGE_OF_WINDOW = {names.WINDOW_MOVEMENT: 3, names.WINDOW_SIGHTING: 4, names.WINDOW_BATTLE: 5}
S_SETUP, S_CARD, S_RECRUIT, S_MOVE, S_SEA, S_LAND, S_OVER = range(7)

# Least and greatest value of each field that is not a piece's.
RANGES: dict[str, tuple[int, int]] = {
    "month": (1, 11), "half": (0, 1), "phase": (0, OVER), "decider": (0, 1), "winner": (-1, 2), "reason": (0, 5),
    "next_phase": (0, names.HALF_END), "kauai": (0, 2), "left": (0, ALL_CARDS), "held": (0, ALL_CARDS),
    "card": (-1, 17),
    "fixed": (0, 1), "event_played": (0, 1), "advantage_bonus": (0, 9), "gunpowder_bonus": (0, 9),
    "no_sighting": (0, 1), "homes": (0, 39), "window": (0, 3), "want": (0, 39), "setup_piece": (0, N_PIECES),
    "setup_choice": (0, 39), "fleet_moves": (0, 39), "fleet": (-1, N_PIECES - 1), "pickup": (-1, 6),
    "aboard_units": (0, 2), "aboard_leaders": (0, 2), "field": (-1, 6), "battle": (0, 2), "second": (0, 1),
    "earthworks": (0, 1), "war_canoes": (0, 39), "war_units": (0, 39), "war_leaders": (0, 39), "first_die": (0, 6),
    "advantage": (-1, 1), "turn_side": (0, 1), "guns": (0, 1), "firing": (0, 1), "firer": (-1, N_PIECES - 1),
    "dice": (0, 19), "pike_used": (0, 1), "errand": (0, 4), "from_space": (-1, 6), "refuge": (-1, 6),
    "canoes_lost": (0, 39), "decisions": (0, 10**9), "place": (0, N_PLACES - 1), "owner": (0, 2),
    "came": (0, CAME_TURNED), "panicked": (0, 1), "carried": (0, 1), "marched": (0, 1), "fired": (0, 1),
}  # fmt: skip

PUBLIC_FIELDS = tuple(name for name in STATE.fields if name not in (*DERIVED, "generator"))


def fields_of(record: Any) -> dict[str, Any]:
    """Return every field of an interpreted record but the counted ones and the generators."""
    return {name: STATE.get(record, name) for name in PUBLIC_FIELDS}


def cards_drawn(table: Any, month: int, half: int, phase: int, side: int) -> int:
    """[6.1, 8.0] Cards drawn from a side's deck since it was shuffled."""
    start = max(int(table.reshuffle_month), int(table.first_month))
    if month < start:
        return 0
    drawn = sum(1 for m in range(start, month) if not int(table.fixed[m * 2 + side]))
    here = phase not in (names.SETUP, names.CARD) if half == side else half > side
    if here and not int(table.fixed[month * 2 + side]):
        drawn += 1
    return drawn


def in_battle(table: Any, fields: dict[str, Any], piece: int) -> bool:
    """[11.2] A piece stands where the battle is fought."""
    place = fields["place"][piece]
    if fields["battle"] != names.SEA_BATTLE:
        return place == fields["field"]
    return place == (SEA + fields["field"] if fields["owner"][piece] == fields["half"] else WAR)


def fire_order(table: Any, fields: dict[str, Any]) -> tuple[int, int] | None:
    """[11.1 v-vii, 14.2] Who fires next, and whether gunpowder alone does: (side, 0 or 1); None when nobody is able
    to.
    """

    def able(side: int, guns: bool) -> bool:
        return any(
            fields["owner"][p] == side
            and not table.canoe[p]
            and in_battle(table, fields, p)
            and not fields["panicked"][p]
            and not fields["fired"][p]
            and (table.gun[p] or not guns)
            for p in range(N_PIECES)
        )

    for guns, first in ((True, fields["advantage"]), (False, fields["turn_side"])):
        for side in (first, 1 - first):
            if able(side, guns):
                return side, int(guns)
    return None


class Facts:
    """A position that is checked: its fields, its tables, and what is counted from them."""

    def __init__(self, game: Any, fields: dict[str, Any], where: str) -> None:
        self.f: dict[str, Any] = fields
        self.game: Any = game
        self.where: str = where
        self.t: Any = game.tables
        self.ranges()
        self.phase: int = fields["phase"]
        self.half: int = fields["half"]
        self.stage: int = self._stage()
        canoe = [bool(c) for c in self.t.canoe]
        self.counted: Counter[Any] = Counter(zip(fields["owner"], fields["place"], canoe, strict=True))

    def fail(self, message: str) -> NoReturn:
        """Raise StateError: the position cannot be, and why."""
        raise StateError(f"{self.where}: {message}")

    def name(self, piece: int) -> str:
        """Return a piece's kind, as texts name it."""
        return KIND_NAMES[int(self.t.kind[piece])]

    def _stage(self) -> int:
        f, phase = self.f, self.phase
        if phase == names.WITHDRAW:
            if f["next_phase"] not in _STAGE_AFTER_WITHDRAWAL:
                self.fail(
                    "then: recruiting, movement, sighting, sea_phase, sea_battle, sea_loser, land_phase or land_battle "
                    "follows a withdrawal"
                )
            return _STAGE_AFTER_WITHDRAWAL[f["next_phase"]]
        if phase == names.WINDOW:
            if f["window"] not in _STAGE_OF_WINDOW:
                self.fail("window: movement, sighting or battle [8.1]")
            return _STAGE_OF_WINDOW[f["window"]]
        if phase in BATTLE_PHASES:
            return S_SEA if f["battle"] == names.SEA_BATTLE else S_LAND
        if phase == names.RETREAT:
            return S_SEA if f["errand"] == names.BY_SEA_LOSER else S_LAND
        return _STAGE_OF_PHASE[phase]

    def units(self, side: int, place: int) -> int:
        """Units of a side in a place; canoes are none."""
        return self.counted[side, place, False]

    def canoes(self, side: int, place: int) -> int:
        """Canoes of a side in a place."""
        return self.counted[side, place, True]

    def all(self, side: int, place: int) -> int:
        """Pieces of a side in a place."""
        return self.units(side, place) + self.canoes(side, place)

    def leaders(self, place: int) -> int:
        """Leaders in a place."""
        return sum(1 for p in range(N_PIECES) if self.f["place"][p] == place and self.t.leader[p])

    def occupies(self, side: int, space: int) -> bool:
        """[R-07]"""
        return self.units(side, space) > 0 and not self.units(1 - side, space)

    def refuge(self, side: int, barred: tuple[int, ...] = ()) -> bool:
        """[R-25] There is a space to withdraw to."""
        return any(self.occupies(side, s) for s in range(N_SPACES) if s not in barred)

    def values(self, name: str) -> list[int]:
        """Return a field's values, one or several."""
        value: Any = self.f[name]
        return cast("list[int]", value) if isinstance(value, list) else [value]

    def driven_off(self, side: int, space: int) -> bool:
        """[R-15, R-23] As `withdrawal.driven_off`."""
        f = self.f
        if not self.canoes(side, space) or self.units(side, space):
            return False
        turned = any(
            self.t.side[p] == NEUTRAL and f["place"][p] == space and f["owner"][p] == side for p in range(N_PIECES)
        )
        return self.units(1 - side, space) > 0 or (turned and self.canoes(1 - side, space) > 0)

    def bare(self, s: int) -> bool:
        """An attacker's unit in a space without a mark that says how it came."""
        f = self.f
        return any(
            f["place"][p] == s and f["owner"][p] == self.half and not f["came"][p] and not self.t.canoe[p]
            for p in range(N_PIECES)
        )

    def ranges(self) -> None:
        """Every number in its range."""
        for name, (low, high) in RANGES.items():
            for v in self.values(name):
                if not low <= v <= high:
                    self.fail(f"{name}: {low} to {high} is allowed, not {v}")
        if self.f["decisions"] > self.game.max_decisions:
            self.fail(f"decisions: no game asks more than {self.game.max_decisions}")
