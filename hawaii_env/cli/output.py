"""Standard output of a command: letters that a terminal lacks are shown by others, and a disk that is full is
noticed.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import unicodedata
from collections.abc import Callable
from typing import Any, cast

__all__ = ["Output"]

INTERPRETED = {
    "–": "-",
    "—": "-",
    "ʻ": "'",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "×": "x",
    "→": "->",
    "·": "*",
    "≥": ">=",
    "≤": "<=",
}
"""What stands for letters that only Unicode has; the others lose their marks, or are question marks."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = ""
    for letter in error.object[error.start : error.end]:
        bare = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
        text += INTERPRETED.get(letter, bare or ("" if unicodedata.combining(letter) else "?"))
    return text, error.end


codecs.register_error("hawaii_env.plain", _plain)


class Output:
    """Standard output that notes whether writing it has failed, and that shows letters which its encoding lacks by
    others.

    Args:
        stream: the output.

    Attributes:
        failed: the first error of it, but for a closed pipe's.
    """

    def __init__(self, stream: Any) -> None:
        # Python has none where the descriptor was closed from the start (hawaii demo >&-).
        self._stream = cast(Any, open(os.devnull, "w") if stream is None else stream)  # noqa: SIM115
        self.failed: OSError | None = None
        encoding = str(getattr(stream, "encoding", None) or "utf-8").lower()
        if not encoding.startswith("utf") and hasattr(stream, "reconfigure"):
            self._stream.reconfigure(errors="hawaii_env.plain")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _do(self, call: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except BrokenPipeError:
            raise
        except OSError as error:
            self.failed = self.failed or error
            raise

    def write(self, text: str) -> int:
        """Write a text."""
        return self._do(self._stream.write, text)

    def flush(self) -> None:
        """Write out what is waiting."""
        self._do(self._stream.flush)

    def give_up(self) -> None:
        """Let what is written go nowhere from here on: what is waiting would fail again when the interpreter ends."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
