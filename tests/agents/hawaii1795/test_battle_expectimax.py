"""The battle agent: values against the exact odds and the engine, choices that a rule of thumb gets wrong, limits,
determinism.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from moves import play, step

import hawaii_env
from hawaii_agents.hawaii1795.battle_expectimax import Ends, ExpectimaxBattleAgent
from hawaii_env.agents import Clock, RandomAgent
from hawaii_env.hawaii1795 import Game, State
from hawaii_env.hawaii1795 import battles as O
from hawaii_env.hawaii1795.battles import BattleModel, Solver, TooLargeError, UnitType

GAME = Game()
FIGHTING = ("fire", "loss", "panic", "advantage", "hit_die")
OURS = ("kamehameha", "royal_guard", "vancouver", "pike", "warrior_2", "warrior_1", "kauai_warrior")
THEIRS = ("kalani", "kaiana", "brown", "pike", "oahu_warrior", "kaiana_warriors")


def agent(**kw: Any) -> ExpectimaxBattleAgent:
    return ExpectimaxBattleAgent(**{"base": "random", "seed": 1, **kw})


def solved(state: State, max_nodes: int = 10**6, objective: str = "win") -> complex:
    """The value of a battle's position, by a solver that knows nothing yet: what is played for, and what breaks
    ties.
    """
    model, node, _ = O.model_of(state)
    return as_complex(Solver(model, ends=Ends(model, objective)).solve(node, max_nodes))


def as_complex(value: O.Value) -> complex:
    return complex(value[0], value[2] - value[1])


def role_of(state: State) -> int:
    """The role of the side that decides."""
    return int(state.view().decider != state.view().half)


# Values


def armies(names: tuple[str, ...], sizes: tuple[int, ...]) -> list[list[str]]:
    return [list(units) for n in sizes for units in itertools.combinations(names, n)]


TERRAINS: list[tuple[str, str, dict[str, Any]]] = [
    ("open", "invasion", {}),
    ("fort", "invasion", {}),
    ("maui", "invasion", {"earthworks": True, "advantage": 1, "gunpowder": 1}),
    ("waikiki", "sea", {}),
]


def compare(attackers: list[str], defenders: list[str], space: str, kind: str, **more: Any) -> None:
    state = O.battle_position(attackers, defenders, space, kind, game=GAME, **more)
    expected = O.odds_of(state, max_nodes=300_000, samples=1)
    if expected.exact:
        assert solved(state).real == pytest.approx(expected.attacker_wins, abs=1e-9), (
            attackers,
            defenders,
            space,
            kind,
        )


@pytest.mark.parametrize(("space", "kind", "more"), TERRAINS)
def test_values_are_the_exact_odds(space: str, kind: str, more: dict[str, Any]) -> None:
    """All pairs of single units, both attacking, and a choice of two against one."""
    pairs = list(itertools.product(armies(OURS, (1,)), armies(THEIRS, (1,))))
    more_units = [*itertools.product(armies(OURS, (2,)), armies(THEIRS, (1,)))]
    more_units += itertools.product(armies(OURS, (1,)), armies(THEIRS, (2,)))
    # Pikes on both sides beside an elite unit were wrong once.
    pairs += [(["royal_guard", "pike"], ["pike"]), *random.Random(space).sample(more_units, 8)]
    for ours, theirs in pairs:
        compare(ours, theirs, space, kind, **more)
        compare(theirs, ours, space, kind, **more)


@pytest.mark.nightly
def test_values_are_the_exact_odds_of_larger_battles() -> None:
    chance = random.Random(1795)
    for _ in range(60):
        ours = chance.sample(OURS, chance.randint(2, 3)) + ["warrior_2"] * chance.randint(0, 2)
        theirs = chance.sample(THEIRS, chance.randint(2, 3)) + ["oahu_warrior"] * chance.randint(0, 1)
        pair = (ours, theirs) if chance.random() < 0.5 else (theirs, ours)
        kind, space = chance.choice([("invasion", "open"), ("invasion", "fort"), ("sea", "maui"), ("overland", "hilo")])
        compare(*pair, space, kind, advantage=chance.randint(0, 1), gunpowder=chance.randint(0, 1))


@pytest.mark.parametrize("seed", range(3))
def test_values_in_the_middle_of_battles(seed: int) -> None:
    """Every die and decision on the way through battles of the engine: panicked and fired units, pikes, the second
    battle.
    """
    chance = random.Random(seed)
    battles = [
        (["musketeer", "warrior_2"], ["kalani", "pike"], "open", "invasion"),
        (["kalani", "kaiana"], ["kamehameha", "pike"], "hilo", "invasion"),
        (["oahu_warrior", "oahu_warrior", "pike"], ["warrior_2"], "kona", "overland"),
        (["kauai_warrior", "royal_guard"], ["maui_warrior", "kaiana"], "koolau", "sea"),
    ]
    seen: set[Any] = set()
    for attackers, defenders, space, kind in battles:
        state = O.battle_position(attackers, defenders, space, kind, game=GAME, gunpowder=seed % 2)
        while state.phase in FIGHTING:
            assert solved(state).real == pytest.approx(O.odds_of(state).attacker_wins, abs=1e-9), state.to_json()
            battle: Any = state.view().battle
            seen |= {state.phase, ("second", battle["second"])}
            step(state, chance)
    assert {"fire", "advantage", "hit_die", ("second", False)} <= seen


def test_each_action_has_the_value_of_what_it_leads_to() -> None:
    """Names of actions are read rightly: an action's value is the odds of the position after it, by the engine."""
    chance, player = random.Random(3), agent()
    found: set[str] = set()
    for trial in range(6):
        ours = ["warrior_2", "warrior_2", "warrior_1"] if trial % 2 else ["warrior_2", "warrior_2", "royal_guard"]
        state = O.battle_position(ours, ["oahu_warrior"] * 2, game=GAME)
        while state.phase in FIGHTING:
            if state.current_player < 0:
                step(state, chance)
                continue
            role = role_of(state)
            values = player.explain(state, 10**6)
            assert list(values) == state.legal_actions()
            for action, value in values.items():
                after = state.clone()
                after.apply(action)
                if after.phase in FIGHTING:
                    wins = O.odds_of(after).attacker_wins
                    assert value.exact and value.win == pytest.approx((wins, 1 - wins)[role], abs=1e-9), value
                found |= {value.text.split()[0], *value.text.split()[1].split("/")[1:]}
            step(state, chance)
    assert {"fire", "lose", "panic", "fired", "panicked"} <= found


