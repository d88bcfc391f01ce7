"""The SVG of Hawaii, 1795: well formed, complete, a function of the view alone, with every legal action on it."""

from __future__ import annotations

import json
import math
import re
from html import escape
from importlib import resources
from typing import Any
from xml.etree import ElementTree

import pytest
from moves import walk

from hawaii_env import games
from hawaii_env.game import Chance, Decision
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.pictures import svg
from hawaii_env.hawaii1795.pictures.counters import groups
from hawaii_env.hawaii1795.pictures.legal import highlights
from hawaii_env.hawaii1795.pictures.names import piece_of, recruit_words, recruits_phrase, type_of
from hawaii_env.hawaii1795.pictures.panels import CARD_LINE
from hawaii_env.hawaii1795.pictures.phrases import last_phrase, question, wrap
from hawaii_env.render.picture import render_svg
from hawaii_env.texts import spell
from tests.toy import ToyGame

GAME = Game()
SPACES = {"kona", "hilo", "maui", "molokai", "waikiki", "koolau", "kauai"}


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def with_data(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if name in element.attrib]


def counted(root: ElementTree.Element) -> dict[tuple[str, str, str], int]:
    return {
        (e.attrib["data-side"], e.attrib["data-place"], e.attrib["data-piece"]): int(e.attrib["data-count"])
        for e in with_data(root, "data-piece")
    }


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_position_of_a_game_is_whole(seed: int) -> None:
    phases: set[str] = set()
    for _, _, state in walk(GAME, seed):
        view = state.view()
        legal = {action: GAME.action_text(action) for action in state.legal_actions()}
        root = parsed(svg(view, legal, events=state.trace or ()))
        phases.add(view.phase)
        shown = counted(root)
        assert sum(shown.values()) == 39, view
        for side, places in view.units.items():
            for place, pieces in places.items():
                for text in set(pieces):
                    assert shown[side, place, text] == pieces.count(text)
        lit = " ".join(e.attrib["data-actions"] for e in with_data(root, "data-actions")).split()
        assert set(map(int, lit)) == set(legal), (view.phase, set(legal.values()))
        assert {
            e.attrib["data-space"] for e in root.iter() if e.attrib.get("class", "").split()[:1] == ["space"]
        } == SPACES
        now = [e.attrib["data-turn"] for e in root.iter() if e.attrib.get("class") == "turn now"]
        assert now == [view.turn]
        left = {e.attrib["data-side"]: int(e.attrib["data-left"]) for e in with_data(root, "data-left")}
        assert left == {side: len(numbers) for side, numbers in view.decks.items()}
        held = [e.attrib["data-card"] for e in root.iter() if e.attrib.get("class", "").startswith("held")]
        assert held == view.held
        assert [e.attrib["data-decider"] for e in with_data(root, "data-decider")] == [str(view.decider)]
        assert len(with_data(root, "data-battle")) == (view.battle is not None and view.field is not None)
    assert {"recruiting", "movement", "hit_die", "over"} <= phases


def test_a_picture_depends_on_the_view_alone() -> None:
    state = GAME.initial_state(seed=3)
    for _ in range(12):
        state.apply(state.legal_actions()[-1])
    text = svg(state.view())
    assert svg(state.clone(seed=99).view()) == text
    assert svg(json.loads(json.dumps(state.view().to_dict()))) == text
    assert svg(state.view()) == text


def test_letters_are_legible_at_800_pixels() -> None:
    # 1000 units are drawn 800 pixels wide, so 14 units are 11.2 pixels.
    for _, _, state in walk(GAME, 4):
        sizes = [
            float(size) for size in re.findall(r'font-size="([\d.]+)"', svg(state.view(), events=state.trace or ()))
        ]
        assert min(sizes) >= 14


def test_sides_and_panic_differ_without_colour() -> None:
    view = GAME.initial_state(chance="explicit").view().to_dict()
    view["units"]["allied"]["maui"] = ["maui_warrior", "maui_warrior/panicked", "maui_canoe"]
    text = svg(view)

    def outline(side: str, piece: str) -> str:
        block = re.search(rf'data-side="{side}" data-piece-kind="\w+" data-piece="{piece}".*?</title>(.*?)</g>', text)
        assert block is not None
        return block[1]

    assert outline("kamehameha", "kamehameha").startswith("<rect ")
    assert outline("allied", "maui_warrior").startswith("<path ")
    assert outline("neutral", "kauai_canoe").startswith("<circle ")
    panicked, calm = outline("allied", "maui_warrior/panicked"), outline("allied", "maui_warrior")
    assert "stroke-dasharray" in panicked and "rotate(" in panicked
    assert "stroke-dasharray" not in calm and "rotate(" not in calm


