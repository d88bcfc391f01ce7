"""The board as a picture: the islands with their tokens, the event cards, the dice or the election in their place, and
what each player has. Drawn from the view alone.

What can be chosen carries ``data-actions``, and an island to which one may migrate ``data-targets``, for who shows the
document in a browser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, cast

from hawaii_env.aloha.game import Game
from hawaii_env.aloha.pictures.ground import GOLD, HEIGHT, PAPER, SEA, WIDTH, ground, light
from hawaii_env.aloha.pictures.icons import TINTS, icon, icons
from hawaii_env.aloha.pictures.names import (
    COLOURS,
    CONFLICTS,
    PAYS,
    STAGE_NAMES,
    amounts,
    card_votes,
    cards_in_words,
    effect,
    headline,
    island_name,
    player_name,
    scoring_words,
    takes,
)
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.game import Chance, Event
from hawaii_env.render.layers import Box, Drawing, Layer, around, letters, markup, readable
from hawaii_env.render.relief import SHADOW
from hawaii_env.texts import spell

__all__ = ["draw"]

INK, SOFT = "#24414C", "#46616B"
FONT = "'Fira Sans', 'Segoe UI', 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"
SERIF = "Alegreya, 'Iowan Old Style', Palatino, Georgia, serif"

# Of each island: the middle of its name, and inside of its coast the places of the tokens of its first, second, ...
# player.
PLACES: dict[str, tuple[float, float, tuple[tuple[float, float], ...]]] = {
    "kauai": (140, 103, ((124, 143), (174, 183), (174, 143), (124, 183))),
    "oahu": (384, 103, ((322, 190), (368, 180), (345, 232), (394, 228))),
    "molokai": (560, 168, ((508, 205), (547, 207), (586, 210), (623, 211))),
    "maui": (742, 216, ((704, 264), (748, 306), (704, 308), (648, 252))),
    "hawaii": (880, 340, ((818, 410), (872, 462), (872, 410), (818, 462))),
}
TRACK = 20
"""Points that the track has room for at least."""
CARDS = (14, 350, 312, 108, 6)
"""Left, top, width and height of the first event card, and the gap between two."""
BOLD = ' font-weight="bold"'
HEAD = f' font-family="{SERIF}"{BOLD}'
EDGE = ' stroke="#FBF8EF" stroke-width="3.5" paint-order="stroke" stroke-linejoin="round"'
SHAPES = (
    "M13,0A13,13 0 1 1 -13,0A13,13 0 1 1 13,0Z",
    "M-9.5,-12.5H9.5A3,3 0 0 1 12.5,-9.5V9.5A3,3 0 0 1 9.5,12.5H-9.5A3,3 0 0 1 -12.5,9.5V-9.5A3,3 0 0 1 -9.5,-12.5Z",
    "M0,-15L14,-7.5V7.5L0,15L-14,7.5V-7.5Z",
    "M0,-17L17,0L0,17L-17,0Z",
)
"""The players' tokens: a circle, a square, a hexagon, a diamond, so that colour is not all that tells them apart."""


@dataclass
class _Lit:
    """The subjects of legal actions: by island those that use its Action token or settle there, by start those that
    leave it, by island those that migrate to it, and by slot the events.
    """

    islands: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    tokens: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    targets: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    slots: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    king: list[int] = field(default_factory=list[int])


def _lit(legal: Mapping[int, str] | None) -> _Lit:
    found = _Lit()
    for action, text in (legal or {}).items():
        verb, *words = text.split()
        if verb == "event":
            found.slots.setdefault(int(words[0]) - 1, []).append(action)
            found.islands.setdefault(words[1], []).append(action)
        elif verb == "migrate":
            found.tokens.setdefault(words[0], []).append(action)
            found.targets.setdefault(words[1], []).append(action)
        elif words and words[0] in ISLANDS:
            found.islands.setdefault(words[0], []).append(action)
            if verb == "king":
                found.king.append(action)
    return found


def _acts(actions: Sequence[int] | None, name: str = "actions") -> str:
    return f' data-{name}="{" ".join(map(str, actions))}"' if actions else ""


def _text(x: float, y: float, text: str, size: float, fill: str = INK, anchor: str = "start", more: str = "") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" '
        f'text-anchor="{anchor}"{more}>{escape(text)}</text>'
    )


