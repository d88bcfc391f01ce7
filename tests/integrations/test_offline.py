"""Decisions of records as Parquet and as a Minari data set, and the command that writes them."""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import importlib
import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from refusals import refuses, refuses_each
from toy import TIDES, ToyGame

import hawaii_env
from hawaii_env import cli, records
from hawaii_env import games as registry
from hawaii_env._version import __version__
from hawaii_env.env.single_agent import SingleAgentEnv
from hawaii_env.errors import OptionError, RecordError
from hawaii_env.game import Decision
from hawaii_env.game import Game as AnyGame
from hawaii_env.hawaii1795 import Game
from hawaii_env.integrations import offline

SHORT = Game(scenario="short")
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three short games, rule-of-thumb against random, and a file that is not a record."""
    folder = tmp_path_factory.mktemp("games")
    for seed in SEEDS:
        hawaii_env.play(SHORT, ["rule-of-thumb", "random"], seed=seed, record=folder / f"game-{seed}.jsonl")
    (folder / "notes.txt").write_text("no record")
    return folder


@pytest.fixture
def broken_off(games: Path, tmp_path: Path) -> Path:
    lines = (games / "game-1.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "broken_off.jsonl"
    path.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    return path


def asked(path: Path) -> list[Decision]:
    return [event for event in records.read(path).events if isinstance(event, Decision) and not event.forced]


# The walk


def test_decisions_are_those_that_were_asked(games: Path) -> None:
    """Positions, legal actions and observations are those of the game as it was played with its seed."""
    path = games / "game-2.jsonl"
    state = SHORT.initial_state(seed=2)
    told = asked(path)
    found = list(offline.decisions(records.read(path)))
    assert len(found) == len(told) > 50
    for (one, _), event in zip(found, told, strict=True):
        assert (one.player, one.action, one.text) == (event.player, event.action, event.text)
        assert one.player == state.current_player and one.phase == state.phase
        assert one.legal.tolist() == state.legal_actions()
        np.testing.assert_array_equal(one.observation, state.observation(one.player))
        state.apply(one.action)
    assert state.is_terminal


def test_players_of_a_simultaneous_turn_see_the_same_position(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._registered, "tides", TIDES)
    toy: AnyGame = ToyGame()
    path = tmp_path / "tides.jsonl"
    state = toy.initial_state(seed=5, trace=True)
    with records.RecordWriter(path, toy, seed=5) as writer:
        while not state.is_terminal:
            if state.current_player >= 0:
                state.apply(state.legal_actions()[0])
            else:
                state.apply_joint({player: state.legal_actions(player)[-1] for player in state.acting_players})
        writer.finish(state)
    found = [one for one, _ in offline.decisions(records.read(path))]
    assert [(one.player, one.action) for one in found] == [(event.player, event.action) for event in asked(path)]
    bids = [one for one in found if one.phase == "bid"]
    assert len(bids) > 3
    assert all(one.action in one.legal for one in found)
    # In the first round three bid, and none has seen another's card leave the hand.
    shown = toy.initial_state(seed=5)
    for one in bids[:3]:
        np.testing.assert_array_equal(one.observation, shown.observation(one.player))


def test_bad_input_is_rejected(games: Path, broken_off: Path, tmp_path: Path) -> None:
    refuses(RecordError, ("no records", lambda: offline.record_files([tmp_path / "nothing"][:0])))
    (tmp_path / "empty").mkdir()
    refuses(
        RecordError,
        (r"no records \(\*\.jsonl\)", lambda: list(offline.played([tmp_path / "empty"]))),
        ("broken off", lambda: list(offline.played([broken_off]))),
    )
    (half,) = offline.played([broken_off], partial=True)
    assert half.returns is None and len(half.decisions) > 10
    other = tmp_path / "other.jsonl"
    hawaii_env.play(Game(scenario="short", final_check=True), "random", seed=1, record=other)
    refuses(RecordError, ("parameters", lambda: list(offline.played([games / "game-1.jsonl", other]))))
    lines = (games / "game-1.jsonl").read_text(encoding="utf-8").splitlines()
    end = json.loads(lines[-1])
    end["returns"] = [0.0, 0.0]
    (tmp_path / "wrong.jsonl").write_text("\n".join([*lines[:-1], json.dumps(end), ""]), encoding="utf-8")
    refuses(RecordError, ("the record says", lambda: list(offline.played([tmp_path / "wrong.jsonl"]))))


def test_one_path_will_do(games: Path) -> None:
    """A text is a path, not letters that are paths."""
    every = [games / f"game-{seed}.jsonl" for seed in SEEDS]
    assert offline.record_files(games) == offline.record_files(str(games)) == offline.record_files([games]) == every
    assert offline.record_files(str(every[0])) == [every[0]]
    assert len(list(offline.played(str(every[0])))) == 1


# Parquet


@pytest.fixture
def parquet() -> Any:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra offline)")
    return importlib.import_module("hawaii_env.integrations.parquet")


def test_parquet_holds_every_decision(
    parquet: Any, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq: Any = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(parquet, "ROWS", 100)  # several row groups
    out = tmp_path / "made" / "decisions.parquet"
    made = parquet.export([games], out)
    wanted = [event for seed in SEEDS for event in asked(games / f"game-{seed}.jsonl")]
    assert (made.path, made.games, made.decisions) == (out, 3, len(wanted))
    assert made.bytes == out.stat().st_size and pq.ParquetFile(out).num_row_groups > 1
    rows = pq.read_table(out).to_pylist()
    assert [(row["player"], row["action"], row["text"]) for row in rows] == [
        (event.player, event.action, event.text) for event in wanted
    ]
    first = rows[0]
    assert (first["record"], first["agent"], first["name"]) == (
        "game-1.jsonl",
        SHORT.agents[first["player"]],
        ["rule-of-thumb", "random"][first["player"]],
    )
    for seed in SEEDS:
        result = records.read(games / f"game-{seed}.jsonl").result
        assert result is not None
        for row in rows:
            if row["record"] == f"game-{seed}.jsonl":
                assert row["return"] == result["returns"][row["player"]]
                assert (row["winner"], row["reason"]) == (result["winner"], result["reason"])
    told = parquet.describe(out)
    assert told["action_table"] == SHORT.action_table_hash and told["ruleset"]["hash"] == SHORT.ruleset_hash
    assert type(SHORT)(**told["params"]) == SHORT
    refuses(OptionError, ("exists", lambda: parquet.export([games], out)))
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_batches_are_the_arrays_that_training_wants(parquet: Any, games: Path, tmp_path: Path) -> None:
    for raw in (False, True):
        made = parquet.export([games], tmp_path / f"{raw}.parquet", raw=raw)
        found = list(parquet.batches(made.path, 64))
        assert all(len(batch.actions) <= 64 for batch in found)
        whole = [one for game in offline.played([games], raw=raw) for one in game.decisions]
        observations = np.concatenate([batch.observations for batch in found])
        masks = np.concatenate([batch.masks for batch in found])
        actions = np.concatenate([batch.actions for batch in found])
        assert observations.dtype == (np.int8 if raw else np.float32) and len(observations) == made.decisions
        np.testing.assert_array_equal(observations, np.stack([one.observation for one in whole]))
        assert masks.dtype == np.int8 and masks.shape == (made.decisions, SHORT.num_actions)
        assert [np.flatnonzero(mask).tolist() for mask in masks] == [one.legal.tolist() for one in whole]
        assert masks[np.arange(len(actions)), actions].all()
        players = np.concatenate([batch.players for batch in found])
        assert players.tolist() == [one.player for one in whole]
        assert set(np.concatenate([batch.games for batch in found]).tolist()) == {0, 1, 2}
        assert set(np.concatenate([batch.returns for batch in found]).tolist()) <= {-1.0, 0.0, 1.0}


def test_parquet_of_some_and_of_broken_games(parquet: Any, games: Path, broken_off: Path, tmp_path: Path) -> None:
    pq: Any = pytest.importorskip("pyarrow.parquet")
    made = parquet.export([games], tmp_path / "mine.parquet", only="rule-of-thumb")
    table = pq.read_table(made.path)
    assert set(table["name"].to_pylist()) == {"rule-of-thumb"} and set(table["player"].to_pylist()) == {0}
    refuses(RecordError, ("nobody", lambda: parquet.export([games], tmp_path / "none.parquet", only="nobody")))
    half = parquet.export([broken_off], tmp_path / "half.parquet", partial=True)
    assert np.isnan(next(parquet.batches(half.path)).returns).all()
    refuses(RecordError, ("", lambda: parquet.export([games / "notes.txt"], tmp_path / "bad.parquet")))
    assert sorted(path.name for path in tmp_path.glob("*parquet*")) == ["half.parquet", "mine.parquet"]
    pq.write_table(table.select(["n"]).replace_schema_metadata(None), tmp_path / "other.parquet")
    refuses_each(
        RecordError,
        "",
        parquet.describe,
        (tmp_path / "other.parquet", games / "notes.txt", tmp_path / "absent.parquet"),
    )


def test_arrays_of_a_batch_can_be_written_to(parquet: Any, games: Path, tmp_path: Path) -> None:
    for raw in (False, True):
        made = parquet.export(str(games / "game-1.jsonl"), tmp_path / f"{raw}.parquet", raw=raw)
        for batch in parquet.batches(made.path, 30):
            for name, array in vars(batch).items():
                assert array.flags.writeable, name


def test_parquet_leaves_the_files_of_others_alone(parquet: Any, games: Path, tmp_path: Path) -> None:
    others = tmp_path / "out.parquet.part"
    others.write_text("somebody else's")
    refuses(
        RecordError,
        ("", lambda: parquet.export(games / "notes.txt", tmp_path / "out.parquet")),
        ("nobody", lambda: parquet.export(games, tmp_path / "out.parquet", only="nobody")),
    )
    assert [path.name for path in tmp_path.iterdir()] == [others.name]
    parquet.export(games / "game-1.jsonl", tmp_path / "out.parquet")
    assert others.read_text() == "somebody else's"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", others.name]
    refuses_each(
        OptionError,
        "is not a folder",
        lambda out: parquet.export(games / "game-1.jsonl", out),
        (others / "x.parquet", others / "in" / "x.parquet"),
    )


def test_batches_refuse_at_the_call_and_name_a_damaged_file(parquet: Any, games: Path, tmp_path: Path) -> None:
    pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra offline)")
    pq: Any = pytest.importorskip("pyarrow.parquet")
    whole = parquet.export(games, tmp_path / "whole.parquet").path
    refuses_each(OptionError, "size", lambda size: parquet.batches(whole, size), (0, -1, 2.5, "a", True, None))
    assert len(next(parquet.batches(str(whole), np.int64(7))).actions) == 7  # type: ignore[arg-type]
    refuses_each(
        RecordError, lambda path: path.name, parquet.batches, (games / "notes.txt", tmp_path / "absent.parquet")
    )

    damaged = tmp_path / "damaged.parquet"
    data = bytearray(whole.read_bytes())
    data[4 : len(data) // 2] = bytes(len(data) // 2 - 4)
    damaged.write_bytes(data)
    found = parquet.batches(damaged)
    refuses(RecordError, (r"damaged\.parquet", lambda: list(found)))
    # What it says of itself is whole, and a column that it should have is not there.
    table = pq.read_table(whole)
    pq.write_table(table.drop_columns(["legal"]), tmp_path / "fewer.parquet")
    refuses(RecordError, (r"fewer\.parquet", lambda: list(parquet.batches(tmp_path / "fewer.parquet"))))
    for told in (b"{", b"[]", b'{"format": "hawaii_env.decisions"}'):
        other = tmp_path / "other.parquet"
        pq.write_table(pa.table({"n": [1]}).replace_schema_metadata({parquet.KEY: told}), other)
        with pytest.raises(RecordError, match=r"other\.parquet"):
            parquet.describe(other)


# Minari


@pytest.fixture
def minari(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra offline)")
    module = pytest.importorskip("minari", reason="minari is not installed (extra offline)")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return module


@pytest.fixture
def export(minari: Any) -> Any:
    return importlib.import_module("hawaii_env.integrations.minari").export


def test_minari_reads_what_was_exported(export: Any, games: Path, minari: Any) -> None:
    export([games], "hawaii1795/test-v0")
    dataset = minari.load_dataset("hawaii1795/test-v0")
    assert "hawaii1795/test-v0" in minari.list_local_datasets()
    assert dataset.total_episodes == 2 * len(SEEDS)
    assert dataset.total_steps == sum(len(asked(games / f"game-{seed}.jsonl")) for seed in SEEDS)
    wholes = list(offline.played([games]))
    told = list(dataset.storage.get_episode_metadata(range(6)))
    for episode, about in zip(dataset.iterate_episodes(), told, strict=True):
        whole = next(one for one in wholes if one.record.path.name == about["options"]["record"])
        player = about["options"]["player"]
        mine = [one for one in whole.decisions if one.player == player]
        steps = len(mine)
        assert about["seed"] == whole.record.seed and about["options"]["name"] == ["rule-of-thumb", "random"][player]
        assert episode.observations.shape == (steps + 1, SHORT.observation_size)
        assert episode.observations.dtype == np.float32
        np.testing.assert_array_equal(episode.observations[:-1], np.stack([one.observation for one in mine]))
        np.testing.assert_array_equal(episode.observations[-1], whole.state.observation(player))
        assert episode.actions.tolist() == [one.action for one in mine]
        assert episode.rewards[:-1].tolist() == [0.0] * (steps - 1)
        assert episode.rewards[-1] == whole.state.returns()[player]
        assert episode.terminations.tolist() == [False] * (steps - 1) + [True] and not episode.truncations.any()
        masks = episode.infos["action_mask"]
        assert masks.shape == (steps + 1, SHORT.num_actions) and not masks[-1].any()
        assert masks[np.arange(steps), episode.actions].all()
        assert all(dataset.observation_space.contains(row) for row in episode.observations)
        assert all(dataset.action_space.contains(action) for action in episode.actions)


def test_minari_recovers_the_environment_and_an_episode_replays_in_it(export: Any, games: Path, minari: Any) -> None:
    """The episode's decisions, made in the recovered environment with the record's seed and its opponent's
    decisions.
    """
    dataset = export([games / "game-3.jsonl"], "hawaii1795/one-v0", only="rule-of-thumb")
    assert dataset.total_episodes == 1
    env = dataset.recover_environment()
    inner = env.unwrapped
    assert isinstance(inner, SingleAgentEnv) and inner.game == SHORT
    assert env.observation_space == dataset.observation_space and env.action_space == dataset.action_space
    theirs = iter([event.action for event in asked(games / "game-3.jsonl") if event.player == 1])
    replayed = gymnasium.make(
        "hawaii_env/Hawaii1795-v1", scenario="short", side=0, opponent=lambda obs, masks: np.array([next(theirs)])
    )
    episode = dataset[0]
    observation, info = replayed.reset(seed=3)
    reward = 0.0
    for step, action in enumerate(episode.actions):
        np.testing.assert_array_equal(observation, episode.observations[step])
        np.testing.assert_array_equal(info["action_mask"], episode.infos["action_mask"][step])
        observation, reward, terminated, _, info = replayed.step(action)
        assert terminated == episode.terminations[step] and reward == episode.rewards[step]
    np.testing.assert_array_equal(observation, episode.observations[-1])
    np.testing.assert_array_equal(info["action_mask"], episode.infos["action_mask"][-1])


def test_minari_says_which_rules_the_data_are_of(games: Path, minari: Any) -> None:
    """None is whatever ruleset is shipped, so the recovered environment would follow the next calibration."""
    from hawaii_env.integrations.minari import environment_of, export

    dataset = export(str(games / "game-1.jsonl"), "hawaii1795/pinned-v0")
    assert dataset.env_spec.kwargs["rules"] == SHORT.ruleset_name
    assert dataset.recover_environment().unwrapped.game == SHORT
    told = dataset.storage.metadata
    assert told["requirements"] == [f"hawaii-env=={__version__}"]
    for digest in (SHORT.ruleset_hash, SHORT.action_table_hash, SHORT.observation_layout_hash):
        assert digest in told["description"]
    # A ruleset that is not the shipped one is in the parameters whole.
    other = Game(rules=Path(__file__).parents[1] / "reconstructed-1")
    spec = environment_of(other)
    assert spec is not None and gymnasium.make(spec).unwrapped.game == other  # type: ignore[attr-defined]


def test_minari_takes_games_without_rulesets(
    export: Any, tmp_path: Path, minari: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game with neither a parameter `rules` nor a hash of its observation's layout."""
    monkeypatch.setitem(registry._registered, "tides", TIDES)
    hawaii_env.play(ToyGame(), "random", seed=1, record=tmp_path / "tides.jsonl")
    dataset = export(tmp_path / "tides.jsonl", "tides/test-v0")
    assert dataset.total_episodes == 3 and dataset.env_spec is None
    assert ToyGame().action_table_hash in dataset.storage.metadata["description"]


