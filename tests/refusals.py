"""What is refused, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def refuses(
    error: type[BaseException] | tuple[type[BaseException], ...], *cases: tuple[str, Callable[[], Any]]
) -> None:
    """Check that each call raises `error`, with a message in which the pattern before the call is found; "" is any."""
    for match, call in cases:
        with pytest.raises(error, match=match or None):
            call()


def refuses_each(
    error: type[BaseException] | tuple[type[BaseException], ...],
    match: str | Callable[..., str] | None,
    call: Callable[..., Any],
    values: Iterable[Any],
) -> None:
    """Check that a call raises `error` for each value.

    Args:
        error: the error.
        match: a pattern of its message, or what makes one of a value; None: values are (value, pattern).
        call: takes a value.
        values: what it is called with.
    """
    for value in values:
        *given, pattern = value if match is None else (value, match(value) if callable(match) else match)
        with pytest.raises(error, match=pattern or None):
            call(*given)
