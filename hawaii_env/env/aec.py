"""PettingZoo AEC environment of any game.

`GameEnv` itself gives the guarantees of PettingZoo's three standard wrappers, because these cost more than the games:

- order: a call before `reset` raises; so does a loop over `agent_iter()` that does not step, and a step after the end;
- bounds and legality: an action that is not legal raises IllegalActionError and changes nothing; with
  ``illegal="lose"`` one of the action table ends the game instead, as in PettingZoo's classic environments.

Players of a simultaneous turn decide one after the other, and do not see each other's choices until all have chosen.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from hawaii_env._arguments import check_choice, check_kind, check_options, check_text
from hawaii_env.env.shared import (
    agent_spaces,
    all_observations,
    check_position,
    fix_generators,
    render_with,
    truncation_reason,
)
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError, OrderError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_action, check_seed
from hawaii_env.records import RecordWriter
from hawaii_env.render.modes import RENDER_MODES, Renderer

__all__ = ["GameEnv", "game_env_of"]

Observation: TypeAlias = dict[str, NDArray[Any]]


class _NotResetError(OrderError, AttributeError):
    """An attribute that reset() makes, read before reset()."""


_MADE_BY_RESET = frozenset(
    {
        "agents",
        "agent_selection",
        "game_state",
        "infos",
        "num_agents",
        "rewards",
        "terminations",
        "truncations",
        "_cumulative_rewards",
        "_infos",
        "_over",
        "_state",
    }
)


class GameEnv(AECEnv[str, Observation, "int | None"]):
    """AEC environment of one game.

    Args:
        game: the game.
        render_mode: what `render` returns: ``"ansi"`` a text, ``"svg"`` an SVG document, ``"rgb_array"`` uint8[height,
            width, 3]; ``"human"`` shows the position in a window after each step, at most ``metadata["render_fps"]``
            times a second; None: nothing. The last two need the extra ``render``.
        illegal: ``"raise"``: an illegal action raises IllegalActionError and changes nothing. ``"lose"``: an action of
            the table that is not legal here ends the game, with -1 for its player and 0 for the others, all
            terminated and truncated, and PettingZoo's warning, as its TerminateIllegalWrapper does. A value that is no
            action at all raises in both.
        name: the environment's name for PettingZoo; None is the game's name with ``_v0``.

    Attributes:
        game: the game.
        game_state: the State that is being played. It holds the generator: give agents ``game_state.for_search()``.
        info_texts: True puts texts into each info from now on; see `infos`.

    Raises:
        OptionError: an unknown render_mode or value of illegal.
        MissingExtraError: the render_mode needs a library that is not installed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  PettingZoo keeps it on the class
        "name": "game_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        illegal: Literal["raise", "lose"] = "raise",
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_kind("game", game, Game)
        self._renderer = None if render_mode is None else Renderer(render_mode, game.name)
        check_choice("illegal", illegal, ("raise", "lose"))
        self.metadata = {**self.metadata, "name": f"{game.name}_v0" if name is None else check_text("name", name)}
        self.game = game
        self.render_mode = render_mode
        self.illegal = illegal
        self.info_texts = False
        self.possible_agents: list[str] = list(game.agents)
        self._names = tuple(game.agents)
        self._index = {agent: index for index, agent in enumerate(game.agents)}
        self._num_actions = game.num_actions
        self._zeros = np.zeros(game.num_actions, np.int8)
        self.observation_spaces: dict[str, Any]
        self.action_spaces: dict[str, Any]
        self.observation_spaces, self.action_spaces = agent_spaces(game)
        low, high = (np.asarray(bound, np.float32) for bound in (game.observation_low, game.observation_high))
        self.state_space: spaces.Box[np.float32] = spaces.Box(
            np.tile(low, game.num_players), np.tile(high, game.num_players), dtype=np.float32
        )
        self._steps = 0  # of the environment's whole life, so that agent_iter() notices a reset as well
        self._limit = 0  # the value of _steps at which the game is truncated
        self._seeder: np.random.Generator | None = None  # seeds for positions that bring no generator
        self._writer: RecordWriter | None = None
        self._extras = False  # True if each step needs slow extra work
        self._texts = False
        self._joint: list[int] = []  # players of a simultaneous turn who have not decided yet
        self._observer = game.observer()
        self._chosen: dict[int, int] = {}

    # Spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space, the same object each time."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space, the same object each time."""
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        if not isinstance(agent, str) or agent not in self._index:
            raise OptionError(f"there is no agent {agent!r}; the agents are {', '.join(self._names)}")
        return agent

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

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: an integer of 0 or more, of any size: the same seed, the same game, in every mode and process. Without
                one the first game is seeded by the operating system, and each later game continues with the generator
                of the one before.
            options: a mapping. ``"state"``: a State to start from (a copy is played; with a seed it continues with dice
                of that seed). ``"texts"``: True puts texts into the infos of this game; see `infos`. ``"record"``: path
                of a file to record the game in; ``"players"``: who plays, one name an agent, for the record.
                ``"trace"``: True keeps a trace of the game in ``game_state.trace``.

        Raises:
            OptionError: a wrong seed or option. The game that was going on continues.
            RecordError: the record cannot be written.
        """
        if seed is not None:
            seed = check_seed(seed)
        options = check_options(options, "state", "texts", "record", "players", "trace")
        record = _path(options.get("record"))
        traced = bool(options.get("trace")) or record is not None
        start = options.get("state")
        seeder = self._seeder if seed is None else np.random.default_rng(seed)
        known_seed = seed
        if start is None:
            if seed is None and "_state" in self.__dict__:
                before = self._state.clone()
                if traced:
                    before.start_trace()
                state = before.next_episode()
            else:
                # A copy made before the first game plays the same one.
                first = int(seeder.integers(2**63)) if seed is None and seeder is not None else seed
                state = self.game.initial_state(seed=first, trace=traced)
        else:
            state, known_seed, seeder = self._copy_of(start, seed, seeder, traced)
        writer = None
        if record is not None:
            players = options.get("players")
            writer = RecordWriter(record, self.game, seed=known_seed, players=players, start=start)
        if self._writer is not None:
            self._writer.close()
        self._writer = writer
        self._seeder = seeder
        self._state = state
        self._texts = bool(options.get("texts"))
        self._extras = writer is not None or self.render_mode == "human"
        names = self.possible_agents
        self.agents: list[str] = names[:]
        self.rewards: dict[str, float] = dict.fromkeys(names, 0.0)
        self._cumulative_rewards = dict.fromkeys(names, 0.0)
        self.terminations: dict[str, bool] = dict.fromkeys(names, False)
        self.truncations: dict[str, bool] = dict.fromkeys(names, False)
        self._infos: dict[str, dict[str, Any]] = {}
        self._outcome: dict[str, Any] | None = None
        self._over = False
        self._steps += 1
        self._limit = self._steps + self.game.max_decisions
        self._joint = []
        self._select()
        self._after_step()

    def _copy_of(
        self, start: object, seed: int | None, seeder: np.random.Generator | None, traced: bool
    ) -> tuple[State, int | None, np.random.Generator | None]:
        """Return a copy of the position to start from, its seed if known, and the generator of further seeds."""
        start = check_position('options["state"]', start, self.game)
        if seed is None and start.chance == "explicit":
            seeder = np.random.default_rng() if seeder is None else seeder
            seed = int(seeder.integers(2**63))
        return start.clone(seed=seed, trace=traced), seed, seeder

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
            raise OptionError(f"the state stands at a chance node, which an environment never shows: {state!r}")
        if self._steps >= self._limit:
            self._truncate()

    def step(self, action: int | None) -> None:
        """Apply the action of the agent whose turn it is; for an agent that is done, None.

        Args:
            action: from 0 to num_actions - 1, an int of Python's or NumPy's.

        Raises:
            OrderError: before reset().
            GameOverError: all agents are done.
            IllegalActionError: the action is not legal; nothing has changed.
        """
        if self._over:
            self._dead_step(action)
            return
        state = self._state
        if type(action) is np.int64:  # the type of Discrete.sample(), the most common one
            action = int(action)
        elif type(action) is not int:
            action = check_action(action, self._num_actions)
        if self._joint:
            if not self._choose(action):
                return
        else:
            try:
                state.apply(action)
            except IllegalActionError:
                if self.illegal == "raise":
                    raise
                self._lose(state.current_player, check_action(action, self._num_actions))
                return
        self._steps += 1
        self._infos = {}
        player = state.current_player
        if player >= 0 and self._steps < self._limit:
            self.agent_selection = self._names[player]
        else:
            self._select()
        if self._extras:
            self._after_step()

    def _choose(self, action: int) -> bool:
        """Enter a choice of a simultaneous turn; return True if it was the last one, and all have been applied."""
        state = self._state
        action = check_action(action, self._num_actions)
        mover = self._joint[0]
        if action not in state.legal_actions(mover):
            if self.illegal == "raise":
                text = self.game.action_text(action)
                raise IllegalActionError(
                    f"action {action} ({text}) is not legal for {self._names[mover]} in phase {state.phase}"
                )
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
        state = self._state
        outcome = state.outcome()
        winner = None if outcome is None or outcome.winner is None else self._names[outcome.winner]
        self._end(
            dict(zip(self._names, map(float, state.returns()), strict=True)), winner, outcome.reason if outcome else ""
        )

    def _truncate(self) -> None:
        reason = truncation_reason(self.game.max_decisions)
        self._end(dict.fromkeys(self._names, 0.0), None, reason, terminated=False, truncated=True)
        if self._writer is not None:
            self._writer.update(self._state)
            self._writer.stop(reason)
            self._writer = None

    def _lose(self, mover: int, action: int) -> None:
        EnvLogger.warn_on_illegal_move()
        reason = f"illegal action {action} ({self.game.action_text(action)}) by {self._names[mover]}"
        rewards = dict.fromkeys(self._names, 0.0)
        rewards[self._names[mover]] = -1.0
        self._steps += 1
        self._end(rewards, None, reason, truncated=True)
        if self._writer is not None:
            self._writer.stop(reason)
            self._writer = None

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
                f"{self.agent_selection} is done: the only action left to it is None, not {action!r}"
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
            info = {"action_mask": mask.copy()}
            if self.info_texts or self._texts:
                info |= {"phase": state.phase, "action_texts": self._action_texts(player)}
            self._infos[agent] = info
        # Wrappers of PettingZoo's set the ends from outside.
        return observation, reward, self.terminations[agent], self.truncations[agent], info

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation.

        Returns:
            ``"observation"``, float32[observation_size], and ``"action_mask"``, int8[num_actions], all zero unless it
            is the agent's turn. Fresh arrays.

        Raises:
            OrderError: before reset().
            GameOverError: all agents are done.
            OptionError: no such agent.
        """
        player = self._index[self._known(agent)]
        state = self._state
        if self._over:
            if not self.agents:
                raise GameOverError("the game is over and all agents are done: reset() begins another")
            mask = self._zeros.copy()
        elif agent == self.agent_selection:
            mask = state.legal_mask(None, player)
        else:
            mask = self._zeros.copy()
        return {"observation": state.observation(cast(int, player)), "action_mask": mask}

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The infos of the agents that are not done, by name.

        Each has ``"action_mask"`` (as in the observation), and when the game is over ``"outcome"``: a dict with
        ``"winner"``, an agent's name or None, and ``"reason"``. Texts come on request (`info_texts`, or ``"texts"`` in
        the options of `reset`), because libraries make tensors of infos: ``"phase"``, and ``"action_texts"``, a dict
        from legal action to its text. Infos are made when they are first read, and stay the same objects until the next
        step.
        """
        infos = self._infos
        if len(infos) < len(self.agents):
            for agent in self.agents:
                if agent not in infos:
                    infos[agent] = self._info(agent)
        return infos

    @infos.setter
    def infos(self, value: dict[str, dict[str, Any]]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._infos = value

    def _info(self, agent: str) -> dict[str, Any]:
        state, player = self._state, self._index[agent]
        turn = not self._over and agent == self.agent_selection
        info: dict[str, Any] = {"action_mask": state.legal_mask(None, player) if turn else self._zeros.copy()}
        if self.info_texts or self._texts:
            info |= {"phase": state.phase, "action_texts": self._action_texts(player) if turn else {}}
        if self._over:
            info["outcome"] = dict(self._outcome or {})
        return info

    def _action_texts(self, player: int) -> dict[int, str]:
        text = self.game.action_text
        return {action: text(action) for action in self._state.legal_actions(player)}

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Iterate over the agents in the order in which they decide; call step() in between.

        Raises:
            OrderError: before reset(), or when neither step() nor reset() was called since the last iteration.
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

    def state(self) -> NDArray[np.float32]:
        """Return all players' observations behind one another, float32[num_players * observation_size]."""
        return all_observations(self._state)

    @property
    def game_state(self) -> State:
        """The State that is being played."""
        return self._state

    # Pictures and records

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the position as the render_mode says; in the mode "human" show it in the window, and return None.

        Raises:
            OrderError: before reset().
            OptionError: the environment was made without a render_mode.
        """
        return render_with(self._renderer, self.metadata["render_fps"], self._state)

    def close(self) -> None:
        """Close the window and the record. The environment can be reset and used again."""
        if self._renderer is not None:
            self._renderer.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            self._extras = self.render_mode == "human"

    def _after_step(self) -> None:
        """Record and show the new position; chance at the node that a game starts from may have ended it already."""
        if self._writer is not None:
            if self._state.is_terminal:
                self._writer.finish(self._state)
                self._writer = None
            else:
                self._writer.update(self._state)
        if self.render_mode == "human":
            self.render()

    # Copies

    def __getattr__(self, name: str) -> Any:
        # Reached only for a name that nothing has set.
        if name in _MADE_BY_RESET:
            raise _NotResetError(f"reset() needs to be called first: there is no {name.lstrip('_')} before it")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        # Generators are made now, so that a copy continues as the original.
        if self._seeder is None:
            self._seeder = np.random.default_rng()
        fix_generators(*self.action_spaces.values(), *self.observation_spaces.values(), self.state_space)
        # A file cannot be written from two places: copies continue without the record.
        return {**self.__dict__, "_writer": None, "_extras": self.render_mode == "human"}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __deepcopy__(self, memo: dict[int, Any]) -> GameEnv:
        other = object.__new__(type(self))
        memo[id(self)] = other
        memo[id(self.game)] = self.game  # immutable, and shared by all copies
        other.__dict__.update(copy.deepcopy(self.__getstate__(), memo))
        return other

    def __repr__(self) -> str:
        return (
            f"<{self.metadata['name']}: {self._state!r}>" if "_state" in self.__dict__ else f"<{self.metadata['name']}>"
        )


def game_env_of(env: object) -> GameEnv:
    """Return the `GameEnv` that `env` is, or that PettingZoo's wrappers around it hold.

    Raises:
        OptionError: no AEC environment of this library.
    """
    found = env.unwrapped if isinstance(env, AECEnv) else None
    if not isinstance(found, GameEnv):
        raise OptionError(f"an AEC environment of hawaii_env is wanted, as hawaii1795_v1.env() makes it, not {env!r}")
    return found


def _path(value: object) -> os.PathLike[str] | str | None:
    """Return a path given as an option, or None."""
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise OptionError(f'options["record"] is a path, not {value!r}')
    return cast("os.PathLike[str] | str | None", value)
