"""The rulings, one test each."""

from __future__ import annotations

import itertools

import pytest
from moves import play, texts
from refusals import refuses

from hawaii_env.errors import StateError
from hawaii_env.game import CHANCE
from hawaii_env.heiau import Game
from hawaii_env.heiau.rules.ending import REASON_TEXTS, reason, winner
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.render.text import render_text

from .helpers import BOARD, Phase, can, position, shown, units

RULES = Ruleset.load()


def test_r_01() -> None:
    """[R-01] Only the printed pairs share their first four letters."""
    names = {space.id: "".join(filter(str.isalpha, space.name)).lower()[:4] for space in RULES.spaces}
    pairs = {frozenset(p) for p in itertools.combinations(names, 2) if names[p[0]] == names[p[1]]}
    assert pairs == {
        frozenset(p) for p in (("kona_coast", "kona_kailua"), ("hamakua", "hamakua_coast"), ("makaleha", "makanalua"))
    }


def test_r_02() -> None:
    """[R-02] Kona Coast is a sea, and Sunrise's start in Discrete unless the option says otherwise."""
    assert BOARD.kind[BOARD.index["kona_coast"]] == BOARD.kind[BOARD.index["hamakua_coast"]] == "sea"
    assert "B kona_coast" in Game(scenario="discrete").initial_state(seed=0).view().units["sunrise"]
    other = Game(scenario="discrete", discrete_start="kona_kailua").initial_state(seed=0).view()
    assert "B kona_kailua" in other.units["sunrise"] and other.owners["kona_kailua"] == "sunrise"


def test_r_03() -> None:
    """[R-03] Waimea and Kilauea are Kauai's, Waipio is Maui's."""
    islands = {space.id: space.island for space in RULES.spaces}
    assert (islands["waimea"], islands["kilauea"], islands["waipio"]) == ("kauai", "kauai", "maui")


def test_r_04() -> None:
    """[R-04] 17 heiaus, nine of which win; all native starts on land are among them."""
    assert BOARD.heiaus.bit_count() == 17 and RULES.victory == 9
    for scenario in RULES.scenarios.values():
        for power in scenario.powers:
            for unit in power.units:
                space = BOARD.space_of[unit.place]
                assert power.european or not BOARD.is_land(space) or BOARD.heiaus >> space & 1


def test_r_05() -> None:
    """[R-05] Powers own the heiaus on which they start."""
    owners = Game(scenario="discrete").initial_state(seed=0).view().owners
    assert owners == {
        "puna": "sunrise",
        "makanalua": "midday",
        "waipio": "midday",
        "kilauea": "sunset",
        "aiea": "sunset",
    }


def test_r_06() -> None:
    """[R-06] Reaching one coast of Makanalua is enough to support into it, on whatever coast."""
    phase = Phase("dawn: B kaunalu - makanalua/s\ndawn: F npo S B kaunalu - makanalua\ndusk: B makanalua/n H")
    assert "dawn B makanalua/s" in phase.after and "dusk B makanalua/n out" in phase.after


def test_r_07() -> None:
    """[R-07] A support inland burns boats though the supported unit is ordered something else."""
    assert "dawn A kahului" in Phase("dawn: B kahului S A honuaula - haleakala\ndusk: A honuaula - hana").after


def test_r_08() -> None:
    """[R-08] Without `via` nobody is convoyed; with it nobody marches."""
    plain = Phase("dawn: A halawa - makanalua\ndusk: F kalohi C A halawa - makanalua\ndusk: A makanalua - halawa")
    assert plain.after == units("dawn A halawa", "dusk A makanalua", "dusk F kalohi")
    failed = Phase("dawn: A halawa - makanalua via\ndusk: F kalohi H")
    assert failed.after == units("dawn A halawa", "dusk F kalohi")
    swapped = Phase("dawn: A halawa - makanalua via\ndusk: F kalohi C A halawa - makanalua\ndusk: A makanalua - halawa")
    assert swapped.after == units("dawn A makanalua", "dusk A halawa", "dusk F kalohi")


