"""Checks of arguments of public functions: an OptionError names the argument, its allowed values and the given one."""

from __future__ import annotations

import errno
import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from hawaii_env.errors import OptionError
from hawaii_env.texts import show_value, suggest

__all__ = [
    "check_choice",
    "check_count",
    "check_flag",
    "check_kind",
    "check_list",
    "check_number",
    "check_options",
    "check_path",
    "check_text",
    "check_word",
    "show_array",
    "whole",
]

T = TypeVar("T")


def check_number(
    name: str,
    value: object,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> float:
    """Return `value` as a float: a finite number that is `above` one, of `least` another, `below` a third, of `most` a
    fourth, where these are given.
    """
    number = None
    # numpy's numbers have __float__ as strings have not; bools are a mistake of the caller.
    if not isinstance(value, (bool, str, bytes)) and hasattr(value, "__float__"):
        try:
            number = float(cast(Any, value))
        except Exception:
            number = math.nan
        if (
            math.isfinite(number)
            and (above is None or number > above)
            and (least is None or number >= least)
            and (below is None or number < below)
            and (most is None or number <= most)
        ):
            return number
    too_much = most is not None and number is not None and number > most
    if least is not None and most is not None and (too_much or most <= 1):
        raise OptionError(f"{name}: expected a number from {least:g} to {most:g}, not {show_value(value)}")
    upper = most if too_much or (most is not None and most <= 1) else None  # one that nobody comes near is not told
    limits = (("above {:g}", above), ("of {:g} or more", least), ("below {:g}", below), ("of {:g} or less", upper))
    asked = " and ".join(text.format(limit) for text, limit in limits if limit is not None)
    raise OptionError(f"{name}: expected a number{' ' if asked else ''}{asked}, not {show_value(value)}")


def whole(value: object) -> int | None:
    """Return a value of any integer type, an array of no dimension among them, as an int; None for all others, as bools
    of any library and tensors of one number, which Python takes for integers.
    """
    if type(value) is int or isinstance(value, np.integer):
        return int(value)
    try:
        one = getattr(value, "shape", ()) == () and "bool" not in str(getattr(value, "dtype", ""))
        return int.__index__(operator.index(cast(Any, value))) if one and not isinstance(value, bool) else None
    except Exception:  # somebody else's __index__
        return None


def check_count(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int of `least` or more, and of `most` or less where that is given."""
    number = whole(value)
    too_much = most is not None and number is not None and number > most
    if number is None or number < least or too_much:
        ranged = most is not None and (too_much or most <= 10**4)  # a bound that nobody comes near is not named
        bounds = f"from {least} to {most}" if ranged else f"of {least} or more"
        raise OptionError(f"{name}: expected an integer {bounds}, not {show_value(value)}")
    return number


def check_flag(name: str, value: object) -> bool:
    """Return `value`, a bool of Python or NumPy."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name}: expected True or False, not {show_value(value)}")
    return bool(value)


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return `value`, a text that is one of `choices`."""
    if isinstance(value, str) and value in choices:
        return value
    raise OptionError(f"{name}: expected one of {', '.join(choices)}, not {show_value(value)}{suggest(value, choices)}")


def check_word(name: str, value: object, what: str) -> str:
    """Return `value`, a string or a path that the system can be handed, as a string; errors name `what`."""
    try:
        text = os.fsdecode(cast(Any, value))
        if b"\0" not in os.fsencode(text):
            return text
    except (TypeError, ValueError):  # of a half of a surrogate pair, too
        pass
    raise OptionError(f"{name}: expected {what}, not {show_value(value)}")


def check_path(name: str, value: object, what: str = "a path") -> Path:
    """Return `value`, a string or a path that a file can have, as a Path; errors name `what`."""
    path = Path(check_word(name, value, what))
    try:
        path.lstat()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # of a missing file its reader says more
            raise OptionError(f"{name}: expected {what}, not so long a name: {show_value(value)}") from None
    return path


def check_text(name: str, value: object) -> str:
    """Return `value`, a string that UTF-8 can write: one without half of a surrogate pair."""
    if isinstance(value, str):
        try:
            value.encode()
            return value
        except UnicodeEncodeError:
            pass
    raise OptionError(f"{name}: expected a string, not {show_value(value)}")


def check_list(name: str, value: object) -> list[Any]:
    """Return the items of `value`, which is not a string."""
    if not isinstance(value, (str, bytes)) and isinstance(value, Iterable):
        try:
            return list(cast("Iterable[Any]", value))
        except TypeError:  # an array of no dimension, or a class
            pass
    raise OptionError(f"{name}: expected a list, not {show_value(value)}")


def check_options(options: object, *known: str) -> Mapping[str, Any]:
    """Return the options of a reset(), a mapping or None, whose keys are `known` ones.

    The key ``"options"`` is passed over: PettingZoo's own test of environments passes it.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise OptionError(f"options is a mapping or None, not {show_value(options)}")
    given = cast("Mapping[str, Any]", options)
    unknown = [key for key in given if key not in known and key != "options"]
    if unknown:
        raise OptionError(f"options: {show_value(unknown[0])} is unknown; known options: {', '.join(known)}")
    return given


def check_kind(name: str, value: object, kind: type[T]) -> T:
    """Return `value`, which is a `kind`."""
    if not isinstance(value, kind):
        raise OptionError(f"{name}: expected a {kind.__name__}, not {show_value(value)}")
    return value


def show_array(value: object) -> str:
    """Return an array by dtype and shape, anything else by its repr: for messages."""
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else show_value(value)
