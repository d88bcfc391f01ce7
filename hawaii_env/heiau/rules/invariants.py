"""Invariants of every position that play reaches: the fuzzer checks them after every step."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .board import ARMY, BUNCH, FLEET
from .legal import need
from .orders import is_stand
from .state import ADJUSTMENTS, NOBODY, RETREATS
from .tables import INLAND, SEA

__all__ = ["FAULTS", "fault_in", "fault_of_step"]

FAULTS = (
    "",
    "a unit stands in a place of another space",
    "a unit is of a kind that cannot be there [Armies, Boats 2, Fleets, Map]",
    "somebody owns a space without heiau or post",
    "a post is on a heiau, or at sea [Post]",
    "more posts than European powers [Post]",
    "a dislodged unit, or a contested space, outside the retreats",
    "retreats without a dislodged unit",
    "somebody is asked in a phase in which nobody decides",
    "a victory was not seen [Background]",
    "years do not go on [Calendar]",
)
(
    WRONG_SPACE, WRONG_KIND, NO_CENTRE, WRONG_POST, TOO_MANY_POSTS, OUT_OF_RETREATS, NOBODY_OUT, ASKED, MISSED,
    BACKWARDS,
) = range(1, len(FAULTS))  # fmt: skip


@rule
def fault_of_unit(rules: Any, space: int, kind: int, place: int) -> int:
    """Return the number of what does not hold of a unit, 0 if all holds."""
    if rules.space_of[place] != space:
        return WRONG_SPACE
    stands = is_stand(rules, space, place) and rules.kind[space] != INLAND
    if kind == ARMY:
        stands = rules.kind[space] != SEA and place == rules.bare[space]
    elif kind == BUNCH:
        stands = stands and rules.ocean[space] == 0
    return 0 if stands and kind <= FLEET else WRONG_KIND


@rule
def fault_of_space(rules: Any, state: Any, space: int) -> int:
    """Return the number of what does not hold of a space, 0 if all holds."""
    fault = 0
    if state.kind[space] != NOBODY:
        fault = fault_of_unit(rules, space, state.kind[space], state.place[space])
    if fault == 0 and state.out_kind[space] != NOBODY:
        fault = fault_of_unit(rules, space, state.out_kind[space], state.out_place[space])
    if fault > 0:
        return fault
    if state.owner[space] != NOBODY and rules.heiau[space] == 0 and state.post[space] == 0:
        return NO_CENTRE
    if state.post[space] != 0 and (rules.heiau[space] != 0 or rules.kind[space] == SEA):
        return WRONG_POST
    if state.phase != RETREATS and (state.out_kind[space] != NOBODY or state.contested[space] != 0):
        return OUT_OF_RETREATS
    return 0


@rule
def fault_in(rules: Any, state: Any) -> int:
    """[Background] Return the number of what does not hold in this position, an index of FAULTS; 0 if all holds."""
    posts, europeans, out = 0, 0, 0
    for space in range(rules.spaces):
        fault = fault_of_space(rules, state, space)
        if fault > 0:
            return fault
        posts += state.post[space]
        out += 1 if state.out_kind[space] != NOBODY else 0
    for power in range(rules.powers):
        europeans += rules.european[power]
        posts += state.unbuilt[power]
    if posts > europeans:
        return TOO_MANY_POSTS
    if state.phase == RETREATS and out == 0:
        return NOBODY_OUT
    if state.phase > ADJUSTMENTS and state.asked > 0:
        return ASKED
    if state.phase == ADJUSTMENTS and rules.posts_win == 0:
        for power in range(rules.powers):
            if need(rules, state, power) >= rules.victory:
                return MISSED
    return 0


@rule
def fault_of_step(rules: Any, state: Any, memory: Any) -> int:
    """[Calendar] Return the number of what does not hold beside the step before, 0 if all holds.

    memory: the number of the phase before.
    """
    turn = 2 * state.year + state.season
    if turn < memory[0] or turn > memory[0] + 1 + (3 if memory[0] == 0 else 0):
        return BACKWARDS
    memory[0] = turn
    return 0
