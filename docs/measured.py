"""Figures of the generated pages: results that are committed, data of the rules, and how they are printed. Templates
call these functions by their names.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from calibrate import read_study

from hawaii_agents import weights
from hawaii_env import agents, benchmark
from hawaii_env.arena.payoffs import Goodness
from hawaii_env.arena.sprt import mean_interval
from hawaii_env.benchmark.form import Cell, Result
from hawaii_env.games import GameSpec
from hawaii_env.rulesets import Ruleset

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "docs" / "benchmarks"
SETTLED = 0.975
"""The chance that one player is stronger than the next, from which on a rank is settled."""
BUDGETS = (0, 100, 1000)
"""Simulations a decision that a search has at most to be ranked among others of its budget; 0 is no search."""


# Printing


def percent(share: float, interval: Sequence[float] | None = None, digits: int = 1) -> str:
    """Return a share as a percentage, with its interval in brackets."""
    share = round(share, 9)  # what solvers leave in the last places would decide a half
    if interval is None:
        return f"{100 * share:.{digits}f}%"
    return f"{100 * share:.{digits}f}% ({100 * interval[0]:.{digits}f} to {100 * interval[1]:.{digits}f})"


def score_interval(found: dict[str, float]) -> tuple[float, float]:
    """Return the 95% interval of a score that a training run measured, games taken as independent and without ties."""
    wins, games = round(found["score"] * found["games"]), int(found["games"])
    return mean_interval([1.0] * wins + [0.0] * (games - wins))[1:]


def elo_interval(row: dict[str, Any]) -> str:
    """Return the interval of a rating, or "-" for the anchor."""
    return f"{row['low']:.0f} to {row['high']:.0f}" if row["low"] != row["high"] else "-"


def among(bits: int, names: Iterable[str]) -> list[str]:
    """Return the names whose bits are set."""
    return [name for i, name in enumerate(names) if int(bits) >> i & 1]


# Registries and rules


def our_ids(registry: Any, before: str = "") -> str:
    """Return the ids of our environments in a registry."""
    ours = (name for name, spec in registry.items() if str(spec.entry_point).startswith("hawaii_env."))
    return ", ".join(f"`{before}{name}`" for name in sorted(ours)) or "-"


def our_agents() -> list[agents.Description]:
    """Return what the agents that come with the package say of themselves."""
    ours = (point.name for point in entry_points(group=agents.ENTRY_POINTS) if point.value.startswith("hawaii_"))
    return [agents.describe(name) for name in sorted({agents.EpsilonGreedyAgent.name, *ours})]


def observation_sizes(spec: GameSpec, option: str, values: Iterable[Any]) -> list[int]:
    """Return the sizes of a game's observations with each value of an option, each once."""
    return list(dict.fromkeys(spec.make(**{option: value}).observation_size for value in values))


def sources_of(rules: Ruleset, file: str) -> dict[tuple[str, str], str]:
    """Return the source of each value of a file of a ruleset, by table and key."""
    return {(value.table, value.key): value.source for value in rules.provenance if value.file == file}


def reconstructed(rules: Ruleset) -> dict[tuple[str, str], list[str]]:
    """Return all reconstructed values but texts, by file and table."""
    found: dict[tuple[str, str], list[str]] = {}
    for value in rules.provenance:
        if value.source == "reconstructed" and value.key != "text":
            whole = value.table.split(".")
            text = f"`{'.'.join([*whole[2:], value.key])} = {json.dumps(value.value, ensure_ascii=False)}`"
            found.setdefault((value.file, ".".join(whole[:2])), []).append(text)
    return found


def counted_by_source(rules: Ruleset) -> Counter[Any]:
    """Return the numbers of values by kind of source, and by file and kind."""
    kinds = [(value.file, value.source.split()[0]) for value in rules.provenance]
    return Counter(kinds) + Counter(kind for _, kind in kinds)


