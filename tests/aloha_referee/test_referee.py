"""The referee alone: the page's own example, what must always hold, and counts worked out by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hawaii_env.aloha.ruleset import Ruleset

from . import Referee, Rules
from .data import CHAPTERS, ISLANDS, STAGES, variant
from .players import POLICIES, fall
from .positions import crowd
from .referee import Player

CONTENT = Ruleset.load().content
NAMES = ("red_0", "yellow_1", "green_2", "blue_3")


def tell(referee: Referee, *answers: str | int) -> Referee:
    """Decisions in words, chance in numbers."""
    for answer in answers:
        if isinstance(answer, int):
            referee.fall(answer)
        else:
            referee.answer(answer)
    return referee


def start(stage: str = "chapter_1", players: int = 2, **given: dict[str, Any]) -> Referee:
    """A chapter in which nothing is left to do but what the fields of `red`, `yellow` ... say."""
    referee = Referee(Rules(CONTENT), NAMES[:players])
    referee.stage, referee.phase, referee.first, referee.king = stage, "action", 0, 0
    referee.order = list(range(players))
    for player in referee.players:
        own = given.get(player.name.partition("_")[0], {})
        for island in ISLANDS:
            player.tokens[island] = own.get("tokens", {}).get(island, 0)
            player.actions[island] = own.get("actions", {}).get(island, 0)
        for track in player.tracks:
            player.tracks[track] = own.get(track, 0)
        player.points = own.get("points", 0)
        player.cards = set(own.get("cards", ()))
    referee.decider = referee.next_actor()
    return referee


def test_the_pages_example() -> None:
    """Section 10: the Prologue, and Chapter I's first actions."""
    referee = tell(
        Referee(Rules(CONTENT), NAMES[:2]), 1, "settle molokai", "settle maui", "migrate molokai oahu", "amount 9",
        "migrate maui hawaii", "amount 8", "warrior", "migrate maui oahu", "amount 3", 2, 5, 1, 6, 3,
    )  # fmt: skip
    red, yellow = referee.players
    assert (red.points, yellow.points) == (2, 4) and referee.king == 1
    assert red.actions == {"kauai": 0, "oahu": 1, "molokai": 0, "maui": 2, "hawaii": 2}
    assert yellow.action_count == 4 and referee.options() == ["king oahu", "king molokai"]
    tell(referee, "king molokai", 14, 12, 17, 10, 8)
    assert red.tokens == {"kauai": 0, "oahu": 3, "molokai": 0, "maui": 8, "hawaii": 7}
    assert referee.face_up == [14, 12, 10, 8] and referee.decider == 1
    tell(referee, "event 2 molokai", 19)
    assert yellow.tokens["molokai"] == 13 and referee.decider == 0
    tell(referee, "event 3 maui", 16, 3)
    assert red.tokens["oahu"] == 1 and yellow.tokens["oahu"] == 7 and red.tracks["aloha"] == 3
    assert tell(referee, "take molokai").decider == 0 and yellow.tracks["aloha"] == 2


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


def test_a_player_who_can_do_nothing() -> None:
    """[R-04] Action tokens on Kaua'i, an empty pool, nobody there, in Chapter III: all are lost."""
    stuck = {"tokens": {"oahu": 30}, "actions": {"kauai": 3}}
    referee = start("chapter_3", red=stuck, yellow={"tokens": {"oahu": 1}, "actions": {"oahu": 1}})
    assert referee.options() == ["pass"]
    referee.take_forced()
    assert ("pass", True) in {told[1:] for told in referee.told} and referee.players[0].action_count == 0
    assert referee.decider == 1


@pytest.mark.parametrize(("amounts", "points"), [
    ((5, 5, 5, 5), (1, 1, 1, 1)), ((9, 5, 5, 1), (3, 1, 1, 0)), ((0, 0, 0, 7), (0, 0, 0, 3)),
    ((4, 4, 4, 0), (2, 2, 2, 0)), ((0, 0, 0, 0), (0, 0, 0, 0)),
])  # fmt: skip
def test_majorities(amounts: tuple[int, ...], points: tuple[int, ...]) -> None:
    """[C4, R-19] 3, 2, 1, 0 for Pure Hawaiian tokens among four; level players share, rounded down."""
    given = {name.partition("_")[0]: {"tokens": {"maui": n}} for name, n in zip(NAMES, amounts, strict=True)}
    referee = start("chapter_1", 4, **given)
    referee.score_majority("hawaiian")
    assert tuple(player.points for player in referee.players) == points


def test_conversion_ends_after_five() -> None:
    """[E1, R-20] A token to Commerce and on to a vote is two of the five."""
    last = {"tokens": {"maui": 9}, "actions": {"maui": 1}}
    referee = start("chapter_3", red=last | {"points": 30}, yellow={"tokens": {"oahu": 4}})
    referee.take_forced()
    tell(referee, "take maui")
    assert referee.decider == 0 and referee.phase == "convert"
    tell(referee, *["convert maui commerce", "convert commerce vote"] * 2, "convert aloha vote")
    assert referee.decider == 1 and referee.players[0].tracks["vote"] == 3
    assert tell(referee, "done").phase == "over" and "epilogue monarch" in referee.players[0].cards


def test_level_after_everything() -> None:
    """[E3, W, R-23] Nobody is Governor, and the victory is shared."""
    referee = start("chapter_3", red={"tokens": {"maui": 3}}, yellow={"tokens": {"maui": 3}})
    referee.score()
    tell(referee, "done", "done")
    assert not any("epilogue" in card for player in referee.players for card in player.cards)
    assert referee.places() == [1, 1] and referee.returns("win") == [0, 0]


def test_a_part_is_not_paid() -> None:
    """[C2e, R-15] All or nothing."""
    player = Player("red_0")
    player.tokens["maui"], player.tracks["commerce"] = 1, 5
    assert player.can_pay({"hawaiian": 1, "commerce": 5}, "maui") and not player.can_pay({"hawaiian": 1}, "oahu")
    assert not player.can_pay({"hawaiian": 2, "commerce": 1}, "maui")
