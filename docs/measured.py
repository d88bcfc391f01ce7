"""Pages of measured strength, depth and balance, from the results that are committed."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import depth_figures
from machine import load_told, told
from tables import NOTE, percent, table

from hawaii_env import games
from hawaii_env.aloha.pictures.names import island_name
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.arena.sprt import mean_interval

__all__ = ["PAGES", "ladder_page"]

ROOT = Path(__file__).resolve().parent.parent
LADDER = ROOT / "docs" / "benchmarks" / "ladder.json"
ENOUGH = 400
"""Games of a pair of players from which on a cell of the ladder says more than a hint."""


def read(name: str) -> Any:
    """Return the content of a JSON file of docs/benchmarks."""
    return json.loads((ROOT / "docs" / "benchmarks" / name).read_text(encoding="utf-8"))


def elo_interval(row: dict[str, Any]) -> str:
    """Return the interval of a rating, or "-" for the anchor."""
    return f"{row['low']:.0f} to {row['high']:.0f}" if row["low"] != row["high"] else "-"


def ladder_page() -> str:
    """Return the ladders of *Hawaii, 1795*, one a ruleset."""
    ladders = json.loads(LADDER.read_text(encoding="utf-8"))
    return (
        f"{NOTE}# The ladder: Elo of the agents of Hawaii, 1795\n\nLong game, pairs of swapped sides. Elo with "
        "`random` "
        "at 0 and 95% intervals by pairs; a tie is half a win. [What the numbers mean](../ratings.md), [findings]"
        "(../findings/strength.md).\n" + "".join(map(_ladder, ladders))
    )


def _ladder(data: dict[str, Any]) -> str:
    ratings, side = data["ratings"], data["ratings"]["side"]
    order = [row["player"] for row in ratings["table"]]
    cells = {(cell["player"], cell["other"]): cell for cell in ratings["cross"]}
    ends = {
        key: mean_interval([1.0] * cell["wins"] + [0.5] * cell["ties"] + [0.0] * cell["losses"])[1:]
        for key, cell in cells.items()
    }
    met = {key: f"{percent(cells[key]['score'])} ({100 * a:.0f}-{100 * b:.0f})" for key, (a, b) in ends.items()}
    few, most = min(cell["games"] for cell in cells.values()), max(high - low for low, high in ends.values())
    width = (
        f"**A cell has {few} games, so its interval is up to {100 * most:.0f} points wide**: it tells strong from "
        "weak, "
        "not which of two neighbours is stronger."
        if few < ENOUGH
        else f"A cell has {few} games or more, and its interval is up to {100 * most:.0f} points wide."
    )
    ranks = table(
        ["", "agent", "Elo", "95%", "score", "games"],
        (
            [place, row["player"], f"{row['elo']:.0f}", elo_interval(row), percent(row["score"]), row["games"]]
            for place, row in enumerate(ratings["table"], 1)
        ),
    )
    return (
        f"\n## `{data['ruleset']}`\n\n{data['date']}, commit {data['commit']}, {ratings['games']} games in "
        f"{ratings['pairings']} pairs.\n\n```bash\n{data['command']}\n```\n\n{ranks}\nScore of the row against the "
        f"column, with its 95% interval, games taken as independent. {width}\n\n"
        + table(["", *order], ([one, *(met.get((one, other), "-") for other in order)] for one in order))
        + f"\nTo play Kamehameha is worth {side['value']:.0f} Elo between equals ({side['low']:.0f} to "
        f"{side['high']:.0f}); equals tie in {percent(ratings['tie']['share']['value'])} of their games.\n"
        + "".join(f"\n- {warning}\n" for warning in ratings["warnings"])
    )


def levels_page() -> str:
    """Return the page of the browser's levels, from what experiments/levels.py has measured."""
    found, levels = read("levels.json"), games.find("hawaii1795").levels

    def cells(level: Any) -> list[str]:
        texts: list[str] = []
        for scenario, matches in found["matches"].items():
            agents = [one.agent_for({"scenario": scenario}) for one in levels]
            match = next((one for one in matches if one["level"] == level.number), None)
            if match and [match["against"], match["agent"]] != agents[level.number - 2 : level.number]:
                raise SystemExit("docs/benchmarks/levels.json is of other levels: python experiments/levels.py --write")
            score = f"{percent(match['score'], match['interval'], 0)}, {match['games']} games" if match else "-"
            texts += [f"`{agents[level.number - 1]}`", score]
        return texts

    head = (
        f"{what}, {scenario} game" for scenario in found["matches"] for what in ("agent", "against the level below")
    )
    return (
        f"{NOTE}# Levels of the computer in the browser\n\nWhich agent plays at each level of [`hawaii serve`]"
        "(../play.md), and its score against the level below: a tie is half a win, sides swapped, 95% intervals, "
        "ruleset "
        f"{found['ruleset']}. `python experiments/levels.py` measures them.\n\n"
        + (found["note"] + "\n\n" if "note" in found else "")
        + table(
            ["level", "name", "what it is like", *head],
            ([level.number, level.name, level.about, *cells(level)] for level in levels),
        )
    )