# Choices


def greedy(values: dict[int, Any]) -> int:
    """The rule of thumb: the strongest fires, the elite first; the weakest is lost or panics."""

    def worth(action: int) -> tuple[int, bool]:
        name = values[action].text.split()[1].split("/")[0]
        tables = GAME.ruleset.content["pieces.toml"]
        it = tables["kamehameha"].get(name) or tables["allied"].get(name) or tables["kauai"][name]
        return it["strength"], it["elite"]

    pick = max if next(iter(values.values())).text.startswith("fire") else min
    return pick(values, key=worth)


@pytest.mark.parametrize(
    ("attackers", "defenders", "path", "best", "gain"),
    [
        # The warriors fire first, because they may panic before they have; Kaiana cannot.
        (["kamehameha", "warrior_2", "warrior_2"], ["kaiana", "maui_warrior", "oahu_warrior"], [2, 4],
         "fire oahu_warrior", 0.03),
        # The warrior is panicked already: it is given up for good, and the musketeers stay in the battle.
        (["musketeer", "royal_guard", "warrior_2"], ["kalani", "musketeer"],
         [1, 3, 5, "panic warrior_2", 1, 5, 1, 4], "panic warrior_2", 0.15),
    ],
)  # fmt: skip
def test_the_greedy_choice_is_wrong(
    attackers: list[str], defenders: list[str], path: list[int | str], best: str, gain: float
) -> None:
    state = play(O.battle_position(attackers, defenders, game=GAME), *path)
    player = agent()
    values = player.explain(state)
    simple = greedy(values)
    chosen = player.act(state, state.legal_actions())
    assert values[chosen].win == values[GAME.parse_action(state, best)].win
    assert chosen != simple
    assert (values[chosen].win or 0.0) - (values[simple].win or 0.0) > gain
    # Both values are those of the odds after the action, and of battles that the engine plays with its own dice.
    role = role_of(state)
    for action in (chosen, simple):
        after = _after(state, action)
        played = O.engine_frequencies(after, 80, seed=1, choose=player.act)
        for wins, error in (
            (O.odds_of(after).attacker_wins, 1e-9),
            (played.attacker_wins, 4 * played.standard_error),
        ):
            assert abs((wins, 1 - wins)[role] - (values[action].win or 0.0)) < error


def _after(state: State, action: int) -> State:
    copy = state.clone()
    copy.apply(action)
    return copy


# Before a battle


