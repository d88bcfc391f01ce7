"""Counts of all ways to go on, d steps deep (perft): by hand for small positions, by the referee for the opening.

A step is a decision that is really asked or an outcome of a chance node; decisions with one choice are not steps.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from referee.referee import Referee

from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795.game import State

from .helpers import LONG, SHORT


def steps(state: State) -> list[int]:
    return [o for o, _ in state.chance_outcomes()] if state.current_player == CHANCE else state.legal_actions()


def after(state: State, step: int) -> State:
    copied = state.clone()
    copied.apply_chance(step) if state.current_player == CHANCE else copied.apply(step)
    return copied


def perft(state: State, depth: int) -> int:
    """Sequences of `depth` steps; a game that ends before is one sequence."""
    if depth == 0 or state.is_terminal:
        return 1
    if depth == 1:
        return len(steps(state))
    return sum(perft(after(state, step), depth - 1) for step in steps(state))


def june(phase: str, kamehameha: dict[str, Any], allied: dict[str, Any], **more: Any) -> State:
    return LONG.position(
        turn="june", half="kamehameha", phase=phase, units={"kamehameha": kamehameha, "allied": allied}, **more
    )


def said(state: State, text: str) -> State:
    return after(state, state.game.parse_action(state, text))


def test_set_up_of_the_long_game() -> None:
    """Kalani, two warriors and two canoes, each on one of two spaces: 2^5 ways. January's card is fixed: cannon and one
    warrior, in any order, each on Kona or Hilo. First step: the cannon (2 spaces), a warrior_2 (2) or a warrior_1 (2):
    6. Second step: after the cannon a warrior of either kind on either space (4), after a warrior the cannon (2):
    2 * 4 + 4 * 2 = 16.
    """
    state = LONG.initial_state(chance="explicit")
    assert [perft(state, d) for d in range(1, 8)] == [2, 4, 8, 16, 32, 32 * 6, 32 * 16]


def test_set_up_of_the_short_game() -> None:
    """Cannon and pike on Kona or Hilo: 2 * 2. Two warriors of his choice, each of two kinds on two spaces: 4 * 4. Then
    the Allies: Kalani and the cannon, 2 each. So 2, 4, 16, 64, 128, 256. When their pike, two warriors and two canoes
    are placed as well, their choice: the box has one oahu_warrior and one maui_warrior: 2 * 2 = 4; then the other kind
    on two spaces: 2. Then Kamehameha draws one of 9 cards.
    """
    state = SHORT.initial_state(chance="explicit")
    assert [perft(state, d) for d in range(1, 7)] == [2, 4, 16, 64, 128, 256]
    rng = random.Random(1)
    for _ in range(11):
        state = after(state, rng.choice(steps(state)))
    assert state.view().setup is not None and state.view().setup["choices"] == {"kamehameha": 0, "allied": 2}  # type: ignore[index]
    assert [perft(state, d) for d in range(1, 4)] == [4, 8, 72]


def test_a_fleet_move() -> None:
    """Kamehameha and a canoe on Kona, Kalani on Koolau, one fleet move.

    One step: march to Hilo, fleet, done: 3.
    Two steps. After the march: the fleet (it stays at Kona, or fetches him) or done: 2. After the fleet: the pick-up
    can only be Kona; he embarks or the canoe is sent empty: 2. After done: no battle, the Allies draw one of the 6
    cards that nine less March, April and May leave: 6. Together 10. Three steps. March, then the fleet: the pick-up is
    Kona or Hilo: 2; march, then done: 6 cards. Fleet, then he embarks: he sails anywhere but to Kona: 6; fleet, then
    empty: to Hilo, Maui, Molokai, Waikiki; not to Koolau (enemies), nor to neutral Kauai: 4. Together 18 and what
    follows the 6 cards.
    """
    state = june("movement", {"kona": ["kamehameha", "canoe"]}, {"koolau": ["kalani"]}, fleet_moves=1)
    assert [perft(state, d) for d in (1, 2)] == [3, 10]
    march, fleet, done = said(state, "march kamehameha kona hilo"), said(state, "fleet kona"), said(state, "done")
    assert perft(march, 2) == 2 + 6 and perft(fleet, 2) == 6 + 4
    assert perft(state, 3) == 18 + perft(done, 2)


def test_cargo() -> None:
    """A canoe and three units of three kinds on Kona, nobody else but Kalani on Koolau; what comes aboard is a row, not
    a set.

    The canoe is at its pick-up already, since there is no other. First: one of 3 units, or none: 4. Second: after a
    unit another (2) or enough (1): 3 each; after none: 4 spaces (see above). Third: after two units the canoe is full:
    6 spaces; after one and enough: 6 spaces. 3 * (2 * 6 + 6) = 54, and the empty canoe lands somewhere: it was the last
    fleet move, 3 units may march to Hilo, or done: 4 choices from each of the 4 spaces. Together 70.
    """
    state = june(
        "movement", {"kona": ["pike", "musketeer", "warrior_2", "canoe"]}, {"koolau": ["kalani"]}, fleet_moves=1
    )
    state = said(state, "fleet kona")
    assert state.phase == "cargo"
    assert [perft(state, d) for d in (1, 2, 3)] == [4, 3 * 3 + 4, 3 * (2 * 6 + 6) + 4 * 4]


def test_advantage_and_one_die() -> None:
    """A warrior_1 has landed on Molokai against a warrior of strength 2; no elite units, so that equal dice are rolled
    again.

    Steps 1 and 2 are two dice: 6 and 36. Of the 36 rolls 6 are ties and 30 are won. Step 3 is a die in any case, for
    the first unit to fire or for the first roll again: 36 * 6 = 216. Step 4: after a tie the second roll: 6 * 6 * 6 =
    216. After an advantage the first die has fallen: on 1 to 3 nothing, on 4 and 5 a panic, on 6 an elimination. Each
    side has one unit.

    - The Allies have it (15): the warrior of strength 2 has one more die: no effect (3 faces), 6 each; a panic (2): the
      lone warrior panics, forced, and the second die is rolled: 6 each; an elimination (1): the battle is over,
      Kamehameha's half ends and the Allies draw one of 6 cards: 6. In all 15 * 6 * 6 = 540.
    - Kamehameha has it (15): his only die has fallen. No effect (3): now the other fires: 6. A panic (2): the other is
      panicked, does not fire, and the round is lost: the second battle begins with advantage dice: 6. An elimination
      (1): he takes the space, and the Allies draw: 6. In all 540.

    Together 216 + 1080 = 1296 = 6^4: every step so far is one of six.
    """
    state = june(
        "battle_order",
        {"kona": ["kamehameha"], "molokai": ["warrior_1"]},
        {"molokai": ["maui_warrior"], "koolau": ["kalani"]},
    )
    assert state.phase == "advantage"
    assert [perft(state, d) for d in (1, 2, 3, 4)] == [6, 36, 216, 1296]


def test_losses() -> None:
    """A warrior_2 on Molokai fires the first of two dice at a maui_warrior and an oahu_warrior, both unpanicked.

    One step: 6 faces. Two steps: 1 to 3 miss: the next die, 6 each: 18. 4 and 5 panic: a choice of two: 2 each: 4. 6:
    an elimination: a choice of two: 2. Together 24. Three steps. After a miss (3): the second die: faces 1 to 3 miss,
    then the other side fires, a choice of 2: 3 * 2; 4 and 5 panic: 2 each; 6: 2: together 6 + 4 + 2 = 12 each: 36.
    After a panic (2 faces, 2 choices): the second die: 6 each: 24. After an elimination (2 choices): the second die: 6
    each: 12. Together 72.
    """
    state = june(
        "hit_die",
        {"kona": ["kamehameha"], "molokai": ["warrior_2/fired", "warrior_1"]},
        {"molokai": ["maui_warrior", "oahu_warrior"], "koolau": ["kalani"]},
        field="molokai",
        battle={
            "kind": "invasion",
            "advantage": "kamehameha",
            "firing": "kamehameha",
            "turn_side": "allied",
            "firer": "warrior_2",
            "dice": 2,
        },
    )
    assert [perft(state, d) for d in (1, 2, 3)] == [6, 24, 72]


def test_a_sighting() -> None:
    """A fleet before Maui, where a maui_warrior, the cannon and a canoe are. On 1 to 3 it is sighted: launch or pass, 2
    each; on 4 to 6 it lands, and the battle begins with a die: 6 each. Two steps: 3 * 2 + 3 * 6 = 24. Three steps:
    launch (3): the canoe goes first by itself; the warrior, or the cannon: 2 each: 6. Pass (3): the battle's die: 6
    each: 18. Landed (3): after one die the other: 36 each: 108. Together 132.
    """
    state = june(
        "approach", {"kona": ["kamehameha"], "sea/maui": ["warrior_2/kona", "warrior_2/kona", "canoe/kona"]},
        {"maui": ["maui_warrior", "brown", "maui_canoe"], "koolau": ["kalani"]},
    )  # fmt: skip
    assert state.phase == "sighting"
    assert [perft(state, d) for d in (1, 2, 3)] == [6, 24, 132]


def test_withdrawals_multiply() -> None:
    """Two canoes on Kona without a unit, where enemies now are; Kamehameha's units stand on Hilo, Maui and Molokai:
    they go together to one of three spaces. Then he may march from Hilo (Kona has enemies: overland), or be done: 2.
    """
    state = june(
        "withdrawal", {"kona": ["canoe", "canoe"], "hilo": ["kamehameha"], "maui": ["pike"], "molokai": ["warrior_1"]},
        {"kona": ["kalani"]}, then="movement", retreat={"from_space": "kona"},
    )  # fmt: skip
    assert [perft(state, d) for d in (1, 2)] == [3, 6]


# -- by the referee --------------------------------------------------------------------------------------------------


def referees_perft(referee: Referee, depth: int) -> int:
    if referee.over or depth == 0:
        return 1
    options: list[Any] = referee.options() or referee.outcomes()
    if depth == 1:
        return len(options)
    total = 0
    for option in options:
        copied = referee.copy()
        copied.answer(option)
        total += referees_perft(copied, depth - 1)
    return total


@pytest.mark.parametrize(("scenario", "depth"), [("long", 7), ("short", 5)])
def test_openings_by_the_referee(scenario: str, depth: int) -> None:
    state = {"long": LONG, "short": SHORT}[scenario].initial_state(chance="explicit")
    assert perft(state, depth) == referees_perft(Referee(scenario, rules=state.game.ruleset_name), depth)
