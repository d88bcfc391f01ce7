"""The AEC adapter: PettingZoo's own tests, our checker, and the promises of docs/environment.md, on the toy game and on
Hawaii, 1795.
"""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, cast

import numpy as np
import pettingzoo
import pytest
from environments import begun
from pettingzoo.test import parallel_api_test, render_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test
from pettingzoo.utils import average_total_reward, wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from refusals import refuses
from toy import ToyGame
from waiting import python

import hawaii_env
from hawaii_env import hawaii1795_v1, make_batch, records
from hawaii_env.env.aec import GameEnv
from hawaii_env.env.checker import check_aec
from hawaii_env.errors import IllegalActionError, OptionError
from hawaii_env.game import CHANCE, SIMULTANEOUS
from hawaii_env.hawaii1795 import Game as Hawaii


def toy_env(**kwargs: Any) -> GameEnv:
    return GameEnv(ToyGame(), **kwargs)


def short_env(**kwargs: Any) -> GameEnv:
    return hawaii1795_v1.env(scenario="short", final_check=True, sea_victor="assault", **kwargs)


MAKERS: dict[str, Callable[..., GameEnv]] = {"tides": toy_env, "short": short_env}


@pytest.fixture(params=list(MAKERS))
def make(request: pytest.FixtureRequest) -> Callable[..., GameEnv]:
    @wraps(MAKERS[request.param])
    def made(**kwargs: Any) -> GameEnv:
        env = MAKERS[request.param](**kwargs)
        seed_spaces(env, 0)  # the same play on every run
        return env

    return made


def choose(env: GameEnv) -> int | None:
    """A random action of the agent whose turn it is, from its action space."""
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        return None
    assert observation is not None
    return env.action_space(env.agent_selection).sample(observation["action_mask"])


def seed_spaces(env: GameEnv, seed: int) -> None:
    for index, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + index)


def play(env: GameEnv, steps: int = 10**9) -> list[tuple[str, int | None]]:
    """Play on at random."""
    played: list[tuple[str, int | None]] = []
    for agent in env.agent_iter():
        if len(played) == steps:
            break
        action = choose(env)
        played.append((agent, action))
        env.step(action)
    return played


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return np.array_equal(a, b)


# PettingZoo's own tests


@pytest.mark.usefixtures("no_display")
def test_pettingzoo_render_test_without_a_display() -> None:
    """As PettingZoo's own environments are tested: every declared mode, nothing prepared."""
    with pytest.warns(UserWarning, match="no display .*dummy driver"):
        render_test(hawaii1795_v1.env)  # pyright: ignore[reportArgumentType]


def test_pettingzoo_parallel_api_test_is_rejected(make: Callable[..., GameEnv]) -> None:
    refuses(
        OptionError,
        ("one agent decides at a time", lambda: parallel_api_test(make())),  # pyright: ignore[reportArgumentType]
    )
    assert not hasattr(make(), "max_cycles")
    parallel_api_test(turn_based_aec_to_parallel(make()), num_cycles=100)


def test_pettingzoo_average_total_reward(capsys: pytest.CaptureFixture[str]) -> None:
    """It samples without the mask, so somebody is sure to lose by an illegal action."""
    assert average_total_reward(hawaii1795_v1.env(), max_episodes=5) == -1.0
    refuses(IllegalActionError, ("", lambda: average_total_reward(hawaii1795_v1.raw_env(), max_episodes=5)))


def test_pettingzoo_save_obs_test(make: Callable[..., GameEnv]) -> None:
    save_obs_test(make())


def test_pettingzoo_wrappers_go_around_it(make: Callable[..., GameEnv]) -> None:
    env = begun(
        wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(make(), -1))),
        3,
    )
    seed_spaces(env.unwrapped, 3)  # pyright: ignore[reportArgumentType]
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        mask: Any = None if observation is None else observation["action_mask"]
        env.step(None if terminated or truncated else env.action_space(agent).sample(mask))
    assert not env.agents


