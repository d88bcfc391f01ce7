"""Game and State: ALOHA as `hawaii_env.game` asks for it."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env import game as contract
from hawaii_env._arguments import check_count, check_kind, check_list
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.rng import seed_words
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError, StateError
from hawaii_env.game import (
    CHANCE,
    TERMINAL,
    Chance,
    ChanceMode,
    Decision,
    Event,
    Outcome,
    Part,
    check_action,
    check_player,
    check_seed,
    check_start,
)  # fmt: skip

from . import core, fuzzing
from . import observation as looks
from .positions import read
from .rules import flow, prologue, scoring
from .rules import state as at
from .rules.actions import CODEC, N_ACTIONS
from .rules.names import (
    DECK,
    DIE,
    FIRST_PLAYER,
    OVER,
    PHASES,
    PLAYERS,
    REASONS,
    REWARDS,
    STAGES,
)  # fmt: skip
from .ruleset import Ruleset
from .view import View, view_of

__all__ = ["REWARDS", "TURN_ORDERS", "Game", "State"]

TURN_ORDERS = ("most_left", "rounds")
_RULE_OF = {
    "settle": "P1", "prologue_action": "P2", "amount": "C2m", "king": "AD", "action": "C2", "convert": "E1",
    "first_player": "P1", "die": "P3",
    "event": "C2e", "over": "W",
}  # fmt: skip


class Game(contract.Game):
    """ALOHA, the Spirit of Hawaii, for two to four players.

    Args:
        players: how many play, 2 to 4.
        turn_order: R-05: ``"most_left"``: who has most Action tokens left acts next; ``"rounds"``: one action each,
            again and again.
        reward: ``"win"``: 1 for a sole winner, -1/(n-1) for the others; ``"rank"``: players behind less players ahead,
            by n-1; ``"margin"``: the mean difference in points, cut at 20 and divided by it.
        rules: None for the shipped data, a folder that replaces some of its files, or the content of a ruleset.

    Raises:
        OptionError: a value that is none of these.
        RulesetError: data that do not hold.
    """

    name = "aloha"
    num_actions = N_ACTIONS
    action_table_hash: str = CODEC.hash
    chance_kinds: tuple[str, ...] = ("first_player", "event", "die")
    max_chance_outcomes = DECK + 1

    def __init__(
        self,
        players: int = 2,
        turn_order: str = "most_left",
        reward: str = "win",
        rules: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    ) -> None:
        n = check_count("players", players, 2, 4)
        if turn_order not in TURN_ORDERS:
            raise OptionError(f"turn_order: allowed are {', '.join(TURN_ORDERS)}, not {turn_order!r}")
        if reward not in REWARDS:
            raise OptionError(f"reward: allowed are {', '.join(REWARDS)}, not {reward!r}")
        self.ruleset: Ruleset = Ruleset.load(rules)
        self.turn_order, self.reward = turn_order, reward
        self.num_players: int = n
        if reward == "win":
            self.min_return: float = (0 - 1 / n) * n / (n - 1)  # as the rules count it
        self.agents: tuple[str, ...] = PLAYERS[:n]
        self.params: Mapping[str, Any] = {
            "players": n,
            "turn_order": turn_order,
            "reward": reward,
            "rules": self.ruleset.param,
        }
        self.ruleset_name: str = self.ruleset.name
        self.ruleset_hash: str = hashlib.sha256(f"{self.ruleset.hash} {turn_order}".encode()).hexdigest()
        self.tables: list[int] = self.ruleset.tables(n, turn_order == "rounds")
        self.tables[at.T_REWARD] = REWARDS.index(reward)
        self._held: dict[bool, Any] = {}
        t = self.tables
        self.max_decisions: int = n * (1 + 2 * t[at.T_MOVES] + t[at.T_CONVERSIONS] + 30) + 39
        self.observation_parts: tuple[Part, ...] = looks.parts(n)
        self.observation_size: int = looks.COMMON + looks.PER_PLAYER * n
        self._high = np.array(looks.bounds(t, n), np.int8)
        self.scale: NDArray[np.float32] = (1 / self._high).astype(np.float32)
        self.observation_low: NDArray[np.float32] = np.zeros(self.observation_size, np.float32)
        self.observation_high: NDArray[np.float32] = np.ones(self.observation_size, np.float32)

    @property
    def raw_low(self) -> NDArray[Any]:
        """Least values of a raw observation: 0."""
        return np.zeros(self.observation_size, np.int8)

    @property
    def raw_high(self) -> NDArray[Any]:
        """Greatest values of a raw observation, by the data."""
        return self._high.copy()

    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> State:
        """Return a new game's first position; see `hawaii_env.game.Game.initial_state`."""
        seed = check_start(chance, seed)
        return self._begin([-1] * 8 if chance == "explicit" else seed_words(seed), trace)

    def _begin(self, words: Sequence[int], trace: bool) -> State:
        vector = [0] * at.SIZE
        prologue.set_up(vector)
        vector[at.WORDS : at.N_LEGAL] = words
        return self._from_vector(vector, [] if trace else None)

    def _from_vector(self, vector: list[int], trace: list[Event] | None = None) -> State:
        """The state of a position, gone on with."""
        state = State(self, core.mode_now(self).hold(vector))
        state.trace = trace
        state._go()
        return state

    def tables_in(self, mode: core.Mode) -> Any:
        """The tables as the doors of a mode want them."""
        if mode.compiled not in self._held:
            self._held[mode.compiled] = mode.hold(self.tables)
        return self._held[mode.compiled]

    def state_of(self, vector: Any) -> State:
        """A state that is this position itself, in the mode that it is held in: for lanes."""
        return State(self, vector)

    def compile(self) -> None:
        """See `hawaii_env.game.Game.compile`."""
        core.mode_of_jobs()

    def batch_backend(self) -> Any:
        """What steps many games at once: a class that is called with the game of each lane; see
        `hawaii_env.core.batch.BatchBackend`.
        """
        from .batch import CompiledBatch

        return CompiledBatch

    def position(self, **kw: Any) -> State:
        """Return a position written by hand; fields are those of `hawaii_env.aloha.view.View`.

        Raises:
            StateError: the position cannot be; the message names the field and the rule.
        """
        return self._from_vector(read(self.tables, self.agents, kw))

    def state_from_json(self, text: str) -> State:
        """Return the position that `State.to_json` wrote. Raises StateError."""
        try:
            fields = json.loads(text)
        except (TypeError, ValueError) as error:
            raise StateError(f"not a position of aloha: {error}") from error
        if not isinstance(fields, dict) or fields.pop("game", None) != self.name:
            raise StateError("not a position of aloha")
        if fields.pop("ruleset", None) != self.ruleset_hash:
            raise StateError("the position is one of another ruleset or turn order")
        words = fields.pop("words", None)
        vector = read(self.tables, self.agents, fields)
        if words is not None:
            if not isinstance(words, list) or len(words) != 8:
                raise StateError(f"words: eight of a generator are wanted, not {words!r}")
            if not all(type(word) is int and 0 <= word < 1 << 32 for word in words):
                raise StateError("words: numbers of 32 bits are wanted")
            vector[at.WORDS : at.N_LEGAL] = words
        return self._from_vector(vector)

    def action_text(self, action: int) -> str:
        """Return the text of an action. Raises IllegalActionError outside the table."""
        return CODEC.texts[check_action(action, N_ACTIONS)]

    def parse_action(self, state: contract.State, text: str) -> int:
        """Return the legal action that `text` names. Raises IllegalActionError."""
        legal = {CODEC.texts[action]: action for action in check_kind("state", state, contract.State).legal_actions()}
        if text in legal:
            return legal[text]
        near = difflib.get_close_matches(str(text), legal, 5, 0.3) or list(legal)[:5]
        raise IllegalActionError(
            f"no legal action reads {text!r} in phase {state.phase} [{_RULE_OF[state.phase]}]; near it are: "
            f"{', '.join(near)}"
        )

    def invariants(self, state: contract.State) -> None:
        """Check what must hold in every position: `fuzzing.FAULTS`. Raises AssertionError."""
        fault = fuzzing.fault_in(self.tables, cast(State, state)._values())
        if fault:
            raise AssertionError(fuzzing.FAULTS[fault])

    def fuzz_batch(self, seeds: Any) -> int:
        """Play the compiled random game of each seed with its invariants; the index of the first that fails, or -1."""
        for index, seed in enumerate(check_list("seeds", seeds)):
            if fuzzing.fuzz_seed(self, check_seed(seed))[0]:
                return index
        return -1

    def fuzz_actions(self, seed: int) -> list[int]:
        """The decisions asked in the compiled random game of a seed, up to its failure or its end."""
        return fuzzing.fuzz_seed(self, check_seed(seed))[1]

    def fuzz_message(self, seed: int) -> str:
        """What does not hold in the compiled random game of a seed, or nothing."""
        return fuzzing.FAULTS[fuzzing.fuzz_seed(self, check_seed(seed))[0]]


