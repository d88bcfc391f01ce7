"""A player of Hawaii, 1795 by rules of thumb: plans landings, keeps garrisons, and knows the odds of its battles."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Annotated, Any, cast

from hawaii_env.agent_options import Given, Real, Seed, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.errors import OptionError
from hawaii_env.game import State

from .boards import SIDES, Board, Unit, board_of, ranked, without
from .plans import Plan, Step, make_plan, start, weigh
from .search import WEIGHTS
from .worth import is_chief, power, worth

__all__ = ["RuleOfThumbAgent"]


_words_of: dict[str, list[list[str]]] = {}  # by the hash of the action table: rulesets share it


def _words(game: Any) -> list[list[str]]:
    """Return every action of the table as words."""
    if (key := game.action_table_hash) not in _words_of:
        _words_of[key] = [game.action_text(action).split() for action in range(game.num_actions)]
    return _words_of[key]


class RuleOfThumbAgent(BaseAgent):
    """Plays Hawaii, 1795 for either side by rules of thumb and battle odds, without looking into the future.

    Args:
        seed: seed of its own generator, which decides between equals; None takes one from the operating system.
        boldness: 0 to 1: how small a gain it moves and attacks for.
        weights: what it values in a position.
    """

    name = "rule-of-thumb"
    games = ("hawaii1795",)
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
        self._choose = random.Random(self.seed)
        self._half: tuple[Any, ...] = ()
        self._asked = 0
        self._steps: list[Step] = []
        self._step: Step | None = None
        self._fleet: list[str] = []
        self._phases: dict[str, Callable[[_Turn], int]] = {
            "setup": self._recruit,
            "home": self._send_home,
            "recruiting": self._recruit,
            "withdrawal": self._retreat,
            "window": self._window,
            "movement": self._move,
            "pickup": self._pick_up,
            "cargo": self._load,
            "sail": self._sail,
            "approach": self._order,
            "launch": self._launch,
            "commit": self._commit,
            "battle_order": self._order,
            "fire": self._fire,
            "loss": self._lose,
            "panic": self._panic,
            "canoe_loss": self._first,
            "retreat": self._retreat,
        }

    def __repr__(self) -> str:
        return f"RuleOfThumbAgent(seed={self.seed}, boldness={self.boldness:g})"

    def begin(self, game: Any, player: int) -> None:
        """Forget what was planned in the game before, and start the generator anew."""
        super().begin(game, player)
        self._choose = random.Random(self.seed)
        self._half, self._steps, self._step, self._fleet = (), [], None, []

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return one of `legal_actions`.

        Raises:
            OptionError: the state is of another game.
        """
        if state.game.name != "hawaii1795":
            raise OptionError(f"agent {self.name!r} plays hawaii1795 alone, not {state.game.name}")
        return self._phases[state.phase](_Turn(state, legal_actions, self.weights))

    # -- choosing

    def _best(self, turn: _Turn, value: Callable[[list[str]], float]) -> int:
        """Return the action whose words are worth most; between equals the generator decides."""
        values = [value(turn.words[action]) for action in turn.legal]
        most = max(values)
        equals = [action for action, v in zip(turn.legal, values, strict=True) if v > most - 1e-9]
        return equals[0] if len(equals) == 1 else equals[int(self._choose.random() * len(equals))]

    def _first(self, turn: _Turn) -> int:
        """Return the first action: none is better than another."""
        return turn.legal[0]

    # -- set-up, cards, recruits

    def _recruit(self, turn: _Turn) -> int:
        """[6.0, 9.0] Place or recruit the piece where it makes most of the position."""
        return self._best(turn, lambda words: turn.value_with(words[1], turn.space(words[2])))

    def _send_home(self, turn: _Turn) -> int:
        """[8.2] Send the piece home that is missed least."""

        def value(words: list[str]) -> float:
            board, space = turn.board.copy(), turn.space(words[2])
            unit = turn.unit(words[1])
            if unit.canoe:
                board.boats[turn.me][space] -= 1
            else:
                board.forces[turn.me][space] = without(board.forces[turn.me][space], [unit])
            return turn.value(board)

        return self._best(turn, value)

    def _window(self, turn: _Turn) -> int:
        """[8.1] Play a held event if it changes enough; towards the end a little is enough."""
        late = turn.board.month >= turn.board.rules.last_month - 2
        stake = 0.01 if late else 0.05
        window = turn.view.window
        gain = 0.0
        if window == "movement":
            seen, unseen = (make_plan(turn.board, turn.me, no_sighting=n) for n in (False, True))
            gain = unseen.value - seen.value
        elif window == "sighting":
            gain = turn.best_fleet()[0] - turn.value_of_landing()
        elif window == "battle":
            sea, land = turn.attackers()
            defenders = turn.board.forces[turn.me][turn.field]
            table = turn.board.rules.table
            gain = table.odds(sea + land, defenders, "open") - table.odds(sea + land, defenders, "walls") - 0.05
        play = [action for action in turn.legal if turn.words[action][0] == "play"]
        if gain > stake:
            return play[0]
        return next(action for action in turn.legal if turn.words[action][0] == "pass")

    # -- movement

    def _move(self, turn: _Turn) -> int:
        """[10.0] Take the next step of the plan; make a new plan if none goes on."""
        half = turn.board.month, turn.board.half
        if half != self._half or turn.asked < self._asked:
            self._half, self._steps = half, []
            self._plan(turn)
        self._asked = turn.asked
        action = self._next_step(turn)
        if action is None and self._steps:
            self._plan(turn)
            action = self._next_step(turn)
        return turn.find("done") if action is None else action

    def _plan(self, turn: _Turn) -> None:
        no_sighting = bool(turn.view.bonuses["no_sighting"])
        plan = make_plan(turn.board, turn.me, no_sighting, eagerness=0.02 * (1.0 - self.boldness))
        self._steps = list(plan.steps)

    def _next_step(self, turn: _Turn) -> int | None:
        """Return the action that begins the next step, or None if none is left or it is not legal."""
        self._step = None
        if not self._steps:
            return None
        step = self._steps[0]
        for action in turn.legal:
            words = turn.words[action]
            if words[0] != step[0]:
                continue
            if step[0] == "march":
                if words[1].split("/")[0] == step[1] and words[2:] == list(step[2:4]):
                    self._steps.pop(0)
                    return action
            elif words[-1] == step[1]:
                self._step = self._steps.pop(0)
                return action
        return None

    def _pick_up(self, turn: _Turn) -> int:
        """[10.3] Embark as planned; else where the strongest units wait."""
        if self._step is not None:
            action = turn.search("pickup", self._step[2])
            if action is not None:
                return action
        return self._best(turn, lambda words: power(turn.board.forces[turn.me][turn.space(words[1])], 0, False))

    def _load(self, turn: _Turn) -> int:
        """[10.3] Load as planned; else nobody more."""
        if self._step is not None:
            aboard = [text.split("/")[0] for text in turn.view.units[SIDES[turn.me]].get("aboard", ())]
            for name in self._step[4:]:
                if name in aboard:
                    aboard.remove(name)
                    continue
                for action in turn.legal:
                    words = turn.words[action]
                    if words[0] == "embark" and words[1].split("/")[0] == name:
                        return action
        action = turn.search("done")
        return turn.legal[0] if action is None else action

    def _sail(self, turn: _Turn) -> int:
        """[10.3] Sail as planned; else to where the cargo does most good without a fight."""
        if self._step is not None:
            action = turn.search("sail", self._step[3])
            if action is not None:
                return action
        aboard = [turn.unit(t) for t in turn.view.units[SIDES[turn.me]].get("aboard", ())]
        cargo = tuple(u for u in aboard if not u.canoe)

        def value(words: list[str]) -> float:
            board, space = turn.board.copy(), turn.space(words[1])
            if board.enemy_in(turn.me, space):
                return -1.5
            board.forces[turn.me][space] = ranked(board.forces[turn.me][space] + cargo)
            board.boats[turn.me][space] += 1
            return turn.value(board)

        return self._best(turn, value)

    # -- battles

    def _order(self, turn: _Turn) -> int:
        """[11.1, R-17] Choose the surest attack first."""

        def value(words: list[str]) -> float:
            space = turn.space(words[1])
            rules = turn.board.rules
            sea, land = turn.attackers(space)
            kind = "walls" if rules.fort[space] else "open"
            return rules.table.odds(sea + land, turn.board.forces[1 - turn.me][space], kind)

        return self._best(turn, value)

    def _launch(self, turn: _Turn) -> int:
        """[11.7] Launch a war fleet if that is better than to be landed upon."""
        gain, fleet = turn.best_fleet()
        self._fleet = fleet
        if fleet and gain > turn.value_of_landing():
            return turn.find("launch")
        return turn.find("pass")

    def _commit(self, turn: _Turn) -> int:
        """[11.7] Commit the canoes that are needed, then the units chosen."""
        if not self._fleet:
            self._fleet = turn.best_fleet()[1]
        gone = [text.split("/")[0] for text in turn.view.units[SIDES[turn.me]].get("war", ())]
        canoes = sum(turn.unit(name).canoe for name in gone)
        wanted = [turn.unit(name) for name in self._fleet]
        needed = max(1, (sum(not u.leader for u in wanted) + 1) // 2, (sum(u.leader for u in wanted) + 1) // 2)
        if canoes < needed:
            for action in turn.legal:
                words = turn.words[action]
                if words[0] == "commit" and "canoe" in words[1]:
                    return action
        for name in self._fleet:
            if name in gone:
                gone.remove(name)
                continue
            for action in turn.legal:
                words = turn.words[action]
                if words[0] == "commit" and words[1] == name:
                    return action
        action = turn.search("done")
        return turn.legal[0] if action is None else action

    def _fire(self, turn: _Turn) -> int:
        """[11.1] Let the strongest unit fire first: it may not be there later."""

        def value(words: list[str]) -> float:
            unit = turn.unit(words[1])
            return unit.strength * 2 + unit.elite - 0.01 * unit.worth

        return self._best(turn, value)

    def _lose(self, turn: _Turn) -> int:
        """[11.3] Lose the least unit, one that has fired before one that has not; leaders last."""

        def value(words: list[str]) -> float:
            if "canoe" in words[1]:
                return 0.0
            return -turn.unit(words[1]).worth + 0.4 * ("/fired" in words[1])

        return self._best(turn, value)

    def _panic(self, turn: _Turn) -> int:
        """[11.3, 12.0] Give up a panicked unit for the others' fire, unless the battle is won anyway; else the least
        panics.
        """
        ours, theirs = turn.standing(turn.me), turn.standing(1 - turn.me)
        safe = len(ours) > 1 and power(ours, 0, False) > 2.0 * power(theirs, 0, False)

        def value(words: list[str]) -> float:
            cost = turn.unit(words[1]).worth - 0.4 * ("/fired" in words[1])
            if "/panicked" in words[1]:
                cost += 3.0 if safe else -100.0
            return -cost

        return self._best(turn, value)

    def _retreat(self, turn: _Turn) -> int:
        """[11.5, R-25] Withdraw to where it does most good."""
        retreat = turn.view.retreat or {}
        mine = turn.view.units[SIDES[turn.me]]
        leaving = retreat.get("from_space") or turn.view.field
        who = retreat.get("who")
        place = leaving
        if who == "beaten_fleet":
            place = f"sea/{turn.view.field}" if turn.board.half == turn.me else "war"
        units = [turn.unit(t) for t in mine.get(place, ())]
        soldiers = tuple(u for u in units if not u.canoe)
        boats = len(units) - len(soldiers)

        def value(words: list[str]) -> float:
            board, space = turn.board.copy(), turn.space(words[1])
            if place in board.rules.index:
                at = board.rules.index[place]
                board.forces[turn.me][at], board.boats[turn.me][at] = (), 0
            board.forces[turn.me][space] = ranked(board.forces[turn.me][space] + soldiers)
            board.boats[turn.me][space] += boats
            return turn.value(board)

        return self._best(turn, value)


class _Turn:
    """One decision: the position, and what its rules of thumb ask of it."""

    def __init__(self, state: State, legal: Sequence[int], weights: Any) -> None:
        self.state, self.legal = state, legal
        self.words = _words(state.game)
        self.me = state.current_player
        self.view = state.view()
        self.asked: int = cast(Any, state).decisions
        self.board: Board = board_of(state, self.view)
        self.board.weights = weights

    @property
    def field(self) -> int:
        """Return the space that is fought for."""
        return self.board.rules.index[self.view.field]

    def space(self, name: str) -> int:
        """Return a space's number."""
        return self.board.rules.index[name]

    def unit(self, text: str) -> Unit:
        """Return the kind of a piece of the decider's."""
        name = text.split("/", 1)[0]
        if name == "canoe" and self.me == 1:
            name = "oahu_canoe"
        return self.board.rules.unit(self.me, name)

    def search(self, *words: str) -> int | None:
        """Return the legal action of these words, or None."""
        wanted = list(words)
        return next((action for action in self.legal if self.words[action] == wanted), None)

    def find(self, *words: str) -> int:
        """Return the legal action of these words."""
        action = self.search(*words)
        return self.legal[0] if action is None else action

    def value(self, board: Board) -> float:
        """Return what a position is worth to the decider at the end of this half."""
        return worth(board, self.me) if board.half == self.me else -worth(board, 1 - self.me)

    def value_with(self, piece: str, space: int) -> float:
        """Return what the position is worth with one more piece; among enemies it attacks."""
        unit, board = self.unit(piece), self.board.copy()
        if unit.canoe:
            board.boats[self.me][space] += 1
            return self.value(board) + 0.001 * bool(board.forces[self.me][space])
        board.forces[self.me][space] = ranked((*board.forces[self.me][space], unit))
        if board.forces[1 - self.me][space]:
            plan: Plan = start(board, self.me)
            return weigh(plan)
        return self.value(board)

    def attackers(self, space: int | None = None) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
        """Return the units bound for a space, by canoe and overland (or landed already)."""
        at = self.field if space is None else space
        side = self.board.half
        sea = self.board.at_sea.get(at, ((), 0, at))[0]
        return sea, self.board.forces[side][at]

    def standing(self, side: int) -> list[Unit]:
        """Return a side's units in the battle that are not panicked."""
        place = str(self.view.field)
        if (self.view.battle or {}).get("kind") == "sea":
            place = f"sea/{place}" if self.board.half == side else "war"
        units = [
            self.board.rules.unit(side, t) for t in self.view.units[SIDES[side]].get(place, ()) if "/panicked" not in t
        ]
        return [unit for unit in units if not unit.canoe]

    # -- war fleets

    def value_of_landing(self) -> float:
        """Return what it is worth to let the invader land."""
        board, me, at = self.board, self.me, self.field
        sea, land = self.attackers()
        garrison = board.forces[me][at]
        plan = start(board, 1 - me)
        plan.attacks = {at: (sea, land)}
        plan.sailing = {at: board.at_sea.get(at, ((), 1, at))[1]}
        plan.sources = {at: board.at_sea.get(at, ((), 1, at))[2]}
        if not garrison:
            plan.board.boats[me][at] = 0
        return -weigh(plan, no_sighting=True)

    def best_fleet(self) -> tuple[float, list[str]]:
        """Return the most that a war fleet can be worth, and the names of its units; -2 and nobody if none can sail."""
        board, me, at = self.board, self.me, self.field
        sibling = board.rules.sibling[at]
        near = board.forces[me][sibling] if sibling >= 0 and not board.forces[1 - me][sibling] else ()
        pool = [(u, at) for u in board.forces[me][at]] + [(u, sibling) for u in near]
        soldiers = sorted(((u, s) for u, s in pool if not u.leader), key=lambda p: -p[0].power[0])
        leaders = [(u, s) for u, s in pool if u.leader]
        room = 2 * board.boats[me][at]
        found: dict[tuple[str, ...], list[tuple[Unit, int]]] = {}
        for n in range(1, min(room, len(soldiers)) + 1):
            for some in (soldiers[:n], soldiers[-n:]):
                for fleet in (some, some + leaders[:room]):
                    found.setdefault(tuple(u.name for u, _ in fleet), fleet)
        best: tuple[float, list[str]] = (-2.0, [])
        for names, fleet in found.items():
            value = self._worth_of_fleet(fleet)
            if value > best[0]:
                best = value, list(names)
        return best

    def _worth_of_fleet(self, fleet: list[tuple[Unit, int]]) -> float:
        """[11.8] Return what a war fleet of these units, each with its space, is worth, over who wins."""
        me, at, rules = self.me, self.field, self.board.rules
        sea = self.attackers()[0]
        _, canoes, home = self.board.at_sea.get(at, ((), 1, at))
        units = ranked(u for u, _ in fleet)
        lost = rules.table.odds(sea, units, "sea")
        battle = rules.table.quick(power(sea, 0, False), power(units, 1, False), "sea")
        # The enemy beaten: survivors and half of his canoes go home, everybody of ours comes back.
        won = self._after_sea(sea)
        _put(won, 1 - me, home, _part(sea, battle.left_beaten * 0.7), (canoes + 1) // 2)
        beaten = self._after_sea(units)
        for unit, space in fleet:
            beaten.forces[me][space] = without(beaten.forces[me][space], [unit])
        beaten.boats[me][at] -= min(beaten.boats[me][at], max(1, (len(fleet) + 1) // 2))
        garrison = beaten.forces[me][at]
        if garrison and not rules.assault:
            _put(beaten, 1 - me, home, _part(sea, battle.left), canoes)
        else:
            if rules.table.odds(sea, garrison, "walls" if rules.fort[at] else "open") > 0.5:
                beaten.forces[me][at] = ()
                _put(beaten, 1 - me, at, _part(sea, battle.left), canoes)
        return (1.0 - lost) * self._worth_on_land(won) + lost * self._worth_on_land(beaten)

    def _after_sea(self, fallen: tuple[Unit, ...]) -> Board:
        """Return the board without the invading fleet, and without the chiefs among the fallen."""
        board = self.board.copy()
        board.at_sea = {}
        board.chiefs = [
            n - sum(is_chief(u) and u.owner == SIDES[side] for u in fallen) for side, n in enumerate(board.chiefs)
        ]
        return board

    def _worth_on_land(self, board: Board) -> float:
        """Return what a board is worth to the decider, after the battle with those who came overland."""
        me, at = self.me, self.field
        land, garrison = board.forces[1 - me][at], board.forces[me][at]
        if land and garrison:
            walls = board.rules.fort[at]
            beaten = board.rules.table.odds(land, garrison, "walls" if walls else "open") > 0.5
            board.forces[me if beaten else 1 - me][at] = ()
        return self.value(board)


def _put(board: Board, side: int, space: int, units: tuple[Unit, ...], canoes: int) -> None:
    """Add units and canoes to a space."""
    board.forces[side][space] = ranked(board.forces[side][space] + units)
    board.boats[side][space] += canoes


def _part(units: tuple[Unit, ...], share: float) -> tuple[Unit, ...]:
    """Return the best part of a beaten or victorious force; the elite of a beaten one are dead."""
    return units[: int(len(units) * share + 0.5)]
