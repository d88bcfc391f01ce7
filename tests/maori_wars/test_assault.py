"""Odds of a combat: against figures worked out by hand, and what is refused."""

from __future__ import annotations

import json

import pytest
from refusals import refuses

from hawaii_env.cli import main
from hawaii_env.errors import OptionError
from hawaii_env.maori_wars.assault import Assault, _before, assault_odds, target_odds

BY_PLAN = 5
"""A chit without effect."""


def test_an_empty_village_falls_to_any_result() -> None:
    """[9.0 steps 7, 8] Column greater, no counter-attack: none only for a modified die of 0, in rough on a 1."""
    clear = assault_odds(Assault(attackers=1, defenders=0, structure="village", chit=BY_PLAN))
    assert (clear.taken, clear.structure_lost, clear.points) == pytest.approx((1, 1, 1))
    rough = assault_odds(Assault(attackers=1, defenders=0, structure="village", rough=True, chit=BY_PLAN))
    assert (rough.taken, rough.structure_lost) == pytest.approx((5 / 6, 5 / 6))


def test_damp_powder_at_the_pa() -> None:
    """[9.0] Two against a ready empty pa, both rolls -1: it counters in the lesser column, D on 4, R on 5, E on 6;
    the attack has greater -1 for the pa.
    """
    odds = assault_odds(Assault(attackers=2, defenders=0, structure="pa", chit=22))
    # The counter-attack leaves both ready on 1 to 3; on 4 (a modified 3, D) and 6 (5, E) one; on 5 (4, R) none.
    # The attack of any number: modified die 1 - 2 ... 6 - 2, so none on 1 and 2, and a result on 3 to 6.
    assert odds.taken == pytest.approx(5 / 6 * 4 / 6)
    assert odds.attackers_lost == pytest.approx({0: 5 / 6, 1: 1 / 6})


def test_odds_of_a_target_are_those_of_the_combat() -> None:
    """What the page writes on a target: all who can attack it and the gun, by the choices of `assault_odds`."""
    assault = Assault(attackers=3, defenders=2, structure="pa", bombard=True, chit=BY_PLAN)
    state, target = _before(assault, None)
    action = state.game.parse_action(state, f"target {target}")
    odds, found = assault_odds(assault), target_odds(state, action)
    assert found is not None and found.taken == pytest.approx(odds.taken)
    for mean, lost in ((found.attackers_lost, odds.attackers_lost), (found.defenders_lost, odds.defenders_lost)):
        assert mean == pytest.approx(sum(n * chance for n, chance in lost.items()))
    assert target_odds(state, state.game.parse_action(state, "done")) is None


@pytest.mark.parametrize("evade", [False, True])
def test_probabilities_sum_to_one(evade: bool) -> None:
    odds = assault_odds(Assault(attackers=3, defenders=2, structure="pa", bombard=True, evade=evade, chit=BY_PLAN))
    assert sum(odds.attackers_lost.values()) == pytest.approx(1) == sum(odds.defenders_lost.values())
    assert 0 < odds.taken <= odds.driven_out < 1 and max(odds.defenders_lost) <= 2


@pytest.mark.parametrize(
    ("assault", "field"),
    [
        (Assault(by="french"), "by"),
        (Assault(attackers=9), "attackers"),
        (Assault(attackers=0), "attackers"),
        (Assault(defenders=5), "defenders"),
        (Assault(defenders=0), "defenders"),
        (Assault(structure="fort"), "structure"),
        (Assault(by="maori", structure="pa"), "structure"),
        (Assault(by="maori", bombard=True), "bombard"),
        (Assault(kind="warrior"), "kind"),
        (Assault(kind="artillery"), "kind"),
        (Assault(against="canoe"), "against"),
        (Assault(chit=41), "chit"),
    ],
)
def test_impossible_input_is_rejected(assault: Assault, field: str) -> None:
    refuses(OptionError, (f"^{field}: ", lambda: assault_odds(assault)))


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["assault", "--attackers", "2", "--defenders", "1", "--village", "--chit", "5"]
    assert main(arguments) == 0
    assert "2 infantry against 1 warrior: a village" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    assert sum(json.loads(capsys.readouterr().out)["attackers_lost"].values()) == pytest.approx(1)
