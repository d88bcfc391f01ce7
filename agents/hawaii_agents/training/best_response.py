"""A lower bound on a policy's exploitability: train a new learner against the frozen policy, and measure it on new
games.

    hawaii best-response --target hawaii1795 --minutes 30 --out runs/response

The best possible answer to a policy scores at least as much as a trained one. So with S the learner's score (a tie is
half a win, sides swapped), the policy loses at least S - 1/2 per game. The learner is that of `ppo_selfplay.py`: every
environment is a game against the policy, half of them on each side, and only the learner's decisions are learned from.
``--opponent champion:sims=32 --num-envs 16`` trains against any agent, including searches; the learner's decisions then
take as long as its opponent's.

The best learner of the training is measured on new games, so that its selection does not bias the score.

A run's folder: as of `ppo_selfplay.py`, and ``response.json``: the result, and the scores by decisions on the way.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hawaii_agents import weights as shipped
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents
from hawaii_env.errors import OptionError
from hawaii_env.texts import count

from . import ppo_selfplay as ppo
from . import runs
from .evaluation import label, match


@dataclass
class Response:
    """The settings of a run. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/response"  # folder of the run
    target: str = ""  # weights of the policy to answer: a shipped name, or a file; empty: the game's shipped ones
    opponent: str = ""  # agent string of any agent to answer instead of the policy, as champion:sims=32
    greedy: bool = False  # the policy takes its likeliest action; else it draws
    temperature: float = 1.0  # of its draws, unless greedy
    init: str = ""  # weights that the learner starts from; empty: random ones
    precision: str = "auto"  # of the learner's layers, see `ppo_selfplay.py`
    scenario: str = ""  # scenario of the games, or several with commas between; empty: the game's first
    game: str = "hawaii1795"  # name of the game: two players, zero-sum
    seed: int = 1  # of everything
    decisions: int = 10_000_000  # the learner's decisions to learn from
    minutes: float = 0.0  # stop after so many minutes, too; 0: no such limit
    num_envs: int = 256  # games at once
    steps: int = 128  # decisions, of both sides, an environment in one rollout
    epochs: int = 3  # passes over a rollout
    minibatch: int = 1024
    lr: float = 1e-3  # Adam's, at the beginning; it falls to 0 over the decisions
    lam: float = 0.99  # GAE's lambda
    entropy: float = 0.01  # weight of the entropy
    hidden: int = 128  # width of the layers
    eval_every: int = 20  # rollouts between two evaluations
    eval_games: int = 400  # games of one
    test_games: int = 1000  # games of the final measurement
    checkpoint_every: int = 20  # rollouts between two checkpoints
    torch_threads: int = 1
    quiet: bool = False  # print nothing

    def answered_weights(self) -> str:
        """Return the weights of the policy to answer: `target`, or the file of the game's shipped ones."""
        return self.target or shipped.find(ppo.Args(game=self.game, scenario=self.scenario).games_for(1)[0]).origin

    def answered(self) -> str:
        """Return the agent string of the agent to answer."""
        greedy = str(self.greedy).lower()
        settings = f"greedy={greedy},temperature={self.temperature:g}"
        return self.opponent or f"ppo:weights={self.answered_weights()},{settings}"

    def training(self) -> ppo.Args:
        """Return the settings of the trainer: the agent to answer in all environments, and as the ladder."""
        own, agent = {k: v for k, v in asdict(self).items() if k in asdict(ppo.Args())}, self.answered()
        return ppo.Args(
            **own, scripted=agent, scripted_envs=self.num_envs, ladder=agent, eval_slow_games=self.eval_games
        )

    def curve(self, lines: Sequence[dict[str, Any]]) -> list[dict[str, float]]:
        """Return the scores on the way, from the lines of ``progress.jsonl``: decisions, score, 95% interval."""
        found: list[dict[str, float]] = []
        name = label(self.answered())
        for line in lines:
            if "ladder" in line:
                one = line["ladder"][name]
                low, high = interval(one)
                score = {"score": one["score"], "low": low, "high": high, "games": one["games"]}
                found.append({"decisions": line["decisions"], **score})
        return found


