"""Setting up: long game, its first cards, short game [6.0, 6.1, 6.2]."""

from __future__ import annotations

import pytest
from engine.helpers import numbers_of

from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.game import State

from .helpers import (
    GAME,
    HIT,
    NOTHING,
    SHORT,
    A,
    K,
    advantage,
    at,
    battle,
    choices,
    do,
    drawn,
    end_of_half,
    fire,
    fleet,
    idle,
    launch,
    moving,
    pieces,
    texts,
)

KAUAI = ["kauai_warrior", "kauai_warrior", "kauai_canoe"]
KAMEHAMEHA_START = {"kona": ["kamehameha", "warrior_2", "warrior_2", "canoe", "canoe"], "hilo": ["warrior_2", "canoe"]}
KAMEHAMEHA_BOX = ["john_young", "royal_guard", "vancouver", "musketeer", "pike", *["warrior_2"] * 3, *["warrior_1"] * 3,
                  "canoe"]  # fmt: skip


def test_6_0_long_game() -> None:
    """[6.0] Every piece where the set-up has it; the Allies' boxed warriors and canoes are of O'ahu and Maui."""
    state = GAME.initial_state(chance="explicit")
    do(state, "place kalani waikiki", "place oahu_warrior waikiki", "place oahu_warrior waikiki")
    do(state, "place canoe waikiki")
    view = state.view()
    assert view.units[K] == KAMEHAMEHA_START and view.box[K] == KAMEHAMEHA_BOX
    do(state, "place canoe koolau")
    view = state.view()
    assert view.units["neutral"] == {"kauai": KAUAI} and view.dead == []
    assert view.units[A] == {
        "maui": ["maui_warrior", "maui_canoe"],
        "waikiki": ["kalani", "oahu_warrior", "oahu_warrior", "oahu_canoe"],
        "koolau": ["oahu_canoe"],
    }
    assert view.box[A] == ["kaiana", "thunderers", "brown", "musketeer", "pike", "oahu_warrior", "maui_warrior",
                           "kaiana_warriors", "oahu_canoe", "maui_canoe"]  # fmt: skip


def test_6_0_kamehameha_plays_first_in_january() -> None:
    """[6.0] The first turn is January's, and Kamehameha's half comes first."""
    state = GAME.initial_state(chance="explicit")
    assert (state.view().turn, state.view().half) == ("january", K)
    for action in ("kalani", "oahu_warrior", "oahu_warrior", "canoe", "canoe"):
        do(state, f"place {action} koolau")
    view = state.view()
    assert (view.turn, view.half, view.decider, view.card) == ("january", K, K, "discoverys_guns")


def unfinished() -> list[State]:
    """Games broken off where a fleet loads, dice fall, a war fleet gathers, canoes are lost, driven off, an event is
    held.
    """
    ours, theirs = {"kona": ["kamehameha", "warrior_2", "canoe"], "hilo": ["warrior_1"]}, {"waikiki": ["kaiana"]}
    loading = do(moving(K, ours, theirs, fleets=2), "fleet kona", "pickup kona", "embark kamehameha")
    hit = battle("maui", ["vancouver", "pike"], ["brown", "pike", "maui_warrior"], ours=ours, theirs=theirs,
                 bonuses={"advantage": 1, "gunpowder": 1}, held=["hold_the_line"])  # fmt: skip
    fire(advantage(do(hit, "play hold_the_line"), A), "brown", HIT)
    there = ["kalani", "brown", "oahu_warrior", "maui_canoe", "maui_canoe", "oahu_canoe"]
    gathering = do(fleet("maui", ["pike/kona", "canoe/kona"], there, ours=ours, theirs=theirs), 1, "launch")
    do(gathering, "commit oahu_canoe maui", "commit kalani maui", "commit brown maui")
    aboard = ["kalani/waikiki", "brown/waikiki", "oahu_canoe/waikiki", "maui_canoe/waikiki"]
    beaten = fleet("maui", aboard, ["vancouver", "pike", "canoe"], half=A, ours={"koolau": ["oahu_warrior"]})
    launch(do(beaten, 1), "vancouver maui", "pike maui")
    fire(advantage(beaten, K), "vancouver", HIT, "lose brown", HIT)
    theirs = {"hilo": ["oahu_canoe"], "maui": ["kalani"], "molokai": ["brown"]}
    driven_off = do(moving(K, {"kona": ["pike", "warrior_1"]}, theirs), "march pike kona hilo")
    held, recruits = drawn(K, 9, ours, {"waikiki": ["kalani"]}), drawn(K, 5, ours, {"waikiki": ["kalani"]})
    states = [loading, hit, gathering, beaten, driven_off, held, recruits]
    assert [s.phase for s in states] == [
        "cargo",
        "loss",
        "commit",
        "canoe_loss",
        "withdrawal",
        "recruiting",
        "recruiting",
    ]
    return states


