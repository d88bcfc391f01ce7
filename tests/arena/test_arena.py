"""Tournaments and matches: who plays, what is kept, what counts, what is played again."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses, refuses_each
from toy import Duel, LagoonGame
from waiting import running, until

from hawaii_env import arena, records
from hawaii_env.arena.result import End
from hawaii_env.arena.store import GameRow, Store
from hawaii_env.errors import OptionError, RecordError, StorageError
from hawaii_env.game import Chance, Decision

BOTS = Path(__file__).with_name("bad_bots.py")
ROOT = Path(__file__).parents[2]
GREEDY: dict[str, Any] = {"load": [BOTS], "progress": False}


def plain(folder: Path) -> list[tuple[Any, ...]]:
    """All that is the same in every run."""
    with Store(folder) as store:
        return [
            (row.pairing, row.rotation, row.seats, row.seed, row.status, row.end, row.decisions, row.digest)
            for row in store.rows()
        ]


@pytest.mark.slow
def test_games_do_not_depend_on_processes_or_order(tmp_path: Path) -> None:
    entries = ["random", "global", "b=random"]
    found = arena.run_tournament(Duel(), entries, pairs=3, processes=1, out=tmp_path / "1", **GREEDY)
    assert (found.played, found.void, len(found.results)) == (18, 0, 18)
    again = arena.run_tournament(Duel(), entries[::-1], pairs=3, processes=3, out=tmp_path / "3", **GREEDY)
    assert plain(tmp_path / "1") == plain(tmp_path / "3")
    assert [r.shares for r in found.results] == [r.shares for r in again.results] != []
    other = arena.run_tournament(Duel(), entries, pairs=3, processes=2, seed=1, out=tmp_path / "seed", **GREEDY)
    assert [r.shares for r in found.results] != [r.shares for r in other.results]
    # What agents print is in the folder, not on the terminal.
    assert "thinking" in next((tmp_path / "1" / "logs").glob("*.log")).read_text()
    assert not (tmp_path / "1" / "playing").exists()


def test_a_pair_has_the_same_cards_and_records_that_verify(tmp_path: Path) -> None:
    found = arena.run_tournament(Duel(), ["random", "greedy"], pairs=4, out=tmp_path / "t", processes=1, **GREEDY)
    with Store(found.folder) as store:
        rows = store.rows()
    assert {row.seats for row in rows} == {("greedy", "random"), ("random", "greedy")}
    cards: dict[str, list[list[str]]] = {}
    for row in rows:
        assert row.record is not None
        replay = records.verify(found.folder / row.record, Duel())
        assert replay.seed_checked
        assert replay.record.header["players"] == list(row.seats)
        assert replay.record.header["options"]["agents"] == list(row.seats)
        asked = [e.player for e in replay.record.events if isinstance(e, Decision) and not e.forced]
        assert row.decisions == (asked.count(0), asked.count(1))
        assert min(row.seconds) > 0
        drawn = [event.text for event in replay.record.events if isinstance(event, Chance)]
        cards.setdefault(row.pairing, []).append(drawn)
    assert len(cards) == 4
    assert all(one == two for one, two in cards.values())
    assert len({tuple(one) for one, _ in cards.values()}) == 4
    best = found.standings[0]
    assert (best.player, best.games, best.seat_games[0]) == ("greedy", 8, 4)
    assert best.decisions == sum(row.decisions[row.seats.index("greedy")] for row in rows)
    assert best.score > 0.6


@pytest.mark.slow
def test_agents_that_join_later_play_only_what_is_missing(tmp_path: Path) -> None:
    first = arena.run_tournament(Duel(), ["random", "b=random"], pairs=3, processes=1, out=tmp_path, progress=False)
    before = plain(tmp_path)
    assert first.played == 6
    second = arena.run_tournament(Duel(), ["greedy"], pairs=3, processes=1, out=tmp_path, **GREEDY)
    assert (second.played, len(second.results)) == (12, 18)
    assert set(before) < set(plain(tmp_path))
    third = arena.run_tournament(Duel(), ["random", "b=random"], pairs=4, processes=1, out=tmp_path, **GREEDY)
    assert (third.played, len(third.results)) == (6, 24)
    same = arena.run_tournament(Duel(), [], pairs=4, processes=1, out=tmp_path, progress=False)
    assert (same.played, same.results) == (0, third.results)
    assert arena.load_games(tmp_path) == third.results


class Compiled(Duel):
    """Notes who compiles it."""

    def compile(self) -> None:
        with open(os.environ["COMPILED"], "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")


@pytest.mark.slow
def test_the_game_is_compiled_before_a_clock_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the parent, then by the workers, which may run elsewhere. Without a clock games begin at once, and what is
    wrong with an agent is found before.
    """
    monkeypatch.setenv("COMPILED", str(tmp_path / "compiled"))
    refuses(
        OptionError,
        ("there is no agent 'nosuch'", lambda: arena.play_match(Compiled(), "random", "nosuch", seconds=5.0)),
    )
    arena.play_match(Compiled(), "random", "b=random", pairs=1, processes=1, progress=False)
    assert not (tmp_path / "compiled").exists()
    arena.play_match(Compiled(), "random", "b=random", pairs=1, processes=1, seconds=5.0, progress=False)
    first, *others = (tmp_path / "compiled").read_text(encoding="utf-8").split()
    assert first == str(os.getpid()) and others and first not in others


