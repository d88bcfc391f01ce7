"""Game and State: what every game here offers.

The terms are OpenSpiel's. A `Game` is immutable: its parameters, its players, its action table. A `State` is one
position of it, with or without a generator of its own:

- A state in the *sampled* mode has a generator and rolls every die itself: after a call it stands at a decision that
  somebody really has, or at the end.
- A state in the *explicit* mode has none: at a chance node its caller picks the outcome from `chance_outcomes()`.
  Agents that search are handed such states (`for_search()`), so that none can look at dice not yet rolled.

In both modes a decision with exactly one legal choice is taken by the state and not asked.

Adapters (AEC, records, fuzzer, arena) use nothing but this module: they know no game, and no number of players. The
module itself needs numpy and the standard library only.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import IllegalActionError, OptionError

__all__ = [
    "CHANCE",
    "SIMULTANEOUS",
    "TERMINAL",
    "Chance",
    "ChanceMode",
    "Decision",
    "Event",
    "Game",
    "Outcome",
    "State",
    "check_action",
    "check_seed",
]

CHANCE = -1
"""`State.current_player` at a chance node (explicit mode only)."""

SIMULTANEOUS = -2
"""`State.current_player` where several players choose at once; `State.acting_players` says who."""

TERMINAL = -4
"""`State.current_player` when the game is over."""

ChanceMode: TypeAlias = Literal["sampled", "explicit"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a trace: who chose what.

    Attributes:
        player: index of the player, 0 to num_players - 1.
        action: index in the action table, 0 to num_actions - 1.
        text: the action in words, as `Game.action_text` gives it.
        forced: True when it was the only legal choice and the state took it by itself.
    """

    player: int
    action: int
    text: str
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Chance:
    """One chance outcome of a trace.

    Attributes:
        kind: what was rolled or drawn, one of `Game.chance_kinds`.
        outcome: the outcome as `State.chance_outcomes` numbers it (a die's face, a card's number).
        text: the outcome in words.
        forced: True when it was the only outcome possible: the state let it fall by itself, without a chance node.
    """

    kind: str
    outcome: int
    text: str
    forced: bool = False


