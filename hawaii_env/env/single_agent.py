"""A game as a Gymnasium environment: one learner, and opponents that answer inside `step`.

```python
import gymnasium
import hawaii_env   # registers the ids

env = gymnasium.make("hawaii_env/Hawaii1795-v1", opponent="random", side="alternate")
observation, info = env.reset(seed=0)
action = env.action_space.sample(info["action_mask"])

envs = gymnasium.make_vec("hawaii_env/Hawaii1795-v1", num_envs=64, vectorization_mode="vector_entry_point")
```

The learner is asked only where it has a choice; everything until then (dice, forced decisions, the opponent's
decisions) happens in between. Lane i of the vector environment plays as the single one with seed + i; only an opponent
that draws, and is asked once for all lanes, as ``"random:seed=1"`` is, draws otherwise there.

The module knows no game: the registry's entry names one.
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

from hawaii_env._arguments import check_choice, check_options
from hawaii_env.env.opponents import Opponent
from hawaii_env.env.vector import GamesLike, check_actions, mode_of, reset_mask_of, seeds_of, settle_generators
from hawaii_env.env.versus import Side, Versus
from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State, check_action, check_seed
from hawaii_env.render.modes import RENDER_MODES, Renderer

__all__ = ["Opponent", "SingleAgentEnv", "SingleAgentVectorEnv", "Versus"]


def _check_illegal(illegal: object) -> None:
    check_choice("illegal", illegal, ("lose", "raise"))


def _nothing_to_render() -> OptionError:
    modes = " or ".join(f'"{mode}"' for mode in RENDER_MODES)
    return OptionError(f"nothing to render: make the environment with render_mode={modes}")


def _start_of(options: Mapping[str, Any] | None) -> State | None:
    start = check_options(options, "state", "reset_mask").get("state")
    if start is not None and not isinstance(start, State):
        raise OptionError(f'options["state"] is a State, not {start!r}')
    return start


class SingleAgentEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One game against an opponent.

    Observations are float32[O] as the learner sees the position. Infos have ``"action_mask"`` (int8[A]; zeros at the
    end) and ``"player"`` (the learner's index), and at the end ``"winner"`` (a player's index, or -1) and ``"reason"``;
    after an illegal action that lost the game also ``"illegal_action"``. The reward is +1, -1 or 0 at the end.

    Args:
        game, options: the name of a game with its options, or a `Game`.
        opponent, side: see `Versus`.
        illegal: ``"lose"``: an action of the table that is not legal loses the game, so that whoever samples the action
            space without the mask (Gymnasium's checks do) gets a valid episode. ``"raise"``: it raises
            IllegalActionError and changes nothing.
        render_mode: what render() gives: ``"ansi"`` text, ``"svg"`` an SVG document, ``"rgb_array"`` uint8[height,
            width, 3]; ``"human"``: each reset and step shows the position in a window, at most
            ``metadata["render_fps"]`` a second; or None. The last two need the extra ``render``.
        max_decisions: decisions of all players after which the game is truncated; None is the game's own limit.

    Raises:
        OptionError: an option that is none.
        MissingExtraError: what the render_mode needs is not installed.
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
        **options: Any,
    ) -> None:
        _check_illegal(illegal)
        self._renderer: Renderer | None = None if render_mode is None else Renderer(render_mode)
        self.render_mode = render_mode
        self.illegal = illegal
        self.versus: Versus = Versus(game, 1, opponent, side, max_decisions=max_decisions, **options)
        self.game: Game = self.versus.batch.games[0]
        self.observation_space: spaces.Space[NDArray[np.float32]] = cast(
            Any, self.versus.batch.single_observation_space
        )
        self.action_space: spaces.Discrete[np.int64] = self.versus.batch.single_action_space  # pyright: ignore[reportIncompatibleVariableOverride]
        if self._renderer is not None:
            self._renderer.title = self.game.name

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a game and return the learner's first decision: observation and info.

        Args:
            seed: an integer of 0 or more. Without one the first game is seeded by the operating system, and later ones
                go on with the generators of those before.
            options: ``"state"``: a State to start from.
        """
        if seed is not None:
            seed = check_seed(seed)
        start = _start_of(options)
        super().reset(seed=seed)
        self.versus.reset(seeds=[seed], state=start)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take the learner's decision; return observation, reward, terminated, truncated and info.

        Raises:
            IllegalActionError: no integer of the table; with ``illegal="raise"`` also one that is not legal.
            GameOverError: the game is over.
        """
        versus = self.versus
        chosen = check_action(action, versus.batch.num_actions)
        lost = versus.step(np.array([chosen], np.int64), lose=self.illegal == "lose")
        batch = versus.batch
        info = self._info()
        if batch.over[0]:
            info.update(versus.outcome(0))
            if lost:
                info["illegal_action"] = chosen
        if self.render_mode == "human":
            self.render()
        return (
            self._observation(),
            float(versus.rewards[0]),
            bool(batch.terminations[0]),
            bool(batch.truncations[0]),
            info,
        )

    def _observation(self) -> NDArray[np.float32]:
        return self.versus.observations[0].copy()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "player": int(self.versus.learners[0])}

    def action_masks(self) -> NDArray[np.int8]:
        """Return the learner's legal actions, int8[A]; zeros when the game is over."""
        return self.versus.masks[0].copy()

    def __getstate__(self) -> dict[str, Any]:
        settle_generators(self.observation_space, self.action_space)
        _ = self.np_random
        return self.__dict__

    @property
    def game_state(self) -> State:
        """A copy of the position, with its generator."""
        return self.versus.batch.get_state(0)

    def render(self) -> Any:
        """Return the position as the render_mode says; in the mode "human" show it in the window, and return None.

        Raises:
            OptionError: the environment was made without a render_mode.
        """
        if self._renderer is None:
            raise _nothing_to_render()
        self._renderer.fps = self.metadata["render_fps"] or 0
        return self._renderer.render(self.game_state)

    def close(self) -> None:
        """Close the lanes, opponents made from agent strings, and the window. May be called again."""
        if self._renderer is not None:
            self._renderer.close()
        self.versus.close()


