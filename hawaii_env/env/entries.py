"""AEC and parallel environments made from a game's spec.

`make` and `make_parallel` are functions of the package itself; `entries` makes a game's own module in PettingZoo's
style:

>>> from hawaii_env import aloha_v0
>>> aloha_v0.env(players=3).possible_agents
['red_0', 'yellow_1', 'green_2']
"""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

from hawaii_env.env.aec import GameEnv
from hawaii_env.env.batch_games import drawn_games
from hawaii_env.env.parallel import ParallelGameEnv
from hawaii_env.errors import ArgumentError
from hawaii_env.game import Game
from hawaii_env.games import GameSpec, Option, get, load_game
from hawaii_env.pools import Draws, is_drawn

__all__ = ["Illegal", "entries", "make", "make_parallel"]

Illegal: TypeAlias = Literal["raise", "lose"]

SETTINGS = {
    "render_mode": "what `render` returns: 'ansi' a text, 'svg' an SVG document, 'rgb_array' uint8[height, width, 3]; "
    "'human' shows each step in a window; None: nothing. The last two need the extra `render`.",
    "illegal": "'lose': an illegal action ends the game, with -1 for who chose it, 0 for the others and a warning, as "
    "in PettingZoo's classic environments; 'raise': it raises IllegalActionError and changes nothing.",
    "starts": "positions, each game begins at one that it draws: a sequence of `State`, the path of a file with one a "
    "line (`State.to_json`), a sampler, or a `hawaii_env.Pool`; None: games begin at the beginning.",
    "step_reward": "a reward of each step in place of the game's own: the name of one of its `measures`, a "
    "`hawaii_env.Potential`, a rule of (rules, before, after, player), or a Python function of (before, after, "
    "player), two `State` and an index; None: the result at the end of the game.",
}
"""The arguments of all environments besides the options of their game."""

RAISES = """
Raises:
    OptionError: an unknown option, or a value that the game refuses.
    RulesetError: a ruleset folder with a wrong, missing or unknown value.
    MissingExtraError: the render_mode needs a library that is not installed.
"""


def make(
    game: str | Game,
    /,
    *,
    render_mode: str | None = None,
    illegal: Illegal = "lose",
    starts: Any = None,
    step_reward: Any = None,
    **options: Any,
) -> GameEnv:
    """Make a PettingZoo AEC environment of a game: players decide one after the other.

    >>> import hawaii_env
    >>> env = hawaii_env.make("aloha", players=3)
    >>> env.reset(seed=1)

    Args:
        game: the name of a game (`list_games`), or a `Game`.
        render_mode, illegal: see `hawaii_env.env.aec.GameEnv`.
        starts: start positions from which each game draws one: a sequence of `State`, the path of a file with one per
            line (`State.to_json`), a sampler, or a `hawaii_env.Pool` of them. None means the normal start.
        step_reward: a per-step reward that replaces the game's own: the name of one of its `measures`, a
            `hawaii_env.Potential`, a rule of (rules, before, after, player), or a Python function of (before, after,
            player), two `State` and an index, which returns a number.
        options: the game's options, for example ``scenario="short"``; `hawaii_env.games.find` lists them. `rules` may
            be a `hawaii_env.Pool` of rulesets or a sampler: each game draws one.

    Raises:
        OptionError: an unknown game or option, or a value that the game does not allow.
        MissingExtraError: the render_mode needs a library that is not installed.
    """
    return _made(
        GameEnv, game, options, render_mode=render_mode, illegal=illegal, starts=starts, step_reward=step_reward
    )


def make_parallel(
    game: str | Game,
    /,
    *,
    render_mode: str | None = None,
    illegal: Illegal = "lose",
    starts: Any = None,
    step_reward: Any = None,
    **options: Any,
) -> ParallelGameEnv:
    """Make a PettingZoo parallel environment of a game with sealed or simultaneous turns.

    Args:
        game, render_mode, illegal, starts, step_reward, options: see `make`.

    Raises:
        OptionError: as `make`; also a game without such turns, for which use `make`.
        MissingExtraError: the render_mode needs a library that is not installed.
    """
    return _made(
        ParallelGameEnv, game, options, render_mode=render_mode, illegal=illegal, starts=starts, step_reward=step_reward
    )


def _made(kind: Any, game: str | Game, options: dict[str, Any], **settings: Any) -> Any:
    """Return an environment of the given class for a game with options."""
    made, rules = _drawn(game, partial(load_game, game), options)
    return kind(made, **settings, name=_environment_id(get(made.name)), rules=rules)


