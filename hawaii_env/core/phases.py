"""Phases of a game as a table: the legal actions of each, the effect of an action, and the next phase.

A phase is a class whose functions are rules. A decision phase has `legal` and `apply`; a chance phase has `is_outcome`,
`sample` and `apply`; a phase without a decision has `run`, which also sets the next phase. Rules may come from other
modules, as in ``legal, apply = list_marches, march``, from `list_places`, or from another phase by inheritance. A rule
instead of a class is a phase that runs it:

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
from collections.abc import Callable
from inspect import getattr_static
from types import FunctionType
from typing import Any

from hawaii_env.core.jit import rule

__all__ = ["Phase", "PhaseTable", "list_places"]

DECISION = ("legal", "apply")
CHANCE = ("is_outcome", "sample", "apply")
KINDS = (*DECISION, *CHANCE, "run")


def _rules_of(phase: Any) -> dict[str, Any]:
    """Return the rules of a phase by name."""
    given = {kind: getattr_static(phase, kind, None) for kind in KINDS} if isinstance(phase, type) else {"run": phase}
    return {kind: getattr(function, "__func__", function) for kind, function in given.items() if function is not None}


def list_places(can: Any, block: str, first: int) -> Any:
    """Return a rule for `legal` that lists an action that is always legal, and the action of each hex that passes a
    test.

    Args:
        can: rule that tests a hex, ``can(rules, state, hex)``.
        block: field of the tables with the action for hex 0.
        first: action that is always legal.
    """
    name = f"list_{can.__name__}"
    lines = f"""def {name}(rules, state):
        state.legal[0] = first
        n = 1
        for place in range(state.hexes):
            if can(rules, state, place):
                state.legal[n] = rules.{block} + place
                n += 1
        return n"""
    names: dict[str, Any] = {"__name__": can.__module__, "can": can, "first": first}
    exec(compile(lines, f"<places of {can.__module__}>", "exec"), names)
    return staticmethod(rule(names[name]))


class Phase:
    """A phase; subclasses define its rules as static methods. A phase without rules is the end of the game.

    Attributes:
        section: section of the rulebook, for messages, such as ``"P1, R-03"``.
    """

    section: str = ""

    def __init_subclass__(cls) -> None:
        doc = cls.__doc__ or ""
        found = re.match(r"\[([^\]]+)\]", doc)
        cls.section = found[1] if found else ""
        for kind, function in _rules_of(cls).items():
            if isinstance(vars(cls).get(kind), staticmethod):
                rule(function)


class PhaseTable:
    """The phases of a game, by their numbers.

    Args:
        phases: phases in the order of their numbers in `state.phase`.
        finish: None if `legal` returns the number of actions that it has written; otherwise `legal` counts them in
            `state.n_legal`, and this rule of the state is called after it.

    Attributes:
        names: names of the phases, for example ``"prologue_action"``.
        sections: sections of the rulebook for the phases.
        hooks: generated rules by name.
    """

    def __init__(self, *phases: type[Phase] | Callable[..., None], finish: Any = None) -> None:
        self.phases: tuple[Any, ...] = phases
        self.names: tuple[str, ...] = tuple(re.sub(r"(?<=.)([A-Z])", r"_\1", p.__name__).lower() for p in phases)
        self.sections: dict[str, str] = {
            name: getattr(phase, "section", "") for name, phase in zip(self.names, phases, strict=True)
        }
        self._rules = [_rules_of(phase) for phase in phases]
        self.chance: tuple[int, ...] = tuple(i for i, rules in enumerate(self._rules) if "sample" in rules)
        listed = "state.n_legal = legal_{0}(rules, state); return"
        otherwise = "state.n_legal = 0"
        if finish is not None:
            listed, otherwise = "state.n_legal = 0; legal_{0}(rules, state); finish(state); return", ""
        self.hooks: dict[str, Any] = {
            "is_chance": self._make("is_chance", "rules, state", "sample", "return True", "return False"),
            "list_legal": self._make("list_legal", "rules, state", "legal", listed, otherwise, finish),
            "apply_action": self._make(
                "apply_action", "rules, state, action", "legal", "apply_{0}(rules, state, action); return"
            ),
            "is_outcome": self._make(
                "is_outcome", "rules, state, outcome", "sample", "return is_outcome_{0}(rules, state, outcome)",
                "return False",
            ),
            "sample_chance": self._make(
                "sample_chance", "rules, state", "sample", "return sample_{0}(rules, state)", "return 0"
            ),
            "apply_chance": self._make(
                "apply_chance", "rules, state, outcome", "sample", "apply_{0}(rules, state, outcome); return"
            ),
            "run_phase": self._make(
                "run_phase", "rules, state", "run", "run_{0}(rules, state); return True", "return False"
            ),
        }  # fmt: skip

    def _make(self, name: str, arguments: str, kind: str, does: str, otherwise: str = "", finish: Any = None) -> Any:
        """Return a rule that calls each phase's rule of this kind, with a default for phases that have none."""
        names: dict[str, Any] = {"__name__": self.phases[0].__module__, "finish": finish}
        lines = [f"def {name}({arguments}):", "    phase = state.phase"]
        for number, rules in enumerate(self._rules):
            if kind in rules:
                names |= {f"{one}_{number}": function for one, function in rules.items()}
                lines += [f"    if phase == {number}:", f"        {does.format(number)}"]
        lines += [f"    {otherwise}"]
        exec(compile("\n".join(lines), f"<phases of {self.phases[0].__module__}>", "exec"), names)
        function = names[name]
        assert isinstance(function, FunctionType)
        return rule(function)