class SingleAgentVectorEnv(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """N games against opponents, as a Gymnasium vector environment.

    It does what `gymnasium.vector.SyncVectorEnv` of N `SingleAgentEnv` does with the same seeds, on one batch. That
    holds for ``"random"``, for agent strings of agents that decide from positions (as ``"mcts:sims=100"``), and for
    functions and objects that draw and remember nothing. What else is asked once for all lanes (``"random:seed=1"``)
    plays as well, by one generator. Infos are arrays over the lanes with a mask ``"_" + key`` each, as Gymnasium
    defines.

    Args:
        game, opponent, side, illegal, max_decisions, options: as for `SingleAgentEnv`; a sequence of games, or lists
            among the options, are taken in turn by the lanes.
        render_mode: as for `SingleAgentEnv`; render() returns a tuple, one picture a lane, and the window of
            ``"human"`` shows lane 0.
        num_envs: N.
        autoreset_mode: of `gymnasium.vector.AutoresetMode`, or its text; NextStep is Gymnasium's default.
        copy: False returns the environment's own arrays of observations and masks, which the next call overwrites.
        threads, raw: see `hawaii_env.env.vector.BatchEnv`.

    Raises:
        OptionError: an option that is none.
        MissingExtraError: what the render_mode needs is not installed.
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
        **options: Any,
    ) -> None:
        _check_illegal(illegal)
        self._renderer: Renderer | None = None if render_mode is None else Renderer(render_mode)
        self.autoreset_mode: AutoresetMode = mode_of(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.illegal = illegal
        self.copy: bool = bool(copy)
        self.versus: Versus = Versus(
            game, num_envs, opponent, side, threads=threads, raw=raw, max_decisions=max_decisions, **options
        )
        batch = self.versus.batch
        self.num_envs: int = batch.num_envs
        self.single_observation_space: spaces.Box[Any] = batch.single_observation_space  # pyright: ignore[reportIncompatibleVariableOverride]
        self.single_action_space: spaces.Discrete[np.int64] = batch.single_action_space  # pyright: ignore[reportIncompatibleVariableOverride]
        self.observation_space: spaces.Space[Any] = batch_space(self.single_observation_space, self.num_envs)
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, self.num_envs)
        if self._renderer is not None:
            self._renderer.title = batch.games[0].name
        self._all = np.ones(self.num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a game in each lane.

        Args:
            seed: lane i gets seed + i; or one seed a lane.
            options: ``"reset_mask"``: bool[N], the lanes to reset. ``"state"``: a State to start from.
        """
        chosen = reset_mask_of(check_options(options, "reset_mask", "state"), self.num_envs)
        seeds = seeds_of(seed, self.num_envs)
        start = _start_of(options)
        if seeds is not None and seeds[0] is not None:
            super().reset(seed=seeds[0] % 2**63)
        self.versus.reset(None if chosen is None else np.flatnonzero(chosen).tolist(), seeds, start)
        if self.render_mode == "human":
            self.render()
        return self._out(self.versus.observations), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take the learner's decision in each lane; return observations, rewards, terminations, truncations and infos.

        Rewards are float64[N]. In the mode NextStep the action of a lane whose game is over is ignored.

        Raises:
            IllegalActionError: a wrong shape or type; with ``illegal="raise"`` also an action that is not legal, and
                then no lane has moved.
            GameOverError: mode Disabled: a lane's game is over.
        """
        versus, batch = self.versus, self.versus.batch
        batch.check_ready()
        chosen = check_actions(actions, self.num_envs, batch.num_actions)
        waiting = batch.over.copy()
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            waiting[:] = False
        lost = versus.step(chosen, ~waiting, lose=self.illegal == "lose")
        if waiting.any():
            versus.reset(np.flatnonzero(waiting).tolist())
        rewards = versus.rewards.astype(np.float64)
        terminations, truncations = batch.terminations.copy(), batch.truncations.copy()
        ended = np.flatnonzero(terminations | truncations).tolist()
        infos: dict[str, Any] = {}
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        for lane in ended:
            end = versus.outcome(lane)
            if lane in lost:
                end["illegal_action"] = int(chosen[lane])
            if same_step:
                mask = np.zeros(batch.num_actions, np.int8)
                final = {"action_mask": mask, "player": int(versus.learners[lane]), **end}
                end = {"final_obs": versus.observations[lane].copy(), "final_info": final}
            infos = self._add_info(infos, end, lane)
        if same_step and ended:
            versus.reset(ended)
        if self.render_mode == "human":
            self.render()
        return self._out(versus.observations), rewards, terminations, truncations, {**infos, **self._infos()}

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self._out(self.versus.masks),
            "_action_mask": self._all.copy(),
            "player": self.versus.learners.copy(),
            "_player": self._all.copy(),
        }

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def action_masks(self) -> NDArray[np.int8]:
        """Return the learner's legal actions, int8[N, A]; zeros where the game is over."""
        return self._out(self.versus.masks)

    def __getstate__(self) -> dict[str, Any]:
        settle_generators(self.observation_space, self.action_space)
        _ = self.np_random
        return self.__dict__

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return one value a lane: ``"action_masks"`` or ``"game_state"``, as of N single environments."""
        check_choice("call", name, ("action_masks", "game_state"))
        if name == "action_masks":
            return tuple(self.versus.masks.copy())
        return tuple(self.versus.batch.get_state(lane) for lane in range(self.num_envs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return one value a lane: see `call`."""
        return self.call(name)

    def render(self) -> tuple[Any, ...] | None:
        """Return the positions as the render_mode says, one a lane; in the mode "human" show lane 0 in the window, and
        return None.

        Raises:
            OptionError: the environment was made without a render_mode.
        """
        renderer, batch = self._renderer, self.versus.batch
        if renderer is None:
            raise _nothing_to_render()
        if self.render_mode == "human":
            renderer.fps = self.metadata["render_fps"] or 0
            renderer.render(batch.get_state(0))
            return None
        return tuple(renderer.render(batch.get_state(lane)) for lane in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads, and close opponents made from agent strings and the window."""
        # An environment whose making failed is closed, too.
        renderer = self.__dict__.get("_renderer")
        if renderer is not None:
            renderer.close()
        if "versus" in self.__dict__:
            self.versus.close()
