"""What a run of the self-play trainer is told, and the games that this asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hawaii_agents.network import Policy
from hawaii_env import agents, load_game, make_batch
from hawaii_env.env.vector import BatchEnv
from hawaii_env.errors import OptionError
from hawaii_env.game import Game

from .rulesets import Levers

ONE_OR_MORE = (
    "decisions", "rulesets_drawn", "lanes", "steps", "epochs", "minibatch", "hidden", "pool_groups", "pool_every",
    "scripted_lanes", "width", "eval_games", "eval_slow_games", "checkpoint_every", "processes", "torch_threads",
    "env_threads",
)  # fmt: skip
ZERO_OR_MORE = (
    "seed", "players", "minutes", "lead", "lr", "entropy", "value", "target_kl", "max_decisions", "eval_every",
)  # fmt: skip
NETWORKS = ("plain", "tokens", "attention")
HEADS = 4
"""Heads of the attention of `network=attention`."""
RULESETS_TAG = 0x52756C65
"""Sets the generator of rulesets apart from others of the same seed."""


@dataclass
class Args:
    """What a run is told. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/ppo_selfplay"  # folder of the run
    game: str = "hawaii1795"  # name of the game
    scenario: str = ""  # scenario of the game, or several with commas between; empty: the game's first
    shares: str = ""  # their shares of the lanes, as "0.75,0.25"; empty: all alike
    players: int = 0  # number of players, for games that have several; 0: the game's own
    rules: str = ""  # a ruleset's folder; empty: the shipped one
    reward: str = ""  # what is learned from, for games that reward in several ways, as margin; empty: the game's own
    rulesets: str = ""  # a file of levers: the lanes play rulesets drawn from it, see `training/rulesets.py`
    rulesets_drawn: int = 128  # so many
    seed: int = 1  # of everything
    decisions: int = 5_000_000  # decisions of both sides to learn from; the learning rate falls to 0 over them
    minutes: float = 0.0  # stop after so many minutes, too; 0: no such limit
    lanes: int = 256  # games at once
    steps: int = 64  # decisions a lane in one rollout
    epochs: int = 4  # passes over a rollout
    minibatch: int = 1024
    lr: float = 1e-3  # Adam's, at the beginning
    anneal: bool = True  # let it fall to 0
    gamma: float = 1.0  # a decision: 1, since only the result counts
    lam: float = 0.95  # GAE's lambda
    clip: float = 0.2
    entropy: float = 0.01  # weight of the entropy
    entropy_last: float = -1.0  # what it falls to over the run; -1: it does not fall
    value: float = 0.5  # weight of the value's error
    max_grad: float = 0.5  # gradients are scaled down to this norm
    target_kl: float = 0.0  # end a rollout's passes where the policy has moved 1.5 times this far; 0: never
    network: str = "plain"  # or tokens, attention: pieces share weights, see `training/tokens.py`; it writes no policy
    hidden: int = 128  # width of the two layers of policy and value
    width: int = 32  # of a token
    precision: str = "auto"  # of the layers: float32, bfloat16, or auto: the latter where the processor is made for it
    init: str = ""  # start from these weights: a policy's file or the name of a shipped one
    begun_at: int = 0  # decisions that count as made before, for the schedules; -1: those that init's file tells
    pool: float = 0.0  # share of the lanes that play against past selves
    pool_groups: int = 3  # past selves at once; those lanes are divided among them
    pool_size: int = 24  # past selves that are kept
    pool_every: int = 10  # rollouts between two snapshots, at first
    scripted: str = ""  # agents' specs, with commas between, that play the other side in some lanes
    scripted_lanes: int = 8  # lanes against each of them
    lead: int = 0  # in every second game of those lanes the opponent makes up to so many first decisions for all sides,
    # and the learner the rest: positions that its own games do not come to; 0: never
    max_decisions: int = 0  # truncate games after so many decisions; 0: the game's own figure of safety
    ladder: str = "random"  # specs of the fixed ladder; one that is not installed is left out
    eval_every: int = 25  # rollouts between two evaluations on the ladder; 0: never
    eval_games: int = 512  # games against each that decides in batches
    eval_slow_games: int = 100  # games against each that decides position by position
    checkpoint_every: int = 25  # rollouts between two checkpoints; there is one at the end, too
    device: str = "cpu"  # where the network learns, as torch names it: "cuda" for a graphics card
    processes: int = 1  # that train together: the lanes and the minibatches are divided among them
    torch_threads: int = 1
    env_threads: int = 1
    tensorboard: bool = False  # write TensorBoard's files as well (pip install tensorboard)
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise OptionError where a value is none."""
        for name in ONE_OR_MORE:
            if getattr(self, name) < 1:
                raise OptionError(f"{name} is 1 or more, not {getattr(self, name)}")
        for name in ZERO_OR_MORE:
            if not getattr(self, name) >= 0:
                raise OptionError(f"{name} is 0 or more, not {getattr(self, name)}")
        if self.pool_size < 2:
            raise OptionError(f"pool_size is 2 or more, not {self.pool_size}")
        for name in ("gamma", "lam", "pool"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"{name} is from 0 to 1, not {getattr(self, name)}")
        if self.processes > 1 and (self.lanes % self.processes or self.minibatch % self.processes):
            raise OptionError(
                f"processes: {self.processes} do not divide lanes={self.lanes}, minibatch={self.minibatch}"
            )
        if self.processes > 1 and self.device != "cpu":
            raise OptionError(f"processes: several of them train on the CPU, not on {self.device!r}")
        if self.network not in NETWORKS:
            raise OptionError(f"network is one of {', '.join(NETWORKS)}, not {self.network!r}")
        if self.network != "plain" and (self.pool or self.init):
            raise OptionError(f"network={self.network}: pool and init are of policies, which it writes none of")
        past, scripted = self.opponent_lanes()
        if past + sum(lanes for _, lanes in scripted) > self.lanes:
            raise OptionError(
                f"pool and scripted_lanes: more lanes with opponents than the {self.lanes} that there are"
            )

    def part(self) -> Args:
        """Return what one of the processes does of it."""
        if self.processes == 1:
            return self
        n = self.processes
        return replace(
            self, lanes=self.lanes // n, minibatch=self.minibatch // n, scripted_lanes=max(1, self.scripted_lanes // n)
        )

    def begun(self, start: Policy | None) -> int:
        """Return the decisions that count as made before, `start` being the weights to start from.

        Raises:
            OptionError: -1 without weights that tell, or no decision is left.
        """
        told = self.begun_at
        if told == -1:
            told = (start.meta if start is not None else {}).get("decisions")
            if not isinstance(told, int):
                raise OptionError("begun_at=-1 asks for weights, init, whose file tells the decisions learned from")
        if not 0 <= told < self.decisions:
            raise OptionError(f"begun_at is from 0 to less than decisions={self.decisions}, or -1, not {told}")
        return told

    def opponent_lanes(self) -> tuple[int, list[tuple[str, int]]]:
        """Return how many lanes play against past selves, and the specs of the others' opponents, each with its
        lanes.
        """
        specs = agents.split_agents(self.scripted) if self.scripted else []
        return round(self.pool * self.lanes), [(spec, self.scripted_lanes) for spec in specs]

    def games_for(self, n: int) -> list[Game]:
        """Return n of the run's games, its scenarios mixed by their shares; all of one ruleset."""
        scenarios = [name.strip() for name in self.scenario.split(",")] if self.scenario else []
        try:
            shares = [float(text) for text in self.shares.split(",")] if self.shares else [1.0] * len(scenarios)
        except ValueError:
            raise OptionError(f"shares: numbers with commas between are wanted, not {self.shares!r}") from None
        if len(shares) != len(scenarios) or min(shares, default=1) <= 0:
            raise OptionError(
                f"shares: {len(scenarios)} numbers above 0 are wanted, one a scenario, not {self.shares!r}"
            )
        made = [self._game(scenario=name) for name in scenarios] if scenarios else [self._game()]
        shares = shares or [1.0]
        owed = [0.0] * len(made)
        lanes = []
        for _ in range(n):  # each lane goes to the scenario that is furthest behind
            owed = [debt + share / sum(shares) for debt, share in zip(owed, shares, strict=True)]
            most = owed.index(max(owed))
            owed[most] -= 1.0
            lanes.append(made[most])
        return lanes

    def _game(self, **options: Any) -> Game:
        for name in ("players", "reward", "rules"):
            if getattr(self, name):
                options[name] = getattr(self, name)
        return load_game(self.game, **options)

    def varied(self, lanes: list[Game]) -> list[Game]:
        """Return games like these, one for each, of rulesets drawn from the levers; the same games where there are
        none.
        """
        if not self.rulesets:
            return lanes
        rng = np.random.default_rng([self.seed, RULESETS_TAG])
        levers = self.levers(lanes[0])
        drawn = [levers.draw(rng) for _ in range(self.rulesets_drawn)]
        made: dict[tuple[int, int], Game] = {}
        for lane, game in enumerate(lanes):
            key = id(game), lane % len(drawn)
            if key not in made:
                made[key] = type(game)(**{**game.params, **drawn[key[1]]})
        return [made[id(game), lane % len(drawn)] for lane, game in enumerate(lanes)]

    def levers(self, game: Game) -> Levers:
        """Return the levers, for a game's ruleset."""
        return Levers(self.rulesets, getattr(getattr(game, "ruleset", None), "content", {}))

    def make_batch(self, lanes: int, first: int = 0) -> BatchEnv:
        """Return a batch of the run's games, those from the lane `first` on, which leaves resets to its caller."""
        limit, made = self.max_decisions or None, self.varied(self.games_for(first + lanes))[first:]
        return make_batch(made, lanes, autoreset_mode="Disabled", threads=self.env_threads, max_decisions=limit)
