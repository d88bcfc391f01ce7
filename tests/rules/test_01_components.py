"""What is in the box, and who plays [1.0, 2.0]."""

from __future__ import annotations

from collections import Counter

from .helpers import GAME, A, K, drawn, moving, pieces


def test_1_0_forty_pieces_eighteen_cards() -> None:
    """[1.0] Forty pieces with the earthworks marker, eighteen cards, nine a deck; all are somewhere."""
    rules = GAME.ruleset
    assert sum(kind.count for kind in rules.pieces) + 1 == 40
    assert Counter(card_id in rules.card_ids[:9] for card_id in rules.card_ids) == {True: 9, False: 9}
    view = GAME.initial_state(chance="explicit").view()
    on_map = sum(len(p) for places in view.units.values() for p in places.values())
    assert on_map + sum(map(len, view.box.values())) + len(view.dead) == 39


def test_2_0_two_players() -> None:
    """[2.0] Two players, Kamehameha's and the Allied Chiefs'."""
    state = moving(K, {"kona": ["kamehameha"]})
    assert GAME.num_players == 2 and GAME.agents == ("kamehameha_0", "allied_1")
    assert state.current_player == 0
    assert moving(A, {"waikiki": ["kalani"]}).current_player == 1


def test_2_0_kauai_comes_in_on_either_side() -> None:
    """[2.0] Kaua'i's forces may join Kamehameha as well as the Allies; its canoe and both its units come."""
    for half, number in ((K, 6), (A, 5)):
        state = drawn(
            half, number, {"kona" if half == K else "waikiki": ["warrior_2" if half == K else "oahu_warrior"]}
        )
        state.apply_chance(6)
        assert state.view().kauai == half
        assert pieces(state, half, "kauai") == ["kauai_warrior", "kauai_warrior", "kauai_canoe"]
