"""What the generated pages of all games share: the note at their head, tables, and the parts of pages on actions,
environments, rulings and deviations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from hawaii_env import games
from hawaii_env.env.entries import SETTINGS
from hawaii_env.rulesets import Ruling


def note(source: str = "code and data") -> str:
    """The line that opens a generated page; `source` is what it is made from."""
    return f"<!-- Written by docs/generate.py from {source}; do not edit. -->\n"


NOTE = note()


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def action_tables(codec: Any, texts: Sequence[str], count: str = "how many") -> str:
    """The families of an action codec, then all its actions.

    Args:
        codec: as `hawaii_env.actions.Codec`.
        texts: the action's texts, which a game may have otherwise than its codec.
        count: what the column of their number is called.
    """
    families: list[list[object]] = []
    for first, last, family, *_ in codec.rows():
        numbers = f"{first}" if first == last else f"{first} - {last}"
        families.append([numbers, family.verb, family.size, f"`{texts[first]}`", f"`{texts[last]}`", family.when])
    every = [[index, f"`{text}`"] for index, text in enumerate(texts)]
    return (
        table(["index", "verb", count, "first", "last", "when"], families)
        + "\n## All of them\n\n"
        + table(["index", "text"], every)
    )


def docstring(module: Any) -> str:
    """The docstring of an environment's module, which is Markdown, with the arguments of `env` before the history."""
    head, history, versions = (inspect.getdoc(module) or "").partition("## Version History")
    spec = next(spec for spec in games.house() if module.__name__ in spec.environments.values())
    meanings = {option.name: option.meaning for option in spec.options} | SETTINGS
    rows = [
        [f"`{name}`", f"`{one.default!r}`", meanings[name].rstrip(".")]
        for name, one in inspect.signature(module.env).parameters.items()
    ]
    arguments = table(["argument of `env`", "default", "meaning"], rows)
    return f"{head}## Arguments\n\n{arguments}\n{history}{versions}"


def rulings_text(rulings: Sequence[Ruling], prefix: str = "", chosen: str = "Chosen") -> str:
    """All rulings, for their page: what is open, how it may be read, what is played, why, and which test holds it.

    Args:
        rulings: the rulings.
        prefix: what stands before an id in its anchor, as ``"heiau-"``.
        chosen: the word before the reading that was taken.
    """
    return "\n".join(
        f'<a id="{prefix}{r.id.lower()}"></a>\n\n## {r.id}'
        + (f": {r.title}" if r.title else "")
        + f"\n\n[{', '.join(r.sections)}] {r.question}\n\n"
        + "".join(f"- {reading}\n" for reading in r.readings)
        + ("\n" if r.readings else "")
        + f"**{chosen}:** {r.choice}\n\n*Why:* {r.reason}\n\n"
        + (f"*Another reading is played with the option* `{r.option}`.\n\n" if r.option else "")
        + f"*Test:* `{r.test}`\n"
        for r in rulings
    )


def deviations_opening(
    title: str, rulings: Sequence[Ruling], page: str, words: tuple[str, str, str],
    anew: str = "what only the printed components say was designed anew", more: str = "",
    clean: Callable[[str], str] = str,
) -> str:  # fmt: skip
    """How a page on deviations opens: the three ways in which a game here differs, and the readings chosen.

    Args:
        title: the page's.
        rulings: the rulings.
        page: the page of the rulings with what stands before an id in its anchor, as ``"rulings.md#"``.
        words: what the rulebook's parts are called, what is said of a ruling, and the key that says it.
        anew: what was made anew.
        more: a paragraph before the table.
        clean: put to the texts.
    """
    parts, about, key = words

    def line(text: str) -> str:
        return clean(" ".join(text.split()))

    rows = [
        [
            f"[{r.id}]({page}{r.id.lower()})",
            ", ".join(r.sections),
            line(getattr(r, key)),
            line(r.choice),
            f"option `{r.option}`" if r.option else "-",
        ]
        for r in rulings
    ]
    return (
        f"{NOTE}# {title}\n\nWhat is played here and what stands on the table differ in three ways: where the rulebook "
        f"leaves a question open, one reading was chosen; {anew}; and a program asks in another form than a rulebook "
        f"does.\n\n## Readings that were chosen\n\n{more}"
        + table(["ruling", parts, about, "played here", "otherwise playable by"], rows)
    )


def sources_table(found: Sequence[tuple[str, str]]) -> str:
    """How many values of each file are printed, by a ruling and reconstructed.

    Args:
        found: of each value its file and where it comes from, as ``"ruling R-03"``.
    """
    kinds = ("printed", "ruling", "reconstructed")
    pairs = [(file, source.split()[0]) for file, source in found]
    rows: list[list[object]] = [
        [f"`{file}`", *(pairs.count((file, kind)) for kind in kinds)] for file in dict.fromkeys(f for f, _ in pairs)
    ]
    rows.append(["all", *(sum(kind == one for _, kind in pairs) for one in kinds)])
    return table(["file", *kinds], rows)


def form_part(parts: str, rows: Sequence[Sequence[object]]) -> str:
    """Where a game here differs from the table in form: subject, at the table, here, part of the rulebook."""
    return "## In form, not in rule\n\n" + table(["about", "at the table", "here", parts], rows)
