"""What a player sees: a vector of named pieces with offsets [7.2].

Nothing about hands is hidden in this game, so both players see the whole position; only the generators stay out. Raw
values are int8, 0 and up; `SCALE` turns them into the float32 observation. Pieces of one kind are interchangeable, so
their slots are sorted: equal positions give equal vectors, and positions that differ in anything public differ in the
vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hawaii_env.core.jit import rule

from .rules.actions import CANOE_OF_KIND, CONDITIONS, N_CAME
from .rules.cards import card_of
from .rules.names import (
    ABOARD,
    ADVANTAGE,
    BOX,
    BY_MARCHERS,
    CANOE_LOSS,
    COMMIT,
    FIRE,
    HIT_DIE,
    KINDS,
    LAST_DECISION,
    LOSS,
    N_KINDS,
    N_NUMBERS,
    N_PIECES,
    N_PLACES,
    N_SPACES,
    N_WANTS,
    OVER,
    PANIC_LOSS,
    PHASES,
    RETREAT,
    SEA,
    SEA_LOSER,
    SPACES,
    WAR,
    WINDOW,
    WITHDRAW,
)
from .rules.tables import N_CARDS


@dataclass(frozen=True)
class Part:
    """A named piece of the vector: `size` values from `offset`, raw from 0 to `high`, divided by `unit` when scaled."""

    name: str
    offset: int
    size: int
    high: int
    unit: int
    what: str


N_PHASES = len(PHASES)
ON_MAP_PLACES = ABOARD  # the spaces, the box, the dead
CONDITION_CODES = 4 * CONDITIONS  # 108: (clean, fired, panicked) x carried x marched x where it came from

_LAYOUT: tuple[tuple[str, int, int, int, str], ...] = (
    ("me", 2, 1, 1, "who observes: Kamehameha, the Allies"),
    ("decider", 3, 1, 1, "who decides: the observer, the enemy, nobody (chance, or the game is over)"),
    ("calendar", 3, 11, 11, "month (1-11); 11 in the Allied half, else 0; 11 in the observer's half, else 0"),
    ("phase", N_PHASES, 1, 1, "phase: " + ", ".join(PHASES)),
    ("kauai", 3, 1, 1, "Kaua'i stands with Kamehameha, with the Allies, with nobody"),
    ("on_map", N_KINDS * ON_MAP_PLACES, 39, 6,
     "pieces by kind and place: the seven spaces, the box, the dead; kind by kind"),
    ("bound_for", 2 * N_SPACES, 39, 6, "at sea, by space: units bound for it (7), canoes bound for it (7)"),
    ("at_sea", N_KINDS, 39, 6, "pieces at sea by kind"),
    ("aboard", N_KINDS, 39, 6, "pieces aboard the fleet that is being loaded, by kind"),
    ("war_fleet", N_KINDS, 39, 6, "pieces in the defender's war fleet, by kind"),
    ("ready", N_KINDS, 39, 6, "units in the battle that may still fire this round, by kind"),
    ("fired", N_KINDS, 39, 6, "units in the battle that have fired, by kind"),
    ("panicked", N_KINDS, 39, 6, "units in the battle that are panicked, by kind"),
    ("slot_place", N_PIECES, N_PLACES - 1, N_PLACES - 1, "place of each piece, pieces of a kind in sorted order"),
    ("slot_condition", N_PIECES, CONDITION_CODES - 1, CONDITION_CODES - 1, "condition of each piece, same order: "
     "((clean, fired, panicked) * 4 + carried * 2 + marched) * 9 + where it came from"),
    ("deck", N_CARDS, 1, 1, "cards left in Kamehameha's deck (9), in the Allied deck (9)"),
    ("held", N_CARDS, 1, 1, "cards held by Kamehameha (9), by the Allies (9)"),
    ("card", N_CARDS, 1, 1, "the card in effect"),
    ("fixed", 1, 1, 1, "the card was dealt, not drawn"),
    ("event_played", 2, 1, 1, "a held event was played this half: by Kamehameha, by the Allies"),
    ("bonus", 3, 9, 3, "the half's bonuses: to the advantage roll, to gunpowder dice, no sighting"),
    ("fleet_moves", 1, 39, 4, "fleet moves left"),
    ("homes", 1, 39, 2, "pieces that still go home"),
    ("window", 3, 1, 1, "the window of held events: movement, sighting, battle"),
    ("want", N_WANTS, 39, 2, "recruits still to come: by kind, any warrior, any canoe"),
    ("setup", 3, 39, 39, "set-up: next piece, warriors of choice left for Kamehameha, for the Allies"),
    ("fleet", 4, 1, 1, "kind of the canoe that moves: canoe, oahu_canoe, maui_canoe, kauai_canoe"),
    ("fleet_at", N_SPACES, 1, 1, "its space before it goes to the pick-up"),
    ("pickup", N_SPACES, 1, 1, "the pick-up space"),
    ("cargo", 2, 4, 2, "units and leaders aboard"),
    ("field", N_SPACES, 1, 1, "the space approached or fought for"),
    ("battle", 3, 1, 1, "the battle: invasion, overland, sea"),
    ("battle_state", 6, 12, 4,
     "second battle; earthworks; war fleet: canoes, units, leaders; advantage rolled for (first die fallen)"),
    ("first_die", 1, 6, 6, "Kamehameha's advantage die, while the Allies' is out"),
    ("advantage", 2, 1, 1, "who has the advantage"),
    ("fire_order", 4, 1, 1, "Kamehameha, the Allies to fire next in turn; gunpowder fires; the Allies fire"),
    ("firer", N_KINDS, 1, 1, "kind of the unit that fires"),
    ("dice", 1, 19, 4, "its dice still to roll"),
    ("pike_used", 2, 1, 1, "the pike's cancellation is used this round: Kamehameha's, the Allies'"),
    ("errand", 4, 1, 1, "who retreats: a beaten fleet, attackers with canoes, marchers, defenders"),
    ("from_space", N_SPACES, 1, 1, "the space that canoes alone leave"),
    ("refuge", N_SPACES, 1, 1, "where the attackers' canoes went"),
    ("canoes_lost", 1, 12, 2, "canoes of the beaten fleet still to be lost"),
    ("next_phase", 1, 60, 60, "the phase that follows a window or a withdrawal"),
    ("options", 2, 1, 1, "final_check, sea_victor is assault"),
)  # fmt: skip


def _parts() -> tuple[Part, ...]:
    parts: list[Part] = []
    at = 0
    for name, size, high, unit, what in _LAYOUT:
        parts.append(Part(name, at, size, high, unit, what))
        at += size
    return tuple(parts)


PARTS = _parts()
"""The layout, part by part."""

SIZE = sum(part.size for part in PARTS)
LOW = np.zeros(SIZE, np.float32)
HIGH = np.concatenate([np.full(p.size, p.high / p.unit, np.float32) for p in PARTS])
SCALE = np.concatenate([np.full(p.size, 1.0 / p.unit, np.float32) for p in PARTS])

(
    O_ME, O_DECIDER, O_CALENDAR, O_PHASE, O_KAUAI, O_ON_MAP, O_BOUND_FOR, O_AT_SEA, O_ABOARD, O_WAR, O_READY, O_FIRED,
    O_PANICKED, O_SLOT_PLACE, O_SLOT_CONDITION, O_DECK, O_HELD, O_CARD, O_FIXED, O_EVENT_PLAYED, O_BONUS, O_FLEET_MOVES,
    O_HOMES, O_WINDOW, O_WANT, O_SETUP, O_FLEET, O_FLEET_AT, O_PICKUP, O_CARGO, O_FIELD, O_BATTLE, O_BATTLE_STATE,
    O_FIRST_DIE, O_ADVANTAGE, O_FIRE_ORDER, O_FIRER, O_DICE, O_PIKE_USED, O_ERRAND, O_FROM_SPACE, O_REFUGE,
    O_CANOES_LOST, O_NEXT_PHASE, O_OPTIONS,
) = (part.offset for part in PARTS)  # fmt: skip


def value_names() -> list[str]:
    """A name for each value of the vector, as ``on_map[warrior_2, kona]``; length SIZE."""
    labels = {
        "on_map": [f"{k}, {p}" for k in KINDS for p in (*SPACES, "box", "dead")],
        "phase": list(PHASES),
        **{n: list(SPACES) for n in ("fleet_at", "pickup", "field", "from_space", "refuge")},
        **{n: list(KINDS) for n in ("at_sea", "aboard", "war_fleet", "ready", "fired", "panicked", "firer")},
    }
    names: list[str] = []
    for part in PARTS:
        own = labels.get(part.name) or [str(i) for i in range(part.size)]
        names += [part.name] if part.size == 1 else [f"{part.name}[{label}]" for label in own]
    return names


@rule
def condition_code(state: Any, piece: int) -> int:
    """The condition of a piece as one number, 0 to 107."""
    battle = 2 if state.panicked[piece] else state.fired[piece]
    return (battle * 4 + state.carried[piece] * 2 + state.marched[piece]) * N_CAME + state.came[piece]


@rule
def one_hot(out: Any, offset: int, value: int) -> None:
    """Set one value of a part, unless `value` is negative."""
    if value >= 0:
        out[offset + value] = 1


@rule
def write_pieces(rules: Any, state: Any, out: Any) -> None:
    """Counts by kind and place, and the sorted slots."""
    for piece in range(N_PIECES):
        kind, place = rules.kind[piece], state.place[piece]
        if place < ABOARD:
            at = O_ON_MAP + kind * ON_MAP_PLACES + place
        elif place == ABOARD:
            at = O_ABOARD + kind
        elif place == WAR:
            at = O_WAR + kind
        else:
            at = O_AT_SEA + kind
            bound = O_BOUND_FOR + place - SEA + (N_SPACES if rules.canoe[piece] else 0)
            out[bound] += 1
        out[at] += 1
        # Insert the piece into the sorted slots of its kind.
        key = place * CONDITION_CODES + condition_code(state, piece)
        slot = piece
        first = rules.first[kind]
        while slot > first:
            before = int(out[O_SLOT_PLACE + slot - 1]) * CONDITION_CODES + int(out[O_SLOT_CONDITION + slot - 1])
            if before <= key:
                break
            out[O_SLOT_PLACE + slot] = out[O_SLOT_PLACE + slot - 1]
            out[O_SLOT_CONDITION + slot] = out[O_SLOT_CONDITION + slot - 1]
            slot -= 1
        out[O_SLOT_PLACE + slot] = place
        out[O_SLOT_CONDITION + slot] = key - place * CONDITION_CODES


@rule
def write_battle(rules: Any, state: Any, out: Any) -> None:
    """The lines of the battle that is being fought, and what has been rolled."""
    one_hot(out, O_BATTLE, state.battle)
    attackers = state.field if state.battle != 2 else SEA + state.field
    defenders = state.field if state.battle != 2 else WAR
    for piece in range(N_PIECES):
        place = state.place[piece]
        if place in (attackers, defenders) and not rules.canoe[piece]:
            if state.panicked[piece]:
                line = O_PANICKED
            elif state.fired[piece]:
                line = O_FIRED
            else:
                line = O_READY
            out[line + rules.kind[piece]] += 1
    out[O_BATTLE_STATE] = state.second
    out[O_BATTLE_STATE + 5] = 1 if state.first_die else 0
    out[O_FIRST_DIE] = state.first_die
    one_hot(out, O_ADVANTAGE, state.advantage)
    if state.advantage >= 0:
        out[O_FIRE_ORDER + state.turn_side] = 1
        out[O_FIRE_ORDER + 2] = state.guns
        out[O_FIRE_ORDER + 3] = state.firing
    if state.firer >= 0 and state.phase in (HIT_DIE, LOSS, PANIC_LOSS):
        out[O_FIRER + rules.kind[state.firer]] = 1
    out[O_DICE] = state.dice
    out[O_PIKE_USED] = state.pike_used[0]
    out[O_PIKE_USED + 1] = state.pike_used[1]


@rule
def write_observation(rules: Any, state: Any, player: int, out: Any) -> None:
    """Write the raw vector, int8[SIZE], as `player` (0 or 1) sees the position."""
    for i in range(SIZE):
        out[i] = 0
    out[O_ME + player] = 1
    if state.phase > LAST_DECISION:
        out[O_DECIDER + 2] = 1
    else:
        out[O_DECIDER + (0 if state.decider == player else 1)] = 1
    out[O_CALENDAR] = state.month
    out[O_CALENDAR + 1] = 11 * state.half
    out[O_CALENDAR + 2] = 11 if state.half == player else 0
    out[O_PHASE + min(state.phase, OVER)] = 1
    out[O_KAUAI + state.kauai] = 1
    write_pieces(rules, state, out)
    for side in range(2):
        for number in range(1, N_NUMBERS + 1):
            out[O_DECK + card_of(side, number)] = (state.left[side] >> number) & 1
            out[O_HELD + card_of(side, number)] = (state.held[side] >> number) & 1
        out[O_EVENT_PLAYED + side] = state.event_played[side]
        out[O_SETUP + 1 + side] = state.setup_choice[side]
    one_hot(out, O_CARD, state.card)
    out[O_FIXED] = state.fixed
    out[O_BONUS] = state.advantage_bonus
    out[O_BONUS + 1] = state.gunpowder_bonus
    out[O_BONUS + 2] = state.no_sighting
    out[O_FLEET_MOVES] = state.fleet_moves
    out[O_HOMES] = state.homes
    one_hot(out, O_WINDOW, state.window - 1)
    for want in range(N_WANTS):
        out[O_WANT + want] = state.want[want]
    if state.phase == 0:
        out[O_SETUP] = state.setup_piece
    if state.fleet >= 0:
        out[O_FLEET + CANOE_OF_KIND[rules.kind[state.fleet]]] = 1
        if state.place[state.fleet] < BOX:
            out[O_FLEET_AT + state.place[state.fleet]] = 1
        one_hot(out, O_PICKUP, state.pickup)
        out[O_CARGO] = state.aboard_units
        out[O_CARGO + 1] = state.aboard_leaders
    one_hot(out, O_FIELD, state.field)
    out[O_BATTLE_STATE + 1] = state.earthworks
    if state.phase == COMMIT:
        out[O_BATTLE_STATE + 2] = state.war_canoes
        out[O_BATTLE_STATE + 3] = state.war_units
        out[O_BATTLE_STATE + 4] = state.war_leaders
    if in_battle(state):
        write_battle(rules, state, out)
    if state.phase == CANOE_LOSS or state.phase == RETREAT:
        one_hot(out, O_ERRAND, state.errand - 1)
        if state.errand == BY_MARCHERS:
            one_hot(out, O_REFUGE, state.refuge)
        out[O_CANOES_LOST] = state.canoes_lost
    one_hot(out, O_FROM_SPACE, state.from_space)
    if state.phase == WINDOW or state.phase == WITHDRAW:
        out[O_NEXT_PHASE] = state.next_phase
        if state.next_phase == SEA_LOSER:
            one_hot(out, O_ADVANTAGE, state.advantage)
    out[O_OPTIONS] = rules.final_check
    out[O_OPTIONS + 1] = rules.assault


@rule
def in_battle(state: Any) -> bool:
    """A battle is being fought: fire, losses, or its dice; also one in the middle of which the game ended."""
    phase = state.phase
    if phase == OVER:
        return state.field >= 0
    return phase in (FIRE, LOSS, PANIC_LOSS, ADVANTAGE, HIT_DIE)
