"""Where machine code is kept between processes: the folder, what is complete in it, and what is old enough to go.

A function's machine code lies in files named by the digest of all that it is made from (`hawaii_env.core.closure`). So
files are never changed, only added, and several versions of a game, checkouts and packages share the folder. A *mark*
says that the doors of one job are all there, and lists their files; what no mark lists goes in time.

numba's own cache asks for the age of one source file: it keeps stale code where a rule of another file has changed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from hawaii_env.core.locks import try_lock, wait_for_lock

DAY = 86400.0
KEPT_MARKS = 8
"""Versions of one job that are kept, those used last."""
KEPT_DAYS = 30.0
"""A version unused for so long goes."""
LOOSE_DAYS = 1.0
"""What no mark lists goes after this time: enough for whoever is compiling it now."""

# Only what is plainly ours is ever thrown away, whatever else a user keeps in the folder.
_FILE = re.compile(r".+-(?P<tag>[0-9a-f]{24})\.py\w+\.(nbi|\d+\.nbc)(\.tmp\.\w+)?")
_OLD_FOLDER = re.compile(r"[0-9a-f]{20}")  # all of one version's, before code was filed function by function


def root() -> Path:
    """Folder of all machine code: ``HAWAII_ENV_CACHE``, else one in the user's cache folder."""
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
    """The folder, which is made where there is none; None where nothing can be written."""
    chosen = root().absolute()
    return chosen if _writable(chosen) else None


@dataclass(frozen=True)
class Mark:
    """Says that a job's doors are compiled: the job's name, and a digest of its doors."""

    job: str
    digest: str

    @property
    def path(self) -> Path | None:
        """Its file, or None where nothing can be written."""
        where = folder()
        return None if where is None else where / "ready" / f"{self.job}-{self.digest}.json"

    def is_there(self) -> bool:
        """Whether the job is compiled. Tells the store that it is used."""
        path = self.path
        if path is None:
            return False
        try:
            if time.time() - path.stat().st_mtime > DAY:
                path.touch()
        except FileNotFoundError:
            return False
        except OSError:
            pass  # somebody else's folder: its code can be used, its mark not be renewed
        return True

    def write(self, files: Iterable[str], seconds: float) -> None:
        """Say that the job is compiled, in these files, and throw away what is old."""
        path = self.path
        if path is None:
            return
        with contextlib.suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            temporary = path.with_suffix(f".tmp{os.getpid()}")
            temporary.write_text(json.dumps({"files": sorted(files), "seconds": round(seconds, 1)}), encoding="utf-8")
            temporary.replace(path)
            prune(path.parent.parent)

    @contextlib.contextmanager
    def alone(self, waiting: Any) -> Iterator[None]:
        """Let no other process do the same; `waiting` is called where one does, and then it is waited for."""
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
    """Lock for the one process that compiles in the background; None: another does, or nothing can be written."""
    where = folder()
    return None if where is None else try_lock(where / "background.lock")


def prune(where: Path, now: float | None = None) -> None:
    """Throw away versions that have not been used for long, those beyond the last few, and files of no version."""
    now = time.time() if now is None else now
    by_job: dict[str, list[tuple[float, Path]]] = {}
    for path in (where / "ready").glob("*.json"):
        with contextlib.suppress(OSError):
            by_job.setdefault(path.stem.rpartition("-")[0], []).append((path.stat().st_mtime, path))
    wanted: set[str] = set()
    for marks in by_job.values():
        for rank, (used, path) in enumerate(sorted(marks, reverse=True)):
            with contextlib.suppress(OSError, ValueError, KeyError):
                if rank >= KEPT_MARKS or now - used > KEPT_DAYS * DAY:
                    path.unlink()
                else:
                    wanted.update(json.loads(path.read_text(encoding="utf-8"))["files"])
    for path in where.glob("machine-code/*/*"):
        with contextlib.suppress(OSError):
            ours = _FILE.fullmatch(path.name)
            if ours and ours["tag"] not in wanted and now - path.stat().st_mtime > LOOSE_DAYS * DAY:
                path.unlink()
    for path in where.iterdir():
        with contextlib.suppress(OSError):
            old = _OLD_FOLDER.fullmatch(path.name) and now - path.stat().st_mtime > KEPT_DAYS * DAY
            if old and any(path.glob("*/*.nbi")):
                shutil.rmtree(path, ignore_errors=True)
