"""Calibration: play equal agents on rulesets and compare the figures of their games with aims.

    python experiments/calibrate.py hawaii1795-depth --processes 2 --write
    python experiments/calibrate.py my-study.toml --only after --games 50
    python experiments/calibrate.py hawaii1795-levers --processes 2

A study is a TOML file, or the name of one in `configs/calibration`:

    game = "hawaii1795"
    results = "docs/benchmarks/x.json"        # the file that --write updates, and pictures beside it
    [aims]                                    # figure = [least, most] or [least, most, weight of a miss]
    ties = [0.0, 0.25]
    [[part]]                                  # games of one agent in all seats
    name = "before"                           # default: the agent; listed options are added
    agent = "ppo:greedy=false"
    games = 400
    options = { rules = "experiments/configs/rulesets/mine" }   # each combination of listed values is a part
    settings = { again = 2 }                  # of the game's module in `calibration`
    [levers]                                  # rulesets drawn from levers, and the effect of each lever
    file = "hawaii1795-late"                  # as for the trainer, see `configs/levers`
    agent = "ppo:greedy=false"
    drawn = 256                               # rulesets of `games` games each; the `best` again with `again` games
    games = 32
    best = 12
    again = 400
    pictures = [["before_april", "ties"]]

Each game is written when it ends; the same command resumes. In the study's folder are ``games.jsonl`` for each part,
the figures of all parts in ``results.json``, and ``summary.md`` with the aims. `calibration/__init__.py` says what each
figure is, `calibration/GAME.py` what a game adds.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import studies
from calibration import levers as fitting
from calibration import module_of
from matches import combinations

from hawaii_agents.training import runs
from hawaii_agents.training.levers import Levers
from hawaii_env import agents, load_game
from hawaii_env.errors import OptionError
from hawaii_env.game import CHANCE, SIMULTANEOUS

KEYS = {
    "part": {"name", "agent", "games", "options", "settings", "seed"},
    "levers": {"file", "agent", "drawn", "games", "best", "again", "options", "settings", "pictures", "seed"},
}
Job = tuple[str, dict[str, Any], str, int, dict[str, Any]]


def read_study(name: str) -> dict[str, Any]:
    """Return a study from a path, or from the name of a file in ``experiments/configs/calibration``.

    Raises:
        OptionError: there is no such file, or a key is unknown or missing.
    """
    path, study = studies.read_study(name, "calibration", KEYS, {"part": {"agent"}, "levers": {"agent", "file"}})
    for figure, aim in study.get("aims", {}).items():
        if not isinstance(aim, list) or len(aim) not in (2, 3) or aim[0] > aim[1]:
            raise OptionError(f"{path}: aims: {figure}: [least, most] or [least, most, weight], not {aim!r}")
    return study


# Playing


def play(job: Job) -> dict[str, Any]:
    """Play one game of an agent against itself; return its result and the observations of the game's `Watch`."""
    name, options, agent, seed, settings = job
    game = load_game(name, **options)
    watch = module_of(name).Watch(game, agent, seed, settings)
    if (whole := watch.whole()) is not None:
        return {"seed": seed, **whole}
    players = agents.load_agents(agent, game, seed=game.num_players * seed)
    for index, player in enumerate(players):
        agents.begin(player, game, index)
    rng, decisions = np.random.default_rng(seed), 0
    state = game.initial_state(chance="explicit")
    while not state.is_terminal:
        watch.before(state)
        action: int | None = None
        if state.current_player == CHANCE:
            outcomes = state.chance_outcomes()
            shares = np.array([share for _, share in outcomes])
            state.apply_chance(outcomes[int(rng.choice(len(outcomes), p=shares / shares.sum()))][0])
        elif state.current_player == SIMULTANEOUS:
            chosen = {
                k: players[k].act(state.for_search(k), state.legal_actions(k), None) for k in state.acting_players
            }
            state.apply_joint(chosen)
            decisions += len(chosen)
        else:
            action = watch.choose(state)
            if action is None:
                action = int(players[state.current_player].act(state.for_search(), state.legal_actions(), None))
            state.apply(action)
            decisions += 1
        watch.after(state, action)
    outcome = state.outcome()
    assert outcome is not None
    return {
        "seed": seed, "shares": list(outcome.shares), "scores": outcome.scores and list(outcome.scores),
        "reason": outcome.reason, "decisions": decisions, **watch.result(state),
    }  # fmt: skip


def play_ruleset(job: tuple[Job, int]) -> dict[str, Any]:
    """Play the games of a job, with its seed and the following ones; return their figures."""
    (name, options, agent, seed, settings), count = job
    games = [play((name, options, agent, seed + k, settings)) for k in range(count)]
    return module_of(name).figures(games)


def _play_choice(job: tuple[int, list[int], tuple[Job, int]]) -> dict[str, Any]:
    number, choice, ruleset = job
    return {"seed": number, "choice": choice, **play_ruleset(ruleset)}


