"""Balance of Heiau Diplomacy: what each power gets between equals.

python experiments/heiau_matches.py --games 200 --out runs/heiau --write
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training import runs

import hawaii_env
from hawaii_agents.heiau.self_play import equal_game
from hawaii_env import agents
from hawaii_env.arena.sprt import mean_interval
from hawaii_env.heiau import Game
from hawaii_env.heiau.ruleset import Ruleset

RESULTS = Path(__file__).resolve().parent / "results" / "heiau.json"
FEW = "samples=8,plans=8,draws=4,sweeps=1,phases=2,noise=1,refine=0"
AGENTS = {
    "random": "random",
    "greedy": "heiau-greedy",
    "ppo": "ppo",
    "sight": "heiau-best-response:best=1,noise=1,refine=0",
    "quick": f"heiau-best-response:{FEW}",
    "full": "heiau-best-response",
}
"""The ladder: random play, a greedy planner, the trained policy, best responses without playing on, with few samples
and no trying of orders, and as they are shipped.
"""


def shown(values: Sequence[float]) -> dict[str, float]:
    """Return a share with its 95% interval, for JSON."""
    return dict(zip(("share", "low", "high"), (round(value, 4) for value in mean_interval(values)), strict=True))


def themselves(game: Game, seed: int, spec: str) -> dict[str, Any]:
    """Play one game between agents of the same spec, position by position; return what `equal_game` does."""
    last: Any = hawaii_env.play(game, [spec] * game.num_players, seed=seed)
    outcome = last.outcome()
    return {"shares": list(outcome.shares), "year": last.record.year, "draw": outcome.winner is None}


def balance(
    scenarios: Sequence[str], games: int, last_year: int, label: str, itself: bool, rules: str | None, out: Path
) -> Any:
    """Play games between equals, or what is missing of them; return what each power gets."""
    agent = agents.load_agent(AGENTS[label])
    found: dict[str, Any] = {}
    out.mkdir(parents=True, exist_ok=True)
    for name in scenarios:
        game = Game(scenario=name, last_year=last_year, rules=rules)
        place = out / f"{name}-{game.ruleset_name}-{last_year}-{label}{'-itself' if itself else ''}.jsonl"
        played = [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []
        with place.open("a", encoding="utf-8") as file:
            for seed in range(len(played), games):
                played.append(themselves(game, seed, AGENTS[label]) if itself else equal_game(game, seed, agent))
                file.write(json.dumps(played[-1]) + "\n")
                file.flush()
        if not played:
            continue
        found[name] = {
            "agent": label,
            "compiled": not itself,
            "powers": list(game.powers),
            "games": len(played),
            "draws": round(sum(one["draw"] for one in played) / len(played), 4),
            "years": [one["year"] for one in played if not one["draw"]],
            "shares": [shown([one["shares"][power] for one in played]) for power in range(game.num_players)],
        }
        print(name, [share["share"] for share in found[name]["shares"]], "draws", found[name]["draws"], flush=True)
    return {"ruleset": Ruleset.load(rules).name, "last_year": last_year, "scenarios": found}


def draw_figure(found: Any, place: Path) -> None:
    """Draw the powers' shares, and in how many games there is a winner by year."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    scenarios = found["scenarios"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6))
    for row, one in enumerate(reversed(scenarios.values())):
        start = 0.0
        for power, share in zip(one["powers"], one["shares"], strict=True):
            left.barh(
                row, share["share"], left=start, color=plt.cm.cividis(start + share["share"] / 2), edgecolor="white"
            )
            if share["share"] > 0.017 * len(power):
                left.text(
                    start + share["share"] / 2, row, power, ha="center", va="center", fontsize=7,
                    color="white" if start + share["share"] / 2 < 0.6 else "black",
                )  # fmt: skip
            start += share["share"]
    left.set_yticks(range(len(scenarios)), list(reversed(scenarios)))
    left.set_xlabel("share of the victory between equals")
    left.set_xlim(0, 1)
    for index, (name, one) in enumerate(scenarios.items()):
        years = sorted(one["years"])
        ended = [sum(y <= year for y in years) / one["games"] for year in range(1, found["last_year"] + 1)]
        style = ("-", "--", ":")[index % 3]
        right.plot(range(1, found["last_year"] + 1), ended, style, color=plt.cm.viridis(index / 11), label=name)
    right.set_xlabel("year")
    right.set_ylabel("games that are won by then")
    right.set_ylim(0, 1.02)
    right.legend(fontsize=7, ncols=2)
    figure.tight_layout()
    figure.savefig(place, dpi=110)
    plt.close(figure)


def write(part: str, found: Any) -> None:
    """Update a part of the results, and the figure; other scenarios of the same map stay."""
    held = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if held.get(part, {}).get("ruleset") == found["ruleset"]:
        found["scenarios"] = {**held[part]["scenarios"], **found["scenarios"]}
    held[part] = found
    runs.write_json(RESULTS, held)
    if part == "balance":
        draw_figure(found, RESULTS.with_suffix(".png"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Balance of Heiau Diplomacy.")
    parser.add_argument("--scenarios", help="with commas; all, if not given")
    parser.add_argument("--games", type=int, default=200, help="games a scenario; earlier ones count")
    parser.add_argument("--last-year", type=int, default=30, help="a game is a draw after it")
    parser.add_argument("--agent", default="full", choices=("quick", "full"), help="the agent of all seats")
    parser.add_argument("--itself", action="store_true", help="by the agents themselves, not compiled")
    parser.add_argument("--rules", help="a map's folder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="update experiments/results/heiau.json")
    args = parser.parse_args(arguments)
    scenarios = args.scenarios.split(",") if args.scenarios else list(Ruleset.load(args.rules).scenarios)
    found = balance(scenarios, args.games, args.last_year, args.agent, args.itself, args.rules, args.out / "balance")
    if args.write:
        write(f"balance-{args.agent}" if args.agent != "full" else "balance", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
