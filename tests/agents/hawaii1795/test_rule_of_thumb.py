"""The agent by rules of thumb: its odds, its obvious moves, whole games."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest
from moves import texts

import hawaii_env
from hawaii_agents.hawaii1795 import boards, plans
from hawaii_agents.hawaii1795.boards import Unit, units_of
from hawaii_agents.hawaii1795.rule_of_thumb import RuleOfThumbAgent
from hawaii_agents.hawaii1795.search import WEIGHTS
from hawaii_env import agents
from hawaii_env.hawaii1795 import Game, State
from hawaii_env.hawaii1795.battles import KINDS_OF_BATTLE, BattleTable, battle_odds

GAME = Game()
TABLE = BattleTable.of(GAME.ruleset)
KONA = 0


@cache
def unit_table() -> dict[tuple[str, str], Unit]:
    return units_of(GAME)


def kinds(side: str, *names: str) -> list[Unit]:
    return [unit_table()[side, name] for name in names]


def chosen(state: State, agent: RuleOfThumbAgent | None = None) -> str:
    agent = RuleOfThumbAgent(seed=1) if agent is None else agent
    return GAME.action_text(agent.act(state.for_search(), state.legal_actions(), None))


def planning(state: State) -> tuple[boards.Known, Any, Any]:
    """Return what plans know in a position, the position as plain Python has it, and the plan of doing nothing."""
    known, held = boards.known_of(state.game, WEIGHTS, False), state.interpreted()  # type: ignore[attr-defined]
    base, best = known.plans[boards.P_BASE], known.plans[boards.P_BEST]
    boards.write_board(state.game.tables, held, known, base)
    plans.start_plan(known, base, 0, best)
    return known, held, best


def play_half(state: State, agent: RuleOfThumbAgent) -> State:
    """The agent's movement, to its end; nothing that follows."""
    agent.begin(GAME, state.current_player)
    side = state.current_player
    while state.phase in ("movement", "pickup", "cargo", "sail") and state.current_player == side:
        state.apply(agent.act(state.for_search(), state.legal_actions(), None))
    return state


def match(first: str, second: str, seeds: range, scenario: str = "long") -> list[float]:
    """Scores of the first agent, 1, 0.5 or 0, each seed played with sides swapped."""
    game = Game(scenario)
    scores: list[float] = []
    for seed in seeds:
        for swapped in (False, True):
            made = {"thumb": RuleOfThumbAgent(seed=seed)}
            players = [made.get(name, name) for name in (first, second)]
            last = hawaii_env.play(game, players[::-1] if swapped else players, seed=seed)
            scores.append((last.returns()[int(swapped)] + 1) / 2)
    return scores


# -- odds


@pytest.mark.parametrize(("units", "leaders"), [(2, 2), (1, 1), (2, 0)])
def test_canoes_carry_what_the_ruleset_says(units: int, leaders: int) -> None:
    content = copy.deepcopy(GAME.ruleset.content)
    content["pieces.toml"]["canoe_load"].update(units=units, leaders=leaders)
    state = Game(rules=content).initial_state(seed=1)
    known, _, plan = planning(state)
    for name in ("warrior_1", "warrior_1", "pike", "kamehameha", "john_young"):
        boards.add_unit(plan, 0, KONA, unit_table()["kamehameha", name].kind, known)
    rows = known.cargoes[0, KONA]
    listed = rows[: plans.write_cargoes(state.game.tables, known, plan, KONA, rows)].tolist()
    leading = [sum(known.static.leading[kind] > 0 for kind in cargo[1 : cargo[0] + 1]) for cargo in listed]
    assert max(cargo[0] - n for cargo, n in zip(listed, leading, strict=True)) == units
    assert max(leading) == leaders


@pytest.mark.parametrize(
    ("attackers", "defenders"),
    [
        (["warrior_2"] * 2, ["oahu_warrior"]),
        (["warrior_2"] * 3, ["oahu_warrior"] * 2),
        (["warrior_2"] * 4, ["oahu_warrior"] * 3),
        (["vancouver", "musketeer"], ["oahu_warrior"] * 2),
        (["royal_guard"], ["oahu_warrior"] * 2),
        (["warrior_2"] * 2, ["kalani"]),
        (["warrior_1"] * 3, ["oahu_warrior"] * 2),
    ],
)
@pytest.mark.parametrize("space", ["open", "fort", "sea"])
def test_odds_come_near_the_exact_ones(attackers: list[str], defenders: list[str], space: str) -> None:
    exact = battle_odds(
        attackers, defenders, "open" if space == "sea" else space, "sea" if space == "sea" else "invasion"
    )
    assert exact.exact
    kind = {"open": "open", "fort": "walls", "sea": "sea"}[space]
    near = TABLE.odds(kinds("kamehameha", *attackers), kinds("allied", *defenders), kind)
    assert near == pytest.approx(exact.attacker_wins, abs=0.08)


