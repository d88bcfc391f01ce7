"""The observation: tokens and flags from 0 to 1, as the observer sees them [7.2].

Sides are mine and the enemy's; of `observer` alone the side's name is told. A category is one value a choice, all 0 but
one; a small number is a row of steps ("1 or more", "2 or more", ...) with what is beyond them as a share; no value
packs two things. Nothing is hidden in this game, so the vector is complete: two views never look alike, but for the
count of decisions, and neither do two rulesets whose rules differ.

Pieces of one kind are interchangeable, so their rows are sorted. What a ruleset says never changes in a game: it is
written once, from `template`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.jit import rule

from .rules.cards import card_of
from .rules.names import (
    ADVANTAGE,
    BATTLE_BEGIN,
    BOX,
    BY_DEFENDER,
    BY_MARCHERS,
    CANOE_LOSS,
    COMMIT,
    DEAD,
    FIRE,
    HIT_DIE,
    KINDS,
    LAND_PHASE,
    LAST_DECISION,
    LOSS,
    MONTHS,
    MOVE,
    N_KINDS,
    N_NUMBERS,
    N_PIECES,
    N_SPACES,
    N_WANTS,
    NEUTRAL,
    OVER,
    PANIC_LOSS,
    PHASES,
    REASONS,
    RECRUIT,
    RESULTS,
    RETREAT,
    SEA,
    SEA_BATTLE,
    SEA_LOSER,
    SEA_PHASE,
    SEA_START,
    SETUP,
    SIGHTING,
    SPACES,
    TIE,
    WAR,
    WINDOW,
    WINDOW_BATTLE,
    WITHDRAW,
)
from .rules.tables import N_CARDS, TABLE_FIELDS


@dataclass(frozen=True)
class Part:
    """A named part of the vector.

    Attributes:
        name, shape: as `hawaii_env.game.Part` has them.
        offset: where it begins in the vector.
        rows: what its rows are called, where it has two axes; else nothing.
        columns: a name for each value of a row.
        high: the greatest raw value of each of them; the scaled value is the raw one divided by it, so 1 at most.
        what: what it tells.
    """

    name: str
    shape: tuple[int, ...]
    offset: int
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    high: tuple[int, ...]
    what: str


Columns = list[tuple[str, int]]


def _flags(*names: str) -> Columns:
    return [(name, 1) for name in names]


def _steps(name: str, steps: int, most: int) -> Columns:
    """A number from 0 to `most`: one value for each of the first steps, and what is beyond them as a share."""
    beyond = [(f"{name}, beyond {steps}", most - steps)] if most > steps else []
    return [*_flags(*(f"{name}, {n} or more" for n in range(1, steps + 1))), *beyond]


OWN = ("mine", "the enemy's")
WANTS = (*KINDS, "any warrior", "any canoe")
N_CARD_WANTS = 13
"""Recruits that a card may ask for: eleven kinds of its side at most, any warrior, any canoe."""
FIRST_OF_SIDE, KINDS_OF_SIDE = (0, KINDS.index("kalani")), (9, 11)
FOLLOWING = (RECRUIT, MOVE, SIGHTING, SEA_PHASE, SEA_START, SEA_LOSER, LAND_PHASE, BATTLE_BEGIN)
"""Phases that may follow a window or a withdrawal."""
FOLLOWING_NAMES = (
    "recruiting", "movement", "sighting", "sea_phase", "sea_battle", "sea_loser", "land_phase", "land_battle",
)  # fmt: skip
STANDING = ("on land", "box", "dead", "aboard", "war fleet", "at sea")
MARKS = ("panicked", "fired", "carried", "marched", "in the battle", "in hand")
MANY = 12
"""Counts of pieces in a space stop here; the pieces' own rows tell all."""
DIGEST = 64

