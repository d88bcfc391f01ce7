"""Every card by itself [8.0, 8.1, 8.2]: its recruits, its fleet moves, its event both ways of its die or its window."""

from __future__ import annotations

from typing import Any

import pytest

from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795.game import State

from .helpers import (
    GAME,
    HIT,
    PANIC,
    REST,
    SHIPPED,
    A,
    K,
    advantage,
    battle,
    box,
    choices,
    dice,
    do,
    drawn,
    end_of_half,
    ended,
    fire,
    firing,
    fleet,
    forced,
    fought,
    idle,
    marked,
    miss,
    pieces,
    texts,
    traced,
    variant,
)

KAUAI = ["kauai_warrior", "kauai_warrior", "kauai_canoe"]
KAMEHAMEHA = {"kona": ["kamehameha", "warrior_2", "canoe"], "hilo": ["pike"]}
ALLIES = {"waikiki": ["kalani", "oahu_warrior", "oahu_canoe"], "maui": ["maui_warrior", "maui_canoe"]}

# deck, number -> id, recruit line when drawn, fleet moves in reconstructed-1. The line of cards 1 and 2 as the fixed
# cards is in FIXED.
CARDS: dict[tuple[str, int], tuple[str, dict[str, int], int]] = {
    (K, 1): ("discoverys_guns", {"warrior": 1}, 2),
    (K, 2): ("long_pikes", {"warrior": 1}, 2),
    (K, 3): ("john_young", {"john_young": 1, "musketeer": 1}, 2),
    (K, 4): ("royal_guard", {"royal_guard": 1, "warrior": 1}, 3),
    (K, 5): ("peleleu_fleet", {"canoe": 1, "warrior": 2}, 4),
    (K, 6): ("appeal_to_kauai_k", {"warrior": 1}, 2),
    (K, 7): ("warriors_go_home_k", {"canoe": 1}, 2),
    (K, 8): ("kona_storm", {"warrior": 1}, 1),
    (K, 9): ("ku_snatcher_of_islands", {"warrior": 2}, 3),
    (A, 1): ("fair_americans_guns", {"warrior": 1}, 2),
    (A, 2): ("pikes_of_oahu", {"warrior": 1}, 2),
    (A, 3): ("kaiana_changes_sides", {"kaiana": 1, "kaiana_warriors": 1}, 2),
    (A, 4): ("thunderers", {"thunderers": 1, "warrior": 1}, 2),
    (A, 5): ("appeal_to_kauai_a", {"warrior": 1}, 2),
    (A, 6): ("hold_the_line", {"warrior": 1}, 2),
    (A, 7): ("storm_in_the_channels", {"warrior": 1}, 1),
    (A, 8): ("warriors_go_home_a", {"canoe": 1}, 2),
    (A, 9): ("muskets_for_land", {"allied_musketeer": 1, "canoe": 1}, 3),
}
FIXED = {(K, 1): "vancouver", (K, 2): "pike", (A, 1): "brown", (A, 2): "allied_pike"}


def card(half: str, number: int, *event: str | int, ours: dict[str, list[str]] | None = None,
         theirs: dict[str, list[str]] | None = None, **fields: object) -> State:  # fmt: skip
    """Draw a card in March and go through its event; its recruit line and its id must be those of the table above."""
    usual = (KAMEHAMEHA, ALLIES) if half == K else (ALLIES, KAMEHAMEHA)
    state = drawn(half, number, ours or usual[0], theirs if theirs is not None else usual[1], **fields)
    name, recruits, _ = CARDS[half, number]
    assert state.view().card == name
    do(state, *event)
    assert state.phase == "recruiting" and state.view().recruits == recruits and state.view().homes == 0
    return state


def recruited(state: State) -> State:
    """Let the recruits come; the movement phase has the card's fleet moves."""
    view = state.view()
    before = {side: len(pieces_) for side, pieces_ in view.box.items()}
    while state.phase == "recruiting":
        idle(state)
    assert state.phase in ("movement", "window")
    came = before[view.half] - len(state.view().box[view.half])
    assert came == sum(view.recruits.values())
    number = next(n for (side, n), (name, _, _) in CARDS.items() if (side, name) == (view.half, view.card))
    assert state.view().fleet_moves == CARDS[view.half, number][2]
    return state


