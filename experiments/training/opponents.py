"""Who plays against the learner where it does not play itself: frozen past selves, and agents that specs name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env.env.vector import BatchEnv
from hawaii_env.game import Game

from .ladder import Seats


class Opponents:
    """Groups of lanes, each with an opponent, drawn anew at each rollout.

    Half of the draws of a past self are the newest quarter's, half are any's: beating what one is now and not
    forgetting how to beat what one was. When the pool is full, every second of it goes and snapshots are taken half as
    often: it always spans the run.

    Args:
        game: the game.
        past: lanes that play against past selves.
        groups: these lanes fall into so many groups; each has one past self in a rollout.
        size: past selves that are kept, 2 or more.
        every: rollouts between two snapshots, at first.
        scripted: specs, each with its number of lanes.

    Attributes:
        lanes: number of lanes with an opponent.
        snapshots: the past selves as (rollout, arrays), oldest first.
    """

    def __init__(
        self, game: Game, past: int, groups: int, size: int, every: int, scripted: list[tuple[str, int]]
    ) -> None:
        self.size, self.every = size, every
        self._meta = game_meta(game)
        self.snapshots: list[tuple[int, dict[str, Any]]] = []
        self._specs: list[str | None] = []
        self._group: list[int] = []  # of each lane
        for part in range(min(groups, past)):
            self._specs.append(None)
            self._group += [part] * (past * (part + 1) // min(groups, past) - past * part // min(groups, past))
        for spec, lanes in scripted:
            self._group += [len(self._specs)] * lanes
            self._specs.append(spec)
        self.lanes = len(self._group)
        self._of_lane = np.array(self._group, np.int64)
        self._seats: list[Seats] = []

    def add(self, rollout: int, policy: Callable[[], Policy]) -> None:
        """Keep a snapshot of what `policy` gives where one is due after this rollout (0: before the first)."""
        if rollout % self.every or None not in self._specs:
            return
        # Half the digits: a past self is one that was nearly so, and takes half the room in memory and checkpoint.
        tensors = {name: array.astype(np.float16) for name, array in policy().tensors.items()}
        self.snapshots.append((rollout, tensors))
        if len(self.snapshots) > self.size:
            self.snapshots = self.snapshots[::2]
            self.every *= 2

    def begin(self, rng: np.random.Generator) -> None:
        """Draw the opponents of a rollout and make them, seeded by `rng`: what goes on depends on nothing that a
        checkpoint lacks.
        """
        self._seats = []
        for spec in self._specs:
            seed = int(rng.integers(2**31))
            if spec is not None:
                self._seats.append(Seats(spec, seed))
                continue
            n = len(self.snapshots)
            first = n - max(1, n // 4) if rng.random() < 0.5 else 0
            rollout, tensors = self.snapshots[int(rng.integers(first, n))]
            self._seats.append(
                Seats(
                    PPOAgent(
                        Policy(tensors, self._meta, f"rollout {rollout}"), greedy=False, seed=seed, any_ruleset=True
                    ),
                    seed,
                )
            )

    def decide(self, batch: BatchEnv, lanes: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
        """Return an action for each of these lanes, int64[len(lanes)]; the first lane with an opponent is number
        `shift`.
        """
        actions = np.zeros(len(lanes), np.int64)
        groups = self._of_lane[lanes - shift]
        for group in np.unique(groups).tolist():
            some = groups == group
            actions[some] = self._seats[group].decide(batch, lanes[some])
        return actions

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps."""
        return {"snapshots": self.snapshots, "every": self.every}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take back what `state_dict` returned."""
        self.snapshots, self.every = list(state["snapshots"]), state["every"]
