"""The set-up [14.0]: every piece has its hex, so nobody decides anything [R-10]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import BEGIN, MAORI, NO_STRUCTURE, NO_TOWN, REINFORCEMENT, UNTAKEN
from .pieces import clear_marks, link, set_structure


@rule
def clear(rules: Any, state: Any) -> None:
    """Take everything off the map."""
    for place in range(state.places):
        state.first[place] = -1
    for owner in range(3):
        for hex_ in range(state.hexes):
            state.count[owner][hex_] = 0
    for hex_ in range(state.hexes):
        state.structure[hex_] = state.damaged[hex_] = 0
        state.town[hex_] = UNTAKEN if rules.town[hex_] == 1 else NO_TOWN
        state.cost[hex_] = -1
        state.queue[hex_] = state.tally[hex_] = 0
    for structure in range(len(state.structures)):
        state.structures[structure] = 0
    state.structures[NO_STRUCTURE] = state.hexes
    state.reached = state.left = state.aside = state.forts_built = state.marker = state.result = 0
    state.sap_hex = state.sap_target = state.winner = state.decider = -1
    forget(state)
    clear_marks(state)


@rule
def forget(state: Any) -> None:
    """Clear what a decision, a combat, a raid or a result is about."""
    state.hex = state.piece = state.boat = state.canoe = state.territory = -1
    state.attacker = state.target = state.gun = state.victim = state.spot = state.went = state.prey = -1
    state.chit = state.column = state.attack_modifier = state.counter_modifier = state.bombard_modifier = 0
    state.counter_columns = state.no_counter = state.no_bombard = state.slipping = state.hit = state.suffers = 0
    state.vacated = state.second = state.outcome = state.losses = state.retreating = state.absorbed = 0
    state.had_units = state.hunting = 0
    state.resume = state.next_step = state.after = BEGIN


@rule
def set_up(rules: Any, state: Any) -> None:
    """[14.0] Set up the scenario: pieces and structures in their hexes, the marker at 0, the chits in the cup; Māori
    begin.
    """
    clear(rules, state)
    for hex_ in range(state.hexes):
        set_structure(state, hex_, rules.start_structure[hex_])
    for piece in range(state.pieces):
        state.kind[piece], state.owner[piece] = rules.start_kind[piece], rules.start_owner[piece]
        state.disrupted[piece] = 0
        link(rules, state, piece, rules.start_place[piece])
    state.cup = rules.chits
    state.turn, state.half, state.stage, state.phase = 1, MAORI, REINFORCEMENT, BEGIN
