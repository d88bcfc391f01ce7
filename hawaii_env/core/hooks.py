"""Templates: functions over hooks, compiled separately for each game.

A template is an ordinary function that calls hooks by name. Hooks are rules of the game, which the module of the
template does not define. `specialise` returns the template as a rule of one game. Both backends run the same function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

from hawaii_env.core.jit import rule

__all__ = ["specialise"]


def specialise(owner: str, templates: Iterable[Any], hooks: Mapping[str, Any]) -> dict[str, Any]:
    """Return templates as rules of one game, by name.

    Args:
        owner: owner of the rules, such as ``"aloha"``: part of the names in their machine code.
        templates: functions of a module; they may call hooks, rules of their module, and earlier templates. A pair is a
            rule that differs between the backends: the interpreted one, then the compiled one.
        hooks: rules and constants, by their names in the templates.
    """
    names: dict[str, Any] = {}
    made: dict[str, Any] = {}
    pairs = [template if isinstance(template, tuple) else (template, template) for template in templates]
    for template in (function for pair in pairs for function in pair):
        for name, value in template.__globals__.items():
            names.setdefault(name, value)
    names.update(hooks)
    for interpreted, compiled in pairs:
        own = _copy(interpreted, names, owner)
        name = interpreted.__name__
        if compiled is interpreted:
            made[name] = rule(own)
        else:
            made[name] = rule(compiled=_copy(compiled, names, owner))(own)
        names[name] = made[name]
    return made


def _copy(template: FunctionType, names: dict[str, Any], owner: str) -> FunctionType:
    function = FunctionType(template.__code__, names, template.__name__, template.__defaults__)
    function.__module__ = template.__module__
    function.__qualname__ = f"{owner}_{template.__name__}"
    function.__doc__ = template.__doc__
    return function
