"""Small games with the rules of the large ones, solved exactly.

| name | game | what it is |
|---|---|---|
| `mini` | Hawaii, 1795 | the last two months on one island; values by value iteration |
| `atoll` | Heiau Diplomacy | eight spaces, six sealed turns; Nash values and strategies by linear programs |

```python
from hawaii_env import exact

game = exact.make_game("atoll")
state = game.initial_state(seed=1)
exact.value(state)                          # for player 0
exact.best(state)                           # an optimal strategy: plans and their probabilities
exact.exploitability("heiau-greedy:noise=0", game).mean
```

The cache folder keeps solutions. The agent `optimal` plays them.
"""

from .games import EXACT_GAMES, ExactGame, make_game
from .solution import Exploitability, OptimalAgent, Solution, best, exploitability, solve, value

__all__ = [
    "EXACT_GAMES", "ExactGame", "Exploitability", "OptimalAgent", "Solution", "best", "exploitability", "make_game",
    "solve", "value",
]  # fmt: skip