def test_an_illegal_action_ends_the_game_as_pettingzoos_wrapper_does(
    make: Callable[..., GameEnv], caplog: pytest.LogCaptureFixture
) -> None:
    told: list[list[Any]] = []
    for env in (make(illegal="lose"), wrappers.TerminateIllegalWrapper(make(illegal="raise"), illegal_reward=-1)):
        env.reset(seed=4)
        for _ in range(3):
            env.step(int(np.flatnonzero(env.last()[4]["action_mask"])[0]))
        mover = env.agent_selection
        caplog.clear()
        env.step(int(np.flatnonzero(env.last()[4]["action_mask"] == 0)[0]))
        warned = [(record.name, record.levelno, record.getMessage()) for record in caplog.records]
        assert warned[0][1] == logging.WARNING and "Illegal move made" in warned[0][2]
        seen: list[Any] = [mover, dict(env.rewards), dict(env.terminations), dict(env.truncations), warned]
        for agent in env.agent_iter():
            seen.append((agent, *env.last(observe=False)[1:4]))
            env.step(None)
        told.append(seen)
    assert told[0] == told[1]
    assert told[0][1] == {agent: -1.0 if agent == told[0][0] else 0.0 for agent in told[0][1]}


def test_pettingzoo_registry() -> None:
    for name in ("hawaii1795-v1", "hawaii1795_v1", "hawaii_env:hawaii1795-v1", "hawaii_env:hawaii1795_v1"):
        env = pettingzoo.make("aec", name, scenario="short")
        assert isinstance(env, GameEnv) and type(env) is hawaii1795_v1.raw_env
        assert env.game.params["scenario"] == "short" and env.illegal == "lose"
        assert pettingzoo.spec("aec", name).version == 1


def test_importing_twice_registers_once() -> None:
    program = (
        "import warnings; warnings.simplefilter('error'); import hawaii_env, importlib; importlib.reload(hawaii_env)"
    )
    python(program)


# Our own checker


def test_checker(make: Callable[..., GameEnv]) -> None:
    games = 100 if make is toy_env else 11
    report = check_aec(lambda: make(render_mode="ansi"), games=games, seed=7)
    assert report.games == games
    assert report.copies
    assert report.refused
    assert len(report.wins) > 1


@pytest.mark.nightly
def test_checker_over_many_games(make: Callable[..., GameEnv]) -> None:
    check_aec(make, games=2000, seed=1000)


class Broken(GameEnv):
    """An environment with one thing wrong."""

    def __init__(self, wrong: str) -> None:
        super().__init__(ToyGame())
        self.wrong = wrong

    def observe(self, agent: str) -> dict[str, Any]:
        seen = super().observe(agent)
        if self.wrong == "waiting mask" and agent != self.agent_selection:
            seen["action_mask"][0] = 1
        if self.wrong == "observe":
            seen["observation"][0] = 0.5
        return seen

    def last(self, observe: bool = True) -> Any:
        observation, reward, terminated, truncated, info = super().last(observe)
        if self.wrong == "early reward" and self._steps % 7 == 0:
            reward = 0.5
        if self.wrong == "lost reward" and terminated:
            reward = 0.0
        if self.wrong == "mask" and observation is not None:
            observation["action_mask"][1] = 1
        if self.wrong == "mask type" and observation is not None:
            observation["action_mask"] = observation["action_mask"].astype(bool)
        if self.wrong == "bounds" and observation is not None:
            observation["observation"][-1] = 2
        return observation, reward, terminated, truncated, info

    def step(self, action: Any) -> None:
        if self.wrong == "floats" and isinstance(action, float):
            action = int(action)
        if self.wrong == "changes" and not self._over and action == "0":
            self.rewards["red_0"] = 1.0
        super().step(cast(Any, action))

    def __getstate__(self) -> dict[str, Any]:
        values = super().__getstate__()
        if self.wrong == "copies" and "_state" in values:
            values["_state"] = values["_state"].clone(seed=1)
        return values

    def reset(self, seed: Any = None, options: Any = None) -> None:
        if self.wrong == "seed" and isinstance(seed, float):
            seed = int(seed)
        super().reset(seed, options)


