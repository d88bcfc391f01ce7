"""Game and State of Heiau Diplomacy.

One file: the contract's two classes for this game.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType, SimpleNamespace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

import hawaii_env.game as base
from hawaii_env._arguments import check_choice, check_count, check_flag, check_kind
from hawaii_env.core.game import CompiledGame, CompiledRules, CompiledState
from hawaii_env.errors import GameOverError, IllegalActionError, RulesetError, StateError
from hawaii_env.game import (
    CHANCE,
    SPECTATOR,
    TERMINAL,
    Chance,
    Decision,
    Event,
    Outcome,
    Part,
    SealedTurn,
    check_player,
    check_seed,
)
from hawaii_env.texts import show_value

from .observation import LIST, ObservationLayout, write_observation, write_raw, write_scaled
from .options import Options, game_tables, start_units
from .positions import ALL, HeiauView, make_view, read
from .positions.known import key_for
from .positions.record import SEALED_PHASES, Record, record_of
from .refusals import why_no_action, why_not_typed
from .rules import flow, invariants
from .rules.actions import NAMES, RETREAT, actions_of
from .rules.adjudicate import enter_adjudications, enter_orders, enter_possible
from .rules.board import Unit
from .rules.ending import REASON_TEXTS, SCORINGS, centres, reason, share_of_centres, winner, write_returns
from .rules.knowledge import knows_start, own_vote, player_of, power_of, shown_phase
from .rules.legal import hidden, need
from .rules.orders import BOATS, CONVOY, MOVE, SUPPORT, VIA, Order, is_possible
from .rules.state import (
    ADJUSTMENTS,
    BALLOT,
    ORDERS,
    PHASES,
    RETREATS,
    SETUP,
    STATE,
    UNDECIDED,
    new_state,
)
from .rules.tables import MAX_POWERS, TABLES
from .ruleset import Ruleset, read_unit
from .texts import Names, nearest, typed_order, unit_text

__all__ = ["DISCRETE_STARTS", "RULES", "SCORINGS", "Game", "State"]

DISCRETE_STARTS = ("kona_coast", "kona_kailua")
SECTIONS = {
    "ballot": "[Haole, Two Haoles]", "orders": "[Armies, Boats, Fleets, Convoys]", "retreats": "[Background, R-16]",
    "adjustments": "[Winter]", "assignment": "[R-24]", "setup": "[R-19]", "over": "[Background]",
}  # fmt: skip
"""The section of the rulebook, or the ruling, of each phase."""


RULES = CompiledRules(
    "heiau",
    TABLES,
    STATE,
    hooks={
        "set_up": flow.set_up,
        "advance": flow.advance,
        "run": flow.run,
        "list_legal": flow.keep_listed,
        "apply_action": flow.apply_action,
        "is_chance": flow.is_chance,
        "is_outcome": flow.is_outcome,
        "sample_chance": flow.sample_chance,
        "apply_chance": flow.apply_chance,
        "is_over": flow.is_over,
        "decider": flow.decider,
        "num_players": flow.num_players,
        "turn_mark": flow.turn_mark,
        "write_returns": write_returns,
        "winner": winner,
        "reason": reason,
        "write_observation": write_observation,
        "write_raw": write_raw,
        "write_scaled": write_scaled,
        "fault_in": invariants.fault_in,
        "fault_of_step": invariants.fault_of_step,
    },
    reasons=REASON_TEXTS,
    faults=invariants.FAULTS,
    entries={
        enter_adjudications: (np.zeros((1, 1, 1), np.int64), np.zeros((1, 1, 1), np.int64)),
        enter_orders: (0, 0, np.zeros((1, 3), np.int64)),
        enter_possible: (0, 0, 0, 0, 0),
        flow.enter_forget_others: (0,),
    },
)
"""The rules in both backends."""


def _choices(ruleset: Ruleset) -> tuple[str, ...]:
    return next((scenario.ballot for scenario in ruleset.scenarios.values() if scenario.ballot), ("heart", "wings"))


class Game(CompiledGame):
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
    compiled_rules = RULES
    phases: tuple[str, ...] = PHASES
    sections: Mapping[str, str] = SECTIONS
    information: Literal["perfect", "imperfect"] = "imperfect"
    dynamics: Literal["sequential", "sealed", "simultaneous"] = "sealed"
    utility: Literal["zero_sum", "general_sum"] = "zero_sum"
    raw_dtype: np.dtype[Any] = np.dtype(np.int8)
    measures: Mapping[str, Any] = MappingProxyType({"centres": share_of_centres})

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
        last_year = check_count("last_year", last_year, 1, 99)
        check_choice("scenario", scenario, tuple(self.ruleset.scenarios))
        posts_win = check_flag("posts_win", posts_win)
        check_choice("scoring", scoring, SCORINGS)
        check_choice("discrete_start", discrete_start, DISCRETE_STARTS)
        check_choice("assignment", assignment, ("fixed", "random"))
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
        self.codec = codec
        self.num_actions: int = codec.size
        self.action_table_hash: str = codec.hash
        self.ruleset_name: str = self.ruleset.name
        self.ruleset_hash: str = self.ruleset.hash
        self.chance_kinds: tuple[str, ...] = ("assignment", "setup")
        self.max_chance_outcomes: int = max(2, self.num_players)
        self.chance_public: bool = not chosen.ballot
        self.max_decisions: int = 160 * last_year + 12
        self.layout: ObservationLayout = ObservationLayout(self.options, len(self.ruleset.scenarios))
        self.observation_parts: tuple[Part, ...] = self.layout.parts
        self.observation_size: int = self.layout.size
        self._low, self._high = self.layout.low, self.layout.high
        self.observation_low: NDArray[np.float32] = self.layout.low * self.layout.scale
        self.observation_high: NDArray[np.float32] = self.layout.high * self.layout.scale
        self.names: Names = Names(board, self.ruleset.spaces)
        index = list(self.ruleset.scenarios).index(scenario)
        self.tables: Any = game_tables(self.options, index, self.layout.tables)
        self.scale: NDArray[np.float32] = self.layout.scale
        self.memory_size: int = LIST + self.layout.size + 1

    @cached_property
    def adjacency(self) -> NDArray[np.bool_]:
        """Borders that an army, a bunch of boats or a fleet can cross, bool[3, S, S], from space to space in the order
        of the observation's tokens [Map]. Convoys are not in it.
        """
        reach, space_of = np.array(self.tables.reach, np.bool_), np.array(self.tables.space_of)
        found = np.zeros((len(reach), len(self.ruleset.spaces), len(self.ruleset.spaces)), np.bool_)
        for place, space in enumerate(space_of):
            found[:, space] |= reach[:, place]
        found[~found.any(axis=1)] = False  # nothing leaves where it cannot come
        return found

    def new_state(self) -> Any:
        """Return an interpreted state with nothing on the board and no generator."""
        return new_state(len(self.options.board.spaces), self.num_actions)

    def position(self, /, **kw: Any) -> State:
        """Return a position written by hand, in the explicit mode; the keywords are the fields of `HeiauView`, all may
        be left out.

        Raises:
            StateError: the position cannot be; the message says why.
        """
        return self.state_from_record(read(self.options, self.tables, kw))

    def parse_action(self, state: base.State, text: str) -> int:
        """Return the legal action that a text names; spaces may be abbreviated as the rulebook has it [Abbr].

        A whole order in the usual notation of Diplomacy, as ``"B puna S A hilo - kalae"``, names the action that enters
        it: for a support or convoy the first half, and where that is entered the second.

        Raises:
            IllegalActionError: no legal action has this text; the message lists those near it.
        """
        check_kind("state", state, State)
        texts = {self.action_text(action): action for action in state.legal_actions()}
        typed = " ".join(text.split()) if isinstance(cast(object, text), str) else repr(text)
        if typed in texts:
            return texts[typed]
        verb, _, rest = typed.partition(" ")
        wanted = typed
        if rest and state.phase in ("orders", "retreats") and verb.lower() not in NAMES:
            return self._parse_order(cast(State, state), typed, texts)
        every = self.options.actions.codec.texts
        if rest and typed not in every:
            try:
                wanted = f"{verb.lower()} {self.options.board.places[self.names.place(rest)]}"
            except StateError as error:
                raise IllegalActionError(f"{show_value(text)}: {error}") from error
            if wanted in texts:
                return texts[wanted]
        near = [one for one in texts if one.startswith(verb.lower())] or list(texts)
        if wanted in every and state.current_player >= 0:
            why = cast(State, state).refusal(every.index(wanted))
            raise IllegalActionError(f"{show_value(text)}: {why}; legal are: {nearest(near)}")
        raise IllegalActionError(
            f"no legal action reads {show_value(text)} in phase {state.phase} {SECTIONS[state.phase]}; legal are: "
            f"{nearest(near)}"
        )

    def _parse_order(self, state: State, text: str, texts: Mapping[str, int]) -> int:
        """Return the legal action of a whole order of the unit that is asked for."""
        board, record = self.options.board, state.record
        try:
            typed = typed_order(self.names, text)
        except StateError as error:
            raise IllegalActionError(str(error)) from error
        unit, order = state.asked_unit(), typed.order
        space = board.space_of[unit.place]
        if board.space_of[typed.place] != space:
            raise IllegalActionError(f"{show_value(text)}: {unit_text(board, unit)} is asked for now")
        if typed.kind not in (-1, unit.kind):
            raise IllegalActionError(
                f"{show_value(text)}: the unit in {board.spaces[space]} is {unit_text(board, unit)}"
            )
        seen = state.for_search().record
        helped = seen.units.get(order.source)
        if typed.source >= 0 and (helped is None or helped.kind != typed.source):
            raise IllegalActionError(f"{show_value(text)}: no such unit is in {board.spaces[order.source]}")
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
        why = "name a coast [Map]" if found else why_not_typed(board, seen, unit, order)
        raise IllegalActionError(f"{show_value(text)}: {why}; legal for {unit_text(board, unit)} are: {nearest(texts)}")

    def chance_text_of(self, state: Any, outcome: int) -> str:
        """Return a chance outcome in words."""
        if state.phase == SETUP:
            return f"the lot falls on {self.options.scenario.ballot[outcome]}"
        return f"{self.agents[state.assigned]} plays {self.powers[outcome]}"


def _turn(phase: int, year: int, season: int, counted: int) -> int | None:
    """Return the number of a sealed turn, or None."""
    if phase == BALLOT:
        return 2 if counted else 1
    if phase == ADJUSTMENTS:
        return 5 * year + 2
    if phase in (ORDERS, RETREATS):
        return 5 * year - 2 + 2 * season + (phase == RETREATS)
    return None


def sealed_turn_of(state: Any) -> int | None:
    """Return the number of the sealed turn that runs in an interpreted state, or None."""
    return _turn(state.phase, state.year, state.season, state.counted)


def _moved(ruleset: Ruleset, scenario: Any, space: str) -> Any:
    """Return Discrete with Sunrise's first unit in another space [R-02]."""
    first = scenario.powers[0]
    try:
        unit = read_unit(ruleset.board, f"B {space}", 0)
    except ValueError as error:
        raise RulesetError(f"discrete_start: {error}") from error
    return replace(scenario, powers=(replace(first, units=(unit, *first.units[1:])), *scenario.powers[1:]))