def test_quick_odds_are_those_of_equal_warriors() -> None:
    for n, m in ((1, 1), (3, 2), (5, 4)):
        for kind, table in zip(KINDS_OF_BATTLE, TABLE.quick_tables(), strict=True):
            sides = [unit_table()["kamehameha", "warrior_2"]] * n, [unit_table()["allied", "oahu_warrior"]] * m
            assert TABLE.chance(n, m, kind) == pytest.approx(TABLE.odds(*sides, kind), abs=0.03)
            assert table[n, m, 0] == pytest.approx(TABLE.chance(n, m, kind), abs=1e-9)
    assert TABLE.chance(2.5, 2.0) > TABLE.chance(2.0, 2.0) > TABLE.chance(2.0, 2.5)
    assert TABLE.chance(0.0, 1.0) == 0.0
    assert TABLE.chance(1.0, 0.0) == 1.0
    assert 0.0 < TABLE.chance(30.0, 28.0) < 1.0


def test_the_better_units_and_the_cards_count() -> None:
    two = kinds("allied", "oahu_warrior", "oahu_warrior")
    plain = TABLE.odds(kinds("kamehameha", "warrior_2", "warrior_2"), two)
    assert TABLE.odds(kinds("kamehameha", "royal_guard", "warrior_2"), two) > plain + 0.2
    assert TABLE.odds(kinds("kamehameha", "pike", "warrior_2"), two) > plain + 0.1
    guns = kinds("kamehameha", "musketeer", "warrior_2")
    assert TABLE.odds(guns, two, guns=1) > TABLE.odds(guns, two) > plain
    assert TABLE.odds(guns, two, advantage=1) > TABLE.odds(guns, two)


def test_numbers_come_from_the_ruleset() -> None:
    content: dict[str, Any] = copy.deepcopy(GAME.ruleset.content)
    content["pieces.toml"]["kamehameha"]["warrior_2"]["strength"] = 3
    content["cards.toml"]["kamehameha"]["discoverys_guns"]["fleets"] = 5
    other = Game(rules=content)
    assert units_of(other)["kamehameha", "warrior_2"].power[0] > unit_table()["kamehameha", "warrior_2"].power[0] + 0.2
    last = hawaii_env.play(other, [RuleOfThumbAgent(seed=1), "random"], seed=3)
    assert last.is_terminal


# -- what a position is worth


def test_worth() -> None:
    state = GAME.position(
        turn="june",
        half="kamehameha",
        phase="movement",
        fleet_moves=2,
        units={
            "kamehameha": {"kona": ["kamehameha", "warrior_2", "canoe"], "hilo": ["warrior_2"], "maui": ["warrior_2"]},
            "allied": {"waikiki": ["kalani", "thunderers", "oahu_warrior", "oahu_warrior", "oahu_canoe", "oahu_canoe"]},
        },
    )
    known, held, board = planning(state)
    given = GAME.tables, held, known
    before = boards.worth_of(*given, board, 0)
    boards.add_unit(board, 0, KONA, unit_table()["kamehameha", "royal_guard"].kind, known)
    assert boards.worth_of(*given, board, 0) > before
    board.chiefs[0] = 0
    assert boards.worth_of(*given, board, 0) == -1.0


# -- obvious moves


def test_takes_the_open_space_that_wins() -> None:
    units = {
        "kamehameha": {
            "kona": ["kamehameha", "warrior_2", "warrior_2", "canoe"],
            "hilo": ["royal_guard", "warrior_2"],
            "maui": ["vancouver", "warrior_2", "canoe"],
            "molokai": ["musketeer", "warrior_2"],
            "waikiki": ["john_young", "pike", "warrior_1", "canoe"],
        },
        "allied": {"kauai": ["kaiana", "thunderers", "brown", "oahu_warrior", "oahu_warrior"]},
    }
    state = GAME.position(
        turn="september", half="kamehameha", phase="movement", fleet_moves=1, kauai="allied", units=units,
        dead=["allied:kalani", "neutral:kauai_warrior", "neutral:kauai_warrior", "neutral:kauai_canoe"],
    )  # fmt: skip
    assert "march warrior_1 waikiki koolau" in texts(state)
    after = play_half(state, RuleOfThumbAgent(seed=1)).view().units["kamehameha"]
    held = {space for space, pieces in after.items() if any("canoe" not in piece for piece in pieces)}
    assert held >= {"kona", "hilo", "maui", "molokai", "waikiki", "koolau"}


