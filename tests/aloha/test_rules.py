"""Every paragraph of the rulebook, in its order."""

from __future__ import annotations

from typing import Any

import pytest
from moves import play, texts
from refusals import refuses

from hawaii_env.aloha import State
from hawaii_env.aloha.rules.names import MOST_ACTIONS
from hawaii_env.errors import IllegalActionError

from .helpers import chapter, game, have, of, tokens


def settled(*islands: str, first: int = 0):
    """A game in which the players have settled, the first of them first."""
    state = game(len(islands)).initial_state(chance="explicit")
    return play(state, first, *(f"settle {island}" for island in islands))


def test_su_set_up() -> None:
    """[SU] All markers are on 0, no token is on the board, the pools are full."""
    state = game(3).initial_state(chance="explicit")
    assert have(state) == {"hawaiian": 0, "commerce": 0, "aloha": 0, "warrior": 0, "vote": 0}
    assert of(state).pool == 30 and of(state).points == 0 and state.view().king is None
    assert state.chance_outcomes() == [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]


def test_su_printed_numbers() -> None:
    """[SU] 15 ones and 3 fives, 15 Action tokens a player, of which no more are ever needed; the marker of Pure
    Hawaiian tokens begins at 20.
    """
    numbers = game().ruleset.board.set_up
    assert numbers.stock == 15 + 3 * 5 and numbers.action_tokens == 15 >= MOST_ACTIONS
    assert (numbers.placed, numbers.prologue_actions, numbers.face_up, numbers.conversions) == (20, 2, 4, 5)
    assert have(settled("maui", "oahu"))["hawaiian"] == 20


def test_su_five_stages() -> None:
    """[SU, C1, C3, E1] Prologue, three Chapters of the same steps, but for the third's conflict, and Epilogue."""
    state, steps = game(3).initial_state(chance="explicit"), list[tuple[str, str]]()
    while not state.is_terminal:
        if (state.stage, state.phase) not in steps:
            steps.append((state.stage, state.phase))
        if state.current_player < 0:  # any card, but dice that are not alike
            outcomes = state.chance_outcomes()
            state.apply_chance(
                outcomes[len(state.view().deck) % len(outcomes)][0] if state.phase != "die" else die(state)
            )
        else:
            state.apply(state.legal_actions()[-2])
    chapters = {stage: [step for one, step in steps if one == stage and step != "amount"] for stage, _ in steps}
    assert list(chapters) == ["prologue", "chapter_1", "chapter_2", "chapter_3", "epilogue"]
    assert chapters["prologue"] == ["first_player", "settle", "prologue_action", "die"]
    for name in ("chapter_1", "chapter_2"):
        assert [step for step in chapters[name] if step != "king"] == ["event", "action", "die"]
    assert [step for step in chapters["chapter_3"] if step != "king"] == ["event", "action"]
    assert chapters["epilogue"] == ["convert"]


def die(state: State) -> int:
    """The last player rolls high, so that nobody is level with him."""
    dice = state.view().dice
    assert dice is not None
    return 6 if sum(map(bool, dice["left"])) == 1 else 1


def test_p1_settle_in_order_one_player_an_island() -> None:
    """[P1] Clockwise from the first player, 20 tokens each; the last player of four has two islands left."""
    state = play(game(4).initial_state(chance="explicit"), 2)
    order = []
    for island in ("maui", "kauai", "hawaii", "oahu"):
        order.append(state.current_player)
        play(state, f"settle {island}")
    assert order == [2, 3, 0, 1] and [of(state, p).tokens for p in range(4)] == [
        (0, 0, 0, 0, 20), (0, 20, 0, 0, 0), (0, 0, 0, 20, 0), (20, 0, 0, 0, 0),
    ]  # fmt: skip
    refuses(IllegalActionError, ("P2", lambda: state.apply(2)))


def test_p1_a_settled_island_is_taken() -> None:
    """[P1] Nobody settles where somebody has."""
    state = play(game().initial_state(chance="explicit"), 0, "settle maui")
    assert texts(state) == ["settle kauai", "settle oahu", "settle molokai", "settle hawaii"]


