"""Results of combats, raids and hunts on the units of one player in one place; losses, retreats, panic [9.0, 11.0].

`begin_result` writes the frame of a result and the phase `apply`, which goes on as long as something is left to do; the
phase `state.after` follows. The units that it has dealt with carry the mark STAYS until then.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .actions import ABSORB_IT, STAY
from .boats import retreat_boats
from .dice import DieRoll, shows
from .names import (
    ABSORB,
    ACTED,
    ALL_DISRUPTED,
    APPLY,
    ATTACKED,
    BOMBARDED,
    BRITISH,
    BUSH,
    COMBAT,
    DISRUPT,
    LOSE,
    LOSS,
    LOSS_RETREAT,
    NO_STRUCTURE,
    NOTHING,
    PANIC,
    PARTICIPANT,
    RETREAT,
    RETREATS,
    STAYS,
    TWO_LOSSES,
    UNTAKEN,
)
from .pieces import (
    eliminate,
    has,
    is_boat,
    is_fort_or_pa,
    is_land_unit,
    is_leader,
    land_units,
    mark,
    may_stand,
    offer,
    place_piece,
    reduce_structure,
    remove_structure,
    set_disrupted,
    structure_owner,
    unit_action,
    unmark,
)

__all__ = [
    "Absorb",
    "Apply",
    "Lose",
    "Panic",
    "Retreat",
    "begin_result",
    "clear_stays",
    "disrupt_one",
    "disrupt_structure",
    "find_unit",
    "leave_behind",
    "leave_by",
    "may_go",
    "next_unit",
    "offer_ways",
]  # fmt: skip


# Units of a place


@rule
def next_unit(state: Any, player: int, place: int, marks: int) -> int:
    """Return the first land unit of a player in a place that has none of the marks; -1 for none."""
    piece = state.first[place]
    while piece >= 0:
        if is_land_unit(state, piece) and state.owner[piece] == player and not has(state, piece, marks):
            return piece
        piece = state.next[piece]
    return -1


@rule
def find_unit(state: Any, player: int, place: int, action: int) -> int:
    """Return the piece of a player in a place that an action `unit` names, -1 for none: of pieces alike one that is of
    no use any more. In the bush raider phase that is one that has acted; else one that does not take part in the
    combat, then one that has attacked or bombarded.
    """
    best, least, piece = -1, 0, state.first[place]
    while piece >= 0:
        if state.owner[piece] == player and unit_action(state, piece) == action:
            if state.stage == BUSH:
                worth = 0 if has(state, piece, ACTED) else 1
            else:
                worth = (0 if has(state, piece, ATTACKED + BOMBARDED) else 1) + 2 * has(state, piece, PARTICIPANT)
            if best < 0 or worth < least:
                best, least = piece, worth
        piece = state.next[piece]
    return best


@rule
def clear_stays(state: Any, place: int) -> None:
    """Take the mark STAYS from the pieces of a place."""
    piece = state.first[place]
    while piece >= 0:
        unmark(state, piece, STAYS)
        piece = state.next[piece]


@rule
def may_go(rules: Any, state: Any, piece: int) -> bool:
    """[9.0] Return True if a unit can retreat or evade to some side."""
    for side in range(6):
        near = rules.land[state.place[piece]][side]
        if near >= 0 and may_stand(rules, state, piece, near):
            return True
    return False


@rule
def offer_ways(rules: Any, state: Any, stays: bool) -> int:
    """[9.0] Offer the sides that `state.piece` can go to, and `stay`; return how many choices there are. [R-49]"""
    piece, n = state.piece, 0
    if stays:
        state.legal[0] = STAY
        n = 1
    for side in range(6):
        near = rules.land[state.place[piece]][side]
        if near >= 0 and may_stand(rules, state, piece, near):
            state.legal[n] = rules.do_go + side
            n += 1
    return n


@rule
def leave_by(rules: Any, state: Any, action: int, marks: int) -> None:
    """[9.0] Let `state.piece` stay, or go to a side, where it gets the marks."""
    piece = state.piece
    if action == STAY:
        mark(state, piece, STAYS)
        return
    near = rules.land[state.place[piece]][action - rules.do_go]
    place_piece(rules, state, piece, near)
    mark(state, piece, marks)
    state.went = near


# What stays behind


@rule
def leave_behind(rules: Any, state: Any, player: int, hex_: int) -> None:
    """[9.0, R-29, R-30] Once a player's last land unit has left a hex, his leaders follow it, or are eliminated if none
    left it alive; his boats retreat, unless they lie in a structure of his that still stands.
    """
    if land_units(state, player, hex_) != 0:
        return
    piece = state.first[hex_]
    while piece >= 0:
        following = state.next[piece]
        if is_leader(state, piece) and state.owner[piece] == player:
            if state.went >= 0:
                place_piece(rules, state, piece, state.went)
            else:
                eliminate(rules, state, piece)
        piece = following
    if structure_owner(state, hex_) == player or (player == BRITISH and state.town[hex_] == UNTAKEN):
        return
    retreat_boats(rules, state, player, hex_)


# Disruption and panic


@rule
def disrupt_unit(rules: Any, state: Any, piece: int, after: int) -> None:
    """[11.0] Disrupt a land unit; one that is Disrupted already may panic. The phase `after` follows."""
    state.phase = after
    if state.disrupted[piece] == 0:
        set_disrupted(rules, state, piece, 1)
    else:
        state.piece, state.resume, state.phase = piece, after, PANIC


@rule
def disrupt_one(rules: Any, state: Any, piece: int, after: int) -> None:
    """[11.0, 13.0] Disrupt a unit as a result of its own: what it leaves behind if it panics follows. Then `after`."""
    begin_result(rules, state, state.owner[piece], state.place[piece], NOTHING, after)
    disrupt_unit(rules, state, piece, APPLY)


@rule
def disrupt_structure(rules: Any, state: Any, hex_: int, after: int) -> None:
    """[11.0] Disrupt a structure; an empty one that is Disrupted already may panic. The phase `after` follows."""
    state.phase = after
    if state.damaged[hex_] == 0:
        state.damaged[hex_] = 1
    elif land_units(state, structure_owner(state, hex_), hex_) == 0:
        state.piece, state.spot, state.resume, state.phase = -1, hex_, after, PANIC


class Panic(DieRoll):
    """[11.0] Chance: a unit, or an empty structure, that is Disrupted again."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        state.phase = state.resume
        piece, hex_ = state.piece, state.spot
        if piece >= 0:
            if outcome <= rules.panic[state.kind[piece]]:
                eliminate(rules, state, piece)
        elif outcome <= rules.panic_structure:
            if is_fort_or_pa(state, hex_):
                reduce_structure(rules, state, hex_)
                if state.structure[hex_] != NO_STRUCTURE:
                    state.damaged[hex_] = 1
            else:
                remove_structure(rules, state, hex_)


