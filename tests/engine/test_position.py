"""Positions from outside: views, JSON, positions written by hand, and what is refused."""

from __future__ import annotations

import copy
import json
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import pytest
from refusals import refuses, refuses_each

from hawaii_env.errors import StateError
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.game import State
from hawaii_env.hawaii1795.positions.view import View
from hawaii_env.hawaii1795.rules import names
from hawaii_env.hawaii1795.rules.state import STATE

from .helpers import (
    COUNTED,
    GAMES,
    LONG,
    SHORT,
    by_phase,
    nodes,
    numbers_of,
    sample,
    state_of,
)

Units = dict[str, Any]


# -- round trips -----------------------------------------------------------------------------------------------------


# -- positions written by hand ---------------------------------------------------------------------------------------

KONA: Units = {"kona": ["kamehameha", "warrior_2", "canoe"]}
OAHU: Units = {"waikiki": ["kalani", "oahu_canoe"]}
# Fleet moves of the cards in effect below: the fourth drawn in June, the third where a card more is held.
GUARD, YOUNG = LONG.ruleset.card(0, 4).fleets, LONG.ruleset.card(0, 3).fleets


def hand(
    phase: str = "movement", ours: Units | None = None, theirs: Units | None = None, **more: Any
) -> dict[str, Any]:
    """A position of Kamehameha's half in June, with changes."""
    units = {"kamehameha": KONA if ours is None else ours, "allied": OAHU if theirs is None else theirs}
    return {"turn": "june", "half": "kamehameha", "phase": phase, "units": units, **more}


def test_what_is_left_out_is_filled_in() -> None:
    state = LONG.position(**hand())
    view = state.view()
    assert view.decks == {"kamehameha": [5, 6, 7, 8, 9], "allied": [4, 5, 6, 7, 8, 9]} and view.held == []
    assert view.card == "royal_guard" and view.fleet_moves == 0 and view.kauai == "neutral" and not view.dealt
    assert view.box["kamehameha"].count("warrior_2") == 5 and view.box["allied"].count("oahu_canoe") == 2
    assert view.units["neutral"] == {"kauai": ["kauai_warrior", "kauai_warrior", "kauai_canoe"]}
    held = LONG.position(**hand(held=["muskets_for_land", "ku_snatcher_of_islands"]))
    assert held.view().decks == {"kamehameha": [4, 5, 6, 7, 8], "allied": [3, 4, 5, 6, 7, 8]}
    gone = LONG.position(**hand(kauai="allied"))
    assert gone.view().dead == ["neutral:kauai_warrior", "neutral:kauai_warrior", "neutral:kauai_canoe"]
    joined = LONG.position(**hand(theirs={**OAHU, "kauai": ["kauai_warrior"]}))
    assert joined.view().kauai == "allied"
    window = LONG.position(**hand("window", window="movement", then="movement", held=["ku_snatcher_of_islands"]))
    assert window.view().fleet_moves == YOUNG and window.current_player == 0
    event = LONG.position(**hand("event", card="kona_storm"))
    assert event.view().homes == 1 and event.current_player == CHANCE
    january = LONG.position(**{**hand(), "turn": "january"})
    assert january.view().dealt and january.view().card == "discoverys_guns"


def test_a_decision_with_one_choice_is_taken() -> None:
    """Nobody can move, so that the half ends and the Allies draw."""
    state = LONG.position(**hand(ours={"maui": ["kamehameha"]}))
    assert (state.phase, state.view().half) == ("card", "allied")


BATTLE_UNITS: Units = {
    "ours": {**KONA, "maui": ["pike", "vancouver", "warrior_2", "musketeer"]},
    "theirs": {**OAHU, "maui": ["pike", "musketeer", "maui_warrior"]},
}


@pytest.mark.parametrize("side", ["kamehameha", "allied"])
def test_the_unit_that_fires_is_its_sides_and_has_fired(side: str) -> None:
    """Both sides have a musketeer, and an unmarked one of the own side may stand beside: the battle names neither."""
    units = copy.deepcopy(BATTLE_UNITS)
    units["ours" if side == "kamehameha" else "theirs"]["maui"][-3 if side == "kamehameha" else 1] += "/fired"
    name = "vancouver" if side == "kamehameha" else "musketeer"
    battle = {"kind": "invasion", "advantage": side, "firing": side, "guns": True, "firer": name, "dice": 1}
    state = LONG.position(**hand("hit_die", **units, field="maui", battle=battle))
    told = state.view().battle
    assert told is not None and told["firer"] == f"{name}/fired" and told["firing"] == side
    state.apply_chance(6)
    assert state.phase == "loss" and state.current_player == (1 if side == "kamehameha" else 0)
    refuses(
        StateError, ("firer", lambda: LONG.position(**hand("hit_die", **BATTLE_UNITS, field="maui", battle=battle)))
    )


def test_a_firer_among_alike() -> None:
    """A unit that fires and one of its kind that has not: dice are rolled for the one marked."""
    units = {"ours": {**KONA, "maui": ["warrior_2", "warrior_2/fired"]}, "theirs": {**OAHU, "maui": ["maui_warrior"]}}
    battle = {"kind": "invasion", "advantage": "kamehameha", "firing": "kamehameha", "turn_side": "allied", "dice": 2}
    state = LONG.position(**hand("hit_die", **units, field="maui", battle={**battle, "firer": "warrior_2"}))
    for face in (1, 1):
        state.apply_chance(face)
    assert state.phase == "hit_die" and state.view().battle["firer"] == "maui_warrior/fired"  # type: ignore[index]
    both = {"ours": {**KONA, "hilo": ["warrior_2/fired/kona", "warrior_2/fired"]}, "theirs": {**OAHU, "hilo": ["pike"]}}
    for firer in ("warrior_2/fired/kona", "warrior_2/fired"):
        state = LONG.position(**hand("hit_die", **both, field="hilo", battle={**battle, "firer": firer}))
        assert state.view().battle["firer"] == firer  # type: ignore[index]


def test_the_canoe_that_moves_has_not_moved() -> None:
    ours = {"kona": ["kamehameha", "warrior_2", "canoe/carried", "canoe"]}
    state = LONG.position(**hand("pickup", ours, fleet_moves=1, fleet={"canoe": "canoe", "at": "kona", "pickup": None},
                                 theirs={**OAHU, "kauai": ["kauai_warrior"]}))  # fmt: skip
    assert (
        state.view().units["kamehameha"]["kona"].count("canoe") == 0
        or state.phase == "pickup"
        or state.phase == "cargo"
    )
    refuses(
        StateError,
        (
            "fleet",
            lambda: LONG.position(
                **hand("pickup", {"kona": ["kamehameha", "canoe/carried"]}, fleet={"canoe": "canoe", "at": "kona"})
            ),
        ),
    )