PIECE: Columns = [
    *_flags(*KINDS), *_flags("mine", "the enemy's", "neutral"), *_flags(*STANDING), *_flags(*SPACES),
    *_flags(*(f"came from {space}" for space in SPACES), "turned"), *_flags(*MARKS),
]  # fmt: skip
SPACE: Columns = [
    *((f"{what}, {whose}", MANY) for what in ("units", "canoes", "leaders") for whose in (*OWN, "neutral")),
    ("units bound for it", MANY), ("canoes bound for it", MANY),
    *_flags("pick-up", "field", "left by canoes", "refuge"),
]  # fmt: skip
CARD_: Columns = [
    *_flags("my card", "in the deck", "held", "in effect"), ("fleet moves", 10),
    *((f"recruits: kind {n + 1} of its side", 9) for n in range(N_CARD_WANTS - 2)), ("recruits: any warrior", 9),
    ("recruits: any canoe", 9),
]  # fmt: skip
BATTLE: Columns = [
    *_flags("invasion", "overland", "sea", "second battle", "earthworks"),
    *_steps("war fleet: canoes", 2, 39), *_steps("war fleet: units", 2, 39), *_steps("war fleet: leaders", 2, 39),
    *_flags(*(f"Kamehameha's advantage die {face}" for face in range(1, 7))),
    *_flags("advantage: mine", "advantage: the enemy's", "next to fire: me", "next to fire: the enemy",
    "gunpowder fires"),
    *_flags("side that fires: mine", "side that fires: the enemy's"), *_steps("dice still to roll", 6, 19),
    *_flags("my pike's cancellation is used", "the enemy's pike's is"),
]  # fmt: skip
NUMBERS: Columns = [
    ("sighted on a die up to", 6), ("units a canoe", 2), ("leaders a canoe", 2),
    ("Kamehameha: so many of his list", 7), ("the Allies: so many of their list", 7),
    ("first month", 11), ("last month", 11), ("decks reshuffled in month", 11), ("final_check", 1),
    ("sea_victor is assault", 1),
]  # fmt: skip
LISTS = tuple(f"{who}: {which}" for who in ("Kamehameha", "the Allies") for which in ("all", "some", "any"))