def test_minari_reads_each_record_once(export: Any, games: Path, minari: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: Any) -> records.Record:
        read.append(Path(path).name)
        return found(path)

    found = records.read
    monkeypatch.setattr(records, "read", counted)
    dataset = export(games, "once-v0")
    assert read == [f"game-{seed}.jsonl" for seed in SEEDS]
    assert dataset.storage.metadata["algorithm_name"] == "random, rule-of-thumb"
    named = export(games, "named-v0", metadata={"algorithm_name": "a thumb and a die", "requirements": []})
    assert named.storage.metadata["algorithm_name"] == "a thumb and a die"
    assert named.storage.metadata["requirements"] == []
    assert export(games, "mine-v0", only="random").storage.metadata["algorithm_name"] == "random"


def test_minari_checks_before_it_reads(export: Any, minari: Any, tmp_path: Path) -> None:
    refuses_each(
        OptionError,
        "NAME-v0",
        lambda dataset_id: export(tmp_path / "absent", dataset_id),
        ("x", "x-v", "-v0x", "/x-v0", "a b-v0", "../x-v0", "", None, 7),
    )
    refuses_each(
        OptionError,
        "data_format: expected one of parquet, arrow",
        lambda data_format: export(tmp_path / "absent", "x-v0", data_format=data_format),
        ("hdf5", "csv", ""),
    )
    assert not (tmp_path / "minari").exists()


