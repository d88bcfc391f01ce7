"""The referee alone: what must always hold."""

from __future__ import annotations

import random

import pytest

from hawaii_env.aloha.ruleset import Ruleset

from . import Referee, Rules
from .data import CHAPTERS, STAGES, variant
from .players import POLICIES, fall
from .positions import crowd

CONTENT = Ruleset.load().content
NAMES = ("red_0", "yellow_1", "green_2", "blue_3")


def check(referee: Referee, points: list[int]) -> None:
    """Section 8: what must always hold."""
    rules, later = referee.rules, STAGES.index(referee.stage) >= 3
    cards = [card for player in referee.players for card in player.cards]
    assert len(cards) == len(set(cards))
    for player, before in zip(referee.players, points, strict=True):
        assert 0 <= player.hawaiian <= rules.stock and min(player.tokens.values()) >= 0
        assert min(player.tracks.values()) >= 0 and max(player.tracks.values()) <= rules.track_end
        assert player.tracks["warrior" if later else "vote"] == 0 and player.points >= before
        assert min(player.actions.values()) >= 0 and player.action_count <= 11
    open_cards = [number for number in referee.face_up if number is not None]
    assert not referee.deck.intersection(open_cards)
    if referee.stage in CHAPTERS:
        assert all(referee.card(number).kind != "calamity" for number in open_cards)


@pytest.mark.parametrize("seed", range(6))
def test_games_end(seed: int) -> None:
    """[W] The invariants hold at every node, by any numbers, and the returns sum to zero."""
    rng = random.Random(seed)
    rules = Rules(variant(CONTENT, rng) if seed % 2 else CONTENT)
    turn_order = rng.choice(("most_left", "rounds"))
    names = NAMES[: 2 + seed % 3]
    referee = crowd(rules, names, turn_order, rng) if seed > 3 else Referee(rules, names, turn_order)
    policy = rng.choice(list(POLICIES.values()))
    points = [player.points for player in referee.players]
    referee.take_forced()
    while referee.phase != "over":
        check(referee, points)
        points = [player.points for player in referee.players]
        if referee.decider is None:
            assert sum(referee.outcomes().values()) == 1
            referee.fall(fall(referee, rng, ""))
        else:
            options = referee.options()
            assert len(options) == len(set(options)) > 1
            referee.answer(policy(referee, rng))
    for reward in ("win", "rank", "margin"):
        assert sum(referee.returns(reward)) == 0
    assert sum(referee.shares()) == 1


def test_a_position_is_all_there_is() -> None:
    """Read back, a position goes on as the game that it was taken from."""
    rng = random.Random(3)
    referee = Referee(Rules(CONTENT), NAMES[:3], "rounds")
    while referee.phase != "over":
        twin = Referee.at(referee.rules, referee.position(), "rounds")
        assert twin.position() == referee.position()
        if referee.decider is None:
            outcome = fall(referee, rng, "")
            referee.fall(outcome)
            twin.fall(outcome)
        else:
            text = rng.choice(referee.options())
            referee.answer(text)
            twin.answer(text)
        assert twin.position() == referee.position()