def test_breaks_the_enemys_victory() -> None:
    # The Allies hold maui, waikiki and hilo: they win at the start of their half unless hilo is retaken.
    state = GAME.position(
        turn="may",
        half="kamehameha",
        phase="movement",
        fleet_moves=1,
        units={
            "kamehameha": {"kona": ["kamehameha", "royal_guard", "warrior_2", "warrior_2", "warrior_2", "canoe"]},
            "allied": {
                "hilo": ["oahu_warrior"],
                "maui": ["maui_warrior", "maui_warrior"],
                "waikiki": ["kalani", "thunderers", "oahu_warrior"],
            },
        },
    )
    play_half(state, RuleOfThumbAgent(seed=1))
    assert any("hilo" in place for place in state.view().units["kamehameha"])
    assert "hilo" in str(state.view().field or state.view().units["kamehameha"])


def test_kamehameha_does_not_stay_alone_beside_an_army() -> None:
    state = GAME.position(
        turn="may",
        half="kamehameha",
        phase="movement",
        fleet_moves=2,
        units={
            "kamehameha": {
                "waikiki": ["kamehameha", "canoe"],
                "kona": ["warrior_2", "warrior_2", "warrior_2", "canoe"],
                "hilo": ["warrior_2", "warrior_1"],
            },
            "allied": {"koolau": ["kalani", "thunderers", "brown", "oahu_warrior", "oahu_warrior", "oahu_canoe"]},
        },
    )
    after = play_half(state, RuleOfThumbAgent(seed=1)).view().units["kamehameha"]
    (place,) = [space for space, pieces in after.items() if any(piece.startswith("kamehameha") for piece in pieces)]
    guards = [piece for piece in after[place] if "canoe" not in piece]
    assert place in ("kona", "hilo")
    assert len(guards) >= 3


def test_keeps_what_guards_the_forts() -> None:
    # An army with canoes lies off, too strong to be attacked: no fort may be left to whoever lands.
    state = GAME.position(
        turn="april",
        half="kamehameha",
        phase="movement",
        card="john_young",
        fleet_moves=2,
        units={
            "kamehameha": {
                "kona": ["kamehameha", "warrior_2", "warrior_2", "canoe"],
                "hilo": ["vancouver", "warrior_2", "canoe"],
            },
            "allied": {
                "waikiki": ["kalani", "thunderers", "brown", "pike", "musketeer", "oahu_warrior", "oahu_warrior"],
                "maui": ["maui_warrior", "maui_warrior", "maui_canoe"],
                "koolau": ["kaiana", "oahu_warrior", "oahu_canoe", "oahu_canoe"],
            },
        },
    )
    after = play_half(state, RuleOfThumbAgent(seed=1)).view().units["kamehameha"]
    for fort in ("kona", "hilo"):
        assert any("canoe" not in piece for piece in after[fort])


def landing(attackers: list[str], garrison: list[str], canoes: list[str]) -> State:
    return GAME.position(
        turn="may",
        half="allied",
        phase="launch",
        field="hilo",
        units={
            "kamehameha": {"hilo": garrison + canoes, "kona": ["kamehameha", "warrior_1"]},
            "allied": {
                "sea/hilo": [f"{name}/waikiki" for name in [*attackers, "oahu_canoe"]],
                "waikiki": ["kalani"],
                "maui": ["maui_warrior"],
            },
        },
    )


def test_launches_a_war_fleet_with_good_odds() -> None:
    state = landing(["oahu_warrior"], ["royal_guard", "warrior_2", "warrior_2", "warrior_2"], ["canoe", "canoe"])
    agent = RuleOfThumbAgent(seed=1)
    assert chosen(state, agent) == "launch"
    state.apply(state.game.parse_action(state, "launch"))
    while state.phase == "commit":
        state.apply(agent.act(state.for_search(), state.legal_actions(), None))
    assert any("canoe" in piece for piece in state.view().units["kamehameha"]["war"])
    assert any("canoe" not in piece for piece in state.view().units["kamehameha"]["war"])


