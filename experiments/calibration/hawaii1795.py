"""Figures of the depth of Hawaii, 1795: when and how games are decided, which plans open them, how much is luck.

Known at a month's start: the share of the variance of results that the position explains. Two continuations of one
position have only the position in common, so their covariance is the variance of its expected score. If another agent
continues the games, or a network's value replaces them, the squared correlation with the game's result is a lower
bound.

Luck and choice: along a game the expected score is a martingale under the players' own policy, and its variance is the
sum of the squares of its steps. A step over dice or cards is luck, a step over a decision is choice. A network gives
the values; if the steps' sum is more than 5% off the variance of the results, they are no martingale, and luck and
choice are not told.

Effective number of plans: the exponential of the entropy of the chosen plans; n equally frequent plans count n.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

import calibration
from hawaii_agents.training import runs
from hawaii_agents.training.logs import figure
from hawaii_env import agents
from hawaii_env.errors import OptionError
from hawaii_env.game import CHANCE, Game

from . import Games, mean, part

NUMBERS = {"decisions", "plans"}
SIDES = ("kamehameha", "allied")
LEADERS = ("kamehameha:kamehameha", "kamehameha:john_young", "allied:kalani", "allied:kaiana")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
)  # fmt: skip
MOVING = ("movement", "pickup", "cargo", "sail")
OCCUPATION = "occupation victory"
"""The beginning of the reason of such a win."""
MARTINGALE = 0.05
"""Greatest difference of a martingale's sum of squared steps and the results' variance, as a share of it."""
FEW = 20
"""With fewer games nothing is said about what is known of the result."""


# One game


def plan_of(units: dict[str, list[str]], field: str | None) -> dict[str, str]:
    """Return a side's plan at the end of its movement: the spaces that it holds or approaches, with its leaders
    (``targets``) or with each of its land pieces (``pieces``).
    """
    there: dict[str, list[str]] = {}
    for place, pieces in units.items():
        land = sorted(piece.split("/")[0] for piece in pieces if "canoe" not in piece)
        if land:
            space = (field or place) if place in ("aboard", "war") else place.removeprefix("sea/")
            there[space] = sorted(there.get(space, []) + land)
    leaders = [name.partition(":")[2] for name in LEADERS]
    return {
        "targets": " ".join(f"{at}({'+'.join(p for p in some if p in leaders)})" for at, some in sorted(there.items())),
        "pieces": " ".join(f"{at}({','.join(some)})" for at, some in sorted(there.items())),
    }


class Expectation:
    """Kamehameha's expected score, 0 to 1, by a network; at a chance node its exact mean."""

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def __call__(self, state: Any) -> float:
        """Return the expected score of a position."""
        if state.current_player != CHANCE:
            return self._value(state)
        # Tied dice are rolled again, so chance nodes may lead back to one another: a system of linear equations.
        nodes, number = [state], {state.key(): 0}
        steps: list[tuple[int, int, float]] = []
        known: list[tuple[int, float]] = []
        for at, node in enumerate(nodes):  # grows while it is iterated
            for outcome, chance in node.chance_outcomes(merged=True):
                child = node.clone()
                child.apply_chance(outcome)
                if child.current_player != CHANCE:
                    known.append((at, chance * self._value(child)))
                    continue
                if child.key() not in number:
                    number[child.key()] = len(nodes)
                    nodes.append(child)
                steps.append((at, number[child.key()], chance))
        matrix, values = np.eye(len(nodes)), np.zeros(len(nodes))
        for at, to, chance in steps:
            matrix[at, to] -= chance
        for at, value in known:
            values[at] += value
        return float(np.linalg.solve(matrix, values)[0])

    def _value(self, state: Any) -> float:
        """Return the score of a finished game, or the network's value of a decision."""
        if state.is_terminal:
            return (state.returns()[0] + 1) / 2
        player = state.current_player
        seen = np.asarray(state.observation(player), np.float32)
        value = self._policy.evaluate(seen, state.legal_actions())[1]
        return (float(np.clip(value if player == 0 else -value, -1, 1)) + 1) / 2


