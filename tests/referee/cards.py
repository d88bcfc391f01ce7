"""[8.0, 9.0] Drawing a card, its event, the windows of held events, recruiting."""

from __future__ import annotations

from . import data
from .board import Board, Chance, Flow, HeldCard, Piece, Pointer, ask, named, roll
from .data import KAUAI, NEUTRAL, TURNED, A, enemy_of
from .withdrawal import withdrawals


def is_fixed_month(board: Board) -> bool:
    """[6.1] January and February of the long game play cards 1 and 2."""
    return board.scenario == "long" and board.turn in ("january", "february")


def draw_card(board: Board) -> Flow[None]:
    """[6.1, 8.0] The top card, blind; the fixed cards of the first two months are shuffled in again."""
    half = board.half
    deck = board.decks[half.side]
    if is_fixed_month(board):
        number = board.months.index(board.turn) + 1
    else:
        number = yield Chance("card", tuple(sorted(deck)))
        deck.remove(number)
    half.card = board.numbers.cards[half.side][number]
    if half.card.timing == "hold":
        board.held.append(HeldCard(half.card, half.number))


def card_event(board: Board) -> Flow[None]:
    """[8.2] What the drawn card does at once, or starts for the rest of this half."""
    half = board.half
    card = half.card
    assert card is not None
    if card.event == "appeal":
        yield from appeal_to_kauai(board, card)
    elif card.event == "warriors_go_home":
        yield from go_home(board, card.amount, canoes=False)
    elif card.event == "storm":
        yield from storm(board, card)
    elif card.event == "extra_gunpowder_die":
        half.gunpowder_dice += card.amount
    elif card.event == "advantage_bonus":
        half.advantage_bonus += card.amount
    elif card.event == "recruit_among_enemies":
        half.among_enemies = ("kaiana", "kaiana_warriors")
    yield from withdrawals(board)


def appeal_to_kauai(board: Board, card: data.Card) -> Flow[None]:
    """[8.2] A die brings Kaua'i over; R-23: units that then stand among their former friends fight where they are.

    R-15: a canoe among enemy units without a unit of its own sails off, and takes no mark.
    """
    side = board.half.side
    alive = [p for p in board.pieces if p.kind.side == KAUAI and p.place != "dead"]
    if board.kauai == side or not alive:
        return
    faces = card.faces if board.kauai == NEUTRAL else card.faces_against
    die = yield from roll("event")
    if die not in faces:
        return
    board.kauai_joins(side)
    for space in data.SPACES:
        turned = [p for p in alive if p.place == space]
        if any(p.is_unit for p in turned) and board.units(enemy_of(side), space):
            for piece in turned:
                piece.arrived_from = TURNED


def storm(board: Board, card: data.Card) -> Flow[None]:
    """[8.2] A die, then a canoe of the player's own choice is lost; no canoe on the map, no die."""
    side = board.half.side
    if not any(board.canoes(side, space) for space in data.SPACES):
        return
    die = yield from roll("event")
    if die in card.faces:
        yield from go_home(board, card.amount, canoes=True)


def go_home(board: Board, amount: int, canoes: bool) -> Flow[None]:
    """[8.2] Pieces of the player's own choice leave the map, as many as there are."""
    side = board.half.side
    for _ in range(amount):
        pointers = [
            Pointer("home", piece, (piece.place,))
            for piece in board.pieces
            if piece.owner == side
            and piece.place in data.SPACES
            and (piece.kind.canoe if canoes else counts_as_warrior(board, piece))
        ]
        if not pointers:
            return
        chosen = yield from ask(side, "home", named(pointers))
        board.eliminate(chosen.piece)


def counts_as_warrior(board: Board, piece: Piece) -> bool:
    """[9.0] Kaiana's warriors are 'warriors' of a card once he has entered."""
    return piece.kind.warrior and (piece.kind.name != "kaiana_warriors" or board.kaiana_has_entered())


def window(board: Board, holder: str, event: str) -> Flow[bool]:
    """[8.1] R-09: a held event is offered at its moment; one a half for each holder, none in its drawing half."""
    half = board.half
    if holder in half.event_played_by:
        return False
    offered = [
        held
        for held in board.held
        if held.card.side == holder and held.card.event == event and held.drawn_in < half.number
    ]
    if not offered:
        return False
    table: dict[str, HeldCard | None] = {f"play {held.card.name}": held for held in offered}
    table["pass"] = None
    chosen = yield from ask(holder, "window", table)
    if chosen is None:
        return False
    board.held.remove(chosen)
    half.event_played_by.add(holder)
    return True


def recruiting(board: Board) -> Flow[None]:
    """[9.0] R-10, R-27: piece by piece while the card names one that is in the box and has a place."""
    half = board.half
    card = half.card
    assert card is not None
    first_time = is_fixed_month(board)
    wanted = [word for word in card.recruit if first_time or word not in data.ONLY_THE_FIRST_TIME]
    while True:
        pointers: list[Pointer] = []
        for piece in board.at("box/" + half.side):
            if recruit_word(board, piece, wanted):
                pointers += [Pointer("recruit", piece, (space,)) for space in recruit_spaces(board, piece)]
        if not pointers:
            return
        chosen = yield from ask(half.side, "recruiting", named(pointers))
        piece, space = chosen.piece, chosen.places[0]
        wanted.remove(recruit_word(board, piece, wanted))
        piece.go(space)
        if board.units(enemy_of(half.side), space):
            piece.arrived_from = TURNED
        yield from withdrawals(board)


def recruit_word(board: Board, piece: Piece, wanted: list[str]) -> str:
    """[9.0] The word of the recruit line that this piece would use up, empty if none."""
    if piece.kind.name in wanted:
        return piece.kind.name
    if "warrior" in wanted and counts_as_warrior(board, piece):
        return "warrior"
    if "canoe" in wanted and piece.kind.canoe:
        return "canoe"
    return ""


def recruit_spaces(board: Board, piece: Piece) -> list[str]:
    """[9.0] R-10: with a leader or at home, never among enemies, but for the two pieces of Kaiana's card."""
    half = board.half
    spaces = []
    for space in data.SPACES:
        island = data.ISLAND_OF[space]
        welcome = island in piece.kind.homes or any(p.kind.leader for p in board.at(space, half.side))
        ordinary = welcome and not board.has_enemies(half.side, space)
        special = half.side == A and piece.kind.name in half.among_enemies and island in ("oahu", "hawaii")
        if ordinary or special:
            spaces.append(space)
    return spaces
