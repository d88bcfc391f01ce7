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
    while state.phase != fast.OVER and not fast.is_chance(state):
        fast.apply_action(rules, state, state.legal[0])
        fast.run(rules, state)
        decisions += 1
    return decisions


tables, record = fast.records(Game().initial_state(seed=1))
entry = EntryPoints("hawaii1795", "count", (count_decisions,), seconds=10)
print(entry.compile_now(lambda: {"count_decisions": (tables, record)}).count_decisions(tables, record))
```

- **Layout**: `state` has the fields of `STATE_FIELDS`, numbers or arrays of int64; `rules` those of `TABLES`. In Python
  both are opaque: `records` copies a position, `new_record` makes one, and `view_rules` and `view_state` give their
  fields inside compiled code.
- **Legal actions**: `state.legal[:state.n_legal]`, ascending; `N_ACTIONS` and `CODEC` are the table of actions.
- **Apply**: `apply_action` at a decision, `apply_chance` where `is_chance` holds; then `run`, up to the next choice or
  chance node. No argument is checked.
- **Copies**: `copy_state` copies a position inside compiled code, `buffer_of` returns what the next copy is made from.
- **Chance**: a card is one of the mask `state.left[state.half]`, a die has the faces 1 to 6; `merge_faces` finds faces
  of equal effect.
- **Observation**: `write_observation` for networks, `write_key` to tell positions apart.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
from typing import Any

from . import core
from .doors import copied as copy_state
from .doors import held as buffer_of
from .doors import merge_faces
from .doors import state_of as view_state
from .doors import tables_of as view_rules
from .models import OWNERS, kind_id, kinds_of
from .observation import (
    N_SHOWN,
    N_TOLD,
    ONES,
    SCALE,
    SIZE,
    template,
    write_key,
    write_observation,
)
from .play import Game, State
from .rules.actions import CODEC, DONE, N_ACTIONS, N_LEADERS, SPACE_OF_ROUTE
from .rules.flow import fall as apply_chance
from .rules.flow import is_chance, run
from .rules.flow import take as apply_action
from .rules.names import (
    CARD,
    CARGO,
    COMMIT,
    DEAD,
    FIRE,
    K_KAIANA,
    K_KALANI,
    K_KAMEHAMEHA,
    LAST_MONTH,
    LOSS,
    MAX_LEGAL,
    MOVE,
    N_KINDS,
    N_NUMBERS,
    N_PIECES,
    N_SPACES,
    OVER,
    PANIC_LOSS,
    PHASES,
    PICKUP,
    RETREAT,
    SAIL,
    TIE,
    WANT_CANOE,
    WANT_WARRIOR,
    WINDOW,
)
from .rules.state import STATE_FIELDS, STATE_WORDS
from .rules.tables import TABLES

__all__ = [
    "CARD", "CARGO", "CODEC", "COMMIT", "DEAD", "DONE", "FIRE", "KIND_NUMBERS", "K_KAIANA", "K_KALANI",
    "K_KAMEHAMEHA", "LAST_MONTH", "LOSS", "MAX_LEGAL", "MOVE", "N_ACTIONS", "N_KINDS", "N_LEADERS",
    "N_NUMBERS", "N_PIECES", "N_SHOWN", "N_SPACES", "N_TOLD", "ONES", "OVER", "PANIC_LOSS", "PHASES", "PICKUP", "RETREAT", "SAIL",
    "SCALE", "SIZE", "SPACE_OF_ROUTE", "STATE_FIELDS", "STATE_WORDS", "TABLES", "TIE", "WANT_CANOE", "WANT_WARRIOR",
    "WINDOW", "apply_action", "apply_chance", "buffer_of", "copy_state", "is_chance", "load_tables", "merge_faces",
    "new_record", "position_bytes", "records", "run", "template", "view_rules", "view_state", "write_key",
    "write_observation",
]  # fmt: skip

KIND_NUMBERS: dict[tuple[str, str], int] = {
    (owner, name): kind_id(i, name) for i, owner in enumerate(OWNERS) for name in kinds_of(i)
}
"""The number of a kind of piece by its owner in the ruleset, "kamehameha", "allied" or "kauai", and its name there."""

_FIRST, _LAST = 8 * core.OFFSET["month"], 8 * core.OFFSET["n_legal"]


def load_tables(game: Game) -> Any:
    """Return the tables of a game as entry points take them."""
    return game.tables_in(core.mode_of_jobs(rules=False))


def records(state: State) -> tuple[Any, Any]:
    """Return the tables and a copy of a position, whose chance is explicit, as entry points take them."""
    buffer = core.mode_of_jobs(rules=False).copy_of(state._buffer)
    core.forget_generators(buffer)
    return load_tables(state.game), buffer


def new_record() -> Any:
    """Return a position to play on, of zeros, as `records` has it."""
    return core.mode_of_jobs(rules=False).new_buffer()


def position_bytes(state: State) -> bytes:
    """Return the bytes of a position, without generators, legal actions and the count of decisions."""
    return core.to_bytes(state._buffer)[_FIRST:_LAST]
