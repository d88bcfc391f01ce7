"""Puzzles with proved solutions: the winning landing, a fort to hold, when to risk the king, a choice in a battle.

    python experiments/puzzles.py derive                      # solve them, write their shares
    python experiments/puzzles.py verify                      # solve them again and compare
    python experiments/puzzles.py score --agent ppo --agent champion:sims=256 --out runs/puzzles.json --write

The positions stand in `puzzles.toml`. From each the game ends soon enough that `search_battery.exact_shares` knows
Kamehameha's share of the game, with best play of both sides, in every position that can follow. An agent plays on until
chance or the enemy has the word; the share of where it got then, less the best that could be reached, is what it lost.
Under `SOLVED` the puzzle is solved. `best` and `worst` are the shares of the best and the worst that can be reached.

``--write`` renews docs/benchmarks/puzzles.json, from which ``python docs/generate.py`` writes the table.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for its neighbours, wherever this file is loaded from

import search_battery
from search_battery import exact_shares, game_of, position_of, state_of
from training import runs

from hawaii_env import agents
from hawaii_env.errors import HawaiiError
from hawaii_env.hawaii1795 import State

PLACE = Path(__file__).with_suffix(".toml")
FIGURES = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "puzzles.json"
SOLVED = 0.005
"""A loss up to this counts as solved."""
KINDS = ("landing", "fort", "king", "battle")


def load(path: Path = PLACE) -> list[dict[str, Any]]:
    """The puzzles: tables with `name`, `kind`, `best`, `worst`, `positions` and what `Game.position` takes, as
    `position`.
    """
    return tomllib.loads(path.read_text(encoding="utf-8"))["puzzle"]


class Solution:
    """A puzzle's exact shares.

    Attributes:
        state: the position.
        shares: by position, Kamehameha's, of every position that can follow.
        best, worst: the best and the worst that the player to decide can reach before chance or the enemy has the word.
        ways: how many positions it can reach so.
    """

    def __init__(self, puzzle: dict[str, Any]) -> None:
        self.state: State = state_of(puzzle, game_of(puzzle))
        shares, number = exact_shares(self.state)
        self.shares: dict[bytes, float] = {key: float(shares[i]) for key, i in number.items()}
        self.sign: int = 1 if self.state.current_player == 0 else -1
        reached = self._reached()
        self.ways: int = len(reached)
        self.best: float = max(reached, key=lambda share: self.sign * share)
        self.worst: float = min(reached, key=lambda share: self.sign * share)

    def _reached(self) -> list[float]:
        player, ends = self.state.current_player, dict[bytes, float]()
        seen, waiting = {position_of(self.state)}, [self.state]
        for here in waiting:
            if here.is_terminal or here.current_player != player:
                ends[position_of(here)] = self.shares[position_of(here)]
                continue
            for action in here.legal_actions():
                after = here.clone()
                after.apply(action)
                if position_of(after) not in seen:
                    seen.add(position_of(after))
                    waiting.append(after)
        return list(ends.values())

    def loss(self, agent: str, seed: int) -> float:
        """What an agent loses of the share that it could have, 0 to 1."""
        state, player = self.state.clone(), self.state.current_player
        made = agents.make(agent, seed=seed)
        agents.begin(made, state.game, player)
        while not state.is_terminal and state.current_player == player:
            legal = state.legal_actions()
            state.apply(legal[0] if len(legal) == 1 else made.act(state.for_search(), legal, None))
        agents.close(made)
        return self.sign * (self.best - self.shares[position_of(state)])


def derive(path: Path = PLACE, report: Callable[[str], None] = print) -> None:
    """Solve the puzzles and write their shares into the file.

    Raises:
        HawaiiError: one is decided whatever is played, or two have one name.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    for puzzle in load(path):
        if lines.count(f'name = "{puzzle["name"]}"') != 1:
            raise HawaiiError(f"{puzzle['name']}: a name of one puzzle alone is wanted")
        found = Solution(puzzle)
        if abs(found.best - found.worst) <= SOLVED:
            raise HawaiiError(f"{puzzle['name']}: whatever is played, the share is {found.best:.6f}")
        head = lines.index(f'name = "{puzzle["name"]}"')
        values = {"best": f"{found.best:.9f}", "worst": f"{found.worst:.9f}", "positions": str(len(found.shares))}
        for key, text in values.items():
            at = next(i for i in range(head, len(lines)) if lines[i].startswith(f"{key} = "))
            lines[at] = f"{key} = {text}"
        report(f"{found.best:.6f} {found.worst:.6f} {len(found.shares):8,} {puzzle['name']}")
    runs.write_text(path, "\n".join(lines))