@pytest.mark.parametrize("space", sorted(SPACES))
def test_all_kinds_of_canoe_and_a_fleet_fit_beside_a_space(space: str) -> None:
    view = GAME.initial_state(seed=1).view().to_dict()
    view["units"] = {
        "kamehameha": {space: ["canoe"], f"sea/{space}": ["kamehameha", "john_young", "pike", "warrior_1", "canoe"]},
        "allied": {space: ["oahu_canoe", "oahu_canoe", "maui_canoe", "kauai_canoe"]},
        "neutral": {},
    }
    for place, number in ((space, 4), (f"sea/{space}", 5)):
        places: list[tuple[float, float]] = []
        for element in with_data(parsed(svg(view)), "data-piece"):
            if element.attrib["data-place"] == place:
                found = re.match(r"translate\(([\d.]+),([\d.]+)\)", element.attrib["transform"])
                assert found
                places.append((float(found[1]), float(found[2])))
        assert len(places) == number
        # The counters with their rings: within the sea, and apart.
        assert all(18 <= x <= 982 and 88 <= y <= 586 for x, y in places), places
        assert min(math.dist(a, b) for n, a in enumerate(places) for b in places[:n]) >= 40


def test_groups_stand_in_order_and_are_counted() -> None:
    pieces = ["canoe", "warrior_2/carried", "warrior_2", "kamehameha", "warrior_2", "warrior_2/panicked", "vancouver"]
    found = groups("kamehameha", "kona", pieces, GAME.ruleset)
    assert [(g.text, g.count) for g in found] == [
        ("kamehameha", 1),
        ("vancouver", 1),
        ("warrior_2", 2),
        ("warrior_2/carried", 1),
        ("warrior_2/panicked", 1),
        ("canoe", 1),
    ]


@pytest.mark.parametrize(
    ("side", "kind", "wanted"),
    [
        ("kamehameha", "kamehameha", "leader"), ("kamehameha", "royal_guard", "guard"),
        ("kamehameha", "vancouver", "cannon"),
        ("allied", "musketeer", "musket"), ("allied", "pike", "pike"), ("neutral", "kauai_warrior", "warrior"),
        ("allied", "kauai_canoe", "canoe"),
    ],
)  # fmt: skip
def test_types(side: str, kind: str, wanted: str) -> None:
    assert type_of(piece_of(kind, side, GAME.ruleset)) == wanted


def test_highlights_name_actions_by_text_or_by_number() -> None:
    state = GAME.position(
        turn="april",
        half="kamehameha",
        phase="movement",
        fleet_moves=1,
        units={
            "kamehameha": {"kona": ["kamehameha", "warrior_2", "warrior_2/carried", "canoe"]},
            "allied": {"waikiki": ["kalani"]},
        },
    )
    legal = {action: GAME.action_text(action) for action in state.legal_actions()}
    numbers, texts = highlights(state.view().to_dict(), legal), highlights(state.view().to_dict(), legal.values())
    assert texts.buttons == {"done": ["done"]}
    assert [legal[int(a)] for a in numbers.spaces["hilo"]] == texts.spaces["hilo"]
    assert texts.pieces["kamehameha", "kona", "warrior_2"] == ["march warrior_2 kona hilo"]
    assert texts.pieces["kamehameha", "kona", "warrior_2/carried"] == ["march warrior_2/carried kona hilo"]
    assert texts.pieces["kamehameha", "kona", "canoe"] == ["fleet kona"]
    assert not with_data(parsed(svg(state.view())), "data-actions")


def test_the_last_dice_and_the_last_move_are_shown() -> None:
    view = GAME.initial_state(chance="explicit").view()
    volley = [
        Decision(0, 0, "fire vancouver"),
        Chance("hit_die", 2, "hit 2: no effect"),
        Chance("hit_die", 6, "hit 6: elimination"),
    ]
    root = parsed(svg(view, events=volley))
    assert [e.attrib["data-face"] for e in with_data(root, "data-face")] == ["2", "6"]
    fleet = [
        Decision(0, 0, "fleet kona"),
        Decision(0, 0, "pickup hilo"),
        Decision(0, 0, "embark pike"),
        Decision(0, 0, "sail maui"),
    ]
    assert svg(view, events=fleet).count('class="arrow moved"') == 2
    assert svg(view, events=[Decision(0, 0, "march pike kona hilo")]).count('class="arrow moved"') == 1
    assert "arrow" not in svg(view)


