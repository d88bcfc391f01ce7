"""The pages of a report: facts, tables and charts as HTML or as Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hawaii_env.arena import charts
from hawaii_env.texts import isolate, show

__all__ = ["Section", "Table", "as_html", "as_markdown"]


@dataclass(slots=True)
class Table:
    """A table of a report.

    Attributes:
        head: titles of the columns.
        rows: contents of the cells.
        caption: text above the table.
        text: number of columns from the left that contain text.
        folded: True if the table is shown only when opened.
    """

    head: list[str]
    rows: list[list[str]]
    caption: str = ""
    text: int = 1
    folded: bool = False


@dataclass(slots=True)
class Section:
    """A section of a report.

    Attributes:
        title: its title.
        text: its paragraphs.
        chart: file name, description and figure of its chart, or None.
        tables: its tables.
    """

    title: str
    text: list[str] = field(default_factory=list)
    chart: tuple[str, str, Any] | None = None
    tables: list[Table] = field(default_factory=list)


_MARKUP = re.compile(r"[\\`*|~$]|\](?=[(\[:])|:(?=//)|(?<=www)\.|(?<![^\W_])_|_(?![^\W_])")
"""Characters with a meaning in Markdown."""


def _shown(text: str) -> str:
    return isolate(show(" ".join(text.split())))


def as_markdown(
    title: str, facts: Sequence[tuple[str, str]], warnings: Sequence[str], sections: Sequence[Section]
) -> str:
    """Return a report as Markdown; charts stand beside it as files."""

    def cell(text: str) -> str:
        return _MARKUP.sub(r"\\\g<0>", html.escape(_shown(text), quote=False))

    def table(given: Table) -> list[str]:
        ruler = ["---" if i < given.text else "---:" for i in range(len(given.head))]
        lines = [f"{cell(given.caption)}:", ""] if given.caption else []
        return [*lines, *("| " + " | ".join(map(cell, line)) + " |" for line in [given.head, ruler, *given.rows]), ""]

    lines = [f"# {cell(title)}", "", *table(Table(["", ""], [list(fact) for fact in facts], text=2))]
    for warning in warnings:
        lines += [f"> **Note:** {cell(warning)}", ""]
    for section in sections:
        lines += [f"## {cell(section.title)}", ""]
        for text in section.text:
            lines += [cell(text), ""]
        if section.chart is not None:
            lines += [f"![{cell(section.chart[1])}]({section.chart[0]}.png)", ""]
        for given in section.tables:
            lines += table(given)
    return "\n".join(lines).rstrip() + "\n"


CSS = """
:root {
  color-scheme: light dark; --ink: #1d1f23; --soft: #5c6068; --line: #d9dbe0; --page: #ffffff; --band: #f4f5f7;
  --dot: #0072b2; --note: #fff4d6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e7ea; --soft: #a3a7b0; --line: #3a3d44; --page: #16181c; --band: #1f2227; --dot: #56b4e9;
    --note: #3a3113;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; color: var(--ink); background: var(--page);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; padding-top: .8rem; border-top: 1px solid var(--line); }
p { max-width: 44rem; margin: .5rem 0; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: 1rem 0; }
a { color: var(--dot); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.note { background: var(--note); padding: .5rem .8rem; border-radius: .3rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: .8rem 0; }
figure { margin: 1rem 0; }
figure svg { display: block; height: auto; max-width: 100%; }
figure svg text { font-family: inherit; }
figure.wide svg { max-width: none; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { padding: .22rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); vertical-align: bottom; }
th.word, td.word { text-align: left; }
td.word:first-child {
  position: sticky; left: 0; background: var(--page); max-width: 60vw; overflow: hidden; text-overflow: ellipsis;
}
tbody tr:nth-child(even), tbody tr:nth-child(even) td.word:first-child { background: var(--band); }
summary { cursor: pointer; color: var(--soft); margin: .8rem 0; }
"""


def as_html(title: str, facts: Sequence[tuple[str, str]], warnings: Sequence[str], sections: Sequence[Section]) -> str:
    """Return a report as one HTML page that holds its charts."""

    def esc(text: str) -> str:
        return html.escape(_shown(text))

    def cells(tag: str, texts: Sequence[str], words: int) -> str:
        return "".join(
            f"<{tag}{' class=word' if i < words else ''}>{esc(text)}</{tag}>" for i, text in enumerate(texts)
        )

    def table(given: Table) -> str:
        caption = f"<caption>{esc(given.caption)}</caption>" if given.caption and not given.folded else ""
        body = "\n".join(f"<tr>{cells('td', row, given.text)}</tr>" for row in given.rows)
        whole = (
            f'<div class="scroll"><table>{caption}<thead><tr>{cells("th", given.head, given.text)}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div>"
        )
        return f"<details><summary>{esc(given.caption)}</summary>{whole}</details>" if given.folded else whole

    keys = [section.title.split(",")[0].lower() for section in sections]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{esc(title)}</title>",
        f"<style>{CSS}</style></head><body>",
        f"<h1>{esc(title)}</h1>",
        "<dl>" + "".join(f"<dt>{esc(key)}</dt><dd>{esc(value)}</dd>" for key, value in facts) + "</dl>",
        *(f'<p class="note">{esc(warning)}</p>' for warning in warnings),
        "<nav>"
        + "".join(f'<a href="#{key}">{esc(section.title)}</a>' for key, section in zip(keys, sections, strict=True))
        + "</nav>"
        if sections
        else "",
    ]
    for key, section in zip(keys, sections, strict=True):
        parts.append(f'<section id="{key}"><h2>{esc(section.title)}</h2>')
        parts += [f"<p>{esc(text)}</p>" for text in section.text]
        if section.chart is not None:
            name, label, figure = section.chart
            wide = ' class="wide"' if figure.get_figwidth() > 1.5 * charts.WIDTH else ""
            parts.append(
                f'<div class="scroll"><figure{wide}>{charts.inline_svg(figure, f"chart-{name}", label)}</figure></div>'
            )
        parts += [table(given) for given in section.tables]
        parts.append("</section>")
    return "\n".join(parts) + "\n</body></html>\n"
