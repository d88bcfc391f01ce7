"""Every door to a player, and pairs of positions that differ only in what that player may not know.

For tests of games that hide something: `check` finds no difference where there is none to be found.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Collection, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from hawaii_env import make_batch
from hawaii_env.bots import protocol
from hawaii_env.env.aec import GameEnv
from hawaii_env.env.parallel import ParallelGameEnv
from hawaii_env.errors import HawaiiError
from hawaii_env.game import CHANCE, Decision, Game, State
from hawaii_env.records import visible
from hawaii_env.render.picture import render_svg
from hawaii_env.render.text import render_text

Door = Callable[[State, int], Any]


def _aec(state: State, player: int) -> Any:
    env = GameEnv(state.game)
    env.reset(seed=1, options={"state": state, "texts": True})
    agent = state.game.agents[player]
    look, info = env.observe(agent), env.infos[agent]
    return [look["observation"].tolist(), look["action_mask"].tolist(), *map(repr, info.values()), repr(env)]


def _parallel(state: State, player: int) -> Any:
    env = ParallelGameEnv(state.game)
    looks, infos = env.reset(seed=1, options={"state": state})
    agent = state.game.agents[player]
    return [looks[agent]["observation"].tolist(), looks[agent]["action_mask"].tolist(), repr(infos[agent])]


def _lanes(state: State, player: int) -> Any:
    if state.current_player != player:
        return None
    batch = make_batch([state.game], 1)
    batch.reset(seed=1)
    batch.set_state(0, state.clone(seed=1))
    shown = [batch.observations[0].tolist(), batch.masks[0].tolist()]
    batch.close()
    return shown


def _bot(state: State, player: int) -> Any:
    if state.current_player != player:
        return None
    copy = state.for_search(player)
    return protocol.decide(1, copy, player, copy.legal_actions(player), ["view", "observation", "state"])


def _open_spiel(state: State, player: int) -> Any:
    from hawaii_env.integrations.openspiel import OpenSpielObserver, pyspiel

    class Shown:
        position, begun = state, None

        def history_str(self) -> str:
            return repr(state.trace)

    kinds = (None, pyspiel.IIGObservationType(perfect_recall=True))
    shown: Any = Shown()
    return [OpenSpielObserver(state.game, kind).string_from(shown, player) for kind in kinds]


@cache
def _page(name: str) -> Any:
    from hawaii_env.web import Settings
    from hawaii_env.web.service import Service
    from hawaii_env.web.snapshots import Snapshots

    return Snapshots(Service(Settings(game=name, workers=0)))


def _table(state: State, player: int) -> Any:
    """A table on the server where the player is a person, and the others are agents; None where nobody knows how the
    game went.
    """
    from hawaii_env.web.strings import strings_of, turns_of
    from hawaii_env.web.table import Table
    from hawaii_env.web.visibility import Seen

    if not state.trace:
        return None
    seats: list[dict[str, str | None]] = [{"kind": "agent", "agent": "random"} for _ in state.game.agents]
    seats[player] = {"kind": "human", "agent": None}
    data = {"game": state.game.name, "seats": seats, "dice": "server", "start": None, **state.game.params}
    table = Table(state.game, data, whole=turns_of(strings_of(state.game)) is not None)
    table.seen[player,] = Seen(0, ())
    mine = [isinstance(event, Decision) and event.player == player for event in state.trace]
    table.feed([(event, "me" if own else "") for event, own in zip(state.trace, mine, strict=True)])
    table.version = len(table.steps)
    return table


def _snapshot(state: State, player: int) -> Any:
    table = _table(state, player)
    return None if table is None else _page(state.game.name).shown("game", table, [player], "me")


def _moments(state: State, player: int) -> Any:
    table, page = _table(state, player), _page(state.game.name)
    if table is None:
        return None
    count = page.shown("game", table, [player], "me")["count"]
    return [page.moment_of(table, [player], n) for n in (0, count // 2, max(0, count - 1), count)]


def _record(state: State, player: int) -> Any:
    from hawaii_env.web.visibility import Visibility

    table = _table(state, player)
    return None if table is None else _page(state.game.name).record_of(table, Visibility(table, [player]).events())


DOORS: dict[str, Door] = {
    "observation": lambda s, p: s.observation(p).tolist(),
    "raw observation": lambda s, p: s.observation(p, raw=True).tolist(),
    "mask": lambda s, p: s.legal_mask(None, p).tolist(),
    "view": lambda s, p: s.view(p),
    "JSON": lambda s, p: s.to_json(player=p),
    "search copy": lambda s, p: s.for_search(p).to_json(secrets=True),
    "resample": lambda s, p: s.resample(p, seed=5).to_json(secrets=True),
    "text": lambda s, p: render_text(s, p),
    "picture": lambda s, p: render_svg(s, player=p),
    "phase": lambda s, p: (s.known_phase(p), s.known_turn(p), s.is_terminal, s.returns(), s.outcome()),
    "repr": lambda s, p: repr(s),
    "events": lambda s, p: visible(s.trace or [], s, p),
    "AEC environment": _aec,
    "parallel environment": _parallel,
    "batch": _lanes,
    "bot protocol": _bot,
    **({"OpenSpiel": _open_spiel} if find_spec("pyspiel") else {}),
    "page": _snapshot,
    "page's moments": _moments,
    "record of a running game": _record,
}
"""What a player is shown of a position, by the name of the door."""


def pairs(game: Game, seed: int, start: State | None = None) -> Iterator[tuple[State, State, int]]:
    """Yield pairs of positions of a random game, from its beginning or from a position on, and the player to whom they
    are one; entries of a sealed turn and hidden things differ.
    """
    choose = random.Random(seed)
    state = game.initial_state(seed=seed, trace=True) if start is None else start.clone(seed=seed)
    while not state.is_terminal:
        player = choose.randrange(game.num_players)
        if state.sealed_turn is None:
            state.apply(choose.choice(state.legal_actions()))
            continue
        other = state.clone()
        other.trace = None if state.trace is None else list(state.trace)
        turn = state.sealed_turn
        own = random.Random(choose.random())
        entered: list[int] = []
        # Both enter alike what is the player's, and each for itself what is the others', up to a point.
        stop = choose.randrange(game.num_players + 1)
        for one, rolls in ((state, random.Random(choose.random())), (other, random.Random(choose.random()))):
            mine = iter(entered.copy())
            while one.sealed_turn == turn and one.current_player < stop and not one.is_terminal:
                if one.current_player != player:
                    one.apply(rolls.choice(one.legal_actions()))
                    continue
                action = next(mine, None)
                if action is None:
                    action = own.choice(one.legal_actions())
                    entered.append(action)
                one.apply(action)
        if state.sealed_turn == other.sealed_turn == turn:
            yield state, other, player
        # On with the first; hidden things drawn anew make pairs too.
        if game.information == "imperfect" and not state.is_terminal and state.current_player != CHANCE:
            drawn = state.resample(player, seed=choose.getrandbits(30))
            if drawn.current_player == state.for_search(player).current_player:
                yield state.for_search(player), drawn, player
        while state.sealed_turn == turn and not state.is_terminal:
            state.apply(choose.choice(state.legal_actions()))


def check(one: State, other: State, player: int, doors: Collection[str] = tuple(DOORS)) -> None:
    """Find no difference between two positions at any door to `player`, or at some doors.

    Raises:
        AssertionError: a door shows one; the message names it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for name in doors:
            door = DOORS[name]
            try:
                shown, also = door(one, player), door(other, player)
            except HawaiiError as error:
                raise AssertionError(f"door {name!r}: {error}") from error
            if json.dumps(shown, default=repr) != json.dumps(also, default=repr):
                raise AssertionError(
                    f"door {name!r} shows player {player} a difference: {shown!r:.300} / {also!r:.300}"
                )


def differ(one: State, other: State) -> bool:
    """True when the positions are two, to who may know everything."""
    return one.explicit().to_json(secrets=True) != other.explicit().to_json(secrets=True)
