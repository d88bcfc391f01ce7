"""The public test cases of retreats and builds (DATC 6.H, 6.I, 6.B.14), by their numbers.

On the standard board: who is dislodged, and where it may go by section 4.6 of the design, given what the adjudicator
says is occupied, contested and the attacker's. What the game itself asks and does is tested on the game's own board.
"""

from __future__ import annotations

import pytest
from heiau_referee.board import Unit, space_of
from moves import play, texts

from . import boards
from .helpers import Phase, position, shown
from .standard import STANDARD

VIENNA = "A: A bud S A tri - vie|A: A tri - vie|I: A vie H"
HOLLAND = "E: F nth H|E: A hol H|G: F kie S A ruh - hol|G: A ruh - hol"
NORTH = (
    "E: A lvp - edi|E: F yor S A lvp - edi|E: F nwy H|G: A kie S A ruh - hol|G: A ruh - hol|R: F edi H|R: A swe S A "
    "fin - nwy|R: A fin - nwy|R: F hol H"
)
GASCONY = (
    "F: A gas - mar via|F: A bur S A gas - mar|F: F mao C A gas - mar|F: F wes C A gas - mar|F: F lyo C A gas - mar"
)
EDINBURGH = (
    "E: A lvp - edi via|E: F iri C A lvp - edi|E: F eng C A lvp - edi|E: F nth C A lvp - edi|F: F bre - eng|F: F mao S "
    "F bre - eng|R: A edi - lvp via|R: F nwg C A edi - lvp|R: F nao C A edi - lvp|R: A cly S A edi - lvp"
)

# Of each case: the orders, and for each dislodged unit where it may go and where not.
CASES: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "6.F.7": (
        "E: F nth C A lon - hol|E: A lon - hol via|G: F hel S F ska - nth|G: F ska - nth",
        {"nth": ("hol", "ska")}),
    "6.H.1": (
        "A: F tri H|A: A ser H|T: F gre H|I: A ven S A tyr - tri|I: A tyr - tri|I: F ion - gre|"
        "I: F aeg S F ion - gre",
        {"tri": ("alb", "ven"), "gre": ("alb", "ion")}),
    "6.H.2": (NORTH, {"nwy": ("nth", "fin"), "edi": ("nth", "lvp"), "hol": ("nth", "kie")}),
    "6.H.3": (HOLLAND, {"hol": ("bel", "yor ruh")}),
    "6.H.4": (HOLLAND, {"hol": ("bel", "kie")}),
    "6.H.5": ("R: F con S F bla - ank|R: F bla - ank|T: F ank H", {"ank": ("arm", "bla con")}),
    "6.H.6": (f"{VIENNA}|G: A mun - boh|G: A sil - boh", {"vie": ("gal tyr", "boh tri bud")}),
    "6.H.7": (
        f"{VIENNA}|G: A mun S A sil - boh|G: A sil - boh|I: A boh H",
        {"vie": ("tyr", "tri boh"), "boh": ("tyr", "sil vie mun")}),
    "6.H.8": (NORTH, {"nwy": ("nth", "swe"), "edi": ("nth", "yor"), "hol": ("nth", "kie")}),
    "6.H.9": (
        "E: F hel - kie|E: F den S F hel - kie|G: A ber - pru|G: F kie H|G: A sil S A ber - pru|"
        "R: A pru - ber",
        {"kie": ("ber", "hel den"), "pru": ("lvn war", "ber")}),
    "6.H.10": (
        "E: A kie H|G: A ber - kie|G: A mun S A ber - kie|G: A pru H|R: A war - pru|R: A sil S A war - pru",
        {"kie": ("ruh", "ber"), "pru": ("ber", "war")}),
    "6.H.11": (f"{GASCONY}|I: A mar H", {"mar": ("gas", "bur")}),
    "6.H.12": (EDINBURGH, {"lvp": ("edi wal", "cly"), "eng": ("bel", "bre")}),
    "6.H.13": (
        "E: A pic H|E: F eng C A pic - lon|F: A par - pic|F: A bre S A par - pic",
        {"pic": ("bel bur", "lon par bre")}),
    "6.H.14": (
        "E: A pic H|E: F eng S A pic - bel|F: A par - pic|F: A bre S A par - pic|F: A bur H|"
        "G: A mun S A mar - bur|G: A mar - bur",
        {"pic": ("bel", "par bur"), "bur": ("bel", "mar")}),
    "6.H.15": ("E: F por H|F: F spa/sc - por|F: F mao S F spa - por", {"por": ("", "spa/nc spa/sc mao")}),
    "6.H.16": (
        "F: F mao - spa/nc|F: F gas - spa/nc|F: F wes H|I: F tun S F tys - wes|I: F tys - wes",
        {"wes": ("lyo naf", "spa/sc mao tys")}),
}  # fmt: skip


