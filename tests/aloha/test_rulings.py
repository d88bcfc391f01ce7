"""Every ruling of hawaii_env/aloha/rulings.toml."""

from __future__ import annotations

from typing import Any

import pytest
from moves import play, texts
from refusals import refuses

from hawaii_env.aloha.rules import chapters
from hawaii_env.aloha.rules.scoring import majority_points
from hawaii_env.errors import IllegalActionError, StateError

from .helpers import chapter, game, have, of, tokens


def test_r_01() -> None:
    """[R-01] Only what tokens are worth counts: any amount migrates, of 30 a player."""
    state = chapter(red={"tokens": tokens(oahu=30)})
    play(state, "migrate oahu maui", "amount 29")
    assert of(state).tokens == (0, 1, 0, 29, 0) and of(state).pool == 0


def test_r_02() -> None:
    """[R-02] The marker counts the tokens on the board; the pool is the rest of 30."""
    state = play(chapter(red={"actions": tokens(kauai=2)}), "take kauai")
    assert (of(state).hawaiian, of(state).pool, sum(of(state).tokens)) == (21, 9, 21)


def test_r_03() -> None:
    """[R-03] Both actions of the Prologue may start from any island where one has tokens."""
    state = play(game().initial_state(chance="explicit"), 0, "settle maui", "settle oahu")
    play(state, "migrate maui hawaii", "amount 20", "warrior")
    assert (
        state.current_player == 0
        and "migrate hawaii kauai" in texts(state)
        and "migrate maui kauai" not in texts(state)
    )


def test_r_04() -> None:
    """[R-04] No passing; who can do nothing loses all Action tokens left, by force."""
    rules = game()
    state = chapter(
        "chapter_3",
        red={"tokens": tokens(oahu=30), "actions": tokens(oahu=1, kauai=3), "cards": ["chapter_2 kauai"]},
        yellow={"tokens": tokens(oahu=1), "actions": tokens(oahu=1)},
    )
    assert "pass" not in texts(state)
    state = state.clone(trace=True)
    play(state, "take oahu")
    # Three tokens on Kaua'i, where nobody is and the pool gives nothing: all are lost at once.
    assert state.trace is not None and [event.text for event in state.trace] == ["take oahu", "pass"]
    assert state.current_player == 1 and of(state).actions == (0, 0, 0, 0, 0)
    refuses(IllegalActionError, ("pass", lambda: state.apply(rules.num_actions - 1)))


@pytest.mark.parametrize(("turn_order", "acted"), [("most_left", [1, 1, 0, 1]), ("rounds", [1, 0, 1, 1])])
def test_r_05(turn_order: str, acted: list[int]) -> None:
    """[R-05] By default who has most left is asked anew before every action; with `rounds` one action each in a fixed
    order.
    """
    order = ["red_0", "yellow_1"] if turn_order == "most_left" else ["yellow_1", "red_0"]
    red = {"tokens": tokens(molokai=1), "actions": tokens(molokai=1), "points": 1}
    yellow = {"actions": tokens(molokai=3), "cards": ["prologue molokai"]}
    state = chapter(options={"turn_order": turn_order}, red=red, yellow=yellow, order=order, monarch=1)
    seen = []
    while state.phase == "action":
        seen.append(state.current_player)
        play(state, "take molokai")
    assert seen == acted  # level at one each red, with more points, comes first


def test_r_06() -> None:
    """[R-06] Level in tokens and points: the seat to the left of who acted first in the stage before comes first."""
    state = chapter("chapter_1", "king", players=4, first="green_2", red={"tokens": tokens(oahu=1, maui=2)})
    play(state, "king maui")
    assert state.view().order == ("blue_3", "red_0", "yellow_1", "green_2")


def test_r_07() -> None:
    """[R-07] A King/Queen token without presence is not placed, with one island it is forced; cards are not shown
    yet.
    """
    nowhere = {"tokens": tokens()}
    state = play(
        chapter("chapter_1", red={"actions": tokens(maui=1)}, yellow=nowhere | {"actions": tokens()}), "take maui"
    )
    play(state, 1, 1, 1, 6, 6, 6)
    assert state.stage == "chapter_2" and state.phase == "event" and of(state, 1).actions == (0, 0, 0, 0, 0)
    placed = chapter("chapter_1", "king", red={"tokens": tokens(maui=3)})
    assert placed.phase == "event" and of(placed).actions == (0, 0, 0, 2, 0)
    assert chapter("chapter_1", "king").view().face_up == (None,) * 4


