"""Generated pages of Heiau Diplomacy: map, scenarios, actions, observation, rulings, deviations, environment, public
test cases."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

from page_parts import NOTE, action_tables, deviations_opening, docstring, form_part, rulings_text, table

from hawaii_env import heiau_v0
from hawaii_env.heiau import Game
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.heiau.texts import unit_text

__all__ = ["PAGES"]

TITLE = "Heiau Diplomacy"
CATALOGUE = Path(__file__).parents[1] / "tests" / "heiau" / "datc.toml"


def map_page() -> str:
    """Spaces with their borders, and the scenarios."""
    rules = Ruleset.load()
    board = rules.board

    def listed(places: list[int], names: tuple[str, ...]) -> str:
        return " ".join(f"`{names[i]}`" for i in places) or "-"

    rows: list[list[object]] = []
    for index, space in enumerate(rules.spaces):
        land = [s for s in range(len(board.spaces)) if board.land[index] >> s & 1]
        water = []
        for place in board.standing(index):
            coast = board.places[place].partition("/")[2]
            found = listed([p for p in range(len(board.places)) if board.water[place] >> p & 1], board.places)
            water.append(f"coast {coast}: {found}" if coast else found)
        kind = "ocean" if board.oceans >> index & 1 else space.kind
        rows.append(
            [
                f"`{space.id}`",
                space.name,
                space.abbr,
                kind,
                "yes" if space.heiau else "-",
                listed(land, board.spaces),
                "; ".join(water),
                "printed" if space.id in rules.printed else "reconstructed",
            ]
        )
    starts: list[list[object]] = []
    for scenario in rules.scenarios.values():
        powers = "; ".join(
            f"{power.id}: {', '.join(unit_text(board, unit) for unit in power.units) or 'by ballot'}"
            for power in scenario.powers
        )
        starts.append([f"`{scenario.id}`", len(scenario.powers), powers])
    return (
        f"{NOTE}# {TITLE}: map and scenarios\n\nSet `{rules.name}`. The printed map is not public. Where the last "
        "column says printed, the name is the rulebook's; **all borders, kinds and heiaus are reconstructed**, and "
        f"are not the published ones. A folder with a `map.toml` of its own replaces them.\n\n{len(rules.spaces)} "
        f"spaces, {sum(space.heiau for space in rules.spaces)} heiaus; {rules.victory} win.\n\n"
        + table(["id", "name", "abbreviation", "kind", "heiau", "by land", "by water", "name is"], rows)
        + "\n## Scenarios\n\nAs printed: `B` boat bunch, `F` fleet.\n\n"
        + table(["scenario", "players", "powers and units at the start"], starts)
    )


def actions_page() -> str:
    """The action table."""
    codec = Game().options.actions.codec
    return (
        f"{NOTE}# {TITLE}: the action table\n\n{codec.size} in all, flat, the same in all scenarios. SHA-256 of the "
        f"texts: `{codec.hash}`.\n\n" + action_tables(codec, codec.texts)
    )


def observation_page() -> str:
    """The observation's parts."""
    game = Game()
    rows: list[list[object]] = []
    for part in game.observation_parts:
        top, what = game.layout.meanings[part.name]
        low = -top if part.name == "need" else 0
        rows.append(
            [game.layout.at[part.name], " x ".join(map(str, part.shape)), f"`{part.name}`", f"{low} - {top}", what]
        )
    return (
        f"{NOTE}# {TITLE}: the observation\n\n{game.observation_size} values, in named parts; "
        "`game.split_observation(vector)` gives them by name. Raw values are int8; the float32 observation is the raw "
        "value divided by its greatest. Powers stand in six slots: the observer first, then the others in index order "
        "from it on. Spaces and places are numbered from 1; 0 is none. What others have entered, and starts that are "
        "hidden, are not in it.\n\n" + table(["offset", "shape", "part", "raw values", "meaning"], rows)
    )


def rulings_page() -> str:
    """Rulings."""
    return (
        f"{NOTE}# {TITLE}: rulings\n\nWhere the rulebook is silent or ambiguous, one reading was chosen. Where it is "
        "silent on what standard Diplomacy settles, standard Diplomacy holds.\n\n"
        + rulings_text(Ruleset.rulings(), "heiau-")
    )


