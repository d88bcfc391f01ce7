"""Rulesets with other numbers and other chits, for what the shipped ones never ask for."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .crowds import toml
from .data import beside

RESULTS = ("none", "D", "A", "R", "E", "ER", "EE")
TABLES = {"units": ("none", "D", "E"), "canoe": ("none", "D", "removed"), "pa": ("none", "D", "removed")}
KINDS = ("infantry", "militia", "rangers", "cavalry", "artillery", "gunboat", "queenite", "warrior", "canoe")


def variant(content: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Other charts, values of units, chits, terrain, hexsides, rivers and towns; the counters stay."""
    rng = random.Random(seed)
    made: dict[str, Any] = copy.deepcopy(dict(content))
    vary_charts(made["charts"], rng)
    vary_map(made["map"], rng)
    for kind in made["units"]["kinds"].values():
        kind["move"] = rng.randint(1, 8)
        if "cost" in kind:
            kind["cost"] = {"clear": rng.randint(1, 2), "rough": rng.randint(1, 3)}
        for key, most in (("panic", 4), ("bonus", 3)):
            if key in kind:
                kind[key] = rng.randint(0, most)
    made["dispatches"]["chits"] = [vary_chit(chit, rng) for chit in made["dispatches"]["chits"]]
    return made


def faces(rng: random.Random) -> list[int]:
    """Some faces of a die."""
    return sorted(rng.sample(range(1, 7), rng.randint(1, 5)))


def vary_charts(charts: dict[str, Any], rng: random.Random) -> None:
    """Tables, faces, modifiers and points."""
    for column in ("lesser", "equal", "greater"):
        charts["crt"][column] = rng.choices(RESULTS, k=9)
    for column, results in TABLES.items():
        charts["bombardment"][column] = rng.choices(results, k=6)
    charts["bombardment"]["neutral"] = rng.choices(("maori", "none", "british"), k=6)
    charts["alliance"]["result"] = rng.choices(("opponent", "none", "own"), k=7)
    for key in charts["evasion"]:
        if key != "source":
            charts["evasion"][key] = faces(rng)
    charts["combat"]["absorb"], charts["bush"]["hunt"] = faces(rng), faces(rng)
    for key in charts["points"]:
        if key != "source":
            charts["points"][key] = rng.randint(0, 2)
    for key in charts["rally"]:
        if key != "source":
            charts["rally"][key] = rng.randint(2, 6)
    charts["bush"]["limit"] = {"maori": rng.randint(1, 4), "british": rng.randint(1, 4)}
    charts["combat"] |= {"charge": rng.randint(0, 3), "militia_alone": -rng.randint(0, 3), "fort_strength": 3}
    charts["supply"]["units_per_structure"] = rng.randint(1, 3)


def vary_map(chart: dict[str, Any], rng: random.Random) -> None:
    """Terrain, dotted segments, rivers and sides of chance's choosing, lakes of two hexes, more towns."""
    hexes: dict[str, dict[str, Any]] = chart["hexes"]
    for name in [*hexes]:
        hexes[name] = {key: hexes[name][key] for key in ("terrain", "territory")} | {"source": "reconstructed"}
    if rng.random() < 0.5:
        del hexes["2232"]
        chart["water"]["lake"].append("2232")
    sides = chart["hexsides"]
    used = {frozenset(pair) for kind in ("water", "mixed", "lake") for pair in sides[kind]}
    old = {*(at for name, at in chart["towns"].items() if name != "source"), *frozenset[str]().union(*used)}
    free = [at for at in hexes if at not in old]
    for at in rng.sample(free, 90):
        hexes[at]["terrain"] = rng.choice(("clear", "rough", "mountain"))
    chart["towns"] |= {
        f"town_{i}": at for i, at in enumerate(rng.sample([h for h in free if hexes[h]["terrain"] != "mountain"], 8))
    }
    for river in chart["rivers"].values():
        river["navigable"] = rng.randint(0, len(river["hexes"]))
    for at in rng.choices(free, k=60):
        other = rng.choice([*beside(at).values()])
        heights = [hexes[one]["terrain"] for one in (at, other) if one in hexes]
        if len(heights) == 2 and heights != ["mountain", "mountain"] and frozenset((at, other)) not in used:
            used.add(frozenset((at, other)))
            sides[rng.choice(("water", "mixed", "lake"))].append([at, other])
    for number in range(12):
        way = [rng.choice(free)]
        while len(way) < 6 and (near := [o for o in beside(way[-1]).values() if o in hexes and o not in way]):
            way.append(rng.choice(near))
        chart["rivers"][f"river_{number}"] = {
            "name": f"River {number}", "hexes": way, "navigable": rng.randint(0, len(way)), "source": "reconstructed",
        }  # fmt: skip


def vary_chit(chit: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Another effect under other conditions."""
    party = ("attacker", "defender")
    effect = rng.choice(
        (
            {"attack": rng.randint(-2, 2), "counter": rng.randint(-2, 2)},
            {"bombard": rng.randint(-2, 2), "counter_column": rng.randint(1, 2)},
            {"no_counter": True},
            {"no_bombard": True},
            {"call_off": True},
            {"reinforce": rng.choice((*party, "maori", "british"))},
            {"disrupt": "attacker"},
            {"rally": rng.choice(party)},
            {"leader_hit": rng.choice(party), "faces": faces(rng)},
            {"slip_away": True},
            {"second_combat": True},
            {"points": rng.choice(("maori", "british")), "amount": rng.randint(1, 2)},
        )
    )
    conditions = ["maori_attacks", "british_attacks", "rough", "river", "pa"]
    conditions += [f"{side}_has {kind}" for side in party for kind in KINDS]
    made = {"n": chit["n"], "title": chit["title"], "effect": effect}
    if rng.random() < 0.4:
        made["if"] = rng.sample(conditions, 1)
    if rng.random() < 0.3:
        made["once"] = True
    return made


def write(
    folder: Path, content: Mapping[str, Any], names: tuple[str, ...] = ("charts", "units", "dispatches", "map")
) -> Path:
    """Write files of a ruleset."""
    for name in names:
        lines = [f"{json.dumps(key)} = {toml(value)}" for key, value in content[name].items()]
        (folder / f"{name}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
