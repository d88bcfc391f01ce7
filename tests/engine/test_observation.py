"""The first edition of the observation: layout, bounds, completeness, and nothing hidden."""

from __future__ import annotations

import copy
import hashlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hawaii_env.errors import StateError
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game, core, observation
from hawaii_env.hawaii1795.play import State

from . import helpers
from .helpers import move_on, nodes

# A trained policy is told by it that the observation is still the one that it has learnt to read.
LAYOUT_HASH = "ca23a7b5cacbb910e0e612f24d5116fbfbaa2b5a7321af15d95196e8920a43db"
PART = {part.name: part for part in observation.PARTS}


def first(game: Game) -> Game:
    """The same game, shown in the first edition."""
    return Game(**{**game.params, "observation": "v0"})


LONG, SHORT, ASSAULT = map(first, (helpers.LONG, helpers.SHORT, helpers.ASSAULT))
GAMES, PINNED = (tuple(map(first, games)) for games in (helpers.GAMES, helpers.PINNED))


def sample(count: int, seed: int) -> list[State]:
    return [first(state.game).adopt(state) for state in helpers.sample(count, seed)]


def by_phase(seed: int, most: int = 3) -> dict[str, list[State]]:
    found = helpers.by_phase(seed, most)
    return {phase: [first(state.game).adopt(state) for state in states] for phase, states in found.items()}


def part(vector: Any, name: str) -> list[float]:
    found = PART[name]
    return vector[found.offset : found.offset + found.size].tolist()


def test_layout() -> None:
    at = 0
    for found in observation.PARTS:
        assert found.offset == at and found.size > 0 and found.high >= found.unit >= 1 and found.what
        at += found.size
    assert at == observation.SIZE == LONG.observation_size and len(PART) == len(observation.PARTS)
    names = observation.value_names()
    assert len(names) == len(set(names)) == observation.SIZE
    assert names[PART["on_map"].offset] == "on_map[kamehameha, kona]" and names[PART["dice"].offset] == "dice"
    low, high = LONG.observation_low, LONG.observation_high
    assert low.dtype == high.dtype == np.float32 and low.shape == high.shape == (observation.SIZE,)
    assert (low == 0).all() and (high >= 1).all()


def test_the_layout_has_a_digest() -> None:
    """Of the names of its values in order: every ruleset, scenario and option has the same."""
    digest = hashlib.sha256("\n".join(observation.value_names()).encode()).hexdigest()
    assert {game.observation_layout_hash for game in (*GAMES, *PINNED)} == {digest} == {LAYOUT_HASH}


@pytest.mark.parametrize("player", [0, 1])
def test_bounds_and_scale(player: int) -> None:
    most = np.zeros(observation.SIZE, np.int8)
    for state in [*sample(700, seed=player), *(s for states in by_phase(seed=5).values() for s in states)]:
        raw, vector = state.observation(player, raw=True), state.observation(player)
        assert raw.dtype == np.int8 and vector.dtype == np.float32 and raw.shape == vector.shape == (observation.SIZE,)
        assert (raw >= 0).all() and (vector >= LONG.observation_low).all() and (vector <= LONG.observation_high).all()
        assert np.array_equal(vector, (raw * observation.SCALE).astype(np.float32))
        for given in (np.full(observation.SIZE, 99, np.int8), np.full(observation.SIZE, 99, np.float32)):
            assert state.observation(player, out=given, raw=given.dtype == np.int8) is given
            assert np.array_equal(given, raw if given.dtype == np.int8 else vector)
        most = np.maximum(most, raw.astype(np.int8))
    used = {found.name for found in observation.PARTS if most[found.offset : found.offset + found.size].any()}
    assert used >= set(PART) - {"refuge"}, "a refuge is a choice of marchers beaten together with landed troops: seldom"


def test_who_am_i_and_who_decides() -> None:
    for state in sample(300, seed=4):
        for player in (0, 1):
            vector = state.observation(player, raw=True)
            assert part(vector, "me") == [player == 0, player == 1]
            decides = state.current_player
            assert part(vector, "decider") == [decides == player, decides == 1 - player, decides < 0]
            view = state.view()
            assert part(vector, "phase").index(1) == PHASES.index(state.phase)
            month, allied, mine = part(vector, "calendar")
            assert (allied, mine) == (11 * (view.half == "allied"), 11 * ((view.half == "allied") == (player == 1)))
            assert month == MONTHS.index(view.turn) + 1
        # Nothing else depends on the observer.
        first, second = state.observation(0, raw=True), state.observation(1, raw=True)
        differs = {i for i in range(observation.SIZE) if first[i] != second[i]}
        own = {PART[n].offset + i for n in ("me", "decider", "calendar") for i in range(PART[n].size)}
        assert differs <= own


PHASES: list[str] = list(observation.PHASES)
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november")


# -- completeness ----------------------------------------------------------------------------------------------------


