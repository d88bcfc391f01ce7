"""Panels around the map of Hawaii, 1795: the turn track, who decides, decks and cards, boxes, the dead, the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hawaii_env.game import Event
from hawaii_env.hawaii1795.pictures.battle import dice_row
from hawaii_env.hawaii1795.pictures.counters import PITCH, SIDE_INK, counter, groups, side_mark, symbol
from hawaii_env.hawaii1795.pictures.legal import Highlights
from hawaii_env.hawaii1795.pictures.names import card_of, recruit_words, side_name
from hawaii_env.hawaii1795.pictures.phrases import button_phrase, die_of, last_phrase, question, wrap
from hawaii_env.hawaii1795.rules.names import MONTHS
from hawaii_env.render.layers import Box, Layer, letters, markup
from hawaii_env.texts import spell

__all__ = ["boxes", "card_sign", "cards", "header", "key"]

INK, SOFT, PAPER, LINE, GOLD = "#24414C", "#4F6B75", "#FBF8EF", "#34606F", "#FFD84A"
CARD_LINE = 34  # letters
BOLD, MIDDLE = 'font-weight="bold"', 'text-anchor="middle"'
SERIF = "Alegreya, 'Iowan Old Style', Palatino, Georgia, serif"


def _text(x: float, y: float, text: str, size: float = 13, ink: str = INK, more: str = "") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{ink}"{" " + more if more else ""}>{escape(text)}</text>'
    )


def _actions(actions: Sequence[Any]) -> str:
    return escape(" ".join(map(str, actions)))


def header(view: Mapping[str, Any], ruleset: Any, lit: Highlights | None, title: str) -> list[Layer]:
    """Return the title, the turn track with whose half it is, and the line that says who must decide what."""
    bar = (
        f'<rect x="-1000" width="3000" height="70" fill="{PAPER}"/>'
        f'<text x="16" y="31" font-size="25" font-weight="bold" font-family="{SERIF}" '
        f'fill="{INK}">{escape(spell(title))}</text>'
    )
    parts = [
        markup('<g class="header">'),
        Layer(f'{bar}<g class="turn-track">{"".join(_turn_track(view))}</g>', Box(0, 0, 1000, 70)),
    ]
    decider = view["decider"]
    mark = decider if decider in ("kamehameha", "allied") else None
    if decider == "chance":
        mark = die_of(view)
    if view["winner"] in ("kamehameha", "allied"):
        mark = view["winner"]
    x = 16.0
    if mark is not None:
        parts.append(Layer(side_mark(mark, x + 9, 53, 18), Box(x - 2, 42, 22, 22)))
        x += 26
    ink = SIDE_INK[mark] if mark else INK
    asked = question(view, ruleset)
    parts.append(
        Layer(
            f'<g class="decider" data-decider="{decider}" '
            f'data-phase="{view["phase"]}">{_text(x, 58.5, asked, 16.5, ink, BOLD)}</g>',
            letters(x, 58.5, asked, 16.5),
        )
    )
    buttons = [] if lit is None else _buttons(lit, view["phase"])
    return [*parts, *buttons, markup("</g>")]


def _turn_track(view: Mapping[str, Any]) -> list[str]:
    """Return the months, with whose half it is at the present one."""
    now = MONTHS.index(view["turn"]) - 1
    step, left = 70.5, 212.0
    track: list[str] = []
    for number, month in enumerate(MONTHS[1:]):
        x = left + number * step
        here = number == now
        fill = LINE if here else "#E4EEEF" if number > now else "#C3D6DA"
        track.append(
            f'<g class="turn{" now" if here else ""}" data-turn="{month}"><rect x="{x:g}" y="9" '
            f'width="{step - 4:g}" height="27" rx="6" fill="{fill}"/>'
            + _text(
                x + (26 if here else (step - 4) / 2),
                27.5,
                month[:3].capitalize(),
                14,
                "#fff" if here else INK if number > now else SOFT,
                'text-anchor="middle"' + (' font-weight="bold"' if here else ""),
            )
            + (side_mark(view["half"], x + 52, 22.5, 17) if here else "")
            + "</g>"
        )
    return track


def _buttons(lit: Highlights, phase: str) -> list[Layer]:
    """Return the buttons of choices that belong to no piece or space, from the right."""
    parts: list[Layer] = []
    at = 984.0
    for verb, actions in lit.buttons.items():
        text = button_phrase(verb, phase)
        width = 18 + 8.2 * len(text)
        at -= width
        parts.append(
            Layer(
                f'<g class="button legal" data-action="{verb}" '
                f'data-actions="{_actions(actions)}"><rect x="{at:g}" y="42" width="{width:g}" '
                f'height="23" rx="11.5" fill="{GOLD}" stroke="#2B2410" '
                f'stroke-width="1.1"/>{_text(at + width / 2, 58, text, 14, "#2B2410", f"{MIDDLE} {BOLD}")}</g>',
                Box(at - 8, 41, width + 16, 25),
            )
        )
        at -= 8
    return parts


def _deck(side: str, x: float, y: float, left: int, ruleset: Any) -> Layer:
    name = side_name(side, ruleset)
    backs = "".join(
        f'<rect x="{x + i * 2.4:g}" y="{y - i * 2:g}" width="34" height="46" rx="4.5" '
        f'fill="{SIDE_INK[side]}" stroke="#fff" stroke-width="1"/>'
        for i in range(3 if left > 2 else left)
    )
    top = max(min(left, 3) - 1, 0)
    number = _text(
        x + top * 2.4 + 17, y - top * 2 + 31, str(left), 22, "#fff", 'text-anchor="middle" font-weight="bold"'
    )
    if not left:
        backs = (
            f'<rect x="{x:g}" y="{y:g}" width="34" height="46" rx="4.5" fill="none" stroke="{SIDE_INK[side]}" '
            'stroke-dasharray="4 3"/>'
        )
        number = _text(x + 17, y + 31, "0", 22, SIDE_INK[side], 'text-anchor="middle" font-weight="bold"')
    return Layer(
        f'<g class="deck" data-side="{side}" '
        f'data-left="{left}"><title>{escape(f"deck of {name}: {left} cards left")}</title>{backs}{number}</g>',
        Box(x - 1, y - 6, 42, 54),
    )


_SIGNS = {
    "gunpowder_dice": "musket", "advantage": "dice", "appeal": "appeal", "home": "home", "recruit_among": "warrior",
    "no_sighting": "sighting", "sure_sighting": "sighting", "earthworks": "earthworks",
}  # fmt: skip
"""The sign of each effect of a card; a card without one has that of its recruits."""


def _sign(card: Any, side: str, ruleset: Any) -> str:
    """Return the symbol of what a card does."""
    own = recruit_words(card.recruit, side, ruleset)
    sign = _SIGNS.get(card.event.effect) if card.event else None
    return sign or (own[0][0] if own else "canoe")


def card_sign(card: Any, side: str, ruleset: Any) -> str:
    """Return the symbol of what a card does as a document, on its side's colour."""
    ink = SIDE_INK[side]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="sign" viewBox="-15 -15 30 30" aria-hidden="true">'
        f'<rect x="-15" y="-15" width="30" height="30" rx="6" fill="{ink}"/>'
        f"{symbol(_sign(card, side, ruleset), '#FFFDF6', ink)}</svg>"
    )


