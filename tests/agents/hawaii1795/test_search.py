"""The compiled graph search: its network, its chances, its sums, and that it finds what is there to find."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from moves import step
from refusals import refuses
from waiting import python

from hawaii_agents import layers
from hawaii_agents.hawaii1795.search import Search, graph, simulations
from hawaii_env.core.jit import INTERPRETED
from hawaii_env.errors import GameOverError, OptionError
from hawaii_env.hawaii1795 import Game, State
from hawaii_env.hawaii1795.battles import Solver, model_of
from hawaii_env.hawaii1795.game import RULES

GAME = Game()
FEW = 60 if INTERPRETED else 600


def tensors(hidden: int = 8, seed: int = 0, policy: bool = True) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> np.ndarray:
        return rng.normal(0, 1 / np.sqrt(shape[-1]), shape).astype(np.float32)

    wide = 2 * hidden if policy else hidden
    made = {
        "first.weight": some(wide, GAME.observation_size),
        "first.bias": some(wide),
        "worth.weight": some(hidden, hidden),
        "worth.bias": some(hidden),
        "score.weight": some(1, hidden),
        "score.bias": some(1),
    }
    if policy:
        made |= {
            "policy.weight": some(hidden, hidden),
            "policy.bias": some(hidden),
            "actions.weight": some(GAME.num_actions, hidden),
            "actions.bias": some(GAME.num_actions),
        }
    return made


def expected(t: dict[str, np.ndarray], seen: np.ndarray, legal: list[int]) -> tuple[np.ndarray, float]:
    """Probabilities of the legal actions and the value, by the definition, in float64."""
    h = len(t["worth.bias"])
    first = np.tanh(t["first.weight"].astype(float) @ seen + t["first.bias"])
    worth = np.tanh(t["worth.weight"].astype(float) @ first[-h:] + t["worth.bias"])
    value = float((t["score.weight"].astype(float) @ worth)[0] + t["score.bias"][0])
    if "policy.weight" not in t:
        return np.full(len(legal), 1 / len(legal)), value
    policy = np.tanh(t["policy.weight"].astype(float) @ first[:h] + t["policy.bias"])
    logits = t["actions.weight"][legal].astype(float) @ policy + t["actions.bias"][legal]
    chances = np.exp(logits - logits.max())
    return chances / chances.sum(), value


def somewhere(seed: int, decisions: int = 60, game: Game = GAME):
    """A position of a random game, from which it goes on."""
    rng = random.Random(seed)
    while True:
        state = game.initial_state(seed=rng.randrange(1 << 30))
        for _ in range(decisions):
            if state.is_terminal:
                break
            state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            return state.for_search()


@pytest.mark.parametrize("policy", [True, False])
def test_network_gives_what_its_definition_gives(policy: bool) -> None:
    made = tensors(policy=policy)
    for seed in range(3 if INTERPRETED else 20):
        state = somewhere(seed)
        while state.current_player < 0:
            state.apply_chance(state.chance_outcomes()[0][0])
        search = Search(GAME, made, seed=seed)
        search.set_root(state)
        search.run(1)
        player = state.current_player
        priors, value = expected(made, np.asarray(state.observation(player), float), state.legal_actions())
        np.testing.assert_allclose(search.priors, priors, rtol=1e-5, atol=1e-6)
        own = float(search._graph.values[0, graph.OWN]) * (1 if player == 0 else -1)
        assert own == pytest.approx(np.clip(value, -1, 1), abs=1e-5)


def test_squash_is_tanh() -> None:
    x = np.linspace(-15, 15, 4001, dtype=np.float32)
    y = x.copy()
    layers.squash(y)
    np.testing.assert_allclose(y, np.tanh(x.astype(float)), atol=3e-7)


@pytest.mark.parametrize("values", ["net", pytest.param("half", marks=pytest.mark.slow), "game"])
def test_visits_values_and_bounds_add_up(values: str) -> None:
    search = Search(GAME, tensors(), values=values, seed=3)
    state = somewhere(5)
    search.set_root(state)
    assert search.run(FEW) == FEW == search.simulations == search.visits.sum()
    assert list(search.actions) == state.legal_actions()
    before = search._graph.values[: search.nodes].copy()
    for _ in range(100):  # ways that lead back to themselves need several
        graph.sweep(search._graph)
    for node in range(search.nodes):
        first, count, actor = (
            int(search._graph.nodes[node, column]) for column in (graph.FIRST, graph.COUNT, graph.ACTOR)
        )
        value, low, high, own, own_n = search._graph.values[node].tolist()
        assert -1 <= low <= value + 1e-12 and value <= high + 1e-12 and high <= 1
        # Bounds only ever come nearer.
        assert low >= before[node, graph.LOW] and high <= before[node, graph.HIGH]
        if not count:
            assert actor == graph.AT_END and low == value == high
            continue
        children = search._graph.edges[first : first + count, graph.CHILD]
        chances = search._graph.priors[first : first + count]
        assert chances.sum() == pytest.approx(1)
        seen = [(c, w) for c, w in zip(children, chances, strict=True) if c >= 0 and search._graph.nodes[c, graph.SEEN]]
        if actor == graph.AT_CHANCE:
            assert own_n == 0  # chance is never valued
            if seen:
                mean = sum(w * search._graph.values[c, graph.VALUE] for c, w in seen) / sum(w for _, w in seen)
                assert value == pytest.approx(np.clip(mean, low, high), abs=1e-6)
        else:
            assert own_n == 1 and -1 <= own <= 1
    assert abs(search.value) <= 1 and np.nanmax(np.abs(search.means)) <= 1


def test_chance_comes_as_often_as_it_should() -> None:
    """The root is a die of chance: its outcomes are tried in proportion."""
    state = GAME.initial_state(chance="explicit")
    rng = random.Random(1)
    while state.current_player != -1 or state.phase != "hit_die":
        if state.current_player >= 0:
            state.apply(rng.choice(state.legal_actions()))
        else:
            outcomes = state.chance_outcomes()
            state.apply_chance(rng.choice(outcomes)[0])
    merged = dict(state.chance_outcomes(merged=True))
    search = Search(GAME, values="game", seed=1)
    search.set_root(state)
    n = FEW * 5
    search.run(n)
    assert dict(zip(search.actions.tolist(), search.priors.tolist(), strict=True)) == pytest.approx(merged)
    for visits, wanted in zip(search.visits, merged.values(), strict=True):
        assert abs(visits - n * wanted) <= 1


def walked(search: Search, state: State, wanted: int) -> dict[int, list[State]]:
    """Positions that a search's nodes stand for, by several ways to each: nodes with the states that lead there."""
    found: dict[int, list[State]] = {0: [state]}
    waiting = [(0, state)]
    for node, here in waiting:
        first, count = (int(search._graph.nodes[node, column]) for column in (graph.FIRST, graph.COUNT))
        for key, child, _ in search._graph.edges[first : first + count].tolist():
            if child < 0:
                continue
            after = here.clone()
            if here.current_player < 0:
                after.apply_chance(key)
            else:
                after.apply(key)
            ways = found.setdefault(child, [])
            ways.append(after)
            if len(ways) == 1 and len(found) < wanted:
                waiting.append((child, after))
    return found


