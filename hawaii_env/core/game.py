"""Base classes of compiled games: the rules in both backends, and `Game` and `State` on top of them.

A game declares the layouts of its tables and states, and a few rules, its hooks. `CompiledRules` builds entry points,
batches, playouts and a fuzzer from them. `CompiledGame` and `CompiledState` are the interface for Python.

One file: the rules that every game has, and the base classes on top of them.
"""

from __future__ import annotations

# pyright: reportUndefinedVariable=false
# ruff: noqa: F821
import difflib
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_count, check_flag, check_kind, check_list
from hawaii_env.core import fuzz, loop, plans
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.compiled_batch import CompiledBatch
from hawaii_env.core.hooks import specialise
from hawaii_env.core.jit import AUTOMATIC, INTERPRETED, EntryPoints, rule
from hawaii_env.core.layout import Layout
from hawaii_env.core.rng import seed_words
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError, RulesetError, StateError
from hawaii_env.game import (
    CHANCE,
    TERMINAL,
    Chance,
    ChanceMode,
    Decision,
    Event,
    Game,
    Observer,
    State,
    check_action,
    check_player,
    check_sampled,
    check_seed,
    check_start,
)
from hawaii_env.positions import read_json, write_json
from hawaii_env.texts import parse_json, show_value

if TYPE_CHECKING:
    from hawaii_env.codec import Codec

__all__ = ["AGENT_HOOKS", "CompiledGame", "CompiledRules", "CompiledState"]

AGENT_HOOKS: Mapping[str, str] = {
    "list_legal": "write the legal actions of the player to act to `state.legal`, and their number to `state.n_legal`",
    "apply_action": "apply a legal action, up to the next decision, chance node or the end: (rules, state, action)",
    "is_chance": "return True at a chance node",
    "sample_chance": "return a chance outcome drawn by the generator in the state",
    "apply_chance": "apply a chance outcome: (rules, state, outcome)",
    "run": "continue until a player has a choice, applying forced choices and sampling chance",
    "set_up": "start a new game with the present generator",
    "write_observation": "write the raw observation of a player: (rules, state, player, out)",
}
"""Rules that compiled agents call, with arguments ``(rules, state)`` unless noted: `CompiledRules.agent_hooks`."""


# Rules that every game has


@rule
def advance(rules: Any, state: Any) -> None:
    """Play the phases without a decision; games with such phases override it."""


@rule
def decider(rules: Any, state: Any) -> int:
    """Return the player to act, or -1; games whose positions have no number `decider` override it."""
    return state.decider


@rule
def pass_on(rules: Any, state: Any) -> bool:
    """End a phase in which nothing can be chosen; return False if it cannot end. Games with such phases override it."""
    return False


@rule
def is_legal(state: Any, action: int) -> bool:
    """Return True if an action is among the legal ones."""
    for i in range(state.n_legal):
        if state.legal[i] == action:
            return True
    return False


def write_returns(rules: Any, state: Any, returns: Any) -> None:
    """Write each player's result at the end of a game."""
    for player in range(num_players(rules)):
        returns[player] = reward(rules, state, player)


def run(rules: Any, state: Any) -> None:
    """Apply forced choices, and sample chance if there is a generator, until a player has a choice or the game ends."""
    state.n_legal = 0
    while True:
        advance(rules, state)
        if is_over(rules, state):
            return
        if is_chance(rules, state):
            if state.generator[0] < 0:
                return
            apply_chance(rules, state, sample_chance(rules, state))
            continue
        list_legal(rules, state)
        if state.n_legal > 1:
            return
        apply_action(rules, state, state.legal[0])
        state.n_legal = 0


def start_game(rules: Any, state: Any) -> None:
    """Start a new game, up to its first choice, with the present generators."""
    set_up(rules, state)
    run(rules, state)


def act(rules: Any, state: Any, action: int) -> None:
    """Apply a legal action and continue to the next choice."""
    apply_action(rules, state, action)
    run(rules, state)


def write_mask(state: Any, out: Any) -> None:
    """Write the mask of the legal actions, int8[num_actions]."""
    out[:] = 0
    for i in range(state.n_legal):
        out[state.legal[i]] = 1


# Entry points


def enter_start(tables: Any, record: Any) -> None:
    """Start a new game, up to its first choice."""
    start_game(view_rules(tables), view_state(record))