def puzzles_page() -> str:
    """Return the page of the puzzles and of the agents that solve them, as experiments/puzzles.py scored them."""
    file = ROOT / "experiments" / "configs" / "puzzles" / "hawaii1795.toml"
    puzzles, found = tomllib.loads(file.read_text(encoding="utf-8")), read("puzzles.json")
    bound, losses = found["solved"], found["losses"]
    kinds = {one["name"]: one["kind"] for one in puzzles["puzzle"]}
    if any(set(of) - set(kinds) for of in losses.values()):
        raise SystemExit("docs/benchmarks/puzzles.json is of others: python experiments/puzzles.py score --write")
    names = {"kamehameha": "Kamehameha", "allied": "the Allies"}
    played = [name for name in kinds if all(name in of for of in losses.values())]
    counts = Counter(kinds[name] for name in played)
    solved = {agent: Counter(kinds[name] for name in played if of[name] <= bound) for agent, of in losses.items()}
    return (
        f"{NOTE}# Puzzles: positions with proved best play\n\n{len(kinds)} positions, written by hand or met in "
        "battles "
        f"written by hand, of which the best play is proved (ruleset {puzzles['rules']}): find the landing, keep the "
        "ring "
        "of spaces open, know when to risk the king, choose in a battle. A share is Kamehameha's part of the game, 1 "
        "won, "
        "1/2 tied, 0 lost, with best play of both sides after the player's plan. An agent plays until chance or the "
        "enemy "
        f"decides, {found['seeds']} times; its loss is what it gives away of the best share on average, and up to "
        f"{bound} "
        "counts as solved. `python experiments/puzzles.py score` lets any agent play them. All agents below have "
        "played "
        f"{len(played)} of the {len(kinds)}.\n\n"
        + table(
            ["agent", *(f"{kind} ({count})" for kind, count in counts.items()), f"all ({len(played)})", "mean loss"],
            (
                [
                    f"`{agent}`", *(solved[agent][kind] for kind in counts), solved[agent].total(),
                    f"{sum(of[name] for name in played) / len(played):.3f}",
                ]
                for agent, of in losses.items()
            ),
        )
        + "\n## The puzzles\n\nKamehameha's share after the best and the worst that the player can do, and how many of "
        "those agents solve it:\n\n"
        + table(
            ["puzzle", "kind", "to play", "best", "worst", "solved by"],
            (
                [
                    one["name"], one["kind"],
                    names[one["position"].get("decider", one["position"]["half"])],
                    f"{one['best']:.3f}", f"{one['worst']:.3f}",
                    sum(of[one["name"]] <= bound for of in losses.values()) if one["name"] in played else "not played",
                ]
                for one in puzzles["puzzle"]
            ),
        )
    )  # fmt: skip


def strength_page() -> str:
    """Return how strong agents are by their budget, from what experiments/strength.py has measured."""
    points = read("strength.json")
    parts: dict[str, list[list[object]]] = {}
    for p in points:
        parts.setdefault(f"## Against `{p['against']}`, {p['scenario']} game, {p['ruleset']}", []).append(
            [
                f"`{p['agent']}`", p["games"], "{:.1%} ({:.1%} to {:.1%})".format(p["score"], *p["interval"]),
                ", ".join(f"{share:.0%}" for share in p["by_side"].values()), f"{p['ties']:.0%}",
                f"{1000 * p['seconds_a_decision']:.1f}", p["seed"],
            ]
        )  # fmt: skip
    head = ["agent", "games", "score, 95%", "as Kamehameha, as the Allies", "ties", "ms a decision", "seed"]
    return (
        f"{NOTE}# Strength by budget (simulations, rollouts, milliseconds)\n\nMatches with sides swapped, a tie half a "
        "win, intervals by pairs. Milliseconds are wall-clock time on the machine of the match, other processes "
        "included; agents limited by simulations do not depend on it. [Findings](../findings/strength.md). `python "
        "experiments/strength.py --agent 'mcts:sims={}' --values 100,1000 --against rule-of-thumb --pairs 100 --seed "
        "15 "
        "--out runs/strength --write` measures a row again, on the ruleset that is shipped then.\n\n"
        + "\n".join(f"{title}\n\n{table(head, rows)}" for title, rows in parts.items())
    )


