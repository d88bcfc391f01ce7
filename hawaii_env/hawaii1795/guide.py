"""Advice of the page for players of Hawaii, 1795: what either side wants, what threatens its chiefs, which choices put
one at stake, and how the game ended.

Everything here is data of plain types, which the page shows without knowing what it is about.

One file: all advice reads one summary of the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median_low
from typing import Any, cast

from hawaii_env.game import Game, State
from hawaii_env.hawaii1795.battles import battle_odds
from hawaii_env.hawaii1795.pictures.names import card_of, piece_of, space_name, type_of
from hawaii_env.hawaii1795.pictures.phrases import NUMBERS
from hawaii_env.hawaii1795.rules.names import SPACES
from hawaii_env.texts import spell

__all__ = ["HawaiiGuide", "advice", "why"]


SIDES = ("kamehameha", "allied")
CHIEFS: Mapping[str, tuple[str, ...]] = {"kamehameha": ("kamehameha",), "allied": ("kalani", "kaiana")}
"""The leaders of a side whose death ends the game, of several the last one's [5.2]."""

RISK = 0.15
"""A choice that puts a chief at stake is warned of from this chance that he falls on."""

EXPOSED = 0.9
"""The end of a side's movement is warned of where the other side's strongest attack would fell a chief with this
chance.
"""

_BEFORE_MOVEMENT = ("card", "event", "home", "recruiting", "window")
_MOVING = ("movement", "pickup", "cargo", "sail")
_SAMPLES, _NODES = 400, 4000  # a standard error of 2.5 points at most, in half a second at most


# -- what stands where


@dataclass(frozen=True)
class _Board:
    """A position by names, as these pages ask for it."""

    view: Mapping[str, Any]
    ruleset: Any
    game: Game

    def units(self, side: str, place: str) -> list[str]:
        """Return kinds of a side's units in a place, canoes left out."""
        pieces = self.view["units"].get(side, {}).get(place, ())
        return [kind for kind in (p.split("/")[0] for p in pieces) if not kind.endswith("canoe")]

    def enemies(self, side: str, space: str) -> list[str]:
        """Return the kinds of the units that defend a space against a side, neutral ones included."""
        return [*self.units(_other(side), space), *self.units("neutral", space)]

    def canoes(self, side: str) -> int:
        """Count the canoes of a side on the map."""
        return sum(p.split("/")[0].endswith("canoe") for s in SPACES for p in self.view["units"][side].get(s, ()))

    def holds(self, side: str, space: str) -> bool:
        """[5.1, R-07] Return True if a side occupies a space."""
        return bool(self.units(side, space)) and not self.enemies(side, space)

    def dead(self, side: str, chief: str) -> bool:
        return f"{side}:{chief}" in self.view["dead"]

    def chief_at(self, side: str, chief: str) -> str | None:
        """Return the place of a chief, or None."""
        for place, pieces in self.view["units"][side].items():
            if any(piece.split("/")[0] == chief for piece in pieces):
                return place
        return None

    def fleets(self, side: str) -> int:
        """Return the fleet moves that a side may make next: those of its card, those left of them, or what a middling
        card gives.
        """
        first = 9 * SIDES.index(side)
        cards = self.ruleset.cards[first : first + 9]
        if self.view["half"] == side and self.view["card"] is not None:
            if self.view["phase"] in _MOVING:
                return int(self.view["fleet_moves"])
            if self.view["phase"] in _BEFORE_MOVEMENT:
                return int(card_of(self.view["card"], self.ruleset).fleets)
        left = [card.fleets for card in cards if card.number in self.view["decks"][side]]
        return median_low(left or [card.fleets for card in cards])

    def name(self, kind: str, side: str) -> str:
        return spell(piece_of(kind, side, self.ruleset).name)

    def strength(self, kind: str, side: str) -> float:
        """Return the worth of a unit in an attack: its dice, and more for an elite one."""
        piece = piece_of(kind, side, self.ruleset)
        return piece.strength * (1.4 if piece.elite else 1.0)

    def sibling(self, space: str) -> str | None:
        """Return the other space of the island."""
        spaces = self.ruleset.spaces
        return next((s for s in SPACES if s != space and spaces[s].island == spaces[space].island), None)