def enter_run(tables: Any, record: Any) -> None:
    """Continue to the next choice, to a chance node in explicit mode, or to the end."""
    run(view_rules(tables), view_state(record))


def enter_action(tables: Any, record: Any, action: int) -> int:
    """Apply a player's action and continue. Return 0, or 1 if the action is illegal and nothing has changed."""
    rules, state = view_rules(tables), view_state(record)
    if not is_legal(state, action):
        return 1
    act(rules, state, action)
    return 0


def enter_chance(tables: Any, record: Any, outcome: int) -> int:
    """Apply a chance outcome and continue. Return 0, or 1 if the outcome is impossible and nothing has changed."""
    rules, state = view_rules(tables), view_state(record)
    if not is_outcome(rules, state, outcome):
        return 1
    apply_chance(rules, state, outcome)
    run(rules, state)
    return 0


def enter_observation(tables: Any, record: Any, player: int, memory: Any, scale: Any, out: Any) -> None:
    """Write the observation of a player, float32; see `hawaii_env.core.loop.write_scaled`."""
    observe(view_rules(tables), view_state(record), player, memory, scale, out)


def enter_mask(record: Any, out: Any) -> None:
    """Write the mask of the legal actions, int8[num_actions]."""
    write_mask(view_state(record), out)


def enter_turn(tables: Any, record: Any, player: int, memory: Any, scale: Any, out: Any, mask: Any) -> None:
    """Write the observation of a player, and the mask of the legal actions."""
    state = view_state(record)
    observe(view_rules(tables), state, player, memory, scale, out)
    write_mask(state, mask)


RULES = (write_returns, run, start_game, act, write_mask)
ENTRIES = (enter_start, enter_run, enter_action, enter_chance, enter_observation, enter_mask, enter_turn)


# Differences between the backends


