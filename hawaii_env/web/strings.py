"""Texts of the page for a game, and its advice: the game's own strings and guide, or defaults from its action texts.

The spec of a game names its strings and its guide (`hawaii_env.games.GameSpec`). Texts about a position are made for
one player, from what that player may know: `State.view(player)`, `State.legal_actions(player)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol, cast

from hawaii_env import games
from hawaii_env.game import Event, Game, State
from hawaii_env.games import Option
from hawaii_env.narration import narration_of

__all__ = [
    "Editor",
    "Guide",
    "Strings",
    "Turns",
    "by_hand",
    "contrast",
    "editor_of",
    "guide_of",
    "options_of",
    "side_ids",
    "side_style",
    "strings_of",
    "turns_of",
]


class Strings(Protocol):
    """Texts of the page for one game with its options."""

    def reference(self) -> dict[str, Any]:
        """Return the texts and data that do not change, as JSON types.

        ``sides``: for each player ``id`` (see `side_ids`), ``name``, ``title`` and ``within`` (for the beginning and
        the middle of a sentence), ``whose`` ("Red’s"), ``plural`` (whether the verb is plural). ``names``: side ->
        name, with "neutral" if there is such a side. ``options``: questions before a game: ``name``, ``label``,
        ``kind`` ("radios", "select", "check", "number", "text"), ``choices`` ([value, label, short description]) or
        ``value``. ``short``: a summary of the game in paragraphs; None marks the place of ``victory``. ``moves``: kinds
        of events that a small screen follows. ``times``: kind of event -> milliseconds for which it is shown.

        Empty if the game has none: ``cards`` (by id: ``side``, the owner, or "", ``deck``, the heading under which it
        is listed, ``number``, ``title``, ``text``, ``facts``, ``rules``; ``sign``, an SVG, if drawn), ``pieces``
        (``side``, ``kind``, ``name``, ``count``, ``facts``, sentences, ``can``, short phrases, ``rules``), ``spaces``
        (``id``, ``name``, ``title``, ``facts``, ``rules``), ``marks``, ``victory``, ``sections``, ``rulings``.

        ``places``: id -> name of places besides spaces that hold pieces. If present, the board is described by the
        pieces of its picture, otherwise by its text.

        ``by_hand``: whether people may roll and draw themselves; optional. Further keys are for the game's own files.
        """
        ...

    def actions(self, state: State, player: int) -> list[dict[str, Any]]:
        """Return the legal actions of a player: ``action``, ``text``, ``group``, ``label``, ``rules`` (numbers of
        sections and rulings), and ``card`` if the action concerns one. ``opens``: True if the action only begins a
        choice of several decisions, which a page sends together. ``mark``: text that the map shows on the action's
        space. ``brief``: a shorter label for long lists.
        """
        ...

    def status(self, state: State, player: int) -> dict[str, Any]:
        """Return the status of the game: ``when``, ``phase``, ``question``, ``help``, ``rules``. A decision that
        continues a choice also has ``within``, True.
        """
        ...

    def why_not(self, state: State, player: int, thing: Mapping[str, str], to: str) -> str:
        """Return why a player cannot choose a thing in the picture now, or why it cannot go to a space: a clause with
        its sections, such as "it has marched this turn [10.2]"; empty if the question itself says all that is known.

        Args:
            state: the position as the player knows it (`State.for_search`).
            player: the player to act.
            thing: ``piece``, ``side`` and ``place`` of a piece, or ``place`` of a space. ``via``: place that was
                clicked in between, if an order names two.
            to: the space, or "".
        """
        ...

    def chance(self, state: State) -> dict[str, Any]:
        """Return the die or card that is due: ``kind``, ``side``, ``question``, ``help``, ``draw`` (label of the button
        that draws it), ``card`` (True for a card), ``outcomes``.
        """
        ...

    def at_hand(self, state: State, recent: Sequence[Event], player: int) -> dict[str, Any]:
        """Return information to show beside the board: ``when``, ``cards`` (``label``, ``card``), ``note`` (``title``,
        ``facts``, ``table``, ``steps``: ``label``, ``text``, ``state``, "done", "running" or "next") or None.
        """
        ...

    def undo_text(self, before: State, happened: Event) -> str:
        """Return a text for the event that undo would take back."""
        ...


class Editor(Protocol):
    """Further methods of `Strings` for games whose positions people can set up by hand."""

    def error_text(self, message: str) -> str:
        """Return an error message about a position in the page's wording."""
        ...

    def sketch(self, position: Mapping[str, Any]) -> str:
        """Return a picture of an invalid position, as far as it can be drawn."""
        ...