def depth_page() -> str:
    """Return how deep *Hawaii, 1795* plays, from what experiments/depth.py has measured."""
    results = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "experiments" / "results" / "depth").glob("*.json"))
    }
    defaults = {"rules": None, "again": 0, "again_by": None, "values": None, "scenario": "long"}
    parts: list[str] = []
    for name, found in results.items():
        given = [key for key, default in defaults.items() if found[key] not in (default, None)]
        more = "".join(f" --{key.replace('_', '-')} {found[key]}".rstrip() for key in given)
        parts.append(
            f"## `{found['agent']}` on both sides, {found['scenario']} game, {found['ruleset']}\n\n{found['games']} "
            "games, "
            f"95% intervals; a score counts a tie as half a win. `python experiments/depth.py --agent {found['agent']} "
            f"--games {found['games']}{more} --out runs/depth`\n\n![When games end, what is known, luck and choice]"
            f"(../../experiments/results/depth/{name}.png)\n" + "\n".join(depth_figures.depth_tables(found)) + "\n"
        )
    terms = (depth_figures.__doc__ or "").split("\n\n", 1)[1]
    return (
        f"{NOTE}# How deep the game plays: measured\n\nOne agent plays both sides: when games are decided and how, "
        "which "
        "plans open them, what is luck. `experiments/depth.py` measures it; the figures change with the players' "
        "strength. "
        f"[What follows from them](../findings/depth.md).\n\n{terms}\n"
        "## Aims\n\nIn bold what is met. A greatest plan is the most frequent opening of either side; known is what a "
        "month's start says of the result.\n"
        + "\n".join(depth_figures.aims_table([one for one in results.values() if one["scenario"] == "long"]))
        + "\n\n"
        + "\n".join(parts)
    )


# ---- Heiau Diplomacy


def of(share: dict[str, float]) -> str:
    """Return a share with its interval, without decimals."""
    return f"{share['share']:.0%} ({share['low']:.0%} to {share['high']:.0%})"


def _heiau_ladder(name: str, one: dict[str, Any]) -> str:
    return (
        f"### {one['players']} players: {name}\n\n{one['games']} games; equals would have {1 / one['players']:.0%} "
        "each.\n\n"
        + table(
            ["agent", "seats played", "share of the victory", *(f"as {power}" for power in one["powers"])],
            (
                [agent, row["games"], of(row), *("-" if share is None else f"{share:.0%}" for share in row["by_power"])]
                for agent, row in sorted(one["agents"].items(), key=lambda entry: -entry[1]["share"])
            ),
        )
    )


def _heiau_balance(found: dict[str, Any]) -> str:
    default = games.find("heiau").option("last_year").default
    years = [year for one in found["scenarios"].values() for year in one["years"]]
    later = {name: sum(y > default for y in one["years"]) / one["games"] for name, one in found["scenarios"].items()}
    much = ", ".join(f"`{name}` ({share:.0%} of its games)" for name, share in later.items() if share > 0.05)
    lasts = (5, 10, 15, 20, 30)
    return (
        table(
            ["scenario", "all play as", "games", "share of each power", *(f"won by year {y}" for y in lasts), "drawn"],
            (
                [
                    f"`{name}`", one["agent"] + (", compiled" if one["compiled"] else ""), one["games"],
                    "; ".join(f"{power} {of(share)}" for power, share in
                        zip(one["powers"], one["shares"], strict=True)),
                    *(f"{sum(year <= last for year in one['years']) / one['games']:.0%}" for last in lasts),
                    f"{one['draws']:.0%}",
                ]
                for name, one in found["scenarios"].items()
            ),
        )
        + f"\nOf the {len(years)} games above that somebody won within {found['last_year']} years, "
        f"{sum(year <= default for year in years) / len(years):.1%} were won by year {default}, the default "
        "`last_year`. "
        f"More years would decide much more in {much or 'no scenario'} alone.\n"
    )  # fmt: skip


