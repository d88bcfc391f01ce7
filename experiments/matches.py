"""Matches and ladders of a study: one agent against others that are all alike, and round-robins with ratings.

    python experiments/matches.py hawaii1795-strength --out runs/strength --write
    python experiments/matches.py aloha --only "level 5"
    python experiments/matches.py ladders --processes 2 --write
    python experiments/matches.py my-study.toml --games 20

A study is a TOML file, or the name of one in `configs/matches`:

    game = "aloha"                         # a game's name; a match may name another
    results = "docs/benchmarks/x.json"     # the file that --write updates
    [[match]]
    agent = "aloha-search:sims={}"         # an agent string, or a list; {} takes each of `values`
    values = [4, 16]
    against = "aloha-greedy"               # plays all other seats; a string or a list
    options = { players = [2, 3, 4] }      # options of the game; each combination is a match
    games = 400                            # every seat equally often
    seed = 0
    [[match]]
    levels = true                          # each level of the browser's opponents against the one below it
    [[ladder]]                             # it may name another game, too
    agents = ["random", "aloha-greedy"]    # agent strings, or names of the table [agents]
    options = { players = [2, 3, 4] }
    games = 400                            # of each two agents, at least

The arena plays all games. The same command resumes a stopped study, and more games or more matches play only what is
missing. ``results.json``, and with ``--write`` the study's results, are written after each match: shares of the victory
(of two players a tie is half a win) with 95% intervals by meetings. A row replaces the earlier one of the same agents,
options and ruleset; other rows stay. ``python docs/generate.py`` writes the pages. Matches with `values` are drawn,
too, in ``curves.png``.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import math
import re
import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import studies

from hawaii_agents.training import runs
from hawaii_agents.training.logs import figure
from hawaii_env import arena, games
from hawaii_env.arena import ratings
from hawaii_env.arena.sprt import share_interval
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import Game
from hawaii_env.texts import count as plural

Row = dict[str, Any]
KEYS = {
    "match": {"game", "agent", "against", "values", "levels", "options", "games", "seed"},
    "ladder": {"game", "agents", "options", "games", "seed"},
}
IDENTITY = ("game", "agent", "against", "agents", "options", "ruleset")
"""Keys that two results of the same match or ladder share."""


# The study


def read_study(name: str) -> dict[str, Any]:
    """Return a study: a path, or the name of a file in ``experiments/configs/matches``.

    Raises:
        OptionError: no such file, or a key that is unknown or missing.
    """
    path, study = studies.read_study(name, "matches", KEYS, {"match": {"agent", "against"}, "ladder": {"agents"}})
    for entry in study.get("match", []):
        if "values" in entry and not all(agent.count("{}") == 1 for agent in _listed(entry["agent"])):
            raise OptionError(f"{path}: agent: {entry['agent']!r} has {{}} once, for the values")
    return study


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def combinations(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each combination of options that may have several values."""
    return [dict(zip(options, one, strict=True)) for one in itertools.product(*map(_listed, options.values()))]


def matches_of(game: str, entry: dict[str, Any]) -> list[Row]:
    """Return the matches of a study's [[match]]: agent, against, options, and level or value."""
    found: list[Row] = []
    other = {"game": entry["game"]} if "game" in entry else {}
    for options in combinations(entry.get("options", {})):
        if entry.get("levels"):
            for lower, upper in itertools.pairwise(games.find(entry.get("game", game)).levels):
                names = {"agent": upper.agent_for(options), "against": lower.agent_for(options)}
                found.append({**other, "level": upper.number, **names, "options": options})
            continue
        for agent, against in itertools.product(_listed(entry["agent"]), _listed(entry["against"])):
            for value in entry.get("values", [None]):
                point = {} if value is None else {"curve": agent, "value": value}
                names = {"agent": agent.replace("{}", str(value)), "against": against}
                found.append({**other, **point, **names, "options": options})
    return found


def ladders_of(study: Row, entry: Row) -> list[Row]:
    """Return the ladders of a study's [[ladder]]: game, agents by their names, options, seed."""
    names = study.get("agents", {})
    named = {agent: names.get(agent, agent) for agent in entry["agents"]}
    base = {"game": entry.get("game", study["game"]), "agents": named, "seed": entry.get("seed", 0)}
    return [{**base, "options": options} for options in combinations(entry.get("options", {}))]


# Playing


def play(game: Game, entries: list[str], out: Path, **settings: Any) -> arena.TournamentResult:
    """Play a tournament, or what is missing of it, in a folder of its own below `out`.

    Raises:
        HawaiiError: a game could not be played.
    """
    key = json.dumps([game.params, game.ruleset_hash, entries, settings["seed"]], sort_keys=True, default=str)
    name = re.sub(r"[^\w.]+", "-", " ".join(entries))[:60]
    found = arena.run_tournament(game, entries, out=out / f"{name}-{zlib.crc32(key.encode()):08x}", **settings)
    if found.void:
        raise HawaiiError(f"{found.folder}: {found.void} games could not be played; the same command tries them again")
    return found


def summarise(found: arena.TournamentResult, key: str) -> Row:
    """Return a player's share of the victory: over all games with a 95% interval by meetings, and by seat."""
    mine = share_interval(found.results, key)
    by_seat = [None if math.isnan(share) else round(share, 4) for share in mine.by_seat]
    interval = [round(end, 4) for end in (mine.low, mine.high)]
    return {"games": mine.games, "share": round(mine.share, 4), "interval": interval, "by_seat": by_seat}


