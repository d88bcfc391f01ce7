"""Masked PPO by self-play, directly on the batch: one network plays all sides and learns from all of them.

    python experiments/ppo_selfplay.py --preset quick --out runs/first

In most lanes every decision is the network's, and it learns from all of them; in a share of the lanes the other side is
played by past selves or by agents that have names, and it learns from its own. `training/trainer.py` is the loop, to be
read and changed; this file is its command line.

Five things are not as in any PPO:

1. *Advantages*: players do not alternate, one often decides several times running; see `training/advantages.py`.
2. *Legal actions only*: of 991 actions four or five are legal. Logits are worked out for these alone; the result is
   that of a mask over all, see `LegalLogs` in `training/net.py`.
3. *Inputs that vary*: of a wide observation the network is given what has ever varied, see `training/inputs.py`; and
   where the processor is made for it, products are of bfloat16.
4. *Opponents*: see `training/opponents.py`; how strong it has become is measured on a fixed ladder,
   `training/ladder.py`.
5. *Resuming is exact*: a checkpoint holds the running games, the past selves and every generator, so that a run that is
   stopped and resumed goes on, bit by bit, as one that was not (on one machine, with the same number of threads).

A run's folder: ``config.json``, ``progress.jsonl`` (a line a rollout, written as it goes), ``curves.png``,
``checkpoint.pt`` (for resuming: load only your own, it holds pickles), ``policy.safetensors`` (weights and where they
come from, for `hawaii_agents.ppo.PPOAgent`, which needs no torch), ``policy-best.safetensors`` (the same, at the best
score on the ladder).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads wait for each other more than they work

from training import runs
from training.settings import Args
from training.team import gathered
from training.trainer import Trainer, take_part

from hawaii_agents.network import Policy
from hawaii_agents.ppo import PPOAgent
from hawaii_env.errors import OptionError

__all__ = ["Args", "Trainer", "export", "load_agent", "main", "narrate"]


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
    """Write a policy compactly, as safetensors, and return it.

    Args:
        source: a policy's file; or a run's folder, whose checkpoint's newest policy is taken.
        target: the file to write.

    Raises:
        OptionError: there is no checkpoint and no policy, or it cannot be read.
    """
    if source.is_file():
        policy = Policy.load(source)
    else:
        trainer = Trainer.load(source, processes=1)  # the leader's games, which exporting does not look at
        policy = trainer.policy(**trainer.facts())
    policy.save(target, compact=True)
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
                raise OptionError(
                    "--export RUN FILE.safetensors: the run's folder, or a policy's file; the file to write"
                )
            print(export(Path(words[1]), Path(words[2])))
            return
        args, named, resume = runs.parse(Args, words, "Masked PPO by self-play, directly on the batch.")
        folder = Path(args.out)
        processes = args.processes if not resume else Trainer.told(folder, **named).processes
        with gathered(processes, take_part, args, named, resume) as team:
            trainer = Trainer.load(folder, team, **named) if resume else Trainer(args, team)
            line = trainer.run(folder, None if trainer.args.quiet else narrate(trainer.args.decisions))
        if not trainer.args.quiet and line:
            whole = sum(trainer.spent.values())
            shares = ", ".join(f"{name} {seconds / whole:.1%}" for name, seconds in trainer.spent.items())
            count = f"{trainer.decisions:,} decisions, {trainer.games:,} games"
            print(f"{folder}: {count}, {trainer.seconds:.0f} s ({shares})")

    return runs.finish(work, runs.STOPPED)


if __name__ == "__main__":
    sys.exit(main())
