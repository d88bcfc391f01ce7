"""The observation: tokens and flags from 0 to 1, as the observer sees them [7.2].

Sides are mine and the enemy's; only `observer` names the side. A category is one value a choice, all 0 but
one; a small number is a row of steps ("1 or more", "2 or more", ...) with what is beyond them as a share; no value
packs two things. Nothing is hidden in this game, so the vector is complete: two views never look alike, but for the
count of decisions, and neither do two rulesets whose rules differ.

Pieces of one kind are interchangeable, so their rows are sorted. What a ruleset says never changes in a game: it is
written once, from `template`.

What is the same in every position of every valid ruleset has no value here:

- the kinds of the pieces' rows: pieces stand in the order of their kinds, so `counts` says which row is of which kind,
  and only the kinds of `models.VARIABLE` may have another count than one [3.1];
- neutral pieces in other spaces than Kaua'i, and neutral leaders: Kaua'i's pieces leave it only when they have joined a
  side, and none of them is a leader [2.0, 3.1]; what stands there neutral is in `kauai`;
- recruits that no card may bring: Kamehameha, Kaua'i's pieces, and his canoe by its kind, as a canoe of his is any
  canoe [9.0]; and recruits of the other side;
- strength and marks of canoes, which never fire [11.2].

A row keeps its width where a column is idle in a few rows: nobody of the first thirteen pieces is ever neutral.

One file: the layout, and the code that writes it by difference, change together.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.jit import rule

from .models import VARIABLE
from .rules.actions import KIND_OF_CANOE
from .rules.names import (
    ADVANTAGE,
    BATTLE_BEGIN,
    BOX,
    BY_DEFENDER,
    BY_MARCHERS,
    CANOE_LOSS,
    CARGO,
    COMMIT,
    DEAD,
    FIRE,
    HIT_DIE,
    K_CANOE,
    K_KALANI,
    K_KAMEHAMEHA,
    K_KAUAI_CANOE,
    K_KAUAI_WARRIOR,
    KAUAI,
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
    PICKUP,
    REASONS,
    RECRUIT,
    RESULTS,
    RETREAT,
    SAIL,
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
from .rules.tables import TABLES


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
    """Return a number from 0 to `most`: one value for each of the first steps, and what is beyond them as a share."""
    beyond = [(f"{name}, beyond {steps}", most - steps)] if most > steps else []
    return [*_flags(*(f"{name}, {n} or more" for n in range(1, steps + 1))), *beyond]


OWN = ("mine", "the enemy's")
UNIT_KINDS = tuple(kind for kind in range(N_KINDS) if kind not in KIND_OF_CANOE)
"""Kinds that fight."""
COUNTED = tuple(KINDS.index(kind) for kind in VARIABLE)
"""Kinds of which a ruleset may have another number of pieces than one."""
WANTED = tuple(w for w in range(N_WANTS) if w not in (K_KAMEHAMEHA, K_CANOE, K_KAUAI_WARRIOR, K_KAUAI_CANOE))
"""Recruits that a card may bring: kinds, any warrior, any canoe."""
WANTS = (*KINDS, "any warrior", "any canoe")
OF_KAMEHAMEHA = tuple(w for w in WANTED if w < K_KALANI or w >= N_KINDS)
OF_ALLIES = tuple(w for w in WANTED if w >= K_KALANI)
"""Recruits that the cards of a side may bring."""
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
    *_flags("mine", "the enemy's", "neutral"), *_flags(*STANDING), *_flags(*SPACES),
    *_flags(*(f"came from {space}" for space in SPACES), "turned"), *_flags(*MARKS),
]  # fmt: skip
SPACE: Columns = [
    *((f"{what}, {whose}", MANY) for what in ("units", "canoes", "leaders") for whose in OWN),
    ("units bound for it", MANY), ("canoes bound for it", MANY),
    *_flags("pick-up", "field", "left by canoes", "refuge"),
]  # fmt: skip
CARD_: Columns = [*_flags("my card", "in the deck", "held", "in effect"), ("fleet moves", 10)]
BATTLE: Columns = [
    *_flags("invasion", "overland", "sea", "second battle", "earthworks"),
    *_flags(*(f"Kamehameha's advantage die {face}" for face in range(1, 7))),
    *_flags("advantage: mine", "advantage: the enemy's", "next to fire: me", "next to fire: the enemy",
    "gunpowder fires"),
    *_flags("side that fires: mine", "side that fires: the enemy's"),
    *_flags("my pike's cancellation is used", "the enemy's pike's is"),
]  # fmt: skip
NUMBERS: Columns = [
    ("sighted on a die up to", 6), ("units a canoe", 2), ("leaders a canoe", 2),
    ("Kamehameha: so many of his list", 7), ("the Allies: so many of their list", 7),
    ("first month", 11), ("last month", 11), ("decks reshuffled in month", 11), ("final_check", 1),
    ("sea_victor is assault", 1),
]  # fmt: skip
LISTS = tuple(f"{who}: {which}" for who in ("Kamehameha", "the Allies") for which in ("all", "some", "any"))
ENDS = tuple(reason.replace("after November", "after November, option final_check") for reason in REASONS[1:])
"""The layout's hash is taken of names like these."""
CARDS = tuple(f"{side} {n}" for side in ("kamehameha", "allied") for n in range(1, N_NUMBERS + 1))

