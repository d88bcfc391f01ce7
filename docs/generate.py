"""Write the generated pages of docs/ from code, data and committed results; `--check` only says which are stale.

python docs/generate.py
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo

from hawaii_env.games import names as known_games
from hawaii_env.records.form import schema_text

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "experiments")]
import aloha_pages  # noqa: E402  the pages of each game, beside this file
import hawaii1795_pages  # noqa: E402
import heiau_pages  # noqa: E402
import measured  # noqa: E402
from page_parts import NOTE, table  # noqa: E402
from site_parts import outside_code  # noqa: E402

WIDTH = 120


def wrapped(page: Callable[[], str]) -> Callable[[], str]:
    """What makes a page, with its prose at `WIDTH` columns; tables and code stay as they are."""

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
        f"{NOTE}# Ids of the environments\n\n`hawaii_env:hawaii1795-v1` is an id in PettingZoo and in Gymnasium, and "
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


PAGES = {
    **hawaii1795_pages.PAGES,
    "reference/ids.md": ids_page,
    **heiau_pages.PAGES,
    **aloha_pages.PAGES,
    **measured.PAGES,
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