def test_r_08() -> None:
    """[R-08] Paulet and Abdication as Kuamo'o: players roll in the order of their indices, those level for the highest
    total again.
    """
    state = chapter(
        players=3,
        red={"actions": tokens(maui=1)},
        yellow={"actions": tokens(), "warrior": 2},
        green={"actions": tokens()},
    )
    play(state, "take maui", 1, 2, 2, 2, 2, 5, 1)
    assert state.view().dice == {"left": (0, 3, 2), "totals": (0, 0, 0)}


def test_r_09() -> None:
    """[R-09] Warriors stay after a conflict."""
    state = chapter(red={"actions": tokens(maui=1)}, yellow={"actions": tokens(), "warrior": 7})
    play(state, "take maui", 1, 1, 2, 2, 2)
    assert state.stage == "chapter_2" and have(state, 1)["warrior"] == 7


def test_r_10() -> None:
    """[R-10] Warrior markers go to 0 when Chapter III begins; a position with warriors then cannot be."""
    state = chapter("chapter_2", red={"actions": tokens(maui=1)}, yellow={"actions": tokens(), "warrior": 7})
    play(state, "take maui", 1, 1, 2, 2, 2)
    assert state.stage == "chapter_3" and have(state, 1)["warrior"] == 0
    refuses(StateError, ("R-10", lambda: chapter("chapter_3", red={"warrior": 1})))


def test_r_11() -> None:
    """[R-11] Tracks end at 60, more is lost; points have no end."""
    far = chapter("chapter_3", red={"points": 200, "actions": tokens(maui=1)}, yellow={"actions": tokens()})
    assert far.phase == "convert" and of(far).points == 200 + 3  # most Aloha, level in tokens
    state = play(chapter(red={"actions": tokens(molokai=1, maui=1), "aloha": 59}), "take molokai")
    assert have(state)["aloha"] == 60
    refuses(StateError, ("expected a whole number from 0 to 60, not 61", lambda: chapter(red={"commerce": 61})))


def test_r_12() -> None:
    """[R-12] With a small pool one gets what there is; an event even then, Kaua'i's resource not."""
    red = {"actions": tokens(kauai=3), "cards": ["prologue kauai"]}
    state = chapter(face_up=[4, 7, 8, 1], red={**red, "tokens": tokens(kauai=29)})
    play(state, "event 1 kauai")
    assert of(state).tokens[0] == 30 and of(state).pool == 0
    full = chapter(face_up=[4, 7, 8, 1], red={**red, "tokens": tokens(kauai=30)})
    assert "take kauai" not in texts(full) and "event 1 kauai" in texts(full)


def test_r_13() -> None:
    """[R-13] An ordinary event is paid in full, tokens on the island of the Action token, to the last one if need
    be.
    """
    state = chapter(face_up=[1, 6, 9, 10], red={"tokens": tokens(kauai=1), "actions": tokens(kauai=1, maui=1)})
    assert "event 1 kauai" in texts(state) and "event 2 maui" not in texts(state)
    play(state, "event 1 kauai")
    assert of(state).tokens == (0, 0, 0, 0, 0)
    away = chapter(face_up=[1, 6, 9, 10], red={"tokens": tokens(oahu=9), "actions": tokens(kauai=1, maui=1)})
    assert "event 1 kauai" not in texts(away)


def test_r_14() -> None:
    """[R-14] Calamities among the first four cards strike and are replaced."""
    state = chapter("chapter_1", "king", red={"tokens": tokens(oahu=3, maui=2)})
    play(state, "king maui", 16)
    assert of(state).tokens == (0, 1, 0, 2, 0) and state.view().face_up == (None,) * 4 and state.phase == "event"