def test_p2_two_actions_each_in_turn() -> None:
    """[P2] One action each, then a second one each: a group to another island, occupied or not, or a warrior."""
    state = settled("maui", "oahu", first=1)
    assert state.current_player == 1 and "warrior" in texts(state)
    play(state, "migrate maui oahu")
    assert state.current_player == 1 and texts(state) == [f"amount {n}" for n in range(1, 21)]
    play(state, "amount 5")
    assert state.current_player == 0 and of(state, 1).tokens == (0, 5, 0, 15, 0) and of(state, 1).moves == 1
    play(state, "warrior", "warrior")
    assert [have(state, p)["warrior"] for p in (0, 1)] == [1, 1] and state.current_player == 0
    play(state, "warrior")
    assert state.phase == "die" and have(state)["warrior"] == 2


def test_p3_battle_of_kuamoo() -> None:
    """[P3] Most warriors have a third die; the highest total is king; each island's chief goes to most tokens, after a
    tie to nobody.
    """
    state = settled("maui", "oahu")
    play(state, "migrate maui oahu", "amount 20", "warrior", "migrate oahu maui", "amount 4", "warrior")
    assert state.view().dice == {"left": (2, 3), "totals": (0, 0)}
    play(state, 6, 6, 1, 2)
    assert state.view().dice == {"left": (0, 1), "totals": (12, 3)}
    play(state, 6)
    view = state.view()
    assert view.king == "red_0" and view.stage == "chapter_1" and view.chiefs == (None, "yellow_1", None, "red_0", None)
    assert of(state, 0).cards == ("prologue monarch", "prologue maui") and have(state, 1)["warrior"] == 2


def test_p3_an_equal_total_is_rolled_again() -> None:
    """[P3] Only those level for the highest total roll again, until one is highest."""
    state = settled("maui", "oahu", "kauai")
    for _ in range(3):
        play(state, "warrior")
    for _ in range(3):
        play(state, "warrior")
    play(state, 5, 5, 1, 1, 6, 4)
    assert state.view().dice == {"left": (2, 0, 2), "totals": (0, 0, 0)}
    play(state, 1, 1, 1, 1)
    assert state.view().dice == {"left": (2, 0, 2), "totals": (0, 0, 0)}
    play(state, 1, 1, 1, 2)
    assert state.view().king == "green_2"


@pytest.mark.parametrize(("warriors", "dice"), [((0, 0), (3, 3)), ((2, 1), (3, 2)), ((1, 2, 2), (2, 3, 3)),
    ((1, 1, 1), (2, 2, 2)), ((0, 3, 3, 3), (2, 2, 2, 2)), ((1, 4, 0, 2), (2, 3, 2, 2))])  # fmt: skip
def test_p3_third_die(warriors: tuple[int, ...], dice: tuple[int, ...]) -> None:
    """[P3, C3] Two level for most both have the third die; with three or four nobody."""
    names = ("red", "yellow", "green", "blue")
    own: dict[str, Any] = {name: {"warrior": n, "actions": tokens()} for name, n in zip(names, warriors, strict=False)}
    own["red"]["actions"] = tokens(maui=1)
    state = play(chapter(players=len(warriors), **own), "take maui")
    assert state.view().dice == {"left": dice, "totals": (0,) * len(dice)}


def test_p4_scoring() -> None:
    """[P4] King Kamehameha I 2 points, each chief 1."""
    state = settled("maui", "oahu")
    play(state, "migrate maui hawaii", "amount 5", "warrior", "warrior", "warrior")
    play(state, 1, 1, 3, 3, 3)
    assert [of(state, p).points for p in (0, 1)] == [2, 3]


