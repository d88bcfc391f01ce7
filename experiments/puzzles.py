"""Puzzles with proved solutions: a winning landing, a fort to hold, when to risk the king, a choice in a battle.

    python experiments/puzzles.py derive      # solve them and write their shares
    python experiments/puzzles.py verify      # solve them and compare
    python experiments/puzzles.py score --agent ppo --agent champion:sims=256 --out runs/puzzles.json --write
    python experiments/puzzles.py calibrate hawaii1795 --write

The positions are those of the track `puzzles` of ``hawaii benchmark``, whose module `hawaii_env.benchmark.puzzles`
solves them: for every position that can follow it finds Kamehameha's share of the game with best play of both sides: 1
won, 1/2 tied, 0 lost.

`calibrate` compares a network's value with the proved share, in positions met by random play from the puzzles: does it
know its battle?

``--write`` updates docs/benchmarks/puzzles.json or calibration.json, from which ``python docs/generate.py`` writes the
tables.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import studies

from hawaii_agents import weights
from hawaii_agents.network import Policy
from hawaii_agents.training import runs
from hawaii_env.benchmark.puzzles import LIMIT, SOLVED, Solution
from hawaii_env.benchmark.suites import Puzzle, load_suite
from hawaii_env.errors import HawaiiError
from hawaii_env.texts import count

SUITE = load_suite("puzzles")
PLACE = studies.ROOT / "hawaii_env" / SUITE.game / "tracks" / "puzzles.toml"
FIGURES = studies.ROOT / "docs" / "benchmarks" / "puzzles.json"
CALIBRATION = FIGURES.with_name("calibration.json")
KINDS = ("landing", "fort", "king", "battle")
BATTLE = ("fire", "loss", "panic")
"""Phases of a battle."""
PLAYS, BINS = 100, 5
"""Random games from each puzzle of the calibration set; parts of the shares from 0 to 1 by which it is told."""


def derive(path: Path = PLACE) -> None:
    """Solve the puzzles and write their shares into the file.

    Raises:
        HawaiiError: all choices of a puzzle are worth the same, or two puzzles have one name.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    for puzzle in SUITE.puzzle:
        if lines.count(f'name = "{puzzle.name}"') != 1:
            raise HawaiiError(f"{puzzle.name}: two puzzles have this name")
        found = Solution(SUITE, puzzle)
        if abs(found.best - found.worst) <= SOLVED:
            raise HawaiiError(f"{puzzle.name}: every choice is worth {found.best:.6f}")
        head = lines.index(f'name = "{puzzle.name}"')
        values = {"best": f"{found.best:.9f}", "worst": f"{found.worst:.9f}", "positions": str(len(found.shares))}
        for key, text in values.items():
            at = next(i for i in range(head, len(lines)) if lines[i].startswith(f"{key} = "))
            lines[at] = f"{key} = {text}"
        print(f"{found.best:.6f} {found.worst:.6f} {len(found.shares):8,} {puzzle.name}")
    runs.write_text(path, "\n".join(lines))


def verify(puzzles: Sequence[Puzzle], largest: int = LIMIT) -> int:
    """Solve the puzzles of at most `largest` positions and compare; return their number.

    Raises:
        HawaiiError: a share differs.
    """
    some = [puzzle for puzzle in puzzles if puzzle.positions <= largest]
    for puzzle in some:
        found = Solution(SUITE, puzzle)
        for key, share in (("best", found.best), ("worst", found.worst)):
            if abs(share - getattr(puzzle, key)) > 2e-9:
                raise HawaiiError(f"{puzzle.name}: {key}: exact is {share:.9f}, not {getattr(puzzle, key):.9f}")
    return len(some)


def score(
    puzzles: Sequence[Puzzle], specs: Sequence[str], seeds: int = 3,
    known: dict[str, dict[str, float]] | None = None,
    report: Callable[[dict[str, dict[str, float]]], None] = lambda _: None,
) -> dict[str, dict[str, float]]:  # fmt: skip
    """Let agents solve the puzzles; return the mean loss by agent and puzzle.

    Args:
        puzzles: puzzles to solve.
        specs: agent strings.
        seeds: attempts at each puzzle, with the seeds 0, 1, ...
        known: earlier results, which are kept.
        report: called with all results so far after each puzzle.
    """
    found: dict[str, dict[str, float]] = {spec: dict((known or {}).get(spec, {})) for spec in specs}
    for puzzle in puzzles:
        missing = [spec for spec in specs if puzzle.name not in found[spec]]
        if missing:
            solution = Solution(SUITE, puzzle)
            for spec in missing:
                losses = [solution.attempt(spec, seed).loss for seed in range(seeds)]
                found[spec][puzzle.name] = round(sum(losses) / seeds, 6)
            report(found)
    return found


def summary(puzzles: Sequence[Puzzle], found: dict[str, dict[str, float]]) -> str:
    """Return a Markdown table: how many puzzles of each kind each agent solved, and its mean loss."""
    names = {kind: [one.name for one in puzzles if one.kind == kind] for kind in KINDS}
    head = ["agent", *(f"{kind} ({len(of)})" for kind, of in names.items()), f"all ({len(puzzles)})", "mean loss"]
    rows: list[list[object]] = []
    for spec, losses in found.items():
        solved = [sum(losses[name] <= SOLVED for name in of) for of in names.values()]
        rows.append([f"`{spec}`", *solved, sum(solved), f"{sum(losses.values()) / len(losses):.3f}"])
    return runs.table(head, rows)


