"""A policy that imitates an agent: a start for self-play that skips the first, slow million decisions.

    hawaii imitate --teacher rule-of-thumb --games 1500 --out runs/teacher
    hawaii train --preset full --init runs/teacher/policy.safetensors --out runs/full

The teacher plays against itself, in some games with random decisions mixed in, so that the data include its answers to
mistakes. The network learns its choices and the games' results.

A run's folder: ``games-*.npz`` (one per batch of games; ``--resume`` continues after them), ``progress.jsonl`` (one
line per epoch), ``policy.safetensors``.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import make_batch
from hawaii_env.game import Game

from . import ppo_selfplay as ppo
from . import runs
from .evaluation import BatchPlayer, installed, label, match
from .logs import Log, flat
from .net import Legal, Net


@dataclass
class Args:
    """The settings of a run. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/teacher"  # folder of the run
    game: str = "hawaii1795"  # name of the game
    scenario: str = ""  # scenario of the game, or several with commas between, in turn; empty: the game's first
    players: int = 0  # number of players, for games that have several; 0: the game's own
    reward: str = ""  # the reward that values estimate, for games that have several, as margin; empty: the game's own
    teacher: str = "rule-of-thumb"  # agent string of the agent to imitate
    seed: int = 1  # of everything
    games: int = 1000  # games of the teacher
    batch: int = 50  # games at once, and a file
    strayed: float = 0.5  # share of the games with random decisions
    stray: float = 0.1  # share of the random decisions in those
    hidden: int = 256  # width of the layers of policy and value
    precision: str = "float32"  # of the layers, as in ppo_selfplay.py
    epochs: int = 12  # passes over the games
    minibatch: int = 512
    lr: float = 1e-3  # Adam's, at the beginning; it falls to 0
    decay: float = 1e-4  # AdamW's weight decay
    value: float = 0.5  # weight of the value's error
    held_out: float = 0.1  # share of the games to measure by, which are not learned from
    ladder: str = "random"  # agent strings of the opponents at the end
    eval_games: int = 400  # games against each
    torch_threads: int = 1
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise OptionError if a value is not allowed."""
        counts = ("games", "batch", "hidden", "epochs", "minibatch", "eval_games", "torch_threads")
        runs.check_ranges(self, {1: counts}, ("strayed", "stray", "held_out"))
        runs.check_trainable(self, ["teacher"])

    def make_games(self, n: int) -> list[Game]:
        """Return n games, the scenarios in turn."""
        own = {name: getattr(self, name) for name in ("game", "scenario", "players", "reward")}
        return ppo.Args(**own).games_for(n)


Lessons = dict[str, NDArray[Any]]
"""Decisions of the teacher, n of them: ``observations`` float16[n, O] (no less precise than bfloat16), ``counts``
int64[n] and ``actions`` the legal ones, list after list, ``picks`` int64[n] the teacher's choices in these lists,
``results`` float32[n] the mover's return, ``games`` int64[n].
"""


def play(args: Args, number: int, n: int) -> Lessons:
    """Let the teacher play n games against itself; `number` is the first game's, which settles seeds and draws."""
    rng, first = np.random.default_rng([args.seed, number]), args.seed * 1_000_000 + number
    parts: list[tuple[Any, ...]] = []
    with make_batch(args.make_games(n), n, autoreset_mode="Disabled") as batch:
        batch.reset(seed=[first + k for k in range(n)])
        teacher = BatchPlayer(args.teacher, first)
        strays, going, actions = rng.random(n) < args.strayed, ~batch.over, np.zeros(n, np.int64)
        while going.any():
            rows = np.flatnonzero(going)
            legal, chosen = Legal.of(batch.masks[rows]), teacher.decide(batch, rows)
            owner, column = legal.places()
            picks = column[legal.actions == chosen[owner]]
            seen = batch.observations[rows].astype(np.float16)
            parts.append((seen, legal.counts, legal.actions, picks, batch.to_play[rows], rows))
            actions[rows] = chosen
            random = strays[rows] & (rng.random(len(rows)) < args.stray)
            other = legal.actions[legal.starts() + rng.integers(0, legal.counts)]
            actions[rows[random]] = other[random]
            batch.step(actions, going)
            going &= ~(batch.terminations | batch.truncations)
        returns = batch.episode_returns.copy()
    seen, counts, legal, picks, movers, rows = (np.concatenate(one) for one in zip(*parts, strict=True))
    results = returns[rows, movers].astype(np.float32)
    names = ("observations", "counts", "actions", "picks", "results", "games")
    return dict(zip(names, (seen, counts, legal, picks, results, rows + number), strict=True))


