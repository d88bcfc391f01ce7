"""Which cards can be drawn, held and carried out [6.1, 8.0]."""

from __future__ import annotations

from ..rules import names
from ..rules.cards import card_of, number_of, side_of
from ..rules.names import (
    DEAD,
    KIND_NAMES,
    N_EFFECT_ARGS,
    N_KINDS,
    N_PIECES,
    NEUTRAL,
    OVER,
    PHASES,
    SIDES,
)
from ..rules.setup import ALL_CARDS
from .check_battles import BattleChecks
from .facts import LOADING_PHASES, S_CARD, S_MOVE, S_RECRUIT, cards_drawn


class CardChecks(BattleChecks):
    """The checks of cards, their effects and windows."""

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
                    if int(t.timing[card_of(side, n)]) != names.HOLD:
                        self.fail(f"held: {self.game.card_ids[card_of(side, n)]} is no card to hold [8.1]")
                    if left >> n & 1 and f["month"] >= t.reshuffle_month:
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
        fixed = int(t.fixed[f["month"] * 2 + self.half])
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
            if f["want"][kind] and kind in (names.K_KAMEHAMEHA, names.K_CANOE):
                self.fail(f"recruits: no card brings {KIND_NAMES[kind]} [9.0]")
            if f["want"][kind] and not t.count[kind]:
                self.fail(f"recruits: this ruleset has no {KIND_NAMES[kind]}")
            if f["want"][kind] and t.side[t.first[kind]] != self.half:
                self.fail(f"recruits: {KIND_NAMES[kind]} is no piece of {SIDES[self.half]}'s [9.0]")

    def fleet_moves(self) -> None:
        """[8.1, 10.3] The card's fleet moves."""
        f, card = self.f, self.f["card"]
        if self.stage != S_MOVE:
            if f["fleet_moves"]:
                self.fail(f"fleet_moves: none are left to make in phase {PHASES[self.phase]}")
            return
        most = int(self.t.fleets[card])
        if f["fleet_moves"] > most or (self.phase in LOADING_PHASES and f["fleet_moves"] >= most):
            self.fail(f"fleet_moves: {self.game.card_ids[card]} allows {most}, begun ones among them [8.1]")
        if self.phase == names.WINDOW and f["fleet_moves"] != most:
            self.fail(f"fleet_moves: all {most} are left as the movement phase starts [8.1]")

    def arg(self, card: int, i: int) -> int:
        """A value of a card's effect."""
        return int(self.t.effect_args[card * N_EFFECT_ARGS + i])

    def event(self, card: int) -> None:
        """[8.2] An event rolls its die when it can change something."""
        f, effect = self.f, int(self.t.effect[card])
        if int(self.t.timing[card]) != names.NOW:
            self.fail("event: the card in effect rolls no die [8.2]")
        if effect == names.FX_APPEAL:
            alive = any(self.t.side[p] == NEUTRAL and f["place"][p] != DEAD for p in range(N_PIECES))
            if f["kauai"] == self.half or not alive:
                self.fail("event: nobody is left on Kaua'i who could join [8.2]")
            if f["homes"]:
                self.fail("homes: nobody goes home by an appeal [8.2]")
        elif effect == names.FX_HOME and self.arg(card, 2):
            if f["homes"] != self.arg(card, 0):
                self.fail(f"homes: the card in effect sends {self.arg(card, 0)} home [8.2]")
        else:
            self.fail("event: the card in effect rolls no die [8.2]")

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
        if not any(c != f["card"] and int(t.window[c]) == w for c in cards):
            self.fail("window: no held event can be played in it [8.1, R-09]")
        if w == names.WINDOW_SIGHTING:
            self.sea_field()
        if w == names.WINDOW_BATTLE:
            self.contested_field()
            if t.fort[f["field"]]:
                self.fail("window: no earthworks in a fort [9.0]")
