"""Reference pages of any game, from its spec, its game package and docs/games.toml: environment, actions, observation,
rulings, and the engine beside the printed game.
"""

from __future__ import annotations

import inspect
import json
import tomllib
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from tables import NOTE, table

from hawaii_env import games
from hawaii_env.env.entries import SETTINGS
from hawaii_env.game import Part
from hawaii_env.games import GameSpec
from hawaii_env.rulesets import Ruleset

__all__ = ["pages_of"]

NOTES = tomllib.loads((Path(__file__).parent / "games.toml").read_text(encoding="utf-8"))
KINDS = ("printed", "ruling", "reconstructed")


def pages_of(spec: GameSpec) -> dict[str, Callable[[], str]]:
    """Return the pages that every game has, by their names."""
    folder = f"reference/{spec.name}"
    return {
        f"{folder}/environment.md": lambda: environment_page(spec),
        f"{folder}/actions.md": lambda: actions_page(spec),
        f"{folder}/observation.md": lambda: observation_page(spec),
        f"{folder}/rulings.md": lambda: rulings_page(spec),
        f"{folder}/deviations.md": lambda: deviations_page(spec),
    }


def note(spec: GameSpec, key: str) -> str:
    """Return a paragraph that docs/games.toml declares for a game."""
    text = NOTES.get(spec.name, {}).get(key, "").strip()
    return f"{text}\n\n" if text else ""


def ruleset_of(spec: GameSpec) -> type[Ruleset]:
    """Return the ruleset class of a game's package."""
    return import_module(f"{str(spec.game).partition(':')[0]}.ruleset").Ruleset


def shape(part: Part) -> str:
    """Return a part's shape, as ``"39 x 52"``."""
    return " x ".join(map(str, part.shape))


def environment_page(spec: GameSpec) -> str:
    """Return the docstring of the environment's module, its arguments, and what instances say of themselves."""
    name, place = list(spec.environments.items())[-1]
    module = import_module(place)
    text, history, versions = (inspect.getdoc(module) or "").replace("``` python", "```text").partition("## Version")
    meanings = {option.name: option.meaning for option in spec.options} | SETTINGS
    arguments = inspect.signature(module.env).parameters.values()
    env, first = module.env(), spec.options[0]
    spaces: Any = env.observation_space(env.possible_agents[0])
    figures: list[list[object]] = [
        ["action space", f"`{env.action_space(env.possible_agents[0])}`"],
        *(
            [f'observation space, `"{key}"`', f"`{part.dtype}[{', '.join(map(str, part.shape))}]`, from "
             f"{part.low.min():g} to {part.high.max():g}"]
            for key, part in spaces.spaces.items()
        ),
        ["`env.state()`", f"`{env.state_space.dtype}[{', '.join(map(str, env.state_space.shape or ()))}]`"],
        ["render modes", ", ".join(f"`{mode}`" for mode in env.metadata["render_modes"])],
        ["ruleset", env.game.ruleset_name],
        ["action table", f"`{env.game.action_table_hash[:16]}...`"],
    ]  # fmt: skip
    values = first.choices or spec.code("values", first.values)()
    made = [(value, spec.make(**{first.name: value})) for value in values]
    return (
        f"{NOTE}# {spec.title}: the environment `{name}`\n\nThe docstring of the module `{place}`, its arguments, and "
        f"figures of an instance. [How it behaves step by step](../../environment.md).\n\n{text}## Arguments\n\n"
        + table(
            ["argument of `env`", "default", "meaning"],
            ([f"`{one.name}`", f"`{one.default!r}`", meanings[one.name].rstrip(".")] for one in arguments),
        )
        + f"\n{history}{versions}\n\n## In figures\n\n"
        + table(["by default", ""], figures)
        + f"\n## By {first.name}\n\n"
        + table(
            [first.name, "agents", "observation", "decisions before truncation"],
            (
                [f"`{value}`", ", ".join(f"`{agent}`" for agent in game.agents), game.observation_size,
                 f"{game.max_decisions:,}"]
                for value, game in made
            ),
        )
    )  # fmt: skip