Event: TypeAlias = Decision | Chance


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    Attributes:
        winner: index of the winning player, or None for a tie.
        reason: in the rulebook's words, with its section, as ``"Kamehameha eliminated [5.2]"``.
    """

    winner: int | None
    reason: str


def check_action(action: object, num_actions: int) -> int:
    """Return `action` as a Python int, or raise IllegalActionError.

    Any integer type is an action (numpy's too); floats, bools, strings and None are not, even where their value would
    fit, because they are nearly always a mistake of the caller. The result is in 0 ... num_actions - 1; whether it is
    legal in the position is the state's to say.
    """
    if type(action) is not int:
        if isinstance(action, (bool, np.bool_)):
            raise IllegalActionError(f"an action is an integer, not the bool {action}")
        try:
            # 0-d integer arrays and numpy integers pass; floats have no __index__.
            action = operator.index(cast(Any, action))
        except TypeError:
            raise IllegalActionError(
                f"an action is an integer from 0 to {num_actions - 1}, not {action!r} ({type(action).__name__})"
            ) from None
    if not 0 <= action < num_actions:
        raise IllegalActionError(f"action {action} is outside the action table, which has 0 to {num_actions - 1}")
    return action


def check_seed(seed: object) -> int:
    """Return `seed` as a Python int, or raise OptionError. A seed is an integer of 0 or more, of any size."""
    if isinstance(seed, (bool, np.bool_)):
        raise OptionError(f"a seed is an integer of 0 or more, not the bool {seed}")
    try:
        value = operator.index(cast(Any, seed))
    except TypeError:
        raise OptionError(f"a seed is an integer of 0 or more, not {seed!r} ({type(seed).__name__})") from None
    if value < 0:
        raise OptionError(f"a seed is an integer of 0 or more, not {value}")
    return value


class Game(ABC):
    """The rules of one game with its options: immutable, hashable by identity, picklable.

    Attributes:
        name: the game's short name, as ``"hawaii1795"``.
        agents: names of the players in the order of their indices, each matching ``[a-z]+_[0-9]+`` (PettingZoo's form).
        num_players: number of players, ``len(agents)``.
        num_actions: size of the flat action table; actions are 0 to num_actions - 1.
        observation_size: length of an observation vector.
        observation_low: least values of an observation, float32[observation_size].
        observation_high: greatest values of an observation, float32[observation_size].
        params: the arguments that make this game again: ``type(game)(**game.params)`` plays by the same rules. Values are
            of JSON's types.
        ruleset_name: name of the ruleset, for people.
        ruleset_hash: digest of the ruleset, in hexadecimal; two games of one hash play by the same rules.
        action_table_hash: digest of the action table (index and text), in hexadecimal.
        chance_kinds: the kinds of chance node, as ``("card", "sighting", ...)``.
        max_decisions: more decisions than any game can ask. A figure of safety, not a rule: an environment that
            reaches it truncates.
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

    @abstractmethod
    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> State:
        """Return a new game's first position.

        Args:
            seed: seed of the state's generator, an integer of 0 or more, of any size. None takes one from the
                operating system. Meaningless in the explicit mode, where it must be None.
            chance: ``"sampled"`` or ``"explicit"``.
            trace: True starts a trace that holds what happens while the position is made, too (forced set-up, a first card).

        Raises:
            OptionError: the seed or the mode is none.
        """

    @abstractmethod
    def state_from_json(self, text: str) -> State:
        """Return the position that `State.to_json` wrote.

        A text written with ``secrets=True`` by a sampled state brings its generator back; any other makes a state in the explicit
        mode.

        Raises:
            StateError: the text is not JSON, is truncated, or tells a position that cannot be or one of another ruleset.
        """

    @abstractmethod
    def position(self, **kw: Any) -> State:
        """Return a position written by hand, in the explicit mode; ``game.position(**state.view().to_dict())`` is the same position.

        Raises:
            StateError: the position cannot be; the message says why.
        """

    @abstractmethod
    def action_text(self, action: int) -> str:
        """Return the text of an action, unique in the table. Raises IllegalActionError outside it."""

    @abstractmethod
    def parse_action(self, state: State, text: str) -> int:
        """Return the legal action of `state` that `text` names.

        Raises:
            IllegalActionError: no legal action has this text; the message lists those near it.
        """

    @abstractmethod
    def invariants(self, state: State) -> None:
        """Check what must hold in every position; the fuzzer calls it after each decision.

        Raises:
            AssertionError: something does not hold; the message says what.
        """

    def make_again(self) -> Game:
        """Return a game of the same class and parameters."""
        return type(self)(**self.params)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{type(self).__name__}({arguments})"


class State(ABC):
    """One position of a game.

    Copies (`clone`, `copy.deepcopy`, pickle) share nothing with the original. A wrong call raises and changes nothing.
    """

    __slots__ = ()

    trace: list[Event] | None
    """What happened since the trace was started, oldest first; None when nothing is traced. Readers may empty the list."""

    # What the position is

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game that this is a position of."""

    @property
    @abstractmethod
    def current_player(self) -> int:
        """Who decides: a player's index, CHANCE (-1, explicit mode only), SIMULTANEOUS (-2) or TERMINAL (-4)."""

    @property
    def acting_players(self) -> Sequence[int]:
        """The players who have a choice now, ascending: one, or in a simultaneous turn those who really have one.

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
        """The phase in the rulebook's words, one lower-case identifier, as ``"movement"``."""

    @property
    @abstractmethod
    def is_terminal(self) -> bool:
        """True when the game is over."""

    @abstractmethod
    def returns(self) -> list[float]:
        """Return each player's result so far, in -1 ... 1; all zero before the end. They sum to zero."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""

    # Decisions

    @abstractmethod
    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions, ascending.

        Args:
            player: whose; None is who decides now. Needed in a simultaneous turn. Anybody who does not decide has none.
        """

    def legal_mask(self, out: NDArray[np.int8] | None = None, player: int | None = None) -> NDArray[np.int8]:
        """Return the legal actions as a mask: int8[num_actions] of 0 and 1, all zero for who does not decide.

        Args:
            out: an array of this type and length to write into; None makes a fresh one.
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
        """Take the decision `action`, and go on to the next decision, chance node (explicit mode) or the end.

        Raises:
            IllegalActionError: no action, or not a legal one here; also where no single player decides. The message
                names the action, the phase and the rule.
            GameOverError: the game is over.
        """

    def apply_joint(self, actions: Mapping[int, int]) -> None:
        """Take the decisions of a simultaneous turn at once: one action for each of `acting_players`, by player's index.

        Raises:
            IllegalActionError: as `apply`; also when a player is missing or has no choice.
        """
        raise IllegalActionError(f"{self.game.name} has no simultaneous turns; use apply()")

    # Chance

    @abstractmethod
    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """Return the outcomes of the chance node that the state stands at, with their probabilities, which sum to 1.

        Args:
            merged: True gives outcomes that lead to one position as one (the least of them), for search.

        Raises:
            IllegalActionError: the state stands at no chance node.
        """

    @abstractmethod
    def apply_chance(self, outcome: int) -> None:
        """Let chance fall on `outcome` and go on, as `apply` does.

        Raises:
            IllegalActionError: it is none of `chance_outcomes()`, or the state stands at no chance node.
        """

    @abstractmethod
    def chance_text(self, outcome: int) -> str:
        """Return an outcome of this chance node in words."""

    # Copies

    @abstractmethod
    def clone(self, seed: int | None = None, trace: bool = False) -> State:
        """Return a copy.

        Args:
            seed: None: the copy is of the same mode, and goes on exactly as this state would. Else the copy is in the sampled
                mode with generators of that seed; where it stood at a chance node it has gone past it.
            trace: True notes in the copy's `trace` what happens from here on, going past a chance node included. The copy has no
                trace otherwise.
        """

    @abstractmethod
    def for_search(self) -> State:
        """Return a copy in the explicit mode, without generator and trace: what agents are handed."""

    @abstractmethod
    def next_episode(self) -> State:
        """Return a new game's first position whose generators go on from where this state's are. Sampled mode only.

        Where this state is traced, the new game is, too, from its beginning.

        Raises:
            OptionError: the state has no generator.
        """

    # Ways to look at it

    @abstractmethod
    def observation(
        self, player: int, out: NDArray[Any] | None = None, raw: bool = False
    ) -> NDArray[np.float32] | NDArray[np.int8]:
        """Return what `player` sees.

        Args:
            player: index of the observer.
            out: an array of the right type and length to write into; None makes a fresh one.
            raw: True gives the unscaled values, int8[observation_size]; False float32[observation_size], between the
                game's `observation_low` and `observation_high`.
        """

    @abstractmethod
    def view(self) -> Any:
        """Return the public position as a frozen dataclass with `to_dict()`. Built anew at each call."""

    @abstractmethod
    def to_json(self, secrets: bool = False) -> str:
        """Return the position as one line of JSON; `Game.state_from_json` reads it back exactly.

        Args:
            secrets: True adds the generator, so that the copy rolls the same dice. Never show it to a player.
        """

    # Traces

    def start_trace(self) -> None:
        """Note from now on everything that happens in `trace`, which becomes an empty list."""
        self.trace = []

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows; see `hawaii_env.render.picture`."""
        import importlib  # the rules know nothing of pictures: only a notebook asks for this

        return importlib.import_module("hawaii_env.render.picture").render_svg(self)

    def __repr__(self) -> str:
        outcome = self.outcome()
        if outcome is not None:
            return f"<{self.game.name}: over, {outcome.reason}>"
        player = self.current_player
        names = {CHANCE: "chance", SIMULTANEOUS: "simultaneous", TERMINAL: "over"}
        who = self.game.agents[player] if player >= 0 else names.get(player, str(player))
        return f"<{self.game.name}: {self.phase}, {who}>"
