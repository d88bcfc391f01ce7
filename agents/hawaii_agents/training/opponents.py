"""Opponents of the self-play trainer: past selves and named agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env.env.vector import BatchEnv
from hawaii_env.game import Game

from .evaluation import BatchPlayer
from .settings import Args

I64 = NDArray[np.int64]


class Opponents:
    """The opponents of groups of environments, drawn anew for each rollout.

    Half of the draws of a past self are from the newest quarter, half from all: to beat the present self and not to
    forget how to beat earlier ones. When the pool is full, every second snapshot is removed and snapshots are taken
    half as often, so that the pool always spans the run.

    Attributes:
        num_envs: number of environments with an opponent.
        snapshots: the past selves as (rollout, arrays), oldest first.
    """

    def __init__(self, game: Game, args: Args) -> None:
        groups = args.opponents()
        self.size: int = args.pool_size
        self.every: int = args.pool_every
        self.snapshots: list[tuple[int, dict[str, Any]]] = []
        self._meta = game_meta(game)
        self._agents = [agent for agent, _ in groups]
        self._group_of: I64 = np.repeat(np.arange(len(groups)), np.array([count for _, count in groups], np.int64))
        self.num_envs: int = len(self._group_of)
        self._players: list[BatchPlayer] = []

    def add(self, rollout: int, policy: Callable[[], Policy]) -> None:
        """Keep a snapshot of `policy()` if one is due after this rollout (0: before the first)."""
        if rollout % self.every or None not in self._agents:
            return
        # float16: a past self need not be exact, and takes half the space in memory and checkpoint.
        self.snapshots.append((rollout, {k: array.astype(np.float16) for k, array in policy().tensors.items()}))
        if len(self.snapshots) > self.size:
            self.snapshots = self.snapshots[::2]
            self.every *= 2

    def begin(self, rng: np.random.Generator) -> None:
        """Draw and make the opponents of a rollout, seeded by `rng`: they depend on nothing that a checkpoint lacks."""
        self._players = []
        for agent in self._agents:
            seed, made = int(rng.integers(2**31)), agent
            if made is None:
                n = len(self.snapshots)
                first = n - max(1, n // 4) if rng.random() < 0.5 else 0
                rollout, tensors = self.snapshots[int(rng.integers(first, n))]
                policy = Policy.of(tensors, self._meta, f"rollout {rollout}")
                made = PPOAgent(policy, greedy=False, seed=seed, any_ruleset=True)
            self._players.append(BatchPlayer(made, seed))

    def decide(self, batch: BatchEnv, envs: I64, first: int) -> I64:
        """Return an action for each of these environments; `first` is the first one that has an opponent."""
        actions, groups = np.zeros(len(envs), np.int64), self._group_of[envs - first]
        for group in np.unique(groups).tolist():
            some = groups == group
            actions[some] = self._players[group].decide(batch, envs[some])
        return actions

    def state_dict(self) -> dict[str, Any]:
        """Return the part of a checkpoint that `load_state_dict` takes."""
        return {"snapshots": self.snapshots, "every": self.every}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the result of `state_dict`."""
        self.snapshots, self.every = list(state["snapshots"]), state["every"]
