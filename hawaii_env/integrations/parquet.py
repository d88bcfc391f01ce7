"""Parquet: decisions from game records as a table, for offline learning and analysis.

```python
from hawaii_env.integrations.parquet import batches, export

export(["games"], "decisions.parquet")
for batch in batches("decisions.parquet", 1024):
    print(batch.observations.shape, batch.masks.shape, batch.actions.shape, batch.returns.mean())
```

Each row is one decision of a player. Any Parquet reader can read the file; `hawaii_env.integrations.offline.COLUMNS`
lists its columns.

The module needs pyarrow: ``pip install "hawaii-env[offline]"``.
"""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hawaii_env._arguments import check_count, check_path
from hawaii_env._version import __version__
from hawaii_env.errors import OptionError, RecordError
from hawaii_env.game import Game
from hawaii_env.integrations.offline import Asked, Paths, Played, played
from hawaii_env.texts import parse_json

__all__ = ["FORMAT", "VERSION", "Batch", "Written", "batches", "describe", "export", "shards"]

FORMAT = "hawaii_env.decisions"
VERSION = 1
KEY = b"hawaii_env"
"""The file's metadata under this key is JSON: format, version, game, params, hashes and sizes."""

ROWS = 8192
"""Rows per row group: the memory unit of streaming readers."""


@dataclass(frozen=True)
class Written:
    """The report of `export`.

    Attributes:
        path: the file.
        games: games in it.
        decisions: rows.
        bytes: its size.
    """

    path: Path
    games: int
    decisions: int
    bytes: int


@dataclass(frozen=True)
class Batch:
    """Decisions as arrays, row by row. The caller owns them and may write to them.

    Attributes:
        observations: float32[n, O], or int8[n, O] in a file of raw values.
        masks: int8[n, A]: the legal actions.
        actions: int64[n]: the chosen actions.
        players: int64[n]: the players who chose.
        returns: float32[n]: that player's result of the game; NaN if it was aborted.
        games: int64[n]: number of the game in the file, or in its data set.
    """

    observations: NDArray[Any]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    players: NDArray[np.int64]
    returns: NDArray[np.float32]
    games: NDArray[np.int64]


def _schema(game: Game, raw: bool) -> pa.Schema:
    word = pa.dictionary(pa.int32(), pa.string())
    fields = [
        pa.field("game", pa.int32(), nullable=False),
        pa.field("record", word, nullable=False),
        pa.field("n", pa.int32(), nullable=False),
        pa.field("player", pa.int8(), nullable=False),
        pa.field("agent", word, nullable=False),
        pa.field("name", word),
        pa.field("phase", word, nullable=False),
        pa.field("action", pa.int32(), nullable=False),
        pa.field("text", word, nullable=False),
        pa.field("legal", pa.list_(pa.int32()), nullable=False),
        pa.field("observation", pa.list_(pa.int8() if raw else pa.float32(), game.observation_size), nullable=False),
        pa.field("return", pa.float32()),
        pa.field("winner", pa.int8()),
        pa.field("reason", word),
    ]
    metadata = {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "params": dict(game.params),
        "agents": list(game.agents),
        "ruleset": {"name": game.ruleset_name, "hash": game.ruleset_hash},
        "action_table": game.action_table_hash,
        "num_actions": game.num_actions,
        "observation_size": game.observation_size,
        "raw": raw,
        "library": __version__,
    }
    return pa.schema(fields, metadata={KEY: json.dumps(metadata).encode()})


