"""Names and their numbers: players, kinds of unit, structures, phases, marks of pieces. The order is the same
everywhere.
"""

from __future__ import annotations

PLAYERS = ("maori_0", "british_1")
MAORI, BRITISH, NEUTRAL = range(3)
"""Owners of pieces and structures; the first two play."""

SIDES = ("n", "ne", "se", "s", "sw", "nw")
"""The sides of a hex, clockwise; the side opposite to `d` is ``(d + 3) % 6``."""

PLAIN, MIXED, WATER, LAKE = range(4)
"""Kinds of hexside. Land pieces do not cross the last two."""

CLEAR, ROUGH = range(2)

OFF, DRY, WET = -1, -2, -3
"""In `rules.around`, where no hex of the theatre is: off it, a mountain of it, water."""

KINDS = (
    "infantry", "naval", "militia", "constabulary", "rangers", "cavalry", "artillery", "gunboat", "queenite", "warrior",
    "canoe",
)  # fmt: skip
INFANTRY, NAVAL, MILITIA, CONSTABULARY, RANGERS, CAVALRY, ARTILLERY, GUNBOAT, QUEENITE, WARRIOR, CANOE = range(11)
NEUTRAL_UNIT, LEADER = 11, 12
"""Kinds of piece behind those of units: neutral units, then the leaders, leader `n` of the file as ``LEADER + n``."""

STRUCTURES = (
    "settlement", "fort", "village", "pa", "queenite_village", "queenite_pa", "neutral_village", "neutral_pa",
)  # fmt: skip
NO_STRUCTURE, SETTLEMENT, FORT, VILLAGE, PA, QUEENITE_VILLAGE, QUEENITE_PA, NEUTRAL_VILLAGE, NEUTRAL_PA = range(9)
"""Structures of a hex. A pa of any owner has its village's number + 1, a fort its settlement's."""

NO_TOWN, UNTAKEN, TAKEN = range(3)

CATEGORIES = ("maori", "queenite", "british", "neutral")
"""The categories of units that leaders lead."""

RESULTS = ("none", "D", "A", "R", "E", "ER", "EE", "removed", "maori", "british", "opponent", "own")
(
    NOTHING, DISRUPT, ALL_DISRUPTED, RETREATS, LOSS, LOSS_RETREAT, TWO_LOSSES, REMOVED, JOIN_MAORI, JOIN_BRITISH,
    JOIN_OPPONENT, JOIN_OWN,
) = range(12)  # fmt: skip
"""Results of the charts."""

LESSER, EQUAL, GREATER = range(3)
"""Columns of the Combat Results Table."""

COLUMNS = ("units", "canoe", "pa", "neutral")
ON_UNITS, ON_CANOE, ON_PA, ON_NEUTRAL = range(4)
"""Columns of the bombardment table."""

STAGES = (
    "reinforcement", "movement", "rally", "alliance", "combat", "bush", "construction", "attrition",
)  # fmt: skip
REINFORCEMENT, MOVEMENT, RALLYING, ALLIANCES, COMBAT, BUSH, CONSTRUCTION, ATTRITION = range(8)
"""The rulebook's phases of a half [2.0]; a phase of the compiled rules, below, is a question of one of them."""

