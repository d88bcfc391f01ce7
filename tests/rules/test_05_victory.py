"""How the game is won [5.0 to 5.3]."""

from __future__ import annotations

from typing import Any

import pytest
from refusals import refuses

from hawaii_env import make_batch
from hawaii_env.errors import GameOverError
from hawaii_env.game import Outcome

from .helpers import (
    ENEMY,
    FINAL,
    HIT,
    PANIC,
    REST,
    SHORT,
    A,
    K,
    advantage,
    battle,
    do,
    end_of_half,
    ended,
    fire,
    fleet,
    fought,
    launch,
    moving,
    pieces,
    variant,
)

FORTS = {"kona": ["kamehameha", "warrior_1"], "hilo": ["warrior_1"]}
COLOURED = ("maui", "molokai", "waikiki", "koolau", "kauai")
BLUE = COLOURED[:4]


def kamehamehas(*spaces: str) -> dict[str, list[str]]:
    """His forts and some of the other spaces, a warrior in each."""
    return {**FORTS, **{space: ["warrior_2"] for space in spaces}}


def after_the_allied_half(
    ours: dict[str, list[str]], theirs: dict[str, list[str]], **fields: Any
) -> tuple[str | None, str]:
    """What the Allies' half, in which they do not move, leads to: the winner and the section, or (None, "")."""
    return ended(end_of_half(moving(A, theirs, ours, **{"kauai": K, **fields})))


@pytest.mark.parametrize("missing", COLOURED)
def test_5_1_kamehameha_wins_at_the_start_of_a_turn(missing: str) -> None:
    """[5.1] Both forts and any four of the five blue and yellow spaces."""
    spaces = [s for s in COLOURED if s != missing]
    assert after_the_allied_half(kamehamehas(*spaces), {missing: ["brown"]}) == (K, "5.1")


def test_5_1_kamehameha_wins_with_all_five() -> None:
    """[5.1] Four are enough, five are no less."""
    assert after_the_allied_half(kamehamehas(*COLOURED), {}) == (K, "5.1")


@pytest.mark.parametrize("missing", BLUE)
def test_5_1_three_spaces_are_not_enough(missing: str) -> None:
    """[5.1] With three of the five he has not won."""
    spaces = [s for s in BLUE if s != missing]
    assert after_the_allied_half(kamehamehas(*spaces), {missing: ["pike"], "kauai": ["brown"]}) == (None, "")


@pytest.mark.parametrize("fort", ["kona", "hilo"])
@pytest.mark.parametrize("held", [True, False], ids=["by the enemy", "by nobody"])
def test_5_1_kamehameha_needs_both_forts(fort: str, held: bool) -> None:
    """[5.1] Without one of the forts he has not won, whether an enemy or nobody is there."""
    ours = {s: p for s, p in kamehamehas(*COLOURED).items() if s != fort}
    assert after_the_allied_half(ours, {fort: ["brown"]} if held else {}) == (None, "")


def test_5_1_kamehameha_is_not_checked_in_the_middle_of_a_turn() -> None:
    """[5.1] A position won in his own half waits for the next turn, so that the Allies have a half to undo it."""
    ours = kamehamehas("maui", "molokai", "waikiki", "koolau")
    state = do(moving(K, ours, {"kauai": ["kalani", "pike", "kauai_canoe"]}), "done")
    assert (state.phase, state.view().half) == ("card", A)
    state = moving(A, {"kauai": ["kalani", "brown", "kauai_canoe"]}, ours, fleets=2)
    do(state, "fleet kauai", "embark brown", "done", "sail koolau")
    advantage(state, A)
    do(state, HIT)
    assert pieces(state, A, "koolau") == ["brown", "kauai_canoe"] and not pieces(state, K, "koolau")
    assert (state.is_terminal, state.phase, state.view().turn) == (False, "card", "july")


@pytest.mark.parametrize("fort", ["kona", "hilo"])
@pytest.mark.parametrize("pair", [(a, b) for i, a in enumerate(BLUE) for b in BLUE[i + 1 :]], ids="-".join)
def test_5_1_allies_win_at_the_start_of_their_half(fort: str, pair: tuple[str, str]) -> None:
    """[5.1] Two of the blue spaces and one fort on Hawai'i."""
    other = "hilo" if fort == "kona" else "kona"
    theirs = {fort: ["brown"], pair[0]: ["kalani"], pair[1]: ["pike"]}
    assert ended(end_of_half(moving(K, {other: ["kamehameha", "pike"]}, theirs))) == (A, "5.1")


@pytest.mark.parametrize(
    "theirs",
    [
        {"kona": ["brown"], "maui": ["kalani"]},
        {"kona": ["brown"], "maui": ["kalani"], "kauai": ["kauai_warrior"]},
        {"maui": ["brown"], "molokai": ["kalani"], "waikiki": ["pike"], "koolau": ["thunderers"]},
        {"kona": ["brown"]},
    ],
    ids=["one blue", "yellow is not blue", "no fort", "fort alone"],
)
def test_5_1_allies_need_two_blue_spaces_and_a_fort(theirs: dict[str, list[str]]) -> None:
    """[5.1] One blue space, or none of the forts, is too little; Kaua'i is not blue."""
    assert ended(end_of_half(moving(K, {"hilo": ["kamehameha", "pike"]}, theirs))) == (None, "")


