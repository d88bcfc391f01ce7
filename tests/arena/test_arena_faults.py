"""Agents that crash, hang, cheat, die or eat memory lose their games, and nobody else's."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from toy import Duel
from waiting import running, until

import hawaii_env
from arena import bad_bots
from hawaii_env import agents, arena, load_game, supervision
from hawaii_env.agent_process import receive
from hawaii_env.arena.playing import COUNTS, Setup, Task, Watch, play_game
from hawaii_env.arena.schedule import ScheduledGame
from hawaii_env.arena.store import GameRow, Store
from hawaii_env.bots.process import MAX_LOG
from hawaii_env.errors import AgentError, IllegalActionError
from hawaii_env.process_state import Noted

BOTS = Path(__file__).with_name("bad_bots.py")
OPTIONS: dict[str, Any] = {"load": [BOTS], "progress": False}
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="tells what Linux lets a process do")
posix = pytest.mark.skipif(os.name == "nt", reason="needs signals")


def rows_of(folder: Path, void: bool = False) -> dict[str, list[GameRow]]:
    """Return the games by the opponent of greedy."""
    with Store(folder) as store:
        found: dict[str, list[GameRow]] = {}
        for row in store.rows(void):
            other = next((key for key in row.seats if key != "greedy"), "")
            found.setdefault(other, []).append(row)
        return found


def process() -> list[Any]:
    """Return what agents of a process share."""
    return [
        *(
            os.getcwd(),
            dict(os.environ),
            random.getstate(),
            tuple(np.random.get_state())[1:3],  # noqa: NPY002
            sys.stdout,
            sys.stderr,
            vars(sys.stdout),
        ),
        *(signal.getsignal(signal.SIGTERM), signal.getitimer(signal.ITIMER_REAL), signal.pthread_sigmask(0, ())),
        *(sys.getrecursionlimit(), sys.getswitchinterval(), gc.isenabled(), os.umask(os.umask(0)), len, os.getpid()),
        *([os.fstat(number)[:3] for number in range(3)], time.perf_counter, os.sched_getaffinity(0)),
    ]


def reasons_of(kinds: dict[str, Any]) -> dict[str, str]:
    """Return what is told of each kind of misbehaviour."""
    raised = {
        "base": "BaseException: on purpose",
        "interrupt": "KeyboardInterrupt: ",
        "generator": "GeneratorExit: ",
        "leave": "SystemExit: ",
        "recurse": "RecursionError: maximum recursion depth exceeded",
        "stop": "StopIteration: ",
        "value": "ZeroDivisionError: on purpose",
    }
    told = {name: f"crashed: {raised[name]}" for name in bad_bots.CRASHES}
    told |= {name: f"illegal action {bad_bots.shown(value)}" for name, value in bad_bots.ANSWERS.items()}
    return {name: told.get(name) or kinds[name][1] for name in kinds}


SHARED = {**bad_bots.CRASHES, **bad_bots.CONDUCT, **bad_bots.ANSWERS}


@linux
def test_misbehaviour_is_the_fault_of_its_agent_alone_in_process() -> None:
    expected = hawaii_env.play(Duel(), [bad_bots.Greedy(), bad_bots.Greedy()], 5).trace
    for what, reason in reasons_of(SHARED).items():
        before = repr(process())
        with pytest.raises(KeyboardInterrupt if what == "interrupt" else AgentError) as caught:
            hawaii_env.play(Duel(), [bad_bots.Greedy(), bad_bots.Does(what)], 5)
        if what != "interrupt":  # a user's: it goes on
            assert str(caught.value) == f"agent 'does' {reason}", what
            assert isinstance(caught.value, IllegalActionError) == (what in bad_bots.ANSWERS)
        assert repr(process()) == before, what
    assert hawaii_env.play(Duel(), [bad_bots.Greedy(), bad_bots.Greedy()], 5).trace == expected
    for what in ("method", "json", "registry"):  # what ends no decision is noticed at the end
        with pytest.raises(AgentError, match=f"one of the agents 'greedy, does' {bad_bots.CODE[what][1]}"):
            hawaii_env.play(Duel(), [bad_bots.Greedy(), bad_bots.Does(what)], 5)


RENICE = """
import os, resource, sys
other, core, *processors = map(int, sys.argv[1:])
os.sched_setaffinity(other, processors)
resource.prlimit(other, resource.RLIMIT_CORE, (core, resource.prlimit(other, resource.RLIMIT_CORE)[1]))
"""


@linux
def test_what_another_process_sets_is_nobodys_fault() -> None:
    """As renice, taskset and prlimit do to a tournament that runs."""
    import resource

    processors, (core, hard) = os.sched_getaffinity(0), resource.getrlimit(resource.RLIMIT_CORE)

    def restrict(processors: set[int], core: int) -> None:
        subprocess.run([sys.executable, "-c", RENICE, *map(str, (os.getpid(), core, *processors))], check=True)

    class Restricted(bad_bots.Greedy):
        def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
            restrict({min(processors)}, 0)
            return super().act(state, legal_actions, clock)

    try:
        assert hawaii_env.play(Duel(), [bad_bots.Greedy(), Restricted()], 5).is_terminal
        assert os.sched_getaffinity(0) == {min(processors)}
        assert resource.getrlimit(resource.RLIMIT_CORE) == (0, hard)
    finally:
        restrict(processors, core)


@linux
@pytest.mark.parametrize("what", bad_bots.CODE)
def test_the_game_after_a_void_one_names_who_changed_the_code(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(agents)["_registered"], "does", bad_bots.Does)
    monkeypatch.setitem(vars(agents)["_registered"], "greedy", bad_bots.Greedy)
    setup, scheduled = Setup((Duel(),)), ScheduledGame("pair", 0, 0, ("a", "b"), 5, (1, 2))
    # What spoils nothing of the first game is found at its end; of the others it is void or forfeited.
    for attempt in range(what not in ("method", "unloaded", "game"), 2):
        task = Task(scheduled, (f"does:what={what}", "greedy"), str(tmp_path / f"{attempt}.jsonl"), attempt)
        played = play_game(setup, task, Watch([0.0] * (COUNTS + 4)))
        assert (played.status, played.forfeit) == (("void", None) if attempt == 0 else ("forfeit", 0))
        assert attempt == 0 or (played.reason == bad_bots.CODE[what][1] and played.verified)
    assert hawaii_env.play(Duel(), "random", 5).is_terminal


@pytest.mark.slow
@linux
def test_misbehaviour_is_the_fault_of_its_agent_alone_in_workers(tmp_path: Path) -> None:
    lasting = {name: bad_bots.LASTING[name] for name in ("timer", "descriptors", "record", "detach")}
    shared = {what: SHARED[what] for what in list(SHARED)[::9]}  # all of them above, and in workers each night
    kinds = {**shared, **lasting, **bad_bots.IMPORTED, "json": bad_bots.CODE["json"]}
    reasons = {
        **{f"{what}=does:what={what}": reason for what, reason in reasons_of(kinds).items()},
        "exit": "the process ended with exit status 3",
        "hang": "no decision within 0.5 s",
        "unmade": "cannot be made: RuntimeError: never to be had",
        "bad_begin": "cannot be made: KeyError: 'begin'",
        **{f"{what}_made=does:what={what},when=init": reasons_of(SHARED)[what] for what in ("fork",)},
    }
    well = [
        "random",
        "bad_close",
        *(f"{what}_closed=does:what={what},when=close" for what in ("fork", "leave")),
    ]
    well += ["seed_made=does:what=seed,when=init"]
    found = arena.run_tournament(
        Duel(), ["greedy", *reasons, *well], format="gauntlet", pairs=1, processes=2, limit=0.5, out=tmp_path, **OPTIONS
    )
    assert (len(found.results), found.void) == (2 * (len(reasons) + len(well)), 0)
    rows = rows_of(tmp_path)
    for entry, reason in reasons.items():
        key = entry.partition("=")[0]
        for row in rows[key]:
            assert (key, row.status, row.reason) == (key, "forfeit", reason)
            assert row.forfeit == row.seats.index(key)
            assert row.end.shares[row.seats.index(key)] == 0
            assert sum(row.end.shares) == 1 and row.end.places[row.seats.index(key)] == 2
            assert row.verified
            assert row.record is not None and (tmp_path / row.record).is_file()
    assert all(row.status == "finished" for entry in well for row in rows[entry.partition("=")[0]])
    log = (tmp_path / "faults.log").read_text()
    assert "BaseException: on purpose" in log
    assert "raise error" in log
    assert "ValueError: close" in log
    tally = {standing.player: standing for standing in found.standings}
    assert tally["greedy"].forfeits == 0
    assert tally["hang"].forfeits == 2
    with Store(tmp_path) as store:
        assert not store.verify()[1]


@pytest.mark.slow
@linux
@pytest.mark.parametrize("when", ["init", "begin", "act", "close", "del"])
def test_misbehaviour_at_any_time(when: str, tmp_path: Path) -> None:
    kinds = {**SHARED, **bad_bots.LASTING, **bad_bots.DEATHS, **bad_bots.CODE, **bad_bots.IMPORTED}
    entries = [f"{what}=does:what={what},when={when}" for what in kinds]
    found = arena.run_tournament(
        Duel(),
        ["greedy", "random", *entries],
        format="gauntlet",
        pairs=1,
        processes=2,
        limit=1,
        out=tmp_path,
        **OPTIONS,
    )
    assert (len(found.results), found.void) == (2 * (len(kinds) + 1), 0)
    assert {row.forfeit for row in rows_of(tmp_path)["random"]} == {None}
    for what in kinds:
        for row in rows_of(tmp_path)[what]:
            assert row.forfeit in (None, row.seats.index(what))
            assert row.forfeit is not None or when != "act"


def test_half_a_message_holds_nobody_up() -> None:
    mine, theirs = multiprocessing.Pipe()
    os.write(theirs.fileno(), b"\0\1\0\0x")
    process = SimpleNamespace(pid=None, kill=theirs.close, join=lambda: None)
    with mine, pytest.raises((EOFError, OSError)):
        receive(mine, process, 0.1)


@posix
def test_what_agents_print_is_kept_up_to_a_limit(tmp_path: Path) -> None:
    found = arena.run_tournament(
        Duel(), ["greedy", "loud", "crash"], format="gauntlet", pairs=2, processes=1, out=tmp_path, **OPTIONS
    )
    assert [result.forfeit is None for result in found.results] == [False] * 4 + [True] * 4
    (log,) = (tmp_path / "logs").iterdir()
    assert MAX_LOG <= log.stat().st_size < MAX_LOG + 100
    assert log.read_bytes().startswith(b"loud ") and log.read_bytes().endswith(b"(the log is full)\n")


def test_an_error_without_text_counts_as_a_fault(tmp_path: Path) -> None:
    found = arena.play_match(Duel(), "greedy", "awkward", pairs=8, processes=1, out=tmp_path, **OPTIONS)
    assert (len(found.results), found.void) == (16, 0)
    reasons = {row.reason for row in rows_of(tmp_path)["awkward"]}
    assert "crashed: (RuntimeError where it was to be told)" in reasons
    assert "illegal action " + ("\\ud800" * 60)[:57] + "..." in reasons
    assert any(reason.startswith("crashed: ValueError: half a pair \\ud800xxx") for reason in reasons)
    assert (tmp_path / "faults.log").stat().st_size < 16 * 25_000


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux")
def test_an_agent_that_eats_memory_loses(tmp_path: Path) -> None:
    found = arena.play_match(Duel(), "greedy", "eater", pairs=1, memory=1.0, processes=1, out=tmp_path, **OPTIONS)
    assert [result.forfeit for result in found.results] == [0, 1]
    assert all(row.reason == "crashed: MemoryError: " for row in rows_of(tmp_path)["eater"])


@pytest.mark.slow
@posix
def test_who_is_killed_from_outside_has_further_tries(tmp_path: Path) -> None:
    entries = ["greedy", "killed", f"once=killed_once:flag={tmp_path / 'flag'}"]
    out = tmp_path / "t"
    arena.run_tournament(Duel(), entries, format="gauntlet", pairs=1, processes=1, out=out, **OPTIONS)
    rows = rows_of(out, void=True)
    assert [row.status for row in rows["killed"]] == ["void", "void", "forfeit"] * 2
    assert sorted(row.status for row in rows["once"]) == ["finished", "finished", "void"]
    assert rows["once"][0].reason == "the process died of SIGKILL"


@pytest.mark.slow
@posix
def test_what_holds_the_interpreter_is_killed_with_what_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pid"
    arena.play_match(
        Duel(), "greedy", f"hang=hang_in_c:pids={pids}", pairs=1, limit=0.5, processes=1, out=tmp_path / "t", **OPTIONS
    )
    assert all(row.reason == "no decision within 0.5 s" for row in rows_of(tmp_path / "t")["hang"])
    until(lambda: not running(pids.read_text()))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells which processes an agent has left behind")
def test_what_an_agent_leaves_behind_ends_with_the_tournament(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    arena.play_match(Duel(), "greedy", f"daemon=daemon:pids={pids}", pairs=1, processes=1, **OPTIONS)
    found = pids.read_text().split()
    assert len(found) == 4
    until(lambda: not any(map(running, found)))


@pytest.mark.parametrize(("grace", "decisions"), [(0.15, 2), (5, None)])
def test_clocks(grace: float, decisions: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes 0.1 s a decision too long: two decisions use a reserve of 0.15 s, and not one of 5 s."""
    now = [100.0]

    class Slow(bad_bots.Greedy):
        def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
            now[0] += 0.15
            return super().act(state, legal_actions, clock)

    clocks = SimpleNamespace(**{**vars(time), "perf_counter": lambda: now[0]})
    monkeypatch.setattr("hawaii_env.arena.playing.time", clocks)
    monkeypatch.setitem(vars(agents)["_registered"], "late", Slow)
    setup = Setup((Duel(),), seconds=0.05, grace=grace)
    task = Task(ScheduledGame("pair", 0, 0, ("a", "b"), 5, (1, 2)), ("late", "random"), str(tmp_path / "a.jsonl"), 0)
    played = play_game(setup, task, Watch([0.0] * (COUNTS + 4)))
    if decisions is None:
        assert played.status == "finished"
    else:
        assert (played.forfeit, played.reason) == (0, "out of time: 0.05 s a decision, and 0.15 s over a game")
        assert played.decisions[0] == decisions
    assert played.seconds == pytest.approx([0.15 * played.decisions[0], 0])


