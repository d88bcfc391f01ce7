"""Campaign cards: draw, instructions, events [8.0, 8.1, 8.2]. Each card by itself is in test_cards.py."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from engine.helpers import numbers_of

from hawaii_env.game import CHANCE, Chance
from hawaii_env.hawaii1795.game import State

from .helpers import (
    GAME,
    A,
    K,
    advantage,
    at,
    battle,
    box,
    choices,
    do,
    drawn,
    end_of_half,
    fleet,
    forced,
    fought,
    idle,
    moving,
    pieces,
    texts,
    traced,
    variant,
)

HOME_K, HOME_A = {"kona": ["kamehameha"]}, {"waikiki": ["kalani"]}


@pytest.mark.parametrize("half", [K, A])
def test_8_0_the_top_card_is_drawn_blind(half: str) -> None:
    """[8.0] Every card left in the own deck is equally likely, and no other can come."""
    ours, theirs = (HOME_K, HOME_A) if half == K else (HOME_A, HOME_K)
    decks = {half: [2, 5, 7, 9], (A if half == K else K): [1, 3, 4, 6] if half == K else [1, 3, 4]}
    state = at(half, "card", ours, theirs, turn="august", decks=decks)
    assert state.current_player == -1
    assert state.chance_outcomes() == [(2, 0.25), (5, 0.25), (7, 0.25), (9, 0.25)]


def sampled(state: State, n: int) -> Counter[int]:
    """What chance brings at a node, drawn with n seeds."""
    found: Counter[int] = Counter()
    for seed in range(n):
        event = (state.clone(seed, trace=True).trace or [])[0]
        assert isinstance(event, Chance)
        found[event.outcome] += 1
    return found


@pytest.mark.parametrize("left", [[1, 5, 9], [2, 3, 8]])
def test_8_0_a_generator_draws_every_card_left(left: list[int]) -> None:
    """[8.0] Each about as often, and no other."""
    found = sampled(at(K, "card", HOME_K, HOME_A, turn="september", decks={K: left}), 120)
    assert sorted(found) == left and min(found.values()) > 20


def test_8_0_a_generator_rolls_every_face() -> None:
    """[8.0] A die has six faces, each about as likely."""
    found = sampled(drawn(K, 6, HOME_K, HOME_A), 240)
    assert sorted(found) == [1, 2, 3, 4, 5, 6] and min(found.values()) > 20


@pytest.mark.parametrize("left", [[1, 2], [1, 9], [8, 9], [2, 5]])
def test_8_0_the_last_card_of_a_deck_is_known(left: list[int]) -> None:
    """[8.0, R-34] Of two cards chance brings one; the other, whichever it is, comes by itself in the next turn."""
    state = at(K, "card", HOME_K, HOME_A, turn="october", decks={K: left})
    assert [n for n, _ in state.chance_outcomes()] == left
    for card, last in (left, left[::-1]):
        after = end_of_half(moving(A, HOME_A, HOME_K, turn="october", decks={K: [last]}))
        assert after.view().card == GAME.ruleset.card_ids[last - 1] and after.view().decks[K] == [], (card, last)


def test_8_0_a_drawn_card_is_shown_and_leaves_the_deck() -> None:
    """[8.0] It lies face up until the half ends, then with the discards."""
    state = drawn(K, 4, HOME_K, HOME_A)
    assert state.view().card == "royal_guard" and state.view().decks[K] == [1, 2, 3, 5, 6, 7, 8, 9]
    end_of_half(state)
    assert state.view().card is None and state.view().decks[K] == [1, 2, 3, 5, 6, 7, 8, 9]


def test_8_0_one_card_is_in_effect() -> None:
    """[8.0] A bonus ends with its half: the next card's half does not have it."""
    state = drawn(K, 4, {**HOME_K, "maui": ["warrior_2"]}, {**HOME_A, "koolau": ["pike"]})
    end_of_half(state)
    do(state, 1)
    assert state.view().card == "fair_americans_guns" and state.view().bonuses["advantage"] == 0
    state = drawn(A, 4, HOME_A, HOME_K)
    assert state.view().bonuses["advantage"] == 1
    end_of_half(state)
    do(state, 3)
    assert state.view().bonuses == {"advantage": 0, "gunpowder": 1, "no_sighting": False}


