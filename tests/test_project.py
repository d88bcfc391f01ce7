"""The project around the code: layout, import directions, packaging, and commands that agree with each other."""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import networkx
import pytest
from packaging.specifiers import SpecifierSet
from test_style import nodes_of
from waiting import python

import hawaii_agents
from hawaii_env import _version, games

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
INSTALL = "python -m pip install -c constraints.txt -e ."
INSTALL_TEST = 'python -m pip install -c constraints.txt -e ".[test]"'
CHECK = "make check"
IN_VENV = ". .venv/bin/activate &&"


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


# Import directions

HEAVY = {
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "ray",
    "jax",
    "pgx",
    "pyspiel",
    "matplotlib",
    "pandas",
    "scipy",
    "pyarrow",
    "minari",
    "supersuit",
    "shimmy",
    "torchrl",
    "tensordict",
}

GAMES = {
    spec.name: {spec.name, *(module.split(".")[1] for module in spec.environments.values())} for spec in games.shipped()
}
"""The parts of hawaii_env that are one game's, by the game: its package and its environments' modules."""


class Part(NamedTuple):
    """What a module, or package, of game packages may import.

    Attributes:
        level: from its own package modules of this level and the lower ones.
        may: of hawaii_env, beside `BASIC`.
        games: the games that have it; None: all of them must.
    """

    level: int
    may: str = ""
    games: str | None = None


FOUNDATIONS = (
    "errors", "game", "codec", "core", "rulesets", "positions", "texts", "_arguments", "_lazy", "_ruleset_checks",
    "_version",
)  # fmt: skip
BASIC = ("hawaii_env.errors", "hawaii_env.game", "hawaii_env.texts", "hawaii_env._arguments", "hawaii_env._lazy")
PARTS = {
    # data and rules
    "models": Part(1, "rulesets"),
    "rules": Part(1, "codec core.jit core.layout core.phases core.rng"),
    "ruleset": Part(1, "rulesets"),
    "board": Part(1, games="maori_wars"),
    "setup": Part(1, games="maori_wars"),
    "charts": Part(1, "rulesets", games="maori_wars"),
    "options": Part(1, games="heiau"),
    "texts": Part(1, games="hawaii1795 heiau"),
    # positions
    "observation": Part(2, "core.jit"),
    "positions": Part(2, "positions"),
    "refusals": Part(2, games="heiau"),
    "frame": Part(2, games="maori_wars"),
    # Game and State, and what stands on them
    "": Part(3),
    "fast": Part(3, "core core.layout"),
    "entries": Part(2, "core.jit core.layout", games="hawaii1795"),
    "game": Part(3, "core.checksum core.game core.rng"),
    "adjudicator": Part(3, games="heiau"),
    "battles": Part(3, "command_line core.rng terminal", games="hawaii1795"),
    "assault": Part(3, "command_line terminal", games="maori_wars"),
    "reach": Part(3, games="maori_wars"),
    # what is shown
    "narration": Part(4, "narration"),
    "pictures": Part(4, "render terminal"),
    "strings": Part(4),
    "reasons": Part(4),
    "guide": Part(4, games="aloha hawaii1795 maori_wars"),
    "turns": Part(4, games="heiau"),
    # what is declared
    "spec": Part(5, "games"),
}
"""The modules and packages of all game packages, by name; the empty one is the package itself."""


@functools.cache
def is_module(dotted: str) -> bool:
    base = ROOT / ("agents" if dotted.startswith("hawaii_agents") else "") / dotted.replace(".", "/")
    return base.with_suffix(".py").exists() or base.is_dir()


def imports_of(source: str | list[ast.AST], module: str, is_package: bool) -> set[str]:
    """Every module that a source imports, at whatever depth, relative imports resolved; those for types alone, too."""
    found: set[str] = set()
    package = module if is_package else module.rpartition(".")[0]
    for node in nodes_of(ast.parse(source)) if isinstance(source, str) else source:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                above = ".".join(parts[: len(parts) - node.level + 1])
                base = f"{above}.{base}" if base else above
            for alias in node.names:
                name = f"{base}.{alias.name}"
                found.add(name if is_module(name) else base)
    return found


