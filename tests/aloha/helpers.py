"""Positions for the tests of ALOHA, with as few words as possible."""

from __future__ import annotations

from functools import cache
from typing import Any

from hawaii_env.aloha import Game, State
from hawaii_env.aloha.rules.names import ISLANDS, RESOURCES

OAHU = ISLANDS.index("oahu")


@cache
def game(players: int = 2, **options: Any) -> Game:
    return Game(players=players, **options)


def tokens(**islands: int) -> list[int]:
    """Counts by island: ``tokens(maui=3)``."""
    return [islands.get(name, 0) for name in ISLANDS]


def chapter(
    stage: str = "chapter_1",
    phase: str = "action",
    players: int = 2,
    options: dict[str, Any] | None = None,
    monarch: int = 0,
    **kw: Any,
) -> State:
    """A position of a chapter: all are on O'ahu with a token each and on an island of their own, unless `kw` says more.

    ``red={...}``, ``yellow={...}`` and so on are fields of players; all else are fields of the position.
    """
    rules = game(players, **(options or {}))
    stages = ("prologue", "chapter_1", "chapter_2", "chapter_3", "epilogue")
    given = {agent: dict(kw.pop(agent.partition("_")[0], {})) for agent in rules.agents}
    for index, (agent, fields) in enumerate(given.items()):
        fields.setdefault("tokens", [10 if island in (OAHU, index + (index >= 1)) else 0 for island in range(5)])
        if phase in ("action", "event", "amount"):
            fields.setdefault("actions", tokens(oahu=1))
        if index == monarch:
            sets = ("prologue", "chapter_1", "chapter_2")[: min(stages.index(stage), 3)]
            fields["cards"] = [*fields.get("cards", ()), *(f"{name} monarch" for name in sets)]
        given[agent] = fields
    fields = {"stage": stage, "phase": phase, "first": "red_0", "order": list(rules.agents), "players": given}
    if phase in ("action", "amount"):
        fields |= {"face_up": [7, 10, 13, 8] if stage == "chapter_1" else [None] * 4}
    return rules.position(**{**fields, **kw})


def of(state: State, player: int = 0) -> Any:
    """What a player has."""
    return state.view().players[state.game.agents[player]]


def have(state: State, player: int = 0) -> dict[str, int]:
    """What a player has of each resource."""
    return {name: getattr(of(state, player), name) for name in RESOURCES}
