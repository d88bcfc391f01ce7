"""Rulesets as data: loading, checking, freezing, and a user's own folder."""

from __future__ import annotations

import pickle
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from hawaii_env.cli.rules import write_template
from hawaii_env.errors import OptionError, RulesetError
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.rules import names
from hawaii_env.hawaii1795.rules.names import KINDS
from hawaii_env.hawaii1795.rules.tables import TABLES
from hawaii_env.hawaii1795.ruleset import Ruleset

FILES = tuple(Ruleset.models)
FIRST = Path(__file__).with_name("reconstructed-1")
HASH = "85809ba412ae602ade4e932097714f99e698941e801b9f6e563412a4878e5335"
# What is edited below: numbers that are not tuned any more.
TEXTS = {name: (FIRST / name).read_text(encoding="utf-8") for name in FILES}


def edited(folder: Path, file: str, *changes: tuple[str, str]) -> Path:
    """A rules folder with all files of the first ruleset that it lacks, one changed by replacing texts that must be
    there.
    """
    folder.mkdir(exist_ok=True)
    for name in FILES:
        if not (folder / name).exists():
            (folder / name).write_text(TEXTS[name], encoding="utf-8")
    text = (folder / file).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    (folder / file).write_text(text, encoding="utf-8")
    return folder


def problems_of(folder: Path) -> list[str]:
    """The lines of the error that a folder gives."""
    with pytest.raises(RulesetError) as caught:
        Ruleset.load(folder)
    return str(caught.value).splitlines()


def table_of(file: str, header: str) -> str:
    """The text of one table of a file of the first ruleset, header included."""
    text = TEXTS[file]
    start = text.index(f"[{header}]\n")
    end = text.find("\n[", start)
    return text[start : end + 1 if end > 0 else len(text)]


def within(file: str, header: str, old: str, new: str) -> tuple[str, str]:
    """A change inside one table."""
    table = table_of(file, header)
    assert old in table, (header, old)
    return table, table.replace(old, new, 1)


# ---- the shipped ruleset


def test_forty_pieces_and_eighteen_cards() -> None:
    """[1.0] Forty pieces with the earthworks, eighteen cards, nine a deck."""
    rules = Ruleset.load()
    assert sum(kind.count for kind in rules.pieces) + 1 == 40
    assert [card.number for card in rules.cards] == [*range(1, 10), *range(1, 10)]
    assert (rules.name, rules.about.version) == ("reconstructed-4", "4") and rules.hash == HASH
    assert len(rules.card_ids) == len(set(rules.card_ids)) == 18
    assert rules.card("allied", 6).title == rules.card(1, 6).title == "Hold the Line"
    assert rules.card_id(0, 9) == "ku_snatcher_of_islands"
    assert rules.space_name("koolau") == rules.space_name(names.KOOLAU) == "Ko'olau"
    assert rules.pieces[KINDS.index("allied_musketeer")].name == "Musketeers of O'ahu"
    assert rules.side_name(2) == rules.island_name(4) == "Kaua'i"


@pytest.mark.parametrize(
    ("call", "argument"),
    [("space_name", 7), ("space_name", "oahu"), ("side_name", "x"), ("island_name", -1)],
)
def test_unknown_names(call: str, argument: Any) -> None:
    refuses(OptionError, ("expected", lambda: getattr(Ruleset.load(), call)(argument)))
    refuses(OptionError, ("1 to 9", lambda: Ruleset.load().card(0, 10)))
    refuses(OptionError, ("kamehameha", lambda: Ruleset.load().card(2, 1)))


def test_tables_shape() -> None:
    tables = Ruleset.load().tables()
    assert TABLES.is_named(tables)
    for name, field in TABLES.fields.items():
        value = getattr(tables, name)
        assert len(value) == (field.axes[0] or 0) if field.axes else type(value) is int
    tables.fleets[0] = 0
    assert Ruleset.load().tables().fleets[0]


