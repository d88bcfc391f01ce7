"""Which positions can be [3.0, 4.0, 10.1]: the checks of positions from outside, and the fuzzer's invariants.

Compiled code trusts its state, so everything that comes from outside passes here first: every number in its range, and
every field in agreement with the phase that will read it. One thing is left to whoever writes a position by hand: a
leader who is named nowhere waits in the box, also one who starts on the map, so that a position can be a part of a
game.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from hawaii_env.errors import StateError

from ..rules import flow, names
from ..rules.names import (
    BOX,
    DEAD,
    FIRST_CHANCE,
    KIND_NAMES,
    LAST_DECISION,
    N_KINDS,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    OVER,
    PHASES,
    SEA,
    SIDES,
)
from ..rules.pieces import recount
from ..rules.setup import BY_OWNER
from ..rules.state import DERIVED, STATE
from .check_cards import CardChecks
from .check_pieces import PieceChecks
from .facts import (
    BATTLE_PHASES,
    FIRED_PHASES,
    LOADING_PHASES,
    PUBLIC_FIELDS,
    RETREAT_PHASES,
    S_LAND,
    S_RECRUIT,
    S_SEA,
    SIGHTED_PHASES,
    fields_of,
)

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


class Check(PieceChecks, CardChecks):
    """The checks of months, phases, set-up and the end; with those of the other chapters, all."""

    def idle(self) -> None:
        """Fields that another phase uses are empty."""
        for name, (idle, phases) in _IDLE.items():
            if self.phase not in phases and any(v != idle for v in self.values(name)):
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

    def calendar(self) -> None:
        """[6.0, 6.1]"""
        f, t = self.f, self.t
        if not t.first_month <= f["month"] <= t.last_month:
            self.fail("turn: outside the scenario [6.0]")

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
            if int(self.t.effect[card]) != names.FX_HOME or not 1 <= self.f["homes"] <= self.arg(card, 0):
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

    def set_up(self) -> None:
        """[6.0, 6.2, R-06] Everybody is at his start place, or is placed by his owner in the order of the table."""
        f, t, side = self.f, self.t, self.f["decider"]
        if f["month"] != t.first_month or self.half != names.KAMEHAMEHA:
            self.fail("setup: it comes before the first turn [6.0]")
        if f["kauai"] != NEUTRAL:
            self.fail("setup: Kaua'i is neutral [6.0]")
        if any(f["held"]) or f["no_sighting"] or f["advantage_bonus"] or f["gunpowder_bonus"]:
            self.fail("setup: no card has been drawn yet [8.0]")
        first = next(p for p in range(N_PIECES) if t.side[p] == side)
        if f["setup_piece"] < first:
            self.fail(f"setup: next_piece: {SIDES[side]}'s pieces begin with number {first}")
        if f["setup_piece"] > first and t.start[f["setup_piece"] - 1] < BY_OWNER:
            self.fail("setup: next_piece: it is the one after the last that was placed [6.0]")
        waiting = 0
        extras = [0, 0, 0]
        for kind in range(N_KINDS):
            ids = range(int(t.first[kind]), int(t.first[kind]) + int(t.count[kind]))
            if not ids:
                continue
            owner = int(t.side[ids[0]])
            spare = Counter(f["place"][p] for p in ids if f["place"][p] != BOX)
            for p in ids:
                start = int(t.start[p])
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
                        if f["place"][p] >= N_SPACES or t.island[f["place"][p]] != start - BY_OWNER:
                            self.fail(f"setup: {self.name(p)} is placed on another island (R-06)")
            for place, n in spare.items():
                choice = t.warrior[ids[0]] and kind != names.K_KAIANA_WARRIORS and place < N_SPACES
                if n < 0 or (n and not (choice and t.island[place] == t.choose_island[owner])):
                    self.fail(f"setup: {KIND_NAMES[kind]}: the pieces are at their start places [6.0]")
                extras[owner] += n
        for owner in (0, 1):
            chosen = int(t.choose[owner]) - f["setup_choice"][owner]
            if chosen != extras[owner] or (chosen and (owner > side or (owner == side and waiting))):
                self.fail(f"setup: choices: {SIDES[owner]} has placed {extras[owner]} warriors of choice so far [6.2]")
            if owner < side and f["setup_choice"][owner]:
                self.fail(f"setup: choices: {SIDES[owner]} has placed all of his already [6.2]")

    def occupation(self, side: int) -> bool:
        """[5.1]"""
        t = self.t
        held = sum(1 << s for s in range(N_SPACES) if self.occupies(side, s))
        return (
            int(t.win_all[side]) & ~held == 0
            and (int(t.win_some[side]) & held).bit_count() >= int(t.win_some_n[side])
            and (not t.win_any[side] or int(t.win_any[side]) & held != 0)
        )

    def ending(self) -> None:
        """[5.1, 5.2, 5.3]"""
        f, t = self.f, self.t
        dead = {k: f["place"][int(t.first[k])] == DEAD for k in (names.K_KAMEHAMEHA, names.K_KALANI, names.K_KAIANA)}
        chiefs = dead[names.K_KALANI] and dead[names.K_KAIANA]
        if self.phase != OVER:
            if f["winner"] >= 0:
                self.fail("winner: somebody has won, or it is a tie, exactly when the game is over")
            if dead[names.K_KAMEHAMEHA]:
                self.fail("Kamehameha is dead: the game would be over [5.2]")
            if chiefs:
                self.fail("Kalani and Kaiana are dead: the game would be over [5.2]")
            return
        last = f["month"] == t.last_month
        if f["winner"] < 0:
            self.fail("winner: somebody has won, or it is a tie, exactly when the game is over")
        if not f["reason"]:
            self.fail("reason: a game that is over has one")
        fits = {
            names.R_OCCUPATION: f["winner"] == self.half and self.occupation(self.half),
            names.R_KAMEHAMEHA_DEAD: f["winner"] == names.ALLIED and dead[names.K_KAMEHAMEHA],
            names.R_CHIEFS_DEAD: f["winner"] == names.KAMEHAMEHA and chiefs,
            names.R_NOVEMBER: f["winner"] == names.TIE and last,
            names.R_OCCUPATION_NOVEMBER: f["winner"] == names.KAMEHAMEHA and last and bool(t.final_check)
            and self.occupation(names.KAMEHAMEHA),
        }  # fmt: skip
        if not fits[f["reason"]]:
            self.fail(
                f"reason: {names.reason_text(f['reason'], int(t.last_month))!r} does not fit the winner and the "
                "position [5.0]"
            )

    def somebody_can_act(self) -> None:
        """A phase that asks somebody has something to ask; set-up, home and recruiting end when they have not."""
        if self.phase > LAST_DECISION or self.phase in (names.SETUP, names.HOME, names.RECRUIT):
            return
        record = STATE.new()
        for name in PUBLIC_FIELDS:
            setattr(record, name, self.f[name])
        if not completed(self.game, record).n_legal:
            self.fail(f"phase {PHASES[self.phase]}: {SIDES[self.f['decider']]} has nothing to choose")


def check_fields(game: Any, fields: dict[str, Any], where: str) -> None:
    """Check a position's fields; StateError with the reason when the position cannot be."""
    check = Check(game, fields, where)
    check.ending()
    check.calendar()
    check.pieces()
    check.spaces()
    check.cards()
    check.decider()
    check.idle()
    check.phase_needs()
    check.somebody_can_act()


