"""What one other plan would bring: one-shot deviations from a policy, valued by whole games.

    python experiments/one_shot.py --games 60 --out runs/one_shot
    python experiments/one_shot.py --weights my.safetensors --heat 2.5 --candidates 40 --games 40 --out runs/mine
    python experiments/one_shot.py --against rule-of-thumb --scouted 20 --candidates 40 --out runs/off_its_path

The policy plays itself, or with ``--against`` another agent, which leads it to positions that its own games do not
come to. Now and then, where it makes a plan, candidates are drawn from it at a temperature (with ``--scouted`` there
are some more, which a search without the policy finds best) and each is played out to the game's end by the policy,
many times and with common chance. One half of these games chooses the best candidate, the other half says what it
brings over the policy's likeliest plan, so that the choice does not flatter itself. Rollouts that a network cuts
short choose as well, and are judged by the same other half.

What a search over these candidates can add to the policy, as long as everybody goes on by it, is no more than that gain
a decision. One line a game goes to ``games.jsonl`` as it ends; the same command goes on where a stopped one left off.
``summary.json`` and what is printed have gains on a scale of -1 to 1 (a gain of 0.02 is one game in a hundred), with
95% intervals by games.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for `training`, wherever this file is loaded from

import numpy as np
from training import runs
from training.games import collect

from hawaii_agents import weights as shipped
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.search import Plans, Weights

WHOLE = 99
"""Half-turns of a rollout that goes on to the game's end."""
APART = 25, 70
"""Decisions between two positions that are looked at: fewest, most."""


KEYS = ("weights", "rules", "against", "scouted", "heat", "candidates", "rollouts")


@dataclass(frozen=True)
class Settings:
    """What is asked of every position."""

    weights: str | None = None  # a policy's name or file; None: the shipped one
    rules: str | None = None  # a ruleset's name or folder; None: the shipped one
    against: str | None = None  # spec of the agent that the policy plays, sides in turn; None: itself
    scouted: int = 0  # this many more candidates come from a search without the policy; 0: none
    heat: float = 1.0  # temperature at which candidates are drawn
    candidates: int = 16  # drawn at a position; those that reach one position are one
    rollouts: int = 320  # whole games of each, half of them to choose by
    halves: tuple[int, ...] = (1, 2, 4)  # half-turns of the rollouts that are cut short

    def check(self) -> None:
        """Raise OptionError where a value is none."""
        if self.candidates < 2 or self.rollouts < 4 or not self.heat > 0 or min(self.halves, default=1) < 1:
            raise OptionError(f"2 candidates, 4 rollouts, a heat above 0, 1 half-turn or more are wanted: {self}")


def play(job: tuple[Settings, int]) -> dict[str, Any]:
    """Play one game of a policy against itself and look at plans in it; return what was found, by position."""
    settings, seed = job
    game = Game(rules=settings.rules)
    policy = shipped.find(game) if settings.weights is None else shipped.load(settings.weights)
    network = Weights(policy.tensors, game)
    agent, rng = PPOAgent(policy, greedy=False, seed=seed), np.random.default_rng(seed)
    told: dict[str, Any] = {
        "most": settings.candidates,
        "heat": settings.heat,
        "rollout_heat": 1.0,
        "scouted": settings.scouted,
    }
    engines = {halves: Plans(game, network, halves=halves, **told) for halves in (WHOLE, *settings.halves)}
    found: list[dict[str, Any]] = []
    state, wait = game.initial_state(seed), int(rng.integers(0, APART[0]))
    players: list[agents.Agent] = [agent, agent]
    if settings.against is not None:
        players[1 - seed % 2] = agents.make(settings.against, seed=seed)
    for seat, player in enumerate(players):
        agents.begin(player, game, seat)
    while not state.is_terminal:
        legal, player = state.legal_actions(), players[state.current_player]
        if player is agent and wait <= 0 and len(legal) > 1 and Plans.suits(state):
            found += look(settings, engines, state, int(rng.integers(2**31)))
            wait = int(rng.integers(*APART))
        state.apply(player.act(state.for_search(), legal, None))
        wait -= 1
    return {"seed": seed, "positions": found}


