"""Tables and progress of commands, on a terminal and elsewhere."""

from __future__ import annotations

import io
import sys

import pytest

from hawaii_env.terminal import Printer, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("rich", [True, False])
@pytest.mark.parametrize("width", [31, 45, 60, 80, 200])
def test_tables_keep_names_and_numbers_in_narrow_terminals(
    width: int, rich: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = Printer(plain=True)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: not rich)
    if rich:
        out.console = pytest.importorskip("rich.console").Console(width=width)
    names = ["1. rule-of-thumb", "2. one-ply", "10. b"]
    columns = ["agent", "Elo [95%]", "score", "W/T/L", "kamehameha", "allied", "dec./s"]
    rows = [
        [name, "-109 [-1700, 155]", "79.2%", "1289/1/2", "66.7%", "91.7%", f"17{i}k"] for i, name in enumerate(names)
    ]
    out.table("Ranking", columns, rows)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    for text in (*columns, *(cell for row in rows for cell in row[1:])):
        assert text in shown
    # Every line of numbers begins with its name, folded or not.
    parts = shown.count("agent")
    assert (parts > 1) == (width < 100 or not rich)
    assert all(shown.count(name) == parts for name in names[1:] + names[: width > 40])
    assert "…" not in shown


def test_tables_are_aligned_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    Printer().table("Ranking", ["agent", "score"], [["mcts", "9%"], ["one-ply", "100%"]])
    assert capsys.readouterr().out.splitlines() == [
        *("Ranking", "  agent    score", "  -------  -----", "  mcts        9%", "  one-ply   100%"),
    ]


def test_progress_without_a_terminal() -> None:
    stream = io.StringIO()
    progress = Progress("match", "games", stream=stream)
    progress.every = 0.0
    progress.add(10)
    progress.advance(1, "1 forfeited")
    progress.say("something")
    progress.close()
    *_, first, second, last = stream.getvalue().splitlines()
    assert first.startswith("match: 1 of 10 games, ") and first.endswith(", 1 forfeited")
    assert (second, last[:20]) == ("something", "match: 1 of 10 games")
    silent = io.StringIO()
    Progress("match", "games", shown=False, stream=silent).close()
    assert not silent.getvalue()


@pytest.mark.parametrize("rich", [True, False])
def test_progress_on_a_terminal(rich: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not rich:
        monkeypatch.setitem(sys.modules, "rich.progress", None)
    terminal = Terminal()
    bar = Progress("match", "games", 10, stream=terminal)
    bar.advance(3)
    bar.close()
    assert "games" in terminal.getvalue() and "10" in terminal.getvalue()
