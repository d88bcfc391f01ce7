"""Battle odds: closed forms, the compact model against the engine, exact values, frequencies, and the command."""

from __future__ import annotations

import argparse
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses

from hawaii_env.command_line import add_arguments
from hawaii_env.errors import OptionError, StateError
from hawaii_env.hawaii1795 import Game, State
from hawaii_env.hawaii1795 import battles as M
from hawaii_env.hawaii1795 import battles as O
from hawaii_env.hawaii1795.battles.forces import types_of
from hawaii_env.hawaii1795.battles.model import results_of
from hawaii_env.hawaii1795.battles.odds_cli import ODDS, parse_units, run_odds
from hawaii_env.hawaii1795.entries import NOTHING
from hawaii_env.hawaii1795.rules import names

SHIPPED = Game()
# Its strengths and results are not tuned any more: the values below were worked out with them.
RULES = Path(__file__).with_name("reconstructed-1")
GAME = Game(rules=RULES)
BATTLES: list[tuple[list[str], list[str], str, str, dict[str, Any]]] = [
    (["warrior_2"] * 2, ["oahu_warrior"] * 2, "open", "invasion", {}),
    (["warrior_2"] * 2, ["oahu_warrior"], "fort", "invasion", {}),
    (["kamehameha", "musketeer", "warrior_1"], ["kalani", "pike"], "waikiki", "invasion", {}),
    (["kalani", "kaiana", "brown"], ["kamehameha", "pike"], "hilo", "invasion", {}),
    (["kalani", "maui_warrior"], ["royal_guard", "vancouver"], "hilo", "overland", {}),
    (["kauai_warrior", "pike"], ["maui_warrior", "kaiana"], "koolau", "sea", {}),
    (["musketeer", "warrior_2"], ["oahu_warrior", "brown"], "kauai", "sea", {}),
    (["vancouver", "royal_guard"], ["oahu_warrior", "pike"], "maui", "invasion",
     {"earthworks": True, "advantage": 1, "gunpowder": 1}),
]  # fmt: skip
NAMES = ("attackers", "defenders", "space", "kind", "more")
battles = pytest.mark.parametrize(NAMES, BATTLES)


def odds(attackers: str, defenders: str, *args: Any, **kw: Any) -> O.Odds:
    return O.battle_odds(
        parse_units(attackers, "attackers"), parse_units(defenders, "defenders"), *args, game=GAME, **kw
    )


def solve(strengths: tuple[int, int], walls: bool = False, results: Any = (((3, 2, 1),) * 2,) * 2) -> Fraction:
    """The exact chance of one plain unit against one, as a fraction."""
    types = [M.UnitType(f"unit_{n}", 1, n, False, False, False, False, 0) for n in strengths]
    model = M.BattleModel(types[:1], types[1:], results, walls)
    return M.Solver(model, ("optimal", "optimal"), 10_000, Fraction).solve(model.root)[0]


# Closed forms


@pytest.mark.parametrize("ours", [0, 1, 2, 6])
@pytest.mark.parametrize("theirs", [0, 1, 5])
def test_advantage_with_rerolled_ties(ours: int, theirs: int) -> None:
    pairs = [(i + ours, j + theirs) for i in range(1, 7) for j in range(1, 7) if i + ours != j + theirs]
    wins = sum(i > j for i, j in pairs)
    assert O.advantage_chances(ours, theirs) == (Fraction(wins, len(pairs)), 1 - Fraction(wins, len(pairs)))


