"""Generated pages on the strength and the depth of Hawaii, 1795, from the results that are committed."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import depth_figures
from page_parts import NOTE, note, table

from hawaii_env.arena.sprt import mean_interval
from hawaii_env.hawaii1795.spec import LEVELS

__all__ = ["PAGES"]

FOLDER = Path(__file__).resolve().parent
UNTOLD = (None, 0, "long")
"""What options of experiments/depth.py are unless told."""
LADDER = FOLDER / "benchmarks" / "ladder.json"
ENOUGH = 400
"""Games of a pair of players from which on a cell of the ladder may be taken for more than a hint."""
SIDE_NAMES = {"kamehameha": "Kamehameha", "allied": "the Allies"}


def ladder_page() -> str:
    """The ladders, from the committed results of tournaments: one a ruleset, and their Elo side by side."""
    ladders = json.loads(LADDER.read_text(encoding="utf-8"))
    elos = [{row["player"]: row for row in data["ratings"]["table"]} for data in ladders]
    players = sorted(set().union(*elos), key=lambda name: -max(table[name]["elo"] for table in elos if name in table))
    beside: list[list[object]] = [
        [name, *(f"{found[name]['elo']:.0f}" if name in found else "-" for found in elos)] for name in players
    ]
    return (
        note("docs/benchmarks/ladder.json")
        + "# The ladder\n\nLong game, pairs of swapped sides. Elo with `random` at 0 "
        "and 95% intervals by pairs; a tie is half a win. [What the numbers mean](../ratings.md). Longer matches and "
        "what failed: [results](../../experiments/RESULTS.md).\n\n"
        + table(["agent", *(f"Elo on `{data['ruleset']}`" for data in ladders)], beside)
        + "".join(map(_ladder, ladders))
    )


def _ladder(data: dict[str, Any]) -> str:
    """One ruleset's ladder."""
    ratings = data["ratings"]
    order = [row["player"] for row in ratings["table"]]

    def share(value: float | None) -> str:
        return "-" if value is None else f"{100 * value:.1f}%"

    ranks: list[list[object]] = [
        [
            place,
            row["player"],
            f"{row['elo']:.0f}",
            f"{row['low']:.0f} to {row['high']:.0f}" if row["low"] != row["high"] else "-",
            share(row["score"]),
            row["games"],
        ]
        for place, row in enumerate(ratings["table"], 1)
    ]
    cells = {(cell["player"], cell["other"]): cell for cell in ratings["cross"]}
    ends = {
        key: mean_interval([1.0] * cell["wins"] + [0.5] * cell["ties"] + [0.0] * cell["losses"])[1:]
        for key, cell in cells.items()
    }

    def met(one: str, other: str) -> str:
        if (one, other) not in cells:
            return "-"
        low, high = ends[one, other]
        return f"{share(cells[one, other]['score'])} ({100 * low:.0f}-{100 * high:.0f})"

    cross: list[list[object]] = [[one, *(met(one, other) for other in order)] for one in order]
    few = min(cell["games"] for cell in cells.values())
    most = max(high - low for low, high in ends.values())
    side = ratings["side"]
    told = (
        f"**A cell has {few} games, so its interval is up to {100 * most:.0f} points wide**: it tells strong from "
        "weak, and not which of two neighbours is the stronger."
        if few < ENOUGH
        else f"A cell has {few} games or more, and its interval is up to {100 * most:.0f} points wide."
    )
    return (
        f"\n## `{data['ruleset']}`\n\n{data['date']}, commit {data['commit']}, {ratings['games']} games in "
        f"{ratings['pairings']} pairs.\n\n```bash\n{data['command']}\n```\n\n"
        + table(["", "agent", "Elo", "95%", "score", "games"], ranks)
        + f"\nScore of the row against the column, with its 95% interval, games taken as independent. {told}\n\n"
        + table(["", *order], cross)
        + f"\nTo play Kamehameha is worth {side['value']:.0f} Elo between equals ({side['low']:.0f} to "
        f"{side['high']:.0f}); equals tie in {share(ratings['tie']['share']['value'])} of their games.\n"
        + "".join(f"\n- {warning}\n" for warning in ratings["warnings"])
    )


