"""Game and State of Heiau Diplomacy."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import hawaii_env.game as base
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, OptionError, RulesetError, StateError
from hawaii_env.game import (
    CHANCE,
    SPECTATOR,
    TERMINAL,
    Chance,
    ChanceMode,
    Decision,
    Event,
    Outcome,
    Part,
    check_player,
    check_seed,
    check_start,
)
from hawaii_env.heiau import core
from hawaii_env.heiau.observation import Layout
from hawaii_env.heiau.options import Options, game_tables, start_units
from hawaii_env.heiau.positions import ALL, HeiauView, look, read
from hawaii_env.heiau.positions.check import check_words
from hawaii_env.heiau.positions.known import forget_others
from hawaii_env.heiau.positions.record import CHANCE_PHASES, SEALED_PHASES, Record, record_of
from hawaii_env.heiau.refusals import why_no_action, why_not_typed
from hawaii_env.heiau.rules.actions import NAMES, RETREAT, actions_of
from hawaii_env.heiau.rules.board import Unit
from hawaii_env.heiau.rules.ending import SCORINGS
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, MOVE, SUPPORT, VIA, Order
from hawaii_env.heiau.rules.state import (
    ADJUSTMENTS,
    BALLOT,
    ORDERS,
    OVER,
    PHASES,
    RETREATS,
    STAND,
    STATE,
    UNDECIDED,
)
from hawaii_env.heiau.rules.tables import MAX_POWERS
from hawaii_env.heiau.ruleset import Ruleset, read_unit
from hawaii_env.heiau.texts import Names, nearest, typed_order, unit_text

__all__ = ["DISCRETE_STARTS", "SCORINGS", "Game", "State"]

DISCRETE_STARTS = ("kona_coast", "kona_kailua")
RULES = {
    "ballot": "[Haole, Two Haoles]", "orders": "[Armies, Boats, Fleets, Convoys]", "retreats": "[Background, R-16]",
    "adjustments": "[Winter]", "assignment": "[R-24]", "setup": "[R-19]", "over": "[Background]",
}  # fmt: skip
"""Where the rulebook, or a ruling, has each phase."""


_CHANCE = tuple(PHASES.index(phase) for phase in CHANCE_PHASES)


def _choices(ruleset: Ruleset) -> tuple[str, ...]:
    return next((scenario.ballot for scenario in ruleset.scenarios.values() if scenario.ballot), ("heart", "wings"))


def _copied(generator: random.Random | None) -> random.Random | None:
    """A generator that goes on alike; a hundred times faster than a deep copy."""
    if generator is None:
        return None
    other = random.Random(0)
    other.setstate(generator.getstate())
    return other


def _made(kind: type[Game], params: dict[str, Any]) -> Game:
    """What a pickle of a game brings back: the game of its options, its ruleset by content."""
    return kind(**params)


class Game(base.Game):
    """Heiau Diplomacy.

    Args:
        scenario: one of the ruleset's scenarios.
        last_year: the last year; without a winner it ends in a draw [R-23]. 1 to 99.
        posts_win: True counts trading posts for victory, too [R-21].
        scoring: how a draw is shared: ``"draw_size"`` equally among who owns a heiau or post, ``"solo"`` equally among
            all, ``"sum_of_squares"`` by the squares of heiaus plus posts.
        discrete_start: Sunrise's first start in Discrete, as printed or as a slip of the pen [R-02].
        assignment: ``"fixed"``: the players are the powers, in their order; ``"random"``: chance says who plays which
            [R-24].
        rules: None for the shipped ruleset, a folder with files that replace the shipped ones, or their texts by name.

    Attributes:
        powers: the powers' ids, by power's index.
        ruleset: the data.

    Raises:
        OptionError: an unknown scenario or option.
        RulesetError: a ruleset that does not hold.
    """

    name = "heiau"
    information = "imperfect"
    dynamics = "sealed"
    utility = "zero_sum"
    raw_dtype: np.dtype[Any] = np.dtype(np.int8)

    def __init__(
        self,
        scenario: str = "race",
        last_year: int = 20,
        posts_win: bool = False,
        scoring: str = "draw_size",
        discrete_start: str = "kona_coast",
        assignment: str = "fixed",
        rules: str | os.PathLike[str] | Mapping[str, str] | None = None,
    ) -> None:
        self.ruleset: Ruleset = Ruleset.load(rules)
        known = self.ruleset.scenarios
        if scenario not in tuple(known):
            raise OptionError(f"scenario {scenario!r}: allowed are {', '.join(known)}")
        if type(last_year) is not int or not 1 <= last_year <= 99:
            raise OptionError(f"last_year: 1 to 99, not {last_year!r}")
        for name, value, allowed in (
            ("posts_win", posts_win, (False, True)),
            ("scoring", scoring, SCORINGS),
            ("discrete_start", discrete_start, DISCRETE_STARTS),
            ("assignment", assignment, ("fixed", "random")),
        ):
            if not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
                raise OptionError(f"{name} {value!r}: allowed are {', '.join(map(str, allowed))}")
        self._keep(scenario, last_year, posts_win, scoring, discrete_start, assignment, rules)

    def _keep(
        self,
        scenario: str,
        last_year: int,
        posts_win: bool,
        scoring: str,
        discrete_start: str,
        assignment: str,
        rules: Any,
    ) -> None:
        self.params: Mapping[str, Any] = {
            "scenario": scenario,
            "last_year": last_year,
            "posts_win": posts_win,
            "scoring": scoring,
            "discrete_start": discrete_start,
            "assignment": assignment,
            "rules": self.ruleset.param,
        }
        board = self.ruleset.board
        chosen = self.ruleset.scenarios[scenario]
        if scenario == "discrete" and discrete_start != "kona_coast":
            chosen = _moved(self.ruleset, chosen, discrete_start)
        self.options: Options = Options(
            board,
            actions_of(board, _choices(self.ruleset)),
            chosen,
            tuple(self.ruleset.scenarios[name] for name in chosen.ballot),
            self.ruleset.victory,
            last_year,
            posts_win,
            scoring,
            assignment == "random",
        )
        self.powers: tuple[str, ...] = tuple(power.id for power in chosen.powers)
        self.num_players: int = len(self.powers)
        names = self.powers if assignment == "fixed" else ["player"] * self.num_players
        self.agents: tuple[str, ...] = tuple(f"{name}_{index}" for index, name in enumerate(names))
        codec = self.options.actions.codec
        self.num_actions: int = codec.size
        self.action_table_hash: str = codec.hash
        self.ruleset_name: str = self.ruleset.name
        self.ruleset_hash: str = self.ruleset.hash
        self.chance_kinds: tuple[str, ...] = ("assignment", "setup")
        self.max_chance_outcomes: int = max(2, self.num_players)
        self.chance_public: bool = not chosen.ballot
        self.max_decisions: int = 160 * last_year + 12
        self._scenario_index = list(self.ruleset.scenarios).index(scenario)
        self.layout: Layout = Layout(self.options, len(self.ruleset.scenarios))
        self.observation_parts: tuple[Part, ...] = self.layout.parts
        self.observation_size: int = self.layout.size
        self.observation_low: NDArray[np.float32] = self.layout.low * self.layout.scale
        self.observation_high: NDArray[np.float32] = self.layout.high * self.layout.scale
        self.names: Names = Names(board, self.ruleset.spaces)
        parts = [self.layout.at[part.name] for part in self.layout.parts]
        self.table_buffer: NDArray[np.int64] = game_tables(
            self.options, self._scenario_index, self.layout.size, parts, self.layout.marks
        )
        self._tables: dict[bool, Any] = {}

    def tables_in(self, mode: core.Mode) -> Any:
        """The tables as the doors of a mode want them."""
        if mode.compiled not in self._tables:
            self._tables[mode.compiled] = mode.load_tables(self.table_buffer)
        return self._tables[mode.compiled]

    def compile(self) -> None:
        """See `hawaii_env.game.Game.compile`."""
        core.mode_of_jobs()

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), dict(self.params))

    @property
    def raw_low(self) -> NDArray[Any]:
        """Least values of a raw observation."""
        return self.layout.low.copy()

    @property
    def raw_high(self) -> NDArray[Any]:
        """Greatest values of a raw observation."""
        return self.layout.high.copy()

    def batch_backend(self) -> Any:
        """What steps many games at once: a class that is called with the game of each lane; see
        `hawaii_env.core.batch.BatchBackend`.
        """
        from hawaii_env.heiau.batch import CompiledBatch

        return CompiledBatch

    def state_of(self, buffer: Any, generator: random.Random | None) -> State:
        """Return a state that is this buffer itself, in the mode that it is held in: for lanes."""
        return State(self, buffer, generator)

    def initial_state(self, seed: int | None = None, chance: ChanceMode = "sampled", trace: bool = False) -> State:
        """Return a new game's first position; see `hawaii_env.game.Game.initial_state`."""
        seed = check_start(chance, seed)
        return self._new(random.Random(seed) if chance == "sampled" else None, trace)

    def _new(self, generator: random.Random | None, trace: bool) -> State:
        mode = core.mode_now(self)
        buffer = mode.load(core.empty_words(self.options.board))
        mode.begin(self.tables_in(mode), buffer)
        state = State(self, buffer, generator)
        state.trace = [] if trace else None
        state.go_on()
        return state

    def position(self, **kw: Any) -> State:
        """Return a position written by hand, in the explicit mode; the keywords are the fields of `HeiauView`, all may
        be left out.

        Raises:
            StateError: the position cannot be; the message says why.
        """
        mode = core.mode_now(self)
        try:
            buffer, record = read(self.options, mode, self.tables_in(mode), **kw)
        except TypeError as error:
            raise StateError(f"not a position of heiau: {str(error).removeprefix('read() ')}") from error
        state = State(self, buffer, None)
        if record.phase == "over":
            state.told = record.shares, record.reason
        state.go_on()
        return state

    def state_from_json(self, text: str) -> State:
        """Return the position that `State.to_json` wrote; see `hawaii_env.game.Game.state_from_json`."""
        try:
            data = json.loads(text)
            if data.pop("ruleset") != self.ruleset_hash:
                raise StateError("the position is one of another ruleset")
            told = data.pop("options")
            mine = {key: value for key, value in self.params.items() if key != "rules"}
            if told != mine:
                raise StateError(f"the position is one of a game with {told}, not {mine}")
            generator = data.pop("generator", None)
            state = self.position(**data)
            if generator is not None:
                state.generator = random.Random()
                state.generator.setstate((generator[0], tuple(generator[1]), generator[2]))
            return state
        except HawaiiError:
            raise
        except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
            raise StateError(f"not a position of heiau: {error}") from error

    def action_text(self, action: int) -> str:
        """Return the text of an action."""
        return self.options.actions.codec.texts[base.check_action(action, self.num_actions)]

    def parse_action(self, state: base.State, text: str) -> int:
        """Return the legal action that a text names; spaces may be abbreviated as the rulebook has it [Abbr].

        A whole order in the usual notation of Diplomacy, as ``"B puna S A hilo - kalae"``, names the action that enters
        it: for a support or convoy the first half, and where that is entered the second.

        Raises:
            IllegalActionError: no legal action has this text; the message lists those near it.
        """
        texts = {self.action_text(action): action for action in state.legal_actions()}
        typed = " ".join(text.split()) if isinstance(cast(object, text), str) else repr(text)
        if typed in texts:
            return texts[typed]
        verb, _, rest = typed.partition(" ")
        wanted = typed
        if rest and state.phase in ("orders", "retreats") and verb.lower() not in NAMES:
            return self._parse_order(cast(State, state), text, texts)
        every = self.options.actions.codec.texts
        if rest and typed not in every:
            try:
                wanted = f"{verb.lower()} {self.options.board.places[self.names.place(rest)]}"
            except StateError as error:
                raise IllegalActionError(f"{text!r}: {error}") from error
            if wanted in texts:
                return texts[wanted]
        near = [one for one in texts if one.startswith(verb.lower())] or list(texts)
        if wanted in every and state.current_player >= 0:
            why = cast(State, state).refusal(every.index(wanted))
            raise IllegalActionError(f"{text!r}: {why}; legal are: {nearest(near)}")
        raise IllegalActionError(
            f"no legal action reads {text!r} in phase {state.phase} {RULES[state.phase]}; legal are: {nearest(near)}"
        )

    def _parse_order(self, state: State, text: str, texts: Mapping[str, int]) -> int:
        """The legal action of a whole order of the unit that is asked for."""
        board, record = self.options.board, state.record
        try:
            typed = typed_order(self.names, text)
        except StateError as error:
            raise IllegalActionError(str(error)) from error
        unit, order = state.asked_unit(), typed.order
        space = board.space_of[unit.place]
        if board.space_of[typed.place] != space:
            raise IllegalActionError(f"{text!r}: {unit_text(board, unit)} is asked for now")
        if typed.kind not in (-1, unit.kind):
            raise IllegalActionError(f"{text!r}: the unit in {board.spaces[space]} is {unit_text(board, unit)}")
        seen = state.for_search().record
        helped = seen.units.get(order.source)
        if typed.source >= 0 and (helped is None or helped.kind != typed.source):
            raise IllegalActionError(f"{text!r}: no such unit is in {board.spaces[order.source]}")
        verb = NAMES[RETREAT] if state.phase == "retreats" and order.verb == MOVE else NAMES[order.verb]
        target = board.space_of[order.target]
        coasts = board.coasts[target] if order.target == board.bare[target] else ()  # a coast that is named is meant
        places = [order.target, *coasts] if order.verb in (MOVE, VIA) else []
        wanted = {
            SUPPORT: [f"{verb} {board.spaces[order.source]}"], CONVOY: [f"{verb} {board.spaces[order.source]}"],
            BOATS: [f"{verb}{board.places[order.target].partition(board.spaces[space])[2]}"],
        }.get(order.verb, [f"{verb} {board.places[place]}" for place in places] or [verb])  # fmt: skip
        if order.verb in (SUPPORT, CONVOY) and record.half[record.queue[0]] >= 0:
            wanted = ["stay" if order.target == order.source else f"to {board.spaces[order.target]}"]
        found = [texts[one] for one in wanted if one in texts]
        if order.verb in (SUPPORT, CONVOY) and not state.can_order(space, order):
            found = []  # a first half is not taken for an order whose second half is refused
        if len(found) == 1:
            return found[0]
        told = "name a coast [Map]" if found else why_not_typed(board, seen, unit, order)
        raise IllegalActionError(f"{text!r}: {told}; legal for {unit_text(board, unit)} are: {nearest(texts)}")

    def invariants(self, state: base.State) -> None:
        """Check what must hold in every position."""
        assert isinstance(state, State)
        record, board = state.record, self.options.board
        assert list(record.units) == sorted(record.units), "units out of table order"
        for space, unit in record.units.items():
            assert board.space_of[unit.place] == space, f"{unit} in {space}"
            assert board.can_stand(unit.kind, unit.place), f"{unit} cannot be there"
        supply = board.heiaus | record.posts
        assert all(supply >> space & 1 for space in record.owners), "an owner of no heiau or post"
        assert not record.posts & board.heiaus, "a post on a heiau"
        assert record.posts.bit_count() + len(record.unbuilt) <= len(self.options.scenario.europeans), "too many posts"
        assert bool(record.dislodged) == (record.phase == "retreats"), "dislodged units out of the retreats"
        assert record.phase in SEALED_PHASES or not record.queue, "somebody is asked where nobody decides"
        if record.phase == "adjustments":
            for power in range(self.num_players):
                assert state.need(power) < self.options.victory or self.options.posts_win, "a victory was not seen"


