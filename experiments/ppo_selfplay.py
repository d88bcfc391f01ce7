"""Masked PPO by self-play, in one file, directly on the batch: one network plays both sides and learns from both.

    python experiments/ppo_selfplay.py --preset quick --out runs/first

Written to be read and changed, in the manner of CleanRL. In most lanes every decision is the network's, and it learns
from all of them; in a share of the lanes the other side is played by past selves or by agents that have names, and it
learns from its own.

Four things are not as in any PPO:

1. *Advantages*: players do not alternate, one often decides several times running; see `advantages`.
2. *Legal actions only*: of 991 actions four or five are legal. Logits are worked out for these alone; the result is
   that of a mask over all, see `LegalLogits`, and most of the last layer's work and all work on masked-out logits is
   saved.
3. *Opponents*: see `training/opponents.py`; how strong it has become is measured on a fixed ladder,
`training/ladder.py`. 4. *Resuming is exact*: a checkpoint holds the running games, the past selves and every generator,
so that a run that is stopped and
   resumed goes on, bit by bit, as one that was not (on one machine, with the same number of threads).

A run's folder: ``config.json``, ``progress.jsonl`` (a line a rollout, written as it goes), ``curves.png``,
``checkpoint.pt`` (for resuming: load only your own, it holds pickles), ``policy.safetensors`` (weights and where they
come from, for `hawaii_agents.ppo.PPOAgent`, which needs no torch), ``policy-best.safetensors`` (the same, at the best
score on the ladder).
"""

from __future__ import annotations

import json
import math
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads wait for each other more than they work

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for `training`, wherever this file is loaded from

from training import runs
from training.advantages import own_advantages
from training.ladder import batched, installed, label, match, shares_of
from training.opponents import Opponents

from hawaii_agents import weights as shipped
from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents
from hawaii_env.agents import legal_in_rows
from hawaii_env.env.vector import RESET, BatchEnv, games_of
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import Game

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass
class Args:
    """What a run is told. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/ppo_selfplay"  # folder of the run
    game: str = "hawaii_env.hawaii1795:Game"  # class of games
    scenario: str = "long"  # scenario of the game, or several with commas between; empty for games without
    observation: str = ""  # edition of the observation, for games that have several, as v1; empty: the game's first
    shares: str = ""  # their shares of the lanes, as "0.75,0.25"; empty: all alike
    seed: int = 1  # of everything
    decisions: int = 5_000_000  # decisions of both sides to learn from; the learning rate falls to 0 over them
    minutes: float = 0.0  # stop after so many minutes, too; 0: no such limit
    lanes: int = 256  # games at once
    steps: int = 64  # decisions a lane in one rollout
    epochs: int = 4  # passes over a rollout
    minibatch: int = 1024
    lr: float = 1e-3  # Adam's, at the beginning
    anneal: bool = True  # let it fall to 0
    gamma: float = 1.0  # a decision: 1, since only the result counts
    lam: float = 0.95  # GAE's lambda
    clip: float = 0.2
    entropy: float = 0.01  # weight of the entropy
    entropy_last: float = -1.0  # what it falls to over the run; -1: it does not fall
    value: float = 0.5  # weight of the value's error
    max_grad: float = 0.5  # gradients are scaled down to this norm
    target_kl: float = 0.0  # end a rollout's passes where the policy has moved 1.5 times this far; 0: never
    hidden: int = 128  # width of the two layers of policy and value
    legal_only: bool = True  # work logits out for legal actions only; False: for all, then mask. The result is the same
    init: str = ""  # start from these weights: a policy's file or the name of a shipped one
    pool: float = 0.0  # share of the lanes that play against past selves
    pool_groups: int = 3  # past selves at once; those lanes are divided among them
    pool_size: int = 24  # past selves that are kept
    pool_every: int = 10  # rollouts between two snapshots, at first
    scripted: str = ""  # agents' specs, with commas between, that play the other side in some lanes
    scripted_lanes: int = 8  # lanes against each of them
    max_decisions: int = 0  # truncate games after so many decisions; 0: the game's own figure of safety
    ladder: str = "random"  # specs of the fixed ladder; one that is not installed is left out
    eval_every: int = 25  # rollouts between two evaluations on the ladder; 0: never
    eval_games: int = 512  # games against each that decides in batches
    eval_slow_games: int = 100  # games against each that decides position by position
    checkpoint_every: int = 25  # rollouts between two checkpoints; there is one at the end, too
    device: str = "cpu"  # where the network learns, as torch names it: "cuda" for a graphics card
    torch_threads: int = 1
    env_threads: int = 1
    tensorboard: bool = False  # write TensorBoard's files as well (pip install tensorboard)
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise OptionError where a value is none."""
        whole = (
            "decisions",
            "lanes",
            "steps",
            "epochs",
            "minibatch",
            "hidden",
            "pool_groups",
            "pool_every",
            "scripted_lanes",
            "eval_games",
            "eval_slow_games",
            "checkpoint_every",
            "torch_threads",
            "env_threads",
        )
        for name in whole:
            if getattr(self, name) < 1:
                raise OptionError(f"{name} is 1 or more, not {getattr(self, name)}")
        for name in ("seed", "minutes", "lr", "entropy", "value", "target_kl", "max_decisions", "eval_every"):
            if not getattr(self, name) >= 0:
                raise OptionError(f"{name} is 0 or more, not {getattr(self, name)}")
        if self.pool_size < 2:
            raise OptionError(f"pool_size is 2 or more, not {self.pool_size}")
        for name in ("gamma", "lam", "pool"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"{name} is from 0 to 1, not {getattr(self, name)}")
        past, scripted = self.opponent_lanes()
        if past + sum(lanes for _, lanes in scripted) > self.lanes:
            raise OptionError(
                f"pool and scripted_lanes: more lanes with opponents than the {self.lanes} that there are"
            )

    def opponent_lanes(self) -> tuple[int, list[tuple[str, int]]]:
        """Return how many lanes play against past selves, and the specs of the others' opponents, each with its
        lanes.
        """
        specs = agents.split_specs(self.scripted) if self.scripted else []
        return round(self.pool * self.lanes), [(spec, self.scripted_lanes) for spec in specs]