def test_a_gauntlet_is_the_first_against_the_others() -> None:
    entries = ["random", "b=random", "c=random"]
    found = arena.run_tournament(Duel(), entries, format="gauntlet", pairs=2, processes=1, progress=False)
    assert len(found.results) == 8
    assert all("random" in result.seats for result in found.results)
    assert not found.folder.exists()


@pytest.mark.slow
def test_a_swiss_tournament_keeps_its_draws(tmp_path: Path) -> None:
    entries = [f"p{i}=random" for i in range(4)] + ["greedy"]
    found = arena.run_tournament(Duel(), entries, format="swiss", pairs=2, processes=2, out=tmp_path / "a", **GREEDY)
    with Store(tmp_path / "a") as store:
        rounds = store.rounds()
    assert len(rounds) == 3
    assert len(found.results) == 3 * 2 * 2 * 2
    met = [frozenset(pair) for _, pairs, _, _ in rounds for pair in pairs]
    assert len(set(met)) == len(met) == 6
    assert len({bye for _, _, bye, _ in rounds}) == 3
    # Broken off after two rounds, it comes out the same.
    arena.run_tournament(Duel(), entries, format="swiss", rounds=2, pairs=2, processes=1, out=tmp_path / "b", **GREEDY)
    rest = arena.run_tournament(Duel(), entries, format="swiss", pairs=2, processes=1, out=tmp_path / "b", **GREEDY)
    assert rest.played == 8
    assert plain(tmp_path / "a") == plain(tmp_path / "b")


