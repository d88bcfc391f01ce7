"""Scores of cells from games, and of tracks from cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from hawaii_env.arena.sprt import share_interval
from hawaii_env.arena.store import GameRow
from hawaii_env.benchmark.form import Cell, Estimate, Scores, digest
from hawaii_env.benchmark.suites import Match, Suite

__all__ = ["AGENT", "cell_of", "gaps", "mean_of", "scores_of"]

AGENT = "agent"
"""Key of the measured player."""

LEVEL = 1 - 1e-9
"""The share above which a player is the sole winner."""


def corrected(share: float, players: int) -> float:
    """Convert a share of the victory into a score in which equal players have 1/2, for any number of players.

    The odds of the share by those of an equal, who has 1 / players: with two players the share itself. Each seat is
    taken equally often, so the advantages of seats cancel: an equal's share over all seats is 1 / players, whatever
    it is in each.
    """
    return share * (players - 1) / (share * (players - 1) + 1 - share)


def cell_of(match: Match, rows: Sequence[GameRow]) -> Cell:
    """Return the result of a cell from its games."""
    players = match.game.num_players
    mine = share_interval([row.result() for row in rows], AGENT)
    ends = [round(end, 6) for end in (mine.low, mine.high)]
    games = [
        [row.pairing, row.rotation, list(row.seats), row.seed, row.status, list(row.end.shares), row.digest]
        for row in rows
    ]
    return Cell(
        scenario=match.scenario.name,
        opponent=match.opponent.name,
        agents=[match.focal, match.other],
        held_out=match.opponent.held_out,
        scored=match.opponent.scored,
        games=mine.games,
        forfeits=mine.forfeits,
        opponent_forfeits=sum(row.forfeit is not None for row in rows) - mine.forfeits,
        shared=sum(max(row.end.shares) < LEVEL and row.forfeit is None for row in rows),
        share=round(mine.share, 6),
        interval=ends,
        by_seat=[round(share, 6) for share in mine.by_seat],
        score=round(corrected(mine.share, players), 6),
        score_interval=[round(corrected(end, players), 6) for end in ends],
        decisions=mine.decisions,
        seconds=round(mine.seconds, 3),
        processor_seconds=round(sum(row.processor for row in rows), 3),
        records=digest(games),
    )


def mean_of(cells: Iterable[Cell]) -> Estimate | None:
    """Return the mean of the cells' scores; None without cells.

    Cells are independent, so each end of the interval is as far from the mean as the root of the summed squares of the
    cells' own distances, by the number of cells.
    """
    found = list(cells)
    if not found:
        return None
    mean = sum(cell.score for cell in found) / len(found)
    far = [math.hypot(*(cell.score_interval[end] - cell.score for cell in found)) / len(found) for end in (0, 1)]
    low, high = max(0.0, mean - far[0]), min(1.0, mean + far[1])
    return Estimate(value=round(mean, 6), interval=[round(low, 6), round(high, 6)])


def gaps(suite: Suite, cells: Sequence[Cell]) -> dict[str, tuple[float, float, float]]:
    """Return how many points of 100 each cell's score is below that of the scenario `Suite.gap_to` against the same
    opponent, with the 95% interval, by the cell's name; empty if the suite compares none.
    """
    base = {cell.opponent: cell for cell in cells if cell.scenario == suite.gap_to}
    found: dict[str, tuple[float, float, float]] = {}
    for cell in cells:
        if cell.scenario != suite.gap_to and cell.opponent in base:
            of = base[cell.opponent]
            (low, high), (least, most) = cell.score_interval, of.score_interval
            gap = of.score - cell.score
            less, more = math.hypot(of.score - least, high - cell.score), math.hypot(most - of.score, cell.score - low)
            found[f"{cell.scenario}/{cell.opponent}"] = 100 * gap, 100 * (gap - less), 100 * (gap + more)
    return found


def scores_of(cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the scores of a track, as fields of `Scores`."""
    scored = [cell for cell in cells if cell.scored]
    parts = {
        "all": scored,
        "public": [cell for cell in scored if not cell.held_out],
        "held_out": [cell for cell in scored if cell.held_out],
        "decisiveness": [cell for cell in cells if not cell.scored],
    }
    return Scores(**{name: mean_of(part) for name, part in parts.items()}).model_dump()  # pyright: ignore[reportArgumentType]
