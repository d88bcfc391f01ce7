"""The flat action table: index <-> action <-> text [7.2].

An action is a verb with a piece, a place or a mark. One index stands for all interchangeable pieces of one kind. Where
pieces of one kind differ in condition, the freshest of them take the plain index and the others one with their marks
(`panic warrior_1/panicked`, `march warrior_2/carried waikiki koolau`, `lose warrior_2/fired/hilo`). A canoe is `canoe`
unless kinds of canoe would collide.

The table is declared below, family by family, and never depends on a ruleset.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.codec import Codec, Family
from hawaii_env.core.jit import rule

from .errors import TooManyActionsError
from .names import KIND_NAMES, KINDS, MAX_LEGAL, N_NUMBERS, ORIGIN_TURNED, SIDES, SPACES

# Names of units in action texts; leaders first, because they are never sent home; Kaua'i's last, never recruited.
UNIT_NAMES = (
    "kamehameha", "john_young", "kalani", "kaiana",
    "royal_guard", "vancouver", "musketeer", "pike", "warrior_2", "warrior_1", "thunderers", "brown",
    "oahu_warrior", "maui_warrior", "kaiana_warriors", "kauai_warrior",
)  # fmt: skip
CANOE_NAMES = ("canoe", "oahu_canoe", "maui_canoe", "kauai_canoe")
MULTIPLE_NAMES = ("warrior_2", "warrior_1", "oahu_warrior", "maui_warrior", "kauai_warrior")
N_UNITS, N_CANOES = len(UNIT_NAMES), len(CANOE_NAMES)

# Tuples of ints; typed Any because the rules index them with fields, whose type no checker knows.
# By kind: index of its unit name, of its canoe name, and among the kinds of several pieces; -1 where none.
UNIT_OF_KIND: Any = tuple(UNIT_NAMES.index(k) if k in UNIT_NAMES else -1 for k in KIND_NAMES)
CANOE_OF_KIND: Any = tuple(CANOE_NAMES.index(k) if k in CANOE_NAMES else -1 for k in KIND_NAMES)
MULTIPLE_OF_KIND: Any = tuple(MULTIPLE_NAMES.index(k) if k in MULTIPLE_NAMES else -1 for k in KIND_NAMES)
# By side and unit name, and by canoe name: the kind. Names that one side alone has stand for both.
KIND_OF_UNIT: Any = tuple(
    tuple(KINDS.index(prefix + name if prefix + name in KINDS else name) for name in UNIT_NAMES)
    for prefix in ("", "allied_")
)
KIND_OF_CANOE: Any = tuple(KINDS.index(n) for n in CANOE_NAMES)
KIND_OF_MULTIPLE: Any = tuple(KINDS.index(n) for n in MULTIPLE_NAMES)

# Conditions in battle: (clean, fired, panicked) * N_ORIGINS + where it came from; 0 is the plain action.
N_ORIGINS = ORIGIN_TURNED + 1
CONDITIONS = 3 * N_ORIGINS
# The two-space islands [10.2]: march routes and set-up spaces.
ROUTES = (("kona", "hilo"), ("hilo", "kona"), ("waikiki", "koolau"), ("koolau", "waikiki"))
SETUP_SPACES = ("kona", "hilo", "waikiki", "koolau")
SPACE_OF_ROUTE: Any = tuple(SPACES.index(space) for space, _ in ROUTES)
ROUTE_FROM: Any = tuple(SETUP_SPACES.index(space) if space in SETUP_SPACES else -1 for space in SPACES)
# Where names stand on the axes below. Leaders are never sent home; the last unit and canoe, Kaua'i's, never come from a
# box.
N_LEADERS = 4
N_PLACED_UNITS = N_UNITS - 1
PLAIN_CANOE = 0  # the name `canoe`
PLACED_CANOE = N_PLACED_UNITS + PLAIN_CANOE


def _marks(condition: int) -> str:
    state, origin = divmod(condition, N_ORIGINS)
    text = ("", "/fired", "/panicked")[state]
    if origin:
        text += "/turned" if origin == ORIGIN_TURNED else f"/{SPACES[origin - 1]}"
    return text


def _piece(word: str) -> dict[str, str]:
    name, _, condition = word.partition("/")
    return {"piece": name, "condition": condition}


def _route(word: str) -> dict[str, str]:
    return {"place": word.partition(" ")[2]}  # where it leads: an island has two spaces


def _mark(word: str) -> dict[str, str]:
    condition, origin = "", ""
    for text in word.split("/"):
        if text in ("fired", "panicked"):
            condition = text
        else:
            origin = text
    return {"condition": condition, "arrived_from": origin}


def _with_marks(verb: str, conditions: int) -> Family:
    marks = tuple(map(_marks, range(1, conditions)))

    def text(unit: int, mark: int) -> str:
        return f"{verb} {MULTIPLE_NAMES[unit]}{marks[mark]}"

    when = "battle, where pieces of a kind differ"
    return Family(verb, MULTIPLE_NAMES, marks, text=text, when=when, factors=("piece", _mark))


def _play(side: int, number: int) -> str:
    return f"play {SIDES[side]}/{number + 1}"


def _fleet(canoe: int, space: int) -> str:
    return f"fleet {SPACES[space]}" if canoe == PLAIN_CANOE else f"fleet {CANOE_NAMES[canoe]} {SPACES[space]}"


PIECE_PLACE = ("piece", "place")
_PLACED = UNIT_NAMES[:N_PLACED_UNITS] + CANOE_NAMES[:-1]
_ROUTES = tuple(" ".join(route) for route in ROUTES)
_NUMBERS = tuple(str(number) for number in range(1, N_NUMBERS + 1))

CODEC = Codec(
    done=Family("done", when="movement, cargo or war fleet are complete"),
    passes=Family("pass", when="nothing is played, or no war fleet launched"),
    launch=Family("launch", when="a sighted fleet is met at sea"),
    play=Family("play", SIDES[:2], _NUMBERS, text=_play, when="a held event", factors=("side", "card")),
    place=Family("place", _PLACED, SETUP_SPACES, when="set-up", factors=PIECE_PLACE),
    recruit=Family("recruit", _PLACED, SPACES, when="recruiting", factors=PIECE_PLACE),
    home=Family(
        "home", UNIT_NAMES[N_LEADERS:] + CANOE_NAMES, SPACES, when="Warriors Go Home, storms", factors=PIECE_PLACE
    ),
    march=Family("march", UNIT_NAMES, _ROUTES, when="movement", factors=("piece", _route)),
    march_carried=Family(
        "march",
        [f"{name}/carried" for name in MULTIPLE_NAMES],
        _ROUTES,
        when="movement, after a landing",
        factors=(_piece, _route),
    ),
    fleet=Family("fleet", CANOE_NAMES, SPACES, text=_fleet, when="a fleet move: the canoe", factors=PIECE_PLACE),
    pickup=Family("pickup", SPACES, when="a fleet move: where it embarks", factors=("place",)),
    embark=Family("embark", UNIT_NAMES, when="a fleet move: the cargo", factors=("piece",)),
    embark_marched=Family(
        "embark", [f"{name}/marched" for name in MULTIPLE_NAMES], when="a fleet move: the cargo", factors=(_piece,)
    ),
    sail=Family("sail", SPACES, when="a fleet move: its destination", factors=("place",)),
    approach=Family("approach", SPACES, when="which invasion is looked for first", factors=("place",)),
    battle=Family("battle", SPACES, when="which land battle comes first", factors=("place",)),
    retreat=Family("retreat", SPACES, when="any withdrawal", factors=("place",)),
    commit=Family("commit", UNIT_NAMES + CANOE_NAMES, SPACES, when="a war fleet", factors=PIECE_PLACE),
    fire=Family("fire", UNIT_NAMES, when="battle", factors=("piece",)),
    fire_marked=_with_marks("fire", N_ORIGINS),
    lose=Family("lose", UNIT_NAMES + CANOE_NAMES, when="battle, beaten fleets", factors=("piece",)),
    lose_marked=_with_marks("lose", CONDITIONS),
    panic=Family("panic", UNIT_NAMES, when="battle", factors=("piece",)),
    panic_marked=_with_marks("panic", CONDITIONS),
)
"""The table: what each family's texts and indices are, and with them every action's number."""

ACTION_FACTORS = CODEC.factors(
    piece=UNIT_NAMES + CANOE_NAMES,
    place=SPACES,
    condition=("carried", "marched", "fired", "panicked"),
    arrived_from=(*SPACES, "turned"),
    side=SIDES[:2],
    card=_NUMBERS,
)
"""The factors of each action; of a march the place that it leads to."""

N_ACTIONS = CODEC.size
DONE, PASS, LAUNCH_FLEET = (CODEC.action(name) for name in ("done", "passes", "launch"))
# Where the families stand, for compiled rules.
(
    PLAY, PLACE, RECRUIT_, HOME_, MARCH, MARCH_CARRIED, FLEET_, PICKUP_, EMBARK, EMBARK_MARCHED, SAIL_, APPROACH_,
    BATTLE_, RETREAT_, COMMIT_, FIRE_, FIRE_MARKED, LOSE, LOSE_MARKED, PANIC_, PANIC_MARKED,
) = (CODEC.block(name) for name in list(CODEC.families)[3:])  # fmt: skip


@rule
def add_legal(state: Any, action: int) -> None:
    """Append a legal action; `sort_legal` leaves one of those that stand there twice."""
    if state.n_legal >= MAX_LEGAL:
        raise TooManyActionsError()
    state.legal[state.n_legal] = action
    state.n_legal += 1


@rule
def sort_legal(state: Any) -> None:
    """Sort the legal actions, each once."""
    n = 0
    for i in range(state.n_legal):
        action = state.legal[i]
        at = n
        while at > 0 and state.legal[at - 1] > action:
            at -= 1
        if at == 0 or state.legal[at - 1] != action:
            for k in range(n, at, -1):
                state.legal[k] = state.legal[k - 1]
            state.legal[at] = action
            n += 1
    state.n_legal = n