def test_a_rejected_export_leaves_no_namespace(
    export: Any, games: Path, broken_off: Path, minari: Any, tmp_path: Path
) -> None:
    root = tmp_path / "minari"
    cut = [games / "game-1.jsonl", broken_off]
    refuses(RecordError, ("no result", lambda: export(cut, "outer/inner/cut-v0")))
    refuses(OptionError, ("depth", lambda: export(games / "game-1.jsonl", "outer/cut-v0", metadata={"depth": 3})))
    assert list(root.iterdir()) == []
    # What others have there stays.
    export(games / "game-1.jsonl", "outer/good-v0")
    (root / "mine").mkdir()
    refuses(
        RecordError,
        ("no result", lambda: export(cut, "outer/inner/cut-v0")),
        ("no result", lambda: export(cut, "mine/cut-v0")),
    )
    assert list((root / "mine").iterdir()) == []
    assert minari.list_local_datasets().keys() == {"outer/good-v0"}
    assert sorted(path.name for path in (root / "outer").iterdir()) == ["good-v0", "namespace_metadata.json"]


def test_minari_raises_and_leaves_nothing(
    export: Any, games: Path, broken_off: Path, minari: Any, tmp_path: Path
) -> None:
    export([broken_off], "half-v0", partial=True)
    episode = minari.load_dataset("half-v0")[0]
    assert episode.truncations[-1] and not episode.terminations.any() and not episode.rewards.any()
    refuses(OptionError, ("already", lambda: export([games], "half-v0")))
    refuses(RecordError, ("nobody", lambda: export([games], "none-v0", only="nobody")))
    refuses(OptionError, ("bad id", lambda: export([games], "bad id!")))
    # The second record is broken off: what of the first was written goes away again.
    refuses(RecordError, ("no result", lambda: export([games / "game-1.jsonl", broken_off], "cut-v0")))
    assert sorted(minari.list_local_datasets()) == ["half-v0"]


