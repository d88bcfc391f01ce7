"""Moves of players in their turn on a server: they decide, roll, take back, ask again, ask for a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hawaii_env.errors import HawaiiError
from hawaii_env.game import Game, State
from hawaii_env.web.security import ASKER, Polls
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.strings import strings_of, turns_of
from hawaii_env.web.table import Table
from hawaii_env.web.think import Task, ThinkError

__all__ = ["Moves"]

HINTS = 4
"""Most hints that one address waits for at a time."""


def share_of(game: Game, value: float) -> float:
    """Return the share of what can be won, 0 to 1, that a return is."""
    return (value - game.min_return) / (game.max_return - game.min_return)


class Moves:
    """The turns of the games of a server. Methods run in the server's event loop.

    Args:
        service: its games.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self.hints = Polls(HINTS)

    async def act(self, game: str, session: str, version: int, action: int) -> None:
        """Take a decision."""
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            player = self.service.my_seat(table, seats)
            if not table.over and player is None:
                raise Problem(403, "turn", "it is not your turn")
            table.play(action, session, player)

        await self.service.change(game, seats, version, do)

    async def enter(self, game: str, session: str, seat: int, turn: int, actions: Sequence[int]) -> None:
        """Enter all decisions of a sealed turn, or take them back."""
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            if seat not in seats:
                raise Problem(403, "seat", "this is not your side")
            if table.state.sealed_turn != turn and not table.over:
                raise Problem(409, "stale", "the game has gone on since; the page shows it now")
            table.enter(seat, actions, session)

        await self.service.change(game, seats, None, do)

    async def typed(self, game: str, session: str, seat: int, text: str) -> dict[str, Any]:
        """Read a decision that somebody has typed: whose it is and which, as `Turns.read` has it."""
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        if seat not in seats or seat >= table.game.num_players:
            raise Problem(403, "seat", "this is not your side")
        turns = turns_of(strings_of(table.game))
        if turns is None or not table.entering or seat not in table.asked:
            raise Problem(422, "illegal", "you have nothing to enter now")
        try:
            return turns.read(table.state.for_search(seat), seat, text)
        except HawaiiError as error:
            raise Problem(422, "typed", str(error)) from error

    async def apply_chance(self, game: str, session: str, version: int, outcome: int | None) -> None:
        """Let a die or card fall as it did on the table, or roll it here."""
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            if not table.by_hand:
                raise Problem(403, "dice", "the server rolls the dice of this game")
            if outcome is None:
                if not table.at_chance:
                    raise Problem(422, "illegal", "no die or card is due")
                table.apply_chance(self.service.settings.draw(table.state.chance_outcomes()))
            else:
                table.apply_chance(outcome, session)

        await self.service.change(game, seats, version, do)

    async def undo(self, game: str, session: str, version: int, turn: bool = False) -> None:
        """Take back the last own decision, or the whole turn."""
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            table.undo(session, turn)

        await self.service.change(game, seats, version, do)

    async def retry(self, game: str, session: str, version: int) -> None:
        """Ask an agent again that has failed."""
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        self.service.fresh(table, seats, version)
        table.problem = None
        self.service.notify(game)
        self.service.resume(game)

    async def get_hint(self, game: str, session: str, version: int) -> dict[str, Any]:
        """Return what the agent for hints would do, with its probabilities."""
        with self.hints.one(ASKER.get()) as may:
            if not may:
                raise Problem(429, "hint", "your address has asked for several hints already; wait for them")
            return await self._hint(game, session, version)

    async def _hint(self, game: str, session: str, version: int) -> dict[str, Any]:
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        if self.service.hint is None:
            raise Problem(404, "hint", "this server has no agent for hints")
        self.service.fresh(table, seats, version)
        player = self.service.my_seat(table, seats)
        if player is None:
            raise Problem(403, "turn", "it is not your turn")
        if table.entering:
            return {"version": version, "agent": self.service.hint, "actions": await self._whole(game, table, player)}
        task = self._task(game, table, table.state, player)
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
            "expects": None if found.value is None else round(share_of(table.game, found.value), 3),
        }

    def _task(self, game: str, table: Table, state: State, player: int) -> Task:
        """Return the task of the agent for hints."""
        assert self.service.hint is not None
        return Task(
            f"{game}/hint{player}",
            self.service.hint,
            table.game.name,
            dict(table.game.params),
            state.to_json(player=player),
            player,
            self.service.settings.hint_seconds,
            True,
        )

    async def _whole(self, game: str, table: Table, player: int) -> list[int]:
        """Return what the agent for hints would enter in the running sealed turn."""
        own, turn, actions = table.state.for_search(player), table.state.sealed_turn, list[int]()
        try:
            async with self.service.turns.one():
                while own.current_player == player and own.sealed_turn == turn:
                    action = (await self.service.thinker.think(self._task(game, table, own, player))).action
                    actions.append(action)
                    own.apply(action)
        except ThinkError as error:
            raise Problem(503, "hint", str(error)) from error
        return actions