@pytest.mark.parametrize("name", [None, FIRST])
def test_tables_hold_what_the_ruleset_says(name: str | None) -> None:
    """[3.0, 8.1] Strengths, fleet moves and recruits, whatever they are tuned to."""
    rules = Ruleset.load(name)
    t = rules.tables()
    assert t.fleets == [card.fleets for card in rules.cards]
    for kind, piece in enumerate(rules.pieces):
        here = slice(t.first[kind], t.first[kind] + piece.count)
        assert t.kind[here] == [kind] * piece.count and t.strength[here] == [piece.strength or 0] * piece.count
    for index, card in enumerate(rules.cards):
        assert sorted(filter(None, t.recruit[index])) == sorted(card.recruit.values())
        assert sum(t.once[index]) == sum(card.recruit[kind] for kind in card.recruit_once)


# ---- where values come from


@pytest.mark.parametrize("ruleset", [None, FIRST])
def test_reconstructed_values_are_not_called_printed(ruleset: Path | None) -> None:
    """What the ruleset page calls reconstructed is so in the data."""
    source = {(v.file, v.table, v.key): v.source for v in Ruleset.load(ruleset).provenance}
    for kind in (
        "kamehameha.kamehameha",
        "kamehameha.pike",
        "allied.kalani",
        "allied.kaiana",
        "allied.thunderers",
        "allied.kaiana_warriors",
    ):
        assert source["pieces.toml", kind, "strength"] == "reconstructed"
    assert source["pieces.toml", "kamehameha.warrior_1", "strength"] == "printed 6.0"
    assert source["pieces.toml", "allied.kalani", "elite"] == "ruling R-04"
    assert source["pieces.toml", "allied.oahu_warrior", "count"] == "reconstructed"
    assert source["battle_results.toml", "both", "elite"] == "reconstructed"
    for (file, _, key), origin in source.items():
        if file == "cards.toml" and key not in ("title", "recruit_once", "effect"):
            assert origin == "reconstructed"


def test_sources_reach_down(tmp_path: Path) -> None:
    """The innermost table's word comes first; a nested source names keys of nested tables."""
    change = within(
        "cards.toml",
        "kamehameha.john_young",
        'source = "reconstructed"',
        'source = { rest = "printed", fleets = "reconstructed", event = { amount = "ruling R-09", rest = '
        '"printed 8.2" } }',
    )
    rules = Ruleset.load(edited(tmp_path / "r", "cards.toml", change))
    source = {(v.table, v.key): v.source for v in rules.provenance}
    where = "kamehameha.john_young"
    assert source[where, "title"] == source[f"{where}.recruit", "musketeer"] == "printed"
    assert source[where, "fleets"] == "reconstructed"
    assert source[f"{where}.event", "amount"] == "ruling R-09"
    assert source[f"{where}.event", "effect"] == "printed 8.2"


# ---- errors: file, table, key, what is allowed

CARDS, PIECES, MAP, BRT, SCN = "cards.toml", "pieces.toml", "map.toml", "battle_results.toml", "scenarios.toml"
K3, A3, A6 = "kamehameha.john_young", "allied.kaiana_changes_sides", "allied.hold_the_line"

