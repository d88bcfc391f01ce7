"""A toy game for the tests of whatever must not know a game: three players, a simultaneous turn, chance."""

from hawaii_env.games import GameSpec, Option

from .game import ToyGame, ToyState

__all__ = ["SPEC", "ToyGame", "ToyState"]

SPEC = GameSpec(
    name="tides",
    title="Tides",
    game="toy:ToyGame",
    players=(3, 3),
    options=(Option(name="rounds", meaning="how many rounds are played", default=4),),
)
