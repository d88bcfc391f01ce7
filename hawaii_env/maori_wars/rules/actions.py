"""The action table of a scenario: ``208 + L + 5N`` actions for L leaders and N hexes that can be entered."""

from __future__ import annotations

from collections.abc import Sequence

from hawaii_env.codec import Codec, Family

from .names import KINDS, SIDES

__all__ = [
    "ABSORB_IT", "BLOCKS", "CHARGE_THEM", "DONE", "EVADE_THEM", "FIRST_UNIT", "HUNT_THERE", "OF_SIDE", "PASS",
    "SCUTTLE", "SINGLE", "STACK", "STAND", "STAY", "THINGS", "make_codec",
]  # fmt: skip

SINGLE = ("done", "pass", "evade", "stand", "stay", "absorb", "charge", "hunt", "stack", "scuttle")
DONE, PASS, EVADE_THEM, STAND, STAY, ABSORB_IT, CHARGE_THEM, HUNT_THERE, STACK, SCUTTLE = range(10)
"""Actions of one word, first in every table."""

FIRST_UNIT = len(SINGLE)
"""The first of the actions `unit`: kinds, Disrupted kinds, leaders."""

BLOCKS = ("carry", "column", "structure", "territory", "go", "counter", "with", "advance", "from", "to", "target",
          "place", "build")  # fmt: skip
"""Families whose first action depends on the data; rules read it as ``rules.do_from`` and the like. They stand in this
order, and hexes are numbered as in the theatre: ``rules.do_to + hex``.
"""

CARRIERS = ("queenite", "queenite/disrupted", "warrior", "warrior/disrupted")
PARTICIPANTS = ("all", *KINDS)
OF_SIDE = len(PARTICIPANTS)
"""Actions `with` and `advance` of a side: all, then the kinds."""

THINGS = ("all", "units", "canoe", "pa", "settlement", "fort", "village", "repair")
"""The words of the factor `thing`."""


def make_codec(leaders: Sequence[str], territories: Sequence[str], hexes: Sequence[str]) -> Codec:
    """Return the action table of a scenario.

    Args:
        leaders: their ids, in the order of the file.
        territories: those of the map.
        hexes: ids of the hexes that can be entered, ascending.
    """

    def of_side(verb: str, when: str) -> Family:
        def text(side: int, kind: int) -> str:
            if verb == "advance" and kind == 0:
                return f"advance {SIDES[side]}"
            return f"{verb} {SIDES[side]} {PARTICIPANTS[kind]}"

        return Family(verb, SIDES, PARTICIPANTS, text=text, when=when, factors=("side", _kind_or_all))

    units = (*KINDS, *(f"{kind}/disrupted" for kind in KINDS), *leaders)
    planes = {
        "from": "the hex that a piece leaves, or that a unit is chosen in",
        "to": "where it marches, sails or is carried",
        "target": "a hex that is attacked, raided, talked with, sapped, or sailed to by the shipment",
        "place": "where a unit appears, a leader withdraws to, the sap marker lies",
        "build": "construction",
    }
    return Codec(
        **{word: Family(word) for word in SINGLE},
        unit=Family("unit", units, factors=("piece",), when="a piece is chosen; of pieces alike any"),
        carry=Family("carry", CARRIERS, factors=("piece",), when="movement: it marches with a canoe"),
        column=Family("column", ("units", "canoe", "pa"), factors=("thing",), when="bombardment: what is fired at"),
        structure=Family(
            "structure",
            ("settlement", "fort", "village", "pa", "repair"),
            factors=("thing",),
            when="construction",
        ),
        territory=Family("territory", territories, factors=("territory",), when="bush raiders, attrition"),
        go=Family("go", SIDES, factors=("side",), when="evasion, retreat; a raid: the side of the target"),
        counter=Family("counter", SIDES, factors=("side",), when="counter-attack: the side of the target"),
        **{"with": of_side("with", "combat: who attacks")},
        advance=of_side("advance", "combat: who advances"),
        **{verb: Family(verb, hexes, factors=("hex",), when=when) for verb, when in planes.items()},
    )


def _kind_or_all(word: str) -> dict[str, str]:
    return {"thing": "all"} if word == "all" else {"piece": word}
