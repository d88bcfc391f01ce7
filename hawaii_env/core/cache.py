"""Cache of machine code on disk: the folder, a file for each job, and the removal of old files.

The name of a file contains a digest of everything that its machine code depends on (`hawaii_env.core.closure`). Files
are therefore added but never changed, and several versions of a game, checkouts and packages share the folder.
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

from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.locks import try_lock, wait_for_lock
from hawaii_env.errors import StateError
from hawaii_env.texts import read_bytes, write_bytes

DAY = 86400.0
KEPT_VERSIONS = 8
"""Versions of a job that are kept: the most recently used."""
KEPT_DAYS = 30.0
"""Days without use after which a version is removed."""

# Remove only our own files: users may keep others in the folder.
_FILE = re.compile(r"(?P<job>.+)-[0-9a-f]{24}\.code")
_TEMPORARY = re.compile(r"\..+-[0-9a-f]{24}\.code\.\d+\.part")


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
    """Return the folder, creating it if it is missing, or None if it is read-only."""
    chosen = root().absolute()
    return chosen if _writable(chosen) else None


@dataclass(frozen=True)
class CodeFile:
    """The file of a job's machine code. Its name consists of the job and a digest of the code's sources."""

    job: str
    digest: str

    @property
    def path(self) -> Path:
        """The path of the file, which may be read-only."""
        return root().absolute() / "code" / f"{self.job}-{self.digest}.code"

    def is_sound(self) -> bool:
        """Return True if the machine code is there and undamaged. Read it once for each change of the file."""
        try:
            found = self.path.stat()
        except OSError:
            return False
        if _sound.get(self) != found.st_mtime_ns and self.read() is not None:
            _sound[self] = found.st_mtime_ns
        return _sound.get(self) == found.st_mtime_ns

    def read(self) -> bytes | None:
        """Return the machine code, or None if the file is missing or damaged. Remove a damaged file."""
        path = self.path
        try:
            data = read_bytes(path)  # never blocks on a pipe or reads a device
            if time.time() - path.stat().st_mtime > DAY:
                with contextlib.suppress(OSError):  # in a folder of another user, files can be used but not removed
                    path.touch()
            return verify_checksum(data, name=path.stem)
        except StateError:
            self.remove()
        except OSError:
            pass
        return None

    def remove(self) -> None:
        """Remove the file."""
        with contextlib.suppress(OSError):
            self.path.unlink()

    def write(self, code: bytes) -> None:
        """Write the machine code atomically, and remove old files. Do nothing if no folder is writable.

        Raises:
            OSError: the file cannot be written.
        """
        path = self.path
        if folder() is None:
            return
        write_bytes(path, add_checksum(code, path.stem))
        prune(path.parent)

    @contextlib.contextmanager
    def alone(self, waiting: Callable[[], object], unlocked: Callable[[str], object]) -> Iterator[None]:
        """Keep other processes from compiling this job.

        Args:
            waiting: called before waiting for another process that compiles it.
            unlocked: called with a sentence if no lock is possible; the job is compiled nevertheless.
        """
        where, handle = folder(), None
        try:
            if where is not None:
                handle = try_lock(where / f"{self.job}.lock")
                if handle is None:
                    waiting()
                    handle = wait_for_lock(where / f"{self.job}.lock")
        except OSError as error:
            unlocked(f"{error.filename or where} cannot be locked ({error.strerror}): remove it")
        try:
            yield
        finally:
            if handle is not None:
                handle.close()


_sound: dict[CodeFile, int] = {}
"""Modification times of files whose machine code is known to be undamaged."""


def prune(where: Path, now: float | None = None) -> None:
    """Remove versions of jobs that are unused for long or exceed the limit, and files of interrupted writes."""
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
