"""Players for comparisons: each looks at the referee alone, and drives games where others seldom get."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from .referee import Referee
from .table import Chance, Table, other_player

Policy = Callable[[Referee, random.Random], str]
"""What who decides answers."""

Goal = Callable[[Table, str, str], bool]
"""A hex is worth going to for a player."""


def beside_enemies(table: Table, hex_id: str, player: str) -> bool:
    """An attack is possible from there."""
    around = table.rules.land_around(hex_id).values()
    return any(table.enemy_held(other, player) and table.rules.passable(hex_id, other) for other in around)


def beside_neutrals(table: Table, hex_id: str, player: str) -> bool:
    """Talks and guns reach neutrals from there."""
    return any(table.neutral(other) for other in table.rules.land_around(hex_id).values())


def soft(table: Table, hex_id: str, player: str) -> bool:
    """Enemy leaders or boats alone are there."""
    return table.soft(hex_id, player) or table.towns.get(hex_id) is True


def exposed(table: Table, hex_id: str, player: str) -> bool:
    """Beside enemies, without a structure."""
    return beside_enemies(table, hex_id, player) and not table.has_structure(hex_id, player)


def canoes(table: Table, hex_id: str, player: str) -> bool:
    """Enemy boats are there or beside."""
    around = (hex_id, *table.rules.land_around(hex_id).values())
    return any(table.boats(other, other_player(player)) for other in around)


def weighted(weights: Mapping[str, float], goal: Goal | None = None, share: float = 0.8) -> Policy:
    """A verb by weight (1 if none is given), then any answer with it; hexes that are a goal first."""

    def choose(referee: Referee, rng: random.Random) -> str:
        by_verb: dict[str, list[str]] = {}
        for text in referee.legal_texts():
            by_verb.setdefault(verb(text, weights), []).append(text)
        verbs = list(by_verb)
        answers = by_verb[rng.choices(verbs, [weights.get(name, 1.0) for name in verbs])[0]]
        if goal and answers[0].split()[0] in ("to", "place", "go") and rng.random() < share:
            player = ("maori", "british")[referee.current_player]
            found = [text for text in answers if goal(referee.table, goal_hex(referee, text), player)]
            return rng.choice(found or answers)
        return rng.choice(answers)

    return choose


def verb(text: str, weights: Mapping[str, float]) -> str:
    """The text itself or its first two words if they have a weight, else its first word."""
    words = text.split()
    return next((name for name in (text, " ".join(words[:2])) if name in weights), words[0])


def goal_hex(referee: Referee, text: str) -> str:
    """The hex that a text names; nothing for a side."""
    word = text.split()[-1]
    return word if word.isdigit() else "0000"


def uniform(referee: Referee, rng: random.Random) -> str:
    """Any answer."""
    return rng.choice(referee.legal_texts())


def last(referee: Referee, rng: random.Random) -> str:
    """The last answer in the order of texts, often."""
    return max(referee.legal_texts()) if rng.random() < 0.8 else rng.choice(referee.legal_texts())


def sapper(referee: Referee, rng: random.Random) -> str:
    """Digs a trench and leaves it, or goes to the enemy's; attacks who is there."""
    table, texts = referee.table, referee.legal_texts()
    trench = table.sap[0] if table.sap else ""
    british = referee.current_player == 1
    wanted = [f"target {trench}", f"from {trench}" if british else f"to {trench}", *(["stack"] if british else [])]
    found = [text for text in texts if text in wanted]
    if british and table.phase == "movement" and not trench:
        found = [text for text in texts if text.startswith(("target", "place"))]
    return rng.choice(found) if found else POLICIES["storms"](referee, rng)


FIGHTS = {
    "done": 0.05,
    "stand": 2.0,
    "stack": 2.0,
    "target": 5.0,
    "charge": 5.0,
    "absorb": 2.0,
    "territory": 0.3,
    "column canoe": 9.0,
}

POLICIES: dict[str, Policy] = {
    "uniform": uniform,
    "verbs": weighted({}),
    "last": last,
    "busy": weighted(FIGHTS, beside_enemies),
    "storms": weighted(
        FIGHTS | {"stand": 9.0, "absorb": 9.0, "with": 3.0, "done": 0.01, "target 1033": 30.0}, beside_enemies, 0.95
    ),
    "sapper": sapper,
    "one by one": weighted({"done": 0.05, "stack": 0.0, "advance": 3.0, "pass": 0.1}, beside_enemies),
    "passes over": weighted({"done": 0.4, "advance": 0.1, "stand": 5.0, "stay": 4.0, "pass": 4.0}, beside_enemies),
    "wrecker": weighted(FIGHTS | {"advance": 0.005, "build": 0.05, "evade": 0.1}, beside_enemies, 0.95),
    "gunner": weighted({"done": 0.2, "with": 1.0, "column canoe": 9.0, "build": 0.1}, beside_neutrals, 0.5),
    "sailor": weighted(
        {"unit canoe": 20.0, "unit gunboat": 20.0, "carry": 20.0, "scuttle": 0.2, "done": 0.02}, canoes, 0.5
    ),
    "catcher": weighted({"done": 0.05, "stack": 0.2, "evade": 3.0}, soft, 0.95),
    "talker": weighted({"done": 0.05, "target": 9.0, "pass": 0.3}, beside_neutrals, 0.9),
    "raider": weighted(
        {"done": 0.05, "territory": 3.0, "target": 9.0, "hunt": 60.0, "stay": 0.2, "place": 0.4, "stack": 0.3}
        | dict.fromkeys(("from 1137", "unit rangers", "unit von_tempsky", "unit jackson"), 9.0),
        exposed,
    ),
    "lurker": weighted({"done": 0.05, "from": 1.0, "territory": 1.0, "stay": 6.0, "place": 0.2, "hunt": 60.0}, exposed),
    "builder": weighted({"done": 0.2, "build": 20.0, "structure fort": 5.0, "target": 0.3}),
    "idle": weighted({"done": 6.0, "pass": 6.0, "stand": 3.0}),
}


def fall(referee: Referee, rng: random.Random, bias: str = "") -> int:
    """An outcome of chance. `high`, `low`: such faces often; `extreme`: both; else any."""
    assert isinstance(referee.node, Chance)
    outcomes: Sequence[int] = referee.node.outcomes
    if bias and referee.node.kind != "chit" and rng.random() < 0.7:
        wanted = {"high": outcomes[-2:], "low": outcomes[:2], "extreme": (*outcomes[:1], *outcomes[-1:])}[bias]
        return rng.choice(wanted)
    return rng.choice(outcomes)


BIASES = ("", "", "high", "low", "extreme")
