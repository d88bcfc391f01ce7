"""The rules by the headings of the rulebook."""

from __future__ import annotations

import pytest
from moves import play, texts
from refusals import refuses

from hawaii_env.game import CHANCE
from hawaii_env.heiau import Game
from hawaii_env.heiau.ruleset import Ruleset

from .helpers import BOARD, Phase, can, position, shown, units

RULES = Ruleset.load()


def test_a_turn() -> None:
    """[Race, Calendar, Winter] The whole year of the ruleset page's example."""
    state = Game(scenario="race").initial_state(seed=1)
    assert (state.record.year, state.view().season) == (1, "spring")
    play(state, "move kawaihae", "move hilo", "move wailua", "move waikiki")
    assert state.view().season == "fall"
    play(state, "hold", "move hamakua", "hold", "move oahu_kailua")
    assert state.phase == "adjustments"
    owners = state.view().owners
    assert {s for s, p in owners.items() if p == "sunrise"} == {"kona_kailua", "puna", "kawaihae", "hamakua"}
    assert {s for s, p in owners.items() if p == "sunset"} == {"kilauea", "aiea", "wailua", "oahu_kailua"}
    play(state, "build puna", "build kona_kailua", "build kilauea", "done")
    assert (state.record.year, state.phase) == (2, "orders")
    assert len(state.view().units["sunrise"]) == 4 and len(state.view().units["sunset"]) == 3
    assert "A puna" in state.view().units["sunrise"]


def test_armies_build_boats() -> None:
    """[Armies] An army that is not attacked becomes a bunch; attacked, even in vain, it stays an army."""
    assert Phase("dawn: A kohala = B").after == ["dawn B kohala"]
    tried = Phase("dawn: A kohala = B\ndusk: B hamakua - kohala\ndusk: B alenuihaha H")
    assert tried.after == units("dawn A kohala", "dusk B hamakua", "dusk B alenuihaha")
    assert not tried.success("kohala")
    helped = Phase(
        "dawn: A kohala = B\ndawn: A kawaihae S A kohala\ndusk: B hamakua - kohala\ndusk: B hamakua_coast S B hamakua "
        "- kohala"
    )
    assert "dawn A kohala" in helped.after


def test_bunches_move_and_support_as_fleets() -> None:
    """[Boats] By water along coasts and over seas."""
    assert can("dawn: B lanai H", "lanai") == {"H", "- kalohi", "- auau", "- kealaikahiki"}
    assert "- auau" in can("dawn: B kalohi H", "kalohi")
    forced = Phase("dawn: B auau - lanai\ndawn: B kalohi S B auau - lanai\ndusk: B lanai H")
    assert forced.after == units("dawn B lanai", "dawn B kalohi", "dusk B lanai out")


def test_bunches_do_not_convoy() -> None:
    """[Boats 1] Only fleets convoy."""
    assert not any(order.startswith("C") for order in can("dawn: B kalohi H\ndawn: A lanai H", "kalohi"))
    assert "C A lanai - halawa" in can("dawn: F kalohi H\ndawn: A lanai H", "kalohi")


def test_oceans_are_closed_to_bunches() -> None:
    """[Boats 2] No move, support or convoy into an ocean; but across."""
    orders = can("dawn: B lanai H\ndusk: F spo H\ndusk: F kalohi H", "lanai")
    assert not any(order.removesuffix(" via").endswith(("- spo", "- npo", "S F spo", "S F npo")) for order in orders)
    assert "- spo" in can("dawn: F lanai H", "lanai")
    across = Phase("dawn: B lanai - puna via\ndusk: F spo C B lanai - puna")
    assert "dawn B puna" in across.after


def test_inland_is_relative() -> None:
    """[Boats 3] Inland is what the bunch reaches by land alone: Honuaula from Kahului, though it is coastal."""
    assert BOARD.kind[BOARD.index["honuaula"]] == "coast"
    burned = Phase("dawn: B kahului - honuaula")
    assert burned.after == ["dawn A honuaula"]
    assert Phase("dawn: B lahaina - honuaula").after == ["dawn B honuaula"]


@pytest.mark.parametrize(
    ("lines", "burns"),
    [
        ("dawn: B kahului - honuaula\ndusk: A honuaula H", True),  # bounced
        ("dawn: B kahului S A honuaula\ndawn: A honuaula H", True),
        (
            "dawn: B kahului S A honuaula - haleakala\ndawn: A honuaula - haleakala\ndusk: A waipio - kahului",
            True,
        ),  # cut
        ("dawn: B kahului S A honuaula - haleakala\ndawn: A honuaula H", True),  # fits no order
        ("dawn: B kahului S B lahaina\ndawn: B lahaina H", False),
        ("dawn: B kahului H\ndusk: A waipio - kahului", False),
    ],
)
def test_boats_burn_when_orders_are_revealed(lines: str, burns: bool) -> None:
    """[Boats 3] By a move or support inland, whether it comes to pass or not."""
    kind = "A" if burns else "B"
    assert f"dawn {kind} kahului" in Phase(lines).after


