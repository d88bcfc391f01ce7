"""Two toy games for the tests of whatever must not know a game.

Tides: three players, a simultaneous turn, chance; `Duel` is the same for two. Lagoon: four players, hidden hands,
sealed orders of several steps, points.
"""

from hawaii_env.games import GameSpec, Option

from .lagoon import LagoonGame, LagoonState
from .tides import Duel, ToyGame, ToyState

__all__ = ["DUEL", "LAGOON", "TIDES", "Duel", "LagoonGame", "LagoonState", "ToyGame", "ToyState"]

TIDES = GameSpec(
    name="tides",
    title="Tides",
    game="toy:ToyGame",
    players=(3, 3),
    options=(Option(name="rounds", meaning="how many rounds are played", default=4),),
)
DUEL = GameSpec(
    name="duel",
    title="Tides for two",
    game="toy:Duel",
    tracks="toy",
    options=(Option(name="rounds", meaning="how many rounds are played", default=4),),
)
LAGOON = GameSpec(
    name="lagoon",
    title="Lagoon",
    game="toy:LagoonGame",
    players=(4, 4),
    options=(Option(name="rounds", meaning="how many rounds are played", default=3, choices=(1, 2, 3, 4)),),
)