def match(game: Game, row: Row, count: int, seed: int, processes: int, out: Path) -> Row:
    """Play one agent in each seat equally often against others that are all alike; return the row with its result."""
    seats = game.num_players
    entries: list[str] = [f"one={row['agent']}", *(f"other-{k}={row['against']}" for k in range(1, seats))]
    found = play(game, entries, out, pairs=-(-count // seats), seed=seed, processes=processes)
    mine = next(standing for standing in found.standings if standing.player == "one")
    ties = sum(sorted(one.shares)[-1] - sorted(one.shares)[-2] < 1e-9 for one in found.results)
    return {
        **row, "ruleset": game.ruleset_name, "seed": seed, "seats": list(game.agents),
        **summarise(found, "one"), "ties": round(ties / len(found.results), 4), "forfeits": mine.forfeits,
        "seconds_a_decision": round(1 / mine.decisions_per_second, 5) if mine.decisions else 0.0,
    }  # fmt: skip


def pairs_for(games_of_two: int, agents: int, seats: int) -> int:
    """Return how often each table of `seats` agents meets, once in each seat, so that each two play so many games."""
    return -(-games_of_two // (seats * math.comb(agents - 2, seats - 2)))


def ladder(game: Game, row: Row, count: int, processes: int, out: Path) -> Row:
    """Play a round-robin, `count` games of each two agents; return the row with their shares and ratings by places."""
    entries = [agent if name == agent else f"{name}={agent}" for name, agent in row["agents"].items()]
    pairs = pairs_for(count, len(entries), game.num_players)
    found = play(game, entries, out, pairs=pairs, seed=row["seed"], processes=processes)
    return {
        **row, "ruleset": game.ruleset_name, "seats": list(game.agents), "games": len(found.results),
        "standings": {player.key: summarise(found, player.key) for player in found.players},
        "ratings": ratings.fit(found.results).to_dict(),
    }  # fmt: skip


# Results


def label(row: Row) -> str:
    """Return the words by which a row is printed, and by which `--only` chooses."""
    words = [row["game"]] if "game" in row else []
    words += [" ".join(f"{key}={value}" for key, value in row["options"].items()) + ":"] if row["options"] else []
    if "agents" in row:
        return " ".join([*words, "ladder of", ", ".join(row["agents"])])
    level = [f"level {row['level']},"] if "level" in row else []
    return " ".join([*words, *level, row["agent"], "against", row["against"]])


def merged(known: dict[str, list[Row]], found: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Return all results, new ones in place of those of the same match or ladder."""
    result: dict[str, list[Row]] = {}
    for kind in ("matches", "ladders"):
        rows = {json.dumps([row.get(key) for key in IDENTITY], sort_keys=True): row for row in known.get(kind, [])}
        rows |= {json.dumps([row.get(key) for key in IDENTITY], sort_keys=True): row for row in found.get(kind, [])}
        result[kind] = list(rows.values())
    return result


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw shares against values with their intervals, a curve for each agent, options and opponent; write a PNG."""
    made = figure(8, 4.5)
    axes = made.subplots()
    curves: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["value"]):
        curves[label({**row, "agent": row["curve"]})].append(row)
    for name, points in curves.items():
        shares = [row["share"] for row in points]
        bars = [[abs(row["interval"][end] - row["share"]) for row in points] for end in (0, 1)]
        axes.errorbar([row["value"] for row in points], shares, yerr=bars, marker="o", capsize=3, label=name)
    axes.set(xscale="log", ylim=(0, 1), xlabel="value", ylabel="share of the victory (bars: 95%)")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", fontsize=8)
    made.savefig(path, dpi=100, format="png")


def run(
    study: dict[str, Any], out: Path, only: str = "", count: int | None = None, processes: int = 1, write: bool = False
) -> dict[str, list[Row]]:
    """Play a study, or what is missing of it; write the results after each match and return them."""
    found: dict[str, list[Row]] = {"matches": [], "ladders": []}
    kept = studies.ROOT / study["results"] if write else None
    before: dict[str, list[Row]] = runs.read_json(kept, {}) if kept else {}
    made = {"date": f"{datetime.date.today()}", "commit": runs.commit()}  # before the results change the checkout

    def keep(kind: str, row: Row, text: str) -> None:
        found[kind].append(row)
        runs.write_json(out / "results.json", found)
        if points := [one for one in found["matches"] if "value" in one]:
            draw(points, out / "curves.png")
        if kept:
            runs.write_json(kept, merged(before, found))
        print(f"{label(row)}: {text}, {plural(row['games'], 'game')}", flush=True)

    for entry in study.get("match", []):
        for row in matches_of(study["game"], entry):
            if only in label(row):
                game = games.load_game(row.get("game", study["game"]), **row["options"])
                row = match(game, row, count or entry.get("games", 200), entry.get("seed", 0), processes, out)
                low, high = row["interval"]
                speed = f"{1000 * row['seconds_a_decision']:.1f} ms per decision"
                keep("matches", row, f"{row['share']:.1%} ({low:.1%} to {high:.1%}), {speed}")
    for entry in study.get("ladder", []):
        for row in ladders_of(study, entry):
            if only in label(row):
                game = games.load_game(row["game"], **row["options"])
                row = ladder(game, row, count or entry.get("games", 400), processes, out)
                elos = ", ".join(f"{one['player']} {one['elo']:.0f}" for one in row["ratings"]["table"])
                keep("ladders", {**row, **made}, elos)
    return found


def play_args(args: argparse.Namespace) -> None:
    """Play a study as the command line says."""
    if not any(run(read_study(args.study), args.out, args.only, args.games, args.processes, args.write).values()):
        raise OptionError(f"--only: no line of the study has {args.only!r}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return studies.play_study("matches", "Matches and ladders of a study.", arguments, play_args)


if __name__ == "__main__":
    sys.exit(main())
