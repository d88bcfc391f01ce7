"""The command ``hawaii odds``: a battle's odds as a table [11.0]."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hawaii_env.command_line import JSON, RULES, argument, integer
from hawaii_env.errors import OptionError
from hawaii_env.terminal import say
from hawaii_env.texts import count, show_value

from ..game import Game
from ..rules.names import BATTLES, N_PIECES, SPACES
from .engine import battle_position, engine_frequencies
from .forces import die_chances
from .model import advantage_chances, hit_chances
from .odds import MAX_NODES, SAMPLES, Odds, battle_odds
from .solver import POLICIES

__all__ = ["ODDS", "parse_units", "run_odds"]

TOO_FAR = 4.0
"""Standard errors between exact odds and the engine's frequency from which on ``--check`` fails: once in 16,000 by
chance.
"""


ODDS = (
    argument("attackers", nargs="?", metavar="ATTACKERS",
             help="units, as 4xwarrior_2,kamehameha; without any: the tables"),
    argument("defenders", nargs="?", metavar="DEFENDERS", help="the same"),
    argument("--space", default="open", metavar="SPACE",
             help=f"open, fort, {', '.join(SPACES)} (default: %(default)s)"),
    argument("--kind", default="invasion", metavar="KIND", help=f"{', '.join(BATTLES)} (default: %(default)s)"),
    argument("--earthworks", action="store_true", help="the defenders stand behind earthworks"),
    argument("--advantage", type=integer, default=0, metavar="N",
             help="what a card adds to the attackers' advantage rolls"),
    argument("--gunpowder", type=integer, default=0, metavar="N",
             help="dice that a card adds to the attackers' gunpowder units"),
    argument("--escape", action="store_true", help="defenders beaten overland leave by canoe"),
    argument("--policy", default="optimal", metavar="P[,P]",
             help="how the sides choose, or the attacker and the defender: "
             f"{', '.join(POLICIES)} (default: %(default)s)"),
    argument("--max-nodes", type=integer, default=MAX_NODES, metavar="N",
             help="simulate beyond so many positions (default: %(default)s)"),
    argument("--samples", type=integer, default=SAMPLES, metavar="N",
             help="battles of a simulation (default: %(default)s)"),
    argument("--seed", type=integer, default=0, metavar="N", help="seed of simulations (default: %(default)s)"),
    argument("--check", type=integer, metavar="N",
             help="play the battle N times through the engine at random, and compare"),
    RULES,
    JSON,
)  # fmt: skip


def parse_units(text: str, what: str) -> list[str]:
    """Return the names in a text such as ``4xwarrior_2,kamehameha`` (or ``4 warrior_2 + kamehameha``).

    Raises:
        OptionError: no such list.
    """
    found: list[str] = []
    for part in re.split(r"[,+]", text):
        match = re.fullmatch(r"\s*(?:(\d{1,3})\s*[x*]?\s*)?([a-z][a-z_0-9]*)\s*", part)
        if match is None:
            raise OptionError(f"{what}: units are written as 4xwarrior_2,kamehameha; not as {show_value(text)}")
        times = 1 if match[1] is None else int(match[1])
        if not 1 <= times <= N_PIECES:
            raise OptionError(f"{what}: {part.strip()!r}: 1 to {N_PIECES} of a unit, not {times}")
        found += [match[2]] * times
    return found


def run_odds(args: argparse.Namespace) -> int:
    """Run ``hawaii odds``; return its exit status: 1 when ``--check`` finds the engine too far from the exact odds.

    Raises:
        OptionError: an argument that is none; the message says what is allowed.
        RulesetError: a ruleset folder that does not hold.
    """
    game = Game(rules=args.rules)
    if args.attackers is None:
        if args.check is not None or args.json:
            raise OptionError("--check and --json need a battle: hawaii odds ATTACKERS DEFENDERS")
        _print_tables(game)
        return 0
    if args.defenders is None:
        raise OptionError(
            "whom do they fight? hawaii odds ATTACKERS DEFENDERS, as: hawaii odds 4xwarrior_2 2xoahu_warrior"
        )
    attackers, defenders = parse_units(args.attackers, "attackers"), parse_units(args.defenders, "defenders")
    policies = args.policy.split(",")
    policy: Any = policies[0] if len(policies) == 1 else tuple(policies)
    odds = battle_odds(
        attackers,
        defenders,
        args.space,
        args.kind,
        args.earthworks,
        advantage=args.advantage,
        gunpowder=args.gunpowder,
        escape=args.escape,
        game=game,
        policy=policy,
        max_nodes=args.max_nodes,
        samples=args.samples,
        seed=args.seed,
    )
    if args.json:
        print(json.dumps(dataclasses.asdict(odds)))
    else:
        _print_odds(odds, args)
    return 0 if args.check is None else _check(attackers, defenders, args, game)


def _list(units: Sequence[str]) -> str:
    return ", ".join(name if n == 1 else f"{n} {name}" for name, n in Counter(units).items())


def _how(odds: Odds) -> str:
    words = {"optimal": "for the best chance of winning", "simple": "by a rule of thumb", "random": "at random"}
    ours, theirs = (words[p] for p in odds.policy)
    if ours == theirs:
        return f"Both sides choose {ours}."
    return f"The attackers choose {ours}, the defenders {theirs}."


def _print_odds(odds: Odds, args: argparse.Namespace) -> None:
    what = {"invasion": "Invasion", "overland": "Overland attack", "sea": "Sea battle"}[odds.kind]
    where = (
        ""
        if odds.kind == "sea"
        else ", against earthworks"
        if args.earthworks
        else ", a fort"
        if odds.walls
        else ", open ground"
    )
    place = f" ({args.space})" if args.space in SPACES else ""
    say(f"{what}{place}{where}: {_list(odds.attackers)} against {_list(odds.defenders)}")
    say(_how(odds))
    say(f"{'':22}{'attackers':>12}{'defenders':>12}")
    say(f"{'win':22}{odds.attacker_wins:>12.2%}{odds.defender_wins:>12.2%}")
    say(f"{'units':22}{len(odds.attackers):>12}{len(odds.defenders):>12}")
    say(f"{'units lost on average':22}{odds.attacker_losses:>12.2f}{odds.defender_losses:>12.2f}")
    if odds.exact:
        say(f"Exact: solved over {count(odds.nodes, 'position')}, error below {max(odds.error, 1e-15):.0e}.")
        return
    say(f"Simulated: {odds.samples:,} battles, standard error {odds.standard_error:.2%}.")
    say(f"An exact solution takes more than {args.max_nodes:,} positions (--max-nodes).")
    if "optimal" in args.policy.split(","):
        say("A rule of thumb stands in for the best choices, which only an exact solution knows.")


def _check(attackers: list[str], defenders: list[str], args: argparse.Namespace, game: Game) -> int:
    """Compare the exact odds of random choices with the engine's frequency."""
    place: tuple[str, str, bool] = (args.space, args.kind, args.earthworks)
    advantage, gunpowder = args.advantage, args.gunpowder
    position = battle_position(attackers, defenders, *place, advantage=advantage, gunpowder=gunpowder, game=game)
    exact = battle_odds(
        attackers,
        defenders,
        *place,
        advantage=advantage,
        gunpowder=gunpowder,
        game=game,
        policy="random",
        max_nodes=args.max_nodes,
        samples=args.samples,
        seed=args.seed,
    )
    played = engine_frequencies(position, args.check, args.seed)
    spread = (played.standard_error**2 + exact.standard_error**2) ** 0.5
    apart = abs(played.attacker_wins - exact.attacker_wins) / spread
    how = "exactly" if exact.exact else "simulated"
    say(
        f"With choices at random the attackers win {exact.attacker_wins:.2%} ({how}); through the engine "
        f"{played.attacker_wins:.2%} of {played.battles:,} battles: {apart:.1f} standard errors apart."
    )
    return 1 if apart > TOO_FAR else 0


def _print_tables(game: Game) -> None:
    """Print closed forms: the advantage roll, and what dice do."""
    say("Chance of the advantage [11.1], by what a side adds more than the other")
    say("  " + "  ".join(f"+{n} {float(advantage_chances(n)[0]):.4f} ({advantage_chances(n)[0]})" for n in range(4)))
    for role, who in enumerate(("attacker", "defender")):
        for elite in (False, True):
            none, panic, elimination = die_chances(game, role, elite)
            unit = "elite unit" if elite else "unit"
            say(f"A die of the {who}'s {unit} [12.0]: no effect {none}, panic {panic}, elimination {elimination}")
    say("Chance of eliminations by dice, of the attacker's units [11.2]")
    say(f"{'dice':>5}{'unit: 1 or more':>17}{'2 or more':>10}{'elite: 1 or more':>17}{'2 or more':>10}")
    for dice in range(1, 7):
        row = f"{dice:>5}"
        for elite in (False, True):
            hits = hit_chances(dice, die_chances(game, 0, elite)[2])
            row += f"{float(1 - hits[0]):>17.4f}{float(sum(hits[2:])):>10.4f}"
        say(row)