PHASES = (
    # asks nobody: begins the stage that `state.stage` names
    "begin",
    # reinforcement
    "arrivals", "reinforce", "reinforce_place",
    # movement
    "sap", "sap_target", "sap_place", "ship_target", "ship_unit", "move", "move_unit", "move_to", "boat",
    # rally, alliance
    "rally_next", "aid", "rally", "negotiate", "negotiator", "alliance", "withdraw",
    # combat
    "declare", "participants", "evade", "evasion", "leave", "chit", "disrupt_from", "disrupt_unit", "leader", "column",
    "bombard", "charge_or_not", "charge", "counter_side", "counter", "attack", "advance", "counterstroke",
    "combat_step",
    # results of combat, raids and attrition
    "apply", "lose", "absorb", "retreat", "panic",
    # bush raids
    "bush_move", "bush_enter", "bush_unit", "bush_act", "raid_side", "raid_more", "hunt_more", "hunt", "prey",
    "raid_answer",
    # construction, attrition
    "build", "structure", "supply", "supply_unit", "starve_check", "starve", "starve_unit",
    "over",
)  # fmt: skip
(
    BEGIN,
    ARRIVALS, REINFORCE, REINFORCE_PLACE,
    SAP, SAP_TARGET, SAP_PLACE, SHIP_TARGET, SHIP_UNIT, MOVE, MOVE_UNIT, MOVE_TO, BOAT,
    RALLY_NEXT, AID, RALLY, NEGOTIATE, NEGOTIATOR, ALLIANCE, WITHDRAW,
    DECLARE, PARTICIPANTS, EVADE, EVASION, LEAVE, CHIT, DISRUPT_FROM, DISRUPT_UNIT, LEADER_DIE, COLUMN,
    BOMBARD, CHARGE_OR_NOT, CHARGE, COUNTER_SIDE, COUNTER, ATTACK, ADVANCE, COUNTERSTROKE, COMBAT_STEP,
    APPLY, LOSE, ABSORB, RETREAT, PANIC,
    BUSH_MOVE, BUSH_ENTER, BUSH_UNIT, BUSH_ACT, RAID_SIDE, RAID_MORE, HUNT_MORE, HUNT, PREY,
    RAID_ANSWER,
    BUILD, STRUCTURE, SUPPLY, SUPPLY_UNIT, STARVE_CHECK, STARVE, STARVE_UNIT,
    OVER,
) = range(len(PHASES))  # fmt: skip

SPEAKING = (
    REINFORCE_PLACE, MOVE_TO, BOAT, AID, RALLY, ALLIANCE, WITHDRAW, LEAVE, LEADER_DIE, RETREAT, PANIC, BUSH_ACT,
    RAID_SIDE,
)  # fmt: skip
"""Phases that are about one piece."""

# Marks of a piece, bits of `state.did`; all are cleared when a stage begins.
MOVED = 1  # has marched or sailed
OPEN = 2  # may march once more with the points it has left
CARRIED = 4  # was cargo this stage
CARGO = 8  # is cargo of the boat that is being loaded
ATTACKED = 16
EVADED = 32
BOMBARDED = 64
CHARGED = 128
PARTICIPANT = 256  # takes part in the combat or raid that is running
ACTED = 512  # in the bush
NEGOTIATED = 1024
AIDED = 2048  # a leader helps it to rally
ROLLED = 4096  # its die of the rally phase has fallen
RAIDED = 8192  # a raid's victims, while it is running
STAYS = 16384  # has stayed where it may retreat or evade
MARKS = (
    "moved", "open", "carried", "cargo", "attacked", "evaded", "bombarded", "charged", "participant", "acted",
    "negotiated", "aided", "rolled", "raided", "stays",
)  # fmt: skip
"""Their names, by bit."""

# Marks of a hex, bits of `state.used`; all are cleared when a stage begins.
SHELLED = 1  # bombarded
TALKED = 2  # negotiated with
USES = ("shelled", "talked")
"""Their names, by bit."""

# Conditions of chits, bits of `rules.chit_if`, and their effects.
MAORI_ATTACKS, BRITISH_ATTACKS, IF_ROUGH, IF_RIVER, IF_PA = 1, 2, 4, 8, 16
EFFECTS = (
    "none", "attack", "counter", "bombard", "counter_column", "no_counter", "no_bombard", "call_off", "reinforce",
    "disrupt", "rally", "leader_hit", "slip_away", "second_combat", "points",
)  # fmt: skip
(
    E_NONE, E_ATTACK, E_COUNTER, E_BOMBARD, E_COUNTER_COLUMN, E_NO_COUNTER, E_NO_BOMBARD, E_CALL_OFF, E_REINFORCE,
    E_DISRUPT, E_RALLY, E_LEADER_HIT, E_SLIP_AWAY, E_SECOND_COMBAT, E_POINTS,
) = range(len(EFFECTS))  # fmt: skip
TO_MAORI, TO_BRITISH, TO_ATTACKER, TO_DEFENDER = range(4)
"""The side that an effect is for."""

REASONS = (
    "nine points [1.0]",
    "no village or pā is left [1.0]",
    "no settlement is left [1.0]",
    "major victory on points [1.0]",
    "minor victory on points [1.0]",
    "the marker is within one point of 0 [1.0]",
)
"""Reasons for the end of a game, by `state.result` - 1."""
BY_POINTS, BY_VILLAGES, BY_SETTLEMENTS, MAJOR, MINOR, TIED = range(6)