def look(settings: Settings, engines: dict[int, Plans], state: Any, seed: int) -> list[dict[str, Any]]:
    """What the plans of a position are worth; nothing where there is but one."""
    n = settings.rollouts // 2
    values: dict[int, Any] = {}
    for halves, plans in engines.items():
        plans.seed(seed)  # the same candidates, and rollout k with the same chance
        plans.set_root(state)
        values[halves] = plans.sample(settings.candidates, 2 * n if halves == WHOLE else n)
        if values[halves].shape[1] < 2:
            return []
    judge = values[WHOLE][n:].mean(0)
    gains = {str(halves): float(judge[some[:n].mean(0).argmax()] - judge[0]) for halves, some in values.items()}
    apart = values[WHOLE][:, 1:] - values[WHOLE][:, :1]
    noise = apart.var(0, ddof=1) / len(apart)
    return [
        {
            "phase": state.phase, "plans": len(judge), "gains": gains,
            "spread": float((apart.mean(0) ** 2 - noise).mean()),
            "noise": {str(h): float((v[:, 1:] - v[:, :1]).var(0, ddof=1).mean()) for h, v in values.items()},
        }
    ]  # fmt: skip


def summarise(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return figures by what is decided: of all plans, of recruits, of movement."""
    groups = {
        "all": lambda phase: True,
        "recruiting": lambda phase: phase == "recruiting",
        "movement": lambda phase: phase in ("movement", "pickup", "cargo", "sail"),
    }
    result: dict[str, Any] = {}
    for name, wanted in groups.items():
        by_game = [[one for one in game["positions"] if wanted(one["phase"])] for game in games]
        all_of_them = [one for some in by_game for one in some]
        if len(all_of_them) < 2:
            continue
        result[name] = {
            "positions": len(all_of_them),
            "plans": round(float(np.mean([one["plans"] for one in all_of_them])), 1),
            "spread": round(float(np.sqrt(max(0.0, np.mean([one["spread"] for one in all_of_them])))), 4),
            "gains": {
                halves: _mean([[one["gains"][halves] for one in some] for some in by_game])
                for halves in all_of_them[0]["gains"]
            },
            "noise": {
                h: round(float(np.sqrt(np.mean([one["noise"][h] for one in all_of_them]))), 3)
                for h in all_of_them[0]["noise"]
            },
        }  # fmt: skip
    return result


def _mean(by_game: Sequence[Sequence[float]]) -> dict[str, float]:
    """The mean, and its 95% interval: games are independent, positions of one game are not."""
    whole = np.array([value for some in by_game for value in some])
    mean = float(whole.mean())
    off = np.array([sum(some) - mean * len(some) for some in by_game])
    error = 1.96 * float(np.sqrt((off**2).sum())) / len(whole)
    return {"mean": round(mean, 4), "low": round(mean - error, 4), "high": round(mean + error, 4)}


def markdown(summary: dict[str, Any]) -> str:
    """Return the summary as a table."""
    lines = [
        "| plans | positions | candidates | spread | chosen by | gain | noise of one rollout |",
        "| --- " * 7 + "|",
    ]
    for name, row in summary.items():
        for halves, gain in row["gains"].items():
            by = "whole games" if halves == str(WHOLE) else f"{halves} half-turns"
            lines.append(
                f"| {name} | {row['positions']} | {row['plans']} | {row['spread']:.3f} | {by} | {gain['mean']:+.4f} "
                f"({gain['low']:+.4f} to {gain['high']:+.4f}) | {row['noise'][halves]:.2f} |"
            )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="What one other plan would bring.")
    parser.add_argument("--weights", help="a policy's name or file; the shipped one if left out")
    parser.add_argument("--rules", help="a ruleset's name or folder; the shipped one if left out")
    parser.add_argument("--against", help="spec of the agent that the policy plays, sides in turn; itself if left out")
    parser.add_argument(
        "--scouted", type=int, default=0, help="this many more candidates from a search without the policy"
    )
    parser.add_argument("--heat", type=float, default=1.0, help="temperature at which candidates are drawn")
    parser.add_argument("--candidates", type=int, default=16)
    parser.add_argument("--rollouts", type=int, default=320, help="whole games of each; half of them choose")
    parser.add_argument("--halves", default="1,2,4", help="half-turns of rollouts that are cut short")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game; the next has the next")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args(arguments)

    def work() -> None:
        halves = tuple(int(text) for text in args.halves.split(",") if text)
        told = {key: getattr(args, key) for key in KEYS}
        settings = Settings(**told, halves=halves)
        settings.check()
        head = {**asdict(settings), "halves": list(halves), "ruleset": Game(rules=args.rules).ruleset_hash}
        jobs = {seed: (settings, seed) for seed in range(args.seed, args.seed + args.games)}
        summary = summarise(collect(head, play, jobs, args.out, args.processes))
        runs.write_json(args.out / "summary.json", {**head, "games": args.games, **summary})
        print(markdown(summary))

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
