"""Calibration of numbers for a deep game: one policy that sees its ruleset plays many, and the levers' effects are
fitted.

    python experiments/calibrate.py --policy levers/policy.safetensors --rulesets 768 --out cal
    python experiments/calibrate.py --policy levers/policy.safetensors --confirm 16 --games 400 --out cal

The first plays rulesets drawn from the levers' values, each lever alone likely to take any of them. A line a ruleset
goes to ``rulesets.jsonl`` as it is done; the same command goes on where a stopped one left off. Each figure is fitted
over the levers, one by one and in pairs, and all combinations are ranked by how far they miss the aims. The second
plays the best of these again, with more games, into ``confirmed.jsonl``. ``summary.md`` and ``frontier.png`` tell of
both.

Figures of a ruleset are those of `depth.py` that one policy's games tell, which draws from its probabilities; what is
known at a month's start is told by the policy's own value: its squared correlation with the results, a lower bound.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from depth import MOVING, plan_of
from depth_figures import AIMS, MONTHS, OCCUPATION, SIDES, score, table_lines
from numpy.typing import NDArray
from training import runs
from training.levers import Levers
from training.logs import progress_bar
from training.net import Legal, Net

from hawaii_agents.network import Policy
from hawaii_env import make_batch
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game, observation

WIDTH = {part.name: (part.offset, part.offset + math.prod(part.shape)) for part in observation.PARTS}
LANES = 1024


# Playing


class Table:
    """The games of many rulesets, side by side, played by one policy against itself.

    Args:
        policy: the policy.
        games: one for each lane.
        seed: of dice, cards and draws.
    """

    def __init__(self, policy: Policy, games: Sequence[Game], seed: int) -> None:
        self.net = Net(policy.observation_size, policy.num_actions, policy.hidden, "auto")
        self.net.load_state_dict({name: torch.from_numpy(array) for name, array in policy.tensors.items()})
        self.batch = make_batch(list(games), len(games), autoreset_mode="Disabled")
        self.batch.reset(seed=seed)
        self.rng = np.random.default_rng(seed)
        lanes = len(games)
        self.months = np.full(lanes, -1)
        self.told: list[dict[str, Any]] = [{} for _ in range(lanes)]
        self.moving: list[tuple[Any, int] | None] = [None] * lanes

    def play(self, games: int) -> list[list[dict[str, Any]]]:
        """Return the first `games` games of each lane."""
        batch, n = self.batch, len(self.told)
        found: list[list[dict[str, Any]]] = [[] for _ in range(n)]
        going = np.ones(n, np.bool_)
        while going.any():
            legal = Legal(*batch.legal_lists())
            picks, _, values = self.net.choose(torch.from_numpy(batch.observations), legal, self.rng.random(n))
            actions = legal.actions[legal.starts() + picks]
            self._look(np.flatnonzero(going), actions, values)
            batch.step(actions, going)
            ended = np.flatnonzero(going & (batch.terminations | batch.truncations))
            for lane in ended.tolist():
                found[lane].append(self._end(lane))
                going[lane] = len(found[lane]) < games
            again = ended[going[ended]]
            if len(again):
                batch.reset(options={"reset_mask": np.isin(np.arange(n), again)})
        return found

    def _look(self, lanes: NDArray[np.int64], actions: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Note what the policy expects where a month begins, and the movement of the first turn."""
        batch = self.batch
        months = batch.observations[:, slice(*WIDTH["month"])].argmax(1)
        for lane in lanes[months[lanes] != self.months[lanes]].tolist():
            told, mine = self.told[lane], float(np.clip(values[lane], -1, 1))
            told.setdefault("first", int(months[lane]))
            told.setdefault("values", {})[MONTHS[months[lane]]] = mine if batch.to_play[lane] == 0 else -mine
            self.months[lane] = months[lane]
        for lane in lanes.tolist():
            if self.months[lane] == self.told[lane]["first"]:
                state = batch.get_state(lane)
                if state.view().phase in MOVING:
                    self.moving[lane] = state, int(actions[lane])
                    continue
            self._moved(lane)

    def _moved(self, lane: int) -> None:
        """A movement of the first turn is over: the plan is where the pieces stand."""
        moving = self.moving[lane]
        if moving is None:
            return
        state, action = moving[0].explicit(), moving[1]
        half = state.view().half
        state.apply(action)
        view = state.view()
        self.told[lane].setdefault("plans", {})[half] = plan_of(view.units[half], view.field)["targets"]
        self.moving[lane] = None

    def _end(self, lane: int) -> dict[str, Any]:
        self._moved(lane)
        view, told = self.batch.get_state(lane).view(), self.told[lane]
        self.told[lane], self.months[lane] = {}, -1
        return {
            "winner": view.winner, "reason": view.reason, "turn": view.turn,
            "decisions": int(self.batch.episode_lengths[lane]), "plans": told.get("plans", {}),
            "values": told.get("values", {}),
        }  # fmt: skip


