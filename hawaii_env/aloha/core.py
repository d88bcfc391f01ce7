"""Game and State: ALOHA as `hawaii_env.game` asks for it."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env import game as contract
from hawaii_env._arguments import check_count, check_kind
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError, StateError
from hawaii_env.game import (
    CHANCE,
    TERMINAL,
    Chance,
    ChanceMode,
    Decision,
    Event,
    Outcome,
    check_action,
    check_player,
    check_seed,
)  # fmt: skip
from hawaii_env.rng import seed_words

from . import observation as looks
from .rules import flow, prologue
from .rules import state as at
from .rules.actions import CODEC, N_ACTIONS
from .rules.events import card_at
from .rules.names import (
    ACTION,
    AMOUNT,
    CALAMITY,
    CHAPTER_1,
    CHAPTER_3,
    DECK,
    DIE,
    EVENT,
    FIRST_PLAYER,
    OVER,
    PHASES,
    PLAYERS,
    STAGES,
    VOTE,
    WARRIOR,
)  # fmt: skip
from .rules.scoring import ahead
from .ruleset import Ruleset, load_ruleset
from .view import View, read, view_of

__all__ = ["REWARDS", "TURN_ORDERS", "Game", "State"]

TURN_ORDERS = ("most_left", "rounds")
REWARDS = ("win", "rank", "margin")
MARGIN = 20
"""Points of difference that `margin` counts as a full win."""

_RULE_OF = {
    "settle": "P1", "prologue_action": "P2", "amount": "C2m", "king": "AD", "action": "C2", "convert": "E1", "first_player": "P1", "die": "P3",
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
    action_table_hash = CODEC.hash
    chance_kinds = ("first_player", "event", "die")
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
        self.ruleset: Ruleset = load_ruleset(rules)
        self.turn_order, self.reward = turn_order, reward
        self.num_players, self.agents = n, PLAYERS[:n]
        content = None if rules is None else self.ruleset.content
        self.params = {"players": n, "turn_order": turn_order, "reward": reward, "rules": content}
        self.ruleset_name = self.ruleset.name
        self.ruleset_hash = hashlib.sha256(f"{self.ruleset.hash} {turn_order}".encode()).hexdigest()
        self.tables: list[int] = self.ruleset.tables(n, turn_order == "rounds")
        t = self.tables
        self.max_decisions = n * (1 + 2 * t[at.T_MOVES] + t[at.T_CONVERSIONS] + 30) + 39
        self.observation_parts = looks.parts(n)
        self.observation_size = looks.COMMON + looks.PER_PLAYER * n
        self._high = np.array(looks.bounds(t, n), np.int8)
        self.scale: NDArray[np.float32] = (1 / self._high).astype(np.float32)
        self.observation_low = np.zeros(self.observation_size, np.float32)
        self.observation_high = np.ones(self.observation_size, np.float32)

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
        if chance not in ("sampled", "explicit"):
            raise OptionError(f"chance is 'sampled' or 'explicit', not {chance!r}")
        if seed is not None:
            seed = check_seed(seed)
            if chance == "explicit":
                raise OptionError("an explicit state has no generator to seed")
        return self._begin([-1] * 8 if chance == "explicit" else seed_words(seed), trace)

    def _begin(self, words: list[int], trace: bool) -> State:
        vector = [0] * at.SIZE
        prologue.set_up(vector)
        vector[at.WORDS :] = words
        state = State(self, vector)
        state.trace = [] if trace else None
        state._run()
        return state

    def position(self, **kw: Any) -> State:
        """Return a position written by hand; fields are those of `hawaii_env.aloha.view.View`.

        Raises:
            StateError: the position cannot be; the message names the field and the rule.
        """
        state = State(self, read(self.tables, self.agents, kw))
        state._run()
        return state

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
        state = self.position(**fields)
        if words is not None:
            if not isinstance(words, list) or len(words) != 8:
                raise StateError(f"words: eight of a generator are wanted, not {words!r}")
            if not all(type(word) is int and 0 <= word < 1 << 32 for word in words):
                raise StateError("words: numbers of 32 bits are wanted")
            state._s[at.WORDS :] = words
            state._run()
        return state

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
        """Check what must hold in every position. Raises AssertionError."""
        check_invariants(self, cast(State, state)._s)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)


def check_invariants(game: Game, s: list[int]) -> None:
    """[SU, C2w, R-11] Nothing negative, tokens conserved, no track past its end, each card in one place."""
    t, n = game.tables, game.num_players
    stage, phase = s[at.STAGE], s[at.PHASE]
    _require(min(s[at.POINTS : at.CARDS_OF]) >= 0, "a count is negative")
    _require(max(s[at.TRACKS : at.MOVES]) <= t[at.T_TRACK_END], "a marker is past the end of its track")
    for p in range(4):
        board = at.on_board(s, p)
        _require(board <= t[at.T_STOCK], f"player {p} has {board} Pure Hawaiian tokens on the board")
        _require(at.actions_of(s, p) <= 11, f"player {p} has more than 11 Action tokens")
        _require(p < n or (board == 0 and s[at.POINTS + p] == 0), f"player {p} does not play")
        _require(stage < CHAPTER_3 or s[at.TRACKS + 4 * (WARRIOR - 1) + p] == 0, "warriors in Chapter III")
        _require(stage >= CHAPTER_3 or s[at.TRACKS + 4 * (VOTE - 1) + p] == 0, "Home Rule tokens before Chapter III")
    shown = [number for number in s[at.FACE_UP : at.LEFT] if number]
    _require(len(set(shown)) == len(shown), "a card lies face up twice")
    _require(not any(s[at.LEFT + number] for number in shown), "a card lies face up and in the deck")
    if CHAPTER_1 <= stage <= CHAPTER_3:
        _require(all(t[card_at(s, number)] != CALAMITY for number in shown), "a calamity lies face up")
    _require(phase != ACTION or flow.events.slot_to_fill(s) < 0, "an action before a slot is filled")
    _require(phase == EVENT or phase in (ACTION, AMOUNT) or not shown, "cards lie face up outside of actions")
    holders = s[at.CARDS_OF : at.FACE_UP]
    _require(all(-1 <= holder < n for holder in holders), "a Royal Family card is held by nobody's index")
    if stage > 0:
        _require(s[at.KING_OF] == holders[6 * min(stage - 1, 2)], "the King/Queen token is not with the latest monarch")


class State(contract.State):
    """A position of ALOHA. Made by `Game`."""

    __slots__ = ("_game", "_legal", "_s", "trace")

    def __init__(self, game: Game, vector: list[int]) -> None:
        self._game = game
        self._s = vector
        self._legal: list[int] = []
        self.trace: list[Event] | None = None

    # What the position is

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    @property
    def chance(self) -> ChanceMode:
        """``"sampled"`` or ``"explicit"``."""
        return "explicit" if self._s[at.WORDS] < 0 else "sampled"

    @property
    def phase(self) -> str:
        """One of `rules.names.PHASES`."""
        return PHASES[self._s[at.PHASE]]

    @property
    def stage(self) -> str:
        """One of `rules.names.STAGES`."""
        return STAGES[self._s[at.STAGE]]

    @property
    def current_player(self) -> int:
        """Who decides, CHANCE or TERMINAL."""
        if self._s[at.PHASE] == OVER:
            return TERMINAL
        return CHANCE if flow.is_chance(self._s) else self._s[at.DECIDES]

    @property
    def is_terminal(self) -> bool:
        """True when the game is over."""
        return self._s[at.PHASE] == OVER

    @property
    def points(self) -> list[int]:
        """Each player's points so far."""
        return self._s[at.POINTS : at.POINTS + self._game.num_players]

    def returns(self) -> list[float]:
        """[W] Each player's reward: zero before the end; they sum to zero."""
        n = self._game.num_players
        if not self.is_terminal:
            return [0.0] * n
        if self._game.reward == "margin":
            points = self.points
            return [
                sum(max(-MARGIN, min(MARGIN, own - other)) for other in points) / (MARGIN * (n - 1)) for own in points
            ]
        compared = [[ahead(self._s, p, other) if p != other else 0 for other in range(n)] for p in range(n)]
        if self._game.reward == "rank":
            return [sum(row) / (n - 1) for row in compared]
        winners = [min(row) >= 0 for row in compared]
        return [(won / sum(winners) - 1 / n) * n / (n - 1) for won in winners]

    def outcome(self) -> Outcome | None:
        """[W] Shares, places, points, and what decided; None before the end."""
        if not self.is_terminal:
            return None
        n, s = self._game.num_players, self._s
        places = [1 + sum(ahead(s, other, p) > 0 for other in range(n) if other != p) for p in range(n)]
        winners = [place == 1 for place in places]
        level = self.points.count(max(self.points))
        if sum(winners) > 1:
            reason = "victory shared, level after every tie-break [W, R-23]"
        elif level > 1:
            reason = "most points, the tie broken by tokens, Aloha, Commerce [W]"
        else:
            reason = "most points [W]"
        return Outcome.of([won / sum(winners) for won in winners], reason, scores=self.points, places=places)

    # Decisions

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions, ascending, of who decides; of another player none."""
        if player is not None and check_count("player", player, 0, self._game.num_players - 1) != self._s[at.DECIDES]:
            return []
        return list(self._legal)

    def apply(self, action: int) -> None:
        """Take a decision; see `hawaii_env.game.State.apply`."""
        if self.is_terminal:
            raise GameOverError("the game is over")
        action = check_action(action, N_ACTIONS)
        if action not in self._legal:
            raise IllegalActionError(
                f"action {action} ({CODEC.texts[action]}) is not legal in phase {self.phase} [{_RULE_OF[self.phase]}]"
            )
        self._take(action, False)
        self._run()

    def _take(self, action: int, forced: bool) -> None:
        if self.trace is not None:
            self.trace.append(Decision(self._s[at.DECIDES], action, CODEC.texts[action], forced))
        flow.take(self._game.tables, self._s, action)

    def _fall(self, outcome: int) -> None:
        if self.trace is not None:
            kind = self.phase
            self.trace.append(Chance(kind, outcome, self.chance_text(outcome)))
        flow.fall(self._game.tables, self._s, outcome)

    def _run(self) -> None:
        """Go on while nobody has a choice."""
        t, s = self._game.tables, self._s
        out = [0] * N_ACTIONS
        if self.trace is None:
            self._legal = out[: flow.run(t, s, out)]
            return
        while s[at.PHASE] != OVER:
            if flow.is_chance(s):
                if s[at.WORDS] < 0:
                    break
                self._fall(flow.sample(t, s))
                continue
            n = flow.list_legal(t, s, out)
            if n > 1:
                self._legal = out[:n]
                return
            self._take(out[0], True)
        self._legal = []

    # Chance

    def chance_outcomes(self, merged: bool = False) -> list[tuple[int, float]]:
        """Return the outcomes of this chance node; each leads to a position of its own, so `merged` changes nothing."""
        if self.current_player != CHANCE:
            raise IllegalActionError(f"no chance node in phase {self.phase}")
        outcomes = [number for number in range(DECK + 1) if flow.is_outcome(self._game.tables, self._s, number)]
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def apply_chance(self, outcome: int) -> None:
        """Let chance fall on `outcome`."""
        self._fall(self._outcome(outcome))
        self._run()

    def _outcome(self, outcome: object) -> int:
        if self.current_player != CHANCE:
            raise IllegalActionError(f"no chance node in phase {self.phase}")
        try:
            number = check_count("outcome", outcome, 0)
        except OptionError:
            number = -1
        if number < 0 or not flow.is_outcome(self._game.tables, self._s, number):
            raise IllegalActionError(f"{outcome!r} is no outcome of the chance node in phase {self.phase}")
        return number

    def chance_text(self, outcome: int) -> str:
        """Return an outcome in words; of an event card its number and title."""
        number = self._outcome(outcome)
        if self._s[at.PHASE] == FIRST_PLAYER:
            return f"first_player {self._game.agents[number]}"
        if self._s[at.PHASE] == DIE:
            return f"die {number}"
        return f"event {number} {self._game.ruleset.card(self.stage, number).title}"

    # Copies

    def clone(self, seed: int | None = None, trace: bool = False) -> State:
        """Return a copy; with a seed in the sampled mode, past a chance node."""
        other = State(self._game, self._s.copy())
        other._legal = self._legal
        other.trace = [] if trace else None
        if seed is not None:
            other._s[at.WORDS :] = seed_words(check_seed(seed))
            other._run()
        return other

    def explicit(self) -> State:
        """Return a copy without generator and trace."""
        other = self.clone()
        other._s[at.WORDS :] = [-1] * 8
        return other

    def next_episode(self) -> State:
        """Return a new game whose generators go on from here."""
        if self._s[at.WORDS] < 0:
            raise OptionError("an explicit state has no generator to go on with")
        return self._game._begin(self._s[at.WORDS :], self.trace is not None)

    def __copy__(self) -> State:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        other = self.clone()
        other.trace = None if self.trace is None else list(self.trace)
        return other

    # Ways to look at it

    def observation(self, player: int, out: NDArray[Any] | None = None, raw: bool = False) -> NDArray[Any]:
        """Return what `player` sees: int8 (raw) or float32, [118 + 55 a player]."""
        values = [0] * self._game.observation_size
        observer = check_count("player", player, 0, self._game.num_players - 1)
        looks.write_observation(self._game.tables, self._s, observer, values)
        vector: NDArray[Any] = np.array(values, np.int8)
        if not raw:
            vector = vector * self._game.scale
        if out is None:
            return vector
        out[:] = vector
        return out

    def view(self, player: int | None = None) -> View:
        """Return the position as a value; everything is open [R-22]."""
        check_player(self, player)
        return view_of(self._game.tables, self._s, self._game.agents)

    def to_json(self, secrets: bool = False, player: int | None = None) -> str:
        """Return the position as a line of JSON; with `secrets` the generators, too."""
        fields: dict[str, Any] = {"game": "aloha", "ruleset": self._game.ruleset_hash, **self.view(player).to_dict()}
        if secrets and self._s[at.WORDS] >= 0:
            fields["words"] = self._s[at.WORDS :]
        return json.dumps(fields, ensure_ascii=False)

    def __reduce__(self) -> Any:
        return _again, (self._game, list(self._s), self.trace)


def _again(game: Game, vector: list[int], trace: list[Event] | None) -> State:
    state = State(game, vector)
    out = [0] * N_ACTIONS
    if not state.is_terminal and not flow.is_chance(vector):
        state._legal = out[: flow.list_legal(game.tables, vector, out)]
    state.trace = trace
    return state
