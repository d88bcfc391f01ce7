"""How a ruleset plays between two equal agents: who wins, how, how long, and which cards, battles and leaders decide.

    python experiments/calibrate.py --agent guided:sims=200 --games 400 --out runs/balance
    python experiments/calibrate.py --agent mcts:sims=400 --rules my_rules --scenario short --games 200 --out runs/mine

One line a game goes to ``games.jsonl`` as it ends; the same command goes on where a stopped one left off.
``summary.json`` and ``summary.md`` hold the figures, with 95% intervals.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for `training`, wherever this file is loaded from

from training import runs

from hawaii_env import agents
from hawaii_env.errors import HawaiiError
from hawaii_env.hawaii1795 import Game

SIDES = ("kamehameha", "allied")
LEADERS = ("kamehameha:kamehameha", "kamehameha:john_young", "allied:kalani", "allied:kaiana")
EARLY = ("january", "february", "march", "april", "may", "june")


def play(spec: str, scenario: str, rules: str | None, seed: int) -> dict[str, Any]:
    """Play one game of an agent against itself; return what came of it."""
    game = Game(scenario=scenario, rules=rules)
    players = agents.make_all(spec, game, seed=2 * seed)
    for index, player in enumerate(players):
        agents.begin(player, game, index)
    state = game.initial_state(seed=seed)
    cards: list[tuple[str, str]] = []
    battles: list[dict[str, Any]] = []
    deaths: dict[str, str] = {}
    fought: dict[str, Any] | None = None
    view = state.view()
    while True:
        if view.card and (view.card, view.turn) not in cards:
            cards.append((view.card, view.turn))
        for who in view.dead:
            deaths.setdefault(who, view.turn)
        now = None
        if view.battle is not None and view.field is not None:
            now = {"space": view.field, "kind": view.battle["kind"], "attacker": view.half, "turn": view.turn}
        if now != fought:
            if fought is not None:
                space, attacker = fought["space"], fought["attacker"]
                other = SIDES[1 - SIDES.index(attacker)]
                there = {side: [u for u in view.units[side].get(space, []) if "canoe" not in u] for side in SIDES}
                battles.append({**fought, "won": bool(there[attacker]) and not there[other]})
            fought = now
        if state.is_terminal:
            break
        player = players[state.current_player]
        state.apply(player.act(state.for_search(), state.legal_actions(), None))
        view = state.view()
    return {
        "seed": seed, "winner": view.winner, "reason": view.reason, "turn": view.turn, "decisions": view.decisions,
        "cards": cards, "battles": battles, "deaths": deaths,
    }  # fmt: skip


def _play(job: tuple[str, str, str | None, int]) -> dict[str, Any]:
    return play(*job)


def interval(successes: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    if not n:
        return 0.0, 1.0
    z, p = 1.96, successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def score(game: dict[str, Any]) -> float:
    """Return Kamehameha's score: 1, 1/2 or 0."""
    return {"kamehameha": 1.0, "allied": 0.0, "tie": 0.5}[game["winner"]]


def _mean(values: Sequence[float]) -> dict[str, Any]:
    n = len(values)
    if not n:
        return {"n": 0}
    mean = sum(values) / n
    spread = math.sqrt(sum((v - mean) ** 2 for v in values) / max(1, n - 1) / n)
    return {"n": n, "mean": round(mean, 4), "error": round(spread, 4)}


