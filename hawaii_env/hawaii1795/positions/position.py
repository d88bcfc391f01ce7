"""Positions from outside: written by hand or read from JSON [3.0, 6.0]; turned into fields, then checked by `check`.

`read_position` takes what `View.to_dict` gives, every key optional but `turn`, `half`, `phase` and `units`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, cast

from hawaii_env.errors import StateError

from .. import core
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
    TIE,
    WINDOWS,
)
from ..rules.setup import ALL_CARDS
from .check import check_buffer, check_fields, check_invariants
from .facts import PUBLIC_FIELDS, cards_drawn, fields_of, fire_order
from .view import CAME_NAMES, ERRANDS, FOLLOWING, PLACE_NAMES, WANT_KEYS, View, make_view

__all__ = [
    "View",
    "check_buffer",
    "check_fields",
    "check_invariants",
    "fields_of",
    "make_view",
    "read_document",
    "read_position",
    "write_document",
]

FORMAT, VERSION = "hawaii_env.state", 1


def _refuse(message: str) -> NoReturn:
    raise StateError(f"position: {message}")


# -- JSON ------------------------------------------------------------------------------------------------------------


def write_document(game: Any, buffer: Any, secrets: bool) -> dict[str, Any]:
    """The exact position as a document of JSON's types; the generators only with `secrets`."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "scenario": game.scenario,
        "final_check": game.final_check,
        "sea_victor": game.sea_victor,
        "ruleset": game.ruleset_hash,
        "fields": fields_of(buffer),
    }
    if secrets and core.get(buffer, "sampled"):
        document["generators"] = {name: core.get_list(buffer, name) for name in ("deck_words", "dice_words")}
    return document


def read_document(data: Any, game: Any) -> dict[str, Any]:
    """The fields of a document that `write_document` made; StateError when it is foreign, truncated or edited into
    nonsense.
    """
    if not isinstance(data, dict) or cast("dict[str, Any]", data).get("format") != FORMAT:
        raise StateError(f"state: format: {FORMAT!r} is wanted")
    document = cast("dict[str, Any]", data)
    for key, wanted in (
        ("version", VERSION), ("game", game.name), ("scenario", game.scenario), ("final_check", game.final_check),
        ("sea_victor", game.sea_victor), ("ruleset", game.ruleset_hash),
    ):  # fmt: skip
        value = document.get(key)
        if type(value) is not type(wanted) or value != wanted:
            whose = "this installation reads" if key == "version" else "this game's is"
            raise StateError(f"state: {key}: {whose} {wanted!r}, not {value!r}")
    given = document.get("fields")
    if not isinstance(given, dict):
        raise StateError("state: fields: a table is wanted")
    given = cast("dict[str, Any]", given)
    fields: dict[str, Any] = {}
    for name, n in PUBLIC_FIELDS:
        if name not in given:
            raise StateError(f"state: fields: {name} is missing")
        fields[name] = _numbers(given[name], n, f"state: fields: {name}")
    _no_more(given, fields, "state: fields")
    _no_more(document, (*_HEAD, "fields", "generators"), "state")
    generators = document.get("generators")
    if generators is not None:
        if not isinstance(generators, dict) or set(cast("dict[str, Any]", generators)) != {"deck_words", "dice_words"}:
            raise StateError("state: generators: deck_words and dice_words are wanted")
        for name in ("deck_words", "dice_words"):
            fields[name] = _numbers(generators[name], 4, f"state: generators: {name}")
            if not all(0 <= word <= 0xFFFFFFFF for word in fields[name]):
                raise StateError(f"state: generators: {name}: words of 32 bits are wanted")
        fields["sampled"] = 1
    check_fields(game, fields, "state")
    return fields


_HEAD = ("format", "version", "game", "scenario", "final_check", "sea_victor", "ruleset")


def _no_more(table: dict[str, Any], known: Iterable[str], where: str) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise StateError(f"{where}: unknown: {', '.join(unknown)}")


def _numbers(value: Any, n: int, where: str) -> Any:
    values: list[Any] = [value] if n == 1 else cast("list[Any]", value) if isinstance(value, list) else []
    if len(values) != n or not all(type(v) is int for v in values):
        raise StateError(f"{where}: {'an integer' if n == 1 else f'a list of {n} integers'} is wanted, not {value!r}")
    if not all(-(2**40) < v < 2**40 for v in values):
        raise StateError(f"{where}: out of range")
    return values if n > 1 else values[0]


# -- positions written by hand ---------------------------------------------------------------------------------------


