"""Pages of measured strength, depth and balance, from the results that are committed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from calibrate import aims_table, read_study
from calibration import hawaii1795 as depth
from tables import NOTE, percent, table

from hawaii_env import games
from hawaii_env.aloha.pictures.names import island_name
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.arena.payoffs import Goodness, NashAverage, goodness_of_fit, nash_average
from hawaii_env.arena.plackett_luce import chances_of
from hawaii_env.arena.sprt import mean_interval
from hawaii_env.benchmark.suites import load_suite
from hawaii_env.exact.games import EXACT_GAMES

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
        f"{NOTE}# The ladder: the agents of Hawaii, 1795\n\nLong game, pairs of swapped sides. Elo with "
        "`random` at 0 and 95% intervals by pairs; a tie is half a win. [How to read them](../ratings.md), "
        "[findings]"
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
        f"**A cell has {few} games, so its interval is up to {100 * most:.0f} points wide**: the table separates "
        "strong agents from weak ones, but not neighbours."
        if few < ENOUGH
        else f"A cell has {few} games or more, and its interval is up to {100 * most:.0f} points wide."
    )
    goodness, nash = _scores_of(ratings)
    elo = goodness.fits
    ranks = table(
        ["", "agent", *["Elo", "95%"] * elo, "score", "share of the Nash mixture", "score against it", "games"],
        (
            [
                place, row["player"], *[f"{row['elo']:.0f}", elo_interval(row)] * elo, percent(row["score"]),
                percent(nash.mass[place - 1]), percent(nash.score[place - 1]), row["games"],
            ]
            for place, row in enumerate(ratings["table"], 1)
        ),
    )  # fmt: skip
    words = f"Ratings against scores: {goodness}" + (
        "." if elo else ", more than 1.5 a degree: one number a player does not describe them, so there is no Elo."
    )
    return (
        f"\n## `{data['ruleset']}`\n\n{data['date']}, commit {data['commit']}, {ratings['games']} games in "
        f"{ratings['pairings']} pairs.\n\n```bash\n{data['command']}\n```\n\n{ranks}\n{words}\n\nScore of the row "
        f"against the column, with its 95% interval, games taken as independent. {width}\n\n"
        + table(["", *order], ([one, *(met.get((one, other), "-") for other in order)] for one in order))
        + f"\nPlaying Kamehameha is worth {side['value']:.0f} Elo between equals ({side['low']:.0f} to "
        f"{side['high']:.0f}); equals tie in {percent(ratings['tie']['share']['value'])} of their games.\n"
        + "".join(f"\n- {warning}\n" for warning in ratings["warnings"])
    )


def _scores_of(ratings: dict[str, Any]) -> tuple[Goodness, NashAverage]:
    """Return how well a ladder's ratings describe its scores, over both seats, and the Nash average."""
    elo, nu = {row["player"]: row["elo"] for row in ratings["table"]}, ratings["tie"]["nu"]["value"]
    tie = {row["player"]: row.get("tie", 1.0) for row in ratings["table"]}

    def chances(a: str, b: str) -> tuple[float, float, float]:
        return chances_of(elo[a] - elo[b], nu * tie[a] * tie[b])

    cells = {(one["player"], one["other"]): one for one in ratings["cross"]}
    counts = [(key, (one["wins"], one["ties"], one["losses"])) for key, one in cells.items() if key[0] < key[1]]
    scores = np.array([[0.5 if a == b else cells[a, b]["score"] for b in elo] for a in elo])
    return goodness_of_fit(counts, chances, len(elo) - 1), nash_average(scores)


def exact_page() -> str:
    """Return the page of exploitability in the solved games, from what ``hawaii exact --out`` wrote."""
    text = f"{NOTE}# Exploitability in the solved games\n\n[What the figures mean](../exact.md).\n"
    for name, game in EXACT_GAMES.items():
        data = read(f"exact-{name}.json")
        rows = (
            [
                f"`{row['agent']}`",
                *([f"{lost:.4f}" for lost in (*row["seats"], sum(row["seats"]) / 2)] if "seats" in row else
                  ["-", "-", f"at least {row['least']:.3f} ± {row['half']:.3f}"]),
                f"{row['games']} games" if "games" in row else f"{row['samples']} draws" if row["samples"] else "exact",
            ]
            for row in data["agents"]
        )  # fmt: skip
        text += (
            f"\n## `{name}`\n\n{game.about[0].upper()}{game.about[1:]}. Ruleset `{data['ruleset']}`: "
            f"{data['positions']:,} positions, solved in {data['seconds']:.0f} s; value for player 0: "
            f"{data['value']:.6f}.\n\n" + table(["agent", "as player 0", "as player 1", "mean", "how"], rows)
        )
    return text


