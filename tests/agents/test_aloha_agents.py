"""The agents of ALOHA: legal, reproducible, and clearly better than chance."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refuses

from hawaii_agents import weights
from hawaii_agents.aloha import AlohaGreedyAgent, AlohaSearchAgent, opening, tree, worth
from hawaii_agents.aloha.worth import WEIGHTS
from hawaii_agents.ppo import PPOAgent
from hawaii_env.agents import Clock, RandomAgent
from hawaii_env.aloha import Game, State
from hawaii_env.aloha.fast import STATE, records
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.errors import OptionError


def played(players: int, seats: dict[int, object], seed: int) -> list[float]:
    """Shares of a game in which the others are random."""
    game = Game(players=players)
    agents = [seats.get(p) or RandomAgent(seed=100 * seed + p) for p in range(players)]
    state = game.initial_state(seed=seed)
    while not state.is_terminal:
        player = state.current_player
        state.apply(agents[player].act(state.for_search(player), state.legal_actions(), None))  # type: ignore[attr-defined]
    outcome = state.outcome()
    assert outcome is not None
    return list(outcome.shares)


def test_greedy_takes_what_wins() -> None:
    """In the last decision, a conversion that elects the Governor is taken."""
    player = {"points": 20, "tokens": [0, 0, 0, 5, 0]}
    state = Game().position(
        stage="epilogue",
        phase="convert",
        first="red_0",
        order=["yellow_1", "red_0"],
        to_act="red_0",
        players={
            "red_0": {
                **player,
                "aloha": 1,
                "vote": 4,
                "converted": 4,
                "cards": ["prologue monarch", "chapter_1 monarch"],
            },
            "yellow_1": {**player, "tokens": [0, 6, 0, 0, 0], "vote": 6, "cards": ["chapter_2 monarch"]},
        },
    )
    action = AlohaGreedyAgent(seed=1).act(state.for_search(), state.legal_actions())
    assert state.game.action_text(action) == "convert aloha vote"


def test_search_plays_and_reports_what_it_found() -> None:
    """Visits of the legal actions, chances from 0 to 1; it chooses what was tried most; its simulations are counted,
    four times as many in the Prologue.
    """
    state = Game(players=3).initial_state(seed=1).for_search()
    agent = AlohaSearchAgent(sims=30, seed=1)
    action = agent.act(state, state.legal_actions())
    assert sorted(agent.actions) == state.legal_actions() and agent.simulations == 120
    assert agent.visits.sum() == 120 and agent.visits[agent.actions == action] == agent.visits.max()
    tried = agent.chances[agent.visits > 0]
    assert ((tried >= 0) & (tried <= 1)).all() and np.isnan(agent.chances[agent.visits == 0]).all()
    # As returns of three players: the loser's is -1/2, the winner's 1.
    assert agent.means[agent.visits > 0] == pytest.approx(1.5 * tried - 0.5)


def test_equals_are_not_taken_in_the_order_of_the_table() -> None:
    """The islands are equals at first: by its seed the search settles on any of them."""
    state = Game(players=4).initial_state(seed=1).for_search()
    chosen = {AlohaSearchAgent(sims=2, seed=seed).act(state, state.legal_actions()) for seed in range(30)}
    assert len(chosen) == 5


def prologue(red: list[int], yellow: list[int], moves: tuple[int, int]) -> State:
    """A position in the Prologue of two, red_0 the first player."""
    return Game().position(
        stage="prologue",
        phase="prologue_action",
        first="red_0",
        players={"red_0": {"tokens": red, "moves": moves[0]}, "yellow_1": {"tokens": yellow, "moves": moves[1]}},
    )


def best_by_hand(board: list[list[int]], arms: list[int], player: int, left: int) -> float:
    """The value of a Prologue for who is to act: all that may be done, without any pruning."""
    own, other = board[player], board[1 - player]
    if left == 0:
        pairs = list(zip(own, other, strict=True))
        worth = opening.OPENING[opening.LEAD] * sum(float(np.sign(a - b)) for a, b in pairs)
        worth += opening.OPENING[opening.MARGIN] * sum(max(-8, min(8, a - b)) for a, b in pairs)
        worth += opening.OPENING[opening.PRESENCE] * sum((a > 0) - (b > 0) for a, b in pairs)
        return worth + opening.OPENING[opening.WARRIORS] * float(np.sign(arms[player] - arms[1 - player]))
    arms[player] += 1
    best = -best_by_hand(board, arms, 1 - player, left - 1)
    arms[player] -= 1
    for start in range(5):
        for end in range(5):
            for number in range(1, own[start] + 1 if start != end else 1):
                own[start], own[end] = own[start] - number, own[end] + number
                best = max(best, -best_by_hand(board, arms, 1 - player, left - 1))
                own[start], own[end] = own[start] + number, own[end] - number
    return best


@pytest.mark.parametrize(("red", "yellow", "moves"), [
    ([2, 0, 1, 0, 0], [0, 3, 0, 0, 0], (1, 2)),
    ([0, 1, 0, 2, 0], [0, 2, 0, 1, 1], (1, 1)),
    ([12, 0, 0, 8, 0], [0, 11, 0, 9, 0], (1, 1)),
    ([0, 20, 0, 0, 0], [3, 0, 0, 0, 17], (0, 1)),
    ([0, 2, 0, 0, 0], [2, 0, 0, 0, 0], (2, 2)),
])  # fmt: skip
def test_the_prologue_is_searched_exhaustively(red: list[int], yellow: list[int], moves: tuple[int, int]) -> None:
    """What is chosen, and how many tokens then go, leaves the best that can be had against the best replies."""
    board, player, left = [list(red), list(yellow)], int(moves[0] < moves[1]), sum(moves)
    best = best_by_hand(board, [0, 0], player, left)
    for seed in range(3):
        state, agent = prologue(red, yellow, moves), AlohaSearchAgent(sims=1, seed=seed)
        own, arms = board[player].copy(), [0, 0]
        text = state.game.action_text(agent.act(state.for_search(), state.legal_actions()))
        assert agent.simulations == 0 and not len(agent.actions)
        if text == "warrior":
            arms[player] = 1
        else:
            start, end = (ISLANDS.index(name) for name in text.split()[1:])
            number = 1
            if own[start] > 1:
                state.apply(state.game.parse_action(state, text))
                number = int(state.game.action_text(agent.act(state.for_search(), state.legal_actions())).split()[1])
            own[start], own[end] = own[start] - number, own[end] + number
        after = [own, board[1]] if player == 0 else [board[0], own]
        assert -best_by_hand(after, arms, 1 - player, left - 1) == pytest.approx(best)


def test_other_openings_are_searched_by_simulation() -> None:
    """Settling, chapters, more than two players, and Prologues with more actions than two."""
    for state in (Game().initial_state(seed=1), Game(players=3).initial_state(seed=1)):
        agent = AlohaSearchAgent(sims=1, seed=1)
        agent.act(state.for_search(), state.legal_actions())
        assert agent.simulations == 4


def test_search_by_time_stops() -> None:
    """Without a number of simulations it is the time that stops it: its own, or the clock's."""
    state = Game(players=4).initial_state(seed=1).for_search()
    for agent, clock in ((AlohaSearchAgent(sims=None, ms=1), None), (AlohaSearchAgent(sims=None), Clock(0.001))):
        assert agent.act(state, state.legal_actions(), clock) in state.legal_actions()
        assert agent.simulations >= 1
    refuses(
        OptionError,
        ("sims=none needs ms or a clock", lambda: AlohaSearchAgent(sims=None).act(state, state.legal_actions())),
        ("ms: ", lambda: AlohaSearchAgent(ms=0)),
    )


