"""Turns and their sequence [7.1, 7.2]."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from engine.helpers import numbers_of
from refusals import refuses

from hawaii_env.hawaii1795.rules.actions import add_legal, sort_legal
from hawaii_env.hawaii1795.rules.errors import TooManyActionsError
from hawaii_env.hawaii1795.rules.names import MAX_LEGAL
from hawaii_env.hawaii1795.rules.state import STATE

from .helpers import (
    HIT,
    NOTHING,
    A,
    K,
    advantage,
    at,
    do,
    end_of_half,
    fire,
    moving,
    random_halves,
    texts,
)

MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"]


def test_7_1_turns_follow_one_another() -> None:
    """[7.1] Each turn is a month, and the next one follows when both sides have played."""
    for month, following in pairwise(MONTHS):
        state = end_of_half(moving(A, {"waikiki": ["kalani"]}, {"kona": ["kamehameha"]}, turn=month))
        assert (state.view().turn, state.view().half) == (following, K)
        state = end_of_half(moving(K, {"kona": ["kamehameha"]}, {"waikiki": ["kalani"]}, turn=month))
        assert (state.view().turn, state.view().half) == (month, A)


def test_7_2_phases_of_both_halves() -> None:
    """[7.2] Card, recruiting, movement, battle for Kamehameha; then the same for the Allies; then the next turn."""
    kamehameha = {"kona": ["kamehameha", "warrior_2", "warrior_2"]}
    allied = {"hilo": ["oahu_warrior"], "waikiki": ["kalani"], "koolau": ["pike"]}
    state = at(
        K, "card", kamehameha, allied, turn="april", decks={K: [2, 3, 4, 5, 6, 7, 8, 9], A: [2, 3, 4, 5, 6, 7, 8, 9]}
    )
    seen = []

    def note() -> None:
        view = state.view()
        seen.append((view.half, view.phase))

    note()
    do(state, 4)
    note()
    while state.phase == "recruiting":
        do(state, texts(state)[0])
    note()
    do(state, "march warrior_2 kona hilo", "march warrior_2 kona hilo", "done")
    note()
    fire(advantage(state, K), "warrior_2", HIT)
    note()
    do(state, 4)
    note()
    while state.phase == "recruiting":
        do(state, texts(state)[-1])
    note()
    do(state, "done")
    note()
    assert seen == [
        (K, "card"), (K, "recruiting"), (K, "movement"), (K, "advantage"),
        (A, "card"), (A, "recruiting"), (A, "movement"), (K, "card"),
    ]  # fmt: skip
    assert state.view().turn == "may"


def test_7_2_a_side_moves_and_fights_in_its_own_half_only() -> None:
    """[7.2] Recruits, movement and the choice of battles are those of the side whose half it is."""
    state = do(at(K, "card", {"kona": ["kamehameha"]}, {"waikiki": ["kalani"]}, turn="march"), 4)
    assert state.current_player == 0 and not state.legal_actions(1)
    end_of_half(state)
    do(state, 4)
    assert state.view().half == A and state.current_player == 1 and not state.legal_actions(0)


def test_7_2_units_together_must_fight() -> None:
    """[7.2] In the battle phase there is no choice but the order: done leads to a battle for every shared space."""
    ours = {"kona": ["kamehameha", "pike"], "maui": ["warrior_2"], "sea/waikiki": ["royal_guard/maui", "canoe/maui"]}
    state = moving(K, ours, {"hilo": ["oahu_warrior"], "waikiki": ["brown"]}, fleets=0)
    do(state, "march pike kona hilo", "done")
    assert texts(state) == ["battle hilo", "battle waikiki"]
    do(state, "battle waikiki")
    do(advantage(state, K), *[1] * 3)
    assert state.phase == "hit_die"


def test_7_2_movement_is_over_before_battles() -> None:
    """[7.2] A march into enemies starts no battle before the movement is done."""
    state = moving(K, {"kona": ["kamehameha", "pike", "warrior_2"]}, {"hilo": ["oahu_warrior"]})
    do(state, "march pike kona hilo")
    assert state.phase == "movement" and texts(state) == [
        "done",
        "march kamehameha kona hilo",
        "march warrior_2 kona hilo",
    ]
    do(state, "done")
    assert state.phase == "advantage"


def test_7_2_cards_are_discarded_at_the_end() -> None:
    """[7.2] When a half ends its card is no longer in effect, and does not come back into the deck."""
    state = do(at(K, "card", {"kona": ["kamehameha"]}, {"waikiki": ["kalani"]}, turn="march"), 4)
    assert state.view().card == "royal_guard" and state.view().bonuses["advantage"] == 1
    end_of_half(state)
    view = state.view()
    assert (view.card, view.bonuses["advantage"], view.fleet_moves) == (None, 0, 0)
    assert 4 not in view.decks[K]


def test_7_2_nothing_is_left_of_the_half_before() -> None:
    """[7.2] Whatever was played, a half begins with no card in effect, no marks, no fleet under way and no battle."""
    for state in random_halves():
        assert {name: value for name, value in numbers_of(state).items() if name in NOTHING} == NOTHING


def test_7_2_legal_actions_ascend_each_once() -> None:
    """[7.2] In whatever order and however often the rules come upon them."""
    rng = random.Random(7)
    for n in (0, 1, 2, 3, 5, 30):
        for _ in range(20):
            found = [rng.randrange(12) for _ in range(n)]
            state: Any = STATE.new()
            for action in found:
                add_legal(state, action)
            sort_legal(state)
            assert state.legal[: state.n_legal] == sorted(set(found))


def test_7_2_more_actions_than_there_is_room_for() -> None:
    """[7.2] A full list takes no more, and says so."""
    state: Any = STATE.new()
    for action in range(MAX_LEGAL):
        add_legal(state, action)
    refuses(TooManyActionsError, ("", lambda: add_legal(state, 0)))
    assert state.n_legal == MAX_LEGAL