def interval(found: dict[str, float], least: float = -1.0, shift: float = 0.0) -> list[float]:
    """Return the 95% interval of a score, less `shift`; `least` bounds it below."""
    return [max(least, found["score"] + sign * 1.96 * found["error"] - shift) for sign in (-1, 1)]


def measure(response: Response, trainer: ppo.Trainer) -> dict[str, Any]:
    """Play the best learner so far against the policy, on new games, and return the result.

    ``score`` and its 95% ``interval`` are the learner's; ``exploitability`` is the lower bound, score - 1/2 or 0, with
    an interval of its own.
    """
    policy = trainer.best[1] if trainer.best is not None else trainer.policy()
    games = trainer.args.games_for(max(2, response.test_games // 2))
    drawing, greedy = (
        match(games, agent.act_batch, response.answered(), seed=2 * 10**9 + response.seed)
        for agent in (PPOAgent(policy, greedy=False, seed=response.seed + 1), PPOAgent(policy))
    )
    # The score is that of draws, as in the training; the better of the two by these games would be flattered.
    weights = "" if response.opponent else response.answered_weights()
    target = shipped.load(weights).meta if weights else {}
    return {
        "target": response.opponent or Path(weights).stem,
        "target_decisions": target.get("decisions"),
        "target_greedy": response.greedy,
        "target_temperature": response.temperature,
        "learner_decisions": policy.meta["decisions"],
        "budget_decisions": trainer.decisions,
        "seconds": round(trainer.seconds, 1),
        **drawing,
        "interval": interval(drawing),
        "exploitability": max(0.0, drawing["score"] - 0.5),
        "exploitability_interval": interval(drawing, 0.0, 0.5),
        "learner_greedy": greedy,
        "curve": response.curve(runs.whole_lines(Path(response.out) / "progress.jsonl")),
        **runs.provenance("hawaii best-response", asdict(response), asdict(Response())),
    }


def run(response: Response, resume: bool = False, named: dict[str, Any] | None = None) -> dict[str, Any]:
    """Train or resume, measure, and return the result, which is also written to ``response.json``.

    Args:
        response: the settings.
        resume: continue from the checkpoint in the folder.
        named: settings that change on resuming, such as ``decisions`` and ``minutes``.

    Raises:
        OptionError: a value that is not allowed, no such weights, or no checkpoint.
    """
    folder, changes = Path(response.out), named or {}
    config = folder / "response-config.json"
    if resume:
        if not config.is_file():
            raise OptionError(f"there is no run of this script in {folder}")
        response = Response(**{**runs.read_json(config), **changes})
        trainer = ppo.Trainer.load(folder, **{key: v for key, v in changes.items() if key in asdict(ppo.Args())})
    else:
        runs.check_trainable(response, ["opponent"], [] if response.opponent else ["target"])
        # Weights that do not fit are refused here, with their reason.
        agents.begin(agents.load_agent(response.answered()), response.training().games_for(1)[0], 0)
        trainer = ppo.Trainer(response.training())
    runs.write_json(config, asdict(response))
    trainer.run(folder, None if response.quiet else ppo.printer(trainer.args.decisions))
    result = measure(response, trainer)
    runs.write_json(folder / "response.json", result)
    return result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hawaii best-response``."""
    runs.add_arguments(parser, Response)


def run_command(arguments: argparse.Namespace) -> None:
    """Run ``hawaii best-response``."""
    response, named, resume = runs.settings(Response, arguments)
    result = run(response, resume, named)
    (low, high), sides = result["interval"], f"{result['score_first']:.3f} / {result['score_second']:.3f}"
    if not response.quiet:
        least, most = result["exploitability_interval"]
        print(
            f"after {count(result['budget_decisions'], 'decision')} the learner scores {result['score']:.3f} "
            f"({low:.3f} to {high:.3f}, {count(result['games'], 'game')}; as {sides}) "
            f"against {result['target']}: exploitable by at least {least:.3f} a game, a lower bound (measured "
            f"{result['exploitability']:.3f}, 95% interval {least:.3f} to {most:.3f})"
        )