# Advantages


def advantages(
    rewards: F32, values: F32, to_play: I64, ends: Bools, bootstrap: F32, last_values: F32, last_to_play: I64,
    gamma: float, lam: float, learns: Bools | None = None,
) -> F32:  # fmt: skip
    r"""Return the generalised advantage of each decision, for its mover, in a two-player zero-sum game.

    Let p_t be the player who takes decision t, V(s_t) the value of the position for p_t, which is what the network is
    asked, and r_t what p_t gets between decisions t and t + 1. Players need not alternate. Look at everything as player
    0 does, with c_t = 1 where p_t = 0 and -1 where p_t = 1; the game being zero-sum, player 0 gets c_t r_t, and the
    position is worth c_t V(s_t) to them. For player 0 the decisions of both are one Markov reward process, so the usual
    estimator applies, whoever moves:

        A0_t = c_t r_t + gamma c_{t+1} V(s_{t+1}) - c_t V(s_t) + gamma lam A0_{t+1}

    The mover's advantage is A_t = c_t A0_t. Multiplying by c_t, with c_t c_t = 1:

        A_t = r_t + gamma sigma_t V(s_{t+1}) - V(s_t) + gamma lam sigma_t A_{t+1},    sigma_t = c_t c_{t+1}

    sigma_t is 1 where the next decision is the same player's, and -1 where it is the other's. So a sign that flips each
    step (the habit in chess and Go, where players alternate) is wrong wherever a player decides twice running: it takes
    a player's own good prospects for the opponent's. Leaving the sign out is wrong wherever the turn passes. And
    treating each player's own decisions as a chain of their own, as an environment for one player does, bootstraps from
    that player's next decision, which may be many decisions later; that is right, too, but it has the noise of all that
    happens between.

    Where a game ends with decision t, nothing follows: sigma_t counts as 0, for the value and for A_{t+1}, which
    belongs to the next game in the lane. If it was truncated, the position is worth something still: `bootstrap` stands
    for sigma_t V(s_{t+1}).

    Decisions of an opponent that learns nothing are no links of the chain, but a part of what happens between two of
    the learner's: the chain goes from one of these to the next, and what the opponent's decisions bring is added up.

    Args:
        rewards: float32[T, N], r_t, the mover's.
        values: float32[T, N], V(s_t), the mover's.
        to_play: int64[T, N], p_t, 0 or 1.
        ends: bool[T, N], the game ended with this decision, by a rule or by truncation.
        bootstrap: float32[T, N], the value for p_t of the last position of a game truncated by decision t; 0 elsewhere.
        last_values: float32[N], V(s_T).
        last_to_play: int64[N], p_T.
        gamma: discount of one decision of anybody's.
        lam: lambda of the estimator, from 0 (one step) to 1 (the whole rest).
        learns: bool[T, N], the decision is the learner's; None: all are. The others' values are not looked at.

    Returns:
        float32[T, N], 0 for the others' decisions. Advantage + value is the target of the value.

    Raises:
        OptionError: arrays whose shapes do not fit.
    """
    shape = rewards.shape
    if len(shape) != 2 or not shape[0] or any(a.shape != shape for a in (values, to_play, ends, bootstrap)):
        raise OptionError("rewards, values, to_play, ends and bootstrap: one shape [T, N] is wanted, T of 1 or more")
    if last_values.shape != shape[1:] or last_to_play.shape != shape[1:]:
        raise OptionError(f"last_values and last_to_play: the shape [{shape[1]}] is wanted")
    learns = np.ones(shape, np.bool_) if learns is None else learns
    result = np.zeros(shape, np.float32)
    one, zero = np.float32(1), np.float32(0)
    # All as player 0 sees it: what is won up to the learner's next decision, that decision's value and its advantage.
    won, value, trace = np.zeros(shape[1], np.float32), np.where(last_to_play == 0, last_values, -last_values), zero
    for t in reversed(range(shape[0])):
        c = np.where(to_play[t] == 0, one, -one)
        won = np.where(ends[t], zero, won)
        value = np.where(ends[t], c * bootstrap[t], value)
        trace = np.where(ends[t], zero, trace)
        own = c * values[t]
        advantage = c * rewards[t] + gamma * (won + value) - own + gamma * lam * trace
        result[t] = np.where(learns[t], c * advantage, zero)
        won = np.where(learns[t], zero, c * rewards[t] + gamma * won)
        value = np.where(learns[t], own, gamma * value)
        trace = np.where(learns[t], advantage, gamma * trace)
    return result


