"""The same training with MaskablePPO of sb3-contrib, on `hawaii_env.integrations.sb3.BatchVecEnv`: the learner against
a pool.

    python experiments/ppo_sb3.py --preset quick --out runs/sb3

The pool holds past selves, the newest of them among them, and agents that specs name; each game's opponent is drawn
from it, and sides alternate. The learner sees its own decisions only, the opponents' are part of a step.

What comes out is the policy's file that `ppo_selfplay.py` writes: `hawaii_agents.ppo.PPOAgent` plays both without
torch. A run's folder is the same, too. Resuming goes on from the last checkpoint with its network, optimizer, pool and
counters; the games begin anew, so a resumed run is as good as, but not bit by bit, one that was never stopped.
"""

from __future__ import annotations

import io
import math
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
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from training import runs
from training.ladder import batched, installed, label, match

from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents, load_game
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import Game
from hawaii_env.integrations.sb3 import BatchVecEnv


@dataclass
class Sb3:
    """What a run is told. Every field is an option of the command line and a key of a preset (its table ``sb3`` and
    those keys that stand in no table).
    """

    out: str = "runs/ppo_sb3"  # folder of the run
    game: str = "hawaii1795"  # name of the game, of two players
    scenario: str = "long"  # scenario of the game, or several with commas between, in turn; empty for games without
    seed: int = 1  # of everything
    decisions: int = 5_000_000  # the learner's decisions to learn from; the learning rate falls to 0 over them
    minutes: float = 0.0  # stop after so many minutes, too; 0: no such limit
    lanes: int = 256  # games at once
    steps: int = 64  # the learner's decisions a lane in one rollout
    epochs: int = 3  # passes over a rollout
    minibatch: int = 1024
    lr: float = 1e-3  # Adam's, at the beginning; it falls to 0
    gamma: float = 1.0
    lam: float = 0.95  # GAE's lambda
    clip: float = 0.2
    entropy: float = 0.01  # weight of the entropy
    value: float = 0.5  # weight of the value's error
    max_grad: float = 0.5
    hidden: int = 128  # width of the two layers of policy and value
    pool_every: int = 4  # rollouts between two snapshots
    pool_size: int = 6  # past selves that are kept, the newest ones
    scripted: str = "random"  # agents' specs, with commas between, that are in the pool, too
    scripted_share: float = 0.1  # share of the games against these; the rest is against past selves
    ladder: str = "random"  # specs of the fixed ladder; one that is not installed is left out
    eval_every: int = 25  # rollouts between two evaluations; 0: never
    eval_games: int = 512  # games against each that decides in batches
    eval_slow_games: int = 100  # games against each that decides position by position
    checkpoint_every: int = 25  # rollouts between two checkpoints
    device: str = "cpu"
    torch_threads: int = 1
    env_threads: int = 1
    tensorboard: bool = False
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise OptionError where a value is none."""
        for name in ("decisions", "lanes", "steps", "epochs", "minibatch", "hidden", "pool_every", "pool_size",
            "eval_games",
                     "eval_slow_games", "checkpoint_every", "torch_threads", "env_threads"):  # fmt: skip
            if getattr(self, name) < 1:
                raise OptionError(f"{name} is 1 or more, not {getattr(self, name)}")
        if not 0 <= self.scripted_share <= 1:
            raise OptionError(f"scripted_share is from 0 to 1, not {self.scripted_share}")

    def games(self, n: int) -> list[Game]:
        """Return n games, the scenarios in turn."""
        scenarios = [{"scenario": one.strip()} for one in self.scenario.split(",")] if self.scenario else [{}]
        made = [load_game(self.game, **options) for options in scenarios]
        return [made[i % len(made)] for i in range(n)]


@dataclass
class Falling:
    """A learning rate that falls to 0 with what remains of the run; a class, so that saved models name it."""

    start: float

    def __call__(self, remaining: float) -> float:
        """Return the rate where `remaining`, 1 to 0, of the run is left."""
        return self.start * max(0.0, remaining)


def convert(model: MaskablePPO) -> dict[str, Any]:
    """Return the weights of a model's MlpPolicy under the names of `hawaii_agents.network.SHAPES`, as copies.

    Raises:
        OptionError: the policy has another form than two tanh layers of one width for each of policy and value.
    """
    state = {name: tensor.detach().cpu().numpy().copy() for name, tensor in model.policy.state_dict().items()}
    pi, vf = "mlp_extractor.policy_net", "mlp_extractor.value_net"
    wanted = {f"{net}.{layer}.{part}" for net in (pi, vf) for layer in (0, 2) for part in ("weight", "bias")}
    wanted |= {f"{net}.{part}" for net in ("action_net", "value_net") for part in ("weight", "bias")}
    tanh = all(
        isinstance(net[1], torch.nn.Tanh) and isinstance(net[3], torch.nn.Tanh)
        for net in (model.policy.mlp_extractor.policy_net, model.policy.mlp_extractor.value_net)
        if len(net) == 4
    )
    if set(state) != wanted or not tanh:
        raise OptionError(
            "the policy has another form: net_arch={'pi': [H, H], 'vf': [H, H]} and tanh can be converted"
        )
    return {
        "first.weight": np.concatenate([state[f"{pi}.0.weight"], state[f"{vf}.0.weight"]]),
        "first.bias": np.concatenate([state[f"{pi}.0.bias"], state[f"{vf}.0.bias"]]),
        "policy.weight": state[f"{pi}.2.weight"],
        "policy.bias": state[f"{pi}.2.bias"],
        "worth.weight": state[f"{vf}.2.weight"],
        "worth.bias": state[f"{vf}.2.bias"],
        "actions.weight": state["action_net.weight"],
        "actions.bias": state["action_net.bias"],
        "score.weight": state["value_net.weight"],
        "score.bias": state["value_net.bias"],
    }


class Run(BaseCallback):
    """A run: model, pool, log, checkpoints. It is SB3's callback, too: SB3 calls it, and it does what is due between
    rollouts.

    Args:
        args: what the run is told.
        saved: what a checkpoint holds; None begins.
    """

    def __init__(self, args: Sb3, saved: dict[str, Any] | None = None) -> None:
        super().__init__()
        args.check()
        self.args = args
        torch.set_num_threads(args.torch_threads)
        self.env = BatchVecEnv(args.games(args.lanes), args.lanes, seed=args.seed, threads=args.env_threads)
        self.game = self.env.batch.games[0]
        if self.game.num_players != 2:
            raise OptionError(f"{self.game.name} has {self.game.num_players} players; this script is for two")
        self.scripted: list[str] = agents.split_agents(args.scripted) if args.scripted else []
        self.rollouts, self.seconds = 0, 0.0
        self.pool: list[tuple[int, dict[str, Any]]] = []
        self.best: tuple[float, dict[str, Any], dict[str, Any]] | None = None
        self._unknown: set[str] = set()
        if saved is None:
            self.learner = MaskablePPO(
                "MlpPolicy",
                self.env,
                learning_rate=Falling(args.lr),
                n_steps=args.steps,
                batch_size=args.minibatch,
                n_epochs=args.epochs,
                gamma=args.gamma,
                gae_lambda=args.lam,
                clip_range=args.clip,
                ent_coef=args.entropy,
                vf_coef=args.value,
                max_grad_norm=args.max_grad,
                seed=args.seed,
                device=args.device,
                policy_kwargs={"net_arch": {"pi": [args.hidden] * 2, "vf": [args.hidden] * 2}},
            )
            self.pool.append((0, convert(self.learner)))
        else:
            self.rollouts, self.seconds = saved["counters"]
            self.pool, self.best = saved["pool"], saved["best"]
            self.env.seed(args.seed + 7919 * self.rollouts)  # other games than the first time
            self.learner = MaskablePPO.load(io.BytesIO(saved["model"]), env=self.env, device=args.device)
        self._set_pool()

    @classmethod
    def load(cls, folder: Path, **changes: Any) -> Run:
        """Return the run of a folder's checkpoint; load only your own, it holds pickles.

        Raises:
            OptionError: there is no checkpoint, or it cannot be read.
        """
        path = folder / "checkpoint.pt"
        if not path.is_file():
            raise OptionError(f"there is no checkpoint {path}")
        try:
            saved = torch.load(path, weights_only=False)
            return cls(Sb3(**{**saved["args"], **changes}), saved)
        except HawaiiError:
            raise
        except Exception as error:  # a damaged file fails in many ways
            raise OptionError(f"{path} is no checkpoint of this script: {type(error).__name__}: {error}") from error

    def save(self) -> None:
        """Write ``checkpoint.pt`` and the policies; a crash in between leaves the old ones whole."""
        model = io.BytesIO()
        self.learner.save(model)
        state = {
            "args": asdict(self.args), "model": model.getvalue(), "pool": self.pool, "best": self.best,
            "counters": (self.rollouts, self.seconds),
        }  # fmt: skip
        runs.replace(self.folder / "checkpoint.pt", lambda part: torch.save(state, part))
        self.policy().save(self.folder / "policy.safetensors")
        if self.best is not None:
            Policy(*self.best[1:]).save(self.folder / "policy-best.safetensors")

    def policy(self, **facts: Any) -> Policy:
        """Return the policy as it is now, as `ppo_selfplay.py` saves it."""
        made = runs.provenance("ppo_sb3.py", asdict(self.args), asdict(Sb3()))
        meta = {**game_meta(self.game), **made, "trainer": "ppo_sb3", "decisions": self.learner.num_timesteps, **facts}
        return Policy(convert(self.learner), meta, f"rollout {self.rollouts}")

    def _set_pool(self) -> None:
        seed = self.args.seed + 1000 * self.rollouts
        past: list[Any] = [
            PPOAgent(Policy(tensors, game_meta(self.game)), greedy=False, seed=seed + number, name=f"rollout_{rollout}")
            for number, (rollout, tensors) in enumerate(self.pool)
        ]
        share = self.args.scripted_share if self.scripted else 0.0
        weights = [share / max(1, len(self.scripted))] * len(self.scripted) + [(1 - share) / len(past)] * len(past)
        self.env.set_opponent([*self.scripted, *past], weights)

    def evaluate(self, seed: int = 0) -> dict[str, dict[str, float]]:
        """Play against the ladder and the best policy so far; by opponent what `training.ladder.match` returns."""
        args, found = self.args, {}
        agent = PPOAgent(self.policy(), greedy=False, seed=seed)
        for spec in installed(args.ladder, self._unknown):
            n = args.eval_games if batched(agents.load_agent(spec)) else args.eval_slow_games
            found[label(spec)] = match(args.games(max(1, n // 2)), agent.act_batch, spec, seed)
        if self.best is not None:
            past = PPOAgent(Policy(*self.best[1:]), greedy=False, seed=seed + 1)
            found["past_best"] = match(args.games(max(1, args.eval_games // 2)), agent.act_batch, past, seed)
        return found

    # What SB3 calls

    def _on_step(self) -> bool:
        return not self._out_of_time()

    def _out_of_time(self) -> bool:
        return bool(self.args.minutes) and self.seconds >= 60 * self.args.minutes

    def _on_rollout_start(self) -> None:
        if self.learner.num_timesteps > self._seen:
            self._between()

    def _on_training_end(self) -> None:
        if self.learner.num_timesteps > self._seen and self._on_step():
            self._between()  # where the minutes ran out there was another, unfinished rollout
        self.save()

    def _between(self) -> None:
        """A rollout was played and learned from: log it, and do what is due."""
        args, model = self.args, self.learner
        self._seen = model.num_timesteps
        self.rollouts += 1
        if self.rollouts % args.pool_every == 0:
            self.pool.append((self.rollouts, convert(model)))
            del self.pool[: -args.pool_size]
            self._set_pool()
        told = {name.split("/")[-1]: value for name, value in model.logger.name_to_value.items()}
        games = [info["l"] for info in model.ep_info_buffer] if model.ep_info_buffer else []
        line: dict[str, Any] = {
            "rollout": self.rollouts,
            "decisions": model.num_timesteps,
            "length": float(np.mean(games)) if games else math.nan,
            "policy_loss": told.get("policy_gradient_loss", math.nan),
            "value_loss": told.get("value_loss", math.nan),
            "entropy": -told.get("entropy_loss", math.nan),
            "kl": told.get("approx_kl", math.nan),
            "clipped": told.get("clip_fraction", math.nan),
            "explained": told.get("explained_variance", math.nan),
        }
        line = {name: value.item() if isinstance(value, np.generic) else value for name, value in line.items()}
        self.seconds = time.perf_counter() - self._begin
        last = model.num_timesteps >= args.decisions or self._out_of_time()
        if args.eval_every and (self.rollouts % args.eval_every == 0 or last):
            line["ladder"] = found = self.evaluate()
            fixed = [one["score"] for name, one in found.items() if name != "past_best"]
            score = float(np.mean(fixed)) if fixed else float(self.rollouts)
            if self.best is None or score >= self.best[0]:
                policy = self.policy(ladder=found)
                self.best = score, policy.tensors, policy.meta
            self.seconds = time.perf_counter() - self._begin
        line["seconds"] = round(self.seconds, 3)
        line["decisions_per_second"] = round(model.num_timesteps / self.seconds, 1)
        self._log.write(line, model.num_timesteps)
        if "ladder" in line:
            self._log.curves(least=20.0)
        if self.rollouts % args.checkpoint_every == 0:
            self.save()
        if self._tell is not None:
            self._tell(line)

    def run(self, folder: Path, tell: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """Learn until the decisions, or the minutes, are spent. Return the last line of ``progress.jsonl``."""
        args = self.args
        self.folder, self._tell = folder, tell
        self._seen = self.learner.num_timesteps
        self._log = runs.Log(folder, asdict(args), self.rollouts, args.tensorboard, self._seen)
        self._begin = time.perf_counter() - self.seconds
        try:
            left = args.decisions - self.learner.num_timesteps
            if left > 0:
                # SB3 adds what was learned already to the total of a run that goes on.
                self.learner.learn(left, callback=self, reset_num_timesteps=False)
        finally:
            self._log.close()
        return self._log.lines[-1] if self._log.lines else {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, as the command line says; return the exit status."""
    from ppo_selfplay import narrate

    def work() -> None:
        args, named, resume = runs.parse(
            Sb3, arguments, "MaskablePPO against a pool of past selves and scripted agents."
        )
        folder = Path(args.out)
        run = Run.load(folder, **named) if resume else Run(args)
        run.run(folder, None if run.args.quiet else narrate(run.args.decisions))

    return runs.finish(work, runs.STOPPED)


if __name__ == "__main__":
    sys.exit(main())
