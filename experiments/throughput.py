"""How fast training goes, and what the time goes into: the batch, its SB3 environment, and the self-play trainer.

    python experiments/throughput.py                 # writes experiments/results/throughput.json and prints a section
    python experiments/throughput.py --rounds 1 --quick   # a look, in a minute

Three comparisons, each in one process and one thread, in interleaved rounds; medians of CPU time:

1. Collecting with a trivial policy: the native vector environment against 16 Gym wrappers of the AEC environment in a
DummyVecEnv. 2. MaskablePPO on both, with the same network and settings: decisions learned from a second, and the
environment's share of it. 3. The self-play trainer against MaskablePPO, with the same network, rollouts, passes and
minibatches.

A decision counts when it is learned from (or, in 1, when the caller took it). Decisions of an opponent that nobody
learns from are the environment's time.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from hawaii_env import hawaii1795_v0
from hawaii_env.agents import RandomAgent, legal_in_rows
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.integrations.sb3 import BatchVecEnv
from hawaii_env.warm import require_compiled

sys.path.insert(0, str(Path(__file__).resolve().parent))
from training.settings import Args
from training.trainer import Trainer

RESULTS = Path(__file__).resolve().parent / "results" / "throughput.json"
WRAPPERS = 16
TARGETS = {"collection": 5.0, "environment_share": 0.05, "trainer": 3.0}


class AECAgainstRandom(gymnasium.Env[NDArray[np.float32], int]):
    """The AEC environment as most projects hand it to SB3: one player of it, against a random one."""

    def __init__(self, seed: int) -> None:
        self.env = hawaii1795_v0.raw_env()
        self.other = RandomAgent(seed)
        self.games = seed
        self.first_seed: int | None = seed
        name = self.env.possible_agents[0]
        both = self.env.observation_space(name)
        assert isinstance(both, spaces.Dict)
        self.observation_space = both["observation"]
        self.action_space = self.env.action_space(name)
        assert isinstance(self.action_space, spaces.Discrete)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game; sides alternate."""
        super().reset(seed=seed)
        self.env.reset(seed=self.first_seed if seed is None else seed)
        self.first_seed = None
        self.side = self.env.possible_agents[self.games % 2]
        self.games += 1
        return self._until_mine()[0], {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take a decision, then let the other player decide until it is one's own turn again."""
        self.env.step(int(action))
        observation, reward = self._until_mine()
        over = self.env.terminations[self.side]
        return observation, reward, over, self.env.truncations[self.side], {}

    def _until_mine(self) -> tuple[Any, float]:
        env = self.env
        while True:
            if env.terminations[self.side] or env.truncations[self.side]:
                seen = env.observe(self.side)
                self.mask = seen["action_mask"]
                return seen["observation"], env.rewards[self.side]
            seen, reward, _, _, _ = env.last()
            assert seen is not None
            if env.agent_selection == self.side:
                self.mask = seen["action_mask"]
                return seen["observation"], reward
            env.step(int(self.other.act_batch(seen["observation"][None], seen["action_mask"][None])[0]))

    def action_masks(self) -> NDArray[np.int8]:
        """Return the mask of the player to act."""
        return self.mask


def wrappers(n: int = WRAPPERS) -> VecEnv:
    """Return n wrappers of the AEC environment, as SB3 steps them by itself."""
    return DummyVecEnv([lambda i=i: Monitor(AECAgainstRandom(i)) for i in range(n)])


def native(n: int, **options: Any) -> BatchVecEnv:
    """Return the native environment with n lanes, against random."""
    return BatchVecEnv(Game, n, seed=0, **options)


def trivial(rng: np.random.Generator, masks: NDArray[Any]) -> NDArray[np.int64]:
    """Return a random legal action a row: the same code for both environments."""
    rows, columns = legal_in_rows(masks)
    counts = np.bincount(rows, minlength=len(masks))
    return columns[np.cumsum(counts) - counts + (rng.random(len(masks)) * counts).astype(np.int64)]


class Collector:
    """Steps a vector environment with the trivial policy."""

    def __init__(self, env: VecEnv) -> None:
        self.env, self.rng = env, np.random.default_rng(0)
        env.reset()

    def __call__(self, decisions: int) -> int:
        """Take so many decisions; return how many they were."""
        done = 0
        while done < decisions:
            self.env.step(trivial(self.rng, get_action_masks(self.env)))
            done += self.env.num_envs
        return done


class _Meter(BaseCallback):
    """Measures an environment's CPU time by standing in for its methods."""

    def __init__(self, env: VecEnv) -> None:
        super().__init__()
        self.seconds = 0.0
        for name in ("step", "env_method"):
            setattr(env, name, self.timed(getattr(env, name)))

    def timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            begin = time.process_time()
            result = method(*args, **kwargs)
            self.seconds += time.process_time() - begin
            return result

        return call

    def _on_step(self) -> bool:
        return True


class SB3Run:
    """MaskablePPO at the settings of the self-play trainer."""

    def __init__(self, env: VecEnv, args: Args) -> None:
        rollout = args.lanes * args.steps
        assert rollout % env.num_envs == 0
        self.meter = _Meter(env)
        self.model = MaskablePPO(
            "MlpPolicy", env, n_steps=rollout // env.num_envs, batch_size=args.minibatch, n_epochs=args.epochs,
            learning_rate=args.lr, gamma=args.gamma, gae_lambda=args.lam, clip_range=args.clip, ent_coef=args.entropy,
            vf_coef=args.value, max_grad_norm=args.max_grad, seed=args.seed, device="cpu",
            policy_kwargs={"net_arch": {"pi": [args.hidden] * 2, "vf": [args.hidden] * 2}},
        )  # fmt: skip
        self.rollout = rollout
        self.spent = {"environment": 0.0, "collecting": 0.0, "learning": 0.0}
        self.train = self.model.train
        setattr(self.model, "train", self.timed_train)  # noqa: B010

    def timed_train(self) -> None:
        """Learn from a rollout, and note the time."""
        begin = time.process_time()
        self.train()
        self.spent["learning"] += time.process_time() - begin

    def __call__(self) -> int:
        """Collect one rollout and learn from it; return its decisions."""
        begin, learned, stepped = time.process_time(), self.spent["learning"], self.meter.seconds
        self.model.learn(self.rollout, reset_num_timesteps=False, log_interval=None)  # type: ignore[arg-type]
        whole = time.process_time() - begin
        learned, stepped = self.spent["learning"] - learned, self.meter.seconds - stepped
        self.spent["environment"] += stepped
        self.spent["collecting"] += whole - learned - stepped
        return self.rollout


class OwnRun:
    """The self-play trainer."""

    def __init__(self, args: Args) -> None:
        self.trainer = Trainer(args)
        self.spent = self.trainer.spent

    def __call__(self) -> int:
        """Collect one rollout and learn from it; return its decisions."""
        before = self.trainer.decisions
        clock = time.perf_counter
        time.perf_counter = time.process_time  # the trainer's own account, in CPU time
        try:
            rollout, _ = self.trainer.collect()
            begin = time.process_time()
            self.trainer.learn(rollout)
            self.spent["learning"] += time.process_time() - begin
        finally:
            time.perf_counter = clock
        return self.trainer.decisions - before


def interleave(
    runs: dict[str, Callable[[], int]], rounds: int, say: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    """Run each once to warm up, then all in turn, `rounds` times. Return decisions a second of CPU time, by run."""
    rates: dict[str, list[float]] = {name: [] for name in runs}
    spent: dict[str, dict[str, float]] = {}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            account = getattr(run, "spent", None)
            if turn == 1 and account is not None:
                for part in account:
                    account[part] = 0.0
            begin = time.process_time()
            decisions = run()
            seconds = time.process_time() - begin
            if turn:
                rates[name].append(decisions / seconds)
            if account is not None:
                spent[name] = dict(account)
        say(f"round {turn} of {rounds}: " + ", ".join(f"{name} {r[-1]:,.0f}/s" for name, r in rates.items() if r))
    results: dict[str, dict[str, Any]] = {}
    for name, values in rates.items():
        results[name] = {"per_second": statistics.median(values), "rounds": [round(v, 1) for v in values]}
        if name in spent:
            whole = sum(spent[name].values())
            results[name]["shares"] = {
                part: round(seconds / whole, 4) for part, seconds in spent[name].items() if seconds
            }
    return results


def profile_of(run: Callable[[], int], rows: int = 12) -> list[dict[str, Any]]:
    """Return what torch's profiler says one more call spends its CPU time on: the operations, most of all first."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]) as taken:
        run()
    events = sorted(taken.key_averages(), key=lambda event: -event.self_cpu_time_total)
    whole = sum(event.self_cpu_time_total for event in events)
    return [
        {"operation": event.key, "share": round(event.self_cpu_time_total / whole, 4), "calls": event.count}
        for event in events[:rows]
    ]


def ratio(results: dict[str, dict[str, Any]], above: str, below: str) -> float:
    """Return the median over rounds of one run's rate over another's."""
    pairs = zip(results[above]["rounds"], results[below]["rounds"], strict=True)
    return round(statistics.median(a / b for a, b in pairs), 2)


def measure(rounds: int, quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything; see the module."""
    some = 2_000 if quick else 20_000
    say("collecting with a trivial policy")
    dummy, like, many = Collector(wrappers()), Collector(native(WRAPPERS)), Collector(native(256))
    collection = interleave(
        {"dummy_16": lambda: dummy(some), "native_16": lambda: like(5 * some), "native_256": lambda: many(20 * some)},
        rounds, say,
    )  # fmt: skip
    report: dict[str, Any] = {
        "collection": {
            **collection,
            "ratio_16_lanes": ratio(collection, "native_16", "dummy_16"),
            "ratio_256_lanes": ratio(collection, "native_256", "dummy_16"),
        },
        "training": [],
    }
    settings = [(128, 1024)] if quick else [(64, 256), (64, 1024), (128, 1024), (256, 1024)]
    for hidden, minibatch in settings:
        steps = 16 if quick else 64
        args = Args(lanes=256, steps=steps, hidden=hidden, minibatch=minibatch, epochs=4, anneal=False)
        single = Args(**{**vars(args), "precision": "float32"})
        say(f"training, two layers of {hidden}, minibatches of {minibatch}")
        runs: dict[str, Any] = {
            "trainer": OwnRun(args),
            "trainer_float32": OwnRun(single),
            "maskable_ppo_native_256": SB3Run(native(256), args),
            "maskable_ppo_dummy_16": SB3Run(wrappers(), args),
        }
        trained = interleave(runs, rounds, say)
        entry: dict[str, Any] = {
            "hidden": hidden,
            "minibatch": minibatch,
            "epochs": args.epochs,
            "rollout": args.lanes * args.steps,
            **trained,
            "ratio_trainer_to_maskable_ppo_native": ratio(trained, "trainer", "maskable_ppo_native_256"),
            "ratio_trainer_to_maskable_ppo_dummy": ratio(trained, "trainer", "maskable_ppo_dummy_16"),
            "ratio_float32_to_maskable_ppo_native": ratio(trained, "trainer_float32", "maskable_ppo_native_256"),
            "ratio_maskable_ppo_native_to_dummy": ratio(trained, "maskable_ppo_native_256", "maskable_ppo_dummy_16"),
        }
        if hidden >= 128:
            entry["profile"] = {name: profile_of(runs[name]) for name in ("trainer", "maskable_ppo_native_256")}
        report["training"].append(entry)
    return report


def alone(rounds: int, quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure the self-play trainer alone, by observation, width and precision, at the settings of long runs."""
    lanes, steps = (128, 32) if quick else (1024, 64)
    runs: dict[str, Any] = {}
    for edition, hidden in (("v0", 128), ("v0", 256), ("v1", 128), ("v1", 256)):
        for precision in ("float32", "bfloat16"):
            args = Args(
                observation=edition, hidden=hidden, precision=precision, lanes=lanes, steps=steps, minibatch=lanes * 4,
                epochs=3, anneal=False,
            )  # fmt: skip
            runs[f"{edition}, 2 x {hidden}, {precision}"] = OwnRun(args)
    for run in runs.values():
        run()  # of the first rollout all inputs are taken
    return interleave(runs, rounds, say)


def section_alone(found: dict[str, Any]) -> str:
    """Return the figures of `alone` as a table."""
    lines = ["| trainer | decisions a CPU second, median | best | learning's share |", "|---|---|---|---|"]
    for name, one in found.items():
        best = max(one["rounds"])
        lines.append(f"| {name} | {one['per_second']:,.0f} | {best:,.0f} | {one['shares']['learning']:.0%} |")
    return "\n".join(lines)


def section(report: dict[str, Any]) -> str:
    """Return the figures as a section of RESULTS.md."""
    got = report["collection"]
    lines = [
        f"CPU time, one thread, medians of {report['rounds']} interleaved rounds; {report['machine']}.",
        "",
        "| collecting with a trivial policy | learner's decisions/s | ratio |",
        "|---|---|---|",
        f"| 16 AEC wrappers in DummyVecEnv | {got['dummy_16']['per_second']:,.0f} | 1 |",
        f"| BatchVecEnv, 16 lanes | {got['native_16']['per_second']:,.0f} | {got['ratio_16_lanes']} |",
        f"| BatchVecEnv, 256 lanes | {got['native_256']['per_second']:,.0f} | {got['ratio_256_lanes']} |",
        "",
        "| layers, minibatch | self-play trainer | the same, float32 | MaskablePPO, BatchVecEnv | MaskablePPO, "
        "DummyVecEnv | trainer to MaskablePPO | environment's share |",
        "|---|---|---|---|---|---|---|",
    ]
    names = ("trainer", "trainer_float32", "maskable_ppo_native_256", "maskable_ppo_dummy_16")
    for entry in report["training"]:
        rates = " | ".join(f"{entry[name]['per_second']:,.0f}/s" for name in names)
        shares = ", ".join(f"{entry[name]['shares']['environment']:.1%}" for name in names if name != "trainer_float32")
        lines.append(
            f"| 2 x {entry['hidden']}, {entry['minibatch']} | {rates} | "
            f"{entry['ratio_trainer_to_maskable_ppo_native']} ({entry['ratio_trainer_to_maskable_ppo_dummy']}) | "
            f"{shares} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description="Training throughput.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="short rounds and one network")
    parser.add_argument(
        "--alone", action="store_true", help="the self-play trainer alone, at the settings of long runs"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    try:
        require_compiled(Game())
    except OptionError as error:
        sys.exit(f"throughput.py: {error}")

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    if asked.alone:
        print(section_alone(alone(asked.rounds, asked.quick, say)))
        return 0
    begin = time.perf_counter()
    report: dict[str, Any] = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "versions": {
            name: importlib.metadata.version(name)
            for name in ("torch", "stable-baselines3", "sb3-contrib", "numpy", "numba")
        },
        "rounds": asked.rounds,
        "targets": TARGETS,
        **measure(asked.rounds, asked.quick, say),
        "load": [round(load, 1) for load in os.getloadavg()],
        "seconds": 0.0,
    }
    report["seconds"] = round(time.perf_counter() - begin, 1)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(section(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