def parts_of(study: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a study, one for each combination of options."""
    found: list[dict[str, Any]] = []
    for entry in study.get("part", []):
        varied = [key for key, value in entry.get("options", {}).items() if isinstance(value, list)]
        for options in combinations(entry.get("options", {})):
            name = ", ".join([entry.get("name", entry["agent"]), *(str(options[key]) for key in varied)])
            found.append({"settings": {}, "games": 200, "seed": 1, **entry, "name": name, "options": options})
    return found


def measure(game: str, one: dict[str, Any], out: Path, processes: int) -> dict[str, Any]:
    """Play the missing games of a part; return its result: settings, ruleset, figures."""
    made, module = load_game(game, **one["options"]), module_of(game)
    head = {"game": game, **{key: one[key] for key in ("agent", "options", "settings")}, "ruleset": made.ruleset_hash}
    jobs = {
        seed: (game, one["options"], one["agent"], seed, one["settings"])
        for seed in range(one["seed"], one["seed"] + one["games"])
    }
    games = studies.collect(head, play, jobs, out / re.sub(r"[^\w.-]+", "-", one["name"]), processes)
    names = {"ruleset": made.ruleset_name, "ruleset_hash": made.ruleset_hash, "agents": list(made.agents)}
    return {**one, **names, "figures": module.figures(games), **module.summarise(games)}


# Results


def show(game: str, name: str, value: float) -> str:
    """Return a figure as text: a share in percent, or a number."""
    if math.isnan(value):
        return "-"
    return f"{value:.1f}" if name in module_of(game).NUMBERS else f"{value:.1%}"


def aims_table(study: dict[str, Any], parts: Sequence[dict[str, Any]]) -> str:
    """Return a Markdown table of all figures, bold if the aim is met: for a share, by both ends of the interval."""
    aims, game = study.get("aims", {}), study["game"]
    module, bounds = module_of(game), [module_of(game).bounds(one) for one in parts]
    names = dict.fromkeys([*aims, *(name for one in parts for name in one["figures"])])
    rows: list[list[object]] = []
    for name in names:
        least, most = aims.get(name, [-math.inf, math.inf])[:2]
        aim = f"{show(game, name, least)} to {show(game, name, most)}" if name in aims else ""
        cells = []
        for one, ends in zip(parts, bounds, strict=True):
            value = one["figures"].get(name)
            text = show(game, name, math.nan if value is None else value)
            low, high = ends.get(name, [value] * 2 if name in module.NUMBERS and value is not None else [-math.inf] * 2)
            text += f" ({low:.0%} to {high:.0%})" if name in ends else ""
            cells.append(f"**{text}**" if name in aims and least <= low and high <= most else text)
        rows.append([name.replace("_", " "), aim, *cells])
    return runs.table(["figure", "target", *(one["name"] for one in parts)], rows)


def write(parts: Sequence[dict[str, Any]], study: dict[str, Any], path: Path) -> None:
    """Update a file of results and its pictures; other parts stay unchanged."""
    known = runs.read_json(path, [])
    found = list({one["name"]: one for one in [*known, *parts]}.values())
    runs.write_json(path, found)
    for name, picture in module_of(study["game"]).pictures(found).items():
        place = path.with_suffix("") / f"{name}.png" if name else path.with_suffix(".png")
        place.parent.mkdir(parents=True, exist_ok=True)
        picture.savefig(place, dpi=110, format="png")


def run(study: dict[str, Any], out: Path, only: str = "", count: int | None = None, processes: int = 1) -> list[Any]:
    """Play the missing parts of a study; write the figures after each, and return them."""
    found: list[dict[str, Any]] = []
    for one in parts_of(study):
        if only in one["name"]:
            one["games"] = count or one["games"]
            found.append(measure(study["game"], one, out, processes))
            runs.write_json(out / "results.json", found)
            runs.write_text(out / "summary.md", aims_table(study, found))
    return found


def run_levers(study: dict[str, Any], out: Path, count: int | None, processes: int) -> str:
    """Play the missing rulesets of a study's levers; write and return the page of their effects."""
    wanted, aims, game = study["levers"], study.get("aims", {}), study["game"]
    options, settings, seed = wanted.get("options", {}), wanted.get("settings", {}), wanted.get("seed", 1)
    made: Any = load_game(game, **options)
    levers = Levers(wanted["file"], made.ruleset.content)
    values = fitting.values_of(levers)
    head = {"levers": levers.levers, "agent": wanted["agent"], "settings": settings, "ruleset": made.ruleset_hash}

    def played(name: str, choices: list[list[int]], games: int, first: int) -> list[dict[str, Any]]:
        jobs: dict[int, Any] = {}
        for number, choice in enumerate(choices):
            drawn = {**options, **levers.options([values[k][v] for k, v in enumerate(choice)])}
            jobs[number] = number, choice, ((game, drawn, wanted["agent"], first + games * number, settings), games)
        return studies.collect({**head, "games": games}, _play_choice, jobs, out / name, processes)

    games = count or wanted.get("games", 32)
    found = played("rulesets", fitting.drawn(levers, wanted.get("drawn", 256), seed), games, seed)
    best = [row["choice"] for row in fitting.ranked(found, levers, aims)[: wanted.get("best", 0)]]
    confirmed = played("confirmed", best, count or wanted.get("again", 400), seed + 10**6) if best else []
    page = fitting.page(found, confirmed, levers, aims, lambda name, value: show(game, name, value))
    runs.write_text(out / "levers.md", page)
    if pictures := wanted.get("pictures"):
        fitting.draw(found, confirmed, aims, pictures, out / "levers.png")
    return page


def play_args(args: argparse.Namespace) -> None:
    """Play a study according to the command line, and print its figures."""
    study = read_study(args.study)
    if found := run(study, args.out, args.only, args.games, args.processes):
        print(aims_table(study, found))
        if args.write:
            write(found, study, studies.ROOT / study["results"])
    if "levers" in study:
        print(run_levers(study, args.out, args.games, args.processes))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    description = "Play equal agents on rulesets and compare figures with aims."
    return studies.play_study("calibration", description, arguments, play_args)


if __name__ == "__main__":
    sys.exit(main())