def figures(games: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the figures of a ruleset's games; NaN where the games cannot tell."""
    n = len(games)
    results = np.array([score(game) for game in games])

    def early(months: Sequence[str]) -> float:
        return sum(game["winner"] != "tie" and game["turn"] in months for game in games) / n

    def plans(side: str) -> NDArray[np.float64]:
        chosen = [game["plans"].get(side, "") for game in games]
        return np.unique(chosen, return_counts=True)[1] / n

    def known(month: str) -> float:
        """A game that is over by then is known."""
        told = np.array([game["values"].get(month, 2 * score(game) - 1) for game in games])
        if results.std() == 0 or told.std() == 0:
            return math.nan
        return float(np.corrcoef(told, results)[0, 1] ** 2)

    each = [plans(side) for side in SIDES]
    return {
        "games": n,
        "kamehameha": float(results.mean()),
        "ties": float((results == 0.5).mean()),
        "january_february": early(MONTHS[:2]),
        "before_april": early(MONTHS[:3]),
        "occupation": sum(game["reason"].startswith(OCCUPATION) for game in games) / n,
        "leader_dead": sum(game["reason"].endswith("eliminated [5.2]") for game in games) / n,
        "king_dead": sum(game["reason"].startswith("Kamehameha eliminated") for game in games) / n,
        "greatest_plan": max(float(one.max()) for one in each),
        "plans": min(float(np.exp(-(one * np.log(one)).sum())) for one in each),
        "known_february": known("february"),
        "known_may": known("may"),
        "decisions": float(np.mean([game["decisions"] for game in games])),
    }


def chosen_rulesets(levers: Levers, n: int, seed: int) -> list[list[int]]:
    """Return n different combinations of values, each as indices into `values_of`."""
    rng, seen = np.random.default_rng(seed), {}
    sizes = [len(values) for values in values_of(levers)]
    while len(seen) < min(n, math.prod(sizes)):
        one = [int(rng.integers(size)) for size in sizes]
        seen.setdefault(tuple(one), one)
    return list(seen.values())


def values_of(levers: Levers) -> list[list[Any]]:
    """Return the different values of each lever."""
    told = [lever["values"] for lever in levers.levers]
    return [[value for k, value in enumerate(values) if value not in values[:k]] for values in told]


def play_all(
    policy: Policy, levers: Levers, wanted: Sequence[list[int]], games: int, path: Path, head: dict[str, Any], seed: int
) -> list[dict[str, Any]]:
    """Play the rulesets that a file lacks, and return all of them: ``choice`` and `figures`."""
    lines = runs.whole_lines(path)
    if lines and lines[0] != head:
        raise OptionError(f"{path} has rulesets of other settings: {lines[0]}; name another --out")
    runs.write_lines(path, lines or [head])
    done = {tuple(line["choice"]): line for line in lines[1:]}
    missing = [one for one in wanted if tuple(one) not in done]
    options = values_of(levers)
    lanes = min(games, 16 if games < 100 else 64)
    at_once = LANES // lanes
    tell = progress_bar(len(wanted))
    for start in range(0, len(missing), at_once):
        some = missing[start : start + at_once]
        made = [Game(scenario="long", **levers.options([options[k][v] for k, v in enumerate(one)])) for one in some]
        table = Table(policy, [game for game in made for _ in range(lanes)], seed + start)
        found = table.play(math.ceil(games / lanes))
        for k, one in enumerate(some):
            its = [game for row in zip(*found[k * lanes : (k + 1) * lanes], strict=True) for game in row][:games]
            done[tuple(one)] = {"choice": one, **figures(its)}
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(done[tuple(one)]) + "\n" for one in some)
        if tell is not None:
            tell(len(wanted) - len(missing) + start + len(some))
    return [done[tuple(one)] for one in wanted]


