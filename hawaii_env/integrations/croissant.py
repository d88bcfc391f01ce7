"""Datasheet and Croissant metadata of a data set, from its ``dataset.json``.

[Croissant](http://mlcommons.org/croissant/1.0) describes files and columns in JSON-LD, for search engines and data
loaders. The datasheet answers the questions of *Datasheets for Datasets* (Gebru and others, 2021).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hawaii_env import games
from hawaii_env.integrations.offline import COLUMNS
from hawaii_env.texts import count

__all__ = ["croissant", "croissant_text", "datasheet"]

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{
        name: f"cr:{name}"
        for name in (
            "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet",
            "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
            "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField",
            "transform",
        )
    },
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}  # fmt: skip
LICENSE = "https://spdx.org/licenses/MIT"
CREATOR = "The hawaii_env contributors"

TYPES = {"int": "sc:Integer", "float": "sc:Float", "string": "sc:Text"}


def name_of(made: Mapping[str, Any]) -> str:
    """Return the name of a data set: its game, the options that differ from the defaults, and the number of games."""
    setting = made["setting"]
    defaults = {option.name: option.default for option in games.find(setting["game"]).options}
    kind = [f"{key}-{value}" for key, value in setting["options"].items() if value != defaults.get(key)]
    return "-".join([setting["game"], *kind, f"{made['games']}-games"])


def croissant(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Croissant metadata (version 1.0) of a complete data set.

    Args:
        made: the content of its ``dataset.json``.
    """
    title = games.find(made["setting"]["game"]).title
    files = [
        {
            "@type": "cr:FileObject",
            "@id": one["name"],
            "name": one["name"],
            "contentUrl": f"data/{one['name']}",
            "contentSize": f"{one['bytes']} B",
            "encodingFormat": "application/x-parquet",
            "sha256": one["sha256"],
        }
        for one in made["shards"]
    ]
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"decisions/{name}",
            "name": name,
            "description": meaning,
            "dataType": next(found for key, found in TYPES.items() if key in kind),
            "source": {"fileSet": {"@id": "shards"}, "extract": {"column": name}},
            **({"repeated": True} if "list" in kind else {}),
        }
        for name, (kind, meaning) in COLUMNS.items()
    ]
    shards = {
        "@type": "cr:FileSet",
        "@id": "shards",
        "name": "shards",
        "description": "All shards, in order.",
        "encodingFormat": "application/x-parquet",
        "includes": "data/*.parquet",
    }
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name_of(made),
        "description": f"{count(made['decisions'], 'decision')} of agents in {count(made['games'], 'game')} of "
        f"{title}, with observations, legal actions and results.",
        "license": LICENSE,
        "version": f"{made['version']}.0.0",
        "datePublished": made["made"],
        "creator": {"@type": "sc:Organization", "name": CREATOR},
        "keywords": ["offline reinforcement learning", "board game", "self-play", made["setting"]["game"]],
        "citeAs": f"{CREATOR}: hawaii_env {made['library']}",
        "isLiveDataset": False,
        "distribution": [*files, shards],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "decisions", "name": "decisions", "field": fields,
                       "description": "One record per decision of a player."}],
    }  # fmt: skip


def croissant_text(made: Mapping[str, Any]) -> str:
    """Return the Croissant metadata as the file ``croissant.json``."""
    return json.dumps(croissant(made), indent=1, ensure_ascii=False) + "\n"


def command(made: Mapping[str, Any]) -> str:
    """Return the command that makes a data set."""
    setting = made["setting"]
    defaults = {option.name: option.default for option in games.find(setting["game"]).options}
    options = [f"--option {key}={value}" for key, value in setting["options"].items() if value != defaults.get(key)]
    return " \\\n    ".join([f"hawaii dataset FOLDER --game {setting['game']}", *options]) + (
        f" \\\n    --games {made['wanted']} --shard {made['shard']} --seed {made['seed']}"
        f" \\\n    --agents '{','.join(made['agents'])}'"
    )


def datasheet(made: Mapping[str, Any]) -> str:
    """Return the datasheet of a complete data set, in Markdown."""
    setting, title = made["setting"], games.find(made["setting"]["game"]).title
    size = sum(one["bytes"] for one in made["shards"]) / 1e6
    agents = "".join(
        f"| `{one['agent']}` | {one['seats']:,} | {one['decisions']:,} | {one['mean_return']:.3f} |\n"
        for one in made["played"]
    )
    columns = "".join(f"| `{name}` | {kind} | {meaning} |\n" for name, (kind, meaning) in COLUMNS.items())
    options = ", ".join(f"`{key}={value}`" for key, value in setting["options"].items())
    missing = made["wanted"] - made["games"]
    return f"""# Datasheet: {name_of(made)}

## Motivation

Decisions of agents of different strength, for imitation learning, offline reinforcement learning, and models of values
or opponents. {CREATOR} created the data set with version {made["library"]} of the library.

## Composition

- Game: {title} ({options}).
- {count(made["games"], "game")}, including {count(made["ties"], "tie")}.
- Left out because an agent failed: {count(missing, "game")}.
- {count(made["decisions"], "decision")}, {made["decisions"] / made["games"]:.1f} per game.
- {made["legal"]:.1f} legal actions per decision on average.
- {count(len(made["shards"]), "Parquet file")}, {size:.1f} MB.

Each row is one decision of a player, in the order of play. Decisions with a single legal action are left out. The data
contain no information about people.

| agent | seats played | decisions | mean return |
| --- | --- | --- | --- |
{agents}
| column | type | meaning |
| --- | --- | --- |
{columns}
Observations are raw int8 values; multiply them by `game.scale` to get the float32 observations of the environments. The
metadata of each file contain the options of the game, the sizes of observations and actions, and the hashes of the
ruleset (`{setting["rules"][:16]}`) and the action table (`{setting["actions"][:16]}`).

## Collection

All combinations of these agents met equally often. Each combination played the same cards and dice in every rotation of
the seats. Every game was recorded, replayed and checked. This command creates the same data again:

```bash
{command(made)}
```

## Uses and limits

- The return, the winner and the reason are known only when a game is over: use them as targets, not as inputs.
- Split the data by `game`, not by row: decisions of one game are not independent.
- Some agents are weak on purpose. Select agents by `name`.
- The data contain no games of the benchmark's held-out opponents. Do not add any.
- Many values in the rules are reconstructed, so results do not show how strong an agent is in the published game.

## Distribution and maintenance

Licence: {LICENSE}. `croissant.json` lists the SHA-256 of each file. A new version of the
library, the rules, the actions or the observation needs a new data set.
"""
