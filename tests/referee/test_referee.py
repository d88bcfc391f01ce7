"""[5.0-14.0] The referee alone: games end, pieces are never lost, and positions worked out by hand."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from refusals import refuses

from . import Referee, data

K, A = "kamehameha", "allied"


def start(**given: Any) -> Referee:
    """[6.0] A referee in a position of the test's own; `sea_victor` and `final_check` are options of the game."""
    options = {name: given.pop(name) for name in ("sea_victor", "final_check", "scenario") if name in given}
    return Referee(start=given, **options)


def tell(referee: Referee, *answers: str | int) -> Referee:
    """[7.2] Give several answers in a row; texts that the referee has just taken by itself are passed over."""
    for answer in answers:
        taken = isinstance(answer, str) and answer not in referee.options() and answer in referee.forced
        if not taken:
            referee.answer(answer)
    return referee


def where(referee: Referee, place: str) -> list[str]:
    """[4.0] What lies in a place."""
    return referee.position()["pieces"].get(place, [])


def random_game(seed: int, **options: Any) -> Referee:
    """[7.2] Play anything legal to the end, checking what must always hold."""
    rng = random.Random(seed)
    referee = Referee(**options)
    asked = 0
    while referee.decider is not None:
        asked += 1
        assert asked < 5000
        choices: list[Any] = referee.outcomes() if referee.decider == "chance" else referee.options()
        assert len(choices) >= 2 and choices == sorted(set(choices))
        position = referee.position()
        assert sum(map(len, position["pieces"].values())) == 39
        if referee.phase == "card":
            check_quiet(position)
        referee.answer(rng.choice(choices))
    assert referee.over in (K, A, "tie") and referee.reason and referee.phase == "over"
    return referee


def check_quiet(position: dict[str, Any]) -> None:
    """[10.3] Between two halves no marks are left and no space holds units of both sides."""
    for place, texts in position["pieces"].items():
        assert not any("/" in text for text in texts)
        assert place in data.SPACES or place in ("box/" + K, "box/" + A, "dead")
        if place in data.SPACES:
            assert len({text[0] for text in texts if not text.endswith("canoe")}) <= 1


@pytest.mark.parametrize("scenario", ["long", "short"])
@pytest.mark.parametrize("sea_victor", ["repulsed", "assault"])
def test_random_games_end(scenario: str, sea_victor: str) -> None:
    """[5.0] Fifteen games a kind, every one of them over within its months."""
    ends = Counter(
        random_game(seed, scenario=scenario, sea_victor=sea_victor, final_check=seed % 2 == 0).over
        for seed in range(15)
    )
    assert len(ends) >= 2


def test_copy_is_independent() -> None:
    """[7.0] A copy has the same position, and goes its own way."""
    rng = random.Random(5)
    referee = Referee()
    for _ in range(60):
        referee.answer(rng.choice(referee.options() or referee.outcomes()))
    twin = referee.copy()
    before = referee.position()
    assert twin.position() == before and twin.options() == referee.options() and twin.forced == referee.forced
    twin.answer((twin.options() or twin.outcomes())[0])
    assert referee.position() == before


def test_piece_count() -> None:
    """[1.0] 19 + 17 + 3, the earthworks being the fortieth."""
    counts = Counter(kind.side for kind in data.KINDS for _ in kind.start)
    assert counts == {K: 19, A: 17, "kauai": 3}


def test_illegal_answers_are_refused() -> None:
    """[7.2] Neither unknown texts nor impossible dice."""
    refuses(ValueError, ("not possible", lambda: Referee().answer("done")))