# Fitting


def design(choices: NDArray[np.int64], sizes: Sequence[int]) -> NDArray[np.float64]:
    """Return the columns that a figure is fitted on: 1, each lever's values, and all pairs of two levers' values."""
    flags = [choices[:, k, None] == np.arange(1, size) for k, size in enumerate(sizes)]
    single = np.concatenate(flags, 1).astype(np.float64)
    pairs = [(a[:, :, None] & b[:, None, :]).reshape(len(choices), -1) for a, b in itertools.combinations(flags, 2)]
    return np.concatenate([np.ones((len(choices), 1)), single, *pairs], 1)


def fit(found: Sequence[dict[str, Any]], name: str, sizes: Sequence[int]) -> NDArray[np.float64]:
    """Return a figure's coefficients on `design`, by ridge regression; pairs are held to nothing more than levers."""
    rows = [one for one in found if np.isfinite(one[name])]
    matrix = design(np.array([one["choice"] for one in rows]), sizes)
    singles = 1 + sum(size - 1 for size in sizes)
    weight = np.where(np.arange(matrix.shape[1]) < singles, 0.1, 10.0)
    target = np.array([one[name] for one in rows])
    return np.asarray(np.linalg.solve(matrix.T @ matrix + np.diag(weight), matrix.T @ target), np.float64)


def missed(figure: dict[str, Any] | dict[str, float]) -> float:
    """Return by how much a ruleset misses the aims, weighed."""
    total = 0.0
    for name, (least, most, weight) in AIMS.items():
        value = figure[name]
        total += weight * max(0.0, least - value, value - most) if np.isfinite(value) else weight
    return total


def ranked(found: Sequence[dict[str, Any]], levers: Levers) -> list[dict[str, Any]]:
    """Return all combinations with their fitted figures, those that miss the aims least first."""
    sizes = [len(values) for values in values_of(levers)]
    every = np.array(list(itertools.product(*map(range, sizes))))
    matrix = design(every, sizes)
    names = [name for name in found[0] if name not in ("choice", "games")]
    fitted = {name: matrix @ fit(found, name, sizes) for name in names}
    rows = [{"choice": one.tolist(), **{name: float(fitted[name][k]) for name in names}} for k, one in enumerate(every)]
    return sorted(rows, key=missed)


# For people


TOLD = (*AIMS, "king_dead", "leader_dead", "plans", "decisions")


def effects(found: Sequence[dict[str, Any]], levers: Levers) -> list[str]:
    """Return a table of the mean figures where a lever has each of its values."""
    rows: list[list[object]] = []
    for k, (lever, values) in enumerate(zip(levers.levers, values_of(levers), strict=True)):
        for v, value in enumerate(values):
            some = [one for one in found if one["choice"][k] == v]
            means = {name: _mean([one[name] for one in some]) for name in TOLD}
            rows.append([lever["name"], _short(value), len(some), *_cells(means)])
    return table_lines(["lever", "value", "rulesets", *TOLD], rows)