def _board(state: State) -> _Board:
    return _Board(state.view().to_dict(), cast(Any, state.game).ruleset, state.game)


def _other(side: str) -> str:
    return SIDES[1 - SIDES.index(side)]


def _reach(board: _Board, side: str, target: str) -> tuple[list[str], bool]:
    """Return the strongest force that a side could bring into a space next, and whether any of it comes by canoe [10.2,
    10.3].

    All who stand on the island's other space march; each fleet move brings a canoe's load from one space.
    """
    beside = board.sibling(target)
    force = board.units(side, beside) if beside is not None and not board.enemies(side, beside) else []
    cargoes: list[tuple[float, list[str]]] = []
    load = board.ruleset.canoe_load
    for space in SPACES:
        if space in (target, beside) or board.enemies(side, space):
            continue
        there = sorted(board.units(side, space), key=lambda kind: -board.strength(kind, side))
        leaders = [kind for kind in there if type_of(piece_of(kind, side, board.ruleset)) == "leader"]
        others = [kind for kind in there if kind not in leaders]
        while (leaders and load.leaders) or others:
            cargo = leaders[: load.leaders] + others[: load.units]
            leaders, others = leaders[load.leaders :], others[load.units :]
            cargoes.append((sum(board.strength(kind, side) for kind in cargo), cargo))
    cargoes.sort(key=lambda entry: -entry[0])
    carried = cargoes[: min(board.fleets(side), board.canoes(side))]
    return force + [kind for _, cargo in carried for kind in cargo], bool(carried)


@lru_cache(maxsize=2000)
def _chance(game: Any, attackers: tuple[str, ...], defenders: tuple[str, ...], space: str, kind: str) -> float:
    """Return the attackers' chance."""
    odds = battle_odds(
        attackers, defenders, space, kind, chiefs=False, game=game, policy="simple", max_nodes=_NODES,
        samples=_SAMPLES,
    )  # fmt: skip
    return odds.attacker_wins


def _wins(board: _Board, side: str, attackers: Sequence[str], defenders: Sequence[str], space: str, kind: str) -> float:
    """Return the chance that a side's attackers win; a chief who fights alone counts as all that is at stake."""
    if not attackers or not defenders:
        return float(bool(attackers))
    if kind == "overland" and board.sibling(space) is None:
        kind = "invasion"
    return _chance(board.game, tuple(sorted(attackers)), tuple(sorted(defenders)), space, kind)


# -- what either side wants


def _listed(names: Sequence[str], last: str = "and") -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


def _wanted(board: _Board, side: str) -> tuple[list[dict[str, str]], list[str], int]:
    """Return what a side must hold, as lines; the spaces that it may still take for it; and how many it lacks at least
    [5.1].
    """
    victory = board.ruleset.victory[side]
    lines: list[dict[str, str]] = []
    open_spaces: list[str] = []
    lacking = 0
    for spaces, count in (
        (victory.all, len(victory.all)), (victory.some, victory.at_least), (victory.any, 1 if victory.any else 0)
    ):  # fmt: skip
        if not count:
            continue
        held = [space for space in spaces if board.holds(side, space)]
        lack = max(0, count - len(held))
        lacking += lack
        named = [space_name(space, board.ruleset) for space in spaces]
        if count == len(spaces):
            what = _listed(named)
        elif count == 1:
            what = _listed(named, "or")
        else:
            what = f"{NUMBERS[count]} of {_listed(named)}"
        has = (
            "held"
            if not lack
            else f"{NUMBERS[len(held)]} held"
            + (f" ({_listed([space_name(space, board.ruleset) for space in held])})" if held else "")
        )
        lines.append({"text": f"{what[:1].upper()}{what[1:]}: {has}.", "mark": "open" if lack else "done"})
        if lack:
            open_spaces += [space for space in spaces if space not in held]
    return lines, open_spaces, lacking


def _when(side: str) -> str:
    return "as a month begins" if side == "kamehameha" else "as the Allies’ half of a month begins"


