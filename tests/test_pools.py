"""What each game draws: positions to begin at, rulesets, opponents. Every class of environment draws alike."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from refusals import refuses

import hawaii_env
from hawaii_env import OptionError, Pool, RulesetError
from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.core.rng import pick
from hawaii_env.env import single_agent
from hawaii_env.game import Game, State
from hawaii_env.integrations.sb3 import BatchVecEnv
from hawaii_env.variation import sample_rules

GAMES = {"aloha": {}, "hawaii1795": {"scenario": "short"}, "heiau": {"last_year": 2}, "maori_wars": {}, "lagoon": {}}


def positions(game: Game, n: int = 8) -> list[State]:
    found: list[State] = []
    for seed in range(n):
        state, choose = game.initial_state(seed=seed), random.Random(seed)
        for _ in range(5 + 3 * seed):
            before = state.clone()
            state.apply(choose.choice(state.legal_actions()))
            if state.is_terminal:
                state = before
                break
        found.append(state)
    return found


def vary(rng: np.random.Generator) -> dict[str, Any]:
    """A ruleset of ALOHA with more or fewer points for monarchs."""
    content = copy.deepcopy({"scoring.toml": Ruleset.load().content["scoring.toml"]})
    for table in content["scoring.toml"].values():
        if "monarch" in table:
            table["monarch"] += int(rng.integers(2))
    return content


def alike(batch: Any, envs: list[Any], steps: int) -> int:
    """Play the same games in a batch and in environments of one game; return how many have ended."""
    ended = 0
    for _ in range(steps):
        actions = batch.sample_actions().copy()
        _, _, terminations, _, _ = batch.step(actions)
        for i, env in enumerate(envs):
            env.step(int(actions[i]))
            if terminations[i]:
                ended += 1
                env.reset()
            assert batch.get_state(i).to_json(secrets=True) == env.game_state.to_json(secrets=True)
            assert batch.games[i] == env.game == env.game_state.game
            agent = env.agent_selection
            assert (batch.observations[i] == env.observe(agent)["observation"]).all()
            assert env.observation_space(agent).contains(env.observe(agent))
    return ended


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("name", GAMES)
def test_starts_are_drawn_by_the_seed(name: str, tmp_path: Path) -> None:
    """A batch and AEC environments begin at the same positions with the same dice, and so do their copies; so does the
    pool in a file.
    """
    options = GAMES[name]
    game = hawaii_env.load_game(name, **options)
    starts = positions(game)
    file = tmp_path / "starts.jsonl"
    file.write_text("\n".join(state.explicit().to_json(secrets=True) for state in starts))
    batch = hawaii_env.make_batch(name, 3, starts=starts, **options)
    envs = [hawaii_env.make(name, starts=file, **options) for _ in range(3)]
    batch.reset(seed=5)
    for i, env in enumerate(envs):
        env.reset(seed=5 + i)
        if not any(state.current_player < 0 for state in starts):
            assert env.game_state in starts and batch.get_state(i) == env.game_state
    alike(batch, envs, 10)
    batch, envs = pickle.loads(pickle.dumps(batch)), copy.deepcopy(envs)
    ended = alike(batch, envs, 30 if name in ("hawaii1795", "maori_wars") else 90)
    if name in ("aloha", "heiau", "lagoon"):
        assert ended > 3
    batch.set_starts(None)
    for env in envs:
        env.set_starts(None)
    alike(batch, envs, 20)


def test_rules_are_drawn_by_the_seed() -> None:
    """Each game has its own ruleset, in a batch and in AEC environments; spaces hold the observations of all."""
    pool = Pool(vary, size=12)
    batch = hawaii_env.make_batch("aloha", 2, rules=pool)
    envs = [hawaii_env.make("aloha", rules=pool) for _ in range(2)]
    batch.reset(seed=1)
    for i, env in enumerate(envs):
        env.reset(seed=1 + i)
    alike(batch, envs, 60)
    batch = pickle.loads(pickle.dumps(batch))
    assert alike(batch, envs, 150) > 3
    played = {game.ruleset_hash for game in batch.games}
    assert len(played) > 1
    batch = hawaii_env.make_batch("maori_wars", 3, rules=sample_rules("maori_wars", "near", 3, seed=2))
    assert len({game.record_size for game in batch.games}) > 1  # pyright: ignore[reportAttributeAccessIssue]
    batch.reset(seed=1)
    again = pickle.loads(pickle.dumps(batch))
    assert [again.get_state(i) for i in range(3)] == [batch.get_state(i) for i in range(3)]


def test_starts_have_their_rules() -> None:
    batch = hawaii_env.make_batch("aloha", 2, rules=Pool(vary, size=12))
    batch.reset(seed=1)
    starts = [game.initial_state(seed=1) for game in batch.runner.kinds[:2]]
    batch.set_starts(starts)
    batch.reset(seed=2)
    assert {batch.get_state(i).game.ruleset_hash for i in range(2)} <= {state.game.ruleset_hash for state in starts}


def test_every_environment_draws() -> None:
    """Gymnasium's, Stable-Baselines3's and the parallel environment begin at positions of the pool."""
    starts = [one for one in positions(hawaii_env.load_game("heiau", last_year=2)) if one.phase == "orders"]
    shown = {one.to_json(player=0) for one in starts}
    env = hawaii_env.make_parallel("heiau", last_year=2, starts=starts)
    env.reset(seed=1)
    assert env.game_state.for_search(0).to_json(player=0) in shown
    starts = positions(hawaii_env.load_game("aloha"))
    for made in (
        BatchVecEnv("aloha", 8, starts=starts, seed=1),
        single_agent.SingleAgentVectorEnv("aloha", 8, starts=starts),
    ):
        if isinstance(made, BatchVecEnv):
            made.reset()
        else:
            made.reset(seed=1)
        versus = made._versus
        assert any(versus.runner.get_state(i) in starts for i in range(8))
        made.close()


def test_opponents_are_drawn_by_their_weights() -> None:
    """Info says who plays; a pool may be changed while games go on."""
    asked: list[str] = []

    def first(observations: Any, masks: Any) -> Any:
        asked.append("first")
        return masks.argmax(axis=1)

    def again() -> list[list[int]]:
        envs = single_agent.SingleAgentVectorEnv(
            "aloha", 8, opponent=Pool([first, "random"], [0, 1]), autoreset_mode="SameStep"
        )
        _, infos = envs.reset(seed=3)
        places = [infos["opponent"].tolist()]
        envs.set_opponent(Pool(["random", first], [1, 3]))
        for _ in range(60):
            _, _, _, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
            places.append(infos["opponent"].tolist())
        return places

    places = again()
    assert places[0] == [1] * 8 and places == again() and asked
    late = np.array(places[-1])
    assert set(late.tolist()) == {0, 1} and late.sum() > 4


def test_shares_of_a_pool() -> None:
    """An item's weight is its share of the draws; one without weight is never drawn."""
    words, reach = [1, 2, 3, 4], Pool(["abcd"] * 4, [1, 0, 2, 1]).reach
    drawn = [pick(words, reach) for _ in range(8000)]
    assert drawn.count(1) == 0
    assert [drawn.count(k) / 8000 for k in (0, 2, 3)] == pytest.approx([0.25, 0.5, 0.25], abs=0.02)


