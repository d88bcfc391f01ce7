"""Playouts: what they estimate, that they repeat, and that they never look at dice not yet rolled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each
from toy import ToyGame

from hawaii_env import load_game, rollouts
from hawaii_env.agents import BaseAgent, RandomAgent
from hawaii_env.core.rng import below, policy_words
from hawaii_env.env.python_batch import PythonBatch
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.rollouts import action_values, playouts, step_many

GAME = Game(scenario="short")


def state_after(decisions: int, seed: int = 4) -> Any:
    state = GAME.initial_state(seed=seed)
    for _ in range(decisions):
        state.apply(state.legal_actions()[-1])
    return state


def first_legal(observations: Any, masks: Any) -> Any:
    return masks.argmax(axis=1)


def same(a: Any, b: Any) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("returns", "lengths", "finished", "seeds")
    )


def test_random_playouts() -> None:
    state = state_after(25)
    before = state.to_json(secrets=True)
    result = playouts(state, 200, seed=7)
    assert len(result) == 200 and result.returns.shape == (200, 2) and result.finished.all()
    assert np.allclose(result.mean, result.returns.mean(axis=0)) and np.isclose(result.mean.sum(), 0)
    assert np.allclose(result.standard_error, result.returns.std(axis=0, ddof=1) / np.sqrt(200))
    assert state.to_json(secrets=True) == before
    assert same(result, playouts(state, 200, seed=7, threads=3))
    assert same(result, playouts(state.for_search(), 200, seed=7))
    assert np.array_equal(playouts(state, 50, seed=7).returns, result.returns[:50])
    assert not same(result, playouts(state, 200, seed=8))
    assert not same(playouts(state, 20), playouts(state, 20))
    assert np.isinf(playouts(state, 1, seed=1).standard_error).all()


def begun(name: str, chance: Any = "sampled", **options: Any) -> Any:
    return lambda: load_game(name, **options).initial_state(seed=2 if chance == "sampled" else None, chance=chance)


@pytest.mark.parametrize(
    "make",
    [
        *(lambda: state_after(0), lambda: state_after(25), lambda: ToyGame().initial_state(seed=1)),
        *(begun("hawaii1795", "explicit", scenario="short"), begun("aloha", "explicit")),
        *(begun("aloha", players=n, reward="rank") for n in (2, 3, 4)),
        *(
            pytest.param(begun("heiau", scenario=scenario, last_year=1), marks=pytest.mark.slow)
            for scenario in ("duel", "two_haoles")
        ),
    ],
)
def test_a_playout_is_a_game_of_its_seed(make: Callable[[], Any]) -> None:
    start = make()
    result = playouts(start, 5, seed=3)
    for k, seed in enumerate(result.seeds.tolist()):
        state, words, n = start.clone(seed=seed), policy_words(seed), 0
        while not state.is_terminal:
            if state.current_player >= 0:
                legal = state.legal_actions()
                state.apply(legal[below(words, len(legal))])
                n += 1
            else:
                legal_of = {player: state.legal_actions(player) for player in state.acting_players}
                state.apply_joint({player: legal[below(words, len(legal))] for player, legal in legal_of.items()})
                n += len(legal_of)
        assert result.returns[k].tolist() == np.float32(state.returns()).tolist() and result.lengths[k] == n


def test_the_limit() -> None:
    result = playouts(state_after(10), 20, seed=1, limit=3)
    assert (result.lengths == 3).all() and not result.finished.any() and not result.returns.any()
    result = playouts(state_after(10), 20, seed=1, limit=3, policy=first_legal)
    assert (result.lengths == 3).all() and not result.finished.any() and not result.returns.any()


def test_policies() -> None:
    state = state_after(25)
    result = playouts(state, 12, seed=7, policy=first_legal)
    for k, seed in enumerate(result.seeds.tolist()):
        copy = state.clone(seed=seed)
        while not copy.is_terminal:
            copy.apply(copy.legal_actions()[0])
        assert result.returns[k].tolist() == copy.returns()
    assert same(result, playouts(state, 12, seed=7, policy=[first_legal, first_legal]))
    mixed = playouts(state, 12, seed=7, policy=["random", first_legal])
    assert mixed.finished.all() and same(mixed, playouts(state, 12, seed=7, policy=["random", first_legal]))
    assert same(playouts(state, 5, seed=7, policy="random:seed=3"), playouts(state, 5, seed=7, policy=RandomAgent(3)))
    # Random play through the batch is random play in compiled code.
    through = rollouts._by_policy(state, result.seeds, [None, None], GAME.max_decisions)
    assert same(through, playouts(state, 12, seed=7))


def test_many_policy_playouts_go_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = playouts(state_after(25), 10, seed=7, policy=first_legal)
    monkeypatch.setattr(rollouts, "CHUNK", 4)
    assert same(whole, playouts(state_after(25), 10, seed=7, policy=first_legal))


def test_action_values() -> None:
    state = state_after(25)
    values = action_values(state, 30, seed=2)
    legal = state.legal_actions()
    assert values.actions.tolist() == legal and values.returns.shape == (len(legal), 30, 2)
    assert np.allclose(values.mean, values.returns.mean(axis=1)) and values.standard_error.shape == values.mean.shape
    assert values.best(0) == legal[int(values.mean[:, 0].argmax())]
    one = action_values(state, 30, seed=2, actions=legal[1:2])
    assert np.array_equal(one.returns[0], values.returns[1])
    lanes, n = PythonBatch([GAME]), 3
    seeds = playouts(state, n, seed=2).seeds
    returns, lengths, finished = np.zeros((n, 2), np.float32), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    lanes.playouts(state, seeds, np.full(n, legal[0]), GAME.max_decisions, returns, lengths, finished)
    assert np.array_equal(returns, values.returns[0, :n]) and finished.all()


def test_step_many() -> None:
    state = state_after(25)
    legal = state.legal_actions()
    result = step_many(state, [*legal, legal[0]], seed=5)
    seeds = rollouts._seeds(5, len(legal) + 1)
    for k, action in enumerate([*legal, legal[0]]):
        copy = state.clone(seed=int(seeds[k]))
        copy.apply(action)
        assert result.states[k].to_json(secrets=True) == copy.to_json(secrets=True)
        assert result.to_play[k] == copy.current_player and not result.terminations[k]
        assert np.array_equal(result.observations[k], copy.observation(copy.current_player))
        assert np.array_equal(result.masks[k], copy.legal_mask())


class Thinker(BaseAgent):
    def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
        return legal_actions[0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n": 0}, OptionError, "n:"),
        ({"n": 2.5}, OptionError, "n:"),
        ({"seed": -1}, OptionError, "seed"),
        ({"limit": 0}, OptionError, "limit"),
        ({"threads": 0}, OptionError, "threads"),
        ({"policy": ["random"]}, OptionError, "one for each of 2 players"),
        ({"policy": "nobody"}, OptionError, "nobody"),
        ({"policy": 3}, OptionError, "function of observations"),
        ({"policy": Thinker()}, OptionError, "plays no batches"),
        ({"policy": lambda o, m: np.zeros(len(m))}, IllegalActionError, "dtype"),
        ({"policy": lambda o, m: np.full(len(m), 3)}, IllegalActionError, "playout 0: .*phase"),
        ({"state": "here"}, OptionError, "a State"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    refuses(error, (message, lambda: playouts(**{"state": state_after(25), "n": 2, **options})))


def test_wrong_positions_and_actions() -> None:
    state = state_after(25)
    refuses(
        IllegalActionError,
        ("phase", lambda: action_values(state, 2, actions=[3])),
        ("outside", lambda: step_many(state, [-1])),
    )
    refuses(OptionError, ("at least one", lambda: step_many(state, [])))
    refuses(IllegalActionError, ("several players", lambda: action_values(ToyGame().initial_state(seed=1), 2)))
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    refuses_each(
        GameOverError,
        "",
        lambda call: call(),
        (lambda: playouts(state, 2), lambda: action_values(state, 2), lambda: step_many(state, [0])),
    )
    explicit = GAME.initial_state(chance="explicit")
    while explicit.current_player >= 0:
        explicit.apply(explicit.legal_actions()[0])
    refuses(IllegalActionError, ("chance decides", lambda: action_values(explicit, 2)))
    assert len(playouts(explicit, 3, seed=1)) == len(playouts(explicit, 3, seed=1, policy=first_legal)) == 3
