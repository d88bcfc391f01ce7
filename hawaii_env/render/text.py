"""Positions as text.

`render_text` shows any game's view as an indented list, or the board that the game's spec names
(`hawaii_env.games.GameSpec`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, cast

from hawaii_env import games
from hawaii_env.game import Decision, Event, Game, State, check_player
from hawaii_env.narration import narration_of
from hawaii_env.terminal import coloured, fold

__all__ = ["TextLog", "render_ansi", "render_text", "render_view", "text_log", "view_lines"]


class TextLog(Protocol):
    """The log of a game as lines of text for people."""

    def feed(self, events: Iterable[tuple[Event, State]]) -> list[str]:
        """Return the lines that these events complete; each event comes with the position after it."""
        ...

    def end(self, state: State) -> list[str]:
        """Return the last lines: unfinished ones, the board, the outcome."""
        ...


def render_text(state: State, player: int | None = None) -> str:
    """Return a position as `player` knows it (None: who decides) as lines of text, without a newline at the end."""
    spec = games.get(state.game.name)
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
    spec = games.get(state.game.name)
    return coloured(text, () if spec is None else spec.styles)


def text_log(game: Game, boards: bool = True, start: State | None = None) -> TextLog:
    """Return a text log for a game: the one that its spec names, else one of its narration, else a line an event.

    Args:
        game: the game.
        boards: whether the board is drawn now and then.
        start: where the game begins, if elsewhere than at its beginning.
    """
    spec = games.get(game.name)
    make = None if spec is None else spec.load("text_log")
    if make is not None:
        return make(game, boards)
    if spec is None or spec.narration is None:
        return _DefaultTextLog(game)
    return _NarrationTextLog(game, boards, start)


class _NarrationTextLog:
    """A game's narration: chapters with the board before each, headings, scenes; what one player does in a row, and
    the dice, make one paragraph.
    """

    def __init__(self, game: Game, boards: bool, start: State | None) -> None:
        self._boards, self._narration = boards, narration_of(game)
        self._before: State = game.initial_state(chance="explicit") if start is None else start.clone()
        self._after: State = self._before
        self._step: list[Event] = []
        self._parts: list[str] = []
        self._indent = self._who = ""
        self._begun = False

    def feed(self, events: Iterable[tuple[Event, State]]) -> list[str]:
        lines: list[str] = []
        for event, state in events:
            # A step is whole when the next begins.
            if self._step and not (isinstance(event, Decision) and event.forced):
                lines += self._close()
            self._step.append(event)
            self._after = state.clone()
        return lines

    def _close(self) -> list[str]:
        lines: list[str] = []
        for event, line in zip(self._step, self._narration.narrate(self._step, self._before, self._after), strict=True):
            if line.chapter is not None:
                board = render_text(self._before).split("\n") if self._boards and self._begun else []
                lines += [*self._end(), *([""] * bool(board)), *board]
                self._begun = True
            head = line.heading if line.heading and line.heading != line.scene else ""
            if line.chapter is not None and not head.startswith(f"{line.chapter}:"):
                head = f"{line.chapter}:"
            lines += [*self._end(), "", head] if head else []
            lines += [*self._end(), f"  {line.scene}:"] if line.scene else []
            who = self._narration.sides[event.player].name if isinstance(event, Decision) else ""
            indent = "    " if line.inside else "  "
            if indent != self._indent or (who and who != self._who and not line.inside):
                lines += self._end()
            named = f"{who}: " if who and who != self._who else ""
            self._indent = indent
            if line.partial:
                continue
            self._who = who or self._who
            self._parts.append(f"{named}{line.text}")
        self._before, self._step = self._after, []
        return lines

    def _end(self) -> list[str]:
        """Return the lines of the paragraph that ends."""
        text, self._parts, self._who = "; ".join(self._parts), [], ""
        return fold(text, first=self._indent) if text else []

    def end(self, state: State) -> list[str]:
        lines = self._close() if self._step else []
        return [*lines, *self._end(), "", *render_text(state).split("\n")]


class _DefaultTextLog:
    """One line an event, for a game without a log of its own."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def feed(self, events: Iterable[tuple[Event, State]]) -> list[str]:
        lines: list[str] = []
        for event, _ in events:
            if isinstance(event, Decision):
                forced = " (no choice)" if event.forced else ""
                lines.append(f"  {self.game.agents[event.player]}: {event.text}{forced}")
            else:
                lines.append(f"  {event.text}")
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
    width = max((len(str(key)) for key in data), default=0)
    for key, value in data.items():
        if isinstance(value, Mapping) and any(isinstance(v, (Mapping, list, tuple)) for v in value.values()):
            lines += [f"{indent}{key}:", *view_lines(cast("Mapping[str, Any]", value), indent + "  ")]
        else:
            lines.append(f"{indent}{key!s:<{width}}  {_plain(value)}".rstrip())
    return lines


def render_view(state: State, player: int | None = None) -> str:
    """Return a position's view as an indented list, for a game without a board of its own."""
    knowing = check_player(state, player)
    deciding, phase = state.known_decider(knowing), state.known_phase(knowing)
    turn = state.game.agents[deciding] if deciding >= 0 else ""
    outcome = state.outcome()
    head = f"{state.game.name}: {phase}" + (f", {turn} to decide" if turn else "")
    if outcome is not None:
        winner = "a tie" if outcome.winner is None else f"{state.game.agents[outcome.winner]} wins"
        head = f"{state.game.name}: {winner}, {outcome.reason}"
    return "\n".join([head, *view_lines(state.view(player).to_dict(), "  ")])
