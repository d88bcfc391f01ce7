"""Acts of the people at a game beside their moves: they give up, agree on a draw, tell their names, go away, play
again, and look back at the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from hawaii_env.errors import GameOverError, IllegalActionError, RecordError
from hawaii_env.web.analysis import Analysis
from hawaii_env.web.models import Seat
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.store import DAY, StoreError, line_of
from hawaii_env.web.strings import guide_of, side_ids
from hawaii_env.web.think import ThinkError

__all__ = ["NO_INVITATION", "Browsers", "Participants"]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hawaii_env.web.table import Table


AWAY = 45.0
"""Seconds after which a browser that has not asked for news has gone; pages ask at least every 20."""

SEEN = 20_000  # visits that are remembered
KEPT = 16  # curves and replay pages that are kept


class Participants:
    """The people at the games of a server. Methods run in the server's event loop.

    Args:
        service: its games.
        snapshots: what is seen of them.
    """

    def __init__(self, service: Service, snapshots: Snapshots) -> None:
        self.service: Service = service
        self.snapshots: Snapshots = snapshots
        self._began: float = time.monotonic()
        self._seen: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._rematching: asyncio.Lock = asyncio.Lock()
        self._found: OrderedDict[tuple[str, str], asyncio.Future[dict[str, Any]]] = OrderedDict()

    # Who is there

    def visit(self, game: str, session: str) -> None:
        """Note that a browser looks at a game."""
        now = time.monotonic()
        self._seen.setdefault((game, ""), now)
        self._seen[game, session] = now
        self._seen.move_to_end((game, session))
        while len(self._seen) > SEEN:
            self._seen.popitem(last=False)

    def _gone(self, game: str, session: str | None) -> float:
        """Return the seconds since a browser looked at a game; where it has not, or for nobody, since anybody did
        first, or since the server began.
        """
        first = self._seen.get((game, ""), self._began)
        return time.monotonic() - self._seen.get((game, session or ""), first)

    def _absent(self, game: str, table: Table, mine: Sequence[int], members: Mapping[int, str]) -> list[int]:
        """Return the seats of people who have been gone for so long that an agent may play for them."""
        return [
            seat
            for seat in range(table.game.num_players)
            if seat not in mine
            and table.agent_of(seat) is None
            and self._gone(game, members.get(seat)) > self.service.settings.absent
        ]

    def snapshot(self, game: str, table: Table, mine: Sequence[int]) -> dict[str, Any]:
        """Return what a browser may know of the people at a game, for its snapshot."""
        members = self.service.store.members(game)
        people = [seat for seat in range(table.game.num_players) if table.data["seats"][seat]["kind"] == "human"]
        absent = self._absent(game, table, mine, members)
        playing = [seat for seat in mine if seat < table.game.num_players]
        outcome = table.outcome
        guide = guide_of(table.game)
        # The game's guide knows of its rules' endings alone.
        why = guide.why(table.state) if guide is not None and table.state.is_terminal else ""
        two = table.game.num_players == 2
        return {
            "away": [seat for seat in people if seat not in mine and self._gone(game, members.get(seat)) > AWAY],
            "absent": absent if playing and not table.over else [],
            "offer": table.data.get("offer"),
            "may_resign": not table.over and any(two or table.agent_of(seat) is None for seat in playing),
            "may_draw": two
            and bool(playing)
            and not table.over
            and all(table.agent_of(seat) is None for seat in range(table.game.num_players)),
            "next": table.data.get("next"),
            "result": None
            if outcome is None
            else {
                "winner": outcome.winner,
                "reason": outcome.reason,
                "why": why,
                "agreed": table.data.get("agreed"),
            },
            "standing": None if outcome is None else {"places": outcome.places, "scores": outcome.scores},
        }

    def _playing(self, table: Table, seats: Sequence[int]) -> list[int]:
        """Return a browser's own seats.

        Raises:
            Problem: one only watches.
        """
        found = [seat for seat in seats if seat < table.game.num_players]
        if not found:
            raise Problem(403, "seat", "you have no side in this game")
        return found

    # Giving up, agreeing, names

    async def resign(self, game: str, session: str, seat: int) -> None:
        """Give up: of two players the other has won; among more the game continues, and an agent plays the seat until
        its owner takes it back.
        """
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            if seat not in self._playing(table, seats):
                raise Problem(403, "seat", "this is not your side")
            if table.game.num_players > 2:
                if table.over:
                    raise GameOverError("the game is over")
                if table.agent_of(seat) is not None:
                    raise IllegalActionError("an agent plays for you already")
                table.set_of("stand_ins", seat, self.service.stand_in_for(table))
                return
            try:
                table.resign(seat)
            except RecordError as error:
                raise Problem(422, "illegal", str(error)) from error

        await self.service.change(game, seats, None, do)

    async def draw(self, game: str, session: str, accept: bool) -> None:
        """Offer a draw, or take an offer; decline, or withdraw the caller's own."""
        seats = self.service.seats(game, session)
        await self.service.change(game, seats, None, lambda table: table.draw(self._playing(table, seats), accept))

    async def name(self, game: str, session: str, name: str) -> None:
        """Tell one's name to those at the game. Who has several sides is called so on all."""
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            for seat in self._playing(table, seats):
                if table.each("names")[seat] != (name or None):
                    table.set_of("names", seat, name or None)

        await self.service.change(game, seats, None, do)

    # Where somebody has gone

    async def stand_in(self, game: str, session: str, agent: str) -> None:
        """Let an agent play for the people who have gone, until they take their seat back."""
        seats = self.service.seats(game, session)
        if not self.service.offers(agent):
            raise Problem(422, "agent", f"this server offers no agent {agent!r}")

        def do(table: Table) -> None:
            self._playing(table, seats)
            if table.over:
                raise GameOverError("the game is over")
            absent = self._absent(game, table, seats, self.service.store.members(game))
            if not absent:
                raise Problem(409, "present", "nobody has been gone for long enough")
            for seat in absent:
                table.set_of("stand_ins", seat, agent)

        await self.service.change(game, seats, None, do)

    async def back(self, game: str, session: str) -> None:
        """Take one's seat back from an agent that plays for oneself."""
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            mine = [seat for seat in self._playing(table, seats) if table.each("stand_ins")[seat] is not None]
            if not mine:
                raise IllegalActionError("nobody plays for you")
            for seat in mine:
                table.set_of("stand_ins", seat, None)

        await self.service.change(game, seats, None, do)

    # Afterwards

    async def rematch(self, game: str, session: str, swap: bool) -> dict[str, Any]:
        """Begin a game of the same kind between the same players, and return its id; where one of them has done so,
        return that one's.

        Args:
            game: the id of the game that is over.
            session: digest of the browser.
            swap: True changes the sides.
        """
        # Both may ask at the same moment, and there is one rematch.
        async with self._rematching:
            return await self._rematch(game, session, swap)

    async def _rematch(self, game: str, session: str, swap: bool) -> dict[str, Any]:
        service = self.service
        service.seats(game, session)
        table = await service.table(game)
        if not table.over:
            raise Problem(409, "open", "the game still goes on")
        kept = table.data.get("next")
        if kept is not None and session in service.store.members(kept).values():
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
            **{key: table.data[key] for key in ("dice", "start")},
            "seats": old,
            "names": [names[seat] for seat in order],
        }
        made = await service.open(data, seats, session, sessions=people)

        def do(table: Table) -> None:
            table.set(next=made["id"])

        await service.change(game, (), None, do)
        return made

    async def advice(self, game: str, session: str, version: int) -> dict[str, Any]:
        """Return what a player wants and must fear, and the choices with a warning: see `guide.advice`."""
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        mine = self._playing(table, seats)
        self.service.fresh(table, seats, version)
        player = next((decider for decider in table.deciders if decider in mine), mine[0])
        if table.over:
            return {"version": version, "player": player, "sections": [], "warnings": {}}
        data = {"state": table.state.to_json(player=player), "player": player}
        return {"version": version, "player": player, **await self._analyse("advice", table, data)}

    async def curve(self, game: str, session: str) -> dict[str, Any]:
        """Return what an agent thought of each position of a game that is over: see `analysis`."""
        self.service.seats(game, session)
        table = await self._ended(game)
        data = {"start": table.data.get("start"), "events": [line_of(event) for event in table.trace]}
        return await self._once("curve", game, table, data)

    async def replay(self, game: str) -> str:
        """Return the replay page of a game that is over; whoever knows its address may see it."""
        if self.service.store.game(game) is None:
            raise Problem(404, "unknown", "there is no such game here")
        table = await self._ended(game)
        return (await self._once("replay", game, table, {"record": self.snapshots.record_of(table)}))["html"]

    async def _ended(self, game: str) -> Table:
        table = await self.service.table(game)
        if not table.over:
            raise Problem(404, "open", "the game still goes on; its replay is here when it is over")
        return table

    async def _analyse(self, what: str, table: Table, data: Mapping[str, Any]) -> dict[str, Any]:
        try:
            asked = Analysis(
                what, table.game.name, dict(table.game.params), {"values": list(self.service.settings.values), **data}
            )
            async with self.service.turns.one():
                return await self.service.thinker.analysis(asked)
        except ThinkError as error:
            raise Problem(503, what, str(error)) from error

    async def _once(self, what: str, game: str, table: Table, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return an analysis of a game that is over, which does not change any more."""
        key = (what, game)
        if key not in self._found:
            self._found[key] = asyncio.ensure_future(self._analyse(what, table, data))
            while len(self._found) > KEPT:
                self._found.popitem(last=False)
        work = self._found[key]
        try:
            # Several may wait for it, and one who goes must not end it.
            return await asyncio.shield(work)
        except Problem:
            self._found.pop(key, None)
            raise


TOUCH = 3600.0
"""Seconds after which it is noted again that a browser is there."""

NO_INVITATION = "this invitation is not valid: it was used already, or a newer one was made"


class Browsers:
    """The browsers of a server. Methods run in the server's event loop.

    Args:
        service: its games.
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    async def invite(self, game: str, session: str, seat: int | None = None) -> dict[str, Any]:
        """Return a new invitation to a seat that nobody has, the first where none is named; an earlier one ends."""
        self.service.seats(game, session)
        table = await self.service.table(game)
        taken = self.service.store.taken(game)
        free = [n for n, seat in enumerate(table.data["seats"]) if seat["kind"] == "human" and n not in taken]
        if not free:
            raise Problem(409, "seats", "every seat of this game is taken")
        if seat is not None and seat not in free:
            raise Problem(409, "seats", "that seat is taken")
        to = free[0] if seat is None else seat
        return {
            "invitation": await self.service.stored(lambda: self.service.store.invite(game, to)),
            "side": side_ids(table.game)[to],
        }

    async def join(self, invitation: str, session: str) -> dict[str, Any]:
        """Take the seat of an invitation."""
        game = await self.service.stored(lambda: self.service.store.accept(invitation, session))
        if game is None:
            raise Problem(404, "invitation", NO_INVITATION)
        self.service.notify(game)
        return {"id": game}

    async def leave(self, game: str, session: str) -> None:
        """Take a browser out of a game; a game that nobody has is deleted."""
        self.service.seats(game, session)
        if await self.service.stored(lambda: self.service.store.leave(game, session)):
            self.service.drop([game])
        else:
            self.service.notify(game)

    def known(self, session: str) -> tuple[bool, bool]:
        """Return whether a browser is known, by its digest, and whether it was not seen for an hour and should be
        noted.
        """
        seen, now = self.service.store.session_seen(session), time.time()
        if seen is None or seen < now - self.service.settings.session_days * DAY:
            return False, False
        return True, seen < now - TOUCH

    def touch(self, session: str) -> None:
        """Note that a browser is still there."""
        # An hour later is early enough where it cannot be written now.
        with contextlib.suppress(StoreError):
            self.service.store.touch_session(session)

    async def end_session(self, session: str) -> None:
        """Forget a browser: its saves and the games that nobody else is in are deleted, its other seats are free."""
        shared = self.service.store.games_with(session)
        self.service.drop(await self.service.stored(lambda: self.service.store.end_sessions([session])))
        for game in shared:
            self.service.notify(game)

    async def end_idle_sessions(self) -> int:
        """Forget the browsers that have not been seen for long; return how many."""
        idle = self.service.store.idle_sessions(time.time() - self.service.settings.session_days * DAY)
        for session in idle:
            await self.end_session(session)
            await asyncio.sleep(0)  # requests come in between
        return len(idle)
