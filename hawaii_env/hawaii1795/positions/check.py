"""Which positions can be [3.0, 4.0, 10.1]: the checks of positions from outside, and the fuzzer's invariants.

Compiled code trusts its state, so everything that comes from outside passes here first: every number in its range, and
every field in agreement with the phase that will read it. One thing is left to whoever writes a position by hand: a
leader who is named nowhere waits in the box, also one who starts on the map, so that a position can be a part of a
game.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NoReturn, cast

from hawaii_env.errors import StateError

from .. import core
from ..rules import names
from ..rules.cards import card_of, number_of, side_of
from ..rules.names import (
    ABOARD,
    BOX,
    CAME_TURNED,
    DEAD,
    FIRST_CHANCE,
    KAUAI,
    KIND_NAMES,
    LAST_DECISION,
    N_EFFECT_ARGS,
    N_KINDS,
    N_PIECES,
    N_PLACES,
    N_SPACES,
    NEUTRAL,
    OVER,
    PHASES,
    SEA,
    SIDES,
    SPACES,
    WAR,
)
from ..rules.setup import ALL_CARDS, BY_OWNER
from ..rules.state import DERIVED, STATE_FIELDS

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
_RANGES: dict[str, tuple[int, int]] = {
    "month": (1, 11), "half": (0, 1), "phase": (0, OVER), "decider": (0, 1), "winner": (-1, 2), "reason": (0, 5),
    "next_phase": (0, names.CUSTOM), "kauai": (0, 2), "left": (0, ALL_CARDS), "held": (0, ALL_CARDS), "card": (-1, 17),
    "fixed": (0, 1), "event_played": (0, 1), "advantage_bonus": (0, 9), "gunpowder_bonus": (0, 9), "no_sighting": (0, 1),
    "homes": (0, 39), "window": (0, 3), "want": (0, 39), "setup_piece": (0, N_PIECES), "setup_choice": (0, 39),
    "fleet_moves": (0, 39), "fleet": (-1, N_PIECES - 1), "pickup": (-1, 6), "aboard_units": (0, 2), "aboard_leaders": (0, 2),
    "field": (-1, 6), "battle": (0, 2), "second": (0, 1), "earthworks": (0, 1), "war_canoes": (0, 39), "war_units": (0, 39),
    "war_leaders": (0, 39), "first_die": (0, 6), "advantage": (-1, 1), "turn_side": (0, 1), "guns": (0, 1), "firing": (0, 1),
    "firer": (-1, N_PIECES - 1), "dice": (0, 19), "pike_used": (0, 1), "errand": (0, 4), "from_space": (-1, 6),
    "refuge": (-1, 6), "canoes_lost": (0, 39), "decisions": (0, 10**9), "place": (0, N_PLACES - 1), "owner": (0, 2),
    "came": (0, CAME_TURNED), "panicked": (0, 1), "carried": (0, 1), "marched": (0, 1), "fired": (0, 1),
}  # fmt: skip

# What a field is outside the phases that use it: the rules rely on it, and players see it.
_IDLE: dict[str, tuple[int, tuple[int, ...]]] = {
    "homes": (0, (names.HOME, names.EVENT_DIE)),
    "window": (0, (names.WINDOW,)),
    "setup_choice": (0, (names.SETUP,)),
    "fleet": (-1, LOADING_PHASES),
    "pickup": (-1, (names.CARGO, names.SAIL)),
    "aboard_units": (0, (names.CARGO, names.SAIL)),
    "aboard_leaders": (0, (names.CARGO, names.SAIL)),
    "first_die": (0, (names.ADVANTAGE,)),
    "dice": (0, (*FIRED_PHASES, OVER)),
    "errand": (0, RETREAT_PHASES),
    "from_space": (-1, (names.WITHDRAW,)),
    "canoes_lost": (0, (names.CANOE_LOSS,)),
    "winner": (-1, (OVER,)),
    "reason": (0, (OVER,)),
}

SECRETS = ("deck_words", "dice_words", "sampled")
PUBLIC_FIELDS = tuple((name, n) for name, n in STATE_FIELDS if name not in DERIVED and name not in SECRETS)


def fields_of(buffer: Any) -> dict[str, Any]:
    """Every field of a state but the counted ones and the generators."""
    return {name: core.get(buffer, name) if n == 1 else core.get_list(buffer, name) for name, n in PUBLIC_FIELDS}


def cards_drawn(table: Any, month: int, half: int, phase: int, side: int) -> int:
    """[6.1, 8.0] Cards drawn from a side's deck since it was shuffled."""
    start = max(int(table["reshuffle_month"]), int(table["first_month"]))
    if month < start:
        return 0
    drawn = sum(1 for m in range(start, month) if not int(table["fixed"][m * 2 + side]))
    here = phase not in (names.SETUP, names.CARD) if half == side else half > side
    if here and not int(table["fixed"][month * 2 + side]):
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
            and not table["canoe"][p]
            and in_battle(table, fields, p)
            and not fields["panicked"][p]
            and not fields["fired"][p]
            and (table["gun"][p] or not guns)
            for p in range(N_PIECES)
        )

    for guns, first in ((True, fields["advantage"]), (False, fields["turn_side"])):
        for side in (first, 1 - first):
            if able(side, guns):
                return side, int(guns)
    return None


