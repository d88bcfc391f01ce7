"""Minari: games out of records as a data set for offline learning.

```python
import minari
from hawaii_env.integrations.minari import export

export(["games"], "hawaii1795/mine-v0")
dataset = minari.load_dataset("hawaii1795/mine-v0")
episode = dataset[0]
print(episode.observations.shape, episode.actions.shape, episode.rewards.sum())
```

Minari's episodes have one agent each, so a game becomes one episode for each of its players: their decisions, as
``gymnasium.make("hawaii_env/Hawaii1795-v0")`` shows them. An observation is float32[O] as the player sees the position, an action an
entry of the action table, the reward the game's result at the last decision. Infos have ``action_mask`` (int8[A]; zeros at the end)
and ``player``, as that environment's do.

The module needs minari and pyarrow: ``pip install "hawaii-env[offline]"``.
"""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import copy
import os
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from minari.data_collector import EpisodeBuffer
from minari.storage.datasets_root_dir import get_dataset_path
from minari.utils import create_dataset_from_buffers

from hawaii_env import records
from hawaii_env.errors import HawaiiError, OptionError, RecordError
from hawaii_env.game import Game
from hawaii_env.integrations.offline import Played, played, record_files

__all__ = ["export"]


def environment_of(game: Game) -> EnvSpec | None:
    """Return the spec of the Gymnasium environment that plays `game`, or None where none is registered for it."""
    place = records.GAMES.get(game.name)
    for known in gymnasium.registry.values():
        if place is not None and known.kwargs.get("game") == place:
            spec = copy.deepcopy(known)
            spec.kwargs.update({key: value for key, value in game.params.items() if value is not None})
            return spec
    return None


def _episodes(one: Played, only: str | None) -> Iterator[EpisodeBuffer]:
    """The episodes of one game, a player each."""
    game, ended = one.game, one.returns
    for player in range(game.num_players):
        if only is not None and one.name(player) != only:
            continue
        asked = [decision for decision in one.decisions if decision.player == player]
        if not asked:
            continue
        masks = np.zeros((len(asked) + 1, game.num_actions), np.int8)
        for row, decision in enumerate(asked):
            masks[row, decision.legal] = 1
        last = np.zeros(len(asked), np.bool_)
        last[-1] = True
        rewards = np.zeros(len(asked), np.float32)
        if ended is not None:
            rewards[-1] = ended[player]
        yield EpisodeBuffer(
            seed=one.record.seed,
            options={"record": one.record.path.name, "player": player, "name": one.name(player)},
            observations=np.stack([*(d.observation for d in asked), one.state.observation(player)]),  # pyright: ignore[reportArgumentType]
            actions=np.array([d.action for d in asked], np.int64),  # pyright: ignore[reportArgumentType]
            rewards=rewards,  # pyright: ignore[reportArgumentType]
            terminations=last if ended is not None else np.zeros_like(last),  # pyright: ignore[reportArgumentType]
            truncations=last if ended is None else np.zeros_like(last),  # pyright: ignore[reportArgumentType]
            infos={"action_mask": masks, "player": [player] * (len(asked) + 1)},
        )


def _names(files: Iterable[os.PathLike[str]]) -> set[str]:
    """Who played in some records, where they say it."""
    return {name for path in files for name in records.read(path).header["players"] or []}


def export(
    paths: Iterable[str | os.PathLike[str]],
    dataset_id: str,
    *,
    game: Game | None = None,
    only: str | None = None,
    partial: bool = False,
    data_format: str = "parquet",
    metadata: Mapping[str, Any] | None = None,
) -> Any:
    """Make a Minari data set of records; it lies where Minari keeps them (``MINARI_DATASETS_PATH``).

    Args:
        paths: files and folders of records, all of one game with one set of parameters.
        dataset_id: Minari's id, as ``"hawaii1795/mine-v0"``.
        game: the game, where it is not to be made from the records' headers.
        only: episodes of players with this name alone, as the records' headers have it.
        partial: True takes records of games that were broken off, too; their episodes are truncated.
        data_format: Minari's: ``"parquet"`` or ``"arrow"``.
        metadata: more arguments of ``minari.create_dataset_from_buffers``: author, author_email, code_permalink, algorithm_name,
            description.

    Returns:
        The data set, a ``minari.MinariDataset``.

    Raises:
        OptionError: an id that is none or that is taken, or something that Minari refuses.
        RecordError: a record that does not replay, or one of another game than the first; no decision at all.
    """
    files = record_files(paths)
    games = played(files, game, partial=partial)
    first = next(games)
    game = first.game
    episodes = (buffer for one in chain([first], games) for buffer in _episodes(one, only))
    head = next(episodes, None)
    if head is None:
        raise RecordError("the records have no decision" + (f" of {only!r}" if only is not None else ""))
    told: dict[str, Any] = {
        "algorithm_name": only or ", ".join(sorted(_names(files))) or None,
        "description": f"{game.name}, ruleset {game.ruleset_name}: games out of records, an episode a player.",
        **(metadata or {}),
    }
    path = get_dataset_path(dataset_id)
    if path.exists():
        raise OptionError(f"{dataset_id}: there is such a data set already, in {path}")
    done = False
    try:
        with warnings.catch_warnings():
            # Minari warns of each thing that was not said; who exports for themselves need not say them.
            warnings.filterwarnings("ignore", message=".* is set to None", category=UserWarning)
            warnings.filterwarnings("ignore", message="env_spec is None", category=UserWarning)
            dataset = create_dataset_from_buffers(
                dataset_id,
                chain([head], episodes),  # pyright: ignore[reportArgumentType]  it is read once, in order: games need not all be in memory
                env=environment_of(game),
                observation_space=spaces.Box(game.observation_low, game.observation_high, dtype=np.float32),
                action_space=spaces.Discrete(game.num_actions),
                data_format=data_format,
                **told,
            )
        done = True
    except (ValueError, TypeError, OSError) as error:
        if isinstance(error, HawaiiError):
            raise
        raise OptionError(f"{dataset_id}: {error}") from error
    finally:
        if not done:
            shutil.rmtree(path, ignore_errors=True)
    return dataset
