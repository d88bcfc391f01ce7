"""Matches and tournaments: play what the schedule asks for and the store does not have yet."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hawaii_env._arguments import check_count, check_kind, check_list, check_path, check_text
from hawaii_env.arena import schedule
from hawaii_env.arena.backend import Backend, Processes
from hawaii_env.arena.progress import Progress
from hawaii_env.arena.result import End, GameResult
from hawaii_env.arena.schedule import Meeting, ScheduledGame
from hawaii_env.arena.store import FILE, GameRow, Player, Standing, Store, file_digest, parse_player, standings
from hawaii_env.arena.worker import Played, Setup, Task
from hawaii_env.errors import OptionError, StorageError
from hawaii_env.game import Game, check_seed

if TYPE_CHECKING:
    from hawaii_env.arena.ratings import Sprt

__all__ = ["MatchResult", "TournamentResult", "play_match", "run_tournament"]

TRIES = 3
"""How often a game is tried whose failure is nobody's fault."""


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "_", text).strip("_")[:40] or "agent"


def _record_name(game: ScheduledGame) -> str:
    """Return where a game's record is kept: names to read, and a digest that keeps them apart."""
    players, _, number = game.pairing.rpartition(" #")
    digest = f"{schedule._digest('record', *game.key) & 0xFFFFFFFF:08x}"
    folder = "-".join(_slug(player) for player in players.split(" | "))[:120]
    return f"{folder}/{int(number):05}-{game.rotation}-{digest}.jsonl"


