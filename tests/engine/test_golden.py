"""Whole games written down (tests/golden/*.txt), played again from their own decisions and chance outcomes.

`python -m engine.golden` in tests/ writes them anew; see engine/golden.py.
"""

from __future__ import annotations

import pytest

from .golden import FOLDER, GAMES, header, play_again, reviewed_line, write


@pytest.mark.parametrize("name", list(GAMES))
def test_golden_games(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    head = header(name, reviewed_line(text)) + "\n"
    assert text.startswith(head)
    assert play_again(name, text) == text.removeprefix(head)


def test_the_files_are_what_the_command_writes() -> None:
    for name in GAMES:
        assert (FOLDER / f"{name}.txt").read_text(encoding="utf-8").endswith("\n" + write(name))


@pytest.mark.parametrize("name", list(GAMES))
def test_a_game_of_the_shipped_ruleset_is_played_again_from_its_text(name: str) -> None:
    text = write(name, rules=None)
    assert play_again(name, text, rules=None) == text != write(name)


def test_every_file_is_a_game_and_two_were_reviewed() -> None:
    files = sorted(FOLDER.glob("*.txt"))
    assert sorted(path.stem for path in files) == sorted(GAMES)
    reviewed = [path for path in files if "# reviewed: no" not in path.read_text(encoding="utf-8")]
    assert len(reviewed) >= 2