def _sign(seat: int, x: float, y: float, scale: float = 1.0) -> str:
    """Return a player's shape."""
    return (
        f'<path d="{SHAPES[seat]}" transform="translate({x:g},{y:g}) scale({scale:g})" fill="{COLOURS[seat]}" '
        'stroke="#fff" stroke-width="1.6"/>'
    )


def _crown(x: float, y: float, scale: float = 1.0, edge: str = INK) -> str:
    return (
        f'<path d="M-8.5,7v-12l4.5,4.5 4,-8 4,8 4.5,-4.5v12z" transform="translate({x:g},{y:g}) scale({scale:g})" '
        f'fill="{GOLD}" stroke="{edge}" stroke-width="1.5" stroke-linejoin="round"/>'
    )


def _header(view: Any, king: Sequence[int]) -> Iterator[Layer]:
    stage, said = STAGE_NAMES[view.stage], headline(view)
    yield Layer(_text(18, 25, stage, 23, more=HEAD), letters(18, 25, stage, 18))
    yield Layer(_text(18, 46, said, 15.5, SOFT), letters(18, 46, said, 13))
    if view.king is not None:
        said = f"King/Queen token: {player_name(view.king)}"
        at = 982 - 7.6 * len(said) - 18
        yield Layer(
            f'<g class="piece{" legal" * bool(king)}" data-piece="king" data-piece-kind="king" data-place="king" '
            f'data-side="{view.king.partition("_")[0]}"{_acts(king)}><title>{said}</title>'
            + (f'<circle cx="{at:g}" cy="18" r="15" fill="{GOLD}" fill-opacity=".45"/>' if king else "")
            + _crown(at, 18, 1.25)
            + _text(982, 23, said, 15, anchor="end")
            + "</g>",
            Box(at - 18, 0, WIDTH - at + 18, 40),
        )


def _spots(view: Any, island: str) -> dict[str, tuple[float, float]]:
    """Return the players who have something on an island, each with the place of his tokens."""
    index = ISLANDS.index(island)
    here = [
        agent
        for agent, own in view.players.items()
        if own.tokens[index] or own.actions[index] or view.chiefs[index] == agent
    ]
    return {agent: _spot(island, n) for n, agent in enumerate(here)}


def _spot(island: str, n: int) -> tuple[float, float]:
    return PLACES[island][2][n]


def _migration(view: Any) -> Layer:
    """[C2m] Draw where tokens are about to go, while their number is chosen: an arrow from the player's tokens to his
    place on the other island, or to the next free one, bent so that it crosses as few others, and neither the cards nor
    the track, as can be.
    """
    start, end = view.migration
    there = _spots(view, end)
    (x1, y1), (x2, y2) = _spots(view, start)[view.to_act], there.get(view.to_act) or _spot(end, len(there))
    others = [
        spot
        for island in ISLANDS
        for agent, spot in _spots(view, island).items()
        if agent != view.to_act or island not in view.migration
    ]

    def crossed(bend: int) -> int:
        points = [_on_bow(x1, y1, x2, y2, bend, step / 60) for step in range(61)]
        outside = any((x < 650 and y > CARDS[1] - 8) or y < SEA[0] + 34 for x, y in points)
        return 9 * outside + sum(any(abs(x - u) < 20 and abs(y - v) < 22 for x, y in points) for u, v in others)

    bend = min((0, 40, -40, 80, -80, 120, -120, 160, -160, 210, -210), key=lambda bend: (crossed(bend), abs(bend)))
    points = [_on_bow(x1, y1, x2, y2, bend, step / 60) for step in range(61)]
    before = next(n for n, (x, y) in enumerate(points) if (x - x2) ** 2 + (y - y2) ** 2 < 46**2)
    tip = next(n for n, (x, y) in enumerate(points) if (x - x2) ** 2 + (y - y2) ** 2 < 20**2)
    (bx, by), (tx, ty) = points[before], points[tip]
    length = ((tx - bx) ** 2 + (ty - by) ** 2) ** 0.5
    along, across = (tx - bx) / length, (ty - by) / length
    head = (
        f"{tx:.0f},{ty:.0f} {bx - 12 * across:.0f},{by + 12 * along:.0f} {bx + 12 * across:.0f},{by - 12 * along:.0f}"
    )
    path = "M" + "L".join(f"{x:.0f},{y:.0f}" for x, y in [*points[: before + 1 : 3], points[before]])
    line = f'<path d="{path}" fill="none" stroke="{{}}" stroke-width="{{}}"/>'
    return Layer(
        f'<g class="arrow last" opacity=".85">{line.format(INK, 9)}<polygon points="{head}" fill="{GOLD}" '
        f'stroke="{INK}" stroke-width="2"/>{line.format(GOLD, 5)}</g>',
        around([*points, *zip((x1, x2), (y1, y2), strict=True)], 22),
    )