def _deaths(board: _Board, side: str) -> str:
    """Return a sentence that says whose death wins the game for a side [5.2]."""
    other = _other(side)
    texts: list[str] = []
    for chief in CHIEFS[other]:
        name, at = board.name(chief, other), board.chief_at(other, chief)
        if board.dead(other, chief):
            texts.append(f"{name} has fallen")
        elif at in SPACES:
            texts.append(f"{name} is at {space_name(cast(str, at), board.ruleset)}")
        elif at is None:
            texts.append(f"{name} is not on the map yet")
        else:
            texts.append(f"{name} is at sea")
    whom = [board.name(chief, other) for chief in CHIEFS[other] if not board.dead(other, chief)]
    return f"Or at once, when {_listed(whom)} fall{'s' if len(whom) == 1 else ''} in battle: {', '.join(texts)} [5.2]."


def _percent(chance: float) -> str:
    # Simulated odds are no surer than this.
    return "below 2%" if chance < 0.02 else "above 98%" if chance > 0.98 else f"{round(chance * 100)}%"


def _targets(board: _Board, side: str, spaces: Sequence[str]) -> list[dict[str, str]]:
    """Return the spaces where a side could take what it lacks, the surest first."""
    found: list[tuple[float, str]] = []
    for space in spaces:
        force, by_sea = _reach(board, side, space)
        enemies = board.enemies(side, space)
        where = space_name(space, board.ruleset)
        if not force:
            continue
        if not enemies:
            neutral = (
                " (its people then join the other side)"
                if space == "kauai" and board.view["kauai"] == "neutral"
                else ""
            )
            found.append((1.1, f"{where} is empty: whoever lands there has it{neutral}."))
            continue
        chance = _wins(board, side, force, enemies, space, "invasion" if by_sea else "overland")
        units = "1 unit" if len(enemies) == 1 else f"{len(enemies)} units"
        found.append((chance, f"{where} ({units}): {_percent(chance)} to win with all that you could bring."))
    found.sort(key=lambda entry: -entry[0])
    return [{"text": text, "mark": "aim"} for _, text in found[:3]]


def _threat(board: _Board, side: str, chief: str, space: str) -> tuple[float, list[str]]:
    """Return the chance that a chief falls to the strongest attack that could come next, and who would come."""
    attackers, by_sea = _reach(board, _other(side), space)
    if not attackers:
        return 0.0, []
    kind = "invasion" if by_sea else "overland"
    return _wins(board, _other(side), attackers, board.units(side, space), space, kind), attackers


def _force(board: _Board, side: str, kinds: Sequence[str]) -> str:
    dice = sum(piece_of(kind, side, board.ruleset).strength for kind in kinds)
    return f"{'1 unit' if len(kinds) == 1 else f'{len(kinds)} units'} with {dice} dice"


def _chief_lines(board: _Board, side: str) -> list[dict[str, str]]:
    """Return where a side's chiefs are, and what could come."""
    lines: list[dict[str, str]] = []
    for chief in CHIEFS[side]:
        name, at = board.name(chief, side), board.chief_at(side, chief)
        if board.dead(side, chief):
            lines.append({"text": f"{name} has fallen.", "mark": "danger"})
        elif at is None:
            lines.append({"text": f"{name} is not on the map yet.", "mark": ""})
        elif at not in SPACES or board.enemies(side, at):
            lines.append({"text": f"{name} is in a battle, or on the way to one.", "mark": "danger"})
        else:
            risk, attackers = _threat(board, side, chief, at)
            fort = ", behind a fort" if board.ruleset.spaces[at].fort else ""
            here = board.units(side, at)
            text = f"{name} is at {space_name(at, board.ruleset)}{fort}, among {_force(board, side, here)}. "
            if attackers:
                enemy = _force(board, _other(side), attackers)
                text += f"The most that could come: {enemy}, {_percent(risk)} chance that he falls."
            else:
                text += "Nobody can come there."
            lines.append({"text": text, "mark": "danger" if risk >= EXPOSED else "done" if risk < RISK else "open"})
    return lines


