"""The data: where each value comes from, and what makes a ruleset wrong."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from hawaii_env.aloha import Game
from hawaii_env.aloha.ruleset import DATA, FILES, load_ruleset, sources
from hawaii_env.errors import OptionError, RulesetError
from hawaii_env.game import Chance

from .helpers import chapter, of


def test_every_value_has_a_source() -> None:
    """Printed, ruled and reconstructed stay apart: cards, votes and the chart of the chapters are not printed."""
    found = list(sources(load_ruleset()))
    assert {source.split()[0] for *_, source in found} == {"printed", "ruling", "reconstructed"}
    by_key = {(file, table, key): source for file, table, key, source in found}
    assert (
        by_key["board.toml", "set_up", "track_end"] == "ruling R-11"
        and by_key["board.toml", "set_up", "placed"] == "printed"
    )
    assert by_key["royal.toml", "prologue.monarch", "votes"] == "reconstructed"
    assert by_key["royal.toml", "prologue.monarch", "title"] == "printed"
    assert by_key["scoring.toml", "epilogue.tokens_for_a_point", "aloha"] == "reconstructed"
    assert by_key["scoring.toml", "epilogue", "governor"] == "printed"
    assert {source for (file, *_), source in by_key.items() if file.startswith("chapter")} == {"reconstructed"}


def folder(tmp_path: Path, name: str, old: str, new: str) -> Path:
    text = (DATA / f"{name}.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / f"{name}.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("name", "old", "new", "message"), [
    ("chapter_1", 'islands = ["kauai"]', 'islands = ["niihau"]',
        r"chapter_1.toml \[cook_at_waimea.islands\] 0: .*'hawaii'.*'niihau'"),
    ("chapter_1", "receives = { commerce = 3 }", "receives = { gold = 3 }",
        r"chapter_1.toml \[cook_at_waimea.receives.gold\]"),
    ("chapter_1", "receives = { commerce = 3 }", "receives = { commerce = -3 }",
        r"cook_at_waimea.receives\] commerce: .*greater than or equal to 1.*-3"),
    ("chapter_1", "receives = { commerce = 3 }", "receives = { commerce = 2.5 }",
        r"\[cook_at_waimea.receives\] commerce: .*integer.*2.5"),
    ("chapter_1", "receives = { commerce = 3 }", "receives = { vote = 3 }",
        r"\[cook_at_waimea.receives\] vote: Home Rule tokens are not available"),
    ("chapter_1", "number = 1\n", "number = 2\n",
        r"chapter_1.toml: a chapter has 20 event cards.*twice \[2\], missing \[1\]"),
    ("chapter_1", "number = 1\n", "number = 21\n",
        r"chapter_1.toml \[cook_at_waimea\] number: .*less than or equal to 20.*21"),
    ("chapter_1", 'islands = ["kauai"]', 'islands = ["kauai", "kauai"]',
        r"chapter_1.toml cook_at_waimea: an island stands twice"),
    ("chapter_1", 'islands = ["kauai"]', "islands = []", r"\[cook_at_waimea\] islands: .*at least 1 item"),
    ("chapter_1", "pays = { hawaiian = 1 }", "pays = { hawaiian = -1 }",
        r"chapter_1.toml \[cook_at_waimea.pays\] hawaiian: .*greater than or equal to 1.*-1"),
    ("chapter_1", "pays = { hawaiian = 1 }", 'effect = "storm"',
        r"chapter_1.toml \[cook_at_waimea\] effect: .*not permitted.*'storm'"),
    ("chapter_2", 'kind = "calamity"\nislands', 'kind = "calamity"\nreceives = { aloha = 1 }\nislands',
        r"chapter_2.toml measles: a calamity gives nobody anything"),
    ("royal", "votes = 2", "votes = -2", r"royal.toml \[prologue.monarch\] votes: .*greater than or equal to 0.*-2"),
    ("scoring", "governor = 5", "governor = -5",
        r"scoring.toml \[epilogue\] governor: .*greater than or equal to 0.*-5"),
    ("scoring", "commerce = 3, aloha", "commerce = 0, aloha",
        r"scoring.toml \[epilogue.tokens_for_a_point\] commerce: .*greater than or equal to 1.*0"),
    ("board", "conversions = 5", "conversions = -1",
        r"board.toml \[set_up\] conversions: .*greater than or equal to 0.*-1"),
    ("chapter_1", 'kind = "event"', 'kind = "war"', r"\[cook_at_waimea\] kind: .*'war'"),
    ("chapter_1", 'kind = "event"', 'kind = "calamity"',
        r"chapter_1.toml cook_at_waimea: a calamity gives nobody anything"),
    ("chapter_3", "receives = { aloha = 1, vote = 2 }", "receives = { warrior = 2 }",
        r"chapter_3.toml \[\w+.receives\] warrior: warriors are not available"),
    ("board", "placed = 20", "placed = 31", r"board.toml \[set_up\] placed: .*less than or equal to 30.*31"),
    ("board", "stock = 30", "stock = 10", r"board.toml set_up: placed = 20 Pure Hawaiian tokens of a stock of 10"),
    ("board", "take = { aloha = 2 }", "take = { hula = 2 }", r"board.toml \[islands.molokai.take.hula\]"),
    ("board", "take_chapter_3 = { vote = 1 }", "",
        r"board.toml \[islands\] hawaii: warriors are not available in Chapter III"),
    ("scoring", "[[1, 0], [3, 1, 0], [3, 2, 1, 0]]", "[[1, 0], [3, 1], [3, 2, 1, 0]]",
        r"scoring.toml \[chapter_1.majority\] hawaiian: points for 2 places with 3 players"),
    ("scoring", "[[1, 0], [3, 1, 0], [3, 2, 1, 0]]", "[[0, 1], [3, 1, 0], [3, 2, 1, 0]]",
        r"hawaiian: a later place has more points"),
    ("royal", 'source = { rest = "printed"', 'source = { rest = "guessed"', r"royal.toml .*a source is 'printed'"),
    ("ruleset", "version", "versoin", r"ruleset.toml version: Field required"),
    ("ruleset", 'name = "', "name = ", r"ruleset.toml: cannot be read as TOML"),
])  # fmt: skip
def test_wrong_data(tmp_path: Path, name: str, old: str, new: str, message: str) -> None:
    """File, key and reason are named."""
    with pytest.raises(RulesetError) as caught:
        load_ruleset(folder(tmp_path, name, old, new))
    assert re.search(message, str(caught.value)), caught.value


def test_a_missing_card(tmp_path: Path) -> None:
    text = (DATA / "chapter_2.toml").read_text(encoding="utf-8")
    (tmp_path / "chapter_2.toml").write_text(text[: text.rindex("\n[")], encoding="utf-8")
    with pytest.raises(RulesetError, match=r"chapter_2.toml: a chapter has 20 event cards.* here are 19"):
        load_ruleset(tmp_path)


def test_folders(tmp_path: Path) -> None:
    """A folder replaces files of the shipped ruleset; unknown files, no files and no folder are refused."""
    with pytest.raises(RulesetError, match="no ruleset files"):
        load_ruleset(tmp_path)
    with pytest.raises(RulesetError, match="there is no folder"):
        load_ruleset(tmp_path / "nowhere")
    rules = folder(tmp_path, "scoring", "governor = 5", "governor = 9")
    own = Game(rules=rules)
    assert own.ruleset_hash != Game().ruleset_hash and own.ruleset.scoring.epilogue.governor == 9
    again = own.make_again()
    shutil.rmtree(rules)
    assert again.ruleset_hash == own.ruleset_hash and type(own)(**own.params).tables == own.tables
    assert set(own.params["rules"]) == set(FILES)


HASH = "44ea638dc8885d88e1de15f98195a381f6f148438b38ddf1921acea5ad254470"


def test_the_shipped_ruleset_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results and records name it by its hash; no other ruleset is shipped; a folder of the name comes before it."""
    name = load_ruleset().name
    assert (name, load_ruleset(name).hash) == ("reconstructed-2", HASH)
    with pytest.raises(
        RulesetError, match=r"no folder 'reconstructed-1', and the only shipped ruleset is 'reconstructed-2'"
    ):
        load_ruleset("reconstructed-1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    text = (DATA / "scoring.toml").read_text(encoding="utf-8").replace("governor = 5", "governor = 9")
    (tmp_path / name / "scoring.toml").write_text(text, encoding="utf-8")
    assert load_ruleset(name).scoring.epilogue.governor == 9


def test_what_the_hash_is_of(tmp_path: Path) -> None:
    """What plays a part in a game or its record: the title of an event card does, as the record of a game tells it when
    the card is drawn; its text and the titles of Royal Family cards do not.
    """
    for number, (file, old, new, same) in enumerate((
        ("chapter_1", "Iron is traded", "Nails are traded", True),
        ("chapter_1", "Cook at Waimea", "Cook on Kaua'i", False),
        ("royal", "King Kamehameha I", "Kamehameha I", True), ("board", "track_end = 60", "track_end = 50", False),
    )):  # fmt: skip
        (tmp_path / str(number)).mkdir()
        own = load_ruleset(folder(tmp_path / str(number), file, old, new))
        assert own.content != load_ruleset().content and (own.hash == load_ruleset().hash) == same
    state = chapter(phase="event", face_up=[7, 10, 13, None], deck=[1])
    state.start_trace()
    state.apply_chance(1)
    assert state.trace == [Chance("event", 1, "event 1 Cook at Waimea, 1778")]
    assert load_ruleset().royal_title("chapter_2 maui") == "Representative to the Republic for Maui"


def test_without_conversions(tmp_path: Path) -> None:
    """A ruleset may leave conversion out: then nobody is asked, and the Governor is elected at once."""
    own = {"rules": folder(tmp_path, "board", "conversions = 5", "conversions = 0")}
    red, yellow = {"actions": [0, 0, 0, 1, 0], "commerce": 6}, {"actions": [0] * 5}
    state = chapter("chapter_3", options=own, red=red, yellow=yellow)  # `take maui` is forced
    assert state.is_terminal and [of(state, player).converted for player in (0, 1)] == [0, 0]
    assert "epilogue kauai" in of(state).cards and of(state).commerce == 6


@pytest.mark.parametrize(("options", "message"), [
    ({"players": 5}, "players: at most 4"), ({"players": 1}, "players: an integer of 2 or more"),
    ({"players": "2"}, "players"),
    ({"turn_order": "any"}, "turn_order: allowed are most_left, rounds"),
    ({"reward": "gold"}, "reward: allowed are win, rank, margin"),
])  # fmt: skip
def test_options(options: dict, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Game(**options)


def test_a_ruleset_is_its_content() -> None:
    """What `Game.params` carries makes the game again; part of it does not."""
    content = load_ruleset().content
    assert load_ruleset(content).hash == load_ruleset().hash
    with pytest.raises(RulesetError, match="the content of ruleset, board"):
        load_ruleset({"board": content["board"]})
    with pytest.raises(RulesetError, match="a folder or the content"):
        load_ruleset(7)  # type: ignore[arg-type]