def actions_page(spec: GameSpec) -> str:
    """Return the action table: its families, then every action."""
    game: Any = spec.make()
    texts, codec = [game.action_text(action) for action in range(game.num_actions)], game.codec
    text = (
        f"{NOTE}# {spec.title}: the action table\n\n{game.num_actions} actions, flat, the same in every game of the "
        f"ruleset. SHA-256 of the texts: `{game.action_table_hash}`.\n\n{note(spec, 'actions')}"
        + table(
            ["index", "verb", "how many", "first", "last", "when"],
            (
                [f"{a} - {b}" if a < b else a, family.verb, family.size, f"`{texts[a]}`", f"`{texts[b]}`", family.when]
                for a, b, family, *_ in codec.rows()
            ),
        )
        + "\n## All of them\n\n"
        + table(["index", "text"], ([index, f"`{text}`"] for index, text in enumerate(texts)))
    )
    if game.action_factors is None:
        return text
    factors = game.action_factors
    return (
        f"{text}\n## Parts of actions\n\n`game.action_factors` has `names`, `words`, `sizes` and `indices`, "
        f"int64[{game.num_actions}, {len(factors.names)}]: the word of each factor that an action has, or `-` (0). No "
        "two "
        "actions have the same row. With the lists of legal actions of a [batch](../../vector.md) (`legal_lists()`) a "
        "policy looks up the parts of the legal actions and needs no mask.\n\n"
        + table(
            ["factor", "words", "which"],
            (
                [f"`{name}`", len(words), ", ".join(word or "-" for word in words)]
                for name, words in zip(factors.names, factors.words, strict=True)
            ),
        )
    )


def observation_page(spec: GameSpec) -> str:
    """Return the observation's parts, of the game with the most players, and the values of their rows."""
    first = spec.options[0]
    made = [spec.make(**{first.name: value}) for value in first.choices or (first.default,)]
    game = made[-1]
    rows: list[list[object]] = []
    parts: list[str] = []
    at = 0
    for part in game.observation_parts:
        low, high = (bound[at : at + part.size].reshape(part.shape) for bound in (game.raw_low, game.raw_high))
        rows.append([at, shape(part), f"`{part.name}`", f"{low.min()} - {high.max()}", part.meaning])
        at += part.size
        starts = [sum(count for _, count in part.fields[:i]) for i in range(len(part.fields))]
        fields = [
            [start, count, what, f"{low[..., start : start + count].min()} - {high[..., start : start + count].max()}"]
            for start, (what, count) in zip(starts, part.fields, strict=True)
        ]
        if fields:
            named = f"Rows: {', '.join(part.rows)}.\n\n" if part.rows else ""
            parts.append(f"\n## `{part.name}`\n\n{named}" + table(["at", "values", "meaning", "raw values"], fields))
    sizes = ", ".join(dict.fromkeys(str(one.observation_size) for one in made))
    return (
        f"{NOTE}# {spec.title}: the observation\n\n{sizes} values"
        + (f" with {first.name} = {', '.join(map(str, first.choices))}" if len(made) > 1 and first.choices else "")
        + f", in named parts; `game.split_observation(observation)` returns them as views. Raw values are "
        f"{game.raw_dtype}; the float32 observation is the raw value divided by its "
        f"greatest.\n\n{note(spec, 'observation')}"
        + table(["offset", "shape", "part", "raw values", "meaning"], rows)
        + "".join(parts)
    )


