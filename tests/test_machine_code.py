"""Machine code of rules: what it is filed by, when it is made, who is told, and what happens to it; with a package of
tiny rules.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from refusals import refuses

import hawaii_env
import hawaii_env.hawaii1795  # so that it is not first loaded, and asked for its mode, while a test counts games
from hawaii_env.core import background, closure, jit
from hawaii_env.core import cache as code_cache
from hawaii_env.core.closure import RuleError

ROOT = Path(__file__).resolve().parents[1]

NUMBERS = "SIDES = 6\n"
DICE = '''"""Dice."""
import numpy as np
from hawaii_env.core.jit import rule
from . import numbers

TABLE = np.array([1, 2, 3])
NAMES = {}  # no rule uses it


@rule
def half(x):
    """Half of it."""
    return x // 2


@rule
def roll(x):
    return half(x) + numbers.SIDES + TABLE[1]


@rule
def other(x):
    return x


def seen():
    return "a picture"
'''
GAME = """import os, time
from hawaii_env.core.jit import EntryPoints
from . import dice

DOORS = EntryPoints("dice", "rules", [dice.roll], seconds=1, begins=True)


def examples():
    if os.environ.get("SLOW_EXAMPLES"):
        time.sleep(3)
    return {"roll": (1,)}


class Dice:
    name = "dice"

    def compile(self):
        if os.environ.get("BEGUN"):
            with open(os.environ["BEGUN"], "a") as file:
                file.write("begun\\n")
            time.sleep(float(os.environ["LASTS"]))
        DOORS.for_a_job(examples)
"""


class Package:
    """A package of rules that can be edited and imported anew, as another process would."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder / name, name
        self.folder.mkdir()
        for file, text in (("__init__", ""), ("numbers", NUMBERS), ("dice", DICE), ("game", GAME)):
            self.write(file, text)

    def write(self, file: str, text: str) -> None:
        (self.folder / f"{file}.py").write_text(text, encoding="utf-8")

    def edit(self, file: str, old: str, new: str) -> None:
        text = (self.folder / f"{file}.py").read_text(encoding="utf-8")
        assert old in text
        self.write(file, text.replace(old, new))

    def load(self, module: str) -> ModuleType:
        for name in [name for name in sys.modules if name.partition(".")[0] == self.name]:
            del sys.modules[name]
        for folder in self.folder.glob(
            "__pycache__/*"
        ):  # a second edit within one tick of the clock is one of the same file, for Python
            folder.unlink()
        importlib.invalidate_caches()
        return importlib.import_module(f"{self.name}.{module}")


