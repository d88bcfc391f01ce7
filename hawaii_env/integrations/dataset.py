"""Data sets: games between agents as shards of Parquet, with a datasheet and Croissant metadata.

```python
from hawaii_env.integrations.dataset import make
from hawaii_env.integrations.parquet import batches

if __name__ == "__main__":  # games are played in processes of their own
    print(make("runs/aloha", "aloha", games=2000))
    for batch in batches("runs/aloha"):
        print(batch.observations.shape, batch.masks.shape, batch.actions.shape)
```

The arena plays the games of a shard, and `hawaii_env.integrations.parquet` writes it atomically. Complete shards stay,
so the same call resumes after any interruption; a shard made again has the same content.

The module needs pyarrow: ``pip install "hawaii-env[offline]"``.
"""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from math import comb
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import Field

from hawaii_env._arguments import check_count, check_path
from hawaii_env._version import __version__
from hawaii_env.agents import load_file, split_agents
from hawaii_env.arena.run import Run
from hawaii_env.arena.schedule import ScheduledGame, round_robin
from hawaii_env.arena.store import Player, file_digest
from hawaii_env.benchmark.form import Form, Setting, read_as
from hawaii_env.benchmark.held_out import check_trainable
from hawaii_env.benchmark.suites import load_suite, tracks
from hawaii_env.errors import OptionError, RecordError, StorageError
from hawaii_env.game import Game, check_seed
from hawaii_env.games import load_game
from hawaii_env.integrations.croissant import croissant_text, datasheet
from hawaii_env.integrations.parquet import describe, export
from hawaii_env.texts import count, write_bytes

__all__ = ["FILE", "Agent", "Dataset", "Shard", "default_agents", "make", "read"]

FILE = "dataset.json"
"""Name of the file that describes a data set, in its folder; beside it are ``data``, README.md and croissant.json."""

SHARD = 1000


class Shard(Form):
    """A file of decisions."""

    name: str
    bytes: int
    sha256: str
    decisions: int


class Agent(Form):
    """Seats, decisions and returns of an agent."""

    agent: str
    seats: int = Field(description="Number of seats that it played, over all games.")
    decisions: int
    mean_return: float


class Dataset(Form):
    """The content of ``dataset.json``: the settings of a data set and, once it is complete, its statistics."""

    format: str = "hawaii_env.dataset"
    version: int = 1
    library: str = Field(default=__version__, description="Version of hawaii_env.")
    setting: Setting
    agents: list[str]
    wanted: int = Field(description="Number of games to play.")
    shard: int = Field(description="Number of games per shard.")
    seed: int
    made: str = Field(default="", description="Date of completion; empty until then.")
    games: int = Field(default=0, description="Number of games in the shards.")
    decisions: int = 0
    legal: float = Field(default=0.0, description="Mean number of legal actions per decision.")
    ties: int = 0
    played: list[Agent] = Field(default_factory=list[Agent])
    shards: list[Shard] = Field(default_factory=list[Shard])


def default_agents(game: Game) -> list[str]:
    """Return the public opponents of a game's track.

    Raises:
        OptionError: the game has no track.
    """
    if game.name not in tracks():
        raise OptionError(f"agents: the benchmark has no track for {game.name!r}, so name the agents")
    return [one.agent for one in load_suite(game.name).opponent if one.scored and not one.held_out]


def read(folder: str | os.PathLike[str]) -> Dataset:
    """Return the description of a data set.

    Raises:
        OptionError: the folder has no data set, or a field of its description is invalid.
    """
    return read_as(Dataset, check_path("folder", folder) / FILE, "the folder has no data set")


