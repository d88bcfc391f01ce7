"""A tournament while it is played: its store, what plays, and what becomes of each game."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypedDict

from hawaii_env._arguments import check_count, check_number, check_path
from hawaii_env._machine import cores
from hawaii_env.agent_process import share_of_memory
from hawaii_env.agents import named_files
from hawaii_env.arena import schedule
from hawaii_env.arena.playing import Played, Setup, Task
from hawaii_env.arena.result import End, GameResult, Standing, standings
from hawaii_env.arena.schedule import ScheduledGame
from hawaii_env.arena.store import FILE, GameRow, Player, Store, file_digest
from hawaii_env.arena.worker import Backend, Processes
from hawaii_env.errors import OptionError, StorageError
from hawaii_env.game import Game, check_seed
from hawaii_env.terminal import Progress

__all__ = ["Run", "Settings", "TournamentResult"]

TRIES = 3
"""The number of tries of a game that failed without a fault of a player."""


FAULTS = {"forfeit": "forfeited", "void": "void"}
"""Words for games by their status, for the progress."""


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "_", text).strip("_")[:40] or "agent"


def _ruleset(games: Sequence[Game]) -> str:
    """Return the hash of the games' ruleset, or one hash of all rulesets."""
    hashes = list(dict.fromkeys(game.ruleset_hash for game in games))
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def _record_name(game: ScheduledGame) -> str:
    """Return where a game's record is kept: names to read, and a digest that keeps them apart."""
    players, _, number = game.pairing.rpartition(" #")
    digest = f"{schedule._digest('record', *game.key) & 0xFFFFFFFF:08x}"
    folder = "-".join(_slug(player) for player in players.split(" | "))[:120]
    return f"{folder}/{int(number):05}-{game.rotation}-{digest}.jsonl"


@dataclass(frozen=True)
class TournamentResult:
    """The result of a tournament.

    Attributes:
        folder: the store.
        players: the players, in the order in which they were added.
        results: the games that count.
        played: games played by this call; the others were there before.
        void: games that are missing, because they failed `TRIES` times and it was nobody's fault.
    """

    folder: Path
    players: tuple[Player, ...]
    results: list[GameResult] = field(repr=False)
    played: int
    void: int

    @property
    def standings(self) -> list[Standing]:
        """The players, the highest mean score first."""
        return standings(self.results, [player.key for player in self.players])


class Settings(TypedDict, total=False):
    """The settings of a match or a tournament; what is left out has its default.

    Attributes:
        seed: from which the seeds of all games and agents are made; same agents and seed, same games. It is 0.
        seconds: the clock for each decision, which agents learn; None, the default, is none.
        grace: seconds by which a player may overrun its clock over a whole game before it forfeits; 10.
        limit: seconds for a decision without a clock, and for the making of an agent; 300.
        memory: GiB of memory that a worker process may allocate (on Linux); None, the default, is the machine's by the
            processes, 4 at least.
        processes: how many; None, the default, is the number of cores.
        load: Python files that register agents; none.
        ray: address of a Ray cluster, ``"local"`` to start one here, or None, the default, for processes of this
            machine.
        progress: True, the default, shows progress on standard error.
    """

    seed: int
    seconds: float | None
    grace: float
    limit: float
    memory: float | None
    processes: int | None
    load: Iterable[str | os.PathLike[str]]
    ray: str | None
    progress: bool