def test_long_game_setup_and_first_card() -> None:
    """[6.0, 6.1] R-06: the Allied pieces first; January's card is no draw."""
    referee = Referee()
    assert (referee.decider, referee.phase) == (A, "setup")
    assert referee.options() == ["place kalani koolau", "place kalani waikiki"]
    tell(referee, "place kalani koolau", "place oahu_warrior waikiki", "place oahu_warrior waikiki")
    assert referee.options() == ["place canoe koolau", "place canoe waikiki"]
    tell(referee, "place canoe koolau", "place canoe waikiki")
    assert referee.phase == "recruiting"
    kinds = ("vancouver", "warrior_1", "warrior_2")
    assert referee.options() == [f"recruit {kind} {space}" for kind in kinds for space in ("hilo", "kona")]
    assert referee.position()["decks"] == {K: list(range(1, 10)), A: list(range(1, 10))}


def test_short_game_setup() -> None:
    """[6.2] Kamehameha's extra pieces first; no warriors of Kaiana; March draws a card."""
    referee = Referee(scenario="short")
    assert referee.options() == ["place vancouver hilo", "place vancouver kona"]
    tell(referee, "place vancouver hilo", "place pike kona")
    assert "place warrior_1 hilo" in referee.options() and len(referee.options()) == 4
    tell(referee, "place warrior_1 hilo", "place warrior_2 kona", "place kalani koolau", "place brown koolau")
    tell(referee, "place pike koolau", "place oahu_warrior koolau", "place oahu_warrior koolau")
    tell(referee, "place canoe koolau", "place canoe koolau")
    assert referee.options() == [
        f"place {kind} {space}" for kind in ("maui_warrior", "oahu_warrior") for space in ("koolau", "waikiki")
    ]
    tell(referee, "place maui_warrior waikiki", "place oahu_warrior waikiki")
    assert referee.phase == "card" and referee.outcomes() == list(range(1, 10))
    assert sum(referee.chances().values()) == 1
    tell(referee, 1)
    assert not any("vancouver" in text for text in referee.options())


def test_second_time_no_cannon() -> None:
    """[6.1] R-27: card 1 drawn in June brings a warrior only, wherever the cannon is."""
    referee = start(step="card", pieces={"kona": ["K:kamehameha"]})
    tell(referee, 1)
    assert set(referee.options()) == {f"recruit warrior_{n} {s}" for n in (1, 2) for s in ("kona", "hilo")}


@pytest.mark.parametrize(
    ("spaces", "winner"),
    [
        (("kona", "hilo", "maui", "molokai", "waikiki", "koolau"), K),
        (("kona", "hilo", "maui", "molokai", "waikiki"), None),
        (("kona", "maui", "molokai", "waikiki", "koolau"), None),
    ],
)
def test_kamehameha_occupies(spaces: tuple[str, ...], winner: str | None) -> None:
    """[5.1] Both forts and four of the five others; canoes do not count."""
    pieces = {space: ["K:warrior_2" if i < 6 else "K:warrior_1"] for i, space in enumerate(spaces)}
    pieces["kona"].append("K:kamehameha")
    if winner is None:
        pieces.setdefault("koolau", []).append("K:canoe")
    assert start(step="victory", pieces=pieces).over == winner


def test_allies_occupy() -> None:
    """[5.1] Two blue spaces and one fort, on their own half only."""
    pieces = {"kona": ["K:kamehameha"], "hilo": ["A:pike"], "maui": ["A:maui_warrior"], "koolau": ["A:kalani"]}
    assert start(step="victory", half=A, pieces=pieces).over == A
    assert start(step="victory", half=K, pieces=pieces).over is None
    pieces["hilo"] = ["A:maui_canoe"]
    assert start(step="victory", half=A, pieces=pieces).over is None


def test_november_ends_in_a_tie_unless_checked_again() -> None:
    """[5.3] R-08."""
    pieces = {space: ["K:warrior_2"] for space in ("kona", "hilo", "maui", "molokai", "waikiki", "koolau")}
    pieces["kona"] = ["K:kamehameha"]
    assert start(turn="november", half=A, pieces=pieces).over == "tie"
    assert start(turn="november", half=A, pieces=pieces, final_check=True).over == K