def test_r_09() -> None:
    """[R-09] A bunch's coasts count in a convoy; an army uses either."""
    assert not any("via" in order for order in can("dawn: B makanalua/n H\ndusk: F kalohi H", "makanalua"))
    assert "- lanai via" in can("dawn: A makanalua H\ndusk: F kalohi H", "makanalua")
    orders = can("dawn: B lanai H\ndusk: F kalohi H", "lanai")
    assert "- makanalua/s via" in orders and "- makanalua/n via" not in orders


def test_r_10() -> None:
    """[R-10] A bunch at sea is not convoyed."""
    assert not any("via" in order for order in can("dawn: B auau H\ndusk: F kalohi H", "auau"))
    assert not any(order.startswith("C") for order in can("dawn: B auau H\ndusk: F kalohi H", "kalohi"))


def test_r_11() -> None:
    """[R-11] No boats are built in an inland space."""
    assert "= B" in can("dawn: A hilo H", "hilo") and not any("=" in o for o in can("dawn: A humuula H", "humuula"))


def test_r_12() -> None:
    """[R-12] A move by an undisturbed convoy is an attack, one whose convoy fails is none."""
    lines = "dawn: A kaunalu = B\ndusk: A lanai - kaunalu via\ndusk: F kalohi {}"
    assert "dawn A kaunalu" in Phase(lines.format("C A lanai - kaunalu")).after
    assert "dawn B kaunalu" in Phase(lines.format("H")).after


def test_r_13() -> None:
    """[R-13] No second post in a space."""
    state = position(
        "two_haoles",
        {"south": ["F koolau"], "north": ["F npo"]},
        year=2,
        posts=["koolau"],
        unbuilt=["south"],
        owners={"koolau": "north"},
    )
    assert "post" not in texts(state)


def test_r_14() -> None:
    """[R-14] A convoyed attack that would cut the support against its own fleet fails; Szykman."""
    phase = Phase(
        """dawn: A lanai - kaunalu via
        dawn: F kalohi C A lanai - kaunalu
        dusk: B kaunalu S B pailolo - kalohi
        dusk: B pailolo - kalohi"""
    )
    assert phase.after == units("dawn A lanai", "dawn F kalohi out", "dusk B kaunalu", "dusk B kalohi")


def test_r_15() -> None:
    """[R-15] After a convoyed attack its start is open to a retreat, after a march not."""
    march = Phase("dawn: A halawa - makanalua\ndawn: B kaunalu S A halawa - makanalua\ndusk: A makanalua H")
    convoy = Phase(
        "dawn: A halawa - makanalua via\ndusk: F kalohi C A halawa - makanalua\ndawn: B kaunalu S A halawa - "
        "makanalua\ndusk: A makanalua H"
    )
    assert [by for _, by in march.result.dislodged.values()] == [BOARD.index["halawa"]]
    assert [by for _, by in convoy.result.dislodged.values()] == [-1]
    for by, open_ in (("halawa", False), (None, True)):
        state = position(
            "triangle",
            {"dawn": ["A makanalua"]},
            phase="retreats",
            dislodged=[{"unit": "A makanalua", "power": "dusk", "from": by}],
        )
        assert ("retreat halawa" in texts(state)) == open_


def test_r_16() -> None:
    """[R-16] Two who retreat to one space are both disbanded; coasts aside."""
    state = position(
        "triangle",
        {"dawn": ["A hilo", "A mauna_loa"]},
        phase="retreats",
        dislodged=[
            {"unit": "A mauna_loa", "power": "noon", "from": None},
            {"unit": "A hilo", "power": "dusk", "from": None},
        ],
    )
    assert shown(play(state, "retreat puna", "retreat puna")) == units("dawn A hilo", "dawn A mauna_loa")


