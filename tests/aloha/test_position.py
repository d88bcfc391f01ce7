"""Positions written by hand: what cannot be is refused, and the message names the field and the rule."""

from __future__ import annotations

import json
from typing import Any

import pytest
from refusals import refuses

from hawaii_env.errors import StateError

from .helpers import chapter, game, of, tokens

ALL = [number for number in range(1, 21) if number not in (7, 10, 13, 8)]
NO_TSUNAMI = [number for number in ALL if number != 17]
"""Decks beside the cards that lie face up: all others, and all but the calamity that has struck Maui and Hawai'i."""


def changed(**kw: Any) -> dict[str, Any]:
    fields = json.loads(json.dumps(chapter().view().to_dict()))
    for key, value in kw.items():
        if key in ("red_0", "yellow_1"):
            fields["players"][key].update(value)
            for derived in ("hawaiian", "pool"):
                if derived not in value:
                    fields["players"][key].pop(derived, None)
        else:
            fields[key] = value
    return fields


@pytest.mark.parametrize(("change", "message"), [
    ({"stage": "chapter_4"}, "stage: expected one of prologue"),
    ({"phase": "convert"}, "phase: the chapter_1 has no phase 'convert'"),
    ({"red_0": {"tokens": [20, 11, 0, 0, 0]}}, r"red_0: tokens: 31 Pure Hawaiian tokens, a player has 30 \[SU\]"),
    ({"red_0": {"tokens": [20, -1, 0, 0, 0]}}, "red_0: tokens: expected a whole number from 0 to 30, not -1"),
    ({"red_0": {"tokens": [20, 1]}}, "red_0: tokens: expected 5 whole numbers"),
    ({"red_0": {"points": -1}}, "red_0: points: expected a whole number from 0 to 1000, not -1"),
    ({"yellow_1": {"aloha": -2}}, "yellow_1: aloha: expected a whole number from 0 to 60, not -2"),
    ({"red_0": {"cards": ["prologue monarch"] * 2}}, "red_0: cards: prologue monarch is held by red_0 already"),
    ({"phase": "die", "dice": {"left": [3, 3], "totals": [0, 0]}, "face_up": [None] * 4},
        "red_0: actions: there are no Action tokens in phase die of chapter_1"),
    ({"red_0": {"actions": [0, 4, 0, 0, 0]}}, "red_0: actions: expected a whole number from 0 to 3, not 4"),
    ({"red_0": {"actions": [3, 3, 3, 3, 0]}}, "red_0: actions: 12 Action tokens, 11 at most"),
    ({"phase": "king", "face_up": [None] * 4, "stage": "epilogue"}, "phase: the epilogue has no phase 'king'"),
    ({"red_0": {"commerce": "3"}}, "red_0: commerce: expected a whole number from 0 to 60, not '3'"),
    ({"red_0": {"vote": 1}}, "red_0: vote: there are none before Chapter III"),
    ({"red_0": {"pool": 9}}, "red_0: pool: 9, but tokens on the islands make it 10"),
    ({"red_0": {"gold": 9}}, "players: red_0: fields: expected one of actions, .*not 'gold'"),
    ({"yellow_1": {"cards": ["prologue monarch"]}}, "yellow_1: cards: prologue monarch is held by red_0 already"),
    ({"yellow_1": {"cards": ["chapter_1 maui"]}}, "chapter_1 maui is not given before the end of its stage"),
    ({"yellow_1": {"cards": ["maui"]}}, "yellow_1: cards: expected one of prologue monarch, .*not 'maui'"),
    ({"red_0": {"cards": []}}, "cards: nobody holds prologue monarch"),
    ({"king": "yellow_1"}, "king: the King/Queen token goes with the latest monarch"),
    ({"chiefs": ["red_0", None, None, None, None]}, "chiefs: by the cards they are"),
    ({"to_act": "yellow_1"}, "to_act: red_0 is to act, not yellow_1"),
    ({"order": ["red_0"]}, "order: expected every player once"),
    ({"order": ["red_0", "red_0"]}, "order: expected every player once"),
    ({"yellow_1": {"points": 3}}, "order: more points come first"),
    ({"first": None}, "first: in phase action it is known"),
    ({"face_up": [16, None, None, None]}, "face_up: card 16 is a calamity"),
    ({"face_up": [1, 1, None, None]}, "face_up: card 1 is there twice"),
    ({"face_up": [21, None, None, None]}, "face_up: expected a whole number from 1 to 20, not 21"),
    ({"face_up": [1, None, None, None], "deck": [2]}, "face_up: a slot is empty, and cards are left"),
    ({"deck": [7]}, "deck: card 7 is there twice"),
    ({"phase": "event"}, "phase 'event' draws a card, but no slot is to be filled"),
    ({"migration": ["maui", "oahu"]}, "migration: two islands in phase 'amount', else None"),
    ({"phase": "amount", "migration": ["maui", "oahu"]}, "migration: no tokens are on maui"),
    ({"phase": "amount", "migration": ["kauai", "oahu"]}, "migration: no Action token is on kauai"),
    ({"phase": "amount", "migration": ["oahu", "oahu"]}, "migration: it leads to another island"),
    ({"dice": {"left": [2, 2], "totals": [0, 0]}}, "dice: left and totals in phase 'die', else None"),
    ({"red_0": {"moves": 1}}, "red_0: moves: actions of the Prologue"),
    ({"red_0": {"converted": 1}}, "red_0: converted: only in the Epilogue"),
    ({"players": {}}, "players: red_0 is missing"),
    ({"weather": "fair"}, "fields: expected one of acted, .*not 'weather'"),
])  # fmt: skip
def test_bad_positions_are_rejected(change: dict[str, Any], message: str) -> None:
    refuses(StateError, (message, lambda: game().position(**changed(**change))))


