"""Bots as subprocesses: the protocol, and everything that a bot may do wrong."""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import math
import os
import pickle
import re
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses, refuses_each
from toy import ToyGame
from waiting import python, until

import hawaii_env
from hawaii_env import agents, bots
from hawaii_env.bots import (
    AgentCrashError,
    AgentError,
    AgentIllegalActionError,
    AgentProtocolError,
    AgentTimeoutError,
    SubprocessAgent,
    protocol,
)
from hawaii_env.bots.check import add_bot_arguments, check, run_bot
from hawaii_env.bots.process import MAX_LINE, MAX_LOG
from hawaii_env.errors import HawaiiError, OptionError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="bots run on POSIX systems")

ROOT = Path(__file__).resolve().parents[1]
BOT = Path(__file__).parent / "bots" / "misbehaving.py"
EXAMPLES = ROOT / "docs" / "examples"
GAME = ToyGame()
LINUX = sys.platform == "linux"


def gone(pid: int) -> bool:
    """True when a process has ended. Our own child must have been reaped; an orphan is init's to reap."""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/status").read_text() if LINUX else ""
    except (ProcessLookupError, FileNotFoundError):
        return True
    return "State:\tZ" in status and f"PPid:\t{os.getpid()}\n" not in status


Make = Callable[..., SubprocessAgent]


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes bots that misbehave as they are told; looks that none is left over."""
    made: list[SubprocessAgent] = []

    def make_one(mode: str = "good", *arguments: str, **options: Any) -> SubprocessAgent:
        options.setdefault("seconds", 5.0)
        agent = SubprocessAgent([sys.executable, "-I", "-S", str(BOT), mode, *arguments], name=mode, **options)
        made.append(agent)
        return agent

    yield make_one
    pids = [agent.process.pid for agent in made if agent.process is not None]
    for agent in made:
        agent.close(0.0)
    until(lambda: all(map(gone, pids)))


def bid(player: int = 1) -> Any:
    """A position in which one player has a choice between bidding 1 and 3."""
    hands: list[list[int]] = [[1], [1], [1]]
    hands[player] = [1, 3]
    return GAME.position(round=4, phase="bid", prize=2, winner=-1, hands=hands, points=[0, 0, 0])


def ask(agent: SubprocessAgent, clock: agents.Clock | None = None) -> int:
    agent.begin(GAME, 1)
    return agent.act(bid(), [1, 3], clock)


# What should work


def test_a_bot_plays_whole_games(make: Make) -> None:
    bot = make("in pieces")
    for seed in range(3):
        state = hawaii_env.play(GAME, ["random", bot, "random"], seed)
        assert state.is_terminal
        bot.finish(state)
    assert bot.process is not None


def test_what_a_process_plays_first_may_be_a_bot() -> None:
    """Loading the module of bots is not an agent's fault, whoever has loaded what before."""
    code = "import sys, hawaii_env, toy; hawaii_env.play(toy.ToyGame(), ['random', 'random', sys.argv[1]], 6)"
    example = Path(__file__).parents[1] / "docs" / "examples" / "bot.py"
    python(code, f"bot:command={sys.executable} {example}", HAWAII_ENV_PLAIN="1")


def test_all_seats_are_bots_and_the_game_is_that_of_plain_agents(make: Make) -> None:
    class First(agents.BaseAgent):
        def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
            return legal_actions[0]

    mine = hawaii_env.play(GAME, [make() for _ in range(3)], 5)
    other = hawaii_env.play(GAME, [First() for _ in range(3)], 5)
    assert mine.trace == other.trace
    assert mine.trace


def test_one_process_serves_many_games_unless_it_is_to_restart(make: Make) -> None:
    for restart in (False, True):
        bot, pids = make(restart=restart), set[int]()
        for _ in range(3):
            bot.begin(GAME, 0)
            assert bot.process is not None
            pids.add(bot.process.pid)
        assert len(pids) == (3 if restart else 1)