def test_boats_burn_in_a_retreat_inland() -> None:
    """[Boats 3] Dislodged, a bunch keeps its boats by water and burns them inland."""
    for goal, after in (("haleakala", "dusk A haleakala"), ("pailolo", "dusk B pailolo")):
        state = position(
            "duel",
            {"dawn": ["A waipio"], "dusk": ["B kahului"]},
            phase="retreats",
            dislodged=[{"unit": "B waipio", "power": "dusk", "from": "hana"}],
        )
        play(state, f"retreat {goal}")
        assert after in shown(state)


def test_fleets_leave_by_dislodgement_alone() -> None:
    """[Fleets] A fleet does not count in Winter, nor is it built or removed; each European has one, and no heiau."""
    game = Game(scenario="discovery")
    state = game.initial_state(seed=1)
    view = state.view(5)
    assert view.units["haole"] == ["F spo"] and "haole" not in view.owners.values()
    winter = game.position(
        year=3,
        season="fall",
        phase="adjustments",
        units={"haole": ["F spo", "A puna", "A hilo"], "dawn": ["B lanai"]},
        owners={"puna": "haole", "lanai": "dawn"},
    )
    assert texts(winter) == ["remove hilo", "remove puna"]
    refuses(Exception, ("fleets", lambda: game.position(units={"haole": ["F spo", "F npo"]})))


def test_a_trading_post() -> None:
    """[Post] A fleet on land without heiau builds it once, in Spring too; it stays, counts in Winter and can be
    captured.
    """
    state = position("discovery", {"haole": ["F koolau"], "dawn": ["A aiea", "A wahiawa"]})
    play(state, "hold", "hold")
    assert "post" in texts(state)
    play(state, "post")
    assert state.view().posts == ["koolau"] and state.view().owners["koolau"] == "haole" and state.view().unbuilt == []
    play(state, "hold", "hold")
    assert "post" not in texts(state)
    failed = position("discovery", {"haole": ["F koolau"], "dawn": ["A wahiawa"]})
    play(failed, "move koolau", "post")
    assert failed.view().posts == [] and failed.view().unbuilt == ["haole"]
    taken = position(
        "discovery",
        {"dawn": ["A wahiawa"], "haole": ["F spo"]},
        season="fall",
        posts=["koolau"],
        unbuilt=[],
        owners={"koolau": "haole"},
    )
    play(taken, "move koolau", "hold")
    assert taken.view().owners["koolau"] == "dawn"


def test_no_post_on_a_heiau() -> None:
    """[Post] Nor at sea."""
    assert "post" not in texts(position("discovery", {"haole": ["F aiea"]}))
    assert "post" not in texts(position("discovery", {"haole": ["F kaiwi"]}))


def test_convoys() -> None:
    """[Convoys] Also by fleets in coastal spaces, of bunches to the sea, and over several fleets."""
    coastal = Phase("dawn: A kaunalu - lanai via\ndusk: F kalohi C A kaunalu - lanai\ndusk: F halawa H")
    assert "dawn A lanai" in coastal.after
    harbour = Phase("dawn: B kaunalu - kalohi via\ndusk: F makanalua/s C B kaunalu - kalohi")
    assert "dawn B kalohi" in harbour.after
    assert not any("via" in order for order in can("dawn: B kaunalu H\ndusk: F halawa H\ndawn: A lanai H", "kaunalu"))
    two = Phase("dawn: B waipio - puna via\ndusk: F npo C B waipio - puna\nnight: F spo C B waipio - puna")
    assert "dawn B puna" in two.after
    failed = Phase("dawn: B waipio - puna via\ndusk: F npo C B waipio - puna\nnight: F spo H")
    assert "dawn B waipio" in failed.after
    dislodged = Phase(
        "dawn: A kaunalu - lanai via\ndusk: F kalohi C A kaunalu - lanai\nnight: B auau - kalohi\nnight: B pailolo S B "
        "auau - kalohi"
    )
    assert "dawn A kaunalu" in dislodged.after and "dusk F kalohi out" in dislodged.after


def test_a_fleet_in_the_destination_is_no_link() -> None:
    """[Convoys] No fleet of a chain stands where it ends; nobody is convoyed inland."""
    orders = can("dusk: F kalohi H\ndawn: B lanai H", "lanai")
    assert "- kalohi via" not in orders and "- halawa via" in orders
    assert not any("makaleha" in order for order in can("dusk: F kaulakahi H\ndawn: A niihau H", "niihau"))