def test_r_17() -> None:
    """[R-17] Armies are built on posts, too."""
    state = position(
        "discovery",
        {"haole": ["F spo"], "dawn": ["B puna"]},
        season="fall",
        phase="adjustments",
        posts=["koolau"],
        unbuilt=[],
        owners={"koolau": "haole", "puna": "dawn"},
    )
    assert texts(state) == ["build koolau", "done"]


def test_r_18() -> None:
    """[R-18] A fleet is not removed, even with no heiau at all."""
    state = position(
        "discovery",
        {"haole": ["F spo", "A hilo", "A hana"], "dawn": ["B puna"]},
        season="fall",
        phase="adjustments",
        owners={"puna": "dawn"},
    )
    assert texts(state) == ["remove hana", "remove hilo"]
    play(state, "remove hana")
    assert shown(state) == units("dawn B puna", "haole F spo") and state.phase == "orders"


def test_r_19() -> None:
    """[R-19] The second ballot is the natives' alone; whether there was one is not in the number of the turn."""
    state = play(Game(scenario="two_haoles").initial_state(chance="explicit"), *["vote heart", "vote wings"] * 3)
    assert [state.current_player for _ in range(4) if play(state, "vote wings")] == [1, 2, 3, 0]
    other = play(Game(scenario="two_haoles").initial_state(chance="explicit"), *["vote wings"] * 6)
    assert state.phase == other.phase == "orders" and state.sealed_turn == other.sealed_turn
    assert state.view(4) == other.view(4) or state.view(4).entered == other.view(4).entered


def test_r_20() -> None:
    """[R-20] What a blind European may order does not depend on what is hidden; a search's start is chance after its
    orders.
    """
    legal = []
    for vote in ("heart", "wings"):
        state = play(Game(scenario="two_haoles").initial_state(seed=1), *[f"vote {vote}"] * 6)
        while state.current_player != 4:
            state.apply(state.legal_actions()[0])
        legal.append(texts(state))
    assert legal[0] == legal[1] and "support npo" in legal[0]
    search = state.for_search(4)
    assert search.current_player == 4
    search.apply(search.legal_actions()[0])
    assert search.current_player == CHANCE and search.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    search.apply_chance(1)
    assert search.current_player == 0 and search.view(0).units["dawn"] == ["B puna"]


def test_r_21() -> None:
    """[R-21] A post is none of the nine, unless the option says so; level powers play on."""
    heiaus = ["niihau", "waimea", "kilauea", "wailua", "aiea", "oahu_kailua", "lanai", "kohoolawe"]
    owners = dict.fromkeys(heiaus, "haole") | {"koolau": "haole", "puna": "dawn"}
    for posts_win in (False, True):
        state = position(
            "discovery",
            {"dawn": ["A puna"], "haole": ["F koolau"]},
            season="fall",
            posts=["koolau"],
            unbuilt=[],
            owners=owners,
            posts_win=posts_win,
        )
        assert play(state, "hold", "hold").is_terminal == posts_win


def test_r_22() -> None:
    """[R-22] The last power left in wins at the end of Fall; with none left it is a draw."""
    state = play(position("race", {"sunrise": ["A puna"]}, season="fall"), "hold")
    outcome = state.outcome()
    assert outcome is not None and outcome.winner == 0 and "R-22" in outcome.reason


