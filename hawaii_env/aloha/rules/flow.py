"""The order of play: each phase with what may be chosen, what a choice does, and what follows.

`TABLE` has the phases in the order of their numbers. Chance phases draw from the generator of cards (its first four
words) or the one of dice.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase, PhaseTable
from hawaii_env.core.rng import below

from . import chapters, conflict, epilogue, events, prologue, scoring
from .actions import (
    AMOUNT_OF,
    CONVERT_TOKEN,
    CONVERT_TRACK,
    DONE,
    EVENT_AT,
    KING_TO,
    MIGRATE,
    PASS,
    SETTLE_ON,
    TAKE,
    WARRIOR_FROM,
    WARRIOR_ONE,
)
from .names import ACTION, ALOHA, CHAPTER_2, CHAPTER_3, COMMERCE, DECK, EVENT, OVER, PROLOGUE, PROLOGUE_ACTION, SLOTS
from .state import owned


@rule
def is_over(rules: Any, state: Any) -> bool:
    """Return True if the game is over."""
    return state.phase == OVER


@rule
def num_players(rules: Any) -> int:
    """Return the number of players."""
    return rules.players


# What follows


@rule
def to_prologue_action(rules: Any, state: Any) -> None:
    """[P2] Let the next player act; after the last action the islands are fought for."""
    player = prologue.next_mover(rules, state)
    state.phase, state.decider = PROLOGUE_ACTION, player
    if player < 0:
        conflict.begin_conflict(rules, state)


@rule
def to_action(rules: Any, state: Any) -> None:
    """[C2, R-29] Go on after an action: an empty slot is filled first, then the next player acts; after the last one
    the chapter ends.
    """
    state.decider = -1
    if events.slot_to_fill(state) >= 0:
        state.phase = EVENT
        return
    player = chapters.next_actor(rules, state)
    if player >= 0:
        state.phase, state.decider = ACTION, player
        return
    events.put_away(state)
    if state.stage <= CHAPTER_2:
        conflict.begin_conflict(rules, state)
    else:
        end_stage(rules, state)


@rule
def end_stage(rules: Any, state: Any) -> None:
    """[P4, C4] Score the stage and begin the next one."""
    scoring.score_stage(rules, state)
    if state.stage == CHAPTER_3:
        epilogue.begin_epilogue(rules, state)
        if rules.conversions == 0:
            end_game(rules, state)
    else:
        chapters.begin_chapter(rules, state)


@rule
def to_converter(rules: Any, state: Any) -> None:
    """[E1] Let the next player convert; after the last one the game ends."""
    state.acted = state.decider
    state.decider = epilogue.next_converter(rules, state)
    if state.decider < 0:
        end_game(rules, state)


@rule
def end_game(rules: Any, state: Any) -> None:
    """[E2, E3, E4] Hold the election and score the end."""
    epilogue.elect(rules, state)
    scoring.score_end(rules, state)
    state.phase, state.decider = OVER, -1


@rule
def set_out(state: Any, action: int) -> None:
    """[P2, C2m] Choose from where to where a group migrates: how many is the next choice."""
    start, end = (action - MIGRATE) // 4, (action - MIGRATE) % 4
    chapters.set_out(state, start, end + (1 if end >= start else 0))


# The phases


class FirstPlayer(Phase):
    """[P1] Chance: who begins, equally likely."""

    @staticmethod
    def is_outcome(rules: Any, state: Any, outcome: int) -> bool:
        return outcome >= 0 and outcome < rules.players

    @staticmethod
    def sample(rules: Any, state: Any) -> int:
        return below(state.generator, rules.players, 4)

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        prologue.begin(rules, state, outcome)


class Settle(Phase):
    """[P1] An island that nobody has settled on."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for island in range(5):
            if not prologue.is_settled(rules, state, island):
                state.legal[n] = SETTLE_ON + island
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        prologue.settle(rules, state, action - SETTLE_ON)
        if state.phase == PROLOGUE_ACTION:
            to_prologue_action(rules, state)


class PrologueAction(Phase):
    """[P2] A migration from an island with tokens, or a warrior."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for start in range(5):
            if state.tokens[state.decider][start] > 0:
                for end in range(4):
                    state.legal[n] = MIGRATE + 4 * start + end
                    n += 1
        state.legal[n] = WARRIOR_ONE
        return n + 1

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == WARRIOR_ONE:
            prologue.warrior(rules, state)
            to_prologue_action(rules, state)
        else:
            set_out(state, action)


class Amount(Phase):
    """[C2m, P2] The number of tokens that migrate."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        there = state.tokens[state.decider][state.origin]
        for number in range(1, there + 1):
            state.legal[number - 1] = AMOUNT_OF + number
        return there

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        chapters.migrate(state, action - AMOUNT_OF)
        if state.stage == PROLOGUE:
            to_prologue_action(rules, state)
        else:
            to_action(rules, state)


