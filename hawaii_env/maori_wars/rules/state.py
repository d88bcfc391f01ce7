"""A position and a game's tables as records, and the conventions of the rules that read them.

Hexes that can be entered are numbered 0 to ``rules.hexes - 1``, ascending by id. Behind them, as *places* of pieces,
come the territories of the Bush Raider Box, the Reinforcement Boxes (`rules.box`), what is out of the game
(`rules.out`) and the automatic reinforcements that have not arrived yet (``rules.due + n`` for entry n of the
scenario's `arrivals`).

**Pieces** are units and leaders. Slots carry nothing that does not change: a piece is what `state.kind` says (of
leaders ``LEADER + n``), so positions may fill slots in any order, and no choice may depend on a slot's number. The
pieces of a place form a chain, `state.first[place]`, then `state.next[piece]`, up to -1; it is sorted by kind, ready
before Disrupted, which is the order of the rulebook's "in order". Move pieces with `pieces.place_piece` only, and
Disrupt or rally them with `pieces.set_disrupted`: both keep the chain, and `state.count`, what stands in a hex by
owner (see `pieces`).

**Phases.** `state.phase` is one question of one stage: a decision, a chance node, or a step that asks nobody. Each is
a `hawaii_env.core.phases.Phase` of the module of its chapter; `flow` puts them into one table. The rules never call
each other in a ring: who wants something done that may ask somebody (a result, a retreat, a panic) writes the frame,
sets `state.phase` and returns; `flow.advance` runs the steps that ask nobody, one after the other, and `state.resume`
or `state.after` says what follows. Each decision has two choices or more, or one, which is taken at once; a phase must
never be entered with none: a `run` phase before it looks whether anything can be chosen. `state.decider` is set before
a decision is asked. Modules of chapters import from `pieces`, `victory`, `boats` and `reinforcement`, never from
`flow`.

**The end.** `victory.award` and `victory.structure_lost` note the end of the game in `state.result`; `flow.advance`
ends it before anything else is asked, and points no longer count from then on.

**The frame.** Fields from `attacker` to `had_units` belong to the combat, raid or hunt that is running. `apply_result`
fields (`victim`, `spot`, `outcome`, `losses`, ...) belong to the result that is being applied to the units of `victim`
in `spot`; `after` is the phase that follows it.
"""

from __future__ import annotations

from hawaii_env.core.layout import Field, Layout

from .names import EFFECTS, PHASES, REASONS, STAGES, STRUCTURES

__all__ = ["EXTRA", "N_CHITS", "STATE", "TABLES"]

N_CHITS = 40
EXTRA = 64
"""Legal actions that a decision can have beside those of one a hex."""

N_KINDS = 13