def cards(view: Mapping[str, Any], ruleset: Any, lit: Highlights | None) -> list[Layer]:
    """Return the decks with the number of cards left, the held cards, and the card in effect."""
    parts = [markup('<g class="cards">')]
    x0, y0 = 549.0, 80.0
    for number, side in enumerate(("kamehameha", "allied")):
        parts.append(_deck(side, x0 + number * 52, y0 + 8, len(view["decks"][side]), ruleset))
    words = [(x0 + 102, y0 + 36, "cards left")] + ([(x0 + 102, y0 + 54, "held:")] if view["held"] else [])
    parts += [Layer(_text(x, y, text, 14), letters(x, y, text, 14)) for x, y, text in words]
    parts += [_card_in_hand(card, x0, y0 + 60 + number * 22, ruleset, lit) for number, card in enumerate(view["held"])]
    parts += [] if view["card"] is None else [_card_in_effect(view, ruleset)]
    return [*parts, markup("</g>")]


def _card_in_hand(card: str, x: float, y: float, ruleset: Any, lit: Highlights | None) -> Layer:
    """Return a held card, with a ring if it may be played."""
    side = "kamehameha" if ruleset.card_ids.index(card) < 9 else "allied"
    actions = None if lit is None else lit.cards.get(card)
    entry = card_of(card, ruleset)
    ring = (
        f' stroke="{GOLD}" stroke-width="4"' if actions is not None else f' stroke="{SIDE_INK[side]}" stroke-width="1"'
    )
    data = f' data-actions="{_actions(actions)}"' if actions is not None else ""
    return Layer(
        f'<g class="held{" legal" if actions is not None else ""}" data-card="{card}" '
        f'data-side="{side}"{data}><title>{escape("held: " + spell(entry.text))}</title>'
        f'<rect x="{x:g}" y="{y:g}" width="176" height="20" rx="5" '
        f'fill="{PAPER}"{ring}/>{side_mark(side, x + 12, y + 10, 12)}'
        f"{_text(x + 23, y + 14.5, spell(entry.title), 14)}</g>",
        Box(x - 3, y - 3, max(182, 30 + 14 * len(entry.title)), 26),
    )