_LAYOUT: tuple[tuple[str, tuple[str, ...], Columns, str], ...] = (
    ("observer", (), _flags("Kamehameha", "the Allies"), "who observes"),
    ("decider", (), _flags("I", "the enemy", "nobody"), "who decides; nobody: chance, or the game is over"),
    ("half", (), _flags(*OWN), "whose half of the turn"),
    ("month", (), _flags(*MONTHS[1:]), "the turn"),
    ("phase", (), _flags(*PHASES), "the phase"),
    ("outcome", (), _flags("I won", "the enemy won", "tie", *(reason or "none" for reason in REASONS[1:])),
    "who won and why; zeros before the end"),
    ("kauai", (), _flags("with me", "with the enemy", "with nobody"), "whom Kaua'i stands with"),
    ("dealt", (), _flags("dealt"), "the card in effect was dealt, not drawn"),
    ("event_played", (), _flags(*OWN), "a held event was played this half"),
    ("bonus", (), [*_steps("advantage roll", 2, 9), *_steps("gunpowder dice", 2, 9), ("no sighting", 1)],
    "bonuses of the half"),
    ("fleet_moves", (), _steps("fleet moves", 4, 39), "fleet moves left"),
    ("homes", (), _steps("pieces", 3, 39), "pieces that still go home"),
    ("window", (), _flags("movement", "sighting", "battle"), "the window of held events"),
    ("setup", (), [("next piece", N_PIECES), *_steps("my warriors of choice", 2, 39), *_steps("the enemy's", 2, 39)],
    "set-up: which piece comes next, by its number; warriors of choice left"),
    ("cargo", (), [*_steps("units", 2, 2), *_steps("leaders", 2, 2)], "aboard the fleet that is being loaded"),
    ("then", (), _flags(*FOLLOWING_NAMES), "the phase that follows a window or a withdrawal"),
    ("errand", (), _flags("a beaten fleet", "attackers with canoes", "marchers", "defenders"), "who withdraws"),
    ("canoes_lost", (), _steps("canoes", 2, 39), "canoes of the beaten fleet still to be lost"),
    ("battle", (), BATTLE, "the battle"),
    ("spaces", SPACES, SPACE, "one row a space"),
    ("recruits", WANTS, _steps("to come", 2, 39), "recruits still to come"),
    ("pieces", tuple(str(n + 1) for n in range(N_PIECES)), PIECE,
    "one row a piece: kind, owner, where it stands, its space (at sea the one it is bound for), "
     "where it came from, marks; in hand: the unit that fires, the canoe that moves, the piece that is placed next"),
    ("cards", tuple(f"{side} {n}" for side in ("kamehameha", "allied") for n in range(1, N_NUMBERS + 1)), CARD_,
     "one row a card: whose and where it is; the ruleset's fleet moves and recruits"),
    ("kinds", KINDS, [("strength", 6), *_flags("elite", "plus", "gunpowder", "pike")],
    "the ruleset's numbers of each kind of piece"),
    ("lists", SPACES, _flags("fort", *LISTS), "the ruleset's forts, and which spaces each side's victory asks for"),
    ("results",
     tuple(f"{role}, {kind}, {face}" for role in ("attacker", "defender") for kind in ("plain", "elite")
           for face in range(1, 7)),
     _flags(*RESULTS), "the ruleset's battle results: who fires, a unit of which sort, the die"),
    ("numbers", (), NUMBERS, "the ruleset's other numbers, the options"),
    ("digest", (), _flags(*(f"bit {n}" for n in range(DIGEST))),
    "a digest of all other rules of the ruleset and the scenario: equal where they are equal"),
)  # fmt: skip


def _parts() -> tuple[Part, ...]:
    parts: list[Part] = []
    at = 0
    for name, rows, columns, what in _LAYOUT:
        shape = (len(rows), len(columns)) if rows else (len(columns),)
        parts.append(
            Part(name, shape, at, rows, tuple(n for n, _ in columns), tuple(high for _, high in columns), what)
        )
        at += len(columns) * max(1, len(rows))
    return tuple(parts)


PARTS = _parts()
"""The layout, part by part."""

RAW_HIGH: NDArray[np.int8] = np.concatenate([np.tile(np.array(p.high, np.int8), max(1, len(p.rows))) for p in PARTS])
"""The greatest raw value of each place, int8[SIZE]."""
SIZE: int = len(RAW_HIGH)
LOW = np.zeros(SIZE, np.float32)
HIGH = np.ones(SIZE, np.float32)
SCALE: NDArray[np.float32] = (1.0 / RAW_HIGH).astype(np.float32)
ONES: NDArray[np.int8] = np.ones(SIZE, np.int8)
"""The scale of raw values."""

(
    O_OBSERVER, O_DECIDER, O_HALF, O_MONTH, O_PHASE, O_OUTCOME, O_KAUAI, O_DEALT, O_EVENT_PLAYED, O_BONUS,
    O_FLEET_MOVES, O_HOMES,
    O_WINDOW, O_SETUP, O_CARGO, O_THEN, O_ERRAND, O_CANOES_LOST, O_BATTLE, O_SPACES, O_RECRUITS, O_PIECES, O_CARDS,
    O_KINDS,
    O_LISTS, O_RESULTS, O_NUMBERS, O_DIGEST,
) = (part.offset for part in PARTS)  # fmt: skip

HEAD = O_PIECES
"""So many values are written anew each time."""
KEY_SIZE = HEAD + 3 * N_PIECES + 9
"""Length of a position's key, see `write_key`."""