class Turns(Protocol):
    """Further methods of `Strings` for games in which people enter a sealed turn as a whole, by clicks."""

    def turn(self, state: State, player: int) -> dict[str, Any]:
        """Return the entries that a player has to make.

        ``question``, ``help``; ``places``: place -> [x, y] in the picture; ``subjects``: things to decide on, each with
        ``id``, ``name``, ``place`` or None, ``usual`` (the option if none is chosen, or None) and ``options``:
        ``label`` and ``group`` for buttons, ``text``, ``actions``, ``path`` (places to click after the subject's own),
        ``arrow`` (``kind``, ``line``, ``head``, ``dash``) or None, and ``counts``. ``least``, ``most``: how many of the
        chosen options may count; ``counted`` names what is counted; ``end``: actions to enter last if fewer than the
        most are chosen. ``colour``: colour of the arrows. ``send``: label of the button that ends the turn, ``typed``:
        an example of an order as text.

        Args:
            state: position as the player knows it (`State.for_search`), with nothing entered in this turn.
            player: the player.
        """
        ...

    def read(self, state: State, player: int, text: str) -> dict[str, Any]:
        """Parse a typed text; return ``subject`` and ``option``, their indices in `turn`.

        Raises:
            HawaiiError: there is no such option; the message says why, and lists the options.
        """
        ...


class Guide(Protocol):
    """Advice of the page in one game."""

    warns: str
    """Label of the option for warnings, such as "Ask me before I put a chief at stake"; "" if the guide never warns."""

    warning: str
    """Title of a warning."""

    offer: str
    """Text that offers the guide before a game."""

    def advice(self, state: State, player: int) -> dict[str, Any]:
        """Return advice on a position, given as ``state.for_search(player)``: ``sections`` (``title``, ``lines`` of
        ``text`` and ``mark``: "done", "open", "aim", "danger" or ""), ``warnings``: action -> ``text`` and ``risk``,
        and optionally ``marks``: action -> ``mark``, a label that the map shows on its space, and ``text``.
        """
        ...

    def why(self, state: State) -> str:
        """Return a sentence that says how a finished game ended."""
        ...


@cache
def strings_of(game: Game) -> Strings:
    """Return the strings of a game: those named in its spec, or the defaults."""
    spec = games.get(game.name)
    make = None if spec is None else spec.load("strings")
    return _DefaultStrings(game) if make is None else make(game)


def turns_of(strings: Strings) -> Turns | None:
    """Return strings as `Turns` if sealed turns can be entered as a whole, else None."""
    return cast(Turns, strings) if hasattr(strings, "turn") else None


def editor_of(strings: Strings) -> Editor | None:
    """Return strings as `Editor` if positions can be set up by hand, else None."""
    return cast(Editor, strings) if hasattr(strings, "sketch") else None


@cache
def guide_of(game: Game) -> Guide | None:
    """Return the guide named in a game's spec, or None."""
    spec = games.get(game.name)
    make = None if spec is None else spec.load("guide")
    return None if make is None else make(game)


def side_ids(game: Game) -> list[str]:
    """Return the short names of the players: "red" for "red_0", unless two would have the same name."""
    stems = [re.sub(r"_\d+$", "", agent) for agent in game.agents]
    return stems if len(set(stems)) == len(stems) else list(game.agents)


def side_style(*played: Game) -> str:
    """Return the part of a game's style sheet with the colours of the sides: those of its narration, made dark enough
    to be read on light pages, and light enough on dark pages.

    Args:
        played: the game, and its variants with other options.
    """
    sides = {
        side: shown.colour
        for game in played
        for side, shown in zip(side_ids(game), narration_of(game).sides, strict=True)
    }
    light = "".join(f".{side} {{ --side: {_apart(one, LIGHT, 0)}; --pips: {one}; }}\n" for side, one in sides.items())
    dark = [f".{side} {{ --side: {_apart(one, DARK, 255)}; }}\n" for side, one in sides.items()]
    chosen = "".join(f':root[data-theme="dark"] {one}' for one in dark)
    system = "".join(f'  :root:not([data-theme="light"]) {one}' for one in dark)
    return f"{light}{chosen}@media (prefers-color-scheme: dark) {{\n{system}}}\n"