@pytest.mark.slow
@posix
def test_an_agent_past_its_clock_is_killed(tmp_path: Path) -> None:
    arena.play_match(
        Duel(), "greedy", "hang", pairs=1, seconds=0.1, grace=0.2, limit=0.5, processes=1, out=tmp_path, **OPTIONS
    )
    rows = rows_of(tmp_path)["hang"]
    assert [row.reason for row in rows] == ["out of time: 0.1 s a decision, and 0.2 s over a game"] * 2
    assert "hang: failed before its first game" in (tmp_path / "faults.log").read_text()


@pytest.mark.slow
def test_a_game_whose_record_is_wrong_is_void(tmp_path: Path) -> None:
    out = tmp_path / "t"
    options = {"format": "gauntlet", "pairs": 1, "processes": 1, "out": out, **OPTIONS}
    found = arena.run_tournament(Duel(), ["greedy", "random", f"forger=forger:folder={out}"], **options)
    assert (found.void, len(found.results), found.played) == (2, 2, 2)
    rows = rows_of(out, void=True)
    assert [row.status for row in rows["forger"]] == ["void"] * 6
    assert "there is a line after the end" in rows["forger"][0].reason
    assert len(list((out / "void").rglob("*.jsonl"))) == 6
    assert {"forger"}.isdisjoint(seat for result in found.results for seat in result.seats)
    # A later call tries them again.
    assert arena.run_tournament(Duel(), ["greedy"], **options).void == 2


def test_a_library_that_is_loaded_between_games_is_no_change_by_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of agents its functions that seed are replaced permanently, as soon as it is there."""
    game, library = load_game("aloha"), ModuleType("torch")
    noted = Noted()
    monkeypatch.setattr(Noted, "kept", noted)
    noted.replace()
    try:
        for name in ("manual_seed", "seed", "get_rng_state", "set_rng_state"):
            setattr(library, name, partial(int))
        monkeypatch.setitem(sys.modules, "torch", library)
        monkeypatch.setattr(supervision, "torch", library, raising=False)
        supervisor = supervision.Supervisor(game, worker=True)
        supervisor.make(0, "random", seed=1)
        supervisor.inspect()
        supervisor.close()
    finally:
        for module, name, original in noted._replaced:
            setattr(module, name, original)