def verify(puzzles: Sequence[dict[str, Any]], largest: int = search_battery.LIMIT) -> int:
    """Solve puzzles again, those of at most `largest` positions; how many.

    Raises:
        HawaiiError: a share is another.
    """
    some = [puzzle for puzzle in puzzles if puzzle["positions"] <= largest]
    for puzzle in some:
        found = Solution(puzzle)
        for key, share in (("best", found.best), ("worst", found.worst)):
            if abs(share - puzzle[key]) > 2e-9:
                raise HawaiiError(f"{puzzle['name']}: {key}: exact is {share:.9f}, not {puzzle[key]:.9f}")
    return len(some)


def score(
    puzzles: Sequence[dict[str, Any]],
    specs: Sequence[str],
    seeds: int = 3,
    known: dict[str, dict[str, float]] | None = None,
    report: Callable[[dict[str, dict[str, float]]], None] = lambda _: None,
) -> dict[str, dict[str, float]]:
    """Let agents play the puzzles.

    Args:
        puzzles: of `load`.
        specs: the agents.
        seeds: tries of each, with the seeds 0, 1, ...
        known: what was found before; it is not played again.
        report: told all that is found after each puzzle.

    Returns:
        by agent and puzzle, the mean loss.
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
    """Who has solved how many, of each kind and of all, and the mean loss: a table in Markdown."""
    names = {kind: [one["name"] for one in puzzles if one["kind"] == kind] for kind in KINDS}
    head = ["agent", *(f"{kind} ({len(of)})" for kind, of in names.items()), f"all ({len(puzzles)})", "mean loss"]
    rows = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for spec, losses in found.items():
        solved = [sum(losses[name] <= SOLVED for name in of) for of in names.values()]
        mean = sum(losses.values()) / len(losses)
        rows.append(f"| `{spec}` | " + " | ".join(map(str, [*solved, sum(solved)])) + f" | {mean:.3f} |")
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="Puzzles with proved solutions.")
    does = parser.add_subparsers(dest="does", required=True)
    does.add_parser("derive", help="solve the puzzles and write their shares")
    does.add_parser("verify", help="solve the puzzles and compare")
    run = does.add_parser("score", help="let agents play them")
    run.add_argument("--agent", required=True, action="append", help="spec; may be given more than once")
    run.add_argument("--seeds", type=int, default=3, help="tries of each")
    run.add_argument("--out", required=True, type=Path, help="where what is found is kept; the same command goes on")
    run.add_argument("--write", action="store_true", help=f"renew {FIGURES.relative_to(FIGURES.parents[2])}")
    args = parser.parse_args(arguments)

    def work() -> None:
        if args.does == "derive":
            derive()
            return
        puzzles = load()
        if args.does == "verify":
            print(f"{verify(puzzles)} puzzles hold")
            return
        args.out.parent.mkdir(parents=True, exist_ok=True)
        known = json.loads(args.out.read_text(encoding="utf-8")) if args.out.exists() else {}
        if known and known["seeds"] != args.seeds:
            raise HawaiiError(f"{args.out}: was begun with --seeds {known['seeds']}")

        def keep(found: dict[str, dict[str, float]], path: Path = args.out) -> None:
            runs.write_json(path, {"seeds": args.seeds, "solved": SOLVED, "losses": found})

        found = score(puzzles, args.agent, args.seeds, known.get("losses"), keep)
        print(summary(puzzles, found))
        if args.write:
            keep(found, FIGURES)

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
