"""OpenSpiel: every game as a registered Python game, with its chance nodes explicit.

```python
import pyspiel
import hawaii_env.integrations.openspiel  # registers the games

game = pyspiel.load_game("hawaii1795(scenario=short)")
state = game.new_initial_state()
print(state.is_chance_node(), state.legal_actions())
```

The games are those of game records (`hawaii_env.games`), under the same names; `register` adds others. Parameters of a
game that are texts, numbers or bools are parameters of the OpenSpiel game; a parameter whose default is None (`rules`)
is a text here, and empty means None. The parameter `starts` is the path of a file with one position per line
(`hawaii_env.pools`): the first node is then a chance node with those positions as equally likely outcomes.

An OpenSpiel state wraps a `State` of this library in its attribute `position`, in the explicit mode. Actions have the
numbers and texts of the action table, chance outcomes those of `State.chance_outcomes`, and the engine makes decisions
with one legal choice. In games of perfect information an information state is the history of the game.

Games and states can be pickled, whatever their parameters. ``pyspiel.serialize_game_and_state`` and ``str(game)`` write
parameters as a text, which OpenSpiel cannot read back if a value (a folder of rules) contains a comma, an equals sign
or a bracket.

`AgentBot` is an agent of this library as an OpenSpiel bot. The module needs open_spiel: ``pip install
"hawaii-env[openspiel]"``.
"""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pyspiel
from numpy.typing import NDArray

from hawaii_env import agents, games
from hawaii_env._arguments import check_count
from hawaii_env.errors import OptionError
from hawaii_env.game import CHANCE, Decision, Game, State, difference
from hawaii_env.pools import Draws
from hawaii_env.render.text import render_text

__all__ = ["AgentBot", "OpenSpielGame", "OpenSpielObserver", "OpenSpielState", "register"]

_DYNAMICS: dict[str, pyspiel.GameType.Dynamics] = {
    "sequential": pyspiel.GameType.Dynamics.SEQUENTIAL,
    "sealed": pyspiel.GameType.Dynamics.SEQUENTIAL,  # asked one after the other, and hidden: imperfect information
    "simultaneous": pyspiel.GameType.Dynamics.SIMULTANEOUS,
}


class OpenSpielGame(pyspiel.Game):
    """A game of this library for OpenSpiel; made by ``pyspiel.load_game``, in a subclass from `register`.

    Attributes:
        rules: the `hawaii_env.game.Game`.
        starts: the start positions; empty for the normal start.
    """

    kind: pyspiel.GameType
    make: Callable[..., Game]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        defaults = _defaults(self.make)
        files = ["starts"]
        if defaults.get("rules", "") is None and os.path.isdir(given.get("rules") or ""):
            files.append("rules")
        for key in filter(given.get, files):  # a process that unpickles the game may stand in another folder
            given[key] = os.path.abspath(given[key])
        # None has no place among OpenSpiel's parameters: where it is the default, an empty text stands for it.
        arguments = {
            key: None if defaults.get(key, "") is None and value == "" else value for key, value in given.items()
        }
        path = arguments.pop("starts", "")
        rules = self.make(**arguments)
        self.starts: list[Any] = Draws.of_starts(path, [rules]).positions if path else []
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.num_actions,
            max_chance_outcomes=max(rules.max_chance_outcomes, len(self.starts)),
            num_players=rules.num_players,
            min_utility=rules.min_return,
            max_utility=rules.max_return,
            utility_sum=0.0 if rules.utility == "zero_sum" else None,
            max_game_length=rules.max_decisions,
        )
        super().__init__(self.kind, info, given)
        self.rules = rules

    def new_initial_state(self) -> OpenSpielState:
        """Return a new game's first position."""
        return OpenSpielState(
            self, self.rules.initial_state(chance="explicit", trace=_is_traced(self.rules)), self.starts
        )

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> OpenSpielObserver:
        """Return an observer; see `OpenSpielObserver`."""
        return OpenSpielObserver(self.rules, iig_obs_type, params)

    def __reduce__(self) -> Any:
        # The classes are made by register(), so pickles name the game as OpenSpiel does. Not by str(self): OpenSpiel
        # reads no text back whose values have commas, equals signs or brackets.
        return _load, (self.get_type().short_name, self.get_parameters())


