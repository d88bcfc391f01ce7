"""The board as a picture: the islands with their tokens, the event cards, and what each player has. Drawn from the view
alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, cast

from hawaii_env.aloha.pictures.names import COLOURS, STAGE_NAMES, effect, headline, island_name, okina, player_name
from hawaii_env.aloha.play import Game
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.game import Event
from hawaii_env.render.coasts import coasts
from hawaii_env.render.layers import Box, Drawing, Layer

__all__ = ["draw"]

WIDTH, HEIGHT = 1000, 700
INK, SOFT, PAPER, GOLD = "#24414C", "#4F6B75", "#FBF8EF", "#FFD84A"
FONT = "'Fira Sans', 'Segoe UI', 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"
SERIF = "Alegreya, 'Iowan Old Style', Palatino, Georgia, serif"
LAND = {"kauai": "#F3E69C", "oahu": "#D6DFEF", "molokai": "#D9E4CF", "maui": "#E3D6E8", "hawaii": "#F2CF9E"}

# Of each island: the middle of its name, the left of its first row of tokens and the top of it.
PLACES = {
    "kauai": (150, 112, 78, 150),
    "oahu": (400, 130, 310, 176),
    "molokai": (566, 198, 494, 214),
    "maui": (730, 232, 636, 272),
    "hawaii": (866, 384, 792, 424),
}
ROW = 26
TITLE = {"prologue": "King Kamehameha I", "chapter_1": "King Kamehameha III", "chapter_2": "Queen Liliʻuokalani"}


def _text(x: float, y: float, text: str, size: float, fill: str = INK, anchor: str = "start", more: str = "") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" '
        f'text-anchor="{anchor}"{more}>{escape(text)}</text>'
    )


BOLD = ' font-weight="bold"'


def _ground() -> Layer:
    shores = "".join(f'<path d="{coasts()[island]}"/>' for island in LAND)
    islands = "".join(
        f'<path data-island="{island}" d="{coasts()[island]}" fill="{LAND[island]}" stroke="#5E7F86" '
        'stroke-width="1.1" stroke-linejoin="round"/>'
        for island in LAND
    )
    return Layer(
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/><defs><g id="aloha-coasts">{shores}</g></defs>'
        f'<rect y="62" width="{WIDTH}" height="548" fill="#7FB5C6"/>'
        '<use href="#aloha-coasts" fill="none" stroke="#fff" stroke-opacity=".22" stroke-width="22" '
        'stroke-linejoin="round"/>'
        '<use href="#aloha-coasts" fill="none" stroke="#fff" stroke-opacity=".3" stroke-width="9" '
        'stroke-linejoin="round"/>' + islands,
        Box(0, 0, WIDTH, HEIGHT),
    )


def _header(view: Any, events: Sequence[Event]) -> Layer:
    parts = [
        _text(18, 28, STAGE_NAMES[view.stage], 24, more=f' font-family="{SERIF}"{BOLD}'),
        _text(18, 51, headline(view), 15, SOFT),
    ]
    if view.dice is not None:
        shown = [
            f"{player_name(agent)} {total} ({left} to roll)"
            for agent, total, left in zip(view.players, view.dice["totals"], view.dice["left"], strict=True)
        ]
        parts.append(_text(982, 51, "dice: " + ", ".join(shown), 14, SOFT, "end"))
    elif events:
        parts.append(_text(982, 51, okina(events[-1].text)[:90], 14, SOFT, "end"))
    if view.king is not None:
        parts.append(_text(982, 28, f"King/Queen token: {player_name(view.king)}", 15, INK, "end"))
    return Layer("".join(parts), Box(0, 0, WIDTH, 62))


def _island(view: Any, ruleset: Ruleset, island: str, lit: bool) -> Layer:
    index = ISLANDS.index(island)
    x, y, left, top = PLACES[island]
    # Letters with a pale edge read on land and sea alike.
    edge = ' stroke="#FBF8EF" stroke-width="3.5" paint-order="stroke" stroke-linejoin="round"'
    parts = [_text(x, y, island_name(ruleset, island), 19, anchor="middle", more=f' font-family="{SERIF}"{BOLD}{edge}')]
    if lit:
        parts.insert(
            0,
            f'<path d="{coasts()[island]}" fill="{GOLD}" fill-opacity=".16" stroke="{GOLD}" '
            'stroke-width="3" stroke-linejoin="round"/>',
        )
    row = 0
    for seat, (agent, own) in enumerate(view.players.items()):
        tokens, actions = own.tokens[index], own.actions[index]
        chief = view.chiefs[index] == agent
        if not tokens and not actions and not chief:
            continue
        cy = top + ROW * row
        row += 1
        name = player_name(agent)
        parts.append(
            f'<g data-player="{agent}" data-island="{island}"><title>{name}: {tokens} Pure Hawaiian '
            f"tokens, {actions} Action tokens{', the card of the island' if chief else ''}</title>"
            f'<circle cx="{left + 12}" cy="{cy}" r="12" fill="{COLOURS[seat]}" stroke="#fff" stroke-width="1.5"/>'
            + _text(left + 12, cy + 5, str(tokens), 13.5, "#fff", "middle", BOLD)
        )
        parts += [
            f'<rect x="{left + 29 + 14 * i}" y="{cy - 6}" width="11" height="12" rx="2" fill="#fff" '
            f'stroke="{COLOURS[seat]}" stroke-width="2.5"/>'
            for i in range(actions)
        ]
        if chief:
            cx = left + 30 + 14 * actions
            parts.append(
                f'<path d="M{cx},{cy + 6}v-10l4.5,4 4,-7 4,7 4.5,-4v10z" fill="{GOLD}" '
                f'stroke="{COLOURS[seat]}" stroke-width="1.5" stroke-linejoin="round"/>'
            )
        parts.append("</g>")
    return Layer("".join(parts), Box(0, 62, WIDTH, 548))


def _card(view: Any, ruleset: Ruleset, slot: int, lit: bool) -> Layer:
    number = view.face_up[slot]
    x, y = 14 + 316 * (slot % 2), 384 + 112 * (slot // 2)
    if number is None:
        return Layer(
            f'<rect x="{x}" y="{y}" width="308" height="104" rx="8" fill="#fff" fill-opacity=".25" '
            'stroke="#fff" stroke-dasharray="5 4"/>',
            Box(x - 2, y - 2, 312, 108),
        )
    card = ruleset.card(view.stage, number)
    edge = GOLD if lit else "#34606F"
    words, lines = okina(card.text).split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 50:
            lines.append("")
        lines[-1] += f"{word} "
    result = effect(card)
    result = result[:1].upper() + result[1:]
    bad = card.kind == "calamity_opponents"
    parts = [
        f'<rect x="{x}" y="{y}" width="308" height="104" rx="8" fill="{PAPER}" stroke="{edge}" '
        f'stroke-width="{4 if lit else 1.5}"/>',
        _text(x + 12, y + 23, f"{slot + 1}. {okina(card.title)}", 15.5, more=f' font-family="{SERIF}"{BOLD}'),
        *(_text(x + 12, y + 41 + 15 * i, line.strip(), 11.5, SOFT) for i, line in enumerate(lines[:2])),
        _text(x + 12, y + 74, ", ".join(island_name(ruleset, island) for island in card.islands), 12, more=BOLD),
        f'<rect x="{x + 8}" y="{y + 80}" width="292" height="19" rx="4" fill="none" stroke="#B3261E" '
        'stroke-width="1.6"/>'
        if bad
        else "",
        _text(x + 12, y + 94, result, 12.5),
    ]
    return Layer("".join(parts), Box(x - 3, y - 3, 314, 110))


def _panel(view: Any, ruleset: Ruleset, seat: int, agent: str, own: Any) -> Layer:
    n = len(view.players)
    width = (WIDTH - 12) / n - 6
    x, y = 9 + (width + 6) * seat, 616
    acting = view.to_act == agent
    fields = [
        ("Hawaiian", own.hawaiian), ("Commerce", own.commerce), ("Aloha", own.aloha),
        ("Warriors", own.warrior), ("Home Rule", own.vote), ("pool", own.pool),
    ]  # fmt: skip
    monarchs = [TITLE[card.split()[0]] for card in own.cards if card.endswith("monarch") and card.split()[0] in TITLE]
    if "epilogue monarch" in own.cards:
        monarchs.append("Governor")
    cards = len(own.cards) - len(monarchs)
    titles = ", ".join(okina(ruleset.royal_title(card)) for card in own.cards)
    parts = [
        f'<g><title>{escape(titles or "no cards")}</title><rect x="{x:g}" y="{y}" width="{width:g}" '
        f'height="78" rx="8" fill="#fff" stroke="{GOLD if acting else COLOURS[seat]}" '
        f'stroke-width="{4 if acting else 1.5}"/>',
        f'<path d="M{x:g},{y + 24}v-16a8,8 0 0 1 8,-8h{width - 16:g}a8,8 0 0 1 8,8v16z" fill="{COLOURS[seat]}"/>',
        _text(x + 10, y + 18, player_name(agent), 15, "#fff", more=BOLD),
        _text(x + width - 10, y + 18, f"{own.points} points", 15, "#fff", "end", BOLD),
    ]
    for i, (label, number) in enumerate(fields):
        parts.append(_text(x + 10 + (width - 14) / 3 * (i % 3), y + 40 + 15 * (i // 3), f"{label} {number}", 12))
    short = [title.replace("King Kamehameha", "Kamehameha").replace("Queen ", "") for title in monarchs]
    if cards:
        short.append(f"{cards} island card{'s' if cards > 1 else ''}")
    room = int(width / 5.6)
    line = ", ".join(short)
    parts.append(
        _text(x + 10, y + 71, line if len(line) <= room else f"{len(own.cards)} Royal Family cards", 11.5, SOFT)
    )
    parts.append("</g>")
    return Layer("".join(parts), Box(x - 3, y - 3, width + 6, 84))


def _lit(legal: Mapping[int, str] | None) -> tuple[set[str], set[int]]:
    """The islands and the slots that legal actions name."""
    islands: set[str] = set()
    slots: set[int] = set()
    for text in (legal or {}).values():
        verb, *words = text.split()
        if verb == "event":
            slots.add(int(words[0]) - 1)
        elif verb != "migrate":
            islands.update(word for word in words if word in ISLANDS)
        else:
            islands.add(words[0])
    return islands, slots


def draw(
    view: Any, *, game: Any, legal: Mapping[int, str] | None, events: Sequence[Event], width: int | None
) -> Drawing:
    """Return a position as a drawing in layers; see `hawaii_env.render.picture.SvgDrawer`."""
    ruleset = cast(Game, game).ruleset
    islands, slots = _lit(legal)
    layers = [_ground(), _header(view, events)]
    layers += [_island(view, ruleset, island, island in islands) for island in ISLANDS]
    if view.stage.startswith("chapter"):
        layers += [_card(view, ruleset, slot, slot in slots) for slot in range(4)]
    layers += [_panel(view, ruleset, seat, agent, own) for seat, (agent, own) in enumerate(view.players.items())]
    said = f"ALOHA: {STAGE_NAMES[view.stage]}; {headline(view)}"
    attributes = {"role": "img", "aria-label": escape(said, quote=True), "font-family": FONT}
    return Drawing(WIDTH, HEIGHT, layers, attributes, f"<title>{escape(said)}</title>")
