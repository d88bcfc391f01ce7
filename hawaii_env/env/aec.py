"""PettingZoo AEC environment of any game.

`GameEnv` itself implements the guarantees of PettingZoo's three standard wrappers, because these cost more time than
the games:

- order: a call before `reset` raises; so does a loop over `agent_iter()` that does not step, and a step after the end;
- bounds and legality: an action that is not legal raises IllegalActionError and changes nothing; with
  ``illegal="lose"`` one of the action table ends the game instead, as in PettingZoo's classic environments.

Players of a simultaneous turn decide one after the other, and do not see each other's choices until all have chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from hawaii_env.env.base import BaseGameEnv
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError, OrderError
from hawaii_env.game import SIMULTANEOUS, Game, check_action
from hawaii_env.pools import Draws
from hawaii_env.texts import show_value

__all__ = ["GameEnv", "game_env_of"]

Observation: TypeAlias = dict[str, NDArray[Any]]


class GameEnv(BaseGameEnv, AECEnv[str, Observation, "int | None"]):
    """AEC environment of one game.

    Args:
        game: the game.
        render_mode: the result of `render`: ``"ansi"`` a text, ``"svg"`` an SVG document, ``"rgb_array"`` uint8[height,
            width, 3]; ``"human"`` shows the position in a window after each step, at most ``metadata["render_fps"]``
            times a second; None: nothing. The last two need the extra ``render``.
        illegal: ``"raise"``: an illegal action raises IllegalActionError and changes nothing. ``"lose"``: an action of
            the table that is not legal here ends the game, with -1 for its player and 0 for the others, all terminated
            and truncated, as PettingZoo's TerminateIllegalWrapper does, with its warning the first time. A value that
            is not an action at all raises in both modes.
        name: the environment's name for PettingZoo; None is the game's name with ``_v0``.
        starts, rules: start positions, and games, from which each `reset` draws; see `hawaii_env.make`.
        step_reward: a per-step reward that replaces the game's own; see `hawaii_env.make`.

    Attributes:
        game: the current game.
        game_state: the current State. It contains the generator: give agents ``game_state.for_search()``.
        info_texts: True puts texts into each info from now on; see `infos`.
        warn_illegal: True: the next illegal action that loses a game prints PettingZoo's warning, and sets this to
            False, so that unmasked play does not flood the terminal.

    Raises:
        OptionError: an unknown render_mode or value of illegal.
        MissingExtraError: the render_mode needs a library that is not installed.
    """

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
        self._num_actions = game.num_actions
        self._zeros = np.zeros(game.num_actions, np.int8)
        self._steps = 0  # of the environment's whole life, so that agent_iter() notices a reset as well
        self._limit = 0  # the value of _steps at which the game is truncated
        self._joint: list[int] = []  # players of a simultaneous turn who have not decided yet
        self._observer = game.observer()
        self._chosen: dict[int, int] = {}

    @property
    def max_cycles(self) -> int:
        """Raise AttributeError: only PettingZoo's parallel environments have cycles.

        Raises:
            AttributeError: when it is read.
            OptionError: when it is set, as `pettingzoo.test.parallel_api_test` does first of all.
        """
        raise AttributeError

    @max_cycles.setter
    def max_cycles(self, value: object) -> None:
        raise OptionError(
            "max_cycles belongs to parallel environments, and this is an AEC environment: one agent decides at a time. "
            "pettingzoo.test.api_test tests it; pettingzoo.utils.turn_based_aec_to_parallel makes a parallel "
            "environment of it"
        )

    # The game

    def _set_game(self, game: Game) -> None:
        if game is not self.game:
            self._observer = game.observer()
        super()._set_game(game)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: an integer of 0 or more, of any size: the same seed gives the same game in every mode and process.
                Without one, the operating system seeds the first game, and each later game continues with the generator
                of the previous one.
            options: a mapping. ``"state"``: a State to start from (the environment plays a copy; with a seed, with the
                dice of that seed). ``"texts"``: True puts texts into the infos of this game; see `infos`. ``"record"``:
                path of a file for the game's record; ``"players"``: names of the players for the record, one per agent.
                ``"trace"``: True keeps a trace of the game in ``game_state.trace``.

        Raises:
            OptionError: a wrong seed or option. The current game continues.
            RecordError: the record cannot be written.
        """
        self._begin(seed, options)
        names = self.possible_agents
        self.rewards: dict[str, float] = dict.fromkeys(names, 0.0)
        self._cumulative_rewards = dict.fromkeys(names, 0.0)
        self.terminations: dict[str, bool] = dict.fromkeys(names, False)
        self.truncations: dict[str, bool] = dict.fromkeys(names, False)
        self._infos: dict[str, dict[str, Any]] = {}
        self._over = False
        self._steps += 1
        self._limit = self._steps + self._most_decisions
        self._joint = []
        self._select()
        self._after_step()

    def _select(self) -> None:
        """Select the next agent to decide, or end the game."""
        state = self._state
        player = state.current_player
        if player >= 0:
            self.agent_selection: str = self._names[player]
        elif player == SIMULTANEOUS:
            self._joint = list(state.acting_players)
            self._chosen = {}
            self.agent_selection = self._names[self._joint[0]]
        elif state.is_terminal:
            self._finish()
            return
        else:
            raise OptionError(
                f"the state stands at a chance node, which an environment never shows: {show_value(state)}"
            )
        if self._steps >= self._limit:
            self._truncate()

    def step(self, action: int | None) -> None:
        """Apply the action of the agent whose turn it is; for an agent that is done, None.

        Args:
            action: from 0 to num_actions - 1, a Python or NumPy integer.

        Raises:
            OrderError: before reset().
            GameOverError: all agents are done.
            IllegalActionError: the action is not legal; nothing changes.
        """
        if self._over:
            self._dead_step(action)
            return
        state = self._state
        if type(action) is np.int64:  # the type of Discrete.sample(), the most common one
            action = int(action)
        elif type(action) is not int:
            action = check_action(action, self._num_actions)
        shaped, actor = self._step_rewards, self.agent_selection
        earned = self._cumulative_rewards
        if shaped is not None:
            shaped.keep(state)
        if not self._joint:
            try:
                state.apply(action)
            except IllegalActionError:
                if self.illegal == "raise":
                    raise
                self._lose(state.current_player, check_action(action, self._num_actions))
            else:
                self._go_on()
        elif self._choose(action):
            self._go_on()
        if shaped is not None:
            self._pay(actor, earned)
        if self._extras:
            self._after_step()

    def _pay(self, actor: str, earned: dict[str, float]) -> None:
        """Set the rewards of a step and their sums since each agent's last action.

        Args:
            actor: the agent that acted.
            earned: the sums before the step.
        """
        if not (
            self._over and self.terminations[actor] and not self._state.is_terminal
        ):  # not lost by an illegal action
            self.rewards = self._rewards_of(self.rewards if self._over else dict.fromkeys(self._names, 0.0))
        before = {**earned, actor: 0.0}
        self._cumulative_rewards = {name: before[name] + reward for name, reward in self.rewards.items()}

    def _go_on(self) -> None:
        """Continue to the next agent after an applied decision."""
        self._steps += 1
        self._infos = {}
        player = self._state.current_player
        if player >= 0 and self._steps < self._limit:
            self.agent_selection = self._names[player]
        else:
            self._select()

    def _choose(self, action: int) -> bool:
        """Enter a choice of a simultaneous turn; return True if it was the last, so that all have been applied."""
        state = self._state
        action = check_action(action, self._num_actions)
        mover = self._joint[0]
        if action not in state.legal_actions(mover):
            if self.illegal == "raise":
                raise self._not_legal(state, mover, action)
            self._lose(mover, action)
            return False
        self._chosen[mover] = action
        del self._joint[0]
        if not self._joint:
            state.apply_joint(self._chosen)
            return True
        # The position stays as it is until all have chosen, so nobody can see what the others chose.
        self._steps += 1
        self._infos = {}
        self.agent_selection = self._names[self._joint[0]]
        if self._steps >= self._limit:
            self._truncate()
        return False

    # The end

    def _finish(self) -> None:
        returns, winner, reason = self._result()
        self._end(dict(zip(self._names, returns, strict=True)), winner, reason)

    def _truncate(self) -> None:
        self._end(dict.fromkeys(self._names, 0.0), None, self._stop_truncated(), terminated=False, truncated=True)

    def _lose(self, mover: int, action: int) -> None:
        rewards, reason = self._stop_illegal({mover: action})
        self._steps += 1
        self._end(rewards, None, reason, truncated=True)

    def _end(
        self,
        rewards: dict[str, float],
        winner: str | None,
        reason: str,
        terminated: bool = True,
        truncated: bool = False,
    ) -> None:
        names = self._names
        self._over = True
        self._joint = []
        self._infos = {}
        self._outcome = {"winner": winner, "reason": reason}
        self.rewards = rewards
        self._cumulative_rewards = dict(rewards)
        self.terminations = dict.fromkeys(names, terminated)
        self.truncations = dict.fromkeys(names, truncated)
        self.agent_selection = names[0]

    def _dead_step(self, action: object) -> None:
        if not self.agents:
            raise GameOverError("the game is over and all agents are done: reset() begins another")
        if action is not None:
            raise IllegalActionError(
                f"{self.agent_selection} is done: the only action left to it is None, not {show_value(action)}"
            )
        agent = self.agent_selection
        # Built before its agent is removed; the infos of the others do not change.
        for part in (self.terminations, self.truncations, self.rewards, self._cumulative_rewards, self.infos):
            del part[agent]
        self.agents.remove(agent)
        self.rewards = dict.fromkeys(self.rewards, 0.0)
        self._steps += 1
        if self.agents:
            self.agent_selection = self.agents[0]

    def _was_dead_step(self, action: Any) -> None:
        # PettingZoo's own wrappers call this one.
        self._dead_step(action)

    # What agents see

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last action, terminated, truncated and info of the agent to act.

        Args:
            observe: False returns None in place of the observation.

        Raises:
            OrderError: before reset().
            GameOverError: all agents are done.
        """
        agent = self.agent_selection
        try:
            reward = self._cumulative_rewards[agent]
        except KeyError:
            raise GameOverError("the game is over and all agents are done: reset() begins another") from None
        if self._over:
            info = self.infos[agent]
            observation = self.observe(agent) if observe else None
            return observation, reward, self.terminations[agent], self.truncations[agent], info
        player = self._index[agent]
        state = self._state
        observation = None
        if observe:
            vector, mask = self._observer.observe(state, player)
            observation = {"observation": vector, "action_mask": mask}
        else:
            mask = state.legal_mask(None, player)
        info = self._infos.get(agent)
        if info is None:
            info = self._infos[agent] = self._new_info(player, mask.copy(), state)
        # Wrappers of PettingZoo's set the ends from outside.
        return observation, reward, self.terminations[agent], self.truncations[agent], info

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation.

        Returns:
            ``"observation"``, float32[observation_size], and ``"action_mask"``, int8[num_actions], all zero unless it
            is the agent's turn. New arrays. After the end, the observation is that of the last position.

        Raises:
            OrderError: before reset().
            OptionError: no such agent.
        """
        player = self._index[self._known(agent)]
        return {"observation": self._state.observation(player), "action_mask": self._mask_of(agent)}

    def _mask_of(self, agent: str) -> NDArray[np.int8]:
        """Return an agent's mask, a new array: all zero unless it is its turn."""
        if self._over or agent != self.agent_selection:
            return self._zeros.copy()
        return self._state.legal_mask(None, self._index[agent])

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The infos of the agents that are not done, by name.

        Each has ``"action_mask"`` (as in the observation), and after the end ``"outcome"``: a dict with ``"winner"``,
        an agent's name or None, and ``"reason"``. Texts are included on request (`info_texts`, or ``"texts"`` in the
        options of `reset`), because some libraries convert infos to tensors: ``"phase"``, and ``"action_texts"``, a
        dict from legal action to its text. Infos are created when first read, and stay the same objects until the next
        step.
        """
        infos = self._infos
        if len(infos) < len(self.agents):
            for agent in self.agents:
                if agent not in infos:
                    infos[agent] = self._new_info(self._index[agent], self._mask_of(agent), self._state)
        return infos

    @infos.setter
    def infos(self, value: dict[str, dict[str, Any]]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._infos = value

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Iterate over the agents in the order in which they decide; call step() in between.

        Raises:
            OrderError: before reset(), or if neither step() nor reset() was called since the last iteration.
        """
        if "_state" not in self.__dict__:
            raise OrderError("reset() needs to be called before agent_iter()")
        return self._iterate(max_iter)

    def _iterate(self, left: int) -> Iterator[str]:
        seen = -1
        while self.agents and left > 0:
            if self._steps == seen:
                raise OrderError("need to call step() or reset() in a loop over agent_iter()")
            seen = self._steps
            left -= 1
            yield self.agent_selection


def game_env_of(env: object) -> GameEnv:
    """Return the `GameEnv` in `env`, which PettingZoo's wrappers may enclose.

    Raises:
        OptionError: not an AEC environment of this library.
    """
    found = env.unwrapped if isinstance(env, AECEnv) else None
    if not isinstance(found, GameEnv):
        raise OptionError(
            f"expected an AEC environment of hawaii_env, as hawaii1795_v1.env() makes it, not {show_value(env)}"
        )
    return found
