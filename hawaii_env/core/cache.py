"""Machine code on disk: the folder, a file for each job, and what is removed from it.

The file of a job is named by a digest of all that its machine code is made from (`hawaii_env.core.closure`). So files
are never changed, only added, and several versions of a game, checkouts and packages share the folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.locks import try_lock, wait_for_lock
from hawaii_env.errors import StateError

DAY = 86400.0
KEPT_VERSIONS = 8
"""Versions of one job that are kept: those used last."""
KEPT_DAYS = 30.0
"""Days after which an unused version is removed."""

# Only what is plainly ours is ever removed, whatever else a user keeps in the folder.
_FILE = re.compile(r"(?P<job>.+)-[0-9a-f]{24}\.code")
_TEMPORARY = re.compile(r".+-[0-9a-f]{24}\.tmp\d+")


def root() -> Path:
    """Return the folder of all machine code: ``HAWAII_ENV_CACHE``, else one in the user's cache folder."""
    chosen = os.environ.get("HAWAII_ENV_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "hawaii_env"


@cache
def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def folder() -> Path | None:
    """Return the folder, made if it is missing, or None if nothing can be written."""
    chosen = root().absolute()
    return chosen if _writable(chosen) else None


@dataclass(frozen=True)
class CodeFile:
    """The file of a job's machine code: the job's name, and a digest of what the code is made from."""

    job: str
    digest: str

    @property
    def path(self) -> Path | None:
        """Its path, or None if nothing can be written."""
        where = folder()
        return None if where is None else where / "code" / f"{self.job}-{self.digest}.code"

    def exists(self) -> bool:
        """Return True if the job is compiled, and note that its code is used."""
        path = self.path
        if path is None:
            return False
        try:
            if time.time() - path.stat().st_mtime > DAY:
                path.touch()
        except FileNotFoundError:
            return False
        except OSError:
            pass  # somebody else's folder: its code can be used, its age not be renewed
        return True

    def read(self) -> bytes | None:
        """Return the machine code, or None if the file is missing or damaged. A damaged file is removed."""
        path = self.path
        if path is not None:
            try:
                return verify_checksum(path.read_bytes())
            except StateError:
                self.remove()
            except OSError:
                pass
        return None

    def remove(self) -> None:
        """Remove the file, which is no use."""
        if self.path is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()

    def write(self, code: bytes) -> None:
        """Write the machine code, and remove old files.

        Raises:
            OSError: the file cannot be written.
        """
        path = self.path
        if path is None:
            return
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_suffix(f".tmp{os.getpid()}")
        try:
            temporary.write_bytes(add_checksum(code))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        prune(path.parent)

    @contextlib.contextmanager
    def alone(self, waiting: Callable[[], object]) -> Iterator[None]:
        """Keep other processes from compiling this job. If one does so already, call `waiting`, and wait for it."""
        where, handle = folder(), None
        if where is not None:
            handle = try_lock(where / f"{self.job}.lock")
            if handle is None:
                waiting()
                handle = wait_for_lock(where / f"{self.job}.lock")
        try:
            yield
        finally:
            if handle is not None:
                handle.close()


def lock_background() -> IO[bytes] | None:
    """Lock the background process's file; return None if another process has it, or if nothing can be written."""
    where = folder()
    return None if where is None else try_lock(where / "background.lock")


def prune(where: Path, now: float | None = None) -> None:
    """Remove versions of jobs that are unused for long or beyond the last few, and files of interrupted writes."""
    now = time.time() if now is None else now
    by_job: dict[str, list[tuple[float, Path]]] = {}
    for path in where.iterdir():
        with contextlib.suppress(OSError):
            used = path.stat().st_mtime
            if ours := _FILE.fullmatch(path.name):
                by_job.setdefault(ours["job"], []).append((used, path))
            elif _TEMPORARY.fullmatch(path.name) and now - used > DAY:
                path.unlink()
    for files in by_job.values():
        for rank, (used, path) in enumerate(sorted(files, reverse=True)):
            if rank >= KEPT_VERSIONS or now - used > KEPT_DAYS * DAY:
                with contextlib.suppress(OSError):
                    path.unlink()
