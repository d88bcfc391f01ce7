"""Effects of a user's own: functions that a card's event may name where no effect of `names` does what it prints [8.2].

```python
from hawaii_env.hawaii1795.rules.effects import register_effect

def lost_at_sea(context, side, count):
    ...

register_effect("lost_at_sea", lost_at_sea, args=("count",))
```

A card then says `event = { timing = "now", effect = "lost_at_sea", count = 1 }`. A ruleset names an effect, a frozen
one its index in this registry, which depends on the order of registration: it is looked up each time tables are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hawaii_env._arguments import check_choice, check_list, check_text
from hawaii_env.errors import OptionError

from .names import EFFECTS, N_EFFECT_ARGS

__all__ = [
    "CUSTOM_TIMINGS",
    "MAX_ARGS",
    "CustomEffect",
    "effect_index",
    "find_effect",
    "known_effects",
    "register_effect",
    "run",
]

CUSTOM_TIMINGS = ("now", "this_turn", "hold")
"""When a registered function may be called: as its card is drawn (the first two), or as the held card is played."""

MAX_ARGS = N_EFFECT_ARGS - 1
"""Values that a card may hand to a registered function; the first of a card's four holds the index."""

EffectFunction = Callable[..., Any]


@dataclass(frozen=True)
class CustomEffect:
    """A registered effect: its name, `function(context, side, **args)`, its timing and the names of its values."""

    name: str
    function: EffectFunction
    timing: str
    args: tuple[str, ...]


_registry: list[CustomEffect] = []


def register_effect(name: str, function: EffectFunction, *, timing: str = "now", args: Sequence[str] = ()) -> int:
    """Register a function as an effect that cards can name [8.2]; return its index.

    `function(context, side, **args)` is called with the engine's context, the side that plays the card (0 Kamehameha,
    1 the Allies) and the card's whole numbers by name, at most three. The same function (module and name) may be
    registered again and replaces itself, so that a notebook cell can be run twice.

    Raises OptionError: a name that is taken or is not a plain name, an unknown timing, too many values.
    """
    check_text("name", name)
    if not name.isidentifier() or not name.islower() or name in EFFECTS:
        raise OptionError(
            f"effect name {name!r}: allowed are lower-case names that are not an effect already ({', '.join(EFFECTS)})"
        )
    check_choice(f"effect {name!r}, timing", timing, CUSTOM_TIMINGS)
    names = tuple(check_text("args", one) for one in check_list("args", args))
    reserved = {"timing", "effect", "window", "source", "note"}
    if (
        len(names) > MAX_ARGS
        or len(set(names)) < len(names)
        or not all(n.isidentifier() and n not in reserved for n in names)
    ):
        raise OptionError(
            f"effect {name!r}, args {names!r}: allowed are at most {MAX_ARGS} different names, none of "
            f"{', '.join(sorted(reserved))}"
        )
    effect = CustomEffect(name, function, timing, names)
    for index, old in enumerate(_registry):
        if old.name == name:
            if _origin(old.function) != _origin(function):
                raise OptionError(f"effect {name!r} is registered already, by {'.'.join(_origin(old.function))}")
            _registry[index] = effect
            return index
    _registry.append(effect)
    return len(_registry) - 1


def _origin(function: EffectFunction) -> tuple[str, str]:
    return getattr(function, "__module__", "?"), getattr(function, "__qualname__", repr(function))


def known_effects() -> tuple[str, ...]:
    """Names that a card's event may use: the engine's effects, then the registered ones."""
    built_in = tuple(name for name in EFFECTS if name not in ("none", "custom"))
    return built_in + tuple(effect.name for effect in _registry)


def find_effect(name: str) -> CustomEffect | None:
    """The registered effect of that name, or None."""
    return next((effect for effect in _registry if effect.name == name), None)


def effect_index(name: str) -> int:
    """Index of a registered effect. Raises OptionError, naming the known effects, for an unregistered one."""
    for index, effect in enumerate(_registry):
        if effect.name == name:
            return index
    raise OptionError(f"effect {name!r} is not registered; known are {', '.join(known_effects())}")


def run(index: int, context: Any, side: int, args: Sequence[int] = ()) -> Any:
    """Call registered effect number `index` with the values that its card gives; return what it returns.

    `args` are the numbers after the index in the tables, padded with zeros or not.
    """
    effect = _registry[index]
    values = {name: int(value) for name, value in zip(effect.args, args, strict=False)}
    return effect.function(context, side, **values)
