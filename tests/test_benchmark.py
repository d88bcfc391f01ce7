"""The benchmark: suites that hold, tracks that resume, results that are checked."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses
from toy import DUEL
from waiting import until

from hawaii_agents import weights
from hawaii_env import agents, benchmark, cli, games, load_game, variation
from hawaii_env.arena import schedule
from hawaii_env.arena.store import FILE, Store
from hawaii_env.benchmark import form, puzzles, running, scores, solved, suites, verifying
from hawaii_env.benchmark.held_out import check_trainable
from hawaii_env.errors import HawaiiError, OptionError

ROOT = Path(__file__).parents[1]
FROZEN = json.loads((ROOT / "tests" / "test_benchmark.json").read_text(encoding="utf-8"))

BOTS = """
import os, time
from hawaii_env.agents import BaseAgent, register


class Wayward(BaseAgent):
    \"\"\"Takes the last action, or the first one where the environment says so.\"\"\"

    def act(self, state, legal_actions, clock=None):
        time.sleep(float(os.environ.get("SLOW", "0")))
        return legal_actions[0 if "WAYWARD" in os.environ else -1]


class Fails(Wayward):
    \"\"\"Fails in its third decision.\"\"\"

    def __init__(self):
        self.left = 2

    def act(self, state, legal_actions, clock=None):
        self.left -= 1
        return super().act(state, legal_actions) if self.left >= 0 else 1 // 0