@pytest.mark.parametrize(
    ("attackers", "defenders", "card", "lead"),
    [
        (["warrior_2"], ["oahu_warrior"], 0, 0),
        (["kamehameha"], ["oahu_warrior"], 0, 1),
        (["warrior_2"], ["kalani"], 0, -1),
        (["kamehameha", "royal_guard"], ["kalani"], 1, 2),
        (["kamehameha"], ["kalani"], 1, 1),
        (["oahu_warrior"], ["kamehameha"], 1, 0),
    ],
)
def test_advantage_of_the_engine(attackers: list[str], defenders: list[str], card: int, lead: int) -> None:
    """[11.1 i-iii] Both dice of the engine, face by face; a tie is the same node again."""
    start = O.battle_position(attackers, defenders, advantage=card, game=GAME)
    counts = {0: 0, 1: 0, -1: 0}
    half = start.interpreted().half
    for first, p in start.chance_outcomes():
        assert p == 1 / 6
        for second in range(1, 7):
            copy = start.clone()
            copy.apply_chance(first)
            copy.apply_chance(second)
            if copy.phase == "advantage":
                assert copy == start
                counts[-1] += 1
            else:
                counts[0 if copy.interpreted().advantage == half else 1] += 1
    chances = O.advantage_chances(max(lead, 0), max(-lead, 0))
    assert Fraction(counts[0], 36 - counts[-1]) == chances[0]


def die_node(attackers: list[str], defenders: list[str], side: str, gunpowder: int = 0) -> State:
    """The first die of the only unit of a side, which fires first."""
    state = O.battle_position(attackers, defenders, gunpowder=gunpowder, game=GAME)
    state.apply_chance(6 if side == "kamehameha" else 1)
    state.apply_chance(1 if side == "kamehameha" else 6)
    while state.phase != "hit_die":
        state.apply(state.legal_actions()[0])
    return state


@pytest.mark.parametrize("elite", [False, True])
@pytest.mark.parametrize("role", [0, 1])
def test_results_of_a_die(role: int, elite: bool) -> None:
    """[12.0, R-05] The table as the engine's chance node has it."""
    one, many = ["kalani" if elite else "brown"], ["warrior_2"] * 3
    state = die_node(one, many, "allied") if role == 0 else die_node(many, one, "allied")
    found = {state.chance_text(face).partition(": ")[2]: p for face, p in state.chance_outcomes(merged=True)}
    chances = O.die_chances(GAME, role, elite)
    assert found == pytest.approx(dict(zip(("no effect", "panic", "elimination"), map(float, chances), strict=True)))
    assert sum(chances) == 1


@pytest.mark.parametrize(
    ("unit", "card", "dice"), [("pike", 0, 2), ("vancouver", 0, 3), ("vancouver", 1, 4), ("kamehameha", 0, 3)]
)
def test_eliminations_by_dice(unit: str, card: int, dice: int) -> None:
    """[11.2] Eliminated units after all dice of one unit, through the engine's chance nodes, against the binomial.

    A fort's defenders ignore panic, so each elimination is one die's.
    """
    state = O.battle_position([unit], ["oahu_warrior"] * 3 + ["maui_warrior"] * 2, "fort", gunpowder=card, game=GAME)
    state.apply_chance(6)
    state.apply_chance(1)
    assert state.phase == "hit_die"
    before = len(O.fighters_of(state)[1])
    counts = [Fraction(0)] * (dice + 1)
    todo = [(state, Fraction(1))]
    while todo:
        node, weight = todo.pop()
        firing = node.interpreted().firing == node.interpreted().half
        if node.phase == "hit_die" and firing:
            for face in range(1, 7):
                child = node.clone()
                child.apply_chance(face)
                todo.append((child, weight / 6))
        elif node.phase == "loss":
            child = node.clone()
            child.apply(child.legal_actions()[0])
            todo.append((child, weight))
        else:
            counts[before - len(O.fighters_of(node)[1])] += weight
    assert counts == O.hit_chances(dice, O.die_chances(GAME, 0, unit == "kamehameha")[2])
    assert sum(counts) == 1


