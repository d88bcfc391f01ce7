"""The command: its arguments, and a server as it runs by itself."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from refusals import refuses

from hawaii_env import agents, games
from hawaii_env.cli import main
from hawaii_env.errors import OptionError
from hawaii_env.web.server import (
    HINTS,
    NOT_OFFERED,
    _here,
    add_serve_arguments,
    default_database,
    listen,
    players_for,
    run_serve,
)

pytest.importorskip("uvicorn")


pytestmark = pytest.mark.usefixtures("kept_loggers")


def parsed(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_serve_arguments(parser)
    return parser.parse_args(given)


def test_defaults() -> None:
    found = parsed()
    assert (found.host, found.port, found.workers) == ("127.0.0.1", 1795, 1)
    assert default_database().name == "games.sqlite"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--agent", "nobody"), "there is no agent 'nobody'"),
        (("--agent", "../x"), "an agent is named as"),
        (("--hint", "nobody:x=1"), "there is no agent 'nobody'"),
        (("--only",), "--only needs an --agent"),
        (("--load", "/nowhere/bot.py"), "there is no Python file"),
    ],
)
def test_bad_arguments(given: tuple[str, ...], words: str) -> None:
    refuses(OptionError, (words, lambda: run_serve(parsed(*given))))


@pytest.mark.parametrize(
    ("option", "texts", "words"),
    [
        ("--seconds", ("0", "-1", "x", "inf"), "expected a number above 0"),
        ("--session-days", ("0",), "expected a number above 0"),
        ("--port", ("70000", "0"), "expected an integer from 1 to 65535"),
        ("--rate", ("often", "0/second", ""), "expected a rate such as 200/5 seconds"),
        ("--heavy-rate", ("-1/day",), "expected a rate such as"),
        ("--trust-proxy", ("proxy.example",), "'proxy.example' does not appear to be an IPv4 or IPv6"),
    ],
)
def test_bad_values(option: str, texts: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    for text in texts:
        with pytest.raises(SystemExit):
            parsed(f"{option}={text}")
        assert f"argument {option}: {words}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--database", "{tmp}/text/games.sqlite"), "the folder of the database cannot be created"),
        (("--database", "{tmp}"), "must be a regular file"),
        (("--database", "{tmp}/text"), "text: the file is not a database"),
        (("--database", "/dev/full"), "must be a regular file"),
        (("--database", "{tmp}/\udcff/x"), None),
        (("--host", "no.such.host.invalid"), "cannot listen on port"),
        (("--host", "x" * 70), "cannot listen on port"),
        (("--host", "192.0.2.1"), "cannot listen on port"),  # nobody's address [RFC 5737]
        (("--security-log", "{tmp}/text/x.log"), "cannot be written: Not a directory"),
    ],
)
def test_errors_are_printed_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, str], words: str | None
) -> None:
    (tmp_path / "text").write_text("not a folder, and not a database, either; " * 50)
    with listen("127.0.0.1", 0)[0] as free:
        port = free.getsockname()[1]
    option, value = given
    arguments = [option, value.replace("{tmp}", str(tmp_path)), "--port", str(port), "--agent", "random", "--only"]
    if option != "--database":
        arguments += ["--database", str(tmp_path / "games.sqlite")]
    if words is None:  # a path that is not a text does as any other: the port is asked for first
        with listen("127.0.0.1", port)[0]:
            words, status = "another program uses it", main(["serve", *arguments])
    else:
        status = main(["serve", *arguments])
    told = capsys.readouterr()
    assert status == 2
    assert words in told.err
    assert "Traceback" not in told.err
    assert "Open http" not in told.out
    assert not Path("/dev/full.lock").exists()


def test_a_port_in_use_is_reported_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0)[0] as taken:
        port = taken.getsockname()[1]
        database = tmp_path / "games.sqlite"
        refuses(
            OptionError,
            (
                f"port {port} of 127.0.0.1: another program uses it",
                lambda: run_serve(parsed("--port", str(port), "--database", str(database))),
            ),
        )
    assert capsys.readouterr().out == ""
    assert not database.exists()


def test_proxies_are_named_or_on_this_machine() -> None:
    assert parsed().trust_proxy == ()
    assert parsed("--trust-proxy").trust_proxy == ("127.0.0.1", "::1")
    assert parsed("--trust-proxy", "10.0.0.0/8").trust_proxy == ("10.0.0.0/8",)


def test_agents_that_need_words_are_offered_by_name_alone() -> None:
    assert HINTS[0] == "champion"
    assert set(NOT_OFFERED) <= set(agents.known())


@pytest.mark.parametrize("game", games.list_games())
def test_agents_of_other_games_are_neither_offered_nor_tried(game: str) -> None:
    offered, hints = players_for(parsed("--game", game))
    assert {"random", "mcts"} <= set(offered) and hints and "optimal" not in offered
    made_for = [agents.describe(agents.parse_agent(agent)[0]).games for agent in (*offered, *hints)]
    assert any(made_for) and all(game in games for games in made_for if games)
    assert players_for(parsed("--game", game, "--agent", "rule-of-thumb", "--only"))[0] == ("rule-of-thumb",)


def test_here() -> None:
    assert _here("127.0.0.1")
    assert _here("::1")
    assert _here("localhost")
    assert not _here("0.0.0.0")
    assert not _here("games.example")


SLOW = """
import pathlib, time
from hawaii_env import agents, games

