"""Agents: specs, the registry, files of one's own, and games between them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import refuses, refuses_each
from toy import ToyGame

import hawaii_env
from hawaii_env import agents, records
from hawaii_env.agent_options import Choice, Count, Flag, Given, Range, Real, Seed, Text, declared
from hawaii_env.agents import load_agent
from hawaii_env.errors import HawaiiError, IllegalActionError, OptionError
from hawaii_env.game import State

GAME = ToyGame()


class FirstAgent(agents.BaseAgent):
    """Takes the first legal action."""

    def __init__(self, depth: int = 1, seed: int | None = None) -> None:
        self.depth, self.seed = depth, seed

    def act(self, state: State, legal_actions: Sequence[int], clock: agents.Clock | None = None) -> int:
        assert state.chance == "explicit"
        assert state.trace is None
        return legal_actions[0]


class LastPolicy(agents.PolicyAgent):
    """Takes the last legal action, from the mask."""

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        assert observations.shape == (len(masks), GAME.observation_size)
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    copy = dict(agents._registered)
    monkeypatch.setattr(agents, "_registered", copy)
    return copy


@pytest.mark.parametrize(
    ("spec", "parsed"),
    [
        ("random", ("random", {})),
        ("mcts:sims=1000", ("mcts", {"sims": 1000})),
        (" mcts:sims=10, c=1.5 ,prior=None", ("mcts", {"sims": 10, "c": 1.5, "prior": None})),
        ("net:file=a/b.npz,greedy=true,t=-1e-3", ("net", {"file": "a/b.npz", "greedy": True, "t": -0.001})),
        ("net:runs/lr=0.1/b.zip, t=2", ("net", {"path": "runs/lr=0.1/b.zip", "t": 2})),
        ("net:checkpoint", ("net", {"path": "checkpoint"})),
    ],
)
def test_specs_parse(spec: str, parsed: Any) -> None:
    assert agents.parse_agent(spec) == parsed


def test_files_in_an_agent_string_are_found(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    file.touch()
    inner = f"epsilon-greedy:base=(ppo:weights={file},greedy=false)"
    for text in (f"ppo:{file}", f"ppo:weights={file},greedy=true", f"epsilon-greedy:epsilon=0.1,base=({inner})"):
        assert agents.named_files(text) == [file]
    for text in ("random", f"ppo:{'x' * 9999}", f"ppo:{file}x", f"ppo:weights={tmp_path}", "mcts:sims=9,prior=Mcts:9"):
        assert agents.named_files(text) == []


def test_wrong_agent_strings_are_refused() -> None:
    odd = ("", ":", "Mcts", "mcts:9", "mcts:=3", "mcts:sims=", "mcts:a=1,a=2", "a b", "mcts:a=1,,b=2", "mcts:a=1,b")
    refuses_each(OptionError, "", agents.parse_agent, (*odd, "a:b,path=c"))
    refuses_each(
        OptionError,
        None,
        agents.load_agent,
        (
            ("radnom", r"no agent 'radnom'; available: .*random"),
            ("random:sed=3", r"no parameter 'sed'; it takes: seed"),
            ("random:file.zip", r"no parameter 'path' \(a value without key= is one\); it takes: seed"),
            ("random:seed=1.5", "seed is an integer"),
        ),
    )


def test_lists_of_specs_split_at_agents() -> None:
    assert agents.split_agents("random,mcts:sims=9,c=2,random:seed=1") == ["random", "mcts:sims=9,c=2", "random:seed=1"]
    assert agents.split_agents("random") == ["random"]
    assert agents.split_agents("sb3:a.zip,name=x,random,rllib:lr=1/b") == ["sb3:a.zip,name=x", "random", "rllib:lr=1/b"]


def test_registering(registry: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    agents.register("first", FirstAgent)
    agents.register("first", FirstAgent)
    agent = agents.load_agent("first:depth=3", seed=5)
    assert isinstance(agent, FirstAgent)
    assert (agent.depth, agent.seed, agent.name) == (3, 5, "first")
    refuses(
        OptionError,
        ("agent 'first' has no parameter 'other'; it takes: depth, seed", lambda: agents.load_agent("first", other=6)),
    )
    assert agents.describe("first") == agents.Description(
        "first", "Takes the first legal action.", (), {"depth": "1", "seed": "none"}
    )
    monkeypatch.setattr(FirstAgent, "games", ("heiau",))
    assert "first" in agents.known() and "first" in agents.known("heiau") and "first" not in agents.known("aloha")
    refuses(
        OptionError,
        ("already", lambda: agents.register("first", LastPolicy)),
        ("lower-case", lambda: agents.register("First!", FirstAgent)),
    )


def test_other_objects_are_rejected_as_agents(registry: dict[str, Any]) -> None:
    agents.register("nothing", object)  # pyright: ignore[reportArgumentType]
    refuses(OptionError, ("no act", lambda: agents.load_agent("nothing")))


def test_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        "good": EntryPoint("good", "hawaii_env.agents:RandomAgent", agents.ENTRY_POINTS),
        "broken": EntryPoint("broken", "no_such_module_anywhere:Bot", agents.ENTRY_POINTS),
    }
    monkeypatch.setattr(agents, "_installed", lambda: points)
    monkeypatch.setattr(agents, "_found", {})
    assert isinstance(agents.load_agent("good:seed=1"), agents.RandomAgent)
    assert set(agents.known()) >= {"good", "broken", "random"}
    refuses(
        OptionError, (r"'broken' \(no_such_module_anywhere:Bot\) cannot be loaded", lambda: agents.load_agent("broken"))
    )


def test_one_spec_serves_every_player() -> None:
    made = agents.load_agents("random", GAME, seed=10)
    assert [agent.seed for agent in made] == [10, 11, 12]  # pyright: ignore[reportAttributeAccessIssue]
    refuses(OptionError, ("3 players", lambda: agents.load_agents("random,random", GAME)))


def test_random_agents_repeat_by_seed() -> None:
    state = GAME.position(round=1, phase="prize", prize=1, winner=0, hands=[[], [1], []], points=[0, 0, 0])
    legal = state.legal_actions()
    first, second = agents.RandomAgent(4), agents.RandomAgent(4)
    chosen = [first.act(state, legal, None) for _ in range(200)]
    assert chosen == [second.act(state, legal, None) for _ in range(200)]
    assert set(chosen) == set(legal)


def test_random_batches_are_legal_and_reach_everything() -> None:
    rng = np.random.default_rng(0)
    masks = (rng.random((500, 40)) < 0.1).astype(np.int8)
    masks[:, 7] = 1
    chosen = agents.RandomAgent(1).act_batch(np.zeros((500, 3), np.float32), masks)
    assert chosen.dtype == np.int64
    assert masks[np.arange(500), chosen].all()
    one = np.zeros((2000, 40), np.int8)
    one[:, [3, 8, 39]] = 1
    assert set(agents.RandomAgent(1).act_batch(np.zeros((2000, 3), np.float32), one)) == {3, 8, 39}


@pytest.mark.parametrize("shape", [(3, 40), (7, 20_011), (0, 20_011), (2, 40_000)])
def test_legal_actions_of_masks_of_any_size(shape: tuple[int, int]) -> None:
    masks = (np.random.default_rng(0).random(shape) < 0.001).astype(np.int8)
    masks[-1:, -1] = 1
    for layout in (masks, masks.astype(np.bool_), np.asfortranarray(masks), masks[:, ::-1]):
        for found, expected in zip(agents.legal_in_rows(layout), np.nonzero(layout), strict=True):
            assert np.array_equal(found, expected)


def test_epsilon_greedy_slips_as_often_as_it_says(registry: dict[str, Any]) -> None:
    agents.register("first", FirstAgent)
    state = GAME.initial_state(seed=1)
    while len(state.legal_actions(state.acting_players[0])) < 2:
        state.apply_joint({player: state.legal_actions(player)[0] for player in state.acting_players})
    legal = state.legal_actions(state.acting_players[0])
    look = state.for_search()

    def share(epsilon: float) -> float:
        agent = agents.load_agent(f"epsilon-greedy:base=first,epsilon={epsilon},seed=3")
        chosen = [agent.act(look, legal, None) for _ in range(4000)]
        assert set(chosen) <= set(legal)
        return sum(action == legal[0] for action in chosen) / len(chosen)

    assert share(0) == 1
    slips = 0.5 * (1 - 1 / len(legal))
    assert abs(share(0.5) - (1 - slips)) < 5 * (slips * (1 - slips) / 4000) ** 0.5
    assert abs(share(1) - 1 / len(legal)) < 0.05
    masks = np.ones((4000, GAME.num_actions), np.int8)
    masks[:, 0] = 0
    batch = agents.EpsilonGreedyAgent(LastPolicy(), 0.5, seed=1).act_batch(
        np.zeros((4000, GAME.observation_size), np.float32), masks
    )
    assert batch.min() >= 1
    last = 0.5 + 0.5 / (GAME.num_actions - 1)
    assert abs((batch == GAME.num_actions - 1).mean() - last) < 0.05


def test_epsilon_greedy_names_its_base_and_repeats_by_seed(registry: dict[str, Any]) -> None:
    told: list[Any] = []

    class Told(FirstAgent):
        def begin(self, game: Any, player: int) -> None:
            told.append(player)

        def finish(self, state: State) -> None:
            told.append(state.is_terminal)

    games = [
        hawaii_env.play(GAME, [agents.EpsilonGreedyAgent(Told(), 0.5, seed=s), "random", "random"], seed=9)
        for s in (1, 1, 2)
    ]
    assert told == [0, True] * 3
    assert games[0].trace == games[1].trace != games[2].trace


def test_who_plays_with_slips_closes_its_base(registry: dict[str, Any]) -> None:
    closed: list[bool] = []

    class Open(FirstAgent):
        def close(self) -> None:
            closed.append(True)

    agents.close(agents.EpsilonGreedyAgent(Open(), 0.5))
    agents.close(agents.EpsilonGreedyAgent("random", 0.5))
    assert closed == [True]
    refuses_each(
        OptionError,
        "epsilon",
        lambda wrong: agents.EpsilonGreedyAgent("random", wrong),  # type: ignore[arg-type]
        (-0.1, 1.1, True, "x"),
    )
    within = ("epsilon-greedy:base=nobody", "one-ply:policy=nobody", "battle-expectimax:base=nobody")
    refuses_each(OptionError, "no agent", agents.load_agent, within)


def test_policies_act_through_their_batch() -> None:
    state = GAME.initial_state(seed=1)
    policy = LastPolicy()
    policy.begin(GAME, 1)
    assert policy.act(state.for_search(), state.legal_actions(1)) == 3
    refuses(
        HawaiiError,
        (
            "decides from positions",
            lambda: FirstAgent().act_batch(np.zeros((1, 1), np.float32), np.ones((1, 1), np.int8)),
        ),
    )


def test_everything_here_is_an_agent() -> None:
    """Those of one game refuse positions of another."""
    assert isinstance(agents.RandomAgent(), agents.Agent)
    assert isinstance(LastPolicy(), agents.Agent)
    state = GAME.initial_state(seed=1)
    own = ["aloha-greedy", "aloha-search", "battle-expectimax", "heiau-greedy", "maori-greedy", "rule-of-thumb"]

    def act(name: str) -> int:
        return agents.load_agent(name).act(state, state.legal_actions(1), None)

    refuses_each(OptionError, "plays .*, not ", act, own)


def test_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(agents.time, "perf_counter", lambda: now[0])
    clock = agents.Clock(2)
    for now[0], left in ((101.5, 0.5), (102.5, 0)):
        assert (clock.left, agents.Clock().left) == (left, float("inf"))
    clock.restart()
    assert clock.left == 2
    refuses(OptionError, ("", lambda: agents.Clock(0)))


def test_play_repeats_by_seed(tmp_path: Path) -> None:
    first = hawaii_env.play(GAME, "random", seed=3, record=tmp_path / "a.jsonl")
    second = hawaii_env.play(GAME, [FirstAgent(), "random", LastPolicy()], seed=3)
    again = hawaii_env.play(GAME, "random", seed=3)
    assert first.trace == again.trace != second.trace
    found = records.verify(tmp_path / "a.jsonl", GAME)
    assert found.record.header["players"] == ["random"] * 3
    assert found.state.to_json() == first.to_json()


def test_play_from_a_position(tmp_path: Path) -> None:
    start = GAME.position(round=4, phase="prize", prize=2, winner=1, hands=[[], [1, 2], []], points=[1, 0, 0])
    refuses(OptionError, ("no generator", lambda: hawaii_env.play(GAME, "random", start=start)))
    end = hawaii_env.play(GAME, "random", seed=3, start=start, record=tmp_path / "a.jsonl")
    assert end.is_terminal
    assert records.verify(tmp_path / "a.jsonl", GAME).seed_checked


def test_an_illegal_answer_is_an_error() -> None:
    class Cheat(FirstAgent):
        def act(self, state: State, legal_actions: Sequence[int], clock: agents.Clock | None = None) -> int:
            return 7

    refuses(IllegalActionError, ("", lambda: hawaii_env.play(GAME, [Cheat(), "random", "random"], seed=1)))


def test_agents_cannot_see_the_dice_to_come() -> None:
    class Spy(FirstAgent):
        def act(self, state: State, legal_actions: Sequence[int], clock: agents.Clock | None = None) -> int:
            assert "generator" not in state.to_json(secrets=True)
            refuses(OptionError, ("", lambda: state.begin_after(GAME)))
            return legal_actions[0]

    hawaii_env.play(GAME, [Spy(), Spy(), Spy()], seed=1)


def test_a_bot_of_ones_own_in_ten_lines(tmp_path: Path, registry: dict[str, Any]) -> None:
    guide = (Path(__file__).parent.parent / "docs" / "agents.md").read_text(encoding="utf-8")
    bot = next(block for block in re.findall(r"^```python\n(.*?)^```", guide, re.M | re.S) if "register(" in block)
    assert len([line for line in bot.splitlines() if line.strip()]) <= 13
    path = tmp_path / "my_bot.py"
    path.write_text(bot, encoding="utf-8")
    before = set(registry)
    agents.load_file(path)
    (name,) = set(registry) - before
    assert hawaii_env.play(GAME, name, seed=1).is_terminal


def test_files_that_fail(tmp_path: Path) -> None:
    refuses(OptionError, ("no Python file", lambda: agents.load_file(tmp_path / "missing.py")))
    path = tmp_path / "bad.py"
    path.write_text("1 / 0\n", encoding="utf-8")
    refuses(OptionError, ("ZeroDivisionError", lambda: agents.load_file(path)))


REFUSED: dict[type[Range], Callable[[Any], tuple[Any, ...]]] = {
    Count: lambda own: (own.least - 1, own.most + 1, 10**30, 1.5, float("nan"), True, "few"),
    Real: lambda own: (
        own.above if own.above is not None else -2e9 if own.least is None else own.least - 0.001,
        own.most * 1.001, 10**400, float("nan"), float("inf"), True, "much",
    ),
    Choice: lambda _: ("nothing", 3, True, ""),
    Flag: lambda _: (0, 2, 0.5, "maybe"),
    Seed: lambda _: (-1, 0.5, True, "any"),
    Text: lambda _: ("", "\ud800", 3, b"text"),
    Given: lambda _: (3, 0.5, True, b"text"),
}  # fmt: skip
"""Values that a range refuses."""


def test_every_option_of_every_agent_declares_its_range() -> None:
    refused, count = 0, 0
    for name in [*agents._installed(), "epsilon-greedy"]:
        factory = agents._factory(name)
        found = declared(factory)
        assert set(inspect.signature(factory).parameters) == set(found), name
        for option, (allowed, optional) in found.items():
            count += 1
            outside = (*REFUSED[type(allowed)](allowed), *(() if optional else (None,)))
            for value in outside:
                with pytest.raises(OptionError) as caught:
                    load_agent(name, **{option: value})
                assert re.match(rf"{option}: |a {option} is ", str(caught.value)), (name, option, value, caught.value)
                text = str(value)
                if text and "," not in text and not isinstance(value, (str, bytes)):  # as a user may type it
                    typed = f"{name}:{option}={text}"
                    if agents.parse_agent(typed)[1][option] == value and not isinstance(allowed, Text):
                        with pytest.raises(OptionError, match=f"{option}"):
                            load_agent(typed)
                        refused += 1
    assert count > 90
    assert refused > 250


@pytest.mark.parametrize(
    "typed", ["champion:ms=0", "champion:ms=nan", "mcts:c=-1", "guided:values=game", "ppo:greedy=2"]
)
def test_messages_name_the_option_as_it_was_typed(typed: str) -> None:
    refuses(OptionError, (f"^{typed.partition(':')[2].partition('=')[0]}: expected", lambda: load_agent(typed)))
