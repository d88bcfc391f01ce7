"""Expert iteration: a network learns from the searches that it guides, and guides better searches.

    python experiments/expert_iteration.py --init runs/full/policy.safetensors --out runs/expert
    python experiments/expert_iteration.py --init hawaii1795 --expert plans --games 1000 --old 0.5 --out runs/plans

A round: games of the network with itself, then passes over the lessons of the last rounds. There are two experts:

- ``search``: both sides search every decision. The policy's target is the visits of the actions, the value's a mean of
  the game's result and the search's value.
- ``plans``: most decisions are drawn from the policy, so that games are many; from a share of them (``searched``)
  whole plans are compared by rollouts (`hawaii_env.hawaii1795.search.Plans`) and the best is played. The policy's
  target, at each decision of the plan, is pi(a) exp(A(a) / tau): what the old policy thinks, and by how much the plans
  that go on with `a` are better than all, less where few rollouts say so. The value's is a mean of the result and of
  the rollouts, or of the old network where nothing was searched.

What was not searched teaches to stay: the old policy is the target, with the weight ``old``. One process plays and
learns in turn; no opponent but itself.

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
from hawaii_env import agents
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
    expert: str = "search"  # who teaches: search, or plans
    sims: int = 200  # simulations a decision of search, rollouts of plans
    searched: float = 0.05  # of plans: the share of the decisions from which plans are searched
    tau: float = 0.1  # of plans: the temperature of the target
    doubt: float = 8.0  # of plans: so many rollouts count half
    scouted: int = 0  # of plans: this many more candidates come from a search without the policy; 0: none
    leaders: str = ""  # of plans: specs of agents, with commas between, who begin every second game for both sides
    lead: int = 100  # up to so many decisions
    old: float = 0.0  # weight of a decision that was not searched, where the old policy is the target
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
        if self.expert not in ("search", "plans"):
            raise OptionError(f"expert: search or plans, not {self.expert!r}")
        for name in ("tau", "doubt"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name}: more than 0 is wanted, not {getattr(self, name)}")
        for name in ("scouted", "lead"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name} is 0 or more, not {getattr(self, name)}")
        if not self.old >= 0:
            raise OptionError(f"old: 0 or more, not {self.old}")
        for name in ("noise", "result", "searched"):
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
        visits: float32[sum of counts], the policy's target.
        targets: float32[n], of the value, the mover's.
        weights: float32[n], of the policy's target.
    """

    observations: NDArray[np.float32]
    counts: NDArray[np.int64]
    actions: NDArray[np.int64]
    visits: NDArray[np.float32]
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]


class Diary:
    """What a game's decisions teach, as far as it is known before its end."""

    def __init__(self) -> None:
        self.seen: list[NDArray[np.float32]] = []
        self.legals: list[NDArray[np.int64]] = []
        self.shares: list[NDArray[np.float64]] = []
        self.values: list[float] = []
        self.movers: list[int] = []
        self.weights: list[float] = []

    def add(self, seen: Any, legal: Any, share: Any, value: float, mover: int, weight: float) -> None:
        """A decision: what its mover was shown, the actions, the policy's target, the position's value for him."""
        self.seen.append(seen)
        self.legals.append(np.asarray(legal, np.int64))
        self.shares.append(share)
        self.values.append(value)
        self.movers.append(mover)
        self.weights.append(weight)

    def lessons(self, returns: Sequence[float], result: float) -> Lessons:
        """The lessons, the game having ended; `result` is its share in the value's target."""
        results = np.array([returns[player] for player in self.movers])
        targets = result * results + (1 - result) * np.array(self.values)
        return Lessons(
            np.stack(self.seen), np.array([len(one) for one in self.legals], np.int64), np.concatenate(self.legals),
            np.concatenate(self.shares).astype(np.float32), targets.astype(np.float32),
            np.array(self.weights, np.float32),
        )  # fmt: skip


def play(args: Args, game: Any, policy: Policy, seed: int) -> tuple[Lessons, tuple[float, ...]]:
    """Play one game of searches; return its lessons and its returns."""
    rng = np.random.default_rng([args.seed, seed])
    # One tree for each side: a player does not look into the other's head, and each keeps what it found.
    trees = [game.make_search(policy.tensors, values="net", c=args.c, seed=2 * seed + side) for side in range(2)]
    state, diary = game.initial_state(seed=seed), Diary()
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
        value = search.value if player == 0 else -search.value
        diary.add(np.asarray(state.observation(player), np.float32), search.actions, share, value, player, 1.0)
        drawn = len(diary.seen) <= args.opening
        state.apply(int(search.actions[rng.choice(len(share), p=share)]) if drawn else search.best())
    returns = state.returns()
    return diary.lessons(returns, args.result), tuple(returns)


