"""Model cards: what the metadata of each file of shipped weights say of data, opponents, compute and limits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from tables import NOTE, table

from hawaii_agents import weights
from hawaii_env import agents, benchmark, games


def opponents(config: dict[str, Any]) -> list[str]:
    """Return the other agents that it was trained against."""
    return sorted(set(agents.split_agents(config["scripted"]))) if config.get("scripted") else []


def taught_by(game: str, against: list[str]) -> list[str]:
    """Return the names of the opponents of the game's track that it was trained against, or against agents of that
    name with other options.
    """
    names = {agent.partition(":")[0] for agent in against}
    return [
        one.name
        for one in benchmark.load_suite(game).opponent
        if one.scored and one.agent.partition(":")[0] in names and not one.agent.startswith("ppo")
    ]


def rows(name: str) -> Iterator[tuple[str, str]]:
    """Yield the rows of a card."""
    policy = weights.load(name)
    meta, data = policy.meta, (weights.FOLDER / f"{name}.safetensors").read_bytes()
    config = meta["config"]
    against = opponents(config)
    played = [f"{key} {config[key]}" for key in ("scenario", "players") if config.get(key)]
    yield "file", f"`{name}.safetensors`, {len(data) / 1e6:.2f} MB, SHA-256 `{hashlib.sha256(data).hexdigest()}`"
    parameters = sum(array.size for array in policy.tensors.values())
    yield (
        "network",
        f"{meta['architecture']['kind']}, {parameters:,} parameters, width {meta['architecture']['hidden']}",
    )
    yield "game", f"{games.find(meta['game']).title}{', ' if played else ''}{'; '.join(played)}"
    yield "rules", f"ruleset `{meta['ruleset']['name']}`, hash `{meta['ruleset']['hash'][:16]}`"
    begun = config.get("begun_at", 0)
    before = f", {begun:,} of them in earlier runs" if begun else ""
    start = f", begun from `{config['init']}`" if config.get("init") else ""
    yield "data", f"{meta['decisions']:,} decisions{before}{start}; {meta['games']:,} games in the last run"
    share = f"earlier versions of itself in {100 * config['pool']:g}% of the games" if config.get("pool") else ""
    others = ", ".join(f"`{agent}`" for agent in against)
    lanes = f"in {config['scripted_lanes']} of {config['lanes']} games at a time: {others}" if against else ""
    yield "opponents", "; ".join(["itself", *filter(None, (share, lanes))])
    yield "compute", f"{config['device']}, {config['processes']} process(es); the time was not recorded"
    yield "training", f"`{meta['trainer']}`, seed {meta['seed']}, commit `{meta['commit'][:12]}`, {meta['date'][:10]}"
    taught = taught_by(meta["game"], against)
    ranked = f"it was trained against {', '.join(taught)} of its track" if taught else "no opponent of its track"
    yield "limits", f"one run with one seed; plays this ruleset alone; {ranked}; none that is held out"
    if "converted" in meta:
        yield "changes", meta["converted"]


def cards_page() -> str:
    """Return the cards of all shipped weights."""
    cards = [f"## `{name}`\n\n{table(['', ''], rows(name))}" for name in weights.names()]
    return (
        f"{NOTE}# Model cards of the shipped weights\n\n`ppo`, `guided` and `champion` play by these files "
        "([agents](../agents.md#weights)). Everything here stands in the metadata of the files, which have the "
        "complete command and configuration: `hawaii_agents.weights.load(name).meta`. Figures of strength: "
        "[leaderboard](../benchmarks/leaderboard.md), [findings](../findings/strength.md).\n\n" + "\n".join(cards)
    )


PAGES: dict[str, Callable[[], str]] = {"reference/weights.md": cards_page}
