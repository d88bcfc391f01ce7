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
from environments import interpret
from refusals import refuses

from hawaii_env import agents, cli, games
from hawaii_env.cli import commands, completion

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# The reference shows signatures, no code; pages of docs/project only point to files that stand elsewhere.
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("*/README.md")]
    if path.relative_to(ROOT).parts[:2] not in (("docs", "project"), ("docs", "reference"))
)
COMPILED = os.environ.get("HAWAII_ENV_PLAIN") != "1"
NOTE = re.compile(r"^<!-- ((?:needs|slow|not run)\b.*?) -->$", re.DOTALL)
FENCE = re.compile(r"(?:^(<!--(?:(?!-->).)*-->)\n)?^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"Save this as `([\w./]+)`")
SHELL = ("bash", "sh", "console", "")
REGISTERED = {registry: dict(vars(registry)["_registered"]) for registry in (agents, games)}
QUICK = ("--version", "agents", "animate", "assault", "demo", "odds", "record", "replay", "rules")
"""Commands that are run; of the others, which serve, download or take minutes, the arguments are read."""


@dataclass
class Block:
    """A fenced block: its language, its text, the line where it begins, and what the comment before it says."""

    page: str
    language: str
    text: str
    line: int
    modules: list[str] = field(default_factory=list)
    slow: bool = False
    reason: str = ""
    saved: str = ""

    @property
    def missing(self) -> list[str]:
        return [name for name in self.modules if find_spec(name) is None]

    @property
    def place(self) -> str:
        return f"{self.page}, line {self.line}"


def blocks_of(page: str, text: str | None = None) -> Iterator[Block]:
    """Yield the fenced blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8") if text is None else text
    for match in FENCE.finditer(text):
        comment, language, code = match.groups()
        block = Block(page, language, code, text.count("\n", 0, match.start(3)))
        after = SAVED.search(text[match.end() :].partition("```")[0])
        block.saved = "" if after is None else after[1]
        noted = NOTE.match(comment or "")
        if noted is not None and noted[1].startswith("not run"):
            block.reason = noted[1].removeprefix("not run").removeprefix(":").strip()
            assert block.reason, f"{block.place}: say why it is not run"
        for part in () if noted is None or block.reason else map(str.strip, noted[1].split(";")):
            block.slow |= part == "slow"
            if part.startswith("needs:"):
                block.modules = [name.strip() for name in part.removeprefix("needs:").split(",")]
        yield block


def commands_of(block: Block) -> Iterator[list[str]]:
    """Yield the words of each command of a block of shell."""
    for line in re.sub(r"\\\n", " ", block.text).splitlines():
        for command in re.split(r"&&|\|\|", line):
            words = shlex.split(command.removeprefix("$ "), comments=True) if "'" not in command else []
            while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
                words.pop(0)
            if words:
                yield words


def hawaii_lines(block: Block) -> list[list[str]]:
    """Return the arguments of each `hawaii` command of a block."""
    return [words[1:] for words in commands_of(block) if words[0] == "hawaii"] if block.language in SHELL else []


EVERY = [block for page in PAGES for block in blocks_of(page)]


def of(*languages: str, only: Callable[[Block], bool] = bool) -> list[Any]:
    chosen = [block for block in EVERY if block.language in languages and only(block)]
    return [pytest.param(block, id=f"{block.page}:{block.line}") for block in chosen]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, where a reader would be; the registry is as it was afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))  # else in the home of who runs the tests
    anew(monkeypatch)
    return tmp_path


def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register what a new process has registered."""
    for registry, registered in REGISTERED.items():
        monkeypatch.setattr(registry, "_registered", dict(registered))


# Pages as a reader runs them


def is_run(block: Block) -> bool:
    quick = block.language == "python" or any(words[0] in QUICK for words in hawaii_lines(block))
    return quick and not (block.reason or block.slow)


def run_python(block: Block, names: dict[str, Any]) -> str:
    """Run a block, and return what it prints. Lines and names of an error are those of the page."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile("\n" * block.line + block.text, str(ROOT / block.page), "exec"), names)
    return printed.getvalue()


def run_command(block: Block, words: list[str]) -> str:
    """Run a command, and return what it prints, which fits the terminal; a word may be longer."""
    printed = io.StringIO()
    with redirect_stdout(printed), pytest.MonkeyPatch.context() as monkeypatch:
        anew(monkeypatch)
        if words[0] == "demo":
            interpret(monkeypatch)
        try:
            status = cli.main(words)
        except SystemExit as stop:
            status = stop.code
    assert not status, f"{block.place}: hawaii {shlex.join(words)}"
    lines = [line.rstrip() for line in printed.getvalue().splitlines()]
    assert not [line for line in lines if len(line) > 80 and " " in line.strip()]
    return "\n".join(lines)


SLOW = {
    f"docs/{name}.md" for name in ("exact", "install", "integrations", "maori_wars", "pictures", "replay", "rulesets")
}
"""Pages whose code takes seconds."""


@pytest.mark.skipif(not COMPILED, reason="the examples play too many games for the plain mode")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page in SLOW))
        for page in sorted({block.page for block in EVERY if is_run(block)})
    ],
)
def test_blocks_run_as_a_reader_sees_them(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page's blocks in order, Python in one namespace, with nothing prepared but a file that the page lets save."""
    module = ModuleType("docs_page")  # dataclasses and pickle look for the module of a class
    monkeypatch.setitem(sys.modules, module.__name__, module)
    ran, printed = 0, ""
    for block in blocks_of(page):
        if block.saved:
            (folder / block.saved).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.saved).write_text(block.text, encoding="utf-8")
        if block.language == "output" and ran:
            assert block.text == printed, f"{block.place}: the block before it prints this:\n{printed}"
        if not is_run(block) or block.missing:
            continue
        if block.language == "python":
            printed = run_python(block, vars(module))
        elif block.language == "console":
            for command, output in dialogues(block.text):
                found = run_command(block, shlex.split(command)[1:])
                assert not output or found == output.rstrip(), f"{block.place}: {command} prints this:\n{found}"
        else:
            for words in hawaii_lines(block):
                if words[0] in QUICK:
                    run_command(block, words)
        ran += 1
    if not ran:
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


