"""Orders typed in the usual notation of Diplomacy, and whole turns as people enter them."""

from __future__ import annotations

import random

import pytest
from refusals import refuses

from hawaii_env.errors import HawaiiError, IllegalActionError
from hawaii_env.heiau import Game, State
from hawaii_env.heiau.rules.board import KINDS
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA
from hawaii_env.heiau.texts import typed_order
from hawaii_env.heiau.turns import Turn, read_typed, turn_of
from hawaii_env.web.steps import decisions

from .helpers import position

GAME = Game(scenario="discovery")


@pytest.mark.parametrize(
    ("text", "kind", "place", "verb", "source", "target"),
    [
        # as in the public catalogue of cases: with and without kinds, capitals, spaces around the dash
        ("A hilo - puna", "A", "hilo", MOVE, "", "puna"), ("hilo-puna", "", "hilo", MOVE, "", "puna"),
        ("a HILO -> Puna", "A", "hilo", MOVE, "", "puna"), ("Hilo moves to Puna", "", "hilo", MOVE, "", "puna"),
        ("B kona-kailua - kona coast", "B", "kona_kailua", MOVE, "", "kona_coast"),
        ("F NPO - makan (n)", "F", "npo", MOVE, "", "makanalua/n"),
        ("F npo – Makan/s", "F", "npo", MOVE, "", "makanalua/s"),
        ("A lanai - KonaK via convoy", "A", "lanai", VIA, "", "kona_kailua"),
        ("A lana - kala via", "A", "lanai", VIA, "", "kalae"),
        ("army lanai - kalae by convoy", "A", "lanai", VIA, "", "kalae"),
        ("A hilo H", "A", "hilo", HOLD, "", ""), ("Hilo holds", "", "hilo", HOLD, "", ""),
        ("B puna S A hilo - kalae", "B", "puna", SUPPORT, "hilo", "kalae"),
        ("puna supports hilo to kalae", "", "puna", SUPPORT, "hilo", "kalae"),
        ("B puna S A hilo", "B", "puna", SUPPORT, "hilo", "hilo"),
        ("B puna S A hilo H", "B", "puna", SUPPORT, "hilo", "hilo"),
        ("B halawa S F npo - makan (n)", "B", "halawa", SUPPORT, "npo", "makanalua"),
        ("F spo C A lanai - kona-kailua", "F", "spo", CONVOY, "lanai", "kona_kailua"),
        ("fleet South Pacific Ocean convoys lanai to kalae", "F", "spo", CONVOY, "lanai", "kalae"),
        ("A kohala = B", "A", "kohala", BOATS, "", "kohala"),
        ("A makanalua = B/n", "A", "makanalua", BOATS, "", "makanalua/n"),
        ("kohala builds boats", "", "kohala", BOATS, "", "kohala"), ("F koolau = C", "F", "koolau", POST, "", ""),
        ("ko'olau builds trading post", "", "koolau", POST, "", ""),
    ],
)  # fmt: skip
def test_usual_notation_is_read(text: str, kind: str, place: str, verb: int, source: str, target: str) -> None:
    board = GAME.options.board
    typed = typed_order(GAME.names, text)
    assert (KINDS[typed.kind] if typed.kind >= 0 else "") == kind
    assert board.places[typed.place] == place and typed.order.verb == verb
    assert (board.spaces[typed.order.source] if source else "") == source
    if target:
        names = board.spaces if verb in (SUPPORT, CONVOY) else board.places
        assert names[typed.order.target] == target


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "is not an order; orders are written"), ("A hilo - nowhere", "no space of the map"),
        ("A hilo - kona", "one of"), ("A hilo - makan (w)", "has no coast 'w'"), ("", "is not an order"),
    ],
)  # fmt: skip
def test_texts_that_are_no_orders_are_rejected(text: str, words: str) -> None:
    refuses(HawaiiError, (words.replace("(", r"\("), lambda: typed_order(GAME.names, text)))


