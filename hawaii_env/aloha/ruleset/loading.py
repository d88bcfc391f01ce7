"""Reading a ruleset: the shipped files, or a folder that replaces some of them; and its tables for the rules."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hawaii_env._rulesets import find_folder
from hawaii_env.aloha.rules import state as at
from hawaii_env.aloha.rules.names import CHAPTER_3, DECK, ISLANDS, KINDS, RESOURCES, SETS, STAGES
from hawaii_env.errors import RulesetError

from .models import Board, Chapter, Event, Form, Royal, Scoring
from .models import Ruleset as Head

__all__ = ["DATA", "FILES", "RULINGS", "SECTIONS", "Ruleset", "load_ruleset", "sources"]

HERE = Path(__file__).parent
DATA = HERE / "data"
RULINGS = HERE / "rulings.toml"
SECTIONS = HERE / "sections.toml"
FILES = ("ruleset", "board", "royal", "scoring", "chapter_1", "chapter_2", "chapter_3")
_FORMS: dict[str, Any] = {"ruleset": Head, "board": Board, "royal": Royal, "scoring": Scoring}


@dataclass(frozen=True)
class Ruleset:
    """The data of a game, checked.

    Attributes:
        content: the files by name, without ``.toml``, as plain JSON values.
        head, board, royal, scoring: the files, as their forms.
        chapters: the event cards of each chapter by their numbers.
    """

    content: Mapping[str, Any]
    head: Head
    board: Board
    royal: Royal
    scoring: Scoring
    chapters: tuple[Mapping[int, Event], ...]

    @property
    def name(self) -> str:
        """Its name, for people."""
        return self.head.name

    @cached_property
    def hash(self) -> str:
        """Hex SHA-256 of all that plays a part in a game or its record: titles of event cards do, as records tell what
        was drawn; other titles, texts and sources do not.
        """
        told = ("source", "text", "name", "version")
        plain = {
            name: _without(file, told if name in FILES[4:] else (*told, "title")) for name, file in self.content.items()
        }
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()

    def card(self, stage: str, number: int) -> Event:
        """The event card of a chapter's number."""
        return self.chapters[STAGES.index(stage) - 1][number]

    def royal_title(self, card: str) -> str:
        """The title of a Royal Family card, named as in views: ``"chapter_1 oahu"``."""
        name, title = card.split()
        cards = getattr(self.royal, name)
        if title == "monarch":
            return cards.monarch.title
        return f"{cards.island.title} {getattr(self.board.islands, title).name}"

    def tables(self, players: int, rounds: bool) -> list[int]:
        """The numbers as the rules read them, see `rules.state`."""
        t = [0] * at.T_SIZE
        set_up = self.board.set_up
        t[at.T_PLAYERS], t[at.T_ROUNDS] = players, int(rounds)
        t[at.T_STOCK], t[at.T_PLACED], t[at.T_MOVES] = set_up.stock, set_up.placed, set_up.prologue_actions
        t[at.T_CONVERSIONS], t[at.T_TRACK_END] = set_up.conversions, set_up.track_end
        for chapter in range(3):
            for i, name in enumerate(ISLANDS):
                island = getattr(self.board.islands, name)
                taken = (island.take_chapter_3 if chapter == 2 else None) or island.take
                _write(t, at.T_TAKE + 25 * chapter + 5 * i, taken)
        for i, name in enumerate(SETS):
            cards = getattr(self.royal, name)
            t[at.T_VOTES + 6 * i] = cards.monarch.votes
            for island in range(5):
                t[at.T_VOTES + 6 * i + 1 + island] = cards.island.votes
        score = self.scoring
        t[at.T_GOVERNOR] = score.epilogue.governor
        for stage, part in ((0, score.prologue), (1, score.chapter_1), (2, score.chapter_2)):
            t[at.T_MONARCH + stage], t[at.T_ISLAND + stage] = part.monarch, part.island
        t[at.T_ISLAND + 4] = score.epilogue.island
        for chapter, part in enumerate((score.chapter_1, score.chapter_2, score.chapter_3)):
            for resource in range(3):
                row = getattr(part.majority, RESOURCES[resource])[players - 2]
                t[
                    at.T_MAJORITY + 12 * chapter + 4 * resource : at.T_MAJORITY + 12 * chapter + 4 * resource + players
                ] = row
        for resource in range(3):
            t[at.T_FOR_A_POINT + resource] = getattr(score.epilogue.tokens_for_a_point, RESOURCES[resource])
        for chapter, cards in enumerate(self.chapters):
            for number, card in cards.items():
                start = at.T_CARDS + 16 * ((DECK + 1) * chapter + number)
                t[start] = KINDS.index(card.kind)
                for name in card.islands:
                    t[start + 1 + ISLANDS.index(name)] = 1
                _write(t, start + 6, card.receives)
                _write(t, start + 11, card.pays)
        return t


