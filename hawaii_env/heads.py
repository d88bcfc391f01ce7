"""Policy heads over the legal actions only, from `BatchEnv.legal_lists`, and a search for observation values that vary.

They accept NumPy arrays and torch tensors; gradients flow through tensors.

```python
counts, actions = batch.legal_lists()
logits = legal_logits(hidden, weight, bias, counts, actions)  # [M], of the legal actions of all environments in order
chances = legal_log_softmax(logits, counts)
```
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_count, check_kind
from hawaii_env.errors import OptionError
from hawaii_env.game import Game

__all__ = ["legal_log_softmax", "legal_logits", "varying_values"]


def legal_logits(
    hidden: Any, weight: Any, bias: Any, counts: NDArray[np.int64], actions: NDArray[np.int64]
) -> Any:  # fmt: skip
    """Return the logits of the legal actions, [M].

    Args:
        hidden: [N, H], the last layer.
        weight: [A, H], one row per action of the table.
        bias: [A].
        counts: int64[N], the number of legal actions of each environment.
        actions: int64[M], those actions, environment after environment.

    Raises:
        OptionError: counts that do not sum to M, or a wrong number of environments.
    """
    rows = _rows(counts, len(actions))
    if len(counts) != len(hidden):
        raise OptionError(f"counts: expected one for each of {len(hidden)} environments, not {len(counts)}")
    if isinstance(hidden, np.ndarray):
        return np.einsum("mh,mh->m", hidden[rows], weight[actions]) + bias[actions]
    torch: Any = sys.modules["torch"]  # who has a tensor has imported it
    at, which = torch.as_tensor(rows, device=hidden.device), torch.as_tensor(actions, device=hidden.device)
    return (hidden[at] * weight[which]).sum(-1) + bias[which]


def legal_log_softmax(logits: Any, counts: NDArray[np.int64]) -> Any:
    """Return the logarithms of the probabilities of the legal actions of each environment, [M].

    Args:
        logits: [M], environment after environment.
        counts: int64[N], the number of legal actions of each environment.

    Raises:
        OptionError: counts that do not sum to M.
    """
    rows = _rows(counts, len(logits))
    if isinstance(logits, np.ndarray):
        most = np.full(len(counts), -np.inf, logits.dtype)
        np.maximum.at(most, rows, logits)
        shifted = logits - most[rows]
        total = np.zeros(len(counts), logits.dtype)
        np.add.at(total, rows, np.exp(shifted))
        return shifted - np.log(total)[rows]
    torch: Any = sys.modules["torch"]  # who has a tensor has imported it
    at, n = torch.as_tensor(rows, device=logits.device), len(counts)
    most = torch.full((n,), -torch.inf, dtype=logits.dtype, device=logits.device)
    shifted = logits - most.scatter_reduce(0, at, logits.detach(), "amax")[at]
    total = torch.zeros(n, dtype=logits.dtype, device=logits.device).index_add(0, at, shifted.exp())
    return shifted - total.log()[at]


def _rows(counts: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """Return the environment of each of M legal actions."""
    rows = np.repeat(np.arange(len(counts)), counts)
    if len(rows) != m:
        raise OptionError(f"counts: expected numbers that sum to {m}, not {len(rows)}")
    return rows


def varying_values(game: Game, games: int = 100, seed: int = 0) -> NDArray[np.bool_]:
    """Return True for each observation value that takes more than one value in random games, bool[observation_size].

    Networks can omit the others, such as those of pieces that a scenario lacks, or of rules that do not vary.

    Args:
        game: the game.
        games: the number of games to play.
        seed: seed of the first game; later games use the following numbers.

    Raises:
        OptionError: a wrong argument.
    """
    check_kind("game", game, Game)
    low = np.full(game.observation_size, np.inf, np.float32)
    high = -low
    for number in range(check_count("seed", seed, 0), seed + check_count("games", games)):
        state, choose = game.initial_state(seed=number), random.Random(number)
        while not state.is_terminal:
            for player in state.acting_players:
                seen = state.observation(player)
                np.minimum(low, seen, out=low)
                np.maximum(high, seen, out=high)
            actions = {player: choose.choice(state.legal_actions(player)) for player in state.acting_players}
            if len(actions) == 1:
                state.apply(*actions.values())
            else:
                state.apply_joint(actions)
    return low < high
