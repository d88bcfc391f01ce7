"""Names and colours for people."""

from __future__ import annotations

from collections.abc import Mapping

from hawaii_env.maori_wars.charts import Chit
from hawaii_env.maori_wars.ruleset import Ruleset
from hawaii_env.texts import count

__all__ = [
    "COLOURS",
    "PHASE_NAMES",
    "STRUCTURE_NAMES",
    "TERRAIN_NAMES",
    "THEMES",
    "chit_effect",
    "counted",
    "initials",
    "kind_name",
    "level_of",
    "month",
]

COLOURS: Mapping[str, str] = {"maori": "#22312D", "queenite": "#2A5C8C", "british": "#A5352B", "neutral": "#7A7364"}
"""Dark green, blue, red, grey: apart in darkness too, and dark enough for white signs upon them."""

STRUCTURE_NAMES: Mapping[str, str] = {
    "settlement": "settlement",
    "fort": "fort",
    "village": "village",
    "pa": "pā",
    "queenite_village": "Queenite village",
    "queenite_pa": "Queenite pā",
    "neutral_village": "neutral village",
    "neutral_pa": "neutral pā",
}
PHASE_NAMES: Mapping[str, str] = {
    "reinforcement": "Reinforcement",
    "movement": "Movement",
    "rally": "Rally",
    "alliance": "Alliance",
    "combat": "Combat",
    "bush": "Bush raiders",
    "construction": "Construction",
    "attrition": "Attrition",
}
TERRAIN_NAMES: Mapping[str, str] = {"clear": "clear ground", "rough": "bush and hills", "mountain": "mountain"}

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]

THEMES: Mapping[str, tuple[str, str]] = {
    "far": ("fill", "#E3DFD0"),
    "shore": ("stroke", "#587C84"),
    "clear": ("fill", "#EBE3BF"),
    "clear_edge": ("stroke", "#EBE3BF"),
    "rough": ("fill", "#BBCF9C"),
    "bush": ("stroke", "#9DB982"),
    "high": ("fill", "#CDBFA6"),
    "peak": ("fill", "#94856E"),
    "snow": ("fill", "#FBF9F2"),
    "grid": ("stroke", "#5B5536"),
    "border": ("stroke", "#8A4B2A"),
    "water": ("fill", "#8FC0D1"),
    "river": ("stroke", "#5B9DB6"),
    "ford": ("stroke", "#F7FCFD"),
    "area": ("fill", "#6B4A2C"),
    "ink": ("fill", "#24303A"),
    "halo": ("stroke", "#F5F0DA"),
    "paper": ("fill", "#FBF8EF"),
    "soft": ("fill", "#4C5A61"),
    "frame": ("stroke", "#B9AE93"),
    "box": ("fill", "#F1EBDA"),
    "maori": ("fill", "#22312E"),
    "british": ("fill", "#A5352B"),
    "mark": ("fill", "#B4471F"),
}
"""Colours of the ground and of texts: property and colour. Dark pages replace those of `hawaii_env.render.theme`."""


def month(first: str, turn: int) -> str:
    """Return the months of a turn, two a turn [2.0]: ``"March 1860"``."""
    year, number = map(int, first.split("-"))
    number += 2 * (turn - 1) - 1
    return f"{_MONTHS[number % 12]} {year + number // 12}"


_FORMS: Mapping[str, tuple[str, str]] = {
    "infantry": ("infantry", "infantry"),
    "naval": ("naval unit", "naval units"),
    "militia": ("militia", "militia"),
    "constabulary": ("Armed Constabulary", "Armed Constabulary"),
    "rangers": ("Rangers", "Rangers"),
    "cavalry": ("cavalry", "cavalry"),
    "artillery": ("artillery", "artillery"),
    "gunboat": ("gunboat", "gunboats"),
    "queenite": ("Queenite warrior", "Queenite warriors"),
    "warrior": ("Māori warrior", "Māori warriors"),
    "canoe": ("canoe", "canoes"),
    "neutral": ("neutral unit", "neutral units"),
}


def counted(rules: Ruleset, kind: str, number: int) -> str:
    """Return a number of units in words: ``"2 Māori warriors"``; of a leader his name."""
    return rules.leaders[kind].name if kind in rules.leaders else f"{number} {_FORMS[kind][number != 1]}"


def kind_name(rules: Ruleset, kind: str) -> str:
    """Return the name of a kind of unit, or of a leader."""
    if kind == "neutral":
        return "Neutral unit"
    return rules.leaders[kind].name if kind in rules.leaders else rules.kinds[kind].name


def initials(name: str) -> str:
    """Return two letters for a leader: of his first two names that are not particles."""
    words = [word for word in name.split() if word[0].isupper() and word not in ("Te", "II")]
    return (words[0][0] + words[1][0] if len(words) > 1 else words[0][:2]).upper()


def level_of(rules: Ruleset, marker: int) -> str:
    """[1.0] Return what a marker means at the end: ``"minor victory of the British"``."""
    victory, points = rules.charts.victory, abs(marker)
    if points < victory.minor:
        return "tie"
    level = "decisive" if points >= victory.decisive else "major" if points >= victory.major else "minor"
    return f"{level} victory of {'the British' if marker > 0 else 'Māori'}"


_CONDITIONS = {
    "maori_attacks": "Māori attack",
    "british_attacks": "the British player attacks",
    "rough": "the target is rough",
    "river": "the target is on a river",
    "pa": "the target is a pā",
}


def _condition(rules: Ruleset, condition: str) -> str:
    party, _, kind = condition.partition(" ")
    if not kind:
        return _CONDITIONS[party]
    return f"the {party.removesuffix('_has')} has {rules.kinds[kind].name}"


def chit_effect(rules: Ruleset, chit: Chit) -> str:
    """[9.0] Return what a chit does, in a line."""
    effect = chit.effect
    parts = [
        f"{what} {number:+}"
        for what, number in (
            ("attack", effect.attack), ("counter-attack", effect.counter), ("bombardment", effect.bombard),
        )
        if number is not None
    ]  # fmt: skip
    if effect.counter_column:
        parts.append(f"counter-attack {count(effect.counter_column, 'column')} to the right")
    said = {
        "no_counter": "no counter-attack",
        "no_bombard": "no bombardment",
        "call_off": "the combat is called off",
        "slip_away": "the defenders slip away",
        "second_combat": "the defender may attack in turn",
    }
    parts += [text for key, text in said.items() if getattr(effect, key)]
    if effect.reinforce:
        who = {"maori": "Māori", "british": "the British player"}.get(effect.reinforce, f"the {effect.reinforce}")
        parts.append(f"a unit from the box for {who}")
    if effect.disrupt:
        parts.append("an attacking unit is Disrupted")
    if effect.rally:
        parts.append(f"the {effect.rally}'s units rally")
    if effect.leader_hit and effect.faces:
        parts.append(f"a leader of the {effect.leader_hit} falls on {' or '.join(map(str, effect.faces))}")
    if effect.points and effect.amount:
        parts.append(f"{count(effect.amount, 'point')} for {'Māori' if effect.points == 'maori' else 'the British'}")
    text = ", ".join(parts) or "nothing happens"
    if chit.if_:
        text = f"if {' and '.join(_condition(rules, one) for one in chit.if_)}: {text}"
    return text[:1].upper() + text[1:]
