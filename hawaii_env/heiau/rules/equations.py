"""The equations of a movement phase: what each unit's order depends on, and what is known of the answers."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import Field, Layout

__all__ = [
    "EQUATIONS", "GIVEN", "MOVES", "NO", "NONE", "N_QUESTIONS", "OPEN", "OUT", "PATH", "YES", "answer_to",
    "empty_equations", "keep_open", "new_equations", "question_of", "set_answer", "view_equations",
]  # fmt: skip

GIVEN, MOVES, OUT, PATH = range(4)
"""Questions about a unit: its support is given, its move succeeds, it is dislodged, its move has a path."""
N_QUESTIONS = 4
NO, YES, OPEN = 0, 1, -1

NONE = -1

EQUATIONS = Layout(
    "heiau_equations",
    Field("spaces"),
    Field("n_units"),
    Field("n_open"),
    # by space, of the unit there; spaces, or -1
    Field("goal", "spaces"),  # where it moves to
    Field("opponent", "spaces"),  # of head-to-head moves, both by plain moves, the other's
    Field("into", "spaces"),  # who moves into the space ...
    Field("next_into", "spaces"),  # ... and who else, in table order
    Field("helpers", "spaces"),  # who supports the unit, if the support fits ...
    Field("next_helper", "spaces"),
    Field("carriers", "spaces"),  # the fleets ordered to convoy just what it is ordered ...
    Field("next_carrier", "spaces"),
    Field("answer", "spaces", N_QUESTIONS),
    Field("leaving", "spaces"),  # the kind of a unit that leaves
    Field("units", "spaces"),  # spaces of the units, in table order
    Field("open", None),  # questions that are open, as `question_of` numbers them
)
"""The equations of a movement phase."""

view_equations = EQUATIONS.view


def empty_equations(spaces: int) -> list[int]:
    """Return the integers of the equations of no unit, for the tables."""
    record = EQUATIONS.new(spaces=spaces, open=N_QUESTIONS * spaces)
    for name in EQUATIONS.fields:
        if name not in ("spaces", "n_units", "n_open"):
            value = getattr(record, name)
            setattr(record, name, [[NONE] * N_QUESTIONS for _ in value] if name == "answer" else [NONE] * len(value))
    return EQUATIONS.words(record)


def _compiled_new_equations(rules: Any) -> Any:
    return rules.equations.copy()


@rule(compiled=_compiled_new_equations)
def new_equations(rules: Any) -> Any:
    """Return what holds the equations of a movement phase, of no unit yet; `view_equations` gives the record, which
    lives until `release`.
    """
    return EQUATIONS.read(rules.equations)


@rule
def question_of(space: int, question: int) -> int:
    """Return the number of a question about the unit of a space."""
    return N_QUESTIONS * space + question


@rule
def answer_to(phase: Any, key: int) -> int:
    """Return the answer to a question, by its number."""
    return phase.answer[key >> 2][key & 3]


@rule
def set_answer(phase: Any, key: int, value: int) -> None:
    """Note the answer to a question, by its number."""
    phase.answer[key >> 2][key & 3] = value


@rule
def keep_open(phase: Any, n: int, space: int, question: int) -> int:
    """Append an open question; return the new number of them."""
    phase.answer[space][question] = OPEN
    phase.open[n] = question_of(space, question)
    return n + 1