def heiau_page() -> str:
    """Return ladders, matches and balance of Heiau Diplomacy, and its adjudicator beside other libraries."""
    found = json.loads((ROOT / "experiments" / "results" / "heiau.json").read_text(encoding="utf-8"))
    if {found[part]["ruleset"] for part in ("balance", "balance-quick")} != {games.load_game("heiau").ruleset_name}:
        raise SystemExit("experiments/results/heiau.json is of another map: heiau_matches.py balance --write")
    matches = sorted(found["against"].values(), key=lambda one: (one["agent"], one["others"], len(one["powers"])))
    return (
        f"{NOTE}# Heiau Diplomacy: strength, balance, adjudication\n\nShares of the victory with 95% intervals, map "
        f"`{found['balance']['ruleset']}`. `python experiments/heiau_matches.py` measures them. [Findings]"
        "(../findings/strength.md#heiau-diplomacy).\n\n## Ladders\n\nEvery agent plays every seat equally often. "
        "`greedy` "
        "is `heiau-greedy`, `full` `heiau-best-response` as shipped, `quick` the same with few samples and without "
        "trying "
        "other orders at the end, `sight` without playing on at all.\n\n"
        + "\n".join(_heiau_ladder(*one) for one in sorted(found["ladder"].items(), key=lambda one: one[1]["players"]))
        + "\n## One among others\n\nOne agent in one seat, the other in all others, every seat equally often.\n\n"
        + table(
            ["agent", "all others", "scenario (players)", "games", "share", "of equals", "by power", "drawn"],
            (
                [
                    f"`{one['agent']}`", f"`{one['others']}`", f"{one['scenario']} ({len(one['powers'])})",
                    one["games"], of(one), f"{1 / len(one['powers']):.0%}",
                    ", ".join(f"{p} {s['share']:.0%}" for p, s in zip(one["powers"], one["by_power"], strict=True)),
                    f"{one['draws']:.0%}",
                ]
                for one in matches
            ),
        )
        + "\n## Balance\n\nAll powers play alike. In compiled games retreats, builds and removals take the nearest "
        "space. "
        f"The last year is {found['balance']['last_year']}; games that nobody has won by then are drawn. Ten games "
        "show "
        f"extremes only.\n\n{_heiau_balance(found['balance'])}\n![What each power gets, and when games end]"
        "(../../experiments/results/heiau.png)\n\n### Between quick players\n\nThe same for `quick`, which is no "
        "weaker "
        "with three, five and six players, and fast: more games, and narrower intervals.\n\n"
        f"{_heiau_balance(found['balance-quick'])}\n## Adjudication beside other libraries\n\n{_adjudication()}"
    )  # fmt: skip


def _adjudication() -> str:
    found = read("adjudication.json")
    return (
        f"{told(found['machine'])} {load_told(found['machine'])} `python experiments/bench_adjudication.py`: "
        f"{found['phases']} movement phases of {found['units']:.1f} armies and fleets on the standard board, the same "
        f"orders for all, {found['rounds']} rounds in turn, least microseconds of CPU time a phase; beside "
        + " and ".join(f"`{name}` {version}" for name, version in found["versions"].items())
        + "."
        + "".join(f" **Missing: {name}.**" for name in found["missing"])
        + " `arrays` is `adjudicate_many`, `mappings` is `adjudicate`, both unchecked; `_resolve_moves` is a part of "
        "`process` that is not called alone.\n\n"
        + table(
            ["measure", "what it does", "microseconds", "of ours", "aim"],
            (
                [
                    f"`{name}`", {"ready": "orders ready", "texts": "from a player's texts"}[one["comparison"]],
                    f"{one['microseconds']:.1f}",
                    "; ".join(f"{r:.1f} times {own.partition(', ')[2]}" for own, r in one["ratios"].items())
                    if one["target"] else "-",
                    "-" if one["target"] is None else f"{one['target']:.0f} times",
                ]
                for name, one in found["measures"].items()
            ),
        )
    )  # fmt: skip


# ---- ALOHA

ORDINALS = ("first", "second", "third", "fourth")


def _by_players(name: str, found: list[dict[str, Any]], rows: list[tuple[str, Callable[[dict[str, Any]], str]]]) -> str:
    """Return a table with a column for each number of players."""
    return table(
        [name, *(f"{row['players']} players" for row in found)],
        ([label, *(cell(row) for row in found)] for label, cell in rows),
    )