_LAYOUT: tuple[tuple[str, tuple[str, ...], Columns, str], ...] = (
    ("observer", (), _flags("Kamehameha", "the Allies"), "who observes"),
    ("decider", (), _flags("I", "the enemy", "nobody"), "who decides; nobody: chance, or the game is over"),
    ("half", (), _flags(*OWN), "whose half of the turn"),
    ("month", (), _flags(*MONTHS[1:]), "the turn"),
    ("kauai", (), _flags("with me", "with the enemy", "with nobody"), "whom Kaua'i stands with"),
    ("dealt", (), _flags("dealt"), "the card in effect was dealt, not drawn"),
    ("event_played", (), _flags(*OWN), "a held event was played this half"),
    ("no_sighting", (), _flags("no sighting"), "no fleet is sighted this half"),
    ("window", (), _flags("movement", "sighting", "battle"), "the window of held events"),
    ("phase", (), _flags(*PHASES), "the phase"),
    ("pending_retreat", (), _flags("a beaten fleet", "attackers with canoes", "marchers", "defenders"),
     "who withdraws"),
    ("outcome", (), _flags("I won", "the enemy won", "tie", *ENDS),
    "who won and why; zeros before the end"),
    ("then", (), _flags(*FOLLOWING_NAMES), "the phase that follows a window or a withdrawal"),
    ("battle", (), BATTLE, "the battle"),
    ("dice", (), _steps("dice", 6, 19), "dice that the unit that fires has still to roll"),
    ("bonus", (), [*_steps("advantage roll", 2, 9), *_steps("gunpowder dice", 2, 9)], "bonuses of the half"),
    ("fleet_moves", (), _steps("fleet moves", 4, 39), "fleet moves left"),
    ("homes", (), _steps("pieces", 3, 39), "pieces that still go home"),
    ("setup", (), [("next piece", N_PIECES), *_steps("my warriors of choice", 2, 39), *_steps("the enemy's", 2, 39)],
    "set-up: which piece comes next, by its number; warriors of choice left"),
    ("cargo", (), [*_steps("units", 2, 2), *_steps("leaders", 2, 2)], "aboard the fleet that is being loaded"),
    ("war_fleet", (), [*_steps("canoes", 2, 39), *_steps("units", 2, 39), *_steps("leaders", 2, 39)],
    "the war fleet that is being committed"),
    ("canoes_lost", (), _steps("canoes", 2, 39), "canoes of the beaten fleet still to be lost"),
    ("recruits", tuple(WANTS[want] for want in WANTED), _steps("to come", 2, 39), "recruits still to come"),
    ("neutral", (), [("units", MANY), ("canoes", MANY)], "pieces of Kaua'i that stand there neutral"),
    ("spaces", SPACES, SPACE, "one row a space"),
    ("pieces", tuple(str(n + 1) for n in range(N_PIECES)), PIECE,
    "one row a piece, kind by kind: owner, where it stands, its space (at sea the one it is bound for), "
     "where it came from, marks; in hand: the unit that fires, the canoe that moves, the piece that is placed next"),
    ("cards", CARDS, CARD_, "one row a card: whose and where it is; the ruleset's fleet moves"),
    ("kamehameha_recruits", CARDS[:N_NUMBERS], [(WANTS[want], 9) for want in OF_KAMEHAMEHA],
    "the ruleset's recruits of his cards"),
    ("allied_recruits", CARDS[N_NUMBERS:], [(WANTS[want], 9) for want in OF_ALLIES],
    "the ruleset's recruits of their cards"),
    ("counts", (), [(KINDS[kind], N_PIECES) for kind in COUNTED],
    "how many pieces the ruleset has of the kinds of which it may have several"),
    ("kinds", tuple(KINDS[kind] for kind in UNIT_KINDS),
    [("strength", 6), *_flags("elite", "plus", "gunpowder", "pike")],
    "the ruleset's numbers of each kind of unit and leader"),
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
    O_OBSERVER, O_DECIDER, O_HALF, O_MONTH, O_KAUAI, O_DEALT, O_EVENT_PLAYED, O_NO_SIGHTING, O_WINDOW, O_PHASE,
    O_PENDING_RETREAT, O_OUTCOME, O_THEN, O_BATTLE, O_DICE, O_BONUS, O_FLEET_MOVES, O_HOMES, O_SETUP, O_CARGO,
    O_WAR_FLEET, O_CANOES_LOST, O_RECRUITS, O_NEUTRAL, O_SPACES, O_PIECES, O_CARDS, O_KAMEHAMEHA_RECRUITS,
    O_ALLIED_RECRUITS, O_COUNTS, O_KINDS, O_LISTS, O_RESULTS, O_NUMBERS, O_DIGEST,
) = (part.offset for part in PARTS)  # fmt: skip