def taught_by(game: str, against: list[str]) -> list[str]:
    """Return the names of the opponents of the game's track that are among some agents, with whichever options."""
    names = {agent.partition(":")[0] for agent in against}
    scored = ((one, one.agent.partition(":")[0]) for one in benchmark.load_suite(game).opponent if one.scored)
    return [one.name for one, agent in scored if agent in names and not agent.startswith("ppo")]


def taught_note(game: str, folder: str) -> str:
    """Return the sentence that names the opponents in tables that taught shipped weights of a game; empty if none did.

    Args:
        game: the game's name.
        folder: the path from the page to the folder of the docs.
    """
    found: set[str] = set()
    for meta in (weights.load(name).meta for name in weights.names()):
        if meta["game"] == game and meta["config"].get("scripted"):
            found |= {agent.partition(":")[0] for agent in agents.split_agents(meta["config"]["scripted"])} - {"ppo"}
    if not found:
        return ""
    listed = " and ".join(f"`{name}`" for name in sorted(found))
    cards = f"[shipped weights]({folder}reference/weights.md)"
    return (
        f"The {cards} of this game learned from games against {listed}: scores of `ppo`, and of searches that it "
        "guides, against these are scores against their teachers."
    )


def weight_bytes(name: str) -> bytes:
    """Return the content of a file of shipped weights."""
    return (weights.FOLDER / f"{name}.safetensors").read_bytes()


# Committed results


def read(name: str) -> Any:
    """Return the content of a JSON file of docs/benchmarks."""
    return json.loads((BENCHMARKS / name).read_text(encoding="utf-8"))


def toml(name: str) -> dict[str, Any]:
    """Return the content of a TOML file of the project."""
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def calibrated(name: str, ruleset: str = "") -> list[dict[str, Any]]:
    """Return the committed results of a study of experiments/calibrate.py.

    Raises:
        SystemExit: results of another ruleset than the one that is named, in parts without the option `rules`.
    """
    found = json.loads((ROOT / read_study(name)["results"]).read_text(encoding="utf-8"))
    if ruleset and {one["ruleset"] for one in found if "rules" not in one["options"]} != {ruleset}:
        raise SystemExit(
            f"the results of {name} are of another ruleset: python experiments/calibrate.py {name} --write"
        )
    return found


def ladders(game: str) -> list[dict[str, Any]]:
    """Return the ladders of a game: by the number of players, then as the study has them."""
    return sorted(
        (one for one in read("ladders.json")["ladders"] if one["game"] == game), key=lambda one: len(one["seats"])
    )


def scores_of(ratings: dict[str, Any]) -> tuple[Goodness, list[float], list[float]]:
    """Return how well a ladder's ratings describe its scores; the Nash mixture, and the scores against it."""
    return Goodness(**ratings["goodness"]), *ratings["nash"]


def open_ranks(ratings: dict[str, Any]) -> list[str]:
    """Return the neighbours of a ranking whose order is not settled, with the chance that it is the right one."""
    names, chances = [row["player"] for row in ratings["table"]], ratings["superiority"]
    pairs = [(names[i], names[i + 1], chances[i][i + 1]) for i in range(len(names) - 1)]
    return [f"{a} before {b} ({percent(chance, digits=0)})" for a, b, chance in pairs if chance < SETTLED]


def cell_interval(cell: dict[str, Any]) -> tuple[float, float, float]:
    """Return the score of a pair of a ladder and its 95% interval, games taken as independent."""
    return mean_interval([1.0] * cell["wins"] + [0.5] * cell["ties"] + [0.0] * cell["losses"])


def ladder_cells(cells: list[dict[str, Any]]) -> tuple[dict[tuple[str, str], str], str]:
    """Return the scores of a ladder's pairs with their intervals, and the width of the widest in points."""
    texts: dict[tuple[str, str], str] = {}
    widest = 0.0
    for cell in cells:
        share, low, high = cell_interval(cell)
        texts[cell["player"], cell["other"]] = f"{percent(share)} ({100 * low:.0f}-{100 * high:.0f})"
        widest = max(widest, high - low)
    return texts, f"{100 * widest:.0f}"


