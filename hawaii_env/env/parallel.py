"""PettingZoo parallel environment of any game whose turns are sealed or simultaneous.

A step applies one decision of each player who has one to make. In a sealed turn each player enters decision after
decision until all of theirs are in, and then waits for the others; the turn is resolved when everybody is done. Players
who wait have a mask of zeros, and their actions are ignored. In a turn in the open one player decides and all others
wait.

Nobody sees what others have entered, nor how many decisions they have still to enter: each enters on a copy of their
own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from hawaii_env._arguments import check_choice, check_kind, check_options
from hawaii_env.env.shared import agent_spaces, all_observations, check_position, render_with, truncation_reason
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError, OrderError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_action, check_seed
from hawaii_env.render.modes import RENDER_MODES, Renderer

__all__ = ["ParallelGameEnv"]

Observation: TypeAlias = dict[str, NDArray[Any]]


class _Seat:
    """A player's own copy of the position, in which they enter their decisions of this turn."""

    def __init__(self, state: State, player: int) -> None:
        self.state = state
        self.player = player
        self.turn = state.sealed_turn
        self.entered: list[int] = []

    @property
    def asked(self) -> bool:
        """True if the player has something left to enter in this turn."""
        state = self.state
        return state.current_player == self.player and state.sealed_turn == self.turn