def test_r_15() -> None:
    """[R-15] A calamity strikes once an island where one is present; who cannot pay all pays nothing."""
    state = chapter(
        "chapter_2",
        "event",
        face_up=[1, 2, 3, None],
        deck=[4, 18, 17],
        red={"tokens": tokens(oahu=1, maui=1), "commerce": 3},
        yellow={"tokens": tokens(kauai=1, maui=1), "commerce": 3},
    )
    play(state, 18)
    assert [have(state, p)["commerce"] for p in (0, 1)] == [1, 2]
    poor = chapter(
        "chapter_2",
        "event",
        face_up=[1, 2, 3, None],
        deck=[4, 17],
        red={"tokens": tokens(hawaii=1)},
        yellow={"tokens": tokens(hawaii=2)},
    )
    play(poor, 17)
    assert [of(poor, p).tokens[4] for p in (0, 1)] == [1, 0]


def test_r_16() -> None:
    """[R-16] A calamity on opponents strikes the island of the Action token alone; it may be played without effect."""
    state = chapter(
        face_up=[19, 7, 8, 1],
        red={"actions": tokens(hawaii=1, oahu=1)},
        yellow={"tokens": tokens(oahu=4), "commerce": 4},
    )
    play(state, "event 1 hawaii")
    assert have(state, 1)["commerce"] == 4 and of(state).actions == (0, 1, 0, 0, 0)


def test_r_17() -> None:
    """[R-17] Used cards are discarded for good; with an empty deck a slot stays empty; after the chapter all cards go
    away.
    """
    state = chapter(face_up=[7, 8, 10, 13], red={"actions": tokens(oahu=2)}, yellow={"actions": tokens(molokai=1)})
    play(state, "event 1 oahu")
    assert state.phase == "action" and state.view().face_up == (None, 8, 10, 13) and state.view().deck == ()
    play(state, "take oahu", "take molokai")
    assert state.phase == "die" and state.view().face_up == (None,) * 4


def test_r_18() -> None:
    """[R-18] Cards of earlier sets score once, give no second Action token, and count as votes."""
    state = chapter(
        "chapter_2",
        red={"cards": ["prologue maui"], "actions": tokens(oahu=1), "tokens": tokens(maui=1, oahu=1)},
        yellow={"actions": tokens()},
    )
    play(state, "take oahu", 6, 6, 6, 1, 1, 1)
    assert of(state).points == 2 + 1 + 2 and state.stage == "chapter_3" and of(state).actions == (0, 1, 0, 2, 0)
    lost = chapter("chapter_2", "king", red={"cards": ["prologue maui"], "tokens": tokens(maui=1, oahu=1)})
    assert lost.phase == "king" and of(lost).actions == (0, 1, 0, 1, 0)
    ended = chapter(
        "epilogue", "convert", to_act="red_0", red={"cards": ["prologue maui", "chapter_1 oahu"], "vote": 1}
    )
    assert ended.observation(0, raw=True)[118 + 10] == 2 + 2 + 2 + 1 + 1


@pytest.mark.parametrize(("commerce", "points"), [((5, 5, 5), [1, 1, 1]), ((5, 5, 2), [1, 1, 0]),
    ((5, 2, 2), [2, 0, 0]), ((3, 0, 0), [2, 0, 0]), ((0, 0, 0), [0, 0, 0])])  # fmt: skip
def test_r_19(commerce: tuple[int, ...], points: list[int]) -> None:
    """[R-19] Level players share what their places give, rounded down; nobody scores with none. With three: 2, 1, 0."""
    own: dict[str, Any] = {name: {"commerce": n} for name, n in zip(("red", "yellow", "green"), commerce, strict=True)}
    state = chapter("chapter_3", players=3, **own)
    assert [majority_points(state.game.tables, state.interpreted(), player, 1) for player in range(3)] == points


def test_r_20() -> None:
    """[R-20] Level in points, the seat to the left of the first in Chapter III converts first; each step counts as one
    of five.
    """
    state = chapter(
        "chapter_3",
        first="red_0",
        red={"actions": tokens(oahu=1)},
        yellow={"tokens": [10, 10, 0, 0, 0], "actions": tokens(), "commerce": 1},
    )
    play(state, "take oahu")
    assert state.phase == "convert" and state.view().order == ("yellow_1", "red_0")
    play(state, "convert oahu aloha", "convert aloha vote")
    assert of(state, 1).converted == 2