@pytest.mark.parametrize(("dice", "message"), [
    ({"left": [0, 0], "totals": [0, 0]}, "nobody has a die left"),
    ({"left": [3, 0], "totals": [0, 4]}, "cannot be, players roll in order"),
    ({"left": [1, 3], "totals": [13, 0]}, "cannot be"),
    ({"left": [3, 0], "totals": [0, 0]}, "at least two players roll"),
    ({"left": [3]}, "dice: left: expected 2 whole numbers"),
])  # fmt: skip
def test_bad_dice_are_rejected(dice: dict[str, Any], message: str) -> None:
    refuses(StateError, (message, lambda: chapter("chapter_1", "die", dice=dice)))


@pytest.mark.parametrize(("red", "message"), [
    ({"actions": tokens(oahu=1, kauai=1, maui=1)}, "red_0: actions: 1 on maui, where a card or presence gives 0"),
    ({"actions": tokens(oahu=2, kauai=1)}, "red_0: actions: 2 on oahu, where a card or presence gives 1"),
    ({"actions": tokens(kauai=1)}, "red_0: actions: 0 on oahu, where a card or presence gives 1"),
    ({"actions": tokens(oahu=1, kauai=1), "cards": ["prologue oahu"]}, "actions: 1 on oahu, .* gives 2"),
])  # fmt: skip
def test_bad_action_tokens_are_rejected(red: dict[str, Any], message: str) -> None:
    """Before the King/Queen token is placed nobody has acted: Action tokens lie as they were given, not where nobody
    is; later they may, where one has left [R-21].
    """
    assert chapter("chapter_1", "king").view().players["red_0"].actions == (1, 1, 0, 0, 0)
    refuses(StateError, (message, lambda: chapter("chapter_1", "king", red=red)))


@pytest.mark.parametrize(("red", "deck", "message"), [
    ({"actions": tokens(maui=1), "monarch": 1}, ALL, "red_0: actions: 1 on maui, where at most 0 can be left"),
    ({"actions": tokens(maui=2)}, ALL, "red_0: actions: 2 on maui, where at most 1 can be left, as nobody of his is"),
    ({"actions": tokens(maui=1, hawaii=1)}, ALL, r"red_0: actions: 1 on hawaii, where at most 0 can .* \[AD, R-21\]"),
    ({"actions": tokens(maui=3), "cards": ["prologue maui"]}, ALL, "3 on maui, where at most 2 can be left"),
    ({"actions": tokens(maui=2), "monarch": 1}, NO_TSUNAMI, "2 on maui, where at most 1 can be left"),
    ({"actions": tokens(molokai=1), "monarch": 1}, NO_TSUNAMI, "1 on molokai, where at most 0 can be left"),
    ({"actions": tokens(oahu=2), "monarch": 1}, ALL, r"2 on oahu, where at most 1 are given \[AD\]"),
    ({"actions": tokens(oahu=2, kauai=2)}, ALL, "2 on oahu, where at most 1 are given"),
    ({"actions": tokens(oahu=3)}, ALL, "3 on oahu, where at most 2 are given"),
    ({"actions": tokens(maui=1)}, ALL, None),  # the King/Queen token's, one was used to leave
    ({"actions": tokens(maui=2), "cards": ["prologue maui"]}, ALL, None),
    ({"actions": tokens(maui=1), "monarch": 1}, NO_TSUNAMI, None),  # it took his last token there
    ({"actions": tokens(oahu=3), "cards": ["prologue oahu"]}, ALL, None),
])  # fmt: skip
def test_action_tokens_where_nobody_is(red: dict[str, Any], deck: list[int], message: str | None) -> None:
    """[AD, R-21] No more than were given; where their owner is not, no more than he can have left there."""
    given = {"monarch": red.pop("monarch", 0), "red": red, "face_up": [7, 10, 13, 8], "deck": deck}
    if message is None:
        assert of(chapter(**given)).actions == tuple(red["actions"])
    else:
        refuses(StateError, (message, lambda: chapter(**given)))


def test_bad_settlers_are_rejected() -> None:
    """Settlers come in order, 20 to an island each."""
    fields = {"stage": "prologue", "phase": "settle", "first": "red_0"}
    for own, message in (([0, 0, 0, 0, 19], "20 of each"), ([20, 0, 0, 0, 0], None)):
        players = {"red_0": {"tokens": own, "moves": 2}, "yellow_1": {"tokens": tokens(), "moves": 2}}
        if message is None:
            assert game().position(**fields, players=players).current_player == 1
        else:
            with pytest.raises(StateError, match=message):
                game().position(**fields, players=players)
