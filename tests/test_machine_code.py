"""Machine code of a package of tiny rules: what it is filed by, when it is made, what is printed, what is removed."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
import pytest
from refusals import refuses

import hawaii_env
import hawaii_env.hawaii1795  # so that it is not first loaded, and asked for its mode, while a test counts games
from hawaii_env import games
from hawaii_env.core import background, closure, compiler, jit
from hawaii_env.core import cache as code_cache
from hawaii_env.core.checksum import add_checksum
from hawaii_env.core.closure import RuleError
from hawaii_env.rollouts import playouts

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
    return half(x) + numbers.SIDES + TABLE[1:][0]


@rule
def other(x):
    return x


def seen():
    return "a picture"
'''
GAME = """import os, time
from hawaii_env.core.jit import EntryPoints
from . import dice

DOORS = EntryPoints("dice", "rules", [dice.roll], begins=True)


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
        DOORS.compile_now(examples)
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
    monkeypatch.setattr(jit, "_entry_points", [])
    monkeypatch.setattr(jit, "_background", background.Background())
    known = set(sys.modules)
    yield lambda name: Package(tmp_path, name)
    for name in set(sys.modules) - known:
        if (tmp_path / name.partition(".")[0]).is_dir():
            del sys.modules[name]


@pytest.fixture
def package(make_package: Callable[[str], Package]) -> Package:
    return make_package("island")


def is_cached(doors: Any) -> bool:
    """Return True if the machine code of `roll` came from the cache: numba has told nothing of how it was compiled."""
    return [result.metadata for result in doors.roll.overloads.values()] == [None]


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
        ("dice", "TABLE[1:]", "TABLE[2:]"),  # from Python 3.14 on a slice is a constant
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
    before, answer = closure.of(module.roll), jit.entry_point(module.roll)(9)
    package.edit(file, old, new)
    module = package.load("dice")
    assert closure.of(module.roll) != before
    assert jit.entry_point(module.roll)(9) == module.roll(9)
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
    assert jit.entry_point(module.twice)(9) == 2 * (4 + 6 + 2)
    package.edit("numbers", "6", "8")
    package.load("dice")
    module = mine.load("dice")
    assert closure.of(module.twice) != before
    assert jit.entry_point(module.twice)(9) == 2 * (4 + 8 + 2)


def test_packages_with_modules_of_one_name_do_not_meet(make_package: Callable[[str], Package]) -> None:
    first, second = make_package("one"), make_package("two")
    second.edit("numbers", "6", "8")
    assert jit.entry_point(first.load("dice").roll)(0) == 8
    assert jit.entry_point(second.load("dice").roll)(0) == 10
    same = make_package("three").load("dice").roll
    assert closure.of(same) != closure.of(first.load("dice").roll)


def test_the_modes_differ_where_a_rule_says_so(package: Package) -> None:
    package.write(
        "dice",
        "from hawaii_env.core.jit import rule\n\ndef _first(x):\n    return x[0]\n\n@rule(compiled=_first)\ndef "
        "first(x):\n    return x.first\n\n@rule\ndef roll(x):\n    return first(x) + 1\n",
    )
    module = package.load("dice")
    assert jit.entry_point(module.roll)((4, 5)) == 5
    assert module.roll(type("Plain", (), {"first": 4})) == 5
    before = closure.of(module.roll)
    package.edit("dice", "x[0]", "x[1]")
    assert closure.of(package.load("dice").roll) != before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def helper(x):\n    return x\n\n@rule\ndef roll(x):\n    return helper(x)\n",
            "helper is not a rule: mark it with @rule"),
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
def test_rules_that_cannot_be_compiled_are_named(package: Package, text: str, message: str) -> None:
    package.write("dice", f"from hawaii_env.core.jit import rule\n\n{text}")
    module = package.load("dice")
    refuses(RuleError, (message, lambda: jit.entry_point(module.roll)))


