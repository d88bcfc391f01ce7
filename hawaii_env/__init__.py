"""Board wargames as reinforcement-learning environments.

>>> import hawaii_env
>>> hawaii_env.list_games()
['aloha', 'hawaii1795', 'heiau', 'maori_wars']
>>> env = hawaii_env.make("aloha", players=3)                       # PettingZoo, one agent after the other
>>> env = hawaii_env.make_parallel("heiau", scenario="duel")        # PettingZoo, all agents at once
>>> batch = hawaii_env.make_batch("hawaii1795", 1024)               # many games in one call
>>> state = hawaii_env.load_game("hawaii1795").initial_state()      # one position, for search
>>> agent = hawaii_env.load_agent("random", seed=1)
>>> state = hawaii_env.play("aloha", ["random", "random"], seed=1)  # one game between agents

``gymnasium.make("hawaii_env/Hawaii1795-v1")`` is the environment for one learner; for Stable-Baselines3 see
`hawaii_env.integrations.sb3`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hawaii_env import _command  # noqa: F401  first: the others take long to import
from hawaii_env._lazy import lazy
from hawaii_env._version import __version__
from hawaii_env.errors import (
    ArgumentError,
    ClosedError,
    GameOverError,
    HawaiiError,
    IllegalActionError,
    OptionError,
    OrderError,
    RecordError,
    RulesetError,
    StateError,
)
from hawaii_env.game import State

if TYPE_CHECKING:
    from hawaii_env.agents import load_agent
    from hawaii_env.env.entries import make, make_parallel
    from hawaii_env.env.vector import make_batch
    from hawaii_env.games import list_games, load_game
    from hawaii_env.playing import play
    from hawaii_env.pools import Pool
    from hawaii_env.rewards import Potential

__all__ = [
    "ArgumentError",
    "ClosedError",
    "GameOverError",
    "HawaiiError",
    "IllegalActionError",
    "OptionError",
    "OrderError",
    "Pool",
    "Potential",
    "RecordError",
    "RulesetError",
    "StateError",
    "__version__",
    "compiled",
    "list_games",
    "load_agent",
    "load_game",
    "make",
    "make_batch",
    "make_parallel",
    "play",
]

_MODULES = {
    "list_games": "games",
    "load_agent": "agents",
    "load_game": "games",
    "make": "env.entries",
    "make_batch": "env.vector",
    "make_parallel": "env.entries",
    "play": "playing",
    "Pool": "pools",
    "Potential": "rewards",
}
"""The modules of the functions above, imported on first use."""

compiled: bool
"""True if new games run compiled. False if they run in interpreted mode, because HAWAII_ENV_PLAIN is set or the rules
are not compiled yet; `Game.compile` and ``hawaii warm`` compile them.
"""


def __getattr__(name: str) -> object:
    return _compiled() if name == "compiled" else lazy(__name__, _MODULES)(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _compiled() -> bool:
    from contextlib import suppress

    from hawaii_env import games
    from hawaii_env.core import jit

    if not jit.loaded():
        for game in games.list_games():
            with suppress(OptionError):  # somebody else's, which cannot be loaded
                games.find(game).load("game")
    return jit.compiled()


def _register() -> None:
    """Enter the environments of this distribution's games into the registries of Gymnasium and PettingZoo. Other
    packages enter their own.
    """
    import gymnasium
    import pettingzoo

    from hawaii_env import games

    for spec in games.shipped():
        title = "".join(part.capitalize() for part in spec.name.split("_"))
        for environment, module in spec.environments.items():
            version = environment.removeprefix(f"{spec.name}_")
            # The second is for the id that is the same in both libraries, "hawaii_env:hawaii1795-v1": Gymnasium imports
            # what stands before the colon and looks for the rest, PettingZoo looks for the whole.
            for name in (f"hawaii_env/{title}-{version}", f"{spec.name}-{version}"):
                if name not in gymnasium.registry:
                    gymnasium.register(
                        name,
                        entry_point="hawaii_env.env.single_agent:SingleAgentEnv",
                        vector_entry_point="hawaii_env.env.single_agent:SingleAgentVectorEnv",
                        kwargs={"game": spec.name},
                    )
            for name in (f"{spec.name}-{version}", f"hawaii_env:{spec.name}-{version}"):
                if name not in pettingzoo.aec_registry:
                    pettingzoo.register("aec", name, entry_point=f"{module}:env")
                if spec.parallel and name not in pettingzoo.parallel_registry:
                    pettingzoo.register("parallel", name, entry_point=f"{module}:parallel_env")


def _draw(state: State) -> str:
    """Return a notebook's picture of a position."""
    from hawaii_env.render.picture import render_svg

    return render_svg(state)


def _write(state: State) -> str:
    """Return a position's board as text."""
    from hawaii_env.render.text import render_text

    return render_text(state)


State.drawing, State.board = _draw, _write
_register()
