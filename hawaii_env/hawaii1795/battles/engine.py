"""Battles of the engine [11.0 to 14.2]: positions read as positions of the model, made for a battle, and played out."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, cast

from hawaii_env._arguments import check_count, check_kind
from hawaii_env.core.rng import seed_words
from hawaii_env.errors import OptionError, StateError

from ..entries import NOTHING, SAMPLE
from ..game import RULES, Game, State
from ..positions.view import BATTLE_PHASES
from ..rules import flow, names
from ..rules.errors import EndlessPhaseError
from ..rules.names import (
    ADVANTAGE,
    DEAD,
    FIRE,
    HIT_DIE,
    KIND_NAMES,
    KINDS,
    LAST_DECISION,
    LOSS,
    MAX_STEPS,
    N_PIECES,
    PANIC_LOSS,
    SEA,
    SEA_BATTLE,
    SIDES,
    SPACES,
    WAR,
)
from .forces import (
    game_of,
    how_it_fights,
    may_stand_with,
    names_of,
    results_of,
    sides_of,
    types_of,
    walls_of,
)
from .model import ATTACKER, DEFENDER, FIRING, LOSE, PANIC, ROLL, START, BattleModel, Node
from .units import FIRED, PANICKED, READY, Side

__all__ = [
    "Frequencies",
    "battle_position",
    "engine_frequencies",
    "fighters_of",
    "kind_of",
    "model_of",
    "node_of",
    "nodes_after",
    "winner_of",
]


def kind_of(state: State) -> str:
    """Return the kind of the battle that a position is in: "invasion", "overland" or "sea"."""
    return names.BATTLES[int(check_kind("state", state, State).interpreted().battle)]


def fighters_of(state: State) -> tuple[list[int], list[int]]:
    """Return the pieces of the attackers and of the defenders in the battle that a position is in."""
    record = check_kind("state", state, State).interpreted()
    half, field, sea = record.half, record.field, record.battle == SEA_BATTLE
    place, owner = record.place, record.owner
    canoe = state.game.tables.canoe
    found: list[list[int]] = []
    for role, side in enumerate((half, 1 - half)):
        at = field if not sea else WAR if role else SEA + field
        found.append([p for p in range(N_PIECES) if place[p] == at and owner[p] == side and not canoe[p]])
    return found[0], found[1]


def model_of(state: State, merge: bool = True) -> tuple[BattleModel, Node, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the model of the battle of a position, the position in it, and the names of the units of both sides.

    Args:
        state: a position in a battle.
        merge: kinds that fight alike are one type; False: each kind is a type, as a choice at random needs.

    Raises:
        OptionError: no battle is being fought.
    """
    record, tables = check_kind("state", state, State).interpreted(), state.game.tables
    if record.phase not in BATTLE_PHASES:
        raise OptionError(f"no battle is being fought in phase {state.phase}")
    half, field, battle = (getattr(record, name) for name in ("half", "field", "battle"))
    place, owner = record.place, record.owner
    sea = battle == SEA_BATTLE
    kinds = [[int(tables.kind[p]) for p in pieces] for pieces in fighters_of(state)]
    chiefs = all(place[int(tables.first[k])] != DEAD for k in (names.K_KALANI, names.K_KAIANA))
    walls = bool(tables.fort[field] or record.earthworks)
    model = BattleModel(
        types_of(tables, kinds[0], "attackers", merge),
        types_of(tables, kinds[1], "defenders", merge),
        results_of(state.game.ruleset),
        walls,
        sea,
        record.advantage_bonus,
        record.gunpowder_bonus,
        battle == names.OVERLAND and _may_leave(tables, place, owner, field, 1 - half),
        chiefs,
        ATTACKER if half == names.KAMEHAMEHA else DEFENDER,
    )
    shown = tuple(tuple(KIND_NAMES[k] for k in kinds[role]) for role in (0, 1))
    return model, node_of(model, state), cast(Any, shown)