def test_fort_ignores_panic_and_attacker_walks_back() -> None:
    """[11.3, 11.6, 13.0] R-19, R-24: two rounds at Hilo; the Allied attacker marches in from Kona."""
    referee = start(
        half=A,
        kauai=K,
        pieces={
            "kona": ["A:oahu_warrior"],
            "hilo": ["K:warrior_2"],
            "maui": ["K:kamehameha"],
            "molokai": ["A:kalani"],
        },
    )
    tell(referee, "march oahu_warrior kona hilo")
    assert referee.phase == "advantage" and referee.forced == ["done", "battle hilo"]
    assert where(referee, "hilo") == ["A:oahu_warrior/kona", "K:warrior_2"]
    tell(referee, 3, 3, 1, 6)  # a tie is rolled again; then the Allies are ahead
    assert referee.phase == "hit_die" and where(referee, "hilo") == ["A:oahu_warrior/fired/kona", "K:warrior_2"]
    tell(referee, 5, 4)  # the fort ignores both
    tell(referee, 1, 2)  # the defender misses
    assert referee.phase == "advantage"
    tell(referee, 6, 1, 4)  # Kamehameha's warrior panics its opponent
    assert where(referee, "hilo") == ["A:oahu_warrior/panicked/kona", "K:warrior_2/fired"]
    tell(referee, 1)
    assert where(referee, "kona") == ["A:oahu_warrior"] and where(referee, "hilo") == ["K:warrior_2"]
    assert referee.forced == ["retreat kona"]


def test_second_panic_eliminates_and_round_stops() -> None:
    """[11.3] R-22: panic on a panicked unit; then nobody is left and no die more is rolled."""
    referee = start(
        half=K,
        fleet_moves=1,
        pieces={
            "kona": ["K:kamehameha", "K:canoe"],
            "maui": ["A:maui_warrior"],
            "koolau": ["A:kalani"],
        },
    )
    tell(referee, "fleet kona", "pickup kona", "embark kamehameha", "done", "sail maui", "done")
    assert referee.phase == "advantage"
    tell(referee, 6, 1, 3, 4)
    assert where(referee, "maui") == ["K:canoe", "K:kamehameha"]
    assert "A:maui_warrior" in where(referee, "box/allied")


def test_pike_cancels_first_panic_of_a_round() -> None:
    """[14.1] R-21: the first panic is lost, the second one counts; the next round starts afresh."""
    referee = start(
        half=A,
        pieces={
            "waikiki": ["A:brown"],
            "koolau": ["K:pike", "K:warrior_2"],
            "kona": ["K:kamehameha"],
            "maui": ["A:kalani"],
        },
    )
    tell(referee, "march brown waikiki koolau", 1, 6, 4)
    assert referee.phase == "hit_die"
    tell(referee, 4)
    assert referee.phase == "panic" and referee.options() == ["panic pike", "panic warrior_2"]
    tell(referee, "panic pike", 5)
    assert referee.options() == ["panic pike", "panic warrior_2"]  # the pike is panicked, and the only one
    tell(referee, "panic pike")
    assert "K:pike" in where(referee, "box/kamehameha") and "K:warrior_2/fired" in where(referee, "koolau")


def test_lone_condition_is_plain() -> None:
    """[7.2] Marks are written only beside another condition of the same kind."""
    referee = start(
        half=A,
        pieces={
            "waikiki": ["A:brown"],
            "koolau": ["K:warrior_2", "K:warrior_2"],
            "kona": ["K:kamehameha"],
            "maui": ["A:kalani"],
        },
    )
    tell(referee, "march brown waikiki koolau", 1, 6, 4)
    assert where(referee, "koolau") == ["A:brown/fired/waikiki", "K:warrior_2", "K:warrior_2/panicked"]
    tell(referee, 4)
    assert referee.options() == ["panic warrior_2", "panic warrior_2/panicked"]


