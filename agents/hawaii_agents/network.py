"""Policy and value as plain arrays, written by training and read by agents. NumPy only; no torch, no pickle.

A policy is a file in the safetensors format: the arrays of `Policy.shapes`, and in its header one JSON text,
`Policy.meta`, which says what game, ruleset, action table and observation they were trained with, and how.
`Policy.check` raises for a game that does not match. A compact file has half-precision matrices, and only the nonzero
columns of the first one.

The network has two towers of two tanh layers each. The first layers of both stand in one matrix, policy first:

    p, v = split(tanh(first(x)))                     H values each
    logits = actions(tanh(policy(p)))                A values, of which the legal ones count
    value  = score(tanh(worth(v)))                   for the player who observes, -1 ... 1 or near it
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_agents import hexes
from hawaii_agents.levers import outside
from hawaii_env.agents import check_kind, check_path
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.render.picture import need
from hawaii_env.texts import parse_json, read_bytes

__all__ = ["FORMAT", "HexPolicy", "Policy", "game_meta", "require"]

F32 = NDArray[np.float32]

FORMAT = 2
"""Version of the file format; later versions raise an error. Version 2 added compact files."""

COLUMNS = "first.columns"
"""In a compact file: int32[C], the columns of first.weight that are there, ascending; the others are 0."""

_KEY = "hawaii_policy"

LARGEST = 2**30
"""Bytes of a file that is read."""


def game_meta(game: Game) -> dict[str, Any]:
    """Return a policy's metadata about its game: the keys ``game``, ``ruleset``, ``action_table_hash`` and
    ``observation``.
    """
    return {
        "game": game.name,
        "ruleset": {"name": game.ruleset_name, "hash": game.ruleset_hash},
        "action_table_hash": game.action_table_hash,
        "observation": {
            "size": game.observation_size,
            "hash": game.observation_hash,
            # A game that names its observation's values may say so by a hash of its own, which sees more than bounds
            # do.
            "layout": getattr(game, "observation_layout_hash", None),
        },
    }


class Policy:
    """Weights of a policy and its value, with their origin.

    Args:
        tensors: the arrays of `shapes`, any float type; they are kept as float32, C-contiguous.
        meta: of JSON's types. `game_meta` gives the keys that `check` reads; training adds ``config``, ``seed``,
            ``command``, ``commit``, ``decisions`` (learned from), ``date`` and what it measured. ``format`` and
            ``architecture`` are set here.
        origin: its name in errors: a path or a name.

    Attributes:
        tensors: float32 arrays by name.
        meta: the metadata.
        observation_size, num_actions, hidden: O, A and H.

    Raises:
        OptionError: an array is missing, has another shape, or holds a value that is not finite.
    """

    kind = "two_towers"
    """Of the network: each kind is a subclass, found by `of`."""
    shapes: Mapping[str, str] = {
        "first.weight": "2H O",
        "first.bias": "2H",
        "policy.weight": "H H",
        "policy.bias": "H",
        "worth.weight": "H H",
        "worth.bias": "H",
        "actions.weight": "A H",
        "actions.bias": "A",
        "score.weight": "1 H",
        "score.bias": "1",
    }
    """The arrays, float32, and their shapes: O observation_size, A num_actions, H width of the layers."""

    @staticmethod
    def of(tensors: Mapping[str, NDArray[Any]], meta: Mapping[str, Any] | None, origin: str) -> Policy:
        """Return the policy of the kind that has these arrays."""
        kind = HexPolicy if "map.neighbours" in tensors else Policy
        return kind(tensors, meta, origin)

    @classmethod
    def from_torch(cls, policy: Any, worth: Any, game: Game, meta: Mapping[str, Any] | None = None) -> Policy:
        """Return the policy of two torch modules, for saving and for playing without torch.

        Args:
            policy: a module whose linear layers are O x H, H x H and H x A, with tanh between them.
            worth: the same with one output: the value for the player to act.
            game: the game for which it was trained.
            meta: more metadata, such as the training's ``config``.

        Raises:
            OptionError: other layers, or sizes that do not match the game.
        """
        check_kind("game", game, Game)
        tensors: dict[str, NDArray[Any]] = {}
        first: list[tuple[NDArray[Any], NDArray[Any]]] = []
        for name, module, last in (("policy", policy, "actions"), ("worth", worth, "score")):
            layers = _linear_layers(name, module)
            first.append(layers[0])
            for part, (weight, bias) in zip((name, last), layers[1:], strict=True):
                tensors |= {f"{part}.weight": weight, f"{part}.bias": bias}
        for key, both in zip(("weight", "bias"), zip(*first, strict=True), strict=True):
            tensors[f"first.{key}"] = np.concatenate(both)
        made = cls(tensors, {**game_meta(game), **(meta or {})}, "the torch policy")
        made.check(game)
        return made

    def __init__(
        self, tensors: Mapping[str, NDArray[Any]], meta: Mapping[str, Any] | None = None, origin: str = "the policy"
    ) -> None:
        self.origin = origin
        missing = sorted(set(self.shapes) - set(tensors))
        if missing:
            raise OptionError(f"{origin}: no policy of this kind: the arrays {', '.join(missing)} are missing")
        self.tensors: dict[str, F32] = {k: np.ascontiguousarray(tensors[k], np.float32) for k in self.shapes}
        for name, shape in self.shapes.items():
            if self.tensors[name].ndim != len(shape.split()):
                raise OptionError(f"{origin}: {name} has the shape {list(self.tensors[name].shape)}, not [{shape}]")
        self.hidden = self.observation_size = self.num_actions = 0
        sizes = self._measure()
        for name, shape in self.shapes.items():
            wanted = tuple(sizes[part] if part in sizes else int(part) for part in shape.split())
            if self.tensors[name].shape != wanted:
                raise OptionError(
                    f"{origin}: {name} has the shape {list(self.tensors[name].shape)}, not {list(wanted)}"
                )
            if not np.isfinite(self.tensors[name]).all():
                raise OptionError(f"{origin}: {name} holds values that are not finite")
        self.meta: dict[str, Any] = {
            **(meta or {}),
            "format": FORMAT,
            "architecture": {
                "kind": self.kind, "activation": "tanh", "observation_size": self.observation_size,
                "num_actions": self.num_actions, "hidden": self.hidden,
            },
        }  # fmt: skip
        self._known: dict[tuple[type, str], str] = {}  # by game and ruleset: why it is none that training saw
        self._prepare()

    def _measure(self) -> dict[str, int]:
        """Set observation_size, num_actions and hidden by the arrays; return the sizes by the names in `shapes`."""
        first, last = self.tensors["first.weight"], self.tensors["actions.weight"]
        self.hidden: int = first.shape[0] // 2
        self.observation_size: int = first.shape[1]
        self.num_actions: int = last.shape[0]
        return {"O": first.shape[1], "A": last.shape[0], "H": self.hidden, "2H": 2 * self.hidden}

    def _prepare(self) -> None:
        """Arrange the weights for one decision: columns of the first layer as rows, so that those of zero inputs are
        skipped.
        """
        t, h = self.tensors, self.hidden
        self._columns = np.ascontiguousarray(t["first.weight"].T)
        self._policy_columns = np.ascontiguousarray(self._columns[:, :h])

    # Files

    @classmethod
    def load(cls, path: str | Path, game: Game | None = None) -> Policy:
        """Read a policy's file.

        Args:
            path: a file that `save` wrote.
            game: the game that it is to play: see `check`. None checks nothing.

        Raises:
            OptionError: no such file, no policy in it, or one of a later format; or the policy does not fit the game.
            MissingExtraError: safetensors is not installed.
        """
        path = check_path("path", path)
        safe = _safetensors()
        if not path.is_file():
            raise OptionError(f"there is no policy file {path}")
        try:
            data = read_bytes(path, LARGEST)
            tensors = safe.load(data)
            # Eight bytes say how long the header is, of whose doubled keys the library takes the last.
            header = parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")])
            meta = parse_json(header["__metadata__"][_KEY], finite=False)
            version = int(meta["format"])
            activation = meta["architecture"]["activation"]
            if COLUMNS in tensors:
                tensors["first.weight"] = _spread(tensors, int(meta["architecture"]["observation_size"]))
        except Exception as error:  # a damaged file fails in many ways
            raise OptionError(f"{path} holds no policy: {type(error).__name__}: {error}") from error
        if version > FORMAT or activation != "tanh":
            raise OptionError(
                f"{path}: format {version}, activation {activation}: this version of hawaii_agents reads formats up to "
                f"{FORMAT} with tanh; a later version of the package may play it"
            )
        policy = cls.of(tensors, meta, str(path))
        if game is not None:
            policy.check(game)
        return policy

    def save(self, path: str | Path, compact: bool = False) -> None:
        """Write the file atomically; an existing file is replaced.

        Args:
            path: the file.
            compact: matrices as float16, and only the nonzero columns of the first one: a third of the size or less.
                Weights change by at most one part in 2,000.

        Raises:
            OptionError: a weight that float16 cannot hold, 65,520 or more.
            MissingExtraError: safetensors is not installed.
        """
        safe, path = _safetensors(), Path(path)
        part = path.with_name(path.name + ".part")
        tensors = self._compact() if compact else self.tensors
        data = safe.save(tensors, {_KEY: json.dumps(self.meta, sort_keys=True)})
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)

    def _compact(self) -> dict[str, NDArray[Any]]:
        columns = np.flatnonzero(self.tensors["first.weight"].any(0))
        tensors = {**self.tensors, "first.weight": self.tensors["first.weight"][:, columns]}
        return {**self._half(tensors), COLUMNS: columns.astype(np.int32)}

    def _half(self, tensors: Mapping[str, F32]) -> dict[str, NDArray[Any]]:
        most = max((float(np.abs(array).max()) for array in tensors.values() if array.size), default=0.0)
        if most >= 65_520:
            raise OptionError(f"{self.origin}: a weight of {most:g} does not go into a compact file")
        return {
            name: np.ascontiguousarray(array, np.float16 if array.ndim > 1 else np.float32)
            for name, array in tensors.items()
        }

    # What it fits

    def check(self, game: Game, ruleset: bool = False) -> None:
        """Raise OptionError unless the policy can play this game: the same actions and observations.

        Args:
            game: the game.
            ruleset: True also requires a ruleset on which it was trained: that one, or one in the range of the levers
                in its metadata. It can play others, but not as well.
        """
        meta, wanted = self.meta, game_meta(game)
        advice = (
            "Take weights that were trained with it, install the version of hawaii_env that these came "
            "with, or train again: hawaii train --preset full"
        )
        if meta.get("game") != game.name:
            raise OptionError(
                f"{self.origin}: weights for the game {meta.get('game')!r}, not for {game.name!r}. {advice}"
            )
        if meta.get("action_table_hash") != game.action_table_hash or self.num_actions != game.num_actions:
            raise OptionError(
                f"{self.origin}: trained with another action table ({_short(meta.get('action_table_hash'))}, "
                f"{self.num_actions} actions) than this game's ({_short(game.action_table_hash)}, {game.num_actions}): "
                f"its outputs would mean other actions. {advice}"
            )
        mine, theirs = meta.get("observation") or {}, wanted["observation"]
        same = mine.get("hash") == theirs["hash"] and self.observation_size == theirs["size"]
        if mine.get("layout") and theirs["layout"]:
            same = same and mine["layout"] == theirs["layout"]
        if not same:
            raise OptionError(
                f"{self.origin}: trained with another observation ({_short(mine.get('hash'))}, "
                f"{self.observation_size} values) than this game's ({_short(theirs['hash'])}, "
                f"{theirs['size']}): its inputs would mean other things. {advice}"
            )
        if ruleset and (why := self._strange(game)):
            raise OptionError(
                f"{self.origin}: {why}. To play it on {game.ruleset_name!r} ({_short(game.ruleset_hash)}) all the "
                f"same, say any_ruleset=true. {advice}"
            )

    def _strange(self, game: Game) -> str:
        """Return why a game's ruleset was not part of the training; empty if it was."""
        ruleset, levers = self.meta.get("ruleset") or {}, self.meta.get("levers")
        key = type(game), game.ruleset_hash
        if key not in self._known:
            trained = f"the ruleset {ruleset.get('name')!r} ({_short(ruleset.get('hash'))})"
            if not levers:
                same = ruleset.get("hash") == game.ruleset_hash
                self._known[key] = "" if same else f"trained on {trained}, not on this game's"
            else:
                why = outside(game, levers, ruleset)
                self._known[key] = why and f"trained on rulesets around {trained}, and this game's lies outside: {why}"
        return self._known[key]

    # Forward

    def towers(self, observations: F32, worth: bool = True) -> tuple[F32, F32]:
        """Return the inputs of the last layers of policy and value, float32[n, H] each.

        Args:
            observations: float32[n, O].
            worth: False leaves the value's out: the second array has no rows.
        """
        t, h = self.tensors, self.hidden
        bias = t["first.bias"]
        if not worth:
            first = np.tanh(observations @ self._policy_columns + bias[:h])
            return np.tanh(first @ t["policy.weight"].T + t["policy.bias"]), np.zeros((0, h), np.float32)
        first = np.tanh(observations @ self._columns + bias)
        policy = np.tanh(first[:, :h] @ t["policy.weight"].T + t["policy.bias"])
        return policy, np.tanh(first[:, h:] @ t["worth.weight"].T + t["worth.bias"])

    def forward(self, observations: F32, masks: NDArray[np.int8]) -> tuple[F32, F32]:
        """Return the logarithms of the legal actions' probabilities, and the values.

        Args:
            observations: float32[n, O].
            masks: int8[n, A] of 0 and 1, at least one 1 in each row.

        Returns:
            float32[n, A], -inf where an action is not legal; and float32[n], for the player who observes.
        """
        policy, worth = self.towers(observations)
        table = self._table(masks.shape, *self._of_legal(policy, masks))
        return table, worth @ self.tensors["score.weight"][0] + self.tensors["score.bias"][0]

    def choices(self, observations: F32, masks: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64], F32]:
        """Return row, action and logit of each legal action, row by row; arguments as of `forward`."""
        return self._of_legal(self.towers(observations, worth=False)[0], masks)

    def _of_legal(self, policy: F32, masks: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64], F32]:
        rows, actions = self._legal(masks)
        logits = np.einsum("ij,ij->i", policy[rows], self.tensors["actions.weight"][actions])
        return rows, actions, logits + self.tensors["actions.bias"][actions]

    @staticmethod
    def _legal(masks: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return row and action of each legal action, row by row."""
        flags = np.ascontiguousarray(masks, np.bool_)
        # nonzero() in two dimensions takes ten times as long
        return np.divmod(np.flatnonzero(flags), flags.shape[1])

    @staticmethod
    def _table(shape: tuple[int, ...], rows: NDArray[np.int64], actions: NDArray[np.int64], logits: F32) -> F32:
        """Return the logarithms of probabilities of some logits in a table of all, -inf for actions not legal."""
        table = np.full(shape, -np.inf, np.float32)
        starts = np.searchsorted(rows, np.arange(len(table)))
        top = np.maximum.reduceat(logits, starts)
        total = np.add.reduceat(np.exp(logits - top[rows]), starts)
        table[rows, actions] = logits - (top + np.log(total))[rows]
        return table

    def logits(self, observation: F32, legal: Sequence[int]) -> F32:
        """Return the logits of one position's legal actions, float32[len(legal)], from its observation, float32[O].
        Fast.
        """
        t = self.tensors
        some = observation.nonzero()[0]  # about one input in seven is not zero
        first = np.tanh(observation[some] @ self._policy_columns[some] + t["first.bias"][: self.hidden])
        second = np.tanh(t["policy.weight"] @ first + t["policy.bias"])
        actions = np.asarray(legal, np.int64)
        return t["actions.weight"][actions] @ second + t["actions.bias"][actions]

    def evaluate(self, observation: F32, legal: Sequence[int]) -> tuple[F32, float]:
        """Return probabilities of one position's legal actions, float32[len(legal)], and its value for the observer."""
        t, h = self.tensors, self.hidden
        some = observation.nonzero()[0]
        first = np.tanh(observation[some] @ self._columns[some] + t["first.bias"])
        second = np.tanh(t["policy.weight"] @ first[:h] + t["policy.bias"])
        worth = np.tanh(t["worth.weight"] @ first[h:] + t["worth.bias"])
        actions = np.asarray(legal, np.int64)
        logits = t["actions.weight"][actions] @ second + t["actions.bias"][actions]
        chances = np.exp(logits - logits.max())
        return chances / chances.sum(), float(t["score.weight"][0] @ worth + t["score.bias"][0])

    def __repr__(self) -> str:
        sizes = f"{self.observation_size} -> 2 x {self.hidden} -> {self.num_actions}"
        return f"<Policy of {self.meta.get('game')}: {sizes}, {self.meta.get('decisions', 0):,} decisions>"


class HexPolicy(Policy):
    """Weights of a policy over a map of hexes, see `hawaii_agents.hexes`."""

    kind = "hexes"
    shapes: Mapping[str, str] = hexes.SHAPES

    def _measure(self) -> dict[str, int]:
        found = hexes.sizes(self.tensors)
        self.hidden: int = found["H"]
        self.observation_size: int = found["S"] * found["N"] + found["V"]
        self.num_actions: int = found["B"] + found["C"] * found["N"]
        return found

    def _prepare(self) -> None:
        self._network = hexes.Network(self.tensors)

    def _compact(self) -> dict[str, NDArray[Any]]:
        return self._half(self.tensors)

    def forward(self, observations: F32, masks: NDArray[np.int8]) -> tuple[F32, F32]:
        """Return the logarithms of the legal actions' probabilities, and the values; see `Policy.forward`."""
        rows, actions = self._legal(masks)
        logits, values = self._network.evaluate(observations)
        return self._table(masks.shape, rows, actions, logits[rows, actions]), values

    def choices(self, observations: F32, masks: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64], F32]:
        """Return row, action and logit of each legal action, row by row."""
        rows, actions = self._legal(masks)
        return rows, actions, self._network.evaluate(observations)[0][rows, actions]

    def logits(self, observation: F32, legal: Sequence[int]) -> F32:
        """Return the logits of one position's legal actions, float32[len(legal)]."""
        return self._network.evaluate(observation[None])[0][0, np.asarray(legal, np.int64)]

    def evaluate(self, observation: F32, legal: Sequence[int]) -> tuple[F32, float]:
        """Return probabilities of one position's legal actions, float32[len(legal)], and its value for the observer."""
        logits, values = self._network.evaluate(observation[None])
        some = logits[0, np.asarray(legal, np.int64)]
        chances = np.exp(some - some.max())
        return chances / chances.sum(), float(values[0])