class OpenSpielState(pyspiel.State):
    """A position for OpenSpiel; its methods are those of ``pyspiel.State``.

    Args:
        game: the OpenSpiel game.
        position: the position, in the explicit mode. ``OpenSpielState(game, state.for_search())`` lets OpenSpiel search
            a game played elsewhere. Such a state has an empty `history`, a true `is_initial_state` and an empty
            information state, so tabular algorithms cannot distinguish these states.
        starts: positions from which chance first draws one, instead of `position`.

    Attributes:
        position: the `hawaii_env.game.State`, for reading; change it only by `apply_action`.
        begun: the start drawn by chance; None without one.

    Raises:
        OptionError: a position of other rules, or one that rolls its own dice.
    """

    def __init__(self, game: OpenSpielGame, position: State, starts: Sequence[State] = ()) -> None:
        super().__init__(game)
        ours, theirs = game.rules, position.game
        if position.chance != "explicit":
            raise OptionError("position: OpenSpiel rolls the dice; pass state.for_search()")
        if other := difference(theirs, ours):
            raise OptionError(f"position: it is one of {other}")
        self.position = position
        self._starts = starts
        self.begun: State | None = None

    # Where OpenSpiel's numbers are ours (chance -1, simultaneous -2, terminal -4), they are passed through.

    def current_player(self) -> int:
        """Return the player to act: an index, or ``pyspiel.PlayerId.CHANCE``, ``SIMULTANEOUS`` or ``TERMINAL``."""
        return CHANCE if self._starts else self.position.current_player

    def is_terminal(self) -> bool:
        """Return True if the game is over."""
        return self.position.is_terminal

    def returns(self) -> list[float]:
        """Return each player's result, -1 to 1; zeros before the end."""
        return self.position.returns()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the chance node with their probabilities: a die's faces 1 to 6, a card's number, the
        place of a start in its file.
        """
        if self._starts:
            return [(number, 1 / len(self._starts)) for number in range(len(self._starts))]
        return self.position.chance_outcomes()

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self._starts else self.position.legal_actions(player)

    def _apply_action(self, action: int) -> None:
        if self._starts:
            self.begun, self._starts = self._starts[action], ()
            self.position = self.begun.clone(trace=_is_traced(self.begun.game))
        elif self.position.current_player == CHANCE:
            self.position.apply_chance(action)
        else:
            self.position.apply(action)

    def _apply_actions(self, actions: list[int]) -> None:
        # OpenSpiel gives one a player, of which those without a choice are meaningless.
        self.position.apply_joint({player: actions[player] for player in self.position.acting_players})

    def _action_to_string(self, player: int, action: int) -> str:
        if self._starts:
            return f"start {action}"
        if player == CHANCE:
            return self.position.chance_text(action)
        return self.position.game.action_text(action)

    def __str__(self) -> str:
        # OpenSpiel takes it for the whole position, so it hides nothing.
        position = self.position
        text = render_text(position) if position.game.information == "perfect" else position.to_json(secrets=True)
        return f"one of {len(self._starts)} starts comes" if self._starts else text

    def __reduce__(self) -> Any:
        # pyspiel's own pickles name the game by its text: see OpenSpielGame.__reduce__.
        return _load_state, (self.get_game(), self.serialize())


class OpenSpielObserver:
    """An observer of a player's view, in OpenSpiel's form.

    With perfect recall (an information state) it is only a string, the history of the game; otherwise the observation.

    Args:
        game: the game.
        iig_obs_type: the requested type; None means the plain observation.
        params: OpenSpiel's parameters of observers; none are supported.

    Attributes:
        tensor: float32[observation_size], or None if it has none.
        dict: ``{"observation": tensor}``, or empty.

    Raises:
        OptionError: parameters were given.
    """

    def __init__(
        self,
        game: Game,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        if params:
            raise OptionError(f"observers of {game.name} have no parameters; {dict(params)} were given")
        self._open = game.information == "perfect"
        self._recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        # An observation shows what is public and what is the player's own as one; it has no part for what is private
        # alone.
        self._public = iig_obs_type is None or iig_obs_type.public_info
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if self._public and not self._recall:
            self.tensor = np.zeros(game.observation_size, np.float32)
            self.dict["observation"] = self.tensor

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write the view of `player` into `tensor`."""
        if self.tensor is not None:
            state.position.observation(player, out=self.tensor)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return the view of `player` as a string.

        An observation is its values that are not zero, unscaled, as ``index:value``; an information state the history.
        """
        if not self._public:
            return ""
        if self._recall:
            return state.history_str() if self._open else _known_history(state.position, player, state.begun)
        values = state.position.observation(player, raw=True)
        return " ".join(f"{index}:{values[index]}" for index in np.flatnonzero(values).tolist())


class AgentBot(pyspiel.Bot):
    """An agent of this library as an OpenSpiel bot, for the games registered here.

    Args:
        agent: an agent string (``"rule-of-thumb"``, ``"mcts:sims=100"``) or an agent.
        game: the OpenSpiel game.
        player: its player.
        seed: for an agent made from an agent string.

    Raises:
        OptionError: an unknown agent, or no such player.
    """

    def __init__(self, agent: str | agents.Agent, game: OpenSpielGame, player: int, seed: int = 0) -> None:
        super().__init__()
        check_count("player", player, least=0, most=game.num_players() - 1)
        self.agent: agents.Agent = agents.load_agent(agent, seed=seed)
        self._rules, self._player = game.rules, player
        self.restart()

    def restart(self) -> None:
        """Begin a game."""
        agents.begin(self.agent, self._rules, self._player)

    def restart_at(self, state: OpenSpielState) -> None:
        """Begin a game at a position."""
        del state
        self.restart()

    def step(self, state: OpenSpielState) -> int:
        """Return the agent's action."""
        position = state.position.for_search(self._player)
        return int(self.agent.act(position, position.legal_actions(self._player), None))


