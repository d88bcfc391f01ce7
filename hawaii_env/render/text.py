"""Positions as text.

`render_text` shows any game's view as an indented list, or the board that the game's spec names
(`hawaii_env.games.GameSpec`).
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, cast

from hawaii_env import games
from hawaii_env._arguments import check_kind
from hawaii_env.game import Decision, Event, Game, State

__all__ = ["Narrator", "narrator", "render_ansi", "render_text", "render_view", "view_lines"]


class Narrator(Protocol):
    """Tells a game as it goes, in lines for people."""

    def tell(self, events: Iterable[tuple[Event, State]]) -> list[str]:
        """Return the lines that these events make whole; each comes with the position that followed it."""
        ...

    def end(self, state: State) -> list[str]:
        """Return the last lines: what is left, the board, the outcome."""
        ...


def render_text(state: State, player: int | None = None) -> str:
    """Return a position as `player` knows it (None: who decides) as lines of text, without a newline at the end."""
    spec = games.get(check_kind("state", state, State).game.name)
    board = None if spec is None else spec.load("board")
    return render_view(state, player) if board is None else board(state, player)


def render_ansi(state: State, colour: bool | None = None, player: int | None = None) -> str:
    """Return a position as lines of text for a terminal.

    Args:
        state: the position.
        player: as for `render_text`.
        colour: True colours them with ANSI codes, False does not; None does where the output is a terminal and NO_COLOR
            is not set. Without rich the text is plain.
    """
    text = render_text(state, player)
    if colour is None:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    if not colour:
        return text
    try:
        rich_console, rich_text = importlib.import_module("rich.console"), importlib.import_module("rich.text")
    except ImportError:
        return text
    shown = rich_text.Text(text)
    spec = games.get(state.game.name)
    for pattern, style in () if spec is None else spec.styles:
        shown.highlight_regex(pattern, style)
    file = io.StringIO()
    console = rich_console.Console(
        file=file, force_terminal=True, color_system="256", soft_wrap=True, highlight=False, no_color=False
    )
    console.print(shown, end="")
    return file.getvalue()


def narrator(game: Game, boards: bool = True) -> Narrator:
    """Return what tells a game of this kind; `boards` says whether it draws the board now and then."""
    spec = games.get(check_kind("game", game, Game).name)
    make = None if spec is None else spec.load("narrator")
    return _PlainNarrator(game) if make is None else make(game, boards)


class _PlainNarrator:
    """One line an event, for a game without a narrator of its own."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def tell(self, events: Iterable[tuple[Event, State]]) -> list[str]:
        lines: list[str] = []
        for event, _ in events:
            if isinstance(event, Decision):
                forced = " (no choice)" if event.forced else ""
                lines.append(f"  {self.game.agents[event.player]}: {event.text}{forced}")
            else:
                lines.append(f"  {event.kind}: {event.text}")
        return lines

    def end(self, state: State) -> list[str]:
        return render_text(state).split("\n")


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        if any(isinstance(item, (list, tuple, dict)) for item in items):
            return " | ".join(_plain(item) or "-" for item in items)
        return " ".join(str(item) for item in items) or "-"
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value)
        return ", ".join(f"{key} {_plain(item)}" for key, item in pairs.items()) or "-"
    return "-" if value is None else str(value)


def view_lines(data: Mapping[str, Any], indent: str = "") -> list[str]:
    """Return a view's fields as lines, an indented list."""
    lines: list[str] = []
    check_kind("data", data, Mapping)
    width = max((len(str(key)) for key in data), default=0)
    for key, value in data.items():
        if isinstance(value, Mapping) and any(isinstance(v, (Mapping, list, tuple)) for v in value.values()):
            lines += [f"{indent}{key}:", *view_lines(cast("Mapping[str, Any]", value), indent + "  ")]
        else:
            lines.append(f"{indent}{key!s:<{width}}  {_plain(value)}".rstrip())
    return lines


def render_view(state: State, player: int | None = None) -> str:
    """Return a position's view as an indented list, for a game without a board of its own."""
    deciding = check_kind("state", state, State).current_player
    turn = state.game.agents[deciding] if deciding >= 0 else ""
    outcome = state.outcome()
    head = f"{state.game.name}: {state.phase}" + (f", {turn} to decide" if turn else "")
    if outcome is not None:
        winner = "a tie" if outcome.winner is None else f"{state.game.agents[outcome.winner]} wins"
        head = f"{state.game.name}: {winner}, {outcome.reason}"
    return "\n".join([head, *view_lines(state.view(player).to_dict(), "  ")])
