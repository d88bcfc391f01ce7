"""A player of Hawaii, 1795 by rules of thumb: plans landings, keeps garrisons, and knows the odds of its battles."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agent_options import Given, Real, Seed, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.core import EntryPoints
from hawaii_env.game import Game, State
from hawaii_env.hawaii1795.battles import KINDS_OF_BATTLE, BattleTable
from hawaii_env.hawaii1795.fast import N_ACTIONS, SPACES, records

from .boards import Known, known_of, slot_of, units_of
from .choices import BY_KIND, CANOE, FIRED, MARKED, MEMORY, N_COLUMNS, PANICKED, PLACE, SOURCE_OF, VERB, VERBS, choose
from .search import WEIGHTS

__all__ = ["RuleOfThumbAgent"]

AGENTS = EntryPoints("hawaii1795", "thumb", (choose,))
OWNERS = ("kamehameha", "allied")


class Solver:
    """Facts, odds and memory that all agents of a ruleset and of weights share.

    Args:
        game: the game.
        weights: what a position is worth, by side.
        compiled: for compiled rules; False: for interpreted ones.
    """

    def __init__(self, game: Any, weights: Any, compiled: bool) -> None:
        self.known: Known = known_of(game, weights, compiled)
        self.actions: NDArray[np.int64] = _actions_of(game)
        self.lock: threading.Lock = threading.Lock()
        self._table = BattleTable.of(game.ruleset)
        self._units = {unit.kind: unit for unit in units_of(game).values()}
        self._answers = 0

    @staticmethod
    @lru_cache(maxsize=32)
    def of(game: Any, weights: Any, compiled: bool) -> Solver:
        """Return the solver of a game; equal games share it."""
        return Solver(game, weights, compiled)

    def answer(self) -> bool:
        """Solve the battles that were asked for; return False if there were none."""
        known = self.known
        asked = known.asked[1 : known.asked[0, 0] + 1].tolist()
        for attackers, defenders in asked:
            ours, theirs = self._unpacked(attackers), self._unpacked(defenders >> 2)
            odds = self._table.odds(ours, theirs, KINDS_OF_BATTLE[defenders & 3])
            if 2 * self._answers > len(known.values):
                known.keys[:] = 0
                self._answers = 0
            place = slot_of(known.keys, attackers, defenders)
            self._answers += known.keys[place, 0] == 0
            known.keys[place], known.values[place] = (attackers, defenders), odds
        return bool(asked)

    def _unpacked(self, packed: int) -> list[Any]:
        """Return the units of a number that `pack_force` made."""
        found: list[Any] = []
        while packed:
            packed, kind = divmod(packed, 32)
            found.append(self._units[kind - 1])
        return found


_tables: dict[str, NDArray[np.int64]] = {}  # by the hash of the action table: rulesets share it


def _actions_of(game: Any) -> NDArray[np.int64]:
    """Return what the texts of the actions say, int64[N_ACTIONS, N_COLUMNS]."""
    found = _tables.get(game.action_table_hash)
    if found is None:
        numbers = {(owner, name): unit.kind for (owner, name), unit in units_of(game).items()}
        found = np.full((N_ACTIONS, N_COLUMNS), -1, np.int64)
        for action in range(N_ACTIONS):
            verb, *words = game.action_text(action).split()
            name, *marks = words[0].split("/") if words else ("",)
            found[action, VERB] = VERBS.index(verb)
            for side, owner in enumerate(OWNERS):
                named = "oahu_canoe" if side and name == "canoe" else name
                found[action, BY_KIND + side] = numbers.get((owner, named), numbers.get(("kauai", named), -1))
            places = [SPACES.index(word) for word in words if word in SPACES]
            if places:
                found[action, SOURCE_OF], found[action, PLACE] = places[0], places[-1]
            found[action, MARKED] = bool(marks)
            found[action, FIRED], found[action, PANICKED] = "fired" in marks, "panicked" in marks
            found[action, CANOE] = "canoe" in name
        _tables[game.action_table_hash] = found
    return found


class RuleOfThumbAgent(BaseAgent):
    """Plays Hawaii, 1795 for either side by rules of thumb and battle odds, without looking into the future.

    Args:
        seed: seed of its own generator, which decides between equals; None takes one from the operating system.
        boldness: 0 to 1: how small a gain it moves and attacks for.
        weights: what it values in a position.
    """

    name = "rule-of-thumb"
    games: Sequence[str] = ("hawaii1795",)
    strength = "95% against random"

    @checked
    def __init__(
        self,
        seed: Annotated[int | None, Seed()] = None,
        boldness: Annotated[float, Real(least=0, most=1)] = 0.8,
        weights: Annotated[Any, Given("two rows of numbers", (tuple, list))] = WEIGHTS,
    ) -> None:
        self.seed: int | None = seed
        self.boldness: float = boldness
        self.weights: tuple[tuple[float, ...], ...] = tuple(tuple(map(float, side)) for side in weights)
        self._best = np.zeros(N_ACTIONS, np.int64)
        self._start()

    def _start(self) -> None:
        self._choose = random.Random(self.seed)
        self._memory: Any = MEMORY.new()

    @classmethod
    def compile(cls, game: Game) -> None:
        """Compile the rules of thumb, if they are not compiled yet."""
        if game.name == "hawaii1795":
            cls(0)._entries(game.initial_state(seed=0))

    def begin(self, game: Any, player: int) -> None:
        """Forget what was planned in the game before, and start the generator anew."""
        super().begin(game, player)
        self._start()

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return one of `legal_actions`.

        Raises:
            OptionError: the state is of another game.
        """
        state = self.check_state(state)
        entry, given = self._entries(state), records(state.explicit())
        compiled = isinstance(given[1], np.ndarray)
        solver = Solver.of(state.game, self.weights, compiled)
        with solver.lock:
            while True:
                memory = MEMORY.convert(self._memory, compiled)
                count = entry(*given, solver.known, solver.actions, memory, self.boldness, self._best)
                if not solver.answer():
                    break
        self._memory = memory
        return int(self._best[int(self._choose.random() * count) if count > 1 else 0])

    def _entries(self, state: Any) -> Any:
        """Return the rules of thumb as a function, compiled if this process compiles."""

        def examples() -> dict[str, tuple[Any, ...]]:
            solver, memory = Solver.of(state.game, self.weights, True), MEMORY.convert(self._memory, True)
            return {"choose": (*records(state), solver.known, solver.actions, memory, self.boldness, self._best)}

        return AGENTS.compile_now(examples).choose
