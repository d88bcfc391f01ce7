"""Detects and undoes changes that agents make to the code that plays games."""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from operator import attrgetter, is_
from types import FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from hawaii_env import agents, games
from hawaii_env.game import Game
from hawaii_env.process_state import BUILTINS, FIRST, FORKS, VARIABLES

__all__ = ["Code"]

_GONE = object()
_PROPERTY: cached_property[Any] = cached_property(lambda _: None)
_LIBRARY = "hawaii_env"
_OF_FUNCTION = "__code__", "__defaults__", "__kwdefaults__"

REGISTRIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("a registered agent", vars(agents)["_registered"]),
    ("a registered agent", vars(agents)["_found"]),
    ("a registered game", vars(games)["_registered"]),
)
"""Names under which everybody finds agents and games: none is added either."""

_last: list[_Library] = []

ELSEWHERE = _last, REGISTRIES, *(registry for _, registry in REGISTRIES), FORKS, BUILTINS, VARIABLES, sys.modules
"""Containers that are checked elsewhere, or that change."""

_PLAIN = str, int, float, bool, type(None), FunctionType, type, ModuleType


Change = tuple[str, Callable[[], object]]
"""The name of a change, and the function that undoes it."""


class _Library:
    """This library's modules as they are now, and what they use from others."""

    def __init__(self) -> None:
        agents.find_installed()
        self.modules = dict(sys.modules)
        modules = [module for module in self.modules.values() if isinstance(module, ModuleType)]
        own = {id(module): module for module in modules if _is_own(module.__name__)}
        values = [value for module in own.values() for value in vars(module).values()]
        used = [value for value in values if isinstance(value, ModuleType) and value not in FIRST]
        classes = [value for value in values if isinstance(value, type) and _is_own(value.__module__)]
        things: list[Any] = list({id(thing): thing for thing in (*own.values(), *used, *classes)}.values())
        whole = [thing for thing in things if id(thing) in own or isinstance(thing, type)]
        self._whole = [(thing, dict(vars(thing)), list(vars(thing).values())) for thing in whole]
        # Of other modules the functions and classes: what else they hold may change as they work.
        parts = [thing for thing in things if id(thing) not in own and isinstance(thing, ModuleType)]
        self._parts = [(part, {k: v for k, v in vars(part).items() if callable(v)}) for part in parts]
        held = [value for _, home, _ in self._whole for name, value in home.items() if name[:2] != "__"]
        called = [*held, *(value for _, home in self._parts for value in home.values())]
        self._functions = list({id(one): one for value in called for one in _functions(value)}.values())
        self._of_functions = {name: list(map(attrgetter(name), self._functions)) for name in _OF_FUNCTION}
        self._held = _Contents(held)

    @classmethod
    def now(cls) -> _Library:
        """Return the modules as they are now: the last result if nothing has changed."""
        if not _last or len(_last[0].modules) != len(sys.modules) or any(_last[0].changes()):
            _last[:] = [cls()]
        return _last[0]

    def changes(self) -> Iterator[Change]:
        """Yield the changes, except those that newly loaded libraries made to other modules."""
        for thing, home, values in self._whole:
            now = vars(thing)
            if len(now) != len(values) or not all(map(is_, now.values(), values)) or now.keys() != home.keys():
                yield from _differing(thing, home)
        for thing, home in self._parts if len(sys.modules) == len(self.modules) else ():
            if not all(map(is_, map(vars(thing).get, home), home.values())):
                yield from _differing(thing, home)
        for name, values in self._of_functions.items():
            if not all(map(is_, map(attrgetter(name), self._functions), values)):
                for function, value in zip(self._functions, values, strict=True):
                    if getattr(function, name) is not value:
                        yield function.__qualname__, partial(setattr, function, name, value)
        yield from self._held.changes("what a {} of this library holds")
        if not _holds(sys.modules, self.modules):
            yield "a loaded module", partial(sys.modules.update, self.modules)