def make(
    out: str | os.PathLike[str],
    game: str | Game,
    *,
    games: int = 100_000,
    agents: Iterable[str] | str | None = None,
    seed: int = 0,
    shard: int = SHARD,
    load: Iterable[str | os.PathLike[str]] = (),
    processes: int | None = None,
    progress: bool = True,
    **options: Any,
) -> Dataset:
    """Play games between agents and write their decisions into a folder; the same call resumes.

    All combinations of agents meet equally often, in all seats. Processes are spawned, so scripts must call this under
    ``if __name__ == "__main__":``.

    Args:
        out: the folder.
        game: the name of a game, or a `Game`.
        games: the number of games.
        agents: agent strings; None means the public opponents of the game's track.
        seed: the seed from which all others derive.
        shard: games per file.
        load: Python files that register agents.
        processes: worker processes; None: the cores.
        progress: True shows progress on standard error.
        options: the game's options, for example ``scenario="short"``.

    Returns:
        The complete data set. It leaves out games that an agent forfeited because of an error.

    Raises:
        OptionError: an unknown game, option or agent, a held-out agent, or a folder with other files or another data
            set.
        RecordError: a shard in the folder is damaged.
        StorageError: games failed for a reason other than an agent's error, or the disk is full.
    """
    game = load_game(game, **options)
    folder, files = check_path("out", out).absolute(), [check_path("load", path) for path in load]
    for path in files:
        load_file(path)
    plan = plan_of(game, agents, games=games, seed=seed, shard=shard)
    _begin(folder, plan)
    players, schedule = _schedule(game, plan)
    chunks = [schedule[start : start + plan.shard] for start in range(0, plan.wanted, plan.shard)]
    for number, chunk in enumerate(chunks):
        target = folder / "data" / f"part-{number:05}.parquet"
        work = folder / "games" / target.stem
        if not target.exists():
            title = f"shard {number + 1} of {len(chunks)}"
            with Run(title, (game,), players, work, True, seed=plan.seed, load=files, processes=processes,
                     progress=progress) as run:  # fmt: skip
                _write_shard(run, chunk, target, number * plan.shard)
        shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(folder / "games", ignore_errors=True)
    return _finish(folder, plan)


def plan_of(game: Game, agents: Iterable[str] | str | None, *, games: int, seed: int, shard: int) -> Dataset:
    """Return the description of the data set to make. Arguments and errors as for `make`."""
    given = split_agents(agents) if isinstance(agents, str) else agents
    names = default_agents(game) if given is None else list(dict.fromkeys(given))
    for name in names:
        check_trainable("agents", name)
    setting = Setting(
        name=game.name, game=game.name, options=dict(game.params), seats=list(game.agents), rules=game.ruleset_hash,
        actions=game.action_table_hash, observation=game.observation_hash,
    )  # fmt: skip
    return Dataset(
        setting=setting, agents=names, wanted=check_count("games", games), shard=check_count("shard", shard),
        seed=check_seed(seed),
    )  # fmt: skip


def _begin(folder: Path, plan: Dataset) -> None:
    """Write the description, or check that the folder has the same one.

    Raises:
        OptionError: the folder has other files, or another data set; the message names the option that differs.
    """
    if not (folder / FILE).exists():
        for name in ("README.md", "croissant.json", "data"):
            if (folder / name).exists():
                raise OptionError(f"out: {folder} contains {name} but no {FILE}; choose another folder")
        _describe(folder, plan)
        return
    before = _options(read(folder))
    for name, value in _options(plan).items():
        if before.get(name) != value:
            raise OptionError(
                f"{name}: the data set in {folder} has {before.get(name)!r}, not {value!r}; choose another folder"
            )


def _options(plan: Dataset) -> dict[str, Any]:
    """Return what makes a data set, by the names of the options of `make`: the same in each run of one folder."""
    setting = plan.setting
    return {
        "version of hawaii_env": plan.library, "game": setting.game, **setting.options, "agents": plan.agents,
        "games": plan.wanted, "shard": plan.shard, "seed": plan.seed, "hash of the rules": setting.rules,
        "hash of the actions": setting.actions, "hash of the observation": setting.observation,
    }  # fmt: skip


