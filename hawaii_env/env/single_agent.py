"""Gymnasium environments of any game: one learner, and opponents that answer inside `step`.

```python
import gymnasium
import hawaii_env   # registers the ids

env = gymnasium.make("hawaii_env/Hawaii1795-v1", opponent="random", side="alternate")
observation, info = env.reset(seed=0)
action = env.action_space.sample(info["action_mask"])

envs = gymnasium.make_vec("hawaii_env/Hawaii1795-v1", num_envs=64, vectorization_mode="vector_entry_point")
```

The learner decides only if it has a choice; dice, forced decisions and the opponents' decisions happen in between.
Environment i of the vector environment plays as the single one with seed + i, unless a stochastic opponent serves all
environments in one call, such as ``"random:seed=1"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_flag, check_options
from hawaii_env.core.batch import check_actions
from hawaii_env.env.batch_games import GamesLike
from hawaii_env.env.opponents import Opponent
from hawaii_env.env.runner import seeds_of
from hawaii_env.env.shared import fix_generators, render_with
from hawaii_env.env.vector import mode_of, reset_mask_of
from hawaii_env.env.versus import Side, Versus
from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State, check_action, check_seed
from hawaii_env.render.modes import RENDER_MODES, Renderer

__all__ = ["Opponent", "SingleAgentEnv", "SingleAgentVectorEnv"]


def _start_of(options: Mapping[str, Any] | None) -> State | None:
    start = check_options(options, "state", "reset_mask").get("state")
    if start is not None and not isinstance(start, State):
        raise OptionError(f'options["state"]: expected a State, not {start!r}')
    return start


class SingleAgentEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """Gymnasium environment of one game against opponents.

    Observations are float32[O] as the learner sees the position. Infos have ``"action_mask"`` (int8[A]; all zero at the
    end), ``"player"`` (the learner's index) and ``"opponent"`` (the opponent's index in its pool), and at the end
    ``"winner"`` (a player's index, or -1) and ``"reason"``; after an illegal action that lost the game also
    ``"illegal_action"``. Rewards are 0 until the end, unless there is a `step_reward`.

    Args:
        game, options: the name of a game with its options, or a `Game`.
        opponent, side: see `hawaii_env.env.versus.Versus`.
        illegal: ``"lose"``: an illegal action of the table loses the game, so that sampling the action space without
            the mask, as Gymnasium's checker does, gives a valid episode. ``"raise"``: it raises IllegalActionError and
            changes nothing.
        render_mode: the result of `render`: ``"ansi"`` a text, ``"svg"`` an SVG document, ``"rgb_array"`` uint8[height,
            width, 3]; ``"human"`` shows the position in a window after each reset and step, at most
            ``metadata["render_fps"]`` times a second; None: nothing. The last two need the extra ``render``.
        max_decisions: decisions of all players after which the game is truncated; None is the game's own limit.
        starts, step_reward: start positions, and a reward that replaces the game's own, for the learner's step from one
            decision to its next; see `hawaii_env.make_batch`.

    Attributes:
        game: the game.
        game_state: a copy of the position, with its generator.

    Raises:
        OptionError: an unknown game or opponent, or a wrong option.
        MissingExtraError: the render_mode needs a library that is not installed.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  as Gymnasium has it

    def __init__(
        self,
        game: GamesLike,
        opponent: Opponent | Sequence[Opponent] = "random",
        side: Side = "alternate",
        illegal: Literal["lose", "raise"] = "lose",
        render_mode: str | None = None,
        max_decisions: int | None = None,
        starts: Any = None,
        step_reward: Any = None,
        **options: Any,
    ) -> None:
        check_choice("illegal", illegal, ("lose", "raise"))
        self._renderer: Renderer | None = None if render_mode is None else Renderer(render_mode)
        self.render_mode = render_mode
        self.illegal = illegal
        self._versus = Versus(
            game, 1, opponent, side, max_decisions=max_decisions, starts=starts, step_reward=step_reward, **options
        )
        runner = self._versus.runner
        self.game: Game = runner.kinds[0]
        self.observation_space: spaces.Space[NDArray[np.float32]] = cast(Any, runner.observation_space)
        self.action_space: spaces.Discrete[np.int64] = runner.action_space  # pyright: ignore[reportIncompatibleVariableOverride]
        if self._renderer is not None:
            self._renderer.title = self.game.name

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a game and return the learner's first decision: observation and info.

        Args:
            seed: an integer of 0 or more. Without one, the operating system seeds the first game, and later ones
                continue with its generators.
            options: ``"state"``: a State to start from.
        """
        if seed is not None:
            seed = check_seed(seed)
        start = _start_of(options)
        super().reset(seed=seed)
        self._versus.reset(seeds=[seed], state=start)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Apply the learner's decision; return observation, reward, terminated, truncated and info.

        Args:
            action: an integer from 0 to A - 1.

        Raises:
            IllegalActionError: not an integer of the table; with ``illegal="raise"`` also an illegal action.
            GameOverError: the game is over.
        """
        versus, out = self._versus, self._versus.runner.arrays
        chosen = check_action(action, versus.runner.num_actions)
        lost = versus.step(np.array([chosen], np.int64), lose=self.illegal == "lose")
        info = self._info()
        if out.over[0]:
            info.update(versus.outcome(0))
            if lost:
                info["illegal_action"] = chosen
        if self.render_mode == "human":
            self.render()
        return (
            self._observation(),
            float(versus.rewards[0]),
            bool(out.terminations[0]),
            bool(out.truncations[0]),
            info,
        )

    def _observation(self) -> NDArray[np.float32]:
        return self._versus.observations[0].copy()

    def _info(self) -> dict[str, Any]:
        versus = self._versus
        return {
            "action_mask": self.action_masks(),
            "player": int(versus.learners[0]),
            "opponent": int(versus.places[0]),
        }

    def set_opponent(self, opponent: Any) -> None:
        """Change the opponent, or the sequence or pool of opponents, from the next game on.

        Raises:
            OptionError: an unknown opponent or an empty pool; nothing has changed.
        """
        self._versus.set_opponent(opponent)

    def set_starts(self, starts: Any) -> None:
        """Set the start positions, from the next game on; see `hawaii_env.make_batch`.

        Raises:
            OptionError: as `hawaii_env.make_batch`; nothing has changed.
        """
        self._versus.runner.set_starts(starts)

    def action_masks(self) -> NDArray[np.int8]:
        """Return the learner's legal actions, int8[A]; all zero if the game is over.

        Raises:
            OrderError: before reset().
            ClosedError: the environment is closed.
        """
        self._versus.runner.check_ready()
        return self._versus.masks[0].copy()

    def __getstate__(self) -> dict[str, Any]:
        fix_generators(self.observation_space, self.action_space)
        _ = self.np_random
        return self.__dict__

    @property
    def game_state(self) -> State:
        """A copy of the position, with its generator."""
        return self._versus.runner.get_state(0)

    def render(self) -> Any:
        """Return the position as the render_mode says; in the mode "human" show it in the window, and return None.

        Raises:
            OptionError: the environment was made without a render_mode.
        """
        return render_with(self._renderer, self.metadata["render_fps"], self.game_state)

    def close(self) -> None:
        """Close the game, opponents made from strings, and the window. May be called repeatedly."""
        if self._renderer is not None:
            self._renderer.close()
        self._versus.close()


class SingleAgentVectorEnv(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """Gymnasium vector environment of N games against opponents.

    With the same seeds it plays as a `gymnasium.vector.SyncVectorEnv` of N `SingleAgentEnv`, on one batch. That holds
    for ``"random"``, for agent strings whose agents decide from positions (such as ``"mcts:sims=100"``), and for
    deterministic, stateless functions and objects. Other opponents are called once for all environments
    (``"random:seed=1"``) and use one generator. Infos are arrays over the environments with a mask ``"_" + key`` each,
    as Gymnasium defines.

    Args:
        game, opponent, side, illegal, max_decisions, starts, step_reward, options: see `SingleAgentEnv`; the
            environments use a sequence of games, or lists among the options, in turn.
        render_mode: see `SingleAgentEnv`; `render` returns a tuple with one picture per environment, and the window of
            ``"human"`` shows environment 0.
        num_envs: N.
        autoreset_mode: of `gymnasium.vector.AutoresetMode`, or its text; NextStep is Gymnasium's default.
        copy: False returns the environment's own arrays of observations and masks, which the next call overwrites.
        threads, raw: see `hawaii_env.env.vector.BatchEnv`.

    Raises:
        OptionError: an unknown game, opponent or mode, or a wrong option.
        MissingExtraError: the render_mode needs a library that is not installed.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  as Gymnasium has it

    def __init__(
        self,
        game: GamesLike,
        num_envs: int = 1,
        opponent: Opponent | Sequence[Opponent] = "random",
        side: Side = "alternate",
        illegal: Literal["lose", "raise"] = "lose",
        render_mode: str | None = None,
        max_decisions: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        raw: bool = False,
        starts: Any = None,
        step_reward: Any = None,
        **options: Any,
    ) -> None:
        check_choice("illegal", illegal, ("lose", "raise"))
        self._renderer: Renderer | None = None if render_mode is None else Renderer(render_mode)
        self.autoreset_mode: AutoresetMode = mode_of(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.illegal = illegal
        self.copy: bool = check_flag("copy", copy)
        self._versus = Versus(
            game,
            num_envs,
            opponent,
            side,
            threads=threads,
            raw=raw,
            max_decisions=max_decisions,
            starts=starts,
            step_reward=step_reward,
            **options,
        )
        runner = self._versus.runner
        self.num_envs: int = runner.num_envs
        self.single_observation_space: spaces.Box[Any] = runner.observation_space  # pyright: ignore[reportIncompatibleVariableOverride]
        self.single_action_space: spaces.Discrete[np.int64] = runner.action_space  # pyright: ignore[reportIncompatibleVariableOverride]
        self.observation_space: spaces.Space[Any] = batch_space(self.single_observation_space, self.num_envs)
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, self.num_envs)
        if self._renderer is not None:
            self._renderer.title = runner.kinds[0].name
        self._all = np.ones(self.num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a game in each environment; return the learner's first observations, and infos.

        Args:
            seed: environment i gets seed + i; or a sequence of N seeds.
            options: ``"reset_mask"``: bool[N], the environments to reset. ``"state"``: a State to start from.

        Raises:
            OptionError: a wrong seed or option.
        """
        chosen = reset_mask_of(check_options(options, "reset_mask", "state"), self.num_envs)
        seeds = seeds_of(seed, self.num_envs)
        start = _start_of(options)
        if seeds is not None and seeds[0] is not None:
            super().reset(seed=seeds[0] % 2**63)
        self._versus.reset(None if chosen is None else np.flatnonzero(chosen).tolist(), seeds, start)
        if self.render_mode == "human":
            self.render()
        return self._out(self._versus.observations), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Apply the learner's decision in each environment.

        Args:
            actions: integers of shape (N,). In the mode NextStep, the action of an environment whose game is over is
                ignored.

        Returns:
            Observations, rewards float64[N], terminations, truncations and infos.

        Raises:
            IllegalActionError: a wrong shape or type; with ``illegal="raise"`` also an action that is not legal, and
                then nothing has changed.
            GameOverError: mode Disabled: an environment's game is over.
        """
        versus, runner, out = self._versus, self._versus.runner, self._versus.runner.arrays
        runner.check_ready()
        chosen = check_actions(actions, self.num_envs, runner.num_actions)
        waiting = out.over.copy()
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            waiting[:] = False
        lost = versus.step(chosen, ~waiting, lose=self.illegal == "lose")
        if waiting.any():
            versus.reset(np.flatnonzero(waiting).tolist())
        rewards = versus.rewards.astype(np.float64)
        terminations, truncations = out.terminations.copy(), out.truncations.copy()
        ended = np.flatnonzero(terminations | truncations).tolist()
        infos: dict[str, Any] = {}
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        for i in ended:
            end = versus.outcome(i)
            if i in lost:
                end["illegal_action"] = int(chosen[i])
            if same_step:
                mask = np.zeros(runner.num_actions, np.int8)
                final = {
                    "action_mask": mask,
                    "player": int(versus.learners[i]),
                    "opponent": int(versus.places[i]),
                    **end,
                }
                end = {"final_obs": versus.observations[i].copy(), "final_info": final}
            infos = self._add_info(infos, end, i)
        if same_step and ended:
            versus.reset(ended)
        if self.render_mode == "human":
            self.render()
        return self._out(versus.observations), rewards, terminations, truncations, {**infos, **self._infos()}

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self._out(self._versus.masks),
            "_action_mask": self._all.copy(),
            "player": self._versus.learners.copy(),
            "_player": self._all.copy(),
            "opponent": self._versus.places.copy(),
            "_opponent": self._all.copy(),
        }

    set_opponent = SingleAgentEnv.set_opponent
    set_starts = SingleAgentEnv.set_starts
    __getstate__ = SingleAgentEnv.__getstate__

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def action_masks(self) -> NDArray[np.int8]:
        """Return the learner's legal actions, int8[N, A]; all zero if the game is over.

        Raises:
            OrderError: before reset().
            ClosedError: the environment is closed.
        """
        self._versus.runner.check_ready()
        return self._out(self._versus.masks)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return ``"action_masks"`` or ``"game_state"`` of each environment, as for N single environments."""
        check_choice("call", name, ("action_masks", "game_state"))
        if name == "action_masks":
            return tuple(self.action_masks().copy())
        return tuple(self._versus.runner.get_state(i) for i in range(self.num_envs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return a value of each environment: see `call`."""
        return self.call(name)

    def render(self) -> tuple[Any, ...] | None:
        """Return the positions as the render_mode says; in the mode "human" show the first in the window, and return
        None.

        Raises:
            OptionError: the environment was made without a render_mode.
        """
        shown = 1 if self.render_mode in (None, "human") else self.num_envs
        fps = self.metadata["render_fps"]
        pictures = [render_with(self._renderer, fps, self._versus.runner.get_state(i)) for i in range(shown)]
        return None if self.render_mode == "human" else tuple(pictures)

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads, and close opponents made from strings and the window."""
        # Also called if the constructor failed.
        renderer = self.__dict__.get("_renderer")
        if renderer is not None:
            renderer.close()
        if "_versus" in self.__dict__:
            self._versus.close()
