"""Exact odds of a single combat, worked out by the rules themselves, and the command ``hawaii assault`` [9.0].

A combat is set up in a scenario of its own and played through every face of every die and every chit. Nobody looks for
the best there: the defender evades if told so, lets a fort or pa take the hit, gives up Disrupted units first and
retreats; all attackers who can advance, advance.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hawaii_env.command_line import JSON, RULES, add_arguments, argument
from hawaii_env.errors import OptionError
from hawaii_env.game import CHANCE
from hawaii_env.terminal import say
from hawaii_env.texts import count, show_value, suggest

from .board import distance, neighbours
from .game import Game, State
from .positions import View
from .rules.state import N_CHITS
from .ruleset import Ruleset

__all__ = ["Assault", "Odds", "TargetOdds", "add_assault_arguments", "assault_odds", "run_assault", "target_odds"]

THEATRE = "taranaki"
STRUCTURES: dict[str, tuple[str, ...]] = {
    "british": ("none", "village", "pa"),
    "maori": ("none", "settlement", "fort", "queenite_village", "queenite_pa"),
}
PLAYERS = ("maori", "british")
MOST = 8
"""Units of a side."""

PREFERRED = ("absorb", "charge", "advance", "with", "unit", "stay", "go", "pass")
"""Verbs, the first that is legal is done; shorter texts first, Disrupted units before ready ones."""

FORMS = {
    "warrior": ("warrior", "warriors"),
    "naval": ("naval unit", "naval units"),
    "queenite": ("Queenite warrior", "Queenite warriors"),
}
"""Names of one unit and of more, where they differ from the kind's."""
NAMES = {"none": "open ground", "pa": "a pā", "queenite_pa": "a Queenite pā", "queenite_village": "a Queenite village"}
"""Names of what stands in the target, where they differ from its id."""


@dataclass(frozen=True)
class Assault:
    """A combat.

    Attributes:
        by: who attacks, ``"british"`` or ``"maori"``.
        attackers: fighting units that attack, 1 to 8, of `kind`.
        defenders: fighting units of the target, 0 to 4.
        kind: kind of the attackers; None: infantry or warriors.
        against: kind of the defenders; None: warriors or infantry.
        structure: what stands in the target, ``"none"`` for nothing.
        rough: True: the target is rough terrain.
        bombard: True: artillery takes part.
        evade: True: the defender tries to evade if he may.
        chit: number of the chit that is drawn; None: each of the 40, equally likely.
    """

    by: str = "british"
    attackers: int = 4
    defenders: int = 2
    kind: str | None = None
    against: str | None = None
    structure: str = "none"
    rough: bool = False
    bombard: bool = False
    evade: bool = False
    chit: int | None = None


@dataclass(frozen=True)
class Odds:
    """The odds of a combat.

    Attributes:
        attackers_lost, defenders_lost: probability of each number of units that go to the Box, by the number.
        attackers_disrupted, defenders_disrupted: mean number of units that are Disrupted afterwards.
        driven_out: probability that no defending unit is left in the target.
        taken: probability that an attacker stands there.
        structure_lost: probability that the structure is reduced or gone.
        points: mean victory points that the attackers gain, those of the defenders taken off.
        leaves: ways to the end that were played.
    """

    attackers_lost: dict[int, float]
    defenders_lost: dict[int, float]
    attackers_disrupted: float
    defenders_disrupted: float
    driven_out: float
    taken: float
    structure_lost: float
    points: float
    leaves: int


