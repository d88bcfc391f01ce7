"""Pickles of states and batches: they go on as they were, and what was altered is refused."""

from __future__ import annotations

import pickle
import random
from typing import Any, cast

import numpy as np
import pytest
from refusals import refuses, refuses_each

from hawaii_env import make_batch
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.errors import StateError
from hawaii_env.game import CHANCE
from hawaii_env.heiau import Game
from hawaii_env.heiau.rules.state import STATE


def played(scenario: str, decisions: int, seed: int, **options: Any) -> Any:
    """A state after random decisions."""
    state, choose = Game(scenario=scenario, **options).initial_state(seed=seed), random.Random(seed)
    for _ in range(decisions):
        if not state.is_terminal:
            state.apply(choose.choice(state.legal_actions()))
    return state


def parts(state: Any) -> tuple[Any, Any, Any]:
    """What makes the state of a pickle again, what it is given, the state's interpreted record."""
    again, given = state.__reduce__()
    return again, given, STATE.read(np.frombuffer(verify_checksum(given[1]), np.int64).tolist())


def pack(record: Any) -> bytes:
    words = record if isinstance(record, list) else STATE.words(record)
    return add_checksum(np.array(words, np.int64).tobytes())


@pytest.mark.parametrize("scenario", ["race", "haole", "two_haoles"])
def test_every_position_of_a_game_goes_through(scenario: str) -> None:
    """[Calendar, Haole, Two Haoles] Ballots, hidden starts, orders half entered, retreats, winters, the end; search
    copies, too.
    """
    state, phases = played(scenario, 0, 4, last_year=2), set[str]()
    choose = random.Random(4)
    for step in range(10_000):
        phases.add(state.phase)
        if step % 5 == 0 or state.phase not in phases or state.is_terminal:
            copies = [state] if state.is_terminal else [state, state.for_search()]
            for one in copies:
                again = pickle.loads(pickle.dumps(one))
                assert again.to_json(secrets=True) == one.to_json(secrets=True)
                assert again.current_player == one.current_player
                if again.current_player >= 0:
                    assert again.legal_actions() == one.legal_actions()
        if state.is_terminal:
            break
        assert state.current_player != CHANCE
        state.apply(choose.choice(state.legal_actions()))
    assert phases >= ({"orders", "adjustments", "over"} if scenario == "race" else {"ballot", "orders", "over"})


def test_an_explicit_chance_node_goes_through() -> None:
    """[R-24] Before powers are drawn there is neither a unit nor anybody to ask."""
    state = Game(scenario="wings", assignment="random").initial_state(chance="explicit")
    assert pickle.loads(pickle.dumps(state)).chance_outcomes() == state.chance_outcomes()


def test_altered_bytes_are_refused() -> None:
    state = played("haole", 30, 1)
    again, (game, data, *rest), _ = parts(state)
    choose = random.Random(1)
    refuses_each(
        StateError,
        "altered",
        lambda at: again(game, data[:at] + bytes([data[at] ^ (1 << choose.randrange(8))]) + data[at + 1 :], *rest),
        (*range(0, len(data), 211), len(data) - 1),
    )
    refuses_each(
        StateError, "bytes", lambda wrong: again(game, wrong, *rest), (data[:-1], data + b"0", b"", None, 3, "x")
    )
    refuses(StateError, ("trace", lambda: again(game, data, *rest[:1], 3)))


@pytest.mark.parametrize(
    ("scenario", "decisions"),
    [
        ("haole", 3),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("haole", 40), ("race", 61), ("race", 9999))),
    ],
)
def test_numbers_that_cannot_be_are_refused(scenario: str, decisions: int) -> None:
    """With a checksum that fits: refused, or a position that can be looked at and played on."""
    state = played(scenario, decisions, 1, last_year=3)
    again, (game, _, *rest), record = parts(state)
    words, choose, refused, kept = STATE.words(record), random.Random(decisions), 0, 0
    listed = STATE._span("legal", words)[0]  # what may be entered is listed anew
    for at in choose.sample(range(listed), 60) + list(range(0, 100, 3)):
        for value in (-3, 2**40, choose.randrange(50)):
            changed = [*words[:at], value, *words[at + 1 :]]
            try:
                found = again(game, pack(changed), *rest)
            except StateError:
                refused += 1
                continue
            kept += 1
            found.observation(0)
            found.view()
            for _ in range(3):
                if not found.is_terminal and found.current_player >= 0:
                    found.apply(choose.choice(found.legal_actions()))
    assert refused > 2 * kept > 0


WRONG: dict[str, tuple[str, int]] = {
    "kind": ("hilo: unit", 2), "owner": ("hilo: owner", 5), "post": (r"hilo: post \[Post\]", 1),
    "out_kind": ("hilo: out_unit", 1), "contested": ("dislodged or contested", 1), "verb": ("order", 3),
    "retreat": ("retreat or step", 99), "last_aided": ("contested, success", 9),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_the_message_names_the_space_and_what_is_wrong(name: str) -> None:
    """[Map, Post] In Hilo, where nobody stands."""
    state = Game().initial_state(seed=1)
    again, (game, _, *rest), record = parts(state)
    message, value = WRONG[name]
    getattr(record, name)[game.options.board.index["hilo"]] = value
    refuses(StateError, (f"pickle: .*{message}", lambda: again(game, pack(record), *rest)))


def test_a_second_fleet_and_an_order_that_is_not_possible() -> None:
    """[Fleets, Boats] Numbers that are in range are held against the scenario and the board."""
    state = Game(scenario="haole").position(
        setup="heart", ballots=dict.fromkeys(("dawn", "morning", "afternoon", "dusk", "haole"), "heart"), year=2,
        units={"haole": ["F spo"], "dawn": ["B puna", "A hilo"]},
    )  # fmt: skip
    again, (game, _, *rest), record = parts(state)
    board = game.options.board
    puna, hilo = (board.index[name] for name in ("puna", "hilo"))
    fleet = record.copy()
    fleet.kind[puna], fleet.power[puna] = 2, game.powers.index("haole")
    refuses(StateError, (r"fleets of haole \[Fleets\]", lambda: again(game, pack(fleet), *rest)))
    record.verb[hilo], record.source[hilo], record.target[hilo] = 1, -1, board.place_index["niihau"]
    refuses(StateError, ("hilo: entered order", lambda: again(game, pack(record), *rest)))
    record.generator[3] = 1 << 32
    refuses(StateError, (r"hilo|32 bits", lambda: again(game, pack(record), *rest)))


def test_a_batchs_pickle_is_checked_environment_by_environment() -> None:
    batch = make_batch("heiau", 2, scenario="duel")
    batch.reset(seed=1)
    values = cast(Any, batch.lanes).__getstate__()
    backend = type(batch.lanes).__new__(type(batch.lanes))
    cast(Any, backend).__setstate__(values)
    assert np.array_equal(cast(Any, backend)._table.states, cast(Any, batch.lanes)._table.states)
    values["words"][0] = [1, 2, 3, -4]
    refuses(StateError, ("environment 0: a generator", lambda: cast(Any, backend).__setstate__(values)))