def test_gunpowder_first_and_one_die_more() -> None:
    """[14.2] The defender's musketeer fires before the attacker's warriors; card 3 adds a die at sea and ashore."""
    referee = start(
        step="card",
        half=K,
        decks={K: [3, 5], A: [1]},
        pieces={
            "waikiki": ["K:musketeer", "K:warrior_2", "K:vancouver"],
            "koolau": ["A:musketeer", "A:oahu_warrior"],
            "kona": ["K:kamehameha", "K:john_young"],
            "maui": ["A:kalani"],
        },
    )
    tell(referee, 3)
    for kind in ("musketeer", "vancouver", "warrior_2"):
        tell(referee, f"march {kind} waikiki koolau")
    tell(referee, "done", 6, 1)
    assert referee.options() == ["fire musketeer", "fire vancouver"]
    tell(referee, "fire musketeer", 1, 1, 1)  # three dice
    tell(referee, 1, 1, 1, 1)  # four for the cannon, the only one left
    assert where(referee, "koolau")[0] == "A:musketeer/fired"  # forced, and before the warriors
    tell(referee, 1, 1)
    assert "K:warrior_2/fired/waikiki" in where(referee, "koolau")


def test_elimination_takes_unpanicked_first() -> None:
    """[11.3] A panicked warrior is no choice while another one stands."""
    referee = start(
        half=A,
        pieces={
            "waikiki": ["A:brown"],
            "koolau": ["K:warrior_2", "K:warrior_1"],
            "kona": ["K:kamehameha"],
            "maui": ["A:kalani"],
        },
    )
    tell(referee, "march brown waikiki koolau", 1, 6, 4, "panic warrior_2", 6)
    assert where(referee, "koolau") == ["A:brown/fired/waikiki", "K:warrior_2/panicked"]
    assert referee.forced[0] == "lose warrior_1"


def test_second_battle_then_defenders_leave_the_island() -> None:
    """[11.4, 11.6] R-19: overland, twice beaten, with a canoe and a refuge off O'ahu."""
    referee = start(
        half=K,
        pieces={
            "waikiki": ["K:royal_guard"],
            "koolau": ["A:oahu_warrior", "A:oahu_canoe"],
            "kona": ["K:kamehameha"],
            "maui": ["A:kalani"],
            "molokai": ["A:maui_warrior"],
        },
    )
    tell(referee, "march royal_guard waikiki koolau", "done", 6, 1, 3, 1, 1)
    assert referee.phase == "advantage"
    assert where(referee, "koolau") == ["A:oahu_canoe", "A:oahu_warrior", "K:royal_guard/waikiki"]
    tell(referee, 6, 1, 3, 1, 1)
    assert (referee.decider, referee.phase) == (A, "retreat")
    assert referee.options() == ["retreat maui", "retreat molokai"]
    tell(referee, "retreat maui")
    assert where(referee, "maui") == ["A:kalani", "A:oahu_canoe", "A:oahu_warrior"]


def test_second_battle_of_an_invasion_is_the_end() -> None:
    """[11.4] Panicked defenders on the cliff are lost; their canoe leaves by R-25."""
    referee = start(
        half=K,
        fleet_moves=1,
        no_sighting=True,
        pieces={
            "kona": ["K:kamehameha", "K:royal_guard", "K:canoe"],
            "koolau": ["A:oahu_warrior", "A:oahu_canoe"],
            "maui": ["A:kalani"],
            "molokai": ["A:maui_warrior"],
        },
    )
    tell(referee, "fleet kona", "embark royal_guard", "done", "sail koolau", "done", 6, 1, 3, 1, 1, 6, 1, 3, 1, 1)
    assert (referee.decider, referee.phase) == (A, "withdrawal")
    assert referee.options() == ["retreat maui", "retreat molokai"]
    assert "A:oahu_warrior" in where(referee, "box/allied")