# -- what is refused -------------------------------------------------------------------------------------------------

AT_SEA: Units = {"kona": ["kamehameha"], "sea/maui": ["pike/kona", "canoe/kona"]}
MAUI: Units = {"waikiki": ["kalani"], "maui": ["maui_warrior", "brown", "maui_canoe"]}
FIGHT: Units = {"ours": {**KONA, "maui": ["pike", "warrior_2"]}, "theirs": {**OAHU, "maui": ["pike", "maui_warrior"]}}
FIRED: Units = {
    "ours": {**KONA, "maui": ["pike", "warrior_2/fired"]},
    "theirs": {**OAHU, "maui": ["pike", "maui_warrior"]},
}
K_FIRES: Units = {
    "kind": "invasion",
    "advantage": "kamehameha",
    "firing": "kamehameha",
    "turn_side": "allied",
    "firer": "warrior_2",
    "dice": 1,
}
WAR: Units = {
    "ours": {"kona": ["kamehameha"], "sea/maui": ["pike/kona", "canoe/kona"]},
    "theirs": {"waikiki": ["kalani"], "maui": ["maui_warrior"], "war": ["brown/maui", "maui_canoe/maui"]},
}
BEATEN: Units = {**WAR, "ours": {"kona": ["kamehameha"], "sea/maui": ["pike/kona", "canoe/kona", "canoe/kona"]}}
ALONE: Units = {
    "ours": {"hilo": ["kamehameha"], "kona": ["canoe"]},
    "theirs": {"kona": ["pike"], "waikiki": ["kalani"]},
}
MARCHED: Units = {
    "ours": {"kona": ["kamehameha"], "hilo": ["warrior_2/kona"]},
    "theirs": {"hilo": ["pike"], "waikiki": ["kalani"]},
}

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    # names, numbers, types
    ("no turn", {k: v for k, v in hand().items() if k != "turn"}, "turn is missing"),
    ("no units", {k: v for k, v in hand().items() if k != "units"}, "units is missing"),
    ("a month misspelt", {**hand(), "turn": "jun"}, "turn: expected one of january.*did you mean june"),
    ("no month", {**hand(), "turn": ""}, "turn: expected one of january"),
    ("a side", {**hand(), "half": "neutral"}, "half: expected one of kamehameha, allied"),
    ("a phase", {**hand(), "phase": "battle"}, "phase: expected one of"),
    ("a phase that runs by itself", {**hand(), "phase": "withdrawals"}, "phase: expected one of"),
    ("an unknown keyword", hand(fleets=3), "fields: expected one of.*fleets"),
    ("units are a list", {**hand(), "units": []}, "units: expected a table"),
    ("units of nobody", {**hand(), "units": {"spain": {}}}, "units: expected one of.*spain"),
    ("a space misspelt", hand(ours={"kohala": ["pike"]}), "units: kamehameha: expected one of.*kohala"),
    ("pieces as one text", hand(ours={"kona": "kamehameha"}), "expected a list"),
    ("a piece misspelt", hand(ours={"kona": ["warior_2"]}), "expected one of.*did you mean warrior_2"),
    ("a piece that is not a text", hand(ours={"kona": [3]}), "expected a piece's name, not 3"),
    ("the enemy's piece", hand(ours={"kona": ["kalani"]}), "kalani is not a piece of kamehameha's"),
    ("a mark misspelt", hand(ours={"kona": ["pike/tired"]}), "mark of pike: expected one of.*tired"),
    ("a mark twice", hand(ours={"kona": ["kamehameha/marched/marched"]}), "each mark once"),
    ("two origins", hand(ours={"kona": ["kamehameha/hilo/maui"]}), "one origin"),
    ("seven warriors", hand(ours={"kona": ["kamehameha", *["warrior_2"] * 7]}),
        "one warrior_2 too many; the game has 6"),
    ("two kings", hand(ours={"kona": ["kamehameha", "kamehameha"]}), "one kamehameha too many"),
    ("a box that lacks pieces", hand(box={"kamehameha": ["pike"]}), "all 40 pieces are somewhere"),
    ("a box of Kaua'i", hand(box={"neutral": []}), "box: expected one of kamehameha, allied"),
    ("a card misspelt", hand(card="royal_gard"), "card: expected one of.*did you mean royal_guard"),
    ("a card number", hand(card=4), "card: expected one of"),
    ("a float", hand(fleet_moves=1.0), "fleet_moves: expected a whole number from 0"),
    ("a bool for a number", hand(fleet_moves=True), "fleet_moves: expected a whole number"),
    ("a negative number", hand(fleet_moves=-1), "fleet_moves: expected a whole number"),
    ("a number for a bool", hand(bonuses={"no_sighting": 1}), "bonuses: no_sighting: expected true or false"),
    ("a negative bonus", hand(bonuses={"advantage": -1}), "bonuses: advantage: expected a whole number from 0 to 9"),
    ("an unknown bonus", hand(bonuses={"luck": 1}), "bonuses: fields: expected one of"),
    ("decisions", hand(decisions=-1), "decisions: expected a whole number"),
    ("too many decisions", hand(decisions=20_001), "decisions: no game asks more than 20000"),
    ("a decider", hand(decider="both"), "decider: expected one of"),
    ("a winner", hand(winner="neutral"), "winner: expected one of"),
    ("a reason", hand(reason="because"), "reason: expected one of"),
    ("a winner before the end", hand(winner="kamehameha"), "winner: .*exactly when the game is over"),
    ("an end without winner", hand("over"), "winner: .*exactly when the game is over"),
    ("an end without reason", hand("over", winner="tie"), "reason: a game that is over has one"),
    ("a reason that does not fit", hand("over", winner="tie", reason="November ended [5.3]"), "reason: .*does not fit"),
    ("a death that did not happen", hand("over", winner="allied", reason="Kamehameha eliminated [5.2]"),
        "does not fit"),
    ("chiefs alive", hand("over", winner="kamehameha", reason="Kalani and Kaiana eliminated [5.2]"), "does not fit"),
    ("an occupation that is none", hand("over", winner="kamehameha", reason="occupation victory [5.1]"),
        "does not fit"),
    ("the wrong winner", hand("over", winner="kamehameha", ours={}, dead=["kamehameha:kamehameha"],
                              reason="Kamehameha eliminated [5.2]"), "does not fit"),
    # where pieces may be
    ("Kamehameha dead", hand(ours={"kona": ["pike"]}, dead=["kamehameha:kamehameha"]),
        "Kamehameha is dead: the game would be over"),
    ("both chiefs dead", hand(theirs={"maui": ["pike"]}, dead=["allied:kalani", "allied:kaiana"]),
        "Kalani and Kaiana are dead"),
    ("a dead warrior", hand(dead=["kamehameha:warrior_2"]), "warrior_2 is dead; only leaders"),
    ("a death unknown", hand(dead=["kamehameha:cook"]), "dead: expected one of"),
    ("nobody's dead", hand(dead=["spain:pike"]), "dead: expected one of"),
    ("Kaua'i with two sides", hand(ours={**KONA, "kauai": ["kauai_warrior"]},
        theirs={**OAHU, "maui": ["kauai_warrior"]}),
     "Kaua'i's pieces stand with one side"),
    ("Kaua'i listed with another", hand(ours={**KONA, "kauai": ["kauai_warrior"]}, kauai="allied"),
        "kauai: its pieces are listed"),
    ("neutral Kaua'i elsewhere", {**hand(),
        "units": {"kamehameha": KONA, "allied": OAHU, "neutral": {"maui": ["kauai_warrior"]}}},
     "neutral Kaua'i's pieces are on kauai"),
    ("visitors on neutral Kaua'i", hand(theirs={**OAHU, "kauai": ["maui_warrior"]}),
        "maui_warrior is on kauai or bound for it"),
    ("a fleet for neutral Kaua'i", hand("approach", {"kona": ["kamehameha"], "sea/kauai": ["pike/kona", "canoe/kona"]}),
     "on kauai or bound for it"),
    ("both sides as a half begins", hand("card", ours={"kona": ["kamehameha"], "maui": ["pike"]},
        theirs={"maui": ["pike"]}),
     "units of both sides on maui: no move or card begins so"),
    ("an attacker that came from nowhere", hand(ours={"kona": ["kamehameha"], "maui": ["pike"]},
        theirs={"maui": ["pike"]}),
     "units of both sides on maui: in this phase an attacker there has come"),
    ("canoes alone", hand(**ALONE), "canoes alone among enemies on kona; they would have withdrawn"),
    ("canoes alone elsewhere in a battle", hand("advantage", ours={**FIGHT["ours"], "hilo": ["canoe"]},
     theirs={"maui": ["pike"], "hilo": ["kalani"]}, field="maui"), "canoes alone among enemies on hilo"),
    ("canoes of both sides", hand(ours={**KONA, "maui": ["canoe"]}, theirs={**OAHU, "maui": ["maui_canoe"]}),
     "canoes of both sides on maui"),
    ("a canoe that turned among canoes", hand(ours={**KONA, "maui": ["kauai_canoe"]},
        theirs={**OAHU, "maui": ["maui_canoe"]}),
     "canoes alone among enemies on maui; they would have withdrawn"),
    ("the wrong canoes withdraw", hand("withdrawal", ours={**KONA, "maui": ["kauai_canoe"]},
        theirs={**OAHU, "maui": ["maui_canoe"]},
     decider="allied", then="recruiting", retreat={"from_space": "maui"}), "withdrawal: canoes alone"),
    # marks
    ("panicked outside battle", hand(ours={"kona": ["kamehameha", "pike/panicked"]}),
        "pike is panicked or has fired outside"),
    ("fired outside battle", hand(ours={"kona": ["kamehameha/fired"]}), "has fired outside a battle"),
    ("panicked elsewhere", hand("fire",
        **{**FIGHT, "ours": {"kona": ["kamehameha", "musketeer/panicked"], "maui": ["pike"]}},
     field="maui", battle={"advantage": "kamehameha"}), "musketeer is panicked or has fired outside"),
    ("an elite unit panicked", hand("fire", ours={**KONA, "maui": ["royal_guard/panicked", "pike"]},
        theirs=FIGHT["theirs"],
     field="maui", battle={"advantage": "kamehameha"}), "royal_guard: elite units never panic"),
    ("panicked and fired", hand("fire", ours={**KONA, "maui": ["pike/panicked/fired", "warrior_2"]},
        theirs=FIGHT["theirs"],
     field="maui", battle={"advantage": "kamehameha"}), "a panicked unit has no fired mark"),
    ("a canoe panicked", hand("fire", ours={**KONA, "maui": ["pike", "canoe/panicked"]}, theirs=FIGHT["theirs"],
        field="maui",
     battle={"advantage": "kamehameha"}), "canoe is panicked"),
    ("fired before the round", hand("advantage", **FIRED, field="maui"), "has fired, and the round has not begun"),
    ("marched in recruiting", hand("recruiting", ours={"kona": ["kamehameha/marched"]}, recruits={"warrior": 1}),
     "is marked as moved, which only"),
    ("the enemy marched", hand(theirs={"waikiki": ["kalani/marched"]}), "is marked as moved"),
    ("carried in the box", hand(box={"allied": []}, ours={"box": ["pike"]}), "units: kamehameha: expected one of"),
    ("a canoe marched", hand(ours={"kona": ["kamehameha", "canoe/marched"]}), "canoes do not march"),
    ("at sea from nowhere", hand("approach", {"kona": ["kamehameha"], "sea/maui": ["pike", "canoe/kona"]}, MAUI),
     "pike sails without a space that it came from"),
    ("at sea from its goal", hand("approach", {"kona": ["kamehameha"], "sea/maui": ["pike/maui", "canoe/kona"]}, MAUI),
     "sails without a space that it came from"),
    ("at sea from among enemies", hand("approach",
        {"kona": ["kamehameha"], "sea/maui": ["pike/waikiki", "canoe/waikiki"]}, MAUI),
     "pike cannot have sailed from waikiki, where enemies are"),
    ("a defender come", hand("battle_order", ours={"hilo": ["kamehameha"]}, theirs={"hilo": ["pike/kona"]}),
        "only attackers are"),
    ("a canoe come", hand("battle_order", ours={"hilo": ["kamehameha", "canoe/kona"]}, theirs={"hilo": ["pike"]}),
        "only attackers"),
    ("come before the card", hand("card", ours={"hilo": ["kamehameha/kona"]}), "only attackers are"),
    ("marched over the sea", hand("battle_order", ours={"maui": ["kamehameha/kona"]}, theirs={"maui": ["pike"]}),
     "cannot have marched from kona to maui"),
    ("marched in recruiting into enemies", hand("recruiting", **MARCHED, recruits={"warrior": 1}),
        "has marched before the movement"),
    ("come, and nobody there", hand(ours={"hilo": ["kamehameha/kona"]}), "no enemy unit is there"),
    # fleets
    ("a fleet in recruiting", hand("recruiting", AT_SEA, MAUI, recruits={"warrior": 1}),
        "a fleet at sea in phase recruiting"),
    ("a fleet as movement starts", hand("window", AT_SEA, MAUI, window="movement", then="movement",
     held=["ku_snatcher_of_islands"]), "a fleet at sea in phase window"),
    ("a fleet in a land battle", hand("battle_order", {**AT_SEA, "waikiki": ["warrior_2"]}, MAUI),
        "a fleet at sea in phase"),
    ("the enemy's fleet", hand(theirs={"waikiki": ["kalani"], "sea/maui": ["pike/waikiki", "oahu_canoe/waikiki"]}),
     "a fleet of allied's at sea in the other half"),
    ("a fleet without canoe", hand("approach", {"kona": ["kamehameha"], "sea/maui": ["pike/kona"]}, MAUI),
        "2 units and 2 leaders"),
    ("three units a canoe", hand("approach", {"kona": ["kamehameha"],
     "sea/maui": ["pike/kona", "warrior_2/kona", "warrior_2/kona", "canoe/kona"]}, MAUI),
         "2 units and 2 leaders a canoe"),
    ("an empty fleet", hand("approach", {"kona": ["kamehameha"], "sea/maui": ["canoe/kona"]}, MAUI),
        "an empty fleet bound for maui"),
    ("aboard in movement", hand(ours={"kona": ["kamehameha"], "aboard": ["canoe"]}), "pieces aboard in phase movement"),
    ("aboard in the other half", hand("cargo", ours=KONA, theirs={"waikiki": ["kalani"], "aboard": ["oahu_canoe"]},
     fleet={"canoe": "canoe", "at": None, "pickup": "kona"}), "fleet"),
    ("nothing aboard", hand("cargo", fleet={"canoe": "canoe", "at": None, "pickup": "kona"}), "fleet: canoe: no canoe"),
    ("two canoes aboard", hand("sail", ours={"kona": ["kamehameha"], "aboard": ["canoe", "canoe", "pike"]},
     fleet={"canoe": "canoe", "at": None, "pickup": "kona"}), "one canoe, aboard, with a pick-up space"),
    ("no pick-up space", hand("cargo", ours={"kona": ["kamehameha"], "aboard": ["canoe"]},
        fleet={"canoe": "canoe", "at": None}),
     "one canoe, aboard, with a pick-up space"),
    ("three units aboard", hand("sail",
        ours={"kona": ["kamehameha"], "aboard": ["canoe", "pike", "warrior_2", "warrior_2"]},
     fleet={"canoe": "canoe", "at": None, "pickup": "kona"}), "aboard: 2 units and 2 leaders at most"),
    ("a pick-up among enemies", hand("cargo", ours={"kona": ["kamehameha"], "aboard": ["canoe"]},
     fleet={"canoe": "canoe", "at": None, "pickup": "waikiki"}), "fleet: pickup: enemies are on waikiki"),
    ("no canoe that moves", hand("pickup", fleet_moves=1), "a canoe of the mover's that has not moved"),
    ("a canoe held fast", hand("pickup", ours={"hilo": ["kamehameha/kona", "canoe"]}, theirs={"hilo": ["pike"]},
     fleet={"canoe": "canoe", "at": "hilo"}), "not among enemy units"),
    ("a canoe chosen too early", hand(fleet={"canoe": "canoe", "at": "kona"}),
        "fleet: nothing of that in phase movement"),
    ("loaded and again carried", hand("sail", ours={"kona": ["kamehameha"], "aboard": ["canoe", "pike/carried"]},
     fleet={"canoe": "canoe", "at": None, "pickup": "kona"}), "is aboard and was carried before"),
    ("a war fleet in movement", hand(theirs={"waikiki": ["kalani"], "war": ["brown/maui", "maui_canoe/maui"]}),
        "a war fleet in phase"),
    ("the mover's war fleet", hand("commit", ours={**AT_SEA, "war": ["warrior_2/kona", "canoe/kona"]}, theirs=MAUI,
        field="maui"),
     "a war fleet in phase commit"),
    ("a war fleet from afar", hand("commit", AT_SEA,
        {"maui": ["maui_warrior"], "war": ["brown/waikiki", "maui_canoe/maui"]},
     field="maui"), "war fleet: brown cannot have come from waikiki"),
    ("a war canoe from the other space", hand("commit",
        {"kona": ["kamehameha"], "sea/koolau": ["pike/kona", "canoe/kona"]},
     {"koolau": ["kalani"], "war": ["oahu_canoe/waikiki"]}, field="koolau"), "war fleet: oahu_canoe cannot have come"),
    ("a war fleet without canoe", hand("commit", AT_SEA,
        {"maui": ["maui_warrior", "maui_canoe"], "war": ["brown/maui"]}, field="maui"),
     "war fleet: 2 units and 2 leaders a canoe"),
    ("too great a war fleet", hand("commit", AT_SEA, {"maui": ["maui_warrior"],
     "war": ["brown/maui", "pike/maui", "musketeer/maui", "maui_canoe/maui"]}, field="maui"),
         "war fleet: 2 units and 2 leaders"),
    # cards
    ("outside the scenario", {**hand(), "turn": "january", "phase": "card"},
        "this month's card is not drawn by chance"),
    ("a held card in the deck", hand(held=["ku_snatcher_of_islands"], decks={"kamehameha": [5, 6, 7, 8, 9]}),
        "is in the deck, too"),
    ("a card that is not held", hand(held=["royal_guard"]), "held: royal_guard is not a card to hold"),
    ("held twice", hand(held=["muskets_for_land"] * 2), "held: muskets_for_land is named twice"),
    ("a deck with a card twice", hand(decks={"allied": [1, 1, 2, 3, 4, 5]}), "decks: allied: 1 is named twice"),
    ("card ten", hand(decks={"allied": [10]}), "decks: allied: expected a whole number from 1 to 9"),
    ("too many cards left", hand(decks={"allied": [1, 2, 3, 4, 5, 6, 7]}),
        "decks: allied has 6 cards left in june in this phase, not 7"),
    ("too few cards left", hand(decks={"kamehameha": [9]}), "decks: kamehameha has 5 cards left"),
    ("a card in effect before the draw", hand("card", card="royal_guard"), "card: none is in effect yet"),
    ("the enemy's card", hand(card="thunderers"), "card: thunderers is not of the side whose half it is"),
    ("the card is in the deck", hand(card="royal_guard", decks={"kamehameha": [4, 6, 7, 8, 9]}),
        "card: royal_guard is in the deck, too"),
    ("not the month's card", {**hand(card="royal_guard"), "turn": "january"}, "the month's fixed card"),
    ("a card dealt in June", hand(dealt=True), "the month's fixed card|decks"),
    ("dealt before the draw", hand("card", dealt=True), "dealt: no card is in effect"),
    ("too many fleet moves", hand(fleet_moves=GUARD + 1), f"fleet_moves: royal_guard allows {GUARD}"),
    ("no move was begun", hand("pickup", fleet_moves=GUARD, fleet={"canoe": "canoe", "at": "kona"}),
     f"fleet_moves: royal_guard allows {GUARD}"),
    ("a move is gone as movement starts", hand("window", window="movement", then="movement", fleet_moves=YOUNG - 1,
     held=["ku_snatcher_of_islands"]), f"fleet_moves: all {YOUNG} are left"),
    ("fleet moves in recruiting", hand("recruiting", fleet_moves=1, recruits={"warrior": 1}),
        "fleet_moves: none are left to make"),
    ("recruits in movement", hand(recruits={"warrior": 1}), "recruits: none come in phase movement"),
    ("recruits before the card", hand("card", recruits={"warrior": 1}), "recruits: none come in phase card"),
    ("the enemy's recruit", hand("recruiting", recruits={"kalani": 1}), "kalani is not a piece of kamehameha's"),
    ("no such recruit", hand("recruiting", recruits={"cook": 1}), "recruits: expected one of"),
    ("an event played too early", hand("recruiting", events_played={"kamehameha": True}, recruits={"warrior": 1}),
     "events_played: no held event has been played yet"),
    ("an event played already", hand("window", window="movement", then="movement", held=["ku_snatcher_of_islands"],
     events_played={"kamehameha": True}), "events_played"),
    ("homes in movement", hand(homes=1), "homes: nothing of that in phase movement"),
    ("nobody goes home", hand("home", card="royal_guard", homes=1), "home: the card in effect sends nobody home"),
    ("too many go home", hand("home", card="warriors_go_home_k", homes=3), "home: .*not so many"),
    ("a bonus too early", hand("card", bonuses={"gunpowder": 1}), "bonuses: no card has been shown in this half"),
    ("a calm too early", hand("card", bonuses={"no_sighting": True}), "bonuses: no card has been shown in this half"),
    ("a card without die", hand("event", card="royal_guard"), "event: the card in effect rolls no die"),
    ("a home card without die", hand("event", card="warriors_go_home_k"), "event: the card in effect rolls no die"),
    ("nobody to join", hand("event", card="appeal_to_kauai_k", kauai="allied"),
        "nobody is left on Kaua'i who could join"),
    ("joined already", hand("event", ours={**KONA, "kauai": ["kauai_warrior"]}, card="appeal_to_kauai_k"),
        "who could join"),
    ("an appeal sends home", hand("event", card="appeal_to_kauai_k", homes=1), "nobody goes home by an appeal"),
    ("a storm of two", hand("event", card="kona_storm", homes=2), "the card in effect sends 1 home"),
    ("won already", hand("card",
        ours={s: ["warrior_2"] for s in ("kona", "hilo", "maui", "molokai", "waikiki", "koolau")}, theirs={}),
     "kamehameha has won by occupation"),
    # who decides
    ("the wrong decider", hand(decider="allied"), "decider: kamehameha decides in phase movement"),
    ("the wrong decider in fire", hand("fire", **FIGHT, field="maui", battle={"advantage": "kamehameha"},
        decider="allied"), "decider"),
    ("the wrong decider in loss", hand("loss", **FIRED, field="maui", battle=K_FIRES, decider="kamehameha"),
        "decider: allied"),
    ("the wrong decider of a launch", hand("launch", AT_SEA, MAUI, field="maui", decider="kamehameha"),
        "decider: allied"),
    ("the wrong decider of a window", hand("window", AT_SEA, MAUI, field="maui", window="sighting", then="sighting",
     held=["muskets_for_land"], decider="kamehameha"), "decider: allied"),
    ("the wrong retreat", hand("retreat", **MARCHED, field="hilo", retreat={"who": "defenders"},
        decider="kamehameha"), "decider"),
    # sea phases
    ("nobody approaches", hand("approach"), "approach: no fleet is at sea"),
    ("a field too early", hand(field="maui"), "field: no space is fought for in phase movement"),
    ("a launch against nobody", hand("launch", theirs=MAUI, field="maui"), "field: no fleet is bound for maui"),
    ("a launch nowhere", hand("launch", AT_SEA, MAUI), "field: phase launch is about a space"),
    ("a launch without canoe", hand("launch", AT_SEA, {"waikiki": ["kalani"], "maui": ["pike"]}, field="maui"),
        "nobody could sail out"),
    ("a launch without unit", hand("launch", AT_SEA, {"waikiki": ["kalani"], "maui": ["maui_canoe"]}, field="maui"),
        "nobody could sail"),
    ("a sighting in a calm", hand("sighting", AT_SEA, MAUI, field="maui", bonuses={"no_sighting": True}),
        "nobody is sighted this half"),
    ("nothing to commit", hand("commit", AT_SEA, {"maui": ["pike"], "waikiki": ["kalani", "oahu_canoe"]}, field="maui"),
        "sail out"),
    # windows
    ("no window", hand("window"), "window: movement, sighting or battle"),
    ("an unknown window", hand("window", window="door"), "window: expected one of"),
    ("a window in movement", hand(window="movement"), "window: nothing of that in phase movement"),
    ("a window without card", hand("window", window="movement", then="movement"),
        "window: no held event can be played"),
    ("a card just drawn", hand("window", window="movement", then="movement", held=["ku_snatcher_of_islands"],
     card="ku_snatcher_of_islands"), "window: no held event can be played"),
    ("a window before what it is not for", hand("window", window="movement", then="land_phase",
        held=["ku_snatcher_of_islands"]),
     "then: what the window is for"),
    ("an unknown sequel", hand("window", window="movement", then="dinner", held=["ku_snatcher_of_islands"]),
        "then: expected one of"),
    ("a window for no battle", hand("window", window="battle", then="land_battle", held=["hold_the_line"],
        field="maui"),
     "a land battle is for a contested space"),
    ("earthworks in a fort", hand("window", ours={"hilo": ["kamehameha/kona"]}, theirs={"hilo": ["pike"]},
        window="battle",
     then="land_battle", held=["hold_the_line"], field="hilo", battle={"kind": "overland"}), "no earthworks in a fort"),
    ("an invasion by marchers", hand("window", ours={"koolau": ["kamehameha/waikiki"]}, theirs={"koolau": ["pike"]},
        window="battle",
     then="land_battle", held=["hold_the_line"], field="koolau", battle={"kind": "invasion"}),
         "battle: kind: an invasion if any"),
    # battles
    ("no contested space", hand("battle_order"), "battle_order: no space is contested"),
    ("a battle nowhere", hand("fire", **FIGHT, battle={"advantage": "allied"}), "field: the battle is for a space"),
    ("a battle against nobody", hand("fire", field="maui", battle={"advantage": "allied"}),
        "battle: kamehameha has no unit in it"),
    ("a battle of one side", hand("advantage", ours={**KONA, "maui": ["pike"]}, field="maui"),
        "battle: allied has no unit in it"),
    ("earthworks in movement", hand(field=None, battle={"earthworks": True}),
        "earthworks: they stand in a land battle only"),
    ("earthworks in the fort of Hilo", hand("advantage", ours={"hilo": ["kamehameha"]}, theirs={"hilo": ["pike"]},
        field="hilo",
     battle={"earthworks": True}), "earthworks: never at sea or in a fort"),
    ("earthworks at sea", hand("advantage", **WAR, field="maui", battle={"kind": "sea", "earthworks": True}),
        "earthworks"),
    ("a second sea battle", hand("advantage", **WAR, field="maui", battle={"kind": "sea", "second": True}),
        "no second one"),
    ("overland by canoe", hand("advantage", **FIGHT, field="maui", battle={"kind": "overland"}),
        "battle: kind: an attacker there"),
    ("advantage before the roll", hand("advantage", **FIGHT, field="maui", battle={"advantage": "allied"}),
        "it is being rolled for"),
    ("a pike used before the round", hand("advantage", **FIGHT, field="maui", battle={"pike_used": {"allied": True}}),
        "pike_used"),
    ("a battle lost already", hand("advantage", ours={**KONA, "maui": ["pike/panicked"]}, theirs=FIGHT["theirs"],
        field="maui"),
     "a side without an unpanicked unit has lost it"),
    ("no advantage", hand("fire", **FIGHT, field="maui", battle={"firing": "allied"}), "advantage: somebody has it"),
    ("an advantage die left", hand("fire", **FIGHT, field="maui", battle={"advantage": "allied", "first_die": 3}),
        "first_die"),
    ("dice before the fire", hand("fire", **FIGHT, field="maui", battle={"advantage": "allied", "dice": 1}),
        "dice: nothing of that"),
    ("the wrong side fires", hand("fire", **FIGHT, field="maui",
        battle={"advantage": "allied", "firing": "kamehameha"}),
     "kamehameha has no unit able to fire now; allied's units would"),
    ("gunpowder comes first", hand("fire", **BATTLE_UNITS, field="maui", battle={"advantage": "allied", "guns": False}),
     "allied's gunpowder would"),
    ("all have fired", hand("fire", ours={**KONA, "maui": ["pike/fired"]}, theirs={**OAHU, "maui": ["pike/fired"]},
        field="maui",
     battle={"advantage": "allied"}), "has no unit able to fire now; nobody"),
    ("the turn changed among gunpowder", hand("fire", **BATTLE_UNITS, field="maui",
     battle={"advantage": "allied", "guns": True, "turn_side": "kamehameha"}), "turn_side: while gunpowder fires"),
    ("nobody fires", hand("hit_die", **FIRED, field="maui", battle={**K_FIRES, "firer": None}),
        "firer: a unit of the firing side"),
    ("an unmarked unit fires", hand("hit_die", **FIGHT, field="maui", battle=K_FIRES),
        "firer: no warrior_2 of kamehameha's there"),
    ("a stranger fires", hand("hit_die", **FIRED, field="maui", battle={**K_FIRES, "firer": "kamehameha"}),
        "battle: firer: no kamehameha"),
    ("a warrior among guns", hand("hit_die", **FIRED, field="maui",
        battle={**K_FIRES, "guns": True, "turn_side": "kamehameha"}),
     "firer: gunpowder fires first"),
    ("the turn has not passed on", hand("hit_die", **FIRED, field="maui",
        battle={**K_FIRES, "turn_side": "kamehameha"}),
     "firer: .*and then the sides in turn"),
    ("a gun was skipped", hand("hit_die", ours=FIRED["ours"], theirs={**OAHU, "maui": ["musketeer"]}, field="maui",
        battle=K_FIRES),
     "firer: gunpowder fires first, beginning"),
    ("no die to roll", hand("hit_die", **FIRED, field="maui", battle={**K_FIRES, "dice": 0}),
        "dice: warrior_2 rolls 2"),
    ("too many dice", hand("hit_die", **FIRED, field="maui", battle={**K_FIRES, "dice": 3}), "dice: warrior_2 rolls 2"),
    ("no die was rolled", hand("loss", **FIRED, field="maui", battle={**K_FIRES, "dice": 2}),
        "dice: warrior_2 rolls 2"),
    ("a panic among chiefs", hand("panic", ours=FIRED["ours"], theirs={"maui": ["kalani"]}, field="maui",
        battle=K_FIRES),
     "panic: nobody can panic"),
    ("a panic in a fort", hand("panic", half="allied", theirs={"hilo": ["kamehameha", "warrior_2"]},
     ours={"hilo": ["maui_warrior/fired"], "waikiki": ["kalani"]}, field="hilo"), "units: kamehameha|kamehameha"),
    ("a panic behind earthworks", hand("panic", **FIRED, field="maui", battle={**K_FIRES, "earthworks": True}),
        "ignore it"),
    ("a panic before the pike", hand("panic", **FIRED, field="maui", battle=K_FIRES),
        "panic: the pike cancels the first one"),
    # withdrawals and retreats
    ("a withdrawal of nobody", hand("withdrawal", then="movement", retreat={"from_space": "kona"}),
        "canoes alone among enemy units"),
    ("a withdrawal from nowhere", hand("withdrawal", then="movement"), "canoes alone among enemy units"),
    ("a withdrawal before nothing", hand("withdrawal", **ALONE, retreat={"from_space": "kona"}),
        "then: recruiting, movement"),
    ("a withdrawal to nowhere", hand("withdrawal", ours={"kona": ["canoe"], "hilo": ["kamehameha/kona"]},
     theirs={"kona": ["pike"], "hilo": ["brown"]}, then="movement", retreat={"from_space": "kona"}),
         "there is no space to go to"),
    ("a withdrawal out of order", hand("withdrawal",
        ours={"hilo": ["kamehameha"], "kona": ["canoe"], "maui": ["canoe"]},
     theirs={"kona": ["pike"], "maui": ["kalani"]}, then="movement", retreat={"from_space": "maui"}),
         "canoes alone.*on kona"),
    ("a withdrawal before no sea battle", hand("withdrawal", **ALONE, then="sea_battle",
        retreat={"from_space": "kona"}), "field"),
    ("a sea battle of one fleet", hand("withdrawal", **ALONE, then="sea_battle", field="maui",
        retreat={"from_space": "kona"}),
     "a sea battle needs two fleets"),
    ("no beaten fleet", hand("withdrawal", **ALONE, then="sea_loser", field="maui", retreat={"from_space": "kona"},
     battle={"kind": "sea", "advantage": "allied"}), "the defender has won the sea battle"),
    ("a retreat of nobody", hand("retreat", field="maui"), "retreat: who"),
    ("a retreat nowhere", hand("retreat", retreat={"who": "attackers"}), "field: phase retreat is about a space"),
    ("a retreat in movement", hand(retreat={"who": "attackers"}), "pending_retreat: nothing of that in phase movement"),
    ("an unknown retreat", hand(retreat={"who": "spectators"}), "retreat: who: expected one of"),
    ("nobody retreats", hand("retreat", field="maui", retreat={"who": "attackers"}),
        "nobody of kamehameha's is on maui"),
    ("nobody has beaten them", hand("retreat", ours={**KONA, "maui": ["pike", "canoe"]}, field="maui",
        retreat={"who": "attackers"}),
     "nobody has beaten kamehameha on maui"),
    ("attackers without canoe", hand("retreat", **FIGHT, field="maui", retreat={"who": "attackers"}),
        "attackers leave by a canoe"),
    ("defenders without canoe", hand("retreat", **MARCHED, field="hilo", battle={"kind": "overland"},
        retreat={"who": "defenders"},
     decider="allied"), "beaten overland, defenders leave"),
    ("marchers who landed", hand("retreat", **FIGHT, field="maui", retreat={"who": "marchers"}),
        "nobody but marchers is left"),
    ("a refuge that is none", hand("retreat", **MARCHED, field="hilo",
        retreat={"who": "marchers", "refuge": "waikiki"}),
     "refuge: kamehameha does not occupy waikiki"),
    ("marchers with nowhere to go", hand("retreat", ours={"maui": ["kamehameha"], "hilo": ["warrior_2/kona"]},
     theirs={"hilo": ["pike"], "kona": ["kalani"]}, field="hilo", retreat={"who": "marchers"}),
         "the marchers have nowhere to go"),
    ("lost canoes in a retreat", hand("retreat", **BEATEN, field="maui",
        retreat={"who": "beaten_fleet", "canoes_lost": 1},
     decider="allied"), "canoes_lost: nothing of that in phase retreat"),
    ("canoes lost on land", hand("canoe_loss", field="maui", retreat={"who": "attackers", "canoes_lost": 1}),
        "retreat"),
    ("more than half of the canoes", hand("canoe_loss", ours=BEATEN["ours"], theirs=MAUI, field="maui",
     retreat={"who": "beaten_fleet", "canoes_lost": 2}), "half of its canoes"),
    ("a beaten fleet without canoe", hand("retreat", theirs=MAUI, field="maui", retreat={"who": "beaten_fleet"}),
        "has no canoe"),
    ("a war fleet beaten by nobody", hand("retreat", ours=KONA, theirs=WAR["theirs"], field="maui",
     retreat={"who": "beaten_fleet"}, decider="allied"), "nobody has beaten the war fleet"),
    ("a beaten fleet with nowhere to go", hand("retreat", ours={"sea/maui": ["kamehameha/kona", "canoe/kona"]},
        theirs=MAUI,
     field="maui", retreat={"who": "beaten_fleet"}), "the beaten fleet has nowhere to go"),
    # set-up
    ("a pick-up of nobody, to nowhere", hand("pickup", ours={"kona": ["canoe"]},
        theirs={"hilo": ["pike"], "maui": ["maui_warrior"],
     "molokai": ["maui_warrior"], "waikiki": ["kalani"], "koolau": ["oahu_warrior"]},
         fleet={"canoe": "canoe", "at": "kona"}),
     "phase pickup: kamehameha has nothing to choose"),
    ("set-up in June", hand("setup"), "setup: it comes before the first turn"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "reason"), [(f, r) for _, f, r in REFUSED], ids=[name for name, _, _ in REFUSED])