def test_ad_action_tokens() -> None:
    """[AD] Two on an island whose card one holds, one where one is present, none elsewhere; one more with the King."""
    state = settled("maui", "oahu")
    play(state, "migrate maui oahu", "amount 5", "warrior", "warrior", "warrior")
    play(state, 6, 6, 1, 1, 1)
    assert state.phase == "king" and state.current_player == 0 and texts(state) == ["king oahu", "king maui"]
    assert of(state, 0).actions == (0, 1, 0, 2, 0) and of(state, 1).actions == (0, 2, 0, 0, 0)
    play(state, "king oahu")
    assert of(state, 0).actions == (0, 2, 0, 2, 0) and state.phase == "event"


def test_c1_action_tokens_are_reset() -> None:
    """[C1] What is left on the islands counts anew at each chapter: two tokens for the card that Chapter I gave."""
    state = chapter(
        red={"actions": tokens(oahu=1), "tokens": tokens(oahu=3, maui=5)},
        yellow={"actions": tokens(), "tokens": tokens(oahu=4)},
    )
    play(state, "take oahu", 6, 6, 6, 1, 1, 1)
    assert (
        state.stage == "chapter_2" and of(state).actions == (0, 1, 0, 2, 0) and of(state, 1).actions == (0, 2, 0, 0, 0)
    )


def test_to_who_has_most_actions_acts() -> None:
    """[TO] Most tokens left first, several times running if need be; of equals, more points first."""
    state = chapter(
        red={"actions": tokens(oahu=1), "points": 3},
        yellow={"actions": tokens(molokai=2), "cards": ["prologue molokai"], "points": 4},
        order=["yellow_1", "red_0"],
    )  # fmt: skip
    acted = []
    for text in ("take molokai", "take molokai", "take oahu"):
        acted.append(state.current_player)
        play(state, text)
    assert acted == [1, 1, 0]


def test_to_first_player_of_a_chapter() -> None:
    """[TO] The order of ties is by points; who has most tokens, of equals the first in it, acts first in the
    chapter.
    """
    state = chapter(
        "chapter_1",
        "king",
        red={"points": 2, "tokens": tokens(oahu=1, maui=2)},
        yellow={"points": 4, "tokens": tokens(kauai=1, oahu=1, molokai=1)},
    )
    play(state, "king maui")
    assert state.view().order == ("yellow_1", "red_0") and state.view().first == "yellow_1"


def test_c2_four_cards_then_actions() -> None:
    """[C2] Four event cards are laid out, then an Action token is used for one of four things."""
    state = chapter("chapter_1", "king", red={"tokens": tokens(oahu=1, maui=2), "actions": tokens(oahu=1, maui=1)})
    play(state, "king maui", 1, 2, 3)
    assert state.phase == "event" and state.view().face_up == (1, 2, 3, None) and len(state.chance_outcomes()) == 17
    play(state, 4)
    assert state.phase == "action" and state.view().face_up == (1, 2, 3, 4)
    assert texts(state) == [
        *(f"migrate oahu {to}" for to in ("kauai", "molokai", "maui", "hawaii")),
        *(f"migrate maui {to}" for to in ("kauai", "oahu", "molokai", "hawaii")),
        "warrior oahu", "warrior maui", "take oahu", "take maui", "event 2 oahu",
    ]  # fmt: skip


def test_c2_each_chapter_has_its_own_deck() -> None:
    """[C2, C2e] The cards are drawn from the running chapter's twenty."""
    titles = {
        "chapter_1": "Cook at Waimea, 1778", "chapter_2": "The Great Māhele, 1848",
        "chapter_3": "The Kū'ē Petitions, 1897"
    }  # fmt: skip
    for stage, title in titles.items():
        state = play(chapter(stage, "king"), "king oahu")
        assert [outcome for outcome, _ in state.chance_outcomes()] == list(range(1, 21))
        assert state.chance_text(1) == f"event 1 {title}"


def test_c2m_migrate() -> None:
    """[C2m] A group of 1 to all leaves an island for another, for an Action token of the island left."""
    state = chapter(red={"tokens": tokens(oahu=2, maui=3), "actions": tokens(oahu=1, kauai=2)})
    assert "migrate maui oahu" not in texts(state) and "migrate kauai oahu" not in texts(state)
    play(state, "migrate oahu maui")
    assert texts(state) == ["amount 1", "amount 2"] and state.view().migration == ("oahu", "maui")
    play(state, "amount 2")
    assert of(state).tokens == (0, 0, 0, 5, 0) and of(state).actions == (2, 0, 0, 0, 0)


