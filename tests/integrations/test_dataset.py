"""Data sets: games between agents as shards of Parquet, resumed, described."""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import importlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses
from toy import TIDES

from hawaii_env import cli, games
from hawaii_env import games as registry
from hawaii_env.arena.store import file_digest
from hawaii_env.errors import OptionError, RecordError
from hawaii_env.integrations.croissant import croissant
from hawaii_env.integrations.offline import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ["random", "aloha-greedy"]
SETTINGS: dict[str, Any] = {"games": 6, "agents": AGENTS, "shard": 4, "processes": 1, "progress": False}

pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra offline)")
dataset: Any = importlib.import_module("hawaii_env.integrations.dataset")
parquet: Any = importlib.import_module("hawaii_env.integrations.parquet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of two shards, whose making broke off twice: in the second shard, and before the description."""
    out = tmp_path_factory.mktemp("made") / "runs" / "aloha"
    real = dataset.export

    def fails(*given: Any, **settings: Any) -> Any:
        if settings["first"]:
            raise OSError("the power fails")
        return real(*given, **settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dataset, "export", fails)
        patch.setattr(parquet, "ROWS", 100)  # several groups of rows
        refuses(Exception, ("the power fails", lambda: dataset.make(out, "aloha", **SETTINGS)))
    assert [path.name for path in (out / "data").iterdir()] == ["part-00000.parquet"]
    assert len(list((out / "games/part-00001").rglob("*.jsonl"))) == 2
    assert not dataset.read(out).made
    stale = out / "data" / "part-00001.parquet.00000000.part"  # what a killed process was writing
    stale.write_bytes(b"PAR1")
    dataset.make(out, "aloha", **SETTINGS)
    return out


@pytest.mark.slow
def test_a_data_set_goes_on_where_it_broke_off_and_repeats(folder: Path) -> None:
    before = dataset.read(folder)
    assert (before.games, [shard.name for shard in before.shards]) == (6, ["part-00000.parquet", "part-00001.parquet"])
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "croissant.json", "data", "dataset.json"]
    (folder / "data/part-00001.parquet").unlink()
    assert dataset.make(folder, "aloha", **SETTINGS).shards == before.shards


def test_the_description_counts_what_the_shards_hold(folder: Path) -> None:
    made, found = dataset.read(folder), list(parquet.batches(folder, 50))
    assert sum(len(batch.actions) for batch in found) == made.decisions == sum(one.decisions for one in made.played)
    assert np.unique(np.concatenate([batch.games for batch in found])).tolist() == list(range(6))
    assert sum(int(batch.masks.sum()) for batch in found) == round(made.legal * made.decisions, 0)
    assert [(one.agent, one.seats) for one in made.played] == [("aloha-greedy", 6), ("random", 6)]
    assert sum(one.mean_return for one in made.played) == 0 < made.played[0].mean_return
    assert all(found[0].observations.dtype == np.int8 for _ in found)
    sheet = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in sheet for name in (*AGENTS, *COLUMNS)) and "--agents 'random,aloha-greedy'" in sheet


def test_croissant_names_files_and_columns_as_they_are(folder: Path) -> None:
    data = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert data == croissant(dataset.read(folder).model_dump())
    *files, shards = data["distribution"]
    assert {one["contentUrl"]: one["sha256"] for one in files} == {
        path.relative_to(folder).as_posix(): file_digest(path) for path in parquet.shards(folder)
    }
    (records,) = data["recordSet"]
    schema: Any = importlib.import_module("pyarrow.parquet").read_schema(parquet.shards(folder)[0])
    assert [field["source"]["extract"]["column"] for field in records["field"]] == schema.names == list(COLUMNS)
    assert {field["source"]["fileSet"]["@id"] for field in records["field"]} == {shards["@id"]}
    lists = [name for name in schema.names if "list" in str(schema.field(name).type)]
    assert [field["name"] for field in records["field"] if field.get("repeated")] == lists


@pytest.mark.slow
def test_mlcroissant_reads_every_record(folder: Path) -> None:
    mlcroissant: Any = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    found = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert sum(1 for _ in found.records("decisions")) == dataset.read(folder).decisions