def loaded_by(source: str, module: str, is_package: bool) -> set[str]:
    """Every module that a source loads: what it imports, but for types alone, and what it names for import_module, as
    ``"package.module:attribute"`` or as a constant.
    """
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    nodes = nodes_of(tree)
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            if named := re.fullmatch(r"(hawaii_\w+[\w.]*):[\w.]+", node.value):
                found.add(named[1])
        elif isinstance(node, ast.Call) and "import_module" in (
            getattr(node.func, "attr", ""),
            getattr(node.func, "id", ""),
        ):
            found.update(
                str(one.value) for one in node.args if isinstance(one, ast.Constant) and is_module(str(one.value))
            )
    return found | imports_of(nodes, module, is_package)


def modules() -> Iterator[tuple[str, Path, bool]]:
    """Every module of the packages and of the experiments: its name, its file, and if it is a package."""
    for start, folder in ((ROOT, "hawaii_env"), (ROOT / "agents", "hawaii_agents"), (ROOT, "experiments")):
        for path in sorted((start / folder).rglob("*.py")):
            parts = path.relative_to(start).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            yield ".".join(parts[:-1] if is_package else parts), path, is_package


@functools.cache
def all_imports() -> dict[str, set[str]]:
    """Return what each module imports, by its name."""
    return {name: imports_of(path.read_text(encoding="utf-8"), name, package) for name, path, package in modules()}


def source_of(module: str) -> str:
    base = ROOT / module.replace(".", "/")
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return path.read_text(encoding="utf-8")


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def parts_of(*names: str) -> dict[str, set[str]]:
    """The modules of hawaii_env that belong to one of its named parts."""
    return {
        module: imports
        for module, imports in all_imports().items()
        if any(within(module, f"hawaii_env.{name}") for name in names)
    }


def offences(chosen: dict[str, set[str]], *forbidden: str) -> list[str]:
    return [
        f"{module} imports {name}"
        for module, imports in chosen.items()
        for name in sorted(imports)
        if any(within(name, package) for package in forbidden)
    ]


def test_imports_are_read_as_python_reads_them() -> None:
    source = (
        "from ...game import Game\nfrom ... import game, _version\ndef f():\n    import torch.nn\nfrom . import state\n"
    )
    assert imports_of(source, "hawaii_env.hawaii1795.rules.flow", is_package=False) == {
        "hawaii_env.game",
        "hawaii_env._version",
        "torch.nn",
        "hawaii_env.hawaii1795.rules.state",
    }
    assert imports_of("from . import _version", "hawaii_env", is_package=True) == {"hawaii_env._version"}
    source = (
        '"""hawaii_env.fuzz:check"""\nif TYPE_CHECKING:\n    from hawaii_env import codec\n'
        'X = "hawaii_env.games:find"\nimportlib.import_module("hawaii_env.agents")\nY = "hawaii_env.replay"\n'
    )
    assert loaded_by(source, "x", is_package=False) == {"hawaii_env.games", "hawaii_env.agents"}


# Circles


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The modules that import each other in a circle, at module level or inside functions."""
    known = networkx.DiGraph((name, other) for name in graph for other in graph[name] & set(graph) if other != name)
    return sorted(sorted(circle) for circle in networkx.strongly_connected_components(known) if len(circle) > 1)


def packages_of(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same of the packages: hawaii_env's parts and the packages in them, each without what stands beside it."""

    def parent(name: str) -> str:
        return ".".join(name.split(".")[:2])

    found: dict[str, set[str]] = {}
    for name, others in graph.items():
        found.setdefault(parent(name), set()).update(parent(other) for other in others)
    return found


def test_nothing_imports_in_circles() -> None:
    graph = {name: loaded_by(path.read_text(encoding="utf-8"), name, package) for name, path, package in modules()}
    assert len(graph) > 250
    assert circles(graph) == [] == circles(packages_of(graph))
    # An import inside a function closes a circle as well.
    assert "hawaii_env.render.modes" in graph["hawaii_env.env.base"]
    closed = {**graph, "hawaii_env.render.modes": loaded_by("def f():\n    import hawaii_env.env.aec", "x", False)}
    assert any({"hawaii_env.env.aec", "hawaii_env.render.modes"} <= set(circle) for circle in circles(closed))
    assert any({"hawaii_env.env", "hawaii_env.render"} <= set(circle) for circle in circles(packages_of(closed)))