def levels_page() -> str:
    """Return the page of the browser's levels, from the study hawaii1795-levels of experiments/matches.py."""
    rows, levels = read("levels.json")["matches"], games.find("hawaii1795").levels
    scenarios = list(dict.fromkeys(row["options"]["scenario"] for row in rows))

    def cells(level: Any) -> list[str]:
        texts: list[str] = []
        for scenario in scenarios:
            options = {"scenario": scenario}
            agents = [one.agent_for(options) for one in levels]
            match = next((one for one in rows if (one["options"], one["level"]) == (options, level.number)), None)
            if match and [match["against"], match["agent"]] != agents[level.number - 2 : level.number]:
                raise SystemExit("docs/benchmarks/levels.json is of other levels: matches.py hawaii1795-levels --write")
            share = f"{percent(match['share'], match['interval'], 0)}, {match['games']} games" if match else "-"
            texts += [f"`{agents[level.number - 1]}`", share]
        return texts

    head = (f"{what}, {scenario} game" for scenario in scenarios for what in ("agent", "against the level below"))
    return (
        f"{NOTE}# Levels of the computer in the browser\n\nThe agent that plays at each level of [`hawaii "
        "serve`](../play.md), and its score against the level below: a tie is half a win, sides swapped, 95% "
        f"intervals, ruleset {rows[0]['ruleset']}. `python experiments/matches.py hawaii1795-levels` measures them.\n\n"
        + table(
            ["level", "name", "what it is like", *head],
            ([level.number, level.name, level.about, *cells(level)] for level in levels),
        )
    )


def puzzles_page() -> str:
    """Return the page of the puzzles and of the agents that solve them, as experiments/puzzles.py scored them."""
    suite, found = load_suite("puzzles"), read("puzzles.json")
    bound, losses = found["solved"], found["losses"]
    kinds = {one.name: one.kind for one in suite.puzzle}
    if any(set(of) - set(kinds) for of in losses.values()):
        raise SystemExit("docs/benchmarks/puzzles.json is of others: python experiments/puzzles.py score --write")
    names = {"kamehameha": "Kamehameha", "allied": "the Allies"}
    played = [name for name in kinds if all(name in of for of in losses.values())]
    counts = Counter(kinds[name] for name in played)
    solved = {agent: Counter(kinds[name] for name in played if of[name] <= bound) for agent, of in losses.items()}
    return (
        f"{NOTE}# Puzzles: positions with proved best play\n\n{len(kinds)} positions, written by hand or taken from "
        f"battles written by hand, with proved best play (ruleset {suite.rules}): find the landing, "
        "keep the ring of spaces open, know when to risk the king, choose in a battle. A share is Kamehameha's result "
        "(1 won, 1/2 tied, 0 lost) if both sides play best after the player's plan. An agent plays until chance or "
        f"the enemy decides, {found['seeds']} times; its loss is its mean distance from the best share, and a loss of "
        f"up to {bound} counts as solved. `python experiments/puzzles.py score` runs any agent on them. All agents "
        f"below have played {len(played)} of the {len(kinds)}.\n\n"
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
        + "\n## The puzzles\n\nKamehameha's share after the best and the worst plan of the player, and the number of "
        "agents above that solve the puzzle:\n\n"
        + table(
            ["puzzle", "kind", "to play", "best", "worst", "solved by"],
            (
                [
                    one.name, one.kind, names[one.position.get("decider", one.position["half"])],
                    f"{one.best:.3f}", f"{one.worst:.3f}",
                    sum(of[one.name] <= bound for of in losses.values()) if one.name in played else "not played",
                ]
                for one in suite.puzzle
            ),
        )
    )  # fmt: skip