def test_the_example_of_the_page_reads_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/datasets.md").read_text(encoding="utf-8")
    monkeypatch.chdir(folder.parent.parent)
    names: dict[str, Any] = {}
    for code in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(compile(code, "docs/datasets.md", "exec"), names)
    assert names["decisions"] == dataset.read(folder).decisions


def test_the_command_goes_on_with_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["dataset", str(folder), "--game", "aloha", "--shard", "4", "--agents", ",".join(AGENTS)]
    assert cli.main([*command, "--games", "6"]) == 0
    assert "of 6 games in 2 files" in " ".join(capsys.readouterr().out.split())
    assert cli.main([*command, "--games", "7"]) == 2
    assert re.search("games: the data set in .* has 6, not 7", " ".join(capsys.readouterr().err.split()))


@pytest.mark.parametrize("name", [spec.name for spec in games.shipped()])
def test_every_game_has_agents_of_every_seat(name: str) -> None:
    first = games.find(name).options[0]
    for value in first.choices or (first.default,):
        game = games.load_game(name, **{first.name: value})
        plan = dataset.plan_of(game, None, games=60, seed=1, shard=50)
        assert "random" in plan.agents and not any("held-out" in agent for agent in plan.agents)
        players, schedule = dataset._schedule(game, plan)
        assert len(schedule) == len({one.key for one in schedule}) == 60
        assert {player.agent for player in players} == set(plan.agents)
        assert all(len(set(one.seats)) == game.num_players for one in schedule)


WRAPPED = """
from hawaii_env import agents
agents.register("wrapped", lambda seed=None: agents.EpsilonGreedyAgent("held-out", 0.0, seed))
"""


def test_bad_input_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._registered, "tides", TIDES)
    (tmp_path / "half").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "README.md").write_text("mine", encoding="utf-8")
    shutil.copytree(folder, tmp_path / "torn")
    torn = tmp_path / "torn/data/part-00001.parquet"
    torn.write_bytes(torn.read_bytes()[:-9])
    (tmp_path / "half" / dataset.FILE).write_text('{"games": -1}', encoding="utf-8")
    held = "epsilon-greedy:epsilon=0.1,base=held-out:kind=biased"
    (tmp_path / "wrapped.py").write_text(WRAPPED, encoding="utf-8")
    wrapped = {"agents": ["wrapped"], "load": [tmp_path / "wrapped.py"]}
    refuses(
        OptionError,
        ("agents: .*base=held-out", lambda: dataset.make(tmp_path / "a", "aloha", agents=f"random,{held}")),
        ("agents: 'wrapped' is held out", lambda: dataset.make(tmp_path / "a", "aloha", **wrapped)),
        ("agents: the benchmark has no track for 'tides'", lambda: dataset.make(tmp_path / "b", "tides")),
        ("games", lambda: dataset.make(tmp_path / "c", "aloha", games=0)),
        ("^seed: the data set in .* has 0, not 3", lambda: dataset.make(folder, "aloha", **SETTINGS, seed=3)),
        ("^players: .* has 2, not 3", lambda: dataset.make(folder, "aloha", **SETTINGS, players=3)),
        ("^game: .* has 'aloha', not 'hawaii1795'", lambda: dataset.make(folder, "hawaii1795", **SETTINGS)),
        ("^shard: .* has 4, not 5", lambda: dataset.make(folder, "aloha", **{**SETTINGS, "shard": 5})),
        ("^agents: .* not .'random'", lambda: dataset.make(folder, "aloha", **{**SETTINGS, "agents": "random"})),
        ("out: .* contains README.md but no dataset", lambda: dataset.make(tmp_path / "own", "aloha", **SETTINGS)),
        (r"dataset\.json: setting", lambda: dataset.read(tmp_path / "half")),
        ("the folder has no data set", lambda: dataset.read(tmp_path)),
    )
    refuses(
        RecordError,
        (
            "part-00001.parquet cannot be read: .*; delete the file and start",
            lambda: dataset.make(tmp_path / "torn", "aloha", **SETTINGS),
        ),
    )
    refuses(RecordError, (r"no file of decisions \(\*\.parquet\)", lambda: parquet.batches(tmp_path / "half")))
    assert not (tmp_path / "a").exists()
