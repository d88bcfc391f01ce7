"""Creation of games on a server: new, from a position, from a record, from a saved game; and saving games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hawaii_env import records
from hawaii_env.errors import HawaiiError, OptionError, RecordError
from hawaii_env.game import Decision, Event, Game, State
from hawaii_env.render.picture import render_svg
from hawaii_env.texts import parse_json
from hawaii_env.web.models import Choices, Seat
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.steps import hides, start_of
from hawaii_env.web.strings import by_hand, editor_of, strings_of
from hawaii_env.web.visibility import Visibility

__all__ = ["NewGames"]

MOST_EVENTS = 20_000

NOT_SAVED = ("agreed", "offer", "next", "stand_ins", "pending", "since")
"""Settings of a game that are not saved with it."""


class NewGames:
    """Creates the games of a server. Methods run in the server's event loop.

    Args:
        service: the games of the server.
    """

    def __init__(self, service: Service) -> None:
        self.service: Service = service

    def _data(
        self, game: Game, options: dict[str, Any], seats: Sequence[Seat], dice: str, start: Any
    ) -> dict[str, Any]:
        """Return the settings of a new game."""
        if dice == "hand" and not by_hand(game):
            raise Problem(
                422,
                "dice",
                f"dice: chance outcomes of {game.name} are hidden from some players, so only the server can draw them",
            )
        return {
            "game": game.name, "ruleset": [game.ruleset_name, game.ruleset_hash], **options, "dice": dice,
            "seats": self.service.seats_data(seats, game), "start": start,
        }  # fmt: skip

    async def new_game(self, asked: Any, session: str) -> dict[str, Any]:
        """Start a game.

        Args:
            asked: a `NewGame` with the options of the game.
            session: digest of the browser.
        """
        options = {name: getattr(asked, name) for name in self.service.options}
        game = self.service.game(options)
        start = None if asked.position is None else self.check_position(game, asked.position)[1]
        data = self._data(game, options, asked.seats, asked.dice, start)
        if asked.limit is not None:
            if asked.dice == "hand" or all(seat.kind != "guest" for seat in asked.seats):
                raise Problem(422, "limit", "limit: a time limit needs an invited player, and the server's dice")
            data["limit"] = asked.limit
        data["names"] = [asked.name if seat.kind == "me" else None for seat in asked.seats]
        return await self.service.open(data, asked.seats, session)

    def game(self, asked: Choices) -> Game:
        """Return the game that a request is about."""
        return self.service.game({name: getattr(asked, name) for name in self.service.options})

    def check_position(self, game: Game, position: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a position's picture with its question, and the position in its stored format.

        Raises:
            Problem: the position is invalid; the message says why.
        """
        if hides(game):
            raise Problem(422, "position", "position: a game with hidden information cannot start from a position")
        try:
            state = game.position(**position)
            stored = parse_json(state.to_json())
            start_of(game, stored)
        except HawaiiError as error:
            raise Problem(422, "position", str(error)) from error
        if state.is_terminal:
            raise Problem(422, "position", "position: the game is over")
        question = strings_of(game).status(state, state.current_player)["question"]
        shown = {"svg": render_svg(state, legal=True, events=()), "question": question}
        return {**shown, "position": state.view().to_dict()}, stored

    def sketch(self, game: Game, position: dict[str, Any]) -> dict[str, Any]:
        """Return the first part of `check_position` and ``problem``. For an invalid position ``problem`` says why, and
        ``svg`` shows what can be drawn.
        """
        try:
            return {**self.check_position(game, position)[0], "problem": None}
        except Problem as problem:
            if problem.code != "position":
                raise
            editor, said = editor_of(strings_of(game)), problem.message
            drawn, said = ("", said) if editor is None else (editor.sketch(position), editor.error_text(said))
            return {"svg": drawn, "question": "", "problem": said}

    async def load_record(self, text: str, seats: Sequence[Seat], dice: str, session: str) -> dict[str, Any]:
        """Start a game from the position at the end of a record."""

        def read() -> tuple[dict[str, Any], records.Record, list[Event]]:
            try:
                record = records.parse(text)
                if len(record.events) > MOST_EVENTS:
                    raise Problem(422, "record", f"the record has more than {MOST_EVENTS} events")
                options = self._options_of(record)
                # Options that only the server may choose, such as the ruleset, are not taken from a record: it must
                # have been played with the server's own.
                game = self.service.game(options)
                if hides(game) and record.header["start"] is not None:
                    raise RecordError("the record, line 1: a game with hidden information cannot start from a position")
                state = records.verify(record, game, partial=True).state
                return self._data(game, options, seats, dice, record.header["start"]), record, _whole_turns(state)
            except Problem:
                raise
            except HawaiiError as error:
                raise Problem(422, "record", str(error)) from error

        data, record, events = await self.service.work(read)
        agreed = record.agreement
        data["agreed"] = None if agreed is None else {"kind": agreed.kind, "player": agreed.player}
        try:
            return await self.service.open(data, seats, session, [(event, "") for event in events])
        except Problem:
            raise
        except HawaiiError as error:
            raise Problem(422, "record", str(error)) from error

    def _options_of(self, record: records.Record) -> dict[str, Any]:
        """Return the options that a record was played with, validated."""
        params, spec = record.header["params"], self.service.spec
        if record.header["game"] != spec.name or set(params) != {option.name for option in spec.options}:
            raise RecordError("the record, line 1: the parameters are not those of this game")
        chosen = {name: params[name] for name in self.service.options}
        for name, value in chosen.items():
            option = spec.option(name)
            kind = type(option.default if option.choices is None else option.choices[0])
            if type(value) is not kind or (option.choices is not None and value not in option.choices):
                raise RecordError(f"the record, line 1: {name} has an invalid value")
        return chosen

    # Saved games

    async def add_save(self, game: str, session: str, version: int, name: str) -> dict[str, Any]:
        """Save the present position under a name."""
        service = self.service
        seats = service.seats(game, session)
        table = await service.table(game)
        service.check(game, table, seats, session, version, "save")
        if len(service.store.saves_of(session)) >= service.settings.saves_each:
            raise Problem(429, "saves", f"you have {service.settings.saves_each} saved games; delete one first")
        service.check_space()
        status = strings_of(table.game).status(table.state, Visibility(table, seats).player)
        data = {key: value for key, value in table.data.items() if key not in NOT_SAVED}
        data |= {"mine": seats, "where": f"{status['when']}, {status['question']}", "pending": table.pending_of(seats)}
        events = table.events()
        made = await service.stored(
            lambda: service.store.add_save(session, name, data, events, service.settings.saves_all)
        )
        return {"id": made}

    async def drop_save(self, save: str, session: str) -> None:
        """Delete a browser's save."""
        await self.service.stored(lambda: self.service.store.drop_save(save, session))

    async def load_save(self, save: str, session: str) -> dict[str, Any]:
        """Start a game from a save."""
        found = self.service.store.save(save, session)
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
        self.service.seats_data(seats, self.service.game_of(data))
        try:
            return await self.service.open(data, seats, session, events)
        except (RecordError, OptionError) as error:
            raise Problem(409, "stored", f"this game was saved by another version: {error}") from error


def _whole_turns(state: State) -> list[Event]:
    """Return the events of a traced position without those of an unfinished sealed turn, which players enter again."""
    trace, number = state.trace or [], state.sealed_turn
    begun = (n for n, event in enumerate(trace) if isinstance(event, Decision) and event.turn == number)
    return trace if number is None else trace[: next(begun, len(trace))]
