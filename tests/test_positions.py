"""Positions of all installed games have one shape: views, JSON, text, and what is refused."""

from __future__ import annotations

import dataclasses
import json
import pickle
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each

from hawaii_env import games
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.errors import StateError
from hawaii_env.game import SPECTATOR, State
from hawaii_env.positions import Reader, View, plain
from hawaii_env.render.text import render_text

GAMES = games.list_games()


def states(name: str, every: int = 9) -> Iterator[State]:
    """Positions of a random game, its end among them."""
    state, choose = games.load_game(name).initial_state(seed=7), random.Random(7)
    for step in range(400):
        if step % every == 0 or state.is_terminal:
            yield state
        if state.is_terminal:
            return
        state.apply(choose.choice(state.legal_actions()))


@pytest.mark.parametrize("name", GAMES)
def test_a_view_is_a_position(name: str) -> None:
    """A frozen dataclass whose fields, through JSON, are the keywords of the same position."""
    for state in states(name):
        view: Any = state.view()
        game = state.game
        assert isinstance(view, View) and dataclasses.is_dataclass(view)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(view, "phase", "other")  # noqa: B010
        fields = view.to_dict()
        assert list(fields) == [field.name for field in dataclasses.fields(view)]
        again = game.position(**json.loads(json.dumps(fields)))
        assert again.view() == view and again.chance == "explicit"
        fields.clear()
        assert view.to_dict() == again.view().to_dict() != {}


@pytest.mark.parametrize("name", GAMES)
def test_json_names_game_ruleset_and_options(name: str) -> None:
    """Beside the view's fields; the generator is in what is written with secrets alone, which goes on alike."""
    for state in states(name):
        game = state.game
        options = {key: value for key, value in game.params.items() if key != "rules"}
        head = {"game": name, "ruleset": game.ruleset_hash, "options": options}
        shown, whole = json.loads(state.to_json()), json.loads(state.to_json(secrets=True))
        assert shown == {**head, **state.view().to_dict()}
        assert set(shown) | {"generator"} <= set(whole) and len(whole["generator"]) == 8
        again = game.state_from_json(state.to_json(secrets=True))
        assert again.to_json(secrets=True) == state.to_json(secrets=True) and again.chance == "sampled"
        assert game.state_from_json(state.to_json()).chance == "explicit"


@pytest.mark.parametrize("name", GAMES)
def test_what_is_no_position_of_a_game(name: str) -> None:
    """No text, no JSON, a foreign head, a field that is not known, a generator that is none: the message names it."""
    game = games.load_game(name)
    whole = json.loads(game.initial_state(seed=1).to_json(secrets=True))

    def read(**changes: Any) -> State:
        return game.state_from_json(json.dumps({**whole, **changes}))

    refuses(
        StateError,
        ("^state: not JSON", lambda: game.state_from_json("{")),
        ("^state: expected a table", lambda: game.state_from_json("[]")),
        ("^state: game is missing", lambda: game.state_from_json("{}")),
        ("^state: game: this game's is", lambda: read(game="chess")),
        ("^state: ruleset: this game's is", lambda: read(ruleset="0" * 64)),
        ("^state: options: this game's is", lambda: read(options={})),
        ("^state: generator: expected 8 whole numbers", lambda: read(generator=[1, 2])),
        (r"fields: expected one of .*, not 'phaze'; did you mean phase\?", lambda: read(phaze=1)),
        ("phase: expected one of .*, not 'nap'", lambda: read(phase="nap")),
        ("phase: expected one of", lambda: read(phase=None)),
    )
    no_text: tuple[Any, ...] = (None, 3, {"format": "x"}, b"\xff\xfe\x00", "[" * 100_000)
    refuses_each(StateError, "", game.state_from_json, no_text)


@pytest.mark.parametrize("name", GAMES)
def test_text_of_a_state(name: str) -> None:
    """`str` gives the board, `repr` a line."""
    for state in states(name, 40):
        assert str(state) == render_text(state) and str(state).count("\n") > 5
        assert repr(state).startswith(f"<{name}: ") and "\n" not in repr(state)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("traced", [False, True])