def _spread(tensors: dict[str, NDArray[Any]], size: int) -> F32:
    """Return the first layer's weights of a compact file, float32[2H, size]; take its columns out of `tensors`."""
    columns, some = tensors.pop(COLUMNS), tensors["first.weight"]
    whole = np.zeros((len(some), size), np.float32)
    whole[:, columns] = some
    return whole


def _linear_layers(name: str, module: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return weight and bias of the three linear layers of a torch module. Raises OptionError."""
    modules = getattr(module, "modules", tuple)
    leaves = [one for one in modules() if not list(one.children())]
    kinds = [type(one).__name__ for one in leaves]
    if kinds != ["Linear", "Tanh", "Linear", "Tanh", "Linear"] or any(one.bias is None for one in leaves[::2]):
        raise OptionError(
            f"{name}: expected Linear, Tanh, Linear, Tanh, Linear, with biases; not {', '.join(kinds) or 'no layers'}"
        )
    return [(one.weight.detach().cpu().numpy(), one.bias.detach().cpu().numpy()) for one in leaves[::2]]


def _short(digest: object) -> str:
    return f"{digest[:12]}..." if isinstance(digest, str) else "unknown"


def require() -> None:
    """Check that policies can be read, before a game needs one.

    Raises:
        MissingExtraError: safetensors is not installed.
    """
    _safetensors()


def _safetensors() -> Any:
    need("safetensors", "a trained policy", "safetensors", "agents")
    from safetensors import numpy

    return numpy
