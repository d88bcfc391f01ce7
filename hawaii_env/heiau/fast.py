"""Compiled rules of Heiau Diplomacy for agents.

A compiled agent marks its functions with `hawaii_env.core.rule`, gives those that Python calls to
`hawaii_env.core.EntryPoints`, and uses what this module exports. The same functions run as ordinary Python in
interpreted mode.

```python
from hawaii_env.core import EntryPoints, rule
from hawaii_env.heiau import Game, fast


@rule
def count_units(tables, record, power):
    rules, state, found = fast.view_rules(tables), fast.view_state(record), 0
    for space in range(rules.spaces):
        found += state.power[space] == power
    return found


tables, record = fast.records(Game().initial_state(seed=1))
entry = EntryPoints("heiau", "count", (count_units,))
print(entry.compile_now(lambda: {"count_units": (tables, record, 0)}).count_units(tables, record, 0))
```

- **Layout**: `view_rules` and `view_state` give the records of `TABLES` and `STATE` behind an entry point's arguments:
  numbers of the whole game, as ``state.year``, and columns by space, as ``state.kind[space]``. `record.copy()` copies a
  position; `release` comes behind the last use of the record of such a copy.
- **Legal**: `list_orders` writes the orders of a unit, a row of three numbers each as in `Order`; `supports`,
  `boats_can_be_built`, `post_can_be_built` and `retreat_is_open` ask for one; `need` counts builds or removals.
- **Apply**: a plan is written into the columns `verb`, `source` and `target`, a retreat into `retreat`, a build or
  removal into `step`; `enter_action` writes an action of the table. `resolve_phase` then plays what follows, up to the
  next phase in which somebody is asked; `move_units` resolves the movement alone. No argument is checked.
- **Sample**: chance falls at the start of some games only; `State.resample` draws it.
- **Every game** has `list_legal`, `apply_action`, `is_chance`, `sample_chance`, `apply_chance`, `run`, `set_up` and
  `write_observation`; see `hawaii_env.core.game.AGENT_HOOKS`. Here they enter one action of who is asked.
- **Hidden information**: `hidden` tells whether Europeans do not see the start yet; `State.for_search` has what a power
  may know.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.layout import copy_record, new_array, release

from .game import RULES
from .rules.actions import DISBAND, DONE, RETREAT, STAY, TO, Actions
from .rules.board import ARMY, BUNCH, FLEET, Board
from .rules.flow import resolve as resolve_phase
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
    STATE,
    UNDECIDED,
    view_state,
)
from .rules.tables import MAX_POWERS, TABLES, view_rules

__all__ = [
    "ADJUSTMENTS",
    "ARMY",
    "BOATS",
    "BUNCH",
    "CONVOY",
    "DISBAND",
    "DISBANDED",
    "DONE",
    "FLEET",
    "HOLD",
    "MAX_POWERS",
    "MOVE",
    "NOBODY",
    "ORDERS",
    "OVER",
    "PHASES",
    "POST",
    "RETREAT",
    "RETREATS",
    "STATE",
    "STAY",
    "SUPPORT",
    "TABLES",
    "TO",
    "UNDECIDED",
    "VIA",
    "Actions",
    "Board",
    "Order",
    "apply_action",
    "apply_chance",
    "boats_can_be_built",
    "copy_record",
    "enter_action",
    "hidden",
    "is_chance",
    "list_legal",
    "list_orders",
    "move_units",
    "need",
    "new_array",
    "new_record",
    "post_can_be_built",
    "records",
    "release",
    "resolve_phase",
    "retreat_is_open",
    "run",
    "sample_chance",
    "set_up",
    "supports",
    "view_rules",
    "view_state",
    "write_observation",
]

list_legal: Any
apply_action: Any
is_chance: Any
sample_chance: Any
apply_chance: Any
run: Any
set_up: Any
write_observation: Any
list_legal, apply_action, is_chance, sample_chance, apply_chance, run, set_up, write_observation = RULES.agent_hooks
"""Rules of every game, see `hawaii_env.core.game.AGENT_HOOKS`."""

records: Any = RULES.records
new_record: Any = RULES.new_record
"""Return the tables and a copy of a position, as entry points take them, and a record to play on: ``records(state)``,
``new_record(game)``.
"""
