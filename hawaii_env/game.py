"""Game and State: the interface of every game.

The terms are OpenSpiel's. A `Game` is immutable: its parameters, its players, its action table. A `State` is one
position of it, with or without its own generator:

- A state in the *sampled* mode has a generator and rolls every die itself: after a call it stands at a decision that
  somebody really has, or at the end.
- A state in the *explicit* mode has none: at a chance node its caller picks the outcome from `chance_outcomes()`.
  Agents that search are handed such states (`for_search(player)`), so that none can look at dice not yet rolled, nor at
  what others hold or have entered.

In both modes the state itself makes any decision that has exactly one legal choice.

These methods respect what a player may know: `view(player)`, `to_json(player=...)`, `for_search(player)`,
`resample(player, seed)`, `observation(player)` and `may_see(event, player)`. With perfect information, all players get
the same result. Code that shows a position to anybody must use them. The state itself, its trace,
`to_json(secrets=True)`, `explicit()` and `clone()` contain everything: they are for the program that runs the game.

In a *sealed* turn each player enters several decisions, hidden from the others until all are in. The engine asks one
player after the other; `sealed_turn` is the number of the current turn. Only the owner's methods show its entries.

Adapters (AEC, records, fuzzer, arena) use only this module: they do not depend on any game or number of players. The
module itself needs only numpy and the standard library.

One file: it is the contract; half of it is docstrings.
"""

from __future__ import annotations

import hashlib
import json
import math
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_count, check_list, check_number, whole
from hawaii_env.errors import HawaiiError, IllegalActionError, OptionError
from hawaii_env.texts import show_value

__all__ = [
    "CHANCE",
    "SIMULTANEOUS",
    "SPECTATOR",
    "TERMINAL",
    "ActionFactors",
    "Chance",
    "ChanceMode",
    "Decision",
    "Event",
    "Game",
    "Observer",
    "Outcome",
    "Part",
    "SealedTurn",
    "State",
    "check_action",
    "check_player",
    "check_seed",
    "check_start",
    "difference",
]

CHANCE = -1
"""`State.current_player` at a chance node (explicit mode only)."""

SIMULTANEOUS = -2
"""`State.current_player` if several players choose at once; `State.acting_players` lists them."""

SPECTATOR = -3
"""The spectator: as the `player` of `State.view` and similar methods, an observer with public information only."""

TERMINAL = -4
"""`State.current_player` when the game is over."""

