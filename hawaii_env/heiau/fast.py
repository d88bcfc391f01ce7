"""Compiled rules of Heiau Diplomacy for agents.

A compiled agent marks its functions with `hawaii_env.core.rule`, gives those that Python calls to
`hawaii_env.core.EntryPoints`, and uses what this module exports. The same functions run as ordinary Python in
interpreted mode.

```python
from hawaii_env.core import EntryPoints, rule
from hawaii_env.heiau import Game, fast


@rule
def count_units(rules, buffer, power):
    spaces, found = fast.view_spaces(buffer), 0
    for space in range(rules[fast.N_SPACES]):
        found += spaces[space].power == power
    return found


rules, buffer = fast.records(Game().initial_state(seed=1))
entry = EntryPoints("heiau", "count", (count_units,), seconds=1)
print(entry.for_a_job(lambda: {"count_units": (rules, buffer, 0)}).count_units(rules, buffer, 0))
```

- **Layout**: a position is a buffer with one record of the whole game, `view_state`, and one a space, `view_spaces`;
  their fields are those of `STATE` and `STAND`. `buffer.copy()` copies it. The tables of a map and a game are numbers,
  ``rules[N_SPACES]``, and columns, ``rules[rules[SPACE_OF] + place]``.
- **Legal**: `list_orders` writes the orders of a unit, three numbers each as in `Order`; `supports`,
  `boats_can_be_built`, `post_can_be_built` and `retreat_is_open` ask for one; `need` counts builds or removals.
- **Apply**: a plan is written into the fields `verb`, `source` and `target` of the spaces, a retreat into `retreat`, a
  build or removal into `step`; `enter_action` writes an action of the table. `resolve_phase` then plays what follows,
  up to the next phase in which somebody is asked; `move_units` resolves the movement alone. No argument is checked.
- **Hidden information**: `hidden` tells whether Europeans do not see the start yet; `State.for_search` has what a power
  may know.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
from typing import Any

from hawaii_env.core import INTERPRETED

from . import core
from .play import State
from .rules.actions import DISBAND, DONE, RETREAT, STAY, TO, Actions
from .rules.board import ARMY, BUNCH, FLEET, Board
from .rules.flow import resolve as resolve_phase
from .rules.forms import room as make_array
from .rules.legal import enter as enter_action
from .rules.legal import hidden, need, retreat_is_open
from .rules.movement import move_units
from .rules.orders import (
    BOATS,
    CONVOY,
    HOLD,
    MOVE,
    POST,
    SUPPORT,
    VIA,
    Order,
    boats_can_be_built,
    list_orders,
    post_can_be_built,
    supports,
)
from .rules.state import (
    ADJUSTMENTS,
    DISBANDED,
    NOBODY,
    ORDERS,
    OVER,
    PHASES,
    RETREATS,
    STAND,
    STATE,
    UNDECIDED,
)
from .rules.state import spaces_of as view_spaces
from .rules.state import state_of as view_state
from .rules.tables import (
    BARE,
    EUROPEAN,
    FIRST_STAND,
    HEIAU,
    INLAND_FROM,
    LAST_STAND,
    MAX_POWERS,
    MOVES_TO,
    N_ACTIONS,
    N_PLACES,
    N_POWERS,
    N_SPACES,
    REACH,
    SPACE_OF,
    VICTORY,
    WAYS,
)

__all__ = [
    "ADJUSTMENTS", "ARMY", "BARE", "BOATS", "BUNCH", "CONVOY", "DISBAND", "DISBANDED", "DONE", "EUROPEAN",
    "FIRST_STAND", "FLEET", "HEIAU", "HOLD", "INLAND_FROM", "LAST_STAND", "MAX_POWERS", "MOVE", "MOVES_TO", "NOBODY",
    "N_ACTIONS", "N_PLACES", "N_POWERS", "N_SPACES", "ORDERS", "OVER", "PHASES", "POST", "REACH", "RETREAT", "RETREATS",
    "SPACE_OF", "STAND", "STATE", "STAY", "SUPPORT", "TO", "UNDECIDED", "VIA", "VICTORY", "WAYS", "Actions", "Board",
    "Order", "boats_can_be_built", "enter_action", "hidden", "list_orders", "make_array",
    "move_units", "need", "post_can_be_built", "records", "resolve_phase", "retreat_is_open", "supports", "view_spaces",
    "view_state",
]  # fmt: skip


def records(state: State, compiled: bool = not INTERPRETED) -> tuple[Any, Any]:
    """Return the tables and a copy of a position, as compiled or interpreted entry points take them."""
    backend = core.mode_of_jobs(rules=False) if compiled else core.INTERPRETED_BACKEND
    return state.game.tables_in(backend), backend.copy_of(state._buffer)