def _on_bow(x1: float, y1: float, x2: float, y2: float, bend: float, part: float) -> tuple[float, float]:
    """Return a point on the way from one place to another: straight, or bent downwards, with a negative bend
    upwards.
    """
    off = 4 * bend * part * (1 - part)
    return x1 + (x2 - x1) * part, y1 + (y2 - y1) * part + off


def _scoring(view: Any, ruleset: Ruleset) -> Layer:
    """Draw what scores at the end of the stage, on the empty sea."""
    lines = scoring_words(ruleset, view.stage, len(view.players))
    if view.phase == "over":
        return Layer("", Box(640, SEA[0], 0, 0))
    x, y = 986, SEA[0] + 48
    said = f"Points at the end of {STAGE_NAMES[view.stage].split(',')[0]}"
    parts = [_text(x, y, said, 15.5, anchor="end", more=HEAD)]
    parts += [_text(x, y + 19 * (n + 1), line, 14.5, anchor="end") for n, line in enumerate(lines)]
    return Layer("".join(parts), Box(500, SEA[0] + 30, 500, 24 + 19 * len(lines)))


def _track(view: Any) -> Iterator[Layer]:
    """Draw the points of all players as a track along the top."""
    points = {agent: own.points for agent, own in view.players.items()}
    last = max(TRACK, *points.values())
    step, top = (WIDTH - 28) / (last + 1), SEA[0] + 5
    parts = [
        f'<rect x="14" y="{top}" width="{WIDTH - 28}" height="24" rx="5" fill="{PAPER}" fill-opacity=".82"/>',
        *(
            f'<path d="M{14 + step * n:.1f},{top}v24" stroke="#34606F" stroke-opacity=".35" stroke-width="1"/>'
            for n in range(1, last + 1)
        ),
        *(_text(14 + step * (n + 0.5), top + 17, str(n), 14.5, "#5C7480", "middle") for n in range(last + 1)),
    ]
    yield Layer("".join(parts), Box(8, top - 2, WIDTH - 16, 29))
    for seat, (agent, number) in enumerate(points.items()):
        level = [other for other in points if points[other] == number]
        x = 14 + step * (number + 0.5) + 11 * level.index(agent) - 5.5 * (len(level) - 1)
        title = f"<title>{player_name(agent)}: {number} points</title>"
        yield Layer(f"<g>{title}{_sign(seat, x, top + 12, 0.72)}</g>", around([(x, top + 12.0)], 15))


def _tokens(view: Any, island: str, lit: _Lit) -> Iterator[Layer]:
    """Return the tokens of each player who has something on an island."""
    index, spots = ISLANDS.index(island), _spots(view, island)
    for seat, (agent, own) in enumerate(view.players.items()):
        if agent not in spots:
            continue
        tokens, actions, chief = own.tokens[index], own.actions[index], view.chiefs[index] == agent
        (left, cy), name = spots[agent], player_name(agent)
        acts = lit.tokens.get(island) if agent == view.to_act else None
        said = f"{name}: {tokens} Pure Hawaiian tokens, {actions} Action tokens"
        parts = [
            f'<g class="piece{" legal" * bool(acts)}" data-player="{agent}" data-island="{island}" '
            f'data-piece="tokens" data-piece-kind="tokens" data-place="{island}" data-side="{agent.partition("_")[0]}" '
            f'data-count="1"{_acts(acts)}><title>{said}{", the card of the island" if chief else ""}</title>'
        ]
        if acts:
            parts.append(f'<circle cx="{left}" cy="{cy}" r="17.5" fill="none" stroke="{GOLD}" stroke-width="4"/>')
        if tokens:
            parts += [f'<g transform="translate(3 3.5)" opacity=".35">{_sign(seat, left, cy)}</g>'] * (tokens > 1)
            parts.append(f'<path d="{SHAPES[seat]}" transform="translate({left + 1.5:g},{cy + 2.5:g})" {SHADOW}/>')
            parts += [_sign(seat, left, cy), _text(left, cy + 5.5, str(tokens), 15, "#fff", "middle", BOLD)]
        # Action tokens lie along the lower edge, the island's card is a crown at the upper one.
        first = left - 6.5 * (actions - 1)
        parts += [
            f'<rect x="{first + 13 * i - 5.5:g}" y="{cy + 9.5:g}" width="11" height="11" rx="2" fill="#fff" '
            f'stroke="{COLOURS[seat]}" stroke-width="2.6"/>'
            for i in range(actions)
        ]
        if chief:
            parts.append(_crown(left + 11, cy - 14, 0.9, COLOURS[seat]))
        half = max(22.0, 6.5 * actions + 4)
        yield Layer("".join([*parts, "</g>"]), Box(left - half, cy - 24, 2 * half, 48))


