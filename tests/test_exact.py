"""Small games solved exactly: against independent recursions over the same rules, and by what must hold."""

from typing import Any

import numpy as np
import pytest

import hawaii_env
from hawaii_env import agents, exact
from hawaii_env.errors import OptionError, StateError
from hawaii_env.exact import sealed_games, solution
from hawaii_env.exact.successors import Successors
from hawaii_env.game import CHANCE


@pytest.fixture(scope="module")
def atoll():
    return exact.solve(exact.make_game("atoll", 2), again=True)


@pytest.fixture(scope="module")
def november():
    """`mini` from November on, with the leaders alone: a minute's solving becomes a second's."""
    game: Any = exact.make_game("mini")
    rules = game.ruleset.content
    scenario = rules["scenarios.toml"]["scenarios"]["mini"]
    scenario |= {"first_month": "november", "fixed_cards": {}}
    del scenario["start"]["kamehameha"]["warrior_2"], scenario["start"]["allied"]["oahu_warrior"]
    return exact.solve(hawaii_env.load_game("hawaii1795", scenario="mini", rules=rules), again=True)


@pytest.mark.parametrize(
    ("payoff", "value"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], 0.0),  # rock, paper, scissors
        ([[3, 1], [0, 2]], 1.5),
        ([[2, 4], [1, 3]], 2.0),  # a saddle point
        ([[1, 1], [1, 1]], 1.0),
        ([[0.5]], 0.5),
    ],
)
def test_a_matrix_game_has_its_value_and_strategies_that_reach_it(payoff, value):
    matrix = np.array(payoff, float)
    found, row, column = sealed_games.solve_matrix(matrix)
    assert found == pytest.approx(value)
    assert (row @ matrix).min() == pytest.approx(value)
    assert (matrix @ column).max() == pytest.approx(value)
    assert row.sum() == pytest.approx(1)
    assert column.sum() == pytest.approx(1)


def sweep_until_still(root):
    """Return values for player 0 by key, by the interface of States alone. Battles may come back to a position."""
    values, following, waiting = {}, {}, [root]
    while waiting:
        state = waiting.pop()
        key = state.key()
        if key in values:
            continue
        values[key], player = (state.returns()[0] if state.is_terminal else 0.0), state.current_player
        steps = []
        chances = [] if state.is_terminal else state.chance_outcomes() if player == CHANCE else state.legal_actions()
        for choice, p in chances if player == CHANCE else ((action, 1.0) for action in chances):
            after = state.clone()
            (after.apply_chance if player == CHANCE else after.apply)(choice)
            steps.append((p, after.key()))
            waiting.append(after)
        following[key] = player, steps
    change = 1.0
    while change > 1e-11:
        change = 0.0
        for key, (player, steps) in reversed(following.items()):
            if steps:
                results = [p * values[child] for p, child in steps]
                new = sum(results) if player == CHANCE else (max, min)[player](results)
                change, values[key] = max(change, abs(new - values[key])), new
    return values


@pytest.mark.slow
def test_values_of_an_open_game_are_those_of_plain_sweeps(november):
    root = november.game.initial_state(chance="explicit")
    values = sweep_until_still(root)
    assert november.value() == pytest.approx(values[root.key()], abs=1e-8)
    assert november.value(player=1) == -november.value()
    assert len(values) == len(november.values)
    assert 0 < abs(november.value()) < 1


def entries(state, player):
    """Yield the plans of a player in the running turn, and the states after them."""
    waiting: list[tuple[tuple[int, ...], Any]] = [((), state)]
    turn = state.sealed_turn
    while waiting:
        plan, at = waiting.pop(0)
        if plan and (at.is_terminal or at.current_player != player or at.sealed_turn != turn):
            yield plan, at
            continue
        for action in at.legal_actions():
            after = at.clone()
            after.apply(action)
            waiting.append(((*plan, action), after))


def backwards(state, known):
    """Return the value for player 0 of a position between turns, by the interface of States and one linear program."""
    if state.is_terminal:
        return state.returns()[0]
    text = state.view().to_dict()
    key = repr({name: text[name] for name in text if not name.startswith("last")})
    if key not in known:
        first, turn = state.current_player, state.sealed_turn
        rows = []
        for _, at in entries(state, first):
            alone = at.is_terminal or at.sealed_turn != turn
            rows.append([backwards(one, known) for _, one in ([((), at)] if alone else entries(at, 1 - first))])
        payoff = np.array(rows) if first == 0 else np.array(rows).T
        known[key] = sealed_games._linear_program(payoff)[0]
    return known[key]


