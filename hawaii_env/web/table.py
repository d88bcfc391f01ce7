"""One game on the server: its position, what happened, who did it, and what can be taken back.

A table's position is in the explicit mode: there is no generator in it. Dice fall one by one, drawn by the server or
values by the players, and a position is made again by playing its events.

One file: the state machine of one game at the server.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hawaii_env.errors import GameOverError, IllegalActionError, RecordError
from hawaii_env.game import CHANCE, SIMULTANEOUS, SPECTATOR, Chance, Event, Game, Outcome, SealedTurn, State
from hawaii_env.records import Agreement, ending
from hawaii_env.web.log import GameLog
from hawaii_env.web.steps import Mark, Step, decisions, hides, joint, same, start_of
from hawaii_env.web.store import WATCHER, now

__all__ = ["Table"]

STRIDE = 16
"""Positions that are kept: those before the last so many steps, and before every so manieth. The others are made again
by playing from one of these.
"""


class Table:
    """One game.

    Where `whole` is set, each player enters a sealed turn as a whole, at the same time as the others, and may change
    it until everybody's is in; only then is it played. Until then the position holds nothing of it: what was entered is
    noted beside it, by seat, and forgotten when somebody else takes the seat.

    Args:
        game: its rules.
        data: its settings: ``seats`` (each ``kind`` "human" or "agent", and ``agent``), ``dice`` ("server" or "hand"),
            ``start``. What may be missing: ``names`` (of the people, one a seat), ``stand_ins`` (the agents that play
            for people who have gone, one a seat), ``offer`` (the seat that offers a draw), ``agreed`` (how the players
            ended the game), ``next`` (the id of the rematch), ``seated`` (how often somebody took or left seats),
            ``watchers`` (the names of those who watch by a link, by seat), ``limit`` (seconds for a turn, after which
            an agent stands in), ``since`` (since when people are asked: ``now``, by seat the number of the sealed turn
            or None and the time, and ``was``, before somebody else was),
            ``pending`` (what was chosen in a simultaneous turn that others have not chosen in, by seat; or what was
            entered in a sealed one: ``turn``, ``actions``, ``by`` and
            whether it is ``done``). What else stands there are the game's options. It is replaced and never altered.
        version: counts every change.
        epoch: counts what was taken back: a browser that has seen another one draws everything anew.
        whole: whether people enter sealed turns as a whole.

    Attributes:
        state: the position, in the explicit mode, traced.
        steps: what was decided and rolled; `before` is the position before each.
        problem: why an agent does not continue, or None.
        seen: what viewers had seen when they looked last; see `hawaii_env.web.visibility`.
    """

    def __init__(self, game: Game, data: dict[str, Any], version: int = 0, epoch: int = 0, whole: bool = False) -> None:
        self.game: Game = game
        self.whole: bool = whole
        self.data: dict[str, Any] = data
        self.version: int = version
        self.epoch: int = epoch
        self.state: State = start_of(game, data.get("start"))
        self.steps: list[Step] = []
        self._kept: dict[int, State] = {}
        self.problem: str | None = None
        self.seen: dict[tuple[int, ...], Any] = {}
        self.log: GameLog = GameLog(game)
        if self.trace:  # forced decisions that came before anybody was asked
            self.log.add(self.trace, self.state, self.state)
        self._turns: tuple[State, int, dict[int, SealedTurn | None]] | None = None

    # What it is

    @property
    def trace(self) -> list[Event]:
        """Everything that has happened."""
        assert self.state.trace is not None
        return self.state.trace

    @property
    def by_hand(self) -> bool:
        """True if players tell the dice."""
        return self.data["dice"] == "hand"

    @property
    def at_chance(self) -> bool:
        """True if a die or card is due."""
        return self.state.current_player == CHANCE

    @property
    def agreement(self) -> Agreement | None:
        """Return how the players ended the game, if its rules have not."""
        agreed = self.data.get("agreed")
        return None if agreed is None else Agreement(agreed["kind"], agreed["player"], self.game.num_players)

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended, by its rules or by agreement; None if it continues."""
        found = ending(self.state, self.agreement)
        return None if found is None else found[0]

    @property
    def over(self) -> bool:
        """True if the game has ended, by its rules or by agreement."""
        return self.state.is_terminal or self.data.get("agreed") is not None

    @property
    def deciders(self) -> list[int]:
        """The players who must decide now."""
        if self.over:
            return []
        if self.entering:
            left = [player for player in range(self.game.num_players) if player in self.left(player)]
            return sorted(left, key=lambda player: self.agent_of(player) is not None)
        if self.state.current_player != SIMULTANEOUS:
            return [player for player in (self.state.current_player,) if player >= 0]
        return [player for player in self.state.acting_players if player not in self._pending()]

    def _pending(self) -> dict[int, Any]:
        """Return what was chosen in a simultaneous turn, or entered in a sealed one, so far. JSON has no numbers as
        keys.
        """
        return {int(player): action for player, action in (self.data.get("pending") or {}).items()}

    def pending_of(self, seats: Sequence[int]) -> dict[int, Any]:
        """Return what of it these seats have chosen or entered."""
        return {seat: entry for seat, entry in self._pending().items() if seat in seats}

    def turn(self, viewer: int) -> SealedTurn | None:
        """Return the sealed turn that is entered as a whole now, as a viewer may know it, or None."""
        if not self.whole or self.over:
            return None
        if self._turns is None or self._turns[0] is not self.state or self._turns[1] != len(self.trace):
            self._turns = self.state, len(self.trace), {}
        known = self._turns[2]
        if viewer not in known:
            known[viewer] = self.state.known_turn(viewer)
        return known[viewer]

    @property
    def entering(self) -> bool:
        """True if somebody enters a sealed turn as a whole."""
        return any(self.turn(player) is not None for player in range(self.game.num_players))

    def left(self, viewer: int) -> list[int]:
        """Return the players who have something left to enter in the running sealed turn, as a viewer may know it."""
        turn, pending = self.turn(viewer), self._pending()
        if turn is None:
            return []
        done = [player for player, entry in pending.items() if entry["done"] and entry["turn"] == turn.number]
        return [player for player in turn.players if player not in done]

    def people_left(self, viewer: int) -> list[int]:
        """Return the people who have something left to enter, as a viewer may know it."""
        return [player for player in self.left(viewer) if self.agent_of(player) is None]

    def entered(self, player: int) -> list[int]:
        """Return what a player has entered in its running sealed turn, to be changed until everybody has."""
        turn, entry = self.turn(player), self._pending().get(player)
        return [] if turn is None or entry is None or entry["turn"] != turn.number else list(entry["actions"])

    def known(self, player: int) -> State:
        """Return a copy of the position as a player knows it, with what it has entered in its running sealed turn."""
        own = self.state.for_search(player)
        for action in self.entered(player):
            own.apply(action)
        return own

    @property
    def thinking(self) -> tuple[int, str] | None:
        """A player for whom an agent must decide now, and its agent string; it may stand in for a person who has
        gone.
        """
        for player in self.deciders:
            agent = self.agent_of(player)
            if agent is not None:
                return player, agent
        return None

    def stamp(self, player: int) -> tuple[Any, ...]:
        """Return what is another when a player is asked something else, or another one is asked."""
        asked = player in self.deciders
        return self.epoch, len(self.trace), asked and self.entered(player), asked and self.agent_of(player)

    def agent_of(self, seat: int) -> str | None:
        """Return the agent string of the agent that plays a seat now, or None."""
        return self.data["seats"][seat]["agent"] or self.each("stand_ins")[seat]

    def each(self, what: str) -> list[Any]:
        """Return what the data have of each seat under a name; None if they have nothing."""
        return self.data.get(what) or [None] * self.game.num_players

    def asked(self) -> dict[str, int | None]:
        """Return the people who must decide, each with the number of the sealed turn that they are asked in, or None.
        It is what everybody may know: of a sealed turn whoever has something to enter, done or not.
        """
        turn = self.turn(SPECTATOR)
        if self.over:
            players: Sequence[int] = ()
        elif turn is not None:
            players = turn.players
        elif self.state.current_player == SIMULTANEOUS:
            players = self.state.acting_players
        else:
            players = [player for player in (self.state.current_player,) if player >= 0]
        return {str(seat): turn and turn.number for seat in players if self.agent_of(seat) is None}

    def keep_time(self, undone: bool = False) -> None:
        """Note since when people are asked; where something was undone, they are as long as they were before it. A die
        that is due ends nobody's turn.
        """
        if self.at_chance and not self.over:
            return
        kept: dict[str, dict[str, Any]] = self.data.get("since") or {"now": {}, "was": {}}
        running, known = kept["now"], kept["was"] | kept["now"] if undone else kept["now"]
        found = {
            seat: known[seat] if known.get(seat, (None,))[0] == turn and seat in known else [turn, now()]
            for seat, turn in self.asked().items()
        }
        if found != running:
            self.data = {**self.data, "since": {"now": found, "was": running or kept["was"]}}

    def deadlines(self) -> dict[int, float]:
        """Return when the time of each person is up who must still decide; empty without a limit."""
        limit, since = self.data.get("limit"), self.data.get("since")
        if limit is None or since is None or self.over:
            return {}
        waited = {int(seat): at for seat, (_, at) in since["now"].items()}
        return {seat: waited[seat] + limit for seat in self.deciders if seat in waited}

    @property
    def watched(self) -> bool:
        """True if agents play one another."""
        return all(seat["kind"] == "agent" for seat in self.data["seats"])

    def events(self, first: int = 0) -> list[tuple[Event, str]]:
        """Return the events from a number on, each with the digest of who made it."""
        makers = {step.first: step.by for step in self.steps}
        return [(event, makers.get(first + n, "")) for n, event in enumerate(self.trace[first:])]

    def position(self, n: int) -> State:
        """Return the position after n events; forced decisions belong to what led to them."""
        return self.before(bisect_left(self.steps, n, key=lambda step: step.first))

    def before(self, number: int) -> State:
        """Return the position before a step; it is not to be changed."""
        if number >= len(self.steps):
            return self.state
        at = number if number in self._kept else number // STRIDE * STRIDE
        state = self._kept[at].clone()  # what is found out about it is not kept
        for step, after in zip(self.steps[at:number], self.steps[at + 1 :], strict=False):
            self._redo(state, self.trace[step.first : after.first])
        return state

    @staticmethod
    def _redo(state: State, events: Sequence[Event]) -> None:
        """Do a step again that begins with these events."""
        event = events[0]
        if isinstance(event, Chance):
            state.apply_chance(event.outcome)
        elif state.current_player == SIMULTANEOUS:
            state.apply_joint(joint(state, events))
        else:
            state.apply(event.action)

    # Changing it, or not

    def mark(self) -> Mark:
        """Return what `restore` needs to make this table as it is now."""
        return Mark(
            self.data, self.state.clone(), list(self.trace), list(self.steps), dict(self._kept),
            self.version, self.epoch, self.problem,
        )  # fmt: skip

    def restore(self, mark: Mark) -> None:
        """Make this table as it was: nothing that happened since has happened."""
        same = sum(1 for step, other in zip(self.steps, mark.steps, strict=False) if step is other)
        self.data, self.state = mark.data, mark.state
        self.state.trace = mark.trace
        self.steps, self._kept = mark.steps, mark.kept
        self._turns = None
        ends = [*(step.first for step in mark.steps), len(mark.trace)]
        self.log.cut(ends[same])
        for number in range(same, len(mark.steps)):  # steps that were taken back
            self.log.add(mark.trace[ends[number] : ends[number + 1]], self.before(number), self.before(number + 1))
        self.version, self.epoch, self.problem = mark.version, mark.epoch, mark.problem

    # What happens

    def play(self, action: int, by: str = "", player: int | None = None) -> None:
        """Take a decision. In a simultaneous turn it waits for those of the others.

        Args:
            action: the decision.
            by: digest of the browser; empty for agents.
            player: whose it is; None is who decides.

        Raises:
            IllegalActionError: it is not legal here.
            GameOverError: the game is over.
        """
        self._check_open()
        if player is None and self.deciders:
            player = self.deciders[0]
        if player is not None and self.turn(player) is not None:
            if self.agent_of(player) is None:
                raise IllegalActionError("this turn is entered as a whole")
            self._enter_one(player, action)
            return
        if self.at_chance or player is None:
            raise IllegalActionError("a die or card is due, nobody decides")
        if self.state.current_player == SIMULTANEOUS:
            self._choose(player, action, by)
            return
        self._decide(action, player, by)

    def _decide(self, action: int, player: int, by: str) -> None:
        before = self._before()
        self.state.apply(action)
        self._after(before, False, player, by)
        if self.data.get("offer") not in (None, player):
            # Who plays on declines.
            self.data = {**self.data, "offer": None}

    def enter(self, player: int, actions: Sequence[int], by: str) -> None:
        """Enter a player's decisions of the running sealed turn, all of them; they wait until everybody's are in. None
        takes back what was entered.

        Raises:
            IllegalActionError: they are not legal, too few or too many, or this player enters nothing now.
            GameOverError: the game is over.
        """
        self._check_open()
        turn = self.turn(player)
        if turn is None or player not in turn.players or self.agent_of(player) is not None:
            raise IllegalActionError("you have nothing to enter now")
        if actions:
            chosen = decisions(self.state.for_search(player), player, actions)
            self._note(player, {"turn": turn.number, "actions": chosen, "by": by, "done": True})
        elif self.entered(player):
            self._note(player, None)
        else:
            raise IllegalActionError("nothing of yours is entered, so that nothing can be taken back")
        self._close()

    def _enter_one(self, player: int, action: int) -> None:
        """Enter a decision of a player's sealed turn, as agents do."""
        own, turn = self.known(player), self.turn(player)
        assert turn is not None
        own.apply(action)
        done = own.current_player != player or own.sealed_turn != turn.number
        actions = [*self.entered(player), action]
        self._note(player, {"turn": turn.number, "actions": actions, "by": "", "done": done})
        self._close()

    def _note(self, player: int, entry: dict[str, Any] | None) -> None:
        """Note what a player has entered or chosen that others wait for; None forgets it."""
        pending = {seat: found for seat, found in self._pending().items() if seat != player}
        self.set(pending=pending if entry is None else {**pending, player: entry})
        self.problem = None

    def free(self, seats: Iterable[int]) -> None:
        """Forget what was entered, chosen or offered on seats: somebody else takes them."""
        for seat in seats:
            if seat in self._pending():
                self._note(seat, None)
            if self.data.get("offer") == seat:
                self.set(offer=None)

    def _close(self) -> None:
        """Play what was entered in the running sealed turn, once everybody's is in."""
        number, pending = self.state.sealed_turn, self._pending()
        if self.over or number is None:
            return
        asked = [player for player in range(self.game.num_players) if self._asked_in(player, number)]
        if any(player in self.left(player) for player in asked):
            return
        entered = {player: iter(pending[player]["actions"]) for player in asked}
        while not self.over and self.state.sealed_turn == number:
            player = self.state.current_player
            self._decide(next(entered[player]), player, pending[player]["by"])
        left = {player: entry for player, entry in pending.items() if player not in asked}
        self.data = {**self.data, "pending": left}

    def _asked_in(self, player: int, number: int) -> bool:
        """Return True if a player has something to enter in the sealed turn that the game is at."""
        turn = self.turn(player)
        return turn is not None and turn.number == number and player in turn.players

    def _choose(self, player: int, action: int, by: str) -> None:
        """Keep a choice of a simultaneous turn; the last one ends the turn."""
        if player not in self.deciders or action not in self.state.legal_actions(player):
            raise IllegalActionError(
                f"action {action} is not legal for {self.game.agents[player]} in phase {self.state.phase}"
            )
        chosen = {**self._pending(), player: action}
        if set(chosen) == set(self.state.acting_players):
            self._joint(chosen, by)
        else:
            self.set(pending=chosen)
            self.problem = None

    def _joint(self, chosen: Mapping[int, int], by: str) -> None:
        before = self._before()
        self.state.apply_joint(chosen)
        self._after(before, False, SIMULTANEOUS, by)
        self.data = {key: value for key, value in self.data.items() if key != "pending"}

    def apply_chance(self, outcome: int, by: str = "") -> None:
        """Let a die or card fall.

        Raises:
            IllegalActionError: it is not an outcome here, or no die is due.
            GameOverError: the game is over.
        """
        self._check_open()
        if not self.at_chance:
            raise IllegalActionError("no die or card is due")
        before = self._before()
        self.state.apply_chance(outcome)
        self._after(before, True, -1, by)

    def _check_open(self) -> None:
        if self.over:
            raise GameOverError("the game is over")

    def _before(self) -> tuple[int, State]:
        return len(self.trace), self.state.clone()

    def _after(self, before: tuple[int, State], chance: bool, player: int, by: str) -> None:
        number = len(self.steps)
        self._kept[number] = before[1].clone()
        if (number - STRIDE) % STRIDE:
            self._kept.pop(number - STRIDE, None)
        self.steps.append(Step(before[0], chance, player, by))
        self.log.add(self.trace[before[0] :], before[1], self.state)
        self.version += 1
        self.problem = None

    def feed(self, events: Iterable[tuple[Event, str]]) -> None:
        """Play stored events; version and epoch stay as they are.

        Raises:
            RecordError: an event that the game does not do.
        """
        wanted = list(events)
        version, data, seen = self.version, self.data, 0
        # What was agreed, and chosen by some, came after all of them.
        self.data = {**data, "agreed": None, "offer": None, "pending": None}
        while True:
            while seen < min(len(self.trace), len(wanted)):
                event, stored = self.trace[seen], wanted[seen][0]
                if not same(event, stored):
                    raise RecordError(f"event {seen + 1} is {stored.text!r}; the game does {event.text!r}")
                seen += 1
            if len(self.trace) >= len(wanted):
                break
            event, by = wanted[len(self.trace)]
            try:
                if isinstance(event, Chance):
                    self.apply_chance(event.outcome, by)
                elif self.state.current_player == SIMULTANEOUS:
                    turn = wanted[len(self.trace) : len(self.trace) + self.game.num_players]
                    self._joint(joint(self.state, [event for event, _ in turn]), by)
                elif event.player != self.state.current_player:
                    raise RecordError(f"event {len(self.trace) + 1}: {event.text!r} is not this player's turn")
                else:
                    self._check_open()
                    self._decide(event.action, event.player, by)
            except (IllegalActionError, GameOverError) as error:
                raise RecordError(f"event {len(self.trace) + 1}: {error}") from error
        self.version, self.data = version, data

    # What players do beside their moves

    def set(self, **data: Any) -> None:
        """Change the settings, as something that has happened."""
        self.data = {**self.data, **data}
        self.version += 1

    def set_of(self, what: str, seat: int, value: Any) -> None:
        """Change what the settings say of a seat under a name."""
        values = list(self.each(what))
        values[seat] = value
        self.set(**{what: values})

    def hand_over(self, seat: int, agent: str | None) -> None:
        """Let an agent stand in for a seat's owner, or give the seat back; what was entered is forgotten."""
        self.set_of("stand_ins", seat, agent)
        self.free([seat])

    def rename(self, seats: Iterable[int], name: str | None) -> None:
        """Note the name of who has seats, on all of them; None or an empty one is none."""
        for seat in seats:
            if seat < self.game.num_players and self.each("names")[seat] != (name or None):
                self.set_of("names", seat, name or None)

    def seat(self, seats: Iterable[int], name: str | None) -> None:
        """Note that somebody takes seats, or gives them up; what was entered there is forgotten. It changes the version
        whatever else it changes, because those who wait for news wait for that.
        """
        taken = list(seats)
        self.free(taken)
        self.rename(taken, name)
        watchers = {str(seat): name for seat in taken if seat > WATCHER and name}
        others = {seat: named for seat, named in (self.data.get("watchers") or {}).items() if int(seat) not in taken}
        self.set(seated=self.data.get("seated", 0) + 1, watchers={**others, **watchers})
        if min(taken, default=WATCHER) < WATCHER:
            # Their time, and that of the others, who may have waited for them, begins anew.
            self.set(since=None)

    def resign(self, seat: int) -> None:
        """End the game: a seat gives up.

        Raises:
            RecordError: nobody can resign, because the game is not of two players.
        """
        Agreement("resignation", seat, self.game.num_players)
        self.set(agreed={"kind": "resignation", "player": seat}, offer=None, pending=None)

    def draw(self, seats: Iterable[int], accept: bool = True) -> None:
        """Offer a draw, take the offer of another seat, decline it, or withdraw the caller's own; who has all seats
        agrees with themselves.

        Args:
            seats: those of who asks.
            accept: False declines or withdraws.
        """
        mine, offer = set(seats), self.data.get("offer")
        if not accept:
            self.set(offer=None)
        elif mine | {offer} >= set(range(self.game.num_players)):
            self.set(agreed={"kind": "draw", "player": None}, offer=None, pending=None)
        else:
            self.set(offer=min(mine))

    # Taking back

    def undoable(self, by: str) -> int | None:
        """Return the number of the step that a browser may take back, or None.

        That is its last decision, where no die was rolled and nobody else decided since (an agent's answer goes with
        it). A die that it has values by hand can be put right as long as nothing followed. What was agreed stays.
        """
        found = self._back(by)
        return found if isinstance(found, int) else None

    def why_no_undo(self, by: str, draws: Callable[[State], bool] = lambda state: False) -> str | None:
        """Return why there is nothing that a browser may take back; None if there is.

        Args:
            by: digest of the browser.
            draws: says of a position at a chance node whether a card is due; else it is a die.
        """
        found = self._back(by)
        if isinstance(found, Step):
            drawn = draws(self.before(self.steps.index(found)))
            return f"A {'card was drawn' if drawn else 'die was rolled'} since"
        return found if isinstance(found, str) else None

    def _back(self, by: str) -> int | str | Step:
        """Return the number of the step that may be taken back, or why no step may: in words, or what chance did
        since.
        """
        if self.data.get("agreed") is not None:
            return "The game is over"
        if self.whole:
            return "What was entered can be changed until everybody’s is in"
        for number in range(len(self.steps) - 1, -1, -1):
            step = self.steps[number]
            if step.chance:
                if step.by == by and number == len(self.steps) - 1:
                    return number
                decided = any(earlier.by == by for earlier in self.steps[:number])
                return step if decided else "Nothing decided yet"
            if step.player == SIMULTANEOUS:
                return "Everybody has decided since"
            if step.by == by:
                turn = self.before(number).sealed_turn
                if hides(self.game) and (turn is None or turn != self.state.sealed_turn):
                    return "Something hidden may have been seen since"
                return number
            if step.by:
                return "The other side has decided since"
        return "Nothing decided yet"

    def turn_start(self, by: str) -> int | None:
        """Return the number of the step with which a browser's turn began, or None if nothing may be taken back.

        That is the earliest of its decisions with nothing between them: no die, no card, nobody else's decision.
        """
        number = self.undoable(by)
        if number is None or self.steps[number].chance:
            return number
        last = self.steps[number]
        while number and (step := self.steps[number - 1]).by == by and not step.chance and step.player == last.player:
            number -= 1
        return number

    def undo_turn(self, by: str) -> int:
        """Return how many steps undoing a browser's turn takes back; what others have entered since is not counted if
        it is hidden.
        """
        back, start = self.undoable(by), self.turn_start(by)
        if back is None or start is None:
            return 0
        return (back + 1 if hides(self.game) else len(self.steps)) - start

    def undo(self, by: str, turn: bool = False) -> Step:
        """Take back; see `undoable`.

        Args:
            by: digest of the browser.
            turn: True takes the whole turn back; see `turn_start`.

        Raises:
            IllegalActionError: there is nothing to take back.
        """
        number = self.turn_start(by) if turn else self.undoable(by)
        if number is None:
            raise IllegalActionError("there is nothing to take back: chance or somebody else decided since")
        step = self.steps[number]
        trace, self.state = self.trace[: step.first], self.before(number)
        self.state.trace = trace
        self.log.cut(step.first)
        del self.steps[number:]
        self._kept = {at: position for at, position in self._kept.items() if at < number}
        self.version += 1
        self.epoch += 1
        self.problem = None
        return step
