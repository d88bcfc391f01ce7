"""Nobody learns by any door what they may not know; and the test of that finds each of the leaks planted here."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from typing import Any

import pytest
from leaks import DOORS, check, differ, pairs
from refusals import refuses
from toy import LAGOON as SPEC
from toy import LagoonGame, LagoonState

from hawaii_env import games
from hawaii_env.game import Event

pytest.importorskip("fastapi")
pytest.importorskip("limits")

from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.table import Table
from hawaii_env.web.visibility import Visibility

PAGE = ("page", "page's moments", "record of a running game")


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "_registered", {})
    games.register(SPEC)


def found(seeds: range, doors: Collection[str] = tuple(DOORS)) -> tuple[int, int]:
    """Check pairs of positions; return how many there were, and how many differed in something hidden."""
    count = hidden = 0
    for seed in seeds:
        for one, other, player in pairs(LagoonGame(rounds=2), seed):
            check(one, other, player, doors)
            count += 1
            hidden += differ(one, other)
    return count, hidden


def test_no_method_shows_what_a_player_may_not_know() -> None:
    count, hidden = found(range(8))
    assert count >= 16 and hidden > count / 2


def deals() -> list[Any]:
    """Two games in which others than the first were dealt other cards, with everything that happened in their
    traces.
    """
    made = []
    for dealt in ([1, 2, 3] * 4, [1, 2, 3, *[4, 5, 6] * 3]):
        state = LagoonGame(rounds=1).initial_state(chance="explicit", trace=True)
        for outcome in (*dealt, 5):
            state.apply_chance(outcome)
        made.append(state)
    return made


def test_no_access_shows_a_card_dealt_to_another() -> None:
    one, other = deals()
    assert differ(one, other)
    check(one, other, 0)
    refuses(AssertionError, ("door", lambda: check(one, other, 1)))


def others(state: LagoonState, player: int) -> int:
    """A number that depends on what others hold and have entered."""
    return sum((seat + 1) * card for seat in range(4) if seat != player for card in state.hands[seat]) + 7 * sum(
        sum(state.entered[seat]) for seat in range(4) if seat != player
    )


def leak_observation(state: LagoonState, player: int, out: Any = None, raw: bool = False) -> Any:
    vector = CLEAN["observation"](state, player, out, raw)
    vector[-1] += others(state, player) % 7
    return vector


def leak_legal_actions(state: LagoonState, player: int | None = None) -> list[int]:
    legal = CLEAN["legal_actions"](state, player)
    return legal[: len(legal) - others(state, state.queue[0]) % 2] if len(legal) > 2 else legal


def leak_view(state: LagoonState, player: int | None = None) -> Any:
    who = state.current_player if player is None else player
    view = CLEAN["view"](state, player)
    return dataclasses.replace(view, seen=(*view.seen[:5], others(state, who)))


def leak_to_json(state: LagoonState, secrets: bool = False, player: int | None = None) -> str:
    return CLEAN["to_json"](state, True if not secrets and len(state.queue) < 4 else secrets, player)


def leak_for_search(state: LagoonState, player: int | None = None) -> LagoonState:
    return state.explicit()


def leak_resample(state: LagoonState, player: int | None = None, seed: int | None = None) -> LagoonState:
    return state.explicit()


def leak_phase(state: LagoonState) -> str:
    return f"orders{others(state, state.queue[0]) % 5}" if state._phase == "orders" else state._phase


def leak_returns(state: LagoonState) -> list[float]:
    return [others(state, seat) / 1e6 for seat in range(4)]


def leak_may_see(state: LagoonState, event: Event, player: int) -> bool:
    return True


def leak_repr(state: LagoonState) -> str:
    return f"<lagoon: {state.hands}>"


CLEAN: dict[str, Callable[..., Any]] = {
    name: getattr(LagoonState, name) for name in ("observation", "legal_actions", "view", "to_json")
}
LEAKS: dict[str, Any] = {
    "observation": leak_observation,
    "legal_actions": leak_legal_actions,
    "view": leak_view,
    "to_json": leak_to_json,
    "for_search": leak_for_search,
    "resample": leak_resample,
    "phase": property(leak_phase),
    "returns": leak_returns,
    "may_see": leak_may_see,
    "__repr__": leak_repr,
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LagoonState, name, LEAKS[name])
    refuses(AssertionError, ("door", lambda: found(range(8))))


@pytest.mark.parametrize("name", ["legal_actions", "view", "phase", "may_see"])
def test_a_planted_leak_is_seen_on_the_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LagoonState, name, LEAKS[name])
    refuses(AssertionError, ("door", lambda: found(range(8), PAGE)))


@pytest.mark.parametrize(
    ("where", "name", "leak"),
    [
        (Visibility, "version", property(lambda visibility: visibility.table.version)),
        (Visibility, "lines", lambda visibility: visibility.table.log.lines),
        (Snapshots, "record_of", lambda page, table, known, whole=Snapshots.record_of: whole(page, table)),
        (Table, "undo_turn", lambda table, session: len(table.steps)),
    ],
)
def test_a_leak_of_the_page_itself_is_found(where: type, name: str, leak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def everywhere() -> None:
        check(deals()[0], deals()[1], 0, PAGE)
        found(range(8), PAGE)

    everywhere()
    monkeypatch.setattr(where, name, leak)
    refuses(AssertionError, (r"door '(page|page's moments|record of a running game)'", lambda: everywhere()))


def test_every_access_is_tested() -> None:
    assert len(LEAKS) == 10
    assert {"observation", "mask", "view", "JSON", "search copy", "bot protocol", "text", "events", *PAGE} <= set(DOORS)
