"""What comparisons must have reached, ten times each at least."""

from __future__ import annotations

from collections import Counter

KINDS = ("infantry", "naval", "militia", "constabulary", "rangers", "cavalry", "artillery", "queenite", "warrior")
STRUCTURES = ("settlement", "fort", "village", "pa", "queenite_village", "queenite_pa")

CHITS = tuple(f"chit {number} in force" for number in range(1, 41))
FIGHTS = (
    *(f"attack on {manned} {kind}" for manned in ("empty", "occupied") for kind in STRUCTURES),
    *(f"attack on {manned} {town}" for manned in ("empty", "occupied") for town in ("town", "town with fort")),
    *(f"advance into {kind}" for kind in STRUCTURES),
    *(f"result {result}" for result in ("none", "D", "A", "R", "E", "ER", "EE")),
    *(f"{step} {column}" for step in ("attack", "counter-attack") for column in ("lesser", "equal", "greater")),
    *(f"bombard units {result}" for result in ("none", "D", "E")),
    *(f"bombard {column} {result}" for column in ("canoe", "pa") for result in ("none", "D", "removed")),
    *(f"bombard neutral {result}" for result in ("none", "maori", "british")),
    *(f"charge {result}" for result in ("none", "D", "A", "R", "E", "ER")),
    *(f"eliminated {kind}" for kind in KINDS),
    *(f"evasion of {player} {end}" for player in ("maori", "british") for end in ("works", "fails")),
    *("absorbed", "not absorbed", "gun alone", "counterstroke", "Māori in a trench", "evasion empties a hex"),
    *("counter-attack of a fort", "counter-attack of an empty pa", "militia alone", "empty structure suffers"),
    *("retreat without a way", "stays in fort", "leader goes along", "leader dies with units", "gunboat retreats"),
    *("canoe retreats", "unit lost by panic", "structure lost by panic", "reduced fort on a town", "stranded canoe"),
    *("town taken", "town retaken", "chit disrupts", "chit rallies", "chit kills a leader", "chit slips away"),
    *("chit reinforces", "cup refilled", "no chits"),
)
MOVES = (
    *("march into a soft hex", "leader beside leader", "leader caught", "gunboat driven off", "stack", "shipment"),
    *("canoe captured", "canoe destroyed", "canoe without counter", "canoe carried", "canoe carried inland"),
    *("Disrupted carry", "canoe with cargo", "canoe alone", "gunboat with cargo", "gunboat alone", "scuttle"),
    *("canoe on a lake", "marched, then carried", "sap placed", "sap works", "sap in vain"),
)
OTHERS = (
    *("arrival", "arrival elsewhere", "arrival into the Box", "leader out of the Box", "from the Box"),
    *("Box without supply", "rallied", "alliance none", "alliance own", "alliance opponent", "leader withdraws"),
    *("sole British leader talks", "joined neutral_village", "joined neutral_pa", "neutral leader joined"),
    *("joined without a counter", "joined maori", "joined british"),
    *("into the bush", "out of the bush", "through the bush", "stays in the bush", "raid", "raid answered", "hunt"),
    *("hunt in vain", "hunt answered", "leader raids", "rangers raid with their leader", "surprise"),
    *(f"build {kind}" for kind in (*STRUCTURES, "repair")),
    *("fort on a town", "out of supply", "panic out of supply", "supply by water", "starved warrior"),
    *("starved queenite", "end by marker", "end by villages", "end by settlements", "end by turns "),
    *("end by turns minor", "end by turns major"),
)
WANTED = (*CHITS, *FIGHTS, *MOVES, *OTHERS)


def missing(events: Counter[str], times: int = 10) -> dict[str, int]:
    """What was reached less often."""
    return {name: events[name] for name in WANTED if events[name] < times}
