"""The page's texts for a game and its advice: the game's own strings and guide, or defaults from its action texts.

A game names its strings and its guide in its spec (`hawaii_env.games.GameSpec`). Texts about a position are made for
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
    """The page's texts for one game, with its options."""

    def reference(self) -> dict[str, Any]:
        """Return what does not change, in JSON's types.

        ``sides``: one a player: ``id`` (as `side_ids`), ``name``, ``title`` and ``within`` (at the beginning and in the
        middle of a sentence), ``whose`` ("Red’s"), ``plural`` (the verb's). ``names``: side -> name, "neutral" included
        where there is such. ``options``: what is asked before a game: ``name``, ``label``, ``kind`` ("radios",
        "select", "check", "number", "text"), ``choices`` ([value, label, a few words]) or ``value``. ``short``: the
        game in short, paragraphs; None stands where ``victory`` does. ``moves``: kinds of events that a small screen
        follows. ``times``: kind of event -> milliseconds that it stands. Empty if a game has
        none: ``cards`` (by id: ``side``, whose it is, or "", ``deck``, the heading under which it is listed,
        ``number``, ``title``, ``text``, ``facts``, ``rules``; ``sign``, an SVG, if drawn), ``pieces`` (``side``,
        ``kind``, ``name``, ``count``, ``facts``, sentences, ``can``, a few words each, ``rules``), ``spaces`` (``id``,
        ``name``, ``title``, ``facts``, ``rules``), ``marks``, ``victory``, ``sections``, ``rulings``. ``places``, where
        pieces stand elsewhere than on spaces, id -> name: with it the board is described by the pieces of its picture,
        without it as text.
        ``by_hand``: whether people may roll and draw themselves; it may be left out. What
        else stands there is for the game's own files.
        """
        ...

    def actions(self, state: State, player: int) -> list[dict[str, Any]]:
        """Return the legal actions of a player: ``action``, ``text``, ``group``, ``label``, ``rules`` (numbers of
        sections and rulings), and ``card`` where it is about one. ``opens``: True if it only begins a choice of several
        decisions, which a page sends as one. ``mark``: what the map writes on the action's space. ``brief``: the label
        where there are many.
        """
        ...

    def status(self, state: State, player: int) -> dict[str, Any]:
        """Return the status of the game: ``when``, ``phase``, ``question``, ``help``, ``rules``. Decisions that go on
        with a choice have ``within``, True.
        """
        ...

    def why_not(self, state: State, player: int, thing: Mapping[str, str], to: str) -> str:
        """Return why a player cannot choose a thing of the picture now, or why it cannot go to a space: a clause, as
        "it has marched this turn [10.2]", with its sections; empty if nothing more particular than the question is
        known.

        Args:
            state: the position as the player knows it (`State.for_search`).
            player: the player, who decides.
            thing: ``piece``, ``side`` and ``place`` of a piece; of a space ``place``. ``via``: the place that was
                clicked between, where an order names two.
            to: the space, or "".
        """
        ...

    def chance(self, state: State) -> dict[str, Any]:
        """Return the die or card that is due: ``kind``, ``side``, ``question``, ``help``, ``draw``, ``card`` (True for
        a card), ``outcomes``.
        """
        ...

    def at_hand(self, state: State, recent: Sequence[Event], player: int) -> dict[str, Any]:
        """Return what is worth a look: ``when``, ``cards`` (``label``, ``card``), ``note`` (``title``, ``facts``,
        ``table``, ``steps``: ``label``, ``text``, ``state``, "done", "running" or "next") or None.
        """
        ...

    def undo_text(self, before: State, happened: Event) -> str:
        """Return a text for the event that would be taken back."""
        ...


class Editor(Protocol):
    """Parts of `Strings` if people set up positions by hand."""

    def error_text(self, message: str) -> str:
        """Return an error message about a position as the page says it."""
        ...

    def sketch(self, position: Mapping[str, Any]) -> str:
        """Return a position that cannot be as a picture, as far as it can be drawn."""
        ...