register("wayward", Wayward)
register("fails", Fails)
"""


@pytest.fixture(autouse=True)
def _duel(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setitem(games._registered, DUEL.name, DUEL)  # pyright: ignore[reportPrivateUsage]


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bots") / "wayward_bots.py"
    path.write_text(BOTS, encoding="utf-8")
    return path


def settings(bots: Path) -> dict[str, Any]:
    return {"load": [bots], "processes": 1, "progress": False}


@pytest.fixture(scope="module")
def played(bots: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("track")
    games._registered[DUEL.name] = DUEL  # pyright: ignore[reportPrivateUsage]
    try:
        assert benchmark.run_track("wayward", "duel", folder, **settings(bots)).complete
    finally:
        del games._registered[DUEL.name]  # pyright: ignore[reportPrivateUsage]
    return folder


# Suites


@pytest.mark.parametrize("track", [track for track in benchmark.tracks() if track != "duel"])
def test_a_suite_changes_with_its_version_alone(track: str) -> None:
    suite = benchmark.load_suite(track)
    assert FROZEN[track] == [suite.version, suite.hash], (
        f"raise the version of the track {track!r}; then tests/test_benchmark.json has [{suite.version}, {suite.hash}]"
    )


def test_suites_have_public_and_held_out_opponents() -> None:
    assert FROZEN.keys() == set(benchmark.tracks()) - {"duel"}
    for suite in map(benchmark.load_suite, FROZEN):
        if not suite.puzzle and not suite.gap_to and not suite.solved:
            held = {one.agent for one in suite.opponent if one.held_out}
            assert held == {f"held-out:kind={kind}" for kind in ("biased", "deviating", "trained")}
            assert {"random", "rule-of-thumb", "search"} <= {one.name for one in suite.opponent if not one.held_out}
            assert [one.name for one in suite.opponent if not one.scored] == ["fifth"]


def test_nobody_trains_against_held_out_opponents() -> None:
    for path in [
        path
        for folder in ("experiments", "agents/hawaii_agents/training")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".toml", ".py")
    ]:
        text = path.read_text(encoding="utf-8")
        # Expert iteration selects nothing by its ladder; PPO keeps the policy that was best on it.
        arms = tomllib.loads(text).get("arm", []) if path.suffix == ".toml" else []
        measured = [arm["ladder"] for arm in arms if arm.get("trainer") == "expert-iteration"]
        assert text.count("held-out") == "".join(measured).count("held-out"), path
    for name in weights.names() + weights.names(held_out=True):
        assert "held-out" not in json.dumps(weights.load(name).meta), name


HELD_WEIGHTS = str(ROOT / "agents/hawaii_agents/weights/held-out/aloha.safetensors")


@pytest.mark.parametrize("agent", [
    "held-out",
    "held-out:kind=trained,seed=3",
    "epsilon-greedy:epsilon=0.1,base=held-out:kind=biased",
    "battle-expectimax:base=(epsilon-greedy:base=held-out)",
    f"ppo:{HELD_WEIGHTS}",
    f"mcts:weights={HELD_WEIGHTS}",
    "maori-champion:weights=held-out/maori_wars-taranaki",
    "one-ply:policy=(ppo:weights=held-out/aloha)",
    Path(HELD_WEIGHTS),
])  # fmt: skip
def test_held_out_opponents_and_their_weights_are_not_trainable(agent: Any) -> None:
    with pytest.raises(OptionError, match=r"scripted: .* is held out for evaluation"):
        check_trainable("scripted", agent)


def test_other_agents_are_trainable(tmp_path: Path) -> None:
    for agent in ("random", "epsilon-greedy:base=ppo", "ppo:weights=aloha", tmp_path / "missing.safetensors"):
        check_trainable("scripted", agent)
    copied = shutil.copy(HELD_WEIGHTS, tmp_path / "mine.safetensors")
    with pytest.raises(OptionError, match=r"mine\.safetensors' is held out"):
        check_trainable("init", Path(copied))


def test_wrong_suites_name_the_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = (ROOT / "tests/toy/tracks/duel.toml").read_text(encoding="utf-8")
    file = tmp_path / "odd.toml"
    monkeypatch.setattr(suites, "_files", lambda: {"odd": file})
    for before, after, message in (
        ('track = "duel"', 'track = "odd"\ngamse = 3', "odd.toml: gamse: Extra inputs are not permitted"),
        ("version = 3", "version = 0", "odd.toml: version: Input should be greater than or equal to 1 .it is 0."),
        ("held_out = true", "held_out = 1", "odd.toml: opponent.1.held_out: Input should be a valid boolean"),
        ('name = "biased"', 'name = "../biased"', "odd.toml: opponent.1.name: String should match pattern"),
        ("games = 6", "games = 6", "odd.toml: expected the track odd"),
        ('track = "duel"', 'track = "odd"', "odd.toml: expected the track odd, .* of a game or of solved games"),
    ):
        text = good.replace(before, after, 1)
        file.write_text(text.replace('game = "duel"', "") if after == 'track = "odd"' else text, encoding="utf-8")
        with pytest.raises(OptionError, match=message):
            benchmark.load_suite("odd")


def test_meetings_of_a_split_play_its_rulesets_in_turn() -> None:
    suite = benchmark.load_suite("ruleshift")
    settings, first = {one.name: one for one in suite.settings}, set[str]()
    for match in suite.matches("random", quick=True):
        split, (game,) = match.scenario.name, match.games
        known = variation.load_variation("hawaii1795")
        assert settings[split].rules == (game.ruleset_hash if split == "shipped" else known.split(split).digest)
        first.add(game.ruleset_hash)
    assert len(first) == len(suite.scenario)
    games = tuple(load_game("hawaii1795", rules=one) for one in variation.sample_rules("hawaii1795", "far", 2))
    assert [schedule.game_of(games, f"a | b #{number}") for number in range(3)] == [*games, games[0]]


# Scores


def test_gaps_are_differences_of_cells(played: Path) -> None:
    suite, (cell, *_) = benchmark.load_suite("ruleshift"), benchmark.read_result(played).cells
    ends = {"train": (0.6, 0.57, 0.64), "far": (0.5, 0.46, 0.53)}
    cells = [
        cell.model_copy(update={"scenario": name, "score": score, "score_interval": [low, high]})
        for name, (score, low, high) in ends.items()
    ]
    assert scores.gaps(suite, cells) == {"far/random": pytest.approx((10, 10 - 18**0.5, 10 + 32**0.5))}
    assert not scores.gaps(suite, cells[1:]) and not scores.gaps(benchmark.load_suite("duel"), cells)


def test_an_equal_has_a_half_among_any_number() -> None:
    for players in (2, 3, 6):
        assert scores.corrected(1 / players, players) == pytest.approx(0.5)
        assert [scores.corrected(end, players) for end in (0.0, 1.0)] == [0.0, 1.0]
    assert scores.corrected(0.3, 2) == pytest.approx(0.3)
    assert scores.corrected(0.5, 4) == pytest.approx(0.75)


def test_a_track_is_the_mean_of_its_cells(played: Path) -> None:
    result = benchmark.read_result(played)
    assert [(cell.opponent, cell.games, cell.forfeits) for cell in result.cells] == [
        ("random", 6, 0), ("biased", 6, 0), ("fifth", 6, 0)
    ]  # fmt: skip
    first, second, fifth = result.cells
    found = result.scores
    assert found is not None and found.public is not None and found.held_out is not None and found.decisiveness
    assert found.all.value == pytest.approx((first.score + second.score) / 2, abs=1e-6)
    assert (found.public.value, found.held_out.value) == (first.score, second.score)
    assert found.decisiveness.value == fifth.score
    assert found.public.interval == pytest.approx(first.score_interval)
    width = [cell.score - cell.score_interval[0] for cell in (first, second)]
    assert found.all.value - found.all.interval[0] == pytest.approx(sum(w * w for w in width) ** 0.5 / 2, abs=1e-5)
    assert fifth.agents == ["epsilon-greedy:epsilon=0.2,base=(wayward)", "wayward"]
    assert (result.simulations, result.repeats, list(result.files)) == (0, True, ["wayward_bots.py"])
    assert not result.quick
    assert result.processor_seconds == pytest.approx(sum(cell.processor_seconds for cell in result.cells), abs=1e-2)
    assert all(cell.processor_seconds > 0 for cell in result.cells)


# Running


def test_a_track_is_played_and_verified_from_the_command_line(
    tmp_path: Path, bots: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--load", str(bots), "--processes", "1", "--no-progress", "--plain"]
    out = str(tmp_path / "quick")
    assert cli.main(["benchmark", "wayward", "--track", "duel", "--quick", "--out", out, *options]) == 0
    assert "QUICK: not a result" in capsys.readouterr().out
    assert cli.main(["benchmark", "verify", out, *options]) == 0
    assert "ok: all hashes and figures agree; 1 record replayed, 1 game was" in capsys.readouterr().out
    (tmp_path / "quick" / "cells" / "short" / "random" / FILE).unlink()
    assert cli.main(["benchmark", "verify", out, *options]) == 1
    assert "BAD cells short/random: there is no tournament" in " ".join(capsys.readouterr().out.split())
    for wrong, message in (
        (["wayward", "--out", out], "expected --track NAME and --out DIR; tracks: aloha, duel,"),
        (["verify"], "expected: hawaii benchmark verify DIR"),
        (["wayward", "x", "--track", "duel", "--out", out], "DIR 'x' goes with 'verify'"),
    ):
        assert cli.main(["benchmark", *wrong, *options]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.slow
def test_an_agent_that_fails_forfeits_and_its_games_stay(tmp_path: Path, bots: Path) -> None:
    result = benchmark.run_track("fails", "duel", tmp_path, **settings(bots))
    assert result.complete and result.scores is not None
    assert [cell.games for cell in result.cells] == [6, 6, 6]
    assert result.cells[0].forfeits > 0 and result.cells[0].opponent_forfeits == 0
    assert benchmark.verify(tmp_path, **settings(bots)).problems == []


def test_what_cannot_be_run_is_named(tmp_path: Path, bots: Path, played: Path) -> None:
    def run(agent: str = "wayward", track: str = "duel", out: Path = played, **more: Any) -> Callable[[], Any]:
        return lambda: benchmark.run_track(agent, track, out, **settings(bots), **more)

    refuses(
        OptionError,
        ("track: there is no track 'dual'; known are: aloha, duel,", run(track="dual")),
        ("there is no agent 'nosuch'", run("nosuch", out=tmp_path / "new")),
        ("plays hawaii1795, .*not duel", run("held-out", out=tmp_path / "new")),
        (r"result.json: agent: the folder has a result with 'wayward', not 'random'", run("random")),
        (r"result.json: quick: the folder has a result with False, not True", run(quick=True)),
        (r"result.json: slow: the folder has a result with False", run(slow=True)),
        (r"result.json: repeats: the folder has a result with True", run(repeats=False)),
    )
    assert not (tmp_path / "new").exists()
    for field in ("files", "packages"):  # a file of the agent, or a library, that has changed since
        (copy := tmp_path / field).mkdir()
        shutil.copy(played / form.FILE, copy)
        edited(copy, field, to={"numpy": "0"} if field == "packages" else {"wayward_bots.py": "0" * 64})
        refuses(OptionError, (f"result.json: {field}: the folder has a result with .*0'}}, not", run(out=copy)))


def test_files_of_one_name_all_count(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "net.bin", tmp_path / "b" / "net.bin"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(path.parent.name)
    found = benchmark.load_suite("duel").files(agents.load_agent("random"), paths)
    assert sorted(found) == ["b/net.bin", "net.bin"] and len(set(found.values())) == 2


KILLED = """
import sys
sys.path[:0] = {path!r}
from toy import DUEL
from hawaii_env import benchmark, games
if __name__ == "__main__":
    games.register(DUEL)
    benchmark.run_track("wayward", "duel", {out!r}, load=[{bots!r}], processes=1, progress=False)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_killed_and_begun_again_a_track_is_the_same(tmp_path: Path, bots: Path, played: Path) -> None:
    script, out = tmp_path / "run.py", tmp_path / "track"
    path = [str(ROOT), str(ROOT / "tests")]
    script.write_text(KILLED.format(path=path, out=str(out), bots=str(bots)), encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(script)], env={**os.environ, "SLOW": "0.05"})
    cell = out / "cells" / "short" / "biased"
    until(lambda: list(cell.glob("records/*/*")) or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert [one.opponent for one in benchmark.read_result(out).cells] == ["random"]
    with Store(cell) as store:
        before = len(store.rows())
    assert 1 <= before < 6
    result = benchmark.run_track("wayward", "duel", out, **settings(bots))
    whole = benchmark.read_result(played)
    assert result.complete and result.scores == whole.scores
    assert [one.records for one in result.cells] == [one.records for one in whole.cells]
    begun = {**whole.model_dump(exclude={"digest"}), "cells": [], **running.summary(False, [])}  # killed in the first
    assert form.write_result(tmp_path, begun) == benchmark.read_result(tmp_path)


# Verifying


def edited(folder: Path, *path: Any, to: Any, sign: bool = True) -> None:
    """Change a field of a result, and perhaps its hash."""
    data = json.loads((folder / form.FILE).read_text(encoding="utf-8"))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    if sign:
        data["digest"] = form.digest({key: value for key, value in data.items() if key != "digest"})
    (folder / form.FILE).write_text(json.dumps(data), encoding="utf-8")


FORM: dict[str, tuple[tuple[Any, ...], Any, bool, str]] = {
    "by hand": (("cells", 0, "share"), 1.0, False, "digest: the file was changed: its content has .*, not "),
    "unknown field": (("note",), "best", True, "note: Extra inputs are not permitted"),
    "a share above 1": (("cells", 0, "share"), 1.5, True, "cells.0.share: Input should be less than or equal to 1"),
    "a wrong type": (("seed",), "5", True, "seed: Input should be a valid integer"),
    "another form": (("version",), 2, True, "version: Input should be less than or equal to 1"),
    "another version of the suite": (("suite_version",), 2, True, "suite_version: .* of version 2 of the track duel"),
    "an unknown track": (("track",), "dual", True, "track: there is no track 'dual'"),
}


@pytest.mark.parametrize("edit", FORM)
def test_a_result_of_another_form_names_the_field(edit: str, tmp_path: Path, played: Path, bots: Path) -> None:
    shutil.copytree(played, tmp_path / "copy")
    path, to, sign, message = FORM[edit]
    edited(tmp_path / "copy", *path, to=to, sign=sign)
    with pytest.raises(OptionError, match=message):
        benchmark.verify(tmp_path / "copy", **settings(bots))


def database(folder: Path, *commands: str) -> None:
    with sqlite3.connect(folder / "cells" / "short" / "random" / FILE) as db:
        for command in ("DROP TRIGGER games_stay", "DROP TRIGGER games_kept", *commands):
            db.execute(command)
    db.close()


def a_record(folder: Path) -> Path:
    return sorted((folder / "cells" / "short" / "random" / "records").glob("*/*"))[0]


def blur(folder: Path) -> None:
    """Add a space to a record, which changes its hash alone."""
    a_record(folder).write_text(a_record(folder).read_text(encoding="utf-8") + " ", encoding="utf-8")


EDITS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a better share": (lambda f: edited(f, "cells", 0, "share", to=1.0), "cells.0.share: the result has 1.0; found is"),
    "fewer forfeits": (lambda f: edited(f, "cells", 1, "decisions", to=1), "cells.1.decisions: the result has 1;"),
    "another score": (lambda f: edited(f, "scores", "all", "value", to=1.0), "scores: the result has "),
    "less time": (lambda f: edited(f, "ms_a_decision", to=0.0), "ms_a_decision: the result has 0.0; its cells give"),
    "no cells": (lambda f: edited(f, "cells", to=[]), "cells: the result has ; the suite has short/"),
    "other rules": (lambda f: edited(f, "settings", 0, "rules", to="0"), "settings.0.rules: the result has '0'; found"),
    "no settings": (lambda f: edited(f, "settings", to=[]), "settings: expected are short"),
    "another suite": (lambda f: edited(f, "suite", to="0" * 64), "suite: the result is of a suite with hash 000"),
    "another seed": (lambda f: edited(f, "seed", to=6), "seed: the suite has 5, not 6"),
    "incomplete": (lambda f: edited(f, "complete", to=False), "complete: cells are missing"),
    "other weights": (lambda f: edited(f, "files", to={"a": "0" * 64}), "files: the result has {'a': '000"),
    "a search": (lambda f: edited(f, "simulations", to=9), "simulations: the result has 9; the agent has 0"),
    "no agent": (lambda f: edited(f, "agent", to="nosuch"), "agent: there is no agent 'nosuch'"),
    "a missing record": (lambda f: a_record(f).unlink(), "cells short/random: .* its record .* is missing"),
    "a changed record": (blur, "cells short/random: .* its record .* was changed after the game"),
    "a missing cell": (
        lambda f: shutil.rmtree(f / "cells" / "short" / "fifth"), "cells short/fifth: there is no tournament in"
    ),
    "a missing game": (
        lambda f: database(f, "DELETE FROM games WHERE id = 1"), "cells short/random: records: 1 game of 6 missing"
    ),
    "another game's seed": (
        lambda f: database(f, "UPDATE games SET seed = 1 WHERE id = 1"), "cells short/random: .*: the schedule has "
    ),
    "another end": (
        lambda f: database(f, "UPDATE games SET shares = '[0.25, 0.75]' WHERE id = 1"), "cells.0.share: the result has"
    ),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_each_kind_of_edit_is_found(edit: str, tmp_path: Path, played: Path, bots: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(played, folder)
    change, message = EDITS[edit]
    change(folder)
    found = benchmark.verify(folder, **settings(bots))
    assert found.problems and (found.replayed, found.repeated) == (0, 0)
    assert any(re.search(message, problem) for problem in found.problems), found.problems


def test_records_are_replayed_with_their_dice(
    tmp_path: Path, played: Path, bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever changes a record and every hash of it is found by the replay."""
    folder = tmp_path / "copy"
    shutil.copytree(played, folder)
    record = a_record(folder)
    lines = record.read_text(encoding="utf-8").splitlines()
    at = next(n for n, line in enumerate(lines) if '"chance"' in line)
    event = json.loads(lines[at])
    lines[at] = json.dumps({**event, "outcome": event["outcome"] % 6 + 1})
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    digest = hashlib.sha256(record.read_bytes()).hexdigest()
    name = record.relative_to(folder / "cells" / "short" / "random")
    database(folder, f"UPDATE games SET digest = '{digest}' WHERE record = '{name}'")
    match = next(iter(benchmark.load_suite("duel").matches("wayward")))
    with Store(folder / "cells" / "short" / "random") as store:
        cell = scores.cell_of(match, store.counted()[0])
    edited(folder, "cells", 0, "records", to=cell.records)
    monkeypatch.setattr(verifying, "SHARE", 1.0)
    found = benchmark.verify(folder, **settings(bots))
    assert len(found.problems) == 1 and "the game does" in found.problems[0]


@pytest.mark.slow
def test_an_agent_that_moves_otherwise_is_found(
    played: Path, bots: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(verifying, "SHARE", 1.0)
    monkeypatch.setenv("WAYWARD", "1")
    found = benchmark.verify(played, **settings(bots))
    assert found.replayed == 18 and len(found.problems) > 6
    assert "played again it is" in found.problems[0]
    # Who says that it does not repeat its moves is not asked to.
    shutil.copytree(played, tmp_path / "copy")
    edited(tmp_path / "copy", "repeats", to=False)
    assert benchmark.verify(tmp_path / "copy", **settings(bots)).problems == []


# Puzzles


def test_puzzles_are_a_track(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "QUICK", 100)
    result = benchmark.run_track("random", "puzzles", tmp_path, quick=True, progress=False)
    assert result.complete and {cell.opponent for cell in result.cells} <= {"landing", "fort", "king", "battle"}
    assert benchmark.verify(tmp_path).problems == []
    attempts = json.loads((tmp_path / puzzles.FILE).read_text(encoding="utf-8"))
    name = next(iter(attempts))
    attempts[name][0]["loss"] += 0.25
    (tmp_path / puzzles.FILE).write_text(json.dumps(attempts), encoding="utf-8")
    assert any(".records: " in problem for problem in benchmark.verify(tmp_path).problems)
    made = attempts.pop(name)
    (tmp_path / puzzles.FILE).write_text(json.dumps(attempts), encoding="utf-8")
    assert "expected 3 attempts at each of" in benchmark.verify(tmp_path).problems[0]
    for changed, message in (
        ({name: [{**made[0], "loss": "0"}]}, r"puzzles.json: .*.0.loss: Input should be a valid number .it is '0'"),
        ({name: [{**made[0], "loss": -1}]}, "puzzles.json: .*.0.loss: Input should be greater than or equal to 0"),
        ({name: [{**made[0], "best": 1}]}, "puzzles.json: .*.0.best: Extra inputs are not permitted"),
        ({name: made[:1]}, "puzzles.json: .*: expected 3 attempts at puzzles of the track, not 1"),
        ({"none": made}, "puzzles.json: none: expected 3 attempts at puzzles of the track, not 3"),
        ([], "puzzles.json: content: Input should be a valid dictionary"),
    ):
        (tmp_path / puzzles.FILE).write_text(json.dumps(changed), encoding="utf-8")
        assert re.search(message, benchmark.verify(tmp_path).problems[0])
        with pytest.raises(OptionError, match=message):
            benchmark.run_track("random", "puzzles", tmp_path, quick=True, progress=False)


# Solved games


@pytest.mark.slow
def test_solved_games_are_a_track(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two years of the atoll: exact where the agent always moves alike, else a bound from games."""
    whole = benchmark.load_suite("exact")
    two_years = whole.scenario[1].model_copy(update={"options": {"years": 2}, "positions": 826})
    whole = whole.model_copy(update={"scenario": [whole.scenario[0], two_years], "games": 4})
    small = whole.model_copy(update={"scenario": [two_years]})
    tracks = {"exact": small}
    for module in running, verifying:
        monkeypatch.setattr(module, "load_suite", tracks.__getitem__)
    options: dict[str, Any] = {"processes": 1, "progress": False}
    found: list[tuple[str, int, bool, str]] = []
    for agent, suite in (("random", small), ("heiau-greedy", whole), ("one-ply:rollouts=1", small)):
        tracks["exact"], out = suite, tmp_path / agent
        (cell,) = benchmark.run_track(agent, "exact", out, **options).cells  # heiau-greedy does not play mini
        assert cli.main(["benchmark", "verify", str(out), "--processes", "1", "--no-progress", "--plain"]) == 0
        assert cell.exact is not None and cell.exact.mean == pytest.approx(1 - 2 * cell.share, abs=1e-5)
        found.append((cell.opponent, cell.games, cell.exact.bound, cell.exact.reason))
        least = max(0.0, cell.exact.interval[0])
        shown = f"atoll: exploitability {f'at least {least:.4g}' if cell.exact.bound else f'{cell.exact.mean:.4g}'}"
        assert shown in " ".join(capsys.readouterr().out.split())
    assert found == [
        ("best-response", 0, False, ""), ("best-response", 0, True, "it draws"), ("optimal", 4, True, "it searches")
    ]  # fmt: skip
    # Figures that agree with one another, and not with the agent.
    tracks["exact"], out = small, tmp_path / "random"
    before = solved.read_findings(out)["atoll"]
    assert before.seats is not None and 0.3 < before.seats[0] == before.seats[1] < 1
    better = solved.Finding(seats=[0.0, 0.0], reason="", processor=before.processor)
    (out / solved.FILE).write_text(json.dumps({"atoll": better.to_dict()}), encoding="utf-8")
    assert ".share: the result has" in benchmark.verify(out, **options).problems[0]
    cell = solved.cell_of_finding(next(iter(small.matches("random"))), better, ())
    edited(out, "cells", 0, to=cell.model_dump())
    edited(out, "scores", to=running.summary(True, [cell])["scores"])
    (problem,) = benchmark.verify(out, **options).problems
    assert "exact.json: atoll: it has {'seats': [0.0, 0.0]" in problem and "reckoned again it is" in problem
    (out / solved.FILE).write_text(json.dumps({"atoll": {**better.to_dict(), "seats": [0.0]}}), encoding="utf-8")
    assert "exact.json: atoll.seats: List should have at least 2 items" in benchmark.verify(out, **options).problems[0]
    (out / solved.FILE).unlink()
    assert "nothing that was reckoned" in benchmark.verify(out, **options).problems[0]
    # A solution that the suite does not have.
    wrong = two_years.model_copy(update={"value": 0.5})
    tracks["exact"] = small.model_copy(update={"scenario": [wrong]})
    with pytest.raises(HawaiiError, match=r"atoll: the suite has the value 0.5 and .* hawaii exact atoll --again"):
        benchmark.run_track("random", "exact", tmp_path / "new", **options)


# Agents


def test_agents_say_what_they_play_by() -> None:
    assert agents.parse_agent("epsilon-greedy:base=(mcts:sims=9,c=2),epsilon=0.5") == (
        "epsilon-greedy", {"base": "mcts:sims=9,c=2", "epsilon": 0.5}
    )  # fmt: skip
    assert agents.split_agents("a:base=(b:c=1,d=2),e") == ["a:base=(b:c=1,d=2)", "e"]
    suite = benchmark.load_suite("hawaii1795")
    from hawaii_env.benchmark.running import facts_of

    policy = facts_of("epsilon-greedy:base=ppo", suite)
    assert list(policy.files) == ["hawaii1795.safetensors"] and policy.simulations == 0
    assert facts_of("mcts:sims=9", suite).simulations == 9
    assert facts_of("mcts:sims=none,seconds=1", suite).simulations is None
