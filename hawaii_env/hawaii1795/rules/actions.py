"""The flat action table: index <-> action <-> text [7.2].

An action is a verb with a piece, a place or a mark. One index stands for all interchangeable pieces of one kind. Where
pieces of one kind differ in condition, the freshest of them take the plain index and the others one with their marks
(`panic warrior_1/panicked`, `march warrior_2/carried waikiki koolau`, `lose warrior_2/fired/hilo`). A canoe is `canoe`
unless kinds of canoe would collide.

The table is made of arithmetic on the offsets below; it never depends on a ruleset.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from hawaii_env._jit import rule

from .errors import TooManyActionsError
from .names import KIND_NAMES, KINDS, MAX_LEGAL, SIDES, SPACES

# Names of units in action texts; leaders first, because they are never sent home; Kaua'i's last, never recruited.
UNIT_NAMES = (
    "kamehameha", "john_young", "kalani", "kaiana",
    "royal_guard", "vancouver", "musketeer", "pike", "warrior_2", "warrior_1", "thunderers", "brown",
    "oahu_warrior", "maui_warrior", "kaiana_warriors", "kauai_warrior",
)  # fmt: skip
CANOE_NAMES = ("canoe", "oahu_canoe", "maui_canoe", "kauai_canoe")
MULTIPLE_NAMES = ("warrior_2", "warrior_1", "oahu_warrior", "maui_warrior", "kauai_warrior")
N_UNITS, N_CANOES, N_MULTIPLE = len(UNIT_NAMES), len(CANOE_NAMES), len(MULTIPLE_NAMES)

# Tuples of ints; typed Any because the rules index them with fields, whose type no checker knows.
# By kind: index of its unit name, of its canoe name, and among the kinds of several pieces; -1 where none.
UNIT_OF_KIND: Any = tuple(UNIT_NAMES.index(k) if k in UNIT_NAMES else -1 for k in KIND_NAMES)
CANOE_OF_KIND: Any = tuple(CANOE_NAMES.index(k) if k in CANOE_NAMES else -1 for k in KIND_NAMES)
MULTIPLE_OF_KIND: Any = tuple(MULTIPLE_NAMES.index(k) if k in MULTIPLE_NAMES else -1 for k in KIND_NAMES)
# By side * 16 + unit name, and by canoe name: the kind. Names that one side alone has stand for both.
KIND_OF_UNIT: Any = tuple(
    KINDS.index("allied_" + n) if side == 1 and "allied_" + n in KINDS else KINDS.index(n)
    for side in (0, 1)
    for n in UNIT_NAMES
)
KIND_OF_CANOE: Any = tuple(KINDS.index(n) for n in CANOE_NAMES)
KIND_OF_MULTIPLE: Any = tuple(KINDS.index(n) for n in MULTIPLE_NAMES)

# Conditions in battle: (clean, fired, panicked) * 9 + where it came from; 0 is the plain action.
CONDITIONS = 27
# The two-space islands [10.2]: march routes and set-up spaces.
ROUTES = (("kona", "hilo"), ("hilo", "kona"), ("waikiki", "koolau"), ("koolau", "waikiki"))
SETUP_SPACES = ("kona", "hilo", "waikiki", "koolau")
SPACE_OF_ROUTE: Any = tuple(SPACES.index(space) for space, _ in ROUTES)
ROUTE_FROM: Any = (0, 1, -1, -1, 2, 3, -1)  # by space: the route that begins there, and the set-up index

DONE, PASS, LAUNCH_FLEET = 0, 1, 2
PLAY = 3  # + side * 9 + card number - 1
PLACE = PLAY + 18  # + (unit or 15 + canoe) * 4 + set-up index
PLACE_PIECES = (N_UNITS - 1) + (N_CANOES - 1)
RECRUIT_ = PLACE + PLACE_PIECES * 4  # + (unit or 15 + canoe) * 7 + space
HOME_ = RECRUIT_ + PLACE_PIECES * 7  # + (unit - 4 or 12 + canoe) * 7 + space
MARCH = HOME_ + (N_UNITS - 4 + N_CANOES) * 7  # + unit * 4 + route
MARCH_CARRIED = MARCH + N_UNITS * 4  # + multiple * 4 + route
FLEET_ = MARCH_CARRIED + N_MULTIPLE * 4  # + canoe * 7 + space
PICKUP_ = FLEET_ + N_CANOES * 7  # + space
EMBARK = PICKUP_ + 7  # + unit
EMBARK_MARCHED = EMBARK + N_UNITS  # + multiple
SAIL_ = EMBARK_MARCHED + N_MULTIPLE  # + space
APPROACH_ = SAIL_ + 7
BATTLE_ = APPROACH_ + 7
RETREAT_ = BATTLE_ + 7
COMMIT_ = RETREAT_ + 7  # + (unit or 16 + canoe) * 7 + space
FIRE_ = COMMIT_ + (N_UNITS + N_CANOES) * 7  # + unit
FIRE_MARKED = FIRE_ + N_UNITS  # + multiple * 8 + came - 1
LOSE = FIRE_MARKED + N_MULTIPLE * 8  # + unit, or 16 + canoe
LOSE_MARKED = LOSE + N_UNITS + N_CANOES  # + multiple * 26 + condition - 1
PANIC_ = LOSE_MARKED + N_MULTIPLE * (CONDITIONS - 1)  # + unit
PANIC_MARKED = PANIC_ + N_UNITS  # + multiple * 26 + condition - 1
N_ACTIONS = PANIC_MARKED + N_MULTIPLE * (CONDITIONS - 1)

PLAIN_CANOE = 0  # the name `canoe`


@rule
def add_legal(state: Any, action: int) -> None:
    """Append a legal action; `sort_legal` leaves one of those that stand there twice."""
    if state.n_legal >= MAX_LEGAL:
        raise TooManyActionsError()
    state.legal[state.n_legal] = action
    state.n_legal += 1


@rule
def sort_legal(state: Any) -> None:
    """Legal actions ascend, each once."""
    n = 0
    last = -1
    for i in range(state.n_legal):
        action = state.legal[i]
        if action > last:
            state.legal[n] = action
            last = action
            n += 1
        elif action < last:
            j = n - 1
            while j >= 0 and state.legal[j] > action:
                j -= 1
            if j < 0 or state.legal[j] != action:
                for k in range(n, j + 1, -1):
                    state.legal[k] = state.legal[k - 1]
                state.legal[j + 1] = action
                n += 1
    state.n_legal = n


@rule
def is_legal(state: Any, action: int) -> bool:
    """The position offers this action."""
    for i in range(state.n_legal):
        if state.legal[i] == action:
            return True
    return False


def _marks(condition: int) -> str:
    state, came = divmod(condition, 9)
    text = ("", "/fired", "/panicked")[state]
    if came:
        text += "/turned" if came == 8 else f"/{SPACES[came - 1]}"
    return text


def _pieces_to_place() -> tuple[str, ...]:
    return UNIT_NAMES[:-1] + CANOE_NAMES[:-1]


@cache
def structure() -> tuple[tuple[str, ...], ...]:
    """Every action as words, in the order of the table: verb, piece with its marks, places; a card as side and number."""
    table: list[tuple[str, ...]] = [("done",), ("pass",), ("launch",)]
    table += [("play", f"{side}/{n}") for side in SIDES[:2] for n in range(1, 10)]
    table += [("place", p, s) for p in _pieces_to_place() for s in SETUP_SPACES]
    table += [("recruit", p, s) for p in _pieces_to_place() for s in SPACES]
    table += [("home", p, s) for p in UNIT_NAMES[4:] + CANOE_NAMES for s in SPACES]
    table += [("march", p, *r) for p in UNIT_NAMES for r in ROUTES]
    table += [("march", p + "/carried", *r) for p in MULTIPLE_NAMES for r in ROUTES]
    table += [("fleet", s) if c == "canoe" else ("fleet", c, s) for c in CANOE_NAMES for s in SPACES]
    table += [("pickup", s) for s in SPACES]
    table += [("embark", p) for p in UNIT_NAMES]
    table += [("embark", p + "/marched") for p in MULTIPLE_NAMES]
    for verb in ("sail", "approach", "battle", "retreat"):
        table += [(verb, s) for s in SPACES]
    table += [("commit", p, s) for p in UNIT_NAMES + CANOE_NAMES for s in SPACES]
    table += [("fire", p) for p in UNIT_NAMES]
    table += [("fire", p + _marks(came)) for p in MULTIPLE_NAMES for came in range(1, 9)]
    table += [("lose", p) for p in UNIT_NAMES + CANOE_NAMES]
    table += [("lose", p + _marks(c)) for p in MULTIPLE_NAMES for c in range(1, CONDITIONS)]
    table += [("panic", p) for p in UNIT_NAMES]
    table += [("panic", p + _marks(c)) for p in MULTIPLE_NAMES for c in range(1, CONDITIONS)]
    assert len(table) == N_ACTIONS
    return tuple(table)


@cache
def table_hash() -> str:
    """Hex SHA-256 of the action table: 64 characters, the same for every ruleset."""
    return hashlib.sha256("\n".join(" ".join(words) for words in structure()).encode()).hexdigest()