def _is_traced(game: Game) -> bool:
    """Return True if the game has hidden information: a player's history is then read from the trace."""
    return game.information != "perfect"


def _known_history(position: State, player: int, begun: State | None) -> str:
    """Return the history as `player` may know it, as a string: the start that chance took as he sees it, chance by its
    texts, decisions with their player.
    """
    events = [event for event in position.trace or () if position.may_see(event, player)]
    known = [f"{e.player} {e.text}" if isinstance(e, Decision) else e.text for e in events]
    return "; ".join(known if begun is None else [begun.to_json(player=player), *known])


def _load(name: str, parameters: dict[str, Any]) -> Any:
    """Return the game that a pickle names; importing this module registers it."""
    return pyspiel.load_game(name, parameters)


def _load_state(game: Any, text: str) -> Any:
    """Return the state that a pickle holds."""
    return game.deserialize_state(text)


def _defaults(make: Callable[..., Game]) -> dict[str, Any]:
    """Return the parameters of a game with their defaults."""
    return {name: parameter.default for name, parameter in inspect.signature(make).parameters.items()}


def register(
    make: Callable[..., Game],
    name: str | None = None,
    title: str | None = None,
    players: tuple[int, int] | None = None,
) -> type[OpenSpielGame]:
    """Register a game with OpenSpiel, and return its class.

    A process that unpickles or deserialises such a game must have registered it before.

    Args:
        make: makes the game; each of its parameters has a default that is a bool, a number, a text or None.
        name: its name in OpenSpiel; None is the game's own.
        title: its name for people; None is `name`.
        players: the minimum and maximum number of players; None means its default number.

    Raises:
        OptionError: a parameter without a type in OpenSpiel, or a name in use.
    """
    defaults = _defaults(make)
    for key, value in defaults.items():
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise OptionError(f"{key}: OpenSpiel's parameters are bools, numbers and texts, and have a default")
    rules = make()
    name = rules.name if name is None else name
    if name in pyspiel.registered_names():
        raise OptionError(f"OpenSpiel has a game {name!r} already")
    kind = pyspiel.GameType(
        short_name=name,
        long_name=title or name,
        dynamics=_DYNAMICS[rules.dynamics],
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=(
            pyspiel.GameType.Information.PERFECT_INFORMATION
            if rules.information == "perfect"
            else pyspiel.GameType.Information.IMPERFECT_INFORMATION
        ),
        utility=(
            pyspiel.GameType.Utility.ZERO_SUM if rules.utility == "zero_sum" else pyspiel.GameType.Utility.GENERAL_SUM
        ),
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=rules.num_players if players is None else players[1],
        min_num_players=rules.num_players if players is None else players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={key: "" if value is None else value for key, value in defaults.items()}
        | {"starts": ""},
    )
    attributes = {
        "__doc__": f"{rules.name} for OpenSpiel.",
        "__module__": __name__,
        "kind": kind,
        "make": staticmethod(make),
    }
    made = cast("type[OpenSpielGame]", type(f"OpenSpielGame_{name}", (OpenSpielGame,), attributes))
    pyspiel.register_game(kind, made)
    return made


def _register_all() -> None:
    for name in games.list_games():
        if name not in pyspiel.registered_names():
            spec = games.find(name)
            register(spec.load("game"), name, spec.title, spec.players)


_register_all()
