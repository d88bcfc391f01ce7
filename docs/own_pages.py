"""Reference pages that only one game has: cards, pieces and phases of *Hawaii, 1795*; the map and the public test cases
of Heiau Diplomacy; the cards of ALOHA; charts, chits and scenarios of Maori Wars.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables import NOTE, table

from hawaii_env import aloha, hawaii1795, heiau, maori_wars
from hawaii_env.aloha.pictures.names import amounts, island_name, okina
from hawaii_env.aloha.rules.names import CARDS, ISLANDS, SETS
from hawaii_env.hawaii1795.game import Game
from hawaii_env.hawaii1795.rules import names
from hawaii_env.heiau.texts import unit_text
from hawaii_env.maori_wars.pictures.names import STRUCTURE_NAMES, chit_effect, counted, kind_name

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


RECONSTRUCTED = (
    "What is not public was **reconstructed** for this project, and is not the published one; a folder with a file of "
    "the same name replaces it ([rulesets](../../rulesets.md))."
)


def maori_charts() -> str:
    """Return the charts and the kinds of unit of Maori Wars."""
    rules = maori_wars.Game().ruleset
    c, sources = rules.charts, {(v.file, v.table, v.key): v.source for v in rules.provenance}

    def source(table_: str, key: str) -> str:
        return sources["charts.toml", table_, key]

    kinds = [
        [
            one.name, f"`{kind}`", one.count if isinstance(one.count, int) else f"{one.count.maori} + "
            f"{one.count.queenite}", one.strength, one.move,
            "-" if one.cost is None else f"{one.cost.clear}, {one.cost.rough}", one.panic or "-",
            "yes" if one.bush else "no", f"{one.bonus:+}" if one.bonus else "-", one.place,
        ]
        for kind, one in rules.kinds.items()
    ]  # fmt: skip
    faces = [
        [what, ", ".join(map(str, getattr(part, key))), source(table_, key)]
        for what, table_, part, key in (
            ("Māori evade", "evasion", c.evasion, "maori"),
            ("Māori evade Rangers or Queenites", "evasion", c.evasion, "maori_hunted"),
            ("Rangers and Queenites evade", "evasion", c.evasion, "rangers_queenites"),
            ("British units with a leader evade", "evasion", c.evasion, "british_leader"),
            ("a single British unit evades", "evasion", c.evasion, "single_british"),
            ("a fort or pā takes a loss", "combat", c.combat, "absorb"),
            ("hunters meet somebody", "bush", c.bush, "hunt"),
        )
    ]  # fmt: skip
    points = [[key.replace("_", " "), value, source("points", key)] for key, value in c.points.model_dump().items()]
    results = [[name, *getattr(c.crt, name)] for name in ("lesser", "equal", "greater")]
    shelling = [[name, *getattr(c.bombardment, name)] for name in ("units", "canoe", "pa", "neutral")]
    numbers = [
        [f"{table_} {key}".replace("_", " "), value, source(table_, key)]
        for table_ in ("terrain", "combat", "panic", "rally", "alliance", "bush", "supply", "construction", "victory")
        for key, value in getattr(c, table_).model_dump().items()
        if isinstance(value, int)
    ]
    return (
        f"{NOTE}# Maori Wars: charts and units\n\nRuleset `{rules.name}`. {RECONSTRUCTED}\n\n## Combat Results "
        "Table\n\nColumns by the comparison of strengths are printed [9.0]; the results are reconstructed. D one unit "
        "Disrupted, A all, R all retreat, E one lost, ER one lost and the others retreat, EE two.\n\n"
        + table(["strength", *"012345678"], results)
        + "\n## Bombardment\n\nBy the die, after modifiers [9.0].\n\n"
        + table(["target", *"123456"], shelling)
        + "\n## Alliance\n\nBy the modified die [8.0]; `own`: the neutral people join who talks to them.\n\n"
        + table([*"1234567"], [c.alliance.result])
        + "\n## Faces of dice\n\n"
        + table(["what", "faces", "source"], faces)
        + "\n## Points to the other player\n\n"
        + table(["for", "points", "source"], points)
        + "\n## Other numbers\n\n"
        + table(["what", "number", "source"], numbers)
        + "\n## Units\n\nCounters, movement points and costs are reconstructed, all else is printed [3.0] or a "
        "ruling.\n\n"
        + table(["unit", "id", "counters", "strength", "points", "cost of clear, rough", "panic up to", "bush", "raid",
            "arrives"], kinds)
        + "\n## Leaders\n\nAll have 4 movement points.\n\n"
        + table(
            ["leader", "id", "leads", "at home in the bush"],
            (
                [one.name, f"`{name}`", one.category + ", Rangers" * one.rangers, "yes" if one.bush else "no"]
                for name, one in rules.leaders.items()
            ),
        )
    )  # fmt: skip


def maori_chits() -> str:
    """Return the forty Battle Dispatch chits of Maori Wars."""
    rules = maori_wars.Game().ruleset
    without = {chit.n: [name for name, one in rules.scenarios.items() if chit.n in one.remove] for chit in rules.chits}
    return (
        f"{NOTE}# Maori Wars: Battle Dispatch chits\n\nThe rulebook names chits up to number 40, two titles, and that "
        f"some have an asterisk [9.0] (R-36). All else is reconstructed. {RECONSTRUCTED}\n\n"
        + table(
            ["no.", "title", "what it does", "once", "not in"],
            (
                [chit.n, chit.title, chit_effect(rules, chit), "yes" if chit.once else "",
                 ", ".join(f"`{name}`" for name in without[chit.n]) or ""]
                for chit in rules.chits
            ),
        )
    )  # fmt: skip


def maori_scenarios() -> str:
    """Return the scenarios of Maori Wars with their set-ups."""
    rules = maori_wars.Game().ruleset
    sources = {(v.table, v.key): v.source for v in rules.provenance if v.file == "scenarios.toml"}

    def pieces(line: Any) -> str:
        said = [STRUCTURE_NAMES[line.structure]] if getattr(line, "structure", None) else []
        said += [counted(rules, kind, n) for kind, n in line.units.items()]
        said += [counted(rules, "neutral", line.neutral)] if getattr(line, "neutral", 0) else []
        return ", ".join([*said, *(kind_name(rules, leader) for leader in line.leaders)])

    def scenario(name: str) -> str:
        one = rules.scenarios[name]
        printed = [
            key for (where, key), source in sources.items() if where == f"scenarios.{name}" and "printed" in source
        ]
        area = [rules.board.map.territories[each].name for each in one.theatre]
        designated = [rules.board.map.territories[each].name for each in one.designated]
        boxes = "; ".join(
            f"{owner}: {', '.join(counted(rules, kind, n) for kind, n in box.items()) or 'nothing'}"
            for owner, box in one.box.items()
        )
        rows = [
            ["turns", f"{one.turns}, from {one.first}"], ["theatre", ", ".join(area)],
            ["designated", ", ".join(designated)], ["hexes", rules.theatre(name).n],
            ["chits", len(rules.chits_of(name))], ["boxes", boxes],
            ["from the box a turn", f"Māori {one.per_turn.maori}, British {one.per_turn.british}"],
            ["forts", one.fort_limit if one.fort_limit < 99 else "as many as there are"],
            ["sap", "yes" if one.sap else "no"],
            ["shipment", f"turn {one.shipment.turn}, from {one.shipment.from_}, up to {one.shipment.units} units"
                if one.shipment else "-"],
            ["arrivals", "; ".join(f"turn {each.turn}, {each.at}: {pieces(each)}" for each in one.arrivals) or "-"],
            ["printed of it", ", ".join(printed) or "nothing"],
        ]  # fmt: skip
        return (
            f"\n## `{name}`: {one.name}\n\n{table(['', ''], rows)}\n"
            + table(["hex", "place", "pieces"], (
                [line.at, rules.board.hex_name(line.at) if rules.board.hex_name(line.at) != line.at else "-",
                 pieces(line) or "-"]
                for line in one.setup
            ))
        )  # fmt: skip

    return (
        f"{NOTE}# Maori Wars: scenarios\n\nThe rulebook's public text breaks off in the first scenario [14.0]. "
        f"{RECONSTRUCTED} [How to write one](../../maori_wars.md#data-of-your-own).\n"
        + "".join(scenario(name) for name in rules.scenarios)
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/hawaii1795/cards.md": hawaii1795_cards,
    "reference/hawaii1795/pieces.md": hawaii1795_pieces,
    "reference/hawaii1795/phases.md": hawaii1795_phases,
    "reference/heiau/map.md": heiau_map,
    "reference/heiau/datc.md": heiau_datc,
    "reference/aloha/cards.md": aloha_cards,
    "reference/maori_wars/charts.md": maori_charts,
    "reference/maori_wars/chits.md": maori_chits,
    "reference/maori_wars/scenarios.md": maori_scenarios,
}