def _drawn(game: Any, load: Callable[..., Game], options: dict[str, Any]) -> tuple[Game, Draws | None]:
    """Return the game, or the first of a pool of rulesets, and the draws or None."""
    if not isinstance(game, str) or not is_drawn(options.get("rules")):
        return load(**options), None
    made, rules = drawn_games(game, 1, **options)
    return made[0], rules


def entries(spec: GameSpec) -> tuple[Callable[..., GameEnv], type[Any], Callable[..., ParallelGameEnv]]:
    """Return `env`, `raw_env` and `parallel_env` of the newest environment that a game declares.

    Their arguments are the game's options, ``render_mode`` and ``illegal``, which signatures and docstrings list. The
    module that `GameSpec.environments` names contains them, so that its environments can be pickled; for a game without
    sealed or simultaneous turns it omits `parallel_env`, which raises.
    """
    name, title = _environment_id(spec), spec.title

    class raw_env(GameEnv):
        metadata: dict[str, Any] = {**GameEnv.metadata, "name": name}  # noqa: RUF012  PettingZoo keeps it on the class

        def __init__(self, *args: Any, **given: Any) -> None:
            options, settings = _split(_bound(spec, args, given))
            made, rules = _drawn(spec.name, spec.make, options)
            super().__init__(made, **{"illegal": "raise", **settings}, name=name, rules=rules)

    def env(*args: Any, **given: Any) -> GameEnv:
        return raw_env(**{"illegal": "lose", **_bound(spec, args, given)})

    def parallel_env(*args: Any, **given: Any) -> ParallelGameEnv:
        options, settings = _split(_bound(spec, args, given))
        made, rules = _drawn(spec.name, spec.make, options)
        return ParallelGameEnv(made, **{"illegal": "lose", **settings}, name=name, rules=rules)

    loses = "in which an illegal action loses the game"
    _document(env, env, spec, "lose", f"Return {title} as an AEC environment {loses}.")
    _document(parallel_env, parallel_env, spec, "lose", f"Return {title} as a parallel environment {loses}.")
    _document(
        raw_env, raw_env.__init__, spec, "raise", f"{title} as an AEC environment in which an illegal action raises."
    )
    return env, raw_env, parallel_env


def _environment_id(spec: GameSpec | None) -> str | None:
    """Return the newest of a game's environment ids, or None if it declares none."""
    return None if spec is None or not spec.environments else list(spec.environments)[-1]


def _parameters(spec: GameSpec, illegal: Illegal) -> list[inspect.Parameter]:
    settings = [("render_mode", None, str | None), ("illegal", illegal, Illegal), ("starts", None, Any)]
    settings.append(("step_reward", None, Any))
    options = [(option.name, option.default, _type_of(option)) for option in spec.options]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [inspect.Parameter(name, kind, default=default, annotation=of) for name, default, of in options + settings]


def _type_of(option: Option) -> Any:
    if option.default is None:
        return str | os.PathLike[str] | None if option.metavar == "FOLDER" else Any
    return type(option.default)


def _bound(spec: GameSpec, args: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given arguments, by name.

    Raises:
        ArgumentError: an unknown argument.
    """
    signature = inspect.Signature(_parameters(spec, "lose"))
    try:
        return signature.bind(*args, **given).arguments
    except TypeError as error:
        raise ArgumentError(f"{spec.name}: {error}; it takes: {', '.join(signature.parameters)}") from None


def _split(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the game's options and the environment's own arguments."""
    options = {name: value for name, value in arguments.items() if name not in SETTINGS}
    return options, {name: value for name, value in arguments.items() if name in SETTINGS}


def _document(entry: Any, function: Any, spec: GameSpec, illegal: Illegal, opening: str) -> None:
    """Give an entry the module, signature and docstring of a function of its module."""
    entry.__module__ = list(spec.environments.values())[-1]
    entry.__qualname__ = entry.__name__
    parameters = _parameters(spec, illegal)
    meanings = {option.name: option.meaning for option in spec.options} | SETTINGS
    lines = [f"{one.name}: {meanings[one.name].rstrip('.')}. Default: {one.default!r}." for one in parameters]
    wrapped = "\n".join(textwrap.fill(line, 116, initial_indent=" " * 4, subsequent_indent=" " * 8) for line in lines)
    entry.__doc__ = f"{opening}\n\nArgs:\n{wrapped}\n{RAISES}"
    own = [] if entry is function else [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    function.__signature__ = inspect.Signature([*own, *parameters])