def _describe(folder: Path, content: Dataset) -> None:
    write_bytes(folder / FILE, f"{json.dumps(content.model_dump(), indent=1, ensure_ascii=False)}\n".encode())


def _schedule(game: Game, plan: Dataset) -> tuple[list[Player], list[ScheduledGame]]:
    """Return the players and the games to play. Agents play several seats if there are more seats than agents."""
    copies = -(-game.num_players // len(plan.agents))
    players = [
        Player(agent if copy == 0 else f"{agent} {copy + 1}", agent) for copy in range(copies) for agent in plan.agents
    ]
    meetings = -(-plan.wanted // (comb(len(players), game.num_players) * game.num_players))
    found = round_robin([player.key for player in players], meetings, game.num_players)
    return players, [one for meeting in found for one in meeting.games(plan.seed)][: plan.wanted]


def _write_shard(run: Run, games: Sequence[ScheduledGame], target: Path, first: int) -> None:
    """Play the missing games and write the decisions of the finished ones."""
    void = run.play(games)
    rows, bad = run.store.counted()
    if bad:
        raise StorageError(f"{run.store.folder}: {bad[0][0].pairing}: {bad[0][1]}; delete this folder and start again")
    if void:
        raise StorageError(
            f"{run.store.folder}: {count(void, 'game')} failed for a reason other than an agent's error; see faults.log"
        )
    there = {row.key: row for row in rows}
    ended = [there[game.key] for game in games if there[game.key].status == "finished"]
    for stale in target.parent.glob(f"{target.name}.*.part"):  # of a process that was killed
        stale.unlink()
    records = [run.store.folder / str(row.record) for row in ended]
    export(records, target, game=run.game, raw=True, first=first, names=run.agents)


def _decisions(path: Path) -> Any:
    """Return the columns of a shard for the statistics.

    Raises:
        RecordError: the file is damaged or not a shard.
    """
    again = "; delete the file and start again: only its games are played again"
    try:
        describe(path)
        table = pq.read_table(path, columns=["game", "player", "name", "legal", "return", "winner"])
    except RecordError as error:
        raise RecordError(f"{error}{again}") from error
    except (OSError, pa.ArrowException) as error:
        raise RecordError(f"{path} is damaged: {error}{again}") from error
    return table.unify_dictionaries()  # each group of rows has its own


def _finish(folder: Path, plan: Dataset) -> Dataset:
    """Compute the statistics, and write the description, the datasheet and the Croissant metadata."""
    shards: list[Shard] = []
    seats: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    returns: Counter[str] = Counter()
    games = ties = legal = 0
    for path in sorted((folder / "data").glob("*.parquet")):
        table = _decisions(path)
        legal += pc.sum(pc.list_value_length(table["legal"])).as_py()  # pyright: ignore[reportAttributeAccessIssue]
        totals = table.group_by(["game", "player", "name"]).aggregate([("return", "max"), ("player", "count")])
        for row in totals.to_pylist():
            seats[row["name"]] += 1
            asked[row["name"]] += row["player_count"]
            returns[row["name"]] += row["return_max"]
        ends = table.group_by("game").aggregate([("winner", "max")])
        games, ties = games + ends.num_rows, ties + ends["winner_max"].null_count
        shards.append(
            Shard(name=path.name, bytes=path.stat().st_size, sha256=file_digest(path), decisions=table.num_rows)
        )
    decisions = asked.total()
    made = plan.model_copy(
        update={
            "made": datetime.now(UTC).date().isoformat(),
            "games": games,
            "decisions": decisions,
            "legal": round(legal / decisions, 3),
            "ties": ties,
            "shards": shards,
            "played": [
                Agent(agent=name, seats=seats[name], decisions=asked[name], mean_return=round(total / seats[name], 4))
                for name, total in sorted(returns.items())
            ],
        }
    )
    write_bytes(folder / "README.md", datasheet(made.model_dump()).encode())
    write_bytes(folder / "croissant.json", croissant_text(made.model_dump()).encode())
    _describe(folder, made)
    return made