def test_c2w_warrior() -> None:
    """[C2w] One warrior for an Action token of any island; none in Chapter III."""
    state = play(chapter(red={"actions": tokens(maui=2)}), "warrior maui")
    assert have(state)["warrior"] == 1 and of(state).actions == (0, 0, 0, 1, 0)
    assert not [text for text in texts(chapter("chapter_3")) if text.startswith("warrior")]


@pytest.mark.parametrize(("island", "stage", "gain"), [
    ("kauai", "chapter_1", {"hawaiian": 1}), ("oahu", "chapter_1", {"commerce": 1}),
    ("molokai", "chapter_2", {"aloha": 2}),
    ("maui", "chapter_3", {"aloha": 1}), ("hawaii", "chapter_2", {"warrior": 2}), ("hawaii", "chapter_3", {"vote": 1}),
])  # fmt: skip
def test_c2r_island_resources(island: str, stage: str, gain: dict[str, int]) -> None:
    """[C2r] What an Action token takes on each island; a Pure Hawaiian token goes from the pool to Kaua'i."""
    state = chapter(stage, red={"actions": tokens(**{island: 2}), "tokens": [3] * 5})
    before = have(state)
    play(state, f"take {island}")
    assert have(state) == {name: n + gain.get(name, 0) for name, n in before.items()}
    assert of(state).actions == tuple(tokens(**{island: 1})) and of(state).tokens[0] == 3 + (island == "kauai")


def test_c2e_an_event_is_paid_then_received() -> None:
    """[C2e] The player pays, receives, and the slot is drawn for; the card needs an Action token on an Active
    island.
    """
    state = chapter(
        face_up=[1, 8, 3, 4], deck=[5, 6], red={"actions": tokens(kauai=1, oahu=1), "tokens": tokens(kauai=2, oahu=1)}
    )
    assert [text for text in texts(state) if text.startswith("event")] == [
        "event 1 kauai", "event 2 oahu", "event 3 kauai", "event 4 kauai",
    ]  # fmt: skip
    play(state, "event 1 kauai")
    assert have(state) == {"hawaiian": 2, "commerce": 3, "aloha": 0, "warrior": 0, "vote": 0}
    assert of(state).tokens == (1, 1, 0, 0, 0) and of(state).actions == (0, 1, 0, 0, 0)
    assert state.chance_outcomes() == [(5, 0.5), (6, 0.5)] and "'Ai Noa" in state.chance_text(5)
    assert play(state, 6).view().face_up == (6, 8, 3, 4)


def test_c2e_a_calamity_strikes_everybody_when_drawn() -> None:
    """[C2e] It is executed at once, replaced in the same slot, and no action of anybody."""
    state = chapter(
        phase="event",
        face_up=[1, 8, None, 4],
        deck=[5, 16],
        red={"tokens": tokens(oahu=3)},
        yellow={"tokens": tokens(oahu=1)},
    )
    play(state, 16)
    assert of(state).tokens == tuple(tokens(oahu=1)) and of(state, 1).tokens == tuple(tokens(oahu=1))
    assert state.phase == "event" and state.view().deck == (5,) and of(state).pool == 29
    assert play(state, 5).view().face_up == (1, 8, 5, 4)


def test_c2e_a_calamity_on_opponents() -> None:
    """[C2e] All opponents present on the island of the Action token pay, who plays it does not."""
    state = chapter(
        players=3, face_up=[19, 8, 3, 4], red={"commerce": 5}, yellow={"commerce": 3}, green={"commerce": 1}
    )
    play(state, "event 1 oahu")
    assert [have(state, p)["commerce"] for p in range(3)] == [5, 1, 1]