def test_r_23() -> None:
    """[R-23] A draw after the last year, shared by the option `scoring`."""
    several = {"puna": "dawn", "hilo": "dawn", "kohala": "noon"}
    alone = {"puna": "dawn"}
    state = Game().initial_state(seed=0)
    for scoring, owners, expected in (
        ("draw_size", several, [0.5, 0.5, 0]),
        ("solo", several, [1 / 3] * 3),
        ("draw_size", alone, [1, 0, 0]),
        ("solo", alone, [1 / 3] * 3),
        ("sum_of_squares", alone, [1, 0, 0]),
        ("sum_of_squares", several, [0.8, 0.2, 0]),
    ):
        state = position(
            "triangle",
            {"dawn": ["A mauna_loa"], "dusk": ["A koloa"]},
            year=3,
            season="fall",
            owners=owners,
            last_year=3,
            scoring=scoring,
        )
        outcome = play(state, "hold", "hold").outcome()
        assert outcome is not None and outcome.shares == pytest.approx(expected) and "R-23" in outcome.reason
        # What is shared is a draw in every word, however unequal the shares are.
        won = expected[0] == 1
        assert (outcome.winner, "a draw" in outcome.reason) == ((0, False) if won else (None, True))
        assert winner(state.game.tables, state.interpreted()) == (0 if won else -1)
        assert REASON_TEXTS[reason(state.game.tables, state.interpreted())] == outcome.reason
        assert ("wins" in render_text(state)) == won
    assert state.returns() == pytest.approx([0.7, -0.2, -0.5])


def test_r_24() -> None:
    """[R-24] Powers are drawn before everything, in Two Haoles after the ballots; a player then plays that power."""
    game = Game(scenario="two_haoles", assignment="random")
    state = game.initial_state(chance="explicit")
    assert state.phase == "ballot" and game.agents[0] == "player_0"
    play(state, *["vote heart"] * 2, *["vote wings"] * 4)
    assert state.phase == "assignment"
    for power in (5, 4, 3, 2, 1):
        state.apply_chance(power)
    assert state.phase == "orders" and state.current_player == 5
    view = state.view(5)
    assert view.assignment == ["north", "south", "dusk", "afternoon", "morning", "dawn"]
    assert view.ballots["north"] == view.ballots["south"] == "heart" and view.setup == "wings"
    assert state.view(0).setup is None
    race = Game(assignment="random").initial_state(chance="explicit")
    assert race.phase == "assignment" and race.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    race.apply_chance(1)
    assert race.current_player == 1


def test_r_25() -> None:
    """[R-25] One's own move into the space does not disturb the building of boats, and bounces."""
    assert Phase("dawn: A kohala = B\ndawn: A kawaihae - kohala").after == units("dawn B kohala", "dawn A kawaihae")


def test_r_26() -> None:
    """[R-26] A bunch that burned its boats and is dislodged retreats as an army."""
    phase = Phase(
        "dawn: B kahului S A honuaula - haleakala\ndawn: A honuaula H\ndusk: A waipio - kahului\ndusk: B lahaina S A "
        "waipio - kahului"
    )
    assert "dawn A kahului out" in phase.after


def test_r_27() -> None:
    """[R-27] A fleet that convoys in a coastal space is not disturbed by an attack that fails."""
    phase = Phase("dawn: B kaunalu - kalohi via\ndawn: F makanalua/s C B kaunalu - kalohi\ndusk: A halawa - makanalua")
    assert "dawn B kalohi" in phase.after


def test_r_28() -> None:
    """[R-28] To an inland neighbour: convoyed with boats, or on foot without."""
    convoyed = Phase(
        "dawn: B kahului - honuaula via\ndusk: F waipio C B kahului - honuaula\ndusk: A hana H", check=False
    )
    assert "dawn B kahului" in convoyed.after  # Waipio does not touch Honuaula: the convoy fails, and no boats burn
    lines = "dawn: B aiea - oahu_kailua{}\ndusk: F kaiwi C B aiea - oahu_kailua"
    assert "dawn B oahu_kailua" in Phase(lines.format(" via")).after
    assert "dawn A oahu_kailua" in Phase(lines.format("")).after


def test_positions_that_cannot_be_are_rejected() -> None:
    """[R-20] Before the first Spring orders are in, nobody has moved."""
    refuses(
        StateError,
        (
            "stand where they started",
            lambda: Game(scenario="haole").position(units={"dawn": ["B lanai"]}, setup="heart"),
        ),
    )
