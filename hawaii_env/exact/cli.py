"""``hawaii exact``: solve a small game, and print how much agents lose to a best response."""

from __future__ import annotations

import argparse

from hawaii_env import agents
from hawaii_env.command_line import LOAD, Argument, argument, count
from hawaii_env.exact.games import EXACT_GAMES, make_game
from hawaii_env.exact.solution import solve
from hawaii_env.terminal import say
from hawaii_env.texts import count as plural
from hawaii_env.texts import number

__all__ = ["EXACT", "run_exact"]

EXACT: tuple[Argument, ...] = (
    argument("name", choices=tuple(EXACT_GAMES), help="which game"),
    argument("--years", type=count, help="last year of atoll, 1 to 3 (default: 3)"),
    argument("--agents", metavar="SPECS", default="random", help="agents to measure (default: %(default)s)"),
    argument("--samples", type=count, default=2,
        help="answers of an agent for each position; two show whether it is stochastic (default: %(default)s)"),
    argument("--again", action="store_true", help="solve the game even if the cache has its solution"),
    LOAD,
)  # fmt: skip


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
    for spec in specs:
        found = solution.exploitability(spec, arguments.samples)
        seats = ", ".join(f"{name} {number(lost, 4)}" for name, lost in zip(game.agents, found.seats, strict=True))
        how = "" if found.exact else f", of {arguments.samples} draws for each decision"
        print(f"{spec}: exploitability {number(found.mean, 4)} ({seats}){how}")
    return 0