def landing(units: list[str], garrison: list[str], canoes: int = 1) -> State:
    """Allied units before Moloka'i are sighted by Kamehameha's there."""
    return GAME.position(
        turn="june",
        half="allied",
        phase="launch",
        units={
            "kamehameha": {"kona": ["warrior_2"], "molokai": garrison + ["canoe"] * canoes},
            "allied": {"waikiki": ["kalani"], "sea/molokai": [f"{u}/waikiki" for u in [*units, "oahu_canoe"]]},
        },
        kauai="neutral",
        field="molokai",
    )


def test_launches_are_the_base_agents() -> None:
    state, player = landing(["oahu_warrior"], ["warrior_2"]), agent()
    assert player.act(state, state.legal_actions()) == RandomAgent(seed=1).act(state, state.legal_actions())
    assert player.last_report is not None and player.last_report.method == "base"
    assert player.explain(state) == {}


# Objectives


INTERPRETED = (((3, 2, 1), (2, 2, 2)),) * 2
WARRIORS = UnitType("warrior", 2, 2, False, False, False, False, 0)
CHIEF = UnitType("kalani", 1, 2, True, True, False, False, 2)


def test_what_the_objectives_count() -> None:
    ends: dict[str, list[complex]] = {}
    for objective in ("win", "material", "war"):
        found: list[complex] = []
        for enemy, ours, theirs, winner, second in (
            (WARRIORS, 2, 0, 0, 0),
            (WARRIORS, 1, 1, 0, 1),  # beaten twice: eliminated
            (WARRIORS, 0, 1, 1, 0),
            (CHIEF, 1, 1, 0, 1),
        ):
            model = BattleModel([WARRIORS], [enemy], INTERPRETED, chiefs=False)
            left = [
                side.units(n << side.shift(0, O.PANICKED)) for side, n in zip(model.sides, (ours, theirs), strict=True)
            ]
            found.append(as_complex(Ends(model, objective)((O.END, second, left[0], left[1], 0, 0, winner, 0, 0))))
        ends[objective] = found
    assert ends["win"] == [1 + 4j, 1 + 2j, 0 - 2j, 1 + 2j]
    assert ends["material"] == pytest.approx([1.2 + 1j, 1.1 + 1j, -0.1 + 0j, 1.1 + 1j])
    assert ends["war"] == pytest.approx([1.2 + 1j, 1.1 + 1j, -0.1 + 0j, 6.1 + 1j])


def test_the_objectives_differ() -> None:
    """To win the battle a chief is given up who has fired, in a war a warrior who has not."""
    chief = UnitType("kalani", 1, 2, False, False, False, False, 2)
    lost: dict[str, str] = {}
    for objective in ("win", "material", "war"):
        model = BattleModel([WARRIORS], [chief, WARRIORS], INTERPRETED)
        left, right = model.sides
        attackers = left.units(1 << left.shift(0, O.FIRED))
        defenders = right.units((1 << right.shift(0, O.FIRED)) + (1 << right.shift(1, O.READY)))
        solver = Solver(model, ends=Ends(model, objective))
        choices = model.expand(model.node(O.LOSE, 0, attackers, defenders, 0, 0, 0, 0, 0))[1]
        values = {right.types[choice[0]].name: solver.solve(after)[0] for choice, after in choices}
        lost[objective] = min(values, key=values.__getitem__)
    assert lost == {"win": "kalani", "material": "kalani", "war": "warrior"}


def test_win_and_material_agree_on_the_chance_where_nothing_is_chosen() -> None:
    state = O.battle_position(["warrior_2"], ["oahu_warrior"], game=GAME)
    assert solved(state, objective="material").imag == pytest.approx(solved(state).real, abs=1e-9)


# Limits


BIG = (["kamehameha", "royal_guard", "vancouver", "pike", "warrior_2", "warrior_2", "warrior_1"],
       ["kalani", "kaiana", "brown", "pike", "oahu_warrior", "maui_warrior"])  # fmt: skip


def big_decision(units: tuple[list[str], list[str]] = BIG) -> State:
    """The first decision of a battle in which Kamehameha has the advantage and hits with his first die."""
    state = O.battle_position(*units, game=GAME)
    state.apply_chance(6)
    state.apply_chance(1)
    while state.current_player < 0:
        state.apply_chance(6)
    return state


def test_says_when_it_is_not_exact() -> None:
    state, player = big_decision(), agent(max_nodes=500)
    action = player.act(state, state.legal_actions())
    report = player.last_report
    assert report is not None and report.action == action
    assert (report.method, report.exact, report.phase) == ("base", False, state.phase)
    assert 0 < report.nodes <= 500
    assert list(report.values) == state.legal_actions()
    assert any(not v.exact and v.value is None and v.win is None for v in report.values.values())
    assert action == RandomAgent(seed=1).act(state, state.legal_actions())


