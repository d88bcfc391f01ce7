"""The public position as data: `View`, and the names that it gives to fields [3.0, 4.0]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hawaii_env import positions

from ..rules.cards import card_of
from ..rules.names import (
    ABOARD,
    BATTLES,
    BOX,
    DEAD,
    KIND_NAMES,
    KINDS,
    MONTHS,
    N_KINDS,
    N_NUMBERS,
    N_PIECES,
    OVER,
    PHASES,
    SIDES,
    SPACES,
    TIE,
    WAR,
    WINDOWS,
    reason_text,
)

PLACE_NAMES = (*SPACES, "box", "dead", "aboard", "war", *(f"sea/{s}" for s in SPACES))
assert tuple(PLACE_NAMES[p] for p in (BOX, DEAD, ABOARD, WAR)) == ("box", "dead", "aboard", "war")
CAME_NAMES = ("", *SPACES, "turned")
WANT_KEYS = (*KINDS, "warrior", "canoe")
# Phases that may follow a window or a withdrawal, and the errands of a retreat, by name.
FOLLOWING = {
    "recruiting": "RECRUIT", "movement": "MOVE", "sighting": "SIGHTING", "sea_phase": "SEA_PHASE",
    "sea_battle": "SEA_START", "sea_loser": "SEA_LOSER", "land_phase": "LAND_PHASE", "land_battle": "BATTLE_BEGIN",
}  # fmt: skip
ERRANDS = ("", "beaten_fleet", "attackers", "marchers", "defenders")


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
        retreat: None, or ``errand``, ``from_space``, ``refuge``, ``canoes_lost``.
        window: the window of held events that is open, or None.
        homes: pieces that still go home.
        setup: None, or ``next_piece`` and ``choices`` (side -> warriors of choice left).
        then: the phase that follows a window or a withdrawal, or None.
        winner: None, a side, or ``"tie"``; reason: why, with its section.
        decisions: decisions asked so far.
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
    decisions: int


def piece_text(kind: int, marks: dict[str, int]) -> str:
    """A piece with its marks, as ``"warrior_2/carried/hilo"``."""
    text = KIND_NAMES[kind]
    for name in ("panicked", "carried", "marched", "fired"):
        if marks[name]:
            text += "/" + name
    return text + ("/" + CAME_NAMES[marks["came"]] if marks["came"] else "")


def make_view(game: Any, record: Any) -> View:
    """Return the view of an interpreted record."""
    from ..rules import names

    def get(name: str) -> int:
        return getattr(record, name)

    def get_list(name: str) -> list[int]:
        return getattr(record, name)

    table = game.tables
    kinds: list[int] = table.kind
    place, owner = get_list("place"), get_list("owner")
    marks = {name: get_list(name) for name in ("panicked", "carried", "marched", "fired", "came")}
    piece_texts = [piece_text(kinds[p], {name: marks[name][p] for name in marks}) for p in range(N_PIECES)]
    order = sorted(range(N_PIECES), key=lambda p: (kinds[p], piece_texts[p]))
    units: dict[str, dict[str, list[str]]] = {side: {} for side in SIDES}
    box: dict[str, list[str]] = {side: [] for side in SIDES[:2]}
    dead: list[str] = []
    for p in order:
        side = SIDES[owner[p]]
        if place[p] == BOX:
            box[SIDES[int(table.side[p])]].append(piece_texts[p])
        elif place[p] == DEAD:
            dead.append(f"{SIDES[int(table.side[p])]}:{KIND_NAMES[kinds[p]]}")
        else:
            units[side].setdefault(PLACE_NAMES[place[p]], []).append(piece_texts[p])
    for side in units:
        units[side] = {name: units[side][name] for name in PLACE_NAMES if name in units[side]}
    phase, half, winner = get("phase"), get("half"), get("winner")
    field, card = get("field"), get("card")
    left, held, want = get_list("left"), get_list("held"), get_list("want")

    def space(value: int) -> str | None:
        return SPACES[value] if value >= 0 else None

    def side_or_none(value: int) -> str | None:
        return SIDES[value] if value >= 0 else None

    fleet = None
    if get("fleet") >= 0:
        canoe = get("fleet")
        fleet = {
            "canoe": KIND_NAMES[kinds[canoe]],
            "at": SPACES[place[canoe]] if place[canoe] < BOX else None,
            "pickup": space(get("pickup")),
        }
    # A game that ends in the middle of a battle stays as it stood.
    fighting = phase in (names.FIRE, names.LOSS, names.PANIC_LOSS, names.ADVANTAGE, names.HIT_DIE) or (
        phase == OVER and field >= 0
    )
    firing = fighting and phase != names.ADVANTAGE
    sea_loser = phase == names.WITHDRAW and get("next_phase") == names.SEA_LOSER
    leaving = phase == names.RETREAT and get("errand") == names.BY_DEFENDER
    battle = None
    if fighting or sea_loser or leaving or (phase == names.WINDOW and get("window") == names.WINDOW_BATTLE):
        firer = get("firer")
        pikes = get_list("pike_used") if fighting else [0, 0]
        battle = {
            "kind": BATTLES[get("battle")],
            "second": bool((fighting or leaving) and get("second")),
            "earthworks": bool(fighting and get("earthworks")),
            "first_die": get("first_die"),
            "advantage": side_or_none(get("advantage")) if fighting or sea_loser else None,
            "turn_side": SIDES[get("turn_side")] if firing else None,
            "guns": bool(firing and get("guns")),
            "firing": SIDES[get("firing")] if firing else None,
            "firer": piece_texts[firer] if phase in (names.HIT_DIE, names.LOSS, names.PANIC_LOSS) else None,
            "dice": get("dice"),
            "pike_used": {SIDES[s]: bool(pikes[s]) for s in (0, 1)},
        }
    retreat = None
    if phase in (names.RETREAT, names.CANOE_LOSS, names.WITHDRAW):
        marching = phase == names.RETREAT and get("errand") == names.BY_MARCHERS
        retreat = {
            "errand": ERRANDS[get("errand")],
            "from_space": space(get("from_space")),
            "refuge": space(get("refuge")) if marching else None,
            "canoes_lost": get("canoes_lost"),
        }
    setup = None
    if phase == names.SETUP:
        choices = get_list("setup_choice")
        setup = {"next_piece": get("setup_piece"), "choices": {SIDES[s]: choices[s] for s in (0, 1)}}
    then = None
    if phase in (names.WINDOW, names.WITHDRAW):
        then = next((k for k, v in FOLLOWING.items() if getattr(names, v) == get("next_phase")), None)
    decider = SIDES[get("decider")] if phase <= names.LAST_DECISION else None if phase == OVER else "chance"
    return View(
        turn=MONTHS[get("month")],
        half=SIDES[half],
        phase=PHASES[phase],
        decider=decider,
        units=units,
        box=box,
        dead=dead,
        kauai=SIDES[get("kauai")],
        decks={SIDES[s]: [n for n in range(1, N_NUMBERS + 1) if left[s] >> n & 1] for s in (0, 1)},
        held=[game.card_ids[card_of(s, n)] for s in (0, 1) for n in range(1, N_NUMBERS + 1) if held[s] >> n & 1],
        card=game.card_ids[card] if card >= 0 else None,
        dealt=bool(get("fixed")),
        fleet_moves=get("fleet_moves"),
        recruits={WANT_KEYS[w]: want[w] for w in range(N_KINDS + 2) if want[w]},
        events_played={SIDES[s]: bool(get_list("event_played")[s]) for s in (0, 1)},
        bonuses={
            "advantage": get("advantage_bonus"),
            "gunpowder": get("gunpowder_bonus"),
            "no_sighting": bool(get("no_sighting")),
        },
        fleet=fleet,
        field=space(field),
        battle=battle,
        retreat=retreat,
        window=WINDOWS[get("window")] if get("window") else None,
        homes=get("homes"),
        setup=setup,
        then=then,
        winner=None if winner < 0 else "tie" if winner == TIE else SIDES[winner],
        reason=reason_text(get("reason"), get("month")),
        decisions=get("decisions"),
    )