def assault_odds(assault: Assault, rules: Any = None) -> Odds:
    """Return the exact odds of a combat.

    Args:
        assault: the combat.
        rules: None for the shipped ruleset, a folder, or the content of a ruleset.

    Raises:
        OptionError: a combat that cannot be; the message names the field.
        RulesetError: data that do not hold.
    """
    state, target = _before(assault, rules)
    state.apply(state.game.parse_action(state, f"target {target}"))
    own, enemy = _count(state.view(), assault.by), _count(state.view(), _enemy(assault.by))
    lost: tuple[dict[int, float], dict[int, float]] = (defaultdict(float), defaultdict(float))
    means: dict[str, float] = defaultdict(float)
    leaves = 0
    for at, chance in _endings(state, assault.evade):
        leaves += 1
        view = at.view()
        there = [piece.owner for piece in view.pieces if piece.at == target]
        lost[0][own - _count(view, assault.by)] += chance
        lost[1][enemy - _count(view, _enemy(assault.by))] += chance
        for name, owner in (("own", assault.by), ("enemy", _enemy(assault.by))):
            means[name] += chance * sum(piece.disrupted for piece in view.pieces if piece.owner == owner)
        means["out"] += chance * (_enemy(assault.by) not in there)
        means["taken"] += chance * (assault.by in there)
        means["structure"] += chance * (view.structures.get(target, "none").split("/")[0] != assault.structure)
        means["points"] += chance * (view.marker if assault.by == "british" else -view.marker)
    return Odds(
        attackers_lost=dict(sorted(lost[0].items())),
        defenders_lost=dict(sorted(lost[1].items())),
        attackers_disrupted=means["own"],
        defenders_disrupted=means["enemy"],
        driven_out=means["out"],
        taken=means["taken"],
        structure_lost=means["structure"],
        points=means["points"],
        leaves=leaves,
    )


@dataclass(frozen=True)
class TargetOdds:
    """The odds of an attack in a game that is played.

    Attributes:
        taken: probability that an attacker stands in the target afterwards.
        attackers_lost, defenders_lost: mean number of units that go to the Box.
    """

    taken: float
    attackers_lost: float
    defenders_lost: float


def target_odds(state: State, action: int) -> TargetOdds | None:
    """Return the odds of an attack on a target, with all who can attack it and a gun, if the defender stands; by fixed
    choices on both sides as in `assault_odds`, and without the dispatch if the cup has one that changes nothing.

    Args:
        state: a position in which a target is declared.
        action: what is chosen; None is returned unless it is a target that more than guns may attack.
    """
    start = state.explicit()
    verb, _, target = start.game.action_text(action).partition(" ")
    if verb != "target":
        return None
    by = PLAYERS[start.current_player]
    own, enemy = (_count(start.view(), owner) for owner in (by, _enemy(by)))
    start.apply(action)
    if start.phase == "participants" and not _fighters(start):
        return None
    found = [0.0, 0.0, 0.0]
    for ending, chance in _endings(start, evade=False, plain=True):
        view = ending.view()
        found[0] += chance * any(piece.owner == by and piece.at == target for piece in view.pieces)
        found[1] += chance * (own - _count(view, by))
        found[2] += chance * (enemy - _count(view, _enemy(by)))
    return TargetOdds(*found)


def _endings(state: State, evade: bool, plain: bool = False) -> Iterator[tuple[State, float]]:
    """Yield the ends of a combat, each with its probability; `plain` draws a dispatch that changes nothing, if there is
    one.
    """
    stack = [(state, 1.0)]
    while stack:
        at, chance = stack.pop()
        if not _is_running(at):
            yield at, chance
        elif at.current_player == CHANCE:
            outcomes = at.chance_outcomes(merged=True)
            if plain and at.phase == "chit":
                chits = at.game.ruleset.chits
                nothing = [outcome for outcome, _ in outcomes if chits[outcome - 1].effect.none]
                outcomes = [(nothing[0], 1.0)] if nothing else outcomes
            for outcome, part in outcomes:
                after = at.clone()
                after.apply_chance(outcome)
                stack.append((after, chance * part))
        else:
            after = at.clone()
            after.apply(_choice(after, evade))
            stack.append((after, chance))


def _fighters(state: State) -> bool:
    """Return True if units with strength may take part in a combat that is declared."""
    kinds = state.game.ruleset.units.kinds
    named = [state.game.action_text(action).split()[-1] for action in state.legal_actions()]
    return any(kind == "all" or (kind in kinds and kinds[kind].strength) for kind in named)


def _enemy(player: str) -> str:
    return "maori" if player == "british" else "british"


def _count(view: View, owner: str) -> int:
    """Return how many land units of a player are on the map."""
    return sum(piece.owner == owner for piece in view.pieces)


def _is_running(state: State) -> bool:
    """Return True until the combat is over: the next one is declared, or the game has ended."""
    return not state.is_terminal and state.stage == "combat" and state.phase != "declare"


