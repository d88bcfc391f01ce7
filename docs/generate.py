"""Write the generated pages of docs/ from code, data and committed results; `--check` only says which are stale.

python docs/generate.py
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo

from hawaii_env import hawaii1795_v0, hawaii1795_v1
from hawaii_env.arena.sprt import mean_interval
from hawaii_env.games import names as known_games
from hawaii_env.hawaii1795 import Game, observation, observation_v1
from hawaii_env.hawaii1795.play import PHASE_RULES
from hawaii_env.hawaii1795.rules import actions, names
from hawaii_env.hawaii1795.ruleset import load_ruleset, load_rulings
from hawaii_env.hawaii1795.spec import LEVELS
from hawaii_env.records.form import schema_text

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "experiments")]
import depth_figures  # noqa: E402
from aloha_figures import PAGES as ALOHA_STRENGTH  # noqa: E402
from aloha_pages import PAGES as ALOHA  # noqa: E402  the pages of other games, beside this file
from heiau_pages import PAGES as HEIAU  # noqa: E402
from page_parts import (  # noqa: E402
    NOTE,
    action_tables,
    deviations_opening,
    docstring,
    form_part,
    note,
    rulings_text,
    sources_table,
    table,
)
from site_parts import outside_code  # noqa: E402

LADDER = FOLDER / "benchmarks" / "ladder.json"
ENOUGH = 400
"""Games of a pair of players from which on a cell of the ladder may be taken for more than a hint."""
SIDE_NAMES = {"kamehameha": "Kamehameha", "allied": "the Allies"}
WIDTH = 120


def wrapped(page: Callable[[], str]) -> Callable[[], str]:
    """What makes a page, with its prose at `WIDTH` columns; tables and code stay as they are."""

    def wrap(line: str) -> str:
        if len(line) <= WIDTH or line.startswith(("|", "<", " ", "#")):
            return line
        indent = "  " if line.startswith("- ") else ""
        return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)

    return lambda: outside_code(page(), wrap)


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
    """The observation layout."""
    rows: list[list[object]] = [
        [p.offset, p.size, f"`{p.name}`", f"0 - {p.high}", p.unit, p.what] for p in observation.PARTS
    ]
    return (
        f"{NOTE}# The observation\n\n{observation.SIZE} values. Raw values are int8; the float32 observation is the "
        "raw value divided by the unit. Nothing about hands is hidden in this game: both players see the whole "
        "position, and neither "
        "sees the generators.\n\n" + table(["offset", "size", "part", "raw values", "unit", "meaning"], rows)
    )


def observation_v1_page() -> str:
    """The layout of the second observation."""
    rows: list[list[object]] = [
        [p.offset, f"`{p.name}`", f"[{', '.join(map(str, p.shape))}]", p.what] for p in observation_v1.PARTS
    ]
    parts: list[str] = []
    for part in observation_v1.PARTS:
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
    told = Game(observation="v1").observation_layout_hash
    return (
        f"{NOTE}# The second observation\n\nOf [`hawaii1795_v1`](environment_v1.md), "
        f'`Game(observation="v1")`: {observation_v1.SIZE} values from 0 to 1; [v0\'s](observation.md) stays as it is. '
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
        f"{NOTE}# Cards\n\nThe texts and numbers of the printed cards are not public: these were **reconstructed** for "
        "this project, but for what the rulebook says of them (nine a side, cards 1 and 2 with cannon, pike and "
        "warriors, the names of some events). "
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
        f"{NOTE}# Pieces\n\n39 pieces and the earthworks marker: forty [1.0]. `hawaii rules` says of each number "
        "whether it is printed, a "
        "ruling or reconstructed.\n\n" + table(["side", "kind", "number", "strength", "flags", "home"], rows)
    )


def _rulings() -> list[dict[str, Any]]:
    return [ruling.model_dump() for ruling in load_rulings()]


def rulings_page() -> str:
    """Rulings."""
    return (
        f"{NOTE}# Rulings\n\nWhere the rulebook is silent or contradicts itself, one reading was chosen.\n\n"
        + rulings_text(_rulings())
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


MAKERS = [
    ["Gymnasium", "`gymnasium.make(id)`", "one learner against an opponent"],
    ["Gymnasium", "`gymnasium.make_vec(id, num_envs=8)`", "[many such games](../vector.md)"],
    ["TorchRL", "`torchrl.envs.GymEnv(id)`", "[the same](../integrations.md#torchrl)"],
    [
        "Stable-Baselines3",
        '`make_vec_env(id)`, `PPO("MlpPolicy", id)`',
        "the same, without masks; [with masks](../training.md)",
    ],
    ["RLlib", "`PPOConfig().environment(id)`", "the same, without masks"],
]
"""Who takes Gymnasium's ids: library, call, what it makes. Tests try each."""