class Turns(Protocol):
    """Parts of `Strings` if people enter a sealed turn as a whole, by clicks."""

    def turn(self, state: State, player: int) -> dict[str, Any]:
        """Return what a player has to enter.

        ``question``, ``help``; ``places``: place -> [x, y] in the picture; ``subjects``: what is decided on, each
        ``id``, ``name``, ``place`` or None, ``usual`` (the option that stands where none is chosen, or None) and
        ``options``: ``label`` and ``group`` for buttons, ``text``, ``actions``, ``path`` (the places that are clicked
        after the subject's own), ``arrow`` (``kind``, ``line``, ``head``, ``dash``) or None, and ``counts``.
        ``least``, ``most``: how many of the chosen options may count; ``counted`` says what they are; ``end``: what is
        entered after all where fewer than the most are chosen. ``colour``: of the arrows. ``send``: what ends the turn,
        ``typed``: an example of what can be typed.

        Args:
            state: the position as the player knows it (`State.for_search`), with nothing entered in this turn.
            player: the player.
        """
        ...

    def read(self, state: State, player: int, text: str) -> dict[str, Any]:
        """Return ``subject`` and ``option`` (their indices in `turn`) of a text that somebody has typed.

        Raises:
            HawaiiError: no such option; the message says why, and which there are.
        """
        ...


class Guide(Protocol):
    """The page's advice in one game."""

    warns: str
    """The label of the option to be warned, as "Ask me before I put a chief at stake"; "" if the guide never warns.
    """

    warning: str
    """The title of a warning."""

    offer: str
    """The offer shown before a game."""

    def advice(self, state: State, player: int) -> dict[str, Any]:
        """Return advice on a position, as ``state.for_search(player)`` shows it: ``sections`` (``title``, ``lines`` of
        ``text`` and ``mark``: "done", "open", "aim", "danger" or ""), ``warnings``: action -> ``text`` and ``risk``,
        and, if there are any, ``marks``: action -> ``mark``, what the map writes on its space, and ``text``.
        """
        ...

    def why(self, state: State) -> str:
        """Return how a finished game ended, in a sentence."""
        ...


@cache
def strings_of(game: Game) -> Strings:
    """Return the strings of a game: those that its spec names, or the defaults."""
    spec = games.get(game.name)
    make = None if spec is None else spec.load("strings")
    return _DefaultStrings(game) if make is None else make(game)


def turns_of(strings: Strings) -> Turns | None:
    """Return strings that let sealed turns be entered as a whole; None if decisions are made one by one."""
    return cast(Turns, strings) if hasattr(strings, "turn") else None


def editor_of(strings: Strings) -> Editor | None:
    """Return strings for positions that are set up by hand; None if messages are shown unchanged, without a sketch."""
    return cast(Editor, strings) if hasattr(strings, "sketch") else None


@cache
def guide_of(game: Game) -> Guide | None:
    """Return the guide that a game's spec names, or None."""
    spec = games.get(game.name)
    make = None if spec is None else spec.load("guide")
    return None if make is None else make(game)


def side_ids(game: Game) -> list[str]:
    """Return the players' short names: "red" of "red_0", unless two would be called so."""
    stems = [re.sub(r"_\d+$", "", agent) for agent in game.agents]
    return stems if len(set(stems)) == len(stems) else list(game.agents)


def side_style(*played: Game) -> str:
    """Return the part of a game's style sheet that has the sides' colours: those of its narration, as far as
    they can be read on light pages, and lighter ones for dark pages.

    Args:
        played: the game, and those that options of it make.
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
"""Grounds of light and dark pages behind what is in a side's colour: of each theme the one nearest to it."""


def _luminance(colour: Sequence[float]) -> float:
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, ``#rrggbb``, from 1 to 21, as WCAG defines it."""
    low, high = sorted(_luminance([part / 255 for part in bytes.fromhex(colour[1:])]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _apart(colour: str, ground: str, end: int) -> str:
    """Return a colour mixed with as much black (0) or white (255) as makes it readable on a ground, at 4.5:1."""
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
    """Texts of a game without strings of its own."""

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
    """Return an option as the page asks for it."""
    asked = {"name": option.name, "label": option.meaning[:1].upper() + option.meaning[1:], "value": option.default}
    if isinstance(option.default, bool):
        return {**asked, "kind": "check"}
    if option.choices is not None:
        return {**asked, "kind": "select", "choices": [[choice, str(choice), ""] for choice in option.choices]}
    return {**asked, "kind": "number" if isinstance(option.default, int) else "text"}