def strength_page() -> str:
    """Return how strong agents are by their budget, from the study hawaii1795-strength of experiments/matches.py."""
    parts: dict[str, list[list[object]]] = {}
    for p in read("strength.json")["matches"]:
        parts.setdefault(f"## Against `{p['against']}`, {p['options']['scenario']} game, {p['ruleset']}", []).append(
            [
                f"`{p['agent']}`", p["games"], "{:.1%} ({:.1%} to {:.1%})".format(p["share"], *p["interval"]),
                ", ".join(f"{share:.0%}" for share in p["by_seat"]), f"{p['ties']:.0%}",
                f"{1000 * p['seconds_a_decision']:.1f}", p["seed"],
            ]
        )  # fmt: skip
    head = ["agent", "games", "score, 95%", "as Kamehameha, as the Allies", "ties", "ms a decision", "seed"]
    return (
        f"{NOTE}# Strength by budget (simulations, rollouts, milliseconds)\n\nMatches with sides swapped; a tie counts "
        "as half a win, and intervals are by pairs of games. Milliseconds are wall-clock time on the machine of the "
        "match, on which other processes ran; agents limited by simulations do not depend on it. "
        "[Findings](../findings/strength.md). `python "
        "experiments/matches.py hawaii1795-strength --write` measures the rows again, on the shipped ruleset.\n\n"
        + "\n".join(f"{title}\n\n{table(head, rows)}" for title, rows in parts.items())
    )


def calibrated(name: str) -> list[dict[str, Any]]:
    """Return the committed results of a study of experiments/calibrate.py."""
    return json.loads((ROOT / read_study(name)["results"]).read_text(encoding="utf-8"))


def depth_page() -> str:
    """Return how deep *Hawaii, 1795* plays, from the study hawaii1795-depth of experiments/calibrate.py."""
    study, results = read_study("hawaii1795-depth"), calibrated("hawaii1795-depth")
    aims = [
        {"name": f"`{one['agent']}`, {one['ruleset']}", "figures": {k: one["figures"].get(k) for k in study["aims"]}}
        for one in results
        if one["options"]["scenario"] == "long"
    ]
    commands = {
        one["name"]: f" `python experiments/calibrate.py hawaii1795-depth --only {one['name']}`"
        for one in study["part"]
    }
    parts = [
        f"## `{one['agent']}` on both sides, {one['options']['scenario']} game, {one['ruleset']}\n\n{one['games']} "
        f"games, 95% intervals; a score counts a tie as half a win.{commands.get(one['name'], '')}\n\n![When games "
        "end, what is known, luck and "
        f"choice](../../experiments/results/depth/{one['name']}.png)\n\n{depth.tables(one)}"
        for one in results
    ]
    terms = (depth.__doc__ or "").split("\n\n", 1)[1]
    return (
        f"{NOTE}# Depth of play: measurements\n\nOne agent plays both sides. The tables show when and how games are "
        "decided, which plans open them, and how much is luck. `experiments/calibrate.py` measures this; the figures "
        f"depend on the players' strength. [Conclusions](../findings/depth.md).\n\n{terms}\n## Targets\n\nFigures in "
        "bold meet their target. The greatest plan is the most frequent opening of either side; *known* is the share "
        f"of the result that the position at a month's start explains.\n\n{aims_table(study, aims)}\n"
        + "\n".join(parts)
        + _decisiveness()
    )


def _decisiveness() -> str:
    """Return how much the decisions of a game matter, from the study decisiveness of experiments/matches.py."""
    rows: list[list[object]] = []
    for one in read("decisiveness.json")["matches"]:
        spec, players = games.find(one.get("game", games.DEFAULT)), len(one["seats"])
        ends = [percent(share, digits=0) for share in one["interval"]]
        score = percent(one["share"], digits=0)
        kind = ", ".join(f"{key} {value}" for key, value in one["options"].items())
        rows.append(
            [
                spec.title,
                kind,
                f"`{one['against']}`",
                one["games"],
                percent(1 / players, digits=0),
                score,
                " to ".join(ends),
            ]
        )
    head = ["game", "kind", "agent", "games", "an equal", "one fifth at random", "95%"]
    return (
        "\n## Decisiveness: one fifth of the decisions at random\n\nThe share of the victory of an agent that takes "
        "one fifth of its decisions at random, in each seat equally often, while its like without such slips takes "
        "the other seats. The further below an equal's share, the more decisions matter. `python "
        f"experiments/matches.py decisiveness` measures it.\n\n{table(head, rows)}"
    )


