"""Masked PPO by self-play, in one file, directly on the batch: one network plays both sides and learns from both.

    python experiments/ppo_selfplay.py --preset quick --out runs/first

Written to be read and changed, in the manner of CleanRL. Every step of every lane is a decision that the network took and learns
from; there is no environment of one player's in between, and no opponent's decision that is paid for and thrown away.

Three things are not as in any PPO:

1. *Advantages*: players do not alternate, one often decides several times running; see `advantages`.
2. *Legal actions only*: of 991 actions four or five are legal. Logits are worked out for these alone; the result is that of a
   mask over all, see `LegalLogits`, and most of the last layer's work and all work on masked-out logits is saved.
3. *Resuming is exact*: a checkpoint holds the running games and every generator, so that a run that is stopped and resumed goes
   on, bit by bit, as one that was not (on one machine, with the same number of threads).

A run's folder: ``config.json``, ``progress.jsonl`` (a line a rollout, written as it goes), ``checkpoint.pt`` (for resuming: load only
your own, it holds pickles), ``policy.pt`` (weights and sizes alone, for `load_agent`).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import pickle
import sys
import time
import tomllib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads wait for each other more than they work

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from hawaii_env.agents import PolicyAgent
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import Game
from hawaii_env.vector import RESET, BatchEnv

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

PRESETS = Path(__file__).resolve().parent / "configs"


@dataclass
class Args:
    """What a run is told. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/ppo_selfplay"  # folder of the run
    game: str = "hawaii_env.hawaii1795:Game"  # class of games, two players, zero-sum
    scenario: str = "long"  # scenario of the game; empty for games without
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
    value: float = 0.5  # weight of the value's error
    max_grad: float = 0.5  # gradients are scaled down to this norm
    target_kl: float = 0.0  # end a rollout's passes where the policy has moved 1.5 times this far; 0: never
    hidden: int = 128  # width of the two layers of policy and value
    legal_only: bool = True  # work logits out for legal actions only; False: for all, then mask. The result is the same
    max_decisions: int = 0  # truncate games after so many decisions; 0: the game's own figure of safety
    eval_every: int = 25  # rollouts between two evaluations against random; 0: never
    eval_games: int = 512  # games of one, half of them on each side
    checkpoint_every: int = 25  # rollouts between two checkpoints; there is one at the end, too
    torch_threads: int = 1
    env_threads: int = 1
    tensorboard: bool = False  # write TensorBoard's files as well (pip install tensorboard)
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise OptionError where a value is none."""
        whole = ("decisions", "lanes", "steps", "epochs", "minibatch", "hidden", "eval_games", "checkpoint_every", "torch_threads", "env_threads")  # fmt: skip
        for name in whole:
            if getattr(self, name) < 1:
                raise OptionError(f"{name} is 1 or more, not {getattr(self, name)}")
        for name in ("seed", "minutes", "lr", "entropy", "value", "target_kl", "max_decisions", "eval_every"):
            if not getattr(self, name) >= 0:
                raise OptionError(f"{name} is 0 or more, not {getattr(self, name)}")
        for name in ("gamma", "lam"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"{name} is from 0 to 1, not {getattr(self, name)}")


# Advantages


def advantages(
    rewards: F32, values: F32, to_play: I64, ends: Bools, bootstrap: F32, last_values: F32, last_to_play: I64,
    gamma: float, lam: float,
) -> F32:  # fmt: skip
    r"""Return the generalised advantage of each decision, for its mover, in a two-player zero-sum game.

    Let p_t be the player who takes decision t, V(s_t) the value of the position for p_t, which is what the network is asked, and r_t what
    p_t gets between decisions t and t + 1. Players need not alternate. Look at everything as player 0 does, with c_t = 1 where
    p_t = 0 and -1 where p_t = 1; the game being zero-sum, player 0 gets c_t r_t, and the position is worth c_t V(s_t) to them. For
    player 0 the decisions of both are one Markov reward process, so the usual estimator applies, whoever moves:

        A0_t = c_t r_t + gamma c_{t+1} V(s_{t+1}) - c_t V(s_t) + gamma lam A0_{t+1}

    The mover's advantage is A_t = c_t A0_t. Multiplying by c_t, with c_t c_t = 1:

        A_t = r_t + gamma sigma_t V(s_{t+1}) - V(s_t) + gamma lam sigma_t A_{t+1},    sigma_t = c_t c_{t+1}

    sigma_t is 1 where the next decision is the same player's, and -1 where it is the other's. So a sign that flips each step (the
    habit in chess and Go, where players alternate) is wrong wherever a player decides twice running: it takes a player's own good prospects
    for the opponent's. Leaving the sign out is wrong wherever the turn passes. And treating each player's own decisions
    as a chain of their own, as an environment for one player does, bootstraps from that player's next decision, which may be many decisions later;
    that is right, too, but it has the noise of all that happens between.

    Where a game ends with decision t, nothing follows: sigma_t counts as 0, for the value and for A_{t+1}, which belongs to the next
    game in the lane. If it was truncated, the position is worth something still: `bootstrap` stands for sigma_t V(s_{t+1}).

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

    Returns:
        float32[T, N]. Advantage + value is the target of the value.

    Raises:
        OptionError: arrays whose shapes do not fit.
    """
    shape = rewards.shape
    if len(shape) != 2 or not shape[0] or any(a.shape != shape for a in (values, to_play, ends, bootstrap)):
        raise OptionError("rewards, values, to_play, ends and bootstrap: one shape [T, N] is wanted, T of 1 or more")
    if last_values.shape != shape[1:] or last_to_play.shape != shape[1:]:
        raise OptionError(f"last_values and last_to_play: the shape [{shape[1]}] is wanted")
    result = np.zeros(shape, np.float32)
    following = np.zeros(shape[1], np.float32)
    next_values, next_to_play = last_values, last_to_play
    for t in reversed(range(shape[0])):
        sigma = np.where(to_play[t] == next_to_play, np.float32(1), np.float32(-1))
        next_worth = np.where(ends[t], bootstrap[t], sigma * next_values)
        trace = np.where(ends[t], np.float32(0), sigma * following)
        following = rewards[t] + gamma * next_worth - values[t] + gamma * lam * trace
        result[t] = following
        next_values, next_to_play = values[t], to_play[t]
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
        rows, actions = np.divmod(
            np.flatnonzero(masks.view(np.bool_)), masks.shape[1]
        )  # 2-D nonzero() is ten times slower
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
"""True where torch multiplies sparse matrices on this CPU; else legal logits are gathered, to the same result but more slowly."""


def _compressed(crow: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """A sparse matrix in compressed rows, without torch's check of it and its words about the format being young."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(crow, columns, values, shape, check_invariants=False)


