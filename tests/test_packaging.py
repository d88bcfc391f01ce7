"""The distribution as its users get it: source archive, wheel, what an installation can do, completion, types.

What builds runs with the other tests. What installs makes environments of its own from the package index, for every
Python found (``python3.11`` and later on the PATH, pyenv's versions, and those named in HAWAII_ENV_PYTHONS), and is
marked nightly.
"""

from __future__ import annotations

import email.message
import email.parser
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from refusals import refuses

from hawaii_env import _version, cli
from hawaii_env.cli import commands, completion
from hawaii_env.render.picture import MissingExtraError

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = _version.__version__
PACKAGES = ("hawaii_env", "hawaii_agents")


def run(*command: str | Path, cwd: Path, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user's shell would: without this checkout or its environment on any path."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        and not name.startswith(("COV_", "COVERAGE_", "PYTEST_"))
    }
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env={**clean, **environment}, capture_output=True, text=True
    )
    assert not check or done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done


# Building


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, built from the checkout."""
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    return next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def source(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, unpacked."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):  # Python 3.11.2 has none
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(folder)
    return next(folder.iterdir())


def build(project: Path, folder: Path) -> list[Path]:
    """Build both wheels of a source tree: hawaii-env and hawaii-env-weights."""
    for place in (project, project / "agents"):
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=place)
    return sorted(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def wheels(source: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheels, built from the unpacked source archive as a package index's user would."""
    return build(source, tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def wheel(wheels: list[Path]) -> Path:
    """The wheel of hawaii-env."""
    return wheels[0]


def shipped(project: Path) -> Iterator[tuple[str, Path]]:
    """Every file of the two packages: its name in the wheel, and where it is."""
    for folder in (project / "hawaii_env", project / "agents/hawaii_agents"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
                yield path.relative_to(folder.parent).as_posix(), path


@pytest.mark.slow
def test_sdist_is_the_project(sdist: Path, source: Path) -> None:
    assert sdist.name == f"hawaii_env-{VERSION}.tar.gz"
    for name in (
        "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "Makefile",
        "constraints.txt",
        "tests/conftest.py", "docs/index.md", "experiments/README.md", "notebooks/README.md",
        "agents/hawaii_agents/py.typed", "PKG-INFO",
    ):  # fmt: skip
        assert (source / name).is_file(), name
    names = {path.relative_to(source).as_posix() for path in source.rglob("*")}
    odd = re.compile(
        r"(^|/)(__pycache__|\.git|\.venv[^/]*|runs|dist|build|\.ruff_cache|\.pytest_cache|\.ipynb_checkpoints)(/|$)"
        r"|\.pyc$"
    )
    assert not [name for name in names if odd.search(name)]
    assert sdist.stat().st_size < 25e6, "something large has got into the source archive"


@pytest.mark.slow
def test_wheels_from_the_sdist_hold_every_file_unchanged(source: Path, wheels: list[Path]) -> None:
    assert [path.name for path in wheels] == [
        f"{name}-{VERSION}-py3-none-any.whl" for name in ("hawaii_env", "hawaii_env_weights")
    ]
    assert all(path.stat().st_size <= 10e6 for path in wheels), "docs/release.md says what may go where"
    held: list[dict[str, str]] = []
    for path in wheels:
        with zipfile.ZipFile(path) as archive:
            held.append({name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()})
    main, weights = held
    assert {name.split("/")[0] for name in main} == {*PACKAGES, f"hawaii_env-{VERSION}.dist-info"}
    assert not main.keys() & weights.keys()  # either may be installed, updated and removed by itself
    packed = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in shipped(source)}
    both = {name: digest for name, digest in {**main, **weights}.items() if ".dist-info/" not in name}
    del both["hawaii_agents/weights/LICENSE"]
    assert both == packed
    assert set(packed) == {name for name, _ in shipped(ROOT)}
    assert {"hawaii_env/py.typed", "hawaii_agents/py.typed"} <= set(main)
    licenses = {f"hawaii_env-{VERSION}.dist-info/licenses/{name}" for name in PROJECT["license-files"]}
    assert licenses == {name for name in main if "/licenses/" in name}


@pytest.mark.slow
def test_builds_are_reproducible(wheels: list[Path], tmp_path: Path) -> None:
    """From the checkout, whose files have other dates than those of the source archive, the same bytes come out."""
    again = build(ROOT, tmp_path)
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in wheels]


def metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        return email.parser.Parser().parsestr(archive.read(f"hawaii_env-{VERSION}.dist-info/METADATA").decode())