def test_beaten_invaders_choose_a_refuge_and_marchers_may_walk() -> None:
    """[11.5] R-24: those who came by canoe with the canoes, the marchers with them or back."""
    referee = start(
        half=K,
        fleet_moves=1,
        no_sighting=True,
        pieces={
            "kona": ["K:kamehameha", "K:warrior_1", "K:canoe"],
            "hilo": ["K:pike"],
            "waikiki": ["K:warrior_1"],
            "koolau": ["A:kalani"],
        },
    )
    tell(referee, "fleet kona", "pickup kona", "embark warrior_1", "done", "sail koolau")
    tell(referee, "march warrior_1 waikiki koolau", "done")
    assert referee.phase == "advantage"
    assert where(referee, "koolau") == ["A:kalani", "K:canoe", "K:warrior_1", "K:warrior_1/waikiki"]
    tell(referee, 1, 6, 3)
    assert referee.options() == ["panic warrior_1", "panic warrior_1/waikiki"]
    tell(referee, "panic warrior_1", 4)
    assert referee.options() == ["panic warrior_1", "panic warrior_1/panicked"]
    tell(referee, "panic warrior_1")
    assert (referee.decider, referee.options()) == (K, ["retreat hilo", "retreat kona"])
    tell(referee, "retreat hilo")
    assert referee.options() == ["retreat hilo", "retreat waikiki"]
    tell(referee, "retreat waikiki")
    assert where(referee, "waikiki") == ["K:warrior_1"] and "K:warrior_1" in where(referee, "hilo")


def at_sea(**options: Any) -> Referee:
    """[11.7] Three canoes of Kamehameha's bound for Waikiki, with a garrison there and a unit in Ko'olau."""
    referee = start(
        half=K,
        fleet_moves=3,
        pieces={
            "kona": ["K:kamehameha", "K:warrior_2", "K:warrior_2", "K:warrior_1", "K:canoe", "K:canoe", "K:canoe"],
            "waikiki": ["A:oahu_warrior", "A:oahu_canoe", "A:maui_canoe"],
            "koolau": ["A:musketeer"],
            "maui": ["A:kalani"],
        },
        **options,
    )
    for kind in ("warrior_2", "warrior_2", "warrior_1"):
        tell(referee, "fleet kona", f"embark {kind}", "done", "sail waikiki")
    return tell(referee, "done")


def test_war_fleet_and_half_the_canoes() -> None:
    """[11.7, 11.8] R-17: sighted, launched from both spaces; the attacker loses one canoe in three."""
    referee = at_sea()
    assert referee.phase == "sighting"
    assert where(referee, "sea/waikiki") == sorted(
        ["K:canoe/kona"] * 3 + ["K:warrior_2/kona"] * 2 + ["K:warrior_1/kona"]
    )
    tell(referee, 3)
    assert (referee.decider, referee.options()) == (A, ["launch", "pass"])
    tell(referee, "launch")
    assert referee.options() == ["commit maui_canoe waikiki", "commit oahu_canoe waikiki"]
    tell(referee, "commit maui_canoe waikiki")
    assert referee.options() == ["commit canoe waikiki", "commit musketeer koolau", "commit oahu_warrior waikiki"]
    tell(referee, "commit musketeer koolau", "commit oahu_warrior waikiki")
    assert referee.options() == ["commit canoe waikiki", "done"]
    tell(referee, "done")
    assert where(referee, "war") == ["A:maui_canoe/waikiki", "A:musketeer/koolau", "A:oahu_warrior/waikiki"]
    assert where(referee, "waikiki") == ["A:oahu_canoe"] and not where(referee, "koolau")


