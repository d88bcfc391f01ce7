"""``hawaii exact``: solve a small game, and tell how much agents lose there against a best response."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from hawaii_env import agents
from hawaii_env.arena.sprt import mean_interval
from hawaii_env.command_line import LOAD, SEED, Argument, argument, count
from hawaii_env.exact.games import EXACT_GAMES, make_game
from hawaii_env.exact.solution import OptimalAgent, Solution, solve
from hawaii_env.playing import play
from hawaii_env.terminal import say
from hawaii_env.texts import count as plural
from hawaii_env.texts import number, parse_json, read_bytes, write_bytes

__all__ = ["EXACT", "run_exact", "sampled"]

EXACT: tuple[Argument, ...] = (
    argument("name", choices=tuple(EXACT_GAMES), help="which game"),
    argument("--years", type=count, help="of the atoll: its last year, 1 to 3 (default: 3)"),
    argument("--agents", metavar="SPECS", default="random", help="whose exploitability (default: %(default)s)"),
    argument("--samples", type=count, default=1,
        help="how often an agent that draws is asked for each position (default: %(default)s)"),
    argument("--games", type=count,
        help="for slow agents: play so many games of each seat against an optimal strategy, for a lower bound"),
    argument("--out", metavar="FILE.json", help="write the figures there, beside those of other agents"),
    argument("--again", action="store_true", help="solve the game even if the cache has its solution"),
    *(LOAD, SEED),
)  # fmt: skip


def sampled(solution: Solution, spec: str, games: int, seed: int) -> tuple[float, float, float]:
    """Return a lower bound of an agent's exploitability, the mean of both seats, and the ends of its 95 % interval:
    what it loses against an optimal strategy, which does not know it.

    Args:
        solution: of the game.
        spec: the agent.
        games: of each seat; the two of a seed count as one.
        seed: of the games.
    """
    optimal, lost = OptimalAgent(seed), list[float]()
    for k in range(games):
        # What the value of the game gives one seat, it takes from the other.
        returns = [play(solution.game, players, seed=seed + k).returns()[seat]
                   for seat, players in enumerate(([spec, optimal], [optimal, spec]))]  # fmt: skip
        lost.append((1 - sum(returns) / 2) / 2)
    mean, low, high = (2 * share - 1 for share in mean_interval(lost))
    return mean, low, high


def run_exact(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status."""
    for path in arguments.load:
        agents.load_file(path)
    game = make_game(arguments.name, arguments.years)
    specs = list(agents.split_agents(arguments.agents))
    for spec in specs:  # which takes less time than solving the game
        made = agents.load_agent(spec)
        try:
            agents.begin(made, game, 0)
        finally:
            agents.close(made)
    shown = 0

    def progress(positions: int) -> None:
        nonlocal shown
        if positions >= 2 * shown + 1000:
            shown = positions
            say(f"  {plural(positions, 'position')} ...")

    solution = solve(game, progress, again=arguments.again)
    print(f"{arguments.name}: {EXACT_GAMES[arguments.name].about}")
    print(
        f"{plural(len(solution.values), 'position')}, solved in {solution.seconds:.1f} s; value for "
        f"{game.agents[0]}: {number(solution.value(), 6)}"
    )
    rows: list[dict[str, Any]] = []
    for spec in specs:
        row: dict[str, Any] = {"agent": spec}
        if arguments.games:
            lost, low, high = sampled(solution, spec, arguments.games, arguments.seed)
            print(
                f"{spec}: exploitability at least {number(lost, 3)} ({number(low, 3)} to {number(high, 3)}), by "
                f"{plural(2 * arguments.games, 'game')} against an optimal strategy"
            )
            row |= {"least": lost, "interval": [low, high], "games": 2 * arguments.games}
        else:
            found = solution.exploitability(agents.load_agent(spec), arguments.samples)
            seats = ", ".join(f"{name} {number(lost, 4)}" for name, lost in zip(game.agents, found.seats, strict=True))
            how = "" if found.exact else f", of {arguments.samples} draws for each decision"
            print(f"{spec}: exploitability {number(found.mean, 4)} ({seats}){how}")
            row |= {"seats": found.seats, "samples": 0 if found.exact else arguments.samples}
        rows.append(row)
    if arguments.out:
        about = {
            "game": arguments.name, "years": arguments.years, "ruleset": game.ruleset_name,
            "positions": len(solution.values), "value": solution.value(), "seconds": solution.seconds,
        }  # fmt: skip
        _merge(Path(arguments.out), about, rows)
    return 0


def _merge(path: Path, about: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Write figures to a file, and keep there what it has of other agents in the same game."""
    if path.exists():
        old = parse_json(read_bytes(path))
        if all(old.get(key) == about[key] for key in ("game", "years", "ruleset")):
            named = {row["agent"] for row in rows}
            rows = [*(row for row in old["agents"] if row["agent"] not in named), *rows]
    write_bytes(path, f"{json.dumps({**about, 'agents': rows}, indent=1)}\n".encode())