# Columns of a piece's row and of a space's; where what belongs to the battle stands.
C_OWNER, C_STANDING, C_SPACE, C_ORIGIN, C_MARKS = 0, 3, 9, 16, 24
PIECE_WIDTH, SPACE_WIDTH, CARD_WIDTH, RECRUIT_WIDTH = len(PIECE), len(SPACE), len(CARD_), 3
S_CANOES, S_LEADERS, S_BOUND, S_PICKUP, S_FIELD, S_FROM, S_REFUGE = 2, 4, 6, 8, 9, 10, 11
B_SECOND, B_EARTHWORKS, B_FIRST_DIE, B_ADVANTAGE, B_TURN, B_GUNS, B_FIRING, B_PIKE = 3, 4, 5, 11, 13, 15, 16, 18
ON_LAND, IN_BOX, IS_DEAD, IS_ABOARD, IN_WAR, AT_SEA = range(6)

# What a player sees, in numbers: each piece's row, flags by the bit, numbers, spaces, cards. See `describe`.
PLACE_SHIFT, ORIGIN_SHIFT, MARKS_SHIFT = 12, 8, 2
"""A piece's row from the highest bits: place, where it came from, marks, whose."""
TURN, ASKED, ENDED, FOUGHT = range(N_PIECES, N_PIECES + 4)
FLAGS_AT: NDArray[np.int64] = np.array([O_OBSERVER, O_PHASE, O_OUTCOME, O_BATTLE, O_DICE])
"""The begin and the end of the flags of each of these four in the observation."""
FIRST_NUMBER = FOUGHT + 1
STEPS_AT: NDArray[np.int64] = np.array([
    O_DICE, O_BONUS, O_BONUS + 3, O_FLEET_MOVES, O_HOMES, O_SETUP, O_SETUP + 1, O_SETUP + 4, O_CARGO, O_CARGO + 2,
    O_WAR_FLEET, O_WAR_FLEET + 3, O_WAR_FLEET + 6, O_CANOES_LOST,
    *range(O_RECRUITS, O_NEUTRAL, RECRUIT_WIDTH), O_NEUTRAL,
])  # fmt: skip
"""The begin and the end of the steps of each number."""
N_STEPS: NDArray[np.int64] = np.array([6, 2, 2, 4, 3, 0, 2, 2, 2, 2, 2, 2, 2, 2, *[2] * len(WANTED)])
"""The number of steps of each number."""
FIRST_WANT = FIRST_NUMBER + len(N_STEPS) - len(WANTED)
FIELDS, LEFT, HELD = range(FIRST_WANT + len(WANTED), FIRST_WANT + len(WANTED) + 3)
N_CODES = HELD + 1
# What an observation shows already: the codes of the position, the rows as they stand, who observes.
SHOWN_ROWS, SHOWN_PLAYER = N_CODES, N_CODES + N_PIECES
N_SHOWN = SHOWN_PLAYER + 1