def test_every_card_is_in_the_table() -> None:
    """[8.0] Eighteen cards, and these are they."""
    listed = [name for (side, number), (name, _, _) in sorted(CARDS.items(), key=lambda c: (c[0][0] == A, c[0][1]))]
    assert listed == list(GAME.ruleset.card_ids) == list(SHIPPED.ruleset.card_ids)


@pytest.mark.parametrize(("half", "number"), list(CARDS))
def test_every_card_of_the_shipped_ruleset(half: str, number: int) -> None:
    """[8.1, 9.0] As shipped now, a card brings the recruits that its line says, then as many fleet moves as it says."""
    ours, theirs = (KAMEHAMEHA, ALLIES) if half == K else (ALLIES, KAMEHAMEHA)
    state = drawn(half, number, ours, theirs, game=SHIPPED)
    shipped = SHIPPED.ruleset.card(half, number)
    assert state.view().card == CARDS[half, number][0]
    while state.current_player == CHANCE:
        do(state, 6)
    while state.phase == "home":
        idle(state)
    line = [count for kind, count in shipped.recruit.items() if kind not in shipped.recruit_once]
    assert state.phase == "recruiting" and sum(state.view().recruits.values()) == sum(line)
    while state.phase == "recruiting":
        idle(state)
    assert state.phase in ("movement", "window") and state.view().fleet_moves == shipped.fleets


@pytest.mark.parametrize("half", [K, A])
@pytest.mark.parametrize("number", [1, 2])
def test_fixed_cards_bring_cannon_and_pike(half: str, number: int) -> None:
    """[6.1] The fixed cards of January and February bring what they never bring again."""
    state = GAME.initial_state(chance="explicit")
    while state.view().card != CARDS[half, number][0]:
        idle(state)
    kind = FIXED[half, number]
    assert state.view().dealt and state.view().recruits == {kind: 1, "warrior": 1}
    leader = {K: "kona", A: "koolau"}[half]
    name = kind.removeprefix("allied_")
    do(state, f"recruit {name} {leader}")
    assert name in pieces(state, half, leader)
    recruited_moves = idle(state).view().fleet_moves
    assert recruited_moves == CARDS[half, number][2]


# ---- Kamehameha's deck


def test_k1_discoverys_guns() -> None:
    """[8.1] Drawn again: a warrior and the fleet moves; no cannon, though it lies in the box."""
    state = card(K, 1)
    assert box(state, K, "vancouver") == 1 and not [c for c in choices(state, "recruit") if c.startswith("vancouver")]
    recruited(state)


def test_k2_long_pikes() -> None:
    """[8.1] Drawn again: a warrior and the fleet moves; no pike, though it lies in the box."""
    state = card(K, 2, ours={"kona": ["kamehameha", "canoe"]})
    assert box(state, K, "pike") == 1 and not [c for c in choices(state, "recruit") if c.startswith("pike")]
    recruited(state)


def test_k3_john_young() -> None:
    """[8.2] John Young and the musketeers come; in this half his gunpowder, and nobody else, rolls one more die."""
    ours = {"kona": ["kamehameha", "vancouver", "warrior_2"]}
    state = recruited(card(K, 3, ours=ours, theirs={"hilo": ["brown", "oahu_warrior"], "waikiki": ["kalani"]}))
    assert "john_young" in pieces(state, K, "kona") and "musketeer" in pieces(state, K, "kona")
    do(state, "march vancouver kona hilo", "march musketeer kona hilo", "march warrior_2 kona hilo", "done")
    fire(advantage(state, K), "vancouver")
    assert fought(state)["dice"] == dice("vancouver") + 1
    do(state, REST)
    assert firing(state).startswith("musketeer") and fought(state)["dice"] == dice("musketeer") + 1
    do(state, REST)
    assert firing(state).startswith("brown") and fought(state)["dice"] == dice("brown")
    do(state, REST)
    assert firing(state).startswith("warrior_2") and fought(state)["dice"] == dice("warrior_2")
    state = end_of_half(recruited(card(K, 3)))
    assert state.view().bonuses["gunpowder"] == 0


