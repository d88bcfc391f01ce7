"""What players do in their turn on a server: they decide, roll, take back, ask again, ask for a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hawaii_env.errors import HawaiiError
from hawaii_env.game import Game, State
from hawaii_env.web.room import Room
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.strings import turns_of
from hawaii_env.web.think import Task, ThinkError

__all__ = ["Moves"]


def share_of(game: Game, value: float) -> float:
    """A return as a share of what can be won, 0 to 1."""
    return (value - game.min_return) / (game.max_return - game.min_return)


class Moves:
    """The turns of the games of a server. Methods run in the server's event loop.

    Args:
        service: its games.
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    async def act(self, game: str, session: str, version: int, action: int) -> None:
        """Take a decision."""
        seats = self.service.seats(game, session)

        def do(room: Room) -> None:
            player = self.service.my_seat(room, seats)
            if not room.over and player is None:
                raise Problem(403, "turn", "it is not your turn")
            room.play(action, session, player)

        await self.service.change(game, seats, version, do)

    async def enter(self, game: str, session: str, seat: int, turn: int, actions: Sequence[int]) -> None:
        """Enter all decisions of a sealed turn, or take them back."""
        seats = self.service.seats(game, session)

        def do(room: Room) -> None:
            if seat not in seats:
                raise Problem(403, "seat", "this is not your side")
            if room.state.sealed_turn != turn and not room.over:
                raise Problem(409, "stale", "the game has gone on since; the page shows it now")
            room.enter(seat, actions, session)

        await self.service.change(game, seats, None, do)

    async def typed(self, game: str, session: str, seat: int, text: str) -> dict[str, Any]:
        """Read a decision that somebody has typed: whose it is and which, as `Turns.read` has it."""
        seats = self.service.seats(game, session)
        room = await self.service.room(game)
        if seat not in seats or seat >= room.game.num_players:
            raise Problem(403, "seat", "this is not your side")
        turns = turns_of(self.service.strings(room.game))
        if turns is None or not room.entering or seat not in room.asked:
            raise Problem(422, "illegal", "you have nothing to enter now")
        try:
            return turns.read(room.state.for_search(seat), seat, text)
        except HawaiiError as error:
            raise Problem(422, "typed", str(error)) from error

    async def tell_chance(self, game: str, session: str, version: int, outcome: int | None) -> None:
        """Let a die or card fall as it did on the table, or roll it here."""
        seats = self.service.seats(game, session)

        def do(room: Room) -> None:
            if not room.by_hand:
                raise Problem(403, "dice", "the server rolls the dice of this game")
            if outcome is None:
                if not room.at_chance:
                    raise Problem(422, "illegal", "no die or card is due")
                room.fall(self.service.settings.draw(room.state.chance_outcomes()))
            else:
                room.fall(outcome, session)

        await self.service.change(game, seats, version, do)

    async def undo(self, game: str, session: str, version: int, turn: bool = False) -> None:
        """Take back the last own decision, or the whole turn."""
        seats = self.service.seats(game, session)

        def do(room: Room) -> None:
            room.undo(session, turn)

        await self.service.change(game, seats, version, do)

    async def retry(self, game: str, session: str, version: int) -> None:
        """Ask an agent again that has failed."""
        seats = self.service.seats(game, session)
        room = await self.service.room(game)
        self.service.fresh(room, seats, version)
        room.problem = None
        self.service.tell(game)
        self.service.kick(game)

    async def get_hint(self, game: str, session: str, version: int) -> dict[str, Any]:
        """Return what the agent for hints would do, with its probabilities."""
        seats = self.service.seats(game, session)
        room = await self.service.room(game)
        if self.service.hint is None:
            raise Problem(404, "hint", "this server has no agent for hints")
        self.service.fresh(room, seats, version)
        player = self.service.my_seat(room, seats)
        if player is None:
            raise Problem(403, "turn", "it is not your turn")
        if room.entering:
            return {"version": version, "agent": self.service.hint, "actions": await self._whole(game, room, player)}
        task = self._task(game, room, room.state, player)
        try:
            async with self.service.turns.one():
                found = await self.service.thinker.think(task)
        except ThinkError as error:
            raise Problem(503, "hint", str(error)) from error
        chances = sorted(found.chances.items(), key=lambda pair: (pair[0] != found.action, -pair[1]))
        return {
            "version": version,
            "agent": self.service.hint,
            "action": found.action,
            "chances": [{"action": action, "probability": round(chance, 4)} for action, chance in chances],
            "expects": None if found.value is None else round(share_of(room.game, found.value), 3),
        }

    def _task(self, game: str, room: Room, state: State, player: int) -> Task:
        """What the agent for hints is asked."""
        assert self.service.hint is not None
        return Task(
            f"{game}/hint{player}",
            self.service.hint,
            room.game.name,
            dict(room.game.params),
            state.to_json(player=player),
            player,
            self.service.settings.hint_seconds,
            True,
        )

    async def _whole(self, game: str, room: Room, player: int) -> list[int]:
        """What the agent for hints would enter in the running sealed turn."""
        own, turn, actions = room.state.for_search(player), room.state.sealed_turn, list[int]()
        try:
            async with self.service.turns.one():
                while own.current_player == player and own.sealed_turn == turn:
                    action = (await self.service.thinker.think(self._task(game, room, own, player))).action
                    actions.append(action)
                    own.apply(action)
        except ThinkError as error:
            raise Problem(503, "hint", str(error)) from error
        return actions
