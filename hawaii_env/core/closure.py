"""Digests of rules, which identify their cached machine code.

A digest covers the rule's bytecode, its constants and the rules that it calls, directly or not, in any package. A rule
therefore never runs outdated machine code. Things that a rule does not use (a docstring, another function of its file,
a picture) are not part of the digest, so editing them compiles nothing.
"""

from __future__ import annotations

import builtins
import dis
import enum
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from hawaii_env.errors import HawaiiError

LIBRARIES = frozenset({"builtins", "math", "cmath", "operator", "numpy"})
"""Packages whose functions and types rules may use; their versions are part of every digest."""

INTRINSICS: dict[Any, Callable[[], Any]] = {}
"""Functions of `hawaii_env.core` that exist only as machine code, each with a function that returns numba's form."""

COMPILED_COPIES: dict[FunctionType, FunctionType] = {}
"""Maps a rule to the rule that compiled mode runs; for most rules they are the same."""


class RuleError(HawaiiError, TypeError):
    """A rule uses an object that compiled code or digests do not support. The message names both."""


def of(rule: Callable[..., Any]) -> str:
    """Return the digest of a rule's machine code, 24 hexadecimal digits.

    Raises:
        RuleError: a rule uses such an object, or rules call each other recursively.
    """
    digest = hashlib.sha256()
    for function in closure(rule):
        digest.update(_own(function)[0])
    return digest.hexdigest()[:24]


@cache
def closure(rule: Any) -> tuple[FunctionType, ...]:
    """Return the functions in a rule's machine code: itself and the rules that it calls, in order of discovery.

    Raises:
        RuleError: rules call each other recursively, which numba's cached machine code does not support.
    """
    found: dict[FunctionType, None] = {}
    _walk(COMPILED_COPIES[rule], found, [])
    return tuple(found)


def _walk(function: FunctionType, found: dict[FunctionType, None], above: list[FunctionType]) -> None:
    if function in above:
        ring = [*above[above.index(function) :], function]
        raise RuleError("rules call each other in a ring: " + " -> ".join(map(_title, ring)))
    if function in found:
        return
    found[function] = None
    for called in _own(function)[1]:
        _walk(called, found, [*above, function])


@cache
def _own(function: FunctionType) -> tuple[bytes, tuple[FunctionType, ...]]:
    """Return a function's own part of its digest, and the rules that it calls directly."""
    if function.__closure__:
        raise RuleError(
            f"the rule {_title(function)} uses variables of the function around it; give it arguments instead"
        )
    called: list[FunctionType] = []
    parts = [
        _title(function),
        _code(function.__code__, function.__doc__),
        _value(function.__defaults__, _title(function)),
    ]
    for path in sorted(set(_globals_read(function.__code__))):
        value = _resolve(function, path)
        if isinstance(value, FunctionType) and value in COMPILED_COPIES:
            called.append(COMPILED_COPIES[value])
            value = _title(called[-1])
        elif isinstance(value, FunctionType) and value in INTRINSICS:
            value = _intrinsic(value.__name__)
        elif value is not None:
            value = _value(value, f"{_title(function)}: {'.'.join(path)}")
        parts.append(f"{'.'.join(path)} = {value}")
    return "\n".join(parts).encode(), tuple(called)


@cache
def _intrinsic(name: str) -> str:
    """Return the digest of an intrinsic: its name, and the module that makes its machine code."""
    code = (Path(__file__).parent / "views.py").read_bytes()
    return f"intrinsic {name} {hashlib.sha256(code).hexdigest()}"


def _title(function: FunctionType) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _code(code: CodeType, doc: str | None = None) -> str:
    """Return the bytecode with its constants, without the names of local variables and line numbers."""
    constants = list(code.co_consts)
    if doc is not None and constants and constants[0] == doc:
        constants[0] = None
    shown = [_code(c) if isinstance(c, CodeType) else _value(c, code.co_qualname) for c in constants]
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    layout = (
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_nlocals,
        code.co_flags,
        arguments,
    )
    return repr(
        (code.co_code, shown, code.co_names, layout, code.co_cellvars, code.co_freevars, code.co_exceptiontable)
    )


def _globals_read(code: CodeType) -> Iterator[tuple[str, ...]]:
    """Return the globals that a function reads, each with the attributes read from it: ``("flow", "take")``."""
    path: list[str] = []
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if path and name in ("LOAD_ATTR", "LOAD_METHOD"):
            path.append(instruction.argval)
        elif name != "CACHE":
            if path:
                yield tuple(path)
            path = [instruction.argval] if name in ("LOAD_GLOBAL", "LOAD_NAME") else []
    if path:
        yield tuple(path)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals_read(constant)


def _resolve(function: FunctionType, path: tuple[str, ...]) -> Any:
    """Return the object at such a path, or None for a builtin. The path ends at the first non-module."""
    name, *attributes = path
    if name not in function.__globals__:
        if hasattr(builtins, name):
            return None
        raise RuleError(f"the rule {_title(function)} uses {name}, which its module does not have")
    value = function.__globals__[name]
    for attribute in attributes:
        if not isinstance(value, ModuleType):
            break
        if not hasattr(value, attribute):
            raise RuleError(f"the rule {_title(function)} uses {'.'.join(path)}, which does not exist")
        value = getattr(value, attribute)
    return value


def _value(value: Any, where: str) -> str:
    """Return a constant as text that differs if the machine code may differ."""
    if value is None or (
        isinstance(value, (bool, int, float, complex, str, bytes, type(Ellipsis)))
        and not isinstance(value, (enum.Enum, np.generic))
    ):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} {getattr(value, '_fields', '')}[{', '.join(_value(v, where) for v in value)}]"
    if isinstance(value, slice):  # a constant of the bytecode from Python 3.14 on
        return f"slice {_value((value.start, value.stop, value.step), where)}"
    if isinstance(value, frozenset):
        return f"frozenset {sorted(_value(v, where) for v in value)}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__module__}.{type(value).__qualname__}.{value.name} {value.value!r}"
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return f"{value.__module__}.{value.__qualname__} {[(member.name, member.value) for member in value]!r}"
    if isinstance(value, type) and issubclass(value, BaseException):
        return f"exception {value.__module__}.{value.__qualname__}"  # machine code has only its name
    if isinstance(value, np.dtype):
        return f"dtype {value!r} {value.alignment}"
    if isinstance(value, (np.ndarray, np.generic)):
        digest = hashlib.sha256(value.tobytes()).hexdigest()
        return f"{type(value).__name__} {value.dtype!r} {np.shape(value)} {digest}"
    if isinstance(value, np.ufunc):
        return f"ufunc {value.__name__}"
    module = str(getattr(value, "__module__", "") or "")
    if isinstance(value, (type, FunctionType, BuiltinFunctionType)) or callable(value):
        if module.partition(".")[0] in LIBRARIES:
            return f"{module}.{getattr(value, '__qualname__', value)}"
        raise RuleError(f"{where} is not a rule: mark it with @rule, or move its code into the rule")
    raise RuleError(
        f"{where} is a {type(value).__name__}, which compiled code cannot hold: "
        "it can hold numbers, strings, tuples, enumerations and arrays"
    )
