"""The engine against the independent referee (tests/referee): legal actions, chance outcomes and positions, step by
step.

Differences that were found and settled are listed in tests/referee/SETTLED.md; those of mere representation are
normalised here.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from referee.referee import Referee

from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.game import State

from .helpers import GAMES, PINNED

LETTER = {"kamehameha": "K", "allied": "A", "neutral": "N"}
Canonical = dict[str, Any]


def canonical(state: State) -> Canonical:
    """The engine's position in the form of the referee's."""
    view = state.view()
    pieces: dict[str, list[str]] = {}
    for side, places in view.units.items():
        for place, texts in places.items():
            pieces.setdefault(place, []).extend(f"{LETTER[side]}:{text}" for text in texts)
    for side, texts in view.box.items():
        pieces[f"box/{side}"] = [f"{LETTER[side]}:{text}" for text in texts]
    for text in view.dead:
        side, name = text.split(":")
        pieces.setdefault("dead", []).append(f"{LETTER[side]}:{name}")
    return {
        "turn": view.turn, "half": view.half, "decider": view.decider, "over": view.winner, "kauai": view.kauai,
        "fleet_moves": view.fleet_moves, "held": sorted(view.held), "decks": view.decks, "pieces": pieces,
    }  # fmt: skip


def normalised(position: Canonical, phase: str) -> Canonical:
    """Without differences of representation: the letter of dead Kaua'i pieces, the mark of a turned canoe, and marks of
    a beaten fleet before it has gone (it rallies as it goes)."""  # fmt: skip
    pieces: dict[str, list[str]] = {}
    for place, texts in position["pieces"].items():
        told: list[str] = []
        for text in texts:
            kind = text.split(":")[1].split("/")[0]
            if place == "dead" and kind.startswith("kauai_"):
                text = "N" + text[1:]
            if kind.endswith("canoe"):
                text = text.replace("/turned", "")
            if place.startswith("sea/") and phase in ("canoe_loss", "retreat"):
                text = text.replace("/fired", "").replace("/panicked", "")
            told.append(text)
        if told:
            pieces[place] = sorted(told)
    return {**position, "pieces": pieces}


def short(text: str) -> str:
    """The referee says `fleet canoe kona` where the engine says `fleet kona`."""
    return text.replace("fleet canoe ", "fleet ") if text.startswith("fleet canoe ") else text


def compare(state: State, referee: Referee) -> dict[str, str]:
    """Everything at one node; returns the referee's text of each legal action."""
    if referee.over or state.is_terminal:
        assert state.view().winner == referee.over and state.phase == referee.phase == "over"
        return {}
    assert state.phase == referee.phase
    assert normalised(canonical(state), state.phase) == normalised(referee.position(), referee.phase)
    if state.current_player == CHANCE:
        assert [outcome for outcome, _ in state.chance_outcomes()] == referee.outcomes()
        return {}
    texts = {short(text): text for text in referee.options()}
    assert sorted(state.game.action_text(a) for a in state.legal_actions()) == sorted(texts)
    return texts


def every_outcome(state: State, referee: Referee) -> None:
    """Each outcome of a chance node, on copies."""
    for outcome, _ in state.chance_outcomes():
        one, other = state.clone(), referee.copy()
        one.apply_chance(outcome)
        other.answer(outcome)
        compare(one, other)


def every_action(state: State, referee: Referee, texts: dict[str, str]) -> None:
    """Each legal action of a decision, on copies."""
    for action in state.legal_actions():
        one, other = state.clone(), referee.copy()
        one.apply(action)
        other.answer(texts[state.game.action_text(action)])
        compare(one, other)


def play(game: Game, seed: int, look: float = 0.0) -> int:
    """One game by both; at a share `look` of its nodes every outcome or action is tried. Returns the number of
    nodes.
    """
    state = game.initial_state(chance="explicit")
    referee = Referee(game.scenario, game.final_check, game.sea_victor, rules=game.ruleset_name)
    return play_on(state, referee, seed, look)


def play_on(state: State, referee: Referee, seed: int, look: float = 0.0, told: tuple[int, ...] = ()) -> int:
    """As `play`, from any position; `told`: the first outcomes of chance."""
    game, rng = state.game, random.Random(seed)
    bold = rng.random() < 0.6
    history: list[str | int] = []
    try:
        while True:
            texts = compare(state, referee)
            if state.is_terminal:
                return len(history)
            looking = rng.random() < look
            if state.current_player == CHANCE:
                if looking:
                    every_outcome(state, referee)
                step: str | int = told[len(history)] if len(history) < len(told) else rng.choice(referee.outcomes())
                state.apply_chance(step)
                referee.answer(step)
            else:
                if looking:
                    every_action(state, referee, texts)
                choice = sorted(texts)
                if bold and state.phase in ("movement", "cargo", "window", "launch") and rng.random() < 0.85:
                    choice = [text for text in choice if text not in ("done", "pass")] or choice
                step = rng.choice(choice)
                state.apply(game.parse_action(state, step))
                referee.answer(texts[step])
            history.append(step)
    except AssertionError as error:
        raise AssertionError(f"{game!r}, seed {seed}, after {history[-30:]}: {error}") from error


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_whole_games(part: int) -> None:
    assert sum(play(GAMES[seed % 4], seed) for seed in range(part * 12, part * 12 + 12)) > 1000


def test_whole_games_of_the_first_ruleset() -> None:
    assert sum(play(PINNED[seed % 4], seed) for seed in range(12)) > 1000


@pytest.mark.parametrize("seed", range(4))
def test_a_canoe_that_turns_among_canoes(seed: int) -> None:
    """[R-23] June, an appeal that takes Kaua'i's canoe away from the enemy's: four games on from there."""
    ours, theirs = ["kamehameha", "warrior_2"], {"maui": ["maui_canoe", "kauai_canoe"], "waikiki": ["kalani"]}
    theirs["kauai"] = ["kauai_warrior", "kauai_warrior"]
    decks = {"kamehameha": [1, 2, 4, 5, 6, 8], "allied": [1, 2, 3, 4, 5, 7]}
    game = PINNED[0]
    units = {"kamehameha": {"kona": ours}, "allied": theirs}
    state = game.position(turn="june", half="kamehameha", phase="card", units=units, decks=decks)
    placed = {f"{place}": [f"A:{text}" for text in texts] for place, texts in theirs.items()}
    start = {
        "step": "card",
        "turn": "june",
        "kauai": "allied",
        "decks": decks,
        "pieces": {"kona": [f"K:{text}" for text in ours], **placed},
    }
    referee = Referee(game.scenario, game.final_check, game.sea_victor, start=start, rules=game.ruleset_name)
    assert play_on(state, referee, seed, told=(6, 6)) > 20


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_every_outcome_and_every_action(seed: int) -> None:
    """At some nodes of a game, all that chance and the players could do, not only what is done."""
    assert play(GAMES[seed % 4], 5000 + seed, look=0.05) > 30


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(30))
def test_many_whole_games(part: int) -> None:
    games = PINNED if part % 3 == 2 else GAMES
    for seed in range(100_000 + part * 100, 100_000 + part * 100 + 100):
        play(games[seed % 4], seed, look=0.002)