# Game packages


def part_of(module: str) -> str:
    """The part of its game package that a module belongs to."""
    return (module.split(".")[2:3] or [""])[0]


@pytest.mark.parametrize("game", GAMES)
def test_game_packages_have_the_same_modules(game: str) -> None:
    found = {part_of(module) for module in parts_of(game)}
    assert found <= PARTS.keys(), "name them in PARTS"
    for name, part in PARTS.items():
        wanted = part.games is None or game in part.games.split()
        assert wanted == (name in found), f"{game}.{name} {'is missing' if wanted else 'is not named in PARTS'}"


@pytest.mark.parametrize("game", GAMES)
def test_game_packages_import_what_their_modules_may(game: str) -> None:
    wrong: list[str] = []
    for module, imports in parts_of(game).items():
        mine = PARTS[part_of(module)]
        may = (*BASIC, *(f"hawaii_env.{name}" for name in mine.may.split()))
        for name in sorted(imports):
            if within(name, f"hawaii_env.{game}"):
                right = PARTS[part_of(name)].level <= mine.level
            elif within(name, "hawaii_env"):
                right = any(within(name, one) for one in may)
            else:
                right = name.split(".")[0] in (sys.stdlib_module_names | {"numpy", "pydantic"})
            if not right:
                wrong.append(f"{module} imports {name}")
    assert not wrong


def test_what_games_stand_on_knows_nothing_above_it() -> None:
    known = {*sys.stdlib_module_names, "numpy", "numba", "llvmlite", "pydantic"}
    wrong = [
        f"{module} imports {name}"
        for module, imports in parts_of(*FOUNDATIONS).items()
        for name in sorted(imports)
        if name.split(".")[0] not in known and not any(within(name, f"hawaii_env.{one}") for one in FOUNDATIONS)
    ]
    assert not wrong


def general() -> dict[str, set[str]]:
    """The modules of hawaii_env that serve any game: all but those of one game."""
    own = {f"hawaii_env.{part}" for parts in GAMES.values() for part in parts}
    return {
        module: imports
        for module, imports in all_imports().items()
        if within(module, "hawaii_env") and not any(within(module, part) for part in own)
    }


def own_words(source: str, names: set[str]) -> list[str]:
    """The names and texts of a source that speak of a game, as those that import_module takes."""
    name = re.compile(rf"(?<![a-z])({'|'.join(names)})(?![a-z])", re.IGNORECASE)
    return [said for said in words_of(source) if name.search(said)]


@functools.cache
def words_of(source: str) -> list[str]:
    """The names and texts of a source; texts that stand alone are docstrings."""
    nodes = nodes_of(ast.parse(source))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            said = node.value
        elif isinstance(node, ast.Name | ast.Attribute):
            said = node.id if isinstance(node, ast.Name) else node.attr
        else:
            continue
        found.append(said)
    return found


ALLOWED = {
    "hawaii_env.games": {"hawaii1795"},  # the game that is played if none is named
    "hawaii_env.bots.protocol": {"name of the game, as 'hawaii1795'"},
    "hawaii_env.env.aec": {"expected an AEC environment of hawaii_env, as hawaii1795_v1.env() makes it, not "},
    "hawaii_env.env.recording": {
        "RecordGames records an AEC environment of hawaii_env, as hawaii1795_v1.env() makes it; "
    },
}
"""Where modules that serve any game name one in their code: a default, and examples in messages."""


@pytest.mark.parametrize("name", GAMES)
def test_modules_that_serve_any_game_know_none(name: str) -> None:
    found = general()
    assert len(found) > 80
    assert not offences(found, *(f"hawaii_env.{part}" for part in GAMES[name]))
    for module in found:
        said = [text for text in own_words(source_of(module), GAMES[name]) if text not in ALLOWED.get(module, ())]
        assert not [text for text in said if not any(text.startswith(ok) for ok in ALLOWED.get(module, ()))], module


