"""Hawaii, 1795 in text: the board, and a game told month by month.

Everything is read from the view and from the texts of the trace; nothing here knows the rules.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, cast

from hawaii_env._arguments import check_kind
from hawaii_env.game import Chance, Decision, Event, Game, State
from hawaii_env.hawaii1795.pictures.legal import panicked_already

__all__ = ["HawaiiTextLog", "board"]

WIDTH = 110
SIDES = {"kamehameha": "Kamehameha", "allied": "Allies", "neutral": "Kaua'i"}

# Rows of the board from west to east; the island is told once.
ROWS = (
    ("kauai", "kauai"),
    ("oahu", "waikiki"),
    ("oahu", "koolau"),
    ("molokai", "molokai"),
    ("maui", "maui"),
    ("hawaii", "kona"),
    ("hawaii", "hilo"),
)


_TOGETHER = "\u00a0"  # a space at which no line breaks, until `_wrap` has broken them


def _wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    lines = textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False)
    return [line.replace(_TOGETHER, " ") for line in lines]


def _pieces(pieces: Iterable[str]) -> str:
    """Pieces of one text as one: ``warrior_2, warrior_2`` is ``2 warrior_2``. `_wrap` keeps the number with its
    piece.
    """
    counted = [(text, len(list(same))) for text, same in groupby(pieces)]
    return ", ".join(f"{n}{_TOGETHER}{text}" if n > 1 else text for text, n in counted)


def _names(state: State) -> Any:
    return cast(Any, state.game).ruleset


def _title(ruleset: Any, card: str) -> str:
    """A card's printed title, from its id."""
    for known, entry in zip(ruleset.card_ids, ruleset.cards, strict=True):
        if known == card:
            return f"{entry.number} {entry.title}"
    return card


def _status(state: State, view: Mapping[str, Any]) -> str:
    month, half = str(view["turn"]).capitalize(), SIDES[view["half"]]
    outcome = state.outcome()
    if outcome is not None:
        winner = "A tie" if outcome.winner is None else f"{SIDES[('kamehameha', 'allied')[outcome.winner]]} won"
        return f"{month}. {winner}: {outcome.reason}."
    parts = [f"{month}, half of {half}. {str(view['phase']).replace('_', ' ').capitalize()}"]
    parts[0] += f": {view['decider']} decides" if view["decider"] else ""
    if view["card"]:
        parts.append(f"Card {_title(_names(state), view['card'])}, fleet moves left {view['fleet_moves']}")
    return ". ".join(parts) + "."


def _extras(state: State, view: Mapping[str, Any], pending: bool) -> list[str]:
    """What stands beside the map, where there is any; what is going on only if `pending`."""
    lines: list[str] = []
    if view["held"]:
        lines.append("held: " + ", ".join(_title(_names(state), card) for card in view["held"]))
    if view["dead"]:
        lines.append("gone for good: " + ", ".join(text.split(":", 1)[1] for text in view["dead"]))
    if not pending or state.is_terminal:
        return lines
    if view["recruits"]:
        lines.append(
            "recruits to come: " + ", ".join(f"{n} {what}" if n > 1 else what for what, n in view["recruits"].items())
        )
    fleet = view["fleet"]
    if fleet:
        where = f"from {fleet['at']}" if fleet["at"] else "loaded"
        lines.append(
            f"fleet: {fleet['canoe']} {where}" + (f", picks up at {fleet['pickup']}" if fleet["pickup"] else "")
        )
    battle = view["battle"]
    if battle:
        text = (
            f"battle: {battle['kind']} of {view['field']}"
            if battle["kind"] != "sea"
            else f"battle: at sea off {view['field']}"
        )
        text += ", second" if battle["second"] else ""
        text += ", earthworks" if battle["earthworks"] else ""
        if battle["advantage"]:
            text += f", advantage {SIDES[battle['advantage']]}"
        if battle["firer"]:
            text += f", {SIDES[battle['firing']]} fires {battle['firer']}, dice left {battle['dice']}"
        lines.append(text)
    retreat = view["retreat"]
    if retreat:
        lines.append(f"retreat: {str(retreat['errand']).replace('_', ' ')} from {retreat['from_space']}")
    return lines


def _fold(text: str) -> list[str]:
    return [text] if len(text) <= WIDTH else _wrap(text, WIDTH, rest="  ")