class _Check:
    """One position being checked: its fields, its tables, and what is counted from them."""

    def __init__(self, game: Any, fields: dict[str, Any], where: str) -> None:
        self.f, self.game, self.where = fields, game, where
        self.t = game.record_array[0]
        self.ranges()
        self.phase: int = fields["phase"]
        self.half: int = fields["half"]
        self.stage = self._stage()
        canoe = [bool(c) for c in self.t["canoe"].tolist()]
        self.counted = Counter(zip(fields["owner"], fields["place"], canoe, strict=True))

    def fail(self, message: str) -> NoReturn:
        raise StateError(f"{self.where}: {message}")

    def name(self, piece: int) -> str:
        return KIND_NAMES[int(self.t["kind"][piece])]

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
        return sum(1 for p in range(N_PIECES) if self.f["place"][p] == place and self.t["leader"][p])

    def occupies(self, side: int, space: int) -> bool:
        """[R-07]"""
        return self.units(side, space) > 0 and not self.units(1 - side, space)

    def refuge(self, side: int, barred: tuple[int, ...] = ()) -> bool:
        """[R-25] There is a space to withdraw to."""
        return any(self.occupies(side, s) for s in range(N_SPACES) if s not in barred)

    def _values(self, name: str) -> list[int]:
        value: Any = self.f[name]
        return cast("list[int]", value) if isinstance(value, list) else [value]

    def driven_off(self, side: int, space: int) -> bool:
        """[R-15, R-23] As `withdrawal.driven_off`."""
        f = self.f
        if not self.canoes(side, space) or self.units(side, space):
            return False
        turned = any(
            self.t["side"][p] == NEUTRAL and f["place"][p] == space and f["owner"][p] == side for p in range(N_PIECES)
        )
        return self.units(1 - side, space) > 0 or (turned and self.canoes(1 - side, space) > 0)

    # Each chapter's checks.

    def ranges(self) -> None:
        for name, (low, high) in _RANGES.items():
            for v in self._values(name):
                if not low <= v <= high:
                    self.fail(f"{name}: {low} to {high} is allowed, not {v}")
        if self.f["decisions"] > self.game.max_decisions:
            self.fail(f"decisions: no game asks more than {self.game.max_decisions}")

    def idle(self) -> None:
        """Fields that another phase uses are empty."""
        for name, (idle, phases) in _IDLE.items():
            if self.phase not in phases and any(v != idle for v in self._values(name)):
                self.fail(f"{name}: nothing of that in phase {PHASES[self.phase]}")
        f = self.f
        if f["field"] >= 0 and (self.stage < S_SEA or self.phase in (names.APPROACH, names.BATTLE_ORDER)):
            self.fail(f"field: no space is fought for in phase {PHASES[self.phase]}")
        if f["earthworks"] and not (
            self.phase == OVER
            or (self.phase in BATTLE_PHASES and self.stage == S_LAND)
            or (self.phase == names.RETREAT and f["errand"] == names.BY_DEFENDER)
        ):
            self.fail("earthworks: they stand in a land battle only [9.0]")
        if any(f["event_played"]) and (
            self.stage <= S_RECRUIT or (self.phase == names.WINDOW and f["event_played"][f["decider"]])
        ):
            self.fail("events_played: no held event has been played yet [R-09]")
        if (
            f["no_sighting"]
            and self.stage == S_SEA
            and (
                self.phase in (*SIGHTED_PHASES, names.WINDOW, names.CANOE_LOSS, names.RETREAT)
                or self.phase in BATTLE_PHASES
            )
        ):
            self.fail("bonuses: no_sighting: nobody is sighted this half [11.7]")

    def pieces(self) -> None:
        """[3.0, 3.1, 9.0]"""
        f, t = self.f, self.t
        for p in range(N_PIECES):
            place, owner, printed = f["place"][p], f["owner"][p], int(t["side"][p])
            if owner != (f["kauai"] if printed == NEUTRAL else printed):
                self.fail(f"owner: {self.name(p)} belongs to another side")
            if place == DEAD and printed != NEUTRAL and not t["leader"][p]:
                self.fail(f"{self.name(p)} is dead; only leaders and Kaua'i's pieces never return [3.1, 9.0]")
            if place == BOX and printed == NEUTRAL:
                self.fail(f"{self.name(p)} is in a box; Kaua'i's pieces are never recruited [9.0]")
            self.marks_of(p)
        if f["kauai"] == NEUTRAL:
            for p in range(N_PIECES):
                if f["owner"][p] == NEUTRAL:
                    if f["place"][p] != KAUAI:
                        self.fail("neutral Kaua'i's pieces are on kauai [6.0]")
                elif f["place"][p] in (KAUAI, SEA + KAUAI):
                    self.fail(
                        f"{self.name(p)} is on kauai or bound for it, which is neutral; an invasion would have ended "
                        "that (R-16)"
                    )

    def marks_of(self, p: int) -> None:
        """[10.0, 11.3] Which marks a piece may have in this phase."""
        f, t, place = self.f, self.t, self.f["place"][p]
        if self.phase == OVER:
            return  # the last position stays as it stood
        came = f["came"][p]
        canoe, own = bool(t["canoe"][p]), f["owner"][p] == self.half
        if (f["panicked"][p] or f["fired"][p]) and (canoe or self.phase not in BATTLE_PHASES or not in_battle(t, f, p)):
            self.fail(f"{self.name(p)} is panicked or has fired outside a battle [11.6]")
        if f["panicked"][p] and t["elite"][p]:
            self.fail(f"{self.name(p)}: elite units never panic [12.0]")
        if f["panicked"][p] and f["fired"][p]:
            self.fail(f"{self.name(p)}: a panicked unit has no fired mark")
        if f["fired"][p] and self.phase == names.ADVANTAGE:
            self.fail(f"{self.name(p)} has fired, and the round has not begun [11.1]")
        moving = self.stage == S_MOVE and self.phase != names.WINDOW
        if (f["carried"][p] or f["marched"][p]) and (not own or not moving or place in (BOX, DEAD)):
            self.fail(
                f"{self.name(p)} is marked as moved, which only the mover's pieces are, in the movement phase [10.0]"
            )
        if f["marched"][p] and canoe:
            self.fail("canoes do not march (R-11)")
        if f["carried"][p] and place == ABOARD:
            self.fail(f"{self.name(p)} is aboard and was carried before (R-14)")
        if place >= SEA or place == WAR:
            if not 1 <= came <= N_SPACES or came - 1 == place - SEA:
                self.fail(f"{self.name(p)} sails without a space that it came from (write {self.name(p)}/SPACE)")
        elif came and (not own or canoe or place >= N_SPACES or self.stage <= S_CARD):
            self.fail(f"{self.name(p)} is marked as come from {self._from(came)}; only attackers are")
        elif 0 < came < CAME_TURNED and self.t["sibling"][place] != came - 1:
            self.fail(f"{self.name(p)} cannot have marched from {SPACES[came - 1]} to {SPACES[place]} [10.2]")
        elif 0 < came < CAME_TURNED and self.stage == S_RECRUIT:
            self.fail(f"{self.name(p)} has marched before the movement phase [7.2]")
        elif came and self.stage <= S_MOVE and not self.units(1 - self.half, place):
            self.fail(f"{self.name(p)} is marked as come from {self._from(came)}, and no enemy unit is there")

    def _from(self, came: int) -> str:
        return "among those who turned" if came == CAME_TURNED else SPACES[came - 1]

    def spaces(self) -> None:
        """[10.1, 10.3, R-15] Who may stand together."""
        if self.phase == OVER:
            return
        alone = False
        for s in range(N_SPACES):
            if self.units(0, s) and self.units(1, s):
                if self.stage <= S_CARD:
                    self.fail(f"units of both sides on {SPACES[s]}: no move or card begins so [10.3]")
                if self.stage <= S_MOVE and self._bare(s):
                    self.fail(f"units of both sides on {SPACES[s]}: in this phase an attacker there has come overland or turned "
                              "(write warrior_2/SPACE or warrior_2/turned) [10.3]")  # fmt: skip
            driven = [self.driven_off(side, s) for side in (0, 1)]
            if self.canoes(0, s) and self.canoes(1, s) and not (any(driven) or self.units(0, s) or self.units(1, s)):
                self.fail(f"canoes of both sides on {SPACES[s]}; they never share a space (R-15)")
            for side in (0, 1):
                if driven[side]:
                    if not self._may_be_alone(s, alone):
                        self.fail(
                            f"{SIDES[side]}'s canoes alone among enemies on {SPACES[s]}; they would have withdrawn "
                            "(R-15)"
                        )
                    alone = True
        self.fleets()
        self.loading()
        self.war_fleet()

    def _bare(self, s: int) -> bool:
        """An attacker's unit in a space without a mark that says how it came."""
        f = self.f
        return any(
            f["place"][p] == s and f["owner"][p] == self.half and not f["came"][p] and not self.t["canoe"][p]
            for p in range(N_PIECES)
        )

    def _may_be_alone(self, s: int, before: bool) -> bool:
        """Canoes alone among enemies may be in this space: they are about to go, or have had no time to."""
        f = self.f
        if self.phase == names.WITHDRAW:
            return before or s == f["from_space"] or f["from_space"] < 0
        if not self.units(0, s) and not self.units(1, s):
            return False
        if self.phase == names.COMMIT:
            return f["field"] >= 0 and s in (f["field"], int(self.t["sibling"][f["field"]]))
        return s == f["field"] and self.stage == S_LAND and self.phase in (*BATTLE_PHASES, names.RETREAT)

    def fleets(self) -> None:
        """[10.3, 11.7] Fleets at sea."""
        f, phase = self.f, self.phase
        for s in range(N_SPACES):
            units, canoes = self.units(self.half, SEA + s), self.canoes(self.half, SEA + s)
            if self.all(1 - self.half, SEA + s):
                self.fail(f"a fleet of {SIDES[1 - self.half]}'s at sea in the other half")
            if not units and not canoes:
                continue
            if self.stage not in (S_MOVE, S_SEA) or (phase == names.WINDOW and self.stage == S_MOVE):
                self.fail(f"a fleet at sea in phase {PHASES[phase]} [10.3]")
            # A beaten fleet may have lost all its units, or half of its canoes.
            beaten = s == f["field"] and (
                (phase in RETREAT_PHASES and f["decider"] == self.half)
                or (phase == names.WITHDRAW and f["next_phase"] == names.SEA_LOSER)
            )
            self.load(f"a fleet bound for {SPACES[s]}", SEA + s, units, canoes, beaten)
            if not units and not beaten:
                self.fail(f"an empty fleet bound for {SPACES[s]} (R-13)")
        for p in range(N_PIECES):
            if f["place"][p] >= SEA and self.all(1 - self.half, f["came"][p] - 1):
                self.fail(
                    f"{self.name(p)} cannot have sailed from {SPACES[f['came'][p] - 1]}, where enemies are [10.3]"
                )

    def load(self, what: str, place: int, units: int, canoes: int, beaten: bool) -> None:
        """[10.3, 11.7] What canoes carry; half of a beaten fleet's are lost before its units."""
        leaders, before = self.leaders(place), canoes * (2 if beaten else 1)
        each, chiefs = int(self.t["units_a_canoe"]), int(self.t["leaders_a_canoe"])
        if not canoes or units - leaders > before * each or leaders > before * chiefs:
            self.fail(f"{what}: {each} units and {chiefs} leaders a canoe [10.3, 11.7]")

    def loading(self) -> None:
        """[10.3] The fleet being loaded."""
        f, phase = self.f, self.phase
        aboard = [p for p in range(N_PIECES) if f["place"][p] == ABOARD]
        if aboard and (phase not in (names.CARGO, names.SAIL) or any(f["owner"][p] != self.half for p in aboard)):
            self.fail(f"pieces aboard in phase {PHASES[phase]}")
        if phase in (names.CARGO, names.SAIL):
            leaders = sum(int(self.t["leader"][p]) for p in aboard)
            canoes = sum(int(self.t["canoe"][p]) for p in aboard)
            if canoes != 1 or f["fleet"] not in aboard or not self.t["canoe"][f["fleet"]] or f["pickup"] < 0:
                self.fail("fleet: one canoe, aboard, with a pick-up space, is being loaded [10.3]")
            each, chiefs = int(self.t["units_a_canoe"]), int(self.t["leaders_a_canoe"])
            counted = f["aboard_leaders"] == leaders and f["aboard_units"] == len(aboard) - leaders - 1
            if not counted or leaders > chiefs or len(aboard) - leaders - 1 > each:
                self.fail(f"aboard: {each} units and {chiefs} leaders at most, and the counts fit the pieces [10.3]")
            if self.all(1 - self.half, f["pickup"]):
                self.fail(f"fleet: pickup: enemies are on {SPACES[f['pickup']]} [10.3]")
        elif phase == names.PICKUP:
            canoe = f["fleet"]
            if (
                canoe < 0
                or not self.t["canoe"][canoe]
                or f["place"][canoe] >= N_SPACES
                or f["owner"][canoe] != self.half
                or f["carried"][canoe]
                or self.units(1 - self.half, f["place"][canoe])
            ):
                self.fail("fleet: a canoe of the mover's that has not moved, not among enemy units, is wanted [10.3]")

    def war_fleet(self) -> None:
        """[11.7] The defender's fleet."""
        f, phase = self.f, self.phase
        war = [p for p in range(N_PIECES) if f["place"][p] == WAR]
        side = 1 - self.half
        beaten = phase in RETREAT_PHASES and self.stage == S_SEA and f["decider"] == side
        if war:
            battle = phase in BATTLE_PHASES and self.stage == S_SEA
            then = phase == names.WITHDRAW and f["next_phase"] == names.SEA_START
            if not (battle or then or beaten or phase == names.COMMIT) or any(f["owner"][p] == self.half for p in war):
                self.fail(f"a war fleet in phase {PHASES[phase]} [11.7]")
            if f["field"] < 0:
                self.fail("field: the war fleet is for a space")
            for p in war:
                came = f["came"][p] - 1
                if came != f["field"] and (self.t["canoe"][p] or came != self.t["sibling"][f["field"]]):
                    self.fail(f"war fleet: {self.name(p)} cannot have come from {SPACES[came]} [11.7]")
            self.load("war fleet", WAR, self.units(side, WAR), self.canoes(side, WAR), beaten)
        if phase == names.COMMIT:
            canoes, leaders = self.canoes(side, WAR), self.leaders(WAR)
            if (f["war_canoes"], f["war_units"], f["war_leaders"]) != (canoes, len(war) - canoes - leaders, leaders):
                self.fail("war fleet: the counts do not fit the pieces")

    def calendar(self) -> None:
        """[6.0, 6.1]"""
        f, t = self.f, self.t
        if not t["first_month"] <= f["month"] <= t["last_month"]:
            self.fail("turn: outside the scenario [6.0]")

    def cards(self) -> None:
        """[6.1, 8.0, 8.1]"""
        f, t = self.f, self.t
        before = self.phase in (names.SETUP, names.CARD)
        for side in (0, 1):
            left, held = f["left"][side], f["held"][side]
            if (left | held) & ~ALL_CARDS:
                self.fail("decks: cards 1 to 9 are allowed")
            if self.phase != OVER:
                wanted = 9 - cards_drawn(t, f["month"], self.half, self.phase, side)
                if left.bit_count() != wanted:
                    self.fail(
                        f"decks: {SIDES[side]} has {wanted} cards left in {names.MONTHS[f['month']]} in this phase, "
                        f"not {left.bit_count()} [6.1, 8.0]"
                    )
            for n in range(1, names.N_NUMBERS + 1):
                if held >> n & 1:
                    if int(t["timing"][card_of(side, n)]) != names.HOLD:
                        self.fail(f"held: {self.game.card_ids[card_of(side, n)]} is no card to hold [8.1]")
                    if left >> n & 1 and f["month"] >= t["reshuffle_month"]:
                        self.fail(f"held: {self.game.card_ids[card_of(side, n)]} is in the deck, too")
        self.wants()
        if self.phase == OVER:
            if f["fleet_moves"]:
                self.fail("fleet_moves: none are left to make in phase over")
            return
        card = f["card"]
        if before != (card < 0):
            self.fail(
                f"card: {'none is in effect yet' if before else 'one is in effect'} in phase {PHASES[self.phase]} [8.0]"
            )
        fixed = int(t["fixed"][f["month"] * 2 + self.half])
        if self.phase == names.CARD and (fixed or f["left"][self.half].bit_count() < 2):
            self.fail("card: this month's card is not drawn by chance [6.1]")
        if card >= 0:
            if side_of(card) != self.half:
                self.fail(f"card: {self.game.card_ids[card]} is not of the side whose half it is [8.0]")
            if f["fixed"] != int(fixed > 0) or (fixed and number_of(card) != fixed):
                self.fail("card: the month's fixed card is the one in effect [6.1]")
            if not f["fixed"] and f["left"][self.half] >> number_of(card) & 1:
                self.fail(f"card: {self.game.card_ids[card]} is in the deck, too")
        elif f["fixed"]:
            self.fail("dealt: no card is in effect [6.1]")
        if self.phase == names.CARD and (f["advantage_bonus"] or f["gunpowder_bonus"] or f["no_sighting"]):
            self.fail("bonuses: no card has been shown in this half [8.0]")
        self.fleet_moves()

    def wants(self) -> None:
        """[8.1, 9.0] Recruits still to come."""
        f, t = self.f, self.t
        if any(f["want"]) and (self.stage not in (S_CARD, S_RECRUIT) or self.phase == names.CARD):
            self.fail(f"recruits: none come in phase {PHASES[self.phase]}")
        for kind in range(N_KINDS):
            if f["want"][kind] and not t["count"][kind]:
                self.fail(f"recruits: this ruleset has no {KIND_NAMES[kind]}")
            if f["want"][kind] and t["side"][t["first"][kind]] != self.half:
                self.fail(f"recruits: {KIND_NAMES[kind]} is no piece of {SIDES[self.half]}'s [9.0]")

    def fleet_moves(self) -> None:
        """[8.1, 10.3] The card's fleet moves."""
        f, card = self.f, self.f["card"]
        if self.stage != S_MOVE:
            if f["fleet_moves"]:
                self.fail(f"fleet_moves: none are left to make in phase {PHASES[self.phase]}")
            return
        most = int(self.t["fleets"][card])
        if f["fleet_moves"] > most or (self.phase in LOADING_PHASES and f["fleet_moves"] >= most):
            self.fail(f"fleet_moves: {self.game.card_ids[card]} allows {most}, begun ones among them [8.1]")
        if self.phase == names.WINDOW and f["fleet_moves"] != most:
            self.fail(f"fleet_moves: all {most} are left as the movement phase starts [8.1]")

    def decider(self) -> None:
        """Who decides in which phase."""
        f, phase = self.f, self.phase
        if phase > LAST_DECISION or phase == names.SETUP:
            return
        wanted: int | None = self.half
        if phase in (names.LAUNCH, names.COMMIT):
            wanted = 1 - self.half
        elif phase == names.FIRE:
            wanted = f["firing"]
        elif phase in (names.LOSS, names.PANIC_LOSS):
            wanted = 1 - f["firing"]
        elif phase == names.WINDOW:
            wanted = self.half if f["window"] == names.WINDOW_MOVEMENT else 1 - self.half
        elif phase == names.RETREAT:
            wanted = {names.BY_DEFENDER: 1 - self.half, names.BY_SEA_LOSER: None}.get(f["errand"], self.half)
        elif phase in (names.WITHDRAW, names.CANOE_LOSS):
            wanted = None
        if wanted is not None and f["decider"] != wanted:
            self.fail(f"decider: {SIDES[wanted]} decides in phase {PHASES[phase]}")

    def phase_needs(self) -> None:
        """What the phase reads must be there."""
        phase, card = self.phase, self.f["card"]
        if phase == names.SETUP:
            self.set_up()
        elif phase == names.CARD:
            if self.occupation(self.half):
                self.fail(f"{SIDES[self.half]} has won by occupation: the game would be over [5.1]")
        elif phase == names.EVENT_DIE:
            self.event(card)
        elif phase == names.HOME:
            if int(self.t["effect"][card]) != names.FX_HOME or not 1 <= self.f["homes"] <= self.arg(card, 0):
                self.fail("home: the card in effect sends nobody home, or not so many [8.2]")
        elif phase == names.APPROACH:
            if not any(self.canoes(self.half, SEA + s) for s in range(N_SPACES)):
                self.fail("approach: no fleet is at sea [11.7]")
        elif phase == names.BATTLE_ORDER:
            if not any(self.units(0, s) and self.units(1, s) for s in range(N_SPACES)):
                self.fail("battle_order: no space is contested [11.0]")
        elif phase in SIGHTED_PHASES:
            self.sea_field()
        elif phase == names.WINDOW:
            self.window()
        elif phase in BATTLE_PHASES:
            self.battle()
        elif phase == names.WITHDRAW:
            self.withdrawal()
        elif phase in RETREAT_PHASES:
            self.retreat()

    def arg(self, card: int, i: int) -> int:
        """A value of a card's effect."""
        return int(self.t["effect_args"][card * N_EFFECT_ARGS + i])

    def event(self, card: int) -> None:
        """[8.2] An event rolls its die when it can change something."""
        f, effect = self.f, int(self.t["effect"][card])
        if int(self.t["timing"][card]) != names.NOW:
            self.fail("event: the card in effect rolls no die [8.2]")
        if effect == names.FX_APPEAL:
            alive = any(self.t["side"][p] == NEUTRAL and f["place"][p] != DEAD for p in range(N_PIECES))
            if f["kauai"] == self.half or not alive:
                self.fail("event: nobody is left on Kaua'i who could join [8.2]")
            if f["homes"]:
                self.fail("homes: nobody goes home by an appeal [8.2]")
        elif effect == names.FX_HOME and self.arg(card, 2):
            if f["homes"] != self.arg(card, 0):
                self.fail(f"homes: the card in effect sends {self.arg(card, 0)} home [8.2]")
        else:
            self.fail("event: the card in effect rolls no die [8.2]")

    def sea_field(self) -> None:
        """[11.7] A fleet is bound for the space, and the defender could sail out, or has begun to."""
        s = self.f["field"]
        if s < 0:
            self.fail(f"field: phase {PHASES[self.phase]} is about a space")
        other = int(self.t["sibling"][s])
        if not self.canoes(self.half, SEA + s):
            self.fail(f"field: no fleet is bound for {SPACES[s]} [11.7]")
        canoes = self.canoes(1 - self.half, s) + self.canoes(1 - self.half, WAR)
        units = self.units(1 - self.half, s) + self.units(1 - self.half, WAR)
        if other >= 0:
            units += self.units(1 - self.half, other)
        if not canoes or not units:
            self.fail(f"field: nobody could sail out from {SPACES[s]} [11.7]")

    def window(self) -> None:
        """[8.1, R-09]"""
        f, t, w = self.f, self.t, self.f["window"]
        wanted = {
            names.WINDOW_MOVEMENT: names.MOVE,
            names.WINDOW_SIGHTING: names.SIGHTING,
            names.WINDOW_BATTLE: names.BATTLE_BEGIN,
        }[w]
        if f["next_phase"] != wanted:
            self.fail("then: what the window is for follows it [8.1]")
        holder = f["decider"]
        cards = (card_of(holder, n) for n in range(1, names.N_NUMBERS + 1) if f["held"][holder] >> n & 1)
        if not any(c != f["card"] and int(t["window"][c]) == w for c in cards):
            self.fail("window: no held event can be played in it [8.1, R-09]")
        if w == names.WINDOW_SIGHTING:
            self.sea_field()
        if w == names.WINDOW_BATTLE:
            self.contested_field()
            if t["fort"][f["field"]]:
                self.fail("window: no earthworks in a fort [9.0]")

    def contested_field(self) -> None:
        """[11.0, 11.6, R-19] The land battle's space, and whether it is an invasion."""
        f, s = self.f, self.f["field"]
        if s < 0 or not self.units(0, s) or not self.units(1, s) or f["battle"] == names.SEA_BATTLE:
            self.fail("field: a land battle is for a contested space [11.0]")
        if (f["battle"] == names.INVASION) != self._bare(s):
            self.fail("battle: kind: an invasion if any attacker came by canoe, else overland (R-19)")

    def battle(self) -> None:
        """[11.1 to 11.3]"""
        f, t, phase = self.f, self.t, self.phase
        if f["field"] < 0:
            self.fail("field: the battle is for a space")
        sides: list[list[int]] = []
        for side in (0, 1):
            sides.append(
                [p for p in range(N_PIECES) if f["owner"][p] == side and not t["canoe"][p] and in_battle(t, f, p)]
            )
            if not sides[side]:
                self.fail(f"battle: {SIDES[side]} has no unit in it (R-22)")
        if f["earthworks"] and (f["battle"] == names.SEA_BATTLE or t["fort"][f["field"]]):
            self.fail("earthworks: never at sea or in a fort")
        if f["second"] and f["battle"] == names.SEA_BATTLE:
            self.fail("battle: second: a sea battle has no second one [11.8]")
        if f["battle"] == names.OVERLAND and self._bare(f["field"]):
            self.fail("battle: kind: an attacker there came by canoe, or is not marked as come overland (R-19)")
        if phase == names.ADVANTAGE:
            if f["advantage"] >= 0:
                self.fail("advantage: it is being rolled for")
            if any(f["pike_used"]):
                self.fail("pike_used: the round has not begun [14.1]")
            if any(all(f["panicked"][p] for p in sides[side]) for side in (0, 1)):
                self.fail("battle: a side without an unpanicked unit has lost it [11.1 viii]")
            return
        if f["advantage"] < 0:
            self.fail("advantage: somebody has it in this phase [11.1]")
        if f["guns"] and f["turn_side"] != f["advantage"]:
            self.fail("turn_side: while gunpowder fires, the alternation has not begun [14.2]")
        order = fire_order(t, f)
        firing = f["firing"]
        if phase == names.FIRE:
            if order != (firing, f["guns"]):
                side = None if order is None else f"{SIDES[order[0]]}'s {'gunpowder' if order[1] else 'units'} would"
                self.fail(f"fire: {SIDES[firing]} has no unit able to fire now; {side or 'nobody'} [11.1, 14.2]")
            return
        self.firer(sides, order)

    def firer(self, sides: list[list[int]], order: tuple[int, int] | None) -> None:
        """[11.1 v, 11.3, 14.2] The unit whose dice are rolled, and what its die has done."""
        f, t, firing, firer = self.f, self.t, self.f["firing"], self.f["firer"]
        if firer not in sides[firing] or not f["fired"][firer] or f["panicked"][firer]:
            self.fail("firer: a unit of the firing side that has just begun to fire [11.1 v]")
        if f["guns"] != int(t["gun"][firer]) or (not f["guns"] and f["turn_side"] != 1 - firing):
            self.fail("firer: gunpowder fires first, and then the sides in turn [14.2]")
        if order is not None and order[1] and (not f["guns"] or (order[0] == f["advantage"] != firing)):
            self.fail("firer: gunpowder fires first, beginning with the side that has the advantage [14.2]")
        rolling = self.phase == names.HIT_DIE
        most = int(t["strength"][firer]) + (f["gunpowder_bonus"] if t["gun"][firer] and firing == self.half else 0)
        if not int(rolling) <= f["dice"] <= most - int(not rolling):
            self.fail(f"dice: {self.name(firer)} rolls {most}")
        if self.phase == names.PANIC_LOSS:
            target: int = 1 - firing
            if all(t["elite"][p] for p in sides[target]):
                self.fail("panic: nobody can panic [12.0]")
            if target != self.half and f["battle"] != names.SEA_BATTLE and (t["fort"][f["field"]] or f["earthworks"]):
                self.fail("panic: a fort's or earthworks' defenders ignore it [13.0]")
            if not f["pike_used"][target] and any(t["pike"][p] and not f["panicked"][p] for p in sides[target]):
                self.fail("panic: the pike cancels the first one of a round [14.1]")

    def withdrawal(self) -> None:
        """[R-15, R-25, R-30]"""
        f, s, side = self.f, self.f["from_space"], self.f["decider"]
        if s < 0 or not self.driven_off(side, s):
            self.fail(
                "withdrawal: canoes alone among enemy units withdraw, and Kaua'i's that turned among canoes (R-15, "
                "R-23)"
            )
        if f["next_phase"] in (names.SEA_START, names.SEA_LOSER) and f["field"] < 0:
            self.fail("field: the sea battle is for a space")
        if f["next_phase"] == names.SEA_START and (
            not self.units(1 - self.half, WAR) or not self.units(self.half, SEA + f["field"])
        ):
            self.fail("then: a sea battle needs two fleets [11.7]")
        if f["next_phase"] == names.SEA_LOSER and (
            f["advantage"] != 1 - self.half or not self.canoes(self.half, SEA + f["field"])
        ):
            self.fail("then: the defender has won the sea battle, and the beaten fleet withdraws after this [11.8]")
        if f["next_phase"] == names.SIGHTING:
            self.sea_field()
        if f["next_phase"] == names.BATTLE_BEGIN:
            self.contested_field()
        if not self.refuge(side):
            self.fail("withdrawal: there is no space to go to (R-25)")

    def retreat(self) -> None:
        """[11.5, 11.6, 11.8, R-24]"""
        f, t, side, errand, field = self.f, self.t, self.f["decider"], self.f["errand"], self.f["field"]
        if field < 0:
            self.fail(f"field: phase {PHASES[self.phase]} is about a space")
        if self.phase == names.CANOE_LOSS and errand != names.BY_SEA_LOSER:
            self.fail("retreat: errand: a beaten fleet loses canoes [11.8]")
        if errand == 0:
            self.fail("retreat: errand: beaten_fleet, attackers, marchers or defenders")
        if errand == names.BY_SEA_LOSER:
            self.beaten_fleet(side)
            return
        if not self.all(side, field):
            self.fail(f"retreat: nobody of {SIDES[side]}'s is on {SPACES[field]}")
        if not self.units(1 - side, field):
            self.fail(f"retreat: nobody has beaten {SIDES[side]} on {SPACES[field]} [11.5]")
        if errand == names.BY_ATTACKER and not (self.canoes(side, field) and self.refuge(side)):
            self.fail("retreat: attackers leave by a canoe, to a space that their side occupies [11.5]")
        if errand == names.BY_DEFENDER:
            island = (field, int(t["sibling"][field]))
            if f["battle"] != names.OVERLAND or not self.canoes(side, field) or not self.refuge(side, island):
                self.fail("retreat: beaten overland, defenders leave the island by their canoes, if anywhere [11.6]")
        if errand == names.BY_MARCHERS:
            self.marchers(side)

    def beaten_fleet(self, side: int) -> None:
        """[11.8] The loser of a sea battle."""
        f, field = self.f, self.f["field"]
        canoes = self.canoes(side, SEA + field if side == self.half else WAR)
        if not canoes:
            self.fail("retreat: the beaten fleet has no canoe")
        if side != self.half and not self.units(self.half, SEA + field):
            self.fail("retreat: nobody has beaten the war fleet [11.8]")
        if self.phase == names.CANOE_LOSS and not 1 <= f["canoes_lost"] <= canoes // 2:
            self.fail("canoe_loss: a beaten fleet loses half of its canoes, rounded down [11.8]")
        if not self.refuge(side, () if side == self.half else (field,)):
            self.fail("retreat: the beaten fleet has nowhere to go [11.8]")

    def marchers(self, side: int) -> None:
        """[R-24] Attackers who marched walk back or go after the canoes."""
        f, field = self.f, self.f["field"]
        here = [p for p in range(N_PIECES) if f["place"][p] == field and f["owner"][p] == side]
        if not all(0 < f["came"][p] < CAME_TURNED for p in here):
            self.fail("retreat: nobody but marchers is left of the attackers (R-24)")
        if f["refuge"] >= 0 and not self.occupies(side, f["refuge"]):
            self.fail(f"retreat: refuge: {SIDES[side]} does not occupy {SPACES[f['refuge']]} (R-24)")
        if f["refuge"] < 0 and self.all(1 - side, f["came"][here[0]] - 1):
            self.fail("retreat: the marchers have nowhere to go (R-24)")

    def set_up(self) -> None:
        """[6.0, 6.2, R-06] Everybody is at his start place, or is placed by his owner in the order of the table."""
        f, t, side = self.f, self.t, self.f["decider"]
        if f["month"] != t["first_month"] or self.half != names.KAMEHAMEHA:
            self.fail("setup: it comes before the first turn [6.0]")
        if f["kauai"] != NEUTRAL:
            self.fail("setup: Kaua'i is neutral [6.0]")
        if any(f["held"]) or f["no_sighting"] or f["advantage_bonus"] or f["gunpowder_bonus"]:
            self.fail("setup: no card has been drawn yet [8.0]")
        first = next(p for p in range(N_PIECES) if t["side"][p] == side)
        if f["setup_piece"] < first:
            self.fail(f"setup: next_piece: {SIDES[side]}'s pieces begin with number {first}")
        if f["setup_piece"] > first and t["start"][f["setup_piece"] - 1] < BY_OWNER:
            self.fail("setup: next_piece: it is the one after the last that was placed [6.0]")
        waiting = 0
        extras = [0, 0, 0]
        for kind in range(N_KINDS):
            ids = range(int(t["first"][kind]), int(t["first"][kind]) + int(t["count"][kind]))
            if not ids:
                continue
            owner = int(t["side"][ids[0]])
            spare = Counter(f["place"][p] for p in ids if f["place"][p] != BOX)
            for p in ids:
                start = int(t["start"][p])
                if start < BOX:
                    spare[start] -= 1
                elif start >= BY_OWNER:
                    placed = owner < side or (owner == side and p < f["setup_piece"])
                    waiting += owner == side and not placed
                    if placed != (f["place"][p] != BOX):
                        self.fail(
                            f"setup: {self.name(p)}: the pieces before next_piece are placed, the others wait [6.0]"
                        )
                    if placed:
                        spare[f["place"][p]] -= 1
                        if f["place"][p] >= N_SPACES or t["island"][f["place"][p]] != start - BY_OWNER:
                            self.fail(f"setup: {self.name(p)} is placed on another island (R-06)")
            for place, n in spare.items():
                choice = t["warrior"][ids[0]] and kind != names.K_KAIANA_WARRIORS and place < N_SPACES
                if n < 0 or (n and not (choice and t["island"][place] == t["choose_island"][owner])):
                    self.fail(f"setup: {KIND_NAMES[kind]}: the pieces are at their start places [6.0]")
                extras[owner] += n
        for owner in (0, 1):
            chosen = int(t["choose"][owner]) - f["setup_choice"][owner]
            if chosen != extras[owner] or (chosen and (owner > side or (owner == side and waiting))):
                self.fail(f"setup: choices: {SIDES[owner]} has placed {extras[owner]} warriors of choice so far [6.2]")
            if owner < side and f["setup_choice"][owner]:
                self.fail(f"setup: choices: {SIDES[owner]} has placed all of his already [6.2]")

    def occupation(self, side: int) -> bool:
        """[5.1]"""
        t = self.t
        held = sum(1 << s for s in range(N_SPACES) if self.occupies(side, s))
        return (
            int(t["win_all"][side]) & ~held == 0
            and (int(t["win_some"][side]) & held).bit_count() >= int(t["win_some_n"][side])
            and (not t["win_any"][side] or int(t["win_any"][side]) & held != 0)
        )

    def ending(self) -> None:
        """[5.1, 5.2, 5.3]"""
        f, t = self.f, self.t
        dead = {k: f["place"][int(t["first"][k])] == DEAD for k in (names.K_KAMEHAMEHA, names.K_KALANI, names.K_KAIANA)}
        chiefs = dead[names.K_KALANI] and dead[names.K_KAIANA]
        if self.phase != OVER:
            if f["winner"] >= 0:
                self.fail("winner: somebody has won, or it is a tie, exactly when the game is over")
            if dead[names.K_KAMEHAMEHA]:
                self.fail("Kamehameha is dead: the game would be over [5.2]")
            if chiefs:
                self.fail("Kalani and Kaiana are dead: the game would be over [5.2]")
            return
        last = f["month"] == t["last_month"]
        if f["winner"] < 0:
            self.fail("winner: somebody has won, or it is a tie, exactly when the game is over")
        if not f["reason"]:
            self.fail("reason: a game that is over has one")
        fits = {
            names.R_OCCUPATION: f["winner"] == self.half and self.occupation(self.half),
            names.R_KAMEHAMEHA_DEAD: f["winner"] == names.ALLIED and dead[names.K_KAMEHAMEHA],
            names.R_CHIEFS_DEAD: f["winner"] == names.KAMEHAMEHA and chiefs,
            names.R_NOVEMBER: f["winner"] == names.TIE and last,
            names.R_OCCUPATION_NOVEMBER: f["winner"] == names.KAMEHAMEHA and last and bool(t["final_check"])
            and self.occupation(names.KAMEHAMEHA),
        }  # fmt: skip
        if not fits[f["reason"]]:
            self.fail(
                f"reason: {names.reason_text(f['reason'], int(t['last_month']))!r} does not fit the winner and the "
                "position [5.0]"
            )

    def somebody_can_act(self) -> None:
        """A phase that asks somebody has something to ask; set-up, home and recruiting end when they have not."""
        if self.phase > LAST_DECISION or self.phase in (names.SETUP, names.HOME, names.RECRUIT):
            return
        mode = core.mode_now(self.game)
        tables, buffer = self.game.tables_in(mode), mode.new_buffer()
        for name, _ in PUBLIC_FIELDS:
            mode.put(buffer, name, self.f[name])
        mode.recount(tables, buffer)
        mode.advance(tables, buffer)
        if not mode.get(buffer, "n_legal"):
            self.fail(f"phase {PHASES[self.phase]}: {SIDES[self.f['decider']]} has nothing to choose")