def _pick(value: Any, allowed: Iterable[str], what: str) -> int:
    options = list(allowed)
    if not isinstance(value, str) or value not in options:
        near = difflib.get_close_matches(str(value), options, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        _refuse(f"{what}: allowed are {', '.join(o for o in options if o)}, not {value!r}{hint}")
    return options.index(value)


def _int(value: Any, what: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        _refuse(f"{what}: a whole number from {low} to {high} is wanted, not {value!r}")
    return value


def _bool(value: Any, what: str) -> int:
    if not isinstance(value, bool):
        _refuse(f"{what}: true or false is wanted, not {value!r}")
    return int(value)


def _table(value: Any, what: str, allowed: Iterable[str]) -> dict[str, Any]:
    options = list(allowed)
    if not isinstance(value, Mapping):
        _refuse(f"{what}: a table is wanted, not {value!r}")
    table = cast("Mapping[str, Any]", value)
    for key in table:
        if key not in options:
            _pick(key, options, what)
    return dict(table)


def _list(value: Any, what: str) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, (list, tuple)):
        _refuse(f"{what}: a list is wanted, not {value!r}")
    return list(cast("list[Any]", value))


def _printed_side(kind: int) -> int:
    return 0 if kind < names.K_KALANI else 1 if kind < names.K_KAUAI_WARRIOR else NEUTRAL


class _Builder:
    """Collects the fields of a position written by hand."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.table = game.record_array[0]
        self.fields: dict[str, Any] = {name: 0 if n == 1 else [0] * n for name, n in PUBLIC_FIELDS}
        for name in ("winner", "card", "fleet", "pickup", "field", "advantage", "firer", "from_space", "refuge"):
            self.fields[name] = -1
        self.next_of = [int(f) for f in self.table["first"]]
        self.fields["place"] = [-1] * N_PIECES

    def kind(self, side: int, name: str, what: str) -> int:
        """The kind of a piece name on a side."""
        known = [k for k in range(len(KINDS)) if KIND_NAMES[k] == name]
        for k in known:
            printed = _printed_side(k)
            if printed in (side, NEUTRAL):
                return k
        if known:
            _refuse(f"{what}: {name} is no piece of {SIDES[side]}'s")
        _pick(name, sorted(set(KIND_NAMES)), what)
        raise AssertionError

    def add(self, side: int, text: Any, place: int, what: str) -> None:
        """Put the next piece of a kind into a place, with its marks."""
        if not isinstance(text, str):
            _refuse(f"{what}: a piece's name is wanted, not {text!r}")
        name, *marks = text.split("/")
        kind = self.kind(side, name, what)
        piece = self.next_of[kind]
        count = int(self.table["count"][kind])
        if piece >= int(self.table["first"][kind]) + count:
            _refuse(f"{what}: one {name} too many; the game has {count} [3.0]")
        self.next_of[kind] += 1
        fields = self.fields
        fields["place"][piece] = place
        if len(set(marks)) < len(marks) or sum(mark in CAME_NAMES[1:] for mark in marks) > 1:
            _refuse(f"{what}: {text}: each mark once, and one origin")
        for mark in marks:
            if mark in ("panicked", "carried", "marched", "fired"):
                fields[mark][piece] = 1
            elif mark in CAME_NAMES[1:]:
                fields["came"][piece] = CAME_NAMES.index(mark)
            else:
                _pick(mark, ("panicked", "carried", "marched", "fired", *CAME_NAMES[1:]), f"{what}: mark of {name}")

    def find(self, text: Any, what: str, places: tuple[int, ...], side: int, need: str = "", never: str = "") -> int:
        """A piece of a side by its text in one of some places, with one mark that it must have and one that it must
        not.

        The piece whose marks are just those of the text comes first; else one that has them among others will do.
        """
        name, *rest = str(text).split("/")
        marks = set(rest)
        found = -1
        for piece in range(N_PIECES):
            if KIND_NAMES[int(self.table["kind"][piece])] != name or self.fields["place"][piece] not in places:
                continue
            if (
                self.fields["owner"][piece] != side
                or (need and not self.fields[need][piece])
                or (never and self.fields[never][piece])
            ):
                continue
            has: list[str] = [m for m in ("panicked", "carried", "marched", "fired") if self.fields[m][piece]]
            if self.fields["came"][piece]:
                has.append(CAME_NAMES[int(self.fields["came"][piece])])
            if marks == set(has):
                return piece
            if found < 0 and marks <= set(has):
                found = piece
        if found < 0:
            _refuse(f"{what}: no {text} of {SIDES[side]}'s there{f' that has {need}' if need else ''}")
        return found


def read_position(game: Any, kw: dict[str, Any]) -> dict[str, Any]:
    """The fields of a position written by hand.

    Pieces that are named nowhere are in their box, leaders too; Kaua'i's are on kauai while it is neutral, else dead.
    Where `box` names a side's pieces, they must be exactly the rest. Cards: `decks` left out means that the lowest
    numbers have been drawn, held ones among them. A battle's `firing` and `guns` left out in phase fire are whom the
    order of fire calls next.

    Raises:
        StateError: a name, a number or a combination that cannot be; the message says which and why.
    """
    for key in ("turn", "half", "phase", "units"):
        if key not in kw:
            _refuse(f"{key} is missing")
    _table(kw, "keyword", View.__dataclass_fields__)
    b = _Builder(game)
    f = b.fields
    f["month"] = _pick(kw["turn"], MONTHS, "turn")
    f["half"] = _pick(kw["half"], SIDES[:2], "half")
    f["phase"] = _pick(kw["phase"], PHASES, "phase")
    f["decisions"] = _int(kw.get("decisions", 0), "decisions", 0, 10**9)
    _read_pieces(b, kw)
    _read_cards(b, kw)
    _read_rest(b, kw)
    check_fields(game, f, "position")
    return f


def _read_pieces(b: _Builder, kw: Mapping[str, Any]) -> None:
    f = b.fields
    on_map = [n for n in PLACE_NAMES if n not in ("box", "dead")]
    units = _table(kw["units"], "units", SIDES)
    for side_name, places in units.items():
        for place, pieces in _table(places, f"units: {side_name}", on_map).items():
            for text in _list(pieces, f"units: {side_name}: {place}"):
                b.add(SIDES.index(side_name), text, PLACE_NAMES.index(place), f"units: {side_name}: {place}")
    kauai_kinds = (names.K_KAUAI_WARRIOR, names.K_KAUAI_CANOE)
    stands = [
        s for s in (0, 1, NEUTRAL)
        for pieces in units.get(SIDES[s], {}).values() for t in pieces
        if t.split("/")[0] in ("kauai_warrior", "kauai_canoe")
    ]  # fmt: skip
    if len(set(stands)) > 1:
        _refuse("units: Kaua'i's pieces stand with one side, not with several [8.2]")
    f["kauai"] = _pick(kw.get("kauai", SIDES[stands[0]] if stands else "neutral"), SIDES, "kauai")
    if stands and stands[0] != f["kauai"]:
        _refuse(f"kauai: its pieces are listed with {SIDES[stands[0]]}, not with {SIDES[f['kauai']]}")
    for text in _list(kw.get("dead", []), "dead"):
        side_name, _, name = str(text).rpartition(":")
        options = [
            s
            for s in (0, 1, NEUTRAL)
            if any(KIND_NAMES[k] == name and _printed_side(k) == s for k in range(len(KINDS)))
        ]
        side = _pick(side_name, SIDES, "dead") if side_name else (options[0] if options else 0)
        b.add(side, name, DEAD, "dead")
    for side_name, pieces in _table(kw.get("box", {}), "box", SIDES[:2]).items():
        for text in _list(pieces, f"box: {side_name}"):
            b.add(SIDES.index(side_name), text, BOX, f"box: {side_name}")
    for piece in range(N_PIECES):
        kind = int(b.table["kind"][piece])
        f["owner"][piece] = f["kauai"] if kind in kauai_kinds else int(b.table["side"][piece])
        if f["place"][piece] >= 0:
            continue
        if kind in kauai_kinds:
            f["place"][piece] = names.KAUAI if f["kauai"] == NEUTRAL and not stands else DEAD
        else:
            side_name = SIDES[int(b.table["side"][piece])]
            if side_name in kw.get("box", {}):
                _refuse(
                    f"box: {side_name}: {KIND_NAMES[kind]} is neither on the map, nor dead, nor in the box; all 40 "
                    "pieces are somewhere [1.0]"
                )
            f["place"][piece] = BOX


def _read_cards(b: _Builder, kw: Mapping[str, Any]) -> None:
    f, game, table = b.fields, b.game, b.table
    ids = game.card_ids
    for name in _list(kw.get("held", []), "held"):
        card = _pick(name, ids, "held")
        if f["held"][side_of(card)] >> number_of(card) & 1:
            _refuse(f"held: {name} is named twice; each card is there once [8.0]")
        f["held"][side_of(card)] |= 1 << number_of(card)
        if int(table["timing"][card]) != HOLD:
            _refuse(f"held: {name} is no card to hold [8.1]")
    f["card"] = _pick(kw["card"], ids, "card") if kw.get("card") is not None else -1
    if "dealt" in kw:
        f["fixed"] = _bool(kw["dealt"], "dealt")
    elif f["phase"] not in (names.SETUP, names.CARD, names.OVER):
        f["fixed"] = int(int(table["fixed"][f["month"] * 2 + f["half"]]) > 0)
    decks = _table(kw.get("decks", {}), "decks", SIDES[:2])
    for side in (0, 1):
        if SIDES[side] in decks:
            for n in _list(decks[SIDES[side]], f"decks: {SIDES[side]}"):
                bit = 1 << _int(n, f"decks: {SIDES[side]}", 1, 9)
                if f["left"][side] & bit:
                    _refuse(f"decks: {SIDES[side]}: {n} is named twice; each card is there once [8.0]")
                f["left"][side] |= bit
        else:
            f["left"][side] = _usual_deck(b, side)
    after_draw = f["phase"] not in (names.SETUP, names.CARD, names.OVER)
    if f["card"] < 0 and after_draw:
        fixed = int(table["fixed"][f["month"] * 2 + f["half"]])
        if f["fixed"] and fixed:
            f["card"] = card_of(f["half"], fixed)
        else:
            gone = [n for n in range(9, 0, -1) if not f["left"][f["half"]] >> n & 1]
            free = [n for n in gone if not f["held"][f["half"]] >> n & 1] or gone
            f["card"] = card_of(f["half"], free[0]) if free else -1


def _usual_deck(b: _Builder, side: int) -> int:
    """A deck from which the held cards, the card in effect and the lowest numbers have been drawn."""
    f = b.fields
    drawn = cards_drawn(b.table, f["month"], f["half"], f["phase"], side)
    gone = f["held"][side]
    if f["card"] >= 0 and side_of(f["card"]) == side and not f["fixed"]:
        gone |= 1 << number_of(f["card"])
    for n in range(1, 10):
        if gone.bit_count() < drawn:
            gone |= 1 << n
    return ALL_CARDS & ~gone if drawn else ALL_CARDS


def _read_rest(b: _Builder, kw: Mapping[str, Any]) -> None:
    f = b.fields
    f["window"] = _pick(kw["window"], WINDOWS, "window") if kw.get("window") else 0
    starting = f["window"] == names.WINDOW_MOVEMENT and f["card"] >= 0
    usual = int(b.table["fleets"][f["card"]]) if starting else 0
    f["fleet_moves"] = _int(kw.get("fleet_moves", usual), "fleet_moves", 0, 39)
    for want, n in _table(kw.get("recruits", {}), "recruits", (*KIND_NAMES, *WANT_KEYS)).items():
        at = WANT_KEYS.index(want)
        if f["half"] == 1 and "allied_" + want in WANT_KEYS:
            at = WANT_KEYS.index("allied_" + want)
        f["want"][at if want != "canoe" else len(WANT_KEYS) - 1] = _int(n, f"recruits: {want}", 0, 39)
    for side_name, played in _table(kw.get("events_played", {}), "events_played", SIDES[:2]).items():
        f["event_played"][SIDES.index(side_name)] = _bool(played, "events_played")
    bonuses = _table(kw.get("bonuses", {}), "bonuses", ("advantage", "gunpowder", "no_sighting"))
    f["advantage_bonus"] = _int(bonuses.get("advantage", 0), "bonuses: advantage", 0, 9)
    f["gunpowder_bonus"] = _int(bonuses.get("gunpowder", 0), "bonuses: gunpowder", 0, 9)
    f["no_sighting"] = _bool(bonuses.get("no_sighting", False), "bonuses: no_sighting")
    going = f["phase"] in (names.HOME, names.EVENT_DIE) and int(b.table["effect"][f["card"]]) == names.FX_HOME
    usual = int(b.table["effect_args"][f["card"] * names.N_EFFECT_ARGS]) if going else 0
    f["homes"] = _int(kw.get("homes", usual), "homes", 0, 39)
    f["field"] = _space(kw.get("field"), "field")
    fleet = kw.get("fleet")
    if fleet is not None:
        fleet = _table(fleet, "fleet", ("canoe", "at", "pickup"))
        f["pickup"] = _space(fleet.get("pickup"), "fleet: pickup")
        at = fleet.get("at")
        where = names.ABOARD if at is None else _space(at, "fleet: at")
        f["fleet"] = b.find(fleet.get("canoe", "canoe"), "fleet: canoe", (where,), f["half"], never="carried")
        aboard = [p for p in range(N_PIECES) if f["place"][p] == names.ABOARD and not b.table["canoe"][p]]
        f["aboard_leaders"] = sum(int(b.table["leader"][p]) for p in aboard)
        f["aboard_units"] = len(aboard) - f["aboard_leaders"]
    war = [p for p in range(N_PIECES) if f["place"][p] == names.WAR]
    f["war_canoes"] = sum(int(b.table["canoe"][p]) for p in war)
    f["war_leaders"] = sum(int(b.table["leader"][p]) for p in war)
    f["war_units"] = len(war) - f["war_canoes"] - f["war_leaders"]
    _read_battle(b, kw)
    _read_retreat(b, kw)
    setup = kw.get("setup")
    if setup is not None:
        setup = _table(setup, "setup", ("next_piece", "choices"))
        f["setup_piece"] = _int(setup.get("next_piece", 0), "setup: next_piece", 0, N_PIECES)
        for side_name, n in _table(setup.get("choices", {}), "setup: choices", SIDES[:2]).items():
            f["setup_choice"][SIDES.index(side_name)] = _int(n, "setup: choices", 0, 39)
    if kw.get("then") is not None:
        _pick(kw["then"], FOLLOWING, "then")
        f["next_phase"] = getattr(names, FOLLOWING[kw["then"]])
    winner = kw.get("winner")
    if winner is not None:
        f["winner"] = TIE if winner == "tie" else _pick(winner, (*SIDES[:2], "tie"), "winner")
    reasons = [names.reason_text(reason, int(b.table["last_month"])) for reason in range(len(names.REASONS))]
    f["reason"] = _pick(kw.get("reason", ""), reasons, "reason")
    f["decider"] = _usual_decider(b, kw)


def _space(value: Any, what: str) -> int:
    return -1 if value is None else _pick(value, SPACES, what)


def _read_battle(b: _Builder, kw: Mapping[str, Any]) -> None:
    battle = kw.get("battle")
    if battle is None:
        return
    f = b.fields
    keys = (
        "kind", "second", "earthworks", "first_die", "advantage", "turn_side", "guns", "firing", "firer", "dice",
        "pike_used",
    )  # fmt: skip
    battle = _table(battle, "battle", keys)
    f["battle"] = _pick(battle.get("kind", "invasion"), BATTLES, "battle: kind")
    for key in ("second", "earthworks", "guns"):
        f[key] = _bool(battle.get(key, False), f"battle: {key}")
    f["first_die"] = _int(battle.get("first_die", 0), "battle: first_die", 0, 6)
    f["dice"] = _int(battle.get("dice", 0), "battle: dice", 0, 99)
    advantage = battle.get("advantage")
    f["advantage"] = -1 if advantage is None else _pick(advantage, SIDES[:2], "battle: advantage")
    f["turn_side"] = _pick(battle.get("turn_side") or advantage or "kamehameha", SIDES[:2], "battle: turn_side")
    f["firing"] = _pick(battle.get("firing") or advantage or "kamehameha", SIDES[:2], "battle: firing")
    for side_name, used in _table(battle.get("pike_used", {}), "battle: pike_used", SIDES[:2]).items():
        f["pike_used"][SIDES.index(side_name)] = _bool(used, "battle: pike_used")
    if f["phase"] == names.FIRE and not {"firing", "guns"} & set(battle) and f["advantage"] >= 0:
        f["firing"], f["guns"] = fire_order(b.table, f) or (f["firing"], f["guns"])
    if battle.get("firer") is not None:
        if f["battle"] != names.SEA_BATTLE:
            place = f["field"]
        else:
            place = names.SEA + f["field"] if f["firing"] == f["half"] else names.WAR
        f["firer"] = b.find(battle["firer"], "battle: firer", (place,), f["firing"], need="fired")


def _read_retreat(b: _Builder, kw: Mapping[str, Any]) -> None:
    retreat = kw.get("retreat")
    if retreat is None:
        return
    f = b.fields
    retreat = _table(retreat, "retreat", ("errand", "from_space", "refuge", "canoes_lost"))
    f["errand"] = _pick(retreat["errand"], ERRANDS, "retreat: errand") if retreat.get("errand") else 0
    f["from_space"] = _space(retreat.get("from_space"), "retreat: from_space")
    f["refuge"] = _space(retreat.get("refuge"), "retreat: refuge")
    f["canoes_lost"] = _int(retreat.get("canoes_lost", 0), "retreat: canoes_lost", 0, 39)


def _usual_decider(b: _Builder, kw: Mapping[str, Any]) -> int:
    """Who decides: as given, else as the phase has it."""
    f = b.fields
    given = kw.get("decider")
    if given in SIDES[:2]:
        return SIDES.index(given)
    if given not in (None, "chance"):
        _pick(given, (*SIDES[:2], "chance"), "decider")
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
