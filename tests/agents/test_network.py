"""Trained policies without torch: files, forward pass, what they fit, the agent that plays them."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each

import hawaii_env
from hawaii_agents import weights as shipped
from hawaii_agents.levers import place
from hawaii_agents.mcts import GuidedMCTSAgent
from hawaii_agents.network import FORMAT, Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents, games, make_batch
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.render.picture import MissingExtraError

pytest.importorskip("safetensors", reason="safetensors is not installed")

HIDDEN = 12


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(scenario="short")


def tensors(o: int, a: int, h: int = HIDDEN, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    sizes = {"O": o, "A": a, "H": h, "2H": 2 * h, "1": 1}
    shapes = {name: tuple(sizes[letter] for letter in shape.split()) for name, shape in Policy.shapes.items()}
    return {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture(scope="module")
def policy(game: Game) -> Policy:
    return Policy(tensors(game.observation_size, game.num_actions), {**game_meta(game), "seed": 3})


@pytest.fixture(scope="module")
def seen(game: Game) -> tuple[Any, Any]:
    """Observations and masks of 64 positions in the middle of games."""
    with make_batch(game, 64) as batch:
        batch.reset(seed=5)
        for _ in range(60):
            batch.step(batch.sample_actions())
        return batch.observations.copy(), batch.masks.copy()


# The forward pass


def test_forward_is_what_the_formula_says(policy: Policy, seen: tuple[Any, Any]) -> None:
    observations, masks = seen
    table, values = policy.forward(observations, masks)
    assert table.shape == masks.shape and values.shape == (64,)
    t, h = {name: array.astype(np.float64) for name, array in policy.tensors.items()}, HIDDEN
    for row, (x, mask) in enumerate(zip(observations, masks, strict=True)):
        first = np.tanh(t["first.weight"] @ x + t["first.bias"])
        logits = t["actions.weight"] @ np.tanh(t["policy.weight"] @ first[:h] + t["policy.bias"]) + t["actions.bias"]
        legal = np.flatnonzero(mask)
        wanted = logits[legal] - np.log(np.exp(logits[legal]).sum())
        np.testing.assert_allclose(table[row, legal], wanted, atol=2e-6, rtol=1e-5)
        assert np.isneginf(np.delete(table[row], legal)).all()
        value = t["score.weight"][0] @ np.tanh(t["worth.weight"] @ first[h:] + t["worth.bias"]) + t["score.bias"][0]
        assert values[row] == pytest.approx(value, abs=2e-6)


def test_one_position_is_a_row_of_many(policy: Policy, seen: tuple[Any, Any]) -> None:
    table, values = policy.forward(*seen)
    for row, (x, mask) in enumerate(zip(*seen, strict=True)):
        legal = np.flatnonzero(mask).tolist()
        chances, value = policy.evaluate(x, legal)
        np.testing.assert_allclose(np.log(chances), table[row, legal], atol=5e-6)
        assert chances.sum() == pytest.approx(1) and value == pytest.approx(float(values[row]), abs=2e-6)
        logits = policy.logits(x, legal)
        np.testing.assert_allclose(logits - logits.max(), table[row, legal] - table[row, legal].max(), atol=5e-6)


def test_forward_is_torchs(policy: Policy, seen: tuple[Any, Any]) -> None:
    torch = pytest.importorskip("torch", reason="the learning libraries are not installed")
    x = torch.from_numpy(seen[0])
    t = {name: torch.from_numpy(array) for name, array in policy.tensors.items()}
    first = torch.tanh(torch.nn.functional.linear(x, t["first.weight"], t["first.bias"]))
    p, v = first.chunk(2, dim=1)
    p = torch.tanh(torch.nn.functional.linear(p, t["policy.weight"], t["policy.bias"]))
    v = torch.tanh(torch.nn.functional.linear(v, t["worth.weight"], t["worth.bias"]))
    logits = torch.nn.functional.linear(p, t["actions.weight"], t["actions.bias"])
    logits = torch.where(torch.from_numpy(seen[1]).bool(), logits, torch.tensor(float("-inf")))
    wanted = torch.log_softmax(logits, 1).numpy()
    table, values = policy.forward(*seen)
    np.testing.assert_allclose(table, wanted, atol=5e-6)
    np.testing.assert_allclose(
        values, torch.nn.functional.linear(v, t["score.weight"], t["score.bias"]).flatten().numpy(), atol=5e-6
    )


# Files


def test_a_file_holds_weights_and_where_they_come_from(policy: Policy, game: Game, tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    policy.save(path)
    again = Policy.load(path, game)
    assert again.tensors.keys() == Policy.shapes.keys()
    for name, array in policy.tensors.items():
        assert again.tensors[name].dtype == np.float32
        np.testing.assert_array_equal(again.tensors[name], array)
    assert again.meta == policy.meta
    assert again.meta["seed"] == 3 and again.meta["format"] == FORMAT
    assert again.meta["architecture"]["hidden"] == HIDDEN and again.meta["ruleset"]["hash"] == game.ruleset_hash
    assert [file.name for file in tmp_path.iterdir()] == ["p.safetensors"]
    # The format is the published one: a length, a JSON header, numbers. No pickle.
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert header["first.weight"]["dtype"] == "F32"
    assert header["first.weight"]["shape"] == [2 * HIDDEN, game.observation_size]


def test_a_compact_file(policy: Policy, game: Game, tmp_path: Path) -> None:
    made = {**policy.tensors, "first.weight": policy.tensors["first.weight"].copy()}
    made["first.weight"][:, 100:] = 0
    small = Policy(made, policy.meta)
    small.save(tmp_path / "whole.safetensors")
    small.save(tmp_path / "compact.safetensors", compact=True)
    again = Policy.load(tmp_path / "compact.safetensors", game)
    assert not again.tensors["first.weight"][:, 100:].any()
    for name, array in again.tensors.items():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, made[name], rtol=1 / 2000, atol=1e-7)
        if array.ndim == 1:
            np.testing.assert_array_equal(array, made[name])
    sizes = [(tmp_path / f"{name}.safetensors").stat().st_size for name in ("compact", "whole")]
    assert sizes[0] < sizes[1] / 2
    huge = Policy({**made, "policy.weight": made["policy.weight"] + 1e5}, policy.meta)
    refuses(OptionError, ("compact file", lambda: huge.save(tmp_path / "huge.safetensors", compact=True)))
    assert not (tmp_path / "huge.safetensors").exists()


def test_files_that_hold_no_policy(policy: Policy, tmp_path: Path) -> None:
    refuses(OptionError, ("there is no policy file", lambda: Policy.load(tmp_path / "missing.safetensors")))
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"nothing at all")
    refuses(OptionError, (r"broken\.safetensors holds no policy", lambda: Policy.load(broken)))
    later = Policy(policy.tensors, policy.meta)
    later.meta["format"] = FORMAT + 1
    later.save(tmp_path / "later.safetensors")
    refuses(OptionError, ("later version of the package", lambda: Policy.load(tmp_path / "later.safetensors")))
    other = Policy(policy.tensors, policy.meta)
    del other.tensors["score.bias"]
    other.save(tmp_path / "other.safetensors")
    refuses(OptionError, (r"score\.bias are missing", lambda: Policy.load(tmp_path / "other.safetensors")))


def test_weights_that_are_none(policy: Policy) -> None:
    refuses_each(
        OptionError,
        None,
        lambda name, wrong: Policy({**policy.tensors, name: wrong}),
        (
            ("policy.bias", np.zeros(HIDDEN + 1), r"policy\.bias has the shape \[13\], not \[12\]"),
            ("score.bias", np.array([np.nan]), "not finite"),
            ("first.weight", np.zeros((3, 4)), r"first\.weight has the shape \[3, 4\]"),
        ),
    )


# What a policy fits


def test_a_policy_says_what_it_cannot_play(policy: Policy, game: Game) -> None:
    policy.check(game, ruleset=True)
    policy.check(Game(scenario="long"), ruleset=True)
    for change, message in (
        ({"game": "chess"}, "weights for the game 'chess'"),
        ({"action_table_hash": "ab" * 32}, "another action table"),
        ({"observation": {"size": game.observation_size, "hash": "ab" * 32}}, "another observation"),
        ({}, "weights for the game None"),
    ):
        other = Policy(policy.tensors, {**policy.meta, **change} if change else {})
        with pytest.raises(OptionError, match=message) as caught:
            other.check(game)
        assert "train again" in str(caught.value)
        with pytest.raises(OptionError, match=message):
            PPOAgent(other).begin(game, 0)
    smaller = Policy(tensors(game.observation_size - 1, game.num_actions), policy.meta)
    refuses(OptionError, ("another observation", lambda: smaller.check(game)))
    ruled = Policy(policy.tensors, {**policy.meta, "ruleset": {"name": "mine", "hash": "ab" * 32}})
    ruled.check(game)
    refuses(OptionError, ("trained on the ruleset 'mine'", lambda: ruled.check(game, ruleset=True)))
    for spec in "ppo", "guided", "champion":
        with pytest.raises(OptionError, match="say any_ruleset=true"):
            agents.begin(agents.load_agent(spec, weights=ruled), game, 0)
        agents.begin(agents.load_agent(spec, weights=ruled, any_ruleset=True), game, 0)


def changed(game: Game, **changes: Any) -> Game:
    """The game with other numbers, named as levers name them, dots for double underlines."""
    content = game.ruleset.content
    for key, value in changes.items():
        found = place(content, key.replace("__", "/", 1).replace("_toml", ".toml", 1).replace("__", "."))
        assert found is not None, key
        found[0][found[1]] = value
    return Game(scenario="short", rules=content)


def test_a_policy_of_many_rulesets_plays_those_in_its_range(policy: Policy, game: Game) -> None:
    levers = [
        {"name": "Kamehameha", "at": ["pieces.toml/kamehameha.kamehameha.strength"], "values": [1, 3]},
        {"name": "moves", "at": ["cards.toml/allied.thunderers.fleets"], "add": True, "values": [0, -1]},
        {"name": "table", "at": ["battle_results.toml/defender"], "values": ["shipped", {"elite": ["none"] * 6}]},
        {"name": "check", "option": "final_check", "values": [False, True]},
    ]
    wide = Policy(policy.tensors, {**policy.meta, "levers": levers})
    moves = game.ruleset.content["cards.toml"]["allied"]["thunderers"]["fleets"]
    strength = "pieces_toml__kamehameha__kamehameha__strength"
    for inside in (
        game,
        Game(final_check=True),
        changed(game, **{strength: 1}),
        changed(game, **{strength: 2}),  # between those that it saw
        changed(game, **{strength: 1, "cards_toml__allied__thunderers__fleets": moves - 1}),
    ):
        wide.check(inside, ruleset=True)
        PPOAgent(wide).begin(inside, 0)
    for outside, message in (
        (changed(game, **{strength: 4}), r"strength: 4, where training saw 1 to 3"),
        (changed(game, cards_toml__allied__thunderers__fleets=moves + 1), f"fleets: {moves + 1}, where"),
        (changed(game, pieces_toml__allied__kalani__strength=1), "more than the training varied"),
    ):
        for make in PPOAgent, GuidedMCTSAgent:
            with pytest.raises(OptionError, match=message):
                make(weights=wide).begin(outside, 0)
            make(weights=wide, any_ruleset=True).begin(outside, 0)
    # What stood there before may be told, too; else the ruleset must be at hand.
    told = [{**lever, "before": [3] if lever["name"] == "Kamehameha" else [moves]} for lever in levers[:2]]
    apart = Policy(policy.tensors, {**policy.meta, "levers": told})
    apart.check(changed(game, **{strength: 1}), ruleset=True)
    refuses(
        OptionError,
        (
            "more than the training varied",
            lambda: apart.check(changed(game, pieces_toml__allied__kalani__strength=1), ruleset=True),
        ),
    )
    lost = Policy(policy.tensors, {**wide.meta, "ruleset": {"name": "of long ago", "hash": "ab" * 32}})
    refuses(OptionError, ("not at hand to compare", lambda: lost.check(game, ruleset=True)))


class Named(Game):
    observation_layout_hash = "names-2"


def test_a_named_layout_is_checked(policy: Policy) -> None:
    mine = game_meta(Named())
    assert mine["observation"]["layout"] == "names-2"
    bare = {**policy.meta, "observation": {**policy.meta["observation"], "layout": None}}
    Policy(policy.tensors, bare).check(Named())  # trained before the game named it: the bounds decide
    old = {**mine, "observation": {**mine["observation"], "layout": "names-1"}}
    refuses(OptionError, ("another observation", lambda: Policy(policy.tensors, old).check(Named())))
    assert Named().observation_hash == Game().observation_hash


def test_observations_of_another_size_are_rejected(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "some.safetensors"
    Policy(tensors(game.observation_size, game.num_actions), game_meta(game)).save(path)
    agent = PPOAgent(path)
    agent.begin(game, 0)
    refuses(
        OptionError,
        (
            f"observations of {game.observation_size} values",
            lambda: agent.act_batch(np.zeros((1, 639), np.float32), np.ones((1, game.num_actions), np.int8)),
        ),
        ("either path=", lambda: agents.load_agent(f"ppo:{path},weights=hawaii1795")),
    )


# The agent


def test_the_agent_plays_legally_and_by_its_seed(policy: Policy, game: Game) -> None:
    played = []
    for _ in range(2):
        state = hawaii_env.play(game, [PPOAgent(policy, greedy=False, seed=1), PPOAgent(policy)], seed=9)
        assert state.is_terminal
        played.append(state.to_json())
    assert played[0] == played[1]


def test_drawing_follows_the_probabilities(policy: Policy, seen: tuple[Any, Any]) -> None:
    counts = seen[1].sum(1)
    row = int(counts.argmax())
    n = 20_000
    x, mask = np.repeat(seen[0][[row]], n, 0), np.repeat(seen[1][[row]], n, 0)
    legal = np.flatnonzero(mask[0])
    for temperature in (1.0, 0.5):
        logits = policy.logits(seen[0][row], legal.tolist()) / temperature
        wanted = np.exp(logits) / np.exp(logits).sum()
        drawn = PPOAgent(policy, greedy=False, temperature=temperature, seed=2).act_batch(x, mask)
        got = np.array([(drawn == action).mean() for action in legal])
        np.testing.assert_allclose(got, wanted, atol=5 * np.sqrt(0.25 / n))
    assert not np.allclose(got, 1 / len(legal), atol=0.01)


def test_act_and_act_batch_agree(policy: Policy, game: Game, seen: tuple[Any, Any]) -> None:
    agent = PPOAgent(policy, greedy=True)
    chosen = agent.act_batch(*seen)
    table, _ = policy.forward(*seen)
    np.testing.assert_array_equal(chosen, table.argmax(1))
    state = game.initial_state(seed=1)
    while not state.is_terminal:
        legal = state.legal_actions()
        x = np.asarray(state.observation(state.current_player), np.float32)[None]
        action = agent.act(state.for_search(), legal)
        assert action == agent.act_batch(x, state.legal_mask()[None])[0]
        state.apply(action)


def test_the_agent_rejects_bad_input(policy: Policy, game: Game, seen: tuple[Any, Any], tmp_path: Path) -> None:
    refuses_each(
        OptionError,
        "temperature",
        lambda temperature: PPOAgent(policy, greedy=False, temperature=temperature),
        (0.0, -1.0, float("nan"), float("inf")),
    )
    refuses(
        OptionError,
        ("say greedy=false", lambda: PPOAgent(policy, temperature=0.5)),
        ("there is no file", lambda: PPOAgent(str(tmp_path / "missing.safetensors"))),
        ("observations of 2035 values", lambda: PPOAgent(policy).act_batch(seen[0][:, :-1], seen[1])),
    )
    masks = seen[1].copy()
    masks[1] = 0
    refuses(
        OptionError,
        ("row 1 has no legal action", lambda: PPOAgent(policy).act_batch(seen[0], masks)),
        ("name some", lambda: PPOAgent().act_batch(*seen)),
    )


def test_shipped_weights_are_found_by_game_and_ruleset(
    policy: Policy, game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    refuses(
        OptionError, ("no trained weights are shipped for the game 'hawaii1795'", lambda: PPOAgent().begin(game, 0))
    )
    policy.save(tmp_path / "hawaii1795.safetensors")
    Policy(tensors(2035, 991, seed=1), {**policy.meta, "ruleset": {"name": "old", "hash": "00"}}).save(
        tmp_path / "hawaii1795-old.safetensors"
    )
    assert shipped.names() == ["hawaii1795", "hawaii1795-old"]
    agent = PPOAgent()
    agent.begin(game, 1)
    assert agent.player == 1 and agent.policy is shipped.find(game) is shipped.load("hawaii1795")
    named = PPOAgent("hawaii1795-old")
    refuses(OptionError, ("any_ruleset=true", lambda: named.begin(game, 0)))
    PPOAgent("hawaii1795-old", any_ruleset=True).begin(game, 0)
    refuses(OptionError, ("shipped are: hawaii1795, hawaii1795-old", lambda: shipped.load("nonsense")))


@pytest.mark.parametrize("name", shipped.names())
def test_each_shipped_policy_plays_the_shipped_game(name: str) -> None:
    found = shipped.load(name)
    played = found.meta["game"]
    players = found.meta["config"].get("players")
    scenario = found.meta["config"].get("scenario", "").split(",")[-1]
    options = {"players": players} if players else {"scenario": scenario}
    game = games.load_game(played, **options)
    found.check(game, ruleset=True)
    assert shipped.find(game) is found
    assert {"config", "seed", "command", "commit", "decisions", "date"} <= found.meta.keys()
    others = ["random"] * (game.num_players - 1)
    assert hawaii_env.play(game, [PPOAgent(name, seed=1), *others], seed=1).is_terminal


def test_without_safetensors(policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "safetensors", None)
    refuses_each(
        MissingExtraError,
        "pip install",
        lambda call: call(),
        (lambda: policy.save(tmp_path / "x"), lambda: Policy.load(tmp_path / "x")),
    )


@pytest.mark.parametrize("name", ["ppo", "guided", "champion"])
def test_a_trained_agent_says_at_once_what_it_lacks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)  # as if it were not installed
    refuses(MissingExtraError, (r'pip install "hawaii-env\[agents\]"', lambda: agents.load_agent(name)))
