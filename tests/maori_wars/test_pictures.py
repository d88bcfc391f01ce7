"""How Maori Wars looks: map, counters, names, panels, the board as text. All is drawn from the view."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from typing import Any

import pytest

from hawaii_env.maori_wars.pictures.chart import chart_of
from hawaii_env.maori_wars.pictures.labels import name_layers, overlap
from hawaii_env.maori_wars.pictures.names import chit_effect, counted, initials, level_of, month
from hawaii_env.maori_wars.pictures.picture import drawing
from hawaii_env.maori_wars.pictures.text import board_text
from hawaii_env.maori_wars.ruleset import Ruleset
from hawaii_env.maori_wars.setup import set_up_owners
from hawaii_env.render.layers import Box, joined

RULES = Ruleset.load()
SCENARIOS = tuple(RULES.scenarios)


def view_of(scenario: str, **changes: Any) -> dict[str, Any]:
    """The view of a scenario's start."""
    one, pieces = RULES.scenarios[scenario], []
    for line in one.setup:
        owner = set_up_owners(RULES.board, RULES.units, line)[0]
        kinds = [kind for kind, n in line.units.items() for _ in range(n)] + ["neutral"] * line.neutral
        pieces += [piece(kind, owner, line.at) for kind in (*kinds, *line.leaders)]
    view = {
        "scenario": scenario, "turn": 1, "half": "maori", "phase": "movement", "step": "move", "decides": "maori",
        "marker": 0, "pieces": pieces, "taken": [], "sap": None, "aside": [], "out": {}, "forts_built": 0,
        "structures": {line.at: line.structure for line in one.setup if line.structure},
        "boxes": {owner: dict(box) for owner, box in one.box.items()}, "cup": list(RULES.chits_of(scenario)),
        "combat": None, "about": None, "result": None, "winner": None,
    }  # fmt: skip
    return view | changes


def piece(kind: str, owner: str, at: str, disrupted: bool = False, origin: str | None = None) -> dict[str, Any]:
    did = ["participant"] if origin else []
    return {"kind": kind, "owner": owner, "at": at, "disrupted": disrupted, "did": did, "origin": origin}


def combat_of(**changes: Any) -> dict[str, Any]:
    """An attack on Huirangi from New Plymouth and Waitara, with artillery."""
    view = view_of("taranaki", phase="combat", step="participants", half="british", decides="british", **changes)
    view["combat"] = {"target": "1134", "chit": 22, "gun": [one["kind"] for one in view["pieces"]].index("artillery")}
    for one in view["pieces"]:
        if one["at"] in ("1033", "1133") and one["kind"] in ("infantry", "naval"):
            one |= {"did": ["participant"], "origin": one["at"]}
    return view


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_hex_and_piece_is_drawn(scenario: str) -> None:
    """A well-formed document with each hex of the theatre, each piece, structure and town."""
    view = view_of(scenario)
    root = ElementTree.fromstring(drawing(view, RULES).svg())
    spaces = [e.get("data-space") for e in root.iter() if e.get("class") == "space"]
    assert spaces == list(RULES.theatre(scenario).hexes)
    pieces = [e for e in root.iter() if (e.get("class") or "").startswith("piece")]
    on_map = [e for e in pieces if not str(e.get("data-place")).startswith("box/")]
    assert sum(int(e.get("data-count") or 0) for e in on_map) == len(view["pieces"])
    stands = {e.get("data-place"): e.get("data-structure") for e in root.iter() if e.get("class") == "structure"}
    shown = view["structures"]
    towns = {at: "town" for at in RULES.board.towns if at in RULES.theatre(scenario).number}
    assert stands == towns | shown


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_texts_can_be_read(scenario: str) -> None:
    """No letter but numbers of hexes is below 12 pixels; the least theatre is 1,000 pixels wide, the largest 1,600."""
    made = drawing(view_of(scenario), RULES)
    numbers, svg = re.findall(r'<g class="hex-numbers" font-size="([\d.]+)"', made.svg()), made.svg()
    sizes = sorted(float(size) for size in re.findall(r'font-size="([\d.]+)"', svg))
    assert sizes[1] >= 12 and [f"{sizes[0]:g}"] in (numbers, ["12"]) and sizes[0] >= 10
    assert made.width == {"taranaki": 1000}.get(scenario, made.width) and made.width <= 1640


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_names_do_not_overlap(scenario: str) -> None:
    """No name covers another, and all towns have theirs."""
    chart = chart_of(RULES, RULES.scenarios[scenario].theatre)
    svg = joined(name_layers(chart))
    boxes: list[Box] = []
    found = re.findall(r'x="([\d.]+)" y="([\d.]+)" font-size="([\d.]+)".*?text-anchor="(\w+)".*?>([^<]+)<', svg)
    for x, y, size, anchor, words in found:
        wide = 0.5 * float(size) * len(words)
        left = float(x) - {"middle": wide / 2, "start": 0, "end": wide}[anchor]
        boxes.append(Box(left, float(y) - 0.8 * float(size), wide, float(size)))
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
    towns = {RULES.board.hex_name(at) for at in RULES.board.towns if at in chart.hexes}
    named = {words for *_, words in found}
    assert all(any(town.startswith(name) for name in named) for town in towns)
    assert len(named) > 0.8 * len({RULES.board.hex_name(at) for at in chart.hexes if at in RULES.board.places})