def test_parse_action_takes_whole_orders() -> None:
    """The asked unit's: a support in two steps; of others, wrong kinds and what is not legal, the message says so."""
    start = position("race", {"sunrise": ["A hilo", "B puna"], "sunset": ["A aiea"]})
    game, state = start.game, start.clone()
    state.apply(game.parse_action(state, "A hilo - mauna loa"))
    for _ in range(2 if state.asked_unit().place == game.options.board.place_index["puna"] else 0):
        action = game.parse_action(state, "B puna S A hilo - Mauna Loa")
        assert game.action_text(action) in ("support hilo", "to mauna_loa")
        state.apply(action)
        if state.current_player != 0:
            break
    for text, words in {
        "B puna - kalae": "A hilo is asked for now", "B hilo - puna": "the unit in hilo is A hilo",
        "A hilo - lanai": r"it does not go there by itself .*legal for A hilo are: hold",
        "A hilo S B kalae": "no such unit",
        "A hilo - ": "is not an order",
    }.items():  # fmt: skip
        with pytest.raises(IllegalActionError, match=words):
            game.parse_action(start, text)


def test_a_first_half_without_its_second_is_rejected() -> None:
    """`B puna S hilo - puna`: the unit in Hilo can be supported, but not to where its helper stands."""
    start = position("race", {"sunrise": ["B puna", "A hilo"], "sunset": ["A aiea"]})
    game, state = start.game, start.clone()
    state.apply(game.parse_action(state, "A hilo - mauna loa"))
    assert game.action_text(game.parse_action(state, "B puna S A hilo")) == "support hilo"
    refuses(
        IllegalActionError,
        (
            "nobody is supported into the space where the unit itself stands",
            lambda: game.parse_action(state, "B puna S A hilo - puna"),
        ),
    )


