"""What is refused, as tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def refuses(
    error: type[BaseException] | tuple[type[BaseException], ...], *cases: tuple[str, Callable[[], Any]]
) -> None:
    """Check that each call raises `error`, with a message in which the pattern before the call is found; any, for ""."""
    for match, call in cases:
        with pytest.raises(error, match=match or None):
            call()