@pytest.mark.parametrize("name", GAMES)
def test_the_page_knows_no_game(name: str) -> None:
    sides = {re.sub(r"_\d+$", "", agent) for agent in games.load_game(name).agents}
    for path in (ROOT / "hawaii_env/web/static").iterdir():
        page = path.read_text(encoding="utf-8")
        for word in {name, games.find(name).title, *sides}:
            assert not re.search(rf"\b{re.escape(word)}\b", page, re.IGNORECASE), (path.name, word)


def test_a_module_that_knows_a_game_is_found() -> None:
    names = GAMES["hawaii1795"]
    for code in (
        "import_module('hawaii_env.hawaii1795.game')",
        "hawaii1795_v1.env()",
        "f'{a}/hawaii1795'",
        "a.hawaii1795",
    ):
        assert own_words(code, names), code
    assert not own_words('"""As hawaii1795."""\ndef f():\n    """hawaii1795"""\nX = 1\n"""hawaii1795"""', names)
    assert imports_of("def f():\n    from hawaii_env.hawaii1795 import Game", "x", False) == {"hawaii_env.hawaii1795"}


@pytest.mark.parametrize("name", GAMES)
def test_environments_of_a_game_are_made_from_its_spec_alone(name: str) -> None:
    own = parts_of(*(part for part in GAMES[name] if part != name))
    assert own and all(
        imports <= {"__future__", "hawaii_env.env.entries", f"hawaii_env.{name}.spec"} for imports in own.values()
    )


def test_only_core_knows_numba() -> None:
    # Loops of the trainer, around torch's: no rules, never in interpreted mode, and with inexact arithmetic.
    others = {
        module: imports
        for module, imports in all_imports().items()
        if not within(module, "hawaii_env.core") and module != "hawaii_agents.training.kernels"
    }
    assert not offences(others, "numba", "llvmlite")


def test_learning_libraries_stay_in_integrations() -> None:
    package = {module: imports for module, imports in all_imports().items() if within(module, "hawaii_env")}
    outside = {module: names for module, names in package.items() if not within(module, "hawaii_env.integrations")}
    assert not offences(outside, *HEAVY)
    assert not offences(package, "hawaii_agents", "experiments", "tests")


