"""Moves of players on a server: decide, roll, undo, retry a failed agent, get a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hawaii_env.errors import HawaiiError, IllegalActionError
from hawaii_env.game import Game, State
from hawaii_env.web.budgets import ASKER, Polls, leave_turn
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.strings import strings_of, turns_of
from hawaii_env.web.table import Table
from hawaii_env.web.think import Task, ThinkError

__all__ = ["Moves"]

HINTS = 4
"""Most hints that one address may wait for at a time."""


def share_of(game: Game, value: float) -> float:
    """Return a game's return rescaled to a share from 0 (worst) to 1 (best)."""
    return (value - game.min_return) / (game.max_return - game.min_return)


class Moves:
    """The moves in the games of a server. Methods run in the server's event loop.

    Args:
        service: the games of the server.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self.hints: Polls = Polls(HINTS)

    async def act(self, game: str, session: str, version: int, action: int, before: Sequence[int]) -> None:
        """Apply a decision, after the decisions in `before` that begin the same choice."""
        seats = self.service.seats(game, session)

        def do(table: Table) -> None:
            for one in (*before, action):
                player = self.service.my_seat(table, seats)
                if player is None:
                    raise IllegalActionError("the choice is complete before its last decision")
                table.play(one, session, player)

        await self.service.change(game, session, version, do, "act")

    async def enter(self, game: str, session: str, version: int, seat: int, actions: Sequence[int]) -> None:
        """Enter all decisions of a sealed turn, or withdraw them."""
        what = "enter" if actions else "take_back"
        await self.service.change(game, session, version, lambda table: table.enter(seat, actions, session), what, seat)

    async def typed(self, game: str, session: str, version: int, seat: int, text: str) -> dict[str, Any]:
        """Parse a decision that a player has typed; see `Turns.read`."""
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        self.service.check(game, table, seats, session, version, "typed", seat)
        turns = turns_of(strings_of(table.game))
        assert turns is not None
        try:
            return turns.read(table.state.for_search(seat), seat, text)
        except HawaiiError as error:
            raise Problem(422, "typed", str(error)) from error

    async def apply_chance(self, game: str, session: str, version: int, outcome: int | None) -> None:
        """Apply a die or card that fell on the table, or draw it here if `outcome` is None."""

        def do(table: Table) -> None:
            if outcome is None:
                table.apply_chance(self.service.settings.draw(table.state.chance_outcomes()))
            else:
                table.apply_chance(outcome, session)

        await self.service.change(game, session, version, do, "chance")

    async def undo(self, game: str, session: str, version: int, turn: bool = False) -> None:
        """Take back the browser's last decision, or its whole turn."""
        what = "undo_turn" if turn else "undo"
        await self.service.change(game, session, version, lambda table: table.undo(session, turn), what)

    async def retry(self, game: str, session: str, version: int) -> None:
        """Ask an agent that has failed again."""
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        self.service.check(game, table, seats, session, version, "retry")
        table.problem = None
        self.service.notify(game)
        self.service.resume(game)

    async def get_hint(self, game: str, session: str, version: int) -> dict[str, Any]:
        """Return the choice of the hint agent, with its probabilities."""
        with self.hints.one(ASKER.get()) as may:
            if not may:
                raise Problem(429, "hint", "several hints for your address are already being computed; wait for them")
            await leave_turn()
            return await self._hint(game, session, version)

    async def _hint(self, game: str, session: str, version: int) -> dict[str, Any]:
        seats = self.service.seats(game, session)
        table = await self.service.table(game)
        self.service.check(game, table, seats, session, version, "hint")
        player = self.service.my_seat(table, seats)
        assert player is not None
        task, spec, options = self._task(game, table, table.state, player), self.service.spec, table.game.params
        level = spec.level_of(task.agent, options)
        name, about = spec.agent_name(task.agent, options), "" if level is None else level.about
        said = {"version": version, "name": name, "about": about}
        if table.turn(player) is not None:
            return {**said, "actions": await self._whole(game, table, player)}
        try:
            async with self.service.turns.one():
                found = await self.service.thinker.think(task)
        except ThinkError as error:
            raise Problem(503, "hint", self.service.failure(task.agent, table, str(error))) from error
        chances = sorted(found.chances.items(), key=lambda pair: (pair[0] != found.action, -pair[1]))
        return {
            **said,
            "action": found.action,
            "chances": [{"action": action, "probability": round(chance, 4)} for action, chance in chances],
            "expects": None if found.value is None else round(share_of(table.game, found.value), 3),
        }

    def _task(self, game: str, table: Table, state: State, player: int) -> Task:
        """Return the task for the hint agent."""
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
        """Return the decisions that the hint agent would enter in the running sealed turn."""
        own, actions = table.state.for_search(player), list[int]()
        turn = own.sealed_turn
        try:
            async with self.service.turns.one():
                while own.current_player == player and own.sealed_turn == turn:
                    action = (await self.service.thinker.think(self._task(game, table, own, player))).action
                    actions.append(action)
                    own.apply(action)
        except ThinkError as error:
            raise Problem(503, "hint", self.service.failure(self.service.hint or "", table, str(error))) from error
        return actions