def continued(state: Any, players: Sequence[agents.Agent], seed: int) -> float:
    """Return Kamehameha's score when these players continue a position with dice of this seed."""
    state = state.clone(seed=seed)
    for index, player in enumerate(players):
        agents.begin(player, state.game, index)
    while not state.is_terminal:
        player = players[state.current_player]
        state.apply(player.act(state.for_search(), state.legal_actions(), None))
    return (state.returns()[0] + 1) / 2


class Watch(calibration.Watch):
    """Records deaths, opening plans, and the settings' share:

    - `again`: number of continuations from the start of each month, 2 or more, by the agent `again_by` or its own.
    - `values`: weights of a network, "" the shipped ones, that separate luck from choice; with `months` its value is
      taken at the start of each month only, in place of continuations.
    """

    SETTINGS = ("again", "again_by", "values", "months")

    def __init__(self, game: Game, agent: str, seed: int, settings: dict[str, Any]) -> None:
        super().__init__(game, agent, seed, settings)
        self.again: int = settings.get("again", 0)
        if self.again == 1 or self.again < 0:
            raise OptionError(f"again: 0, or 2 and more, because continuations are compared; not {self.again}")
        self.later = (
            agents.load_agents(settings.get("again_by") or agent, game, seed=2 * seed + 1) if self.again else []
        )
        self.expectation: Expectation | None = None
        if settings.get("values") is not None:
            from hawaii_agents import weights

            found = weights.load(settings["values"]) if settings["values"] else weights.find(game)
            self.expectation = Expectation(found)
        self.steps = self.expectation if not settings.get("months") else None
        self.deaths: dict[str, str] = {}
        self.plans: dict[str, dict[str, str]] = {}
        self.months: dict[str, list[float]] = {}
        self.jumps: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.legal: list[int] = []
        self.first = ""

    def before(self, state: Any) -> None:
        """Note deaths, what is known of the result, and the number of legal actions."""
        view: Any = state.view()
        self.view = view
        self._note_deaths(view)
        self.expected = self.steps(state) if self.steps else 0.0
        if state.current_player == CHANCE:
            return
        self.first = self.first or view.turn
        if view.turn not in self.months and self.again:
            seeds = self.rng.integers(2**62, size=self.again)
            self.months[view.turn] = [continued(state, self.later, int(seed)) for seed in seeds]
        elif view.turn not in self.months and self.expectation and self.settings.get("months"):
            self.months[view.turn] = [self.expectation(state)]
        self.legal.append(len(state.legal_actions()))

    def after(self, state: Any, action: int | None) -> None:
        """Note the opening plans, and the step of the expected score."""
        if action is not None and self.view.turn == self.first and self.view.phase in MOVING:
            view: Any = state.view()
            self.plans[self.view.half] = plan_of(view.units[self.view.half], view.field)
        if self.steps:
            self.jumps[self.view.turn][int(action is None)] += (self.steps(state) - self.expected) ** 2

    def _note_deaths(self, view: Any) -> None:
        for leader in view.dead:
            self.deaths.setdefault(leader, view.turn)

    def result(self, state: Any) -> dict[str, Any]:
        """Return what was noted."""
        view: Any = state.view()
        self._note_deaths(view)
        return {
            "turn": view.turn, "deaths": self.deaths,
            "plans": self.plans, "legal": [sum(self.legal), round(float(np.log10(self.legal).sum()), 2)],
            "months": self.months,
            "jumps": {turn: [round(x, 6) for x in pair] for turn, pair in self.jumps.items()},
        }  # fmt: skip


# Many games


def score(game: dict[str, Any]) -> float:
    """Return Kamehameha's score: 1, 1/2 or 0."""
    return game["shares"][0]