def test_impossible_positions(fields: dict[str, Any], reason: str) -> None:
    refuses(StateError, (reason, lambda: LONG.position(**fields)))


def test_positions_outside_the_scenario() -> None:
    refuses(
        StateError,
        (
            "turn: outside the scenario",
            lambda: SHORT.position(
                **{**hand(), "turn": "february", "decks": {s: list(range(1, 10)) for s in ("kamehameha", "allied")}}
            ),
        ),
    )


def setup_view(game: Game, steps: int) -> dict[str, Any]:
    state = game.initial_state(chance="explicit")
    for _ in range(steps):
        state.apply(state.legal_actions()[0])
    return copy.deepcopy(state.view().to_dict())


def _move(view: dict[str, Any], side: str, piece: str, source: str, target: str) -> None:
    places = {**view["units"][side], "box": view["box"].get(side, [])}
    places[source].remove(piece)
    if target == "box":
        view["box"][side].append(piece)
    else:
        view["units"][side].setdefault(target, []).append(piece)


def _setup(game: Game, steps: int, change: str) -> tuple[Game, dict[str, Any]]:
    view = setup_view(game, steps)
    if change == "half":
        view["half"] = "allied"
    elif change == "held":
        view["held"] = ["muskets_for_land"]
    elif change == "kauai":
        view["kauai"] = "allied"
        view["units"]["allied"]["kauai"] = view["units"]["neutral"].pop("kauai")
    elif change == "next":
        view["setup"]["next_piece"] = 0
    elif change == "skip":
        view["setup"]["next_piece"] += 1
    elif change == "ahead":
        view["setup"]["next_piece"] += 7
    elif change == "late":
        _move(view, "kamehameha", "warrior_2", "kona", "box")
        view["setup"]["choices"]["kamehameha"] = 1
    elif change == "choices":
        view["setup"]["choices"]["kamehameha"] += 1
    elif change == "absent":
        _move(view, "kamehameha", "warrior_2", "kona", "box")
    elif change == "early":
        _move(view, "kamehameha", "pike", "box", "kona")
    elif change == "island":
        _move(view, "allied", "kalani", "waikiki", "maui")
    elif change == "bonus":
        view["bonuses"]["advantage"] = 1
    return game, view