def test_one_against_one() -> None:
    """Solved by hand. Each side wins a battle in the open with 1/2; a winner of the first has eliminated (or panicked)
    the other:

    strength 1: 1/3 of the hits eliminate, so 1/2 (1/3 + 2/3 1/2); strength 2: 5/9 eliminate, so 1/2 (5/9 + 4/9 1/2). In
    a fort V (1 - 5/6 1/2) = 1/2 (1/6 + 1/2 1/6), because a round without a hit comes again.
    """
    assert solve((1, 1)) == Fraction(1, 3)
    assert solve((2, 2)) == Fraction(7, 18)
    assert solve((1, 1), walls=True) == Fraction(3, 14)


def test_exact_fractions_and_floats_agree() -> None:
    types = types_of(GAME.tables, [names.K_WARRIOR_2] * 2, "", True), types_of(GAME.tables, [names.K_KALANI], "", True)
    model = M.BattleModel(*types, results_of(GAME.ruleset))
    exact = M.Solver(model, ("optimal", "optimal"), 10_000, Fraction).solve(model.root)
    solver = M.Solver(model, ("optimal", "optimal"), 10_000)
    value = solver.solve(model.root)
    assert [float(x) for x in exact] == pytest.approx(value, abs=1e-13)
    assert abs(float(exact[0]) - value[0]) <= solver.error(model.root) < 1e-9


def test_a_battle_without_hits_never_ends() -> None:
    refuses(
        OptionError,
        ("never ends", lambda: solve((1, 1), results=(((6, 0, 0),) * 2,) * 2)),
        ("never ends", lambda: solve((1, 1), walls=True, results=(((3, 3, 0),) * 2, ((6, 0, 0),) * 2))),
    )


# The model against the engine

BATTLE_PHASES = (names.FIRE, names.LOSS, names.PANIC_LOSS, names.ADVANTAGE, names.HIT_DIE)


def step(state: State, choice: int) -> None:
    """Apply a choice to a position, and nothing that is forced after it."""
    state._backend.enter_step(state._rules, state.data, choice)