def test_every_message_keeps_the_schema_and_shows_no_generator(make: Make) -> None:
    traffic: list[tuple[str, dict[str, Any]]] = []

    def watch(way: str, line: bytes) -> None:
        protocol.parse(line)
        traffic.append((way, json.loads(line)))

    bot = make("wants all", watch=watch, seed=2**40 + 7, memory_mb=4096)
    state = GAME.initial_state(seed=3)
    bot.begin(GAME, 2)
    action = bot.act(state, state.legal_actions(2))
    assert action == state.legal_actions(2)[0]
    bot.finish(hawaii_env.play(GAME, "random", 3))
    kinds = [(way, message["type"]) for way, message in traffic]
    assert kinds == [
        (">", "hello"), ("<", "ready"), (">", "new_game"), (">", "decide"), ("<", "action"), (">", "game_over"),
    ]  # fmt: skip
    hello, _, new_game, decide, _, game_over = (message for _, message in traffic)
    assert hello["seed"] == 7
    assert hello["protocol"] == bots.PROTOCOL
    assert (hello["seconds"], hello["memory_mb"]) == (5.0, 4096.0)
    assert new_game["params"] == {"rounds": 4}
    assert (new_game["player"], new_game["agents"]) == (2, ["red_0", "green_1", "blue_2"])
    assert new_game["ruleset"] == {"name": "tides", "hash": GAME.ruleset_hash}
    assert decide["simultaneous"] is True
    assert decide["player"] == 2
    assert decide["seconds"] == pytest.approx(5.0)
    assert decide["legal"] == [{"action": n, "text": f"bid {n}"} for n in (1, 2, 3)]
    assert decide["view"] == state.view().to_dict()
    assert decide["observation"] == state.observation(2).tolist()
    assert GAME.state_from_json(decide["state"]).view() == state.view()
    assert GAME.state_from_json(decide["state"]).chance == "explicit"
    assert "generator" not in json.dumps(decide)
    assert game_over["returns"] == hawaii_env.play(GAME, "random", 3).returns()


def test_only_what_is_wanted_is_shown(make: Make) -> None:
    shown: list[dict[str, Any]] = []
    bot = make(watch=lambda way, line: shown.append(json.loads(line)))
    ask(bot)
    assert "view" in shown[3]
    assert "observation" not in shown[3]
    assert "state" not in shown[3]
    assert bot.want == ("view",)


def test_a_bot_that_asks_for_nothing_is_shown_only_its_actions() -> None:
    state = bid()
    assert set(protocol.decide(1, state, 1, [1, 3], [])) == {
        "type", "id", "player", "phase", "simultaneous", "legal", "seconds",
    }  # fmt: skip


def test_the_bot_names_itself_but_cannot_steer_a_terminal() -> None:
    with SubprocessAgent([sys.executable, str(BOT), "steering name"]) as bot:
        bot.begin(GAME, 0)
        assert bot.name == r"red\x1b[31m\nalert"


def test_a_bot_without_a_name_is_called_after_its_file() -> None:
    assert SubprocessAgent(f"{sys.executable} {BOT} good").name == "misbehaving"
    assert SubprocessAgent(sys.executable).name == Path(sys.executable).stem


def test_a_bot_may_be_asked_without_begin(make: Make) -> None:
    assert make().act(bid(0), [1, 3]) == 1


def test_the_bot_gets_the_shorter_clock(make: Make) -> None:
    seconds: list[Any] = []

    def watch(way: str, line: bytes) -> None:
        message = json.loads(line)
        if message["type"] == "decide":
            seconds.append(message["seconds"])

    bot = make(watch=watch, seconds=2.0)
    for clock in (None, agents.Clock(), agents.Clock(30.0), agents.Clock(1.0)):
        ask(bot, clock)
    assert seconds[:3] == [2.0, 2.0, 2.0]
    assert 0.0 < seconds[3] <= 1.0
    bot.seconds = None
    ask(bot)
    assert seconds[4] is None


def test_preparing_the_position_is_not_on_the_bots_clock(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, hours, clock = protocol.decide, list[float](), time.perf_counter

    def slow(*arguments: Any) -> dict[str, Any]:
        hours.append(3600.0)
        return plain(*arguments)

    monkeypatch.setattr(protocol, "decide", slow)
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + sum(hours))
    assert ask(make(seconds=60.0)) == 1 and hours


