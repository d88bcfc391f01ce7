"""Many SVG documents that differ little, in little room.

Each document is cut at its elements, down to a few levels; a piece that occurs again is kept once. A picture is then a
list of numbers, of which only what differs from the picture before is kept. The page puts them together again
(assets/page.js).
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["Frames", "cut"]

DEPTH = 2
"""How many levels of elements are cut: deeper makes more sharing and longer lists."""

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

        A frame begins with the first `head` pieces of the frame before, goes on with `numbers`, and ends with the last
        `tail` pieces of the frame before.
        """
        return {"pieces": list(self._numbers), "frames": self._changes}