FORM = (
    ("orders", "each player writes all orders at once", "unit by unit, a support or convoy in two steps; on the page "
        "all at once", "Background"),
    ("a unit without an order", "holds", "must be given one; on the page it holds", "Background"),
    ("who goes by convoy", "the order names the fleets' orders", "the order `via` says so (R-08)", "Convoys"),
    ("talk", "before each turn", "none; what people say to one another is not the program's", "Background"),
    ("minutes", "limits for each turn", "none", "Calendar limits"),
    ("draws", "by agreement", "after the last year (R-23)", "Background"),
)  # fmt: skip


def deviations_page() -> str:
    """This engine beside the printed game."""
    rules = Ruleset.load()
    counts: list[list[object]] = [
        ["names of spaces", len(rules.printed), len(rules.spaces) - len(rules.printed)],
        ["borders and kinds of spaces", 0, len(rules.spaces)],
        ["heiaus", 0, sum(space.heiau for space in rules.spaces)],
        ["scenarios with their starts", len(rules.scenarios), 0],
    ]
    title, words = f"{TITLE}: this engine and the printed game", ("heading", "question", "question")
    anew = "the printed map, which is not public, was drawn anew"
    return (
        deviations_opening(title, Ruleset.rulings(), "heiau_rulings.md#heiau-", words, anew)
        + f"\n## What is reconstructed\n\nMap `{rules.name}`. What is reconstructed is **not the published map**: [all "
        'of it](heiau_map.md). A folder with files of the same names replaces it, `Game(rules="folder")`. Which '
        "islands the printed starts are on is R-03, how many heiaus there are and where R-04.\n\n"
        + table(["about", "printed", "reconstructed"], counts)
        + "\n"
        + form_part("heading", FORM)
    )


def environment_page() -> str:
    """The environment's page: its module's docstring."""
    rows: list[list[object]] = []
    for scenario in Ruleset.load().scenarios:
        game = Game(scenario=scenario)
        rows.append([f"`{scenario}`", ", ".join(f"`{agent}`" for agent in game.agents), f"{game.max_decisions:,}"])
    return (
        f"{NOTE}# The environment `heiau_v0`\n\nThe docstring of the module `hawaii_env.heiau_v0`.\n\n"
        + docstring(heiau_v0)
        + "\n\n## Agents by scenario\n\n"
        + table(["scenario", "agents", "most decisions before a game is truncated"], rows)
    )


def datc_page() -> str:
    """Every case of the public catalogue of test cases for adjudicators."""
    catalogue = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    changed, absent = catalogue["changed"], catalogue["absent"]
    numbers = [f"{part}.{n}" for part, (count, _) in catalogue["parts"].items() for n in range(1, count + 1)]
    counts = {
        "unchanged": len(numbers) - len(changed) - len(absent), "changed": len(changed), "absent": len(absent),
    }  # fmt: skip
    parts: list[str] = []
    for part, (count, what) in catalogue["parts"].items():
        rows: list[list[object]] = []
        for number in (f"{part}.{n}" for n in range(1, count + 1)):
            status = "changed" if number in changed else "not applicable" if number in absent else "unchanged"
            rows.append([number, status, changed.get(number) or absent.get(number, "")])
        parts.append(f"## {part}: {what}\n\n" + table(["case", "result", "why it is not as there"], rows))
    return (
        f"{NOTE}# {TITLE}: the public test cases\n\nThe catalogue of L.B. Kruijswijk (DATC), edition "
        f"{catalogue['edition']}, on the standard board: {counts['unchanged']} of {len(numbers)} cases are unchanged "
        f"(orders that a case calls impossible cannot be entered, its unit holds; intent to convoy is `via`, R-08; "
        f"paradoxes end by Szykman's rule, R-14), {counts['changed']} have another result because a rule is another, "
        f"{counts['absent']} cannot arise. Each unchanged and changed one is tested by its number, in "
        "`tests/heiau/test_datc.py` and `test_datc_retreats.py`.\n\n" + "\n".join(parts)
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/heiau_environment.md": environment_page,
    "reference/heiau_map.md": map_page,
    "reference/heiau_actions.md": actions_page,
    "reference/heiau_observation.md": observation_page,
    "reference/heiau_rulings.md": rulings_page,
    "reference/heiau_datc.md": datc_page,
    "reference/heiau_deviations.md": deviations_page,
}
