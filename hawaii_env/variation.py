"""RuleShift: rulesets that vary around a game's shipped one, in frozen splits for training and for evaluation.

```python
from hawaii_env import Pool, make_batch
from hawaii_env.variation import distance, sample_rules

rules = sample_rules("hawaii1795", "train", 256, seed=1)
batch = make_batch("hawaii1795", 64, rules=Pool(rules))
```

A game package has a folder ``variation``: ``levers.toml`` lists the values that may vary and their ranges, and
``splits.json`` the draws of each split, with a hash of every ruleset. The game's loader accepts each ruleset of a
split, its random games end, and no side has less than 5% between rules of thumb. See docs/benchmark.md.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hawaii_env._arguments import check_choice, check_count
from hawaii_env.errors import OptionError
from hawaii_env.games import list_games, load_game
from hawaii_env.rulesets import Ruleset
from hawaii_env.texts import describe_error, parse_json, parse_toml, read_bytes, show_value

__all__ = [
    "SPLITS",
    "Lever",
    "Split",
    "Splits",
    "Values",
    "Variation",
    "distance",
    "load_variation",
    "sample_rules",
    "varied_games",
]

FORMAT, VERSION = "hawaii_env.variation", 1
SPLITS: Mapping[str, int] = {"near": 256, "far": 256, "validation": 256, "unseen": 256, "train": 4096}
"""The splits and the rulesets that each has at most.

- ``train`` and ``validation``: for each ruleset a share from 0 to `MOST` is drawn, and so many of its values are drawn
  anew.
- ``near``: every number is changed by -1, 0 or +1; few other values change.
- ``far``: every value is drawn anew, a number between the lever's bounds, which mostly are 1 and 4.
- ``unseen``: as ``train``, and levers that no other split changes are drawn anew.
"""

MOST = 0.5
"""The maximum share of values resampled in a ruleset of ``train``."""

NEAR = 0.25
"""A toggle's probability in ``near``, relative to that when resampled."""

SHORT = 4
"""Bytes of each ruleset's hash in the file of the splits."""

MOVED = object()
"""The mark of a place whose value moves to another place."""

Keys = tuple[str | int, ...]


