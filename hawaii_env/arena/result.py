"""Results of games, and the standings that they make, for any number of players."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from hawaii_env.errors import RecordError
from hawaii_env.game import State

__all__ = [
    "By",
    "End",
    "GameResult",
    "Standing",
    "comparisons",
    "counted",
    "order_of",
    "places_of",
    "standings",
]

By: TypeAlias = Literal["shares", "places"]
"""The order of the players of a game: by their shares of the victory, or by their places."""

LEVEL = 1e-9
"""Shares that differ by less are the same."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game.

    Attributes:
        seats: the keys of the players, by seat (0 is the side that moves first in a two-player game).
        shares: share of the victory of each seat: 1 for a win, 0 for a loss, 1/2 each for a tie of two; they sum to 1.
        pairing: key of the games that belong together: one seed, each player once in each seat.
        forfeit: seat that forfeited the game, or None.
        decisions: number of decisions of each seat; empty if they were not counted.
        seconds: time of each seat for its decisions.
        places: each seat's place, 1 the first; level players share the better one. Empty if they follow from the
            shares.
        scores: each seat's points, or None in a game without points, and where a game was forfeited.
    """

    seats: tuple[str, ...]
    shares: tuple[float, ...]
    pairing: str = ""
    forfeit: int | None = None
    decisions: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    places: tuple[int, ...] = ()
    scores: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class End:
    """The end of a game, by seat.

    Attributes:
        shares: of the victory, 1 in all; zeros for a void game.
        places: from 1; empty for a void game.
        scores: points, or None.
    """

    shares: tuple[float, ...]
    places: tuple[int, ...] = ()
    scores: tuple[float, ...] | None = None

    @classmethod
    def of(cls, state: State) -> End:
        """Return the end of a game that was played out."""
        outcome = state.outcome()
        assert outcome is not None
        scores = None if outcome.scores is None else tuple(map(float, outcome.scores))
        return cls(tuple(map(float, outcome.shares)), tuple(map(int, outcome.places)), scores)

    @classmethod
    def forfeited(cls, seats: int, seat: int) -> End:
        """Return the end in which one seat forfeits: it is last with nothing, the others share the first place
        equally.
        """
        shares = tuple(0.0 if i == seat else 1.0 / (seats - 1) for i in range(seats))
        return cls(shares, tuple(seats if i == seat else 1 for i in range(seats)))

    @classmethod
    def void(cls, seats: int) -> End:
        """Return the end of a game that does not count."""
        return cls((0.0,) * seats)


def places_of(shares: tuple[float, ...]) -> tuple[int, ...]:
    """Return the places that follow from shares: more is better, level players share the better place."""
    return tuple(1 + sum(other > share + LEVEL for other in shares) for share in shares)


def counted(result: GameResult) -> GameResult:
    """Return the game as it is counted, with places: a player who forfeits is last with nothing, the others share the
    rest.

    Raises:
        RecordError: fewer than two seats, as many shares, places or scores as seats are not there, a share outside of 0
            to 1, shares that do not sum to 1, places that cannot be, or a forfeit by a seat that is not there.
    """
    seats, shares, places, forfeit = result.seats, result.shares, result.places, result.forfeit
    count = len(seats)
    played = forfeit is None
    for wrong, what in (
        (count < 2, "seats: a rated game needs two players or more"),
        *(
            (len(values) != count, f"{name}: {len(values)} {name} for {count} seats")
            for name, values in (("shares", shares), ("places", places or seats), ("scores", result.scores or seats))
        ),
        (not all(-1e-6 <= share <= 1 + 1e-6 for share in shares), f"shares: {shares} are not all from 0 to 1"),
        (played and abs(sum(shares) - 1.0) > 1e-6, f"shares: {shares} sum to {sum(shares):g}; they must sum to 1"),
        (
            played and any(place != 1 + sum(other < place for other in places) for place in places),
            f"places: {places}; each is 1 and how many are before it",
        ),
        (not played and not 0 <= forfeit < count, f"forfeit: seat {forfeit} is not from 0 to {count - 1}"),
    ):
        if wrong:
            raise RecordError(f"game of {' and '.join(seats) or 'nobody'}: {what}")
    if forfeit is None:
        return replace(result, places=places or places_of(shares))
    rest = sum(shares) - shares[forfeit]
    left = [
        0.0 if i == forfeit else share / rest if rest > LEVEL else 1 / (count - 1) for i, share in enumerate(shares)
    ]
    return replace(result, shares=tuple(left), places=tuple(count if i == forfeit else 1 for i in range(count)))


def order_of(game: GameResult, by: By) -> tuple[int, ...]:
    """Return the places of a game, or those that its shares alone make."""
    return game.places if by == "places" and game.places else places_of(game.shares)


def comparisons(game: GameResult, by: By = "places") -> Iterator[tuple[int, int, float]]:
    """Yield the pairwise results in a game that `counted` returned.

    A result is two seats, the lower first, and 1, 1/2 or 0 for the player in the first of them.

    Two players who are both last are not compared if somebody was before them: a game with one winner gives n - 1
    results. In a forfeited game only the player who forfeited is compared with the others.
    """
    order = order_of(game, by)
    last = max(order)
    for p in range(len(order)):
        for q in range(p + 1, len(order)):
            if game.forfeit is not None:
                if game.forfeit in (p, q):
                    yield p, q, float(game.forfeit == q)
                continue
            if len(order) > 2 and order[p] == order[q] == last > 1:
                continue
            yield p, q, 0.5 if order[p] == order[q] else float(order[p] < order[q])


@dataclass(frozen=True, slots=True)
class Standing:
    """The results of a player; games against itself count in decisions and their time alone.

    Attributes:
        player: its key.
        games: games played.
        score: mean share of the victory, 0 to 1; NaN without games, and so are all means.
        wins: games whose victory was its own.
        ties: games of which it had a share.
        losses: games of which it had none, forfeits included.
        seat_scores: the mean share in each seat.
        seat_games: the games in each seat.
        place: its mean place, from 1.
        places: games in each place, from the first; level players share the better one.
        points: its mean points in the games that have points.
        forfeits: games that it lost by a crash, a timeout or an illegal action.
        decisions: decisions in games whose time was taken; 0 if nobody counted.
        decisions_per_second: those by the time they took.
    """

    player: str
    games: int
    score: float
    wins: int
    ties: int
    losses: int
    seat_scores: tuple[float, ...]
    seat_games: tuple[int, ...]
    place: float
    places: tuple[int, ...]
    points: float
    forfeits: int
    decisions: int
    decisions_per_second: float


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _standing(player: str, sat: Sequence[tuple[int, GameResult]], seats: int) -> Standing:
    """Return the standing of a player who sat in these seats."""
    own = [(seat, game) for seat, game in sat if len(set(game.seats)) > 1]
    shares = [game.shares[seat] for seat, game in own]
    by_seat = [[game.shares[seat] for seat, game in own if seat == one] for one in range(seats)]
    places = [game.places[seat] for seat, game in own]
    timed = [(seat, game) for seat, game in sat if len(game.decisions) == len(game.seconds) == len(game.seats)]
    decisions, seconds = (sum(getattr(game, what)[seat] for seat, game in timed) for what in ("decisions", "seconds"))
    wins, losses = sum(share >= 1 - LEVEL for share in shares), sum(share <= LEVEL for share in shares)
    return Standing(
        player=player,
        games=len(own),
        score=_mean(shares),
        wins=wins,
        ties=len(own) - wins - losses,
        losses=losses,
        seat_scores=tuple(map(_mean, by_seat)),
        seat_games=tuple(map(len, by_seat)),
        place=_mean(places),
        places=tuple(places.count(place + 1) for place in range(seats)),
        points=_mean([game.scores[seat] for seat, game in own if game.scores is not None]),
        forfeits=sum(game.forfeit == seat for seat, game in own),
        decisions=int(decisions),
        decisions_per_second=decisions / seconds if seconds > 0 else math.nan,
    )


def standings(results: Iterable[GameResult], players: Iterable[str] = (), by: By = "shares") -> list[Standing]:
    """Return the players of some games, the best first.

    Args:
        results: games.
        players: players that are listed though they have no game.
        by: the best is who has the greatest mean share of the victory ("shares"), or the least mean place ("places").
    """
    games = [counted(game) for game in results]
    seats = max((len(game.seats) for game in games), default=0)
    sat: dict[str, list[tuple[int, GameResult]]] = {player: [] for player in players}
    for game in games:
        for seat, player in enumerate(game.seats):
            sat.setdefault(player, []).append((seat, game))

    def order(standing: Standing) -> tuple[bool, float, float, str]:
        ends = -standing.score, standing.place
        first, second = ends if by == "shares" else ends[::-1]
        return not standing.games, first, second, standing.player

    return sorted((_standing(player, games, seats) for player, games in sat.items()), key=order)