def collect(args: Args, folder: Path) -> Lessons:
    """Play the missing games, and return all of them."""
    parts: list[Lessons] = []
    for number in runs.track(range(0, args.games, args.batch), -(-args.games // args.batch), "batches of games"):
        path = folder / f"games-{number:06d}.npz"
        if not path.is_file():
            some = play(args, number, min(args.batch, args.games - number))
            runs.replace(path, lambda part, some=some: write_lessons(part, some))
        with np.load(path) as read:
            parts.append(dict(read))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def write_lessons(path: Path, arrays: Lessons) -> None:
    """Write decisions to a file for `numpy.load`."""
    with path.open("wb") as file:
        np.savez_compressed(file, **cast(Any, arrays))


def learn(args: Args, game: Game, lessons: Lessons, log: Log) -> Net:
    """Fit a network to the lessons, with one line in the log per epoch."""
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    net = Net(game.observation_size, game.num_actions, args.hidden, args.precision)
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=args.decay)
    legal, played = Legal(lessons["counts"], lessons["actions"]), np.unique(lessons["games"])
    starts = legal.starts()
    held = np.isin(lessons["games"], rng.permutation(played)[: round(args.held_out * len(played))])
    train, test = np.flatnonzero(~held), np.flatnonzero(held)

    def losses(rows: NDArray[np.int64]) -> tuple[Any, Any, float]:
        logits, values = net(torch.from_numpy(lessons["observations"][rows]).float(), legal.take(rows, starts))
        picks, results = (torch.from_numpy(lessons[name][rows]) for name in ("picks", "results"))
        right = float((logits.detach().argmax(1) == picks).float().mean())
        return nn.functional.cross_entropy(logits, picks), nn.functional.mse_loss(values, results), right

    updates = args.epochs * -(-len(train) // args.minibatch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=updates)
    for epoch in range(args.epochs):
        order = rng.permutation(train)
        for at in range(0, len(order), args.minibatch):
            policy, value, _ = losses(order[at : at + args.minibatch])
            optimizer.zero_grad()
            (policy + args.value * value).backward()
            optimizer.step()
            schedule.step()
        line: dict[str, Any] = {"epoch": epoch + 1}
        for name, rows in (("train", train[:20_000]), ("test", test)):
            if len(rows):
                with torch.no_grad():
                    policy, value, right = losses(rows)
                line[name] = {"policy_loss": float(policy), "value_loss": float(value), "agreement": right}
        log.write(line, 0)
        if not args.quiet:
            print("  ".join(f"{name} {value:.3f}" for name, value in flat(line)), flush=True)
    return net


def run(args: Args) -> Policy:
    """Collect, learn, measure; return the policy, which is also saved in the folder.

    Raises:
        OptionError: a value that is not allowed.
    """
    args.check()
    torch.set_num_threads(args.torch_threads)
    folder, game = Path(args.out), args.make_games(1)[0]
    log = Log(folder, asdict(args), 0, False, 0)
    try:
        lessons = collect(args, folder)
        net = learn(args, game, lessons, log)
    finally:
        log.close()
    tensors = {name: tensor.detach().numpy().copy() for name, tensor in net.state_dict().items()}
    facts = runs.provenance("hawaii imitate", asdict(args), asdict(Args()))
    meta = {**game_meta(game), **facts, "trainer": "imitate", "decisions": len(lessons["picks"]), "ladder": {}}
    agent = PPOAgent(Policy(tensors, meta, "the imitator"))
    for opponent in installed(args.ladder):
        played = args.make_games(max(1, args.eval_games // 2))
        meta["ladder"][label(opponent)] = found = match(played, agent.act_batch, opponent, 10**9)
        if not args.quiet:
            print(f"against {label(opponent)}: {found['score']:.3f} ± {found['error']:.3f}")
    policy = Policy(tensors, meta, "the imitator")
    policy.save(folder / "policy.safetensors")
    return policy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hawaii imitate``."""
    runs.add_arguments(parser, Args)


def run_command(arguments: argparse.Namespace) -> None:
    """Run ``hawaii imitate``."""
    run(runs.settings(Args, arguments)[0])
