"""Campaign cards [8.0]: the draw, events and their timing, held events and their windows."""

from __future__ import annotations

from typing import Any

from hawaii_env.codec import action2, indices2
from hawaii_env.core.jit import rule

from .actions import (
    CANOE_OF_KIND,
    HOME_,
    KIND_OF_CANOE,
    KIND_OF_UNIT,
    N_LEADERS,
    N_UNITS,
    PASS,
    PLAIN_CANOE,
    PLAY,
    UNIT_OF_KIND,
    add_legal,
)
from .names import (
    ALL_CARDS,
    CARD,
    DEAD,
    EVENT,
    EVENT_DIE,
    FX_ADVANTAGE,
    FX_APPEAL,
    FX_EARTHWORKS,
    FX_GUNPOWDER,
    FX_HOME,
    FX_NO_SIGHTING,
    FX_SURE_SIGHTING,
    HOLD,
    HOME,
    K_KAIANA,
    K_KAIANA_WARRIORS,
    LAUNCH,
    N_NUMBERS,
    N_PIECES,
    N_SPACES,
    N_WANTS,
    NEUTRAL,
    NOW,
    RECRUIT,
    THIS_TURN,
    WINDOW,
    WITHDRAWALS,
)
from .pieces import defender, join, kauai_pieces_alive, send_home


@rule
def card_of(side: int, number: int) -> int:
    """Return a card's index in the tables: Kamehameha's 1 to 9, then the Allies'."""
    return side * N_NUMBERS + number - 1


@rule
def side_of(card: int) -> int:
    """Return the side whose deck a card is of."""
    return card // N_NUMBERS


@rule
def number_of(card: int) -> int:
    """Return a card's number in its deck, 1 to 9."""
    return card % N_NUMBERS + 1


@rule
def reshuffle(state: Any) -> None:
    """[6.1, R-40] Shuffle all nine cards of each deck, also one held until now."""
    for side in (0, 1):
        state.left[side] = ALL_CARDS
        state.held[side] = 0


@rule
def only_card(mask: int) -> int:
    """Return the card of a deck of one card, else 0."""
    found = 0
    for number in range(1, N_NUMBERS + 1):
        if mask & (1 << number):
            if found:
                return 0
            found = number
    return found


@rule
def begin_card_phase(rules: Any, state: Any) -> None:
    """[8.0, 6.1, R-34] Take the fixed card of January and February; else draw one, by chance while two cards are
    left.
    """
    number = rules.fixed[state.month][state.half]
    if number:
        take_card(rules, state, number, 1)
        return
    number = only_card(state.left[state.half])
    if number:
        take_card(rules, state, number, 0)
    else:
        state.phase = CARD


@rule
def take_card(rules: Any, state: Any, number: int, fixed: int) -> None:
    """[8.0, 8.1, R-27] Show a card: begin its recruits, its bonus or its event."""
    side = state.half
    card = card_of(side, number)
    state.card = card
    state.fixed = fixed
    if not fixed:
        state.left[side] &= ~(1 << number)
    for want in range(N_WANTS):
        n = rules.recruit[card][want]
        if not fixed:
            n -= rules.once[card][want]
        state.want[want] = n
    timing = rules.timing[card]
    if timing == HOLD:
        state.held[side] |= 1 << number
    elif timing == THIS_TURN:
        take_effect(rules, state, card)
    state.next_phase = RECRUIT
    if timing == NOW:
        state.phase = EVENT
    else:
        state.phase = WITHDRAWALS


@rule
def take_effect(rules: Any, state: Any, card: int) -> None:
    """[8.2] Begin an effect that lasts through the half or is played from hand."""
    effect = rules.effect[card]
    if effect == FX_GUNPOWDER:
        state.gunpowder_bonus += rules.effect_args[card][0]
    elif effect == FX_ADVANTAGE:
        state.advantage_bonus += rules.effect_args[card][0]
    elif effect == FX_NO_SIGHTING:
        state.no_sighting = 1
    elif effect == FX_EARTHWORKS:
        state.earthworks = 1


@rule
def event_now(rules: Any, state: Any) -> None:
    """[8.2] Begin an event of the card phase; one that can change nothing rolls no die and asks nothing."""
    card = state.card
    effect = rules.effect[card]
    state.phase = WITHDRAWALS
    state.next_phase = RECRUIT
    if effect == FX_APPEAL:
        if state.kauai != state.half and kauai_pieces_alive(rules, state):
            state.phase = EVENT_DIE
    elif effect == FX_HOME:
        state.homes = rules.effect_args[card][0]
        state.n_legal = 0
        home_actions(rules, state)
        if state.n_legal == 0:
            state.homes = 0
        elif rules.effect_args[card][2]:
            state.phase = EVENT_DIE
        else:
            state.decider = state.half
            state.phase = HOME


@rule
def event_succeeds(rules: Any, state: Any, face: int) -> bool:
    """[8.2] Return True if the event's die falls as the card asks."""
    args = rules.effect_args[state.card]
    if rules.effect[state.card] == FX_APPEAL:
        faces = args[0] if state.kauai == NEUTRAL else args[1]
    else:
        faces = args[2]
    return (faces >> face) & 1 == 1