class Walk:
    """The engine and the model side by side, through every position that a battle can reach."""

    def __init__(self, start: State) -> None:
        self.model, self.root, _ = O.model_of(start, merge=False)
        self.fighters = O.fighters_of(start)
        self.edges: dict[Any, tuple[int, list[tuple[Fraction, Any]]]] = {}
        step(start, NOTHING)
        todo = [(self.root, start)]
        while todo:
            node, state = todo.pop()
            if node in self.edges:
                continue
            found = list(self.engine(state))
            self.edges[node] = self.who(state), [(weight, child) for weight, child, _ in found]
            self.compare(node)
            todo += [(child, after) for _, child, after in found if child not in ("attacker", "defender")]

    def who(self, state: State) -> int:
        record = state.interpreted()
        if record.phase > names.LAST_DECISION:
            return M.CHANCE
        return 0 if record.decider == record.half else 1

    def engine(self, state: State) -> Any:
        """What may come by the engine, one die or choice on: weights, positions, states."""
        deciding = self.who(state) != M.CHANCE
        outcomes = state.legal_actions() if deciding else range(1, 7)
        for outcome in outcomes:
            after = state.clone()
            step(after, outcome)
            if after.interpreted().phase in BATTLE_PHASES:
                child: Any = O.node_of(self.model, after)
            else:
                child = ("attacker", "defender")[O.winner_of(after, self.fighters)]
            yield Fraction(1, len(outcomes)), child, after

    def compare(self, node: Any) -> None:
        who, children = self.model.expand(node)
        expected = [(n, ("attacker", "defender")[c[6]] if c[0] == M.END else c) for n, c in children]
        mine = self.edges[node]
        assert mine[0] == who
        if who != M.CHANCE:
            assert sorted(str(c) for _, c in mine[1]) == sorted(str(c) for _, c in expected)
            return
        if node[0] == M.START and not node[8]:
            # The engine's two dice; the model has the closed form with ties left out, and both dice once one has
            # fallen.
            assert sorted(c[8] for _, c in mine[1]) == [1, 2, 3, 4, 5, 6]
            assert {c[:8] for _, c in mine[1]} == {node[:8]}
            summed: dict[Any, Fraction] = {}
            for _, first in mine[1]:
                ways = self.model.expand(first)[1]
                for n, child in ways:
                    if child != node:
                        summed[child] = summed.get(child, Fraction(0)) + n
            total = sum(summed.values())
            weights = sum(n for n, _ in children)
            assert {c: n / total for c, n in summed.items()} == {c: Fraction(n, weights) for n, c in children}
            return
        assert self.sums(mine[1]) == self.sums([(Fraction(n, sum(k for k, _ in expected)), c) for n, c in expected])

    def sums(self, weighted: list[tuple[Any, Any]]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for weight, child in weighted:
            found[child] = found.get(child, 0) + weight
        return found

    def value(self) -> float:
        """The attackers' chance by value iteration over the engine's own positions: no closed form, no fixed points."""
        values = dict.fromkeys(self.edges, 0.5)
        ends = {"attacker": 1.0, "defender": 0.0}
        for _ in range(2000):
            change = 0.0
            for node, (who, children) in self.edges.items():
                below = [ends[c] if c in ends else values[c] for _, c in children]
                if who == M.CHANCE:
                    new = sum(float(w) * v for (w, _), v in zip(children, below, strict=True))
                else:
                    new = max(below) if who == 0 else min(below)
                change = max(change, abs(new - values[node]))
                values[node] = new
            if change < 1e-13:
                break
        return values[self.root]


@pytest.mark.parametrize(
    NAMES, [pytest.param(*one, marks=[pytest.mark.slow] * (n in (2, 3, 5))) for n, one in enumerate(BATTLES)]
)
def test_model_and_engine_take_the_same_steps(
    attackers: list[str], defenders: list[str], space: str, kind: str, more: dict[str, Any]
) -> None:
    walk = Walk(O.battle_position(attackers, defenders, space, kind, game=GAME, **more))
    assert len(walk.edges) > 50
    exact = O.battle_odds(attackers, defenders, space, kind, game=GAME, **more)
    assert exact.exact and exact.error < 1e-9
    assert walk.value() == pytest.approx(exact.attacker_wins, abs=1e-9)


@pytest.mark.parametrize(
    ("attackers", "defenders", "space"),
    [(["kamehameha", "warrior_1"], ["kalani", "pike"], "waikiki"), (["kaiana", "brown"], ["royal_guard"], "hilo")],
)
def test_the_shipped_ruleset_is_solved_and_played_alike(attackers: list[str], defenders: list[str], space: str) -> None:
    walk = Walk(O.battle_position(attackers, defenders, space, game=SHIPPED))
    exact = O.battle_odds(attackers, defenders, space, game=SHIPPED)
    assert exact == O.battle_odds(attackers, defenders, space)
    assert walk.value() == pytest.approx(exact.attacker_wins, abs=1e-9)


@battles
def test_engine_frequencies(
    attackers: list[str], defenders: list[str], space: str, kind: str, more: dict[str, Any]
) -> None:
    """Binomial test at a fixed seed: four standard errors are passed once in 16,000 by chance."""
    exact = O.battle_odds(attackers, defenders, space, kind, game=GAME, policy="random", **more)
    position = O.battle_position(attackers, defenders, space, kind, game=GAME, **more)
    played = O.engine_frequencies(position, 2000, seed=1795)
    assert exact.exact
    assert abs(played.attacker_wins - exact.attacker_wins) < 4 * played.standard_error
    assert played.attacker_losses == pytest.approx(exact.attacker_losses, abs=0.15)
    assert played.defender_losses == pytest.approx(exact.defender_losses, abs=0.15)


FIGHTING = ("fire", "loss", "panic", "advantage", "hit_die")


@pytest.mark.parametrize("seed", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)])
def test_odds_of_a_position_are_the_mean_of_what_comes(seed: int) -> None:
    """Along a random battle: at a chance node the mean, at a choice the best of what may come."""
    picks = random.Random(seed)
    state = O.battle_position(["kamehameha", "pike", "warrior_1"], ["kalani", "musketeer"], "waikiki", game=GAME)
    fighters = O.fighters_of(state)
    seen = set[str]()
    while state.phase in FIGHTING:
        here = O.odds_of(state).attacker_wins
        seen.add(state.phase)
        chance = state.current_player < 0
        found: list[tuple[float, State]] = []
        for outcome in range(1, 7) if chance else state.legal_actions():
            child = state.clone()
            if chance:
                child.apply_chance(outcome)
            else:
                child.apply(outcome)
            if child.phase in FIGHTING:
                found.append((O.odds_of(child).attacker_wins, child))
            else:
                found.append((float(O.winner_of(child, fighters) == 0), child))
        values = [value for value, _ in found]
        if chance:
            assert here == pytest.approx(sum(values) / 6, abs=1e-9)
        else:
            best = max if state.current_player == state.interpreted().half else min
            assert here == pytest.approx(best(values), abs=1e-9)
        state = picks.choice(found)[1]
    assert seen >= {"advantage", "hit_die"} and seen & {"fire", "loss", "panic"}
    refuses(OptionError, ("no battle", lambda: O.odds_of(state)))