def ids_page() -> str:
    """The ids of the environments, from the registries."""

    def listed(ids: list[str]) -> str:
        return ", ".join(f"`{name}`" for name in sorted(ids)) or "-"

    def ours(registry: Any) -> list[str]:
        return [name for name, spec in registry.items() if str(spec.entry_point).startswith("hawaii_env.")]

    single = ours(gymnasium.registry)
    rows: list[list[object]] = []
    for kind, registry in (("aec", pettingzoo.aec_registry), ("parallel", pettingzoo.parallel_registry)):
        if found := ours(registry):
            made = "[the environment of all players](environment.md)"
            rows.append(["PettingZoo", f'`pettingzoo.make("{kind}", id)`', "-", listed(found), made])
    alone = listed([f"hawaii_env:{name}" for name in single])
    rows.extend([library, call, alone, listed(single), made] for library, call, made in MAKERS)
    games = listed(known_games())
    what = "[RLlib's multi-agent environment](../integrations.md#ray-rllib), with masks"
    rows.append(
        ["RLlib, with `ppo_config` of `hawaii_env.integrations.rllib`", '`ppo_config({"game": id})`', games, "-", what]
    )
    after = f"{games}, after `import hawaii_env.integrations.openspiel`"
    rows.append(["OpenSpiel", "`pyspiel.load_game(id)`", "-", after, "[the game](../integrations.md#openspiel)"])
    return (
        f"{NOTE}# Ids of the environments\n\n`hawaii_env:hawaii1795-v0` is an id in PettingZoo and in Gymnasium, and "
        "in whatever hands ids on to them. What stands before the colon is "
        "a module: Gymnasium imports it, PettingZoo does not. Arguments of the game go beside the id, as "
        '`scenario="short"`; RLlib wants them in '
        '`env_config`, OpenSpiel in the id: `"hawaii1795(scenario=short)"`.\n\n'
        + table(
            ["library", "call", "id, with nothing imported", "id, after `import hawaii_env`", "what it makes"], rows
        )
        + "\nPettingZoo writes `_v0` for `-v0` as well. Where no mask is applied, an illegal action loses "
        "the game. TorchRL's `PettingZooEnv` "
        "knows PettingZoo's own environments only; its `PettingZooWrapper`, SuperSuit and Tianshou take an environment "
        "and no id ([how](../integrations.md)).\n"
    )


