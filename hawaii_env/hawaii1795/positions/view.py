"""The public position as data: `View`, and the names that it gives to fields [3.0, 4.0]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hawaii_env import positions

from ..rules import names
from ..rules.cards import card_of
from ..rules.names import (
    ABOARD,
    BATTLES,
    BOX,
    DEAD,
    KIND_NAMES,
    KINDS,
    MONTHS,
    N_NUMBERS,
    N_PIECES,
    OVER,
    PHASES,
    SIDES,
    SPACES,
    WAR,
    WINDOWS,
    reason_text,
)

PLACE_NAMES = (*SPACES, "box", "dead", "aboard", "war", *(f"sea/{s}" for s in SPACES))
assert tuple(PLACE_NAMES[p] for p in (BOX, DEAD, ABOARD, WAR)) == ("box", "dead", "aboard", "war")
ORIGIN_NAMES = ("", *SPACES, "turned")
WANT_KEYS = (*KINDS, "warrior", "canoe")
FOLLOWING = {
    "recruiting": names.RECRUIT, "movement": names.MOVE, "sighting": names.SIGHTING, "sea_phase": names.SEA_PHASE,
    "sea_battle": names.SEA_START, "sea_loser": names.SEA_LOSER, "land_phase": names.LAND_PHASE,
    "land_battle": names.BATTLE_BEGIN,
}  # fmt: skip
"""Phases that may follow a window or a withdrawal."""
MARKS = ("panicked", "carried", "marched", "fired")
RETREATS = ("", "beaten_fleet", "attackers", "marchers", "defenders")


BATTLE_PHASES = (names.FIRE, names.LOSS, names.PANIC_LOSS, names.ADVANTAGE, names.HIT_DIE)


@dataclass(frozen=True)
class View(positions.View):
    """The whole public position. Each field is what `Game.position` takes under the same name.

    Attributes:
        turn: month, ``"january"`` ... ``"november"``.
        half: whose half of the turn, ``"kamehameha"`` or ``"allied"``.
        phase: the phase that waits for somebody, as in `names.PHASES`.
        decider: ``"kamehameha"``, ``"allied"``, ``"chance"``, or None when the game is over.
        units: side -> place -> pieces, each with its marks (``"warrior_2/carried"``). A place is a space,
            ``"sea/SPACE"`` (a fleet bound for it), ``"aboard"`` (the fleet being loaded) or ``"war"`` (the defender's
            war fleet).
        box: side -> pieces in its recruit box.
        dead: pieces that never return: leaders as ``"SIDE:piece"``, Kaua'i's as ``"neutral:piece"``.
        kauai: whom Kaua'i stands with: a side, or ``"neutral"``.
        decks: side -> card numbers left, ascending.
        held: ids of held cards.
        card: id of the card in effect, or None.
        dealt: True when that card was the fixed one of the month.
        fleet_moves: fleet moves left.
        recruits: kind or class -> recruits still to come.
        events_played: side -> a held event was played this half.
        bonuses: ``advantage``, ``gunpowder`` (int) and ``no_sighting`` (bool) of this half.
        fleet: None, or the canoe that moves: ``canoe`` (kind), ``at`` (space, or None when aboard), ``pickup`` (space
            or None).
        field: the space approached or fought for, or None.
        battle: None, or the battle: ``kind``, ``second``, ``earthworks``, ``first_die``, ``advantage``, ``turn_side``,
            ``guns``, ``firing``, ``firer``, ``dice``, ``pike_used``.
        retreat: None, or ``who``, ``from_space``, ``refuge``, ``canoes_lost``.
        window: the window of held events that is open, or None.
        homes: pieces that still go home.
        setup: None, or ``next_piece`` and ``choices`` (side -> warriors of choice left).
        then: the phase that follows a window or a withdrawal, or None.
        winner: None, a side, or ``"tie"``; reason: why, with its section.
    """

    turn: str
    half: str
    phase: str
    decider: str | None
    units: dict[str, dict[str, list[str]]]
    box: dict[str, list[str]]
    dead: list[str]
    kauai: str
    decks: dict[str, list[int]]
    held: list[str]
    card: str | None
    dealt: bool
    fleet_moves: int
    recruits: dict[str, int]
    events_played: dict[str, bool]
    bonuses: dict[str, Any]
    fleet: dict[str, Any] | None
    field: str | None
    battle: dict[str, Any] | None
    retreat: dict[str, Any] | None
    window: str | None
    homes: int
    setup: dict[str, Any] | None
    then: str | None
    winner: str | None
    reason: str


def _piece_texts(kinds: list[int], s: Any) -> list[str]:
    """Return the pieces with their marks, as ``"warrior_2/carried/hilo"``."""
    texts: list[str] = []
    for p in range(N_PIECES):
        marks = [mark for mark in MARKS if getattr(s, mark)[p]] + [ORIGIN_NAMES[s.arrived_from[p]]] * (
            s.arrived_from[p] > 0
        )
        texts.append("/".join((KIND_NAMES[kinds[p]], *marks)))
    return texts


def name_at(names: Sequence[str], index: int) -> str:
    """Return the name at an index."""
    return names[index]


def _name(names: Sequence[str], index: int) -> str | None:
    """Return the name at an index, None below 0."""
    return names[index] if index >= 0 else None


def _by_side(values: Sequence[int]) -> dict[str, bool]:
    return {SIDES[side]: bool(values[side]) for side in (0, 1)}


def make_view(game: Any, s: Any) -> View:
    """Return the view of an interpreted record."""
    table, kinds = game.tables, game.tables.kind
    texts = _piece_texts(kinds, s)
    units: dict[str, dict[str, list[str]]] = {side: {} for side in SIDES}
    box: dict[str, list[str]] = {side: [] for side in SIDES[:2]}
    dead: list[str] = []
    for p in sorted(range(N_PIECES), key=lambda p: (kinds[p], texts[p])):
        side, printed = name_at(SIDES, s.owner[p]), name_at(SIDES, table.side[p])
        if s.place[p] == BOX:
            box[printed].append(texts[p])
        elif s.place[p] == DEAD:
            dead.append(f"{printed}:{KIND_NAMES[kinds[p]]}")
        else:
            units[side].setdefault(name_at(PLACE_NAMES, s.place[p]), []).append(texts[p])
    cards = [(side, n) for side in (0, 1) for n in range(1, N_NUMBERS + 1)]
    passing = s.phase in (names.WINDOW, names.WITHDRAW)
    chance = None if s.phase == OVER else "chance"
    return View(
        turn=name_at(MONTHS, s.month),
        half=name_at(SIDES, s.half),
        phase=name_at(PHASES, s.phase),
        decider=name_at(SIDES, s.decider) if s.phase <= names.LAST_DECISION else chance,
        units={side: {name: there[name] for name in PLACE_NAMES if name in there} for side, there in units.items()},
        box=box,
        dead=dead,
        kauai=name_at(SIDES, s.kauai),
        decks={SIDES[side]: [n for owner, n in cards if owner == side and s.left[side] >> n & 1] for side in (0, 1)},
        held=[game.card_ids[card_of(side, n)] for side, n in cards if s.held[side] >> n & 1],
        card=_name(game.card_ids, s.card),
        dealt=bool(s.fixed),
        fleet_moves=s.fleet_moves,
        recruits={key: n for key, n in zip(WANT_KEYS, s.want, strict=True) if n},
        events_played=_by_side(s.event_played),
        bonuses={
            "advantage": s.advantage_bonus,
            "gunpowder": s.gunpowder_bonus,
            "no_sighting": bool(s.no_sighting),
        },
        fleet=_fleet(kinds, s) if s.fleet >= 0 else None,
        field=_name(SPACES, s.field),
        battle=_battle(s, texts),
        retreat=_retreat(s) if s.phase in (names.RETREAT, names.CANOE_LOSS, names.WITHDRAW) else None,
        window=name_at(WINDOWS, s.window) if s.window else None,
        homes=s.homes,
        setup={"next_piece": s.setup_piece, "choices": dict(zip(SIDES, s.setup_choice, strict=False))}
        if s.phase == names.SETUP
        else None,
        then=next((key for key, phase in FOLLOWING.items() if passing and phase == s.next_phase), None),
        winner=_name((*SIDES[:2], "tie"), s.winner),
        reason=reason_text(s.reason, s.month),
    )


def _fleet(kinds: list[int], s: Any) -> dict[str, Any]:
    at = s.place[s.fleet]
    return {
        "canoe": KIND_NAMES[kinds[s.fleet]],
        "at": SPACES[at] if at < BOX else None,
        "pickup": _name(SPACES, s.pickup),
    }


def _battle(s: Any, texts: list[str]) -> dict[str, Any] | None:
    """Return a battle that is fought, begins, or has just been lost; a game that ends in one stays as it stood."""
    phase = s.phase
    fighting = phase in BATTLE_PHASES or (phase == OVER and s.field >= 0)
    firing = fighting and phase != names.ADVANTAGE
    sea_loser = phase == names.WITHDRAW and s.next_phase == names.SEA_LOSER
    leaving = phase == names.RETREAT and s.pending_retreat == names.BY_DEFENDER
    begins = phase == names.WINDOW and s.window == names.WINDOW_BATTLE
    if not (fighting or sea_loser or leaving or begins):
        return None
    return {
        "kind": BATTLES[s.battle],
        "second": bool((fighting or leaving) and s.second),
        "earthworks": bool(fighting and s.earthworks),
        "first_die": s.first_die,
        "advantage": _name(SIDES, s.advantage) if fighting or sea_loser else None,
        "turn_side": SIDES[s.turn_side] if firing else None,
        "guns": bool(firing and s.guns),
        "firing": SIDES[s.firing] if firing else None,
        "firer": texts[s.firer] if phase in (names.HIT_DIE, names.LOSS, names.PANIC_LOSS) else None,
        "dice": s.dice,
        "pike_used": _by_side(s.pike_used if fighting else (0, 0)),
    }


def _retreat(s: Any) -> dict[str, Any]:
    marching = s.phase == names.RETREAT and s.pending_retreat == names.BY_MARCHERS
    return {
        "who": RETREATS[s.pending_retreat],
        "from_space": _name(SPACES, s.from_space),
        "refuge": _name(SPACES, s.refuge) if marching else None,
        "canoes_lost": s.canoes_lost,
    }
