"""The contract of Game and State that everything else relies on (docs: the public API)."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from hawaii_env.errors import GameOverError, OptionError, StateError
from hawaii_env.game import CHANCE, TERMINAL, Chance, Decision, difference
from hawaii_env.game import State as BaseState
from hawaii_env.hawaii1795 import Game

from .helpers import (
    ASSAULT,
    FIRST_RULES,
    GAMES,
    LONG,
    SHORT,
    choose,
    data_of,
    finish,
    move_on,
    nodes,
)


def test_a_games_repr_names_its_ruleset() -> None:
    """It is no longer than a line, and two games whose rules differ differ in it."""
    content = copy.deepcopy(LONG.ruleset.content)
    content["ruleset.toml"]["name"] = "a name that is much longer than any name has to be"
    games = [LONG, Game(rules=FIRST_RULES), Game(rules=content)]
    content["cards.toml"]["kamehameha"]["peleleu_fleet"]["fleets"] = 3
    games.append(Game(rules=content))
    shown = [repr(game) for game in games]
    assert len(set(shown)) == 4 and all(len(text) < 140 for text in shown)
    assert all(game.ruleset_hash[:12] in text for game, text in zip(games[1:], shown[1:], strict=True))
    assert "rules=<ruleset 'reconstructed-1' " in shown[1] and "rules=<ruleset 'a name" in shown[2]


def test_the_difference_of_games_is_short() -> None:
    theirs = Game("short", FIRST_RULES, True, "assault")
    told = difference(theirs, LONG)
    assert len(told) < 250 and "'reconstructed-1'" in told and repr(LONG.ruleset_name) in told
    assert difference(SHORT, LONG) == "a game with scenario='short', not scenario='long'"
    for same in (LONG, Game(**LONG.params), Game(rules=LONG.ruleset.content)):
        assert difference(LONG, same) == difference(same, LONG) == ""


def test_a_game_with_a_ruleset_of_its_own_keeps_it() -> None:
    content = copy.deepcopy(LONG.ruleset.content)
    content["cards.toml"]["kamehameha"]["peleleu_fleet"]["fleets"] = 3
    game = Game(rules=content)
    assert game != LONG and game.ruleset_hash != LONG.ruleset_hash
    state = game.initial_state(seed=3)
    again = pickle.loads(pickle.dumps(state))
    assert again.game == game and again == state
    refuses(StateError, ("ruleset", lambda: LONG.state_from_json(state.to_json())))


def test_merged_outcomes_are_faces_of_equal_effect() -> None:
    """Every face is applied; those that lead to one position, and no others, are one merged outcome, the least of
    them.
    """
    merged_some = 0
    coincide: Counter[tuple[str, ...]] = Counter()
    for seed in range(12):
        for state in nodes(GAMES[seed % 4], 100 + seed):
            if state.current_player != CHANCE or state.phase == "card":
                continue
            leads: dict[int, bytes] = {}
            for face, _ in state.chance_outcomes():
                copied = state.clone()
                copied.apply_chance(face)
                leads[face] = copied.key()
            merged = state.chance_outcomes(merged=True)
            alike: dict[bytes, list[int]] = defaultdict(list)
            for face, key in leads.items():
                alike[key].append(face)
            assert merged == [(faces[0], pytest.approx(len(faces) / 6)) for faces in alike.values()]
            merged_some += len(merged) < 6
            for faces in alike.values():
                said = {state.chance_text(face).partition(": ")[2] for face in faces}
                if state.phase == "hit_die" and len(said) > 1:
                    coincide[tuple(sorted(said))] += 1
    assert merged_some > 100
    # A panicked unit that panics is eliminated [11.3].
    assert coincide["elimination", "panic"] > 20


def last_die(ours: list[str], theirs: list[str], **battle: Any) -> BaseState:
    """The last die of a round on Maui, Kamehameha's half."""
    units = {
        "kamehameha": {"maui": ours, "kona": ["kamehameha"]},
        "allied": {"maui": theirs, "waikiki": ["kalani"]},
    }
    return LONG.position(
        turn="june", half="kamehameha", phase="hit_die", units=units, field="maui", battle={"dice": 1, **battle}
    )


def test_merged_outcomes_of_a_rounds_last_die() -> None:
    """What the round leaves may be one: a panic that a pike cancels [14.1], a unit that is beaten and has nowhere to go
    [11.5].
    """
    fires = {"advantage": "allied", "turn_side": "allied", "firing": "kamehameha", "firer": "warrior_2/fired"}
    state = last_die(["warrior_2/fired", "canoe"], ["brown/fired", "pike/fired"], **fires)
    assert [state.chance_text(face).partition(": ")[2] for face in (1, 4, 6)] == ["no effect", "panic", "elimination"]
    assert state.chance_outcomes(merged=True) == [(1, pytest.approx(5 / 6)), (6, pytest.approx(1 / 6))]
    fires = {"advantage": "kamehameha", "turn_side": "kamehameha", "firing": "allied", "firer": "pike/fired"}
    state = last_die(["warrior_2/panicked"], ["pike/fired"], **fires)
    assert state.chance_outcomes(merged=True) == [(1, pytest.approx(1))]
    state = last_die(["warrior_2/panicked", "canoe"], ["pike/fired"], **fires)
    assert state.chance_outcomes(merged=True) == [(1, pytest.approx(1 / 2)), (4, pytest.approx(1 / 2))]