REFUSED = {
    "move lanai": "it does not go there", "via lanai": "no chain of fleets", "post": "only a fleet on a coast",
    "boats": "only an army", "convoy hilo": "only fleets convoy", "support puna": "no other unit in puna",
    "support aiea": "support the unit in aiea nowhere", "stay": "none was begun", "disband": "the phase 'retreats'",
    "B puna S A aiea": "who supports aiea to stay must reach aiea", "vote heart": "the phase 'ballot'",
    "B puna S A hilo - lanai": "who supports hilo - lanai must reach lanai", "B puna S A koolau": "no such unit",
    "B puna S A aiea - hilo": "the unit in aiea goes to hilo neither by itself nor by convoy",
    "B puna C A hilo - kalae": "only fleets convoy", "B puna - lanai via": "no chain of fleets",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_illegal_orders_are_rejected_with_the_reason(text: str) -> None:
    """In texts, whole orders and numbers."""
    state = position("race", {"sunrise": ["B puna"], "sunset": ["A hilo", "A aiea"]})
    game = state.game
    refuses(IllegalActionError, (REFUSED[text], lambda: game.parse_action(state, text)))
    if text in game.options.actions.codec.texts:
        refuses(
            IllegalActionError,
            (
                rf"\({text}\) is not legal for sunrise_0 .*{REFUSED[text]}",
                lambda: state.apply(game.options.actions.codec.texts.index(text)),
            ),
        )
    elif "no such unit" not in REFUSED[text]:
        refuses(IllegalActionError, (REFUSED[text], lambda: read_typed(state.for_search(0), 0, text)))


def test_half_entered_orders_are_rejected_with_the_reason() -> None:
    """A second half that the first does not go with, or another first half."""
    units = {"haole": ["F kalohi"], "dawn": ["A lanai", "A halawa"]}
    state = Game(scenario="haole").position(units=units, year=2, queue=["haole"])
    game = state.game
    state.apply(game.parse_action(state, "convoy lanai"))
    for text, reason in {
        "stay": "goes elsewhere", "to hilo": "no chain with this fleet", "hold": "second half of 'convoy lanai'",
    }.items():  # fmt: skip
        with pytest.raises(IllegalActionError, match=reason):
            game.parse_action(state, text)


def test_retreats_and_winters_are_rejected_with_the_reason() -> None:
    """A retreat out of reach, onto a unit, to the attacker's start, to a contested space; builds and removals."""
    out = [{"unit": "A hilo", "power": "sunset", "from": "puna"}]
    units = {"sunrise": ["A hilo", "A hamakua"], "sunset": ["A aiea"]}
    state = position("race", units, phase="retreats", dislodged=out, contested=["humuula"])
    for place, reason in {
        "lanai": "does not go there", "hamakua": "a unit is there", "puna": "its attacker", "humuula": "contested",
    }.items():  # fmt: skip
        for text in (f"retreat {place}", f"A hilo - {place}"):
            with pytest.raises(IllegalActionError, match=reason):
                state.game.parse_action(state, text)
        with pytest.raises(IllegalActionError, match=reason):
            read_typed(state.for_search(1), 1, f"A hilo - {place}")
    refuses(
        IllegalActionError,
        ("it retreats or is disbanded", lambda: state.game.parse_action(state, "A hilo H")),
        ("it retreats or is disbanded", lambda: read_typed(state.for_search(1), 1, "A hilo H")),
    )
    winter = {"season": "fall", "phase": "adjustments"}
    rich = position("race", {"sunset": ["A puna"]}, owners={"hilo": "sunrise", "kona_kailua": "sunrise"}, **winter)
    refuses(
        IllegalActionError,
        ("on its heiaus and posts where nobody stands", lambda: rich.game.parse_action(rich, "build puna")),
    )
    poor = position("race", {"sunrise": ["A puna", "A hilo"]}, owners={"puna": "sunrise"}, **winter)
    refuses(
        IllegalActionError,
        ("must remove armies or bunches of its own", lambda: poor.game.parse_action(poor, "remove aiea")),
    )


@pytest.mark.parametrize("scenario", ["haole", "two_haoles"])
def test_typed_orders_do_not_tell_where_hidden_units_are(scenario: str) -> None:
    """[Haole, Two Haoles, R-20] What a European types is answered alike, whichever start was voted for."""
    game = Game(scenario=scenario)
    told: list[list[str]] = []
    for choice in game.options.actions.choices:
        state = game.initial_state(seed=1)
        while state.phase == "ballot":
            state.apply(game.parse_action(state, f"vote {choice}"))
        while game.powers[state.current_player] not in ("haole", "south"):
            state.apply(state.legal_actions()[0])
        answers: list[str] = []
        for space in game.options.board.spaces:
            for form in ("F spo S {}", "F spo S {} - lanai", "F spo C {} - lanai"):
                for kind in ("", "A ", "B ", "F "):
                    try:
                        answers.append(str(game.parse_action(state, form.format(kind + space))))
                    except HawaiiError as error:
                        answers.append(str(error))
        told.append(answers)
    assert told[0] == told[1]


def choose(turn: Turn, draw: random.Random) -> tuple[list[int], list[int]]:
    """Some whole turn: the entries' indices, and the actions."""
    picked = [draw.randrange(len(subject.entries)) for subject in turn.subjects]
    if turn.most:
        counting = draw.sample(range(len(picked)), draw.randint(turn.least, turn.most))
        picked = [int(n in counting) for n in range(len(picked))]
    chosen = [subject.entries[k] for subject, k in zip(turn.subjects, picked, strict=True)]
    actions = [action for entry in chosen for action in entry.actions]
    return picked, actions + list(turn.end if sum(entry.counts for entry in chosen) < turn.most else ())


@pytest.mark.parametrize("scenario", ["clans", "discovery", "two_haoles"])
def test_whole_turns_are_what_the_engine_asks_for(scenario: str) -> None:
    """In random games: every turn that can be put together is legal to the end; every order reads back from its text,
    in parse_action, too."""
    game, draw = Game(scenario=scenario, last_year=3), random.Random(5)
    state = game.initial_state(seed=5)
    phases: set[str] = set()
    while not state.is_terminal:
        turn, entered = state.sealed_turn, dict[int, list[int]]()
        for player in filter(lambda one: one in state.known_turn(one).players, range(game.num_players)):
            own: State = state.for_search(player)
            found = turn_of(own, player)
            phases.add(state.phase)
            for n, subject in enumerate(found.subjects):
                k = draw.randrange(len(subject.entries))
                if subject.entries[k].actions:
                    assert read_typed(own, player, subject.entries[k].text) == (n, k)
            _, actions = choose(found, draw)
            entered[player] = decisions(state.for_search(player), player, actions)
            if state.phase == "orders":
                first = found.subjects[0].entries[draw.randrange(len(found.subjects[0].entries))]
                assert game.parse_action(own, first.text) == first.actions[0]
        left = {player: iter(actions) for player, actions in entered.items()}
        while not state.is_terminal and state.sealed_turn == turn:
            state.apply(next(left[state.current_player]))
        assert all(next(one, None) is None for one in left.values())
    assert {"orders", "adjustments"} <= phases