@rule
def event_rolled(rules: Any, state: Any, face: int) -> None:
    """[8.2, R-23] Appeal to Kaua'i: let its pieces join. Storm: send a piece home."""
    success = event_succeeds(rules, state, face)
    state.phase = WITHDRAWALS
    state.next_phase = RECRUIT
    if rules.effect[state.card] == FX_APPEAL:
        if success:
            join(rules, state, state.half)
    elif success:
        state.decider = state.half
        state.phase = HOME
    else:
        state.homes = 0


@rule
def may_go_home(rules: Any, state: Any, piece: int) -> bool:
    """[8.2, R-36] Return True for one of his pieces on the map of a kind that the event names; Kaiana's warriors once
    he is there.
    """
    if state.owner[piece] != state.half or state.place[piece] >= N_SPACES:
        return False
    kind = rules.kind[piece]
    if kind == K_KAIANA_WARRIORS and not kaiana_entered(rules, state):
        return False
    return (rules.effect_args[state.card][1] >> kind) & 1 == 1


@rule
def kaiana_entered(rules: Any, state: Any) -> bool:
    """[R-04 and section 2 of the ruleset] Return True if Kaiana has been on the map."""
    place = state.place[rules.first[K_KAIANA]]
    return place < N_SPACES or place >= DEAD


@rule
def canoe_kinds(rules: Any, state: Any, side: int, space: int) -> int:
    """Count the kinds of canoe of a side in a space."""
    kinds = 0
    for piece in range(N_PIECES):
        if rules.canoe[piece] and state.place[piece] == space and state.owner[piece] == side:
            name = CANOE_OF_KIND[rules.kind[piece]]
            kinds |= 1 << name
    n = 0
    while kinds:
        n += kinds & 1
        kinds >>= 1
    return n


@rule
def home_actions(rules: Any, state: Any) -> None:
    """[8.2] Warriors Go Home, Storm: list the pieces that may go."""
    for piece in range(N_PIECES):
        if may_go_home(rules, state, piece):
            kind, space = rules.kind[piece], state.place[piece]
            if rules.canoe[piece]:
                name = CANOE_OF_KIND[kind]
                if canoe_kinds(rules, state, state.half, space) == 1:
                    name = PLAIN_CANOE
                add_legal(state, action2(HOME_, N_UNITS - N_LEADERS + name, space))
            else:
                add_legal(state, action2(HOME_, UNIT_OF_KIND[kind] - N_LEADERS, space))


@rule
def do_home(rules: Any, state: Any, action: int) -> None:
    """[8.2] Send the piece to the box."""
    name, space = indices2(HOME_, action)
    name += N_LEADERS
    for piece in range(N_PIECES):
        if state.place[piece] == space and may_go_home(rules, state, piece):
            kind = rules.kind[piece]
            if name < N_UNITS:
                found = kind == KIND_OF_UNIT[state.half][name]
            else:
                found = rules.canoe[piece] and (
                    (name == N_UNITS + PLAIN_CANOE and canoe_kinds(rules, state, state.half, space) == 1)
                    or kind == KIND_OF_CANOE[name - N_UNITS]
                )
            if found:
                send_home(rules, state, piece)
                break
    state.homes -= 1
    if state.homes == 0:
        home_done(state)


@rule
def home_done(state: Any) -> None:
    """[8.2] End the going home."""
    state.homes = 0
    state.phase = WITHDRAWALS
    state.next_phase = RECRUIT


@rule
def playable(rules: Any, state: Any, holder: int, window: int) -> bool:
    """[8.0, 8.1, R-09] Return True if the holder has a held event for this window that he may play now."""
    if state.event_played[holder]:
        return False
    for number in range(1, N_NUMBERS + 1):
        if may_play(rules, state, holder, number, window):
            return True
    return False


@rule
def may_play(rules: Any, state: Any, holder: int, number: int, window: int) -> bool:
    """[R-09] Return True for a held card of this window, not drawn in this half."""
    card = card_of(holder, number)
    return (state.held[holder] >> number) & 1 == 1 and card != state.card and rules.window[card] == window


@rule
def open_window(state: Any, holder: int, window: int, next_phase: int) -> None:
    """[8.1] Ask the holder whether he plays a held event."""
    state.window = window
    state.decider = holder
    state.next_phase = next_phase
    state.phase = WINDOW


@rule
def window_actions(rules: Any, state: Any) -> None:
    """[8.1, R-09] Play one of the held events of this window, or pass."""
    for number in range(1, N_NUMBERS + 1):
        if may_play(rules, state, state.decider, number, state.window):
            add_legal(state, action2(PLAY, state.decider, number - 1))
    add_legal(state, PASS)


@rule
def do_window(rules: Any, state: Any, action: int) -> None:
    """[8.1] Play the event and discard its card, or keep it."""
    state.phase = state.next_phase
    state.decider = state.half
    state.window = 0
    if action == PASS:
        return
    holder, number = indices2(PLAY, action)
    card = card_of(holder, number + 1)
    state.held[holder] &= ~(1 << (number + 1))
    state.event_played[holder] = 1
    effect = rules.effect[card]
    if effect == FX_SURE_SIGHTING:
        state.decider = defender(state)
        state.phase = LAUNCH
    else:
        take_effect(rules, state, card)