@pytest.mark.parametrize(
    ("game", "steps", "change", "reason"),
    [
        (LONG, 1, "half", "it comes before the first turn"),
        (LONG, 1, "held", "no card has been drawn yet"),
        (LONG, 1, "bonus", "no card has been drawn yet"),
        (LONG, 1, "kauai", "Kaua'i is neutral"),
        (LONG, 1, "next", "next_piece: allied's pieces begin with number"),
        (LONG, 1, "skip", "it is the one after the last that was placed"),
        (LONG, 1, "ahead", "the pieces before next_piece are placed"),
        (LONG, 1, "absent", "warrior_2: the pieces are at their start places"),
        (LONG, 1, "early", "pike: the pieces are at their start places"),
        (LONG, 1, "island", "kalani is placed on another island|kalani"),
        (LONG, 1, "choices", "choices: kamehameha has placed"),
        (SHORT, 1, "choices", "choices: kamehameha has placed"),
        (SHORT, 5, "choices", "choices"),
        (SHORT, 5, "late", "choices: kamehameha has placed all of his already"),
    ],
)
def test_impossible_set_ups(game: Game, steps: int, change: str, reason: str) -> None:
    game, view = _setup(game, steps, change)
    refuses(StateError, (reason, lambda: game.position(**view)))


# -- edited JSON -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [field.name for field in fields(View)])
def test_fields_of_another_kind(key: str) -> None:
    """Whatever stands in a field: the position is refused by its name, or is one."""
    told: list[str] = []
    for state in sample(4, seed=11):
        data = json.loads(state.to_json())
        for wrong in (None, True, 1.5, -1, 2**70, "x", [], [[]], ["x"], {}, {"x": 1}, {"kamehameha": [1]}):
            try:
                state.game.state_from_json(json.dumps({**data, key: wrong}))
            except StateError as error:
                told.append(str(error))
    assert len(told) >= 24 and all(": " in text or "missing" in text for text in told)


