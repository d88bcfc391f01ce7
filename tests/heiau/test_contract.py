"""What every game here promises, held for all scenarios; and that nobody learns what they may not know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from leaks import DOORS, check, differ, pairs
from moves import play
from refusals import refuses

from hawaii_env import heiau_v0
from hawaii_env.errors import IllegalActionError, StateError
from hawaii_env.game import SPECTATOR
from hawaii_env.heiau import Game
from hawaii_env.heiau.ruleset import Ruleset

SCENARIOS = tuple(Ruleset.load().scenarios)
HIDING = ("haole", "two_haoles")
TELLING = {"setup": ("AEC environment", "parallel environment", "OpenSpiel")}
"""Doors that take no position at a chance node."""


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(one, marks=[pytest.mark.slow] * (one not in ("race", HIDING[0]))) for one in SCENARIOS],
)
def test_no_method_shows_what_a_player_may_not_know(scenario: str) -> None:
    """Orders, retreats, adjustments and ballots that are entered, and hidden starts, are nobody else's; in any
    phase.
    """
    count, hidden, phases = 0, 0, set[str]()
    for one, other, player in pairs(Game(scenario=scenario, last_year=2), 0):
        check(one, other, player)
        count += 1
        hidden += differ(one, other)
        phases.add(one.phase)
    assert count >= 4 and hidden and phases >= ({"ballot", "orders"} if scenario in HIDING else {"orders"})


PHASES: dict[str, dict[str, Any]] = {
    # Three are dislodged, two of them of powers that the first attacks.
    "retreats": {
        "units": {0: ["A hana", "A kawaihae"], 1: ["A hilo"]},
        "dislodged": [(1, "A hana"), (0, "A hilo"), (-1, "A kawaihae")],
    },
    # The first builds two armies, the second removes two, the last builds one.
    "adjustments": {
        "units": {0: ["A kohala"], 1: ["A hilo", "B kahului", "A puna"], -1: []},
        "owners": {"kohala": 0, "waimea": 0, "kilauea": 0, "hilo": 1, "aiea": -1},
    },
}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    "scenario",
    ["race", *(pytest.param(one, marks=pytest.mark.slow) for one in ("triangle", "heart", "kamaainas", "discovery",
     *HIDING))],
)  # fmt: skip
def test_no_method_shows_retreats_and_winters(scenario: str, phase: str) -> None:
    """Two to six players. The doors that need a whole game are held by `test_no_door_shows_...` above."""
    game, told = Game(scenario=scenario, last_year=3), PHASES[phase]
    natives = [one for one in game.powers if one not in ("haole", "south", "north")]
    units: dict[str, list[str]] = {}
    for who, texts in told["units"].items():
        units.setdefault(natives[who], []).extend(texts)
    start = game.position(
        year=2,
        season="fall",
        phase=phase,
        units=units,
        owners={space: natives[who] for space, who in told.get("owners", {}).items()},
        dislodged=[{"unit": text, "power": natives[who]} for who, text in told.get("dislodged", ())],
        **({"ballots": dict.fromkeys(game.powers, "heart"), "setup": "heart"} if scenario in HIDING else {}),
    )
    assert start.phase == phase and start.sealed_turn is not None
    hidden = 0
    for seed in range(40):
        for one, other, player in pairs(game, seed, start):
            if one.phase != phase:
                break
            hidden += differ(one, other)
            check(one, other, player)
        if hidden >= 3:
            return
    raise AssertionError(f"{hidden} pairs in which something was hidden")


@pytest.mark.parametrize("scenario", HIDING)
def test_no_method_shows_hidden_starts_to_a_european(scenario: str) -> None:
    """Games of other ballots and starts are one to a European until its first orders are in, natives who vote again and
    a lot included.
    """
    n, level = Game(scenario=scenario).num_players, scenario == "two_haoles"
    games = []
    for votes in ("hhhh", "wwww", *(["hhww", "hhwwhhww"] if level else [])):
        state = Game(scenario=scenario).initial_state(chance="explicit", trace=True)
        votes = votes[:4] + "hw"[: n - 4] + votes[4:]
        play(state, *["vote heart" if one == "h" else "vote wings" for one in votes])
        games.append(state)
    assert [state.phase for state in games] == ["orders", "orders", *(["ballot", "setup"] if level else [])]
    for player in range(4, n):
        for other in games[1:]:
            check(games[0], other, player, [door for door in DOORS if door not in TELLING.get(other.phase, ())])
    assert all(games[0].view(SPECTATOR) == other.view(SPECTATOR) for other in games)
    assert all(games[0].known_turn(SPECTATOR) == other.known_turn(SPECTATOR) for other in games)
    assert games[0].view(0) != games[1].view(0) and differ(*games[:2])
    refuses(AssertionError, ("door", lambda: check(games[0], games[1], 0)))


def test_europeans_enter_their_orders_while_natives_vote_again() -> None:
    """[Two Haoles, R-19] In the parallel environment, step by step, a European's masks are those of a game without a
    second ballot, and the orders that it has entered are played.
    """
    seen: list[list[list[int]]] = []
    for votes in ("hhhhhh", "hhwwhw"):
        env = heiau_v0.parallel_env(scenario="two_haoles")
        looks, _ = env.reset(seed=1)
        code = {letter: env.game.parse_action(env.game_state, f"vote {word}") for letter, word in
                (("h", "heart"), ("w", "wings"))}  # fmt: skip
        looks = env.step({agent: code[vote] for agent, vote in zip(env.agents, votes, strict=True)})[0]
        assert env.game_state.phase == ("orders" if votes == "hhhhhh" else "ballot")
        masks: list[list[int]] = []
        while env.game_state.sealed_turn in (2, 3):  # the second ballot, and the first orders
            masks += [np.flatnonzero(looks[env.agents[4]]["action_mask"]).tolist()]
            chosen = {who: int(np.flatnonzero(look["action_mask"])[-1]) for who, look in looks.items() if
                      look["action_mask"].any()}  # fmt: skip
            looks = env.step(chosen)[0]
        seen.append([mask for mask in masks if mask])
    assert seen[0] == seen[1] and seen[0]


def test_resample_draws_both_starts_and_fits_what_is_known() -> None:
    """A European's draws differ in the hidden start, and show it nothing."""
    state = play(Game(scenario="two_haoles").initial_state(seed=3), *["vote wings"] * 6)
    drawn = [state.resample(4, seed=seed) for seed in range(20)]
    assert {one.view(0).setup for one in drawn} == {"heart", "wings"}
    assert all(one.view(4) == state.view(4) and one.current_player == 4 for one in drawn)
    assert state.resample(4, seed=1).to_json(secrets=True) == drawn[1].to_json(secrets=True)