# The command


def test_export_command(
    parquet: Any, games: Path, minari: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from hawaii_env.integrations import parquet

    files = [str(games / f"game-{seed}.jsonl") for seed in SEEDS]
    out = tmp_path / "all.parquet"
    assert cli.main(["record", "export", *files, "--parquet", str(out), "--raw", "--only", "random"]) == 0
    assert f"{out}: " in (said := capsys.readouterr().out) and "of 3 games" in said
    assert parquet.describe(out)["raw"] is True
    assert {int(player) for batch in parquet.batches(out) for player in batch.players} == {1}
    assert cli.main(["record", "export", str(games), "--minari", "hawaii1795/cli-v0"]) == 0
    assert "6 episodes" in capsys.readouterr().out
    assert minari.load_dataset("hawaii1795/cli-v0").total_episodes == 6
    assert cli.main(["record", "export", str(games), "--minari", "hawaii1795/cli-v1", "--raw"]) == 2
    assert "--raw" in capsys.readouterr().err
    assert cli.main(["record", "export", str(games), "--parquet", str(out)]) == 2
    assert "exists" in capsys.readouterr().err


def test_export_command_says_what_is_missing(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert cli.main(["record", "export", str(games), "--parquet", str(tmp_path / "x.parquet")]) == 2
    assert "hawaii-env[offline]" in capsys.readouterr().err