def _with(state: State, name: str, value: Any) -> dict[str, Any]:
    return {**numbers_of(state), name: value}


@pytest.mark.parametrize("name", [name for name in STATE.fields if name not in COUNTED])
def test_each_field_of_a_state(name: str) -> None:
    state = next(s for seed in range(7, 30) for s in nodes(LONG, seed, at="fire"))
    value, low, high = numbers_of(state)[name], STATE.fields[name].low, STATE.fields[name].high
    refuses_each(
        StateError,
        lambda one: f"{name}: values from {low} to {high} are allowed, not .*{one}",
        lambda one: state_of(LONG, _with(state, name, [*value[:-1], one] if isinstance(value, list) else one)),
        (low - 1, high + 1, -(2**39), 2**39),
    )


def _first(phase: str, test: Callable[[State], bool] = bool) -> State:
    """A position of a phase in random games."""
    return next(s.clone() for seed in range(2000) for s in nodes(GAMES[seed % 4], seed, at=phase) if test(s))


def _in_table(state: State, field: str, at: int, value: int) -> dict[str, Any]:
    values = list(numbers_of(state)[field])
    values[at] = value
    return _with(state, field, values)


def test_edited_fields_that_no_position_by_hand_can_have() -> None:
    movement, cargo, over = _first("movement"), _first("cargo"), _first("over")
    commit = _first("commit", lambda s: "war" in s.view().units[("kamehameha", "allied")[s.current_player]])
    kauai = names.N_PIECES - 1
    left = numbers_of(movement)["left"]
    refuses_each(
        StateError,
        None,
        lambda state, numbers: state_of(state.game, numbers),
        (
            (movement, _in_table(movement, "owner", 0, 1), "owner: kamehameha belongs to another side"),
            (movement, _in_table(movement, "place", kauai, names.BOX), "kauai_canoe is in a box|on kauai"),
            (
                cargo,
                _with(cargo, "aboard_units", numbers_of(cargo)["aboard_units"] ^ 1),
                "the counts fit the pieces",
            ),
            (commit, _with(commit, "field", -1), "field: the war fleet is for a space"),
            (commit, _with(commit, "war_canoes", 5), "war fleet: the counts do not fit the pieces"),
            (
                movement,
                _with(movement, "left", [left[0] & (left[0] - 1) | 1, left[1]]),
                "decks: cards 1 to 9 are allowed",
            ),
            (movement, _with(movement, "held", [1 << 3, 0]), "held: john_young is not a card to hold"),
            (over, _with(over, "fleet_moves", 1), "fleet_moves: none are left to make in phase over"),
        ),
    )


