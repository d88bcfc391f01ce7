"""The Gymnasium environments: a learner against opponents, one game and many."""

from __future__ import annotations

import copy
import os
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from environments import Diarist, Watcher, begun, interpret
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from refusals import refuses
from toy import ToyGame
from waiting import python

import hawaii_env  # noqa: F401  registers the ids
from hawaii_env.agents import BaseAgent, RandomAgent, begin, load_agent
from hawaii_env.core.rng import below, policy_words
from hawaii_env.env.single_agent import SingleAgentEnv, SingleAgentVectorEnv
from hawaii_env.env.versus import Versus
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError
from hawaii_env.games import load_game
from hawaii_env.hawaii1795 import Game
from hawaii_env.render.modes import Window
from hawaii_env.render.picture import render_rgb, render_svg
from hawaii_env.variation import load_variation

ID = "hawaii_env/Hawaii1795-v1"
GAME = Game(scenario="short")


def first_legal(observations: Any, masks: Any) -> Any:
    return masks.argmax(axis=1)


class Thinker(BaseAgent):
    """Looks at positions, and notes for whom it was told to play."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def begin(self, game: Any, player: int) -> None:
        self.told.append(player)

    def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
        assert state.chance == "explicit"
        return legal_actions[0]


def finish(env: Any, info: dict[str, Any]) -> tuple[Any, ...]:
    while True:
        result = env.step(int(info["action_mask"].argmax()))
        info = result[4]
        if result[2] or result[3]:
            return result


# Gymnasium's registry


@pytest.mark.parametrize("name", [ID, "hawaii1795-v1"])
def test_ids(name: str) -> None:
    for known in (name, f"hawaii_env:{name}"):
        single = gymnasium.make(known, scenario="short")
        assert isinstance(single.unwrapped, SingleAgentEnv) and single.unwrapped.game == GAME
        assert isinstance(gymnasium.make_vec(known, num_envs=2).unwrapped, SingleAgentVectorEnv)
        assert single.spec is not None and single.spec.id == name


def test_an_id_with_its_module_needs_no_import() -> None:
    code = (
        "import gymnasium\n"
        "for name in ('hawaii_env:hawaii1795-v1', 'hawaii_env:hawaii_env/Hawaii1795-v1'):\n"
        "    assert gymnasium.make(name, scenario='short').reset(seed=1)[1]['action_mask'].any()\n"
    )
    python(code, HAWAII_ENV_PLAIN="1", PYTHONWARNINGS="error")


# Gymnasium's checks


@pytest.mark.usefixtures("pictures")
def test_check_env_with_every_render_mode() -> None:
    check_env(gymnasium.make(ID).unwrapped)


@pytest.mark.usefixtures("no_display")
def test_check_env_without_a_display() -> None:
    env = gymnasium.make(ID).unwrapped
    with pytest.warns(UserWarning, match="no display .*dummy driver"):
        check_env(env)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("side", [0, 1, "alternate"])
def test_the_vector_environment_is_many_single_ones(mode: AutoresetMode, side: Any) -> None:
    """All that SyncVectorEnv of single environments returns, with illegal actions now and then."""
    n = 4
    options = {"side": side, "scenario": "short"}
    env = gymnasium.make_vec(ID, num_envs=n, vectorization_mode="vector_entry_point", autoreset_mode=mode, **options)
    expected = SyncVectorEnv([lambda: gymnasium.make(ID, **options) for _ in range(n)], autoreset_mode=mode)
    assert type(env.unwrapped) is SingleAgentVectorEnv and env.metadata["autoreset_mode"] is mode
    assert env.observation_space == expected.observation_space and env.action_space == expected.action_space
    a, b = env.reset(seed=11), expected.reset(seed=11)
    equal(a, b)
    rng, ends, done = np.random.default_rng(0), 0, np.zeros(n, bool)
    for step in range(200):
        if mode is AutoresetMode.DISABLED and done.any():
            a, b = env.reset(options={"reset_mask": done}), expected.reset(options={"reset_mask": done})
            equal(a[0], b[0])
        actions = np.array([rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in a[-1]["action_mask"]])
        if step % 40 == 39:
            actions[2] = np.flatnonzero(a[-1]["action_mask"][2] == 0)[0]
        a, b = env.step(actions), expected.step(actions)
        equal(a, b)
        done = a[2] | a[3]
        ends += int(done.sum())
    assert ends > 5


def equal(a: Any, b: Any) -> None:
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            equal(a[key], b[key])
    elif isinstance(a, tuple):
        for one, other in zip(a, b, strict=True):
            equal(one, other)
    elif isinstance(a, np.ndarray):
        assert a.shape == b.shape and a.dtype == b.dtype
        if a.dtype == object:
            for one, other in zip(a, b, strict=True):
                equal(one, other)
        else:
            assert np.array_equal(a, b)
    else:
        assert a == b


@pytest.mark.parametrize(
    "opponent", ["rule-of-thumb", "mcts:sims=4,values=game", ["mcts:sims=4,values=game", "random"]]
)
def test_environments_have_agents_of_their_own(opponent: Any) -> None:
    n, options = 3, {"opponent": opponent, "scenario": "short"}
    env = gymnasium.make_vec(ID, num_envs=n, vectorization_mode="vector_entry_point", **options)
    expected = SyncVectorEnv([lambda: gymnasium.make(ID, **options) for _ in range(n)])
    a, b = env.reset(seed=11), expected.reset(seed=11)
    equal(a, b)
    rng = np.random.default_rng(0)
    for step in range(30):
        if step == 20:
            only = np.array([False, True, False])
            a = env.reset(seed=50, options={"reset_mask": only})
            equal(a[0], expected.reset(seed=50, options={"reset_mask": only})[0])
        actions = np.array([rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in a[-1]["action_mask"]])
        a, b = env.step(actions), expected.step(actions)
        equal(a, b)


def test_vector_arrays() -> None:
    env = SingleAgentVectorEnv(GAME, 2, copy=False)
    observations, infos = env.reset(seed=1)
    assert observations is env._versus.observations and infos["action_mask"] is env.action_masks()
    env = SingleAgentVectorEnv([GAME, Game()], 2, raw=True, threads=2)
    observations, infos = env.reset(seed=1)
    assert observations.dtype == np.int8 and observations in env.observation_space
    kept = observations.copy()
    env.step(infos["action_mask"].argmax(axis=1))
    assert np.array_equal(observations, kept)
    assert np.array_equal(env.call("action_masks")[1], env.get_attr("action_masks")[1])
    assert env.call("game_state")[0].game == GAME
    refuses(OptionError, ("", lambda: env.call("nothing")))
    assert isinstance(env.np_random, np.random.Generator)


# Who plays whom


@pytest.mark.parametrize("side", [0, 1])
def test_the_random_opponent(side: int) -> None:
    """Played in the engine by the lane's generator: the same game by hand."""
    env = SingleAgentEnv(GAME, side=side)
    observation, info = env.reset(seed=21)
    state, words, terminated, reward = GAME.initial_state(seed=21), policy_words(21), False, 0.0
    while True:
        while not state.is_terminal and state.current_player != side:
            legal = state.legal_actions()
            state.apply(legal[below(words, len(legal))])
        assert np.array_equal(observation, state.observation(side))
        if state.is_terminal:
            break
        assert np.array_equal(info["action_mask"], state.legal_mask()) and env.game_state == state
        action = state.legal_actions()[-1]
        state.apply(action)
        observation, reward, terminated, _, info = env.step(action)
    assert terminated and reward == state.returns()[side]