def test_c3_paulet() -> None:
    """[C3] The Paulet Affair: King Kamehameha III, the King token and its additional Action, and the island cards."""
    state = chapter(
        red={"actions": tokens(oahu=1), "tokens": tokens(oahu=3, maui=1)},
        yellow={"actions": tokens(), "warrior": 4, "tokens": tokens(oahu=2, maui=4, hawaii=1)},
    )
    play(state, "take oahu")
    assert state.view().dice == {"left": (2, 3), "totals": (0, 0)}
    play(state, 1, 1, 2, 2, 2)
    view = state.view()
    assert view.stage == "chapter_2" and view.king == "yellow_1"
    assert of(state, 1).cards == ("chapter_1 monarch", "chapter_1 maui", "chapter_1 hawaii")
    assert of(state).cards == ("prologue monarch", "chapter_1 oahu")
    assert play(state, "king hawaii").view().players["yellow_1"].actions == (0, 1, 0, 2, 3)


def test_c3_paulet_and_abdication() -> None:
    """[C3] Chapters I and II end with a conflict, for their own cards and the King/Queen token; Chapter III has
    none.
    """
    state = chapter("chapter_2", red={"actions": tokens(oahu=1)}, yellow={"actions": tokens(), "warrior": 4})
    play(state, "take oahu", 1, 1, 2, 2, 2)
    view = state.view()
    assert (
        view.stage == "chapter_3"
        and view.king == "yellow_1"
        and of(state, 1).cards == ("chapter_2 monarch", "chapter_2 molokai")
    )
    assert of(state).cards == ("prologue monarch", "chapter_1 monarch", "chapter_2 kauai")
    ended = play(chapter("chapter_3", red={"actions": tokens(oahu=1)}, yellow={"actions": tokens()}), "take oahu")
    assert ended.stage == "epilogue"


def test_c4_scoring_of_a_chapter() -> None:
    """[C4] Monarch 2, each island card 1, majorities 1, 2 and 3 with two players."""
    state = chapter(
        red={"actions": tokens(oahu=1), "tokens": tokens(oahu=3, maui=5), "commerce": 4},
        yellow={"actions": tokens(), "tokens": tokens(oahu=4), "aloha": 1},
    )
    play(state, "take oahu", 1, 1, 1, 6, 6, 6)
    assert [of(state, p).points for p in (0, 1)] == [1 + 1 + 2, 2 + 1 + 3]


def test_c4_majorities_of_four() -> None:
    """[C4] 3, 2, 1, 0 for Pure Hawaiian tokens, 2, 1, 0, 0 for the others, in Chapter III without cards."""
    names = ("red", "yellow", "green", "blue")
    own: dict[str, Any] = {
        name: {"actions": tokens(maui=int(i == 0)), "tokens": tokens(oahu=9 - i), "aloha": 9 - i, "commerce": 5 + i}
        for i, name in enumerate(names)
    }
    state = epilogue(4, **own)
    assert [of(state, p).points for p in range(4)] == [3 + 0 + 2, 2 + 0 + 1, 1 + 1 + 0, 0 + 2 + 0]


def epilogue(players: int = 2, **kw: Any):
    fields: dict[str, Any] = {name: {"actions": tokens(maui=int(name == "red")), **own} for name, own in kw.items()}
    state = chapter("chapter_3", players=players, **fields)
    return play(state, "take maui") if state.phase == "action" else state  # the only choice is taken by itself


def test_e1_conversion() -> None:
    """[E1] By points, high to low, up to five each: tokens into Commerce or Aloha, these into votes; one may stop."""
    state = epilogue(
        red={"tokens": tokens(maui=2), "points": 3}, yellow={"tokens": tokens(oahu=9), "commerce": 1, "points": 3}
    )
    assert state.view().order == ("yellow_1", "red_0") and state.current_player == 1
    assert texts(state) == ["convert oahu commerce", "convert oahu aloha", "convert commerce vote", "done"]
    play(
        state,
        "convert oahu aloha",
        "convert aloha vote",
        "convert oahu commerce",
        "convert commerce vote",
        "convert commerce vote",
    )
    assert state.current_player == 0 and have(state, 1) == {
        "hawaiian": 7,
        "commerce": 0,
        "aloha": 0,
        "warrior": 0,
        "vote": 3,
    }
    assert of(state, 1).converted == 5 and of(state, 1).pool == 23
    assert play(state, "convert maui commerce", "done").is_terminal and of(state).converted == 1