def winner(game: dict[str, Any]) -> str:
    """Return the winner: a side, or "tie"."""
    return {1.0: SIDES[0], 0.0: SIDES[1]}.get(score(game), "tie")


def known(pairs: Sequence[tuple[float, Sequence[float]]]) -> float | None:
    """Return the share of the results' variance that positions explain, 0 to 1.

    Args:
        pairs: of each game its own result and the results of continuations of its position, two or more of each; or
            one value of the position.

    Returns:
        None if there is too little to say: too few games, or no variance.
    """
    if len(pairs) < FEW:
        return None
    results = np.array([result for result, _ in pairs])
    again = np.array([list(more) for _, more in pairs])
    means = again.mean(1)
    total, of_means = float(results.var(ddof=1)), float(means.var(ddof=1))
    if again.shape[1] > 1:
        of_means -= again.var(1, ddof=1).mean() / again.shape[1]
    if total <= 0 or of_means <= 0:
        return None if total <= 0 else 0.0
    explained = float(np.cov(results, means)[0, 1])
    return float(np.clip(explained * abs(explained) / (total * of_means), 0, 1))


def known_pairs(games: Games, month: str) -> list[tuple[float, Sequence[float]]]:
    """Return the arguments of `known` for a month; a game that ended before it is known."""
    there = [game for game in games if month in game["months"]]
    width = len(there[0]["months"][month]) if len(there) >= FEW else 0
    return [(score(game), game["months"].get(month, [score(game)] * width)) for game in games] if width else []


def _known(games: Games) -> dict[str, Any]:
    """Return by month the share of the variance that is known, with an interval by the bootstrap."""
    found: dict[str, Any] = {}
    rng = np.random.default_rng(1)
    for month in MONTHS:
        pairs = known_pairs(games, month)
        if pairs:
            draws = rng.integers(len(pairs), size=(200, len(pairs)))
            low, high = np.quantile([known([pairs[k] for k in draw]) or 0.0 for draw in draws.tolist()], [0.025, 0.975])
            count = sum(month in game["months"] for game in games)
            ends = [round(float(low), 4), round(float(high), 4)]
            found[month] = {"share": round(known(pairs) or 0.0, 4), "interval": ends, "games": count}
    return found


def effective(counts: Sequence[int]) -> float:
    """Return the effective number of things that were chosen so often."""
    shares = np.array(counts) / sum(counts)
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _plans(games: Games) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for side in SIDES:
        for grain in ("targets", "pieces"):
            counts = Counter(game["plans"][side][grain] for game in games if side in game["plans"])
            if n := counts.total():
                first = counts.most_common(3)
                found.setdefault(side, {})[grain] = {
                    "n": n, "different": len(counts), "effective": round(effective(list(counts.values())), 2),
                    "greatest": part(first[0][1], n), "first": [[plan, round(c / n, 4)] for plan, c in first],
                }  # fmt: skip
    return found


def _luck(games: Games) -> dict[str, Any]:
    by_month: dict[str, Any] = {}
    for month in MONTHS:
        steps = [game["jumps"][month] for game in games if month in game["jumps"]]
        if steps:
            by_month[month] = np.sum(steps, 0) / len(games)
    if not by_month:
        return {}
    choice, luck = np.sum(list(by_month.values()), 0).tolist()
    variance = max(1e-9, float(np.var([score(game) for game in games])))
    return {
        "luck": round(luck / (luck + choice), 4), "choice": round(choice / (luck + choice), 4),
        "by_month": {month: [round(float(x), 5) for x in pair] for month, pair in by_month.items()},
        "of_variance": round((luck + choice) / variance, 4),
    }  # fmt: skip


def _leader(games: Games, leader: str) -> dict[str, Any]:
    died = [game["deaths"].get(leader) for game in games]
    return {
        "died": round(sum(month is not None for month in died) / len(games), 4),
        "died_in_january": round(died.count(MONTHS[0]) / len(games), 4),
        "score_if_died": mean([score(game) for game, month in zip(games, died, strict=True) if month]),
        "score_if_not": mean([score(game) for game, month in zip(games, died, strict=True) if not month]),
    }