# Legal actions


@dataclass
class Legal:
    """The legal actions of some decisions, one list after the other.

    Attributes:
        counts: int64[n], how many each decision has.
        actions: int64[sum of counts], ascending in each list.
    """

    counts: I64
    actions: I64

    @classmethod
    def of(cls, masks: NDArray[np.int8]) -> Legal:
        """Return those of masks, int8[n, A] of 0 and 1."""
        rows, actions = legal_in_rows(masks)
        return cls(np.bincount(rows, minlength=len(masks)), actions)

    @classmethod
    def join(cls, parts: Sequence[Legal]) -> Legal:
        """Return the lists of all parts, in their order."""
        return cls(np.concatenate([part.counts for part in parts]), np.concatenate([part.actions for part in parts]))

    def take(self, rows: I64, starts: I64) -> Legal:
        """Return the lists of some decisions; `starts` is where each list starts, ``cumsum(counts) - counts``."""
        counts = self.counts[rows]
        shift = np.repeat(starts[rows] - (np.cumsum(counts) - counts), counts)
        return Legal(counts, self.actions[shift + np.arange(len(shift))])

    def places(self) -> tuple[I64, I64]:
        """Return row and column of each action in a table of one row a decision."""
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        return rows, np.arange(len(rows)) - np.repeat(np.cumsum(self.counts) - self.counts, self.counts)


SPARSE = torch.backends.mkl.is_available()
"""True where torch multiplies sparse matrices on this CPU; else legal logits are gathered, to the same result but more
slowly.
"""