def environment_page(module: Any = hawaii1795_v0) -> str:
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
    ruleset = load_ruleset()
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
    sections = tomllib.loads(
        (resources.files("hawaii_env.hawaii1795.ruleset") / "sections.toml").read_text(encoding="utf-8")
    )["sections"]
    misprints: list[list[object]] = [[s["id"], s["printed"], s["title"]] for s in sections if "printed" in s]
    idle: list[list[object]] = [[s["id"], s["title"], s["reason"]] for s in sections if s["status"] != "implemented"]
    played = len(sections) - len(idle)
    parts = [
        deviations_opening(
            "This engine and the printed game",
            _rulings(),
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


def ladder_page() -> str:
    """The ladder, from the committed results of a tournament."""
    data = json.loads(LADDER.read_text(encoding="utf-8"))
    ratings = data["ratings"]
    order = [row["player"] for row in ratings["table"]]

    def share(value: float | None) -> str:
        return "-" if value is None else f"{100 * value:.1f}%"

    ranks: list[list[object]] = [
        [
            place,
            row["player"],
            f"{row['elo']:.0f}",
            f"{row['low']:.0f} to {row['high']:.0f}" if row["low"] != row["high"] else "-",
            share(row["score"]),
            row["games"],
        ]
        for place, row in enumerate(ratings["table"], 1)
    ]
    cells = {(cell["player"], cell["other"]): cell for cell in ratings["cross"]}
    ends = {
        key: mean_interval([1.0] * cell["wins"] + [0.5] * cell["ties"] + [0.0] * cell["losses"])[1:]
        for key, cell in cells.items()
    }

    def met(one: str, other: str) -> str:
        if (one, other) not in cells:
            return "-"
        low, high = ends[one, other]
        return f"{share(cells[one, other]['score'])} ({100 * low:.0f}-{100 * high:.0f})"

    cross: list[list[object]] = [[one, *(met(one, other) for other in order)] for one in order]
    few = min(cell["games"] for cell in cells.values())
    most = max(high - low for low, high in ends.values())
    side = ratings["side"]
    return (
        note("docs/benchmarks/ladder.json") + "# The "
        f"ladder\n\n{data['date']}, commit {data['commit']}, ruleset `{data['ruleset']}`, long game, "
        f"{ratings['games']} games in {ratings['pairings']} pairs of swapped sides. Elo with `{ratings['anchor']}` at "
        "0 and 95% intervals by pairs; a tie is half a win. [What the numbers mean](../ratings.md). Longer matches "
        f"and what failed: [results](../../experiments/RESULTS.md).\n\n```bash\n{data['command']}\n```\n\n"
        + table(["", "agent", "Elo", "95%", "score", "games"], ranks)
        + "\n## Who against whom\n\nScore of the row against the column, with its 95% interval, games taken "
        "as independent. "
        + (
            f"**A cell has {few} games, so its interval is up to {100 * most:.0f} points wide**: it tells strong from "
            "weak, and not which of two neighbours is the stronger. Single matches of hundreds of games are in [the "
            "results](../../experiments/RESULTS.md); where the two differ, those count.\n\n"
            if few < ENOUGH
            else f"A cell has {few} games or more, and its interval is up to {100 * most:.0f} points wide.\n\n"
        )
        + table(["", *order], cross)
        + f"\nTo play Kamehameha is worth {side['value']:.0f} Elo between equals ({side['low']:.0f} to "
        f"{side['high']:.0f}); "
        f"equals tie in {share(ratings['tie']['share']['value'])} of their games.\n"
        + "".join(f"\n- {warning}\n" for warning in ratings["warnings"])
    )


def levels_page() -> str:
    """Return the page of the levels of the browser's opponents, from what experiments/levels.py has measured."""
    found = json.loads((FOLDER / "benchmarks" / "levels.json").read_text(encoding="utf-8"))
    rows: list[list[object]] = []
    for level in LEVELS:
        row: list[object] = [level.number, level.name, level.about]
        for scenario, matches in found["matches"].items():
            options = {"scenario": scenario}
            match = next((m for m in matches if m["level"] == level.number), None)
            row.append(f"`{level.agent(options)}`")
            if match is None:
                row.append("")
                continue
            if (match["agent"], match["against"]) != (level.agent(options), LEVELS[level.number - 2].agent(options)):
                raise SystemExit("docs/benchmarks/levels.json is of other levels: python experiments/levels.py --write")
            low, high = match["interval"]
            row.append(f"{match['score']:.0%} ({low:.0%} to {high:.0%}), {match['games']} games")
        rows.append(row)
    head = ["level", "name", "what it is like"]
    for scenario in found["matches"]:
        head += [f"agent, {scenario} game", f"against the level below, {scenario} game"]
    return (
        NOTE + "# Levels of the computer in the browser\n\nWhich agent plays at each level of [`hawaii "
        "serve`](../play.md), and its score against the level below: "
        f"a tie is half a win, sides swapped, 95% intervals, ruleset {found['ruleset']}. `python "
        "experiments/levels.py` measures them.\n\n"
        + (found["note"] + "\n\n" if "note" in found else "")
        + table(head, rows)
    )


def puzzles_page() -> str:
    """Return the page of the puzzles and who solves them, from experiments/puzzles.toml and what puzzles.py scored."""
    puzzles = tomllib.loads((FOLDER.parent / "experiments" / "puzzles.toml").read_text(encoding="utf-8"))
    found = json.loads((FOLDER / "benchmarks" / "puzzles.json").read_text(encoding="utf-8"))
    bound, losses = found["solved"], found["losses"]
    kinds = {one["name"]: one["kind"] for one in puzzles["puzzle"]}
    if any(set(of) - set(kinds) for of in losses.values()):
        raise SystemExit(
            "docs/benchmarks/puzzles.json is of other puzzles: python experiments/puzzles.py score --write"
        )
    played = [name for name in kinds if all(name in of for of in losses.values())]
    counts = Counter(kinds[name] for name in played)
    scores: list[list[object]] = []
    for spec, of in losses.items():
        solved = Counter(kinds[name] for name in played if of[name] <= bound)
        mean = sum(of[name] for name in played) / len(played)
        scores.append([f"`{spec}`", *(solved[kind] for kind in counts), sum(solved.values()), f"{mean:.3f}"])
    rows: list[list[object]] = [
        [
            one["name"],
            one["kind"],
            SIDE_NAMES[one["position"].get("decider", one["position"]["half"])],
            f"{one['best']:.3f}",
            f"{one['worst']:.3f}",
            sum(of[one["name"]] <= bound for of in losses.values()) if one["name"] in played else "not played",
        ]
        for one in puzzles["puzzle"]
    ]
    head = ["agent", *(f"{kind} ({count})" for kind, count in counts.items()), f"all ({len(played)})", "mean loss"]
    return (
        NOTE + f"# Puzzles\n\n{len(kinds)} positions, written by hand or met in battles written by hand, of which the "
        f"best play is proved (ruleset {puzzles['rules']}): find the landing, keep the ring of spaces open, know when "
        "to risk the king, choose in a battle. A share is Kamehameha's part of the game, 1 won, 1/2 tied, 0 lost, with "
        "best play of both sides after the player's plan is made. An agent plays until chance or the enemy has the "
        f"word, {found['seeds']} times; what it loses of the best share on average is its loss, and up to {bound} "
        "counts as solved. `python experiments/puzzles.py score` lets any agent play them. All agents below have "
        f"played {len(played)} of the {len(kinds)}.\n\n"
        + table(head, scores)
        + "\n## The puzzles\n\nKamehameha's share after the best and the worst that the player can do, and how many of "
        "those agents solve it:\n\n" + table(["puzzle", "kind", "to play", "best", "worst", "solved by"], rows)
    )


def depth_page() -> str:
    """How deep Hawaii, 1795 plays, from what experiments/depth.py has measured."""
    parts: list[str] = []
    for path in sorted((FOLDER.parent / "experiments" / "results" / "depth").glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        more = f"--again {found['again']}" if found["again"] else ""
        parts.append(
            f"## `{found['agent']}` on both sides, {found['scenario']} game, {found['ruleset']}\n\n"
            f"{found['games']} games, 95% intervals; a score counts a tie as half a win. `python experiments/depth.py "
            f"--agent {found['agent']} --games {found['games']} {more}`\n\n"
            f"![When games end, what is known, luck and choice](../../experiments/results/depth/{path.stem}.png)\n"
            + "\n".join(depth_figures.depth_tables(found))
            + "\n"
        )
    terms = (depth_figures.__doc__ or "").split("\n\n", 1)[1]
    return (
        NOTE + "# How deep the game plays\n\nOne agent on both sides, and what comes of it: when games are decided and "
        "how, which plans open them, what is luck. `experiments/depth.py` measures it; these figures change with the "
        f"players' strength.\n\n{terms}\n" + "\n".join(parts)
    )


PAGES = {
    "reference/actions.md": actions_page,
    "reference/observation.md": observation_page,
    "reference/observation_v1.md": observation_v1_page,
    "reference/environment_v1.md": lambda: environment_page(hawaii1795_v1),
    "reference/cards.md": cards_page,
    "reference/pieces.md": pieces_page,
    "reference/rulings.md": rulings_page,
    "reference/phases.md": phases_page,
    "reference/ids.md": ids_page,
    "reference/environment.md": environment_page,
    "reference/deviations.md": deviations_page,
    **HEIAU,
    **ALOHA,
    **ALOHA_STRENGTH,
    "benchmarks/ladder.md": ladder_page,
    "benchmarks/levels.md": levels_page,
    "benchmarks/puzzles.md": puzzles_page,
    "benchmarks/depth.md": depth_page,
}
PAGES = {name: wrapped(page) for name, page in PAGES.items()} | {"schema/record.schema.json": schema_text}


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
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
