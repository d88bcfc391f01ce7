"""Action tables: families of a verb with axes such as a unit, a place or a mark.

A game declares its families in the order of its table; offsets, encoding, decoding, texts, the documented table and its
digest follow:

>>> codec = Codec(done=Family("done"), march=Family("march", ("pike", "chief"), ("kona", "hilo")))
>>> codec.size, codec.text(4), codec.action("march", 1, 1), codec.decode(4)
(5, 'march chief hilo', 4, ('march', (1, 1)))

Compiled rules know a family by its `block`, a tuple of ints, and go through `action1`, `action2`, `action3` and back
through `index1`, `indices2`, `indices3`; `is_from` tells families apart.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from hawaii_env._arguments import check_choice
from hawaii_env.core.jit import rule
from hawaii_env.errors import IllegalActionError, OptionError
from hawaii_env.game import ActionFactors, check_action

__all__ = ["Block", "Codec", "Family", "action1", "action2", "action3", "index1", "indices2", "indices3", "is_from"]

Block: TypeAlias = tuple[int, ...]
"""The place of a family in the table: its first action, then the length of each axis."""


class Family:
    """A verb with one value of each axis, the last axis running fastest.

    Args:
        verb: the first word of its texts.
        axes: the words of each axis, in the order of their indices.
        text: returns the text from the indices, unless it is the verb and the words separated by spaces.
        when: condition under which it is legal, for the documented table.
        factors: the factors of each axis: the name of a factor whose word is the axis's own, or a function from the
            axis's word to words by factor; see `Codec.factors`.
    """

    def __init__(
        self,
        verb: str,
        *axes: Sequence[str],
        text: Callable[..., str] | None = None,
        when: str = "",
        factors: Sequence[str | Callable[[str], Mapping[str, str]]] = (),
    ) -> None:
        self.verb = verb
        self.factors: tuple[str | Callable[[str], Mapping[str, str]], ...] = tuple(factors)
        self.axes: tuple[tuple[str, ...], ...] = tuple(tuple(axis) for axis in axes)
        self.when = when
        self._text = text

    @property
    def size(self) -> int:
        """The number of its actions."""
        return math.prod(len(axis) for axis in self.axes)

    def words(self, indices: Sequence[int]) -> str:
        """Return the text of the action with these indices."""
        if self._text is not None:
            return self._text(*indices)
        return " ".join((self.verb, *(axis[i] for axis, i in zip(self.axes, indices, strict=True))))


class Codec:
    """An action table made of families, in the given order.

    Args:
        families: the families by name.

    Attributes:
        families: the families by name.
        size: the number of actions.

    Raises:
        OptionError: a family without actions, or two actions with the same text.
    """

    def __init__(self, **families: Family) -> None:
        self.families: dict[str, Family] = families
        self._first: dict[str, int] = {}
        at = 0
        for name, family in families.items():
            if not family.size:
                raise OptionError(f"the family {name!r} has an empty axis")
            self._first[name] = at
            at += family.size
        self.size: int = at
        if len(set(self.texts)) != at:
            twice = next(text for text in self.texts if self.texts.count(text) > 1)
            raise OptionError(f"two actions have the text {twice!r}")

    def block(self, name: str) -> Block:
        """Return a family's first action, then the length of each axis. For compiled rules."""
        return (
            self._first[check_choice("family", name, tuple(self.families))],
            *(len(axis) for axis in self.families[name].axes),
        )

    def action(self, name: str, *indices: int) -> int:
        """Return the action of a family's indices.

        Raises:
            IllegalActionError: an index outside its axis, or a wrong number of indices.
        """
        shape = [len(axis) for axis in self.families[check_choice("family", name, tuple(self.families))].axes]
        if len(indices) != len(shape) or any(not 0 <= i < n for i, n in zip(indices, shape, strict=True)):
            raise IllegalActionError(f"{name}: expected indices below {shape}, not {list(indices)}")
        at = 0
        for i, n in zip(indices, shape, strict=True):
            at = at * n + i
        return self._first[name] + at

    def family_of(self, action: int) -> str:
        """Return the name of the family that an action belongs to. Raises IllegalActionError outside the table."""
        action = check_action(action, self.size)
        return next(name for name in reversed(self._first) if self._first[name] <= action)

    def decode(self, action: int) -> tuple[str, tuple[int, ...]]:
        """Return an action's family and indices. Raises IllegalActionError outside the table."""
        name = self.family_of(action)
        at, indices = action - self._first[name], []
        for axis in reversed(self.families[name].axes):
            at, i = divmod(at, len(axis))
            indices.append(i)
        return name, tuple(reversed(indices))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of every action, in the order of the table."""
        return tuple(
            family.words(indices)
            for family in self.families.values()
            for indices in itertools.product(*(range(len(axis)) for axis in family.axes))
        )

    def text(self, action: int) -> str:
        """Return an action's text. Raises IllegalActionError outside the table."""
        self.family_of(action)
        return self.texts[action]

    @cached_property
    def hash(self) -> str:
        """Hex SHA-256 of the texts in their order."""
        return hashlib.sha256("\n".join(self.texts).encode()).hexdigest()

    def factors(self, **words: Sequence[str]) -> ActionFactors:
        """Return the parts of each action: its verb, then the factors of its family's axes.

        Args:
            words: the words of each factor; an action without the factor has index 0, the empty word.

        Raises:
            OptionError: an axis without a factor, a word that its factor does not have, or two equal actions.
        """
        verbs = tuple(dict.fromkeys(family.verb for family in self.families.values()))
        known = {"verb": verbs, **{name: ("", *listed) for name, listed in words.items()}}
        indices = np.zeros((self.size, len(known)), np.int64)
        for action in range(self.size):
            name, at = self.decode(action)
            family = self.families[name]
            if len(family.factors) != len(family.axes):
                raise OptionError(f"the family {name!r} has {len(family.axes)} axes and {len(family.factors)} factors")
            given = {"verb": family.verb}
            for axis, i, factor in zip(family.axes, at, family.factors, strict=True):
                given.update({factor: axis[i]} if isinstance(factor, str) else factor(axis[i]))
            for column, (factor, listed) in enumerate(known.items()):
                word = given.pop(factor, "")
                if word not in listed:
                    raise OptionError(f"the family {name!r}: the factor {factor!r} has no word {word!r}")
                indices[action, column] = listed.index(word)
            if given:
                raise OptionError(f"the family {name!r}: there is no factor {min(given)!r}")
        if len(np.unique(indices, axis=0)) != self.size:
            raise OptionError("two actions have the same factors")
        indices.flags.writeable = False
        return ActionFactors(tuple(known), tuple(known.values()), indices)

    def rows(self) -> Iterator[tuple[int, int, Family, str, str]]:
        """Yield first and last action, the family, and the texts of both, for the documented table."""
        for name, family in self.families.items():
            first = self._first[name]
            last = first + family.size - 1
            yield first, last, family, self.texts[first], self.texts[last]


@rule
def action1(block: Any, i: Any) -> Any:
    """Return the action of a family of one axis."""
    return block[0] + i


@rule
def action2(block: Any, i: Any, j: Any) -> Any:
    """Return the action of a family of two axes."""
    return block[0] + i * block[2] + j


@rule
def action3(block: Any, i: Any, j: Any, k: Any) -> Any:
    """Return the action of a family of three axes."""
    return block[0] + (i * block[2] + j) * block[3] + k


@rule
def index1(block: Any, action: Any) -> Any:
    """Return the index of an action of a family of one axis."""
    return action - block[0]


@rule
def indices2(block: Any, action: Any) -> Any:
    """Return the indices of an action of a family of two axes."""
    at = action - block[0]
    return at // block[2], at % block[2]


@rule
def indices3(block: Any, action: Any) -> Any:
    """Return the indices of an action of a family of three axes."""
    at = action - block[0]
    return at // (block[2] * block[3]), at // block[3] % block[2], at % block[3]


@rule
def is_from(block: Any, action: Any) -> Any:
    """Return True if an action belongs to this family or a later one of the table."""
    return action >= block[0]
