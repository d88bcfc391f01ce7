"""OpenSpiel's regret minimisation in the last two turns of the solved game `atoll`, beside the exact values.

    python experiments/cfr.py --write      # some minutes; writes docs/benchmarks/cfr.json

The game from a position on is written down as a tree in Gambit's form, which OpenSpiel reads and solves by itself: CFR,
CFR+ and external-sampling MCCFR. Of each the exploitability of the average strategy, as OpenSpiel finds it, is kept by
iterations, and the value at the end. The tree comes from the rules of the game alone, not from its solution. Needs the
extra `openspiel`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyspiel
import studies

from hawaii_env import exact
from hawaii_env.exact import sealed_games
from hawaii_env.exact.successors import Successors
from hawaii_env.game import State

RESULTS = studies.ROOT / "docs" / "benchmarks" / "cfr.json"
POSITIONS: dict[str, dict[str, Any]] = {
    "two against one": {
        "units": {"dawn": ["B hikuakau", "B akau"], "dusk": ["B kuhema"]},
        "owners": {"akau": "dawn", "hema": "dawn", "kuhema": "dusk", "hikuakau": "dusk"},
    },
    "one against two": {
        "units": {"dawn": ["A hikina"], "dusk": ["B akau", "A hema"]},
        "owners": {"kuhema": "dawn", "hikuakau": "dusk"},
    },
}
"""Positions of the last Spring, with two turns left."""
POINTS = (1, 10, 100, 1_000, 3_000)
"""Iterations after which exploitability is measured."""


def make_position(name: str) -> State:
    """Return one of `POSITIONS`, from the atoll with the second year as its last."""
    return exact.make_game("atoll", years=2).position(year=2, season="spring", phase="orders", **POSITIONS[name])


def exact_value(state: State) -> float:
    """Return the value of a position between turns for player 0, by linear programs."""
    turns = sealed_games.Turns(Successors(state.game))
    root = turns.moves.record_of(state)
    return float(sealed_games.solve_turns(turns, root=root)[turns.number(root)])


def tree(state: State) -> str:
    """Return the game from a position on as a tree in Gambit's format.

    A player knows the whole of earlier turns and what he has entered in the running one.
    """
    sets: tuple[dict[Any, int], dict[Any, int]] = {}, {}
    ends = 0

    def nodes(at: State, past: tuple[int, ...], own: tuple[tuple[int, ...], tuple[int, ...]]) -> Iterator[str]:
        nonlocal ends
        if at.is_terminal:
            ends += 1
            yield f't "" {ends} "" {{ {", ".join(f"{share:.10f}" for share in at.returns())} }}'
            return
        player, legal = at.current_player, at.legal_actions()
        number = sets[player].setdefault((past, own[player]), len(sets[player]) + 1)
        names = " ".join(f'"{action}"' for action in legal)
        yield f'p "" {player + 1} {number} "" {{ {names} }} 0'
        for action in legal:
            after = at.clone()
            after.apply(action)
            entered = (own[0] + (action,) * (player == 0), own[1] + (action,) * (player == 1))
            if after.is_terminal or after.sealed_turn != at.sealed_turn:
                yield from nodes(after, (*past, *entered[0], -1, *entered[1], -2), ((), ()))
            else:
                yield from nodes(after, past, entered)

    return "\n".join(['EFG 2 R "atoll" { "dawn" "dusk" }', "", *nodes(state, (), ((), ()))]) + "\n"


def solvers(game: Any) -> dict[str, tuple[Any, Callable[[], None]]]:
    """Return OpenSpiel's solvers by name, each with its iteration."""
    full, plus, sampling = (
        pyspiel.CFRSolver(game),
        pyspiel.CFRPlusSolver(game),
        pyspiel.ExternalSamplingMCCFRSolver(game, 1),
    )
    return {
        "CFR": (full, full.evaluate_and_update_policy),
        "CFR+": (plus, plus.evaluate_and_update_policy),
        "external-sampling MCCFR": (sampling, sampling.run_iteration),
    }


def curve(game: Any, solver: Any, iterate: Callable[[], None], points: Sequence[int]) -> list[dict[str, float]]:
    """Return by iterations the exploitability of the average strategy, its value for player 0, and the seconds of
    processor time that the iterations took.
    """
    found: list[dict[str, float]] = []
    done, spent = 0, 0.0
    for iterations in points:
        begun = time.process_time()
        for _ in range(iterations - done):
            iterate()
        done, spent = iterations, spent + time.process_time() - begun
        policy = solver.average_policy()
        found.append({
            "iterations": iterations,
            "exploitability": round(pyspiel.exploitability(game, policy), 6),
            "value": round(pyspiel.expected_returns(game.new_initial_state(), policy, -1, False)[0], 6),
            "seconds": round(spent, 2),
        })  # fmt: skip
    return found


def measure(name: str, points: Sequence[int]) -> dict[str, Any]:
    """Return the exact value of a position, the size of its tree, and the curves of all solvers."""
    state = make_position(name)
    text = tree(state)
    game = pyspiel.load_efg_game(text)
    curves = {solver: curve(game, *each, points) for solver, each in solvers(game).items()}
    return {"value": round(exact_value(state), 9), "nodes": text.count("\n") - 2, "curves": curves}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, nargs="+", default=list(POINTS), help="iterations, ascending")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.relative_to(studies.ROOT)}")
    args = parser.parse_args(arguments)
    found = {name: measure(name, args.points) for name in POSITIONS}
    text = json.dumps(found, indent=1) + "\n"
    if args.write:
        RESULTS.write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