def check_fields(game: Any, fields: dict[str, Any], where: str) -> None:
    """Check a position's fields; StateError with the reason when the position cannot be."""
    check = _Check(game, fields, where)
    check.ending()
    check.calendar()
    check.pieces()
    check.spaces()
    check.cards()
    check.decider()
    check.idle()
    check.phase_needs()
    check.somebody_can_act()


def check_effect(game: Any, fields: dict[str, Any], where: str) -> None:
    """[8.2] Check what a registered effect has left: pieces, marks and numbers; canoes alone withdraw after it."""
    fields = {**fields, "phase": names.WITHDRAW, "from_space": -1}
    check = _Check(game, fields, where)
    check.ending()
    check.pieces()
    check.spaces()
    check.wants()
    if fields["next_phase"] == names.SIGHTING:
        check.sea_field()
    if fields["next_phase"] == names.BATTLE_BEGIN:
        check.contested_field()


def check_buffer(game: Any, buffer: Any, where: str) -> None:
    """Check a whole state from outside, with what is counted in it, its list of legal actions and its generators.

    Raises:
        StateError: compiled code could not go on from it, or would be told something else than what it is.
    """
    check_fields(game, fields_of(buffer), where)
    again, mode = core.copy_buffer(buffer), core.mode_of(buffer)
    mode.recount(game.tables_in(mode), again)
    mode.advance(game.tables_in(mode), again)
    for name in DERIVED[:-1]:
        told, found = (core.get(b, name) if name == "n_legal" else core.get_list(b, name) for b in (buffer, again))
        if told != found:
            raise StateError(f"{where}: {name}: {told}, but the pieces and the phase make it {found}")
    n = core.get(buffer, "n_legal")
    if core.get_list(buffer, "legal")[:n] != core.get_list(again, "legal")[:n]:
        raise StateError(f"{where}: legal: not the legal actions of the position")
    words = core.get_list(buffer, "deck_words") + core.get_list(buffer, "dice_words")
    if core.get(buffer, "sampled") not in (0, 1) or not all(0 <= word <= 0xFFFFFFFF for word in words):
        raise StateError(f"{where}: the generators hold words of 32 bits")