def board(state: State, player: int | None = None, pending: bool = True) -> str:
    """Return a position as a table of spaces and sides, with the month, the card and, unless `pending` is False, what
    is going on.
    """
    view: dict[str, Any] = check_kind("state", state, State).view(player).to_dict()
    ruleset = _names(state)
    units: dict[str, dict[str, list[str]]] = view["units"]
    box: dict[str, list[str]] = view["box"]
    rows: list[tuple[str, str, list[str]]] = []
    last = ""
    for island, space in ROWS:
        shown = ruleset.island_name(island) if island != last else ""
        last = island
        name = ruleset.space_name(space)
        if name == shown:
            name = ""
        fort = " (fort)" if getattr(ruleset.spaces[space], "fort", False) else ""
        rows.append((shown, name + fort, [_pieces(units[side].get(space, [])) for side in SIDES]))
    land = {space for _, space in ROWS}
    places = [place for side in SIDES for place in units[side] if place not in land]
    for place in dict.fromkeys(places):
        if place.startswith("sea/"):
            label = f"bound for {place[4:]}"
        else:
            label = {"aboard": "aboard", "war": "war fleet"}.get(place, place)
        rows.append(("at sea", label, [_pieces(units[side].get(place, [])) for side in SIDES]))
    rows.append(("box", "", [_pieces(box.get(side, [])) for side in SIDES]))

    first = max(len(row[0]) for row in rows)
    second = max(len(row[1]) for row in rows)
    last_width = len("2 kauai_warrior,")
    half = (WIDTH - first - second - last_width - 8) // 2
    widths = (half, half, last_width)

    def line(cells: tuple[str, ...]) -> str:
        sized = zip(cells, (first, second, *widths), strict=True)
        return "  ".join(f"{cell:<{width}}" for cell, width in sized).rstrip()

    lines = [_status(state, view), line(("", "", *SIDES.values())), "-" * min(WIDTH, first + second + sum(widths) + 8)]
    for island, space, cells in rows:
        wrapped = [_wrap(cell, width) or [""] for cell, width in zip(cells, widths, strict=True)]
        for number in range(max(len(part) for part in wrapped)):
            row = [part[number] if number < len(part) else "" for part in wrapped]
            lines.append(line((island if not number else "", space if not number else "", *row)))
    lines += _extras(state, view, pending)
    # The status and what stands below the table may be longer than the table is wide.
    return "\n".join(part for text in lines for part in _fold(text))


