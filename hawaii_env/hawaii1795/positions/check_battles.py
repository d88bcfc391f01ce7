"""Which battles, withdrawals and retreats can be [11.0]."""

from __future__ import annotations

from ..rules import names
from ..rules.names import (
    CAME_TURNED,
    N_PIECES,
    PHASES,
    SEA,
    SIDES,
    SPACES,
    WAR,
)
from .facts import Facts, fire_order, in_battle


class BattleChecks(Facts):
    """The checks of battles and of what follows them."""

    def sea_field(self) -> None:
        """[11.7] A fleet is bound for the space, and the defender could sail out, or has begun to."""
        s = self.f["field"]
        if s < 0:
            self.fail(f"field: phase {PHASES[self.phase]} is about a space")
        other = int(self.t.sibling[s])
        if not self.canoes(self.half, SEA + s):
            self.fail(f"field: no fleet is bound for {SPACES[s]} [11.7]")
        canoes = self.canoes(1 - self.half, s) + self.canoes(1 - self.half, WAR)
        units = self.units(1 - self.half, s) + self.units(1 - self.half, WAR)
        if other >= 0:
            units += self.units(1 - self.half, other)
        if not canoes or not units:
            self.fail(f"field: nobody could sail out from {SPACES[s]} [11.7]")

    def contested_field(self) -> None:
        """[11.0, 11.6, R-19] The land battle's space, and whether it is an invasion."""
        f, s = self.f, self.f["field"]
        if s < 0 or not self.units(0, s) or not self.units(1, s) or f["battle"] == names.SEA_BATTLE:
            self.fail("field: a land battle is for a contested space [11.0]")
        if (f["battle"] == names.INVASION) != self.bare(s):
            self.fail("battle: kind: an invasion if any attacker came by canoe, else overland (R-19)")

    def battle(self) -> None:
        """[11.1 to 11.3]"""
        f, t, phase = self.f, self.t, self.phase
        if f["field"] < 0:
            self.fail("field: the battle is for a space")
        sides: list[list[int]] = []
        for side in (0, 1):
            sides.append(
                [p for p in range(N_PIECES) if f["owner"][p] == side and not t.canoe[p] and in_battle(t, f, p)]
            )
            if not sides[side]:
                self.fail(f"battle: {SIDES[side]} has no unit in it (R-22)")
        if f["earthworks"] and (f["battle"] == names.SEA_BATTLE or t.fort[f["field"]]):
            self.fail("earthworks: never at sea or in a fort")
        if f["second"] and f["battle"] == names.SEA_BATTLE:
            self.fail("battle: second: a sea battle has no second one [11.8]")
        if f["battle"] == names.OVERLAND and self.bare(f["field"]):
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
        if f["guns"] != int(t.gun[firer]) or (not f["guns"] and f["turn_side"] != 1 - firing):
            self.fail("firer: gunpowder fires first, and then the sides in turn [14.2]")
        if order is not None and order[1] and (not f["guns"] or (order[0] == f["advantage"] != firing)):
            self.fail("firer: gunpowder fires first, beginning with the side that has the advantage [14.2]")
        rolling = self.phase == names.HIT_DIE
        most = int(t.strength[firer]) + (f["gunpowder_bonus"] if t.gun[firer] and firing == self.half else 0)
        if not int(rolling) <= f["dice"] <= most - int(not rolling):
            self.fail(f"dice: {self.name(firer)} rolls {most}")
        if self.phase == names.PANIC_LOSS:
            target: int = 1 - firing
            if all(t.elite[p] for p in sides[target]):
                self.fail("panic: nobody can panic [12.0]")
            if target != self.half and f["battle"] != names.SEA_BATTLE and (t.fort[f["field"]] or f["earthworks"]):
                self.fail("panic: a fort's or earthworks' defenders ignore it [13.0]")
            if not f["pike_used"][target] and any(t.pike[p] and not f["panicked"][p] for p in sides[target]):
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
            island = (field, int(t.sibling[field]))
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