def test_k4_royal_guard() -> None:
    """[8.2] The guard and a warrior come; one is added to his advantage rolls of this half."""
    for face, first in ((3, "tie"), (4, K), (2, A)):
        state = recruited(
            card(K, 4, theirs={"hilo": ["oahu_warrior"], "waikiki": ["kalani"]}, ours={"kona": ["pike", "warrior_2"]})
        )
        assert "royal_guard" in pieces(state, K, "kona")
        do(state, "march pike kona hilo", "done", face, 4)
        assert (fought(state)["advantage"] or "tie") == first


def test_k5_peleleu_fleet() -> None:
    """[8.1] A canoe and two warriors, four fleet moves, no event."""
    state = recruited(card(K, 5, ours={"kona": ["kamehameha", "warrior_2", "canoe", "canoe", "canoe"]}))
    assert pieces(state, K, "kona").count("canoe") + pieces(state, K, "hilo").count("canoe") == 4
    for n, start in enumerate(("hilo", "kona", "kona", "kona")):
        do(state, f"fleet {start}", f"pickup {start}", "done", "sail molokai")
        assert pieces(state, K, "molokai") == ["canoe"] * (n + 1)
    assert not choices(state, "fleet")


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize("stance", ["neutral", A])
def test_k6_appeal_to_kauai(stance: str, face: int) -> None:
    """[8.2] 4-6 wins neutral Kaua'i, a 6 wins it from the Allies; else it stays."""
    theirs = {**ALLIES, **({"kauai": KAUAI} if stance == A else {})}
    state = card(K, 6, face, theirs=theirs)
    won = face >= 4 if stance == "neutral" else face == 6
    assert state.view().kauai == (K if won else stance)
    assert pieces(state, K if won else stance, "kauai") == KAUAI
    recruited(state)


def test_k7_warriors_go_home() -> None:
    """[8.2] Two of his warriors on the map, of his choice; other units, and warriors at nobody's hand, stay."""
    ours = {
        "kona": ["kamehameha", "warrior_2", "warrior_2", "canoe"],
        "hilo": ["warrior_1", "pike"],
        "maui": ["royal_guard"],
    }
    state = drawn(K, 7, ours, {"waikiki": ["kalani", "oahu_warrior"]})
    assert (state.phase, state.view().homes, texts(state)) == (
        "home",
        2,
        ["home warrior_2 kona", "home warrior_1 hilo"],
    )
    do(state, "home warrior_2 kona", "home warrior_1 hilo")
    assert pieces(state, K, "kona") == ["kamehameha", "warrior_2", "canoe"] and pieces(state, K, "hilo") == ["pike"]
    assert box(state, K, "warrior_2") == 5 and box(state, K, "warrior_1") == 3
    assert state.phase == "recruiting" and state.view().recruits == CARDS[K, 7][1]
    recruited(state)


@pytest.mark.parametrize("face", range(1, 7))
def test_k8_kona_storm(face: int) -> None:
    """[8.2] On 1-4 one of his canoes on the map, of his choice, goes to the box; on 5-6 none."""
    ours = {"kona": ["kamehameha", "canoe"], "maui": ["pike", "canoe"]}
    state = card(
        K, 8, face, *(["home canoe maui"] if face <= 4 else []), ours=ours, theirs={"waikiki": ["kalani", "oahu_canoe"]}
    )
    assert pieces(state, K, "maui") == (["pike"] if face <= 4 else ["pike", "canoe"])
    assert box(state, K, "canoe") == (3 if face <= 4 else 2) and pieces(state, A, "waikiki") == ["kalani", "oahu_canoe"]
    recruited(state)


@pytest.mark.parametrize("played", [True, False])
def test_k9_ku_snatcher_of_islands(played: bool) -> None:
    """[8.2] Kept; played as a later movement begins, no fleet of his is sighted; passed, it stays in hand."""
    state = recruited(card(K, 9))
    assert state.phase == "movement" and state.view().held == ["ku_snatcher_of_islands"]
    state = card(K, 1, turn="april", held=["ku_snatcher_of_islands"], decks={K: [1, 2, 3, 4, 5, 6, 7, 8]})
    while state.phase == "recruiting":
        idle(state)
    assert (state.phase, state.current_player) == ("window", 0)
    do(state, "play ku_snatcher_of_islands" if played else "pass")
    assert state.view().held == ([] if played else ["ku_snatcher_of_islands"])
    do(state, "fleet kona", "pickup kona", "embark warrior_2", "done", "sail maui", "done")
    assert state.phase == ("advantage" if played else "sighting")
    assert 9 not in state.view().decks[K]


