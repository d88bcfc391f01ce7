"""Crowded positions made by hand: full and empty pools, tracks at their ends, level players, thin decks."""

from __future__ import annotations

import random

from .data import CHAPTERS, ISLANDS, SETS, STAGES, TRACKS, Rules
from .referee import Referee

PHASES = {
    "prologue": ("prologue_action", "amount", "die"),
    "chapter_1": ("king", "event", "action", "action", "action", "amount", "die"),
    "chapter_2": ("king", "event", "action", "action", "action", "amount", "die"),
    "chapter_3": ("king", "event", "action", "action", "action", "amount"),
    "epilogue": ("convert", "convert", "over"),
}


def crowd(
    rules: Rules, names: tuple[str, ...], turn_order: str, rng: random.Random, stage: str | None = None
) -> Referee:
    """A position in this or any stage, but not before the settlers, that play could hardly reach."""
    referee = Referee(rules, names, turn_order)
    referee.stage = stage or rng.choice((*STAGES[:4], "chapter_3", *(STAGES[4:] if rules.conversions else ())))
    referee.phase = rng.choice(PHASES[referee.stage])
    referee.first = rng.randrange(len(names))
    _deal_tokens(referee, rng)
    _deal_tracks(referee, rng)
    _deal_cards(referee, rng)
    for player, points in zip(referee.players, _alike(rng, len(names), 0, 40), strict=True):
        player.points = points
    if referee.stage == "epilogue" and rng.random() < 0.7:
        _level(referee, rng)
    referee.order = referee.clockwise(referee.first)
    if referee.stage != "prologue":
        rng.shuffle(referee.order)
        if turn_order == "most_left" or referee.stage == "epilogue":
            referee.order.sort(key=lambda index: -referee.players[index].points)
    {
        "king": _before_king,
        "convert": _converting,
        "die": _rolling,
        "event": _cards_out,
        "action": _cards_out,
        "amount": _moving if referee.stage == "prologue" else _cards_out,
        "prologue_action": _moving,
        "over": _ended,
    }[referee.phase](referee, rng)
    return referee


def _alike(rng: random.Random, count: int, least: int, most: int) -> list[int]:
    """Numbers that are often level."""
    few = [rng.randint(least, most) for _ in range(rng.choice((1, 2, count)))]
    return [rng.choice(few) for _ in range(count)]


