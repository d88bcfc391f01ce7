"""Which pieces can stand where, with which marks, and what canoes can carry [3.0, 9.0, 10.0]."""

from __future__ import annotations

from ..rules import names
from ..rules.names import (
    ABOARD,
    BOX,
    CAME_TURNED,
    DEAD,
    KAUAI,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    OVER,
    PHASES,
    SEA,
    SIDES,
    SPACES,
    WAR,
)
from .facts import BATTLE_PHASES, RETREAT_PHASES, S_CARD, S_LAND, S_MOVE, S_RECRUIT, S_SEA, Facts, in_battle


class PieceChecks(Facts):
    """The checks of pieces, spaces and fleets."""

    def pieces(self) -> None:
        """[3.0, 3.1, 9.0]"""
        f, t = self.f, self.t
        for p in range(N_PIECES):
            place, owner, printed = f["place"][p], f["owner"][p], int(t.side[p])
            if owner != (f["kauai"] if printed == NEUTRAL else printed):
                self.fail(f"owner: {self.name(p)} belongs to another side")
            if place == DEAD and printed != NEUTRAL and not t.leader[p]:
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
        canoe, own = bool(t.canoe[p]), f["owner"][p] == self.half
        if (f["panicked"][p] or f["fired"][p]) and (canoe or self.phase not in BATTLE_PHASES or not in_battle(t, f, p)):
            self.fail(f"{self.name(p)} is panicked or has fired outside a battle [11.6]")
        if f["panicked"][p] and t.elite[p]:
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
        elif 0 < came < CAME_TURNED and self.t.sibling[place] != came - 1:
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
                if self.stage <= S_MOVE and self.bare(s):
                    self.fail(
                        f"units of both sides on {SPACES[s]}: in this phase an attacker there has come overland or "
                        "turned (write warrior_2/SPACE or warrior_2/turned) [10.3]"
                    )
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

    def _may_be_alone(self, s: int, before: bool) -> bool:
        """Canoes alone among enemies may be in this space: they are about to go, or have had no time to."""
        f = self.f
        if self.phase == names.WITHDRAW:
            return before or s == f["from_space"] or f["from_space"] < 0
        if not self.units(0, s) and not self.units(1, s):
            return False
        if self.phase == names.COMMIT:
            return f["field"] >= 0 and s in (f["field"], int(self.t.sibling[f["field"]]))
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
        each, chiefs = int(self.t.units_a_canoe), int(self.t.leaders_a_canoe)
        if not canoes or units - leaders > before * each or leaders > before * chiefs:
            self.fail(f"{what}: {each} units and {chiefs} leaders a canoe [10.3, 11.7]")

    def loading(self) -> None:
        """[10.3] The fleet being loaded."""
        f, phase = self.f, self.phase
        aboard = [p for p in range(N_PIECES) if f["place"][p] == ABOARD]
        if aboard and (phase not in (names.CARGO, names.SAIL) or any(f["owner"][p] != self.half for p in aboard)):
            self.fail(f"pieces aboard in phase {PHASES[phase]}")
        if phase in (names.CARGO, names.SAIL):
            leaders = sum(int(self.t.leader[p]) for p in aboard)
            canoes = sum(int(self.t.canoe[p]) for p in aboard)
            if canoes != 1 or f["fleet"] not in aboard or not self.t.canoe[f["fleet"]] or f["pickup"] < 0:
                self.fail("fleet: one canoe, aboard, with a pick-up space, is being loaded [10.3]")
            each, chiefs = int(self.t.units_a_canoe), int(self.t.leaders_a_canoe)
            counted = f["aboard_leaders"] == leaders and f["aboard_units"] == len(aboard) - leaders - 1
            if not counted or leaders > chiefs or len(aboard) - leaders - 1 > each:
                self.fail(f"aboard: {each} units and {chiefs} leaders at most, and the counts fit the pieces [10.3]")
            if self.all(1 - self.half, f["pickup"]):
                self.fail(f"fleet: pickup: enemies are on {SPACES[f['pickup']]} [10.3]")
        elif phase == names.PICKUP:
            canoe = f["fleet"]
            if (
                canoe < 0
                or not self.t.canoe[canoe]
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
                if came != f["field"] and (self.t.canoe[p] or came != self.t.sibling[f["field"]]):
                    self.fail(f"war fleet: {self.name(p)} cannot have come from {SPACES[came]} [11.7]")
            self.load("war fleet", WAR, self.units(side, WAR), self.canoes(side, WAR), beaten)
        if phase == names.COMMIT:
            canoes, leaders = self.canoes(side, WAR), self.leaders(WAR)
            if (f["war_canoes"], f["war_units"], f["war_leaders"]) != (canoes, len(war) - canoes - leaders, leaders):
                self.fail("war fleet: the counts do not fit the pieces")
