"""Minari: recorded games as a data set for offline learning.

```python
import minari
from hawaii_env.integrations.minari import export

export(["games"], "hawaii1795/mine-v0")
dataset = minari.load_dataset("hawaii1795/mine-v0")
episode = dataset[0]
print(episode.observations.shape, episode.actions.shape, episode.rewards.sum())
```

Minari's episodes have one agent each, so a game becomes one episode per player, with its decisions in the form of
``gymnasium.make("hawaii_env/Hawaii1795-v1")``. An observation is float32[O] as the player sees the position, an action
an index of the action table, and the reward of the last decision the game's result. Infos have ``action_mask``
(int8[A]; zeros at the end) and ``player``, as that environment's do.

The module needs minari and pyarrow: ``pip install "hawaii-env[offline]"``.
"""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import copy
import shutil
import warnings
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from minari.data_collector import EpisodeBuffer
from minari.dataset.minari_dataset import parse_dataset_id
from minari.namespace import NAMESPACE_METADATA_FILENAME
from minari.storage.datasets_root_dir import get_dataset_path
from minari.utils import create_dataset_from_buffers

from hawaii_env import games
from hawaii_env._version import __version__
from hawaii_env.errors import HawaiiError, OptionError, RecordError
from hawaii_env.game import Game
from hawaii_env.integrations.offline import Paths, Played, played

__all__ = ["FORMATS", "export"]

FORMATS = ("parquet", "arrow")
"""Minari's data formats that need only pyarrow."""


def environment_of(game: Game) -> EnvSpec | None:
    """Return the spec of the Gymnasium environment that plays `game`, or None if none is registered for it.

    If None means the shipped ruleset, the spec names it, because a later version may ship another.
    """
    declared = games.get(game.name)
    known = [s for s in gymnasium.registry.values() if declared is not None and s.kwargs.get("game") == declared.name]
    if not known:
        return None
    spec = copy.deepcopy(max(known, key=lambda one: one.version or 0))  # the newest is what the game's options leave
    spec.kwargs.update({key: value for key, value in _pinned(game).items() if value is not None})
    return spec


def _pinned(game: Game) -> dict[str, Any]:
    """Return the game's parameters, with the ruleset's name where `rules` is None and the name gives the same
    ruleset.
    """
    params = dict(game.params)
    if params.get("rules", "") is not None:
        return params
    named = {**params, "rules": game.ruleset_name}
    try:
        same = type(game)(**named).ruleset_hash == game.ruleset_hash
    except (HawaiiError, TypeError, ValueError, OSError):
        same = False
    return named if same else params


def _description(game: Game) -> str:
    """Return the description of the data; a game may lack a hash of its observation layout."""
    hashes = {
        "ruleset": game.ruleset_hash,
        "action table": game.action_table_hash,
        "observation layout": getattr(game, "observation_layout_hash", None),
    }
    listed = ", ".join(f"{what} {digest}" for what, digest in hashes.items() if digest)
    return f"{game.name}, ruleset {game.ruleset_name}: games out of records, an episode a player. Hashes: {listed}."


def _episodes(one: Played, only: str | None) -> Iterator[EpisodeBuffer]:
    """Yield the episodes of one game, one per player."""
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


def _listen(games: Iterator[Played], names: set[str]) -> Iterator[Played]:
    """Pass games on and note their players, if the records name them."""
    for one in games:
        names.update(one.record.header["players"] or [])
        yield one


def _check_id(dataset_id: str) -> None:
    try:
        parse_dataset_id(dataset_id)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"dataset_id: expected NAME-v0 or NAMESPACE/NAME-v0 (letters, digits, - and _), not {dataset_id!r}"
        ) from error


def _outermost_new(path: Path) -> Path:
    """Return the outermost folder that an export to a data set's folder makes."""
    return next(folder for folder in (*reversed(path.parents), path) if not folder.exists())


def _namespaces() -> set[Path]:
    """Return the files that make folders namespaces."""
    return set(get_dataset_path().rglob(NAMESPACE_METADATA_FILENAME))


def export(
    paths: Paths,
    dataset_id: str,
    *,
    game: Game | None = None,
    only: str | None = None,
    partial: bool = False,
    data_format: str = "parquet",
    metadata: Mapping[str, Any] | None = None,
) -> Any:
    """Make a Minari data set from records, in Minari's folder (``MINARI_DATASETS_PATH``).

    Its description has the hashes of ruleset, action table and observation layout, its requirements this version of
    hawaii-env.

    Args:
        paths: a file or folder of records, or several, all of one game with one set of parameters.
        dataset_id: Minari's id, for example ``"hawaii1795/mine-v0"``.
        game: the game; by default it is made from the records' headers.
        only: only episodes of players with this name in the records' headers.
        partial: True includes aborted games; their episodes are truncated.
        data_format: Minari's: ``"parquet"`` or ``"arrow"``.
        metadata: more arguments of ``minari.create_dataset_from_buffers``: author, author_email, code_permalink,
            algorithm_name, description, requirements.

    Returns:
        The data set, a ``minari.MinariDataset``.

    Raises:
        OptionError: an invalid id or one in use, an unknown format, or an argument that Minari rejects.
        RecordError: a record that does not replay, or one of another game than the first; no decision at all.
    """
    _check_id(dataset_id)
    if data_format not in FORMATS:
        raise OptionError(f"data_format: expected one of {', '.join(FORMATS)}, not {data_format!r}")
    names: set[str] = set()
    games = _listen(played(paths, game, partial=partial), names)
    first = next(games)
    game = first.game
    episodes = (buffer for one in chain([first], games) for buffer in _episodes(one, only))
    head = next(episodes, None)
    if head is None:
        raise RecordError("the records have no decision" + (f" of {only!r}" if only is not None else ""))
    about: dict[str, Any] = {
        "algorithm_name": only,
        "description": _description(game),
        "requirements": [f"hawaii-env=={__version__}"],
        **(metadata or {}),
    }
    path = get_dataset_path(dataset_id)
    if path.exists():
        raise OptionError(f"{dataset_id}: there is such a data set already, in {path}")
    made, before = _outermost_new(path), _namespaces()
    done = False
    try:
        with warnings.catch_warnings():
            # Minari warns of each thing that was not said; who exports for themselves need not say them.
            warnings.filterwarnings("ignore", message=".* is set to None", category=UserWarning)
            warnings.filterwarnings("ignore", message="env_spec is None", category=UserWarning)
            dataset = create_dataset_from_buffers(
                dataset_id,
                # It is read once, in order: games need not all be in memory.
                chain([head], episodes),  # pyright: ignore[reportArgumentType]
                env=environment_of(game),
                observation_space=spaces.Box(game.observation_low, game.observation_high, dtype=np.float32),
                action_space=spaces.Discrete(game.num_actions),
                data_format=data_format,
                **about,
            )
        if names and about["algorithm_name"] is None:
            # Who played is known when the last record has been read.
            dataset.storage.update_metadata({"algorithm_name": ", ".join(sorted(names))})
        done = True
    except (ValueError, TypeError, OSError) as error:
        if isinstance(error, HawaiiError):
            raise
        raise OptionError(f"{dataset_id}: {error}") from error
    finally:
        if not done:
            shutil.rmtree(made, ignore_errors=True)
            for file in _namespaces() - before:
                file.unlink()
    return dataset