def test_r_21() -> None:
    """[R-21] Action tokens on an island that one has left stay and may be used; migrating needs tokens there."""
    red = {"tokens": tokens(oahu=4), "actions": tokens(oahu=3), "cards": ["prologue oahu"]}
    state = play(chapter(red=red), "migrate oahu maui", "amount 4")
    assert of(state).actions == (0, 2, 0, 0, 0) and "take oahu" in texts(state) and "event 1 oahu" in texts(state)
    assert not any(text.startswith("migrate") for text in texts(state))


def test_r_22() -> None:
    """[R-22] Nothing is hidden: everybody sees the same; the order of a deck is not stored."""
    state = game(3).initial_state(seed=4)
    assert len({state.to_json(player=player) for player in (0, 1, 2, -3)}) == 1
    assert chapter(phase="event", face_up=[7, 10, 13, None], deck=[1, 2]).chance_outcomes() == [(1, 0.5), (2, 0.5)]


def test_r_23() -> None:
    """[R-23] Level after all tie-breaks: the victory is shared by those level."""
    level = {"points": 20, "tokens": tokens(maui=2)}
    state = chapter("epilogue", "over", players=3, red=level, yellow={**level, "points": 19}, green=level)
    outcome = state.outcome()
    assert (
        outcome is not None
        and outcome.shares == (0.5, 0, 0.5)
        and outcome.places == (1, 3, 1)
        and outcome.winner is None
    )
    assert "R-23" in outcome.reason and state.returns() == pytest.approx([0.25, -0.5, 0.25])


def test_r_24() -> None:
    """[R-24] All dice are six-sided and alike; the first player is chance."""
    state = chapter("chapter_1", "die", dice={"left": [3, 3], "totals": [0, 0]})
    assert state.chance_outcomes() == [(face, 1 / 6) for face in range(1, 7)]
    assert len(game(4).initial_state(chance="explicit").chance_outcomes()) == 4


def test_r_25() -> None:
    """[R-25] Only settling is limited to one player an island."""
    state = play(
        game().initial_state(chance="explicit"), 0, "settle maui", "settle oahu", "migrate maui oahu", "amount 3"
    )
    assert [of(state, p).tokens[1] for p in (0, 1)] == [3, 20]


def test_r_26() -> None:
    """[R-26] The holder of an island's card gets his two tokens even without presence."""
    state = chapter(
        red={"actions": tokens(oahu=1)}, yellow={"actions": tokens(), "tokens": tokens(), "cards": ["prologue maui"]}
    )
    assert of(state, 1).cards == ("prologue maui",)
    play(state, "take oahu", 6, 6, 6, 1, 1, 1)
    assert state.stage == "chapter_2" and of(state, 1).actions == (0, 0, 0, 0, 0)  # of the latest set he holds none
    record = state.interpreted().copy()
    record.stage, record.cards_of[1][4] = 1, 1
    chapters.begin_chapter(game().tables, record)
    assert record.actions[1][3] == 2


def test_r_27() -> None:
    """[R-27] Hawai'i gives one Home Rule token in Chapter III, no warriors."""
    state = play(chapter("chapter_3", red={"actions": tokens(hawaii=1, oahu=1)}), "take hawaii")
    assert have(state)["vote"] == 1 and have(state)["warrior"] == 0


def test_r_28() -> None:
    """[R-28] One warrior with the token of Hawai'i is allowed."""
    state = chapter(red={"actions": tokens(hawaii=1, oahu=1)})
    assert {"warrior hawaii", "take hawaii"} <= set(texts(state))
    assert have(play(state, "warrior hawaii"))["warrior"] == 1


def test_r_29() -> None:
    """[R-29] The event first, all of it, then the draw and what it brings, then who is next."""
    state = chapter(face_up=[4, 7, 8, 1], deck=[18, 2], red={"tokens": tokens(kauai=1), "actions": tokens(kauai=2)})
    play(state, "event 1 kauai")
    assert of(state).tokens[0] == 3 and state.phase == "event"
    play(state, 18)
    assert of(state).tokens[0] == 1 and state.phase == "event"
    assert play(state, 2).current_player == 0
