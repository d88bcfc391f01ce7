"""The battle board of Hawaii, 1795: the sea hex, or beach, inland and cliff, with the units that fight, and the
dice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hawaii_env.game import Chance, Event
from hawaii_env.hawaii1795.pictures.counters import PITCH, SIDE_INK, Group, counter, groups, side_mark
from hawaii_env.hawaii1795.pictures.legal import Highlights
from hawaii_env.hawaii1795.pictures.names import side_name
from hawaii_env.hawaii1795.pictures.phrases import SHORT_RESULTS, battle_phrase, result_of
from hawaii_env.render.layers import Box, Layer, letters, markup

__all__ = ["battle_board", "dice_row", "in_battle", "rolled"]

X, Y, WIDTH, HEIGHT = 14.0, 350.0, 536.0, 246.0
TITLE, INK, SOFT = 17.0, "#24414C", "#4F6B75"

_PIPS = {
    1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)), 4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)), 6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}  # fmt: skip


def in_battle(view: Mapping[str, Any]) -> dict[str, str]:
    """Return side -> place of the pieces that stand on the battle board; empty if nobody fights."""
    battle, half = view["battle"], view["half"]
    if battle is None or view["field"] is None:
        return {}
    other = "allied" if half == "kamehameha" else "kamehameha"
    if battle["kind"] == "sea":
        return {half: f"sea/{view['field']}", other: "war"}
    return {half: view["field"], other: view["field"]}


def die(face: int, x: float, y: float, side: str, half: float = 13.0) -> str:
    """Return a die in a side's colour; face 0 is one not yet rolled."""
    ink = SIDE_INK[side]
    if not face:
        return (
            f'<rect class="die" x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" height="{2 * half:g}" '
            f'rx="5" fill="none" stroke="{ink}" stroke-width="1.6" stroke-dasharray="3.5 2.5"/>'
        )
    pips = "".join(
        f'<circle cx="{x + a * half * 0.5:g}" cy="{y + b * half * 0.5:g}" r="{half * 0.17:.1f}"/>'
        for a, b in _PIPS[face]
    )
    return (
        f'<g class="die" data-face="{face}"><rect x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" '
        f'height="{2 * half:g}" rx="5" '
        f'fill="#FFFDF6" stroke="{ink}" stroke-width="2"/><g fill="{ink}">{pips}</g></g>'
    )


def rolled(events: Sequence[Event], kind: str) -> list[Chance]:
    """Return the dice of this kind at the end of `events`: of one volley, or the two of an advantage."""
    found: list[Chance] = []
    for event in reversed(events):
        if isinstance(event, Chance):
            if event.kind != kind:
                break
            found.append(event)
        elif event.text.split()[0] not in ("lose", "panic"):
            break
    return found[::-1]


def _last_roll(events: Sequence[Event]) -> tuple[str, list[Chance]]:
    for event in reversed(events):
        if isinstance(event, Chance):
            return (event.kind, rolled(events, event.kind)) if event.kind != "card" else ("", [])
        if event.text.split()[0] not in ("lose", "panic"):
            return "", []
    return "", []


def dice_row(view: Mapping[str, Any], events: Sequence[Event], x: float, y: float) -> list[Layer]:
    """Return the dice last rolled with their results, then those still to be rolled, from x on; nothing where there are
    none.
    """
    kind, found = _last_roll(events)
    battle = view["battle"] or {}
    start = x
    parts: list[str] = []

    def put(face: int, side: str, text: str) -> None:
        nonlocal x
        parts.append(die(face, x, y, side))
        if text:
            parts.append(f'<text x="{x + 18:g}" y="{y + 4.5:g}" font-size="14" fill="{INK}">{escape(text)}</text>')
        x += 32 + 7.6 * len(text)

    if kind == "hit_die":
        firing = battle.get("firing") or view["half"]
        for event in found[-6:]:
            put(event.outcome, firing, SHORT_RESULTS[result_of(event)])
    elif kind == "advantage":
        for event in found[-2:]:
            put(event.outcome, "allied" if event.text.startswith("advantage: allied") else "kamehameha", "")
    elif found:
        put(found[-1].outcome, view["half"], found[-1].text.partition(": ")[2])
    if battle.get("first_die") and kind != "advantage":
        put(battle["first_die"], "kamehameha", "")
    if view["phase"] == "hit_die" or (view["phase"] in ("loss", "panic") and battle.get("dice")):
        for _ in range(min(battle["dice"], 8)):
            put(0, battle["firing"] or view["half"], "")
    box = Box(start - 15, y - 15, x - start + 30, 30)
    return [Layer(f'<g class="dice">{"".join(parts)}</g>', box)] if parts else []


