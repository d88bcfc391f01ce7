"""The compiled core's door: the only module that knows numba.

``@rule`` marks a function of the rules. In the compiled mode it becomes machine code; in the plain mode
(``HAWAII_ENV_PLAIN=1``) it stays the Python function that it is, for debuggers and coverage. Both modes play
identical games from the same seeds.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

PLAIN = os.environ.get("HAWAII_ENV_PLAIN", "") not in ("", "0")
"""True in the plain mode: rules run as ordinary Python."""

BOUNDS_CHECK = os.environ.get("HAWAII_ENV_BOUNDS_CHECK", "") not in ("", "0")
"""True when compiled code checks every index (slower; the tests switch it on)."""

_PACKAGE = Path(__file__).resolve().parent


def engine_files() -> list[Path]:
    """Every file that takes part in the compiled code: this one and the games' modules."""
    return [Path(__file__).resolve(), *sorted((_PACKAGE / "hawaii1795").glob("*.py"))]


def engine_digest() -> str:
    """Digest of the engine's sources, of the library versions and of the flags.

    numba's own cache key knows only the file that a function stands in; the cache folder carries this digest, so
    that machine code made from other sources is never found.
    """
    import numba
    import numpy

    digest = hashlib.sha256()
    for path in engine_files():
        if path.exists():
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    digest.update(f"{numba.__version__} {numpy.__version__} {sys.version} {BOUNDS_CHECK}".encode())
    return digest.hexdigest()[:20]


def cache_root() -> Path:
    """Folder that holds the caches: ``HAWAII_ENV_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("HAWAII_ENV_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "hawaii_env"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


CACHE_DIR: Path | None = None
"""Folder of this engine's machine code; None in the plain mode or where nothing can be written."""

if not PLAIN:
    _folder = cache_root() / engine_digest()
    if _writable(_folder):
        CACHE_DIR = _folder


class _Announcer:
    """Says once, on stderr, that a first run compiles."""

    done = False

    def check(self) -> None:
        if self.done:
            return
        self.done = True
        if CACHE_DIR is None:
            print(
                "hawaii_env: compiling the rules (no cache folder can be written, so every start compiles; "
                "set HAWAII_ENV_CACHE to one that can)",
                file=sys.stderr,
            )
        elif not (CACHE_DIR / "warm").exists() and not any(CACHE_DIR.rglob("*.nbc")):
            print(
                "hawaii_env: first run, compiling the rules (once; half a minute to a minute; `hawaii warm` does it ahead)",
                file=sys.stderr,
            )


_announcer = _Announcer()


def rule(function: F) -> F:
    """Compile a function of the rules on its first call; release the interpreter lock while it runs.

    In the plain mode the function is left as it is.
    """
    if PLAIN:
        return function
    import numba
    from numba.core import config

    settings: Any = config
    previous = settings.CACHE_DIR
    if CACHE_DIR is not None:
        settings.CACHE_DIR = str(CACHE_DIR)
    try:
        compiled = numba.njit(cache=CACHE_DIR is not None, nogil=True, boundscheck=BOUNDS_CHECK)(function)
    finally:
        settings.CACHE_DIR = previous
    return cast(F, compiled)


def announce() -> None:
    """Say that compiling begins, unless the cache is warm. Called before the first compiled call."""
    if not PLAIN:
        _announcer.check()


def mark_warm() -> None:
    """Note in the cache folder that every entry point has been compiled."""
    if CACHE_DIR is not None:
        (CACHE_DIR / "warm").touch()
