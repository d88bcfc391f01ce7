"""Schedules: meetings, their games and their seeds, for games of two players and of more.

A *meeting* seats as many players as the game has, at one seed, once in each rotation of the seats: for two players a
pair of games with the sides swapped and the same cards. Everything here is a function of its arguments, so a schedule
made again is the same schedule, whoever plays it and in whatever order.
"""

from __future__ import annotations

import hashlib
import importlib
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.texts import show_value

__all__ = ["FORMATS", "Meeting", "ScheduledGame", "game_of", "gauntlet", "round_robin", "swiss_round"]

FORMATS = ("round-robin", "gauntlet", "swiss")
"""Names of the formats for `run_tournament`."""

MAX_MEETINGS = 1_000_000
"""Most meetings of a tournament, whose schedule is made before the first game."""


def _digest(*parts: object) -> int:
    return int.from_bytes(
        hashlib.sha256("\0".join(map(str, ("hawaii_env.arena", *parts))).encode()).digest()[:8], "big"
    )


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """One game of a meeting.

    Attributes:
        pairing: the meeting's key.
        rotation: which rotation of the seats, from 0.
        round: the round of the tournament; 0 if the format has no rounds.
        seats: keys of the players by seat.
        seed: seed of the dice and cards, below 2**53; one for all games of the meeting.
        seeds: seeds of the agents by seat, below 2**31; of a player in one game.
    """

    pairing: str
    rotation: int
    round: int
    seats: tuple[str, ...]
    seed: int
    seeds: tuple[int, ...]

    @property
    def key(self) -> tuple[str, int]:
        """Return what distinguishes the game from any other of its store."""
        return self.pairing, self.rotation


@dataclass(frozen=True, slots=True)
class Meeting:
    """Players who meet once in each rotation of the seats.

    Attributes:
        players: their keys, sorted, so that the same players make the same meeting.
        number: how often these players have met before, from 0.
        round: the round of the tournament; 0 if the format has no rounds.
    """

    players: tuple[str, ...]
    number: int
    round: int = 0

    @property
    def pairing(self) -> str:
        """The meeting's key, as ``"mcts:sims=100 | random #7"``."""
        return f"{' | '.join(self.players)} #{self.number}"

    def games(self, seed: int) -> list[ScheduledGame]:
        """Return the meeting's games, one a rotation.

        Args:
            seed: the tournament's seed, from which all others are made.
        """
        cards = _digest(seed, "cards", self.pairing) >> 11
        order = _seating(self.players, self.number)
        games: list[ScheduledGame] = []
        for rotation in range(len(self.players)):
            seats = order[rotation:] + order[:rotation]
            seeds = tuple(_digest(seed, "agent", self.pairing, rotation, key) >> 33 for key in seats)
            games.append(ScheduledGame(self.pairing, rotation, self.round, seats, cards, seeds))
        return games


def game_of(games: Sequence[Game], pairing: str) -> Game:
    """Return the game of a meeting, by its key: the meetings of some players take the games in turn."""
    return games[int(pairing.rpartition("#")[2]) % len(games)] if len(games) > 1 else games[0]


def _seating(players: tuple[str, ...], number: int) -> tuple[str, ...]:
    """Return the order around the table in which these players meet for the `number`-th time.

    All orders come in turn, those of the same neighbours (rotations) as one, so that over (n - 1)! meetings everybody
    has sat before everybody else as often. Each table begins with another one, so that neighbours do not follow from
    names where tables meet seldom. Two players have one order.
    """
    first, rest = players[0], players[1:]
    order: list[str] = []
    remaining = list(rest)
    orders = math.factorial(len(rest))
    number = (number + _digest("order", *players) % orders) % orders
    for left in range(len(rest), 0, -1):
        index, number = divmod(number, math.factorial(left - 1))
        order.append(remaining.pop(index))
    return (first, *order)


def _meetings(tables: Iterable[Sequence[str]], pairs: int) -> list[Meeting]:
    sorted_tables = [tuple(sorted(table)) for table in tables]
    met: Counter[tuple[str, ...]] = Counter()
    meetings: list[Meeting] = []
    _check_many(len(sorted_tables), pairs)
    # Table by table, so that a tournament that is not over yet has every meeting about as often.
    for table in sorted_tables * pairs:
        meetings.append(Meeting(table, met[table]))
        met[table] += 1
    return meetings


def check_players(players: Sequence[str], seats: int) -> None:
    """Raise OptionError for a player who is named twice, and for fewer players than seats."""
    for key, count in Counter(players).items():
        if count > 1:
            raise OptionError(f"players: all must be different, and {show_value(key)} was named {count} times")
    if len(players) < seats:
        raise OptionError(
            f"{seats} agents sit at a table; {len(players)} were named (one agent can play several times: a=random "
            "b=random)"
        )


def _check_many(tables: int, pairs: int) -> None:
    meetings = tables * pairs
    if meetings > MAX_MEETINGS:
        raise OptionError(f"pairs: {meetings:,} meetings are too many; at most {MAX_MEETINGS:,} are possible")


