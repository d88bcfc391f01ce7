"""Positions written by hand [3.0, 6.0]: turned into the fields of a state, then checked by `check`.

`read_position` takes what `View.to_dict` gives, every key optional but `turn`, `half`, `phase` and `units`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hawaii_env.errors import StateError
from hawaii_env.positions import Reader, pick_name, whole_number

from ..rules import names
from ..rules.cards import card_of, number_of, side_of
from ..rules.names import (
    BATTLES,
    BOX,
    DEAD,
    HOLD,
    KIND_NAMES,
    KINDS,
    LAST_DECISION,
    MONTHS,
    N_PIECES,
    NEUTRAL,
    PHASES,
    SIDES,
    SPACES,
    WINDOWS,
)
from ..rules.setup import ALL_CARDS
from ..rules.state import STATE
from .check import check_fields, check_invariants, check_record
from .facts import PUBLIC_FIELDS, cards_drawn, fields_of, fire_order
from .view import CAME_NAMES, ERRANDS, FOLLOWING, PLACE_NAMES, WANT_KEYS, View, make_view

__all__ = ["View", "check_fields", "check_invariants", "check_record", "fields_of", "make_view", "read_position"]

MARKS = ("panicked", "carried", "marched", "fired")
ON_MAP = [name for name in PLACE_NAMES if name not in ("box", "dead")]


def _printed_side(kind: int) -> int:
    return 0 if kind < names.K_KALANI else 1 if kind < names.K_KAUAI_WARRIOR else NEUTRAL


class _Builder:
    """Collects the fields of a position written by hand."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.table, empty = game.tables, STATE.new()
        self.fields: dict[str, Any] = {name: STATE.get(empty, name) for name in PUBLIC_FIELDS}
        for name in ("winner", "card", "fleet", "pickup", "field", "advantage", "firer", "from_space", "refuge"):
            self.fields[name] = -1
        self.next_of = [int(f) for f in self.table.first]
        self.fields["place"] = [-1] * N_PIECES

    def kind(self, side: int, name: str, what: str) -> int:
        """Return the kind of a piece name on a side."""
        known = [k for k in range(len(KINDS)) if KIND_NAMES[k] == name]
        if not known:
            pick_name(name, what, sorted(set(KIND_NAMES)))
        for k in known:
            if _printed_side(k) in (side, NEUTRAL):
                return k
        raise StateError(f"{what}: {name} is no piece of {SIDES[side]}'s")

    def add(self, side: int, text: object, place: int, what: str) -> None:
        """Put the next piece of a kind into a place, with its marks."""
        if not isinstance(text, str):
            raise StateError(f"{what}: a piece's name is wanted, not {text!r}")
        name, *marks = text.split("/")
        kind, fields = self.kind(side, name, what), self.fields
        piece, count = self.next_of[kind], int(self.table.count[kind])
        if piece >= int(self.table.first[kind]) + count:
            raise StateError(f"{what}: one {name} too many; the game has {count} [3.0]")
        self.next_of[kind] += 1
        fields["place"][piece] = place
        if len(set(marks)) < len(marks) or sum(mark in CAME_NAMES[1:] for mark in marks) > 1:
            raise StateError(f"{what}: {text}: each mark once, and one origin")
        for mark in marks:
            if mark in CAME_NAMES[1:]:
                fields["came"][piece] = CAME_NAMES.index(mark)
            else:
                fields[MARKS[pick_name(mark, f"{what}: mark of {name}", (*MARKS, *CAME_NAMES[1:]))]][piece] = 1

    def find(self, text: Any, what: str, places: tuple[int, ...], side: int, need: str = "", never: str = "") -> int:
        """A piece of a side by its text in one of some places, with one mark that it must have and one that it must
        not.

        The piece whose marks are just those of the text comes first; else one that has them among others will do.
        """
        name, *rest = str(text).split("/")
        marks = set(rest)
        found = -1
        for piece in range(N_PIECES):
            if KIND_NAMES[int(self.table.kind[piece])] != name or self.fields["place"][piece] not in places:
                continue
            if (
                self.fields["owner"][piece] != side
                or (need and not self.fields[need][piece])
                or (never and self.fields[never][piece])
            ):
                continue
            has: list[str] = [m for m in MARKS if self.fields[m][piece]]
            if self.fields["came"][piece]:
                has.append(CAME_NAMES[int(self.fields["came"][piece])])
            if marks == set(has):
                return piece
            if found < 0 and marks <= set(has):
                found = piece
        if found < 0:
            raise StateError(f"{what}: no {text} of {SIDES[side]}'s there{f' that has {need}' if need else ''}")
        return found


