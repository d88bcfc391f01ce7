"""Balance of ALOHA's data between equal agents: who wins by place and island, which islands are chosen, what brings
points.

    python experiments/calibrate_aloha.py --agent aloha-search:sims=8 --games 300,120,80 --out runs/aloha --write

For two, three and four players, unless ``--players`` says otherwise; and as a control `aloha-greedy` in all seats, once
with its own Prologue and once with one at random, which tells the place in the order from what is chosen there. One
line a game goes to ``games.jsonl`` as it ends; the same command goes on where a stopped one left off. ``--write``
renews docs/benchmarks/aloha-balance.json, from which ``python docs/generate.py`` writes the page, and its figure beside
it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training import runs
from training.runs import collect

from hawaii_env import agents
from hawaii_env.aloha import Game
from hawaii_env.aloha.rules import scoring
from hawaii_env.aloha.rules.names import ISLANDS, SETS, STAGES
from hawaii_env.arena.sprt import mean_interval
from hawaii_env.errors import OptionError
from hawaii_env.game import CHANCE

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "aloha-balance.json"
RESOURCES = ("hawaiian", "commerce", "aloha")
SOURCES = (
    "monarchs", "island cards", *(f"majorities of {name}" for name in RESOURCES), "Governor", "Representatives",
    *(f"{name} at the end" for name in RESOURCES),
)  # fmt: skip
NEAR_FAIR, MOST_OF_A_SOURCE, MOST_OF_AN_ISLAND = 0.06, 0.45, 0.9
"""What is asked of the data: how far from fair a place may be, how much of all points a source may bring, and how often
the first to settle may choose one island.
"""


CONTROL, CONTROL_GAMES = "aloha-greedy", 400
"""Who plays the control, and how many games of each kind."""


def play(spec: str, players: int, rules: str | None, seed: int, stray: bool = False) -> dict[str, Any]:
    """Play one game of an agent against itself, with `stray` after a Prologue at random; return what came of it, by
    player.

    Chance is drawn here, outside the position: so each stage's scoring is seen before the next stage's first card.
    """
    game = Game(players=players, rules=rules)
    made = agents.load_agents(spec, game, seed=players * seed)
    for index, player in enumerate(made):
        agents.begin(player, game, index)
    state, draw = game.initial_state(chance="explicit"), random.Random(seed)
    sources = [dict.fromkeys(SOURCES, 0) for _ in range(players)]
    settled, order, decisions = [""] * players, [0] * players, 0
    while not state.is_terminal:
        stage = state.stage
        if state.current_player == CHANCE:
            outcomes = state.chance_outcomes()
            state.apply_chance(draw.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0])
        else:
            player = state.current_player
            legal = state.legal_actions()
            if stray and stage == "prologue":
                action = draw.choice(legal)
            else:
                action = made[player].act(state.for_search(), legal, None)
            if state.phase == "settle":
                settled[player] = game.action_text(action).split()[1]
                order[player] = sum(map(bool, settled)) - 1
            state.apply(action)
            decisions += 1
        if state.stage != stage or state.is_terminal:
            _add_sources(state, stage, sources)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.scores is not None
    assert [sum(found.values()) for found in sources] == list(outcome.scores), "every point has its source"
    return {
        "seed": seed, "shares": outcome.shares, "points": outcome.scores, "order": order, "settled": settled,
        "sources": sources, "decisions": decisions, "reason": outcome.reason,
    }  # fmt: skip


def _add_sources(state: Any, stage: str, sources: list[dict[str, int]]) -> None:
    """Add what the scoring of a stage that has just ended brought each player."""
    t, s, view = state.game.tables, state.interpreted().copy(), state.view()
    ruleset, index = state.game.ruleset.scoring, STAGES.index(stage)
    s.stage = index
    for player, seen in enumerate(view.players.values()):
        found = sources[player]
        if stage in SETS[:3]:
            values = getattr(ruleset, stage)
            cards = [card.split()[1] for card in seen.cards if card.startswith(f"{stage} ")]
            found["monarchs"] += values.monarch * cards.count("monarch")
            found["island cards"] += values.island * (len(cards) - cards.count("monarch"))
        if stage.startswith("chapter"):
            for resource, name in enumerate(RESOURCES):
                found[f"majorities of {name}"] += scoring.majority_points(t, s, player, resource)
        if stage == "epilogue":
            cards = [card.split()[1] for card in seen.cards if card.startswith("epilogue ")]
            found["Governor"] += ruleset.epilogue.governor * cards.count("monarch")
            found["Representatives"] += ruleset.epilogue.island * (len(cards) - cards.count("monarch"))
            for resource, name in enumerate(RESOURCES):
                worth = getattr(ruleset.epilogue.tokens_for_a_point, name)
                found[f"{name} at the end"] += scoring.scored(s, player, resource) // worth


def _play(job: tuple[str, int, str | None, int, bool]) -> dict[str, Any]:
    return play(*job)


def _share(games: Sequence[dict[str, Any]], rows: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """The share of the victory of some players, each a game's index and a player's."""
    mean, *ends = mean_interval([games[game]["shares"][player] for game, player in rows])
    return {"n": len(rows), "share": mean if rows else 0.0, "interval": ends}


def summarise(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of many games of one number of players."""
    players = len(games[0]["shares"])
    rows = [(index, player) for index in range(len(games)) for player in range(players)]
    points = Counter()
    for game in games:
        for found in game["sources"]:
            points.update(found)
    first = Counter(game["settled"][game["order"].index(0)] for game in games)
    every = Counter(island for game in games for island in game["settled"])
    scores = [score for game in games for score in game["points"]]
    return {
        "players": players,
        "games": len(games),
        "places": [
            _share(games, [row for row in rows if games[row[0]]["order"][row[1]] == place]) for place in range(players)
        ],
        "seats": [_share(games, [row for row in rows if row[1] == seat]) for seat in range(players)],
        "islands": {
            island: {
                **_share(games, [row for row in rows if games[row[0]]["settled"][row[1]] == island]),
                "first_choice": first[island] / len(games),
                "chosen": every[island] / len(games),
            }
            for island in ISLANDS
        },
        "sources": {name: points[name] / sum(points.values()) for name in SOURCES},
        "points": {"mean": sum(scores) / len(scores), "least": min(scores), "most": max(scores)},
        "decisions": sum(game["decisions"] for game in games) / len(games),
    }


