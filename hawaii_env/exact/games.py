"""The small solved games: rulesets of the package's games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hawaii_env
from hawaii_env._arguments import check_choice, check_count
from hawaii_env.errors import OptionError
from hawaii_env.texts import parse_toml, read_bytes

__all__ = ["EXACT_GAMES", "ExactGame", "is_exact", "make_game"]

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class ExactGame:
    """A small game.

    Attributes:
        name: its name, and that of the folder of its ruleset.
        game: the game with its rules.
        options: options of that game.
        about: its description.
    """

    name: str
    game: str
    options: Mapping[str, Any]
    about: str

    @property
    def rules(self) -> Path:
        """The folder of its ruleset."""
        return FOLDER / "rulesets" / self.name


EXACT_GAMES: Mapping[str, ExactGame] = {
    name: ExactGame(name, **table) for name, table in parse_toml(read_bytes(FOLDER / "games.toml")).items()
}
"""The small games by name."""


def make_game(name: str, years: int | None = None) -> Any:
    """Return a small game.

    Args:
        name: a name of `EXACT_GAMES`.
        years: only for ``"atoll"``: its last year, 1 (two turns) to 3 (six turns); None means 3.

    Raises:
        OptionError: an unknown game, or an invalid `years`.
    """
    check_choice("name", name, tuple(EXACT_GAMES))
    exact = EXACT_GAMES[name]
    options = dict(exact.options)
    if years is not None:
        if "last_year" not in options:
            raise OptionError(f"years: {name} has months; leave it out")
        options["last_year"] = check_count("years", years, 1, options["last_year"])
    return hawaii_env.load_game(exact.game, rules=exact.rules, **options)


def is_exact(game: Any) -> bool:
    """Return True if a game is one of the small games, or the same with fewer years."""
    for name, exact in EXACT_GAMES.items():
        if exact.game == game.name and exact.options["scenario"] == game.params.get("scenario"):
            return bool(game.ruleset_hash == make_game(name).ruleset_hash)
    return False