def _deal_tokens(referee: Referee, rng: random.Random) -> None:
    style = rng.choice(("level", "full", "thin", "stuck", "any", "any"))
    for player in referee.players:
        most = referee.rules.stock
        if style == "level":
            for island in ISLANDS:
                player.tokens[island] = rng.choice((0, most // 10, most // 5))
            continue
        if style == "stuck":  # all on one island, and with luck Action tokens on Kaua'i alone
            player.tokens[rng.choice(ISLANDS[1:])] = most
            continue
        worth = most if style == "full" else rng.randint(0, 2 if style == "thin" else most)
        for _ in range(worth):
            player.tokens[rng.choice(ISLANDS)] += 1
        if rng.random() < 0.4:  # in one group
            island = rng.choice(ISLANDS)
            player.tokens = dict.fromkeys(ISLANDS, 0) | {island: worth}


def _deal_tracks(referee: Referee, rng: random.Random) -> None:
    end = referee.rules.track_end
    for track in TRACKS:
        ranges = ((0, 2), (0, 12), (max(end - 3, 0), end))
        for player, number in zip(referee.players, _alike(rng, len(referee.players), *rng.choice(ranges)), strict=True):
            player.tracks[track] = min(number, end)
    for player in referee.players:
        if referee.stage in ("chapter_3", "epilogue"):
            player.tracks["warrior"] = 0
        else:
            player.tracks["vote"] = 0


def _deal_cards(referee: Referee, rng: random.Random) -> None:
    for name in SETS[: min(STAGES.index(referee.stage), 3)]:
        referee.king = rng.randrange(len(referee.players))
        referee.players[referee.king].cards.add(f"{name} monarch")
        for island in ISLANDS:
            if rng.random() < 0.7:
                rng.choice(referee.players).cards.add(f"{name} {island}")


def _before_king(referee: Referee, rng: random.Random) -> None:
    assert referee.king is not None
    holder = referee.players[referee.king]
    if not holder.hawaiian:
        holder.tokens[rng.choice(ISLANDS)] = 1
    referee.deal_actions()
    referee.decider = referee.king


def _deal_actions(referee: Referee, rng: random.Random) -> None:
    """[AD, R-21] Any number up to what can lie there; the King/Queen token's on one island."""
    where = rng.choice((ISLANDS, ISLANDS[:1], ISLANDS[-1:], ISLANDS))
    if all(player.hawaiian == referee.rules.stock for player in referee.players):
        where = ISLANDS[:1]
    crowned = rng.choice(where)
    for index, player in enumerate(referee.players):
        for island in where:
            card = f"{referee.latest_set()} {island}" in player.cards
            was_there = player.present(island) or _struck(referee, island)
            most = 2 if card else int(was_there)
            if index == referee.king and island == crowned:
                most = most + 1 if was_there else max(most, 1)
            player.actions[island] = rng.choice((0, rng.randint(0, most), min(most, 1), most))


def _struck(referee: Referee, island: str) -> bool:
    """[C2e] Somebody's tokens there may be gone by a calamity of this chapter."""
    return any(
        card.kind != "event" and island in card.islands and card.pays.get("hawaiian", 0)
        for number, card in referee.rules.cards[referee.stage].items()
        if number not in referee.face_up and number not in referee.deck
    )


def _cards_out(referee: Referee, rng: random.Random) -> None:
    """Slots, a deck, Action tokens, and who is next."""
    cards = referee.rules.cards[referee.stage]
    open_cards = [number for number, card in cards.items() if card.kind != "calamity"]
    chosen = rng.sample(open_cards, min(4, len(open_cards)))
    referee.face_up = [*chosen, *[None] * (4 - len(chosen))]
    rest = [number for number in cards if number not in chosen]
    referee.deck = set(rng.sample(rest, rng.choice((0, min(1, len(rest)), len(rest) // 2, len(rest)))))
    if None in referee.face_up:
        referee.deck = set()
    if referee.phase == "event":
        for slot in rng.sample(range(4), rng.choice((1, 1, 2, 4))):
            referee.face_up[slot] = None
        referee.deck = referee.deck or set(rest[:1])
    elif not referee.deck:  # an empty slot stays empty
        for slot in rng.sample(range(4), rng.choice((0, 1, 4))):
            referee.face_up[slot] = None
    _deal_actions(referee, rng)
    referee.acted = rng.choice((None, rng.randrange(len(referee.players))))
    if referee.phase == "event":
        return
    if not any(player.action_count for player in referee.players):
        assert referee.king is not None
        referee.players[referee.king].actions[rng.choice(ISLANDS)] = 1
    referee.decider = referee.next_actor()
    _migrating(referee, rng)


def _moving(referee: Referee, rng: random.Random) -> None:
    """[P2] Some actions of the Prologue are left."""
    done = rng.randrange(len(referee.players) * referee.rules.moves)
    for place, index in enumerate(referee.order):
        referee.players[index].moves = referee.rules.moves - (done + len(referee.order) - 1 - place) // len(
            referee.order
        )
    most = max(player.moves for player in referee.players)
    referee.decider = next(index for index in referee.order if referee.players[index].moves == most)
    _migrating(referee, rng)


def _migrating(referee: Referee, rng: random.Random) -> None:
    """[C2m] The amount is asked next."""
    if referee.phase != "amount":
        return
    assert referee.decider is not None
    player = referee.players[referee.decider]
    start, goal = rng.sample(ISLANDS, 2)
    if referee.stage in CHAPTERS:
        start = rng.choice([island for island in ISLANDS if player.actions[island]])
        goal = rng.choice([island for island in ISLANDS if island != start])
    if not player.present(start):  # he comes back with one, from the pool or from where most are
        if player.hawaiian == referee.rules.stock:
            player.tokens[max(ISLANDS, key=player.tokens.__getitem__)] -= 1
        player.tokens[start] = 1
    referee.migration = (start, goal)


def _rolling(referee: Referee, rng: random.Random) -> None:
    """[P3] Before the first die, or when some are level."""
    count = len(referee.players)
    dice = referee.dice_of()
    level = rng.sample(range(count), rng.randint(2, count))
    referee.left = [number if index in level else 0 for index, number in enumerate(dice)]
    referee.totals = [0] * count


def _converting(referee: Referee, rng: random.Random) -> None:
    """[E1] Some have converted."""
    most = referee.rules.conversions
    place = rng.randrange(len(referee.order))
    for index in referee.order[:place]:
        referee.players[index].converted = rng.randint(0, most)
    referee.decider = referee.order[place]
    referee.players[referee.decider].converted = rng.randint(0, most - 1)


def _level(referee: Referee, rng: random.Random) -> None:
    """[E3, W] Nearly nothing but ties and what breaks them: few points, tokens and markers apart."""
    rules, most = referee.rules, max(referee.votes(player) - player.tracks["vote"] for player in referee.players)
    worth = rng.randint(1, rules.stock)
    for player in referee.players:
        player.points = 20 + rng.choice((0, 0, rules.scoring["epilogue"]["governor"]))
        island = rng.choice(ISLANDS)
        player.tokens = dict.fromkeys(ISLANDS, 0) | {island: max(worth - rng.choice((0, 0, 0, 1)), 0)}
        for track in ("commerce", "aloha"):
            player.tracks[track] = min(rng.choice((0, 1)), rules.track_end)
        on_cards = referee.votes(player) - player.tracks["vote"]
        player.tracks["vote"] = min(most - on_cards + rng.choice((0, 0, 1)), rules.track_end)


def _ended(referee: Referee, rng: random.Random) -> None:
    """[W] Nothing is left to do."""