def _compressed(crow: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """A sparse matrix in compressed rows, without torch's check of it and its words about the format being young."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(crow, columns, values, shape, check_invariants=False)


class LegalLogits(torch.autograd.Function):
    """The last layer for legal actions only: ``(h @ weight.T)[i, a]`` for each legal action a of row i.

    With a mask the other logits get no probability and no gradient: leaving them out changes nothing but the time. This
    is a product of dense matrices sampled at the legal places (SDDMM); its gradients are two products with a sparse
    matrix.

    Args of `apply`: h, float32[n, H]; weight, float32[A, H]; crow, int64[n + 1], and columns, int64[m], the legal
    actions in the form of compressed rows. Returns float32[m].
    """

    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor, crow: Tensor, columns: Tensor) -> Tensor:
        """The logits."""
        ctx.save_for_backward(h, weight, crow, columns)
        place = _compressed(crow, columns, torch.zeros(len(columns)), (len(h), len(weight)))
        return torch.sparse.sampled_addmm(place, h, weight.t(), beta=0.0).values()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """The gradients of h and weight."""
        h, weight, crow, columns = ctx.saved_tensors
        g = gradients[0]
        n, a = len(h), len(weight)
        rows = torch.repeat_interleave(torch.arange(n), crow.diff())
        order = torch.argsort(columns, stable=True)
        ccol = torch.zeros(a + 1, dtype=torch.int64)
        torch.cumsum(torch.bincount(columns, minlength=a), 0, out=ccol[1:])
        by_row = _compressed(crow, columns, g.contiguous(), (n, a))
        by_action = _compressed(ccol, rows[order], g[order], (a, n))
        return by_row @ weight, by_action @ h, None, None


class Net(nn.Module):
    """Policy and value, two layers each; the sizes, activations and initial weights are those of SB3's MlpPolicy.

    Args:
        observation_size: O.
        num_actions: A.
        hidden: H. The first layers of policy and value stand in one matrix, so that they are one product.
        legal_only: see `Args`.
    """

    def __init__(self, observation_size: int, num_actions: int, hidden: int, legal_only: bool = True) -> None:
        super().__init__()
        self.sizes = {"observation_size": observation_size, "num_actions": num_actions, "hidden": hidden}
        self.legal_only = legal_only
        self.first = nn.Linear(observation_size, 2 * hidden)
        self.policy = nn.Linear(hidden, hidden)
        self.worth = nn.Linear(hidden, hidden)
        self.actions = nn.Linear(hidden, num_actions)
        self.score = nn.Linear(hidden, 1)
        with torch.no_grad():
            for part in self.first.weight[:hidden], self.first.weight[hidden:], self.policy.weight, self.worth.weight:
                nn.init.orthogonal_(part, math.sqrt(2))
            nn.init.orthogonal_(self.actions.weight, 0.01)
            nn.init.orthogonal_(self.score.weight, 1.0)
            for layer in self.first, self.policy, self.worth, self.actions, self.score:
                layer.bias.zero_()

    def towers(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the last layers of policy and value are given, float32[n, H] each."""
        policy, worth = torch.tanh(self.first(observations)).chunk(2, dim=1)
        return torch.tanh(self.policy(policy)), torch.tanh(self.worth(worth))

    def values(self, observations: Tensor) -> Tensor:
        """Return the values for the players to act, float32[n]."""
        return self.score(self.towers(observations)[1]).flatten()

    def forward(self, observations: Tensor, legal: Legal) -> tuple[Tensor, Tensor]:
        """Return logits and values.

        Args:
            observations: float32[n, O].
            legal: the legal actions of the n decisions.

        Returns:
            float32[n, K], K being the longest list: the logits of each list's actions, then -1e9; and float32[n].
        """
        h, worth = self.towers(observations)
        device = observations.device
        places = [torch.from_numpy(array).to(device) for array in legal.places()]
        columns = torch.from_numpy(legal.actions).to(device)
        if not self.legal_only or device.type != "cpu":  # a graphics card does the whole layer in no time
            some = self.actions(h)[places[0], columns]
        elif SPARSE:
            crow = torch.from_numpy(np.concatenate([[0], np.cumsum(legal.counts)]))
            some = cast(Tensor, LegalLogits.apply(h, self.actions.weight, crow, columns)) + self.actions.bias[columns]
        else:
            some = (h[places[0]] * self.actions.weight[columns]).sum(1) + self.actions.bias[columns]
        table = torch.full((len(h), int(legal.counts.max())), -1e9, device=device)
        return table.index_put((places[0], places[1]), some), self.score(worth).flatten()


# Learning


@dataclass
class Rollout:
    """The learner's decisions in T steps of N lanes, step by step: n = T * N of them, less those of opponents.

    Attributes:
        observations: float32[n, O].
        legal: legal actions of each decision.
        picks: int64[n], which of its legal actions was taken.
        log_probs: float32[n], logarithm of its probability.
        advantages, targets: float32[n], the mover's; targets are of the values.
        values: float32[n], what the network thought.
    """

    observations: F32
    legal: Legal
    picks: I64
    log_probs: F32
    advantages: F32
    targets: F32
    values: F32


class Trainer:
    """A run: the games, the network, the generators. Everything that a checkpoint holds is an attribute.

    Args:
        args: what the run is told.

    Raises:
        OptionError: a value that is none.
    """

    def __init__(self, args: Args) -> None:
        args.check()
        self.args = args
        torch.set_num_threads(args.torch_threads)
        torch.manual_seed(args.seed)
        self.rng = np.random.default_rng(args.seed)
        start = shipped.load(args.init) if args.init else None
        self.device = _device(args.device)
        self.batch = self.make_batch(args.lanes)
        self.game: Game = self.batch.games[0]
        self.pair = self.game.num_players == 2 and self.game.utility == "zero_sum"
        self.net = Net(self.game.observation_size, self.game.num_actions, args.hidden, args.legal_only)
        if start is not None:
            start.check(self.game)
            if start.hidden != args.hidden:
                raise OptionError(
                    f"init: {start.origin} has layers of {start.hidden}: hidden={start.hidden} is wanted, not "
                    f"{args.hidden}"
                )
            self.net.load_state_dict({name: torch.from_numpy(array) for name, array in start.tensors.items()})
        self.net.to(self.device)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=args.lr, eps=1e-5, fused=True)
        self.rollouts = 0
        self.decisions = 0
        self.games = 0
        self.seconds = 0.0
        self.spent = {
            "environment": 0.0,
            "policy": 0.0,
            "opponents": 0.0,
            "advantages": 0.0,
            "learning": 0.0,
            "evaluation": 0.0,
        }
        self.best: tuple[float, Policy] | None = None
        self._unknown: set[str] = set()
        past, scripted = args.opponent_lanes()
        self.opponents = Opponents(self.game, past, args.pool_groups, args.pool_size, args.pool_every, scripted)
        # The learner's side in the lanes with an opponent, which are the last ones; -1 in the others: both.
        self.sides = np.full(args.lanes, -1, np.int64)
        self.first_opponent = args.lanes - self.opponents.lanes
        self.sides[self.first_opponent :] = np.arange(self.opponents.lanes) % self.game.num_players
        self.opponents.add(0, self.policy())
        self.batch.reset(seed=args.seed)
        self._seen = np.zeros((args.steps, args.lanes, self.game.observation_size), np.float32)

    def games_for(self, n: int) -> list[Game]:
        """Return n of the run's games, its scenarios mixed by their shares."""
        args = self.args
        scenarios = [name.strip() for name in args.scenario.split(",")] if args.scenario else []
        try:
            shares = [float(text) for text in args.shares.split(",")] if args.shares else [1.0] * len(scenarios)
        except ValueError:
            raise OptionError(f"shares: numbers with commas between are wanted, not {args.shares!r}") from None
        if len(shares) != len(scenarios) or min(shares, default=1) <= 0:
            raise OptionError(
                f"shares: {len(scenarios)} numbers above 0 are wanted, one a scenario, not {args.shares!r}"
            )
        shown = {"observation": args.observation} if args.observation else {}
        if len(scenarios) < 2:
            return games_of(args.game, n, **shown, **({"scenario": scenarios[0]} if scenarios else {}))
        made = [games_of(args.game, 1, **shown, scenario=name)[0] for name in scenarios]
        owed = [0.0] * len(made)
        games = []
        for _ in range(n):  # each lane goes to the scenario that is furthest behind
            owed = [debt + share / sum(shares) for debt, share in zip(owed, shares, strict=True)]
            most = owed.index(max(owed))
            owed[most] -= 1.0
            games.append(made[most])
        return games

    def make_batch(self, lanes: int) -> BatchEnv:
        """Return a batch of the run's games, which leaves resets to its caller."""
        limit = self.args.max_decisions or None
        return BatchEnv(
            self.games_for(lanes), lanes, autoreset_mode="Disabled", threads=self.args.env_threads, max_decisions=limit
        )

    def policy(self, **facts: Any) -> Policy:
        """Return a copy of the network as it is now, as it is saved and shipped; `facts` go into its metadata."""
        tensors = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.net.state_dict().items()}
        meta = {
            **game_meta(self.game),
            "trainer": "ppo_selfplay",
            "decisions": self.decisions,
            "games": self.games,
            **facts,
        }
        return Policy(tensors, meta, f"rollout {self.rollouts}")

    def act(self, observations: F32, legal: Legal, rng: np.random.Generator | None) -> tuple[I64, I64, F32, F32]:
        """Choose: return picks int64[n] (places in the lists), actions int64[n], log-probabilities and values
        float32[n].

        Args:
            observations: float32[n, O].
            legal: legal actions.
            rng: what draws from the policy; None takes the likeliest action.
        """
        with torch.no_grad():
            logits, values = self.net(torch.from_numpy(observations).to(self.device), legal)
            log_probs = torch.log_softmax(logits, 1).cpu().numpy()
        keys = log_probs if rng is None else log_probs + rng.gumbel(size=log_probs.shape).astype(np.float32)
        picks = keys.argmax(1)
        starts = np.cumsum(legal.counts) - legal.counts
        return picks, legal.actions[starts + picks], log_probs[np.arange(len(picks)), picks], values.cpu().numpy()

    def collect(self) -> tuple[Rollout, dict[str, float]]:
        """Play T decisions in each lane. Return the learner's, and figures about the games that ended."""
        args, batch, sides = self.args, self.batch, self.sides
        t_max, n = args.steps, args.lanes
        lanes = np.arange(n)
        clock = _Clock(self.spent)
        seen, legals = self._seen, []
        picks, to_play = np.zeros((t_max, n), np.int64), np.zeros((t_max, n), np.int64)
        log_probs, values = (np.zeros((t_max, n), np.float32) for _ in range(2))
        rewards, bootstrap = (np.zeros((t_max, n, self.game.num_players), np.float32) for _ in range(2))
        ends, learns = np.zeros((t_max, n), np.bool_), np.ones((t_max, n), np.bool_)
        actions = np.zeros(n, np.int64)
        lengths: list[int] = []
        tally = _Tally()
        self.opponents.begin(self.rng)
        for t in range(t_max):
            seen[t] = batch.observations
            to_play[t] = batch.to_play
            learns[t] = (sides < 0) | (to_play[t] == sides)
            mine, theirs = np.flatnonzero(learns[t]), np.flatnonzero(~learns[t])
            legal = Legal(*batch.legal_lists())
            if len(theirs):
                legal = legal.take(mine, np.cumsum(legal.counts) - legal.counts)
            legals.append(legal)
            picks[t, mine], actions[mine], log_probs[t, mine], values[t, mine] = self.act(
                seen[t, mine], legal, self.rng
            )
            clock.lap("policy")
            if len(theirs):
                actions[theirs] = self.opponents.decide(batch, theirs, self.first_opponent)
                clock.lap("opponents")
            _, gains, terminations, truncations, _ = batch.step(actions)
            rewards[t] = gains
            ends[t] = terminations | truncations
            if truncations.any():
                for lane in np.flatnonzero(truncations & ~terminations).tolist():
                    bootstrap[t, lane] = self.worth_of(lane)
            if ends[t].any():
                lengths += batch.episode_lengths[ends[t]].tolist()
                ended = np.flatnonzero(ends[t])
                winners = batch.episode_winners[ended]
                tally.add(winners, terminations[ended], sides[ended], shares_of(batch, ended, winners, sides[ended]))
                turned = ended[sides[ended] >= 0]
                sides[turned] = (sides[turned] + 1) % self.game.num_players  # the next side in the next game
                batch.run(np.where(ends[t], RESET, 0).astype(np.int8), actions)
            clock.lap("environment")
        if self.pair:
            with torch.no_grad():
                last_values = self.net.values(torch.from_numpy(batch.observations).to(self.device)).cpu().numpy()
            clock.lap("policy")
            movers = np.arange(t_max)[:, None], lanes, to_play
            gains = advantages(
                rewards[movers],
                values,
                to_play,
                ends,
                bootstrap[movers],
                last_values,
                batch.to_play,
                args.gamma,
                args.lam,
                learns,
            )
        else:
            last = np.stack([self.worth_of(lane) for lane in range(n)])
            clock.lap("policy")
            gains = own_advantages(rewards, values, to_play, ends, bootstrap, last, args.gamma, args.lam, learns)
        clock.lap("advantages")
        self.decisions += int(learns.sum())
        self.games += len(lengths)
        kept = np.flatnonzero(learns)
        rollout = Rollout(
            seen.reshape(t_max * n, -1)[kept], Legal.join(legals), picks.ravel()[kept], log_probs.ravel()[kept],
            gains.ravel()[kept], (gains + values).ravel()[kept], values.ravel()[kept],
        )  # fmt: skip
        return rollout, {
            "games": len(lengths),
            "length": float(np.mean(lengths)) if lengths else math.nan,
            **tally.figures(),
        }

    def worth_of(self, lane: int) -> F32:
        """Return what a lane's position is worth to each player, float32[P]; with two, zero-sum, the value of who
        decides, with the sign.
        """
        state = self.batch.get_state(lane)
        players = [state.acting_players[0]] if self.pair else list(range(self.game.num_players))
        seen = np.stack([np.asarray(state.observation(player), np.float32) for player in players])
        with torch.no_grad():
            values = self.net.values(torch.from_numpy(seen).to(self.device)).cpu().numpy()
        if not self.pair:
            return values
        return np.where(np.arange(2) == players[0], values[0], -values[0]).astype(np.float32)

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Pass over a rollout `epochs` times, in minibatches. Return figures."""
        args, n = self.args, len(rollout.picks)
        done = min(1.0, (self.decisions - n) / args.decisions)
        share = done if args.anneal else 0.0
        weight = args.entropy if args.entropy_last < 0 else args.entropy + (args.entropy_last - args.entropy) * done
        for group in self.optimizer.param_groups:
            group["lr"] = args.lr * (1.0 - share)
        starts = np.cumsum(rollout.legal.counts) - rollout.legal.counts
        observations, picks, old, gains, targets = (
            torch.from_numpy(array).to(self.device)
            for array in (rollout.observations, rollout.picks, rollout.log_probs, rollout.advantages, rollout.targets)
        )
        sums = dict.fromkeys(("policy_loss", "value_loss", "entropy", "kl", "clipped"), 0.0)
        updates, go_on = 0, True
        for _ in range(args.epochs):
            order = self.rng.permutation(n)
            for start in range(0, n, args.minibatch):
                chosen = order[start : start + args.minibatch]
                rows = torch.from_numpy(chosen).to(self.device)
                logits, values = self.net(observations[rows], rollout.legal.take(chosen, starts))
                table = torch.log_softmax(logits, 1)
                log_probs = table.gather(1, picks[rows, None]).flatten()
                entropy = -(table.exp() * table).sum(1).mean()
                gain = gains[rows]
                if len(gain) > 1:
                    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                change = log_probs - old[rows]
                ratio = change.exp()
                policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - args.clip, 1 + args.clip)).mean()
                value_loss = nn.functional.mse_loss(values, targets[rows])
                with torch.no_grad():
                    kl = float((ratio - 1 - change).mean())
                    clipped = float(((ratio - 1).abs() > args.clip).float().mean())
                if args.target_kl and kl > 1.5 * args.target_kl:
                    go_on = False
                    break
                self.optimizer.zero_grad()
                (policy_loss + args.value * value_loss - weight * entropy).backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), args.max_grad)
                self.optimizer.step()
                updates += 1
                for name, value in zip(sums, (policy_loss, value_loss, entropy, kl, clipped), strict=True):
                    sums[name] += float(torch.as_tensor(value).detach())
            if not go_on:
                break
        spread = float(rollout.targets.var())
        explained = 1 - float((rollout.targets - rollout.values).var()) / spread if spread > 0 else math.nan
        means = {name: value / max(1, updates) for name, value in sums.items()}
        return {**means, "explained": explained, "updates": updates}

    def evaluate(self, greedy: bool = False, seed: int = 0) -> dict[str, dict[str, float]]:
        """Play against the ladder and the best policy so far, the run's scenarios mixed; the run's own generators are
        not touched.

        Args:
            greedy: True takes the likeliest action, False draws from the policy.
            seed: of dice, opponents and draws.

        Returns:
            By opponent what `training.ladder.match` returns; ``past_best`` is the best policy so far.
        """
        args, limit = self.args, self.args.max_decisions or None
        agent = PPOAgent(self.policy(), greedy=greedy, seed=seed)
        found: dict[str, dict[str, float]] = {}
        for spec in installed(args.ladder, self._unknown):
            games = args.eval_games if batched(agents.make(spec)) else args.eval_slow_games
            found[label(spec)] = match(self.games_for(max(1, games // 2)), agent.act_batch, spec, seed, limit)
        if self.best is not None:
            past = PPOAgent(self.best[1], greedy=greedy, seed=seed + 1)
            found["past_best"] = match(self.games_for(max(1, args.eval_games // 2)), agent.act_batch, past, seed, limit)
        return found

    def _evaluate(self) -> dict[str, dict[str, float]]:
        """Evaluate, and keep the policy where none was better: by the mean score on the fixed part of the ladder."""
        found = self.evaluate()
        fixed = [one["score"] for name, one in found.items() if name != "past_best"]
        score = float(np.mean(fixed)) if fixed else float(self.rollouts)  # without a ladder the newest is the best
        if self.best is None or score >= self.best[0]:
            self.best = score, self.policy(**self._facts(), ladder=found)
        return found

    def _facts(self) -> dict[str, Any]:
        return runs.provenance("ppo_selfplay.py", asdict(self.args), asdict(Args()))

    # Checkpoints

    def save(self, folder: Path) -> None:
        """Write ``checkpoint.pt``, ``policy.safetensors`` and ``policy-best.safetensors``; a crash in between leaves
        the old ones whole.
        """
        state = {
            "args": asdict(self.args),
            "net": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "rng": self.rng.bit_generator.state,
            "batch": pickle.dumps(self.batch),
            "sides": self.sides,
            "opponents": self.opponents.state_dict(),
            "best": None if self.best is None else (self.best[0], self.best[1].tensors, self.best[1].meta),
            "counters": (self.rollouts, self.decisions, self.games, self.seconds, self.spent),
        }
        runs.replace(folder / "checkpoint.pt", lambda part: torch.save(state, part))
        self.policy(**self._facts()).save(folder / "policy.safetensors")
        if self.best is not None:
            self.best[1].save(folder / "policy-best.safetensors")

    @classmethod
    def load(cls, folder: Path, **changes: Any) -> Trainer:
        """Return the run that ``checkpoint.pt`` holds.

        Args:
            folder: the run's folder. Load only checkpoints of your own: they hold pickles.
            changes: fields of `Args` to change, as ``decisions`` or ``minutes``.

        Raises:
            OptionError: there is no checkpoint, or it cannot be read.
        """
        path = folder / "checkpoint.pt"
        if not path.is_file():
            raise OptionError(f"there is no checkpoint {path}")
        try:
            state = torch.load(path, weights_only=False, map_location="cpu")
            trainer = cls(Args(**{**state["args"], "init": "", **changes}))
            trainer.args.init = state["args"]["init"]
            trainer.net.load_state_dict(state["net"])
            trainer.optimizer.load_state_dict(state["optimizer"])
            trainer.rng.bit_generator.state = state["rng"]
            trainer.batch = pickle.loads(state["batch"])
            trainer.sides = state["sides"]
            trainer.opponents.load_state_dict(state["opponents"])
            if state["best"] is not None:
                score, tensors, meta = state["best"]
                trainer.best = score, Policy(tensors, meta, "the best policy")
            trainer.rollouts, trainer.decisions, trainer.games, trainer.seconds, trainer.spent = state["counters"]
        except HawaiiError:
            raise
        except Exception as error:  # a damaged file fails in many ways
            raise OptionError(f"{path} is no checkpoint of this script: {type(error).__name__}: {error}") from error
        return trainer

    # The run

    def run(self, folder: Path, tell: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """Roll out and learn until the decisions, or the minutes, are spent. Return the last line of
        ``progress.jsonl``.
        """
        args = self.args
        log = runs.Log(folder, asdict(args), self.rollouts, args.tensorboard, self.decisions)
        line: dict[str, Any] = log.lines[-1] if log.lines else {}
        begin = time.perf_counter() - self.seconds
        try:
            while not self.done():
                clock = _Clock(self.spent)
                rollout, figures = self.collect()
                clock.restart()
                losses = self.learn(rollout)
                clock.lap("learning")
                self.rollouts += 1
                self.opponents.add(self.rollouts, self.policy())
                last = self.decisions >= args.decisions
                line = {"rollout": self.rollouts, "decisions": self.decisions, **figures, **losses}
                if args.eval_every and (self.rollouts % args.eval_every == 0 or last):
                    line["ladder"] = self._evaluate()
                    clock.lap("evaluation")
                self.seconds = time.perf_counter() - begin
                line["seconds"] = round(self.seconds, 3)
                line["decisions_per_second"] = round(self.decisions / self.seconds, 1)
                log.write(line, self.decisions)
                if "ladder" in line:
                    log.curves(least=20.0)
                if self.rollouts % args.checkpoint_every == 0 or self.done():
                    self.save(folder)
                if tell is not None:
                    tell(line)
        finally:
            log.close()
        return line

    def done(self) -> bool:
        """Return whether the run has spent its decisions or its minutes."""
        return self.decisions >= self.args.decisions or bool(
            self.args.minutes and self.seconds >= 60 * self.args.minutes
        )


class _Clock:
    """Adds up what time goes into."""

    def __init__(self, spent: dict[str, float]) -> None:
        self.spent = spent
        self.restart()

    def restart(self) -> None:
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.spent[name] += now - self._since
        self._since = now


class _Tally:
    """Counts how the games of a rollout ended."""

    def __init__(self) -> None:
        self.first = 0.0
        self.ties = self.truncated = self.finished = 0
        self.against: list[float] = []

    def add(self, winners: I64, terminated: Bools, sides: I64, shares: F32) -> None:
        """Games that ended: their winners (-1 nobody), whether by a rule, the learner's side (-1: all), and the shares
        of `shares_of`.
        """
        self.truncated += int((~terminated).sum())
        own = terminated & (sides < 0)
        self.finished += int(own.sum())
        self.first += float(shares[own].sum())
        self.ties += int((own & (winners < 0)).sum())
        other = terminated & (sides >= 0)
        self.against += shares[other].tolist()

    def figures(self) -> dict[str, float]:
        """Return the first player's score and the ties, both of self-play, truncated games, and the score against the
        opponents of the pool.
        """
        score = self.first / self.finished if self.finished else math.nan
        told: dict[str, float] = {"first_side_score": score, "ties": self.ties, "truncated": self.truncated}
        return {**told, "pool_score": float(np.mean(self.against))} if self.against else told


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise OptionError(f'device: {name!r} is no device of this machine ({error}); "cpu" always is') from None
    return device


# What comes out


def load_agent(path: str | Path, greedy: bool = False, seed: int | None = None) -> PPOAgent:
    """Return the agent of a run: `path` is its folder or a policy's file.

    Raises:
        OptionError: no such file, or one of something else.
    """
    path = Path(path)
    path = path / "policy.safetensors" if path.is_dir() else path
    return PPOAgent(Policy.load(path), greedy=greedy, seed=seed)


def export(source: Path, target: Path) -> Policy:
    """Write the newest policy of a run's checkpoint, or of a ``policy.pt`` of earlier versions, as safetensors, and
    return it.

    Raises:
        OptionError: neither is there, or it cannot be read.
    """
    old = source if source.is_file() else source / "policy.pt"
    if source.is_dir() and (source / "checkpoint.pt").is_file() and not old.is_file():
        trainer = Trainer.load(source)
        policy = trainer.policy(**trainer._facts())
    else:
        try:
            saved = torch.load(old, weights_only=True)
            config = old.parent / "config.json"
            args = Args(**json.loads(config.read_text(encoding="utf-8"))) if config.is_file() else Args()
            game = games_of(args.game, 1, **({"scenario": args.scenario.split(",")[0]} if args.scenario else {}))[0]
            if saved["sizes"]["action_table_hash"] != game.action_table_hash:
                raise OptionError(f"{old}: trained with another action table than this version's")
            facts = runs.provenance("ppo_selfplay.py", asdict(args), asdict(Args()))
            facts["commit"] = None  # the commit now need not be that of the training
            lines = runs.whole_lines(old.parent / "progress.jsonl")
            facts["decisions"] = lines[-1]["decisions"] if lines else 0
            policy = Policy(
                {name: tensor.numpy() for name, tensor in saved["net"].items()}, {**game_meta(game), **facts}
            )
        except HawaiiError:
            raise
        except Exception as error:  # a damaged file fails in many ways
            raise OptionError(f"{old} holds no policy of this script: {type(error).__name__}: {error}") from error
    policy.save(target)
    return policy


# The command line


def narrate(decisions: int) -> Callable[[dict[str, Any]], None]:
    """Return what prints a line a rollout: a bar where rich is installed and a terminal watches, plain lines else."""
    bar = runs.bar(decisions)

    def tell(line: dict[str, Any]) -> None:
        if bar is not None:
            bar(line["decisions"])
        if bar is None or "ladder" in line:
            text = (
                f"{line['seconds']:7.1f} s  {line['decisions']:>10,} decisions  {line['decisions_per_second']:>8,.0f}/s"
                f"  entropy {line['entropy']:.3f}  explained {line['explained']:+.2f}  length {line['length']:.0f}"
            )
            for name, one in line.get("ladder", {}).items():
                text += f"  {name} {one['score']:.3f} ± {one['error']:.3f}"
            print(text, flush=True)

    return tell


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, as the command line says; return the exit status."""

    def work() -> None:
        words = sys.argv[1:] if arguments is None else list(arguments)
        if words[:1] == ["--export"]:
            if len(words) != 3:
                raise OptionError("--export RUN FILE.safetensors: the run's folder and the file to write")
            print(export(Path(words[1]), Path(words[2])))
            return
        args, named, resume = runs.parse(Args, words, "Masked PPO by self-play, directly on the batch.")
        folder = Path(args.out)
        trainer = Trainer.load(folder, **named) if resume else Trainer(args)
        line = trainer.run(folder, None if trainer.args.quiet else narrate(trainer.args.decisions))
        if not trainer.args.quiet and line:
            whole = sum(trainer.spent.values())
            shares = ", ".join(f"{name} {seconds / whole:.1%}" for name, seconds in trainer.spent.items())
            count = f"{trainer.decisions:,} decisions, {trainer.games:,} games"
            print(f"{folder}: {count}, {trainer.seconds:.0f} s ({shares})")

    return runs.finish(work, runs.STOPPED)


if __name__ == "__main__":
    sys.exit(main())
