"""The code blocks of the documentation run: docs/site.md says how, and which comments say otherwise."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from refusals import refuses

import hawaii_env
from hawaii_env import agents, cli, games
from hawaii_env.cli import commands
from hawaii_env.hawaii1795 import Game

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# The reference shows signatures, no code; pages of docs/project only point to files that have tests of their own.
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if path.relative_to(DOCS).parts[0] not in ("project", "reference")
)
COMPILED = os.environ.get("HAWAII_ENV_PLAIN") != "1"
NOTE = re.compile(r"^<!-- (needs|slow|not run|run|setup)(?:: (.*?))? -->$", re.DOTALL)
FENCE = re.compile(r"(?:^(<!--(?:(?!-->).)*-->)\n)?^```([\w-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SETUP = re.compile(r"^<!-- setup: (.*?) -->$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    """A fenced block: its language, its text, the line where it begins, and what the comment before it says."""

    page: str
    language: str
    text: str
    line: int
    modules: list[str] = field(default_factory=list)
    slow: bool = False
    run: bool = False
    reason: str = ""
    setup: str = ""

    @property
    def missing(self) -> list[str]:
        return [name for name in self.modules if find_spec(name) is None]

    @property
    def place(self) -> str:
        return f"docs/{self.page}, line {self.line}"


def blocks_of(page: str, text: str | None = None) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = (DOCS / page).read_text(encoding="utf-8") if text is None else text
    before = 0
    for match in FENCE.finditer(text):
        comment, language, code = match.groups()
        line = text.count("\n", 0, match.start(3))
        block = Block(page, language, code, line)
        block.setup = "\n".join(SETUP.findall(text[before : match.start(2)]))
        before = match.end()
        noted = NOTE.match(comment or "")
        if noted is not None:
            kind, rest = noted.group(1), noted.group(2) or ""
            if kind == "run":
                block.run = True
                parts = [part.strip() for part in rest.split(";")]
                block.slow = "slow" in parts
                rest = next((part.removeprefix("needs ") for part in parts if part.startswith("needs ")), "")
                kind = "needs" if rest else kind
            if kind == "needs":
                block.modules = [name.strip() for name in rest.split(",")]
            elif kind == "slow":
                block.slow = True
            elif kind == "not run":
                block.reason = rest
                assert rest, f"{block.place}: say why it is not run"
        yield block


EVERY = [block for page in PAGES for block in blocks_of(page)]


def of(*languages: str, only: Callable[[Block], bool] = bool) -> list[Any]:
    chosen = [block for block in EVERY if block.language in languages and only(block)]
    return [pytest.param(block, id=f"{block.page}:{block.line}") for block in chosen]


@pytest.fixture(scope="session")
def game_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("docs") / "game.jsonl"
    hawaii_env.play(Game(), "random", seed=1795, record=path)
    return path


@pytest.fixture
def folder(tmp_path: Path, game_record: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the record of a game, where a reader would be; the registry is as it was afterwards."""
    shutil.copy(game_record, tmp_path / "game.jsonl")
    monkeypatch.chdir(tmp_path)
    for registry in (agents, games):
        monkeypatch.setattr(registry, "_registered", dict(vars(registry)["_registered"]))
    return tmp_path


# Python


def python_pages(slow: bool) -> list[str]:
    blocks = [block for block in EVERY if block.language == "python" and not block.reason]
    return sorted({block.page for block in blocks if block.slow is slow})


def run_python(page: str, slow: bool, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a page's blocks in one namespace; return how many."""
    module = ModuleType("docs_page")  # dataclasses and pickle look for the module of a class
    names: dict[str, Any] = vars(module)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    ran = 0
    printed = io.StringIO()
    for block in blocks_of(page):
        if block.language == "output" and ran:
            assert block.text == printed.getvalue(), (
                f"{block.place}: the block before it prints this:\n{printed.getvalue()}"
            )
        if block.setup:
            exec(compile(block.setup, f"{block.place}, its setup", "exec"), names)
        if block.language != "python" or block.reason or block.missing or (block.slow and not slow):
            continue
        # Lines and names of an error are those of the page.
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile("\n" * block.line + block.text, str(DOCS / page), "exec"), names)
        ran += 1
    return ran


@pytest.mark.skipif(not COMPILED, reason="the examples play too many games for the plain mode")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("page", python_pages(slow=False))
def test_python_blocks_run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not run_python(page, slow=False, monkeypatch=monkeypatch):
        pytest.skip("every block needs a module that is missing")


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the examples play too many games for the plain mode")
@pytest.mark.parametrize("page", python_pages(slow=True))
def test_slow_python_blocks_run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not run_python(page, slow=True, monkeypatch=monkeypatch):
        pytest.skip("every block needs a module that is missing")