def fight(phase: str, defenders: list[str], attackers: list[str], **battle: Any) -> State:
    """A battle for waikiki that Kamehameha attacks; somebody of the Allies' fires, and he is hit."""
    return GAME.position(
        turn="june",
        half="kamehameha",
        phase=phase,
        field="waikiki",
        units={
            "kamehameha": {"waikiki": [*attackers, "canoe"], "kona": ["kamehameha"], "hilo": ["warrior_2"]},
            "allied": {"waikiki": defenders, "maui": ["kalani"]},
        },
        battle={"kind": "invasion", "advantage": "allied", **battle},
    )


def test_keeps_the_elite_when_it_chooses_losses() -> None:
    hit = {"firing": "allied", "turn_side": "kamehameha", "firer": "oahu_warrior/fired", "dice": 1}
    state = fight(
        "loss", ["oahu_warrior/fired", "thunderers"], ["royal_guard", "john_young", "warrior_1", "warrior_2"], **hit
    )
    assert chosen(state) == "lose warrior_1"
    state = fight("loss", ["oahu_warrior/fired", "thunderers"], ["royal_guard", "john_young"], **hit)
    assert chosen(state) == "lose royal_guard"


def test_a_panicked_unit_is_given_up_for_the_others_fire() -> None:
    hit = {"firing": "allied", "turn_side": "kamehameha", "firer": "oahu_warrior/fired", "dice": 1}
    even = fight("panic", ["oahu_warrior/fired", "thunderers"], ["warrior_2/panicked", "warrior_2", "warrior_2"], **hit)
    assert chosen(even) == "panic warrior_2/panicked"
    won = fight("panic", ["oahu_warrior/fired"], ["royal_guard", "warrior_2/panicked", "warrior_2", "warrior_2"], **hit)
    assert chosen(won) == "panic warrior_2"


def test_the_strongest_fires_first() -> None:
    state = fight("fire", ["oahu_warrior", "thunderers"], ["royal_guard", "warrior_1"], advantage="kamehameha")
    assert chosen(state) == "fire royal_guard"


def test_recruits_go_where_they_are_needed() -> None:
    state = GAME.position(
        turn="may",
        half="kamehameha",
        phase="recruiting",
        card="royal_guard",
        recruits={"royal_guard": 1},
        units={
            "kamehameha": {
                "kona": ["warrior_2", "warrior_2", "warrior_2", "warrior_2"],
                "hilo": ["kamehameha", "canoe"],
            },
            "allied": {
                "waikiki": ["kalani", "thunderers", "oahu_warrior", "oahu_warrior", "oahu_canoe", "oahu_canoe"],
                "maui": ["maui_warrior"],
            },
        },
    )
    assert chosen(state) == "recruit royal_guard hilo"


# -- whole games


@pytest.mark.parametrize("scenario", ["long", "short"])
def test_every_move_is_legal(scenario: str) -> None:
    # agents.play raises where an action is not legal.
    assert len(match("thumb", "random", range(3), scenario)) == 6


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["long", "short"])
def test_every_move_is_legal_in_many_games(scenario: str) -> None:
    assert len(match("thumb", "random", range(1000, 1075), scenario)) == 150


@pytest.mark.parametrize("options", [{"sea_victor": "assault"}, {"final_check": True}])
def test_options_of_the_rules(options: dict[str, Any]) -> None:
    game = Game("short", **options)
    for seed in range(2):
        assert hawaii_env.play(game, [RuleOfThumbAgent(seed=1), RuleOfThumbAgent(seed=2)], seed=seed).is_terminal


def test_goes_on_from_the_middle_of_a_fleet_move() -> None:
    seen: set[str] = set()
    for seed in range(6):
        state = GAME.initial_state(seed=seed)
        random = agents.RandomAgent(seed=seed)
        while not state.is_terminal and state.decisions < 60:
            if state.phase in ("pickup", "cargo", "sail", "commit", "retreat", "withdrawal"):
                seen.add(state.phase)
                assert chosen(state) in texts(state)
            state.apply(random.act(state.for_search(), state.legal_actions()))
    assert seen >= {"pickup", "cargo", "sail"}
