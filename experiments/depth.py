"""Depth of a ruleset between two equal agents: who wins, how and when, what decides, how much is luck.

    python experiments/depth.py --agent ppo:greedy=false --games 400 --out runs/depth
    python experiments/depth.py --agent guided:sims=200 --rules my_rules --scenario short --games 200 --out runs/mine
    python experiments/depth.py --agent ppo:greedy=false --games 400 --out runs/depth --search champion:ms=50
    --ladder random,rule-of-thumb,ppo,guided:sims=100 --pairs 100

One line a game goes to ``games.jsonl`` as it ends; the same command goes on where a stopped one left off. The matches
of ``--search`` and ``--ladder`` have folders of their own, and go on likewise. ``summary.json``, ``summary.md`` and
``depth.png`` hold the figures, with 95% intervals; `depth_figures` says what each is. With ``--write NAME`` the summary
goes to ``experiments/results/depth/NAME.json``, from which ``docs/benchmarks/depth.md`` is generated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from depth_figures import SIDES, draw, markdown, summarise
from training import runs
from training.runs import collect

from hawaii_agents import weights
from hawaii_agents.network import Policy
from hawaii_env import agents, arena
from hawaii_env.agents import Agent
from hawaii_env.arena.sprt import score_interval
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game, State

MOVING = ("movement", "pickup", "cargo", "sail")
KEYS = ("agent", "scenario", "rules", "values", "again", "again_by")
RESULTS = Path(__file__).resolve().parent / "results" / "depth"


# What is asked of one game


def plan_of(units: dict[str, list[str]], field: str | None) -> dict[str, str]:
    """Return a side's plan where its movement ends, in two grains: which spaces it holds or approaches and where its
    leaders are (``targets``), and where each of its land pieces is (``pieces``).
    """
    there: dict[str, list[str]] = {}
    for place, pieces in units.items():
        land = sorted(piece.split("/")[0] for piece in pieces if "canoe" not in piece)
        if land:
            space = (field or place) if place in ("aboard", "war") else place.removeprefix("sea/")
            there[space] = sorted(there.get(space, []) + land)

    def leaders(pieces: list[str]) -> str:
        return "+".join(piece for piece in pieces if piece in ("kamehameha", "john_young", "kalani", "kaiana"))

    return {
        "targets": " ".join(f"{space}({leaders(pieces)})" for space, pieces in sorted(there.items())),
        "pieces": " ".join(f"{space}({','.join(pieces)})" for space, pieces in sorted(there.items())),
    }


class Worth:
    """Kamehameha's expected score, 0 to 1, by a network; over a chance node its exact mean."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def __call__(self, state: State) -> float:
        """Return the expected score of a position."""
        if state.current_player >= 0 or state.is_terminal:
            return self._told(state)
        # Level dice are rolled again, so chance nodes may come back to one another: a system of linear equations.
        nodes, number = [state], {state.key(): 0}
        steps: list[tuple[int, int, float]] = []
        known: list[tuple[int, float]] = []
        for at, node in enumerate(nodes):  # grows while it is gone through
            for outcome, chance in node.chance_outcomes(merged=True):
                child = node.clone()
                child.apply_chance(outcome)
                if child.is_terminal or child.current_player >= 0:
                    known.append((at, chance * self._told(child)))
                    continue
                key = child.key()
                if key not in number:
                    number[key] = len(nodes)
                    nodes.append(child)
                steps.append((at, number[key], chance))
        matrix, told = np.eye(len(nodes)), np.zeros(len(nodes))
        for at, to, chance in steps:
            matrix[at, to] -= chance
        for at, share in known:
            told[at] += share
        return float(np.linalg.solve(matrix, told)[0])

    def _told(self, state: State) -> float:
        """The score of a game that is over, or the network's value of a decision."""
        if state.is_terminal:
            return (state.returns()[0] + 1) / 2
        player = state.current_player
        seen = np.asarray(state.observation(player), np.float32)
        value = self._policy.evaluate(seen, state.legal_actions())[1]
        return (float(np.clip(value if player == 0 else -value, -1, 1)) + 1) / 2


def network_of(values: str | None, game: Game) -> Policy | None:
    """Return the network whose value tells luck from choice: a file's, the shipped one for ``""``, none for None."""
    return None if values is None else weights.load(values) if values else weights.find(game)