def test_winter() -> None:
    """[Winter] Builds of armies on own, unoccupied heiaus; fewer if one likes; removals by choice."""
    state = position(
        "race",
        {"sunrise": ["A puna"], "sunset": ["A aiea", "B kaiwi", "B kaieie_waho"]},
        season="fall",
        phase="adjustments",
        owners={"puna": "sunrise", "hilo": "sunrise", "kohala": "sunrise", "aiea": "sunset"},
    )
    assert texts(state) == ["build kohala", "build hilo", "done"]
    play(state, "done")
    assert texts(state) == ["remove aiea", "remove kaieie_waho", "remove kaiwi"]
    play(state, "remove aiea", "remove kaiwi")
    assert shown(state) == units("sunrise A puna", "sunset B kaieie_waho")


def test_niihau_and_makanalua() -> None:
    """[Map] Only the Kaulakahi Channel touches Niihau, so nobody can support an attack on it; Makanalua alone has
    coasts.
    """
    niihau = BOARD.index["niihau"]
    near = [place for place in range(len(BOARD.places)) if any(BOARD.reach[k][place] >> niihau & 1 for k in range(3))]
    assert [BOARD.places[place] for place in near] == ["kaulakahi"]
    assert [BOARD.spaces[s] for s, coasts in enumerate(BOARD.coasts) if coasts] == ["makanalua"]
    touching = {
        BOARD.places[p]
        for c in BOARD.coasts[BOARD.index["makanalua"]]
        for p in range(len(BOARD.places))
        if BOARD.water[p] >> c & 1
    }
    both = {
        p
        for p in touching
        if all(BOARD.water[BOARD.place_index[p]] >> c & 1 for c in BOARD.coasts[BOARD.index["makanalua"]])
    }
    assert both == {"kaunalu", "halawa"}
    assert {"- makanalua/n", "- makanalua/s"} <= can("dawn: B kaunalu H", "kaunalu")
    assert {"= B/n", "= B/s"} <= can("dawn: A makanalua H", "makanalua")
    assert "- makanalua/s" not in can("dawn: F npo H", "npo")
    assert not can("dawn: B makanalua/n H", "makanalua") & {"- makanalua/s", "- kalohi"}
    assert Phase("dawn: A makanalua = B/s").after == ["dawn B makanalua/s"]
    assert RULES.spaces[BOARD.index["kohoolawe"]].name == "Kahoʻolawe"


@pytest.mark.parametrize(
    ("typed", "space"),
    [("NPO", "npo"), ("spo", "spo"), ("KonaC", "kona_coast"), ("KonaK", "kona_kailua"), ("Hamak", "hamakua"),
        ("HamaC", "hamakua_coast"), ("Makan (s)", "makanalua/s"), ("Makal", "makaleha"), ("koho'", "kohoolawe"),
        ("Oahu-Kailua", "oahu_kailua"), ("Oʻahu-Kailua", "oahu_kailua"), ("HALEAKALĀ", "haleakala"), ("kaiw", "kaiwi")],
)  # fmt: skip
def test_abbreviations(typed: str, space: str) -> None:
    """[Abbr] Any unambiguous beginning, and the printed ones."""
    game = Game()
    assert game.options.board.places[game.names.place(typed)] == space


def test_ambiguous_abbreviations_are_rejected() -> None:
    """[Abbr] The message names what they could be."""
    refuses(Exception, ("kona_kailua, kona_coast", lambda: Game().names.space("Kona")))


def test_the_first_year() -> None:
    """[Calendar] The game starts in Spring of the year 1."""
    view = Game(scenario="clans").initial_state(seed=1).view()
    assert (view.year, view.season, view.phase) == (1, "spring", "orders")


def test_ownership_and_victory() -> None:
    """[Background] After Fall units take what they stand on; nine heiaus at the end of a Fall win, not in Spring."""
    nine = ["niihau", "waimea", "kilauea", "wailua", "aiea", "oahu_kailua", "lanai", "kohoolawe"]
    owners = dict.fromkeys(nine, "sunset") | {"puna": "sunrise"}
    for season, over in (("spring", False), ("fall", True)):
        state = position("race", {"sunrise": ["A puna"], "sunset": ["B lahaina"]}, season=season, owners=owners)
        play(state, "hold", "hold")
        assert state.is_terminal == over
    outcome = state.outcome()
    assert outcome is not None and outcome.winner == 1 and "[Background]" in outcome.reason
    assert state.returns() == [-1, 1]


