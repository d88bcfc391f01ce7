"""Positions of Maori Wars written in a line or two, and games told by their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from moves import texts

from hawaii_env.maori_wars import Game, State
from hawaii_env.maori_wars.rules.names import KINDS, LEADER

STEPS = {
    "movement": "move", "combat": "declare", "bush": "bush_move", "construction": "build", "reinforcement": "reinforce",
    "rally": "rally", "alliance": "negotiate", "attrition": "supply",
}  # fmt: skip


FIRST = Path(__file__).parents[2] / "experiments/configs/rulesets/maori_wars-1"
"""The numbers that positions are written for, as they were before their calibration."""


@lru_cache
def game_of(scenario: str = "taranaki", rules: str | None = None) -> Game:
    return Game(scenario=scenario, rules=rules or str(FIRST))


def _pieces(game: Game, where: str, words: str, half: str, phase: str) -> Iterable[dict[str, Any]]:
    """The pieces of a place: ``"warrior/disrupted canoe@british heke"``."""
    for word in words.split():
        name, _, owner = word.partition("@")
        kind, _, condition = name.partition("/")
        if not owner:
            leader = game.ruleset.leaders.get(kind)
            sides = {"queenite": "british", "neutral": "neutral"}
            side = leader.category if leader else "neutral" if kind == "neutral" else game.ruleset.kinds[kind].side
            owner = sides.get(side, side)
        number = LEADER if kind not in KINDS else KINDS.index(kind)
        points = game.tables.move[number] if phase == "movement" and owner == half and kind != "neutral" else 0
        yield {"kind": kind, "owner": owner, "at": where, "disrupted": condition == "disrupted", "points": points}


def at(
    pieces: Mapping[str, str], structures: Mapping[str, str] | None = None, phase: str = "movement",
    half: str = "maori", scenario: str = "taranaki", rules: str | None = None, **more: Any,
) -> State:  # fmt: skip
    """A position: pieces by place, structures by hex; whoever is not named is out of the game."""
    game = game_of(scenario, rules)
    fields: dict[str, Any] = {
        "turn": 4, "half": half, "phase": phase, "step": STEPS[phase], "decides": half, "structures": structures or {},
        "pieces": [one for where, words in pieces.items() for one in _pieces(game, where, words, half, phase)],
        "cup": list(game.ruleset.chits_of(scenario)),
    }  # fmt: skip
    if phase == "combat":
        fields["combat"] = {"attacker": half}
    fields |= more
    waiting = sum(sum(box.values()) for box in fields.get("boxes", {}).values())
    now, arrivals = (fields["turn"], half == "british"), game.ruleset.scenarios[scenario].arrivals
    due = [one for one in arrivals if (one.turn, one.side == "british") > now]
    waiting += sum(sum(one.units.values()) + len(one.leaders) for one in due)
    missing = game.tables.pieces - len(fields["pieces"]) - waiting
    return game.position(**fields, out={"warrior": missing} if missing else {})


def verbs(state: State, verb: str) -> set[str]:
    """What can be chosen of a verb, without it."""
    return {text.partition(" ")[2] for text in texts(state) if text.split()[0] == verb}


def pieces_at(state: State, place: str) -> list[str]:
    """The pieces of a place by kind, with their condition."""
    return [
        one.kind + ("/disrupted" if one.disrupted else "") for one in state.view().pieces if one.at == place
    ]  # fmt: skip


def pass_by(state: State, stage: str) -> State:
    """End stages, with the least that can be done, until one begins."""
    while state.stage != stage:
        if state.current_player < 0:
            state.apply_chance(state.chance_outcomes()[0][0])
        else:
            state.apply(state.legal_actions()[0])
    return state
