"""External text: reading and writing files, parsing JSON and TOML, and displaying text on terminals, pages, in logs and
reports.

Readers raise OSError for an unreadable file and ValueError for invalid content, in one sentence; callers convert them
into their own errors. Memory and time are bounded. Unicode properties decide which characters are displayed.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import json
import math
import os
import re
import stat
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NoReturn, cast

__all__ = [
    "check_name", "count", "decode", "describe_error", "isolate", "number", "parse_json", "parse_toml",
    "read_bytes", "show", "show_lines", "show_value", "spell", "spell_names", "suggest", "width", "write_bytes",
]  # fmt: skip

MOST_BYTES = 64 * 2**20
"""Maximum bytes of a file to read."""

MOST_TOML = 2**18
"""Maximum length of a TOML document."""

DEPTH = 64
"""Maximum nesting of lists and tables."""

DOTS = 16
"""Maximum parts of a dotted TOML key: parsing time is quadratic in their number."""

MARKS = 4
"""Maximum combining marks shown on one letter."""

NAME = 80
"""Maximum length of a name."""

# ---- text that comes in


def read_bytes(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """Return the content of a file.

    Args:
        path: the file. Pipes, devices and folders are errors, and opening never blocks.
        most: its maximum size in bytes.

    Raises:
        OSError: it cannot be read, is not a file or is too large; `describe_error` returns the reason.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "expected a file, not a pipe or a device")
            data = file.read(most + 1)
    except ValueError as error:  # a null character in the name, or half of a surrogate pair
        raise OSError(errno.EINVAL, "no file can have this name") from error
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    return data


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically, even if other processes write it, and create its folder.

    Raises:
        OSError: it cannot be written; its `filename` is the path.
    """
    folder, name = os.path.split(os.path.abspath(path))
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.part")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        error.filename = os.fspath(path)
        raise
    finally:
        with contextlib.suppress(OSError):  # it is there only if something went wrong
            os.unlink(temporary)


def describe_error(error: Exception) -> str:
    """Return the reason of an error of `read_bytes` or of a parser, without the file's name."""
    return str(getattr(error, "strerror", None) or error)


def decode(data: bytes | str) -> str:
    """Return UTF-8 as text, without a byte order mark at its beginning. Raises ValueError."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    if not isinstance(data, (bytes, bytearray)):
        raise ValueError(f"expected a string, not {show_value(data)}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = cast(bytes, error.object)[error.start]
        raise ValueError(f"not UTF-8: byte {error.start + 1} is 0x{byte:02x}") from None


def parse_json(data: bytes | str, finite: bool = True) -> Any:
    """Return the value of a JSON text without duplicate keys.

    Args:
        data: the text.
        finite: False accepts NaN and Infinity as written by Python, which are not JSON.

    Raises:
        json.JSONDecodeError: not JSON, perhaps truncated. It is a ValueError.
        ValueError: JSON with a key twice, a number that is not finite or too long, half of a surrogate pair, or more
            than `DEPTH` levels; no UTF-8.
    """
    text = decode(data)
    try:
        found = json.loads(
            text, object_pairs_hook=_table, parse_float=_finite, parse_constant=_refuse if finite else None
        )
    except json.JSONDecodeError as error:
        raise json.JSONDecodeError(f"not JSON: {error.msg}", error.doc, error.pos) from None
    except (RecursionError, ValueError) as error:
        raise _bounded(error) from None
    _check_depth(text, found)
    if "\\u" in text or isinstance(data, str):
        _check_surrogates(found if "\\u" in text else text)
    return found


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for n, key in enumerate(keys) if key in keys[:n])
        raise ValueError(f"the key {show_value(twice)} stands twice in an object")
    return table


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        _refuse(text)
    return number


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is not a finite number")


NESTED = f"nested too deeply: {DEPTH} levels are possible"


def _bounded(error: Exception) -> ValueError:
    """Return the error of a parser, in a sentence of ours if Python's bounds on recursion and on digits raised it."""
    if isinstance(error, RecursionError):
        return ValueError(NESTED)
    too_long = str(error).startswith("Exceeds the limit")
    return ValueError("a whole number of thousands of digits") if too_long else cast(ValueError, error)


def _check_depth(text: str, found: Any) -> None:
    if text.count("[") + text.count("{") <= DEPTH:
        return
    level = [found]
    for _ in range(DEPTH):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise ValueError(NESTED)


