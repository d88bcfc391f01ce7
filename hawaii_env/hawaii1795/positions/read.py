"""Positions written by hand [3.0, 6.0]: turned into a record, then checked by `check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hawaii_env.positions import Reader, forbid, pick_name, whole_number
from hawaii_env.texts import show_value

from ..rules import names
from ..rules.cards import card_of, number_of, side_of
from ..rules.land_battle import battle_place
from ..rules.names import (
    ALL_CARDS,
    BATTLES,
    BOX,
    DEAD,
    HOLD,
    KIND_NAMES,
    MONTHS,
    N_PIECES,
    NEUTRAL,
    PHASES,
    SIDES,
    SPACES,
    WINDOWS,
)
from .check import check_position
from .facts import cards_drawn, decider_of, fire_order
from .view import FOLLOWING, MARKS, ORIGIN_NAMES, PLACE_NAMES, RETREATS, WANT_KEYS, name_at

__all__ = ["read_position"]

ON_MAP = [name for name in PLACE_NAMES if name not in ("box", "dead")]
_NONE = ("winner", "card", "fleet", "pickup", "field", "advantage", "firer", "from_space", "refuge")
"""Fields that are -1 until they are read."""


def _printed_side(kind: int) -> int:
    return 0 if kind < names.K_KALANI else 1 if kind < names.K_KAUAI_WARRIOR else NEUTRAL


class _Pieces:
    """Puts pieces into a record by their names, and finds them there.

    Args:
        table: the tables.
        state: the record.
    """

    def __init__(self, table: Any, state: Any) -> None:
        self.table, self.s = table, state
        self.next_of = list(table.first)
        state.place = [-1] * N_PIECES

    def kind(self, side: int, name: str, what: str) -> int:
        """Return the kind of a piece name on a side."""
        pick_name(name, what, sorted(set(KIND_NAMES)))
        known = [k for k, one in enumerate(KIND_NAMES) if one == name and _printed_side(k) in (side, NEUTRAL)]
        forbid(not known, f"{what}: {name} is not a piece of {SIDES[side]}'s")
        return known[0]

    def add(self, side: int, text: object, place: int, what: str) -> None:
        """Put the next piece of a kind into a place, with its marks."""
        forbid(not isinstance(text, str), f"{what}: expected a piece's name, not {show_value(text)}")
        name, *marks = str(text).split("/")
        kind, s = self.kind(side, name, what), self.s
        piece, count = self.next_of[kind], self.table.count[kind]
        forbid(piece >= self.table.first[kind] + count, f"{what}: one {name} too many; the game has {count} [3.0]")
        self.next_of[kind] += 1
        s.place[piece] = place
        twice = len(set(marks)) < len(marks) or sum(mark in ORIGIN_NAMES[1:] for mark in marks) > 1
        forbid(twice, f"{what}: {text}: each mark once, and one origin")
        for mark in marks:
            if mark in ORIGIN_NAMES[1:]:
                s.arrived_from[piece] = ORIGIN_NAMES.index(mark)
            else:
                pick_name(mark, f"{what}: mark of {name}", (*MARKS, *ORIGIN_NAMES[1:]))
                getattr(s, mark)[piece] = 1

    def find(self, text: Any, what: str, place: int, side: int, need: str = "", never: str = "") -> int:
        """Return a piece of a side by its text in a place, with one mark that it must have and one that it must not.

        The piece whose marks are just those of the text comes first; else one that has them among others will do.
        """
        s, (name, *rest) = self.s, str(text).split("/")
        found: list[tuple[int, int]] = []
        for piece in range(N_PIECES):
            has: set[str] = {mark for mark in MARKS if getattr(s, mark)[piece]} | {
                name_at(ORIGIN_NAMES, s.arrived_from[piece])
            } - {""}
            there = (
                name_at(KIND_NAMES, self.table.kind[piece]) == name
                and s.place[piece] == place
                and s.owner[piece] == side
            )
            if there and (not need or need in has) and never not in has and set(rest) <= has:
                found.append((len(has), piece))
        having = f" that has {need}" if need else ""
        forbid(not found, f"{what}: no {text} of {SIDES[side]}'s there{having}")
        return min(found)[1] if min(found)[0] == len(rest) else min(piece for _, piece in found)


def read_position(game: Any, fields: Mapping[str, Any]) -> Any:
    """Return the interpreted record of a position, without a generator.

    Pieces that are named nowhere are in their box, leaders too; Kaua'i's are on kauai while it is neutral, else dead.
    Where `box` names a side's pieces, they must be exactly the rest. Cards: `decks` left out means that the lowest
    numbers have been drawn, held ones among them. A battle's `firing` and `guns` left out in phase fire are whom the
    order of fire calls next.

    Args:
        game: the game.
        fields: those of a `View`; all but `turn`, `half`, `phase` and `units` may be left out.

    Raises:
        StateError: a name, a number or a combination that cannot be; the message says which and why.
    """
    s, r = game.new_state(), Reader(fields)
    for name in _NONE:
        setattr(s, name, -1)
    pieces = _Pieces(game.tables, s)
    s.month, s.half = 1 + r.pick("turn", MONTHS[1:]), r.pick("half", SIDES[:2])
    s.phase = r.pick("phase", PHASES)
    s.decisions = r.whole("decisions", 0, 10**9, 0)
    _read_pieces(pieces, r)
    _read_cards(game, s, r)
    _read_turn(game.tables, s, r)
    s.field = r.pick("field", SPACES, None)
    _read_fleets(pieces, r)
    if r.given("battle"):
        _read_battle(pieces, r.table("battle"))
    if r.given("retreat"):
        retreat = r.table("retreat")
        s.pending_retreat = max(0, retreat.pick("who", RETREATS, ""))
        s.from_space, s.refuge = (retreat.pick(key, SPACES, None) for key in ("from_space", "refuge"))
        s.canoes_lost = retreat.whole("canoes_lost", 0, 39, 0)
        retreat.end()
    s.winner = r.pick("winner", (*SIDES[:2], "tie"), None)
    last = game.tables.last_month
    s.reason = r.pick("reason", [names.reason_text(reason, last) for reason in range(len(names.REASONS))], "")
    decider, usual = r.pick("decider", (*SIDES[:2], "chance"), None), decider_of(s)
    s.decider = decider if decider in (0, 1) else s.half if usual is None else usual
    r.end()
    check_position(game, s)
    return s


def _read_pieces(pieces: _Pieces, r: Reader) -> None:
    s, table = pieces.s, pieces.table
    units, stands = r.table("units", names=SIDES), set[int]()
    for side in (side for side in SIDES if side in units):
        places = units.table(side, names=ON_MAP)
        for place in (place for place in ON_MAP if place in places):
            for text in places.items(place):
                pieces.add(SIDES.index(side), text, PLACE_NAMES.index(place), places.at(place))
                if text.split("/")[0] in ("kauai_warrior", "kauai_canoe"):
                    stands.add(SIDES.index(side))
    forbid(len(stands) > 1, "units: Kaua'i's pieces stand with one side, not with several [8.2]")
    s.kauai = r.pick("kauai", SIDES, SIDES[min(stands, default=NEUTRAL)])
    listed = SIDES[min(stands, default=s.kauai)]
    forbid(listed != SIDES[s.kauai], f"kauai: its pieces are listed with {listed}, not with {SIDES[s.kauai]}")
    for text in r.items("dead"):
        side, _, name = str(text).rpartition(":")
        printed = [_printed_side(k) for k, one in enumerate(KIND_NAMES) if one == name]
        at = pick_name(side, r.at("dead"), SIDES) if side else min(printed, default=0)
        pieces.add(at, name, DEAD, r.at("dead"))
    box = r.table("box", {}, SIDES[:2])
    boxed = [side for side in SIDES[:2] if side in box]
    for side in boxed:
        for text in box.items(side):
            pieces.add(SIDES.index(side), text, BOX, box.at(side))
    for piece in range(N_PIECES):
        kind, printed = name_at(KIND_NAMES, table.kind[piece]), table.side[piece]
        s.owner[piece] = s.kauai if printed == NEUTRAL else printed
        if s.place[piece] < 0:
            forbid(
                SIDES[printed] in boxed,
                f"box: {SIDES[printed]}: {kind} is neither on the map, nor dead, nor in the box; all 40 pieces are "
                "somewhere [1.0]",
            )
            waits = names.KAUAI if s.kauai == NEUTRAL and not stands else DEAD
            s.place[piece] = waits if printed == NEUTRAL else BOX


def _read_cards(game: Any, s: Any, r: Reader) -> None:
    ids, table = game.card_ids, game.tables
    for card in r.picks("held", ids):
        bit = 1 << number_of(card)
        twice = s.held[side_of(card)] & bit
        forbid(twice, f"held: {ids[card]} is named twice; each card is there once [8.0]")
        s.held[side_of(card)] |= bit
        forbid(table.timing[card] != HOLD, f"held: {ids[card]} is not a card to hold [8.1]")
    s.card = r.pick("card", ids, None)
    shown = s.phase not in (names.SETUP, names.CARD, names.OVER)
    fixed = table.fixed[s.month][s.half]
    s.fixed = int(r.flag("dealt", shown and fixed > 0))
    decks = r.table("decks", {}, SIDES[:2])
    for side, name in enumerate(SIDES[:2]):
        if name not in decks:
            s.left[side] = _usual_deck(table, s, side)
            continue
        for n in decks.items(name):
            bit = 1 << whole_number(n, decks.at(name), 1, 9)
            forbid(s.left[side] & bit, f"{decks.at(name)}: {n} is named twice; each card is there once [8.0]")
            s.left[side] |= bit
    if s.card < 0 and shown:
        gone = [n for n in range(9, 0, -1) if not s.left[s.half] >> n & 1]
        free = [n for n in gone if not s.held[s.half] >> n & 1] or gone
        number = fixed if s.fixed and fixed else next(iter(free), 0)
        s.card = card_of(s.half, number) if number else -1


def _usual_deck(table: Any, s: Any, side: int) -> int:
    """Return a deck from which the held cards, the card in effect and the lowest numbers have been drawn."""
    drawn, gone = cards_drawn(table, s, side), s.held[side]
    if s.card >= 0 and side_of(s.card) == side and not s.fixed:
        gone |= 1 << number_of(s.card)
    for n in range(1, 10):
        if gone.bit_count() < drawn:
            gone |= 1 << n
    return ALL_CARDS & ~gone if drawn else ALL_CARDS


def _read_turn(table: Any, s: Any, r: Reader) -> None:
    """Read what a half and its phase have: windows, recruits, bonuses, set-up."""
    s.window = max(0, r.pick("window", WINDOWS, None))
    starting = s.window == names.WINDOW_MOVEMENT and s.card >= 0
    s.fleet_moves = r.whole("fleet_moves", 0, 39, table.fleets[s.card] if starting else 0)
    wanted = r.table("recruits", {}, tuple(dict.fromkeys((*KIND_NAMES, *WANT_KEYS))))
    for want in wanted.keys_left():
        key = f"allied_{want}" if s.half == 1 and f"allied_{want}" in WANT_KEYS else want
        s.want[names.WANT_CANOE if want == "canoe" else WANT_KEYS.index(key)] = wanted.whole(want, 0, 39)
    s.event_played = _by_side(r, "events_played")
    bonuses = r.table("bonuses", {})
    s.advantage_bonus, s.gunpowder_bonus = (bonuses.whole(key, 0, 9, 0) for key in ("advantage", "gunpowder"))
    s.no_sighting = int(bonuses.flag("no_sighting", False))
    bonuses.end()
    going = s.phase in (names.HOME, names.EVENT_DIE) and table.effect[s.card] == names.FX_HOME
    s.homes = r.whole("homes", 0, 39, table.effect_args[s.card][0] if going else 0)
    if r.given("setup"):
        setup = r.table("setup")
        s.setup_piece = setup.whole("next_piece", 0, N_PIECES, 0)
        choices = setup.table("choices", {}, SIDES[:2])
        s.setup_choice = [choices.whole(side, 0, 39, 0) for side in SIDES[:2]]
        setup.end()
    if (then := r.pick("then", tuple(FOLLOWING), None)) >= 0:
        s.next_phase = tuple(FOLLOWING.values())[then]


def _by_side(r: Reader, key: str) -> list[int]:
    """Return a table of true or false by side as two numbers."""
    table = r.table(key, {}, SIDES[:2])
    return [int(table.flag(side, False)) for side in SIDES[:2]]


def _read_fleets(pieces: _Pieces, r: Reader) -> None:
    s, table = pieces.s, pieces.table

    def counts(place: int) -> tuple[int, int, int]:
        there = [p for p in range(N_PIECES) if s.place[p] == place]
        canoes, leaders = (sum(column[p] for p in there) for column in (table.canoe, table.leader))
        return canoes, len(there) - canoes - leaders, leaders

    if r.given("fleet"):
        fleet = r.table("fleet")
        s.pickup, at = fleet.pick("pickup", SPACES, None), fleet.pick("at", SPACES, None)
        where = names.ABOARD if at < 0 else at
        s.fleet = pieces.find(fleet.take("canoe", "canoe"), fleet.at("canoe"), where, s.half, never="carried")
        fleet.end()
        _, s.aboard_units, s.aboard_leaders = counts(names.ABOARD)
    s.war_canoes, s.war_units, s.war_leaders = counts(names.WAR)


def _read_battle(pieces: _Pieces, r: Reader) -> None:
    s, known = pieces.s, "firing" in r or "guns" in r
    s.battle = r.pick("kind", BATTLES, "invasion")
    for key in ("second", "earthworks", "guns"):
        setattr(s, key, int(r.flag(key, False)))
    s.first_die, s.dice = r.whole("first_die", 0, 6, 0), r.whole("dice", 0, 99, 0)
    s.advantage = r.pick("advantage", SIDES[:2], None)
    for key in ("turn_side", "firing"):
        side = r.pick(key, SIDES[:2], None)
        setattr(s, key, side if side >= 0 else max(0, s.advantage))
    s.pike_used = _by_side(r, "pike_used")
    if s.phase == names.FIRE and not known and s.advantage >= 0:
        s.firing, s.guns = fire_order(pieces.table, s) or (s.firing, s.guns)
    if r.given("firer"):
        s.firer = pieces.find(r.take("firer"), r.at("firer"), battle_place(s, s.firing), s.firing, need="fired")
    r.end()
