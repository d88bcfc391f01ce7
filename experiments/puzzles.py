"""Puzzles with proved solutions: a winning landing, a fort to hold, when to risk the king, a choice in a battle.

    python experiments/puzzles.py derive      # solve them and write their shares
    python experiments/puzzles.py verify      # solve them and compare
    python experiments/puzzles.py score --agent ppo --agent champion:sims=256 --out runs/puzzles.json --write

The positions are in `configs/puzzles/hawaii1795.toml`. From each of them the game ends soon enough that `exact_shares`
finds, for every position that can follow, Kamehameha's share of the game with best play of both sides: 1 won, 1/2 tied,
0 lost. An agent plays until chance or the enemy is next; its loss is the best share that it could have reached less the
one that it reached. A loss up to `SOLVED` counts as solved.

``--write`` updates docs/benchmarks/puzzles.json, from which ``python docs/generate.py`` writes the table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from training import runs

from hawaii_env import agents
from hawaii_env.errors import HawaiiError
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game, State
from hawaii_env.texts import count

PLACE = Path(__file__).resolve().parent / "configs" / "puzzles" / "hawaii1795.toml"
FIGURES = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "puzzles.json"
LIMIT = 2_000_000
"""Positions that `exact_shares` visits before it gives up."""
PRECISION = 1e-10
"""Greatest difference between the lower and the upper bound of a solved value."""
SOLVED = 0.005
"""Greatest loss of a solved puzzle."""
KINDS = ("landing", "fort", "king", "battle")


def load(path: Path = PLACE) -> list[dict[str, Any]]:
    """Return the puzzles: `name`, `kind`, `best`, `worst`, `positions`, and `position`, the arguments of
    `Game.position`.
    """
    return runs.read_config(str(path))[1]["puzzle"]


def state_of(puzzle: dict[str, Any]) -> State:
    """Return a puzzle's position, with explicit chance."""
    return Game(**puzzle.get("options", {})).position(**puzzle["position"])


# Exact values


def exact_shares(state: State, limit: int = LIMIT) -> dict[bytes, float]:
    """Return Kamehameha's share in every position that can follow, by `State.key`; that of `state` comes first.

    Lower and upper bounds of all positions are backed up together until they meet in the first one, so that rounds
    without effect, which lead back to where they began, need no special care.

    Raises:
        HawaiiError: more than `limit` positions follow.
    """
    number, waiting = {state.key(): 0}, [state]
    kinds, values, first, to, weights = list[int](), list[float](), list[int](), list[int](), list[float]()
    for at, here in enumerate(waiting):  # grows while it is iterated
        waiting[at] = state  # frees the position that is done
        player = here.current_player
        kinds.append(player)
        first.append(len(to))
        values.append(here.returns()[0] if here.is_terminal else 0.0)
        moves = here.chance_outcomes() if player == CHANCE else [(action, 0.0) for action in here.legal_actions()]
        for move, weight in moves:
            after = here.clone()
            (after.apply_chance if player == CHANCE else after.apply)(move)
            known = number.setdefault(after.key(), len(number))
            if known == len(waiting):
                waiting.append(after)
            to.append(known)
            weights.append(weight)
        if len(number) > limit:
            raise HawaiiError(f"more than {limit} positions follow")
    kind, value, chance = np.array(kinds), np.array(values), np.array(weights)
    inner = kind >= CHANCE
    low, high = (np.where(inner, bound, value) for bound in (-1.0, 1.0))
    starts = np.array(first)[inner]
    while high[0] - low[0] > PRECISION:
        for bound in low, high:
            below = bound[to]
            backed_up = [np.add.reduceat(below * chance, starts)]
            backed_up += [best.reduceat(below, starts) for best in (np.maximum, np.minimum)]
            bound[inner] = np.choose(kind[inner] - CHANCE, backed_up)
    return dict(zip(number, (((low + high) / 2 + 1) / 2).tolist(), strict=True))