def test_sampled_outcomes_are_fair() -> None:
    """Faces and cards of the state's own generators: each about equally often (5 standard deviations)."""
    dice, cards = [0] * 7, [0] * 10
    for seed in range(60):
        state = SHORT.initial_state(seed, trace=True)
        rng = random.Random(seed)
        while not state.is_terminal and state.view().turn == "march":
            move_on(state, rng)
        events = [event for event in state.trace or [] if isinstance(event, Chance)]
        cards[events[0].outcome] += 1
        finish(state, seed)
        for event in state.trace or []:
            if isinstance(event, Chance) and event.kind != "card":
                dice[event.outcome] += 1
    total = sum(dice)
    assert total > 3000 and dice[0] == 0
    assert all(abs(n - total / 6) < 5 * (total * 5 / 36) ** 0.5 for n in dice[1:])
    assert cards[0] == 0 and sum(cards) == 60 and sum(n > 0 for n in cards) >= 8


def test_clone_with_other_dice() -> None:
    state = LONG.initial_state(seed=1)
    move_on(state, random.Random(1))
    assert data_of(state.clone(seed=7)) == data_of(state.clone(seed=7)) != data_of(state.clone(seed=8))
    assert state.clone(seed=7) == state.clone(seed=8) == state
    # A copy of a chance node goes past it.
    for explicit in nodes(LONG, 2):
        if explicit.current_player == CHANCE:
            copied = explicit.clone(seed=7)
            assert copied.chance == "sampled" and copied.current_player in (0, 1, TERMINAL)
            assert data_of(copied) == data_of(explicit.clone(seed=7))
            assert explicit.current_player == CHANCE and explicit.clone().chance == "explicit"


def test_states_for_search_have_no_generator() -> None:
    state = SHORT.initial_state(seed=11, trace=True)
    rng = random.Random(11)
    for _ in range(30):
        words = state.generator
        assert any(words)
        search = state.for_search()
        assert search.chance == "explicit" and search.trace is None and search == state
        assert search.generator == [-1] * 8
        told = (data_of(search), pickle.dumps(search), search.to_json(secrets=True), repr(search.view()), repr(search))
        for word in words:
            for byteorder in ("little", "big"):
                assert word.to_bytes(4, byteorder) not in told[0] + told[1] or word < 2**16
            assert str(word) not in told[2] + told[3] + told[4] or word < 2**16
        assert "generator" not in told[2]
        with pytest.raises(OptionError, match="begin_after"):
            search.begin_after(search.game)
        finish(search)
        move_on(state, rng)


def test_begin_after() -> None:
    """Episodes of one seed follow one another: the generators go on, nothing else of the first game is left."""
    first = LONG.initial_state(seed=4)
    finish(first, 4)
    second, again = first.begin_after(LONG), first.begin_after(LONG)
    assert data_of(second) == data_of(again) and first.is_terminal
    fresh = LONG.initial_state(seed=4)
    assert second == fresh and second.decisions == 0 and data_of(second) != data_of(fresh)
    assert finish(second, 4).to_json() != first.to_json()
    traced = LONG.initial_state(seed=4, trace=True)
    assert traced.begin_after(LONG, trace=True).trace == LONG.initial_state(seed=4, trace=True).trace


def _cards(game: Game, seed: int, play: int) -> list[int]:
    state = game.initial_state(seed, trace=True)
    rng = random.Random(play)
    while not state.is_terminal:
        state.apply(choose(state, rng, bold=play % 2 == 0))
    return [event.outcome for event in state.trace or [] if isinstance(event, Chance) and event.kind == "card"]


@pytest.mark.parametrize("game", [LONG, SHORT], ids=["long", "short"])
def test_two_generators(game: Game) -> None:
    """Two games of one seed see the same cards, whatever is played in them; other seeds bring other cards."""
    for seed in (1, 2):
        games = [_cards(game, seed, play) for play in range(6)]
        longest = max(games, key=len)
        assert len(longest) > 4 and all(cards == longest[: len(cards)] for cards in games)
    assert len({tuple(_cards(game, seed, 0)[:5]) for seed in range(12)}) > 6


def test_a_traced_game_is_the_untraced_one() -> None:
    for seed, game in enumerate(GAMES):
        traced, plain = (finish(game.initial_state(seed, trace=trace), seed) for trace in (True, False))
        assert data_of(traced) == data_of(plain) and plain.trace is None
        assert sum(isinstance(e, Decision) and not e.forced for e in traced.trace or []) == traced.decisions
        outcome = traced.outcome()
        assert outcome is not None and "[5." in outcome.reason and outcome.reason in repr(traced)


def test_equality_is_of_the_public_position() -> None:
    one, other = LONG.initial_state(seed=1), LONG.initial_state(seed=2)
    assert one == other and hash(one) == hash(other) and data_of(one) != data_of(other)
    assert len({one, other, one.for_search(), one.clone(seed=3)}) == 1
    moved = one.clone()
    moved.apply(moved.legal_actions()[0])
    assert moved != one and one != "a state"
    assert ASSAULT.initial_state(seed=1) != one
    refuses(TypeError, ("game", lambda: type(one)()))


def test_initial_states() -> None:
    assert LONG.initial_state(seed=3) == LONG.initial_state(chance="explicit")
    assert data_of(LONG.initial_state()) != data_of(LONG.initial_state())
    assert SHORT.initial_state(0).current_player == 0 and LONG.initial_state(0).current_player == 1
    assert data_of(LONG.initial_state(2**200)) == data_of(LONG.initial_state(2**200))
    assert data_of(LONG.initial_state(np.int64(7))) == data_of(LONG.initial_state(7))  # type: ignore[arg-type]


def test_the_end_stays() -> None:
    state = finish(SHORT.initial_state(seed=8), 8)
    before = data_of(state)
    refuses(GameOverError, (r"\[5\.", lambda: state.apply(0)))
    assert data_of(state) == before
