"""`Game` and `State` of Hawaii, 1795: the rules behind the API that every game here offers [7.0].

The two know each other, so they stand in one module, long as it is: elsewhere they would import each other in a ring.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
# A game makes its states without their public constructor, which refuses.
import hashlib
import json
import operator
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_kind, check_list
from hawaii_env.core.rng import seed_words
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, OptionError, RulesetError, StateError
from hawaii_env.game import (
    CHANCE,
    TERMINAL,
    ActionFactors,
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
)
from hawaii_env.game import Game as BaseGame
from hawaii_env.game import State as BaseState
from hawaii_env.positions import read_json, write_json

from . import core, fuzzing, observation, texts
from .positions import position
from .rules.actions import ACTION_FACTORS, CODEC, N_ACTIONS
from .rules.cards import card_of
from .rules.errors import EndlessPhaseError
from .rules.names import (
    ADVANTAGE,
    CARD,
    EVENT_DIE,
    FIRST_CHANCE,
    HIT_DIE,
    KIND_NAMES,
    LAST_CHANCE,
    LAST_DECISION,
    MAX_STEPS,
    N_NUMBERS,
    N_PIECES,
    OVER,
    PHASES,
    SIDES,
    SIGHTING,
    TIE,
    reason_text,
)
from .ruleset import Ruleset

SEA_VICTORS = ("repulsed", "assault")

# What each phase asks, and the section that rules it: for error messages.
PHASE_RULES = {
    "setup": "[6.0, R-06]", "home": "[8.2]", "recruiting": "[9.0, R-10]", "withdrawal": "[R-15, R-23, R-25]",
    "window": "[8.1, R-09]", "movement": "[10.0]", "pickup": "[10.3]", "cargo": "[10.3, R-12]",
    "sail": "[10.3, R-13]", "approach": "[11.7, R-17]", "launch": "[11.7]", "commit": "[11.7]",
    "battle_order": "[11.1]", "fire": "[11.1, 14.2]", "loss": "[11.3]", "panic": "[11.3, 12.0]",
    "canoe_loss": "[11.8]", "retreat": "[11.5, 11.8, R-24]", "card": "[8.0]", "event": "[8.2]", "sighting": "[11.7]",
    "advantage": "[11.1 i-iii]", "hit_die": "[11.2]", "over": "[5.0]",
}  # fmt: skip


@cache
def _layout_hash() -> str:
    return hashlib.sha256("\n".join(observation.value_names()).encode()).hexdigest()


class Game(BaseGame):
    """Hawaii, 1795, with a ruleset, a scenario and options [6.0].

    Args:
        scenario: ``"long"`` (January to November) or ``"short"`` (March to November).
        rules: None for the shipped ruleset, a folder that replaces any of its files, or a `Ruleset`.
        final_check: R-08: Kamehameha's occupation is looked at once more after November.
        sea_victor: R-18: ``"repulsed"``: the victor of a sea battle may not land where a garrison stayed;
            ``"assault"``: he fights it on landing.

    Raises:
        OptionError: an unknown scenario or option.
        RulesetError: a ruleset file that is wrong; the message names file, table, key and what is allowed.
    """

    name = "hawaii1795"
    agents: tuple[str, ...] = ("kamehameha_0", "allied_1")
    num_players = 2
    num_actions = N_ACTIONS
    observation_size: int = observation.SIZE
    observation_low: NDArray[np.float32] = observation.LOW
    observation_high: NDArray[np.float32] = observation.HIGH
    codec = CODEC
    action_table_hash: str = CODEC.hash
    observation_layout_hash: str = property(lambda self: _layout_hash())  # pyright: ignore[reportAssignmentType]
    """Digest of the observation's layout: hex SHA-256 of its values' names in order, the same for every ruleset."""
    chance_kinds: tuple[str, ...] = PHASES[FIRST_CHANCE : LAST_CHANCE + 1]
    max_decisions = 20_000
    max_chance_outcomes = 10
    observation_parts: tuple[Part, ...] = tuple(
        Part(
            part.name,
            part.shape,
            part.what,
            part.rows,
            (("bits", 64),) if part.name == "digest" else tuple((name, 1) for name in part.columns),
        )
        for part in observation.PARTS
    )
    action_factors: ActionFactors | None = ACTION_FACTORS

    def __init__(
        self,
        scenario: str = "long",
        rules: Any = None,
        final_check: bool = False,
        sea_victor: str = "repulsed",
    ) -> None:
        if not isinstance(cast(Any, final_check), (bool, np.bool_)):
            raise OptionError(f"final_check: allowed are True and False, not {final_check!r}")
        check_choice("sea_victor", sea_victor, SEA_VICTORS)
        self.scenario = scenario
        self.final_check: bool = bool(final_check)
        self.sea_victor = sea_victor
        self.ruleset: Ruleset = Ruleset.load(rules)
        if not isinstance(cast(Any, scenario), str) or scenario not in self.ruleset.scenarios:
            raise OptionError(f"scenario: allowed are {', '.join(self.ruleset.scenarios)}, not {scenario!r}")
        self.ruleset_hash: str = self.ruleset.hash
        self.ruleset_name: str = self.ruleset.name
        self.params: Mapping[str, Any] = {
            "scenario": scenario,
            "rules": self.ruleset.param,
            "final_check": self.final_check,
            "sea_victor": sea_victor,
        }
        self.record_array: NDArray[Any] = self.ruleset.tables(scenario, self.final_check, sea_victor)
        self._tables: dict[bool, Any] = {}
        raw = observation.template(self.record_array[0])
        self.templates: tuple[NDArray[np.int8], NDArray[np.float32]] = raw, raw * observation.SCALE
        self.card_ids: tuple[str, ...] = texts.card_ids(self.ruleset)
        self.texts: tuple[str, ...] = texts.action_texts(self.card_ids)

    @property
    def raw_low(self) -> NDArray[Any]:
        """Least values of a raw observation, int8[observation_size]: zeros."""
        return np.zeros(self.observation_size, np.int8)

    @property
    def raw_high(self) -> NDArray[Any]:
        """Greatest values of a raw observation, int8[observation_size]."""
        return observation.RAW_HIGH.copy()

    def tables_in(self, mode: core.Mode) -> Any:
        """The tables as the doors of a mode want them."""
        if mode.compiled not in self._tables:
            self._tables[mode.compiled] = mode.load_tables(self.record_array)
        return self._tables[mode.compiled]

    def state_of(self, buffer: Any) -> State:
        """A state that is this buffer itself, in the mode that it is held in: for lanes and searches."""
        state = State.__new__(State)
        state._set(self, buffer)
        return state

    def compile(self) -> None:
        """See `hawaii_env.game.Game.compile`."""
        core.mode_of_jobs()

    # Positions

    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> State:
        """[6.0] A new game. See `hawaii_env.game.Game.initial_state`.

        The seed makes two generators, one for the decks and one for the dice: two games of one seed see the same cards.
        """
        seed = check_start(chance, seed)
        state = State.__new__(State)
        state._set(self, core.mode_now(self).new_buffer())
        if chance == "sampled":
            state.set_generator(seed_words(seed))
        if trace:
            state.trace = []
        state._begin()
        return state

    def state_from_json(self, text: str) -> State:
        """See `hawaii_env.game.Game.state_from_json`."""
        fields, generator = read_json(self, text)
        state = self.position(**fields)
        if generator is not None:
            state.set_generator(generator)
            state._go()
        return state

    def position(self, **kw: Any) -> State:
        """A position written by hand, in the explicit mode [3.0, 6.0]; see
        `hawaii_env.hawaii1795.positions.position.read_position`.

        Raises:
            StateError: the position cannot be; the message says why.
        """
        return self._from_fields(position.read_position(self, kw))

    def _from_fields(self, fields: dict[str, Any]) -> State:
        state, mode = State.__new__(State), core.mode_now(self)
        buffer = mode.new_buffer()
        for name, value in fields.items():
            mode.put(buffer, name, value)
        mode.recount(self.tables_in(mode), buffer)
        state._set(self, buffer)
        state._go()
        return state

    # Actions

    def action_text(self, action: int) -> str:
        """See `hawaii_env.game.Game.action_text`."""
        return self.texts[check_action(action, N_ACTIONS)]

    def parse_action(self, state: BaseState, text: str) -> int:
        """The legal action that a text names. Shorter texts will do where they are not ambiguous: a canoe by its kind
        or as `canoe`, a piece without its marks.

        Raises:
            IllegalActionError: no legal action, or several, have this text.
        """
        check_kind("state", state, State)
        return texts.parse(
            self.texts,
            state.legal_actions(),
            text,
            state.phase,
            PHASE_RULES.get(state.phase, ""),
            lambda action: self._canoe_moved(cast(State, state), action),
        )

    def _canoe_moved(self, state: State, action: int) -> str:
        """The kind of canoe that an action takes from its place, or chooses to move; empty when it is none."""
        before, buffer = state._buffer, core.copy_buffer(state._buffer)
        state._core.take(state._tables, buffer, action)
        old, new = core.get_list(before, "place"), core.get_list(buffer, "place")
        pieces = [p for p in range(N_PIECES) if old[p] != new[p]]
        if core.get(buffer, "fleet") != core.get(before, "fleet"):
            pieces.append(core.get(buffer, "fleet"))
        table = cast(Any, self.record_array)[0]
        return next((KIND_NAMES[int(table["kind"][p])] for p in pieces if p >= 0 and table["canoe"][p]), "")

    def invariants(self, state: BaseState) -> None:
        """What holds in every position: see `hawaii_env.hawaii1795.positions.position.check_invariants`."""
        position.check_invariants(self, check_kind("state", state, State))

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

    def batch_backend(self) -> Any:
        """What steps many games at once: a class that is called with the game of each lane; see
        `hawaii_env.core.batch.BatchBackend`.
        """
        from .batch import CompiledBatch

        return CompiledBatch

    def __reduce__(self) -> Any:
        return _game_again, (
            type(self),
            self.scenario,
            self.params["rules"],
            self.ruleset_hash,
            self.final_check,
            self.sea_victor,
        )


def _array_words(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return f"{value!r:.80}"
    array = cast(NDArray[Any], value)
    return f"{array.dtype}{list(array.shape)}"


@lru_cache(maxsize=64)
def _known_game(cls: Any, scenario: str, content: str | None, final_check: bool, sea_victor: str) -> Game:
    return cls(scenario, None if content is None else json.loads(content), final_check, sea_victor)


def _game_again(
    cls: Any,
    scenario: str,
    content: Any,
    ruleset_hash: str,
    final_check: bool,
    sea_victor: str,
) -> Game:
    """The game of a pickle, which carries its ruleset's content and names it by hash."""
    key = None if content is None else json.dumps(content, sort_keys=True)
    game = _known_game(cls, scenario, key, final_check, sea_victor)
    if game.ruleset_hash != ruleset_hash:
        raise RulesetError(
            f"pickle of ruleset {ruleset_hash[:12]}..., but this installation's is {game.ruleset_hash[:12]}...: "
            "the shipped ruleset has changed since"
        )
    return game


