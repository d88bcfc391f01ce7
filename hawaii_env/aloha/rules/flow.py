"""The order of play: what each decision and each chance outcome leads to."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
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
)  # fmt: skip
from .names import (
    ACTION,
    ALOHA,
    AMOUNT,
    CHAPTER_2,
    CHAPTER_3,
    COMMERCE,
    CONVERT,
    DECK,
    DIE,
    EVENT,
    FIRST_PLAYER,
    KING,
    OVER,
    PROLOGUE,
    PROLOGUE_ACTION,
    SETTLE,
    SLOTS,
)  # fmt: skip
from .state import (
    ACTED,
    ACTIONS,
    DECIDES,
    FACE_UP,
    FROM,
    LEFT,
    LEGAL,
    N_LEGAL,
    PHASE,
    STAGE,
    T_CONVERSIONS,
    T_PLAYERS,
    TOKENS,
    WORDS,
    owned,
)  # fmt: skip


@rule
def is_chance(s: Any) -> bool:
    """True at a chance node."""
    return s[PHASE] == FIRST_PLAYER or s[PHASE] == DIE or s[PHASE] == EVENT


@rule
def to_action(t: Any, s: Any) -> None:
    """[C2, R-29] After an action: an empty slot is filled first, then the next player acts, after the last one the
    chapter ends.
    """
    s[DECIDES] = -1
    if events.slot_to_fill(s) >= 0:
        s[PHASE] = EVENT
        return
    player = chapters.next_actor(t, s)
    if player >= 0:
        s[PHASE], s[DECIDES] = ACTION, player
        return
    events.put_away(s)
    if s[STAGE] <= CHAPTER_2:
        conflict.begin_conflict(t, s)
    else:
        end_stage(t, s)


@rule
def end_game(t: Any, s: Any) -> None:
    """[E2, E3, E4] Election and final scoring."""
    epilogue.elect(t, s)
    scoring.score_end(t, s)
    s[PHASE], s[DECIDES] = OVER, -1


@rule
def end_stage(t: Any, s: Any) -> None:
    """[P4, C4] The stage is scored, the next one begins."""
    scoring.score_stage(t, s)
    if s[STAGE] == CHAPTER_3:
        epilogue.begin_epilogue(t, s)
        if t[T_CONVERSIONS] == 0:
            end_game(t, s)
    else:
        chapters.begin_chapter(t, s)


@rule
def to_prologue_action(t: Any, s: Any) -> None:
    """[P2] The next player acts, after the last action the islands are fought for."""
    player = prologue.next_mover(t, s)
    s[PHASE], s[DECIDES] = PROLOGUE_ACTION, player
    if player < 0:
        conflict.begin_conflict(t, s)


@rule
def to_converter(t: Any, s: Any) -> None:
    """[E1] The next player converts; after the last one the game ends."""
    s[ACTED] = s[DECIDES]
    s[DECIDES] = epilogue.next_converter(t, s)
    if s[DECIDES] < 0:
        end_game(t, s)


@rule
def in_action(t: Any, s: Any, action: int) -> None:
    """[C2] One of the four ways to use an Action, or `pass`."""
    player = s[DECIDES]
    if action < AMOUNT_OF + 1:
        start, end = (action - MIGRATE) // 4, (action - MIGRATE) % 4
        chapters.set_out(s, start, end + (1 if end >= start else 0))
        return
    if action == PASS:
        chapters.lose_turns(s, player)
    elif action < TAKE:
        chapters.take_warrior(t, s, player, action - WARRIOR_FROM)
    elif action < EVENT_AT:
        chapters.take_resource(t, s, player, action - TAKE)
    else:
        island = (action - EVENT_AT) % 5
        events.play(t, s, player, (action - EVENT_AT) // 5, island)
        chapters.use(s, player, island)
    to_action(t, s)


@rule
def take(t: Any, s: Any, action: int) -> None:
    """A player's legal action, and what it leads to, up to the next decision, chance node or the end."""
    phase = s[PHASE]
    if phase == SETTLE:
        prologue.settle(t, s, action - SETTLE_ON)
        if s[PHASE] == PROLOGUE_ACTION:
            to_prologue_action(t, s)
    elif phase == PROLOGUE_ACTION:
        if action == WARRIOR_ONE:
            prologue.warrior(t, s)
            to_prologue_action(t, s)
        else:
            in_action(t, s, action)
    elif phase == AMOUNT:
        chapters.migrate(s, action - AMOUNT_OF)
        if s[STAGE] == PROLOGUE:
            to_prologue_action(t, s)
        else:
            to_action(t, s)
    elif phase == KING:
        chapters.place_king(t, s, action - KING_TO)
    elif phase == ACTION:
        in_action(t, s, action)
    elif action == DONE:
        to_converter(t, s)
    else:
        if action >= CONVERT_TRACK:
            epilogue.convert_track(t, s, COMMERCE if action == CONVERT_TRACK else ALOHA)
        else:
            at = action - CONVERT_TOKEN
            epilogue.convert_token(t, s, at // 2, COMMERCE if at % 2 == 0 else ALOHA)
        if not epilogue.may_convert(t, s):
            to_converter(t, s)


@rule
def fall(t: Any, s: Any, outcome: int) -> None:
    """A chance outcome, and what it leads to."""
    if s[PHASE] == FIRST_PLAYER:
        prologue.begin(t, s, outcome)
    elif s[PHASE] == DIE:
        winner = conflict.roll(t, s, outcome)
        if winner >= 0:
            conflict.crown(t, s, winner)
            end_stage(t, s)
    else:
        events.draw(t, s, outcome)
        to_action(t, s)


@rule
def is_outcome(t: Any, s: Any, outcome: int) -> bool:
    """Whether the chance node that the position stands at has this outcome."""
    if s[PHASE] == FIRST_PLAYER:
        return outcome >= 0 and outcome < t[T_PLAYERS]
    if s[PHASE] == DIE:
        return outcome >= 1 and outcome <= 6
    return s[PHASE] == EVENT and outcome >= 1 and outcome <= DECK and s[LEFT + outcome] == 1


@rule
def sample(t: Any, s: Any) -> int:
    """An outcome by its probability, from the generator of cards or the one of dice."""
    if s[PHASE] == FIRST_PLAYER:
        return below(s, t[T_PLAYERS], WORDS + 4)
    if s[PHASE] == DIE:
        return 1 + below(s, 6, WORDS + 4)
    left = 0
    for number in range(1, DECK + 1):
        left += s[LEFT + number]
    skip = below(s, left, WORDS)
    for number in range(1, DECK + 1):
        skip -= s[LEFT + number]
        if skip < 0:
            return number
    return 0


@rule
def list_actions(t: Any, s: Any) -> int:
    """[C2] Write the ways to use an Action, ascending, and return how many there are; `pass` where there is none.
    [R-04]
    """
    player, n = s[DECIDES], 0
    # Each action is written, and kept by counting it: branches that nobody can foresee would cost more.
    for start in range(5):
        for end in range(4):
            s[LEGAL + n + end] = MIGRATE + 4 * start + end
        if s[ACTIONS + 5 * player + start] > 0 and s[TOKENS + 5 * player + start] > 0:
            n += 4
    if s[STAGE] != CHAPTER_3:
        for island in range(5):
            s[LEGAL + n] = WARRIOR_FROM + island
            if s[ACTIONS + 5 * player + island] > 0:
                n += 1
    for island in range(5):
        s[LEGAL + n] = TAKE + island
        if s[ACTIONS + 5 * player + island] > 0 and chapters.can_take(t, s, player, island):
            n += 1
    for slot in range(SLOTS):
        if s[FACE_UP + slot] > 0:
            for island in range(5):
                s[LEGAL + n] = EVENT_AT + 5 * slot + island
                if s[ACTIONS + 5 * player + island] > 0 and events.can_play(t, s, player, slot, island):
                    n += 1
    if n == 0:
        s[LEGAL] = PASS
        return 1
    return n


@rule
def list_legal(t: Any, s: Any) -> None:
    """Write the legal actions of who decides, ascending, to LEGAL, and how many there are to N_LEGAL."""
    player, phase, n = s[DECIDES], s[PHASE], 0
    if phase == ACTION:
        n = list_actions(t, s)
    elif phase == SETTLE:
        for island in range(5):
            if not prologue.is_settled(t, s, island):
                s[LEGAL + n] = SETTLE_ON + island
                n += 1
    elif phase == PROLOGUE_ACTION:
        for start in range(5):
            if s[TOKENS + 5 * player + start] > 0:
                for end in range(4):
                    s[LEGAL + n] = MIGRATE + 4 * start + end
                    n += 1
        s[LEGAL + n] = WARRIOR_ONE
        n += 1
    elif phase == AMOUNT:
        for number in range(1, s[TOKENS + 5 * player + s[FROM]] + 1):
            s[LEGAL + n] = AMOUNT_OF + number
            n += 1
    elif phase == KING:
        for island in range(5):
            if s[TOKENS + 5 * player + island] > 0:
                s[LEGAL + n] = KING_TO + island
                n += 1
    elif phase == CONVERT:
        for island in range(5):
            if s[TOKENS + 5 * player + island] > 0:
                s[LEGAL + n] = CONVERT_TOKEN + 2 * island
                s[LEGAL + n + 1] = CONVERT_TOKEN + 2 * island + 1
                n += 2
        for resource in (COMMERCE, ALOHA):
            if owned(s, player, resource, 0) > 0:
                s[LEGAL + n] = CONVERT_TRACK + resource - COMMERCE
                n += 1
        s[LEGAL + n] = DONE
        n += 1
    s[N_LEGAL] = n


@rule
def is_legal(s: Any, action: int) -> bool:
    """Whether an action is among those that were listed."""
    for i in range(s[N_LEGAL]):
        if s[LEGAL + i] == action:
            return True
    return False


@rule
def run(t: Any, s: Any) -> None:
    """[C2] Take forced choices, and with a generator draw what chance brings, until somebody has a choice or the
    end.
    """
    s[N_LEGAL] = 0
    while s[PHASE] != OVER:
        if is_chance(s):
            if s[WORDS] < 0:
                return
            fall(t, s, sample(t, s))
            continue
        list_legal(t, s)
        if s[N_LEGAL] > 1:
            return
        take(t, s, s[LEGAL])
        s[N_LEGAL] = 0


@rule
def begin(t: Any, s: Any) -> None:
    """[SU] A new game, up to its first choice; the generators go on."""
    prologue.set_up(s)
    run(t, s)