def _write(t: list[int], start: int, amounts: Mapping[Any, int]) -> None:
    for resource, number in amounts.items():
        t[start + RESOURCES.index(resource)] = number


def _without(value: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(value, Mapping):
        return {key: _without(item, keys) for key, item in value.items() if key not in keys}
    return value


def load_ruleset(rules: str | os.PathLike[str] | Mapping[str, Any] | None = None) -> Ruleset:
    """Return a ruleset.

    Args:
        rules: None: the shipped one; a folder whose files replace the shipped ones of the same name; the name of the
            shipped one; or the content of a ruleset, as `Ruleset.content` has it.

    Raises:
        RulesetError: a file that is no TOML, or with a wrong, missing or unknown value. A line for each names file,
            table, key and what is allowed.
    """
    if isinstance(rules, Mapping):
        if set(rules) != set(FILES):
            raise RulesetError(
                f"rules: the content of {', '.join(FILES)} is wanted, not of {', '.join(map(str, rules))}"
            )
        content = dict(rules)
    else:
        content = {name: _read(DATA / f"{name}.toml") for name in FILES}
        if rules is not None:
            content |= _of_folder(rules)
    wrong: list[str] = []
    parts = {name: _check(name, content[name], wrong) for name in FILES}
    if wrong:
        raise RulesetError("\n".join(wrong))
    for number, name in enumerate(FILES[4:], start=1):
        wrong += _of_their_time(name, parts[name], number == CHAPTER_3)
    if wrong:
        raise RulesetError("\n".join(wrong))
    chapters = tuple({card.number: card for card in parts[name].root.values()} for name in FILES[4:])
    return Ruleset(content, parts["ruleset"], parts["board"], parts["royal"], parts["scoring"], chapters)


def _of_folder(rules: object) -> dict[str, Any]:
    if not isinstance(rules, (str, os.PathLike)):
        raise RulesetError(f"rules: None, a folder or the content of a ruleset is wanted, not {rules!r}")
    shipped = _read(DATA / "ruleset.toml")["name"]
    folder = find_folder(Path(rules), DATA, shipped, [f"{name}.toml" for name in FILES])
    files = sorted(folder.glob("*.toml"))
    unknown = [file.name for file in files if file.stem not in FILES]
    if unknown or not files:
        what = f"{unknown[0]}: unknown" if unknown else f"rules: {str(folder)!r} has no ruleset files"
        raise RulesetError(f"{what}; allowed: {', '.join(f'{name}.toml' for name in FILES)}")
    return {file.stem: _read(file) for file in files}


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RulesetError(f"{path.name}: cannot be read as TOML: {error}") from error


def _check(name: str, content: Any, wrong: list[str]) -> Any:
    """Check a file against its form; what is wrong is added to the list."""
    form: type[Form] | type[Chapter] = _FORMS.get(name, Chapter)
    if not isinstance(content, Mapping):
        wrong.append(f"{name}.toml: tables are wanted, not {content!r}")
        return None
    if form is Chapter:
        content = {key: value for key, value in content.items() if key != "source"}
    try:
        return form.model_validate(content)
    except ValidationError as error:
        for problem in error.errors():
            loc = [str(part) for part in problem["loc"]]
            table = f" [{'.'.join(loc[:-1])}]" if len(loc) > 1 else ""
            key = f" {loc[-1]}" if loc else ""
            message = problem["msg"].removeprefix("Value error, ")
            given = "" if isinstance(problem["input"], Mapping) else f" (given: {problem['input']!r})"
            wrong.append(f"{name}.toml{table}{key}: {message}{given}")
    return None


def _of_their_time(name: str, chapter: Chapter, third: bool) -> Iterator[str]:
    """[C2w, C2r] No card gives or takes warriors in Chapter III, nor Home Rule tokens before it."""
    absent = "warrior" if third else "vote"
    when = (
        "warriors are not available in Chapter III"
        if third
        else "Home Rule tokens are not available before Chapter III"
    )
    for key, card in chapter.root.items():
        for part in ("receives", "pays"):
            if absent in getattr(card, part):
                yield f"{name}.toml [{key}.{part}] {absent}: {when}"


def sources(ruleset: Ruleset) -> Iterator[tuple[str, str, str, str]]:
    """Yield file, table, key and source of every value."""
    for name, content in ruleset.content.items():
        if name != "ruleset":
            yield from _sources(f"{name}.toml", "", content, "printed")


def _sources(file: str, table: str, content: Mapping[str, Any], above: str) -> Iterator[tuple[str, str, str, str]]:
    given = content.get("source", above)
    rest = given if isinstance(given, str) else given.get("rest", above)
    for key, value in content.items():
        if key == "source":
            continue
        own = rest if isinstance(given, str) else given.get(key, rest)
        if isinstance(value, Mapping) and value:
            below = {"source": {**({} if isinstance(given, str) else given), "rest": own}, **value}
            yield from _sources(file, f"{table}.{key}".strip("."), below, own)
        else:
            yield file, table, key, own
