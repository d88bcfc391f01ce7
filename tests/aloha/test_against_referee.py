"""The engine against the independent referee (tests/aloha_referee): legal actions, chance and positions, in lockstep.

Differences that were found and settled are listed in tests/aloha_referee/SETTLED.md.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aloha_referee import Referee, Rules
from aloha_referee.data import variant
from aloha_referee.looks import observation
from aloha_referee.players import POLICIES, fall
from aloha_referee.positions import crowd
from aloha_referee.referee import CHANCE_PHASES

from hawaii_env.aloha import Game, State
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.errors import StateError
from hawaii_env.game import CHANCE, TERMINAL, Chance

from .helpers import game as shipped

TURN_ORDERS = ("most_left", "rounds")
REWARDS = ("win", "rank", "margin")
FORCED = ("amount", "done", "king", "pass", "take", "warrior")
"""[R-04] Verbs of decisions that can be forced."""


def compare(state: State, referee: Referee) -> None:
    """Everything at one node."""
    told, expected = state.view().to_dict(), referee.position()
    assert told == expected, f"of the engine, of the referee: {differing(told, expected)}"
    assert state.phase == referee.phase
    if referee.decider is not None:
        assert state.current_player == referee.decider
        texts = [state.game.action_text(action) for action in state.legal_actions()]
        answers = referee.options()
        assert sorted(texts) == sorted(answers), (set(texts) - set(answers), set(answers) - set(texts))
    elif referee.phase in CHANCE_PHASES:
        assert state.current_player == CHANCE
        chances = referee.outcomes()
        assert dict(state.chance_outcomes()) == pytest.approx({key: float(value) for key, value in chances.items()})
        assert [state.chance_text(key) for key in chances] == [referee.chance_text(key) for key in chances]
    else:
        assert state.current_player == TERMINAL and state.is_terminal
        compare_outcomes(state, referee)


def differing(told: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """The fields that differ, with both values."""
    if told.keys() != expected.keys():
        return {"fields": (list(told), list(expected))}
    return {
        key: differing(value, expected[key]) if isinstance(value, dict) and expected[key] else (value, expected[key])
        for key, value in told.items()
        if value != expected[key]
    }


def compare_outcomes(state: State, referee: Referee) -> None:
    """Scores, places, shares and rewards."""
    outcome = state.outcome()
    assert outcome is not None
    assert list(outcome.places) == referee.places()
    assert outcome.scores == tuple(player.points for player in referee.players)
    assert list(outcome.shares) == pytest.approx([float(share) for share in referee.shares()])
    assert state.returns() == pytest.approx([float(value) for value in referee.returns(state.game.params["reward"])])


def compare_looks(state: State, referee: Referee, observer: int) -> None:
    """The observation, raw and scaled."""
    raw, expected = state.observation(observer, raw=True), observation(referee, observer)
    parts, wanted = (state.game.split_observation(np.array(values)) for values in (raw, expected))
    assert raw.tolist() == expected, {
        name: (parts[name].tolist(), wanted[name].tolist())
        for name in parts
        if parts[name].tolist() != wanted[name].tolist()
    }
    assert np.allclose(state.observation(observer), raw / state.game.raw_high)


def compare_traces(state: State, referee: Referee) -> None:
    """What happened since the last comparison, forced decisions too; both forget it."""
    assert state.trace is not None
    found = [
        (event.kind if isinstance(event, Chance) else event.player, event.text, event.forced) for event in state.trace
    ]
    assert found == referee.told, (found, referee.told)
    state.trace.clear()
    referee.told.clear()


def play(
    state: State, referee: Referee, rng: random.Random, most: int = 10_000, policy: str | None = None
) -> Counter[str]:
    """Both in lockstep, until the end or `most` nodes; all players alike where a policy is given. Returns how often
    what happened.
    """
    names = [policy or rng.choice(list(POLICIES)) for _ in referee.players]
    bias = rng.choice(("", "", "calamity", "level"))
    game, history, seen = state.game, list[str](), Counter[str]()
    state.start_trace()
    try:
        compare(state, referee)
        while not state.is_terminal and sum(seen.values()) < most:
            if referee.decider is None:
                outcome = fall(referee, rng, bias)
                history.append(referee.chance_text(outcome))
                seen[referee.phase] += 1
                state.apply_chance(outcome)
                referee.fall(outcome)
            else:
                text = POLICIES[names[referee.decider]](referee, rng)
                history.append(f"{referee.decider} {text}")
                seen["decisions"] += 1
                state.apply(game.parse_action(state, text))
                referee.answer(text)
            assert seen["decisions"] <= game.max_decisions
            seen.update(text.split()[0] for who, text, forced in referee.told if forced and isinstance(who, int))
            compare_traces(state, referee)
            compare(state, referee)
            if rng.random() < 0.1:
                compare_looks(state, referee, rng.randrange(len(names)))
            if rng.random() < 0.01:  # from here on, both know nothing but the position
                told = state.view().to_dict()
                referee = Referee.at(referee.rules, told, referee.turn_order)
                state = game.position(**told)
                state.start_trace()
    except Exception as error:
        raise AssertionError(f"{game!r}, {names}, {history[-60:]}: {error!r}") from error
    seen["games"] += state.is_terminal
    return seen


SHIPPED = Ruleset.load().content


def game_of(options: dict[str, Any]) -> Game:
    """By the shipped numbers the same game each time: reading them takes longer than a short game."""
    return Game(**options) if "rules" in options else shipped(**options)


def options_of(rng: random.Random, players: int | None = None) -> dict[str, Any]:
    """Options of chance's choosing."""
    return {
        "players": players or rng.choice((2, 3, 4)),
        "turn_order": rng.choice(TURN_ORDERS),
        "reward": rng.choice(REWARDS),
    }