def test_noise_on_stderr_holds_up_nobody_and_is_bounded(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    bot = make("floods stderr", log=log)
    bot.begin(GAME, 1)
    for _ in range(3):
        assert bot.act(bid(), [1, 3]) == 1
    assert bot.process is not None
    assert len(bot.process.stderr) <= 4096
    bot.close()
    assert MAX_LOG <= log.stat().st_size < MAX_LOG + 100


# What bots do wrong

WRONG: list[tuple[str, type[AgentError], str]] = [
    ("dies at start", AgentCrashError, r"exited with status 7; its standard error ends: no licence found$"),
    ("slow start", AgentTimeoutError, r"within 0\.4 s of its start; it should have been 'ready'"),
    ("other protocol", AgentProtocolError, r"no 'ready' message: protocol: Input should be 1"),
    ("unknown want", AgentProtocolError, r"no 'ready' message: want\.1: Input should be 'view', 'observation' or"),
    ("not ready", AgentProtocolError, r"no 'ready' message: type"),
    ("speaks first", AgentProtocolError, r"without being asked"),
    (
        "dies",
        AgentCrashError,
        r"exited with status 3; its standard error ends: IndexError: list index out of range\n"
        r"    first line\n    IndexError.*$",
    ),
    ("is killed", AgentCrashError, r"was killed by SIGKILL"),
    ("hangs", AgentTimeoutError, r"no answer within 0\.3 s \(and 0\.1 s of grace\)"),
    ("spins", AgentTimeoutError, r"no answer within"),
    ("partial line", AgentTimeoutError, r"it wrote '\{\"type\": \"action\", ', which has no newline"),
    ("dies in a line", AgentCrashError, r"exited with status 0 in the middle of a line"),
    ("long line", AgentProtocolError, r"a line of more than 65,536 bytes: '\{\"type\": .*\.\.\."),
    ("endless line", AgentProtocolError, r"a line of more than 65,536 bytes"),
    ("closes stdout", AgentProtocolError, r"closed its standard output, though it still runs"),
    ("garbage", AgentProtocolError, r"wrote 'hello, I take action 3', which is no 'action' message: not JSON"),
    ("binary", AgentProtocolError, r"wrote '\\x0b\\x0c.*, which is no 'action' message: not UTF-8"),
    ("blank line", AgentProtocolError, r"wrote '', which"),
    ("an array", AgentProtocolError, r"wrote '\[1\]', which is no 'action' message"),
    ("no choice", AgentProtocolError, r"it has neither 'action' nor 'text'"),
    ("another message", AgentProtocolError, r"type: Input should be 'action'"),
    ("a bool", AgentProtocolError, r"action: Input should be a valid integer"),
    ("a float", AgentProtocolError, r"action: Input should be a valid integer"),
    ("a string", AgentProtocolError, r"action: Input should be a valid integer"),
    ("not a number", AgentProtocolError, r"no 'action' message"),
    ("deep", AgentProtocolError, r"no 'action' message: "),
    ("another id", AgentProtocolError, r"id: the question was 1, not 99"),
    (
        "illegal action",
        AgentIllegalActionError,
        r"chose action 7 \('trade 3'\), which is not legal in phase bid; legal are 'bid 1', 'bid 3'",
    ),
    ("no action", AgentIllegalActionError, r"chose action -1, which"),
    ("huge action", AgentIllegalActionError, r"chose action 10+\.\.\., which"),
    ("two actions", AgentProtocolError, r"action 1 \('bid 1'\) and text 'bid 3' are not the same action"),
    ("text of none", AgentProtocolError, r"action 1 \('bid 1'\) and text 'bid 9' are not the same action"),
    ("empty text", AgentProtocolError, r"action 1 \('bid 1'\) and text '' are not the same action"),
    ("legal by text", AgentProtocolError, r"action 7 \('trade 3'\) and text 'bid 1' are not the same action"),
    ("illegal twice", AgentIllegalActionError, r"chose action 7 \('trade 3'\), which is not legal"),
    ("illegal text", AgentIllegalActionError, r"chose 'bid 9', which is not legal"),
]


@pytest.mark.parametrize(("mode", "kind", "message"), WRONG, ids=[mode for mode, *_ in WRONG])
def test_wrong(mode: str, kind: type[AgentError], message: str, make: Make) -> None:
    start = 0.4 if mode == "slow start" else 10.0
    bot = make(mode, seconds=0.3 if kind is AgentTimeoutError else 5.0, grace=0.1, start_seconds=start)
    with pytest.raises(kind, match=f"(?s)^bot '{mode}' .*{message}") as caught:
        ask(bot)
    process = bot._process
    assert bot.process is None and process is not None
    until(lambda: gone(process.pid))
    assert isinstance(caught.value, HawaiiError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.agent, again.what) == (kind, str(caught.value), mode, caught.value.what)
    assert again.stderr == caught.value.stderr


def test_answering_twice_is_found_at_the_next_message(make: Make) -> None:
    bot = make("answers twice")
    assert ask(bot) == 1
    refuses(AgentProtocolError, ("without being asked", lambda: bot.begin(GAME, 1)))


def test_not_reading_its_input_is_a_timeout(make: Make) -> None:
    bot = make("reads no more", start_seconds=5.0, seconds=0.2, grace=0.0)
    bot.begin(GAME, 1)
    process = bot.process
    assert process is not None
    deadline = time.perf_counter() + 0.2
    refuses(
        AgentTimeoutError,
        ("did not read its standard input in time", lambda: process.send(b"x" * 1_000_000 + b"\n", deadline)),
    )
    assert time.perf_counter() >= deadline


def test_what_writes_for_ever_and_reads_nothing_is_ended_without_a_clock(make: Make) -> None:
    process = make("floods", start_seconds=5.0)._start()
    line = b"x" * 1_000_000 + b"\n"  # more than a pipe holds
    refuses(AgentProtocolError, ("without being asked", lambda: process.send(line, math.inf)))
    assert len(process._received) < 4 * MAX_LINE


def test_closing_its_input_is_found_at_the_next_message(make: Make) -> None:
    bot = make("closes stdin")
    assert ask(bot) == 1 and bot.process is not None
    poll = select.poll()
    poll.register(bot.process._in, 0)  # which is told of a closed end alone
    until(lambda: poll.poll(0))
    refuses(AgentProtocolError, ("closed its standard input, though it still runs", lambda: bot.act(bid(), [1, 3])))


def test_a_bot_that_failed_plays_the_next_game(make: Make) -> None:
    bot = make("dies")
    refuses_each(AgentCrashError, "status 3", lambda _: ask(bot), range(2))


def test_a_bot_that_died_between_games_is_reported(make: Make) -> None:
    bot = make()
    ask(bot)
    assert bot.process is not None
    os.kill(bot.process.pid, signal.SIGTERM)
    bot.process._process.wait(60)
    refuses(AgentCrashError, ("was killed by SIGTERM", lambda: bot.begin(GAME, 1)))
    bot.begin(GAME, 1)


@pytest.mark.skipif(not LINUX, reason="Linux enforces the cap")
def test_the_memory_cap(make: Make) -> None:
    assert ask(make("eats memory", "20", memory_mb=128)) == 1
    refuses(
        AgentCrashError,
        (
            r"(?s)status 1 \(its memory is capped at 128 MB\); .*MemoryError$",
            lambda: ask(make("eats memory", "200", memory_mb=128)),
        ),
    )
    assert ask(make("eats memory", "200")) == 1


@pytest.mark.skipif(not LINUX, reason="Linux enforces the cap")
def test_a_cap_of_ours_is_the_bot_s_too() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30))\n"
        "import sys; from toy import ToyGame; from hawaii_env.bots import SubprocessAgent\n"
        f"bot = SubprocessAgent([sys.executable, {str(BOT)!r}], memory_mb=4096); bot.begin(ToyGame(), 0)\n"
        "print(open(f'/proc/{bot.process.pid}/limits').read())"
    )
    assert re.search(rf"Max data size +{2**30} ", python(code).stdout)


