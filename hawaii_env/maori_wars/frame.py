"""Fields of the frame of a combat, raid or decision; positions without what says nothing any more; and keys of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .rules import names as n
from .rules.state import STATE

__all__ = [
    "ABOUT", "COMBAT_FIELDS", "FOLLOWING", "LIVE", "OUTCOMES", "PIECES", "PLACES", "PLAYERS_IN", "key_of", "nothing_of",
    "order_of", "plain",
]  # fmt: skip

NUMBERS = (
    "column", "attack_modifier", "counter_modifier", "bombard_modifier", "counter_columns", "no_counter", "no_bombard",
    "slipping", "hit", "vacated", "second", "losses", "retreating", "absorbed", "had_units", "hunting", "chit",
)  # fmt: skip
"""Numbers of the frame, as `rules.state` names them."""

OUTCOMES = ("suffers", "outcome")
"""Results that the frame holds."""

FOLLOWING = ("resume", "next_step", "after")
PLAYERS_IN = ("attacker", "victim")
PLACES = ("target", "spot", "went", "hex", "territory")
PIECES = ("gun", "prey", "piece", "boat", "canoe")
ABOUT = ("hex", "territory", "piece", "boat", "canoe", "left")
"""Fields of a decision; the rest is the frame of a combat."""

COMBAT_FIELDS = (*PLAYERS_IN, *PLACES[:3], *PIECES[:2], *OUTCOMES, *NUMBERS, *FOLLOWING)


def nothing_of(name: str) -> int:
    """Return the value of a field of the frame that says nothing."""
    return -1 if name in (*PLAYERS_IN, *PLACES, *PIECES) else 0


_RESULT = n.LOSE, n.ABSORB, n.RETREAT, n.PANIC
_TAKING = n.REINFORCE, n.REINFORCE_PLACE  # also by a chit
_HUNTED = n.HUNT_MORE, n.HUNT, n.PREY, n.ATTACK, n.COUNTER

LIVE: dict[str, tuple[int, ...]] = {
    "piece": n.SPEAKING,
    "boat": (n.BOAT,),
    "canoe": (n.MOVE_TO,),
    "territory": (n.BUSH_UNIT, n.BUSH_ACT, n.RAID_SIDE, n.RAID_MORE, *_HUNTED, *_RESULT),
    "attacker": (*_TAKING, *range(n.DECLARE, n.COUNTERSTROKE + 1), n.RAID_SIDE, n.RAID_MORE, *_HUNTED, *_RESULT),
    "gun": (*_TAKING, *range(n.PARTICIPANTS, n.BOMBARD + 1)),
    "column": (n.BOMBARD,),
    "slipping": (n.LEAVE,),
    "hit": (n.COUNTER_SIDE, n.COUNTER, n.ATTACK, *_RESULT),
    "suffers": (n.ADVANCE,),
    "vacated": (),
    "next_step": (*_TAKING, *range(n.EVADE, n.ADVANCE + 1), *_RESULT),
    "resume": (*_TAKING, n.PANIC),
    "hunting": (*_HUNTED, *_RESULT),
    "prey": (n.ATTACK, *_RESULT),
    "went": (n.LEAVE, *_RESULT),
    **dict.fromkeys(("victim", "spot", "outcome", "retreating", "absorbed", "had_units", "after"), _RESULT),
}
"""The phases in which a field of the frame has a meaning: it is written before it is read again in any other. Fields
that are not listed always have one, or an observer sees them.
"""

_OF_RESULT = "victim", "outcome", "retreating", "absorbed", "had_units", "after", "went", "hit"
"""Fields without meaning where an empty structure panics without a result that goes on."""

_ONCE = "territory", "prey"
"""Fields of a hunt without meaning once it has been answered."""

_SEEN = n.CARRIED | n.CARGO | n.ATTACKED | n.EVADED | n.BOMBARDED | n.PARTICIPANT | n.NEGOTIATED
_MARKS = {n.MOVEMENT: n.MOVED | n.OPEN, n.COMBAT: n.CHARGED, n.BUSH: n.ACTED, n.RALLYING: n.AIDED | n.ROLLED}
"""Marks of pieces that observers see, and those that matter besides, by stage; STAYS while a result or evasion runs."""


def plain(game: Any, state: Any) -> Any:
    """Return the compiled record of a position in which everything without a meaning has the value that says nothing.

    Args:
        game: the game.
        state: a record of either backend, which stays as it is.
    """
    known = STATE.array(state)
    parts = STATE.parts(known)

    def part(name: str) -> Any:
        return known[parts[name]]

    def get(name: str) -> int:
        return int(known[parts[name]][0])

    phase, stage, over = get("phase"), get("stage"), get("result") > 0
    running = phase in _RESULT
    if over:
        at, nothing = _silent(-1, False, False, False)
    else:
        alone = phase == n.PANIC and get("resume") != n.APPLY
        answered = running and get("no_counter") == 1
        raid = phase not in (n.BUSH_UNIT, n.BUSH_ACT, n.RAID_SIDE, n.RAID_MORE) and get("hunting") == 0
        at, nothing = _silent(phase, alone, answered, raid)
    known[at] = nothing
    if over or not get("n_legal"):
        part("decider")[:] = -1
    if running:
        part("outcome")[:] = _outcome(phase, get("outcome"), get("losses"), get("retreating"))
    _plain_pieces(game.tables, part, phase, stage)
    return known


def _plain_pieces(rules: Any, part: Any, phase: int, stage: int) -> None:
    """Take from the pieces what says nothing in a phase."""
    kind, did, points, origin, face = (part(name) for name in ("kind", "did", "points", "origin", "face"))
    settled = phase == n.ADVANCE or (phase == n.PANIC and part("resume")[0] != n.APPLY)
    marks = _SEEN | _MARKS.get(stage, 0) & ~(n.CHARGED * settled) & ~(n.AIDED * (phase == n.RALLY))
    did &= marks | n.STAYS * (phase in (n.LEAVE, *_RESULT))
    did[(did & n.MOVED == 0)] &= ~n.OPEN
    shaken = part("disrupted") == 1
    did[~shaken & (kind < n.LEADER)] &= ~(n.ROLLED | n.AIDED)
    boat, moved, carried = (kind == n.GUNBOAT) | (kind == n.CANOE), did & n.MOVED != 0, did & (n.CARRIED | n.CARGO) != 0
    used = moved & (boat | (carried & (did & n.OPEN == 0)))
    points[used | (stage != n.MOVEMENT)] = 0
    origin[(did & n.PARTICIPANT == 0) | (origin != part("place"))] = -1
    face[(did & n.ROLLED != 0) | ~shaken | (stage != n.RALLYING)] = 0


def _outcome(phase: int, outcome: int, losses: int, retreating: int) -> int:
    """Return the result that says what is left of one to apply."""
    if phase == n.RETREAT or outcome == n.NOTHING:
        return n.NOTHING
    if phase == n.PANIC:
        return outcome if outcome == n.ALL_DISRUPTED else n.NOTHING
    if outcome == n.DISRUPT:
        return outcome
    return n.TWO_LOSSES if losses > 1 else n.LOSS_RETREAT if retreating else n.LOSS


_ROW = ("place", "kind", "disrupted", "owner", "points", "did", "origin", "face")
"""Fields by which pieces are alike."""


def order_of(rules: Any, known: Any) -> Any:
    """Return the slots in the order of the rules, of pieces alike in any order.

    While units may have to retreat or panic one by one, those of a kind in a place stand as they will do so.

    Args:
        rules: the tables.
        known: what `plain` returns.
    """
    parts = STATE.parts(known)
    rows = [known[parts[name]] for name in _ROW]
    rows[4] = -rows[4]  # more points first
    if known[parts["stage"]][0] in (n.COMBAT, n.BUSH):
        rank, first, following = np.zeros(len(rows[0]), np.int64), known[parts["first"]], known[parts["next"]]
        for piece in first[: rules.box].tolist():
            at = 0
            while piece >= 0:
                rank[piece], at = at, at + 1
                piece = int(following[piece])
        rows[1:1] = [rank]
    return np.lexsort(rows[::-1])


def key_of(game: Any, state: Any) -> bytes:
    """Return the key of a position: equal for positions that differ only in which of pieces alike fills which slot, or
    in what says nothing any more.

    Args:
        game: the game.
        state: a record of either backend, which stays as it is.
    """
    rules, known = game.tables, plain(game, state)
    order, parts = order_of(rules, known), STATE.parts(known)
    rows = np.array([known[parts[name]] for name in _ROW])
    waits = rows[0] >= rules.box
    rows[2, waits], rows[4:, waits] = 0, 0
    rows[3, rows[0] == rules.out] = 0
    rows[:, rows[0] >= rules.due] = 0  # whether they have arrived follows from the turn
    here = order[~waits[order]]
    away = np.flatnonzero(waits)
    order = np.concatenate([here, away[np.lexsort(rows[::-1, away])]])
    sorted_rows = rows[:, order]
    for place in _PIECES_AT:
        if (piece := known[place]) >= 0:  # it is the first of the pieces that are alike
            known[place] = (sorted_rows == rows[:, piece, None]).all(axis=0).argmax()
    return STATE.key(known) + sorted_rows.tobytes()


_PIECES_AT = [STATE.offset(name) for name in PIECES]


@cache
def _silent(phase: int, alone: bool, answered: bool, raid: bool) -> tuple[Any, Any]:
    """Return where the fields of the frame stand that have no meaning in a phase, -1 for a game that is over, and the
    values that say nothing.
    """
    names = [
        name
        for name in dict.fromkeys((*COMBAT_FIELDS, *ABOUT))
        if phase < 0
        or phase not in LIVE.get(name, (phase,))
        or (alone and name in _OF_RESULT)
        or (answered and name in _ONCE)
        or (raid and name == "territory")
    ]
    return np.array([STATE.offset(name) for name in names], np.int64), np.array([nothing_of(name) for name in names])
