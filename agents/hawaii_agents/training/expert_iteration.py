"""Expert iteration as in Gumbel AlphaZero: a tree search improves the network's choices, and the network learns them.

    hawaii expert-iteration --game aloha --out runs/expert

Each round plays games of the network against itself. In a share of the positions a search runs, guided by the network's
policy and value; the network learns the improved policy of these, and in all positions how the game went on.

- *Search* (Danihelka et al., 2022): Gumbel noise draws the actions that are tried at the root, sequential halving
  shares the simulations out among them, and the improved policy is softmax(logits + scaled values). With few
  simulations it says more than counts of visits. All games search at once: one batch steps them, and the network is
  asked once for all positions that are added.
- *Values*: a position's target mixes the values of the searches from there on with the result, each with the weight
  that `lam` leaves, turned for the player who decides.
- *Chance* is drawn anew in each simulation, by the batch itself; what it brings leads to other nodes.
- *Sealed orders and simultaneous turns*: a node is what its player sees, whatever the others have entered unseen
  (information set search, as `hawaii_agents.tree_search`), and simulations begin at a position drawn from what the
  player can know (`State.resample`). Each player thus chooses by its own statistics, as if the others did not choose
  now; that need not find an equilibrium, so actions are drawn by the improved policy there.
- *No gate*: the newest network plays the next round. A match that admits a network costs as many games as a round, and
  at this size a few points cannot be told apart by fewer; the ladder shows if strength falls.

A run's folder: as of `ppo_selfplay.py`; ``games-N.npz``, the positions of each round in the replay window; and
``measured.json``, scores of the policy without search and with it, on the ladder, at the end. A resumed run is
bit-identical to an uninterrupted one, even after it was killed.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hawaii_agents import weights as shipped
from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents, make_batch
from hawaii_env.env.vector import BatchEnv
from hawaii_env.errors import OptionError
from hawaii_env.game import Game

from . import ppo_selfplay as ppo
from . import runs
from .batch_search import Searcher, SearchPlayer
from .evaluation import decides_in_batches, installed, label, match
from .imitate import Lessons, write_lessons
from .inputs import Inputs
from .logs import Log
from .net import Legal, Net

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]


@dataclass
class Args:
    """The settings of a run. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/expert"  # folder of the run
    game: str = "aloha"  # name of the game: two players, zero-sum
    scenario: str = ""  # scenario of the game; empty: the game's first
    seed: int = 1  # of everything
    decisions: int = 1_000_000  # decisions of self-play, over which the learning rate falls to a tenth; 0: only measure
    minutes: float = 0.0  # stop after so many minutes, too; 0: no such limit
    cpu_minutes: float = 0.0  # stop after so many minutes of processor time without evaluations, too; 0: no such limit
    init: str = ""  # start from these weights: a policy's file or the name of a shipped one
    num_envs: int = 128  # games of a round, played at once
    searched: float = 0.25  # share of the positions that are searched; in the others the policy draws
    sims: int = 16  # simulations of a search
    considered: int = 8  # actions that a search tries at its root, at most
    scale: float = 1.0  # weight of the search's values beside the policy's logits, 50 times at least
    lam: float = 0.9  # weight of what follows a search beside its own value, in the targets of values
    window: int = 150_000  # positions of the newest rounds to learn from
    passes: float = 4.0  # positions drawn from the window for each new one
    minibatch: int = 512
    lr: float = 1e-3  # Adam's, at the beginning
    decay: float = 1e-4  # AdamW's weight decay
    value: float = 1.0  # weight of the value's error
    hidden: int = 128  # width of the two layers of policy and value
    precision: str = "auto"  # of the layers, see `ppo_selfplay.py`
    ladder: str = "random"  # agent strings of the fixed ladder; unknown ones are left out
    eval_every: int = 10  # rounds between two evaluations of the policy without search; 0: never
    eval_games: int = 400  # games against each agent that decides in batches
    eval_slow_games: int = 100  # games against each that decides position by position
    test_games: int = 100  # games of the policy with search against each, at the end; 0: none
    torch_threads: int = 1
    tensorboard: bool = False  # write TensorBoard's files as well (pip install tensorboard)
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise OptionError if a value is not allowed."""
        counts = ("num_envs", "window", "minibatch", "hidden", "eval_games", "eval_slow_games")
        least = {2: ("sims", "considered"), 1: (*counts, "torch_threads"), 0: ("seed", "eval_every", "decay", "value")}
        runs.check_ranges(
            self, {**least, 0: (*least[0], "decisions", "test_games", "minutes", "cpu_minutes")}, ("searched", "lam")
        )
        for name in ("searched", "scale", "passes", "lr"):
            if not 0 < getattr(self, name) < math.inf:
                raise OptionError(f"{name} is more than 0, not {getattr(self, name)}")
        runs.check_trainable(self, weights=["init"])

    def make_games(self, n: int) -> list[Game]:
        """Return n games of the run. Raises OptionError unless they are of two players and zero-sum."""
        made = ppo.Args(game=self.game, scenario=self.scenario).games_for(n)
        if made[0].num_players != 2 or made[0].utility != "zero_sum":
            raise OptionError(f"game: expected one of two players, zero-sum; {self.game} has {made[0].num_players}")
        return made


class Trainer:
    """A run: network, optimizer, counters. A round's random draws depend only on the seed and its number.

    Raises:
        OptionError: a value that is not allowed.
    """

    def __init__(self, args: Args) -> None:
        args.check()
        self.args: Args = args
        torch.set_num_threads(args.torch_threads)
        torch.manual_seed(args.seed)
        self.made: list[Game] = args.make_games(args.num_envs)
        self.game: Game = self.made[0]
        self.net: Net = Net(self.game.observation_size, self.game.num_actions, args.hidden, args.precision)
        if args.init:
            ppo.start_from(self.net, shipped.load(args.init), self.game, args.hidden)
        self.batch: BatchEnv = make_batch(self.made, args.num_envs, autoreset_mode="Disabled")
        self.batch.reset(seed=0)
        self.inputs: Inputs = Inputs(self.net, self.batch.observations[0])
        self.optimizer: torch.optim.AdamW = torch.optim.AdamW(
            self.net.parameters(), lr=args.lr, weight_decay=args.decay, fused=True
        )
        self.searcher: Searcher = self._searcher(self.made[: math.ceil(args.searched * args.num_envs)])
        self._window: dict[int, Lessons] = {}  # by the round
        self.rounds: int = 0
        self.games: int = 0
        self.decisions: int = 0
        self.seconds: float = 0.0
        self.cpu_seconds: float = 0.0

    def _searcher(self, games: list[Game]) -> Searcher:
        return Searcher(games, self._evaluate, self.args.sims, self.args.considered, self.args.scale)

    def _evaluate(self, observations: F32, legal: Legal) -> tuple[F32, F32]:
        with torch.no_grad():
            logits, values = self.net(self.inputs.of(observations), legal)
        return logits.numpy(), values.numpy()

    def policy(self, **facts: Any) -> Policy:
        """Return a copy of the network as it is saved and shipped; `facts` are added to its metadata."""
        own = {"trainer": "expert_iteration", "decisions": self.decisions, "games": self.games, **facts}
        return Policy(ppo.tensors_of(self.net, self.inputs), {**game_meta(self.game), **own}, f"round {self.rounds}")

    def facts(self) -> dict[str, Any]:
        """Return the policy's origin, for its metadata."""
        return runs.provenance("hawaii expert-iteration", asdict(self.args), asdict(Args()))

    # A round

    def play(self) -> Lessons:
        """Play the games of the next round; return their decisions, as `imitate.Lessons` with these arrays instead of
        picks: ``policy`` float32[sum of counts], zeros if the position was not searched, and ``targets`` float32[n] of
        the values.
        """
        args, batch, n = self.args, self.batch, self.args.num_envs
        rng, first = np.random.default_rng([args.seed, self.rounds]), args.seed * 1_000_000 + self.rounds * n
        batch.reset(seed=[first + k for k in range(n)])
        actions, parts = np.zeros(n, np.int64), list[tuple[Any, ...]]()
        while not batch.over.all():
            rows = np.flatnonzero(~batch.over)
            movers, seen, legal = batch.to_play[rows].copy(), batch.observations[rows], Legal.of(batch.masks[rows])
            logits = self._evaluate(seen, legal)[0]
            picks = (logits + rng.gumbel(size=logits.shape)).argmax(1)
            some = np.sort(rng.permutation(len(rows))[: math.ceil(args.searched * len(rows))])
            some = some[legal.counts[some] > 1]
            policy, values = np.zeros(logits.shape, np.float32), np.full(len(rows), np.nan, np.float32)
            if len(some):
                states, chosen = [batch.get_state(row) for row in rows[some].tolist()], legal.take(some, legal.starts())
                found = self.searcher.search(states, movers[some], seen[some], chosen, rng)
                picks[some], values[some] = found.picks, found.values
                policy[some, : found.policy.shape[1]] = found.policy
            parts.append(
                (seen.astype(np.float16), legal.counts, legal.actions, policy[legal.places()], movers, rows, values)
            )
            actions[rows] = legal.actions[legal.starts() + picks]
            batch.step(actions, ~batch.over)
        targets = [part[-1] for part in parts]
        ahead = batch.episode_returns[:, 0].copy()  # what follows, for the first player
        for (*_, movers, rows, values), target in zip(reversed(parts), reversed(targets), strict=True):
            sign = 1.0 - 2.0 * movers
            ahead[rows] = np.where(
                np.isnan(values), ahead[rows], (1 - args.lam) * sign * values + args.lam * ahead[rows]
            )
            target[:] = sign * ahead[rows]
        seen, counts, legal, policy, movers, rows, targets = (np.concatenate(one) for one in zip(*parts, strict=True))
        results = batch.episode_returns[rows, movers].astype(np.float32)
        names = ("observations", "counts", "actions", "policy", "targets", "results", "games")
        return dict(zip(names, (seen, counts, legal, policy, targets, results, rows + first), strict=True))

    def learn(self, lessons: Lessons, fresh: int) -> dict[str, float]:
        """Draw minibatches from the window, so many positions as `passes` of the new ones, and return figures."""
        args, legal = self.args, Legal(lessons["counts"], lessons["actions"])
        starts, n = legal.starts(), len(lessons["counts"])
        rng = np.random.default_rng([args.seed, self.rounds, 1])
        share = min(1.0, self.decisions / max(1, args.decisions))
        for group in self.optimizer.param_groups:
            group["lr"] = args.lr * (1 - 0.9 * share)
        self.inputs.note(lessons["observations"][-fresh:].astype(np.float32))
        self.inputs.update(self.optimizer)
        sums, updates, found = np.zeros(3), max(1, math.ceil(args.passes * fresh / args.minibatch)), list[F32]()
        for _ in range(updates):
            rows = rng.integers(0, n, min(n, args.minibatch))
            some = legal.take(rows, starts)
            improved = Legal(legal.counts, lessons["policy"]).take(rows, starts).actions
            logits, values = self.net(self.inputs.of(lessons["observations"][rows].astype(np.float32)), some)
            target = torch.zeros(logits.shape)
            target[tuple(map(torch.from_numpy, some.places()))] = torch.from_numpy(improved)
            targets, logs = torch.from_numpy(lessons["targets"][rows]), torch.log_softmax(logits, 1)
            policy, worth = -(target * logs).sum() / target.sum().clamp(min=1), ((values - targets) ** 2).mean()
            self.optimizer.zero_grad()
            (policy + args.value * worth).backward()
            self.optimizer.step()
            entropy = -(logs.exp() * logs).sum(1).mean()
            sums += [float(one.detach()) for one in (policy, worth, entropy)]
            found.append(np.stack([values.detach().numpy(), lessons["results"][rows]]))
        values, results = np.concatenate(found, 1)
        spread = float(results.var())
        explained = 1 - float((results - values).var()) / spread if spread > 0 else math.nan
        means = dict(zip(("policy_loss", "value_loss", "entropy"), (sums / updates).tolist(), strict=True))
        return {**means, "explained": explained, "updates": updates, "inputs": len(self.inputs.columns)}

    def evaluate(self, searches: bool = False) -> dict[str, dict[str, float]]:
        """Play the policy against the ladder, without search, drawing, or with it; return the results of `match`."""
        args, found = self.args, dict[str, dict[str, float]]()
        for opponent in installed(args.ladder):
            quick = decides_in_batches(agents.load_agent(opponent))
            n = args.test_games if searches else args.eval_games if quick else args.eval_slow_games
            made = args.make_games(max(1, n // 2))
            player: Any = PPOAgent(self.policy(), greedy=False, seed=0).act_batch
            if searches:
                player = SearchPlayer(self._searcher([game for game in made for _ in range(2)]))
            found[label(opponent)] = match(made, player, opponent)
        return found

    def measure(self, folder: Path, scores: dict[str, dict[str, float]] | None) -> None:
        """Write ``measured.json``: the scores of the policy without search, if they are not given, and with it."""
        counts = {"decisions": self.decisions, "games": self.games, "cpu_seconds": round(self.cpu_seconds, 1)}
        found = {"policy": scores or self.evaluate()}
        if self.args.test_games:
            found["searched"] = self.evaluate(True)
        runs.write_json(folder / "measured.json", {**counts, **found, **self.facts()})

    # Files

    def lessons(self, folder: Path) -> tuple[Lessons, int]:
        """Return the positions of the window with those of the next round, which is played unless its file is there,
        and the number of the latter. Files of rounds that have left the window are removed.
        """
        path = file_of(folder, self.rounds)
        if not path.is_file():
            played = self.play()
            runs.replace(path, lambda part: write_lessons(part, played))
        total, number = 0, self.rounds
        while number >= 0 and total < self.args.window and (path := file_of(folder, number)).is_file():
            if number not in self._window:
                with np.load(path) as read:
                    self._window[number] = dict(read)
            total += len(self._window[number]["counts"])
            number -= 1
        for old in range(number + 1):
            file_of(folder, old).unlink(missing_ok=True)
        self._window = {key: part for key, part in self._window.items() if key > number}
        parts = [part for _, part in sorted(self._window.items())]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, len(parts[-1]["counts"])

    def save(self, folder: Path) -> None:
        """Write ``checkpoint.pt`` and ``policy.safetensors``; a crash leaves the old ones whole."""
        state = {
            "args": asdict(self.args), "net": self.net.state_dict(), "inputs": self.inputs.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "counters": (self.rounds, self.games, self.decisions, self.seconds, self.cpu_seconds),
        }  # fmt: skip
        runs.replace(folder / "checkpoint.pt", lambda part: torch.save(state, part))
        self.policy(**self.facts()).save(folder / "policy.safetensors")

    @classmethod
    def load(cls, folder: Path, **changes: Any) -> Trainer:
        """Return the run of a folder's ``checkpoint.pt``; load only your own, it holds pickles.

        Raises:
            OptionError: there is no checkpoint, or it cannot be read.
        """
        with runs.reading_checkpoint(folder) as path:
            state = torch.load(path, weights_only=False)
            trainer = cls(Args(**{**state["args"], "init": "", **changes}))
            trainer.args.init = state["args"]["init"]
            for part in ("inputs", "net", "optimizer"):
                getattr(trainer, part).load_state_dict(state[part])
            (
                trainer.rounds, trainer.games, trainer.decisions, trainer.seconds, trainer.cpu_seconds,
            ) = state["counters"]  # fmt: skip
        return trainer

    # The run

    def done(self) -> bool:
        """Return True if the run has used its decisions, its minutes or its processor time."""
        args, limits = self.args, ((self.args.minutes, self.seconds), (self.args.cpu_minutes, self.cpu_seconds))
        return self.decisions >= args.decisions or any(limit and spent >= 60 * limit for limit, spent in limits)

    def run(self, folder: Path, report: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """Play and learn round after round; return the last line of ``progress.jsonl``."""
        args = self.args
        log = Log(folder, asdict(args), self.rounds, args.tensorboard, self.decisions)
        line: dict[str, Any] = log.lines[-1] if log.lines else {}
        begin, begin_cpu = time.perf_counter() - self.seconds, time.process_time() - self.cpu_seconds
        if not self.rounds:
            self.save(folder)
        try:
            while not self.done():
                lessons, fresh = self.lessons(folder)
                self.decisions += fresh
                self.games += args.num_envs
                figures = self.learn(lessons, fresh)
                self.rounds += 1
                new, first = lessons["results"][-fresh:], np.unique(lessons["games"][-fresh:], return_index=True)[1]
                self.seconds, self.cpu_seconds = time.perf_counter() - begin, time.process_time() - begin_cpu
                line = {
                    "round": self.rounds, "decisions": self.decisions, "games": args.num_envs,
                    "length": fresh / args.num_envs, "ties": int((new[first] == 0).sum()), **figures,
                }  # fmt: skip
                if args.eval_every and (self.rounds % args.eval_every == 0 or self.done()):
                    line["ladder"] = self.evaluate()
                    begin_cpu = time.process_time() - self.cpu_seconds
                line["seconds"], line["cpu_seconds"] = round(self.seconds, 3), round(self.cpu_seconds, 3)
                line["decisions_per_second"] = round(self.decisions / self.seconds, 1)
                log.write(line, self.decisions)
                self.save(folder)
                if report is not None:
                    report(line)
        finally:
            log.close()
        self.measure(folder, line.get("ladder"))
        return line


def file_of(folder: Path, number: int) -> Path:
    """Return the file of a round's positions."""
    return folder / f"games-{number:06d}.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hawaii expert-iteration``."""
    runs.add_arguments(parser, Args)


def run_command(arguments: argparse.Namespace) -> None:
    """Run ``hawaii expert-iteration``."""
    args, named, resume = runs.settings(Args, arguments)
    trainer = Trainer.load(Path(args.out), **named) if resume else Trainer(args)
    trainer.run(Path(args.out), None if trainer.args.quiet else ppo.printer(trainer.args.decisions))