@pytest.mark.parametrize("mode", ["leaves a child", "leaves a child, hangs"])
def test_children_of_a_bot_end_with_it(mode: str, make: Make, tmp_path: Path) -> None:
    # The child inherits the pipes, so that they do not end with the bot.
    refuses(
        AgentError,
        (r"exited with status 5|no answer within", lambda: ask(make(mode, str(tmp_path / "pid"), seconds=1.0))),
    )
    until(lambda: gone(int((tmp_path / "pid").read_text())))


@pytest.mark.skipif(not LINUX, reason="Linux tells which processes a bot has left behind")
@pytest.mark.parametrize("mode", ["leaves a daemon", "leaves a daemon, hangs"])
def test_a_daemon_that_a_bot_leaves_ends_with_it(mode: str, make: Make, tmp_path: Path) -> None:
    # It forks twice with setsid in between, and holds no pipe: no group, session or parent tells whose it is.
    bot = make(mode, str(tmp_path / "pid"), seconds=2.0)
    with pytest.raises(AgentTimeoutError) if "hangs" in mode else contextlib.nullcontext():
        ask(bot)
    pid = int((tmp_path / "pid").read_text())
    bot.close()
    until(lambda: gone(pid))


def test_closing_lets_it_exit_or_ends_it(make: Make) -> None:
    for mode, by_itself in (("good", True), ("stays", False)):
        bot = make(mode)
        ask(bot)
        process = bot.process
        assert process is not None
        took = process.stop(protocol.dump({"type": "quit"}), 1.0 if by_itself else 0.1)
        assert (took is not None) == by_itself
        assert gone(process.pid)
        process.kill()
        bot.close()
        assert bot.process is None


