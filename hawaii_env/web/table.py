"""A game on the server: its position, its events, who caused them, and what can be taken back.

A position is in explicit mode, without a generator: outcomes of chance are drawn by the server, or entered by the
players. A position is rebuilt by playing its events.

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
"""Positions are kept before the most recent steps, this many, and before every `STRIDE`-th step. Others are rebuilt by
playing from one of these.
"""


class Table:
    """One game.

    If `whole` is True, each player enters a sealed turn as a whole, at the same time as the others, and may change it
    until all players have entered theirs; then the turns are played. Until then the entries are not in the position:
    they are stored beside it, by seat, and dropped when somebody else takes the seat.

    Args:
        game: the game.
        data: the settings: ``seats`` (each with ``kind`` "human" or "agent", and ``agent``), ``dice`` ("server" or
            "hand"), ``start``. Optional: ``names`` (of the people, one for each seat), ``stand_ins`` (the agents that
            play for people who have left, one for each seat), ``offer`` (the seat that offers a draw), ``agreed`` (how
            the players ended the game), ``next`` (the id of the rematch), ``seated`` (how often somebody took or left
            seats), ``watchers`` (the names of those who watch through a link, by seat), ``limit`` (seconds for a turn,
            after which an agent stands in), ``since`` (since when people have had to decide: ``now``, by seat the
            number of the sealed turn or None, and the time; and ``was``, the same before the player to act changed),
            ``pending`` (choices in a simultaneous turn that is not complete, by seat; or entries in a sealed turn:
            ``turn``, ``actions``, ``by``, ``done``). Other keys are the options of the game. The mapping is replaced,
            never changed.
        version: counter of changes.
        epoch: counter of undone steps; a browser that has seen another value draws everything again.
        whole: True if people enter sealed turns as a whole.

    Attributes:
        state: the position, in explicit mode, traced.
        steps: decisions and chance outcomes; `before` returns the position before each.
        problem: error that keeps an agent from continuing, or None.
        seen: what viewers had seen at their last request; see `hawaii_env.web.visibility`.
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
        if self.trace:  # forced decisions before the first choice
            self.log.add(self.trace, self.state, self.state)
        self._turns: tuple[State, int, dict[int, SealedTurn | None]] | None = None

    # Queries

    @property
    def trace(self) -> list[Event]:
        """Return all events so far."""
        assert self.state.trace is not None
        return self.state.trace

    @property
    def by_hand(self) -> bool:
        """Return True if players enter the outcomes of dice."""
        return self.data["dice"] == "hand"

    @property
    def at_chance(self) -> bool:
        """Return True if a die or card is due."""
        return self.state.current_player == CHANCE

    @property
    def agreement(self) -> Agreement | None:
        """Return how the players ended the game; None if they did not."""
        agreed = self.data.get("agreed")
        return None if agreed is None else Agreement(agreed["kind"], agreed["player"], self.game.num_players)

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended, by its rules or by agreement; None if it continues."""
        found = ending(self.state, self.agreement)
        return None if found is None else found[0]

    @property
    def over(self) -> bool:
        """Return True if the game has ended, by its rules or by agreement."""
        return self.state.is_terminal or self.data.get("agreed") is not None

    @property
    def deciders(self) -> list[int]:
        """Return the players who must decide now."""
        if self.over:
            return []
        if self.entering:
            left = [player for player in range(self.game.num_players) if player in self.left(player)]
            return sorted(left, key=lambda player: self.agent_of(player) is not None)
        if self.state.current_player != SIMULTANEOUS:
            return [player for player in (self.state.current_player,) if player >= 0]
        return [player for player in self.state.acting_players if player not in self._pending()]

    def _pending(self) -> dict[int, Any]:
        """Return the choices so far in a simultaneous turn, or the entries in a sealed one, by seat. The keys are
        strings in the settings, as in JSON.
        """
        return {int(player): action for player, action in (self.data.get("pending") or {}).items()}

    def pending_of(self, seats: Sequence[int]) -> dict[int, Any]:
        """Return the pending choices or entries of these seats."""
        return {seat: entry for seat, entry in self._pending().items() if seat in seats}

    def turn(self, viewer: int) -> SealedTurn | None:
        """Return the sealed turn that is being entered as a whole, as a viewer may know it, or None."""
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
        """Return True if people are entering a sealed turn as a whole."""
        return any(self.turn(player) is not None for player in range(self.game.num_players))

    def left(self, viewer: int) -> list[int]:
        """Return the players who are still to enter in the running sealed turn, as a viewer may know it."""
        turn, pending = self.turn(viewer), self._pending()
        if turn is None:
            return []
        done = [player for player, entry in pending.items() if entry["done"] and entry["turn"] == turn.number]
        return [player for player in turn.players if player not in done]

    def people_left(self, viewer: int) -> list[int]:
        """Return the people who are still to enter in the running sealed turn, as a viewer may know it."""
        return [player for player in self.left(viewer) if self.agent_of(player) is None]

    def entered(self, player: int) -> list[int]:
        """Return what a player has entered in its running sealed turn; it may be changed until all have entered."""
        turn, entry = self.turn(player), self._pending().get(player)
        return [] if turn is None or entry is None or entry["turn"] != turn.number else list(entry["actions"])

    def known(self, player: int) -> State:
        """Return a copy of the position as a player knows it, with its own entries in the running sealed turn."""
        own = self.state.for_search(player)
        for action in self.entered(player):
            own.apply(action)
        return own

    @property
    def thinking(self) -> tuple[int, str] | None:
        """Return a player for whom an agent must decide now, and its agent string; the agent may be a stand-in. None if
        there is no such player.
        """
        for player in self.deciders:
            agent = self.agent_of(player)
            if agent is not None:
                return player, agent
        return None

    def stamp(self, player: int) -> tuple[Any, ...]:
        """Return a value that changes when the player to act or its decision changes."""
        asked = player in self.deciders
        return self.epoch, len(self.trace), asked and self.entered(player), asked and self.agent_of(player)

    def agent_of(self, seat: int) -> str | None:
        """Return the agent string of the agent that plays a seat now, or None."""
        return self.data["seats"][seat]["agent"] or self.each("stand_ins")[seat]

    def each(self, what: str) -> list[Any]:
        """Return the values of a setting for each seat, all None if it is missing."""
        return self.data.get(what) or [None] * self.game.num_players

    def asked(self) -> dict[str, int | None]:
        """Return the people who must decide, each with the number of its sealed turn or None. Everybody may know it: in
        a sealed turn it lists all people with something to enter, whether or not they have done so.
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
        """Update the times since which people have had to decide; an undo restores the earlier times. While a die is
        due, nobody's time changes.
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
        """Return the time at which each person who must decide runs out of time; empty without a limit."""
        limit, since = self.data.get("limit"), self.data.get("since")
        if limit is None or since is None or self.over:
            return {}
        waited = {int(seat): at for seat, (_, at) in since["now"].items()}
        return {seat: waited[seat] + limit for seat in self.deciders if seat in waited}

    @property
    def watched(self) -> bool:
        """Return True if all players are agents."""
        return all(seat["kind"] == "agent" for seat in self.data["seats"])

    def events(self, first: int = 0) -> list[tuple[Event, str]]:
        """Return the events from index `first` on, each with the digest of the browser that made it."""
        makers = {step.first: step.by for step in self.steps}
        return [(event, makers.get(first + n, "")) for n, event in enumerate(self.trace[first:])]

    def position(self, n: int) -> State:
        """Return the position after n events; forced decisions belong to the step before them."""
        return self.before(bisect_left(self.steps, n, key=lambda step: step.first))

    def before(self, number: int) -> State:
        """Return the position before a step; the caller must not change it."""
        if number >= len(self.steps):
            return self.state
        at = number if number in self._kept else number // STRIDE * STRIDE
        state = self._kept[at].clone()  # the kept position stays as it is
        for step, after in zip(self.steps[at:number], self.steps[at + 1 :], strict=False):
            self._redo(state, self.trace[step.first : after.first])
        return state

    @staticmethod
    def _redo(state: State, events: Sequence[Event]) -> None:
        """Replay a step that begins with these events."""
        event = events[0]
        if isinstance(event, Chance):
            state.apply_chance(event.outcome)
        elif state.current_player == SIMULTANEOUS:
            state.apply_joint(joint(state, events))
        else:
            state.apply(event.action)

    # Snapshots

    def mark(self) -> Mark:
        """Return a snapshot for `restore`."""
        return Mark(
            self.data, self.state.clone(), list(self.trace), list(self.steps), dict(self._kept),
            self.version, self.epoch, self.problem,
        )  # fmt: skip

    def restore(self, mark: Mark) -> None:
        """Restore a snapshot: undo everything that has happened since."""
        same = sum(1 for step, other in zip(self.steps, mark.steps, strict=False) if step is other)
        self.data, self.state = mark.data, mark.state
        self.state.trace = mark.trace
        self.steps, self._kept = mark.steps, mark.kept
        self._turns = None
        ends = [*(step.first for step in mark.steps), len(mark.trace)]
        self.log.cut(ends[same])
        for number in range(same, len(mark.steps)):  # steps that were undone since the snapshot
            self.log.add(mark.trace[ends[number] : ends[number + 1]], self.before(number), self.before(number + 1))
        self.version, self.epoch, self.problem = mark.version, mark.epoch, mark.problem

    # Moves

    def play(self, action: int, by: str = "", player: int | None = None) -> None:
        """Apply a decision; in a simultaneous turn it is kept until all players have decided.

        Args:
            action: the decision.
            by: digest of the browser; empty for an agent.
            player: player who decides; None: the player to act.

        Raises:
            IllegalActionError: the decision is not legal here.
            GameOverError: the game is over.
        """
        self._check_open()
        if player is None and self.deciders:
            player = self.deciders[0]
        if player is not None and self.turn(player) is not None:
            if self.agent_of(player) is None:
                raise IllegalActionError("this turn must be entered as a whole")
            self._enter_one(player, action)
            return
        if self.at_chance or player is None:
            raise IllegalActionError("a die or card is due, not a decision")
        if self.state.current_player == SIMULTANEOUS:
            self._choose(player, action, by)
            return
        self._decide(action, player, by)

    def _decide(self, action: int, player: int, by: str) -> None:
        before = self._before()
        self.state.apply(action)
        self._after(before, False, player, by)
        if self.data.get("offer") not in (None, player):
            # A player who plays on declines the offer.
            self.data = {**self.data, "offer": None}

    def enter(self, player: int, actions: Sequence[int], by: str) -> None:
        """Enter all decisions of a player in the running sealed turn; they are applied once all players have entered
        theirs. An empty sequence withdraws them.

        Raises:
            IllegalActionError: the actions are not legal, too few or too many, or it is not for this player to enter
                now.
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
            raise IllegalActionError("you have entered nothing that can be taken back")
        self._close()

    def _enter_one(self, player: int, action: int) -> None:
        """Enter a single decision of an agent's sealed turn."""
        own, turn = self.known(player), self.turn(player)
        assert turn is not None
        own.apply(action)
        done = own.current_player != player or own.sealed_turn != turn.number
        actions = [*self.entered(player), action]
        self._note(player, {"turn": turn.number, "actions": actions, "by": "", "done": done})
        self._close()

    def _note(self, player: int, entry: dict[str, Any] | None) -> None:
        """Store a player's pending choice or entry; None removes it."""
        pending = {seat: found for seat, found in self._pending().items() if seat != player}
        self.set(pending=pending if entry is None else {**pending, player: entry})
        self.problem = None

    def free(self, seats: Iterable[int]) -> None:
        """Remove what was entered, chosen or offered on seats, because their owners change."""
        for seat in seats:
            if seat in self._pending():
                self._note(seat, None)
            if self.data.get("offer") == seat:
                self.set(offer=None)

    def _close(self) -> None:
        """Apply the entries of the running sealed turn once all players have made theirs."""
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
        """Return True if a player has something to enter in the present sealed turn."""
        turn = self.turn(player)
        return turn is not None and turn.number == number and player in turn.players

    def _choose(self, player: int, action: int, by: str) -> None:
        """Store a choice in a simultaneous turn; the last one ends the turn."""
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
        """Apply the outcome of a die or card.

        Raises:
            IllegalActionError: no die or card is due, or it has no such outcome.
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
        """Play stored events; version and epoch do not change.

        Raises:
            RecordError: the game rejects an event, or produces another.
        """
        wanted = list(events)
        version, data, seen = self.version, self.data, 0
        # Agreements and pending choices came after all of the events.
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

    # Actions beside moves

    def set(self, **data: Any) -> None:
        """Change settings; this counts as a new version."""
        self.data = {**self.data, **data}
        self.version += 1

    def set_of(self, what: str, seat: int, value: Any) -> None:
        """Change the value of a setting for a seat."""
        values = list(self.each(what))
        values[seat] = value
        self.set(**{what: values})

    def hand_over(self, seat: int, agent: str | None) -> None:
        """Let an agent stand in for a seat's owner, or give the seat back (None); pending entries are dropped."""
        self.set_of("stand_ins", seat, agent)
        self.free([seat])

    def rename(self, seats: Iterable[int], name: str | None) -> None:
        """Set the name of the owner of seats; None or "" removes it."""
        for seat in seats:
            if seat < self.game.num_players and self.each("names")[seat] != (name or None):
                self.set_of("names", seat, name or None)

    def seat(self, seats: Iterable[int], name: str | None) -> None:
        """Record that somebody takes or leaves seats; pending entries there are dropped. The version always changes, to
        wake the requests that wait for news.
        """
        taken = list(seats)
        self.free(taken)
        self.rename(taken, name)
        watchers = {str(seat): name for seat in taken if seat > WATCHER and name}
        others = {seat: named for seat, named in (self.data.get("watchers") or {}).items() if int(seat) not in taken}
        self.set(seated=self.data.get("seated", 0) + 1, watchers={**others, **watchers})
        if min(taken, default=WATCHER) < WATCHER:
            # All times start again, since the others may have waited for a player to join.
            self.set(since=None)

    def resign(self, seat: int) -> None:
        """End the game by the resignation of a seat.

        Raises:
            RecordError: the game does not have two players.
        """
        Agreement("resignation", seat, self.game.num_players)
        self.set(agreed={"kind": "resignation", "player": seat}, offer=None, pending=None)

    def draw(self, seats: Iterable[int], accept: bool = True) -> None:
        """Offer a draw, accept or decline an offer of another seat, or withdraw the caller's own. The owner of all
        seats agrees alone.

        Args:
            seats: seats of the caller.
            accept: False declines or withdraws an offer.
        """
        mine, offer = set(seats), self.data.get("offer")
        if not accept:
            self.set(offer=None)
        elif mine | {offer} >= set(range(self.game.num_players)):
            self.set(agreed={"kind": "draw", "player": None}, offer=None, pending=None)
        else:
            self.set(offer=min(mine))

    # Undo

    def undoable(self, by: str) -> int | None:
        """Return the number of the step that a browser may take back, or None.

        It is the browser's last decision, unless a die was rolled or another person has decided since; an agent's
        answer is taken back with it. A die entered by hand can be taken back as long as nothing has followed. An
        agreement cannot be taken back.
        """
        found = self._back(by)
        return found if isinstance(found, int) else None

    def why_no_undo(self, by: str, draws: Callable[[State], bool] = lambda state: False) -> str | None:
        """Return why a browser cannot take anything back; None if it can.

        Args:
            by: digest of the browser.
            draws: function that returns True if a card is due at a chance node, False for a die.
        """
        found = self._back(by)
        if isinstance(found, Step):
            drawn = draws(self.before(self.steps.index(found)))
            return f"A {'card was drawn' if drawn else 'die was rolled'} since"
        return found if isinstance(found, str) else None

    def _back(self, by: str) -> int | str | Step:
        """Return the number of the step that may be taken back, else a text that says why not, or the chance step
        since.
        """
        if self.data.get("agreed") is not None:
            return "The game is over"
        if self.whole:
            return "You can change your entries until all players have entered theirs"
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

        It is the earliest of its decisions with no die, card or decision of another person after it.
        """
        number = self.undoable(by)
        if number is None or self.steps[number].chance:
            return number
        last = self.steps[number]
        while number and (step := self.steps[number - 1]).by == by and not step.chance and step.player == last.player:
            number -= 1
        return number

    def undo_turn(self, by: str) -> int:
        """Return the number of steps that `undo_turn` takes back, without hidden steps by others since."""
        back, start = self.undoable(by), self.turn_start(by)
        if back is None or start is None:
            return 0
        return (back + 1 if hides(self.game) else len(self.steps)) - start

    def undo(self, by: str, turn: bool = False) -> Step:
        """Undo a step or a turn; see `undoable`.

        Args:
            by: digest of the browser.
            turn: True undoes the whole turn; see `turn_start`.

        Raises:
            IllegalActionError: nothing can be taken back.
        """
        number = self.turn_start(by) if turn else self.undoable(by)
        if number is None:
            raise IllegalActionError("nothing can be taken back: a die, a card or another player came since")
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
