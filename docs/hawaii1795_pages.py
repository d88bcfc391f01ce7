"""Generated pages of Hawaii, 1795: actions, observations, cards, pieces, rulings, phases, environments, deviations."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from page_parts import (
    NOTE,
    action_tables,
    deviations_opening,
    docstring,
    form_part,
    rulings_text,
    sources_table,
    table,
)

from hawaii_env import hawaii1795_v1
from hawaii_env.hawaii1795 import Game, observation
from hawaii_env.hawaii1795.play import PHASE_RULES
from hawaii_env.hawaii1795.rules import actions, names
from hawaii_env.hawaii1795.ruleset import Ruleset

__all__ = ["PAGES"]


def actions_page() -> str:
    """The action table."""
    return (
        f"{NOTE}# The action table\n\n{actions.N_ACTIONS} actions, flat. Its SHA-256 is `{actions.CODEC.hash}`; a "
        "ruleset never changes it.\n\nOne index stands for all interchangeable pieces of a kind. Where pieces of one "
        "kind differ in condition, the freshest take the plain action and the others the one with their marks; a "
        "canoe goes by its kind only where kinds would collide. `play` names the card by its id in the shipped "
        "ruleset.\n\n" + action_tables(actions.CODEC, Game().texts, "actions")
    )


def observation_page() -> str:
    """The layout of the observation."""
    rows: list[list[object]] = [
        [p.offset, f"`{p.name}`", f"[{', '.join(map(str, p.shape))}]", p.what] for p in observation.PARTS
    ]
    parts: list[str] = []
    for part in observation.PARTS:
        columns: list[list[object]] = [
            [index, name, high]
            for index, (name, high) in enumerate(zip(part.columns, part.high, strict=True))
            if part.name != "digest"
        ]
        named = f"Rows: {', '.join(part.rows)}.\n\n" if part.rows and part.name != "pieces" else ""
        if columns:
            parts.append(f"## `{part.name}`\n\n{named}" + table(["column", "what", "raw values up to"], columns))
    factors = Game.action_factors
    assert factors is not None
    made: list[list[object]] = [
        [f"`{name}`", len(words), ", ".join(word or "-" for word in words)]
        for name, words in zip(factors.names, factors.words, strict=True)
    ]
    told = Game().observation_layout_hash
    return (
        f"{NOTE}# The observation\n\nOf [`hawaii1795_v1`](environment.md), `Game()`: {observation.SIZE} values from "
        "0 to 1. "
        "A category is one value a choice; of a number there is a value for each of the first steps, which it reaches "
        "or not, and one for what is beyond them. Raw values are int8; the float32 observation is the raw value "
        "divided by the greatest one. Sides are mine and the enemy's: the observer's. "
        "`game.split_observation(observation)` gives the parts as views. The last five say what the ruleset says, so "
        f"that two rulesets never look alike; they never change in a game. SHA-256 of the values' names: `{told}`.\n\n"
        + table(["offset", "part", "shape", "meaning"], rows)
        + "\n"
        + "\n".join(parts)
        + "\n## What actions are made of\n\n`game.action_factors` has `names`, `words`, `sizes` and `indices`, "
        f"int64[{Game.num_actions}, {len(factors.names)}]: the word of each factor that an action has, `-` (0) where "
        "it has none. No two actions have the same row. The place of a march is the one that it leads to. With the "
        "lists of legal actions that a [batch](../vector.md) gives (`legal_lists()`), a policy looks up the parts of "
        "the legal actions and needs no mask.\n\n" + table(["factor", "words", "which"], made)
    )


def cards_page() -> str:
    """The eighteen cards."""
    ruleset = Ruleset.load()
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
        f"{NOTE}# Cards\n\nThe texts and numbers of the printed cards are not public: these were **reconstructed** for "
        "this project, but for what the rulebook says of them (nine a side, cards 1 and 2 with cannon, pike and "
        "warriors, the names of some events). "
        "[How to enter the printed ones](../rulesets.md).\n\n" + "\n".join(parts)
    )


def pieces_page() -> str:
    """The forty pieces."""
    ruleset = Ruleset.load()
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
        f"{NOTE}# Pieces\n\n39 pieces and the earthworks marker: forty [1.0]. `hawaii rules` says of each number "
        "whether it is printed, a "
        "ruling or reconstructed.\n\n" + table(["side", "kind", "number", "strength", "flags", "home"], rows)
    )


def rulings_page() -> str:
    """Rulings."""
    return (
        f"{NOTE}# Rulings\n\nWhere the rulebook is silent or contradicts itself, one reading was chosen.\n\n"
        + rulings_text(Ruleset.rulings())
    )


def phases_page() -> str:
    """Phases."""
    rows: list[list[object]] = []
    for index, phase in enumerate(names.PHASES):
        who = "decision" if index <= names.LAST_DECISION else "chance" if index <= names.LAST_CHANCE else "-"
        rows.append([f"`{phase}`", who, PHASE_RULES[phase]])
    return f'{NOTE}# Phases\n\nWhat `state.phase` says, and `info["phase"]` where words were asked for.\n\n' + table(
        ["phase", "who", "sections"], rows
    )


def environment_page(module: Any = hawaii1795_v1) -> str:
    """An environment's page: its module's docstring, which is Markdown, and what an instance says of itself."""
    env, name = module.env(), module.__name__.rpartition(".")[2]
    agent = env.possible_agents[0]
    space: Any = env.observation_space(agent)
    rows: list[list[object]] = [
        ["agents", ", ".join(f"`{name}`" for name in env.possible_agents)],
        ["action space", f"`{env.action_space(agent)}`"],
        *[
            [
                f'observation space, `"{key}"`',
                f"`{part.dtype}[{', '.join(map(str, part.shape))}]`, from {part.low.min():g} to {part.high.max():g}",
            ]
            for key, part in space.spaces.items()
        ],
        ["`env.state()`", f"`{env.state_space.dtype}[{', '.join(map(str, env.state_space.shape or ()))}]`"],
        ["render modes", ", ".join(f"`{mode}`" for mode in env.metadata["render_modes"])],
        ["most decisions before a game is truncated", f"{env.game.max_decisions:,}"],
        ["ruleset", f"{env.game.ruleset_name}"],
        ["action table", f"`{env.game.action_table_hash[:16]}...`"],
    ]
    return (
        f"{NOTE}# The environment `{name}`\n\nThe docstring of the module `hawaii_env.{name}`, and what "
        "an instance says of itself. [How it behaves step by step](../environment.md).\n\n"
        + docstring(module)
        + "\n\n## In figures\n\n"
        + table(["", ""], rows)
    )


MORE = [
    [
        "a choice of one",
        "the player makes it",
        "the engine makes it, and records it as forced: agents are asked real choices only",
        "-",
    ],
    ["pieces of one kind", "told apart by hand", "equal pieces in one place and condition are one choice", "-"],
    [
        "a fleet move, a recruit, a battle",
        "one sitting",
        "several small decisions in turn: canoe, pick-up, cargo, destination",
        "10.3",
    ],
    [
        "drawing the top card",
        "a shuffled deck",
        "chance among the cards left; the order of a deck is not stored anywhere",
        "8.0",
    ],
    [
        "deploying on the battle map",
        "units are lined up in any order",
        "no order is kept, because none matters",
        "11.1",
    ],
    [
        "how long a game may take",
        "as long as you like",
        "a limit of decisions truncates; no real game comes near it",
        "-",
    ],
]
"""Where this engine differs from the table in form, not in rule: subject, at the table, here, section."""


def deviations_page() -> str:
    """This engine beside the printed game."""
    ruleset = Ruleset.load()
    values = ruleset.provenance
    tables: dict[tuple[str, str], list[str]] = {}
    for v in values:
        if v.source == "reconstructed" and v.key != "text":
            whole = v.table.split(".")
            found = tables.setdefault((v.file, ".".join(whole[:2])), [])
            found.append(f"{'.'.join([*whole[2:], v.key])} = {json.dumps(v.value, ensure_ascii=False)}")
    made: list[list[object]] = [
        [f"`{file}`", where, "; ".join(f"`{value}`" for value in found)] for (file, where), found in tables.items()
    ]
    sections = ruleset.sections()
    misprints: list[list[object]] = [[s.id, s.printed, s.title] for s in sections if s.printed]
    idle: list[list[object]] = [[s.id, s.title, s.reason] for s in sections if s.status != "implemented"]
    played = len(sections) - len(idle)
    parts = [
        deviations_opening(
            "This engine and the printed game",
            Ruleset.rulings(),
            "rulings.md#",
            ("sections", "about", "title"),
            more="Question, other readings, reason and test of each: [rulings](rulings.md).\n\n",
        ),
        f"## What is reconstructed\n\nSet `{ruleset.name}`. These values are **not the published ones**, which are not "
        "public. Every one can be [replaced](../rulesets.md) by what is printed on a copy of the game.\n\n"
        + sources_table([(v.file, v.source) for v in values])
        + "\nEach reconstructed value, but for the texts of the [cards](cards.md):\n\n"
        + table(["file", "table", "values"], made),
        form_part("section", MORE),
        f"## Sections of the rulebook\n\n{played} of {len(sections)} sections are implemented; a test holds each "
        "against the engine and "
        "against the tests of the rules. These are no rules:\n\n" + table(["section", "about", "why"], idle),
    ]
    if misprints:
        parts.append(
            "Numbers that are printed wrongly, and how they are cited here:\n\n"
            + table(["cited as", "printed", "about"], misprints)
        )
    return "\n".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "reference/actions.md": actions_page,
    "reference/observation.md": observation_page,
    "reference/cards.md": cards_page,
    "reference/pieces.md": pieces_page,
    "reference/rulings.md": rulings_page,
    "reference/phases.md": phases_page,
    "reference/environment.md": environment_page,
    "reference/deviations.md": deviations_page,
}