def test_refusals(tmp_path: Path) -> None:
    game = hawaii_env.load_game("aloha")
    over = game.initial_state(seed=1)
    while not over.is_terminal:
        over.apply(over.legal_actions()[0])
    other = hawaii_env.load_game("aloha", players=3).initial_state(seed=1)
    bad = tmp_path / "bad.jsonl"
    bad.write_text(game.initial_state(seed=1).explicit().to_json() + "\n{}\n")
    late = tmp_path / "late.jsonl"
    late.write_text("\n".join(one.explicit().to_json() for one in (game.initial_state(seed=1), over)))

    (none := tmp_path / "none.jsonl").touch()

    def fails(rng: Any) -> State:
        raise KeyError("nothing left")

    makes: list[Callable[[Any], Any]] = [
        lambda starts: hawaii_env.make_batch("aloha", 2, starts=starts),
        lambda starts: hawaii_env.make("aloha", starts=starts),
        lambda starts: single_agent.SingleAgentEnv("aloha", starts=starts),
    ]
    for make in makes:
        refuses(
            OptionError,
            ("starts: item 0: the state is the position of a game that is over", lambda: make([over])),  # noqa: B023
            ("starts: item 0: the state is a position of a game with players=3", lambda: make([other])),  # noqa: B023
            ("starts: item 0: expected a State, not 7", lambda: make([7])),  # noqa: B023
            ("starts: expected at least one, not an empty pool", lambda: make([])),  # noqa: B023
            ("starts: a pool holds a sequence", lambda: make(7)),  # noqa: B023
            ("bad.jsonl', line 2: state: game is missing", lambda: make(bad)),  # noqa: B023
            ("late.jsonl', line 2: the state is the position of a game that is over", lambda: make(late)),  # noqa: B023
            ("none.jsonl' has no position", lambda: make(none)),  # noqa: B023
            ("nowhere' cannot be read", lambda: make("nowhere")),  # noqa: B023
            ("starts: the sampler raised KeyError.'nothing left'. for item 0", lambda: make(fails)),  # noqa: B023
        )
    batch = hawaii_env.make_batch("aloha", 2)
    batch.reset(seed=1)
    before = batch.get_state(0)
    refuses(OptionError, ("starts: item 0", lambda: batch.set_starts([over])))
    assert batch.get_state(0) == before
    refuses(
        OptionError,
        ("rules: the sampler raised", lambda: hawaii_env.make("aloha", rules=fails)),
        ("weights: expected 2 numbers", lambda: Pool([1, 2], [1])),
        ("weights: expected 2 numbers", lambda: Pool([1, 2], [1, float("nan")])),
        ("weights: expected 2 numbers", lambda: Pool([1, 2], [0, 0])),
        ("weights: expected 2 numbers", lambda: Pool([1, 2], cast(Any, "ab"))),
        ("size: ", lambda: Pool(vary, size=0)),
    )
    refuses(
        RulesetError,
        (
            "rules: .* a ruleset of heiau or None, not a ruleset of aloha",
            lambda: hawaii_env.make("heiau", rules=Pool([Ruleset.load()])),
        ),
        ("rules: item 1: ", lambda: hawaii_env.make_batch("aloha", 2, rules=Pool([None, {"no.toml": {}}]))),
    )
