"""Write the generated pages of docs/reference from code and data; `--check` only says which are stale.

python docs/generate.py
"""

from __future__ import annotations

import argparse
import sys
from itertools import groupby
from pathlib import Path

from hawaii_env.hawaii1795 import Game, actions, names, observation
from hawaii_env.hawaii1795.play import PHASE_RULES
from hawaii_env.hawaii1795.ruleset import load_ruleset, load_rulings

FOLDER = Path(__file__).resolve().parent / "reference"
NOTE = "<!-- Written by docs/generate.py from code and data; do not edit. -->\n"


def table(head: list[str], rows: list[list[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def actions_page() -> str:
    """The action table."""
    game = Game()
    rows: list[list[object]] = []
    entries = list(enumerate(actions.structure()))
    for verb, group in groupby(entries, key=lambda entry: (entry[1][0], len(entry[1]), "/" in " ".join(entry[1][1:2]))):
        members = list(group)
        first, last = members[0][0], members[-1][0]
        rows.append(
            [
                f"{first}" if first == last else f"{first} - {last}",
                verb[0],
                len(members),
                f"`{game.texts[first]}`",
                f"`{game.texts[last]}`",
            ]
        )
    every = [[index, f"`{text}`"] for index, text in enumerate(game.texts)]
    return (
        f"{NOTE}# The action table\n\n{actions.N_ACTIONS} actions, flat. Its SHA-256 is `{actions.table_hash()}`; "
        "a ruleset never changes it.\n\n"
        "One index stands for all interchangeable pieces of a kind. Where pieces of one kind differ in condition, the freshest "
        "take the plain action and the others the one with their marks; a canoe goes by its kind only where kinds would "
        "collide. `play` names the card by its id in the shipped ruleset.\n\n"
        + table(["index", "verb", "actions", "first", "last"], rows)
        + "\n## All of them\n\n"
        + table(["index", "text"], every)
    )


def observation_page() -> str:
    """The observation layout."""
    rows: list[list[object]] = [
        [p.offset, p.size, f"`{p.name}`", f"0 - {p.high}", p.unit, p.what] for p in observation.PARTS
    ]
    return (
        f"{NOTE}# The observation\n\n{observation.SIZE} values. Raw values are int8; the float32 observation is the raw value "
        "divided by the unit. Nothing about hands is hidden in this game: both players see the whole position, and neither "
        "sees the generators.\n\n" + table(["offset", "size", "part", "raw values", "unit", "meaning"], rows)
    )


def cards_page() -> str:
    """The eighteen cards."""
    ruleset = load_ruleset()
    parts: list[str] = []
    for side in ("kamehameha", "allied"):
        rows: list[list[object]] = []
        for number in range(1, 10):
            card = ruleset.card(side, number)
            recruit = ", ".join(f"{n} {kind}" if n > 1 else str(kind) for kind, n in card.recruit.items())
            once = ", ".join(card.recruit_once)
            event = card.event
            when = (
                "-"
                if event is None
                else event.timing + (f" ({event.window})" if getattr(event, "window", None) else "")
            )
            rows.append(
                [
                    number,
                    card.title,
                    f"`{ruleset.card_id(side, number)}`",
                    recruit,
                    once or "-",
                    card.fleets,
                    when,
                    card.text,
                ]
            )
        head = ["no.", "title", "id", "recruits", "of these only once", "fleet moves", "event", "in our words"]
        parts.append(f"## {ruleset.side_name(side)}\n\n" + table(head, rows))
    return (
        f"{NOTE}# Cards\n\nThe texts and numbers of the printed cards are not public: these were **reconstructed** for this project, but for "
        "what the rulebook says of them (nine a side, cards 1 and 2 with cannon, pike and warriors, the names of some events). "
        "[How to enter the printed ones](../rulesets.md).\n\n" + "\n".join(parts)
    )


def pieces_page() -> str:
    """The forty pieces."""
    ruleset = load_ruleset()
    tables = ruleset.tables("long")[0]
    rows: list[list[object]] = []
    for kind in range(names.N_KINDS):
        piece = int(tables["first"][kind])
        flags = [n for n in ("leader", "elite", "plus", "gun", "pike", "warrior", "canoe") if tables[n][piece]]
        homes = [names.SPACES[s] for s in range(names.N_SPACES) if int(tables["home"][piece]) >> s & 1]
        rows.append(
            [
                names.SIDES[int(tables["side"][piece])] if tables["side"][piece] < 2 else "kauai",
                names.KIND_NAMES[kind],
                int(tables["count"][kind]),
                int(tables["strength"][piece]) or "-",
                ", ".join(flags) or "-",
                ", ".join(homes) or "-",
            ]
        )
    return (
        f"{NOTE}# Pieces\n\n39 pieces and the earthworks marker: forty [1.0]. `hawaii rules` says of each number whether it is printed, a "
        "ruling or reconstructed.\n\n" + table(["side", "kind", "number", "strength", "flags", "home"], rows)
    )


def rulings_page() -> str:
    """Rulings."""
    parts = [
        f"## {r.id}: {r.title}\n\n[{', '.join(r.sections)}] {r.question}\n\n"
        + "".join(f"- {reading}\n" for reading in r.readings)
        + f"\n**Chosen:** {r.choice}\n\n*Why:* {r.reason}\n\n*Test:* `{r.test}`\n"
        for r in load_rulings()
    ]
    return (
        f"{NOTE}# Rulings\n\nWhere the rulebook is silent or contradicts itself, one reading was chosen.\n\n"
        + "\n".join(parts)
    )


def phases_page() -> str:
    """Phases."""
    rows: list[list[object]] = []
    for index, phase in enumerate(names.PHASES):
        who = "decision" if index <= names.LAST_DECISION else "chance" if index <= names.LAST_CHANCE else "-"
        rows.append([f"`{phase}`", who, PHASE_RULES[phase]])
    return f'{NOTE}# Phases\n\nWhat `state.phase` and `info["phase"]` say.\n\n' + table(
        ["phase", "who", "sections"], rows
    )


PAGES = {
    "actions.md": actions_page,
    "observation.md": observation_page,
    "cards.md": cards_page,
    "pieces.md": pieces_page,
    "rulings.md": rulings_page,
    "phases.md": phases_page,
}


def stale() -> list[str]:
    """Names of the pages that differ from what would be written."""
    found: list[str] = []
    for name, page in PAGES.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != page():
            found.append(name)
    return found


def main() -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say which pages are stale")
    if parser.parse_args().check:
        names_ = stale()
        print("stale: " + ", ".join(names_) if names_ else "all pages are fresh")
        return 1 if names_ else 0
    FOLDER.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/reference/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