def levels_page() -> str:
    """Return the page of the levels of the browser's opponents, from what experiments/levels.py has measured."""
    found = json.loads((FOLDER / "benchmarks" / "levels.json").read_text(encoding="utf-8"))
    rows: list[list[object]] = []
    for level in LEVELS:
        row: list[object] = [level.number, level.name, level.about]
        for scenario, matches in found["matches"].items():
            options = {"scenario": scenario}
            match = next((m for m in matches if m["level"] == level.number), None)
            row.append(f"`{level.agent(options)}`")
            if match is None:
                row.append("")
                continue
            if (match["agent"], match["against"]) != (level.agent(options), LEVELS[level.number - 2].agent(options)):
                raise SystemExit("docs/benchmarks/levels.json is of other levels: python experiments/levels.py --write")
            low, high = match["interval"]
            row.append(f"{match['score']:.0%} ({low:.0%} to {high:.0%}), {match['games']} games")
        rows.append(row)
    head = ["level", "name", "what it is like"]
    for scenario in found["matches"]:
        head += [f"agent, {scenario} game", f"against the level below, {scenario} game"]
    return (
        NOTE + "# Levels of the computer in the browser\n\nWhich agent plays at each level of [`hawaii "
        "serve`](../play.md), and its score against the level below: "
        f"a tie is half a win, sides swapped, 95% intervals, ruleset {found['ruleset']}. `python "
        "experiments/levels.py` measures them.\n\n"
        + (found["note"] + "\n\n" if "note" in found else "")
        + table(head, rows)
    )


def puzzles_page() -> str:
    """Return the page of the puzzles and of the agents that solve them, as experiments/puzzles.py scored them."""
    puzzles = tomllib.loads((FOLDER.parent / "experiments/configs/puzzles/hawaii1795.toml").read_text(encoding="utf-8"))
    found = json.loads((FOLDER / "benchmarks" / "puzzles.json").read_text(encoding="utf-8"))
    bound, losses = found["solved"], found["losses"]
    kinds = {one["name"]: one["kind"] for one in puzzles["puzzle"]}
    if any(set(of) - set(kinds) for of in losses.values()):
        raise SystemExit(
            "docs/benchmarks/puzzles.json is of other puzzles: python experiments/puzzles.py score --write"
        )
    played = [name for name in kinds if all(name in of for of in losses.values())]
    counts = Counter(kinds[name] for name in played)
    scores: list[list[object]] = []
    for spec, of in losses.items():
        solved = Counter(kinds[name] for name in played if of[name] <= bound)
        mean = sum(of[name] for name in played) / len(played)
        scores.append([f"`{spec}`", *(solved[kind] for kind in counts), sum(solved.values()), f"{mean:.3f}"])
    rows: list[list[object]] = [
        [
            one["name"],
            one["kind"],
            SIDE_NAMES[one["position"].get("decider", one["position"]["half"])],
            f"{one['best']:.3f}",
            f"{one['worst']:.3f}",
            sum(of[one["name"]] <= bound for of in losses.values()) if one["name"] in played else "not played",
        ]
        for one in puzzles["puzzle"]
    ]
    head = ["agent", *(f"{kind} ({count})" for kind, count in counts.items()), f"all ({len(played)})", "mean loss"]
    return (
        NOTE + f"# Puzzles\n\n{len(kinds)} positions, written by hand or met in battles written by hand, of which the "
        f"best play is proved (ruleset {puzzles['rules']}): find the landing, keep the ring of spaces open, know when "
        "to risk the king, choose in a battle. A share is Kamehameha's part of the game, 1 won, 1/2 tied, 0 lost, with "
        "best play of both sides after the player's plan is made. An agent plays until chance or the enemy has the "
        f"word, {found['seeds']} times; what it loses of the best share on average is its loss, and up to {bound} "
        "counts as solved. `python experiments/puzzles.py score` lets any agent play them. All agents below have "
        f"played {len(played)} of the {len(kinds)}.\n\n"
        + table(head, scores)
        + "\n## The puzzles\n\nKamehameha's share after the best and the worst that the player can do, and how many of "
        "those agents solve it:\n\n" + table(["puzzle", "kind", "to play", "best", "worst", "solved by"], rows)
    )


