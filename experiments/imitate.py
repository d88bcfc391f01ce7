"""Learn from a teacher's games: a policy that plays as an agent does, a start for self-play and a fast opponent in its
pool.

    python experiments/imitate.py --teacher rule-of-thumb --games 1000 --out runs/teacher
    python experiments/ppo_selfplay.py --preset full --init runs/teacher/policy.safetensors --out runs/full

The teacher plays itself. In a part of the games some decisions are replaced by random ones, so that positions off its
own path are seen, too; what is learned there is the teacher's choice, not the random one. The network learns the
choices by cross-entropy, and the values by the games' results.

A run's folder: ``games-*.npz`` (what was played, a file a batch of games; whole files are kept when the run is stopped,
and ``--resume`` goes on after them), ``progress.jsonl`` (a line an epoch), ``policy.safetensors``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads wait for each other more than they work
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from training import runs
from training.ladder import Seats, installed, label, match
from training.net import Legal, Net

from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import load_game, make_batch
from hawaii_env.env.vector import ACT
from hawaii_env.errors import OptionError
from hawaii_env.game import Game


@dataclass
class Args:
    """What a run is told. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/teacher"  # folder of the run
    game: str = "hawaii1795"  # name of the game
    scenario: str = "long"  # scenario of the game, or several with commas between, in turn; empty for games without
    players: int = 0  # number of players, for games that have several; 0: the game's own
    reward: str = ""  # what values are of, for games that reward in several ways, as margin; empty: the game's own
    teacher: str = "rule-of-thumb"  # spec of the agent that is learned from
    seed: int = 1  # of everything
    games: int = 1000  # games of the teacher's
    batch: int = 50  # games at once, and a file
    strayed: float = 0.5  # share of the games in which some decisions are random
    stray: float = 0.1  # share of the random decisions in those
    hidden: int = 256  # width of the layers of policy and value
    precision: str = "float32"  # of the layers, as in ppo_selfplay.py
    epochs: int = 12  # passes over what was played
    minibatch: int = 512
    lr: float = 1e-3  # Adam's, at the beginning; it falls to 0
    decay: float = 1e-4  # AdamW's weight decay
    value: float = 0.5  # weight of the value's error
    held_out: float = 0.1  # share of the games that is not learned from, to measure by
    ladder: str = "random"  # specs that the policy is measured against at the end
    eval_games: int = 400  # games against each
    torch_threads: int = 1
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise OptionError where a value is none."""
        for name in ("games", "batch", "hidden", "epochs", "minibatch", "eval_games", "torch_threads"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} is 1 or more, not {getattr(self, name)}")
        for name in ("strayed", "stray", "held_out"):
            if not 0 <= getattr(self, name) < 1 and not (name == "strayed" and self.strayed == 1):
                raise OptionError(f"{name} is from 0 to 1, not {getattr(self, name)}")

    def make_games(self, n: int) -> list[Game]:
        """Return n games, the scenarios in turn."""
        params: dict[str, Any] = {"players": self.players} if self.players else {}
        if self.reward:
            params["reward"] = self.reward
        if not self.scenario:
            return [load_game(self.game, **params)] * n
        scenarios = [one.strip() for one in self.scenario.split(",")]
        made = [load_game(self.game, scenario=scenario, **params) for scenario in scenarios]
        return [made[lane % len(made)] for lane in range(n)]


@dataclass
class Lessons:
    """Decisions of the teacher's, n of them.

    Attributes:
        observations: float16[n, O]: half the room, and no less than bfloat16 tells.
        legal: the legal actions.
        picks: int64[n], which of them the teacher chose.
        results: float32[n], what the game brought its mover.
        games: int64[n], number of the game.
    """

    observations: NDArray[np.float16]
    legal: Legal
    picks: NDArray[np.int64]
    results: NDArray[np.float32]
    games: NDArray[np.int64]


def play(args: Args, number: int, n: int) -> Lessons:
    """Let the teacher play n games against itself; they and their draws are those of the seed and `number`, the first
    game's.
    """
    rng = np.random.default_rng([args.seed, number])
    seeds = [args.seed * 1_000_000 + number + lane for lane in range(n)]
    with make_batch(args.make_games(n), n, autoreset_mode="Disabled") as batch:
        batch.reset(seed=seeds)
        seats = Seats(args.teacher, args.seed * 1_000_000 + number)
        strays = rng.random(n) < args.strayed
        going = ~batch.over
        seen, legals, picks, movers, lanes = [], [], [], [], []
        actions = np.zeros(n, np.int64)
        while going.any():
            rows = np.flatnonzero(going)
            legal = Legal.of(batch.masks[rows])
            chosen = seats.decide(batch, rows)
            owner, column = legal.places()
            seen.append(batch.observations[rows].astype(np.float16))
            legals.append(legal)
            picks.append(column[legal.actions == chosen[owner]])
            movers.append(batch.to_play[rows])
            lanes.append(rows)
            actions[rows] = chosen
            random = strays[rows] & (rng.random(len(rows)) < args.stray)
            starts = np.cumsum(legal.counts) - legal.counts
            other = legal.actions[starts + rng.integers(0, legal.counts)]
            actions[rows[random]] = other[random]
            ops = np.where(going, ACT, 0).astype(np.int8)
            batch.run(ops, actions)
            going &= ~(batch.terminations | batch.truncations)
        returns = batch.episode_returns.copy()
    where = np.concatenate(lanes)
    results = returns[where, np.concatenate(movers)].astype(np.float32)
    return Lessons(np.concatenate(seen), Legal.join(legals), np.concatenate(picks), results, where + number)


def collect(args: Args, folder: Path, tell: Callable[[str], None]) -> Lessons:
    """Play the games that are not yet in files, and return all of them."""
    parts = []
    for number in range(0, args.games, args.batch):
        path = folder / f"games-{number:06d}.npz"
        if not path.is_file():
            begin = time.perf_counter()
            some = play(args, number, min(args.batch, args.games - number))
            arrays = {"observations": some.observations, "counts": some.legal.counts, "actions": some.legal.actions,
                      "picks": some.picks, "results": some.results, "games": some.games}  # fmt: skip
            runs.replace(path, lambda part, arrays=arrays: _write(part, arrays))
            took = time.perf_counter() - begin
            tell(
                f"games {number} to {number + args.batch}: {len(some.picks):,} decisions, "
                f"{len(some.picks) / took:,.0f}/s"
            )
        with np.load(path) as read:
            parts.append(
                Lessons(
                    read["observations"],
                    Legal(read["counts"], read["actions"]),
                    read["picks"],
                    read["results"],
                    read["games"],
                )
            )
    return Lessons(
        np.concatenate([part.observations for part in parts]), Legal.join([part.legal for part in parts]),
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("picks", "results", "games")),
    )  # fmt: skip


def _write(path: Path, arrays: dict[str, Any]) -> None:
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def learn(args: Args, game: Game, lessons: Lessons, log: Callable[[dict[str, Any]], None]) -> Net:
    """Fit a network to the lessons; `log` is given a line an epoch."""
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    net = Net(game.observation_size, game.num_actions, args.hidden, args.precision)
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=args.decay)
    played = np.unique(lessons.games)
    kept = rng.permutation(played)[: round(args.held_out * len(played))]
    held = np.isin(lessons.games, kept)
    train, test = np.flatnonzero(~held), np.flatnonzero(held)
    starts = np.cumsum(lessons.legal.counts) - lessons.legal.counts
    updates = args.epochs * -(-len(train) // args.minibatch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=updates)
    for epoch in range(args.epochs):
        order = rng.permutation(train)
        for at in range(0, len(order), args.minibatch):
            policy, value = _losses(net, lessons, order[at : at + args.minibatch], starts)[:2]
            optimizer.zero_grad()
            (policy + args.value * value).backward()
            optimizer.step()
            schedule.step()
        line: dict[str, Any] = {"epoch": epoch + 1}
        for name, rows in (("train", train[:20_000]), ("test", test)):
            if len(rows):
                with torch.no_grad():
                    policy, value, right = _losses(net, lessons, rows, starts)
                line[name] = {"policy_loss": float(policy), "value_loss": float(value), "agreement": right}
        log(line)
    return net


def _losses(net: Net, lessons: Lessons, rows: NDArray[np.int64], starts: NDArray[np.int64]) -> tuple[Any, Any, float]:
    logits, values = net(torch.from_numpy(lessons.observations[rows]).float(), lessons.legal.take(rows, starts))
    picks = torch.from_numpy(lessons.picks[rows])
    value = nn.functional.mse_loss(values, torch.from_numpy(lessons.results[rows]))
    right = float((logits.detach().argmax(1) == picks).float().mean())
    return nn.functional.cross_entropy(logits, picks), value, right


def run(args: Args, resume: bool = False) -> Policy:
    """Collect, learn, measure; return the policy, which lies in the folder, too.

    Raises:
        OptionError: a value that is none; or the folder holds games already, and `resume` is False.
    """
    args.check()
    torch.set_num_threads(args.torch_threads)
    folder = Path(args.out)
    if not resume and any(folder.glob("games-*.npz")):
        raise OptionError(f"{folder} holds games already: --resume goes on with them; or name another folder")
    tell: Callable[[str], None] = (lambda text: None) if args.quiet else (lambda text: print(text, flush=True))
    log = runs.Log(folder, asdict(args), 0, False, 0)
    try:
        lessons = collect(args, folder, tell)
        tell(f"{len(lessons.picks):,} decisions of {args.teacher}")

        def note(line: dict[str, Any]) -> None:
            log.write(line, 0)
            tell("  ".join(f"{name} {value:.3f}" for name, value in runs.flat(line)))

        game = args.make_games(1)[0]
        net = learn(args, game, lessons, note)
    finally:
        log.close()
    facts = runs.provenance("imitate.py", asdict(args), asdict(Args()))
    tensors = {name: tensor.detach().numpy().copy() for name, tensor in net.state_dict().items()}
    meta = {**game_meta(game), **facts, "trainer": "imitate", "decisions": len(lessons.picks), "ladder": {}}
    policy = Policy(tensors, meta, "the pupil")
    agent = PPOAgent(policy)
    for spec in installed(args.ladder):
        meta["ladder"][label(spec)] = found = match(
            args.make_games(max(1, args.eval_games // 2)), agent.act_batch, spec, 10**9
        )
        tell(f"against {label(spec)}: {found['score']:.3f} ± {found['error']:.3f}")
    policy = Policy(tensors, meta, "the pupil")
    policy.save(folder / "policy.safetensors")
    return policy


def main(arguments: Sequence[str] | None = None) -> int:
    """Do as the command line says; return the exit status."""

    def work() -> None:
        args, _, resume = runs.parse(Args, arguments, "Learn from a teacher's games.")
        run(args, resume)

    return runs.finish(work, "stopped; --resume goes on after the games that are in files")


if __name__ == "__main__":
    sys.exit(main())