def _mean(values: Sequence[float]) -> float:
    """The mean of those that are known."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else math.nan


def _short(value: Any) -> str:
    return "other" if isinstance(value, dict) else str(value)


def _cells(figure: dict[str, Any]) -> list[str]:
    return [f"{figure[name]:.1f}" if name in ("plans", "decisions") else f"{figure[name]:.1%}" for name in TOLD]


def listed(rows: Sequence[dict[str, Any]], levers: Levers) -> list[str]:
    """Return a table of rulesets: their values and figures."""
    options = values_of(levers)
    return table_lines(
        ["values", "missed", *TOLD],
        [
            [", ".join(_short(options[k][v]) for k, v in enumerate(row["choice"])), f"{missed(row):.2f}", *_cells(row)]
            for row in rows
        ],
    )


def draw(found: Sequence[dict[str, Any]], confirmed: Sequence[dict[str, Any]], path: Path) -> None:
    """Write a picture of what excludes what: early ends against ties, and the sides' balance. Needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    FigureCanvasAgg(figure)
    pairs = (("before_april", "ties"), ("occupation", "kamehameha"))
    for axes, (x, y) in zip(np.asarray(figure.subplots(1, 2)), pairs, strict=True):
        points = axes.scatter(
            [one[x] for one in found], [one[y] for one in found], c=[one["kamehameha"] for one in found], s=8,
            cmap="coolwarm", vmin=0.2, vmax=0.8,
        )  # fmt: skip
        axes.scatter(
            [one[x] for one in confirmed], [one[y] for one in confirmed], s=50, facecolors="none", edgecolors="black"
        )
        for name, pick in ((x, axes.axvspan), (y, axes.axhspan)):
            least, most, _ = AIMS[name]
            pick(least, most, color="#9dc183", alpha=0.25, lw=0)
        axes.set(xlabel=x.replace("_", " "), ylabel=y.replace("_", " "))
        figure.colorbar(points, ax=axes, label="Kamehameha's score")
    figure.suptitle("Rulesets (rings: played again); green: the aims", fontsize=10)
    figure.savefig(path, dpi=110)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="Which numbers make a deep game, by one policy over many rulesets.")
    parser.add_argument("--policy", required=True, help="a policy's file, trained over the levers")
    parser.add_argument(
        "--levers", help="a file of levers, or its name in configs/levers; the policy's own if left out"
    )
    parser.add_argument("--rules", help="the ruleset that the levers change; the shipped one if left out")
    parser.add_argument("--rulesets", type=int, default=768, help="drawn at random")
    parser.add_argument("--games", type=int, default=32, help="of each ruleset")
    parser.add_argument("--confirm", type=int, default=0, help="play so many of the best again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args(arguments)

    def work() -> None:
        torch.set_num_threads(1)
        policy = Policy.load(args.policy)
        told = args.levers or policy.meta.get("levers")
        if not told:
            raise OptionError(f"levers: {args.policy} was not trained over any; name a file")
        levers = Levers(told, Game(rules=args.rules).ruleset.content)
        args.out.mkdir(parents=True, exist_ok=True)
        head = {"policy": policy.meta.get("decisions"), "levers": levers.levers, "seed": args.seed}
        path = args.out / "rulesets.jsonl"
        if args.confirm:
            found = runs.whole_lines(path)[1:]
            if len(found) < 20:
                raise OptionError(f"{path}: 20 rulesets or more are wanted; run it without --confirm first")
            best = [one["choice"] for one in ranked(found, levers)[: args.confirm]]
            again = {**head, "games": args.games}
            confirmed = play_all(
                policy, levers, best, args.games, args.out / "confirmed.jsonl", again, args.seed + 10**6
            )
        else:
            wanted = chosen_rulesets(levers, args.rulesets, args.seed)
            found, confirmed = play_all(policy, levers, wanted, args.games, path, head, args.seed), []
        page = [f"# Levers, {len(found)} rulesets", *effects(found, levers), "", "## Fitted, the best"]
        page += listed(ranked(found, levers)[:20], levers)
        if confirmed:
            page += ["", f"## Played again, {args.games} games each"]
            page += listed(sorted(confirmed, key=missed), levers)
        text = "\n".join(page) + "\n"
        runs.write_text(args.out / "summary.md", text)
        draw(found, confirmed, args.out / "frontier.png")
        print(text)

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