def faults(found: dict[str, Any]) -> list[str]:
    """Return the aims that the data do not meet; an interval that reaches the bound is not held against
    them.
    """
    fair, wrong = 1 / found["players"], []
    for place, row in enumerate(found["places"], start=1):
        low, high = row["interval"]
        if low > fair + NEAR_FAIR or high < fair - NEAR_FAIR:
            wrong.append(f"{found['players']} players: place {place} has {row['share']:.1%}")
    for island, row in found["islands"].items():
        if row["first_choice"] > MOST_OF_AN_ISLAND:
            wrong.append(f"{found['players']} players: {island} is chosen first in {row['first_choice']:.0%}")
    for name, share in found["sources"].items():
        if share > MOST_OF_A_SOURCE:
            wrong.append(f"{found['players']} players: {name} bring {share:.0%} of the points")
    return wrong


def run(
    spec: str,
    rules: str | None,
    players: Sequence[int],
    games: Sequence[int],
    out: Path,
    seed: int,
    processes: int,
    control: int = CONTROL_GAMES,
) -> dict[str, Any]:
    """Play what is missing, write the figures, return them; `games` are of each number of players, `control` those of
    the control.
    """
    found: dict[str, Any] = {"ruleset": Game(rules=rules).ruleset_name, "seed": seed, "balance": [], "control": []}

    def measure(agent: str, n: int, stray: bool, place: Path, count: int) -> dict[str, Any]:
        head = {"agent": agent, "players": n, "rules": rules, "ruleset": Game(players=n, rules=rules).ruleset_hash}
        jobs = {s: (agent, n, rules, s, stray) for s in range(seed, seed + count)}
        row = {"agent": agent, **summarise(collect({**head, "stray": stray}, _play, jobs, place, processes))}
        print(f"{agent}{', Prologue at random' if stray else ''}: {_line(row)}", flush=True)
        return row

    for n in players:
        for stray in (False, True):
            row = measure(CONTROL, n, stray, out / f"control-{n}-{'random' if stray else 'own'}", control)
            kept = {key: row[key] for key in ("agent", "players", "games", "places")}
            found["control"].append({**kept, "prologue": "at random" if stray else "its own"})
    for n, count in zip(players, games, strict=True):
        row = measure(spec, n, False, out / str(n), count)
        found["balance"].append(row)
        for fault in faults(row):
            print(f"  {fault}", flush=True)
    runs.write_json(out / "summary.json", found)
    return found


