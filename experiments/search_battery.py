"""How far a search's value is from the exact one, on 40 positions whose values are known.

    python experiments/search_battery.py derive                       # solve the positions, write their values
    python experiments/search_battery.py verify                       # solve them again and compare
    python experiments/search_battery.py measure --out runs/battery.json  # errors at 100, 1,000, 10,000
    python experiments/search_battery.py draw runs/battery.json --to battery.png

The positions stand in `search_battery.toml`. From each of them the game ends before chance and choice
have led to more than some hundred thousand positions: battles that decide the game, last half-turns, half-turns at
whose end somebody has won. `exact` looks at every one of these, without any symmetry and without merged dice, and
finds the value between a lower and an upper bound that meet. Where a battle alone decides, the odds module's solver,
which shares no code with it, must agree.

Values are Kamehameha's expected share of the game: 1 won, 1/2 tied, 0 lost, with best play of both sides.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hawaii_env.errors import HawaiiError
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game, State, core
from hawaii_env.hawaii1795.battles import ATTACKER, Solver, model_of

PLACE = Path(__file__).with_suffix(".toml")
LIMIT = 2_000_000
"""Positions that `exact` looks at before it gives up."""
MEET = 1e-10
"""How near the lower and the upper bound of a value come."""
SIMULATIONS = (100, 1000, 10_000)
RULES = "reconstructed-4"
"""The ruleset of the positions of the battery and of the puzzles: exact values are of its numbers."""
KEY = slice(8 * core.OFFSET["month"], 8 * core.OFFSET["n_legal"])
"""The bytes of a state that are its position."""


def load(path: Path = PLACE) -> list[dict[str, Any]]:
    """The battery: tables with `name`, `kind`, `share`, `positions` and what `Game.position` takes, as `position`."""
    return tomllib.loads(path.read_text(encoding="utf-8"))["battery"]


def game_of(one: dict[str, Any]) -> Game:
    """The game of a position: by `RULES`; its own option, and nothing else, may differ from the long game's."""
    return Game(rules=RULES, **one.get("options", {}))


def state_of(one: dict[str, Any], game: Game | None = None) -> State:
    """A battery's position as a state, in the explicit mode."""
    return (game or game_of(one)).position(**one["position"])


# -- exact values ----------------------------------------------------------------------------------------------------


def graph_of(state: State, limit: int = LIMIT) -> tuple[Any, Any, Any, Any, Any, dict[bytes, int]]:
    """Every position that can follow, the first one first.

    Returns:
        who (0, 1, -1 for chance, -4 for an end) and value (of ends, else 0) by position; where its edges begin; each
        edge's position and chance; and the numbers of the positions by their bytes, `position_of`.

    Raises:
        HawaiiError: they are more than `limit`.
    """
    number = {position_of(state): 0}
    waiting = [state]
    who: list[int] = []
    value: list[float] = []
    first: list[int] = []
    to: list[int] = []
    chance: list[float] = []
    for here in waiting:  # it grows as it is gone through
        at = len(who)
        waiting[at] = state  # what is done needs no room
        player = here.current_player
        who.append(player)
        first.append(len(to))
        value.append(here.returns()[0] if here.is_terminal else 0.0)
        moves = here.chance_outcomes() if player == CHANCE else [(a, 0.0) for a in here.legal_actions()]
        for move, weight in moves:
            after = here.clone()
            if player == CHANCE:
                after.apply_chance(move)
            else:
                after.apply(move)
            seen = number.setdefault(position_of(after), len(number))
            if seen == len(waiting):
                waiting.append(after)
            to.append(seen)
            chance.append(weight)
        if len(number) > limit:
            raise HawaiiError(f"more than {limit} positions follow")
    return np.array(who), np.array(value), np.array(first), np.array(to), np.array(chance), number


def position_of(state: State) -> bytes:
    """A state's bytes that are its position."""
    return core.to_bytes(state._buffer)[KEY]  # pyright: ignore[reportPrivateUsage]


def exact(state: State, limit: int = LIMIT) -> tuple[float, int]:
    """Kamehameha's share with best play of both sides, and how many positions were looked at.

    Raises:
        HawaiiError: more positions than `limit` follow.
    """
    shares, number = exact_shares(state, limit)
    return float(shares[0]), len(number)


