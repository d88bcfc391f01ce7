"""The games of a server: who may act in them, and how they continue.

One file: the operations of the server over one registry of tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from anyio import to_thread

from hawaii_env import games
from hawaii_env.core import jit
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, OptionError
from hawaii_env.game import Event, Game
from hawaii_env.games import GameSpec, Level
from hawaii_env.texts import count, parse_json, show_value
from hawaii_env.web.analysis import ANALYSES, Analysis
from hawaii_env.web.budgets import ASKER, Budget, Turns, leave_turn, locked
from hawaii_env.web.models import RESERVED, Seat
from hawaii_env.web.refusals import Asker, Presence, Refusal, why
from hawaii_env.web.settings import Settings
from hawaii_env.web.steps import hides
from hawaii_env.web.store import (
    WATCHER,
    GameRow,
    Store,
    StoreBusy,
    StoreConflict,
    StoreError,
    StoreFull,
    line_of,
    now,
    token,
)
from hawaii_env.web.strings import options_of, side_ids, strings_of, turns_of
from hawaii_env.web.table import Table
from hawaii_env.web.think import Task, Thinker, ThinkError
from hawaii_env.web.visibility import Visibility

__all__ = ["Problem", "Service"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

GAMES = 64
"""Most games of different options that are kept in memory."""

EVENTS = 100
"""Number of events that take as much memory as an empty game."""

PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds to wait before each new attempt to write while another program locks the database."""

NO_GAME = "there is no such game here, or it is not yours"
NOT_STORED = "the server cannot store this now, so nothing has changed; try again"


