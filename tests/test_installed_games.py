"""Games of another package, found by their entry points, without pictures, words or guide: every command plays them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from three_games import GAMES, installed

from hawaii_env import cli, games, records

__all__ = ["installed"]  # the fixture


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    status = cli.main(arguments)
    told = capsys.readouterr()
    assert status == 0, told.err
    return told.out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", GAMES)
def test_demo_replay_record_and_fuzz(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(
        capsys, "demo", "--game", name, "--games", "2", "--seed", "7", "--plain", "--record", str(folder), *GAMES[name]
    )
    assert f"Game 2 of 2: {games.find(name).title}, seed 8, " in told
    assert re.search(r"^2 games, \d+ decisions\. Won: ", told, re.MULTILINE)
    first, second = sorted(folder.glob(f"{name}-*.jsonl"))
    assert records.read(first).header["game"] == name
    if GAMES[name]:
        assert records.read(first).header["params"]["rounds"] == int(GAMES[name][-1].rpartition("=")[2])
    assert run(capsys, "record", "verify", str(first), str(second)).count("ok  ") == 2
    assert "events" in run(capsys, "record", "verify", str(first)) and run(
        capsys, "record", "show", str(first), "--plain"
    )
    page = folder / f"{name}.html"
    run(capsys, "replay", str(first), "-o", str(page), "--value", "playouts:games=2", "--quiet")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    run(capsys, "animate", str(first), "-o", str(folder / f"{name}.gif"))
    told = run(capsys, "fuzz", "--game", name, "--games", "4", "--every", "1", "--out", str(folder), *GAMES[name])
    assert told.startswith(f"{name}: 4 games") and told.endswith("no violation\n")


@pytest.mark.usefixtures("installed")
def test_match_of_two(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("scipy")
    told = run(
        capsys, "match", "--game", "highest_die", "random:seed=1", "random:seed=2", "--pairs", "2", "--processes", "1",
        "--no-progress", "--plain",
    )  # fmt: skip
    assert "4 games" in told


@pytest.mark.usefixtures("installed")
def test_warm_takes_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "warm", "--game", "highest_die")


@pytest.mark.usefixtures("installed")
def test_errors_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        (("demo", "--game", "chess"), "there is no game 'chess'; available: aloha, hawaii1795, heiau, "),
        (("demo", "--game=lagoon", "--option", "rounds=9"), "rounds: expected one of 1, 2, 3, 4, not '9'"),
        (("demo", "--game", "lagoon", "--option", "depth=3"), "lagoon has no option 'depth'; it takes: rounds"),
        (("demo", "--game", "tides", "--rounds", "x"), "rounds: expected an integer"),
        (("demo", "--option", "scenario"), "--option: expected NAME=VALUE, not 'scenario'"),
        (("serve", "--game", "lagoon", "--option", "rounds=2"), "players choose it on the page"),
    ):
        assert cli.main(arguments) == 2
        assert words in capsys.readouterr().err


def test_as_a_command_of_its_own(installed: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "hawaii_env",
        "demo",
        "--game",
        "lagoon",
        "--rounds",
        "1",
        "--seed",
        "1",
        "--quiet",
        "--plain",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=installed, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Game 1 of 1: Lagoon, seed 1, red_0 = random")
