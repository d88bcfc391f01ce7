"""The figures of depth that `depth.py` works out from games: what each is, its table and its picture.

Known at a month's start: of the variance of results, the share that the position explains. Two goings-on from one
position share nothing but the position, so their covariance is the variance of its expected score. Where another agent
plays on, or a network's value stands in, the squared correlation with the game's own result is a lower bound.

Luck and choice: along a game the expected score is a martingale under the players' own policy, and its variance is the
sum of its steps' squares. A step over dice or cards is luck, one over a decision is choice. The values are a network's.

Effective number of plans: the exponential of the entropy of the plans that were chosen; n equally likely ones count n.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hawaii_env.arena.sprt import mean_interval

SIDES = ("kamehameha", "allied")
LEADERS = ("kamehameha:kamehameha", "kamehameha:john_young", "allied:kalani", "allied:kaiana")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
)  # fmt: skip
EARLY = MONTHS[:6]
OCCUPATION = "occupation victory"
"""How the reason of such a win begins."""
AIMS: dict[str, tuple[float, float, float]] = {
    # figure: least, most, what a miss of 1 weighs
    "before_april": (0.0, 0.05, 4.0),
    "january_february": (0.0, 0.01, 8.0),
    "greatest_plan": (0.0, 0.30, 2.0),
    "known_february": (0.0, 0.20, 1.0),
    "known_may": (0.0, 0.50, 1.0),
    "occupation": (0.25, 1.0, 2.0),
    "ties": (0.0, 0.20, 3.0),
    "kamehameha": (0.45, 0.55, 3.0),
}
"""What a ruleset of the long game was asked for, in figures that its games between equals tell."""


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


def _share(count: int, n: int) -> dict[str, Any]:
    low, high = mean_interval([1.0] * count + [0.0] * (n - count))[1:]
    return {"share": round(count / n, 4), "interval": [round(low, 4), round(high, 4)]}


def known(pairs: Sequence[tuple[float, Sequence[float]]]) -> float | None:
    """Return the share of the results' variance that positions explain, 0 to 1.

    Args:
        pairs: of each game its own result and the results of goings-on from its position, two or more of each.

    Returns:
        None where there is too little to tell: fewer than 20 games, or no variance.
    """
    if len(pairs) < 20:
        return None
    results = np.array([result for result, _ in pairs])
    again = np.array([list(more) for _, more in pairs])
    means = again.mean(1)
    within = again.var(1, ddof=1).mean() / again.shape[1]
    explained, of_means = float(np.cov(results, means)[0, 1]), float(means.var(ddof=1) - within)
    total = float(results.var(ddof=1))
    if total <= 0 or of_means <= 0:
        return None if total <= 0 else 0.0
    return float(np.clip(explained * abs(explained) / (total * of_means), 0, 1))


def _known(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """By month: of all games' variance, the share known then; a game that is over by then is known."""
    found: dict[str, Any] = {}
    if not any(game["months"] for game in games):
        return found
    rng = np.random.default_rng(1)
    for month in MONTHS:
        there = [game for game in games if month in game["months"]]
        if len(there) < 20:
            continue
        width = len(there[0]["months"][month])
        pairs = [(score(game), game["months"].get(month) or [score(game)] * width) for game in games]
        again = [known([pairs[int(k)] for k in rng.integers(len(pairs), size=len(pairs))]) or 0.0 for _ in range(200)]
        low, high = np.quantile(again, [0.025, 0.975])
        found[month] = {
            "share": round(known(pairs) or 0.0, 4), "interval": [round(float(low), 4), round(float(high), 4)],
            "games": len(there),
        }  # fmt: skip
    return found


