"""Settings of the self-play trainer, and the games that they select."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hawaii_agents.network import Policy
from hawaii_env import Pool, agents, load_game, make_batch
from hawaii_env.env.vector import BatchEnv
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.variation import SPLITS, sample_rules

from . import runs
from .levers import Levers, spanned

RULESETS_TAG = 0x52756C65
"""Separates the generator of rulesets from others of the same seed."""
AT_LEAST: dict[int, tuple[str, ...]] = {
    2: ("pool_size",),
    1: (
        "decisions", "rulesets_drawn", "num_envs", "steps", "epochs", "minibatch", "hidden", "pool_groups",
        "pool_every", "scripted_envs", "width", "layers", "eval_games", "eval_slow_games", "checkpoint_every",
        "processes", "torch_threads", "env_threads",
    ),
    0: ("seed", "players", "minutes", "lead", "lr", "entropy", "value", "target_kl", "max_decisions", "eval_every"),
}  # fmt: skip
NETWORKS = ("plain", "hexes", "graph")


@dataclass
class Learning:
    """Settings of every script that learns by PPO from its own games."""

    game: str = "hawaii1795"  # name of the game
    seed: int = 1  # of everything
    decisions: int = 5_000_000  # decisions to learn from, of all that learn; the learning rate falls to 0 over them
    minutes: float = 0.0  # stop after so many minutes, too; 0: no such limit
    num_envs: int = 256  # games at once
    steps: int = 64  # decisions an environment in one rollout
    minibatch: int = 1024
    lr: float = 1e-3  # Adam's, at the beginning
    gamma: float = 1.0  # a decision: 1, since only the result counts
    lam: float = 0.95  # GAE's lambda
    clip: float = 0.2
    entropy: float = 0.01  # weight of the entropy
    value: float = 0.5  # weight of the value's error
    max_grad: float = 0.5  # gradients are scaled down to this norm
    hidden: int = 128  # width of the two layers of policy and value
    ladder: str = "random"  # agent strings of the fixed ladder; unknown ones are left out
    eval_every: int = 25  # rollouts between two evaluations on the ladder; 0: never
    eval_games: int = 512  # games against each agent that decides in batches
    eval_slow_games: int = 100  # games against each that decides position by position
    checkpoint_every: int = 25  # rollouts between two checkpoints; there is one at the end, too
    device: str = "cpu"  # device of the network, as torch names it: "cuda" for a graphics card
    torch_threads: int = 1
    env_threads: int = 1
    tensorboard: bool = False  # write TensorBoard's files as well (pip install tensorboard)
    quiet: bool = False  # print nothing


@dataclass
class Args(Learning):
    """The settings of a run. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/ppo_selfplay"  # folder of the run
    scenario: str = ""  # scenario of the game, or several with commas between; empty: the game's first
    shares: str = ""  # their shares of the environments, as "0.75,0.25"; empty: all alike
    players: int = 0  # number of players, for games that have several; 0: the game's own
    rules: str = ""  # a ruleset's folder; empty: the shipped one
    reward: str = ""  # the reward, for games that have several, as margin; empty: the game's own
    options: str = ""  # further options of the game, as "scoring=solo,last_year=3"
    rulesets: str = ""  # the environments play rulesets drawn from a file of levers, see `levers.py`, or
    # their games rulesets of a split of RuleShift: train
    rulesets_drawn: int = 128  # number of these rulesets
    epochs: int = 4  # passes over a rollout
    anneal: bool = True  # let it fall to 0
    by_time: bool = False  # the schedules end with the minutes, if these are fewer; a resumed run is then not the same
    entropy_last: float = -1.0  # what it falls to over the run; -1: it does not fall
    target_kl: float = 0.0  # end a rollout's passes when the policy has moved 1.5 times this far; 0: never
    network: str = "plain"  # or hexes, graph: over a map, see `hexes.py`
    width: int = 32  # of a hex
    layers: int = 3  # in which hexes hear from each other
    precision: str = "auto"  # of the layers: float32, bfloat16, or auto: bfloat16 if the processor is made for it
    init: str = ""  # start from these weights: a policy's file or the name of a shipped one
    begun_at: int = 0  # decisions that count as made before, for the schedules; -1: those that init's file states
    pool: float = 0.0  # share of the environments with past selves as opponents
    pool_groups: int = 3  # past selves at once; those environments are divided among them
    pool_size: int = 24  # past selves that are kept
    pool_every: int = 10  # rollouts between two snapshots, at first
    scripted: str = ""  # agent strings, with commas between, of the opponents in some environments
    scripted_envs: int = 8  # environments against each of them
    lead: int = 0  # in every second game of those environments the opponent makes up to so many first decisions for all
    # sides, and the learner the rest: positions that its own games do not reach; 0: never
    max_decisions: int = 0  # truncate games after so many decisions; 0: the game's own limit
    processes: int = 1  # that train together: the environments and the minibatches are divided among them

    def check(self) -> None:
        """Raise OptionError if a value is not allowed."""
        runs.check_ranges(self, AT_LEAST, ("gamma", "lam", "pool"))
        n, opponents = self.processes, sum(count for _, count in self.opponents())
        refused = {
            f"processes: {n} do not divide num_envs={self.num_envs}, minibatch={self.minibatch}": (
                self.num_envs % n or self.minibatch % n
            ),
            f"processes: several train on the CPU only, not on {self.device!r}": n > 1 and self.device != "cpu",
            f"network is one of {', '.join(NETWORKS)}, not {self.network!r}": self.network not in NETWORKS,
            f"pool and scripted_envs: {opponents} opponents in {self.num_envs} environments": opponents > self.num_envs,
        }
        for message, holds in refused.items():
            if holds:
                raise OptionError(message)
        runs.check_trainable(self, ["scripted"], ["init"])

    def part(self) -> Args:
        """Return the settings of one of the processes."""
        n = self.processes
        scripted = max(1, self.scripted_envs // n)
        return replace(self, num_envs=self.num_envs // n, minibatch=self.minibatch // n, scripted_envs=scripted)

    def begun(self, start: Policy | None) -> int:
        """Return the number of earlier decisions to count, with `start` as the initial weights.

        Raises:
            OptionError: -1 without weights that state them, or no decision is left.
        """
        begun: Any = self.begun_at
        if begun == -1:
            begun = start.meta.get("decisions") if start is not None else None
            if not isinstance(begun, int):
                raise OptionError("begun_at=-1 needs weights, init, whose file states the decisions learned from")
        if not 0 <= begun < self.decisions:
            raise OptionError(f"begun_at is from 0 to less than decisions={self.decisions}, or -1, not {begun}")
        return begun

    def opponents(self) -> list[tuple[str | None, int]]:
        """Return the groups of environments with an opponent: its agent string, None for a past self, and their
        number.
        """
        past = round(self.pool * self.num_envs)
        groups = min(self.pool_groups, past)
        sizes = [past * (k + 1) // groups - past * k // groups for k in range(groups)]
        scripted = agents.split_agents(self.scripted) if self.scripted else []
        return [*((None, size) for size in sizes), *((agent, self.scripted_envs) for agent in scripted)]

    def games_for(self, n: int) -> list[Game]:
        """Return n of the run's games, its scenarios mixed by their shares; all of one ruleset."""
        scenarios = [name.strip() for name in self.scenario.split(",")] if self.scenario else []
        try:
            shares = [float(text) for text in self.shares.split(",")] if self.shares else [1.0] * len(scenarios)
        except ValueError:
            raise OptionError(f"shares: numbers with commas between, not {self.shares!r}") from None
        if len(shares) != len(scenarios) or min(shares, default=1) <= 0:
            raise OptionError(f"shares: {len(scenarios)} numbers above 0, one a scenario, not {self.shares!r}")
        made = [self._game(scenario=name) for name in scenarios] if scenarios else [self._game()]
        weights = np.array(shares or [1.0]) / sum(shares or [1.0])
        owed, found = np.zeros(len(made)), list[Game]()
        for _ in range(n):  # each environment goes to the scenario that is furthest behind
            owed += weights
            most = int(owed.argmax())
            owed[most] -= 1.0
            found.append(made[most])
        return found

    def _game(self, **options: Any) -> Game:
        if self.options:
            options |= agents.parse_agent(f"{self.game}:{self.options}")[1]
        for name in ("players", "reward", "rules"):
            if getattr(self, name):
                options[name] = getattr(self, name)
        return load_game(self.game, **options)

    def levers(self, game: Game) -> list[dict[str, Any]]:
        """Return the levers for the metadata of a policy, for a game's ruleset."""
        return spanned(game.name) if self.rulesets in SPLITS else self._levers(game).metadata()

    def _levers(self, game: Game) -> Levers:
        return Levers(self.rulesets, getattr(getattr(game, "ruleset", None), "content", {}))

    def make_batch(self, first: int = 0) -> BatchEnv:
        """Return a batch of the run's games, those from number `first` on, which its caller resets; with levers, each
        of a ruleset drawn from them.
        """
        made = self.games_for(first + self.num_envs)
        limit, threads = self.max_decisions or None, self.env_threads
        settings: dict[str, Any] = {"autoreset_mode": "Disabled", "threads": threads, "max_decisions": limit}
        if self.rulesets in SPLITS:
            rules = Pool(sample_rules(self.game, self.rulesets, self.rulesets_drawn, self.seed))
            return make_batch(self.game, self.num_envs, **settings, **{**made[0].params, "rules": rules})
        if self.rulesets:
            rng, levers = np.random.default_rng([self.seed, RULESETS_TAG]), self._levers(made[0])
            drawn = [levers.draw(rng) for _ in range(self.rulesets_drawn)]
            varied: dict[tuple[int, int], Game] = {}
            for number, game in enumerate(made):
                key = id(game), number % len(drawn)
                if key not in varied:
                    varied[key] = type(game)(**{**game.params, **drawn[key[1]]})
            made = [varied[id(game), number % len(drawn)] for number, game in enumerate(made)]
        return make_batch(made[first:], self.num_envs, **settings)
