"""Masked PPO by self-play on the batch: one network plays all sides and learns from all of them.

    hawaii train --preset quick --out runs/first

In most environments of the batch the network makes every decision and learns from all of them; in the others an
opponent, a past self or a named agent, plays the other side, and the network learns only from its own decisions.

One file: the trainer, to be read and changed. Next to it are its kernels: the network with its loops in machine code
(`net`, `kernels`), the inputs that vary (`inputs`), advantages (`advantages`); its settings and its opponents; and
modules that other commands share: logs, evaluation, levers.

Five things differ from most PPO implementations:

1. *Advantages*: players do not alternate, one often decides several times running; see `advantages.py`.
2. *Legal actions only*: of 991 actions four or five are legal. Logits are computed for these alone; the result is that
   of a mask over all, see `LegalLogs` in `net.py`.
3. *Inputs that vary*: of a wide observation the network gets the values that have ever varied, see
   `inputs.py`. On processors with instructions for it, products are in bfloat16.
4. *Opponents*: see `opponents.py`; strength is measured on a fixed ladder, see `evaluation.py`.
5. *Resuming is exact*: a checkpoint holds the running games, the past selves and every generator. A run that was
   stopped goes on bit by bit as one that was not (on one machine, with the same number of threads).

A run's folder: ``config.json``, ``progress.jsonl`` (a line a rollout, written at once), ``curves.png``,
``checkpoint.pt`` (for resuming: load only your own, it holds pickles), ``policy.safetensors`` (weights and their
origin, for `hawaii_agents.ppo.PPOAgent`, which needs no torch), ``policy-best.safetensors`` (the same, at the best
score on the ladder).
"""

from __future__ import annotations

import argparse
import math
import os
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: threads would wait for each other more than they work

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from hawaii_agents import weights as shipped
from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents
from hawaii_env.env.vector import BatchEnv
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.texts import count as plural

from . import runs
from .advantages import advantages, own_advantages
from .evaluation import Decide, decides_in_batches, installed, label, match, shares_of
from .hexes import HexNet
from .inputs import Inputs
from .logs import Log, progress_bar
from .net import Legal, LegalNet, Net
from .opponents import Opponents
from .settings import Args
from .team import Team, gathered

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

NOTE_EVERY = 8
"""Every how many steps of a rollout observations are searched for inputs that have not varied before."""

# Rollouts


@dataclass
class Rollout:
    """The learner's decisions in T steps of N environments, step by step: n = T * N minus those of opponents.

    Attributes:
        inputs: [n, C], the network's inputs, see `inputs.Inputs`. Overwritten by the next rollout.
        legal: legal actions of each decision.
        picks: int64[n], the index of the action taken in its list of legal actions.
        log_probs: float32[n], logarithm of its probability.
        advantages, targets: float32[n], the mover's; targets are of the values.
        values: float32[n], as the network estimated them.
    """

    inputs: NDArray[Any]
    legal: Legal
    picks: I64
    log_probs: F32
    advantages: F32
    targets: F32
    values: F32


def episode_figures(episodes: Sequence[tuple[Any, ...]]) -> dict[str, float]:
    """Return figures of the games that ended in a rollout.

    Args:
        episodes: of some environments at a time, arrays: winners (-1 nobody), whether a rule ended the game, the
            learner's side (-1: all), its share of the victory, and the decisions.

    Returns:
        The number of games and their mean length, the first player's score and the ties, both of self-play, the
        truncated games, and the score against opponents if there were any.
    """
    kinds = (np.int64, np.bool_, np.int64, np.float64, np.int64)
    columns: list[Any] = list(zip(*episodes, strict=True)) or [()] * len(kinds)
    arrays: list[Any] = [
        np.concatenate([np.zeros(0, kind), *parts]) for kind, parts in zip(kinds, columns, strict=True)
    ]
    winners, terminated, sides, shares, lengths = arrays
    own, other = terminated & (sides < 0), terminated & (sides >= 0)
    found: dict[str, float] = {
        "games": len(lengths),
        "length": float(lengths.mean()) if len(lengths) else math.nan,
        "first_side_score": float(shares[own].mean()) if own.any() else math.nan,
        "ties": int((winners[own] < 0).sum()),
        "truncated": int((~terminated).sum()),
    }
    return {**found, "pool_score": float(shares[other].mean())} if other.any() else found


