"""Reads the battles of positions of Hawaii, 1795 for `battle_solver`: from the public view and the ruleset alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hawaii_env.errors import OptionError
from hawaii_env.game import Game

from .battle_solver import BattleSolver
from .battle_units import ATTACKER, DEFENDER, FIRED, PANICKED, READY, Choice, Group, Position, Terms, UnitType

__all__ = ["BattleReader"]


class BattleReader:
    """Reads battles of one game's positions, in what `BattleSolver` understands.

    Args:
        game: a game of Hawaii, 1795.
    """

    def __init__(self, game: Game) -> None:
        if game.name != "hawaii1795":
            raise OptionError(f"battle-expectimax: plays hawaii1795, not {game.name}")
        self.game: Any = game
        rules = self.game.ruleset
        faces = [[rules.results.column(role, elite).count(r) for r in ("none", "panic", "elimination")]
                 for role in (0, 1) for elite in (0, 1)]  # fmt: skip
        self.results: Any = tuple(tuple(column) for column in faces)
        self.pieces: dict[str, dict[str, Any]] = rules.content["files"]["pieces.toml"]
        self.forts: set[str] = {name for name, space in rules.spaces.items() if space.fort}
        islands = {name: space.island for name, space in rules.spaces.items()}
        self.siblings: dict[str, str | None] = {
            a: next((b for b in islands if b != a and islands[b] == islands[a]), None) for a in islands
        }
        effects = {card: it.event.effect for card, it in zip(rules.card_ids, rules.cards, strict=True) if it.event}
        self.earthworks: set[str] = {card for card, effect in effects.items() if effect == "earthworks"}

    def piece(self, side: str, name: str) -> Any:
        """The ruleset's table of a piece of a side."""
        return self.pieces[side].get(name) or self.pieces["kauai"][name]

    def is_canoe(self, name: str) -> bool:
        """Whether a piece, with marks or without, is a canoe."""
        return "canoe" in name

    def unit(self, view: Any, side: str, name: str, gunpowder: int, exposed: bool) -> UnitType:
        """The type of a unit; exposed: the chiefs' death would end the game."""
        it = self.piece(side, name)
        chief = name in ("kalani", "kaiana")
        gun = bool(it.get("gunpowder", False))
        return UnitType(
            it["strength"] + (gunpowder if gun else 0),
            it["strength"],
            bool(it["elite"]),
            bool(it["plus"]),
            gun,
            bool(it.get("pike", False)),
            int(name == "kamehameha" or (chief and exposed)),
            chief,
        )

    def groups(self, view: Any, role: int, names: Sequence[str]) -> list[Group]:
        """The groups of the pieces of a role (canoes are left out), given with their marks."""
        side = self.side(view, role)
        fighters = [name.split("/") for name in names if not self.is_canoe(name)]
        exposed = self._exposed(view, {name[0] for name in fighters})
        counts: Counter[tuple[UnitType, int]] = Counter()
        for name, *marks in fighters:
            kind = self.unit(view, side, name, self._gunpowder(view, role), exposed)
            counts[kind, PANICKED if "panicked" in marks else FIRED if "fired" in marks else READY] += 1
        return [Group(kind, *(counts[kind, c] for c in (READY, FIRED, PANICKED))) for kind in {k for k, _ in counts}]

    def _gunpowder(self, view: Any, role: int) -> int:
        return view.bonuses["gunpowder"] if role == ATTACKER else 0

    def _exposed(self, view: Any, fighting: set[str]) -> bool:
        """[5.2] Every chief is dead or in this battle."""
        return all(chief in fighting or f"allied:{chief}" in view.dead for chief in ("kalani", "kaiana"))

    def side(self, view: Any, role: int) -> str:
        """The side that attacks (role 0) or defends (1)."""
        return view.half if role == ATTACKER else ("allied" if view.half == "kamehameha" else "kamehameha")

    def role(self, view: Any, side: str | None) -> int:
        """The role of a side."""
        return ATTACKER if side == view.half else DEFENDER

    def there(self, view: Any, side: str, place: str) -> list[str]:
        """The pieces of a side in a place, with their marks."""
        return view.units[side].get(place, [])

    def holds(self, view: Any, side: str, without: Sequence[str | None]) -> bool:
        """[R-07] The side occupies a space other than these."""
        other = self.side(view, 1 - self.role(view, side))
        return any(
            not all(map(self.is_canoe, self.there(view, side, space)))
            and all(map(self.is_canoe, self.there(view, other, space)))
            for space in self.siblings
            if space not in without
        )

    def terms(self, view: Any, kind: str, objective: str, earthworks: bool = False) -> Terms:
        """What holds throughout a battle of a kind for the field of a view."""
        field, sea = view.field, kind == "sea"
        ours, theirs = self.side(view, ATTACKER), self.side(view, DEFENDER)
        refuge = self.holds(view, ours, [])
        if sea:
            escape = refuge, self.holds(view, theirs, [field])
        else:
            pieces = self.there(view, ours, field)
            sailed = [p for p in pieces if p.split("/")[-1] not in self.siblings]
            origin = self.siblings[field]
            back = not sailed and origin is not None and not self.there(view, theirs, origin)
            off = self.holds(view, theirs, [field, origin])
            leave = kind == "overland" and off and any(map(self.is_canoe, self.there(view, theirs, field)))
            # Before a landing the canoes are still at sea.
            canoes = any(map(self.is_canoe, [*pieces, *self.there(view, ours, f"sea/{field}")]))
            escape = (refuge and canoes) or back, leave
        walls = not sea and (field in self.forts or earthworks)
        return Terms(self.results, walls, sea, view.bonuses["advantage"], escape, objective)

    def position(self, solver: BattleSolver, view: Any) -> Position:
        """Where the battle of a view stands. The view's phase is of a battle."""
        battle, field = view.battle, view.field
        places = (f"sea/{field}", "war") if battle["kind"] == "sea" else (field, field)
        sides = [self.there(view, self.side(view, role), places[role]) for role in (0, 1)]
        a, d = (solver.armies[role].units(self.groups(view, role, sides[role])) for role in (0, 1))
        second = int(battle["second"])
        kamehameha = self.role(view, "kamehameha")
        if view.phase in ("advantage", "window"):
            return Position("start", second, a, d, first=battle["first_die"], kamehameha=kamehameha)
        used = [battle["pike_used"][self.side(view, role)] for role in (0, 1)]
        turn, who = self.role(view, battle["turn_side"]), self.role(view, battle["firing"])
        stage = {"fire": "fire", "loss": "lose", "panic": "panic", "hit_die": "roll"}[view.phase]
        elite = False
        if battle["firer"] is not None:
            elite = bool(self.piece(battle["firing"], battle["firer"].split("/")[0])["elite"])
        return Position(stage, second, a, d, turn, used[0] | used[1] << 1, who, elite, battle["dice"])

    def named(self, view: Any, text: str, role: int, choices: Sequence[Choice]) -> Choice:
        """The choice that an action's text names, as ``"lose warrior_2/fired/hilo"``; a plain name stands for the freshest."""
        name, *marks = text.split()[1].split("/")
        kinds = [c[0] for c in choices]
        side = self.side(view, role)
        kind = next(
            k
            for exposed in (False, True)
            if (k := self.unit(view, side, name, self._gunpowder(view, role), exposed)) in kinds
        )
        if marks:
            condition = PANICKED if "panicked" in marks else FIRED if "fired" in marks else READY
        else:
            pieces = [p.split("/") for p in self._fighting(view, role)]
            held = {PANICKED if "panicked" in p else FIRED if "fired" in p else READY for p in pieces if p[0] == name}
            condition = min(c[1] for c in choices if c[0] == kind and c[1] in held)
        return next(c for c in choices if c[0] == kind and c[1] == condition)

    def _fighting(self, view: Any, role: int) -> list[str]:
        sea = view.battle["kind"] == "sea"
        place = view.field if not sea else "war" if role == DEFENDER else f"sea/{view.field}"
        return self.there(view, self.side(view, role), place)