class ParallelGameEnv(ParallelEnv[str, Observation, "int | None"]):
    """Parallel environment of one game.

    Args:
        game: a game whose `dynamics` is ``"sealed"`` or ``"simultaneous"``.
        render_mode: see `hawaii_env.env.aec.GameEnv`.
        illegal: ``"raise"``: an illegal action raises IllegalActionError and changes nothing. ``"lose"``: an action of
            the table that is not legal ends the game, with `Game.min_return` for who chose it and 0 for the others,
            all terminated and truncated.
        name: the environment's name for PettingZoo; None is the game's name with ``_v0``.

    Attributes:
        game: the game.
        game_state: the State that is being played, without the decisions entered in the running turn.

    Raises:
        OptionError: the game's turns are all in the open, or an unknown render_mode or value of illegal.
        MissingExtraError: the render_mode needs a library that is not installed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  PettingZoo keeps it on the class
        "name": "game_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": True,
        "render_fps": 4,
    }

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        illegal: Literal["raise", "lose"] = "raise",
        name: str | None = None,
    ) -> None:
        check_kind("game", game, Game)
        if game.dynamics == "sequential":
            raise OptionError(
                f"{game.name}: one player decides at a time, in the open; a parallel environment is for sealed or "
                "simultaneous turns: use env() or hawaii_env.make()"
            )
        check_choice("illegal", illegal, ("raise", "lose"))
        self._renderer = None if render_mode is None else Renderer(render_mode, game.name)
        self.metadata = {**self.metadata, "name": name or f"{game.name}_v0"}
        self.game = game
        self.render_mode = render_mode
        self.illegal = illegal
        self.possible_agents: list[str] = list(game.agents)
        self.agents: list[str] = []
        self._index = {agent: index for index, agent in enumerate(game.agents)}
        self.observation_spaces: dict[str, Any]
        self.action_spaces: dict[str, Any]
        self.observation_spaces, self.action_spaces = agent_spaces(game)
        self._state: State | None = None
        self._seats: dict[int, _Seat] = {}
        self._decisions = 0
        self._outcome: dict[str, Any] | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space, the same object each time."""
        return self.action_spaces[agent]

    @property
    def game_state(self) -> State:
        """The State that is being played, without the decisions entered in the running turn.

        Raises:
            OrderError: before reset().
        """
        if self._state is None:
            raise OrderError("reset() needs to be called first")
        return self._state

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a game; return observations and infos by agent.

        Args:
            seed: an integer of 0 or more: the same seed, the same game. Without one the first game is seeded by the
                operating system, and each later one continues with the generator of the one before.
            options: a mapping; ``"state"``: a State to start from (a copy is played, with dice of the seed).

        Raises:
            OptionError: a wrong seed or option.
        """
        if seed is not None:
            seed = check_seed(seed)
        start = check_options(options, "state").get("state")
        if start is not None:
            start = check_position('options["state"]', start, self.game)
            if seed is None and start.chance == "explicit":
                seed = int(np.random.default_rng().integers(2**63))
            state = start.clone(seed=seed)
        elif seed is None and self._state is not None:
            state = self._state.next_episode()
        else:
            state = self.game.initial_state(seed=seed)
        self._state = state
        self.agents = self.possible_agents[:]
        self._decisions = 0
        self._outcome = None
        self._open_turn()
        return self._observations(), self._infos()

    def _open_turn(self) -> None:
        """Give each player who has something to decide now a seat."""
        state = self.game_state
        self._seats = {}
        if state.is_terminal:
            return
        if state.sealed_turn is None:
            self._seats = {player: _Seat(state, player) for player in state.acting_players}
            return
        for player in range(self.game.num_players):
            seat = _Seat(state.for_search(player), player)
            if seat.turn == state.sealed_turn and seat.asked:
                self._seats[player] = seat

    def _waiting(self) -> dict[int, _Seat]:
        """Return the seats that have a decision to make at this step."""
        if self._state is not None and self._state.current_player == SIMULTANEOUS:
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
            GameOverError: the game is over, or reset() was not called.
            IllegalActionError: an agent's action is missing or not legal; nothing has changed.
        """
        if not self.agents:
            raise GameOverError("the game is over: reset() begins another")
        state, waiting = self.game_state, self._waiting()
        chosen: dict[int, int] = {}
        for player, seat in waiting.items():
            agent = self.possible_agents[player]
            if agent not in actions:
                raise IllegalActionError(f"{agent} has a decision to make in phase {state.phase}, and no action")
            action = check_action(actions[agent], self.game.num_actions)
            if action not in seat.state.legal_actions(player):
                text = (
                    f"action {action} ({self.game.action_text(action)}) is not legal for {agent} in phase {state.phase}"
                )
                if self.illegal == "raise":
                    raise IllegalActionError(text)
                return self._end({player: self.game.min_return}, f"illegal {text}", truncated=True)
            chosen[player] = action
        self._decisions += len(chosen)
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
            if not self._waiting():
                self._close_turn()
        if state.is_terminal:
            outcome = state.outcome()
            return self._end(dict(enumerate(state.returns())), "" if outcome is None else outcome.reason)
        if self._decisions >= self.game.max_decisions:
            return self._end({}, truncation_reason(self.game.max_decisions), terminated=False, truncated=True)
        names = self.agents
        return (
            self._observations(),
            dict.fromkeys(names, 0.0),
            dict.fromkeys(names, False),
            dict.fromkeys(names, False),
            self._infos(),
        )

    def _close_turn(self) -> None:
        """Apply all entered decisions to the game itself, which asks player after player."""
        state = self.game_state
        turn = state.sealed_turn
        entered = {player: iter(seat.entered) for player, seat in self._seats.items()}
        while not state.is_terminal and state.sealed_turn == turn:
            state.apply(next(entered[state.current_player]))
        self._open_turn()

    def _end(self, rewards: Mapping[int, float], reason: str, terminated: bool = True, truncated: bool = False) -> Any:
        names = self.agents
        state = self.game_state
        outcome = state.outcome()
        winner = None if outcome is None or outcome.winner is None else self.possible_agents[outcome.winner]
        self._outcome = {"winner": winner, "reason": reason}
        self._seats = {}
        observations, infos = self._observations(), self._infos()
        self.agents = []
        return (
            observations,
            {agent: float(rewards.get(self._index[agent], 0.0)) for agent in names},
            dict.fromkeys(names, terminated),
            dict.fromkeys(names, truncated),
            infos,
        )

    def _observations(self) -> dict[str, Observation]:
        waiting = self._waiting()
        seen: dict[str, Observation] = {}
        for agent in self.agents:
            player = self._index[agent]
            seat = self._seats.get(player)
            state = self.game_state if seat is None else seat.state
            mask = state.legal_mask(None, player) if player in waiting else np.zeros(self.game.num_actions, np.int8)
            seen[agent] = {"observation": state.observation(player), "action_mask": mask}
        self._masks = {agent: one["action_mask"] for agent, one in seen.items()}
        return seen

    def _infos(self) -> dict[str, dict[str, Any]]:
        # Nothing but arrays while the game continues: other libraries stack infos.
        infos: dict[str, dict[str, Any]] = {agent: {"action_mask": self._masks[agent].copy()} for agent in self.agents}
        if self._outcome is not None:
            for info in infos.values():
                info["outcome"] = dict(self._outcome)
        return infos

    def state(self) -> NDArray[np.float32]:
        """Return all players' observations behind one another, float32[num_players * observation_size]."""
        return all_observations(self.game_state)

    def render(self) -> str | NDArray[np.uint8] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the position as the render_mode says; see `hawaii_env.env.aec.GameEnv.render`.

        Raises:
            OptionError: the environment was made without a render_mode.
        """
        return render_with(self._renderer, self.metadata["render_fps"], self.game_state)

    def close(self) -> None:
        """Close the window. The environment can be reset and used again."""
        if self._renderer is not None:
            self._renderer.close()
