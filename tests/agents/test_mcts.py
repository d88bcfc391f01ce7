"""Search as agents: limits, reuse, the trained network, other games, and what the shipped champion is."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from refusals import refuses
from toy import ToyGame

import hawaii_env
from hawaii_agents import weights
from hawaii_agents.hawaii1795.search import Plans, Search, graph
from hawaii_agents.mcts import ChampionAgent, GuidedMCTSAgent, MCTSAgent, TimeBank, value_tensors
from hawaii_agents.network import Policy, game_meta
from hawaii_env import agents
from hawaii_env.agents import Clock
from hawaii_env.core.jit import INTERPRETED
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game

GAME = Game()


def small(seed: int = 0, hidden: int = 8, game: Game = GAME) -> Policy:
    rng = np.random.default_rng(seed)
    o, a = game.observation_size, game.num_actions
    shapes = {
        "first.weight": (2 * hidden, o),
        "first.bias": (2 * hidden,),
        "policy.weight": (hidden, hidden),
        "policy.bias": (hidden,),
        "worth.weight": (hidden, hidden),
        "worth.bias": (hidden,),
        "actions.weight": (a, hidden),
        "actions.bias": (a,),
        "score.weight": (1, hidden),
        "score.bias": (1,),
    }
    return Policy({k: rng.normal(0, 0.3, s).astype(np.float32) for k, s in shapes.items()}, game_meta(game))


def somewhere(seed: int, decisions: int = 50):
    """A position after random decisions, of the first game from this seed that is as long."""
    while True:
        rng = random.Random(seed)
        state = GAME.initial_state(seed=seed)
        for _ in range(decisions):
            if not state.is_terminal:
                state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            return state.for_search()
        seed += 100


def test_whole_games_are_legal_and_deterministic() -> None:
    sims = 3 if INTERPRETED else 20
    for agent in (f"mcts:sims={sims},values=game", f"guided:sims={sims}"):
        ends = set()
        for _ in range(2):
            made = agents.load_agent(agent, seed=5)
            if isinstance(made, GuidedMCTSAgent):
                made._given = small()
            state = hawaii_env.play(GAME, [made, "random"], seed=11)
            assert state.is_terminal
            ends.add(state.to_json())
        assert len(ends) == 1


def test_limits_by_simulations_and_by_time() -> None:
    state = somewhere(1)
    agent = MCTSAgent(sims=30, values="game", seed=1)
    assert agent.act(state, state.legal_actions()) in state.legal_actions()
    assert agent.search.simulations == 30
    agent.act(state, state.legal_actions())  # all are kept, so one more is made
    assert agent.search.simulations == 31
    timed = MCTSAgent(sims=None, seconds=0.05, values="game", seed=1)
    timed.act(state, state.legal_actions())
    timed.act(state, state.legal_actions(), Clock(0.2))
    assert timed.search.simulations > 1
    refuses(
        OptionError,
        ("seconds or a clock", lambda: MCTSAgent(sims=None, values="game").act(state, state.legal_actions())),
    )


def test_a_bank_gives_equal_simulations_and_never_lends() -> None:
    bank = TimeBank(0.01)
    rng, spent, given = random.Random(4), [], []
    for _ in range(600):
        price = rng.choice((0.0, 0.0001, 0.0003))  # seconds a simulation
        wanted, most = bank.offer()
        sims = (int(most / price) if price else 0) if wanted is None else wanted
        took = min(most, sims * price)
        bank.book(sims, took, most)
        spent.append(took)
        given.append((price, sims))
        assert sum(spent) <= 0.01 * len(spent) + 1e-9
    assert 0.04 >= max(spent) > 0.012  # what is dear takes longer than comes in for it, up to four times
    assert sum(spent) > 0.009 * len(spent)
    late = given[300:]
    cheap, dear = (np.mean([sims for price, sims in late if price == one]) for one in (0.0001, 0.0003))
    assert 0.9 < cheap / dear < 1.1


def test_what_keeps_a_bank_from_knowing_the_speed() -> None:
    bank = TimeBank(0.01)
    assert bank.offer() == (None, 0.01)
    bank.book(14, 0.4, 0.01)  # the code was loaded meanwhile: not the search's speed, and half a decision owed at most
    assert bank.saved == -0.005 and bank.offer() == (None, 0.005)
    bank.book(None, 0.001, 0.005)  # proved before there was a number to reach
    bank.book(0, 0.001, 0.01)
    for _ in range(2):
        assert bank.offer()[0] is None
        bank.book(100, 0.01, 0.01)
    assert bank.saved == pytest.approx(0.013)
    wanted, most = bank.offer()
    assert wanted == round(10_000 * (0.01 + 0.013 / 8)) and most == pytest.approx(0.023)
    bank.book(300, 0.01, 0.02)
    bank.saved = 0.0
    assert bank.offer()[0] == round(0.01 * (200 / 3 + 300) / (0.02 / 3 + 0.01))  # the first two count a half by now
    for _ in range(100):
        bank.book(100, 0.0, 0.01)
    assert bank.saved == pytest.approx(0.16) and bank.offer()[1] == pytest.approx(0.04)


def test_by_time_later_decisions_spend_what_earlier_ones_left(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int | None, float | None]] = []
    whole = MCTSAgent._search

    def search(self: MCTSAgent, state: Any, sims: int | None, seconds: float | None) -> None:
        asked.append((sims, seconds))
        whole(self, state, sims, seconds)

    monkeypatch.setattr(MCTSAgent, "_search", search)
    state = somewhere(1)
    agent = MCTSAgent(sims=None, seconds=0.02, values="game", seed=1)
    agent.begin(GAME, 0)
    bank = agent._bank
    assert bank is not None
    agent.act(state, state.legal_actions())
    assert asked == [(None, 0.02)]  # nothing is known of the speed
    bank.book(1000, 0.01, 0.02)
    bank._searched, bank.saved = 1.0, 0.01
    agent.act(state, state.legal_actions())
    sims, seconds = asked[-1]
    assert sims is not None and sims > 1 and seconds == pytest.approx(0.03)
    agent.act(state, state.legal_actions(), Clock(0.01))
    assert asked[-1][1] is not None and asked[-1][1] <= 0.01
    bank.saved = 0.01
    agent.begin(GAME, 0)
    assert bank.saved == 0.0  # another game has a bank of its own
    guarded = MCTSAgent(sims=7, seconds=5.0, values="game", seed=1)
    for _ in range(2):
        guarded.act(state, state.legal_actions())
    assert asked[-2:] == [(7, 5.0), (7, 5.0)]  # with both, neither grows


def test_values_alone_are_the_values_tower() -> None:
    policy = small(3)
    state = somewhere(2)
    one, other = (Search(GAME, t, values="net", seed=1) for t in (policy.tensors, value_tensors(policy)))
    for search in one, other:
        search.set_root(state)
        search.run(1)
    assert one._graph.values[0, graph.OWN] == pytest.approx(float(other._graph.values[0, graph.OWN]), abs=1e-6)
    assert np.allclose(other.priors, 1 / len(state.legal_actions()))
    player = state.current_player
    value = policy.evaluate(np.asarray(state.observation(player), np.float32), state.legal_actions())[1]
    assert one._graph.values[0, graph.OWN] * (1 if player == 0 else -1) == pytest.approx(
        np.clip(value, -1, 1), abs=1e-5
    )


def test_a_policy_guides() -> None:
    """It computes its own observation: at every kind of position it gives what NumPy makes of it."""
    policy = small(4)
    search = Search(GAME, policy.tensors, values="net", seed=1)
    for seed in range(4 if INTERPRETED else 20):
        state = somewhere(seed, decisions=7 * seed + 3)
        player = state.current_player
        seen = np.asarray(state.observation(player), np.float32)
        chances, value = policy.evaluate(seen, state.legal_actions())
        search.clear()
        search.set_root(state)
        search.run(1)
        np.testing.assert_allclose(search.priors, chances, atol=1e-6)
        sign = 1 if player == 0 else -1
        assert sign * search._graph.values[0, graph.OWN] == pytest.approx(np.clip(value, -1, 1), abs=1e-5)


def test_rollouts_follow_the_policy() -> None:
    """The sums carried along from decision to decision are those of each position."""
    policy = small(6)
    plans = Plans(GAME, policy.tensors, seed=3)
    for seed in (3,) if INTERPRETED else (1, 2, 3, 4):
        state = somewhere(seed, decisions=30)
        plans.set_root(state)
        actions = plans.plans[0][0]  # the likeliest ones
        for action in actions:
            logits = policy.logits(
                np.asarray(state.observation(state.current_player), np.float32), state.legal_actions()
            )
            assert state.legal_actions()[int(logits.argmax())] == action
            state.apply(action)


def test_agents_take_the_shipped_network() -> None:
    for spec in ("champion", "guided", "mcts:values=half"):
        agent = agents.load_agent(spec, seed=1)
        assert isinstance(agent, MCTSAgent)
        agent.begin(GAME, 0)
        assert agent._find_policy(GAME) is weights.find(GAME) is weights.load("hawaii1795"), spec


def test_plain_search_needs_no_network_and_plans_where_plans_suit() -> None:
    agent = agents.load_agent("mcts:sims=16", seed=1)
    assert isinstance(agent, MCTSAgent)
    agent.begin(GAME, 0)
    assert agent._find_policy(GAME) is None
    phases = set[tuple[bool, str]]()
    state = GAME.initial_state(seed=2)
    for _ in range(60):
        if state.is_terminal:
            break
        legal = state.legal_actions()
        action = agent.act(state.for_search(), legal)
        assert action in legal
        phases.add((agent.search is agent.plans, state.phase))
        state.apply(action)
    assert {(True, "movement"), (True, "recruiting")} <= phases
    single = MCTSAgent(sims=9, plans=False, seed=1)
    single.begin(GAME, 0)
    assert single.plans is None and len(single._engines()) == 1


def test_the_champion_plays_what_the_graph_proves() -> None:
    """In the last half-turn only an attack on the last chief can win; the graph knows it, an untrained policy does
    not.
    """
    champion = ChampionAgent(sims=60 if INTERPRETED else 2000, weights=small(), seed=1)
    state = GAME.position(
        turn="november",
        half="kamehameha",
        phase="movement",
        fleet_moves=0,
        dead=["kalani"],
        units={
            "kamehameha": {"kona": ["kamehameha", "warrior_2", "warrior_2"]},
            "allied": {"hilo": ["kaiana"], "waikiki": ["oahu_warrior"]},
        },
    )
    best = champion.act(state.for_search(), state.legal_actions())
    assert best in state.legal_actions()
    assert champion.graph.simulations > 0
    if not INTERPRETED:
        assert champion.search is champion.graph and champion.graph.is_proved and not champion.plans.simulations
        assert GAME.action_text(best).startswith("march")


def test_temperature_draws_by_visits() -> None:
    state = somewhere(4)
    agent = GuidedMCTSAgent(sims=40, weights=small(), temperature=1.0, reuse=False, seed=3)
    drawn = {agent.act(state, state.legal_actions()) for _ in range(25)}
    assert drawn <= set(state.legal_actions())
    assert len(drawn) > 1


def test_a_game_without_compiled_search_is_searched_in_python() -> None:
    game = ToyGame()
    state = hawaii_env.play(game, ["mcts:sims=30", "random", "random"], seed=2)
    assert state.is_terminal
    agent = MCTSAgent(sims=10, seed=1)
    refuses(OptionError, ("no compiled search", lambda: agent.think(game.initial_state(chance="explicit"))))


def test_refusals() -> None:
    other = small()
    other.meta["action_table_hash"] = "0" * 64
    refuses(OptionError, ("another action table", lambda: GuidedMCTSAgent(weights=other).begin(GAME, 0)))


@pytest.mark.slow
@pytest.mark.skipif("hawaii1795" not in weights.names(), reason="no trained weights are shipped")
def test_the_shipped_champion_beats_random() -> None:
    champion = ChampionAgent(seconds=None, sims=5 if INTERPRETED else 60, seed=1)
    games = 1 if INTERPRETED else 4
    won = 0.0
    for k in range(games):
        pair = [champion, "random"] if k % 2 == 0 else ["random", champion]
        won += (hawaii_env.play(GAME, pair, seed=k).returns()[k % 2] + 1) / 2
    assert INTERPRETED or won >= 0.75 * games
