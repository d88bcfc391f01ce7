"""What the rules read: a map, and a game's options and action table, as arrays of whole numbers.

Any map will do, of any size. A game's tables are one buffer, int64[...]: a head that tells the sizes, then the arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env._jit import rule

from .board import ARMY, BUNCH, FLEET, Board
from .forms import Form

__all__ = ["COAST", "GAME", "INLAND", "MAX_POWERS", "PARTS", "SEA", "Tables", "board_tables", "plain_tables", "tables_of"]

MAX_POWERS = 6
"""Powers that a scenario can have."""
FAMILIES = 15
PARTS = 35
"""Parts of an observation."""

SEA, COAST, INLAND = range(3)
"""Kinds of space."""

GAME = Form(
    "PlainGame",
    (
        # sizes
        ("spaces", 1),
        ("places", 1),
        ("powers", 1),
        ("actions", 1),
        ("size", 1),  # of an observation
        # options
        ("victory", 1),  # heiaus that win
        ("last_year", 1),
        ("posts_win", 1),
        ("scoring", 1),  # an index of `ending.SCORINGS`
        ("ballot", 1),  # 1: the powers vote for a start
        ("late", 1),  # 1: powers are assigned after the ballots
        ("random_powers", 1),  # 1: chance says who plays which power
        ("scenario", 1),  # its number in the ruleset
        ("european", MAX_POWERS),  # by power
        ("first", FAMILIES),  # the first action of each kind, for kinds whose values are places or spaces in table order
        # observations
        ("coast_marks", 1),  # numbers a space with several coasts has for them
        ("part", PARTS),  # where each part begins
    ),
)
SPACE = Form(
    "PlainSpace",
    (
        ("kind", 1),
        ("ocean", 1),
        ("heiau", 1),
        ("bare", 1),  # its place without a coast
        ("first", 1),  # the first place where a bunch or fleet can stand: a coast, or the space itself
        ("last", 1),  # the last
        ("convoy", 1),  # actions about it, -1 where there is none
        ("build", 1),
        ("remove", 1),
    ),
)
PLACE = Form(
    "PlainPlace",
    (
        ("space", 1),
        ("mark", 1),  # where its coast is told in an observation, -1 where it is none
        ("via", 1),  # actions about it, -1 where there is none
        ("boats", 1),
    ),
)
START = Form("PlainStart", (("kind", 1), ("power", 1), ("place", 1)))
STEP = Form("PlainStep", (("kind", 1), ("value", 1)))


class Tables(NamedTuple):
    """A game's tables, as rules read them.

    Attributes:
        game: one record of `GAME`, ``game[0]``: compiled functions cannot return a bare one in a tuple.
        map: by space.
        places: by place.
        water: ``[place * places + other]``, 1 where fleets go.
        ways: ``[kind * places + place]``: where in `moves` the places begin that such a unit reaches by itself, in
            table order; they end where the next begin.
        moves: those places.
        reach: ``[(kind * places + place) * spaces + space]``, 1 for the spaces of those places.
        inland: ``[place * spaces + space]``, 1 where a bunch goes by land alone [Boats 3].
        starts: ``[(setup + 1) * spaces + space]``: the units at the start, kind -1 for none; setup -1 without a ballot.
        steps: by action, what it means: its kind, and its space, place, mark or choice.
    """

    game: Any
    map: Any
    places: Any
    water: Any
    ways: Any
    moves: Any
    reach: Any
    inland: Any
    starts: Any
    steps: Any


def _lengths(game: Any, ways: int) -> tuple[int, ...]:
    """How many numbers each array has, in the order of `Tables`; `ways` is the last of those."""
    return (
        game.spaces * SPACE.words,
        game.places * PLACE.words,
        game.places * game.places,
        3 * game.places + 1,
        ways,
        3 * game.places * game.spaces,
        game.places * game.spaces,
        3 * game.spaces * START.words,
        game.actions * STEP.words,
    )


GAME_TYPE, SPACE_TYPE, PLACE_TYPE, START_TYPE, STEP_TYPE = (form.dtype for form in (GAME, SPACE, PLACE, START, STEP))
GAME_WORDS, SPACE_WORDS, PLACE_WORDS = GAME.words, SPACE.words, PLACE.words
START_WORDS, STEP_WORDS = START.words, STEP.words


def _tables_in(buffer: Any) -> Any:
    games = buffer[:GAME_WORDS].view(GAME_TYPE)
    n, p = games[0].spaces, games[0].places
    a = GAME_WORDS
    b = a + n * SPACE_WORDS
    c = b + p * PLACE_WORDS
    d = c + p * p
    e = d + 3 * p + 1
    f = e + buffer[e - 1]
    g = f + 3 * p * n
    h = g + p * n
    i = h + 3 * n * START_WORDS
    j = i + games[0].actions * STEP_WORDS
    return Tables(
        games,
        buffer[a:b].view(SPACE_TYPE),
        buffer[b:c].view(PLACE_TYPE),
        buffer[c:d],
        buffer[d:e],
        buffer[e:f],
        buffer[f:g],
        buffer[g:h],
        buffer[h:i].view(START_TYPE),
        buffer[i:j].view(STEP_TYPE),
    )


@rule(compiled=_tables_in)
def tables_of(buffer: Any) -> Any:
    """The tables behind a door's argument."""
    return buffer


