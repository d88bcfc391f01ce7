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
    "style_sheet",
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

THEMES: Mapping[str, tuple[str, str, str]] = {
    "sea": ("fill", "#9CC6D3", "#16303B"),
    "shoal": ("stroke", "#FFFFFF", "#6FA9BC"),
    "far": ("fill", "#E3DFD0", "#2B312D"),
    "shore": ("stroke", "#587C84", "#7FA7B2"),
    "clear": ("fill", "#EBE3BF", "#55543A"),
    "clear_edge": ("stroke", "#EBE3BF", "#55543A"),
    "rough": ("fill", "#BBCF9C", "#34492F"),
    "bush": ("stroke", "#9DB982", "#2A3F24"),
    "high": ("fill", "#CDBFA6", "#4A443A"),
    "peak": ("fill", "#94856E", "#8B8170"),
    "snow": ("fill", "#FBF9F2", "#D8D5CC"),
    "grid": ("stroke", "#5B5536", "#D8D2AE"),
    "border": ("stroke", "#8A4B2A", "#E0A06E"),
    "water": ("fill", "#8FC0D1", "#1D4352"),
    "river": ("stroke", "#5B9DB6", "#4C8DA6"),
    "ford": ("stroke", "#FFFFFF", "#CBE6EF"),
    "area": ("fill", "#6B4A2C", "#E6C7A2"),
    "ink": ("fill", "#24303A", "#F1EDDF"),
    "halo": ("stroke", "#F5F0DA", "#1B201C"),
    "wet": ("fill", "#1D5566", "#BFE3EE"),
    "paper": ("fill", "#FBF8EF", "#20262A"),
    "soft": ("fill", "#4C5A61", "#B9C3C4"),
    "frame": ("stroke", "#B9AE93", "#5A6268"),
    "box": ("fill", "#F1EBDA", "#2B3338"),
    "maori": ("fill", "#22312D", "#8FA79B"),
    "british": ("fill", "#A5352B", "#C9473B"),
    "mark": ("fill", "#B4471F", "#FFB36B"),
}
"""Colours of the ground and of texts: property, in light and in dark pictures. An element of class ``mw-sea`` has the
light one as an attribute; the page's style sheet puts the dark one in its place.
"""


def style_sheet() -> str:
    """Return the rules for dark pages, which ``static/picture.css`` holds: no page lets a picture bring its own."""

    def rules(root: str) -> str:
        return "".join(f"{root} .mw-{name} {{ {what}: {dark}; }}\n" for name, (what, _, dark) in THEMES.items())

    dark, by_system = rules(':root[data-theme="dark"]'), rules(':root:not([data-theme="light"])')
    return f"{dark}@media (prefers-color-scheme: dark) {{\n{by_system}}}\n"


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