ERRORS: list[tuple[str, tuple[str, str], str, str, str]] = [
    (MAP, ("[spaces.koolau]", "[spaces.koolou]"), "spaces", "koolou", "kona, hilo, maui"),
    (MAP, within(MAP, "spaces.koolau", "fort = false\n", ""), "spaces.koolau", "fort", "true or false"),
    (MAP, within(MAP, "spaces.kona", "fort = true", "fort = 1"), "spaces.kona", "fort", "true or false"),
    (MAP, within(MAP, "spaces.kona", "fort = true", "fort = true\nport = 1"), "spaces.kona", "port", "name, island"),
    (MAP, within(MAP, "spaces.maui", '"maui"', '"oahu"'), "spaces.maui", "island", '"maui"'),
    (MAP, within(MAP, "spaces.maui", '"Maui"', '""'), "spaces.maui", "name", "at most 60"),
    (MAP, (table_of(MAP, "spaces.kauai"), ""), "spaces", "kauai", "waikiki, koolau, kauai"),
    (MAP, ('maui = "Maui"\n', ""), "islands", "maui", "hawaii, maui"),
    (MAP, ("[islands]", "islands = 3\n[other]"), "", "islands", "a table of hawaii"),
    # sources
    (MAP, ('source = "printed 5.1"', 'source = "published"'), "spaces.maui", "source", '"reconstructed"'),
    (MAP, ('source = "printed 5.1"', 'source = "ruling R-99"'), "spaces.maui", "source", "R-01 to"),
    (MAP, ('source = "printed 5.1"\n', ""), "spaces.maui", "name", "ruling R-nn"),
    (MAP, ('source = "printed 5.1"', 'source = { fort = "printed" }'), "spaces.maui", "island", "source"),
    (MAP, ('source = "printed 5.1"', 'source = { rest = "printed", ford = "printed" }'),
        "spaces.maui", "source.ford", "fort"),
    # pieces
    (PIECES, within(PIECES, "kamehameha.warrior_2", "count = 6", "count = 7"), "", "count", "40 in all"),
    (PIECES, within(PIECES, "kamehameha.pike", "count = 1", "count = 2"), "kamehameha.pike", "count", "allowed: 1"),
    (PIECES, within(PIECES, "earthworks", "count = 1", "count = 2"), "earthworks", "count", "allowed: 1"),
    (PIECES, within(PIECES, "kamehameha.pike", "strength = 2", "strength = 7"),
        "kamehameha.pike", "strength", "1 to 6"),
    (PIECES, within(PIECES, "kamehameha.pike", "strength = 2\n", ""), "kamehameha.pike", "strength", "1 to 6"),
    (PIECES, within(PIECES, "kamehameha.pike", "strength = 2", "strength = 2.5"),
        "kamehameha.pike", "strength", "whole"),
    (PIECES, within(PIECES, "kamehameha.pike", "strength = 2", "strength = true"),
        "kamehameha.pike", "strength", "whole"),
    (PIECES, within(PIECES, "kamehameha.pike", '["hawaii"]', "[]"), "kamehameha.pike", "home", "hawaii, maui"),
    (PIECES, within(PIECES, "kamehameha.pike", '["hawaii"]', '["lanai"]'), "kamehameha.pike", "home", "hawaii, maui"),
    (PIECES, within(PIECES, "kamehameha.pike", '"unit"', '"leader"'), "kamehameha.pike", "class", '"unit"'),
    (PIECES, within(PIECES, "kauai.kauai_warrior", "home = []", 'home = ["kauai"]'),
        "kauai.kauai_warrior", "home", "[]"),
    (PIECES, within(PIECES, "kamehameha.canoe", "count = 4", "count = 4\nstrength = 1"),
        "kamehameha.canoe", "strength", "leave"),
    (PIECES, ("[allied.pike]", "[allied.spear]"), "allied", "spear", "musketeer, pike"),
    (PIECES, (table_of(PIECES, "allied.brown"), ""), "allied", "brown", "kalani, kaiana"),
    # battle results
    (BRT, ('"panic", "panic",  ', '"panik", "panic",  '), "both", "non_elite", '"elimination"'),
    (BRT, ('["none", "none", "none",  ', '["none", "none",  '), "both", "non_elite", "six results"),
    (BRT, ("[both]\n", "[attacker]\n"), "defender", "non_elite", "table [both]"),
    (BRT, ("[both]\n", "[all]\n"), "", "all", "both, attacker, defender"),
    # cards
    (CARDS, (table_of(CARDS, "kamehameha.peleleu_fleet"), ""), "kamehameha", "", "nine cards"),
    (CARDS, within(CARDS, K3, "number = 3", "number = 4"), "kamehameha.royal_guard", "number", "free: 3"),
    (CARDS, within(CARDS, K3, "number = 3", "number = 10"), K3, "number", "1 to 9"),
    (CARDS, ("[allied.thunderers]", "[allied.royal_guard]"), "allied.royal_guard", "", "an id that no other"),
    (CARDS, ("[allied.thunderers]", '[allied."The Thunderers"]'), "allied", "The Thunderers", "lower-case"),
    (CARDS, within(CARDS, K3, "fleets = 2\n", ""), K3, "fleets", "0 to 10"),
    (CARDS, within(CARDS, K3, "fleets = 2", "fleets = -1"), K3, "fleets", "0 to 10"),
    (CARDS, within(CARDS, K3, "musketeer = 1", "kalani = 1"), f"{K3}.recruit", "kalani", "john_young, royal_guard"),
    (CARDS, within(CARDS, K3, "musketeer = 1", "musketeer = 0"), f"{K3}.recruit", "musketeer", "1 to 9"),
    (CARDS, ('recruit_once = ["pike"]', 'recruit_once = ["canoe"]'),
        "kamehameha.long_pikes", "recruit_once", "pike, warrior"),
    (CARDS, within(CARDS, K3, '"gunpowder_dice"', '"gunpowder"'), f"{K3}.event", "effect", "gunpowder_dice, advantage"),
    (CARDS, within(CARDS, K3, '"this_turn"', '"later"'), f"{K3}.event", "timing", "this_turn"),
    (CARDS, within(CARDS, K3, '"this_turn"', '"now"'), f"{K3}.event", "timing", "this_turn"),
    (CARDS, within(CARDS, K3, "amount = 1", "amount = 6"), f"{K3}.event", "amount", "1 to 5"),
    (CARDS, within(CARDS, K3, ", amount = 1", ""), f"{K3}.event", "amount", "1 to 5"),
    (CARDS, within(CARDS, K3, "amount = 1", "amount = 1, die = [1]"), f"{K3}.event", "die", "window, amount"),
    (CARDS, within(CARDS, K3, "amount = 1", 'amount = 1, window = "battle"'), f"{K3}.event", "window", "leave the key"),
    (CARDS, within(CARDS, A6, 'window = "battle", ', ""), f"{A6}.event", "window", "battle"),
    (CARDS, within(CARDS, A6, '"battle"', '"movement"'), f"{A6}.event", "window", "battle"),
    (CARDS, ("neutral = [4, 5, 6]", "neutral = [4, 5, 7]"), "kamehameha.appeal_to_kauai_k.event", "neutral", "1 to 6"),
    (CARDS, ("neutral = [4, 5, 6]", "neutral = [4, 5, 5]"),
        "kamehameha.appeal_to_kauai_k.event", "neutral", "different"),
    (CARDS, ('["warrior"]', '["kamehameha"]'), "kamehameha.warriors_go_home_k.event", "pieces", "warrior_2"),
    (CARDS, ('kinds = ["kaiana", ', 'kinds = ["kalani", '), f"{A3}.event", "kinds", "kaiana, kaiana_warriors"),
    (CARDS, ('islands = ["oahu", "hawaii"]', 'islands = ["kona"]'), f"{A3}.event", "islands", "hawaii, maui"),
    (CARDS, within(CARDS, K3, "title = ", 'titel = "x"\ntitle = '), K3, "titel", "number, title"),
    # scenarios
    (SCN, ("at_least = 4", "at_least = 6"), "victory.kamehameha", "at_least", "0 to 5"),
    (SCN, ('["kona", "hilo"]\nat', '["kona", "waimea"]\nat'), "victory.kamehameha", "all", "kona, hilo, maui"),
    (SCN, ("[victory.allied]", "[victory.allies]"), "victory", "allies", "kamehameha, allied"),
    (SCN, ("[scenarios.short]", "[scenarios.short]\nturns = 9"), "scenarios.short", "turns", "first_month"),
    (SCN, ('last_month = "november"', 'last_month = "december"'), "scenarios.long", "last_month", "october, november"),
    (SCN, ('last_month = "november"', "last_month = 11"), "scenarios.long", "last_month", "october, november"),
    (SCN, ('shuffle = "march"', 'shuffle = "february"'), "scenarios.long", "shuffle", "march"),
    (SCN, ("{ january = 1, february = 2 }", "{ january = 1 }"),
        "scenarios.long.fixed_cards", "february", "january, february"),
    (SCN, ("{ january = 1, february = 2 }", "{ january = 1, february = 1 }"),
        "scenarios.long", "fixed_cards", "different"),
    (SCN, ("{ january = 1, february = 2 }", "{ january = 1, february = 9 }"),
        "scenarios.long.fixed_cards", "february", "1, 2, 3"),
    (SCN, ("{ january = 1, february = 2 }", "{ january = 1, february = 2, may = 3 }"),
        "scenarios.long.fixed_cards", "may", "january"),
    (SCN, ("kalani = { oahu = 1 }", "kalani = { maui = 1, hilo = 1 }"),
        "scenarios.long.start.allied", "kalani", "at most 1"),
    (SCN, ("kalani = { oahu = 1 }", "kalani = { hawaii = 1 }"),
        "scenarios.long.start.allied.kalani", "hawaii", "koolau, kauai, oahu"),
    (SCN, ("kalani = { oahu = 1 }", "kalani = { kona = 1 }"), "scenarios.long.start", "allied", "one side only"),
    (SCN, ("maui_warrior = { maui = 1 }", "vancouver = { maui = 1 }"),
        "scenarios.long.start.allied", "vancouver", "kalani, kaiana"),
    (SCN, ("kamehameha = { kona = 1 }\n", ""), "scenarios.long.start.kamehameha", "kamehameha", "a start place"),
    (SCN, ("{ kauai = 2 }", "{ kauai = 1 }"), "scenarios.long.start.kauai", "kauai_warrior", "kauai = 2"),
    (SCN, ("{ kamehameha = 2, allied = 2 }", "{ kamehameha = 2, allied = 4 }"),
        "scenarios.short.choose_warriors", "allied", "0 to 2"),
    (SCN, ("{ kamehameha = 2, allied = 2 }", "{ kamehameha = 2 }"),
        "scenarios.short.choose_warriors", "allied", "kamehameha, allied"),
    # about
    ("ruleset.toml", ('kind = "reconstructed"', 'kind = "published"'), "", "kind", '"printed"'),
    ("ruleset.toml", ('kind = "reconstructed"', 'kind = "printed"'), "", "kind", "reconstructed"),
    ("ruleset.toml", ('allied = "Allied Chiefs"\n', ""), "sides", "allied", "kamehameha, allied, kauai"),
    ("ruleset.toml", ('version = "1"\n', ""), "", "version", "line of text"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "change", "table", "key", "allowed"), ERRORS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_errors_name_the_place(
    tmp_path: Path, file: str, change: tuple[str, str], table: str, key: str, allowed: str
) -> None:
    folder = edited(tmp_path / "mine", file, change)
    lines = problems_of(folder)
    place = file + (f", table [{table}]" if table else "") + (f", key {key}" if key else "") + ": "
    found = [line for line in lines if line.startswith(place)]
    assert found, lines
    assert allowed.replace('"', "") in found[0][found[0].index("; allowed: ") :].replace('"', "")


def test_all_problems_are_listed(tmp_path: Path) -> None:
    folder = edited(tmp_path / "mine", MAP, ("fort = true", "fort = 2"))
    edited(folder, CARDS, ("fleets = 2", "fleets = 20"), ("number = 3", "number = 4"))
    assert len(problems_of(folder)) == 2  # the deck's numbers are looked at once its cards are well-formed
    edited(folder, CARDS, ("fleets = 20", "fleets = 2"))
    assert {line.split(",")[0] for line in problems_of(folder)} == {MAP, CARDS}


def test_nothing_asked_for_and_too_many_turns(tmp_path: Path) -> None:
    nothing = ("at_least = 2", "at_least = 0"), ('any = ["kona", "hilo"]', "any = []")
    assert "asks for nothing" in problems_of(edited(tmp_path / "a", SCN, *nothing))[0]
    turns = (
        ('shuffle = "march"', 'shuffle = "january"'),
        ("{ january = 1, february = 2 }", "{}"),
        ('fixed_cards = "printed 6.1", ', ""),
    )
    assert "11 turns" in problems_of(edited(tmp_path / "b", SCN, *turns))[0]
    late = (
        ('first_month = "march"', 'first_month = "june"'),
        ('last_month = "november"\nfixed_cards = {}', 'last_month = "may"\nfixed_cards = {}'),
    )
    assert "comes before" in problems_of(edited(tmp_path / "c", SCN, *late))[0]


# ---- a user's own folder


@pytest.mark.parametrize("file", FILES)
def test_any_subset_of_the_files(tmp_path: Path, file: str) -> None:
    """One file alone plays as the shipped ruleset does, and has the same hash; only the shipped set bears its name."""
    (tmp_path / "mine").mkdir()
    shutil.copy(Ruleset.folder / "data" / file, tmp_path / "mine")
    rules = Ruleset.load(tmp_path / "mine")
    assert rules.hash == Ruleset.load().hash
    assert (rules.name == "mine") == (file != "ruleset.toml")


def test_display_names_play_no_part(tmp_path: Path) -> None:
    folder = edited(
        tmp_path / "mine", MAP, ('name = "Waikiki"', 'name = "Honolulu"'), ('maui = "Maui"', 'maui = "Valley isle"')
    )
    edited(folder, CARDS, ('title = "Kona Storm"', 'title = "Storm"'), ("The ship's cannon come", "Cannon come"))
    edited(folder, PIECES, ('name = "Pikes of O\'ahu"', 'name = "Spears"'))
    rules, first = Ruleset.load(folder), Ruleset.load(FIRST)
    assert rules.space_name("waikiki") == "Honolulu" and rules.pieces[KINDS.index("allied_pike")].name == "Spears"
    assert rules.hash == first.hash and rules != first
    for scenario in ("long", "short"):
        assert TABLES.words(rules.tables(scenario)) == TABLES.words(first.tables(scenario))


def test_comments_order_and_sources_play_no_part(tmp_path: Path) -> None:
    deck = TEXTS[CARDS]
    first = table_of(CARDS, "kamehameha.discoverys_guns")
    moved = deck.replace(first, "") + "\n# at the end\n" + first.replace('"reconstructed"', '"printed"')
    moved = moved.replace("die = [1, 2, 3, 4]", "die = [4, 3, 2, 1]")
    (tmp_path / CARDS).write_text(moved, encoding="utf-8")
    edited(tmp_path, SCN, ("{ kona = 2, hilo = 1 }", "{ hilo = 1, kona = 2 }"))
    rules = Ruleset.load(tmp_path)
    assert rules.hash == Ruleset.load(FIRST).hash
    assert TABLES.words(rules.tables()) == TABLES.words(Ruleset.load(FIRST).tables())


@pytest.mark.parametrize(
    ("file", "change"),
    [
        (MAP, within(MAP, "spaces.maui", "fort = false", "fort = true")),
        (PIECES, within(PIECES, "kamehameha.pike", "strength = 2", "strength = 3")),
        (PIECES, within(PIECES, "kamehameha.kamehameha", "elite = true", "elite = false")),
        (PIECES, within(PIECES, "kamehameha.kamehameha", "plus = true", "plus = false")),
        (BRT, ('["none", "none", "none",  ', '["none", "none", "panic",  ')),
        (CARDS, ("fleets = 4", "fleets = 5")),
        (CARDS, ("[kamehameha.kona_storm]", "[kamehameha.storm]")),
        (CARDS, ("enemy = [6]", "enemy = []")),
        (CARDS, ("count = 2, pieces", "count = 3, pieces")),
        (SCN, ("at_least = 4", "at_least = 5")),
        (SCN, ("{ kamehameha = 2, allied = 2 }", "{ kamehameha = 2, allied = 1 }")),
        (SCN, ("oahu_warrior = { oahu = 2 }", "oahu_warrior = { oahu = 3 }")),
    ],
)
def test_what_plays_is_in_the_hash(tmp_path: Path, file: str, change: tuple[str, str]) -> None:
    assert Ruleset.load(edited(tmp_path / "mine", file, change)).hash != Ruleset.load(FIRST).hash


def test_other_numbers_of_pieces(tmp_path: Path) -> None:
    """Warriors and canoes may be other numbers, none included, as long as the pieces are forty."""
    folder = edited(
        tmp_path / "mine",
        PIECES,
        within(PIECES, "kamehameha.warrior_2", "count = 6", "count = 9"),
        within(PIECES, "kamehameha.warrior_1", "count = 3", "count = 0"),
    )
    tables = Ruleset.load(folder).tables()
    assert tables.count[6:9] == [9, 0, 4] and tables.first[6:10] == [6, 15, 15, 19]
    assert tables.kind[:19] == [0, 1, 2, 3, 4, 5, *[6] * 9, *[8] * 4]


def test_columns_by_side(tmp_path: Path) -> None:
    """[12.0] A table may have columns of its own for the side that attacks or defends."""
    text = (
        TEXTS[BRT]
        + '\n[defender]\nelite = ["none", "none", "none", "panic", "panic", "panic"]\nsource = "printed 12.0"\n'
    )
    (tmp_path / BRT).write_text(text)
    results = Ruleset.load(tmp_path).tables().results
    assert [column for column, _ in results] == [results[0][0]] * 2
    assert [elite for _, elite in results] == [[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]


def test_scenarios_of_ones_own(tmp_path: Path) -> None:
    short = TEXTS[SCN][TEXTS[SCN].index("[scenarios.short]") :].replace("scenarios.short", "scenarios.autumn")
    short = short.replace('first_month = "march"', 'first_month = "september"').replace(
        'shuffle = "march"', 'shuffle = "september"'
    )
    (tmp_path / SCN).write_text(TEXTS[SCN] + "\n" + short)
    rules = Ruleset.load(tmp_path)
    assert set(rules.scenarios) == {"long", "short", "autumn"}
    assert rules.tables("autumn").first_month == 9


def test_a_printed_ruleset_may_say_so(tmp_path: Path) -> None:
    write_template(Ruleset, tmp_path)
    for path in tmp_path.iterdir():
        path.write_text(path.read_text().replace('"reconstructed"', '"printed"').replace('"variant"', '"printed"'))
    assert Ruleset.load(tmp_path).about.kind == "printed"


# ---- rulings and words


def test_no_text_is_left_open() -> None:
    for path in (*Ruleset.folder.glob("**/*.toml"), *FIRST.iterdir()):
        assert "TODO" not in path.read_text(encoding="utf-8")


# ---- end to end


def other_rules(folder: Path) -> Path:
    """Other cards, other battle results and other strengths."""
    folder.mkdir()
    (folder / BRT).write_text(
        '[attacker]\nnon_elite = ["none", "none", "panic", "panic", "panic", "elimination"]\n'
        'elite = ["none", "panic", "panic", "panic", "elimination", "elimination"]\nsource = "printed"\n\n'
        '[defender]\nnon_elite = ["none", "none", "none", "none", "panic", "elimination"]\n'
        'elite = ["none", "none", "none", "panic", "elimination", "elimination"]\nsource = "printed"\n'
    )
    edited(folder, PIECES, within(PIECES, "kamehameha.kamehameha", "strength = 3", "strength = 5"))
    edited(folder, PIECES, within(PIECES, "allied.brown", "strength = 3", "strength = 4"))
    decks: list[str] = []
    for deck, units in (
        ("kamehameha", ["vancouver", "pike", "john_young", "royal_guard", "musketeer"]),
        ("allied", ["brown", "pike", "kaiana", "thunderers", "musketeer"]),
    ):
        for number in range(1, 10):
            unit = f"{units[number - 1]} = 1, " if number <= 5 else ""
            event = {
                6: 'event = { timing = "this_turn", effect = "no_sighting" }\n',
                7: 'event = { timing = "now", effect = "home", count = 1, pieces = ["warrior", "canoe"], die '
                "= [1, 2] }\n",
                8: 'event = { timing = "this_turn", effect = "gunpowder_dice", amount = 2 }\n',
            }.get(number, "")
            decks.append(
                f'[{deck}.{deck[0]}{number}]\nnumber = {number}\ntitle = "Card {number}"\nrecruit = {{ '
                f"{unit}warrior = 2, canoe = 1 }}\n"
                f'fleets = {number % 4 + 1}\n{event}text = "A card."\nsource = "printed"\n'
            )
    (folder / CARDS).write_text("\n".join(decks))
    return folder


def played(game: Any, seed: int) -> Any:
    """A game of random moves, to its end."""
    state, rng = game.initial_state(seed=seed), np.random.default_rng(seed)
    while not state.is_terminal:
        state.apply(int(rng.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize("scenario", ["long", "short"])
def test_other_rules_play(tmp_path: Path, scenario: str) -> None:
    """A user's folder plays from the first turn to the last, and states of it come back without the folder."""

    folder = other_rules(tmp_path / "other")
    game, shipped = Game(scenario=scenario, rules=str(folder)), Game(scenario=scenario)
    assert game.ruleset_hash == Ruleset.load(folder).hash != shipped.ruleset_hash
    for seed in range(3):
        state = played(game, seed)
        assert sum(state.returns()) == 0
        assert pickle.loads(pickle.dumps(state)).returns() == state.returns()


def test_the_manual(tmp_path: Path) -> None:
    """The worked example of docs/rulesets.md loads, and its slip is answered as it says."""
    manual = (Path(__file__).parent.parent / "docs" / "rulesets.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", manual, re.DOTALL)
    card = next(block for block in blocks if block.startswith("[kamehameha.john_young]\nnumber"))
    piece = next(block for block in blocks if block.startswith("[kamehameha.john_young]\nname"))
    (tmp_path / BRT).write_text(next(block for block in blocks if block.startswith("[both]")))
    edited(tmp_path, CARDS, (table_of(CARDS, K3), card))
    edited(tmp_path, PIECES, (table_of(PIECES, K3), piece))
    rules = Ruleset.load(tmp_path)
    assert rules.card(0, 3).fleets == 3 and rules.pieces[names.K_JOHN_YOUNG].strength == 1
    edited(tmp_path, CARDS, (", amount = 1 }", " }"))
    assert problems_of(tmp_path)[0] in manual


# ---- numbers that files may leave out


def test_what_canoes_carry_and_the_sighting_die_are_data() -> None:
    """[10.3, 11.7, R-12] Files that lack the tables play with the printed numbers, and have the hash that they had
    before.
    """
    shipped, content = Ruleset.load(), Ruleset.load().content
    assert (shipped.canoe_load.units, shipped.canoe_load.leaders, shipped.sighted_up_to) == (2, 2, 3)
    del content["pieces.toml"]["canoe_load"], content["battle_results.toml"]["sighting"]
    assert Ruleset.load(content).hash == shipped.hash
    content["pieces.toml"]["canoe_load"] = {"units": 1, "leaders": 2, "source": "printed"}
    content["battle_results.toml"]["sighting"] = {"up_to": 6, "source": "printed"}
    changed = Game(rules=content)
    assert changed.ruleset_hash != shipped.hash
    ours, theirs = ["pike", "warrior_1", "kamehameha", "canoe"], ["maui_warrior", "maui_canoe"]
    units = {"kamehameha": {"kona": ours}, "allied": {"maui": theirs}}
    state = changed.position(turn="june", half="kamehameha", phase="movement", units=units, fleet_moves=1)
    for text in ("fleet kona", "embark pike"):
        state.apply(changed.parse_action(state, text))
    aboard = [changed.action_text(action) for action in state.legal_actions()]
    assert aboard == ["done", "embark kamehameha"], aboard
    for text in ("done", "sail maui", "done"):
        state.apply(changed.parse_action(state, text))
    assert state.phase == "sighting" and state.chance_text(6) == "sighting 6: sighted"
    assert state.chance_outcomes(merged=True) == [(1, 1.0)]
    state.apply_chance(6)
    assert state.phase == "launch"
    content["pieces.toml"]["canoe_load"]["units"] = 3
    refuses(RulesetError, (r"pieces.toml.*canoe_load.*units.*a whole number 1 to 2", lambda: Ruleset.load(content)))
