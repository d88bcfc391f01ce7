"""Reference pages that only one game has: cards, pieces and phases of *Hawaii, 1795*; the map and the public test cases
of Heiau Diplomacy; the cards of ALOHA.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables import NOTE, table

from hawaii_env import aloha, hawaii1795, heiau
from hawaii_env.aloha.pictures.names import amounts, island_name, okina
from hawaii_env.aloha.rules.names import CARDS, ISLANDS, SETS
from hawaii_env.hawaii1795.game import Game
from hawaii_env.hawaii1795.rules import names
from hawaii_env.heiau.texts import unit_text

__all__ = ["PAGES"]

CATALOGUE = Path(__file__).parents[1] / "tests" / "heiau" / "datc.toml"


def hawaii1795_cards() -> str:
    """Return the eighteen cards of *Hawaii, 1795*."""
    rules = hawaii1795.Game().ruleset
    head = ["no.", "title", "id", "recruits", "of these only once", "fleet moves", "event", "in our words"]

    def row(side: str, number: int) -> list[object]:
        card = rules.card(side, number)
        window = getattr(card.event, "window", None)
        return [
            number, card.title, f"`{rules.card_id(side, number)}`",
            ", ".join(f"{n} {kind}" if n > 1 else str(kind) for kind, n in card.recruit.items()),
            ", ".join(card.recruit_once) or "-", card.fleets,
            (card.event.timing + (f" ({window})" if window else "")) if card.event else "-", card.text,
        ]  # fmt: skip

    return (
        f"{NOTE}# Hawaii, 1795: cards\n\nThe texts and numbers of the printed cards are not public. These were "
        "**reconstructed** for this project, except for what the rulebook says of them (nine a side, cards 1 and 2 "
        "with "
        "cannon, pike and warriors, the names of some events). [How to enter the printed ones](../../rulesets.md).\n\n"
        + "\n".join(
            f"## {rules.side_name(side)}\n\n" + table(head, (row(side, number) for number in range(1, 10)))
            for side in ("kamehameha", "allied")
        )
    )


def hawaii1795_pieces() -> str:
    """Return the forty pieces of *Hawaii, 1795*."""
    tables = hawaii1795.Game().tables
    flags = ("leader", "elite", "plus", "gun", "pike", "warrior", "canoe")
    rows: list[list[object]] = []
    for kind, name in enumerate(names.KIND_NAMES):
        piece = int(tables.first[kind])
        homes = [space for s, space in enumerate(names.SPACES) if int(tables.home[piece]) >> s & 1]
        rows.append(
            [
                (*names.SIDES, "kauai")[int(tables.side[piece])], name, int(tables.count[kind]),
                int(tables.strength[piece]) or "-", ", ".join(n for n in flags if getattr(tables, n)[piece]) or "-",
                ", ".join(homes) or "-",
            ]
        )  # fmt: skip
    return (
        f"{NOTE}# Hawaii, 1795: pieces\n\n39 pieces and the earthworks marker: forty [1.0]. `hawaii rules` says of "
        "each "
        "number whether it is printed, a ruling or reconstructed.\n\n"
        + table(["side", "kind", "number", "strength", "flags", "home"], rows)
    )


def hawaii1795_phases() -> str:
    """Return the phases of *Hawaii, 1795*."""
    ends = {"decision": names.LAST_DECISION, "chance": names.LAST_CHANCE, "-": len(names.PHASES)}
    return f'{NOTE}# Hawaii, 1795: phases\n\n`state.phase`, and `info["phase"]` if texts are asked for.\n\n' + table(
        ["phase", "who decides", "sections"],
        (
            [f"`{phase}`", next(who for who, last in ends.items() if index <= last), f"[{Game.sections[phase]}]"]
            for index, phase in enumerate(names.PHASES)
        ),
    )


def heiau_map() -> str:
    """Return the spaces of Heiau Diplomacy with their borders, and the scenarios."""
    rules = heiau.Game().ruleset
    board = rules.board

    def listed(bits: int, ids: Any) -> str:
        return " ".join(f"`{name}`" for i, name in enumerate(ids) if bits >> i & 1) or "-"

    def by_water(place: int) -> str:
        coast = board.places[place].partition("/")[2]
        return (f"coast {coast}: " if coast else "") + listed(board.water[place], board.places)

    return (
        f"{NOTE}# Heiau Diplomacy: map and scenarios\n\nSet `{rules.name}`. The printed map is not public. If the last "
        "column says printed, the name is the rulebook's; **all borders, kinds and heiaus are reconstructed**, and "
        "are not "
        f"the published ones. A folder with a `map.toml` of its own replaces them.\n\n{len(rules.spaces)} spaces, "
        f"{sum(space.heiau for space in rules.spaces)} heiaus; {rules.victory} win.\n\n"
        + table(
            ["id", "name", "abbreviation", "kind", "heiau", "by land", "by water", "name is"],
            (
                [
                    f"`{space.id}`", space.name, space.abbr, "ocean" if board.oceans >> i & 1 else space.kind,
                    "yes" if space.heiau else "-", listed(board.land[i], board.spaces),
                    "; ".join(map(by_water, board.standing(i))),
                    "printed" if space.id in rules.printed else "reconstructed",
                ]
                for i, space in enumerate(rules.spaces)
            ),
        )
        + "\n## Scenarios\n\nAs printed: `B` boat bunch, `F` fleet.\n\n"
        + table(
            ["scenario", "players", "powers and units at the start"],
            (
                [
                    f"`{one.id}`", len(one.powers),
                    "; ".join(
                        f"{power.id}: {', '.join(unit_text(board, unit) for unit in power.units) or 'by ballot'}"
                        for power in one.powers
                    ),
                ]
                for one in rules.scenarios.values()
            ),
        )
    )  # fmt: skip


def heiau_datc() -> str:
    """Return every case of the public catalogue of test cases for adjudicators."""
    catalogue = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    changed, absent = catalogue["changed"], catalogue["absent"]
    status = dict.fromkeys(absent, "not applicable") | dict.fromkeys(changed, "changed")
    total = sum(count for count, _ in catalogue["parts"].values())
    return (
        f"{NOTE}# Heiau Diplomacy: the public test cases (DATC)\n\nThe catalogue of L.B. Kruijswijk, edition "
        f"{catalogue['edition']}, on the standard board: {total - len(status)} of {total} cases are unchanged (orders "
        "that "
        "a case calls impossible cannot be entered, its unit holds; intent to convoy is `via`, R-08; paradoxes end by "
        f"Szykman's rule, R-14), {len(changed)} have another result because a rule differs, {len(absent)} cannot "
        "arise. "
        "Each unchanged and changed one is tested by its number, in `tests/heiau/test_datc.py` and "
        "`test_datc_retreats.py`.\n\n"
        + "\n".join(
            f"## {part}: {what}\n\n"
            + table(
                ["case", "result", "why it differs"],
                (
                    [case, status.get(case, "unchanged"), {**absent, **changed}.get(case, "")]
                    for case in (f"{part}.{n}" for n in range(1, count + 1))
                ),
            )
            for part, (count, what) in catalogue["parts"].items()
        )
    )


def aloha_cards() -> str:
    """Return the event cards and Royal Family cards of ALOHA, its islands and its scoring chart."""
    rules = aloha.Game().ruleset
    kinds = {"event": "ordinary", "calamity": "calamity", "calamity_opponents": "calamity on opponents"}
    score, islands = rules.scoring, [(name, getattr(rules.board.islands, name)) for name in ISLANDS]
    chapters = {name: getattr(score, name) for name in ("chapter_1", "chapter_2", "chapter_3")}
    per = score.epilogue.tokens_for_a_point
    return (
        f"{NOTE}# ALOHA: cards and numbers\n\nRuleset `{rules.name}`. **The event cards, all votes, and the chart of "
        "the "
        "chapters are reconstructed**: they were designed for this project, and are not the published ones. A folder "
        "with "
        "a file of the same name replaces them.\n"
        + "".join(
            f"\n## {stage}\n\n"
            + table(
                ["no.", "card", "kind", "islands", "receives", "pays", "what happened"],
                (
                    [
                        number, okina(card.title), kinds[card.kind],
                        ", ".join(island_name(rules, island) for island in card.islands),
                        amounts(card.receives) or "-", amounts(card.pays) or "-", okina(card.text),
                    ]
                    for number, card in sorted(chapter.items())
                ),
            )
            for stage, chapter in zip(("Chapter I", "Chapter II", "Chapter III"), rules.chapters, strict=True)
        )
        + f"\n## Royal Family cards\n\n{len(CARDS)} cards. Titles are printed, votes reconstructed.\n\n"
        + table(
            ["set", "monarch", "votes", "five island cards", "votes each"],
            (
                [name, okina(cards.monarch.title), cards.monarch.votes, f"{okina(cards.island.title)} ...",
                 cards.island.votes]
                for name, cards in ((name, getattr(rules.royal, name)) for name in SETS)
            ),
        )
        + "\n## What an Action takes\n\n"
        + table(
            ["island", "Chapters I and II", "Chapter III"],
            (
                [island_name(rules, name), amounts(island.take), amounts(island.take_chapter_3 or island.take)]
                for name, island in islands
            ),
        )
        + f"\n## Scoring\n\nPrinted: King Kamehameha I {score.prologue.monarch}, each chief {score.prologue.island}; "
        f"Governor {score.epilogue.governor}, each Island Representative {score.epilogue.island}. Reconstructed: "
        "monarchs "
        f"of Chapters I and II {score.chapter_1.monarch} and {score.chapter_2.monarch}, their island cards "
        f"{score.chapter_1.island} and {score.chapter_2.island}; at the end a point for {per.hawaiian} Pure Hawaiian "
        "tokens, "
        f"{per.commerce} Commerce, {per.aloha} Aloha; and points for first, second ... place in a resource:\n\n"
        + table(
            ["resource", "stage", "2 players", "3 players", "4 players"],
            (
                [resource, stage, *(", ".join(map(str, row)) for row in getattr(chapter.majority, resource))]
                for resource in ("hawaiian", "commerce", "aloha")
                for stage, chapter in chapters.items()
            ),
        )
    )  # fmt: skip


PAGES: dict[str, Callable[[], str]] = {
    "reference/hawaii1795/cards.md": hawaii1795_cards,
    "reference/hawaii1795/pieces.md": hawaii1795_pieces,
    "reference/hawaii1795/phases.md": hawaii1795_phases,
    "reference/heiau/map.md": heiau_map,
    "reference/heiau/datc.md": heiau_datc,
    "reference/aloha/cards.md": aloha_cards,
}