def _scale_raw(raw: Any, scale: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = raw[i] * scale[i]


def scale_raw(raw: Any, scale: Any, out: Any) -> None:
    """Write an observation: the raw values times `scale`."""
    np.multiply(np.array(raw, RAW), scale, out)


def _new_raw(n: int) -> Any:
    return np.empty(n, RAW)


def new_raw(n: int) -> Any:
    """Return a buffer for a raw observation: writing a list is ten times as fast in Python as writing an array."""
    return [0] * n


def _observe(rules: Any, state: Any, player: int, memory: Any, scale: Any, out: Any) -> None:
    write_scaled(rules, state, player, memory, np.empty(len(memory), np.int32), new_raw(len(out)), scale, out)


def observe(rules: Any, state: Any, player: int, memory: Any, scale: Any, out: Any) -> None:
    """Write an observation into an array; in interpreted mode every value is written."""
    raw = new_raw(len(out))
    write_observation(rules, state, player, raw)
    scale_raw(raw, scale, out)


PAIRS = ((scale_raw, _scale_raw), (new_raw, _new_raw), (observe, _observe))


class CompiledRules:
    """The rules of a game in both backends.

    Args:
        name: name of the game.
        tables: layout of the tables that the rules read.
        state: layout of a position. It has the numbers `phase`, `n_legal` and `decider` (a game without `decider`
            defines a hook of that name, and `current_player` in its State), and the arrays `legal` and `generator`:
            eight words, four for cards and four for dice; -1 without a generator.
        hooks: rules by name. `set_up(rules, state)` starts a game; `list_legal`, `apply_action`, `is_chance`,
            `is_outcome`, `sample_chance`, `apply_chance` are those of `hawaii_env.core.phases.PhaseTable.hooks`;
            `is_over(rules, state)`, `num_players(rules)`; `reward(rules, state, player)`, `winner(rules, state)` (-1
            for nobody alone), `reason(rules, state)` (an index of `reasons`);
            `write_observation(rules, state, player, out)`; for the fuzzer those that `hawaii_env.core.fuzz` names.
            May be left out: `advance(rules, state)`, `pass_on(rules, state)`, `run(rules, state)`,
            `act(rules, state, action)`, `write_returns(rules, state, returns)` in place of `reward`, and for
            observations by difference `write_raw` and `write_scaled`; for sealed turns `turn_mark` of
            `hawaii_env.core.plans`.
        reasons: reasons for which a game can end.
        faults: names of the faults that the fuzzer's hooks detect; the first is empty.
        raw_dtype: integer type of raw observations.
        entries: further rules that Python calls, each with arguments of the types to compile it for, after the tables
            and the state.

    Attributes:
        hooks: all rules by name, including generated ones, as the interpreted backend runs them.
        rules, batch, playouts, fuzzer: entry points.
        interpreted: the interpreted backend.
    """

    def __init__(
        self,
        name: str,
        tables: Layout,
        state: Layout,
        hooks: Mapping[str, Any],
        reasons: Sequence[str],
        faults: Sequence[str],
        raw_dtype: Any = np.int8,
        entries: Mapping[Any, tuple[Any, ...]] = {},
    ) -> None:
        self.name: str = name
        self.tables: Layout = tables
        self.state: Layout = state
        self.reasons: tuple[str, ...] = tuple(reasons)
        self.faults: tuple[str, ...] = (*faults, *fuzz.FAULTS)
        own = {
            "advance": advance,
            "decider": decider,
            "pass_on": pass_on,
            "note_action": fuzz.note_action,
            "fault_of_action": fuzz.fault_of_action,
            "turn_mark": plans.turn_mark,
            **hooks,
            "view_rules": tables.view,
            "view_state": state.view,
            "RAW": np.dtype(raw_dtype),
            "R_TRUNCATED": len(reasons),
            "R_ILLEGAL": len(reasons) + 1,
            "GENERIC": len(faults),
        }
        templates = [
            template
            for template in (*RULES, *PAIRS, *ENTRIES, *loop.BATCH, *loop.PLAYOUTS, *plans.PLANS, *fuzz.FUZZER)
            if isinstance(template, tuple) or template.__name__ not in hooks
        ]
        self._entries: dict[str, Any] = {f.__name__: f for f in entries}
        self._entry_examples: dict[str, tuple[Any, ...]] = {f.__name__: given for f, given in entries.items()}
        self.hooks: dict[str, Any] = {**own, **specialise(name, templates, own)}
        points = [
            EntryPoints(name, job, [*(self.hooks[f.__name__] for f in functions), *more], begins=job == "rules")
            for job, functions, more in (
                ("rules", ENTRIES, tuple(entries)),
                ("batch", loop.ENTRIES, ()),
                ("playouts", (*loop.PLAYOUTS, *plans.PLANS), ()),
                ("fuzzer", fuzz.FUZZER[1:], ()),
            )
        ]
        self.rules: EntryPoints = points[0]
        self.batch: EntryPoints = points[1]
        self.playouts: EntryPoints = points[2]
        self.fuzzer: EntryPoints = points[3]
        self.interpreted: Any = SimpleNamespace(
            compiled=False,
            get=getattr,
            decider=lambda record: record.decider if record.n_legal else CHANCE,
            legal=lambda record: record.legal[: record.n_legal],
            record=lambda layout, record: layout.convert(record, False),
            state=lambda record: state.convert(record, False),
            words=list,
            **{f.__name__: self.hooks[f.__name__] for f in ENTRIES},
            **self._entries,
        )

    @cached_property
    def compiled(self) -> Any:
        """Return the compiled backend, whether or not its machine code exists yet."""
        state = self.state
        offsets = {name: state.offset(name) for name in state.numbers}
        return SimpleNamespace(
            compiled=True,
            get=lambda record, name: record.item(offsets[name]),
            decider=lambda record: record.item(offsets["decider"]) if record.item(offsets["n_legal"]) else CHANCE,
            legal=state.prefix_reader("legal", "n_legal"),
            record=lambda layout, record: layout.convert(record, True),
            state=lambda record: state.convert(record, True),
            words=lambda words: np.array(words, np.int64),
            **vars(self.rules.compiled),
        )

    def backend_of(self, record: Any) -> Any:
        """Return the backend that a state's record belongs to."""
        return self.interpreted if self.state.is_named(record) else self.compiled

    def backend_now(self, game: Any) -> Any:
        """Return the backend for a game that starts now: compiled once its machine code exists, unless HAWAII_ENV_PLAIN
        is set.
        """
        return self.compiled if self.rules.use_compiled(self._examples, game) else self.interpreted

    def backend_for_all(self) -> Any:
        """Return the backend for work outside a game: compiled if machine code exists or HAWAII_ENV_PLAIN is 0."""
        if INTERPRETED or (AUTOMATIC and not self.rules.load()):
            return self.interpreted
        return self.backend_for_jobs()

    def backend_for_jobs(self, rules: bool = True) -> Any:
        """Return the backend for long jobs, which first compile missing code and print a notice.

        Args:
            rules: False if the job does not need these entry points.
        """
        if INTERPRETED:
            return self.interpreted
        if rules:
            self.rules.compile_now(self._examples)
        return self.compiled

    @property
    def agent_hooks(self) -> list[Any]:
        """Return the rules of `AGENT_HOOKS`, in that order."""
        return [self.hooks[name] for name in AGENT_HOOKS]

    def records(self, state: Any, compiled: bool = True) -> tuple[Any, Any]:
        """Return the tables and a copy of a position as arguments of entry points, in the backend for long jobs. A
        generator in the position is copied, too; `State.explicit` removes it.
        """
        backend = self.backend_for_jobs(rules=False) if compiled else self.interpreted
        return state.game.rules_in(backend), backend.state(state.data)

    def new_record(self, game: Any = None) -> Any:
        """Return a record to play on, in the backend of `records`; a layout of varying lengths needs the game."""
        return self.backend_for_jobs(rules=False).state(self.state.new() if game is None else game.new_state())

    def ready_playouts(self) -> Any:
        """Return the entry points of playouts and plans, compiled first if that is the backend."""
        row, matrix = np.zeros(1, np.int64), np.zeros((1, 1), np.int64)
        playout = row, row, row, matrix, matrix, row, 0, np.zeros((1, 1), np.float32), row, np.zeros(1, np.bool_)
        plan = row, row, 0, matrix, row, matrix, matrix
        return self.playouts.compile_now(lambda: {"playouts": playout, "list_plans": plan})

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Return example arguments of the entry points for the compiled backend."""
        row, memory, scale, mask = (np.zeros(1, kind) for kind in (np.int64, np.int32, np.float32, np.int8))
        return {
            **dict.fromkeys(("enter_start", "enter_run"), (row, row)),
            **dict.fromkeys(("enter_action", "enter_chance"), (row, row, 0)),
            "enter_observation": (row, row, 0, memory, scale, scale),
            "enter_mask": (row, mask),
            "enter_turn": (row, row, 0, memory, scale, scale, mask),
            **{name: (row, row, *more) for name, more in self._entry_examples.items()},
        }


class CompiledGame(Game):
    """A game with compiled rules.

    Attributes:
        compiled_rules: rules of the game.
        codec: action table of the game.
        phases: names of the phases, by number.
        sections: sections of the rulebook by phase, for messages.
        tables: the interpreted tables.
        scale: float32[observation_size], factors of raw observations.
        measures: rules of (rules, state, player) that measure a player's position, by name, for shaped rewards.
        memory_size: how many notes the hooks `write_raw` and `write_scaled` keep on a row of observations.
        state_class: class of the game's states.
    """

    compiled_rules: CompiledRules
    measures: Mapping[str, Any] = MappingProxyType({})
    memory_size: int = 1
    codec: Codec
    phases: tuple[str, ...]
    sections: Mapping[str, str]
    tables: Any
    scale: NDArray[np.float32]
    state_class: type[CompiledState]
    _low: NDArray[Any]
    _high: NDArray[Any]

    @property
    def raw_low(self) -> NDArray[Any]:
        """Return the smallest values of a raw observation, raw_dtype[observation_size]."""
        return self._low.copy()

    @property
    def raw_high(self) -> NDArray[Any]:
        """Return the largest values of a raw observation, raw_dtype[observation_size]."""
        return self._high.copy()

    def __reduce__(self) -> Any:
        return restore_game, (type(self), dict(self.params), self.ruleset_hash)

    def rules_in(self, backend: Any) -> Any:
        """Return the tables in the form of a backend, created once."""
        made: dict[bool, Any] = vars(self).setdefault("_rules_in", {False: self.tables})
        if backend.compiled not in made:
            made[backend.compiled] = self.compiled_rules.tables.array(self.tables)
        return made[backend.compiled]

    def new_state(self) -> Any:
        """Return an interpreted state before the start of a game, without a generator. Games with lengths of their own
        override it.
        """
        record = self.compiled_rules.state.new()
        record.generator = [-1] * 8
        return record

    @cached_property
    def _blank(self) -> NDArray[np.int64]:
        """Return the compiled record of `new_state`, cached because the conversion is slow."""
        return self.compiled_rules.state.array(self.new_state())

    @property
    def record_size(self) -> int:
        """Return the number of integers in a compiled record."""
        return len(self._blank)

    def new_record(self, backend: Any, generator: Sequence[int]) -> Any:
        """Return a record before the start of a game in a backend, with these generator words, or -1 for none."""
        record = self._blank.copy() if backend.compiled else self.new_state()
        self.compiled_rules.state.put(record, "generator", generator)
        return record

    def state_of(self, record: Any) -> Any:
        """Return a state over this record, of either backend. For batches."""
        return self.state_class(self, record)

    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> Any:
        """Return the first position of a new game; see `hawaii_env.game.Game.initial_state`."""
        seed, trace = check_start(chance, seed), check_flag("trace", trace)
        return self._begin([-1] * 8 if chance == "explicit" else seed_words(seed), trace)

    def _begin(self, generator: Sequence[int], trace: bool) -> Any:
        if trace:
            record = self.new_record(self.compiled_rules.interpreted, generator)
            self.compiled_rules.hooks["set_up"](self.tables, record)
            return self.state_from_record(record, [])
        backend = self.compiled_rules.backend_now(self)
        state = self.state_class(self, self.new_record(backend, generator))
        backend.enter_start(self.rules_in(backend), state.data)
        return state

    def state_from_record(self, record: Any, trace: list[Event] | None = None) -> Any:
        """Return the state of a position, advanced to the next choice."""
        state = self.state_class(self, self.compiled_rules.backend_now(self).state(record))
        state.trace = trace
        state.go_on()
        return state

    def state_from_json(self, text: str) -> Any:
        """Return the position that `State.to_json` wrote; see `hawaii_env.game.Game.state_from_json`."""
        fields, generator = read_json(self, text)
        state: Any = self.position(**fields)
        if generator is not None:
            state.set_generator(generator)
            state.go_on()
        return state

    def compile(self) -> None:
        """See `hawaii_env.game.Game.compile`."""
        self.compiled_rules.backend_for_jobs()

    @cached_property
    def unscaled(self) -> NDArray[np.float32]:
        """Return the factors that leave raw observations unchanged, float32[observation_size]."""
        return np.ones(self.observation_size, np.float32)

    def observer(self) -> Observer:
        """See `hawaii_env.game.Game.observer`."""
        return CompiledObserver(self)

    def batch_backend(self) -> Any:
        """Return the class that steps many games at once; see `hawaii_env.core.batch.BatchBackend`."""
        return CompiledBatch

    def action_text(self, action: int) -> str:
        """Return the text of an action. Raises IllegalActionError outside the table."""
        return self.codec.texts[check_action(action, self.num_actions)]

    def parse_action(self, state: State, text: str) -> int:
        """Return the legal action with this text. Raises IllegalActionError."""
        legal = {self.action_text(action): action for action in check_kind("state", state, State).legal_actions()}
        if isinstance(text, str) and text in legal:
            return legal[text]
        near = difflib.get_close_matches(str(text), legal, 5, 0.3) or list(legal)[:5]
        raise IllegalActionError(
            f"no legal action reads {show_value(text)} in phase {state.phase} [{self.sections[state.phase]}]; "
            f"the closest are: {', '.join(near)}"
        )

    def invariants(self, state: State) -> None:
        """Check the invariants of a position: `CompiledRules.faults`. Raises AssertionError."""
        record = self.compiled_rules.state.interpreted(check_kind("state", state, CompiledState).data)
        fault = self.compiled_rules.hooks["fault_in"](self.tables, record)
        if fault:
            raise AssertionError(self.compiled_rules.faults[fault])

    def fuzz_batch(self, seeds: Any) -> int:
        """Play the compiled random game of each seed with its checks; return the index of the first failure, or -1."""
        for index, seed in enumerate(check_list("seeds", seeds)):
            if fuzz.fuzz_seed(self, check_seed(seed))[0]:
                return index
        return -1

    def fuzz_actions(self, seed: int) -> list[int]:
        """Return the decisions of the compiled random game of a seed, up to its first fault or its end."""
        return fuzz.fuzz_seed(self, check_seed(seed))[1]

    def fuzz_message(self, seed: int) -> str:
        """Return a description of the fault in the compiled random game of a seed; "" without a fault."""
        return self.compiled_rules.faults[fuzz.fuzz_seed(self, check_seed(seed))[0]]

    @abstractmethod
    def chance_text_of(self, state: Any, outcome: int) -> str:
        """Return the text of a chance outcome of an interpreted record."""


class CompiledObserver(Observer):
    """Writes the observations of consecutive positions, only what differs each time.

    Args:
        game: the game.
    """

    __slots__ = ("_memory", "_num_actions", "_scale", "_shown", "_state")

    def __init__(self, game: CompiledGame) -> None:
        super().__init__(game)
        self._memory = np.full((game.num_players, game.memory_size), -1, np.int32)
        rows = np.zeros((game.num_players, game.observation_size), np.float32)
        self._shown = list(zip(self._memory, rows, strict=True))
        self._scale = game.scale
        self._num_actions = game.num_actions
        self._state: Any = None

    def observe(self, state: Any, player: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """See `hawaii_env.game.Observer.observe`."""
        if state is not self._state:
            self._state = state
            self._memory[:, 0] = -1
        memory, row = self._shown[player]
        mask = np.empty(self._num_actions, np.int8)
        state._backend.enter_turn(state._rules, state.data, player, memory, self._scale, row, mask)
        return row.copy(), mask


class CompiledState(State):
    """A position of a compiled game.

    Attributes:
        data: record of the position, in either backend; for batches, compiled agents, and the code that runs games.
    """

    __slots__ = ("_backend", "_game", "_rules", "data", "trace")

    def __init__(self, game: Any, record: Any) -> None:
        self._game: Any = game
        self.data: Any = record
        self._backend: Any = game.compiled_rules.backend_of(record)
        self._rules: Any = game.rules_in(self._backend)
        self.trace: list[Event] | None = None

    def _get(self, name: str) -> int:
        return self._backend.get(self.data, name)

    def interpreted(self) -> Any:
        """Return the interpreted record: the state's own, or a conversion of a compiled one."""
        return self._game.compiled_rules.state.interpreted(self.data)

    # Properties of the position

    @property
    def game(self) -> Any:
        """Return the game."""
        return self._game

    @property
    def generator(self) -> list[int]:
        """Return the words of the generators for cards and dice; -1 in explicit mode."""
        return self._game.compiled_rules.state.get(self.data, "generator")

    @property
    def chance(self) -> ChanceMode:
        """Return ``"sampled"`` or ``"explicit"``."""
        return "explicit" if self.generator[0] < 0 else "sampled"

    @property
    def phase(self) -> str:
        """Return the present phase, one of the game's `phases`."""
        return self._game.phases[self._get("phase")]

    @property
    def current_player(self) -> int:
        """Return the player to act, CHANCE or TERMINAL."""
        player = self._backend.decider(self.data)
        return TERMINAL if player == CHANCE and self.is_terminal else player

    @property
    def is_terminal(self) -> bool:
        """Return True if the game is over."""
        return self._game.phases[self._get("phase")] == "over"

    def returns(self) -> list[float]:
        """Return each player's return; zeros before the end."""
        found = [0.0] * self._game.num_players
        if self.is_terminal:
            self._game.compiled_rules.hooks["write_returns"](self._game.tables, self.interpreted(), found)
        return found

    # Decisions

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions of the player to act, ascending; an empty list for another player."""
        if player is not None and check_count("player", player, 0, self._game.num_players - 1) != self.current_player:
            return []
        return self._backend.legal(self.data)

    def legal_mask(self, out: NDArray[np.int8] | None = None, player: int | None = None) -> NDArray[np.int8]:
        """See `hawaii_env.game.State.legal_mask`."""
        n = self._game.num_actions
        mask = np.empty(n, np.int8) if out is None else _check_out(out, np.int8, n)
        if player is not None:
            return super().legal_mask(mask, player)
        self._backend.enter_mask(self.data, mask)
        return mask

    def apply(self, action: int) -> None:
        """Apply a decision; see `hawaii_env.game.State.apply`."""
        if type(action) is not int or not 0 <= action < self._game.num_actions:
            action = check_action(action, self._game.num_actions)
        if self.trace is None:
            if self._backend.enter_action(self._rules, self.data, action):
                raise self._illegal(action)
        elif action not in self.legal_actions():
            raise self._illegal(action)
        else:
            self.go_on(action=action)

    def _illegal(self, action: int) -> Exception:
        """Return the error for an illegal action."""
        if self.is_terminal:
            return GameOverError("the game is over")
        section = self._game.sections[self.phase]
        return IllegalActionError(
            f"action {action} ({self._game.action_text(action)}) is not legal in phase {self.phase} [{section}]"
        )

    def go_on(self, action: int = -1, outcome: int = -1) -> None:
        """Continue until a player has a choice; in a traced state first apply the given action or chance outcome."""
        if self.trace is None:
            self._backend.enter_run(self._rules, self.data)
            return
        state, rules, hooks = self.interpreted(), self._game.tables, self._game.compiled_rules.hooks
        if action >= 0:
            self._trace_action(state, action, False)
        if outcome >= 0:
            self._trace_chance(state, outcome)
        state.n_legal = 0
        while True:  # like `run`, but records every event
            self._trace_advance(state)
            state.n_legal = 0
            if hooks["is_over"](rules, state):
                break
            if hooks["is_chance"](rules, state):
                if state.generator[0] < 0:
                    break
                self._trace_chance(state, hooks["sample_chance"](rules, state))
                continue
            hooks["list_legal"](rules, state)
            if state.n_legal > 1:
                break
            if state.n_legal == 1:
                self._trace_action(state, state.legal[0], True)
            else:
                hooks["pass_on"](rules, state)
            state.n_legal = 0
        if self._backend.compiled:
            self._game.compiled_rules.state.assign(self.data, state)

    def _trace_advance(self, state: Any) -> None:
        """Play the phases without a decision; games that trace events there override it."""
        self._game.compiled_rules.hooks["advance"](self._game.tables, state)

    def _trace_action(self, state: Any, action: int, forced: bool) -> None:
        hooks, rules = self._game.compiled_rules.hooks, self._game.tables
        player = hooks["decider"](rules, state)
        cast(list[Event], self.trace).append(Decision(player, action, self._game.action_text(action), forced))
        hooks["apply_action"](rules, state, action)

    def _trace_chance(self, state: Any, outcome: int) -> None:
        kind = self._game.phases[state.phase]
        cast(list[Event], self.trace).append(Chance(kind, outcome, self._game.chance_text_of(state, outcome)))
        self._game.compiled_rules.hooks["apply_chance"](self._game.tables, state, outcome)

    # Chance

    def _outcomes(self, state: Any) -> list[int]:
        """Return the outcomes of a chance node, given as an interpreted record."""
        if self.current_player != CHANCE:
            raise IllegalActionError(f"no chance node in phase {self.phase}")
        is_outcome = self._game.compiled_rules.hooks["is_outcome"]
        return [o for o in range(self._game.max_chance_outcomes) if is_outcome(self._game.tables, state, o)]

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """Return the equally likely outcomes of this chance node; see `hawaii_env.game.State.chance_outcomes`."""
        known = self._outcomes(self.interpreted())
        outcomes = [(outcome, 1 / len(known)) for outcome in known]
        return self.merge_outcomes(outcomes) if check_flag("merged", merged) else outcomes

    def _after_chance(self, outcome: int) -> Any:
        """Return a copy after an outcome that has already been checked."""
        after = self.clone()
        after._backend.enter_chance(after._rules, after.data, outcome)
        return after

    def apply_chance(self, outcome: int) -> None:
        """Apply a chance outcome."""
        outcome = self._check_outcome(self.interpreted(), outcome)
        if self.trace is None:
            self._backend.enter_chance(self._rules, self.data, outcome)
        else:
            self.go_on(outcome=outcome)

    def _check_outcome(self, state: Any, outcome: object) -> int:
        """Return an outcome, validated for this chance node. Raises IllegalActionError."""
        known = self._outcomes(state)
        try:
            number = check_count("outcome", outcome, 0)
        except OptionError:
            number = -1
        if number not in known:
            raise IllegalActionError(
                f"{show_value(outcome)} is not an outcome of the chance node in phase {self.phase} "
                f"[{self._game.sections[self.phase]}]: outcomes are {known}"
            )
        return number

    def chance_text(self, outcome: int) -> str:
        """Return the text of an outcome."""
        state = self.interpreted()
        return self._game.chance_text_of(state, self._check_outcome(state, outcome))

    # Copies

    def clone(self, seed: int | None = None, trace: bool = False) -> Any:
        """Return a copy; with a seed, in sampled mode and past a chance node."""
        cls = type(self)
        other = cls.__new__(cls)
        other._game, other._backend, other._rules = self._game, self._backend, self._rules
        other.data = self.data.copy()
        other.trace = [] if check_flag("trace", trace) else None
        if seed is not None:
            other.set_generator(seed_words(check_seed(seed)))
            other.go_on()
        return other

    def set_generator(self, words: list[int]) -> None:
        """Set the state of the generators to these words."""
        self._game.compiled_rules.state.put(self.data, "generator", words)

    def explicit(self) -> Any:
        """Return a copy without generator and trace."""
        other = self.clone()
        other.set_generator([-1] * 8)
        return other

    def begin_after(self, game: Any, start: State | None = None, trace: bool = False) -> Any:
        """See `hawaii_env.game.State.begin_after`."""
        check_sampled(self)
        if start is None:
            return game._begin(self.generator, trace)
        other: Any = start.clone(trace=trace)
        other.set_generator(self.generator)
        other.go_on()
        return other

    def __copy__(self) -> Any:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        other = self.clone()
        other.trace = None if self.trace is None else list(self.trace)
        return other

    def __reduce__(self) -> Any:
        data = add_checksum(self.to_json(secrets=True).encode(), _trace_text(self.trace))
        return restore_state, (self._game, data, self.trace)

    # Views, JSON and observations

    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        """Return the position as one line of JSON; see `hawaii_env.game.State.to_json`."""
        secrets = check_flag("secrets", secrets)
        generator = self.generator if secrets and self.chance == "sampled" else None
        return write_json(self._game, self.json_fields(secrets, player), generator)

    def json_fields(self, secrets: bool, player: int | None) -> dict[str, Any]:
        """Return the fields of the position for JSON: those of a view. Games with hidden information give all fields if
        `secrets` is True.
        """
        return self.view(player).to_dict()

    def key(self, secrets: bool = False, player: int | None = None) -> bytes:
        """See `hawaii_env.game.State.key`: the fields of the record that are not derived. Games with several records
        for one position, or with hidden information, override it.
        """
        check_flag("secrets", secrets)
        if player is not None:
            check_player(self, player)
        return self._game.compiled_rules.state.key(self.data)

    def observation(self, player: int, out: NDArray[Any] | None = None, raw: bool = False) -> NDArray[Any]:
        """Return the observation of a player: the game's integers (raw) or float32, [observation_size]."""
        game, observer = self._game, player
        if type(player) is not int or not 0 <= player < game.num_players:
            observer = check_count("player", player, 0, game.num_players - 1)
        raw = check_flag("raw", raw)
        out = _check_out(out, game.raw_dtype if raw else np.float32, game.observation_size)
        vector = np.empty(game.observation_size, np.float32) if raw else out
        memory = np.full(game.memory_size, -1, np.int32)
        self._backend.enter_observation(
            self._rules, self.data, observer, memory, game.unscaled if raw else game.scale, vector
        )
        if raw:
            out[:] = vector
        return out


def _check_out(out: Any, dtype: Any, n: int) -> NDArray[Any]:
    """Return the array to write into, creating one for None. Raises StateError for a wrong type or shape."""
    if out is None:
        return np.empty(n, dtype)
    if isinstance(out, np.ndarray) and out.dtype == dtype and out.shape == (n,):
        return out
    given = f"{out.dtype}{list(out.shape)}" if isinstance(out, np.ndarray) else f"{out!r:.80}"
    raise StateError(f"out: expected {np.dtype(dtype)}[{n}], not {given}")


@lru_cache(maxsize=64)
def _known_game(cls: Any, params: str) -> Any:
    return cls(**parse_json(params))


def restore_game(cls: Any, params: dict[str, Any], ruleset_hash: str) -> Any:
    """Return the game of a pickle, which contains the hash of the ruleset. Raises RulesetError."""
    game = _known_game(cls, json.dumps(params))
    if game.ruleset_hash != ruleset_hash:
        raise RulesetError(
            f"pickle of ruleset {ruleset_hash[:12]}..., but this installation's is {game.ruleset_hash[:12]}...: "
            "the shipped ruleset has changed since"
        )
    return game


def _trace_text(trace: Any) -> str:
    """Return the text of a trace for the checksum. Raises StateError for invalid events."""
    try:
        return "" if trace is None else repr(trace)
    except Exception as error:  # an invalid event may raise any error
        raise StateError(f"pickle: a trace whose events have been altered: {error}") from None


def restore_state(game: Any, data: object, trace: Any) -> Any:
    """Return the state of a pickle, validated like any position, because compiled code does not check states."""
    if trace is not None and not isinstance(trace, list):
        raise StateError(f"pickle: a trace is a list, not {show_value(trace)}")
    state = game.state_from_json(verify_checksum(data, name=_trace_text(trace)).decode())
    state.trace = trace
    return state