def test_k9_is_not_played_in_the_half_of_its_draw() -> None:
    """[8.1] Drawn with another one's window near: only a later half opens it."""
    state = drawn(K, 9, KAMEHAMEHA, ALLIES)
    while state.phase == "recruiting":
        idle(state)
    assert state.phase == "movement"
    end_of_half(state)
    do(state, 1)
    end_of_half(state)
    do(state, 1)
    while state.phase == "recruiting":
        idle(state)
    assert texts(state) == ["pass", "play ku_snatcher_of_islands"]


# ---- the Allies' deck


def test_a1_fair_americans_guns() -> None:
    """[8.1] Drawn again: a warrior and the fleet moves; no cannon, though it lies in the box."""
    state = card(A, 1)
    assert box(state, A, "brown") == 1 and not [c for c in choices(state, "recruit") if c.startswith("brown")]
    recruited(state)


def test_a2_pikes_of_oahu() -> None:
    """[8.1] Drawn again: a warrior and the fleet moves; no pike, though it lies in the box."""
    state = card(A, 2)
    assert box(state, A, "pike") == 1 and not [c for c in choices(state, "recruit") if c.startswith("pike")]
    recruited(state)


def test_a3_kaiana_changes_sides() -> None:
    """[8.2] Kaiana and his warriors may come to any O'ahu or Hawai'i space, even among enemies."""
    state = card(
        A, 3, ours={"molokai": ["pike"]}, theirs={**KAMEHAMEHA, "koolau": ["royal_guard"], "maui": ["warrior_1"]}
    )
    spaces = {"kona", "hilo", "waikiki", "koolau"}
    assert choices(state, "recruit") == {f"{kind} {s}" for kind in ("kaiana", "kaiana_warriors") for s in spaces}
    do(state, "recruit kaiana waikiki", "recruit kaiana_warriors koolau")
    assert marked(state, A, "koolau") == ["kaiana_warriors/turned"] and marked(state, A, "waikiki") == ["kaiana"]
    assert (state.phase, state.view().fleet_moves) == ("movement", CARDS[A, 3][2])


def test_a3_kaiana_with_his_leader() -> None:
    """[9.0] Beside Kalani they may come as any recruit may."""
    state = card(A, 3, ours={"molokai": ["kalani"]})
    assert "kaiana molokai" in choices(state, "recruit") and "kaiana_warriors molokai" in choices(state, "recruit")


def test_a3_kaiana_among_enemies_fights_and_cannot_move() -> None:
    """[8.2] Among enemies they stay, attack overland in this half, and are eliminated if they lose."""
    ours = {"koolau": ["oahu_warrior", "oahu_canoe"], "waikiki": ["kalani"]}
    state = card(A, 3, ours=ours, theirs={"hilo": ["vancouver"], "kona": ["kamehameha"]})
    do(state, "recruit kaiana hilo", "recruit kaiana_warriors hilo")
    assert marked(state, A, "hilo") == ["kaiana/turned", "kaiana_warriors/turned"]
    assert not [t for t in texts(state) if "kaiana" in t or "hilo" in t]
    do(state, "fleet koolau")
    assert "hilo" not in choices(state, "pickup")
    do(state, "pickup koolau", "done", "sail maui", "done")
    assert (state.phase, fought(state)["kind"], state.view().field) == ("advantage", "overland", "hilo")
    # Kaiana falls, his warriors panic: beaten, they have no way out, though the Allies have spaces and canoes.
    fire(advantage(state, K), "vancouver", HIT, "lose kaiana", PANIC, REST)
    assert state.view().dead == ["allied:kaiana"] and box(state, A, "kaiana_warriors") == 1
    assert ended(state) == (None, "") and pieces(state, A, "hilo") == []


def test_a3_kaiana_wins_among_enemies() -> None:
    """[8.2] Victorious, they hold the space as any attackers do."""
    state = card(A, 3, theirs={"hilo": ["warrior_1"], "kona": ["kamehameha"]})
    do(state, "recruit kaiana hilo", "recruit kaiana_warriors hilo", "done")
    fire(advantage(state, A), "kaiana", HIT)
    assert marked(state, A, "hilo") == ["kaiana", "kaiana_warriors"] and state.phase == "card"