def _may_leave(tables: Any, place: list[int], owner: list[int], field: int, side: int) -> bool:
    """[11.6] Return True if beaten defenders have a canoe in the space, and a space off the island that their side
    occupies.
    """
    island = {field, int(tables.sibling[field])}
    held = [set[int](), set[int]()]
    canoe = False
    for p in range(N_PIECES):
        if tables.canoe[p]:
            canoe = canoe or (place[p] == field and owner[p] == side)
        elif place[p] < names.N_SPACES and owner[p] < 2:
            held[owner[p]].add(place[p])
    return canoe and bool(held[side] - held[1 - side] - island)


def node_of(model: BattleModel, state: State) -> Node:
    """Return the position of a state's battle in its model, which `model_of` made, now or earlier in the battle.

    Any model that `covers` the one of the state will do.
    """
    check_kind("model", model, BattleModel)
    record, tables = check_kind("state", state, State).interpreted(), state.game.tables
    phase, half = record.phase, record.half
    panicked, fired = record.panicked, record.fired
    units = [0, 0]
    for role, pieces in enumerate(fighters_of(state)):
        for p in pieces:
            i = _type_of(model.sides[role], tables, p)
            condition = PANICKED if panicked[p] else FIRED if fired[p] else READY
            units[role] += 1 << (model.sides[role].shift(i, condition))
    a, d = (side.units(bits) for side, bits in zip(model.sides, units, strict=True))
    second = record.second
    if phase == ADVANTAGE:
        return (START, second, a, d, 0, 0, 0, 0, record.first_die)
    used = record.pike_used
    pikes = used[half] | used[1 - half] << 1
    turn, who = (0 if getattr(record, name) == half else 1 for name in ("turn_side", "firing"))
    if phase == FIRE:
        return model.next_to_fire(second, a, d, turn, pikes)
    firer = record.firer
    stage = {HIT_DIE: ROLL, LOSS: LOSE, PANIC_LOSS: PANIC}[phase]
    return model.node(stage, second, a, d, turn, pikes, who, int(tables.elite[firer]), record.dice)


def _type_of(side: Side, tables: Any, piece: int) -> int:
    """Return the type of a piece."""
    name = KIND_NAMES[int(tables.kind[piece])]
    found = side.type_of(name, how_it_fights(tables, piece))
    if found < 0:
        raise StateError(f"{name} is not in this battle")
    return found


def nodes_after(model: BattleModel, node: Node, state: State) -> dict[int, Node]:
    """Return the position of the model after each legal action of a battle's decision: who fires, is lost or panics.

    Args:
        model: of the battle.
        node: the position in it, as `node_of` has it.
        state: the same position.

    Raises:
        OptionError: nobody is to choose in a battle.
    """
    if state.interpreted().phase not in (FIRE, LOSS, PANIC_LOSS):
        raise OptionError(f"nobody chooses in a battle in phase {state.phase}")
    who, choices = model.expand(node)
    after = dict(choices)
    return {action: after[_named(model.sides[who], who, node, state, action)] for action in state.legal_actions()}


def _named(side: Side, who: int, node: Node, state: State, action: int) -> Any:
    """Return the choice of the model that an action names: the piece that fires, is lost or panics by it, seen in the
    engine.
    """
    tables = state.game.tables
    before = state.interpreted()
    after = before.copy()
    flow.apply_action(tables, after, action)
    if node[0] == FIRING:
        return _type_of(side, tables, after.firer)
    piece = next(
        p
        for p in fighters_of(state)[who]
        if before.place[p] != after.place[p] or before.panicked[p] != after.panicked[p]
    )
    return _type_of(side, tables, piece), PANICKED if before.panicked[piece] else FIRED if before.fired[
        piece
    ] else READY