@pytest.mark.parametrize("sea_victor", ["repulsed", "assault"])
def test_sea_victor(sea_victor: str) -> None:
    """[11.8] R-18: a garrison keeps the victor off, or is fought on landing."""
    referee = at_sea(sea_victor=sea_victor)
    tell(referee, 1, "launch", "commit oahu_canoe waikiki", "commit musketeer koolau", "done")
    tell(referee, 6, 1, 1, 1)  # the musketeer fires first although Kamehameha has the advantage
    tell(referee, "fire warrior_2", 6)
    if sea_victor == "repulsed":
        assert where(referee, "kona").count("K:canoe") == 3 and not where(referee, "sea/waikiki")
        assert where(referee, "waikiki") == ["A:maui_canoe", "A:oahu_warrior"]
    else:
        assert referee.phase == "advantage"
        assert where(referee, "waikiki") == [
            "A:maui_canoe",
            "A:oahu_warrior",
            "K:canoe",
            "K:canoe",
            "K:canoe",
            "K:warrior_1",
            "K:warrior_2",
            "K:warrior_2",
        ]
    assert "A:oahu_canoe" in where(referee, "maui") + where(referee, "koolau")  # one canoe: half of it is one


def test_defender_wins_at_sea() -> None:
    """[11.8] The victors go home; the loser keeps two canoes of three and his panicked warriors."""
    referee = at_sea()
    tell(referee, 1, "launch", "commit oahu_canoe waikiki", "commit musketeer koolau", "commit oahu_warrior waikiki")
    tell(referee, "done")
    tell(referee, 1, 6)
    tell(referee, 6, "lose warrior_1", 6)  # then two warriors face the alternate fire
    tell(referee, 1, 1)
    assert referee.phase == "hit_die"
    tell(referee, 4, "panic musketeer", 1)
    assert referee.phase == "advantage"
    tell(referee, 1, 6, 4, 1)
    assert where(referee, "kona") == ["K:canoe", "K:canoe", "K:kamehameha", "K:warrior_2"]
    assert where(referee, "box/kamehameha").count("K:canoe") == 2
    assert where(referee, "waikiki") == ["A:maui_canoe", "A:oahu_canoe", "A:oahu_warrior"]
    assert where(referee, "koolau") == ["A:musketeer"]


def test_neutral_kauai_joins_the_opponent() -> None:
    """[10.1] R-16: at once when the fleet sails; an empty canoe may not sail there."""
    pieces = {"kona": ["K:kamehameha", "K:warrior_2", "K:canoe"], "maui": ["A:kalani"]}
    referee = start(half=K, fleet_moves=2, pieces=pieces)
    tell(referee, "fleet kona", "done")
    assert referee.options() == ["sail hilo", "sail koolau", "sail molokai", "sail waikiki"]
    referee = start(half=K, fleet_moves=2, pieces=pieces)
    tell(referee, "fleet kona", "embark warrior_2", "done", "sail kauai", "done")
    assert referee.position()["kauai"] == A and referee.phase == "sighting"
    assert where(referee, "kauai") == ["A:kauai_canoe", "A:kauai_warrior", "A:kauai_warrior"]


def test_kauai_turns_among_enemies() -> None:
    """[8.2] R-23: no moves, an overland attack; beaten and without a canoe they are lost."""
    referee = start(
        step="card",
        half=K,
        kauai=A,
        decks={K: [6, 5], A: [1]},
        pieces={
            "maui": ["A:kauai_warrior", "A:kalani"],
            "molokai": ["A:kauai_canoe", "A:pike"],
            "kona": ["K:kamehameha"],
        },
    )
    tell(referee, 6)
    assert referee.phase == "event"
    tell(referee, 6)
    assert where(referee, "maui") == ["A:kalani", "K:kauai_warrior/turned"]
    assert where(referee, "molokai") == ["A:pike"] and where(referee, "kona") == ["K:kamehameha", "K:kauai_canoe"]
    tell(referee, "recruit warrior_1 hilo")
    assert "fleet kona" in referee.options() and "fleet maui" not in referee.options()
    tell(referee, "done", 1, 6, 3, 1)
    assert "K:kauai_warrior" in where(referee, "dead")


