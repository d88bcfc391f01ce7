"""Battle odds [11.0 to 14.2]: exact over the tree of dice and choices, by simulation where that is too large.

`battle_odds` takes names of units, `odds_of` a position in a battle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, cast

from hawaii_env._arguments import check_count, check_list
from hawaii_env.errors import OptionError
from hawaii_env.texts import show_value

from ..game import Game, State
from .engine import kind_of, model_of
from .forces import battle_model, game_of
from .model import BattleModel, Node
from .solver import POLICIES, Solver, TooLargeError, simulate

__all__ = ["MAX_NODES", "SAMPLES", "Odds", "battle_odds", "odds_of"]

MAX_NODES = 500_000
"""Positions that an exact solution may take before `battle_odds` simulates instead: a few seconds."""

SAMPLES = 20_000
"""Battles of a simulation."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Odds of a battle.

    Attributes:
        attackers: the attackers' units.
        defenders: the defenders' units.
        kind: "invasion", "overland" or "sea".
        walls: the defenders stand in a fort or behind earthworks.
        policy: how the attacker and the defender chose: of POLICIES.
        attacker_wins: the chance that the attackers take the space (win both battles), or win the sea battle.
        defender_wins: the rest.
        attacker_losses: units that the attackers lose, on average; beaten attackers withdraw.
        defender_losses: units that the defenders lose, on average; those beaten twice are eliminated, unless they
            escape.
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

    Each side wants to win the battle; of choices that are equal in that, one that costs the enemy more than itself.
    Kamehameha's death is a lost battle, and so is that of Kalani and Kaiana if both fight in it [5.2].

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
        policy: how the sides choose, one word or (attacker's, defender's): ``"optimal"``, ``"simple"`` (a rule of
            thumb), ``"random"`` (uniform among the engine's legal actions).
        max_nodes: simulate where an exact solution would look at more positions; then ``"simple"`` stands in for
            ``"optimal"``, and the result says so.
        samples: battles of a simulation.
        seed: of a simulation.

    Raises:
        OptionError: an unknown unit, space, kind or policy, no unit, more units than the game has, or a battle that
            cannot be.
    """
    game, policies = game_of(game, ruleset), _policies(policy)
    model = battle_model(
        attackers, defenders, space, kind, earthworks, advantage=advantage, gunpowder=gunpowder, escape=escape,
        chiefs=chiefs, game=game, merge="random" not in policies,
    )  # fmt: skip
    return _odds(model, model.root, tuple(attackers), tuple(defenders), kind, policies, max_nodes, samples, seed)


def odds_of(
    state: State,
    *,
    policy: str | tuple[str, str] = "optimal",
    max_nodes: int = MAX_NODES,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Odds:
    """Return the odds of the battle that is being fought in a position, from where it stands; losses count from now on.

    Where the attackers of a land battle came by canoe and overland, and some of a kind did either, the policy "random"
    takes them for one choice. Arguments as for `battle_odds`.

    Raises:
        OptionError: no battle is being fought, or an argument is wrong.
    """
    policies = _policies(policy)
    model, node, sides = model_of(state, merge="random" not in policies)
    return _odds(model, node, sides[0], sides[1], kind_of(state), policies, max_nodes, samples, seed)


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
    check_count("max_nodes", max_nodes, 0, 10**9)
    check_count("samples", samples, 1, 10**9)
    check_count("seed", seed, 0, 2**63)
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


def _policies(policy: str | tuple[str, str]) -> tuple[str, str]:
    pair: tuple[str, ...] = (policy, policy) if isinstance(policy, str) else tuple(check_list("policy", policy))
    if len(pair) != 2 or any(p not in POLICIES for p in pair):
        raise OptionError(f"policy: expected one or two of {', '.join(POLICIES)}, not {show_value(policy)}")
    return pair[0], pair[1]