class HawaiiTextLog:
    """The text log of a game: a heading a half, then compact lines of recruits, moves, sea and land battles, and the
    board after each month.

    Args:
        game: the game.
        boards: False leaves the boards out.
    """

    def __init__(self, game: Game, boards: bool = True) -> None:
        self.ruleset: Any = cast(Any, check_kind("game", game, Game)).ruleset
        self.boards = boards
        self.lines: list[str] = []
        self.label: str = ""
        self.parts: list[str] = []
        self.fleet: list[str] = []
        self.cargo: list[str] = []
        self.volley: str = ""
        self.dice: list[str] = []
        self.key: tuple[str, str] | None = None
        self.due: tuple[str, str] | None = None
        self.month_board: list[str] = []
        self.view: Any = None  # the position after the last event, and the different one before it
        self.view_before: Any = None

    # Lines

    def flush(self) -> None:
        """End the line that is being written."""
        self.end_volley()
        if self.parts:
            body = "; ".join(self.parts)
            head = f"  {self.label:<10} "
            self.lines += _wrap(body, WIDTH, head, " " * len(head))
        self.label, self.parts = "", []

    def add(self, label: str, text: str) -> None:
        """Add to the line of this label, or begin one."""
        if label != self.label:
            self.flush()
            self.label = label
        self.parts.append(text)

    def end_volley(self) -> None:
        """End the shots of one unit."""
        if self.volley:
            self.parts.append(f"{self.volley} {', '.join(self.dice)}".rstrip())
            self.volley, self.dice = "", []

    def heading(self, card: str | None = None) -> None:
        """Begin a half of a turn."""
        if self.due is None:
            return
        self.flush()
        self.lines += self.month_board
        self.month_board = []
        month, half = self.due
        text = f"{month.capitalize()}: {SIDES[half]}"
        if card:
            text += f", card {_title(self.ruleset, card)}"
        self.lines += ["", text]
        self.due = None

    # Events

    def feed(self, events: Iterable[tuple[Event, State]]) -> list[str]:
        """Return the lines that these events make whole."""
        for event, state in events:
            view = state.view()
            key = (view.turn, view.half)
            # What follows a change of the half by force is still the old half's, unless it is of the kind that begins
            # one.
            begins = (
                isinstance(event, Chance)
                or not event.forced
                or event.text.split()[0] in ("recruit", "home", "play", "place")
            )
            if begins and self.due is not None:
                card = (
                    event.text.rsplit(" ", 1)[-1] if isinstance(event, Chance) and event.kind == "card" else view.card
                )
                self.heading(card)
            # A forced decision comes with the position that the event before it led to.
            if not (isinstance(event, Decision) and event.forced and view == self.view):
                self.view_before, self.view = self.view, view
            if isinstance(event, Decision):
                self.decide(event)
            else:
                self.chance(event)
            if key != self.key and not state.is_terminal:
                if self.key is None and view.phase == "setup":
                    continue
                if self.boards and self.key is not None and self.key[0] != key[0]:
                    # Drawn now, shown when the last events of the month have been told.
                    self.month_board = [
                        "",
                        *(f"  {line}".rstrip() for line in board(state, pending=False).split("\n")[1:]),
                    ]
                first, self.key = self.key is None, key
                self.due = key
                if first and isinstance(event, Chance) and event.kind == "card":
                    # The game began with this very draw.
                    self.heading(event.text.rsplit(" ", 1)[-1])
        told, self.lines = self.lines, []
        return told

    def end(self, state: State) -> list[str]:
        """Return the last lines: the last board, and how the game ended."""
        self.flush()
        self.lines.append("")
        if self.boards:
            self.lines += [*(f"  {line}".rstrip() for line in board(state, pending=False).split("\n")[1:]), ""]
        self.lines.append(_status(state, state.view().to_dict()))
        told, self.lines = self.lines, []
        return told

    def decide(self, event: Decision) -> None:
        """Tell a decision."""
        verb, *words = event.text.split()
        side = ("K", "A")[event.player]
        if verb == "place":
            self.add("sets up", " ".join(words))
        elif verb == "recruit":
            self.add("recruits", " ".join(words))
        elif verb == "home":
            self.add("go home", " ".join(words))
        elif verb == "play":
            self.add("plays", _title(self.ruleset, words[0]))
        elif verb == "march":
            self.add("moves", f"{words[0]} {words[1]} > {words[2]}")
        elif verb == "fleet":
            self.fleet, self.cargo = [words[-1]], []
        elif verb == "pickup":
            if words[0] not in self.fleet:
                self.fleet.append(words[0])
        elif verb == "embark":
            self.cargo.append(words[0])
        elif verb == "sail":
            cargo = f" with {_pieces(self.cargo)}" if self.cargo else " empty"
            self.add("moves", f"canoe {' > '.join([*self.fleet, words[0]])}{cargo}")
            self.fleet, self.cargo = [], []
        elif verb == "approach":
            self.flush()
            self.add("sea", f"fleet off {words[0]}")
        elif verb == "launch":
            self.add("sea", "war fleet launched")
        elif verb == "commit":
            self.add("sea", f"{words[0]} from {words[1]}")
        elif verb == "battle":
            self.flush()
            self.add("battle", words[0])
        elif verb == "fire":
            self.end_volley()
            if self.label not in ("sea", "battle"):
                self.add("battle", "")
                self.parts.pop()
            self.volley = f"{side} {words[0]}"
        elif verb in ("lose", "panic"):
            before = None if self.view_before is None else self.view_before.to_dict()
            gone = verb == "lose" or (
                before is not None and panicked_already(before, ("kamehameha", "allied")[event.player], words[0])
            )
            what = f"{side} {words[0].split('/')[0]} {'lost' if gone else 'panics'}"
            if self.volley and self.dice:
                self.dice[-1] += f" ({what})"
            else:
                self.add(self.label or "battle", what)
        elif verb == "retreat":
            self.end_volley()
            self.add(self.label or "retreat", f"{side} retreat to {words[0]}")

    def chance(self, event: Chance) -> None:
        """Tell a die; cards stand in the headings."""
        if event.kind == "hit_die" and self.volley:
            face, _, result = event.text.removeprefix("hit ").partition(": ")
            self.dice.append(face if result == "no effect" else f"{face} {result}")
        elif event.kind == "advantage":
            side, _, rest = event.text.removeprefix("advantage: ").partition(" ")
            face, _, result = rest.partition(": ")
            self.end_volley()
            label = self.label if self.label in ("sea", "battle") else "battle"
            if side == "kamehameha":
                if any(part.startswith("advantage") and "tie" not in part for part in self.parts):
                    # Another round, or the second battle: a line of its own.
                    self.flush()
                    self.label = label
                self.add(label, f"advantage {face}")
            elif self.parts:
                self.parts[-1] += f":{face} {'tie' if result == 'tie' else SIDES.get(result, result)}"
        elif event.kind == "sighting":
            self.add("sea", event.text)
        elif event.kind == "event":
            self.add("event", event.text)


# Colours as in the picture: Kamehameha red, the Allies blue, Kaua'i yellow. They tell nothing that the columns do not.
