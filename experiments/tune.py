"""Weights of the static evaluation by which `rule-of-thumb` plays, raced against the shipped ones.

    python experiments/tune.py --side kamehameha --candidates 24 --out runs/tune-kamehameha

Candidates are the shipped weights of one side, each times the exponential of a normal number. All play the same deals
against the same opponents on that side; after each of three rounds the better quarter goes on, with four times the
games each, and the shipped ones go on with them. The last round's games are played once more with other deals, by the
best and the shipped alone: that difference, pair by pair, is what is told, and choosing has not flattered it.

One line a game goes to ``games.jsonl`` as it ends, and the same command goes on where a stopped one left off.
``tuned.json`` has the figures at the end.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for `training`, wherever this file is loaded from

import numpy as np
from training import runs
from training.games import collect

from hawaii_agents.rule_of_thumb import RuleOfThumbAgent
from hawaii_env import agents
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.search import WEIGHTS

SIDES = ("kamehameha", "allied")
ROUNDS, KEPT, MORE = 3, 4, 4
"""Rounds; one of KEPT goes on; with MORE times the games."""


@dataclass
class Args:
    """What a race is told."""

    out: str = "runs/tune"  # its folder
    side: str = "kamehameha"  # whose weights: kamehameha or allied
    candidates: int = 24  # weights drawn, beside the shipped ones
    games: int = 30  # of each candidate, in the first round
    spread: float = 0.3  # standard deviation of the weights' logarithms
    against: str = "rule-of-thumb,mcts:sims=100,ppo:greedy=false"  # opponents, in turn
    seed: int = 1  # of the candidates and of the deals
    processes: int = 1
    quiet: bool = False  # print nothing


def candidates(args: Args) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return the weights of both sides by candidate; number 0 are the shipped ones."""
    rng, side = np.random.default_rng(args.seed), SIDES.index(args.side)
    made = [WEIGHTS]
    for _ in range(args.candidates):
        factors = np.exp(args.spread * rng.standard_normal(len(WEIGHTS[side])))
        own = tuple(float(f"{w * f:.3g}") for w, f in zip(WEIGHTS[side], factors, strict=True))
        made.append((own, WEIGHTS[1]) if side == 0 else (WEIGHTS[0], own))
    return made


def play_one(job: tuple[int, int, int, Any, str]) -> dict[str, Any]:
    """Play a game: its number, its deal, the side, the weights, the opponent. Return the number and the score."""
    number, seed, side, weights, opponent = job
    game = Game()
    players: list[Any] = [RuleOfThumbAgent(seed=seed, weights=weights), agents.make(opponent, seed=seed + 1)]
    state = agents.play(game, players if side == 0 else players[::-1], seed=seed)
    return {"seed": number, "score": (state.returns()[side] + 1) / 2}


class Race:
    """The games of a race, played where they are missing."""

    def __init__(self, args: Args) -> None:
        self.args, self.made = args, candidates(args)
        self.against = agents.split_specs(args.against)
        self.head = {key: value for key, value in asdict(args).items() if key not in ("out", "processes", "quiet")}

    def scores(self, candidate: int, first: int, n: int) -> np.ndarray[Any, Any]:
        """Return a candidate's scores in the deals from `first` on, float[n]."""
        side = SIDES.index(self.args.side)
        jobs: dict[int, Any] = {}
        for deal in range(first, first + n):
            number, seed = candidate * 1_000_000 + deal, self.args.seed * 10_000_000 + deal
            jobs[number] = number, seed, side, self.made[candidate], self.against[deal % len(self.against)]
        found = collect(self.head, play_one, jobs, Path(self.args.out), self.args.processes)
        return np.array([game["score"] for game in found])


def run(args: Args) -> str:
    """Run the race, write ``tuned.json``, and return what it says in a line.

    Raises:
        OptionError: a value that is none, or a folder of another race.
    """
    if args.side not in SIDES:
        raise OptionError(f"side is one of {', '.join(SIDES)}, not {args.side!r}")
    if args.candidates < KEPT or args.games < 1:
        raise OptionError(f"candidates is {KEPT} or more and games 1 or more, not {args.candidates} and {args.games}")
    race, alive, n, rounds = Race(args), list(range(1, args.candidates + 1)), args.games, []
    for _ in range(ROUNDS):
        means = {one: float(race.scores(one, 0, n).mean()) for one in [0, *alive]}
        alive = sorted(alive, key=lambda one: (-means[one], one))[: max(1, len(alive) // KEPT)]
        rounds.append({"games": n, "scores": {str(one): round(mean, 4) for one, mean in means.items()}})
        if not args.quiet:
            print(f"{n} games each: shipped {means[0]:.1%}, best {means[alive[0]]:.1%} of {len(means) - 1}", flush=True)
        n *= MORE
    n //= MORE
    best, shipped = race.scores(alive[0], n, n), race.scores(0, n, n)
    gain, error = (best - shipped).mean(), (best - shipped).std(ddof=1) / np.sqrt(n)
    result = {
        **runs.provenance("tune.py", asdict(args), asdict(Args())),
        "ruleset": Game().ruleset_name,
        "rounds": rounds,
        "weights": race.made[alive[0]][SIDES.index(args.side)],
        "games": n,
        "score": round(float(best.mean()), 4),
        "shipped": round(float(shipped.mean()), 4),
        "gain": [round(float(gain + k * 1.96 * error), 4) for k in (-1, 0, 1)],
    }
    runs.write_json(Path(args.out) / "tuned.json", result)
    low, middle, high = result["gain"]
    return (
        f"{args.side}: {result['score']:.1%} with the new weights, {result['shipped']:.1%} with the shipped ones, "
        f"{middle:+.1%} ({low:+.1%} to {high:+.1%}, {n} deals): {result['weights']}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Race, as the command line says; return the exit status."""
    return runs.work_on(Args, arguments, "Race weights of the static evaluation against the shipped ones.", run)


if __name__ == "__main__":
    sys.exit(main())
