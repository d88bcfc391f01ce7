"""The plain and the compiled mode, processes, and the cache of the compiled code."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hawaii_env import _jit

from .helpers import ROOT, digest_of_games, python

GAMES_TOLD = "from engine.helpers import digest_of_games; print(digest_of_games(range(int({0}))))"
PLAY = (
    "from hawaii_env.hawaii1795 import Game; state = Game().initial_state(1); state.apply(state.legal_actions()[0]);"
    "print(state.to_json())"
)
SETTLED = {"HAWAII_ENV_BOUNDS_CHECK": "0"}


def test_the_modes_play_identical_games() -> None:
    """Decisions, chance outcomes, positions and generators of both scenarios with both options, step by step.

    The other process is in the plain mode; run the tests compiled to compare the two.
    """
    told = python(GAMES_TOLD.format(8), HAWAII_ENV_PLAIN="1").stdout.strip()
    assert told == digest_of_games(range(8))


@pytest.mark.slow
def test_the_modes_play_identical_games_for_long() -> None:
    plain = python(GAMES_TOLD.format(120), HAWAII_ENV_PLAIN="1").stdout
    assert plain == python(GAMES_TOLD.format(120), HAWAII_ENV_PLAIN=None).stdout


def test_one_seed_is_one_game_in_every_process() -> None:
    """Hash randomisation and the process play no part."""
    wanted = digest_of_games(range(4))
    for number in ("0", "1"):
        done = python(GAMES_TOLD.format(4), PYTHONHASHSEED=number)
        assert done.stdout.strip() == wanted


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, to edit."""
    copied = tmp_path / "hawaii_env"
    shutil.copytree(ROOT / "hawaii_env", copied, ignore=shutil.ignore_patterns("__pycache__"))
    return copied


def _digest(package: Path, **environment: str | None) -> str:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from hawaii_env import _jit;"
        "assert _jit.__file__.startswith(sys.argv[1]); print(_jit.engine_digest())"
    )
    return python(code, str(package.parent), HAWAII_ENV_PLAIN="1", **environment).stdout.strip()


def test_a_stale_cache_is_impossible(package: Path) -> None:
    """Machine code is looked for under a digest of every engine file, so that an edit anywhere misses what was compiled before."""
    before = _digest(package)
    assert before == _digest(package) == _digest(package, HAWAII_ENV_CACHE="/elsewhere")
    seen = {before, _digest(package, HAWAII_ENV_BOUNDS_CHECK="0" if _jit.BOUNDS_CHECK else "1")}
    for name in ("hawaii1795/names.py", "hawaii1795/pieces.py", "_jit.py"):
        path = package / name
        text = path.read_text(encoding="utf-8")
        path.write_text(text + "\n# changed\n", encoding="utf-8")
        seen.add(_digest(package))
        path.write_text(text, encoding="utf-8")
    assert len(seen) == 5 and _digest(package) == before


def test_every_engine_file_is_in_the_digest() -> None:
    """A module with rules that the digest does not know could be edited behind the cache's back."""
    known = set(_jit.engine_files())
    with_rules = {
        path.resolve()
        for path in (ROOT / "hawaii_env").rglob("*.py")
        if "@rule" in path.read_text(encoding="utf-8") or "@_jit.rule" in path.read_text(encoding="utf-8")
    }
    assert with_rules <= known, sorted(str(path) for path in with_rules - known)


CACHE = "from hawaii_env import _jit; print(_jit.CACHE_DIR)"


def test_where_the_cache_is(tmp_path: Path) -> None:
    told = python(CACHE, HAWAII_ENV_PLAIN=None, HAWAII_ENV_CACHE=str(tmp_path / "here")).stdout.strip()
    assert Path(told).parent == tmp_path / "here" and Path(told).is_dir()
    told = python(CACHE, HAWAII_ENV_PLAIN=None, HAWAII_ENV_CACHE=None, XDG_CACHE_HOME=str(tmp_path)).stdout.strip()
    assert Path(told).parent == tmp_path / "hawaii_env"
    assert python(CACHE, HAWAII_ENV_PLAIN="1").stdout.strip() == "None"


def test_no_cache_can_be_written(tmp_path: Path) -> None:
    """A path below a file, and (where one is not root) a folder without permission: there is no cache, and no error."""
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    for place in (tmp_path / "file" / "cache", Path("/proc/none")):
        assert python(CACHE, HAWAII_ENV_PLAIN=None, HAWAII_ENV_CACHE=str(place)).stdout.strip() == "None"
    if os.geteuid() != 0:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o500)
        assert python(CACHE, HAWAII_ENV_PLAIN=None, HAWAII_ENV_CACHE=str(closed)).stdout.strip() == "None"


@pytest.mark.slow
def test_without_a_cache_it_still_plays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    wanted = python(PLAY, HAWAII_ENV_PLAIN="1").stdout
    done = python(PLAY, HAWAII_ENV_PLAIN=None, HAWAII_ENV_CACHE=str(tmp_path / "file" / "cache"), **SETTLED)
    assert done.stdout == wanted
    assert done.stderr.count("compiling the rules") == 1 and "no cache folder can be written" in done.stderr


@pytest.mark.slow
def test_the_first_run_says_that_it_compiles(tmp_path: Path) -> None:
    """Once, on stderr; a run that finds the machine code says nothing, and plays the same."""
    first = python(PLAY, HAWAII_ENV_PLAIN=None, HAWAII_ENV_CACHE=str(tmp_path), **SETTLED)
    second = python(PLAY, HAWAII_ENV_PLAIN=None, HAWAII_ENV_CACHE=str(tmp_path), **SETTLED)
    assert first.stderr.count("compiling the rules") == 1 and first.stderr.count("\n") == 1
    assert second.stderr == "" and first.stdout == second.stdout


def test_the_plain_mode_says_nothing() -> None:
    done = python(PLAY, HAWAII_ENV_PLAIN="1")
    assert done.stderr == "" and done.stdout.startswith("{")
