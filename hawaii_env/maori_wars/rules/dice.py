"""Dice: one generator for all of them, the other for chits."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase
from hawaii_env.core.rng import below

__all__ = ["DieRoll", "is_face", "roll", "shows"]


@rule
def is_face(rules: Any, state: Any, outcome: int) -> bool:
    """Return True for a face of a die."""
    return outcome >= 1 and outcome <= 6


@rule
def roll(rules: Any, state: Any) -> int:
    """Return the face that a die falls on."""
    return 1 + below(state.generator, 6, 4)


@rule
def shows(faces: int, face: int) -> bool:
    """Return True if a face is one of the faces, which are given as bits."""
    return (faces >> face) & 1 == 1


class DieRoll(Phase):
    """Chance: a die. Phases derived from it say what each face does."""

    is_outcome: Any = staticmethod(is_face)
    sample: Any = staticmethod(roll)