@pytest.mark.slow
def test_metadata(wheel: Path) -> None:
    told = metadata(wheel)
    assert (told["Name"], told["Version"], told["License-Expression"]) == ("hawaii-env", VERSION, PROJECT["license"])
    assert told["Requires-Python"] == PROJECT["requires-python"]
    assert told["Description-Content-Type"] == "text/markdown"
    assert {name.replace("_", "-") for name in told.get_all("Provides-Extra", [])} == {
        name.replace("_", "-") for name in PROJECT["optional-dependencies"]
    }
    without_extra = [line for line in told.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert len(without_extra) == len(PROJECT["dependencies"])


def test_the_version_is_written_once() -> None:
    assert "version" in PROJECT["dynamic"]
    for path in (*ROOT.glob("hawaii_env/**/*.py"), *ROOT.glob("agents/**/*.py"), ROOT / "pyproject.toml"):
        found = re.search(r"""^(__version__|version) *= *["']""", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert (found is not None) == (path.name == "_version.py"), path


def test_release_checklist_names_what_there_is() -> None:
    text = (ROOT / "docs/release.md").read_text(encoding="utf-8")
    for name in set(re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|toml|txt|cff))`", text)):
        assert (ROOT / name).is_file(), name
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"\bmake (\w+)", text)):
        assert re.search(rf"^{target}:", targets, re.MULTILINE), target


# Completion


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the completion script for each shell."""
    pytest.importorskip("shtab")
    folder = tmp_path_factory.mktemp("completion")
    for shell in completion.SHELLS:
        script = completion.completion_script(commands._parser(commands._EVERY), shell)
        (folder / ("_hawaii" if shell == "zsh" else f"hawaii.{shell}")).write_text(script, encoding="utf-8")
    (folder / "game.jsonl").touch()
    return folder


COMPLETIONS = [
    ("hawaii to", {"tournament"}),
    ("hawaii record v", {"verify"}),
    ("hawaii demo --scenario ", {"long", "short"}),
    ("hawaii fuzz --scenario ", {"long", "short", "all"}),
    ("hawaii match rule", {"rule-of-thumb"}),
    ("hawaii match random rule", {"rule-of-thumb"}),
    ("hawaii replay ga", {"game.jsonl"}),
    ("hawaii completion ", set(completion.SHELLS)),
]


@pytest.mark.parametrize(("line", "wanted"), COMPLETIONS)
def test_bash_completes(scripts: Path, line: str, wanted: set[str]) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    code = (
        "source hawaii.bash; COMP_WORDS=($1); [[ $1 == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} - "
        "1)); "
        'COMP_LINE=$1 COMP_POINT=${#1}; _shtab_hawaii hawaii "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert set(run("bash", "--norc", "-c", code, "bash", line, cwd=scripts).stdout.split()) == wanted


@pytest.mark.parametrize(("line", "wanted"), COMPLETIONS)
def test_fish_completes(scripts: Path, line: str, wanted: set[str]) -> None:
    if shutil.which("fish") is None:
        pytest.skip("no fish here")
    told = run("fish", "-N", "-c", "source hawaii.fish; complete -C $argv[1]", line, cwd=scripts).stdout
    assert {found.split("\t")[0] for found in told.splitlines()} == wanted


def test_zsh_takes_the_script(scripts: Path) -> None:
    assert (scripts / "_hawaii").read_text(encoding="utf-8").startswith("#compdef hawaii\n")
    if shutil.which("zsh") is None:
        pytest.skip("no zsh here")
    run("zsh", "-f", "-n", "_hawaii", cwd=scripts)


def test_completion_knows_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert cli.main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    cli.main([])
    for command in re.findall(r"^    (\w+) ", capsys.readouterr().out, re.MULTILINE):
        assert f"_shtab_hawaii_{command}_option_strings=" in script, command


def test_completion_without_shtab_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    refuses(
        MissingExtraError,
        (r"hawaii-env\[completion\]", lambda: completion.completion_script(commands._parser(commands._EVERY), "bash")),
    )


# Types


@pytest.mark.slow
@pytest.mark.parametrize(("package", "score"), [("hawaii_env", 0.99), ("hawaii_agents", 1.0)])
def test_public_types_are_complete(package: str, score: float) -> None:
    command = ("--pythonpath", sys.executable, "--verifytypes", package, "--ignoreexternal", "--outputjson")
    found = json.loads(run("pyright", *command, cwd=ROOT, check=False).stdout)["typeCompleteness"]
    assert found["completenessScore"] >= score, found["exportedSymbolCounts"]


# Installing


@cache
def pythons() -> dict[str, Path]:
    """An interpreter for each minor version from 3.11 on that is here."""
    lowest = tuple(map(int, PROJECT["requires-python"].removeprefix(">=").split(".")))
    named = [Path(name) for name in os.environ.get("HAWAII_ENV_PYTHONS", "").split(os.pathsep) if name]
    found = [shutil.which(f"python3.{minor}") for minor in range(lowest[1], lowest[1] + 6)]
    pyenv = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))
    chosen = {"{}.{}".format(*sys.version_info): Path(sys.executable)}
    for path in (*named, *(Path(name) for name in found if name), *pyenv):
        try:
            code = "import sys; print('{}.{}'.format(*sys.version_info))"
            done = subprocess.run([str(path), "-c", code], capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        version = done.stdout.strip()
        if done.returncode == 0 and tuple(map(int, version.split("."))) >= lowest:
            chosen.setdefault(version, path)
    return dict(sorted(chosen.items(), key=lambda item: int(item[0].split(".")[1])))


def install(python: Path, folder: Path, *what: str) -> Path:
    """Make an empty environment, install there, and return its programs' folder."""
    run(python, "-m", "venv", folder, cwd=folder.parent)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", *what, cwd=folder.parent)
    run(programs / "python", "-m", "pip", "check", cwd=folder.parent)
    return programs


SMOKE = """
import importlib.metadata, importlib.util, pathlib, sys
import hawaii_agents, hawaii_env
from hawaii_env import agents, hawaii1795_v1
from hawaii_env.hawaii1795 import Game
from hawaii_env.render.picture import render_svg

home = pathlib.Path(sys.prefix).resolve()
for package in (hawaii_env, hawaii_agents):
    folder = pathlib.Path(package.__file__).resolve().parent
    assert folder.is_relative_to(home), folder
    assert (folder / "py.typed").is_file()
assert importlib.metadata.version("hawaii-env") == hawaii_env.__version__
env = hawaii1795_v1.env(scenario="short")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, _, terminated, truncated, _ = env.last()
    env.step(None if terminated or truncated else int(observation["action_mask"].nonzero()[0][0]))
state = hawaii_env.play(Game(scenario="short"), ["rule-of-thumb", "random"], seed=1)
assert state.is_terminal and "<svg" in render_svg(state)
print("played", sorted(name for name in ("torch", "matplotlib", "fastapi", "shtab") if importlib.util.find_spec(name)))
"""


@pytest.mark.nightly
@pytest.mark.parametrize("version", list(pythons()))
def test_installed_without_extras(wheel: Path, tmp_path: Path, version: str) -> None:
    programs = install(pythons()[version], tmp_path / "env", str(wheel))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run(programs / "python", "-I", "-c", SMOKE, cwd=elsewhere).stdout.split() == ["played", "[]"]
    for command in ([programs / "hawaii"], [programs / "python", "-m", "hawaii_env"]):
        assert run(*command, "--version", cwd=elsewhere).stdout == f"hawaii_env {VERSION}\n"
    assert (
        "2 games"
        in run(programs / "hawaii", "demo", "--games", "2", "--quiet", "--record", "games", cwd=elsewhere).stdout
    )
    records = sorted((elsewhere / "games").glob("*.jsonl"))
    run(programs / "hawaii", "record", "verify", *records, cwd=elsewhere)
    # What needs an extra says which, in one line.
    for command, extra in (
        (["completion", "bash"], "completion"), (["animate", str(records[0]), "-o", "game.gif"], "render"),
        (["serve"], "web"),
        (["demo", "--agents", "ppo,random"], "agents"),
    ):  # fmt: skip
        refused = run(programs / "hawaii", *command, cwd=elsewhere, check=False)
        assert refused.returncode == 2, command
        assert f"hawaii-env[{extra}]" in refused.stderr, refused.stderr
        assert "Traceback" not in refused.stderr


@pytest.mark.nightly
def test_installed_with_extras(sdist: Path, tmp_path: Path) -> None:
    # From the source archive: pip builds the wheel by itself.
    extras = [
        name for name in ("agents", "arena", "render", "web", "completion") if name in PROJECT["optional-dependencies"]
    ]
    programs = install(Path(sys.executable), tmp_path / "env", f"{sdist}[{','.join(extras)}]")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    hawaii = programs / "hawaii"
    assert run(programs / "python", "-I", "-c", SMOKE, cwd=elsewhere).stdout.startswith("played")
    run(
        hawaii,
        "match",
        "ppo",
        "random",
        "--pairs",
        "1",
        "--scenario",
        "short",
        "--out",
        "match",
        "--no-progress",
        cwd=elsewhere,
    )
    run(hawaii, "ladder", "match", "--verify", "--report", cwd=elsewhere)
    assert list((elsewhere / "match/report").rglob("*.html"))
    run(hawaii, "demo", "--scenario", "short", "--seed", "1", "--quiet", "--record", "games", cwd=elsewhere)
    record = next((elsewhere / "games").glob("*.jsonl"))
    run(hawaii, "replay", record, "-o", "game.html", "--value", "none", "--quiet", cwd=elsewhere)
    assert "<script" in (elsewhere / "game.html").read_text(encoding="utf-8")
    code = (
        "import sys; from hawaii_env import records; from hawaii_env.render.picture import save_picture; "
        "*_, (_, state) = records.replay(records.read(sys.argv[1])); save_picture(state, 'end.png')"
    )
    run(programs / "python", "-I", "-c", code, record, cwd=elsewhere)
    assert (elsewhere / "end.png").read_bytes().startswith(b"\x89PNG")
    if "completion" in extras:
        assert "complete -o" in run(hawaii, "completion", "bash", cwd=elsewhere).stdout
    serves_its_page(hawaii, elsewhere)


def serves_its_page(hawaii: Path, folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(hawaii),
        "serve",
        "--port",
        str(port),
        "--only",
        "--agent",
        "random",
        "--hint",
        "random",
        "--database",
        "games.sqlite",
    ]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            until = time.monotonic() + 300
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                        assert "<title>" in page.read().decode()
                    break
                except urllib.error.URLError:
                    assert server.poll() is None, server.stdout.read() if server.stdout else ""
                    assert time.monotonic() < until, "no answer"
                    time.sleep(0.5)
        finally:
            server.terminate()
