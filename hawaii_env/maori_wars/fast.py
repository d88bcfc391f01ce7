"""Public module for compiled agents of Maori Wars: records, rules, and the backend that long jobs run in.

The functions are rules: other rules call them, interpreted or compiled. `rules` is a record of `TABLES`, `state` one of
`STATE`, whose module has the conventions; `view_rules` and `view_state` give them inside an entry point. One compiled
code serves all scenarios: lengths are in the records.

```python
from hawaii_env.core import EntryPoints, rule
from hawaii_env.maori_wars import Game, fast


@rule
def count_legal(tables, record):
    rules, state = fast.view_rules(tables), fast.view_state(record)
    fast.list_legal(rules, state)
    return state.n_legal


tables, record = fast.records(Game().initial_state(seed=0))
entry = EntryPoints("maori_wars", "count", (count_legal,))
print(entry.compile_now(lambda: {"count_legal": (tables, record)}).count_legal(tables, record))
```
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.layout import copy_record

from .game import RULES
from .rules.actions import ABSORB_IT, CHARGE_THEM, DONE, EVADE_THEM, OF_SIDE, PASS, SCUTTLE, STACK, STAND, STAY
from .rules.names import (
    ADVANCE,
    BEGIN,
    BOAT,
    BRITISH,
    BUILD,
    BUSH_ACT,
    BUSH_ENTER,
    BUSH_MOVE,
    BUSH_UNIT,
    CHARGE_OR_NOT,
    COMBAT,
    COUNTERSTROKE,
    DECLARE,
    EVADE,
    FORT,
    GREATER,
    KINDS,
    LEADER,
    LEAVE,
    LESSER,
    LOSE,
    MAORI,
    MOVE,
    MOVE_TO,
    MOVE_UNIT,
    MOVEMENT,
    NEGOTIATE,
    NEGOTIATOR,
    NEUTRAL,
    NEUTRAL_UNIT,
    NO_STRUCTURE,
    NO_TOWN,
    OVER,
    PA,
    PARTICIPANTS,
    RAID_SIDE,
    REINFORCE,
    REINFORCE_PLACE,
    REINFORCEMENT,
    RETREAT,
    SAP,
    SAP_PLACE,
    SAP_TARGET,
    SETTLEMENT,
    SHIP_TARGET,
    SHIP_UNIT,
    STRUCTURE,
    TWO_LOSSES,
    UNTAKEN,
    VILLAGE,
    WARRIOR,
)
from .rules.pieces import distance, fighting, is_fighting, is_fort_or_pa, is_held, land_units, structure_owner
from .rules.reinforcement import supplied
from .rules.state import STATE, TABLES
from .rules.strength import count_attackers
from .rules.victory import reward

__all__ = [
    "ABSORB_IT",
    "ADVANCE",
    "BEGIN",
    "BOAT",
    "BRITISH",
    "BUILD",
    "BUSH_ACT",
    "BUSH_ENTER",
    "BUSH_MOVE",
    "BUSH_UNIT",
    "CHARGE_OR_NOT",
    "CHARGE_THEM",
    "COMBAT",
    "COUNTERSTROKE",
    "DECLARE",
    "DONE",
    "EVADE",
    "EVADE_THEM",
    "FORT",
    "GREATER",
    "KINDS",
    "LEADER",
    "LEAVE",
    "LESSER",
    "LOSE",
    "MAORI",
    "MOVE",
    "MOVEMENT",
    "MOVE_TO",
    "MOVE_UNIT",
    "NEGOTIATE",
    "NEGOTIATOR",
    "NEUTRAL",
    "NEUTRAL_UNIT",
    "NO_STRUCTURE",
    "NO_TOWN",
    "OF_SIDE",
    "OVER",
    "PA",
    "PARTICIPANTS",
    "PASS",
    "RAID_SIDE",
    "REINFORCE",
    "REINFORCEMENT",
    "REINFORCE_PLACE",
    "RETREAT",
    "SAP",
    "SAP_PLACE",
    "SAP_TARGET",
    "SCUTTLE",
    "SETTLEMENT",
    "SHIP_TARGET",
    "SHIP_UNIT",
    "STACK",
    "STAND",
    "STATE",
    "STAY",
    "STRUCTURE",
    "TABLES",
    "TWO_LOSSES",
    "UNTAKEN",
    "VILLAGE",
    "WARRIOR",
    "apply_action",
    "apply_chance",
    "copy_record",
    "count_attackers",
    "distance",
    "fighting",
    "is_chance",
    "is_fighting",
    "is_fort_or_pa",
    "is_held",
    "land_units",
    "list_legal",
    "new_record",
    "records",
    "reward",
    "run",
    "sample_chance",
    "set_up",
    "structure_owner",
    "supplied",
    "view_rules",
    "view_state",
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
``new_record(game)``.
"""