def draw_tables(
    players: Sequence[str],
    seats: int,
    meets: int,
    drawn: Sequence[Sequence[str]] = (),
    center: str | None = None,
) -> list[tuple[str, ...]]:
    """Draw tables at which every two players sit together `meets` times at least, and as few more as is easily found.

    For fields that are too big for all tables.

    Args:
        players: keys, all different.
        seats: players of the game.
        meets: how often.
        drawn: tables that were drawn before, which stay as they are.
        center: a player who is to meet all others; whether these meet does not matter. None is everybody.

    Returns:
        `drawn`, and what is missing.

    Raises:
        OptionError: fewer players than seats.
    """
    check_players(players, seats)
    tables = [tuple(table) for table in drawn]
    met = Counter(frozenset(pair) for table in tables for pair in itertools.combinations(table, 2))
    sat = Counter(player for table in tables for player in table)

    def missing(a: str, b: str) -> int:
        return max(0, meets - met[frozenset((a, b))]) if center is None or center in (a, b) else 0

    while True:
        lacks = {a: sum(missing(a, b) for b in players if b != a) for a in players}
        if not any(lacks.values()):
            return tables
        # Who lacks most sits down first, then who lacks most of those who sit there already; else who has sat least.
        table = [center or max(players, key=lambda player: (lacks[player], -sat[player]))]
        while len(table) < seats:
            rest = [player for player in players if player not in table]
            table.append(
                max(
                    rest,
                    key=lambda player: (
                        sum(missing(player, there) for there in table),
                        -sum(met[frozenset((player, there))] for there in table),
                        lacks[player],
                        -sat[player],
                    ),
                )
            )
        tables.append(tuple(sorted(table)))
        met.update(frozenset(pair) for pair in itertools.combinations(table, 2))
        sat.update(table)


def round_robin(
    players: Sequence[str], pairs: int, seats: int = 2, tables: Sequence[Sequence[str]] | None = None
) -> list[Meeting]:
    """Return the meetings in which every table of `seats` different players meets `pairs` times.

    Args:
        players: keys, all different.
        pairs: meetings of each table, 1 or more; each is `seats` games.
        seats: players of the game. n players make n! / (seats! (n - seats)!) tables.
        tables: those that `draw_tables` gave; None is all tables.

    Raises:
        OptionError: fewer players than seats, or no pairs.
    """
    check_players(players, seats)
    if tables is None:
        _check_many(math.comb(len(players), seats), pairs)
    return _meetings(itertools.combinations(players, seats) if tables is None else tables, pairs)


def gauntlet(
    players: Sequence[str], pairs: int, seats: int = 2, tables: Sequence[Sequence[str]] | None = None
) -> list[Meeting]:
    """Return the meetings of the first player with all others; in games of more players it sits at every table.

    Args and errors as for `round_robin`; of `tables` those are left out at which the first player does not sit.
    """
    check_players(players, seats)
    if tables is not None:
        return _meetings((table for table in tables if players[0] in table), pairs)
    _check_many(math.comb(len(players) - 1, seats - 1), pairs)
    return _meetings(((players[0], *others) for others in itertools.combinations(players[1:], seats - 1)), pairs)


def swiss_round(
    players: Sequence[str],
    points: Mapping[str, float],
    met: Mapping[frozenset[str], int],
    byes: Mapping[str, int] | None = None,
) -> tuple[list[tuple[str, str]], str | None]:
    """Draw a round of a Swiss tournament for a game of two players.

    Players are ranked by points (ties in their given order), and paired with who is near: the squares of the ranks
    between the two of each pair sum to the least that there is. networkx finds the matching. As few meetings as can be
    are repeated, and as few as can be a second time. With an odd number of players the lowest of those who have been
    left out least often is left out, unless only another's leaving avoids a repetition.

    Args:
        players: keys, in the order that decides between equal points; at least two.
        points: points so far; who is missing has none.
        met: how often two players have met.
        byes: how often a player was left out.

    Returns:
        The pairs, the highest first, and who is left out, or None.
    """
    check_players(players, 2)
    order = sorted(players, key=lambda player: (-points.get(player, 0.0), players.index(player)))
    count = len(order)
    # What is worse stands in a higher unit than all that is less bad together: how far the two of a pair are from each
    # other, how high who is left out stands, pairs that meet again, those that meet a third time and so on, who is left
    # out again.
    near = count**3
    again = near * (count + 1)
    most = max(met.values(), default=0)
    graph = _networkx().Graph()
    for (i, a), (j, b) in itertools.combinations(enumerate(order), 2):
        times = met.get(frozenset((a, b)), 0)
        graph.add_edge(i, j, weight=(j - i) ** 2 + (again * count**times if times else 0))
    if count % 2:
        for i, player in enumerate(order):
            left_out = again * count ** (most + 1) * (byes or {}).get(player, 0)
            graph.add_edge(i, count, weight=near * (count - i) + left_out)  # `count` is nobody
    pairs: list[tuple[str, str]] = []
    out: str | None = None
    for i, j in sorted(sorted(pair) for pair in _networkx().min_weight_matching(graph)):
        if j == count:
            out = order[i]
        else:
            pairs.append((order[i], order[j]))
    return pairs, out


def _networkx() -> Any:
    try:
        return importlib.import_module("networkx")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"a Swiss tournament needs networkx: pip install 'hawaii-env[arena]' ({error})", name=error.name
        ) from error