def both(options: dict[str, Any], start: dict[str, Any] | None = None) -> tuple[State, Referee]:
    """A game, and the referee's by the same numbers; from a position where one is given."""
    game = game_of(options)
    rules, turn_order = Rules(game.ruleset.content), options["turn_order"]
    if start is None:
        return game.initial_state(chance="explicit"), Referee(rules, game.agents, turn_order)
    state = game.position(**start)
    return state, Referee.at(rules, state.view().to_dict(), turn_order)


def play_game(seed: int, players: int | None = None) -> Counter[str]:
    """A game from its beginning, by the shipped numbers."""
    rng = random.Random(seed)
    return play(*both(options_of(rng, players)), rng)


def play_sampled(seed: int) -> Counter[str]:
    """A game whose chance the engine draws itself: the referee is told what fell."""
    rng = random.Random(seed)
    options = options_of(rng)
    game = game_of(options)
    state, referee = game.initial_state(seed=seed, trace=True), both(options)[1]
    seen = Counter[str]()
    while True:
        assert state.trace is not None
        for event in state.trace:
            if isinstance(event, Chance):
                referee.fall(event.outcome)
                seen[f"{event.kind} {event.outcome}"] += 1
        compare_traces(state, referee)
        compare(state, referee)
        if state.is_terminal:
            return seen
        text = rng.choice(referee.options())
        state.apply(game.parse_action(state, text))
        referee.answer(text)


def play_variant(seed: int, players: int | None = None) -> Counter[str]:
    """A game by other numbers, and by harsher cards."""
    rng = random.Random(seed)
    rules = variant(SHIPPED, rng)
    return play(*both({**options_of(rng, players), "rules": rules}), rng)


def play_crowd(seed: int, nodes: int = 60) -> Counter[str]:
    """From a crowded position on, by shipped or other numbers."""
    rng = random.Random(seed)
    options = options_of(rng)
    if rng.random() < 0.3:
        options["rules"] = variant(SHIPPED, rng)
    return play_from(options, rng, nodes)


def play_ties(seed: int) -> Counter[str]:
    """From an Epilogue in which nearly all is level, and everybody stops."""
    rng = random.Random(seed)
    return play_from(options_of(rng), rng, 10_000, "epilogue", "stops")


def play_from(
    options: dict[str, Any], rng: random.Random, nodes: int, stage: str | None = None, policy: str | None = None
) -> Counter[str]:
    """From a crowded position of this or any stage on."""
    game = game_of(options)
    referee = crowd(Rules(game.ruleset.content), game.agents, options["turn_order"], rng, stage)
    start = referee.position()
    try:
        state = game.position(**start)
    except StateError as error:
        raise AssertionError(f"{game!r} refuses {start}: {error}") from error
    referee.take_forced()
    referee.told.clear()
    return play(state, referee, rng, nodes, policy)


def played(play_one: Callable[..., Counter[str]], seeds: range, *args: int) -> Counter[str]:
    """What happened in many games."""
    return sum((play_one(seed, *args) for seed in seeds), Counter[str]())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games(players: int) -> None:
    """[SU, W] By the shipped numbers."""
    assert played(play_game, range(1), players)["games"] == 1


def test_other_numbers() -> None:
    """By rulesets of chance's choosing, with harsher cards."""
    assert played(play_variant, range(2))["games"] == 2


def test_crowded_positions() -> None:
    """From positions made by hand on."""
    assert played(play_crowd, range(10), 12)["decisions"] > 40


def test_ties() -> None:
    """[E3, W, R-23] What breaks them, and what does not."""
    assert played(play_ties, range(40))["games"] == 40


def test_sampled() -> None:
    """[R-24] What the engine draws itself could have fallen, and leads to the same game."""
    seen = played(play_sampled, range(1))
    assert (
        sum(seen[f"first_player {index}"] for index in range(4)) == 1 and min(seen[f"die {n}"] for n in range(1, 7)) > 0
    )


@pytest.mark.slow
def test_hundreds_of_crowded_positions() -> None:
    """Every forced choice comes up."""
    seen = played(play_crowd, range(600_000, 600_300))
    assert min(seen[name] for name in (*CHANCE_PHASES[1:], *FORCED)) > 0, seen


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_thousands_of_games(players: int, part: int) -> None:
    start = 100_000 * players + 100 * part
    assert played(play_game, range(start, start + 100), players)["games"] == 100


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(20))
def test_thousands_of_others(part: int) -> None:
    seeds = range(500_000 + 100 * part, 500_000 + 100 * part + 100)
    assert played(play_variant, seeds)["games"] == 100
    assert played(play_crowd, seeds)["decisions"] > 100
    assert played(play_ties, seeds)["games"] == 100
    assert played(play_sampled, seeds)["die 6"] > 100
