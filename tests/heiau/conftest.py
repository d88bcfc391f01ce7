"""The game is known to every room, whether the package is installed anew since it came or not."""

from hawaii_env import games
from hawaii_env.heiau.spec import SPEC

games.register(SPEC)