def exact_shares(state: State, limit: int = LIMIT) -> tuple[Any, dict[bytes, int]]:
    """Kamehameha's share in every position that can follow, float64[positions], and their numbers; the first is this.

    Bounds of all positions are backed up together until they meet in the first, so rounds without effect, which lead
    back to where they began, need no care.

    Raises:
        HawaiiError: more positions than `limit` follow.
    """
    who, value, first, to, chance, number = graph_of(state, limit)
    inner = who != -4
    low, high = (np.where(inner, bound, value) for bound in (-1.0, 1.0))
    if inner[0]:
        starts, kind = first[inner], who[inner]
        while high[0] - low[0] > MEET:
            for bound in low, high:
                below = bound[to]
                bound[inner] = np.choose(
                    kind + 1,
                    [
                        np.add.reduceat(below * chance, starts),
                        np.maximum.reduceat(below, starts),
                        np.minimum.reduceat(below, starts),
                    ],
                )
    return ((low + high) / 2 + 1) / 2, number


def by_odds(state: State) -> float:
    """Kamehameha's chance in a battle that decides the game, by the odds module's solver."""
    model, node, _ = model_of(state)
    wins = Solver(model).solve(node)[0]
    attacker = state.view().half == "kamehameha"
    return wins if attacker == (ATTACKER == 0) else 1 - wins