def test_only_adapters_step_the_games_of_a_batch() -> None:
    """`plays` measures the parts of a step, `evaluation` lets compiled code play the random side, `batch_search`
    puts a position into each environment at once.
    """
    inside = re.compile(r"\bbatch\.(runner|_\w+)")
    sources = [
        path for folder in ("hawaii_env", "agents", "experiments") for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    users = {path.name for path in sources if inside.search(path.read_text(encoding="utf-8"))}
    assert users == {"plays.py", "evaluation.py", "batch_search.py"}


def test_agents_use_the_public_api() -> None:
    agents = {module: imports for module, imports in all_imports().items() if within(module, "hawaii_agents")}
    assert agents
    assert not offences(agents, "experiments", "tests")
    for module, imports in agents.items():
        for name in imports:
            inside = name.split(".")[1:] if within(name, "hawaii_env") else []
            assert not any(part.startswith("_") for part in inside), f"{module} imports {name}"
            # A game package is public by its Game and State and by its module `fast`; Hawaii's battles are, too.
            if inside and inside[0] in GAMES:
                assert inside[1:] in ([], ["fast"], ["battles"]), f"{module} imports {name}"


def requirements_of(distribution: str) -> set[str]:
    """The distributions that one needs without any extra, at whatever depth."""
    found: set[str] = set()
    waiting = [distribution]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        found.add(name)
        for line in importlib.metadata.requires(name) or []:
            requirement, _, marker = line.partition(";")
            asked = re.match(r"[\w.-]+", requirement)
            if asked and "extra" not in marker and "python_version <" not in marker and "sys_platform" not in marker:
                waiting.append(asked[0])
    return found


def test_import_needs_the_five_dependencies_alone() -> None:
    names = [re.split(r"[<>=!~ ]", line)[0] for line in PYPROJECT["project"]["dependencies"]]
    assert sorted(names) == ["gymnasium", "numba", "numpy", "pettingzoo", "pydantic"]
    before, loaded = (
        set(json.loads(python(f"import {first}sys, json; print(json.dumps(list(sys.modules)))").stdout))
        for first in ("", "hawaii_env, ")
    )
    assert "hawaii_env" in loaded
    assert not loaded & (HEAVY | {"rich", "hawaii_agents"})
    needed = requirements_of("hawaii-env")
    owners = importlib.metadata.packages_distributions()
    for module in {name.partition(".")[0] for name in loaded - before}:
        distributions = {re.sub(r"[-_.]+", "-", name).lower() for name in owners.get(module, [])}
        assert not distributions or distributions & needed, f"import hawaii_env loads {module} of {distributions}"


# Layout and packaging


def test_one_version() -> None:
    assert re.findall(r"^version: (.+)$", text("CITATION.cff"), re.MULTILINE) == [_version.__version__]
    assert importlib.metadata.version("hawaii-env") == _version.__version__
    assert re.search(r"^## \[Unreleased\]$", text("CHANGELOG.md"), re.MULTILINE)


def test_agents_package_is_importable_under_its_own_name() -> None:
    assert hawaii_agents.__doc__
    assert all(hasattr(hawaii_agents, name) for name in hawaii_agents.__all__)


def test_constraints_pin_every_requirement() -> None:
    lines = [line for line in text("constraints.txt").splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    pinned = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower(): line.split("==")[1] for line in lines}
    extras = PYPROJECT["project"]["optional-dependencies"]
    asked = PYPROJECT["project"]["dependencies"] + [line for extra in extras.values() for line in extra]
    for line in asked:
        if line.startswith("hawaii-env["):
            continue
        name, lowest = re.sub(r"\[.*?\]", "", line).split(">=")
        assert [int(n) for n in pinned[name].split(".")] >= [int(n) for n in lowest.split(".")], line
    # Each takes the first Python that the project does: pip refuses the whole set for one that does not.
    for found in importlib.metadata.distributions():
        wanted, name = (
            found.metadata.json.get("requires_python"),
            re.sub(r"[-_.]+", "-", found.metadata["Name"]).lower(),
        )
        if wanted and pinned.get(name) == found.version:
            assert SpecifierSet(str(wanted)).contains(f"{PYPROJECT['project']['requires-python'][2:]}.0"), (
                name,
                wanted,
            )


# Commands


def code_blocks(path: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text(path), re.MULTILINE | re.DOTALL)


def recipe(target: str) -> list[str]:
    """The commands of a target, its prerequisites included, from nothing."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "-n", "-B", target]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


def test_readme_gives_the_two_commands_first() -> None:
    first = [line.split("#")[0].strip() for line in code_blocks("README.md", "bash")[0].splitlines()]
    assert first == ["make demo", "make smoke", "make test"]


def test_the_page_of_installation_names_every_extra() -> None:
    told = re.findall(r"^\| (`.+?) \|", text("docs/install.md"), re.MULTILINE)
    named = [name for cell in told for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(PYPROJECT["project"]["optional-dependencies"])


def test_readme_makefile_and_ci_agree() -> None:
    documents = ("README.md", "docs/install.md", "CONTRIBUTING.md")
    shown = [line for name in documents[:2] for block in code_blocks(name, "bash") for line in block.splitlines()]
    assert {INSTALL, INSTALL_TEST, CHECK} <= set(shown)
    for document in documents:
        for line in (line for block in code_blocks(document, "bash") for line in block.splitlines()):
            assert "pip install" not in line or re.fullmatch(re.escape(INSTALL[:-1]) + r'(\.|"\.\[[\w,]+\]")', line), (
                line
            )
    demo, test, check = recipe("demo"), recipe("test"), recipe("check")
    assert f"{IN_VENV} {INSTALL}" in demo
    assert demo[-1] == f"{IN_VENV} hawaii demo"
    assert f"{IN_VENV} {INSTALL_TEST}" in test
    assert test[-len(check) :] == [f"{IN_VENV} {command}" for command in check]
    assert check[-1].startswith("python -m pytest")
    # Between the two, continuous integration says how speed compares with the committed figures; that line fails
    # nothing.
    *_, install, comment, speed, last = text(".ci/run").splitlines()
    assert [install, last] == [INSTALL_TEST, CHECK]
    assert comment.startswith("#")
    assert speed.startswith("python experiments/bench.py --quick")
    assert "||" in speed


@pytest.mark.parametrize("target", ["demo", "smoke", "test", "lint", "nightly", "bench"])
def test_make_has_the_target(target: str) -> None:
    assert recipe(target)
    assert re.search(rf"make {target}\b", text("Makefile"))


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/index.md", "experiments/README.md"]
)
def test_links_lead_somewhere(document: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", text(document)):
        if not target.startswith(("http://", "https://", "#")):
            assert (ROOT / document).parent.joinpath(target.split("#")[0]).exists(), target


@pytest.mark.parametrize("number", range(len(code_blocks("README.md", "python"))))
def test_readme_examples_run(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code_blocks("README.md", "python")[number], f"README.md, example {number + 1}", "exec"), {})


def test_the_readmes_seeded_game_repeats() -> None:
    code = compile(code_blocks("README.md", "python")[1], "README.md, example 2", "exec")
    ends: list[str] = []
    for _ in range(2):
        names: dict[str, Any] = {}
        exec(code, names)
        ends.append(names["env"].game_state.to_json(secrets=True))
    assert ends[0] == ends[1]


# Widths

WIDE = {
    "tests/reconstructed-1/": "a ruleset as it was",
    "docs/records.md": "an example of a file whose lines are records",
}
"""Files, and folders of files, whose lines may be longer than 120 columns, and why."""

PRAGMA = r"\s*# (noqa|type: ignore|pyright: ignore).*$"
"""What the formatter does not count either."""


def too_wide(name: str, content: str) -> list[str]:
    """The lines of a file that are longer than 120 columns and could be shorter: no row of a Markdown table, no inline
    table of TOML, which are one line each.
    """
    one = {".md": r"\|", ".toml": r"\w+ = \{"}.get(Path(name).suffix, r"(?!)")
    return [
        f"{name}:{number}: {line[:60]}"
        for number, line in enumerate(content.splitlines(), 1)
        if len(re.sub(PRAGMA, "", line)) > 120 and not re.match(one, line)
    ]


def test_lines_are_at_most_120_columns_wide() -> None:
    found: list[str] = []
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT).stdout.split()
    for name in listed or [str(path.relative_to(ROOT)) for path in ROOT.glob("hawaii_env/**/*.*")]:
        if name.endswith((".py", ".js", ".css", ".md", ".toml")) and not name.startswith(tuple(WIDE)):
            found += too_wide(name, text(name))
    assert not found


def test_long_modules_say_why() -> None:
    """A module of more than 500 lines says in its docstring why it is one file."""
    paths = [path for folder in ("hawaii_env", "agents") for path in (ROOT / folder).rglob("*.py")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    assert not [name for name, text in texts.items() if text.count("\n") > 500 and "\n\nOne file: " not in text]


def test_a_line_that_is_too_wide_is_found() -> None:
    wide = "x = 1" + " + 1" * 30
    assert too_wide("a.py", f"x = 1\n{wide}\n") == [f"a.py:2: {wide[:60]}"]
    assert too_wide("a.md", wide) and not too_wide("a.md", f"| {wide} |")
    assert too_wide("a.toml", f'a = "{wide}"') and not too_wide("a.toml", f'a = {{ b = "{wide}" }}')
    assert not too_wide("a.py", "x = 1  # type: ignore[" + "assignment, " * 12 + "]")
    assert not [name for name in WIDE if not (ROOT / name).exists()]


# Lint


def test_every_ignored_rule_gives_its_reason() -> None:
    settings = PYPROJECT["tool"]["ruff"]["lint"]
    ignored = settings["ignore"] + [rule for rules in settings["per-file-ignores"].values() for rule in rules]
    assert ignored
    for rule in ignored:
        assert re.search(rf'^\s*"{rule}",\s+# \S.+', text("pyproject.toml"), re.MULTILINE), (
            f"{rule} has no reason beside it"
        )