def plain_tables(buffer: NDArray[np.int64]) -> Tables:
    """Return the tables as the plain mode has them."""
    words: list[int] = buffer.tolist()
    game = GAME.read(words[: GAME.words])
    at, found = GAME.words, list[Any]()
    ways = at + game.spaces * SPACE.words + game.places * PLACE.words + game.places**2 + 3 * game.places
    for n in _lengths(game, words[ways]):
        found.append(words[at : at + n])
        at += n
    for index, form in ((0, SPACE), (1, PLACE), (7, START), (8, STEP)):
        found[index] = form.read_all(found[index])
    return Tables([game], *found)


def board_tables(board: Board) -> NDArray[np.int64]:
    """Return the tables of a map without a game, as a buffer: what the adjudicator needs."""
    return buffer_of(board, dict(spaces=len(board.spaces), places=len(board.places)), {}, {}, [], [])


def buffer_of(
    board: Board,
    game: dict[str, Any],
    of_space: dict[str, list[int]],
    of_place: dict[str, list[int]],
    starts: list[tuple[int, int, int]],
    steps: list[tuple[int, int]],
) -> NDArray[np.int64]:
    """Return a game's tables as a buffer.

    Args:
        board: the map.
        game: fields of `GAME`; others are 0.
        of_space, of_place: actions and marks by space and by place; others are -1.
        starts: as `Tables` has them; none for a map without a game.
        steps: what each action means.
    """
    n, p = len(board.spaces), len(board.places)
    words: list[int] = []
    for name, length in GAME.fields:
        value = game.get(name, 0)
        words += [int(value)] if length == 1 else [*map(int, value or []), *[0] * (length - len(value or []))]
    for s in range(n):
        stands = board.standing(s)
        kind = ("sea", "coast", "inland").index(board.kind[s])
        words += [kind, board.oceans >> s & 1, board.heiaus >> s & 1, board.bare[s], stands[0], stands[-1]]
        words += [of_space[name][s] if name in of_space else -1 for name in ("convoy", "build", "remove")]
    for q in range(p):
        words += [board.space_of[q], *(of_place[m][q] if m in of_place else -1 for m in ("mark", "via", "boats"))]
    words += [board.water[q] >> r & 1 for q in range(p) for r in range(p)]
    ways, moves = [0], list[int]()
    for kind in (ARMY, BUNCH, FLEET):
        for q in range(p):
            moves += board.moves[kind][q]
            ways.append(len(moves))
    words += ways
    words += moves
    words += [board.reach[kind][q] >> s & 1 for kind in (ARMY, BUNCH, FLEET) for q in range(p) for s in range(n)]
    words += [board.inland[q] >> s & 1 for q in range(p) for s in range(n)]
    for start in starts or [(-1, -1, -1)] * (3 * n):
        words += start
    for step in steps:
        words += step
    return np.array(words, np.int64)