# Values


def test_the_four_against_two() -> None:
    """Four strength-2 warriors against two: in the open and in a fort, by the best, by the thumb, and at random."""
    wins = {
        (space, policy): odds("4xwarrior_2", "2xoahu_warrior", space, policy=policy).attacker_wins
        for space in ("open", "fort")
        for policy in O.POLICIES
    }
    assert wins["open", "optimal"] == pytest.approx(0.945099, abs=1e-6)
    assert wins["fort", "optimal"] == pytest.approx(0.699338, abs=1e-6)
    assert wins["open", "random"] == pytest.approx(0.926791, abs=1e-6)
    assert wins["fort", "random"] == pytest.approx(0.592789, abs=1e-6)


def test_kinds_that_fight_alike_are_one() -> None:
    mixed = odds("warrior_2,kauai_warrior", "oahu_warrior,maui_warrior")
    alike = odds("2xwarrior_2", "2xoahu_warrior")
    assert mixed.attacker_wins == pytest.approx(alike.attacker_wins, abs=1e-12)
    assert mixed.nodes == alike.nodes
    apart = M.BattleModel(
        types_of(GAME.tables, [names.K_WARRIOR_2, names.K_KAUAI_WARRIOR], "", False),
        types_of(GAME.tables, [names.K_OAHU_WARRIOR, names.K_MAUI_WARRIOR], "", False),
        results_of(GAME.ruleset),
    )
    assert M.Solver(apart, ("optimal", "optimal"), 100_000).solve(apart.root)[0] == pytest.approx(
        alike.attacker_wins, abs=1e-12
    )


@pytest.mark.slow
def test_nobody_gains_by_choosing_otherwise() -> None:
    """The saddle point: against the other's best choices no policy does better than the best."""
    force = "kamehameha,2xwarrior_1,musketeer", "kalani,pike,maui_warrior"
    best = odds(*force).attacker_wins
    for other in ("simple", "random"):
        assert odds(*force, policy=(other, "optimal")).attacker_wins <= best + 1e-12
        assert odds(*force, policy=("optimal", other)).attacker_wins >= best - 1e-12