class Solution:
    """The exact shares of a puzzle.

    Attributes:
        state: the position.
        shares: Kamehameha's share by `State.key`, of every position that can follow.
        best, worst: the best and the worst share that the player can reach before chance or the enemy is next.
    """

    def __init__(self, puzzle: dict[str, Any]) -> None:
        self.state: State = state_of(puzzle)
        self.shares: dict[bytes, float] = exact_shares(self.state)
        self.sign: int = 1 if self.state.current_player == 0 else -1
        reached = sorted(self._reached(), key=lambda share: self.sign * share)
        self.worst, self.best = reached[0], reached[-1]

    def _reached(self) -> list[float]:
        player, found = self.state.current_player, list[float]()
        seen, waiting = {self.state.key()}, [self.state]
        for here in waiting:
            if here.is_terminal or here.current_player != player:
                found.append(self.shares[here.key()])
                continue
            for action in here.legal_actions():
                after = here.clone()
                after.apply(action)
                if after.key() not in seen:
                    seen.add(after.key())
                    waiting.append(after)
        return found

    def loss(self, agent: str, seed: int) -> float:
        """Return what an agent loses of the best share that it could reach, 0 to 1."""
        state, player = self.state.clone(), self.state.current_player
        made = agents.load_agent(agent, seed=seed)
        agents.begin(made, state.game, player)
        while not state.is_terminal and state.current_player == player:
            legal = state.legal_actions()
            state.apply(legal[0] if len(legal) == 1 else made.act(state.for_search(), legal, None))
        agents.close(made)
        return self.sign * (self.best - self.shares[state.key()])


def derive(path: Path = PLACE) -> None:
    """Solve the puzzles and write their shares into the file.

    Raises:
        HawaiiError: all choices of a puzzle are worth the same, or two puzzles have one name.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    for puzzle in load(path):
        if lines.count(f'name = "{puzzle["name"]}"') != 1:
            raise HawaiiError(f"{puzzle['name']}: two puzzles have this name")
        found = Solution(puzzle)
        if abs(found.best - found.worst) <= SOLVED:
            raise HawaiiError(f"{puzzle['name']}: every choice is worth {found.best:.6f}")
        head = lines.index(f'name = "{puzzle["name"]}"')
        values = {"best": f"{found.best:.9f}", "worst": f"{found.worst:.9f}", "positions": str(len(found.shares))}
        for key, text in values.items():
            at = next(i for i in range(head, len(lines)) if lines[i].startswith(f"{key} = "))
            lines[at] = f"{key} = {text}"
        print(f"{found.best:.6f} {found.worst:.6f} {len(found.shares):8,} {puzzle['name']}")
    runs.write_text(path, "\n".join(lines))


def verify(puzzles: Sequence[dict[str, Any]], largest: int = LIMIT) -> int:
    """Solve the puzzles of at most `largest` positions and compare; return how many they are.

    Raises:
        HawaiiError: a share differs.
    """
    some = [puzzle for puzzle in puzzles if puzzle["positions"] <= largest]
    for puzzle in some:
        found = Solution(puzzle)
        for key, share in (("best", found.best), ("worst", found.worst)):
            if abs(share - puzzle[key]) > 2e-9:
                raise HawaiiError(f"{puzzle['name']}: {key}: exact is {share:.9f}, not {puzzle[key]:.9f}")
    return len(some)


def score(
    puzzles: Sequence[dict[str, Any]], specs: Sequence[str], seeds: int = 3,
    known: dict[str, dict[str, float]] | None = None,
    report: Callable[[dict[str, dict[str, float]]], None] = lambda _: None,
) -> dict[str, dict[str, float]]:  # fmt: skip
    """Let agents play the puzzles; return the mean loss by agent and puzzle.

    Args:
        puzzles: as `load` returns them.
        specs: agent strings.
        seeds: attempts at each puzzle, with the seeds 0, 1, ...
        known: earlier results, which are not played again.
        report: called with all results after each puzzle.
    """
    found: dict[str, dict[str, float]] = {spec: dict((known or {}).get(spec, {})) for spec in specs}
    for puzzle in puzzles:
        missing = [spec for spec in specs if puzzle["name"] not in found[spec]]
        if missing:
            solution = Solution(puzzle)
            for spec in missing:
                losses = [solution.loss(spec, seed) for seed in range(seeds)]
                found[spec][puzzle["name"]] = round(sum(losses) / seeds, 6)
            report(found)
    return found


def summary(puzzles: Sequence[dict[str, Any]], found: dict[str, dict[str, float]]) -> str:
    """Return a Markdown table: how many puzzles of each kind each agent solved, and its mean loss."""
    names = {kind: [one["name"] for one in puzzles if one["kind"] == kind] for kind in KINDS}
    head = ["agent", *(f"{kind} ({len(of)})" for kind, of in names.items()), f"all ({len(puzzles)})", "mean loss"]
    rows: list[list[object]] = []
    for spec, losses in found.items():
        solved = [sum(losses[name] <= SOLVED for name in of) for of in names.values()]
        rows.append([f"`{spec}`", *solved, sum(solved), f"{sum(losses.values()) / len(losses):.3f}"])
    return runs.table(head, rows)


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
    args = parser.parse_args(arguments)

    def work() -> None:
        if args.command == "derive":
            return derive()
        puzzles = load()
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
    return runs.finish(work, f"stopped; the same command {again}")


if __name__ == "__main__":
    sys.exit(main())
