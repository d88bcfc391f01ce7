"""Battle odds [11.0 to 14.2]: exact over the tree of dice and choices, by simulation where that is too large.

`battle_odds` takes names of units, `odds_of` a position in a battle. Closed forms for single dice and rolls stand beside
them, and `engine_frequencies` plays a battle through the engine, so that each can be checked against the others.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, cast

from hawaii_env.errors import OptionError, StateError

from . import core, names
from .names import (
    ADVANTAGE,
    DEAD,
    FIRE,
    HIT_DIE,
    KIND_NAMES,
    KINDS,
    LAST_DECISION,
    LOSS,
    N_PIECES,
    PANIC_LOSS,
    SEA,
    SEA_BATTLE,
    SIDES,
    SPACES,
    WAR,
)
from .odds_model import (
    ATTACKER,
    DEFENDER,
    FIRED,
    LOSE,
    PANIC,
    PANICKED,
    POLICIES,
    READY,
    ROLL,
    START,
    BattleModel,
    Node,
    Side,
    Solver,
    TooLargeError,
    UnitType,
    advantage_chances,
    hit_chances,
    simulate,
)
from .play import Game, State

__all__ = [
    "MAX_NODES",
    "POLICIES",
    "SAMPLES",
    "Frequencies",
    "Odds",
    "advantage_chances",
    "battle_odds",
    "battle_position",
    "die_chances",
    "engine_frequencies",
    "fighters_of",
    "hit_chances",
    "model_of",
    "node_of",
    "odds_of",
    "winner_of",
]

MAX_NODES = 500_000
"""Positions that an exact solution may take before `battle_odds` simulates instead: a few seconds."""

SAMPLES = 20_000
"""Battles of a simulation."""

_SIDE_KINDS = names.K_KALANI  # kinds below are Kamehameha's, those from Kaua'i's on stand with either side


def die_chances(
    game: Game | None = None, role: int = ATTACKER, elite: bool = False
) -> tuple[Fraction, Fraction, Fraction]:
    """[11.2, 12.0, R-05] The chances of no effect, panic and elimination of one die.

    Args:
        game: whose Battle Results Table is read; None is the shipped one.
        role: 0 where the side that fires attacks, 1 where it defends.
        elite: whether the unit that fires is elite.
    """
    table = cast(Any, (game or Game()).record_array)[0]["results"].tolist()
    faces = table[role * 12 + int(elite) * 6 :][:6]
    none, panic, elimination = (Fraction(faces.count(result), 6) for result in range(3))
    return none, panic, elimination


# -- odds ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Odds:
    """What may come of a battle.

    Attributes:
        attackers: the attackers' units.
        defenders: the defenders' units.
        kind: "invasion", "overland" or "sea".
        walls: the defenders stand in a fort or behind earthworks.
        policy: how the attacker and the defender chose: of POLICIES.
        attacker_wins: the chance that the attackers take the space (win both battles), or win the sea battle.
        defender_wins: the rest.
        attacker_losses: units that the attackers lose, on average; beaten attackers withdraw.
        defender_losses: units that the defenders lose, on average; those beaten twice are eliminated, unless they escape.
        exact: solved over the whole tree; False: simulated.
        nodes: positions that were looked at.
        error: bound of the error of the chances by rounding; 0 for a simulation, whose error is chance.
        standard_error: of the chances, by chance; 0 for exact ones.
        samples: battles simulated; 0 for exact odds.
    """

    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    kind: str
    walls: bool
    policy: tuple[str, str]
    attacker_wins: float
    defender_wins: float
    attacker_losses: float
    defender_losses: float
    exact: bool
    nodes: int
    error: float
    standard_error: float
    samples: int

    @property
    def value(self) -> float:
        """The battle's value to the attackers, -1 to 1: their chance less the defenders'."""
        return self.attacker_wins - self.defender_wins


def battle_odds(
    attackers: Sequence[str],
    defenders: Sequence[str],
    space: str = "open",
    kind: str = "invasion",
    earthworks: bool = False,
    *,
    advantage: int = 0,
    gunpowder: int = 0,
    escape: bool = False,
    chiefs: bool = True,
    ruleset: Any = None,
    game: Game | None = None,
    policy: str | tuple[str, str] = "optimal",
    max_nodes: int = MAX_NODES,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Odds:
    """Return the odds of a battle, exact where it takes at most `max_nodes` positions [11.0].

    Each side wants to win the battle; of choices that are equal in that, one that costs the enemy more than itself. Kamehameha's
    death is a lost battle, and so is that of Kalani and Kaiana if both fight in it [5.2].

    Args:
        attackers: names of units, as ``["kamehameha", "warrior_2", "warrior_2"]``; any units the game has, also against
            others of their own side.
        defenders: the same.
        space: ``"open"``, ``"fort"``, or a space, which has a fort or not.
        kind: ``"invasion"``, ``"overland"`` (no difference but for `escape`), or ``"sea"`` (one battle, no fort).
        earthworks: the defenders stand behind earthworks.
        advantage: what a card adds to the attackers' advantage rolls, 0 to 9.
        gunpowder: dice that a card adds to each of the attackers' gunpowder units, 0 to 9.
        escape: defenders beaten in the second battle of an overland attack leave by canoe.
        chiefs: False where one of Kalani and Kaiana is dead already, so that the other's death is a lost battle, too.
        ruleset: a ruleset folder or a Ruleset; None is the shipped one.
        game: take the ruleset of this game.
        policy: how the sides choose, one word or (attacker's, defender's): ``"optimal"``, ``"simple"`` (a rule of thumb),
            ``"random"`` (uniform among the engine's legal actions).
        max_nodes: simulate where an exact solution would look at more positions; then ``"simple"`` stands in for
            ``"optimal"``, and the result says so.
        samples: battles of a simulation.
        seed: of a simulation.

    Raises:
        OptionError: an unknown unit, space, kind or policy, no unit, more units than the game has, or a battle that cannot be.
    """
    game = _game(game, ruleset)
    policies = _policies(policy)
    merge = "random" not in policies
    ours, theirs = _names(attackers, "attackers"), _names(defenders, "defenders")
    kinds = _sides_of(ours, theirs)
    _check_number(advantage, "advantage", 0, 9)
    _check_number(gunpowder, "gunpowder", 0, 9)
    walls = _walls(game, space, kind, earthworks)
    if escape and kind != "overland":
        raise OptionError("escape: only defenders of an overland attack leave by canoe [11.6]")
    record = cast(Any, game.record_array)[0]
    left = _types(record, kinds[0], "attackers", merge)
    right = _types(record, kinds[1], "defenders", merge)
    role = ATTACKER if min(kinds[0]) < _SIDE_KINDS else DEFENDER
    model = BattleModel(left, right, _results(record), walls, kind == "sea", advantage, gunpowder, escape, chiefs, role)
    return _odds(model, model.root, ours, theirs, kind, policies, max_nodes, samples, seed)


def odds_of(
    state: State,
    *,
    policy: str | tuple[str, str] = "optimal",
    max_nodes: int = MAX_NODES,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Odds:
    """Return the odds of the battle that is being fought in a position, from where it stands; losses count from now on.

    Where the attackers of a land battle came by canoe and overland, and some of a kind did either, the policy "random" takes
    them for one choice. Arguments as for `battle_odds`.

    Raises:
        OptionError: no battle is being fought, or an argument is wrong.
    """
    policies = _policies(policy)
    model, node, sides = model_of(state, merge="random" not in policies)
    kind = names.BATTLES[core.get(state._buffer, "battle")]
    return _odds(model, node, sides[0], sides[1], kind, policies, max_nodes, samples, seed)


def _odds(
    model: BattleModel,
    root: Node,
    attackers: tuple[str, ...],
    defenders: tuple[str, ...],
    kind: str,
    policies: tuple[str, str],
    max_nodes: int,
    samples: int,
    seed: int,
) -> Odds:
    _check_number(max_nodes, "max_nodes", 0, 10**9)
    _check_number(samples, "samples", 1, 10**9)
    _check_number(seed, "seed", 0, 2**63)
    solver = Solver(model, policies, max_nodes)
    try:
        wins, ours, theirs = solver.solve(root)
    except TooLargeError:
        pass
    else:
        return Odds(
            attackers, defenders, kind, model.walls, policies, wins, 1 - wins, ours, theirs,
            True, solver.nodes, solver.error(root), 0.0, 0,
        )  # fmt: skip
    played = cast(tuple[str, str], tuple("simple" if p == "optimal" else p for p in policies))
    (wins, ours, theirs), nodes = simulate(model, root, played, samples, seed)
    # The rule of succession keeps the error of an outcome that never came above 0.
    near = (wins * samples + 1) / (samples + 2)
    return Odds(
        attackers, defenders, kind, model.walls, played, wins, 1 - wins, ours, theirs,
        False, nodes, 0.0, sqrt(near * (1 - near) / samples), samples,
    )  # fmt: skip


# -- what callers say ------------------------------------------------------------------------------------------------


def _game(game: Game | None, ruleset: Any = None) -> Game:
    if game is None:
        return Game(rules=ruleset)
    if ruleset is not None:
        raise OptionError("ruleset: the game brings its own; pass one of the two")
    return game


def _check_number(value: object, what: str, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise OptionError(f"{what}: a whole number from {low} to {high} is wanted, not {value!r}")


def _policies(policy: str | tuple[str, str]) -> tuple[str, str]:
    pair: tuple[str, ...] = (policy, policy) if isinstance(policy, str) else tuple(policy)
    if len(pair) != 2 or any(p not in POLICIES for p in pair):
        raise OptionError(f"policy: one or two of {', '.join(POLICIES)} are wanted, not {policy!r}")
    return pair[0], pair[1]


def _kinds_named(name: str) -> list[int]:
    return [kind for kind, known in enumerate(KIND_NAMES) if known == name]


def _names(units: Sequence[str], what: str) -> tuple[str, ...]:
    """The names of a side's units, checked."""
    if isinstance(units, str) or not units:
        raise OptionError(f"{what}: a list of at least one unit is wanted, not {units!r}")
    for name in units:
        if not _kinds_named(name):
            known = sorted({KIND_NAMES[k] for k in range(len(KINDS)) if "canoe" not in KINDS[k]})
            raise OptionError(f"{what}: there is no unit {name!r}; the units are {', '.join(known)}")
        if "canoe" in name:
            raise OptionError(f"{what}: a {name} never fights and is no loss [11.2]; leave it out")
    return tuple(units)


def _may_stand_with(kind: int, side: int) -> bool:
    return kind >= names.K_KAUAI_WARRIOR or (kind < _SIDE_KINDS) == (side == 0)


def _sides_of(attackers: tuple[str, ...], defenders: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """The kinds of both sides' units: of the two players where that is possible, else of whoever has such units."""
    for side in (0, 1):
        found: list[list[int]] = []
        for at, units in ((side, attackers), (1 - side, defenders)):
            found.append([k for name in units for k in _kinds_named(name) if _may_stand_with(k, at)])
        if len(found[0]) == len(attackers) and len(found[1]) == len(defenders):
            return found[0], found[1]
    return [_kinds_named(name)[0] for name in attackers], [_kinds_named(name)[0] for name in defenders]


def _how_it_fights(record: Any, piece: int) -> tuple[int, bool, bool, bool, bool]:
    """Strength, elite, counts for advantage, gunpowder, pike."""
    elite, plus, gun, pike = (bool(record[name][piece]) for name in ("elite", "plus", "gun", "pike"))
    return int(record["strength"][piece]), elite, plus, gun, pike


def _types(record: Any, kinds: Sequence[int], what: str, merge: bool) -> list[UnitType]:
    """Unit types of a side, in the order of kinds; with `merge` kinds that fight alike are one."""
    types: dict[Any, UnitType] = {}
    for kind in sorted(set(kinds)):
        count, there = kinds.count(kind), int(record["count"][kind])
        if count > there:
            raise OptionError(f"{what}: {count} times {KIND_NAMES[kind]}, but the game has {there}")
        piece = int(record["first"][kind])
        life = 1 if kind == names.K_KAMEHAMEHA else 2 if kind in (names.K_KALANI, names.K_KAIANA) else 0
        fights = _how_it_fights(record, piece)
        key: Any = fights if merge and not life else kind
        if key in types:
            types[key] = replace(types[key], count=types[key].count + count)
        else:
            types[key] = UnitType(KIND_NAMES[kind], count, *fights, life)
    return list(types.values())


def _results(record: Any) -> list[tuple[int, int, int]]:
    """Faces without effect, of panic, of elimination, by role * 2 + elite."""
    table = record["results"].tolist()
    columns = [table[i * 6 : i * 6 + 6] for i in range(4)]
    return [(c.count(0), c.count(1), c.count(2)) for c in columns]


def _walls(game: Game, space: str, kind: str, earthworks: bool) -> bool:
    """[13.0] Whether the defenders ignore panic."""
    if kind not in names.BATTLES:
        raise OptionError(f"kind: allowed are {', '.join(names.BATTLES)}, not {kind!r}")
    if space not in ("open", "fort", *SPACES):
        raise OptionError(f"space: allowed are open, fort, {', '.join(SPACES)}, not {space!r}")
    fort = space == "fort" or (space in SPACES and bool(cast(Any, game.record_array)[0]["fort"][SPACES.index(space)]))
    if kind == "sea":
        if earthworks:
            raise OptionError("earthworks: there are none at sea [11.8]")
        return False
    if earthworks and fort:
        raise OptionError(f"earthworks: they are placed where no fort is [9.0], and {space} has one")
    if kind == "overland" and space in SPACES:
        sibling = int(cast(Any, game.record_array)[0]["sibling"][SPACES.index(space)])
        if sibling < 0:
            raise OptionError(f"kind: nobody attacks {space} overland, its island has one space [10.2]")
    return fort or earthworks


# -- battles of the engine -------------------------------------------------------------------------------------------

_BATTLE_PHASES = (FIRE, LOSS, PANIC_LOSS, ADVANTAGE, HIT_DIE)


def fighters_of(state: State) -> tuple[list[int], list[int]]:
    """Return the pieces of the attackers and of the defenders in the battle that a position is in."""
    buffer = state._buffer
    half, field, sea = core.get(buffer, "half"), core.get(buffer, "field"), core.get(buffer, "battle") == SEA_BATTLE
    place, owner = core.get_list(buffer, "place"), core.get_list(buffer, "owner")
    canoe = cast(Any, state.game.record_array)[0]["canoe"]
    found: list[list[int]] = []
    for role, side in enumerate((half, 1 - half)):
        at = field if not sea else WAR if role else SEA + field
        found.append([p for p in range(N_PIECES) if place[p] == at and owner[p] == side and not canoe[p]])
    return found[0], found[1]


def model_of(state: State, merge: bool = True) -> tuple[BattleModel, Node, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the model of the battle of a position, the position in it, and the names of the units of both sides.

    Raises:
        OptionError: no battle is being fought.
    """
    buffer, record = state._buffer, cast(Any, state.game.record_array)[0]
    if core.get(buffer, "phase") not in _BATTLE_PHASES:
        raise OptionError(f"no battle is being fought in phase {state.phase}")
    half, field, battle = (core.get(buffer, name) for name in ("half", "field", "battle"))
    place, owner = core.get_list(buffer, "place"), core.get_list(buffer, "owner")
    sea = battle == SEA_BATTLE
    kinds = [[int(record["kind"][p]) for p in pieces] for pieces in fighters_of(state)]
    chiefs = all(place[int(record["first"][k])] != DEAD for k in (names.K_KALANI, names.K_KAIANA))
    walls = bool(record["fort"][field]) or bool(core.get(buffer, "earthworks"))
    model = BattleModel(
        _types(record, kinds[0], "attackers", merge),
        _types(record, kinds[1], "defenders", merge),
        _results(record),
        walls,
        sea,
        core.get(buffer, "advantage_bonus"),
        core.get(buffer, "gunpowder_bonus"),
        battle == names.OVERLAND and _may_leave(record, place, owner, field, 1 - half),
        chiefs,
        ATTACKER if half == names.KAMEHAMEHA else DEFENDER,
    )
    shown = tuple(tuple(KIND_NAMES[k] for k in kinds[role]) for role in (0, 1))
    return model, node_of(model, state), cast(Any, shown)


def _may_leave(record: Any, place: list[int], owner: list[int], field: int, side: int) -> bool:
    """[11.6] Beaten defenders have a canoe in the space, and a space off the island that their side occupies."""
    island = {field, int(record["sibling"][field])}
    held = [set[int](), set[int]()]
    canoe = False
    for p in range(N_PIECES):
        if record["canoe"][p]:
            canoe = canoe or (place[p] == field and owner[p] == side)
        elif place[p] < names.N_SPACES and owner[p] < 2:
            held[owner[p]].add(place[p])
    return canoe and bool(held[side] - held[1 - side] - island)


def node_of(model: BattleModel, state: State) -> Node:
    """Return the position of a state's battle in its model (which `model_of` made, now or earlier in the battle)."""
    buffer, record = state._buffer, cast(Any, state.game.record_array)[0]
    phase, half = core.get(buffer, "phase"), core.get(buffer, "half")
    panicked, fired = core.get_list(buffer, "panicked"), core.get_list(buffer, "fired")
    units = [0, 0]
    for role, pieces in enumerate(fighters_of(state)):
        for p in pieces:
            i = _type_index(model.sides[role], record, p)
            condition = PANICKED if panicked[p] else FIRED if fired[p] else READY
            units[role] += 1 << (model.sides[role].shift(i, condition))
    a, d = units
    second = core.get(buffer, "second")
    if phase == ADVANTAGE:
        return (START, second, a, d, 0, 0, 0, 0, core.get(buffer, "first_die"))
    used = core.get_list(buffer, "pike_used")
    pikes = used[half] | used[1 - half] << 1
    turn, who = (0 if core.get(buffer, name) == half else 1 for name in ("turn_side", "firing"))
    if phase == FIRE:
        return model.next_to_fire(second, a, d, turn, pikes)
    firer = core.get(buffer, "firer")
    stage = {HIT_DIE: ROLL, LOSS: LOSE, PANIC_LOSS: PANIC}[phase]
    return model.node(stage, second, a, d, turn, pikes, who, int(record["elite"][firer]), core.get(buffer, "dice"))


def _type_index(side: Side, record: Any, piece: int) -> int:
    """The type of a piece: by its name, else by how it fights."""
    name = KIND_NAMES[int(record["kind"][piece])]
    for i, it in enumerate(side.types):
        if it.name == name:
            return i
    fights = _how_it_fights(record, piece)
    for i, it in enumerate(side.types):
        if not it.life and (it.strength, it.elite, it.plus, it.gun, it.pike) == fights:
            return i
    raise StateError(f"{name} is not in this battle")


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
    """Return a position of the engine, in the explicit mode, in which this battle begins: its first advantage die is to fall.

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
    game = _game(game)
    ours, theirs = _names(attackers, "attackers"), _names(defenders, "defenders")
    kinds = _sides_of(ours, theirs)
    record = cast(Any, game.record_array)[0]
    for role, what in enumerate(("attackers", "defenders")):
        _types(record, kinds[role], what, merge=False)
    half = next((s for s in (0, 1) if _are_of(kinds[0], s) and _are_of(kinds[1], 1 - s)), None)
    if half is None:
        raise OptionError(
            "the engine plays battles of Kamehameha's units against the Allies'; these are not of two players"
        )
    _walls(game, space, kind, earthworks)
    forts = [SPACES[i] for i in range(len(SPACES)) if record["fort"][i]]
    if space not in SPACES:
        usable = [s for i, s in enumerate(SPACES) if kind != "overland" or record["sibling"][i] >= 0]
        found = next((s for s in usable if (s in forts) == (space == "fort")), None)
        if found is None:
            raise OptionError(f"space: the ruleset has no {space} space for this battle")
        space = found
    at = SPACES.index(space)
    sibling = int(record["sibling"][at])
    spare = [s for s in SPACES if s not in (space, "kauai") and SPACES.index(s) != sibling]
    homes = (spare[:2], spare[2:4])
    units: dict[str, dict[str, list[str]]] = {}
    for role, fighters in enumerate(kinds):
        side = half if role == ATTACKER else 1 - half
        free = [
            k for k in range(len(KINDS))
            for _ in range(int(record["count"][k]) - fighters.count(k))
            if _are_of([k], side) and k < names.K_KAUAI_WARRIOR
        ]  # fmt: skip
        canoes = [KIND_NAMES[k] for k in free if record["canoe"][int(record["first"][k])]]
        others = [
            KIND_NAMES[k] for k in free if record["warrior"][int(record["first"][k])] and k != names.K_KAIANA_WARRIORS
        ]
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


def _are_of(kinds: Sequence[int], side: int) -> bool:
    return all(_may_stand_with(kind, side) for kind in kinds)


MANY = 10_000
"""More battles through the engine than these are worth compiling it."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """What came of battles that the engine played.

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
    _check_number(battles, "battles", 1, 10**9)
    _check_number(seed, "seed", 0, 2**63)
    if core.get(state._buffer, "phase") not in _BATTLE_PHASES:
        raise OptionError(f"no battle is being fought in phase {state.phase}")
    picks = random.Random(seed)
    if battles > MANY:
        known, state = state, State.__new__(State)
        state._set(known.game, core.mode_of_jobs().copy_of(known._buffer))
    mode, tables, sea = state._core, state._tables, core.get(state._buffer, "battle") == SEA_BATTLE
    half = core.get(state._buffer, "half")
    before = [_alive(state, side) for side in (half, 1 - half)]
    fighters = fighters_of(state)
    wins = 0
    lost = [0, 0]
    for i in range(battles):
        copy = state.clone()
        copy._seed(seed + i)
        buffer = copy._buffer
        while True:
            mode.advance(tables, buffer)
            phase = core.get(buffer, "phase")
            if phase not in _BATTLE_PHASES or (core.get(buffer, "battle") == SEA_BATTLE) != sea:
                break
            if phase > LAST_DECISION:
                mode.fall(tables, buffer, int(mode.sample(buffer)))
            else:
                legal = copy.legal_actions()
                if len(legal) == 1:
                    action = legal[0]
                else:
                    action = picks.choice(legal) if choose is None else choose(copy, legal)
                mode.take(tables, buffer, action)
        wins += winner_of(copy, fighters) == ATTACKER
        for role, side in enumerate((half, 1 - half)):
            lost[role] += before[role] - _alive(copy, side)
    share = wins / battles
    near = (wins + 1) / (battles + 2)
    return Frequencies(battles, share, lost[0] / battles, lost[1] / battles, sqrt(near * (1 - near) / battles))


def _alive(state: State, side: int) -> int:
    """Units of a side that are on the map or at sea."""
    place, owner = core.get_list(state._buffer, "place"), core.get_list(state._buffer, "owner")
    canoe = cast(Any, state.game.record_array)[0]["canoe"]
    return sum(
        1 for p in range(N_PIECES) if owner[p] == side and not canoe[p] and place[p] not in (names.BOX, names.DEAD)
    )


def winner_of(state: State, fighters: Sequence[Sequence[int]]) -> int:
    """Return the role (0 attacker, 1 defender) that has won the battle just over.

    Args:
        state: the position right after the battle, before any retreat.
        fighters: the pieces of both roles that were in it.
    """
    buffer = state._buffer
    phase, half = core.get(buffer, "phase"), core.get(buffer, "half")
    if phase == names.OVER:
        return ATTACKER if core.get(buffer, "winner") == half else DEFENDER
    if phase in (names.RETREAT, names.CANOE_LOSS):
        errand = core.get(buffer, "errand")
        if errand == names.BY_SEA_LOSER:
            return DEFENDER if core.get(buffer, "decider") == half else ATTACKER
        return ATTACKER if errand == names.BY_DEFENDER else DEFENDER
    if phase == names.WITHDRAW and core.get(buffer, "next_phase") == names.SEA_LOSER:
        return ATTACKER if core.get(buffer, "advantage") == half else DEFENDER
    # Nobody retreats: the beaten have been eliminated to the last.
    place = core.get_list(buffer, "place")
    return ATTACKER if any(place[p] not in (names.BOX, DEAD) for p in fighters[ATTACKER]) else DEFENDER