@pytest.mark.parametrize(
    "wrong",
    [
        "waiting mask",
        "observe",
        "early reward",
        "lost reward",
        "mask",
        "mask type",
        "bounds",
        "floats",
        "changes",
        "copies",
        "seed",
    ],
)
def test_the_checker_finds_what_is_wrong(wrong: str) -> None:
    check_aec(lambda: Broken(""), games=30, seed=1)
    refuses(AssertionError, ("", lambda: check_aec(lambda: Broken(wrong), games=30, seed=1)))


# Names, spaces, forms


def test_the_contract_of_the_public_api() -> None:
    env = hawaii1795_v1.env(
        scenario="long", render_mode=None, rules=None, final_check=False, sea_victor="repulsed", illegal="lose"
    )
    assert (env.illegal, hawaii1795_v1.env().illegal, hawaii1795_v1.raw_env().illegal) == ("lose", "lose", "raise")
    env.reset(seed=1795, options={"state": None})
    assert env.possible_agents == ["kamehameha_0", "allied_1"]
    assert env.metadata["name"] == "hawaii1795_v1" == str(env)
    assert env.metadata["is_parallelizable"] is False
    assert env.unwrapped is env
    for agent in env.agent_iter():
        observation, _reward, termination, truncation, info = env.last()
        assert observation is not None
        assert list(observation) == ["observation", "action_mask"]
        assert info["action_mask"] is env.infos[agent]["action_mask"]
        action = None if termination or truncation else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)


def test_the_modules_docstring_is_the_page() -> None:
    """Readers that never import it find game, spaces and rewards at the head of the file."""
    source = Path(hawaii1795_v1.__file__).read_text(encoding="utf-8")
    page = ast.get_docstring(ast.parse(source), clean=False)
    assert page is not None and page == hawaii1795_v1.__doc__
    headings = [line.strip("# ").strip() for line in page.splitlines() if line.strip().startswith("## ")]
    assert headings == [
        "Description",
        "Action Space",
        "Observation Space",
        "Starting State",
        "Rewards",
        "Episode End",
        "Version History",
    ]
    env = hawaii1795_v1.env()
    seen: Any = env.observation_space("allied_1")
    for told in (
        f"``Discrete({env.game.num_actions})``",
        f'{{"observation": float32[{seen["observation"].shape[0]}], "action_mask": '
        f"int8[{seen['action_mask'].shape[0]}]}}",
        *(f"``{agent}``" for agent in env.possible_agents),
    ):
        assert told in page, told
    texts = re.findall(r"``([a-z]+(?: [a-z_0-9]+)*)``", page.split("## Action Space")[1].split("``env.game")[0])
    assert len(texts) > 5 and set(texts) <= {env.game.action_text(action) for action in range(env.game.num_actions)}


def test_infos_are_mutable_and_stay_until_the_next_step(make: Callable[..., GameEnv]) -> None:
    env = begun(make())
    for agent in env.agents:
        env.infos[agent]["mine"] = 1
    assert env.last()[-1]["mine"] == 1
    assert env.last()[-1] is env.infos[env.agent_selection]
    env.step(choose(env))
    assert all("mine" not in info for info in env.infos.values())


def test_texts_on_request(make: Callable[..., GameEnv]) -> None:
    env = begun(make())
    assert list(env.last()[-1]) == ["action_mask"]
    env.reset(seed=1, options={"texts": True})
    state, game = env.game_state, env.game
    assert all(info["phase"] == state.phase for info in env.infos.values())
    player = env.possible_agents.index(env.agent_selection)
    wanted = {action: game.action_text(action) for action in state.legal_actions(player)}
    assert env.last()[-1]["action_texts"] == wanted
    assert all(not env.infos[agent]["action_texts"] for agent in env.agents if agent != env.agent_selection)
    env.reset(seed=1)
    assert not {"action_texts", "phase"} & set(env.infos[env.agent_selection])
    env.info_texts = True
    env.reset(seed=1)
    assert env.last()[-1]["action_texts"] == wanted
    assert env.last()[-1]["phase"] == env.game_state.phase