def test_words() -> None:
    assert (
        spell("Hawai'i, O'ahu, Ko'olau, Kaua'i's 'Aiea; Discovery's Guns")
        == "Hawaiʻi, Oʻahu, Koʻolau, Kauaʻi’s ʻAiea; Discovery’s Guns"
    )
    sailed = [Decision(1, 0, "sail koolau"), Decision(1, 0, "done", forced=True)]
    assert last_phrase(sailed, GAME.ruleset) == "Allies: the fleet sails to Koʻolau"
    assert (
        last_phrase([Chance("card", 9, "kamehameha draws ku_snatcher_of_islands")], GAME.ruleset)
        == "Kamehameha draws Kū, Snatcher of Islands"
    )
    assert last_phrase([], GAME.ruleset) == ""
    assert wrap("one two three", 7, 5) == ["one two", "three"]
    assert wrap("one two three four", 7, 1) == ["one tw…"]
    for _, _, state in walk(GAME, 5):
        assert question(state.view().to_dict(), GAME.ruleset)[0].isupper()


def test_the_board_in_text_says_who_retreats() -> None:
    """A beaten army has no space that it leaves, and canoes that are driven off no name."""
    said = {line for _, _, state in walk(GAME, 4) for line in str(state).split("\n") if line.startswith("retreat: ")}
    assert "retreat: attackers" in said and any(line.startswith("retreat: canoes from ") for line in said), said


def test_every_card_of_the_shipped_set_is_shown_whole() -> None:
    for card in GAME.ruleset.cards:
        assert not any(line.endswith("…") for line in wrap(spell(card.text), CARD_LINE, 5)), card.title


def test_what_cards_bring_stands_beside_their_fleets() -> None:
    pytest.importorskip("PIL", reason="the extra render")
    from PIL import ImageFont

    font = ImageFont.truetype(str(resources.files("hawaii_env.render").joinpath("data/FiraSans-Regular.ttf")), 140)
    state = GAME.initial_state(seed=1)
    for number, card in enumerate(GAME.ruleset.cards):
        side = "kamehameha" if number < 9 else "allied"
        words = [words for _, words in recruit_words(card.recruit, side, GAME.ruleset, one=False)]
        view = {**state.view().to_dict(), "card": GAME.ruleset.card_ids[number], "dealt": True}
        drawn = svg(view)
        ends = [
            float(found[1]) + font.getlength(part) / 10
            for part in words
            if (found := re.search(rf'x="([\d.]+)" y="(?:195|212)"[^>]*>{re.escape(escape(part))}<', drawn))
        ]
        fleets = re.search(rf'<title>fleet moves</title><g transform="translate\(([\d.]+),.*?>× {card.fleets}<', drawn)
        assert len(ends) == len(words) and fleets
        assert max(ends) <= float(fleets[1]) - 10, card.title
    assert (
        recruits_phrase({"canoe": 1, "warrior": 2, "pike": 1}, "allied", GAME.ruleset) == "1 canoe, 2 warriors, Pikes"
    )


def test_names_come_from_the_ruleset_and_are_escaped() -> None:
    content = json.loads(json.dumps(GAME.ruleset.content))
    content["map.toml"]["spaces"]["waikiki"]["name"] = "Kona & <Hilo>"
    game = Game(rules=content)
    text = render_svg(game.initial_state(seed=1))
    assert "Kona &amp; &lt;Hilo&gt;" in text
    parsed(text)


def test_a_game_without_a_picture_gets_a_page_of_text() -> None:
    state = ToyGame().initial_state(seed=1, trace=True)
    root = parsed(render_svg(state, legal=True, width=400))
    words = " ".join(element.text or "" for element in root.iter())
    assert "tides" in words and "round" in words and "bid 1" in words
    assert root.attrib["width"] == "400"


def test_a_game_can_bring_its_own_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def draw(view: Any, **more: Any) -> str:
        seen.append((view, more))
        return "<svg/>"

    monkeypatch.setattr(games, "_registered", {})
    games.register(games.GameSpec(name="tides", title="Tides", game=ToyGame, picture=draw))
    state = ToyGame().initial_state(seed=1)
    assert render_svg(state, legal=True) == "<svg/>"
    view, more = seen[0]
    assert (
        view == state.view()
        and more["game"] is state.game
        and set(more["legal"].values()) <= {"bid 1", "bid 2", "bid 3"}
    )