def _choice(state: State, evade: bool) -> int:
    """Return what is done at a decision of the combat."""
    texts = {state.game.action_text(action): action for action in state.legal_actions()}
    if "evade" in texts:
        return texts["evade" if evade else "stand"]
    units = sorted(
        (text for text in texts if text.startswith("unit ")), key=lambda text: not text.endswith("/disrupted")
    )
    for verb in PREFERRED:
        for text in units if verb == "unit" else sorted(texts, key=lambda text: (text.count(" "), text)):
            if text.split()[0] == verb:
                return texts[text]
    return next(iter(texts.values()))


def _before(assault: Assault, rules: Any) -> tuple[State, str]:
    """Return the position before the combat's target is declared, with explicit chance, and the target's id."""
    ruleset = Ruleset.load(rules)
    _check(assault, ruleset)
    target, places = _ground(assault, ruleset)
    content = {**ruleset.content, "scenarios.toml": _scenarios(assault, ruleset, target, places)}
    game = Game(rules=content, scenario="assault")
    state = game.initial_state(chance="explicit")
    while (state.view().phase, state.view().half) != ("combat", assault.by):
        texts = {game.action_text(action): action for action in state.legal_actions()}
        state.apply(texts["pass"] if "pass" in texts else texts["done"])
    return state, target


def _check(assault: Assault, ruleset: Ruleset) -> None:
    """Refuse a combat that cannot be. Raises OptionError with the field."""

    def among(field: str, value: Any, allowed: Sequence[Any]) -> None:
        if value not in allowed:
            known = list(map(str, allowed))
            raise OptionError(
                f"{field}: expected one of {', '.join(known)}, not {show_value(value)}{suggest(value, known)}"
            )

    among("by", assault.by, PLAYERS)
    among("attackers", assault.attackers, range(1, MOST + 1))
    among("defenders", assault.defenders, range(5))
    among("structure", assault.structure, STRUCTURES[assault.by])
    if assault.chit is not None:
        among("chit", assault.chit, range(1, N_CHITS + 1))
    if assault.defenders == 0 and assault.structure == "none":
        raise OptionError("defenders: nobody is attacked: 1 to 4, or a structure")
    if assault.bombard and assault.by == "maori":
        raise OptionError("bombard: Māori have no guns [9.0]")
    kinds = ruleset.units.kinds
    for field, player, kind in (
        ("kind", assault.by, _kind(assault)),
        ("against", _enemy(assault.by), _against(assault)),
    ):
        among(
            field,
            kind,
            [name for name, one in kinds.items() if one.strength and (one.side == "maori") == (player == "maori")],
        )


def _kind(assault: Assault) -> str:
    return assault.kind or ("infantry" if assault.by == "british" else "warrior")


def _against(assault: Assault) -> str:
    return assault.against or ("warrior" if assault.by == "british" else "infantry")


def _ground(assault: Assault, ruleset: Ruleset) -> tuple[str, dict[str, int]]:
    """Return a target of the terrain, and hexes next to it that hold the attackers, with how many each."""
    board, terrain = ruleset.board, "rough" if assault.rough else "clear"
    hexes = set(board.theatre((THEATRE,)).hexes)
    for target in sorted(hexes):
        if board.terrain(target) != terrain or target in board.towns:
            continue
        left, places = assault.attackers, dict[str, int]()
        for near in neighbours(target):
            if near in hexes and board.side(target, near) == "plain" and near not in board.towns and left > 0:
                rough = board.terrain(near) == "rough" and assault.by == "british"
                places[near] = min(
                    left, ruleset.charts.terrain.stack_british_rough if rough else ruleset.charts.terrain.stack
                )
                left -= places[near]
        if left == 0:
            return target, places
    raise OptionError(f"attackers: no {terrain} hex of {THEATRE} has room around it for {assault.attackers}")


