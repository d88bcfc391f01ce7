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
from hawaii_env.game import State

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

view_rules, view_state = TABLES.view, STATE.view
"""Return the record behind an argument of an entry point: ``view_rules(tables)``, ``view_state(record)``."""

list_legal = RULES.hooks["list_legal"]
"""Write the legal actions of who decides to `state.legal`, and their number to `state.n_legal`."""

apply_action = RULES.hooks["apply_action"]
"""Apply a legal action, up to the next decision, chance node or the end: ``apply_action(rules, state, action)``."""

is_chance = RULES.hooks["is_chance"]
"""Return True at a chance node: ``is_chance(rules, state)``."""

sample_chance = RULES.hooks["sample_chance"]
"""Return a chance outcome by the generator in the state: ``sample_chance(rules, state)``."""

apply_chance = RULES.hooks["apply_chance"]
"""Apply a chance outcome: ``apply_chance(rules, state, outcome)``."""

run = RULES.hooks["run"]
"""Go on until somebody has a choice, taking forced choices and sampling chance: ``run(rules, state)``."""

set_up = RULES.hooks["set_up"]
"""Begin a new game; the generator stays: ``set_up(rules, state)``."""

write_observation = RULES.hooks["write_observation"]
"""Write the raw observation of a player: ``write_observation(rules, state, player, out)``."""


def records(state: State) -> tuple[Any, Any]:
    """Return the tables and a copy of a position of ALOHA, as the entry points of long jobs take them."""
    backend = RULES.backend_for_jobs(rules=False)
    return state.game.rules_in(backend), backend.state(state.data)  # pyright: ignore[reportAttributeAccessIssue]


def new_record() -> Any:
    """Return a state to play on, as `records` has it."""
    return RULES.backend_for_jobs(rules=False).state(STATE.new())