def test_a3_kaiana_drives_off_canoes() -> None:
    """[8.2] Canoes alone leave him the space."""
    state = card(A, 3, theirs={"hilo": ["canoe"], "kona": ["kamehameha"], "molokai": ["pike"]})
    do(state, "recruit kaiana hilo")
    assert (state.phase, state.current_player) == ("withdrawal", 0)
    do(state, "retreat molokai", "recruit kaiana_warriors hilo")
    assert marked(state, A, "hilo") == ["kaiana", "kaiana_warriors"]
    assert choices(state, "march") >= {"kaiana hilo kona"}


def test_a4_thunderers() -> None:
    """[8.2] The Thunderers and a warrior come; one is added to the Allies' advantage rolls of this half."""
    for face, first in ((3, "tie"), (4, A), (2, K)):
        ours = {"waikiki": ["pike", "oahu_warrior"], "maui": ["kalani"]}
        state = recruited(card(A, 4, ours=ours, theirs={"koolau": ["warrior_2"], "kona": ["kamehameha"]}))
        do(state, "march pike waikiki koolau", "done", 4, face)
        assert (fought(state)["advantage"] or "tie") == first


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize("stance", ["neutral", K])
def test_a5_appeal_to_kauai(stance: str, face: int) -> None:
    """[8.2] 3-6 wins neutral Kaua'i, 5-6 wins it from Kamehameha; else it stays."""
    theirs = {**KAMEHAMEHA, **({"kauai": KAUAI} if stance == K else {})}
    state = card(A, 5, face, theirs=theirs)
    won = face >= 3 if stance == "neutral" else face >= 5
    assert state.view().kauai == (A if won else stance)
    assert pieces(state, A if won else stance, "kauai") == KAUAI
    recruited(state)


@pytest.mark.parametrize("played", [True, False])
def test_a6_hold_the_line(played: bool) -> None:
    """[8.2, 9.0] Kept; played before a land battle, the defenders have earthworks; passed, it stays in hand."""
    state = recruited(card(A, 6))
    assert state.phase == "movement" and state.view().held == ["hold_the_line"]
    end_of_half(state)
    do(state, 2)
    while state.phase != "movement":
        idle(state)
    do(state, "fleet kona", "pickup kona", "embark warrior_2", "done", "sail waikiki", "done", 6)
    assert (state.phase, state.current_player, texts(state)) == ("window", 1, ["pass", "play hold_the_line"])
    do(state, "play hold_the_line" if played else "pass")
    assert fought(state)["earthworks"] == played and state.view().held == ([] if played else ["hold_the_line"])
    fire(advantage(state, K), "warrior_2", PANIC)
    assert (state.phase == "panic") == (not played)


def test_a6_hold_the_line_has_its_window_only_where_it_can_stand() -> None:
    """[9.0] Not in a fort, not for an attacker, not at sea."""
    held: dict[str, Any] = {"held": ["hold_the_line"]}
    assert battle("kona", ["warrior_2/hilo"], ["brown"], **held).phase == "advantage"
    assert battle("waikiki", ["oahu_warrior"], ["warrior_2"], half=A, **held).phase == "advantage"
    assert battle("waikiki", ["warrior_2"], ["oahu_warrior"], **held).phase == "window"
    state = fleet("maui", ["pike/kona", "canoe/kona"], ["maui_warrior", "maui_canoe"], **held)
    assert do(state, 1, "launch").phase == "advantage" and fought(state)["kind"] == "sea"


@pytest.mark.parametrize("face", range(1, 7))
def test_a7_storm_in_the_channels(face: int) -> None:
    """[8.2] On 1-3 one of his canoes on the map, of his choice, goes to the box; on 4-6 none."""
    state = card(A, 7, face, *(["home canoe maui"] if face <= 3 else []))
    assert box(state, A, "maui_canoe") == (2 if face <= 3 else 1) and pieces(state, K, "kona") == KAMEHAMEHA["kona"]
    recruited(state)