class State(contract.State):
    """A position of ALOHA. Made by `Game`."""

    __slots__ = ("_core", "_game", "_s", "_tables", "trace")

    def __init__(self, game: Game, vector: Any) -> None:
        self._game = game
        self._core = core.mode_of(vector)
        self._tables = game.tables_in(self._core)
        self._s = vector
        self.trace: list[Event] | None = None

    def _at(self, index: int) -> int:
        return self._core.get(self._s, index)

    def _values(self) -> list[int]:
        """The position as a list; in the plain mode itself."""
        return self._core.values(self._s)

    def _set_words(self, words: Sequence[int]) -> None:
        self._s[at.WORDS : at.N_LEGAL] = words

    # What the position is

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    @property
    def chance(self) -> ChanceMode:
        """``"sampled"`` or ``"explicit"``."""
        return "explicit" if self._at(at.WORDS) < 0 else "sampled"

    @property
    def phase(self) -> str:
        """One of `rules.names.PHASES`."""
        return PHASES[self._at(at.PHASE)]

    @property
    def stage(self) -> str:
        """One of `rules.names.STAGES`."""
        return STAGES[self._at(at.STAGE)]

    @property
    def current_player(self) -> int:
        """Who decides, CHANCE or TERMINAL."""
        if self._at(at.PHASE) == OVER:
            return TERMINAL
        return CHANCE if self._at(at.DECIDES) < 0 else self._at(at.DECIDES)

    @property
    def is_terminal(self) -> bool:
        """True when the game is over."""
        return self._at(at.PHASE) == OVER

    @property
    def points(self) -> list[int]:
        """Each player's points so far."""
        return [self._at(at.POINTS + player) for player in range(self._game.num_players)]

    def returns(self) -> list[float]:
        """[W] Each player's reward: zero before the end; they sum to zero."""
        n = self._game.num_players
        if not self.is_terminal:
            return [0.0] * n
        s = self._values()
        return [scoring.reward(self._game.tables, s, player) for player in range(n)]

    def outcome(self) -> Outcome | None:
        """[W] Shares, places, points, and what decided; None before the end."""
        if not self.is_terminal:
            return None
        t, s = self._game.tables, self._values()
        places = [scoring.place(t, s, player) for player in range(self._game.num_players)]
        shares = [(place == 1) / places.count(1) for place in places]
        return Outcome.of(shares, REASONS[scoring.reason(t, s)], scores=self.points, places=places)

    # Decisions

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions, ascending, of who decides; of another player none."""
        if player is not None and check_count("player", player, 0, self._game.num_players - 1) != self._at(at.DECIDES):
            return []
        return self._core.values(self._s[at.LEGAL : at.LEGAL + self._at(at.N_LEGAL)])

    def legal_mask(self, out: NDArray[np.int8] | None = None, player: int | None = None) -> NDArray[np.int8]:
        """See `hawaii_env.game.State.legal_mask`."""
        if player is not None or (out is not None and (out.dtype != np.int8 or out.shape != (N_ACTIONS,))):
            return super().legal_mask(out, player)
        if out is None:
            out = np.empty(N_ACTIONS, np.int8)
        self._core.write_mask(self._s, out)
        return out

    def apply(self, action: int) -> None:
        """Take a decision; see `hawaii_env.game.State.apply`."""
        if self.is_terminal:
            raise GameOverError("the game is over")
        action = check_action(action, N_ACTIONS)
        if self.trace is None:
            wrong = self._core.decide(self._tables, self._s, action)
        else:
            wrong = action not in self.legal_actions()
        if wrong:
            raise IllegalActionError(
                f"action {action} ({CODEC.texts[action]}) is not legal in phase {self.phase} [{_RULE_OF[self.phase]}]"
            )
        if self.trace is not None:
            self._go(action=action)

    def _go(self, action: int = -1, outcome: int = -1) -> None:
        """Go on while nobody has a choice; where there is a trace, after an action or a chance outcome, if one is
        given.
        """
        if self.trace is None:
            self._core.resume(self._tables, self._s)
            return
        s = self._values()  # the plain rules, step by step, whatever the mode
        if action >= 0:
            self._take(s, action, False)
        if outcome >= 0:
            self._fall(s, outcome)
        self._run(s)
        if self._core.compiled:
            self._s[:] = s

    def _take(self, s: list[int], action: int, forced: bool) -> None:
        cast(list[Event], self.trace).append(Decision(s[at.DECIDES], action, CODEC.texts[action], forced))
        flow.take(self._game.tables, s, action)

    def _fall(self, s: list[int], outcome: int) -> None:
        cast(list[Event], self.trace).append(Chance(PHASES[s[at.PHASE]], outcome, self._chance_text(s, outcome)))
        flow.fall(self._game.tables, s, outcome)

    def _run(self, s: list[int]) -> None:
        """As `flow.run`, noting every event."""
        t = self._game.tables
        s[at.N_LEGAL] = 0
        while s[at.PHASE] != OVER:
            if flow.is_chance(s):
                if s[at.WORDS] < 0:
                    return
                self._fall(s, flow.sample(t, s))
                continue
            flow.list_legal(t, s)
            if s[at.N_LEGAL] > 1:
                return
            self._take(s, s[at.LEGAL], True)
            s[at.N_LEGAL] = 0

    # Chance

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """Return the outcomes of this chance node; each leads to a position of its own, so `merged` changes nothing."""
        if self.current_player != CHANCE:
            raise IllegalActionError(f"no chance node in phase {self.phase}")
        s = self._values()
        outcomes = [number for number in range(DECK + 1) if flow.is_outcome(self._game.tables, s, number)]
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def apply_chance(self, outcome: int) -> None:
        """Let chance fall on `outcome`."""
        outcome = self._outcome(outcome)
        if self.trace is None:
            self._core.tell(self._tables, self._s, outcome)
        else:
            self._go(outcome=outcome)

    def _outcome(self, outcome: object) -> int:
        if self.current_player != CHANCE:
            raise IllegalActionError(f"no chance node in phase {self.phase}")
        try:
            number = check_count("outcome", outcome, 0)
        except OptionError:
            number = -1
        if number < 0 or not flow.is_outcome(self._game.tables, self._values(), number):
            raise IllegalActionError(f"{outcome!r} is no outcome of the chance node in phase {self.phase}")
        return number

    def chance_text(self, outcome: int) -> str:
        """Return an outcome in words; of an event card its number and title."""
        return self._chance_text(self._values(), self._outcome(outcome))

    def _chance_text(self, s: list[int], number: int) -> str:
        if s[at.PHASE] == FIRST_PLAYER:
            return f"first_player {self._game.agents[number]}"
        if s[at.PHASE] == DIE:
            return f"die {number}"
        return f"event {number} {self._game.ruleset.card(STAGES[s[at.STAGE]], number).title}"

    # Copies

    def clone(self, seed: int | None = None, trace: bool = False) -> State:
        """Return a copy; with a seed in the sampled mode, past a chance node."""
        other = State.__new__(State)
        other._game, other._core, other._tables = self._game, self._core, self._tables
        other._s = self._s.copy()
        other.trace = [] if trace else None
        if seed is not None:
            other._set_words(seed_words(check_seed(seed)))
            other._go()
        return other

    def explicit(self) -> State:
        """Return a copy without generator and trace."""
        other = self.clone()
        other._set_words([-1] * 8)
        return other

    def next_episode(self) -> State:
        """Return a new game whose generators go on from here."""
        if self._at(at.WORDS) < 0:
            raise OptionError("an explicit state has no generator to go on with")
        return self._game._begin(self._values()[at.WORDS : at.N_LEGAL], self.trace is not None)

    def __copy__(self) -> State:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        other = self.clone()
        other.trace = None if self.trace is None else list(self.trace)
        return other

    # Ways to look at it

    def observation(self, player: int, out: NDArray[Any] | None = None, raw: bool = False) -> NDArray[Any]:
        """Return what `player` sees: int8 (raw) or float32, [118 + 55 a player]."""
        observer = check_count("player", player, 0, self._game.num_players - 1)
        vector: NDArray[Any] = np.empty(self._game.observation_size, np.int8)
        self._core.observe(self._tables, self._s, observer, vector)
        if not raw:
            vector = vector * self._game.scale
        if out is None:
            return vector
        out[:] = vector
        return out

    def view(self, player: int | None = None) -> View:
        """Return the position as a value; everything is open [R-22]."""
        check_player(self, player)
        return view_of(self._game.tables, self._values(), self._game.agents)

    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        """Return the position as a line of JSON; with `secrets` the generators, too."""
        fields: dict[str, Any] = {"game": "aloha", "ruleset": self._game.ruleset_hash, **self.view(player).to_dict()}
        if secrets and self._at(at.WORDS) >= 0:
            fields["words"] = self._values()[at.WORDS : at.N_LEGAL]
        return json.dumps(fields, ensure_ascii=False)

    def __reduce__(self) -> Any:
        return _again, (self._game, add_checksum(self.to_json(secrets=True).encode()), self.trace)


def _again(game: Game, data: object, trace: list[Event] | None) -> State:
    """The state of a pickle, read as any position is: compiled code trusts its state."""
    if trace is not None and not isinstance(cast(Any, trace), list):
        raise StateError(f"pickle: a trace is a list, not {trace!r}")
    state = game.state_from_json(verify_checksum(data).decode())
    state.trace = trace
    return state
