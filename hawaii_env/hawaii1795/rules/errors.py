"""Errors inside the rules that compiled code can raise, made from numbers alone.

Each is a mistake in the rules, in a ruleset or of a caller, never of a player: players are offered what is legal.
"""

from __future__ import annotations

from hawaii_env.errors import StateError

from .names import AUTOMATIC_PHASES, MAX_LEGAL, MAX_STEPS, PHASES


def phase_name(phase: int) -> str:
    """Return the name of any phase, also of one that runs by itself."""
    names = PHASES + AUTOMATIC_PHASES
    return names[phase] if 0 <= phase < len(names) else f"number {phase}"


class EndlessPhaseError(StateError):
    """[7.2] The flow chart goes round and nobody gets a choice. Its argument is the phase that it was in."""

    def __str__(self) -> str:
        """Return the phase by its name, and how long it was waited for."""
        return (
            f"phase {phase_name(self.args[0])} [7.2]: nobody has had a choice for {MAX_STEPS} steps. A phase offers an "
            "action, passes on, or comes to an end; does the ruleset have a battle that no die can end?"
        )


class TooManyActionsError(StateError):
    """[7.2] A position has more legal actions than a state has room for."""

    def __str__(self) -> str:
        """Return how many actions there is room for."""
        return f"a position has more than {MAX_LEGAL} legal actions [7.2]: MAX_LEGAL in rules/names.py gives them room"