def test_a_forgotten_bot_ends(make: Make) -> None:
    bot = SubprocessAgent([sys.executable, str(BOT)])
    ask(bot)
    assert bot.process is not None
    pid = bot.process.pid
    del bot
    gc.collect()
    until(lambda: gone(pid))


def test_bots_end_with_the_interpreter() -> None:
    code = (
        "import sys; from toy import ToyGame; from hawaii_env.bots import SubprocessAgent\nbot = "
        f"SubprocessAgent([sys.executable, {str(BOT)!r}, 'stays']); bot.begin(ToyGame(), 0); print(bot.process.pid)"
    )
    pid = int(python(code).stdout)
    until(lambda: gone(pid))


# Commands, files, specs


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"command": None}, "command: expected a string or a list"),
        ({"command": "cat \ud800"}, "command: expected a program"),
        ({"command": ["cat", "\0"]}, "command: expected a program"),
        ({"seconds": float("nan")}, "seconds: expected a number above 0, not nan"),
        ({"seconds": "1"}, "seconds: expected a number above 0, not '1'"),
        ({"grace": -1}, "grace: expected a number of 0 or more"),
        ({"cwd": 5}, "cwd: expected a path, not 5"),
        ({"log": 5}, "log: expected a path"),
        ({"log": "tests"}, "log: tests is a folder"),
        ({"env": 5}, "env: expected a Mapping"),
        ({"env": {5: "x"}}, "env: variables are strings"),
        ({"env": {"a=b": "x"}}, "env: variables are strings, their names without '='"),
        ({"env": {"a": "x\0"}}, "env: expected a variable"),
        ({"watch": 5}, "watch: expected a function"),
        ({"name": 5}, "name: expected a string"),
    ],
)
def test_arguments_that_cannot_be_are_named(
    given: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    refuses(OptionError, (message, lambda: SubprocessAgent(**{"command": "cat", **given})))


def test_odd_calls_are_rejected(make: Make) -> None:
    refuses_each(
        OptionError,
        "file: expected a path",
        bots.read_manifest,  # pyright: ignore[reportArgumentType]
        (None, "a\0.toml"),
    )


def test_specs_name_bots() -> None:
    bot = agents.load_agent(
        f"bot:command={sys.executable} {BOT} good --depth=3,seconds=0.5,memory_mb=512,seed=4,name=x"
    )
    assert isinstance(bot, SubprocessAgent)
    assert bot.command == [sys.executable, str(BOT), "good", "--depth=3"]
    assert (bot.seconds, bot.memory_mb, bot.seed, bot.name) == (0.5, 512.0, 4, "x")
    listed = agents.split_agents("random,bot:command=./my_bot --depth=3 -v,seconds=1,random")
    assert listed == ["random", "bot:command=./my_bot --depth=3 -v,seconds=1", "random"]


def test_files_describe_bots(tmp_path: Path) -> None:
    folder = tmp_path / "some bot"
    folder.mkdir()
    shutil.copy(BOT, folder / "bot.py")
    (folder / "bot.py").chmod(0o755)
    (folder / "bot.toml").write_text(
        'command = ["./bot.py", "good", "a,b c"]\nname = "filed"\nseconds = 2\nlog = "log.txt"\nenv = { X = "1" }\n'
    )
    with agents.load_agent(f"bot:file={folder / 'bot.toml'},seconds=3") as bot:  # pyright: ignore[reportGeneralTypeIssues]
        assert (bot.name, bot.seconds, bot.command[1:]) == ("filed", 3.0, ["good", "a,b c"])
        assert ask(bot) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("command = 'x'\ndepth = 3", "unknown key 'depth'; available: command, "),
        ("seconds = 3", "has no 'command'"),
        ("command = [", "is not TOML"),
        ("command = 5", "a string or a list of strings"),
        ("command = 'python3'\ncwd = 3", "cwd: expected a string"),
        ("command = 'python3'\ncwd = 'nowhere'", "cwd: there is no folder"),
        ("command = 'python3'\nenv = { A = 3 }", "variables are strings"),
        ("command = 'python3'\nseconds = true", "seconds: expected a number above 0"),
        ("command = 'python3'\nrestart = 1", "restart: expected true or false"),
    ],
)
def test_odd_files_are_rejected(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(text)
    refuses(OptionError, (message, lambda: agents.load_agent(f"bot:file={path}")))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bot", "by its command or by its file"),
        ("bot:command=a,file=b", "by its command or by its file"),
        ("bot:file=nowhere.toml", "nowhere.toml: No such file"),
        ("bot:command=no_such_program", "no program 'no_such_program'"),
        ("bot:command=./no_such_file", "there is no file no_such_file"),
        ("bot:command=README.md", r"write \./README.md"),
        ("bot:command=./README.md", r"may not be executed; chmod \+x"),
        ("bot:command='python3", "cannot be split into words"),
        ("bot:command=python3,seconds=0", "seconds: expected a number above 0, not 0"),
        ("bot:command=python3,seconds=soon", "seconds: expected a number above 0, not 'soon'"),
        ("bot:command=python3,memory_mb=-1", "memory_mb: expected a number above 0"),
        ("bot:command=python3,grace=-1", "grace: expected a number of 0 or more"),
        ("bot:command=python3,depth=3", "no parameter 'depth'; it takes: file, command"),
        ("bot:command=python3,log=/no/such/folder/log", "log: there is no folder"),
    ],
)
def test_odd_specs_are_rejected(spec: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    refuses(OptionError, (message, lambda: agents.load_agent(spec)))


def test_a_script_without_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_text("print('no shebang')\n")
    path.chmod(0o755)
    refuses(
        AgentCrashError,
        (
            r"cannot be started: .*its first line name the interpreter",
            lambda: SubprocessAgent(str(path)).begin(GAME, 0),
        ),
    )


# hawaii bot


def run_check(make_agent: Callable[[], SubprocessAgent], **options: Any) -> tuple[bool, str]:
    lines: list[str] = []
    passed = check(make_agent, GAME, out=lines.append, **options)
    return passed, "\n".join(lines)


def test_check_passes_a_good_bot(make: Make) -> None:
    passed, text = run_check(lambda: make(seed=1), games=3)
    assert passed, text
    assert "ready after" in text
    assert "3 games against random" in text
    assert "exits" in text
    assert "the same seeds give the same game" in text
    assert "median" in text


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("illegal action", "in game 1 of 3, as red_0, seed 0: .*Choose an 'action'"),
        ("garbage", "Print whatever else to standard error"),
        ("dies", "IndexError.*run it by hand"),
        ("hangs", "no answer within.*flush its output"),
        ("stays", "it still ran 1 s after 'quit'"),
    ],
)
def test_check_says_what_is_wrong(mode: str, message: str, make: Make) -> None:
    passed, text = run_check(lambda: make(mode, seconds=0.2 if mode == "hangs" else 5.0), games=3)
    assert not passed
    assert re.search(message, text, re.DOTALL), text