def completed(game: Any, record: Any) -> Any:
    """Return a copy of an interpreted record with what follows from its other fields: counts and legal actions."""
    again = record.copy()
    recount(game.tables, again)
    flow.advance(game.tables, again)
    again.n_legal = 0
    if again.phase <= LAST_DECISION:
        flow.list_legal(game.tables, again)
    return again


def check_record(game: Any, record: Any, where: str) -> None:
    """Check a whole interpreted record from outside, with what is counted in it, its list of legal actions and its
    generators.

    Raises:
        StateError: compiled code could not go on from it, or would be told something else than what it is.
    """
    check_fields(game, fields_of(record), where)
    again = completed(game, record)
    for name in DERIVED[:-1]:
        told, found = getattr(record, name), getattr(again, name)
        if told != found:
            raise StateError(f"{where}: {name}: {told}, but the pieces and the phase make it {found}")
    if record.legal[: record.n_legal] != again.legal[: again.n_legal]:
        raise StateError(f"{where}: legal: not the legal actions of the position")
    words = record.generator
    if words != [-1] * 8 and not all(0 <= word <= 0xFFFFFFFF for word in words):
        raise StateError(f"{where}: the generators hold words of 32 bits")


def check_invariants(game: Any, state: Any) -> None:
    """Check what holds in every position that play can reach; the fuzzer calls it.

    40 pieces always; canoes never lost on land; nobody without a legal action; who stands together; one card once in
    nine turns; the counts by space; returns that sum to zero; bounded length. Raises AssertionError.
    """
    record = state.interpreted()
    fields = fields_of(record)
    try:
        check_fields(game, fields, "invariant")
    except StateError as error:
        raise AssertionError(str(error)) from None
    again = record.copy()
    recount(game.tables, again)
    for name in ("units", "canoes", "leaders", "at_sea"):
        assert getattr(record, name) == getattr(again, name), f"invariant: {name} by space are miscounted"
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