def test_flags_are_part_of_what_code_is_filed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jit._environment.__wrapped__()
    monkeypatch.setattr(jit, "BOUNDS_CHECK", not jit.BOUNDS_CHECK)
    assert jit._environment.__wrapped__() != before


# The cache


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAWAII_ENV_CACHE", str(tmp_path / "here"))
    assert code_cache.folder() == tmp_path / "here" and (tmp_path / "here").is_dir()
    monkeypatch.delenv("HAWAII_ENV_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert code_cache.folder() == tmp_path / "hawaii_env"


def test_machine_code_is_made_once(package: Package) -> None:
    for times in range(2):
        game = package.load("game")
        doors = game.DOORS.compile_now(game.examples)
        assert doors.roll(9) == 12
        assert is_cached(doors) == bool(times)


def _damaged(file: Path) -> list[bytes | None]:
    """Return what may lie in the place of a file of machine code. None: nothing."""
    good, no_code = file.read_bytes(), pickle.dumps(("no", "code"))
    flipped = [bytes([*good[:at], good[at] ^ 1, *good[at + 1 :]]) for at in (0, len(good) // 2, len(good) - 1)]
    other = add_checksum(good[: -len(add_checksum(b""))], "dice-rules-of-another-digest")
    return [None, b"", b"no code at all", no_code, add_checksum(no_code, file.stem), good[:-1], other, *flipped]


def test_a_damaged_file_is_made_anew(package: Package, tmp_path: Path) -> None:
    """Also one with a good checksum that no code can be loaded from; nothing is waited for or read without an end."""
    package.load("game").Dice().compile()
    (file,) = (tmp_path / "cache" / "code").iterdir()
    no_code = add_checksum(pickle.dumps(("no", "code")), file.stem)
    for put in (lambda _: file.write_bytes(no_code), os.mkfifo, partial(os.symlink, "/dev/zero")):
        file.unlink()
        put(file)
        for times in range(2):
            game = package.load("game")
            doors = game.DOORS.compile_now(game.examples)
            assert doors.roll(9) == 12 and is_cached(doors) == bool(times)


def test_nothing_is_ready_that_cannot_be_loaded(package: Package, tmp_path: Path, monkeypatch: Any) -> None:
    """`hawaii_env.compiled` speaks of the code itself. No game waits for a compiler, whatever lies in the cache."""
    package.load("game").Dice().compile()
    (file,) = (tmp_path / "cache" / "code").iterdir()
    monkeypatch.setattr(jit, "AUTOMATIC", True)
    monkeypatch.setattr(background, "SWITCH", "0")
    monkeypatch.setattr(jit.EntryPoints, "_compile", lambda *_: pytest.fail("it compiles"))
    good = file.read_bytes()
    for written in _damaged(file):
        file.unlink(missing_ok=True)
        if written is not None:
            file.write_bytes(written)
        monkeypatch.setattr(jit, "_entry_points", [])
        game = package.load("game")
        sealed = written is not None and written == add_checksum(pickle.dumps(("no", "code")), file.stem)
        assert hawaii_env.compiled == sealed
        assert not game.DOORS.use_compiled(game.examples, game.Dice()) and not hawaii_env.compiled
        assert not file.exists()
    file.write_bytes(good)
    monkeypatch.setattr(jit, "_entry_points", [])
    game = package.load("game")
    assert hawaii_env.compiled and game.DOORS.use_compiled(game.examples, game.Dice())


@pytest.mark.parametrize("name", hawaii_env.list_games())
def test_no_job_of_a_game_trusts_what_lies_in_the_cache(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hawaii_env.load_game(name)
    monkeypatch.setenv("HAWAII_ENV_CACHE", str(tmp_path))
    monkeypatch.setattr(jit, "INTERPRETED", False)
    (tmp_path / "code").mkdir()
    jobs = [points for points in jit._entry_points if points.game == name]
    assert {"rules", "batch", "playouts", "fuzzer"} <= {points.job for points in jobs}
    for points in jobs:
        monkeypatch.setattr(points, "_loaded", False)
        assert not points.is_ready()
        for written in (b"", b"no code", add_checksum(b"code of something else", "aloha-rules-0")):
            points.code.path.write_bytes(written)
            assert not points.is_ready() and not points.load() and not points.code.path.exists()


def test_a_cache_that_cannot_be_written_is_used(
    package: Package, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package.load("game").Dice().compile()
    capsys.readouterr()
    monkeypatch.setattr(code_cache, "folder", lambda: None)
    game = package.load("game")
    assert game.DOORS.is_ready() and is_cached(game.DOORS.compile_now(game.examples))
    monkeypatch.setattr(jit, "AUTOMATIC", True)
    game = package.load("game")
    assert game.DOORS.use_compiled(game.examples, game.Dice()) and game.DOORS.compiled.roll(9) == 12
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["dice-rules.lock", "code", "background-dice.lock", "background-dice.log"])
def test_a_folder_or_file_in_the_way_gets_a_sentence(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Code that cannot be locked or kept is compiled all the same; games begin."""
    if name == "code":
        (tmp_path / "cache").mkdir()
        (tmp_path / "cache" / name).write_text("no folder", encoding="utf-8")
    else:
        (tmp_path / "cache" / name).mkdir(parents=True)
    game = package.load("game")
    if "background" not in name:
        assert game.DOORS.compile_now(game.examples).roll(9) == 12
        said = capsys.readouterr().err
        assert str(tmp_path / "cache" / name) in said and ("cannot be locked" in said or "could not be kept" in said)
        return
    monkeypatch.setattr(jit, "AUTOMATIC", True)
    assert not game.DOORS.use_compiled(game.examples, game.Dice())
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"nothing can be compiled in the background ({tmp_path / 'cache' / name}: " in said


def test_a_full_disk_costs_the_cache_alone(
    package: Package, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hawaii_env.texts.os.replace", full)
    game = package.load("game")
    assert game.DOORS.compile_now(game.examples).roll(9) == 12
    assert "machine code could not be kept" in capsys.readouterr().err
    assert list((tmp_path / "cache" / "code").iterdir()) == []


def test_old_code_is_removed(tmp_path: Path) -> None:
    """What has not been used for a month, what lies beyond the last eight versions, and what was never finished."""
    now, day = time.time(), 86400.0

    def put(name: str, days: float) -> None:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (now, now - days * day))

    for letter, days in {"a": 0, "b": 29, "c": 31}.items():
        put(f"dice-rules-{letter * 24}.code", days)
    put(f"dice-search-{'d' * 24}.code", 3)
    for days in range(10):
        put(f"reef-rules-{str(days) * 24}.code", days)
    put(f".dice-rules-{'e' * 24}.code.17.part", 0.5)
    put(f".dice-rules-{'f' * 24}.code.18.part", 2)
    put("somebody's.txt", 400)
    code_cache.prune(tmp_path, now)
    assert {path.name for path in tmp_path.iterdir()} == {
        "somebody's.txt",
        *(f"dice-rules-{letter * 24}.code" for letter in "ab"),
        f"dice-search-{'d' * 24}.code",
        *(f"reef-rules-{str(days) * 24}.code" for days in range(8)),
        f".dice-rules-{'e' * 24}.code.17.part",
    }


def test_what_is_used_stays_young(package: Package) -> None:
    game = package.load("game")
    game.Dice().compile()
    path = game.DOORS.code.path
    os.utime(path, (time.time(), time.time() - 20 * 86400))
    assert package.load("game").DOORS.is_ready()
    assert time.time() - path.stat().st_mtime < 3600


# Compiled rules


def test_a_rule_compiles_once_for_all_entry_points(package: Package) -> None:
    """Inner rules are typed once a signature, default or given argument, and only entry points are machine code."""
    package.write(
        "dice",
        "from hawaii_env.core.jit import rule\n\n@rule\ndef add(x, y=1):\n    return x + y\n\n"
        "@rule\ndef roll(x):\n    return add(x) + add(x, 2) + add(x, x)\n\n"
        "@rule\ndef twice(x):\n    return roll(add(x))\n",
    )
    package.edit("game", "[dice.roll]", "[dice.roll, dice.add, dice.twice]")
    package.edit("game", '{"roll": (1,)}', '{"roll": (1,), "add": (1, 2), "twice": (1,)}')
    game = package.load("game")
    doors = game.DOORS.compile_now(game.examples)
    assert (doors.roll(9), doors.add(9, 3), doors.twice(8)) == (39, 12, 39)
    rules = {rule.__name__: compiled for rule, compiled in compiler._rules.items() if rule.__module__ == "island.dice"}
    assert {name: len(rules[name].overloads) for name in ("add", "roll", "twice")} == {"add": 1, "roll": 1, "twice": 1}
    (library,) = {
        result.library for name in ("roll", "add", "twice") for result in getattr(doors, name).overloads.values()
    }
    defined = [f.name for f in library._final_module.functions if not f.is_declaration and f.linkage.name == "external"]
    assert len(defined) == 3 and all("cpython" in name for name in defined)


SIGNATURES = """
import json, sys
from numba.core import types
from hawaii_env import load_game
from hawaii_env.core import compiler, jit
from hawaii_env.warm import warm

ARRAYS = types.Array, types.NestedArray, types.UniTuple
warm(load_game(sys.argv[1]))
told = {}
for rule, compiled in compiler._rules.items():
    kinds = [tuple("array" if isinstance(a, ARRAYS) else str(a) for a in args) for args in compiled.overloads]
    told[f"{rule.__module__}.{rule.__qualname__}"] = len(kinds), len(set(kinds))
jobs = [p for p in jit._entry_points if p.game == sys.argv[1] and p.job != "self-play"]  # no agent's
assert all(p.is_ready() for p in jobs), jobs
print(json.dumps([told, {p.job: [len(e.overloads) for e in vars(p.compiled).values()] for p in jobs}]))
"""


@pytest.mark.nightly
@pytest.mark.parametrize("name", hawaii_env.list_games())
def test_each_rule_of_a_game_compiles_once(name: str, tmp_path: Path) -> None:
    """From an empty cache, for all jobs: once; twice only if it takes two kinds of arrays (the raw and the scaled
    observation; the generator of a state and that of a player).
    """
    environment = {**os.environ, "HAWAII_ENV_PLAIN": "0", "HAWAII_ENV_BACKGROUND": "0"}
    done = subprocess.run(
        [sys.executable, "-c", SIGNATURES, name],
        env={**environment, "HAWAII_ENV_CACHE": str(tmp_path), "HAWAII_ENV_BOUNDS_CHECK": "0"},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    rules, entries = json.loads(done.stdout)
    assert len(rules) > 100 and {"rules", "batch", "playouts", "fuzzer"} <= set(entries)
    assert {rule: counts for rule, counts in rules.items() if counts != [1, 1] and counts != [2, 1]} == {}
    assert sum(counts == [2, 1] for counts in rules.values()) <= 10
    assert {job: counts for job, counts in entries.items() if set(counts) != {1}} == {}


JOBS = ("rules", "batch", "playouts", "fuzzer")


@pytest.mark.skipif(jit.INTERPRETED, reason="compiled only")
@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        *((name, JOBS) for name in ("aloha", "hawaii1795")),
        ("heiau", JOBS[:2]),
        pytest.param("maori_wars", JOBS[:2], marks=pytest.mark.slow),
        *(pytest.param(name, JOBS[2:], marks=pytest.mark.nightly) for name in ("heiau", "maori_wars")),
    ],
)
def test_every_variant_of_a_game_runs_the_same_machine_code(name: str, jobs: tuple[str, ...]) -> None:
    """Scenarios, boards and numbers of players compile nothing of their own."""
    spec = games.find(name)
    variants = [spec.make()]
    for option in spec.options:
        if option.values is not None:
            variants += [spec.make(**{option.name: value}) for value in spec.values_of(option)]
    if any(option.name == "players" for option in spec.options):
        variants += [spec.make(players=players) for players in range(spec.players[0], spec.players[1] + 1)]
    for game in variants:
        state = game.initial_state(seed=1)
        for _ in range(20):
            state.apply(state.legal_actions()[-1])
        state.observation(0)
        if "batch" in jobs:
            batch = hawaii_env.make_batch(game, 2)
            batch.reset(seed=1)
            batch.step(batch.sample_actions())
        if "playouts" in jobs:
            playouts(game.initial_state(seed=1), 1, seed=1)
            cast(Any, game).fuzz_batch([1])
    for points in jit._entry_points:
        if points.game == name and points.job in jobs:
            assert {len(entry.overloads) for entry in vars(points.compiled).values()} == {1}, points.job


def test_an_array_that_numba_would_point_to_is_rejected(package: Package) -> None:
    package.edit("dice", "[1, 2, 3]", "range(300_000)")
    game = package.load("game")
    with pytest.raises(RuleError, match=r"dice\.rules holds a constant array of a megabyte or more"):
        game.DOORS.compile_now(game.examples)


def test_rules_raise_and_check_bounds(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception comes out of an inner rule, from new code and from the cache; so does an index out of bounds."""
    monkeypatch.setattr(jit, "BOUNDS_CHECK", True)
    package.edit("dice", "return x // 2", "if x < 0:\n        raise ValueError(x)\n    return TABLE[x]")
    for _ in range(2):
        game = package.load("game")
        doors = game.DOORS.compile_now(game.examples)
        assert doors.roll(0) == 1 + 6 + 2
        with pytest.raises(ValueError, match="-2"):
            doors.roll(-2)
        with pytest.raises(IndexError):
            doors.roll(3)


@jit.rule
def last_row(matrix: Any) -> Any:
    return matrix[len(matrix) - 1]


@jit.rule
def doubled(row: Any) -> Any:
    made = np.empty(len(row), np.int64)
    for i in range(len(row)):
        made[i] = 2 * row[i]
    return made


@jit.rule
def total(matrix: Any) -> int:
    found = 0
    for value in doubled(last_row(matrix)):
        found += value
    shift(matrix)
    return found


@jit.rule
def shift(matrix: Any) -> None:
    matrix[1:] = matrix[:-1]


@pytest.mark.slow
def test_arrays_that_rules_return_are_let_go() -> None:
    matrix = np.arange(6).reshape(2, 3)
    entry: Any = jit.entry_point(total)
    before = sys.getrefcount(matrix)
    assert [entry(matrix) for _ in range(3)] == [24, 6, 6]
    assert sys.getrefcount(matrix) == before


# Jobs


@pytest.mark.parametrize(
    ("busy", "seconds", "said"),
    [(1, 30, "about 30 seconds"), (3, 30, "about 2 minutes"), (3, 1, "a few seconds"), (2, 30, "about a minute")],
)
def test_an_estimate_knows_the_load(monkeypatch: pytest.MonkeyPatch, busy: int, seconds: float, said: str) -> None:
    """A loop takes as many times longer as other processes want the processor."""
    now = [0.0]

    def tick() -> float:
        now[0] += busy * background._LOOP_SECONDS
        return now[0]

    monkeypatch.setattr(background.time, "perf_counter", tick)
    assert background.estimate(seconds) == said


def test_a_game_does_not_wait_for_another_game(package: Package, make_package: Callable[[str], Package]) -> None:
    """Each game is compiled in the background by one process, whatever other processes compile."""
    dice, other = package.load("game").Dice(), make_package("reef").load("game").Dice()
    other.name = "reef"
    with cast(Any, background.lock_background(dice)):
        assert background.lock_background(dice) is None
        with cast(Any, background.lock_background(other)):
            assert background.lock_background(other) is None
    with cast(Any, background.lock_background(dice)):
        pass


def test_a_job_says_that_it_compiles_and_how_long_it_took(package: Package, capsys: pytest.CaptureFixture[str]) -> None:
    assert package.load("game").DOORS.compile_now(lambda: {"roll": (1,)}).roll(9) == 12
    said = capsys.readouterr().err
    assert said.startswith("hawaii_env: compiling the rules of dice (a few seconds) ... done in ")
    assert said.count("\n") == 1
    game = package.load("game")
    assert game.DOORS.compile_now(game.examples).roll(9) == 12
    assert capsys.readouterr().err == ""


def test_unforeseen_types_are_reported(package: Package, capsys: pytest.CaptureFixture[str]) -> None:
    game = package.load("game")
    doors = game.DOORS.compile_now(game.examples)
    capsys.readouterr()
    assert doors.roll(9.0) == 12
    assert capsys.readouterr().err.startswith("hawaii_env: compiling roll for arguments of other types")


def test_no_folder_can_be_written(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Jobs compile, and say so at every start; games run interpreted, and print what would help."""
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("HAWAII_ENV_CACHE", str(tmp_path / "file" / "cache"))
    game = package.load("game")
    assert code_cache.folder() is None
    assert game.DOORS.compile_now(game.examples).roll(9) == 12
    assert "at every start: no cache folder can be written" in capsys.readouterr().err
    monkeypatch.setattr(jit, "AUTOMATIC", True)
    game = package.load("game")
    assert not game.DOORS.use_compiled(game.examples, game.Dice())
    assert "no cache folder can be written. Set HAWAII_ENV_CACHE" in capsys.readouterr().err


def test_the_mode_is_printed(
    package: Package, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = package.load("game")
    assert hawaii_env.compiled  # HAWAII_ENV_PLAIN=0: the first game compiles
    monkeypatch.setattr(jit, "AUTOMATIC", True)
    monkeypatch.setattr(background, "SWITCH", "0")
    assert not hawaii_env.compiled
    for _ in range(2):
        assert not game.DOORS.use_compiled(game.examples, game.Dice())
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith(
        "hawaii_env: the rules of dice run as plain Python, about ten times slower: `hawaii warm`"
    )
    game.Dice().compile()
    assert hawaii_env.compiled and game.DOORS.use_compiled(game.examples, game.Dice())
    monkeypatch.setattr(jit, "INTERPRETED", True)
    assert not hawaii_env.compiled and not game.DOORS.use_compiled(game.examples, game.Dice())
    assert game.DOORS.compile_now(game.examples) is game.DOORS.interpreted


# In the background

PLAY = """
import sys, time
from island import game
from hawaii_env.core import jit
from hawaii_env.core.jit import _background

dice = game.Dice()
began = game.DOORS.use_compiled(game.examples, dice)
print("began", began, *(process.pid for process in _background.processes), flush=True)
end = time.monotonic() + float(sys.argv[1])
while not game.DOORS.use_compiled(game.examples, dice) and time.monotonic() < end:
    time.sleep(0.05)
print("compiled", jit.compiled(), game.DOORS.compiled.roll(9) if jit.compiled() else 0)
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


@pytest.mark.slow
def test_a_cold_process_plays_at_once_and_goes_on_compiled(package: Package, tmp_path: Path) -> None:
    """Another package's game, in the background and in the process that goes on; the next process begins compiled."""
    out, told = play(tmp_path).communicate()
    assert out.startswith("began False ") and out.endswith("compiled True 12\n"), (out, told)
    assert (
        told.count("\n") == 1
        and "the rules of dice run as plain Python while numba compiles them in the background (a few" in told
    )
    assert (tmp_path / "cache" / "background-dice.log").read_bytes() == b""
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
def test_a_background_that_fails_is_reported(package: Package, tmp_path: Path) -> None:
    package.edit("game", "    def compile(self):\n", "    def compile(self):\n        raise RuntimeError('no coral')\n")
    out, told = play(tmp_path, 10).communicate()
    assert out.endswith("compiled False 0\n")
    assert told.count("\n") == 2 and "compiling in the background failed, so games run as plain Python: see " in told
    assert "no coral" in (tmp_path / "cache" / "background-dice.log").read_text(encoding="utf-8")


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