def derive(path: Path = PLACE, report: Callable[[str], None] = print) -> None:
    """Solve every position and write its value into the file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    heads = [i for i, line in enumerate(lines) if line == "[[battery]]"]
    for one, head in zip(load(path), heads, strict=True):
        share, positions = exact(state_of(one))
        report(f"{share:.6f} {positions:8,} {one['name']}")
        for key, text in (("share", f"{share:.9f}"), ("positions", str(positions))):
            at = next(i for i in range(head, len(lines)) if lines[i].startswith(f"{key} = "))
            lines[at] = f"{key} = {text}"
    path.write_text("\n".join(lines), encoding="utf-8")


def verify(
    battery: Sequence[dict[str, Any]], largest: int = LIMIT, report: Callable[[str], None] = lambda _: None
) -> int:
    """Solve positions again, those of at most `largest` positions; how many.

    Raises:
        HawaiiError: a value, or the odds module's where the battle alone decides, is another.
    """
    done = 0
    for one in battery:
        if one["positions"] > largest:
            continue
        state = state_of(one)
        found = {"exact": exact(state)[0]}
        if one["kind"] == "battle" and not one["name"].startswith("last half"):
            found["odds"] = by_odds(state)
        for how, share in found.items():
            if abs(share - one["share"]) > 2e-9:
                raise HawaiiError(f"{one['name']}: share: {how} is {share:.9f}, not {one['share']:.9f}")
        report(f"{one['share']:.6f} {' and '.join(found)}: {one['name']}")
        done += 1
    return done


# -- errors of a search ----------------------------------------------------------------------------------------------


def errors(
    battery: Sequence[dict[str, Any]],
    simulations: Sequence[int] = SIMULATIONS,
    seeds: int = 3,
    settings: dict[str, Any] | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """Measure how far a search's root value is from the exact one.

    Args:
        battery: of `load`.
        simulations: at which numbers of simulations, ascending; the search goes on from one to the next.
        seeds: searches a position, of the seeds 0, 1, ...
        settings: for `Game.make_search`; None: random games to the end value positions, no network.
        report: told a line a position.

    Returns:
        by position: its name, share, and by number of simulations the mean over the seeds of the share that the search
        found, of its absolute error, and of the nodes in its memory.
    """
    found: list[dict[str, Any]] = []
    for one in battery:
        game = game_of(one)
        state = state_of(one, game)
        shares, nodes = np.zeros((seeds, len(simulations))), np.zeros((seeds, len(simulations)))
        for seed in range(seeds):
            search = game.make_search(**{"values": "game", "seed": seed, **(settings or {})})
            search.set_root(state)
            for i, n in enumerate(simulations):
                search.run(n - search.simulations)
                shares[seed, i], nodes[seed, i] = (search.value + 1) / 2, search.nodes
        off = np.abs(shares - one["share"]).mean(0)
        found.append(
            {
                "name": one["name"],
                "kind": one["kind"],
                "share": one["share"],
                "simulations": list(simulations),
                "found": shares.mean(0).round(4).tolist(),
                "error": off.round(4).tolist(),
                "nodes": nodes.mean(0).round().tolist(),
            }
        )
        report(
            f"{one['share']:.3f}  "
            + "  ".join(f"{e:.4f}" for e in off)
            + f"  {nodes[:, -1].mean():8,.0f}  {one['name']}"
        )
    return found


def summary(found: Sequence[dict[str, Any]], bound: float = 0.03) -> str:
    """Errors over all positions as a table in Markdown, and how many are under a bound and fall."""
    every = np.array([one["error"] for one in found])
    rows = ["| simulations | mean error | median | greatest | under 0.03 |", "| ---: | ---: | ---: | ---: | ---: |"]
    for i, n in enumerate(found[0]["simulations"]):
        e = every[:, i]
        rows.append(
            f"| {n:,} | {e.mean():.4f} | {np.median(e):.4f} | {e.max():.4f} | {(e < bound).sum()} of {len(e)} |"
        )
    rising = [one["name"] for one in found if not falls(one["error"])]
    rows += ["", f"Not falling with simulations: {'; '.join(rising) or 'none'}."]
    return "\n".join(rows)


def falls(error: Sequence[float], still: float = 0.002) -> bool:
    """Each error is less than the one before, or both are as good as nothing."""
    return all(b < a or max(a, b) <= still for a, b in itertools.pairwise(error))


def draw(runs: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Draw the errors of one or more measurements, a thin line a position and a thick one for the mean, as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * len(runs), 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(runs), sharey=True, squeeze=False)[0]
    colours = {"battle": "#3b6ea5", "plan": "#c26a2d", "card": "#4f8a4c"}
    for axes, (label, found) in zip(panels, runs.items(), strict=True):
        at, named = found[0]["simulations"], set[str]()
        for one in found:
            kind = one["kind"]
            axes.plot(
                at,
                np.maximum(one["error"], 1e-5),
                color=colours[kind],
                alpha=0.5,
                linewidth=0.8,
                label=None if kind in named else kind,
            )
            named.add(kind)
        axes.plot(at, np.mean([one["error"] for one in found], 0), color="black", marker="o", linewidth=2, label="mean")
        axes.axhline(0.03, color="grey", linestyle="--", linewidth=0.8)
        axes.set(xscale="log", yscale="log", ylim=(0.8e-5, 1), xlabel="simulations", title=label)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("error of Kamehameha's share")
    panels[0].legend(loc="lower left", fontsize=8)
    figure.savefig(path, dpi=100, format="png")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="How far a search's value is from the exact one.")
    does = parser.add_subparsers(dest="does", required=True)
    does.add_parser("derive", help="solve the positions and write their values")
    does.add_parser("verify", help="solve the positions and compare")
    run = does.add_parser("measure", help="errors of a search")
    run.add_argument("--simulations", default=",".join(map(str, SIMULATIONS)), help="numbers with commas between")
    run.add_argument("--seeds", type=int, default=3, help="searches a position")
    run.add_argument("--settings", type=json.loads, default={}, help='arguments of the search as JSON: {"c": 2}')
    run.add_argument("--only", default="", help="positions whose name has this")
    run.add_argument("--out", type=Path, help="write the figures there, as JSON")
    show = does.add_parser("draw", help="a picture of one measurement, or of several side by side")
    show.add_argument("files", nargs="+", help="FILE or LABEL=FILE, as `measure` wrote them")
    show.add_argument("--to", type=Path, required=True)
    args = parser.parse_args(arguments)
    started = time.perf_counter()
    try:
        if args.does == "derive":
            derive()
        elif args.does == "verify":
            print(f"{verify(load(), report=print)} positions hold, {time.perf_counter() - started:.0f} s")
        elif args.does == "measure":
            numbers = sorted(int(n) for n in args.simulations.split(","))
            battery = [one for one in load() if args.only in one["name"]]
            found = errors(battery, numbers, args.seeds, args.settings, print)
            print("\n" + summary(found))
            if args.out:
                args.out.parent.mkdir(parents=True, exist_ok=True)
                args.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        else:
            named = [text.rpartition("=")[::2] for text in args.files]
            draw({a or Path(b).stem: json.loads(Path(b).read_text(encoding="utf-8")) for a, b in named}, args.to)
    except HawaiiError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
