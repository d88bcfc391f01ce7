"""Who meets whom: meetings, their games and their seeds, for games of two players and of more.

A *meeting* seats as many players as the game has, at one seed, once in each rotation of the seats: for two players a pair of
games with the sides swapped and the same cards. Everything here is a function of its arguments, so a schedule made again is the
same schedule, whoever plays it and in whatever order.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hawaii_env._arguments import check_count, check_list, check_text
from hawaii_env.errors import OptionError

__all__ = ["FORMATS", "Meeting", "ScheduledGame", "gauntlet", "round_robin", "swiss_round"]

FORMATS = ("round-robin", "gauntlet", "swiss")
"""The names of the formats, as `run_tournament` takes them."""

_SEARCH = 100_000  # steps of one search for a Swiss round


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
        round: the round of the tournament; 0 where there are none.
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
        """What tells the game from any other of its store."""
        return self.pairing, self.rotation


@dataclass(frozen=True, slots=True)
class Meeting:
    """Players who meet once in each rotation of the seats.

    Attributes:
        players: their keys, sorted, so that the same players make the same meeting.
        number: how often these players have met before, from 0.
        round: the round of the tournament; 0 where there are none.
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
        games: list[ScheduledGame] = []
        for rotation in range(len(self.players)):
            seats = self.players[rotation:] + self.players[:rotation]
            seeds = tuple(_digest(seed, "agent", self.pairing, rotation, key) >> 33 for key in seats)
            games.append(ScheduledGame(self.pairing, rotation, self.round, seats, cards, seeds))
        return games


def _meetings(tables: Iterable[Sequence[str]], pairs: int) -> list[Meeting]:
    sorted_tables = [tuple(sorted(table)) for table in tables]
    # Number by number, so that a tournament that is not over yet has every meeting about as often.
    return [Meeting(table, number) for number in range(pairs) for table in sorted_tables]


def _check(players: Sequence[str], seats: int, pairs: int) -> None:
    check_count("pairs", pairs)
    check_count("seats", seats, least=2)
    for key, count in Counter(check_text("players", player) for player in check_list("players", players)).items():
        if count > 1:
            raise OptionError(f"players: all must be different, and {key!r} was named {count} times")
    if len(players) < seats:
        raise OptionError(
            f"{seats} agents sit at a table; {len(players)} were named (one spec can play several times: a=random b=random)"
        )


def round_robin(players: Sequence[str], pairs: int, seats: int = 2) -> list[Meeting]:
    """Every table of `seats` different players meets `pairs` times: for two players, everybody meets everybody.

    Args:
        players: keys, all different.
        pairs: meetings of each table, 1 or more; each is `seats` games.
        seats: players of the game. n players make n! / (seats! (n - seats)!) tables.

    Raises:
        OptionError: fewer players than seats, or no pairs.
    """
    _check(players, seats, pairs)
    return _meetings(itertools.combinations(players, seats), pairs)


def gauntlet(players: Sequence[str], pairs: int, seats: int = 2) -> list[Meeting]:
    """The first player meets all the others; in games of more players it sits at every table.

    Args and errors as for `round_robin`.
    """
    _check(players, seats, pairs)
    return _meetings(((players[0], *others) for others in itertools.combinations(players[1:], seats - 1)), pairs)


class _Steps(Exception):
    """A search has taken too many steps."""


def _match(
    order: Sequence[str], met: Mapping[frozenset[str], int], level: int, repeats: int, narrow: bool
) -> list[tuple[str, str]] | None:
    """Pair all players of `order`; None where that cannot be.

    Nobody meets whom they have met more than `level` times, and at most `repeats` pairs have met that often (of level 0, any
    number). The highest player is paired first, with the nearest that goes; with `narrow` the one with the fewest opponents left.
    """
    steps = 0
    count = {a: {b: met.get(frozenset((a, b)), 0) for b in order if b != a} for a in order}

    def search(rest: tuple[str, ...], allowed: int) -> list[tuple[str, str]] | None:
        nonlocal steps
        steps += 1
        if steps > _SEARCH:
            raise _Steps
        if not rest:
            return []
        most = level if allowed or not level else level - 1
        free = {a: sum(1 for b in rest if a != b and count[a][b] <= most) for a in rest}
        if not all(free.values()):
            return None
        first = min(rest, key=lambda player: free[player]) if narrow else rest[0]
        near = rest.index(first)
        # Whom they have met least comes first, and then the nearest.
        others = sorted(
            (b for b in rest if b != first and count[first][b] <= most),
            key=lambda b: (count[first][b], abs(rest.index(b) - near)),
        )
        for other in others:
            again = int(level > 0 and count[first][other] == level)
            found = search(tuple(p for p in rest if p not in (first, other)), allowed - again)
            if found is not None:
                return [(first, other), *found]
        return None

    return search(tuple(order), repeats)


def _pair(order: Sequence[str], met: Mapping[frozenset[str], int]) -> tuple[int, int, list[tuple[str, str]]]:
    """Return how often some pair has met already (as few as was found), how many pairs have, and the pairs."""
    for level in range(max(met.values(), default=0) + 1):
        for repeats in range(1, len(order) // 2 + 1) if level else (0,):
            for narrow in (False, True):
                try:
                    found = _match(order, met, level, repeats, narrow)
                except _Steps:
                    continue
                if found is not None:
                    return level, repeats, found
                break
    raise AssertionError("players who may all meet can be paired")


def swiss_round(
    players: Sequence[str],
    points: Mapping[str, float],
    met: Mapping[frozenset[str], int],
    byes: Mapping[str, int] | None = None,
) -> tuple[list[tuple[str, str]], str | None]:
    """Draw a round of a Swiss tournament for a game of two players.

    Players are ranked by points (ties in their given order), and paired from the top with the nearest whom they have not met.
    No meeting is repeated where that can be avoided, and none a second time before all could be once; for big fields in their
    last rounds the search is cut off after 200,000 steps, and might repeat one that a longer search would not. With an odd number of players the lowest of those
    who have been left out least often is left out, unless only another's leaving avoids a repetition.

    Args:
        players: keys, in the order that decides between equal points; at least two.
        points: points so far; who is missing has none.
        met: how often two players have met.
        byes: how often a player was left out.

    Returns:
        The pairs, the highest first, and who is left out, or None.
    """
    _check(players, 2, 1)
    order = sorted(players, key=lambda player: (-points.get(player, 0.0), players.index(player)))
    if len(order) % 2 == 0:
        return _pair(order, met)[2], None
    before = byes or {}
    best: tuple[int, int, list[tuple[str, str]], str] | None = None
    for out in sorted(order, key=lambda player: (before.get(player, 0), -order.index(player))):
        if best is not None and before.get(out, 0) > before.get(best[3], 0):
            break  # a second bye is worse than a second meeting
        level, repeats, pairs = _pair([player for player in order if player != out], met)
        if best is None or (level, repeats) < best[:2]:
            best = level, repeats, pairs, out
        if not level:
            break
    assert best is not None
    return best[2], best[3]