def _scenarios(assault: Assault, ruleset: Ruleset, target: str, places: dict[str, int]) -> dict[str, Any]:
    """Return a file of scenarios with the combat as its only one; a settlement and a village stand far off, so that
    the last one is not lost in it [1.0].
    """
    setup = [{"at": at, "units": {_kind(assault): n}} for at, n in places.items()]
    if assault.bombard:
        setup[0]["units"] |= {"artillery": 1}
    line: dict[str, Any] = {"at": target}
    if assault.structure != "none":
        line["structure"] = assault.structure
    if assault.defenders:
        line["units"] = {_against(assault): assault.defenders}
    away = [at for at in ruleset.board.theatre((THEATRE,)).hexes if at not in ruleset.board.towns]
    away = sorted(away, key=lambda at: distance(at, target))
    far = [at for at in away if distance(at, target) > 2]
    village = far[-1]
    settlement = max(far, key=lambda at: (distance(at, village) > 1, distance(at, target)))
    removed = [] if assault.chit is None else [n for n in range(1, N_CHITS + 1) if n != assault.chit]
    return {
        "default": "assault",
        "scenarios": {
            "assault": {
                "name": "One combat", "turns": 1, "first": "1860-01", "theatre": [THEATRE], "designated": [THEATRE],
                "remove": removed, "per_turn": {"maori": 0, "british": 0}, "fort_limit": 0, "bush_banned": [],
                "sap": False, "box": {"maori": {}, "british": {}}, "arrivals": [], "source": "reconstructed",
                "setup": [*setup, line, {"at": village, "structure": "village"},
                          {"at": settlement, "structure": "settlement"}],
            }
        },
    }  # fmt: skip


# The command


_ASSAULT = (
    argument("--by", default="british", choices=PLAYERS, help="who attacks (default: %(default)s)"),
    argument("--attackers", type=int, default=4, metavar="N", help=f"units, 1 to {MOST} (default: %(default)s)"),
    argument("--defenders", type=int, default=2, metavar="N", help="units, 0 to 4 (default: %(default)s)"),
    argument("--kind", metavar="KIND", help="kind of the attackers (default: infantry or warrior)"),
    argument("--against", metavar="KIND", help="kind of the defenders (default: warrior or infantry)"),
    argument("--rough", action="store_true", help="the target is rough terrain"),
    argument("--bombard", action="store_true", help="artillery takes part"),
    argument("--evade", action="store_true", help="the defender tries to evade"),
    argument("--chit", type=int, metavar="N", help="the chit that is drawn (default: each equally likely)"),
    RULES,
    JSON,
)


def add_assault_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hawaii assault`` to a parser."""
    add_arguments(parser, *_ASSAULT)
    stands = parser.add_mutually_exclusive_group()
    for structure in ("pa", "village", "fort", "settlement"):
        stands.add_argument(f"--{structure}", dest="structure", action="store_const", const=structure, default="none",
                            help=f"the target is {NAMES.get(structure, f'a {structure}')}")  # fmt: skip


def run_assault(args: argparse.Namespace) -> int:
    """Run ``hawaii assault``; return its exit status.

    Raises:
        OptionError: an argument that is none; the message says what is allowed.
        RulesetError: a ruleset folder that does not hold.
    """
    fields = (field.name for field in dataclasses.fields(Assault))
    assault = Assault(**{name: getattr(args, name) for name in fields})
    odds = assault_odds(assault, args.rules)
    if args.json:
        print(json.dumps(dataclasses.asdict(odds)))
        return 0
    where = NAMES.get(assault.structure, f"a {assault.structure}")
    sides = (assault.attackers, _kind(assault)), (assault.defenders, _against(assault))
    attackers, defenders = (count(number, *FORMS.get(kind, (kind, kind))) for number, kind in sides)
    say(
        f"{attackers} against {defenders}: {where}"
        f"{', rough' if assault.rough else ''}{', with artillery' if assault.bombard else ''}"
    )
    say(f"{'':28}{'attackers':>12}{'defenders':>12}")
    for n in sorted({*odds.attackers_lost, *odds.defenders_lost}):
        say(f"{f'{n} lost':28}{odds.attackers_lost.get(n, 0):>12.1%}{odds.defenders_lost.get(n, 0):>12.1%}")
    say(f"{'Disrupted, on average':28}{odds.attackers_disrupted:>12.2f}{odds.defenders_disrupted:>12.2f}")
    say(f"{'no defender is left':28}{odds.driven_out:>12.1%}")
    say(f"{'the attackers advance':28}{odds.taken:>12.1%}")
    if assault.structure != "none":
        say(f"{'the structure is lost':28}{odds.structure_lost:>12.1%}")
    say(f"{'victory points, on average':28}{odds.points:>+12.2f}")
    say(f"Exact: every die and chit, {odds.leaves:,} ways to the end; both sides choose by fixed rules.")
    return 0