class LegalLogits(torch.autograd.Function):
    """The last layer for legal actions only: ``(h @ weight.T)[i, a]`` for each legal action a of row i.

    With a mask the other logits get no probability and no gradient: leaving them out changes nothing but the time. This is a
    product of dense matrices sampled at the legal places (SDDMM); its gradients are two products with a sparse matrix.

    Args of `apply`: h, float32[n, H]; weight, float32[A, H]; crow, int64[n + 1], and columns, int64[m], the legal actions in the
    form of compressed rows. Returns float32[m].
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
        places = [torch.from_numpy(array) for array in legal.places()]
        columns = torch.from_numpy(legal.actions)
        if not self.legal_only:
            some = self.actions(h)[places[0], columns]
        elif SPARSE:
            crow = torch.from_numpy(np.concatenate([[0], np.cumsum(legal.counts)]))
            some = cast(Tensor, LegalLogits.apply(h, self.actions.weight, crow, columns)) + self.actions.bias[columns]
        else:
            some = (h[places[0]] * self.actions.weight[columns]).sum(1) + self.actions.bias[columns]
        table = torch.full((len(h), int(legal.counts.max())), -1e9)
        return table.index_put((places[0], places[1]), some), self.score(worth).flatten()


# Learning


@dataclass
class Rollout:
    """T decisions in each of N lanes, both sides', flattened: row t * N + i is decision t of lane i.

    Attributes:
        observations: float32[T * N, O].
        legal: legal actions of each decision.
        picks: int64[T * N], which of its legal actions was taken.
        log_probs: float32[T * N], logarithm of its probability.
        advantages, targets: float32[T * N], the mover's; targets are of the values.
        values: float32[T * N], what the network thought.
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
        OptionError: a value that is none, or a game that is not for two players.
    """

    def __init__(self, args: Args) -> None:
        args.check()
        self.args = args
        torch.set_num_threads(args.torch_threads)
        torch.manual_seed(args.seed)
        self.rng = np.random.default_rng(args.seed)
        self.batch = self.make_batch(args.lanes)
        game = self.batch.games[0]
        if game.num_players != 2:
            raise OptionError(
                f"{game.name} has {game.num_players} players: the advantages here are those of two, zero-sum"
            )
        self.game: Game = game
        self.net = Net(game.observation_size, game.num_actions, args.hidden, args.legal_only)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=args.lr, eps=1e-5, fused=True)
        self.rollouts = 0
        self.decisions = 0
        self.games = 0
        self.seconds = 0.0
        self.spent = {"environment": 0.0, "policy": 0.0, "advantages": 0.0, "learning": 0.0, "evaluation": 0.0}
        self.batch.reset(seed=args.seed)
        n, t = args.lanes, args.steps
        self._seen = np.zeros((t, n, game.observation_size), np.float32)

    def make_batch(self, lanes: int) -> BatchEnv:
        """Return a batch of the run's games, which leaves resets to its caller."""
        params: dict[str, Any] = {"scenario": self.args.scenario} if self.args.scenario else {}
        limit = self.args.max_decisions or None
        threads = self.args.env_threads
        return BatchEnv(
            self.args.game, lanes, autoreset_mode="Disabled", threads=threads, max_decisions=limit, **params
        )

    def act(self, observations: F32, legal: Legal, rng: np.random.Generator | None) -> tuple[I64, I64, F32, F32]:
        """Choose: return picks int64[n] (places in the lists), actions int64[n], log-probabilities and values float32[n].

        Args:
            observations: float32[n, O].
            legal: legal actions.
            rng: what draws from the policy; None takes the likeliest action.
        """
        with torch.no_grad():
            logits, values = self.net(torch.from_numpy(observations), legal)
            log_probs = torch.log_softmax(logits, 1).numpy()
        keys = log_probs if rng is None else log_probs + rng.gumbel(size=log_probs.shape).astype(np.float32)
        picks = keys.argmax(1)
        starts = np.cumsum(legal.counts) - legal.counts
        return picks, legal.actions[starts + picks], log_probs[np.arange(len(picks)), picks], values.numpy()

    def collect(self) -> tuple[Rollout, dict[str, float]]:
        """Play T decisions in each lane. Return them, and figures about the games that ended."""
        args, batch = self.args, self.batch
        t_max, n = args.steps, args.lanes
        lanes = np.arange(n)
        clock = _Clock(self.spent)
        seen, legals = self._seen, []
        picks, to_play = np.zeros((t_max, n), np.int64), np.zeros((t_max, n), np.int64)
        log_probs, values, rewards, bootstrap = (np.zeros((t_max, n), np.float32) for _ in range(4))
        ends = np.zeros((t_max, n), np.bool_)
        lengths: list[int] = []
        first_wins = ties = truncated = 0
        for t in range(t_max):
            seen[t] = batch.observations
            to_play[t] = batch.to_play
            legal = Legal.of(batch.masks)
            legals.append(legal)
            picks[t], actions, log_probs[t], values[t] = self.act(seen[t], legal, self.rng)
            clock.lap("policy")
            _, gains, terminations, truncations, _ = batch.step(actions)
            rewards[t] = gains[lanes, to_play[t]]
            ends[t] = terminations | truncations
            if truncations.any():
                for lane in np.flatnonzero(truncations & ~terminations).tolist():
                    bootstrap[t, lane] = self.worth_of(lane, int(to_play[t, lane]))
                    truncated += 1
            if ends[t].any():
                lengths += batch.episode_lengths[ends[t]].tolist()
                winners = batch.episode_winners[ends[t] & terminations]
                first_wins += int((winners == 0).sum())
                ties += int((winners < 0).sum())
                batch.run(np.where(ends[t], RESET, 0).astype(np.int8), actions)
            clock.lap("environment")
        with torch.no_grad():
            last_values = self.net.values(torch.from_numpy(batch.observations)).numpy()
        clock.lap("policy")
        gains = advantages(rewards, values, to_play, ends, bootstrap, last_values, batch.to_play, args.gamma, args.lam)
        clock.lap("advantages")
        self.decisions += t_max * n
        self.games += len(lengths)
        finished = max(1, len(lengths) - truncated)
        figures = {
            "games": len(lengths),
            "length": float(np.mean(lengths)) if lengths else math.nan,
            "first_side_score": (first_wins + ties / 2) / finished if lengths else math.nan,
            "ties": ties,
            "truncated": truncated,
        }
        flat = t_max * n
        return (
            Rollout(
                seen.reshape(flat, -1), Legal.join(legals), picks.ravel(), log_probs.ravel(), gains.ravel(),
                (gains + values).ravel(), values.ravel(),
            ),
            figures,
        )  # fmt: skip

    def worth_of(self, lane: int, player: int) -> float:
        """Return what the position of a truncated game is worth to a player: the value of who would be to act, with the sign."""
        state = self.batch.get_state(lane)
        mover = state.acting_players[0]
        seen = np.asarray(state.observation(mover), np.float32)[None]
        with torch.no_grad():
            value = float(self.net.values(torch.from_numpy(seen))[0])
        return value if mover == player else -value

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Pass over a rollout `epochs` times, in minibatches. Return figures."""
        args, n = self.args, len(rollout.picks)
        share = min(1.0, (self.decisions - n) / args.decisions) if args.anneal else 0.0
        for group in self.optimizer.param_groups:
            group["lr"] = args.lr * (1.0 - share)
        starts = np.cumsum(rollout.legal.counts) - rollout.legal.counts
        observations, picks = torch.from_numpy(rollout.observations), torch.from_numpy(rollout.picks)
        old, gains, targets = (torch.from_numpy(a) for a in (rollout.log_probs, rollout.advantages, rollout.targets))
        sums = dict.fromkeys(("policy_loss", "value_loss", "entropy", "kl", "clipped"), 0.0)
        updates, go_on = 0, True
        for _ in range(args.epochs):
            order = self.rng.permutation(n)
            for start in range(0, n, args.minibatch):
                chosen = order[start : start + args.minibatch]
                rows = torch.from_numpy(chosen)
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
                (policy_loss + args.value * value_loss - args.entropy * entropy).backward()
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

    def evaluate(self, games: int | None = None, greedy: bool = False, seed: int = 0) -> dict[str, float]:
        """Play against random, half of the games on each side; the run's own generators are not touched.

        Args:
            games: number of games; None is `Args.eval_games`.
            greedy: True takes the likeliest action, False draws from the policy.
            seed: of dice, random players and draws.

        Returns:
            ``score`` (a tie is half a win), ``error`` (its standard error), ``score_first`` and ``score_second`` (by side).
        """
        n = 2 * max(1, (games or self.args.eval_games) // 2)
        batch, rng = self.make_batch(n), None if greedy else np.random.default_rng(seed)
        sides = np.arange(n) % 2
        batch.arrays.auto[:] = 1  # the batch plays all but the viewers, at random
        batch.arrays.viewers[:] = sides
        batch.reset(seed=seed)
        going = np.ones(n, np.bool_)
        while going.any():
            lanes = np.flatnonzero(going)
            actions = np.zeros(n, np.int64)
            legal = Legal.of(batch.masks[lanes])
            actions[lanes] = self.act(batch.observations[lanes], legal, rng)[1]
            batch.run(going.astype(np.int8), actions)
            going &= ~(batch.terminations | batch.truncations)
        winners = batch.episode_winners
        scores = np.where(winners < 0, 0.5, winners == sides)
        batch.close()
        return {
            "score": float(scores.mean()),
            "error": float(scores.std(ddof=1) / math.sqrt(n)),
            "score_first": float(scores[sides == 0].mean()),
            "score_second": float(scores[sides == 1].mean()),
        }

    # Checkpoints

    def save(self, folder: Path) -> None:
        """Write ``checkpoint.pt`` and ``policy.pt``; a crash in between leaves the old ones whole."""
        state = {
            "args": asdict(self.args),
            "net": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "rng": self.rng.bit_generator.state,
            "batch": pickle.dumps(self.batch),
            "counters": (self.rollouts, self.decisions, self.games, self.seconds, self.spent),
        }
        sizes = {**self.net.sizes, "action_table_hash": self.game.action_table_hash}
        for name, content in ("checkpoint.pt", state), ("policy.pt", {"sizes": sizes, "net": self.net.state_dict()}):
            torch.save(content, folder / f"{name}.part")
            os.replace(folder / f"{name}.part", folder / name)

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
            state = torch.load(path, weights_only=False)
            trainer = cls(Args(**{**state["args"], **changes}))
            trainer.net.load_state_dict(state["net"])
            trainer.optimizer.load_state_dict(state["optimizer"])
            trainer.rng.bit_generator.state = state["rng"]
            trainer.batch = pickle.loads(state["batch"])
            trainer.rollouts, trainer.decisions, trainer.games, trainer.seconds, trainer.spent = state["counters"]
        except HawaiiError:
            raise
        except Exception as error:  # a damaged file fails in many ways
            raise OptionError(f"{path} is no checkpoint of this script: {type(error).__name__}: {error}") from error
        return trainer

    # The run

    def run(self, folder: Path, tell: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """Roll out and learn until the decisions, or the minutes, are spent. Return the last line of ``progress.jsonl``."""
        args = self.args
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(asdict(args), indent=2) + "\n", encoding="utf-8")
        progress = folder / "progress.jsonl"
        kept = _lines(progress)[: self.rollouts]  # those after the checkpoint are played again
        progress.write_text("".join(kept), encoding="utf-8")
        board = _tensorboard(folder) if args.tensorboard else None
        line: dict[str, Any] = json.loads(kept[-1]) if kept else {}
        begin = time.perf_counter() - self.seconds
        with progress.open("a", encoding="utf-8") as file:
            while not self.done():
                clock = _Clock(self.spent)
                rollout, figures = self.collect()
                clock.restart()
                losses = self.learn(rollout)
                clock.lap("learning")
                self.rollouts += 1
                last = self.decisions >= args.decisions
                line = {"rollout": self.rollouts, "decisions": self.decisions, **figures, **losses}
                if args.eval_every and (self.rollouts % args.eval_every == 0 or last):
                    line["random"] = self.evaluate()
                    clock.lap("evaluation")
                self.seconds = time.perf_counter() - begin
                line["seconds"] = round(self.seconds, 3)
                line["decisions_per_second"] = round(self.decisions / self.seconds, 1)
                file.write(json.dumps(line) + "\n")
                file.flush()
                if board is not None:
                    for name, value in _flat(line):
                        board.add_scalar(name, value, self.decisions)
                if self.rollouts % args.checkpoint_every == 0 or self.done():
                    self.save(folder)
                if tell is not None:
                    tell(line)
        if board is not None:
            board.close()
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


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []


def _flat(line: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in line.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}/")
        else:
            yield prefix + name, value


def _tensorboard(folder: Path) -> Any:
    if importlib.util.find_spec("tensorboard") is None:
        raise OptionError("tensorboard=True needs TensorBoard: python -m pip install tensorboard")
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder))


# What comes out


class SelfPlayAgent(PolicyAgent):
    """The policy of a run as an agent: for arenas, and as an opponent.

    Args:
        net: the network.
        greedy: True takes the likeliest action, False draws from the policy.
        seed: seed of the draws; None takes one from the operating system.
    """

    name = "ppo_selfplay"

    def __init__(self, net: Net, greedy: bool = False, seed: int | None = None) -> None:
        self.net = net
        self.rng = None if greedy else np.random.default_rng(seed)

    def act_batch(self, observations: F32, masks: NDArray[np.int8]) -> I64:
        """Return an action a row, int64[n]; see `Agent.act_batch`."""
        legal = Legal.of(np.ascontiguousarray(masks, np.int8))
        with torch.no_grad():
            logits = self.net(torch.from_numpy(np.ascontiguousarray(observations)), legal)[0].numpy()
        keys = logits if self.rng is None else logits + self.rng.gumbel(size=logits.shape)
        return legal.actions[np.cumsum(legal.counts) - legal.counts + keys.argmax(1)]


def load_agent(path: str | Path, greedy: bool = False, seed: int | None = None) -> SelfPlayAgent:
    """Return the agent of a run: `path` is its folder or its ``policy.pt``.

    Raises:
        OptionError: no such file, or one of something else.
    """
    path = Path(path)
    path = path / "policy.pt" if path.is_dir() else path
    try:
        saved = torch.load(path, weights_only=True)
        sizes = {name: saved["sizes"][name] for name in ("observation_size", "num_actions", "hidden")}
        net = Net(**sizes)
        net.load_state_dict(saved["net"])
    except Exception as error:  # a damaged file fails in many ways
        raise OptionError(f"{path} holds no policy of this script: {type(error).__name__}: {error}") from error
    return SelfPlayAgent(net.eval(), greedy, seed)


# The command line


def parse(arguments: Sequence[str] | None = None) -> tuple[Args, dict[str, Any], bool]:
    """Read the command line: return the settings, those that it names itself, and whether to resume.

    Raises:
        OptionError: an unknown preset, or a key or value in it that is none.
    """
    parser = argparse.ArgumentParser(
        description="Masked PPO by self-play, directly on the batch.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )  # fmt: skip
    parser.add_argument("--preset", help="a TOML file of settings, or the name of one in experiments/configs")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    defaults = Args()
    for field in fields(Args):
        flag, default = "--" + field.name.replace("_", "-"), getattr(defaults, field.name)
        if isinstance(default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS)
        else:
            parser.add_argument(flag, type=type(default), default=argparse.SUPPRESS, help=f"default {default}")
    named = vars(parser.parse_args(arguments))
    preset, resume = named.pop("preset"), named.pop("resume")
    settings = {**(read_preset(preset) if preset else {}), **named}
    return Args(**settings), named, resume


def read_preset(name: str) -> dict[str, Any]:
    """Return the settings of a preset: a path, or the name of a file in ``experiments/configs``."""
    path = Path(name)
    if not path.is_file():
        path = PRESETS / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in PRESETS.glob("*.toml")))
        raise OptionError(f"there is no preset {name!r}: name a TOML file, or one of {known}")
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{path}: {error}") from None
    defaults = asdict(Args())
    for key, value in settings.items():
        if key not in defaults:
            raise OptionError(f"{path}: {key} is no setting; the settings are {', '.join(defaults)}")
        wanted = type(defaults[key])
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise OptionError(f"{path}: {key} is of type {wanted.__name__}, not {value!r}")
    return settings


def narrate(args: Args) -> Callable[[dict[str, Any]], None]:
    """Return what prints a line a rollout: a bar where rich is installed and a terminal watches, plain lines else."""
    bar = _bar(args.decisions)

    def tell(line: dict[str, Any]) -> None:
        if bar is not None:
            bar(line["decisions"])
        if bar is None or "random" in line:
            text = (
                f"{line['seconds']:7.1f} s  {line['decisions']:>10,} decisions  {line['decisions_per_second']:>8,.0f}/s"
                f"  entropy {line['entropy']:.3f}  explained {line['explained']:+.2f}  length {line['length']:.0f}"
            )
            if "random" in line:
                text += f"  against random {line['random']['score']:.3f} ± {line['random']['error']:.3f}"
            print(text, flush=True)

    return tell


def _bar(total: int) -> Callable[[int], None] | None:
    if importlib.util.find_spec("rich") is None or not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import Progress

    progress = Progress(console=Console(stderr=True))
    task = progress.add_task("decisions", total=total)
    progress.start()

    def show(done: int) -> None:
        progress.update(task, completed=done)
        if done >= total:
            progress.stop()

    return show


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, as the command line says; return the exit status."""
    try:
        args, named, resume = parse(arguments)
        folder = Path(args.out)
        trainer = Trainer.load(folder, **named) if resume else Trainer(args)
        line = trainer.run(folder, None if trainer.args.quiet else narrate(trainer.args))
    except HawaiiError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; --resume goes on from the last checkpoint", file=sys.stderr)
        return 130
    if not trainer.args.quiet and line:
        whole = sum(trainer.spent.values())
        shares = ", ".join(f"{name} {seconds / whole:.1%}" for name, seconds in trainer.spent.items())
        print(f"{folder}: {trainer.decisions:,} decisions, {trainer.games:,} games, {trainer.seconds:.0f} s ({shares})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