def play_plans(args: Args, game: Any, policy: Policy, seed: int) -> tuple[Lessons, tuple[float, ...]]:
    """Play one game by the policy, some roots being searched for plans; return its lessons and its returns."""
    rng = np.random.default_rng([args.seed, seed])
    planner = game.make_plans(policy.tensors, seed=seed, scouted=args.scouted)
    state, diary = game.initial_state(seed=seed), Diary()
    if args.leaders and seed % 2:
        state = led_off(args, game, state, rng)
    plan: list[int] = []  # what is left of the best one
    found: list[tuple[list[int], int, float]] = []  # all that have begun as it has
    value = 0.0  # of the best one
    while not state.is_terminal:
        player, legal = state.current_player, state.legal_actions()
        if not plan and rng.random() < args.searched:
            planner.clear()
            planner.set_root(state.for_search())
            planner.run(args.sims)
            found = [one for one in planner.plans if one[1]]
            plan, value = (list(found[0][0]), found[0][2]) if len(found) > 1 else ([], 0.0)
        seen = np.asarray(state.observation(player), np.float32)
        chances, thought = policy.evaluate(seen, legal)
        if plan:
            share = improved(chances, legal, found, args.tau, args.doubt)
            diary.add(seen, legal, share, value, player, 1.0)
            action = plan.pop(0)
            found = [(rest[1:], visits, mean) for rest, visits, mean in found if rest[:1] == [action]]
        else:
            diary.add(seen, legal, chances, min(max(thought, -1.0), 1.0), player, args.old)
            action = int(rng.choice(legal, p=chances.astype(np.float64) / chances.astype(np.float64).sum()))
        state.apply(action)
    returns = state.returns()
    return diary.lessons(returns, args.result), tuple(returns)


def led_off(args: Args, game: Any, state: Any, rng: np.random.Generator) -> Any:
    """Return a position that one of the leaders, playing both sides, has come to from `state`, up to `lead` decisions
    later.
    """
    specs = agents.split_specs(args.leaders)
    spec = specs[int(rng.integers(len(specs)))]
    # One for each side: an agent may keep in mind what its side is about to do.
    leaders = [agents.make(spec, seed=int(rng.integers(2**31))) for _ in range(2)]
    for player, leader in enumerate(leaders):
        agents.begin(leader, game, player)
    for _ in range(int(rng.integers(args.lead + 1))):
        after = state.clone()
        after.apply(leaders[state.current_player].act(state, state.legal_actions()))
        if after.is_terminal:
            break
        state = after
    return state


def improved(
    chances: NDArray[np.float32], legal: Sequence[int], plans: Sequence[tuple[list[int], int, float]], tau: float,
    doubt: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the policy's target at a decision of a plan, float64[len(legal)].

    Args:
        chances: float32[len(legal)], the old policy.
        legal: the actions.
        plans: those that begin with what was done so far, as `Plans.plans` gives them, what was done left out.
        tau: the temperature.
        doubt: so many rollouts count half.
    """
    whole = sum(visits for _, visits, _ in plans)
    mean = sum(visits * value for _, visits, value in plans) / whole
    better = np.zeros(len(legal))
    for k, action in enumerate(legal):
        those = [(visits, value) for actions, visits, value in plans if actions[:1] == [action]]
        if those:
            visits, value = max(those)  # the one that was compared longest
            better[k] = (value - mean) * visits / (visits + doubt)
    logits = np.log(np.maximum(chances.astype(np.float64), 1e-12)) + better / tau
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


def collect(args: Args, games: Sequence[Any], policy: Policy, number: int) -> tuple[Lessons, dict[str, float]]:
    """Play the games of a round; return their lessons, and figures."""
    parts: list[Lessons] = []
    wins = ties = 0
    for k in range(args.games):
        lessons, returns = (play if args.expert == "search" else play_plans)(
            args, games[k], policy, (args.seed * 1000 + number) * 10_000 + k
        )
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
    targets, weights = (
        torch.from_numpy(np.concatenate([getattr(one, name) for one in lessons])) for name in ("targets", "weights")
    )
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
            cross = share * table[torch.from_numpy(owner), torch.from_numpy(column)]
            weight = weights[torch.from_numpy(rows)]
            policy = -(cross * weight[torch.from_numpy(owner)]).sum() / weight.sum().clamp(min=1)
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
    games = [start.shown(game) for game in games]
    start.check(games[0], ruleset=True)
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