STATE = Layout(
    "maori_wars_state",
    Field("hexes"),  # lengths
    Field("places"),
    Field("pieces"),
    # where the game stands
    Field("turn", low=1),
    Field("half", low=0, high=1),  # the mover
    Field("stage", low=0, high=len(STAGES) - 1),
    Field("phase", low=0, high=len(PHASES) - 1),
    Field("resume", low=0, high=len(PHASES) - 1),  # what follows a chit's reinforcement
    Field("decider", low=-1, high=1),
    Field("marker"),  # positive for the British player
    Field("result", low=0, high=len(REASONS)),  # 1 + an index of REASONS, 0 while the game goes on
    Field("winner", low=-1, high=1),
    Field("forts_built", low=0),
    Field("sap_hex", low=-1),  # of the sap marker
    Field("sap_target", low=-1),
    Field("cup", low=0),  # chits, bit n for chit n
    Field("aside", low=0),
    Field("structures", len(STRUCTURES) + 1, low=0),  # how many there are on the map
    # what a decision is about
    Field("hex", low=-1),
    Field("piece", low=-1),  # -1 in `move_to` for a whole stack
    Field("boat", low=-1),
    Field("canoe", low=-1),  # that the piece carries
    Field("territory", low=-1),
    Field("left", low=0),  # units that may still come from the Box
    Field("reached", low=0, derived=True),  # hexes in `queue`
    # the combat
    Field("attacker", low=-1, high=1),
    Field("target", low=-1),
    Field("gun", low=-1),
    Field("chit", low=0, high=N_CHITS),  # in force, 0 for none
    Field("column", low=0),  # of the bombardment
    Field("attack_modifier"),
    Field("counter_modifier"),
    Field("bombard_modifier"),
    Field("counter_columns"),  # to the right
    Field("no_counter", low=0, high=1),
    Field("no_bombard", low=0, high=1),
    Field("slipping", low=0, high=1),  # units leave by a chit, without a die
    Field("hit", low=0, high=1),  # the charge or attack had a result other than none
    Field("suffers", low=0),  # the worst result on an empty structure, applied if nobody advances
    Field("vacated", low=0, high=1),  # evasion or slipping away emptied a hex without fort or pa
    Field("second", low=0, high=2),  # 1: the defender may declare a counterstroke; 2: it is running
    Field("next_step", low=0, high=len(PHASES) - 1),  # the step of the combat that `combat_step` does next
    # the result that is being applied
    Field("victim", low=-1, high=1),
    Field("spot", low=-1),
    Field("outcome", low=0),  # of RESULTS
    Field("losses", low=0),
    Field("retreating", low=0, high=1),  # the rest retreats after the losses
    Field("absorbed", low=0, high=2),  # 1: may still try to absorb; 2: has tried in vain, a unit must be lost
    Field("went", low=-1),  # hex that the last one went to
    Field("had_units", low=0, high=1),
    Field("after", low=0, high=len(PHASES) - 1),
    # a raid
    Field("hunting", low=0, high=1),
    Field("prey", low=-1),  # the unit that is hunted
    Field("generator", 8, derived=True),
    Field("n_legal", low=0, derived=True),  # how many actions are legal, 0 if nobody has a choice
    # by piece
    Field("kind", "pieces", low=0, derived=True),
    Field("owner", "pieces", low=0, high=2, derived=True),
    Field("place", "pieces", low=0, derived=True),
    Field("disrupted", "pieces", low=0, high=1, derived=True),
    Field("points", "pieces", low=0, derived=True),  # movement points left
    Field("did", "pieces", low=0, derived=True),  # marks of `names`
    Field("origin", "pieces", low=-1, derived=True),  # the hex that a participant attacks from
    Field("next", "pieces", low=-1, derived=True),  # in the same place
    Field("face", "pieces", low=0, high=6, derived=True),  # least face that rallies it, 0 if it does not roll
    # by place
    Field("first", "places", low=-1, derived=True),
    # by hex
    Field("structure", "hexes", low=0, high=len(STRUCTURES)),
    Field("damaged", "hexes", low=0, high=1),  # 1: the structure is Disrupted
    Field("town", "hexes", low=0, high=2),
    Field("count", 3, "hexes", low=0, derived=True),  # what each owner has there, packed; see `pieces`
    Field("bound", "hexes", low=-1),  # the one hex that units of this one may attack in this stage
    Field("used", "hexes", low=0),  # marks of `names`
    Field("cost", "hexes", derived=True),  # scratch of searches: points to reach, -1 if not reached
    Field("queue", "hexes", derived=True),  # scratch: hexes reached
    Field("tally", "hexes", derived=True),  # scratch: how many searches of a stack reach it
    Field("legal", None, derived=True),  # actions, ascending
)

