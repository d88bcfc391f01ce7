"""Parts that the environments share: spaces, checks of arguments, pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State, difference
from hawaii_env.render.modes import RENDER_MODES, Renderer
from hawaii_env.texts import count, show_value

__all__ = [
    "agent_spaces",
    "all_observations",
    "check_position",
    "fix_generators",
    "observation_space",
    "render_with",
    "truncation_reason",
]


def observation_space(games: Sequence[Game], raw: bool = False) -> spaces.Box:
    """Return the space of one observation, which contains those of all `games`."""
    distinct = list({id(game): game for game in games}.values())
    if raw:
        least, most = (
            np.min([one.raw_low for one in distinct], axis=0),
            np.max([one.raw_high for one in distinct], axis=0),
        )
        return spaces.Box(least, most, dtype=games[0].raw_dtype.type)
    low = np.min([game.observation_low for game in distinct], axis=0)
    high = np.max([game.observation_high for game in distinct], axis=0)
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def agent_spaces(games: Sequence[Game]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the agents' spaces by name, in PettingZoo's form: observations with masks, and actions."""
    game = games[0]
    observations = {
        agent: spaces.Dict(
            # A pair list keeps the order; older gymnasiums sort a plain dict.
            [
                ("observation", observation_space(games)),
                ("action_mask", spaces.Box(0, 1, (game.num_actions,), np.int8)),
            ]
        )
        for agent in game.agents
    }
    return observations, {agent: spaces.Discrete(game.num_actions) for agent in game.agents}


def fix_generators(*found: spaces.Space[Any]) -> None:
    """Create the generators of unused spaces, so that copies of them draw the same values.

    Gymnasium's spaces make them at their first draw, each copy its own.
    """
    for space in found:
        parts = getattr(space, "spaces", None)
        if parts is None:
            _ = space.np_random
        else:
            # The parts of a Dict or Tuple draw; accessing the generator of the whole space would seed them again.
            fix_generators(*(parts.values() if isinstance(parts, Mapping) else parts))


def check_position(name: str, state: object, game: Game) -> State:
    """Return `state`, a valid start position; errors use `name` for it.

    Raises:
        OptionError: no State, a position of another game, or one of a game that is over.
    """
    if not isinstance(state, State):
        raise OptionError(f"{name}: expected a State, not {show_value(state)}")
    if other := difference(state.game, game):
        raise OptionError(f"{name}: the state is a position of {other}")
    if state.is_terminal:
        raise OptionError(f"{name}: the state is the position of a game that is over")
    return state


def truncation_reason(limit: int) -> str:
    """Return the reason for a game truncated after `limit` decisions."""
    return f"truncated after {count(limit, 'decision')}, a limit of the environment and no rule"


def all_observations(state: State) -> NDArray[np.float32]:
    """Return the concatenated observations of all players, float32[num_players * observation_size]."""
    return np.concatenate([np.float32(state.observation(player)) for player in range(state.game.num_players)])


def render_with(renderer: Renderer | None, fps: float | None, state: State) -> str | NDArray[np.uint8] | None:
    """Return the renderer's picture of a position; None if it shows it in a window.

    Raises:
        OptionError: there is no renderer.
    """
    if renderer is None:
        modes = " or ".join(f'"{mode}"' for mode in RENDER_MODES)
        raise OptionError(f"nothing to render: make the environment with render_mode={modes}")
    renderer.fps = fps or 0
    return renderer.render(state)
