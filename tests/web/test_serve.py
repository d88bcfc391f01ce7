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

from hawaii_env import agents
from hawaii_env.errors import OptionError
from hawaii_env.web.server import HINTS, NOT_OFFERED, _here, _known, add_serve_arguments, default_database, run_serve


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
    with pytest.raises(OptionError, match=words):
        run_serve(parsed(*given))


def test_bad_numbers() -> None:
    for text in ("0", "-1", "x", "inf"):
        with pytest.raises(SystemExit):
            parsed("--seconds", text)


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
    code = "from tests.web.test_serve import parsed, run_serve; import sys; raise SystemExit(run_serve(parsed(*sys.argv[1:])))"
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
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "HAWAII_ENV_PLAIN": "1"},
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
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
