"""The observation of a player: planes over the hexes of the theatre, then vectors. docs/maori_wars.md has the table.

Everything is open, so both players see the same but for the last part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.game import Part

from .rules.boats import is_boat
from .rules.movement import may_march
from .rules.names import ACTED as IN_BUSH_ACTED
from .rules.names import (
    ATTACKED,
    BOAT,
    BOMBARDED,
    CANOE,
    CARGO,
    CARRIED,
    CONSTABULARY,
    EVADED,
    KINDS,
    LEADER,
    MILITIA,
    MOVED,
    MOVEMENT,
    NEGOTIATED,
    NEUTRAL,
    NEUTRAL_UNIT,
    OVER,
    PARTICIPANT,
    PHASES,
    QUEENITE,
    RANGERS,
    SHELLED,
    SPEAKING,
    STAGES,
    STRUCTURES,
    TAKEN,
    TALKED,
    UNTAKEN,
    WARRIOR,
)
from .rules.pieces import category, has, is_leader
from .rules.state import N_CHITS

__all__ = ["PLANES", "STEPS", "bounds", "parts", "scales", "write_observation"]

N_KINDS = len(KINDS)
UNITS = (*KINDS[:CANOE], "maori canoe", "queenite canoe")
PIECE_PLANES = (
    *(f"{kind}, {condition}" for kind in UNITS for condition in ("ready", "disrupted")),
    "maori leaders", "queenite leaders", "british leaders", "neutral leaders", "british leaders for rangers",
    "neutral units",
)  # fmt: skip
PLACE_PLANES = (
    *STRUCTURES, "disrupted structure", "untaken town", "taken town", "sap marker", "sap target",
)  # fmt: skip
MOMENT_PLANES = (
    "pieces that may march", "most points left among them", "boats that may move", "pieces carried", "attacked",
    "bound to a target", "evaded", "bombarded or shelled", "negotiated", "current target", "hex of the current piece",
    "participants",
)  # fmt: skip
PLANES = (*PIECE_PLANES, *PLACE_PLANES, *MOMENT_PLANES)
"""The planes over the hexes, in order."""

N_PLANES, PLACES, MOMENT = len(PLANES), len(PIECE_PLANES), len(PIECE_PLANES) + len(PLACE_PLANES)
LEADERS, FOR_RANGERS, NEUTRALS = 2 * len(UNITS), PLACES - 2, PLACES - 1
DAMAGED, TOWN, TAKEN_TOWN, SAP_MARKER, SAP_TARGET = range(PLACES + len(STRUCTURES), MOMENT)
(
    MAY_MARCH, POINTS, BOATS, CARRIES, ATTACKS, BOUND, EVADES, BOMBARDS, NEGOTIATES, TARGET, CURRENT, PARTICIPANTS,
) = range(MOMENT, N_PLANES)  # fmt: skip

BUSH_KINDS = (MILITIA, CONSTABULARY, RANGERS, QUEENITE, WARRIOR)
BUSH_PLACE = tuple(BUSH_KINDS.index(kind) if kind in BUSH_KINDS else 0 for kind in range(N_KINDS))

STEPS = (
    "none", "declare", "evasion", "leave", "chit", "bombard", "charge", "counter", "attack", "advance", "apply",
    "retreat",
)  # fmt: skip


def _step_of(phase: str) -> int:
    """Return the step of a combat that a phase belongs to."""
    known = {
        "declare": 1, "participants": 1, "counterstroke": 1, "evade": 2, "evasion": 2, "leave": 3, "chit": 4,
        "disrupt_from": 4, "disrupt_unit": 4, "leader": 4, "column": 5, "bombard": 5, "charge_or_not": 6, "charge": 6,
        "counter_side": 7, "counter": 7, "raid_answer": 7, "attack": 8, "advance": 9, "apply": 10, "lose": 10,
        "absorb": 10, "panic": 10, "retreat": 11,
    }  # fmt: skip
    return known.get(phase, 0)


STEP_OF = tuple(_step_of(phase) for phase in PHASES)
"""The step of a combat by phase, an index of STEPS."""

TURN, N_BUSH, NUMBERS = 26, 12, 9
MOST_FORTS = 9
MOST, MOST_MODIFIER = 127, 16
COUNTED = 4
"""The scale of counts in a hex."""


def parts(hexes: Sequence[str], territories: Sequence[str], leaders: Sequence[str]) -> tuple[Part, ...]:
    """Return the named parts of an observation."""
    n, chits = len(hexes), tuple((str(number), 1) for number in range(1, N_CHITS + 1))
    planes = tuple((hex_id, 1) for hex_id in hexes)
    bush = tuple((f"{KINDS[kind]}, {condition}", 1) for kind in BUSH_KINDS for condition in ("ready", "disrupted"))
    units = (*KINDS, *(f"{kind}/disrupted" for kind in KINDS), *leaders)
    turn = ("turn", "last turn", "maori half", "british half", "over", *STAGES, *STEPS, "marker")
    numbers = (
        "attack modifier", "counter-attack modifier", "bombardment modifier", "columns to the right",
        "no counter-attack", "no bombardment", "losses to come", "units to come from the Box",
        "forts that may still be built",
    )  # fmt: skip
    return (
        Part("pieces", (len(PIECE_PLANES), n), "pieces in each hex, by kind", PIECE_PLANES, planes),
        Part("places", (len(PLACE_PLANES), n), "structures, towns and the sap", PLACE_PLANES, planes),
        Part("moment", (len(MOMENT_PLANES), n), "what matters in this stage", MOMENT_PLANES, planes),
        Part("turn", (TURN,), "turn, half, stage, step of a combat, marker", (), tuple((name, 1) for name in turn)),
        Part("boxes", (2, N_KINDS), "units in the Boxes", ("maori", "british"), tuple((kind, 1) for kind in KINDS)),
        Part(
            "bush", (len(territories), N_BUSH), "pieces in the Bush Raider Box", tuple(territories),
            (*bush, ("maori leaders", 1), ("british leaders", 1)),
        ),
        Part("bush_acted", (len(territories),), "pieces of the mover there that have acted"),
        Part("chits", (2, N_CHITS), "chits", ("in the cup", "in force"), chits),
        Part("piece", (len(units),), "the piece that is spoken of", (), tuple((unit, 1) for unit in units)),
        Part("numbers", (NUMBERS,), "numbers of the combat and of what is left", (), tuple((k, 1) for k in numbers)),
        Part("observer", (2,), "the observer", (), (("is the British player", 1), ("is to decide", 1))),
    )  # fmt: skip


@rule
def _at(part: Any, row: int, column: int) -> int:
    """Return the index of a value of a part: the pair of where it begins and the length of its rows."""
    return part[0] + row * part[1] + column


@rule
def _parts(rules: Any) -> Any:
    """Return the planes and the parts behind them up to the numbers; of those without rows, where they begin."""
    turn = N_PLANES * rules.hexes
    boxes = turn + TURN
    bush = boxes + 2 * N_KINDS
    acted = bush + N_BUSH * rules.territories
    chits = acted + rules.territories
    units = chits + 2 * N_CHITS
    leaders = units + 2 * N_KINDS
    return (
        (0, rules.hexes), turn, (boxes, N_KINDS), (bush, N_BUSH), acted, (chits, N_CHITS), (units, N_KINDS), leaders,
        leaders + rules.leaders,
    )  # fmt: skip


@rule
def _write_piece(rules: Any, state: Any, piece: int, planes: Any, out: Any) -> None:
    """Write what a piece on the map adds to the planes."""
    hex_, kind, owner = state.place[piece], state.kind[piece], state.owner[piece]
    if kind >= LEADER:
        of = NEUTRAL + 1 if owner == NEUTRAL else category(rules, state, piece)
        out[_at(planes, LEADERS + of, hex_)] += 1
        out[_at(planes, FOR_RANGERS, hex_)] += rules.for_rangers[kind - LEADER]
    elif kind == NEUTRAL_UNIT:
        out[_at(planes, NEUTRALS, hex_)] += 1
    else:
        unit = kind + owner if kind == CANOE else kind
        out[_at(planes, 2 * unit + state.disrupted[piece], hex_)] += 1
    did = state.did[piece]
    if state.stage == MOVEMENT and owner == state.half:
        if is_boat(state, piece):
            if did & MOVED == 0:
                out[_at(planes, BOATS, hex_)] += 1
        elif may_march(state, piece):
            out[_at(planes, MAY_MARCH, hex_)] += 1
            points = _at(planes, POINTS, hex_)
            out[points] = max(out[points], state.points[piece])
    if did == 0:
        return
    out[_at(planes, CARRIES, hex_)] += did & (CARRIED | CARGO) != 0
    out[_at(planes, ATTACKS, hex_)] += did & ATTACKED != 0
    out[_at(planes, EVADES, hex_)] += did & EVADED != 0
    out[_at(planes, BOMBARDS, hex_)] += did & BOMBARDED != 0
    out[_at(planes, NEGOTIATES, hex_)] += did & NEGOTIATED != 0
    out[_at(planes, PARTICIPANTS, hex_)] += did & PARTICIPANT != 0


@rule
def _write_hexes(rules: Any, state: Any, planes: Any, out: Any) -> None:
    """Write structures, towns and what is noted of hexes."""
    for hex_ in range(rules.hexes):
        structure = state.structure[hex_]
        if structure > 0:
            out[_at(planes, PLACES + structure - 1, hex_)] = 1
            out[_at(planes, DAMAGED, hex_)] = state.damaged[hex_]
        if state.town[hex_] == UNTAKEN:
            out[_at(planes, TOWN, hex_)] = 1
        elif state.town[hex_] == TAKEN:
            out[_at(planes, TAKEN_TOWN, hex_)] = 1
        if state.bound[hex_] >= 0:
            out[_at(planes, BOUND, hex_)] = 1
        used = state.used[hex_]
        if used & SHELLED != 0:
            out[_at(planes, BOMBARDS, hex_)] += 1
        if used & TALKED != 0:
            out[_at(planes, NEGOTIATES, hex_)] += 1
    if state.sap_hex >= 0:
        out[_at(planes, SAP_MARKER, state.sap_hex)] = 1
    if state.sap_target >= 0:
        out[_at(planes, SAP_TARGET, state.sap_target)] = 1
    if state.target >= 0:
        out[_at(planes, TARGET, state.target)] = 1


@rule
def _spoken_of(state: Any) -> int:
    """Return the piece that a decision or a die is about, or -1."""
    if state.phase not in SPEAKING:
        return -1
    return state.piece if state.phase != BOAT else state.boat


@rule
def write_observation(rules: Any, state: Any, observer: int, out: Any) -> None:
    """Write the raw values of a player's observation."""
    for at in range(len(out)):
        out[at] = 0
    planes, turn, boxes, bush, acted, chits, units, leaders, numbers = _parts(rules)
    _write_hexes(rules, state, planes, out)
    n = rules.hexes
    for piece in range(state.pieces):
        place, kind, owner = state.place[piece], state.kind[piece], state.owner[piece]
        if place < n:
            _write_piece(rules, state, piece, planes, out)
        elif place < rules.box:
            column = 10 + owner if is_leader(state, piece) else 2 * BUSH_PLACE[kind] + state.disrupted[piece]
            out[_at(bush, place - n, column)] += 1
            if owner == state.half and has(state, piece, IN_BUSH_ACTED):
                out[acted + place - n] += 1
        elif place == rules.box and kind < NEUTRAL_UNIT:
            out[_at(boxes, owner, kind)] += 1
    piece = _spoken_of(state)
    current = state.hex if piece < 0 else state.place[piece]
    if current >= 0 and current < n:
        out[_at(planes, CURRENT, current)] = 1
    if piece >= 0:
        kind = state.kind[piece]
        if kind < NEUTRAL_UNIT:
            out[_at(units, state.disrupted[piece], kind)] = 1
        elif kind >= LEADER:
            out[leaders + kind - LEADER] = 1
    out[turn], out[turn + 1] = state.turn, rules.turns
    out[turn + 2 + (2 if state.phase == OVER else state.half)] = 1
    out[turn + 5 + state.stage] = 1
    out[turn + 13 + STEP_OF[state.phase]] = 1
    out[turn + 25] = state.marker
    for number in range(1, N_CHITS + 1):
        out[_at(chits, 0, number - 1)] = (state.cup >> number) & 1
    if state.chit > 0:
        out[_at(chits, 1, state.chit - 1)] = 1
    out[numbers], out[numbers + 1] = state.attack_modifier, state.counter_modifier
    out[numbers + 2], out[numbers + 3] = state.bombard_modifier, state.counter_columns
    out[numbers + 4], out[numbers + 5] = state.no_counter, state.no_bombard
    out[numbers + 6], out[numbers + 7] = state.losses, state.left
    out[numbers + 8] = min(MOST_FORTS, rules.fort_limit - state.forts_built)
    out[numbers + 9] = observer
    out[numbers + 10] = 1 if state.decider == observer else 0