def _moved(ruleset: Ruleset, scenario: Any, space: str) -> Any:
    """Discrete with Sunrise's first unit in another space [R-02]."""
    from dataclasses import replace

    first = scenario.powers[0]
    try:
        unit = read_unit(ruleset.board, f"B {space}", 0)
    except ValueError as error:
        raise RulesetError(f"discrete_start: {error}") from error
    return replace(scenario, powers=(replace(first, units=(unit, *first.units[1:])), *scenario.powers[1:]))


class State(base.State):
    """A position of Heiau Diplomacy.

    Attributes:
        told: shares and reason of an end that was written by hand, else None.
    """

    __slots__ = ("_buffer", "_game", "_mode", "_record", "_tables", "generator", "told", "trace")

    def __init__(self, game: Game, buffer: Any, generator: random.Random | None) -> None:
        self.told: tuple[tuple[float, ...], str] | None = None
        self.trace = None
        self._hold(game, buffer, generator)

    def _hold(self, game: Game, buffer: Any, generator: random.Random | None) -> None:
        self._game = game
        self._buffer = buffer
        self.generator: random.Random | None = generator
        self._mode: core.Mode = core.mode_of(buffer)
        self._tables: Any = game.tables_in(self._mode)
        self._record: Record | None = None

    @property
    def record(self) -> Record:
        """What the position holds, as data; it holds everything, so it is for who runs the game."""
        if self._record is None:
            self._record = record_of(self._game.options, self._mode.words(self._buffer))
            if self.told is not None:
                self._record.shares, self._record.reason = self.told
        return self._record

    def _get(self, name: str) -> int:
        return self._mode.get(self._buffer, name)

    def asked_unit(self) -> Unit:
        """Return the unit whose order or retreat is asked for; for who runs the game."""
        record = self.record
        power = record.queue[0]
        if record.phase == "orders":
            own = [unit for unit in record.units.values() if unit.power == power]
            return own[len(record.chosen[power])]
        spaces = STAND.read_all(self._mode.words(self._buffer)[STATE.words :])
        return next(
            unit
            for space, (unit, _) in record.dislodged.items()
            if unit.power == power and spaces[space].retreat == UNDECIDED
        )

    def can_order(self, space: int, order: Order) -> bool:
        """Return whether the unit in a space can be given an order, posts aside; for who runs the game."""
        return bool(self._mode.is_possible(self._tables, self._buffer, space, *order, 0))

    def refusal(self, action: int) -> str:
        """Say why an action is not legal for the power that is asked, by what that power knows."""
        unit = self.asked_unit() if self.phase in ("orders", "retreats") else None
        need = self.need(self.record.queue[0])
        return why_no_action(self._game.options, self.for_search().record, unit, need, action)

    def need(self, power: int) -> int:
        """Return how many armies a power may build, or, below zero, how many units it must remove [Winter]."""
        return int(self._mode.need(self._tables, self._buffer, power))

    # What the position is

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    @property
    def chance(self) -> ChanceMode:
        """``"explicit"`` without a generator, else ``"sampled"``."""
        return "explicit" if self.generator is None else "sampled"

    @property
    def phase(self) -> str:
        """``"ballot"``, ``"orders"``, ``"retreats"``, ``"adjustments"``, ``"over"``; at chance nodes ``"assignment"``,
        ``"setup"``.
        """
        return PHASES[self._get("phase")]

    @property
    def current_player(self) -> int:
        """Who is asked: players enter one after the other, unseen."""
        if self._get("asked"):
            return self.player_of(self._get("queue"))
        return TERMINAL if self.is_terminal else CHANCE

    def player_of(self, power: int) -> int:
        """Return who plays a power; before powers are assigned, the voter of that number."""
        return int(self._mode.player_of(self._tables, self._buffer, power))

    def power_of(self, player: int) -> int:
        """Return the power that a player plays; before powers are assigned, its own number."""
        return int(self._mode.power_of(self._tables, self._buffer, player))

    @property
    def is_terminal(self) -> bool:
        """True when the game is over."""
        return self._get("phase") == OVER

    @property
    def sealed_turn(self) -> int | None:
        """Number of the sealed turn that runs; it does not tell whether there was a second ballot [R-19]."""
        phase, year = self._get("phase"), self._get("year")
        if phase == BALLOT:
            return 2 if self._get("counted") else 1
        if phase == ADJUSTMENTS:
            return 5 * year + 2
        if phase in (ORDERS, RETREATS):
            return 5 * year - 2 + 2 * self._get("season") + (phase == RETREATS)
        return None

    def returns(self) -> list[float]:
        """Return (n x share - 1) / (n - 1) for each player, which sum to 0."""
        outcome, n = self.outcome(), self._game.num_players
        return [0.0] * n if outcome is None else [(n * share - 1) / (n - 1) for share in outcome.shares]

    def outcome(self) -> Outcome | None:
        """Return how the game ended: shares, places, heiaus and posts as scores."""
        n = self._game.num_players
        if not self.is_terminal:
            return None
        record = self.record
        shares = [record.shares[self.power_of(player)] for player in range(n)]
        scores = [float(self._mode.centres(self._tables, self._buffer, self.power_of(player))) for player in range(n)]
        return Outcome.of(shares, record.reason, scores=scores)

    # Decisions

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions, ascending; see `hawaii_env.game.State.legal_actions`."""
        if not self._get("asked") or (player is not None and player != self.current_player):
            return []
        out = self._mode.room(self._game.num_actions)
        n = self._mode.list_legal(self._tables, self._buffer, self._get("queue"), out)
        return out[:n] if type(out) is list else out[:n].tolist()

    def apply(self, action: int) -> None:
        """Enter an action, and go on; see `hawaii_env.game.State.apply`."""
        if self.is_terminal:
            raise GameOverError("the game is over")
        action = base.check_action(action, self._game.num_actions)
        if not self._get("asked"):
            raise IllegalActionError(f"phase {self.phase} is chance's: nobody decides {RULES[self.phase]}")
        traced = self.trace is not None
        power = self._get("queue")
        made = self._decision(power, action, False) if traced else None
        if self._mode.decide(self._tables, self._buffer, action, int(traced)):
            raise IllegalActionError(
                f"action {action} ({self._game.action_text(action)}) is not legal for "
                f"{self._game.agents[self.player_of(power)]} in phase {self.phase}: {self.refusal(action)}"
            )
        self._record = None
        if made is not None and self.trace is not None:
            self.trace.append(made)
            self.go_on()
        elif self._get("phase") in _CHANCE:
            self.go_on()

    def _decision(self, power: int, action: int, forced: bool) -> Decision:
        text = self._game.action_text(action)
        return Decision(self.player_of(power), action, text, forced, self.sealed_turn)

    def go_on(self) -> None:
        """Go on to where somebody has a choice, chance falls (explicit mode), or the game ends."""
        self._record = None
        while True:
            told = self._mode.run(self._tables, self._buffer, int(self.trace is not None))
            while told < 0 and self.trace is not None:
                action, power = divmod(-1 - int(told), MAX_POWERS)
                self.trace.append(self._decision(power, action, True))
                told = self._mode.run(self._tables, self._buffer, 1)
            if self._get("phase") not in _CHANCE:
                return
            outcomes = self._outcomes()
            if len(outcomes) > 1 and self.generator is None:
                return
            self._fall(outcomes[0] if len(outcomes) == 1 else self.generator.choice(outcomes), len(outcomes) == 1)  # pyright: ignore[reportOptionalMemberAccess]

    def _outcomes(self) -> list[int]:
        """What the chance node's outcomes are, each as likely as the others [R-19, R-24]."""
        if self.phase == "setup":
            return [0, 1]
        drawn = self._mode.get_list(self._buffer, "assignment")[: self._get("assigned")]
        return [power for power in range(self._game.num_players) if power not in drawn]

    # Chance

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """Return the outcomes, each as likely as the others; see `hawaii_env.game.State.chance_outcomes`."""
        if self.phase not in CHANCE_PHASES:
            raise IllegalActionError(f"no chance node in phase {self.phase}")
        outcomes = self._outcomes()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def apply_chance(self, outcome: int) -> None:
        """Let chance fall on an outcome, and go on; see `hawaii_env.game.State.apply_chance`."""
        known = [one for one, _ in self.chance_outcomes()]
        if isinstance(outcome, (bool, float)) or outcome not in known:
            raise IllegalActionError(f"{outcome!r} is no outcome in phase {self.phase}: {known}")
        self._fall(int(outcome), False)
        self.go_on()

    def _fall(self, outcome: int, forced: bool) -> None:
        if self.trace is not None:
            self.trace.append(Chance(self.phase, outcome, self.chance_text(outcome), forced))
        self._record = None
        self._mode.fall(self._tables, self._buffer, outcome)

    def chance_text(self, outcome: int) -> str:
        """Return an outcome of this chance node in words."""
        if self.phase == "setup":
            return f"the lot falls on {self._game.options.scenario.ballot[outcome]}"
        player = self._get("assigned")
        return f"{self._game.agents[player]} plays {self._game.powers[outcome]}"

    # Who may know what

    def may_see(self, event: Event, player: int) -> bool:
        """True when a player may know of an event; Europeans learn of ballots when the first Spring orders are in
        [Haole, Two Haoles].
        """
        if not super().may_see(event, player):
            return False
        if not self._mode.hidden(self._tables, self._buffer):
            return True
        ballot = event.turn in (1, 2) if isinstance(event, Decision) else event.kind == "setup"
        if not ballot or (isinstance(event, Decision) and event.player == player):
            return True
        return bool(self._mode.knows_start(self._tables, self._buffer, self.power_of(player)))

    def for_search(self, player: int | None = None) -> State:
        """Return what a player knows, in the explicit mode; others enter anew after it; see
        `hawaii_env.game.State.for_search`.

        For a European, a start that it does not know is a chance node as soon as its own orders are in [R-20].
        """
        who = check_player(self, player)
        mode, buffer = self._mode, self._buffer
        entering = self.phase in SEALED_PHASES and self.phase != "ballot"
        if who == SPECTATOR or not entering or not mode.knows_start(self._tables, buffer, SPECTATOR):
            return self._game.position(**self.view(player).to_dict())
        known = State(self._game, forget_others(mode, self._tables, buffer, self.power_of(who)), None)
        known.go_on()
        return known

    def resample(self, player: int | None = None, seed: int | None = None) -> State:
        """Return a full position drawn from what a player can know: a hidden start is drawn, with ballots that lead to
        it.
        """
        choose = random.Random(None if seed is None else check_seed(seed))
        known = self.view(player).to_dict()
        options = self._game.options
        hides = options.scenario.ballot and known["phase"] == "orders" and known["setup"] is None
        if hides and known["year"] == 1 and known["season"] == "spring":
            who = check_player(self, player)
            drawn = choose.randrange(2)
            mine = self.power_of(who) if who != SPECTATOR else -1
            own = self.record.ballots[mine] if mine >= 0 and self.record.ballots else -1
            known.update(self._drawn_ballots(choose, drawn, mine, own))
            record = Record(units=start_units(options, drawn), assignment=tuple(range(options.powers)))
            known["units"] = look(options, record, ALL, True, record.phase, -1).units
        return self._game.position(**known)

    def _drawn_ballots(self, choose: random.Random, setup: int, mine: int, own: int) -> dict[str, Any]:
        """Ballots that lead to a start; a power's own vote stands."""
        options, powers = self._game.options, self._game.powers
        natives = [i for i in range(len(powers)) if i not in options.scenario.europeans]
        while True:
            votes = [own if i == mine and own >= 0 else choose.randrange(2) for i in range(len(powers))]
            second = [choose.randrange(2) if i in natives else -1 for i in range(len(powers))]
            level = 2 * sum(votes) == len(votes)
            decided = [votes[i] for i in range(len(votes))] if not level else [second[i] for i in natives]
            ones = 2 * sum(decided) - len(decided)
            if ones == 0 or (ones > 0) == bool(setup):
                break
        word = options.actions.choices
        return {
            "setup": options.scenario.ballot[setup],
            "ballots": {name: word[vote] for name, vote in zip(powers, votes, strict=True)},
            "second": {n: None if v < 0 else word[v] for n, v in zip(powers, second, strict=True)} if level else {},
        }

    # Copies

    def clone(self, seed: int | None = None, trace: bool = False) -> State:
        """Return a copy; see `hawaii_env.game.State.clone`."""
        if seed is not None:
            seed = check_seed(seed)
        generator = _copied(self.generator) if seed is None else random.Random(seed)
        other = State(self._game, self._mode.copy_of(self._buffer), generator)
        other.told = self.told
        other.trace = [] if trace else None
        if seed is not None:
            other.go_on()
        return other

    def explicit(self) -> State:
        """Return a copy without generator and trace; it holds everything hidden."""
        other = State(self._game, self._mode.copy_of(self._buffer), None)
        other.told = self.told
        return other

    def next_episode(self) -> State:
        """Return a new game whose generator goes on from where this one's is."""
        if self.generator is None:
            raise OptionError("an explicit state has no generator to go on with")
        return self._game._new(_copied(self.generator), self.trace is not None)  # pyright: ignore[reportPrivateUsage]

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        other = self.clone()
        other.trace = None if self.trace is None else list(self.trace)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        data = core.pack(self._mode.words(self._buffer))
        return _again, (self._game, data, self.generator, self.told, self.trace)

    # Ways to look at it

    def observation(self, player: int, out: NDArray[Any] | None = None, raw: bool = False) -> NDArray[Any]:
        """Return what a player sees; see `hawaii_env.heiau.observation`."""
        player = check_player(self, player)
        game = self._game
        vector: NDArray[Any] = np.empty(game.observation_size, np.int8)
        self._mode.observe(self._tables, self._buffer, self.power_of(player), vector)
        if not raw:
            vector = vector * game.layout.scale
        if out is None:
            return vector
        out[:] = vector
        return out

    def view(self, player: int | None = None) -> HeiauView:
        """Return the position as a player knows it."""
        player = check_player(self, player)
        return self._look(self.power_of(player))

    def _look(self, power: int) -> HeiauView:
        if power == ALL:
            return look(self._game.options, self.record, ALL, True, self.phase, -1)
        both = self._tables, self._buffer
        knows, phase = bool(self._mode.knows_start(*both, power)), PHASES[self._mode.shown_phase(*both, power)]
        vote = int(self._mode.own_vote(*both, power)) if power >= 0 else -1
        return look(self._game.options, self.record, power, knows, phase, vote)

    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        """Return the position as one line of JSON; see `hawaii_env.game.State.to_json`."""
        game, record = self._game, self.record
        options = {key: value for key, value in game.params.items() if key != "rules"}
        view = self._look(ALL) if secrets else self.view(player)
        data: dict[str, Any] = {"ruleset": game.ruleset_hash, "options": options, **view.to_dict()}
        if secrets:
            data["queue"] = [game.powers[power] for power in record.queue]
            if self.generator is not None:
                data["generator"] = self.generator.getstate()
        return json.dumps(data)


def _again(game: Game, data: object, generator: object, told: Any, trace: Any) -> State:
    """The state of a pickle, checked: compiled code trusts its state."""
    options, mode = game.options, core.mode_now(game)
    words = core.unpack(data, options.board)
    check_words(options, mode, game.tables_in(mode), words, "pickle")
    if not isinstance(generator, (random.Random, type(None))):
        raise StateError(f"pickle: a generator is a random.Random, not {generator!r}")
    if not isinstance(trace, (list, type(None))):
        raise StateError(f"pickle: a trace is a list, not {trace!r}")
    state = State(game, mode.load(words), generator)
    state.told, state.trace = told, trace
    return state