def _zone(name: str, x: float, width: float, fill: str) -> str:
    return (
        f'<g class="zone" data-zone="{name}"><rect x="{x:g}" y="{Y + 36:g}" width="{width:g}" '
        f'height="{HEIGHT - 86:g}" fill="{fill}"/>'
        f'<text x="{x + width / 2:g}" y="{Y + HEIGHT - 57:g}" font-size="14" text-anchor="middle" '
        f'letter-spacing="1.5" fill="{INK}" '
        f'fill-opacity=".75">{name}</text></g>'
    )


def _army(found: Sequence[Group], x: float, y: float, width: float, height: float, draw: Any) -> list[Layer]:
    """Return counters in rows around (x, y), closer together if there are many."""
    for close in (1.15, 1.0, 0.85, 0.7, 0.55):
        pitch = PITCH * close
        columns = max(1, int(width / pitch))
        rows = -(-len(found) // columns)
        if rows * pitch <= height:
            break
    columns = min(columns, -(-len(found) // max(rows, 1))) if found else 1
    parts: list[Layer] = []
    for number, group in enumerate(found):
        row, column = divmod(number, columns)
        across = min(columns, len(found) - row * columns)
        px = x + (column - (across - 1) / 2) * pitch
        py = y + (row - (rows - 1) / 2) * pitch
        parts.append(draw(group, px, py, max(1.0, close)))
    return parts


def battle_board(view: Mapping[str, Any], ruleset: Any, lit: Highlights | None, events: Sequence[Event]) -> list[Layer]:
    """Return the battle board, with the armies; nothing where nobody fights."""
    places = in_battle(view)
    if not places:
        return []
    battle, half = view["battle"], view["half"]
    other = next(side for side in places if side != half)
    armies = {side: groups(side, place, view["units"][side].get(place, []), ruleset) for side, place in places.items()}
    firer = battle["firer"]

    def draw(group: Group, x: float, y: float, scale: float) -> Layer:
        actions = None if lit is None else lit.pieces.get((group.side, group.place, group.text))
        active = firer is not None and group.side == battle["firing"] and group.text == firer
        return counter(group, x, y, ruleset, scale=scale, actions=actions, active=active)

    title = battle_phrase(battle["kind"], view["field"], battle["second"], ruleset)
    units: list[Layer] = []
    parts = [
        f'<rect x="{X:g}" y="{Y:g}" width="{WIDTH:g}" height="{HEIGHT:g}" rx="12" fill="#FBF8EF" '
        'fill-opacity=".96" stroke="#34606F" stroke-width="1.4"/>',
        f'<text class="title" x="{X + 16:g}" y="{Y + 25:g}" font-size="{TITLE:g}" font-weight="bold" '
        f'fill="{INK}">{escape(title)}</text>',
    ]
    top, height = Y + 36, HEIGHT - 86
    middle = top + height / 2 - 8
    if battle["kind"] == "sea":
        parts.append(f'<g class="sea-hex" data-zone="sea">{_hexagon(X + WIDTH / 2, top + height / 2, 268, 78)}</g>')
        spots = {half: X + WIDTH * 0.27, other: X + WIDTH * 0.73}
        widths = dict.fromkeys(places, 190.0)
        middle += 8
    else:
        zone = (WIDTH - 16 - 58) / 3
        edges = [X + 8, X + 66, X + 66 + zone, X + 66 + 2 * zone]
        parts += _zones(edges, zone, top, height)
        beach, inland, cliff = (edge + zone / 2 for edge in edges[1:])
        # [11.6] Invaders come from the beach, overland attackers from the mountains; a second battle is one zone
        # further on.
        if battle["kind"] == "invasion":
            spots = {half: inland, other: cliff} if battle["second"] else {half: beach, other: inland}
        else:
            spots = {half: inland, other: beach} if battle["second"] else {half: cliff, other: inland}
        widths = dict.fromkeys(places, zone - 6)
        fort = ruleset.spaces[view["field"]].fort
        if fort or battle["earthworks"]:
            parts.append(_rampart(spots[other], top + height - 22, "fort" if fort else "earthworks"))
        if battle["kind"] == "invasion":
            # The invaders' canoes lie off the beach.
            canoes = [group for group in armies[half] if group.kind.endswith("canoe")]
            armies[half] = [group for group in armies[half] if group not in canoes]
            units += _army(canoes, edges[0] + 29, middle, 44, height - 30, draw)
    for side, found in armies.items():
        units += _army(found, spots[side], middle, widths[side], height - 30, draw)
    return [
        markup(f'<g class="battle" data-battle="{battle["kind"]}" data-field="{view["field"]}">'),
        Layer("".join(parts), Box(X - 1, Y - 1, WIDTH + 2, HEIGHT + 2)),
        *units,
        *_captions(view, ruleset),
        *dice_row(view, events, X + 210, Y + HEIGHT - 25),
        markup("</g>"),
    ]


def _zones(edges: Sequence[float], zone: float, top: float, height: float) -> list[str]:
    """Return the zones of a land battle: the sea, the beach, the inland and the cliff."""
    waves = _waves(edges[0], top, 58, height)
    return [
        f'<rect x="{edges[0]:g}" y="{top:g}" width="58" height="{height:g}" fill="#8FC1CF"/>',
        f'<path d="{waves}" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="1.5"/>',
        _zone("BEACH", edges[1], zone, "#F2E0B6"),
        _zone("INLAND", edges[2], zone, "#D5E0B4"),
        _zone("CLIFF", edges[3], zone, "#CDBFA8"),
        f'<path d="{_rocks(edges[3], top, zone)}" fill="#A8967A" fill-opacity=".55"/>',
    ]


def _captions(view: Mapping[str, Any], ruleset: Any) -> list[Layer]:
    """Return the lines that name the attacker and the side with the advantage."""
    half, advantage, bottom = view["half"], view["battle"]["advantage"], Y + HEIGHT
    text = f"{side_name(half, ruleset)} attack{'s' if half == 'kamehameha' else ''}"
    words = [
        Layer(
            side_mark(half, X + 24, bottom - 25, 17)
            + f'<text x="{X + 40:g}" y="{bottom - 20:g}" font-size="14" fill="{INK}">{escape(text)}</text>',
            Box(X + 12, bottom - 37, 40 + 14 * len(text), 25),
        )
    ]
    if advantage:
        text, right = f"advantage {side_name(advantage, ruleset)}", X + WIDTH - 40
        left, top, width, height = letters(right, Y + 24.5, text, 14, "end")
        words.append(
            Layer(
                f'<text x="{right:g}" y="{Y + 24.5:g}" font-size="14" text-anchor="end" '
                f'fill="{INK}">{escape(text)}</text>' + side_mark(advantage, right + 16, Y + 20, 15),
                Box(left, top, width + 28, height),
            )
        )
    return words


def _hexagon(x: float, y: float, half_width: float, half_height: float) -> str:
    a = half_width - 54
    d = (
        f"M{x - half_width + 6:g},{y:g}L{x - a:g},{y - half_height:g}H{x + a:g}"
        f"L{x + half_width - 6:g},{y:g}L{x + a:g},{y + half_height:g}H{x - a:g}Z"
    )
    return (
        f'<path d="{d}" fill="#8FC1CF" stroke="#34606F" stroke-width="1.5"/>'
        f'<path d="{_waves(x - a, y - half_height + 8, 2 * a, 2 * half_height - 16)}" fill="none" '
        'stroke="#fff" stroke-opacity=".45" stroke-width="1.5"/>'
        f'<path d="M{x:g},{y - half_height + 10:g}V{y + half_height - 10:g}" stroke="#34606F" '
        'stroke-opacity=".45" stroke-dasharray="2 5" stroke-width="1.5"/>'
    )


def _waves(x: float, y: float, width: float, height: float) -> str:
    rows = []
    for number in range(int(height // 22)):
        start = x + 6 + (number % 2) * 9
        steps = int((width - 16 - (number % 2) * 9) // 18)
        rows.append(f"M{start:g},{y + 14 + number * 22:g}" + "q4.5,-4 9,0t9,0" * max(steps, 1))
    return "".join(rows)


def _rocks(x: float, y: float, width: float) -> str:
    """Return a jagged crest along the top of a zone."""
    heights = (10, 22, 12, 28, 14, 20, 9, 24, 12)
    step = width / (len(heights) - 1)
    return (
        f"M{x:g},{y:g}"
        + "".join(f"L{x + i * step:g},{y + h:g}" for i, h in enumerate(heights))
        + f"L{x + width:g},{y:g}Z"
    )


def _rampart(x: float, y: float, name: str) -> str:
    """Return a fort's wall or the earthworks in front of the defenders."""
    if name == "fort":
        d = f"M{x - 60:g},{y + 3:g}v-9" + "h8v4h8v-4" * 7 + "h8v9z"
        return f'<g class="fort"><title>fort</title><path d="{d}" fill="#6E5B43"/></g>'
    d = f"M{x - 60:g},{y + 3:g}" + "l6,-9 6,9" * 10 + "z"
    return f'<g class="earthworks"><title>earthworks</title><path d="{d}" fill="#7A5A32"/></g>'
