"""Environments begun, and opponents that note what they are given and told."""

from __future__ import annotations

from typing import Any, ClassVar

from hawaii_env.agents import BaseAgent, PolicyAgent


def interpret(monkeypatch: Any) -> None:
    """Run games and agents interpreted: for what is no different compiled, and compiles longer than it runs."""
    from hawaii_env.core import game, jit

    monkeypatch.setattr(jit.EntryPoints, "compile_now", lambda points, examples: points.interpreted)
    monkeypatch.setattr(jit.EntryPoints, "use_compiled", lambda *_: False)
    monkeypatch.setattr(game.CompiledRules, "backend_for_jobs", lambda self, rules=True: self.interpreted)


def begun(env: Any, seed: Any = 1, **arguments: Any) -> Any:
    """Return an environment or a batch after its first reset."""
    env.reset(seed=seed, **arguments)
    return env


class Watcher(PolicyAgent):
    """Plays the first legal action, and keeps the observations that it is given."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def act_batch(self, observations: Any, masks: Any) -> Any:
        self.seen.append(observations.copy())
        return masks.argmax(axis=1)


class Diarist(BaseAgent):
    """Notes what it is told, in order."""

    made: ClassVar[list[Diarist]]

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed
        self.diary: list[Any] = []
        self.made.append(self)

    def begin(self, game: Any, player: int) -> None:
        super().begin(game, player)
        self.diary.append("begin")

    def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
        assert self.diary and self.diary[-1] in ("begin", "act")
        if self.diary[-1] == "begin":
            self.diary.append("act")
        return legal_actions[0]

    def finish(self, state: Any) -> None:
        self.diary.append(state.is_terminal)

    def close(self) -> None:
        self.diary.append("closed")
