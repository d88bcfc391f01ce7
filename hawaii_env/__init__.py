"""Board wargames as reinforcement-learning environments.

>>> from hawaii_env import hawaii1795_v0
>>> env = hawaii1795_v0.env()

`hawaii_env.hawaii1795.Game` is the rules engine; `hawaii_env.game` says what every game here offers.
"""

from __future__ import annotations

from hawaii_env._version import __version__
from hawaii_env.errors import (
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
    import hawaii_env.hawaii1795  # noqa: F401  asks at least the game that comes along
    from hawaii_env import _jit

    return _jit.compiled()


def _register() -> None:
    """Enter the environments into Gymnasium's registry, and into PettingZoo's where there is one (from 1.27)."""
    import gymnasium
    import pettingzoo

    if "hawaii_env/Hawaii1795-v0" not in gymnasium.registry:
        gymnasium.register(
            "hawaii_env/Hawaii1795-v0",
            entry_point="hawaii_env.single_agent:SingleAgentEnv",
            vector_entry_point="hawaii_env.single_agent:SingleAgentVectorEnv",
            kwargs={"game": "hawaii_env.hawaii1795:Game"},
        )

    register = getattr(pettingzoo, "register", None)
    if register is not None and "hawaii1795-v0" not in pettingzoo.aec_registry:
        register("aec", "hawaii1795_v0", entry_point="hawaii_env.hawaii1795_v0:env")


_register()