def _decided(games: Games, months: Sequence[str]) -> int:
    return sum(winner(game) != "tie" and game["turn"] in months for game in games)


def summarise(games: Games) -> dict[str, Any]:
    """Return the figures of games in detail, with their intervals."""
    n, winners = len(games), Counter(map(winner, games))
    decided = n - winners["tie"]
    return {
        **calibration.summarise(games),
        "shares": {who: part(winners[who], n) for who in (*SIDES, "tie")},
        "kamehameha_score": mean([score(game) for game in games]),
        "kamehameha_of_decided": part(winners[SIDES[0]], decided) if decided else None,
        "decided": {
            "january_february": part(_decided(games, MONTHS[:2]), n),
            "before_april": part(_decided(games, MONTHS[:3]), n),
        },
        "branching": {
            "mean": round(sum(game["legal"][0] for game in games) / max(1, sum(g["decisions"] for g in games)), 2),
            "log10_tree": mean([game["legal"][1] for game in games]),
        },
        "reasons": dict(Counter(f"{winner(game)}: {game['reason']}" for game in games).most_common()),
        "last_turn": {month: c for month in MONTHS if (c := sum(game["turn"] == month for game in games))},
        "plans": _plans(games), "known": _known(games), "luck": _luck(games),
        "leaders": {leader: _leader(games, leader) for leader in LEADERS},
    }  # fmt: skip


def figures(games: Games) -> dict[str, float]:
    """Return plain numbers; NaN for what the games do not show."""
    n = len(games)
    chosen = [[game["plans"][side]["targets"] for game in games if side in game["plans"]] for side in SIDES]
    plans = [list(Counter(some).values()) or [1] for some in chosen]

    def by_reason(*beginnings: str, end: str = "") -> float:
        return sum(game["reason"].startswith(beginnings) and game["reason"].endswith(end) for game in games) / n

    def known_in(month: str) -> float:
        found = known(known_pairs(games, month))
        return math.nan if found is None else found

    return {
        "before_april": _decided(games, MONTHS[:3]) / n,
        "january_february": _decided(games, MONTHS[:2]) / n,
        "greatest_plan": max(max(counts) / sum(counts) for counts in plans),
        "known_february": known_in("february"),
        "known_may": known_in("may"),
        "occupation": by_reason(OCCUPATION),
        "ties": sum(map(calibration.tied, games)) / n,
        "kamehameha": sum(map(score, games)) / n,
        "king_dead": by_reason("Kamehameha eliminated"),
        "leader_dead": by_reason("", end="eliminated [5.2]"),
        "plans": min(map(effective, plans)),
        "decisions": sum(game["decisions"] for game in games) / n,
    }


def bounds(summary: dict[str, Any]) -> dict[str, Sequence[float]]:
    """Return the 95% intervals of figures that a `summarise` holds."""
    n, points = summary["games"], summary["kamehameha_score"]
    plans = [one["targets"]["greatest"] for one in summary["plans"].values() if "targets" in one]
    occupied = sum(count for why, count in summary["reasons"].items() if why.partition(": ")[2].startswith(OCCUPATION))
    return {
        **{name: one["interval"] for name, one in summary["decided"].items()},
        **{f"known_{month}": one["interval"] for month, one in summary["known"].items()},
        **({"greatest_plan": max(plans, key=lambda one: one["share"])["interval"]} if plans else {}),
        "occupation": part(occupied, n)["interval"],
        "ties": summary["shares"]["tie"]["interval"],
        "kamehameha": [points["mean"] + k * 1.96 * points["error"] for k in (-1, 1)],
    }


# Tables and pictures


def _percent(found: dict[str, Any]) -> str:
    low, high = found["interval"]
    return f"{found['share']:.1%} ({low:.0%} to {high:.0%})"