def test_8_1_recruit_line() -> None:
    """[8.1] The line's units and no others arrive, before any movement."""
    state = drawn(K, 5, HOME_K, HOME_A)
    assert state.view().recruits == {"warrior": 2, "canoe": 1}
    do(state, "recruit warrior_2 kona", "recruit canoe hilo")
    assert state.view().recruits == {"warrior": 1} and choices(state, "recruit") == {
        "warrior_2 kona", "warrior_2 hilo", "warrior_1 kona", "warrior_1 hilo",
    }  # fmt: skip
    do(state, "recruit warrior_1 hilo")
    assert state.phase == "movement" and pieces(state, K, "hilo") == ["warrior_1", "canoe"]


def test_8_1_fleet_moves() -> None:
    """[8.1] As many canoes may move as the card says, and then none."""
    cards = {card_id: card.fleets for card_id, card in zip(GAME.ruleset.card_ids, GAME.ruleset.cards, strict=True)}
    state = drawn(K, 8, {"kona": ["kamehameha", "warrior_2", *["canoe"] * 4]}, HOME_A)
    do(state, 6, "recruit warrior_2 kona")
    left = cards["kona_storm"]
    while left:
        assert state.view().fleet_moves == left and "fleet kona" in texts(state)
        do(state, "fleet kona", "done", "sail maui")
        left -= 1
    assert state.view().fleet_moves == 0 and not choices(state, "fleet")


def test_8_1_an_event_kept_for_later() -> None:
    """[8.1] A card to hold: its recruits come at once, the event stays; the next turn draws a card of its own."""
    state = drawn(K, 9, HOME_K, HOME_A)
    assert state.view().held == ["ku_snatcher_of_islands"] and state.view().recruits == {"warrior": 2}
    end_of_half(state)
    assert state.view().held == ["ku_snatcher_of_islands"]
    do(state, 4)
    end_of_half(state)
    assert state.view().turn == "april" and [n for n, _ in state.chance_outcomes()] == [1, 2, 3, 4, 5, 6, 7, 8]
    do(state, 1)
    assert state.view().card == "discoverys_guns"
    do(state, "recruit warrior_2 kona")
    assert (state.phase, texts(state)) == ("window", ["pass", "play ku_snatcher_of_islands"])
    do(state, "play ku_snatcher_of_islands")
    view = state.view()
    assert view.held == [] and view.bonuses["no_sighting"] and 9 not in view.decks[K]
    assert view.fleet_moves == 2


def test_8_1_an_event_played_binds_for_one_half() -> None:
    """[8.1, R-09] Nor is Kamehameha bound by what he has played in the half before."""
    state = end_of_half(moving(K, HOME_K, HOME_A, events_played={K: True, A: False}))
    assert state.view().half == A and state.view().events_played == {K: False, A: False}


def test_8_1_any_card_may_be_one_to_hold() -> None:
    """[8.1] The first card of the Allies' deck, too, is played by them, and by nobody else."""
    event = {"timing": "hold", "window": "battle", "effect": "earthworks"}
    months = {"scenarios.long.fixed_cards": {"january": 2, "february": 3}}
    game = variant(cards={"allied.fair_americans_guns.event": event}, scenarios=months)
    state = battle("maui", ["vancouver"], ["oahu_warrior"], held=["fair_americans_guns"], game=game)
    do(state, "play fair_americans_guns")
    assert fought(state)["earthworks"] and state.view().held == [] and state.view().events_played == {K: False, A: True}


def test_8_1_a_held_event_is_played_or_kept() -> None:
    """[8.1] Passed, it stays in hand; played, it is gone, and its card counts as played in this half only."""
    state = battle("maui", ["vancouver"], ["oahu_warrior"], held=["hold_the_line"])
    assert texts(state) == ["pass", "play hold_the_line"] and state.current_player == 1
    assert do(state, "pass").view().held == ["hold_the_line"]


def test_8_2_no_sighting_ends_with_the_half() -> None:
    """[8.2] Who was not to be sighted this turn is sighted again in the next."""
    state = moving(K, HOME_K, HOME_A, bonuses={"no_sighting": True})
    assert state.view().bonuses["no_sighting"]
    end_of_half(state)
    assert not state.view().bonuses["no_sighting"]