def test_e2_representatives() -> None:
    """[E2] Most tokens on an island; tie or empty: nobody."""
    state = epilogue(red={"tokens": tokens(maui=2, oahu=3)}, yellow={"tokens": tokens(oahu=3, kauai=1)})
    play(state, "done", "done")
    assert state.view().chiefs == ("yellow_1", None, None, "red_0", None)


@pytest.mark.parametrize(("red", "yellow", "winner"), [
    ({"vote": 4}, {"vote": 3}, 0),
    # five votes on cards: 2 and 2 and 2 of monarchs are red's, too
    ({"vote": 3, "cards": ["chapter_2 maui"]}, {"vote": 4}, 0),
    ({"vote": 3, "tokens": tokens(oahu=4)}, {"vote": 9, "tokens": tokens(oahu=5)}, 1),
    ({"vote": 3, "aloha": 5}, {"vote": 9, "aloha": 7}, 1),
    ({"vote": 3, "commerce": 5}, {"vote": 9, "commerce": 6, "aloha": 1}, 1),
    ({"vote": 3}, {"vote": 9, "aloha": 1}, None),
])  # fmt: skip
def test_e3_governor(red: dict, yellow: dict, winner: int | None) -> None:
    """[E3] Most votes, those on all Royal Family cards too; ties by Pure Hawaiian tokens, Aloha, Commerce; else an
    independent.
    """
    base = {"tokens": tokens(oahu=5)}
    state = epilogue(red={**base, **red}, yellow={**base, **yellow})
    play(state, "done", "done")
    held = [p for p in (0, 1) if "epilogue monarch" in of(state, p).cards]
    assert held == ([] if winner is None else [winner])


def test_e4_final_scoring() -> None:
    """[E4] Governor 5, Representatives 1 each, a point for 5 Pure Hawaiian tokens, 3 Commerce, 4 Aloha, remainders
    lost.
    """
    state = epilogue(
        red={"tokens": tokens(oahu=14, maui=1), "commerce": 8, "aloha": 10},
        yellow={"tokens": tokens(kauai=4), "aloha": 3},
    )
    before = [of(state, p).points for p in (0, 1)]
    play(state, "done", "done")
    gains = [of(state, p).points - was for p, was in enumerate(before)]
    assert gains == [5 + 2 + 3 + 2 + 2, 1 + 0 + 0 + 0]


def test_w_winner() -> None:
    """[W] Most points win; ties by tokens, then Aloha, then Commerce."""
    state = play(epilogue(red={"points": 9}, yellow={}), "done", "done")
    outcome = state.outcome()
    assert (
        outcome is not None and outcome.winner == 0 and outcome.places == (1, 2) and outcome.reason == "most points [W]"
    )
    assert outcome.scores == (of(state).points, of(state, 1).points) and outcome.shares == (1, 0)


@pytest.mark.parametrize(("red", "yellow", "places"), [
    ({"tokens": tokens(oahu=3)}, {"tokens": tokens(oahu=4)}, (2, 1)), ({"aloha": 3, "commerce": 1},
        {"aloha": 2, "commerce": 9}, (1, 2)),
    ({"commerce": 1}, {"commerce": 9}, (2, 1)),
])  # fmt: skip
def test_w_ties_are_broken(red: dict, yellow: dict, places: tuple[int, int]) -> None:
    """[W] Level in points: Pure Hawaiian tokens, then Aloha, then Commerce."""
    base = {"points": 20, "tokens": tokens(maui=2)}
    outcome = chapter("epilogue", "over", red={**base, **red}, yellow={**base, **yellow}).outcome()
    assert outcome is not None and outcome.places == places and "tie broken" in outcome.reason
