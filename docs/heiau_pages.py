"""Generated pages of Heiau Diplomacy: map, scenarios, actions, observation, rulings, deviations, environment, public
test cases."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from machine import load_told, told
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


def _range(share: dict[str, float]) -> str:
    return f"{share['share']:.0%} ({share['low']:.0%} to {share['high']:.0%})"


def _ladder_tables(ladder: dict[str, Any]) -> str:
    parts: list[str] = []
    for name, one in sorted(ladder.items(), key=lambda entry: entry[1]["players"]):
        rows: list[list[object]] = [
            [
                label,
                agent["games"],
                _range(agent),
                *("-" if share is None else f"{share:.0%}" for share in agent["by_power"]),
            ]
            for label, agent in sorted(one["agents"].items(), key=lambda entry: -entry[1]["share"])
        ]
        parts.append(
            f"### {one['players']} players: {name}\n\n{one['games']} games; equals would have "
            f"{1 / one['players']:.0%} each.\n\n"
            + table(
                ["agent", "seats played", "share of the victory", *(f"as {power}" for power in one["powers"])], rows
            )
        )
    return "\n".join(parts)


def _matches_table(found: dict[str, Any]) -> str:
    rows: list[list[object]] = [
        [
            f"`{one['agent']}`",
            f"`{one['others']}`",
            f"{one['scenario']} ({len(one['powers'])})",
            one["games"],
            _range(one),
            f"{1 / len(one['powers']):.0%}",
            ", ".join(f"{power} {s['share']:.0%}" for power, s in zip(one["powers"], one["by_power"], strict=True)),
            f"{one['draws']:.0%}",
        ]
        for one in sorted(found.values(), key=lambda one: (one["agent"], one["others"], len(one["powers"])))
    ]
    return table(
        ["agent", "all others", "scenario (players)", "games", "share", "of equals", "by power", "drawn"], rows
    )


def _ends(balance: dict[str, Any]) -> str:
    """What the years of victories say of the default last year."""
    years = [year for one in balance["scenarios"].values() for year in one["years"]]
    default = Game().params["last_year"]
    later = {
        name: sum(year > default for year in one["years"]) / one["games"] for name, one in balance["scenarios"].items()
    }
    much = [f"`{name}` ({share:.0%} of its games)" for name, share in later.items() if share > 0.05]
    return (
        f"Of the {len(years)} games above that somebody won within {balance['last_year']} years, "
        f"{sum(year <= default for year in years) / len(years):.1%} were won by year {default}: that is the default "
        f"`last_year`. More years would decide much more in {', '.join(much) or 'none'} alone.\n"
    )


def _balance_table(found: dict[str, Any]) -> str:
    rows: list[list[object]] = []
    for name, one in found["scenarios"].items():
        shares = "; ".join(
            f"{power} {_range(share)}" for power, share in zip(one["powers"], one["shares"], strict=True)
        )
        years = sorted(one["years"])
        at = [f"{sum(year <= last for year in years) / one['games']:.0%}" for last in (5, 10, 15, 20, 30)]
        who = one["agent"] + (", compiled" if one["compiled"] else "")
        rows.append([f"`{name}`", who, one["games"], shares, *at, f"{one['draws']:.0%}"])
    head = [
        "scenario",
        "all play as",
        "games",
        "share of each power",
        *(f"won by year {year}" for year in (5, 10, 15, 20, 30)),
        "drawn",
    ]
    return table(head, rows)


def _adjudication_table() -> str:
    """What experiments/bench_adjudication.py has measured."""
    found = json.loads(ADJUDICATION.read_text(encoding="utf-8"))
    rows: list[list[object]] = [
        [
            f"`{name}`",
            {"ready": "orders ready", "texts": "from what a player writes"}[one["comparison"]],
            f"{one['microseconds']:.1f}",
            "; ".join(f"{ratio:.1f} times {own.partition(', ')[2]}" for own, ratio in one["ratios"].items())
            if one["target"]
            else "-",
            "-" if one["target"] is None else f"{one['target']:.0f} times",
        ]
        for name, one in found["measures"].items()
    ]
    versions = " and ".join(f"`{name}` {version}" for name, version in found["versions"].items())
    missing = "".join(f" **Missing: {name}.**" for name in found["missing"])
    return (
        f"{told(found['machine'])} {load_told(found['machine'])} `python experiments/bench_adjudication.py`: "
        f"{found['phases']} movement phases of {found['units']:.1f} armies and fleets on the standard board, the same "
        f"orders for all, {found['rounds']} rounds in turn, microseconds of CPU time a phase, the least; beside "
        f"{versions}.{missing} `arrays` is `adjudicate_many`, `mappings` is `adjudicate`, both unchecked. "
        "`_resolve_moves` is a part of `process` that nobody calls alone.\n\n"
        + table(["measure", "what it does", "microseconds", "of ours", "wanted"], rows)
    )


def strength_page() -> str:
    """Ladders and balance, from what experiments/heiau_matches.py has measured; adjudication beside other libraries."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    balance = found["balance"]
    if {balance["ruleset"], found["balance-quick"]["ruleset"]} != {Ruleset.load().name}:
        raise SystemExit(f"{RESULTS} is of another map: python experiments/heiau_matches.py balance --write")
    return (
        f"{NOTE}# {TITLE}: strength, balance, adjudication\n\nShares of the victory with 95% intervals, map "
        f"`{balance['ruleset']}`. `python experiments/heiau_matches.py` measures them.\n\n## Ladders\n\n"
        "Every agent in every seat as often. "
        + AGENTS
        + "\n\n"
        + _ladder_tables(found["ladder"])
        + "\n## One among others\n\nOne agent in one seat, the other in all others, every seat as often.\n\n"
        + _matches_table(found.get("against", {}))
        + "\n## Balance\n\nAll powers play alike. In the compiled games retreats, builds and removals go by what is "
        f"near. Last year {balance['last_year']}; games that were not won by then are drawn. Ten games tell extremes "
        "only.\n\n"
        + _balance_table(balance)
        + "\n"
        + _ends(balance)
        + "\n![What each power gets, and when games end](../../experiments/results/heiau.png)\n\n"
        "### Between quick players\n\nThe same for `quick`, which is no weaker with three, five and six players (see "
        "the ladders), and fast: more games, and narrower intervals.\n\n"
        + _balance_table(found["balance-quick"])
        + "\n"
        + _ends(found["balance-quick"])
        + "\n## Adjudication beside other libraries\n\n"
        + _adjudication_table()
    )


RESULTS = Path(__file__).resolve().parent.parent / "experiments" / "results" / "heiau.json"
ADJUDICATION = Path(__file__).resolve().parent / "benchmarks" / "adjudication.json"
AGENTS = (
    "`greedy` is `heiau-greedy`, `full` `heiau-best-response` as it is shipped, `quick` the same with few samples and "
    "no orders tried at last, `sight` without playing on at all."
)


PAGES: dict[str, Callable[[], str]] = {
    "reference/heiau_environment.md": environment_page,
    "reference/heiau_map.md": map_page,
    "reference/heiau_actions.md": actions_page,
    "reference/heiau_observation.md": observation_page,
    "reference/heiau_rulings.md": rulings_page,
    "reference/heiau_datc.md": datc_page,
    "reference/heiau_deviations.md": deviations_page,
    "benchmarks/heiau.md": strength_page,
}