def test_playouts_stand_in() -> None:
    state, player = big_decision(), agent(max_nodes=500, fallback="sampled", samples=20)
    action = player.act(state, state.legal_actions())
    report = player.last_report
    assert report is not None and (report.method, report.exact) == ("sampled", False)
    assert all(v.win is not None and 0 <= v.win <= 1 for v in report.values.values())
    best = max(v.win or 0.0 for v in report.values.values())
    assert report.values[action].win == pytest.approx(best)
    again = agent(max_nodes=500, fallback="sampled", samples=20)
    assert again.act(state, state.legal_actions()) == action


def test_playouts_are_near_the_rule_of_thumb_on_both_sides() -> None:
    """A playout is a battle by the policy `simple` of the odds."""
    units = ["warrior_2", "warrior_2", "warrior_1"], ["oahu_warrior"] * 2
    state, n = play(O.battle_position(*units, game=GAME), 6, 1), 2000
    values = agent(max_nodes=0, fallback="sampled", samples=n).explain(state)
    assert len(values) == 2 and not any(value.exact for value in values.values())
    for action, value in values.items():
        expected = O.odds_of(_after(state, action), policy="simple").attacker_wins
        assert abs((value.win or 0.0) - expected) < 4 * (expected * (1 - expected) / n) ** 0.5


def test_what_is_solved_is_found_again() -> None:
    state, player = big_decision((["warrior_2"] * 2 + ["royal_guard"], ["oahu_warrior"] * 3)), agent(max_nodes=10**6)
    nodes: list[int] = []
    for begin in (True, False, True):
        if begin:
            player.begin(GAME, 0)
        player.act(state, state.legal_actions())
        assert player.last_report is not None and player.last_report.exact
        nodes.append(player.last_report.nodes)
    # A game's decisions depend on no game before it.
    assert nodes[0] == nodes[2] > 0 == nodes[1]


def test_memory_is_bounded() -> None:
    player = agent(keep=300)
    for n in (1, 2, 3):
        for space in ("open", "fort"):
            state = play(
                O.battle_position(["warrior_2"] * n + ["warrior_1"], ["oahu_warrior"] * 2, space, game=GAME), 6, 1
            )
            while state.current_player < 0:
                state.apply_chance(6)
            player.act(state, state.legal_actions())
            assert sum(len(solver.known) for solver in player._solvers) <= 300


def test_too_large_keeps_what_was_solved() -> None:
    model, at, _ = O.model_of(O.battle_position(["warrior_2"] * 3, ["oahu_warrior"] * 3, game=GAME))
    solver = Solver(model, ends=Ends(model, "win"))
    tries = 0
    while True:
        tries += 1
        try:
            value = solver.solve(at, 800)
            break
        except TooLargeError:
            assert tries < 50
    assert tries > 1
    assert as_complex(value) == pytest.approx(
        solved(O.battle_position(["warrior_2"] * 3, ["oahu_warrior"] * 3, game=GAME))
    )


def test_a_clock_limits_the_work() -> None:
    state, player = big_decision(), agent(max_nodes=10**7)
    player.act(state, state.legal_actions(), Clock(0.02))
    assert player.last_report is not None
    assert player.last_report.nodes <= 1000 and not player.last_report.exact


# As an agent


def test_games_are_deterministic() -> None:
    ends = [hawaii_env.play(GAME, [agent(seed=3), agent(seed=4)], seed=11).to_json() for _ in range(2)]
    assert ends[0] == ends[1]
    # An agent that has played before plays the same.
    player = agent(seed=5)
    player.base = RandomAgent(seed=9)
    hawaii_env.play(GAME, [player, "random:seed=2"], seed=1)
    player.base = RandomAgent(seed=5)
    again = hawaii_env.play(GAME, [player, "random:seed=2"], seed=12).to_json()
    assert again == hawaii_env.play(GAME, [agent(seed=5), "random:seed=2"], seed=12).to_json()


def test_everything_else_is_the_base_agents() -> None:
    state = GAME.initial_state(seed=1)
    player, base = agent(seed=8), RandomAgent(seed=8)
    for _ in range(20):
        legal = state.legal_actions()
        if state.phase in ("fire", "loss", "panic"):
            break
        action = player.act(state, legal)
        assert action == base.act(state, legal)
        assert player.last_report is not None and player.last_report.values == {}
        assert player.last_report.method == "base"
        state.apply(action)
