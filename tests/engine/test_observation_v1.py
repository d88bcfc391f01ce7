"""The second edition of the observation: its layout, from 0 to 1, complete, as the observer sees it."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

import numpy as np
import pytest

from hawaii_env import agents, hawaii1795_v0, hawaii1795_v1
from hawaii_env.env.vector import make_batch
from hawaii_env.errors import OptionError
from hawaii_env.game import State
from hawaii_env.hawaii1795 import Game, core
from hawaii_env.hawaii1795 import observation_v1 as v1
from hawaii_env.hawaii1795.positions.view import FOLLOWING
from hawaii_env.hawaii1795.rules import names
from hawaii_env.records import verify

from .helpers import by_phase, nodes

LAYOUT_HASH = "090121baa477e3c00987181951edb4020227f91062dbc7d5ae08bcef4d902210"
TEMPLATE_HASH = "d83e7cbd4ce3042c0621eff25088d40578e7cfaa644ee0f6a0ced242ca911240"
V1 = Game(observation="v1")
SHORT = Game("short", observation="v1")
ASSAULT = Game(sea_victor="assault", final_check=True, observation="v1")
GAMES = (V1, SHORT, ASSAULT, Game("short", "reconstructed-1", True, "assault", "v1"))
PART = {part.name: part for part in v1.PARTS}


def shown(state: Any, game: Game = V1) -> State:
    """The same position, in a game with the second edition."""
    return game.state_from_json(state.to_json())


def parts(state: Any, player: int = 0) -> dict[str, Any]:
    return state.game.split_observation(state.observation(player))


def test_layout() -> None:
    at = 0
    for part in v1.PARTS:
        rows = len(part.rows) or 1
        assert part.offset == at and part.what and int(np.prod(part.shape)) == rows * len(part.columns)
        assert len(part.high) == len(part.columns) and min(part.high) >= 1
        at += rows * len(part.columns)
    assert at == v1.SIZE == V1.observation_size == len(v1.value_names()) == len(set(v1.value_names()))
    assert [(part.name, part.shape) for part in V1.observation_parts] == [(p.name, p.shape) for p in v1.PARTS]
    digest = hashlib.sha256("\n".join(v1.value_names()).encode()).hexdigest()
    assert {game.observation_layout_hash for game in GAMES} == {digest} == {LAYOUT_HASH}
    columns = PART["pieces"].columns
    places = (v1.C_KIND, v1.C_OWNER, v1.C_STANDING, v1.C_SPACE, v1.C_CAME, v1.C_MARKS)
    assert [columns[at] for at in places] == ["kamehameha", "mine", "on land", "kona", "came from kona", "panicked"]
    assert (v1.LOW == 0).all() and (v1.HIGH == 1).all() and (v1.RAW_HIGH * v1.SCALE <= 1).all()
    columns = PART["battle"].columns
    at_battle = (
        v1.B_SECOND,
        v1.B_EARTHWORKS,
        v1.B_WAR,
        v1.B_FIRST_DIE,
        v1.B_ADVANTAGE,
        v1.B_TURN,
        v1.B_GUNS,
        v1.B_FIRING,
        v1.B_DICE,
        v1.B_PIKE,
    )
    assert [columns[at].split(":")[0].split(",")[0] for at in at_battle] == [
        "second battle", "earthworks", "war fleet", "Kamehameha's advantage die 1", "advantage", "next to fire",
        "gunpowder fires",
        "side that fires", "dice still to roll", "my pike's cancellation is used",
    ]  # fmt: skip
    following = tuple(getattr(names, name) for name in FOLLOWING.values())
    assert following == v1.FOLLOWING and tuple(FOLLOWING) == v1.FOLLOWING_NAMES


def test_what_the_shipped_ruleset_says_is_pinned() -> None:
    """Trained weights read it: the numbers of an unchanged ruleset stay where they are."""
    game = Game(rules="reconstructed-1", observation="v1")
    assert hashlib.sha256(game.templates[0].tobytes()).hexdigest() == TEMPLATE_HASH


def test_the_first_edition_is_as_it_was() -> None:
    """`hawaii1795_v0` plays the third ruleset and shows it as it did; what is new is shown in the second edition."""
    old = Game(rules="reconstructed-3", observation="v0")
    assert (old.observation, old.observation_size, V1.observation_size) == ("v0", 639, 2971)
    assert hawaii1795_v0.env().game == old == hawaii1795_v0.raw_env(rules="reconstructed-3").game
    assert hawaii1795_v1.env().game == V1 == Game(observation="v1") and "observation" not in V1.params
    assert Game(**old.params) == old == old.make_again() and "observation='v0'" in repr(old)
    with pytest.raises(OptionError, match="observation: allowed are v0, v1"):
        Game(observation="v2")
    one, other = old.initial_state(5), Game(rules="reconstructed-3").initial_state(5)
    rng = random.Random(1)
    while not one.is_terminal:
        assert one.legal_actions() == other.legal_actions() and one.key() == other.key()
        action = rng.choice(one.legal_actions())
        one.apply(action)
        other.apply(action)
    assert one.to_json(secrets=True) == other.to_json(secrets=True)


@pytest.mark.slow
def test_from_0_to_1_and_one_hot() -> None:
    used = np.zeros(v1.SIZE, bool)
    for seed in range(4):
        for state in nodes(GAMES[seed], seed):
            for player in (0, 1):
                raw, vector = state.observation(player, raw=True), state.observation(player)
                assert raw.min() >= 0 and (raw <= v1.RAW_HIGH).all() and vector.min() == 0 and vector.max() == 1
                assert np.array_equal(vector, raw * v1.SCALE)
                used |= raw > 0
            told = parts(state)
            for name in ("observer", "decider", "half", "month", "phase", "kauai"):
                assert told[name].sum() == 1, name
            rows = told["pieces"]
            assert (rows[:, v1.C_KIND : v1.C_OWNER].sum(1) == 1).all()
            assert (rows[:, v1.C_OWNER : v1.C_STANDING].sum(1) == 1).all()
            assert (rows[:, v1.C_STANDING : v1.C_SPACE].sum(1) == 1).all()
            somewhere = rows[:, v1.C_STANDING + v1.ON_LAND] + rows[:, v1.C_STANDING + v1.AT_SEA]
            assert (rows[:, v1.C_SPACE : v1.C_CAME].sum(1) == somewhere).all()
    unseen = {part.name for part in v1.PARTS if not used[part.offset :][: int(np.prod(part.shape))].any()}
    assert unseen <= {"canoes_lost"}, "canoes of a beaten fleet are seldom chosen"


def told_in(view: dict[str, Any]) -> str:
    """A view without the count of decisions, as text."""
    return json.dumps({name: value for name, value in view.items() if name != "decisions"}, sort_keys=True)


@pytest.mark.slow
def test_two_views_never_look_alike() -> None:
    """Over thousands of positions of random games of both scenarios, and by hand-made neighbours of some."""
    seen: dict[bytes, str] = {}
    back: dict[str, bytes] = {}
    for seed in range(24):
        game = (V1, SHORT)[seed % 2]
        for state in nodes(game, seed, bold=seed % 3 > 0):
            key = state.observation(seed % 2, raw=True).tobytes()
            told = f"{seed % 2} {game.scenario} {told_in(state.view().to_dict())}"
            assert seen.setdefault(key, told) == told
            if state.view().battle is None:  # of the piece that fires a view tells which of its kind it is
                assert back.setdefault(told, key) == key
    assert len(seen) > 3000


@pytest.mark.slow
def test_every_public_change_shows() -> None:
    """One thing changed in a view: the position is refused, or its observation differs."""
    from hawaii_env.errors import StateError

    from .test_observation import CHANGES, SELDOM

    shows = dict.fromkeys(CHANGES, 0)
    for states in by_phase(seed=70, most=2).values():
        for state in states:
            one = shown(state, Game(**{**state.game.params, "observation": "v1"}))
            for name, change in CHANGES.items():
                view = json.loads(json.dumps(one.view().to_dict()))
                change(view)
                try:
                    other = one.game.position(**view)
                except StateError:
                    continue
                if told_in(other.view().to_dict()) == told_in(one.view().to_dict()):
                    continue
                assert not np.array_equal(one.observation(0), other.observation(0)), (name, one.phase)
                shows[name] += 1
    assert sum(not n for n in shows.values()) <= len(SELDOM) + 2, shows


def changed(game: Game, field: str, at: int = 0, by: int = 1) -> Any:
    """The game's observation of nothing, with one number of its tables changed."""
    tables = game.record_array.copy()
    values = tables[field][0]
    if np.ndim(values):
        tables[field][0, at] += by
    else:
        tables[field][0] += by
    return v1.template(tables[0])


