"""Public module for compiled agents of ALOHA: records, rules, and the backend that long jobs run in.

The functions are rules: other rules call them, interpreted or compiled. `rules` is a record of `TABLES`, `state` one of
`STATE`; `view_rules` and `view_state` give them inside an entry point. `records(state)` gives its arguments:

```python
from hawaii_env.aloha import Game, fast
from hawaii_env.core import EntryPoints, rule


@rule
def count_legal(tables, record):
    rules, state = fast.view_rules(tables), fast.view_state(record)
    fast.list_legal(rules, state)
    return state.n_legal


tables, record = fast.records(Game().initial_state(seed=0))
entry = EntryPoints("aloha", "count", (count_legal,))
print(entry.compile_now(lambda: {"count_legal": (tables, record)}).count_legal(tables, record))
```
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.layout import copy_record

from .game import RULES
from .rules.actions import AMOUNT_OF, MIGRATE, WARRIOR_ONE
from .rules.epilogue import votes
from .rules.names import (
    ACTION,
    ALOHA,
    AMOUNT,
    CHAPTER_1,
    CHAPTER_2,
    CHAPTER_3,
    COMMERCE,
    CONVERT,
    DIE,
    EPILOGUE,
    EVENT,
    FIRST_PLAYER,
    HAWAIIAN,
    KING,
    OVER,
    PROLOGUE,
    PROLOGUE_ACTION,
    SETTLE,
    VOTE,
    WARRIOR,
)
from .rules.scoring import place, reward, scored, winners
from .rules.state import MOST_LEGAL, STATE, TABLES, actions_of

__all__ = [
    "ACTION",
    "ALOHA",
    "AMOUNT",
    "AMOUNT_OF",
    "CHAPTER_1",
    "CHAPTER_2",
    "CHAPTER_3",
    "COMMERCE",
    "CONVERT",
    "DIE",
    "EPILOGUE",
    "EVENT",
    "FIRST_PLAYER",
    "HAWAIIAN",
    "KING",
    "MIGRATE",
    "MOST_LEGAL",
    "OVER",
    "PROLOGUE",
    "PROLOGUE_ACTION",
    "SETTLE",
    "STATE",
    "TABLES",
    "VOTE",
    "WARRIOR",
    "WARRIOR_ONE",
    "actions_of",
    "apply_action",
    "apply_chance",
    "copy_record",
    "is_chance",
    "list_legal",
    "new_record",
    "place",
    "records",
    "reward",
    "run",
    "sample_chance",
    "scored",
    "set_up",
    "view_rules",
    "view_state",
    "votes",
    "winners",
    "write_observation",
]

view_rules: Any = TABLES.view
view_state: Any = STATE.view
"""Return the record behind an argument of an entry point: ``view_rules(tables)``, ``view_state(record)``."""

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