def aloha_page() -> str:
    """Return strength and balance of ALOHA."""
    data, balance = read("aloha-strength.json"), read("aloha-balance.json")
    found, control, rules = balance["balance"], balance["control"], Ruleset.load()
    agents = games.load_game("aloha", players=4).agents

    def at(kind: str, place: int) -> Callable[[dict[str, Any]], str]:
        def cell(row: dict[str, Any]) -> str:
            found = row[kind][place] if place < row["players"] else None
            return percent(found["share"], found["interval"]) if found else "-"

        return cell

    def island(name: str) -> Callable[[dict[str, Any]], str]:
        return lambda row: (
            f"{percent(row['islands'][name]['share'])}, {100 * row['islands'][name]['first_choice']:.0f}%"
        )

    def source(name: str) -> Callable[[dict[str, Any]], str]:
        return lambda row: percent(row["sources"][name])

    return (
        f"{NOTE}# ALOHA: strength and balance\n\n## Strength\n\nRuleset `{data['ruleset']}`, `python "
        "experiments/aloha_strength.py`. One agent against others that are all alike, in all seats equally often: its "
        "share of the victory with a 95% interval by meetings, and the multiple of the fair share. [Findings]"
        "(../findings/strength.md#aloha).\n\n"
        + table(
            ["agent", "against", "games", "share", "times fair"],
            (
                [
                    f"`{row['agent']}`", f"{row['players'] - 1} x `{row['against']}`", row["games"],
                    percent(row["share"], row["interval"]), f"{row['times_fair']:.2f}",
                ]
                for row in [*data["matches"], *data["policy"]]
            ),
        )
        + "\nThe levels of `hawaii serve --game aloha`, two players:\n\n"
        + table(
            ["level", "agent", "against", "games", "share"],
            (
                [
                    f"{row['level']} {row['name']}", f"`{row['agent']}`", row["below"], row["games"],
                    percent(row["share"], row["interval"]),
                ]
                for row in data["levels"]
            ),
        )
        + "\nRatings by places, Elo with `random` at 0 ([what they mean](../ratings.md)):\n\n"
        + table(
            ["players", "agent", "Elo", "95%", "share of the victory", "games"],
            (
                [one["players"], f"`{row['player']}`", f"{row['elo']:.0f}", elo_interval(row), percent(row["score"]),
                 row["games"]]
                for one in data["ladders"]
                for row in one["ratings"]["table"]
            ),
        )
        + f"\n## Balance\n\nRuleset `{balance['ruleset']}`, one agent in all seats, "
        + ", ".join(f"{row['games']} games of {row['players']} (`{row['agent']}`)" for row in found)
        + ": `python experiments/calibrate_aloha.py`. Share of the victory by seat, with 95% intervals. By the rules "
        "no "
        "seat is better than another: chance chooses who begins the Prologue. [What was tried]"
        "(../findings/balance.md#aloha).\n\n"
        + _by_players("seat", found, [(f"`{agent}`", at("seats", i)) for i, agent in enumerate(agents)])
        + "\nBy place in the order of the Prologue, which chance gives:\n\n"
        + _by_players("place", found, [(name, at("places", i)) for i, name in enumerate(ORDINALS)])
        + f"\nThe control, `{control[0]['agent']}` in all seats: the place in the order counts if the Prologue is "
        "played to "
        "win, not if it is played at random.\n\n"
        + table(
            ["players", "Prologue", "games", *ORDINALS],
            (
                [row["players"], row["prologue"], row["games"], *(at("places", i)(row) for i in range(len(ORDINALS)))]
                for row in control
            ),
        )
        + "\n![Balance](aloha-balance.png)\n\nBy island settled on: share of the victory, and how often the first to "
        "settle "
        "chooses it:\n\n"
        + _by_players("island", found, [(island_name(rules, name), island(name)) for name in found[0]["islands"]])
        + "\nShare of all points by source:\n\n"
        + _by_players("source", found, [(name, source(name)) for name in found[0]["sources"]])
    )  # fmt: skip


PAGES: dict[str, Callable[[], str]] = {
    "benchmarks/ladder.md": ladder_page,
    "benchmarks/levels.md": levels_page,
    "benchmarks/puzzles.md": puzzles_page,
    "benchmarks/strength.md": strength_page,
    "benchmarks/depth.md": depth_page,
    "benchmarks/heiau.md": heiau_page,
    "benchmarks/aloha.md": aloha_page,
}