def rulings_page(spec: GameSpec) -> str:
    """Return all rulings: the question, the readings, the choice, its reason and its test."""
    return (
        f"{NOTE}# {spec.title}: rulings\n\nWhere the rulebook is silent or can be read in two ways, one reading was "
        f"chosen. {note(spec, 'rulings')}".rstrip()
        + "\n\n"
        + "\n".join(
            f'<a id="{spec.name}-{r.id.lower()}"></a>\n\n## {": ".join(filter(None, (r.id, r.title)))}\n\n'
            f"[{', '.join(r.sections)}] {r.question}\n\n"
            + "".join(f"- {reading}\n" for reading in r.readings)
            + ("\n" if r.readings else "")
            + f"**Chosen:** {r.choice}\n\n*Why:* {r.reason}\n\n"
            + (f"*The option* `{r.option}` *plays another reading.*\n\n" if r.option else "")
            + f"*Test:* `{r.test}`\n"
            for r in ruleset_of(spec).rulings()
        )
    )


def deviations_page(spec: GameSpec) -> str:
    """Return this engine beside the printed game: readings, reconstructed values, form, sections of the rulebook."""
    own = NOTES.get(spec.name, {})
    kind = ruleset_of(spec)
    ruleset, sections = kind.load(), kind.sections()
    counts = Counter((value.file, value.source.split()[0]) for value in ruleset.provenance)
    files = list(dict.fromkeys(value.file for value in ruleset.provenance))
    totals = [[f"`{file}`", *(counts[file, one] for one in KINDS)] for file in files]
    values: dict[tuple[str, str], list[str]] = {}
    for v in ruleset.provenance:
        if v.source == "reconstructed" and v.key != "text" and own.get("listed"):
            whole = v.table.split(".")
            found = values.setdefault((v.file, ".".join(whole[:2])), [])
            found.append(f"`{'.'.join([*whole[2:], v.key])} = {json.dumps(v.value, ensure_ascii=False)}`")
    parts = [
        f"{NOTE}# {spec.title}: this engine and the printed game\n\nThe game here differs from the game on the table "
        "in "
        "three ways: where the rulebook leaves a question open, one reading was chosen; what only the printed "
        "components "
        "say was designed for this project; and a program asks in another form than a rulebook does.\n\n## Readings "
        "that "
        "were chosen\n\nQuestion, other readings, reason and test of each: [rulings](rulings.md).\n\n"
        + table(
            ["ruling", "sections", "about", "played here", "otherwise playable by"],
            (
                [f"[{r.id}](rulings.md#{spec.name}-{r.id.lower()})", ", ".join(r.sections), r.title or r.question,
                 r.choice, f"option `{r.option}`" if r.option else "-"]
                for r in kind.rulings()
            ),
        ),
        f"## What is reconstructed\n\nSet `{ruleset.name}`, hash `{ruleset.hash[:16]}...`. Reconstructed values are "
        "**not "
        "the published ones**, which are not public. A folder with files of the same names replaces them, "
        f'`Game(rules="folder")`. {note(spec, "reconstructed")}'.rstrip()
        + "\n\n"
        + table(["file", *KINDS], [*totals, ["all", *(sum(row[i] for row in totals) for i in (1, 2, 3))]]),
    ]  # fmt: skip
    if values:
        rows = ([f"`{file}`", where, "; ".join(found)] for (file, where), found in values.items())
        parts.append("Each reconstructed value, but for texts:\n\n" + table(["file", "table", "values"], rows))
    if "form" in own:
        parts.append("## In form, not in rule\n\n" + table(["about", "at the table", "here", "section"], own["form"]))
    idle = [section for section in sections if section.status != "implemented"]
    parts.append(
        f"## Sections of the rulebook\n\n{len(sections) - len(idle)} of {len(sections)} sections are implemented; a "
        "test "
        "compares the list with the engine and with the tests of the rules.\n"
    )
    if idle:
        rows = ([one.id, one.title, one.reason] for one in idle)
        parts.append("These are not rules:\n\n" + table(["section", "about", "why"], rows))
    if misprints := [[one.id, one.printed, one.title] for one in sections if one.printed]:
        head = ["cited as", "printed", "about"]
        parts.append("Numbers that are printed wrongly, and how they are cited here:\n\n" + table(head, misprints))
    return "\n".join(parts)


PAGES = {name: page for spec in games.shipped() for name, page in pages_of(spec).items()}