def _rows(number: int, one: Played, chosen: list[Asked], names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    outcome, returns = one.outcome, one.returns
    for asked in chosen:
        name = one.name(asked.player)
        yield {
            "game": number,
            "record": one.record.path.name,
            "n": asked.n,
            "player": asked.player,
            "agent": one.game.agents[asked.player],
            "name": name if name is None else names.get(name, name),
            "phase": asked.phase,
            "action": asked.action,
            "text": asked.text,
            "legal": asked.legal,
            "observation": asked.observation,
            "return": None if returns is None else returns[asked.player],
            "winner": None if outcome is None else outcome.winner,
            "reason": None if outcome is None else outcome.reason,
        }


def _table(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    columns: list[pa.Array] = []
    for field in schema:
        values = [row[field.name] for row in rows]
        if field.name == "observation":  # without a Python object a value
            flat = pa.array(np.concatenate(values))
            columns.append(pa.FixedSizeListArray.from_arrays(flat, type=field.type))
        else:
            columns.append(pa.array(values, type=field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def export(
    paths: Paths,
    out: str | os.PathLike[str],
    *,
    game: Game | None = None,
    only: str | None = None,
    raw: bool = False,
    partial: bool = False,
    first: int = 0,
    names: Mapping[str, str] | None = None,
) -> Written:
    """Write the decisions of records as one Parquet file.

    Args:
        paths: a file or folder of records, or several, all of one game with one set of parameters.
        out: the file, which must not exist yet. Its folder is created. It appears only when complete; until then it has
            another name.
        game: the game, where it is not to be made from the records' headers.
        only: only decisions of players with this name in the records' headers.
        raw: True writes observations unscaled, int8, as ``State.observation(raw=True)`` gives them.
        partial: True includes aborted games; their `return` is null.
        first: number of the first game, if the file is one of several.
        names: replacements for players' names in the records' headers.

    Raises:
        OptionError: the file exists or cannot be written.
        RecordError: a record that does not replay, or one of another game than the first; no decision at all.
    """
    out = check_path("out", out)
    if os.path.lexists(out):
        raise OptionError(f"{out} exists; it is not overwritten")
    # Records are read before anything is made.
    games = played(paths, game, raw=raw, partial=partial)
    head = next(games)
    schema = _schema(head.game, raw)
    part, file = _open_part(out)
    waiting: list[dict[str, Any]] = []
    number, decisions = first, 0
    try:
        with file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
            for one in chain([head], games):
                chosen = [asked for asked in one.decisions if only is None or one.name(asked.player) == only]
                if not chosen:
                    continue
                waiting.extend(_rows(number, one, chosen, names or {}))
                number += 1
                decisions += len(chosen)
                if len(waiting) >= ROWS:
                    writer.write_table(_table(waiting, schema))
                    waiting.clear()
            if not decisions:
                raise RecordError("the records have no decision" + (f" of {only!r}" if only is not None else ""))
            if waiting:
                writer.write_table(_table(waiting, schema))
        os.replace(part, out)
    except OSError as error:
        raise OptionError(f"{out} cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):  # of what went wrong, only the first error is raised
            part.unlink(missing_ok=True)
    return Written(out, number - first, decisions, out.stat().st_size)


def _open_part(out: Path) -> tuple[Path, BinaryIO]:
    """Return a new file beside `out`, and its folder if it is missing."""
    # A name of its own: another export, or somebody's file, may have a plainer one.
    part = out.with_name(f"{out.name}.{secrets.token_hex(4)}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        return part, open(part, "xb")
    except (FileExistsError, NotADirectoryError) as error:
        raise OptionError(f"{out} cannot be written: {out.parent} is not a folder") from error
    except OSError as error:
        raise OptionError(f"{out} cannot be written: {error.strerror or error}") from error


def shards(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files of decisions that a path names: itself, or those in a folder and its folders, sorted.

    Raises:
        RecordError: a folder without any.
    """
    found = check_path("path", path)
    if not found.is_dir():
        return [found]
    inside = sorted(found.rglob("*.parquet"))
    if not inside:
        raise RecordError(f"there is no file of decisions (*.parquet) in {found}")
    return inside


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the metadata of a file, or of the first one in a folder: game, params, ruleset, hashes, sizes.

    Raises:
        RecordError: not a file of decisions, or one of a newer version.
    """
    path = shards(path)[0]
    try:
        found = (pq.read_schema(path).metadata or {}).get(KEY)
    except (OSError, pa.ArrowException) as error:
        raise RecordError(f"{path} cannot be read: {error}") from error
    try:
        metadata: Any = parse_json(found) if found else None
    except ValueError as error:
        raise RecordError(f"{path}: what the file says of itself: {error}") from error
    if (
        not isinstance(metadata, dict)
        or metadata.get("format") != FORMAT
        or not isinstance(metadata.get("version"), int)
    ):
        raise RecordError(f"{path} is not a file of decisions")
    if metadata["version"] > VERSION:
        raise RecordError(f"{path} has version {metadata['version']}; this hawaii_env reads versions up to {VERSION}")
    return metadata


def batches(path: str | os.PathLike[str], size: int = ROWS) -> Iterator[Batch]:
    """Read a file of decisions, or all files of a folder in order, as arrays.

    Args:
        path: the file or folder.
        size: decisions per batch; the last batch, and some in between, may have fewer.

    Raises:
        OptionError: `size` is not an integer of 1 or more.
        RecordError: no file of decisions, or files of different games, at the call; one that is damaged, where the
            reading comes to it.
    """
    count, files = check_count("size", size, most=2**31 - 1), shards(path)
    about = [describe(file) for file in files]
    for file, other in zip(files, about, strict=True):
        if different := [key for key in other if key != "library" and other[key] != about[0].get(key)]:
            raise RecordError(f"{file}: {different[0]}: another one than in {files[0]}")
    return chain.from_iterable(_batches(file, count, about[0]) for file in files)


def _batches(path: Path, size: int, metadata: dict[str, Any]) -> Iterator[Batch]:
    wanted = ["game", "player", "action", "legal", "observation", "return"]
    try:
        with pq.ParquetFile(path) as file:
            for found in file.iter_batches(size, columns=wanted):
                yield _batch(found, metadata["num_actions"], metadata["observation_size"])
    except (OSError, pa.ArrowException, LookupError, ValueError) as error:
        raise RecordError(f"{path} cannot be read, it is damaged: {error}") from error


def _batch(found: pa.RecordBatch, num_actions: int, observation_size: int) -> Batch:
    n = found.num_rows
    legal = found.column("legal")
    masks = np.zeros((n, num_actions), np.int8)
    masks[np.repeat(np.arange(n), legal.value_lengths().to_numpy()), legal.flatten().to_numpy()] = 1
    return Batch(
        # Arrow's own memory is read-only.
        observations=found.column("observation").flatten().to_numpy().reshape(n, observation_size).copy(),
        masks=masks,
        actions=found.column("action").to_numpy().astype(np.int64),
        players=found.column("player").to_numpy().astype(np.int64),
        returns=found.column("return").to_numpy(zero_copy_only=False).astype(np.float32),
        games=found.column("game").to_numpy().astype(np.int64),
    )