# ---- Heiau Diplomacy


def _powers(row: dict[str, Any]) -> list[str]:
    return [seat.partition("_")[0] for seat in row["seats"]]


def _heiau_ladder(one: dict[str, Any]) -> str:
    count = len(one["seats"])
    return (
        f"### {count} players: {one['options']['scenario']}\n\n{one['games']} games; equal players would have "
        f"{1 / count:.0%} "
        "each.\n\n"
        + table(
            ["agent", "seats played", "share of the victory", *(f"as {power}" for power in _powers(one))],
            (
                [
                    agent, row["games"], percent(row["share"], row["interval"], 0),
                    *("-" if share is None else f"{share:.0%}" for share in row["by_seat"]),
                ]
                for agent, row in sorted(one["standings"].items(), key=lambda entry: -entry[1]["share"])
            ),
        )
    )  # fmt: skip


def _heiau_balance(found: list[dict[str, Any]]) -> str:
    default, last = games.find("heiau").option("last_year").default, found[0]["options"]["last_year"]
    years = [year for one in found for year in one["years"]]
    later = {one["options"]["scenario"]: sum(y > default for y in one["years"]) / one["games"] for one in found}
    much = ", ".join(f"`{name}` ({share:.0%} of its games)" for name, share in later.items() if share > 0.05)
    ends = (5, 10, 15, 20, 30)
    return (
        table(
            ["scenario", "all play as", "games", "share of each power", *(f"won by year {y}" for y in ends), "drawn"],
            (
                [
                    f"`{one['options']['scenario']}`",
                    one["name"].partition(",")[0] + (", compiled" if one["settings"] else ""), one["games"],
                    "; ".join(
                        f"{agent.partition('_')[0]} {percent(seat['share'], seat['interval'], 0)}"
                        for agent, seat in zip(one["agents"], one["seats"], strict=True)
                    ),
                    *(f"{sum(year <= end for year in one['years']) / one['games']:.0%}" for end in ends),
                    f"{one['ties']['share']:.0%}",
                ]
                for one in found
            ),
        )
        + f"\nOf the {len(years)} games above that had a winner within {last} years, "
        f"{sum(year <= default for year in years) / len(years):.1%} were won by year {default}, the default "
        f"`last_year`. With more years, many more games would be decided only in {much or 'no scenario'}.\n"
    )  # fmt: skip


def heiau_page() -> str:
    """Return ladders, matches and balance of Heiau Diplomacy, and its adjudicator beside other libraries."""
    found, ruleset = calibrated("heiau"), games.load_game("heiau").ruleset_name
    if {one["ruleset"] for one in found} != {ruleset}:
        raise SystemExit("the results of heiau are of another map: python experiments/calibrate.py heiau --write")
    full, quick = ([one for one in found if one["name"].startswith(name)] for name in ("full", "quick"))
    strength = read("heiau-strength.json")
    matches = sorted(strength["matches"], key=lambda one: (one["agent"], one["against"], len(one["seats"])))
    return (
        f"{NOTE}# Heiau Diplomacy: strength, balance, adjudication\n\nShares of the victory with 95% intervals, map "
        f"`{ruleset}`. `python experiments/matches.py heiau` and `calibrate.py heiau` measure them. "
        "[Findings](../findings/strength.md#heiau-diplomacy).\n\n## Ladders\n\nEvery agent plays every seat equally "
        "often. `greedy` is `heiau-greedy`. `full` is `heiau-best-response` as shipped, `quick` the same with few "
        "samples and without the final improvement of orders, and `sight` the same without rollouts.\n\n"
        + "\n".join(map(_heiau_ladder, sorted(strength["ladders"], key=lambda one: len(one["seats"]))))
        + "\n## One among others\n\nOne agent in one seat, the other in all others, every seat equally often.\n\n"
        + table(
            ["agent", "all others", "scenario (players)", "games", "share", "of equals", "by power", "drawn"],
            (
                [
                    f"`{one['agent']}`", f"`{one['against']}`",
                    f"{one['options']['scenario']} ({len(one['seats'])})", one["games"],
                    percent(one["share"], one["interval"], 0), f"{1 / len(one['seats']):.0%}",
                    ", ".join(f"{p} {share:.0%}" for p, share in zip(_powers(one), one["by_seat"], strict=True)),
                    f"{one['ties']:.0%}",
                ]
                for one in matches
            ),
        )
        + "\n## Balance\n\nThe same agent plays all powers. In compiled games retreats, builds and removals take the "
        "nearest "
        f"space. The last year is {full[0]['options']['last_year']}; games without a winner by then are drawn. Ten "
        f"games show only extreme imbalance.\n\n{_heiau_balance(full)}\n![Share of each power, and when games "
        "end](../../experiments/results/heiau.png)\n\n### Between quick players\n\nThe same for `quick`, which is not "
        "weaker with three, five and six players, and faster, so there are more games and narrower "
        f"intervals.\n\n{_heiau_balance(quick)}"
    )  # fmt: skip


