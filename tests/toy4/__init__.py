"""A toy game for the tests of whatever must not know a game: four players, hidden hands, sealed orders of several
steps, points.
"""

from hawaii_env.games import GameSpec, Option

from .game import LagoonGame, LagoonState

__all__ = ["SPEC", "LagoonGame", "LagoonState"]

SPEC = GameSpec(
    name="lagoon",
    title="Lagoon",
    game="toy4:LagoonGame",
    players=(4, 4),
    options=(Option(name="rounds", meaning="how many rounds are played", default=3, choices=(1, 2, 3, 4)),),
)
