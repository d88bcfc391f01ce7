"""What the page tells beyond the rules: what a side wants, what its chiefs must fear, which choices are warned of, how
it ended.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

import hawaii_env
from hawaii_env import agents
from hawaii_env.hawaii1795 import Game, guide
from hawaii_env.hawaii1795.battles import battle_odds
from hawaii_env.hawaii1795.pictures.phrases import help_phrase

GAME = Game()


def position(units: dict[str, Any], half: str = "kamehameha", phase: str = "movement", **more: Any) -> Any:
    return GAME.position(turn="june", half=half, phase=phase, units=units, **{"fleet_moves": 3, **more})


def lines(advice: dict[str, Any], title: str) -> list[dict[str, str]]:
    return next(section["lines"] for section in advice["sections"] if section["title"] == title)


def warned(state: Any, text: str) -> dict[str, Any] | None:
    player = state.current_player
    return guide.advice(state.for_search(), player)["warnings"].get(GAME.parse_action(state, text))


UNITS = {
    "kamehameha": {"kona": ["kamehameha", "warrior_2", "warrior_2", "canoe", "canoe"], "hilo": ["warrior_1"]},
    "allied": {"maui": ["maui_warrior"], "waikiki": ["kalani", "oahu_warrior", "oahu_warrior", "oahu_canoe"]},
}


def test_what_is_wanted_follows_the_ruleset_and_the_board() -> None:
    advice = guide.advice(position(UNITS).for_search(), 0)
    wanted = lines(advice, "You win")
    assert [line["mark"] for line in wanted] == ["", "done", "open", "open"]
    assert wanted[1]["text"] == "Kona and Hilo: held."
    assert wanted[2]["text"] == "Four of Maui, Molokaʻi, Waikīkī, Koʻolau and Kauaʻi: none held."
    assert "Kalanikūpule is at Waikīkī, Kaʻiana is not on the map yet" in wanted[3]["text"]
    held = {**UNITS, "kamehameha": {**UNITS["kamehameha"], "molokai": ["pike"]}}
    wanted = lines(guide.advice(position(held).for_search(), 0), "You win")
    assert wanted[2]["text"].endswith("one held (Molokaʻi).")
    # The other side sees the same from its end; nothing is missing but Kona or Hilo.
    theirs = lines(advice, "They win")
    assert theirs[1]["text"] == "Two of Maui, Molokaʻi, Waikīkī and Koʻolau: held."
    assert theirs[-1]["text"] == "They lack one space."
    assert all(line["mark"] == "" for line in theirs)
    taken = {
        **UNITS,
        "allied": {**UNITS["allied"], "hilo": ["pike"]},
        "kamehameha": {"kona": UNITS["kamehameha"]["kona"]},
    }
    theirs = lines(guide.advice(position(taken).for_search(), 0), "They win")
    assert theirs[-1] == {"text": "They hold all of it now: take some of it back.", "mark": "danger"}


@pytest.mark.parametrize(
    ("units", "leaders", "up_to", "carries", "sighted"),
    [
        (2, 2, 3, "carries up to two units and two leaders.", "On 1 to 3 it is sighted"),
        (1, 0, 1, "carries up to one unit.", "On 1 it is sighted"),
    ],
)
def test_help_shows_the_numbers_of_the_ruleset(
    units: int, leaders: int, up_to: int, carries: str, sighted: str
) -> None:
    content = copy.deepcopy(Game().ruleset.content)
    content["pieces.toml"]["canoe_load"].update(units=units, leaders=leaders)
    content["battle_results.toml"]["sighting"]["up_to"] = up_to
    ruleset = Game(rules=content).ruleset
    assert carries in help_phrase("cargo", ruleset) and sighted in help_phrase("sighting", ruleset)


def test_what_could_come_against_a_chief_is_the_odds_module_s() -> None:
    state = position(UNITS)
    line = lines(guide.advice(state.for_search(), 0), "Your chief")[0]
    # One canoe brings two units and a leader from Waikiki.
    odds = battle_odds(
        ["kalani", "oahu_warrior", "oahu_warrior"], ["kamehameha", "warrior_2", "warrior_2"], "kona", chiefs=False,
        policy="simple", max_nodes=4000, samples=400, game=GAME,
    )  # fmt: skip
    assert 0.02 < odds.attacker_wins < 0.98
    assert f"3 units with 6 dice, {round(100 * odds.attacker_wins)}% chance that he falls" in line["text"]
    assert "behind a fort" in line["text"]
    # Without a canoe nobody comes.
    alone = {**UNITS, "allied": {**UNITS["allied"], "waikiki": ["kalani", "oahu_warrior"]}}
    assert lines(guide.advice(position(alone).for_search(), 0), "Your chief")[0]["text"].endswith(
        "Nobody can come there."
    )


def test_a_chief_who_sails_into_a_battle_is_warned_of() -> None:
    state = position(UNITS)
    for text in ("fleet kona", "pickup kona", "embark kamehameha"):
        state.apply(GAME.parse_action(state, text))
    state.apply(GAME.parse_action(state, "done")) if state.phase == "cargo" else None
    found = warned(state, "sail waikiki")
    assert found is not None
    assert found["risk"] > 0.5
    assert "Kamehameha attacks Waikīkī" in found["text"]
    assert "With him the game is lost" in found["text"]
    # To an empty space, or against little, nothing is said.
    assert warned(state, "sail molokai") is None
    assert warned(state, "sail hilo") is None


def test_a_chief_left_alone_is_warned_of_when_movement_ends() -> None:
    units = {
        "kamehameha": {"hilo": ["kamehameha"], "kona": ["warrior_2"], "molokai": ["canoe", "warrior_1"]},
        "allied": {
            "waikiki": ["kalani", "kaiana", "oahu_warrior", "oahu_warrior", "oahu_canoe"],
            "maui": ["maui_warrior", "thunderers", "maui_canoe"],
        },
    }
    found = warned(position(units), "done")
    assert found is not None
    assert found["risk"] >= guide.EXPOSED
    assert "Kamehameha stays at Hilo" in found["text"]
    safe = {**units, "allied": {"maui": ["maui_warrior", "maui_canoe"], "waikiki": ["kalani"]}}
    assert warned(position(safe), "done") is None


def falling(firing: str, ours: list[str], theirs: list[str], **more: Any) -> Any:
    """Kamehameha's landing at Waikiki, in which the other side has just been hit and must lose a unit."""
    units = {
        "kamehameha": {"kona": ["warrior_2"], "waikiki": [*ours, "canoe"]},
        "allied": {"waikiki": theirs, "maui": ["maui_warrior"]},
    }
    other = "allied" if firing == "kamehameha" else "kamehameha"
    firer = next(unit.split("/")[0] for unit in (ours if firing == "kamehameha" else theirs) if "/fired" in unit)
    battle = {"kind": "invasion", "advantage": firing, "turn_side": other, "firing": firing, "firer": firer, "dice": 0}
    return position(units, phase="loss", fleet_moves=0, field="waikiki", battle=battle, **more)