def read_position(game: Any, kw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a position written by hand.

    Pieces that are named nowhere are in their box, leaders too; Kaua'i's are on kauai while it is neutral, else dead.
    Where `box` names a side's pieces, they must be exactly the rest. Cards: `decks` left out means that the lowest
    numbers have been drawn, held ones among them. A battle's `firing` and `guns` left out in phase fire are whom the
    order of fire calls next.

    Raises:
        StateError: a name, a number or a combination that cannot be; the message says which and why.
    """
    b, r = _Builder(game), Reader(kw, "position: ")
    f = b.fields
    f["month"], f["half"] = r.pick("turn", MONTHS), r.pick("half", SIDES[:2])
    f["phase"] = r.pick("phase", PHASES)
    f["decisions"] = r.whole("decisions", 0, 10**9, 0)
    _read_pieces(b, r)
    _read_cards(b, r)
    _read_rest(b, r)
    r.end()
    check_fields(game, f, "position")
    return f


def _read_pieces(b: _Builder, r: Reader) -> None:
    f = b.fields
    units, stands = r.table("units", names=SIDES), set[int]()
    for side in (side for side in SIDES if side in units):
        places = units.table(side, names=ON_MAP)
        for place in (place for place in ON_MAP if place in places):
            for text in places.items(place):
                b.add(SIDES.index(side), text, PLACE_NAMES.index(place), places.at(place))
                if text.split("/")[0] in ("kauai_warrior", "kauai_canoe"):
                    stands.add(SIDES.index(side))
    if len(stands) > 1:
        r.fail("units", "Kaua'i's pieces stand with one side, not with several [8.2]")
    f["kauai"] = r.pick("kauai", SIDES, SIDES[min(stands, default=NEUTRAL)])
    if stands and stands != {f["kauai"]}:
        r.fail("kauai", f"its pieces are listed with {SIDES[min(stands)]}, not with {SIDES[f['kauai']]}")
    for text in r.items("dead"):
        side, _, name = str(text).rpartition(":")
        printed = [_printed_side(k) for k in range(len(KINDS)) if KIND_NAMES[k] == name]
        b.add(pick_name(side, r.at("dead"), SIDES) if side else min(printed, default=0), name, DEAD, r.at("dead"))
    box = r.table("box", {}, SIDES[:2])
    boxed = [side for side in SIDES[:2] if side in box]
    for side in boxed:
        for text in box.items(side):
            b.add(SIDES.index(side), text, BOX, box.at(side))
    for piece in range(N_PIECES):
        kind, printed = int(b.table.kind[piece]), int(b.table.side[piece])
        f["owner"][piece] = f["kauai"] if printed == NEUTRAL else printed
        if f["place"][piece] >= 0:
            continue
        if printed == NEUTRAL:
            f["place"][piece] = names.KAUAI if f["kauai"] == NEUTRAL and not stands else DEAD
            continue
        if SIDES[printed] in boxed:
            box.fail(
                SIDES[printed],
                f"{KIND_NAMES[kind]} is neither on the map, nor dead, nor in the box; "
                "all 40 pieces are somewhere [1.0]",
            )
        f["place"][piece] = BOX


def _read_cards(b: _Builder, r: Reader) -> None:
    f, ids, table = b.fields, b.game.card_ids, b.table
    for card in r.picks("held", ids):
        if f["held"][side_of(card)] >> number_of(card) & 1:
            r.fail("held", f"{ids[card]} is named twice; each card is there once [8.0]")
        f["held"][side_of(card)] |= 1 << number_of(card)
        if int(table.timing[card]) != HOLD:
            r.fail("held", f"{ids[card]} is no card to hold [8.1]")
    f["card"] = r.pick("card", ids, None)
    shown = f["phase"] not in (names.SETUP, names.CARD, names.OVER)
    fixed = int(table.fixed[f["month"] * 2 + f["half"]])
    f["fixed"] = int(r.flag("dealt", shown and fixed > 0))
    decks = r.table("decks", {}, SIDES[:2])
    for side, name in enumerate(SIDES[:2]):
        if name not in decks:
            f["left"][side] = _usual_deck(b, side)
            continue
        for n in decks.items(name):
            bit = 1 << whole_number(n, decks.at(name), 1, 9)
            if f["left"][side] & bit:
                decks.fail(name, f"{n} is named twice; each card is there once [8.0]")
            f["left"][side] |= bit
    if f["card"] < 0 and shown:
        if f["fixed"] and fixed:
            f["card"] = card_of(f["half"], fixed)
        else:
            gone = [n for n in range(9, 0, -1) if not f["left"][f["half"]] >> n & 1]
            free = [n for n in gone if not f["held"][f["half"]] >> n & 1] or gone
            f["card"] = card_of(f["half"], free[0]) if free else -1


def _usual_deck(b: _Builder, side: int) -> int:
    """Return a deck from which the held cards, the card in effect and the lowest numbers have been drawn."""
    f = b.fields
    drawn = cards_drawn(b.table, f["month"], f["half"], f["phase"], side)
    gone = f["held"][side]
    if f["card"] >= 0 and side_of(f["card"]) == side and not f["fixed"]:
        gone |= 1 << number_of(f["card"])
    for n in range(1, 10):
        if gone.bit_count() < drawn:
            gone |= 1 << n
    return ALL_CARDS & ~gone if drawn else ALL_CARDS


def _read_rest(b: _Builder, r: Reader) -> None:
    f, table = b.fields, b.table
    f["window"] = max(0, r.pick("window", WINDOWS, None))
    starting = f["window"] == names.WINDOW_MOVEMENT and f["card"] >= 0
    f["fleet_moves"] = r.whole("fleet_moves", 0, 39, int(table.fleets[f["card"]]) if starting else 0)
    wanted = r.table("recruits", {}, tuple(dict.fromkeys((*KIND_NAMES, *WANT_KEYS))))
    for want in (*KIND_NAMES, *WANT_KEYS):
        if want in wanted:
            key = f"allied_{want}" if f["half"] == 1 and f"allied_{want}" in WANT_KEYS else want
            at = len(WANT_KEYS) - 1 if want == "canoe" else WANT_KEYS.index(key)
            f["want"][at] = wanted.whole(want, 0, 39)
    f["event_played"] = _by_side(r, "events_played")
    bonuses = r.table("bonuses", {})
    f["advantage_bonus"], f["gunpowder_bonus"] = (bonuses.whole(key, 0, 9, 0) for key in ("advantage", "gunpowder"))
    f["no_sighting"] = int(bonuses.flag("no_sighting", False))
    bonuses.end()
    going = f["phase"] in (names.HOME, names.EVENT_DIE) and int(table.effect[f["card"]]) == names.FX_HOME
    f["homes"] = r.whole("homes", 0, 39, int(table.effect_args[f["card"] * names.N_EFFECT_ARGS]) if going else 0)
    f["field"] = r.pick("field", SPACES, None)
    _read_fleets(b, r)
    if r.given("battle"):
        _read_battle(b, r.table("battle"))
    if r.given("retreat"):
        retreat = r.table("retreat")
        f["errand"] = max(0, retreat.pick("errand", ERRANDS, ""))
        f["from_space"], f["refuge"] = (retreat.pick(key, SPACES, None) for key in ("from_space", "refuge"))
        f["canoes_lost"] = retreat.whole("canoes_lost", 0, 39, 0)
        retreat.end()
    if r.given("setup"):
        setup = r.table("setup")
        f["setup_piece"] = setup.whole("next_piece", 0, N_PIECES, 0)
        choices = setup.table("choices", {}, SIDES[:2])
        f["setup_choice"] = [choices.whole(side, 0, 39, 0) for side in SIDES[:2]]
        setup.end()
    if (then := r.pick("then", tuple(FOLLOWING), None)) >= 0:
        f["next_phase"] = getattr(names, tuple(FOLLOWING.values())[then])
    f["winner"] = r.pick("winner", (*SIDES[:2], "tie"), None)
    reasons = [names.reason_text(reason, int(table.last_month)) for reason in range(len(names.REASONS))]
    f["reason"] = r.pick("reason", reasons, "")
    decider = r.pick("decider", (*SIDES[:2], "chance"), None)
    f["decider"] = decider if decider in (0, 1) else _usual_decider(f)


def _by_side(r: Reader, key: str) -> list[int]:
    """Return a table of true or false by side as two numbers."""
    table = r.table(key, {}, SIDES[:2])
    return [int(table.flag(side, False)) for side in SIDES[:2]]


def _read_fleets(b: _Builder, r: Reader) -> None:
    f, table = b.fields, b.table
    if r.given("fleet"):
        fleet = r.table("fleet")
        f["pickup"], at = fleet.pick("pickup", SPACES, None), fleet.pick("at", SPACES, None)
        where = names.ABOARD if at < 0 else at
        f["fleet"] = b.find(fleet.take("canoe", "canoe"), fleet.at("canoe"), (where,), f["half"], never="carried")
        fleet.end()
        aboard = [p for p in range(N_PIECES) if f["place"][p] == names.ABOARD and not table.canoe[p]]
        f["aboard_leaders"] = sum(int(table.leader[p]) for p in aboard)
        f["aboard_units"] = len(aboard) - f["aboard_leaders"]
    war = [p for p in range(N_PIECES) if f["place"][p] == names.WAR]
    f["war_canoes"] = sum(int(table.canoe[p]) for p in war)
    f["war_leaders"] = sum(int(table.leader[p]) for p in war)
    f["war_units"] = len(war) - f["war_canoes"] - f["war_leaders"]


def _read_battle(b: _Builder, r: Reader) -> None:
    f = b.fields
    f["battle"] = r.pick("kind", BATTLES, "invasion")
    told = "firing" in r or "guns" in r
    for key in ("second", "earthworks", "guns"):
        f[key] = int(r.flag(key, False))
    f["first_die"], f["dice"] = r.whole("first_die", 0, 6, 0), r.whole("dice", 0, 99, 0)
    f["advantage"] = r.pick("advantage", SIDES[:2], None)
    for key in ("turn_side", "firing"):
        side = r.pick(key, SIDES[:2], None)
        f[key] = side if side >= 0 else max(0, f["advantage"])
    f["pike_used"] = _by_side(r, "pike_used")
    if f["phase"] == names.FIRE and not told and f["advantage"] >= 0:
        f["firing"], f["guns"] = fire_order(b.table, f) or (f["firing"], f["guns"])
    if r.given("firer"):
        place = f["field"]
        if f["battle"] == names.SEA_BATTLE:
            place = names.SEA + f["field"] if f["firing"] == f["half"] else names.WAR
        f["firer"] = b.find(r.take("firer"), r.at("firer"), (place,), f["firing"], need="fired")
    r.end()


def _usual_decider(f: Mapping[str, Any]) -> int:
    """Return who decides, as the phase has it."""
    if f["phase"] > LAST_DECISION:
        return f["half"]
    if f["phase"] == names.FIRE:
        return f["firing"]
    if f["phase"] in (names.LOSS, names.PANIC_LOSS):
        return 1 - f["firing"]
    if f["phase"] in (names.LAUNCH, names.COMMIT):
        return 1 - f["half"]
    if f["phase"] == names.WINDOW and f["window"] != names.WINDOW_MOVEMENT:
        return 1 - f["half"]
    return f["half"]