def check_invariants(game: Any, state: Any) -> None:
    """What holds in every position that play can reach; the fuzzer calls it.

    40 pieces always; canoes never lost on land; nobody without a legal action; who stands together; one card once in
    nine turns; the counts by space; returns that sum to zero; bounded length. Raises AssertionError.
    """
    buffer = state._buffer
    fields = fields_of(buffer)
    try:
        check_fields(game, fields, "invariant")
    except StateError as error:
        raise AssertionError(str(error)) from None
    counted = {name: core.get_list(buffer, name) for name in ("units", "canoes", "leaders", "at_sea")}
    again = core.copy_buffer(buffer)
    state._core.recount(state._tables, again)
    for name, value in counted.items():
        assert value == core.get_list(again, name), f"invariant: {name} by space are miscounted"
    assert len(fields["place"]) + 1 == 40, "invariant: forty pieces [1.0]"
    legal = state.legal_actions()
    if fields["phase"] <= LAST_DECISION:
        assert len(legal) >= 2, f"invariant: {len(legal)} legal actions in phase {state.phase}"
        assert legal == sorted(set(legal)), "invariant: legal actions ascend"
        assert legal[0] >= 0, "invariant: an action outside the table"
        assert legal[-1] < game.num_actions, "invariant: an action outside the table"
    else:
        assert not legal, "invariant: legal actions where nobody decides"
    assert fields["phase"] < FIRST_CHANCE or state.chance == "explicit" or fields["phase"] == OVER, (
        "invariant: a sampled state waits for chance"
    )
    assert sum(state.returns()) == 0, "invariant: returns sum to zero"
    assert fields["decisions"] <= game.max_decisions, "invariant: too long a game"
