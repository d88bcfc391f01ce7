"""The same tournament on a Ray cluster of several worker processes, some of which are killed."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses
from toy import Duel

from hawaii_env import arena
from hawaii_env.arena.store import Store
from hawaii_env.errors import OptionError

BOTS = Path(__file__).with_name("bad_bots.py")
OPTIONS: dict[str, Any] = {"load": [BOTS], "progress": False}

pytestmark = [pytest.mark.nightly, pytest.mark.filterwarnings("ignore")]


def plain(folder: Path) -> list[tuple[Any, ...]]:
    with Store(folder) as store:
        return [(row.key, row.seats, row.status, row.end, row.reason, row.digest) for row in store.rows()]


def ray_workers() -> list[int]:
    """Return the processes of Ray that play games, oldest first."""
    found: list[tuple[int, int]] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if "ray::_play" in (folder / "cmdline").read_text():
                found.append((folder.stat().st_ctime_ns, int(folder.name)))
    return [pid for _, pid in sorted(found)]


def test_on_ray_with_workers_killed(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    entries = ["random", "slow:seconds=0.01", "greedy", "global", "crash"]
    here = arena.run_tournament(Duel(), entries, pairs=8, processes=2, out=tmp_path / "here", **OPTIONS)
    killed: list[int] = []

    def kill() -> None:
        until = time.monotonic() + 120
        while len(killed) < 2 and time.monotonic() < until:
            time.sleep(0.05)
            kept = 0
            with contextlib.suppress(OptionError), Store(tmp_path / "ray") as store:
                kept = len(store.rows())
            if kept >= 10 * (len(killed) + 1):
                for pid in [pid for pid in ray_workers() if pid not in killed][:1]:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    there = arena.run_tournament(Duel(), entries, pairs=8, processes=3, ray="local", out=tmp_path / "ray", **OPTIONS)
    killer.join()
    assert len(killed) == 2
    assert (there.played, there.void) == (here.played, 0) == (160, 0)
    assert plain(tmp_path / "here") == plain(tmp_path / "ray")
    with Store(tmp_path / "ray") as store:
        assert not store.verify()[1]
    # It goes on without Ray as well.
    more = arena.run_tournament(Duel(), entries, pairs=9, processes=1, out=tmp_path / "ray", **OPTIONS)
    assert more.played == 20


def test_slips_and_clocks_on_ray(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    refuses(
        OptionError,
        (
            "no agent 'nobody'",
            lambda: arena.run_tournament(
                Duel(), ["random", "nobody"], ray="local", processes=2, out=tmp_path / "t", progress=False
            ),
        ),
    )
    assert not (tmp_path / "t").exists()
    found = arena.play_match(
        Duel(), "greedy", "hang", pairs=1, seconds=0.1, grace=0.2, limit=0.5, ray="local", processes=2, **OPTIONS
    )
    assert [result.forfeit for result in found.results] == [1, 0] or [result.forfeit for result in found.results] == [
        0,
        1,
    ]
    refuses(
        OptionError,
        (
            "no Ray cluster at",
            lambda: arena.play_match(Duel(), "random", "b=random", ray="127.0.0.1:1", progress=False),
        ),
    )
