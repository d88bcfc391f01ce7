"""TorchRL's PettingZooWrapper around the AEC environment, checked by TorchRL's own test of specs."""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from hawaii_env import hawaii1795_v1, heiau_v0
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game

pytestmark = pytest.mark.filterwarnings("ignore")
GAME = Game(scenario="short")


@pytest.fixture(autouse=True, scope="module")
def _torchrl() -> None:
    """Import TorchRL for the first test: it takes seconds, and only one process of a run needs it."""
    pytest.importorskip("torchrl", reason="torchrl is not installed (extra torchrl)")
    import torch

    torch.set_num_threads(1)


def make(**options: Any) -> Any:
    from hawaii_env.integrations.torchrl import wrap

    return wrap(hawaii1795_v1.env(scenario="short"), **options)


def actor(group: str, seed: int) -> Any:
    import torch
    from tensordict.nn import TensorDictModule
    from torchrl.modules import MaskedCategorical, ProbabilisticActor

    torch.manual_seed(seed)
    net = torch.nn.Sequential(
        torch.nn.Linear(GAME.observation_size, 32), torch.nn.Tanh(), torch.nn.Linear(32, GAME.num_actions)
    )
    module = TensorDictModule(net, in_keys=[(group, "observation", "observation")], out_keys=[(group, "logits")])
    make_actor: Any = ProbabilisticActor  # takes a dict for in_keys, whatever its annotation says
    return make_actor(
        module,
        in_keys={"logits": (group, "logits"), "mask": (group, "action_mask")},
        out_keys=[(group, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=(group, "log_prob"),
    )


@pytest.mark.parametrize("options", [{}, {"return_state": True}, {"categorical_actions": False}])
def test_specs(options: dict[str, Any]) -> None:
    from torchrl.envs.utils import check_env_specs

    check_env_specs(make(seed=1, **options))


@pytest.mark.slow
def test_the_environment_goes_into_its_wrapper_bare() -> None:
    from torchrl.envs import PettingZooWrapper
    from torchrl.envs.utils import check_env_specs

    env = PettingZooWrapper(hawaii1795_v1.env(scenario="short"), use_mask=True, seed=1)
    check_env_specs(env)
    for _ in range(3):
        rollout = env.rollout(2000)
        assert bool(rollout[-1]["next", "done"].all()) and not bool(rollout["next", "truncated"].any())
        assert sum(float(rollout["next", agent, "reward"].sum()) for agent in GAME.agents) == 0.0
        assert "info" not in rollout["kamehameha_0"].keys()  # noqa: SIM118  a TensorDict


@pytest.mark.parametrize("name", ["hawaii_env:hawaii_env/Hawaii1795-v1", "hawaii_env:hawaii1795-v1"])
def test_gym_env(name: str) -> None:
    """By id, with arguments of the game; masks by a reader of infos and the transform that is made for them."""
    from torchrl.envs import ActionMask, GymEnv, TransformedEnv
    from torchrl.envs.gym_like import default_info_dict_reader
    from torchrl.envs.utils import check_env_specs

    env: Any = GymEnv(name, scenario="short", side=0, categorical_action_encoding=True)
    check_env_specs(env)
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"]))
    masked = TransformedEnv(env, ActionMask())
    masked.set_seed(1)
    ends = [masked.rollout(2000)[-1]["next"] for _ in range(3)]
    assert all(bool(end["terminated"]) and not bool(end["truncated"]) for end in ends)
    # An illegal action would have ended the game before its end.
    state = env._env.unwrapped.game_state
    assert state.is_terminal and state.game == GAME
    refuses(OptionError, ("unexpected keyword argument 'scenary'", lambda: GymEnv(name, scenary="short")))


def test_players_of_a_parallel_environment_act_together() -> None:
    """Who waits has no part in a step."""
    from torchrl.envs.utils import check_env_specs

    from hawaii_env.integrations.torchrl import wrap

    env = wrap(heiau_v0.parallel_env(scenario="haole", last_year=1), seed=7)
    check_env_specs(env)
    rollout = env.rollout(1000)
    groups: Any = env.group_map
    acting = [sum(bool(step[name, "mask"].all()) for name in groups) for step in rollout]
    assert min(acting) >= 1 and max(acting) > 1 and bool(rollout[-1]["next", "done"].all())
    assert all(bool(rollout[name, "action_mask"].any(-1).all()) for name in groups)
    # An action that was not legal would have cut the game off.
    assert not bool(rollout["next", "truncated"].any())
    assert abs(sum(float(rollout["next", name, "reward"].sum()) for name in groups)) < 1e-6


@pytest.mark.slow
def test_play_without_masks_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Its collectors draw without masks if they have no policy: each game ends by an illegal action."""
    from torchrl.collectors import Collector
    from torchrl.envs import SerialEnv

    collector = Collector(SerialEnv(2, make), None, frames_per_batch=100, total_frames=300)
    assert sum(int(batch["next", "truncated"].sum()) for batch in collector) > 20
    collector.shutdown()
    captured = capfd.readouterr()
    assert "llegal" not in captured.out + captured.err


def test_groups_and_refusals() -> None:
    from torchrl.envs.utils import MarlGroupMapType

    from hawaii_env.integrations.torchrl import wrap

    assert make(seed=1).group_map == {agent: [agent] for agent in GAME.agents}
    one = make(seed=1, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
    assert one.rollout(5)["agents", "observation", "observation"].shape == (5, 2, GAME.observation_size)
    refuses(
        OptionError,
        ("mask", lambda: make(use_mask=False)),
        ("AEC", lambda: wrap(object())),  # pyright: ignore[reportArgumentType]
    )


def test_a_rollout_is_a_game_of_the_environment() -> None:
    """The rollout's actions, played in the bare environment: observations, masks and rewards are the same."""
    env = make(seed=7)
    rollout = env.rollout(2000)
    bare = hawaii1795_v1.env(scenario="short")
    bare.reset(seed=7)
    # The wrapper resets without a seed after it was seeded, so games after the first are told apart by their first
    # step.
    for _ in range(5):
        agent = bare.agent_selection
        if np.array_equal(
            rollout[0][agent, "action_mask"][0].numpy(), bare.infos[agent]["action_mask"].astype(bool)
        ) and (
            np.array_equal(
                rollout[0][agent, "observation", "observation"][0].numpy(), bare.observe(agent)["observation"]
            )
        ):
            break
        bare.reset()
    for step in rollout:
        acting = [agent for agent in GAME.agents if step[agent, "mask"].all()]
        assert acting == [bare.agent_selection]
        (agent,) = acting
        seen = bare.observe(agent)
        np.testing.assert_array_equal(step[agent, "observation", "observation"][0].numpy(), seen["observation"])
        np.testing.assert_array_equal(step[agent, "action_mask"][0].numpy(), seen["action_mask"].astype(bool))
        bare.step(int(step[agent, "action"][0]))
        for other in GAME.agents:
            assert float(step["next", other, "reward"]) == bare.rewards[other]
    assert bool(rollout[-1]["next", "done"].all()) and all(bare.terminations.values())
    assert float(sum(rollout["next", agent, "reward"].sum() for agent in GAME.agents)) == 0.0


def test_the_reward_is_with_the_last_step_and_no_mask_is_empty() -> None:
    """Each player is told the result, also where the other one has made the last move."""
    import torch
    from torchrl.modules import MaskedCategorical

    by_the_other = 0
    for seed in range(3):
        rollout = make(seed=seed).rollout(2000)
        ends = [float(rollout["next", agent, "reward"].sum()) for agent in GAME.agents]
        assert ends in ([1.0, -1.0], [-1.0, 1.0], [0.0, 0.0])
        for agent, end in zip(GAME.agents, ends, strict=True):
            assert float(rollout[-1]["next", agent, "reward"]) == end
            by_the_other += bool(end) and not bool(rollout[-1][agent, "mask"].any())
            for masks in (rollout[agent, "action_mask"], rollout["next", agent, "action_mask"]):
                assert bool(masks.any(-1).all())
        last = rollout[-1]["next"]
        for agent in GAME.agents:
            chances = MaskedCategorical(logits=torch.zeros(1, GAME.num_actions), mask=last[agent, "action_mask"]).probs
            assert bool(torch.isfinite(chances).all())
    assert by_the_other


@pytest.mark.slow
def test_masked_actors_learn_from_collected_games() -> None:
    """A collector over two environments; one step of REINFORCE changes the weights, and no action is ever illegal."""
    import torch
    from tensordict.nn import TensorDictSequential
    from tensordict.nn.probabilistic import InteractionType, set_interaction_type
    from torchrl.collectors import Collector
    from torchrl.envs import SerialEnv

    policies = [actor(agent, seed) for seed, agent in enumerate(GAME.agents)]
    policy = TensorDictSequential(*policies)
    optimiser = torch.optim.Adam(policy.parameters(), 1e-3)
    before = [weight.clone() for weight in policy.parameters()]

    collector = Collector(SerialEnv(2, make), policy, frames_per_batch=200, total_frames=200)
    with set_interaction_type(InteractionType.RANDOM):
        (batch,) = list(collector)
    loss = torch.zeros(())
    for agent in GAME.agents:
        acts = batch[agent, "mask"][..., 0]
        chosen = batch[agent, "action_mask"].gather(-1, batch[agent, "action"].unsqueeze(-1))
        assert bool(chosen[acts].all()) and bool(acts.any())
    for one, agent in zip(policies, GAME.agents, strict=True):
        acts = batch[agent, "mask"][..., 0]
        data = batch[acts]
        likelihood = one.get_dist(data).log_prob(data[agent, "action"])
        loss = loss - likelihood.mean()
    loss.backward()
    optimiser.step()
    assert all(not torch.equal(old, new) for old, new in zip(before, policy.parameters(), strict=True))
    collector.shutdown()