def _label(view: Any, ruleset: Ruleset, island: str) -> Layer:
    x, y, *_ = PLACES[island]
    shown = view.stage.startswith("chapter")
    given = takes(ruleset, view.stage, island)
    name = island_name(ruleset, island)
    signs, end = icons(given, x + 5.2 * len(name) + 10, y, 17, INK)
    gives = (
        f'<g><title>{escape(amounts(given))}</title><rect x="{x + 5.2 * len(name) + 4:g}" y="{y - 17}" rx="6" '
        f'width="{end - x - 5.2 * len(name) - 6:g}" height="22" fill="{PAPER}" fill-opacity=".8"/>{signs}</g>'
    )
    left, top, width, height = letters(x, y, name, 20, "middle")
    return Layer(
        f'<g class="label" data-space="{island}"><text x="{x}" y="{y}" font-size="20" fill="{INK}" '
        f'text-anchor="middle"{HEAD}{EDGE}>{escape(name)}</text>{gives if shown else ""}</g>',
        Box(left, top, max(width, end - left + 4), height + 4),
    )


def _card(view: Any, ruleset: Ruleset, slot: int, acts: Sequence[int] | None) -> Layer:
    left, top, width, height, gap = CARDS
    number = view.face_up[slot]
    x, y = left + (width + gap) * (slot % 2), top + (height + gap) * (slot // 2)
    box = Box(x - 3, y - 3, width + 6, height + 6)
    if number is None:
        empty = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#fff" fill-opacity=".12" '
        return Layer(empty + 'stroke="#fff" stroke-opacity=".6" stroke-dasharray="5 4"/>', box)
    card = ruleset.card(view.stage, number)
    bad = card.kind != "event"
    given = {**card.receives, **({} if card.receives else card.pays)}
    tint = "#6E6257" if bad else TINTS[max(given, key=lambda name: given[name])] if given else "#34606F"
    title = escape(f"{spell(card.title)}: {spell(card.text)} {effect(card)}")
    parts = [
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{PAPER}"/>'
        f'<path d="M{x},{y + 30}v-22a8,8 0 0 1 8,-8h{width - 16}a8,8 0 0 1 8,8v22z" fill="{tint}"/>',
        _text(x + 12, y + 21, f"{slot + 1}. {spell(card.title)}", 16.5, "#fff", more=HEAD),
        _text(x + 12, y + 53, ", ".join(island_name(ruleset, island) for island in card.islands), 15.5, more=BOLD),
    ]
    at = float(x + 12)
    for verb, amounts_of, ink in (
        ("receives", card.receives, ""),
        (
            PAYS[card.kind],
            card.pays,
            "#8C2F1B",
        ),
    ):
        if amounts_of:
            parts.append(_text(at, y + 84, verb, 15, ink or SOFT))
            signs, at = icons(amounts_of, at + 7.9 * len(verb) + 8, y + 85, 19, ink)
            parts.append(signs)
            at += 8
    parts.append(
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="none" '
        f'stroke="{GOLD if acts else tint}" stroke-width="{4 if acts else 1.5}"/>'
    )
    shape, data = "".join(parts), f'data-card="{view.stage}-{number}"{_acts(acts)}'
    return Layer(f'<g class="held{" legal" * bool(acts)}" {data}><title>{title}</title>{shape}</g>', box, shape)


def _board_of(title: str, rows: Sequence[str], said: str = "") -> Layer:
    """Draw in the place of the event cards: a title, a row for each player, a line below."""
    left, top, width, height, gap = CARDS
    across, down = 2 * width + gap, 2 * height + gap
    parts = [
        f'<rect x="{left}" y="{top}" width="{across}" height="{down}" rx="8" fill="{PAPER}" stroke="#34606F" '
        'stroke-width="1.5"/>',
        _text(left + 18, top + 31, title, 21, more=HEAD),
        *rows,
        _text(left + 18, top + down - 14, said, 14.5, SOFT),
    ]
    return Layer("".join(parts), Box(left - 2, top - 2, across + 4, down + 4))


def _die(x: float, y: float, face: int | None) -> str:
    if face is None:
        return (
            f'<rect x="{x:g}" y="{y:g}" width="26" height="26" rx="5" fill="none" stroke="{SOFT}" stroke-width="1.6" '
            'stroke-dasharray="4 3"/>'
        )
    return (
        f'<rect x="{x:g}" y="{y:g}" width="26" height="26" rx="5" fill="#fff" stroke="{INK}" stroke-width="1.6"/>'
        + _text(x + 13, y + 19, str(face), 17, anchor="middle", more=BOLD)
    )


def _conflict(view: Any, events: Sequence[Event]) -> Layer:
    """[P3, C3] Return the dice of a conflict; those that fell last as far as they are known."""
    left, top, *_ = CARDS
    totals, due = view.dice["totals"], view.dice["left"]
    fell: list[int] = []
    for event in reversed(events):
        if not isinstance(event, Chance) or event.kind != "die":
            break
        fell.insert(0, event.outcome)
    rows: list[str] = []
    for seat, (agent, own) in reversed(list(enumerate(view.players.items()))):
        y, x = top + 62 + 33 * seat, left + 250
        faces: list[int] = []
        while fell and sum(faces) < totals[seat]:
            faces.insert(0, fell.pop())
        shown: list[int | None] = [*(faces if sum(faces) == totals[seat] else []), *[None] * due[seat]]
        rows += [
            _sign(seat, left + 32, y, 0.85),
            _text(left + 52, y + 6, player_name(agent), 16, more=BOLD),
            _text(left + 126, y + 6, f"{own.warrior} warrior{'s' * (own.warrior != 1)}", 14.5),
            *(_die(x + 33 * n, y - 13, face) for n, face in enumerate(shown)),
            _text(x + 250, y + 7, str(totals[seat]) if totals[seat] else "", 20, anchor="end", more=BOLD),
        ]
    return _board_of(CONFLICTS[view.stage], rows, "The highest total wins; who is level for it rolls again.")


def _election(view: Any, ruleset: Ruleset) -> Layer:
    """[E2, E3] Draw votes, and at the end who governs and represents."""
    left, top, *_ = CARDS
    over = view.phase == "over"
    heads = ("Home Rule", "on cards", "votes", "Representatives" if over else "", "points" if over else "")
    columns = [left + x for x in (190, 280, 350, 500, 590)]
    rows = [_text(x, top + 52, head, 14.5, SOFT, "end") for x, head in zip(columns, heads, strict=True)]
    for seat, (agent, own) in enumerate(view.players.items()):
        y = top + 78 + 31 * seat
        votes = card_votes(ruleset, own.cards)
        number = sum(card.startswith("epilogue") and not card.endswith("monarch") for card in own.cards)
        values = (own.vote, votes, own.vote + votes, number if over else "", own.points if over else "")
        governs = "epilogue monarch" in own.cards
        rows += [
            _sign(seat, left + 32, y - 5, 0.85),
            _text(left + 52, y, player_name(agent), 16, more=BOLD),
            *(
                _text(x, y, str(value), 18 if n in (2, 4) else 15, anchor="end", more=BOLD if n in (2, 4) else "")
                for n, (x, value) in enumerate(zip(columns, values, strict=True))
            ),
            _crown(left + 368, y - 6, 1.1) if governs else "",
        ]
    said = "The crown is the Governor’s." if over else "Most votes elect the Governor; ties: Hawaiian, Aloha, Commerce."
    return _board_of("The election" if over else "Votes for the Governor", rows, said)


def _panel(view: Any, ruleset: Ruleset, seat: int, agent: str, own: Any) -> Iterator[Layer]:
    n = len(view.players)
    width = (WIDTH - 12) / n - 6
    x, y, height = 9 + (width + 6) * seat, SEA[1] + 7, HEIGHT - SEA[1] - 13
    acting = view.to_act == agent
    fields = {
        "hawaiian": own.hawaiian, "commerce": own.commerce, "aloha": own.aloha, "vote": own.vote,
        "warrior": own.warrior, "pool": own.pool,
    }  # fmt: skip
    titles = ", ".join(spell(ruleset.royal_title(card)) for card in own.cards)
    colour = COLOURS[seat]
    yield markup(f"<g><title>{escape(titles or 'no cards')}</title>")
    frame = [
        f'<rect x="{x:g}" y="{y}" width="{width:g}" '
        f'height="{height}" rx="8" fill="{PAPER}" stroke="{GOLD if acting else colour}" '
        f'stroke-width="{5 if acting else 1.5}"/>',
        f'<path d="M{x:g},{y + 26}v-18a8,8 0 0 1 8,-8h{width - 16:g}a8,8 0 0 1 8,8v18z" fill="{colour}"/>',
        _sign(seat, x + 17, y + 13, 0.62),
        _text(x + 33, y + 19, player_name(agent), 17, "#fff", more=BOLD),
    ]
    yield Layer("".join(frame), Box(x - 3, y - 3, width + 6, height + 6))
    points = f"{own.points} point{'s' * (own.points != 1)}"
    yield Layer(_text(x + width - 10, y + 19, points, 17, "#fff", "end", BOLD), Box(x + width - 110, y, 110, 26))
    held = [(name, number) for name, number in fields.items() if number]
    step = (width - 20) / (3 if n == 4 else 6)
    for i, (name, number) in enumerate(held):
        left, top = x + 22 + step * (i % (3 if n == 4 else 6)), y + 46 + 23 * (i // (3 if n == 4 else 6))
        shape = icon(name, 0, -6, 0.95) + _text(14, 0, str(number), 17, more=BOLD)
        moved = f'<g transform="translate({left:g},{top:g})">{shape}</g>'
        yield Layer(moved, Box(left - 14, top - 20, 60, 28), shape, (left, top))
    if own.cards:
        votes = card_votes(ruleset, own.cards)
        line = f"on {cards_in_words(ruleset, own.cards)}"
        if len(line) > (width - 64) / 7:
            line = f"on {len(own.cards)} Royal cards"
        number = str(votes)
        shown = icon("vote", x + 22, y + 85, 0.95) + _text(x + 36, y + 91, number, 17, more=BOLD)
        shown += _text(x + 42 + 9 * len(number), y + 91, line, 14.5, INK)
        yield Layer(shown, Box(x + 6, y + 73, width - 12, 24))
    yield markup("</g>")


def draw(
    view: Any, *, game: Any, legal: Mapping[int, str] | None, events: Sequence[Event], width: int | None
) -> Drawing:
    """Return a position as a drawing in layers; see `hawaii_env.render.picture.SvgDrawer`."""
    ruleset = cast(Game, game).ruleset
    lit = _lit(legal)
    said = {name: _acts(lit.islands.get(name)) + _acts(lit.targets.get(name), "targets") for name in ISLANDS}
    layers = [ground(said), *map(light, lit.islands)]
    layers += [*_header(view, lit.king), *_track(view), _scoring(view, ruleset)]
    if view.migration is not None:
        layers.append(_migration(view))
    layers += [_label(view, ruleset, island) for island in ISLANDS]
    layers += [layer for island in ISLANDS for layer in _tokens(view, island, lit)]
    if view.dice is not None:
        layers.append(_conflict(view, events))
    elif view.stage == "epilogue":
        layers.append(_election(view, ruleset))
    elif view.stage.startswith("chapter"):
        layers += [_card(view, ruleset, slot, lit.slots.get(slot)) for slot in range(4)]
    for seat, (agent, own) in enumerate(view.players.items()):
        layers += _panel(view, ruleset, seat, agent, own)
    said = f"ALOHA: {STAGE_NAMES[view.stage]}; {headline(view)}"
    attributes = {"role": "img", "aria-label": escape(said, quote=True), "font-family": FONT} | readable()
    return Drawing(WIDTH, HEIGHT, layers, attributes, f"<title>{escape(said)}</title>")
