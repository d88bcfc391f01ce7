"""The command: its arguments, and a server as it runs by itself."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from refusals import refuses

from hawaii_env import agents
from hawaii_env.cli import main
from hawaii_env.errors import OptionError
from hawaii_env.web.server import (
    HINTS,
    LOOPBACK,
    NOT_OFFERED,
    _here,
    _known,
    add_serve_arguments,
    default_database,
    listen,
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
        (("--port", "70000"), "--port: 1 to 65535"),
        (("--load", "/nowhere/bot.py"), "there is no Python file"),
    ],
)
def test_bad_arguments(given: tuple[str, ...], words: str) -> None:
    refuses(OptionError, (words, lambda: run_serve(parsed(*given))))


def test_bad_numbers() -> None:
    for option in ("--seconds", "--session-days"):
        for text in ("0", "-1", "x", "inf"):
            with pytest.raises(SystemExit):
                parsed(option, text)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--rate", "often"), "rate: wanted is a number in a time, as 200/5 seconds, not 'often'"),
        (("--trust-proxy", "proxy.example"), "trusted: 'proxy.example' does not appear to be an IPv4 or IPv6"),
        (("--database", "{tmp}/text/games.sqlite"), "the folder of the database cannot be made"),
        (("--database", "{tmp}"), "must be a file"),
        (("--database", "{tmp}/text"), "text: the file is not a database"),
        (("--database", "/dev/full"), "must be a file"),
        (("--database", "{tmp}/\udcff/x"), None),
        (("--host", "no.such.host.invalid"), "cannot listen on port"),
        (("--host", "x" * 70), "cannot listen on port"),
        (("--host", "192.0.2.1"), "cannot listen on port"),  # nobody's address [RFC 5737]
        (("--security-log", "{tmp}/text/x.log"), "it cannot be written: Not a directory"),
    ],
)
def test_what_cannot_be_is_told_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, str], words: str | None
) -> None:
    (tmp_path / "text").write_text("not a folder, and not a database, either; " * 50)
    with listen("127.0.0.1", 0)[0] as free:
        port = free.getsockname()[1]
    option, value = given
    arguments = [option, value.replace("{tmp}", str(tmp_path)), "--port", str(port), "--agent", "random", "--only"]
    if option != "--database":
        arguments += ["--database", str(tmp_path / "games.sqlite")]
    if words is None:  # a path that is no text does as any other: the port is asked for first
        with listen("127.0.0.1", port)[0]:
            words, status = "taken by another program", main(["serve", *arguments])
    else:
        status = main(["serve", *arguments])
    told = capsys.readouterr()
    assert status == 2
    assert words in told.err
    assert "Traceback" not in told.err
    assert "Open http" not in told.out
    assert not Path("/dev/full.lock").exists()


def test_a_port_that_is_taken_is_told_before_anything_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0)[0] as taken:
        port = taken.getsockname()[1]
        database = tmp_path / "games.sqlite"
        refuses(
            OptionError,
            (
                f"port {port} of 127.0.0.1: it is taken by another program",
                lambda: run_serve(parsed("--port", str(port), "--database", str(database))),
            ),
        )
    assert capsys.readouterr().out == ""
    assert not database.exists()


def test_proxies_are_named_or_on_this_machine() -> None:
    assert parsed().trust_proxy == ""
    assert parsed("--trust-proxy").trust_proxy == LOOPBACK
    assert parsed("--trust-proxy", "10.0.0.0/8").trust_proxy == "10.0.0.0/8"


def test_agents_that_need_words_are_offered_by_name_alone() -> None:
    assert HINTS[0] == "champion"
    assert set(NOT_OFFERED) <= set(agents.known())
    assert _known(["bot", "random"]) == ["random"]


def test_here() -> None:
    assert _here("127.0.0.1")
    assert _here("::1")
    assert _here("localhost")
    assert not _here("0.0.0.0")
    assert not _here("games.example")


@pytest.mark.slow
def test_the_server_by_itself(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = (
        "from tests.web.test_serve import parsed, run_serve; import sys; raise "
        "SystemExit(run_serve(parsed(*sys.argv[1:])))"
    )
    command = [
        sys.executable,
        "-c",
        code,
        "--port",
        str(port),
        "--agent",
        "random",
        "--only",
        "--hint",
        "random",
        "--database",
        str(tmp_path / "x" / "g.db"),
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "HAWAII_ENV_PLAIN": "1"},
        cwd=Path(__file__).parents[2],
    )
    try:
        end = time.monotonic() + 240
        page = ""
        while not page:
            assert process.poll() is None, process.stdout and process.stdout.read()
            assert time.monotonic() < end
            try:
                page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10).read().decode()
            except OSError:
                time.sleep(0.3)
        assert "<title>Hawaii, 1795</title>" in page
        assert (tmp_path / "x" / "g.db").exists()
    finally:
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
    assert "Opponents: random. Hints: random." in told
    assert "Traceback" not in told
