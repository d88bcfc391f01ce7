"""Every event card does what its table says: held against the data as they stand in the files, not as the rules read
them.
"""

from __future__ import annotations

from typing import Any

import pytest
from moves import play, texts

from hawaii_env.aloha.ruleset import Ruleset

from .helpers import ISLANDS, chapter, have, of

CARDS = [
    (stage, name, card)
    for stage in ("chapter_1", "chapter_2", "chapter_3")
    for name, card in Ruleset.load().content[f"{stage}.toml"].items()
    if name != "source"
]
RICH = {"tokens": [4] * 5, "commerce": 9, "aloha": 9}


def own(stage: str) -> dict[str, Any]:
    """Enough of everything that there is in a stage."""
    return {**RICH, ("vote" if stage == "chapter_3" else "warrior"): 9}


def after(before: dict[str, int], card: dict[str, Any], gains: bool, pays: int) -> dict[str, int]:
    return {
        name: n + (card.get("receives", {}).get(name, 0) if gains else 0) - pays * card.get("pays", {}).get(name, 0)
        for name, n in before.items()
    }


def test_there_are_sixty() -> None:
    assert len(CARDS) == 60 and len({card["title"] for _, _, card in CARDS}) == 60
    kinds = [card["kind"] for _, _, card in CARDS]
    assert [kinds.count(kind) for kind in ("event", "calamity", "calamity_opponents")] == [45, 9, 6]


@pytest.mark.parametrize(("stage", "name", "card"), CARDS, ids=[name for _, name, _ in CARDS])
def test_c2e_card(stage: str, name: str, card: dict[str, Any]) -> None:
    """[C2e] A card is legal on its Active islands alone, gives and takes what it says; a calamity strikes on each of
    its islands.
    """
    player = own(stage)
    if card["kind"] == "calamity":
        spare = [n for n in range(1, 21) if n not in (card["number"], 16, 17, 18)][:4]
        state = chapter(
            stage, "event", red=player, yellow=player, face_up=[*spare[:3], None], deck=[card["number"], spare[3]]
        )
        before = [have(state, p) for p in (0, 1)]
        play(state, card["number"])
        assert [have(state, p) for p in (0, 1)] == [after(b, card, False, len(card["islands"])) for b in before]
        assert state.view().face_up == (*spare[:3], None)
        return
    mine = {**player, "actions": [1] * 5}
    face_up = [card["number"], None, None, None]
    start = chapter(stage, red=mine, yellow={**player, "actions": [0] * 5}, face_up=face_up)
    assert [text for text in texts(start) if text.startswith("event")] == [
        f"event 1 {island}" for island in ISLANDS if island in card["islands"]
    ]
    for island in card["islands"]:
        state = play(start.clone(), f"event 1 {island}")
        opponents = card["kind"] == "calamity_opponents"
        assert have(state) == after(have(start), card, True, int(not opponents))
        assert have(state, 1) == after(have(start, 1), card, False, int(opponents))
        at = ISLANDS.index(island)
        paid = card.get("pays", {}).get("hawaiian", 0)
        moved = card.get("receives", {}).get("hawaiian", 0) - (0 if opponents else paid)
        assert of(state).tokens[at] == 4 + moved and of(state, 1).tokens[at] == 4 - (paid if opponents else 0)
        assert state.view().face_up == (None,) * 4
    if card["kind"] == "event" and card.get("pays"):
        poor = chapter(stage, red={"actions": [1] * 5, "tokens": [0] * 5}, yellow={"actions": [0] * 5}, face_up=face_up)
        assert not [text for text in texts(poor) if text.startswith("event")]