@pytest.mark.parametrize("name", ["hawaii1795", "heiau", "aloha", "maori_wars"])
def test_the_rule_of_thumb_plays_in_a_batch_as_by_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decision by decision, in each environment and for each seat: the same games by hand."""
    if name == "maori_wars":  # nothing else here needs its compiled agents, which take half a minute
        interpret(monkeypatch)
    game, spec, n = load_game(name), load_variation(name).description.rule_of_thumb, 2
    env = SingleAgentVectorEnv(game, n, opponent=spec, autoreset_mode="Disabled")
    _, infos = env.reset(seed=11)
    states = [game.initial_state(seed=11 + i) for i in range(n)]
    players = [[load_agent(spec, seed=11 + i) for _ in range(game.num_players)] for i in range(n)]
    for row in players:
        for seat, player in enumerate(row):
            begin(player, game, seat)
    for _ in range(25):
        for i, state in enumerate(states):
            while not state.is_terminal and (seat := state.current_player) != infos["player"][i]:
                state.apply(players[i][seat].act(state.for_search(seat), state.legal_actions(), None))
        assert list(env.call("game_state")) == states
        if any(state.is_terminal for state in states):
            break
        actions = [state.legal_actions()[-1] for state in states]
        for state, action in zip(states, actions, strict=True):
            state.apply(action)
        *_, infos = env.step(np.array(actions))


def test_opponents_of_every_kind() -> None:
    thinker = Thinker()
    results = []
    for opponent in (first_legal, thinker):
        env = SingleAgentEnv(GAME, opponent=opponent, side=0)
        _, info = env.reset(seed=4)
        observation, reward, *_ = finish(env, info)
        results.append((observation.tobytes(), reward))
    assert results[0] == results[1] and thinker.told == [1]
    for opponent in (RandomAgent(3), "random:seed=3"):
        env = SingleAgentVectorEnv(GAME, 3, opponent=opponent)
        _, infos = env.reset(seed=4)
        for _ in range(50):
            _, _, _, _, infos = env.step(infos["action_mask"].argmax(axis=1))


@pytest.mark.parametrize(
    "spec",
    [
        *("ppo", "ppo:greedy=false", "guided:sims=4", "mcts:sims=4", "one-ply:rollouts=1", "rule-of-thumb"),
        *("random:seed=1", "battle-expectimax", "python_search:sims=2", "champion:seconds=0.001"),
    ],
)
def test_agents_of_the_package_are_opponents(spec: str) -> None:
    env = gymnasium.make(ID, opponent=spec, side=1)
    _, info = env.reset(seed=1)
    for _ in range(3):
        *_, info = env.step(int(info["action_mask"].argmax()))
    vector = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="vector_entry_point", opponent=spec)
    _, infos = vector.reset(seed=1)
    for _ in range(3):
        *_, infos = vector.step(infos["action_mask"].argmax(axis=1))


def test_an_agent_for_all_environments_begins_each_game() -> None:
    content = copy.deepcopy(GAME.ruleset.content)
    content["cards.toml"]["kamehameha"]["discoverys_guns"]["fleets"] = 9
    games = [GAME, Game("short", rules=content), Game()]
    refuses(OptionError, ("ruleset", lambda: SingleAgentVectorEnv(games, 3, opponent="ppo").reset(seed=1)))
    begun: list[Any] = []

    class Beginner(Watcher):
        def begin(self, game: Any, player: int) -> None:
            begun.append(game)

    SingleAgentVectorEnv(games, 6, opponent=Beginner(), side=1).reset(seed=1)
    assert begun == games


def test_agents_begin_each_game(diarists: list[Diarist]) -> None:
    for opponent in ("diarist", Diarist()):
        env = SingleAgentEnv(GAME, opponent=opponent, side=0)
        for seed in (1, None, None, 1, 2):
            finish(env, env.reset(seed=seed)[1])
        env.reset()
        env.close()
        env.close()
    object_, *of_specs = (one for one in diarists if "act" in one.diary)
    game = ["begin", "act", True]
    assert object_.diary[:15] == game * 5 and "closed" not in object_.diary
    assert [one.seed for one in of_specs] == [1, 1, 2]
    assert [one.diary[: len(game) * n] for one, n in zip(of_specs, (3, 1, 1), strict=True)] == [game * 3, game, game]
    assert all(one.diary[-1] == "closed" for one in of_specs)


def test_agents_of_each_environment_begin_its_games(diarists: list[Diarist]) -> None:
    env = SingleAgentVectorEnv(GAME, 3, opponent="diarist", autoreset_mode="SameStep")
    _, infos = env.reset(seed=5)
    ends = 0
    while ends < 12:
        _, _, terminations, _, infos = env.step(infos["action_mask"].argmax(axis=1))
        ends += int(terminations.sum())
    playing = [one for one in diarists if "act" in one.diary]
    assert sorted(one.seed or 0 for one in playing) == [5, 5, 6, 6, 7, 7]
    assert ends - 3 <= sum(one.diary.count(True) for one in playing) <= ends
    env.close()


def test_a_game_that_is_broken_off_has_no_end(diarists: list[Diarist]) -> None:
    env = SingleAgentEnv(GAME, opponent="diarist", side=0, max_decisions=10)
    assert finish(env, env.reset(seed=1)[1])[3]
    env.reset()
    _, info = env.reset()
    env.step(int((info["action_mask"] == 0).argmax()))
    words = [word for one in diarists for word in one.diary]
    assert "act" in words and True not in words and False not in words


def test_agents_are_given_scaled_observations_and_functions_the_environments() -> None:
    seen = []
    for raw in (False, True):
        watcher, given = Watcher(), []

        def function(observations: Any, masks: Any, given: list[Any] = given) -> Any:
            given.append(observations.dtype)
            return masks.argmax(axis=1)

        env = SingleAgentVectorEnv(GAME, 4, opponent=[watcher, function], raw=raw)
        _, infos = env.reset(seed=1)
        for _ in range(10):
            *_, infos = env.step(infos["action_mask"].argmax(axis=1))
        seen.append(np.concatenate(watcher.seen))
        assert set(given) == {np.dtype(np.int8 if raw else np.float32)}
    assert seen[0].dtype == seen[1].dtype == np.float32 and np.array_equal(seen[0], seen[1])


@pytest.mark.skipif(os.name != "posix", reason="bots run on POSIX systems")
@pytest.mark.parametrize("lanes", [None, 2])
def test_bots_end_with_the_environment(lanes: int | None) -> None:
    bot = Path(__file__).parent / "bots" / "misbehaving.py"
    options: dict[str, Any] = {"opponent": f"bot:command={sys.executable} {bot} good", "side": 1}
    env: Any = SingleAgentEnv(GAME, **options) if lanes is None else SingleAgentVectorEnv(GAME, lanes, **options)
    env.reset(seed=1)
    first = [one.process for one in env._versus._players[0]._agents.values()]
    env.reset(seed=2)
    second = [one.process for one in env._versus._players[0]._agents.values()]
    assert len(first) == len(second) == (lanes or 1)
    assert not any(process.alive for process in first) and all(process.alive for process in second)
    env.close()
    assert not any(process.alive for process in second)


def test_specs_are_made_anew_by_a_seed() -> None:
    env = SingleAgentEnv(GAME, opponent="random:seed=5")
    first = finish(env, env.reset(seed=4)[1])[0]
    assert np.array_equal(first, finish(env, env.reset(seed=4)[1])[0])


def test_sides_and_pools_take_turns() -> None:
    asked: list[str] = []

    def named(name: str) -> Any:
        def policy(observations: Any, masks: Any) -> Any:
            asked.append(name)
            return masks.argmax(axis=1)

        return policy

    env = begun(SingleAgentEnv(GAME, opponent=[named("a"), "random", named("b")], side="alternate"), 6)
    seen = []
    for _ in range(6):
        seen.append((int(env._versus.learners[0]), int(env._versus.opponents[0])))
        asked.clear()
        finish(env, {"action_mask": env.action_masks()})
        # The game may have begun with an opponent's decision, before the list was emptied.
        assert set(asked) <= {["a", "", "b"][seen[-1][1]]}
        env.reset()
    assert seen == [(turn % 2, turn // 2 % 3) for turn in range(6, 12)]
    vector = SingleAgentVectorEnv(GAME, 4)
    assert vector.reset(seed=6)[1]["player"].tolist() == [0, 1, 0, 1]


def test_three_players_and_simultaneous_turns() -> None:
    total, ends = 0.0, 0
    for opponent in ("random", first_legal):
        env = SingleAgentVectorEnv(ToyGame(), 6, opponent=opponent, autoreset_mode="SameStep")
        _, infos = env.reset(seed=0)
        assert infos["player"].tolist() == [0, 1, 2, 0, 1, 2]
        for _ in range(60):
            actions = infos["action_mask"].argmax(axis=1)
            _, rewards, terminations, _, infos = env.step(actions)
            ends += int(terminations.sum())
            total += float(np.abs(rewards).sum())
    assert ends > 20 and total > 0


# Options and wrong calls


def test_an_opponents_illegal_action() -> None:
    env = SingleAgentEnv(GAME, opponent=lambda observations, masks: np.full(len(masks), 900), side=0)
    refuses(IllegalActionError, (r"opponent .*environment 0: .* phase", lambda: finish(env, env.reset(seed=1)[1])))


# Pictures


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resvg_py", reason="the extra render")
    pytest.importorskip("pygame", reason="the extra render")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for cls in (SingleAgentEnv, SingleAgentVectorEnv):
        monkeypatch.setitem(cls.metadata, "render_fps", 1000)


@pytest.mark.usefixtures("pictures")
def test_pictures_are_those_of_the_position() -> None:
    for mode, make in (("svg", render_svg), ("rgb_array", lambda state: render_rgb(state, 1000))):
        env = SingleAgentEnv(GAME, render_mode=mode)
        _, info = env.reset(seed=1)
        env.step(int(info["action_mask"].argmax()))
        assert np.array_equal(env.render(), make(env.game_state))
        env.close()
        vector = begun(SingleAgentVectorEnv(GAME, 2, render_mode=mode))
        shown = vector.render()
        assert shown is not None and len(shown) == 2
        for picture, state in zip(shown, vector.call("game_state"), strict=True):
            assert np.array_equal(picture, make(state))
        vector.close()


@pytest.mark.usefixtures("pictures")
@pytest.mark.parametrize("lanes", [None, 3])
def test_the_window_follows_each_reset_and_step(lanes: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(Window, "show", lambda self, found: shown.append(found) or True)
    env: Any = SingleAgentEnv(GAME, render_mode="human")
    if lanes is not None:
        env = SingleAgentVectorEnv(GAME, lanes, render_mode="human")
    _, info = env.reset(seed=1)
    for _ in range(2):
        *_, info = env.step(info["action_mask"].argmax(axis=-1))
    assert env.render() is None
    assert len(shown) == 4
    state = env.game_state if lanes is None else env.call("game_state")[0]
    assert np.array_equal(shown[-1], render_rgb(state, 1000)) and not np.array_equal(shown[0], shown[1])
    other = copy.deepcopy(env)
    assert other._renderer is not env._renderer and other._renderer.window is None
    assert env._renderer.window.title == "hawaii1795"
    env.close()
    env.close()
    assert env._renderer.window is None


def test_versus_resets_all_first() -> None:
    versus = Versus(GAME, 3)
    refuses(OptionError, ("first reset", lambda: versus.reset([1])))
    versus.reset(seeds=[1, 2, 3])
    second = np.array([False, True, False])
    while not versus.runner.arrays.over[1]:
        versus.step(versus.masks.argmax(axis=1), second)
    refuses(GameOverError, (r"environments \[1\]", lambda: versus.step(versus.masks.argmax(axis=1), second)))
    still = versus.observations[[0, 2]].copy()
    versus.reset([1])
    assert np.array_equal(versus.observations[[0, 2]], still) and versus.masks[1].any()


def test_an_opponent_may_have_act_alone() -> None:
    """An agent of a third party needs no base class and no batch."""

    class First:
        name = "first"

        def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
            assert state.chance == "explicit"
            return legal_actions[0]

    opponent: Any = First()
    env = SingleAgentEnv(Game("short"), opponent=opponent)
    _, info = env.reset(seed=1)
    for _ in range(30):
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].nonzero()[0][0]))
        if terminated or truncated:
            _, info = env.reset()
    env.close()