def test_search_sees_what_a_greedy_player_does_not() -> None:
    """Two conversions that elect the Governor only together: the first of them pays for nothing by itself."""
    fields = {"points": 20, "tokens": [0, 0, 0, 5, 0]}
    monarchs = ["prologue monarch", "chapter_1 monarch", "chapter_2 monarch"]
    state = Game().position(
        stage="epilogue",
        phase="convert",
        first="red_0",
        order=["yellow_1", "red_0"],
        to_act="red_0",
        players={
            "red_0": {**fields, "aloha": 2, "vote": 1, "converted": 3, "cards": monarchs},
            "yellow_1": {**fields, "tokens": [0, 6, 0, 0, 0], "vote": 8, "converted": 5},
        },
    )
    agent = AlohaSearchAgent(sims=300, seed=1)
    assert state.game.action_text(agent.act(state.for_search(), state.legal_actions())) == "convert aloha vote"
    best = int(np.argmax(agent.visits))
    assert agent.chances[best] == pytest.approx(1.0, abs=0.2)


def test_both_modes_choose_alike() -> None:
    """Greedy values and the search's visits are the same in plain Python and compiled."""
    state = Game(players=3).initial_state(seed=5)
    for _ in range(12):
        state.apply(state.legal_actions()[0])
    state, found = state.explicit(), []
    plain = tree.new_tree(16)._replace(positions=[STATE.new() for _ in range(3)])
    for room, records_of, entry in (
        (plain, lambda state: (state.game.tables, state.interpreted()), tree.AGENTS.interpreted),
        (tree.new_tree(16), records, tree.AGENTS.compile_now(tree.examples)),
    ):
        words = np.arange(1, 9)
        choice = entry.think(*records_of(state), WEIGHTS, tree.CONSTANTS, room, words, 0)
        entry.think(*records_of(state), WEIGHTS, tree.CONSTANTS, room, words, 8)
        n = room.nodes[0, tree.COUNT]
        found.append((choice, room.edges[:n, : tree.HEAD].tolist(), room.sums[:n].tolist(), words.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("nodes", [1, 3])
def test_a_full_tree_goes_on(nodes: int) -> None:
    """Where there is no room for more positions, simulations still count."""
    state = Game(players=4).initial_state(seed=1).explicit()
    room = tree.new_tree(nodes)
    entry = tree.AGENTS.compile_now(tree.examples)
    entry.think(*records(state), WEIGHTS, tree.CONSTANTS, room, np.arange(1, 9), 20)
    n = room.nodes[0, tree.COUNT]
    assert room.sizes[tree.N_NODES] == nodes and room.edges[:n, tree.VISITS].sum() == 20


def test_worth() -> None:
    """A worth for each player; more of what scores is worth more; the victory counts at the end."""
    players = {
        "red_0": {"tokens": [0, 0, 0, 5, 0], "points": 9},
        "yellow_1": {"tokens": [0, 5, 0, 0, 0], "points": 9, "commerce": 3},
    }
    for fields in players.values():
        fields["cards"] = []
    players["red_0"]["cards"] = ["prologue monarch", "chapter_1 monarch", "chapter_2 monarch"]
    state = Game().position(stage="epilogue", phase="over", first="red_0", order=["red_0", "yellow_1"], players=players)
    assert worth(state) == [9, 19]
    assert len(worth(Game(players=4).initial_state(seed=1))) == 4


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_number_of_players_has_a_shipped_policy(players: int) -> None:
    """It is found by the number of players, and against random wins most of twenty games in rotating seats."""
    agent, won = PPOAgent(), 0.0
    for k in range(20):
        agent.begin(Game(players=players), k % players)
        won += played(players, {k % players: agent}, 50 + k // players)[k % players]
    assert agent.policy is weights.load("aloha" if players == 2 else f"aloha-players-{players}")
    assert won >= 16
    refuses(
        OptionError,
        (
            "trained with another observation",
            lambda: PPOAgent(agent.policy).begin(Game(players=3 if players == 2 else 2), 0),
        ),
    )