def _plans(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for side in SIDES:
        for grain in ("targets", "pieces"):
            counts = Counter(game["plans"][side][grain] for game in games if side in game["plans"])
            n = sum(counts.values())
            if not n:
                continue
            entropy = -sum(c / n * math.log(c / n) for c in counts.values())
            first = counts.most_common(3)
            found.setdefault(side, {})[grain] = {
                "n": n, "different": len(counts), "effective": round(math.exp(entropy), 2),
                "greatest": _share(first[0][1], n), "first": [[plan, round(c / n, 4)] for plan, c in first],
            }  # fmt: skip
    return found


def _luck(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for game in games:
        for turn, (choice, luck) in game["jumps"].items():
            sums[turn][0] += choice
            sums[turn][1] += luck
    if not sums:
        return {}
    choice, luck = (sum(pair[k] for pair in sums.values()) for k in (0, 1))
    each = {t: [round(x / len(games), 5) for x in sums[t]] for t in MONTHS if t in sums}
    return {
        "luck": round(luck / (luck + choice), 4), "choice": round(choice / (luck + choice), 4), "by_month": each,
        "of_variance": round((luck + choice) / len(games) / max(1e-9, float(np.var([score(g) for g in games]))), 4),
    }  # fmt: skip


def _cards(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    cards: dict[str, dict[str, list[float]]] = defaultdict(lambda: {"early": [], "later": []})
    for game in games:
        for card, turn in dict(game["cards"]).items():
            cards[card]["early" if turn in EARLY else "later"].append(score(game))
    return {card: {when: _mean(values) for when, values in found.items()} for card, found in sorted(cards.items())}


def _battles(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    fought: dict[str, list[float]] = defaultdict(list)
    for game in games:
        for battle in game["battles"]:
            where = "at sea" if battle["kind"] == "sea" else f"at {battle['space']}"
            fought[f"{battle['attacker']} {where}"].append(float(battle["won"]))
    return {
        key: {**_mean(values), "a_game": round(len(values) / len(games), 3)}
        for key, values in sorted(fought.items(), key=lambda item: -len(item[1]))
    }


def _leaders(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    def died(who: str, by: Sequence[str]) -> int:
        return sum(game["deaths"].get(who) in by for game in games)

    return {
        who: {
            "died": round(died(who, MONTHS) / len(games), 4),
            "died_in_january": round(died(who, MONTHS[:1]) / len(games), 4),
            "score_if_died": _mean([score(game) for game in games if who in game["deaths"]]),
            "score_if_not": _mean([score(game) for game in games if who not in game["deaths"]]),
        }
        for who in LEADERS
    }


def summarise(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of many games, as `depth.play` tells them."""
    n = len(games)
    winners = Counter(game["winner"] for game in games)
    decided = winners["kamehameha"] + winners["allied"]

    def by(months: Sequence[str]) -> dict[str, Any]:
        return _share(sum(game["winner"] != "tie" and game["turn"] in months for game in games), n)

    return {
        "games": n,
        "shares": {who: _share(winners[who], n) for who in (*SIDES, "tie")},
        "kamehameha_score": _mean([score(game) for game in games]),
        "kamehameha_of_decided": _share(winners["kamehameha"], decided) if decided else None,
        "decided": {"january_february": by(MONTHS[:2]), "before_april": by(MONTHS[:3])},
        "decisions": _mean([float(game["decisions"]) for game in games]),
        "branching": {
            "mean": round(sum(game["legal"][0] for game in games) / max(1, sum(g["decisions"] for g in games)), 2),
            "log10_tree": _mean([game["legal"][1] for game in games]),
        },
        "reasons": dict(Counter(f"{game['winner']}: {game['reason']}" for game in games).most_common()),
        "last_turn": {m: c for m in MONTHS if (c := sum(game["turn"] == m for game in games))},
        "plans": _plans(games),
        "known": _known(games),
        "luck": _luck(games),
        "leaders": _leaders(games),
        "battles_a_game": _mean([float(len(game["battles"])) for game in games]),
        "battles": _battles(games),
        "cards": _cards(games),
    }


def aimed_at(summary: dict[str, Any]) -> dict[str, float | None]:
    """Return the figures that AIMS names, from a `summarise`; None where they were not measured."""
    plans = [grains["targets"]["greatest"]["share"] for grains in summary["plans"].values() if "targets" in grains]
    known = {month: one["share"] for month, one in summary["known"].items()}
    occupied = sum(count for why, count in summary["reasons"].items() if why.split(": ", 1)[1].startswith(OCCUPATION))
    return {
        "before_april": summary["decided"]["before_april"]["share"],
        "january_february": summary["decided"]["january_february"]["share"],
        "greatest_plan": max(plans, default=None),
        "known_february": known.get("february"),
        "known_may": known.get("may"),
        "occupation": occupied / summary["games"],
        "ties": summary["shares"]["tie"]["share"],
        "kamehameha": summary["kamehameha_score"]["mean"],
    }


# For people


def aims_table(summaries: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of a table of AIMS and what several results have of them, in bold where one is met."""
    found = [aimed_at(summary) for summary in summaries]
    rows: list[list[object]] = []
    for name, (least, most, _) in AIMS.items():
        asked = (
            f"{most:.0%} or less"
            if not least
            else f"{least:.0%} or more"
            if most == 1
            else f"{least:.0%} to {most:.0%}"
        )
        cells = []
        for one in found:
            value = one[name]
            told = "-" if value is None else f"{value:.1%}"
            cells.append(f"**{told}**" if value is not None and least <= value <= most else told)
        rows.append([name.replace("_", " "), asked, *cells])
    return table_lines(["figure", "aim", *(f"`{one['agent']}`, {one['ruleset']}" for one in summaries)], rows)


def _percent(found: dict[str, Any]) -> str:
    low, high = found["interval"]
    return f"{found['share']:.1%} ({low:.0%} to {high:.0%})"


def _cell(found: dict[str, Any]) -> str:
    return f"{found['mean']:.2f} ± {1.96 * found['error']:.2f} ({found['n']})" if found["n"] else "-"


def table_lines(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table, after an empty one."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return ["", *lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]


def depth_tables(summary: dict[str, Any]) -> list[str]:
    """Return the lines of the tables on depth: results, months, plans, what is known, luck."""
    shares, branching, decided = summary["shares"], summary["branching"], summary["decided"]
    score_, tree = summary["kamehameha_score"], branching["log10_tree"]
    lines = table_lines(
        ["Kamehameha", "Allies", "tied", "Kamehameha's score"],
        [[*(_percent(shares[who]) for who in (*SIDES, "tie")), f"{score_['mean']:.3f} ± {1.96 * score_['error']:.3f}"]],
    )
    lines += table_lines(
        ["decided in January or February", "before April", "decisions a game", "legal actions",
         "log10 of the tree"],
        [[_percent(decided["january_february"]), _percent(decided["before_april"]),
          f"{summary['decisions']['mean']:.0f}", f"{branching['mean']:.1f}",
          f"{tree['mean']:.0f}"]],
    )  # fmt: skip
    n = summary["games"]
    last, before, luck = summary["last_turn"], summary["known"], summary["luck"].get("by_month", {})
    lines += table_lines(
        ["month", "games that end in it", "variance known when it begins", "choice", "luck"],
        [
            [month.capitalize(), f"{last.get(month, 0) / n:.1%}", _percent(before[month]) if month in before else "-",
             *(f"{x:.4f}" for x in luck.get(month, ()))] + ["-"] * (0 if month in luck else 2)
            for month in MONTHS
        ],
    )  # fmt: skip
    if summary["luck"]:
        lines += [
            "",
            f"Luck makes {summary['luck']['luck']:.0%} of the jumps' squares, choice {summary['luck']['choice']:.0%}; "
            f"together they are {summary['luck']['of_variance']:.2f} of the results' variance.",
        ]
    lines += table_lines(
        ["opening", "effective plans", "different", "the most frequent", "share"],
        [
            [side.capitalize(), f"{one['effective']:.1f}", one["different"], f"`{one['first'][0][0]}`",
             _percent(one["greatest"])]
            for side, grains in summary["plans"].items() if (one := grains.get("targets"))
        ],
    )  # fmt: skip
    lines += table_lines(["how it ended", "games"], [[k, f"{v / n:.1%}"] for k, v in summary["reasons"].items()])
    lines += table_lines(
        ["leader", "dies in", "in January", "Kamehameha's score then", "else"],
        [
            [who, f"{one['died']:.0%}", f"{one['died_in_january']:.0%}", _cell(one["score_if_died"]),
             _cell(one["score_if_not"])]
            for who, one in summary["leaders"].items()
        ],
    )  # fmt: skip
    if found := summary.get("search"):
        low, high = found["interval"]
        share = f"{found['score']:.1%} ({low:.0%} to {high:.0%}, {found['games']} games)"
        lines += ["", f"`{found['agent']}` scores {share} against `{found['against']}`."]
    if found := summary.get("ladder"):
        lines += table_lines(
            ["agent", "Elo", "95%"],
            [[f"`{r['agent']}`", r["elo"], f"{r['interval'][0]} to {r['interval'][1]}"] for r in found],
        )
    return lines


def markdown(summary: dict[str, Any], title: str) -> str:
    """Return all figures as a page."""
    lines = [f"# {title}", "", f"{summary['games']} games. A score counts a tie as half a win; ± is 95%."]
    lines += depth_tables(summary)
    lines += table_lines(
        ["card", "Kamehameha's score where drawn by June", "later"],
        [[card, _cell(one["early"]), _cell(one["later"])] for card, one in summary["cards"].items()],
    )
    lines += ["", f"{summary['battles_a_game']['mean']:.1f} battles a game."]
    lines += table_lines(
        ["battle", "a game", "attacker holds the space after it"],
        [[key, f"{one['a_game']:.2f}", f"{one['mean']:.0%}"] for key, one in summary["battles"].items()],
    )
    return "\n".join(lines) + "\n"


def draw(summary: dict[str, Any], path: Path) -> None:
    """Write a picture: when games end, what is known by month, and what luck and choice do. Needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    found = {k: summary["known"][month] for k, month in enumerate(MONTHS) if month in summary["known"]}
    by = summary["luck"].get("by_month", {})
    count = 1 + bool(found) + bool(by)
    figure = Figure(figsize=(max(5, 3.4 * count), 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    panels = iter(figure.subplots(1, count, squeeze=False)[0])
    short, at = [month[:3].capitalize() for month in MONTHS], np.arange(len(MONTHS))
    ends = next(panels)
    ends.bar(at, [summary["last_turn"].get(month, 0) / summary["games"] for month in MONTHS], color="#2c4a63")
    ends.set(title="Games that end", ylabel="share of games")
    if found:
        knows = next(panels)
        shares = np.array([one["share"] for one in found.values()])
        bars = np.abs(np.array([one["interval"] for one in found.values()]).T - shares)
        knows.errorbar(list(found), shares, yerr=bars, color="#b5432a", marker="o", markersize=3, capsize=2)
        knows.set(title="Known when the month begins", ylabel="share of the results' variance", ylim=(0, 1.02))
    if by:
        jumps = next(panels)
        choice, luck = (np.array([by.get(month, (0, 0))[k] for month in MONTHS]) for k in (0, 1))
        jumps.bar(at, choice, color="#1f6fa8", label="choice")
        jumps.bar(at, luck, bottom=choice, color="#d9a13b", label="luck")
        jumps.legend(fontsize=8)
        jumps.set(title="Jumps of the expected score", ylabel="squares a game")
    for axes in figure.axes:
        axes.set_xticks(at, short, fontsize=7, rotation=60)
    figure.suptitle(f"{summary['agent']}, {summary['scenario']} game, {summary['ruleset']}", fontsize=10)
    figure.savefig(path, dpi=110)
