"""The `hawaii` command."""

from __future__ import annotations

import io
import os
import random
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hawaii_env
from hawaii_env import __version__, agents, cli, fuzz, games, records, warm
from hawaii_env.arena.run import Run
from hawaii_env.cli import commands
from hawaii_env.core import jit
from hawaii_env.hawaii1795 import Game
from hawaii_env.records import Follower
from hawaii_env.render.text import render_text, text_log
from hawaii_env.terminal import Output


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """A first game says on stderr that it compiles; the tests of stderr are not about that."""
    Game().initial_state(seed=0)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    told = capsys.readouterr()
    return status, told.out, told.err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert __version__ in capsys.readouterr().out


def test_as_a_module() -> None:
    told = subprocess.run([sys.executable, "-m", "hawaii_env", "--version"], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == f"hawaii_env {__version__}"


def test_without_a_command_it_helps(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys)
    assert status == 0
    for command in ("demo", "rules", "warm", "fuzz", "odds", "record", "agents"):
        assert re.search(rf"^ +{command} ", out, re.MULTILINE)


def test_every_command_and_argument_has_its_help() -> None:
    every = commands._parser(commands._EVERY)  # pyright: ignore[reportPrivateUsage]
    left = [every]
    while left:
        parser = left.pop()
        assert parser.description, parser.prog
        actions = parser._actions  # pyright: ignore[reportPrivateUsage]
        inner = [action.choices for action in actions if isinstance(action.choices, dict)]
        assert all(action.help for action in actions if action.choices not in inner), parser.prog
        left += [made for choices in inner for made in choices.values()]
        if parser.epilog or not inner:
            every.parse_args(shlex.split(str(parser.epilog).removeprefix("Example: hawaii ")))


@pytest.mark.parametrize("scenario", [pytest.param("long", marks=pytest.mark.slow), "short"])
def test_demo(capsys: pytest.CaptureFixture[str], scenario: str) -> None:
    status, out, _ = run(capsys, "demo", "--games", "3", "--seed", "1795", "--scenario", scenario, "--plain")
    assert status == 0
    assert out.count("\nGame ") + out.startswith("Game ") == 3
    assert f"{scenario} scenario, seed 1796" in out
    months = re.findall(r"^(\w+): (Kamehameha|Allies), card \d .*$", out, re.MULTILINE)
    assert ("January" if scenario == "long" else "March", "Kamehameha") in months
    assert all(month != "January" for month, _ in months) == (scenario == "short")
    for label in ("recruited at", "A fleet sails from", "Invasion of", "Sighting die", "\nbox "):
        assert label in out, label
    assert re.search(r"\[5\.\d", out)
    assert re.search(r"3 games, \d+ decisions\. Won: kamehameha_0 \d, allied_1 \d; tied \d\.", out)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    "game", [pytest.param(one, marks=[pytest.mark.slow] * (one != "aloha")) for one in hawaii_env.list_games()]
)
def test_a_demo_fits_the_terminal_and_says_what_it_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """Its agents play better than by lot; boards, narration and legend have 80 columns, or 60 in a narrow terminal."""
    for seed, columns in (("1", 80), ("2", 60)):
        monkeypatch.setenv("COLUMNS", str(columns))
        status, out, _ = run(capsys, "demo", "--game", game, "--seed", seed, "--plain")
        assert status == 0
        assert [line for line in out.splitlines() if len(line) > columns] == []
        assert f"= {games.find(game).demo_agent}" in out and "= random" not in out and "\nLegend: " in out
        assert out.count("\nNext: `hawaii serve` ") == 1