def _card_in_effect(view: Mapping[str, Any], ruleset: Any) -> Layer:
    """Return the card in effect: its title, text, recruits and fleet moves."""
    x, y, width, height = 728.0, 80.0, 266.0, 140.0
    card = card_of(view["card"], ruleset)
    side = "kamehameha" if ruleset.card_ids.index(view["card"]) < 9 else "allied"
    ink = SIDE_INK[side]
    face = [
        f'<g class="card" data-card="{view["card"]}" data-side="{side}"><title>card in effect</title>'
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="9" fill="{PAPER}" '
        f'stroke="{ink}" stroke-width="1.4"/>'
        f'<path d="M{x + 9:g},{y:g}h{width - 18:g}a9,9 0 0 1 9,9v19h{-width:g}v-19a9,9 0 0 1 9,-9z" fill="{ink}"/>'
        + _text(x + 10, y + 20, f"{card.number}", 16, "#fff", 'font-weight="bold"')
        + _text(x + 30, y + 20, spell(card.title), 15.5, "#fff", f'font-weight="bold" font-family="{SERIF}"')
    ]
    for number, line in enumerate(wrap(spell(card.text), CARD_LINE, 5)):
        face.append(_text(x + 10, y + 46 + number * 15.6, line, 14))
    brought = {kind: n for kind, n in card.recruit.items() if view["dealt"] or kind not in card.recruit_once}
    recruits = recruit_words(brought, side, ruleset, one=False)
    face.append(
        f'<g class="sign" transform="translate({x + width - 19:g},{y + 14:g}) scale(.85)">'
        f"{symbol(_sign(card, side, ruleset), '#FFFDF6', ink)}</g>"
    )
    line, at = y + height - 8, x + 10
    wide = [27 + 7.2 * len(words) for _, words in recruits]
    second = len(recruits) > 1 and sum(wide) > width - 46  # the first in a line of its own
    face.append(f'<path d="M{at:g},{line - 15 - 17 * second:g}h{width - 20:g}" stroke="{ink}" stroke-opacity=".35"/>')
    for number, ((name, words), reach) in enumerate(zip(recruits, wide, strict=True)):
        base = line - 17 * (second and not number)
        face.append(f'<g transform="translate({at + 8:g},{base - 4.5:g}) scale(.72)">{symbol(name, ink, PAPER)}</g>')
        face.append(_text(at + 19, base, words, 14, SOFT))
        at = x + 10 if base < line else at + reach
    face.append(_text(at, line, "" if recruits else "no recruits", 14, SOFT))
    at = x + width - 36
    face.append(
        f'<g><title>fleet moves</title><g transform="translate({at:g},{line - 4.5:g}) scale(.8)">'
        f"{symbol('canoe', ink, PAPER)}</g>{_text(at + 14, line, f'× {card.fleets}', 14, SOFT)}</g></g>"
    )
    # A title or a line of another ruleset may be longer than the card is wide.
    return Layer("".join(face), Box(x - 12, y - 1, 1000 - x + 12, height + 2))