@pytest.mark.slow
def test_values_of_sealed_turns_are_those_of_a_recursion(atoll):
    """From a position of the last Spring in which much is open."""
    state = atoll.game.position(
        year=2, season="spring", phase="orders",
        units={"dawn": ["B lagoon", "A akau"], "dusk": ["A hema", "A komohana"]},
        owners={"akau": "dawn", "hikuakau": "dawn", "hema": "dusk", "kuhema": "dusk"},
    )  # fmt: skip
    turns = sealed_games.Turns(Successors(atoll.game))
    values = sealed_games.solve_turns(turns, root=turns.moves.record_of(state))
    found = values[turns.number(turns.moves.record_of(state))]
    assert found == pytest.approx(backwards(state, {}), abs=1e-6)
    assert -1 < found < 1


@pytest.mark.slow
def test_the_atoll_is_even_by_its_symmetry_and_its_strategies_cannot_be_beaten(atoll):
    assert atoll.value() == pytest.approx(0, abs=1e-9)
    optimal = exact.OptimalAgent(seed=1)
    optimal._solution = atoll
    assert atoll.exploitability(optimal, samples=4).mean < 0.25
    random = atoll.exploitability(hawaii_env.load_agent("random"))
    assert random.exact and not atoll.exploitability("heiau-greedy").exact
    (lost,) = atoll.lower_bounds("random", 1, 1)  # whose probabilities are known: the bound is exact
    assert lost == pytest.approx(random.seats)
    assert random.seats[0] == pytest.approx(random.seats[1])
    assert 0.3 < random.mean <= 1


@pytest.mark.slow
def test_an_agent_loses_what_a_best_response_gains(november):
    optimal = exact.OptimalAgent(seed=1)
    optimal._solution = november
    assert november.exploitability(optimal).mean == pytest.approx(0, abs=1e-8)
    assert "optimal" in agents.known(exact.make_game("mini")) and "optimal" not in agents.known(
        hawaii_env.load_game("heiau")
    )
    found = november.exploitability(hawaii_env.load_agent("random"))
    half = november.exploitability(hawaii_env.load_agent("epsilon-greedy:base=random,epsilon=0.5"))
    assert found.seats == pytest.approx(half.seats)
    for lost in november.lower_bounds("random", 1, 2):
        assert lost == pytest.approx(found.seats)
    drawn = np.array(november.lower_bounds("one-ply:rollouts=1", 2, 4))
    assert (drawn > -1e-9).all() and drawn.mean() <= november.exploitability("one-ply:rollouts=1", 8).mean + 0.02
    assert min(found.seats) > 0.01
    state = november.game.initial_state(chance="explicit")
    while state.current_player == CHANCE:
        state.apply_chance(state.chance_outcomes()[0][0])
    ((plan, p),) = november.best(state)
    assert p == 1
    after = state.clone()
    after.apply(plan[0])
    assert november.value(after) == pytest.approx(november.value(state))


def test_what_cannot_be_solved_or_asked_is_refused(november, atoll):
    for wrong, text in (
        (lambda: exact.make_game("maxi"), "name"),
        (lambda: exact.make_game("atoll", 4), "years"),
        (lambda: exact.make_game("mini", 1), "years"),
        (lambda: exact.solve(hawaii_env.load_game("aloha", players=3)), "two players"),
        (lambda: exact.OptimalAgent().begin(hawaii_env.load_game("hawaii1795"), 0), "mini, atoll, not hawaii1795"),
        (lambda: exact.OptimalAgent().begin(hawaii_env.load_game("heiau"), 0), "mini, atoll, not heiau"),
    ):
        with pytest.raises(OptionError, match=text):
            wrong()
    with pytest.raises(StateError, match="another game"):
        november.value(atoll.game.initial_state(seed=1))
    entered = atoll.game.initial_state(seed=1)
    entered.apply(entered.legal_actions()[0])
    with pytest.raises(StateError, match="does not lead"):
        atoll.value(entered)
    with pytest.raises(StateError, match="nobody decides"):
        november.best(november.game.initial_state(chance="explicit"))


def test_a_damaged_solution_is_not_read(november):
    path = solution._path(november.game)
    data = path.read_bytes()
    found = solution._read(path)
    assert found is not None
    assert found[0] == november.values
    for damaged in (data[:-1], data[:100] + bytes([data[100] ^ 1]) + data[101:], b""):
        path.write_bytes(damaged)
        assert solution._read(path) is None
    path.write_bytes(data)


def test_the_command_solves_and_measures(capsys):
    from hawaii_env.cli import main

    assert main(["exact", "atoll", "--years", "1", "--agents", "random,heiau-greedy", "--samples", "2"]) == 0
    out = capsys.readouterr().out
    assert "value for dawn_0: 0" in out
    assert "heiau-greedy: exploitability 0" in out
    assert main(["exact", "mini", "--agents", "heiau-greedy"]) == 2
    assert "plays heiau, not hawaii1795" in capsys.readouterr().err