@pytest.mark.parametrize("name", hawaii_env.list_games())
def test_boards_and_logs_of_crowded_games_fit_the_terminal(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    spec = games.find(name)
    crowded = {option.name: list(spec.values_of(option))[-1] for option in spec.options if option.values is not None}
    game = spec.make(**(crowded or ({"players": spec.players[1]} if spec.players[0] < spec.players[1] else {})))
    for seed, columns in ((1, 80), (2, 60)):
        monkeypatch.setenv("COLUMNS", str(columns))
        state, choose, lines = game.initial_state(seed=seed, trace=True), random.Random(seed), list[str]()
        log, follower = text_log(game), Follower(game)
        for number in range(100):
            if state.is_terminal:
                break
            if number % 20 == 0:
                lines += render_text(state).split("\n")
            state.apply(choose.choice(state.legal_actions()))
        lines += [*log.feed(follower.feed(state.trace or [])), *log.end(state)]
        assert [line for line in lines if len(line) > columns] == []


def test_demo_of_so_many_players(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "demo", "--game", "aloha", "--players", "3", "--seed", "1", "--quiet", "--plain")
    assert status == 0
    assert "red_0 = aloha-greedy, yellow_1 = aloha-greedy, green_2 = aloha-greedy" in " ".join(out.split())


def test_demo_repeats_by_seed(capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = (
        run(capsys, "demo", "--seed", seed, "--scenario", "short", "--no-boards", "--plain")[1]
        for seed in ("5", "5", "6")
    )
    assert first == second != third


def test_demo_without_rich(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("demo", "--seed", "5", "--scenario", "short")
    plain, rich = run(capsys, *asked, "--plain")[1], run(capsys, *asked)[1]
    monkeypatch.setitem(sys.modules, "rich.console", None)
    without = run(capsys, *asked)[1]
    assert without == plain
    # Not on a terminal, so rich adds nothing either.
    assert rich == plain


def test_demo_quiet_records_and_record_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, _ = run(capsys, "demo", "--games", "2", "--seed", "7", "--quiet", "--record", str(tmp_path), "--plain")
    assert status == 0
    assert len(out.splitlines()) == 7
    files = sorted(map(str, tmp_path.iterdir()))
    assert len(files) == 2
    status, out, _ = run(capsys, "record", "verify", *files)
    assert status == 0
    assert out.count("ok  ") == 2
    assert "dice agree with the seed" in out

    shown = run(capsys, "record", "show", files[0], "--plain")[1]
    told = run(capsys, "demo", "--seed", "7", "--plain")[1]
    assert "\n".join(shown.splitlines()[3:]) in told and "= rule-of-thumb" in shown

    text = Path(files[0]).read_text(encoding="utf-8").splitlines()
    Path(files[0]).write_text("\n".join(text[:50]) + "\n", encoding="utf-8")
    status, out, err = run(capsys, "record", "verify", *files)
    assert status == 1
    assert err.startswith("BAD ")
    assert out.count("ok  ") == 1
    assert run(capsys, "record", "verify", "--partial", *files)[0] == 0
    assert "broken off" in run(capsys, "record", "show", files[0], "--plain")[1]


def test_demo_with_a_bot_of_ones_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from hawaii_env.agents import BaseAgent, register\n"
        "class CliTestBot(BaseAgent):\n"
        "    '''Takes the first.'''\n"
        "    def act(self, state, legal_actions, clock=None):\n"
        "        return legal_actions[0]\n"
        "register('cli_test_bot', CliTestBot)\n",
        encoding="utf-8",
    )
    status, out, _ = run(
        capsys,
        "demo",
        "--load",
        str(bot),
        "--agents",
        "cli_test_bot,random:seed=3",
        "--quiet",
        "--seed",
        "1",
        "--plain",
    )
    assert status == 0
    assert "kamehameha_0 = cli_test_bot, allied_1 = random" in " ".join(out.split())
    assert "Takes the first." in run(capsys, "agents")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve"], 'hawaii serve needs limits, which is not installed: pip install "hawaii-env[web]"'),
        (["completion", "bash"], "hawaii-env[completion]"),
        (["animate", "runs/x.jsonl", "-o", "x.gif"], "hawaii-env[render]"),
        (["demo", "--agents", "ppo,random"], "hawaii-env[agents]"),
        (["demo", "--agents", "randm"], "no agent 'randm'; available: "),
        (["demo", "--agents", "mcts:simz=3,random"], "did you mean sims?"),
        (["demo", "--game", "hieau"], "did you mean heiau?"),
        (["odds", "pike", "musketer"], "did you mean musketeer?"),
        (["demo", "--game", "aloha", "--agents", "rule-of-thumb"], "'rule-of-thumb' plays hawaii1795, not aloha"),
        (["match", "rule-of-thumb", "random", "--game", "aloha"], "'rule-of-thumb' plays hawaii1795, not aloha"),
        (["demo", "--agents", "random,random,random"], "2 players"),
        (["demo", "--scenario", "medium"], "long, short"),
        (["demo", "--rules", "no_such_folder"], "no_such_folder"),
        (["demo", "--load", "no_such_file.py"], "no_such_file.py"),
        (["demo", "--players", "3"], "--players: hawaii1795 has no option 'players', aloha has it"),
        (["fuzz", "--game", "aloha", "--sea-victor=assault"], "aloha has no option 'sea_victor', hawaii1795 has it"),
        (["fuzz", "--replay", "no_such_file.jsonl"], "no file"),
        (["record", "show", "no_such_file.jsonl"], "no file"),
    ],
)
def test_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    for module in ("limits", "shtab", "PIL.Image", "safetensors"):
        monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("hawaii: ")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--games", "0"], ""),
        (["fuzz", "--jobs", "0"], ""),
        (["demo", "--seed", "-1"], ""),
        (["demo", "--seed", "x"], ""),
        (["demo", "--games=--"], "argument --games: expected a value, not '--'"),
        (["dmo"], "did you mean demo?"),
        (["record"], ""),
        (["record", "shw", "x"], "did you mean show?"),
        (["demo", "--gaem=aloha"], "hawaii demo: error: unrecognized arguments: --gaem=aloha; did you mean --game?"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    told = capsys.readouterr().err
    assert "usage: hawaii" in told and message in told


@pytest.mark.parametrize(("game", "file", "old", "key"), [
    ("hawaii1795", "cards.toml", r"(?m)^fleets = \d+$", "fleets"), ("heiau", "map.toml", "victory = 9", "victory"),
    ("aloha", "board.toml", "stock = 30", "stock"),
])  # fmt: skip
def test_rules(capsys: pytest.CaptureFixture[str], tmp_path: Path, game: str, file: str, old: str, key: str) -> None:
    """A ruleset is shown, copied and checked; a slip is named by file and key."""
    rules, folder = ("rules", "--game", game), tmp_path / "mine"
    status, out, _ = run(capsys, *rules)
    assert status == 0 and "R-01" in out and "reconstructed" in out
    status, out, _ = run(capsys, *rules, "new", str(folder))
    assert status == 0 and file in out
    assert run(capsys, *rules, "check", str(folder))[0] == 0
    text = re.sub(old, f"{key} = -2", (folder / file).read_text(encoding="utf-8"), count=1)
    (folder / file).write_text(text, encoding="utf-8")
    status, _, err = run(capsys, *rules, "check", str(folder))
    assert status == 1 and err.startswith(file) and f"key {key}: -2 is not allowed" in err
    assert run(capsys, *rules, "new", str(folder))[0] == 2


@pytest.mark.parametrize("scenario", ["long", "short"])
def test_demo_and_records_by_another_ruleset(capsys: pytest.CaptureFixture[str], tmp_path: Path, scenario: str) -> None:
    seen, other = set[str](), str(Path(__file__).with_name("reconstructed-1"))
    for rules in ((), ("--rules", other)):
        folder = tmp_path / f"games{len(rules)}"
        arguments = ("demo", "--scenario", scenario, "--seed", "3", "--quiet", "--record", str(folder))
        assert run(capsys, *arguments, *rules)[0] == 0
        (path,) = folder.iterdir()
        seen.add(records.read(path).header["ruleset"]["name"])
        assert run(capsys, "record", "verify", str(path))[0] == 0
    assert seen == {"reconstructed-1", "reconstructed-4"}
    assert "reconstructed-1" in run(capsys, "rules", "--plain", "--rules", other)[1]
    status, _, err = run(capsys, "demo", "--rules", "reconstructed-3", "--quiet")
    assert status == 2 and "'reconstructed-3', and the only shipped ruleset is 'reconstructed-4'" in err


def test_fuzz(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, _ = run(capsys, "fuzz", "--games", "20", "--scenario", "all", "--out", str(tmp_path / "fuzz"))
    assert status == 0
    assert "long: 10 games" in out
    assert "short: 10 games" in out
    assert out.endswith("no violation\n")
    assert not (tmp_path / "fuzz").exists()


def test_odds(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "odds")
    assert status == 0
    assert out
    status, out, _ = run(capsys, "odds", "2xwarrior_2", "oahu_warrior")
    assert status == 0
    assert "%" in out or "0." in out
    assert run(capsys, "odds", "2xnobody", "oahu_warrior")[0] == 2


@pytest.mark.parametrize(
    "name", [pytest.param(one.name, marks=[pytest.mark.slow] * (one.name != "aloha")) for one in games.shipped()]
)
def test_warm_compiles_all_that_a_game_has(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, out, _ = run(capsys, "warm", "--game", name)
    assert status == 0
    assert "ompile" in out


@pytest.mark.skipif(jit.INTERPRETED, reason="the plain mode compiles nothing")
def test_warm_is_of_every_game(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    warmed: list[str] = []
    monkeypatch.setattr("hawaii_env.warm.warm", lambda game: warmed.append(game.name))
    assert run(capsys, "warm")[0] == 0
    assert warmed == games.list_games()


def test_a_closed_pipe_is_no_error() -> None:
    program = f"{sys.executable} -m hawaii_env demo --scenario short --seed 1 --games 3 | head -1"
    told = subprocess.run(program, shell=True, check=False, capture_output=True, text=True)
    assert told.stderr == ""
    assert told.stdout.startswith("Game 1 of 3")


ENTRY = [sys.executable, "-m", "hawaii_env"]


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the descriptor")
def test_a_standard_output_that_is_closed() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -m hawaii_env agents >&-', sys.executable], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(("arguments", "unbuffered"), [(["--version"], ""), (["agents"], "1")])
def test_an_output_that_is_full_is_one_line(arguments: list[str], unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        told = subprocess.run([*ENTRY, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert told.stderr == "hawaii: standard output cannot be written: No space left on device\n"
    assert told.returncode == 2


def test_a_terminal_that_knows_ascii_alone_is_shown_what_it_can() -> None:
    shown = []
    for encoding in ("ascii", "utf-8"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C"}
        told = subprocess.run([*ENTRY, "rules"], capture_output=True, env=environment)
        assert (told.returncode, told.stderr) == (0, b"")
        shown.append(told.stdout.decode(encoding))
    plain, whole = shown
    assert plain.count("?") == whole.count("?")  # every letter has another that stands for it
    assert len(plain.splitlines()) == len(whole.splitlines())


def test_letters_that_stand_for_others() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    output = Output(stream)
    output.write("Kauaʻi – Mākaha × 2 … 蘭 e\u0301")
    output.flush()
    assert stream.buffer.getvalue() == b"Kaua'i - Makaha x 2 ... ? e"  # pyright: ignore[reportAttributeAccessIssue]
    assert output.failed is None


def test_errors_of_the_system_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for error, line in (
        (OSError(28, "No space left on device", "some/file"), "hawaii: some/file: No space left on device\n"),
        (OSError(24, "Too many open files"), "hawaii: Too many open files\n"),
        (sqlite3.OperationalError("database is locked"), "hawaii: database is locked\n"),
        (ModuleNotFoundError("charts need it: pip install it"), "hawaii: charts need it: pip install it\n"),
    ):

        def fail(given: list[str], error: Exception = error) -> int:
            raise error

        monkeypatch.setattr(commands, "_run", fail)
        assert run(capsys, "agents") == (2, "", line)


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_while_the_command_is_imported_prints_no_traceback() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "hawaii_env", "demo", "--games", "1000"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    try:
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stderr is not None
    for line in process.stderr:
        if "hawaii_env._command" in line:
            break
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode in (-signal.SIGINT, 130)
    assert "Traceback" not in said and "KeyboardInterrupt" not in said


@pytest.mark.slow
def test_an_interrupt_says_how_to_resume(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def parts(*_: object) -> Iterator[tuple[range, fuzz.FuzzReport]]:
        yield range(7, 10), fuzz.FuzzReport(games=3, wins=[1, 2, 0])
        stop()

    monkeypatch.setattr(Run, "_ready", stop)
    monkeypatch.setattr(fuzz, "_parts", parts)
    monkeypatch.setattr(warm, "warm", stop)
    monkeypatch.setattr(records, "verify", stop)
    monkeypatch.setattr(agents, "known", stop)
    monkeypatch.setattr(agents, "listed_agents", stop)
    monkeypatch.setattr("hawaii_env.render.picture.need", stop)
    monkeypatch.setattr("hawaii_env.render.animate.animate", stop)
    monkeypatch.setattr(jit, "INTERPRETED", False)
    folder = str(tmp_path / "kept")
    cases = [
        (["match", "random", "b=random"], "`--out FOLDER` would have kept the games"),
        (["match", "random", "b=random", "--out", folder], f"are kept in {folder}, and the same command resumes"),
        (["tournament", "random", "b=random", "--out", folder + "2"], "and the same command resumes"),
        (["fuzz", "--seed", "7"], "3 games checked; `--seed 10` begins with the next"),
        (["record", "export", "a.jsonl", "--parquet", folder + ".parquet"], "the same command begins again"),
        (["record", "verify", "a.jsonl"], "the same command begins again"),
        (["animate", "a.jsonl", "-o", folder + ".gif"], "the same command begins again"),
        (["agents"], "the same command begins again"),
        (["demo"], "the same command begins again"),
        (["warm", "--game", "aloha"], "compiled code is kept, and the same command resumes"),
    ]
    for command, said in cases:
        status, _, err = run(capsys, *command)
        last = err.splitlines()[-1]  # after the progress of a slow machine
        assert status == 130 and last.startswith("hawaii: stopped; ") and said in last and "Traceback" not in err, err