def bounds(rules: Any, size: int) -> tuple[list[int], list[int]]:
    """Return the least and the greatest raw values."""
    n, most = rules.hexes, min(rules.pieces, MOST)
    low, high = [0] * size, [1] * size
    _, turn, boxes, _, _, chits, _, _, numbers = _parts(rules)
    high[: PLACES * n] = [most] * (PLACES * n)
    high[MOMENT * n : turn] = [max(most, *rules.move)] * (turn - MOMENT * n)
    high[turn] = high[turn + 1] = max(1, rules.turns)
    awards = (
        *rules.structure_points, rules.town_points, rules.unit_points, rules.leader_points, rules.canoe_points,
        rules.alliance_points, rules.fort_cost, *rules.chit_amount,
    )  # fmt: skip
    high[turn + 25] = rules.decisive + 2 * max(awards)
    low[turn + 25] = -high[turn + 25]
    high[boxes[0] : chits[0]] = [most] * (chits[0] - boxes[0])
    low[numbers : numbers + 3] = [-MOST_MODIFIER] * 3
    coming = max(1, rules.ship_units, *rules.per_turn)
    high[numbers : numbers + 9] = [MOST_MODIFIER] * 3 + [2, 1, 1, 2, coming, MOST_FORTS]
    return low, high


def scales(high: Sequence[int], hexes: int) -> list[float]:
    """Return the factors of raw values: 1 over the greatest, of counts in a hex 1 over the stacking limit."""
    factors = [1 / value for value in high]
    for first, last in ((0, PLACES), (MOMENT, N_PLANES)):
        factors[first * hexes : last * hexes] = [1 / COUNTED] * ((last - first) * hexes)
    return factors