# Columns of a piece's row, a space's, a card's; where what belongs to the battle stands.
(C_KIND, C_OWNER, C_STANDING, C_SPACE, C_CAME, C_MARKS) = (0, 22, 25, 31, 38, 46)
PIECE_WIDTH, SPACE_WIDTH, CARD_WIDTH, RECRUIT_WIDTH = len(PIECE), len(SPACE), len(CARD_), 3
S_BOUND, S_PICKUP, S_FIELD, S_FROM, S_REFUGE = 9, 11, 12, 13, 14
B_SECOND, B_EARTHWORKS, B_WAR, B_FIRST_DIE, B_ADVANTAGE, B_TURN, B_GUNS, B_FIRING, B_DICE, B_PIKE = (
    3, 4, 5, 14, 20, 22, 24, 25, 27, 34,
)  # fmt: skip
ON_LAND, IN_BOX, IS_DEAD, IS_ABOARD, IN_WAR, AT_SEA = range(6)
# A piece's row as one number, from the highest bits: place, where it came from, marks, whose.
PLACE_SHIFT, CAME_SHIFT, MARKS_SHIFT = 12, 8, 2
N_MARKS = len(MARKS)
# What is told already: the codes of the pieces, who observes, two of the cards. And room for codes, sorted ones too.
SHOWN_PLAYER, SHOWN_LEFT, SHOWN_HELD = range(N_PIECES, N_PIECES + 3)
N_SHOWN = N_PIECES + 3
NEW, OLD, N_CODES = N_PIECES, 2 * N_PIECES, 3 * N_PIECES


def value_names() -> list[str]:
    """A name for each value of the vector, as ``pieces[3, kona]``; length SIZE."""
    names: list[str] = []
    for part in PARTS:
        for row in part.rows or ("",):
            names += [f"{part.name}[{row + ', ' if row else ''}{column}]" for column in part.columns]
    return names


# What never changes in a game

TOLD = (
    "kind", "first", "count", "strength", "elite", "plus", "gun", "pike", "results", "sighted_up_to", "units_a_canoe",
    "leaders_a_canoe",
    "fort", "win_all", "win_some", "win_some_n", "win_any", "first_month", "last_month", "reshuffle_month", "fleets",
    "recruit",
    "final_check", "assault",
)  # fmt: skip
"""Fields of the tables that the vector tells by number; the others go into the digest."""