def test_6_0_nothing_is_left_of_the_game_before() -> None:
    """[6.0] Wherever a game was broken off, the next one begins as every game does."""
    first = numbers_of(GAME.initial_state(seed=1))
    wanted = {
        **NOTHING,
        "left": [1022, 1022],
        "held": [0, 0],
        "pike_used": [0, 0],
        "decisions": 0,
        "kauai": 2,
        "half": 0,
    }
    assert {name: first[name] for name in wanted} == wanted
    for state in unfinished():
        assert numbers_of(state.clone(seed=1).begin_after(state.game)) == first


@pytest.mark.parametrize(("game", "turns"), [(GAME, 11), (SHORT, 9)], ids=["long", "short"])
def test_6_0_number_of_turns(game: Game, turns: int) -> None:
    """[6.0] Eleven turns, January to November; the short game has nine [6.2]."""
    state = game.initial_state(chance="explicit")
    months: list[str] = []
    while not state.is_terminal:
        view = state.view()
        if state.phase != "setup" and view.turn not in months:
            months.append(view.turn)
        if state.phase == "card":
            do(state, state.chance_outcomes()[0][0])
        elif state.phase == "event":
            do(state, 6 if view.card and "storm" in view.card else 1)
        else:
            idle(state)
    assert len(months) == turns and months[-1] == "november"
    assert state.view().winner == "tie"


def test_6_1_first_two_cards_are_fixed() -> None:
    """[6.1] January plays card 1 and February card 2 of both decks, without a draw."""
    state = GAME.initial_state(chance="explicit")
    seen = []
    while state.view().turn in ("january", "february"):
        view = state.view()
        if state.phase != "setup" and (view.turn, view.half, view.card) not in seen:
            seen.append((view.turn, view.half, view.card))
        do(state, "done" if "done" in texts(state) else texts(state)[0])
    assert seen == [
        ("january", K, "discoverys_guns"),
        ("january", A, "fair_americans_guns"),
        ("february", K, "long_pikes"),
        ("february", A, "pikes_of_oahu"),
    ]
    assert (state.phase, state.view().turn) == ("card", "march")


def test_6_1_all_nine_cards_are_shuffled_after_february() -> None:
    """[6.1] From March on one of nine cards is drawn each turn, 1 and 2 among them."""
    state = end_of_half(moving(A, {"waikiki": ["kalani"]}, {"kona": ["kamehameha"]}, turn="february"))
    assert state.view().decks == {K: list(range(1, 10)), A: list(range(1, 10))}
    assert [n for n, _ in state.chance_outcomes()] == list(range(1, 10))
    do(state, 5)
    assert state.view().decks[K] == [1, 2, 3, 4, 6, 7, 8, 9] and len(state.view().decks[A]) == 9


@pytest.mark.parametrize(
    ("half", "turn", "gun", "warrior", "space"),
    [
        (K, "january", "vancouver", "warrior_1", "kona"),
        (K, "february", "pike", "warrior_1", "kona"),
        (A, "january", "brown", "oahu_warrior", "waikiki"),
        (A, "february", "pike", "oahu_warrior", "waikiki"),
    ],
)
def test_6_1_cannon_and_pike_come_once(half: str, turn: str, gun: str, warrior: str, space: str) -> None:
    """[6.1] The fixed cards bring cannon and pike; drawn again they bring the warrior and the fleet moves alone."""
    leader = {K: "kamehameha", A: "kalani"}[half]
    number = 1 if turn == "january" else 2
    other = {"waikiki": ["kalani"]} if half == K else {"kona": ["kamehameha"]}
    # January begins after the set-up, so the card is met as the month before ends.
    if turn == "january":
        state = GAME.initial_state(chance="explicit")
        while state.phase == "setup":
            do(state, texts(state)[0])
        if half == A:
            end_of_half(state)
    elif half == K:
        state = end_of_half(moving(A, other, {space: [leader]}, turn="january"))
    else:
        state = end_of_half(moving(K, other, {space: [leader]}, turn="february"))
    assert (state.view().turn, state.view().half) == (turn, half)
    assert f"{gun} {space}" in choices(state, "recruit") and f"{warrior} {space}" in choices(state, "recruit")
    again = at(half, "card", {space: [leader, "canoe" if half == K else "oahu_canoe"]}, other, turn="march")
    do(again, number)
    assert f"{warrior} {space}" in choices(again, "recruit")
    assert not [c for c in choices(again, "recruit") if c.startswith(gun)]
    do(again, f"recruit {warrior} {space}")
    assert (again.phase, again.view().fleet_moves) == ("movement", 2)


