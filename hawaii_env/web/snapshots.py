"""Snapshots of the games of a server: what each person may see."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from html import escape
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

from hawaii_env import records
from hawaii_env.errors import IllegalActionError
from hawaii_env.game import Event, State
from hawaii_env.render.picture import render_svg
from hawaii_env.render.text import render_text
from hawaii_env.texts import isolate, show
from hawaii_env.web.log import scene
from hawaii_env.web.refusals import Asker, refused
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.steps import hides, start_of, waiting_since
from hawaii_env.web.store import WATCHER, GameRow, now
from hawaii_env.web.strings import by_hand, guide_of, strings_of, turns_of
from hawaii_env.web.table import Table
from hawaii_env.web.visibility import Visibility

__all__ = ["Snapshots"]

RECENT = 40
"""Most recent events that a picture marks: more than any volley or fleet move has."""


class Snapshots:
    """Views of the games of a server. Methods run in the server's event loop.

    Args:
        service: the games of the server.
        files: names of the page's files that belong to the game.
    """

    def __init__(self, service: Service, files: Sequence[str] = ()) -> None:
        self.service: Service = service
        self.files: set[str] = set(files)

    def setup(self) -> dict[str, Any]:
        """Return what a browser needs to start: the agents on offer, and everything that does not change."""
        service = self.service
        game = service.game({})
        guide = guide_of(game)
        editor = f"/static/{game.name}/editor.js" if "editor.js" in self.files else None
        reference = strings_of(game).reference()
        names, seating = dict(reference["names"]), dict[str, dict[str, Any]]()
        for option, made in service.seatings().items():
            others = {value: strings_of(other).reference() for value, other in made.items()}
            seating[option] = {value: texts["sides"] for value, texts in others.items()}
            for texts in others.values():
                names |= texts["names"]
        return {
            **reference,
            "text": "" if service.spec.ruleset is None else cast(Any, game).ruleset.rules_text(),
            "names": names,
            "seating": seating,
            "game": game.name,
            "title": service.spec.title,
            "enters": turns_of(strings_of(game)) is not None,
            "editor": editor,
            "by_hand": by_hand(game),
            "hides": hides(game),
            "guide": None if guide is None else {"warns": guide.warns, "warning": guide.warning, "offer": guide.offer},
            "agents": [
                {
                    "agent": agent,
                    "name": service.spec.agent_name(agent, service.chosen({})),
                    "about": service.about.get(agent, ""),
                }
                for agent in service.agents
                if agent not in service.of_levels
            ],
            "levels": [
                {
                    "number": level.number,
                    "name": level.name,
                    "about": level.about,
                    "agent": level.agent,
                    "others": dict(level.others),
                }
                for level in service.levels
            ],
            "level": service.spec.level,
            "hint": service.hint,
            "trying": service.trying,
            "seconds": service.settings.seconds,
            "session_days": service.settings.session_days,
        }

    def summary(self, row: GameRow, session: str) -> dict[str, Any]:
        """Return an entry for a game in a browser's list of games."""
        store = self.service.store
        seats = store.seats_of(row.id, session)
        return {
            "id": row.id,
            "created": row.created,
            "updated": row.updated,
            "over": row.over,
            **self.service.chosen(row.data),
            "dice": row.data["dice"],
            "limit": row.data.get("limit"),
            "seats": self._seats_shown(row.data, seats, store.taken(row.id)),
        }

    def games_of(self, session: str) -> list[dict[str, Any]]:
        """Return the browser's games of the kind that this server plays."""
        rows = self.service.store.games_of(session)
        return [self.summary(row, session) for row in rows if self.service.plays(row.data)]

    def _seats_shown(self, data: Mapping[str, Any], mine: Sequence[int], taken: set[int]) -> list[dict[str, Any]]:
        sides, since = self.service.sides(data), waiting_since(data)
        return [
            {
                "side": sides[number],
                "kind": seat["kind"],
                "agent": seat["agent"],
                "you": number in mine,
                "joined": seat["kind"] == "agent" or number in taken,
                "name": isolate((data.get("names") or {number: None})[number] or "") or None,
                "stand_in": stand_in,
                **self.service.called(stand_in or seat["agent"], data),
                "since": since.get(number),
            }
            for number, seat in enumerate(data["seats"])
            for stand_in in [(data.get("stand_ins") or {number: None})[number]]
        ]

    def shown(
        self, game: str, table: Table, seats: Sequence[int], session: str = "", after: int = 0, epoch: int = -1
    ) -> dict[str, Any]:
        """Return all that a browser with these seats shows of a game, with the events that it has not seen."""
        service, strings, visibility = self.service, strings_of(table.game), Visibility(table, seats)
        n = visibility.count
        first = after if epoch == visibility.epoch and 0 <= after <= n else 0
        mine = service.my_seat(table, seats)
        turn = table.turn(visibility.player)
        # In a turn that is entered as a whole, the players to act are those the game names, not the one the engine
        # asks; agents are left out, as they enter at once.
        people = table.people_left(visibility.player)
        asked = table.deciders if turn is None else people or [n for n in turn.players if table.agent_of(n) is not None]
        player = mine if mine is not None else next(iter(asked), table.state.current_player)
        thinking = bool(asked) and all(table.agent_of(seat) is not None for seat in asked)
        back, taken = table.undoable(session), service.store.taken(game)
        watchers, names = sorted(seat for seat in taken if seat > WATCHER), table.data.get("watchers") or {}
        return {
            "id": game,
            "version": visibility.version,
            "epoch": visibility.epoch,
            **service.chosen(table.data),
            "dice": table.data["dice"],
            "seats": self._seats_shown(table.data, seats, taken),
            "watching": [{"seat": seat, "name": isolate(names.get(str(seat), "")) or None} for seat in watchers],
            "limit": table.data.get("limit"),
            "time": now() if table.data.get("limit") else None,
            "status": self._status(table, visibility),
            "count": n,
            "first": first,
            "events": visibility.lines()[first:n],
            "player": player,
            "yours": mine is not None,
            "waiting": thinking and table.problem is None and not table.watched,
            "actions": [] if mine is None or turn else strings.actions(table.state, mine),
            "entering": self._entering(table, visibility),
            "chance": strings.chance(table.state) if table.at_chance and table.by_hand and not table.over else None,
            "undo": None if back is None else self._undo_text(table, back),
            "undo_turn": table.undo_turn(session),
            "refused": refused(Asker(service, game, table, seats, session)),
            "problem": None if table.problem is None else show(table.problem),
        }

    @staticmethod
    def _undo_text(table: Table, back: int) -> str:
        """Return the label of Undo: what it takes back, with a capital."""
        text = strings_of(table.game).undo_text(table.before(back), table.trace[table.steps[back].first])
        return text[:1].upper() + text[1:]

    @staticmethod
    def _status(table: Table, visibility: Visibility) -> dict[str, Any]:
        """Return the status of the game, including an end by agreement, which the position does not know."""
        status = strings_of(table.game).status(table.state, visibility.player)
        if table.agreement is None:
            return status
        ended = {"phase": "over", "question": table.agreement.outcome.reason, "help": "", "rules": []}
        return {**status, **ended}

    @staticmethod
    def _entering(table: Table, visibility: Visibility) -> dict[str, Any] | None:
        """Return the entries of a sealed turn that is entered as a whole: what these seats have entered, and which
        players are still to enter.
        """
        turn = table.turn(visibility.player)
        if turn is None:
            return None
        own = [seat for seat in visibility.seats if table.agent_of(seat) is None]
        return {
            "turn": turn.number,
            "sent": {str(seat): table.entered(seat) for seat in own if table.entered(seat)},
            "left": table.people_left(visibility.player),
        }

    @staticmethod
    def _turn(table: Table, seats: Sequence[int]) -> dict[str, Any] | None:
        """Return what a browser's seats may enter in a sealed turn, or have entered; see `Turns.turn`."""
        turns = turns_of(strings_of(table.game))
        found = {seat: turn for seat in seats if seat < table.game.num_players and (turn := table.turn(seat))}
        own = [seat for seat, turn in found.items() if seat in turn.players and table.agent_of(seat) is None]
        mine = [seat for seat in own if not table.entered(seat)] or own
        if turns is None or not mine:
            return None
        turn = turns.turn(table.state.for_search(mine[0]), mine[0])
        return {**turn, "turn": found[mine[0]].number, "seat": mine[0]}

    async def moment(self, game: str, session: str, n: int) -> dict[str, Any]:
        """Return the position after n events: its picture (``svg``), its text (``text``), and what `Strings.at_hand`
        returns.

        The picture marks the legal choices if n is the present and it is the browser's turn.
        """
        seats = self.service.seats(game, session)
        return self.moment_of(await self.service.table(game), seats, n)

    def moment_of(self, table: Table, seats: Sequence[int], n: int) -> dict[str, Any]:
        """Return the result of `moment` for a browser with these seats."""
        visibility = Visibility(table, seats)
        if not 0 <= n <= visibility.count:
            raise Problem(404, "unknown", f"the game has {visibility.count} events")
        now = n == visibility.count
        lit = now and self.service.my_seat(table, seats) is not None and table.turn(visibility.player) is None
        state, recent = visibility.position(n), visibility.events()[max(0, n - RECENT) : n]
        svg = render_svg(state, legal=lit, events=recent, player=visibility.player)
        text = render_text(state, visibility.player)
        if now and table.agreement is not None:
            asked, ended = strings_of(table.game).status(state, visibility.player), table.agreement.outcome.reason
            svg = svg.replace(f">{escape(asked['question'])}<", f">{escape(ended)}<")
            text = f"{text}\n\nThe game is over: {ended}"
        return {
            "svg": svg,
            "text": text,
            "scene": scene(visibility.lines(), n),
            "turn": self._turn(table, seats) if now else None,
            **strings_of(table.game).at_hand(state, recent, visibility.player),
        }

    async def ahead(self, game: str, session: str, version: int, actions: Sequence[int]) -> dict[str, Any]:
        """Return what a browser would be asked after decisions that it has not sent: ``whole`` is True if they make a
        complete choice; otherwise ``svg`` (the picture), ``choices`` and ``status`` follow from them.

        Raises:
            Problem: it is not the browser's turn, a decision is not legal, or nothing is left to choose after the last.
        """
        table, player, state = await self._after(game, session, version, actions, "act")
        strings = strings_of(table.game)
        asked = not state.is_terminal and state.current_player == player
        status = strings.status(state, player) if asked else {}
        if not status.get("within"):
            return {"whole": True}
        seats = self.service.seats(game, session)
        recent = [*Visibility(table, seats).events(), *(state.trace or ())][-RECENT:]
        svg = render_svg(state, legal=True, events=recent, player=player)
        return {"whole": False, "svg": svg, "choices": strings.actions(state, player), "status": status}

    async def why_not(
        self, game: str, session: str, version: int, actions: Sequence[int], thing: Mapping[str, str], to: str
    ) -> dict[str, Any]:
        """Return as ``why`` the reason that a browser cannot choose a thing on the map, or that it cannot go to a
        space, after decisions that it has not sent; see `Strings.why_not`.
        """
        table, player, state = await self._after(game, session, version, actions, "why_not")
        return {"why": strings_of(table.game).why_not(state, player, thing, to)}

    async def _after(
        self, game: str, session: str, version: int, actions: Sequence[int], what: str
    ) -> tuple[Table, int, State]:
        """Return a table, the player to act, and the position as that player knows it after decisions that are only
        tried.
        """
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        self.service.check(game, table, seats, session, version, what)
        player = self.service.my_seat(table, seats)
        assert player is not None
        state = table.state.for_search(player)
        state.start_trace()
        try:
            for action in actions:
                if state.is_terminal or state.current_player != player:
                    raise IllegalActionError("the choice is complete before its last decision")
                state.apply(action)
        except IllegalActionError as error:
            raise Problem(422, "illegal", str(error)) from error
        return table, player, state

    async def position(self, game: str, session: str) -> dict[str, Any]:
        """Return the position of a game in the editor's format."""
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        view = table.state.view(Visibility(table, seats).player)
        return {**self.service.chosen(table.data), "position": view.to_dict()}

    async def record(self, game: str, session: str) -> str:
        """Return the record of a game as far as a browser may know it. It has no seed, because the game has none."""
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        return self.record_of(table, None if table.over else Visibility(table, seats).events())

    def record_of(self, table: Table, known: Sequence[Event] | None = None) -> str:
        """Return the record of a table's game: all of it, or the part before the first event that `known` lacks."""
        trace = table.trace if known is None else known
        pairs = zip(trace, table.trace, strict=False)
        events = [event for event, _ in takewhile(lambda pair: pair[0] is pair[1], pairs)]
        start = table.data.get("start")
        players = [
            seat["agent"] or name or "human"
            for seat, name in zip(table.data["seats"], table.each("names"), strict=True)
        ]
        with tempfile.TemporaryDirectory(prefix="hawaii-") as folder:
            path = Path(folder) / "record.jsonl"
            writer = records.RecordWriter(
                path, table.game, players=players, start=None if start is None else start_of(table.game, start),
                options={"adapter": "web", "dice": table.data["dice"]},
            )  # fmt: skip
            with writer:
                if table.over:
                    writer.finish(table.state, table.agreement)
                else:
                    for event in events:
                        writer.add(event)
                    writer.stop("saved before the end of the game")
            return path.read_text(encoding="utf-8")