@pytest.mark.parametrize("number", CASES)
def test_where_a_unit_may_retreat(number: str) -> None:
    """[Background, R-15] The case's dislodged units, and some places that are open or closed to them."""
    orders, expected = CASES[number]
    phase = Phase(orders.replace("|", "\n"), STANDARD)
    found = boards.from_engine(STANDARD, phase.result, phase.powers)
    assert set(found["dislodged"]) == set(expected)
    for space, (text, source) in found["dislodged"].items():
        power, kind, place = text.split()
        closed = set(found["units"]) | found["contested"] | {source}
        refuges = {to for to in boards.STANDARD.reach(Unit(kind, power, place)) if space_of(to) not in closed}
        may, may_not = (set(words.split()) for words in expected[space])
        assert may <= refuges and not may_not & refuges


def test_retreats_to_one_space() -> None:
    """[R-16] 6.H.1, 6.H.2, 6.H.7, 6.H.8: two or three that go to one space are disbanded; nothing helps them there."""
    state = position(
        "heart",
        {"dusk": ["B lanai", "B lahaina", "B honuaula"], "morning": ["B kahului"]},
        phase="retreats",
        dislodged=[
            {"unit": "B lanai", "power": "dawn", "from": "kalohi"},
            {"unit": "B lahaina", "power": "morning", "from": "pailolo"},
            {"unit": "B honuaula", "power": "afternoon", "from": "hana"},
        ],
    )
    two = state.clone()
    for one, last in ((state, "retreat auau"), (two, "retreat alalakeiki")):
        for text in ("retreat auau", "retreat auau", last):
            # 6.H.3, 6.H.4: no supports, no convoys, and nobody else is asked.
            assert all(told.startswith("retreat ") or told == "disband" for told in texts(one))
            play(one, text)
    stayed = ["dusk B honuaula", "dusk B lahaina", "dusk B lanai", "morning B kahului"]
    assert shown(state) == stayed
    assert shown(two) == sorted([*stayed, "afternoon B alalakeiki"])


def test_builds() -> None:
    """[Winter, Fleets] 6.I.2: armies only; 6.I.6: on any heiau that is owned, wherever the power began."""
    state = position(
        "duel",
        {"dawn": ["B kalohi"], "dusk": ["B auau"]},
        season="fall",
        phase="adjustments",
        owners={"lanai": "dawn", "hilo": "dawn", "niihau": "dawn"},
    )
    assert set(texts(state)) == {"build lanai", "build hilo", "build niihau", "done"}
    play(state, "build hilo", "build niihau")
    assert "dawn A hilo" in shown(state) and "dawn A niihau" in shown(state)


def test_builds_are_asked_one_by_one() -> None:
    """[Winter, R-17] 6.I.1: none beyond the need; 6.I.3, 6.I.5: on own heiaus alone, where no unit stands; 6.I.4: on
    whichever coast; 6.I.7: one in each.
    """
    state = position(
        "duel",
        {"dawn": ["B kalohi", "B makanalua/n"], "dusk": ["B auau", "A lahaina"]},
        season="fall",
        phase="adjustments",
        owners={"lanai": "dawn", "hilo": "dawn", "niihau": "dawn", "makanalua": "dawn", "lahaina": "dusk"},
    )
    assert set(texts(state)) == {"build lanai", "build hilo", "build niihau", "done"}  # two of three
    play(state, "build hilo")
    assert set(texts(state)) == {"build lanai", "build niihau", "done"}
    play(state, "build niihau", "remove lahaina")
    units = shown(state)
    assert {"dawn A hilo", "dawn A niihau"} <= set(units) and "dawn A lanai" not in units


def test_removals_are_asked_one_by_one() -> None:
    """[Winter, R-18] 6.J.1: none beyond the need; 6.J.2: no unit twice."""
    state = position(
        "duel",
        {"dawn": ["B kalohi", "A hilo", "A puna"], "dusk": ["B auau"]},
        season="fall",
        phase="adjustments",
        owners={"lanai": "dawn", "lahaina": "dusk"},
    )
    assert set(texts(state)) == {"remove kalohi", "remove hilo", "remove puna"}
    play(state, "remove hilo")
    assert set(texts(state)) == {"remove kalohi", "remove puna"}
    play(state, "remove kalohi")
    assert state.phase == "orders" and shown(state) == ["dawn A puna", "dusk B auau"]


def test_boats_need_a_coast() -> None:
    """[Map] 6.B.14: here it is boats, built in a space with two coasts, that have to name one."""
    state = position("duel", {"dawn": ["A makanalua"], "dusk": ["B auau"]}, owners={"makanalua": "dawn"})
    assert {text for text in texts(state) if text.startswith("boats")} == {"boats/n", "boats/s"}