def test_two_rulesets_never_look_alike() -> None:
    """Each number of a ruleset and a scenario shows by itself; and the three shipped ones differ in play."""
    plain = v1.template(V1.record_array[0])
    for field, length in v1.TABLE_FIELDS:
        if field in ("kind", "first", "count"):
            continue  # which pieces there are shows in their rows; see below
        for at in range(0, length, max(1, length // 12)):
            low = int(np.atleast_1d(V1.record_array[0][field])[at])
            kind = int(V1.record_array[0]["kind"][at]) if length == 39 else 0
            if field in ("strength", "elite", "plus", "gun", "pike"):
                at = int(V1.record_array[0]["first"][kind])
                low = int(V1.record_array[0][field][at])
            if field == "recruit" and (at // 24 < 9) != (at % 24 < 9 or at % 24 > 21):
                continue  # no card asks for the other side's kinds, nor for Kaua'i's
            by = -1 if low in (1, 2, 6, 8, 11) or field == "win_some" else 1
            assert not np.array_equal(changed(V1, field, at, by), plain), (field, at)
    one = {name: Game(rules=name, observation="v1").initial_state(3) for name in ("reconstructed-1", "reconstructed-2")}
    one["shipped"] = V1.initial_state(3)
    assert len({state.observation(0).tobytes() for state in one.values()}) == 3
    first_edition = {
        Game(rules=name, observation="v0").initial_state(3).observation(0).tobytes()
        for name in one
        if name != "shipped"
    }
    assert len(first_edition) == 1, "what the first edition does not tell"


def test_the_pieces_of_a_ruleset_show() -> None:
    tables = V1.record_array.copy()
    kind = tables["kind"][0]
    kind[11] = kind[12]  # a warrior of strength 2 less, one of strength 1 more
    assert not np.array_equal(v1.template(tables[0]), v1.template(V1.record_array[0]))


def test_perspective() -> None:
    """What is mine to one is the enemy's to the other; nothing else depends on who observes."""
    swapped = {"decider": (0, 1), "half": (0, 1), "outcome": (0, 1), "kauai": (0, 1), "event_played": (0, 1)}
    for state in nodes(SHORT, 3):
        mine, theirs = parts(state, 0), parts(state, 1)
        assert mine["observer"].tolist() == [1, 0] and theirs["observer"].tolist() == [0, 1]
        for name, told in mine.items():
            other = theirs[name].copy()
            if name in swapped:
                a, b = swapped[name]
                other[[a, b]] = other[[b, a]]
            elif name == "pieces":
                other[:, [v1.C_OWNER, v1.C_OWNER + 1]] = other[:, [v1.C_OWNER + 1, v1.C_OWNER]]
            elif name == "spaces":
                for column in (0, 3, 6):
                    other[:, [column, column + 1]] = other[:, [column + 1, column]]
            elif name == "cards":
                other[:, 0] = 1 - other[:, 0]
            elif name == "setup":
                other[[1, 2, 3, 4, 5, 6]] = other[[4, 5, 6, 1, 2, 3]]
            elif name == "battle":
                for a in (v1.B_ADVANTAGE, v1.B_TURN, v1.B_FIRING, v1.B_PIKE):
                    other[[a, a + 1]] = other[[a + 1, a]]
            if name != "observer":
                assert np.array_equal(told, other), name


@pytest.mark.slow
def test_both_modes_and_the_batch_agree() -> None:
    """The batch leaves rows as they are that have not changed: in every step they are those of a fresh observation."""
    for raw in (False, True):
        batch = make_batch(
            Game, 5, scenario=["long", "short"], rules=[None, "reconstructed-1"], observation="v1", raw=raw, threads=2
        )
        batch.reset(seed=1)
        for step in range(700):
            _, _, _, _, info = batch.step(batch.sample_actions())
            if step % 2 == 0:
                for lane in range(batch.num_envs):
                    state = batch.get_state(lane)
                    told = state.observation(state.current_player, raw=raw)
                    assert np.array_equal(told, batch.observations[lane]), (step, lane)
                    plain = core.INTERPRETED_BACKEND.copy_of(state._buffer)  # pyright: ignore[reportAttributeAccessIssue]
                    again = batch.games[lane].state_of(plain)  # pyright: ignore[reportAttributeAccessIssue]
                    assert np.array_equal(again.observation(state.current_player, raw=raw), told)
            for final in info.get("final_obs", ()):
                assert final is None or final[v1.O_OUTCOME :][:3].sum() == 1


def test_legal_lists() -> None:
    for games in (SHORT, Game("short")):
        batch = make_batch(games, 3, autoreset_mode="NextStep")
        batch.reset(seed=2)
        for _ in range(120):
            counts, actions = batch.legal_lists()
            rows, wanted = agents.legal_in_rows(batch.masks)
            assert counts.dtype == actions.dtype == np.int64
            assert np.array_equal(actions, wanted) and np.array_equal(counts, np.bincount(rows, minlength=3))
            batch.step(batch.sample_actions())


def test_action_factors() -> None:
    factors = V1.action_factors
    assert factors is not None and Game.action_factors is factors
    assert factors.names == ("verb", "piece", "place", "condition", "came", "side", "card")
    assert factors.indices.shape == (V1.num_actions, 7) and factors.sizes == (19, 21, 8, 5, 9, 3, 10)
    assert len(np.unique(factors.indices, axis=0)) == V1.num_actions and not factors.indices.flags.writeable

    def made_of(text: str) -> dict[str, str]:
        row = factors.indices[V1.texts.index(text)].tolist()
        told = zip(factors.names, factors.words, row, strict=True)
        return {name: words[index] for name, words, index in told if words[index]}

    assert made_of("march warrior_2/carried kona hilo") == {
        "verb": "march", "piece": "warrior_2", "condition": "carried", "place": "hilo",
    }  # fmt: skip
    assert made_of("lose warrior_2/fired/hilo") == {
        "verb": "lose", "piece": "warrior_2", "condition": "fired", "came": "hilo",
    }  # fmt: skip
    assert made_of("fleet kona") == {"verb": "fleet", "piece": "canoe", "place": "kona"}
    assert made_of("done") == {"verb": "done"}


def test_records_are_of_both(tmp_path: Any) -> None:
    """How a game is shown is no part of its record."""
    agents.play(V1, "random", seed=1, record=tmp_path / "one.jsonl")
    assert verify(tmp_path / "one.jsonl", Game()).state.is_terminal