def battle_position(
    attackers: Sequence[str],
    defenders: Sequence[str],
    space: str = "open",
    kind: str = "invasion",
    earthworks: bool = False,
    *,
    advantage: int = 0,
    gunpowder: int = 0,
    game: Game | None = None,
) -> State:
    """Return a position of the engine, in the explicit mode, in which this battle begins: its first advantage die is to
    fall.

    Both sides hold spaces elsewhere where they have units left, so that the beaten can withdraw; attackers have canoes.

    Args:
        attackers: names of units of one player (and of Kaua'i).
        defenders: names of units of the other.
        space: as for `battle_odds`; ``"open"`` and ``"fort"`` take some space.
        kind: as for `battle_odds`.
        earthworks: as for `battle_odds`.
        advantage: as for `battle_odds`.
        gunpowder: as for `battle_odds`.
        game: the game; None is a new one.

    Raises:
        OptionError: as `battle_odds`; also when the units are not of two players.
        StateError: the position cannot be.
    """
    game = game_of(game)
    ours, theirs = names_of(attackers, "attackers"), names_of(defenders, "defenders")
    kinds = sides_of(ours, theirs)
    tables = game.tables
    for role, what in enumerate(("attackers", "defenders")):
        types_of(tables, kinds[role], what, merge=False)
    half = next((s for s in (0, 1) if _are_of(kinds[0], s) and _are_of(kinds[1], 1 - s)), None)
    if half is None:
        raise OptionError(
            "the engine plays battles of Kamehameha's units against the Allies'; these are not of two players"
        )
    walls_of(game, space, kind, earthworks)
    if space not in SPACES:
        space = _some_space(tables, space, kind)
    sibling = int(tables.sibling[SPACES.index(space)])
    spare = [s for s in SPACES if s not in (space, "kauai") and SPACES.index(s) != sibling]
    homes = (spare[:2], spare[2:4])
    units: dict[str, dict[str, list[str]]] = {}
    for role, fighters in enumerate(kinds):
        side = half if role == ATTACKER else 1 - half
        free = [
            k for k in range(len(KINDS))
            for _ in range(int(tables.count[k]) - fighters.count(k))
            if _are_of([k], side) and k < names.K_KAUAI_WARRIOR
        ]  # fmt: skip
        canoes = [KIND_NAMES[k] for k in free if tables.canoe[int(tables.first[k])]]
        others = [KIND_NAMES[k] for k in free if tables.warrior[int(tables.first[k])] and k != names.K_KAIANA_WARRIORS]
        places = {home: [other] for home, other in zip(homes[role], others)}
        named = [KIND_NAMES[k] for k in fighters]
        if kind == "sea":
            where = homes[role][0] if role == ATTACKER else space
            place = f"sea/{space}" if role == ATTACKER else "war"
            places[place] = [f"{name}/{where}" for name in named + canoes]
        elif kind == "overland" and role == ATTACKER:
            places[space] = [f"{name}/{SPACES[sibling]}" for name in named]
        else:
            places[space] = named + (canoes[:1] if role == ATTACKER else [])
        units[SIDES[side]] = places
    both = [*kinds[0], *kinds[1]]
    with_whom = half if names.K_KAUAI_WARRIOR in kinds[0] else 1 - half
    kauai = SIDES[with_whom] if names.K_KAUAI_WARRIOR in both or space == "kauai" else "neutral"
    return game.position(
        turn="june",
        half=SIDES[half],
        phase="advantage",
        units=units,
        kauai=kauai,
        field=space,
        battle={"kind": kind, "earthworks": earthworks},
        bonuses={"advantage": advantage, "gunpowder": gunpowder},
    )


def _some_space(tables: Any, space: str, kind: str) -> str:
    """Return the first space that is a fort, or open, where such a battle can be."""
    for i, name in enumerate(SPACES):
        if (kind != "overland" or tables.sibling[i] >= 0) and bool(tables.fort[i]) == (space == "fort"):
            return name
    raise OptionError(f"space: the ruleset has no {space} space for this battle")


def _are_of(kinds: Sequence[int], side: int) -> bool:
    return all(may_stand_with(kind, side) for kind in kinds)


MANY = 10_000
"""More battles through the engine than these are worth compiling it."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Results of battles that the engine played.

    Attributes:
        battles: how many.
        attacker_wins: the share won by the attackers.
        attacker_losses: units that the attackers lost, on average.
        defender_losses: units that the defenders lost, on average.
        standard_error: of the share.
    """

    battles: int
    attacker_wins: float
    attacker_losses: float
    defender_losses: float
    standard_error: float