def public(state: State) -> Any:
    """What is public in a position and matters to what follows: the view without the count of decisions; of the unit
    that fires, its kind.
    """
    view = copy.deepcopy(state.view().to_dict())
    del view["decisions"], view["reason"], view["winner"]
    battle = view["battle"]
    if battle is not None and battle["firer"] is not None:
        battle["firer"] = battle["firer"].split("/")[0]
    return freeze((state.game._identity, view))


def freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((k, freeze(v)) for k, v in sorted(value.items()))
    return tuple(freeze(v) for v in value) if isinstance(value, (list, tuple)) else value


def test_equal_vectors_are_equal_positions() -> None:
    """Over thousands of positions of random games: the vectors of two are equal exactly when all that is public is."""
    vectors: dict[bytes, Any] = {}
    positions: dict[Any, bytes] = {}
    for seed in range(40):
        for state in nodes(GAMES[seed % 4], seed, bold=seed % 3 > 0):
            if state.is_terminal:
                continue
            key, told = state.key(), public(state)
            assert vectors.setdefault(key, told) == told
            assert positions.setdefault(told, key) == key
    assert len(vectors) == len(positions) > 5000


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


def test_every_public_change_shows() -> None:
    """One thing changed in a view: the position is refused, or its vector differs."""
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
                shown[name] += 1
    assert {name for name, n in shown.items() if not n} <= SELDOM, shown


def test_options_and_months_show() -> None:
    start = {"turn": "june", "half": "kamehameha", "phase": "card", "units": {
        "kamehameha": {"kona": ["kamehameha"]}, "allied": {"waikiki": ["kalani"]}}}  # fmt: skip
    keys = [game.position(**start).key() for game in GAMES]
    assert len(set(keys)) == 2, "final_check and sea_victor show; the scenario is over with the set-up"
    keys += [LONG.position(**{**start, "turn": turn}).key() for turn in MONTHS[2:-1] if turn != "june"]
    keys.append(LONG.position(**{**start, "half": "allied"}).key())
    assert len(set(keys)) == len(keys) - 2


def test_a_refuge_shows() -> None:
    units = {
        "kamehameha": {"kona": ["kamehameha"], "maui": ["pike"], "koolau": ["warrior_2/waikiki", "warrior_2/waikiki"]},
        "allied": {"koolau": ["kalani"]},
    }
    found = [
        LONG.position(turn="june", half="kamehameha", phase="retreat", units=units, field="koolau",
                      retreat={"errand": "marchers", "refuge": refuge})
        for refuge in ("kona", "maui")
    ]  # fmt: skip
    assert found[0].legal_actions() != found[1].legal_actions()
    assert part(found[0].observation(0, raw=True), "refuge") == [1, 0, 0, 0, 0, 0, 0]
    assert part(found[1].observation(1, raw=True), "refuge") == [0, 0, 1, 0, 0, 0, 0]


# -- nothing hidden --------------------------------------------------------------------------------------------------


def test_seeds_do_not_show() -> None:
    """Two states at one position with other generators look alike in every way but with secrets."""
    state = LONG.initial_state(seed=1)
    rng = random.Random(1)
    for _ in range(40):
        other = state.clone(seed=999)
        assert core.get_list(other._buffer, "dice_words") != core.get_list(state._buffer, "dice_words")
        for player in (0, 1):
            assert np.array_equal(other.observation(player), state.observation(player))
            assert np.array_equal(other.observation(player, raw=True), state.observation(player, raw=True))
        assert other.view() == state.view() and other.to_json() == state.to_json() and other.key() == state.key()
        assert repr(other) == repr(state) and repr(other.view()) == repr(state.view())
        assert other.to_json(secrets=True) != state.to_json(secrets=True)
        move_on(state, rng)
        if state.is_terminal:
            break


def test_words_never_appear() -> None:
    for seed in range(30):
        state = (LONG, SHORT, ASSAULT)[seed % 3].initial_state(seed, trace=True)
        rng = random.Random(seed)
        for _ in range(6):
            move_on(state, rng)
        words = [w for name in ("deck_words", "dice_words") for w in core.get_list(state._buffer, name)]
        told = [
            state.to_json(),
            repr(state.view()),
            repr(state),
            repr(state.trace),
            state.for_search().to_json(secrets=True),
        ]
        assert "words" not in "".join(told) and "generators" not in "".join(told) and "seed" not in "".join(told)
        assert not any(str(word) in text for word in words if word > 10_000 for text in told)


def test_the_order_of_a_deck_is_nowhere() -> None:
    """The next card is chance among the cards left: with other generators it can be any of them."""
    state = next(s.clone() for s in nodes(SHORT, 1, at="card"))
    assert state.current_player == CHANCE
    drawn = {state.clone(seed=seed).view().card for seed in range(120)}
    assert len(drawn) == 9
