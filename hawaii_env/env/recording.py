"""A wrapper that records every game of an environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from hawaii_env._arguments import check_count, check_path
from hawaii_env.env.aec import GameEnv
from hawaii_env.errors import OptionError, RecordError
from hawaii_env.records import check_players
from hawaii_env.texts import show_value

__all__ = ["RecordGames"]


class RecordGames(BaseWrapper[str, Any, "int | None"]):
    """Records every game of an AEC environment, each in a separate file.

    The files are ``FOLDER/GAME-000001.jsonl`` and so on; see docs/records.md for their format. Numbers continue after
    those in the folder, so later runs, or several processes, may write to the same folder. A game that is left
    unfinished by `reset` or `close` is a record without a result.

    Args:
        env: a `hawaii_env.env.aec.GameEnv`, such as ``hawaii1795_v1.env()``, bare or in PettingZoo's wrappers.
        folder: folder of the records, created if it is missing.
        players: names of the players, one per agent, in order; ``options["players"]`` of a reset takes precedence.
        every: record only every n-th game, starting with the first.

    Attributes:
        folder: the folder.
        records: the paths of this wrapper's records, oldest first.

    Raises:
        OptionError: an environment without records (Gymnasium's and vector environments, which keep no trace), or
            another invalid argument.
        RecordError: from `reset`: the folder cannot be written.
    """

    def __init__(
        self,
        env: AECEnv[Any, Any, Any],
        folder: str | os.PathLike[str],
        players: Sequence[str] | None = None,
        every: int = 1,
    ) -> None:
        game_env = env.unwrapped if isinstance(env, AECEnv) else None
        if not isinstance(game_env, GameEnv):
            raise OptionError(
                "RecordGames records an AEC environment of hawaii_env, as hawaii1795_v1.env() makes it; "
                f"{show_value(env)} keeps "
                "no trace of its games"
            )
        super().__init__(env)
        self.folder: Path = check_path("folder", folder)
        self.players: list[str] | None = check_players(players, game_env.game)
        self.every: int = check_count("every", every)
        self.records: list[Path] = []
        self.games: int = 0
        self._name: str = game_env.game.name

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begin a game and its record; see `hawaii_env.env.aec.GameEnv`. ``options["record"]`` takes precedence."""
        if options is not None and not isinstance(options, Mapping):
            raise OptionError(f"options is a mapping or None, not {show_value(options)}")
        given = dict(options or {})
        if self.players is not None:
            given.setdefault("players", self.players)
        if given.get("record") is not None or self.games % self.every:
            self.env.reset(seed=seed, options=given)
        else:
            self._record(seed, given)
        self.games += 1

    def _record(self, seed: int | None, options: dict[str, Any]) -> None:
        number = self._last()
        while True:
            number += 1
            path = self.folder / f"{self._name}-{number:06d}.jsonl"
            if path.exists():
                continue
            try:
                self.env.reset(seed=seed, options={**options, "record": path})
            except RecordError:
                # Another process may have taken the number in between; anything else is an error.
                if not path.exists() or (self.records and self.records[-1] == path):
                    raise
                continue
            self.records.append(path)
            return

    def _last(self) -> int:
        """Return the greatest number of a record in the folder."""
        pattern = re.compile(re.escape(self._name) + r"-(\d+)\.jsonl")
        try:
            names = os.listdir(self.folder)
        except OSError:
            return 0  # the writer creates it or raises an error
        return max((int(found[1]) for name in names if (found := pattern.fullmatch(name))), default=0)

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Iterate over the agents as the wrapped environment does."""
        return self.env.agent_iter(max_iter)

    def last(self, observe: bool = True) -> Any:
        """Return what the wrapped environment's `last` returns."""
        return cast(Any, self.env).last(observe)

    def __repr__(self) -> str:
        return f"RecordGames({self.env!r}, {str(self.folder)!r})"