LIGHT, DARK = "#f2efe3", "#1f343c"
"""Background of text in a side's colour, on light and dark pages; of each theme the one with the least contrast."""


def _luminance(colour: Sequence[float]) -> float:
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, ``#rrggbb``, from 1 to 21, as WCAG defines it."""
    low, high = sorted(_luminance([part / 255 for part in bytes.fromhex(colour[1:])]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _apart(colour: str, ground: str, end: int) -> str:
    """Return a colour mixed with just enough black (0) or white (255) for a contrast of 4.5:1 on a background."""
    mixed = (
        "#" + bytes(round(part + (end - part) * share / 20) for part in bytes.fromhex(colour[1:])).hex()
        for share in range(21)
    )
    return next(one for one in mixed if contrast(one, ground) >= 4.5)


def by_hand(game: Game) -> bool:
    """Return True if people may roll and draw themselves."""
    return game.chance_public and strings_of(game).reference().get("by_hand", True)


def options_of(game: Game) -> list[Option]:
    """Return the options that a browser may choose."""
    spec = games.find(game.name)
    return [option for option in spec.options if not option.local]


class _DefaultStrings:
    """Texts of a game that has no strings of its own."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.ids = side_ids(game)
        self.names = [side.name for side in narration_of(game).sides]

    def reference(self) -> dict[str, Any]:
        sides = [
            {"id": side, "name": name, "title": name, "within": name, "whose": f"{name}’s", "plural": False}
            for side, name in zip(self.ids, self.names, strict=True)
        ]
        return {
            "sides": sides,
            "names": dict(zip(self.ids, self.names, strict=True)),
            "options": [_asked(option) for option in options_of(self.game)],
            "short": [],
            "moves": [],
            "times": {},
            "cards": {},
            "pieces": [],
            "spaces": [],
            "marks": {},
            "victory": {},
            "sections": {},
            "rulings": {},
        }

    def actions(self, state: State, player: int) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for action in state.legal_actions(player):
            text = self.game.action_text(action)
            verb, _, rest = text.partition(" ")
            group, label = (verb.capitalize(), rest) if rest else ("", verb.capitalize())
            made.append({"action": action, "text": text, "group": group, "label": label, "rules": []})
        return made

    def status(self, state: State, player: int) -> dict[str, Any]:
        known, outcome = state.known_phase(player), state.outcome()
        phase = known.replace("_", " ")
        question = phase.capitalize() if outcome is None else outcome.reason
        return {"when": phase.capitalize(), "phase": known, "question": question, "help": "", "rules": []}

    def why_not(self, state: State, player: int, thing: Mapping[str, str], to: str) -> str:
        return ""

    def chance(self, state: State) -> dict[str, Any]:
        outcomes = [{"outcome": outcome, "label": str(outcome)} for outcome, _ in state.chance_outcomes()]
        kind = state.phase.replace("_", " ")
        return {
            "kind": state.phase,
            "side": "",
            "question": f"{kind.capitalize()}: what has fallen?",
            "help": "",
            "card": False,
            "outcomes": outcomes,
            "draw": "Do it for us",
        }

    def at_hand(self, state: State, recent: Sequence[Event], player: int) -> dict[str, Any]:
        return {"when": state.known_phase(player).replace("_", " ").capitalize(), "cards": [], "note": None}

    def undo_text(self, before: State, happened: Event) -> str:
        return happened.text


def _asked(option: Option) -> dict[str, Any]:
    """Return an option as a question of the page."""
    asked = {"name": option.name, "label": option.meaning[:1].upper() + option.meaning[1:], "value": option.default}
    if isinstance(option.default, bool):
        return {**asked, "kind": "check"}
    if option.choices is not None:
        return {**asked, "kind": "select", "choices": [[choice, str(choice), ""] for choice in option.choices]}
    return {**asked, "kind": "number" if isinstance(option.default, int) else "text"}
