"""Heads over legal actions, and the values of observations."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest
from refusals import refuses

import hawaii_env
from hawaii_agents.network import Policy
from hawaii_env import OptionError
from hawaii_env.heads import legal_log_softmax, legal_logits, varying_values


def test_heads_over_legal_actions() -> None:
    """They are the masked softmax of the whole table, in NumPy and in torch, with its gradient."""
    torch: Any = pytest.importorskip("torch")
    batch = hawaii_env.make_batch("aloha", 5, autoreset_mode="Disabled")
    batch.reset(seed=1)
    counts, actions = batch.legal_lists()
    rng = np.random.default_rng(1)
    hidden, weight = rng.normal(size=(5, 4)), rng.normal(size=(batch.masks.shape[1], 4))
    bias = rng.normal(size=len(weight))
    log_chances = legal_log_softmax(legal_logits(hidden, weight, bias, counts, actions), counts)
    whole = np.where(batch.masks, hidden @ weight.T + bias, -np.inf)
    expected = whole - np.log(np.exp(whole).sum(axis=1, keepdims=True))
    rows = np.repeat(np.arange(5), counts)
    assert np.allclose(log_chances, expected[rows, actions])
    tensors = [torch.tensor(one, requires_grad=True) for one in (hidden, weight, bias)]
    logits = legal_logits(tensors[0], tensors[1], tensors[2], counts, actions)
    found = legal_log_softmax(logits, counts)
    assert np.allclose(found.detach().numpy(), log_chances)
    found[0].backward()
    chances = np.exp(log_chances[: counts[0]])
    chances[0] -= 1
    assert np.allclose(tensors[2].grad.numpy()[actions[: counts[0]]], -chances)
    refuses(
        OptionError,
        ("counts: expected numbers that sum to", lambda: legal_log_softmax(log_chances, counts + 1)),
        (
            "counts: expected one for each of 5",
            lambda: legal_logits(hidden, weight, bias, np.array([len(actions)]), actions),
        ),
    )


def test_values_that_vary() -> None:
    game = hawaii_env.load_game("aloha")
    vary = varying_values(game, games=2)
    state = game.initial_state(seed=0)
    assert 0 < vary.sum() < len(vary)
    parts = game.split_observation(state.observation(0))
    assert all((state.observation(0)[at] == parts[name].ravel()).all() for name, at in game.part_slices.items())
    refuses(OptionError, ("games: ", lambda: varying_values(game, games=0)), ("game: ", lambda: varying_values("x")))  # type: ignore[arg-type]


def test_policies_of_torch() -> None:
    """A torch policy's logits and values are those of the saved weights."""
    torch: Any = pytest.importorskip("torch")
    nn, game = torch.nn, hawaii_env.load_game("aloha")

    def tower(outputs: int, *more: Any) -> Any:
        sizes = game.observation_size, 6, 6, outputs
        first, second, third = (nn.Linear(a, b) for a, b in pairwise(sizes))
        return nn.Sequential(first, nn.Tanh(), second, nn.Tanh(), third, *more)

    actor, critic = tower(game.num_actions), tower(1)
    policy = Policy.from_torch(actor, critic, game)
    state = game.initial_state(seed=1)
    seen, legal = state.observation(state.current_player), state.legal_actions()
    chances, value = policy.evaluate(seen, legal)
    with torch.no_grad():
        expected = actor(torch.tensor(seen)).numpy()[legal]
        worth = float(critic(torch.tensor(seen)))
    assert np.allclose(chances, np.exp(expected) / np.exp(expected).sum(), atol=1e-5)
    assert value == pytest.approx(worth, abs=1e-5)
    refuses(
        OptionError,
        ("policy: expected Linear, Tanh", lambda: Policy.from_torch(tower(game.num_actions, nn.ReLU()), critic, game)),
        ("", lambda: Policy.from_torch(tower(3), critic, game)),
        ("policy: expected Linear, .*; not no layers", lambda: Policy.from_torch(None, critic, game)),
        ("game: expected a Game, not 'aloha'", lambda: Policy.from_torch(actor, critic, cast(Any, "aloha"))),
    )