# ---- ALOHA

ORDINALS = ("first", "second", "third", "fourth")


def _by_players(name: str, found: list[dict[str, Any]], rows: list[tuple[str, Callable[[dict[str, Any]], str]]]) -> str:
    """Return a table with a column for each number of players."""
    return table(
        [name, *(row["name"] for row in found)],
        ([label, *(cell(row) for row in found)] for label, cell in rows),
    )


def aloha_page() -> str:
    """Return strength and balance of ALOHA."""
    data, balance = read("aloha-strength.json"), calibrated("aloha")
    matches, levels = data["matches"], {one.number: one.name for one in games.find("aloha").levels}
    control = [one for one in balance if one["name"].startswith("control")]
    control.sort(key=lambda one: (len(one["places"]), bool(one["settings"])))
    found = [one for one in balance if one not in control]
    agents, rules = games.load_game("aloha", players=4).agents, Ruleset.load()

    def at(kind: str, place: int) -> Callable[[dict[str, Any]], str]:
        def cell(row: dict[str, Any]) -> str:
            found = row[kind][place] if place < len(row["places"]) else None
            return percent(found["share"], found["interval"]) if found else "-"

        return cell

    def island(name: str) -> Callable[[dict[str, Any]], str]:
        return lambda row: (
            f"{percent(row['islands'][name]['share'])}, {100 * row['islands'][name]['first_choice']:.0f}%"
        )

    def source(name: str) -> Callable[[dict[str, Any]], str]:
        return lambda row: percent(row["sources"][name])

    return (
        f"{NOTE}# ALOHA: strength and balance\n\n## Strength\n\nRuleset `{matches[0]['ruleset']}`, `python "
        "experiments/matches.py aloha`. One agent plays against copies of another, in all seats equally often. The "
        "tables show its share of the victory with a 95% interval by meetings, and the multiple of the fair share. "
        "[Findings]"
        "(../findings/strength.md#aloha).\n\n"
        + table(
            ["agent", "against", "games", "share", "times fair"],
            (
                [
                    f"`{row['agent']}`", f"{len(row['seats']) - 1} x `{row['against']}`", row["games"],
                    percent(row["share"], row["interval"]), f"{row['share'] * len(row['seats']):.2f}",
                ]
                for row in matches
                if "level" not in row
            ),
        )
        + "\nThe levels of `hawaii serve --game aloha`, two players:\n\n"
        + table(
            ["level", "agent", "against", "games", "share"],
            (
                [
                    f"{row['level']} {levels[row['level']]}", f"`{row['agent']}`", levels[row["level"] - 1],
                    row["games"], percent(row["share"], row["interval"]),
                ]
                for row in matches
                if "level" in row
            ),
        )
        + "\nRatings by places, in Elo with `random` at 0 ([how to read them](../ratings.md)):\n\n"
        + table(
            ["players", "agent", "Elo", "95%", "share of the victory", "games"],
            (
                [len(one["seats"]), f"`{row['player']}`", f"{row['elo']:.0f}", elo_interval(row), percent(row["score"]),
                 row["games"]]
                for one in data["ladders"]
                for row in one["ratings"]["table"]
            ),
        )
        + f"\n## Balance\n\nRuleset `{found[0]['ruleset']}`, one agent in all seats, "
        + ", ".join(f"{row['games']} games of {row['name']} (`{row['agent']}`)" for row in found)
        + ": `python experiments/calibrate.py aloha`. Share of the victory by seat, with 95% intervals. By the rules "
        "no seat is better than another, because chance chooses the first player of the Prologue. "
        "[Attempts](../findings/balance.md#aloha).\n\n"
        + _by_players("seat", found, [(f"`{agent}`", at("seats", i)) for i, agent in enumerate(agents)])
        + "\nBy place in the order of the Prologue, which chance determines:\n\n"
        + _by_players("place", found, [(name, at("places", i)) for i, name in enumerate(ORDINALS)])
        + f"\nThe control, `{control[0]['agent']}` in all seats: the place in the order matters if the agent chooses "
        "in the Prologue, but not if the choices are random.\n\n"
        + table(
            ["players", "Prologue", "games", *ORDINALS],
            (
                [
                    len(row["places"]), "at random" if row["settings"] else "its own", row["games"],
                    *(at("places", i)(row) for i in range(len(ORDINALS))),
                ]
                for row in control
            ),
        )
        + "\n![Balance](aloha-balance.png)\n\nBy island settled on: share of the victory, and how often the first "
        "player to settle chooses it:\n\n"
        + _by_players("island", found, [(island_name(rules, name), island(name)) for name in found[0]["islands"]])
        + "\nShare of all points by source:\n\n"
        + _by_players("source", found, [(name, source(name)) for name in found[0]["sources"]])
    )  # fmt: skip