@pytest.mark.parametrize("cheap", [True, False])
def test_6_1_no_deck_is_shuffled_a_second_time(cheap: bool) -> None:
    """[6.1] March to November are nine turns: every card comes once, and the last is known."""
    state = at(K, "card", {"kona": ["kamehameha"]}, {"waikiki": ["kalani"]}, turn="march")
    seen: dict[str, list[str]] = {K: [], A: []}
    asked = 0
    while not state.is_terminal:
        view = state.view()
        if state.phase == "card":
            outcomes = [n for n, _ in state.chance_outcomes()]
            assert len(outcomes) == 9 - len(seen[view.half])
            do(state, outcomes[0 if cheap else -1])
            asked += 1
        elif state.phase == "event":
            do(state, 6 if "storm" in str(view.card) else 1)
        else:
            idle(state)
        card = state.view().card
        if card and card not in seen[state.view().half]:
            seen[state.view().half].append(card)
    assert [len(set(seen[side])) for side in (K, A)] == [9, 9]
    assert asked == 16


def test_6_2_short_game() -> None:
    """[6.2] March; cannon, pike and two warriors more on Hawai'i and on O'ahu; the rest as in the long game."""
    state = SHORT.initial_state(chance="explicit")
    assert state.view().turn == "march"
    assert texts(state) == ["place vancouver kona", "place vancouver hilo"]
    do(state, "place vancouver hilo", "place pike kona")
    assert choices(state, "place") == {f"{k} {s}" for k in ("warrior_2", "warrior_1") for s in ("kona", "hilo")}
    do(state, "place warrior_2 hilo", "place warrior_1 kona")
    assert state.view().units[K] == {
        "kona": ["kamehameha", "pike", "warrior_2", "warrior_2", "warrior_1", "canoe", "canoe"],
        "hilo": ["vancouver", "warrior_2", "warrior_2", "canoe"],
    }
    assert state.view().box[K] == [
        "john_young",
        "royal_guard",
        "musketeer",
        *["warrior_2"] * 2,
        *["warrior_1"] * 2,
        "canoe",
    ]
    do(state, "place kalani koolau", "place brown waikiki", "place pike waikiki")
    do(state, "place oahu_warrior waikiki", "place oahu_warrior waikiki", "place canoe koolau", "place canoe koolau")
    assert choices(state, "place") == {
        f"{k} {s}" for k in ("oahu_warrior", "maui_warrior") for s in ("waikiki", "koolau")
    }
    do(state, "place maui_warrior koolau")
    assert choices(state, "place") == {"oahu_warrior waikiki", "oahu_warrior koolau"}
    do(state, "place oahu_warrior waikiki")
    assert state.view().units[A] == {
        "maui": ["maui_warrior", "maui_canoe"],
        "waikiki": ["brown", "pike", *["oahu_warrior"] * 3],
        "koolau": ["kalani", "maui_warrior", "oahu_canoe", "oahu_canoe"],
    }
    assert state.view().box[A] == ["kaiana", "thunderers", "musketeer", "kaiana_warriors", "oahu_canoe", "maui_canoe"]
    assert pieces(state, "neutral", "kauai") == KAUAI
    view = state.view()
    assert (view.turn, view.half, view.phase) == ("march", K, "card")
    assert view.decks == {K: list(range(1, 10)), A: list(range(1, 10))}


def test_6_2_no_card_is_fixed_in_the_short_game() -> None:
    """[6.2] March draws from all nine cards."""
    state = at(K, "card", {"kona": ["kamehameha"]}, {"waikiki": ["kalani"]}, turn="march", game=SHORT)
    assert [n for n, _ in state.chance_outcomes()] == list(range(1, 10))
