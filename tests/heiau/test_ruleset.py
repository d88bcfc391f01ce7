"""Map and scenarios as data: what is shipped, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hawaii_env.errors import RulesetError
from hawaii_env.heiau import Game
from hawaii_env.heiau.ruleset import DATA, load_ruleset

MAP = (DATA / "map.toml").read_text(encoding="utf-8")
SCENARIOS = (DATA / "scenarios.toml").read_text(encoding="utf-8")


def test_the_shipped_map() -> None:
    """45 spaces, 17 heiaus; printed names are told from reconstructed ones."""
    rules = load_ruleset()
    kinds = [space.kind for space in rules.spaces]
    assert (len(kinds), kinds.count("coast"), kinds.count("inland"), kinds.count("sea")) == (45, 27, 5, 13)
    assert sum(space.heiau for space in rules.spaces) == 17 and rules.victory == 9
    assert {space.source for space in rules.spaces} == {"printed", "reconstructed"}
    assert all(space.why for space in rules.spaces if space.source == "printed" and space.id != "x")
    board = rules.board
    assert all(bool(board.land[b] >> a & 1) == bool(board.land[a] >> b & 1) for a in range(45) for b in range(45))
    assert all(bool(board.water[b] >> a & 1) == bool(board.water[a] >> b & 1) for a in range(47) for b in range(47))


WRONG = [
    (
        "map.toml",
        '["waimea", "koloa"], ["koloa", "wailua"]',
        '["waimea", "kolo"], ["koloa", "wailua"]',
        "no space 'kolo'",
    ),
    ("map.toml", '["kaunalu", "makanalua/n"]', '["kaunalu", "makanalua/w"]', "no coast 'makanalua/w'"),
    ("map.toml", '["kaunalu", "makanalua/n"]', '["kaunalu", "makanalua"]', "name one"),
    ("map.toml", '["kaunalu", "makanalua/n"]', '["kaunalu/n", "makanalua/n"]', "no coast 'kaunalu/n'"),
    ("map.toml", '["koloa", "wailua"], ["wailua"', '["koloa", "waimea"], ["wailua"', "stands twice"),
    ("map.toml", '["makaleha", "waimea"]', '["makaleha", "kaiwi"]', "is a sea"),
    ("map.toml", '["kaulakahi", "niihau"]', '["kaulakahi", "makaleha"]', "is inland"),
    ("map.toml", '["kaulakahi", "niihau"], ', "", "touches no water"),
    ("map.toml", 'oceans = ["npo", "spo"]', 'oceans = ["npo", "puna"]', "is no sea"),
    ("map.toml", "heiau = true", "heiau = false", "16 heiaus stand here"),
    (
        "map.toml",
        'kind = "inland"\nisland = "kauai"\nheiau = false',
        'kind = "inland"\nisland = "kauai"\nheiau = true',
        "no heiau stands there",
    ),
    ("map.toml", "victory = 9", "victory = 18", "victory needs 18"),
    ("map.toml", 'kind = "inland"', 'kind = "hill"', "kind is sea, coast or inland"),
    ("map.toml", 'abbr = "Niih"\n', "", "lacks .*abbr"),
    ("map.toml", "[adjacency]", "[adjacent]", r"\[adjacency\] lacks"),
    ("map.toml", "[map]", "[map", "map.toml"),
    ("scenarios.toml", '"B lanai"', '"A kaiwi"', "cannot be there"),
    ("scenarios.toml", '"B lanai"', '"B npo"', "cannot be there"),
    ("scenarios.toml", '"B lanai"', '"B lahaina"', "two units start"),
    ("scenarios.toml", '"B lanai"', '"X lanai"', "a unit is A, B or F"),
    ("scenarios.toml", '"B lanai"', '"AB lanai"', "a unit is A, B or F"),
    ("scenarios.toml", '"B lanai"', '"B lanai/n"', "there is no place 'lanai/n' on the map"),
    ("scenarios.toml", 'ballot = ["heart", "wings"]', 'ballot = ["heart", "race"]', "ballot"),
]


def test_a_map_with_fewer_heiaus_than_win_is_refused() -> None:
    """[Background] Eight heiaus, counted rightly, and nine that win."""
    kept = MAP.count("heiau = true") - 8
    text = MAP.replace("heiau = true", "heiau = false", kept).replace("heiaus = 17", "heiaus = 8")
    with pytest.raises(RulesetError, match=r"map\.toml: victory needs 9 heiaus, and there are 8"):
        load_ruleset({"map.toml": text})


def test_a_border_has_no_side() -> None:
    """[Map] A border is one pair, for both ways: told again from the other side it is refused."""
    with pytest.raises(RulesetError, match="koloa - waimea stands twice, or is no pair"):
        load_ruleset({"map.toml": MAP.replace('["waimea", "koloa"],', '["waimea", "koloa"], ["koloa", "waimea"],', 1)})
    board = load_ruleset({"map.toml": MAP.replace('["makaleha", "waimea"], ', "", 1)}).board
    for space, masks in enumerate(board.land):
        assert all(board.land[other] >> space & 1 for other in range(len(board.spaces)) if masks >> other & 1)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["map.toml", "scenarios.toml"])
def test_values_of_another_kind_are_refused(file: str) -> None:
    """Each line's value in turn is made a number, a text, a list, a table: refused with the file's name, or read."""
    text = {"map.toml": MAP, "scenarios.toml": SCENARIOS}[file]
    lines, refused = text.splitlines(), 0
    starts = [k for k, line in enumerate(lines) if re.match(r"\w+ = ", line) and line.count("[") == line.count("]")]
    for at in starts[:: 3 if file == "scenarios.toml" else 53]:
        for value in ("-7", '"x"', "[1]", "{}"):
            changed = [*lines[:at], re.sub(r" = .*", f" = {value}", lines[at]), *lines[at + 1 :]]
            try:
                load_ruleset({file: "\n".join(changed)})
            except RulesetError as error:
                refused += file in str(error)
    assert refused > 5


@pytest.mark.parametrize(("file", "old", "new", "message"), WRONG)
def test_what_is_wrong_is_refused(file: str, old: str, new: str, message: str) -> None:
    """With the file and the entry."""
    text = {"map.toml": MAP, "scenarios.toml": SCENARIOS}[file]
    assert old in text
    with pytest.raises(RulesetError, match=message):
        load_ruleset({file: text.replace(old, new, 1)})


def test_the_shipped_ruleset_by_its_name() -> None:
    """It has a name; no other ruleset is shipped."""
    assert load_ruleset("heiau-reconstructed-3") is load_ruleset()
    with pytest.raises(RulesetError, match=r"'heiau-reconstructed-2', and the only shipped .* 'heiau-reconstructed-3'"):
        Game(rules="heiau-reconstructed-2")


def test_a_folder_replaces_files(tmp_path: Path) -> None:
    """A game with it has another hash; a pickle carries it."""
    (tmp_path / "map.toml").write_text(MAP.replace("victory = 9", "victory = 7"), encoding="utf-8")
    game = Game(rules=tmp_path)
    assert game.ruleset.victory == 7 and game.ruleset_hash != Game().ruleset_hash
    assert game.make_again().ruleset_hash == game.ruleset_hash
    (tmp_path / "cards.toml").write_text("", encoding="utf-8")
    with pytest.raises(RulesetError, match=r"cards\.toml"):
        Game(rules=tmp_path)
    with pytest.raises(RulesetError, match="no folder"):
        Game(rules=tmp_path / "none")