def command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_bot_arguments(parser, lambda parser: None)
    return run_bot(parser.parse_args(words), lambda: GAME)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("check", f"{sys.executable} {BOT}", "--games", "1", "--verbose", "--seconds", "5") == 0
    shown = capsys.readouterr()
    assert "note  the same seeds" in shown.out
    assert '> {"type":"hello"' in shown.err
    assert '< {"type": "ready"' in shown.err
    assert command("check", f"{sys.executable} {BOT} garbage", "--games", "1") == 1


def test_the_published_schema_is_the_code_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("schema") == 0
    printed = capsys.readouterr().out
    published = (ROOT / "docs" / "bots.schema.json").read_text(encoding="utf-8")
    assert json.loads(published) == json.loads(printed), "stale: hawaii bot schema > docs/bots.schema.json"


# The examples of the documentation


@pytest.mark.parametrize(("name", "interpreter"), [("bot.py", "python3"), ("bot.pl", "perl"), ("bot.js", "node")])
def test_the_examples_play(name: str, interpreter: str) -> None:
    if shutil.which(interpreter) is None:
        pytest.skip(f"there is no {interpreter}")
    cap = 256.0 if LINUX else None
    passed, text = run_check(lambda: SubprocessAgent(str(EXAMPLES / name), seconds=5.0, seed=1, memory_mb=cap), games=3)
    assert passed, text


def test_the_example_file(tmp_path: Path) -> None:
    with agents.load_agent(f"bot:file={EXAMPLES / 'bot.toml'}") as bot:  # pyright: ignore[reportGeneralTypeIssues]
        assert (bot.seconds, bot.memory_mb) == (0.5, 256.0)
        bot.begin(GAME, 0)
        assert bot.name == "eager python"


def test_max_line_is_what_the_documentation_says() -> None:
    text = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    assert f"{MAX_LINE:,} bytes" in text