def test_what_helps_helps() -> None:
    plain = odds("2xwarrior_2,vancouver", "2xoahu_warrior")
    assert odds("3xwarrior_2,vancouver", "2xoahu_warrior").attacker_wins > plain.attacker_wins
    assert odds("2xwarrior_2,vancouver", "2xoahu_warrior", "fort").attacker_wins < plain.attacker_wins
    assert odds("2xwarrior_2,vancouver", "2xoahu_warrior", "open", earthworks=True) == pytest.approx(
        odds("2xwarrior_2,vancouver", "2xoahu_warrior", "fort")
    )
    assert odds("2xwarrior_2,vancouver", "2xoahu_warrior", advantage=1).attacker_wins > plain.attacker_wins
    assert odds("2xwarrior_2,vancouver", "2xoahu_warrior", gunpowder=1).attacker_wins > plain.attacker_wins
    assert odds("2xwarrior_2,vancouver", "2xoahu_warrior", "open", "sea").attacker_wins > plain.attacker_wins
    assert plain.attacker_wins + plain.defender_wins == 1
    assert plain.value == pytest.approx(2 * plain.attacker_wins - 1)


def test_escape_saves_beaten_defenders_and_changes_no_chance() -> None:
    dead = odds("4xwarrior_2", "2xoahu_warrior", "waikiki", "overland")
    gone = odds("4xwarrior_2", "2xoahu_warrior", "waikiki", "overland", escape=True)
    assert gone.attacker_wins == pytest.approx(dead.attacker_wins, abs=1e-12)
    assert gone.defender_losses < dead.defender_losses


@pytest.mark.slow
def test_sudden_death() -> None:
    """[5.2] Kamehameha's death is a lost battle; that of one chief is none, of both it is."""
    table = (((3, 2, 1),) * 2,) * 2
    plain = M.UnitType("plain", 3, 2, False, False, False, False, 0)
    king = M.UnitType("king", 1, 2, True, True, False, False, 1)
    chiefs = [M.UnitType(name, 1, 2, True, True, False, False, 2) for name in ("kalani", "kaiana")]

    def chance(attackers: list[M.UnitType], chief_alive: bool = True) -> float:
        model = M.BattleModel(attackers, [plain], table, chiefs=chief_alive)
        return M.Solver(model, ("random", "random"), 100_000).solve(model.root)[0]

    guard = M.UnitType("guard", 1, 2, True, True, False, False, 0)
    assert chance([plain, king]) < chance([plain, guard])
    assert chance([plain, chiefs[0]]) == pytest.approx(chance([plain, guard]))
    assert chance([plain, chiefs[0]], chief_alive=False) == pytest.approx(chance([plain, king]))
    assert chance([plain, *chiefs]) < chance([plain, guard, M.UnitType("other", 1, 2, True, True, False, False, 0)])


@pytest.mark.slow
def test_too_large_is_simulated_and_says_so() -> None:
    force = "3xwarrior_2,musketeer", "2xoahu_warrior,pike"
    exact = odds(*force, policy="simple")
    played = odds(*force, max_nodes=10, samples=4000, seed=3)
    assert exact.exact and not exact.samples and not exact.standard_error
    assert not played.exact and played.samples == 4000 and played.policy == ("simple", "simple")
    assert 0 < played.standard_error < 0.01
    assert abs(played.attacker_wins - exact.attacker_wins) < 4 * played.standard_error
    assert played.attacker_losses == pytest.approx(exact.attacker_losses, abs=0.1)
    assert odds(*force, max_nodes=10, samples=4000, seed=3) == played
    at_random = odds(*force, policy="random")
    again = odds(*force, policy="random", max_nodes=10, samples=4000, seed=3)
    assert abs(again.attacker_wins - at_random.attacker_wins) < 4 * again.standard_error


# Wrong calls