def digest_bits(tables: Any) -> list[int]:
    """Return the bits of `digest`: SHA-256 of the fields that are not in `TOLD`."""
    digest = hashlib.sha256()
    for name, _ in TABLE_FIELDS:
        if name not in TOLD:
            values = np.array(tables[name], np.int64).reshape(-1)
            digest.update(name.encode() + values.astype("<i8").tobytes())
    value = int.from_bytes(digest.digest()[: DIGEST // 8], "big")
    return [value >> n & 1 for n in range(DIGEST)]


def template(tables: Any) -> NDArray[np.int8]:
    """What a ruleset and a scenario say, as raw values, int8[SIZE]; zeros where the position is told.

    Args:
        tables: the record of the tables, see `rules.tables`.
    """
    out = np.zeros(SIZE, np.int8)
    parts = {part.name: out[part.offset :][: int(np.prod(part.shape))].reshape(part.shape) for part in PARTS}
    parts["pieces"][np.arange(N_PIECES), C_KIND + tables["kind"]] = 1
    recruit = tables["recruit"].reshape(N_CARDS, N_WANTS)
    for side in (0, 1):
        rows, first, n = slice(side * N_NUMBERS, (side + 1) * N_NUMBERS), FIRST_OF_SIDE[side], KINDS_OF_SIDE[side]
        parts["cards"][rows, 5 : 5 + n] = recruit[rows, first : first + n]
        parts["cards"][rows, -2:] = recruit[rows, N_KINDS:]
    parts["cards"][:, 4] = tables["fleets"]
    present = tables["count"] > 0
    pieces = np.where(present, tables["first"], 0)
    for column, name in enumerate(("strength", "elite", "plus", "gun", "pike")):
        parts["kinds"][:, column] = np.where(present, tables[name][pieces], 0)
    parts["lists"][:, 0] = tables["fort"]
    for side in (0, 1):
        for column, name in enumerate(("win_all", "win_some", "win_any")):
            mask = int(tables[name][side])
            parts["lists"][:, 1 + 3 * side + column] = [mask >> space & 1 for space in range(N_SPACES)]
    parts["results"][np.arange(24), tables["results"]] = 1
    parts["numbers"][:] = [
        tables["sighted_up_to"], tables["units_a_canoe"], tables["leaders_a_canoe"], *tables["win_some_n"],
        tables["first_month"], tables["last_month"], tables["reshuffle_month"], tables["final_check"],
        tables["assault"],
    ]  # fmt: skip
    parts["digest"][:] = digest_bits(tables)
    return out


# What the position is


@rule
def one_hot(out: Any, offset: int, value: int) -> None:
    """Set one value of a part, unless `value` is negative."""
    if value >= 0:
        out[offset + value] = 1


@rule
def put_steps(out: Any, scale: Any, at: int, value: int, steps: int) -> None:
    """A number in steps, from `at` on: 1 for each that it reaches, then what is beyond them."""
    for i in range(min(value, steps)):
        out[at + i] = 1
    if value > steps:
        out[at + steps] = (value - steps) * scale[at + steps]


@rule
def seen_as(side: int, player: int) -> int:
    """A side as the player sees it: 0 his own, 1 the enemy's, 2 nobody's."""
    if side == NEUTRAL:
        return 2
    return 0 if side == player else 1


@rule
def put_row(out: Any, at: int, code: int, player: int, value: int) -> None:
    """Set what a piece's row tells of the position: value 1 writes it, 0 takes it away again."""
    place = code >> PLACE_SHIFT
    came = (code >> CAME_SHIFT) & 15
    out[at + C_OWNER + seen_as(code & 3, player)] = value
    if place < N_SPACES:
        out[at + C_STANDING] = value
        out[at + C_SPACE + place] = value
    elif place < SEA:
        out[at + C_STANDING + place - BOX + IN_BOX] = value
    else:
        out[at + C_STANDING + AT_SEA] = value
        out[at + C_SPACE + place - SEA] = value
    if came:
        out[at + C_CAME + came - 1] = value
    marks = (code >> MARKS_SHIFT) & 63
    if marks:
        for i in range(N_MARKS):
            if (marks >> i) & 1:
                out[at + C_MARKS + i] = value


@rule
def code_pieces(rules: Any, state: Any, codes: Any) -> None:
    """Each piece's row as one number, see PLACE_SHIFT. Several short loops: the compiler makes vectors of them."""
    for piece in range(N_PIECES):
        codes[piece] = (state.place[piece] << PLACE_SHIFT) + (state.came[piece] << CAME_SHIFT)
    for piece in range(N_PIECES):
        codes[piece] += (state.panicked[piece] + 2 * state.fired[piece]) << MARKS_SHIFT
    for piece in range(N_PIECES):
        codes[piece] += (4 * state.carried[piece] + 8 * state.marched[piece]) << MARKS_SHIFT
    for piece in range(N_PIECES):
        place = state.place[piece]
        codes[piece] += rules.side[piece] if place in (BOX, DEAD) else state.owner[piece]
    if is_fought(state):
        attackers = state.field if state.battle != SEA_BATTLE else SEA + state.field
        defenders = state.field if state.battle != SEA_BATTLE else WAR
        for piece in range(N_PIECES):
            if state.place[piece] in (attackers, defenders) and not rules.canoe[piece]:
                codes[piece] += 16 << MARKS_SHIFT
    hand = state.fleet
    if state.phase in (HIT_DIE, LOSS, PANIC_LOSS):
        hand = state.firer
    elif state.phase == SETUP:
        hand = state.setup_piece
    if 0 <= hand < N_PIECES:
        codes[hand] += 32 << MARKS_SHIFT


@rule
def write_piece_rows(rules: Any, state: Any, player: int, codes: Any, shown: Any, out: Any) -> None:
    """The pieces' rows. Only those that tell something else than `shown` are written; see `write_observation`."""
    code_pieces(rules, state, codes)
    if shown[SHOWN_PLAYER] != player:
        if shown[SHOWN_PLAYER] >= 0:  # the other player looks on: mine is the enemy's
            for row in range(N_PIECES):
                at = O_PIECES + row * PIECE_WIDTH + C_OWNER
                mine = out[at]
                out[at] = out[at + 1]
                out[at + 1] = mine
        shown[SHOWN_PLAYER] = player
    changed = 0
    for piece in range(N_PIECES):
        changed |= codes[piece] ^ shown[piece]
    if not changed:
        return
    piece = 0
    while piece < N_PIECES:
        if codes[piece] == shown[piece]:
            piece += 1
            continue
        # A piece of this kind has changed: compare the kind's rows as they are sorted now with those before.
        first = rules.first[rules.kind[piece]]
        last = first + rules.count[rules.kind[piece]]
        put_sorted(codes, first, last, codes, NEW)
        put_sorted(shown, first, last, codes, OLD)
        for row in range(first, last):
            code, before = codes[NEW + row], codes[OLD + row]
            if code != before:
                if before >= 0:
                    put_row(out, O_PIECES + row * PIECE_WIDTH, before, player, 0)
                put_row(out, O_PIECES + row * PIECE_WIDTH, code, player, 1)
            shown[row] = codes[row]
        piece = last


@rule
def put_sorted(source: Any, first: int, last: int, out: Any, at: int) -> None:
    """Write source[first:last] in ascending order to `out`, from at + first on."""
    for i in range(first, last):
        value = source[i]
        row = i
        while row > first and out[at + row - 1] > value:
            out[at + row] = out[at + row - 1]
            row -= 1
        out[at + row] = value


@rule
def is_fought(state: Any) -> bool:
    """A battle is being fought; also one in the middle of which the game ended."""
    phase = state.phase
    if phase == OVER:
        return state.field >= 0
    return phase in (FIRE, LOSS, PANIC_LOSS, ADVANTAGE, HIT_DIE)


@rule
def write_fight(state: Any, player: int, scale: Any, out: Any) -> None:
    """The battle, as far as the phase shows it."""
    phase = state.phase
    fought = is_fought(state)
    sea_loser = phase == WITHDRAW and state.next_phase == SEA_LOSER
    leaving = phase == RETREAT and state.errand == BY_DEFENDER
    if not (fought or sea_loser or leaving or (phase == WINDOW and state.window == WINDOW_BATTLE)):
        return
    out[O_BATTLE + state.battle] = 1
    if fought or leaving:
        out[O_BATTLE + B_SECOND] = state.second
    if state.first_die:
        out[O_BATTLE + B_FIRST_DIE + state.first_die - 1] = 1
    if (fought or sea_loser) and state.advantage >= 0:
        out[O_BATTLE + B_ADVANTAGE + seen_as(state.advantage, player)] = 1
    put_steps(out, scale, O_BATTLE + B_DICE, state.dice, 6)
    if fought:
        if phase != ADVANTAGE:
            out[O_BATTLE + B_TURN + seen_as(state.turn_side, player)] = 1
            out[O_BATTLE + B_GUNS] = state.guns
            out[O_BATTLE + B_FIRING + seen_as(state.firing, player)] = 1
        out[O_BATTLE + B_PIKE] = state.pike_used[player]
        out[O_BATTLE + B_PIKE + 1] = state.pike_used[1 - player]


@rule
def write_spaces(rules: Any, state: Any, player: int, scale: Any, out: Any) -> None:
    """The spaces' rows."""
    for side in range(3):
        column = seen_as(side, player)
        for space in range(N_SPACES):
            at = O_SPACES + space * SPACE_WIDTH + column
            here = side * N_SPACES + space
            if state.units[here]:
                out[at] = min(state.units[here], MANY) * scale[at]
                out[at + 6] = min(state.leaders[here], MANY) * scale[at + 6]
            if state.canoes[here]:
                out[at + 3] = min(state.canoes[here], MANY) * scale[at + 3]
    for space in range(N_SPACES):
        if state.at_sea[space]:
            units = 0
            for piece in range(N_PIECES):
                if state.place[piece] == SEA + space and not rules.canoe[piece]:
                    units += 1
            at = O_SPACES + space * SPACE_WIDTH + S_BOUND
            out[at] = min(units, MANY) * scale[at]
            out[at + 1] = min(state.at_sea[space], MANY) * scale[at + 1]
    if state.fleet >= 0 and state.pickup >= 0:
        out[O_SPACES + state.pickup * SPACE_WIDTH + S_PICKUP] = 1
    if state.field >= 0:
        out[O_SPACES + state.field * SPACE_WIDTH + S_FIELD] = 1
    if state.from_space >= 0:
        out[O_SPACES + state.from_space * SPACE_WIDTH + S_FROM] = 1
    if state.phase == RETREAT and state.errand == BY_MARCHERS and state.refuge >= 0:
        out[O_SPACES + state.refuge * SPACE_WIDTH + S_REFUGE] = 1


@rule
def write_cards(state: Any, player: int, shown: Any, out: Any) -> None:
    """Where the cards are, unless `shown` says that it is there already."""
    left = (((state.left[0] >> 1) << 9) + (state.left[1] >> 1) << 6) + 2 * (state.card + 1) + player
    held = ((state.held[0] >> 1) << 9) + (state.held[1] >> 1)
    if shown[SHOWN_LEFT] == left and shown[SHOWN_HELD] == held:
        return
    shown[SHOWN_LEFT] = left
    shown[SHOWN_HELD] = held
    for side in range(2):
        for number in range(1, N_NUMBERS + 1):
            card = card_of(side, number)
            at = O_CARDS + card * CARD_WIDTH
            out[at] = 1 if side == player else 0
            out[at + 1] = (state.left[side] >> number) & 1
            out[at + 2] = (state.held[side] >> number) & 1
            out[at + 3] = 1 if state.card == card else 0


@rule
def write_turn(state: Any, player: int, scale: Any, out: Any) -> None:
    """The calendar, the phase and what is left to do in the half."""
    phase = state.phase
    out[O_OBSERVER + player] = 1
    out[O_DECIDER + (2 if phase > LAST_DECISION else seen_as(state.decider, player))] = 1
    out[O_HALF + seen_as(state.half, player)] = 1
    out[O_MONTH + state.month - 1] = 1
    out[O_PHASE + min(phase, OVER)] = 1
    if state.winner >= 0:
        out[O_OUTCOME + (2 if state.winner == TIE else seen_as(state.winner, player))] = 1
        if state.reason > 0:
            out[O_OUTCOME + 2 + state.reason] = 1
    out[O_KAUAI + seen_as(state.kauai, player)] = 1
    out[O_DEALT] = state.fixed
    out[O_EVENT_PLAYED] = state.event_played[player]
    out[O_EVENT_PLAYED + 1] = state.event_played[1 - player]
    put_steps(out, scale, O_BONUS, state.advantage_bonus, 2)
    put_steps(out, scale, O_BONUS + 3, state.gunpowder_bonus, 2)
    out[O_BONUS + 6] = state.no_sighting
    put_steps(out, scale, O_FLEET_MOVES, state.fleet_moves, 4)
    put_steps(out, scale, O_HOMES, state.homes, 3)
    one_hot(out, O_WINDOW, state.window - 1)
    for want in range(N_WANTS):
        if state.want[want]:
            put_steps(out, scale, O_RECRUITS + want * RECRUIT_WIDTH, state.want[want], 2)
    if phase == SETUP:
        out[O_SETUP] = state.setup_piece * scale[O_SETUP]
    put_steps(out, scale, O_SETUP + 1, state.setup_choice[player], 2)
    put_steps(out, scale, O_SETUP + 4, state.setup_choice[1 - player], 2)


@rule
def write_head(rules: Any, state: Any, player: int, scale: Any, out: Any) -> None:
    """Write the first HEAD values: all but the rows of pieces and cards, and what the ruleset says."""
    for i in range(HEAD):
        out[i] = 0
    write_turn(state, player, scale, out)
    phase = state.phase
    if state.fleet >= 0:
        put_steps(out, scale, O_CARGO, state.aboard_units, 2)
        put_steps(out, scale, O_CARGO + 2, state.aboard_leaders, 2)
    out[O_BATTLE + B_EARTHWORKS] = state.earthworks
    if phase == COMMIT:
        put_steps(out, scale, O_BATTLE + B_WAR, state.war_canoes, 2)
        put_steps(out, scale, O_BATTLE + B_WAR + 3, state.war_units, 2)
        put_steps(out, scale, O_BATTLE + B_WAR + 6, state.war_leaders, 2)
    write_fight(state, player, scale, out)
    if phase in (RETREAT, CANOE_LOSS, WITHDRAW):
        one_hot(out, O_ERRAND, state.errand - 1)
        put_steps(out, scale, O_CANOES_LOST, state.canoes_lost, 2)
    if phase in (WINDOW, WITHDRAW):
        for i in range(len(FOLLOWING)):
            if state.next_phase == FOLLOWING[i]:
                out[O_THEN + i] = 1
    write_spaces(rules, state, player, scale, out)


@rule
def write_observation(rules: Any, state: Any, player: int, scale: Any, codes: Any, shown: Any, out: Any) -> None:
    """Write what `player` (0 or 1) sees of the position into an observation.

    Args:
        rules: the tables.
        state: the position.
        player: who observes.
        scale: by place what raw values are multiplied with: `SCALE`, or `ONES` for the raw ones.
        codes: a buffer of N_CODES numbers.
        shown: N_SHOWN numbers: what `out` tells of pieces and cards already, all -1 if it tells nothing yet.
            Overwritten. Most of what happens moves few pieces, so most rows stay.
        out: the observation: a copy of `template`, scaled alike, or one written before.
    """
    write_head(rules, state, player, scale, out)
    write_piece_rows(rules, state, player, codes, shown, out)
    write_cards(state, player, shown, out)


@rule
def write_key(rules: Any, state: Any, codes: Any, out: Any) -> None:
    """Write the key of the public position, int8[KEY_SIZE]: equal where two observations of it are equal.

    It is the head of the raw observation and, in place of the rows of pieces and cards, what they tell in short: the
    pieces' codes, sorted by kind, and the cards of both sides.
    """
    write_head(rules, state, 0, ONES, out)
    code_pieces(rules, state, codes)
    piece = 0
    while piece < N_PIECES:
        last = piece + rules.count[rules.kind[piece]]
        put_sorted(codes, piece, last, codes, NEW)
        piece = last
    at = HEAD
    for row in range(N_PIECES):
        code = codes[NEW + row]
        out[at] = code & 127
        out[at + 1] = (code >> 7) & 127
        out[at + 2] = code >> 14
        at += 3
    for side in range(2):
        out[at] = state.left[side] & 127
        out[at + 1] = state.left[side] >> 7
        out[at + 2] = state.held[side] & 127
        out[at + 3] = state.held[side] >> 7
        at += 4
    out[at] = state.card + 1