def test_kauai_canoe_that_turns_among_canoes_withdraws() -> None:
    """[10.3] R-15, R-23: at once, so that the two sides share no space when a move begins."""
    pieces = {
        "kona": ["K:kamehameha", "K:warrior_2"],
        "maui": ["A:maui_canoe", "A:kauai_canoe"],
        "waikiki": ["A:kalani"],
        "kauai": ["A:kauai_warrior", "A:kauai_warrior"],
    }
    referee = tell(start(step="card", half=K, kauai=A, decks={K: [6, 5], A: [1]}, pieces=pieces), 6, 6)
    assert (referee.phase, referee.decider) == ("withdrawal", K)
    assert referee.options() == ["retreat kauai", "retreat kona"]
    tell(referee, "retreat kona")
    assert where(referee, "maui") == ["A:maui_canoe"] and "K:kauai_canoe" in where(referee, "kona")
    assert referee.phase == "recruiting"


def test_appeal_that_changes_nothing_rolls_no_die() -> None:
    """[8.2] Kaua'i is with the player already."""
    referee = start(step="card", half=K, kauai=K, decks={K: [6, 5], A: [1]}, pieces={"kona": ["K:kamehameha"]})
    assert tell(referee, 6).phase == "recruiting"


def test_storm_needs_a_canoe() -> None:
    """[8.2] No canoe on the map, no die; with two kinds the text names them."""
    pieces = {"kona": ["K:kamehameha"], "maui": ["A:kalani"]}
    decks = {K: [1], A: [7, 8]}
    assert tell(start(step="card", half=A, decks=decks, pieces=pieces), 7).phase == "recruiting"
    pieces["maui"] = ["A:kalani", "A:maui_canoe", "A:oahu_canoe"]
    referee = tell(start(step="card", half=A, decks=decks, pieces=pieces), 7, 3)
    assert referee.options() == ["home maui_canoe maui", "home oahu_canoe maui"]


def test_kaiana_lands_among_enemies() -> None:
    """[9.0] R-10, R-15: his card allows it; canoes alone withdraw; no other recruit follows him there."""
    referee = start(
        step="card",
        half=A,
        decks={K: [1], A: [3, 4]},
        pieces={
            "kona": ["K:kamehameha"],
            "hilo": ["K:canoe"],
            "maui": ["A:kalani"],
        },
    )
    tell(referee, 3)
    spaces = ("hilo", "kona", "koolau", "maui", "waikiki")
    assert referee.options() == sorted(f"recruit {kind} {s}" for kind in ("kaiana", "kaiana_warriors") for s in spaces)
    tell(referee, "recruit kaiana hilo")
    assert where(referee, "hilo") == ["A:kaiana"] and "K:canoe" in where(referee, "kona")
    tell(referee, "recruit kaiana_warriors kona")
    assert "A:kaiana_warriors/turned" in where(referee, "kona")
    assert not any(text.startswith("march kaiana_warriors") for text in referee.options())
    tell(referee, "march kaiana hilo kona")
    assert referee.phase == "advantage" and "A:kaiana/hilo" in where(referee, "kona")


def test_held_events_have_their_windows() -> None:
    """[8.1] R-09: not in the half of the draw; one a half for each holder; no earthworks in a fort."""
    referee = start(
        step="window",
        half=K,
        fleet_moves=1,
        held=["ku_snatcher_of_islands", "muskets_for_land"],
        pieces={
            "kona": ["K:kamehameha", "K:warrior_2", "K:canoe"],
            "waikiki": ["A:oahu_warrior", "A:oahu_canoe"],
            "maui": ["A:kalani"],
        },
    )
    other = referee.copy()
    assert (referee.phase, referee.options()) == ("window", ["pass", "play ku_snatcher_of_islands"])
    moves = ("fleet kona", "embark warrior_2", "done", "sail waikiki", "done")
    tell(referee, "play ku_snatcher_of_islands", *moves)
    assert referee.phase == "advantage" and referee.position()["held"] == ["muskets_for_land"]
    tell(other, "pass", *moves)
    assert (other.decider, other.options()) == (A, ["pass", "play muskets_for_land"])
    assert tell(other, "play muskets_for_land").phase == "launch"