@pytest.mark.parametrize(
    ("attackers", "defenders", "kw", "message"),
    [
        ([], ["pike"], {}, "attackers: expected a list of at least one unit"),
        (["pike"], [], {}, "defenders: expected a list of at least one unit"),
        ("pike", ["pike"], {}, "attackers: expected a list of at least one unit"),
        (["warior"], ["pike"], {}, "there is no unit 'warior'; the units are brown, "),
        ([3], ["pike"], {}, "there is no unit 3"),
        (["canoe"], ["pike"], {}, "a canoe never fights"),
        (["warrior_2"] * 7, ["pike"], {}, "attackers: 7 times warrior_2, but the game has 6"),
        (["pike"], ["pike"], {"space": "oahu"}, "space: expected one of open, fort, kona"),
        (["pike"], ["pike"], {"kind": "land"}, "kind: expected one of invasion, overland, sea"),
        (["pike"], ["pike"], {"kind": "overland", "space": "maui"}, "nobody attacks maui overland"),
        (["pike"], ["pike"], {"earthworks": True, "space": "kona"}, "and kona has one"),
        (["pike"], ["pike"], {"earthworks": True, "kind": "sea"}, "none at sea"),
        (["pike"], ["pike"], {"escape": True}, "only defenders of an overland attack"),
        (["pike"], ["pike"], {"policy": "best"}, "one or two of optimal, simple, random"),
        (["pike"], ["pike"], {"policy": ("random",)}, "one or two of optimal, simple, random"),
        (["pike"], ["pike"], {"advantage": -1}, "advantage: expected an integer from 0 to 9"),
        (["pike"], ["pike"], {"gunpowder": 1.0}, "gunpowder: expected an integer from 0 to 9"),
        (["pike"], ["pike"], {"samples": 0}, "samples: expected an integer of 1 or more"),
        (["pike"], ["pike"], {"max_nodes": True}, "max_nodes: expected an integer of 0 or more"),
        (["pike"], ["pike"], {"ruleset": "x", "game": GAME}, "pass one of the two"),
    ],
)
def test_wrong_calls(attackers: Any, defenders: Any, kw: dict[str, Any], message: str) -> None:
    refuses(OptionError, (message, lambda: O.battle_odds(attackers, defenders, **kw)))


def test_wrong_battles_of_the_engine() -> None:
    refuses(
        OptionError,
        ("not of two players", lambda: O.battle_position(["warrior_2"], ["warrior_1"], game=GAME)),
        ("no battle", lambda: O.engine_frequencies(GAME.initial_state(seed=1))),
    )
    refuses(
        StateError,
        (
            "2 units and 2 leaders a canoe",
            lambda: O.battle_position(["warrior_2"] * 6 + ["warrior_1"] * 3, ["pike"], "maui", "sea", game=GAME),
        ),
    )


# The command


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser, *ODDS)
    return run_odds(parser.parse_args(arguments))


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("4xwarrior_2", "2 oahu_warrior", "--check", "500", "--rules", str(RULES)) == 0
    text = capsys.readouterr().out
    assert "open ground: 4 warrior_2 against 2 oahu_warrior" in text
    assert "94.51%" in text and "Exact: solved over" in text and "through the engine" in text
    assert (
        command("4xwarrior_2,kamehameha", "2xoahu_warrior+kalani", "--space", "hilo", "--policy", "optimal,random") == 0
    )
    assert "a fort" in capsys.readouterr().out
    assert command("4xwarrior_2", "2xoahu_warrior", "--max-nodes", "5", "--samples", "500") == 0
    text = capsys.readouterr().out
    assert "Simulated: 500 battles, standard error" in text and "rule of thumb" in text
    assert command("pike", "pike", "--json") == 0
    assert json.loads(capsys.readouterr().out)["exact"] is True
    assert command() == 0
    text = capsys.readouterr().out
    assert "21/31" in text and "0.1667" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("4xwarrior_2",), "whom do they fight"),
        (("--check", "5"), "need a battle"),
        (("4.5xwarrior_2", "pike"), "units are written as"),
        (("0xpike", "pike"), "1 to 39"),
        (("pike", ""), "units are written as"),
        (("pike", "pike", "--policy", "a,b,c"), "one or two of"),
    ],
)
def test_command_with_bad_input(arguments: tuple[str, ...], message: str) -> None:
    refuses(OptionError, (message, lambda: command(*arguments)))


def test_units_in_text() -> None:
    assert parse_units("2xpike, kalani+ 3 * warrior_2", "x") == ["pike"] * 2 + ["kalani"] + ["warrior_2"] * 3
