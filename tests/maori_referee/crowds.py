"""Crowded scenarios of a few hexes, for what play of the shipped ones seldom meets; as folders of a ruleset."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .data import Rules

THEATRES = {
    "taranaki": ["1033", "1134", "1337", "0935"],
    "bay_of_plenty": ["2327", "2726", "2525", "2826"],
    "hawkes_bay": ["2836", "2934", "2932"],
    "central_interior": ["2131", "2232", "2031"],
    "auckland": ["1418", "1007", "0913", "1820"],
    "waikato": ["1522", "1724", "1726"],
    "wellington": ["1639", "1743", "1549"],
    "east_cape": ["3531", "2931", "3133"],
}
"""Hexes to crowd around, by territory: coasts, rivers, lakes, towns."""

LEADERS = {
    "maori": ["heke", "kawiti", "wiremu_kingi", "rewi", "te_kooti"],
    "queenite": ["nene", "te_keepa", "ropata"],
    "british": ["despard", "pratt", "cameron", "von_tempsky", "jackson"],
    "neutral": ["pomare", "te_heuheu"],
}

LIGHT = ["militia", "constabulary", "rangers", "queenite"]
STYLES: dict[str, tuple[list[str], list[str]]] = {
    "mixed": (
        ["warrior"] * 4 + ["canoe"],
        ["infantry", "naval", *LIGHT, "queenite", "cavalry", "artillery", "gunboat", "canoe"],
    ),
    "horse": (["warrior"], ["cavalry", "cavalry", "infantry", "artillery"]),
    "siege": (["warrior"], ["infantry", "infantry", "militia", "queenite", "naval", "artillery"]),
    "guns": (["warrior", "canoe"], ["artillery", "gunboat", "infantry", "queenite"]),
    "boats": (["warrior", "canoe", "canoe"], ["queenite", "canoe", "canoe", "gunboat", "infantry"]),
    "bush": (["warrior"], LIGHT),
}
"""Units of Māori and of the British player."""

CUPS = (
    [39], [39, 22], [35, 36], [31, 32], [33, 34, 11], [16, 17, 18, 19, 24], [20, 21, 38, 1], [13, 14, 15, 27, 10],
    [4, 40, 2, 3], [30, 37, 25, 26, 28, 29, 23], [25, 26], [4, 40], list(range(1, 41)), list(range(1, 41)),
)  # fmt: skip
"""Chits of the cup: few, so that each comes often and the cup runs empty."""


class Crowd:
    """A scenario in the making."""

    def __init__(self, content: Mapping[str, Any], rng: random.Random) -> None:
        self.rng, self.content = rng, content
        first = rng.choice(list(THEATRES))
        self.theatre = [first]
        if rng.random() < 0.25:
            near = Rules(content, "campaign").territory_neighbours[first]
            self.theatre.append(rng.choice(near))
        self.scenario: dict[str, Any] = content["scenarios"]["scenarios"]["campaign"] | {"theatre": self.theatre}
        self.rules = Rules({**content, "scenarios": {"scenarios": {"crowd": self.scenario}}}, "crowd")
        self.centre = rng.choice(THEATRES[first])
        self.hexes = sorted(self.rules.open_land, key=lambda h: (self.rules.distance(self.centre, h), h))[
            : rng.choice((9, 14, 20))
        ]
        self.used: Counter[str] = Counter()
        maori, british = STYLES[rng.choice(list(STYLES))]
        self.style: dict[str, list[str]] = {"maori": maori, "british": british}
        self.few = rng.choice(((0, 1, 1, 2, 3), (0, 1, 2, 4), (2, 4, 5)))
        self.leaders = {side: rng.sample(names, len(names)) for side, names in LEADERS.items()}

    def unit(self, kind: str, side: str) -> bool:
        """Take a counter if one is left."""
        number = self.rules.kinds[kind]["count"]
        if kind == "canoe":
            number = number["maori" if side == "maori" else "queenite"]
        key = f"{side} canoe" if kind == "canoe" else kind
        self.used[key] += 1
        return self.used[key] <= min(number, 12)

    def units(self, side: str, hex_id: str | None, number: int) -> dict[str, int]:
        """Some units for a hex, or for a Box."""
        found: Counter[str] = Counter()
        for _ in range(number):
            kind = self.rng.choice(self.style[side])
            if kind in ("canoe", "gunboat"):
                land = self.rules.land[hex_id] if hex_id else None
                floats = land and (land.coast if kind == "gunboat" else not land.dry)
                if not floats:
                    continue
            elif hex_id and not self.fits(found + Counter([kind]), hex_id):
                continue
            if self.unit(kind, side):
                found[kind] += 1
        return dict(found)

    def fits(self, units: Counter[str], hex_id: str) -> bool:
        """[4.0] Within the limit."""
        counted = {kind: number for kind, number in units.items() if self.rules.kinds[kind]["stacks"]}
        british = any(self.rules.kinds[kind]["side"] == "british" for kind in counted)
        rough = self.rules.land[hex_id].terrain == "rough"
        return sum(counted.values()) <= (2 if british and rough else 4)

    def structure(self, *kinds: str) -> str | None:
        """A structure of which a counter is left."""
        kind = self.rng.choice(kinds)
        self.used[kind] += 1
        return kind if self.used[kind] <= self.rules.structure_count[kind] else None

    def line(self, hex_id: str) -> dict[str, Any] | None:
        """What stands in a hex at the start."""
        rng, town = self.rng, hex_id in self.rules.towns
        side = "british" if town else rng.choice(("maori", "maori", "british", "british", "neutral", ""))
        if not side or (side == "neutral" and rng.random() < 0.5):
            return None
        line: dict[str, Any] = {"at": hex_id}
        kinds = {
            "maori": ("village", "pa"),
            "british": ("fort",) if town else ("settlement", "fort", "queenite_village", "queenite_pa"),
            "neutral": ("neutral_village", "neutral_pa"),
        }[side]
        if side == "neutral" or rng.random() < 0.5:
            structure = self.structure(*kinds)
            if structure:
                line["structure"] = structure
        if side == "neutral":
            if "structure" not in line:
                return None
            line["neutral"] = rng.choice((0, 1, 2))
            if rng.random() < 0.4 and self.leaders["neutral"]:
                line["leaders"] = [self.leaders["neutral"].pop()]
            return line
        line["units"] = self.units(side, hex_id, rng.choice(self.few))
        categories = ("maori",) if side == "maori" else ("british", "british", "queenite")
        category = rng.choice(categories)
        if rng.random() < 0.45 and self.leaders[category] and self.owned(line, side):
            line["leaders"] = [self.leaders[category].pop()]
        return line if self.owned(line, side) or (town and len(line) > 2) else None

    @staticmethod
    def owned(line: Mapping[str, Any], side: str) -> bool:
        """The line shows whose hex it is, and no canoe lies alone."""
        return "structure" in line or any(kind != "canoe" for kind in line.get("units", ()))

    def arrivals(self, turns: int) -> list[dict[str, Any]]:
        """Units that come later, also where enemies stand."""
        found = []
        for _ in range(self.rng.choice((0, 1, 2))):
            side = self.rng.choice(("maori", "british"))
            names = self.leaders[side]
            hex_id = self.rng.choice(self.hexes)
            line: dict[str, Any] = {"turn": self.rng.randint(1, turns), "side": side, "at": hex_id}
            kind = self.rng.choice(
                ("warrior",) if side == "maori" else ("infantry", "militia", "artillery", "queenite")
            )
            number = self.rng.choice((1, 2))
            if all(self.unit(kind, side) for _ in range(number)):
                line["units"] = {kind: number}
            if names and self.rng.random() < 0.5:
                line["leaders"] = [names.pop()]
            if "units" in line:
                found.append(line)
        return sorted(found, key=lambda line: line["turn"])

    def finish(self) -> dict[str, Any]:
        """The scenario."""
        rng, turns = self.rng, self.rng.choice((1, 2, 3))
        setup = [line for hex_id in self.hexes if (line := self.line(hex_id))]
        cup = rng.choice(CUPS)
        scenario: dict[str, Any] = {
            "name": "A crowd",
            "turns": turns,
            "first": "1860-03",
            "theatre": self.theatre,
            "designated": rng.choice((self.theatre, self.theatre, self.theatre[:1])),
            "remove": [number for number in range(1, 41) if number not in cup],
            "per_turn": {"maori": rng.choice((1, 2)), "british": rng.choice((1, 2))},
            "fort_limit": rng.choice((0, 1, 99)),
            "bush_banned": rng.choice(([], [], ["militia"], ["rangers", "warrior"])),
            "sap": rng.random() < 0.7,
            "box": {side: self.units(side, None, rng.choice((0, 2, 4))) for side in ("maori", "british")},
            "arrivals": self.arrivals(turns),
            "source": "reconstructed",
            "setup": setup,
        }
        start = [line["at"] for line in setup if self.rules.land[line["at"]].coast and british(line)]
        if start and rng.random() < 0.5:
            scenario["shipment"] = {"turn": 1, "from": rng.choice(start), "units": rng.choice((1, 2, 4))}
        return scenario


def british(line: Mapping[str, Any]) -> bool:
    """British units stand there."""
    return bool(set(line.get("units", ())) - {"warrior", "canoe", "queenite"})


def crowd(content: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A crowded scenario of chance's choosing."""
    return Crowd(content, random.Random(seed)).finish()


# Files


def toml(value: Any) -> str:
    """A value as TOML, tables inline."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def write(folder: Path, scenarios: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write a ruleset's folder with these scenarios alone."""
    lines = [f"default = {json.dumps(next(iter(scenarios)))}"]
    for name, scenario in scenarios.items():
        lines.append(f"\n[scenarios.{name}]")
        lines += [f"{key} = {toml(value)}" for key, value in scenario.items()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scenarios.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