def _box(
    side: str, x: float, width: float, name: str, view: Mapping[str, Any], ruleset: Any, lit: Highlights | None
) -> list[Layer]:
    found = groups(side, "box", view["box"].get(side, []), ruleset)
    pitch = min(PITCH + 1, (width - 16) / max(len(found), 1))
    ground = (
        f'<rect x="{x:g}" y="606" width="{width:g}" height="76" rx="9" fill="{PAPER}" '
        f'stroke="{SIDE_INK[side]}" stroke-opacity=".8" stroke-width="1.4"/>'
        + side_mark(side, x + 15, 620, 14)
        + _text(x + 27, 624.5, name, 14, SIDE_INK[side], 'font-weight="bold"')
    )
    parts = [
        markup(f'<g class="box" data-side="{side}">'),
        Layer(ground, Box(x - 1, 605, width + 2, 78)),
    ]
    for number, group in enumerate(found):
        actions = None if lit is None else lit.pieces.get((side, "box", group.text))
        parts.append(counter(group, x + 10 + pitch * (number + 0.5), 655, ruleset, actions=actions))
    return [*parts, markup("</g>")]


def boxes(view: Mapping[str, Any], ruleset: Any, lit: Highlights | None) -> list[Layer]:
    """Return the recruit boxes, and between them those who never return."""
    dead: list[tuple[str, str]] = [tuple(text.split(":", 1)) for text in view["dead"]]  # pyright: ignore[reportAssignmentType]
    parts = [
        Layer('<rect x="-1000" y="604" width="3000" height="86" fill="#E9F1F0"/>', Box(0, 604, 1000, 86)),
        *_box("allied", 14, 424, "Allied recruit box", view, ruleset, lit),
        *_box("kamehameha", 576, 410, "Kamehameha’s recruit box", view, ruleset, lit),
        markup('<g class="dead">'),
        Layer(
            f'<rect x="446" y="606" width="122" height="76" rx="9" fill="#DDE3E3" stroke="{SOFT}" '
            'stroke-dasharray="4 3"/>' + _text(507, 624.5, "gone for good", 14, SOFT, 'text-anchor="middle"'),
            Box(445, 605, 124, 78),
        ),
    ]
    found = [
        group
        for side in ("kamehameha", "allied", "neutral")
        for group in groups(side, "dead", [t for s, t in dead if s == side], ruleset)
    ]
    pitch = min(PITCH, 84 / max(len(found) - 1, 1))
    for number, group in enumerate(found):
        parts.append(counter(group, 507 + (number - (len(found) - 1) / 2) * pitch, 655, ruleset))
    return [*parts, markup("</g>")]


_KEY = (
    ("leader", "leader"), ("guard", "elite warriors"), ("warrior", "warriors"), ("pike", "pikes: cancel a panic"),
    ("musket", "muskets: fire first"), ("cannon", "cannon: fire first"), ("canoe", "canoe"),
)  # fmt: skip


def key(view: Mapping[str, Any], ruleset: Any, events: Sequence[Event], scale_note: bool = True) -> list[Layer]:
    """Return the key of the symbols, if no battle is fought; with the last event and its die."""
    x, y = 22.0, 436.0
    symbols: list[str] = []
    for number, (name, text) in enumerate(_KEY):
        column, row = divmod(number, 4)
        px, py = x + 12 + column * 182, y + row * 31
        symbols.append(f'<g transform="translate({px:g},{py:g}) scale(.9)">{symbol(name, INK, "#8FC1CF")}</g>')
        symbols.append(_text(px + 20, py + 4.5, text, 14))
    px, py = x + 12 + 182, y + 3 * 31
    for number, side in enumerate(("kamehameha", "allied", "neutral")):
        symbols.append(side_mark(side, px + number * 22, py, 17))
    symbols.append(_text(px + 62, py + 4.5, "Kamehameha, Allies, neutral", 14))
    parts = [markup('<g class="key">'), markup('<g class="legend">')]
    parts += [Layer("".join(symbols), Box(x - 2, y - 14, 470, 4 * 31)), markup("</g>")]
    words = last_phrase(events, ruleset)
    if words:
        parts.append(markup('<g class="last">'))
        parts += dice_row(view, events, x + 12, 392)
        parts += [Layer(_text(x, 368, words, 14, INK, BOLD), letters(x, 368, words, 14)), markup("</g>")]
    if scale_note:
        note = "A game map: islands moved together and enlarged, each to its own scale."
        parts += [markup('<g class="legend">'), Layer(_text(x, 588, note, 14, INK), letters(x, 588, note, 14))]
        parts.append(markup("</g>"))
    return [*parts, markup("</g>")]