# Results


@rule
def begin_result(rules: Any, state: Any, victim: int, spot: int, outcome: int, after: int) -> None:
    """[9.0] Begin to apply a result to the land units of a player in a place; the phase `after` follows. Outside the
    combat phase nobody retreats. [R-20]
    """
    state.victim, state.spot, state.outcome, state.after = victim, spot, outcome, after
    state.losses, state.retreating, state.absorbed, state.went = 0, 0, 0, -1
    if outcome in (DISRUPT, LOSS, LOSS_RETREAT):
        state.losses = 1
    elif outcome == TWO_LOSSES:
        state.losses = 2
    if state.stage == COMBAT and outcome in (RETREATS, LOSS_RETREAT, TWO_LOSSES):
        state.retreating = 1
    state.had_units = 1 if next_unit(state, victim, spot, 0) >= 0 else 0
    state.phase = APPLY


class Apply(Phase):
    """[9.0] The next step of a result."""

    @staticmethod
    def run(rules: Any, state: Any) -> None:
        victim, spot = state.victim, state.spot
        if state.outcome == ALL_DISRUPTED:
            disrupt_next(rules, state)
        elif state.losses > 0:
            if not has_victim(rules, state):
                state.losses = 0
            else:
                state.phase, state.decider = LOSE, victim
        elif state.retreating == 1:
            retreat_next(rules, state)
        else:
            clear_stays(state, spot)
            state.phase, state.decider = state.after, -1
            if state.had_units == 1 and spot < rules.hexes:
                leave_behind(rules, state, victim, spot)


