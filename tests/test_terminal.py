"""Tables and progress of commands, on a terminal and elsewhere."""

from __future__ import annotations

import io
import math
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hawaii_env.terminal import Printer, Progress
from hawaii_env.texts import count, number


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


@given(
    st.floats() | st.floats(-1, 1) | st.integers(-5, 5).map(float),
    st.sampled_from([None, 0, 1, 2, 3]),
    st.booleans(),
)
def test_numbers_are_shown_without_a_sign_of_zero(value: float, digits: int | None, sign: bool) -> None:
    text = number(value, digits, sign)
    assert not re.fullmatch(r"[-+]0*\.?0*(e.*)?", text)
    if math.isfinite(value):
        read = float(text.replace(",", ""))
        assert math.isclose(read, value, rel_tol=0.051, abs_tol=0.0 if digits is None else 0.51 * 10**-digits)
        assert text.startswith("+") == (sign and read > 0)
    else:
        assert text in ("–", "∞", "+∞", "-∞")


@given(st.integers(), st.sampled_from([("game", None, "games"), ("reply", "replies", "replies")]))
def test_one_of_a_thing_is_no_plural(how_many: int, nouns: tuple[str, str | None, str]) -> None:
    what, plural, several = nouns
    digits, _, noun = count(how_many, what, plural).rpartition(" ")
    assert int(digits.replace(",", "")) == how_many
    assert noun == (what if abs(how_many) == 1 else several)


def test_what_commands_print_has_its_nouns_from_one_place() -> None:
    several = re.compile(r"\{[^{}]*\} (games|pairs|records|pictures|puzzles|forfeits|episodes|pairings|positions)\b")
    root = Path(__file__).parents[1]
    found = [
        f"{path.relative_to(root)}:{line}: {text.strip()}"
        for folder in ("hawaii_env", "experiments", "agents")
        for path in sorted((root / folder).rglob("*.py"))
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        # Errors tell of limits, which are no 1.
        if several.search(text) and not re.search(r"Error\(|Problem\(|StoreFull\(|require\(|more than", text)
    ]
    assert not found
    elo = [path for path in (root / "hawaii_env").rglob("*.py") if re.search(r":[+][^{}]*f\}", path.read_text("utf-8"))]
    assert not elo  # a sign comes from number()