def _cell(found: dict[str, Any]) -> str:
    return f"{found['mean']:.2f} ± {1.96 * found['error']:.2f} ({found['n']})" if found["n"] else "-"


def _jumps(summary: dict[str, Any]) -> dict[str, Any]:
    """Return choice and luck by month, or nothing if the values are no martingale."""
    luck = summary["luck"]
    return luck["by_month"] if luck and abs(luck["of_variance"] - 1) <= MARTINGALE else {}


def tables(summary: dict[str, Any]) -> str:
    """Return Markdown tables of the results, months, plans, reasons and leaders of a `summarise`."""
    shares, decided, points = summary["shares"], summary["decided"], summary["kamehameha_score"]
    tree, n, last, before = summary["branching"], summary["games"], summary["last_turn"], summary["known"]
    jumps, plans = _jumps(summary), summary["plans"]
    found = [
        runs.table(
            ["Kamehameha", "Allies", "tied", "Kamehameha's score"],
            [[*(_percent(shares[who]) for who in (*SIDES, "tie")),
              f"{points['mean']:.3f} ± {1.96 * points['error']:.3f}"]],
        ),
        runs.table(
            ["decided in January or February", "before April", "decisions per game", "legal actions",
             "log10 of the tree"],
            [[_percent(decided["january_february"]), _percent(decided["before_april"]),
              f"{summary['decisions']['mean']:.0f}", f"{tree['mean']:.1f}", f"{tree['log10_tree']['mean']:.0f}"]],
        ),
        runs.table(
            ["month", "games that end in it", "variance known when it begins", *(["choice", "luck"] if jumps else [])],
            [[month.capitalize(), f"{last.get(month, 0) / n:.1%}", _percent(before[month]) if month in before else "-",
              *(f"{x:.4f}" for x in jumps.get(month, []))] for month in MONTHS],
        ),
        runs.table(
            ["opening", "effective plans", "different", "the most frequent", "share"],
            [[side.capitalize(), f"{one['effective']:.1f}", one["different"], f"`{one['first'][0][0]}`",
              _percent(one["greatest"])] for side in SIDES if (one := plans.get(side, {}).get("targets"))],
        ),
        runs.table(["how it ended", "games"], [[why, f"{count / n:.1%}"] for why, count in summary["reasons"].items()]),
        runs.table(
            ["leader", "dies in", "in January", "Kamehameha's score then", "else"],
            [[leader, f"{one['died']:.0%}", f"{one['died_in_january']:.0%}", _cell(one["score_if_died"]),
              _cell(one["score_if_not"])] for leader, one in summary["leaders"].items()],
        ),
    ]  # fmt: skip
    if luck := summary["luck"]:
        together = f"{luck['of_variance']:.2f} of the results' variance"
        parts = f"Luck makes {luck['luck']:.0%} of the sum of squared steps, choice {luck['choice']:.0%}"
        no = f"The squared steps sum to {together}: the values are no martingale, so luck and choice are not told.\n"
        found.insert(3, f"{parts}; together they are {together}.\n" if jumps else no)
    return "\n".join(found)


def pictures(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draw for each part when games end, what is known by month, and the steps of luck and choice."""
    return {one["name"]: _picture(one) for one in parts}


def _picture(summary: dict[str, Any]) -> Any:
    found = {k: summary["known"][month] for k, month in enumerate(MONTHS) if month in summary["known"]}
    by, at = _jumps(summary), np.arange(len(MONTHS))
    count = 1 + bool(found) + bool(by)
    made = figure(max(5, 3.4 * count), 3.4)
    panels = iter(made.subplots(1, count, squeeze=False)[0])
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
    for axes in made.axes:
        axes.set_xticks(at, [month[:3].capitalize() for month in MONTHS], fontsize=7, rotation=60)
    scenario = summary["options"].get("scenario", "long")
    made.suptitle(f"{summary['agent']}, {scenario} game, {summary['ruleset']}", fontsize=10)
    return made