def goes_on(state: State, players: Sequence[Agent], seed: int) -> float:
    """Return Kamehameha's score where these players go on from a position with dice of this seed."""
    state = state.clone(seed=seed)
    for index, player in enumerate(players):
        agents.begin(player, state.game, index)
    while not state.is_terminal:
        player = players[state.current_player]
        state.apply(player.act(state.for_search(), state.legal_actions(), None))
    return (state.returns()[0] + 1) / 2


class _Account:
    """Notes of a game besides its decisions: cards, battles, deaths, plans."""

    def __init__(self) -> None:
        self.cards: dict[str, str] = {}
        self.battles: list[dict[str, Any]] = []
        self.deaths: dict[str, str] = {}
        self._fought: dict[str, Any] | None = None

    def see(self, view: Any) -> None:
        if view.card:
            self.cards.setdefault(view.card, view.turn)
        for who in view.dead:
            self.deaths.setdefault(who, view.turn)
        now = None
        if view.battle is not None and view.field is not None:
            now = {"space": view.field, "kind": view.battle["kind"], "attacker": view.half, "turn": view.turn}
        if now != self._fought:
            if self._fought is not None:
                space, attacker = self._fought["space"], self._fought["attacker"]
                other = SIDES[1 - SIDES.index(attacker)]
                there = {side: [u for u in view.units[side].get(space, []) if "canoe" not in u] for side in SIDES}
                self.battles.append({**self._fought, "won": bool(there[attacker]) and not there[other]})
            self._fought = now


