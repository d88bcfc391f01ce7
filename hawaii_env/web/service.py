"""The games of a server: who may do what in them, and how they go on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from hawaii_env import records
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, OptionError, RecordError
from hawaii_env.game import Event
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.rules.names import SIDES
from hawaii_env.render.picture import render_svg
from hawaii_env.web import guide, words
from hawaii_env.web.models import NewGame, Seat
from hawaii_env.web.room import Room, start_of
from hawaii_env.web.security import Turns
from hawaii_env.web.settings import Settings
from hawaii_env.web.store import DAY, GameRow, Store, StoreBusy, StoreConflict, StoreError, StoreFull, token
from hawaii_env.web.think import Task, Thinker, ThinkError

__all__ = ["Problem", "Service"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

TOUCH = 3600.0
"""Seconds after which it is noted again that a browser is there."""

WATCHER = 99
"""The seat of who started a game between agents."""

RECENT = 40  # events that a picture is shown: more than any volley or fleet move has
MOST_EVENTS = 20_000

PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts to write where another program has locked the database."""

NO_GAME = "there is no such game here, or it is not yours"
NO_INVITATION = "this invitation is not valid: it was used already, or a newer one was made"
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
        self.agents: tuple[str, ...] = settings.agents
        self.levels: tuple[guide.Level, ...] = guide.LEVELS if settings.levels else ()
        self.about: dict[str, str] = {}
        self.hint = settings.hints[0] if settings.hints else None
        game = self.game("long", False, "repulsed")
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
            self._tell(game)

    def probe(self, tell: Callable[[str], None]) -> None:
        """Try every agent once, and offer only those that work. Waits for them."""
        game = self.game("long", False, "repulsed")

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
            for spec in (level.spec, level.short)
            if spec not in self.settings.agents
        }
        self.levels = tuple(
            level
            for level in self.levels
            if all(s in self.agents or tried.get(s, False) for s in (level.spec, level.short))
        )
        # What was tried in vain as an opponent is not tried again.
        self.hint = next(
            (h for h in self.settings.hints if h in self.agents or (h not in self.settings.agents and works(h))), None
        )
        if not self.agents:
            raise OptionError("no agent works: nothing can be offered as an opponent")

    # Rules

    def game(self, scenario: str, final_check: bool, sea_victor: str) -> Game:
        """Return the rules of a scenario with its options."""
        key = json.dumps([scenario, final_check, sea_victor])
        if key not in self._games:
            if self._games and scenario not in next(iter(self._games.values())).ruleset.scenarios:
                raise Problem(422, "scenario", f"there is no scenario {scenario!r}")
            self._games[key] = Game(scenario, self.settings.rules, final_check, sea_victor)
        return self._games[key]

    def _game_of(self, data: Mapping[str, Any]) -> Game:
        return self.game(data["scenario"], data["final_check"], data["sea_victor"])

    def setup(self) -> dict[str, Any]:
        """Return what a browser needs to begin: the agents that may be chosen, and everything that does not change."""
        reference = words.reference(self.game("long", False, "repulsed"))
        scenarios = reference["scenarios"]
        return {
            **reference,
            "agents": [{"spec": spec, "about": self.about.get(spec, "")} for spec in self.agents],
            "levels": [
                {
                    "number": level.number,
                    "name": level.name,
                    "about": level.about,
                    "specs": {s: level.agent(s) for s in scenarios},
                }
                for level in self.levels
            ],
            "level": guide.DEFAULT_LEVEL,
            "hint": self.hint,
            "seconds": self.settings.seconds,
            "session_days": self.settings.session_days,
        }

    def offers(self, spec: str) -> bool:
        """Whether an agent may be chosen as an opponent."""
        return spec in self.agents or any(spec in (level.spec, level.short) for level in self.levels)

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

    def _again(self, row: GameRow) -> Room:
        try:
            room = Room(self._game_of(row.data), row.data, row.version, row.epoch)
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

    def _tell(self, game: str) -> None:
        """Wake up who waits for news of a game."""
        waiting = self._changed.pop(game, None)
        if waiting is not None:
            waiting.set()

    async def wait(self, game: str, version: int, seconds: float) -> None:
        """Return when there is news of a game whose version a browser knows, or after some seconds."""
        room = self.rooms.get(game)
        if self._ending or room is None or room.version != version or room.problem is not None:
            return
        news = self._changed.setdefault(game, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), seconds)

    # Storing

    @contextlib.contextmanager
    def _storing(self, game: str, room: Room) -> Iterator[None]:
        """Change a room, store it, and tell; where anything goes wrong, the room is as it was, and nobody has seen another."""
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
            self._tell(game)

    async def _stored(self, do: Callable[[], T]) -> T:
        """Return what something that writes returns. Another program's lock is waited for; requests are answered meanwhile.

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
                    self._tell(game)
            else:
                # Something may have come while it ended.
                self.kick(game)

        task.add_done_callback(ended)

    def _busy(self, game: str, room: Room) -> bool:
        if room.over:
            return False
        if room.watched and len(room.trace) >= self._shown.get(game, 0) + self.settings.ahead:
            return False
        return room.agent is not None or (room.at_chance and not room.by_hand)

    async def _drive(self, game: str) -> None:
        """Roll dice and ask agents until a person is next."""
        while True:
            room = self.rooms.get(game)
            if room is None:
                return
            async with self.lock(game):
                try:
                    await self._stored(lambda room=room: self._roll(game, room))
                except Problem as error:
                    self._halt(game, room, error.message)
                    return
                spec = room.agent
                if spec is None or not self._busy(game, room):
                    return
                version, player = room.version, room.state.current_player
                task = Task(
                    f"{game}/{player}", spec, room.game.name, dict(room.game.params), room.state.to_json(), player, self.settings.seconds
                )  # fmt: skip
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
                    await self._stored(lambda room=room, action=action: self._play(game, room, action))
                except Problem as error:
                    self._halt(game, room, error.message)
                    return

    def _roll(self, game: str, room: Room) -> None:
        with self._storing(game, room):
            while self._busy(game, room) and room.at_chance:
                room.fall(self.settings.draw(room.state.chance_outcomes()))

    def _play(self, game: str, room: Room, action: int) -> None:
        with self._storing(game, room):
            room.play(action)

    def _halt(self, game: str, room: Room, problem: str | None) -> None:
        """Tell why a game does not go on by itself; a person can ask again."""
        room.problem = problem
        self._tell(game)

    async def change(self, game: str, version: int | None, do: Callable[[Room], None]) -> None:
        """Do something to a game whose version the browser knows (None: whatever it is), store it, and go on."""
        room = await self.room(game)

        def change() -> None:
            if version is not None and room.version != version:
                raise Problem(409, "stale", "the game has gone on since; the page shows it now")
            if self.rooms.get(game) is not room:
                raise Problem(404, "unknown", NO_GAME)
            with self._storing(game, room):
                try:
                    do(room)
                except (IllegalActionError, GameOverError) as error:
                    raise Problem(422, "illegal", str(error)) from error

        async with self.lock(game):
            await self._stored(change)
        self.kick(game)

    # What people do

    def _seats_data(self, seats: Sequence[Seat], game: Game) -> list[dict[str, Any]]:
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
        self._room_left()
        room = Room(self._game_of(data), data)
        room.feed(events)
        game = token()
        mine = [number for number, seat in enumerate(seats) if seat.kind == "me"] or [WATCHER]
        who = {number: owner for number, owner in enumerate(sessions or ()) if owner is not None}
        guests = [number for number, seat in enumerate(seats) if seat.kind == "guest"]
        invitations, gone = await self._stored(
            lambda: self.store.add_game(
                game, data, [(seat, who.get(seat, session)) for seat in mine], most=self.settings.games_all, version=room.version,
                over=room.over, events=room.events(), guests=guests,
            )
        )  # fmt: skip
        self._drop(gone)
        self._keep(game, room)
        self.kick(game)
        return {"id": game, "invitations": {SIDES[seat]: made for seat, made in invitations.items()}}

    def _room_left(self) -> None:
        """See that something new may be stored. Games that have begun go on beyond this."""
        if self.store.size() > self.settings.bytes_all:
            raise Problem(503, "full", "this server's database is full; ask again later")

    def _drop(self, games: Iterable[str]) -> None:
        """Forget games that are deleted."""
        for game in games:
            task = self._drivers.pop(game, None)
            if task is not None:
                task.cancel()
            self._forget(game)

    async def new_game(self, asked: NewGame, session: str) -> dict[str, Any]:
        """Begin a game."""
        game = self.game(asked.scenario, asked.final_check, asked.sea_victor)
        start = None if asked.position is None else self.check_position(asked.scenario, asked.position, asked)[1]
        data = {
            "scenario": asked.scenario, "final_check": asked.final_check, "sea_victor": asked.sea_victor, "dice": asked.dice,
            "seats": self._seats_data(asked.seats, game), "start": start, "names": [asked.name if seat.kind == "me" else None for seat in asked.seats],
        }  # fmt: skip
        return await self.open(data, asked.seats, session)

    def check_position(
        self, scenario: str, position: dict[str, Any], options: NewGame | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a position's picture with its question, and the position as it is stored.

        Raises:
            Problem: it cannot be; the message says why.
        """
        game = self.game(
            scenario, options.final_check if options else False, options.sea_victor if options else "repulsed"
        )
        try:
            state = game.position(**position)
            stored = json.loads(state.to_json())
            start_of(game, stored)
        except (HawaiiError, TypeError, OverflowError) as error:
            raise Problem(422, "position", str(error)) from error
        if state.is_terminal:
            raise Problem(422, "position", "position: the game is over in it")
        shown = {"svg": render_svg(state, legal=True, events=()), "question": words.status(state)["question"]}
        return {**shown, "position": state.view().to_dict()}, stored

    def sketch(self, scenario: str, position: dict[str, Any]) -> dict[str, Any]:
        """As `check_position` returns first; where a position cannot be, ``problem`` says why, and ``svg`` draws what can be drawn."""
        try:
            return {**self.check_position(scenario, position)[0], "problem": None}
        except Problem as problem:
            if problem.code != "position":
                raise
            game = self.game(scenario, False, "repulsed")
            return {
                "svg": words.sketch(game, position),
                "question": "",
                "problem": words.in_words(problem.message, game),
            }

    async def load_record(self, text: str, seats: Sequence[Seat], dice: str, session: str) -> dict[str, Any]:
        """Begin a game where a record ends."""
        # The reader wants a file; its name is ours, and nothing of it is kept.
        with tempfile.TemporaryDirectory(prefix="hawaii-") as folder:
            path = Path(folder) / "record.jsonl"
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            try:
                record = records.read(path)
            except RecordError as error:
                raise Problem(422, "record", str(error).replace(str(path), "the record")) from error
        if len(record.events) > MOST_EVENTS:
            raise Problem(422, "record", f"the record has more than {MOST_EVENTS} events")
        params = record.header["params"]
        try:
            if set(params) != {"scenario", "rules", "final_check", "sea_victor"} or not isinstance(
                params["scenario"], str
            ):
                raise RecordError("the record, line 1: the parameters are not those of this game")
            if not isinstance(params["final_check"], bool) or params["sea_victor"] not in ("repulsed", "assault"):
                raise RecordError("the record, line 1: final_check or sea_victor has a value that it cannot have")
            # The rules are never taken from a record: it must have been played by those of this server.
            game = self.game(params["scenario"], params["final_check"], params["sea_victor"])
            for _ in records.replay(record, game):
                pass
            data = {
                "scenario": params["scenario"], "final_check": params["final_check"], "sea_victor": params["sea_victor"], "dice": dice,
                "seats": self._seats_data(seats, game), "start": record.header["start"],
                "agreed": None if record.agreement is None else {"kind": record.agreement.kind, "player": record.agreement.player},
            }  # fmt: skip
            return await self.open(data, seats, session, [(event, "") for event in record.events])
        except Problem:
            raise
        except HawaiiError as error:
            raise Problem(422, "record", str(error).replace(str(path), "the record")) from error

    def my_seat(self, room: Room, seats: Sequence[int]) -> bool:
        """Whether one of these seats decides now, and no agent stands in for it."""
        player = room.state.current_player
        return player >= 0 and player in seats and not room.over and room.agent is None

    async def act(self, game: str, session: str, version: int, action: int) -> None:
        """Take a decision."""
        seats = self.seats(game, session)

        def do(room: Room) -> None:
            if not room.over and not self.my_seat(room, seats):
                raise Problem(403, "turn", "it is not your turn")
            room.play(action, session)

        await self.change(game, version, do)

    async def tell_chance(self, game: str, session: str, version: int, outcome: int | None) -> None:
        """Let a die or card fall as it did on the table, or roll it here."""
        self.seats(game, session)

        def do(room: Room) -> None:
            if not room.by_hand:
                raise Problem(403, "dice", "the server rolls the dice of this game")
            if outcome is None:
                if not room.at_chance:
                    raise Problem(422, "illegal", "no die or card is due")
                room.fall(self.settings.draw(room.state.chance_outcomes()))
            else:
                room.fall(outcome, session)

        await self.change(game, version, do)

    async def undo(self, game: str, session: str, version: int, turn: bool = False) -> None:
        """Take back the last own decision, or the whole turn."""
        self.seats(game, session)

        def do(room: Room) -> None:
            room.undo(session, turn)

        await self.change(game, version, do)

    async def retry(self, game: str, session: str, version: int) -> None:
        """Ask an agent again that has failed."""
        self.seats(game, session)
        room = await self.room(game)
        if room.version != version:
            raise Problem(409, "stale", "the game has gone on since; the page shows it now")
        room.problem = None
        self._tell(game)
        self.kick(game)

    async def get_hint(self, game: str, session: str, version: int) -> dict[str, Any]:
        """Return what the agent for hints would do, with its probabilities."""
        seats = self.seats(game, session)
        room = await self.room(game)
        if self.hint is None:
            raise Problem(404, "hint", "this server has no agent for hints")
        if room.version != version:
            raise Problem(409, "stale", "the game has gone on since; the page shows it now")
        if not self.my_seat(room, seats):
            raise Problem(403, "turn", "it is not your turn")
        player = room.state.current_player
        task = Task(
            f"{game}/hint{player}", self.hint, room.game.name, dict(room.game.params), room.state.to_json(), player,
            self.settings.hint_seconds, True,
        )  # fmt: skip
        try:
            async with self.turns.one():
                found = await self.thinker.think(task)
        except ThinkError as error:
            raise Problem(503, "hint", str(error)) from error
        chances = sorted(found.chances.items(), key=lambda pair: -pair[1])
        return {
            "version": version,
            "agent": self.hint,
            "action": found.action,
            "chances": [{"action": action, "probability": round(chance, 4)} for action, chance in chances],
            "expects": None if found.value is None else round((found.value + 1) / 2, 3),
        }

    # What people see

    def summary(self, row: GameRow, session: str) -> dict[str, Any]:
        """A game in the list of one's games."""
        seats = self.store.seats_of(row.id, session)
        return {
            "id": row.id,
            "created": row.created,
            "updated": row.updated,
            "over": row.over,
            "scenario": row.data["scenario"],
            "dice": row.data["dice"],
            "seats": self._seats_told(row.data, seats, self.store.taken(row.id)),
        }

    def _seats_told(self, data: Mapping[str, Any], mine: Sequence[int], taken: set[int]) -> list[dict[str, Any]]:
        return [
            {
                "side": SIDES[number], "kind": seat["kind"], "agent": seat["agent"], "you": number in mine,
                "joined": seat["kind"] == "agent" or number in taken, "name": (data.get("names") or {number: None})[number],
                "stand_in": (data.get("stand_ins") or {number: None})[number],
            }
            for number, seat in enumerate(data["seats"])
        ]  # fmt: skip

    async def snapshot(self, game: str, session: str, after: int, epoch: int) -> dict[str, Any]:
        """Everything that a browser shows of a game, with the events that it has not seen."""
        seats = self.seats(game, session)
        room = await self.room(game)
        state, n = room.state, len(room.trace)
        first = after if epoch == room.epoch and 0 <= after <= n else 0
        player = state.current_player
        taken = self.store.taken(game)
        yours = self.my_seat(room, seats)
        back = room.undoable(session)
        return {
            "id": game,
            "version": room.version,
            "epoch": room.epoch,
            "scenario": room.data["scenario"],
            "options": {"final_check": room.data["final_check"], "sea_victor": room.data["sea_victor"]},
            "dice": room.data["dice"],
            "seats": self._seats_told(room.data, seats, taken),
            "status": words.status(state),
            "count": n,
            "first": first,
            "events": room.account.lines[first:n],
            "player": player,
            "yours": yours,
            "waiting": room.agent is not None and room.problem is None and not room.watched and not room.over,
            "actions": words.actions(state) if yours else [],
            "chance": words.chance(state) if room.at_chance and room.by_hand and not room.over else None,
            "undo": None
            if back is None
            else words.undo_words(room.positions[back], room.trace[room.steps[back].first]),
            "undo_turn": 0 if back is None else len(room.steps) - cast(int, room.turn_start(session)),
            "undo_why": room.why_no_undo(session),
            "problem": room.problem,
        }

    def show(self, game: str, n: int) -> None:
        """Note how far a watcher has come, so that agents do not play far ahead of who watches."""
        self._shown[game] = max(n, self._shown.get(game, 0))
        self.kick(game)

    async def moment(self, game: str, session: str, n: int) -> dict[str, Any]:
        """The position after n events: its picture (``svg``), and what is at hand; see `words.at_hand`.

        The legal choices are ringed where it is the browser's turn in the last of them.
        """
        seats = self.seats(game, session)
        room = await self.room(game)
        trace = room.trace
        if not 0 <= n <= len(trace):
            raise Problem(404, "unknown", f"the game has {len(trace)} events")
        lit, state, recent = (
            n == len(trace) and self.my_seat(room, seats),
            room.position(n),
            trace[max(0, n - RECENT) : n],
        )
        scene = room.account.scene(n)
        return {"svg": render_svg(state, legal=lit, events=recent), "scene": scene, **words.at_hand(state, recent)}

    async def position(self, game: str, session: str) -> dict[str, Any]:
        """A game's position as the editor takes it."""
        self.seats(game, session)
        room = await self.room(game)
        return {"scenario": room.data["scenario"], "position": room.state.view().to_dict()}

    async def record(self, game: str, session: str) -> str:
        """A game's record; it has no seed, because there is none."""
        self.seats(game, session)
        return self.record_of(await self.room(game))

    def record_of(self, room: Room) -> str:
        """The record of a room's game."""
        start = room.data.get("start")
        players = [
            seat["agent"] or name or "human" for seat, name in zip(room.data["seats"], room.each("names"), strict=True)
        ]
        with tempfile.TemporaryDirectory(prefix="hawaii-") as folder:
            path = Path(folder) / "record.jsonl"
            writer = records.RecordWriter(
                path, room.game, players=players, start=None if start is None else start_of(room.game, start),
                options={"adapter": "web", "dice": room.data["dice"]},
            )  # fmt: skip
            with writer:
                if room.over:
                    writer.finish(room.state, room.agreement)
                else:
                    writer.update(room.state)
                    writer.stop("saved while the game goes on")
            return path.read_text(encoding="utf-8")

    # Invitations, saves, leaving

    async def invite(self, game: str, session: str) -> dict[str, Any]:
        """Return a new invitation to the seat that nobody has; an earlier one ends."""
        self.seats(game, session)
        room = await self.room(game)
        taken = self.store.taken(game)
        free = [n for n, seat in enumerate(room.data["seats"]) if seat["kind"] == "human" and n not in taken]
        if not free:
            raise Problem(409, "seats", "every seat of this game is taken")
        return {"invitation": await self._stored(lambda: self.store.invite(game, free[0])), "side": SIDES[free[0]]}

    async def join(self, invitation: str, session: str) -> dict[str, Any]:
        """Take the seat of an invitation."""
        game = await self._stored(lambda: self.store.accept(invitation, session))
        if game is None:
            raise Problem(404, "invitation", NO_INVITATION)
        self._tell(game)
        return {"id": game}

    async def add_save(self, game: str, session: str, name: str) -> dict[str, Any]:
        """Store the position now under a name."""
        seats = self.seats(game, session)
        room = await self.room(game)
        if len(self.store.saves_of(session)) >= self.settings.saves_each:
            raise Problem(429, "saves", f"you have {self.settings.saves_each} saved games; delete one first")
        self._room_left()
        status = words.status(room.state)
        data = {key: value for key, value in room.data.items() if key not in ("agreed", "offer", "next", "stand_ins")}
        data |= {"mine": seats, "where": f"{status['month']}, {status['question']}"}
        events = room.events()
        made = await self._stored(lambda: self.store.add_save(session, name, data, events, self.settings.saves_all))
        return {"id": made}

    async def drop_save(self, save: str, session: str) -> None:
        """Delete a browser's save."""
        await self._stored(lambda: self.store.drop_save(save, session))

    async def load_save(self, save: str, session: str) -> dict[str, Any]:
        """Begin a game where a save was made."""
        found = self.store.save(save, session)
        if found is None:
            raise Problem(404, "unknown", "there is no such saved game, or it is not yours")
        data, events = found
        mine = data.pop("mine")
        data.pop("where")
        seats = [
            Seat(kind="agent", agent=seat["agent"])
            if seat["kind"] == "agent"
            else Seat(kind="me" if number in mine else "guest")
            for number, seat in enumerate(data["seats"])
        ]
        self._seats_data(seats, self._game_of(data))
        try:
            return await self.open(data, seats, session, events)
        except RecordError as error:
            raise Problem(409, "stored", f"this game was saved by another version: {error}") from error

    async def leave(self, game: str, session: str) -> None:
        """Take a browser out of a game; a game that nobody has is deleted."""
        self.seats(game, session)
        if await self._stored(lambda: self.store.leave(game, session)):
            self._drop([game])
        else:
            self._tell(game)

    # Browsers

    def known(self, session: str) -> tuple[bool, bool]:
        """Return whether a browser is known, by its digest, and whether it was not seen for an hour and should be noted."""
        seen, now = self.store.session_seen(session), time.time()
        if seen is None or seen < now - self.settings.session_days * DAY:
            return False, False
        return True, seen < now - TOUCH

    def touch(self, session: str) -> None:
        """Note that a browser is still there."""
        # An hour later is early enough where it cannot be written now.
        with contextlib.suppress(StoreError):
            self.store.touch_session(session)

    async def end_session(self, session: str) -> None:
        """Forget a browser: its saves and the games that nobody else is in are deleted, its other seats are free."""
        shared = self.store.games_with(session)
        self._drop(await self._stored(lambda: self.store.end_sessions([session])))
        for game in shared:
            self._tell(game)

    async def end_idle_sessions(self) -> int:
        """Forget the browsers that have not been seen for long; return how many."""
        idle = self.store.idle_sessions(time.time() - self.settings.session_days * DAY)
        for session in idle:
            await self.end_session(session)
            await asyncio.sleep(0)  # requests come in between
        return len(idle)