@pytest.fixture
def make_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Package]]:
    """Packages, in a process that compiles, with an empty cache of its own."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("HAWAII_ENV_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jit, "INTERPRETED", False)
    monkeypatch.setattr(jit, "AUTOMATIC", False)
    monkeypatch.setattr(jit, "_doors", [])
    monkeypatch.setattr(jit, "_background", background.Background())
    known = set(sys.modules)
    yield lambda name: Package(tmp_path, name)
    for name in set(sys.modules) - known:
        if (tmp_path / name.partition(".")[0]).is_dir():
            del sys.modules[name]


@pytest.fixture
def package(make_package: Callable[[str], Package]) -> Package:
    return make_package("island")


def hits(door: Any) -> int:
    return sum(door.stats.cache_hits.values())


# What code is filed by


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("dice", '"""Half of it."""', '"""Another text."""'),
        ("dice", "@rule\ndef other(x):\n    return x", "@rule\ndef other(x):\n    return x + 1"),
        ("dice", '"a picture"', '"another picture"'),
        ("dice", "import numpy", "# a line more\nimport numpy"),
        ("numbers", "SIDES", "MORE = 1\nSIDES"),
    ],
)
def test_what_a_rule_does_not_use_compiles_nothing_anew(package: Package, file: str, old: str, new: str) -> None:
    before = closure.of(package.load("dice").roll)
    package.edit(file, old, new)
    assert closure.of(package.load("dice").roll) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("dice", "+ numbers.SIDES", "+ 2 * numbers.SIDES"),
        ("dice", "x // 2", "x // 3"),
        ("dice", "[1, 2, 3]", "[1, 4, 3]"),
        ("dice", "[1, 2, 3]", "[1, 2, 3], np.int8"),
        ("numbers", "6", "8"),
        ("numbers", "6", "6.0"),
    ],
)
def test_an_edit_of_what_a_rule_uses_is_never_missed(package: Package, file: str, old: str, new: str) -> None:
    """The rule, one that it calls, its constants, those of another module; in the digest, and in what the compiled rule
    answers.
    """
    module = package.load("dice")
    before, answer = closure.of(module.roll), jit.machine(module.roll)(9)
    package.edit(file, old, new)
    module = package.load("dice")
    assert closure.of(module.roll) != before
    assert jit.machine(module.roll)(9) == module.roll(9)
    assert module.roll(9) != answer or "6.0" in new or "int8" in new


def test_rules_of_another_package_are_part_of_it(package: Package, make_package: Callable[[str], Package]) -> None:
    """A game from another distribution may call rules of this one: an edit of either is seen."""
    mine = make_package("reef")
    mine.write(
        "dice",
        "from hawaii_env.core.jit import rule\nfrom island.dice import roll\n\n@rule\ndef twice(x):\n    return 2 * "
        "roll(x)\n",
    )
    package.load("dice")
    module = mine.load("dice")
    before = closure.of(module.twice)
    assert jit.machine(module.twice)(9) == 2 * (4 + 6 + 2)
    package.edit("numbers", "6", "8")
    package.load("dice")
    module = mine.load("dice")
    assert closure.of(module.twice) != before
    assert jit.machine(module.twice)(9) == 2 * (4 + 8 + 2)


def test_packages_with_modules_of_one_name_do_not_meet(make_package: Callable[[str], Package]) -> None:
    first, second = make_package("one"), make_package("two")
    second.edit("numbers", "6", "8")
    assert jit.machine(first.load("dice").roll)(0) == 8
    assert jit.machine(second.load("dice").roll)(0) == 10
    same = make_package("three").load("dice").roll
    assert closure.of(same) != closure.of(first.load("dice").roll)


def test_the_modes_differ_where_a_rule_says_so(package: Package) -> None:
    package.write(
        "dice",
        "from hawaii_env.core.jit import rule\n\ndef _first(x):\n    return x[0]\n\n@rule(compiled=_first)\ndef "
        "first(x):\n    return x.first\n\n@rule\ndef roll(x):\n    return first(x) + 1\n",
    )
    module = package.load("dice")
    assert jit.machine(module.roll)((4, 5)) == 5
    assert module.roll(type("Plain", (), {"first": 4})) == 5
    before = closure.of(module.roll)
    package.edit("dice", "x[0]", "x[1]")
    assert closure.of(package.load("dice").roll) != before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def helper(x):\n    return x\n\n@rule\ndef roll(x):\n    return helper(x)\n",
            "helper is no rule: mark it with @rule"),
        ("D = {}\n\n@rule\ndef roll(x):\n    return D[x]\n", "roll: D is a dict, which compiled code cannot hold"),
        ("@rule\ndef roll(x):\n    return nothing\n", "uses nothing, which its module does not have"),
        (
            "@rule\ndef there(x):\n    return roll(x - 1)\n\n@rule\ndef roll(x):\n    return there(x)\n",
            "in a ring: island.dice.roll -> island.dice.there -> island.dice.roll",
        ),
        (
            "def make(n):\n    @rule\n    def roll(x):\n        return x + n\n    return roll\n\nroll = make(2)\n",
            "give it arguments instead",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_compiled_is_refused_by_name(package: Package, text: str, message: str) -> None:
    package.write("dice", f"from hawaii_env.core.jit import rule\n\n{text}")
    module = package.load("dice")
    refuses(RuleError, (message, lambda: jit.machine(module.roll)))


# The store


def test_machine_code_is_made_once(package: Package) -> None:
    for times in range(2):
        door = jit.machine(package.load("dice").roll)
        assert door(9) == 12
        assert hits(door) == times


@pytest.mark.parametrize("damage", [b"", b"no pickle at all"])
def test_a_damaged_file_is_made_anew(package: Package, tmp_path: Path, damage: bytes) -> None:
    jit.machine(package.load("dice").roll)(9)
    files = [
        path for path in (tmp_path / "cache" / "machine-code" / "island.dice").iterdir() if path.name.startswith("roll")
    ]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for file in files:
        file.write_bytes(damage)
    assert jit.machine(package.load("dice").roll)(9) == 12
    door = jit.machine(package.load("dice").roll)
    assert door(9) == 12
    assert hits(door) == 1


def test_a_full_disk_costs_the_cache_alone(
    package: Package, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from numba.core import caching

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    assert jit.machine(package.load("dice").roll)(9) == 12
    assert "machine code could not be kept" in capsys.readouterr().err


def test_old_code_goes(tmp_path: Path) -> None:
    """What has not been used for a month goes, what lies beyond the last eight versions, and what belongs to
    nothing.
    """
    code, ready = tmp_path / "machine-code" / "island.dice", tmp_path / "ready"
    code.mkdir(parents=True)
    ready.mkdir()
    now, day = time.time(), 86400.0
    tags = {letter: letter * 24 for letter in "abcdef"}

    def put(path: Path, days: float, text: str = "") -> None:
        path.write_text(text, encoding="utf-8")
        os.utime(path, (now, now - days * day))

    for letter, days in {"a": 0, "b": 29, "c": 31}.items():
        put(ready / f"dice-rules-{tags[letter]}.json", days, f'{{"files": ["{tags[letter]}"]}}')
        put(code / f"roll-{tags[letter]}.py311.nbi", 40)
    put(ready / f"dice-search-{tags['d']}.json", 3, f'{{"files": ["{tags["d"]}", "{tags["b"]}"]}}')
    for letter, days in {"d": 40, "e": 0.5, "f": 2}.items():
        put(code / f"roll-{tags[letter]}.py311.1.nbc", days)
    put(code / f"roll-{tags['f']}.py311.1.nbc.tmp.0123", 2)
    put(code / "somebody's.txt", 400)
    for days in range(10):
        put(ready / f"reef-rules-{days}.json", days, '{"files": []}')
    old, elsewhere = tmp_path / "0123456789abcdef0123", tmp_path / "0123456789abcdef4567"
    (old / "hawaii1795_1").mkdir(parents=True)
    (old / "hawaii1795_1" / "flow.take-316.py311.nbi").touch()
    elsewhere.mkdir()
    for folder in (old, elsewhere):
        os.utime(folder, (now, now - 40 * day))
    code_cache.prune(tmp_path, now)
    assert {path.name for path in code.iterdir()} == {
        "somebody's.txt",
        *(f"roll-{tags[letter]}.py311.nbi" for letter in "ab"),
        *(f"roll-{tags[letter]}.py311.1.nbc" for letter in "de"),
    }
    assert {path.name for path in ready.glob("dice*")} == {
        f"dice-rules-{tags['a']}.json", f"dice-rules-{tags['b']}.json", f"dice-search-{tags['d']}.json",
    }  # fmt: skip
    assert {path.stem for path in ready.glob("reef*")} == {f"reef-rules-{days}" for days in range(8)}
    assert elsewhere.is_dir() and not old.exists()


def test_what_is_used_stays_young(package: Package) -> None:
    game = package.load("game")
    game.Dice().compile()
    mark = game.DOORS.mark.path
    os.utime(mark, (time.time(), time.time() - 20 * 86400))
    assert package.load("game").DOORS.is_ready()
    assert time.time() - mark.stat().st_mtime < 3600


# Jobs


def test_a_job_says_that_it_compiles_and_how_long_it_took(package: Package, capsys: pytest.CaptureFixture[str]) -> None:
    assert package.load("game").DOORS.for_a_job(lambda: {"roll": (1,)}).roll(9) == 12
    said = capsys.readouterr().err
    assert said.startswith(
        "hawaii_env: compiling the rules of dice (once a version; some 1 s of processor time, less where parts are "
        "there) ... done in "
    )
    assert said.count("\n") == 1
    game = package.load("game")
    doors = game.DOORS.for_a_job(game.examples)
    assert doors.roll(9) == 12 and hits(doors.roll) == 1
    assert capsys.readouterr().err == ""


def test_other_types_than_foreseen_are_told(package: Package, capsys: pytest.CaptureFixture[str]) -> None:
    game = package.load("game")
    doors = game.DOORS.for_a_job(game.examples)
    capsys.readouterr()
    assert doors.roll(9.0) == 12
    assert capsys.readouterr().err.startswith("hawaii_env: compiling roll for arguments of other types")


def test_no_folder_can_be_written(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Jobs compile, and say so at every start; games play on in the plain mode, and say what would help."""
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("HAWAII_ENV_CACHE", str(tmp_path / "file" / "cache"))
    game = package.load("game")
    assert code_cache.folder() is None
    assert game.DOORS.for_a_job(game.examples).roll(9) == 12
    assert "at every start: no cache folder can be written" in capsys.readouterr().err
    monkeypatch.setattr(jit, "AUTOMATIC", True)
    game = package.load("game")
    assert not game.DOORS.now(game.examples, game.Dice())
    assert "no cache folder can be written: set HAWAII_ENV_CACHE" in capsys.readouterr().err