def test_a_kind_that_a_ruleset_does_without() -> None:
    content = copy.deepcopy(LONG.ruleset.content)
    pieces = content["pieces.toml"]["kamehameha"]
    pieces["warrior_1"]["count"], pieces["pike"]["count"] = 0, 1
    pieces["canoe"]["count"] += 3
    game = Game(rules=content)
    refuses(
        StateError,
        (
            "recruits: this ruleset has no warrior_1",
            lambda: game.position(**hand("recruiting", recruits={"warrior_1": 1})),
        ),
        (
            "one warrior_1 too many; the game has 0",
            lambda: game.position(**hand(ours={"kona": ["kamehameha", "warrior_1"]})),
        ),
    )


class _EndlessError(Exception):
    pass


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """An endless loop of the rules in the plain mode ends with an error (compiled code cannot be stopped so)."""

    def stop(*_: Any) -> None:
        raise _EndlessError(f"still running after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def mutated(state: State, rng: random.Random) -> tuple[dict[str, Any], list[Any]]:
    """A state's fields with one to three numbers changed within their ranges."""
    fields = numbers_of(state)
    changes: list[Any] = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        name = rng.choice(list(fields))
        low, high = STATE.fields[name].low, STATE.fields[name].high
        value = rng.randint(low, min(high, low + 40))
        if isinstance(fields[name], list):
            at = rng.randrange(len(fields[name]))
            if name in ("left", "held"):
                value = fields[name][at] ^ 1 << rng.randint(1, 9)
            elif rng.random() < 0.3:
                value = rng.choice(fields[name])
            changes.append((name, at, fields[name][at], value))
            fields[name][at] = value
        else:
            changes.append((name, fields[name], value))
            fields[name] = value
    return fields, changes


def fuzz(states: list[State], rng: random.Random) -> int:
    """Mutate each position: it is refused, or plays on to the end by the rules. Returns how many were taken."""
    taken = 0
    for state in states:
        numbers, changes = mutated(state, rng)
        with at_most(60):
            try:
                other = state_of(state.game, numbers)
            except StateError:
                continue
            taken += 1
            try:
                play_checked(other, rng)
            except Exception as error:
                raise AssertionError(f"phase {state.phase}, {changes}: {error!r}\n{numbers}") from error
    return taken


def play_checked(state: State, rng: random.Random) -> None:
    """Random play to the end; every position holds what must hold."""
    for _ in range(4000):
        if rng.random() < 0.2 or state.is_terminal:
            state.game.invariants(state)
            again = state.game.position(**state.view().to_dict())
            assert again.view() == state.view()
            state.observation(0)
        if state.is_terminal:
            return
        if state.current_player == CHANCE:
            outcome = rng.choice(state.chance_outcomes(merged=rng.random() < 0.5))[0]
            assert state.chance_text(outcome)
            state.apply_chance(outcome)
        else:
            state.apply(rng.choice(state.legal_actions()))
    raise AssertionError("the game does not end")


def test_changed_numbers_are_rejected_or_harmless() -> None:
    states = [state for states in by_phase(seed=900, most=3).values() for state in states]
    taken = fuzz(states, random.Random(2))
    assert 10 < taken < len(states)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20))
def test_many_changed_numbers(seed: int) -> None:
    states = [state for states in by_phase(seed=2000 + 50 * seed, most=10).values() for state in states]
    fuzz(states * 2, random.Random(seed))