TABLES = Layout(
    "maori_wars_tables",
    Field("hexes"),
    Field("places"),
    Field("pieces"),
    Field("territories"),
    Field("leaders"),
    Field("arrivals"),
    Field("box"),  # places: see above
    Field("out"),
    Field("due"),
    # the scenario
    Field("turns"),
    Field("per_turn", 2),  # by player
    Field("fort_limit"),
    Field("has_sap"),
    Field("ship_turn"),  # 0 without a shipment
    Field("ship_from"),
    Field("ship_units"),
    Field("levels"),  # 1: graded wins
    Field("chits"),  # bits: those of the scenario
    Field("start_kind", "pieces"),
    Field("start_owner", "pieces"),
    Field("start_place", "pieces"),
    Field("start_structure", "hexes"),
    Field("arrival_turn", "arrivals"),
    Field("arrival_player", "arrivals"),
    Field("arrival_hex", "arrivals"),
    # hexes
    Field("neighbour", "hexes", 6),  # by side; -1 for none that can be entered
    Field("land", "hexes", 6),  # the same across sides that land pieces cross: neither water nor lake
    Field("side", "hexes", 6),  # PLAIN ... LAKE; 0 where there is no neighbour
    Field("wet", "hexes", 6),  # 1: water connection
    Field("axial", "hexes", 2),  # coordinates in which distances are counted
    Field("rough", "hexes"),
    Field("coastal", "hexes"),
    Field("lake", "hexes"),
    Field("river", "hexes"),  # on a river
    Field("navigable", "hexes"),
    Field("territory", "hexes"),
    Field("designated", "hexes"),
    Field("town", "hexes"),  # 1: a town is printed there
    Field("coast", None),  # the coastal hexes, ascending
    Field("navy", "hexes", 6),  # 1: a gunboat goes to that neighbour by river
    Field("canoe_first", None),  # where the steps of canoes from each hex begin in the next three; one more at the end
    Field("canoe_to", None),
    Field("canoe_cost", None),
    Field("canoe_sea", None),  # 1: by sea or along the coast, 0: by river or lake
    Field("around", "hexes", 37),  # hexes within 3: number, or OFF, DRY or WET of `supply`
    Field("around_step", 37, 6),  # from one of the 37 to another, -1 outside
    Field("territory_near", "territories", "territories"),  # 1: neighbours in the theatre
    Field("in_play", "territories"),  # 1: in the theatre
    # kinds, in the order of `names`; leaders are the last one
    Field("strength", N_KINDS),
    Field("move", N_KINDS),
    Field("enter", N_KINDS, 2),  # points by terrain
    Field("infantry", N_KINDS),
    Field("panic", N_KINDS),
    Field("weight", N_KINDS),  # in `state.count`; see `pieces`
    Field("bush", N_KINDS),  # 1: may enter the Bush Raider Box in this scenario
    Field("bonus", N_KINDS),
    Field("surprised", N_KINDS),
    Field("may_be_lost", N_KINDS),
    Field("counters", N_KINDS, 2),  # counters there are, by owner
    Field("arrives", N_KINDS),  # 0 town, 1 british, 2 queenite, 3 maori: where it comes from the Box
    Field("structure_counters", len(STRUCTURES) + 1),
    Field("category", "leaders"),  # of CATEGORIES
    Field("bushman", "leaders"),  # 1: rough terrain costs 1
    Field("for_rangers", "leaders"),  # 1: von Tempsky, Jackson
    # charts
    Field("results", 3, 9),  # Combat Results Table: column, die
    Field("bombardment", 4, 7),  # column, die; die 0 is not used
    Field("talks", 8),  # alliance, by die
    Field("attack_terrain", 2),
    Field("fort_occupied"),
    Field("fort_empty"),
    Field("stack"),
    Field("stack_rough"),
    Field("transport"),
    Field("carry"),
    Field("charge"),
    Field("militia_alone"),
    Field("sap_defence"),
    Field("fort_strength"),
    Field("absorb_faces"),  # faces as bits
    Field("evade_maori"),
    Field("evade_hunted"),
    Field("evade_bush"),
    Field("evade_leader"),
    Field("evade_single"),
    Field("panic_structure"),
    Field("rally_alone"),
    Field("rally_british"),
    Field("rally_ranger"),
    Field("rally_queenite"),
    Field("rally_maori"),
    Field("sole_british"),
    Field("maori_talks"),
    Field("withdraw"),
    Field("bush_limit", 2),
    Field("hunt_faces"),
    Field("surprise"),
    Field("per_structure"),
    Field("supply_range"),
    Field("build_range"),
    Field("fort_cost"),
    Field("decisive"),
    Field("minor"),
    Field("major"),
    Field("unit_points"),
    Field("leader_points"),
    Field("canoe_points"),
    Field("structure_points", len(STRUCTURES) + 1),  # for what is gone when the structure is reduced or removed
    Field("town_points"),
    Field("alliance_points"),
    # chits, by number
    Field("chit_if", N_CHITS + 1),  # conditions as bits
    Field("chit_attacker_has", N_CHITS + 1),  # a kind, -1 for none
    Field("chit_defender_has", N_CHITS + 1),
    Field("chit", N_CHITS + 1, len(EFFECTS)),  # by effect: its number, or 1; of those for a side 1 + TO_MAORI ...
    Field("chit_amount", N_CHITS + 1),
    Field("chit_faces", N_CHITS + 1),
    Field("once", N_CHITS + 1),
    # the action table: the first of each family
    Field("do_carry"),
    Field("do_column"),
    Field("do_structure"),
    Field("do_territory"),
    Field("do_go"),
    Field("do_counter"),
    Field("do_with"),
    Field("do_advance"),
    Field("do_from"),
    Field("do_to"),
    Field("do_target"),
    Field("do_place"),
    Field("do_build"),
    Field("actions"),
)
