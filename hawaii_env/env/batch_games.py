"""The games of a batch: one per environment, or a pool from which each game draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hawaii_env._arguments import check_count, check_list
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.games import find, load_game
from hawaii_env.pools import Draws, is_drawn

__all__ = ["GamesLike", "drawn_games", "games_of"]

MAX_ENVS = 2**20
"""Maximum number of environments of a batch: a thousand times the fastest size. More are probably a mistake."""

GamesLike: TypeAlias = "str | Game | Sequence[Game]"


def drawn_games(games: GamesLike, num_envs: int, **options: Any) -> tuple[list[Game], Draws | None]:
    """Return the game of each environment of a batch, and the draws of rulesets or None.

    Args:
        games, num_envs: as for `games_of`.
        options: as for `games_of`; `rules` may be a `hawaii_env.pools.Pool` of rulesets or a sampler.

    Raises:
        OptionError, ArgumentError, RulesetError: as `games_of`; also an invalid pool.
    """
    if not isinstance(games, str) or not is_drawn(options.get("rules")):
        return games_of(games, num_envs, **options), None
    draws = Draws.of_rules(games, options.pop("rules"), options)
    for i, game in enumerate(draws.games):
        _check_alike(draws.games[0], game, "item {} of rules", i)
    return [draws.games[0]] * check_count("num_envs", num_envs, most=MAX_ENVS), draws


def games_of(games: GamesLike, num_envs: int, **options: Any) -> list[Game]:
    """Return the game of each environment of a batch.

    Args:
        games: the name of a game; a `Game`; or a sequence of `Game`, which the environments use in turn.
        num_envs: number of environments, 1 or more.
        options: the game's options, with its name. The environments use the values of a list or tuple in turn.

    Raises:
        OptionError: an unknown game, a value that the game does not allow, or games with different spaces.
        ArgumentError: an unknown option, or options without the game's name.
    """
    num_envs = check_count("num_envs", num_envs, most=MAX_ENVS)
    if isinstance(games, str):
        listed = _variants(games, num_envs, options)
    else:
        several = [games] if isinstance(games, Game) else check_list("games", games)
        if not several:
            raise OptionError("games: expected at least one game, not an empty sequence")
        if named := [game for game in several if not isinstance(game, Game)]:
            raise OptionError(f"games: expected a Game, not {named[0]!r}")
        listed = [load_game(game, **options) for game in several]
    made = [listed[i % len(listed)] for i in range(num_envs)]
    for i, game in enumerate(made):
        if game is not made[0]:
            _check_alike(made[0], game, "environment {}", i)
    return made


def _variants(name: str, num_envs: int, options: Mapping[str, Any]) -> list[Game]:
    """Return the games of a name: one for all environments, or one for each if an option has several values."""
    spec = find(name)
    turns = {key: list(value) for key, value in options.items() if isinstance(value, (list, tuple))}
    if empty := [key for key, values in turns.items() if not values]:
        raise OptionError(f"{empty[0]}: expected at least one value, not an empty sequence")
    if not turns:
        return [spec.make(**options)]
    made: dict[tuple[int, ...], Game] = {}
    listed: list[Game] = []
    for i in range(num_envs):
        turn = tuple(i % len(values) for values in turns.values())
        if turn not in made:
            chosen = {key: values[i % len(values)] for key, values in turns.items()}
            made[turn] = spec.make(**{**options, **chosen})
        listed.append(made[turn])
    return listed


def _check_alike(first: Game, game: Game, where: str, index: int) -> None:
    for name in ("name", "num_actions", "observation_size", "action_table_hash"):
        here, there = getattr(first, name), getattr(game, name)
        if here != there:
            raise OptionError(
                f"the games of a batch share their spaces: {name} is {here!r} in {where.format(0)} and {there!r} in "
                f"{where.format(index)}"
            )