class _Form(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", frozen=True)


class Lever(_Form):
    """A group of values in a ruleset's files that vary in the same way.

    Attributes:
        name: its name.
        at: keys as ``"cards.toml/*.*.fleets"``: file, then tables; ``*`` is any, and a table of a list may be named
            by its id.
        where: values that the table of the key must have beside it.
        kind: ``number``: a whole number; ``choice``: one of `values`; ``member``: whether a list has an item, of those
            in it and those in `values`; ``exchange``: two or more places exchange what stands there.
        least, most: bounds in ``near``; a loader may allow more.
        low, high: bounds of a resampled number.
        values: see `kind`; in ``near`` a choice moves to the one before or after it.
        chance: of a member or of a place of an exchange that is drawn anew: its chance to change.
        falling: True if numbers in a list are in descending order.
        held_out: True if only ``unseen`` changes it.
    """

    name: str
    at: list[str] = Field(min_length=1)
    where: dict[str, Any] = Field(default_factory=dict[str, Any])
    kind: Literal["number", "choice", "member", "exchange"] = "number"
    least: int = 1
    most: int = 10
    low: int = 1
    high: int = 4
    values: list[Any] = Field(default_factory=list[Any])
    chance: float = Field(default=0.2, gt=0, le=1)
    falling: bool = False
    held_out: bool = False


class _Description(_Form):
    """``levers.toml``."""

    version: int = Field(ge=1, description="Raised with any change, as the splits are then others.")
    rule_of_thumb: str = Field(description="Agent string of the players by whom balance is checked.")
    options: list[dict[str, Any]] = Field(description="Options of the games that are checked.", min_length=1)
    lever: list[Lever] = Field(min_length=1)


class Split(_Form):
    """One split.

    Attributes:
        seed: seed of its draws.
        rejected: excluded draws, ascending, by reason.
        hashes: the first bytes of each ruleset's hash, one after the other, in base 64.
        digest: SHA-256 of all hashes.
        distance: mean distance of its rulesets from the shipped one.
    """

    seed: int
    rejected: dict[str, list[int]]
    hashes: str
    digest: str
    distance: float

    @cached_property
    def short(self) -> bytes:
        """The first bytes of each ruleset's hash, one after the other."""
        return base64.b64decode(self.hashes)

    @cached_property
    def draws(self) -> list[int]:
        """The draws of the split, ascending."""
        out = {draw for draws in self.rejected.values() for draw in draws}
        size = len(self.short) // SHORT
        return [draw for draw in range(size + len(out)) if draw not in out]


class Splits(_Form):
    """``splits.json``.

    Attributes:
        format, version: of the file.
        game: the game.
        ruleset: hash of the ruleset that the levers change.
        levers: hash of the levers.
        splits: by name.
    """

    format: str
    version: int
    game: str
    ruleset: str
    levers: str
    splits: dict[str, Split]


@dataclass(frozen=True)
class Values:
    """A lever's values in the rulesets of a game.

    Attributes:
        lever: the lever.
        keys: where they stand.
        items: of a lever of members, the items that each list may have.
        shipped: the values in the shipped ruleset.
    """

    lever: Lever
    keys: tuple[Keys, ...]
    items: tuple[list[Any], ...]
    shipped: tuple[Any, ...]

    @classmethod
    def of(cls, lever: Lever, content: Mapping[str, Any]) -> Values:
        """Return the values of a lever in a ruleset's content; without keys if it has none."""
        found: list[Keys] = []
        for at in lever.at:
            file, _, rest = at.partition("/")
            found += _expand(content.get(file), rest.split("."), (file,), lever.where)
        keys = tuple(found)
        items = tuple([*_at(content, key), *lever.values] for key in keys if lever.kind == "member")
        made = cls(lever, keys, items, ())
        return cls(lever, keys, items, tuple(made.read(content)))

    def read(self, content: Mapping[str, Any]) -> list[Any]:
        """Return what stands in a ruleset's content; of members a truth value for each item."""
        found = [_at(content, key) for key in self.keys]
        if self.lever.kind != "member":
            return found
        return [item in there for items, there in zip(self.items, found, strict=True) for item in items]

    def write(self, content: Mapping[str, Any], values: Sequence[Any]) -> None:
        """Write values into a ruleset's content."""
        rest = list(values)
        for number, key in enumerate(self.keys):
            value: Any = rest.pop(0) if self.lever.kind != "member" else None
            if self.lever.kind == "member":
                value = [item for item in self.items[number] if rest.pop(0)]
            _at(content, key[:-1])[key[-1]] = value
        if self.lever.falling:
            for row in dict.fromkeys(key[:-1] for key in self.keys):
                _at(content, row).sort(reverse=True)

    def draw(self, rng: np.random.Generator, near: bool, share: float) -> list[Any]:
        """Return values: so many of them changed, by a little for a near ruleset, else drawn anew."""
        chosen = [value if rng.random() >= share else self._changed(value, rng, near) for value in self.shipped]
        if self.lever.kind != "exchange":
            return chosen
        values = list(self.shipped)
        places = [place for place, value in enumerate(chosen) if value is MOVED]
        for place, other in zip(places, rng.permutation(places).tolist(), strict=True):
            values[place] = self.shipped[other]
        return values

    def _changed(self, value: Any, rng: np.random.Generator, near: bool) -> Any:
        lever = self.lever
        if lever.kind == "number":
            if near:
                return min(max(value + int(rng.integers(-1, 2)), lever.least), lever.most)
            return int(rng.integers(lever.low, lever.high + 1))
        if lever.kind == "choice":
            if near and value in lever.values:
                moved = lever.values.index(value) + int(rng.integers(-1, 2))
                return lever.values[min(max(moved, 0), len(lever.values) - 1)]
            return lever.values[int(rng.integers(len(lever.values)))]
        if rng.random() >= (NEAR if near else 1.0) * lever.chance:
            return value
        return MOVED if lever.kind == "exchange" else not value


class Variation:
    """The levers and the splits of a game.

    Args:
        game: name of the game.

    Raises:
        OptionError: the game's rules do not vary, or a file is wrong.
    """

    def __init__(self, game: str) -> None:
        made: Any = load_game(game)
        kind: Any = type(getattr(made, "ruleset", None))
        folder = getattr(kind, "folder", Path()) / "variation"
        if not (folder / "levers.toml").is_file():
            raise OptionError(f"game: no rules of {show_value(game)} vary; known are: {', '.join(varied_games())}")
        self.game: str = made.name
        self.folder: Path = folder
        self.shipped: Ruleset = kind.load()
        content = parse_toml(read_bytes(folder / "levers.toml"))
        self.description: _Description = _parse(_Description, content, folder / "levers.toml")
        self.levers_hash: str = _digest(content)
        self.levers: list[Values] = [Values.of(lever, self.shipped.content) for lever in self.description.lever]
        for one in self.levers:
            if not one.keys:
                where = ", ".join(one.lever.at)
                raise OptionError(f"{folder / 'levers.toml'}: {one.lever.name}: the ruleset has no {where}")

    @cached_property
    def splits(self) -> Splits:
        """The splits in the package. Raises OptionError: they are of another version."""
        return self.read_splits(self.folder / "splits.json")

    def read_splits(self, path: Path) -> Splits:
        """Return the splits of a file.

        Raises:
            OptionError: the file has another form, or is of other rules, levers or another version.
        """
        try:
            content = parse_json(read_bytes(path))
        except (OSError, ValueError) as error:
            raise OptionError(f"{path}: no splits: {describe_error(error)}") from error
        here = {
            "format": FORMAT, "version": VERSION, "game": self.game, "ruleset": self.shipped.hash,
            "levers": self.levers_hash,
        }  # fmt: skip
        for field, value in here.items():
            if (found := content.get(field) if isinstance(content, dict) else None) != value:
                raise OptionError(f"{path}: {field}: the splits are of {found!r}; this hawaii_env has {value!r}")
        return _parse(Splits, content, path)

    def split(self, name: str) -> Split:
        """Return a split. Raises OptionError: an unknown split, or a file of another version."""
        return self.splits.splits[check_choice("split", name, tuple(SPLITS))]

    def draw(self, split: str, index: int, seed: int) -> Ruleset:
        """Return a draw of a split, whether or not it belongs to it.

        Raises:
            RulesetError: the game's loader does not allow it.
        """
        rng = np.random.default_rng([seed, zlib.crc32(split.encode()), index])
        share = rng.uniform(0.0, MOST) if split in ("train", "validation", "unseen") else 1.0
        content = self.shipped.content
        for one in self.levers:
            if split == "unseen" or not one.lever.held_out:
                one.write(content, one.draw(rng, split == "near", 1.0 if one.lever.held_out else share))
        content["ruleset.toml"] |= {"name": f"{split} {index}", "kind": "variant"}
        return type(self.shipped).load(content)

    def take(self, split: str, places: Sequence[int]) -> list[Ruleset]:
        """Return rulesets of a split by their places in it, from 0.

        Raises:
            OptionError: a ruleset does not match the hash in the file.
        """
        of = self.split(split)
        found: list[Ruleset] = []
        for place in places:
            ruleset = self.draw(split, of.draws[place], of.seed)
            wanted, here = of.short[SHORT * place :][:SHORT].hex(), ruleset.hash[: 2 * SHORT]
            if here != wanted:
                raise OptionError(f"splits.{split}.hashes: ruleset {place} of {self.game} has {here}, not {wanted}")
            found.append(ruleset)
        return found


def sample_rules(game: str, split: str, n: int | None = None, seed: int = 0) -> list[Ruleset]:
    """Return different rulesets of a split, for the argument `rules` of environments, pools and games.

    Args:
        game: name of a game whose rules vary, one of `varied_games`.
        split: ``"train"``, ``"validation"``, ``"near"``, ``"far"`` or ``"unseen"``; see `SPLITS`.
        n: the number of rulesets, 1 to the size of the split; None means the whole split in order.
        seed: seed of the selection and its order; 0 or more.

    Returns:
        n different rulesets; the same arguments give the same ones.

    Raises:
        OptionError: an argument out of range, or splits of another version or of other rules; the message names the
            field.
    """
    variation = load_variation(game)
    size = len(variation.split(split).draws)
    if n is None:
        return variation.take(split, range(size))
    check_count("n", n, 1, size)
    order = np.random.default_rng(check_count("seed", seed, 0)).permutation(size)
    return variation.take(split, order[:n].tolist())


def distance(a: Ruleset, b: Ruleset | None = None) -> float:
    """Return the distance of two rulesets of a game: the mean over all values that may vary.

    Numbers count by their difference, other values as 0 if equal and 1 if not. 0 means equal values of all levers;
    rulesets of ``near`` are at most 1 from the shipped one.

    Args:
        a: a ruleset.
        b: another one of the same game; None means the shipped one.

    Raises:
        OptionError: not rulesets of the same game, or the game's rules do not vary.
    """
    if not isinstance(a, Ruleset) or not isinstance(b, (type(a), type(None))):
        raise OptionError(f"distance: expected two rulesets of one game, not {show_value(a)} and {show_value(b)}")
    variation = load_variation(type(a).folder.name)
    mine, other = a.content, (b or variation.shipped).content
    apart = [
        abs(x - y) if one.lever.kind == "number" else float(x != y)
        for one in variation.levers
        for x, y in zip(one.read(mine), one.read(other), strict=True)
    ]
    return float(np.mean(apart))


def load_variation(game: str) -> Variation:
    """Return the levers and the splits of a game.

    Raises:
        OptionError: an unknown game, one whose rules do not vary, or a wrong file.
    """
    if not isinstance(game, str):
        raise OptionError(f"game: expected the name of a game, not {show_value(game)}")
    return _load(game)


_load = cache(Variation)


def varied_games() -> list[str]:
    """Return the names of the games that have splits."""
    rulesets: dict[str, Any] = {name: getattr(load_game(name), "ruleset", None) for name in list_games()}
    return [name for name, one in rulesets.items() if one and (type(one).folder / "variation/splits.json").is_file()]


def _parse(model: type[Any], content: Any, path: Path) -> Any:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise OptionError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


# ---- values in tables


def _expand(node: Any, parts: Sequence[str], keys: Keys, where: Mapping[str, Any]) -> Iterator[Keys]:
    """Yield the keys of a pattern."""
    if not parts:
        yield keys
        return
    here, rest = parts[0], parts[1:]
    names: list[Any] = []
    if isinstance(node, dict):
        names = [key for key in node if key == here or (here == "*" and key != "source")]
    elif isinstance(node, list):
        names = [i for i, item in enumerate(node) if here == "*" or (isinstance(item, dict) and item.get("id") == here)]
    if not rest and isinstance(node, dict) and any(node.get(key) != value for key, value in where.items()):
        return
    for name in names:
        yield from _expand(node[name], rest, (*keys, name), where)


def _at(content: Any, keys: Keys) -> Any:
    for key in keys:
        content = content[key]
    return content