@pytest.mark.slow
def test_a_match_ends_with_its_test(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    from hawaii_env.arena.ratings import Sprt

    runs = [
        arena.play_match(
            Duel(),
            "greedy",
            "random",
            pairs=200,
            sprt=Sprt(0, 100),
            processes=count,
            out=tmp_path / str(count),
            **GREEDY,
        )
        for count in (1, 3)
    ]
    assert runs[0].verdict == "H1"
    assert 3 < len(runs[0].pair_scores) < 200
    assert runs[0].pair_scores == runs[1].pair_scores
    assert [r.shares for r in runs[0].results] == [r.shares for r in runs[1].results]
    assert len(runs[0].results) == 2 * len(runs[0].pair_scores)
    # Begun again, it finds the same pairs in the folder, and plays none.
    again = arena.play_match(Duel(), "greedy", "random", pairs=200, sprt=Sprt(0, 100), out=tmp_path / "1", **GREEDY)
    assert (again.played, again.pair_scores) == (0, runs[0].pair_scores)


def test_errors_are_reported_before_anything_is_played(tmp_path: Path) -> None:
    def run(*entries: Any, **options: Any) -> Any:
        options = {"out": tmp_path / "t", "progress": False, "processes": 1, **options}
        return arena.run_tournament(Duel(), entries, **options)

    for entries, options, text in (
        (["random", "nobody"], {}, "no agent 'nobody'"),
        (["random", "b=random:speed=1"], {}, "no parameter 'speed'"),
        (["random", "random"], {}, "named 2 times; give labels"),
        (["random", "refused"], {"load": [BOTS]}, "agent 'refused': no weights here"),
        (["random"], {}, "2 agents sit at a table"),
        ([], {"format": "gauntlet"}, "agents: a gauntlet is one agent, named first"),
        (["random", "=x"], {}, "an agent is named as"),
        (["random", "b=random"], {"load": [tmp_path / "none.py"]}, "there is no Python file"),
        (["random", "b=random"], {"format": "knockout"}, "the format is one of"),
        (["random", "b=random"], {"pairs": 0}, "pairs: expected an integer of 1 or more"),
        (["random", "b=random"], {"seconds": 0.0}, "seconds: expected a number above 0"),
        (["random", "b=random"], {"ray": "127.0.0.1:1"}, "Ray"),
        (["random", 5], {}, "agent: expected a string, not 5"),
        (["random", "\ud800=random"], {}, "agent: expected a string"),
        (["random", "b=random"], {"pairs": 1.5}, "pairs: expected an integer"),
        (["random", "b=random"], {"processes": 0}, "processes: expected an integer of 1 or more"),
        (["random", "b=random"], {"limit": "x"}, "limit: expected a number above 0"),
        (["random", "b=random"], {"memory": "x"}, "memory: expected a number above 0"),
        (["random", "b=random"], {"seed": -1}, "a seed is an integer"),
    ):
        with pytest.raises(OptionError, match=text):
            run(*entries, **options)
        assert not (tmp_path / "t").exists(), entries
    (tmp_path / "bad.py").write_text("1 / 0\n")
    refuses(
        OptionError,
        (r"bad\.py fails: ZeroDivisionError", lambda: run("random", "b=random", load=[tmp_path / "bad.py"])),
    )


@pytest.mark.slow
def test_a_folder_holds_one_kind_of_tournament(tmp_path: Path) -> None:
    def run(*entries: str, game: Any = None, **options: Any) -> Any:
        return arena.run_tournament(
            game or Duel(), entries, out=tmp_path, progress=False, processes=1, pairs=1, **options
        )

    run("random", "b=random")
    refuses_each(
        OptionError,
        None,
        lambda options: run("random", "b=random", **options),
        (
            ({"seed": 1}, "seed = 0, not 1"),
            ({"seconds": 1.0}, "seconds"),
            ({"game": Duel(5)}, "params"),
        ),
    )
    refuses(OptionError, ("choose another label", lambda: run("b=random:seed=3")))
    with Store(tmp_path) as store:
        store.lock()
        refuses(OptionError, ("another process plays", lambda: run("random", "b=random")))
    assert run("random", "b=random").played == 0
    refuses(OptionError, ("no tournament in", lambda: arena.load_games(tmp_path / "records")))
    weights = tmp_path / "weights"
    weights.write_text("1")
    run("random", f"killed_once:flag={weights}", load=[BOTS])
    weights.write_text("2")
    changed = "weights has changed since games in .* were played"
    refuses(OptionError, (changed, lambda: run("random", f"killed_once:flag={weights}", load=[BOTS])))


def test_games_stay_as_they_are(tmp_path: Path) -> None:
    found = arena.run_tournament(Duel(), ["random", "b=random"], pairs=2, processes=1, out=tmp_path, progress=False)
    with Store(tmp_path) as store:
        row = store.rows()[0]
        refuses(RecordError, ("cannot be added", lambda: store.add(row)))
        store.add(
            GameRow(
                *(*row.key, 0, row.seats, row.seed, "void", End.void(2), None, "x"),
                *((0, 0), (0.0, 0.0), None, None, False),
            )
        )
        assert len(store.rows(void=True)) == len(store.rows()) + 1 == 5
    assert arena.load_games(tmp_path) == found.results
    database = sqlite3.connect(tmp_path / "results.sqlite")
    refuses(
        sqlite3.IntegrityError,
        ("never changed", lambda: database.execute("UPDATE games SET shares = '[1, 0]'")),
        ("never deleted", lambda: database.execute("DELETE FROM games")),
    )
    database.close()


def test_a_record_that_was_altered_does_not_count(tmp_path: Path) -> None:
    found = arena.run_tournament(Duel(), ["random", "b=random"], pairs=2, processes=1, out=tmp_path, progress=False)
    with Store(tmp_path) as store:
        first, second, *_ = store.rows()
        assert first.record and second.record
        path = tmp_path / first.record
        path.write_text(path.read_text().replace('"winner": 0', '"winner": 1').replace('"winner": null', '"winner": 0'))
        path.write_text(path.read_text() + " ")
        (tmp_path / second.record).unlink()
        good, bad = store.counted()
        assert len(good) == 2
        assert [wrong for _, wrong in bad] == [
            f"its record {first.record} was changed after the game",
            f"its record {second.record} is missing",
        ]
        assert store.verify()[0] == good
    assert arena.load_games(tmp_path) == found.results[2:]
    again = arena.run_tournament(Duel(), [], pairs=2, processes=1, out=tmp_path, progress=False)
    assert (again.played, len(again.results)) == (0, 2)


def test_verify_finds_scores_that_the_record_does_not_have(tmp_path: Path) -> None:
    arena.run_tournament(Duel(), ["random", "b=random"], pairs=1, processes=1, out=tmp_path, progress=False)
    database = sqlite3.connect(tmp_path / "results.sqlite")
    database.execute("DROP TRIGGER games_stay")
    database.execute("UPDATE games SET shares = '[0.25, 0.75]' WHERE rotation = 0")
    database.commit()
    database.close()
    with Store(tmp_path) as store:
        good, bad = store.verify()
    assert len(good) == len(bad) == 1
    assert "ends with End(shares=(" in bad[0][1]
    database = sqlite3.connect(tmp_path / "results.sqlite")
    database.execute("UPDATE meta SET value = '1' WHERE key = 'version'")
    database.commit()
    database.close()
    refuses(OptionError, ("has version 1; this hawaii_env reads version 3", lambda: arena.load_games(tmp_path)))


KILLED = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from toy import Duel, LagoonGame
from hawaii_env import arena
if __name__ == "__main__":
    arena.run_tournament({game}, {entries!r}, pairs={pairs}, processes=2, out={out!r}, load=[{bots!r}], progress=False)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize(
    ("game", "others", "pairs", "total"),
    [
        pytest.param("Duel()", ["greedy"], 10, 60, marks=pytest.mark.slow),
        ("LagoonGame()", ["greedy", "high"], 6, 24),
    ],
)
def test_killed_and_begun_again_nothing_is_lost_or_played_twice(
    tmp_path: Path, game: str, others: list[str], pairs: int, total: int
) -> None:
    entries = ["random", "slow:seconds=0.02", *others]
    made = {"Duel()": Duel, "LagoonGame()": LagoonGame}[game]()
    script = tmp_path / "run.py"
    out = tmp_path / "t"
    path = [str(ROOT), str(ROOT / "tests")]
    script.write_text(KILLED.format(path=path, game=game, entries=entries, pairs=pairs, out=str(out), bots=str(BOTS)))
    process = subprocess.Popen([sys.executable, str(script)])

    def some_are_kept() -> bool:
        try:
            return (out / "results.sqlite").exists() and len(plain(out)) >= 8
        except (OptionError, sqlite3.OperationalError):
            return False  # the tables are not there yet

    until(lambda: some_are_kept() or process.poll() is not None)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    workers = children.read_text().split() if children.exists() else []
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = plain(out)
    assert 8 <= len(kept) < total
    found = arena.run_tournament(made, entries, pairs=pairs, processes=2, out=out, **GREEDY)
    rows = plain(out)
    assert set(kept) <= set(rows)
    assert (len(found.results), found.played) == (total, total - len(kept))
    whole = arena.run_tournament(made, entries, pairs=pairs, processes=1, out=tmp_path / "whole", **GREEDY)
    assert rows == plain(tmp_path / "whole")
    assert whole.results[0].seats == found.results[0].seats
    # Nobody is left behind.
    until(lambda: not any(map(running, workers)))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs limits of files")
def test_a_full_disk_ends_the_tournament_and_keeps_its_games(tmp_path: Path) -> None:
    # The database may have 150 kB: SQLite meets the end in the midst of the tournament.
    script = tmp_path / "run.py"
    lines = KILLED.replace("progress=False)", "progress=False, format='gauntlet')").splitlines()
    limit = "    import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))"
    path = [str(ROOT), str(ROOT / "tests")]
    text = "\n".join([*lines[:-1], limit, lines[-1]])
    out = tmp_path / "t"
    given = {"path": path, "game": "Duel()", "entries": ["random", "greedy"], "pairs": 20}
    script.write_text(text.format(**given, out=str(out), bots=str(BOTS)))
    told = subprocess.run([sys.executable, str(script)], capture_output=True, text=True).stderr.splitlines()[-1]
    assert "StorageError: the tournament stops: " in told and str(out / "results.sqlite") in told
    assert told.endswith(f"finished games are kept in {out}, and the same command resumes")
    kept = plain(out)
    assert 5 < len(kept) < 40
    found = arena.run_tournament(Duel(), ["random", "greedy"], pairs=20, processes=1, out=out, **GREEDY)
    assert (found.played, len(found.results)) == (40 - len(kept), 40)
    assert kept[0] in plain(out)


def test_a_record_that_cannot_be_written_ends_the_tournament(tmp_path: Path) -> None:
    options: dict[str, Any] = {"pairs": 3, "processes": 1, "out": tmp_path, **GREEDY}
    without: dict[str, Any] = {**options, "out": None}
    refuses(
        StorageError,
        (
            r"tournament stops: the record cannot be written: No space left on device; .*kept in",
            lambda: arena.run_tournament(Duel(), ["greedy", "full:n=3"], **options),
        ),
    )
    with Store(tmp_path) as store:
        assert len(store.rows(void=True)) == 2  # whatever else it is, it is not a void game
    refuses(
        StorageError,
        (
            r"match stops: .*No space left on device$",
            lambda: arena.play_match(Duel(), "greedy", "full", **without),
        ),
    )


def test_folders_that_cannot_be_are_named(tmp_path: Path) -> None:
    def run(out: Any) -> None:
        arena.run_tournament(Duel(), ["random", "b=random"], out=out, progress=False, processes=1, pairs=1)

    (tmp_path / "file").touch()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "results.sqlite").write_text("not a database" * 100)
    for out, error, text in (
        (tmp_path / "file", OptionError, "is a file"),
        (tmp_path / "file" / "t", StorageError, "cannot be written"),
        (tmp_path / "odd", OptionError, "is not a tournament's folder: file is not a database"),
    ):
        with pytest.raises(error, match=text):
            run(out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "odd"]


def test_entries() -> None:
    assert arena.parse_player("mcts:sims=9") == arena.Player("mcts:sims=9", "mcts:sims=9")
    assert arena.parse_player("small=mcts:sims=9,c=2") == arena.Player("small", "mcts:sims=9,c=2")
    assert arena.parse_player("net=bot:file=a=b.toml") == arena.Player("net", "bot:file=a=b.toml")
    refuses(OptionError, (r"without '\|'", lambda: arena.parse_player("a|b=random")))


def test_the_store_says_which_games_it_holds(tmp_path: Path) -> None:
    arena.run_tournament(Duel(), ["random", "b=random"], pairs=1, processes=1, out=tmp_path, progress=False)
    database = sqlite3.connect(tmp_path / "results.sqlite")
    row = database.execute("SELECT game, params, ruleset, seats, verified, at FROM games").fetchone()
    database.close()
    assert row[0].endswith("tides:Duel")
    assert json.loads(row[1]) == {"rounds": 4}
    assert (row[2], json.loads(row[3]), row[4]) == (Duel().ruleset_hash, ["b", "random"], 1)
    assert row[5].endswith("+00:00")
