"""A small network from a large one's searches: fits policy and value to the lessons of an `expert_iteration.py` run.

    python experiments/distil.py --lessons runs/expert --hidden 32 --out runs/small

Plain search values positions with the small one, which answers several times as fast. Writes ``policy.safetensors`` and
``progress.jsonl``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import expert_iteration
import numpy as np
import torch
from training import runs
from training.net import Net

from hawaii_agents.network import Policy, game_meta
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game


@dataclass
class Args:
    """What a run is told."""

    out: str = "runs/small"  # folder of the run
    lessons: str = "runs/expert"  # folders with lessons, commas between
    seed: int = 1
    hidden: int = 32  # width of the layers
    epochs: int = 6
    minibatch: int = 512
    lr: float = 1e-3  # Adam's
    value: float = 1.0  # weight of the value's error


def run(args: Args) -> Policy:
    """Fit and write; return the policy.

    Raises:
        OptionError: no lessons.
    """
    files = [path for folder in args.lessons.split(",") for path in sorted(Path(folder).glob("lessons-*.npz"))]
    if not files:
        raise OptionError(f"lessons: there are no lessons-*.npz in {args.lessons}")
    torch.manual_seed(args.seed)
    game = Game()
    lessons = [expert_iteration._read(path) for path in files]
    net = Net(game.observation_size, game.num_actions, args.hidden)
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr, eps=1e-5)
    once = expert_iteration.Args(init="-", epochs=1, minibatch=args.minibatch, value=args.value)
    rng = np.random.default_rng(args.seed)
    log = runs.Log(Path(args.out), asdict(args), 0, False, 0)
    try:
        for epoch in range(args.epochs):
            for group in optimizer.param_groups:
                group["lr"] = args.lr * (1 - epoch / args.epochs)
            losses = expert_iteration.learn(once, net, optimizer, lessons, rng)
            log.write(
                {"rollout": epoch + 1, "decisions": (epoch + 1) * sum(len(one.targets) for one in lessons), **losses},
                epoch,
            )
            print(epoch + 1, losses, flush=True)
    finally:
        log.close()
    facts = runs.provenance("distil.py", asdict(args), asdict(Args()))
    tensors = {name: tensor.detach().numpy().copy() for name, tensor in net.state_dict().items()}
    decisions = sum(len(one.targets) for one in lessons)
    policy = Policy(tensors, {**game_meta(game), **facts, "trainer": "distil", "decisions": decisions, "ladder": {}})
    policy.save(Path(args.out) / "policy.safetensors")
    return policy


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as the command line says; return the exit status."""

    def work() -> None:
        args, _, _ = runs.parse(Args, arguments, "A small network from a large one's searches.")
        run(args)

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
