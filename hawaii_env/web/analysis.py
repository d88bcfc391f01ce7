"""Long-running analyses of a game, run in processes of their own: advice on a position, the value curve of a game, its
replay page.

Each analysis takes and returns plain data, so that it can run in another process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hawaii_env import records
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import Game, State
from hawaii_env.replay.page import replay_page
from hawaii_env.replay.values import Valuer, make_valuer
from hawaii_env.web.steps import start_of
from hawaii_env.web.store import event_of
from hawaii_env.web.strings import guide_of

__all__ = ["ANALYSES", "Analysis", "analysis"]


@dataclass(frozen=True)
class Analysis:
    """A request for an analysis.

    Attributes:
        what: one of `ANALYSES`.
        game: name of the game.
        params: parameters that the game is made with.
        data: input of the analysis; see its function.
    """

    what: str
    game: str
    params: dict[str, Any]
    data: dict[str, Any] = field(repr=False)


def _valuer(game: Game, values: list[str]) -> Valuer | None:
    """Return the first valuer of a list that works, or None."""
    for value in values:
        try:
            found = make_valuer(value, game)
            if found is not None:
                # Weights that do not fit raise an error at the first position.
                found.values(game.initial_state(chance="explicit"))
                return found
        except (HawaiiError, ImportError):
            continue
    return None


def _advice(game: Game, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return advice on the position ``state`` for ``player``; it is empty if the game has no guide."""
    guide = guide_of(game)
    if guide is None:
        return {"sections": [], "warnings": {}}
    return guide.advice(game.state_from_json(data["state"]).for_search(data["player"]), data["player"])


def _curve(game: Game, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expected score of each player after each event of a game.

    The first of ``values`` that works evaluates the positions; ``start`` and ``events`` are in the stored format.

    Returns:
        ``label``, the name of the valuer, or None if none works; ``points``, each the number of events followed by the
        players' scores from 0 to 1.
    """
    valuer = _valuer(game, data["values"])
    points: list[list[float]] = []
    if valuer is None:
        return {"label": None, "points": points}

    def add_value(n: int, state: State) -> None:
        if state.is_terminal:
            values = state.returns()
        elif state.current_player < 0:
            return
        else:
            values = valuer.values(state.for_search())
        if values is not None:
            points.append(
                [
                    n,
                    *(
                        round((float(value) - game.min_return) / (game.max_return - game.min_return), 4)
                        for value in values
                    ),
                ]
            )

    follower = records.Follower(game, start_of(game, data["start"]))
    add_value(0, follower.state)
    for n, (_, state) in enumerate(follower.feed([event_of(line) for line in data["events"]]), 1):
        # Forced decisions are valued with the position after the last of them.
        if n == len(state.trace or ()):
            add_value(n, state)
    return {"label": valuer.label, "points": points}


def _replay(game: Game, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the replay page of a ``record`` as ``html``, with the curve of the first of ``values`` that works."""
    with tempfile.TemporaryDirectory(prefix="hawaii-") as folder:
        page = Path(folder) / "game.html"
        valuer = _valuer(game, data["values"])
        replay_page(records.parse(data["record"]), page, value="none" if valuer is None else valuer, game=game)
        return {"html": page.read_text(encoding="utf-8")}


ANALYSES: Mapping[str, Callable[[Game, Mapping[str, Any]], dict[str, Any]]] = {
    "advice": _advice, "curve": _curve, "replay": _replay,
}  # fmt: skip


def analysis(game: Game, asked: Analysis) -> dict[str, Any]:
    """Run an analysis.

    Raises:
        OptionError: no analysis has that name.
    """
    if asked.what not in ANALYSES:
        raise OptionError(f"unknown analysis {asked.what!r}; choose from: {', '.join(ANALYSES)}")
    return ANALYSES[asked.what](game, asked.data)