def counts(text: str, players: Sequence[int]) -> list[int]:
    """Read how many games are to be played with each number of players: one number for all, or one for each.

    Raises:
        OptionError: no numbers of 1 or more, or another number of them.
    """
    parts = text.split(",")
    if not all(part.strip().isdigit() and int(part) > 0 for part in parts) or len(parts) not in (1, len(players)):
        raise OptionError(f"--games: one number, or {len(players)} with commas between, are wanted, not {text!r}")
    found = [int(part) for part in parts]
    return found * len(players) if len(found) == 1 else found


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw shares by place with their intervals, first choices of islands and sources of points; write a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    FigureCanvasAgg(figure)
    places, islands, sources = figure.subplots(1, 3, gridspec_kw={"width_ratios": (1, 1, 1.4)})
    for k, row in enumerate(found["balance"]):
        n, shift, label = row["players"], 0.25 * (k - 1), f"{row['players']} players"
        shares = [100 * place["share"] for place in row["places"]]
        low = [100 * (place["share"] - place["interval"][0]) for place in row["places"]]
        high = [100 * (place["interval"][1] - place["share"]) for place in row["places"]]
        at = [place + 1 + 0.12 * (k - 1) for place in range(n)]
        line = places.errorbar(at, shares, yerr=[low, high], fmt="o", capsize=3, label=label)
        places.hlines(100 / n, 0.7, n + 0.3, colors=line[0].get_color(), linestyles="dotted")
        chosen = [100 * row["islands"][island]["first_choice"] for island in ISLANDS]
        islands.bar([x + shift for x in range(5)], chosen, 0.25, label=label)
        brought = [100 * row["sources"][name] for name in SOURCES]
        sources.barh([y + shift for y in range(len(SOURCES))], brought, 0.25, label=label)
    places.set(title="Share of the victory by place, %", xlabel="place in the Prologue (dotted: fair)")
    places.set_xticks(range(1, 5))
    islands.set(title="Who settles first chooses, %")
    islands.set_xticks(range(5), [island.capitalize() for island in ISLANDS], rotation=45)
    sources.set(title="Share of all points, %")
    sources.set_yticks(range(len(SOURCES)), SOURCES)
    sources.invert_yaxis()
    places.legend()
    figure.savefig(path, dpi=110)


def _line(row: dict[str, Any]) -> str:
    places = ", ".join(f"{place['share']:.1%}" for place in row["places"])
    islands = ", ".join(f"{name} {island['first_choice']:.0%}" for name, island in row["islands"].items())
    most = max(row["sources"], key=row["sources"].__getitem__)
    return (
        f"{row['players']} players, {row['games']} games: by place {places}; first choice {islands}; most points: "
        f"{most}, {row['sources'][most]:.0%}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="How ALOHA's data play between equal agents.")
    parser.add_argument("--agent", required=True, help="spec of the agent that plays all seats")
    parser.add_argument("--players", type=int, action="append", choices=(2, 3, 4), help="2, 3 and 4 if left out")
    parser.add_argument("--rules", help="a ruleset's folder; the shipped one if left out")
    parser.add_argument("--games", default="400", help="for each number of players, or one number for each: 400,200,99")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game; the next has the next")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--write", action="store_true", help=f"renew {FIGURES.relative_to(FIGURES.parents[2])}")
    args = parser.parse_args(arguments)

    def work() -> None:
        players = args.players or [2, 3, 4]
        found = run(args.agent, args.rules, players, counts(args.games, players), args.out, args.seed, args.processes)
        if args.write:
            runs.write_json(FIGURES, found)
            draw(found, FIGURES.with_suffix(".png"))

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