def test_a7_storm_among_several_kinds_of_canoe() -> None:
    """[8.2] Where kinds of canoe lie together, he names the kind."""
    state = do(drawn(A, 7, {"maui": ["kalani", "oahu_canoe", "maui_canoe"], "waikiki": ["oahu_canoe"]}, KAMEHAMEHA), 1)
    assert choices(state, "home") == {"oahu_canoe maui", "maui_canoe maui", "canoe waikiki"}
    do(state, "home oahu_canoe maui")
    assert pieces(state, A, "maui") == ["kalani", "maui_canoe"]


def test_a8_warriors_go_home() -> None:
    """[8.2] One of his warriors on the map, of his choice; Kaiana's too, once Kaiana has entered."""
    ours = {
        "waikiki": ["kalani", "kaiana", "oahu_warrior"],
        "koolau": ["kaiana_warriors"],
        "maui": ["maui_warrior", "brown"],
    }
    state = drawn(A, 8, ours, KAMEHAMEHA)
    assert choices(state, "home") == {"oahu_warrior waikiki", "kaiana_warriors koolau", "maui_warrior maui"}
    do(state, "home kaiana_warriors koolau")
    assert box(state, A, "kaiana_warriors") == 1 and state.phase == "recruiting"
    assert state.view().recruits == CARDS[A, 8][1]
    recruited(state)


def test_a8_kaianas_warriors_before_kaiana() -> None:
    """[8.2] While Kaiana has not entered, his warriors are not what the card calls warriors."""
    state = drawn(A, 8, {"waikiki": ["kalani", "oahu_warrior"], "koolau": ["kaiana_warriors"]}, KAMEHAMEHA)
    assert state.phase == "recruiting" and pieces(state, A, "koolau") == ["kaiana_warriors"]
    assert box(state, A, "oahu_warrior") == 3


@pytest.mark.parametrize("played", [True, False])
def test_a9_muskets_for_land(played: bool) -> None:
    """[8.2] Kept; played before a sighting die, the invader is sighted without it; passed, it is rolled."""
    state = recruited(card(A, 9))
    assert state.phase == "movement" and state.view().held == ["muskets_for_land"]
    assert "musketeer" in pieces(state, A, "waikiki") + pieces(state, A, "koolau")
    end_of_half(state)
    do(state, 2)
    while state.phase != "movement":
        idle(state)
    do(state, "fleet kona", "pickup kona", "embark warrior_2", "done", "sail maui", "done")
    assert (state.phase, state.current_player, texts(state)) == ("window", 1, ["pass", "play muskets_for_land"])
    do(state, "play muskets_for_land" if played else "pass")
    assert (state.phase, state.view().held) == (("launch", []) if played else ("sighting", ["muskets_for_land"]))


def test_a9_in_the_other_deck() -> None:
    """[8.1] A ruleset may give Kamehameha such a card: then the window is his, when the Allies invade."""
    event = {"timing": "hold", "window": "sighting", "effect": "sure_sighting"}
    game = variant(cards={"kamehameha.ku_snatcher_of_islands.event": event})
    there = ["pike", "warrior_2", "canoe"]
    state = fleet(
        "maui", ["brown/waikiki", "oahu_canoe/waikiki"], there, half=A, held=["ku_snatcher_of_islands"], game=game
    )
    assert (state.phase, state.current_player) == ("window", 0)
    do(state, "play ku_snatcher_of_islands")
    assert (state.phase, state.current_player) == ("launch", 0)


def test_a9_has_no_window_without_a_die() -> None:
    """[8.2] No canoe to sail out in, or no sighting in this half: there is nothing to play it for."""
    held: dict[str, Any] = {"held": ["muskets_for_land"]}
    assert fleet("maui", ["pike/kona", "canoe/kona"], ["maui_warrior"], **held).phase == "advantage"
    state = fleet(
        "maui", ["pike/kona", "canoe/kona"], ["maui_warrior", "maui_canoe"], bonuses={"no_sighting": True}, **held
    )
    assert state.phase == "advantage" and miss(advantage(state, K)).phase == "advantage"


def test_a9_the_launch_stays_an_option() -> None:
    """[11.7] Sighted by the card he may still let them land."""
    state = fleet("maui", ["pike/kona", "canoe/kona"], ["maui_warrior", "maui_canoe"], held=["muskets_for_land"])
    do(traced(state), "play muskets_for_land", "pass")
    assert fought(state)["kind"] == "invasion" and "launch" not in forced(state)
