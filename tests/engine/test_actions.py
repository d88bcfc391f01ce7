"""The flat action table: size, texts, parsing, and one action for interchangeable pieces."""

from __future__ import annotations

import random
from typing import Any

import pytest
from moves import texts
from refusals import refuses, refuses_each

from hawaii_env.errors import IllegalActionError
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.game import State
from hawaii_env.hawaii1795.rules import names
from hawaii_env.hawaii1795.rules.actions import CODEC, MULTIPLE_NAMES

from .helpers import GAMES, LONG, SHORT, by_phase, nodes, numbers_of, sample, state_of

TABLE_SIZE = 991
TABLE_HASH = "20d28d5ba54c694ad1e65998d7441216acfec3ab2403e77d4de2f711b55b52b8"
HOME: dict[str, Any] = {"kona": ["kamehameha"]}


def canoe_position(half: str, phase: str, ours: dict[str, Any], theirs: dict[str, Any], **fields: Any) -> State:
    units = {half: ours, "allied" if half == "kamehameha" else "kamehameha": theirs}
    return LONG.position(turn="june", half=half, phase=phase, units=units, **fields)


# -- the table -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_the_table_is_pinned(game: Game) -> None:
    """Records and trained agents hold action numbers: a change of the table is a new version of the environment."""
    assert game.num_actions == TABLE_SIZE and CODEC.size == TABLE_SIZE
    assert game.action_table_hash == TABLE_HASH


def test_texts_are_unique() -> None:
    table = [LONG.action_text(a) for a in range(LONG.num_actions)]
    assert len(set(table)) == len(table)
    assert all(text == " ".join(text.split()).lower() for text in table)
    assert [SHORT.action_text(a) for a in range(SHORT.num_actions)] == table
    assert {text.split()[0] for text in table} == {
        "done", "pass", "launch", "play", "place", "recruit", "home", "march", "fleet", "pickup", "embark", "sail",
        "approach", "battle", "retreat", "commit", "fire", "lose", "panic",
    }  # fmt: skip


# -- parsing ---------------------------------------------------------------------------------------------------------


def test_every_text_parses_back() -> None:
    phases: set[str] = set()
    for seed in range(12):
        game = GAMES[seed % 4]
        for state in nodes(game, 300 + seed):
            legal = state.legal_actions()
            phases.add(state.phase)
            told = texts(state)
            assert len(set(told)) == len(told)
            for action, text in zip(legal, told, strict=True):
                assert game.parse_action(state, text) == action
                assert game.parse_action(state, f"  {text.upper()} ".replace(" ", "  ")) == action
    assert len(phases) >= 22


def _same(state: State, action: int, text: str) -> None:
    assert state.game.parse_action(state, text) == action, text


def test_shorter_texts() -> None:
    """A text without marks, or a canoe as `canoe`, names an action wherever no other fits it as well."""
    for states in by_phase(seed=40).values():
        for state in states:
            legal, told = state.legal_actions(), texts(state)
            plain = [" ".join(w.split("/")[0] if "/" in w and t[:5] != "play " else w for w in t.split()) for t in told]
            for action, text, stripped in zip(legal, told, plain, strict=True):
                if stripped != text and stripped not in told and plain.count(stripped) == 1:
                    _same(state, action, stripped)
    state = canoe_position(
        "kamehameha", "movement", {"kona": ["kamehameha", "canoe"]}, {"waikiki": ["kalani"]}, fleet_moves=2
    )
    for text in ("fleet kona", "fleet canoe kona", "FLEET  Kona"):
        assert LONG.action_text(LONG.parse_action(state, text)) == "fleet kona"
    state = canoe_position("allied", "movement", {"maui": ["kalani", "maui_canoe"]}, HOME, fleet_moves=2)
    for text in ("fleet maui", "fleet canoe maui", "fleet maui_canoe maui"):
        assert LONG.action_text(LONG.parse_action(state, text)) == "fleet maui"


