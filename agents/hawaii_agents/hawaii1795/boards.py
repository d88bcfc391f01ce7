"""A position of Hawaii, 1795 as plans see it: units and canoes by side and space [3.0, 4.0]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hawaii_env.hawaii1795.battles import BattleTable, keeping
from hawaii_env.hawaii1795.fast import KIND_NUMBERS

__all__ = ["SIDES", "Board", "Rules", "Unit", "board_of", "units_of"]

SIDES = ("kamehameha", "allied")
OWNERS = ("kamehameha", "allied", "kauai")
MONTHS = (
    "", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A kind of piece, as plans see it. One object a kind and ruleset: equal means identical, which is quick to ask.

    Attributes:
        name: its name in positions and actions.
        owner: "kamehameha", "allied" or "kauai".
        kind: the kind's number in the wing.
        strength: dice that it rolls; 0 for a canoe.
        elite, plus, gun, pike, leader, canoe, warrior: what the rules say of it.
        homes: spaces where it may be recruited without a leader.
        power: what it is worth in battle, in standard warriors: attacking in the open, attacking walls, defending in
            the open, defending behind walls.
        worth: in which order it is given up, the least first.
    """

    name: str
    owner: str
    kind: int
    strength: int
    elite: bool
    plus: bool
    gun: bool
    pike: bool
    leader: bool
    canoe: bool
    warrior: bool
    homes: frozenset[str]
    power: tuple[float, float, float, float]
    worth: float


def units_of(game: Any) -> dict[tuple[str, str], Unit]:
    """Return the kinds of piece of a game's ruleset by (owner, name), as `Unit`."""
    return _units_of(game.ruleset)


@lru_cache(maxsize=1024)
def _units_of(ruleset: Any) -> dict[tuple[str, str], Unit]:
    tables: dict[str, dict[str, dict[str, Any]]] = ruleset.content["pieces.toml"]
    islands = {space: it.island for space, it in ruleset.spaces.items()}
    table = BattleTable.of(ruleset)
    found: dict[tuple[str, str], Unit] = {}
    for owner in ("kamehameha", "allied", "kauai"):
        for name, it in tables[owner].items():
            strength = int(it.get("strength") or 0)
            kind = it["class"]
            elite, plus, gun, pike = (bool(it.get(key)) for key in ("elite", "plus", "gunpowder", "pike"))
            power = table.power((strength, elite, plus, gun, pike)) if strength else (0.0, 0.0, 0.0, 0.0)
            worth = keeping(strength, elite, gun, pike, kind == "leader")
            homes = frozenset(s for s, island in islands.items() if island in it.get("home", ()))
            leader, canoe, warrior = (kind == k for k in ("leader", "canoe", "warrior"))
            found[owner, name] = Unit(
                name,
                owner,
                KIND_NUMBERS[owner, name],
                strength,
                elite,
                plus,
                gun,
                pike,
                leader,
                canoe,
                warrior,
                homes,
                power,
                worth,
            )
    return found


class Rules:
    """The parts of a game's rules that plans need: pieces, map, victory, cards.

    Attributes:
        game: the game.
        units: kinds of piece by (owner, name).
        n_kinds: how many numbers kinds have.
        spaces: names of the spaces; other fields index them.
        fort: by space.
        sibling: by space, the island's other space, or -1.
        table: odds of battles.
        goals: by side: spaces all of which it needs, spaces of which it needs some, how many, spaces of which it needs
            one.
        fleets: by side and card number (1 to 9), fleet moves.
        load: how many units, and how many leaders, a canoe carries [10.3].
        recruits: by side and card number, the force that the card brings, in standard warriors.
        homes: by side, spaces where it may recruit without a leader.
        fixed: by month, the number of the card that both sides play then.
        first_month, last_month: the turns.
        events: by card id, the effect of its event.
        assault: the victor of a sea battle fights the garrison on landing.
        final: Kamehameha's occupation is looked at once more after the last turn.
    """

    def __init__(self, game: Any) -> None:
        ruleset = game.ruleset
        self.game: Any = game
        self.units: dict[tuple[str, str], Unit] = units_of(game)
        self.n_kinds: int = len(KIND_NUMBERS)
        self.table: BattleTable = BattleTable.of(ruleset)
        self.spaces: tuple[str, ...] = tuple(ruleset.spaces)
        self.index: dict[str, int] = {space: i for i, space in enumerate(self.spaces)}
        self.fort: list[bool] = [ruleset.spaces[s].fort for s in self.spaces]
        islands = [ruleset.spaces[s].island for s in self.spaces]
        self.sibling: list[int] = [
            next((j for j, other in enumerate(islands) if other == island and j != i), -1)
            for i, island in enumerate(islands)
        ]
        self.goals: list[tuple[frozenset[int], frozenset[int], int, frozenset[int]]] = []
        for side in SIDES:
            goal = ruleset.victory[side]
            sets = [frozenset(self.index[s] for s in group) for group in (goal.all, goal.some, goal.any)]
            self.goals.append((sets[0], sets[1], int(goal.at_least), sets[2]))
        self.fleets: list[list[float]] = [
            [0.0] + [float(ruleset.card(s, n).fleets) for n in range(1, 10)] for s in (0, 1)
        ]
        self.load: tuple[int, int] = (ruleset.canoe_load.units, ruleset.canoe_load.leaders)
        self.recruits: list[list[float]] = [[0.0] * 10 for _ in (0, 1)]
        for side in (0, 1):
            for n in range(1, 10):
                for name, count in ruleset.card(side, n).recruit.items():
                    it = self.units.get((SIDES[side], name))
                    self.recruits[side][n] += count * (it.power[0] if it else 0.0 if name == "canoe" else 1.0)
        self.homes: list[set[int]] = [
            {self.index[s] for (owner, _), it in self.units.items() if owner == name for s in it.homes}
            for name in SIDES
        ]
        scenario = ruleset.scenarios[game.scenario]
        self.fixed: dict[int, int] = {MONTHS.index(month): int(n) for month, n in scenario.fixed_cards.items()}
        self.first_month: int = int(scenario.first_month)
        self.last_month: int = int(scenario.last_month)
        self.assault: bool = game.sea_victor == "assault"
        self.final: bool = bool(game.final_check)
        self.events: dict[str, str] = {
            name: (card.event.effect if card.event else "")
            for name, card in zip(ruleset.card_ids, ruleset.cards, strict=True)
        }

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(game: Any) -> Rules:
        """Return the rules of a game; equal games share them."""
        return Rules(game)

    def unit(self, side: int, text: str) -> Unit:
        """Return the kind of a piece that a side has, by its name; marks behind a slash are ignored."""
        name = text.split("/", 1)[0]
        found = self.units.get((OWNERS[side], name)) if side < 2 else None
        return found or self.units["kauai", name]


