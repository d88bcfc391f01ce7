"""Phases of a game as a table: what may be chosen in each, what a choice does, and what follows.

A phase is a class whose functions are rules. A decision phase has `legal` and `apply`; a chance phase has `is_outcome`,
`sample` and `apply`; a phase that asks nobody has `run`, which does it and sets what follows:

```python
class Settle(Phase):
    \"\"\"[P1] A player settles on an island that nobody has settled on.\"\"\"

    @staticmethod
    def legal(rules, state):
        n = 0
        for island in range(5):
            if not is_settled(rules, state, island):
                state.legal[n] = SETTLE_ON + island
                n += 1
        return n

    @staticmethod
    def apply(rules, state, action):
        ...


TABLE = PhaseTable(Settle, ...)       # in the order of the phases' numbers
```

`PhaseTable.hooks` generates from it the rules that a compiled game needs: `list_legal`, `apply_action`, `is_chance`,
`is_outcome`, `sample_chance` and `apply_chance`; and, for the game's `advance`, `run_phase(rules, state)`, which
returns False in a phase that is a decision, chance or the end.
"""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any

from hawaii_env.core.jit import rule

__all__ = ["Phase", "PhaseTable"]

DECISION = ("legal", "apply")
CHANCE = ("is_outcome", "sample", "apply")
KINDS = (*DECISION, *CHANCE, "run")


class Phase:
    """A phase; subclasses give its rules as static methods. A phase without any is the end of the game.

    Attributes:
        section: the section of the rulebook, for messages, as ``"P1"``.
    """

    section: str = ""

    def __init_subclass__(cls) -> None:
        doc = cls.__doc__ or ""
        found = re.match(r"\[([^\]]+)\]", doc)
        cls.section = found[1].split(",")[0] if found else ""
        for name in KINDS:
            function = vars(cls).get(name)
            if function is not None:
                rule(function.__func__)


class PhaseTable:
    """The phases of a game, by their numbers.

    Args:
        phases: in the order of the numbers that `state.phase` holds.

    Attributes:
        names: a name each, as ``"prologue_action"``.
        sections: the section of the rulebook, each.
        hooks: the generated rules by name.
    """

    def __init__(self, *phases: type[Phase]) -> None:
        self.phases: tuple[type[Phase], ...] = phases
        self.names: tuple[str, ...] = tuple(re.sub(r"(?<=.)([A-Z])", r"_\1", p.__name__).lower() for p in phases)
        self.sections: dict[str, str] = {n: p.section for n, p in zip(self.names, phases, strict=True)}
        self.chance: tuple[int, ...] = tuple(i for i, p in enumerate(phases) if "sample" in vars(p))
        decisions = tuple(i for i, p in enumerate(phases) if "legal" in vars(p))
        automatic = tuple(i for i, p in enumerate(phases) if "run" in vars(p))
        self.hooks: dict[str, Any] = {
            "is_chance": self._make("is_chance", "rules, state", self.chance, lambda i: "True", "False"),
            "list_legal": self._make(
                "list_legal", "rules, state", decisions, lambda i: f"legal_{i}(rules, state)", "0",
                before="state.n_legal = ",
            ),
            "apply_action": self._make(
                "apply_action", "rules, state, action", decisions, lambda i: f"apply_{i}(rules, state, action)", ""
            ),
            "is_outcome": self._make(
                "is_outcome", "rules, state, outcome", self.chance,
                lambda i: f"is_outcome_{i}(rules, state, outcome)", "False",
            ),
            "sample_chance": self._make(
                "sample_chance", "rules, state", self.chance, lambda i: f"sample_{i}(rules, state)", "0"
            ),
            "apply_chance": self._make(
                "apply_chance", "rules, state, outcome", self.chance, lambda i: f"apply_{i}(rules, state, outcome)", ""
            ),
            "run_phase": self._make(
                "run_phase", "rules, state", automatic, lambda i: f"run_{i}(rules, state)", "False", result="True"
            ),
        }  # fmt: skip

    def _make(
        self, name: str, arguments: str, numbers: tuple[int, ...], call: Any, otherwise: str, before: str = "",
        result: str = "",
    ) -> Any:  # fmt: skip
        """Return a rule that does for each phase what is its own."""
        names: dict[str, Any] = {"__name__": self.phases[0].__module__}
        lines = [f"def {name}({arguments}):", "    phase = state.phase"]
        for number in numbers:
            for kind in KINDS:
                function = vars(self.phases[number]).get(kind)
                if function is not None:
                    names[f"{kind}_{number}"] = function.__func__
            lines += [f"    if phase == {number}:"]
            if before:
                lines += [f"        {before}{call(number)}", "        return"]
            elif otherwise and not result:
                lines += [f"        return {call(number)}"]
            else:
                lines += [f"        {call(number)}", f"        return {result}".rstrip()]
        if otherwise:
            lines += [f"    {before or 'return '}{otherwise}"]
        exec(compile("\n".join(lines), f"<phases of {self.phases[0].__module__}>", "exec"), names)
        function = names[name]
        assert isinstance(function, FunctionType)
        return rule(function)