def advice(state: State, player: int) -> dict[str, Any]:
    """Return what a player wants, what threatens the player's chiefs, and which choices put one at stake.

    Args:
        state: a position that is not the end, in the explicit mode.
        player: 0 or 1.

    Returns:
        ``sections``, each with ``title`` and ``lines`` (``text`` and ``mark``: "done", "open", "aim", "danger" or "");
        ``warnings``: action -> ``text`` and ``risk``, where the player decides.
    """
    board, side = _board(state), SIDES[player]
    other = _other(side)
    mine, lacking_spaces, lacking = _wanted(board, side)
    theirs, _, enemy_lacks = _wanted(board, other)
    mark = "" if enemy_lacks else "danger"
    near = {0: "They hold all of it now: take some of it back.", 1: "They lack one space."}.get(enemy_lacks)
    sections = [
        {
            "title": "You win",
            "lines": [
                {"text": f"If you hold, {_when(side)} [5.1]:", "mark": ""},
                *mine,
                {"text": _deaths(board, side), "mark": "open"},
            ],
        },
        {
            "title": "They win",
            "lines": [
                {"text": f"If they hold, {_when(other)} [5.1]:", "mark": ""},
                *({**line, "mark": mark} for line in theirs),
                *([{"text": near, "mark": mark}] if near else []),
            ],
        },
        {"title": "Your chief" if len(CHIEFS[side]) == 1 else "Your chiefs", "lines": _chief_lines(board, side)},
    ]
    if state.phase == "setup":
        sections = sections[:2]
    elif lacking:
        sections.insert(1, {"title": "Where you could strike", "lines": _targets(board, side, lacking_spaces)})
    return {
        "sections": [section for section in sections if section["lines"]],
        "warnings": {} if state.current_player != player else _warnings(state, board, side),
    }


# -- choices that put a chief at stake


@dataclass(frozen=True)
class _Stake:
    """A battle that a chief is to fight.

    Attributes:
        space: where.
        risk: the chance that he falls.
        attacks: whether his side attacks.
        kind: as of `battle_odds`.
    """

    space: str
    risk: float
    attacks: bool
    kind: str


def _at_stake(board: _Board, side: str) -> dict[str, _Stake]:
    """Return the chiefs of a side who are among enemies, or sail to meet some, with the odds of what stands there
    now.
    """
    found: dict[str, _Stake] = {}
    for chief in CHIEFS[side]:
        at = board.chief_at(side, chief)
        if at is None or at == "aboard":
            continue
        space = cast(str, board.view["field"]) if at == "war" else at.removeprefix("sea/")
        ours, theirs, attacks, kind = _battle(board, side, at, space)
        if not theirs:
            continue
        attackers, defenders = (ours, theirs) if attacks else (theirs, ours)
        taken = _wins(board, side if attacks else _other(side), attackers, defenders, space, kind)
        found[chief] = _Stake(space, 1 - taken if attacks else taken, attacks, kind)
    return found


def _battle(board: _Board, side: str, at: str, space: str) -> tuple[list[str], list[str], bool, str]:
    """Return a side's units and their enemies where one of its leaders is, whether the side attacks, and the kind of
    the battle.
    """
    other, fleet = _other(side), f"sea/{space}"
    if at == "war":
        return board.units(side, "war"), board.units(other, fleet), False, "sea"
    if board.view["half"] == side:
        landing = board.units(side, fleet)
        return (
            [*landing, *board.units(side, space)],
            board.enemies(side, space),
            True,
            "invasion" if landing else "overland",
        )
    return board.units(side, space), [*board.units(other, fleet), *board.units(other, space)], False, "invasion"


def _stake_words(board: _Board, side: str, chief: str, stake: _Stake) -> str:
    where, name = space_name(stake.space, board.ruleset), board.name(chief, side)
    fight = {"sea": f"sails to a battle off {where}"}.get(
        stake.kind, f"{'attacks' if stake.attacks else 'defends'} {where}"
    )
    return (
        f"{name} {fight}: as the forces stand now, {_percent(stake.risk)} chance that he falls. "
        f"{_price(board, side, chief)}"
    )


def _price(board: _Board, side: str, chief: str) -> str:
    """Return a sentence on the price of a chief's death [5.2]."""
    others = [name for name in CHIEFS[side] if name != chief and not board.dead(side, name)]
    if not others:
        return "With him the game is lost [5.2]."
    return f"He would never return [3.1], and with {board.name(others[0], side)} the game would be lost, too [5.2]."