# Actions


def test_an_illegal_action_is_named() -> None:
    env = begun(hawaii1795_v1.raw_env(), 4)
    action = next(a for a in range(env.game.num_actions) if env.game.action_text(a) == "march pike kona hilo")
    refuses(IllegalActionError, (r"march pike kona hilo.*setup.*\[6\.0", lambda: env.step(action)))


# Simultaneous turns


def test_choices_are_hidden_until_all_have_chosen() -> None:
    env = begun(toy_env())
    assert env.game_state.current_player == SIMULTANEOUS
    before = {agent: env.observe(agent)["observation"] for agent in env.agents}
    whole = env.game_state.to_json(secrets=True)
    asked = []
    for _ in range(2):
        asked.append(env.agent_selection)
        env.step(3)
        assert env.game_state.to_json(secrets=True) == whole
        for agent in env.agents:
            seen = env.observe(agent)
            assert same(seen["observation"], before[agent])
            assert bool(seen["action_mask"].any()) == (agent == env.agent_selection)
    asked.append(env.agent_selection)
    refuses(IllegalActionError, ("not legal for blue_2 in phase bid", lambda: env.step(0)))
    env.step(1)
    assert asked == env.possible_agents
    assert env.game_state.to_json(secrets=True) != whole


# Options


def test_a_position_of_another_ruleset_is_rejected_in_few_words() -> None:
    other = Hawaii("short", Path(__file__).with_name("reconstructed-1"), final_check=True, sea_victor="assault")
    start = other.initial_state(seed=1, chance="sampled")
    env = hawaii1795_v1.env()
    batch = begun(make_batch("hawaii1795", 2))
    for refused in (lambda: env.reset(options={"state": start}), lambda: batch.set_state(1, start)):
        with pytest.raises(OptionError, match=r"'reconstructed-1' [0-9a-f]{12}>, not .*'reconstructed-4' ") as error:
            refused()
        assert len(str(error.value)) < 300


def test_games_from_a_chance_node_are_recorded(make: Callable[..., GameEnv], tmp_path: Path) -> None:
    """What the seed rolls at the node that the game begins at is in the record too."""
    env, seen = make(), set()
    for number in range(4):
        env.reset(seed=number)
        play(env, 9 * number)
        start = env.game_state.for_search()
        while start.current_player != CHANCE and not start.is_terminal:
            choices = {player: start.legal_actions(player)[-1] for player in start.acting_players}
            start.apply_joint(choices) if len(choices) > 1 else start.apply(*choices.values())
        if start.is_terminal:
            continue
        seen.add(start.phase)
        path = tmp_path / f"{number}.jsonl"
        env.reset(seed=number, options={"state": start, "record": path})
        play(env)
        assert records.verify(path, env.game).seed_checked
        again = tmp_path / f"{number} again.jsonl"
        hawaii_env.play(env.game, "random", seed=number, start=start, record=again)
        assert records.verify(again, env.game).seed_checked
    assert seen


def test_games_broken_off_are_recorded_so_far(tmp_path: Path) -> None:
    env = begun(toy_env(illegal="lose"), 5, options={"record": tmp_path / "a.jsonl"})
    play(env, 4)
    env.step(0)
    assert "illegal action 0" in (records.read(tmp_path / "a.jsonl").stopped or "")
    env.reset(seed=5, options={"record": tmp_path / "b.jsonl"})
    play(env, 4)
    env.close()
    env.step(choose(env))
    assert records.read(tmp_path / "b.jsonl").result is None
    env.game.max_decisions = 4
    env.reset(seed=5, options={"record": tmp_path / "c.jsonl"})
    play(env)
    assert "no rule" in (records.read(tmp_path / "c.jsonl").stopped or "")
