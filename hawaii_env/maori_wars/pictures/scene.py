"""A view as a picture needs it: pieces in groups that look alike, structures, towns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hawaii_env.maori_wars.ruleset import Ruleset

__all__ = ["Group", "Scene", "Structure", "side_of"]

_BOATS = ("gunboat", "canoe")


@dataclass(frozen=True)
class Group:
    """Pieces of a place that look alike: kind or leader, side, whether Disrupted, and how many."""

    kind: str
    side: str
    disrupted: bool
    count: int
    is_leader: bool

    @property
    def is_boat(self) -> bool:
        """Return True for gunboats and canoes."""
        return self.kind in _BOATS


@dataclass(frozen=True)
class Structure:
    """A structure or a town: its kind, side, and whether Disrupted."""

    kind: str
    side: str
    disrupted: bool = False


def side_of(rules: Ruleset, kind: str, owner: str) -> str:
    """Return the side whose colour a piece has: ``maori``, ``queenite``, ``british`` or ``neutral``."""
    if owner != "british":
        return owner
    if kind in rules.leaders:
        return "british" if rules.leaders[kind].category == "british" else "queenite"
    return "queenite" if kind in ("queenite", "canoe") else "british"


class Scene:
    """A view as a picture needs it.

    Attributes:
        groups: by hex or territory, units in the order of their kinds, ready before Disrupted, then leaders.
        structures: by hex; towns are among them where no fort stands on them.
        towns: hexes with a town.
    """

    def __init__(self, view: Mapping[str, Any], rules: Ruleset) -> None:
        self.view: Mapping[str, Any] = view
        self.rules: Ruleset = rules
        self.groups: dict[str, list[Group]] = _groups(view["pieces"], rules)
        taken = set(view["taken"])
        self.structures: dict[str, Structure] = {
            at: Structure("town", "maori" if at in taken else "british") for at in rules.board.towns
        }
        for at, said in view["structures"].items():
            kind, _, condition = said.partition("/")
            owner = kind.partition("_")[0]
            side = owner if owner in ("queenite", "neutral") else "maori" if kind in ("village", "pa") else "british"
            self.structures[at] = Structure(kind, side, bool(condition))

    @property
    def target(self) -> str | None:
        """The hex that is attacked, or None."""
        return (self.view["combat"] or {}).get("target")

    @property
    def participants(self) -> dict[str, dict[str, int]]:
        """[9.0] Participants of the combat that is running: by hex the number of units of each kind."""
        found: dict[str, dict[str, int]] = {}
        for piece in self.view["pieces"] if self.target else ():
            if "participant" in piece["did"]:
                units = found.setdefault(piece["origin"] or piece["at"], {})
                units[piece["kind"]] = units.get(piece["kind"], 0) + 1
        return found

    @property
    def gun(self) -> str | None:
        """The kind of the gun that bombards, or None."""
        gun = (self.view["combat"] or {}).get("gun")
        return gun if gun is None or isinstance(gun, str) else self.view["pieces"][gun]["kind"]

    @property
    def spoken_of(self) -> str | None:
        """The place whose pieces a decision is about: a hex or a territory; None for any."""
        about, combat = self.view["about"] or {}, self.view["combat"] or {}
        step = self.view["step"]
        if step == "reinforce":
            return f"box/{self.view['decides']}"
        if "spot" in combat and step == "lose":
            return combat["spot"]
        if step in ("ship_unit", "negotiator"):
            return None
        return about.get("territory") if self.view["phase"] == "bush" and "territory" in about else about.get("hex")

    @property
    def current(self) -> str | None:
        """The hex or territory of the piece that a decision is about, or None."""
        piece = (self.view["about"] or {}).get("piece")
        return self.view["pieces"][piece]["at"] if isinstance(piece, int) else None

    @property
    def middle(self) -> str | None:
        """The hex whose sides a decision names: that of the piece that leaves it, else the target."""
        piece = (self.view["about"] or {}).get("piece")
        if self.view["step"] in ("leave", "retreat") and isinstance(piece, int):
            return self.view["pieces"][piece]["at"]
        return self.target

    def units(self, at: str) -> Sequence[Group]:
        """Return the groups of a place."""
        return self.groups.get(at, ())


def _groups(pieces: Sequence[Mapping[str, Any]], rules: Ruleset) -> dict[str, list[Group]]:
    order = {name: i for i, name in enumerate((*rules.kinds, "neutral", *rules.leaders))}
    counts: dict[tuple[str, str, str, bool], int] = {}
    for piece in pieces:
        key = piece["at"], piece["kind"], piece["owner"], piece.get("disrupted", False)
        counts[key] = counts.get(key, 0) + 1
    found: dict[str, list[Group]] = {}
    for (at, kind, owner, disrupted), count in sorted(counts.items(), key=lambda one: (order[one[0][1]], one[0][3])):
        side = side_of(rules, kind, owner)
        found.setdefault(at, []).append(Group(kind, side, disrupted, count, kind in rules.leaders))
    return found