# ---- Maori Wars

CHANGES = (
    ("results table", "retreats and losses begin one face earlier", "fewer ties, more games that turn after half time"),
    ("taranaki", "a third warrior in the Box, none in Te Ngutu-o-te-Manu; a second militia in Tataraimaka", "balance"),
    (
        "flagstaff",
        "no Mangakāhia and no Mahurangi; Waiōmio is a village, no pa",
        "villages decide some games, fewer ties",
    ),
    ("flagstaff", "two British units a turn from the Box, not one", "balance"),
    (
        "waikato",
        "three Māori units a turn from the Box, one British (both had two); a second infantry in Tuakau",
        "balance",
    ),
)
"""Changes of the calibration: where, what, why."""


def maori_page() -> str:
    """Return strength, balance and calibration of Maori Wars."""
    study, found = read_study("maori_wars"), calibrated("maori_wars")
    named = [{"name": f"{one['name']}, {one['games']} games", "figures": one["figures"]} for one in found]
    return (
        f"{NOTE}# Maori Wars: strength, balance, calibration\n\n## Strength\n\n`python experiments/matches.py "
        "maori_wars`: sides swapped, a tie is half a win, 95% intervals.\n\n"
        + table(
            ["agent", "against", "scenario", "games", "share", "as Māori, as the British", "ties", "ms a decision"],
            (
                [
                    f"`{one['agent']}`", f"`{one['against']}`", one["options"]["scenario"], one["games"],
                    percent(one["share"], one["interval"], 1), ", ".join(f"{share:.0%}" for share in one["by_seat"]),
                    f"{one['ties']:.0%}", f"{1000 * one['seconds_a_decision']:.1f}",
                ]
                for one in read("maori_wars-strength.json")["matches"]
            ),
        )
        + "\n## Balance\n\nOne agent plays both sides, `python experiments/calibrate.py maori_wars`; in bold what is "
        "within the aims of taranaki and flagstaff. `maori` is the Māori score, `ways` how many of the ways to win "
        "decide 5% or more, `ahead loses` the share of games that the side ahead at half time loses.\n\n"
        + aims_table(study, named)
        + "\n## What the calibration changed\n\nOnly reconstructed numbers; those before it are in "
        "`experiments/configs/rulesets/maori_wars-1`, for the option `rules`.\n\n"
        + table(["where", "what", "why"], map(list, CHANGES))
    )  # fmt: skip


PAGES: dict[str, Callable[[], str]] = {
    "benchmarks/ladder.md": ladder_page,
    "benchmarks/exact.md": exact_page,
    "benchmarks/levels.md": levels_page,
    "benchmarks/puzzles.md": puzzles_page,
    "benchmarks/strength.md": strength_page,
    "benchmarks/depth.md": depth_page,
    "benchmarks/heiau.md": heiau_page,
    "benchmarks/aloha.md": aloha_page,
    "benchmarks/maori_wars.md": maori_page,
}
