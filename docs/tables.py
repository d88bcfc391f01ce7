"""Tables and figures of the generated pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOTE = "<!-- Written by docs/generate.py from code, data and committed results; do not edit. -->\n"


def table(head: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    cells = ([str(cell).replace("|", "\\|") for cell in row] for row in rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *cells))


def percent(share: float, interval: Sequence[float] | None = None, digits: int = 1) -> str:
    """Return a share as a percentage, with its interval in brackets."""
    share = round(share, 9)  # what solvers leave in the last places would decide a half
    if interval is None:
        return f"{100 * share:.{digits}f}%"
    return f"{100 * share:.{digits}f}% ({100 * interval[0]:.{digits}f} to {100 * interval[1]:.{digits}f})"
