"""Code that games are played with, and that agents are to leave as it is: how a change is found and put back."""

from __future__ import annotations

import sys
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from hawaii_env import agents
from hawaii_env.game import Game
from hawaii_env.process_state import FIRST

__all__ = ["Code"]

_GONE = object()
_PROPERTY: cached_property[Any] = cached_property(lambda _: None)
_LIBRARY = "hawaii_env"


class Code:
    """Code that games are played with, as it is now: this library's modules and classes, the functions that it uses of
    other modules, the modules that are loaded, and a game. Looking at all of it takes some tenths of a millisecond.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self._game, self._modules = game, dict(sys.modules)
        modules = [module for module in self._modules.values() if isinstance(module, ModuleType)]
        own = {id(module): module for module in modules if _is_own(module.__name__)}
        values = [value for module in own.values() for value in vars(module).values()]
        used = [value for value in values if isinstance(value, ModuleType) and value not in FIRST]
        classes = [value for value in values if isinstance(value, type) and _is_own(value.__module__)]
        things: list[Any] = list({id(thing): thing for thing in (*own.values(), *used, *classes)}.values())
        self._whole = [(thing, dict(vars(thing))) for thing in things if id(thing) in own or isinstance(thing, type)]
        # Of other modules the functions and classes: what else they hold may change as they work.
        self._parts: list[tuple[Any, dict[str, Any]]] = [(game, dict(vars(game)))]
        self._parts += [
            (thing, {name: value for name, value in vars(thing).items() if callable(value)})
            for thing in things
            if id(thing) not in own and isinstance(thing, ModuleType)
        ]
        numbers = (*vars(game).values(), *vars(game).get("_rules_in", {}).values())
        self._arrays = [(array, array.tobytes()) for array in numbers if isinstance(array, np.ndarray)]
        self._registry: dict[str, Any] = vars(agents)["_registered"]
        self._registered = dict(self._registry)

    def restore(self) -> list[str]:
        """Put back what has changed, and return the names of it. What libraries that have been loaded meanwhile have
        replaced in other modules stays.
        """
        changed: list[str] = []
        for thing, home in self._whole:
            if not _same(vars(thing), home):
                changed += _put_back(thing, home)
        for thing, home in self._parts[: 1 if len(sys.modules) > len(self._modules) else None]:
            now = vars(thing)
            if thing is self._game or any(now.get(name, _GONE) is not value for name, value in home.items()):
                changed += _put_back(thing, home)
        for array, content in self._arrays:
            if array.tobytes() != content:
                changed.append("numbers of the game")
                array.setflags(write=True)
                array[...] = np.frombuffer(content, array.dtype).reshape(array.shape)
        for what, now, home in (
            ("a loaded module", sys.modules, self._modules),
            ("a registered agent", self._registry, self._registered),
        ):
            if any(now.get(name, _GONE) is not value for name, value in home.items()):
                changed.append(what)
                now.update(home)
        return changed


def _is_own(name: str) -> bool:
    return name.partition(".")[0] == _LIBRARY


def _same(now: Any, home: dict[str, Any]) -> bool:
    try:
        return now == home
    except Exception:  # an array, or an object that cannot be compared
        return False


def _put_back(thing: Any, home: dict[str, Any]) -> list[str]:
    """Give a module, class or game its attributes again; return the names of those that were others. A module may have
    got others besides, as modules in it, and a game what it computes once.
    """
    now, changed = dict(vars(thing)), list[str]()
    for name, value in home.items():
        if now.get(name, _GONE) is not value:
            changed.append(name)
            setattr(thing, name, value)
    for name in now.keys() - home.keys() if not isinstance(thing, ModuleType) else ():
        if isinstance(thing, type) or not isinstance(getattr(type(thing), name, _PROPERTY), cached_property):
            changed.append(name)
            delattr(thing, name)
    title = getattr(thing, "__qualname__", getattr(thing, "__name__", "the game"))
    return [f"{title}.{name}" for name in changed]