def test_a_kind_that_is_not_there_is_rejected() -> None:
    """Where kinds of canoe do not collide the action says `canoe`; a text that names another kind than the one that
    would go is not that action."""  # fmt: skip
    state = canoe_position(
        "allied",
        "recruiting",
        {"waikiki": ["kalani", *["oahu_canoe"] * 2], "maui": ["maui_warrior", "maui_canoe"]},
        HOME,
        recruits={"canoe": 1},
    )
    assert "recruit oahu_canoe waikiki" in texts(state) and "recruit maui_canoe waikiki" in texts(state)
    assert "recruit canoe maui" in texts(state)
    assert LONG.action_text(LONG.parse_action(state, "recruit maui_canoe maui")) == "recruit canoe maui"
    refuses(
        IllegalActionError,
        ("not legal", lambda: LONG.parse_action(state, "recruit oahu_canoe maui")),
        (
            r"ambiguous.*oahu_canoe waikiki.*maui_canoe waikiki",
            lambda: LONG.parse_action(state, "recruit canoe waikiki"),
        ),
    )
    state = canoe_position(
        "allied", "recruiting", {"waikiki": ["kalani"], "maui": ["maui_warrior", *["maui_canoe"] * 2]}, HOME,
        recruits={"canoe": 1},
    )  # fmt: skip
    assert texts(state) == ["recruit canoe waikiki", "recruit canoe koolau"]
    assert LONG.action_text(LONG.parse_action(state, "recruit oahu_canoe koolau")) == "recruit canoe koolau"
    refuses_each(
        IllegalActionError,
        "not legal",
        lambda text: LONG.parse_action(state, text),
        ("recruit maui_canoe waikiki", "recruit kauai_canoe waikiki", "recruit oahu_canoe maui"),
    )


@pytest.mark.parametrize("kind", ["oahu_canoe", "maui_canoe"])
def test_wrong_kinds_in_every_phase_that_names_canoes(kind: str) -> None:
    other = {"oahu_canoe": "maui_canoe", "maui_canoe": "oahu_canoe"}[kind]
    movement = canoe_position("allied", "movement", {"koolau": ["kalani", kind]}, HOME, fleet_moves=1)
    home = canoe_position(
        "allied", "home", {"koolau": ["kalani", kind], "maui": [kind, "maui_warrior"]}, HOME, homes=1,
        card="storm_in_the_channels",
    )  # fmt: skip
    commit = canoe_position(
        "kamehameha", "commit", {"kona": ["kamehameha"], "sea/maui": ["pike/kona", "canoe/kona"]},
        {"maui": ["maui_warrior", "brown", kind, kind]}, field="maui",
    )  # fmt: skip
    for state, text in ((movement, "fleet {} koolau"), (home, "home {} koolau"), (commit, "commit {} maui")):
        action = state.game.parse_action(state, text.format("canoe"))
        _same(state, action, text.format(kind))
        for wrong in (other, "kauai_canoe"):
            with pytest.raises(IllegalActionError, match="not legal"):
                state.game.parse_action(state, text.format(wrong))
    kamehamehas = canoe_position("kamehameha", "movement", {"kona": ["kamehameha", "canoe"]}, {}, fleet_moves=1)
    refuses(IllegalActionError, ("not legal", lambda: LONG.parse_action(kamehamehas, "fleet oahu_canoe kona")))


def test_kinds_that_collide_go_by_their_names() -> None:
    state = canoe_position(
        "kamehameha",
        "movement",
        {"kona": ["kamehameha", "canoe", "kauai_canoe"], "hilo": ["kauai_warrior"]},
        {},
        fleet_moves=1,
    )
    told = texts(state)
    assert "fleet kona" in told and "fleet kauai_canoe kona" in told
    assert LONG.action_text(LONG.parse_action(state, "fleet kauai_canoe kona")) == "fleet kauai_canoe kona"
    assert LONG.action_text(LONG.parse_action(state, "fleet kona")) == "fleet kona"
    refuses(IllegalActionError, ("ambiguous", lambda: LONG.parse_action(state, "fleet canoe kona")))


def test_conditions_differ_in_their_texts() -> None:
    state = canoe_position(
        "kamehameha",
        "panic",
        {"kona": ["kamehameha"], "maui": ["warrior_1", "warrior_1/panicked", "warrior_2"]},
        {"maui": ["brown/fired", "kalani"]},
        field="maui",
        battle={
            "kind": "invasion",
            "advantage": "allied",
            "firing": "allied",
            "guns": True,
            "firer": "brown",
            "dice": 1,
        },
    )
    assert texts(state) == ["panic warrior_2", "panic warrior_1", "panic warrior_1/panicked"]
    by_text = {t: state.game.parse_action(state, t) for t in texts(state)}
    assert len(set(by_text.values())) == 3
    refuses_each(
        IllegalActionError,
        "not legal",
        lambda wrong: LONG.parse_action(state, wrong),
        ("panic warrior_2/panicked", "panic warrior_1/fired", "panic warrior_1/hilo", "panic brown"),
    )
    # The panicked one alone is the freshest of its kind, and takes the plain text.
    state.apply(by_text["panic warrior_1"])
    two = canoe_position(
        "kamehameha",
        "panic",
        {"kona": ["kamehameha"], "maui": ["warrior_1/panicked", "warrior_2"]},
        {"maui": ["brown/fired", "kalani"]},
        field="maui",
        battle={
            "kind": "invasion",
            "advantage": "allied",
            "firing": "allied",
            "guns": True,
            "firer": "brown",
            "dice": 1,
        },
    )
    assert texts(two) == ["panic warrior_2", "panic warrior_1"]


