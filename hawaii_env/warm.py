"""Compiles all code of a game: for `hawaii warm`, and as the background process."""

from __future__ import annotations

import pickle
import sys
import zlib
from typing import Any

from hawaii_env.errors import OptionError
from hawaii_env.game import Game

__all__ = ["require_compiled", "warm"]


def warm(game: Game) -> None:
    """Compile everything missing: a game's rules, batches, playouts and fuzzer, and agents' code for it."""
    from hawaii_env import agents
    from hawaii_env.env.vector import make_batch
    from hawaii_env.rollouts import playouts

    game.compile()
    own: Any = game
    if getattr(game, "batch_backend", None) is not None:
        batch = make_batch([game], 1)
        batch.reset(seed=0)
        batch.close()
        playouts(game.initial_state(seed=0), 1, seed=0)
    agents.compile_all(game)
    if getattr(game, "fuzz_batch", None) is not None:
        own.fuzz_batch([0])


def require_compiled(game: Game) -> None:
    """Compile a game's rules, so that a benchmark does not measure interpreted mode by accident.

    Raises:
        OptionError: an environment variable requires interpreted mode.
    """
    import hawaii_env

    game.compile()
    if not hawaii_env.compiled:
        raise OptionError(
            "nothing can be measured in interpreted mode: HAWAII_ENV_PLAIN or NUMBA_DISABLE_JIT asks for it"
        )


def _in_background() -> int:
    """Compile the game read from stdin. Do nothing if another process compiles it."""
    from hawaii_env.core.background import lock_background

    game = pickle.loads(zlib.decompress(sys.stdin.buffer.read()))
    lock = lock_background(game)
    if lock is None:
        return 0
    with lock:
        warm(game)
    return 0


if __name__ == "__main__":
    raise SystemExit(_in_background())
