"""Why a piece cannot be chosen, or cannot go to a hex: for messages. Nothing here decides whether it can."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from hawaii_env.game import State
from hawaii_env.texts import count

from .pictures.names import STRUCTURE_NAMES
from .pictures.phrases import place_name
from .rules import names as n
from .rules.bush import in_bush, is_lair, land_units
from .rules.declare import is_eligible
from .rules.movement import can_enter_soft, may_march
from .rules.pieces import fits, has, is_boat, is_fighting, is_held, is_leader, is_neutral, is_soft
from .rules.search import search_march

__all__ = ["why_not"]

FARTHEST = 64
"""Points that reach whatever can be reached by land."""

_ELSE: Mapping[str, str] = {
    "reinforce": "units come from the Reinforcement Box now [5.0]",
    "sap_target": "a sap is dug towards a pā next to a British land unit [6.0]",
    "sap_place": "a sap is dug from a hex next to the pā, with a British land unit [6.0]",
    "ship_target": "ships go to an open coastal hex away from Māori [14.0]",
    "ship_unit": "artillery, a few units and leaders of the ships’ hex go aboard [14.0, R-52]",
    "aid": "a leader helps one Disrupted unit in his hex [7.0]",
    "negotiate": "a leader talks to neutral people next to him, once a phase [8.0]",
    "negotiator": "a leader next to the neutral people talks, once a phase [8.0]",
    "withdraw": "he goes back to a unit of his player within 3 hexes [8.0]",
    "evade": "who is attacked tries to slip away, or stands [9.0, R-34]",
    "leave": "who slips away goes to a hex next to it that is open to it and has room [9.0, R-34]",
    "disrupt_from": "the chit names hexes with ready units [9.0]",
    "disrupt_unit": "the chit disrupts a ready unit of that hex [9.0]",
    "column": "the guns fire on one kind of target in the hex [9.0]",
    "charge_or_not": "all the cavalry of the attack charges, or none [9.0, R-44]",
    "counter_side": "the answer falls on one hex with attackers [9.0, R-26]",
    "advance": "attackers who are ready advance into the hex that they have cleared [9.0]",
    "lose": "a unit of the hex that was hit is lost [9.0, 11.0]",
    "absorb": "a ready fort or pā may take the loss, once [9.0, R-28]",
    "retreat": "who retreats goes to a hex next to it that is open to it and has room [9.0, 4.0]",
    "raid_side": "raiders come out next to their target, in their territory, where there is room [10.0, R-49]",
    "raid_more": "ready raiders of the same territory join, which have not acted [10.0]",
    "hunt_more": "ready units of the same territory join, which have not acted [10.0]",
    "prey": "an enemy unit of the same territory is caught [10.0]",
    "raid_answer": "those who were raided answer against one hex of raiders [10.0, R-20]",
    "build": "nothing of yours can be founded, fortified or repaired there [12.0, R-21]",
    "structure": "what is built in the hex is chosen now [12.0]",
    "supply": "British units that are cut off are chosen now [13.0]",
    "supply_unit": "a British unit of that hex is Disrupted; one that is already may panic [13.0, 11.0]",
    "starve": "warriors or Queenites whom no structure feeds are chosen now [13.0]",
    "starve_unit": "one of the hungry units there is removed [13.0]",
}
"""Reasons of a phase for whatever is not chosen in it, where nothing more particular holds."""


def why_not(state: State, player: int, thing: Mapping[str, str], to: str) -> str:
    """See `hawaii_env.web.strings.Strings.why_not`."""
    return _Refusal(state, player, thing, to).text()


class _Refusal:
    """Why something cannot be done with a thing of the map.

    Args:
        state, player, thing, to: see `why_not`.
    """

    def __init__(self, state: State, player: int, thing: Mapping[str, str], to: str) -> None:
        game, self.player = cast(Any, state.game), player
        self.rules, self.ruleset, self.state = game.tables, game.ruleset, cast(Any, state).interpreted()
        self.hexes = {at: number for number, at in enumerate(game.hexes)}
        self.here: int = self.hexes.get(thing.get("place", ""), -1)
        self.aim: int = self.hexes.get(to, -1)
        self.pieces = [
            piece
            for piece in range(self.state.pieces)
            if self.state.place[piece] == self.here >= 0 and self._named(piece, game) == thing.get("piece")
        ]
        self.in_box = thing.get("place", "").startswith("box/")
        self.in_bush = self.here < 0 and not self.in_box
        self.other = bool(self.pieces) and self.state.owner[self.pieces[0]] != player

    def _named(self, piece: int, game: Any) -> str:
        kind = self.state.kind[piece]
        names = [*n.KINDS, "neutral", *game.ruleset.leaders]
        return names[kind] + "/disrupted" * bool(self.state.disrupted[piece])

    def text(self) -> str:
        """Return why, or ""."""
        phase = n.PHASES[self.state.phase]
        finds: Mapping[str, Callable[[], Iterator[str]]] = {
            "reinforce_place": self._place, "move": self._moves, "move_unit": self._moves, "move_to": self._march,
            "boat": self._boat, "declare": self._target, "counterstroke": self._target,
            "participants": self._participant, "bush_move": self._bush, "bush_enter": self._bush,
            "bush_unit": self._raider, "bush_act": self._act,
        }  # fmt: skip
        if self.other and phase not in ("declare", "counterstroke"):
            return ""  # whose turn it is says more
        found = next(finds[phase](), "") if phase in finds else ""
        return found or _ELSE.get(phase, "")

    def _place(self) -> Iterator[str]:
        """[5.0, R-11] Yield why a unit of the Box does not appear in a hex."""
        at, state, rules = self._at(), self.state, self.rules
        if at >= 0 and self.player == n.BRITISH and not rules.designated[at]:
            yield "British units arrive in territories that the scenario designates [5.0]"
        built = at >= 0 and (state.structure[at] or state.town[at] == n.UNTAKEN)
        if built and not fits(rules, state, state.piece, at):
            yield self._full(at)
        yield "a unit arrives at a structure or town of its own kind [5.0, R-11]"

    def _at(self) -> int:
        return self.aim if self.aim >= 0 else self.here

    def _full(self, at: int) -> str:
        rules, rough = self.rules, ""
        if rules.rough[at]:
            rough = f", {rules.stack_rough} in rough terrain if British ones are among them"
        return f"it is full: at most {rules.stack} land units of a player stand in a hex{rough} [4.0, R-07]"

    def _moves(self) -> Iterator[str]:
        """[6.0] Yield why pieces do not move."""
        state = self.state
        if self.in_box:
            yield "units of the Reinforcement Box come in the first phase of a half [5.0]"
        if self.in_bush:
            yield "units in the bush act in the phase of bush raiders [10.0]"
        if not self.pieces:
            yield "no piece of yours is there that may still move [6.0]"
        boats = [piece for piece in self.pieces if is_boat(state, piece)]
        if boats and all(has(state, piece, n.MOVED) for piece in boats):
            yield "a boat sails once a turn [6.0]"
        if boats:
            yield "no hex that it reaches by water is open to it [6.0]"
        if all(state.points[piece] == 0 for piece in self.pieces):
            yield "it has no movement points left [6.0]"
        if not any(may_march(state, piece) for piece in self.pieces):
            yield "it has marched, and each piece marches once a turn [6.0, R-14]"
        if self.aim >= 0 and state.phase == n.MOVE_UNIT:
            yield "the piece that moves is chosen first [6.0]"
        yield "no hex that it reaches is open to it and has room [6.0, 4.0]"

    def _march(self) -> Iterator[str]:
        """[6.0] Yield why a march does not end in a hex."""
        at, state, rules, piece = self._at(), self.state, self.rules, self.state.piece
        if at < 0:
            yield "a march ends in a hex of the map; into the bush goes the phase of raiders [6.0, 10.0]"
            return
        if at == (state.hex if piece < 0 else state.place[piece]):
            yield "it stands there [6.0]"
        if is_held(state, self.player, at):
            yield f"{self._holds(at)}, and no march enters that [6.0, R-08]"
        if is_neutral(state, at):
            yield "neutral people are there: leaders talk to them, nobody marches in [6.0, 8.0]"
        soft = is_soft(state, self.player, at)
        if piece < 0:
            if soft:
                yield "enemy leaders or boats are there: units enter one by one, not as a stack [6.0]"
            yield "the stack goes as far as its slowest piece, to an open hex with room for all [6.0, 4.0, R-07]"
        if soft and (state.canoe >= 0 or not can_enter_soft(state, piece, at)):
            yield "enemy leaders or boats are there, which only units without a canoe enter [6.0]"
        if not fits(rules, state, piece, at):
            yield self._full(at)
        points = state.points[piece] - (rules.carry if state.canoe >= 0 else 0)
        search_march(rules, state, piece, FARTHEST)
        if state.cost[at] < 0:
            yield "no way by land leads there past enemies, mountains and water [6.0, R-01, R-13]"
        yield f"that way costs {state.cost[at]}, and it has {count(max(0, points), 'movement point')} [6.0]"

    def _holds(self, at: int) -> str:
        """Return what of the enemy's holds a hex."""
        structure = self.state.structure[at]
        if any(self.state.owner[p] == 1 - self.player for p in range(self.state.pieces) if self.state.place[p] == at):
            return "enemy units hold it"
        name = STRUCTURE_NAMES[n.STRUCTURES[structure - 1]] if structure else "town"
        return f"an enemy {name} holds it"

    def _boat(self) -> Iterator[str]:
        """[6.0, R-14, R-37] Yield why a piece does not go aboard, or a boat not to a hex."""
        state, rules, boat = self.state, self.rules, self.state.boat
        if self.aim < 0 and self.pieces:
            if self.here != state.place[boat]:
                yield "who goes aboard stands where the boat is [6.0]"
            if state.disrupted[boat]:
                yield "a Disrupted boat carries nobody [R-37]"
            if all(is_boat(state, piece) for piece in self.pieces):
                yield "boats carry land units and leaders [6.0]"
            if all(has(state, piece, n.CARRIED | n.CARGO) for piece in self.pieces):
                yield "a piece is carried once a turn [6.0, R-14]"
            if all(state.points[piece] < rules.transport for piece in self.pieces):
                yield f"it needs {count(rules.transport, 'movement point')} to go aboard [R-14]"
            yield "a boat carries two land units, and where it lands there must be room [6.0, 4.0]"
        at = self._at()
        if at < 0:
            yield "who goes aboard stands where the boat is, and it sails to a hex of the map [6.0]"
            return
        if at == state.place[boat]:
            yield "it lies there [6.0]"
        if is_held(state, self.player, at):
            yield f"{self._holds(at)} [6.0]"
        if is_neutral(state, at):
            yield "neutral people are there [6.0]"
        if not (rules.coastal[at] or rules.lake[at] or rules.river[at]):
            yield "no water leads there: boats end on coasts, rivers and lakes [6.0, R-15]"
        yield "no way by water leads there within its points, to a hex that is open and has room [6.0, 4.0]"

    def _target(self) -> Iterator[str]:
        """[9.0] Yield why a hex is not attacked."""
        at, state = self._at(), self.state
        if at < 0:
            yield "a hex next to your units is attacked; those in the bush raid later [9.0, 10.0]"
            return
        if not is_held(state, state.attacker, at) and not is_neutral(state, at):
            yield "nothing of the enemy’s is there that can be attacked: no unit, structure or town [9.0]"
        if state.attacker == n.MAORI and state.town[at] != n.NO_TOWN and not self.rules.designated[at]:
            yield "the scenario leaves that town out of the war [9.0]"
        if any(state.place[piece] == at and has(state, piece, n.EVADED) for piece in range(state.pieces)):
            yield "who has slipped away there is not attacked again in this phase [9.0, R-23]"
        if is_neutral(state, at):
            yield "only a gun next to it fires on neutral people [9.0]"
        yield "no ready unit of yours that may still attack is next to it, across a side that it crosses [9.0, 11.0]"

    def _participant(self) -> Iterator[str]:
        """[9.0, R-33] Yield why a piece does not take part in a combat."""
        state = self.state
        if not self.pieces:
            yield f"units next to {self._called(state.target)} take part [9.0]"
        elif self.here not in self.rules.neighbour[state.target]:
            yield f"it is not next to {self._called(state.target)} [9.0]"
        elif all(is_leader(state, piece) for piece in self.pieces):
            yield "leaders go with their units, and are not named [9.0]"
        elif not any(is_fighting(state, piece) for piece in self.pieces):
            yield "one gun fires, at what has not been fired on, a gunboat across water [9.0, R-24, R-33]"
        elif all(state.disrupted[piece] for piece in self.pieces):
            yield "a Disrupted unit does not attack [9.0, 11.0]"
        elif all(has(state, piece, n.PARTICIPANT) for piece in self.pieces):
            yield "it takes part already [9.0]"
        elif all(has(state, piece, n.ATTACKED) for piece in self.pieces):
            yield "a unit attacks once a turn [9.0]"
        elif not any(is_eligible(state, piece, state.target) for piece in self.pieces):
            yield f"units of its hex attack {self._called(state.bound[self.here])}, and no second target [9.0]"
        else:
            yield "mountains or water lie between [9.0]"

    def _called(self, hex_: int) -> str:
        return place_name(self.ruleset, next(at for at, number in self.hexes.items() if number == hex_))

    def _bush(self) -> Iterator[str]:
        """[10.0, R-18, R-19] Yield why a piece does not go into the bush, or does not act there."""
        state, rules = self.state, self.rules
        units = [piece for piece in self.pieces if not is_leader(state, piece)]
        if self.in_box:
            yield "units of the Reinforcement Box come in the first phase of a half [5.0]"
        if self.in_bush:
            yield "no piece of yours is there that has not acted [10.0]"
        if not self.pieces:
            yield "no piece of yours is there that may go into the bush [10.0]"
        if all(has(state, piece, n.ACTED) for piece in self.pieces):
            yield "it has acted in this phase [10.0]"
        if units and not any(state.kind[piece] < n.NEUTRAL_UNIT and rules.bush[state.kind[piece]] for piece in units):
            yield "units of its kind do not go into the bush [10.0]"
        if in_bush(rules, state, self.player) >= rules.bush_limit[self.player]:
            yield f"the bush holds {rules.bush_limit[self.player]} of your units [10.0, R-18]"
        yield "the piece of the hex that goes into the bush is chosen first [10.0]"

    def _raider(self) -> Iterator[str]:
        """[10.0] Yield why a piece is not the one that acts."""
        yield "a piece of the territory acts that has not acted in this phase [10.0]"

    def _act(self) -> Iterator[str]:
        """[10.0] Yield why a raider neither raids a hex nor comes out there."""
        at, state = self._at(), self.state
        if at < 0:
            yield "raiders go to a territory next to theirs [10.0]"
            return
        if self.rules.territory[at] != state.territory:
            yield "raiders come out in their own territory, and raid next to it [10.0]"
        if land_units(state, 1 - self.player, at):
            if state.structure[at] or state.town[at] != n.NO_TOWN:
                yield "raiders attack no structure and no town [10.0]"
            if state.disrupted[state.piece] or is_leader(state, state.piece):
                yield "leaders and Disrupted units do not raid [10.0]"
            yield "no hex next to it is open for them to come out [10.0, R-49]"
        if is_held(state, self.player, at):
            yield f"{self._holds(at)} [10.0]"
        if is_neutral(state, at):
            yield "neutral people are there [10.0]"
        if not is_lair(self.rules, state, state.piece, at):
            yield self._full(at)