def test_what_can_be_chosen_can_be_clicked() -> None:
    """Hexes, pieces, and in a combat the sides of its target."""
    legal = {3: "from 1134", 4: "from 1034", 7: "unit militia", 8: "with nw all", 9: "with nw artillery", 10: "done"}
    root = ElementTree.fromstring(drawing(combat_of(), RULES, legal).svg())
    acts = {
        e.get("data-space") or e.get("data-place"): e.get("data-actions") for e in root.iter() if e.get("data-actions")
    }
    assert (acts["1134"], acts["1034"], acts["1033"], acts["0934"]) == ("3", "4", "8 9", "7")


def test_a_combat_is_narrated() -> None:
    """Target, participants, gun and chit stand beside the map; the picture keeps its size."""
    made = drawing(combat_of(aside=[4], out={"pratt": 1}, marker=-6), RULES)
    svg = made.svg()
    for said in ("Target: Huirangi (1134)", "from New Plymouth: 2 infantry", "Damp Powder", "Lost: Thomas Pratt"):
        assert said in svg
    assert "6 points for Māori: major victory<" in svg
    assert (made.width, made.height) == (1000, drawing(view_of("taranaki"), RULES).height)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_board_as_text(scenario: str) -> None:
    """At most 80 columns; every structure and piece is named with its hex."""
    text = board_text(view_of(scenario), RULES)
    assert max(map(len, text.split("\n"))) <= 80
    for line in RULES.scenarios[scenario].setup:
        assert re.search(rf"^  {line.at}.*:", text, re.MULTILINE)
    assert all(RULES.leaders[one].name.split()[0] in text for s in RULES.scenarios[scenario].setup for one in s.leaders)


def test_the_text_of_a_disrupted_and_hidden_position() -> None:
    """Disrupted pieces, taken towns, the bush and a combat are told."""
    view = combat_of(taken=["1033"], marker=2)
    view["pieces"] = [piece("warrior", "maori", at, disrupted=True) for at in ("1134", "taranaki")]
    view["combat"] = {"target": "1134"}
    text = board_text(view, RULES)
    assert "1134 Huirangi: pā, 1 Māori warrior (Disrupted)" in text and "Pm1!" in text
    assert "in the bush: 1 Māori warrior (Disrupted)" in text and "New Plymouth: town (taken)" in text
    assert "Huirangi (1134) is attacked" in text and "2 points for the British (minor victory of the British)" in text


def test_words() -> None:
    """Months, levels, initials, counted units and effects of chits."""
    assert (month("1860-03", 1), month("1845-11", 2)) == ("March 1860", "January 1846")
    assert [level_of(RULES, n) for n in (1, -2, 8, -9)] == [
        "tie", "minor victory of Māori", "major victory of the British", "decisive victory of Māori",
    ]  # fmt: skip
    assert counted(RULES, "warrior", 1) == "1 Māori warrior" and counted(RULES, "heke", 1) == "Hōne Heke"
    assert initials("Wiremu Kīngi Te Rangitāke") == "WK" and initials("Pōmare II") == "PŌ"
    effects = {chit.n: chit_effect(RULES, chit) for chit in RULES.chits}
    assert effects[5] == "Nothing happens" and effects[22] == "Attack -1, counter-attack -1"
    assert effects[2] == "If the British player attacks and the attacker has Rangers: attack +1"
    assert effects[32] == "A leader of the defender falls on 5 or 6"
    assert effects[40] == "If the British player attacks: 1 point for Māori"
    assert effects[13] == (
        "If the British player attacks and the target is rough: counter-attack 1 column to the right"
    )