def summarise(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of many games."""
    n = len(games)
    winners = Counter(game["winner"] for game in games)
    decided = winners["kamehameha"] + winners["allied"]
    result: dict[str, Any] = {
        "games": n,
        "shares": {who: {"share": winners[who] / n, "interval": interval(winners[who], n)} for who in (*SIDES, "tie")},
        "kamehameha_score": _mean([score(game) for game in games]),
        "kamehameha_of_decided": {
            "share": winners["kamehameha"] / max(1, decided),
            "interval": interval(winners["kamehameha"], decided),
        },
        "decisions": _mean([float(game["decisions"]) for game in games]),
        "reasons": dict(Counter(f"{game['winner']}: {game['reason']}" for game in games).most_common()),
        "last_turn": dict(Counter(game["turn"] for game in games).most_common()),
        "battles_a_game": _mean([float(len(game["battles"])) for game in games]),
    }
    cards: dict[str, dict[str, list[float]]] = defaultdict(lambda: {"early": [], "later": []})
    for game in games:
        drawn = dict(game["cards"])
        for card, turn in drawn.items():
            cards[card]["early" if turn in EARLY else "later"].append(score(game))
    result["cards"] = {
        card: {when: _mean(values) for when, values in found.items()} for card, found in sorted(cards.items())
    }
    fought: dict[str, list[float]] = defaultdict(list)
    for game in games:
        for battle in game["battles"]:
            key = (
                f"{battle['attacker']} at {battle['space']}"
                if battle["kind"] != "sea"
                else f"{battle['attacker']} at sea"
            )
            fought[key].append(float(battle["won"]))
    result["battles"] = {
        key: {**_mean(values), "a_game": round(len(values) / n, 3)}
        for key, values in sorted(fought.items(), key=lambda item: -len(item[1]))
    }
    result["leaders"] = {
        who: {
            "died": sum(who in game["deaths"] for game in games) / n,
            "score_if_died": _mean([score(game) for game in games if who in game["deaths"]]),
            "score_if_not": _mean([score(game) for game in games if who not in game["deaths"]]),
        }
        for who in LEADERS
    }
    return result


def markdown(summary: dict[str, Any], title: str) -> str:
    """Return the figures as a page."""
    shares = summary["shares"]

    def percent(who: str) -> str:
        low, high = shares[who]["interval"]
        return f"{shares[who]['share']:.1%} ({low:.0%} to {high:.0%})"

    def cell(found: dict[str, Any]) -> str:
        return f"{found['mean']:.2f} ± {1.96 * found['error']:.2f} ({found['n']})" if found["n"] else "-"

    lines = [
        f"# {title}", "", f"{summary['games']} games. A score counts a tie as half a win; ± is 95%.", "",
        "| Kamehameha | Allies | tied | decisions a game | battles a game |", "| --- | --- | --- | --- | --- |",
        f"| {percent('kamehameha')} | {percent('allied')} | {percent('tie')} | {summary['decisions']['mean']:.0f} | "
        f"{summary['battles_a_game']['mean']:.1f} |",
        "", "| how it ended | games |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in summary["reasons"].items()),
        "", "| last turn | games |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in summary["last_turn"].items()),
        "", "| card | Kamehameha's score where drawn by June | later |", "| --- | --- | --- |",
        *(f"| {card} | {cell(found['early'])} | {cell(found['later'])} |" for card, found in summary["cards"].items()),
        "", "| land battle | a game | attacker holds the space after it |", "| --- | --- | --- |",
        *(f"| {key} | {found['a_game']:.2f} | {found['mean']:.0%} |" for key, found in summary["battles"].items()),
        "", "| leader | dies in | Kamehameha's score then | else |", "| --- | --- | --- | --- |",
        *(
            f"| {who} | {found['died']:.0%} | {cell(found['score_if_died'])} | {cell(found['score_if_not'])} |"
            for who, found in summary["leaders"].items()
        ),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def collect(
    head: dict[str, Any],
    play_one: Callable[[Any], dict[str, Any]],
    jobs: dict[int, Any],
    out: Path,
    processes: int,
) -> list[dict[str, Any]]:
    """Play the games that ``games.jsonl`` in a folder lacks, each written as it ends, and return all of them.

    Args:
        head: what they are games of: the file's first line.
        play_one: plays a job, in a process of its own; what it returns has the ``"seed"``.
        jobs: by seed.
        out: the folder.
        processes: how many play.

    Raises:
        HawaiiError: the file has games of another head.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / "games.jsonl"
    lines = runs.whole_lines(path)  # the game of a line that a kill cut off is played again
    if lines and lines[0] != head:
        raise HawaiiError(f"{path} has games of other settings: {lines[0]}; name another --out")
    known: list[dict[str, Any]] = lines[1:]
    runs.write_lines(path, lines)
    done = {game["seed"] for game in known}
    missing = [job for seed, job in jobs.items() if seed not in done]
    with path.open("a", encoding="utf-8") as file, multiprocessing.get_context("spawn").Pool(processes) as pool:
        if not file.tell():
            file.write(json.dumps(head) + "\n")
            file.flush()
        for game in _progress(pool.imap_unordered(play_one, missing), len(missing)):
            file.write(json.dumps(game) + "\n")
            file.flush()
            known.append(game)
    return sorted((game for game in known if game["seed"] in jobs), key=lambda game: game["seed"])


def run(
    spec: str, scenario: str, rules: str | None, games: int, out: Path, seed: int, processes: int
) -> dict[str, Any]:
    """Play what is missing, write the figures, return them."""
    head = {
        "agent": spec,
        "scenario": scenario,
        "rules": rules,
        "ruleset": Game(scenario=scenario, rules=rules).ruleset_hash,
    }
    jobs = {s: (spec, scenario, rules, s) for s in range(seed, seed + games)}
    summary = {**head, **summarise(collect(head, _play, jobs, out, processes))}
    (out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    (out / "summary.md").write_text(markdown(summary, f"{spec}, {scenario} game"), encoding="utf-8")
    return summary


def _progress(jobs: Iterable[Any], total: int) -> Iterable[Any]:
    if sys.stderr.isatty():
        from rich.progress import track

        yield from track(jobs, total=total, description="games")
    else:
        yield from jobs


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="How a ruleset plays between two equal agents.")
    parser.add_argument("--agent", required=True, help="spec of the agent that plays both sides")
    parser.add_argument("--scenario", default="long")
    parser.add_argument("--rules", help="a ruleset folder; the shipped one if left out")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game; the next has the next")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args(arguments)

    def work() -> None:
        summary = run(args.agent, args.scenario, args.rules, args.games, args.out, args.seed, args.processes)
        print(markdown(summary, f"{args.agent}, {args.scenario} game"))

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
