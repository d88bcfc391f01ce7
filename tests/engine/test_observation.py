"""The observation and the key of a position: layout, from 0 to 1, complete, as the observer sees it."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from refusals import refuses

from hawaii_env import agents, make_batch
from hawaii_env.errors import StateError
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795 import observation as obs
from hawaii_env.hawaii1795.game import State
from hawaii_env.hawaii1795.positions.view import FOLLOWING
from hawaii_env.hawaii1795.rules import names
from hawaii_env.hawaii1795.rules.actions import KIND_OF_CANOE

from .helpers import ASSAULT, FIRST_RULES, LONG, SHORT, by_phase, move_on, nodes

# The layout is frozen: trained weights read it, so it changes with the environment's version alone.
LAYOUT_HASH = "326919736050c316ce4f51d466d1334b8479a2222665e88ceaf8a91ebafcb7f5"
TEMPLATE_HASH = "f571df51b27aa335a508b0473605a2fdf60636d0305ca295a23312c3dfc14b49"
GAMES = (LONG, SHORT, ASSAULT, Game("short", FIRST_RULES, True, "assault"))
PART = {part.name: part for part in obs.PARTS}


def parts(state: Any, player: int = 0) -> dict[str, Any]:
    return state.game.split_observation(state.observation(player))


def test_layout() -> None:
    at = 0
    for part in obs.PARTS:
        rows = len(part.rows) or 1
        assert part.offset == at and part.what and int(np.prod(part.shape)) == rows * len(part.columns)
        assert len(part.high) == len(part.columns) and min(part.high) >= 1
        at += rows * len(part.columns)
    assert at == obs.SIZE == LONG.observation_size == len(obs.value_names()) == len(set(obs.value_names()))
    assert [(part.name, part.shape) for part in LONG.observation_parts] == [(p.name, p.shape) for p in obs.PARTS]
    digest = hashlib.sha256("\n".join(obs.value_names()).encode()).hexdigest()
    assert {game.observation_layout_hash for game in GAMES} == {digest} == {LAYOUT_HASH}
    columns = PART["pieces"].columns
    places = (obs.C_OWNER, obs.C_STANDING, obs.C_SPACE, obs.C_ORIGIN, obs.C_MARKS)
    assert [columns[at] for at in places] == ["mine", "on land", "kona", "came from kona", "panicked"]
    assert (obs.LOW == 0).all() and (obs.HIGH == 1).all() and (obs.RAW_HIGH * obs.SCALE <= 1).all()
    columns = PART["battle"].columns
    at_battle = (
        obs.B_SECOND,
        obs.B_EARTHWORKS,
        obs.B_FIRST_DIE,
        obs.B_ADVANTAGE,
        obs.B_TURN,
        obs.B_GUNS,
        obs.B_FIRING,
        obs.B_PIKE,
    )
    assert [columns[at].split(":")[0].split(",")[0] for at in at_battle] == [
        "second battle", "earthworks", "Kamehameha's advantage die 1", "advantage", "next to fire",
        "gunpowder fires",
        "side that fires", "my pike's cancellation is used",
    ]  # fmt: skip
    assert tuple(FOLLOWING.values()) == obs.FOLLOWING and tuple(FOLLOWING) == obs.FOLLOWING_NAMES


def test_what_the_shipped_ruleset_says_is_pinned() -> None:
    """Trained weights read it: the numbers of an unchanged ruleset stay where they are."""
    game = Game(rules=FIRST_RULES)
    assert hashlib.sha256(np.array(game.tables.template, np.int8).tobytes()).hexdigest() == TEMPLATE_HASH


@pytest.mark.slow
def test_from_0_to_1_and_one_hot() -> None:
    used = np.zeros(obs.SIZE, bool)
    for seed in range(4):
        for state in nodes(GAMES[seed], seed):
            for player in (0, 1):
                raw, vector = state.observation(player, raw=True), state.observation(player)
                assert raw.min() >= 0 and (raw <= obs.RAW_HIGH).all() and vector.min() == 0 and vector.max() == 1
                assert np.array_equal(vector, raw * obs.SCALE)
                used |= raw > 0
            told = parts(state)
            for name in ("observer", "decider", "half", "month", "phase", "kauai"):
                assert told[name].sum() == 1, name
            rows = told["pieces"]
            assert (rows[:, obs.C_OWNER : obs.C_STANDING].sum(1) == 1).all()
            assert (rows[:, obs.C_STANDING : obs.C_SPACE].sum(1) == 1).all()
            somewhere = rows[:, obs.C_STANDING + obs.ON_LAND] + rows[:, obs.C_STANDING + obs.AT_SEA]
            assert (rows[:, obs.C_SPACE : obs.C_ORIGIN].sum(1) == somewhere).all()
    unseen = {part.name for part in obs.PARTS if not used[part.offset :][: int(np.prod(part.shape))].any()}
    assert unseen <= {"canoes_lost", "no_sighting"}, "canoes of a beaten fleet are seldom chosen"


def told_in(view: dict[str, Any]) -> str:
    """A view without the count of decisions, as text."""
    return json.dumps({name: value for name, value in view.items() if name != "decisions"}, sort_keys=True)


@pytest.mark.slow
def test_two_views_never_have_equal_observations() -> None:
    """Over thousands of positions of random games of both scenarios, and by hand-made neighbours of some."""
    seen: dict[bytes, str] = {}
    back: dict[str, bytes] = {}
    for seed in range(24):
        game = (LONG, SHORT)[seed % 2]
        for state in nodes(game, seed, bold=seed % 3 > 0):
            key = state.observation(seed % 2, raw=True).tobytes()
            told = f"{seed % 2} {game.scenario} {told_in(state.view().to_dict())}"
            assert seen.setdefault(key, told) == told
            if state.view().battle is None:  # of the piece that fires a view tells which of its kind it is
                assert back.setdefault(told, key) == key
    assert len(seen) > 3000


def public(state: State) -> Any:
    """Return what is public in a position: the view."""
    return freeze((state.game._identity, state.view().to_dict()))


def freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((k, freeze(v)) for k, v in sorted(value.items()))
    return tuple(freeze(v) for v in value) if isinstance(value, (list, tuple)) else value


Change = Callable[[dict[str, Any]], None]


def _swap(view: dict[str, Any], side: str, place: str) -> None:
    """One piece from the box to a place."""
    piece = view["box"][side].pop(0)
    view["units"][side].setdefault(place, []).append(piece)


def _leave(view: dict[str, Any], side: str) -> None:
    """One piece from some place to the box."""
    for place in view["units"][side].values():
        for piece in place:
            if "/" not in piece and piece not in ("kamehameha", "kalani", "kaiana", "john_young"):
                place.remove(piece)
                view["box"][side].append(piece)
                return


def _mark(view: dict[str, Any], mark: str) -> None:
    places = view["units"][view["half"]]
    for pieces in places.values():
        for i, piece in enumerate(pieces):
            if "/" not in piece:
                pieces[i] = f"{piece}/{mark}"
                return


def _exchange(view: dict[str, Any], side: str) -> None:
    """Another card of the same number of cards is left."""
    deck = view["decks"][side]
    held = {"kamehameha": (9,), "allied": (6, 9)}[side]
    gone = [n for n in range(1, 10) if n not in deck and n not in held]
    if deck and gone:
        deck[0] = gone[-1]
        deck.sort()


def _held(view: dict[str, Any], card: str) -> None:
    if card in view["held"]:
        view["held"].remove(card)
    else:
        view["held"].append(card)


def _set(*path: str, value: Any = None, add: int = 0) -> Change:
    def change(view: dict[str, Any]) -> None:
        at: Any = view
        for name in path[:-1]:
            at = at[name]
            if at is None:
                return
        at[path[-1]] = at[path[-1]] + add if add else (not at[path[-1]] if value is None else value)

    return change


CHANGES: dict[str, Change] = {
    "a piece more": lambda v: _swap(v, "kamehameha", "hilo"),
    "an Allied piece more": lambda v: _swap(v, "allied", "koolau"),
    "a piece less": lambda v: _leave(v, "kamehameha"),
    "an Allied piece less": lambda v: _leave(v, "allied"),
    "marched": lambda v: _mark(v, "marched"),
    "carried": lambda v: _mark(v, "carried"),
    "fired": lambda v: _mark(v, "fired"),
    "panicked": lambda v: _mark(v, "panicked"),
    "another deck": lambda v: _exchange(v, "kamehameha"),
    "another Allied deck": lambda v: _exchange(v, "allied"),
    "a held card": lambda v: _held(v, "ku_snatcher_of_islands"),
    "a held Allied card": lambda v: _held(v, "muskets_for_land"),
    "one more fleet move": _set("fleet_moves", add=1),
    "one fleet move less": _set("fleet_moves", add=-1),
    "event played": _set("events_played", "kamehameha"),
    "Allied event played": _set("events_played", "allied"),
    "advantage bonus": _set("bonuses", "advantage", add=1),
    "gunpowder bonus": _set("bonuses", "gunpowder", add=1),
    "no sighting": _set("bonuses", "no_sighting"),
    "homes": _set("homes", add=1),
    "fewer homes": _set("homes", add=-1),
    "another field": _set("field", value="koolau"),
    "second battle": _set("battle", "second"),
    "earthworks": _set("battle", "earthworks"),
    "first die": _set("battle", "first_die", value=5),
    "a die more": _set("battle", "dice", add=1),
    "a die less": _set("battle", "dice", add=-1),
    "pike used": lambda v: _set("battle", "pike_used", "allied")(v) if v["battle"] else None,
    "Kamehameha's pike used": lambda v: _set("battle", "pike_used", "kamehameha")(v) if v["battle"] else None,
    "advantage the other way": _set("battle", "advantage", value="allied"),
    "the turn the other way": _set("battle", "turn_side", value="allied"),
    "overland": _set("battle", "kind", value="overland"),
    "invasion": _set("battle", "kind", value="invasion"),
    "canoes lost": _set("retreat", "canoes_lost", add=1),
    "no refuge": _set("retreat", "refuge", value=None),
    "one recruit more": lambda v: v["recruits"].update(warrior=v["recruits"].get("warrior", 0) + 1),
    "a canoe to recruit": lambda v: v["recruits"].update(canoe=v["recruits"].get("canoe", 0) + 1),
    "a piece that goes on": _set("setup", "next_piece", add=1),
    "another pick-up": lambda v: v["fleet"].update(pickup="molokai") if v["fleet"] else None,
    "another sequel": lambda v: v.update(then="sea_phase") if v["then"] else None,
    "Kaua'i joins": lambda v: (
        v.update(kauai="allied"), v["units"]["allied"].update(v["units"]["neutral"]), v["units"]["neutral"].clear()
    ),
}  # fmt: skip
# Changes that no position of the sample need allow, or that only matter together with others.
SELDOM = {"a piece that goes on", "canoes lost", "overland", "invasion", "homes", "fewer homes", "no refuge"}


@pytest.mark.slow
def test_every_public_change_shows() -> None:
    """One thing changed in a view: the position is refused, or its observation and its key differ."""
    shown = dict.fromkeys(CHANGES, 0)
    for states in by_phase(seed=70, most=4).values():
        for state in states:
            for name, change in CHANGES.items():
                view = copy.deepcopy(state.view().to_dict())
                change(view)
                if view == state.view().to_dict():
                    continue
                try:
                    other = state.game.position(**view)
                except StateError:
                    continue
                if other.view().to_dict() == state.view().to_dict():
                    continue  # marks of the canoe's order in a list, and the like
                if public(other) == public(state):
                    continue  # what an earlier battle has left lying
                assert other.key() != state.key(), (name, state.phase)
                assert not np.array_equal(other.observation(0), state.observation(0)), (name, state.phase)
                shown[name] += 1
    assert {name for name, n in shown.items() if not n} <= SELDOM, shown


def test_months_and_halves_show() -> None:
    start = {"turn": "june", "half": "kamehameha", "phase": "card", "units": {
        "kamehameha": {"kona": ["kamehameha"]}, "allied": {"waikiki": ["kalani"]}}}  # fmt: skip
    changes = [{}, {"half": "allied"}, *({"turn": turn} for turn in names.MONTHS[3:-1] if turn != "june")]
    keys = [LONG.position(**{**start, **change}).key() for change in changes]
    assert len(set(keys)) == len(keys)


def changed(game: Game, field: str, at: int = 0, by: int = 1) -> Any:
    """The game's observation of nothing, with one number of its tables changed."""
    tables = game.tables.copy()
    values = np.array(getattr(tables, field))
    values.flat[at] += by
    obs.TABLES.put(tables, field, values.tolist())
    return obs.template(tables)