@rule
def disrupt_next(rules: Any, state: Any) -> None:
    """[9.0, 11.0] Disrupt the next land unit; after the last one boats and the structure, which raids do not touch."""
    victim, spot = state.victim, state.spot
    unit = next_unit(state, victim, spot, STAYS)
    if unit >= 0:
        mark(state, unit, STAYS)
        disrupt_unit(rules, state, unit, APPLY)
        return
    state.outcome = NOTHING
    if state.stage != COMBAT:
        return
    disrupt_boats(rules, state, victim, spot)
    if structure_owner(state, spot) == victim:
        disrupt_structure(rules, state, spot, APPLY)


@rule
def disrupt_boats(rules: Any, state: Any, player: int, hex_: int) -> None:
    """[9.0, 11.0] Disrupt a player's boats in a hex; they do not panic."""
    piece = state.first[hex_]
    while piece >= 0:
        following = state.next[piece]
        if is_boat(state, piece) and state.owner[piece] == player and state.disrupted[piece] == 0:
            set_disrupted(rules, state, piece, 1)
        piece = following


@rule
def retreat_next(rules: Any, state: Any) -> None:
    """[9.0] The next land unit retreats: without a way it is eliminated, but not in its own fort or pa."""
    victim, spot = state.victim, state.spot
    unit = next_unit(state, victim, spot, STAYS)
    state.piece = unit
    if unit < 0:
        state.retreating = 0
    elif may_go(rules, state, unit) or in_own_fort(state, victim, spot):
        state.phase, state.decider = RETREAT, victim
    else:
        eliminate(rules, state, unit)


@rule
def in_own_fort(state: Any, player: int, hex_: int) -> bool:
    """[9.0] Return True if a player's fort or pa stands in a hex."""
    return is_fort_or_pa(state, hex_) and structure_owner(state, hex_) == player


@rule
def may_suffer(rules: Any, state: Any, piece: int) -> bool:
    """[9.0, R-25] Return True if a piece of the place can be chosen for a result: a land unit of the victim."""
    if state.owner[piece] != state.victim or not is_land_unit(state, piece):
        return False
    return state.outcome == DISRUPT or rules.may_be_lost[state.kind[piece]] == 1


@rule
def has_victim(rules: Any, state: Any) -> bool:
    """[9.0] Return True if the place has a piece that can be chosen for the result."""
    piece = state.first[state.spot]
    while piece >= 0:
        if may_suffer(rules, state, piece):
            return True
        piece = state.next[piece]
    return False


@rule
def may_absorb(state: Any) -> bool:
    """[9.0 step 7, R-28] Return True if the defender may let his ready fort or pa take a loss: once for each."""
    if state.stage != COMBAT or state.victim == state.attacker or state.spot != state.target:
        return False
    if state.outcome == DISRUPT or state.absorbed == 1:
        return False
    return in_own_fort(state, state.victim, state.spot) and state.damaged[state.spot] == 0


class Lose(Phase):
    """[9.0, R-25, R-28] The unit that is lost or Disrupted, or `absorb`; its owner chooses."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        if may_absorb(state):
            state.legal[0] = ABSORB_IT
            n = 1
        piece = state.first[state.spot]
        while piece >= 0:
            if may_suffer(rules, state, piece):
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == ABSORB_IT:
            state.phase, state.decider = ABSORB, -1
            return
        piece = find_unit(state, state.victim, state.spot, action)
        state.losses, state.absorbed, state.decider = state.losses - 1, 0, -1
        if state.outcome == DISRUPT:
            disrupt_unit(rules, state, piece, APPLY)
        else:
            eliminate(rules, state, piece)
            state.phase = APPLY


class Absorb(DieRoll):
    """[9.0 step 7] Chance: a fort or pa may take the loss, and becomes a settlement or village."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        state.phase, state.absorbed = APPLY, 1
        if shows(rules.absorb_faces, outcome):
            reduce_structure(rules, state, state.spot)
            state.losses -= 1
            state.absorbed = 0


class Retreat(Phase):
    """[9.0] The side that a unit retreats to; in its own fort or pa it may stay."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        return offer_ways(rules, state, in_own_fort(state, state.victim, state.spot))

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        leave_by(rules, state, action, 0)
        state.phase, state.decider = APPLY, -1