class _Contents:
    """Contents of lists, dicts, sets, arrays and frozen values, also of those in them."""

    def __init__(self, values: Iterable[Any]) -> None:
        self._containers, self._arrays = list[tuple[Any, Any]](), list[tuple[Any, bytes]]()
        seen = set(map(id, ELSEWHERE))
        for value in values:
            self._keep(value, seen)

    def _keep(self, value: Any, seen: set[int]) -> None:
        if isinstance(value, _PLAIN) or id(value) in seen:
            return
        seen.add(id(value))
        parameters = getattr(type(value), "__dataclass_params__", None)
        if isinstance(value, np.ndarray):
            if cast(Any, value).dtype != object:
                self._arrays.append((value, value.tobytes()))
        elif parameters is not None and parameters.frozen:
            value = getattr(value, "__dict__", None)
        if type(value) in (dict, list, set):
            self._containers.append((value, value.copy()))
        if type(value) in (dict, list, tuple):
            for part in value.values() if type(value) is dict else value:
                self._keep(part, seen)

    def changes(self, name: str) -> Iterator[Change]:
        """Yield what has changed."""
        for value, home in self._containers:
            if not _holds(value, home):
                yield name.format(type(value).__name__), partial(_fill, value, home)
        for array, content in self._arrays:
            if array.tobytes() != content:
                yield name.format("array"), partial(_write, array, content)


class Code:
    """Code that games are played with, as it is now: this library's modules, classes and functions, what its lists,
    dicts and arrays hold, the functions that it uses of other modules, the modules that are loaded, and a game. Looking
    at all of it takes a millisecond.

    A dict may get more, and a list at its end, because they may be caches; what they had stays.

    Args:
        game: the game, if it is known already.
    """

    def __init__(self, game: Game | None) -> None:
        self._library, self._game = _Library.now(), game
        self._registries = [(what, registry, dict(registry)) for what, registry in REGISTRIES]
        self._of_game = {} if game is None else dict(vars(game))
        self._held = _Contents((*self._of_game.values(), *self._of_game.get("_rules_in", {}).values()))
        self._numbers = self._tables()

    def _tables(self) -> bytes:
        """Return the numbers of the game's interpreted tables."""
        rules = getattr(self._game, "compiled_rules", None)
        if rules is None:
            return b""
        return marshal.dumps([getattr(self._of_game["tables"], name) for name in rules.tables.fields], 2)

    def _set_tables(self) -> None:
        game = cast(Any, self._game)
        for name, value in zip(game.compiled_rules.tables.fields, marshal.loads(self._numbers), strict=True):
            setattr(self._of_game["tables"], name, value)

    def restore(self, registering: bool = False) -> list[str]:
        """Undo all changes, and return their names.

        Args:
            registering: True if agents may have been registered meanwhile.
        """
        changes = list(self._library.changes())
        if self._game is not None:
            changes += _differing(self._game, self._of_game)
        changes += self._held.changes("numbers of the game")
        if self._tables() != self._numbers:
            changes.append(("numbers of the game", self._set_tables))
        for what, now, home in self._registries:
            if not _holds(now, home) or (len(now) > len(home) and not registering):
                changes.append((what, partial(_fill, now, home)))
        for _, put_back in changes:
            put_back()
        return [name for name, _ in changes]


def _is_own(name: str) -> bool:
    return name.partition(".")[0] == _LIBRARY


def _functions(value: Any) -> Iterator[FunctionType]:
    """Yield the functions that an attribute of a module or class is made of."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, (staticmethod, classmethod)):
        value = cast(Any, value).__func__
    while isinstance(value, FunctionType):
        yield value
        value = vars(value).get("__wrapped__")


def _holds(now: Any, home: Any) -> bool:
    """Return True if a list, dict or set still has all its items, and perhaps more."""
    if len(now) < len(home):
        return False
    if isinstance(home, dict):
        return all(map(is_, map(now.get, home), home.values()))
    return home <= now if isinstance(home, set) else all(map(is_, now, home))


def _fill(now: Any, home: Any) -> None:
    now.clear()
    (now.extend if type(now) is list else now.update)(home)


def _write(array: Any, content: bytes) -> None:
    array.setflags(write=True)
    array[...] = np.frombuffer(content, array.dtype).reshape(array.shape)


def _differing(thing: Any, home: dict[str, Any]) -> Iterator[Change]:
    """Yield the attributes of a module, class or game that were others. A module may have got others besides, as
    modules in it, and a game what it computes once.
    """
    now = dict(vars(thing))
    title = getattr(thing, "__qualname__", getattr(thing, "__name__", "the game"))
    for name, value in home.items():
        if now.get(name, _GONE) is not value:
            yield f"{title}.{name}", partial(setattr, thing, name, value)
    for name in now.keys() - home.keys() if not isinstance(thing, ModuleType) else ():
        if isinstance(thing, type) or not isinstance(getattr(type(thing), name, _PROPERTY), cached_property):
            yield f"{title}.{name}", partial(delattr, thing, name)