def test_giving_a_chief_up_is_warned_of() -> None:
    state = falling("allied", ["kamehameha", "warrior_2"], ["kalani", "oahu_warrior/fired"])
    found = warned(state, "lose kamehameha")
    assert found is not None
    assert found["risk"] == 1
    assert "ends the game at once" in found["text"]
    assert warned(state, "lose warrior_2") is None
    # One of two chiefs is not the game yet, the last one is.
    for dead, said in (
        ([], "Kalanikūpule falls. He would never return"),
        (["allied:kaiana"], "This ends the game at once"),
    ):
        state = falling("kamehameha", ["kamehameha", "warrior_2/fired"], ["kalani", "oahu_warrior"], dead=dead)
        (entry,) = guide.advice(state.for_search(), 1)["warnings"].values()
        assert entry["text"].startswith(said)


@pytest.mark.parametrize(
    ("scenario", "solved"),
    [
        ("short", False),
        pytest.param("short", True, marks=pytest.mark.slow),
        pytest.param("long", True, marks=pytest.mark.slow),
    ],
)
def test_advice_changes_nothing_and_has_something_for_every_position(
    scenario: str, solved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole games of both sides: the position is as it was, every warning is of a legal action, and every end is
    told. Unless the battles are solved, everybody wins every second one.
    """
    if not solved:
        monkeypatch.setattr(guide, "_chance", lambda *_: 0.5)
    game = Game(scenario, final_check=scenario == "short")
    for seed in range(2):
        state = game.initial_state(seed=seed, trace=True)
        players = agents.load_agents("random", game, seed)
        n = 0
        while not state.is_terminal:
            n += 1
            player, legal = state.current_player, state.legal_actions()
            if n % 5 == 0 or state.phase in ("loss", "setup"):
                before = state.to_json()
                for side in (0, 1):
                    advice = guide.advice(state.for_search(), side)
                    assert advice["sections"][0]["title"] == "You win"
                    assert set(advice["warnings"]) <= (set(legal) if side == player else set())
                assert state.to_json() == before
            state.apply(players[player].act(state.for_search(), legal, None))
        assert guide.why(state).endswith(".")


def test_how_it_ended() -> None:
    game = Game("short")
    told: set[str] = set()
    for seed in range(12):
        state = hawaii_env.play(game, "random", seed=seed)
        words = guide.why(state)
        outcome = state.outcome()
        assert outcome is not None
        told.add(outcome.reason)
        if outcome.winner is None:
            assert words.startswith("November is over")
        elif "[5.2]" in outcome.reason:
            assert " fell" in words
        else:
            assert " begins, " in words
    assert len(told) >= 2
