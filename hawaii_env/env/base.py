"""Base of a game's PettingZoo environments: arguments, spaces, resets, records, pictures, copies.

It implements the promises of both environments: an attribute that `reset` creates raises OrderError before it, a failed
call changes nothing, one seed fixes all later games, and copies continue as the original.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.env_logger import EnvLogger

from hawaii_env._arguments import check_choice, check_flag, check_kind, check_options, check_path, check_text
from hawaii_env.core.rng import draw_words
from hawaii_env.env.shared import (
    agent_spaces,
    all_observations,
    check_position,
    fix_generators,
    observation_space,
    render_with,
    truncation_reason,
)
from hawaii_env.errors import IllegalActionError, OptionError, OrderError
from hawaii_env.game import Game, State, check_seed
from hawaii_env.pools import Draws, begin_game
from hawaii_env.records import RecordWriter, check_players
from hawaii_env.render.modes import RENDER_MODES, Renderer
from hawaii_env.rewards import StateRewards
from hawaii_env.texts import show_value

__all__ = ["BaseGameEnv"]


class _NotResetError(OrderError, AttributeError):
    """An attribute created by reset(), read before reset()."""


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
        "_outcome",
        "_over",
        "_seats",
        "_state",
    }
)


class BaseGameEnv:
    """Base of the AEC and the parallel environment of one game.

    Args:
        game, render_mode, illegal, name: see `hawaii_env.env.aec.GameEnv`.

    Attributes:
        game, info_texts, warn_illegal: see `hawaii_env.env.aec.GameEnv`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  PettingZoo keeps it on the class
        "name": "game_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 4,
    }
    agents: list[str]
    _state: State
    _outcome: dict[str, Any] | None

    def __init__(
        self,
        game: Game,
        render_mode: str | None,
        illegal: Literal["raise", "lose"],
        name: str | None,
        starts: Any = None,
        rules: Draws | None = None,
        step_reward: Any = None,
    ) -> None:
        super().__init__()
        check_kind("game", game, Game)
        self._kinds: list[Game] = list({id(one): one for one in [game, *(rules.games if rules else [])]}.values())
        self._rules: Draws | None = rules
        self.set_starts(starts)
        self._step_rewards: StateRewards | None = None if step_reward is None else StateRewards(step_reward, game)
        self._draw_seed, self._draw_words = 0, list[int]()  # of the generator of draws; no words before the first draw
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
        self.observation_spaces: dict[str, Any]
        self.action_spaces: dict[str, Any]
        self.observation_spaces, self.action_spaces = agent_spaces(self._kinds)
        space = observation_space(self._kinds)
        self.state_space: spaces.Box[np.float32] = spaces.Box(
            np.tile(space.low, game.num_players), np.tile(space.high, game.num_players), dtype=np.float32
        )
        self._seeder: np.random.Generator | None = None  # seeds for positions that bring no generator
        self._writer: RecordWriter | None = None
        self._extras = False  # True if each step needs slow extra work
        self._texts = False
        self.warn_illegal = True

    # Spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space; every call returns the same object.

        Raises:
            OptionError: no such agent.
        """
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space; every call returns the same object.

        Raises:
            OptionError: no such agent.
        """
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: object) -> str:
        if not isinstance(agent, str) or agent not in self._index:
            raise OptionError(f"there is no agent {show_value(agent)}; the agents are {', '.join(self._names)}")
        return agent

    # The game

    @property
    def game_state(self) -> State:
        """The current State."""
        return self._state

    def state(self) -> NDArray[np.float32]:
        """Return the concatenated observations of all players, float32[num_players * observation_size].

        Raises:
            OrderError: before reset().
        """
        return all_observations(self._state)

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Begin a game; the arguments are those of `reset`. An error changes nothing."""
        if seed is not None:
            seed = check_seed(seed)
        options = check_options(options, "state", "texts", "record", "players", "trace")
        record = options.get("record")
        if record is not None:
            record = check_path('options["record"]', record)
        texts, trace = (_flag(options, key) for key in ("texts", "trace"))
        traced = trace or record is not None
        players = check_players(options.get("players"), self.game)
        start = options.get("state")
        seeder = self._seeder if seed is None else np.random.default_rng(seed)
        known_seed, position = seed, None
        draw_seed, words = (self._draw_seed, self._draw_words) if seed is None else (seed, [])
        if start is None:
            before = self.__dict__.get("_state") if seed is None else None
            # A copy made before the first game plays the same one.
            first = int(seeder.integers(2**63)) if seed is None and before is None and seeder is not None else seed
            game = self._kinds[0]
            if self._draws is not None:
                if before is None:
                    first = draw_seed = secrets.randbits(62) if first is None else first
                words = words.copy() or draw_words([draw_seed])[0].tolist()
                game, position = self._draws.draw(words)
            state = begin_game(game, position, before, first, traced)
        else:
            state, known_seed, seeder = self._copy_of(start, seed, seeder, traced)
        writer = None
        if record is not None:
            shown = start if position is None else position
            writer = RecordWriter(record, state.game, seed=known_seed, players=players, start=shown)
        if self._writer is not None:
            self._writer.close()
        self._writer = writer
        self._seeder = seeder
        self._state = state
        self._draw_seed, self._draw_words = draw_seed, words
        self._set_game(state.game)
        self._texts = texts
        self._extras = writer is not None or self.render_mode == "human"
        self._outcome = None
        self.agents = self.possible_agents[:]

    @property
    def _most_decisions(self) -> int:
        """The number of decisions after which a game is truncated."""
        return max(game.max_decisions for game in self._kinds)

    def _set_game(self, game: Game) -> None:
        """Set the current game, which changes if rulesets are drawn."""
        self.game: Game = game

    def set_starts(self, starts: Any) -> None:
        """Set the start positions from the next `reset` on; see `hawaii_env.make`.

        Raises:
            OptionError: as `hawaii_env.make`; nothing changes.
        """
        self._draws = self._rules if starts is None else Draws.of_starts(starts, self._kinds)

    def _copy_of(
        self, start: object, seed: int | None, seeder: np.random.Generator | None, traced: bool
    ) -> tuple[State, int | None, np.random.Generator | None]:
        """Return a copy of the position to start from, its seed if known, and the generator of further seeds."""
        mine = next((game for game in self._kinds if isinstance(start, State) and game == start.game), self.game)
        start = check_position('options["state"]', start, mine)
        if seed is None and start.chance == "explicit":
            seeder = np.random.default_rng() if seeder is None else seeder
            seed = int(seeder.integers(2**63))
        return start.clone(seed=seed, trace=traced), seed, seeder

    def _result(self) -> tuple[list[float], str | None, str]:
        """Return the returns of a game that is over, the winner's name or None, and the reason."""
        outcome = self._state.outcome()
        winner = None if outcome is None or outcome.winner is None else self._names[outcome.winner]
        return [float(value) for value in self._state.returns()], winner, outcome.reason if outcome else ""

    def _rewards_of(self, own: dict[str, float]) -> dict[str, float]:
        """Return the rewards of an applied step by agent, given the game's own."""
        if self._step_rewards is None:
            return own
        return dict(zip(self._names, self._step_rewards.of(self._state, list(own.values())), strict=True))

    def _not_legal(self, state: State, player: int, action: int) -> IllegalActionError:
        """Return the error for a player's illegal action; it names the rule if the state asks only this player."""
        if state.current_player == player:
            try:
                state.apply(action)
            except IllegalActionError as error:
                return IllegalActionError(f"{self._names[player]}: {error}")
        text = self.game.action_text(action)
        return IllegalActionError(
            f"action {action} ({text}) is not legal for {self._names[player]} in phase {state.phase}"
        )

    def _stop_truncated(self) -> str:
        """End the record of a game that is truncated; return the reason."""
        reason = truncation_reason(self._most_decisions)
        if self._writer is not None:
            self._writer.update(self._state)
        self._stop_record(reason)
        return reason

    def _stop_illegal(self, chosen: Mapping[int, int]) -> tuple[dict[str, float], str]:
        """End the record of a game that ends by illegal actions, given by player, and warn the first time.

        Returns:
            The rewards by agent: -1 for each of these players, 0 for the others; and the reason.
        """
        if self.warn_illegal:
            # Libraries that sample without masks would fill the terminal; each game's info tells it, too.
            EnvLogger.warn_on_illegal_move()
            self.warn_illegal: bool = False
        text = self.game.action_text
        reason = "illegal action " + ", ".join(
            f"{action} ({text(action)}) by {self._names[player]}" for player, action in chosen.items()
        )
        self._stop_record(reason)
        return {name: -1.0 if player in chosen else 0.0 for name, player in self._index.items()}, reason

    def _stop_record(self, reason: str) -> None:
        if self._writer is not None:
            self._writer.stop(reason)
            self._writer = None

    def _new_info(self, player: int, mask: NDArray[np.int8], state: State) -> dict[str, Any]:
        """Return an agent's info.

        Args:
            player: the agent's index.
            mask: its mask; all zero if it does not act.
            state: the position in which it acts.
        """
        info: dict[str, Any] = {"action_mask": mask}
        if self.info_texts or self._texts:
            acts = mask.any()
            phase = state.phase if acts else self._state.known_phase(player)
            legal = state.legal_actions(player) if acts else ()
            info |= {"phase": phase, "action_texts": {action: self.game.action_text(action) for action in legal}}
        if self._outcome is not None:
            info["outcome"] = dict(self._outcome)
        return info

    # Pictures and records

    def render(self) -> Any:
        """Render the position by the render_mode; ``"human"`` shows it in the window and returns None.

        Raises:
            OrderError: before reset().
            OptionError: the environment was made without a render_mode.
        """
        return render_with(self._renderer, self.metadata["render_fps"], self._state)

    def close(self) -> None:
        """Close the window and the record. May be called repeatedly; the environment can be reset and used again."""
        if self._renderer is not None:
            self._renderer.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            self._extras = self.render_mode == "human"

    def _after_step(self) -> None:
        """Record and show the new position; chance at the start node may already have ended the game."""
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
            raise _NotResetError("reset() needs to be called first")
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

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        other = object.__new__(type(self))
        memo[id(self)] = other
        memo.update((id(game), game) for game in self._kinds)  # immutable, and shared by all copies
        other.__dict__.update(copy.deepcopy(self.__getstate__(), memo))
        return other

    def __repr__(self) -> str:
        return (
            f"<{self.metadata['name']}: {self._state!r}>" if "_state" in self.__dict__ else f"<{self.metadata['name']}>"
        )


def _flag(options: Mapping[str, Any], key: str) -> bool:
    """Return a boolean option of `reset`; False if it is missing or None."""
    value = options.get(key)
    return value is not None and check_flag(f'options["{key}"]', value)
