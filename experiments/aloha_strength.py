"""Strength of ALOHA's agents: one against others of one kind, in all seats, and a ladder, for two to four players;
and whether each level of the browser's opponents beats the one below it.

    python experiments/aloha_strength.py --out runs/aloha-strength --write

All games are the arena's: each meeting is one game for each rotation of the seats. The same command goes on where a
stopped one left off. ``--part ladders`` plays the ladders alone, and leaves the others as they are written. ``--write``
renews docs/benchmarks/aloha-strength.json, from which ``python docs/generate.py`` writes the tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from training import runs

from hawaii_env import arena
from hawaii_env.aloha import Game
from hawaii_env.aloha.spec import LEVELS
from hawaii_env.arena import ratings
from hawaii_env.arena.sprt import mean_interval
from hawaii_env.errors import HawaiiError

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "aloha-strength.json"
SEARCH = "aloha-search:sims=16"
MATCHES = (
    (SEARCH, "aloha-greedy", 4),
    (SEARCH, "aloha-greedy", 2),
    ("aloha-greedy", "random", 2),
    (SEARCH, "aloha-greedy", 3),
)
"""One agent, what plays all the other seats, and of how many players."""
POLICY = (
    ("ppo", "random", 2),
    ("ppo", "aloha-greedy", 2),
    ("ppo", "aloha-greedy", 3),
    ("ppo", "aloha-greedy", 4),
    (SEARCH, "ppo", 2),
    (SEARCH, "ppo", 3),
    (SEARCH, "ppo", 4),
)
"""The same of the shipped policies, one for each number of players."""
PARTS = ("matches", "policy", "levels", "ladders")
LADDER = ("random", "aloha-greedy", "ppo", "aloha-search:sims=4", SEARCH)


def match(agent: str, against: str, players: int, games: int, processes: int, out: Path) -> dict[str, Any]:
    """Play one agent against others that are all alike; return its share of the victory, with a 95% interval by
    meetings.
    """
    entries = [f"one={agent}", *(f"other-{k}={against}" for k in range(1, players))]
    found = arena.run_tournament(
        Game(players=players), entries, pairs=-(-games // players), processes=processes, out=out, progress=False
    )
    if found.void:
        raise HawaiiError(f"{out}: {found.void} games could not be played; the same command tries them again")
    shares: dict[str, list[float]] = defaultdict(list)
    for game in found.results:
        shares[game.pairing].append(game.shares[game.seats.index("one")])
    mean, low, high = mean_interval([sum(row) / len(row) for row in shares.values()])
    return {
        "agent": agent, "against": against, "players": players, "games": len(found.results), "share": mean,
        "interval": [low, high], "times_fair": mean * players,
    }  # fmt: skip


def ladder(players: int, meetings: int, processes: int, out: Path) -> dict[str, Any]:
    """Play a round-robin of the ladder's agents, and return their ratings by places."""
    found = arena.run_tournament(
        Game(players=players), LADDER, pairs=meetings, processes=processes, out=out, progress=False
    )
    return {"players": players, "ratings": ratings.fit(found.results).to_dict()}


def play_matches(
    matches: Sequence[tuple[str, str, int]], players: Sequence[int], games: int, processes: int, out: Path
) -> list[dict[str, Any]]:
    """Play each of some matches, and return the rows."""
    found: list[dict[str, Any]] = []
    for agent, against, n in matches:
        if n in players:
            place = out / f"{agent}-{against}-{n}".replace(":", "_").replace("=", "")
            found.append(match(agent, against, n, games, processes, place))
            low, high = found[-1]["interval"]
            print(
                f"{n} players: {agent} against {against}: {found[-1]['share']:.1%} ({low:.1%} to {high:.1%}), "
                f"{found[-1]['times_fair']:.2f} times the fair share, {found[-1]['games']} games",
                flush=True,
            )
    return found


def play_levels(games: int, processes: int, out: Path) -> list[dict[str, Any]]:
    """Play each level of the page against the one below it, two players, a search's fewer games; return the rows."""
    found: list[dict[str, Any]] = []
    for lower, upper in pairwise(LEVELS):
        options = {"players": 2}
        place = out / f"level-{upper.number}"
        count = games * 2 // 5 if upper.agent_for(options).startswith("aloha-search") else games
        row = match(upper.agent_for(options), lower.agent_for(options), 2, count, processes, place)
        found.append({"level": upper.number, "name": upper.name, "below": lower.name, **row})
        print(f"level {upper.number}, {upper.name}, against {lower.name}: {row['share']:.1%}", flush=True)
    return found


def play_ladders(players: Sequence[int], meetings: int, processes: int, out: Path) -> list[dict[str, Any]]:
    """Play a ladder for each number of players, and return the ratings."""
    found: list[dict[str, Any]] = []
    for n in players:
        found.append(ladder(n, meetings, processes, out / f"ladder-{n}"))
        print(n, *(f"{row['player']} {row['elo']:.0f}" for row in found[-1]["ratings"]["table"]), sep=", ", flush=True)
    return found


def run(
    parts: Sequence[str], players: Sequence[int], games: int, meetings: int, processes: int, out: Path
) -> dict[str, Any]:
    """Play what is missing of some parts, and return the figures; those of other parts are as they are written."""
    found: dict[str, Any] = {"ruleset": Game().ruleset_name}
    if set(parts) != set(PARTS):
        written = json.loads(FIGURES.read_text(encoding="utf-8"))
        if written["ruleset"] != found["ruleset"]:
            raise HawaiiError(
                f"{FIGURES.name} is of {written['ruleset']}, not of {found['ruleset']}: all parts are wanted"
            )
        found = {name: written[name] for name in ("ruleset", *PARTS) if name in written}
    if "ladders" in parts:
        found["ladders"] = play_ladders(players, meetings, processes, out)
    if "levels" in parts:
        found["levels"] = play_levels(games // 2, processes, out)
    for name, matches in (("policy", POLICY), ("matches", MATCHES)):
        if name in parts:
            found[name] = play_matches(matches, players, games, processes, out)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="How strong ALOHA's agents are.")
    parser.add_argument("--players", type=int, action="append", choices=(2, 3, 4), help="2, 3 and 4 if left out")
    parser.add_argument("--part", action="append", choices=PARTS, help="all if left out")
    parser.add_argument("--games", type=int, default=400, help="of each match; of levels half as many")
    parser.add_argument("--meetings", type=int, default=10, help="of each table of the ladder")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--write", action="store_true", help=f"renew {FIGURES.relative_to(FIGURES.parents[2])}")
    args = parser.parse_args(arguments)

    def work() -> None:
        players = args.players or [2, 3, 4]
        found = run(args.part or PARTS, players, args.games, args.meetings, args.processes, args.out)
        if args.write:
            runs.write_json(FIGURES, found)

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
