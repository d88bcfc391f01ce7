"""A league: exploiters answer the newest policy, then the policy plays against them, round after round.

    hawaii league --init hawaii1795 --rounds 6 --out runs/league

Self-play finds a policy that holds up against itself and its past; a learner trained only against it may still beat it
(`best_response.py`). Here that learner becomes an opponent. A round trains an exploiter against the frozen policy,
begun from the exploiter before, and then the policy, in some environments against the newest exploiter, in some against
an older one, in some against named agents, in the rest against itself (exploiters as in Vinyals 2019; a double oracle
whose mixture is the share of environments). The exploiters' scores, round by round, show if they still find something.

A run's folder: ``exploiter-N.safetensors`` and ``policy-N.safetensors`` of each round, ``league.json`` and
``league.md`` (scores of the exploiters), and the rounds' own folders, as those of `best_response.py` and
`ppo_selfplay.py`. The same command resumes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hawaii_agents import weights
from hawaii_env.errors import OptionError

from . import best_response, runs
from . import ppo_selfplay as ppo

SHARED = (
    "game", "scenario", "precision", "num_envs", "steps", "epochs", "minibatch", "hidden", "lam",
    "checkpoint_every",
)  # fmt: skip
"""Settings that policy and exploiters share."""


@dataclass
class Args:
    """The settings of a league. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/league"  # folder of the league
    init: str = ""  # weights of the policy to begin with: a shipped name, or a file; empty: the game's shipped ones
    exploiter: str = ""  # weights that the first exploiter begins from; empty: random ones
    rounds: int = 6
    seed: int = 1  # of everything
    game: str = "hawaii1795"  # name of the game: two players, zero-sum
    scenario: str = ""  # scenario of the games, or several with commas between; empty: the game's first
    precision: str = "auto"  # of the layers, see `ppo_selfplay.py`
    policy_decisions: int = 4_000_000  # of the policy, each round
    exploiter_decisions: int = 3_000_000  # of the exploiter, each round; its own only
    num_envs: int = 1024  # games at once
    steps: int = 64  # decisions an environment in one rollout
    epochs: int = 2  # passes over a rollout
    minibatch: int = 4096
    hidden: int = 256  # width of the layers
    lam: float = 0.97  # GAE's lambda
    lr: float = 8e-4  # Adam's, at the beginning of each part of a round; it falls to 0 over the part
    entropy: float = 0.01  # weight of the entropy
    pool: float = 0.1  # share of the policy's environments with its past selves of the round as opponents
    scripted: str = ""  # agent strings of other opponents of the policy, with commas between
    scripted_envs: int = 80  # environments against each of them and an older exploiter; twice as many: the newest
    lead: int = 100  # of opponents, see `ppo_selfplay.py`
    test_games: int = 1000  # games that measure an exploiter
    checkpoint_every: int = 25  # rollouts between two checkpoints
    quiet: bool = False  # print nothing

    def shared(self) -> dict[str, Any]:
        """Return the settings that policy and exploiters share."""
        return {name: getattr(self, name) for name in SHARED}


def exploit(args: Args, number: int, target: str, init: str, file: Path) -> dict[str, Any]:
    """Train exploiter `number` against the policy `target`, write its weights, and return its score."""
    folder = file.with_suffix("")
    response = best_response.Response(
        **args.shared(), out=str(folder), target=target, init=init, lr=args.lr, entropy=args.entropy,
        decisions=args.exploiter_decisions, test_games=args.test_games, eval_every=10**6,
        seed=args.seed * 1000 + number, quiet=True,
    )  # fmt: skip
    result = best_response.run(response, resume=(folder / "checkpoint.pt").is_file())
    ppo.export(folder, file)
    return {name: result[name] for name in ("score", "interval", "score_first", "score_second", "games")}


def improve(args: Args, number: int, init: str, exploiters: Sequence[Path], file: Path) -> None:
    """Train the policy of round `number` from the weights `init`, and write its weights."""
    before = exploiters[:-1] or exploiters
    older = before[int(np.random.default_rng([args.seed, number]).integers(len(before)))]
    specs = [f"ppo:weights={one},greedy=false" for one in (exploiters[-1], exploiters[-1], older)]
    begun = int(weights.load(init).meta.get("decisions") or 0)
    decisions = begun + args.policy_decisions
    scripted = ",".join([*specs, *filter(None, [args.scripted])])
    settings = ppo.Args(
        **args.shared(), init=init, begun_at=begun, decisions=decisions,
        lr=args.lr * decisions / args.policy_decisions,  # the schedule counts the decisions before, too
        entropy=args.entropy, pool=args.pool, lead=args.lead, scripted=scripted,
        scripted_envs=args.scripted_envs, eval_every=0, quiet=True,
    )  # fmt: skip
    ppo.train(settings, args.seed * 1000 + number, file.with_suffix(""), 0.0)
    ppo.export(file.with_suffix(""), file)


def table(rounds: Sequence[dict[str, Any]]) -> str:
    """Return the exploiters' scores as Markdown."""
    rows: list[list[object]] = []
    for number, one in enumerate(rounds, 1):
        low, high = one["interval"]
        sides = f"{one['score_first']:.1%}, {one['score_second']:.1%}"
        rows.append([number, f"{one['policy_decisions']:,}", f"{one['score']:.1%} ({low:.1%} to {high:.1%})", sides])
    return runs.table(["round", "policy's decisions", "exploiter's score", "first, second side"], rows)


def run(args: Args) -> str:
    """Play the missing rounds, write the figures after each part, and return the table.

    Raises:
        OptionError: a value that is not allowed, weights that do not fit, or a folder with another league.
    """
    runs.check_ranges(args, {1: ["rounds"]})
    runs.check_trainable(args, ["scripted"], ["init", "exploiter"])
    out = Path(args.out)
    path, own = out / "league.json", runs.provenance("hawaii league", asdict(args), asdict(Args()))
    found = runs.read_json(path, {**own, "rounds": []})
    if {**found["config"], "rounds": 0} != {**own["config"], "rounds": 0}:
        raise OptionError(f"out: {out} holds a league of other settings: name another folder")
    begun = best_response.Response(target=args.init, game=args.game, scenario=args.scenario).answered_weights()
    policy, exploiters = begun, list[Path]()
    for number in range(1, args.rounds + 1):
        file = out / f"exploiter-{number}.safetensors"
        if number > len(found["rounds"]):
            init = str(exploiters[-1]) if exploiters else args.exploiter
            scores = exploit(args, number, policy, init, file)
            found["rounds"].append({"policy_decisions": weights.load(policy).meta.get("decisions") or 0, **scores})
            runs.write_json(path, found)
            runs.write_text(out / "league.md", table(found["rounds"]))
            if not args.quiet:
                print(table(found["rounds"]).splitlines()[-1], flush=True)
        exploiters.append(file)
        file = out / f"policy-{number}.safetensors"
        if not file.is_file():
            improve(args, number, policy, exploiters, file)
        policy = str(file)
    return table(found["rounds"])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hawaii league``."""
    runs.add_arguments(parser, Args, resume=False)


def run_command(arguments: argparse.Namespace) -> None:
    """Run ``hawaii league``."""
    args = runs.settings(Args, arguments)[0]
    text = run(args)
    if not args.quiet:
        print(text)
