"""Makes the replay page: one HTML file with a record's positions, its narration and the curve of its values.

The page is a function of the record, of the valuer and of this library: the same input gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, cast

from hawaii_env import agents, games
from hawaii_env.errors import OptionError
from hawaii_env.game import Chance, Decision, Event, Game, State
from hawaii_env.narration import Line, Narration, narration_of, score_name_of, steps
from hawaii_env.records import Record, follow, game_of, read
from hawaii_env.render.picture import render_svg
from hawaii_env.render.theme import style_sheet
from hawaii_env.replay.values import Valuer, make_valuer
from hawaii_env.rulesets import Ruleset
from hawaii_env.texts import isolate, show, spell, write_bytes

__all__ = ["Frames", "Page", "cut", "replay_page"]

RECENT = 40
"""Events that a picture is shown: more than any volley or fleet move has."""

# Kinds of events, as the page's script reads them.
FORCED, ASKED, DICE, INSIDE, PARTIAL, SEALED = 0, 1, 2, 4, 8, 16


@dataclass(frozen=True)
class Page:
    """The result of `replay_page`.

    Attributes:
        path: the file.
        steps: positions after the first one.
        valued: positions on the curve; 0 without one. Of several curves, on the one with most.
        bytes: its size.
    """

    path: Path
    steps: int
    valued: int
    bytes: int


def replay_page(
    record: Record | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    value: object = "playouts",
    game: Game | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Page:
    """Make a replay page of a recorded game.

    Args:
        record: a record, or the path of one; a game that was broken off is shown as far as it went.
        out: the file to write, whose name ends in ``.html``. It is written when all is done, and replaces one that is
            there.
        value: whose opinion the curve shows; see `hawaii_env.replay.values.make_valuer`. ``"none"`` leaves the curve
            out; a game with points has a chart of them beside it. A list or tuple: several, between which the page
            lets its reader choose.
        game: the game, where it is not to be made from the record's header (a ruleset folder that has moved).
        seed: seed of the valuer.
        progress: called with the events done and their number, now and then.

    Raises:
        OptionError: the name has another ending, or `value` names nothing that values positions.
        RecordError: no record, or one that the game does not play; the message names the line.
    """
    path = Path(out)
    if path.suffix not in (".html", ".htm"):
        raise OptionError(f"a replay page's name ends in .html, not {path.name!r}")
    if not isinstance(record, Record):
        record = read(record)
    game = game_of(record) if game is None else game
    opinions = list(cast("Sequence[object]", value)) if isinstance(value, (list, tuple)) else [value]
    valuers = [valuer for one in opinions if (valuer := make_valuer(one, game, seed)) is not None]
    maker = _Maker(record, game, valuers)
    text = maker.make(progress)
    try:
        write_bytes(path, text.encode())
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error.strerror}") from error
    return Page(path, len(record.events), max(map(len, maker.points), default=0), path.stat().st_size)


class _Maker:
    """Goes through a record once."""

    def __init__(self, record: Record, game: Game, valuers: Sequence[Valuer]) -> None:
        self.record, self.game, self.valuers = record, game, valuers
        self.narration: Narration = narration_of(game)
        self.frames = Frames()
        self.lines: list[tuple[str, int, int]] = []
        self.marks: dict[str, list[tuple[int, str]]] = {"chapters": [], "headings": [], "scenes": []}
        self.points: list[list[list[float]]] = [[] for _ in valuers]
        self.scores: list[list[float]] = []
        self.view: Any = None
        self.turn: int | None = None

    def make(self, progress: Callable[[int, int], None] | None) -> str:
        follower = follow(self.record, self.game)
        total = len(self.record.events)
        recent: list[Event] = []
        self.show(follower.state, recent)
        step = 0
        for events, before, after in steps(follower.feed(self.record.events), follower.state):
            for event, line in zip(events, self.narration.narrate(events, before, after), strict=True):
                step += 1
                recent = [*recent[-RECENT:], event]
                self.add_line(step, event, line)
                self.show(after, recent)
                if progress is not None:
                    progress(step, total)
        return self.page()

    def add_line(self, step: int, event: Event, line: Line) -> None:
        """Keep the line of an event."""
        for kind, name in (("chapters", line.chapter), ("headings", line.heading), ("scenes", line.scene)):
            if name is not None:
                self.marks[kind].append((step, name))
        player, kind = (-1, DICE) if isinstance(event, Chance) else (event.player, FORCED if event.forced else ASKED)
        self.lines.append((line.text, player, kind + INSIDE * line.inside + PARTIAL * line.partial))
        for back, result in line.results:
            text, player, kind = self.lines[-1 - back]
            self.lines[-1 - back] = (text + result, player, kind)
        # What was entered at the same time is one step, with the last of it.
        turn = event.turn if isinstance(event, Decision) else None
        if turn is not None and turn == self.turn:
            text, player, kind = self.lines[-2]
            self.lines[-2] = (text, player, kind | SEALED)
        self.turn = turn

    def show(self, state: State, recent: list[Event]) -> None:
        """Keep the picture of a position, and its values unless it is the one before."""
        self.frames.add(render_svg(state, events=recent))
        if score_name_of(self.narration):
            scores = cast(Any, self.narration).score(state)
            if not self.scores or self.scores[-1][1:] != scores:
                self.scores.append([len(self.lines), *scores])
        if not self.valuers:
            return
        view = state.view()
        if view == self.view:
            return
        self.view = view
        for valuer, points in zip(self.valuers, self.points, strict=True):
            values = state.returns() if state.is_terminal else valuer.values(state.for_search())
            if values is not None:
                points.append([len(self.lines), *(round(self._scaled(float(value)), 3) for value in values)])

    def _scaled(self, value: float) -> float:
        """Scale a return to the range from -1, the least that can be, to 1, the most."""
        least, most = self.game.min_return, self.game.max_return
        return 2 * (value - least) / (most - least) - 1

    def data(self) -> dict[str, Any]:
        """Return the data that the page's script reads."""
        record, header, narration = self.record, self.record.header, self.narration
        names = header["players"] or [None] * self.game.num_players
        unit = score_name_of(narration)
        sides = [
            {"name": side.name, "colour": side.colour, "letter": side.letter, "player": name and _called(name, record)}
            for side, name in zip(narration.sides, names, strict=True)
        ]
        return {
            "sides": sides,
            "result": _result(record, narration),
            "lines": self.lines,
            **self.marks,
            "words": {"scene": narration.scene_name, "chapter": narration.chapter_name},
            "values": [
                *([{"label": unit, "points": self.scores, "unit": unit}] if unit else []),
                *(
                    {"label": _called(valuer.label, record), "points": points}
                    for valuer, points in zip(self.valuers, self.points, strict=True)
                    if points
                ),
            ],
            "rules": _rules(self.game),
            "pictures": self.frames.data(),
            "fonts": _fonts(),
        }

    def page(self) -> str:
        data = json.dumps(self.data(), ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        packed = base64.b64encode(zlib.compress(data, 9)).decode("ascii")
        assets = resources.files("hawaii_env.replay").joinpath("assets")
        html, css, script = (
            assets.joinpath(f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")
        )
        script = '"use strict";\n' + "".join(map(_shared, ("dom", "dialog", "ruled", "moves"))) + script
        # Nothing but this very script may run, and nothing may be fetched, whatever stands in the record.
        allowed = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
        parts = {
            "POLICY": f"default-src 'none'; script-src 'sha256-{allowed}'; style-src 'unsafe-inline'; base-uri "
            "'none'; form-action 'none'",
            "TITLE": escape(_title(self.record)),
            "PLAYERS": escape(_players(self.record, self.narration)),
            "SUMMARY": escape(_result(self.record, self.narration)),
            "ABOUT": escape(_about(self.record)),
            "STYLE": f"{css}@media (prefers-color-scheme: dark) {{\n{style_sheet()}}}\n",
            "SCRIPT": script,
            "DATA": packed,
        }
        head, *rest = html.split("{{")
        pieces = [head]
        for piece in rest:
            key, _, text = piece.partition("}}")
            pieces += [parts[key], text]
        return "".join(pieces)


_FONTS = (
    ("Fira Sans", 400, "FiraSans-Regular"),
    ("Fira Sans", 700, "FiraSans-Bold"),
    ("Alegreya", 700, "Alegreya-Bold"),
)


def _fonts() -> list[tuple[str, int, str]]:
    """Return the fonts of the pictures: they come along, because other letters are wider than the places drawn for
    them.
    """
    folder = resources.files("hawaii_env.render").joinpath("data")
    return [
        (family, weight, base64.b64encode(folder.joinpath(f"{name}.ttf").read_bytes()).decode("ascii"))
        for family, weight, name in _FONTS
    ]


def _shared(name: str) -> str:
    """Return a script of the pages where games are played, as a part of one script: pieces glide as they do there, and
    numbers of rules open their paragraphs.
    """
    text = resources.files("hawaii_env").joinpath(f"web/static/{name}.js").read_text(encoding="utf-8")
    return re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE).replace("\nexport ", "\n")


def _rules(game: Game) -> dict[str, Any]:
    """Return what the numbers of rules in texts stand for; nothing for a game without a ruleset of this library."""
    rules = getattr(game, "ruleset", None)
    if not isinstance(rules, Ruleset):
        return {"sections": {}, "rulings": {}, "text": ""}
    return {**rules.references(), "text": rules.rules_text()}


def _outside(text: str) -> str:
    """Return a text of a record, which may be anybody's, as the page shows it."""
    return isolate(show(text))


def _called(player: str, record: Record) -> str:
    """Return a player's name for people: an agent's is its level's, or its agent string in words."""
    spec = games.get(record.header["game"])
    if spec is None or player.partition(":")[0] not in agents.known():
        return _outside(player)
    return _outside(spec.agent_name(player, record.header["params"]))


def _title(record: Record) -> str:
    """Return the game and its scenario."""
    spec, scenario = games.get(record.header["game"]), record.header["params"].get("scenario")
    title = record.header["game"] if spec is None else spec.title
    if not isinstance(scenario, str):
        return title
    said = scenario.replace("_", " ")
    return f"{title}: {_outside(said[:1].upper() + said[1:])}"


def _players(record: Record, narration: Narration) -> str:
    names = record.header["players"] or [None] * len(narration.sides)
    sides = [
        f"{side.name}: {_called(name, record)}" if name else side.name
        for side, name in zip(narration.sides, names, strict=True)
    ]
    return " – ".join(sides)


def _result(record: Record, narration: Narration) -> str:
    if record.result is None:
        return f"Broken off: {_outside(record.stopped)}" if record.stopped else "Broken off: the record has no end"
    winner = record.result["winner"]
    return f"{'A tie' if winner is None else f'{narration.sides[winner].name} won'}: {spell(record.result['reason'])}"


def _about(record: Record) -> str:
    """Return the plain parameters that are not the usual ones, a ruleset that is not the shipped one, the seed."""
    header = record.header
    usual: Any = None if games.get(header["game"]) is None else games.load_game(header["game"])
    known = {} if usual is None else usual.params
    parts = [
        key.replace("_", " ") if value is True else f"{key}: {value}".replace("_", " ")
        for key, value in header["params"].items()
        if isinstance(value, str | int) and value not in (known.get(key), False) and key not in ("players", "scenario")
    ]
    if usual is None or usual.ruleset_name != header["ruleset"]["name"]:
        parts.append(f"ruleset {_outside(header['ruleset']['name'])}")
    if record.seed is not None:
        parts.append(f"seed {record.seed}")
    return ", ".join(parts)


DEPTH = 2
"""The number of levels of elements that are cut: deeper makes more sharing and longer lists."""

_TAG = re.compile(r"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""")


def cut(text: str, depth: int = DEPTH) -> list[str]:
    """Cut a document after each tag that opens or closes an element at most `depth` levels deep; joined, it is the
    document.
    """
    pieces: list[str] = []
    start = level = 0
    for tag in _TAG.finditer(text):
        words = tag.group()
        if words[1] in "!?":
            continue
        closes = words[1] == "/"
        level -= closes
        if level <= depth:
            pieces.append(text[start : tag.end()])
            start = tag.end()
        level += not closes and words[-2] != "/"
    pieces.append(text[start:])
    return [piece for piece in pieces if piece]


class Frames:
    """Collects pictures."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._changes: list[list[Any]] = []
        self._last: list[int] = []

    def add(self, text: str) -> None:
        """Add the next picture."""
        now = [self._numbers.setdefault(piece, len(self._numbers)) for piece in cut(text)]
        last, shorter = self._last, min(len(now), len(self._last))
        head = 0
        while head < shorter and now[head] == last[head]:
            head += 1
        tail = 0
        while tail < shorter - head and now[-1 - tail] == last[-1 - tail]:
            tail += 1
        self._changes.append([head, tail, now[head : len(now) - tail]])
        self._last = now

    def __len__(self) -> int:
        return len(self._changes)

    def data(self) -> dict[str, Any]:
        """Return ``pieces``: texts; ``frames``: ``[head, tail, numbers]`` each.

        A frame begins with the first `head` pieces of the frame before, continues with `numbers`, and ends with the
        last `tail` pieces of the frame before.
        """
        return {"pieces": list(self._numbers), "frames": self._changes}
