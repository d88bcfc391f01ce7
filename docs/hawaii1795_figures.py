"""Generated pages on the strength and the depth of Hawaii, 1795, from the results that are committed."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import depth_figures
from page_parts import NOTE, note, table

from hawaii_env.arena.sprt import mean_interval
from hawaii_env.hawaii1795.spec import LEVELS

__all__ = ["PAGES"]

FOLDER = Path(__file__).resolve().parent
LADDER = FOLDER / "benchmarks" / "ladder.json"
ENOUGH = 400
"""Games of a pair of players from which on a cell of the ladder may be taken for more than a hint."""
SIDE_NAMES = {"kamehameha": "Kamehameha", "allied": "the Allies"}


def ladder_page() -> str:
    """The ladder, from the committed results of a tournament."""
    data = json.loads(LADDER.read_text(encoding="utf-8"))
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
    return (
        note("docs/benchmarks/ladder.json") + "# The "
        f"ladder\n\n{data['date']}, commit {data['commit']}, ruleset `{data['ruleset']}`, long game, "
        f"{ratings['games']} games in {ratings['pairings']} pairs of swapped sides. Elo with `{ratings['anchor']}` at "
        "0 and 95% intervals by pairs; a tie is half a win. [What the numbers mean](../ratings.md). Longer matches "
        f"and what failed: [results](../../experiments/RESULTS.md).\n\n```bash\n{data['command']}\n```\n\n"
        + table(["", "agent", "Elo", "95%", "score", "games"], ranks)
        + "\n## Who against whom\n\nScore of the row against the column, with its 95% interval, games taken "
        "as independent. "
        + (
            f"**A cell has {few} games, so its interval is up to {100 * most:.0f} points wide**: it tells strong from "
            "weak, and not which of two neighbours is the stronger. Single matches of hundreds of games are in [the "
            "results](../../experiments/RESULTS.md); where the two differ, those count.\n\n"
            if few < ENOUGH
            else f"A cell has {few} games or more, and its interval is up to {100 * most:.0f} points wide.\n\n"
        )
        + table(["", *order], cross)
        + f"\nTo play Kamehameha is worth {side['value']:.0f} Elo between equals ({side['low']:.0f} to "
        f"{side['high']:.0f}); "
        f"equals tie in {share(ratings['tie']['share']['value'])} of their games.\n"
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
    """Return the page of the puzzles and who solves them, from experiments/puzzles.toml and what puzzles.py scored."""
    puzzles = tomllib.loads((FOLDER.parent / "experiments" / "puzzles.toml").read_text(encoding="utf-8"))
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


def depth_page() -> str:
    """How deep Hawaii, 1795 plays, from what experiments/depth.py has measured."""
    parts: list[str] = []
    for path in sorted((FOLDER.parent / "experiments" / "results" / "depth").glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        more = f"--again {found['again']}" if found["again"] else ""
        parts.append(
            f"## `{found['agent']}` on both sides, {found['scenario']} game, {found['ruleset']}\n\n"
            f"{found['games']} games, 95% intervals; a score counts a tie as half a win. `python experiments/depth.py "
            f"--agent {found['agent']} --games {found['games']} {more}`\n\n"
            f"![When games end, what is known, luck and choice](../../experiments/results/depth/{path.stem}.png)\n"
            + "\n".join(depth_figures.depth_tables(found))
            + "\n"
        )
    terms = (depth_figures.__doc__ or "").split("\n\n", 1)[1]
    return (
        NOTE + "# How deep the game plays\n\nOne agent on both sides, and what comes of it: when games are decided and "
        "how, which plans open them, what is luck. `experiments/depth.py` measures it; these figures change with the "
        f"players' strength.\n\n{terms}\n" + "\n".join(parts)
    )


PAGES: dict[str, Callable[[], str]] = {
    "benchmarks/ladder.md": ladder_page,
    "benchmarks/levels.md": levels_page,
    "benchmarks/puzzles.md": puzzles_page,
    "benchmarks/depth.md": depth_page,
}
