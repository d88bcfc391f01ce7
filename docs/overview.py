"""Figures of README and of the page of data sets: from specs, committed results and samples of games. Templates call
these functions by their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from measured import cell_interval, ladders, read

from hawaii_env import benchmark, games
from hawaii_env.games import GameSpec

PEER = "backgammon_quick"
"""The measure of another library that speeds stand beside, in its form that is the fastest there."""

FEW = 40
"""Matches of fewer games stand in no table of README: their intervals are half of the scale."""


def matches(spec: GameSpec) -> list[dict[str, Any]]:
    """Return the measured matches of a game, those of its ladders for two among them: options, agent, against, games,
    share, interval. Of two that are alike the one of more games stands.
    """
    found: dict[str, dict[str, Any]] = {}
    for one in [*read(f"{spec.name}-strength.json")["matches"], *pairs_of(spec.name)]:
        key = repr((one["options"], one["agent"], one["against"]))
        if key not in found or one["games"] > found[key]["games"]:
            found[key] = one
    return list(found.values())


def pairs_of(game: str) -> Iterator[dict[str, Any]]:
    """Yield the pairs of a game's ladders for two players as `matches` returns them."""
    for one in (one for one in ladders(game) if len(one["seats"]) == 2):
        for cell in one["ratings"]["cross"]:
            share, *interval = cell_interval(cell)
            agent, against = (one["agents"][cell[key]] for key in ("player", "other"))
            yield {
                "options": one["options"], "agent": agent, "against": against, "games": cell["games"],
                "share": share, "interval": interval,
            }  # fmt: skip


def against_thumb(spec: GameSpec) -> dict[str, list[dict[str, Any]]]:
    """Return the matches of `FEW` games or more against a game's rule of thumb by the kind of game, the default one
    first.
    """
    thumb = next(one.agent for one in benchmark.load_suite(spec.name).opponent if one.name == "rule-of-thumb")
    kinds: dict[str, list[dict[str, Any]]] = {str(spec.options[0].default): []}
    for one in matches(spec):
        if one["against"] == thumb and thumb not in one["agent"] and one["games"] >= FEW:
            kinds.setdefault(str(next(iter(one["options"].values()))), []).append(one)
    option = spec.options[0].name
    default, *rest = kinds
    seats = {kind: spec.make(**{option: kinds[kind][0]["options"][option]}).num_players for kind in rest}
    return {kind: kinds[kind] for kind in (default, *sorted(rest, key=lambda kind: (seats[kind], kind)))}


def best_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the match with the greatest lower bound of the share: a few lucky games do not lead."""
    return max(found, key=lambda one: one["interval"][0])


def players_of(spec: GameSpec) -> list[int]:
    """Return the numbers of players of a game, ascending."""
    first = spec.options[0]
    values = first.choices or spec.code("values", first.values)()
    return sorted({spec.make(**{first.name: value}).num_players for value in values})


def speed_of(spec: GameSpec) -> str:
    """Return how many decisions per second a batch makes on one core, and how many times the peer's."""
    measures = read("bench.json")["measures"]
    name = f"{spec.name.partition('_')[0]}_batch" if spec.name != games.DEFAULT else "batch"
    if name not in measures:
        return "not measured"
    ours, other = measures[name]["median"], measures[PEER]["median"]
    return f"{ours / 1e6:.1f} million, {ours / other:.0f} x"
