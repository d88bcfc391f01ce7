"""The board as text."""

from __future__ import annotations

from typing import Any

from hawaii_env.aloha.game import State
from hawaii_env.aloha.pictures.names import STAGE_NAMES, effect, headline, island_name, player_name
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.terminal import fold
from hawaii_env.texts import spell

__all__ = ["board"]


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def board(state: State, player: int | None = None) -> str:
    """Return a position as lines of text; tokens on islands stand as ``12+2``: Pure Hawaiian tokens and Action
    tokens.
    """
    view, ruleset = state.view(player), state.game.ruleset
    lines = [f"ALOHA: {STAGE_NAMES[view.stage]}; {headline(view)}", ""]
    names = [*map(player_name, view.players)]
    rows: list[list[str]] = [["", *names, "card"]]
    for index, island in enumerate(ISLANDS):
        cells = [_on_island(own, index) for own in view.players.values()]
        chief = view.chiefs[index]
        rows.append([island_name(ruleset, island), *cells, "" if chief is None else player_name(chief)])
    lines += _table(rows)
    rows = [["", *names]]
    for label, field in (
        ("points", "points"), ("Pure Hawaiian", "hawaiian"), ("pool", "pool"), ("Commerce", "commerce"),
        ("Aloha", "aloha"),
        ("Warriors", "warrior"), ("Home Rule", "vote"),
    ):  # fmt: skip
        rows.append([label, *(str(getattr(own, field)) for own in view.players.values())])
    rows.append(["King/Queen", *("*" if agent == view.king else "" for agent in view.players)])
    lines += ["", *_table(rows)]
    if any(view.face_up):
        lines.append("")
    for slot, number in enumerate(view.face_up, start=1):
        if number is not None:
            card = ruleset.card(view.stage, number)
            where = ", ".join(island_name(ruleset, island) for island in card.islands)
            lines.append(f"{slot}: {spell(card.title)} ({where}): {effect(card)}")
    if view.migration is not None:
        start, end = (island_name(ruleset, island) for island in view.migration)
        lines += ["", f"migration: {start} to {end}"]
    if view.dice is not None:
        shown = [
            f"{name} {total}, {left} to roll"
            for name, total, left in zip(names, view.dice["totals"], view.dice["left"], strict=True)
        ]
        lines += ["", f"dice: {'; '.join(shown)}"]
    outcome = state.outcome()
    if outcome is not None:
        won = [name for name, place in zip(names, outcome.places, strict=True) if place == 1]
        lines += ["", f"{' and '.join(won)} won: {outcome.reason}"]
    return "\n".join(part for line in lines for part in fold(line, rest="   "))


def _on_island(own: Any, island: int) -> str:
    tokens, actions = own.tokens[island], own.actions[island]
    if not tokens and not actions:
        return "."
    return f"{tokens}+{actions}" if actions else str(tokens)