class Problem(HawaiiError):
    """An error that answers a request which cannot be fulfilled.

    Args:
        status: the HTTP status.
        code: one word for programs to read.
        message: sentence for people to read.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status: int = status
        self.code: str = code
        self.message: str = message


class Service:
    """The games of a server. Methods run in the server's event loop.

    Args:
        settings: configuration of the server.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings: Settings = settings
        self.tables: OrderedDict[str, Table] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._changed: dict[str, asyncio.Event] = {}
        self._drivers: dict[str, asyncio.Task[None]] = {}
        self._shown: dict[str, int] = {}
        # One more than can run, so that a single address can keep every process busy.
        self.turns: Turns = Turns(max(1, settings.workers) + 1)
        self._long: Turns = Turns(1, 1)
        self._studies: dict[str, Turns] = {what: Turns(1, 1) for what in ANALYSES}
        self._time: Budget = Budget(settings.work_rate, 1000)
        self._bytes: Budget = Budget(settings.bytes_rate)
        self._owners: dict[str, str] = {}
        self._ending = False
        self.presence: Presence = Presence(settings.absent)
        self._game = lru_cache(GAMES)(self._make_game)
        self._sides = lru_cache(100 * GAMES)(lambda chosen: side_ids(self.game(parse_json(chosen))))
        self._seatings: dict[str, dict[str, Game]] | None = None
        self.spec: GameSpec = games.find(settings.game)
        self.options: dict[str, Any] = {o.name: o.default for o in self.spec.options if not o.local}
        if RESERVED & set(self.options):
            raise OptionError(
                f"game {self.spec.name!r}: the page reserves the name of the option "
                f"{min(RESERVED & set(self.options))!r}"
            )
        self.agents: tuple[str, ...] = settings.agents
        self.levels: tuple[Level, ...] = self.spec.levels if settings.levels else ()
        self.about: dict[str, str] = {}
        self.trying: tuple[str, ...] = ()
        """Names of things being compiled while agents are tried; more agents may be offered afterwards."""
        self.revision: int = 0
        """Counter that grows whenever the agents on offer change."""
        self.hint = settings.hints[0] if settings.hints else None
        game = self.game({})
        self.store: Store = Store(settings.database)  # last, so that an error above leaves no file open
        self.thinker: Thinker = Thinker(settings.workers, settings.load, settings.grace, (game.name, dict(game.params)))

    async def close(self) -> None:
        """Stop the agents, and close the database."""
        tasks = list(self._drivers.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.thinker.close()
        self.store.close()

    def end_waiting(self) -> None:
        """Answer all waiting requests, now and in future, because the server is shutting down."""
        self._ending = True
        for game in list(self._changed):
            self.notify(game)

    def expect_trial(self) -> None:
        """Offer the levels, and of the agents only "random", until `try_agents` has tried them."""
        self.trying, self.hint = ("the rules",), None
        self.thinker.untried.update(self._to_try())
        if "random" in self.settings.agents:
            self.agents = ("random",)

    def _to_try(self) -> list[str]:
        return list(dict.fromkeys([*self.of_levels, *self.settings.agents, *self.settings.hints]))

    @property
    def of_levels(self) -> list[str]:
        """Return the agents that are offered by level."""
        return [agent for level in self.levels for agent in (level.agent, *level.others.values())]

    async def try_agents(
        self,
        report: Callable[[str], None],
        players: Callable[[], tuple[tuple[str, ...], tuple[str, ...]]] | None = None,
    ) -> None:
        """Let every agent decide once, and offer those that work. Requests are answered meanwhile.

        Args:
            report: called with one line for each agent that fails, and one that lists the others.
            players: returns further opponents and hint agents, if finding them takes too long to be done before the
                start.
        """
        game = self.game({})
        await asyncio.to_thread(game.initial_state, seed=0)  # starts compilation, and prints a notice
        if players is not None:
            agents, hints = await asyncio.to_thread(players)
            self.settings = replace(self.settings, agents=agents, hints=hints)
            self.thinker.untried.update(self._to_try())
        failed, hints = set[str](), self.settings.hints
        for agent in self._to_try():
            rules = ("the rules",) if jit.AUTOMATIC and not jit.compiled() else ()
            self.trying = (*rules, self.spec.agent_name(agent, self.chosen({})))
            self.revision += 1
            opponent = agent in self.settings.agents or self.offers(agent)
            if not opponent and self.hint is not None and hints.index(agent) > hints.index(self.hint):
                self.thinker.untried.discard(agent)  # only meant for hints, and a better one has been found
                continue
            try:
                self.about[agent] = await self.thinker.probe(agent, game.name, dict(game.params))
            except ThinkError as error:
                report(f"agent {show_value(agent)} is not offered: {error}")
                failed.add(agent)
            self._offer(failed)
        self.trying = ()
        self.revision += 1
        self.thinker.end_trial()
        report(f"Opponents: {', '.join(self.agents) or 'none'}. Hints: {self.hint or 'none'}.")

    def _offer(self, failed: set[str]) -> None:
        """Offer the agents that were tried, except those that failed."""
        offered = (set(self.agents) | self.about.keys()) - failed
        self.agents = tuple(agent for agent in self.settings.agents if agent in offered)
        self.levels = tuple(
            level for level in self.levels if not failed.intersection((level.agent, *level.others.values()))
        )
        self.hint = next((hint for hint in self.settings.hints if hint in self.about), None)
        self.revision += 1

    # Rules

    def game(self, options: Mapping[str, Any]) -> Game:
        """Return the game with the given values of options that browsers may choose; the others come from the settings,
        or are defaults.
        """
        chosen = {name: options.get(name, default) for name, default in self.options.items()}
        try:
            return self._game(json.dumps(chosen))
        except HawaiiError as error:
            if not self._game.cache_info().currsize:
                raise
            raise Problem(422, "option", f"invalid options: {error}") from error

    def _make_game(self, chosen: str) -> Game:
        return self.spec.make(**{**self.settings.options, **parse_json(chosen)})

    def seatings(self) -> dict[str, dict[str, Game]]:
        """Return the options that change the sides, each with the games that its values make."""
        if self._seatings is None:
            game = self.game({})
            usual, self._seatings = side_ids(game), {}
            # A class that names its players has the same ones for all options.
            for option in () if hasattr(type(game), "agents") else options_of(game):
                values = option.choices or () if option.values is None else self.spec.values_of(option)
                made = {str(value): self.game({option.name: value}) for value in values}
                if any(side_ids(other) != usual for other in made.values()):
                    self._seatings[option.name] = made
        return self._seatings

    def game_of(self, data: Mapping[str, Any]) -> Game:
        """Return the game that stored settings name."""
        if not self.plays(data):
            raise Problem(409, "stored", f"this is a game of {data['game']}; the server plays {self.spec.name}")
        return self.game(data)

    def plays(self, data: Mapping[str, Any]) -> bool:
        """Return True if stored settings belong to a game that this server plays."""
        return data["game"] == self.spec.name

    def chosen(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the options in stored settings."""
        return {name: data.get(name, default) for name, default in self.options.items()}

    def called(self, agent: str | None, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return an agent's display name in a game with stored settings, and the number of its level or None. Without
        an agent there is no name.
        """
        if agent is None:
            return {"played_by": None, "level": None}
        level = self.spec.level_of(agent, self.chosen(data))
        name = self.spec.agent_name(agent, self.chosen(data))
        return {"played_by": name, "level": None if level is None else level.number}

    def failure(self, agent: str, table: Table, message: str) -> str:
        """Return an agent's error message with its display name in place of its agent string."""
        return message.replace(f"agent {show_value(agent)}", self.called(agent, table.data)["played_by"])

    def sides(self, data: Mapping[str, Any]) -> list[str]:
        """Return the ids of the sides in stored settings; their number may depend on the options."""
        return self._sides(json.dumps(self.chosen(data)))

    def offers(self, agent: str) -> bool:
        """Return True if an agent is on offer as an opponent."""
        return agent in self.agents or agent in self.of_levels

    def stand_in_for(self, table: Table) -> str:
        """Return the agent that plays on for a player who resigns: that of the default level, else the first agent."""
        levels = [level for level in self.levels if level.number == self.spec.level] or list(self.levels)
        if levels:
            return levels[0].agent_for(self.chosen(table.data))
        return self.agents[0]

    def no_agent(self) -> Refusal | None:
        """Return why no agent can stand in, or None."""
        return None if self.levels or self.agents else Refusal(409, "agent", "this server has no agent that works")

    # Tables

    def lock(self, game: str) -> asyncio.Lock:
        """Return the lock of a game."""
        return self._locks.setdefault(game, asyncio.Lock())

    def seats(self, game: str, session: str | None) -> list[int]:
        """Return a browser's seats in a game.

        Raises:
            Problem: the browser has no seat, or there is no such game; the message does not say which.
        """
        found = self.store.seats_of(game, session) if session else []
        if not found:
            raise Problem(404, "unknown", NO_GAME)
        return found

    async def table(self, game: str) -> Table:
        """Return a game's table; one that is not in memory is rebuilt from its events."""
        if game in self.tables:
            self.tables.move_to_end(game)
            return self.tables[game]
        async with locked(self.lock(game)):
            if game in self.tables:
                return self.tables[game]
            row = self.store.game(game)
            if row is None:
                raise Problem(404, "unknown", NO_GAME)
            table = await self.work(lambda: self._rebuild(row))
            self._keep(game, table)
            return table

    # Long work

    async def work(self, do: Callable[[], T]) -> T:
        """Run a long function in a thread and return its result; its processor time is charged to the client's address.

        Raises:
            Problem: the address has used up its processor time.
        """
        spent = 0.0

        def timed() -> T:
            nonlocal spent
            start = time.thread_time()
            try:
                return do()
            finally:
                spent = time.thread_time() - start

        await leave_turn()
        async with self._long.one():
            await self.check_time()
            try:
                return await to_thread.run_sync(timed)
            finally:
                await self.spend_time(spent)

    async def analyse(self, asked: Analysis) -> dict[str, Any]:
        """Return the result of an analysis; its processor time is charged to the client's address.

        Raises:
            Problem: the address has used up its processor time.
            ThinkError: the analysis failed or took too long.
        """
        await leave_turn()
        async with self._studies[asked.what].one():
            await self.check_time()
            start, spent = time.monotonic(), None
            try:
                found, spent = await self.thinker.analysis(asked)
                return found
            finally:
                await self.spend_time(time.monotonic() - start if spent is None else spent)

    async def check_time(self) -> None:
        """Raise `Problem` if the client's address has used up its processor time."""
        await self._afford(self._time, 0, "your address has used up its share of this server's processor time")

    async def spend_time(self, seconds: float) -> None:
        """Charge processor time to the client's address."""
        await self._time.spend(ASKER.get(), seconds)

    async def spend_bytes(self, events: Iterable[tuple[Event, str]]) -> None:
        """Charge the bytes of stored events to the client's address; raise `Problem` if they are too many."""
        size = sum(len(line_of(event)) for event, _ in events)
        await self._afford(self._bytes, size, "your address has used up its share of this server's storage")
        await self._bytes.spend(ASKER.get(), size)

    async def _afford(self, budget: Budget, amount: float, why: str) -> None:
        if wait := await budget.wait(ASKER.get(), amount):
            raise Problem(429, "budget", f"{why}; try again in {math.ceil(wait / 60)} min")

    def made(self, data: dict[str, Any], version: int = 0, epoch: int = 0) -> Table:
        """Return a table with these settings, before the first event; raise `Problem` if they have another ruleset."""
        game = self.game_of(data)
        name, played = data.get("ruleset", ("unknown", ""))
        if played != game.ruleset_hash:
            raise Problem(409, "stored", f"the game has the ruleset {name!r}; the server plays {game.ruleset_name!r}")
        return Table(game, data, version, epoch, whole=turns_of(strings_of(game)) is not None)

    def _rebuild(self, row: GameRow) -> Table:
        try:
            table = self.made(row.data, row.version, row.epoch)
            table.feed(self.store.events(row.id))
        except HawaiiError as error:
            raise Problem(
                409, "stored", f"this game was stored by another version, and cannot be rebuilt: {error}"
            ) from error
        return table

    def _keep(self, game: str, table: Table) -> None:
        self.tables[game], self._owners[game] = table, ASKER.get()
        while self._events() > self.settings.events:
            # The address with most games in memory loses the one that was idle longest.
            idle = [at for at in self.tables if at != game and at not in self._drivers and not self.lock(at).locked()]
            held = Counter[str]()
            for at in idle:
                held[self._owners[at]] += self._size(at)
            if not idle:
                break
            most = max(held, key=lambda who: held[who])
            self._forget(next(at for at in idle if self._owners[at] == most))

    def _size(self, game: str) -> int:
        return EVENTS + len(self.tables[game].trace)

    def _events(self) -> int:
        return sum(map(self._size, self.tables))

    def _forget(self, game: str) -> None:
        self.tables.pop(game, None)
        self._owners.pop(game, None)
        self._shown.pop(game, None)
        waiting = self._changed.pop(game, None)
        if waiting is not None:
            waiting.set()

    def notify(self, game: str) -> None:
        """Wake the requests that wait for news of a game."""
        waiting = self._changed.pop(game, None)
        if waiting is not None:
            waiting.set()

    async def wait(
        self, game: str, seats: Sequence[int], version: int, seconds: float, session: str = "", heard: float = math.inf
    ) -> None:
        """Return when the game's version for a viewer with these seats differs from `version`, when there is a message
        after the time `heard`, or after some seconds.
        """
        until = time.monotonic() + seconds
        while not self._ending and (left := until - time.monotonic()) > 0:
            table = self.tables.get(game)
            if table is None or table.problem is not None or Visibility(table, seats).version != version:
                return
            if self.store.messages(game, session, heard):
                return
            news = self._changed.setdefault(game, asyncio.Event())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), left)

    # Storing

    @contextlib.contextmanager
    def _storing(self, game: str, table: Table) -> Iterator[None]:
        """Run the block, which changes a table; then store the change and notify. If anything fails, restore the table;
        nobody has seen the change.
        """
        before, public = table.mark(), Visibility(table, ()).version
        try:
            yield
            if table.version != before.version:
                table.keep_time(undone=table.epoch != before.epoch)
                keep = min(len(before.trace), len(table.trace))
                self.store.write(
                    game, table.version, table.epoch, table.over, keep, table.events(keep),
                    None if table.data is before.data else table.data, before.version,
                    Visibility(table, ()).version != public, self._due(game, table),
                )  # fmt: skip
        except BaseException as error:
            table.restore(before)
            if isinstance(error, StoreConflict):
                # The stored game is the valid one.
                self._forget(game)
                raise Problem(409, "stale", "the game has changed since; the page now shows it") from error
            raise
        if table.version != before.version:
            self.notify(game)

    def _due(self, game: str, table: Table) -> float | None:
        """Return the time at which the first person runs out of time, or None; no time runs before all guests have
        joined.
        """
        times = table.deadlines()
        people = {seat for seat in range(table.game.num_players) if table.agent_of(seat) is None}
        return min(times.values()) if times and people <= self.store.taken(game) else None

    async def end_turns(self) -> None:
        """Let an agent stand in for each person who has run out of time."""
        for game in self.store.due():
            try:
                await self.alter(game, lambda table, game=game: self._end_turn(game, table))
                self.store.set_due(game, self._due(game, await self.table(game)))
            except (Problem, StoreError) as error:
                _log.warning("cannot end a turn whose time is up: %s", error)
                if isinstance(error, Problem) and error.code == "stored":  # by another version
                    self.store.set_due(game, None)

    def _end_turn(self, game: str, table: Table) -> None:
        due = self._due(game, table)
        if due is not None and due <= now() and self.no_agent() is None:
            for seat in [seat for seat, until in table.deadlines().items() if until <= now()]:
                table.hand_over(seat, self.stand_in_for(table))

    async def stored(self, do: Callable[[], T]) -> T:
        """Return the result of a function that writes to the database. While another program locks it, wait; requests
        are answered meanwhile.

        Raises:
            Problem: nothing could be stored, so nothing has changed.
        """
        for pause in (*PAUSES, None):
            try:
                return do()
            except StoreFull as error:
                raise Problem(503, "full", f"{error}; ask again later") from error
            except StoreBusy as error:
                if pause is None:
                    _log.error("not stored: %s", error)
                    raise Problem(503, "storage", NOT_STORED) from error
                await leave_turn()
                await asyncio.sleep(pause)
            except StoreError as error:
                _log.error("not stored: %s", error)
                raise Problem(503, "storage", NOT_STORED) from error
        raise AssertionError

    # Progress

    def resume(self, game: str) -> None:
        """Start a task that rolls dice and asks agents if the game waits for one."""
        table = self.tables.get(game)
        if table is None or game in self._drivers or table.problem is not None or not self._busy(game, table):
            return
        task = asyncio.get_running_loop().create_task(self._drive(game))
        self._drivers[game] = task

        def ended(task: asyncio.Task[None]) -> None:
            self._drivers.pop(game, None)
            if task.cancelled():
                return
            error = task.exception()
            if error is not None:
                _log.error("a game stopped", exc_info=error)
                table = self.tables.get(game)
                if table is not None:
                    table.problem = "the server failed here; see its log"
                    self.notify(game)
            else:
                # A change may have come while the task ended.
                self.resume(game)

        task.add_done_callback(ended)

    def _busy(self, game: str, table: Table) -> bool:
        if table.over:
            return False
        if table.watched and len(table.trace) >= self._shown.get(game, 0) + self.settings.ahead:
            return False
        return table.thinking is not None or (table.at_chance and not table.by_hand)

    async def _drive(self, game: str) -> None:
        """Roll dice and ask agents until it is a person's turn."""
        while True:
            table = self.tables.get(game)
            if table is None:
                return
            async with locked(self.lock(game)):
                try:
                    await self.stored(lambda table=table: self._roll(game, table))
                except Problem as error:
                    self._halt(game, table, error.message)
                    return
                thinking = table.thinking
                if thinking is None or not self._busy(game, table):
                    return
                player, agent = thinking
                stamp = table.stamp(player)
                known = table.state if table.turn(player) is None else table.known(player)
                task = Task(
                    f"{game}/{player}",
                    agent,
                    table.game.name,
                    dict(table.game.params),
                    known.to_json(player=player),
                    player,
                    self.settings.seconds,
                )
            try:
                async with self.turns.one():
                    action: int | None = (await self.thinker.think(task)).action
                problem = ""
            except ThinkError as error:
                # An agent's error message may reveal what the agent knows.
                action, problem = None, f"agent {show_value(agent)} has failed" if hides(table.game) else str(error)
                _log.warning("%s", error)
            async with locked(self.lock(game)):
                if table.stamp(player) != stamp or self.tables.get(game) is not table:
                    continue  # a move was undone meanwhile, or the seat has another owner
                if action is None:
                    self._halt(game, table, self.failure(agent, table, problem))
                    return
                try:
                    await self.stored(
                        lambda table=table, action=action, player=player: self._play(game, table, action, player)
                    )
                except Problem as error:
                    self._halt(game, table, error.message)
                    return

    def _roll(self, game: str, table: Table) -> None:
        with self._storing(game, table):
            while self._busy(game, table) and table.at_chance:
                table.apply_chance(self.settings.draw(table.state.chance_outcomes()))

    def _play(self, game: str, table: Table, action: int, player: int) -> None:
        with self._storing(game, table):
            table.play(action, player=player)

    def _halt(self, game: str, table: Table, problem: str) -> None:
        """Store why a game does not continue by itself; a person can retry."""
        table.problem = problem
        self.notify(game)

    async def change(
        self, game: str, session: str, version: int, do: Callable[[Table], Any], what: str, seat: int | None = None
    ) -> None:
        """Apply a browser's change to a game whose version it knows, store it, and continue.

        Args:
            game: the game's id.
            session: digest of the browser.
            version: version of the game that the browser knows.
            do: function that changes the table.
            what: name of the action in `hawaii_env.web.refusals`.
            seat: seat of the action, if it has one.

        Raises:
            Problem: the game has changed since, or the action is refused now.
        """
        seats = self.seats(game, session)

        def change(table: Table) -> None:
            self.check(game, table, seats, session, version, what, seat)
            do(table)

        await self.alter(game, change)

    def check(
        self,
        game: str,
        table: Table,
        seats: Sequence[int],
        session: str,
        version: int,
        what: str,
        seat: int | None = None,
    ) -> None:
        """Raise `Problem` unless a browser with these seats knows the present version and may do something; see
        `change`.

        Raises:
            Problem: the game has changed since, or the action is refused.
        """
        if Visibility(table, seats).version != version:
            raise Problem(409, "stale", "the game has changed since; the page now shows it")
        refusal = why(Asker(self, game, table, seats, session), what, seat)
        if refusal is not None:
            raise Problem(*refusal)

    async def alter(self, game: str, do: Callable[[Table], None], then: Callable[[], None] = lambda: None) -> None:
        """Apply a change to a game, whatever its version; store it and continue; `then` runs before other requests."""
        table = await self.table(game)

        def change() -> None:
            if self.tables.get(game) is not table:
                raise Problem(404, "unknown", NO_GAME)
            with self._storing(game, table):
                try:
                    do(table)
                except (IllegalActionError, GameOverError) as error:
                    # Replace the engine's wording, because people read it.
                    said = re.sub(r"^action .* is not legal[^[]*", "that is not legal in this position ", str(error))
                    raise Problem(422, "illegal", said) from error

        async with locked(self.lock(game)):
            await self.stored(change)
            await self.stored(then)
        self.resume(game)

    # New games

    def seats_data(self, seats: Sequence[Seat], game: Game) -> list[dict[str, Any]]:
        """Return the seats of a new game as they are stored.

        Raises:
            Problem: the seats do not fit the game, or one names an agent that is not on offer.
        """
        if len(seats) != game.num_players:
            raise Problem(422, "seats", f"expected {game.num_players} seats, one for each side")
        made: list[dict[str, Any]] = []
        for seat in seats:
            if (seat.kind == "agent") != (seat.agent is not None):
                raise Problem(422, "seats", "a seat of kind agent, and no other, must name an agent")
            if seat.agent is not None and not self.offers(seat.agent):
                raise Problem(
                    422, "agent", f"this server offers no agent {seat.agent!r}; choose from {', '.join(self.agents)}"
                )
            made.append({"kind": "agent" if seat.kind == "agent" else "human", "agent": seat.agent})
        if all(seat.kind == "guest" for seat in seats):
            raise Problem(422, "seats", "at least one side must be yours or an agent's")
        return made

    async def open(
        self,
        data: dict[str, Any],
        seats: Sequence[Seat],
        session: str,
        events: Sequence[tuple[Event, str]] = (),
        sessions: Sequence[str | None] | None = None,
    ) -> dict[str, Any]:
        """Store a new game with its members and previous events; return its id and its invitations.

        Args:
            data: settings of the game.
            seats: players of the sides.
            session: digest of the browser that starts it.
            events: previous events.
            sessions: digests of the browsers that have the seats of kind "me", if not all belong to `session`.
        """
        self._check_games(session)
        self.check_space()
        await self.spend_bytes(events)

        def make() -> Table:
            table = self.made(data)
            table.feed(events)
            table.keep_time()
            return table

        table = await self.work(make) if events else make()
        game = token()
        mine = [number for number, seat in enumerate(seats) if seat.kind == "me"] or [WATCHER]
        who = {number: owner for number, owner in enumerate(sessions or ()) if owner is not None}
        guests = [number for number, seat in enumerate(seats) if seat.kind == "guest"]

        def add() -> tuple[dict[int, str], list[str]]:
            self._check_games(session)  # several games may have been requested at once
            return self.store.add_game(
                game,
                table.data,
                [(seat, who.get(seat, session)) for seat in mine],
                most=self.settings.games_all,
                version=table.version,
                over=table.over,
                events=table.events(),
                guests=guests,
            )

        invitations, gone = await self.stored(add)
        self.drop(gone)
        self._keep(game, table)
        self.resume(game)
        return {"id": game, "invitations": {side_ids(table.game)[seat]: made for seat, made in invitations.items()}}

    def _check_games(self, session: str) -> None:
        if len(self.store.games_with(session)) >= self.settings.games_each:
            raise Problem(429, "games", f"you have {count(self.settings.games_each, 'game')} here; leave one first")

    def check_space(self) -> None:
        """Raise `Problem` if nothing new may be stored; games in progress are not affected."""
        if self.store.size() > self.settings.bytes_all:
            raise Problem(503, "full", "this server's database is full; ask again later")

    def drop(self, games: Iterable[str]) -> None:
        """Remove deleted games from memory."""
        for game in games:
            task = self._drivers.pop(game, None)
            if task is not None:
                task.cancel()
            self._forget(game)

    def my_seat(self, table: Table, seats: Sequence[int]) -> int | None:
        """Return the one of these seats whose turn it is, unless an agent stands in for it."""
        return next((player for player in table.deciders if player in seats and table.agent_of(player) is None), None)

    def show(self, game: str, n: int) -> None:
        """Note how far a spectator has followed a game, so that agents do not play far ahead."""
        self._shown[game] = max(n, self._shown.get(game, 0))
        self.resume(game)