def make_net(game: Game, args: Args) -> LegalNet:
    """Return the network of a run with its initial weights."""
    if args.network in ("hexes", "graph"):
        return HexNet(game, args.hidden, args.precision, args.width, args.layers, args.network == "hexes")
    return Net(game.observation_size, game.num_actions, args.hidden, args.precision)


def start_from(net: LegalNet, start: Policy, game: Game, hidden: int) -> None:
    """Initialise a network with the weights of a policy.

    Raises:
        OptionError: the policy is for another game, or of another width.
        RuntimeError: it has another kind of network.
    """
    start.check(game)
    if start.hidden != hidden:
        raise OptionError(f"init: {start.origin} has layers of hidden={start.hidden}, not {hidden}")
    net.load_state_dict({name: torch.from_numpy(array) for name, array in start.tensors.items()})


def tensors_of(net: LegalNet, inputs: Inputs) -> dict[str, NDArray[Any]]:
    """Return copies of a network's arrays, as a policy has them."""
    tensors = {name: tensor.detach().cpu().numpy().copy() for name, tensor in net.state_dict().items()}
    weight, bias = inputs.folded()
    return {**tensors, "first.weight": weight.numpy(), "first.bias": bias.numpy()}


class Trainer:
    """A run: games, network, generators. All content of a checkpoint is in its attributes.

    Args:
        args: the settings.
        team: this process's place in the team; see `team.Team`.

    Raises:
        OptionError: a value that is not allowed.
    """

    def __init__(self, args: Args, team: Team | None = None) -> None:
        args.check()
        self.args: Args = args
        self.team: Team = team or Team()
        if self.team.size != args.processes:
            raise OptionError(f"processes={args.processes}: the command line starts them; there are {self.team.size}")
        own, shift = args.part(), self.team.rank * args.part().num_envs
        start = shipped.load(args.init) if args.init else None
        self.begun: int = args.begun(start)
        args.begun_at = self.begun
        torch.set_num_threads(args.torch_threads)
        torch.manual_seed(args.seed)
        # A run that goes on with another's weights has games and draws of its own.
        seeds = [args.seed, self.begun, *([self.team.rank] if self.team.rank else [])]
        self.rng: np.random.Generator = np.random.default_rng(seeds if self.begun or self.team.rank else args.seed)
        self.batch: BatchEnv = own.make_batch(shift)
        self.game: Game = args.games_for(1)[0]  # of the run's ruleset, whatever the environments play
        self.players: I64 = np.array([game.num_players for game in self.batch.games])
        self.pair: bool = self.batch.num_players == 2 and self.game.utility == "zero_sum"
        self.net: LegalNet = make_net(self.game, args)
        if start is not None:
            try:
                start_from(self.net, start, self.game, args.hidden)
            except RuntimeError:
                raise OptionError(
                    f"init: {start.origin} is no network of network={args.network}, width={args.width}, "
                    f"layers={args.layers}"
                ) from None
        self.net.to(_device(args.device))
        self.optimizer: torch.optim.Adam = torch.optim.Adam(self.net.parameters(), lr=args.lr, eps=1e-5, fused=True)
        self.rollouts: int = 0
        self.games: int = 0
        self.fresh: int = 0
        self.decisions: int = self.begun
        self.seconds: float = 0.0
        self.cpu_seconds: float = 0.0
        parts = ("environment", "policy", "opponents", "advantages", "learning", "evaluation")
        self.spent: dict[str, float] = dict.fromkeys(parts, 0.0)
        self._since = time.perf_counter()
        self.best: tuple[float, Policy] | None = None
        first = int(np.random.SeedSequence(seeds).generate_state(1)[0]) if self.begun else args.seed + shift
        self.batch.reset(seed=first)
        self.inputs: Inputs = Inputs(self.net, self.team.leaders(self.batch.observations[0]))
        self.opponents: Opponents = Opponents(self.game, own)
        # The learner's side in the environments with an opponent, which are the last ones; -1 in the others: both.
        self.sides: NDArray[np.int64] = np.full(own.num_envs, -1, np.int64)
        self.first_opponent: int = own.num_envs - self.opponents.num_envs
        against = slice(self.first_opponent, None)
        self.sides[against] = np.arange(self.opponents.num_envs) % self.players[against]
        # Decisions left at a game's beginning that the opponent makes for all sides.
        self.lead: NDArray[np.int64] = np.zeros(own.num_envs, np.int64)
        self.opponents.add(0, self.policy)

    def policy(self, **facts: Any) -> Policy:
        """Return a copy of the network as it is saved and shipped; `facts` are added to its metadata."""
        meta = {
            **game_meta(self.game), "trainer": "ppo_selfplay", "decisions": self.decisions, "games": self.games,
            **({"levers": self.args.levers(self.game)} if self.args.rulesets else {}), **facts,
        }  # fmt: skip
        return Policy.of(tensors_of(self.net, self.inputs), meta, f"rollout {self.rollouts}")

    def _lap(self, name: str = "") -> None:
        """Count the time since the last call for a part of the work; "" leaves it out."""
        now = time.perf_counter()
        if name:
            self.spent[name] += now - self._since
        self._since = now

    # Collecting

    def act(self, observations: F32, legal: Legal, rng: np.random.Generator | None) -> tuple[I64, I64, F32, F32]:
        """Choose; return picks int64[n] (indices into the lists), actions int64[n], log-probabilities and values
        float32[n].

        Args:
            observations: float32[n, O].
            legal: legal actions.
            rng: samples from the policy; None takes the likeliest action.
        """
        draws = np.full(len(observations), -1.0) if rng is None else rng.random(len(observations))
        picks, log_probs, values = self.net.choose(self.inputs.of(observations), legal, draws)
        return picks, legal.actions[legal.starts() + picks], log_probs, values

    def collect(self) -> tuple[Rollout, dict[str, float]]:
        """Play T decisions in each environment. Return the learner's decisions, and figures of finished games."""
        args, batch, sides = self.args, self.batch, self.sides
        t_max, n = args.steps, len(sides)
        self._lap()
        buffer, used, legals, chosen, episodes = self.inputs.buffer(t_max * n), 0, [], [], []
        to_play, values = np.zeros((t_max, n), np.int64), np.zeros((t_max, n), np.float32)
        rewards, bootstrap = (np.zeros((t_max, n, batch.num_players), np.float32) for _ in range(2))
        ends, learns = np.zeros((t_max, n), np.bool_), np.ones((t_max, n), np.bool_)
        actions = np.zeros(n, np.int64)
        self.opponents.begin(self.rng)
        for t in range(t_max):
            to_play[t] = batch.to_play
            learns[t] = ((sides < 0) | (to_play[t] == sides)) & (self.lead < 1)
            mine, theirs = np.flatnonzero(learns[t]), np.flatnonzero(~learns[t])
            legal = Legal(*batch.legal_lists())
            if len(theirs):
                legal = legal.take(mine, legal.starts())
            rows = buffer[used : used + len(mine)]
            self.inputs.take(batch.observations, mine, rows)
            if t % NOTE_EVERY == 0 or not self.rollouts:
                self.inputs.note(batch.observations)
            draws = self.rng.random(len(mine))
            picks, log_probs, values[t, mine] = self.net.choose(self.inputs.tensor(rows), legal, draws)
            actions[mine] = legal.actions[legal.starts() + picks]
            legals.append(legal)
            chosen.append((picks, log_probs))
            used += len(mine)
            self._lap("policy")
            if len(theirs):
                actions[theirs] = self.opponents.decide(batch, theirs, self.first_opponent)
                self._lap("opponents")
            rewards[t] = batch.step(actions)[1]
            np.maximum(self.lead - 1, 0, out=self.lead)
            ends[t] = batch.terminations | batch.truncations
            cut = np.flatnonzero(batch.truncations & ~batch.terminations)
            if len(cut):
                bootstrap[t, cut] = self.values_for_all(cut)
            if ends[t].any():
                episodes.append(self._next_games(ends[t]))
            self._lap("environment")
        gains = self._advantages(rewards, values, to_play, ends, bootstrap, learns)
        figures = episode_figures(episodes)
        self.fresh, ended = (int(number) for number in self.team.total(used, figures["games"]))
        self.decisions += self.fresh
        self.games += ended
        kept = np.flatnonzero(learns)
        picks, log_probs = (np.concatenate(parts) for parts in zip(*chosen, strict=True))
        rollout = Rollout(
            buffer[:used], Legal.join(legals), picks, log_probs, gains.ravel()[kept], (gains + values).ravel()[kept],
            values.ravel()[kept],
        )  # fmt: skip
        return rollout, figures

    def _next_games(self, ends: Bools) -> tuple[Any, ...]:
        """Return the results of these games, and begin the next ones with the learner on the next side."""
        batch, sides, ended = self.batch, self.sides, np.flatnonzero(ends)
        winners = batch.episode_winners[ended]
        shares = shares_of(batch, ended, winners, sides[ended])
        episodes = winners, batch.terminations[ended], sides[ended], shares, batch.episode_lengths[ended]
        turned = ended[ended >= self.first_opponent]
        if self.args.lead:
            led = self.rng.random(len(turned)) < 0.5
            sides[turned] = np.where(led, -1, self.rng.integers(0, self.players[turned]))
            self.lead[turned] = np.where(led, self.rng.integers(0, self.args.lead + 1, len(turned)), 0)
        else:
            sides[turned] = (sides[turned] + 1) % self.players[turned]
        batch.reset(options={"reset_mask": ends})
        return episodes

    def _advantages(self, rewards: F32, values: F32, to_play: I64, ends: Bools, bootstrap: F32, learns: Bools) -> F32:
        """Return the advantages of a rollout's decisions, float32[T, N]."""
        args, batch = self.args, self.batch
        if not self.pair:
            last = self.values_for_all(np.arange(len(self.sides)))
            self._lap("policy")
            gains = own_advantages(rewards, values, to_play, ends, bootstrap, last, args.gamma, args.lam, learns)
        else:
            with torch.no_grad():
                last = self.net.values(self.inputs.of(batch.observations)).cpu().numpy()
            self._lap("policy")
            movers = np.arange(len(to_play))[:, None], np.arange(len(self.sides)), to_play
            gains = advantages(
                rewards[movers], values, to_play, ends, bootstrap[movers], last, batch.to_play, args.gamma, args.lam,
                learns,
            )  # fmt: skip
        self._lap("advantages")
        return gains

    def values_for_all(self, envs: I64) -> F32:
        """Return the values of some environments' positions for each player, float32[k, P]; with two, zero-sum, the
        value of the player to act, with the sign.
        """
        states = [self.batch.get_state(env) for env in envs.tolist()]
        viewers = [[state.acting_players[0]] if self.pair else list(range(state.game.num_players)) for state in states]
        seen = [
            np.asarray(state.observation(player), np.float32)
            for state, players in zip(states, viewers, strict=True)
            for player in players
        ]
        with torch.no_grad():
            values = self.net.values(self.inputs.of(np.stack(seen))).cpu().numpy()
        if self.pair:
            return np.where(np.array(viewers) == np.arange(2), values[:, None], -values[:, None])
        found = np.zeros((len(envs), self.batch.num_players), np.float32)
        found[np.arange(found.shape[1]) < self.players[envs, None]] = values
        return found

    # Learning

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Train on a rollout for `epochs` epochs, in minibatches. Return figures."""
        args, n = self.args, len(rollout.picks)
        done = min(1.0, (self.decisions - self.fresh) / args.decisions)
        if args.by_time and args.minutes:
            done = max(done, min(1.0, self.seconds / (60 * args.minutes)))
        weight = args.entropy if args.entropy_last < 0 else args.entropy + (args.entropy_last - args.entropy) * done
        for group in self.optimizer.param_groups:
            group["lr"] = args.lr * (1.0 - (done if args.anneal else 0.0))
        device, starts = self.net.device, rollout.legal.starts()
        inputs = self.inputs.tensor(rollout.inputs)
        old, gains, targets = (
            torch.from_numpy(array).to(device) for array in (rollout.log_probs, rollout.advantages, rollout.targets)
        )
        sums, updates = np.zeros(5), 0
        for chosen in (part for _ in range(args.epochs) for part in self._minibatches(n)):
            rows = torch.from_numpy(chosen).to(device)
            legal = rollout.legal.take(chosen, starts)
            log_probs, entropies, values = self.net.judge(inputs[rows], legal, rollout.picks[chosen])
            gain = gains[rows]
            if len(gain) > 1:
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            change = log_probs - old[rows]
            ratio = change.exp()
            policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - args.clip, 1 + args.clip)).mean()
            value_loss = nn.functional.mse_loss(values, targets[rows])
            entropy = entropies.mean()
            with torch.no_grad():
                kl = (ratio - 1 - change).mean()
                clipped = ((ratio - 1).abs() > args.clip).float().mean()
            if args.target_kl and self.team.total(float(kl))[0] / self.team.size > 1.5 * args.target_kl:
                break
            self.optimizer.zero_grad()
            (policy_loss + args.value * value_loss - weight * entropy).backward()
            self.team.mean_gradients(list(self.net.parameters()))
            nn.utils.clip_grad_norm_(self.net.parameters(), args.max_grad)
            self.optimizer.step()
            updates += 1
            sums += torch.stack([policy_loss, value_loss, entropy, kl, clipped]).detach().cpu().numpy()
        self.team.either(self.inputs.varied)
        self.inputs.update(self.optimizer)
        spread = float(rollout.targets.var())
        explained = 1 - float((rollout.targets - rollout.values).var()) / spread if spread > 0 else math.nan
        names = ("policy_loss", "value_loss", "entropy", "kl", "clipped")
        means = dict(zip(names, (sums / max(1, updates)).tolist(), strict=True))
        return {**means, "explained": explained, "updates": updates, "inputs": len(self.inputs.columns)}

    def _minibatches(self, n: int) -> list[I64]:
        """Return the minibatches of one epoch over n decisions; all of a team take the same number of steps."""
        order, size = self.rng.permutation(n), self.args.part().minibatch
        if self.team.size == 1:
            return [order[start : start + size] for start in range(0, n, size)]
        return np.array_split(order, int(self.team.most(math.ceil(n / size))))

    # Evaluation

    def evaluate(self, greedy: bool = False, seed: int = 0) -> dict[str, dict[str, float]]:
        """Evaluate against the ladder and the best policy so far, on a mix of the run's scenarios, without the run's
        own generators.

        Args:
            greedy: True plays the likeliest action, False samples from the policy.
            seed: of dice, opponents and draws.

        Returns:
            By opponent the result of `training.evaluation.match`; ``past_best`` is the best policy so far.
        """
        args, decide = self.args, self._decider(greedy, seed)
        opponents: dict[str, Any] = {label(agent): agent for agent in installed(args.ladder)}
        if self.best is not None:
            opponents["past_best"] = PPOAgent(self.best[1], greedy=greedy, seed=seed + 1)
        found: dict[str, dict[str, float]] = {}
        for name, opponent in opponents.items():
            count = args.eval_games if decides_in_batches(agents.load_agent(opponent)) else args.eval_slow_games
            played = args.games_for(max(1, count // 2))
            found[name] = match(played, decide, opponent, seed, args.max_decisions or None)
        return found

    def _decider(self, greedy: bool, seed: int) -> Decide:
        if self.args.network == "plain":
            return PPOAgent(self.policy(), greedy=greedy, seed=seed).act_batch
        rng = None if greedy else np.random.default_rng(seed)
        return lambda observations, masks: self.act(observations, Legal.of(masks), rng)[1]

    def _evaluate(self) -> dict[str, dict[str, float]]:
        """Evaluate, and keep the policy if it has the best mean score on the fixed part of the ladder."""
        found = self.evaluate()
        fixed = [one["score"] for name, one in found.items() if name != "past_best"]
        score = float(np.mean(fixed)) if fixed else float(self.rollouts)  # without a ladder the newest is the best
        if self.best is None or score >= self.best[0]:
            self.best = score, self.policy(**self.facts(), ladder=found)
        return found

    def facts(self) -> dict[str, Any]:
        """Return the policy's origin, for its metadata."""
        return runs.provenance("hawaii train", asdict(self.args), asdict(Args()))

    # Checkpoints

    def save(self, folder: Path) -> None:
        """Write ``checkpoint.pt``, ``policy.safetensors`` and ``policy-best.safetensors``; a crash leaves the old ones
        whole.

        Each process of a team but the first writes its own games to ``checkpoint-RANK-ROLLOUT.pt``; ``checkpoint.pt``
        says which count.
        """
        own = {
            "rng": self.rng.bit_generator.state, "batch": pickle.dumps(self.batch), "sides": self.sides,
            "lead": self.lead,
        }  # fmt: skip
        path = folder / "checkpoint.pt" if self.team.leads else self._own_file(folder)
        if not self.team.leads:
            runs.replace(path, lambda part: torch.save(own, part))
        self.team.wait()
        if self.team.leads:
            state = {
                **own, "args": asdict(self.args), "inputs": self.inputs.state_dict(), "net": self.net.state_dict(),
                "optimizer": self.optimizer.state_dict(), "opponents": self.opponents.state_dict(),
                "best": None if self.best is None else (self.best[0], self.best[1].tensors, self.best[1].meta),
                "counters": (self.rollouts, self.decisions, self.games, self.seconds, self.cpu_seconds, self.spent),
            }  # fmt: skip
            runs.replace(path, lambda part: torch.save(state, part))
            self.policy(**self.facts()).save(folder / "policy.safetensors")
            if self.best is not None:
                self.best[1].save(folder / "policy-best.safetensors")
        self.team.wait()
        for old in folder.glob(f"checkpoint-{self.team.rank}-*.pt"):
            if old != path:
                old.unlink()

    def _own_file(self, folder: Path) -> Path:
        return folder / f"checkpoint-{self.team.rank}-{self.rollouts:06d}.pt"

    @classmethod
    def load(cls, folder: Path, team: Team | None = None, **changes: Any) -> Trainer:
        """Return the run of a folder's ``checkpoint.pt``.

        Args:
            folder: the run's folder. Load only your own checkpoints: they contain pickles.
            team: this process's place in the team.
            changes: fields of `Args` to change, such as ``decisions`` or ``minutes``.

        Raises:
            OptionError: there is no checkpoint, or it cannot be read.
        """
        with runs.reading_checkpoint(folder) as path:
            state = torch.load(path, weights_only=False, map_location="cpu")
            trainer = cls(Args(**{**state["args"], "init": "", **changes}), team)
            trainer.args.init = state["args"]["init"]
            for part in ("inputs", "net", "optimizer", "opponents"):
                getattr(trainer, part).load_state_dict(state[part])
            if state["best"] is not None:
                score, tensors, meta = state["best"]
                trainer.best = score, Policy.of(tensors, meta, "the best policy")
            (
                trainer.rollouts, trainer.decisions, trainer.games, trainer.seconds, trainer.cpu_seconds,
                trainer.spent,
            ) = state["counters"]  # fmt: skip
            own = trainer._own_file(folder)
            own = state if trainer.team.leads else torch.load(own, weights_only=False, map_location="cpu")
            trainer.rng.bit_generator.state = own["rng"]
            trainer.batch = pickle.loads(own["batch"])
            trainer.sides, trainer.lead = own["sides"], own["lead"]
        return trainer

    # The run

    def run(self, folder: Path, report: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """Collect and learn until the decisions or minutes are used. Return the last line of ``progress.jsonl``."""
        args, team, log = self.args, self.team, None
        if team.leads:
            log = Log(folder, asdict(args), self.rollouts, args.tensorboard, self.decisions)
        line: dict[str, Any] = log.lines[-1] if log is not None and log.lines else {}
        begin = time.perf_counter() - self.seconds
        begin_cpu = time.process_time() - (self.cpu_seconds if team.leads else 0.0)
        try:
            over = self.done()
            while not over:
                rollout, figures = self.collect()
                self._lap()
                losses = self.learn(rollout)
                self._lap("learning")
                self.rollouts += 1
                self.opponents.add(self.rollouts, self.policy)
                last = self.decisions >= args.decisions
                line = {"rollout": self.rollouts, "decisions": self.decisions, **figures, **losses}
                if team.leads and args.eval_every and (self.rollouts % args.eval_every == 0 or last):
                    line["ladder"] = self._evaluate()
                    self._lap("evaluation")
                self.seconds: float = time.perf_counter() - begin
                self.cpu_seconds: float = team.total(time.process_time() - begin_cpu)[0]
                line["seconds"], line["cpu_seconds"] = round(self.seconds, 3), round(self.cpu_seconds, 3)
                line["decisions_per_second"] = round((self.decisions - self.begun) / self.seconds, 1)
                if log is not None:
                    log.write(line, self.decisions)
                over = self.done()
                if self.rollouts % args.checkpoint_every == 0 or over:
                    self.save(folder)
                if report is not None:
                    report(line)
        finally:
            if log is not None:
                log.close()
        return line

    def done(self) -> bool:
        """Return True if the run has used its decisions or its minutes."""
        late = bool(self.args.minutes and self.seconds >= 60 * self.args.minutes)
        return bool(self.team.most(late or self.decisions >= self.args.decisions))


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise OptionError(f'device: {name!r} is not a device of this machine ({error}); "cpu" always is') from None
    return device


# Results and the command line


def export(source: Path, target: Path) -> Policy:
    """Write a policy compactly, as safetensors, and return it.

    Args:
        source: a policy's file; or a run's folder, for the newest policy of its checkpoint.
        target: the file to write.

    Raises:
        OptionError: there is no checkpoint and no policy, or it cannot be read.
    """
    if source.is_file():
        policy = Policy.load(source)
    else:
        trainer = Trainer.load(source, processes=1)  # the leader's games, which exporting does not use
        policy = trainer.policy(**trainer.facts())
    policy.save(target, compact=True)
    return policy


def train(settings: Any, seed: int, folder: Path, minutes: float, kind: Any = Trainer) -> bool:
    """Start or resume a run of a trainer class; return True if it has used its decisions or its CPU time."""
    if (folder / "checkpoint.pt").is_file():
        trainer = kind.load(folder, decisions=settings.decisions, minutes=0.0)
    else:
        trainer = kind(replace(settings, seed=seed, out=str(folder)))
    if minutes:
        trainer.args.minutes = trainer.seconds / 60 + minutes
    trainer.run(folder)
    trainer.args.minutes = 0.0
    return trainer.done()


def printer(decisions: int) -> Callable[[dict[str, Any]], None]:
    """Return a function that shows a line of the log: a bar in a terminal, otherwise plain lines."""
    bar = progress_bar(decisions)

    def report(line: dict[str, Any]) -> None:
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

    return report


def take_part(team: Team, args: Args, named: dict[str, Any], resume: bool) -> Trainer:
    """Train in one process of a team, which `args` or the checkpoint sets up; return the trainer at the end."""
    folder = Path(args.out)
    trainer = Trainer.load(folder, team, **named) if resume else Trainer(args, team)
    trainer.run(folder, printer(trainer.args.decisions) if team.leads and not trainer.args.quiet else None)
    return trainer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hawaii train``."""
    runs.add_arguments(parser, Args)
    names = ("RUN", "FILE.safetensors")
    parser.add_argument(
        "--export", nargs=2, metavar=names, help="only write the policy of a run's folder, or of a file"
    )


def run_command(arguments: argparse.Namespace) -> None:
    """Run ``hawaii train``."""
    if arguments.export:
        return print(export(*map(Path, arguments.export)))
    args, named, resume = runs.settings(Args, arguments)
    folder, processes = Path(args.out), args.processes
    if resume and (config := folder / "config.json").is_file():
        processes = runs.read_json(config)["processes"]
        if named.get("processes", processes) != processes:
            raise OptionError(f"processes: the run in {folder} has {processes}, which does not change")
    with gathered(processes, take_part, args, named, resume) as team:
        trainer = take_part(team, args, named, resume)
    if not trainer.args.quiet:
        whole = sum(trainer.spent.values()) or 1.0
        shares = ", ".join(f"{name} {seconds / whole:.1%}" for name, seconds in trainer.spent.items())
        count = f"{plural(trainer.decisions, 'decision')}, {plural(trainer.games, 'game')}"
        print(f"{folder}: {count}, {trainer.seconds:.0f} s ({shares})")
