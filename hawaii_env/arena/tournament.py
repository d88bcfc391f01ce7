"""Matches and tournaments: play the scheduled games that the store lacks."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from hawaii_env._arguments import check_count, check_path
from hawaii_env.arena import schedule
from hawaii_env.arena.run import Run, Settings, TournamentResult
from hawaii_env.arena.schedule import Meeting, ScheduledGame
from hawaii_env.arena.store import GameRow, Player, parse_player
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.texts import show_value

if TYPE_CHECKING:
    from hawaii_env.arena.ratings import Sprt

__all__ = ["MatchResult", "play_match", "run_tournament"]


@dataclass(frozen=True)
class MatchResult(TournamentResult):
    """The result of a match.

    Attributes:
        pair_scores: what the first player scored over each whole pair, in the schedule's order.
        sprt: the test, or None.
        verdict: ``"H0"``, ``"H1"`` or ``"continue"`` of the test; None without one.
    """

    pair_scores: tuple[float, ...] = ()
    sprt: Any = None
    verdict: str | None = None


def _entries(entries: Iterable[str | Player]) -> list[Player]:
    players = [entry if isinstance(entry, Player) else parse_player(entry) for entry in entries]
    for key, count in Counter(player.key for player in players).items():
        if count > 1:
            raise OptionError(f"{show_value(key)} was named {count} times; give labels, as in a={key} b={key}")
    return players


@contextlib.contextmanager
def _begin(
    title: str, game: Game, players: Sequence[Player], out: str | os.PathLike[str] | None, settings: Settings
) -> Iterator[Run]:
    """Start a run in the given folder, or in a temporary one."""
    with contextlib.ExitStack() as stack:
        kept = out is not None
        folder = out if kept else stack.enter_context(tempfile.TemporaryDirectory(prefix="hawaii-arena-"))
        yield stack.enter_context(Run(title, (game,), players, check_path("out", folder).absolute(), kept, **settings))


def _swiss(run: Run, pairs: int, rounds: int) -> int:
    """Play rounds; each is drawn from the results of the previous ones, and its draw is stored."""
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
    out: str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> TournamentResult:
    """Play a tournament, or the games that its folder lacks.

    Processes are spawned: a script must call this under ``if __name__ == "__main__":``.

    Args:
        game: the game; it is pickled for the processes.
        entries: agents as ``"mcts:sims=9"`` or ``"label=mcts:sims=9"``. They join those that are already in the folder.
        format: ``"round-robin"``, ``"gauntlet"`` (the first against all others) or ``"swiss"`` (two players only).
        pairs: meetings of each table; of two players, pairs of games with the sides swapped. In a Swiss tournament,
            those of a round.
        rounds: rounds of a Swiss tournament; None is the least that can bring forth a single winner, log2 of the
            players.
        meets: in games of more than two players, as many tables as make every two agents (in a gauntlet, the first and
            every other) sit together this often at least; None is every table that there can be. The draw is kept in
            the folder.
        out: the folder; None uses a temporary one.
        settings: settings of the games; see `Settings`.

    Raises:
        OptionError: unknown agents or options, or a folder that holds a tournament played otherwise.
    """
    check_count("pairs", pairs)
    for name, number in (("rounds", rounds), ("meets", meets)):
        if number is not None:
            check_count(name, number)
    players = _entries(entries)
    if format not in schedule.FORMATS:
        raise OptionError(f"the format is one of {', '.join(schedule.FORMATS)}; not {format!r}")
    if format == "gauntlet" and not players:
        raise OptionError("agents: a gauntlet is one agent, named first, against all others; none is named")
    if format == "swiss":
        only_two("a Swiss tournament", game)
    if meets is not None and game.num_players == 2:
        raise OptionError(f"meets: is for games of more than two players; in {game.name} pairs says how often two meet")
    with _begin("tournament", game, players, out, settings) as run:
        keys = [player.key for player in run.store.players()]
        if format == "swiss":
            return run.result(_swiss(run, pairs, rounds or max(1, (len(keys) - 1).bit_length())))
        if format == "gauntlet":
            # The player named first in this call runs the gauntlet, even if others joined earlier.
            keys.sort(key=lambda key: key != players[0].key)
        make = schedule.gauntlet if format == "gauntlet" else schedule.round_robin
        tables = None
        if meets is not None:
            center = keys[0] if format == "gauntlet" else None
            tables = schedule.draw_tables(keys, game.num_players, meets, run.store.tables(), center)
            run.store.keep_tables(tables)
        meetings = make(keys, pairs, game.num_players, tables)
        return run.result(run.play([played for meeting in meetings for played in meeting.games(run.seed)]))


def only_two(what: str, game: Game) -> None:
    """Raise OptionError if a game has more players than `what`, as "a match", is for."""
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
    out: str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> MatchResult:
    """Play a match between two agents: pairs of games with the sides swapped.

    For games of two players; `run_tournament` seats more.

    With a test, the match ends once the test decides. Pairs are counted in the schedule's order, so the verdict does
    not depend on the number of processes. Games that were started beyond it stay in the folder, but are not part of the
    result.

    Args:
        game: the game, of two players.
        a: the agent to be tested, as for `run_tournament`.
        b: its opponent.
        pairs: largest number of pairs.
        sprt: a fresh `hawaii_env.arena.ratings.Sprt`.
        out: the folder, as for `run_tournament`.
        settings: settings of the games; see `Settings`.

    Raises:
        OptionError: as `run_tournament`; a game of more than two players.
    """
    only_two("an SPRT" if sprt is not None else "a match", game)
    check_count("pairs", pairs)
    players = _entries([a, b])
    keys = [player.key for player in players]
    meetings = schedule.round_robin(keys, pairs)
    with _begin("match", game, players, out, settings) as run:
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
    """Counts the pairs of a match in order, and updates the test."""

    def __init__(self, player: str, meetings: Sequence[Meeting], sprt: Sprt | None) -> None:
        self.player, self.sprt = player, sprt
        self.order = [meeting.pairing for meeting in meetings]
        self.games: dict[str, list[float | None]] = {}
        self.scores: list[float] = []
        self.next = 0
        self.verdict: str | None = None if sprt is None else "continue"

    def add(self, row: GameRow | None, game: ScheduledGame) -> bool:
        """Count a game, or None for one that was given up; return True if the match is decided."""
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
