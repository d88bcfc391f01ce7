"""Which positions can be [3.0, 4.0, 10.1]: the checks of positions from outside, and the fuzzer's invariants.

Compiled code trusts its state, so everything that comes from outside passes here first: every number in its range, and
every field in agreement with the phase that will read it.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.errors import StateError

from . import core, names
from .names import (
    ABOARD,
    BOX,
    CAME_TURNED,
    DEAD,
    FIRST_CHANCE,
    KAUAI,
    KIND_NAMES,
    LAST_DECISION,
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
from .setup import ALL_CARDS
from .state import DERIVED, STATE_FIELDS

BATTLE_PHASES = (names.FIRE, names.LOSS, names.PANIC_LOSS, names.ADVANTAGE, names.HIT_DIE)
FIRED_PHASES = (names.LOSS, names.PANIC_LOSS, names.HIT_DIE)
MOVING_PHASES = (names.MOVE, names.PICKUP, names.CARGO, names.SAIL)
FIELD_PHASES = (*BATTLE_PHASES, names.LAUNCH, names.COMMIT, names.SIGHTING, names.CANOE_LOSS, names.RETREAT)
# Phases in which fleets may be waiting at sea, and those in which landed attackers may stand among enemies.
AT_SEA_PHASES = (
    *MOVING_PHASES, *BATTLE_PHASES, names.APPROACH, names.LAUNCH, names.COMMIT, names.SIGHTING, names.WINDOW, names.WITHDRAW,
    names.CANOE_LOSS, names.RETREAT,
)  # fmt: skip
LANDED_PHASES = (*AT_SEA_PHASES, names.BATTLE_ORDER)
SEA_ERRAND_PHASES = (names.CANOE_LOSS, names.RETREAT)

# Least and greatest value of each field that is not a piece's.
_RANGES: dict[str, tuple[int, int]] = {
    "month": (1, 11), "half": (0, 1), "phase": (0, OVER), "decider": (0, 1), "winner": (-1, 2), "reason": (0, 5),
    "next_phase": (0, names.CUSTOM), "kauai": (0, 2), "left": (0, ALL_CARDS), "held": (0, ALL_CARDS), "card": (-1, 17),
    "fixed": (0, 1), "event_played": (0, 1), "advantage_bonus": (0, 9), "gunpowder_bonus": (0, 9), "no_sighting": (0, 1),
    "homes": (0, 39), "window": (0, 3), "want": (0, 39), "setup_piece": (0, N_PIECES), "setup_choice": (0, 39),
    "fleet_moves": (0, 39), "fleet": (-1, N_PIECES - 1), "pickup": (-1, 6), "aboard_units": (0, 2), "aboard_leaders": (0, 2),
    "field": (-1, 6), "battle": (0, 2), "second": (0, 1), "earthworks": (0, 1), "war_canoes": (0, 39), "war_units": (0, 39),
    "war_leaders": (0, 39), "first_die": (0, 6), "advantage": (-1, 1), "turn_side": (0, 1), "guns": (0, 1), "firing": (0, 1),
    "firer": (-1, N_PIECES - 1), "dice": (0, 99), "pike_used": (0, 1), "errand": (0, 4), "from_space": (-1, 6),
    "refuge": (-1, 6), "canoes_lost": (0, 39), "decisions": (0, 10**9), "place": (0, N_PLACES - 1), "owner": (0, 2),
    "came": (0, CAME_TURNED), "panicked": (0, 1), "carried": (0, 1), "marched": (0, 1), "fired": (0, 1),
}  # fmt: skip


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


class _Check:
    """One position being checked: its fields, its tables, and what is counted from them."""

    def __init__(self, game: Any, fields: dict[str, Any], where: str) -> None:
        self.f, self.game, self.where = fields, game, where
        self.t = game.record_array[0]
        self.phase = fields["phase"]
        self.half = fields["half"]

    def fail(self, message: str) -> None:
        raise StateError(f"{self.where}: {message}")

    def name(self, piece: int) -> str:
        return KIND_NAMES[int(self.t["kind"][piece])]

    def count(self, side: int, place: int, canoes: bool) -> int:
        """Pieces of a side in a place: canoes, or units."""
        f = self.f
        return sum(
            1
            for p in range(N_PIECES)
            if f["place"][p] == place and f["owner"][p] == side and bool(self.t["canoe"][p]) == canoes
        )

    # Each chapter's checks.

    def ranges(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = self.f[name]
            for v in value if isinstance(value, list) else (value,):
                if not low <= v <= high:
                    self.fail(f"{name}: {low} to {high} is allowed, not {v}")

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
                elif f["place"][p] == KAUAI:
                    self.fail(f"{self.name(p)} is on kauai, which is neutral; an invasion would have ended that (R-16)")

    def marks_of(self, p: int) -> None:
        """[10.0, 11.3] Which marks a piece may have in this phase."""
        f, t, place = self.f, self.t, self.f["place"][p]
        if self.phase == OVER:
            return  # the last position stays as it stood
        came = f["came"][p]
        canoe, own = bool(t["canoe"][p]), f["owner"][p] == self.half
        if (f["panicked"][p] or f["fired"][p]) and (canoe or self.phase not in BATTLE_PHASES or not self.in_battle(p)):
            self.fail(f"{self.name(p)} is panicked or has fired outside a battle [11.6]")
        if f["panicked"][p] and (t["elite"][p] or f["fired"][p]):
            self.fail(
                f"{self.name(p)}: {'elite units never panic [12.0]' if t['elite'][p] else 'a panicked unit has no fired mark'}"
            )
        moving = self.phase in MOVING_PHASES or (
            self.phase == names.WITHDRAW and self.f["next_phase"] in (names.MOVE, names.SEA_PHASE)
        )
        if (f["carried"][p] or f["marched"][p]) and (not own or not moving or place in (BOX, DEAD)):
            self.fail(
                f"{self.name(p)} is marked as moved, which only the mover's pieces are, in the movement phase [10.0]"
            )
        if f["marched"][p] and canoe:
            self.fail("canoes do not march (R-11)")
        if place >= SEA or place == WAR:
            if not 1 <= came <= N_SPACES or came - 1 == place - SEA:
                self.fail(f"{self.name(p)} sails without a space that it came from (write {self.name(p)}/SPACE)")
        elif came and (not own or canoe or place >= N_SPACES or self.phase in (names.SETUP, names.CARD, names.OVER)):
            self.fail(
                f"{self.name(p)} is marked as come from {'among turned' if came == CAME_TURNED else SPACES[came - 1]}; only attackers are"
            )
        elif 0 < came < CAME_TURNED and self.t["sibling"][place] != came - 1:
            self.fail(f"{self.name(p)} cannot have marched from {SPACES[came - 1]} to {SPACES[place]} [10.2]")

    def in_battle(self, p: int) -> bool:
        place, f = self.f["place"][p], self.f
        if f["battle"] != names.SEA_BATTLE:
            return place == f["field"]
        return place == (SEA + f["field"] if f["owner"][p] == self.half else WAR)

    def spaces(self) -> None:
        """[10.1, 10.3, R-15] Who may stand together."""
        f, phase = self.f, self.phase
        if phase == OVER:
            return
        for s in range(N_SPACES):
            ours, theirs = self.count(self.half, s, False), self.count(1 - self.half, s, False)
            if ours and theirs:
                if phase in (names.SETUP, names.CARD, names.HOME, names.EVENT_DIE):
                    self.fail(f"units of both sides on {SPACES[s]}: no move or card begins so [10.3]")
                bare = any(
                    f["place"][p] == s and f["owner"][p] == self.half and not f["came"][p] and not self.t["canoe"][p]
                    for p in range(N_PIECES)
                )
                if bare and phase in (names.RECRUIT, *MOVING_PHASES):
                    self.fail(f"units of both sides on {SPACES[s]}: in this phase an attacker there has come overland or turned "
                              "(write warrior_2/SPACE or warrior_2/turned) [10.3]")  # fmt: skip
            for side in (0, 1):
                alone = self.count(side, s, True) and not self.count(side, s, False) and self.count(1 - side, s, False)
                if alone and not (
                    phase in (names.WITHDRAW, names.COMMIT)
                    or (s == f["field"] and phase in (*BATTLE_PHASES, names.RETREAT))
                ):
                    self.fail(
                        f"{SIDES[side]}'s canoes alone among enemies on {SPACES[s]}; they would have withdrawn (R-15)"
                    )
        self.fleets()

    def fleets(self) -> None:
        """[10.3, 11.7] Fleets at sea, aboard, and the war fleet."""
        f, phase = self.f, self.phase
        for s in range(N_SPACES):
            units, canoes = self.count(self.half, SEA + s, False), self.count(self.half, SEA + s, True)
            if self.count(1 - self.half, SEA + s, False) + self.count(1 - self.half, SEA + s, True):
                self.fail(f"a fleet of {SIDES[1 - self.half]}'s at sea in the other half")
            if units or canoes:
                if phase not in AT_SEA_PHASES:
                    self.fail(f"a fleet at sea in phase {PHASES[phase]} [10.3]")
                leaders = sum(1 for p in range(N_PIECES) if f["place"][p] == SEA + s and self.t["leader"][p])
                if not canoes or units - leaders > 2 * canoes or leaders > 2 * canoes:
                    self.fail(f"a fleet bound for {SPACES[s]}: two units and two leaders a canoe [10.3]")
                if not units and phase not in BATTLE_PHASES + SEA_ERRAND_PHASES + (names.WITHDRAW,):
                    self.fail(f"an empty fleet bound for {SPACES[s]} (R-13)")
        aboard = [p for p in range(N_PIECES) if f["place"][p] == ABOARD]
        if aboard and (phase not in (names.CARGO, names.SAIL) or any(f["owner"][p] != self.half for p in aboard)):
            self.fail(f"pieces aboard in phase {PHASES[phase]}")
        if phase in (names.CARGO, names.SAIL):
            leaders = sum(int(self.t["leader"][p]) for p in aboard)
            canoes = sum(int(self.t["canoe"][p]) for p in aboard)
            if canoes != 1 or f["fleet"] not in aboard or not self.t["canoe"][f["fleet"]] or f["pickup"] < 0:
                self.fail("fleet: one canoe, aboard, with a pick-up space, is being loaded [10.3]")
            if f["aboard_leaders"] != leaders or f["aboard_units"] != len(aboard) - leaders - 1:
                self.fail("aboard: the counts do not fit the pieces")
        elif phase == names.PICKUP:
            canoe = f["fleet"]
            if (
                canoe < 0
                or not self.t["canoe"][canoe]
                or f["place"][canoe] >= N_SPACES
                or f["owner"][canoe] != self.half
                or f["carried"][canoe]
            ):
                self.fail("fleet: a canoe of the mover's that has not moved is wanted [10.3]")
        elif f["fleet"] >= 0:
            self.fail(f"fleet: no canoe moves in phase {PHASES[phase]}")
        war = [p for p in range(N_PIECES) if f["place"][p] == WAR]
        if war:
            sea = phase in BATTLE_PHASES and f["battle"] == names.SEA_BATTLE
            then = phase == names.WITHDRAW and f["next_phase"] == names.SEA_START
            if not (sea or then or phase in (names.COMMIT, *SEA_ERRAND_PHASES)) or any(
                f["owner"][p] == self.half for p in war
            ):
                self.fail(f"a war fleet in phase {PHASES[phase]} [11.7]")
            for p in war:
                came = f["came"][p] - 1
                if came != f["field"] and (self.t["canoe"][p] or came != self.t["sibling"][f["field"]]):
                    self.fail(f"war fleet: {self.name(p)} cannot have come from {SPACES[came]} [11.7]")
        if phase == names.COMMIT:
            canoes = sum(int(self.t["canoe"][p]) for p in war)
            leaders = sum(int(self.t["leader"][p]) for p in war)
            if (f["war_canoes"], f["war_units"], f["war_leaders"]) != (canoes, len(war) - canoes - leaders, leaders):
                self.fail("war fleet: the counts do not fit the pieces")
            if len(war) - canoes - leaders > 2 * canoes or leaders > 2 * canoes:
                self.fail("war fleet: two units and two leaders a canoe [11.7]")

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
                        f"decks: {SIDES[side]} has {wanted} cards left in {names.MONTHS[f['month']]} in this phase, not {left.bit_count()} [6.1, 8.0]"
                    )
            for n in range(1, 10):
                if held >> n & 1:
                    if int(t["timing"][side * 9 + n - 1]) != names.HOLD:
                        self.fail(f"held: {self.game.card_ids[side * 9 + n - 1]} is no card to hold [8.1]")
                    if left >> n & 1 and f["month"] >= t["reshuffle_month"]:
                        self.fail(f"held: {self.game.card_ids[side * 9 + n - 1]} is in the deck, too")
        card = f["card"]
        if self.phase == OVER:
            return
        if before != (card < 0):
            self.fail(
                f"card: {'none is in effect yet' if before else 'one is in effect'} in phase {PHASES[self.phase]} [8.0]"
            )
        if card >= 0:
            if card // 9 != self.half:
                self.fail(f"card: {self.game.card_ids[card]} is not of the side whose half it is [8.0]")
            fixed = int(t["fixed"][f["month"] * 2 + self.half])
            if f["fixed"] != int(fixed > 0) or (fixed and card % 9 + 1 != fixed):
                self.fail("card: the month's fixed card is the one in effect [6.1]")
            if not f["fixed"] and f["left"][self.half] >> (card % 9 + 1) & 1:
                self.fail(f"card: {self.game.card_ids[card]} is in the deck, too")
            if f["fleet_moves"] > int(t["fleets"][card]):
                self.fail(f"fleet_moves: {self.game.card_ids[card]} allows {int(t['fleets'][card])} [8.1]")
            if not t["first_month"] <= f["month"] <= t["last_month"]:
                self.fail("turn: outside the scenario [6.0]")
        if f["fleet_moves"] and self.phase not in (*MOVING_PHASES, names.WINDOW, names.WITHDRAW):
            self.fail(f"fleet_moves: none are left to make in phase {PHASES[self.phase]}")
        if any(f["want"]) and self.phase not in (names.RECRUIT, names.HOME, names.EVENT_DIE, names.WITHDRAW):
            self.fail(f"recruits: none come in phase {PHASES[self.phase]}")
        for kind in range(N_KINDS):
            if f["want"][kind] and not t["count"][kind]:
                self.fail(f"recruits: this ruleset has no {KIND_NAMES[kind]}")

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
        f, t, phase = self.f, self.t, self.phase
        if phase in FIELD_PHASES and f["field"] < 0 and not (phase == names.RETREAT and f["errand"] == 0):
            self.fail(f"field: phase {PHASES[phase]} is about a space")
        if phase == names.APPROACH and not any(self.count(self.half, SEA + s, True) for s in range(N_SPACES)):
            self.fail("approach: no fleet is at sea [11.7]")
        if phase == names.BATTLE_ORDER and not any(
            self.count(0, s, False) and self.count(1, s, False) for s in range(N_SPACES)
        ):
            self.fail("battle_order: no space is contested [11.0]")
        if phase == names.HOME and (f["homes"] < 1 or int(t["effect"][f["card"]]) != names.FX_HOME):
            self.fail("home: the card in effect sends nobody home [8.2]")
        if phase == names.EVENT_DIE and int(t["effect"][f["card"]]) not in (names.FX_APPEAL, names.FX_HOME):
            self.fail("event: the card in effect rolls no die [8.2]")
        if phase in (names.SIGHTING, names.LAUNCH, names.COMMIT):
            self.sea_field()
        if phase == names.WINDOW:
            self.window()
        if phase in BATTLE_PHASES:
            self.battle()
        elif f["earthworks"] and phase != names.OVER:
            self.fail("earthworks: they stand in a land battle only [9.0]")
        if phase == names.WITHDRAW:
            self.withdrawal()
        if phase in SEA_ERRAND_PHASES:
            self.retreat()
        if phase == names.SETUP and f["month"] != t["first_month"]:
            self.fail("setup: it comes before the first turn [6.0]")

    def sea_field(self) -> None:
        f, s = self.f, self.f["field"]
        other = int(self.t["sibling"][s])
        if not self.count(self.half, SEA + s, True):
            self.fail(f"field: no fleet is bound for {SPACES[s]} [11.7]")
        canoes = self.count(1 - self.half, s, True) + self.count(1 - self.half, WAR, True)
        units = self.count(1 - self.half, s, False) + self.count(1 - self.half, WAR, False)
        if other >= 0:
            units += self.count(1 - self.half, other, False)
        if not canoes or not units:
            self.fail(f"field: nobody could sail out from {SPACES[s]} [11.7]")
        if (
            f["phase"] == names.COMMIT
            and not f["war_units"] + f["war_leaders"]
            and not f["war_canoes"]
            and not self.count(1 - self.half, s, True)
        ):
            self.fail("commit: no canoe is there [11.7]")

    def window(self) -> None:
        f, w = self.f, self.f["window"]
        wanted = {
            names.WINDOW_MOVEMENT: names.MOVE,
            names.WINDOW_SIGHTING: names.SIGHTING,
            names.WINDOW_BATTLE: names.BATTLE_BEGIN,
        }.get(w)
        if wanted is None or f["next_phase"] != wanted:
            self.fail("window: movement, sighting or battle, and then what follows it [8.1]")
        if w == names.WINDOW_SIGHTING:
            if f["field"] < 0:
                self.fail("field: the window is about a space")
            self.sea_field()
        if w == names.WINDOW_BATTLE:
            s = f["field"]
            if s < 0 or not self.count(0, s, False) or not self.count(1, s, False) or f["battle"] == names.SEA_BATTLE:
                self.fail("field: the window is about a contested space [9.0]")

    def battle(self) -> None:
        f, t, phase = self.f, self.t, self.phase
        if f["field"] < 0:
            self.fail("field: the battle is for a space")
        sides: list[list[int]] = []
        for side in (0, 1):
            sides.append(
                [p for p in range(N_PIECES) if f["owner"][p] == side and not t["canoe"][p] and self.in_battle(p)]
            )
            if not sides[side]:
                self.fail(f"battle: {SIDES[side]} has no unit in it (R-22)")
        if f["earthworks"] and (f["battle"] == names.SEA_BATTLE or t["fort"][f["field"]]):
            self.fail("earthworks: never at sea or in a fort")
        if phase == names.ADVANTAGE:
            if f["advantage"] >= 0:
                self.fail("advantage: it is being rolled for")
            return
        if f["advantage"] < 0 or f["first_die"]:
            self.fail("advantage: somebody has it in this phase [11.1]")
        firing = f["firing"]
        able = [
            p for p in sides[firing] if not f["panicked"][p] and not f["fired"][p] and (t["gun"][p] or not f["guns"])
        ]
        if phase == names.FIRE and not able:
            self.fail(f"fire: {SIDES[firing]} has no unit able to fire [11.1]")
        if phase in FIRED_PHASES:
            firer = f["firer"]
            if firer not in sides[firing] or not f["fired"][firer] or f["panicked"][firer]:
                self.fail("firer: a unit of the firing side that has just begun to fire [11.1 v]")
            most = int(t["strength"][firer]) + (f["gunpowder_bonus"] if t["gun"][firer] and firing == self.half else 0)
            if not (1 if phase == names.HIT_DIE else 0) <= f["dice"] <= most - (0 if phase == names.HIT_DIE else 1):
                self.fail(f"dice: {self.name(firer)} rolls {most}")
        if phase == names.PANIC_LOSS and all(t["elite"][p] for p in sides[1 - firing]):
            self.fail("panic: nobody can panic [12.0]")

    def withdrawal(self) -> None:
        f, s = self.f, self.f["from_space"]
        side = f["decider"]
        if s < 0 or not self.count(side, s, True) or self.count(side, s, False) or not self.count(1 - side, s, False):
            self.fail("withdrawal: canoes alone among enemy units withdraw (R-15)")
        follow = (names.RECRUIT, names.MOVE, names.SEA_PHASE, names.SEA_START, names.SEA_LOSER, names.LAND_PHASE)
        if f["next_phase"] not in follow:
            self.fail("then: recruiting, movement, sea_phase, sea_battle, sea_loser or land_phase follows a withdrawal")
        if f["next_phase"] in (names.SEA_START, names.SEA_LOSER) and f["field"] < 0:
            self.fail("field: the sea battle is for a space")
        if f["next_phase"] == names.SEA_START and (
            not self.count(1 - self.half, WAR, False) or not self.count(self.half, SEA + f["field"], False)
        ):
            self.fail("then: a sea battle needs two fleets [11.7]")
        if f["next_phase"] == names.SEA_LOSER and f["advantage"] < 0:
            self.fail("battle: advantage: the victor of the sea battle")
        if not any(self.count(side, x, False) and not self.count(1 - side, x, False) for x in range(N_SPACES)):
            self.fail("withdrawal: there is no space to go to (R-25)")

    def retreat(self) -> None:
        f, side, errand = self.f, self.f["decider"], self.f["errand"]
        if errand == 0:
            self.fail("retreat: errand: beaten_fleet, attackers, marchers or defenders")
        if self.phase == names.CANOE_LOSS:
            place = SEA + f["field"] if side == self.half else WAR
            if errand != names.BY_SEA_LOSER or not 1 <= f["canoes_lost"] <= self.count(side, place, True):
                self.fail("canoe_loss: a beaten fleet loses canoes that it has [11.8]")
        elif f["canoes_lost"]:
            self.fail("retreat: canoes_lost: they are lost before the retreat [11.8]")
        if errand == names.BY_SEA_LOSER:
            place = SEA + f["field"] if side == self.half else WAR
            if not self.count(side, place, True):
                self.fail("retreat: the beaten fleet has no canoe")
        elif not self.count(side, f["field"], True) + self.count(side, f["field"], False):
            self.fail(f"retreat: nobody of {SIDES[side]}'s is on {SPACES[f['field']]}")
        if errand == names.BY_MARCHERS and not any(
            f["place"][p] == f["field"] and f["owner"][p] == side and 0 < f["came"][p] < CAME_TURNED
            for p in range(N_PIECES)
        ):
            self.fail("retreat: nobody marched into the battle (R-24)")

    def ending(self) -> None:
        """[5.2]"""
        f = self.f
        dead = {
            k: f["place"][int(self.t["first"][k])] == DEAD for k in (names.K_KAMEHAMEHA, names.K_KALANI, names.K_KAIANA)
        }
        if (self.phase == OVER) != (f["winner"] >= 0):
            self.fail("winner: somebody has won, or it is a tie, exactly when the game is over")
        if self.phase != OVER:
            if dead[names.K_KAMEHAMEHA]:
                self.fail("Kamehameha is dead: the game would be over [5.2]")
            if dead[names.K_KALANI] and dead[names.K_KAIANA]:
                self.fail("Kalani and Kaiana are dead: the game would be over [5.2]")
        elif not f["reason"]:
            self.fail("reason: a game that is over has one")


def check_fields(game: Any, fields: dict[str, Any], where: str) -> None:
    """Check a position's fields; StateError with the reason when the position cannot be."""
    check = _Check(game, fields, where)
    check.ranges()
    check.ending()
    check.pieces()
    check.spaces()
    check.cards()
    check.decider()
    check.phase_needs()