def engine_frequencies(
    state: State, battles: int = 2000, seed: int = 0, choose: Callable[[State, list[int]], int] | None = None
) -> Frequencies:
    """Play the battle of a position many times through the engine, with the engine's own dice.

    Args:
        state: a position in a battle, as `battle_position` makes it; it stays as it is.
        battles: how many times.
        seed: battle i has the generators of seed + i.
        choose: picks an action for whoever decides, from a state and its legal actions; None picks at random.

    Raises:
        OptionError: no battle is being fought.
    """
    check_kind("state", state, State)
    if choose is not None and not callable(choose):
        raise OptionError(f"choose: expected a function of a state and its legal actions, not {choose!r}")
    check_count("battles", battles, 1, 10**9)
    check_count("seed", seed, 0, 2**63)
    record = state.interpreted()
    if record.phase not in BATTLE_PHASES:
        raise OptionError(f"no battle is being fought in phase {state.phase}")
    picks = random.Random(seed)
    backend = RULES.backend_for_jobs() if battles > MANY else RULES.backend_of(state.data)
    tables, half, sea = state.game.rules_in(backend), record.half, record.battle == SEA_BATTLE
    start = State(state.game, backend.state(state.data))
    before = [_alive(record, state.game.tables, side) for side in (half, 1 - half)]
    fighters = fighters_of(state)
    wins = 0
    lost = [0, 0]
    for i in range(battles):
        copy = start.clone()
        copy.set_generator(seed_words(seed + i))
        choice, phase = NOTHING, record.phase
        for _ in range(MAX_STEPS):
            backend.enter_step(tables, copy.data, choice)
            phase = backend.get(copy.data, "phase")
            if phase not in BATTLE_PHASES or (backend.get(copy.data, "battle") == SEA_BATTLE) != sea:
                break
            if phase > LAST_DECISION:
                choice = SAMPLE
                continue
            legal = copy.legal_actions()
            if len(legal) == 1:
                choice = legal[0]
            else:
                choice = picks.choice(legal) if choose is None else choose(copy, legal)
        else:
            raise EndlessPhaseError(phase)
        wins += winner_of(copy, fighters) == ATTACKER
        after = copy.interpreted()
        for role, side in enumerate((half, 1 - half)):
            lost[role] += before[role] - _alive(after, state.game.tables, side)
    share = wins / battles
    near = (wins + 1) / (battles + 2)
    return Frequencies(battles, share, lost[0] / battles, lost[1] / battles, sqrt(near * (1 - near) / battles))


def _alive(record: Any, tables: Any, side: int) -> int:
    """Return how many units of a side are on the map or at sea."""
    return sum(
        1
        for p in range(N_PIECES)
        if record.owner[p] == side and not tables.canoe[p] and record.place[p] not in (names.BOX, names.DEAD)
    )


def winner_of(state: State, fighters: Sequence[Sequence[int]]) -> int:
    """Return the role (0 attacker, 1 defender) that has won the battle just over.

    Args:
        state: the position right after the battle, before any retreat.
        fighters: the pieces of both roles that were in it.
    """
    record = check_kind("state", state, State).interpreted()
    phase, half = record.phase, record.half
    if phase == names.OVER:
        return ATTACKER if record.winner == half else DEFENDER
    if phase in (names.RETREAT, names.CANOE_LOSS):
        retreat = record.pending_retreat
        if retreat == names.BY_SEA_LOSER:
            return DEFENDER if record.decider == half else ATTACKER
        return ATTACKER if retreat == names.BY_DEFENDER else DEFENDER
    if phase == names.WITHDRAW and record.next_phase == names.SEA_LOSER:
        return ATTACKER if record.advantage == half else DEFENDER
    # Nobody retreats: the beaten have been eliminated to the last.
    place = record.place
    return ATTACKER if any(place[p] not in (names.BOX, DEAD) for p in fighters[ATTACKER]) else DEFENDER