def test_hold_the_line() -> None:
    """[13.0] Before the first advantage roll of a space that is no fort; panics are then ignored."""
    referee = start(
        half=K,
        held=["hold_the_line"],
        pieces={
            "kona": ["K:kamehameha"],
            "waikiki": ["K:vancouver"],
            "koolau": ["A:oahu_warrior"],
            "maui": ["A:kalani"],
        },
    )
    tell(referee, "march vancouver waikiki koolau", "done")
    assert (referee.decider, referee.phase) == (A, "window")
    tell(referee, "play hold_the_line", 6, 1, 4, 5, 4)
    assert where(referee, "koolau") == ["A:oahu_warrior/fired", "K:vancouver/fired/waikiki"]
    assert referee.position()["held"] == []


def test_sudden_death() -> None:
    """[5.2] In the middle of a battle, dice and all; Kaiana in the box is not dead."""
    pieces = {
        "kona": ["K:kamehameha"],
        "waikiki": ["K:vancouver", "K:pike"],
        "koolau": ["A:kalani"],
        "maui": ["A:maui_warrior"],
        "dead": ["A:kaiana"],
    }
    referee = tell(start(half=K, pieces=pieces), "march vancouver waikiki koolau", "done", 6, 1, 6)
    assert (referee.over, referee.phase, referee.options()) == (K, "over", [])
    del pieces["dead"]
    referee = tell(start(half=K, pieces=pieces), "march vancouver waikiki koolau", "done", 6, 1, 6)
    assert referee.over is None and where(referee, "koolau") == ["K:vancouver"]


def test_landed_units_march_on_and_marked_texts() -> None:
    """[10.2, 10.3] R-28: carried to Kona, then on foot to Hilo; the one beside it has plain text."""
    referee = start(
        half=K,
        fleet_moves=1,
        pieces={
            "kona": ["K:kamehameha", "K:warrior_2"],
            "maui": ["K:warrior_2", "K:canoe"],
            "koolau": ["A:kalani"],
        },
    )
    tell(referee, "fleet maui", "pickup maui", "embark warrior_2", "sail kona")
    assert referee.options() == [
        "done",
        "march kamehameha kona hilo",
        "march warrior_2 kona hilo",
        "march warrior_2/carried kona hilo",
    ]
    tell(referee, "march warrior_2/carried kona hilo")
    assert where(referee, "hilo") == ["K:warrior_2/carried/marched"]
    assert "march warrior_2 kona hilo" in referee.options()


def test_fleets_of_two_kinds_and_empty_voyages() -> None:
    """[10.3] R-13: the canoe's kind is named when it matters; an empty one may not sail among enemy canoes."""
    referee = start(
        half=A,
        fleet_moves=1,
        kauai=A,
        pieces={
            "maui": ["A:maui_canoe", "A:oahu_canoe"],
            "kona": ["K:kamehameha", "K:canoe"],
            "molokai": ["K:canoe"],
            "hilo": ["K:pike"],
            "waikiki": ["A:kalani"],
            "koolau": ["A:pike"],
        },
    )
    assert {"fleet maui_canoe maui", "fleet oahu_canoe maui"} <= set(referee.options())
    tell(referee, "fleet maui_canoe maui")
    assert referee.options() == ["pickup kauai", "pickup koolau", "pickup maui", "pickup waikiki"]
    tell(referee, "pickup maui")
    assert referee.forced == ["done"]
    assert referee.options() == ["sail kauai", "sail koolau", "sail waikiki"]
