"""`experiments/matches.py`: studies of matches and ladders, and their committed results."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from experiment_scripts import ROOT, load
from refusals import refuses

from hawaii_env import games
from hawaii_env.errors import OptionError

matches: Any = load("matches")
STUDIES = sorted((ROOT / "experiments/configs/matches").glob("*.toml"))
STUDY = """game = "aloha"
results = "{results}"
[agents]
other = "epsilon-greedy:base=aloha-greedy,epsilon=0.5"
[[match]]
agent = "epsilon-greedy:base=aloha-greedy,epsilon={{}}"
values = [0.2, 0.9]
against = "random"
options = {{ players = 3 }}
games = 3
[[ladder]]
agents = ["random", "other"]
options = {{ players = [2] }}
games = 1
"""


@pytest.mark.slow
def test_a_study_is_played_written_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "study.toml").write_text(STUDY.format(results=tmp_path / "kept.json"))
    words = [str(tmp_path / "study.toml"), "--out", str(tmp_path / "out"), "--write"]
    assert matches.main(words) == 0
    found = json.loads((tmp_path / "out/results.json").read_text())
    assert json.loads((tmp_path / "kept.json").read_text()) == found
    assert [(row["value"], row["games"], row["forfeits"]) for row in found["matches"]] == [(0.2, 3, 0), (0.9, 3, 0)]
    for row in [*found["matches"], *found["ladders"][0]["standings"].values()]:
        assert row["interval"][0] <= row["share"] <= row["interval"][1]
        assert row["share"] == pytest.approx(sum(row["by_seat"]) / len(row["by_seat"]), abs=1e-4)
    ladder = found["ladders"][0]
    assert ladder["agents"]["other"].startswith("epsilon-greedy") and ladder["games"] == 2
    assert {row["player"] for row in ladder["ratings"]["table"]} == {"random", "other"}
    if (tmp_path / "out/curves.png").exists():
        assert (tmp_path / "out/curves.png").read_bytes().startswith(b"\x89PNG")
    # The same again plays nothing; a part of it keeps the other rows.
    records = {path: path.stat().st_mtime_ns for path in tmp_path.glob("out/*/records/**/*.jsonl")}
    assert len(records) == 8 and "players=3: epsilon-greedy" in capsys.readouterr().out
    assert matches.main([*words, "--only", "0.9"]) == 0
    assert {path: path.stat().st_mtime_ns for path in records} == records
    assert json.loads((tmp_path / "kept.json").read_text()) == found
    assert matches.main([*words, "--only", "nothing"]) == 2


def test_results_replace_those_of_the_same_match() -> None:
    row = {"agent": "a", "against": "b", "options": {}, "ruleset": "x", "share": 0.5}
    known = {"matches": [row, {**row, "ruleset": "y"}], "ladders": []}
    found = matches.merged(known, {"matches": [{**row, "share": 0.6}]})
    assert [(one["ruleset"], one["share"]) for one in found["matches"]] == [("x", 0.6), ("y", 0.5)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('game = "aloha"', ""), "a game, and"),
        (("against =", "againts ="), r"\[\[match\]\] has no againts"),
        (("agents = [", "seed = ["), r"\[\[ladder\]\] lacks agents"),
        (("epsilon={}", "epsilon=0.5"), "has {} once"),
        (("[[match]]", "[[match"), "study.toml"),
    ],
)
def test_studies_that_are_rejected(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.format(results="x.json").replace(*change))
    refuses(OptionError, (message, lambda: matches.read_study(str(tmp_path / "study.toml"))))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_can_be_played_and_has_results(path: Path) -> None:
    study = matches.read_study(str(path))
    written = json.loads((ROOT / study["results"]).read_text(encoding="utf-8"))
    rows = [row for entry in study.get("match", []) for row in matches.matches_of(study["game"], entry)]
    wanted = [("matches", row.get("game"), {key: row[key] for key in ("agent", "against", "options")}) for row in rows]
    ladders = [row for entry in study.get("ladder", []) for row in matches.ladders_of(study, entry)]
    wanted += [("ladders", row["game"], row) for row in ladders]
    for kind, game, row in wanted:
        row["ruleset"] = games.load_game(game or study["game"], **row["options"]).ruleset_name
        assert any(row.items() <= one.items() for one in written[kind]), row


def test_tables_meet_so_often_that_each_two_agents_play_many_games() -> None:
    for agents, seats, pairs in ((5, 2, 200), (5, 3, 45), (5, 4, 34), (6, 3, 34), (6, 4, 17), (6, 5, 20), (6, 6, 67)):
        assert matches.pairs_for(400, agents, seats) == pairs
        shared = sum({0, 1} <= set(table) for table in itertools.combinations(range(agents), seats))
        assert 400 <= pairs * seats * shared < 400 + seats * shared


def test_committed_results_of_aloha_keep_the_aims() -> None:
    found = json.loads((ROOT / "docs/benchmarks/aloha-strength.json").read_text(encoding="utf-8"))["matches"]
    shares = {(row["agent"].split(":")[0], row["against"], row["options"]["players"]): row["share"] for row in found}
    assert shares["aloha-greedy", "random", 2] >= 0.9
    assert shares["aloha-search", "aloha-greedy", 4] * 4 >= 1.6