def check_effect(game: Any, fields: dict[str, Any], where: str) -> None:
    """[8.2] Check what a registered effect has left: pieces, marks and numbers; canoes alone withdraw after it."""
    fields = {**fields, "phase": names.WITHDRAW, "next_phase": names.MOVE}
    check = _Check(game, fields, where)
    check.ranges()
    check.ending()
    check.pieces()


def check_invariants(game: Any, state: Any) -> None:
    """What holds in every position that play can reach; the fuzzer calls it.

    40 pieces always; canoes never lost on land; nobody without a legal action; who stands together; one card once in nine
    turns; the counts by space; returns that sum to zero; bounded length. Raises AssertionError.
    """
    buffer = state._buffer
    fields = fields_of(buffer)
    try:
        check_fields(game, fields, "invariant")
    except StateError as error:
        raise AssertionError(str(error)) from None
    counted = {name: core.get_list(buffer, name) for name in ("units", "canoes", "leaders", "at_sea")}
    again = core.copy_buffer(buffer)
    core.recount(game.tables, again)
    for name, value in counted.items():
        assert value == core.get_list(again, name), f"invariant: {name} by space are miscounted"
    assert len(fields["place"]) + 1 == 40, "invariant: forty pieces [1.0]"
    legal = state.legal_actions()
    if fields["phase"] <= LAST_DECISION:
        assert len(legal) >= 2, f"invariant: {len(legal)} legal actions in phase {state.phase}"
        assert legal == sorted(set(legal)), "invariant: legal actions ascend"
        assert legal[0] >= 0 and legal[-1] < game.num_actions, "invariant: an action outside the table"
    else:
        assert not legal, "invariant: legal actions where nobody decides"
    assert fields["phase"] < FIRST_CHANCE or state.chance == "explicit" or fields["phase"] == OVER, (
        "invariant: a sampled state waits for chance"
    )
    assert sum(state.returns()) == 0, "invariant: returns sum to zero"
    assert fields["decisions"] <= game.max_decisions, "invariant: too long a game"
