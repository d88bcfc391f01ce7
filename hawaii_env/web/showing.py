"""What people see of the games of a server: each what they may know."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from hawaii_env import records
from hawaii_env.render.picture import render_svg
from hawaii_env.render.text import render_text
from hawaii_env.web.account import scene
from hawaii_env.web.room import Room, hides, start_of
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.sight import Sight
from hawaii_env.web.store import GameRow
from hawaii_env.web.strings import side_ids, turns_of

__all__ = ["Showing"]

RECENT = 40
"""Events that a picture is shown: more than any volley or fleet move has."""


class Showing:
    """Shows the games of a server. Methods run in the server's event loop.

    Args:
        service: its games.
        files: the page's files that the game has of its own, by name.
    """

    def __init__(self, service: Service, files: Sequence[str] = ()) -> None:
        self.service: Service = service
        self.files: set[str] = set(files)

    def setup(self) -> dict[str, Any]:
        """Return what a browser needs to begin: the agents that may be chosen, and everything that does not change."""
        service = self.service
        game = service.game({})
        guide = service.guide(game)
        editor = f"/static/{game.name}/editor.js" if "editor.js" in self.files else None
        reference = service.strings(game).reference()
        names, seating = dict(reference["names"]), dict[str, dict[str, Any]]()
        for option, made in service.seatings().items():
            others = {value: service.strings(other).reference() for value, other in made.items()}
            seating[option] = {value: told["sides"] for value, told in others.items()}
            for told in others.values():
                names |= told["names"]
        return {
            **reference,
            "names": names,
            "seating": seating,
            "game": game.name,
            "title": service.spec.title,
            "editor": editor,
            "by_hand": reference.get("by_hand", game.chance_public),
            "hides": hides(game),
            "guide": None if guide is None else {"warns": guide.warns, "warning": guide.warning, "offer": guide.offer},
            "agents": [{"spec": spec, "about": service.about.get(spec, "")} for spec in service.agents],
            "levels": [
                {
                    "number": level.number,
                    "name": level.name,
                    "about": level.about,
                    "spec": level.spec,
                    "others": dict(level.others),
                }
                for level in service.levels
            ],
            "level": service.spec.level,
            "hint": service.hint,
            "seconds": service.settings.seconds,
            "session_days": service.settings.session_days,
        }

    def summary(self, row: GameRow, session: str) -> dict[str, Any]:
        """A game in the list of one's games."""
        store = self.service.store
        seats = store.seats_of(row.id, session)
        return {
            "id": row.id,
            "created": row.created,
            "updated": row.updated,
            "over": row.over,
            **self.service.chosen(row.data),
            "dice": row.data["dice"],
            "seats": self._seats_told(row.data, seats, store.taken(row.id)),
        }

    def games_of(self, session: str) -> list[dict[str, Any]]:
        """One's games, those of this server's game."""
        rows = self.service.store.games_of(session)
        return [self.summary(row, session) for row in rows if self.service.plays(row.data)]

    def _seats_told(self, data: Mapping[str, Any], mine: Sequence[int], taken: set[int]) -> list[dict[str, Any]]:
        sides = side_ids(self.service.game_of(data))  # how many there are may hang on the options
        return [
            {
                "side": sides[number],
                "kind": seat["kind"],
                "agent": seat["agent"],
                "you": number in mine,
                "joined": seat["kind"] == "agent" or number in taken,
                "name": (data.get("names") or {number: None})[number],
                "stand_in": (data.get("stand_ins") or {number: None})[number],
            }
            for number, seat in enumerate(data["seats"])
        ]

    async def snapshot(self, game: str, session: str, after: int, epoch: int) -> dict[str, Any]:
        """Everything that a browser shows of a game, with the events that it has not seen."""
        service = self.service
        seats = service.seats(game, session)
        return self.shown(game, await service.room(game), seats, session, after, epoch)

    def shown(
        self, game: str, room: Room, seats: Sequence[int], session: str = "", after: int = 0, epoch: int = -1
    ) -> dict[str, Any]:
        """As `snapshot`, for who has these seats."""
        service, strings, sight = self.service, self.service.strings(room.game), Sight(room, seats)
        n = sight.count
        first = after if epoch == sight.epoch and 0 <= after <= n else 0
        mine = service.my_seat(room, seats)
        player = mine if mine is not None else next(iter(room.deciders), room.state.current_player)
        back = room.undoable(session)
        return {
            "id": game,
            "version": sight.version,
            "epoch": sight.epoch,
            **service.chosen(room.data),
            "dice": room.data["dice"],
            "seats": self._seats_told(room.data, seats, service.store.taken(game)),
            "status": strings.status(room.state, sight.player),
            "count": n,
            "first": first,
            "events": sight.lines()[first:n],
            "player": player,
            "yours": mine is not None,
            "waiting": room.thinking is not None and room.problem is None and not room.watched and not room.over,
            "actions": [] if mine is None or room.entering else strings.actions(room.state, mine),
            "entering": self._entering(room, seats),
            "chance": strings.chance(room.state) if room.at_chance and room.by_hand and not room.over else None,
            "undo": None
            if back is None
            else strings.undo_text(room.positions[back], room.trace[room.steps[back].first]),
            "undo_turn": 0 if back is None else self._undo_turn(room, session, back),
            "undo_why": room.why_no_undo(session, lambda state: strings.chance(state)["card"]),
            "problem": room.problem,
        }

    @staticmethod
    def _entering(room: Room, seats: Sequence[int]) -> dict[str, Any] | None:
        """Who enters what in a sealed turn that is entered as a whole: what these seats have entered, and whom all
        wait for.
        """
        if not room.entering:
            return None
        own = [seat for seat in seats if seat < room.game.num_players and room.agent_of(seat) is None]
        return {
            "turn": room.state.sealed_turn,
            "sent": {str(seat): room.entered(seat) for seat in own if room.entered(seat)},
            "left": [seat for seat in room.deciders if room.agent_of(seat) is None],
        }

    def _turn(self, room: Room, seats: Sequence[int]) -> dict[str, Any] | None:
        """What a browser's seats may enter in a sealed turn, whether they have done so or not; see `Turns.turn`."""
        turns = turns_of(self.service.strings(room.game))
        if turns is None or not room.entering:
            return None
        own = [seat for seat in room.asked if seat in seats and room.agent_of(seat) is None]
        mine = [seat for seat in own if not room.entered(seat)] or own
        if not mine:
            return None
        told = turns.turn(room.state.for_search(mine[0]), mine[0])
        return {**told, "turn": room.state.sealed_turn, "seat": mine[0]}

    @staticmethod
    def _undo_turn(room: Room, session: str, back: int) -> int:
        """How many steps one takes back with the turn."""
        # What others have entered since is not counted where it is hidden.
        end = back + 1 if hides(room.game) else len(room.steps)
        return end - cast(int, room.turn_start(session))

    async def moment(self, game: str, session: str, n: int) -> dict[str, Any]:
        """The position after n events: its picture (``svg``), it in text (``text``), and what is at hand; see
        `Strings.at_hand`.

        The legal choices are ringed where it is the browser's turn in the last of them.
        """
        seats = self.service.seats(game, session)
        return self.moment_of(await self.service.room(game), seats, n)

    def moment_of(self, room: Room, seats: Sequence[int], n: int) -> dict[str, Any]:
        """As `moment`, for who has these seats."""
        sight = Sight(room, seats)
        if not 0 <= n <= sight.count:
            raise Problem(404, "unknown", f"the game has {sight.count} events")
        now = n == sight.count
        lit = now and self.service.my_seat(room, seats) is not None and not room.entering
        state, recent = sight.position(n), sight.events()[max(0, n - RECENT) : n]
        return {
            "svg": render_svg(state, legal=lit, events=recent, player=sight.player),
            "text": render_text(state, sight.player),
            "scene": scene(sight.lines(), n),
            "turn": self._turn(room, seats) if now else None,
            **self.service.strings(room.game).at_hand(state, recent, sight.player),
        }

    async def position(self, game: str, session: str) -> dict[str, Any]:
        """A game's position as the editor takes it."""
        seats = self.service.seats(game, session)
        room = await self.service.room(game)
        view = room.state.view(Sight(room, seats).player)
        return {**self.service.chosen(room.data), "position": view.to_dict()}

    async def record(self, game: str, session: str) -> str:
        """A game's record; it has no seed, because there is none."""
        seats = self.service.seats(game, session)
        return self.recorded(await self.service.room(game), seats)

    def recorded(self, room: Room, seats: Sequence[int]) -> str:
        """The record of a room's game for who has these seats.

        Raises:
            Problem: the game goes on, and hides things from them that stand in the record.
        """
        mine = {seat for seat in seats if seat < room.game.num_players}
        if hides(room.game) and not room.over and len(mine) < room.game.num_players:
            text = "the record has what others hold and have entered: it is here when the game is over"
            raise Problem(409, "hidden", text)
        return self.record_of(room)

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