def test_5_1_allies_are_not_checked_at_the_start_of_a_turn() -> None:
    """[5.1] What the Allies have reached in their half, Kamehameha has a half to undo."""
    ours = {"kona": ["musketeer"], "maui": ["kalani"], "waikiki": ["pike"]}
    state = end_of_half(moving(A, ours, {"hilo": ["kamehameha", "royal_guard"]}))
    assert (state.phase, state.view().half, state.view().turn) == ("card", K, "july")
    state = do(moving(K, {"hilo": ["kamehameha", "royal_guard"]}, ours), "march royal_guard hilo kona", "done")
    do(advantage(state, K), REST)
    fire(state, "royal_guard", HIT)
    assert (state.is_terminal, state.phase, state.view().half) == (False, "card", A)


@pytest.mark.parametrize(("half", "space", "leader"), [(K, "maui", "kamehameha"), (A, "hilo", "kamehameha")])
def test_5_2_kamehamehas_death_ends_the_game_at_once(half: str, space: str, leader: str) -> None:
    """[5.2] In the middle of a battle, attacking or defending, with dice and units still to come."""
    attackers, defenders = (["kamehameha", "pike"], ["brown", "kalani"])
    if half == A:
        attackers, defenders = defenders, attackers
    state = battle(space, attackers, defenders, half=half)
    advantage(state, A)
    fire(state, "brown", HIT, f"lose {leader}")
    assert fought(state)["dice"] > 0
    assert ended(state) == (A, "5.2") and state.returns() == [-1.0, 1.0]


@pytest.mark.parametrize("first", ["kalani", "kaiana"])
def test_5_2_both_chiefs_must_fall(first: str) -> None:
    """[5.2] The death of one chief ends nothing; that of the second does, at once and in either order."""
    state = battle("maui", ["vancouver", "pike"], ["kalani", "kaiana", "oahu_warrior"])
    advantage(state, K)
    fire(state, "vancouver", HIT, f"lose {first}")
    assert not state.is_terminal
    do(state, HIT, "lose kalani" if first == "kaiana" else "lose kaiana")
    assert ended(state) == (K, "5.2") and state.returns() == [1.0, -1.0]


@pytest.mark.parametrize("where", ["box", "maui"])
def test_5_2_kalani_alone_is_not_enough(where: str) -> None:
    """[5.2] While Kaiana lives, or has not entered, the Allies play on without Kalani."""
    theirs = {"maui": ["kaiana"]} if where == "maui" else {}
    state = battle("waikiki", ["vancouver", "pike"], ["kalani", "oahu_warrior"], theirs=theirs)
    advantage(state, K)
    fire(state, "vancouver", HIT, "lose kalani")
    assert not state.is_terminal and state.view().dead == ["allied:kalani"]


def test_5_2_at_sea() -> None:
    """[5.2] Sudden death in a sea battle."""
    state = fleet("maui", ["kamehameha/kona", "canoe/kona"], ["brown", "maui_canoe"], ours={"kona": ["pike"]})
    do(state, 1, "launch")
    fire(advantage(state, A), "brown", HIT)
    assert ended(state) == (A, "5.2")


def test_5_2_eliminated_for_want_of_a_refuge() -> None:
    """[5.2] A leader who cannot retreat is eliminated, and the game ends by that, too."""
    state = battle("maui", ["pike", "warrior_1", "canoe"], ["kaiana"], theirs={}, dead=["allied:kalani"])
    fire(advantage(state, K), "pike", HIT)
    assert ended(state) == (K, "5.2")


PANICKY = variant(pieces={"allied.kaiana.elite": False, "kamehameha.kamehameha.elite": False})


@pytest.mark.parametrize("half", [K, A])
def test_5_2_sudden_death_wherever_a_force_is_lost(half: str) -> None:
    """[5.2] The last leader may die of a lost battle, on either side: beaten ashore, overland, on the cliff or at
    sea.
    """
    last, enemy, dead = ("kamehameha", "brown", []) if half == K else ("kaiana", "vancouver", ["allied:kalani"])
    fields = {"half": half, "game": PANICKY, "dead": dead}
    canoe, theirs = ("canoe", "maui_canoe") if half == K else ("oahu_canoe", "canoe")
    for attackers, elsewhere in (([last], {}), ([last, canoe], {}), ([f"{last}/waikiki"], {"waikiki": ["musketeer"]})):
        state = battle("koolau", attackers, [enemy], theirs=elsewhere, **fields)
        fire(advantage(state, ENEMY[half]), enemy, PANIC, REST)
        assert ended(state) == (ENEMY[half], "5.2") and state.phase == "over"
    state = fleet("koolau", [f"{last}/maui", f"{canoe}/maui"], [enemy, theirs], **fields)
    launch(do(state, 1), f"{enemy} koolau")
    fire(advantage(state, ENEMY[half]), enemy, PANIC, REST)
    assert ended(state) == (ENEMY[half], "5.2") and state.phase == "over"
    state = battle("koolau", [enemy], [last], half=ENEMY[half], game=PANICKY, dead=dead)
    for _ in range(2):
        fire(advantage(state, ENEMY[half]), enemy, PANIC, REST)
    assert ended(state) == (ENEMY[half], "5.2") and state.phase == "over"