def test_8_1_a_held_event_of_the_allies_is_free_again_next_half() -> None:
    """[8.1, R-09] One held event a side and half: what the Allies played in one half binds them no more in the next."""
    state = fleet(
        "maui", ["pike/kona", "canoe/kona"], ["maui_warrior"], held=["hold_the_line"], events_played={K: False, A: True}
    )
    assert state.view().events_played == {K: False, A: True}
    rng = random.Random(1)
    while state.view().half == K:
        do(state, rng.choice(state.chance_outcomes())[0]) if state.current_player == CHANCE else idle(state)
    assert state.view().events_played == {K: False, A: False}


def test_8_2_battle_bonus() -> None:
    """[8.2] A bonus for the battles of the turn: one more on the advantage roll, added to the one for elite units."""
    for bonus, second in ((1, 4), (0, 3)):
        state = battle("maui", ["royal_guard"], ["oahu_warrior"], ours=HOME_K, bonuses={"advantage": bonus})
        do(state, 3, second)
        assert fought(state)["advantage"] == K
    state = battle("maui", ["royal_guard"], ["oahu_warrior"], ours=HOME_K, bonuses={"advantage": 0})
    assert do(state, 3, 4).phase == "advantage"


def test_8_2_a_bonus_is_its_owners() -> None:
    """[8.2] The defender has nothing of the bonus of the side whose half it is."""
    state = battle("maui", ["oahu_warrior"], ["warrior_2"], half=A, bonuses={"advantage": 1})
    do(state, 4, 4)
    assert fought(state)["advantage"] == A
    state = battle("maui", ["brown"], ["vancouver"], half=A, bonuses={"gunpowder": 1}, ours=HOME_A)
    advantage(state, K)
    assert fought(state)["dice"] == GAME.ruleset.pieces[3].strength


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize(("half", "number"), [(K, 6), (A, 5)])
def test_8_2_appeal_rolls_one_die(half: str, number: int, face: int) -> None:
    """[8.2] Appeal to Kaua'i: a die decides whether it joins; nothing else changes."""
    ours, theirs = (HOME_K, HOME_A) if half == K else (HOME_A, HOME_K)
    state = drawn(half, number, ours, theirs)
    assert state.phase == "event"
    before = state.view()
    event = GAME.ruleset.card(half, number).event
    assert event is not None
    do(state, face)
    joined = face in event.args["neutral"]
    assert state.view().kauai == (half if joined else "neutral")
    assert state.view().units[half].get("kauai", []) == (before.units["neutral"]["kauai"] if joined else [])


def test_8_2_warriors_go_home_and_storm_fill_the_box() -> None:
    """[8.2] What goes home waits in the recruit box and may come again."""
    state = drawn(K, 7, {"kona": ["kamehameha", "warrior_2", "warrior_1", "pike"]}, HOME_A)
    do(state, "home warrior_1 kona")
    assert box(state, K, "warrior_2") == 6 and box(state, K, "warrior_1") == 3
    assert pieces(state, K, "kona") == ["kamehameha", "pike"]
    state = drawn(K, 8, {"kona": ["kamehameha", "canoe"]}, HOME_A)
    do(state, 1)
    assert box(state, K, "canoe") == 4


def test_8_2_events_ask_for_no_more_than_there_is() -> None:
    """[8.2] With one warrior on the map one goes home; with none, nothing is asked and no die is rolled."""
    state = drawn(K, 7, {"kona": ["kamehameha", "warrior_2", "pike"]}, HOME_A)
    assert box(state, K, "warrior_2") == 6 and state.phase == "recruiting" and state.view().homes == 0
    for half, number, ours, theirs in ((K, 7, HOME_K, HOME_A), (K, 8, HOME_K, HOME_A), (A, 7, HOME_A, HOME_K)):
        assert drawn(half, number, ours, theirs).phase == "recruiting"
    canoe_alive = {"dead": ["neutral:kauai_warrior"] * 2, "kauai": A}
    assert drawn(K, 6, HOME_K, {**HOME_A, "kauai": ["kauai_canoe"]}, **canoe_alive).phase == "event"
    kauai_dead = {"dead": ["neutral:kauai_warrior"] * 2 + ["neutral:kauai_canoe"], "kauai": A}
    assert drawn(K, 6, HOME_K, HOME_A, **kauai_dead).phase == "recruiting"
    assert drawn(K, 6, {**HOME_K, "kauai": ["kauai_warrior"]}, HOME_A).phase == "recruiting"


