"""Board wargames as reinforcement-learning environments.

>>> from hawaii_env import hawaii1795_v1
>>> env = hawaii1795_v1.env()

`hawaii_env.hawaii1795.Game` is the rules engine; `hawaii_env.game` says what every game here offers.
"""

from __future__ import annotations

from hawaii_env._version import __version__
from hawaii_env.errors import (
    ArgumentError,
    ClosedError,
    GameOverError,
    HawaiiError,
    IllegalActionError,
    OptionError,
    RecordError,
    RulesetError,
    StateError,
)

__all__ = [
    "ArgumentError",
    "ClosedError",
    "GameOverError",
    "HawaiiError",
    "IllegalActionError",
    "OptionError",
    "RecordError",
    "RulesetError",
    "StateError",
    "__version__",
    "compiled",
]


compiled: bool
"""Whether games that begin now run compiled. False: in the plain mode, because HAWAII_ENV_PLAIN asks for it, or because
nothing is compiled yet; `Game.compile` and ``hawaii warm`` do that."""


def __getattr__(name: str) -> object:
    if name != "compiled":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from contextlib import suppress

    from hawaii_env import games
    from hawaii_env.core import jit

    if not jit.loaded():
        for game in games.names():
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

    for spec in games.house():
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
                        kwargs={"game": spec.game},
                    )
            for name in (f"{spec.name}-{version}", f"hawaii_env:{spec.name}-{version}"):
                if name not in pettingzoo.aec_registry:
                    pettingzoo.register("aec", name, entry_point=f"{module}:env")
                if spec.parallel and name not in pettingzoo.parallel_registry:
                    pettingzoo.register("parallel", name, entry_point=f"{module}:parallel_env")


_register()