def strength_page() -> str:
    """How strong agents are by what they may spend, from what experiments/strength.py has measured."""
    points = json.loads((FOLDER / "benchmarks" / "strength.json").read_text(encoding="utf-8"))
    parts: list[str] = []
    for rules, scenario, against in dict.fromkeys((p["ruleset"], p["scenario"], p["against"]) for p in points):
        own = [p for p in points if (p["ruleset"], p["scenario"], p["against"]) == (rules, scenario, against)]
        rows: list[list[object]] = [
            [
                f"`{p['agent']}`",
                p["games"],
                "{:.1%} ({:.1%} to {:.1%})".format(p["score"], *p["interval"]),
                ", ".join(f"{share:.0%}" for share in p["by_side"].values()),
                f"{p['ties']:.0%}",
                f"{1000 * p['seconds_a_decision']:.1f}",
                p["seed"],
            ]
            for p in own
        ]
        head = ["agent", "games", "score, 95%", "as Kamehameha, as the Allies", "ties", "ms a decision", "seed"]
        parts.append(f"## Against `{against}`, {scenario} game, {rules}\n\n{table(head, rows)}")
    return (
        NOTE + "# Strength by what is spent\n\nMatches with sides swapped, a tie half a win, intervals by pairs. "
        "Milliseconds are wall-clock time on the machine of the match, other processes' included: agents limited by "
        "simulations do not depend on it. `python experiments/strength.py --agent 'mcts:sims={}' --values 100,1000 "
        "--against rule-of-thumb --pairs 100 --seed 15 --out runs/strength --write` measures a row anew, on the "
        "ruleset that is shipped then.\n\n" + "\n".join(parts)
    )


def depth_page() -> str:
    """How deep Hawaii, 1795 plays, from what experiments/depth.py has measured."""
    parts: list[str] = []
    results: list[dict[str, Any]] = []
    for path in sorted((FOLDER.parent / "experiments" / "results" / "depth").glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        results += [found] if found["scenario"] == "long" else []
        told = [key for key in ("rules", "again", "again_by", "values", "scenario") if found[key] not in UNTOLD]
        more = "".join(f" --{key.replace('_', '-')} {found[key]}".rstrip() for key in told)
        parts.append(
            f"## `{found['agent']}` on both sides, {found['scenario']} game, {found['ruleset']}\n\n"
            f"{found['games']} games, 95% intervals; a score counts a tie as half a win. `python experiments/depth.py "
            f"--agent {found['agent']} --games {found['games']}{more} --out runs/depth`\n\n"
            f"![When games end, what is known, luck and choice](../../experiments/results/depth/{path.stem}.png)\n"
            + "\n".join(depth_figures.depth_tables(found))
            + "\n"
        )
    terms = (depth_figures.__doc__ or "").split("\n\n", 1)[1]
    return (
        NOTE + "# How deep the game plays\n\nOne agent on both sides, and what comes of it: when games are decided and "
        "how, which plans open them, what is luck. `experiments/depth.py` measures it; these figures change with the "
        f"players' strength.\n\n{terms}\n"
        "## What was asked of the numbers\n\nIn bold what is met; a greatest plan is the most frequent opening of "
        "either side, known is what a month's start tells of the result. [The results]"
        "(../../experiments/RESULTS.md) say which aims exclude each other, and what the printed rules forbid.\n"
        + "\n".join(depth_figures.aims_table(results))
        + "\n\nOne network that is told its ruleset played 256 rulesets drawn from the levers `hawaii1795-late`, 32 "
        "games each, and twelve of the best again, 400 games each (rings): early ends, ties and the balance of sides "
        "can be had at once; occupation cannot, as that network plays.\n\n"
        "![Early ends against ties, occupation against balance](../../experiments/results/frontier.png)\n\n"
        + "\n".join(parts)
    )


PAGES: dict[str, Callable[[], str]] = {
    "benchmarks/ladder.md": ladder_page,
    "benchmarks/levels.md": levels_page,
    "benchmarks/puzzles.md": puzzles_page,
    "benchmarks/strength.md": strength_page,
    "benchmarks/depth.md": depth_page,
}