def test_a_search_copy_keeps_the_players_own_entries_and_forgets_the_others() -> None:
    """Others enter anew, after the player."""
    state = play(Game(scenario="triangle").initial_state(seed=1), "move auau", "hold")
    assert state.current_player == 2
    assert [state.for_search(player).current_player for player in range(3)] == [1, 0, 2]
    assert state.for_search(0).view(0).entered == {"dawn": ["move auau"]}
    assert state.for_search(2).record.entered == [[], [], []]


def test_the_action_table_is_pinned() -> None:
    """331 actions, the same in all scenarios."""
    games = [Game(scenario=scenario) for scenario in SCENARIOS]
    assert {(game.num_actions, game.action_table_hash[:16]) for game in games} == {(331, "cb1a0751b92fae20")}
    assert len({game.observation_size for game in games}) == 1


def test_assignments_differ_and_players_play_their_powers() -> None:
    """With random assignment any player may get any power."""
    game = Game(scenario="heart", assignment="random")
    views = [game.initial_state(seed=seed).view(0).assignment for seed in range(12)]
    assert len({tuple(view) for view in views}) > 3
    state = game.initial_state(seed=1)
    first = state.view().assignment.index("dawn")
    assert state.current_player == first and list(state.view(first).entered) == ["dawn"]


def test_hand_written_text_is_understood() -> None:
    """[Abbr] The rulebook's names stand for ids; the message of a wrong text lists what is legal."""
    state = Game().initial_state(seed=1)
    assert state.game.parse_action(state, "move KonaC") == state.game.parse_action(state, "move kona_coast")
    refuses(
        IllegalActionError,
        (r"move to the moon.*'to the moon'", lambda: state.game.parse_action(state, "move to the moon")),
        (r"legal are: move kawaihae, move hilo|legal are: move", lambda: state.game.parse_action(state, "move npo")),
    )


BAD = {
    "two units in": {"units": {"sunrise": ["B puna"], "sunset": ["A puna"]}},
    "cannot be there": {"units": {"sunrise": ["A kaiwi"]}},
    "cannot be there ": {"units": {"sunrise": ["B npo"]}},
    "such a unit": {"units": {"sunrise": ["B makanalua"]}},
    "fleets": {"units": {"sunrise": ["F kaiwi"]}},
    "units: expected one of sunrise, sunset, not 'noon'": {"units": {"noon": ["A puna"]}},
    "a unit is A, B or F": {"units": {"sunrise": ["C puna"]}},
    "neither heiau nor post": {"units": {}, "owners": {"koloa": "sunrise"}},
    "has a heiau": {"units": {}, "posts": ["puna"]},
    "posts can be built": {"units": {}, "posts": ["koloa"]},
    "no unit of another power has dislodged": {
        "units": {},
        "phase": "retreats",
        "dislodged": [{"unit": "A puna", "power": "sunset", "from": None}],
    },
    "nobody goes there": {
        "units": {"sunrise": ["A puna"]},
        "phase": "retreats",
        "dislodged": [{"unit": "A puna", "power": "sunset", "from": "aiea"}],
    },
    "no unit of another power has dislodged it": {
        "units": {"sunset": ["A puna"]},
        "phase": "retreats",
        "dislodged": [{"unit": "B puna", "power": "sunset", "from": "hilo"}],
    },
    "B puna/n: there is no place 'puna/n' on the map": {"units": {"sunrise": ["B puna/n"]}},
    "a unit is A, B or F and a place, as 'B makanalua/n', not 'B'": {"units": {"sunrise": ["B"]}},
    "an occupied space": {"units": {"sunset": ["A puna"]}, "phase": "retreats", "contested": ["puna"]},
    "retreats only": {"units": {}, "contested": ["puna"]},
    "at least one dislodged unit": {"units": {"sunset": ["A puna"]}, "phase": "retreats"},
    "year": {"year": 21},
    "phase": {"phase": "winter"},
    "follow Fall": {"units": {}, "phase": "adjustments"},
    "not legal after": {"entered": {"sunrise": ["move npo"]}},
    "no ballot": {"phase": "ballot"},
    "shares": {"phase": "over", "units": {}},
    "fields: expected one of .*, not 'wind'": {"wind": "north"},
}


@pytest.mark.parametrize("message", BAD)
def test_positions_that_cannot_be_are_rejected(message: str) -> None:
    """Each with the reason."""
    refuses(StateError, (message.strip(), lambda: Game().position(**BAD[message])))