@pytest.mark.parametrize("half", [K, A])
def test_8_2_an_appeal_to_pieces_with_the_enemy(half: str) -> None:
    """[8.2] The card has other faces for Kaua'i with the enemy; what a face does is told before it falls."""
    ours, theirs = (HOME_K, HOME_A) if half == K else (HOME_A, HOME_K)
    number = 6 if half == K else 5
    event = GAME.ruleset.card(half, number).event
    assert event is not None
    for kauai, faces in (("neutral", event.args["neutral"]), (A if half == K else K, event.args["enemy"])):
        there = {} if kauai == "neutral" else {"kauai": ["kauai_warrior"]}
        state = drawn(half, number, ours, {**theirs, **there}, kauai=kauai)
        card = GAME.ruleset.card_ids[number - 1 if half == K else 8 + number]
        for face in range(1, 7):
            happens = "it happens" if face in faces else "nothing"
            assert state.chance_text(face) == f"{card} {face}: {happens}"
            assert do(state.clone(), face).view().kauai == (half if face in faces else kauai)


def test_8_2_the_named_piece_goes_home() -> None:
    """[8.2] Of several kinds and spaces it is the piece that the owner names: kinds of canoe, too."""
    fleets = {"maui": ["oahu_canoe", "maui_canoe"], "koolau": ["oahu_canoe"], **HOME_A}
    game = variant(cards={"allied.warriors_go_home_a.event.pieces": ["canoe"]})
    for action, left in (
        ("home oahu_canoe maui", ["maui_canoe"]),
        ("home maui_canoe maui", ["oahu_canoe"]),
        ("home canoe koolau", ["oahu_canoe", "maui_canoe"]),
    ):
        state = drawn(A, 8, fleets, HOME_K, game=game)
        assert choices(state, "home") == {"oahu_canoe maui", "maui_canoe maui", "canoe koolau"}
        do(state, action)
        assert pieces(state, A, "maui") == left and pieces(state, A, "koolau") == (
            ["oahu_canoe"] if "maui" in action else []
        )


def test_8_2_similar_cards_differ() -> None:
    """[8.2] Warriors Go Home takes two of Kamehameha's and one of the Allies'."""
    state = drawn(A, 8, {"waikiki": ["kalani", "oahu_warrior", "oahu_warrior"], "maui": ["maui_warrior"]}, HOME_K)
    assert texts(state) == ["home oahu_warrior waikiki", "home maui_warrior maui"]
    do(state, "home maui_warrior maui")
    assert state.phase == "recruiting" and pieces(state, A, "waikiki") == ["kalani", "oahu_warrior", "oahu_warrior"]


def test_8_2_an_event_may_go_around_a_rule() -> None:
    """[8.2] Kaiana comes among enemies, a fleet is not sighted, a fleet is sighted without a die."""
    state = drawn(A, 3, HOME_A, {**HOME_K, "hilo": ["pike"]})
    assert "kaiana hilo" in choices(state, "recruit")
    state = fleet("maui", ["pike/kona", "canoe/kona"], ["maui_warrior", "maui_canoe"], bonuses={"no_sighting": True})
    assert state.phase == "advantage" and fought(state)["kind"] == "invasion"
    state = fleet("maui", ["pike/kona", "canoe/kona"], ["maui_warrior", "maui_canoe"], held=["muskets_for_land"])
    assert do(state, "play muskets_for_land").phase == "launch"


def test_8_2_held_events_end_with_february() -> None:
    """[8.2, 6.1] The decks are shuffled in March, also a card held until then."""
    state = end_of_half(moving(A, HOME_A, HOME_K, turn="february", held=["muskets_for_land", "ku_snatcher_of_islands"]))
    assert numbers_of(state)["held"] == [0, 0] and numbers_of(state)["left"] == [1022, 1022]


def test_8_2_what_is_left_of_a_line_is_forgotten() -> None:
    """[8.2] A recruit line without a piece in the box brings nothing, and the half goes on."""
    all_canoes = {"kona": ["kamehameha", *["canoe"] * 4]}
    state = traced(at(K, "card", all_canoes, HOME_A, turn="march"))
    do(state, 5)
    assert state.view().recruits == {"warrior": 2, "canoe": 1}
    do(state, "recruit warrior_2 kona", "recruit warrior_2 kona")
    assert state.phase == "movement" and state.view().recruits == {} and forced(state) == []