ChanceMode: TypeAlias = Literal["sampled", "explicit"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a trace: a player and the chosen action.

    Attributes:
        player: index of the player, 0 to num_players - 1.
        action: index in the action table, 0 to num_actions - 1.
        text: the action in words, as `Game.action_text` gives it.
        forced: True if it was the only legal choice and the state made it.
        turn: the sealed turn in which it was entered (`State.sealed_turn`), or None if it was public.
    """

    player: int
    action: int
    text: str
    forced: bool = False
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Chance:
    """One chance outcome of a trace.

    Attributes:
        kind: the kind of chance node, one of `Game.chance_kinds`.
        outcome: the outcome as `State.chance_outcomes` numbers it (a die's face, a card's number).
        text: the outcome in words.
        player: index of the only player who learns it (for example a dealt card), or None if all do.
        forced: True if it was the only possible outcome: the state applied it without a chance node.
    """

    kind: str
    outcome: int
    text: str
    forced: bool = False
    player: int | None = None


Event: TypeAlias = Decision | Chance


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game.

    Attributes:
        reason: the reason with its section of the rulebook, such as ``"Kamehameha eliminated [5.2]"``.
        shares: each player's share of the victory, 0 or more; they sum to 1. The winner's is 1; a draw of two of six is
            1/2 for each of the two.
        places: each player's place, from 1; tied players share the better one, for example 1, 1, 3.
        scores: each player's points, or None in a game without points.
    """

    reason: str
    shares: tuple[float, ...]
    places: tuple[int, ...]
    scores: tuple[float, ...] | None = None

    @property
    def winner(self) -> int | None:
        """Index of the sole winner, or None: a shared victory, however unequal, is a draw."""
        return next((player for player, share in enumerate(self.shares) if share > 1 - 1e-9), None)

    @classmethod
    def of(
        cls,
        shares: Sequence[float],
        reason: str,
        *,
        scores: Sequence[float] | None = None,
        places: Sequence[int] | None = None,
    ) -> Outcome:
        """Return an outcome; places that are not given follow from the shares.

        Raises:
            OptionError: shares that do not sum to 1, or lists of different lengths.
        """
        shares = [check_number("shares", share) for share in check_list("shares", shares)]
        if any(share < 0 for share in shares) or abs(sum(shares) - 1) > 1e-9:
            raise OptionError(f"an outcome's shares are 0 or more and sum to 1, not {list(shares)}")
        if places is None:
            places = [1 + sum(other > share + 1e-9 for other in shares) for share in shares]
        if len(places) != len(shares) or (scores is not None and len(scores) != len(shares)):
            raise OptionError("an outcome has a share, a place and, where there are points, a score for each player")
        return cls(
            reason, tuple(map(float, shares)), tuple(places), None if scores is None else tuple(map(float, scores))
        )

    @classmethod
    def won_by(cls, winner: int | None, num_players: int, reason: str) -> Outcome:
        """Return the outcome of a game that `winner` won alone, or for None a draw of all players."""
        num_players = check_count("num_players", num_players, 1, 1000)
        if winner is None:
            return cls.of([1 / num_players] * num_players, reason)
        winner = check_count("winner", winner, 0, num_players - 1)
        return cls.of([float(player == winner) for player in range(num_players)], reason)


class SealedTurn(NamedTuple):
    """A sealed turn, as far as an observer may know it.

    Attributes:
        number: its number, counted through the game.
        phase: its phase, as `State.phase`.
        players: the players with something to enter in it.
    """

    number: int
    phase: str
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of an observation vector.

    Attributes:
        name: for example ``"pieces"``.
        shape: its shape, for example ``(40, 12)`` for 12 values for each of 40 pieces; the flat vector has it row by
            row.
        meaning: its content in a line, for the documentation.
        rows: names of the rows of a part with two axes, or empty.
        fields: meanings of the values along the last axis, each with their number, as ``(("strength", 1), ...)``, or
            empty.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str = ""
    rows: tuple[str, ...] = ()
    fields: tuple[tuple[str, int], ...] = ()

    @property
    def size(self) -> int:
        """Number of its values."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class ActionFactors:
    """The parts of each action of the table, for policies that embed actions by their parts.

    Attributes:
        names: the factors, for example ``("verb", "piece", "place")``.
        words: the words of each factor; the first is empty if some actions lack the factor.
        indices: int64[num_actions, len(names)], the index of each action's word for each factor; read-only. No two
            actions have the same row.
    """

    names: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    indices: NDArray[np.int64]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of words of each factor."""
        return tuple(len(words) for words in self.words)


def check_action(action: object, num_actions: int) -> int:
    """Return `action` as a Python int, or raise IllegalActionError.

    Any integer type is accepted (also numpy's); floats, bools, strings and None are not, even if their value would fit,
    because they are nearly always a mistake. The result is in 0 ... num_actions - 1; the state checks whether it is
    legal in the position.
    """
    number = whole(action)
    if number is None:
        given = f"{show_value(action)} ({type(action).__name__})"
        raise IllegalActionError(f"an action is an integer from 0 to {num_actions - 1}, not {given}")
    if not 0 <= number < num_actions:
        given = show_value(number)
        raise IllegalActionError(f"action {given} is outside the action table, which has 0 to {num_actions - 1}")
    return number


def check_seed(seed: object) -> int:
    """Return `seed` as a Python int, or raise OptionError. A seed is an integer of 0 or more, of any size."""
    value = whole(seed)
    if value is None or value < 0:
        given = f"{show_value(seed)} ({type(seed).__name__})" if value is None else show_value(value)
        raise OptionError(f"a seed is an integer of 0 or more, not {given}")
    return value


def check_start(chance: object, seed: object) -> int | None:
    """Return the seed of a new game, an int or None, or raise OptionError: see `Game.initial_state`."""
    check_choice("chance", chance, ("sampled", "explicit"))
    if chance == "explicit" and seed is not None:
        raise OptionError("seed: the explicit mode has no generator to seed; pass seed=None")
    return None if seed is None else check_seed(seed)


def check_sampled(state: State) -> None:
    """Raise OptionError for a state without generators: no later game can continue from it."""
    if state.chance == "explicit":
        raise OptionError("begin_after: an explicit state has no generator to go on with")


def check_player(state: State, player: object) -> int:
    """Return the observer that `player` names: its index or SPECTATOR; None is the player to act, or SPECTATOR if there
    is no single one.

    Raises:
        OptionError: no player of the game.
    """
    if player is None:
        deciding = state.current_player
        return deciding if deciding >= 0 else SPECTATOR
    index = whole(player)
    if index is not None and (0 <= index < state.game.num_players or index == SPECTATOR):
        return index
    allowed = f"an index from 0 to {state.game.num_players - 1}, SPECTATOR ({SPECTATOR}) or None"
    raise OptionError(f"player: {allowed}, not {show_value(player)}")


class Observer:
    """Writer of observations and masks, for callers that need them at each decision. For one thread.

    It may remember what it has written last, so that the next position of a state costs less.

    Args:
        game: the game.
    """

    __slots__ = ("_game",)

    def __init__(self, game: Game) -> None:
        self._game = game

    def observe(self, state: State, player: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return `State.observation` and `State.legal_mask` of a player who acts, in new arrays."""
        return np.asarray(state.observation(player), np.float32), state.legal_mask(None, player)

    def __reduce__(self) -> Any:
        return type(self), (self._game,)


class Game(ABC):
    """The rules of one game with its options: immutable, hashable, picklable. Games are equal if they have the same
    rules and options (then `difference` is empty), however their ruleset was given.

    Attributes:
        name: the game's short name, such as ``"hawaii1795"``.
        agents: names of the players in the order of their indices, each matching ``[a-z]+_[0-9]+`` (PettingZoo's form).
        num_players: number of players, ``len(agents)``.
        num_actions: size of the flat action table; actions are 0 to num_actions - 1.
        observation_size: length of an observation vector.
        observation_low: least values of an observation, float32[observation_size].
        observation_high: greatest values of an observation, float32[observation_size].
        params: the arguments that recreate this game: ``type(game)(**game.params)`` has the same rules. Values have
            JSON types.
        ruleset_name: name of the ruleset, for people.
        ruleset_hash: digest of the ruleset, in hexadecimal; games with the same hash have the same rules.
        action_table_hash: digest of the action table (index and text), in hexadecimal.
        chance_kinds: the kinds of chance node, for example ``("card", "sighting", ...)``.
        max_decisions: more decisions than any normal game has. A safety limit, not a rule: an environment that reaches
            it truncates.
        information: ``"perfect"``: all players see everything; ``"imperfect"``: something is hidden from some players.
        dynamics: ``"sequential"``: one player decides at a time, publicly; ``"sealed"``: in some turns players enter
            hidden decisions (`State.sealed_turn`); ``"simultaneous"``: in some turns all make one decision at once
            (SIMULTANEOUS).
        utility: ``"zero_sum"``: returns sum to zero; ``"general_sum"``: they need not.
        min_return: the least possible return of a player.
        max_return: the greatest possible return of a player.
        max_chance_outcomes: chance outcomes are numbered from 0 to max_chance_outcomes - 1.
        chance_public: True if all players see every chance outcome at once.
        observation_parts: named parts of the observation; the vector is their concatenation.
        action_factors: what each action is made of, or None if the game does not say.
        raw_dtype: integer type of raw observations.
    """

    name: str
    agents: tuple[str, ...]
    num_players: int
    num_actions: int
    observation_size: int
    observation_low: NDArray[np.float32]
    observation_high: NDArray[np.float32]
    params: Mapping[str, Any]
    ruleset_name: str
    ruleset_hash: str
    action_table_hash: str
    chance_kinds: tuple[str, ...]
    max_decisions: int
    information: Literal["perfect", "imperfect"] = "perfect"
    dynamics: Literal["sequential", "sealed", "simultaneous"] = "sequential"
    utility: Literal["zero_sum", "general_sum"] = "zero_sum"
    min_return: float = -1.0
    max_return: float = 1.0
    max_chance_outcomes: int
    chance_public: bool = True
    observation_parts: tuple[Part, ...]
    action_factors: ActionFactors | None = None
    raw_dtype: np.dtype[Any] = np.dtype(np.int8)

    @property
    def observation_hash(self) -> str:
        """Digest of the observation, in hexadecimal: its length and the least and greatest value of each place."""
        digest = hashlib.sha256(f"{self.name} {self.observation_size}".encode())
        for bounds in self.observation_low, self.observation_high:
            digest.update(np.ascontiguousarray(bounds, "<f4").tobytes())
        return digest.hexdigest()

    @property
    def raw_low(self) -> NDArray[Any]:
        """Least values of a raw observation, raw_dtype[observation_size]; by default the minimum of the type."""
        return np.full(self.observation_size, np.iinfo(self.raw_dtype).min, self.raw_dtype)

    @property
    def raw_high(self) -> NDArray[Any]:
        """Greatest values of a raw observation, raw_dtype[observation_size]; by default the maximum of the type."""
        return np.full(self.observation_size, np.iinfo(self.raw_dtype).max, self.raw_dtype)

    @property
    def part_slices(self) -> dict[str, slice]:
        """The slice of each part of an observation vector, by name."""
        stops = np.cumsum([part.size for part in self.observation_parts]).tolist()
        return {p.name: slice(stop - p.size, stop) for p, stop in zip(self.observation_parts, stops, strict=True)}

    def split_observation(self, observation: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return the named parts of observations, as views: ``[..., observation_size]`` becomes ``[..., *shape]`` for
        each part.

        Raises:
            OptionError: the last axis has another length.
        """
        if not isinstance(observation, np.ndarray):
            raise OptionError(f"observation: expected an array, not {show_value(observation)}")
        if observation.shape[-1:] != (self.observation_size,):
            raise OptionError(
                f"an observation of {self.name} has {self.observation_size} values, not {observation.shape}"
            )
        at, before = self.part_slices, observation.shape[:-1]
        return {p.name: observation[..., at[p.name]].reshape(*before, *p.shape) for p in self.observation_parts}

    def compile(self) -> None:  # noqa: B027  a game in plain Python leaves it as it is
        """Compile the rules now if they are not compiled yet, with a notice on stderr.

        Call it before long jobs; without it, games run in interpreted mode, more slowly, until the background has
        compiled them. A game in plain Python has nothing to compile. `hawaii_env.warm.warm` compiles search and
        batches, too.
        """

    def observer(self) -> Observer:
        """Return an observer of this game's states, for the players who act."""
        return Observer(self)

    @abstractmethod
    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> State:
        """Return a new game's first position.

        Args:
            seed: seed of the state's generator, an integer of 0 or more, of any size. None takes one from the operating
                system. In the explicit mode it must be None.
            chance: ``"sampled"`` or ``"explicit"``.
            trace: True starts a trace, which includes events that create the position (forced set-up, a first card).

        Raises:
            OptionError: the seed or the mode is none.
        """

    @abstractmethod
    def state_from_json(self, text: str) -> State:
        """Return the position that `State.to_json` wrote.

        A text written with ``secrets=True`` is restored exactly, with generator and hidden information; any other gives
        the result of `State.for_search` for the player that it was written for, in the explicit mode.

        Raises:
            StateError: the text is not JSON, is truncated, or describes a position that cannot be, or is one of another
                ruleset.
        """

    @abstractmethod
    def position(self, /, **kw: Any) -> State:
        """Return a hand-written position, in the explicit mode.

        ``game.position(**state.view(player).to_dict())`` is the same position as that player knows it. Hidden
        information that the keywords leave open is sampled as by `State.for_search`.

        Raises:
            StateError: the position is impossible; the message says why.
        """

    @abstractmethod
    def action_text(self, action: int) -> str:
        """Return the text of an action, unique in the table. Raises IllegalActionError outside it."""

    @abstractmethod
    def parse_action(self, state: State, text: str) -> int:
        """Return the legal action of `state` that `text` names.

        Raises:
            IllegalActionError: no legal action has this text; the message lists similar ones.
        """

    @abstractmethod
    def invariants(self, state: State) -> None:
        """Check the invariants of every position; the fuzzer calls it after each decision.

        Raises:
            AssertionError: an invariant is violated; the message says which.
        """

    @cached_property
    def _identity(self) -> tuple[str, str, str]:
        options = {key: value for key, value in self.params.items() if key != "rules"}
        return self.name, self.ruleset_hash, json.dumps(options, sort_keys=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self is other or self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        # A ruleset's content is thousands of characters long.
        given = [
            _ruleset(self, key) if isinstance(value, Mapping) else f"{key}={show_value(value)}"
            for key, value in self.params.items()
        ]
        return f"{type(self).__name__}({', '.join(given)})"


def _ruleset(game: Game, key: str = "rules") -> str:
    """Return a ruleset as an argument, by its name and the beginning of its hash."""
    return f"{key}=<ruleset {reprlib.repr(game.ruleset_name)} {game.ruleset_hash[:12]}>"


def difference(game: Game, other: Game) -> str:
    """Return how `game` differs from `other`, for example ``"a game with scenario='short', not scenario='long'"``.

    Returns:
        str: at most about 200 characters; empty if both have the same rules and options.
    """
    if game is other:
        return ""
    if game.name != other.name:
        return f"{game.name}, not of {other.name}"
    # The same ruleset may have been given in several ways.
    differ = [
        key
        for key in {**game.params, **other.params}
        if key != "rules" and game.params.get(key) != other.params.get(key)
    ]
    shown, wanted = (
        [f"{key}={one.params.get(key, getattr(one, key, None))!r}" for key in differ] for one in (game, other)
    )
    if game.ruleset_hash != other.ruleset_hash and (not differ or "rules" in game.params):
        shown, wanted = [*shown, _ruleset(game)], [*wanted, _ruleset(other)]
    return f"a game with {', '.join(shown)}, not {', '.join(wanted)}" if shown else ""


class State(ABC):
    """One position of a game.

    Copies (`clone`, `copy.deepcopy`, pickle) share nothing with the original. A wrong call raises and changes nothing.
    """

    __slots__ = ()

    drawing: ClassVar[Callable[[State], str] | None] = None
    """Draws positions for notebooks: `hawaii_env` sets it, because rules do not import pictures."""

    board: ClassVar[Callable[[State], str] | None] = None
    """Draws positions as text, for `str`; set in the same way."""

    trace: list[Event] | None
    """Events since the trace was started, oldest first; None without a trace. Readers may clear the list."""

    # What the position is

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game that this is a position of."""

    @property
    @abstractmethod
    def current_player(self) -> int:
        """The player who decides: an index, CHANCE (-1, explicit mode only), SIMULTANEOUS (-2) or TERMINAL (-4)."""

    @property
    def acting_players(self) -> Sequence[int]:
        """The players who have a choice now, ascending: one, or several in a simultaneous turn.

        Games with simultaneous turns override it.
        """
        player = self.current_player
        return (player,) if player >= 0 else ()

    @property
    @abstractmethod
    def chance(self) -> ChanceMode:
        """``"sampled"`` or ``"explicit"``."""

    @property
    @abstractmethod
    def phase(self) -> str:
        """The phase in the rulebook's terms, one lower-case identifier such as ``"movement"``."""

    @property
    @abstractmethod
    def is_terminal(self) -> bool:
        """True if the game is over."""

    @abstractmethod
    def returns(self) -> list[float]:
        """Return each player's result, between the game's `min_return` and `max_return`; all zero before the end.

        They sum to zero if the game's `utility` is ``"zero_sum"``.
        """

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it continues."""

    # Decisions

    @abstractmethod
    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions, ascending.

        Args:
            player: whose actions; None is the player to act. Required in a simultaneous turn. Other players have no
                legal actions.
        """

    def legal_mask(self, out: NDArray[np.int8] | None = None, player: int | None = None) -> NDArray[np.int8]:
        """Return the legal actions as a mask: int8[num_actions] of 0 and 1, all zero for a player who does not decide.

        Args:
            out: an array of this type and length to write into; None creates a new one.
            player: as for `legal_actions`.
        """
        if out is None:
            out = np.zeros(self.game.num_actions, np.int8)
        else:
            out[:] = 0
        out[self.legal_actions(player)] = 1
        return out

    @abstractmethod
    def apply(self, action: int) -> None:
        """Apply `action`, and continue to the next decision, chance node (explicit mode) or the end.

        Raises:
            IllegalActionError: not an action, or not legal here; also if no single player decides. The message names
                the action, the phase and the rule.
            GameOverError: the game is over.
        """

    def apply_joint(self, actions: Mapping[int, int]) -> None:
        """Apply the decisions of a simultaneous turn at once: one action for each of `acting_players`, by player's
        index.

        Raises:
            IllegalActionError: as `apply`; also if a player is missing or has no choice.
        """
        raise IllegalActionError(f"{self.game.name} has no simultaneous turns; use apply()")

    # Chance

    @abstractmethod
    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """Return the outcomes of the current chance node with their probabilities, which sum to 1.

        Args:
            merged: True merges outcomes that lead to the same position into one (the least of them), for search.

        Raises:
            IllegalActionError: the state stands at no chance node.
        """

    def merge_outcomes(self, outcomes: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        """Merge chance outcomes that lead to the same position: keep the first, with their total probability."""
        first: dict[bytes, int] = {}
        merged: dict[int, float] = {}
        for outcome, probability in outcomes:
            same = first.setdefault(self._after_chance(outcome).key(secrets=True), outcome)
            merged[same] = merged.get(same, 0.0) + probability
        return list(merged.items())

    def _after_chance(self, outcome: int) -> State:
        """Return a copy after an outcome of this chance node."""
        after = self.clone()
        after.apply_chance(outcome)
        return after

    @abstractmethod
    def apply_chance(self, outcome: int) -> None:
        """Apply the chance outcome `outcome` and continue, as `apply` does.

        Raises:
            IllegalActionError: it is not one of `chance_outcomes()`, or the state is not at a chance node.
        """

    @abstractmethod
    def chance_text(self, outcome: int) -> str:
        """Return an outcome of this chance node in words."""

    # Who may know what

    @property
    def sealed_turn(self) -> int | None:
        """Number of the current sealed turn, counted through the game, or None if decisions are public."""
        return None

    def known_turn(self, player: int) -> SealedTurn | None:
        """Return the current sealed turn as `player` (an index or SPECTATOR) may know it, or None.

        Code that shows the current turn uses this: its number, its phase and who must enter. A game that hides the turn
        from some observers overrides it.
        """
        number = self.sealed_turn
        if number is None:
            return None
        copies = [self.for_search(other) for other in range(self.game.num_players)]
        asked = [n for n, own in enumerate(copies) if own.current_player == n and own.sealed_turn == number]
        return SealedTurn(number, self.known_phase(player), tuple(asked))

    def known_phase(self, player: int) -> str:
        """Return the phase as `player` (an index or SPECTATOR) may know it; with `known_turn`, a game overrides it."""
        return self.phase

    def known_decider(self, player: int) -> int:
        """Return `current_player`, as far as `player` (an index or SPECTATOR) may know it: in a sealed turn the first
        player with something to enter, unless it is `player`.
        """
        turn = self.known_turn(player)
        if turn is None or not turn.players or self.current_player == player:
            return self.current_player
        return turn.players[0]

    def may_see(self, event: Event, player: int) -> bool:
        """Return True if `player` (an index or SPECTATOR) may now know an event of this game's trace.

        Only the owner knows the decisions of the current sealed turn, and only its `player` a chance outcome that has
        one. After the end everything is public. A game that hides more, or longer, overrides it.

        Raises:
            OptionError: no event, or no such player.
        """
        if not isinstance(event, (Decision, Chance)):
            raise OptionError(f"event: expected a Decision or a Chance, not {show_value(event)}")
        player = check_player(self, player)
        if self.is_terminal:
            return True
        if isinstance(event, Decision):
            return event.turn is None or event.turn != self.sealed_turn or event.player == player
        return event.player is None or event.player == player

    # Copies

    @abstractmethod
    def clone(self, seed: int | None = None, trace: bool = False) -> State:
        """Return a copy.

        Args:
            seed: None: the copy has the same mode, and continues exactly as this state would. Otherwise the copy is in
                the sampled mode with generators of that seed; if the state is at a chance node, the copy has resolved
                it.
            trace: True records later events in the copy's `trace`, including a resolved chance node. Otherwise the copy
                has no trace.
        """

    @abstractmethod
    def explicit(self) -> State:
        """Return a copy in the explicit mode, without generator and trace, with all hidden information."""

    def for_search(self, player: int | None = None) -> State:
        """Return a copy in the explicit mode, without generator and trace, of what `player` knows: the position that
        agents get.

        Others' entries in the current sealed turn are removed: they enter again, after `player`, whose own entries
        stay. Information hidden from `player` becomes a future chance node, or is sampled from what the player can
        know, always the same sample for the same knowledge; `resample` draws others. So two positions that differ only
        in what `player` may not know give the same copy.

        Args:
            player: an index, SPECTATOR, or None for the player to act.
        """
        if self.game.information != "perfect":
            raise HawaiiError(f"{self.game.name} hides things and does not say what for_search() may show")
        check_player(self, player)
        return self.explicit()

    def resample(self, player: int | None = None, seed: int | None = None) -> State:
        """Return a full position sampled from what `player` can know, in the explicit mode; if nothing is hidden, a
        copy.

        Args:
            player: as for `for_search`.
            seed: seed of the draw, an integer of 0 or more; None takes one from the operating system.
        """
        if seed is not None:
            check_seed(seed)
        return self.for_search(player)

    def begin_after(self, game: Game, start: State | None = None, trace: bool = False) -> State:
        """Return the first position of a new game whose generators continue those of this state. Sampled mode only.

        Args:
            game: the game, which may have other rules than this state's.
            start: a position of it to start from, or None.
            trace: True traces it from the start.

        Raises:
            OptionError: the state has no generator.
        """
        check_sampled(self)
        digest = hashlib.sha256(self.to_json(secrets=True).encode()).digest()
        seed = int.from_bytes(digest[:8], "big")
        return game.initial_state(seed=seed, trace=trace) if start is None else start.clone(seed=seed, trace=trace)

    # Ways to look at it

    @abstractmethod
    def observation(self, player: int, out: NDArray[Any] | None = None, raw: bool = False) -> NDArray[Any]:
        """Return the observation of `player`.

        Args:
            player: index of the observer.
            out: an array of the right type and length to write into; None creates a new one.
            raw: True gives the unscaled values, ``game.raw_dtype[observation_size]``; False float32[observation_size],
                between the game's `observation_low` and `observation_high`.
        """

    @abstractmethod
    def view(self, player: int | None = None) -> Any:
        """Return the position as `player` knows it, as a frozen dataclass with `to_dict()`. Built anew at each call.

        Args:
            player: an index, SPECTATOR, or None for the player to act.
        """

    @abstractmethod
    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        """Return the position as one line of JSON; `Game.state_from_json` reads it back.

        Its keys are ``game``, ``ruleset`` (the hash), ``options`` (`Game.params` without the rules), the view's fields,
        and with `secrets` the ``generator``'s words; see `hawaii_env.positions`.

        Args:
            secrets: True writes everything, including the generator and hidden information, so that the copy continues
                exactly as this state would. Never show it to a player.
            player: whose knowledge to write if `secrets` is False: an index, SPECTATOR, or None for the player to act.
        """

    def key(self, secrets: bool = False, player: int | None = None) -> bytes:
        """Return a key of the position, for tables and comparisons: equal exactly if `to_json` writes the same
        position. Generators do not count. Games override it, because texts are slow.

        Args:
            secrets, player: whose knowledge, as in `to_json`.
        """
        return (self.explicit() if secrets else self).to_json(secrets, player).encode()

    def __eq__(self, other: object) -> bool:
        """Return True for the same position of the same game, including hidden information; generators are not
        compared.
        """
        if not isinstance(other, State):
            return NotImplemented
        return self is other or (self.game == other.game and self.key(secrets=True) == other.key(secrets=True))

    def __hash__(self) -> int:
        return hash(self.key(secrets=True))

    # Traces

    def start_trace(self) -> None:
        """Start with an empty `trace` and record all later events in it."""
        self.trace = []

    def __str__(self) -> str:
        """Return the board as text, as the player to act knows it; see `hawaii_env.render.text.render_text`."""
        return repr(self) if State.board is None else State.board(self)

    def _repr_svg_(self) -> str | None:
        """Return the picture that a notebook shows, or None."""
        return None if State.drawing is None else State.drawing(self)

    def __repr__(self) -> str:
        outcome = self.outcome()
        if outcome is not None:
            return f"<{self.game.name}: over, {outcome.reason}>"
        player = self.known_decider(SPECTATOR)
        names = {CHANCE: "chance", SIMULTANEOUS: "simultaneous", TERMINAL: "over"}
        who = self.game.agents[player] if player >= 0 else names.get(player, str(player))
        return f"<{self.game.name}: {self.known_phase(SPECTATOR)}, {who}>"