@dataclass(slots=True)
class Board:
    """The pieces by place.

    Attributes:
        rules: the rules.
        month: 1 January to 11 November.
        half: whose half it is.
        forces: by side (0, 1, 2 neutral) and space: units, canoes left out.
        boats: by side and space: canoes.
        chiefs: by side: leaders whose death loses the game when the last of them falls [5.2], as far as they live, in
            the box too.
        decks: by side: card numbers left.
        carried: by space: units of the half's side that were carried this half.
        marched: by space: those that marched.
        boats_moved: by space: its canoes that have sailed this half.
        fleets_left: fleet moves left in this half.
        at_sea: by space invaded: the units bound for it, their canoes, and where they sailed from.
    """

    rules: Rules
    month: int
    half: int
    forces: list[list[tuple[Unit, ...]]]
    boats: list[list[int]]
    chiefs: list[int]
    decks: list[list[int]]
    carried: list[tuple[Unit, ...]]
    marched: list[tuple[Unit, ...]]
    boats_moved: list[int]
    fleets_left: int
    at_sea: dict[int, tuple[tuple[Unit, ...], int, int]]
    weights: Any = None

    def copy(self) -> Board:
        """Return a copy whose forces and boats can be changed."""
        return Board(
            self.rules, self.month, self.half, [list(f) for f in self.forces], [list(b) for b in self.boats],
            self.chiefs, self.decks, self.carried, self.marched, self.boats_moved, self.fleets_left,
            self.at_sea, self.weights,
        )  # fmt: skip

    def holds(self, side: int, space: int) -> bool:
        """[R-07] Return True if a side occupies a space."""
        return bool(self.forces[side][space]) and not self.forces[1 - side][space]

    def enemy_in(self, side: int, space: int) -> bool:
        """Return True if a side's landing in a space would be an invasion."""
        return bool(
            self.forces[1 - side][space] or self.boats[1 - side][space] or self.forces[2][space] or self.boats[2][space]
        )


CHIEFS = (("kamehameha",), ("kalani", "kaiana"))


def board_of(state: Any, view: Any = None) -> Board:
    """Return the board of a position.

    Args:
        state: the position.
        view: its `view()`, where it is known already.
    """
    rules = Rules.of(state.game)
    view = state.view() if view is None else view
    n = len(rules.spaces)
    forces: list[list[tuple[Unit, ...]]] = [[()] * n for _ in range(3)]
    boats = [[0] * n for _ in range(3)]
    carried: list[tuple[Unit, ...]] = [()] * n
    marched: list[tuple[Unit, ...]] = [()] * n
    boats_moved = [0] * n
    half = SIDES.index(view.half)
    chiefs = [sum(f"{SIDES[side]}:{name}" not in view.dead for name in CHIEFS[side]) for side in (0, 1)]
    at_sea: dict[int, tuple[tuple[Unit, ...], int, int]] = {}
    for side, places in enumerate(view.units.values()):
        for place, texts in places.items():
            pieces = [(text, rules.unit(side, text)) for text in texts]
            at = rules.index.get(place)
            if at is None:
                bound = rules.index.get(place.removeprefix("sea/"))
                if bound is not None and pieces:
                    origin = next((rules.index[m] for m in texts[-1].split("/")[1:] if m in rules.index), bound)
                    units = ranked(unit for _, unit in pieces if not unit.canoe)
                    at_sea[bound] = units, sum(unit.canoe for _, unit in pieces), origin
                continue
            forces[side][at] = ranked(unit for _, unit in pieces if not unit.canoe)
            boats[side][at] = sum(unit.canoe for _, unit in pieces)
            if side == half:
                carried[at] = tuple(u for text, u in pieces if not u.canoe and "/carried" in text)
                marched[at] = tuple(u for text, u in pieces if not u.canoe and "/marched" in text)
                boats_moved[at] = sum(u.canoe and "/carried" in text for text, u in pieces)
    decks = [list(view.decks[side]) for side in SIDES]
    return Board(
        rules,
        MONTHS.index(view.turn),
        half,
        forces,
        boats,
        chiefs,
        decks,
        carried,
        marched,
        boats_moved,
        view.fleet_moves,
        at_sea,
    )


def ranked(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Return units in the order in which they are kept, the best first."""
    return tuple(sorted(units, key=lambda u: (-u.worth, u.name)))


def without(force: tuple[Unit, ...], taken: Iterable[Unit]) -> tuple[Unit, ...]:
    """Return a force less some of its units."""
    rest = list(force)
    for unit in taken:
        rest.remove(unit)
    return tuple(rest)
