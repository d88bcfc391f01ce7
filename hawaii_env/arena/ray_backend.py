"""Play a tournament's games on a Ray cluster.

Each Ray task plays one game in a worker process, which it keeps for the next one. Agents are therefore supervised on
their machine just as without Ray, and no agent is blamed if a Ray worker is killed: Ray repeats its task elsewhere, and
the same seeds give the same game. Records return with the result, so the machines need no shared folder.
"""

from __future__ import annotations

import atexit
import importlib
import os
import socket
import sys
import tempfile
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hawaii_env.arena.playing import Played, Setup, Task
from hawaii_env.arena.result import End
from hawaii_env.arena.worker import Worker
from hawaii_env.errors import OptionError
from hawaii_env.texts import decode, describe_error, read_bytes

__all__ = ["RayBackend"]

RETRIES = 3
"""Number of times that Ray repeats a task whose worker has died."""


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise OptionError(f"--ray needs Ray: pip install 'hawaii-env[ray]' ({error})") from None


def _reach(address: str) -> None:
    """Raise OptionError if nothing listens at ``host:port``, since Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), 10.0).close()
    except OSError as error:
        raise OptionError(f"no Ray cluster at {address!r}: {error}") from error


# On the cluster


@dataclass
class _Host:
    """State of a Ray worker between tasks: a folder, and the process that plays."""

    run: str
    folder: tempfile.TemporaryDirectory[str]
    setup: Setup
    worker: Worker | None = None
    warmed: frozenset[str] = frozenset()


_host: _Host | None = None


def _end_host() -> None:
    global _host
    if _host is not None:
        if _host.worker is not None:
            _host.worker.end()
        _host.folder.cleanup()
        _host = None


def _hosted(run: str, setup: Setup, files: Sequence[tuple[str, str]]) -> _Host:
    """Return this process's host for a tournament, created on first use."""
    global _host
    if _host is None or _host.run != run:
        if _host is None:
            atexit.register(_end_host)
        _end_host()
        folder = tempfile.TemporaryDirectory(prefix="hawaii-arena-")
        load: list[str] = []
        for number, (name, text) in enumerate(files):
            path = Path(folder.name) / f"load-{number}" / name
            path.parent.mkdir()
            path.write_text(text, encoding="utf-8")
            load.append(str(path))
        _host = _Host(run, folder, replace(setup, load=tuple(load), log=folder.name))
    return _host


def _ask(host: _Host, kind: str, thing: Any) -> tuple[str, Any]:
    """Send a request to the process, and wait for the result."""
    if host.worker is None:
        host.worker = Worker(host.setup)
    worker = host.worker
    while True:
        if worker.idle:
            worker.give(kind, thing)
        worker.pipe.poll(0.2)
        answer = worker.collect()
        if answer is None:
            continue
        kind, what = answer
        if kind == "ready" and not what:
            continue
        if worker.kind == "dead" or kind in ("ready", "start"):
            worker.end()
            host.worker = None
        if kind in ("ready", "start"):
            raise OptionError(f"a worker process cannot start: {what}")
        return kind, what


def _check(run: str, setup: Setup, files: Sequence[tuple[str, str]], agents: Sequence[str]) -> str:
    try:
        host = _hosted(run, setup, files)
        return next((wrong for agent in agents if (wrong := _ask(host, "check", agent)[1])), "")
    except OptionError as error:
        return str(error)


def _play(run: str, setup: Setup, files: Sequence[tuple[str, str]], task: Task) -> Played:
    host = _hosted(run, setup, files)
    if setup.seconds is not None:
        for agent in set(task.agents) - host.warmed:
            _ask(host, "warm", agent)
            host.warmed |= {agent}
    path = Path(host.folder.name) / "record.jsonl"
    path.unlink(missing_ok=True)
    played: Played = _ask(host, "play", replace(task, record=str(path)))[1]
    return replace(played, task=task, text=path.read_bytes() if path.is_file() else None)


# Here


def _source(path: str) -> str:
    try:
        return decode(read_bytes(path))
    except (OSError, ValueError) as error:
        raise OptionError(f"{path} cannot be read: {describe_error(error)}") from error


class RayBackend:
    """Ray's workers as a backend of a tournament.

    Args:
        setup: settings of all games; files that register agents are sent along, but not the files beside them.
        address: address of the cluster, or ``"local"`` to start one here. If Ray is already running in this process, it
            is used.
        processes: games at a time; None uses the number of the cluster's CPUs.

    Raises:
        OptionError: Ray is not installed, or there is no cluster.
    """

    def __init__(self, setup: Setup, address: str, processes: int | None) -> None:
        self._ray = ray = _ray()
        self._ours = not ray.is_initialized()
        if self._ours:
            options: dict[str, Any] = {}
            if address == "local":
                # Ray's workers find the modules that this process finds.
                path = os.pathsep.join(entry for entry in sys.path if entry)
                options = {"include_dashboard": False, "num_cpus": processes}
                options["runtime_env"] = {"env_vars": {"PYTHONPATH": path}}
            else:
                _reach(address)
            try:
                ray.init(address=address, log_to_driver=False, logging_level="warning", **options)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise OptionError(f"no Ray cluster at {address!r}: {error}") from error
        self.capacity: int = processes or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._run = uuid.uuid4().hex
        files = [(Path(path).name, _source(path)) for path in setup.load]
        self._shared = (self._run, ray.put(replace(setup, load=(), log=None)), ray.put(files))
        self._remote: Any = ray.remote(max_retries=RETRIES)(_play)
        self._under_way: dict[Any, Task] = {}

    def check(self, agents: Sequence[str]) -> None:
        """Raise OptionError if a bot file does not load or an agent string is invalid."""
        try:
            wrong = self._ray.get(self._ray.remote(_check).remote(*self._shared, list(agents)))
        except self._ray.exceptions.RayError as error:
            last = str(error).strip().splitlines()[-1]
            raise OptionError(
                f"Ray's workers cannot play (is hawaii_env, and the game, installed there?): {last}"
            ) from error
        if wrong:
            raise OptionError(wrong)

    def warm(self, agents: Sequence[str]) -> list[tuple[str, str]]:
        """Do nothing: each Ray worker warms up before its first game."""
        del agents
        return []

    def submit(self, task: Task) -> None:
        """Start a game."""
        self._under_way[self._remote.remote(*self._shared, task)] = task

    def wait(self, seconds: float) -> list[Played]:
        """Return the finished games."""
        waiting = list(self._under_way)
        done, _ = self._ray.wait(waiting, num_returns=1, timeout=seconds)
        if done:
            # Also collect the others that have finished.
            done, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
        return [self._result(reference) for reference in done]

    def _result(self, reference: Any) -> Played:
        task = self._under_way.pop(reference)
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            count = len(task.agents)
            reason = f"Ray: {type(error).__name__}"
            return Played(
                *(task, "void", End.void(count), None, reason, (0,) * count, (0.0,) * count, False, str(error))
            )

    def close(self) -> None:
        """Cancel running games, and stop Ray if it was started here."""
        for reference in self._under_way:
            self._ray.cancel(reference, force=True)
        self._under_way.clear()
        if self._ours:
            self._ray.shutdown()
