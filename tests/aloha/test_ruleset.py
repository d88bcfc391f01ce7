"""The data: where each value comes from, and what makes a ruleset wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.errors import RulesetError
from hawaii_env.game import Chance

from .helpers import chapter, of


def test_sources() -> None:
    """Cards, votes and the chart of the chapters are not printed."""
    found = {(value.file, value.table, value.key): value.source for value in Ruleset.load().provenance}
    assert found["board.toml", "set_up", "track_end"] == "ruling R-11"
    assert found["board.toml", "set_up", "placed"] == found["royal.toml", "prologue.monarch", "title"] == "printed"
    assert found["royal.toml", "prologue.monarch", "votes"] == "reconstructed"
    assert found["scoring.toml", "epilogue.tokens_for_a_point", "aloha"] == "reconstructed"
    assert found["scoring.toml", "epilogue", "governor"] == "printed"
    assert {source for (file, *_), source in found.items() if file.startswith("chapter")} == {"reconstructed"}


def folder(tmp_path: Path, name: str, old: str, new: str) -> Path:
    text = (Ruleset.folder / "data" / f"{name}.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / f"{name}.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    return tmp_path


COOK, MAJORITY = "chapter_1.toml, table [cook_at_waimea", "[[1, 0], [3, 1, 0], [3, 2, 1, 0]]"


@pytest.mark.parametrize(("name", "old", "new", "message"), [
    ("chapter_1", 'islands = ["kauai"]', 'islands = ["niihau"]',
        COOK + '], key islands: item 1: \'niihau\' is not allowed; allowed: "kauai", "oahu"'),
    ("chapter_1", "receives = { commerce = 3 }", "receives = { gold = 3 }",
        COOK + ".receives], key gold: is not a name of this table; allowed: hawaiian, commerce, aloha, warrior, vote"),
    ("chapter_1", "receives = { commerce = 3 }", "receives = { commerce = -3 }",
        COOK + ".receives], key commerce: -3 is not allowed; allowed: a whole number 1 to 30"),
    ("chapter_1", "receives = { commerce = 3 }", "receives = { commerce = 2.5 }",
        COOK + ".receives], key commerce: 2.5 is not allowed; allowed: a whole number 1 to 30"),
    ("chapter_1", "receives = { commerce = 3 }", "receives = { vote = 3 }",
        COOK + ".receives], key vote: Home Rule tokens are not available before Chapter III; allowed: hawaiian"),
    ("chapter_1", "number = 1\n", "number = 2\n",
        "chapter_1.toml: 20 event cards, twice [2], missing [1]; allowed: 20 event cards, numbered 1 to 20"),
    ("chapter_1", "number = 1\n", "number = 21\n", COOK + "], key number: 21 is not allowed; "
            "allowed: a whole number 1"),
    ("chapter_1", 'islands = ["kauai"]', 'islands = ["kauai", "kauai"]',
        COOK + "], key islands: an island stands twice: ['kauai', 'kauai']; allowed: different islands"),
    ("chapter_1", 'islands = ["kauai"]', "islands = []",
        COOK + "], key islands: has 0 items; allowed: a list, each "),
    ("chapter_1", "pays = { hawaiian = 1 }", 'effect = "storm"',
        COOK + "], key effect: is not a key of this table; "
            "allowed: number, title, kind, islands, receives, pays, text"),
    ("chapter_2", 'kind = "calamity"\nislands', 'kind = "calamity"\nreceives = { aloha = 1 }\nislands',
        "chapter_2.toml, table [measles], key receives: a calamity gives nobody anything; allowed: leave the key out"),
    ("royal", "votes = 2", "votes = -2", "royal.toml, table [prologue.monarch], key votes: -2 is not allowed"),
    ("scoring", "governor = 5", "governor = -5", "scoring.toml, table [epilogue], key governor: -5 is not allowed"),
    ("scoring", "commerce = 3, aloha", "commerce = 0, aloha",
        "scoring.toml, table [epilogue.tokens_for_a_point], key commerce: 0 is not allowed; allowed: a whole number 1"),
    ("board", "conversions = 5", "conversions = -1",
        "board.toml, table [set_up], key conversions: -1 is not allowed; allowed: a whole number 0 to 20"),
    ("chapter_1", 'kind = "event"', 'kind = "war"', COOK + "], key kind: 'war' is not allowed; allowed: \"event\", "),
    ("chapter_1", 'kind = "event"', 'kind = "calamity"', COOK + "], key receives: a calamity gives nobody anything"),
    ("chapter_3", "receives = { aloha = 1, vote = 2 }", "receives = { warrior = 2 }",
        ".receives], key warrior: warriors are not available in Chapter III; allowed: hawaiian, commerce, aloha, vote"),
    ("board", "placed = 20", "placed = 31", "board.toml, table [set_up], key placed: 31 is not allowed"),
    ("board", "stock = 30", "stock = 10",
        "board.toml, table [set_up], key placed: 20 Pure Hawaiian tokens of a stock of 10; allowed: 1 to 10"),
    ("board", "take = { aloha = 2 }", "take = { hula = 2 }",
        "board.toml, table [islands.molokai.take], key hula: is not a name of this table; allowed: hawaiian"),
    ("board", "take_chapter_3 = { vote = 1 }", "",
        "board.toml, table [islands.hawaii], key take_chapter_3: warriors are not available in Chapter III"),
    ("scoring", MAJORITY, "[[1, 0], [3, 1], [3, 2, 1, 0]]",
        "scoring.toml, table [chapter_1.majority], key hawaiian: "
            "points for 2 places with 3 players; allowed: 3 numbers"),
    ("scoring", MAJORITY, "[[0, 1], [3, 1, 0], [3, 2, 1, 0]]",
        "scoring.toml, table [chapter_1.majority], key hawaiian: a later place has more points than an earlier one"),
    ("royal", 'source = { rest = "printed"', 'source = { rest = "guessed"',
        "royal.toml, table [prologue.monarch], key source.rest: 'guessed' is not a source; allowed: \"printed\""),
    ("scoring", 'source = "printed"\n', "", "scoring.toml, table [prologue], key monarch: has no source; allowed: a"),
])  # fmt: skip
def test_wrong_data(tmp_path: Path, name: str, old: str, new: str, message: str) -> None:
    """File, table, key and what is allowed are named."""
    with pytest.raises(RulesetError) as caught:
        Ruleset.load(folder(tmp_path, name, old, new))
    assert message in str(caught.value)


def test_a_missing_card() -> None:
    chapter = Ruleset.load().content["chapter_2.toml"]
    chapter.popitem()
    with pytest.raises(RulesetError, match=r"^chapter_2.toml: 19 event cards, twice \[\], missing \[20\]; allowed: 20"):
        Ruleset.load({"chapter_2.toml": chapter})


HASH = "44ea638dc8885d88e1de15f98195a381f6f148438b38ddf1921acea5ad254470"


def test_the_shipped_ruleset() -> None:
    """Results, records and weights name it by its hash."""
    assert (Ruleset.load().name, Ruleset.load().hash) == ("reconstructed-2", HASH)


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
        own = Ruleset.load(folder(tmp_path / str(number), file, old, new))
        assert own.content != Ruleset.load().content and (own.hash == Ruleset.load().hash) == same
    state = chapter(phase="event", face_up=[7, 10, 13, None], deck=[1])
    state.start_trace()
    state.apply_chance(1)
    assert state.trace == [Chance("event", 1, "event 1 Cook at Waimea, 1778")]
    assert Ruleset.load().royal_title("chapter_2 maui") == "Representative to the Republic for Maui"


def test_without_conversions(tmp_path: Path) -> None:
    """A ruleset may leave conversion out: then nobody is asked, and the Governor is elected at once."""
    own = {"rules": folder(tmp_path, "board", "conversions = 5", "conversions = 0")}
    red, yellow = {"actions": [0, 0, 0, 1, 0], "commerce": 6}, {"actions": [0] * 5}
    state = chapter("chapter_3", options=own, red=red, yellow=yellow)  # `take maui` is forced
    assert state.is_terminal and [of(state, player).converted for player in (0, 1)] == [0, 0]
    assert "epilogue kauai" in of(state).cards and of(state).commerce == 6
