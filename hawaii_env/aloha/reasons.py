"""Why tokens, an island or a card cannot be chosen: for messages. Nothing here decides whether they can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from hawaii_env.game import State

from .pictures.names import island_name, player_name
from .rules.chapters import can_take
from .rules.names import ACTION, AMOUNT, CONVERT, ISLANDS, KING, PROLOGUE_ACTION, SETTLE

__all__ = ["why_not"]


def why_not(state: State, player: int, thing: Mapping[str, str], to: str) -> str:
    """See `hawaii_env.web.strings.Strings.why_not`."""
    side = thing.get("side", "")
    if side and side != state.game.agents[player].partition("_")[0]:
        return ""  # whose turn it is says more
    here = ISLANDS.index(thing["place"]) if thing.get("place") in ISLANDS else -1
    aim = ISLANDS.index(to) if to in ISLANDS else -1
    return next(_reasons(state, player, here, aim, thing), "")


def _reasons(state: State, player: int, here: int, aim: int, thing: Mapping[str, str]) -> Iterator[str]:
    game, record = cast(Any, state.game), cast(Any, state).interpreted()
    rules, phase, island = game.tables, record.phase, max(here, aim) if aim < 0 else aim
    name = island_name(game.ruleset, ISLANDS[island]) if island >= 0 else ""
    if thing.get("piece") == "king" and phase != KING:
        yield "the King/Queen token is placed when a chapter begins, and is one more Action there [AD, R-07]"
    if phase == SETTLE:
        settled = [other for other in range(rules.players) if island >= 0 and record.tokens[other][island]]
        if settled:
            yield f"{player_name(game.agents[settled[0]])} has settled there, and each settles alone [P1, R-25]"
        yield "choose an island for all the first tokens [P1]"
    if phase == AMOUNT:
        ways = [island_name(game.ruleset, ISLANDS[at]) for at in (record.origin, record.destination)]
        yield f"how many go from {ways[0]} to {ways[1]} is asked now [C2m]"
    if island < 0:
        yield "islands and tokens on them are chosen now [C2]"
    if phase == KING:
        yield f"you have no tokens on {name} [AD, R-07]"
    if phase == PROLOGUE_ACTION:
        if not record.tokens[player][here if here >= 0 else island]:
            yield f"you have no tokens on {name} that could migrate [P2]"
        yield "a migration goes to another island [P2]"
    if phase == ACTION:
        yield from _no_action(rules, record, player, here if here >= 0 else island, aim, name)
    if phase == CONVERT:
        yield f"you have no tokens on {name} that could be converted [E1]"


def _no_action(rules: Any, record: Any, player: int, island: int, aim: int, name: str) -> Iterator[str]:
    """[C2] Yield why nothing is done with the Action tokens of an island."""
    if not record.actions[player][island]:
        yield "you have no Action token left there [C2, TO]"
    if aim == island:
        yield "a migration goes to another island [C2m]"
    if not record.tokens[player][island]:
        yield "you have no tokens there that could migrate [C2m, R-21]"
    if not can_take(rules, record, player, island):
        yield f"all your tokens are in play, and {name} has none to give [C2r, R-12]"
    yield f"the Action token of {name} does something else: migrate, a warrior, an event, what the island gives [C2]"