class State(CompiledState):
    """A position of Heiau Diplomacy."""

    __slots__ = ("_interpreted", "_record")

    def __init__(self, game: Game, data: Any) -> None:
        super().__init__(game, data)
        self._forget()

    def _forget(self) -> None:
        """Forget what was read from the position: it changes."""
        self._record: Record | None = None
        self._interpreted: Any = None

    def interpreted(self) -> Any:
        """Return the interpreted record: the state's own, or a copy of a compiled one."""
        if self._interpreted is None:
            self._interpreted = super().interpreted()
        return self._interpreted

    @property
    def record(self) -> Record:
        """Return everything that the position holds, as data, for the runner of the game."""
        if self._record is None:
            self._record = record_of(self._game.options, self.interpreted())
        return self._record

    def _part(self, *names: str) -> Any:
        """Return some fields of the record, for rules that read no others: the whole takes a hundred times as long."""
        return SimpleNamespace(**{name: STATE.get(self.data, name) for name in names})

    def asked_unit(self) -> Unit:
        """Return the unit whose order or retreat is asked for; for who runs the game."""
        record = self.record
        power = record.queue[0]
        if record.phase == "orders":
            own = [unit for unit in record.units.values() if unit.power == power]
            return own[len(record.chosen[power])]
        retreat = self.interpreted().retreat
        return next(
            unit for space, (unit, _) in record.dislodged.items() if unit.power == power and retreat[space] == UNDECIDED
        )

    def can_order(self, space: int, order: Order) -> bool:
        """Return whether the unit in a space can be given an order, posts aside; for who runs the game."""
        return bool(is_possible(self._game.tables, self.interpreted(), space, *order, 0, 0))

    def refusal(self, action: int) -> str:
        """Say why an action is not legal for the power that is asked, by what that power knows."""
        unit = self.asked_unit() if self.phase in ("orders", "retreats") else None
        need = self.need(self.record.queue[0])
        return why_no_action(self._game.options, self.for_search().record, unit, need, action)

    def need(self, power: int) -> int:
        """Return how many armies a power may build, or, below zero, how many units it must remove [Winter]."""
        return need(self._game.tables, self.interpreted(), power)

    # What the position is

    @property
    def current_player(self) -> int:
        """The player who is asked: players enter one after the other, unseen."""
        if self._get("asked"):
            return self.player_of(STATE.get(self.data, "queue")[0])
        return TERMINAL if self.is_terminal else CHANCE

    def player_of(self, power: int) -> int:
        """Return who plays a power; before powers are assigned, the voter of that number."""
        if not self._game.options.random_powers:
            return power
        return player_of(self._game.tables, self._part("assigned", "assignment"), power)

    def power_of(self, player: int) -> int:
        """Return the power that a player plays; before powers are assigned, its own number."""
        if not self._game.options.random_powers:
            return player
        return power_of(self._game.tables, self._part("assigned", "assignment"), player)

    @property
    def sealed_turn(self) -> int | None:
        """Number of the sealed turn that runs; it does not tell whether there was a second ballot [R-19]."""
        return _turn(*(self._get(name) for name in ("phase", "year", "season", "counted")))

    def known_turn(self, player: int) -> SealedTurn | None:
        """Return the running turn as a player knows it; a second ballot is the natives' alone [R-19]."""
        both, power = (self._game.tables, self.interpreted()), self.power_of(check_player(self, player))
        if knows_start(*both, power):
            return super().known_turn(player)
        number = _turn(shown_phase(*both, power), self._get("year"), self._get("season"), 0)
        players = tuple(range(self._game.num_players))
        return None if number is None else SealedTurn(number, self.known_phase(player), players)

    def known_phase(self, player: int) -> str:
        """Return the phase as a player knows it."""
        power = self.power_of(check_player(self, player))
        return PHASES[shown_phase(self._game.tables, self.interpreted(), power)]

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
        state = self.interpreted()
        scores = [float(centres(self._game.tables, state, self.power_of(player), 1)) for player in range(n)]
        return Outcome.of(shares, record.reason, scores=scores)

    # Decisions

    def apply(self, action: int) -> None:
        """Enter an action, and go on; see `hawaii_env.game.State.apply`."""
        super().apply(action)
        self._forget()

    def apply_chance(self, outcome: int) -> None:
        """Let chance fall on an outcome, and go on; see `hawaii_env.game.State.apply_chance`."""
        super().apply_chance(outcome)
        self._forget()

    def _illegal(self, action: int) -> Exception:
        """Return the error of an action that is not legal."""
        if self.is_terminal:
            return GameOverError("the game is over")
        if not self._get("asked"):
            return IllegalActionError(f"phase {self.phase} is chance's: nobody decides {SECTIONS[self.phase]}")
        return IllegalActionError(
            f"action {action} ({self._game.action_text(action)}) is not legal for "
            f"{self._game.agents[self.current_player]} in phase {self.phase}: {self.refusal(action)}"
        )

    def _decision(self, power: int, action: int, forced: bool) -> Decision:
        """Return the event of an action that is about to be entered."""
        state, text = self.interpreted(), self._game.action_text(action)
        return Decision(player_of(self._game.tables, state, power), action, text, forced, sealed_turn_of(state))

    def go_on(self, action: int = -1, outcome: int = -1) -> None:
        """Go on to where somebody has a choice, chance falls (explicit mode), or the game ends; in a traced state,
        after an action or a chance outcome, if one is given.
        """
        self._forget()
        if self.trace is None:
            self._backend.enter_run(self._rules, self.data)
            return
        rules, state = self._game.tables, self.interpreted()
        if action >= 0:
            self.trace.append(self._decision(state.queue[0], action, False))
            flow.apply_action(rules, state, action)
        if outcome >= 0:
            self._trace_chance(state, outcome)
        while True:  # as `flow.run`, noting every event
            found = flow.enter_forced(rules, state, 1)
            if found < 0:
                forced, power = divmod(-1 - found, MAX_POWERS)
                self.trace.append(self._decision(power, forced, True))
                continue
            state.n_legal = found
            if not flow.is_chance(rules, state):
                break
            if flow.count_outcomes(rules, state) == 1:
                self._trace_chance(state, flow.nth_outcome(rules, state, 0), True)
            elif state.generator[0] < 0:
                break
            else:
                self._trace_chance(state, flow.sample_chance(rules, state))
        STATE.assign(self.data, state)
        self._forget()

    def _trace_chance(self, state: Any, outcome: int, forced: bool = False) -> None:
        text = self._game.chance_text_of(state, outcome)
        cast(list[Event], self.trace).append(Chance(PHASES[state.phase], outcome, text, forced))
        flow.apply_chance(self._game.tables, state, outcome)

    # Who may know what

    def may_see(self, event: Event, player: int) -> bool:
        """Return True if a player may know of an event; Europeans learn of ballots when the first Spring orders are in
        [Haole, Two Haoles].
        """
        if not super().may_see(event, player):
            return False
        if not hidden(self._game.tables, self.interpreted()):
            return True
        ballot = event.turn in (1, 2) if isinstance(event, Decision) else event.kind == "setup"
        if not ballot or (isinstance(event, Decision) and event.player == player):
            return True
        return knows_start(self._game.tables, self.interpreted(), self.power_of(player))

    @property
    def _hides_start(self) -> bool:
        return bool(self._game.options.scenario.ballot) and hidden(
            self._game.tables, self._part("phase", "year", "season")
        )

    def for_search(self, player: int | None = None) -> State:
        """Return what a player knows, in the explicit mode; others enter anew after it; see
        `hawaii_env.game.State.for_search`.

        For a European, a start that it does not know is a chance node as soon as its own orders are in [R-20].
        """
        who = check_player(self, player)
        entering = self.phase in SEALED_PHASES and self.phase != "ballot"
        if who == SPECTATOR or not entering or self._hides_start:
            return self._game.position(**self.view(player).to_dict())
        other = self.clone()
        self._backend.enter_forget_others(self._rules, other.data, self.power_of(who))
        other.go_on()
        return other

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
            known["units"] = make_view(options, record, ALL, True, record.phase, -1).units
        return self._game.position(**known)

    def _drawn_ballots(self, choose: random.Random, setup: int, mine: int, own: int) -> dict[str, Any]:
        """Return ballots that lead to a start; a power's own vote stands."""
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
        other = super().clone(seed, trace)
        other._forget()
        return other

    def set_generator(self, words: list[int]) -> None:
        """Give the state the generators of eight words, or none; for whoever runs the game."""
        STATE.put(self.data, "generator", words)
        self._forget()

    # Ways to look at it

    def view(self, player: int | None = None) -> HeiauView:
        """Return the position as a player knows it."""
        player = check_player(self, player)
        return self._view_of(self.power_of(player))

    def _view_of(self, power: int) -> HeiauView:
        if power == ALL:
            return make_view(self._game.options, self.record, ALL, True, self.phase, -1)
        both = self._game.tables, self.interpreted()
        knows, phase = knows_start(*both, power), PHASES[shown_phase(*both, power)]
        vote = own_vote(*both, power) if power >= 0 else -1
        return make_view(self._game.options, self.record, power, knows, phase, vote)

    def key(self, secrets: bool = False, player: int | None = None) -> bytes:
        """See `hawaii_env.game.State.key`; while ballots and starts are hidden, what a player knows is its text."""
        if check_flag("secrets", secrets):
            return key_for(self.data, ALL)
        player = check_player(self, player)
        if self._hides_start:
            return self.to_json(player=player).encode()
        return key_for(self.data, self.power_of(player))

    def json_fields(self, secrets: bool, player: int | None) -> dict[str, Any]:
        """Return the fields of the position's JSON; see `hawaii_env.core.game.CompiledState.json_fields`."""
        if not secrets:
            return self.view(player).to_dict()
        return {**self._view_of(ALL).to_dict(), "queue": [self._game.powers[power] for power in self.record.queue]}


Game.state_class = State