def test_two_rulesets_never_have_equal_observations() -> None:
    """Each number of a ruleset and a scenario shows by itself; and two rulesets that differ in play."""
    plain = obs.template(LONG.tables)
    for field in obs.TABLES.fields:
        if field in ("kind", "first", "count", "template"):
            continue  # which pieces there are shows in their rows; see below
        values = np.ravel(getattr(LONG.tables, field))
        length = len(values)
        for at in range(0, length, max(1, length // 12)):
            low = int(values[at])
            kind = LONG.tables.kind[at] if length == 39 else 0
            if field in ("strength", "elite", "plus", "gun", "pike"):
                if kind in KIND_OF_CANOE:
                    continue  # a canoe has none of them
                at = LONG.tables.first[kind]
                low = int(values[at])
            if field == "recruit" and at % 24 not in (obs.OF_KAMEHAMEHA if at // 24 < 9 else obs.OF_ALLIES):
                continue  # no card asks for the other side's kinds, nor for Kaua'i's
            by = -1 if low in (1, 2, 6, 8, 11) or field == "win_some" else 1
            assert not np.array_equal(changed(LONG, field, at, by), plain), (field, at)
    one, other = (game.initial_state(3).observation(0) for game in (LONG, Game(rules=FIRST_RULES)))
    assert not np.array_equal(one, other)


def test_the_pieces_of_a_ruleset_show() -> None:
    content = copy.deepcopy(LONG.ruleset.content)
    pieces = content["pieces.toml"]["kamehameha"]
    pieces["warrior_2"]["count"] -= 1
    pieces["warrior_1"]["count"] += 1
    assert not np.array_equal(Game(rules=content).tables.template, LONG.tables.template)


def test_what_has_no_value_because_no_position_has_it() -> None:
    """[2.0, 9.0] Recruits that no card may bring, and neutral pieces elsewhere than on Kaua'i."""
    units = {"kamehameha": {"kona": ["kamehameha"]}, "allied": {"waikiki": ["kalani"]}}
    start = {"turn": "june", "half": "kamehameha", "phase": "recruiting", "units": units}
    LONG.position(**start, recruits={"pike": 1})
    with pytest.raises(StateError, match="recruits: no card brings kamehameha"):
        LONG.position(**start, recruits={"kamehameha": 1})
    refuses(StateError, ("kauai_warrior", lambda: LONG.position(**start, recruits={"kauai_warrior": 1})))
    with pytest.raises(StateError, match="on kauai"):
        LONG.position(**{**start, "units": {**units, "neutral": {"maui": ["kauai_warrior"]}}})


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
                other[:, [obs.C_OWNER, obs.C_OWNER + 1]] = other[:, [obs.C_OWNER + 1, obs.C_OWNER]]
            elif name == "spaces":
                for column in (0, 2, 4):
                    other[:, [column, column + 1]] = other[:, [column + 1, column]]
            elif name == "cards":
                other[:, 0] = 1 - other[:, 0]
            elif name == "setup":
                other[[1, 2, 3, 4, 5, 6]] = other[[4, 5, 6, 1, 2, 3]]
            elif name == "battle":
                for a in (obs.B_ADVANTAGE, obs.B_TURN, obs.B_FIRING, obs.B_PIKE):
                    other[[a, a + 1]] = other[[a + 1, a]]
            if name != "observer":
                assert np.array_equal(told, other), name


@pytest.mark.slow
def test_both_modes_and_the_batch_agree() -> None:
    """The batch leaves rows as they are that have not changed: in every step they are those of a fresh observation."""
    for raw in (False, True):
        batch = make_batch("hawaii1795", 5, scenario=["long", "short"], rules=[None, FIRST_RULES], raw=raw, threads=2)
        batch.reset(seed=1)
        for step in range(700):
            _, _, _, _, info = batch.step(batch.sample_actions())
            if step % 2 == 0:
                for lane in range(batch.num_envs):
                    state = batch.get_state(lane)
                    told = state.observation(state.current_player, raw=raw)
                    assert np.array_equal(told, batch.observations[lane]), (step, lane)
                    plain = cast(State, state).interpreted()
                    again = batch.games[lane].state_of(plain)  # pyright: ignore[reportAttributeAccessIssue]
                    assert np.array_equal(again.observation(state.current_player, raw=raw), told)
            for final in info.get("final_obs", ()):
                assert final is None or final[obs.O_OUTCOME :][:3].sum() == 1


def test_legal_lists() -> None:
    for games in (SHORT, LONG):
        batch = make_batch(games, 3, autoreset_mode="NextStep")
        batch.reset(seed=2)
        for _ in range(120):
            counts, actions = batch.legal_lists()
            rows, wanted = agents.legal_in_rows(batch.masks)
            assert counts.dtype == actions.dtype == np.int64
            assert np.array_equal(actions, wanted) and np.array_equal(counts, np.bincount(rows, minlength=3))
            batch.step(batch.sample_actions())


def test_action_factors() -> None:
    factors = LONG.action_factors
    assert factors is not None and Game.action_factors is factors
    assert factors.names == ("verb", "piece", "place", "condition", "arrived_from", "side", "card")
    assert factors.indices.shape == (LONG.num_actions, 7) and factors.sizes == (19, 21, 8, 5, 9, 3, 10)
    assert len(np.unique(factors.indices, axis=0)) == LONG.num_actions and not factors.indices.flags.writeable

    def made_of(text: str) -> dict[str, str]:
        row = factors.indices[LONG.texts.index(text)].tolist()
        told = zip(factors.names, factors.words, row, strict=True)
        return {name: words[index] for name, words, index in told if words[index]}

    assert made_of("march warrior_2/carried kona hilo") == {
        "verb": "march", "piece": "warrior_2", "condition": "carried", "place": "hilo",
    }  # fmt: skip
    assert made_of("lose warrior_2/fired/hilo") == {
        "verb": "lose", "piece": "warrior_2", "condition": "fired", "arrived_from": "hilo",
    }  # fmt: skip
    assert made_of("fleet kona") == {"verb": "fleet", "piece": "canoe", "place": "kona"}
    assert made_of("done") == {"verb": "done"}


# -- nothing hidden --------------------------------------------------------------------------------------------------


def test_seeds_do_not_show() -> None:
    """Two states at one position with other generators look alike in every way but with secrets."""
    state = LONG.initial_state(seed=1)
    rng = random.Random(1)
    for _ in range(40):
        other = state.clone(seed=999)
        assert other.generator[4:] != state.generator[4:]
        for player in (0, 1):
            assert np.array_equal(other.observation(player), state.observation(player))
            assert np.array_equal(other.observation(player, raw=True), state.observation(player, raw=True))
        assert other.view() == state.view() and other.to_json() == state.to_json() and other.key() == state.key()
        assert repr(other) == repr(state) and repr(other.view()) == repr(state.view())
        assert other.to_json(secrets=True) != state.to_json(secrets=True)
        move_on(state, rng)
        if state.is_terminal:
            break


def test_the_order_of_a_deck_is_nowhere() -> None:
    """The next card is chance among the cards left: with other generators it can be any of them."""
    state = next(s.clone() for s in nodes(SHORT, 1, at="card"))
    assert state.current_player == CHANCE
    drawn = {state.clone(seed=seed).view().card for seed in range(120)}
    assert len(drawn) == 9