class State(BaseState):
    """A position of Hawaii, 1795. See `hawaii_env.game.State`; made by `Game.initial_state` and its like."""

    __slots__ = ("_buffer", "_core", "_game", "_tables", "trace")

    _game: Game
    _core: core.Mode
    _tables: Any
    _buffer: Any
    trace: list[Event] | None

    def __init__(self) -> None:
        raise TypeError("states are made by Game.initial_state(), Game.position() or Game.state_from_json()")

    def _set(self, game: Game, buffer: Any) -> None:
        self._game = game
        self._core = core.mode_of(buffer)
        self._tables = game.tables_in(self._core)
        self._buffer = buffer
        self.trace = None

    def set_generator(self, words: list[int]) -> None:
        """Let the generators of cards and dice go on from these words."""
        self._core.put(self._buffer, "deck_words", words[:4])
        self._core.put(self._buffer, "dice_words", words[4:])
        self._core.put(self._buffer, "sampled", 1)

    def _begin(self) -> None:
        if self.trace is None:
            self._core.begin(self._tables, self._buffer)
        else:
            self._core.set_up(self._tables, self._buffer)
            self._trace_on()

    def _go(self) -> None:
        """Go on until a real decision, a chance node of the explicit mode, or the end."""
        if self.trace is not None:
            self._trace_on()
            return
        self._core.resume(self._tables, self._buffer)

    def _trace_on(self) -> None:
        """As the compiled `run`, step by step, noting every event."""
        tables, buffer, trace = self._tables, self._buffer, cast(list[Event], self.trace)
        for _ in range(MAX_STEPS):
            before = self._core.get_list(buffer, "left")
            self._core.advance(tables, buffer)
            self._note_last_card(before)
            phase = self._core.get(buffer, "phase")
            if phase == OVER:
                return
            if phase > LAST_DECISION:
                if not self._core.get(buffer, "sampled"):
                    return
                outcome = int(self._core.sample(buffer))
                trace.append(Chance(PHASES[phase], outcome, self.chance_text(outcome)))
                self._core.fall(tables, buffer, outcome)
            else:
                n = self._core.get(buffer, "n_legal")
                if n == 0:
                    self._core.pass_on(tables, buffer)
                elif n == 1:
                    action = self._core.get_list(buffer, "legal")[0]
                    trace.append(Decision(self._core.get(buffer, "decider"), action, self._game.texts[action], True))
                    self._core.take(tables, buffer, action)
                else:
                    return
        raise EndlessPhaseError(self._core.get(buffer, "phase"))

    def _note_last_card(self, before: list[int]) -> None:
        """[R-34] Note the last card of a deck, which comes without a chance node; `before`: the decks before the
        step.
        """
        for side, left in enumerate(core.get_list(self._buffer, "left")):
            if before[side] and not left:
                number = before[side].bit_length() - 1
                cast(list[Event], self.trace).append(Chance(PHASES[CARD], number, self._card_text(side, number), True))

    def _card_text(self, side: int, number: int) -> str:
        return f"{SIDES[side]} draws {self._game.card_ids[card_of(side, number)]}"

    # What the position is

    @property
    def game(self) -> Game:
        """The game that this is a position of."""
        return self._game

    @property
    def current_player(self) -> int:
        """Who decides: 0, 1, CHANCE or TERMINAL."""
        phase = self._core.get(self._buffer, "phase")
        if phase <= LAST_DECISION:
            return self._core.get(self._buffer, "decider")
        return TERMINAL if phase == OVER else CHANCE

    @property
    def chance(self) -> ChanceMode:
        """``"sampled"`` or ``"explicit"``."""
        return "sampled" if self._core.get(self._buffer, "sampled") else "explicit"

    @property
    def phase(self) -> str:
        """The phase, one of `names.PHASES`."""
        return PHASES[self._core.get(self._buffer, "phase")]

    @property
    def is_terminal(self) -> bool:
        """True when the game is over [5.0]."""
        return self._core.get(self._buffer, "phase") == OVER

    @property
    def decisions(self) -> int:
        """Decisions asked so far in this game; forced ones do not count."""
        return self._core.get(self._buffer, "decisions")

    def returns(self) -> list[float]:
        """The players' results: 1 and -1, or zeros for a tie and before the end [5.0]."""
        winner = self._core.get(self._buffer, "winner")
        if winner < 0 or winner == TIE:
            return [0.0, 0.0]
        return [1.0, -1.0] if winner == 0 else [-1.0, 1.0]

    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        winner = self._core.get(self._buffer, "winner")
        if winner < 0:
            return None
        return Outcome.won_by(None if winner == TIE else winner, 2, self._reason())

    def _reason(self) -> str:
        return reason_text(self._core.get(self._buffer, "reason"), self._core.get(self._buffer, "month"))

    # Decisions

    def legal_actions(self, player: int | None = None) -> list[int]:
        """See `hawaii_env.game.State.legal_actions`."""
        n = self._core.get(self._buffer, "n_legal")
        if player is not None and player != self._core.get(self._buffer, "decider"):
            if not isinstance(cast(Any, player), (int, np.integer)):
                raise OptionError(f"player: an index is wanted, not {player!r:.80}")
            return []
        if not n:
            return []
        return self._core.get_list(self._buffer, "legal")[:n]

    def legal_mask(self, out: NDArray[np.int8] | None = None, player: int | None = None) -> NDArray[np.int8]:
        """See `hawaii_env.game.State.legal_mask`."""
        if out is None:
            out = np.empty(N_ACTIONS, np.int8)
        elif not isinstance(cast(Any, out), np.ndarray) or out.shape != (N_ACTIONS,) or out.dtype != np.int8:
            raise StateError(f"out: int8[{N_ACTIONS}] is wanted, not {_array_words(out)}")
        if player is not None and player != self.current_player:
            out[:] = 0
        else:
            self._core.write_mask(self._buffer, out)
        return out

    def apply(self, action: int) -> None:
        """See `hawaii_env.game.State.apply`."""
        if type(action) is not int or not 0 <= action < N_ACTIONS:
            action = check_action(action, N_ACTIONS)
        if self.trace is None:
            if self._core.decide(self._tables, self._buffer, action):
                raise self._illegal(action)
        elif action not in self.legal_actions():
            raise self._illegal(action)
        else:
            self._apply_traced(action, self.trace)

    def _apply_traced(self, action: int, trace: list[Event]) -> None:
        buffer = self._buffer
        trace.append(Decision(self._core.get(buffer, "decider"), action, self._game.texts[action], False))
        self._core.put(buffer, "decisions", self._core.get(buffer, "decisions") + 1)
        self._core.take(self._tables, buffer, action)
        self._trace_on()

    def _illegal(self, action: int) -> HawaiiError:
        phase = self._core.get(self._buffer, "phase")
        if phase == OVER:
            return GameOverError(f"the game is over: {self._reason()}")
        name, text = PHASES[phase], self._game.texts[action]
        if phase > LAST_DECISION:
            return IllegalActionError(f"{text!r} (action {action}): chance decides in phase {name} {PHASE_RULES[name]}")
        legal = [self._game.texts[a] for a in self.legal_actions()]
        shown = ", ".join(legal[:12]) + (", ..." if len(legal) > 12 else "")
        who = SIDES[self._core.get(self._buffer, "decider")]
        return IllegalActionError(
            f"{text!r} (action {action}) is not legal in phase {name} {PHASE_RULES[name]}; {who} may: {shown}"
        )

    # Chance

    def _chance_phase(self) -> int:
        phase = self._core.get(self._buffer, "phase")
        if phase < FIRST_CHANCE or phase > LAST_CHANCE:
            raise IllegalActionError(f"phase {PHASES[phase]} is no chance node")
        return phase

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """See `hawaii_env.game.State.chance_outcomes`: a die's faces 1-6, a card's number 1-9."""
        phase = self._chance_phase()
        if phase == CARD:
            mask = self._core.get_list(self._buffer, "left")[self._core.get(self._buffer, "half")]
            numbers = [n for n in range(1, N_NUMBERS + 1) if mask >> n & 1]
            return [(n, 1 / len(numbers)) for n in numbers]
        if not merged:
            return [(face, 1 / 6) for face in range(1, 7)]
        keys, least = np.empty((6, observation.N_TOLD), np.int32), np.empty(6, np.int64)
        self._core.merged(self._tables, self._buffer, self._core.new_buffer(), keys, least)
        faces = least.tolist()
        return [(face, faces.count(face) / 6) for face in sorted(set(faces))]

    def apply_chance(self, outcome: int) -> None:
        """See `hawaii_env.game.State.apply_chance`."""
        outcome = self._known_outcome(outcome)
        if self.trace is None:
            self._core.tell(self._tables, self._buffer, outcome)
            return
        phase = self._core.get(self._buffer, "phase")
        self.trace.append(Chance(PHASES[phase], outcome, self.chance_text(outcome)))
        self._core.fall(self._tables, self._buffer, outcome)
        self._trace_on()

    def _known_outcome(self, outcome: Any) -> int:
        """An outcome of this chance node as an int, or IllegalActionError."""
        phase = self._chance_phase()
        known = [o for o, _ in self.chance_outcomes()]
        try:
            number = -1 if isinstance(outcome, (bool, np.bool_)) else operator.index(outcome)
        except TypeError:
            number = -1
        if number not in known:
            raise IllegalActionError(
                f"phase {PHASES[phase]} {PHASE_RULES[PHASES[phase]]}: outcomes are {known}, not {outcome!r}"
            )
        return number

    def chance_text(self, outcome: int) -> str:
        """See `hawaii_env.game.State.chance_text`."""
        phase, outcome = self._chance_phase(), self._known_outcome(outcome)
        if phase == CARD:
            return self._card_text(core.get(self._buffer, "half"), outcome)
        effect = self._core.effect_of(self._tables, self._buffer, outcome)
        if phase == SIGHTING:
            return f"sighting {outcome}: {'sighted' if effect else 'not sighted'}"
        if phase == EVENT_DIE:
            return (
                f"{self._game.card_ids[self._core.get(self._buffer, 'card')]} {outcome}: "
                f"{'it happens' if effect else 'nothing'}"
            )
        if phase == ADVANTAGE:
            if not self._core.get(self._buffer, "first_die"):
                return f"advantage: kamehameha {outcome}"
            return f"advantage: allied {outcome}: {'tie' if effect < 0 else SIDES[effect]}"
        assert phase == HIT_DIE
        return f"hit {outcome}: {('no effect', 'panic', 'elimination')[effect]}"

    # Copies

    def clone(self, seed: int | None = None, trace: bool = False) -> State:
        """See `hawaii_env.game.State.clone`."""
        copy = State.__new__(State)
        copy._game = self._game
        copy._core = self._core
        copy._tables = self._tables
        copy._buffer = self._buffer.copy()
        copy.trace = [] if trace else None
        if seed is not None:
            copy.set_generator(seed_words(check_seed(seed)))
            copy._go()
        return copy

    def explicit(self) -> State:
        """See `hawaii_env.game.State.explicit`."""
        copy = self.clone()
        core.forget_generators(copy._buffer)
        return copy

    def next_episode(self) -> State:
        """See `hawaii_env.game.State.next_episode`."""
        if not self._core.get(self._buffer, "sampled"):
            raise OptionError("next_episode: a state of the explicit mode has no generator that could go on")
        copy = State.__new__(State)
        copy._set(self._game, core.mode_now(self._game).copy_of(self._buffer))
        if self.trace is not None:
            copy.trace = []
        copy._begin()
        return copy

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> State:
        copy = self.clone()
        copy.trace = None if self.trace is None else list(self.trace)
        return copy

    def __reduce__(self) -> Any:
        return _state_again, (self._game, core.pack(self._buffer), self.trace)

    def __eq__(self, other: object) -> bool:
        """The same public position of the same game, interchangeable pieces taken as such; generators are not
        compared.
        """
        if not isinstance(other, State):
            return NotImplemented
        return self._game == other._game and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def key(self) -> bytes:
        """A key of the public position: equal for positions that differ only in which of interchangeable pieces stands
        where.
        """
        key = np.empty(observation.N_TOLD, np.int32)
        self._core.position_key(self._tables, self._buffer, key)
        return key.tobytes()

    # Ways to look at it

    def observation(
        self, player: int, out: NDArray[Any] | None = None, raw: bool = False
    ) -> NDArray[np.float32] | NDArray[np.int8]:
        """See `hawaii_env.game.State.observation`; the layout is `hawaii_env.hawaii1795.observation.PARTS`."""
        if player != 0 and player != 1:
            raise StateError(f"player: 0 or 1 is wanted, not {player!r}")
        wanted = np.int8 if raw else np.float32
        if out is None:
            out = np.empty(self._game.observation_size, wanted)
        else:
            size = self._game.observation_size
            if not isinstance(cast(Any, out), np.ndarray) or out.shape != (size,) or out.dtype != wanted:
                raise StateError(f"out: {np.dtype(wanted)}[{size}] is wanted, not {_array_words(out)}")
        values = np.empty(self._game.observation_size, np.float32) if raw else out
        self._core.observe(self._tables, self._buffer, int(player), self._game.templates[1], observation.SCALE, values)
        if raw:
            out[:] = np.rint(values * observation.RAW_HIGH)
        return out

    def for_search(self, player: int | None = None) -> State:
        """See `hawaii_env.game.State.for_search`; nothing is hidden in this game, so all players get the same."""
        check_player(self, player)
        return self.explicit()

    def view(self, player: int | None = None) -> position.View:
        """The position as a frozen dataclass with `to_dict()`, the same for all players; the generators are not in
        it.
        """
        check_player(self, player)
        return position.make_view(self._game, self._buffer)

    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        """See `hawaii_env.game.State.to_json`."""
        words = ("deck_words", "dice_words") if secrets and self.chance == "sampled" else ()
        generator = [word for name in words for word in self._core.get_list(self._buffer, name)]
        return write_json(self._game, self.view(player).to_dict(), generator or None)


def _state_again(game: Game, data: object, trace: list[Event] | None) -> State:
    """The state of a pickle, checked: compiled code trusts its state."""
    buffer = core.mode_now(game).from_bytes(core.unpack(data))
    position.check_buffer(game, buffer, "pickle")
    if trace is not None and not isinstance(cast(Any, trace), list):
        raise StateError(f"pickle: a trace is a list, not {trace!r}")
    state = State.__new__(State)
    state._set(game, buffer)
    state.trace = trace
    return state
