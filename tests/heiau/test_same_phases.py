"""Seeded movement phases are resolved as they always were: digests of orders and results."""

from __future__ import annotations

import hashlib
import random

import pytest

from hawaii_env.heiau.adjudicator import ARMY, BUNCH, FLEET, SUPPORT, Board, Order, PossibleOrders, Unit, adjudicate
from hawaii_env.heiau.ruleset import Ruleset

from .standard import STANDARD

KEPT = {
    "quick": "4b5fb3264ae74b2b",
    "standard quick": "77e17d60e081da9b",
    "crowded": "ad7b5fad2f578600",
    "standard": "3bbd40521a7d5eff",
}
BOARD = Ruleset.load().board


def phase_digest(board: Board, seed: int, phases: int, units: int, fleets: float) -> str:
    """Digest of movement phases with random possible orders, of which many help and hinder each other."""
    choose, digest = random.Random(seed), hashlib.sha256()
    spaces = range(len(board.spaces))
    for _ in range(phases):
        stand: dict[int, Unit] = {}
        for space in sorted(choose.sample(spaces, units)):
            kinds = [k for k in (ARMY, BUNCH, FLEET) if any(board.can_stand(k, p) for p in _places(board, space))]
            kind = FLEET if FLEET in kinds and choose.random() < fleets else choose.choice(kinds)
            place = choose.choice([p for p in _places(board, space) if board.can_stand(kind, p)])
            stand[space] = Unit(kind, choose.randrange(3), place)
        sight = PossibleOrders(board, stand, ~board.heiaus, frozenset((0, 2)))
        orders: dict[int, Order] = {}
        for space in stand:
            listed = sight.listed(space)
            verb = choose.choice(sorted({order.verb for order in listed}))
            orders[space] = choose.choice([order for order in listed if order.verb == verb])
            digest.update(repr([tuple(order) for order in listed]).encode())
        for space, order in list(orders.items()):
            # Supports and convoys of what is really ordered; else few would fit.
            for aided, ordered in orders.items():
                goal = board.space_of[ordered.target] if ordered.verb in (1, 2) else aided
                for verb in (SUPPORT, 4):
                    wish = Order(verb, aided, goal)
                    if choose.random() < 0.3 and order.verb in (0, verb) and not sight.refusal(space, wish):
                        orders[space] = wish
        found = adjudicate(board, stand, orders)
        shown = [
            sorted((s, tuple(u)) for s, u in found.units.items()),
            [(s, tuple(u), by) for s, (u, by) in found.dislodged.items()],
            found.contested, sorted(found.success.items()), sorted(found.burned), sorted(found.posts.items()),
        ]  # fmt: skip
        digest.update(repr(shown).encode())
    return digest.hexdigest()[:16]


def _places(board: Board, space: int) -> tuple[int, ...]:
    return (board.bare[space], *board.coasts[space])


PHASES: dict[str, tuple[Board, int, int, int, float]] = {
    "quick": (BOARD, 1, 20, 14, 0.2), "standard quick": (STANDARD, 1, 6, 22, 0.3), "crowded": (BOARD, 2, 400, 24, 0.2),
    "standard": (STANDARD, 2, 250, 30, 0.35),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * ("quick" not in name)) for name in PHASES]
)
def test_movement_phases(name: str) -> None:
    assert phase_digest(*PHASES[name]) == KEPT[name]
