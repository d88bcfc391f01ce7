"""Expert iteration: a network learns from the searches that it guides, and guides better searches.

    python experiments/expert_iteration.py --init runs/full/policy.safetensors --out runs/expert

A round: games in which both sides search with the network; every decision gives a lesson, the visits of its actions as
the policy's target, and a mean of the game's result and the search's value as the value's. Then passes over the lessons
of the last rounds. One process plays and learns in turn; no opponent but itself.

A run's folder: ``config.json``, ``lessons-*.npz`` (a file a round), ``progress.jsonl`` (a line a round),
``checkpoint.pt`` (for resuming; it goes on from the last finished round), ``policy.safetensors``, ``curves.png``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))  # for `training`, wherever this file is loaded from

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from training import runs
from training.ladder import installed, label, match
from training.net import Legal, Net

from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env.env.vector import games_of
from hawaii_env.errors import OptionError


@dataclass
class Args:
    """What a run is told. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/expert"  # folder of the run
    game: str = "hawaii_env.hawaii1795:Game"  # class of games, two players, with a compiled search
    scenario: str = "long,short"  # scenarios, in turn
    shares: str = "0.8,0.2"  # their shares of the games
    init: str = ""  # weights to start from: a policy's file or the name of a shipped one
    seed: int = 1  # of everything
    rounds: int = 20
    minutes: float = 0.0  # stop after so many minutes, too; 0: no such limit
    games: int = 300  # games a round
    sims: int = 200  # simulations a decision
    c: float = 1.5  # of the search
    noise: float = 0.25  # share of the root's priors that is a Dirichlet draw
    alpha: float = 0.5  # its parameter
    opening: int = 40  # decisions of a game in which actions are drawn by visits; later the most visited is played
    result: float = 0.7  # share of the game's result in the value's target; the rest is the search's value
    keep: int = 5  # rounds whose lessons are learned from
    epochs: int = 2  # passes a round
    minibatch: int = 1024
    lr: float = 4e-4  # Adam's
    value: float = 0.5  # weight of the value's error
    ladder: str = "random,rule-of-thumb"  # specs of the fixed ladder
    eval_every: int = 3  # rounds between two evaluations
    eval_games: int = 200  # games against each
    tensorboard: bool = False
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise OptionError where a value is none."""
        for name in ("rounds", "games", "sims", "keep", "epochs", "minibatch", "eval_every", "eval_games"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} is 1 or more, not {getattr(self, name)}")
        for name in ("noise", "result"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"{name} is from 0 to 1, not {getattr(self, name)}")
        if not self.init:
            raise OptionError("init: weights to start from are wanted; train some with ppo_selfplay.py or imitate.py")


@dataclass
class Lessons:
    """Decisions searched, n of them.

    Attributes:
        observations: float32[n, O].
        counts, actions: legal actions, one list after the other, as in `ppo_selfplay.Legal`.
        visits: float32[sum of counts], the share of each action's visits.
        targets: float32[n], of the value, the mover's.
    """

    observations: NDArray[np.float32]
    counts: NDArray[np.int64]
    actions: NDArray[np.int64]
    visits: NDArray[np.float32]
    targets: NDArray[np.float32]


def play(args: Args, game: Any, policy: Policy, seed: int) -> tuple[Lessons, tuple[float, ...]]:
    """Play one game of searches; return its lessons and its returns."""
    rng = np.random.default_rng([args.seed, seed])
    # One tree for each side: a player does not look into the other's head, and each keeps what it found.
    trees = [game.make_search(policy.tensors, values="net", c=args.c, seed=2 * seed + side) for side in range(2)]
    state = game.initial_state(seed=seed)
    seen: list[Any] = []
    legals: list[Any] = []
    shares: list[Any] = []
    values: list[float] = []
    movers: list[int] = []
    while not state.is_terminal:
        player = state.current_player
        search = trees[player]
        known = search.set_root(state.for_search())
        if not known:
            search.run(1)
        if args.noise:
            priors = search.priors
            search.priors = (1 - args.noise) * priors + args.noise * rng.dirichlet([args.alpha] * len(priors))
        search.run(max(1, args.sims - search.simulations))
        visits = search.visits.astype(np.float64)
        share = visits / visits.sum()
        seen.append(np.asarray(state.observation(player), np.float32))
        legals.append(search.actions)
        shares.append(share)
        values.append(search.value if player == 0 else -search.value)
        movers.append(player)
        drawn = len(seen) <= args.opening
        state.apply(int(search.actions[rng.choice(len(share), p=share)]) if drawn else search.best())
    returns = state.returns()
    results = np.array([returns[player] for player in movers])
    targets = args.result * results + (1 - args.result) * np.array(values)
    return (
        Lessons(
            np.stack(seen), np.array([len(one) for one in legals], np.int64), np.concatenate(legals),
            np.concatenate(shares).astype(np.float32), targets.astype(np.float32),
        ),
        tuple(returns),
    )  # fmt: skip


def collect(args: Args, games: Sequence[Any], policy: Policy, number: int) -> tuple[Lessons, dict[str, float]]:
    """Play the games of a round; return their lessons, and figures."""
    parts: list[Lessons] = []
    wins = ties = 0
    for k in range(args.games):
        lessons, returns = play(args, games[k], policy, (args.seed * 1000 + number) * 10_000 + k)
        parts.append(lessons)
        wins += returns[0] > 0
        ties += returns[0] == 0
    joined = Lessons(*(np.concatenate([getattr(part, name) for part in parts]) for name in Lessons.__annotations__))
    n = len(joined.targets)
    return joined, {
        "lessons": n,
        "length": n / args.games,
        "first_side_score": (wins + ties / 2) / args.games,
        "ties": ties,
    }


def learn(
    args: Args, net: Net, optimizer: Any, lessons: Sequence[Lessons], rng: np.random.Generator
) -> dict[str, float]:
    """Pass over lessons; return the mean losses."""
    seen = np.concatenate([one.observations for one in lessons])
    legal = Legal.join([Legal(one.counts, one.actions) for one in lessons])
    shares = np.concatenate([one.visits for one in lessons])
    targets = torch.from_numpy(np.concatenate([one.targets for one in lessons]))
    starts = np.cumsum(legal.counts) - legal.counts
    sums, updates = {"policy_loss": 0.0, "value_loss": 0.0}, 0
    for _ in range(args.epochs):
        order = rng.permutation(len(seen))
        for at in range(0, len(order), args.minibatch):
            rows = order[at : at + args.minibatch]
            some = legal.take(rows, starts)
            logits, values = net(torch.from_numpy(seen[rows]), some)
            table = torch.log_softmax(logits, 1)
            owner, column = some.places()
            places = np.repeat(starts[rows] - (np.cumsum(some.counts) - some.counts), some.counts) + np.arange(
                len(owner)
            )
            share = torch.from_numpy(shares[places])
            policy = -(share * table[torch.from_numpy(owner), torch.from_numpy(column)]).sum() / len(rows)
            value = nn.functional.mse_loss(values, targets[torch.from_numpy(rows)])
            optimizer.zero_grad()
            (policy + args.value * value).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            updates += 1
            sums["policy_loss"] += float(policy.detach())
            sums["value_loss"] += float(value.detach())
    return {name: total / max(1, updates) for name, total in sums.items()}


def policy_of(args: Args, net: Net, game: Any, lessons: int, ladder: dict[str, Any]) -> Policy:
    """Return the network as a policy, with where it comes from."""
    facts = runs.provenance("expert_iteration.py", asdict(args), asdict(Args()))
    tensors = {name: tensor.detach().numpy().copy() for name, tensor in net.state_dict().items()}
    meta = {**game_meta(game), **facts, "trainer": "expert_iteration", "decisions": lessons, "ladder": ladder}
    return Policy(tensors, meta, "the expert")


def _games(args: Args) -> list[Any]:
    names = [one.strip() for one in args.scenario.split(",")]
    shares = [float(one) for one in args.shares.split(",")] if args.shares else [1.0] * len(names)
    if len(shares) != len(names):
        raise OptionError(f"shares: one for each scenario is wanted, {len(names)}, not {len(shares)}")
    made = [games_of(args.game, 1, scenario=name)[0] for name in names]
    cuts = np.cumsum(shares) / sum(shares)
    return [made[int(np.searchsorted(cuts, (k + 0.5) / args.games))] for k in range(args.games)]


def run(args: Args, resume: bool = False) -> Policy:
    """Play and learn, round by round; return the last policy.

    Raises:
        OptionError: a value that is none, or a folder that holds a run already while `resume` is False.
    """
    args.check()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    folder, games = Path(args.out), _games(args)
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists() and not resume:
        raise OptionError(f"{folder} holds a run already: --resume goes on with it; or name another folder")
    from hawaii_agents import weights

    start = weights.load(args.init)
    start.check(games[0])
    net = Net(start.observation_size, start.num_actions, start.hidden)
    net.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in start.tensors.items()})
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr, eps=1e-5)
    done, total, spent = 0, 0, 0.0
    if resume and checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(kept["net"])
        optimizer.load_state_dict(kept["optimizer"])
        done, total, spent = kept["counters"]
    log = runs.Log(folder, asdict(args), done, args.tensorboard, total)
    begin = time.perf_counter() - spent
    policy = policy_of(args, net, games[0], total, {})
    try:
        while done < args.rounds and not (args.minutes and time.perf_counter() - begin > 60 * args.minutes):
            path = folder / f"lessons-{done:05d}.npz"
            lessons, figures = collect(args, games, policy, done)
            runs.replace(path, lambda part, found=lessons: _write(part, found))
            recent = [_read(folder / f"lessons-{k:05d}.npz") for k in range(max(0, done + 1 - args.keep), done + 1)]
            losses = learn(args, net, optimizer, recent, np.random.default_rng([args.seed, 7, done]))
            done, total = done + 1, total + len(lessons.targets)
            line: dict[str, Any] = {"rollout": done, "decisions": total, **figures, **losses}
            policy = policy_of(args, net, games[0], total, {})
            if done % args.eval_every == 0 or done == args.rounds:
                agent = PPOAgent(policy, greedy=True)
                found = {}
                for spec in [*installed(args.ladder), f"ppo:weights={args.init}"]:
                    name = "start" if spec.startswith("ppo:") else label(spec)
                    found[name] = match(games[: max(1, args.eval_games // 2)], agent.act_batch, spec, 10**9)
                line["ladder"] = found
                policy = policy_of(args, net, games[0], total, found)
            spent = time.perf_counter() - begin
            line["seconds"] = round(spent, 1)
            log.write(line, total)
            policy.save(folder / "policy.safetensors")
            kept = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "counters": (done, total, spent)}
            runs.replace(checkpoint, lambda part, kept=kept: torch.save(kept, part))
            old = folder / f"lessons-{done - args.keep:05d}.npz"
            old.unlink(missing_ok=True)
            if not args.quiet:
                print("  ".join(f"{k} {v:.3f}" for k, v in runs.flat(line)), flush=True)
    finally:
        log.close()
    return policy


def _write(path: Path, lessons: Lessons) -> None:
    with path.open("wb") as file:
        np.savez_compressed(file, **{name: getattr(lessons, name) for name in Lessons.__annotations__})


def _read(path: Path) -> Lessons:
    with np.load(path) as read:
        return Lessons(*(read[name] for name in Lessons.__annotations__))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as the command line says; return the exit status."""

    def work() -> None:
        args, _, resume = runs.parse(Args, arguments, "Expert iteration: learn from searches that the network guides.")
        run(args, resume)

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
