"""MaskablePPO of sb3-contrib on `hawaii_env.integrations.sb3.BatchVecEnv`: the learner against a pool.

    python experiments/ppo_sb3.py --preset quick --out runs/sb3

The pool holds past selves and named agents; each game's opponent is drawn from it, and sides alternate. The learner
sees its own decisions only; the opponents' are part of a step.

The run's folder and its ``policy.safetensors`` are those of `ppo_selfplay.py`; `hawaii_agents.ppo.PPOAgent` plays the
policy without torch. ``model.zip`` beside it is the model as SB3 alone loads it, and ``sb3:model.zip`` plays it.
Resuming restores network, optimizer, pool and counters from the last checkpoint and begins new games, so a resumed run
is not the same bit by bit.
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

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import studies
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_agents.training import runs
from hawaii_agents.training.evaluation import decides_in_batches, installed, label, match
from hawaii_agents.training.logs import Log
from hawaii_agents.training.ppo_selfplay import printer
from hawaii_agents.training.settings import Learning
from hawaii_env import agents, load_game
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.integrations.sb3 import BatchVecEnv


@dataclass
class Sb3(Learning):
    """The settings of a run. Every field is an option of the command line and a key of a preset (of its table ``sb3``,
    or of none).
    """

    out: str = "runs/ppo_sb3"  # folder of the run
    scenario: str = ""  # scenario of the game, or several with commas between, in turn; empty: the game's first
    epochs: int = 3  # passes over a rollout
    pool_every: int = 4  # rollouts between two snapshots
    pool_size: int = 6  # newest past selves to keep
    scripted: str = "random"  # agent strings, with commas between, of other agents in the pool
    scripted_share: float = 0.1  # share of the games against these; the rest is against past selves

    def check(self) -> None:
        """Raise OptionError if a value is not allowed."""
        counts = ("decisions", "num_envs", "steps", "epochs", "minibatch", "hidden", "pool_every", "pool_size",
                  "eval_games", "eval_slow_games", "checkpoint_every", "torch_threads", "env_threads")  # fmt: skip
        runs.check_ranges(self, {1: counts}, ["scripted_share"])
        runs.check_trainable(self, ["scripted"])

    def games(self, n: int) -> list[Game]:
        """Return n games, the scenarios in turn."""
        scenarios = [{"scenario": one.strip()} for one in self.scenario.split(",")] if self.scenario else [{}]
        made = [load_game(self.game, **options) for options in scenarios]
        return [made[i % len(made)] for i in range(n)]


@dataclass
class Falling:
    """A learning rate that falls to 0 over the run; a class, so that saved models can be loaded."""

    start: float

    def __call__(self, remaining: float) -> float:
        """Return the rate when the share `remaining`, 1 to 0, of the run is left."""
        return self.start * max(0.0, remaining)


def convert(model: MaskablePPO) -> dict[str, Any]:
    """Return the weights of a model's MlpPolicy under the names of `hawaii_agents.network.SHAPES`, as copies.

    Raises:
        OptionError: the policy has another form than two tanh layers of one width for each of policy and value.
    """
    state = {name: tensor.detach().cpu().numpy().copy() for name, tensor in model.policy.state_dict().items()}
    towers = [model.policy.mlp_extractor.policy_net, model.policy.mlp_extractor.value_net]
    pi, vf = "mlp_extractor.policy_net", "mlp_extractor.value_net"
    names = {
        "policy": f"{pi}.2", "worth": f"{vf}.2", "actions": "action_net", "score": "value_net",
    }  # fmt: skip
    parts = ("weight", "bias")
    wanted = {f"{name}.{part}" for name in (f"{pi}.0", f"{vf}.0", *names.values()) for part in parts}
    if set(state) != wanted or not all(isinstance(net[at], torch.nn.Tanh) for net in towers for at in (1, 3)):
        raise OptionError(
            "the policy has another form: net_arch={'pi': [H, H], 'vf': [H, H]} and tanh can be converted"
        )
    first = {f"first.{part}": np.concatenate([state[f"{pi}.0.{part}"], state[f"{vf}.0.{part}"]]) for part in parts}
    return first | {f"{own}.{part}": state[f"{name}.{part}"] for own, name in names.items() for part in parts}


def export(model: MaskablePPO, path: Path) -> None:
    """Write a model that SB3 alone loads: no moments of the optimizer, no last games, no classes of this script."""
    policy: Any = model.policy
    kept, policy.optimizer = policy.optimizer, policy.optimizer_class(policy.parameters(), lr=model.lr_schedule(1.0))
    left_out = ["learning_rate", "lr_schedule", "_last_obs", "_last_episode_starts", "ep_info_buffer"]
    try:
        model.save(path, exclude=left_out)
    finally:
        policy.optimizer = kept


class Run(BaseCallback):
    """A run: model, pool, log, checkpoints. As SB3's callback it works between rollouts.

    Args:
        args: the settings.
        saved: the content of a checkpoint; None begins a run.
    """

    def __init__(self, args: Sb3, saved: dict[str, Any] | None = None) -> None:
        super().__init__()
        args.check()
        self.args = args
        torch.set_num_threads(args.torch_threads)
        self.env = BatchVecEnv(args.games(args.num_envs), args.num_envs, seed=args.seed, threads=args.env_threads)
        self.game = self.env.get_attr("game", 0)[0]
        if self.game.num_players != 2:
            raise OptionError(f"{self.game.name} has {self.game.num_players} players; this script is for two")
        self.scripted: list[str] = agents.split_agents(args.scripted) if args.scripted else []
        self.rollouts, self.seconds = 0, 0.0
        self.pool: list[tuple[int, dict[str, Any]]] = []
        self.best: tuple[float, dict[str, Any], dict[str, Any]] | None = None
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
        with runs.reading_checkpoint(folder) as path:
            saved = torch.load(path, weights_only=False)
            return cls(Sb3(**{**saved["args"], **changes}), saved)

    def save(self) -> None:
        """Write ``checkpoint.pt`` and the policies; a crash in between leaves the old ones whole."""
        model = io.BytesIO()
        self.learner.save(model)
        state = {
            "args": asdict(self.args), "model": model.getvalue(), "pool": self.pool, "best": self.best,
            "counters": (self.rollouts, self.seconds),
        }  # fmt: skip
        runs.replace(self.folder / "checkpoint.pt", lambda part: torch.save(state, part))
        runs.replace(self.folder / "model.zip", lambda part: export(self.learner, part))
        self.policy().save(self.folder / "policy.safetensors")
        if self.best is not None:
            Policy(*self.best[1:]).save(self.folder / "policy-best.safetensors")

    def policy(self, **facts: Any) -> Policy:
        """Return the policy as it is now, as `ppo_selfplay.py` saves it."""
        made = runs.provenance("python experiments/ppo_sb3.py", asdict(self.args), asdict(Sb3()))
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
        """Play against the ladder and the best policy so far; by opponent the result of `training.evaluation.match`."""
        args, found = self.args, {}
        agent = PPOAgent(self.policy(), greedy=False, seed=seed)
        for opponent in installed(args.ladder):
            n = args.eval_games if decides_in_batches(agents.load_agent(opponent)) else args.eval_slow_games
            found[label(opponent)] = match(args.games(max(1, n // 2)), agent.act_batch, opponent, seed)
        if self.best is not None:
            past = PPOAgent(Policy(*self.best[1:]), greedy=False, seed=seed + 1)
            found["past_best"] = match(args.games(max(1, args.eval_games // 2)), agent.act_batch, past, seed)
        return found

    # Called by SB3

    def _on_step(self) -> bool:
        return not self._out_of_time()

    def _out_of_time(self) -> bool:
        return bool(self.args.minutes) and self.seconds >= 60 * self.args.minutes

    def _on_rollout_start(self) -> None:
        if self.learner.num_timesteps > self._seen:
            self._between()

    def _on_training_end(self) -> None:
        if self.learner.num_timesteps > self._seen and self._on_step():
            self._between()  # if the minutes ran out, another rollout is unfinished
        self.save()

    def _between(self) -> None:
        """Log a rollout that was learned from; extend the pool, evaluate and save if due."""
        args, model = self.args, self.learner
        self._seen = model.num_timesteps
        self.rollouts += 1
        if self.rollouts % args.pool_every == 0:
            self.pool.append((self.rollouts, convert(model)))
            del self.pool[: -args.pool_size]
            self._set_pool()
        logged = {name.split("/")[-1]: value for name, value in model.logger.name_to_value.items()}
        games = [info["l"] for info in model.ep_info_buffer] if model.ep_info_buffer else []
        line: dict[str, Any] = {
            "rollout": self.rollouts,
            "decisions": model.num_timesteps,
            "length": float(np.mean(games)) if games else math.nan,
            "policy_loss": logged.get("policy_gradient_loss", math.nan),
            "value_loss": logged.get("value_loss", math.nan),
            "entropy": -logged.get("entropy_loss", math.nan),
            "kl": logged.get("approx_kl", math.nan),
            "clipped": logged.get("clip_fraction", math.nan),
            "explained": logged.get("explained_variance", math.nan),
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
        if self.rollouts % args.checkpoint_every == 0:
            self.save()
        if self._report is not None:
            self._report(line)

    def run(self, folder: Path, report: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """Learn until the decisions, or the minutes, are used. Return the last line of ``progress.jsonl``."""
        args = self.args
        self.folder, self._report = folder, report
        self._seen = self.learner.num_timesteps
        self._log = Log(folder, asdict(args), self.rollouts, args.tensorboard, self._seen)
        self._begin = time.perf_counter() - self.seconds
        try:
            left = args.decisions - self.learner.num_timesteps
            if left > 0:
                # SB3 adds the decisions of earlier parts to the total of a resumed run.
                self.learner.learn(left, callback=self, reset_num_timesteps=False)
        finally:
            self._log.close()
        return self._log.lines[-1] if self._log.lines else {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""

    def work() -> None:
        args, named, resume = studies.parse(
            Sb3, arguments, "MaskablePPO against a pool of past selves and scripted agents."
        )
        folder = Path(args.out)
        run = Run.load(folder, **named) if resume else Run(args)
        run.run(folder, None if run.args.quiet else printer(run.args.decisions))

    return studies.finish(work, "stopped; --resume goes on from the last checkpoint")


if __name__ == "__main__":
    sys.exit(main())
