"""PettingZoo parallel environment of any game with sealed or simultaneous turns.

A step applies one decision of each player who has one to make. In a sealed turn, players enter decisions one by one
until they are done, and then wait for the others; the turn is resolved when all are done. Waiting players have a mask
of zeros, and their actions are ignored. In a public turn one player decides and all others wait.

Nobody sees what others have entered or still have to enter: each player has a separate copy of the position. Only the
number of steps until a turn is resolved depends on the slowest player.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from hawaii_env.env.base import BaseGameEnv
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_action
from hawaii_env.pools import Draws

__all__ = ["ParallelGameEnv"]

Observation: TypeAlias = dict[str, NDArray[Any]]


class _Seat:
    """A player's own copy of the position, for the decisions of this turn."""

    def __init__(self, state: State, player: int) -> None:
        self.state = state
        self.player = player
        self.turn = state.sealed_turn
        self.entered: list[int] = []

    @property
    def asked(self) -> bool:
        """True if the player has decisions left in this turn."""
        state = self.state
        return state.current_player == self.player and state.sealed_turn == self.turn


class ParallelGameEnv(BaseGameEnv, ParallelEnv[str, Observation, "int | None"]):
    """Parallel environment of one game.

    Args:
        game: a game whose `dynamics` is ``"sealed"`` or ``"simultaneous"``.
        render_mode: see `hawaii_env.env.aec.GameEnv`.
        illegal: ``"raise"``: an illegal action raises IllegalActionError and changes nothing. ``"lose"``: actions of
            the table that are not legal end the game, with -1 for all who chose one and 0 for the others, all
            terminated and truncated. A value that is not an action at all raises in both modes.
        name: the environment's name for PettingZoo; None is the game's name with ``_v0``.
        starts, rules: start positions, and games, from which each `reset` draws; see `hawaii_env.make`.
        step_reward: a per-step reward that replaces the game's own; see `hawaii_env.make`.

    Attributes:
        game: the current game.
        game_state: the current State, without the decisions entered in the current turn.
        info_texts, warn_illegal: see `hawaii_env.env.aec.GameEnv`.

    Raises:
        OptionError: a game without sealed or simultaneous turns, or an unknown render_mode or value of illegal.
        MissingExtraError: the render_mode needs a library that is not installed.
    """

    metadata: dict[str, Any] = {**BaseGameEnv.metadata, "is_parallelizable": True}  # noqa: RUF012  as PettingZoo has it

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        illegal: Literal["raise", "lose"] = "raise",
        name: str | None = None,
        starts: Any = None,
        rules: Draws | None = None,
        step_reward: Any = None,
    ) -> None:
        super().__init__(game, render_mode, illegal, name, starts, rules, step_reward)
        if game.dynamics == "sequential":
            raise OptionError(
                f"{game.name}: one player decides at a time, in the open; a parallel environment is for sealed or "
                "simultaneous turns: use env() or hawaii_env.make()"
            )
        self._decisions = 0
        self._seats: dict[int, _Seat] = {}

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a game; return observations and infos by agent.

        Args:
            seed, options: see `hawaii_env.env.aec.GameEnv.reset`.

        Raises:
            OptionError: a wrong seed or option. The current game continues.
            RecordError: the record cannot be written.
        """
        self._begin(seed, options)
        self._decisions = 0
        self._seats = {}
        self._open_turn()
        self._after_step()
        return self._seen()

    def _open_turn(self) -> None:
        """Give each player who has a decision now a seat.

        Players who may not know that others have another turn before theirs enter their own at once, and keep the seat.
        """
        state, before = self._state, self._seats
        turn = state.sealed_turn
        self._seats = {}
        if state.is_terminal:
            return
        if turn is None:
            self._seats = {player: _Seat(state, player) for player in state.acting_players}
            return
        for player in range(self.game.num_players):
            seat = before.get(player)
            if seat is None or seat.turn is None or seat.turn < turn:
                seat = _Seat(state.for_search(player), player)
            if seat.entered or (seat.asked and seat.turn is not None and seat.turn >= turn):
                self._seats[player] = seat

    def _waiting(self) -> dict[int, _Seat]:
        """Return the seats with a decision at this step."""
        if self._state.current_player == SIMULTANEOUS:
            return self._seats
        return {player: seat for player, seat in self._seats.items() if seat.asked}

    def step(
        self, actions: Mapping[str, int | None]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Apply one decision of each player who has one to make.

        Args:
            actions: action by agent. Those of agents whose mask is all zero are ignored.

        Returns:
            Observations, rewards, terminations, truncations and infos, each by agent.

        Raises:
            OrderError: before reset().
            GameOverError: the game is over.
            OptionError: an action of an unknown agent.
            IllegalActionError: an agent's action is missing or not legal; nothing has changed.
        """
        if not self.agents:
            raise GameOverError("the game is over: reset() begins another")
        chosen, illegal = self._check(actions)
        if illegal:
            rewards, reason = self._stop_illegal(illegal)
            return self._end(rewards, None, reason, truncated=True)
        self._decisions += len(chosen)
        if self._step_rewards is not None:
            self._step_rewards.keep(self._state)
        self._apply(chosen)
        if self._state.is_terminal:
            returns, winner, reason = self._result()
            return self._end(self._rewards_of(dict(zip(self._names, returns, strict=True))), winner, reason)
        rewards = self._rewards_of(dict.fromkeys(self._names, 0.0))
        if self._decisions >= self._most_decisions:
            return self._end(rewards, None, self._stop_truncated(), terminated=False, truncated=True)
        if self._extras:
            self._after_step()
        names = self.agents
        observations, infos = self._seen()
        return (
            observations,
            rewards,
            dict.fromkeys(names, False),
            dict.fromkeys(names, False),
            infos,
        )

    def _check(self, actions: Mapping[str, int | None]) -> tuple[dict[int, int], dict[int, int]]:
        """Return the actions by player: of all who decide now, and of those whose action loses the game."""
        if not isinstance(actions, Mapping):
            raise IllegalActionError(f"actions: expected a mapping from agents to actions, not {actions!r}")
        for agent in actions:
            self._known(agent)
        chosen: dict[int, int] = {}
        illegal: dict[int, int] = {}
        for player, seat in self._waiting().items():
            agent, phase = self._names[player], seat.state.phase
            if agent not in actions:
                raise IllegalActionError(f"{agent} has a decision to make in phase {phase}, and no action")
            action = chosen[player] = check_action(actions[agent], self.game.num_actions)
            if action not in seat.state.legal_actions(player):
                illegal[player] = action
                if self.illegal == "raise":
                    raise self._not_legal(seat.state, player, action)
        return chosen, illegal

    def _apply(self, chosen: Mapping[int, int]) -> None:
        """Apply the decisions of all who decide now."""
        state = self._state
        if state.is_terminal:  # chance at the node that the game began at has ended it
            return
        if state.current_player == SIMULTANEOUS:
            state.apply_joint(chosen)
            self._open_turn()
        elif state.sealed_turn is None:
            state.apply(chosen[state.current_player])
            self._open_turn()
        else:
            for player, action in chosen.items():
                self._seats[player].entered.append(action)
                self._seats[player].state.apply(action)
            while self._seats and not self._is_open():
                self._close_turn()

    def _is_open(self) -> bool:
        """Return True if a player has decisions left in the current turn."""
        return any(seat.asked for seat in self._seats.values() if seat.turn == self._state.sealed_turn)

    def _close_turn(self) -> None:
        """Apply all entered decisions to the game itself, which asks one player after the other."""
        state = self._state
        turn = state.sealed_turn
        entered = {player: iter(seat.entered) for player, seat in self._seats.items()}
        while not state.is_terminal and state.sealed_turn == turn:
            state.apply(next(entered[state.current_player]))
        self._open_turn()

    def _end(
        self,
        rewards: dict[str, float],
        winner: str | None,
        reason: str,
        terminated: bool = True,
        truncated: bool = False,
    ) -> Any:
        names = self.agents
        self._outcome = {"winner": winner, "reason": reason}
        self._seats = {}
        if self._extras:
            self._after_step()
        observations, infos = self._seen()
        self.agents = []
        return observations, rewards, dict.fromkeys(names, terminated), dict.fromkeys(names, truncated), infos

    def _seen(self) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Return observations and infos: only arrays while the game continues, because other libraries stack infos."""
        waiting = self._waiting()
        observations: dict[str, Observation] = {}
        infos: dict[str, dict[str, Any]] = {}
        for agent in self.agents:
            player = self._index[agent]
            seat = self._seats.get(player)
            state = self._state if seat is None else seat.state
            mask = state.legal_mask(None, player) if player in waiting else np.zeros(self.game.num_actions, np.int8)
            observations[agent] = {"observation": state.observation(player), "action_mask": mask}
            infos[agent] = self._new_info(player, mask.copy(), state)
        return observations, infos
