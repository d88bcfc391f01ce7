"""Checks of positions from outside [3.0, 4.0, 10.1], and the fuzzer's invariants.

Compiled code trusts its state, so everything that comes from outside passes here first: every number in its range, and
every field in agreement with the phase that will read it. One thing is left to whoever writes a position by hand: a
leader who is named nowhere waits in the box, also one who starts on the map, so that a position can be a part of a
game.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from hawaii_env.errors import StateError
from hawaii_env.positions import forbid
from hawaii_env.texts import show_value

from ..rules import flow, names
from ..rules.names import (
    BOX,
    DEAD,
    FIRST_CHANCE,
    KIND_NAMES,
    LAST_DECISION,
    N_KINDS,
    N_SPACES,
    NEUTRAL,
    OVER,
    PHASES,
    SIDES,
)
from ..rules.pieces import contested
from ..rules.state import STATE
from ..rules.tables import PLACED_ON
from ..rules.victory import occupation_victory
from .check_battles import battle, retreat, sea_field, withdrawal
from .check_cards import cards, event, home, window
from .check_pieces import fleets, loading, pieces, spaces, war_fleet
from .facts import (
    BATTLE_PHASES,
    FIRED_PHASES,
    LOADING_PHASES,
    RETREAT_PHASES,
    S_LAND,
    S_RECRUIT,
    S_SEA,
    SIGHTED_PHASES,
    Facts,
    decider_of,
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
    "pending_retreat": (0, RETREAT_PHASES),
    "from_space": (-1, (names.WITHDRAW,)),
    "canoes_lost": (0, (names.CANOE_LOSS,)),
    "winner": (-1, (OVER,)),
    "reason": (0, (OVER,)),
}


def idle(c: Facts) -> None:
    """Check that fields which another phase uses are empty."""
    s, phase = c.s, c.phase
    for name, (value, phases) in _IDLE.items():
        found: Any = STATE.get(s, name)
        used = found not in (value, [value] * 2)
        forbid(phase not in phases and used, f"{name}: nothing of that in phase {PHASES[phase]}")
    forbid(
        s.field >= 0 and (c.stage < S_SEA or phase in (names.APPROACH, names.BATTLE_ORDER)),
        f"field: no space is fought for in phase {PHASES[phase]}",
    )
    on_land = phase == OVER or (phase in BATTLE_PHASES and c.stage == S_LAND)
    forbid(
        s.earthworks and not on_land and not (phase == names.RETREAT and s.pending_retreat == names.BY_DEFENDER),
        "earthworks: they stand in a land battle only [9.0]",
    )
    forbid(
        any(s.event_played) and (c.stage <= S_RECRUIT or (phase == names.WINDOW and s.event_played[s.decider])),
        "events_played: no held event has been played yet [R-09]",
    )
    seen = (*SIGHTED_PHASES, *BATTLE_PHASES, names.WINDOW, names.CANOE_LOSS, names.RETREAT)
    forbid(
        s.no_sighting and c.stage == S_SEA and phase in seen,
        "bonuses: no_sighting: nobody is sighted this half [11.7]",
    )


def decider(c: Facts) -> None:
    """Check who decides in a phase."""
    wanted = decider_of(c.s) if c.phase <= LAST_DECISION else None
    if wanted is not None:
        forbid(c.s.decider != wanted, f"decider: {SIDES[wanted]} decides in phase {PHASES[c.phase]}")


def card(c: Facts) -> None:
    """[5.1] Check that a card is to be drawn."""
    forbid(occupation_victory(c.t, c.s, c.half), f"{SIDES[c.half]} has won by occupation: the game would be over [5.1]")


def approach(c: Facts) -> None:
    """[11.7] Check that a fleet is to approach."""
    forbid(not any(c.s.at_sea), "approach: no fleet is at sea [11.7]")


def battle_order(c: Facts) -> None:
    """[11.0] Check that a space is to be fought for."""
    forbid(not any(contested(c.s, s) for s in range(N_SPACES)), "battle_order: no space is contested [11.0]")


def set_up(c: Facts) -> None:
    """[6.0, 6.2, R-06] Check that everybody is at his start place, or is placed by his owner in the order of the
    table.
    """
    s, t, side, after = c.s, c.t, c.s.decider, c.s.setup_piece
    forbid(s.month != t.first_month or c.half != names.KAMEHAMEHA, "setup: it comes before the first turn [6.0]")
    forbid(s.kauai != NEUTRAL, "setup: Kaua'i is neutral [6.0]")
    forbid(
        any(s.held) or s.no_sighting or s.advantage_bonus or s.gunpowder_bonus,
        "setup: no card has been drawn yet [8.0]",
    )
    first = t.side.index(side)
    forbid(after < first, f"setup: next_piece: {SIDES[side]}'s pieces begin with number {first}")
    forbid(
        after > first and t.start[after - 1] < PLACED_ON,
        "setup: next_piece: it is the one after the last that was placed [6.0]",
    )
    extras, waiting = [0, 0, 0], False
    for kind in (kind for kind in range(N_KINDS) if t.count[kind]):
        ids = range(t.first[kind], t.first[kind] + t.count[kind])
        owner, spare = t.side[ids[0]], Counter(s.place[p] for p in ids if s.place[p] != BOX)
        for p in ids:
            start, place = t.start[p], s.place[p]
            if start < BOX:
                spare[start] -= 1
            elif start >= PLACED_ON:
                placed = owner < side or (owner == side and p < after)
                waiting = waiting or (owner == side and not placed)
                forbid(
                    placed != (place != BOX),
                    f"setup: {c.name(p)}: the pieces before next_piece are placed, the others wait [6.0]",
                )
                forbid(
                    placed and (place >= N_SPACES or t.island[place] != start - PLACED_ON),
                    f"setup: {c.name(p)} is placed on another island (R-06)",
                )
                spare[place] -= placed
        for place, n in spare.items():
            choice = t.warrior[ids[0]] and kind != names.K_KAIANA_WARRIORS and place < N_SPACES
            forbid(
                n < 0 or (n and not (choice and t.island[place] == t.choose_island[owner])),
                f"setup: {KIND_NAMES[kind]}: the pieces are at their start places [6.0]",
            )
            extras[owner] += n
    for owner in (0, 1):
        chosen = t.choose[owner] - s.setup_choice[owner]
        forbid(
            chosen != extras[owner] or (chosen and (owner > side or (owner == side and waiting))),
            f"setup: choices: {SIDES[owner]} has placed {extras[owner]} warriors of choice so far [6.2]",
        )
        forbid(
            owner < side and s.setup_choice[owner],
            f"setup: choices: {SIDES[owner]} has placed all of his already [6.2]",
        )


_NEEDS = {
    names.SETUP: set_up,
    names.CARD: card,
    names.EVENT_DIE: event,
    names.HOME: home,
    names.APPROACH: approach,
    names.BATTLE_ORDER: battle_order,
    **dict.fromkeys(SIGHTED_PHASES, sea_field),
    names.WINDOW: window,
    **dict.fromkeys(BATTLE_PHASES, battle),
    names.WITHDRAW: withdrawal,
    **dict.fromkeys(RETREAT_PHASES, retreat),
}
"""Checks of what a phase reads."""


def phase_needs(c: Facts) -> None:
    """Check that what the phase reads is there."""
    if c.phase in _NEEDS:
        _NEEDS[c.phase](c)


def ending(c: Facts) -> None:
    """[5.1, 5.2, 5.3] Check that the game is over exactly if somebody has won or it is a tie, and why."""
    s, t, over = c.s, c.t, c.phase == OVER
    kamehameha, kalani, kaiana = (
        s.place[t.first[kind]] == DEAD for kind in (names.K_KAMEHAMEHA, names.K_KALANI, names.K_KAIANA)
    )
    chiefs = kalani and kaiana
    forbid(over != (s.winner >= 0), "winner: somebody has won, or it is a tie, exactly when the game is over")
    if not over:
        forbid(kamehameha, "Kamehameha is dead: the game would be over [5.2]")
        forbid(chiefs, "Kalani and Kaiana are dead: the game would be over [5.2]")
        return
    last = s.month == t.last_month
    forbid(not s.reason, "reason: a game that is over has one")
    fits = {
        names.R_OCCUPATION: s.winner == c.half and occupation_victory(t, s, c.half),
        names.R_KAMEHAMEHA_DEAD: s.winner == names.ALLIED and kamehameha,
        names.R_CHIEFS_DEAD: s.winner == names.KAMEHAMEHA and chiefs,
        names.R_NOVEMBER: s.winner == names.TIE and last,
        names.R_OCCUPATION_NOVEMBER: s.winner == names.KAMEHAMEHA and last and t.final_check
        and occupation_victory(t, s, names.KAMEHAMEHA),
    }  # fmt: skip
    reason = names.reason_text(s.reason, t.last_month)
    forbid(not fits[s.reason], f"reason: {show_value(reason)} does not fit the winner and the position [5.0]")


def calendar(c: Facts) -> None:
    """[6.0, 6.1] Check the month."""
    forbid(not c.t.first_month <= c.s.month <= c.t.last_month, "turn: outside the scenario [6.0]")


def somebody_can_act(c: Facts) -> None:
    """Check that a phase which asks somebody has something to ask; set-up, home and recruiting end if they have not."""
    if c.phase <= LAST_DECISION and c.phase not in (names.SETUP, names.HOME, names.RECRUIT):
        after = c.s.copy()
        flow.list_legal(c.t, after)
        forbid(not after.n_legal, f"phase {PHASES[c.phase]}: {SIDES[after.decider]} has nothing to choose")


CHECKS = (
    ending, calendar, pieces, spaces, fleets, loading, war_fleet, cards, decider, idle, phase_needs, somebody_can_act,
)  # fmt: skip
"""All checks, in their order: later ones rely on earlier ones."""


def check_position(game: Any, state: Any) -> None:
    """Check an interpreted record, whose counts by space are made anew. Raises StateError with the reason."""
    facts = Facts(game, state)
    for check in CHECKS:
        check(facts)


def check_invariants(game: Any, state: Any) -> None:
    """Check what holds in every position that play can reach; the fuzzer calls it.

    40 pieces always; canoes never lost on land; nobody without a legal action; who stands together; one card once in
    nine turns; the counts by space; returns that sum to zero; bounded length. Raises AssertionError.
    """
    record = state.interpreted()
    again = record.copy()
    try:
        check_position(game, again)
    except StateError as error:
        raise AssertionError(f"invariant: {error}") from None
    for name in ("units", "canoes", "leaders", "at_sea"):
        assert getattr(record, name) == getattr(again, name), f"invariant: {name} by space are miscounted"
    legal = state.legal_actions()
    if record.phase <= LAST_DECISION:
        assert len(legal) >= 2, f"invariant: {len(legal)} legal actions in phase {state.phase}"
        assert legal == sorted(set(legal)), "invariant: legal actions ascend"
        assert 0 <= min(legal) <= max(legal) < game.num_actions, "invariant: an action outside the table"
    else:
        assert not legal, "invariant: legal actions where nobody decides"
    waits = record.phase >= FIRST_CHANCE and record.phase != OVER
    assert not waits or state.chance == "explicit", "invariant: a sampled state waits for chance"
    assert sum(state.returns()) == 0, "invariant: returns sum to zero"