def test_5_3_a_tie_after_november() -> None:
    """[5.3] Nobody has won by the end of November: a tie, nothing for either side."""
    state = end_of_half(moving(A, {"waikiki": ["kalani"]}, FORTS, turn="november"))
    assert ended(state) == ("tie", "5.3") and state.returns() == [0.0, 0.0]
    state = end_of_half(moving(A, {"waikiki": ["kalani"]}, FORTS, turn="november", game=SHORT))
    assert ended(state) == ("tie", "5.3")


@pytest.mark.parametrize("half", [K, A])
def test_5_3_not_before_the_end_of_november(half: str) -> None:
    """[5.3] October goes on to November, and November has both its halves."""
    turn = "october" if half == A else "november"
    ours = FORTS if half == K else {"waikiki": ["kalani"]}
    state = end_of_half(moving(half, ours, {"waikiki": ["kalani"]} if half == K else FORTS, turn=turn))
    assert not state.is_terminal and state.view().turn == "november"


def test_5_3_occupation_is_not_checked_after_november() -> None:
    """[5.3] There is no twelfth turn at whose start Kamehameha could win; option final_check looks all the same."""
    ours = kamehamehas("maui", "molokai", "waikiki", "koolau")
    assert after_the_allied_half(ours, {"kauai": ["brown"]}, turn="november") == ("tie", "5.3")
    assert after_the_allied_half(ours, {"kauai": ["brown"]}, turn="november", game=FINAL) == (K, "5.1")


def test_5_3_the_allies_last_half_counts_for_nothing() -> None:
    """[5.3] Two blue spaces and a fort at the end of November: a tie, with final_check too."""
    theirs = {"kona": ["brown"], "maui": ["kalani"], "waikiki": ["pike"]}
    for game in (FINAL, SHORT):
        state = end_of_half(moving(A, theirs, {"hilo": ["kamehameha"]}, turn="november", game=game))
        assert ended(state) == ("tie", "5.3")


@pytest.mark.parametrize("month", ["january", "may"])
def test_5_3_a_campaign_that_ends_in_another_month(month: str) -> None:
    """[5.3] Months are data: the reason names the one that ended, wherever it is told."""
    months = {"scenarios.long.last_month": month}
    if month == "january":
        months |= {"scenarios.long.shuffle": "january", "scenarios.long.fixed_cards": {}}
    game, final = variant(scenarios=months), variant(scenarios=months, final_check=True)
    state = end_of_half(moving(A, {"waikiki": ["kalani"]}, FORTS, turn=month, game=game))
    reason = f"{month.capitalize()} ended [5.3]"
    assert state.view().reason == reason and state.outcome() == Outcome.won_by(None, 2, reason)
    assert repr(state) == f"<hawaii1795: over, {reason}>"
    assert game.state_from_json(state.to_json()) == game.position(**state.view().to_dict()) == state
    refuses(GameOverError, (reason[:10], lambda: state.apply(0)))
    ours = kamehamehas("maui", "molokai", "waikiki", "koolau")
    state = end_of_half(moving(A, {"kauai": ["brown"]}, ours, kauai=A, turn=month, game=final))
    assert state.view().reason == f"occupation victory after {month.capitalize()} [5.1, R-08]"


def test_5_3_the_batch_names_the_month() -> None:
    """[5.3] BatchBackend of campaigns that end in different months."""
    games = [variant(scenarios={"scenarios.long.last_month": month}) for month in ("may", "june")]
    batch = make_batch([*games, SHORT], 3)
    batch.reset(seed=1)
    found: dict[int, set[str]] = {0: set(), 1: set(), 2: set()}
    while any(
        not {"May ended [5.3]", "June ended [5.3]", "November ended [5.3]"} & reasons for reasons in found.values()
    ):
        batch.step(batch.sample_actions())
        for lane in range(3):
            found[lane].add(batch.reason(lane))
    ended = [{reason for reason in found[lane] if "ended" in reason} for lane in range(3)]
    assert ended == [{"May ended [5.3]"}, {"June ended [5.3]"}, {"November ended [5.3]"}]


def test_5_3_occupation_in_time_is_no_tie() -> None:
    """[5.3] Kamehameha's condition at the start of November still wins."""
    ours = kamehamehas("maui", "molokai", "waikiki", "koolau")
    assert after_the_allied_half(ours, {"kauai": ["brown"]}, turn="october") == (K, "5.1")
