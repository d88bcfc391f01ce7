"""Ladders and balance of Heiau Diplomacy: who is stronger by the number of players, and what each power gets.

    python experiments/heiau_matches.py ladder --out runs/heiau --write
    python experiments/heiau_matches.py against --agent ppo --others heiau-greedy --out runs/heiau --write
    python experiments/heiau_matches.py balance --games 200 --out runs/heiau --write
    python experiments/heiau_matches.py balance --itself --scenarios race,duel --games 100 --out runs/heiau --write

All go on where a stopped run left off. The ladder plays tournaments of the arena, a folder a scenario; a match has one
agent against another in all other seats, in each seat in turn, a line of JSON a game; the balance
plays games between equals in compiled code, a line of JSON a game. ``--write`` renews experiments/results/heiau.json
and its figure, from which ``python docs/generate.py`` writes the tables.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from training import runs

import hawaii_env
from hawaii_agents.heiau.self_play import equal_game
from hawaii_env import agents, arena
from hawaii_env.arena.sprt import mean_interval
from hawaii_env.heiau import Game
from hawaii_env.heiau.ruleset import Ruleset

RESULTS = Path(__file__).resolve().parent / "results" / "heiau.json"
LADDER = {"race": 4, "discrete": 1, "heart": 1, "kamaainas": 1, "two_haoles": 3}
"""One scenario for each number of players, and how often each table meets: there are few tables of many."""

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


def ladder(scenarios: Sequence[str], pairs: int, meets: int | None, seed: int, processes: int, out: Path) -> Any:
    """Play a tournament a scenario, or what is missing of it; return shares of the victory, by agent and by power."""
    found: dict[str, Any] = {}
    for name in scenarios:
        game = Game(scenario=name)
        place = out / f"{name}-{game.ruleset_name}"
        entries = [f"{label}={spec}" for label, spec in AGENTS.items()]
        if pairs:
            arena.run_tournament(
                game,
                entries,
                pairs=pairs * LADDER.get(name, 1),
                meets=meets if game.num_players > 2 else None,
                seed=seed,
                processes=processes,
                out=place,
            )
        played = arena.load_games(place)
        shares: dict[str, list[list[float]]] = {label: [[] for _ in game.powers] for label in AGENTS}
        for one in played:
            for seat, (who, share) in enumerate(zip(one.seats, one.shares, strict=True)):
                shares[who][seat].append(share)
        found[name] = {
            "ruleset": game.ruleset_name,
            "players": game.num_players,
            "powers": list(game.powers),
            "games": len(played),
            "agents": {
                label: {
                    "spec": AGENTS[label],
                    "games": sum(map(len, seats)),
                    **shown([share for seat in seats for share in seat]),
                    "by_power": [round(sum(seat) / len(seat), 4) if seat else None for seat in seats],
                }
                for label, seats in shares.items()
                if any(seats)
            },
        }
        print(name, json.dumps(found[name]["agents"]), flush=True)
    return found


def against(scenarios: Sequence[str], agent: str, others: str, games: int, seed: int, out: Path) -> Any:
    """Play one agent among others, in each seat as often, or what is missing; return its share by scenario."""
    found: dict[str, Any] = {}
    out.mkdir(parents=True, exist_ok=True)
    for name in scenarios:
        game = Game(scenario=name)
        place = out / (re.sub(r"[^\w.-]+", "-", f"{name}-{game.ruleset_name}-{agent}-{others}-{seed}") + ".jsonl")
        played = [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []
        with place.open("a", encoding="utf-8") as file:
            for number in range(len(played), games):
                specs = [others] * game.num_players
                seat = number % game.num_players
                specs[seat] = agent
                last: Any = hawaii_env.play(game, specs, seed=seed + 7 * number)
                outcome = last.outcome()
                one = {"seat": seat, "share": outcome.shares[seat], "year": last.record.year}
                played.append({**one, "draw": outcome.winner is None})
                file.write(json.dumps(played[-1]) + "\n")
                file.flush()
        found[f"{agent} / {others} / {name}"] = {
            "agent": agent,
            "others": others,
            "scenario": name,
            "ruleset": game.ruleset_name,
            "powers": list(game.powers),
            "games": len(played),
            "seed": seed,
            "draws": round(sum(one["draw"] for one in played) / len(played), 4),
            **shown([one["share"] for one in played]),
            "by_power": [
                shown([one["share"] for one in played if one["seat"] == seat])
                for seat in range(min(len(played), game.num_players))
            ],
        }
        print(name, json.dumps(found[f"{agent} / {others} / {name}"]), flush=True)
    return found


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
    """Renew a part of the results, and the figure; other scenarios of the same map stay."""
    held = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if part.startswith("balance") and held.get(part, {}).get("ruleset") == found["ruleset"]:
        found["scenarios"] = {**held[part]["scenarios"], **found["scenarios"]}
    if part in ("ladder", "against"):
        found = {**held.get(part, {}), **found}
    held[part] = found
    runs.write_json(RESULTS, held)
    if part == "balance":
        draw_figure(found, RESULTS.with_suffix(".png"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="Ladders and balance of Heiau Diplomacy.")
    parser.add_argument("job", choices=("ladder", "against", "balance"))
    parser.add_argument("--scenarios", help="with commas; one a number of players, or all, if not given")
    parser.add_argument(
        "--pairs", type=int, default=1, help="ladder: how many times its meetings are played; 0 reads what is there"
    )
    parser.add_argument("--meets", type=int, help="ladder: as few tables as let every two sit together so often")
    parser.add_argument(
        "--games", type=int, default=200, help="against, balance: games a scenario; what is there counts, too"
    )
    parser.add_argument("--last-year", type=int, default=30, help="balance: after which a game is a draw")
    parser.add_argument("--agent", help="balance: as whom all play, quick or full; against: the agent's spec")
    parser.add_argument(
        "--itself", action="store_true", help="balance: by the agents themselves, position by position; not compiled"
    )
    parser.add_argument("--others", default="heiau-greedy", help="against: the spec of who has all other seats")
    parser.add_argument("--rules", help="balance: a map, by its name or folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="renew experiments/results/heiau.json")
    args = parser.parse_args(arguments)
    every: Iterable[str] = LADDER if args.job != "balance" else Ruleset.load(args.rules).scenarios
    scenarios = args.scenarios.split(",") if args.scenarios else list(every)
    label = args.agent or "full"
    if args.job == "balance" and label not in ("quick", "full"):
        parser.error(f"--agent: quick or full, not {label}")
    if args.job == "against" and args.agent is None:
        parser.error("--agent: whose strength?")
    if args.job == "ladder":
        found = ladder(scenarios, args.pairs, args.meets, args.seed, args.processes, args.out / "ladder")
    elif args.job == "against":
        found = against(scenarios, args.agent, args.others, args.games, args.seed, args.out / "against")
    else:
        found = balance(scenarios, args.games, args.last_year, label, args.itself, args.rules, args.out / "balance")
    if args.write:
        write(f"balance-{label}" if args.job == "balance" and label != "full" else args.job, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
