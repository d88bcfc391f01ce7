"""Decisions from game records: the common part of the exports for offline learning.

Forced decisions, which the engine makes, are not included. Each decision has the position as its player saw it, from a
checked replay of the record.

The module needs only hawaii_env; `hawaii_env.integrations.parquet` and `hawaii_env.integrations.minari` write
files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hawaii_env import records
from hawaii_env._arguments import check_list, check_path
from hawaii_env.errors import RecordError
from hawaii_env.game import Decision, Game, Outcome, State
from hawaii_env.records import Record

__all__ = ["COLUMNS", "Asked", "Paths", "Played", "decisions", "played", "record_files"]

Paths: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"
"""A path of records, or several: files and folders."""


COLUMNS = {
    "game": ("int32", "number of the game, unique in the file or data set"),
    "record": ("string", "name of the game's record"),
    "n": ("int32", "index of the event in the record"),
    "player": ("int8", "index of the deciding player"),
    "agent": ("string", "name of the deciding player in the game"),
    "name": ("string", "name of the agent or person who played, if recorded"),
    "phase": ("string", "phase of the game"),
    "action": ("int32", "index of the chosen action"),
    "text": ("string", "description of the chosen action"),
    "legal": ("list of int32", "indices of the legal actions, ascending: a sparse mask"),
    "observation": (
        "list of float32",
        "observation of the deciding player; int8 in a file of raw values",
    ),
    "return": ("float32", "final return of the deciding player; null if the game was broken off"),
    "winner": ("int8", "index of the winner; null for a tie or a game that was broken off"),
    "reason": ("string", "why the game ended"),
}
"""The columns of a table of decisions: types and meanings."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One decision of a player.

    Attributes:
        n: number of the event in its record, from 1.
        player: index of the player.
        phase: the phase of the position.
        legal: the legal actions, ascending: int32[k], k of 2 or more.
        observation: the position as the player saw it: float32[O], or int8[O] where raw values were asked for.
        action: the chosen action, one of `legal`.
        text: description of the action.
    """

    n: int
    player: int
    phase: str
    legal: NDArray[np.int32]
    observation: NDArray[Any]
    action: int
    text: str


@dataclass(frozen=True, slots=True)
class Played:
    """One replayed game of a record.

    Attributes:
        record: the record.
        game: its game.
        decisions: all decisions, in their order.
        state: the last position, in the explicit mode.
    """

    record: Record
    game: Game
    decisions: list[Asked]
    state: State

    def name(self, player: int) -> str | None:
        """Return the name of `player`, if the record has it."""
        names = self.record.header["players"]
        return None if names is None else names[player]

    @property
    def outcome(self) -> Outcome | None:
        """Return the end of the game, by its rules or by agreement, or None if it was aborted."""
        ended = records.ending(self.state, self.record.agreement)
        return None if ended is None else ended[0]

    @property
    def returns(self) -> list[float] | None:
        """The players' results, by the rules or as agreed, or None if the game was aborted."""
        ended = records.ending(self.state, self.record.agreement)
        return None if ended is None else ended[1]


def record_files(paths: Paths) -> list[Path]:
    """Return the record files of one or several paths: files themselves, and the .jsonl files in folders, sorted.

    Raises:
        RecordError: a folder without records, or no path at all.
    """
    found: list[Path] = []
    for given in [paths] if isinstance(paths, (str, os.PathLike)) else check_list("paths", paths):
        path = check_path("paths", given)
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(path.glob("*.jsonl"))
        if not inside:
            raise RecordError(f"there are no records (*.jsonl) in {path}")
        found.extend(inside)
    if not found:
        raise RecordError("no records were named")
    return found


def _observe(state: State, player: int, raw: bool) -> tuple[str, NDArray[np.int32], NDArray[Any]]:
    return state.phase, np.array(state.legal_actions(player), np.int32), state.observation(player, raw=raw)


def decisions(record: Record, game: Game | None = None, raw: bool = False) -> Iterator[tuple[Asked, State]]:
    """Replay a record, and yield each decision with the position after it.

    The positions are the same object, which changes; clone it to keep one.

    Args:
        record: the record.
        game: the game, where it is not to be made from the header.
        raw: True gives observations unscaled, int8.

    Raises:
        RecordError: at the first event that does not match the game; the message names its line.
    """
    follower = records.follow(record, game)
    yield from _decisions(follower, record, raw)


def _decisions(follower: records.Follower, record: Record, raw: bool) -> Iterator[tuple[Asked, State]]:
    # A position is looked at before its decision is played; in a simultaneous turn all see the same one.
    waiting = {player: _observe(follower.state, player, raw) for player in follower.state.acting_players}
    for number, (event, state) in enumerate(follower.feed(record.events), 1):
        if isinstance(event, Decision) and not event.forced:
            phase, legal, observation = waiting.pop(event.player)
            yield Asked(number, event.player, phase, legal, observation, event.action, event.text), state
        if not waiting:
            waiting = {player: _observe(state, player, raw) for player in state.acting_players}


def played(
    paths: Paths,
    game: Game | None = None,
    *,
    raw: bool = False,
    partial: bool = False,
) -> Iterator[Played]:
    """Read records and yield their games, replayed and checked.

    All must be of one game with one set of parameters: actions and observations of others mean something else.

    Args:
        paths: a file or folder of records, or several.
        game: the game, where it is not to be made from the headers.
        raw: True gives observations unscaled, int8.
        partial: True includes records without a result.

    Raises:
        RecordError: a record that fails `hawaii_env.records.verify`, or one of another game than the first.
    """
    for path in record_files(paths):
        record = records.read(path)
        follower = records.follow(record, game, partial)
        game = follower.state.game
        asked = [one for one, _ in _decisions(follower, record, raw)]
        yield Played(record, game, asked, follower.state)