class Die(Phase):
    """[P3, C3] Chance: a die of who rolls next."""

    @staticmethod
    def is_outcome(rules: Any, state: Any, outcome: int) -> bool:
        return outcome >= 1 and outcome <= 6

    @staticmethod
    def sample(rules: Any, state: Any) -> int:
        return 1 + below(state.generator, 6, 4)

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        winner = conflict.roll(rules, state, outcome)
        if winner >= 0:
            conflict.crown(rules, state, winner)
            end_stage(rules, state)


class King(Phase):
    """[AD, C1] The place of the King/Queen token: an island with tokens of its holder."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for island in range(5):
            if state.tokens[state.decider][island] > 0:
                state.legal[n] = KING_TO + island
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        chapters.place_king(rules, state, action - KING_TO)


class Event(Phase):
    """[C2e, R-17] Chance: a card of the deck for an empty slot."""

    @staticmethod
    def is_outcome(rules: Any, state: Any, outcome: int) -> bool:
        return outcome >= 1 and outcome <= DECK and state.left[outcome] == 1

    @staticmethod
    def sample(rules: Any, state: Any) -> int:
        left = 0
        for number in range(1, DECK + 1):
            left += state.left[number]
        skip = below(state.generator, left, 0)
        for number in range(1, DECK + 1):
            skip -= state.left[number]
            if skip < 0:
                return number
        return 0

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        events.draw(rules, state, outcome)
        to_action(rules, state)


class Action(Phase):
    """[C2] One of the four ways to use an Action; `pass` if there is none. [R-04]"""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        player, n = state.decider, 0
        tokens, actions = state.tokens[player], state.actions[player]
        # Each action is written, and kept by counting it: branches that nobody can foresee would cost more.
        for start in range(5):
            for end in range(4):
                state.legal[n + end] = MIGRATE + 4 * start + end
            if actions[start] > 0 and tokens[start] > 0:
                n += 4
        if state.stage != CHAPTER_3:
            for island in range(5):
                state.legal[n] = WARRIOR_FROM + island
                if actions[island] > 0:
                    n += 1
        for island in range(5):
            state.legal[n] = TAKE + island
            if actions[island] > 0 and chapters.can_take(rules, state, player, island):
                n += 1
        for slot in range(SLOTS):
            if state.face_up[slot] > 0:
                for island in range(5):
                    state.legal[n] = EVENT_AT + 5 * slot + island
                    if actions[island] > 0 and events.can_play(rules, state, player, slot, island):
                        n += 1
        if n == 0:
            state.legal[0] = PASS
            return 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        player = state.decider
        if action <= AMOUNT_OF:
            set_out(state, action)
            return
        if action == PASS:
            chapters.lose_turns(state, player)
        elif action < TAKE:
            chapters.take_warrior(rules, state, player, action - WARRIOR_FROM)
        elif action < EVENT_AT:
            chapters.take_resource(rules, state, player, action - TAKE)
        else:
            slot, island = (action - EVENT_AT) // 5, (action - EVENT_AT) % 5
            events.play(rules, state, player, slot, island)
            chapters.use(state, player, island)
        to_action(rules, state)


class Convert(Phase):
    """[E1] A token of an island, or Commerce or Aloha, is converted; `done` ends it. [R-20]"""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        player, n = state.decider, 0
        for island in range(5):
            if state.tokens[player][island] > 0:
                state.legal[n] = CONVERT_TOKEN + 2 * island
                state.legal[n + 1] = CONVERT_TOKEN + 2 * island + 1
                n += 2
        for resource in (COMMERCE, ALOHA):
            if owned(state, player, resource, 0) > 0:
                state.legal[n] = CONVERT_TRACK + resource - COMMERCE
                n += 1
        state.legal[n] = DONE
        return n + 1

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            to_converter(rules, state)
            return
        if action >= CONVERT_TRACK:
            epilogue.convert_track(rules, state, COMMERCE if action == CONVERT_TRACK else ALOHA)
        else:
            at = action - CONVERT_TOKEN
            epilogue.convert_token(rules, state, at // 2, COMMERCE if at % 2 == 0 else ALOHA)
        if not epilogue.may_convert(rules, state):
            to_converter(rules, state)


class Over(Phase):
    """[W] The end of the game."""


TABLE = PhaseTable(FirstPlayer, Settle, PrologueAction, Amount, Die, King, Event, Action, Convert, Over)
