"""Input as an attacker, a full disk or an editor leaves it: documents and bytes that were altered in one place or more.

Whoever reads them may refuse or take them, but raises nothing undocumented and ends soon.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 5, 2**31, 2**32, 2**63, 2**64, -(2**63) - 1, 10**4000, 0.5, -0.0, 1e300, "", "x", " ",
    "self", "a\0b", "\x1b[31m", "\u202e", "\u200b", "\ufeff", "\u3164", "\u0301", "x" * 70_000, [], [[]], [None], {},
    {"": 0}, {"self": 1}, [0] * 1000, {"a": {"b": [{"c": 1}]}},
)  # fmt: skip
"""Values of every type of JSON, on the edges of what fits somewhere."""

BROKEN: tuple[bytes, ...] = (
    b"", b"\0", b" ", b"\n\n", b"{", b"[]", b"null", b"5", b'"', b"\xef\xbb\xbf", b"\xff\xfe", b"[" * 100_000,
    b'{"a":' * 100_000, b"1" * 100_000, b'{"a": NaN}', b'{"a": 1e999}', b'{"a": 1, "a": 2}', b'"\\ud800"',
    b"\x80" * 1000, b"a." * 50_000 + b"a = 1", b"a = " + b"[" * 50_000, b"a = 0x" + b"f" * 100_000, b"a = nan",
    b"a = {" * 3000,
)  # fmt: skip
"""Texts that are nothing, for readers of any format."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def alter(document: Any, rng: random.Random) -> Any:
    """Return a document with one to three values altered: replaced, left out, doubled, exchanged or a little more."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        paths = list(places(document))
        path = rng.choice(paths)
        if not path:
            continue
        holder, key = at(document, path[:-1]), path[-1]
        kind = rng.randrange(7)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        elif kind == 2 and type(holder[key]) is int:
            holder[key] += rng.choice((-1, 1, 7, -40))
        elif kind == 3 and isinstance(holder, dict):
            holder[rng.choice(("self", "x", "", "game\0", *(p[-1] for p in paths if p and isinstance(p[-1], str))))] = 1
        elif kind == 4:
            holder[key] = copy.deepcopy(at(document, rng.choice(paths)))
        else:
            holder[key] = copy.deepcopy(rng.choice(ODD))
    return document


def damage(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with a few of them altered, left out or doubled, or the end cut off."""
    spoilt = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at_ = rng.randrange(len(spoilt) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            del spoilt[at_:]
        elif kind == 1:
            del spoilt[at_ : at_ + rng.choice((1, 1, 9, 200))]
        elif kind == 2:
            spoilt[at_:at_] = spoilt[at_ : at_ + rng.choice((1, 40, 400))]
        elif kind == 3:
            spoilt[at_:at_] = rng.choice(BROKEN)[:300]
        else:
            spoilt[at_ : at_ + 1] = bytes([rng.choice((0, 9, 10, 13, 34, 48, 57, 92, 123, 125, 127, 128, 255))])
    return bytes(spoilt)


def doubled(document: Any, rng: random.Random) -> str:
    """Return a document as JSON in which one object has a key twice."""
    objects = [path for path in places(document) if isinstance(at(document, path), dict) and at(document, path)]
    chosen = at(document, rng.choice(objects))
    key = rng.choice(list(chosen))
    marker = f"doubled {rng.random()}"
    altered = {**chosen, marker: copy.deepcopy(chosen[key])}
    if chosen is document:
        text = json.dumps(altered)
    else:
        spoilt = copy.deepcopy(document)
        at(spoilt, next(path for path in places(document) if at(document, path) is chosen)).update(
            {marker: copy.deepcopy(chosen[key])}
        )
        text = json.dumps(spoilt)
    return text.replace(json.dumps(marker), json.dumps(key))
