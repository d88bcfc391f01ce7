"""Checks of cards that are drawn, held and carried out [6.1, 8.0]."""

from __future__ import annotations

from hawaii_env.positions import forbid

from ..rules import names
from ..rules.cards import card_of, number_of, playable, side_of
from ..rules.names import ALL_CARDS, KIND_NAMES, N_KINDS, OVER, PHASES, SIDES
from ..rules.pieces import kauai_pieces_alive
from .check_battles import contested_field, sea_field
from .facts import LOADING_PHASES, S_CARD, S_MOVE, S_RECRUIT, Facts, cards_drawn


def cards(c: Facts) -> None:
    """[6.1, 8.0, 8.1] Check decks, held cards and the card in effect."""
    s, t, ids, phase = c.s, c.t, c.game.card_ids, c.phase
    for side in (0, 1):
        left, held = s.left[side], s.held[side]
        forbid((left | held) & ~ALL_CARDS, "decks: cards 1 to 9 are allowed")
        wanted = 9 - cards_drawn(t, s, side)
        forbid(
            phase != OVER and left.bit_count() != wanted,
            f"decks: {SIDES[side]} has {wanted} cards left in {names.MONTHS[s.month]} in this phase, not "
            f"{left.bit_count()} [6.1, 8.0]",
        )
        for n in (n for n in range(1, names.N_NUMBERS + 1) if held >> n & 1):
            card = card_of(side, n)
            forbid(t.timing[card] != names.HOLD, f"held: {ids[card]} is not a card to hold [8.1]")
            forbid(left >> n & 1 and s.month >= t.reshuffle_month, f"held: {ids[card]} is in the deck, too")
    wants(c)
    if phase == OVER:
        forbid(s.fleet_moves, "fleet_moves: none are left to make in phase over")
        return
    card, before, drawn = s.card, phase in (names.SETUP, names.CARD), phase == names.CARD
    forbid(
        before != (card < 0),
        f"card: {'none is in effect yet' if before else 'one is in effect'} in phase {PHASES[phase]} [8.0]",
    )
    fixed = t.fixed[s.month][c.half]
    forbid(drawn and (fixed or s.left[c.half].bit_count() < 2), "card: this month's card is not drawn by chance [6.1]")
    if card >= 0:
        forbid(side_of(card) != c.half, f"card: {ids[card]} is not of the side whose half it is [8.0]")
        forbid(
            s.fixed != (fixed > 0) or (fixed and number_of(card) != fixed),
            "card: the month's fixed card is the one in effect [6.1]",
        )
        forbid(not s.fixed and s.left[c.half] >> number_of(card) & 1, f"card: {ids[card]} is in the deck, too")
    else:
        forbid(s.fixed, "dealt: no card is in effect [6.1]")
    forbid(
        drawn and (s.advantage_bonus or s.gunpowder_bonus or s.no_sighting),
        "bonuses: no card has been shown in this half [8.0]",
    )
    fleet_moves(c)


def wants(c: Facts) -> None:
    """[8.1, 9.0] Check the recruits still to come."""
    s, t = c.s, c.t
    forbid(
        any(s.want) and (c.stage not in (S_CARD, S_RECRUIT) or c.phase == names.CARD),
        f"recruits: none come in phase {PHASES[c.phase]}",
    )
    for kind in (kind for kind in range(N_KINDS) if s.want[kind]):
        name = KIND_NAMES[kind]
        forbid(kind in (names.K_KAMEHAMEHA, names.K_CANOE), f"recruits: no card brings {name} [9.0]")
        forbid(not t.count[kind], f"recruits: this ruleset has no {name}")
        forbid(t.side[t.first[kind]] != c.half, f"recruits: {name} is not a piece of {SIDES[c.half]}'s [9.0]")


def fleet_moves(c: Facts) -> None:
    """[8.1, 10.3] Check the card's fleet moves."""
    left, card, phase = c.s.fleet_moves, c.s.card, c.phase
    if c.stage != S_MOVE:
        forbid(left, f"fleet_moves: none are left to make in phase {PHASES[phase]}")
        return
    most = c.t.fleets[card]
    forbid(
        left > most or (phase in LOADING_PHASES and left >= most),
        f"fleet_moves: {c.game.card_ids[card]} allows {most}, begun ones among them [8.1]",
    )
    forbid(
        phase == names.WINDOW and left != most,
        f"fleet_moves: all {most} are left as the movement phase starts [8.1]",
    )


def _effect(c: Facts) -> tuple[int, list[int]]:
    """Return the effect of the card in effect, and its values."""
    return c.t.effect[c.s.card], c.t.effect_args[c.s.card]


def event(c: Facts) -> None:
    """[8.2] Check that an event rolls its die: it can change something."""
    s, (effect, values) = c.s, _effect(c)
    storm = effect == names.FX_HOME and values[2]
    forbid(
        c.t.timing[s.card] != names.NOW or not (storm or effect == names.FX_APPEAL),
        "event: the card in effect rolls no die [8.2]",
    )
    forbid(storm and s.homes != values[0], f"homes: the card in effect sends {values[0]} home [8.2]")
    forbid(
        not storm and (s.kauai == c.half or not kauai_pieces_alive(c.t, s)),
        "event: nobody is left on Kaua'i who could join [8.2]",
    )
    forbid(not storm and s.homes, "homes: nobody goes home by an appeal [8.2]")


def home(c: Facts) -> None:
    """[8.2] Check that pieces are to go home."""
    effect, values = _effect(c)
    forbid(
        effect != names.FX_HOME or not 1 <= c.s.homes <= values[0],
        "home: the card in effect sends nobody home, or not so many [8.2]",
    )


def window(c: Facts) -> None:
    """[8.1, R-09] Check that a held event may be played."""
    s, w = c.s, c.s.window
    follows = {
        names.WINDOW_MOVEMENT: names.MOVE,
        names.WINDOW_SIGHTING: names.SIGHTING,
        names.WINDOW_BATTLE: names.BATTLE_BEGIN,
    }
    forbid(s.next_phase != follows[w], "then: what the window is for follows it [8.1]")
    forbid(not playable(c.t, s, s.decider, w), "window: no held event can be played in it [8.1, R-09]")
    if w == names.WINDOW_SIGHTING:
        sea_field(c)
    if w == names.WINDOW_BATTLE:
        contested_field(c)
        forbid(c.t.fort[s.field], "window: no earthworks in a fort [9.0]")