def play(
    spec: str, scenario: str, rules: str | None, seed: int, values: str | None = None, again: int = 0,
    again_by: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Play one game of an agent against itself; return what came of it.

    Args:
        spec: the agent.
        scenario: as ``"long"``.
        rules: a ruleset's name or folder; None is the shipped one.
        seed: of dice, cards and players.
        values: weights whose value tells luck from choice; ``""`` takes the shipped ones, None leaves it out.
        again: how often the game is played on from the start of each month, which tells what is known by then.
        again_by: the agent that plays on; None is `spec`.
    """
    game = Game(scenario=scenario, rules=rules)
    players = agents.load_agents(spec, game, seed=2 * seed)
    later = agents.load_agents(again_by or spec, game, seed=2 * seed + 1) if again else []
    for index, player in enumerate(players):
        agents.begin(player, game, index)
    network = network_of(values, game)
    worth = None if network is None else Worth(network)
    rng = np.random.default_rng(seed)
    state = game.initial_state(chance="explicit")
    account = _Account()
    plans: dict[str, dict[str, str]] = {}
    months: dict[str, list[float]] = {}
    jumps: dict[str, list[float]] = {}
    legal: list[int] = []
    first = ""
    while not state.is_terminal:
        view = state.view()
        account.see(view)
        before = worth(state) if worth else 0.0
        chance = state.current_player < 0
        if chance:
            outcomes = state.chance_outcomes()
            shares = np.array([share for _, share in outcomes])
            state.apply_chance(outcomes[int(rng.choice(len(outcomes), p=shares / shares.sum()))][0])
        else:
            first = first or view.turn
            if again and view.turn not in months:
                seeds = rng.integers(2**62, size=again)
                months[view.turn] = [goes_on(state, later, int(one)) for one in seeds]
            actions = state.legal_actions()
            legal.append(len(actions))
            state.apply(players[state.current_player].act(state.for_search(), actions, None))
            if view.turn == first and view.phase in MOVING:
                after = state.view()
                plans[view.half] = plan_of(after.units[view.half], after.field)
        if worth:
            entry = jumps.setdefault(view.turn, [0.0, 0.0])
            entry[int(chance)] += (worth(state) - before) ** 2
    view = state.view()
    account.see(view)
    return {
        "seed": seed, "winner": view.winner, "reason": view.reason, "turn": view.turn, "decisions": len(legal),
        "cards": list(account.cards.items()), "battles": account.battles, "deaths": account.deaths, "plans": plans,
        "legal": [sum(legal), round(float(np.log10(legal).sum()), 2)],
        "months": months, "jumps": {turn: [round(x, 6) for x in pair] for turn, pair in jumps.items()},
    }  # fmt: skip


def _play(job: tuple[Any, ...]) -> dict[str, Any]:
    return play(*job)


# Many games


def run(head: dict[str, Any], game: Game, games: int, out: Path, seed: int, processes: int) -> list[dict[str, Any]]:
    """Play what is missing of `games` games; return all of them, by seed.

    Args:
        head: the settings: ``agent``, ``scenario``, ``rules``, ``values``, ``again``, ``again_by``, as for `play`.
        game: the game of these settings.
        games: their number; the first has `seed`, the next the next.
        out: the folder; ``games.jsonl`` is in it.
        seed: of the first game.
        processes: how many play.
    """
    wanted, more = [head[key] for key in KEYS[:3]], [head[key] for key in KEYS[3:]]
    head = {**head, "ruleset": game.ruleset_hash}
    return collect(head, _play, {s: (*wanted, s, *more) for s in range(seed, seed + games)}, out, processes)


def search_gain(game: Game, search: str, policy: str, pairs: int, out: Path, processes: int) -> dict[str, Any]:
    """Return the score of a search against the agent that is measured, with its 95% interval by pairs."""
    found = arena.play_match(game, search, policy, pairs=pairs, processes=processes, out=out)
    keys = [player.key for player in found.players]
    score = score_interval(found.results, keys[0], keys[1])
    return {
        "agent": search, "against": policy, "games": 2 * pairs, "score": round(score.mean, 4),
        "interval": [round(score.low, 4), round(score.high, 4)],
    }  # fmt: skip


def ladder(game: Game, specs: Sequence[str], pairs: int, out: Path, processes: int) -> list[dict[str, Any]]:
    """Return agents with their Elo, the first of `specs` at 0, highest first."""
    from hawaii_env.arena.ratings import fit

    found = arena.run_tournament(game, list(specs), pairs=pairs, processes=processes, out=out)
    anchor = next(player.key for player in found.players if player.agent == specs[0])
    rated = fit(found.results, anchor=anchor)
    return [
        {"agent": row.player, "elo": round(row.elo), "interval": [round(row.low), round(row.high)], "games": row.games}
        for row in sorted(rated.table, key=lambda row: -row.elo)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="How deep a ruleset plays between two equal agents.")
    parser.add_argument("--agent", required=True, help="spec of the agent that plays both sides")
    parser.add_argument("--scenario", default="long")
    parser.add_argument("--rules", help="a ruleset's name or folder; the shipped one if left out")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game; the next has the next")
    parser.add_argument("--values", nargs="?", const="", help="weights that tell luck from choice; the shipped ones")
    parser.add_argument("--again", type=int, default=0, help="games played on from the start of each month, 2 or more")
    parser.add_argument("--again-by", help="the agent that plays on; --agent if left out")
    parser.add_argument("--search", help="spec of a search; its score against --agent is measured")
    parser.add_argument("--ladder", help="specs with commas, the first at 0 Elo")
    parser.add_argument("--pairs", type=int, default=100, help="pairs of games of these two")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--write", metavar="NAME", help="a name: the summary goes to results/depth, too")
    args = parser.parse_args(arguments)

    def work() -> None:
        if args.again == 1 or args.again < 0:
            raise OptionError(
                f"again: 0, or 2 and more, for two games from one position are compared; not {args.again}"
            )
        head = {key: getattr(args, key) for key in KEYS}
        game = Game(scenario=args.scenario, rules=args.rules)
        network_of(args.values, game)  # before anything is played
        games = run(head, game, args.games, args.out, args.seed, args.processes)
        summary = {**head, "ruleset": game.ruleset_name, "ruleset_hash": game.ruleset_hash, **summarise(games)}
        if args.search:
            folder = args.out / "search"
            summary["search"] = search_gain(game, args.search, args.agent, args.pairs, folder, args.processes)
        if args.ladder:
            specs = args.ladder.split(",")
            summary["ladder"] = ladder(game, specs, args.pairs, args.out / "ladder", args.processes)
        runs.write_json(args.out / "summary.json", summary)
        page = markdown(summary, f"{args.agent}, {args.scenario} game, {summary['ruleset']}")
        runs.write_text(args.out / "summary.md", page)
        draw(summary, args.out / "depth.png")
        if args.write:
            RESULTS.mkdir(parents=True, exist_ok=True)
            runs.write_json(RESULTS / f"{args.write}.json", summary)
            draw(summary, RESULTS / f"{args.write}.png")
        print(page)

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