@pytest.mark.parametrize("block", of("python"))
def test_python_blocks_compile(block: Block) -> None:
    compile(block.text, block.place, "exec")


# Data


@pytest.mark.parametrize("block", of("toml"))
def test_toml_blocks_are_toml(block: Block) -> None:
    if not block.reason:
        for part in re.split(r"^(?=# \S+\.toml$)", block.text, flags=re.MULTILINE):
            tomllib.loads(part)


@pytest.mark.parametrize("block", of("json"))
def test_json_blocks_are_json(block: Block) -> None:
    for line in block.text.splitlines():
        json.loads(line)


# Commands


def hawaii_lines(text: str) -> list[list[str]]:
    """The arguments of each `hawaii` command of a block."""
    found: list[list[str]] = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        for command in re.split(r"&&|\|\|", line):
            words = shlex.split(command.removeprefix("$ "), comments=True)
            while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
                words.pop(0)
            if words[:1] == ["hawaii"]:
                found.append(words[1:])
    return found


@pytest.mark.parametrize("block", of("bash", "sh", "console", ""))
def test_hawaii_commands_are_commands(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    """Each names a command and options that there are; what it would do is another test's."""
    for words in hawaii_lines(block.text):
        parser = commands._parser(next((word for word in words if not word.startswith("-")), None))  # pyright: ignore[reportPrivateUsage]
        refused = None
        try:
            parser.parse_args(words)
        except SystemExit as stop:
            refused = stop.code
        assert not refused, f"{block.place}: hawaii {shlex.join(words)}\n{capsys.readouterr().err}"


def dialogues(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it is said to print."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


def shown(block: Block) -> bool:
    return not block.reason and any(output for _, output in dialogues(block.text))


@pytest.mark.skipif(not COMPILED, reason="compiled only")
@pytest.mark.parametrize("block", of("console", only=shown))
def test_console_blocks_print_what_they_show(block: Block, folder: Path) -> None:
    for command, output in dialogues(block.text):
        words = shlex.split(command)
        assert words[0] == "hawaii", f"{block.place}: only hawaii is run"
        printed = io.StringIO()
        with redirect_stdout(printed):
            assert cli.main(words[1:]) == 0
        assert [line.rstrip() for line in printed.getvalue().splitlines()] == output.splitlines()


def test_the_blocks_to_run_are_found() -> None:
    runs = [block for block in EVERY if block.run]
    assert {block.page for block in runs} >= {"tutorial.md"}
    assert not [block.place for block in runs if block.language != "bash"]


def run_lines(page: str, slow: bool, folder: Path) -> int:
    """Run a page's marked bash blocks, with this Python's commands and the repository's scripts at hand."""
    ran = 0
    for name in ("experiments", "docs", "hawaii_env"):
        (folder / name).symlink_to(ROOT / name)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = 'hawaii() { python -m hawaii_env "$@"; }\n'  # that of this Python, wherever it is installed
    for block in blocks_of(page):
        if not block.run or block.missing or (block.slow and not slow):
            continue
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command + block.text], cwd=folder, capture_output=True, text=True,
            env={**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "agents")])},
        )  # fmt: skip
        assert done.returncode == 0, f"{block.place}\n{done.stdout}\n{done.stderr}"
        ran += 1
    return ran


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED or shutil.which("bash") is None, reason="compiled only")
@pytest.mark.parametrize("page", sorted({block.page for block in EVERY if block.run}))
def test_marked_commands_run(page: str, folder: Path) -> None:
    """The tutorial's commands, the minute of training among them."""
    if not run_lines(page, slow=True, folder=folder):
        pytest.skip("every block needs a module that is missing")


# The reader of blocks itself


def test_comments_say_how_a_block_is_treated() -> None:
    text = (
        "<!-- needs: no_such_module, json -->\n```python\n1 / 0\n```\n"
        "<!-- setup: x = 1 -->\ntext\n```python\nx\n```\n"
        "<!-- run: slow; needs torch -->\n```bash\nhawaii warm\n```\n"
        "<!-- not run: takes hours -->\n```python\ny\n```\n"
        "<!-- a remark -->\ntext\n```python\nz\n```\n"
    )
    needs, setup, run, never, plain = blocks_of("made.md", text)
    assert needs.missing == ["no_such_module"]
    assert setup.setup == "x = 1" and not setup.modules
    assert run.run and run.slow and run.modules == ["torch"]
    assert never.reason == "takes hours"
    assert plain.text == "z\n" and not plain.reason
    assert [block.line for block in (needs, setup)] == [2, 7]


def test_a_wrong_option_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    refuses(
        AssertionError,
        (
            "no-such-option",
            lambda: test_hawaii_commands_are_commands(
                Block("made.md", "bash", "hawaii demo --no-such-option\n", 1), capsys
            ),
        ),
    )