def test_the_mode_is_told(
    package: Package, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = package.load("game")
    assert hawaii_env.compiled  # HAWAII_ENV_PLAIN=0: the first game compiles
    monkeypatch.setattr(jit, "AUTOMATIC", True)
    monkeypatch.setattr(background, "SWITCH", "0")
    assert not hawaii_env.compiled
    for _ in range(2):
        assert not game.DOORS.now(game.examples, game.Dice())
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("hawaii_env: dice is not compiled yet: playing in the plain mode")
    game.Dice().compile()
    assert hawaii_env.compiled and game.DOORS.now(game.examples, game.Dice())
    monkeypatch.setattr(jit, "INTERPRETED", True)
    assert not hawaii_env.compiled and not game.DOORS.now(game.examples, game.Dice())
    assert game.DOORS.for_a_job(game.examples) is game.DOORS.plain


# In the background

PLAY = """
import sys, time
from island import game
from hawaii_env.core import jit
from hawaii_env.core.jit import _background

dice = game.Dice()
began = game.DOORS.now(game.examples, dice)
print("began", began, *(process.pid for process in _background.processes), flush=True)
end = time.monotonic() + float(sys.argv[1])
while not game.DOORS.now(game.examples, dice) and time.monotonic() < end:
    time.sleep(0.05)
print("compiled", jit.compiled(), game.DOORS.machine.roll(9) if jit.compiled() else 0)
"""


def play(folder: Path, seconds: float = 60, **more: str) -> subprocess.Popen[str]:
    """A process that plays in the automatic mode, until it is compiled."""
    environment = {
        **os.environ,
        "HAWAII_ENV_PLAIN": "",
        "HAWAII_ENV_CACHE": str(folder / "cache"),
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        **more,
    }
    return subprocess.Popen(
        [sys.executable, "-c", PLAY, str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_a_cold_process_plays_at_once_and_goes_on_compiled(package: Package, tmp_path: Path) -> None:
    """Another package's game, in the background and in the process that goes on; the next process begins compiled."""
    out, told = play(tmp_path).communicate()
    assert out.startswith("began False ") and out.endswith("compiled True 12\n"), (out, told)
    assert told.count("\n") == 1 and "plain mode" in told and "in the background" in told
    assert (tmp_path / "cache" / "background.log").read_bytes() == b""
    out, told = play(tmp_path).communicate()
    assert out == "began True\ncompiled True 12\n" and told == ""


@pytest.mark.slow
def test_of_many_cold_processes_one_compiles(package: Package, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    processes = [play(tmp_path, BEGUN=str(begun), LASTS="3") for _ in range(4)]
    for process in processes:
        out, told = process.communicate()
        assert out.endswith("compiled True 12\n") and told.count("\n") == 1, (out, told)
    assert begun.read_text(encoding="utf-8") == "begun\n"


@pytest.mark.slow
def test_a_killed_background_leaves_nothing_broken(package: Package, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    process = play(tmp_path, 1, BEGUN=str(begun), LASTS="60")
    assert process.stdout is not None
    pid = int(process.stdout.readline().split()[2])
    end = time.monotonic() + 30
    while not begun.exists() and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    out, _ = process.communicate()
    assert out == "compiled False 0\n"
    out, told = play(tmp_path).communicate()
    assert out.endswith("compiled True 12\n"), (out, told)


@pytest.mark.slow
def test_a_background_that_fails_is_told(package: Package, tmp_path: Path) -> None:
    package.edit("game", "    def compile(self):\n", "    def compile(self):\n        raise RuntimeError('no coral')\n")
    out, told = play(tmp_path, 10).communicate()
    assert out.endswith("compiled False 0\n")
    assert told.count("\n") == 2 and "compiling in the background failed, games stay plain: see " in told
    assert "no coral" in (tmp_path / "cache" / "background.log").read_text(encoding="utf-8")


@pytest.mark.slow
def test_of_two_jobs_one_waits(package: Package, tmp_path: Path) -> None:
    processes = [play(tmp_path, HAWAII_ENV_PLAIN="0", SLOW_EXAMPLES="1") for _ in range(2)]
    told = []
    for process in processes:
        out, error = process.communicate()
        assert out == "began True\ncompiled True 12\n"
        told.append(error)
    assert sorted("another process compiles" in error for error in told) == [False, True]
    assert sum("done in" in error for error in told) == 1