def test_no_altered_pickle_loads_as_another_state(name: str, traced: bool) -> None:
    """A bit flipped anywhere behind the game: position, generators, trace."""
    draw = random.Random(name)
    game: Any = games.load_game(name)
    state: Any = game.initial_state(seed=3, trace=traced)
    for _ in range(15):
        state.apply(draw.choice(state.legal_actions()))
    data = pickle.dumps(state)
    refused = 0
    for _ in range(150):
        at = draw.randrange(data.index(b'{"game"'), len(data))
        try:
            found = pickle.loads(data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :])
        except Exception:
            refused += 1
        else:
            if not isinstance(found, type(state)):  # an opcode of pickle itself was altered
                refused += 1
                continue
            assert found.to_json(secrets=True) == state.to_json(secrets=True) and found.trace == state.trace
    assert refused > 100
    if traced:
        return
    again, (_, whole, _) = state.__reduce__()
    refuses_each(StateError, "bytes|altered", lambda wrong: again(game, wrong, None), (whole[:-1], b"", None, 3, "x"))
    # The checksum made to fit: it is read as any position is.
    text = verify_checksum(whole).decode()
    assert again(game, whole, None).to_json(secrets=True) == text
    refuses(
        StateError,
        ("trace", lambda: again(game, whole, 3)),
        (
            "phase: expected one of",
            lambda: again(game, add_checksum(text.replace('"phase":"', '"phase":"x').encode()), None),
        ),
    )


def test_a_reader_takes_each_field_once() -> None:
    reader = Reader({"a": 1, "b": {"c": True, "d": None}, "e": ["x", "y"], "f": None, "g": [1, 2]}, "it: ")
    inner = reader.table("b", names=("c", "d"))
    assert (reader.whole("a", 0, 1), reader.picks("e", "xyz"), reader.given("f")) == (1, [0, 1], False)
    assert (inner.flag("c"), inner.pick("d", "xyz", None), inner.keys_left()) == (True, -1, [])
    assert reader.wholes("g", 2, 0, 2) == [1, 2] and reader.items("h") == [] and reader.rest() == {}
    reader.end()
    refuses(
        StateError,
        ("it: a is missing", lambda: reader.take("a")),
        ("it: b: c is missing", lambda: inner.flag("c")),
        ("it: i: expected a whole number from 0 to 9, not True", lambda: Reader({"i": True}, "it: ").whole("i", 0, 9)),
        ("it: i: expected true or false, not 1", lambda: Reader({"i": 1}, "it: ").flag("i")),
        ("it: i: expected a list, not 'xy'", lambda: Reader({"i": "xy"}, "it: ").picks("i", "xyz")),
        ("it: i: expected one of left, right, not 'lift'; did you mean", lambda: Reader({"i": "lift"}, "it: ").pick(
            "i", ("left", "right"))),
        ("it: i: expected a table, not 3", lambda: Reader({"i": 3}, "it: ").table("i")),
        ("^position: expected a table, not 3", lambda: Reader(3)),
    )  # fmt: skip


def test_plain_values_share_nothing() -> None:
    given = {"a": (1, [2, {"b": None}])}
    found = plain(given)
    assert found == {"a": [1, [2, {"b": None}]]}
    found["a"][1].clear()
    assert given == {"a": (1, [2, {"b": None}])}


def _told(state: State, secrets: bool, player: int | None) -> str:
    """Return the text of a position without the generator and the count of decisions of `hawaii1795`."""
    fields = json.loads((state.explicit() if secrets else state).to_json(secrets, player))
    if state.game.name == "hawaii1795":
        assert ("decisions" in fields) == secrets  # which count, and tell no player anything
        fields.pop("decisions", None)
    return json.dumps(fields)


KEYED = [
    *((name, {}) for name in GAMES),
    ("aloha", {"players": 4}),
    ("heiau", {"scenario": "two_haoles", "assignment": "random", "last_year": 2}),
]


@pytest.mark.parametrize(("name", "options"), KEYED)
def test_equal_keys_are_equal_texts(name: str, options: dict[str, Any]) -> None:
    """For everything, for each player and for who only looks on; also of the same position read from its text, and of
    what follows from a position that was read some decisions ago: what a text leaves out, matters to nothing.
    """
    game = games.load_game(name, **options)
    texts: dict[Any, str] = {}
    keys: dict[Any, Any] = {}
    for seed in range(2):
        state, choose = game.initial_state(seed=seed), random.Random(seed)
        follower = state
        for step in range(80):
            again = game.state_from_json(state.explicit().to_json(secrets=True))
            assert again == state and hash(again) == hash(state) and again is not state
            who = SPECTATOR if step % 3 else step % game.num_players
            for secrets, player in ((True, None), (False, who)):
                for one in (state, again):
                    key = secrets, player, one.key(secrets, player)
                    text = secrets, player, _told(one, secrets, player)
                    assert texts.setdefault(key, text[2]) == text[2]
                    assert keys.setdefault(text, key) == key
            if state.is_terminal:
                break
            if step % 8 == 0:
                follower = game.state_from_json(state.to_json(secrets=True))
            before, action = state.clone(), choose.choice(state.legal_actions())
            state.apply(action)
            follower.apply(action)
            assert follower == state and follower.legal_actions() == state.legal_actions()
            assert np.array_equal(follower.observation(0, raw=True), state.observation(0, raw=True))
            assert state != before and state != "another thing"
    assert len(texts) == len(keys) > 100