def test_supports_bounces_and_swaps() -> None:
    """[Background] Standard Diplomacy: standoffs, cut supports, no swap without a convoy, no dislodging of one's
    own.
    """
    assert Phase("dawn: A hilo - puna\ndusk: A kalae - puna").after == units("dawn A hilo", "dusk A kalae")
    assert Phase("dawn: A hilo - puna\ndusk: A puna - hilo").after == units("dawn A hilo", "dusk A puna")
    cut = Phase("dawn: A hilo - puna\ndawn: A mauna_loa S A hilo - puna\ndusk: A puna H\ndusk: A humuula - mauna_loa")
    assert "dusk A puna" in cut.after
    own = Phase("dawn: A hilo - puna\ndawn: A mauna_loa S A hilo - puna\ndawn: A puna H")
    assert "dawn A hilo" in own.after
    ring = Phase("dawn: A hilo - puna\ndawn: A puna - mauna_loa\ndawn: A mauna_loa - hilo")
    assert all(ring.success(space) for space in ("hilo", "puna", "mauna_loa"))


def test_fleets_in_oceans_stand_fast() -> None:
    """[Fleets] Only fleets go there, and there are two at most: none can be dislodged."""
    found = Phase("dawn: F npo - spo\ndusk: F spo H\nnight: B kalohi H\nnight: B lanai H")
    assert "dusk F spo" in found.after
    assert not {"- spo", "S F spo", "S F npo - spo"} & can("night: B lanai H\ndawn: F npo H\ndusk: F spo H", "lanai")


STARTS = {
    "race": {"sunrise": ["B kona_kailua", "B puna"], "sunset": ["B kilauea", "B aiea"]},
    "duel": {"dawn": ["B lanai"], "dusk": ["B lahaina"]},
    "discrete": {
        "sunrise": ["B puna", "B kona_coast"],
        "midday": ["B makanalua/s", "B waipio"],
        "sunset": ["B kilauea", "B aiea"],
    },
    "triangle": {"dawn": ["B lahaina"], "noon": ["B lanai"], "dusk": ["B makanalua/s"]},
    "clans": {
        "dawn": ["B kilauea", "B kohoolawe", "B puna"],
        "noon": ["B waimea", "B lahaina", "B hamakua"],
        "dusk": ["B niihau", "B oahu_kailua", "B kona_kailua"],
    },
    "heart": {"dawn": ["B kohoolawe"], "morning": ["B lahaina"], "afternoon": ["B lanai"], "dusk": ["B makanalua/n"]},
    "wings": {"dawn": ["B puna"], "morning": ["B kawaihae"], "afternoon": ["B aiea"], "dusk": ["B wailua"]},
    "kamaainas": {
        "dawn": ["B puna"],
        "morning": ["B kawaihae"],
        "noon": ["B waipio"],
        "dusk": ["B makanalua/s"],
        "night": ["B niihau"],
    },
    "discovery": {
        "dawn": ["B puna"],
        "morning": ["B kawaihae"],
        "noon": ["B waipio"],
        "dusk": ["B makanalua/s"],
        "night": ["B niihau"],
        "haole": ["F spo"],
    },
}


@pytest.mark.parametrize("scenario", STARTS)
def test_starts(scenario: str) -> None:
    """[Scenarios, Race, Duel, Discrete, Triangle, Clans, Heart, Wings, Kamaainas, Discovery] As printed."""
    game = Game(scenario=scenario)
    assert game.initial_state(seed=0).view(0).units == STARTS[scenario]
    assert game.agents == tuple(f"{power}_{i}" for i, power in enumerate(STARTS[scenario]))


def test_haole() -> None:
    """[Haole] Five votes; the natives start as most want; the European sees nothing of it until its first orders are
    in.
    """
    state = Game(scenario="haole").initial_state(seed=1)
    play(state, *["vote heart"] * 2, *["vote wings"] * 3)
    assert state.view(0).setup == "wings" and state.view(0).units["dawn"] == ["B puna"]
    blind = state.view(4)
    assert blind.units == {"haole": ["F spo"]} and blind.setup is None and blind.ballots == {} and blind.owners == {}
    while state.record.season == 0 and state.phase == "orders":
        state.apply(state.legal_actions()[0])
    assert state.view(4).setup == "wings" and state.view(4).ballots["haole"] == "wings"


def test_two_haoles() -> None:
    """[Two Haoles] Level ballots: the natives vote again, then the lot decides; both Europeans are blind."""
    state = Game(scenario="two_haoles").initial_state(chance="explicit")
    play(state, *["vote heart"] * 3, *["vote wings"] * 3)
    assert state.phase == "ballot" and state.sealed_turn == 2
    assert state.view(0).ballots["north"] == "wings" and state.view(4).ballots == {}
    play(state, "vote heart", "vote heart", "vote wings", "vote wings")
    assert state.phase == "setup" and state.current_player == CHANCE
    assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    state.apply_chance(0)
    assert state.view(0).units["dawn"] == ["B kohoolawe"]
    assert state.view(4).units == state.view(5).units == {"south": ["F spo"], "north": ["F npo"]}