@pytest.mark.parametrize("block", of(*SHELL))
def test_commands_are_commands(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    """Each names a command, a file, a target and options that there are; what it would do is another test's."""
    for words in hawaii_lines(block):
        parser = commands._parser(next((word for word in words if not word.startswith("-")), None))  # pyright: ignore[reportPrivateUsage]
        refused = None
        try:
            parser.parse_args(words)
        except SystemExit as stop:
            refused = stop.code
        assert not refused, f"{block.place}: hawaii {shlex.join(words)}\n{capsys.readouterr().err}"
    for words in commands_of(block):
        if words[0] == "make":
            assert all(f"\n{target}:" in MAKEFILE for target in words[1:]), f"{block.place}: {shlex.join(words)}"
        if words[0] == "python" and words[1].endswith(".py"):
            assert (ROOT / words[1]).is_file(), f"{block.place}: {words[1]}"
            flags = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
            unknown = [
                flag for flag in flags if f'"{flag}"' not in SCRIPTS and flag[2:].replace("-", "_") not in SCRIPTS
            ]
            assert not unknown, f"{block.place}: {words[1]} has no {unknown}"


MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SCRIPTS = "".join(
    path.read_text(encoding="utf-8")
    for path in [*(ROOT / "experiments").rglob("*.py"), *DOCS.glob("*.py"), ROOT / "tests/mutation.py"]
)


def test_options_in_the_text_are_options() -> None:
    """Those of the commands of any game, of the scripts, and of three other programs; findings quote old commits."""
    taken = {
        option
        for game in games.list_games()
        for action in completion._actions(commands._parser("*", game))  # pyright: ignore[reportPrivateUsage]
        for option in action.option_strings
    } | {"--ignoreexternal", "--index-url", "--verifytypes"}
    unknown = {
        (page, flag)
        for page in PAGES
        if not page.startswith("docs/findings")
        for code in re.findall(r"`([^`\n]+)`", FENCE.sub("", (ROOT / page).read_text(encoding="utf-8")))
        for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code)
        if flag not in taken and flag[2:].replace("-", "_") not in SCRIPTS
    }
    assert not unknown


def dialogues(text: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it is said to print."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED or shutil.which("bash") is None, reason="compiled only")
@pytest.mark.parametrize("page", sorted({block.page for block in EVERY if block.slow}))
def test_slow_commands_run(page: str, folder: Path) -> None:
    """The tutorial's minute of training, and what comes after it."""
    for name in ("experiments", "docs", "hawaii_env"):
        (folder / name).symlink_to(ROOT / name)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = 'hawaii() { python -m hawaii_env "$@"; }\n'  # that of this Python, wherever it is installed
    for block in blocks_of(page):
        if block.slow and not block.missing:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command + block.text], cwd=folder, capture_output=True, text=True,
                env={**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "agents")])},
            )  # fmt: skip
            assert done.returncode == 0, f"{block.place}\n{done.stdout}\n{done.stderr}"


# The reader of blocks itself


def test_comments_say_how_a_block_is_treated() -> None:
    text = (
        "<!-- needs: no_such_module, json -->\n```python\n1 / 0\n```\n"
        "<!-- slow; needs: torch -->\n```bash\nhawaii warm\n```\n"
        "<!-- not run: takes hours; slow -->\n```python\ny\n```\n"
        "<!-- a remark -->\ntext\n```python\nz\n```\nSave this as `z.py`.\n"
    )
    needs, slow, never, plain = blocks_of("made.md", text)
    assert needs.missing == ["no_such_module"] and not needs.slow
    assert slow.slow and slow.modules == ["torch"]
    assert never.reason == "takes hours; slow" and not never.slow
    assert (plain.text, plain.reason, plain.saved, never.saved) == ("z\n", "", "z.py", "")
    assert [block.line for block in (needs, slow)] == [2, 6]


@pytest.mark.parametrize(
    "command", ["hawaii demo --no-such-option", "make nosuch", "python experiments/bench.py --nosuch", "python a.py"]
)
def test_a_wrong_command_is_noticed(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    block = Block("made.md", "bash", f"{command}\n", 1)
    refuses(AssertionError, (command.split()[-1].lstrip("-"), lambda: test_commands_are_commands(block, capsys)))
