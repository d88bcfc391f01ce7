"""A run of the self-play trainer: collecting, learning, measuring, and what a checkpoint holds."""

from __future__ import annotations

import json
import math
import pickle
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from hawaii_agents import weights as shipped
from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents
from hawaii_env.env.vector import RESET
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import Game

from . import runs
from .advantages import advantages, own_advantages
from .inputs import Inputs
from .ladder import Decide, batched, installed, label, match, shares_of
from .net import Legal, Net
from .opponents import Opponents
from .rollout import Clock, Rollout, Tally
from .settings import HEADS, Args
from .team import Team
from .tokens import TokenNet

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]

LOOK_EVERY = 8
"""Of so many steps one is looked through for inputs that have not varied before."""


class Trainer:
    """A run: the games, the network, the generators. Everything that a checkpoint holds is an attribute.

    Args:
        args: what the run is told.
        team: this process's place among those that train together; see `team.Team`.

    Raises:
        OptionError: a value that is none.
    """

    def __init__(self, args: Args, team: Team | None = None) -> None:
        args.check()
        self.args, self.team = args, team or Team()
        if self.team.size != args.processes:
            raise OptionError(f"processes={args.processes} are made by the command line: there are {self.team.size}")
        own, shift = args.part(), self.team.rank * args.part().lanes
        start = shipped.load(args.init) if args.init else None
        self.begun = args.begun_at = args.begun(start)
        torch.set_num_threads(args.torch_threads)
        torch.manual_seed(args.seed)
        # A run that goes on with another's weights has games and draws of its own.
        seeds = [args.seed, self.begun, *([self.team.rank] if self.team.rank else [])]
        self.rng = np.random.default_rng(seeds if self.begun or self.team.rank else args.seed)
        device = _device(args.device)
        self.batch = own.make_batch(own.lanes, shift)
        self.game: Game = args.games_for(1)[0]  # of the run's ruleset, whatever the lanes play
        self.players: I64 = np.array([game.num_players for game in self.batch.games])
        self.pair = self.batch.num_players == 2 and self.game.utility == "zero_sum"
        self.net = (
            TokenNet(self.game, args.hidden, args.precision, args.width, HEADS if args.network == "attention" else 0)
            if args.network != "plain"
            else Net(self.game.observation_size, self.game.num_actions, args.hidden, args.precision)
        )
        if start is not None:
            start.check(self.game)
            if start.hidden != args.hidden:
                raise OptionError(
                    f"init: {start.origin} has layers of {start.hidden}: hidden={start.hidden} is wanted, not "
                    f"{args.hidden}"
                )
            self.net.load_state_dict({name: torch.from_numpy(array) for name, array in start.tensors.items()})
        self.net.to(device)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=args.lr, eps=1e-5, fused=True)
        self.rollouts = self.games = self.fresh = 0
        self.decisions = self.begun
        self.seconds = self.cpu_seconds = 0.0
        parts = ("environment", "policy", "opponents", "advantages", "learning", "evaluation")
        self.spent: dict[str, float] = dict.fromkeys(parts, 0.0)
        self.best: tuple[float, Policy] | None = None
        self._unknown: set[str] = set()
        first = int(np.random.SeedSequence(seeds).generate_state(1)[0]) if self.begun else args.seed + shift
        self.batch.reset(seed=first)
        self.inputs = Inputs(self.net, self.team.leaders(self.batch.observations[0]))
        past, scripted = own.opponent_lanes()
        self.opponents = Opponents(self.game, past, args.pool_groups, args.pool_size, args.pool_every, scripted)
        # The learner's side in the lanes with an opponent, which are the last ones; -1 in the others: both.
        self.sides = np.full(own.lanes, -1, np.int64)
        self.first_opponent = own.lanes - self.opponents.lanes
        against = slice(self.first_opponent, None)
        self.sides[against] = np.arange(self.opponents.lanes) % self.players[against]
        # Decisions left at a game's beginning that the opponent makes for all sides.
        self.lead = np.zeros(own.lanes, np.int64)
        self.opponents.add(0, self.policy)

    def policy(self, **facts: Any) -> Policy:
        """Return a copy of the network as it is now, as it is saved and shipped; `facts` go into its metadata.

        Raises:
            OptionError: a network over tokens, which is none of those that policies are.
        """
        if self.args.network != "plain":
            raise OptionError(f"network={self.args.network}: it is not of the form that policies have")
        tensors = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.net.state_dict().items()}
        weight, bias = self.inputs.folded()
        tensors |= {"first.weight": weight.numpy(), "first.bias": bias.numpy()}
        meta = {
            **game_meta(self.game),
            "trainer": "ppo_selfplay",
            "decisions": self.decisions,
            "games": self.games,
            **({"levers": self.args.levers(self.game).told()} if self.args.rulesets else {}),
            **facts,
        }
        return Policy(tensors, meta, f"rollout {self.rollouts}")

    # Collecting

    def act(self, observations: F32, legal: Legal, rng: np.random.Generator | None) -> tuple[I64, I64, F32, F32]:
        """Choose: return picks int64[n] (places in the lists), actions int64[n], log-probabilities and values
        float32[n].

        Args:
            observations: float32[n, O].
            legal: legal actions.
            rng: what draws from the policy; None takes the likeliest action.
        """
        draws = np.full(len(observations), -1.0) if rng is None else rng.random(len(observations))
        picks, log_probs, values = self.net.choose(self.inputs.of(observations), legal, draws)
        return picks, legal.actions[legal.starts() + picks], log_probs, values

    def collect(self) -> tuple[Rollout, dict[str, float]]:
        """Play T decisions in each lane. Return the learner's, and figures about the games that ended."""
        args, batch, sides = self.args, self.batch, self.sides
        t_max, n = args.steps, len(sides)
        clock, tally = Clock(self.spent), Tally()
        room, used, legals, chosen = self.inputs.room(t_max * n), 0, [], []
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
            rows = room[used : used + len(mine)]
            self.inputs.take(batch.observations, mine, rows)
            if t % LOOK_EVERY == 0 or not self.rollouts:
                self.inputs.note(batch.observations)
            draws = self.rng.random(len(mine))
            picks, log_probs, values[t, mine] = self.net.choose(self.inputs.tensor(rows), legal, draws)
            actions[mine] = legal.actions[legal.starts() + picks]
            legals.append(legal)
            chosen.append((picks, log_probs))
            used += len(mine)
            clock.lap("policy")
            if len(theirs):
                actions[theirs] = self.opponents.decide(batch, theirs, self.first_opponent)
                clock.lap("opponents")
            rewards[t] = batch.step(actions)[1]
            np.maximum(self.lead - 1, 0, out=self.lead)
            ends[t] = batch.terminations | batch.truncations
            cut = np.flatnonzero(batch.truncations & ~batch.terminations)
            if len(cut):
                bootstrap[t, cut] = self.worth_of(cut)
            if ends[t].any():
                self._begin_anew(np.flatnonzero(ends[t]), tally)
            clock.lap("environment")
        gains = self._advantages(rewards, values, to_play, ends, bootstrap, learns, clock)
        self.fresh, games = (int(number) for number in self.team.total(used, len(tally.lengths)))
        self.decisions += self.fresh
        self.games += games
        kept = np.flatnonzero(learns)
        rollout = Rollout(
            room[:used], Legal.join(legals), np.concatenate([picks for picks, _ in chosen]),
            np.concatenate([logs for _, logs in chosen]), gains.ravel()[kept], (gains + values).ravel()[kept],
            values.ravel()[kept],
        )  # fmt: skip
        return rollout, tally.figures()

    def _begin_anew(self, ended: I64, tally: Tally) -> None:
        """Note how these lanes' games ended, and begin the next ones, the learner on the next side."""
        batch, sides = self.batch, self.sides
        winners = batch.episode_winners[ended]
        shares = shares_of(batch, ended, winners, sides[ended])
        tally.add(winners, batch.terminations[ended], sides[ended], shares, batch.episode_lengths[ended])
        turned = ended[ended >= self.first_opponent]
        if self.args.lead:
            self._lead(turned)
        else:
            sides[turned] = (sides[turned] + 1) % self.players[turned]
        ops = np.zeros(len(sides), np.int8)
        ops[ended] = RESET
        batch.run(ops, np.zeros(len(sides), np.int64))

    def _lead(self, lanes: I64) -> None:
        """Draw which of these lanes' next games the opponent begins for all sides, and for how long."""
        led = self.rng.random(len(lanes)) < 0.5
        self.sides[lanes] = np.where(led, -1, self.rng.integers(0, self.players[lanes]))
        self.lead[lanes] = np.where(led, self.rng.integers(0, self.args.lead + 1, len(lanes)), 0)

    def _advantages(
        self, rewards: F32, values: F32, to_play: I64, ends: Any, bootstrap: F32, learns: Any, clock: Clock
    ) -> F32:
        """The advantages of a rollout's decisions, float32[T, N]."""
        args, batch = self.args, self.batch
        if not self.pair:
            last = self.worth_of(np.arange(len(self.sides)))
            clock.lap("policy")
            gains = own_advantages(rewards, values, to_play, ends, bootstrap, last, args.gamma, args.lam, learns)
        else:
            with torch.no_grad():
                last = self.net.values(self.inputs.of(batch.observations)).cpu().numpy()
            clock.lap("policy")
            movers = np.arange(len(to_play))[:, None], np.arange(len(self.sides)), to_play
            gains = advantages(
                rewards[movers], values, to_play, ends, bootstrap[movers], last, batch.to_play, args.gamma, args.lam,
                learns,
            )  # fmt: skip
        clock.lap("advantages")
        return gains

    def worth_of(self, lanes: I64) -> F32:
        """Return what the positions of some lanes are worth to each player, float32[k, P]; with two, zero-sum, the
        value of who decides, with the sign.
        """
        states = [self.batch.get_state(lane) for lane in lanes.tolist()]
        asked = [[state.acting_players[0]] if self.pair else list(range(state.game.num_players)) for state in states]
        seen = [
            np.asarray(state.observation(player), np.float32)
            for state, players in zip(states, asked, strict=True)
            for player in players
        ]
        with torch.no_grad():
            values = self.net.values(self.inputs.of(np.stack(seen))).cpu().numpy()
        if not self.pair:
            worth = np.zeros((len(lanes), self.batch.num_players), np.float32)
            worth[np.arange(worth.shape[1]) < self.players[lanes, None]] = values
            return worth
        return np.where(np.array(asked) == np.arange(2), values[:, None], -values[:, None])

    # Learning

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Pass over a rollout `epochs` times, in minibatches. Return figures."""
        args, n = self.args, len(rollout.picks)
        done = min(1.0, (self.decisions - self.fresh) / args.decisions)
        weight = args.entropy if args.entropy_last < 0 else args.entropy + (args.entropy_last - args.entropy) * done
        for group in self.optimizer.param_groups:
            group["lr"] = args.lr * (1.0 - (done if args.anneal else 0.0))
        device, starts = self.net.device, rollout.legal.starts()
        inputs = self.inputs.tensor(rollout.inputs)
        old, gains, targets = (
            torch.from_numpy(array).to(device) for array in (rollout.log_probs, rollout.advantages, rollout.targets)
        )
        sums, updates, go_on = np.zeros(5), 0, True
        for _ in range(args.epochs):
            for chosen in self._minibatches(n):
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
                    go_on = False
                    break
                self.optimizer.zero_grad()
                (policy_loss + args.value * value_loss - weight * entropy).backward()
                self.team.mean_gradients(list(self.net.parameters()))
                nn.utils.clip_grad_norm_(self.net.parameters(), args.max_grad)
                self.optimizer.step()
                updates += 1
                sums += torch.stack([policy_loss, value_loss, entropy, kl, clipped]).detach().cpu().numpy()
            if not go_on:
                break
        self.team.either(self.inputs.varied)
        self.inputs.settle(self.optimizer)
        spread = float(rollout.targets.var())
        explained = 1 - float((rollout.targets - rollout.values).var()) / spread if spread > 0 else math.nan
        names = ("policy_loss", "value_loss", "entropy", "kl", "clipped")
        means = dict(zip(names, (sums / max(1, updates)).tolist(), strict=True))
        return {**means, "explained": explained, "updates": updates, "inputs": len(self.inputs.columns)}

    def _minibatches(self, n: int) -> list[I64]:
        """A pass over n decisions; of a team all make as many steps."""
        order, size = self.rng.permutation(n), self.args.part().minibatch
        if self.team.size == 1:
            return [order[start : start + size] for start in range(0, n, size)]
        return np.array_split(order, int(self.team.most(math.ceil(n / size))))

    # Measuring

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
        decide = self._decider(greedy, seed)
        found: dict[str, dict[str, float]] = {}
        for spec in installed(args.ladder, self._unknown):
            games = args.eval_games if batched(agents.load_agent(spec)) else args.eval_slow_games
            found[label(spec)] = match(args.games_for(max(1, games // 2)), decide, spec, seed, limit)
        if self.best is not None:
            past = PPOAgent(self.best[1], greedy=greedy, seed=seed + 1)
            found["past_best"] = match(args.games_for(max(1, args.eval_games // 2)), decide, past, seed, limit)
        return found

    def _decider(self, greedy: bool, seed: int) -> Decide:
        """What plays for the network as it is now."""
        if self.args.network == "plain":
            return PPOAgent(self.policy(), greedy=greedy, seed=seed).act_batch
        rng = None if greedy else np.random.default_rng(seed)
        return lambda observations, masks: self.act(observations, Legal.of(masks), rng)[1]

    def _evaluate(self) -> dict[str, dict[str, float]]:
        """Evaluate, and keep the policy where none was better: by the mean score on the fixed part of the ladder."""
        found = self.evaluate()
        fixed = [one["score"] for name, one in found.items() if name != "past_best"]
        score = float(np.mean(fixed)) if fixed else float(self.rollouts)  # without a ladder the newest is the best
        if self.args.network == "plain" and (self.best is None or score >= self.best[0]):
            self.best = score, self.policy(**self.facts(), ladder=found)
        return found

    def facts(self) -> dict[str, Any]:
        """Return how the policy was made, for its metadata."""
        return runs.provenance("ppo_selfplay.py", asdict(self.args), asdict(Args()))

    # Checkpoints

    def save(self, folder: Path) -> None:
        """Write ``checkpoint.pt``, ``policy.safetensors`` and ``policy-best.safetensors``; a crash in between leaves
        the old ones whole.

        Of a team each keeps its own games, in ``checkpoint-RANK-ROLLOUT.pt``; which count, ``checkpoint.pt`` says.
        """
        mine = {
            "rng": self.rng.bit_generator.state,
            "batch": pickle.dumps(self.batch),
            "sides": self.sides,
            "lead": self.lead,
        }
        if not self.team.leads:
            path = self._own_file(folder)
            runs.replace(path, lambda part: torch.save(mine, part))
            self.team.wait()
            self.team.wait()
            for old in folder.glob(f"checkpoint-{self.team.rank}-*.pt"):
                if old != path:
                    old.unlink()
            return
        self.team.wait()
        state = {
            "args": asdict(self.args),
            "inputs": self.inputs.state_dict(),
            "net": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            **mine,
            "opponents": self.opponents.state_dict(),
            "best": None if self.best is None else (self.best[0], self.best[1].tensors, self.best[1].meta),
            "counters": (self.rollouts, self.decisions, self.games, self.seconds, self.cpu_seconds, self.spent),
        }
        runs.replace(folder / "checkpoint.pt", lambda part: torch.save(state, part))
        if self.args.network == "plain":
            self.policy(**self.facts()).save(folder / "policy.safetensors")
        if self.best is not None:
            self.best[1].save(folder / "policy-best.safetensors")
        self.team.wait()

    def _own_file(self, folder: Path) -> Path:
        return folder / f"checkpoint-{self.team.rank}-{self.rollouts:06d}.pt"

    @staticmethod
    def told(folder: Path, **changes: Any) -> Args:
        """Return the settings of the run in a folder, some of them changed.

        Raises:
            OptionError: there is no checkpoint, or the run has another number of processes.
        """
        if not (folder / "checkpoint.pt").is_file():
            raise OptionError(f"there is no checkpoint {folder / 'checkpoint.pt'}")
        told = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        args = Args(**{**told, **changes})
        if args.processes != told.get("processes", 1):
            raise OptionError(f"processes: the run in {folder} has {told['processes']}, which does not change")
        return args

    @classmethod
    def load(cls, folder: Path, team: Team | None = None, **changes: Any) -> Trainer:
        """Return the run that ``checkpoint.pt`` holds.

        Args:
            folder: the run's folder. Load only checkpoints of your own: they hold pickles.
            team: this process's place, where several train.
            changes: fields of `Args` to change, as ``decisions`` or ``minutes``.

        Raises:
            OptionError: there is no checkpoint, or it cannot be read.
        """
        path = folder / "checkpoint.pt"
        if not path.is_file():
            raise OptionError(f"there is no checkpoint {path}")
        try:
            state = torch.load(path, weights_only=False, map_location="cpu")
            trainer = cls(Args(**{**state["args"], "init": "", **changes}), team)
            trainer.args.init = state["args"]["init"]
            trainer.inputs.load_state_dict(state["inputs"])
            trainer.net.load_state_dict(state["net"])
            trainer.optimizer.load_state_dict(state["optimizer"])
            trainer.opponents.load_state_dict(state["opponents"])
            if state["best"] is not None:
                score, tensors, meta = state["best"]
                trainer.best = score, Policy(tensors, meta, "the best policy")
            (
                trainer.rollouts, trainer.decisions, trainer.games, trainer.seconds, trainer.cpu_seconds,
                trainer.spent,
            ) = state["counters"]  # fmt: skip
            own = trainer._own_file(folder)
            mine = state if trainer.team.leads else torch.load(own, weights_only=False, map_location="cpu")
            trainer.rng.bit_generator.state = mine["rng"]
            trainer.batch = pickle.loads(mine["batch"])
            trainer.sides, trainer.lead = mine["sides"], mine.get("lead", trainer.lead)
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
        args, team, log = self.args, self.team, None
        if team.leads:
            log = runs.Log(folder, asdict(args), self.rollouts, args.tensorboard, self.decisions)
        line: dict[str, Any] = log.lines[-1] if log is not None and log.lines else {}
        begin = time.perf_counter() - self.seconds
        begin_cpu = time.process_time() - (self.cpu_seconds if team.leads else 0.0)
        try:
            over = self.done()
            while not over:
                clock = Clock(self.spent)
                rollout, figures = self.collect()
                clock.restart()
                losses = self.learn(rollout)
                clock.lap("learning")
                self.rollouts += 1
                self.opponents.add(self.rollouts, self.policy)
                last = self.decisions >= args.decisions
                line = {"rollout": self.rollouts, "decisions": self.decisions, **figures, **losses}
                if team.leads and args.eval_every and (self.rollouts % args.eval_every == 0 or last):
                    line["ladder"] = self._evaluate()
                    clock.lap("evaluation")
                self.seconds = time.perf_counter() - begin
                self.cpu_seconds = team.total(time.process_time() - begin_cpu)[0]
                line["seconds"], line["cpu_seconds"] = round(self.seconds, 3), round(self.cpu_seconds, 3)
                line["decisions_per_second"] = round((self.decisions - self.begun) / self.seconds, 1)
                if log is not None:
                    log.write(line, self.decisions)
                    if "ladder" in line:
                        log.curves(least=20.0)
                over = self.done()
                if self.rollouts % args.checkpoint_every == 0 or over:
                    self.save(folder)
                if tell is not None:
                    tell(line)
        finally:
            if log is not None:
                log.close()
        return line

    def done(self) -> bool:
        """Return whether the run has spent its decisions or its minutes."""
        late = bool(self.args.minutes and self.seconds >= 60 * self.args.minutes)
        return bool(self.team.most(late or self.decisions >= self.args.decisions))


def take_part(team: Team, args: Args, named: dict[str, Any], resume: bool) -> None:
    """Train in one of the processes that do not lead."""
    folder = Path(args.out)
    trainer = Trainer.load(folder, team, **named) if resume else Trainer(args, team)
    trainer.run(folder)


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise OptionError(f'device: {name!r} is no device of this machine ({error}); "cpu" always is') from None
    return device