def _check_surrogates(found: Any) -> None:
    try:
        (found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{show(error.object[error.start])} is half of a pair, and no text") from None


def parse_toml(data: bytes | str) -> dict[str, Any]:
    """Return the tables of a TOML document.

    Raises:
        ValueError: no TOML, no UTF-8, more than `MOST_TOML` letters, `DEPTH` levels or `DOTS` parts of a key, or a
            number that is not finite or has more than 64 bits.
    """
    text = decode(data)
    if len(text) > MOST_TOML:
        raise ValueError(f"a document of more than {MOST_TOML:,} letters")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > DOTS and any(_dots(piece) > DOTS for piece in re.split("[,{]", line)):
            raise ValueError(f"line {number}: a key of more than {DOTS} parts")
    try:
        found = tomllib.loads(text, parse_float=_finite)
        _check_depth(text, found)
        _check_integers(found)
    except (RecursionError, ValueError) as error:
        raise _bounded(error) from None
    return found


def _dots(piece: str) -> int:
    """Return the dots in the key of a piece of a line, as ``a.b = 1`` or ``[a.b]``."""
    key, equals, _ = piece.partition("=")
    return key.count(".") if equals or piece.lstrip().startswith("[") else 0


def _check_integers(value: Any) -> None:
    if isinstance(value, (dict, list)):
        for inner in cast(Any, value.values() if isinstance(value, dict) else value):
            _check_integers(inner)
    elif isinstance(value, int) and value.bit_length() > 64:
        raise ValueError(f"a whole number of {value.bit_length()} bits; 64 are possible")


# ---- text that is shown


_EMPTY = re.compile("FILLER|BLANK")
"""Words in the Unicode names of invisible letters and symbols."""


def _is_drawn(letter: str) -> bool:
    """Return True if a character is a space or draws something, and does nothing to what is around it."""
    return letter.isprintable() and (letter.isascii() or not _EMPTY.search(unicodedata.name(letter, "")))


def show(text: str, most: int | None = None) -> str:
    """Return a text as one line that is safe to display: it moves no cursor, changes no direction and hides nothing.

    Spaces of any kind become plain ones. What is not drawn (control and format characters, halves of surrogate pairs,
    unassigned characters) and combining marks without a letter become escapes.

    Args:
        text: any text.
        most: maximum length; the rest becomes "...".
    """
    if most is not None:
        whole = show(text[: most + 1])
        return whole if len(whole) <= most else f"{whole[: max(most - 3, 0)]}..."
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = MARKS
    for letter in text:
        category = unicodedata.category(letter)
        if category == "Zs":
            letter, marks = " ", MARKS
        elif category.startswith("M"):
            marks += 1
            if marks > MARKS:
                letter = _escape(letter)
        else:
            drawn = _is_drawn(letter)
            letter, marks = (letter, 0) if drawn else (_escape(letter), MARKS)
        shown.append(letter)
    return "".join(shown)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def show_lines(text: str) -> str:
    """Return a text of several lines, each as from `show`; tabs become spaces."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "\n".join(map(show, text.replace("\r\n", "\n").expandtabs(4).split("\n")))


def show_value(value: object, most: int = 80) -> str:
    """Return a value as one line of at most `most` letters, whatever its own methods do."""
    if isinstance(value, (str, bytes)):
        value = value[: most + 1]
    try:
        text = repr(value)
    except Exception:  # somebody else's __repr__, or a whole number of thousands of digits
        text = object.__repr__(value)
    return show(text, most)


def suggest(value: object, names: Iterable[str]) -> str:
    """Return a hint at the most similar name, such as "; did you mean demo?"; "" if none is similar."""
    near = difflib.get_close_matches(value[:80], [name for name in names if name], 1) if isinstance(value, str) else ()
    return f"; did you mean {near[0]}?" if near else ""


def isolate(text: str) -> str:
    """Isolate a text, so that right-to-left letters do not affect the text around it."""
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in text)
    return f"\u2068{text}\u2069" if turned else text


def width(text: str) -> int:
    """Return the width of a line in terminal columns."""
    return sum(
        0 if unicodedata.category(letter).startswith("M") else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def check_name(text: str, most: int = NAME, what: str = "a name") -> str:
    """Return a name, or what else somebody writes in a line, in Unicode's composed form, without space around it; an
    empty one is none.

    Raises:
        ValueError: it is longer than `most`, or contains invisible characters.
    """
    name = unicodedata.normalize("NFC", text[: most + 1]).strip()
    if len(text) > most:
        raise ValueError(f"{what} has at most {most} letters")
    if show(name) != name:
        raise ValueError(f"{what} has letters and signs that can be seen, and spaces")
    return name


# ---- numbers that are shown


def number(value: float, digits: int | None = None, sign: bool = False) -> str:
    """Return a number with as many digits as say something: 12,345 or 3.1 or 0.052; or with as many as are asked for.

    Zero has no sign, nor has what is rounded to it. What is not a number is a dash.

    Args:
        value: the number.
        digits: digits after the point.
        sign: True writes a plus before what is above 0.
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return f"{'-' if value < 0 else '+' if sign else ''}∞"
    if digits is not None:
        text = f"{value:.{digits}f}"
    else:
        text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2g}"
    if not any(letter in "123456789" for letter in text.partition("e")[0]):
        return text.lstrip("-")
    return f"+{text}" if sign and value > 0 else text


def count(how_many: int, what: str, plural: str | None = None) -> str:
    """Return a number with its noun: "1 game", "2 games", "1,234 replies".

    Args:
        how_many: the number.
        what: the noun.
        plural: the noun of several; None is `what` with an s.
    """
    return f"{how_many:,} {what if abs(how_many) == 1 else plural or f'{what}s'}"


# Names of Hawaiʻi

_VOWELS = "aeiouāēīōūAEIOUĀĒĪŌŪ"
_OKINA = re.compile(rf"(?<=[{_VOWELS}])'(?=[{_VOWELS}])|(?<![^\W\d_])'(?=[{_VOWELS}])(?!\w+'(?!\w))")


@cache
def _spellings() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds the plain forms of names, and how each is spelled."""
    names: dict[str, str] = parse_toml((resources.files("hawaii_env") / "spelling.toml").read_bytes())["names"]
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)"), names


@lru_cache(4096)
def spell_names(text: str) -> str:
    """Return a text with ʻokina and kahakō in its names, as in `spelling.toml`.

    In Hawaiian an ʻokina stands between vowels or before one; a mark before a quoted word is none.
    """
    plain, names = _spellings()
    return plain.sub(lambda found: names[found[0]], _OKINA.sub("ʻ", text))


def spell(text: str) -> str:
    """Apply `spell_names`, and replace other straight marks by apostrophes."""
    return spell_names(text).replace("'", "’")
