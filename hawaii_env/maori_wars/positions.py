"""Positions as frozen values, and made from their fields, with every check that a position written by hand needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hawaii_env import positions
from hawaii_env.positions import Reader, forbid, pick_name, whole_number
from hawaii_env.texts import show_value

from .frame import ABOUT, COMBAT_FIELDS, FOLLOWING, OUTCOMES, PIECES, PLACES, PLAYERS_IN, nothing_of, order_of, plain
from .rules import flow, invariants
from .rules.alliance import counters_used
from .rules.boats import canoes_of
from .rules.names import (
    BRITISH,
    CANOE,
    CATEGORIES,
    KINDS,
    LEADER,
    MAORI,
    MARKS,
    NEUTRAL,
    NEUTRAL_UNIT,
    NO_TOWN,
    OVER,
    PHASES,
    REASONS,
    RESULTS,
    STAGES,
    STRUCTURES,
    TAKEN,
    USES,
)
from .rules.pieces import link, set_structure
from .rules.state import N_CHITS, STATE
from .setup import place_problem

__all__ = ["PieceView", "View", "read", "view_of"]

OWNERS = ("maori", "british", "neutral")
_AUTOMATIC = tuple(name for name, phase in zip(PHASES, flow.TABLE.phases, strict=True) if "run" in vars(phase))
"""Steps that ask nobody, and no die."""

_FIELD_OF = {
    invariants.MARKER: "marker", invariants.ON_TOWN: "structures", invariants.SAP_LIES: "sap",
    invariants.FORTS: "forts_built", invariants.WRONG_STEP: "step", invariants.DECIDER: "decides",
    **dict.fromkeys(range(invariants.NO_ATTACKER, invariants.STILL_HELD + 1), "combat"),
}  # fmt: skip
"""The field in which a fault of the whole position is; of others "pieces"."""

_COMBAT = ("attacker", "target")
_RESULT = ("victim", "spot")
_NEEDS: dict[str, tuple[str, ...]] = {
    "reinforce_place": ("piece",), "sap_place": ("sap_target",), "ship_unit": ("target",), "move_unit": ("hex",),
    "move_to": ("hex",), "boat": ("boat",), "aid": ("piece",), "rally": ("piece",), "negotiator": ("hex",),
    "alliance": ("hex", "piece"), "withdraw": ("piece",), "declare": ("attacker",), "counterstroke": ("attacker",),
    **dict.fromkeys(
        ("participants", "evade", "evasion", "chit", "disrupt_from", "charge_or_not", "charge", "counter_side",
         "advance"), _COMBAT,
    ),
    "disrupt_unit": (*_COMBAT, "hex"), "leader": (*_COMBAT, "piece"), "leave": (*_COMBAT, "piece"),
    "column": (*_COMBAT, "gun"),
    "bombard": (*_COMBAT, "gun"), "counter": ("attacker",), "attack": ("attacker",),
    "lose": _RESULT, "absorb": _RESULT, "retreat": (*_RESULT, "piece"), "panic": ("spot",),
    "bush_enter": ("hex",), "bush_unit": ("territory",), "bush_act": ("territory", "piece"),
    "raid_side": ("territory", "piece", "target"), "raid_more": ("territory", "target"), "hunt_more": ("territory",),
    "hunt": ("territory",), "prey": ("territory",), "raid_answer": ("attacker",),
    "structure": ("hex",), "supply_unit": ("hex",), "starve_unit": ("hex",),
}  # fmt: skip
"""The fields that each step needs."""


@dataclass(frozen=True, slots=True)
class PieceView:
    """A piece on the map or in the Bush Raider Box.

    Attributes:
        kind: of unit, ``"neutral"``, or a leader's id.
        owner: ``"maori"``, ``"british"`` or ``"neutral"``.
        at: a hex, or a territory of the Bush Raider Box.
        disrupted: True if it is Disrupted.
        points: movement points left.
        did: what it has done in this phase of the rulebook, of `rules.names.MARKS`.
        origin: the hex that a participant of a combat attacks from, or None.
        face: the least face that rallies it with a leader's help, or 0.
    """

    kind: str
    owner: str
    at: str
    disrupted: bool = False
    points: int = 0
    did: tuple[str, ...] = ()
    origin: str | None = None
    face: int = 0


@dataclass(frozen=True, slots=True)
class View(positions.View):
    """A position; everything in it is open.

    Attributes:
        scenario: its name.
        turn: from 1.
        half: whose half it is, ``"maori"`` or ``"british"``.
        phase: the rulebook's phase, one of `rules.names.STAGES`.
        step: what is asked, one of `rules.names.PHASES`.
        decides: who decides, or None.
        marker: points, positive for the British player.
        pieces: what is on the map and in the Bush Raider Box, in the order of the rules.
        structures: by hex, ``"pa"`` or ``"pa/disrupted"``.
        taken: towns that Māori have taken, as hexes.
        boxes: by player the number of units of each kind in his Reinforcement Box; leaders who wait there.
        sap: ``{"hex": ..., "target": ...}``, or None.
        cup, aside: numbers of the chits.
        out: what is out of the game, by kind or leader.
        forts_built: forts built.
        combat: the frame of the combat, raid or result that is running, or None; see `rules.state`.
        about: what the decision is about, or None.
        hexes: by hex ``bound`` (the one target of its units in this phase) and ``used``, of `rules.names.USES`.
        result: why the game is over, or None.
        winner: who has won, or None.
    """

    scenario: str
    turn: int
    half: str
    phase: str
    step: str
    decides: str | None
    marker: int
    pieces: tuple[PieceView, ...]
    structures: Mapping[str, str]
    taken: tuple[str, ...]
    boxes: Mapping[str, Mapping[str, int]]
    sap: Mapping[str, str] | None
    cup: tuple[int, ...]
    aside: tuple[int, ...]
    out: Mapping[str, int]
    forts_built: int
    combat: Mapping[str, Any] | None
    about: Mapping[str, Any] | None
    hexes: Mapping[str, Mapping[str, Any]]
    result: str | None
    winner: str | None


# ---- views


def _kind_names(game: Any) -> tuple[str, ...]:
    return (*KINDS, "neutral", *game.ruleset.leaders)


def _place_names(game: Any) -> tuple[str, ...]:
    return (*game.hexes, *game.ruleset.board.territories)


def _bits(number: int, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for bit, name in enumerate(names) if number >> bit & 1)


def _off_the_map(rules: Any, state: Any, kinds: Any) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
    """Return the numbers of pieces by kind: in the Box of each player, and out of the game."""
    boxes: dict[str, dict[str, int]] = {"maori": {}, "british": {}}
    out: dict[str, int] = {}
    for piece in sorted(range(state.pieces), key=lambda piece: state.kind[piece]):
        name = kinds[state.kind[piece]]
        if state.place[piece] == rules.box:
            own = boxes[OWNERS[state.owner[piece]]]
            own[name] = own.get(name, 0) + 1
        elif state.place[piece] == rules.out:
            out[name] = out.get(name, 0) + 1
    return boxes, out


def view_of(game: Any, record: Any) -> View:
    """Return the position of a record of either backend as a value."""
    known = plain(game, record)
    state = STATE.read(known.tolist())
    rules, kinds, places = game.tables, _kind_names(game), _place_names(game)
    order = [piece for piece in order_of(rules, known).tolist() if state.place[piece] < rules.box]
    pieces = tuple(
        PieceView(
            kind=kinds[state.kind[piece]],
            owner=OWNERS[state.owner[piece]],
            at=places[state.place[piece]],
            disrupted=bool(state.disrupted[piece]),
            points=int(state.points[piece]),
            did=_bits(state.did[piece], MARKS),
            origin=places[state.origin[piece]] if state.origin[piece] >= 0 else None,
            face=int(state.face[piece]),
        )
        for piece in order
    )
    boxes, out = _off_the_map(rules, state, kinds)
    structures = {
        game.hexes[h]: STRUCTURES[kind - 1] + ("/disrupted" if state.damaged[h] else "")
        for h, kind in enumerate(state.structure)
        if kind
    }
    hexes: dict[str, dict[str, Any]] = {}
    for h, hex_id in enumerate(game.hexes):
        if state.bound[h] >= 0 or state.used[h]:
            bound = game.hexes[state.bound[h]] if state.bound[h] >= 0 else None
            hexes[hex_id] = {"bound": bound, "used": _bits(state.used[h], USES)}
    sap = None
    if state.sap_target >= 0:
        sap = {"target": game.hexes[state.sap_target]}
        if state.sap_hex >= 0:
            sap["hex"] = game.hexes[state.sap_hex]
    running = state.result == 0
    return View(
        scenario=game.scenario,
        turn=int(state.turn),
        half=OWNERS[state.half],
        phase=STAGES[state.stage],
        step=PHASES[state.phase],
        decides=OWNERS[state.decider] if running and state.n_legal > 0 else None,
        marker=int(state.marker),
        pieces=pieces,
        structures=structures,
        taken=tuple(game.hexes[h] for h, town in enumerate(state.town) if town == TAKEN),
        boxes=boxes,
        sap=sap,
        cup=tuple(n for n in range(1, N_CHITS + 1) if state.cup >> n & 1),
        aside=tuple(n for n in range(1, N_CHITS + 1) if state.aside >> n & 1),
        out=out,
        forts_built=int(state.forts_built),
        combat=_frame(game, state, order, pieces, COMBAT_FIELDS) if running else None,
        about=_frame(game, state, order, pieces, ABOUT) if running else None,
        hexes=hexes,
        result=None if running else REASONS[state.result - 1],
        winner=None if state.winner < 0 else OWNERS[state.winner],
    )


def _frame(
    game: Any, state: Any, order: list[int], pieces: tuple[PieceView, ...], names: Sequence[str]
) -> dict[str, Any] | None:
    """Return the fields of the frame that say something."""
    kinds, places = _kind_names(game), _place_names(game)
    found: dict[str, Any] = {}
    for name in names:
        value = getattr(state, name)
        if value == nothing_of(name):
            continue
        if name in PLAYERS_IN:
            found[name] = OWNERS[value]
        elif name in PLACES:
            found[name] = game.ruleset.board.territories[value] if name == "territory" else places[value]
        elif name in PIECES:
            # pieces alike are one: the first of them stands for all
            waits = value not in order
            found[name] = kinds[state.kind[value]] if waits else pieces.index(pieces[order.index(value)])
        elif name in FOLLOWING:
            found[name] = PHASES[value]
        else:
            found[name] = RESULTS[value] if name in OUTCOMES else int(value)
    return found or None


# ---- reading


def read(game: Any, fields: Mapping[str, Any]) -> Any:
    """Return the interpreted record of a position, without a generator.

    Args:
        game: the game.
        fields: those of a `View`. What is empty, and `decides`, may be left out.

    Raises:
        StateError: the position cannot be; the message names the field and the rule.
    """
    rules = game.tables
    state = game.new_state()
    theatre = frozenset(game.ruleset.scenarios[game.scenario].theatre)
    reader = Reader(fields, why=partial(place_problem, game.ruleset.board, theatre))
    scenario = reader.take("scenario", game.scenario)
    forbid(scenario != game.scenario, f"scenario: this game's is {game.scenario!r}, not {show_value(scenario)}")
    state.turn = reader.whole("turn", 1, rules.turns)
    state.half = reader.pick("half", OWNERS[:2])
    state.stage = reader.pick("phase", STAGES)
    state.phase = reader.pick("step", PHASES)
    state.marker = reader.whole("marker", -99, 99, 0)
    state.forts_built = reader.whole("forts_built", 0, rules.fort_limit, 0)
    _read_structures(game, state, reader)
    pieces = _read_pieces(game, state, reader)
    _read_hexes(game, state, reader)
    _read_chits(rules, state, reader)
    if reader.given("sap"):
        sap = reader.table("sap")
        forbid(rules.has_sap == 0, "sap: this scenario has no sap marker [6.0]")
        state.sap_target = sap.pick("target", game.hexes)
        state.sap_hex = sap.pick("hex", game.hexes, None)
        sap.end()
    for key in ("combat", "about"):
        if reader.given(key):
            frame = reader.table(key, names=COMBAT_FIELDS if key == "combat" else ABOUT)
            _read_frame(game, state, frame, pieces)
    _read_end(rules, state, reader)
    decides = reader.pick("decides", OWNERS[:2], None)
    reader.end()
    _check(game, state, decides)
    return state


def _read_structures(game: Any, state: Any, reader: Reader) -> None:
    structures = reader.table("structures", {}, names=game.hexes)
    for hex_id in structures.keys_left():
        name, _, condition = str(structures.take(hex_id)).partition("/")
        hex_ = game.hexes.index(hex_id)
        structure = 1 + pick_name(name, structures.at(hex_id), STRUCTURES)
        forbid(condition not in ("", "disrupted"), f"{structures.at(hex_id)}: a structure is ready, or /disrupted")
        set_structure(state, hex_, structure)
        state.damaged[hex_] = int(condition != "")
    for hex_ in reader.picks("taken", game.hexes):
        forbid(state.town[hex_] == NO_TOWN, f"taken: {game.hexes[hex_]} is not a town")
        state.town[hex_] = TAKEN


def _read_pieces(game: Any, state: Any, reader: Reader) -> list[int]:
    """Put the pieces into their slots; return those of `pieces` in order."""
    rules, kinds, places = game.tables, _kind_names(game), _place_names(game)
    free = list(range(state.pieces))
    state.place = [rules.out] * state.pieces  # no counter is used until its piece is put

    def put(where: str, kind: int, owner: int, place: int) -> int:
        forbid(not free, f"{where}: the scenario has {state.pieces} pieces, not more")
        slot = free.pop(0)
        state.kind[slot], state.owner[slot] = kind, owner
        link(rules, state, slot, place)
        if place != rules.out:
            _check_counters(rules, state, slot, where, kinds[kind])
        return slot

    listed: list[int] = []
    for number, fields in enumerate(reader.items("pieces")):
        one = Reader(fields, f"pieces {number}: ", reader.why)
        kind, owner = one.pick("kind", kinds), one.pick("owner", OWNERS)
        place = one.pick("at", places)
        if place >= rules.hexes:
            forbid(rules.in_play[place - rules.hexes] == 0, f"{one.at('at')}: {places[place]} is not in the theatre")
        forbid(owner not in _owners(rules, kind), f"{one.at('owner')}: {kinds[kind]} is not {OWNERS[owner]}")
        disrupted = one.flag("disrupted", False)
        forbid(disrupted and kind >= NEUTRAL_UNIT, f"{one.at('disrupted')}: only units are Disrupted [11.0]")
        state.disrupted[free[0] if free else 0] = int(disrupted)
        slot = put(one.at("kind"), kind, owner, place)
        allowance = rules.move[min(kind, LEADER)]
        state.points[slot] = one.whole("points", 0, allowance, 0)
        state.did[slot] = sum(1 << mark for mark in one.picks("did", MARKS))
        state.origin[slot] = one.pick("origin", game.hexes, None)
        state.face[slot] = one.whole("face", 0, 7, 0)
        one.end()
        listed.append(slot)
    _read_waiting(game, state, reader, put)
    forbid(free, f"pieces: expected {state.pieces} with Boxes and `out`, {len(free)} are missing")
    return listed


def _check_counters(rules: Any, state: Any, slot: int, where: str, name: str) -> None:
    """[3.0] Raise StateError if a leader is there twice, or more units of a kind than counters."""
    kind, owner = state.kind[slot], state.owner[slot]
    found = canoes_of(rules, state, owner) if kind == CANOE else counters_used(rules, state, kind)
    forbid(kind >= LEADER and found > 1, f"{where}: there is one {name}, not two [3.0]")
    if kind < NEUTRAL_UNIT:
        counters = rules.counters[kind][owner]
        forbid(found > counters, f"{where}: there are {counters} counters of {name}, not more [3.0]")


def _owners(rules: Any, kind: int) -> tuple[int, ...]:
    """Return who may own a piece of a kind."""
    if kind >= LEADER:
        category = CATEGORIES[rules.category[kind - LEADER]]
        return (MAORI, BRITISH, NEUTRAL) if category == "neutral" else (MAORI if category == "maori" else BRITISH,)
    if kind == NEUTRAL_UNIT:
        return (NEUTRAL,)
    if kind == CANOE:
        return (MAORI, BRITISH)
    return (MAORI,) if rules.arrives[kind] == 3 else (BRITISH,)


def _read_waiting(game: Any, state: Any, reader: Reader, put: Any) -> None:
    """Read the Boxes and what is out of the game; add the reinforcements that have not arrived yet."""
    rules, kinds = game.tables, _kind_names(game)
    boxes = reader.table("boxes", {}, names=OWNERS[:2])
    for player in range(2):
        box = boxes.table(OWNERS[player], {}, names=kinds)
        for name in box.keys_left():
            kind = kinds.index(name)
            forbid(player not in _owners(rules, kind), f"{box.at(name)}: {name} is not {OWNERS[player]}")
            for _ in range(box.whole(name, 1, state.pieces)):
                put(box.at(name), kind, player, rules.box)
    out = reader.table("out", {}, names=kinds)
    for name in out.keys_left():
        kind = kinds.index(name)
        for _ in range(out.whole(name, 1, state.pieces)):
            put(out.at(name), kind, _owners(rules, kind)[0], rules.out)
    now = (state.turn, state.half)
    for piece in range(state.pieces):
        entry = rules.start_place[piece] - rules.due
        if entry >= 0 and (rules.arrival_turn[entry], rules.arrival_player[entry]) > now:
            put("pieces", rules.start_kind[piece], rules.start_owner[piece], rules.due + entry)


def _read_hexes(game: Any, state: Any, reader: Reader) -> None:
    hexes = reader.table("hexes", {}, names=game.hexes)
    for hex_id in hexes.keys_left():
        one, hex_ = hexes.table(hex_id), game.hexes.index(hex_id)
        state.bound[hex_] = one.pick("bound", game.hexes, None)
        state.used[hex_] = sum(1 << mark for mark in one.picks("used", USES))
        one.end()


def _read_chits(rules: Any, state: Any, reader: Reader) -> None:
    for key in ("cup", "aside"):
        for number in reader.items(key):
            number = whole_number(number, key, 1, N_CHITS)
            forbid(rules.chits >> number & 1 == 0, f"{key}: chit {number} is not in this scenario [14.0]")
            forbid((state.cup | state.aside) >> number & 1, f"{key}: chit {number} is there twice")
            setattr(state, key, getattr(state, key) | 1 << number)
    missing = rules.chits & ~(state.cup | state.aside)
    forbid(missing, f"cup: chit {missing.bit_length() - 1} is neither in the cup nor aside")


def _read_frame(game: Any, state: Any, frame: Reader, pieces: list[int]) -> None:
    kinds, places = _kind_names(game), _place_names(game)
    for name in frame.keys_left():
        if name in PLAYERS_IN:
            value = frame.pick(name, OWNERS[:2])
        elif name in PLACES:
            within = {"target": game.hexes, "went": game.hexes, "territory": game.ruleset.board.territories}
            value = frame.pick(name, within.get(name, places))
        elif name in FOLLOWING:
            value = frame.pick(name, PHASES)
        elif name in OUTCOMES:
            value = frame.pick(name, RESULTS)
        elif name in PIECES:
            value = _read_piece(game, state, frame, name, pieces, kinds)
        else:
            low = -16 if name.endswith("modifier") else 0
            value = frame.whole(name, low, N_CHITS if name == "chit" else 16)
        setattr(state, name, value)


def _read_piece(game: Any, state: Any, frame: Reader, name: str, pieces: list[int], kinds: Sequence[str]) -> int:
    """Return the piece that a field of the frame names: an index of `pieces`, or a kind in the Box."""
    value = frame.take(name)
    if not isinstance(value, str):
        return pieces[whole_number(value, frame.at(name), 0, len(pieces) - 1)]
    kind = pick_name(value, frame.at(name), kinds)
    for piece in range(state.pieces):
        if state.kind[piece] == kind and state.place[piece] == game.tables.box:
            return piece
    frame.fail(name, f"no {value} is in the Box")


def _read_end(rules: Any, state: Any, reader: Reader) -> None:
    state.result = 1 + reader.pick("result", REASONS, None)
    state.winner = reader.pick("winner", OWNERS[:2], None)
    forbid((state.result > 0) != (state.phase == OVER), "result: it stands at the end of a game alone")
    forbid(state.winner >= 0 and state.result == 0, "winner: nobody has won yet")


def _fault(game: Any, state: Any, fault: int) -> str:
    """Return a fault of the whole position in words, with the field and, if it is in a hex, that."""
    found = (invariants.fault_of_place, invariants.fault_of_hex)
    ids = [id_ for h, id_ in enumerate(game.hexes) if fault in [find(game.tables, state, h) for find in found]]
    if _FIELD_OF.get(fault) == "combat":
        place = state.target if fault != invariants.NO_VICTIM or state.spot < 0 else state.spot
        ids = [_place_names(game)[place]] if place >= 0 else []
    return ": ".join((_FIELD_OF.get(fault, "pieces"), *ids[:1], invariants.FAULTS[fault]))


def _check(game: Any, state: Any, decides: int) -> None:
    """Check what the fields have to do with each other. Raises StateError."""
    rules, hooks, step = game.tables, flow.TABLE.hooks, PHASES[state.phase]
    forbid(step in _AUTOMATIC, f"step: nobody decides at step {step}")
    for name in _NEEDS.get(step, ()):
        forbid(getattr(state, name) < 0, f"{name}: required at step {step}")
    nobody = state.phase == OVER or hooks["is_chance"](rules, state)
    state.decider = -1 if nobody else decides
    fault = invariants.fault_in(rules, state)
    forbid(fault, _fault(game, state, fault))
    if nobody:
        return
    forbid(decides < 0, f"decides: somebody decides at step {step}")
    try:
        hooks["list_legal"](rules, state)
    except (IndexError, RecursionError):
        state.n_legal = 0
    none, state.n_legal = state.n_legal == 0, 0
    forbid(none, f"step: nothing can be chosen at step {step}")