def test_a_short_text_that_fits_twice() -> None:
    state = canoe_position(
        "kamehameha",
        "movement",
        {"kona": ["kamehameha"], "hilo": ["warrior_2", "warrior_2/carried"]},
        {"maui": ["kalani"]},
    )
    assert texts(state) == [
        "done", "march kamehameha kona hilo", "march warrior_2 hilo kona", "march warrior_2/carried hilo kona",
    ]  # fmt: skip
    plain = LONG.parse_action(state, "march warrior_2 hilo kona")
    marked = LONG.parse_action(state, "march warrior_2/carried hilo kona")
    assert plain != marked


@pytest.mark.parametrize("text", ["", "march", "fleet", "done done", "fire kona", "march warrior_2 hilo", "1", "done/"])
def test_what_is_no_action(text: str) -> None:
    state = canoe_position(
        "kamehameha", "movement", {"kona": ["kamehameha"], "hilo": ["warrior_2"]}, {"maui": ["kalani"]}
    )
    refuses(
        IllegalActionError,
        (r"not legal in phase movement \[10.0\]; legal are: done", lambda: LONG.parse_action(state, text)),
    )


# -- interchangeable pieces ------------------------------------------------------------------------------------------


def relabelled(state: State, rng: random.Random) -> State:
    """The same position with the pieces of each kind in another order."""
    fields = numbers_of(state)
    kinds = LONG.tables.kind
    order = list(range(names.N_PIECES))
    for kind in set(kinds):
        ids = [p for p in order if kinds[p] == kind]
        if kind in PLACED_IN_ORDER and state.phase == "setup":
            continue
        shuffled = rng.sample(ids, len(ids))
        for at, piece in zip(ids, shuffled, strict=True):
            order[at] = piece
    for name in ("place", "owner", "arrived_from", "panicked", "carried", "marched", "fired"):
        fields[name] = [fields[name][p] for p in order]
    for name in ("fleet", "firer"):
        if fields[name] >= 0:
            fields[name] = order.index(fields[name])
    return state_of(state.game, fields)


# At set-up pieces are placed in the order of the table, so that those of these kinds are not interchangeable.
PLACED_IN_ORDER = {
    names.KINDS.index(kind)
    for kind in ("vancouver", "pike", "kalani", "brown", "allied_pike", "oahu_warrior", "oahu_canoe")
}


def test_interchangeable_pieces_are_one_choice() -> None:
    """Which piece of a kind, place and condition goes makes no difference: relabelled positions have the same legal
    actions, the same view and key, and each action leads to the same position."""  # fmt: skip
    rng = random.Random(9)
    moved = 0
    for state in sample(250, seed=60):
        other = relabelled(state, rng)
        moved += numbers_of(other)["place"] != numbers_of(state)["place"]
        assert other == state and other.key() == state.key() and other.view() == state.view()
        assert other.legal_actions() == state.legal_actions() and other.current_player == state.current_player
        if state.current_player == CHANCE:
            assert other.chance_outcomes(merged=True) == state.chance_outcomes(merged=True)
            steps = [(o, True) for o, _ in state.chance_outcomes()]
        else:
            steps = [(a, False) for a in state.legal_actions()]
        for step, by_chance in steps:
            one, two = state.clone(), other.clone()
            for copied in (one, two):
                copied.apply_chance(step) if by_chance else copied.apply(step)
            assert one.key() == two.key() and one.legal_actions() == two.legal_actions()
    assert moved > 200


def test_each_action_changes_something_else() -> None:
    """No two legal actions lead to the same position, but where things that all must happen are put in order and only
    one is left.
    """
    for state in sample(250, seed=80):
        if state.current_player == CHANCE or state.is_terminal:
            continue
        leads: dict[bytes, list[str]] = {}
        for action in state.legal_actions():
            copied = state.clone()
            copied.apply(action)
            leads.setdefault(copied.key(), []).append(state.game.action_text(action))
        same = [told for told in leads.values() if len(told) > 1]
        assert not same or state.phase in ("recruiting", "home", "approach"), same


def test_kinds_of_several_pieces() -> None:
    counts = {kind: piece.count for kind, piece in zip(names.KIND_NAMES, LONG.ruleset.pieces, strict=True)}
    assert set(MULTIPLE_NAMES) == {k for k, n in counts.items() if n > 1 and "canoe" not in k}