@dataclass(frozen=True)
class TournamentResult:
    """What a tournament has come to.

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


@dataclass(frozen=True)
class MatchResult(TournamentResult):
    """What a match has come to.

    Attributes:
        pair_scores: what the first player scored over each whole pair, in the schedule's order.
        sprt: the test, or None.
        verdict: ``"H0"``, ``"H1"`` or ``"continue"`` of the test; None without one.
    """

    pair_scores: tuple[float, ...] = ()
    sprt: Any = None
    verdict: str | None = None


class _Run:
    """One tournament while it is played."""

    def __init__(
        self,
        title: str,
        game: Game,
        players: Sequence[Player],
        folder: Path,
        *,
        seed: int,
        seconds: float | None,
        grace: float,
        limit: float,
        memory: float | None,
        processes: int | None,
        load: Iterable[str | os.PathLike[str]],
        ray: str | None,
        progress: bool,
        kept: bool,
    ) -> None:
        count = _processes(processes)
        self.kept = kept
        files = tuple(str(check_path("load", path).absolute()) for path in check_list("load", load))
        for path in files:
            if not Path(path).is_file():
                raise OptionError(f"there is no Python file {path}")
        self.game, self.seed = game, check_seed(seed)
        memory = _share_of_memory(count) if memory is None else memory
        self.setup = Setup(game, files, seconds, grace, limit, memory, str(folder / "logs"))
        self.backend: Backend | None = None
        self.checked: set[str] = set()
        self.warmed: set[str] = set()
        self.played = 0
        self.title, self.count, self.wanted = title, count, processes
        self.ray = None if ray is None else check_text("ray", ray)
        self.store = Store(folder, create=True)
        try:
            self.store.lock()
        except BaseException:
            self.store.close()
            raise
        self.progress = Progress(title, progress)
        try:
            self.store.settle(
                {
                    "game": f"{type(game).__module__}:{type(game).__qualname__}",
                    "params": dict(game.params),
                    "ruleset": game.ruleset_hash,
                    "action_table": game.action_table_hash,
                    "agents": list(game.agents),
                    "seed": self.seed,
                    "seconds": seconds,
                }
            )
            known = self.store.players()
            new = [player for player in players if player not in known]
            schedule._check(list(dict.fromkeys(player.key for player in (*known, *new))), game.num_players, 1)
            if new:
                # A slip in a spec is told before it stands in the store for good.
                self._check({player.spec for player in new})
                self.store.enter(new)
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
        self.specs = {player.key: player.spec for player in self.store.players()}

    @staticmethod
    def _undo(folder: Path) -> None:
        """Leave nothing of a tournament that did not come about."""
        for name in ("", "-wal", "-shm"):
            (folder / f"{FILE}{name}").unlink(missing_ok=True)
        (folder / "lock").unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._end()
        if isinstance(error, OSError):
            kept = f"; the games that were played are kept in {self.store.folder}, and the same command goes on"
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
        self.game.compile()  # before the others start: they find the machine code
        if self.ray is None:
            self.backend = backend = Processes(self.setup, self.count)
        else:
            from hawaii_env.arena.ray_backend import RayBackend

            self.backend = backend = RayBackend(self.setup, self.ray, self.wanted)
        return backend

    def _check(self, specs: set[str]) -> None:
        """Raise OptionError where an agent says that its spec is wrong."""
        self._start().check(sorted(specs - self.checked))
        self.checked |= specs

    def _ready(self, games: Iterable[ScheduledGame]) -> Backend:
        """Start what plays, check the agents of some games, and warm them up where a clock will run."""
        backend = self._start()
        specs = {self.specs[key] for game in games for key in game.seats}
        self._check(specs)
        if self.setup.seconds is not None:
            specs -= self.warmed
            self.warmed |= specs
            for spec, wrong in backend.warm(sorted(specs)):
                self.store.log(f"{spec}: failed before its first game", wrong)
                self.progress.say(f"{self.title}: {spec} failed before its first game; see faults.log")
        return backend

    def _task(self, game: ScheduledGame, attempt: int) -> Task:
        name = f"{attempt}-{_record_name(game).replace('/', '-')[-60:]}"
        specs = tuple(self.specs[key] for key in game.seats)
        return Task(game, specs, str(self.store.folder / "playing" / name), attempt)

    def _keep(self, played: Played) -> None:
        """Put the record where it stays, and add the game to the store."""
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
        )
        self.store.add(row)
        if played.status != "finished" or played.details:
            what = "forfeits" if played.status == "forfeit" else "void" if played.status == "void" else "plays on"
            who = game.seats[played.forfeit] if played.forfeit is not None else "nobody"
            title = f"{game.pairing} rotation {game.rotation}: {who} {what}: {played.reason}"
            self.store.log(title, f"seats: {', '.join(game.seats)}\nrecord: {record}\n{played.details}")
        self.progress.advance(played)

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
                    # A full disk is no game's fault: the others would fail alike.
                    raise StorageError(played.reason)
                if played.killed:
                    # Killed from outside, perhaps for want of memory: blame a player only if it happens each time.
                    seats = guesses.setdefault(game.key, [])
                    seats.append(played.forfeit)
                    if len(seats) < TRIES or len(set(seats)) > 1:
                        played = _voided(played)
                self._keep(played)
                if played.status == "void":
                    if played.task.attempt + 1 < TRIES:
                        todo.appendleft((game, played.task.attempt + 1))
                        continue
                    void += 1
                    self.progress.say(f"{self.title}: given up after {TRIES} tries: {game.pairing}; {played.reason}")
                else:
                    self.played += 1
                if stop is not None and not over:
                    over = stop(None if played.status == "void" else _row(played), game)
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


def _row(played: Played) -> GameRow:
    game = played.task.game
    return GameRow(
        *(game.pairing, game.rotation, game.round, game.seats, game.seed, played.status, played.end, played.forfeit),
        *(played.reason, played.decisions, played.seconds, None, None, played.verified),
    )


def _processes(processes: int | None) -> int:
    if processes is None:
        with contextlib.suppress(AttributeError):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    return check_count("processes", processes)


def _share_of_memory(processes: int) -> float | None:
    """Return the GiB of memory for a process."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, OSError, ValueError):
        return None
    return max(4.0, total / processes)


def _entries(entries: Iterable[str | Player]) -> list[Player]:
    named = check_list("entries", entries)
    players = [entry if isinstance(entry, Player) else parse_player(entry) for entry in named]
    for key, count in Counter(player.key for player in players).items():
        if count > 1:
            raise OptionError(f"{key!r} was named {count} times; give labels, as in a={key} b={key}")
    return players


@contextlib.contextmanager
def _folder(out: str | os.PathLike[str] | None) -> Any:
    """The store's folder: the one that was named, or one that is gone afterwards."""
    if out is not None:
        yield check_path("out", out).absolute()
        return
    with tempfile.TemporaryDirectory(prefix="hawaii-arena-") as folder:
        yield Path(folder)


