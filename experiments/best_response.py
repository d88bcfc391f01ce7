"""How exploitable a policy is, from below: a fresh learner is trained against it, frozen, and its score is measured on
new games.

    python experiments/best_response.py --target hawaii1795 --minutes 30 --out runs/response

The best possible answer to a policy scores at least what a trained one scores. So with S its score (a tie is half a
win, sides swapped), the policy gives away at least S - 1/2 a game; no learner at all says that it gives away nothing.
The learner is that of `ppo_selfplay.py`: every lane is a game against the policy, half of them on each side, and the
learner's decisions alone are learned from.

Any agent can be answered, one that searches too: ``--opponent champion:sims=32 --lanes 16``. It decides position by
position, so the learner's decisions cost what its do: few lanes, and patience.

The learner that is measured is the one that scored best during the training. It is measured on games that the training
has not seen, so the choice does not flatter it.

A run's folder: as of `ppo_selfplay.py`, and ``response.json``: the result at the end, and the scores by decisions on
the way there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ppo_selfplay as ppo
from training import runs
from training.ladder import label, match

from hawaii_agents import weights as shipped
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents
from hawaii_env.errors import OptionError


@dataclass
class Response:
    """What a run is told. Every field is an option of the command line and a key of a preset (TOML)."""

    out: str = "runs/response"  # folder of the run
    target: str = "hawaii1795"  # weights of the policy that is answered: a shipped name, or a file
    opponent: str = ""  # spec of any agent that is answered instead of the policy, as champion:sims=32
    greedy: bool = False  # the policy takes its likeliest action; else it draws
    temperature: float = 1.0  # of its draws, unless greedy
    init: str = ""  # weights that the learner starts from; empty: it starts from nothing
    precision: str = "auto"  # of the learner's layers, see `ppo_selfplay.py`
    scenario: str = "long"  # scenario of the games, or several with commas between; empty for games without
    game: str = "hawaii1795"  # name of the game: two players, zero-sum
    seed: int = 1  # of everything
    decisions: int = 10_000_000  # the learner's decisions to learn from
    minutes: float = 0.0  # stop after so many minutes, too; 0: no such limit
    lanes: int = 256  # games at once
    steps: int = 128  # decisions, of both sides, a lane in one rollout
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

    def policy(self) -> PPOAgent:
        """Return the policy that is answered, as an agent."""
        return PPOAgent(
            self.target, greedy=self.greedy, temperature=self.temperature, seed=self.seed, name=Path(self.target).stem
        )

    def spec(self) -> str:
        """Return the spec of who is answered."""
        if self.opponent:
            return self.opponent
        greedy = str(self.greedy).lower()
        return f"ppo:weights={self.target},greedy={greedy},temperature={self.temperature:g}"

    def training(self) -> ppo.Args:
        """Return the settings of the trainer: all lanes against the policy, and the policy as the ladder."""
        own = {field: value for field, value in asdict(self).items() if field in asdict(ppo.Args())}
        return ppo.Args(
            **own, scripted=self.spec(), scripted_lanes=self.lanes, ladder=self.spec(), eval_slow_games=self.eval_games
        )

    def curve(self, lines: Sequence[dict[str, Any]]) -> list[dict[str, float]]:
        """Return the scores on the way, from the lines of ``progress.jsonl``: decisions, score, 95% interval."""
        found = [(line["decisions"], line["ladder"][label(self.spec())]) for line in lines if "ladder" in line]
        return [
            {
                "decisions": decisions, "score": one["score"], "low": one["score"] - 1.96 * one["error"],
                "high": one["score"] + 1.96 * one["error"], "games": one["games"],
            }
            for decisions, one in found
        ]  # fmt: skip


def measure(response: Response, trainer: ppo.Trainer) -> dict[str, Any]:
    """Play the best learner so far against the policy, on games of their own, and return what ``response.json`` holds.

    ``score`` and its 95% ``interval`` are the learner's; ``exploitability`` is the lower bound, score - 1/2 or 0, with
    an interval of its own.
    """
    policy = trainer.best[1] if trainer.best is not None else trainer.policy()
    learner = PPOAgent(policy, greedy=False, seed=response.seed + 1)
    games = trainer.args.games_for(max(2, response.test_games // 2))
    sampled, greedy = (
        match(games, agent.act_batch, response.opponent or response.policy(), seed=2 * 10**9 + response.seed)
        for agent in (learner, PPOAgent(policy))
    )
    # The score told is that of draws, as in the training; choosing the better of the two by these games would flatter
    # it.
    low, high = (sampled["score"] + sign * 1.96 * sampled["error"] for sign in (-1, 1))
    target = {} if response.opponent else shipped.load(response.target).meta
    return {
        "target": response.opponent or Path(response.target).stem,
        "target_decisions": target.get("decisions"),
        "target_greedy": response.greedy,
        "target_temperature": response.temperature,
        "learner_decisions": policy.meta["decisions"],
        "budget_decisions": trainer.decisions,
        "seconds": round(trainer.seconds, 1),
        **sampled,
        "interval": [low, high],
        "exploitability": max(0.0, sampled["score"] - 0.5),
        "exploitability_interval": [max(0.0, low - 0.5), max(0.0, high - 0.5)],
        "learner_greedy": greedy,
        "curve": response.curve(runs.whole_lines(Path(response.out) / "progress.jsonl")),
        **runs.provenance("best_response.py", asdict(response), asdict(Response())),
    }


def run(response: Response, resume: bool = False, named: dict[str, Any] | None = None) -> dict[str, Any]:
    """Train, or go on with it, measure, and return the result; it lies in ``response.json``, too.

    Args:
        response: what the run is told.
        resume: go on from the checkpoint in the folder.
        named: settings that change on resuming, as ``decisions`` and ``minutes``.

    Raises:
        OptionError: a value that is none, no such weights, or no checkpoint.
    """
    folder = Path(response.out)
    told = folder / "response-config.json"
    if resume:
        if not told.is_file():
            raise OptionError(f"there is no run of this script in {folder}")
        response = Response(**{**json.loads(told.read_text(encoding="utf-8")), **(named or {})})
        fields = asdict(ppo.Args())
        trainer = ppo.Trainer.load(folder, **{key: value for key, value in (named or {}).items() if key in fields})
    else:
        # A clear word where the weights do not fit.
        agents.begin(agents.load_agent(response.spec()), response.training().games_for(1)[0], 0)
        trainer = ppo.Trainer(response.training())
    folder.mkdir(parents=True, exist_ok=True)
    runs.write_json(told, asdict(response))
    trainer.run(folder, None if response.quiet else ppo.narrate(trainer.args.decisions))
    result = measure(response, trainer)
    runs.write_json(folder / "response.json", result)
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Do as the command line says; return the exit status."""

    def work() -> None:
        response, named, resume = runs.parse(Response, arguments, "Train a fresh learner against a frozen policy.")
        result = run(response, resume, named)
        if response.quiet:
            return
        low, high = result["interval"]
        print(
            f"after {result['budget_decisions']:,} decisions the learner scores {result['score']:.3f} ({low:.3f} to "
            f"{high:.3f}, {result['games']} games; as {result['score_first']:.3f} / {result['score_second']:.3f}) "
            f"against {result['target']}: exploitable by {result['exploitability']:.3f} or more"
        )

    return runs.finish(work, runs.STOPPED)


if __name__ == "__main__":
    sys.exit(main())