class Run:
    """One tournament while it is played.

    Args:
        title: its name in messages: "tournament" or "match".
        games: the games that meetings play in turn; most tournaments have one.
        players: who enters it now.
        folder: its store.
        kept: whether the folder stays.
        seed: this and the others are those of `Settings`.
        seconds: the clock.
        grace: overrun of the clock.
        limit: seconds without a clock.
        memory: GiB a process.
        processes: how many.
        load: files with bots.
        ray: address of a cluster.
        progress: whether it is shown.
    """

    def __init__(
        self,
        title: str,
        games: Sequence[Game],
        players: Sequence[Player],
        folder: Path,
        kept: bool,
        *,
        seed: int = 0,
        seconds: float | None = None,
        grace: float = 10.0,
        limit: float = 300.0,
        memory: float | None = None,
        processes: int | None = None,
        load: Iterable[str | os.PathLike[str]] = (),
        ray: str | None = None,
        progress: bool = True,
    ) -> None:
        for name, number in (("seconds", seconds), ("limit", limit), ("memory", memory)):
            if number is not None:
                check_number(name, number, above=0)
        count = len(cores()) if processes is None else check_count("processes", processes)
        self.kept = kept
        files = tuple(str(check_path("load", path).absolute()) for path in load)
        for path in files:
            if not Path(path).is_file():
                raise OptionError(f"there is no Python file {path}")
        self.game: Game = games[0]
        self.seed: int = check_seed(seed)
        memory = share_of_memory(count) if memory is None else memory
        self.setup: Setup = Setup(tuple(games), files, seconds, grace, limit, memory, str(folder / "logs"))
        self.backend: Backend | None = None
        self.checked: set[str] = set()
        self.warmed: set[str] = set()
        self.played: int = 0
        self.title: str = title
        self.count: int = count
        self.wanted: int | None = processes
        self.ray: str | None = ray
        self.faults: Counter[str] = Counter()
        self.store: Store = Store(folder, create=True)
        try:
            self.store.lock()
        except BaseException:
            self.store.close()
            raise
        self.progress: Progress = Progress(title, "games", shown=progress)
        try:
            self._enter(players)
        except BaseException as error:
            empty = False
            with contextlib.suppress(StorageError):
                empty = not self.store.players()
            self._end()
            if empty:
                self._undo(folder)
            if isinstance(error, OSError):
                raise StorageError(f"the {title} cannot begin: {_reason(error)}") from error
            raise
        self.agents: dict[str, str] = {player.key: player.agent for player in self.store.players()}

    def _enter(self, players: Sequence[Player]) -> None:
        """Check that the store's games are played as these will be, and enter the players that it does not have."""
        game = self.game
        self.store.check_settings(
            {
                "game": f"{type(game).__module__}:{type(game).__qualname__}",
                "params": dict(game.params),
                "ruleset": _ruleset(self.setup.games),
                "action_table": game.action_table_hash,
                "agents": list(game.agents),
                "seed": self.seed,
                "seconds": self.setup.seconds,
            }
        )
        known = self.store.players()
        new = [player for player in players if player not in known]
        schedule.check_players(list(dict.fromkeys(player.key for player in (*known, *new))), game.num_players)
        if new:
            # Check agent strings before the store keeps them for good.
            self._check({player.agent for player in new})
        named = {path for player in (*known, *new) for path in named_files(player.agent)}
        self.store.check_files({str(path): file_digest(path) for path in named})
        if new:
            self.store.enter(new)

    @staticmethod
    def _undo(folder: Path) -> None:
        """Leave nothing of a tournament that did not come about."""
        for name in ("", "-wal", "-shm"):
            (folder / f"{FILE}{name}").unlink(missing_ok=True)
        (folder / "lock").unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._end()
        if isinstance(error, KeyboardInterrupt):
            kept = f"finished games are kept in {self.store.folder}, and the same command resumes"
            raise KeyboardInterrupt(f"stopped; {kept if self.kept else '`--out FOLDER` would have kept the games'}")
        if isinstance(error, OSError):
            kept = f"; finished games are kept in {self.store.folder}, and the same command resumes"
            raise StorageError(f"the {self.title} stops: {_reason(error)}{kept if self.kept else ''}") from error

    def _end(self) -> None:
        try:
            if self.backend is not None:
                self.backend.close()
        finally:
            self.progress.close()
            folder = self.store.folder
            shutil.rmtree(folder / "playing", ignore_errors=True)
            with contextlib.suppress(OSError):
                for log in (folder / "logs").glob("*.log"):
                    if not log.stat().st_size:
                        log.unlink()
                (folder / "logs").rmdir()
            self.store.close()

    def _start(self) -> Backend:
        """Start what plays, once there is something for it to do."""
        if self.backend is not None:
            return self.backend
        folder = self.store.folder
        shutil.rmtree(folder / "playing", ignore_errors=True)  # what a killed run was playing is played anew
        for name in ("playing", "logs"):
            (folder / name).mkdir(exist_ok=True)
        if self.ray is None:
            self.backend = backend = Processes(self.setup, self.count)
        else:
            from hawaii_env.arena.ray_backend import RayBackend

            self.backend = backend = RayBackend(self.setup, self.ray, self.wanted)
        return backend

    def _check(self, agents: set[str]) -> None:
        """Raise OptionError if an agent string is wrong."""
        self._start().check(sorted(agents - self.checked))
        self.checked |= agents

    def _ready(self, games: Iterable[ScheduledGame]) -> Backend:
        """Start what plays, check the agents of some games, and warm up rules and agents if a clock will run."""
        backend = self._start()
        agents = {self.agents[key] for game in games for key in game.seats}
        self._check(agents)
        if self.setup.seconds is None:
            self.game.initial_state(seed=0)  # begins to compile in the background: later games run compiled
        else:
            self.game.compile()  # or the clock would count how slow the first games are
            agents -= self.warmed
            self.warmed |= agents
            for agent, wrong in backend.warm(sorted(agents)):
                self.store.log(f"{agent}: failed before its first game", wrong)
                self.progress.say(f"{self.title}: {agent} failed before its first game; see faults.log")
        return backend

    def _task(self, game: ScheduledGame, attempt: int) -> Task:
        name = f"{attempt}-{_record_name(game).replace('/', '-')[-60:]}"
        agents = tuple(self.agents[key] for key in game.seats)
        return Task(game, agents, str(self.store.folder / "playing" / name), attempt)

    def _keep(self, played: Played) -> GameRow:
        """Put the record where it stays, and add the game to the store, as the row that is returned."""
        task, game = played.task, played.task.game
        source = Path(task.record)
        if played.text is not None:
            source.write_bytes(played.text)
        record = digest = None
        if source.is_file():
            record = f"records/{_record_name(game)}"
            if played.status == "void":
                record = f"void/{_record_name(game)[: -len('.jsonl')]}-{time.time_ns()}.jsonl"
            target = self.store.folder / record
            target.parent.mkdir(parents=True, exist_ok=True)
            digest = file_digest(source)
            os.replace(source, target)
        row = GameRow(
            *(game.pairing, game.rotation, game.round, game.seats, game.seed, played.status, played.end),
            *(played.forfeit, played.reason, played.decisions, played.seconds, record, digest, played.verified),
            processor=played.processor,
        )
        self.store.add(row)
        if played.status != "finished" or played.details:
            what = "forfeits" if played.status == "forfeit" else "void" if played.status == "void" else "plays on"
            who = game.seats[played.forfeit] if played.forfeit is not None else "nobody"
            title = f"{game.pairing} rotation {game.rotation}: {who} {what}: {played.reason}"
            self.store.log(title, f"seats: {', '.join(game.seats)}\nrecord: {record}\n{played.details}")
        self.faults[FAULTS.get(played.status, "")] += 1
        note = ", ".join(f"{self.faults[what]:,} {what}" for what in FAULTS.values() if self.faults[what])
        self.progress.advance(played.status != "void", note)
        return row

    def play(
        self, games: Sequence[ScheduledGame], stop: Callable[[GameRow | None, ScheduledGame], bool] | None = None
    ) -> int:
        """Play the games that the store does not have.

        Args:
            games: the games.
            stop: called with each game that is there or given up (then with None); True ends the play.

        Returns:
            Games given up.
        """
        # Also games whose record was altered later: nothing is played twice.
        there = {row.key: row for row in self.store.rows()}
        void = 0
        todo: deque[tuple[ScheduledGame, int]] = deque()
        for game in games:
            if game.key not in there:
                todo.append((game, 0))
        for game in games:
            if game.key in there and stop is not None and stop(there[game.key], game):
                return 0
        if not todo:
            return 0
        self.progress.add(len(todo))
        backend = self._ready(game for game, _ in todo)
        guesses: dict[tuple[str, int], list[int | None]] = {}
        running = 0
        over = False
        while (todo or running) and not over:
            # One more than there is room for, so that nobody waits for this process to write.
            while todo and running <= backend.capacity:
                backend.submit(self._task(*todo.popleft()))
                running += 1
            for played in backend.wait(1.0):
                running -= 1
                game = played.task.game
                if played.unwritten:
                    # A full disk is not a game's fault: the others would fail alike.
                    raise StorageError(played.reason)
                if played.killed:
                    # Killed from outside, perhaps for want of memory: blame a player only if it happens each time.
                    seats = guesses.setdefault(game.key, [])
                    seats.append(played.forfeit)
                    if len(seats) < TRIES or len(set(seats)) > 1:
                        played = _voided(played)
                row = self._keep(played)
                if played.status == "void":
                    if played.task.attempt + 1 < TRIES:
                        todo.appendleft((game, played.task.attempt + 1))
                        continue
                    void += 1
                    self.progress.say(f"{self.title}: given up after {TRIES} tries: {game.pairing}; {played.reason}")
                else:
                    self.played += 1
                if stop is not None and not over:
                    over = stop(None if played.status == "void" else row, game)
        return void

    def result(self, void: int, keys: Iterable[tuple[str, int]] | None = None) -> TournamentResult:
        """Return what is in the store, or of it the games of some keys."""
        wanted = None if keys is None else set(keys)
        rows = [row for row in self.store.counted()[0] if wanted is None or row.key in wanted]
        players = self.store.players()
        if wanted is not None:
            players = [player for player in players if any(player.key in row.seats for row in rows)]
        return TournamentResult(self.store.folder, tuple(players), [row.result() for row in rows], self.played, void)


def _reason(error: OSError) -> str:
    if isinstance(error, StorageError) or error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def _voided(played: Played) -> Played:
    end = End.void(len(played.end.shares))
    return replace(played, status="void", end=end, forfeit=None, details="killed from outside; tried again")