def _swiss(run: _Run, pairs: int, rounds: int) -> int:
    """Play rounds; each is drawn from the results of those before, and its draw kept."""
    keys = [player.key for player in run.store.players()]
    void = 0
    for number in range(1, rounds + 1):
        drawn = {round: (pairing, bye, count) for round, pairing, bye, count in run.store.rounds()}
        met: Counter[frozenset[str]] = Counter()
        points: dict[str, float] = defaultdict(float)
        byes: Counter[str] = Counter()
        before: dict[frozenset[str], int] = {}
        scored = {row.key: row for row in run.store.rows()}
        for earlier in range(1, number + (number in drawn)):
            pairing, bye, count = drawn[earlier]
            if bye is not None and earlier < number:
                points[bye] += 1
                byes[bye] += 1
            for pair in pairing:
                both = frozenset(pair)
                first = before.get(both, 0)
                if earlier == number:
                    continue
                met[both] += 1
                before[both] = first + count
                for meeting in _of_pair(pair, first, count, earlier):
                    for game in meeting.games(run.seed):
                        row = scored.get(game.key)
                        if row is not None:
                            for key, share in zip(row.seats, row.end.shares, strict=True):
                                points[key] += share / (2 * count)
        if number not in drawn:
            pairing, bye = schedule.swiss_round(keys, points, met, byes)
            run.store.add_round(number, pairing, bye, pairs)
            count = pairs
        else:
            pairing, bye, count = drawn[number]
        meetings = [
            meeting for pair in pairing for meeting in _of_pair(pair, before.get(frozenset(pair), 0), count, number)
        ]
        meetings.sort(key=lambda meeting: meeting.number)
        void += run.play([game for meeting in meetings for game in meeting.games(run.seed)])
    return void


def _of_pair(pair: tuple[str, str], first: int, count: int, number: int) -> list[Meeting]:
    players = tuple(sorted(pair))
    return [Meeting(players, first + i, number) for i in range(count)]


def run_tournament(
    game: Game,
    entries: Iterable[str | Player],
    *,
    format: str = "round-robin",
    pairs: int = 10,
    rounds: int | None = None,
    meets: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    grace: float = 10.0,
    limit: float = 300.0,
    memory: float | None = None,
    processes: int | None = None,
    out: str | os.PathLike[str] | None = None,
    load: Iterable[str | os.PathLike[str]] = (),
    ray: str | None = None,
    progress: bool = True,
) -> TournamentResult:
    """Play a tournament, or what of it is missing in its folder.

    Processes are spawned: a script that calls this does so under ``if __name__ == "__main__":``.

    Args:
        game: the game; it is sent to the processes by pickle.
        entries: agents as ``"mcts:sims=9"`` or ``"label=mcts:sims=9"``. Those that the folder has already play on
            beside them.
        format: ``"round-robin"``, ``"gauntlet"`` (the first against all others) or ``"swiss"`` (two players only).
        pairs: meetings of each table; of two players, pairs of games with the sides swapped. In a Swiss tournament,
            those of a round.
        rounds: rounds of a Swiss tournament; None is the least that can bring forth a single winner, log2 of the
            players.
        meets: in games of more than two players, as many tables as make every two agents (in a gauntlet, the first and
            every other) sit together this often at least; None is every table that there can be. The draw is kept in
            the folder.
        seed: from which the seeds of all games and agents are made; same agents and seed, same games.
        seconds: the clock for each decision, which agents are told; None for none.
        grace: seconds by which a player may overrun its clock over a whole game before it forfeits.
        limit: seconds for a decision without a clock, and for the making of an agent.
        memory: GiB of memory that a worker process may allocate (on Linux); None is the machine's by the processes, 4
            at least.
        processes: how many; None is the number of cores.
        out: the folder; None uses one that is deleted afterwards.
        load: Python files that register agents.
        ray: address of a Ray cluster, ``"local"`` to start one here, or None for processes of this machine.
        progress: True shows progress on standard error.

    Raises:
        OptionError: unknown agents or options, or a folder that holds a tournament played otherwise.
    """
    check_kind("game", game, Game)
    players = _entries(entries)
    if format not in schedule.FORMATS:
        raise OptionError(f"the format is one of {', '.join(schedule.FORMATS)}; not {format!r}")
    if format == "swiss":
        only_two("a Swiss tournament", game)
    if meets is not None:
        check_count("meets", meets)
        if game.num_players == 2:
            raise OptionError(
                f"meets: is for games of more than two players; in {game.name} pairs says how often two meet"
            )
    check_count("pairs", pairs)
    if rounds is not None:
        check_count("rounds", rounds)
    with (
        _folder(out) as folder,
        _Run(
            *("tournament", game, players, folder),
            seed=seed,
            seconds=seconds,
            grace=grace,
            limit=limit,
            memory=memory,
            processes=processes,
            load=load,
            ray=ray,
            progress=progress,
            kept=out is not None,
        ) as run,
    ):
        keys = [player.key for player in run.store.players()]
        if format == "swiss":
            void = _swiss(run, pairs, rounds or max(1, (len(keys) - 1).bit_length()))
        else:
            if format == "gauntlet":
                # The one who runs it is who was named first now, though others may have been there before.
                keys.sort(key=lambda key: key != players[0].key)
            make = schedule.gauntlet if format == "gauntlet" else schedule.round_robin
            tables = None
            if meets is not None:
                center = keys[0] if format == "gauntlet" else None
                tables = schedule.draw_tables(keys, game.num_players, meets, run.store.tables(), center)
                run.store.keep_tables(tables)
            meetings = make(keys, pairs, game.num_players, tables)
            void = run.play([played for meeting in meetings for played in meeting.games(run.seed)])
        return run.result(void)


