"""Write the generated pages of docs/ from code, data and committed results; `--check` only names the stale ones.

python docs/generate.py
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import tomllib
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo

from hawaii_env import agents
from hawaii_env.benchmark import form
from hawaii_env.games import find, list_games, load_game, shipped
from hawaii_env.records.form import schema_text

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "experiments")]
import leaderboard  # noqa: E402  the modules beside this file
import measured  # noqa: E402
import model_cards  # noqa: E402
import own_pages  # noqa: E402
import public_names  # noqa: E402
import reference  # noqa: E402
from site_parts import outside_code  # noqa: E402
from tables import NOTE, table  # noqa: E402

WIDTH = 120


def wrapped(page: Callable[[], str]) -> Callable[[], str]:
    """Return what makes a page, with its prose at `WIDTH` columns; tables and code stay as they are."""

    def wrap(line: str) -> str:
        if len(line) <= WIDTH or line.startswith(("|", "<", " ", "#")):
            return line
        indent = "  " if line.startswith("- ") else ""
        return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)

    return lambda: outside_code(page(), wrap)


MAKERS = [
    ["Gymnasium", "`gymnasium.make(id)`", "one learner against an opponent"],
    ["Gymnasium", "`gymnasium.make_vec(id, num_envs=8)`", "[many such games](../vector.md)"],
    ["TorchRL", "`torchrl.envs.GymEnv(id)`", "[the same](../integrations.md#torchrl)"],
    [
        "Stable-Baselines3",
        '`make_vec_env(id)`, `PPO("MlpPolicy", id)`',
        "the same, without masks; [with masks](../training.md#stable-baselines3)",
    ],
    ["RLlib", "`PPOConfig().environment(id)`", "the same, without masks"],
]
"""Libraries that take Gymnasium's ids: library, call, what it makes. Tests try each."""


def ids_page() -> str:
    """Return the ids of the environments, from the registries."""

    def ours(registry: Any, before: str = "") -> str:
        found = (name for name, spec in registry.items() if str(spec.entry_point).startswith("hawaii_env."))
        return ", ".join(f"`{before}{name}`" for name in sorted(found)) or "-"

    single, alone = ours(gymnasium.registry), ours(gymnasium.registry, "hawaii_env:")
    games = ", ".join(f"`{name}`" for name in list_games())
    kinds = {"aec": pettingzoo.aec_registry, "parallel": pettingzoo.parallel_registry}
    return (
        f"{NOTE}# Ids of the environments\n\n`hawaii_env:hawaii1795-v1` is an id in PettingZoo and in Gymnasium, and "
        "in "
        "libraries that pass ids on to them. The part before the colon is a module: Gymnasium imports it, PettingZoo "
        "does "
        'not. Give options of the game beside the id (`scenario="short"`); RLlib takes them in `env_config`, '
        'OpenSpiel in '
        'the id: `"hawaii1795(scenario=short)"`. `hawaii_env.make(name)` needs no id.\n\n'
        + table(
            ["library", "call", "id, with nothing imported", "id, after `import hawaii_env`", "what it makes"],
            [
                *(
                    ["PettingZoo", f'`pettingzoo.make("{kind}", id)`', "-", ours(registry),
                     "[the environment of all players](../environment.md)"]
                    for kind, registry in kinds.items()
                ),
                *([library, call, alone, single, made] for library, call, made in MAKERS),
                ["RLlib, with `ppo_config` of `hawaii_env.integrations.rllib`", '`ppo_config({"game": id})`', games,
                 "-", "[RLlib's multi-agent environment](../integrations.md#ray-rllib), with masks"],
                ["OpenSpiel", "`pyspiel.load_game(id)`", "-",
                 f"{games}, after `import hawaii_env.integrations.openspiel`", "[the "
                 "game](../integrations.md#openspiel)"],
            ],
        )
        + "\nPettingZoo writes `_v0` for `-v0` as well. If no mask is applied, an illegal action loses the game. "
        "TorchRL's "
        "`PettingZooEnv` knows PettingZoo's own environments only; its `PettingZooWrapper`, SuperSuit and Tianshou "
        "take an "
        "environment and no id ([how](../integrations.md)).\n"
    )  # fmt: skip


def agents_page() -> str:
    """Return the agents that come with the package, as `hawaii agents` lists them."""
    rows: list[list[object]] = []
    ours = (point.name for point in entry_points(group=agents.ENTRY_POINTS) if point.value.startswith("hawaii_"))
    for name in sorted({agents.EpsilonGreedyAgent.name, *ours}):
        one = agents.describe(name)
        options = ", ".join(f"`{key}={value}`" if value else f"`{key}`" for key, value in one.options.items())
        games = ", ".join(find(game).title for game in one.games) or "any"
        rows.append([f"`{name}`", games, one.text, one.strength or "not measured", one.extra or "-", options or "-"])
    return (
        f"{NOTE}# The agents that come with the package\n\n`hawaii agents` prints this list, with other installed "
        "agents. Shares of the victory are from the [benchmarks](../benchmarks/README.md). [How to name an "
        "agent with options](../agents.md#agent-strings).\n\n"
        + table(["agent", "game", "how it plays", "strength", "extra", "options and their defaults"], rows)
    )


def environment_page() -> str:
    """Return docs/environment.md with the table of promises in its place."""
    data = tomllib.loads((FOLDER / "promises.toml").read_text(encoding="utf-8"))
    shown: list[list[str]] = []
    for row in data["promise"]:
        others = [f"{data['classes'][key]}: {reason}" for key, reason in row.get("exceptions", {}).items()]
        shown.append([row["topic"], " ".join(row["text"].split()), "; ".join(others) or "-"])
    before, mark, rest = (FOLDER / "environment.md").read_text(encoding="utf-8").partition(PROMISES)
    return before + mark + table(["topic", "promise", "exceptions"], shown) + "\n" + rest[rest.index("## ") :]


def game_page(game: str) -> str:
    """Return a game's page with its rules in their place: the text of the game package, its numbers filled in."""
    before, mark, rest = (FOLDER / f"{game}.md").read_text(encoding="utf-8").partition(RULES.format(game))
    return before + mark + load_game(game).ruleset.rules_text().rstrip() + "\n\n" + rest[rest.index(END_OF_RULES) :]


RULES = "<!-- The rules are written by docs/generate.py from hawaii_env/{}/rules.md. -->\n\n"
END_OF_RULES = "<!-- The end of the rules. -->"
PROMISES = "<!-- The table is written by docs/generate.py from docs/promises.toml. -->\n\n"
PAGES = {
    "reference/agents.md": agents_page,
    "reference/ids.md": ids_page,
    **reference.PAGES,
    **own_pages.PAGES,
    **measured.PAGES,
    **leaderboard.PAGES,
    **model_cards.PAGES,
    **public_names.PAGES,
}
PAGES = {name: wrapped(page) for name, page in PAGES.items()} | {
    "environment.md": environment_page, "schema/record.schema.json": schema_text,
    "schema/benchmark.schema.json": form.schema_text,
    **{f"{spec.name}.md": partial(game_page, spec.name) for spec in shipped()},
}  # fmt: skip


def main() -> int:
    """Write the pages that differ from what is there, or name them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only name the stale pages")
    check = parser.parse_args().check
    texts = {FOLDER / name: page() for name, page in PAGES.items()}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'stale:' if check else 'wrote'} {path.relative_to(FOLDER.parent)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path], encoding="utf-8")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