def match_of(rows: list[dict[str, Any]], levels: Sequence[Any], level: Any, options: dict[str, Any]) -> Any:
    """Return the match of a level of the browser against the one below, or None.

    Raises:
        SystemExit: a match of other agents than those of the levels.
    """
    match = next((one for one in rows if (one["options"], one["level"]) == (options, level.number)), None)
    agents = [one.agent_for(options) for one in levels[level.number - 2 : level.number]]
    if match and [match["against"], match["agent"]] != agents:
        raise SystemExit("docs/benchmarks/levels.json is of other levels: matches.py hawaii1795-levels --write")
    return match


def played_puzzles(puzzles: Sequence[Any], losses: dict[str, dict[str, float]]) -> list[Any]:
    """Return the puzzles that all agents have played.

    Raises:
        SystemExit: results of puzzles that are not there.
    """
    if any(set(of) - {one.name for one in puzzles} for of in losses.values()):
        raise SystemExit("docs/benchmarks/puzzles.json is of others: python experiments/puzzles.py score --write")
    return [one for one in puzzles if all(one.name in of for of in losses.values())]


def losses_of(puzzles: Iterable[Any], losses: dict[str, float]) -> list[float]:
    """Return an agent's losses in some puzzles."""
    return [losses[one.name] for one in puzzles]


def figures_of(results: Iterable[dict[str, Any]], title: str, names: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Return the figures of parts of a study as `aims_table` takes them: all, or those of some names."""
    return [
        {
            **one,
            "name": title.format(**one),
            "figures": {key: one["figures"].get(key) for key in names or one["figures"]},
        }
        for one in results
    ]


def by_players(rows: Iterable[dict[str, Any]], *keys: str) -> list[dict[str, Any]]:
    """Return rows in the order of some keys, then of the number of players."""
    return sorted(rows, key=lambda row: (*(row[key] for key in keys), len(row["seats"])))


def results_of(track: str) -> list[Result]:
    """Return the results of a track of the benchmark: by budget, then by the score against held-out opponents.

    Raises:
        SystemExit: one that is no result of this version of the track.
    """

    def rank(result: Result) -> tuple[int, float]:
        assert result.scores is not None
        budget = len(BUDGETS) + 1  # limited by time: last
        if result.simulations is not None:
            budget = sum(result.simulations > most for most in BUDGETS)
        return budget, -(result.scores.held_out or result.scores.all).value

    suite = benchmark.load_suite(track)
    found = {path: benchmark.read_result(path) for path in sorted((BENCHMARKS / "results" / track).glob("*.json"))}
    for path, result in found.items():
        if (result.track, result.suite, result.quick, result.complete) != (track, suite.hash, False, True):
            raise SystemExit(f"{path}: no complete result of version {suite.version} of the track {track}")
    return sorted(found.values(), key=rank)


def solved_cells(scenario: str) -> list[tuple[str, Cell]]:
    """Return the cells of a solved game with their agents: exact ones, then bounds, the least loss first."""
    cells = [(one.agent, cell) for one in results_of("exact") for cell in one.cells if cell.scenario == scenario]
    return sorted(cells, key=lambda of: (of[1].exact is None or of[1].exact.bound, -of[1].share))


def held_out_strengths() -> dict[tuple[str, str, str], dict[str, Cell]]:
    """Return by track, scenario and held-out opponent the cells of the public opponents that met it, by their names."""
    found: dict[tuple[str, str, str], dict[str, Cell]] = {}
    for track in benchmark.tracks():
        public = {one.agent: one.name for one in benchmark.load_suite(track).opponent if not one.held_out}
        for result in results_of(track):
            for cell in result.cells:
                if cell.held_out and result.agent in public:
                    found.setdefault((track, cell.scenario, cell.opponent), {})[public[result.agent]] = cell
    return found