def only_two(what: str, game: Game) -> None:
    """Raise OptionError where a game has more players than `what`, as "a match", is for."""
    if game.num_players != 2:
        raise OptionError(
            f"{what} is for games of two players, and {game.name} has {game.num_players}: "
            f"a round robin (hawaii tournament) seats {game.num_players} agents at a table"
        )


def play_match(
    game: Game,
    a: str | Player,
    b: str | Player,
    *,
    pairs: int = 100,
    sprt: Sprt | None = None,
    seed: int = 0,
    seconds: float | None = None,
    grace: float = 10.0,
    limit: float = 300.0,
    memory: float | None = None,
    processes: int | None = None,
    out: str | os.PathLike[str] | None = None,
    load: Iterable[str | os.PathLike[str]] = (),
    ray: str | None = None,
    progress: bool = True,
) -> MatchResult:
    """Play a match between two agents: pairs of games with the sides swapped.

    For games of two players; `run_tournament` seats more.

    With a test, the match ends as soon as the test decides. Pairs are counted in the schedule's order, so the verdict
    does not depend on the number of processes; games that had been begun beyond it stay in the folder and are not part
    of the result.

    Args:
        game: the game, of two players.
        a: the agent whose strength is in question, as for `run_tournament`.
        b: its opponent.
        pairs: meetings at most.
        sprt: a fresh `hawaii_env.arena.ratings.Sprt`.
        seed: as for `run_tournament`, and so are all that follow.
        seconds: the clock.
        grace: overrun of the clock over a game.
        limit: seconds without a clock.
        memory: GiB a process.
        processes: how many.
        out: the folder.
        load: files with bots.
        ray: address of a cluster.
        progress: whether it is shown.

    Raises:
        OptionError: as `run_tournament`; a game of more than two players.
    """
    check_kind("game", game, Game)
    only_two("an SPRT" if sprt is not None else "a match", game)
    players = _entries([a, b])
    keys = [player.key for player in players]
    if sprt is not None and not callable(getattr(sprt, "update", None)):
        raise OptionError(f"sprt: a test as arena.ratings.Sprt is wanted, not {sprt!r}")
    meetings = schedule.round_robin(keys, pairs)
    with (
        _folder(out) as folder,
        _Run(
            *("match", game, players, folder),
            seed=seed,
            seconds=seconds,
            grace=grace,
            limit=limit,
            memory=memory,
            processes=processes,
            load=load,
            ray=ray,
            progress=progress,
            kept=out is not None,
        ) as run,
    ):
        counted = _Counted(keys[0], meetings, sprt)
        void = run.play([played for meeting in meetings for played in meeting.games(run.seed)], counted.add)
        used = meetings if counted.verdict in (None, "continue") else meetings[: counted.next]
        found = run.result(void, [(m.pairing, rotation) for m in used for rotation in range(2)])
        return MatchResult(
            *(found.folder, tuple(players), found.results, found.played, found.void),
            pair_scores=tuple(counted.scores),
            sprt=sprt,
            verdict=counted.verdict,
        )


class _Counted:
    """Counts the pairs of a match in their order, and asks the test."""

    def __init__(self, player: str, meetings: Sequence[Meeting], sprt: Sprt | None) -> None:
        self.player, self.sprt = player, sprt
        self.order = [meeting.pairing for meeting in meetings]
        self.games: dict[str, list[float | None]] = {}
        self.scores: list[float] = []
        self.next = 0
        self.verdict: str | None = None if sprt is None else "continue"

    def add(self, row: GameRow | None, game: ScheduledGame) -> bool:
        """Count a game (None: one that was given up); True when the match is decided."""
        score = None if row is None else row.end.shares[row.seats.index(self.player)]
        self.games.setdefault(game.pairing, []).append(score)
        while self.next < len(self.order):
            scores = self.games.get(self.order[self.next], [])
            if len(scores) < 2:
                return False
            self.next += 1
            whole = [score for score in scores if score is not None]
            if len(whole) < 2:
                continue
            self.scores.append(sum(whole))
            if self.sprt is not None:
                self.verdict = self.sprt.update(self.scores[-1])
                if self.verdict != "continue":
                    return True
        return False
