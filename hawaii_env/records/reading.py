"""Reading game records, and checking their form: nothing is replayed here."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hawaii_env._arguments import check_path
from hawaii_env._version import __version__
from hawaii_env.errors import RecordError
from hawaii_env.game import Chance, Decision, Event
from hawaii_env.records.form import EVENTS, FORMAT, VERSION, Agreement, Header, problem
from hawaii_env.texts import decode, describe_error, parse_json, read_bytes, show_value

__all__ = ["Record", "parse", "read"]


@dataclass(frozen=True)
class Record:
    """A record as it was read: nothing in it has been replayed.

    Attributes:
        path: the file.
        header: the first line.
        events: decisions and chance outcomes in their order; event i stands in line i + 2 of the file.
        result: the line of the result, or of what was agreed; None when the game was not played to its end.
        stopped: why the game was broken off, where the record says so.
        cut: True when the last line was only partly written (its writer was killed); that piece is left out. A last
            line that lacks no more than its newline is whole.
        agreement: how the players ended the game, where its rules have not.
    """

    path: Path
    header: dict[str, Any]
    events: list[Event]
    result: dict[str, Any] | None
    stopped: str | None
    cut: bool
    agreement: Agreement | None = None

    @property
    def complete(self) -> bool:
        """True when the record has a result."""
        return self.result is not None

    @property
    def seed(self) -> int | None:
        """The seed, where the record shows it."""
        return self.header["seed"]


def bad(path: Path, line: int, message: str) -> RecordError:
    """Return the error of a line."""
    return RecordError(f"{path}, line {line}: {message}")


def _lines(path: Path, data: bytes | str) -> tuple[list[str], bool]:
    """Return the lines, without blank ones at the end, and True if a last one was cut off, which is left out."""
    cut = False
    try:
        text = decode(data)
    except ValueError as error:
        # A cut in the middle of a letter is a cut last line; anything else is not a text at all.
        try:
            text, cut = decode(data[: cast(bytes, data).rfind(b"\n") + 1]), True
        except ValueError:
            raise RecordError(f"{path} is not a game record: it is {error}") from None
    lines = text.rstrip(" \t\r\n").split("\n")
    if not lines[0] and not lines[1:] and not cut:
        raise RecordError(f"{path} is not a game record: it is empty")
    if not text.endswith("\n"):
        with contextlib.suppress(ValueError):  # of a whole line that is refused
            try:
                parse_json(lines[-1])
            except json.JSONDecodeError:
                cut = True
                lines.pop()
    return lines, cut


def _check_header(path: Path, header: dict[str, Any]) -> None:
    wrong = problem(header, Header)
    if wrong is not None:
        raise bad(path, 1, wrong)
    if not header["agents"]:
        raise bad(path, 1, "there are no agents")
    if header["players"] is not None and len(header["players"]) != len(header["agents"]):
        raise bad(path, 1, f"{len(header['players'])} players for {len(header['agents'])} agents")


def _parse(path: Path, line: int, text: str) -> dict[str, Any]:
    try:
        data = parse_json(text)
    except ValueError as error:
        raise bad(path, line, str(error)) from None
    if not isinstance(data, dict):
        raise bad(path, line, "not a JSON object")
    return cast("dict[str, Any]", data)


def read(path: str | os.PathLike[str]) -> Record:
    """Read a record, whole or broken off, and check its form.

    Raises:
        RecordError: no file, no record, another version, a line that is not an event, lines missing or out of order.
    """
    path = check_path("path", path)
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        raise RecordError(f"there is no file {path}") from None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {describe_error(error)}") from error
    return parse(data, path)


def _header(path: Path, line: str) -> dict[str, Any]:
    try:
        header: Any = parse_json(line)
    except json.JSONDecodeError:
        header = None
    except ValueError as error:
        raise bad(path, 1, str(error)) from None
    if not isinstance(header, dict) or cast("dict[str, Any]", header).get("format") != FORMAT:
        raise RecordError(f'{path} is not a game record: its first line has no "format": "{FORMAT}"')
    version, library = header.get("version"), header.get("library")
    if type(version) is not int or version != VERSION:
        by = f"written by hawaii_env {show_value(library)}"
        ours = f"this hawaii_env, {__version__}, reads version {VERSION}"
        raise bad(path, 1, f"the record has version {show_value(version)} ({by}); {ours}")
    _check_header(path, header)
    return header


def parse(content: bytes | str, path: str | os.PathLike[str] = "the record") -> Record:
    """Check the form of a record's content, as `read` does of a file.

    Args:
        content: the content of a file.
        path: what errors call it.

    Raises:
        RecordError: as `read`.
    """
    path = Path(path)
    lines, cut = _lines(path, content)
    if not lines or not lines[0]:
        raise RecordError(f"{path} is not a game record: its first line is not whole")
    header = _header(path, lines[0])
    events: list[Event] = []
    decisions = 0
    result: dict[str, Any] | None = None
    stopped: str | None = None
    agreement: Agreement | None = None
    for number, text in enumerate(lines[1:], 2):
        if result is not None or stopped is not None:
            raise bad(path, number, "there is a line after the end")
        data = _parse(path, number, text)
        kind = data.get("event")
        if not isinstance(kind, str) or kind not in EVENTS:
            raise bad(path, number, f"the event is {show_value(kind)}, none of {', '.join(EVENTS)}")
        wrong = problem(data, EVENTS[kind])
        if wrong is not None:
            raise bad(path, number, wrong)
        if kind in ("decision", "chance"):
            if data["n"] != len(events) + 1:
                raise bad(path, number, f"event {len(events) + 1} is missing; this is event {data['n']}")
            if kind == "decision":
                events.append(Decision(data["player"], data["action"], data["text"], data["forced"]))
                decisions += not data["forced"]
            else:
                events.append(Chance(data["kind"], data["outcome"], data["text"], data["forced"]))
            continue
        if data["events"] != len(events) or data["decisions"] != decisions:
            raise bad(
                path,
                number,
                f"the end counts {data['events']} events and {data['decisions']} decisions; there are {len(events)} "
                f"and {decisions}",
            )
        if kind == "stopped":
            stopped = data["reason"]
            continue
        result = data
        if kind == "agreed":
            try:
                agreement = Agreement(data["kind"], data["player"], len(header["agents"]))
            except RecordError as error:
                raise bad(path, number, str(error)) from None
    return Record(path, header, events, result, stopped, cut, agreement)