@pytest.mark.parametrize("where", ["battle", "movement"])
def test_ways_that_meet_are_of_one_position(where: str) -> None:
    """Transpositions and interchangeable pieces share a node: all see the same, have the same choices and chances."""
    state = GAME.position(**BATTLE) if where == "battle" else win_at_hand()
    search = Search(GAME, values="game", seed=3)
    search.set_root(state)
    search.run(FEW)
    merged = 0
    for ways in walked(search, state, 40 if INTERPRETED else 400).values():
        first = ways[0]
        for other in ways[1:]:
            merged += 1
            assert other.to_json() == first.to_json()
            assert other.current_player == first.current_player
            assert other.legal_actions() == first.legal_actions()
            np.testing.assert_array_equal(other.observation(0, raw=True), first.observation(0, raw=True))
            if first.current_player == -1:
                assert other.chance_outcomes(merged=True) == first.chance_outcomes(merged=True)
    assert merged > 0 and (INTERPRETED or merged > 5)


def test_a_hash_alone_never_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one hash for all positions the same graph is found: whole observations are compared."""
    monkeypatch.setattr(RULES, "backend_for_jobs", lambda rules=True: RULES.interpreted)
    monkeypatch.setattr(simulations.SEARCH, "compile_now", lambda examples: simulations.SEARCH.interpreted)

    def found() -> tuple[list[int], int, float]:
        search = Search(GAME, values="game", seed=3)
        search.set_root(GAME.position(**BATTLE))
        search.run(40)
        return search.visits.tolist(), search.nodes, search.value

    usual = found()
    monkeypatch.setattr(graph, "hash_of", lambda key: 5)
    assert found() == usual


def test_a_proved_value_is_the_exact_one() -> None:
    """Kalani, a warrior of strength 2 and the king alone: the battle decides, and is solved."""
    state = GAME.position(**BATTLE)
    model, node, _ = model_of(state)
    search = Search(GAME, values="game", seed=1)
    search.set_root(state)
    assert not search.is_solved
    while not search.is_solved and search.simulations < 20_000:
        search.run(500)
    assert search.is_solved
    assert search.value == pytest.approx(1 - 2 * Solver(model).solve(node)[0], abs=1e-8)
    assert search.value == pytest.approx(float(search.bounds @ [0.5, 0.5] @ search.priors), abs=1e-8)


def test_bounds_never_leave_the_exact_value_out() -> None:
    state = GAME.position(**BATTLE)
    model, node, _ = model_of(state)
    exact = 1 - 2 * Solver(model).solve(node)[0]
    search = Search(GAME, values="game", seed=2)
    search.set_root(state)
    for _ in range(30):
        search.run(10)
        low, high = search._graph.values[0, graph.LOW : graph.HIGH + 1]
        assert low - 1e-9 <= exact <= high + 1e-9


def test_memory_is_bounded_and_the_search_goes_on() -> None:
    search = Search(GAME, values="game", seed=1, memory=0.1)
    state = somewhere(2)
    search.set_root(state)
    assert search.run(FEW * 3) == FEW * 3
    assert 20 < search.nodes <= search._most < 250
    assert sum(array.nbytes for array in search._graph) < 2**21  # a simulation's spare room comes on top
    before = search.visits.sum()
    search.run(FEW)
    assert search.visits.sum() > before
    # Part of it is dropped when the game goes on; the search goes on as well.
    state.apply(search.best())
    while state.current_player == -1:
        state.apply_chance(state.chance_outcomes(merged=True)[0][0])
    search.set_root(state)
    assert search.nodes <= search._most // 2
    search.run(FEW)
    assert search.best() in state.legal_actions()
    refuses(OptionError, ("memory: expected a number above 0", lambda: Search(GAME, memory=0)))


def test_chance_nodes_have_the_merged_outcomes() -> None:
    """Also where a panic is an elimination, because the last panicked unit is hit."""
    coincide, rng = 0, random.Random(2)
    search = Search(GAME, values="game", seed=1)
    for seed in range(20):
        state = GAME.initial_state(chance="explicit")
        rng = random.Random(seed)
        while not state.is_terminal:
            if state.phase == "hit_die":
                merged = dict(state.chance_outcomes(merged=True))
                effects = {state.chance_text(face).partition(": ")[2] for face in range(1, 7)}
                if len(merged) < len(effects):
                    search.set_root(state)
                    search.run(1)
                    found = dict(zip(search.actions.tolist(), search.priors.tolist(), strict=True))
                    assert found == pytest.approx(merged)
                    coincide += 1
            step(state, rng)
    assert coincide > 20


BATTLE: dict[str, Any] = {
    "turn": "april",
    "half": "allied",
    "phase": "advantage",
    "field": "hilo",
    "battle": {"kind": "invasion"},
    "dead": ["kaiana"],
    "units": {"allied": {"hilo": ["kalani", "oahu_warrior", "oahu_canoe"]}, "kamehameha": {"hilo": ["kamehameha"]}},
}


def win_at_hand():
    """Allied movement in June: a march into an empty fort, with two blue spaces held, wins at the next Allied half."""
    return GAME.position(
        turn="june",
        half="allied",
        phase="movement",
        fleet_moves=1,
        box={},
        held=[],
        units={
            "kamehameha": {"kona": ["kamehameha", "warrior_2", "warrior_2", "warrior_2", "warrior_2"]},
            "allied": {"waikiki": ["kalani", "oahu_warrior"], "maui": ["maui_warrior", "maui_canoe"]},
            "neutral": {"kauai": ["kauai_warrior", "kauai_warrior", "kauai_canoe"]},
        },
    )


def test_deterministic_by_seed_and_different_by_another() -> None:
    def visits(seed: int) -> list[int]:
        search = Search(GAME, values="game", seed=seed)
        search.set_root(somewhere(8))
        search.run(FEW)
        return search.visits.tolist()

    assert visits(4) == visits(4)
    assert visits(4) != visits(5)


def test_the_graph_is_kept_for_what_follows() -> None:
    search = Search(GAME, tensors(), seed=2)
    state = somewhere(3)
    while state.current_player < 0:
        state.apply_chance(state.chance_outcomes()[0][0])
    search.set_root(state)
    search.run(FEW)
    action = search.best()
    state.apply(action)
    known = 0
    while state.current_player == -1:
        state.apply_chance(state.chance_outcomes(merged=True)[0][0])
    known = search.set_root(state)
    assert known > 0
    assert search.visits.sum() == known == search.simulations
    assert list(search.actions) == state.legal_actions()
    search.run(FEW)
    assert search.visits.sum() == known + FEW
    assert search.set_root(somewhere(99)) == 0  # another game: nothing is known


def test_runs_by_time_and_grows() -> None:
    search = Search(GAME, values="game", seed=1)
    search.set_root(somewhere(2))
    assert search.run(seconds=0.05) >= 8
    before = len(search._graph.nodes)
    search.run(50 if INTERPRETED else 6000)
    assert INTERPRETED or len(search._graph.nodes) > before
    assert search.visits.sum() == search.simulations


@pytest.mark.slow
def test_more_simulations_win_more() -> None:
    """A search of 150 simulations against random players, sides swapped."""
    won = 0.0
    games = 2 if INTERPRETED else 20
    rng = random.Random(3)
    for k in range(games):
        search = Search(GAME, values="game", seed=k)
        state = GAME.initial_state(seed=k)
        while not state.is_terminal:
            if state.current_player == k % 2:
                search.set_root(state.for_search())
                search.run(10 if INTERPRETED else 150)
                state.apply(search.best())
            else:
                state.apply(rng.choice(state.legal_actions()))
        won += (state.returns()[k % 2] + 1) / 2
    assert INTERPRETED or won >= 0.7 * games


def test_line_is_a_way_that_can_be_played() -> None:
    search = Search(GAME, values="game", seed=1)
    state = somewhere(4)
    search.set_root(state)
    search.run(FEW)
    line = search.line(8)
    assert line
    for kind, key in line:
        if kind == "chance":
            assert key in dict(state.chance_outcomes(merged=True))
            state.apply_chance(key)
        else:
            state.apply(key)


def test_refusals() -> None:
    refuses(
        OptionError,
        ("needs a network", lambda: Search(GAME, values="net")),
        ("expected one of net, half, game", lambda: Search(GAME, values="deep")),
        ("set_root", lambda: Search(GAME).run(1)),
    )
    wrong = tensors()
    wrong["first.weight"] = wrong["first.weight"][:, :-1]
    refuses(OptionError, ("trained with another observation", lambda: Search(GAME, wrong)))
    wrong = tensors()
    wrong["actions.weight"] = wrong["actions.weight"][:-1]
    refuses(OptionError, ("another game or version", lambda: Search(GAME, wrong)))
    del wrong["score.bias"]
    refuses(OptionError, (r"score\.bias is missing", lambda: Search(GAME, wrong)))
    state = GAME.initial_state(seed=1)
    rng = random.Random(1)
    while not state.is_terminal:
        state.apply(rng.choice(state.legal_actions()))
    refuses(GameOverError, ("", lambda: Search(GAME).set_root(state)))


@pytest.mark.slow
def test_plain_mode_searches_the_same_graph() -> None:
    program = (
        "import random\n"
        "from hawaii_env.hawaii1795 import Game\n"
        "from hawaii_agents.hawaii1795.search import Search\n"
        "g = Game(); s = g.initial_state(seed=4); r = random.Random(2)\n"
        "for _ in range(40): s.apply(r.choice(s.legal_actions()))\n"
        "x = Search(g, values='game', seed=9); x.set_root(s.for_search()); x.run(200)\n"
        "print(x.actions.tolist(), x.visits.tolist(), x.nodes, round(x.value, 9))\n"
    )
    compiled, interpreted = (python(program, HAWAII_ENV_PLAIN=mode).stdout for mode in ("0", "1"))
    assert compiled == interpreted