class Slow(agents.RandomAgent):
    def act(self, state, legal_actions, clock=None):
        while not pathlib.Path(r"{go}").exists():
            time.sleep(0.05)
        return super().act(state, legal_actions, clock)

class Broken(agents.RandomAgent):
    def act(self, state, legal_actions, clock=None):
        raise RuntimeError("no paddle")

agents.register("slow", Slow)
agents.register("broken", Broken)
"""


@pytest.mark.slow
def test_a_cold_server_answers_while_it_tries_its_agents(tmp_path: Path) -> None:
    """Nothing is compiled, and an agent takes its time, as one that compiles does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "slow.py").write_text(SLOW.replace("{go}", str(tmp_path / "go")))
    arguments = ["--port", str(port), "--load", str(tmp_path / "slow.py"), "--only", "--hint", "random"]
    arguments += ["--agent", "broken", "--agent", "slow", "--agent", "random"]
    process = subprocess.Popen(
        [sys.executable, "-m", "hawaii_env", "serve", *arguments, "--database", str(tmp_path / "x" / "g.db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "HAWAII_ENV_PLAIN": "", "HAWAII_ENV_BACKGROUND": "0", "HAWAII_ENV_CACHE": str(tmp_path)},
        cwd=Path(__file__).parents[2],
    )

    def get(path: str, wanted: Callable[[str], bool]) -> str:
        end = time.monotonic() + 120
        while True:
            assert process.poll() is None, process.stdout and process.stdout.read()
            assert time.monotonic() < end
            with contextlib.suppress(OSError):
                answer = urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10).read().decode()
                if wanted(answer):
                    return answer
            time.sleep(0.1)

    try:
        assert "<title>Hawaii, 1795</title>" in get("/", bool)
        assert (tmp_path / "x" / "g.db").exists()
        setup = json.loads(get("/api/setup", bool))
        assert setup["trying"] in (["the rules"], ["the rules", "broken"]) and [
            each["agent"] for each in setup["agents"]
        ] == ["random"]
        (tmp_path / "go").touch()
        setup = json.loads(get("/api/setup", lambda answer: not json.loads(answer)["trying"]))
        assert [each["agent"] for each in setup["agents"]] == ["slow", "random"] and setup["hint"] == "random"
    finally:
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
    assert "Opponents: slow, random. Hints: random." in told
    assert "agent 'broken' is not offered: agent 'broken' crashed: RuntimeError: no paddle" in told
    assert told.count("run as plain Python") == 1
    assert "Traceback" not in told
