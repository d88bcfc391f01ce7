"""What the toy games share: chance by a generator of Python's, copies, the trace."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

from hawaii_env._arguments import check_flag
from hawaii_env.errors import IllegalActionError, StateError
from hawaii_env.game import CHANCE, Chance, ChanceMode, Decision, Game, State, check_seed, check_start


def digest(text: str) -> str:
    """Return a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()


class BaseGame(Game):
    """A game in plain Python.

    Attributes:
        state: the class of its positions.
    """

    state: Callable[..., Any]

    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> Any:
        seed, trace = check_start(chance, seed), check_flag("trace", trace)
        state = self.state(self, random.Random(seed) if chance == "sampled" else None)
        state.trace = [] if trace else None
        state.advance()
        return state

    def state_from_json(self, text: str) -> Any:
        try:
            data = json.loads(text)
            if data.pop("ruleset") != self.ruleset_hash:
                raise StateError("the position is one of another ruleset")
            generator, queue = data.pop("generator", None), data.pop("queue", None)
            state = self.position(**data)
            if queue is not None:
                state.queue, state._legal = list(queue), None
            if generator is not None:
                state.generator = random.Random()
                state.generator.setstate((generator[0], tuple(generator[1]), generator[2]))
            return state
        except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
            if isinstance(error, StateError):
                raise
            raise StateError(f"not a position of {self.name}: {error}") from error

    def position(self, /, **kw: Any) -> Any:
        raise NotImplementedError


class BaseView:
    """A position as a player knows it; a subclass is a frozen dataclass."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, with lists for tuples."""
        return json.loads(json.dumps(vars(self)))


class BaseState(State):
    """A position in plain Python: a sampled one has a generator, and `advance` goes on while nobody has a choice.

    Attributes:
        mutable: the fields that a copy has for itself, lists of numbers or of lists of numbers.
    """

    mutable: tuple[str, ...] = ()
    _phase: str

    def __init__(self, game: Any, generator: random.Random | None) -> None:
        self._game, self.generator = game, generator
        self.trace = None

    @property
    def game(self) -> Any:
        return self._game

    @property
    def chance(self) -> ChanceMode:
        return "explicit" if self.generator is None else "sampled"

    @property
    def phase(self) -> str:
        return self._phase

    @property
    def is_terminal(self) -> bool:
        return self._phase == "over"

    def advance(self) -> None:
        raise NotImplementedError

    def note(self, event: Decision | Chance) -> None:
        """Add an event to the trace, where there is one."""
        if self.trace is not None:
            self.trace.append(event)

    def check_chance(self) -> None:
        """Raise IllegalActionError where no chance is due."""
        if self.current_player != CHANCE:
            raise IllegalActionError(f"no chance node in phase {self._phase}")

    def clone(self, seed: int | None = None, trace: bool = False) -> Any:
        other = copy.copy(self)
        other.trace = [] if check_flag("trace", trace) else None
        for name in self.mutable:
            values = getattr(self, name)
            setattr(other, name, [list(x) if isinstance(x, list) else x for x in values])
        if seed is not None:
            other.generator = random.Random(check_seed(seed))
            other.advance()
        else:
            other.generator = copied(self.generator)
        return other

    def explicit(self) -> Any:
        other = self.clone()
        other.generator = None
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        other = self.clone()
        other.trace = None if self.trace is None else list(self.trace)
        return other


def copied(generator: random.Random | None) -> random.Random | None:
    """A generator that goes on alike; a hundred times faster than a deep copy."""
    if generator is None:
        return None
    other = random.Random(0)
    other.setstate(generator.getstate())
    return other