def value_names() -> list[str]:
    """Return a name for each value of the vector, as ``pieces[3, kona]``; length SIZE."""
    names: list[str] = []
    for part in PARTS:
        for row in part.rows or ("",):
            names += [f"{part.name}[{row + ', ' if row else ''}{column}]" for column in part.columns]
    return names


# What never changes in a game

SHOWN_FIELDS = (
    "kind", "first", "count", "strength", "elite", "plus", "gun", "pike", "results", "sighted_up_to", "units_a_canoe",
    "leaders_a_canoe",
    "fort", "win_all", "win_some", "win_some_n", "win_any", "first_month", "last_month", "reshuffle_month", "fleets",
    "recruit",
    "final_check", "assault",
)  # fmt: skip
"""Fields of the tables that the vector tells by number; the others go into the digest."""


def digest_bits(tables: Any) -> list[int]:
    """Return the bits of `digest`: SHA-256 of the fields that are not in `SHOWN_FIELDS`."""
    digest = hashlib.sha256()
    for name in TABLES.fields:
        if name not in SHOWN_FIELDS and name != "template":
            values = np.array(getattr(tables, name), np.int64).reshape(-1)
            digest.update(name.encode() + values.astype("<i8").tobytes())
    value = int.from_bytes(digest.digest()[: DIGEST // 8], "big")
    return [value >> n & 1 for n in range(DIGEST)]


def template(tables: Any) -> NDArray[np.int8]:
    """Return what a ruleset and a scenario say, as raw values, int8[SIZE]; zeros for the values of the position.

    Args:
        tables: the record of the tables, see `rules.tables`.
    """
    out = np.zeros(SIZE, np.int8)
    parts = {part.name: out[part.offset :][: int(np.prod(part.shape))].reshape(part.shape) for part in PARTS}
    recruit = np.array(tables.recruit).reshape(2, N_NUMBERS, N_WANTS)
    parts["kamehameha_recruits"][:] = recruit[0][:, OF_KAMEHAMEHA]
    parts["allied_recruits"][:] = recruit[1][:, OF_ALLIES]
    parts["cards"][:, 4] = tables.fleets
    parts["counts"][:] = np.array(tables.count)[list(COUNTED)]
    kinds = list(UNIT_KINDS)
    present = np.array(tables.count)[kinds] > 0
    pieces = np.where(present, np.array(tables.first)[kinds], 0)
    for column, name in enumerate(("strength", "elite", "plus", "gun", "pike")):
        parts["kinds"][:, column] = np.where(present, np.array(getattr(tables, name))[pieces], 0)
    parts["lists"][:, 0] = tables.fort
    for side in (0, 1):
        for column, name in enumerate(("win_all", "win_some", "win_any")):
            mask = int(getattr(tables, name)[side])
            parts["lists"][:, 1 + 3 * side + column] = [mask >> space & 1 for space in range(N_SPACES)]
    parts["results"][np.arange(24), np.ravel(tables.results)] = 1
    parts["numbers"][:] = [
        tables.sighted_up_to, tables.units_a_canoe, tables.leaders_a_canoe, *tables.win_some_n,
        tables.first_month, tables.last_month, tables.reshuffle_month, tables.final_check,
        tables.assault,
    ]  # fmt: skip
    parts["digest"][:] = digest_bits(tables)
    return out


# What the position is


@rule
def seen_as(side: int, player: int) -> int:
    """Return a side as the player sees it: 0 his own, 1 the enemy's, 2 nobody's."""
    if side == NEUTRAL:
        return 2
    return 0 if side == player else 1


@rule
def is_fought(state: Any) -> bool:
    """Return True if a battle is being fought, or the game ended in the middle of one."""
    phase = state.phase
    if phase == OVER:
        return state.field >= 0
    return phase in (FIRE, LOSS, PANIC_LOSS, ADVANTAGE, HIT_DIE)


@rule
def describe_pieces(rules: Any, state: Any, codes: Any) -> None:
    """Write each piece's row as one number. Marks are read in the phases alone that have them: a batch has many
    positions, and each array is another wait for memory.
    """
    phase, kauai = state.phase, state.kauai
    for piece in range(N_PIECES):
        place = state.place[piece]
        side = kauai if rules.side[piece] == NEUTRAL and place not in (BOX, DEAD) else rules.side[piece]
        codes[piece] = (place << PLACE_SHIFT) + (state.arrived_from[piece] << ORIGIN_SHIFT) + side
    if phase in (MOVE, PICKUP, CARGO, SAIL, WITHDRAW, OVER):
        for piece in range(N_PIECES):
            codes[piece] += (4 * state.carried[piece] + 8 * state.marched[piece]) << MARKS_SHIFT
    fought = is_fought(state)
    if fought or phase == OVER:
        for piece in range(N_PIECES):
            codes[piece] += (state.panicked[piece] + 2 * state.fired[piece]) << MARKS_SHIFT
    if fought:
        attackers = state.field if state.battle != SEA_BATTLE else SEA + state.field
        defenders = state.field if state.battle != SEA_BATTLE else WAR
        for piece in range(N_PIECES):
            if state.place[piece] in (attackers, defenders) and not rules.canoe[piece]:
                codes[piece] += 16 << MARKS_SHIFT
    hand = state.fleet
    if phase in (HIT_DIE, LOSS, PANIC_LOSS):
        hand = state.firer
    elif phase == SETUP:
        hand = state.setup_piece
    if 0 <= hand < N_PIECES:
        codes[hand] += 32 << MARKS_SHIFT


@rule
def describe_turn(state: Any, player: int, codes: Any) -> None:
    """Write the calendar, the phase, who decides and wins, the marked spaces and the cards."""
    phase = state.phase
    decider = 2 if phase > LAST_DECISION else seen_as(state.decider, player)
    turn = (1 << (O_OBSERVER + player)) | (1 << (O_DECIDER + decider)) | (1 << (O_HALF + seen_as(state.half, player)))
    turn |= (1 << (O_MONTH + state.month - 1)) | (1 << (O_KAUAI + seen_as(state.kauai, player)))
    turn |= (state.fixed << O_DEALT) | (state.no_sighting << O_NO_SIGHTING)
    turn |= (state.event_played[player] << O_EVENT_PLAYED) | (state.event_played[1 - player] << (O_EVENT_PLAYED + 1))
    if state.window:
        turn |= 1 << (O_WINDOW + state.window - 1)
    codes[TURN] = turn
    asked = 1 << min(phase, OVER)
    if phase in (RETREAT, CANOE_LOSS, WITHDRAW) and state.pending_retreat:
        asked |= 1 << (O_PENDING_RETREAT - O_PHASE + state.pending_retreat - 1)
    codes[ASKED] = asked
    ended = 0
    if state.winner >= 0:
        ended = 1 << (2 if state.winner == TIE else seen_as(state.winner, player))
        if state.reason > 0:
            ended |= 1 << (2 + state.reason)
    elif phase in (WINDOW, WITHDRAW):
        for i in range(len(FOLLOWING)):
            if state.next_phase == FOLLOWING[i]:
                ended = 1 << (O_THEN - O_OUTCOME + i)
    codes[ENDED] = ended
    pickup = state.pickup if state.fleet >= 0 else -1
    refuge = state.refuge if phase == RETREAT and state.pending_retreat == BY_MARCHERS else -1
    codes[FIELDS] = (pickup + 1) + ((state.field + 1) << 4) + ((state.from_space + 1) << 8) + ((refuge + 1) << 12)
    codes[LEFT] = (((state.left[0] >> 1) << N_NUMBERS) + (state.left[1] >> 1) << 6) + 2 * (state.card + 1) + player
    codes[HELD] = ((state.held[0] >> 1) << N_NUMBERS) + (state.held[1] >> 1)


@rule
def describe_battle(state: Any, player: int, codes: Any) -> None:
    """Write the battle, as far as the phase shows it."""
    phase = state.phase
    fought = is_fought(state)
    sea_loser = phase == WITHDRAW and state.next_phase == SEA_LOSER
    leaving = phase == RETREAT and state.pending_retreat == BY_DEFENDER
    battle = state.earthworks << B_EARTHWORKS
    if fought or sea_loser or leaving or (phase == WINDOW and state.window == WINDOW_BATTLE):
        battle |= 1 << state.battle
        if fought or leaving:
            battle |= state.second << B_SECOND
        if state.first_die:
            battle |= 1 << (B_FIRST_DIE + state.first_die - 1)
        if (fought or sea_loser) and state.advantage >= 0:
            battle |= 1 << (B_ADVANTAGE + seen_as(state.advantage, player))
        if fought:
            if phase != ADVANTAGE:
                battle |= (1 << (B_TURN + seen_as(state.turn_side, player))) | (state.guns << B_GUNS)
                battle |= 1 << (B_FIRING + seen_as(state.firing, player))
            battle |= (state.pike_used[player] << B_PIKE) | (state.pike_used[1 - player] << (B_PIKE + 1))
    codes[FOUGHT] = battle


@rule
def describe_numbers(state: Any, player: int, codes: Any) -> None:
    """Write what is left to do, and the recruits to come, in the order of `STEPS_AT`."""
    phase, loading, committing = state.phase, state.fleet >= 0, state.phase == COMMIT
    codes[FIRST_NUMBER] = state.dice if is_fought(state) else 0
    codes[FIRST_NUMBER + 1] = state.advantage_bonus
    codes[FIRST_NUMBER + 2] = state.gunpowder_bonus
    codes[FIRST_NUMBER + 3] = state.fleet_moves
    codes[FIRST_NUMBER + 4] = state.homes
    codes[FIRST_NUMBER + 5] = state.setup_piece if phase == SETUP else 0
    codes[FIRST_NUMBER + 6] = state.setup_choice[player]
    codes[FIRST_NUMBER + 7] = state.setup_choice[1 - player]
    codes[FIRST_NUMBER + 8] = state.aboard_units if loading else 0
    codes[FIRST_NUMBER + 9] = state.aboard_leaders if loading else 0
    codes[FIRST_NUMBER + 10] = state.war_canoes if committing else 0
    codes[FIRST_NUMBER + 11] = state.war_units if committing else 0
    codes[FIRST_NUMBER + 12] = state.war_leaders if committing else 0
    codes[FIRST_NUMBER + 13] = state.canoes_lost if phase in (RETREAT, CANOE_LOSS, WITHDRAW) else 0
    for i in range(len(WANTED)):
        codes[FIRST_WANT + i] = state.want[WANTED[i]]


@rule
def describe(rules: Any, state: Any, player: int, codes: Any) -> None:
    """Write the position as `player` (0 or 1) sees it: N_CODES numbers, of which the observation is made."""
    describe_pieces(rules, state, codes)
    describe_turn(state, player, codes)
    describe_battle(state, player, codes)
    describe_numbers(state, player, codes)


@rule
def write_key(rules: Any, state: Any, key: Any) -> None:
    """Write the key of the public position, int32[N_CODES]: equal where two observations of it are equal.

    It is the codes of the position, with the pieces of each kind in ascending order.
    """
    describe(rules, state, 0, key)
    first = 0
    while first < N_PIECES:
        last = first + rules.count[rules.kind[first]]
        for piece in range(first + 1, last):
            code = key[piece]
            row = piece
            while row > first and key[row - 1] > code:
                key[row] = key[row - 1]
                row -= 1
            key[row] = code
        first = last


# The observation. A function with arrays that calls none with arrays costs no counting of references; an index that
# the compiler knows to be positive costs no look at its sign.

POSITIVE = (1 << 12) - 1


@rule
def write_flags(codes: Any, shown: Any, out: Any) -> None:
    """Write the flags that are not as they are shown."""
    for word in range(len(FLAGS_AT) - 1):
        flags = codes[TURN + word]
        if flags != shown[TURN + word]:
            shown[TURN + word] = flags
            first = FLAGS_AT[word] & POSITIVE
            for i in range(FLAGS_AT[word + 1] - first):
                out[first + i] = (flags >> i) & 1


@rule
def write_numbers(codes: Any, scale: Any, shown: Any, out: Any) -> None:
    """Write the numbers that are not as they are shown: 1 for each step reached, then what is beyond as a share."""
    for i in range(len(N_STEPS)):
        value = codes[FIRST_NUMBER + i]
        if value != shown[FIRST_NUMBER + i]:
            shown[FIRST_NUMBER + i] = value
            at, steps = STEPS_AT[i] & POSITIVE, N_STEPS[i] & POSITIVE
            for step in range(steps):
                out[at + step] = value > step
            if at + steps < STEPS_AT[i + 1]:
                out[at + steps] = max(0, value - steps) * scale[at + steps]


@rule
def write_fields(codes: Any, shown: Any, out: Any) -> None:
    """Write which spaces the fleet, the battle and those who leave are about, unless they are shown."""
    fields = codes[FIELDS]
    if shown[FIELDS] != fields:
        shown[FIELDS] = fields
        for space in range(N_SPACES):
            for column in range(4):
                out[O_SPACES + space * SPACE_WIDTH + S_PICKUP + column] = (fields >> 4 * column) & 15 == space + 1


@rule
def write_cards(codes: Any, player: int, shown: Any, out: Any) -> None:
    """Write where the cards are, unless it is shown."""
    left, held = codes[LEFT], codes[HELD]
    if shown[LEFT] == left and shown[HELD] == held:
        return
    shown[LEFT] = left
    shown[HELD] = held
    drawn = ((left >> 1) & 31) - 1
    for side in range(2):
        for number in range(N_NUMBERS):
            card = side * N_NUMBERS + number
            bit = (1 - side) * N_NUMBERS + number
            at = O_CARDS + card * CARD_WIDTH
            out[at] = side == player
            out[at + 1] = (left >> 6 + bit) & 1
            out[at + 2] = (held >> bit) & 1
            out[at + 3] = drawn == card


@rule
def write_counts(rules: Any, state: Any, player: int, scale: Any, out: Any) -> None:
    """Write how many pieces stand in each space and are bound for it, and what stands neutral on Kaua'i."""
    share = scale[O_SPACES]
    for side in range(2):
        column = seen_as(side, player)
        for space in range(N_SPACES):
            at = O_SPACES + space * SPACE_WIDTH + column
            out[at] = min(state.units[side][space], MANY) * share
            out[at + S_CANOES] = min(state.canoes[side][space], MANY) * share
            out[at + S_LEADERS] = min(state.leaders[side][space], MANY) * share
    for space in range(N_SPACES):
        units = 0
        if state.at_sea[space]:
            for piece in range(N_PIECES):
                if state.place[piece] == SEA + space and not rules.canoe[piece]:
                    units += 1
        at = O_SPACES + space * SPACE_WIDTH + S_BOUND
        out[at] = min(units, MANY) * share
        out[at + 1] = min(state.at_sea[space], MANY) * share
    out[O_NEUTRAL] = min(state.units[NEUTRAL][KAUAI], MANY) * share
    out[O_NEUTRAL + 1] = min(state.canoes[NEUTRAL][KAUAI], MANY) * share


@rule
def row_flags(code: int, player: int) -> int:
    """Return a piece's row by the bit."""
    place = code >> PLACE_SHIFT
    origin = (code >> ORIGIN_SHIFT) & 15
    flags = 1 << (C_OWNER + seen_as(code & 3, player))
    if place < N_SPACES:
        flags |= (1 << (C_STANDING + ON_LAND)) | (1 << (C_SPACE + place))
    elif place < SEA:
        flags |= 1 << (C_STANDING + place - BOX + IN_BOX)
    else:
        flags |= (1 << (C_STANDING + AT_SEA)) | (1 << (C_SPACE + place - SEA))
    if origin:
        flags |= 1 << (C_ORIGIN + origin - 1)
    return flags | (((code >> MARKS_SHIFT) & 63) << C_MARKS)


@rule
def write_rows(rules: Any, codes: Any, player: int, shown: Any, out: Any) -> None:
    """Write the pieces' rows that are not as they are shown: kind by kind, the pieces of a kind in ascending order."""
    if shown[SHOWN_PLAYER] >= 0 and shown[SHOWN_PLAYER] != player:  # the other player looks on: mine is the enemy's
        for row in range(N_PIECES):
            at = O_PIECES + row * PIECE_WIDTH + C_OWNER
            mine = out[at]
            out[at] = out[at + 1]
            out[at + 1] = mine
    shown[SHOWN_PLAYER] = player
    last = 0
    for piece in range(N_PIECES):
        if piece < last or codes[piece] == shown[piece]:
            continue
        first = rules.first[rules.kind[piece]] & POSITIVE
        last = (first + rules.count[rules.kind[piece]]) & POSITIVE
        for i in range(first, last):
            shown[i] = codes[i]
            code = codes[i]
            row = i
            while row > first and codes[row - 1] > code:
                codes[row] = codes[row - 1]
                row -= 1
            codes[row] = code
        for row in range(first, last):
            code = codes[row]
            if code != shown[SHOWN_ROWS + row]:
                shown[SHOWN_ROWS + row] = code
                flags = row_flags(code, player)
                at = (O_PIECES + row * PIECE_WIDTH) & POSITIVE
                for i in range(min(PIECE_WIDTH, len(out) - at)):  # a constant length would be unrolled, bit by bit
                    out[at + i] = (flags >> i) & 1


@rule
def update_observation(rules: Any, state: Any, player: int, scale: Any, codes: Any, shown: Any, out: Any) -> None:
    """Write what `player` (0 or 1) sees of the position into an observation, or what has changed in it.

    Args:
        rules: the tables.
        state: the position.
        player: who observes.
        scale: by place what raw values are multiplied with: `SCALE`, or `ONES` for the raw ones.
        codes: a buffer of N_CODES numbers.
        shown: N_SHOWN numbers: what `out` shows already, all -1 if it shows nothing yet. Overwritten. Most of what
            happens changes little, so most values stay.
        out: the observation: a copy of `template`, scaled alike, or one written before.
    """
    describe(rules, state, player, codes)
    write_flags(codes, shown, out)
    write_numbers(codes, scale, shown, out)
    write_fields(codes, shown, out)
    write_cards(codes, player, shown, out)
    moved = shown[SHOWN_PLAYER] ^ player
    for piece in range(N_PIECES):
        moved |= codes[piece] ^ shown[piece]
    if moved:
        write_counts(rules, state, player, scale, out)
        write_rows(rules, codes, player, shown, out)


def _write_compiled(rules: Any, state: Any, player: int, out: Any) -> None:
    out[:] = rules.template
    update_observation(rules, state, player, ONES, np.zeros(N_CODES, np.int32), np.full(N_SHOWN, -1, np.int32), out)


@rule(compiled=_write_compiled)
def write_observation(rules: Any, state: Any, player: int, out: Any) -> None:
    """Write a whole raw observation."""
    out[:] = rules.template
    update_observation(rules, state, player, [1] * SIZE, [0] * N_CODES, [-1] * N_SHOWN, out)


@rule
def write_raw(rules: Any, state: Any, viewer: int, memory: Any, spare: Any, out: Any) -> None:
    """Write a raw observation by difference; see `hawaii_env.core.loop.write_raw`."""
    if memory[0] < 0:
        for i in range(SIZE):
            out[i] = rules.template[i]
        for i in range(N_SHOWN):
            memory[i] = -1
    update_observation(rules, state, viewer, ONES, spare, memory, out)


@rule
def write_scaled(
    rules: Any, state: Any, viewer: int, memory: Any, spare: Any, scratch: Any, scale: Any, out: Any
) -> None:
    """Write an observation by difference; see `hawaii_env.core.loop.write_scaled`."""
    if memory[0] < 0:
        for i in range(SIZE):
            out[i] = rules.template[i] * scale[i]
        for i in range(N_SHOWN):
            memory[i] = -1
    update_observation(rules, state, viewer, scale, spare, memory, out)
