"""The generated page on ALOHA's agents and balance, from the results that are committed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_parts import note, table

from hawaii_env.aloha import Game
from hawaii_env.aloha.pictures.names import island_name
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.aloha.ruleset import Ruleset

__all__ = ["PAGES"]

FOLDER = Path(__file__).resolve().parent / "benchmarks"
ORDINALS = ("first", "second", "third", "fourth")


def _read(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def _percent(share: float, interval: list[float] | None = None) -> str:
    if interval is None:
        return f"{100 * share:.1f}%"
    return f"{100 * share:.1f}% ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"


def _levels(found: list[dict[str, Any]]) -> str:
    """The levels of the page, each against the one below it."""
    rows: list[list[object]] = [
        [
            f"{row['level']} {row['name']}",
            f"`{row['agent']}`",
            row["below"],
            row["games"],
            _percent(row["share"], row["interval"]),
        ]
        for row in found
    ]
    return "\nThe levels of `hawaii serve --game aloha`, two players:\n\n" + table(
        ["level", "agent", "against", "games", "share"], rows
    )


def strength_part() -> str:
    """Matches of one agent against others of one kind, and ladders."""
    data = _read("aloha-strength.json")
    rows: list[list[object]] = [
        [
            f"`{row['agent']}`",
            f"{row['players'] - 1} x `{row['against']}`",
            row["games"],
            _percent(row["share"], row["interval"]),
            f"{row['times_fair']:.2f}",
        ]
        for row in [*data["matches"], *data["policy"]]
    ]
    text = (
        f"## Strength\n\nRuleset `{data['ruleset']}`, `python experiments/aloha_strength.py`. One agent against others "
        "that are all alike, in all seats alike; its share of the victory with a 95% interval by meetings, and how "
        "many times the fair share that is.\n\n"
        + table(["agent", "against", "games", "share", "times fair"], rows)
        + _levels(data["levels"])
        + "\nRatings by places, Elo with `random` at 0 ([what they mean](../ratings.md)):\n\n"
    )
    rows = []
    for found in data["ladders"]:
        for row in found["ratings"]["table"]:
            ends = f"{row['low']:.0f} to {row['high']:.0f}" if row["low"] != row["high"] else "-"
            rows.append(
                [
                    found["players"],
                    f"`{row['player']}`",
                    f"{row['elo']:.0f}",
                    ends,
                    _percent(row["score"]),
                    row["games"],
                ]
            )
    return text + table(["players", "agent", "Elo", "95%", "share of the victory", "games"], rows)


def _control(found: list[dict[str, Any]]) -> str:
    """Shares by place with the agent's own Prologue, and with one at random."""
    most = max(row["players"] for row in found)
    rows: list[list[object]] = [
        [
            row["players"],
            row["prologue"],
            row["games"],
            *(_percent(place["share"], place["interval"]) for place in row["places"]),
            *["-"] * (most - row["players"]),
        ]
        for row in found
    ]
    return (
        f"\nThe control, `{found[0]['agent']}` in all seats: the place in the order counts where the Prologue is "
        "played to win, not where it is played at random.\n\n"
        + table(["players", "Prologue", "games", *ORDINALS[:most]], rows)
    )


def balance_part() -> str:
    """Between equal agents: shares by place and island, first choices, sources of points."""
    data = _read("aloha-balance.json")
    found = data["balance"]
    rules = Ruleset.load()
    heads = [f"{row['players']} players" for row in found]
    seats, places = (
        [
            [
                name,
                *(
                    _percent(row[kind][at]["share"], row[kind][at]["interval"]) if at < row["players"] else "-"
                    for row in found
                ),
            ]
            for at, name in enumerate(names[: max(row["players"] for row in found)])
        ]
        for kind, names in (("seats", [f"`{agent}`" for agent in Game(players=4).agents]), ("places", ORDINALS))
    )
    islands: list[list[object]] = [
        [
            island_name(rules, island),
            *(
                f"{_percent(row['islands'][island]['share'])}, {100 * row['islands'][island]['first_choice']:.0f}%"
                for row in found
            ),
        ]
        for island in ISLANDS
    ]
    sources: list[list[object]] = [
        [name, *(_percent(row["sources"][name]) for row in found)] for name in found[0]["sources"]
    ]
    games = ", ".join(f"{row['games']} games of {row['players']} (`{row['agent']}`)" for row in found)
    return (
        f"## Balance\n\nRuleset `{data['ruleset']}`, one agent in all seats, {games}: `python "
        "experiments/calibrate_aloha.py`. Share of the victory by seat, with 95% intervals. No seat is better than "
        "another by the rules: who begins the Prologue is chance.\n\n"
        + table(["seat", *heads], seats)
        + "\nBy place in the order of the Prologue, which chance gives:\n\n"
        + table(["place", *heads], places)
        + _control(data["control"])
        + "\n![Balance](aloha-balance.png)\n\nBy island settled on: share of the victory, and how often who settles "
        "first chooses it:\n\n"
        + table(["island", *heads], islands)
        + "\nShare of all points, by what brings them:\n\n"
        + table(["source", *heads], sources)
    )


def page() -> str:
    """The page."""
    return f"{note('docs/benchmarks/aloha-*.json')}# ALOHA: agents and balance\n\n{strength_part()}\n{balance_part()}"


PAGES: dict[str, Callable[[], str]] = {"benchmarks/aloha.md": page}
