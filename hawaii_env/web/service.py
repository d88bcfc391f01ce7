"""The games of a server: who may do what in them, and how they go on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from hawaii_env import games
from hawaii_env._options import values_of
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, OptionError
from hawaii_env.game import Event, Game
from hawaii_env.games import GameSpec, Level
from hawaii_env.web.models import RESERVED, Seat
from hawaii_env.web.room import Room
from hawaii_env.web.security import Turns
from hawaii_env.web.settings import Settings
from hawaii_env.web.sight import Sight
from hawaii_env.web.store import GameRow, Store, StoreBusy, StoreConflict, StoreError, StoreFull, token
from hawaii_env.web.strings import Guide, Strings, guide_of, options_of, side_ids, strings_of, turns_of
from hawaii_env.web.think import Task, Thinker, ThinkError

__all__ = ["Problem", "Service"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

WATCHER = 99
"""The seat of who started a game between agents."""

PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts to write where another program has locked the database."""

NO_GAME = "there is no such game here, or it is not yours"
NOT_STORED = "the server cannot store this just now, so nothing has changed; try again"


class Problem(HawaiiError):
    """What a request is answered where it cannot be done.

    Args:
        status: the HTTP status.
        code: one word for programs.
        message: for people.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status: int = status
        self.code: str = code
        self.message: str = message


class Service:
    """The games of a server. Methods run in the server's event loop.

    Args:
        settings: what is allowed.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store: Store = Store(settings.database)
        self.rooms: OrderedDict[str, Room] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self._changed: dict[str, asyncio.Event] = {}
        self._drivers: dict[str, asyncio.Task[None]] = {}
        self._shown: dict[str, int] = {}
        # One more than can run, so that one address alone keeps every process busy.
        self.turns: Turns = Turns(max(1, settings.workers) + 1)
        self._ending = False
        self._games: dict[str, Game] = {}
        self._strings: dict[Game, Strings] = {}
        self._seatings: dict[str, dict[str, Game]] | None = None
        self._guides: dict[Game, Guide | None] = {}
        self.spec: GameSpec = games.find(settings.game)
        self.options: dict[str, Any] = {o.name: o.default for o in self.spec.options if not o.local}
        if RESERVED & set(self.options):
            raise OptionError(
                f"game {self.spec.name!r}: the page has a use of its own for the option "
                f"{min(RESERVED & set(self.options))!r}"
            )
        self.agents: tuple[str, ...] = settings.agents
        self.levels: tuple[Level, ...] = self.spec.levels if settings.levels else ()
        self.about: dict[str, str] = {}
        self.hint = settings.hints[0] if settings.hints else None
        game = self.game({})
        self.thinker: Thinker = Thinker(settings.workers, settings.load, settings.grace, (game.name, dict(game.params)))

    async def close(self) -> None:
        """Stop thinking, and close the database."""
        tasks = list(self._drivers.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.thinker.close()
        self.store.close()

    def end_waiting(self) -> None:
        """Answer those who wait for news, now and from now on: the server is about to end."""
        self._ending = True
        for game in list(self._changed):
            self.tell(game)

    def probe(self, tell: Callable[[str], None]) -> None:
        """Try every agent once, and offer only those that work. Waits for them."""
        game = self.game({})

        def works(spec: str) -> bool:
            try:
                self.about[spec] = self.thinker.probe(spec, game.name, dict(game.params))
            except ThinkError as error:
                tell(f"agent {spec!r} is not offered: {error}")
                return False
            return True

        self.agents = tuple(spec for spec in self.settings.agents if works(spec))
        tried = {
            spec: works(spec)
            for level in self.levels
            for spec in (level.spec, *level.others.values())
            if spec not in self.settings.agents
        }
        self.levels = tuple(
            level
            for level in self.levels
            if all(s in self.agents or tried.get(s, False) for s in (level.spec, *level.others.values()))
        )
        # What was tried in vain as an opponent is not tried again.
        self.hint = next(
            (h for h in self.settings.hints if h in self.agents or (h not in self.settings.agents and works(h))), None
        )
        if not self.agents:
            raise OptionError("no agent works: nothing can be offered as an opponent")

    # Rules

    def game(self, options: Mapping[str, Any]) -> Game:
        """Return the game with some of its options, those that a browser may choose; the others are the settings' or as
        they are by default.
        """
        chosen = {name: options.get(name, default) for name, default in self.options.items()}
        key = json.dumps(chosen)
        if key not in self._games:
            try:
                self._games[key] = self.spec.make(**{**self.settings.options, **chosen})
            except HawaiiError as error:
                if not self._games:
                    raise
                raise Problem(422, "option", f"such a game cannot be: {error}") from error
        return self._games[key]

    def seatings(self) -> dict[str, dict[str, Game]]:
        """Return the options on which it hangs who plays, each with the game that each of its values makes."""
        if self._seatings is None:
            usual, self._seatings = side_ids(self.game({})), {}
            for option in options_of(self.game({})):
                values = option.choices or () if option.values is None else values_of(self.spec, option, {})
                made = {str(value): self.game({option.name: value}) for value in values}
                if any(side_ids(game) != usual for game in made.values()):
                    self._seatings[option.name] = made
        return self._seatings

    def game_of(self, data: Mapping[str, Any]) -> Game:
        """Return the game that stored settings name."""
        if not self.plays(data):
            raise Problem(409, "stored", f"this is a game of {data['game']}; the server plays {self.spec.name}")
        return self.game(data)

    def plays(self, data: Mapping[str, Any]) -> bool:
        """Whether stored settings are those of a game that this server plays. Early ones name none."""
        return data.get("game", games.DEFAULT) == self.spec.name

    def chosen(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that stored settings have."""
        return {name: data.get(name, default) for name, default in self.options.items()}

    def strings(self, game: Game) -> Strings:
        """Return the strings of a game."""
        if game not in self._strings:
            self._strings[game] = strings_of(game)
        return self._strings[game]

    def guide(self, game: Game) -> Guide | None:
        """Return the guide of a game, where it has one."""
        if game not in self._guides:
            self._guides[game] = guide_of(game)
        return self._guides[game]

    def offers(self, spec: str) -> bool:
        """Whether an agent may be chosen as an opponent."""
        return spec in self.agents or any(spec in (level.spec, *level.others.values()) for level in self.levels)

    def substitute(self, room: Room) -> str:
        """The agent that plays on for who gives up: of the level that the page chooses first, else the first agent."""
        levels = [level for level in self.levels if level.number == self.spec.level] or list(self.levels)
        return levels[0].agent(self.chosen(room.data)) if levels else self.agents[0]

    # Rooms

    def lock(self, game: str) -> asyncio.Lock:
        """Return the lock of a game."""
        return self._locks.setdefault(game, asyncio.Lock())

    def seats(self, game: str, session: str | None) -> list[int]:
        """Return a browser's seats in a game.

        Raises:
            Problem: it has none there, or there is no such game; which of both is not told.
        """
        found = self.store.seats_of(game, session) if session else []
        if not found:
            raise Problem(404, "unknown", NO_GAME)
        return found

    async def room(self, game: str) -> Room:
        """Return a game's room; one that is not in memory is made again from its events."""
        if game in self.rooms:
            self.rooms.move_to_end(game)
            return self.rooms[game]
        async with self.lock(game):
            if game in self.rooms:
                return self.rooms[game]
            row = self.store.game(game)
            if row is None:
                raise Problem(404, "unknown", NO_GAME)
            room = await asyncio.to_thread(self._again, row)
            self._keep(game, room)
            return room

    def made(self, data: dict[str, Any], version: int = 0, epoch: int = 0) -> Room:
        """Return a room of these settings, at its beginning."""
        game = self.game_of(data)
        return Room(game, data, version, epoch, whole=turns_of(self.strings(game)) is not None)

    def _again(self, row: GameRow) -> Room:
        try:
            room = self.made(row.data, row.version, row.epoch)
            stored = self.store.events(row.id)
            room.feed(stored)
            if len(room.trace) != len(stored):
                # What chance could do in one way only was not stored by earlier versions.
                self.store.write(row.id, room.version, room.epoch, room.over, 0, room.events(0), None, row.version)
            _ = room.account  # told here, in a thread
        except HawaiiError as error:
            raise Problem(
                409, "stored", f"this game was stored by another version, and cannot be played again: {error}"
            ) from error
        return room

    def _keep(self, game: str, room: Room) -> None:
        self.rooms[game] = room
        for other in list(self.rooms):
            if len(self.rooms) <= self.settings.rooms:
                break
            if other != game and other not in self._drivers and not self.lock(other).locked():
                self._forget(other)

    def _forget(self, game: str) -> None:
        self.rooms.pop(game, None)
        self._locks.pop(game, None)
        self._shown.pop(game, None)
        waiting = self._changed.pop(game, None)
        if waiting is not None:
            waiting.set()

    def tell(self, game: str) -> None:
        """Wake up who waits for news of a game."""
        waiting = self._changed.pop(game, None)
        if waiting is not None:
            waiting.set()

    async def wait(self, game: str, seats: Sequence[int], version: int, seconds: float) -> None:
        """Return when there is news of a game for who has these seats and knows it at a version, or after some
        seconds.
        """
        until = time.monotonic() + seconds
        while not self._ending and (left := until - time.monotonic()) > 0:
            room = self.rooms.get(game)
            if room is None or room.problem is not None or Sight(room, seats).version != version:
                return
            news = self._changed.setdefault(game, asyncio.Event())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), left)

    # Storing

    @contextlib.contextmanager
    def _storing(self, game: str, room: Room) -> Iterator[None]:
        """Change a room, store it, and tell; where anything goes wrong, the room is as it was, and nobody has seen
        another.
        """
        before = room.mark()
        try:
            yield
            if room.version != before.version:
                keep = min(len(before.trace), len(room.trace))
                self.store.write(
                    game, room.version, room.epoch, room.over, keep, room.events(keep),
                    None if room.data is before.data else room.data, before.version,
                )  # fmt: skip
        except BaseException as error:
            room.restore(before)
            if isinstance(error, StoreConflict):
                # What is stored counts.
                self._forget(game)
                raise Problem(409, "stale", "the game has gone on since; the page shows it now") from error
            raise
        if room.version != before.version:
            self.tell(game)

    async def stored(self, do: Callable[[], T]) -> T:
        """Return what something that writes returns. Another program's lock is waited for; requests are answered
        meanwhile.

        Raises:
            Problem: it cannot be stored; nothing has changed.
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
                await asyncio.sleep(pause)
            except StoreError as error:
                _log.error("not stored: %s", error)
                raise Problem(503, "storage", NOT_STORED) from error
        raise AssertionError

    # Going on

    def kick(self, game: str) -> None:
        """See that a game goes on where a die or an agent is next."""
        room = self.rooms.get(game)
        if room is None or game in self._drivers or room.problem is not None or not self._busy(game, room):
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
                room = self.rooms.get(game)
                if room is not None:
                    room.problem = "the server failed here; its log says more"
                    self.tell(game)
            else:
                # Something may have come while it ended.
                self.kick(game)

        task.add_done_callback(ended)

    def _busy(self, game: str, room: Room) -> bool:
        if room.over:
            return False
        if room.watched and len(room.trace) >= self._shown.get(game, 0) + self.settings.ahead:
            return False
        return room.thinking is not None or (room.at_chance and not room.by_hand)

    async def _drive(self, game: str) -> None:
        """Roll dice and ask agents until a person is next."""
        while True:
            room = self.rooms.get(game)
            if room is None:
                return
            async with self.lock(game):
                try:
                    await self.stored(lambda room=room: self._roll(game, room))
                except Problem as error:
                    self._halt(game, room, error.message)
                    return
                thinking = room.thinking
                if thinking is None or not self._busy(game, room):
                    return
                player, spec = thinking
                version = room.version
                task = Task(
                    f"{game}/{player}",
                    spec,
                    room.game.name,
                    dict(room.game.params),
                    room.state.to_json(player=player),
                    player,
                    self.settings.seconds,
                )
            try:
                async with self.turns.one():
                    action: int | None = (await self.thinker.think(task)).action
                problem = None
            except ThinkError as error:
                action, problem = None, str(error)
            async with self.lock(game):
                if room.version != version or self.rooms.get(game) is not room:
                    continue  # something was taken back meanwhile
                if action is None:
                    self._halt(game, room, problem)
                    return
                try:
                    await self.stored(
                        lambda room=room, action=action, player=player: self._play(game, room, action, player)
                    )
                except Problem as error:
                    self._halt(game, room, error.message)
                    return

    def _roll(self, game: str, room: Room) -> None:
        with self._storing(game, room):
            while self._busy(game, room) and room.at_chance:
                room.fall(self.settings.draw(room.state.chance_outcomes()))

    def _play(self, game: str, room: Room, action: int, player: int) -> None:
        with self._storing(game, room):
            room.play(action, player=player)

    def _halt(self, game: str, room: Room, problem: str | None) -> None:
        """Tell why a game does not go on by itself; a person can ask again."""
        room.problem = problem
        self.tell(game)

    @staticmethod
    def fresh(room: Room, seats: Sequence[int], version: int) -> None:
        """See that a browser with these seats knows a game as it is.

        Raises:
            Problem: it has gone on.
        """
        if Sight(room, seats).version != version:
            raise Problem(409, "stale", "the game has gone on since; the page shows it now")

    async def change(self, game: str, seats: Sequence[int], version: int | None, do: Callable[[Room], None]) -> None:
        """Do something to a game whose version the browser with these seats knows (None: whatever it is), store it, and
        go on.
        """
        room = await self.room(game)

        def change() -> None:
            if version is not None:
                self.fresh(room, seats, version)
            if self.rooms.get(game) is not room:
                raise Problem(404, "unknown", NO_GAME)
            with self._storing(game, room):
                try:
                    do(room)
                except (IllegalActionError, GameOverError) as error:
                    raise Problem(422, "illegal", str(error)) from error

        async with self.lock(game):
            await self.stored(change)
        self.kick(game)

    # New games

    def seats_data(self, seats: Sequence[Seat], game: Game) -> list[dict[str, Any]]:
        """Return the seats of a new game as they are stored.

        Raises:
            Problem: they do not fit the game, or one names an agent that is not offered.
        """
        if len(seats) != game.num_players:
            raise Problem(422, "seats", f"{game.num_players} seats are wanted, one a side")
        made: list[dict[str, Any]] = []
        for seat in seats:
            if (seat.kind == "agent") != (seat.agent is not None):
                raise Problem(422, "seats", "a seat of kind agent names its agent, and no other does")
            if seat.agent is not None and not self.offers(seat.agent):
                raise Problem(
                    422, "agent", f"this server offers no agent {seat.agent!r}; it has {', '.join(self.agents)}"
                )
            made.append({"kind": "agent" if seat.kind == "agent" else "human", "agent": seat.agent})
        if all(seat.kind == "guest" for seat in seats):
            raise Problem(422, "seats", "one side at least must be yours, or an agent's")
        return made

    async def open(
        self,
        data: dict[str, Any],
        seats: Sequence[Seat],
        session: str,
        events: Sequence[tuple[Event, str]] = (),
        sessions: Sequence[str | None] | None = None,
    ) -> dict[str, Any]:
        """Store a new game with its members and what has happened in it; return its id and its invitations.

        Args:
            data: its settings.
            seats: who plays.
            session: digest of the browser that begins it.
            events: what has happened in it.
            sessions: the browsers that have the seats of kind "me", where these are not all the one's that begins it.
        """
        if len(self.store.games_with(session)) >= self.settings.games_each:
            raise Problem(429, "games", f"you have {self.settings.games_each} games here; leave one first")
        self.room_left()
        room = self.made(data)
        room.feed(events)
        game = token()
        mine = [number for number, seat in enumerate(seats) if seat.kind == "me"] or [WATCHER]
        who = {number: owner for number, owner in enumerate(sessions or ()) if owner is not None}
        guests = [number for number, seat in enumerate(seats) if seat.kind == "guest"]
        invitations, gone = await self.stored(
            lambda: self.store.add_game(
                game,
                data,
                [(seat, who.get(seat, session)) for seat in mine],
                most=self.settings.games_all,
                version=room.version,
                over=room.over,
                events=room.events(),
                guests=guests,
            )
        )
        self.drop(gone)
        self._keep(game, room)
        self.kick(game)
        return {"id": game, "invitations": {side_ids(room.game)[seat]: made for seat, made in invitations.items()}}

    def room_left(self) -> None:
        """See that something new may be stored. Games that have begun go on beyond this."""
        if self.store.size() > self.settings.bytes_all:
            raise Problem(503, "full", "this server's database is full; ask again later")

    def drop(self, games: Iterable[str]) -> None:
        """Forget games that are deleted."""
        for game in games:
            task = self._drivers.pop(game, None)
            if task is not None:
                task.cancel()
            self._forget(game)

    def my_seat(self, room: Room, seats: Sequence[int]) -> int | None:
        """The seat of these that decides now, where no agent stands in for it."""
        return next((player for player in room.deciders if player in seats and room.agent_of(player) is None), None)

    def show(self, game: str, n: int) -> None:
        """Note how far a watcher has come, so that agents do not play far ahead of who watches."""
        self._shown[game] = max(n, self._shown.get(game, 0))
        self.kick(game)