def _warnings(state: State, board: _Board, side: str) -> dict[int, dict[str, Any]]:
    """Return warnings by action."""
    player = SIDES.index(side)
    before = _at_stake(board, side)
    found: dict[int, dict[str, Any]] = {}
    for action in state.legal_actions():
        verb = state.game.action_text(action).split()[0]
        said: list[tuple[float, str]] = []
        if verb == "done":
            said = [
                (stake.risk, _stake_words(board, side, chief, stake))
                for chief, stake in before.items()
                if stake.risk >= RISK
            ]
            if state.phase == "movement":
                said += _exposed(board, side, before)
        elif verb in ("march", "sail", "commit", "recruit", "lose", "panic"):
            said = _after(state, board, side, player, action, before)
        if said:
            found[action] = {
                "text": " ".join(text for _, text in said),
                "risk": round(max(risk for risk, _ in said), 3),
            }
    return found


def _exposed(board: _Board, side: str, before: Mapping[str, _Stake]) -> list[tuple[float, str]]:
    """Return the chiefs who would be open to an attack if movement ended now."""
    said: list[tuple[float, str]] = []
    for chief in CHIEFS[side]:
        at = board.chief_at(side, chief)
        if at not in SPACES or chief in before:
            continue
        risk, attackers = _threat(board, side, chief, cast(str, at))
        if risk >= EXPOSED:
            name, where = board.name(chief, side), space_name(cast(str, at), board.ruleset)
            enemy = _force(board, _other(side), attackers)
            said.append(
                (
                    risk,
                    f"{name} stays at {where}, where up to {enemy} could come: {_percent(risk)} chance that he falls. "
                    f"{_price(board, side, chief)}",
                )
            )
    return said


def _after(
    state: State, board: _Board, side: str, player: int, action: int, before: Mapping[str, _Stake]
) -> list[tuple[float, str]]:
    """Return the dangers of an action for its side's chiefs."""
    copy = state.for_search()
    copy.apply(action)
    outcome = copy.outcome()
    if outcome is not None:
        return [(1.0, f"This ends the game at once: {spell(outcome.reason)}.")] if outcome.winner == 1 - player else []
    later = _board(copy)
    said = [
        (1.0, f"{board.name(chief, side)} falls. {_price(board, side, chief)}")
        for chief in CHIEFS[side]
        if later.dead(side, chief) and not board.dead(side, chief)
    ]
    for chief, stake in _at_stake(later, side).items():
        known = before.get(chief)
        if stake.risk >= RISK and (known is None or (known.space, known.kind) != (stake.space, stake.kind)):
            said.append((stake.risk, _stake_words(later, side, chief, stake)))
    return said


# -- the end


def why(state: State) -> str:
    """Return how a finished game ended, in a sentence: what was held, who fell where."""
    board = _board(state)
    view, winner = board.view, board.view["winner"]
    month = str(view["turn"]).capitalize()
    if winner is None:
        return ""
    if winner == "tie":
        return "November is over, and neither side holds what it needs."
    loser = _other(winner)
    fallen = [board.name(chief, loser) for chief in CHIEFS[loser] if board.dead(loser, chief)]
    if "[5.2]" in view["reason"]:
        where = f" at {space_name(view['field'], board.ruleset)}" if view["field"] else ""
        return f"In {month} {fallen[-1]} fell{where}."
    held = [space_name(space, board.ruleset) for space in SPACES if board.holds(winner, space)]
    who, verb = ("Kamehameha", "holds") if winner == "kamehameha" else ("The Allies", "hold")
    return f"As {month} begins, {who if winner == 'kamehameha' else who[0].lower() + who[1:]} {verb} {_listed(held)}."


class HawaiiGuide:
    """The guide that the game's spec names; see `hawaii_env.web.strings.Guide`."""

    warns = "Ask me before I put a chief at stake"
    warning = "A chief is at stake"
    offer = "Guide me: what I want, what threatens my chiefs, how one wins"
    advice, why = staticmethod(advice), staticmethod(why)

    def __init__(self, game: Game) -> None:
        pass
