"""Compiled rules of Hawaii, 1795 for agents.

A compiled agent marks its functions with `hawaii_env.core.rule`, gives those that Python calls to
`hawaii_env.core.EntryPoints`, and uses what this module exports. The same functions run as ordinary Python in
interpreted mode.

```python
from hawaii_env.core import EntryPoints, rule
from hawaii_env.hawaii1795 import Game, fast


@rule
def count_decisions(tables, record):
    rules, state = fast.view_rules(tables), fast.view_state(record)
    decisions = 0
    while state.phase != fast.OVER and not fast.is_chance(rules, state):
        fast.apply_action(rules, state, state.legal[0])
        fast.run(rules, state)
        decisions += 1
    return decisions


tables, record = fast.records(Game().initial_state(chance="explicit"))
entry = EntryPoints("hawaii1795", "count", (count_decisions,))
print(entry.compile_now(lambda: {"count_decisions": (tables, record)}).count_decisions(tables, record))
```

- **Layout**: `state` has the fields of `STATE`, numbers or arrays of int64; `rules` those of `TABLES`. In Python
  both are opaque: `records` copies a position, `new_record` makes one, and `view_rules` and `view_state` give their
  fields inside compiled code.
- **Legal actions**: `state.legal[:state.n_legal]`, ascending; `N_ACTIONS` and `CODEC` are the table of actions.
- **Apply**: `apply_action` at a decision, `apply_chance` where `is_chance` holds; then `run`, up to the next choice or
  chance node. No argument is checked.
- **Copies**: `copy_state` copies a position into another record inside compiled code.
- **Chance**: a card is one of the mask `state.left[state.half]`, a die has the faces 1 to 6; `merge_faces` finds faces
  of equal effect.
- **Observation**: `update_observation` for networks, `write_key` to tell positions apart.
- **Every game** has `list_legal`, `apply_action`, `is_chance`, `sample_chance`, `apply_chance`, `run`, `set_up` and
  `write_observation`; see `hawaii_env.core.game.AGENT_HOOKS`.
"""

from __future__ import annotations

from typing import Any

# pyright: reportPrivateUsage=false
import numpy as np

from hawaii_env.core.layout import copy_record

from .entries import copy_state, merge_faces, new_spare, view_rules, view_state
from .game import RULES, State
from .models import OWNERS, kind_id, kinds_of
from .observation import (
    N_CODES,
    N_SHOWN,
    ONES,
    SCALE,
    SIZE,
    template,
    update_observation,
    write_key,
)
from .positions.view import MARKS
from .rules.actions import CODEC, DONE, N_ACTIONS, N_LEADERS, SPACE_OF_ROUTE
from .rules.names import (
    ABOARD,
    APPROACH,
    BATTLE_ORDER,
    BY_SEA_LOSER,
    CANOE_LOSS,
    CARD,
    CARGO,
    COMMIT,
    DEAD,
    FIRE,
    HOME,
    K_KAIANA,
    K_KALANI,
    K_KAMEHAMEHA,
    LAST_MONTH,
    LAUNCH,
    LOSS,
    MAX_LEGAL,
    MOVE,
    N_KINDS,
    N_NUMBERS,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    OVER,
    PANIC_LOSS,
    PHASES,
    PICKUP,
    RECRUIT,
    RETREAT,
    SAIL,
    SEA,
    SEA_BATTLE,
    SETUP,
    SPACES,
    TIE,
    WANT_CANOE,
    WANT_WARRIOR,
    WAR,
    WINDOW,
    WINDOW_BATTLE,
    WINDOW_MOVEMENT,
    WINDOW_SIGHTING,
    WITHDRAW,
)
from .rules.state import STATE
from .rules.tables import TABLES

__all__ = [
    "ABOARD",
    "APPROACH",
    "BATTLE_ORDER",
    "BY_SEA_LOSER",
    "CANOE_LOSS",
    "CARD",
    "CARGO",
    "CODEC",
    "COMMIT",
    "DEAD",
    "DONE",
    "FIRE",
    "HOME",
    "KIND_NUMBERS",
    "K_KAIANA",
    "K_KALANI",
    "K_KAMEHAMEHA",
    "LAST_MONTH",
    "LAUNCH",
    "LOSS",
    "MARKS",
    "MAX_LEGAL",
    "MOVE",
    "NEUTRAL",
    "N_ACTIONS",
    "N_CODES",
    "N_KINDS",
    "N_LEADERS",
    "N_NUMBERS",
    "N_PIECES",
    "N_SHOWN",
    "N_SPACES",
    "ONES",
    "OVER",
    "PANIC_LOSS",
    "PHASES",
    "PICKUP",
    "RECRUIT",
    "RETREAT",
    "SAIL",
    "SCALE",
    "SEA",
    "SEA_BATTLE",
    "SETUP",
    "SIZE",
    "SPACES",
    "SPACE_OF_ROUTE",
    "STATE",
    "TABLES",
    "TIE",
    "WANT_CANOE",
    "WANT_WARRIOR",
    "WAR",
    "WINDOW",
    "WINDOW_BATTLE",
    "WINDOW_MOVEMENT",
    "WINDOW_SIGHTING",
    "WITHDRAW",
    "apply_action",
    "apply_chance",
    "copy_record",
    "copy_state",
    "is_chance",
    "list_legal",
    "merge_faces",
    "new_record",
    "new_spare",
    "position_bytes",
    "records",
    "run",
    "sample_chance",
    "set_up",
    "template",
    "update_observation",
    "view_rules",
    "view_state",
    "write_key",
    "write_observation",
]  # fmt: skip

KIND_NUMBERS: dict[tuple[str, str], int] = {
    (owner, name): kind_id(i, name) for i, owner in enumerate(OWNERS) for name in kinds_of(i)
}
"""The number of a kind of piece by its owner in the ruleset, "kamehameha", "allied" or "kauai", and its name there."""

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
``new_record()``.
"""


def position_bytes(state: State) -> bytes:
    """Return the bytes of a position, without generators, legal actions and the count of decisions."""
    return np.array(STATE.words(state.data)[STATE.offset("month") : STATE.offset("n_legal")], np.int64).tobytes()