def proved_positions(puzzles: Sequence[Puzzle], plays: int, largest: int = LIMIT) -> list[tuple[Any, float]]:
    """Return different positions that random games from puzzles of at most `largest` positions meet, in which somebody
    decides, each with Kamehameha's proved share.
    """
    found: list[tuple[Any, float]] = []
    for puzzle in puzzles:
        if puzzle.positions > largest:
            continue
        solution, seen = Solution(SUITE, puzzle), set[bytes]()
        for seed in range(plays):
            rng = random.Random(seed)
            state = solution.state.clone(seed=seed)
            while not state.is_terminal:
                here = state.explicit()
                if here.key() not in seen:
                    seen.add(here.key())
                    found.append((here, solution.shares[here.key()]))
                state.apply(rng.choice(state.legal_actions()))
    return found


def calibration(policy: Policy, positions: Sequence[tuple[Any, float]]) -> dict[str, Any]:
    """Return how a policy's values fit proved shares.

    Returns:
        ``positions``; ``brier``, expected of the results of best play; ``least``, that of the proved shares;
        ``constant``, that of their mean; ``bins``: by the policy's value, positions, mean value, mean proved share.
    """
    shares = np.array([share for _, share in positions])
    values = np.empty(len(positions))
    for k, (state, _) in enumerate(positions):
        player = state.current_player
        value = policy.evaluate(state.observation(player), state.legal_actions())[1]
        values[k] = min(max((1 + (value if player == 0 else -value)) / 2, 0.0), 1.0)
    spread = float((shares * (1 - shares)).mean())
    found: dict[str, Any] = {"positions": len(positions), "least": round(spread, 4)}
    found["brier"] = round(spread + float(((values - shares) ** 2).mean()), 4)
    found["constant"] = round(spread + float(shares.var()), 4)
    places = np.minimum((values * BINS).astype(int), BINS - 1)
    found["bins"] = [
        [int(at.sum()), round(float(values[at].mean()), 3), round(float(shares[at].mean()), 3)] if at.any() else [0]
        for at in (places == k for k in range(BINS))
    ]
    return found


def calibrate(names: Sequence[str], largest: int, write: bool) -> None:
    """Print the calibration of policies, in battles and elsewhere; perhaps write it."""
    positions = proved_positions(SUITE.puzzle, PLAYS, largest)
    sets = {
        where: [one for one in positions if (one[0].phase in BATTLE) == (where == "battle")]
        for where in ("battle", "other")
    }
    found = [
        {"policy": Path(name).stem, "where": where, **calibration(weights.load(name), of)}
        for name in names
        for where, of in sets.items()
    ]
    for row in found:
        print(row)
    if write:
        runs.write_json(CALIBRATION, {"plays": PLAYS, "largest": largest, "rows": found})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Puzzles with proved solutions.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("derive", help="solve the puzzles and write their shares")
    commands.add_parser("verify", help="solve the puzzles and compare")
    run = commands.add_parser("score", help="let agents play them")
    run.add_argument("--agent", required=True, action="append", help="agent string; may be given more than once")
    run.add_argument("--seeds", type=int, default=3, help="attempts at each")
    run.add_argument("--out", required=True, type=Path, help="file of the results; the same command resumes")
    run.add_argument("--write", action="store_true", help=f"update {FIGURES.relative_to(FIGURES.parents[2])}")
    fit = commands.add_parser("calibrate", help="compare values of networks with proved shares")
    fit.add_argument("policy", nargs="+", help="a file, or the name of shipped weights")
    fit.add_argument("--largest", type=int, default=LIMIT, help="leave out puzzles of more positions")
    fit.add_argument("--write", action="store_true", help=f"write {CALIBRATION.relative_to(FIGURES.parents[2])}")
    args = parser.parse_args(arguments)

    def work() -> None:
        if args.command == "derive":
            return derive()
        if args.command == "calibrate":
            return calibrate(args.policy, args.largest, args.write)
        puzzles = SUITE.puzzle
        if args.command == "verify":
            return print(f"{count(verify(puzzles), 'puzzle')} verified")
        args.out.parent.mkdir(parents=True, exist_ok=True)
        known = runs.read_json(args.out, {})
        if known and known["seeds"] != args.seeds:
            raise HawaiiError(f"{args.out}: was begun with --seeds {known['seeds']}")

        def keep(found: dict[str, dict[str, float]], path: Path = args.out) -> None:
            runs.write_json(path, {"seeds": args.seeds, "solved": SOLVED, "losses": found})

        found = score(puzzles, args.agent, args.seeds, known.get("losses"), keep)
        print(summary(puzzles, found))
        if args.write:
            keep(found, FIGURES)

    again = "goes on after the puzzles that are solved" if args.command == "score" else "begins again"
    return studies.finish(work, f"stopped; the same command {again}")


if __name__ == "__main__":
    sys.exit(main())
