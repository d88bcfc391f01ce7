"""Actions of the people at a game beside their moves: resign, agree on a draw, set a name, leave, ask for a rematch,
and look back at a finished game.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from hawaii_env.texts import show_value, spell
from hawaii_env.web.analysis import Analysis
from hawaii_env.web.budgets import leave_turn, locked
from hawaii_env.web.models import Seat
from hawaii_env.web.refusals import Asker, why
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.store import DAY, WATCHER, StoreError, line_of
from hawaii_env.web.strings import guide_of, side_ids
from hawaii_env.web.think import ThinkError
from hawaii_env.web.visibility import Visibility

__all__ = ["NO_INVITATION", "Browsers", "Participants"]

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hawaii_env.web.table import Table


AWAY = 20.0
"""Seconds without a request after which a browser counts as gone; pages send one at least every 15."""


class Participants:
    """The people at the games of a server. Methods run in the server's event loop.

    Args:
        service: the games of the server.
        snapshots: the views of the games.
    """

    def __init__(self, service: Service, snapshots: Snapshots) -> None:
        self.service: Service = service
        self.snapshots: Snapshots = snapshots
        self._rematching: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._making: dict[tuple[str, str], asyncio.Future[dict[str, Any]]] = {}

    def snapshot(self, game: str, table: Table, mine: Sequence[int], session: str = "") -> dict[str, Any]:
        """Return what a browser may know about the people at a game, for its snapshot."""
        asker, presence = Asker(self.service, game, table, mine, session), self.service.presence
        people = [seat for seat in range(table.game.num_players) if table.data["seats"][seat]["kind"] == "human"]
        outcome = table.outcome
        guide = guide_of(table.game)
        # The game's guide knows only the endings of the rules.
        why_it_ended = guide.why(table.state) if guide is not None and table.state.is_terminal else ""
        gone = {seat: presence.gone(game, asker.members.get(seat)) for seat in people if seat not in mine}
        return {
            "away": [seat for seat, seconds in gone.items() if seconds > AWAY],
            "absent": [] if why(asker, "stand_in") else asker.absent,
            "offer": table.data.get("offer"),
            "next": table.data.get("next"),
            "result": None
            if outcome is None
            else {
                "winner": outcome.winner,
                "reason": spell(outcome.reason),
                "why": why_it_ended,
                "agreed": table.data.get("agreed"),
            },
            "standing": None if outcome is None else {"places": outcome.places, "scores": outcome.scores},
        }

    def news_in(self, game: str, table: Table, mine: Sequence[int]) -> float:
        """Return the seconds until somebody who is present counts as gone, unless a request arrives before."""
        members = self.service.store.members(game)
        others = [owner for seat, owner in members.items() if seat < table.game.num_players and seat not in mine]
        left = (AWAY - self.service.presence.gone(game, owner) for owner in others)
        return min((seconds + 0.1 for seconds in left if seconds >= 0), default=math.inf)

    # Resignation, draws, names

    async def resign(self, game: str, session: str, version: int, seat: int) -> None:
        """Resign: in a game of two players the other wins; with more players the game continues, and an agent plays the
        seat until its owner takes it back.
        """

        def do(table: Table) -> None:
            if table.game.num_players > 2:
                table.hand_over(seat, self.service.stand_in_for(table))
            else:
                table.resign(seat)

        await self.service.change(game, session, version, do, "resign", seat)

    async def draw(self, game: str, session: str, version: int, accept: bool) -> None:
        """Offer a draw, or take an offer; decline, or withdraw the caller's own."""
        seats = self.service.seats(game, session)
        offer = (await self.service.table(game)).data.get("offer")
        if offer is None or offer in seats:
            what = "offer" if accept else "withdraw"
        else:
            what = "accept" if accept else "decline"
        await self.service.change(game, session, version, lambda table: table.draw(seats, accept), what)

    async def name(self, game: str, session: str, version: int, name: str) -> None:
        """Set the name of the caller for the others at the game."""
        seats = self.service.seats(game, session)
        await self.service.change(game, session, version, lambda table: table.rename(seats, name), "name")

    # Stand-ins

    async def stand_in(self, game: str, session: str, version: int, agent: str) -> None:
        """Let an agent play for the people who have left, until they take their seats back."""
        seats = self.service.seats(game, session)
        if not self.service.offers(agent):
            raise Problem(422, "agent", f"this server offers no agent {show_value(agent)}")

        def do(table: Table) -> None:
            for seat in Asker(self.service, game, table, seats, session).absent:
                table.hand_over(seat, agent)

        await self.service.change(game, session, version, do, "stand_in")

    async def back(self, game: str, session: str, version: int) -> None:
        """Give the caller's seats back from the agents that play for them."""
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            for seat in seats:
                if table.each("stand_ins")[seat] is not None:
                    table.hand_over(seat, None)

        await self.service.change(game, session, version, do, "back")

    # After the game

    async def rematch(self, game: str, session: str, version: int, swap: bool) -> dict[str, Any]:
        """Start a rematch between the same players and return its id; return the existing one if another player has
        started it.

        Args:
            game: id of the finished game.
            session: digest of the browser.
            version: version of the game that the browser knows.
            swap: True swaps the sides.
        """
        seats = self.service.seats(game, session)
        self.service.check(game, await self.service.table(game), seats, session, version, "rematch")
        # Both players may ask at the same moment, but there is only one rematch.
        async with locked(self._rematching.setdefault(game, asyncio.Lock())):
            return await self._rematch(game, session, swap)

    async def _rematch(self, game: str, session: str, swap: bool) -> dict[str, Any]:
        service = self.service
        table = await service.table(game)
        refusal = why(Asker(service, game, table, service.seats(game, session), session), "rematch")
        if refusal is not None:
            raise Problem(*refusal)
        kept = table.data.get("next")
        if kept is not None and service.store.game(kept) is not None:
            return {"id": kept}
        order = list(range(table.game.num_players))
        if swap:
            order.reverse()
        members = service.store.members(game)
        old = [{**table.data["seats"][seat]} for seat in order]
        people = [members.get(seat) if old[at]["kind"] == "human" else None for at, seat in enumerate(order)]
        seats = [
            Seat(kind="agent", agent=seat["agent"]) if seat["kind"] == "agent" else Seat(kind="me" if who else "guest")
            for seat, who in zip(old, people, strict=True)
        ]
        names = table.each("names")
        data = {
            "game": table.game.name,
            "ruleset": table.data["ruleset"],
            **service.chosen(table.data),
            **{key: table.data[key] for key in ("dice", "start", "limit") if key in table.data},
            "seats": old,
            "names": [names[seat] for seat in order],
        }
        made = await service.open(data, seats, session, sessions=people)

        def do(table: Table) -> None:
            table.set(next=made["id"])

        await service.alter(game, do)
        return made

    async def advice(self, game: str, session: str, version: int) -> dict[str, Any]:
        """Return a player's aims and dangers, and the choices with a warning: see `Guide.advice`."""
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        self.service.check(game, table, seats, session, version, "advice")
        player = Visibility(table, seats).player
        data = {"state": table.state.to_json(player=player), "player": player}
        return {"version": version, "player": player, **await self._analyse("advice", table, data)}

    async def curve(self, game: str, session: str) -> dict[str, Any]:
        """Return the value curve of a finished game: see `hawaii_env.web.analysis`."""
        seats = self.service.seats(game, session)

        def data(table: Table) -> dict[str, Any]:
            return {"start": table.data.get("start"), "events": [line_of(event) for event in table.trace]}

        return await self._once("curve", game, seats, session, data)

    async def replay(self, game: str) -> str:
        """Return the replay page of a finished game, for anybody who knows its address."""
        if self.service.store.game(game) is None:
            raise Problem(404, "unknown", "there is no such game here")

        def data(table: Table) -> dict[str, Any]:
            return {"record": self.snapshots.record_of(table)}

        return (await self._once("replay", game, (), "", data))["html"]

    async def _analyse(self, what: str, table: Table, data: Mapping[str, Any]) -> dict[str, Any]:
        asked = Analysis(
            what, table.game.name, dict(table.game.params), {"values": list(self.service.settings.values), **data}
        )
        try:
            return await self.service.analyse(asked)
        except ThinkError as error:
            raise Problem(503, what, str(error)) from error

    async def _once(
        self, what: str, game: str, seats: Sequence[int], session: str, data: Callable[[Table], Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return an analysis of a finished game. It is computed once, even if it fails or the requester leaves."""
        work = self._making.get((what, game))
        if work is None:
            kept = self.service.store.result(game, what)
            if kept is not None and "found" in kept:
                return kept["found"]
            if kept is not None and kept["made"] > time.time() - DAY:
                raise Problem(503, what, kept["failed"])
            table = await self.service.table(game)
            refusal = why(Asker(self.service, game, table, seats, session), what)
            if refusal is not None:
                raise Problem(*refusal)
            work = self._making.get((what, game))  # another request may have started it meanwhile
            if work is None:
                work = self._making[what, game] = asyncio.ensure_future(self._make(what, game, table, data(table)))
                work.add_done_callback(lambda _: self._making.pop((what, game)))
        await leave_turn()
        # Several requests may wait for it, and must not be affected if one is cancelled.
        return await asyncio.shield(work)

    async def _make(self, what: str, game: str, table: Table, data: Mapping[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {"made": time.time()}
        try:
            kept["found"] = await self._analyse(what, table, data)
        except Problem as problem:
            if problem.code == what:
                kept["failed"] = problem.message
            raise
        finally:
            if len(kept) > 1:
                with contextlib.suppress(Problem):
                    await self.service.stored(lambda: self.service.store.add_result(game, what, kept))
        return kept["found"]


TOUCH = 3600.0
"""Seconds between updates of the time at which a browser was last seen."""

NO_INVITATION = "this invitation is not valid: it was used already, or replaced by a newer one"


class Browsers:
    """The browsers of a server. Methods run in the server's event loop.

    Args:
        service: the games of the server.
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    async def invite(self, game: str, session: str, version: int, seat: int | None = None) -> dict[str, Any]:
        """Return a new invitation to `seat`, by default the first free one; it replaces an earlier one."""
        service, seats = self.service, self.service.seats(game, session)
        table = await service.table(game)
        asker = Asker(service, game, table, seats, session)
        free = (n for n in range(asker.count) if why(asker, "invite", n) is None)
        to = next(free, 0) if seat is None else seat
        service.check(game, table, seats, session, version, "invite", to)
        return {
            "invitation": await service.stored(lambda: service.store.invite(game, to)),
            "side": side_ids(table.game)[to],
        }

    async def watch(self, game: str, session: str, version: int) -> dict[str, Any]:
        """Return a new invitation to watch, for any number of people; it replaces an earlier one."""
        service, seats = self.service, self.service.seats(game, session)
        service.check(game, await service.table(game), seats, session, version, "watch")
        return {"invitation": await service.stored(lambda: service.store.invite(game, WATCHER))}

    async def unwatch(self, game: str, session: str, version: int, seat: int) -> None:
        """Remove a spectator, and end the link to watch, so that they cannot use it again."""
        service, seats = self.service, self.service.seats(game, session)
        service.check(game, await service.table(game), seats, session, version, "unwatch")
        watcher = service.store.members(game).get(seat)
        if watcher is None:
            raise Problem(409, "seats", "that watcher has already left")

        def then() -> None:
            service.store.uninvite(game, WATCHER)
            service.store.leave(game, watcher)

        await service.alter(game, lambda table: table.seat([seat], None), then)

    async def join(self, invitation: str, session: str, name: str | None) -> dict[str, Any]:
        """Take the seat of an invitation, with or without a name."""
        service = self.service
        watchers = service.settings.watchers
        accepted = await service.stored(lambda: service.store.accept(invitation, session, watchers))
        if accepted is None:
            raise Problem(404, "invitation", NO_INVITATION)
        game, taken = accepted
        service.presence.visit(game, session)
        if taken:
            await service.alter(game, lambda table: table.seat(taken, name))
        return {"id": game}

    async def leave(self, game: str, session: str, version: int) -> None:
        """Remove a browser from a game; a game without any is deleted."""
        service, seats = self.service, self.service.seats(game, session)
        gone: list[str] = []

        def then() -> None:
            if service.store.leave(game, session):
                gone.append(game)

        def do(table: Table) -> None:
            service.check(game, table, seats, session, version, "leave")
            table.seat(seats, None)

        try:
            await service.alter(game, do, then)
        except Problem as problem:
            if problem.code != "stored":
                raise
            await service.stored(then)  # a game of another version is not played any more
        service.drop(gone)

    def known(self, session: str) -> tuple[bool, bool]:
        """Return two flags: whether a browser is known, by its digest, and whether it has not been seen for an hour, so
        that the time should be updated.
        """
        seen, now = self.service.store.session_seen(session), time.time()
        if seen is None or seen < now - self.service.settings.session_days * DAY:
            return False, False
        return True, seen < now - TOUCH

    def touch(self, session: str) -> None:
        """Update the time at which a browser was last seen."""
        # If writing fails now, the next attempt is early enough.
        with contextlib.suppress(StoreError):
            self.service.store.touch_session(session)

    async def end_session(self, session: str) -> None:
        """Forget a browser: delete its saves and the games that nobody else is in, and free its other seats."""
        shared = self.service.store.games_with(session)
        for game in shared:
            seats = self.service.store.seats_of(game, session)
            with contextlib.suppress(Problem):  # a game of another version is not played any more
                await self.service.alter(game, lambda table, seats=seats: table.seat(seats, None))
        self.service.drop(await self.service.stored(lambda: self.service.store.end_sessions([session])))

    async def end_idle_sessions(self) -> int:
        """Forget the browsers that have been idle too long; return how many."""
        idle = self.service.store.idle_sessions(time.time() - self.service.settings.session_days * DAY)
        for session in idle:
            await self.end_session(session)
            await asyncio.sleep(0)  # let requests in between
        return len(idle)
