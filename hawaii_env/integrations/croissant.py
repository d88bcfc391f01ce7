"""The datasheet and the Croissant metadata of a data set, made from its ``dataset.json``.

[Croissant](http://mlcommons.org/croissant/1.0) describes files and columns in JSON-LD; search engines and loaders of
data sets read it. The datasheet answers the questions of *Datasheets for Datasets* (Gebru and others, 2021).
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
    """Return the name of a data set: its game and the options that differ from the defaults."""
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
        "description": "All shards, in their order.",
        "encodingFormat": "application/x-parquet",
        "includes": "data/*.parquet",
    }
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name_of(made),
        "description": f"{count(made['games'], 'game')} of {title} between agents, {made['decisions']:,} decisions "
        "with observations and legal actions.",
        "license": LICENSE,
        "version": f"{made['version']}.0.0",
        "datePublished": made["made"],
        "creator": {"@type": "sc:Organization", "name": CREATOR},
        "keywords": ["offline reinforcement learning", "board game", "self-play", made["setting"]["game"]],
        "citeAs": f"{CREATOR}: hawaii_env {made['library']}",
        "isLiveDataset": False,
        "distribution": [*files, shards],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "decisions", "name": "decisions", "field": fields,
                       "description": "A record is a decision that a player was asked."}],
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

Decisions of agents of different strength, for imitation, offline reinforcement learning, value and opponent models.
{CREATOR} made it with version {made["library"]} of the library.

## Composition

- game: {title} ({options})
- {count(made["games"], "game")}, {made["ties"]:,} of them ties; {missing:,} are left out, because an agent failed
- {made["decisions"]:,} decisions, {made["decisions"] / made["games"]:.1f} a game
- {made["legal"]:.1f} legal actions a decision
- {len(made["shards"])} files of Parquet, {size:.1f} MB

A row is a decision that a player was asked, in the order of play; decisions with one legal action are left out. There
are no persons in the data.

| agent | seats played | decisions | mean return |
| --- | --- | --- | --- |
{agents}
| column | type | meaning |
| --- | --- | --- |
{columns}
Observations are raw, int8: times `game.scale` they are the float32 observations. The metadata of each file have the
game's parameters, sizes, and the hashes of ruleset (`{setting["rules"][:16]}`) and actions
(`{setting["actions"][:16]}`).

## Collection

All tables of these agents met equally often, in all seats, with the same cards and dice in all rotations of the seats.
Every game was recorded, replayed and checked. This command makes the same data again:

```bash
{command(made)}
```

## Uses and limits

Return, winner and reason are known only at the end of a game: they are targets, no inputs. Split by `game`, not by row.
Weak agents are there for contrast; choose by `name`. The opponents that the
benchmark holds out are not in the data, and data of them must not be made. Many values of the rules are reconstructed,
so strength here says nothing of the published game.

## Distribution and maintenance

Licence: {LICENSE}. `croissant.json` has the SHA-256 of each file. A data set of another version of the library, rules,
actions or observation is another data set.
"""
